//! Chat in a match: a room for the players and a room for the spectators, each with its own message numbers.
//!
//! While the match is running no account is in both rooms, since spectators could help players. (One person with two
//! accounts can't be detected.) A former player, who knows a fleet, reads the spectators' room but can't write there.
//! An account that was in the spectators' room can't take a seat of the match; the visit is recorded before it reads
//! the first message. After the end everyone reads both. Only current and former players write in the players' room,
//! because its messages notify the players.
//!
//! Pages leave out the messages of players muted or blocked by the reader in the query itself, so a page is full unless
//! it is the last one. The author can't notice: the author's own list, numbers and answers stay the same.

use broadside_rules::Time;
use serde::Serialize;
use utoipa::ToSchema;

use super::text::ChatText;
use crate::accounts::{Identity, account};
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::events::kinds::ChatEvent;
use crate::events::words::Words;
use crate::events::{self};
use crate::ids::{AccountId, MatchId};
use crate::matches::{MatchSnapshot, Matches, Part, hand_over};
use crate::player::Player;
use crate::quotas::{self, Quota};
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

pub struct StoredChatMessage {
    pub match_id: MatchId,
    pub room: ChatRoom,
    /// Its number in the room, from 1.
    pub number: u32,
    pub author: AccountId,
    /// The text; `None` when the author has deleted the account.
    pub text: Option<String>,
    pub at: Time,
}

/// An account's intent in a room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    Read,
    Write,
}

/// Permission to read or write in a room, granted only by [`enter`].
pub struct RoomAccess {
    pub who: AccountId,
    pub match_id: MatchId,
    pub room: ChatRoom,
    players: Vec<AccountId>,
    /// The reader sees later numbers only: a substitute sees messages since the handover.
    begins_after: u32,
}

/// Checks that the account may read or write in a room of a match. Fails with `not-found` when it may not see the
/// match, with `match-not-finished` for the other room while the match is running, and with `not-a-player` or
/// `closed-to-spectators` when a spectator wants to write in the players' room, or the match is closed to the account.
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
    let part = terms.part_of(who);
    check_access(part, terms.spectators, is_over, room, purpose)?;
    let is_substitute = |seat| terms.former.iter().any(|former| former.seat == seat);
    let begins_after = match (part, room) {
        (Part::Player(seat), ChatRoom::Players) if !is_over && is_substitute(seat) => {
            let mut conn = matches.db.conn().await?;
            hand_over::chat_begins_after(&mut conn, id, seat).await?
        }
        (Part::Outsider, ChatRoom::Spectators) if !is_over => {
            note_visit(matches, who, id).await?;
            // The account may have got a seat before the visit was recorded.
            let now = matches.read(id, Some(who)).await?;
            check_access(now.terms().part_of(who), terms.spectators, is_over, room, purpose)?;
            0
        }
        (Part::Player(_) | Part::FormerPlayer | Part::Outsider, ChatRoom::Players | ChatRoom::Spectators) => 0,
    };
    Ok(RoomAccess { who, match_id: id, room, players: players(&snapshot), begins_after })
}

fn players(snapshot: &MatchSnapshot) -> Vec<AccountId> {
    snapshot.terms().players.iter().map(|player| player.id).collect()
}

/// Records that the account is in the spectators' room of a running match. The lock is exclusive, and giving the
/// account a seat takes one too, so whichever comes second sees the other.
async fn note_visit(matches: &Matches, who: AccountId, id: MatchId) -> Result<()> {
    let mut conn = matches.db.conn().await?;
    if store::chat::has_visited(&mut conn, id, who).await? {
        return Ok(());
    }
    drop(conn);
    let mut tx = matches.db.begin().await?;
    account::lock_exclusively(&mut tx, who).await?;
    account::lock_existing(&mut tx, who).await?;
    store::chat::note_visit(&mut tx, id, who, matches.clock.now()).await?;
    tx.commit().await
}

/// True if the account was in the spectators' room of the match while it was running.
pub async fn was_among_spectators(conn: &mut Conn, id: MatchId, who: AccountId) -> Result<bool> {
    store::chat::has_visited(conn, id, who).await
}

/// Checks the access of an account with this part in the match. Access granted after the end is permanent, since a
/// finished match stays finished.
fn check_access(part: Part, spectators: bool, over: bool, room: ChatRoom, purpose: Purpose) -> Result<()> {
    match (part, room) {
        (Part::FormerPlayer | Part::Outsider, _) if !spectators => Err(Error::new(
            &problem::CLOSED_TO_SPECTATORS,
            "This match was closed to spectators, and so is what was said in it.",
        )),
        (Part::Player(_), ChatRoom::Players) | (Part::Outsider, ChatRoom::Spectators) => Ok(()),
        (Part::FormerPlayer, ChatRoom::Spectators) if purpose == Purpose::Read => Ok(()),
        (Part::FormerPlayer, ChatRoom::Spectators) if !over => {
            let detail = "You had a seat in this match. You can write to the spectators when the match is over.";
            Err(Error::new(&problem::MATCH_NOT_FINISHED, detail))
        }
        (Part::Player(_), ChatRoom::Spectators) | (Part::FormerPlayer | Part::Outsider, ChatRoom::Players) if !over => {
            let detail = "Players and spectators read each other's room when the match is over.";
            Err(Error::new(&problem::MATCH_NOT_FINISHED, detail))
        }
        (Part::Outsider, ChatRoom::Players) if purpose == Purpose::Write => {
            Err(Error::new(&problem::NOT_A_PLAYER, "Only those who played write in the players' room."))
        }
        (Part::Player(_) | Part::FormerPlayer, ChatRoom::Spectators)
        | (Part::FormerPlayer | Part::Outsider, ChatRoom::Players) => Ok(()),
    }
}

