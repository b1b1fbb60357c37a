//! Rounds that an organizer pairs by hand, and their constraints.

use alloc::collections::BTreeSet;

use broadside_rules::Fault;

use super::Entrant;

/// A round.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Round {
    /// The games, the higher boards first. The first player of each pair makes the first move.
    pub games: Vec<(u16, u16)>,
    /// The player who sits out for a full point.
    pub bye: Option<u16>,
    /// The players who sit out for less.
    pub out: Vec<u16>,
}

/// Everything that prevents an organizer's round: each pairable player must have exactly one place, nobody else may
/// have one; and, unless `repeats` are wanted, nobody may meet an opponent again, or get a full point without play
/// again. Pointers are those of a request with `games`, `bye` and `sitting_out`.
pub fn faults(field: &[Entrant], wanted: &Round, repeats: bool) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut seen = BTreeSet::new();
    let games = wanted.games.iter().enumerate();
    let mut places: Vec<(String, u16)> = games
        .flat_map(|(at, (first, second))| {
            [(format!("/games/{at}/first"), *first), (format!("/games/{at}/second"), *second)]
        })
        .collect();
    places.extend(wanted.bye.map(|number| ("/bye".to_owned(), number)));
    places.extend(wanted.out.iter().enumerate().map(|(at, number)| (format!("/sitting_out/{at}"), *number)));
    for (pointer, number) in places {
        if !field.iter().any(|entrant| entrant.number == number) {
            faults.push(fault(&pointer, "unknown-number", format!("nobody with the number {number} is to be paired")));
        } else if !seen.insert(number) {
            faults.push(fault(&pointer, "named-twice", format!("the number {number} has a place already")));
        }
    }
    for missing in field.iter().filter(|entrant| !seen.contains(&entrant.number)) {
        let detail = format!("the number {} has no place: put it into a game, `bye` or `sitting_out`", missing.number);
        faults.push(fault("/games", "missing-player", detail));
    }
    if repeats {
        return faults;
    }
    let find = |number: u16| field.iter().find(|entrant| entrant.number == number);
    for (at, (first, second)) in wanted.games.iter().enumerate() {
        if find(*first).is_some_and(|entrant| entrant.met.contains(second)) {
            let detail = format!("{first} and {second} have met: say `allow_repeats` if they are to meet again");
            faults.push(fault(&format!("/games/{at}"), "repeated-pair", detail));
        }
    }
    if wanted.bye.and_then(find).is_some_and(|entrant| entrant.byes > 0) {
        let detail = "had a full point without play: say `allow_repeats` for another one".to_owned();
        faults.push(fault("/bye", "repeated-bye", detail));
    }
    faults
}

fn fault(pointer: &str, code: &'static str, detail: String) -> Fault {
    Fault { pointer: pointer.to_owned(), code, detail }
}

#[cfg(test)]
mod tests {
    use super::super::{opening, pair};
    use super::*;
    use proptest::prelude::*;

    fn field(players: u16) -> Vec<Entrant> {
        (1..=players).map(|number| Entrant { number, halves: 0, met: vec![], began: vec![], byes: 0 }).collect()
    }

    fn codes(field: &[Entrant], wanted: &Round, repeats: bool) -> Vec<&'static str> {
        faults(field, wanted, repeats).into_iter().map(|fault| fault.code).collect()
    }

    #[test]
    fn everybody_has_one_place_and_nobody_meets_anybody_again_unless_it_is_said() {
        let mut five = field(5);
        five[0].met = vec![2];
        five[1].met = vec![1];
        five[4].byes = 1;
        let round = |games: &[(u16, u16)], bye: Option<u16>, out: &[u16]| Round {
            games: games.to_vec(),
            bye,
            out: out.to_vec(),
        };
        assert_eq!(codes(&five, &round(&[(1, 3), (2, 4)], None, &[5]), false), [""; 0]);
        assert_eq!(codes(&five, &round(&[(1, 2), (3, 4)], Some(5), &[]), false), ["repeated-pair", "repeated-bye"]);
        assert_eq!(codes(&five, &round(&[(1, 2), (3, 4)], Some(5), &[]), true), [""; 0]);
        let broken = round(&[(1, 1), (3, 9)], None, &[5]);
        assert_eq!(codes(&five, &broken, true), ["named-twice", "unknown-number", "missing-player", "missing-player"]);
    }

    #[test]
    fn the_upper_half_meets_the_lower_half_in_the_opening() {
        let drawn = opening(vec![7, 2, 3, 4, 1, 6, 5]).unwrap();
        assert_eq!((drawn.games, drawn.bye), (vec![(1, 4), (5, 2), (3, 6)], Some(7)));
        assert_eq!(opening(vec![4]), None);
    }

    proptest! {
        /// A drawn round could have been paired by hand, with any requested byes; and two who swap their places can be
        /// refused for a pair that has met, and for nothing else.
        #[test]
        fn what_is_drawn_is_a_round_that_could_be_paired_by_hand(
            players in 4..24_u16, rounds in 1..4_usize, away in prop::collection::vec(0..24_u16, 0..4), swap: (usize, usize)
        ) {
            let mut all = field(players);
            for round in 0..rounds.min(usize::from(players / 2) - 1) {
                let out: Vec<u16> =
                    all.iter().map(|entrant| entrant.number).filter(|number| away.contains(&(number + round as u16))).collect();
                let there = all.iter().filter(|entrant| !out.contains(&entrant.number)).cloned().collect();
                let Some(drawn) = pair(there) else { break };
                let mut wanted = Round { games: drawn.games.clone(), bye: drawn.bye, out };
                prop_assert_eq!(codes(&all, &wanted, true), [""; 0]);
                prop_assert!(!codes(&all, &wanted, false).contains(&"repeated-pair"));
                for (first, second) in &drawn.games {
                    for (own, other) in [(first, second), (second, first)] {
                        let player = all.iter_mut().find(|player| player.number == *own).unwrap();
                        player.met.push(*other);
                        player.began.push(own == first);
                    }
                }
                let games = wanted.games.len();
                let (one, two) = (swap.0 % games, swap.1 % games);
                let (mine, theirs) = (wanted.games[one].0, wanted.games[two].1);
                (wanted.games[one].0, wanted.games[two].1) = (theirs, mine);
                prop_assert!(codes(&all, &wanted, false).iter().all(|code| *code == "repeated-pair" || *code == "repeated-bye" || one == two));
            }
        }

        /// The opening uses everybody once, and both halves meet.
        #[test]
        fn the_opening_has_a_place_for_everybody(players in 2..60_u16) {
            let drawn = opening((1..=players).collect()).unwrap();
            let wanted = Round { games: drawn.games.clone(), bye: drawn.bye, out: vec![] };
            prop_assert_eq!(codes(&field(players), &wanted, false), [""; 0]);
            prop_assert!(drawn.games.iter().all(|(a, b)| a.abs_diff(*b) == players / 2));
        }
    }
}
