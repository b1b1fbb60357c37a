//! The finals: the seeds, and the knockout in starting numbers and in rounds of the tournament.

use core::cmp::Ordering;

use super::field::Field;
use crate::Board;
use crate::knockout::{self, Terms, Tie};
use crate::matching::{Graph, Matching};
use crate::tie_breaks::Standing;

/// A knockout of the qualifiers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finals {
    seeds: Vec<u16>,
    before: u16,
}

impl Finals {
    /// The finals of players whose starting numbers are in the order of their seeds, after `before` rounds.
    pub fn new(seeds: Vec<u16>, before: u16) -> Self {
        Self { seeds, before }
    }

    /// The starting numbers of the players, in the order of their seeds.
    pub fn seeds(&self) -> &[u16] {
        &self.seeds
    }

    /// The number of players.
    pub fn players(&self) -> u16 {
        u16::try_from(self.seeds.len()).unwrap_or(u16::MAX)
    }

    /// The number of rounds.
    pub fn rounds(&self) -> u16 {
        knockout::rounds(self.players())
    }

    /// Does a board belong to the finals?
    pub fn has<P>(&self, board: &Board<P>) -> bool {
        board.round > self.before
    }

    /// The tie of a board, and its number within the tie; both from 1.
    pub fn position(&self, terms: &Terms, round: u16, board: u16) -> (u16, u16) {
        knockout::position(self.players(), terms, round.saturating_sub(self.before), board)
    }

    /// All ties of all rounds of the finals; see [`knockout::bracket`].
    pub fn bracket<P>(&self, terms: &Terms, boards: &[Board<P>]) -> Vec<Vec<Tie>> {
        let mut all = knockout::bracket(self.players(), terms, &self.own(boards));
        for tie in all.iter_mut().flatten() {
            tie.round += self.before;
            tie.players = tie.players.map(|seat| seat.map(|seed| self.field().number(seed)));
            if let Some(outcome) = &mut tie.outcome {
                outcome.winner = self.field().number(outcome.winner);
                outcome.loser = outcome.loser.map(|seed| self.field().number(seed));
            }
        }
        all
    }

    /// The first boards of a round of the finals; see [`knockout::round_boards`].
    pub fn round_boards<P>(&self, terms: &Terms, round: u16, boards: &[Board<P>]) -> Vec<Board<P>> {
        let round = round.saturating_sub(self.before);
        let drawn = knockout::round_boards(self.players(), terms, round, &self.own(boards));
        drawn.into_iter().map(|board| self.field().outside(board, self.before)).collect()
    }

    /// The next board in the tie of this one; see [`knockout::next_board`].
    pub fn next_board<P>(&self, terms: &Terms, over: &Board<P>, boards: &[Board<P>]) -> Option<Board<P>> {
        let over = self.field().inside([over].into_iter(), self.before).pop()?;
        let next = knockout::next_board(self.players(), terms, &over, &self.own(boards))?;
        Some(self.field().outside(next, self.before))
    }

    /// The standings of the finals, in own numbers.
    pub(super) fn places<P>(&self, terms: &Terms, boards: &[Board<P>]) -> Vec<(u16, u16)> {
        let table = knockout::standings(self.players(), terms, &self.own(boards));
        table.into_iter().map(|standing| (self.field().number(standing.number), standing.place)).collect()
    }

    fn field(&self) -> Field<'_> {
        Field(&self.seeds)
    }

    fn own<P>(&self, boards: &[Board<P>]) -> Vec<Board<()>> {
        self.field().inside(boards.iter().filter(|board| self.has(board)), self.before)
    }
}

/// A qualifier: the group, from 0, and the starting number.
type Qualified = (usize, u16);

/// The starting numbers of the qualifiers from these tables, in the order of their seeds: the given number of each
/// group, and of further ones. `out` returns whether a player has withdrawn.
pub fn qualified(tables: &[Vec<Standing>], (of_each, best_next): (u16, u16), out: impl Fn(u16) -> bool) -> Vec<u16> {
    let mut tiers: Vec<Vec<Qualified>> = (0..=usize::from(of_each)).map(|place| tier(tables, place, &out)).collect();
    if let Some(next) = tiers.last_mut() {
        next.truncate(usize::from(best_next));
    }
    let players: usize = tiers.iter().map(Vec::len).sum();
    let rounds = knockout::rounds(u16::try_from(players).unwrap_or(u16::MAX));
    let mut seeded: Vec<Qualified> = Vec::new();
    for tier in tiers {
        let seated = seated(&tier, &seeded, rounds);
        seeded.extend(seated);
    }
    seeded.into_iter().map(|(_, number)| number).collect()
}

/// The players at a place, from 0, of the rest of each group, the best first.
fn tier(tables: &[Vec<Standing>], place: usize, out: impl Fn(u16) -> bool) -> Vec<Qualified> {
    let at_place = tables.iter().enumerate().filter_map(|(group, table)| {
        let standing = table.iter().filter(|standing| !out(standing.number)).nth(place)?;
        Some((group, standing))
    });
    let mut all: Vec<(usize, &Standing)> = at_place.collect();
    all.sort_by(|(_, one), (_, other)| compared(other, one).then(one.number.cmp(&other.number)));
    all.into_iter().map(|(group, standing)| (group, standing.number)).collect()
}

/// Compares the shares of the possible points that two players made.
fn compared(one: &Standing, other: &Standing) -> Ordering {
    let games = |standing: &Standing| {
        let counting = standing.cells.iter().filter(|cell| cell.counts && cell.opponent.is_some());
        u32::try_from(counting.count()).unwrap_or(u32::MAX).max(1)
    };
    (one.halves * games(other)).cmp(&(other.halves * games(one)))
}

/// The players of a tier in the order of their seeds, which follow those already `seeded`.
fn seated(tier: &[Qualified], seeded: &[Qualified], rounds: u16) -> Vec<Qualified> {
    let (size, bracket) = (tier.len(), knockout::places(rounds));
    // Two meet in the first round in whose part of the bracket both are.
    let meeting = |one: usize, other: usize| (bracket[one] ^ bracket[other]).ilog2() + 1;
    let first_meeting = |group: usize, seed: usize| {
        let mates = seeded.iter().enumerate().filter(|(_, mate)| mate.0 == group);
        mates.map(|(mate, _)| meeting(mate, seed)).min().unwrap_or(u32::from(rounds))
    };
    let meets: Vec<Vec<u32>> = tier
        .iter()
        .map(|(group, _)| (0..size).map(|place| first_meeting(*group, seeded.len() + place)).collect())
        .collect();
    let people: Vec<usize> = (0..size * 2).collect();
    for earliest in (1..=u32::from(rounds)).rev() {
        let may =
            |player: usize, place: usize| player < size && place >= size && meets[player][place - size] >= earliest;
        let graph = Graph::new(size * 2, may);
        let mut matching = Matching::of(&graph, &people);
        if matching.unmatched() > 0 {
            continue;
        }
        let mut places: Vec<Option<Qualified>> = vec![None; size];
        for (player, one) in tier.iter().enumerate() {
            let free = (0..size).filter(|place| places[*place].is_none()).collect::<Vec<_>>();
            if let Some(place) = free.into_iter().find(|place| matching.fix(player, size + place)) {
                places[place] = Some(*one);
            }
        }
        return places.into_iter().flatten().collect();
    }
    tier.to_vec()
}
