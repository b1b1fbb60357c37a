//! Standings of ladders: the members' results in a season, by page. On a position ladder the order is that of the
//! positions.

use std::fmt;
use std::str::FromStr;

use broadside_contests::ranking::Tally;
use broadside_rules::Time;
use uuid::Uuid;

use super::{Ladder, LadderAudience, LadderFormat, LadderSection};
use crate::db::PublicRead;
use crate::error::{Error, Result};
use crate::ids::{AccountId, LadderId};
use crate::ladders::store;
use crate::listed::FirstRows;
use crate::player::Player;

/// A member's results in a season.
#[derive(Clone, Debug)]
pub struct LadderStanding {
    pub player: Player,
    pub section: LadderSection,
    /// From 1, the highest.
    pub division: u32,
    pub tally: Tally,
    /// The score by the ladder's ranking, in millionths of a point.
    pub score: u64,
    /// Decides between equal scores: lower is better.
    pub tie_break: u32,
    /// The start of the membership.
    pub since: Time,
    /// `None` until the season is over.
    pub final_rank: Option<u32>,
}

impl LadderStanding {
    pub fn key(&self) -> StandingKey {
        let Self { score, tie_break, since, .. } = *self;
        StandingKey { score, tie_break, won: self.tally.won, since, account: self.player.id }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StandingsList {
    pub ladder: LadderId,
    /// From 1.
    pub season: u32,
    pub section: LadderSection,
    /// From 1, the highest.
    pub division: u32,
}

/// A place in a list of standings, occupied or not. Order: higher score, lower tie-break, more pairings won, longer
/// membership.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StandingKey {
    /// In millionths of a point.
    pub score: u64,
    /// Decides between equal scores.
    pub tie_break: u32,
    /// Pairings won.
    pub won: u32,
    /// The start of the membership.
    pub since: Time,
    /// Decides if all else is equal.
    pub account: AccountId,
}

impl StandingKey {
    /// Before every member.
    pub const TOP: Self = Self {
        score: i64::MAX.unsigned_abs(),
        tie_break: 0,
        won: i32::MAX.unsigned_abs(),
        since: Time(0),
        account: AccountId(Uuid::nil()),
    };
}

impl fmt::Display for StandingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { score, tie_break, won, since, account } = self;
        write!(f, "{score}-{tie_break}-{won}-{}-{}", since.0, account.0.simple())
    }
}

impl FromStr for StandingKey {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let read = || {
            let mut parts = text.split('-');
            let score = parts.next()?.parse::<u64>().ok().filter(|score| i64::try_from(*score).is_ok())?;
            let mut number = || parts.next()?.parse::<u32>().ok().filter(|number| i32::try_from(*number).is_ok());
            let (tie_break, won) = (number()?, number()?);
            // Within the range of the database: the years 1970 to 9999.
            let since = parts.next()?.parse::<i64>().ok().filter(|ms| (0..253_402_300_800_000).contains(ms))?;
            let account = AccountId(Uuid::try_parse(parts.next()?).ok()?);
            parts.next().is_none().then_some(Self { score, tie_break, won, since: Time(since), account })
        };
        read().ok_or_else(|| "is no cursor of standings: send a `next_cursor` as it came".to_owned())
    }
}

/// A part of a list, best first.
pub struct StandingsSlice {
    pub list: StandingsList,
    /// Members with their places, best first.
    pub standings: Vec<(u32, LadderStanding)>,
    /// The position for the next part; `None` at the end.
    pub next: Option<StandingsCursor>,
    /// True if an unreadable row was left out.
    pub incomplete: bool,
}

/// A position in a list of standings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StandingsCursor {
    /// After a key of a list by scores.
    Key(StandingKey),
    /// After a place of a position ladder.
    Place(u32),
}

impl fmt::Display for StandingsCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(key) => key.fmt(f),
            Self::Place(place) => place.fmt(f),
        }
    }
}

impl FromStr for StandingsCursor {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let place = text.parse::<u32>().ok().filter(|place| i32::try_from(*place).is_ok());
        place.map_or_else(|| text.parse().map(Self::Key), |place| Ok(Self::Place(place)))
    }
}

/// The requested part of the standings.
#[derive(Clone, Copy, Default)]
pub struct StandingsQuery {
    /// By default the current season.
    pub season: Option<u32>,
    /// By default the only section, or that of the humans.
    pub section: Option<LadderSection>,
    /// By default the highest division.
    pub division: Option<u32>,
}

/// The requested list. Fails with `not-found` if there was no such season.
pub fn of(ladder: &Ladder, part: StandingsQuery) -> Result<StandingsList> {
    let season = part.season.unwrap_or(ladder.season.number);
    if season == 0 || season > ladder.season.number {
        return Err(Error::not_found());
    }
    let first =
        if ladder.terms.audience == LadderAudience::Separate { LadderSection::Humans } else { LadderSection::All };
    let division = part.division.unwrap_or(1);
    Ok(StandingsList { ladder: ladder.id, season, section: part.section.unwrap_or(first), division })
}

