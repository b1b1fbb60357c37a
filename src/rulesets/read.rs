//! What everybody may read of named rule sets, and what their authors may read of their own.

use std::fmt;
use std::str::FromStr;

use broadside_contests::RuleSetHash;
use broadside_rules::{FamilyName, Time};

use super::{NamedRuleSet, RulesText, store};
use crate::db::Conn;
use crate::error::{Error, Result};
use crate::ids::AccountId;
use crate::social::text::SearchText;
use crate::string_enums::string_enums;
pub use store::{PublishedRuleSet, all_by as export, list, set_hidden};

string_enums! {
    /// An order of named rule sets.
    pub enum RuleSetOrder {
        /// The newest first.
        Newest,
        /// Those by which most matches have been opened first.
        MostPlayed,
    }
}

/// A place in a list of named rule sets: the list goes on after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RuleSetCursor {
    /// The order of the list.
    pub order: RuleSetOrder,
    /// When the last one was published, in milliseconds since 1970; or how many matches have been opened by it.
    pub key: i64,
    /// The last one.
    pub hash: RuleSetHash,
}

impl RuleSetCursor {
    /// The place of a rule set in a list of this order.
    pub fn of(order: RuleSetOrder, rule_set: &NamedRuleSet) -> Self {
        let key = match order {
            RuleSetOrder::Newest => rule_set.created_at.0,
            RuleSetOrder::MostPlayed => i64::from(rule_set.matches),
        };
        Self { order, key, hash: rule_set.hash }
    }

    /// Its text, also for a hash that can't be read.
    pub(crate) fn text(order: RuleSetOrder, key: i64, hash: &str) -> String {
        format!("{}_{key}_{hash}", order.into_str())
    }

    /// The time that it stands for in a list by age.
    pub fn time(&self) -> Time {
        Time(self.key)
    }
}

impl fmt::Display for RuleSetCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Self::text(self.order, self.key, self.hash.as_str()))
    }
}

impl FromStr for RuleSetCursor {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read = || {
            let mut parts = text.split('_');
            let (order, key, hash) = (parts.next()?, parts.next()?, parts.next()?);
            let cursor = Self { order: order.parse().ok()?, key: key.parse().ok()?, hash: hash.parse().ok()? };
            // A time that no calendar has is no place in a list.
            (parts.next().is_none() && (0..1 << 48).contains(&cursor.key)).then_some(cursor)
        };
        read().ok_or_else(|| "is no cursor of this list: send a `next_cursor` as it came".to_owned())
    }
}

/// Which named rule sets to list.
#[derive(Clone, Debug)]
pub struct RuleSetFilter {
    /// Only of this family.
    pub family: Option<FamilyName>,
    /// Only those published by this account.
    pub creator: Option<AccountId>,
    /// Only forks of this one.
    pub forked_from: Option<RuleSetHash>,
    /// Only those with these words in title or text.
    pub search: Option<SearchText>,
    pub order: RuleSetOrder,
    /// Only those after this place.
    pub after: Option<RuleSetCursor>,
    /// How many at most.
    pub limit: i64,
}

/// One with its text; `not-found` if there is none.
pub async fn find(conn: &mut Conn, hash: RuleSetHash) -> Result<(NamedRuleSet, Option<RulesText>)> {
    let found = store::find(conn, hash).await?.ok_or_else(Error::not_found)?;
    let text = store::text(conn, hash).await?;
    Ok((found, text))
}

/// One with what its author has written, hidden or not; `not-found` if there is none. For its author and for
/// moderators.
pub async fn published(conn: &mut Conn, hash: RuleSetHash) -> Result<PublishedRuleSet> {
    store::find_published(conn, hash).await?.ok_or_else(Error::not_found)
}

/// One that a request names at `pointer`; `validation-failed` if there is none.
pub async fn known(conn: &mut Conn, hash: RuleSetHash, pointer: &str) -> Result<NamedRuleSet> {
    let unknown = || Error::invalid_at(pointer, "unknown-rule-set", "there is no named rule set with this hash");
    store::find(conn, hash).await?.ok_or_else(unknown)
}

/// Whether there is a named rule set with this hash.
pub async fn exists(conn: &mut Conn, hash: RuleSetHash) -> Result<bool> {
    store::exists(conn, hash).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_back() {
        let hash = RuleSetHash::of(&[7; 32]);
        for (order, key) in [(RuleSetOrder::Newest, 1_795_246_200_000), (RuleSetOrder::MostPlayed, 0)] {
            let cursor = RuleSetCursor { order, key, hash };
            assert_eq!(cursor.to_string().parse(), Ok(cursor));
        }
        let good = RuleSetCursor { order: RuleSetOrder::Newest, key: 5, hash }.to_string();
        for wrong in ["", "newest", "newest_5", &good[1..], &format!("{good}_1"), &good.replace("_5_", "_-5_")] {
            assert!(wrong.parse::<RuleSetCursor>().is_err(), "{wrong}");
        }
        assert!(good.replace("_5_", &format!("_{}_", i64::MAX)).parse::<RuleSetCursor>().is_err());
    }
}
