//! The draw of a round of a Swiss, or at tables: from who can be paired, and who sits out at their own wish. All of it
//! under the lock of the tournament's row.

use std::collections::BTreeMap;

use broadside_contests::{BoardState, ByeReason, Form, RoundPairings, Seeding, swiss};
use broadside_rules::Time;
use serde::{Deserialize, Serialize};

use super::{Board, Entrant, Tournament, byes, review, rounds, tables};
use crate::db::Tx;
use crate::error::Result;
use crate::events::Notification;

/// Who sits out, by their starting numbers, and the half points for it.
pub type SittingOut = Vec<(u16, u8)>;

/// A round of a Swiss, as it is drawn or paired by hand, by starting numbers.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct RoundPlan {
    /// Who meets whom, the higher boards first; the first of each two begins.
    pub games: Vec<(u16, u16)>,
    /// Who has no opponent, for a point.
    pub bye: Option<u16>,
    /// Who sits out on request, or because an organizer has decided so.
    pub out: SittingOut,
}

impl RoundPlan {
    fn of(drawn: RoundPairings, out: &[(u16, u8)]) -> Self {
        Self { games: drawn.games, bye: drawn.bye, out: out.to_vec() }
    }

    /// The boards of this round, which wait; who sits out comes last.
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

/// Adds byes behind the boards of a round.
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

/// The starting numbers of those who can be paired in the round after these boards.
pub(super) fn playing_after(entrants: &[Entrant], boards: &[Board]) -> Vec<u16> {
    playing_after_round(entrants, boards.iter().map(|board| board.round).max().unwrap_or(0))
}

/// The starting numbers of those who can be paired in the round after this one.
pub(super) fn playing_after_round(entrants: &[Entrant], last: u16) -> Vec<u16> {
    let plays_on = |entrant: &&Entrant| entrant.withdrawn.is_none_or(|withdrawn| withdrawn.round > last);
    let playing = entrants.iter().filter(plays_on).filter(|entrant| entrant.first_round <= last + 1);
    playing.filter_map(|entrant| entrant.number).collect()
}

/// The players who can be paired in the round after these boards, as the pairing sees them.
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

/// Whether somebody isn't among those who sit out.
pub(super) fn is_in(out: &[(u16, u8)], number: u16) -> bool {
    !out.iter().any(|(other, _)| *other == number)
}

/// The round of a Swiss that follows these boards, without those who sit out; none: it can't be drawn.
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

/// What a draw gives.
enum Drawn {
    Plan(RoundPlan),
    Tables(Vec<Board>),
}

/// Draws the next round and begins it, or hands it to the organizers to look at; none: no round can be drawn any more.
/// The tournament is the caller's to save.
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
    // A round that can't be drawn otherwise is played by everybody.
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

/// The entrants who can be paired in the round after these boards.
fn playing_with_accounts<'a>(entrants: &'a [Entrant], boards: &[Board]) -> Vec<&'a Entrant> {
    let playing = playing_after(entrants, boards);
    entrants.iter().filter(|entrant| entrant.number.is_some_and(|number| playing.contains(&number))).collect()
}

/// Who has sat out a round on request: what its draw left out.
pub(super) fn sat_out(boards: &[Board]) -> SittingOut {
    let asked = boards.iter().filter(|board| board.bye == Some(ByeReason::Requested));
    asked.map(|board| (board.first, board.halves.map_or(0, |halves| halves[0]))).collect()
}
