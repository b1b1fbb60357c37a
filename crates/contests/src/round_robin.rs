//! Round robins by the Berger tables (FIDE Handbook C.05, Annex 1): starting numbers in, pairings out. The caller draws
//! the starting numbers.

use core::iter;

use crate::RoundPairings;

/// All rounds of a round robin of `players`, numbered from 1. With `double_round_robin`, each pair meets twice, and
/// each of the two begins once. If the number of players is odd, one sits out in each round: the opponent of the unused
/// number.
///
/// The second time the same table is played with the first moves swapped. The last two rounds of the first time are
/// swapped, as the Handbook recommends, so that nobody begins (or doesn't) three times in a row.
pub fn rounds(players: u16, double_round_robin: bool) -> Vec<RoundPairings> {
    let even = players + players % 2;
    let mut first: Vec<Vec<(u16, u16)>> = (0..even.saturating_sub(1)).map(|round| table_row(even, round)).collect();
    if !double_round_robin {
        return first.into_iter().map(|row| pairings(row, players)).collect();
    }
    let second: Vec<Vec<(u16, u16)>> =
        first.iter().map(|row| row.iter().map(|(begins, follows)| (*follows, *begins)).collect()).collect();
    let last = first.len();
    if last >= 2 {
        first.swap(last - 2, last - 1);
    }
    first.into_iter().chain(second).map(|row| pairings(row, players)).collect()
}

/// A round, from 0, of the table of an even number of players; the first of each pair begins. Round 0 is 1–n, 2–(n-1),
/// and so on. From one round to the next, n/2 is added to every number but n, modulo n-1, and n begins in every second
/// round.
fn table_row(even: u16, round: u16) -> Vec<(u16, u16)> {
    let others = u32::from(even - 1);
    let at = |number: u16| {
        let moved = (u32::from(number - 1) + u32::from(round) * u32::from(even / 2)) % others + 1;
        u16::try_from(moved).unwrap_or(u16::MAX)
    };
    let with_the_last = if round.is_multiple_of(2) { (at(1), even) } else { (even, at(1)) };
    iter::once(with_the_last).chain((2..=even / 2).map(|number| (at(number), at(even + 1 - number)))).collect()
}

/// The pairings of a row, without the unused number.
fn pairings(row: Vec<(u16, u16)>, players: u16) -> RoundPairings {
    let nobody = |number: &u16| *number > players;
    let bye = row.iter().find_map(|(a, b)| match (nobody(a), nobody(b)) {
        (true, _) => Some(*b),
        (_, true) => Some(*a),
        _ => None,
    });
    let games = row.into_iter().filter(|(a, b)| !nobody(a) && !nobody(b)).collect();
    RoundPairings { games, bye }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn text(rounds: &[RoundPairings]) -> Vec<String> {
        let row =
            |round: &RoundPairings| round.games.iter().map(|(a, b)| format!("{a}-{b}")).collect::<Vec<_>>().join(" ");
        rounds.iter().map(row).collect()
    }

    #[test]
    fn these_are_the_tables_of_the_handbook() {
        assert_eq!(text(&rounds(4, false)), ["1-4 2-3", "4-3 1-2", "2-4 3-1"]);
        assert_eq!(
            text(&rounds(6, false)),
            ["1-6 2-5 3-4", "6-4 5-3 1-2", "2-6 3-1 4-5", "6-5 1-4 2-3", "3-6 4-2 5-1"]
        );
        assert_eq!(
            text(&rounds(8, false)),
            [
                "1-8 2-7 3-6 4-5",
                "8-5 6-4 7-3 1-2",
                "2-8 3-1 4-7 5-6",
                "8-6 7-5 1-4 2-3",
                "3-8 4-2 5-1 6-7",
                "8-7 1-6 2-5 3-4",
                "4-8 5-3 6-2 7-1"
            ]
        );
        assert_eq!(text(&rounds(3, false)), ["2-3", "1-2", "3-1"]);
        assert_eq!(text(&rounds(4, true))[..3], ["1-4 2-3", "2-4 3-1", "4-3 1-2"]);
        assert_eq!(text(&rounds(4, true))[3..], ["4-1 3-2", "3-4 2-1", "4-2 1-3"]);
    }

    #[test]
    fn each_pair_meets_exactly_once_or_twice_and_first_moves_are_balanced() {
        for players in 3..=64_u16 {
            for double_round_robin in [false, true] {
                let all = rounds(players, double_round_robin);
                let times = if double_round_robin { 2 } else { 1 };
                assert_eq!(all.len(), usize::from(players + players % 2 - 1) * times);
                let mut met: BTreeMap<(u16, u16), usize> = BTreeMap::new();
                let (mut balance, mut byes) = (BTreeMap::new(), BTreeMap::new());
                for round in &all {
                    let mut seen: Vec<u16> = round.games.iter().flat_map(|(a, b)| [*a, *b]).chain(round.bye).collect();
                    seen.sort_unstable();
                    assert_eq!(seen, (1..=players).collect::<Vec<_>>(), "everybody has one place in a round");
                    for (a, b) in &round.games {
                        *met.entry((*a.min(b), *a.max(b))).or_default() += 1;
                        *balance.entry(*a).or_insert(0_i32) += 1;
                        *balance.entry(*b).or_insert(0_i32) -= 1;
                    }
                    round.bye.into_iter().for_each(|bye| *byes.entry(bye).or_insert(0) += 1);
                }
                assert_eq!(met.len(), usize::from(players) * usize::from(players - 1) / 2);
                assert!(met.values().all(|count| *count == times), "{players} {double_round_robin}");
                let most = i32::from(!double_round_robin && players % 2 == 0);
                assert!(
                    balance.values().all(|balance| balance.abs() <= most),
                    "{players} {double_round_robin}: {balance:?}"
                );
                assert!(byes.values().all(|count| *count == times) && byes.is_empty() == (players % 2 == 0));
            }
        }
    }
}
