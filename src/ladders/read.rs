//! What everybody may read of ladders: their lists, standings, seasons; and what an account reads of its own.

use std::fmt;
use std::str::FromStr;

use broadside_rules::Time;
use uuid::Uuid;

use super::{Kind, Ladder, Member, Season, Section, Status, Who};
use crate::db::Conn;
use crate::error::{Error, Result};
use crate::ids::{AccountId, LadderId};
use crate::ladders::store;
use crate::player::Player;

/// Which ladders to list.
#[derive(Default)]
pub struct Which {
    /// Only of this variant.
    pub variant: Option<&'static str>,
    /// Only of this form.
    pub form: Option<Kind>,
    /// Only open ones, or only closed ones.
    pub open: Option<bool>,
    /// Only those in which this account takes part.
    pub member: Option<AccountId>,
    /// Only those made before this one.
    pub before: Option<LadderId>,
    /// How many at most.
    pub limit: i64,
}

/// How many members a ladder has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Size {
    /// Who take part and aren't inactive.
    pub members: u32,
    /// In how many divisions, of the section that has most.
    pub divisions: u32,
}

/// A page of ladders with their sizes, the newest first.
pub async fn list(conn: &mut Conn, which: &Which) -> Result<Vec<(Ladder, Size)>> {
    let ladders = store::ladders::list(conn, which).await?;
    sized(conn, ladders).await
}

/// A ladder with its size.
pub async fn find(conn: &mut Conn, id: LadderId) -> Result<(Ladder, Size)> {
    let found = store::ladders::find(conn, id).await?.into_iter().collect();
    sized(conn, found).await?.pop().ok_or_else(Error::not_found)
}

/// The ladder with its size as it is within a transaction.
pub async fn with_size(conn: &mut Conn, ladder: Ladder) -> Result<(Ladder, Size)> {
    sized(conn, vec![ladder]).await?.pop().ok_or_else(Error::not_found)
}

async fn sized(conn: &mut Conn, ladders: Vec<Ladder>) -> Result<Vec<(Ladder, Size)>> {
    let ids: Vec<LadderId> = ladders.iter().map(|ladder| ladder.id).collect();
    let counts = store::members::counts(conn, &ids).await?;
    let size = |id: LadderId| {
        let own = counts.iter().filter(|(ladder, ..)| *ladder == id);
        own.fold(Size::default(), |size, (_, _, division, count)| Size {
            members: size.members + count,
            divisions: size.divisions.max(*division),
        })
    };
    Ok(ladders
        .into_iter()
        .map(|ladder| {
            let size = size(ladder.id);
            (ladder, size)
        })
        .collect())
}

/// Somebody's membership of a ladder; none if he takes no part.
pub async fn member(conn: &mut Conn, ladder: LadderId, account: AccountId) -> Result<Option<Member>> {
    Ok(store::members::find(conn, ladder, account).await?.filter(|member| member.status != Status::Left))
}

/// The memberships of an account in these ladders, in their order.
pub async fn members(conn: &mut Conn, account: AccountId, ladders: &[LadderId]) -> Result<Vec<Option<Member>>> {
    let all = store::members::of_account(conn, account).await?;
    let of = |id: &LadderId| {
        let own = all.iter().find(|(ladder, member)| ladder == id && member.status != Status::Left);
        own.map(|(_, member)| member.clone())
    };
    Ok(ladders.iter().map(of).collect())
}

/// A page of a ladder's seasons, the newest first.
pub async fn seasons(conn: &mut Conn, ladder: LadderId, before: Option<u32>, limit: i64) -> Result<Vec<Season>> {
    store::seasons::page(conn, ladder, before, limit).await
}

/// How somebody has done in a season.
#[derive(Clone, Debug)]
pub struct Standing {
    /// Who.
    pub player: Player,
    /// With whom he is listed.
    pub section: Section,
    /// In which division.
    pub division: u32,
    /// Half points.
    pub half_points: u32,
    /// How many pairings of his have ended with a result.
    pub pairings: u32,
    /// How many he has won.
    pub won: u32,
    /// How many he has drawn.
    pub drawn: u32,
    /// How many he has lost.
    pub lost: u32,
    /// Since when he takes part.
    pub since: Time,
    /// His final place, when the season is over.
    pub final_rank: Option<u32>,
}

