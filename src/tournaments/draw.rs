//! The draw of a Swiss or table round, from the available players and the requested byes, under the lock of the
//! tournament's row.

use std::collections::BTreeMap;

use broadside_contests::{BoardState, ByeReason, Form, RoundPairings, Seeding, swiss};
use broadside_rules::Time;
use serde::{Deserialize, Serialize};

use super::{Board, Entrant, Tournament, byes, review, rounds, tables};
use crate::db::Tx;
use crate::error::Result;
use crate::events::Notification;

/// Starting numbers of the players who sit out, each with the half points for it.
pub type SittingOut = Vec<(u16, u8)>;

/// A Swiss round, drawn or paired by hand, by starting numbers.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct RoundPlan {
    /// Pairs of opponents, higher boards first; the first player of each moves first.
    pub games: Vec<(u16, u16)>,
    /// The player without an opponent, who gets a point.
    pub bye: Option<u16>,
    /// Requested byes, and those granted by an organizer.
    pub out: SittingOut,
}

impl RoundPlan {
    fn of(drawn: RoundPairings, out: &[(u16, u8)]) -> Self {
        Self { games: drawn.games, bye: drawn.bye, out: out.to_vec() }
    }

    /// The waiting boards of this round, followed by the byes.
    pub(super) fn boards(&self, round: u16, now: Time) -> Vec<Board> {
        let games = (1..).zip(&self.games);
        let mut boards: Vec<Board> = games
            .map(|(board, (first, second))| Board::to_be(round, board, *first, *second, BoardState::Waiting))
            .collect();
        let allocated = self.bye.map(|number| (number, (ByeReason::Allocated, 2)));
        let asked = self.out.iter().map(|(number, halves)| (*number, (ByeReason::Requested, *halves)));
        add_byes(&mut boards, round, allocated.into_iter().chain(asked), now);
        boards
    }
}

/// Adds byes after the boards of a round.
pub(super) fn add_byes(
    boards: &mut Vec<Board>,
    round: u16,
    byes: impl IntoIterator<Item = (u16, (ByeReason, u8))>,
    now: Time,
) {
    for (number, bye) in byes {
        let next = boards.iter().map(|board| board.board).max().unwrap_or(0) + 1;
        boards.push(Board::sitting_out(round, next, number, bye, now));
    }
}

/// The starting numbers of the players available for the round after these boards.
pub(super) fn playing_after(entrants: &[Entrant], boards: &[Board]) -> Vec<u16> {
    playing_after_round(entrants, boards.iter().map(|board| board.round).max().unwrap_or(0))
}

/// The starting numbers of the players available for the round after this one.
pub(super) fn playing_after_round(entrants: &[Entrant], last: u16) -> Vec<u16> {
    let plays_on = |entrant: &&Entrant| entrant.withdrawn.is_none_or(|withdrawn| withdrawn.round > last);
    let playing = entrants.iter().filter(plays_on).filter(|entrant| entrant.first_round <= last + 1);
    playing.filter_map(|entrant| entrant.number).collect()
}

/// The players available for the round after these boards, as input for the pairing.
pub(super) fn field(tournament: &Tournament, entrants: &[Entrant], boards: &[Board]) -> Vec<swiss::Entrant> {
    let mut seen: BTreeMap<u16, swiss::Entrant> = playing_after(entrants, boards)
        .into_iter()
        .map(|number| (number, swiss::Entrant { number, halves: 0, met: vec![], began: vec![], byes: 0 }))
        .collect();
    for board in boards {
        for (own, other) in [(Some(board.first), board.second), (board.second, Some(board.first))] {
            let Some(player) = own.and_then(|number| seen.get_mut(&number)) else { continue };
            let halves = board.halves_of(player.number).unwrap_or(0);
            player.halves += u32::from(halves);
            player.met.extend(other);
            if !board.unplayed && !tournament.terms.paired {
                player.began.push(board.first == player.number);
            }
            player.byes += u16::from(board.unplayed && halves == 2);
        }
    }
    seen.into_values().collect()
}

/// True if the player isn't among those who sit out.
pub(super) fn is_in(out: &[(u16, u8)], number: u16) -> bool {
    !out.iter().any(|(other, _)| *other == number)
}

/// The Swiss round that follows these boards, without those who sit out; `None` if it can't be drawn.
pub(super) fn swiss(
    tournament: &Tournament,
    entrants: &[Entrant],
    boards: &[Board],
    out: &[(u16, u8)],
) -> Option<RoundPlan> {
    let mut there = field(tournament, entrants, boards);
    there.retain(|entrant| is_in(out, entrant.number));
    let drawn = if boards.is_empty() && tournament.terms.round_terms.seeding() == Seeding::Rating {
        swiss::opening(there.into_iter().map(|entrant| entrant.number).collect())
    } else {
        swiss::pair(there)
    };
    Some(RoundPlan::of(drawn?, out))
}

/// The result of a draw.
enum Drawn {
    Plan(RoundPlan),
    Tables(Vec<Board>),
}

/// Draws the next round and begins it, or hands it to the organizers for review; `None` if no further round can be
/// drawn. The caller saves the tournament.
pub(super) async fn next_round(
    tx: &mut Tx,
    tournament: &mut Tournament,
    entrants: &[Entrant],
    boards: &[Board],
    now: Time,
) -> Result<Option<Vec<Notification>>> {
    let round = tournament.round + 1;
    let out = byes::of_round(tx, tournament, &playing_with_accounts(entrants, boards), round).await?;
    let draw = |out: &[(u16, u8)]| match tournament.terms.form {
        Form::Tables => {
            let boards = tables::round_boards(tournament, entrants, boards, (round, out), now);
            (!boards.is_empty()).then_some(Drawn::Tables(boards))
        }
        _ => swiss(tournament, entrants, boards, out).map(Drawn::Plan),
    };
    // If a round can't be drawn otherwise, requested byes are set aside.
    let drawn = draw(&out).map(|drawn| (drawn, false)).or_else(|| draw(&[]).map(|drawn| (drawn, true)));
    let Some((drawn, set_aside)) = drawn else { return Ok(None) };
    let mut told = byes::settle(tx, tournament, entrants, (round, &out), set_aside.then_some(now)).await?;
    told.extend(match drawn {
        Drawn::Plan(plan) if tournament.terms.round_terms.review_s.is_some() => {
            review::propose(tx, tournament, plan, now).await?
        }
        Drawn::Plan(plan) => {
            tournament.round = round;
            rounds::begin_round(tx, tournament, entrants, &plan.boards(round, now), now).await?
        }
        Drawn::Tables(boards) => {
            tournament.round = round;
            rounds::begin_round(tx, tournament, entrants, &boards, now).await?
        }
    });
    Ok(Some(told))
}

/// The entrants available for the round after these boards.
fn playing_with_accounts<'a>(entrants: &'a [Entrant], boards: &[Board]) -> Vec<&'a Entrant> {
    let playing = playing_after(entrants, boards);
    entrants.iter().filter(|entrant| entrant.number.is_some_and(|number| playing.contains(&number))).collect()
}

/// The players who sat out a round by request, as its draw left them out.
pub(super) fn sat_out(boards: &[Board]) -> SittingOut {
    let asked = boards.iter().filter(|board| board.bye == Some(ByeReason::Requested));
    asked.map(|board| (board.first, board.halves.map_or(0, |halves| halves[0]))).collect()
}
