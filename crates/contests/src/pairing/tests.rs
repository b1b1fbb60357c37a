//! The laws of pairing, as properties over random ladders, and its rule on ladders small enough to follow by hand.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;

type Waiting = super::Waiting<u128>;

const NOW: Time = Time(1_800_000_000_000);

fn id(number: usize) -> u128 {
    number as u128 + 1
}

fn member(number: usize, strength: i32) -> Waiting {
    Waiting {
        account: id(number),
        strength,
        wishes: 1,
        since: NOW,
        balance: 0,
        recent: Vec::new(),
        opponents: Vec::new(),
        met: BTreeMap::new(),
        blocked: Vec::new(),
    }
}

fn rules(seats: usize, members: usize) -> Rules {
    Rules { seats, members, relax_s: 3600, limits: MeetingLimits::default() }
}

fn waited_h(mut member: Waiting, hours: i64) -> Waiting {
    member.since = NOW.plus_ms(-hours * 3_600_000);
    member
}

/// The pairings of these members, by their numbers.
fn paired(waiting: &[Waiting], rules: &Rules) -> Vec<Vec<usize>> {
    let number = |account: &u128| waiting.iter().position(|member| member.account == *account).unwrap();
    pair(waiting, rules, 1, NOW).iter().map(|group| group.iter().map(number).collect()).collect()
}

#[test]
fn the_nearest_meet_and_the_weaker_begins() {
    let four = [member(0, 1500), member(1, 1690), member(2, 1510), member(3, 1680)];
    assert_eq!(paired(&four, &rules(2, 4)), [[0, 2], [3, 1]]);
    // The weaker of two equally near ones.
    let three = [member(0, 1500), member(1, 1520), member(2, 1480)];
    assert_eq!(paired(&three, &rules(2, 3)), [[2, 0]]);
}

#[test]
fn who_has_waited_longest_chooses_first() {
    let three = [member(0, 1500), member(1, 1510), waited_h(member(2, 1530), 1)];
    assert_eq!(paired(&three, &rules(2, 3)), [[1, 2]]);
}

#[test]
fn who_has_begun_less_often_begins() {
    let mut two = [member(0, 1500), member(1, 1600)];
    two[0].balance = 1;
    assert_eq!(paired(&two, &rules(2, 2)), [[1, 0]]);
    assert_eq!([early(0, 2, 1), early(1, 2, 1), early(0, 2, 2)], [1, -1, 0]);
    assert_eq!([early(0, 3, 1), early(1, 3, 1), early(2, 3, 1)], [2, 0, -2]);
}

#[test]
fn nobody_meets_one_far_above_unless_somebody_has_waited() {
    let apart = [member(0, 1500), member(1, 1801)];
    assert!(paired(&apart, &rules(2, 2)).is_empty());
    // 200 at once, 100 more for each hour that one of them has waited.
    assert!(paired(&[waited_h(member(0, 1500), 1), member(1, 1801)], &rules(2, 2)).is_empty());
    assert_eq!(paired(&[member(0, 1500), waited_h(member(1, 1801), 2)], &rules(2, 2)), [[0, 1]]);
}

#[test]
fn nobody_meets_the_same_again_before_having_met_others() {
    let mut many: Vec<Waiting> = (0..8).map(|number| member(number, 1500)).collect();
    many.truncate(2);
    many[0].recent = vec![id(2), id(3), id(4), id(5), id(1)];
    assert!(paired(&many, &rules(2, 8)).is_empty(), "five others are to come between");
    assert_eq!(paired(&many, &rules(2, 6)), [[0, 1]], "of six members four");
    many[1] = waited_h(many[1].clone(), 1);
    assert_eq!(paired(&many, &rules(2, 8)), [[0, 1]], "who has waited an hour needs one less");
    assert_eq!([2, 3, 7, 9].map(|members| rules(2, members).others_between()), [0, 1, 5, 5]);
}

