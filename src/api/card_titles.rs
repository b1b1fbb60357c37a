//! Display names for the cards of variants and of named rule sets. A page that knows no game gets all its texts in the
//! reader's language from here.

use std::sync::LazyLock;

use broadside_rules::card::Language;
use broadside_rules::titles::reports::{self, ReportType};
use broadside_rules::{FamilyName, RuleSet, titles};
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::variants::NationName;

/// A nation, for people.
#[derive(Serialize, ToSchema)]
pub struct NationTitle {
    #[schema(value_type = NationName)]
    nation: &'static str,
    /// What it is called.
    #[schema(min_length = 1, max_length = 40, pattern = "^[^\\u0000-\\u001f]+$")]
    title: &'static str,
}

/// The nations that players may choose from, with their display names.
pub(in crate::api) fn nation_titles(rules: &RuleSet, language: Language) -> Vec<NationTitle> {
    let title = |nation| NationTitle { nation, title: titles::of_nation(nation, language).unwrap_or(nation) };
    rules.seat_names().iter().map(|nation| title(*nation)).collect()
}

/// The report types of a family, in one language.
struct FamilyReports {
    family: FamilyName,
    language: Language,
    types: Vec<ReportType>,
}

/// Cached, because deriving them from the report schemas takes a while. They are the same for all rules of a family.
static REPORT_TYPES: LazyLock<Vec<FamilyReports>> = LazyLock::new(|| {
    let mut known: Vec<FamilyReports> = Vec::new();
    for variant in broadside_rules::variants() {
        if known.iter().any(|reports| reports.family == variant.family) {
            continue;
        }
        let rules = variant.rule_set();
        for language in [Language::English, Language::French] {
            let types = reports::of_reports(&rules, language);
            known.push(FamilyReports { family: variant.family, language, types });
        }
    }
    known
});

/// The report types of a family's matches, with display names for them and their fields.
pub(in crate::api) fn report_types(family: FamilyName, language: Language) -> &'static [ReportType] {
    let found = REPORT_TYPES.iter().find(|reports| reports.family == family && reports.language == language);
    found.map_or(&[], |reports| &reports.types)
}
