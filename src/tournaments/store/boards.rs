//! SQL of tournament boards: pairings by round, and results.

use std::collections::HashMap;

use broadside_contests::BoardState;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::tournaments::{number, small};
use crate::db::schema::{pairing_games, tournament_boards};
use crate::db::{At, Conn, PublicRead, Run, Tx};
use crate::error::{Error, Result};
use crate::ids::{MatchId, PairingId, TournamentId};
use crate::listed::Listed;
use crate::tournaments::Board;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = tournament_boards, check_for_backend(diesel::pg::Pg))]
struct Row {
    tournament_id: Uuid,
    round: i16,
    board: i16,
    first_player: i16,
    second_player: Option<i16>,
    status: String,
    pairing_id: Option<Uuid>,
    first_half_points: Option<i16>,
    second_half_points: Option<i16>,
    unplayed: bool,
    ended_at: Option<At>,
    table_seats: Option<Vec<i16>>,
    table_places: Option<Vec<i16>>,
    bye: Option<String>,
}

impl Row {
    fn of(id: TournamentId, board: &Board) -> Self {
        Self {
            tournament_id: id.0,
            round: small(board.round),
            board: small(board.board),
            first_player: small(board.first),
            second_player: board.second.map(small),
            status: board.state.word().to_owned(),
            pairing_id: board.pairing.map(|pairing| pairing.0),
            first_half_points: board.halves.map(|halves| i16::from(halves[0])),
            second_half_points: board.halves.map(|halves| i16::from(halves[1])),
            unplayed: board.unplayed,
            ended_at: board.over_at.map(At),
            table_seats: (!board.table.is_empty()).then(|| board.table.iter().map(|player| small(*player)).collect()),
            table_places: board.places.as_ref().map(|places| places.iter().map(|place| i16::from(*place)).collect()),
            bye: board.bye.map(|reason| reason.word().to_owned()),
        }
    }

    fn read(self) -> Result<Board> {
        let broken =
            || Error::internal(format!("a board of the tournament {} is in no known state", self.tournament_id));
        let halves = |halves: Option<i16>| halves.and_then(|halves| u8::try_from(halves).ok());
        let halves = halves(self.first_half_points).zip(halves(self.second_half_points));
        Ok(Board {
            round: number(self.round),
            board: number(self.board),
            first: number(self.first_player),
            second: self.second_player.map(number),
            state: self.status.parse().map_err(|_| broken())?,
            pairing: self.pairing_id.map(PairingId),
            halves: halves.map(|(first, second)| [first, second]),
            unplayed: self.unplayed,
            bye: self.bye.map(|reason| reason.parse().map_err(|_| broken())).transpose()?,
            over_at: self.ended_at.map(Into::into),
            table: self.table_seats.unwrap_or_default().into_iter().map(number).collect(),
            places: self.table_places.map(|places| places.into_iter().map(place).collect()),
        })
    }
}

/// A place at a table; an invalid value comes last.
fn place(stored: i16) -> u8 {
    u8::try_from(stored).unwrap_or(u8::MAX)
}

/// Rows per statement, which may have at most 65535 parameters.
const AT_ONCE: usize = 1000;

pub async fn insert(tx: &mut Tx, id: TournamentId, boards: &[Board]) -> Result<()> {
    for some in boards.chunks(AT_ONCE) {
        let rows: Vec<Row> = some.iter().map(|board| Row::of(id, board)).collect();
        diesel::insert_into(tournament_boards::table).values(rows).run(tx).await?;
    }
    Ok(())
}

/// Stores the state of a board.
pub async fn save(tx: &mut Tx, id: TournamentId, board: &Board) -> Result<()> {
    let row = Row::of(id, board);
    diesel::update(tournament_boards::table.find((id.0, row.round, row.board)))
        .set((
            tournament_boards::status.eq(row.status),
            tournament_boards::pairing_id.eq(row.pairing_id),
            tournament_boards::first_half_points.eq(row.first_half_points),
            tournament_boards::second_half_points.eq(row.second_half_points),
            tournament_boards::unplayed.eq(row.unplayed),
            tournament_boards::ended_at.eq(row.ended_at),
            tournament_boards::table_places.eq(row.table_places),
        ))
        .run(tx)
        .await
}

/// All boards of a tournament, or those of one round, in order.
pub async fn all(conn: &mut PublicRead, id: TournamentId, round: Option<u16>) -> Result<Vec<Board>> {
    listed(conn, id, round).await?.whole()
}

