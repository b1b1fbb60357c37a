//! Divisions of a ladder with seasons: promotion and relegation from the final standings of a season.

/// The rule of a ladder with divisions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Divisions {
    /// The number of members of a division.
    pub size: u32,
    /// The number promoted, and the number relegated, at the end of a season.
    pub movers: u32,
}

/// A member at the end of a season. `Id` names members.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ranked<Id> {
    /// The member.
    pub account: Id,
    /// Has any of the member's pairings ended with a result? Nobody is promoted without one.
    pub has_played: bool,
}

/// The divisions of the next season. `divisions` are those of the last one, the highest first, each in the order of its
/// final ranks.
///
/// Between two neighbouring divisions as many members are promoted as are relegated, at most `movers`: the best of
/// those who have played. Then free places are filled from below, so that all divisions but the last are full. If fewer
/// than `min` members ([`min_members`]) are left for the last one, they join the division above it.
pub fn next<Id: Copy + Ord>(divisions: &[Vec<Ranked<Id>>], rule: Divisions, min: u32) -> Vec<Vec<Id>> {
    let size = usize::try_from(rule.size).unwrap_or(usize::MAX).max(1);
    let movers = usize::try_from(rule.movers).unwrap_or(usize::MAX);
    let mut order: Vec<Id> = Vec::new();
    let (mut fallen, mut risen): (Vec<Id>, Vec<Id>) = (Vec::new(), Vec::new());
    for (number, division) in divisions.iter().enumerate() {
        let own = division.iter().map(|member| member.account);
        let mut kept: Vec<Id> = own.filter(|account| !risen.contains(account)).collect();
        let below = divisions.get(number + 1).map(Vec::as_slice).unwrap_or_default();
        let rising = below.iter().filter(|member| member.has_played).take(movers.min(kept.len()));
        risen = rising.map(|member| member.account).collect();
        let falling = kept.split_off(kept.len() - risen.len());
        // In this order they move up to free places.
        order.extend(std::mem::replace(&mut fallen, falling));
        order.extend(kept);
        order.extend(&risen);
    }
    order.extend(fallen);
    let mut next: Vec<Vec<Id>> = order.chunks(size).map(<[Id]>::to_vec).collect();
    let is_short = next.len() > 1 && next.last().is_some_and(|last| last.len() < usize::try_from(min).unwrap_or(0));
    if is_short && let (Some(rest), Some(above)) = (next.pop(), next.last_mut()) {
        above.extend(rest);
    }
    next
}

/// The fewest members of a division, unless it is the only one: one more than meet in a match, so that nobody is alone
/// in it, nor meets the same opponents again and again.
pub fn min_members(seats: u8) -> u32 {
    u32::from(seats) + 1
}

/// A newcomer's first division.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Beginning {
    /// The division, from 1.
    pub division: u32,
    /// The number of last members of the lowest division that begin a new division with the newcomer.
    pub others: u32,
}