#[test]
fn two_alone_meet_again_and_again_but_never_twice_at_once() {
    let mut two = [member(0, 1500), member(1, 1500)];
    two[0].wishes = 3;
    two[1].wishes = 3;
    assert_eq!(paired(&two, &rules(2, 2)), [[0, 1]]);
    two[0].recent = vec![id(1)];
    two[1].recent = vec![id(0)];
    assert_eq!(paired(&two, &rules(2, 2)), [[0, 1]]);
    two[0].opponents = vec![id(1)];
    assert!(paired(&two, &rules(2, 2)).is_empty());
}

#[test]
fn who_wishes_for_more_meets_several_at_once() {
    let mut four: Vec<Waiting> = (0..4).map(|number| member(number, 1500)).collect();
    four[0].wishes = 3;
    let mut met: Vec<Vec<usize>> = paired(&four, &rules(2, 4));
    met.iter_mut().for_each(|pair| pair.sort_unstable());
    assert_eq!(met, [[0, 1], [2, 3]]);
    four.iter_mut().for_each(|member| member.wishes = 3);
    let met: BTreeSet<Vec<usize>> = paired(&four, &rules(2, 4)).into_iter().collect();
    assert_eq!(met.len(), 6, "everybody meets everybody");
}

#[test]
fn those_who_block_each_other_never_meet_also_not_at_a_table_of_many() {
    let mut two = [waited_h(member(0, 1500), 1000), member(1, 1500)];
    two[1].blocked = vec![id(0)];
    assert!(paired(&two, &rules(2, 2)).is_empty());
    let mut five: Vec<Waiting> = (0..5).map(|number| member(number, 1500 + 10 * number as i32)).collect();
    five[0].blocked = vec![id(2)];
    five[1].blocked = vec![id(3)];
    // 0 gets 1, not 2, not 3 (whom 1 doesn't meet), then 4.
    assert_eq!(paired(&five, &rules(3, 5)), [[0, 1, 4]]);
}

#[test]
fn a_table_of_many_is_filled_or_not_opened() {
    let six: Vec<Waiting> = (0..6).map(|number| member(number, 1500)).collect();
    assert_eq!(paired(&six, &rules(4, 6)).iter().map(Vec::len).collect::<Vec<_>>(), [4]);
    assert!(paired(&six[..3], &rules(4, 6)).is_empty());
}

prop_compose! {
    fn any_member(members: usize)(
        strength in 1000..2000_i32,
        wishes in 0..4_u32,
        waited_min in 0..600_i64,
        balance in -3..4_i32,
        recent in prop::collection::vec(0..members, 0..6),
        opponents in prop::collection::vec(0..members, 0..2),
        blocked in prop::collection::vec(0..members, 0..2),
        met in prop::collection::vec((0..members, 0..4_u32, 0..600_i64), 0..4),
    ) -> Waiting {
        let ids = |list: Vec<usize>| list.into_iter().map(id).collect();
        Waiting {
            wishes, balance, since: NOW.plus_ms(-waited_min * 60_000),
            recent: ids(recent), opponents: ids(opponents), blocked: ids(blocked),
            met: met.into_iter().map(|(other, count, ago_min)| {
                (id(other), Meetings { count, last_at: NOW.plus_ms(-ago_min * 60_000) })
            }).collect(),
            ..member(0, strength)
        }
    }
}

fn any_ladder() -> impl Strategy<Value = Vec<Waiting>> {
    (1..25_usize).prop_flat_map(|members| {
        prop::collection::vec(any_member(members), members).prop_map(|mut all| {
            all.iter_mut().enumerate().for_each(|(number, one)| one.account = id(number));
            all
        })
    })
}

/// The members after the pairings.
fn after(waiting: &[Waiting], met: &[Vec<u128>]) -> BTreeMap<u128, Waiting> {
    let mut members: BTreeMap<u128, Waiting> = waiting.iter().map(|one| (one.account, one.clone())).collect();
    for group in met {
        for (seat, account) in group.iter().enumerate() {
            let others: Vec<u128> = group.iter().copied().filter(|other| other != account).collect();
            note(members.get_mut(account).unwrap(), &others, seat, 1, NOW);
        }
    }
    members
}

