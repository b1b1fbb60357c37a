//! Friends who try to keep others from the first place can't for long: a property over random tricks.

use broadside_rules::Time;
use proptest::prelude::*;

use super::super::rules::{bars, played};
use super::super::{Between, Outcome, Terms};
use super::World;

/// A trick of a friend of the first member, in six hours.
#[derive(Clone, Copy, Debug)]
enum Trick {
    Waits,
    Challenges(u128),
    Ends(usize, Option<(u32, u32)>),
    Declines(usize),
    Withdraws(usize),
}

fn trick() -> impl Strategy<Value = Trick> {
    let points = proptest::option::of((0..3_u32).prop_map(|points| (points, 2 - points)));
    prop_oneof![
        6 => Just(Trick::Waits),
        8 => (1..5_u128).prop_map(Trick::Challenges),
        3 => (any::<usize>(), points).prop_map(|(which, points)| Trick::Ends(which, points)),
        1 => any::<usize>().prop_map(Trick::Declines),
        1 => any::<usize>().prop_map(Trick::Withdraws),
    ]
}

proptest! {
    /// Four friends challenge each other in turn, decline, withdraw, win and lose as they like, and swap the first
    /// place among them. A fifth member who only looks on could challenge for it after two weeks at most; unless it was
    /// open for a day in between.
    #[test]
    fn friends_keep_nobody_from_the_first_place_for_longer_than_the_terms_say(
        no_return_days in 0..9_u32, protection_days in 0..20_u32, tricks in proptest::collection::vec(trick(), 100..300)
    ) {
        let terms = Terms {
            reach: 4, no_return_s: no_return_days * 86_400, protection_s: protection_days * 86_400, declines: 9,
            ..Terms::default()
        };
        let mut world = World::new(terms);
        (0..5).for_each(|_| world.joins());
        let (mut shut_since, mut open_since): (Option<Time>, Option<Time>) = (None, Some(world.now));
        for trick in tricks {
            match trick {
                Trick::Waits => {}
                Trick::Challenges(by) => {
                    let first = world.places.at(1).unwrap();
                    let number = |account| world.members.iter().position(|one| one.account == account).unwrap();
                    let (me, other) = (number(by), number(first));
                    world.challenges(me, other);
                }
                Trick::Ends(number, points) => world.ends_one(number, played(points)),
                Trick::Declines(number) => world.ends_one(number, Outcome::Declined),
                Trick::Withdraws(number) => world.ends_one(number, Outcome::Withdrawn),
            }
            let looker = world.members.iter().find(|one| one.account == 5).unwrap();
            let holder = world.members.iter().find(|one| one.place == 1).unwrap();
            let is_open = bars(&terms, looker, holder, Between::default(), world.now).is_empty();
            let was_open = open_since.is_some_and(|since| world.now.millis_since(since) >= 86_400_000);
            if is_open {
                open_since = open_since.or(Some(world.now));
            } else {
                shut_since = shut_since.filter(|_| !was_open).or(Some(world.now));
                open_since = None;
                let shut_s = world.now.millis_since(shut_since.unwrap()) / 1000;
                prop_assert!(shut_s < i64::from(terms.exclusive_s), "shut for {} days", shut_s / 86_400);
            }
            world.now = world.now.plus_s(6 * 3600);
        }
    }
}
