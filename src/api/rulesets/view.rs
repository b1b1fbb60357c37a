//! The JSON view of a named rule set, field by field. Its author's texts are plain text without markup.

use broadside_rules::card::{AnswerCard, BoardCard, ClassCard, Language};
use broadside_rules::text::Digest;
use broadside_rules::titles::reports::ReportType;
use broadside_rules::titles::{self, LayerTitle, SupplyTitle};
use broadside_rules::{FamilyName, RuleSet, Time};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::api::card_titles::{NationTitle, nation_titles, report_types};
use crate::api::variants::{ActionInfoWithSchema, JsonSchema, NationName, SeatRange, actions, rule_set_schema};
use crate::player::Player;
use crate::rulesets::read::PublishedRuleSet;
use crate::rulesets::{NamedRuleSet, RulesText};

/// A named rule set in a list.
#[derive(Serialize, ToSchema)]
#[schema(as = NamedRuleSetSummary)]
pub struct RuleSetSummary {
    /// SHA-256 of the rule set's canonical JSON (RFC 8785), in hexadecimal: its name.
    hash: Digest,
    /// What its author calls it; null: a moderator has hidden it. Show it as text.
    #[schema(max_length = 80, pattern = "^[^\\u0000-\\u001f]+$")]
    title: Option<String>,
    /// Whether a moderator has hidden title and text.
    hidden: bool,
    /// Who has published it; null: the account is deleted.
    creator: Option<Player>,
    /// The variant that it started from.
    #[schema(max_length = 40, pattern = "^[a-z0-9-]+$")]
    variant: &'static str,
    family: FamilyName,
    seats: SeatRange,
    /// The named rule set that it is a fork of; null: it is none.
    forked_from: Option<Digest>,
    /// How many forks of it there are.
    #[schema(minimum = 0, maximum = 2147483647, format = Int32)]
    forks: u32,
    /// How many matches have been opened by it.
    #[schema(minimum = 0, maximum = 2147483647, format = Int32)]
    matches: u32,
    created_at: Time,
}

impl From<NamedRuleSet> for RuleSetSummary {
    fn from(rule_set: NamedRuleSet) -> Self {
        Self {
            hash: rule_set.hash.digest(),
            hidden: rule_set.title.is_none(),
            title: rule_set.title.map(|title| title.as_str().to_owned()),
            creator: rule_set.creator,
            variant: rule_set.variant.id,
            family: rule_set.rules.family(),
            seats: rule_set.rules.seats().into(),
            forked_from: rule_set.forked_from.map(|parent| parent.digest()),
            forks: rule_set.forks,
            matches: rule_set.matches,
            created_at: rule_set.created_at,
        }
    }
}

/// A named rule set, with everything that a front end needs to offer and to draw it.
#[derive(Serialize, ToSchema)]
#[schema(as = NamedRuleSet)]
pub struct RuleSetBody {
    /// SHA-256 of the rule set's canonical JSON (RFC 8785), in hexadecimal: its name.
    hash: Digest,
    /// What its author calls it; null: a moderator has hidden it. Show it as text.
    #[schema(max_length = 80, pattern = "^[^\\u0000-\\u001f]+$")]
    title: Option<String>,
    /// The rules in its author's words, in Markdown; null: there are none, or a moderator has hidden them. A stranger
    /// has written them: allow no HTML in them, and load nothing that they name.
    #[schema(max_length = 20000, pattern = "^[^\\u0000-\\u0009\\u000b-\\u001f]+$")]
    rules_markdown: Option<String>,
    /// Whether a moderator has hidden title and text.
    hidden: bool,
    /// Who has published it; null: the account is deleted.
    creator: Option<Player>,
    /// The variant that it started from.
    #[schema(max_length = 40, pattern = "^[a-z0-9-]+$")]
    variant: &'static str,
    family: FamilyName,
    seats: SeatRange,
    /// The named rule set that it is a fork of; null: it is none.
    forked_from: Option<Digest>,
    /// How many forks of it there are.
    #[schema(minimum = 0, maximum = 2147483647, format = Int32)]
    forks: u32,
    /// How many matches have been opened by it.
    #[schema(minimum = 0, maximum = 2147483647, format = Int32)]
    matches: u32,
    /// The rating pools of matches by it.
    #[schema(schema_with = crate::schemas::pools)]
    pools: Vec<String>,
    rule_set: RuleSet,
    /// A JSON Schema of the rule set's fields, for forms that change them.
    #[schema(value_type = JsonSchema)]
    rule_set_schema: Value,
    /// The board, for as many seats as were asked for.
    board: BoardCard,
    /// The nations that players may choose from when they take a seat; empty where there is nothing to choose.
    #[schema(value_type = Vec<NationName>, max_items = 7)]
    nations: &'static [&'static str],
    /// What these nations are called, in the language asked for.
    #[schema(max_items = 7)]
    nation_titles: Vec<NationTitle>,
    /// What the layers of the board are called, in the language asked for.
    #[schema(max_items = 5)]
    layer_titles: Vec<LayerTitle>,
    /// The classes of ships.
    #[schema(max_items = 26)]
    classes: Vec<ClassCard>,
    /// What is used up, such as weapons, and what it is called in the language asked for.
    #[schema(max_items = 8)]
    supply_titles: Vec<SupplyTitle>,
    /// The types of actions, by phase.
    #[schema(max_items = 40)]
    actions: Vec<ActionInfoWithSchema>,
    /// What each viewer learns of each action.
    #[schema(max_items = 40)]
    disclosures: Vec<AnswerCard>,
    /// The types of reports that a match can have, with what they, their fields and their words are called: enough to
    /// print the log of a match.
    #[schema(value_type = Vec<ReportType>, max_items = 40)]
    report_types: &'static [ReportType],
    /// The language of `answers`. That of title and text is their author's.
    language: Language,
    created_at: Time,
}

