//! The promises of the rules, as properties of random tournaments, and some rounds worked out by hand.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn field(players: u16) -> Vec<Entrant> {
    (1..=players).map(|number| Entrant { number, halves: 0, met: vec![], began: vec![], byes: 0 }).collect()
}

/// Plays a round; `dice` decides each game.
fn play(field: &mut [Entrant], drawn: &RoundPairings, mut dice: impl FnMut() -> u8) {
    for (first, second) in &drawn.games {
        let halves = match dice() % 5 {
            0 | 1 => [2, 0],
            2 | 3 => [0, 2],
            _ => [1, 1],
        };
        for (number, other, began, halves) in [(first, second, true, halves[0]), (second, first, false, halves[1])] {
            let player = field.iter_mut().find(|player| player.number == *number).unwrap();
            player.met.push(*other);
            player.began.push(began);
            player.halves += halves;
        }
    }
    for player in field.iter_mut().filter(|player| Some(player.number) == drawn.bye) {
        player.byes += 1;
        player.halves += 2;
    }
}

/// A small reproducible die.
fn die(seed: u64) -> impl FnMut() -> u8 {
    let mut state = seed | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    }
}

fn can_be_paired(field: &[Entrant], people: &[usize]) -> bool {
    let Some((first, rest)) = people.split_first() else { return true };
    rest.iter().any(|other| {
        let rest: Vec<usize> = rest.iter().copied().filter(|person| person != other).collect();
        !field[*first].met.contains(&field[*other].number) && can_be_paired(field, &rest)
    })
}

fn lead(player: &Entrant) -> i32 {
    player.began.iter().map(|began| if *began { 1 } else { -1 }).sum()
}

