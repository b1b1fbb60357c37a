//! Chat in a match: two rooms, one for the players and one for those who watch, numbered each by itself.
//!
//! While the match lasts nobody is in both, since who watches could tell who plays. (Somebody with two accounts could: nothing tells those apart.) After
//! the end everybody reads both; in the room of the players only players write, so that nobody else can ring at their doors.
//!
//! A reader's list leaves out whom he shuns, in the statement that cuts the page: a page is full or the last one, whoever was left out. The writer is told
//! nothing of it: his own list, the numbers and the answers are the same.

use std::str::FromStr;

use broadside_rules::{Seat, Time};
use utoipa::ToSchema;

use super::text::Remark;
use crate::accounts::{Identity, account};
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::events::{self, kinds::ChatEvent};
use crate::ids::{AccountId, MatchId};
use crate::matches::MatchSnapshot;
use crate::matches::Matches;
use crate::player::Player;
use crate::social::store;
use crate::words::words;

/// How many messages somebody may write in a match within [`BUDGET_S`].
pub const BUDGET: i64 = 10;
/// See [`BUDGET`]; in seconds.
pub const BUDGET_S: u32 = 60;

/// A room of a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ToSchema)]
#[schema(rename_all = "kebab-case")]
pub enum Room {
    /// For those who play.
    Players,
    /// For those who watch.
    Spectators,
}

words!(Room { Players "players", Spectators "spectators" });

/// A message as its readers see it.
pub struct Said {
    /// Its number in the room.
    pub number: u32,
    /// Whose it is, by his name of today.
    pub from: Player,
    /// What it says; nothing when its author has deleted his account.
    pub text: Option<String>,
    /// When it was written.
    pub at: Time,
}

/// A message as it is stored.
pub struct Message {
    /// The match.
    pub match_id: MatchId,
    /// The room.
    pub room: Room,
    /// Its number in the room.
    pub number: u32,
    /// Whose it is.
    pub author: AccountId,
    /// What it says; nothing when its author has deleted his account.
    pub text: Option<String>,
    /// When it was written.
    pub at: Time,
}

/// What somebody wants in a room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// To read.
    Read,
    /// To write.
    Write,
}

/// A room that somebody has been let into.
pub struct Entered {
    /// Who.
    pub who: AccountId,
    /// The match.
    pub match_id: MatchId,
    /// The room.
    pub room: Room,
    /// Who plays.
    players: Vec<AccountId>,
}

/// Lets somebody into a room of a match. `not-found` when he may not see the match, `match-not-finished` for the other side's room while it lasts, `not-for-you` for
/// the players' room if he only wants to write there and never played, and for all talk of a match that was closed to him.
pub async fn enter(matches: &Matches, who: AccountId, id: MatchId, room: Room, purpose: Purpose) -> Result<Entered> {
    let snapshot = matches.read(id, Some(who)).await?;
    let terms = snapshot.terms();
    may(terms.seat_of(who), terms.spectators, snapshot.view().status().is_over(), room, purpose)?;
    Ok(Entered { who, match_id: id, room, players: players(&snapshot) })
}

fn players(snapshot: &MatchSnapshot) -> Vec<AccountId> {
    snapshot.terms().players.iter().map(|player| player.id).collect()
}

/// Whether somebody at `seat` (or at none) may do so. What is allowed once stays allowed: a match doesn't come back from its end.
fn may(seat: Option<Seat>, spectators: bool, over: bool, room: Room, purpose: Purpose) -> Result<()> {
    match (seat, room) {
        (None, _) if !spectators => Err(Error::new(
            &problem::NOT_FOR_YOU,
            "This match was closed to spectators, and so is what was said in it.",
        )),
        (Some(_), Room::Players) | (None, Room::Spectators) => Ok(()),
        _ if !over => {
            let detail = "Players and spectators read each other's room when the match is over.";
            Err(Error::new(&problem::MATCH_NOT_FINISHED, detail))
        }
        (None, Room::Players) if purpose == Purpose::Write => {
            Err(Error::new(&problem::NOT_FOR_YOU, "Only those who played write in the players' room."))
        }
        _ => Ok(()),
    }
}

