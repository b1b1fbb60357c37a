//! A variant: a game with a name, as it is listed and described. Which variants there are is said in the families'
//! folders.
use alloc::{borrow::ToOwned, string::String};
use core::fmt;

use super::{FamilyName, RuleSet, variants};
use crate::card::Language;

/// A game with a name: a family and its parameters filled in.
#[derive(Clone, Copy)]
pub struct Variant {
    /// Its stable id, kebab-case.
    pub id: &'static str,
    /// The family it belongs to.
    pub family: FamilyName,
    /// Where its rules come from.
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

    /// One sentence about it.
    #[must_use]
    pub const fn summary(&self, language: Language) -> &'static str {
        self.summary[language as usize]
    }

    /// Its rules for people, in Markdown: what the family has in common, then the section of this variant.
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

    /// Its rule set.
    #[must_use]
    pub fn rule_set(&self) -> RuleSet {
        (self.preset)()
    }

    /// The fewest and the most seats it can be played with.
    #[must_use]
    pub fn seats(&self) -> (u8, u8) {
        self.rule_set().seats()
    }
}
