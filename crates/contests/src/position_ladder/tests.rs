//! The laws of position ladders, as properties over random histories: a small world that only follows the rules, with a
//! log.

use broadside_rules::Time;
use proptest::prelude::*;

use super::rules::{bars, consequence, declined, has_nobody_to_challenge, inactive, kept_since, played, takes_over};
use super::{Bar, Between, Inactivity, InvalidStep, Outcome, Reason, Terms};

mod by_hand;
mod shields;

type Member = super::Member<u128>;
type Positions = super::Positions<u128>;
type Seated = super::Seated<u128>;
type Step = super::Step<u128>;

/// A ladder in memory: it calls the same functions as the real one, in the same order.
struct World {
    terms: Terms,
    now: Time,
    members: Vec<Member>,
    places: Positions,
    /// Challenger, defender, acceptance, and the defender's position.
    running: Vec<(u128, u128, bool, u32)>,
    met: Vec<(u128, u128, Time)>,
    declines: Vec<(u128, Time)>,
    log: Vec<(Step, Reason)>,
}

/// The next event; numbers choose among the members.
#[derive(Clone, Copy, Debug)]
enum Happening {
    Passes(u32),
    Joins,
    Leaves(usize),
    Challenges(usize, usize),
    Accepts(usize),
    Declines(usize),
    Ends(usize, Option<(u32, u32)>),
    Expires(usize),
    Sweep,
}

fn happening() -> impl Strategy<Value = Happening> {
    let points = proptest::option::of((0..3_u32).prop_map(|points| (points, 2 - points)));
    prop_oneof![
        3 => (1..200_000_u32).prop_map(Happening::Passes),
        3 => Just(Happening::Joins),
        1 => any::<usize>().prop_map(Happening::Leaves),
        12 => (any::<usize>(), any::<usize>()).prop_map(|(one, other)| Happening::Challenges(one, other)),
        5 => any::<usize>().prop_map(Happening::Accepts),
        2 => any::<usize>().prop_map(Happening::Declines),
        5 => (any::<usize>(), points).prop_map(|(which, points)| Happening::Ends(which, points)),
        1 => any::<usize>().prop_map(Happening::Expires),
        1 => Just(Happening::Sweep),
    ]
}

fn terms() -> impl Strategy<Value = Terms> {
    let days = |most: u32| (0..=most).prop_map(|days| days * 86_400);
    (1..6_u32, 0..3_u32, days(3), days(9), 0..4_u32, any::<bool>()).prop_map(
        |(reach, declines, protection_s, no_return_s, loser_falls, falls)| Terms {
            reach,
            declines,
            protection_s,
            no_return_s,
            loser_falls,
            inactive_after_s: Some(30 * 86_400),
            inactivity: if falls { Inactivity::Falls } else { Inactivity::ToTheEnd },
            ..Terms::default()
        },
    )
}

impl World {
    fn new(terms: Terms) -> Self {
        Self {
            terms,
            now: Time(0),
            members: Vec::new(),
            places: Positions::default(),
            running: Vec::new(),
            met: Vec::new(),
            declines: Vec::new(),
            log: Vec::new(),
        }
    }

    fn steps(&mut self, step: Step, reason: Reason) {
        self.places.take(&step).unwrap();
        // Each position follows from the step alone, as in a database without a list.
        for member in self.members.iter_mut().filter(|member| member.account != step.account) {
            member.place = step.moved(member.place);
        }
        if let (Some(to), Some(member)) =
            (step.to, self.members.iter_mut().find(|member| member.account == step.account))
        {
            member.place = to;
        }
        self.log.push((step, reason));
    }

    fn seated(&self, account: u128) -> Seated {
        Seated { account, place: self.places.of(account).unwrap() }
    }

    fn member(&mut self, account: u128) -> &mut Member {
        self.members.iter_mut().find(|member| member.account == account).unwrap()
    }

    fn between(&self, one: u128, other: u128) -> Between {
        let met = self.met.iter().rev().find(|(a, b, _)| (*a, *b) == (one, other) || (*b, *a) == (one, other));
        Between { met_at: met.map(|(.., at)| *at), ..Between::default() }
    }

