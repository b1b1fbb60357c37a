//! Named rule sets: players' rule sets, published under a title.
//!
//! | topic | file |
//! |---|---|
//! | composing and publishing | [`create`] |
//! | finding by hash, listing, searching | [`read`] |
//!
//! A named rule set never changes, and is identified by its hash. So the hash determines the rules, ladders can be
//! rated on it for ever, and a copy of it needs no trust. Parameters are data of the rules crate: nothing here
//! interprets them.

pub mod create;
pub mod read;
pub(crate) mod store;

use broadside_contests::{Pool, PoolRules, RuleSetHash};
use broadside_rules::{RuleSet, Time, Variant};

use crate::context::Context;
use crate::db::Tx;
use crate::error::Result;
use crate::ids::AccountId;
use crate::player::Player;
use crate::social::text::Title;
use crate::texts::{lines, texts};

/// The highest limit for texts that an operator can set, in characters.
pub const MAX_TEXT_CHARS: u16 = 20_000;

/// Limits on published rule sets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RuleSetLimits {
    /// Named rule sets per account.
    pub per_account: u32,
    /// Named rule sets per account in 24 hours.
    pub per_day: u32,
    /// Characters of a text, at most [`MAX_TEXT_CHARS`].
    pub text_chars: u16,
}

impl Default for RuleSetLimits {
    fn default() -> Self {
        Self { per_account: 100, per_day: 10, text_chars: 10_000 }
    }
}

/// A published rule set.
#[derive(Clone, Debug)]
pub struct NamedRuleSet {
    pub hash: RuleSetHash,
    /// The variant that it is based on.
    pub variant: &'static Variant,
    /// All its parameters.
    pub rules: RuleSet,
    /// `None` if a moderator has hidden it.
    pub title: Option<Title>,
    /// `None` if their account is deleted.
    pub creator: Option<Player>,
    /// The named rule set that it forks.
    pub forked_from: Option<RuleSetHash>,
    pub forks: u32,
    /// The number of matches opened with it.
    pub matches: u32,
    pub created_at: Time,
}

impl NamedRuleSet {
    /// The pools of rated matches with it.
    pub fn pools(&self) -> impl Iterator<Item = Pool> {
        Pool::all_of(PoolRules::RuleSet(self.hash), self.rules.seats())
    }
}

texts! {
    /// The rules in their author's words, in Markdown: 1 to 20,000 characters, not all of them blank, with line breaks
    /// (`\n`).
    pub struct RulesText: |text| lines(text, 1, usize::from(MAX_TEXT_CHARS));
}

impl RulesText {
    /// A value from the database, checked when it was stored.
    pub fn stored(text: String) -> Self {
        Self(text)
    }
}

/// Counts a match opened in this transaction with a named rule set. Its row stays locked until the commit.
pub async fn count_match(tx: &mut Tx, hash: Option<RuleSetHash>) -> Result<()> {
    match hash {
        Some(hash) => store::count_match(tx, hash).await,
        None => Ok(()),
    }
}

/// Erases the titles and texts by an account that is being deleted. The rules stay, under their hash.
pub async fn erase_words(tx: &mut Tx, ctx: &Context, account: AccountId) -> Result<()> {
    store::erase_words(tx, account, ctx.clock.now()).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::social::text::SearchText;

    #[test]
    fn texts_are_safe_to_print() {
        for good in ["x", "# Rules\n\n*Fire* at will.", &"é".repeat(20_000)] {
            assert_eq!(good.parse::<RulesText>().unwrap().as_str(), good);
        }
        for bad in ["", " \n ", "a\u{0}", "a\u{1b}[2J", "left\u{202e}right", &"x".repeat(20_001)] {
            assert!(bad.parse::<RulesText>().is_err(), "{bad:?}");
        }
        assert!("sea -wolf \"two words\"".parse::<SearchText>().is_ok());
        for bad in ["", "a\u{0}b", "a\nb", &"x".repeat(101)] {
            assert!(bad.parse::<SearchText>().is_err(), "{bad:?}");
        }
    }
}
