//! Tournaments at tables: the tables of a round, and their ends with or without play. Seating and scores are computed
//! by [`broadside_contests::tables`] and stored here, under the lock of the tournament's row.

use std::collections::BTreeMap;

use broadside_contests::tables::{self, ABSENT};
use broadside_contests::{BoardState, ByeReason};
use broadside_rules::Time;
use sha2::{Digest as _, Sha256};

use super::{Board, Entrant, Tournament, draw};
use crate::ids::AccountId;
use crate::pairings::Pairing;

/// The players available for the round after these boards, as input for the draw.
pub(super) fn field(entrants: &[Entrant], boards: &[Board]) -> Vec<tables::Entrant> {
    let playing = draw::playing_after(entrants, boards);
    let mut seen: BTreeMap<u16, tables::Entrant> = playing
        .into_iter()
        .map(|number| (number, tables::Entrant { number, points: 0, met: Vec::new(), byes: 0 }))
        .collect();
    for board in boards {
        for number in board.players() {
            let Some(player) = seen.get_mut(&number) else { continue };
            player.points += board.share_of(number).unwrap_or(0);
            player.met.extend(board.table.iter().filter(|other| **other != number));
            player.byes += u16::from(board.bye_reason() == Some(ByeReason::Allocated));
        }
    }
    seen.into_values().collect()
}

/// The start of the search in the draw of a round: the first eight bytes of SHA-256 of the tournament's seed and the
/// round's number in two bytes.
fn seed(tournament: &Tournament, round: u16) -> u64 {
    let hash = Sha256::new().chain_update(tournament.chance).chain_update(round.to_be_bytes()).finalize();
    hash.iter().take(8).fold(0, |seed, byte| seed << 8 | u64::from(*byte))
}

/// The tables of the round that follows these boards, and those who sit out (`out` by request); empty if there are too
/// few players for a table.
pub(super) fn round_boards(
    tournament: &Tournament,
    entrants: &[Entrant],
    boards: &[Board],
    (round, out): (u16, &[(u16, u8)]),
    now: Time,
) -> Vec<Board> {
    let seats = tournament.terms.table_seats();
    let mut field = field(entrants, boards);
    field.retain(|entrant| draw::is_in(out, entrant.number));
    let Some(drawn) = tables::draw(field, seats, round, seed(tournament, round)) else { return Vec::new() };
    let tables = (1..).zip(drawn.tables).map(|(board, table)| Board::table(round, board, table, BoardState::Waiting));
    let mut all: Vec<Board> = tables.collect();
    let left_over = drawn.out.into_iter().map(|number| (number, (ByeReason::Allocated, 1)));
    let asked = out.iter().map(|(number, halves)| (*number, (ByeReason::Requested, *halves)));
    draw::add_byes(&mut all, round, left_over.chain(asked), now);
    all
}

/// Ends a table that hasn't begun if too few of its players are left; returns true if it has. The remaining players
/// share the first place.
pub(super) fn end_without_play(
    tournament: &Tournament,
    board: &mut Board,
    gone: &impl Fn(u16) -> bool,
    now: Time,
) -> bool {
    let there = board.table.iter().filter(|number| !gone(**number)).count();
    let (least, _) = tournament.terms.table_seats();
    if there == board.table.len() || there >= usize::from(least) {
        return false;
    }
    board.places = Some(board.table.iter().map(|number| if gone(*number) { ABSENT } else { 1 }).collect());
    board.state = BoardState::Finished;
    board.unplayed = true;
    board.over_at = Some(now);
    true
}

/// The places of a finished table, by its seats; `None` if its match was aborted. A player who did not sit down was
/// absent.
pub(super) fn places(board: &Board, entrants: &[Entrant], ended: &Pairing) -> Option<Vec<u8>> {
    let result = ended.games.first()?.result.as_ref()?;
    let place = |number: &u16| {
        let account = super::account_of(entrants, *number);
        let at = ended.players.iter().position(|player| Some(player.id) == account);
        at.and_then(|at| result.places.get(at)).copied().unwrap_or(ABSENT)
    };
    Some(board.table.iter().map(place).collect())
}

/// True if a player has missed a table: their time has run out, or the match was aborted because nobody came. A player
/// who is behind at the deadline of a round may have been sunk long before, so a deadline alone doesn't count.
pub(super) fn has_missed(account: AccountId, ended: &Pairing, at_fault: &[AccountId]) -> bool {
    ended.games.iter().all(|game| game.result.is_none() || at_fault.contains(&account))
}
