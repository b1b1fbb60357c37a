//! SQL of board deadlines: the columns of a board used only for them.

use std::collections::HashMap;

use broadside_contests::BoardState;
use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::tournaments::{number, small};
use crate::db::schema::tournament_boards::{self, dsl};
use crate::db::{At, Conn, Run, Tx};
use crate::error::Result;
use crate::ids::{PairingId, TournamentId};
use crate::tournaments::round_time::RoundTime;

const UNENDED: [BoardState; 2] = [BoardState::Waiting, BoardState::Running];

/// The deadline of an unfinished board.
#[derive(Clone, Debug)]
pub struct BoardDeadline {
    pub round: u16,
    /// The board's number in the round.
    pub board: u16,
    /// Its matches; `None` until they are opened.
    pub pairing: Option<PairingId>,
    /// The start of the time.
    pub from: Time,
    /// The extension, in seconds.
    pub extra_s: u32,
    pub due_at: Time,
    /// The time of the players' warning; `None` once given.
    pub warn_at: Option<Time>,
    /// The number of the last down time counted in it.
    pub checked: i64,
}

/// Starts the time of boards whose matches are about to be opened at `now`.
pub async fn begin(tx: &mut Tx, id: TournamentId, round: RoundTime, now: Time, checked: i64) -> Result<()> {
    let due_at = round.due_at(now, 0, &[]);
    let waiting = tournament_boards::table
        .filter(dsl::tournament_id.eq(id.0))
        .filter(dsl::status.eq(BoardState::Waiting.word()))
        .filter(dsl::due_from.is_null());
    diesel::update(waiting)
        .set((
            dsl::due_from.eq(At(now)),
            dsl::due_at.eq(At(due_at)),
            dsl::due_warn_at.eq(At(round.warn_at(due_at))),
            dsl::due_checked.eq(checked),
            dsl::due_open.eq(true),
        ))
        .run(tx)
        .await
}

/// Tournaments with a deadline that has come or is near, or that doesn't include all down times up to `newest`, after
/// the given one, in order of id.
pub async fn to_watch(
    conn: &mut Conn,
    now: Time,
    newest: i64,
    behind: Option<TournamentId>,
    limit: i64,
) -> Result<Vec<TournamentId>> {
    let something = dsl::due_at.le(At(now)).or(dsl::due_warn_at.le(At(now))).or(dsl::due_checked.lt(newest).nullable());
    let mut query = tournament_boards::table
        .filter(dsl::due_open)
        .filter(dsl::status.eq_any(UNENDED.map(BoardState::word)))
        .filter(something)
        .select(dsl::tournament_id)
        .distinct()
        .into_boxed();
    if let Some(behind) = behind {
        query = query.filter(dsl::tournament_id.gt(behind.0));
    }
    let ids: Vec<Uuid> = query.order(dsl::tournament_id).limit(limit).load(conn.sql()).await?;
    Ok(ids.into_iter().map(TournamentId).collect())
}

type DeadlineRow = (i16, i16, Option<Uuid>, Option<At>, i32, Option<At>, Option<At>, i64);

/// The watched deadlines of a tournament, first round first.
pub async fn open(conn: &mut Conn, id: TournamentId) -> Result<Vec<BoardDeadline>> {
    unended(conn, id, None).await
}

/// The deadlines of a round's unfinished boards, watched or not.
pub async fn of_unended(conn: &mut Conn, id: TournamentId, round: u16) -> Result<Vec<BoardDeadline>> {
    unended(conn, id, Some(round)).await
}

async fn unended(conn: &mut Conn, id: TournamentId, round: Option<u16>) -> Result<Vec<BoardDeadline>> {
    let mut query = tournament_boards::table
        .filter(dsl::tournament_id.eq(id.0))
        .filter(dsl::status.eq_any(UNENDED.map(BoardState::word)))
        .into_boxed();
    query = match round {
        Some(round) => query.filter(dsl::round.eq(small(round))),
        None => query.filter(dsl::due_open),
    };
    let rows: Vec<DeadlineRow> = query
        .order((dsl::round, dsl::board))
        .select((
            dsl::round,
            dsl::board,
            dsl::pairing_id,
            dsl::due_from,
            dsl::due_extra_s,
            dsl::due_at,
            dsl::due_warn_at,
            dsl::due_checked,
        ))
        .load(conn.sql())
        .await?;
    let read = |(round, board, pairing, from, extra_s, due_at, warn_at, checked): DeadlineRow| {
        Some(BoardDeadline {
            round: number(round),
            board: number(board),
            pairing: pairing.map(PairingId),
            from: from?.0,
            extra_s: extra_s.unsigned_abs(),
            due_at: due_at?.0,
            warn_at: warn_at.map(|at| at.0),
            checked,
        })
    };
    Ok(rows.into_iter().filter_map(read).collect())
}

/// Stores a deadline; `open` means that it is still watched.
pub async fn save(tx: &mut Tx, id: TournamentId, deadline: &BoardDeadline, open: bool) -> Result<()> {
    diesel::update(tournament_boards::table.find((id.0, small(deadline.round), small(deadline.board))))
        .set((
            dsl::due_extra_s.eq(i32::try_from(deadline.extra_s).unwrap_or(i32::MAX)),
            dsl::due_at.eq(At(deadline.due_at)),
            dsl::due_warn_at.eq(deadline.warn_at.map(At)),
            dsl::due_checked.eq(deadline.checked),
            dsl::due_open.eq(open),
        ))
        .run(tx)
        .await
}

/// Stops watching all deadlines of the tournament.
pub async fn close_all(tx: &mut Tx, id: TournamentId) -> Result<()> {
    let own = tournament_boards::table.filter(dsl::tournament_id.eq(id.0)).filter(dsl::due_open);
    diesel::update(own).set(dsl::due_open.eq(false)).run(tx).await
}

/// The deadlines of a round's boards, by number.
pub async fn of_round(conn: &mut Conn, id: TournamentId, round: u16) -> Result<HashMap<u16, Time>> {
    let rows: Vec<(i16, At)> = tournament_boards::table
        .filter(dsl::tournament_id.eq(id.0))
        .filter(dsl::round.eq(small(round)))
        .filter(dsl::due_at.is_not_null())
        .select((dsl::board, dsl::due_at.assume_not_null()))
        .load(conn.sql())
        .await?;
    Ok(rows.into_iter().map(|(board, due_at)| (number(board), due_at.0)).collect())
}
