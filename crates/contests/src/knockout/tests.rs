//! Whole knockouts: worked by hand, and properties over random fields, terms and results.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::{Board, BoardState};

type Boards = Vec<Board<()>>;

fn terms(best_of: u16, extra_boards: u16, third_place: bool) -> Terms {
    Terms { best_of, extra_boards, third_place, ..Terms::default() }
}

#[derive(Clone, Copy, Debug)]
enum End {
    Halves([u8; 2]),
    CalledOff,
    /// Not played: one of the two, or both, had withdrawn.
    Unplayed([u8; 2]),
}

fn ends(board: &mut Board<()>, end: End) {
    board.state = BoardState::Finished;
    (board.halves, board.unplayed) = match end {
        End::Halves(halves) => (Some(halves), false),
        End::CalledOff => (None, false),
        End::Unplayed(halves) => (Some(halves), true),
    };
}

/// Plays a whole knockout like the service: board by board, each tie until it is decided.
fn played(players: u16, terms: &Terms, mut end: impl FnMut(&Board<()>) -> End) -> Boards {
    let mut boards: Boards = vec![];
    for round in 1..=rounds(players) {
        boards.extend(round_boards(players, terms, round, &boards));
        while let Some(at) = boards.iter().position(|board| board.state == BoardState::Waiting) {
            let before = bracket(players, terms, &boards);
            let end = end(&boards[at]);
            ends(&mut boards[at], end);
            let next = next_board(players, terms, &boards[at], &boards);
            boards.extend(next);
            let after = bracket(players, terms, &boards);
            for (one, other) in before.iter().flatten().zip(after.iter().flatten()) {
                assert!(one.outcome.is_none() || one.outcome == other.outcome, "what is decided stays so");
            }
        }
    }
    boards
}

/// The lower number wins.
fn seeds_win(board: &Board<()>) -> End {
    End::Halves(if Some(board.first) < board.second { [2, 0] } else { [0, 2] })
}

fn places(players: u16, terms: &Terms, boards: &Boards) -> Vec<(u16, u16)> {
    standings(players, terms, boards).iter().map(|standing| (standing.place, standing.number)).collect()
}

fn pairs(round: &[Tie]) -> Vec<[Option<u16>; 2]> {
    round.iter().map(|tie| tie.players).collect()
}

