//! The standings of a knockout, by the round reached.

use super::Terms;
use super::bracket::{Tie, bracket, rounds};
use crate::tie_breaks::{Standing, add_up};
use crate::{Board, crosstable};

/// The standings of the players 1 to `players` after these boards, the best first. Players who aren't out share the
/// first rank, or the third one while it is played for.
pub fn standings<P>(players: u16, terms: &Terms, boards: &[Board<P>]) -> Vec<Standing> {
    let all: Vec<Tie> = bracket(players, terms, boards).into_iter().flatten().collect();
    let mut table: Vec<Standing> = (1..=players)
        .map(|number| {
            let place = place(number, rounds(players), &all);
            Standing { number, place, cells: crosstable::row(number, boards), ..Standing::default() }
        })
        .collect();
    table.iter_mut().for_each(add_up);
    table.sort_by_key(|standing| (standing.place, standing.number));
    table
}

fn place(number: u16, last: u16, all: &[Tie]) -> u16 {
    let of_third_place = all.iter().filter(|tie| tie.for_third_place).find_map(|tie| tie.outcome);
    if let Some(outcome) = of_third_place {
        if outcome.winner == number {
            return 3;
        } else if outcome.loser == Some(number) {
            return 4;
        }
    }
    let lost = |tie: &&Tie| tie.outcome.is_some_and(|outcome| outcome.loser == Some(number));
    match all.iter().filter(|tie| !tie.for_third_place).find(lost) {
        // The players left after the round are placed before.
        Some(tie) => (1 << (last - tie.round)) + 1,
        None => 1,
    }
}
