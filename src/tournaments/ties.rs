//! The ties of a knockout, or of finals after groups: the initial boards of a round, and the succession of boards in a
//! tie. Opponents and decisions are computed by [`broadside_contests::knockout`] from the boards and stored here, under
//! the lock of the tournament's row.

use broadside_contests::rating_algorithm::INITIAL_RATING;
use broadside_contests::{BoardState, knockout};
use broadside_rules::Time;

use super::{Board, Entrant, Tournament, rounds};
use crate::db::Tx;
use crate::error::Result;
use crate::tournaments::store;

/// Sorts the entrants of a knockout from the order of the lot into the order of their seeds.
pub(super) fn seed(entrants: &mut [Entrant], seeding: knockout::Seeding) {
    match seeding {
        // A player without a rating counts as having the initial rating. Equal ones stay in the order of the lot.
        knockout::Seeding::Rating => {
            entrants.sort_by_key(|entrant| std::cmp::Reverse(entrant.rating.unwrap_or(INITIAL_RATING as i32)));
        }
        knockout::Seeding::Entry => entrants.sort_by_key(|entrant| entrant.joined_at),
        knockout::Seeding::Lot => {}
    }
}

/// The initial boards of the current round, including byes; the opponent of a player who is gone advances.
pub(super) fn round_boards(tournament: &Tournament, entrants: &[Entrant], boards: &[Board], now: Time) -> Vec<Board> {
    let next = knockout::round_boards(tournament.players, &tournament.knockout(), tournament.round, boards);
    begun(next, entrants, now)
}

/// The first boards of a round as they begin: the opponent of a player who is gone advances.
pub(super) fn begun(mut boards: Vec<Board>, entrants: &[Entrant], now: Time) -> Vec<Board> {
    let gone = rounds::gone(entrants);
    for board in &mut boards {
        if board.second.is_none() {
            board.over_at = Some(now);
        } else {
            rounds::end_without_play(board, &gone, now);
        }
    }
    boards
}

/// Continues the tie of a finished board: with a further board, or without play if a player is gone. The caller saves
/// the tournament.
pub(super) async fn go_on(
    tx: &mut Tx,
    tournament: &mut Tournament,
    entrants: &[Entrant],
    over: &Board,
    now: Time,
) -> Result<()> {
    let boards = store::boards::all(tx, tournament.id, None).await?;
    let next = match tournament.finals(entrants) {
        Some(finals) => finals.next_board(&tournament.knockout(), over, &boards),
        None => knockout::next_board(tournament.players, &tournament.knockout(), over, &boards),
    };
    let Some(mut next) = next else { return Ok(()) };
    rounds::end_without_play(&mut next, &rounds::gone(entrants), now);
    tournament.games_left += u16::from(next.state == BoardState::Waiting);
    store::boards::insert(tx, tournament.id, &[next]).await
}
