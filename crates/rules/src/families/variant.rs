//! Variants: games with a name, as listed and described. The families' folders declare them.
use alloc::{borrow::ToOwned, string::String};
use core::fmt;

use super::{FamilyName, RuleSet, variants};
use crate::card::Language;

/// A game with a name: a family and its parameters filled in.
#[derive(Clone, Copy)]
pub struct Variant {
    /// The stable id, kebab-case.
    pub id: &'static str,
    /// The family.
    pub family: FamilyName,
    /// The source of the rules.
    pub source: &'static str,
    pub(crate) title: [&'static str; 2],
    pub(crate) summary: [&'static str; 2],
    pub(crate) preset: fn() -> RuleSet,
}

impl fmt::Debug for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Variant").field(&self.id).finish()
    }
}

impl Variant {
    /// The variant of this id.
    #[must_use]
    pub fn find(id: &str) -> Option<&'static Self> {
        variants().iter().find(|variant| variant.id == id)
    }

    /// Its title.
    #[must_use]
    pub const fn title(&self, language: Language) -> &'static str {
        self.title[language as usize]
    }

    /// A summary of one sentence.
    #[must_use]
    pub const fn summary(&self, language: Language) -> &'static str {
        self.summary[language as usize]
    }

    /// The rules for people, in Markdown: the family's common part, then the section of this variant.
    #[must_use]
    pub fn rules_markdown(&self, language: Language) -> String {
        let whole = self.family.prose(language);
        let mut section: Option<&str> = None;
        let mut text = String::with_capacity(whole.len());
        for line in whole.lines() {
            if let Some(id) = line.strip_prefix("## ").and_then(|heading| heading.split_whitespace().next())
                && let Some(variant) = Self::find(id.trim_matches('`'))
            {
                section = Some(variant.id);
            }
            if section.is_none_or(|id| id == self.id) {
                text.push_str(line);
                text.push('\n');
            }
        }
        text.trim_end().to_owned() + "\n"
    }

    /// The rule set.
    #[must_use]
    pub fn rule_set(&self) -> RuleSet {
        (self.preset)()
    }

    /// The fewest and the most seats.
    #[must_use]
    pub fn seats(&self) -> (u8, u8) {
        self.rule_set().seats()
    }
}
