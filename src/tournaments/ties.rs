//! The ties of a knockout, or of finals after groups: which boards a round begins with, and which board follows
//! another. Who meets whom, and what decides, is worked out from the boards by [`broadside_contests::knockout`]; here
//! it is stored. All of it under the lock of the tournament's row.

use broadside_contests::rating_algorithm::INITIAL_RATING;
use broadside_contests::{BoardState, knockout};
use broadside_rules::Time;

use super::{Board, Entrant, Tournament, rounds};
use crate::db::Tx;
use crate::error::Result;
use crate::tournaments::store;

/// The seeds of a knockout: the entrants come in the order of the lot, and leave it in the order of their seeds.
pub(super) fn seed(entrants: &mut [Entrant], seeding: knockout::Seeding) {
    match seeding {
        // Who has no rating counts as one who begins with the first one. What is equal stays in the order of the lot.
        knockout::Seeding::Rating => {
            entrants.sort_by_key(|entrant| std::cmp::Reverse(entrant.rating.unwrap_or(INITIAL_RATING as i32)));
        }
        knockout::Seeding::Entry => entrants.sort_by_key(|entrant| entrant.joined_at),
        knockout::Seeding::Lot => {}
    }
}

/// The boards with which the round that is on begins, byes included; where somebody is gone the other one goes on.
pub(super) fn round_boards(tournament: &Tournament, entrants: &[Entrant], boards: &[Board], now: Time) -> Vec<Board> {
    let next = knockout::round_boards(tournament.players, &tournament.knockout(), tournament.round, boards);
    begun(next, entrants, now)
}

/// The first boards of a round as they begin: where somebody is gone the other one goes on.
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

/// Goes on with the tie of a board that is over: with a further board, or without play if somebody is gone. The
/// tournament is the caller's to save.
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