/// A range of message numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MessageRange {
    /// Newest first, below this number; `None`: from the newest.
    Before(Option<u32>),
    /// Oldest first, above this number.
    After(u32),
}

/// A page of a room's messages, as its reader may see them.
pub async fn list(conn: &mut Conn, access: &RoomAccess, range: MessageRange, limit: i64) -> Result<Vec<ChatMessage>> {
    let (room, begins_after) = (access.room, access.begins_after);
    store::chat::page(conn, (access.match_id, room, begins_after), access.who, range, limit).await
}

/// Sends a message. Fails with `too-many-requests` or `quota-exceeded` when the account has sent too many within a
/// minute or a day. A message in the players' room notifies the other players, except those who mute or block the
/// author.
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
    // Without rate limits (tests, load) this isn't limited either.
    if ctx.rate_limits.is_some() {
        quotas::check(tx, who.account, now, &[Quota::MessagesADay]).await?;
    }
    // The room is locked first, so that of two concurrent messages the second is counted after the first.
    let number = store::chat::next_number(tx, match_id, room).await?;
    check_rate(tx, ctx, who.account, match_id, now).await?;
    let text = text.as_str().to_owned();
    let message = StoredChatMessage { match_id, room, number, author: who.account, text: Some(text.clone()), at: now };
    store::chat::insert(tx, &message).await?;
    if room == ChatRoom::Players {
        let recipients = store::blocks::recipients_of(tx, who.account, &access.players).await?;
        let words = Words { author: who.account, text: Some(text.clone()) };
        let event = ChatEvent::at(now, match_id, room.into_str(), who.account, number, words).into();
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

/// The author and the text of a message; `None`: it does not exist, or its text is erased.
pub async fn find(
    conn: &mut Conn,
    match_id: MatchId,
    room: ChatRoom,
    number: u32,
) -> Result<Option<(AccountId, String)>> {
    let message = store::chat::find(conn, match_id, room, number).await?;
    Ok(message.and_then(|(author, text)| Some((author, text?))))
}

/// Erases the text of a message. Its number stays, so that there is no gap.
pub async fn erase(tx: &mut Tx, match_id: MatchId, room: ChatRoom, number: u32) -> Result<()> {
    store::chat::erase(tx, match_id, room, number).await
}

pub(super) async fn export(conn: &mut Conn, account: AccountId) -> Result<Vec<StoredChatMessage>> {
    store::chat::export(conn, account).await
}

/// The spectators' rooms that the account entered during the match, with the times, for its own export.
pub(super) async fn visits(conn: &mut Conn, account: AccountId) -> Result<Vec<(MatchId, Time)>> {
    store::chat::visited(conn, account).await
}

/// Deletes the room visits of a deleted account.
pub async fn forget_account(tx: &mut Tx, account: AccountId) -> Result<()> {
    store::chat::forget_visits(tx, account).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use broadside_rules::Seat;

    fn verdict(part: Part, spectators: bool, over: bool, room: ChatRoom, purpose: Purpose) -> &'static str {
        check_access(part, spectators, over, room, purpose).map_or_else(|error| error.problem().code, |()| "yes")
    }

    #[test]
    fn the_rooms_are_apart_until_the_end() {
        use ChatRoom::{Players, Spectators};
        use Part::{FormerPlayer, Outsider, Player};
        use Purpose::{Read, Write};
        let seat = Player(Seat(1));
        for purpose in [Read, Write] {
            for over in [false, true] {
                assert_eq!(verdict(seat, true, over, Players, purpose), "yes");
                assert_eq!(verdict(seat, false, over, Players, purpose), "yes");
                assert_eq!(verdict(Outsider, true, over, Spectators, purpose), "yes");
                for room in [Players, Spectators] {
                    assert_eq!(verdict(Outsider, false, over, room, purpose), "closed-to-spectators");
                    assert_eq!(verdict(FormerPlayer, false, over, room, purpose), "closed-to-spectators");
                }
            }
            assert_eq!(verdict(seat, true, false, Spectators, purpose), "match-not-finished");
            assert_eq!(verdict(seat, true, true, Spectators, purpose), "yes");
            assert_eq!(verdict(Outsider, true, false, Players, purpose), "match-not-finished");
            assert_eq!(verdict(FormerPlayer, true, false, Players, purpose), "match-not-finished");
            for room in [Players, Spectators] {
                assert_eq!(verdict(FormerPlayer, true, true, room, purpose), "yes");
            }
        }
        assert_eq!(verdict(FormerPlayer, true, false, Spectators, Read), "yes");
        assert_eq!(verdict(FormerPlayer, true, false, Spectators, Write), "match-not-finished");
        assert_eq!(verdict(Outsider, true, true, Players, Read), "yes");
        assert_eq!(verdict(Outsider, true, true, Players, Write), "not-a-player");
    }
}
