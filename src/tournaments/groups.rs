//! Tournaments of groups with finals: the boards of each round, and the players of the finals. Groups, seeds and ranks
//! are computed by [`broadside_contests::groups`] and stored here, under the lock of the tournament's row.
//!
//! The group rounds are created at the start, like those of a round robin. When the last of them is over, the seeds of
//! the finals are drawn and stored with the players; from then on it is a knockout of the seeded ones.

use broadside_contests::Form;
use broadside_contests::groups::{self, Finals, Groups};
use broadside_contests::tie_breaks::Standing;
use broadside_rules::Time;

use super::{Board, Entrant, Tournament, draw, rounds, standings, ties};
use crate::context::Context;
use crate::db::Tx;
use crate::error::Result;
use crate::events::kinds::TournamentGroupsFinishedEvent;
use crate::events::{self, AccountEvent, Notification};
use crate::tournaments::store;

impl Tournament {
    /// The groups of a tournament of groups that has started.
    pub fn groups(&self) -> Option<Groups> {
        let terms = self.terms.groups.filter(|_| self.terms.form == Form::Groups && self.started_at.is_some())?;
        Some(Groups::new(&terms, self.players, self.terms.double_round_robin))
    }

    /// The drawn finals of a tournament of groups.
    pub fn finals(&self, entrants: &[Entrant]) -> Option<Finals> {
        let groups = self.groups()?;
        let seeds = entrants.iter().filter_map(|entrant| entrant.finals_seed.zip(entrant.number));
        let mut seeds: Vec<(u16, u16)> = seeds.collect();
        seeds.sort_unstable();
        let numbers: Vec<u16> = seeds.into_iter().map(|(_, number)| number).collect();
        (!numbers.is_empty()).then(|| Finals::new(numbers, groups.rounds()))
    }

    pub fn group_of(&self, board: &Board) -> Option<u16> {
        self.groups().filter(|groups| board.round <= groups.rounds()).map(|groups| groups.of(board.first))
    }

    /// True if the current round is a knockout round: its ties continue board by board.
    pub(super) fn is_in_knockout(&self) -> bool {
        match self.terms.form {
            Form::Knockout => true,
            Form::Groups => self.groups().is_some_and(|groups| self.round > groups.rounds()),
            Form::RoundRobin | Form::Swiss | Form::Tables => false,
        }
    }

    /// For a tournament of groups: true if the next round is a round of the finals.
    pub(super) fn are_finals_next(&self) -> bool {
        self.groups().is_some_and(|groups| self.round >= groups.rounds())
    }
}

/// All group rounds: boards of the current round wait, those of later rounds are planned.
pub(super) fn all_boards(tournament: &mut Tournament, groups: &Groups, now: Time) -> Vec<Board> {
    let finals = Finals::new((1..=groups.expected()).collect(), groups.rounds());
    tournament.round = if tournament.terms.all_rounds_at_once { groups.rounds() } else { 1 };
    tournament.rounds = Some(groups.rounds() + finals.rounds());
    (1..=groups.rounds()).flat_map(|round| boards_of(tournament, groups, round, now)).collect()
}

/// The boards of a round of the groups: group by group, each with its bye last.
fn boards_of(tournament: &Tournament, groups: &Groups, round: u16, now: Time) -> Vec<Board> {
    let drawn = groups.round(round).into_iter();
    let boards = drawn.flat_map(|of_group| rounds::boards_of(tournament, round, of_group, now));
    (1..).zip(boards).map(|(number, board)| Board { board: number, ..board }).collect()
}

/// The boards with which a round begins, drawn from the preceding ones.
pub(super) fn drawn(tournament: &Tournament, entrants: &[Entrant], before: &[Board], round: u16) -> Vec<Board> {
    let Some(groups) = tournament.groups() else { return Vec::new() };
    if round <= groups.rounds() {
        // The end times of byes aren't compared.
        return boards_of(tournament, &groups, round, tournament.created_at);
    }
    let finals = tournament.finals(entrants);
    finals.map(|finals| finals.round_boards(&tournament.knockout(), round, before)).unwrap_or_default()
}

/// The tables of the groups after these boards.
pub fn tables(groups: &Groups, entrants: &[Entrant], boards: &[Board]) -> Vec<Vec<Standing>> {
    groups.tables(&standings::strikable(entrants), boards)
}

/// The finals, drawn from these boards, without players who had withdrawn by the end of the groups.
pub(super) fn drawn_finals(groups: &Groups, entrants: &[Entrant], boards: &[Board]) -> Finals {
    let left = draw::playing_after_round(entrants, groups.rounds());
    groups.finals(&tables(groups, entrants, boards), |number| !left.contains(&number))
}

/// Draws the finals after the last group round, and tells all remaining players whether they are in them. The caller
/// saves the tournament.
async fn draw_finals(
    tx: &mut Tx,
    ctx: &Context,
    tournament: &mut Tournament,
    entrants: &mut [Entrant],
    boards: &[Board],
) -> Result<Vec<Notification>> {
    let Some(groups) = tournament.groups() else { return Ok(Vec::new()) };
    let (now, finals) = (ctx.clock.now(), drawn_finals(&groups, entrants, boards));
    let tables = tables(&groups, entrants, boards);
    let mut told = Vec::new();
    for standing in tables.iter().flatten() {
        let own = entrants.iter_mut().find(|entrant| entrant.number == Some(standing.number));
        let Some(entrant) = own else { continue };
        let number = standing.number;
        entrant.finals_seed = (1..).zip(finals.seeds()).find_map(|(seed, seeded)| (*seeded == number).then_some(seed));
        if entrant.finals_seed.is_some() {
            store::players::save(tx, tournament.id, entrant).await?;
        }
        if entrant.withdrawn.is_none() {
            let (group, seed) = (groups.of(number), entrant.finals_seed);
            let event = TournamentGroupsFinishedEvent::at(now, tournament.id, group, standing.place, seed);
            told.extend(events::notification(entrant.player.id, &[AccountEvent::from(event)])?);
        }
    }
    tournament.rounds = Some(groups.rounds() + finals.rounds());
    Ok(told)
}

/// Proceeds to the next round of the finals, which are drawn before the first one: the initial boards, including byes.
/// The opponent of a player who is gone advances. Empty if there are too few players for finals.
pub(super) async fn next_of_finals(
    tx: &mut Tx,
    ctx: &Context,
    tournament: &mut Tournament,
    entrants: &mut [Entrant],
    boards: &[Board],
) -> Result<(Vec<Board>, Vec<Notification>)> {
    let told = match tournament.is_in_knockout() {
        true => Vec::new(),
        false => draw_finals(tx, ctx, tournament, entrants, boards).await?,
    };
    let Some(finals) = tournament.finals(entrants).filter(|finals| finals.rounds() > 0) else {
        return Ok((Vec::new(), told));
    };
    tournament.round += 1;
    let next = finals.round_boards(&tournament.knockout(), tournament.round, boards);
    Ok((ties::begun(next, entrants, ctx.clock.now()), told))
}

/// The joint standings of groups and finals.
pub(super) fn standings(
    tournament: &Tournament,
    groups: &Groups,
    entrants: &[Entrant],
    boards: &[Board],
) -> Vec<Standing> {
    let (finals, terms) = (tournament.finals(entrants), tournament.knockout());
    let finals = finals.as_ref().map(|finals| (finals, &terms));
    groups::standings(tables(groups, entrants, boards), groups, finals, boards)
}
