//! Each pattern is planted among fair players, and found; the fair players are not.

use broadside_rules::Time;

use super::{FindingKind as Kind, THRESHOLDS, detect};
use crate::Pool;

type Played = super::Played<u128, u128>;
type Finding = super::Finding<u128, u128>;
type Findings = super::Findings<u128, u128>;

/// Duels in the order of play.
#[derive(Default)]
struct Season {
    seats: Vec<Played>,
    called_off: Vec<super::CalledOff<u128, u128>>,
}

/// The result of a duel: the winner (1, 2, or 0 for nobody), the reason, and the length of its log.
#[derive(Clone, Copy)]
struct Went(u8, &'static str, u32);

const LONG: u32 = 90;

impl Season {
    /// A duel of players one and two, with these ratings.
    fn duel(&mut self, one: (u128, f64), two: (u128, f64), went: Went) {
        let number = self.seats.len() as u128 / 2;
        let Went(winner, ending, entries) = went;
        let places = match winner {
            1 => (1, 2),
            2 => (2, 1),
            _ => (1, 1),
        };
        let gain = f64::from(i32::from(places.1) - i32::from(places.0)) * 10.0;
        let seat = |own: (u128, f64), other: (u128, f64), places: (u8, u8), gain: f64| Played {
            match_id: number + 1,
            pool: Pool::all().next().unwrap(),
            at: Time(i64::try_from(number).unwrap() * 3_600_000),
            account: own.0,
            opponent: other.0,
            place: places.0,
            opponents_place: places.1,
            before: own.1,
            after: own.1 + gain,
            opponents_before: other.1,
            established: true,
            ending: Some(ending.to_owned()),
            entries,
        };
        self.seats.push(seat(one, two, places, gain));
        self.seats.push(seat(two, one, (places.1, places.0), -gain));
    }

    /// People 100 to 119, of similar strength, who play everybody, win and lose in turn, and end their games in every
    /// way.
    fn fair() -> Self {
        let mut season = Self::default();
        for round in 0..6_u32 {
            for one in 100..120_u128 {
                for two in one + 1..120 {
                    let number = (one + two + u128::from(round)) % 10;
                    let went = match number {
                        0 => Went(1, "time", LONG),
                        1 => Went(2, "resignation", 10),
                        2 => Went(0, "agreement", LONG),
                        3..=6 => Went(1, "fleet", LONG),
                        _ => Went(2, "fleet", LONG),
                    };
                    season.duel((one, 1500.0), (two, 1500.0), went);
                }
            }
        }
        season
    }

    fn look(&self) -> Findings {
        detect(&self.seats, &self.called_off, &THRESHOLDS, 50)
    }

    fn found(&self, kind: Kind) -> Vec<Finding> {
        self.look().found.into_iter().filter(|found| found.kind == kind).collect()
    }
}

fn value(found: &Finding, name: &str) -> f64 {
    found.figures.iter().find(|figure| figure.name == name).unwrap_or_else(|| panic!("no {name}: {found:?}")).value
}

#[test]
fn who_plays_fair_is_left_alone() {
    let looked = Season::fair().look();
    assert_eq!((looked.matches, looked.players), (1140, 20));
    assert!(looked.found.is_empty(), "{:?}", looked.found);
}

#[test]
fn two_who_meet_far_more_often_than_others_stand_there_with_what_is_usual() {
    let mut season = Season::fair();
    // 7 feeds 8, and each plays two others once, so as not to be alone.
    for _ in 0..19 {
        season.duel((8, 1500.0), (7, 1500.0), Went(1, "fleet", LONG));
    }
    season.duel((7, 1500.0), (8, 1500.0), Went(1, "fleet", LONG));
    for (own, other) in [(7, 100), (8, 101), (8, 102)] {
        season.duel((own, 1500.0), (other, 1500.0), Went(1, "fleet", LONG));
    }
    let found = season.found(Kind::RepeatedPair);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].accounts, [8, 7], "the winner first");
    assert_eq!([value(&found[0], "matches"), value(&found[0], "won-by-first")], [20.0, 19.0]);
    assert_eq!([value(&found[0], "usual-of-first"), value(&found[0], "share-of-first")], [1.0, 20.0 / 22.0]);
    assert_eq!(found[0].matches.len(), 5);
    // Friends who win by turns are no finding.
    let mut friends = Season::fair();
    for round in 0..20_u8 {
        friends.duel((8, 1500.0), (7, 1500.0), Went(1 + round % 2, "fleet", LONG));
    }
    friends.duel((7, 1500.0), (100, 1500.0), Went(1, "fleet", LONG));
    assert!(friends.found(Kind::RepeatedPair).is_empty());
}

#[test]
fn losses_within_few_moves_are_counted_with_whom_they_serve() {
    let mut season = Season::fair();
    for other in [100, 101, 102, 102, 102, 102] {
        season.duel((7, 1500.0), (other, 1500.0), Went(2, if other == 100 { "time" } else { "resignation" }, 6));
    }
    // Long games, and those that the player wins, don't count.
    season.duel((7, 1500.0), (103, 1500.0), Went(2, "resignation", LONG));
    season.duel((7, 1500.0), (103, 1500.0), Went(1, "resignation", 6));
    let found = season.found(Kind::EarlyLosses);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].accounts, [7, 102]);
    let figures = ["early", "by-resignation", "on-time", "losses", "to-second"].map(|name| value(&found[0], name));
    assert_eq!(figures, [6.0, 5.0, 1.0, 7.0, 4.0]);
}

