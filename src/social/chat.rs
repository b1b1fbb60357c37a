//! Chat in a match: a room for the players and a room for the spectators, each with its own message numbers.
//!
//! While the match is running nobody is in both rooms, since spectators could help players. (Somebody with two accounts
//! could be; nothing can tell.) After the end everybody reads both. Only players write in the players' room, since each
//! message there notifies the players.
//!
//! The query that reads a page leaves out the messages of players whom the reader mutes or blocks, so a page is full
//! unless it is the last one. The author learns nothing of it: the author's own list, the numbers and the answers stay
//! the same.

use broadside_rules::{Seat, Time};
use serde::Serialize;
use utoipa::ToSchema;

use super::text::ChatText;
use crate::accounts::{Identity, account};
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::events::kinds::ChatEvent;
use crate::events::{self};
use crate::ids::{AccountId, MatchId};
use crate::matches::{MatchSnapshot, Matches, hand_over};
use crate::player::Player;
use crate::social::store;
use crate::string_enums::string_enums;

/// The most messages of an account in a match within [`WINDOW_S`].
pub const MAX_IN_WINDOW: i64 = 10;
/// The window of [`MAX_IN_WINDOW`], in seconds.
pub const WINDOW_S: u32 = 60;

string_enums! {
    /// A room of a match.
    pub enum ChatRoom {
        /// For the players.
        Players,
        /// For the spectators.
        Spectators,
    }
}

/// A message of a room.
#[derive(Serialize, ToSchema)]
pub struct ChatMessage {
    /// Its number in the room.
    #[schema(minimum = 1, maximum = 2_147_483_647, format = Int32)]
    pub number: u32,
    /// The author, with the current name.
    pub author: Player,
    /// The text; null when the author has deleted the account.
    #[schema(max_length = 500, pattern = "^[^\\u0000-\\u0009\\u000b-\\u001f]+$")]
    pub text: Option<String>,
    /// When it was written.
    pub at: Time,
}

/// A message as it is stored.
pub struct StoredChatMessage {
    /// The match.
    pub match_id: MatchId,
    /// The room.
    pub room: ChatRoom,
    /// Its number in the room, from 1.
    pub number: u32,
    /// The author.
    pub author: AccountId,
    /// The text; `None` when the author has deleted the account.
    pub text: Option<String>,
    /// When it was written.
    pub at: Time,
}

/// What an account wants to do in a room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// To read.
    Read,
    /// To write.
    Write,
}

/// The permission to read or write in a room: made by [`enter`] alone.
pub struct RoomAccess {
    /// The account.
    pub who: AccountId,
    /// The match.
    pub match_id: MatchId,
    /// The room.
    pub room: ChatRoom,
    /// The players of the match.
    players: Vec<AccountId>,
    /// The reader sees messages behind this number: a substitute those since the seat was handed over.
    begins_after: u32,
}

/// Checks that the account may read or write in a room of a match. Fails with `not-found` when it may not see the
/// match, with `match-not-finished` for the other room while the match is running, and with `not-a-player` or
/// `closed-to-spectators` when a spectator wants to write in the players' room, or when the match was closed to the
/// account.
pub async fn enter(
    matches: &Matches,
    who: AccountId,
    id: MatchId,
    room: ChatRoom,
    purpose: Purpose,
) -> Result<RoomAccess> {
    let snapshot = matches.read(id, Some(who)).await?;
    let terms = snapshot.terms();
    let is_over = snapshot.view().status().is_over();
    check_access(terms.seat_of(who), terms.spectators, is_over, room, purpose)?;
    let seat = terms.seat_of(who).filter(|seat| terms.former.iter().any(|former| former.seat == *seat));
    let begins_after = match (seat, room) {
        (Some(seat), ChatRoom::Players) if !is_over => {
            let mut conn = matches.db.conn().await?;
            hand_over::chat_begins_after(&mut conn, id, seat).await?
        }
        _ => 0,
    };
    Ok(RoomAccess { who, match_id: id, room, players: players(&snapshot), begins_after })
}

fn players(snapshot: &MatchSnapshot) -> Vec<AccountId> {
    snapshot.terms().players.iter().map(|player| player.id).collect()
}

/// Whether the player at `seat`, or a spectator (`None`), may do so. What is allowed once stays allowed, since a
/// finished match stays finished.
fn check_access(seat: Option<Seat>, spectators: bool, over: bool, room: ChatRoom, purpose: Purpose) -> Result<()> {
    match (seat, room) {
        (None, _) if !spectators => Err(Error::new(
            &problem::CLOSED_TO_SPECTATORS,
            "This match was closed to spectators, and so is what was said in it.",
        )),
        (Some(_), ChatRoom::Players) | (None, ChatRoom::Spectators) => Ok(()),
        _ if !over => {
            let detail = "Players and spectators read each other's room when the match is over.";
            Err(Error::new(&problem::MATCH_NOT_FINISHED, detail))
        }
        (None, ChatRoom::Players) if purpose == Purpose::Write => {
            Err(Error::new(&problem::NOT_A_PLAYER, "Only those who played write in the players' room."))
        }
        _ => Ok(()),
    }
}

