//! The bracket: ties, their origins, the next board, and the decision.

use super::Terms;
use crate::words::words;
use crate::{Board, BoardState};

words! {
    /// What has decided a tie.
    #[cfg_attr(feature = "schema", schema(as = TieDecision))]
    pub enum Decision {
        /// More points.
        Points,
        /// Nobody had to be met.
        Bye,
        /// A player was gone; if both were, the higher seed goes on.
        Withdrawal,
        /// All boards were played, and the points were equal.
        HigherSeed,
    }
}

/// The end of a tie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The winner: goes on, or is placed higher.
    pub winner: u16,
    /// The loser; `None` after a bye.
    pub loser: Option<u16>,
    /// The deciding rule.
    pub by: Decision,
}

/// Two places of a bracket that meet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tie {
    /// The round, from 1.
    pub round: u16,
    /// Its number in the round, from 1.
    pub tie: u16,
    /// Is it the tie for the third place?
    pub for_third_place: bool,
    /// The two ties of the round before whose winners, or losers for the third place, meet here. `None` in the first
    /// round.
    pub from: Option<[u16; 2]>,
    /// The players; `None`: not known yet, or (in the first round, the second one) a bye.
    pub players: [Option<u16>; 2],
    /// Their points, in half points.
    pub halves: [u16; 2],
    /// The numbers of its boards.
    pub boards: Vec<u16>,
    /// The outcome; `None` while undecided.
    pub outcome: Option<Outcome>,
}

/// The number of rounds of a knockout.
pub fn rounds(players: u16) -> u16 {
    u16::try_from(players.max(1).next_power_of_two().ilog2()).unwrap_or(u16::MAX)
}

fn ties(players: u16, terms: &Terms, round: u16) -> u16 {
    let last = rounds(players);
    let main = 1_u16 << last.saturating_sub(round);
    // Of three players only two meet in the first round, so only one could play for the third place.
    main + u16::from(round == last && terms.third_place && players >= 4)
}

/// The tie of a board in its round, and its number within the tie; both from 1.
pub fn position(players: u16, terms: &Terms, round: u16, board: u16) -> (u16, u16) {
    let (ties, before) = (ties(players, terms, round), board.saturating_sub(1));
    (before % ties + 1, before / ties + 1)
}

/// The seeds of a bracket from top to bottom: two neighbours meet, then the winners of two neighbouring ties, and so
/// on.
fn seeds(rounds: u16) -> Vec<u16> {
    let mut order = vec![1_u16];
    for round in 1..=rounds {
        let sum = (1 << round) + 1;
        order = order.into_iter().flat_map(|seed| [seed, sum - seed]).collect();
    }
    order
}

/// The place of each seed in a bracket of this many rounds, from the top and from 0.
pub(crate) fn places(rounds: u16) -> Vec<usize> {
    let order = seeds(rounds);
    let mut places = vec![0; order.len()];
    for (place, seed) in order.into_iter().enumerate() {
        places[usize::from(seed) - 1] = place;
    }
    places
}

/// All ties of all rounds after these boards, round by round; the tie for the third place is the last one.
pub fn bracket<P>(players: u16, terms: &Terms, boards: &[Board<P>]) -> Vec<Vec<Tie>> {
    let (last, order) = (rounds(players), seeds(rounds(players)));
    let mut all: Vec<Vec<Tie>> = Vec::new();
    for round in 1..=last {
        let mut drawn = Vec::new();
        for tie in 1..=ties(players, terms, round) {
            let for_third_place = round == last && tie > 1;
            let from = (round > 1).then(|| if for_third_place { [1, 2] } else { [2 * tie - 1, 2 * tie] });
            let seat = |at: usize| match (from, all.last()) {
                (Some(from), Some(before)) => {
                    let outcome = before.get(usize::from(from[at] - 1))?.outcome?;
                    if for_third_place { outcome.loser } else { Some(outcome.winner) }
                }
                _ => order.get(usize::from(tie - 1) * 2 + at).copied().filter(|seed| *seed <= players),
            };
            let seats = [seat(0), seat(1)];
            let own: Vec<&Board<P>> = boards_of(players, terms, round, tie, boards).collect();
            let mut drawn_tie = Tie {
                round,
                tie,
                for_third_place,
                from,
                players: seats,
                halves: [0, 0],
                boards: own.iter().map(|board| board.board).collect(),
                outcome: None,
            };
            drawn_tie.halves = seats.map(|seat| seat.map_or(0, |number| halves(number, &own)));
            drawn_tie.outcome = outcome(terms, &drawn_tie, &own);
            drawn.push(drawn_tie);
        }
        all.push(drawn);
    }
    all
}

