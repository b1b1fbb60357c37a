//! The Swiss system: in each round players meet an opponent with about as many points, and nobody twice. Pairings are
//! made by the Monrad system, with these rules:
//!
//! 1. **Order.** By points, then by starting number (the lower number ranks higher).
//! 2. **Bye.** If the number of players is odd, one sits out: of those without whom the others can be paired with
//!    nobody meeting anybody twice, those with the fewest byes (wins without play included), and of these the lowest.
//! 3. **First moves.** A player who has begun two games more than not, or the last two games, must not begin; a player
//!    who has begun two games less, or neither of the last two, must begin. Two who both must, or both must not, don't
//!    meet if the whole round can be paired without that; if it can't, this rule is left out for the round.
//! 4. **Groups.** From the top, players with equal points are a group, together with those who have come down from
//!    above. As few as possible go down to the next group, and of these the lowest, so that all who stay can be paired
//!    with each other. If then the rest (who went down, and all groups below) couldn't be paired, the group and the
//!    next one are taken as one instead.
//! 5. **Pairs.** In a group the highest unpaired player meets the next one below with whom the others of the group can
//!    still be paired; and so on.
//! 6. **First player.** The player who must begin; otherwise the one who has begun less often; otherwise the one who
//!    did not begin the last game. If both have an equal claim, the latest game (counted back from the last) that one
//!    began and the other did not decides: they swap. Without such a game, the higher player's claim decides. Between
//!    two without any game the higher one begins on boards 1, 3, 5 …, the lower one on the others.
//!
//! Players seeded by ratings would meet their equals in the first round by these rules, and the best would put each
//! other out of the lead. So they have another [opening]: the upper half meets the lower half.
//!
//! There is a pairing whenever one exists in which nobody meets anybody twice. Everything follows from public facts, so
//! everybody can compute a round again. Deliberately not here: accelerated pairings, and rules against going down twice
//! in a row.

mod by_hand;

use core::cmp::Reverse;

pub use by_hand::{Round, faults};

use super::matching::{Graph, Matching};
use super::tournament::RoundPairings;

/// A player's data for the pairing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrant {
    /// The player's starting number, from 1.
    pub number: u16,
    /// The player's points, in half points.
    pub halves: u32,
    /// The starting numbers of the opponents so far.
    pub met: Vec<u16>,
    /// For each game so far, in order: did the player begin?
    pub began: Vec<bool>,
    /// The number of points without play: by a bye, or because the opponent withdrew before the game.
    pub byes: u16,
}

/// A player's claim to begin, or not to.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Claim {
    /// 3: must; 2: has begun more or less often; 1: wants a change; 0: has not played.
    strength: u8,
    begins: bool,
}

impl Entrant {
    fn claim(&self) -> Claim {
        let began = self.began.iter().filter(|began| **began).count();
        let lead = began as i64 * 2 - self.began.len() as i64;
        let (strength, begins) = match *self.began.as_slice() {
            _ if lead.abs() >= 2 => (3, lead < 0),
            [.., before, last] if before == last => (3, !last),
            _ if lead != 0 => (2, lead < 0),
            [.., last] => (1, !last),
            [] => (0, true),
        };
        Claim { strength, begins }
    }
}

/// Sorts players for pairing (rule 1).
pub fn order(entrants: &mut [Entrant]) {
    entrants.sort_by_key(|entrant| (Reverse(entrant.halves), entrant.number));
}

/// The pairings of the next round between these players, given in any order; `None`: they can no longer be paired
/// without a repeated meeting.
pub fn pair(mut entrants: Vec<Entrant>) -> Option<RoundPairings> {
    order(&mut entrants);
    let fresh = |a: usize, b: usize| !entrants[a].met.contains(&entrants[b].number);
    let loose = Graph::new(entrants.len(), fresh);
    let mut people: Vec<usize> = (0..entrants.len()).collect();
    let bye = if people.len() % 2 == 1 { Some(bye(&entrants, &loose)?) } else { None };
    people.retain(|person| Some(*person) != bye);
    if people.is_empty() || Matching::of(&loose, &people).unmatched() > 0 {
        return None;
    }
    let claims: Vec<Claim> = entrants.iter().map(Entrant::claim).collect();
    let clash = |a: usize, b: usize| claims[a].strength == 3 && claims[a] == claims[b];
    let strict = Graph::new(entrants.len(), |a, b| loose.may(a, b) && !clash(a, b));
    let graph = if Matching::of(&strict, &people).unmatched() == 0 { &strict } else { &loose };
    let pairs = by_groups(&entrants, graph, &people)?;
    let games = pairs.iter().enumerate().map(|(board, (a, b))| {
        let (high, low) = (&entrants[*a], &entrants[*b]);
        if high_begins(high, low, board) { (high.number, low.number) } else { (low.number, high.number) }
    });
    Some(RoundPairings { games: games.collect(), bye: bye.map(|person| entrants[person].number) })
}