#[test]
fn six_players_and_two_byes() {
    let terms = terms(1, 0, true);
    let boards = played(6, &terms, seeds_win);
    let drawn = bracket(6, &terms, &boards);
    assert_eq!(pairs(&drawn[0]), [[Some(1), None], [Some(4), Some(5)], [Some(2), None], [Some(3), Some(6)]]);
    assert_eq!(pairs(&drawn[1]), [[Some(1), Some(4)], [Some(2), Some(3)]]);
    assert_eq!(pairs(&drawn[2]), [[Some(1), Some(2)], [Some(4), Some(3)]]);
    assert_eq!((drawn[1][1].from, drawn[2][1].from, drawn[2][1].for_third_place), (Some([3, 4]), Some([1, 2]), true));
    assert_eq!(drawn[0][0].outcome.map(|outcome| (outcome.by, outcome.loser)), Some((Decision::Bye, None)));
    assert_eq!(places(6, &terms, &boards), [(1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (5, 6)]);
    // A bye is worth nothing, and is no game.
    assert_eq!(standings(6, &terms, &boards)[0].played, 2);
}

#[test]
fn three_players_have_nobody_for_the_third_place() {
    let boards = played(3, &terms(1, 0, true), seeds_win);
    assert_eq!(bracket(3, &terms(1, 0, true), &boards)[1].len(), 1);
    assert_eq!(places(3, &terms(1, 0, true), &boards), [(1, 1), (2, 2), (3, 3)]);
}

#[test]
fn if_the_seeds_win_the_best_meet_last() {
    for players in 3..=70_u16 {
        let boards = played(players, &Terms::default(), seeds_win);
        let drawn = bracket(players, &Terms::default(), &boards);
        let last = rounds(players);
        let byes: Vec<u16> =
            drawn[0].iter().filter(|tie| tie.players[1].is_none()).filter_map(|tie| tie.players[0]).collect();
        let (count, byes) = (byes.len(), byes.into_iter().collect::<BTreeSet<u16>>());
        assert_eq!(byes, (1..=(1 << last) - players).collect::<BTreeSet<u16>>(), "{players}: the best have the byes");
        assert_eq!(count, byes.len());
        for (round, ties) in (1..).zip(&drawn) {
            let left = 1 << (last - round + 1);
            let seen: BTreeSet<u16> = ties.iter().flat_map(|tie| tie.players).flatten().collect();
            assert_eq!(seen, (1..=left.min(players)).collect::<BTreeSet<u16>>());
            let sums = ties.iter().filter_map(|tie| Some(tie.players[0]? + tie.players[1]?));
            assert!(sums.into_iter().all(|sum| sum == left + 1), "{players}, round {round}");
        }
    }
}

/// One tie of two, board by board: the number of boards, and the decision.
fn tie_of(terms: &Terms, results: &[End]) -> (usize, Option<(u16, Decision)>, Boards) {
    let mut left = results.iter().copied();
    let mut boards = round_boards::<()>(2, terms, 1, &[]);
    for end in left.by_ref() {
        let Some(at) = boards.iter().position(|board| board.state == BoardState::Waiting) else { break };
        ends(&mut boards[at], end);
        let next = next_board(2, terms, &boards[at], &boards);
        boards.extend(next);
    }
    let outcome = bracket(2, terms, &boards)[0][0].outcome.map(|outcome| (outcome.winner, outcome.by));
    (boards.len(), outcome, boards)
}

#[test]
fn a_tie_by_hand() {
    use Decision::{HigherSeed, Points, Withdrawal};
    const WON: End = End::Halves([2, 0]);
    const LOST: End = End::Halves([0, 2]);
    const DRAWN: End = End::Halves([1, 1]);
    let of = |best_of, extra, results: &[End]| {
        let (boards, outcome, _) = tie_of(&terms(best_of, extra, false), results);
        (boards, outcome)
    };
    // The mover changes, so the same player has won both: two of three are enough.
    assert_eq!(of(3, 2, &[WON, LOST]), (2, Some((1, Points))));
    assert_eq!(of(3, 2, &[WON, WON, LOST]), (3, Some((2, Points))));
    // A win and a draw leave one board, which could still make it even.
    assert_eq!(of(3, 2, &[WON, DRAWN]), (3, None));
    assert_eq!(of(3, 2, &[WON, DRAWN, LOST]), (4, None), "even after three: a further board");
    assert_eq!(of(3, 2, &[WON, DRAWN, LOST, DRAWN, LOST]), (5, Some((2, Points))));
    assert_eq!(of(1, 2, &[DRAWN, DRAWN, DRAWN]), (3, Some((1, HigherSeed))));
    assert_eq!(of(1, 0, &[DRAWN]), (1, Some((1, HigherSeed))));
    // An aborted board counts as one.
    assert_eq!(of(1, 1, &[End::CalledOff, DRAWN]), (2, Some((1, HigherSeed))));
    assert_eq!(of(3, 1, &[End::CalledOff, WON, DRAWN]), (3, Some((2, Points))));
    // An absent player loses, whatever the score; if both are absent, the higher seed goes on.
    assert_eq!(of(3, 1, &[WON, End::Unplayed([2, 0])]), (2, Some((2, Withdrawal))));
    assert_eq!(of(1, 1, &[End::Unplayed([0, 0])]), (1, Some((1, Withdrawal))));
}

#[test]
fn who_has_begun_less_often_begins() {
    // All of the first round are single boards; in the second one 1 (who began) meets 4 (who didn't, and won).
    let terms = Terms::default();
    let boards = played(8, &terms, |board| match (board.first, board.second) {
        (1, Some(8)) => End::Halves([2, 0]),
        (5, Some(4)) => End::Halves([0, 2]),
        _ => seeds_win(board),
    });
    let first: Vec<(u16, Option<u16>)> = boards.iter().map(|board| (board.first, board.second)).take(6).collect();
    assert_eq!(first[..4], [(1, Some(8)), (5, Some(4)), (2, Some(7)), (6, Some(3))]);
    assert_eq!(first[4..], [(4, Some(1)), (3, Some(2))], "neither 4 nor 3 has begun");
}

#[test]
fn semi_finalists_share_the_third_rank_until_they_have_played_for_it() {
    let terms = terms(1, 0, true);
    let mut boards = played(4, &terms, seeds_win);
    assert_eq!(places(4, &terms, &boards), [(1, 1), (2, 2), (3, 3), (4, 4)]);
    boards.retain(|board| board.round == 1);
    assert_eq!(places(4, &terms, &boards), [(1, 1), (1, 2), (3, 3), (3, 4)]);
    boards.extend(round_boards(4, &terms, 2, &boards));
    assert_eq!(
        boards.iter().map(|board| position(4, &terms, board.round, board.board)).collect::<Vec<_>>(),
        [(1, 1), (2, 1), (1, 1), (2, 1)]
    );
}

fn any_terms() -> impl Strategy<Value = Terms> {
    (0..4_u16, 0..=MAX_EXTRA_BOARDS, any::<bool>()).prop_map(|(half, extra, third)| terms(half * 2 + 1, extra, third))
}

fn any_end() -> impl Strategy<Value = End> {
    prop_oneof![
        3 => Just(End::Halves([2, 0])),
        3 => Just(End::Halves([0, 2])),
        3 => Just(End::Halves([1, 1])),
        1 => Just(End::CalledOff),
        1 => prop_oneof![Just([2, 0]), Just([0, 2]), Just([0, 0])].prop_map(End::Unplayed),
    ]
}

proptest! {
    #[test]
    fn a_knockout_of_any_field(
        players in 3..=40_u16,
        terms in any_terms(),
        results in prop::collection::vec(any_end(), 64),
    ) {
        let mut results = results.into_iter().cycle();
        let boards = played(players, &terms, |_| results.next().unwrap());
        let drawn = bracket(players, &terms, &boards);
        let third = terms.third_place && players >= 4;

        // Each remaining player sits once in each round, and one of two goes on.
        let mut still_in: BTreeSet<u16> = (1..=players).collect();
        for (round, ties) in (1_u16..).zip(&drawn) {
            let main: Vec<&Tie> = ties.iter().filter(|tie| !tie.for_third_place).collect();
            let seated: Vec<u16> = main.iter().flat_map(|tie| tie.players).flatten().collect();
            prop_assert_eq!(seated.len(), still_in.len());
            prop_assert_eq!(&seated.into_iter().collect::<BTreeSet<u16>>(), &still_in);
            still_in = main.iter().map(|tie| tie.outcome.unwrap().winner).collect();
            prop_assert_eq!(ties.len() - main.len(), usize::from(third && round == rounds(players)));
        }
        prop_assert_eq!(still_in.len(), 1);

        // Boards have numbers of their own; each tie has as many as its terms allow, the first move alternates, and a
        // board's number implies its tie.
        let numbers: BTreeSet<(u16, u16)> = boards.iter().map(|board| (board.round, board.board)).collect();
        prop_assert_eq!(numbers.len(), boards.len());
        for tie in drawn.iter().flatten().filter(|tie| tie.players[1].is_some()) {
            prop_assert!((1..=terms.best_of + terms.extra_boards).contains(&(tie.boards.len() as u16)));
            let own: Vec<&Board<()>> = tie
                .boards
                .iter()
                .map(|number| boards.iter().find(|board| (board.round, board.board) == (tie.round, *number)).unwrap())
                .collect();
            for (game, board) in (1..).zip(&own) {
                prop_assert_eq!(position(players, &terms, tie.round, board.board), (tie.tie, game));
                prop_assert!(tie.players.into_iter().flatten().all(|number| board.seats(number)));
            }
            for both in own.windows(2) {
                prop_assert_eq!(Some(both[0].first), both[1].second);
            }
            let outcome = tie.outcome.unwrap();
            let loser = outcome.loser.unwrap();
            let of = |number: u16| tie.halves[usize::from(tie.players[1] == Some(number))];
            match outcome.by {
                Decision::Points => prop_assert!(of(outcome.winner) > of(loser)),
                Decision::HigherSeed => {
                    prop_assert!(of(outcome.winner) == of(loser) && outcome.winner < loser);
                    prop_assert_eq!(tie.boards.len() as u16, terms.best_of + terms.extra_boards);
                }
                Decision::Withdrawal => prop_assert!(own.last().unwrap().unplayed),
                Decision::Bye => prop_assert!(false, "a bye has nobody to be met"),
            }
        }

        // Players eliminated in the same round share a rank.
        let ranks: Vec<u16> = standings(players, &terms, &boards).iter().map(|standing| standing.place).collect();
        let mut expected = vec![1, 2];
        for out in (1..rounds(players)).rev() {
            let rank = (1 << (rounds(players) - out)) + 1;
            let losers = if out == 1 { players - rank + 1 } else { rank - 1 };
            expected.extend((0..losers).map(|at| if rank == 3 && third { 3 + at } else { rank }));
        }
        prop_assert_eq!(ranks, expected);
    }
}
