//! The rules in a request: a base with changes, or a named rule set as it is.

use std::str::FromStr;

use broadside_contests::RuleSetHash;
use broadside_rules::illegal::UnknownWord;
use broadside_rules::{FamilyName, Fault, First, RuleSet, Variant, variants};
use serde_json::{Map, Value};

use crate::api::http::fields::text_fields;
use crate::api::lobby::challenges::VariantId;
use crate::app::App;
use crate::error::{Error, Result, problem, under};
use crate::rulesets::create::RuleSetBase;
use crate::rulesets::read;
use crate::suggest;
use crate::work_pool::Lane;

text_fields!(RuleSetHash, FamilyId);

#[derive(Clone, Copy)]
pub struct FamilyId(pub FamilyName);

/// The name of a family in JSON.
fn word(family: FamilyName) -> String {
    serde_json::to_value(family).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}

impl FromStr for FamilyId {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        let found = variants().iter().find(|variant| word(variant.family) == text);
        found.map(|variant| FamilyId(variant.family)).ok_or_else(|| {
            let mut known: Vec<String> = variants().iter().map(|variant| word(variant.family)).collect();
            known.dedup();
            suggest::must_be_one_of(text, &known.iter().map(String::as_str).collect::<Vec<_>>())
        })
    }
}

fn fault(pointer: &str, code: &'static str, detail: &str) -> Fault {
    Fault { pointer: pointer.to_owned(), code, detail: detail.to_owned() }
}

/// The base of the changes: exactly one of a variant, a family (its simplest variant) and a named rule set.
pub fn base(
    variant: Option<VariantId>,
    family: Option<FamilyId>,
    forked_from: Option<RuleSetHash>,
) -> Result<RuleSetBase> {
    let of_family = |FamilyId(family)| variants().iter().find(|variant| variant.family == family);
    let bases = [
        ("/variant", variant.map(|VariantId(variant)| RuleSetBase::Variant(variant))),
        ("/family", family.and_then(of_family).map(RuleSetBase::Variant)),
        ("/forked_from", forked_from.map(RuleSetBase::Fork)),
    ];
    let mut given = bases.into_iter().filter_map(|(pointer, base)| Some((pointer, base?)));
    let Some((_, base)) = given.next() else {
        let detail = "is required: or `family` or `forked_from` in its place";
        return Err(Error::invalid(vec![fault("/variant", "missing-field", detail)]));
    };
    let detail = "a rule set starts from a variant, a family or another rule set: give one of them";
    let faults: Vec<Fault> = given.map(|(pointer, _)| fault(pointer, "conflicting-fields", detail)).collect();
    if faults.is_empty() { Ok(base) } else { Err(Error::invalid(faults)) }
}

/// The rules requested for a challenge, a ladder or a tournament.
pub struct RulesRequest {
    pub variant: Option<VariantId>,
    pub changes: Option<Map<String, Value>>,
    /// A named rule set, instead of a variant with changes.
    pub named_rule_set: Option<RuleSetHash>,
    /// The first side to move, where the request has a separate field for it.
    pub first: Option<First>,
}

pub struct ChosenRules {
    /// The variant, or the one from which the named rule set started.
    pub variant: &'static Variant,
    /// All parameters.
    pub rules: RuleSet,
    pub named: Option<RuleSetHash>,
}

impl RulesRequest {
    /// Reads the rules. Fails with `invalid-rule-set` if they can't be played, and with `validation-failed` if both or
    /// neither of variant and named rule set are given, or if the latter is unknown.
    pub async fn chosen(self, app: &App) -> Result<ChosenRules> {
        match (self.variant, self.named_rule_set) {
            (Some(VariantId(variant)), None) => {
                // Only changed rules go to the slow lane, because only their check can delay others.
                let lane = if self.changes.is_none() { Lane::Play } else { Lane::Heavy };
                let (changes, first) = (self.changes.unwrap_or_default(), self.first);
                app.pool.run(lane, move || changed(variant, changes, first)).await?
            }
            (None, Some(hash)) if self.changes.is_none() => named(app, hash, self.first).await,
            (None, None) => {
                let detail = "is required: or `named_rule_set` in its place";
                Err(Error::invalid(vec![fault("/variant", "missing-field", detail)]))
            }
            (variant, Some(_)) => {
                let detail = "a named rule set is played as it is: leave this out, or publish a fork";
                let given = [("/variant", variant.is_some()), ("/rule_set", self.changes.is_some())];
                let given = given.into_iter().filter(|(_, given)| *given);
                Err(Error::invalid(given.map(|(pointer, _)| fault(pointer, "conflicting-fields", detail)).collect()))
            }
        }
    }
}

fn changed(variant: &'static Variant, mut changes: Map<String, Value>, first: Option<First>) -> Result<ChosenRules> {
    if let Some(first) = first {
        changes.insert("first".to_owned(), serde_json::to_value(first).map_err(Error::internal)?);
    }
    let rules = RuleSet::customised(variant, &Value::Object(changes));
    let refused = |inner: Vec<Fault>| {
        let mut faults = under("/rule_set", inner);
        // A fault of `first` points at the field where it was given.
        for fault in faults.iter_mut().filter(|fault| first.is_some() && fault.pointer == "/rule_set/first") {
            "/first".clone_into(&mut fault.pointer);
        }
        Error::with_faults(&problem::INVALID_RULE_SET, faults)
    };
    Ok(ChosenRules { variant, rules: rules.map_err(refused)?, named: None })
}

/// A named rule set as it is, except for the first side to move.
async fn named(app: &App, hash: RuleSetHash, first: Option<First>) -> Result<ChosenRules> {
    let mut conn = app.db.conn().await?;
    let known = read::known(&mut conn, hash, "/named_rule_set").await?;
    let rules = match first {
        None => known.rules,
        Some(_) if known.rules.begun_by(First::Creator) == known.rules.begun_by(First::Opponent) => {
            let detail = "in this game nobody can be chosen to begin: leave it out";
            return Err(Error::with_faults(&problem::INVALID_RULE_SET, vec![fault("/first", "unknown-field", detail)]));
        }
        Some(first) => known.rules.begun_by(first),
    };
    Ok(ChosenRules { variant: known.variant, rules, named: Some(hash) })
}