    fn ends(&mut self, which: usize, outcome: Outcome) {
        let (challenger, defender, _, at_stake) = self.running.remove(which);
        self.member(challenger).challenges = None;
        let other = self.running.iter().find(|(_, challenged, ..)| *challenged == defender).map(|(by, ..)| *by);
        self.member(defender).challenged_by = other;
        let (up, down) = (self.seated(challenger), self.seated(defender));
        let last = self.places.count();
        let mut took_it = false;
        if let Some((step, reason)) = consequence(&self.terms, outcome, up, down, at_stake, last) {
            took_it = takes_over(&step, up, down);
            self.steps(step, reason);
        }
        let (now, until) = (self.now, self.now.plus_s(self.terms.protection_s));
        self.member(challenger).active_at = now;
        if outcome.is_activity() {
            self.member(defender).active_at = now;
        }
        if outcome.is_held() {
            self.member(defender).protected_until = Some(until);
        }
        if outcome.is_met() {
            self.met.push((challenger, defender, now));
        }
        let kept_until = |member: &Member| member.protected_until.map_or(now, |until| until.max(now));
        let member = self.member(defender);
        member.kept_until = Some(kept_until(member));
        let since = member.kept_since;
        if took_it {
            let member = self.member(challenger);
            (member.kept_since, member.kept_until) = (since, Some(kept_until(member)));
        }
    }

    /// One of the challenges that are accepted, or are not yet.
    fn pick(&self, number: usize, accepted: bool) -> Option<usize> {
        let fit: Vec<usize> = (0..self.running.len()).filter(|index| self.running[*index].2 == accepted).collect();
        (!fit.is_empty()).then(|| fit[number % fit.len()])
    }

    /// Ends one of the open challenges, at any stage.
    fn ends_one(&mut self, number: usize, outcome: Outcome) {
        if !self.running.is_empty() {
            self.ends(number % self.running.len(), outcome);
        }
    }

    fn joins(&mut self) {
        let account = self.log.len() as u128 + 1;
        let place = self.places.count() + 1;
        let newcomer = Member {
            account,
            place,
            challenges: None,
            challenged_by: None,
            protected_until: None,
            active_at: self.now,
            kept_since: None,
            kept_until: None,
        };
        self.members.push(newcomer);
        self.steps(Step { account, from: None, to: Some(place) }, Reason::Joined);
    }

    fn leaves(&mut self, number: usize) {
        let Some(account) = self.places.at((number % self.members.len().max(1)) as u32 + 1) else { return };
        while let Some(which) =
            self.running.iter().position(|(challenger, defender, ..)| [*challenger, *defender].contains(&account))
        {
            self.ends(which, Outcome::Cancelled);
        }
        let step = Step { account, from: self.places.of(account), to: None };
        self.members.retain(|member| member.account != account);
        self.steps(step, Reason::Left);
    }

    fn challenges(&mut self, one: usize, two: usize) {
        if self.members.len() < 2 {
            return;
        }
        let (me, other) = (self.members[one % self.members.len()], self.members[two % self.members.len()]);
        let found = bars(&self.terms, &me, &other, self.between(me.account, other.account), self.now);
        if !found.is_empty() {
            return;
        }
        // The allowed challenges are those of the terms, restated here independently.
        assert!(other.place < me.place && me.place - other.place <= self.terms.reach);
        let since = kept_since(&self.terms, &other, self.now);
        let kept = self.now < since.plus_s(self.terms.exclusive_s);
        let challenged = self.running.iter().any(|(_, defender, ..)| *defender == other.account);
        assert!(!kept || !challenged, "challenged twice");
        assert!(!self.running.iter().any(|(challenger, ..)| *challenger == me.account), "challenges two");
        assert!(!self.running.iter().any(|(a, b, ..)| (*b, *a) == (me.account, other.account)), "each other");
        self.member(me.account).challenges = Some(other.account);
        let defender = self.member(other.account);
        defender.kept_since = Some(since);
        defender.challenged_by = defender.challenged_by.or(Some(me.account));
        self.running.push((me.account, other.account, false, other.place));
    }

    /// The bars to a challenge of each member within reach.
    fn above(&self, account: u128) -> Vec<Vec<Bar>> {
        let me = self.members.iter().find(|member| member.account == account).unwrap();
        let within = |other: &&Member| other.place < me.place && me.place - other.place <= self.terms.reach;
        let judged = |other: &Member| bars(&self.terms, me, other, self.between(account, other.account), self.now);
        self.members.iter().filter(within).map(judged).collect()
    }

