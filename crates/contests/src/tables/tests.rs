//! The promises of the rules, as properties of random tournaments, and a small one worked out by hand.

use alloc::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;
use crate::BoardState;
use crate::tie_breaks::Standing;

type Board = crate::Board<()>;

fn field(players: u16) -> Vec<Entrant> {
    (1..=players).map(|number| Entrant { number, points: 0, met: vec![], byes: 0 }).collect()
}

/// Plays a round: at each table the order is by `strength`.
fn play(field: &mut [Entrant], drawn: &Round, strength: impl Fn(u16) -> u8) {
    for table in &drawn.tables {
        let place = |number: &u16| {
            let better = table.iter().filter(|other| strength(**other) > strength(*number)).count();
            u8::try_from(better + 1).unwrap()
        };
        let places: Vec<u8> = table.iter().map(place).collect();
        for (number, share) in table.iter().zip(shares(&places)) {
            let player = field.iter_mut().find(|player| player.number == *number).unwrap();
            player.points += share;
            player.met.extend(table.iter().filter(|other| *other != number));
        }
    }
    for player in field.iter_mut().filter(|player| drawn.out.contains(&player.number)) {
        player.points += SITTING_OUT;
        player.byes += 1;
    }
}

/// The number of meetings of each two.
fn meetings(field: &[Entrant]) -> BTreeMap<(u16, u16), usize> {
    let mut all = BTreeMap::new();
    for player in field {
        for other in player.met.iter().filter(|other| **other > player.number) {
            *all.entry((player.number, *other)).or_default() += 1;
        }
    }
    all
}

#[test]
fn tables_are_as_few_and_as_even_as_can_be() {
    assert_eq!(sizes(20, 3, 7), Some(vec![7, 7, 6]));
    assert_eq!(sizes(21, 3, 7), Some(vec![7, 7, 7]));
    assert_eq!(sizes(8, 3, 7), Some(vec![4, 4]));
    assert_eq!(sizes(3, 3, 7), Some(vec![3]));
    assert_eq!((sizes(5, 3, 4), sizes(4, 3, 3), sizes(2, 3, 7), sizes(0, 3, 7)), (None, None, None, None));
}

#[test]
fn points_are_the_share_of_those_whom_one_is_placed_before() {
    assert_eq!(shares(&[1, 2, 3]), [120, 60, 0]);
    assert_eq!(shares(&[2, 1, 2, 4]), [60, 120, 60, 0], "two of four share the second place");
    assert_eq!(shares(&[1, 1, 1, 1, 1, 1, 1]), [60; 7]);
    assert_eq!(shares(&[7, 6, 5, 4, 3, 2, 1]), [0, 20, 40, 60, 80, 100, 120]);
    // Two withdrawn players get nothing, though they share a place.
    assert_eq!(shares(&[1, ABSENT, 2, ABSENT]), [120, 0, 80, 0]);
}

#[test]
fn in_three_rounds_of_21_at_tables_of_7_no_two_meet_three_times() {
    // Each round makes 63 of the 210 pairs, so in three rounds some meet twice; of seven from three tables before, five
    // pairs at least meet again at each table.
    for seed in 0..6 {
        let mut field = field(21);
        for (round, least) in [(1, 0), (2, 15), (3, 30)] {
            let before = meetings(&field).values().map(|times| times * times).sum::<usize>();
            let drawn = draw(field.clone(), (3, 7), round, seed).unwrap();
            play(&mut field, &drawn, |number| (number % 5) as u8);
            let all = meetings(&field);
            assert!(all.values().all(|times| *times <= 2), "seed {seed}, round {round}");
            // A pair that meets again for the first time adds three to the squares, a new one adds one.
            let added = all.values().map(|times| times * times).sum::<usize>() - before;
            assert_eq!(added, 63 + 2 * least, "seed {seed}, round {round}: as few meet again as can be");
        }
    }
}

#[test]
fn in_nine_at_three_tables_everybody_meets_everybody_once() {
    // The affine plane of nine points has four such rounds.
    let mut field = field(9);
    for round in 1..=4 {
        let drawn = draw(field.clone(), (3, 3), round, 7).unwrap();
        play(&mut field, &drawn, |_| 0);
    }
    let all = meetings(&field);
    assert_eq!((all.len(), all.values().max()), (36, Some(&1)), "{all:?}");
}

#[test]
fn nobody_sits_out_twice_before_everybody_has_once() {
    let mut field = field(7);
    for round in 1..=7 {
        let drawn = draw(field.clone(), (3, 3), round, 1).unwrap();
        assert_eq!((drawn.tables.len(), drawn.out.len()), (2, 1));
        play(&mut field, &drawn, |number| number as u8);
    }
    assert!(field.iter().all(|player| player.byes == 1), "{field:?}");
    assert_eq!(draw(field[..2].to_vec(), (3, 3), 8, 1), None, "two are too few for a table");
}

fn over(round: u16, table: &[u16], places: Option<&[u8]>) -> Board {
    let places = places.map(<[u8]>::to_vec);
    Board { places, ..Board::table(round, 1, table.to_vec(), BoardState::Finished) }
}

