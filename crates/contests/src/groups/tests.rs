//! Groups and finals: worked by hand, and properties over random fields, terms and results.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;
use crate::{BoardState, knockout};

type Boards = Vec<Board<()>>;

fn of_size(size: u16, qualifiers: u16) -> Terms {
    Terms { count: None, size: Some(size), qualifiers, best_next: 0 }
}

fn of_count(count: u16, qualifiers: u16) -> Terms {
    Terms { count: Some(count), size: None, qualifiers, best_next: 0 }
}

/// All boards of the groups, round by round, as the service makes them; `result` decides each.
fn played_groups(groups: &Groups, mut result: impl FnMut(&Board<()>) -> [u8; 2]) -> Boards {
    let mut boards: Boards = vec![];
    for round in 1..=groups.rounds() {
        let games = groups.round(round).into_iter().flat_map(|of_group| of_group.games);
        for (board, (first, second)) in (1_u16..).zip(games) {
            let mut board = Board::to_be(round, board, first, second, BoardState::Finished);
            board.halves = Some(result(&board));
            boards.push(board);
        }
    }
    boards
}

/// Plays the finals: each tie until it is decided.
fn play_finals(
    finals: &Finals,
    terms: &knockout::Terms,
    boards: &mut Boards,
    mut result: impl FnMut(&Board<()>) -> [u8; 2],
) {
    let before = boards.iter().map(|board| board.round).max().unwrap_or(0);
    for round in before + 1..=before + finals.rounds() {
        boards.extend(finals.round_boards(terms, round, boards));
        while let Some(at) = boards.iter().position(|board| board.state == BoardState::Waiting) {
            boards[at].halves = Some(result(&boards[at]));
            boards[at].state = BoardState::Finished;
            let next = finals.next_board(terms, &boards[at], boards);
            boards.extend(next);
            boards.sort_by_key(|board| (board.round, board.board));
        }
    }
}

/// The lower number wins.
fn seeds_win(board: &Board<()>) -> [u8; 2] {
    if Some(board.first) < board.second { [2, 0] } else { [0, 2] }
}

fn nobody(_: u16) -> bool {
    false
}

#[test]
fn numbers_of_groups_and_of_players() {
    let counts = |terms: Terms, players: &[u16]| players.iter().map(|all| terms.groups(*all)).collect::<Vec<_>>();
    assert_eq!(counts(of_size(4, 2), &[6, 8, 9, 12, 13, 512]), [2, 2, 3, 3, 4, 128]);
    assert_eq!(counts(of_count(8, 2), &[24, 512]), [8, 8]);
    // Five in groups of four are three and two, which is too few; ten with three qualifiers each need no group of
    // three.
    assert_eq!(
        [of_size(4, 2), of_size(4, 1), of_size(5, 3), of_count(4, 2)].map(|terms| terms.fewest()),
        [6, 6, 12, 12]
    );
    assert_eq!([of_size(4, 3), of_count(64, 8)].map(|terms| terms.fewest()), [512, 513]);
    assert_eq!([of_size(4, 2), of_count(4, 2)].map(|terms| terms.most()), [512, 64]);
}

#[test]
fn seeds_are_dealt_out_in_a_serpentine() {
    let groups = Groups::new(&of_size(4, 2), 10, false);
    assert_eq!([1, 2, 3].map(|group| groups.members(group)), [vec![1, 6, 7], vec![2, 5, 8], vec![3, 4, 9, 10]]);
    assert_eq!((groups.rounds(), Groups::new(&of_size(4, 2), 10, true).rounds()), (3, 6));
}

