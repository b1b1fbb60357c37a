//! Tournaments of groups, then finals: which boards a round has, and who goes on. Who is in which group, who has which
//! seed and who stands where is worked out by [`broadside_contests::groups`]; here it is stored. All of it under the
//! lock of the tournament's row.
//!
//! The rounds of the groups are made at the start, as those of a round robin. When the last of them is over, the seeds
//! of the finals are drawn and kept with the players; from then on it is a knockout of those who have one.

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
    /// Of a tournament of groups that has started: its groups.
    pub fn groups(&self) -> Option<Groups> {
        let terms = self.terms.groups.filter(|_| self.terms.form == Form::Groups && self.started_at.is_some())?;
        Some(Groups::new(&terms, self.players, self.terms.double_round_robin))
    }

    /// Of a tournament of groups whose finals are drawn: these.
    pub fn finals(&self, entrants: &[Entrant]) -> Option<Finals> {
        let groups = self.groups()?;
        let seeds = entrants.iter().filter_map(|entrant| entrant.finals_seed.zip(entrant.number));
        let mut seeds: Vec<(u16, u16)> = seeds.collect();
        seeds.sort_unstable();
        let numbers: Vec<u16> = seeds.into_iter().map(|(_, number)| number).collect();
        (!numbers.is_empty()).then(|| Finals::new(numbers, groups.rounds()))
    }

    /// Of a board of a group: its group.
    pub fn group_of(&self, board: &Board) -> Option<u16> {
        self.groups().filter(|groups| board.round <= groups.rounds()).map(|groups| groups.of(board.first))
    }

    /// Whether the round that is on is one of a knockout: its ties go on board by board.
    pub(super) fn is_in_knockout(&self) -> bool {
        match self.terms.form {
            Form::Knockout => true,
            Form::Groups => self.groups().is_some_and(|groups| self.round > groups.rounds()),
            Form::RoundRobin | Form::Swiss | Form::Tables => false,
        }
    }

    /// Of a tournament of groups: whether the round that follows the one that is on is one of the finals.
    pub(super) fn are_finals_next(&self) -> bool {
        self.groups().is_some_and(|groups| self.round >= groups.rounds())
    }
}

/// All rounds of the groups: those that have come wait, those of later rounds are planned.
pub(super) fn all_boards(tournament: &mut Tournament, groups: &Groups, now: Time) -> Vec<Board> {
    let finals = Finals::new((1..=groups.expected()).collect(), groups.rounds());
    tournament.round = if tournament.terms.all_rounds_at_once { groups.rounds() } else { 1 };
    tournament.rounds = Some(groups.rounds() + finals.rounds());
    (1..=groups.rounds()).flat_map(|round| boards_of(tournament, groups, round, now)).collect()
}

/// The boards of a round of the groups: group by group, of each the bye last.
fn boards_of(tournament: &Tournament, groups: &Groups, round: u16, now: Time) -> Vec<Board> {
    let drawn = groups.round(round).into_iter();
    let boards = drawn.flat_map(|of_group| rounds::boards_of(tournament, round, of_group, now));
    (1..).zip(boards).map(|(number, board)| Board { board: number, ..board }).collect()
}

/// The boards with which a round begins, as it is drawn from what came before.
pub(super) fn drawn(tournament: &Tournament, entrants: &[Entrant], before: &[Board], round: u16) -> Vec<Board> {
    let Some(groups) = tournament.groups() else { return Vec::new() };
    if round <= groups.rounds() {
        // When a bye was over is nothing that is compared.
        return boards_of(tournament, &groups, round, tournament.created_at);
    }
    let finals = tournament.finals(entrants);
    finals.map(|finals| finals.round_boards(&tournament.knockout(), round, before)).unwrap_or_default()
}

/// The tables of the groups after these boards.
pub fn tables(groups: &Groups, entrants: &[Entrant], boards: &[Board]) -> Vec<Vec<Standing>> {
    groups.tables(&standings::strikable(entrants), boards)
}

/// The finals, as they are drawn from these boards: without those who had withdrawn when the groups were over.
pub(super) fn drawn_finals(groups: &Groups, entrants: &[Entrant], boards: &[Board]) -> Finals {
    let left = draw::playing_after_round(entrants, groups.rounds());
    groups.finals(&tables(groups, entrants, boards), |number| !left.contains(&number))
}

/// Draws the finals after the last round of the groups, and tells everybody who still plays whether they are in them.
/// The tournament is the caller's to save.
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

/// Goes on to the next round of the finals, which are drawn before the first one: the boards with which it begins, byes
/// included. Where somebody is gone the other one goes on. Empty: there are too few players for finals.
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

/// The standings of groups and finals together.
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