#[test]
fn standings_worked_out_by_hand() {
    let bye = |round, number| Board::over(round, number, None, [1, 0], true);
    let boards = [
        over(1, &[1, 2, 3], Some(&[1, 2, 3])),
        bye(1, 4),
        over(2, &[1, 2, 4], Some(&[2, 1, 3])),
        bye(2, 3),
        // Unfinished: it counts nothing.
        Board { state: BoardState::Running, ..over(3, &[1, 2, 3], None) },
    ];
    let all = standings(4, &boards);
    let of = |number: u16| all.iter().find(|standing| standing.number == number).unwrap();
    let score = |number: u16| of(number).tables.unwrap();
    // 1: 1 + ½; 2: ½ + 1; 3: 0 + ½ for sitting out; 4: ½ + 0.
    assert_eq!([1, 2, 3, 4].map(|number| score(number).points), [180, 180, 60, 60]);
    // Of 1: (180 + 60) / 2 in each round. Of 3: (180 + 180) / 2, and 60 for the round in which they sat out.
    assert_eq!([1, 2, 3, 4].map(|number| score(number).opponents_average), [14_400, 14_400, 14_400, 14_400]);
    assert_eq!([1, 2, 3].map(|number| score(number).first_places), [1, 1, 0]);
    // 1 and 2 have met twice, and each has won once; 3 and 4 have never met.
    assert_eq!([1, 2, 3, 4].map(|number| score(number).head_to_head), [Some(2), Some(2), None, None]);
    assert_eq!(all.iter().map(|standing| standing.place).collect::<Vec<_>>(), [1, 1, 3, 3]);
    let counts = |standing: &Standing| (standing.played, standing.wins, standing.draws, standing.losses);
    assert_eq!((counts(of(1)), counts(of(3))), ((2, 1, 0, 1), (1, 0, 0, 1)));
    // The cross-table has the results two by two.
    let cells: Vec<_> = of(2).cells.iter().map(|cell| (cell.round, cell.opponent, cell.halves)).collect();
    assert_eq!(cells[..3], [(1, Some(1), Some(0)), (1, Some(3), Some(2)), (2, Some(1), Some(2))]);
}

#[test]
fn head_to_head_decides_between_those_who_are_equal_in_all_else() {
    let boards = [
        over(1, &[1, 2, 3], Some(&[2, 1, 3])),
        over(1, &[4, 5, 6], Some(&[3, 1, 2])),
        over(2, &[1, 4, 5], Some(&[1, 2, 3])),
        over(2, &[2, 6, 3], Some(&[2, 3, 1])),
    ];
    let all = standings(6, &boards);
    let score = |number: u16| all.iter().find(|standing| standing.number == number).unwrap().tables.unwrap();
    let before = |score: Score| (score.points, score.opponents_average, score.first_places);
    assert_eq!(before(score(1)), before(score(2)));
    assert_eq!((score(2).head_to_head, score(1).head_to_head), (Some(2), Some(0)));
    assert_eq!((all[0].number, all[0].place, all[1].number, all[1].place), (2, 1, 1, 2));
}

#[test]
fn a_table_that_was_called_off_counts_as_others_with_as_many_points() {
    let boards = [over(1, &[1, 2, 3], Some(&[1, 2, 3])), over(2, &[1, 2, 3], None)];
    let all = standings(3, &boards);
    let score = all[0].tables.unwrap();
    assert_eq!((score.points, score.opponents_average), (120, 60 / 2 * 60 + 120 * 60));
    assert_eq!(all[0].played, 1);
}

#[test]
fn who_had_withdrawn_before_gets_nothing_and_has_met_nobody() {
    let mut board = over(1, &[1, 2, 3, 4], Some(&[1, 2, 3, ABSENT]));
    let all = standings(4, &[board.clone()]);
    let of = |number: u16| all.iter().find(|standing| standing.number == number).unwrap();
    assert_eq!((of(4).tables.unwrap(), of(4).played), (Score::default(), 0));
    assert_eq!(of(3).tables.unwrap().points, 40, "placed before the one who is gone");
    assert!(of(3).cells.iter().any(|cell| cell.opponent == Some(4) && cell.unplayed && cell.halves == Some(2)));
    board = Board { unplayed: true, ..over(1, &[1, 2, 3, 4], Some(&[1, ABSENT, ABSENT, ABSENT])) };
    let all = standings(4, &[board]);
    assert_eq!((all[0].number, all[0].tables.unwrap().points, all[0].played), (1, 120, 0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn everybody_sits_once_at_even_tables_whatever_the_order_of_the_input(
        players in 3..30_u16, most in 3..=7_u16, seed: u64, strengths in prop::collection::vec(0..9_u8, 30), turn: usize
    ) {
        let mut field = field(players);
        for round in 1..=4 {
            let drawn = draw(field.clone(), (3, most), round, seed).unwrap();
            let mut other_order = field.clone();
            other_order.rotate_left(turn % usize::from(players));
            other_order.reverse();
            prop_assert_eq!(&draw(other_order, (3, most), round, seed).unwrap(), &drawn);
            let sizes: BTreeSet<usize> = drawn.tables.iter().map(Vec::len).collect();
            let (small, large) = (*sizes.first().unwrap(), *sizes.last().unwrap());
            prop_assert!(small >= 3 && large <= usize::from(most) && large - small <= 1, "{:?}", sizes);
            let mut seated: Vec<u16> = drawn.tables.iter().flatten().chain(&drawn.out).copied().collect();
            seated.sort_unstable();
            prop_assert_eq!(seated, (1..=players).collect::<Vec<_>>());
            play(&mut field, &drawn, |number| strengths[usize::from(number)]);
            // Every table gives half a point for each of its players.
            let points: u32 = field.iter().map(|player| player.points).sum();
            prop_assert_eq!(points, u32::from(players) * u32::from(round) * POINT / 2);
            let byes: BTreeSet<u16> = field.iter().map(|player| player.byes).collect();
            prop_assert!(byes.last().unwrap() - byes.first().unwrap() <= 1);
        }
    }
}