    fn sweep(&mut self) {
        let terms = self.terms;
        let idle = |world: &Self, member: &Member| {
            let since = terms.inactive_after_s.map(|after_s| member.active_at.plus_s(after_s));
            let busy = world.running.iter().any(|(a, b, ..)| [*a, *b].contains(&member.account));
            !busy && since.is_some_and(|since| since <= world.now)
        };
        let due: Vec<u128> =
            self.members.iter().filter(|member| idle(self, member)).map(|member| member.account).collect();
        for account in due {
            let since = self.member(account).active_at;
            self.member(account).active_at = self.now;
            let has_declined = self.declines.iter().any(|(who, at)| *who == account && *at > since);
            if !has_declined && has_nobody_to_challenge(self.above(account).iter().map(Vec::as_slice)) {
                continue;
            }
            assert!(has_declined || self.places.of(account) != Some(1), "the first has nobody to challenge");
            if let Some(step) = inactive(&terms, self.seated(account), self.places.count()) {
                self.steps(step, Reason::Inactive);
            }
        }
    }

    fn lives(&mut self, happening: Happening) {
        match happening {
            Happening::Passes(seconds) => self.now = self.now.plus_s(seconds),
            Happening::Joins => self.joins(),
            Happening::Leaves(number) => self.leaves(number),
            Happening::Challenges(one, other) => self.challenges(one, other),
            Happening::Accepts(number) => {
                if let Some(which) = self.pick(number, false) {
                    self.running[which].2 = true;
                }
            }
            Happening::Declines(number) => {
                let Some(which) = self.pick(number, false) else { return };
                let defender = self.running[which].1;
                let since = self.now.plus_ms(-i64::from(super::terms::DECLINES_COUNT_FOR_S) * 1000);
                let before = self.declines.iter().filter(|(who, at)| *who == defender && *at > since).count();
                self.declines.push((defender, self.now));
                self.ends(which, declined(&self.terms, before as u32));
            }
            Happening::Ends(number, points) => {
                if let Some(which) = self.pick(number, true) {
                    self.ends(which, played(points));
                }
            }
            Happening::Expires(number) => {
                if let Some(which) = self.pick(number, false) {
                    self.ends(which, Outcome::Unanswered);
                }
            }
            Happening::Sweep => self.sweep(),
        }
    }
}

proptest! {
    /// In any history: positions are 1 to n without gaps, everybody has one, nobody rises but by winning, and the log
    /// alone gives the same standing.
    #[test]
    fn places_have_no_gaps_and_the_log_gives_the_standing(
        terms in terms(), happenings in proptest::collection::vec(happening(), 1..150)
    ) {
        let mut world = World::new(terms);
        for happening in happenings {
            let before = world.log.len();
            world.lives(happening);
            let by_place: Vec<u32> = {
                let mut places: Vec<u32> = world.members.iter().map(|member| member.place).collect();
                places.sort_unstable();
                places
            };
            prop_assert_eq!(&by_place, &(1..=world.places.count()).collect::<Vec<u32>>());
            for member in &world.members {
                prop_assert_eq!(world.places.at(member.place), Some(member.account));
            }
            // Nobody rises but by a challenge of their own, or because a member above has left or fallen.
            for (step, reason) in &world.log[before..] {
                if let (Some(from), Some(to)) = (step.from, step.to) {
                    let won = matches!(reason, Reason::ChallengeWon | Reason::ChallengeForfeited | Reason::ChallengeUnanswered);
                    prop_assert_eq!(to < from, won, "{:?} {:?}", step, reason);
                }
            }
        }
        let mut replayed = Positions::default();
        for (step, _) in &world.log {
            prop_assert_eq!(replayed.take(step), Ok(()));
        }
        prop_assert_eq!(replayed, world.places);
    }

    /// A step that doesn't follow from the positions before is refused, and changes nothing.
    #[test]
    fn a_forged_step_is_refused(count in 1..8_u32, who in 1..10_u32, from in 0..10_u32, to in 0..11_u32) {
        let mut places = Positions::default();
        for number in 1..=count {
            places.take(&Step { account: u128::from(number), from: None, to: Some(number) }).unwrap();
        }
        let before = places.clone();
        let step = Step { account: u128::from(who), from: (from > 0).then_some(from), to: (to > 0).then_some(to) };
        let here = (who <= count).then_some(who);
        let taken = places.take(&step);
        let room = count + u32::from(step.from.is_none());
        if step.from != here || (step.from, step.to) == (None, None) {
            prop_assert_eq!(taken, Err(InvalidStep::WrongStart));
        } else if to > room {
            prop_assert_eq!(taken, Err(InvalidStep::NoSuchPosition));
        } else {
            prop_assert_eq!(taken, Ok(()));
            prop_assert_eq!(places.of(u128::from(who)), step.to);
            return Ok(());
        }
        prop_assert_eq!(places, before);
    }
}