/// Can everybody meet a player with equal points?
fn nobody_need_go_down(field: &[Entrant]) -> bool {
    let scores: BTreeSet<u32> = field.iter().map(|player| player.halves).collect();
    scores.iter().all(|score| {
        let group: Vec<usize> = (0..field.len()).filter(|at| field[*at].halves == *score).collect();
        group.len().is_multiple_of(2) && can_be_paired(field, &group)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn a_tournament_keeps_the_rules(players in 2..=24_u16, rounds in 1..=9_usize, seed in any::<u64>()) {
        let (mut field, mut dice) = (field(players), die(seed));
        for round in 0..rounds {
            let before = field.clone();
            let Some(drawn) = pair(field.clone()) else {
                // Dirac's theorem: while everybody may still meet half of the others, there is a pairing.
                prop_assert!(round * 2 + 2 > usize::from(players) - 1, "{players} players, round {round}");
                return Ok(());
            };
            let mut again = field.clone();
            again.reverse();
            prop_assert_eq!(&pair(again), &Some(drawn.clone()), "the order in which they are given makes no difference");
            let mut seen: Vec<u16> = drawn.games.iter().flat_map(|(a, b)| [*a, *b]).chain(drawn.bye).collect();
            seen.sort_unstable();
            prop_assert_eq!(seen, (1..=players).collect::<Vec<_>>());
            for (a, b) in &drawn.games {
                let a = before.iter().find(|player| player.number == *a).unwrap();
                prop_assert!(!a.met.contains(b), "they have met");
            }
            if let Some(bye) = drawn.bye {
                let had = |number: u16| before.iter().find(|player| player.number == number).unwrap().byes;
                let fewest = before.iter().map(|player| player.byes).min().unwrap();
                // Nobody has a second bye while a player without one could sit out.
                if had(bye) > fewest {
                    let order = |number: u16| before.iter().position(|player| player.number == number).unwrap();
                    for other in before.iter().filter(|player| player.byes < had(bye)) {
                        let rest: Vec<usize> = (0..before.len()).filter(|at| *at != order(other.number)).collect();
                        prop_assert!(before.len() > 11 || !can_be_paired(&before, &rest));
                    }
                }
            }
            if players <= 10 && players % 2 == 0 && round < 2 && nobody_need_go_down(&before) {
                // In the first rounds no first moves that both need can prevent a meeting.
                let halves = |number: u16| before.iter().find(|player| player.number == number).unwrap().halves;
                prop_assert!(drawn.games.iter().all(|(a, b)| halves(*a) == halves(*b)), "somebody has gone down needlessly");
            }
            play(&mut field, &drawn, &mut dice);
        }
    }

    #[test]
    fn first_moves_stay_balanced(players in 12..=40_u16, seed in any::<u64>()) {
        let (mut field, mut dice) = (field(players), die(seed));
        for _ in 0..6 {
            let drawn = pair(field.clone()).unwrap();
            play(&mut field, &drawn, &mut dice);
            for player in &field {
                prop_assert!(lead(player).abs() <= 2, "{player:?}");
                prop_assert!(!player.began.windows(3).any(|three| three[0] == three[1] && three[1] == three[2]), "{player:?}");
            }
        }
    }

    #[test]
    fn there_is_a_pairing_whenever_one_exists(players in 2..=9_u16, dice in prop::collection::vec(0..100_u8, 81), dense in 10..95_u8) {
        // Any history, even one that no tournament has.
        let mut field = field(players);
        for a in 0..field.len() {
            field[a].halves = u32::from(dice[a] % 4);
            for b in 0..field.len() {
                if a != b && dice[a.min(b) * 9 + a.max(b)] >= dense {
                    let met = field[b].number;
                    field[a].met.push(met);
                }
            }
        }
        let all: Vec<usize> = (0..field.len()).collect();
        let exists = if players % 2 == 0 {
            can_be_paired(&field, &all)
        } else {
            all.iter().any(|out| can_be_paired(&field, &all.iter().copied().filter(|at| at != out).collect::<Vec<_>>()))
        };
        prop_assert_eq!(pair(field).is_some(), exists && players > 1);
    }
}

#[test]
fn the_first_rounds_of_six_by_hand() {
    let mut six = field(6);
    // Neighbours meet; the higher one begins on boards 1 and 3.
    let first = pair(six.clone()).unwrap();
    assert_eq!(first.games, [(1, 2), (4, 3), (5, 6)]);
    play(&mut six, &first, || 0);
    // 1, 4 and 5 have a point each and all of them began; the lowest of them goes down, and meets the highest below: 2.
    // Everybody wants a change, and where both have the same claim and began alike, the higher one's claim decides.
    let second = pair(six.clone()).unwrap();
    assert_eq!(second.games, [(4, 1), (2, 5), (3, 6)]);
}

#[test]
fn a_group_that_would_leave_others_without_anybody_is_joined_with_the_next() {
    // 1 and 2 lead and have not met; 3 and 4 have. So 1 and 2 can't have each other.
    let mut four = field(4);
    four[0].halves = 4;
    four[1].halves = 4;
    four[2].met = vec![4];
    four[3].met = vec![3];
    let drawn = pair(four).unwrap();
    let pairs: BTreeSet<_> = drawn.games.iter().map(|(a, b)| (*a.min(b), *a.max(b))).collect();
    assert_eq!(pairs, BTreeSet::from([(1, 3), (2, 4)]));
}

#[test]
fn the_bye_goes_to_the_lowest_who_has_not_had_one() {
    let mut five = field(5);
    let first = pair(five.clone()).unwrap();
    assert_eq!(first.bye, Some(5));
    play(&mut five, &first, || 0);
    // 1, 4 won, 5 had the bye; 2 and 3 have nothing, and 3 stands lower.
    assert_eq!(pair(five.clone()).unwrap().bye, Some(3));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "it measures a duration, and nothing stored depends on it")]
fn nine_rounds_of_512_are_drawn_in_good_time() {
    let (mut field, mut dice) = (field(512), die(7));
    let begun = std::time::Instant::now();
    for _ in 0..9 {
        let drawn = pair(field.clone()).unwrap();
        assert_eq!(drawn.games.len(), 256);
        play(&mut field, &drawn, &mut dice);
    }
    let took = begun.elapsed();
    assert!(took.as_secs() < 10, "nine rounds took {took:?}");
    assert!(field.iter().all(|player| lead(player).abs() <= 2));
    eprintln!("nine rounds of 512: {took:?}");
}