impl Standing {
    /// His place in the list.
    pub fn key(&self) -> Key {
        let Self { half_points, pairings, won, since, .. } = *self;
        Key { half_points, pairings, won, since, account: self.player.id }
    }
}

/// One list of standings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct List {
    /// The ladder.
    pub ladder: LadderId,
    /// The season.
    pub season: u32,
    /// The section.
    pub section: Section,
    /// The division.
    pub division: u32,
}

/// A place in a list of standings, whether or not somebody stands there: more points come first, then fewer pairings, more of them won, who is longer there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Key {
    /// Half points.
    pub half_points: u32,
    /// Pairings.
    pub pairings: u32,
    /// Pairings won.
    pub won: u32,
    /// Since when.
    pub since: Time,
    /// Who, where all is equal.
    pub account: AccountId,
}

impl Key {
    /// Before everybody.
    pub const TOP: Self = Self {
        half_points: i32::MAX.unsigned_abs(),
        pairings: 0,
        won: i32::MAX.unsigned_abs(),
        since: Time(0),
        account: AccountId(Uuid::nil()),
    };
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { half_points, pairings, won, since, account } = self;
        write!(f, "{half_points}-{pairings}-{won}-{}-{}", since.0, account.0.simple())
    }
}

impl FromStr for Key {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let read = || {
            let mut parts = text.split('-');
            let mut number = || parts.next()?.parse::<u32>().ok().filter(|number| i32::try_from(*number).is_ok());
            let (half_points, pairings, won) = (number()?, number()?, number()?);
            // Within what a database can hold: the years 1970 to 9999.
            let since = parts.next()?.parse::<i64>().ok().filter(|ms| (0..253_402_300_800_000).contains(ms))?;
            let account = AccountId(Uuid::try_parse(parts.next()?).ok()?);
            parts.next().is_none().then_some(Self { half_points, pairings, won, since: Time(since), account })
        };
        read().ok_or_else(|| "is no cursor of standings: send a `next_cursor` as it came".to_owned())
    }
}

/// Some of a list, the best first.
pub struct Stretch {
    /// Which list it is of.
    pub list: List,
    /// The place of the first.
    pub first_rank: u32,
    /// Who stands there.
    pub standings: Vec<Standing>,
    /// Where to go on; none: that was the end.
    pub next: Option<Cursor>,
}

/// Where a list of standings goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cursor {
    /// Behind a key of a list by points.
    Key(Key),
    /// Behind a place of a position ladder.
    Place(u32),
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(key) => key.fmt(f),
            Self::Place(place) => place.fmt(f),
        }
    }
}

impl FromStr for Cursor {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let place = text.parse::<u32>().ok().filter(|place| i32::try_from(*place).is_ok());
        place.map_or_else(|| text.parse().map(Self::Key), |place| Ok(Self::Place(place)))
    }
}

/// Which part of the standings is wanted.
#[derive(Clone, Copy, Default)]
pub struct Part {
    /// The season; the one that is on unless given.
    pub season: Option<u32>,
    /// The section; the only one unless given, of several the humans.
    pub section: Option<Section>,
    /// The division; the highest unless given.
    pub division: Option<u32>,
}

/// The list that is asked for. Fails with `not-found` when there was no such season.
pub fn of(ladder: &Ladder, part: Part) -> Result<List> {
    let season = part.season.unwrap_or(ladder.season.number);
    if season == 0 || season > ladder.season.number {
        return Err(Error::not_found());
    }
    let first = if ladder.terms.who == Who::Separate { Section::Humans } else { Section::All };
    let division = part.division.unwrap_or(1);
    Ok(List { ladder: ladder.id, season, section: part.section.unwrap_or(first), division })
}

/// A page of standings, from behind `after` on.
pub async fn page(conn: &mut Conn, ladder: &Ladder, list: List, after: Option<Cursor>, limit: i64) -> Result<Stretch> {
    let foreign = || Error::invalid_at("/cursor", "invalid-value", "is no cursor of these standings".to_owned());
    let after = match (ladder.terms.form.kind(), after) {
        (Kind::Position, Some(Cursor::Place(place))) => return places(conn, ladder, list, place, limit).await,
        (Kind::Position, None) => return places(conn, ladder, list, 0, limit).await,
        (Kind::Rating, Some(Cursor::Key(key))) => Some(key),
        (Kind::Rating, None) => None,
        _ => return Err(foreign()),
    };
    let after = after.as_ref();
    let standings = store::standings::behind(conn, &list, after, limit + 1).await?;
    stretch(conn, list, standings, limit).await
}