proptest! {
    #[test]
    fn the_laws_hold(
        waiting in any_ladder(), seats in 2..5_usize, most in prop::option::of(1..4_u32), no_return_s in 0..20_000_u32
    ) {
        let limits = MeetingLimits { max_meetings: most, no_return_s };
        let rules = Rules { limits, ..rules(seats, waiting.len()) };
        let met = pair(&waiting, &rules, 1, NOW);
        let member = |account: &u128| waiting.iter().find(|one| one.account == *account).unwrap();
        let mut times: BTreeMap<u128, u32> = BTreeMap::new();
        let mut pairs = BTreeSet::new();
        let mut now_as = waiting.clone();
        for group in &met {
            prop_assert_eq!(group.iter().collect::<BTreeSet<_>>().len(), seats, "with themselves, or too few");
            let as_of = |account: &u128| now_as.iter().find(|one| one.account == *account).unwrap();
            for (at, account) in group.iter().enumerate() {
                *times.entry(*account).or_default() += 1;
                for other in &group[at + 1..] {
                    let may = rules.may_meet(as_of(account), as_of(other), NOW);
                    prop_assert!(may, "too soon, too far, blocked, or met already");
                    for (one, other) in [(account, other), (other, account)] {
                        if let Some(met) = member(one).met.get(other) {
                            prop_assert!(met.count < most.unwrap_or(u32::MAX), "too often");
                            prop_assert!(met.last_at.plus_s(no_return_s) <= NOW, "again too soon");
                        }
                    }
                    prop_assert!(pairs.insert((*account.min(other), *account.max(other))), "twice at once");
                }
            }
            now_as = after(&now_as, std::slice::from_ref(group)).into_values().collect();
        }
        for (account, times) in times {
            prop_assert!(times <= member(&account).wishes, "more than wished for");
        }
        // The same result, whatever the order of the list.
        let mut other_way = waiting.clone();
        other_way.reverse();
        prop_assert_eq!(&pair(&other_way, &rules, 1, NOW), &met);
    }

    #[test]
    fn nobody_is_left_whom_somebody_who_is_left_may_meet(waiting in any_ladder()) {
        let rules = rules(2, waiting.len());
        let left = after(&waiting, &pair(&waiting, &rules, 1, NOW));
        let left: Vec<&Waiting> = left.values().filter(|one| one.wishes > 0).collect();
        for (at, one) in left.iter().enumerate() {
            for other in &left[at + 1..] {
                prop_assert!(!rules.may_meet(one, other, NOW));
            }
        }
    }

    #[test]
    fn when_nobody_is_excluded_one_is_left_at_most(strengths in prop::collection::vec(1400..1600_i32, 0..40)) {
        let waiting: Vec<Waiting> =
            strengths.iter().enumerate().map(|(number, strength)| member(number, *strength)).collect();
        prop_assert_eq!(pair(&waiting, &rules(2, waiting.len()), 1, NOW).len(), waiting.len() / 2);
    }

    #[test]
    fn who_is_paired_all_the_time_begins_half_the_time(seed in any::<u64>()) {
        // Twelve who are always free: after each pass they are where the pairings left them, but for the opponents.
        let mut members: Vec<Waiting> = (0..12).map(|number| member(number, 1500)).collect();
        for pass in 0..20_u64 {
            let met = pair(&members, &rules(2, 12), 1, NOW);
            // They don't meet their last opponents, so now and then a member is left over.
            prop_assert!(met.len() >= 3);
            let left = after(&members, &met);
            for member in &mut members {
                let mut next = left[&member.account].clone();
                next.opponents.clear();
                next.wishes = 1;
                // Strengths wander.
                let step = (seed.rotate_left(u32::try_from(pass).unwrap() * 7) ^ next.account as u64) % 21;
                next.strength += i32::try_from(step).unwrap() - 10;
                prop_assert!(next.balance.abs() <= 3, "{}", next.balance);
                *member = next;
            }
        }
    }
}

#[test]
fn ten_thousand_who_wait_are_paired_in_a_moment() {
    let spread = |number: usize| 1000 + i32::try_from(number * 7919 % 1500).unwrap();
    let mut waiting: Vec<Waiting> = (0..10_000).map(|number| member(number, spread(number))).collect();
    for (number, one) in waiting.iter_mut().enumerate() {
        one.recent = (1..=5).map(|step| id((number + step * 17) % 10_000)).collect();
    }
    // The last of them may just have met.
    assert!(pair(&waiting, &rules(2, 10_000), 1, NOW).len() >= 4990);
}

