//! The rules one by one, with as few members as possible.

use broadside_rules::Time;

use super::super::rules::{bars, consequence, declined, has_nobody_to_challenge, inactive, kept_since, played};
use super::super::{Bar, Between, Inactivity, Outcome, Reason, Terms};
use super::{Member, Seated};

fn member(number: u128, place: u32) -> Member {
    Member {
        account: number,
        place,
        challenges: None,
        challenged_by: None,
        protected_until: None,
        active_at: Time(0),
        kept_since: None,
        kept_until: None,
    }
}

#[test]
fn each_bar_by_itself() {
    let terms = Terms { reach: 2, no_return_s: 100, ..Terms::default() };
    let (me, other, now) = (member(1, 5), member(2, 4), Time(1_000_000));
    let tried = |me: &Member, other: &Member, between: Between| bars(&terms, me, other, between, now);
    let alone = Between::default();
    assert_eq!(tried(&me, &other, alone), []);
    assert_eq!(tried(&me, &Member { place: 3, ..other }, alone), []);
    assert_eq!(tried(&me, &Member { place: 2, ..other }, alone), [Bar::TooFarAbove]);
    assert_eq!(tried(&me, &Member { place: 6, ..other }, alone), [Bar::NotAbove]);
    assert_eq!(tried(&me, &me, alone), [Bar::NotAbove]);
    let third = Some(3);
    assert_eq!(tried(&Member { challenges: third, ..me }, &other, alone), [Bar::ChallengeOutstanding]);
    // A challenged member may challenge, and a challenger may be challenged.
    assert_eq!(tried(&Member { challenged_by: third, ..me }, &other, alone), []);
    assert_eq!(tried(&me, &Member { challenges: third, ..other }, alone), []);
    assert_eq!(tried(&me, &Member { challenges: Some(me.account), ..other }, alone), [Bar::OpponentChallengesYou]);
    assert_eq!(tried(&me, &Member { challenged_by: third, ..other }, alone), [Bar::OpponentChallenged]);
    let until = |time| Member { protected_until: Some(Time(time)), ..other };
    assert_eq!(tried(&me, &until(1_000_001), alone), [Bar::OpponentProtected]);
    assert_eq!(tried(&me, &until(1_000_000), alone), []);
    let met = |time| Between { met_at: Some(Time(time)), ..alone };
    assert_eq!(tried(&me, &other, met(900_001)), [Bar::RematchTooSoon]);
    assert_eq!(tried(&me, &other, met(900_000)), []);
    assert_eq!(tried(&me, &other, Between { has_met_enough: true, ..alone }), [Bar::MetTooOften]);
    assert_eq!(tried(&me, &other, Between { blocks: true, ..alone }), [Bar::PlayerBlocked]);
    // A position kept from others for long enough is open to everybody.
    let besieged = Member { challenged_by: third, protected_until: Some(Time(2_000_000)), ..other };
    let since = |ago_s: i64| Member { kept_since: Some(now.plus_ms(-ago_s * 1000)), ..besieged };
    let two_weeks_s = 14 * 86_400;
    assert_eq!(tried(&me, &since(two_weeks_s - 1), alone), [Bar::OpponentChallenged, Bar::OpponentProtected]);
    assert_eq!(tried(&me, &since(two_weeks_s), alone), []);
}

#[test]
fn a_place_is_counted_as_kept_from_others_until_it_was_open_for_a_while() {
    let terms = Terms { open_s: 100, ..Terms::default() };
    let (now, before) = (Time(1_000_000), Some(Time(5)));
    let kept = |member: &Member| kept_since(&terms, member, now);
    let fresh = member(1, 1);
    assert_eq!(kept(&fresh), now);
    let ended = |at| Member { kept_since: before, kept_until: Some(Time(at)), ..fresh };
    assert_eq!([kept(&ended(900_001)), kept(&ended(900_000)), kept(&ended(1_100_000))], [Time(5), now, Time(5)]);
    // During another challenge it isn't open.
    assert_eq!(kept(&Member { challenged_by: Some(3), ..ended(0) }), Time(5));
}

#[test]
fn who_has_nobody_to_challenge() {
    let nobody = |above: &[&[Bar]]| has_nobody_to_challenge(above.iter().copied());
    assert!(nobody(&[]), "the first");
    assert!(nobody(&[&[Bar::OpponentChallenged], &[Bar::RematchTooSoon, Bar::PlayerBlocked]]));
    assert!(!nobody(&[&[Bar::OpponentChallenged], &[]]));
    assert!(!nobody(&[&[Bar::PlayerBlocked]]), "a block of one's own excuses nobody");
}

#[test]
fn what_follows_from_each_outcome() {
    let terms = Terms { loser_falls: 2, declines: 1, ..Terms::default() };
    let seated = |number: u128, place| Seated { account: number, place };
    let (low, high) = (seated(1, 5), seated(2, 3));
    let step =
        |outcome| consequence(&terms, outcome, low, high, 3, 6).map(|(step, reason)| (step.from, step.to, reason));
    assert_eq!(step(Outcome::ChallengerWon), Some((Some(5), Some(3), Reason::ChallengeWon)));
    assert_eq!(step(Outcome::Forfeited), Some((Some(5), Some(3), Reason::ChallengeForfeited)));
    assert_eq!(step(Outcome::Unanswered), Some((Some(5), Some(3), Reason::ChallengeUnanswered)));
    // By two places, but there is only one below other.
    assert_eq!(step(Outcome::DefenderWon), Some((Some(5), Some(6), Reason::ChallengeLost)));
    for nothing in [Outcome::Drawn, Outcome::Declined, Outcome::Aborted, Outcome::Withdrawn, Outcome::Cancelled] {
        assert_eq!(step(nothing), None);
    }
    // A challenger who by now stands above has nothing to win.
    assert_eq!(consequence(&terms, Outcome::ChallengerWon, seated(1, 2), seated(2, 3), 1, 6), None);
    // The defender has climbed from 6 to 1 meanwhile: only the position at stake can be won, or the best one in reach.
    let won = |from, at, at_stake| {
        let terms = Terms { reach: 3, ..Terms::default() };
        let step = consequence(&terms, Outcome::ChallengerWon, seated(1, from), seated(2, at), at_stake, 9);
        step.and_then(|(step, _)| step.to)
    };
    assert_eq!(
        [won(9, 1, 6), won(9, 7, 6), won(8, 5, 6), won(8, 1, 6), won(5, 1, 6)],
        [Some(6), Some(7), Some(5), Some(5), Some(2)]
    );
    assert_eq!([won(9, 2, 3), won(6, 3, 3)], [Some(3), Some(3)]);
    assert_eq!(consequence(&Terms::default(), Outcome::DefenderWon, low, high, 3, 6), None);
    assert_eq!([declined(&terms, 0), declined(&terms, 1)], [Outcome::Declined, Outcome::Forfeited]);
    assert_eq!(
        [played(Some((3, 1))), played(Some((2, 2))), played(Some((0, 4))), played(None)],
        [Outcome::ChallengerWon, Outcome::Drawn, Outcome::DefenderWon, Outcome::Aborted]
    );
    let last = |terms: &Terms| inactive(terms, high, 6).and_then(|step| step.to);
    assert_eq!(last(&Terms { reach: 2, ..Terms::default() }), Some(5));
    assert_eq!(last(&Terms { inactivity: Inactivity::ToTheEnd, ..Terms::default() }), Some(6));
    assert_eq!(inactive(&Terms::default(), seated(1, 6), 6), None);
}
