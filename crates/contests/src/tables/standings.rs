//! The standings of a tournament at tables: points, and the tie-breaks between players with equal points.
//!
//! | tie-break | definition |
//! |---|---|
//! | opponents' average | for each round the average points of the others at the table, added up |
//! | first places | the number of tables won alone |
//! | head to head | the results of those still equal against each other, if each two have shared as many tables |
//!
//! Sitting out, and an aborted table, count for the average as if the others had as many points as the player. An
//! absent player gets nothing of either. Players who are equal in everything share a place.

use crate::tie_breaks::{Standing, TieBreak, order, placed, split};
use crate::{Board, BoardState, Form, crosstable};

/// A player's score in a tournament at tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Score {
    /// The points, in 1/120.
    pub points: u32,
    /// The average points of the others, added up over the rounds, in 1/7200.
    pub opponents_average: u32,
    /// The number of tables won alone.
    pub first_places: u16,
    /// Head to head, in half points; `None` where it decides nothing.
    pub head_to_head: Option<u32>,
}

/// The standings of the players 1 to `players` after these boards, the best first.
pub fn standings<P>(players: u16, boards: &[Board<P>]) -> Vec<Standing> {
    let over: Vec<&Board<P>> = boards.iter().filter(|board| board.state == BoardState::Finished).collect();
    let points: Vec<u32> =
        (0..=players).map(|number| over.iter().filter_map(|board| board.share_of(number)).sum()).collect();
    let all = (1..=players).map(|number| {
        let mut standing = Standing { number, cells: crosstable::row(number, boards), ..Standing::default() };
        let mut score = Score { points: points[usize::from(number)], ..Score::default() };
        for board in over.iter().filter(|board| board.seats(number)) {
            score.opponents_average += average(board, number, &points);
            count(board, number, &mut standing);
        }
        score.first_places = standing.wins;
        Standing { tables: Some(score), ..standing }
    });
    let mut groups = split(all.collect(), |standing| standing.tables.map(|score| score.points));
    for by in order(Form::Tables) {
        groups = groups.into_iter().flat_map(|group| refine(group, *by, &over)).collect();
    }
    placed(groups)
}

/// The average points of the others at a table, in 1/7200 of a point.
fn average<P>(board: &Board<P>, number: u16, points: &[u32]) -> u32 {
    let of = |number: u16| points.get(usize::from(number)).copied().unwrap_or_default();
    match board.place_of(number) {
        Some(super::ABSENT) => 0,
        Some(_) => {
            let others: Vec<u32> =
                board.table.iter().filter(|other| **other != number).map(|other| of(*other)).collect();
            let count = u32::try_from(others.len()).unwrap_or(u32::MAX).max(1);
            others.iter().sum::<u32>() * 60 / count
        }
        None => of(number) * 60,
    }
}

/// Counts a finished table: won alone, shared, or not won.
fn count<P>(board: &Board<P>, number: u16, standing: &mut Standing) {
    let Some(place) = board.place_of(number).filter(|place| *place != super::ABSENT && !board.unplayed) else { return };
    standing.played += 1;
    let shared = board.table.iter().filter(|other| board.place_of(**other) == Some(place)).count() > 1;
    match (place, shared) {
        (1, false) => standing.wins += 1,
        (1, true) => standing.draws += 1,
        _ => standing.losses += 1,
    }
}

fn refine<P>(mut group: Vec<Standing>, by: TieBreak, over: &[&Board<P>]) -> Vec<Vec<Standing>> {
    if by == TieBreak::HeadToHead && group.len() > 1 {
        let numbers: Vec<u16> = group.iter().map(|standing| standing.number).collect();
        let others = |one: u16| numbers.iter().filter(move |two| **two != one).map(move |two| (one, *two));
        let pairs: Vec<(u16, u16)> = numbers.iter().flat_map(|one| others(*one)).collect();
        let times: Vec<usize> = pairs.iter().map(|pair| met(over, *pair).len()).collect();
        if times.first().is_some_and(|first| *first > 0 && times.iter().all(|other| other == first)) {
            for standing in &mut group {
                let own = pairs.iter().filter(|(one, _)| *one == standing.number);
                let halves: u32 = own.flat_map(|pair| met(over, *pair)).map(u32::from).sum();
                standing.tables = standing.tables.map(|score| Score { head_to_head: Some(halves), ..score });
            }
        }
    }
    split(group, |standing| standing.value(by))
}

/// The first one's half points against the second, at each table that they have shared.
fn met<P>(over: &[&Board<P>], (one, two): (u16, u16)) -> Vec<u8> {
    let mut all = Vec::new();
    for board in over.iter().filter(|board| !board.unplayed) {
        let is_there = |number: u16| board.place_of(number).is_some_and(|place| place != super::ABSENT);
        if is_there(one) && is_there(two) {
            all.extend(board.halves_against(one, two));
        }
    }
    all
}