/// The boards of a tie, in the order of play.
fn boards_of<'a, P>(
    players: u16,
    terms: &Terms,
    round: u16,
    tie: u16,
    boards: &'a [Board<P>],
) -> impl Iterator<Item = &'a Board<P>> {
    let terms = *terms;
    let mut own: Vec<&Board<P>> = boards
        .iter()
        .filter(|board| board.round == round && position(players, &terms, round, board.board).0 == tie)
        .collect();
    own.sort_by_key(|board| board.board);
    own.into_iter()
}

fn halves<P>(number: u16, boards: &[&Board<P>]) -> u16 {
    boards.iter().filter_map(|board| board.halves_of(number)).map(u16::from).sum()
}

/// The outcome of a tie; `None` while undecided.
fn outcome<P>(terms: &Terms, tie: &Tie, boards: &[&Board<P>]) -> Option<Outcome> {
    let (first, second) = match tie.players {
        [Some(first), Some(second)] => (first, second),
        [Some(winner), None] if tie.from.is_none() => {
            return Some(Outcome { winner, loser: None, by: Decision::Bye });
        }
        _ => return None,
    };
    let won_by = |winner: u16, by| {
        let loser = Some(if winner == first { second } else { first });
        Some(Outcome { winner, loser, by })
    };
    let higher = first.min(second);
    let mut points = [0_u16, 0];
    for (played, board) in (1_u16..).zip(boards) {
        if board.state != BoardState::Finished {
            return None;
        }
        let got = [first, second].map(|number| u16::from(board.halves_of(number).unwrap_or(0)));
        if board.unplayed {
            let winner = match got {
                [own, other] if own > other => first,
                [own, other] if own < other => second,
                _ => higher,
            };
            return won_by(winner, Decision::Withdrawal);
        }
        points = [points[0] + got[0], points[1] + got[1]];
        let left = terms.best_of.saturating_sub(played);
        if points[0].abs_diff(points[1]) > 2 * left {
            return won_by(if points[0] > points[1] { first } else { second }, Decision::Points);
        }
        if played >= terms.best_of + terms.extra_boards {
            return won_by(higher, Decision::HigherSeed);
        }
    }
    None
}

/// The first boards of a round, byes included, after the rounds before. `boards` are all so far.
pub fn round_boards<P>(players: u16, terms: &Terms, round: u16, boards: &[Board<P>]) -> Vec<Board<P>> {
    let all = bracket(players, terms, boards);
    let drawn = all.get(usize::from(round.saturating_sub(1))).map(Vec::as_slice).unwrap_or_default();
    let begins = |tie: &Tie| match tie.players {
        [Some(one), Some(other)] => {
            let (higher, lower) = (one.min(other), one.max(other));
            let (own, others) = (lead(higher, round, boards), lead(lower, round, boards));
            let first = own < others || own == others && tie.tie % 2 == 1;
            let (first, second) = if first { (higher, lower) } else { (lower, higher) };
            Some(Board::to_be(round, tie.tie, first, second, BoardState::Waiting))
        }
        // Worth nothing: its player goes on all the same.
        [Some(first), None] => {
            let (state, halves) = (BoardState::Finished, Some([0, 0]));
            Some(Board { second: None, halves, unplayed: true, ..Board::to_be(round, tie.tie, first, 0, state) })
        }
        [None, _] => None,
    };
    drawn.iter().filter_map(begins).collect()
}

/// The boards that the player has begun before this round, less those not begun.
fn lead<P>(number: u16, round: u16, boards: &[Board<P>]) -> i32 {
    let own = boards.iter().filter(|board| board.round < round && !board.unplayed && board.seats(number));
    own.map(|board| if board.first == number { 1 } else { -1 }).sum()
}

/// The next board in the tie of this finished one; `None`: the tie is decided, or another board of it is still to be
/// played.
pub fn next_board<P>(players: u16, terms: &Terms, over: &Board<P>, boards: &[Board<P>]) -> Option<Board<P>> {
    let (number, _) = position(players, terms, over.round, over.board);
    let drawn = bracket(players, terms, boards);
    let tie = drawn.get(usize::from(over.round) - 1)?.get(usize::from(number) - 1)?;
    let own = || boards_of(players, terms, over.round, number, boards);
    if tie.outcome.is_some() || own().any(|board| board.state != BoardState::Finished) {
        return None;
    }
    let (last, second) = own().last().and_then(|last| Some((last, last.second?)))?;
    let next = last.board + ties(players, terms, over.round);
    Some(Board::to_be(over.round, next, second, last.first, BoardState::Waiting))
}
