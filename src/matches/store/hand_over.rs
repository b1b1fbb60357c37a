//! The SQL of seat handovers.

use broadside_rules::{Seat, Time};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use serde_json::Value;
use uuid::Uuid;

use crate::db::schema::former_players;
use crate::db::{At, Conn, Run, Tx, sql};
use crate::error::{Error, Result};
use crate::ids::{AccountId, MatchId};
use crate::matches::FormerPlayer;
use crate::player::Player;

/// The query for [`former`], up to the condition that names the match.
pub(super) const FORMER: &str = "SELECT jsonb_agg(jsonb_build_array(seat, account_id, username, bot, \
     (extract(epoch FROM until_at) * 1000)::bigint) ORDER BY until_at) AS former FROM former_players ";

/// Parses the former players of a match, as read with the match.
pub(super) fn former(rows: Option<Value>) -> Result<Vec<FormerPlayer>> {
    type Row = (u8, Uuid, String, bool, i64);
    let rows: Vec<Row> = rows.map_or(Ok(Vec::new()), serde_json::from_value).map_err(Error::internal)?;
    let former = |(seat, id, username, bot, until_ms): Row| FormerPlayer {
        seat: Seat(seat),
        player: Player { id: AccountId(id), username, bot },
        until: Time(until_ms),
    };
    Ok(rows.into_iter().map(former).collect())
}

/// Gives a seat of a match to another player; the head is already locked. Does nothing if the player of the seat has
/// changed.
pub async fn seat(
    tx: &mut Tx,
    id: MatchId,
    seat: Seat,
    (from, to): (AccountId, &Player),
    rating: Option<i32>,
    at: Time,
) -> Result<()> {
    let leave = "INSERT INTO former_players (match_id, account_id, seat, username, bot, until_at, last_message) \
         SELECT s.match_id, s.account_id, s.seat, s.username, s.bot, $4, coalesce(r.newest, 0) FROM match_seats AS s \
         LEFT JOIN chat_rooms AS r ON r.match_id = s.match_id AND r.room = 'players' \
         WHERE s.match_id = $1 AND s.seat = $2 AND s.account_id = $3";
    sql!(leave, id.0, i16::from(seat.0), from.0, At(at)).run(tx).await?;
    let take = "UPDATE match_seats SET first_account_id = coalesce(first_account_id, account_id), account_id = $4, \
         username = $5, bot = $6, rating = $7, reminded_deadline = NULL, reminded_at = NULL \
         WHERE match_id = $1 AND seat = $2 AND account_id = $3";
    let name = to.username.clone();
    sql!(take, id.0, i16::from(seat.0), from.0, to.id.0, name, to.bot, rating).run(tx).await
}

/// The number of the newest message in the players' room before the last handover of a seat; 0: there was none.
pub async fn last_message_before(conn: &mut Conn, id: MatchId, seat: Seat) -> Result<u32> {
    let before = former_players::table
        .filter(former_players::match_id.eq(id.0))
        .filter(former_players::seat.eq(i16::from(seat.0)))
        .select(diesel::dsl::max(former_players::last_message));
    let newest: Option<i32> = before.first(conn.sql()).await?;
    Ok(newest.map_or(0, i32::unsigned_abs))
}