/// The first round of players seeded by ratings, given in any order: the first of the upper half meets the first of the
/// lower half, and so on. The higher one begins on boards 1, 3, 5 …, and of an odd number the last sits out. `None` for
/// fewer than two players.
pub fn opening(mut numbers: Vec<u16>) -> Option<RoundPairings> {
    numbers.sort_unstable();
    let bye = if numbers.len() % 2 == 1 { numbers.pop() } else { None };
    let (upper, lower) = numbers.split_at(numbers.len() / 2);
    let pairs = upper.iter().copied().zip(lower.iter().copied()).enumerate();
    let games: Vec<(u16, u16)> =
        pairs.map(|(board, (high, low))| if board.is_multiple_of(2) { (high, low) } else { (low, high) }).collect();
    (!games.is_empty()).then_some(RoundPairings { games, bye })
}

/// The player with the bye (rule 2).
fn bye(entrants: &[Entrant], graph: &Graph) -> Option<usize> {
    let mut candidates: Vec<usize> = (0..entrants.len()).collect();
    candidates.sort_by_key(|person| (entrants[*person].byes, Reverse(*person)));
    candidates.into_iter().find(|out| {
        let rest: Vec<usize> = (0..entrants.len()).filter(|person| person != out).collect();
        Matching::of(graph, &rest).unmatched() == 0
    })
}

/// Pairs group by group, from the top (rule 4). All of `people` can be paired.
fn by_groups(entrants: &[Entrant], graph: &Graph, people: &[usize]) -> Option<Vec<(usize, usize)>> {
    let mut pairs = Vec::with_capacity(people.len() / 2);
    let mut group: Vec<usize> = Vec::new();
    let mut below = people;
    while let Some(first) = below.first() {
        let of_the_group = |person: &&usize| entrants[**person].halves == entrants[*first].halves;
        let length = below.iter().take_while(of_the_group).count();
        group.extend(&below[..length]);
        below = &below[length..];
        let down = going_down(graph, &group);
        let rest: Vec<usize> = down.iter().chain(below).copied().collect();
        if Matching::of(graph, &rest).unmatched() > 0 {
            continue;
        }
        group.retain(|person| !down.contains(person));
        pair_up(graph, &group, &mut pairs)?;
        group = down;
    }
    Some(pairs)
}

/// The players who go down to the next group, the highest first: as few as possible, and of those the lowest.
fn going_down(graph: &Graph, group: &[usize]) -> Vec<usize> {
    let mut matching = Matching::of(graph, group);
    let few = matching.unmatched();
    let mut down: Vec<usize> = group.iter().rev().copied().filter(|_| few > 0).collect();
    let mut left = few;
    down.retain(|person| {
        let goes = left > 0 && matching.spare(*person);
        left -= usize::from(goes);
        goes
    });
    down.reverse();
    down
}

/// Pairs a group of which everybody can be paired (rule 5).
fn pair_up(graph: &Graph, group: &[usize], pairs: &mut Vec<(usize, usize)>) -> Option<()> {
    let mut matching = Matching::of(graph, group);
    let mut waiting = group.to_vec();
    while let Some((&high, lower)) = waiting.split_first() {
        let partner = lower.iter().copied().find(|low| matching.fix(high, *low));
        let low = partner?;
        pairs.push((high, low));
        waiting.retain(|person| *person != high && *person != low);
    }
    Some(())
}

/// Does the higher one of two begin (rule 6)?
fn high_begins(high: &Entrant, low: &Entrant, board: usize) -> bool {
    let (mine, theirs) = (high.claim(), low.claim());
    if mine.strength == 0 && theirs.strength == 0 {
        return board.is_multiple_of(2);
    }
    if mine.strength != theirs.strength {
        return if mine.strength > theirs.strength { mine.begins } else { !theirs.begins };
    }
    if mine.begins != theirs.begins {
        return mine.begins;
    }
    let back = high.began.iter().rev().zip(low.began.iter().rev());
    let differing = back.into_iter().find(|(mine, theirs)| mine != theirs);
    differing.map_or(mine.begins, |(i_began, _)| !i_began)
}

#[cfg(test)]
mod tests;