/// The length of a list, counted up to `most`.
pub async fn size(conn: &mut PublicRead, ladder: &Ladder, list: StandingsList, most: i64) -> Result<u32> {
    let by_places = ladder.terms.form.kind() == LadderFormat::Position && list.season == ladder.season.number;
    store::sizes::of_list(conn, &list, by_places, most).await
}

/// A page of standings after `after`.
pub async fn page(
    conn: &mut PublicRead,
    ladder: &Ladder,
    list: StandingsList,
    after: Option<StandingsCursor>,
    limit: i64,
) -> Result<StandingsSlice> {
    let foreign = || Error::invalid_at("/cursor", "invalid-value", "is no cursor of these standings".to_owned());
    let after = match (ladder.terms.form.kind(), after) {
        (LadderFormat::Position, Some(StandingsCursor::Place(place))) => {
            return places(conn, ladder, list, place, limit).await;
        }
        (LadderFormat::Position, None) => return places(conn, ladder, list, 0, limit).await,
        (LadderFormat::Rating, Some(StandingsCursor::Key(key))) => Some(key),
        (LadderFormat::Rating, None) => None,
        _ => return Err(foreign()),
    };
    let after = after.as_ref();
    let standings = store::standings::behind(conn, &list, after, limit + 1).await?;
    slice(conn, list, standings, limit).await
}

/// The places of a position ladder after a given one: the current ones, or those at the end of a season.
async fn places(
    conn: &mut PublicRead,
    ladder: &Ladder,
    list: StandingsList,
    after: u32,
    limit: i64,
) -> Result<StandingsSlice> {
    let on = list.season == ladder.season.number;
    let found = match on {
        true => store::standings::by_place(conn, list.ladder, list.season, after, limit + 1).await?,
        false => store::standings::by_rank(conn, list.ladder, list.season, after, limit + 1).await?,
    };
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let FirstRows { items, next_cursor, incomplete } = found.first(limit, |(rank, _)| rank.to_string());
    let next = next_cursor.and_then(|rank| rank.parse().ok()).map(StandingsCursor::Place);
    Ok(StandingsSlice { list, standings: items, next, incomplete })
}

/// The standings around a member of a position ladder.
async fn around_place(
    conn: &mut PublicRead,
    ladder: &Ladder,
    list: StandingsList,
    account: AccountId,
    limit: i64,
) -> Result<Option<StandingsSlice>> {
    let own = if list.season == ladder.season.number {
        store::positions::member(conn, list.ladder, account).await?.map(|listed| listed.member.place)
    } else {
        store::standings::of(conn, list.ladder, list.season, account).await?.and_then(|own| own.final_rank)
    };
    let Some(own) = own else { return Ok(None) };
    let half = u32::try_from(limit / 2).unwrap_or_default();
    places(conn, ladder, list, own.saturating_sub(half + 1), limit).await.map(Some)
}

/// The standings around a player in their section and division, with up to half of the page above them. `None` if they
/// have no standing in the season.
pub async fn around(
    conn: &mut PublicRead,
    ladder: &Ladder,
    list: StandingsList,
    account: AccountId,
    limit: i64,
) -> Result<Option<StandingsSlice>> {
    if ladder.terms.form.kind() == LadderFormat::Position {
        return around_place(conn, ladder, list, account, limit).await;
    }
    let Some(own) = store::standings::of(conn, list.ladder, list.season, account).await? else {
        return Ok(None);
    };
    let list = StandingsList { section: own.section, division: own.division, ..list };
    let key = own.key();
    let mut standings = store::standings::just_before(conn, &list, &key, limit / 2).await?;
    // With the player this may be one more than fits.
    let room = limit - i64::try_from(standings.len()).unwrap_or(limit);
    standings.push(own);
    standings.extend(store::standings::behind(conn, &list, Some(&key), room).await?);
    slice(conn, list, standings, limit).await.map(Some)
}

/// A slice from one row more than fits.
async fn slice(
    conn: &mut PublicRead,
    list: StandingsList,
    mut standings: Vec<LadderStanding>,
    limit: i64,
) -> Result<StandingsSlice> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = standings.len() > limit;
    standings.truncate(limit);
    let before = match standings.first() {
        Some(first) => store::standings::count_before(conn, &list, &first.key()).await?,
        None => 0,
    };
    let next = standings.last().filter(|_| more).map(|last| StandingsCursor::Key(last.key()));
    let standings = (before + 1..).zip(standings).collect();
    Ok(StandingsSlice { list, standings, next, incomplete: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_back() {
        let key = StandingKey {
            score: 3_500_000,
            tie_break: 5,
            won: 3,
            since: Time(1_800_000_000_123),
            account: AccountId(Uuid::from_u128(77)),
        };
        assert_eq!(key.to_string().parse::<StandingKey>(), Ok(key));
        for wrong in
            ["", "1-2", "1-2-3-4-5", "-1-2-3-4-5", &format!("{key}-1"), &key.to_string().replace("1800", "99999999999")]
        {
            assert!(wrong.parse::<StandingKey>().is_err(), "{wrong}");
        }
    }
}