#[test]
fn a_rating_that_falls_and_rises_far_is_found_both_ways() {
    let mut season = Season::fair();
    let mut rating = 1700.0;
    for other in 0..25_u128 {
        season.duel((7, rating), (100 + other % 20, 1500.0), Went(2, "fleet", LONG));
        rating -= 10.0;
    }
    for other in 0..22_u128 {
        season.duel((7, rating), (100 + other % 20, 1500.0), Went(1, "fleet", LONG));
        rating += 10.0;
    }
    let (drop, climb) = (season.found(Kind::Drop), season.found(Kind::Climb));
    assert_eq!((drop.len(), climb.len()), (1, 1), "{drop:?} {climb:?}");
    assert_eq!(["points", "from", "to", "matches"].map(|name| value(&drop[0], name)), [250.0, 1700.0, 1450.0, 25.0]);
    assert_eq!(["points", "from", "to", "matches"].map(|name| value(&climb[0], name)), [220.0, 1450.0, 1670.0, 22.0]);
    // A newcomer's rating still settles: it isn't established yet.
    season.seats.iter_mut().for_each(|seat| seat.established = false);
    assert!(season.found(Kind::Drop).is_empty() && season.found(Kind::Climb).is_empty());
}

#[test]
fn accounts_that_share_nothing_but_each_other_are_a_circle() {
    let mut season = Season::fair();
    for round in 0..12_u8 {
        let (one, two) = [(7, 8), (8, 9), (9, 7)][usize::from(round % 3)];
        season.duel((one, 1500.0), (two, 1500.0), Went(1 + round % 2, "fleet", LONG));
    }
    let found = season.found(Kind::ClosedCircle);
    assert_eq!(found.len(), 1, "{found:?}");
    let mut circle = found[0].accounts.clone();
    circle.sort();
    assert_eq!(circle, [7, 8, 9]);
    assert_eq!(value(&found[0], "matches"), 12.0);
    // One match with another player opens the circle; and three who are all the players are no circle.
    season.duel((9, 1500.0), (100, 1500.0), Went(1, "fleet", LONG));
    assert!(season.found(Kind::ClosedCircle).is_empty());
    season.seats.retain(|seat| circle.contains(&seat.account) && circle.contains(&seat.opponent));
    assert!(season.found(Kind::ClosedCircle).is_empty());
}

#[test]
fn a_streak_is_found_when_the_ratings_do_not_explain_it() {
    let streak = |winner: f64, loser: f64| {
        let mut season = Season::fair();
        season.duel((8, loser), (7, winner), Went(1, "fleet", LONG));
        for _ in 0..9 {
            season.duel((8, loser), (7, winner), Went(2, "fleet", LONG));
        }
        season.found(Kind::LosingStreak)
    };
    let found = streak(1500.0, 1500.0);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].accounts.clone(), value(&found[0], "in-a-row")), (vec![7, 8], 9.0));
    assert!((value(&found[0], "chance") - 0.5_f64.powi(9)).abs() < 1e-12);
    // A far stronger player wins nine times.
    assert!(streak(2000.0, 1500.0).is_empty());
}

#[test]
fn who_wins_by_the_clock_alone_is_found() {
    let mut season = Season::fair();
    for other in 100..110 {
        let ending = if other == 100 { "fleet" } else { "time" };
        season.duel((7, 1500.0), (other, 1500.0), Went(1, ending, LONG));
        season.duel((7, 1500.0), (other, 1500.0), Went(2, "time", LONG));
    }
    let found = season.found(Kind::WinsOnTime);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(["on-time", "wins", "opponents"].map(|name| value(&found[0], name)), [9.0, 10.0, 9.0]);
}

#[test]
fn who_calls_matches_off_again_and_again_is_found() {
    let mut season = Season::fair();
    let pool = Pool::all().next().unwrap();
    let called_off =
        |account: u128, opponent: u128| super::CalledOff { match_id: 5000 + opponent, pool, account, opponent };
    // Each of the twenty has played more than a hundred: a few aborted ones are nothing. And four are few.
    season.called_off.extend((100..105).map(|opponent| called_off(107, opponent)));
    season.called_off.extend((100..104).map(|opponent| called_off(50, opponent)));
    assert!(season.found(Kind::CalledOff).is_empty());
    season.called_off.push(called_off(50, 103));
    let found = season.found(Kind::CalledOff);
    assert_eq!((found.len(), &found[0].accounts), (1, &vec![50]));
    assert_eq!(["called-off", "opponents", "share"].map(|name| value(&found[0], name)), [5.0, 4.0, 1.0]);
}

#[test]
fn the_gravest_of_a_kind_come_first_and_no_more_than_asked_for() {
    let mut season = Season::fair();
    for loser in 1..=5_u128 {
        for _ in 0..(8 + loser) {
            season.duel((loser, 1500.0), (50, 1500.0), Went(2, "fleet", LONG));
        }
    }
    let found = detect(&season.seats, &[], &THRESHOLDS, 3).found;
    let streaks: Vec<_> = found.iter().filter(|found| found.kind == Kind::LosingStreak).collect();
    assert_eq!(streaks.iter().map(|found| value(found, "in-a-row")).collect::<Vec<_>>(), [13.0, 12.0, 11.0]);
}
