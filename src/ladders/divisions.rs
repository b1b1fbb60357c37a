//! Who rises and who falls when a season ends: a function of the final standings.

use super::terms::Divisions;
use crate::ids::AccountId;

/// A member as a season leaves him.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ranked {
    /// Who.
    pub account: AccountId,
    /// Whether any pairing of his has ended with a result: who has played none doesn't rise.
    pub has_played: bool,
}

/// The divisions of the next season, from those of the last one, each in the order of its final ranks: of two neighbours as many of the lower one rise as of the upper one
/// fall, `movers` at most: the best of those who have played. What is lacking in a division then is filled from below, so that all but the last are full.
pub fn next(divisions: &[Vec<Ranked>], rule: Divisions) -> Vec<Vec<AccountId>> {
    let size = usize::try_from(rule.size).unwrap_or(usize::MAX).max(1);
    let movers = usize::try_from(rule.movers).unwrap_or(usize::MAX);
    let mut order: Vec<AccountId> = Vec::new();
    let (mut fallen, mut risen): (Vec<AccountId>, Vec<AccountId>) = (Vec::new(), Vec::new());
    for (number, division) in divisions.iter().enumerate() {
        let own = division.iter().map(|member| member.account);
        let mut kept: Vec<AccountId> = own.filter(|account| !risen.contains(account)).collect();
        let below = divisions.get(number + 1).map(Vec::as_slice).unwrap_or_default();
        let rising = below.iter().filter(|member| member.has_played).take(movers.min(kept.len()));
        risen = rising.map(|member| member.account).collect();
        let falling = kept.split_off(kept.len() - risen.len());
        // In this order they go up where a place is free.
        order.extend(std::mem::replace(&mut fallen, falling));
        order.extend(kept);
        order.extend(&risen);
    }
    order.extend(fallen);
    order.chunks(size).map(<[AccountId]>::to_vec).collect()
}

/// The division in which somebody begins: the lowest, or a new one below it when that is full. `members` is how many stand in each, from the highest on.
pub fn of_newcomer(members: &[u32], rule: Option<Divisions>) -> u32 {
    let Some(rule) = rule else { return 1 };
    let lowest = u32::try_from(members.len()).unwrap_or(u32::MAX);
    match members.last() {
        None => 1,
        Some(count) if *count < rule.size => lowest,
        Some(_) => lowest.saturating_add(1),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;

    fn id(number: u128) -> AccountId {
        AccountId(Uuid::from_u128(number))
    }

    fn ranked(numbers: impl IntoIterator<Item = u128>) -> Vec<Ranked> {
        numbers.into_iter().map(|number| Ranked { account: id(number), has_played: true }).collect()
    }

    fn numbers(divisions: Vec<Vec<AccountId>>) -> Vec<Vec<u128>> {
        divisions.iter().map(|division| division.iter().map(|account| account.0.as_u128()).collect()).collect()
    }

    const TWO_OF_FOUR: Divisions = Divisions { size: 4, movers: 2 };
    const ONE_OF_FOUR: Divisions = Divisions { size: 4, movers: 1 };

    #[test]
    fn the_best_rise_and_the_worst_fall() {
        let three = [ranked(1..=4), ranked(5..=8), ranked(9..=12)];
        assert_eq!(numbers(next(&three, ONE_OF_FOUR)), [vec![1, 2, 3, 5], vec![4, 6, 7, 9], vec![8, 10, 11, 12]]);
        assert_eq!(numbers(next(&three, TWO_OF_FOUR)), [vec![1, 2, 5, 6], vec![3, 4, 9, 10], vec![7, 8, 11, 12]]);
        assert_eq!(numbers(next(&[ranked(1..=4)], TWO_OF_FOUR)), [[1, 2, 3, 4]]);
    }

    #[test]
    fn who_has_not_played_does_not_rise() {
        let mut two = [ranked(1..=4), ranked(5..=8)];
        two[1][0].has_played = false;
        assert_eq!(numbers(next(&two, ONE_OF_FOUR)), [[1, 2, 3, 6], [4, 5, 7, 8]]);
        two[1].iter_mut().for_each(|member| member.has_played = false);
        assert_eq!(numbers(next(&two, ONE_OF_FOUR)), [[1, 2, 3, 4], [5, 6, 7, 8]]);
        two[1].truncate(1);
        two[1][0].has_played = true;
        assert_eq!(numbers(next(&two, TWO_OF_FOUR)), [vec![1, 2, 3, 5], vec![4]]);
    }

    #[test]
    fn places_that_are_free_are_filled_from_below() {
        let three = [ranked(1..=3), ranked(5..=7), ranked(9..=10)];
        assert_eq!(numbers(next(&three, ONE_OF_FOUR)), [[1, 2, 5, 3], [6, 9, 7, 10]]);
        assert!(next(&[], ONE_OF_FOUR).is_empty());
    }

    #[test]
    fn newcomers_begin_at_the_bottom() {
        assert_eq!(of_newcomer(&[], Some(ONE_OF_FOUR)), 1);
        assert_eq!(of_newcomer(&[4, 3], Some(ONE_OF_FOUR)), 2);
        assert_eq!(of_newcomer(&[3, 4], Some(ONE_OF_FOUR)), 3);
        assert_eq!(of_newcomer(&[400], None), 1);
    }

    proptest! {
        #[test]
        fn nobody_is_lost_and_only_the_last_is_not_full(sizes in prop::collection::vec(0..9_u128, 0..6), movers in 1..5_u32, idle in 0..5_u128) {
            let rule = Divisions { size: 8, movers };
            let mut divisions: Vec<Vec<Ranked>> = Vec::new();
            let mut first = 1;
            for size in sizes {
                let mut one = ranked(first..first + size);
                one.iter_mut().for_each(|member| member.has_played = member.account.0.as_u128() % 5 != idle);
                divisions.push(one);
                first += size;
            }
            let after = next(&divisions, rule);
            let everybody: BTreeSet<AccountId> = divisions.iter().flatten().map(|member| member.account).collect();
            let then: Vec<AccountId> = after.iter().flatten().copied().collect();
            prop_assert_eq!(then.len(), everybody.len());
            prop_assert_eq!(then.into_iter().collect::<BTreeSet<_>>(), everybody);
            prop_assert!(after.iter().rev().skip(1).all(|division| division.len() == 8));
        }
    }
}