/// The readable ones of these boards.
pub async fn listed(conn: &mut PublicRead, id: TournamentId, round: Option<u16>) -> Result<Listed<Board>> {
    let mut query = tournament_boards::table
        .filter(tournament_boards::tournament_id.eq(id.0))
        .select(Row::as_select())
        .into_boxed();
    if let Some(round) = round {
        query = query.filter(tournament_boards::round.eq(small(round)));
    }
    let rows: Vec<Row> = query.order((tournament_boards::round, tournament_boards::board)).load(conn.sql()).await?;
    let read = |row: Row| (format!("{}, round {}, board {}", row.tournament_id, row.round, row.board), row.read());
    Listed::of("a board of a tournament can't be read; lists leave it out", rows.into_iter().map(read))
}

/// Boards with two players in one of these states, first round first.
pub async fn in_states(conn: &mut Conn, id: TournamentId, states: &[BoardState]) -> Result<Vec<Board>> {
    let words: Vec<&str> = states.iter().map(|state| state.word()).collect();
    let rows: Vec<Row> = tournament_boards::table
        .filter(tournament_boards::tournament_id.eq(id.0))
        .filter(tournament_boards::status.eq_any(words))
        .order((tournament_boards::round, tournament_boards::board))
        .select(Row::as_select())
        .load(conn.sql())
        .await?;
    rows.into_iter().map(Row::read).collect()
}

/// The first boards whose matches are to be opened.
pub async fn first_waiting(conn: &mut Conn, id: TournamentId, limit: i64) -> Result<Vec<Board>> {
    let rows: Vec<Row> = tournament_boards::table
        .filter(tournament_boards::tournament_id.eq(id.0))
        .filter(tournament_boards::status.eq(BoardState::Waiting.word()))
        .order((tournament_boards::round, tournament_boards::board))
        .limit(limit)
        .select(Row::as_select())
        .load(conn.sql())
        .await?;
    rows.into_iter().map(Row::read).collect()
}

/// Deletes the boards that haven't begun, and never will.
pub async fn drop_unplayed(tx: &mut Tx, id: TournamentId) -> Result<()> {
    let unplayed = tournament_boards::table
        .filter(tournament_boards::tournament_id.eq(id.0))
        .filter(tournament_boards::status.eq_any([BoardState::Planned.word(), BoardState::Waiting.word()]));
    let dropped = tournament_boards::status.eq(BoardState::Cancelled.word());
    diesel::update(unplayed).set(dropped).run(tx).await
}

/// SQL condition: the tournament isn't paused.
const GOES_ON: &str = "NOT EXISTS (SELECT FROM contest_pauses AS p \
     WHERE p.contest_id = tournament_boards.tournament_id AND NOT p.is_over)";

/// Tournaments with boards whose matches are to be opened, after the given one, in order of id.
pub async fn waiting(conn: &mut Conn, behind: Option<TournamentId>, limit: i64) -> Result<Vec<TournamentId>> {
    let mut query = tournament_boards::table
        .filter(tournament_boards::status.eq(BoardState::Waiting.word()))
        .filter(sql::<Bool>(GOES_ON))
        .select(tournament_boards::tournament_id)
        .distinct()
        .into_boxed();
    if let Some(behind) = behind {
        query = query.filter(tournament_boards::tournament_id.gt(behind.0));
    }
    let ids: Vec<Uuid> = query.order(tournament_boards::tournament_id).limit(limit).load(conn.sql()).await?;
    Ok(ids.into_iter().map(TournamentId).collect())
}

pub async fn of_pairing(conn: &mut Conn, pairing: PairingId) -> Result<Option<Board>> {
    let row: Option<Row> = tournament_boards::table
        .filter(tournament_boards::pairing_id.eq(pairing.0))
        .select(Row::as_select())
        .first(conn.sql())
        .await
        .optional()?;
    row.map(Row::read).transpose()
}

/// The matches of pairings, each in its order.
pub async fn matches_of(conn: &mut Conn, pairings: &[PairingId]) -> Result<HashMap<PairingId, Vec<MatchId>>> {
    let ids: Vec<Uuid> = pairings.iter().map(|pairing| pairing.0).collect();
    let rows: Vec<(Uuid, Uuid)> = pairing_games::table
        .filter(pairing_games::pairing_id.eq_any(ids))
        .order((pairing_games::pairing_id, pairing_games::game))
        .select((pairing_games::pairing_id, pairing_games::match_id))
        .load(conn.sql())
        .await?;
    let mut all: HashMap<PairingId, Vec<MatchId>> = HashMap::new();
    for (pairing, found) in rows {
        all.entry(PairingId(pairing)).or_default().push(MatchId(found));
    }
    Ok(all)
}