/// A newcomer's division: the lowest one, or a new one below it when there are enough members for two. `members` has
/// the size of each division, from the highest on.
pub fn of_newcomer(members: &[u32], rule: Option<Divisions>, min: u32) -> Beginning {
    let lowest = u32::try_from(members.len()).unwrap_or(u32::MAX).max(1);
    let is_enough = |rule: Divisions, count: u32| count.saturating_add(1) >= rule.size.saturating_add(min);
    match (rule, members.last()) {
        (None, _) => Beginning { division: 1, others: 0 },
        (Some(rule), Some(count)) if is_enough(rule, *count) => {
            Beginning { division: lowest.saturating_add(1), others: min.saturating_sub(1) }
        }
        (Some(_), _) => Beginning { division: lowest, others: 0 },
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn ranked(numbers: impl IntoIterator<Item = u128>) -> Vec<Ranked<u128>> {
        numbers.into_iter().map(|number| Ranked { account: number, has_played: true }).collect()
    }

    const TWO_OF_FOUR: Divisions = Divisions { size: 4, movers: 2 };
    const MIN: u32 = 3;
    const ONE_OF_FOUR: Divisions = Divisions { size: 4, movers: 1 };

    #[test]
    fn the_best_rise_and_the_worst_fall() {
        let three = [ranked(1..=4), ranked(5..=8), ranked(9..=12)];
        assert_eq!(next(&three, ONE_OF_FOUR, MIN), [vec![1, 2, 3, 5], vec![4, 6, 7, 9], vec![8, 10, 11, 12]]);
        assert_eq!(next(&three, TWO_OF_FOUR, MIN), [vec![1, 2, 5, 6], vec![3, 4, 9, 10], vec![7, 8, 11, 12]]);
        assert_eq!(next(&[ranked(1..=4)], TWO_OF_FOUR, MIN), [[1, 2, 3, 4]]);
    }

    #[test]
    fn who_has_not_played_does_not_rise() {
        let mut two = [ranked(1..=4), ranked(5..=8)];
        two[1][0].has_played = false;
        assert_eq!(next(&two, ONE_OF_FOUR, MIN), [[1, 2, 3, 6], [4, 5, 7, 8]]);
        two[1].iter_mut().for_each(|member| member.has_played = false);
        assert_eq!(next(&two, ONE_OF_FOUR, MIN), [[1, 2, 3, 4], [5, 6, 7, 8]]);
        two[1].truncate(1);
        two[1][0].has_played = true;
        assert_eq!(next(&two, TWO_OF_FOUR, MIN), [vec![1, 2, 3, 5, 4]]);
    }

    #[test]
    fn places_that_are_free_are_filled_from_below() {
        let three = [ranked(1..=3), ranked(5..=7), ranked(9..=10)];
        assert_eq!(next(&three, ONE_OF_FOUR, MIN), [[1, 2, 5, 3], [6, 9, 7, 10]]);
        assert!(next::<u128>(&[], ONE_OF_FOUR, MIN).is_empty());
    }

    #[test]
    fn newcomers_begin_at_the_bottom() {
        let begins = |members: &[u32]| {
            let Beginning { division, others } = of_newcomer(members, Some(ONE_OF_FOUR), MIN);
            (division, others)
        };
        assert_eq!([begins(&[]), begins(&[4, 3]), begins(&[3, 4])], [(1, 0), (2, 0), (2, 0)]);
        // Nobody begins a division alone.
        assert_eq!([begins(&[5]), begins(&[6]), begins(&[4, 3, 6])], [(1, 0), (2, 2), (4, 2)]);
        assert_eq!(of_newcomer(&[400], None, MIN), Beginning { division: 1, others: 0 });
    }

    #[test]
    fn nobody_is_left_alone_in_the_last_division() {
        for (all, after) in [(5, vec![5]), (6, vec![6]), (7, vec![4, 3]), (9, vec![4, 5]), (11, vec![4, 4, 3])] {
            let divisions: Vec<Vec<Ranked<u128>>> = ranked(1..=all).chunks(4).map(<[Ranked<u128>]>::to_vec).collect();
            let next = next(&divisions, ONE_OF_FOUR, MIN);
            assert_eq!(next.iter().map(Vec::len).collect::<Vec<_>>(), after);
        }
        assert_eq!([min_members(2), min_members(7)], [3, 8]);
    }

    proptest! {
        #[test]
        fn nobody_is_lost_all_but_the_last_are_full_and_the_last_is_enough(sizes in prop::collection::vec(0..9_u128, 0..6), movers in 1..5_u32, idle in 0..5_u128) {
            let rule = Divisions { size: 8, movers };
            let mut divisions: Vec<Vec<Ranked<u128>>> = Vec::new();
            let mut first = 1;
            for size in sizes {
                let mut one = ranked(first..first + size);
                one.iter_mut().for_each(|member| member.has_played = member.account % 5 != idle);
                divisions.push(one);
                first += size;
            }
            let after = next(&divisions, rule, MIN);
            let everybody: BTreeSet<u128> = divisions.iter().flatten().map(|member| member.account).collect();
            let then: Vec<u128> = after.iter().flatten().copied().collect();
            prop_assert_eq!(then.len(), everybody.len());
            prop_assert_eq!(then.into_iter().collect::<BTreeSet<_>>(), everybody);
            prop_assert!(after.iter().rev().skip(1).all(|division| division.len() == 8));
            prop_assert!(after.len() <= 1 || after.last().is_some_and(|last| (3..11).contains(&last.len())));
        }
    }
}