impl RuleSetBody {
    /// The rule set with its text, and its board for some number of seats.
    pub fn of(rule_set: NamedRuleSet, text: Option<RulesText>, board: BoardCard, language: Language) -> Self {
        let rules = &rule_set.rules;
        Self {
            hash: rule_set.hash.digest(),
            hidden: rule_set.title.is_none(),
            rules_markdown: text.map(|text| text.as_str().to_owned()),
            variant: rule_set.variant.id,
            family: rules.family(),
            seats: rules.seats().into(),
            forked_from: rule_set.forked_from.map(|parent| parent.digest()),
            forks: rule_set.forks,
            matches: rule_set.matches,
            pools: rule_set.pools().map(|pool| pool.to_string()).collect(),
            rule_set_schema: rule_set_schema(rules.family()),
            nations: rules.seat_names(),
            nation_titles: nation_titles(rules, language),
            layer_titles: titles::of_layers(&board, language),
            classes: rules.classes(language),
            supply_titles: titles::of_supplies(rules, language),
            actions: actions(rules, language),
            disclosures: rules.answers(language),
            report_types: report_types(rules.family(), language),
            language,
            created_at: rule_set.created_at,
            title: rule_set.title.map(|title| title.as_str().to_owned()),
            creator: rule_set.creator,
            board,
            rule_set: rule_set.rules,
        }
    }
}

/// A named rule set as its author and moderators read it: also what is hidden.
#[derive(Serialize, ToSchema)]
#[schema(as = PublishedRuleSet)]
pub struct PublishedRuleSetBody {
    /// Its name.
    hash: Digest,
    /// What it is called; null: its author has deleted the account, and with it title and text.
    #[schema(max_length = 80, pattern = "^[^\\u0000-\\u001f]+$")]
    title: Option<String>,
    /// The rules in its author's words.
    #[schema(max_length = 20000, pattern = "^[^\\u0000-\\u0009\\u000b-\\u001f]+$")]
    rules_markdown: Option<String>,
    /// Who has published it; null: the account is deleted.
    creator: Option<Player>,
    /// Since when title and text are hidden from others; null: they are not.
    hidden_at: Option<Time>,
    rule_set: RuleSet,
    created_at: Time,
}

impl From<PublishedRuleSet> for PublishedRuleSetBody {
    fn from(published: PublishedRuleSet) -> Self {
        let PublishedRuleSet { rule_set, title, text, hidden_at, .. } = published;
        Self {
            hash: rule_set.hash.digest(),
            title: Some(title.as_str().to_owned()).filter(|title| !title.is_empty()),
            rules_markdown: text.map(|text| text.as_str().to_owned()),
            creator: rule_set.creator,
            hidden_at,
            rule_set: rule_set.rules,
            created_at: rule_set.created_at,
        }
    }
}
