//! Reading named rule sets: public data, and authors' own.

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

/// A position in a list of named rule sets, after the last one shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RuleSetCursor {
    pub order: RuleSetOrder,
    /// The last one's time of publication in milliseconds since 1970, or its number of matches.
    pub key: i64,
    /// The last one.
    pub hash: RuleSetHash,
}

impl RuleSetCursor {
    /// The position of a rule set in a list of this order.
    pub fn of(order: RuleSetOrder, rule_set: &NamedRuleSet) -> Self {
        let key = match order {
            RuleSetOrder::Newest => rule_set.created_at.0,
            RuleSetOrder::MostPlayed => i64::from(rule_set.matches),
        };
        Self { order, key, hash: rule_set.hash }
    }

    /// The cursor's text, even for an unreadable hash.
    pub(crate) fn text(order: RuleSetOrder, key: i64, hash: &str) -> String {
        format!("{}_{key}_{hash}", order.into_str())
    }

    /// The time of the position in a list by age.
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
            // A time outside of the calendar is no position in a list.
            (parts.next().is_none() && (0..1 << 48).contains(&cursor.key)).then_some(cursor)
        };
        read().ok_or_else(|| "is no cursor of this list: send a `next_cursor` as it came".to_owned())
    }
}

/// A filter for lists of named rule sets.
#[derive(Clone, Debug)]
pub struct RuleSetFilter {
    pub family: Option<FamilyName>,
    /// Only those published by this account.
    pub creator: Option<AccountId>,
    pub forked_from: Option<RuleSetHash>,
    /// Only those with these words in title or text.
    pub search: Option<SearchText>,
    pub order: RuleSetOrder,
    /// Only those after this position.
    pub after: Option<RuleSetCursor>,
    pub limit: i64,
}

/// A named rule set with its text; fails with `not-found`.
pub async fn find(conn: &mut Conn, hash: RuleSetHash) -> Result<(NamedRuleSet, Option<RulesText>)> {
    let found = store::find(conn, hash).await?.ok_or_else(Error::not_found)?;
    let text = store::text(conn, hash).await?;
    Ok((found, text))
}

/// A named rule set with its author's texts, hidden or not, for its author and for moderators; fails with `not-found`.
pub async fn published(conn: &mut Conn, hash: RuleSetHash) -> Result<PublishedRuleSet> {
    store::find_published(conn, hash).await?.ok_or_else(Error::not_found)
}

/// A named rule set referenced by a request at `pointer`; fails with `validation-failed`.
pub async fn known(conn: &mut Conn, hash: RuleSetHash, pointer: &str) -> Result<NamedRuleSet> {
    let unknown = || Error::invalid_at(pointer, "unknown-rule-set", "there is no named rule set with this hash");
    store::find(conn, hash).await?.ok_or_else(unknown)
}

/// True if there is a named rule set with this hash.
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