/// A ladder of twelve with two days a move, on which four play every game within twenty minutes, and eight take weeks.
/// Returns the times at which each pair of the four began a game, over this many days.
fn four_of_twelve_are_prompt(rules: &Rules, days: i64) -> BTreeMap<[u128; 2], Vec<Time>> {
    const MINUTE: i64 = 60_000;
    let mut members: Vec<Waiting> = (0..12).map(|number| member(number, 1500)).collect();
    let mut running: Vec<([u128; 2], Option<Time>)> = Vec::new();
    let mut met: BTreeMap<[u128; 2], Vec<Time>> = BTreeMap::new();
    for minute in 0..days * 24 * 60 {
        let now = NOW.plus_ms(minute * MINUTE);
        let (over, still): (Vec<_>, Vec<_>) =
            running.into_iter().partition(|(_, ends)| ends.is_some_and(|at| at <= now));
        running = still;
        for (pair, _) in over {
            for (own, other) in [(pair[0], pair[1]), (pair[1], pair[0])] {
                let member = members.iter_mut().find(|one| one.account == own).unwrap();
                member.wishes = 1;
                member.since = now;
                member.opponents.clear();
                let met = member.met.entry(other).or_insert(Meetings { count: 0, last_at: now });
                *met = Meetings { count: met.count + 1, last_at: now };
            }
        }
        for pair in super::pair(&members, rules, 1, now) {
            for (seat, own) in pair.iter().enumerate() {
                let others: Vec<u128> = pair.iter().copied().filter(|other| other != own).collect();
                note(members.iter_mut().find(|one| one.account == *own).unwrap(), &others, seat, 1, now);
            }
            let prompt = pair.iter().all(|account| *account <= 4);
            let mut key = [pair[0], pair[1]];
            key.sort_unstable();
            if prompt {
                met.entry(key).or_default().push(now);
            }
            running.push((key, prompt.then(|| now.plus_ms(20 * MINUTE))));
        }
    }
    met
}

#[test]
fn prompt_players_of_a_slow_ladder_do_not_meet_again_within_days() {
    let two_days = Clock::per_move(2 * 86_400);
    let usual = PairingTerms::usual(&two_days);
    assert_eq!(usual, PairingTerms { relax_s: 7200, no_return_s: 4 * 86_400 });
    // Without a limit, and with limits that give way within hours, they meet each other all the time.
    let before = four_of_twelve_are_prompt(&rules(2, 12), 2);
    assert!(before.values().map(Vec::len).sum::<usize>() > 24, "{before:?}");
    // The current limits.
    let limits = MeetingLimits { max_meetings: None, no_return_s: usual.no_return_s };
    let now = Rules { relax_s: usual.relax_s, limits, ..rules(2, 12) };
    let met = four_of_twelve_are_prompt(&now, 20);
    assert_eq!(met.len(), 6, "everybody meets everybody");
    for times in met.values() {
        assert!((2..=5).contains(&times.len()), "{met:?}");
        assert!(times.windows(2).all(|two| two[1].millis_since(two[0]) > 4 * 86_400_000), "{met:?}");
    }
    // With a cap of the same size, in a whole season.
    let capped = Rules { limits: MeetingLimits { max_meetings: Some(2), ..limits }, ..now };
    assert!(four_of_twelve_are_prompt(&capped, 30).values().all(|times| times.len() == 2));
}

#[test]
fn the_terms_follow_the_clock() {
    let of = |move_s| {
        let PairingTerms { relax_s, no_return_s } = PairingTerms::usual(&Clock::per_move(move_s));
        (relax_s, no_return_s)
    };
    let day = 86_400;
    assert_eq!([of(60), of(day), of(14 * day)], [(10, 120), (3600, 2 * day), (14 * 3600, 28 * day)]);
    assert_eq!(of(60 * day).1, 90 * day);
    let faults = PairingTerms { relax_s: 9, no_return_s: 91 * day }.faults();
    assert_eq!(faults.iter().map(|fault| fault.pointer.as_str()).collect::<Vec<_>>(), ["/relax_s", "/no_return_s"]);
}
