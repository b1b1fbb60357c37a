//! SQL for chat rooms and their messages.

use broadside_rules::Time;
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::db::schema::{
    account_blocks, accounts, chat_messages as messages, chat_rooms as rooms, spectators_room_visits as visits,
};
use crate::db::{At, Conn, Run, Tx, rows, sql};
use crate::error::{Error, Result};
use crate::ids::{AccountId, MatchId};
use crate::player::Player;
use crate::social::chat::{MessageRange, StoredChatMessage};
use crate::social::{ChatMessage, ChatRoom};

/// The number for the next message in a room, which stays locked until the transaction ends.
pub async fn next_number(tx: &mut Tx, id: MatchId, room: ChatRoom) -> Result<u32> {
    let number: i32 = diesel::insert_into(rooms::table)
        .values((rooms::match_id.eq(id.0), rooms::room.eq(room.into_str()), rooms::newest.eq(1)))
        .on_conflict((rooms::match_id, rooms::room))
        .do_update()
        .set(rooms::newest.eq(rooms::newest + 1))
        .returning(rooms::newest)
        .get_result(tx.sql())
        .await?;
    Ok(number.unsigned_abs())
}

pub async fn insert(tx: &mut Tx, message: &StoredChatMessage) -> Result<()> {
    diesel::insert_into(messages::table)
        .values((
            messages::match_id.eq(message.match_id.0),
            messages::room.eq(message.room.into_str()),
            messages::number.eq(i32::try_from(message.number).map_err(Error::internal)?),
            messages::author_id.eq(message.author.0),
            messages::text.eq(message.text.as_deref()),
            messages::at.eq(At(message.at)),
        ))
        .run(tx)
        .await
}

/// The times of the author's messages in the match since a time, newest first, up to `limit`.
pub async fn recent_times(
    conn: &mut Conn,
    author: AccountId,
    id: MatchId,
    since: Time,
    limit: i64,
) -> Result<Vec<Time>> {
    let times: Vec<At> = messages::table
        .filter(messages::author_id.eq(author.0))
        .filter(messages::match_id.eq(id.0))
        .filter(messages::at.gt(At(since)))
        .order(messages::at.desc())
        .limit(limit)
        .select(messages::at)
        .load(conn.sql())
        .await?;
    Ok(times.into_iter().map(Time::from).collect())
}

/// A page of a room's messages after or before a number, without those of players muted or blocked by the reader.
pub async fn page(
    conn: &mut Conn,
    (id, room, begins_after): (MatchId, ChatRoom, u32),
    reader: AccountId,
    range: MessageRange,
    limit: i64,
) -> Result<Vec<ChatMessage>> {
    let blocked =
        account_blocks::table.filter(account_blocks::account_id.eq(reader.0)).select(account_blocks::other_id);
    let mut query = messages::table
        .inner_join(accounts::table.on(accounts::id.eq(messages::author_id)))
        .filter(messages::match_id.eq(id.0))
        .filter(messages::room.eq(room.into_str()))
        .filter(messages::number.gt(i32::try_from(begins_after).unwrap_or(i32::MAX)))
        .filter(messages::author_id.ne_all(blocked))
        .select((messages::number, accounts::id, accounts::username, accounts::bot, messages::text, messages::at))
        .limit(limit)
        .into_boxed();
    // No message has a number beyond the largest `i32`.
    let bound = |number: u32| i32::try_from(number).unwrap_or(i32::MAX);
    query = match range {
        MessageRange::Before(Some(number)) => {
            query.filter(messages::number.lt(bound(number))).order(messages::number.desc())
        }
        MessageRange::Before(None) => query.order(messages::number.desc()),
        MessageRange::After(number) => query.filter(messages::number.gt(bound(number))).order(messages::number.asc()),
    };
    let rows: Vec<(i32, Uuid, String, bool, Option<String>, At)> = query.load(conn.sql()).await?;
    let message = |(number, id, username, bot, text, at): (i32, Uuid, String, bool, Option<String>, At)| ChatMessage {
        number: number.unsigned_abs(),
        author: Player { id: AccountId(id), username, bot },
        text,
        at: at.0,
    };
    Ok(rows.into_iter().map(message).collect())
}

pub async fn find(
    conn: &mut Conn,
    id: MatchId,
    room: ChatRoom,
    number: u32,
) -> Result<Option<(AccountId, Option<String>)>> {
    let Ok(number) = i32::try_from(number) else { return Ok(None) };
    let row: Option<(Uuid, Option<String>)> = messages::table
        .find((id.0, room.into_str(), number))
        .select((messages::author_id, messages::text))
        .first(conn.sql())
        .await
        .optional()?;
    Ok(row.map(|(author, text)| (AccountId(author), text)))
}