/// Selects messages by their numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MessageRange {
    /// The newest first, below this number; `None`: from the newest.
    Before(Option<u32>),
    /// The oldest first, above this number.
    After(u32),
}

/// A page of a room's messages for its reader.
pub async fn list(conn: &mut Conn, access: &RoomAccess, range: MessageRange, limit: i64) -> Result<Vec<ChatMessage>> {
    let (room, begins_after) = (access.room, access.begins_after);
    store::chat::page(conn, (access.match_id, room, begins_after), access.who, range, limit).await
}

/// Sends a message. Fails with `too-many-requests` when the account has sent too many. A message in the players' room
/// notifies the other players, except those who mute or block the author.
pub async fn send(
    tx: &mut Tx,
    ctx: &Context,
    who: &Identity,
    access: &RoomAccess,
    text: ChatText,
) -> Result<ChatMessage> {
    account::lock_active(tx, ctx, who.account).await?;
    let RoomAccess { match_id, room, .. } = *access;
    let now = ctx.clock.now();
    // The room is locked first, so that of two messages at the same time the second is counted after the first.
    let number = store::chat::next_number(tx, match_id, room).await?;
    check_rate(tx, ctx, who.account, match_id, now).await?;
    let text = text.as_str().to_owned();
    let message = StoredChatMessage { match_id, room, number, author: who.account, text: Some(text.clone()), at: now };
    store::chat::insert(tx, &message).await?;
    if room == ChatRoom::Players {
        let recipients = store::blocks::recipients_of(tx, who.account, &access.players).await?;
        let event = ChatEvent::at(now, match_id, room.into_str(), who.account, number, Some(text.clone())).into();
        let notifications =
            recipients.into_iter().map(|recipient| events::notification(recipient, std::slice::from_ref(&event)));
        let notifications = notifications.filter_map(Result::transpose).collect::<Result<Vec<_>>>()?;
        events::notify(tx, ctx, notifications).await?;
    }
    Ok(ChatMessage { number, author: who.player(), text: Some(text), at: now })
}

async fn check_rate(tx: &mut Tx, ctx: &Context, who: AccountId, id: MatchId, now: Time) -> Result<()> {
    // Without rate limits (tests, load) this isn't limited either.
    if ctx.rate_limits.is_none() {
        return Ok(());
    }
    let since = now.plus_ms(-i64::from(WINDOW_S) * 1000);
    let recent = store::chat::recent_times(tx, who, id, since, MAX_IN_WINDOW).await?;
    match recent.last() {
        Some(oldest) if recent.len() as i64 >= MAX_IN_WINDOW => {
            let wait_ms = oldest.plus_s(WINDOW_S).millis_since(now).max(1);
            Err(Error::too_many(wait_ms.unsigned_abs().div_ceil(1000)))
        }
        _ => Ok(()),
    }
}

/// The author and the text of a message; `None`: there is no such message, or its text is erased.
pub async fn find(
    conn: &mut Conn,
    match_id: MatchId,
    room: ChatRoom,
    number: u32,
) -> Result<Option<(AccountId, String)>> {
    let message = store::chat::find(conn, match_id, room, number).await?;
    Ok(message.and_then(|(author, text)| Some((author, text?))))
}

/// Every message of an account, for its own export.
pub(super) async fn export(conn: &mut Conn, account: AccountId) -> Result<Vec<StoredChatMessage>> {
    store::chat::export(conn, account).await
}

/// Erases the texts of all messages of an account that is being deleted. Their numbers stay, so that nothing seems to
/// be missing.
pub(super) async fn erase_texts(tx: &mut Tx, account: AccountId) -> Result<()> {
    store::chat::erase_texts(tx, account).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(seat: Option<u8>, spectators: bool, over: bool, room: ChatRoom, purpose: Purpose) -> &'static str {
        check_access(seat.map(Seat), spectators, over, room, purpose)
            .map_or_else(|error| error.problem().code, |()| "yes")
    }

    #[test]
    fn the_rooms_are_apart_until_the_end() {
        use ChatRoom::{Players, Spectators};
        use Purpose::{Read, Write};
        for purpose in [Read, Write] {
            for over in [false, true] {
                assert_eq!(verdict(Some(0), true, over, Players, purpose), "yes");
                assert_eq!(verdict(Some(0), false, over, Players, purpose), "yes");
                assert_eq!(verdict(None, true, over, Spectators, purpose), "yes");
                for room in [Players, Spectators] {
                    assert_eq!(verdict(None, false, over, room, purpose), "closed-to-spectators");
                }
            }
            assert_eq!(verdict(Some(1), true, false, Spectators, purpose), "match-not-finished");
            assert_eq!(verdict(None, true, false, Players, purpose), "match-not-finished");
            assert_eq!(verdict(Some(1), true, true, Spectators, purpose), "yes");
        }
        assert_eq!(verdict(None, true, true, Players, Read), "yes");
        assert_eq!(verdict(None, true, true, Players, Write), "not-a-player");
    }
}