/// Which messages to list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stretch {
    /// The newest first, from below this number on (or from the newest).
    Before(Option<u32>),
    /// The oldest first, from above this number on.
    After(u32),
}

/// Some messages of a room as its reader sees it.
pub async fn list(conn: &mut Conn, entered: &Entered, stretch: Stretch, limit: i64) -> Result<Vec<Said>> {
    store::chat::page(conn, entered.match_id, entered.room, entered.who, stretch, limit).await
}

/// Says something. Too much in a minute is `too-many-requests`. In the room of the players the others hear of it, but for those who shun the author.
pub async fn say(tx: &mut Tx, ctx: &Context, who: &Identity, entered: &Entered, text: Remark) -> Result<Said> {
    account::lock_active(tx, ctx, who.account).await?;
    let Entered { match_id, room, .. } = *entered;
    let now = ctx.clock.now();
    // The room is locked first, so that of two messages at once the second is counted after the first.
    let number = store::chat::next_number(tx, match_id, room).await?;
    within_budget(tx, ctx, who.account, match_id, now).await?;
    let text = text.as_str().to_owned();
    let message = Message { match_id, room, number, author: who.account, text: Some(text.clone()), at: now };
    store::chat::insert(tx, &message).await?;
    if room == Room::Players {
        let hearers = store::blocks::hearers_of(tx, who.account, &entered.players).await?;
        let event = ChatEvent::at(now, match_id, room.word(), who.account, number, Some(text.clone())).into();
        let told = hearers.into_iter().map(|hearer| events::told(hearer, std::slice::from_ref(&event)));
        let told = told.filter_map(Result::transpose).collect::<Result<Vec<_>>>()?;
        events::tell(tx, ctx, told).await?;
    }
    Ok(Said { number, from: who.player(), text: Some(text), at: now })
}

async fn within_budget(tx: &mut Tx, ctx: &Context, who: AccountId, id: MatchId, now: Time) -> Result<()> {
    // Without rate limits (tests, load) this isn't limited either.
    if ctx.rate_limits.is_none() {
        return Ok(());
    }
    let since = now.plus_ms(-i64::from(BUDGET_S) * 1000);
    let of_late = store::chat::times_of_late(tx, who, id, since, BUDGET).await?;
    match of_late.last() {
        Some(oldest) if of_late.len() as i64 >= BUDGET => {
            let wait_ms = oldest.plus_s(BUDGET_S).millis_since(now).max(1);
            Err(Error::too_many(wait_ms.unsigned_abs().div_ceil(1000)))
        }
        _ => Ok(()),
    }
}

/// Every message of an account, for its own export.
pub(super) async fn all_of(conn: &mut Conn, account: AccountId) -> Result<Vec<Message>> {
    store::chat::all_of(conn, account).await
}

/// Takes the words out of all messages of an account that is being deleted. Their numbers stay, so that nothing seems to be missing.
pub(super) async fn blank(tx: &mut Tx, account: AccountId) -> Result<()> {
    store::chat::blank(tx, account).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(seat: Option<u8>, spectators: bool, over: bool, room: Room, purpose: Purpose) -> &'static str {
        may(seat.map(Seat), spectators, over, room, purpose).map_or_else(|error| error.problem().code, |()| "yes")
    }

    #[test]
    fn the_rooms_are_apart_until_the_end() {
        use Purpose::{Read, Write};
        use Room::{Players, Spectators};
        for purpose in [Read, Write] {
            for over in [false, true] {
                assert_eq!(verdict(Some(0), true, over, Players, purpose), "yes");
                assert_eq!(verdict(Some(0), false, over, Players, purpose), "yes");
                assert_eq!(verdict(None, true, over, Spectators, purpose), "yes");
                for room in [Players, Spectators] {
                    assert_eq!(verdict(None, false, over, room, purpose), "not-for-you");
                }
            }
            assert_eq!(verdict(Some(1), true, false, Spectators, purpose), "match-not-finished");
            assert_eq!(verdict(None, true, false, Players, purpose), "match-not-finished");
            assert_eq!(verdict(Some(1), true, true, Spectators, purpose), "yes");
        }
        assert_eq!(verdict(None, true, true, Players, Read), "yes");
        assert_eq!(verdict(None, true, true, Players, Write), "not-for-you");
    }
}