/// The places of a position ladder from behind one on: as they are, or as they were when the season ended.
async fn places(conn: &mut Conn, ladder: &Ladder, list: List, after: u32, limit: i64) -> Result<Stretch> {
    let on = list.season == ladder.season.number;
    let found = match on {
        true => store::standings::by_place(conn, list.ladder, list.season, after, limit + 1).await?,
        false => store::standings::by_rank(conn, list.ladder, list.season, after, limit + 1).await?,
    };
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let first_rank = found.first().map_or(1, |(rank, _)| *rank);
    let next = found.get(limit.saturating_sub(1)).filter(|_| found.len() > limit).map(|(rank, _)| Cursor::Place(*rank));
    let standings = found.into_iter().take(limit).map(|(_, standing)| standing).collect();
    Ok(Stretch { list, first_rank, standings, next })
}

/// Somebody among his neighbours on a position ladder.
async fn around_place(
    conn: &mut Conn,
    ladder: &Ladder,
    list: List,
    account: AccountId,
    limit: i64,
) -> Result<Option<Stretch>> {
    let own = if list.season == ladder.season.number {
        store::places::member(conn, list.ladder, account).await?.map(|listed| listed.member.place)
    } else {
        store::standings::of(conn, list.ladder, list.season, account).await?.and_then(|own| own.final_rank)
    };
    let Some(own) = own else { return Ok(None) };
    let half = u32::try_from(limit / 2).unwrap_or_default();
    places(conn, ladder, list, own.saturating_sub(half + 1), limit).await.map(Some)
}

/// Somebody among his neighbours in his own section and division: half of the page stands before him, if there are so many. None when he has no standing in the season.
pub async fn around(
    conn: &mut Conn,
    ladder: &Ladder,
    list: List,
    account: AccountId,
    limit: i64,
) -> Result<Option<Stretch>> {
    if ladder.terms.form.kind() == Kind::Position {
        return around_place(conn, ladder, list, account, limit).await;
    }
    let Some(own) = store::standings::of(conn, list.ladder, list.season, account).await? else {
        return Ok(None);
    };
    let list = List { section: own.section, division: own.division, ..list };
    let key = own.key();
    let mut standings = store::standings::just_before(conn, &list, &key, limit / 2).await?;
    // With himself it is one more than fits, if there are so many.
    let room = limit - i64::try_from(standings.len()).unwrap_or(limit);
    standings.push(own);
    standings.extend(store::standings::behind(conn, &list, Some(&key), room).await?);
    stretch(conn, list, standings, limit).await.map(Some)
}

/// A stretch out of one more than fits on it.
async fn stretch(conn: &mut Conn, list: List, mut standings: Vec<Standing>, limit: i64) -> Result<Stretch> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = standings.len() > limit;
    standings.truncate(limit);
    let before = match standings.first() {
        Some(first) => store::standings::count_before(conn, &list, &first.key()).await?,
        None => 0,
    };
    let next = standings.last().filter(|_| more).map(|last| Cursor::Key(last.key()));
    Ok(Stretch { list, first_rank: before + 1, standings, next })
}

/// All that is stored of an account's ladders, for its own export.
pub struct Export {
    /// Those that it has made.
    pub made: Vec<(Ladder, Size)>,
    /// Where it takes part, or has taken part.
    pub memberships: Vec<(LadderId, Member)>,
    /// How it did, season by season.
    pub standings: Vec<(LadderId, u32, Standing)>,
}

/// Gathers it.
pub async fn export(conn: &mut Conn, account: AccountId) -> Result<Export> {
    let made = store::ladders::made_by(conn, account).await?;
    Ok(Export {
        made: sized(conn, made).await?,
        memberships: store::members::of_account(conn, account).await?,
        standings: store::standings::all_of(conn, account).await?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_back() {
        let key = Key {
            half_points: 7,
            pairings: 5,
            won: 3,
            since: Time(1_800_000_000_123),
            account: AccountId(Uuid::from_u128(77)),
        };
        assert_eq!(key.to_string().parse::<Key>(), Ok(key));
        for wrong in
            ["", "1-2", "1-2-3-4-5", "-1-2-3-4-5", &format!("{key}-1"), &key.to_string().replace("1800", "99999999999")]
        {
            assert!(wrong.parse::<Key>().is_err(), "{wrong}");
        }
    }
}
