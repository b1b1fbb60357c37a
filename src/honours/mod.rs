//! Honours: winners of ladder seasons and tournaments, podium places, and promotions.
//!
//! They are not stored: the final standings of seasons and tournaments are kept for ever, even of closed ladders, and
//! honours are read from them.

mod store;

use std::fmt;
use std::str::FromStr;

use broadside_rules::Time;
use uuid::Uuid;

use crate::db::PublicRead;
use crate::error::Result;
use crate::ids::{AccountId, LadderId};
use crate::ladders::LadderSection;
use crate::listed::Listed;
use crate::matches::Contest;
use crate::player::Player;
use crate::string_enums::string_enums;

/// The last rank on a podium.
const PODIUM: u32 = 3;

string_enums! {
    /// What somebody is honoured for.
    pub enum HonourKind {
        /// They have won it.
        Winner,
        /// They were second or third, and somebody was placed behind them.
        Podium,
        /// They were promoted to a higher division.
        Promoted,
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct Honour {
    pub kind: HonourKind,
    pub contest: Contest,
    pub title: String,
    /// For a ladder, the place in its season.
    pub season: Option<SeasonPlace>,
    pub rank: u32,
    /// The end of the season or the tournament.
    pub at: Time,
}

/// A place in a season of a ladder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeasonPlace {
    pub season: u32,
    pub section: LadderSection,
    /// The division, from 1, the highest.
    pub division: u32,
}

/// The winner of a ladder season.
pub struct SeasonWinner {
    pub season: u32,
    pub section: LadderSection,
    pub player: Player,
    /// Their points, in half points.
    pub half_points: u32,
}

/// A position in a list of honours: after those of this contest, won at this time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HonourCursor {
    pub at: Time,
    pub contest: Uuid,
}

impl HonourCursor {
    /// Before all honours.
    const TOP: Self = Self { at: Time(253_402_300_799_000), contest: Uuid::max() };

    pub fn behind(honour: &Honour) -> Self {
        Self { at: honour.at, contest: honour.contest.id() }
    }
}

impl fmt::Display for HonourCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.at.0, self.contest.simple())
    }
}

impl FromStr for HonourCursor {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let read = || {
            let (at, contest) = text.split_once('-')?;
            let at = at.parse::<i64>().ok().filter(|ms| (0..=Self::TOP.at.0).contains(ms))?;
            Some(Self { at: Time(at), contest: Uuid::try_parse(contest).ok()? })
        };
        read().ok_or_else(|| "is no cursor of honours: send a `next_cursor` as it came".to_owned())
    }
}

/// The honours of an account, newest first, from a position on.
pub async fn of_account(
    conn: &mut PublicRead,
    account: AccountId,
    after: Option<HonourCursor>,
    limit: i64,
) -> Result<Listed<Honour>> {
    store::of_account(conn, account, after.unwrap_or(HonourCursor::TOP), limit).await
}

/// The winners of those of these ladder seasons that are over; a season without matches has none.
pub async fn winners(conn: &mut PublicRead, ladder: LadderId, seasons: &[u32]) -> Result<Listed<SeasonWinner>> {
    store::winners(conn, ladder, seasons).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_back() {
        let cursor = HonourCursor { at: Time(1_800_000_000_123), contest: Uuid::from_u128(77) };
        assert_eq!(cursor.to_string().parse::<HonourCursor>(), Ok(cursor));
        for wrong in ["", "1", "-1-77", &cursor.to_string().replace("1800", "99999999999"), &format!("{cursor}-1")] {
            assert!(wrong.parse::<HonourCursor>().is_err(), "{wrong}");
        }
    }
}