pub async fn export(conn: &mut Conn, author: AccountId) -> Result<Vec<StoredChatMessage>> {
    let rows: Vec<(Uuid, String, i32, Option<String>, At)> = messages::table
        .filter(messages::author_id.eq(author.0))
        .order((messages::match_id, messages::room, messages::number))
        .select((messages::match_id, messages::room, messages::number, messages::text, messages::at))
        .load(conn.sql())
        .await?;
    let message = |(id, room, number, text, at): (Uuid, String, i32, Option<String>, At)| {
        let room = room.parse().map_err(|_| Error::internal(format!("a message in the room {room}")))?;
        Ok(StoredChatMessage { match_id: MatchId(id), room, number: number.unsigned_abs(), author, text, at: at.0 })
    };
    rows.into_iter().map(message).collect()
}

pub async fn erase(tx: &mut Tx, id: MatchId, room: ChatRoom, number: u32) -> Result<()> {
    let Ok(number) = i32::try_from(number) else { return Ok(()) };
    let message = messages::table.find((id.0, room.into_str(), number));
    diesel::update(message).set(messages::text.eq(None::<String>)).run(tx).await
}

/// True if the account has entered the spectators' room of a match.
pub async fn has_visited(conn: &mut Conn, id: MatchId, account: AccountId) -> Result<bool> {
    let visit = visits::table.find((account.0, id.0));
    Ok(diesel::select(exists(visit)).get_result(conn.sql()).await?)
}

/// Records that the account is in the spectators' room of a match.
pub async fn note_visit(tx: &mut Tx, id: MatchId, account: AccountId, now: Time) -> Result<()> {
    diesel::insert_into(visits::table)
        .values((visits::account_id.eq(account.0), visits::match_id.eq(id.0), visits::first_at.eq(At(now))))
        .on_conflict_do_nothing()
        .run(tx)
        .await
}

/// The spectators' rooms that the account entered, with the times.
pub async fn visited(conn: &mut Conn, account: AccountId) -> Result<Vec<(MatchId, Time)>> {
    let rows: Vec<(Uuid, At)> = visits::table
        .filter(visits::account_id.eq(account.0))
        .order(visits::match_id)
        .select((visits::match_id, visits::first_at))
        .load(conn.sql())
        .await?;
    Ok(rows.into_iter().map(|(id, at)| (MatchId(id), at.0)).collect())
}

pub async fn forget_visits(tx: &mut Tx, account: AccountId) -> Result<()> {
    diesel::delete(visits::table.filter(visits::account_id.eq(account.0))).run(tx).await
}

pub struct CountedRoom {
    pub id: MatchId,
    pub room: String,
    /// The number of the newest message, from the counter.
    pub newest: u64,
    /// The largest number of a message.
    pub last: u64,
    pub messages: u64,
}

rows! {
    struct RoomRow {
        match_id: Uuid,
        room: String,
        newest: i32,
        last: i32,
        messages: i64,
    }
}

/// Some rooms, after a given one, with their message numbers.
pub async fn counted_rooms(conn: &mut Conn, after: Option<(MatchId, String)>, limit: i64) -> Result<Vec<CountedRoom>> {
    let rooms = "SELECT r.match_id, r.room, r.newest, coalesce(max(m.number), 0) AS last, count(m.number) AS messages FROM \
           (SELECT match_id, room, newest FROM chat_rooms WHERE (match_id, room) > ($1, $2) ORDER BY match_id, room LIMIT $3) AS r \
         LEFT JOIN chat_messages AS m ON m.match_id = r.match_id AND m.room = r.room \
         GROUP BY r.match_id, r.room, r.newest ORDER BY r.match_id, r.room";
    let (id, room) = after.map_or((Uuid::nil(), String::new()), |(id, room)| (id.0, room));
    let rows: Vec<RoomRow> = sql!(rooms, id, room, limit).load(conn.sql()).await?;
    let read = |row: RoomRow| CountedRoom {
        id: MatchId(row.match_id),
        room: row.room,
        newest: row.newest.unsigned_abs().into(),
        last: row.last.unsigned_abs().into(),
        messages: row.messages.unsigned_abs(),
    };
    Ok(rows.into_iter().map(read).collect())
}