#[test]
fn two_groups_of_four_and_a_semi_final_worked_out_by_hand() {
    let groups = Groups::new(&of_size(4, 2), 8, false);
    // 1, 4, 5, 8 and 2, 3, 6, 7. Everybody wins as their seed says, but 4 beats 1 and loses to 8.
    let mut boards = played_groups(&groups, |board| match (board.first, board.second) {
        (1, Some(4)) | (4, Some(8)) => [0, 2],
        (4, Some(1)) | (8, Some(4)) => [2, 0],
        _ => seeds_win(board),
    });
    let tables = groups.tables(&[], &boards);
    let lines = |table: &[Standing]| table.iter().map(|one| (one.number, one.place, one.halves)).collect::<Vec<_>>();
    // 1 and 4 have two points each, and 4 has beaten 1; 5 and 8 have one each, and 5 has beaten 8.
    assert_eq!(lines(&tables[0]), [(4, 1, 4), (1, 2, 4), (5, 3, 2), (8, 4, 2)]);
    assert_eq!(lines(&tables[1]), [(2, 1, 6), (3, 2, 4), (6, 3, 2), (7, 4, 0)]);
    let before = standings(tables.clone(), &groups, None, &boards);
    assert_eq!(
        before.iter().map(|one| (one.place, one.number)).take(4).collect::<Vec<_>>(),
        [(1, 2), (1, 4), (3, 1), (3, 3)]
    );
    // 2 has made three of three, 4 two of three; the seconds are equal, and meet the winner of the other group.
    let finals = groups.finals(&tables, nobody);
    assert_eq!(finals.seeds(), [2, 4, 3, 1]);
    let terms = knockout::Terms { third_place: true, ..knockout::Terms::default() };
    play_finals(&finals, &terms, &mut boards, seeds_win);
    let pairs: Vec<(u16, u16, Option<u16>)> =
        boards[12..].iter().map(|board| (board.round, board.first, board.second)).collect();
    assert_eq!(pairs, [(4, 2, Some(1)), (4, 3, Some(4)), (5, 1, Some(3)), (5, 4, Some(2))]);
    let drawn = finals.bracket(&terms, &boards);
    assert_eq!((drawn[1][0].round, drawn[1][0].outcome.map(|outcome| outcome.winner)), (5, Some(1)));
    assert_eq!(finals.position(&terms, 5, 2), (2, 1));
    let table = standings(tables, &groups, Some((&finals, &terms)), &boards);
    let lines: Vec<(u16, u16, u32)> = table.iter().map(|one| (one.place, one.number, one.halves)).collect();
    assert_eq!(lines, [(1, 1, 8), (2, 3, 6), (3, 2, 8), (4, 4, 4), (5, 5, 2), (5, 6, 2), (7, 7, 0), (7, 8, 2)]);
    let own = table[0].group.unwrap();
    assert_eq!((own.group, own.place, own.halves, own.wins, table[0].wins), (1, 2, 4, 2, 4));
    assert_eq!(table[0].cells.iter().map(|cell| cell.round).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
}

#[test]
fn the_next_of_the_group_comes_for_one_who_has_gone() {
    let groups = Groups::new(&of_count(2, 2), 7, false);
    let boards = played_groups(&groups, seeds_win);
    let tables = groups.tables(&[], &boards);
    // 1, 4 and 5; 2, 3, 6 and 7. 3 has made a larger share than 4, and the last seed, so as to meet 2 in the final
    // only.
    assert_eq!(groups.finals(&tables, nobody).seeds(), [1, 2, 4, 3]);
    // Without 1 the second one is the first.
    assert_eq!(groups.finals(&tables, |number| number == 1).seeds(), [2, 4, 3, 5]);
    // Only one is left of the first group: three go on, and the best has a bye.
    let finals = groups.finals(&tables, |number| [1, 4].contains(&number));
    assert_eq!((finals.seeds(), finals.rounds()), (&[2, 5, 3][..], 2));
    assert_eq!(groups.finals(&tables, |_| true).rounds(), 0);
}

#[test]
fn the_best_of_those_who_come_next_go_on_as_well() {
    let terms = Terms { best_next: 2, ..of_count(3, 2) };
    assert_eq!((terms.least(), terms.fewest()), (4, 12));
    // 1, 6, 7, 12; 2, 5, 8, 11; 3, 4, 9, 10. Of the third ones 9 has lost all but one game, like 7; 8 has drawn one
    // more.
    let groups = Groups::new(&terms, 12, false);
    let boards = played_groups(&groups, |board| match (board.first, board.second) {
        (5, Some(8)) | (8, Some(5)) => [1, 1],
        _ => seeds_win(board),
    });
    let finals = groups.finals(&groups.tables(&[], &boards), nobody);
    // Winners, second ones, then 8 and 7: each of them is in the other half than their winner, or meets them late.
    assert_eq!(groups.expected(), 8);
    assert_eq!(finals.seeds()[..3], [1, 2, 3]);
    assert_eq!(finals.seeds()[6..].iter().copied().collect::<BTreeSet<u16>>(), BTreeSet::from([7, 8]));
}

#[test]
fn who_leaves_a_group_early_is_struck_out_there_and_nowhere_else() {
    let groups = Groups::new(&of_count(2, 1), 8, false);
    let mut boards = played_groups(&groups, seeds_win);
    for board in boards.iter_mut().filter(|board| board.round > 1 && board.seats(4)) {
        board.unplayed = true;
        board.halves = Some(if board.first == 4 { [0, 2] } else { [2, 0] });
    }
    let tables = groups.tables(&[4], &boards);
    assert_eq!(
        tables.iter().flatten().filter(|standing| standing.struck).map(|one| one.number).collect::<Vec<_>>(),
        [4]
    );
    assert_eq!(
        tables[0].iter().map(|one| (one.number, one.halves)).collect::<Vec<_>>(),
        [(1, 4), (5, 2), (8, 0), (4, 0)]
    );
    // Two games of two are as large a share as three of three: the lower number has the better seed.
    assert_eq!(groups.finals(&tables, |number| number == 4).seeds(), [1, 2]);
}

#[test]
fn every_number_of_players_has_even_groups_and_winners_who_meet_second_ones() {
    for players in (6..=60_u16).chain([96, 100, 128, 199]) {
        for terms in [of_size(4, 2), of_size(6, 2), of_count(2, 2)] {
            if players < terms.fewest() || players > terms.most() {
                continue;
            }
            let groups = Groups::new(&terms, players, false);
            let all: Vec<Vec<u16>> = (1..=groups.count()).map(|group| groups.members(group)).collect();
            let sizes: BTreeSet<usize> = all.iter().map(Vec::len).collect();
            assert!(sizes.len() <= 2 && sizes.last().unwrap() - sizes.first().unwrap() <= 1, "{players}: {sizes:?}");
            assert!(*sizes.first().unwrap() >= usize::from(terms.least()), "{players}: {sizes:?}");
            assert!(terms.size.is_none_or(|size| *sizes.last().unwrap() <= usize::from(size)), "{players}: {sizes:?}");
            assert_eq!(all.iter().flatten().collect::<BTreeSet<_>>().len(), usize::from(players));
            let tables = groups.tables(&[], &played_groups(&groups, seeds_win));
            let finals = groups.finals(&tables, nobody);
            let drawn = finals.bracket::<()>(&knockout::Terms::default(), &[]);
            for tie in drawn.first().unwrap() {
                let [Some(one), Some(other)] = tie.players else { continue };
                assert_ne!(groups.of(one), groups.of(other));
                if groups.count().is_power_of_two() {
                    let place = |number: u16| {
                        let table = &tables[usize::from(groups.of(number)) - 1];
                        table.iter().find(|standing| standing.number == number).unwrap().place
                    };
                    assert_eq!((place(one), place(other)), (1, 2), "{players}");
                }
            }
            // Whatever the number of groups, the two of one are in different halves.
            let places = knockout::places(finals.rounds());
            let half = |seed: usize| places[seed] * 2 / places.len();
            let mut halves: BTreeMap<u16, BTreeSet<usize>> = BTreeMap::new();
            for (seed, number) in finals.seeds().iter().enumerate() {
                halves.entry(groups.of(*number)).or_default().insert(half(seed));
            }
            assert!(halves.values().all(|both| both.len() == 2), "{players}: {halves:?}");
        }
    }
}

fn any_terms() -> impl Strategy<Value = Terms> {
    let qualifiers = QUALIFIERS.0..=4_u16;
    let terms = prop_oneof![
        (qualifiers.clone(), 0..8_u16).prop_map(|(qualifiers, more)| of_size(qualifiers.max(2) + 3 + more, qualifiers)),
        (qualifiers, 2..=9_u16).prop_map(|(qualifiers, count)| of_count(count, qualifiers)),
    ];
    (terms, 0..4_u16)
        .prop_map(|(terms, best_next)| Terms { best_next: best_next.min(terms.count.unwrap_or(2)), ..terms })
}

proptest! {
    #[test]
    fn groups_and_finals_of_any_field(
        terms in any_terms(),
        more in 0..30_u16,
        double_round_robin in any::<bool>(),
        third_place in any::<bool>(),
        results in prop::collection::vec(0..3_u8, 97),
        gone in prop::collection::btree_set(1..40_u16, 0..6),
    ) {
        let players = (terms.fewest() + more).min(terms.most());
        let groups = Groups::new(&terms, players, double_round_robin);
        let mut results = results.into_iter().cycle().map(|first| [first, 2 - first]);
        let mut boards = played_groups(&groups, |_| results.next().unwrap());

        // Each two of a group meet once or twice, nobody else meets, and nobody plays twice in a round.
        let mut met: BTreeMap<(u16, u16), u16> = BTreeMap::new();
        let mut seated = BTreeSet::new();
        for board in &boards {
            let (one, other) = (board.first, board.second.unwrap());
            prop_assert_eq!(groups.of(one), groups.of(other));
            prop_assert!(seated.insert((board.round, one)) && seated.insert((board.round, other)));
            *met.entry((one.min(other), one.max(other))).or_default() += 1;
        }
        let pairs: usize = (1..=groups.count()).map(|group| groups.members(group).len()).map(|of| of * (of - 1) / 2).sum();
        prop_assert_eq!(met.len(), pairs);
        prop_assert!(met.values().all(|times| *times == 1 + u16::from(double_round_robin)));
        prop_assert_eq!(boards.last().map(|board| board.round), Some(groups.rounds()));

        // The qualifiers are those who are left, the best of each group: place by place, and nobody twice.
        let tables = groups.tables(&[], &boards);
        let finals = groups.finals(&tables, |number| gone.contains(&number));
        let left = |table: &Vec<Standing>| {
            table.iter().map(|one| one.number).filter(|number| !gone.contains(number)).collect::<Vec<u16>>()
        };
        let left: Vec<Vec<u16>> = tables.iter().map(left).collect();
        let expected: BTreeSet<u16> =
            left.iter().flat_map(|of| of.iter().take(usize::from(terms.qualifiers))).copied().collect();
        let (of_each, besides) = finals.seeds().split_at(expected.len());
        prop_assert_eq!(&of_each.iter().copied().collect::<BTreeSet<u16>>(), &expected);
        let next: BTreeSet<u16> = left.iter().filter_map(|of| of.get(usize::from(terms.qualifiers))).copied().collect();
        prop_assert_eq!(besides.len(), next.len().min(usize::from(terms.best_next)));
        prop_assert!(besides.iter().all(|number| next.contains(number)));
        let expected: BTreeSet<u16> = finals.seeds().iter().copied().collect();
        prop_assert_eq!(finals.seeds().len(), expected.len());
        let place = |number: u16| left[usize::from(groups.of(number)) - 1].iter().position(|one| *one == number).unwrap();
        prop_assert!(finals.seeds().is_sorted_by_key(|number| place(*number)));
        if gone.is_empty() {
            prop_assert_eq!(finals.players(), groups.expected());
        }

        // No two of a place could swap seeds so that both, or one without harm to the other, met their own later.
        let bracket = knockout::places(finals.rounds());
        let first_meeting = |number: u16, seed: usize| {
            let mates = finals.seeds().iter().enumerate().filter(|(_, mate)| {
                groups.of(**mate) == groups.of(number) && place(**mate) < place(number)
            });
            mates.map(|(mate, _)| (bracket[mate] ^ bracket[seed]).ilog2()).min().unwrap_or(u32::MAX)
        };
        let seeds: Vec<(usize, u16)> = finals.seeds().iter().copied().enumerate().collect();
        for (seed, one) in &seeds {
            for (next, other) in seeds.iter().filter(|(_, other)| place(*other) == place(*one)) {
                let worst = |[first, second]: [u32; 2]| first.min(second);
                let now = [first_meeting(*one, *seed), first_meeting(*other, *next)];
                let swapped = [first_meeting(*one, *next), first_meeting(*other, *seed)];
                let of_place = seeds.iter().filter(|(_, mate)| place(*mate) == place(*one));
                let worst_of_all = of_place.map(|(at, mate)| first_meeting(*mate, *at)).min().unwrap();
                let only = seeds.iter().filter(|(at, mate)| {
                    place(*mate) == place(*one) && first_meeting(*mate, *at) == worst_of_all
                });
                let only_these = only.map(|(_, mate)| *mate).all(|mate| mate == *one || mate == *other);
                prop_assert!(!(only_these && worst(now) == worst_of_all && worst(swapped) > worst_of_all));
            }
        }

        // The finals end with one, and all ranks follow.
        let ties = knockout::Terms { third_place, extra_boards: 0, ..knockout::Terms::default() };
        play_finals(&finals, &ties, &mut boards, |_| results.next().unwrap());
        let table = standings(tables, &groups, Some((&finals, &ties)), &boards);
        prop_assert_eq!(table.len(), usize::from(players));
        let (playing, others) = table.split_at(finals.seeds().len());
        prop_assert!(playing.iter().all(|one| expected.contains(&one.number)));
        prop_assert!(playing.first().is_none_or(|one| one.place == 1));
        for one in others {
            let of_group = one.group.unwrap().place;
            let before = others.iter().filter(|other| other.group.unwrap().place < of_group).count();
            prop_assert_eq!(usize::from(one.place), playing.len() + before + 1);
        }
        for one in &table {
            let won: u32 = boards.iter().filter_map(|board| board.halves_of(one.number)).map(u32::from).sum();
            prop_assert_eq!(one.halves, won);
        }
    }
}
