//! The clocks of one match: the time left to each seat, the start of its running clock, and its stops. The terms are in
//! `clock.rs`, the turns in `table.rs`, the presentation in `timetable.rs`.
use alloc::{borrow::Cow, vec::Vec};

use crate::{
    clock::{BankClock, Clock},
    pause::Pause,
    rest::{DownTime, Plan},
    seat::{Seat, SeatSet},
    time::Time,
};

const SEATS: usize = Seat::MOST as usize;

/// The most time a clock can have after an addition: 14 days.
const MOST_LEFT_S: u32 = 1_209_600;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct SeatClock {
    /// The time left when the clock last started or stopped; `None` without a limit.
    left_ms: Option<i64>,
    /// The start of the running clock.
    since: Option<Time>,
    /// The start of the current turn; an armistice stops the clock and leaves the turn.
    began: Option<Time>,
    /// The time left at the start of the turn.
    given_ms: Option<i64>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Clocks {
    terms: Clock,
    seats: [SeatClock; SEATS],
    plans: [Plan; SEATS],
    /// Past armistices, in which no clock ran.
    pauses: Vec<(Time, Time)>,
    /// The contest's pauses, in order. They lie over the plans without changing them: a pause that ends early leaves
    /// later nights as planned.
    contest_pauses: Vec<Pause>,
    /// The total running time of each clock at its last stop.
    taken_ms: [i64; SEATS],
}

impl Clocks {
    pub fn new(terms: Clock) -> Self {
        Self {
            terms,
            seats: Default::default(),
            plans: Default::default(),
            pauses: Vec::new(),
            contest_pauses: Vec::new(),
            taken_ms: [0; SEATS],
        }
    }

    pub const fn terms(&self) -> &Clock {
        &self.terms
    }

    /// Begins the deployment of these seats: the time of all of them runs.
    pub fn begin_deployment(&mut self, seats: SeatSet, at: Time) {
        let left_ms = self.terms.deploy_s().map(|seconds| i64::from(seconds) * 1000);
        for seat in seats.iter() {
            self.seats[seat.index()] = SeatClock { left_ms, since: Some(at), began: Some(at), given_ms: left_ms };
            self.plans[seat.index()].forget_before(at);
        }
    }

    /// Begins the battle: nothing is carried over, and no clock runs yet.
    pub fn begin_battle(&mut self) {
        self.seats = [SeatClock { left_ms: self.terms.battle_ms(), ..SeatClock::default() }; SEATS];
    }

    /// Begins a turn of the seat in battle. A running clock goes on: actions of others begin no new turn.
    pub fn start(&mut self, seat: Seat, at: Time) {
        let left_ms = self.at_next_turn(seat);
        let clock = &mut self.seats[seat.index()];
        if clock.since.is_none() {
            *clock = SeatClock { left_ms, since: Some(at), began: Some(at), given_ms: left_ms };
            self.plans[seat.index()].forget_before(at);
        }
    }

    /// The time of the seat at the start of its next turn in battle.
    pub fn at_next_turn(&self, seat: Seat) -> Option<i64> {
        match self.terms {
            Clock::PerMove(_) => self.terms.battle_ms(),
            _ => self.seats[seat.index()].left_ms,
        }
    }

    /// Ends a turn of the seat; a move in battle adds the increment of the terms.
    pub fn stop(&mut self, seat: Seat, at: Time, moved: bool) {
        let left_ms = self.left_after(seat, at, moved);
        self.taken_ms[seat.index()] = self.taken_ms(seat, at);
        let clock = &mut self.seats[seat.index()];
        *clock = SeatClock { left_ms, given_ms: clock.given_ms, ..SeatClock::default() };
    }

    /// The time left to the seat if its turn ended now.
    pub fn left_after(&self, seat: Seat, at: Time, moved: bool) -> Option<i64> {
        let left_ms = self.left_ms(seat, at)?;
        Some(match self.terms {
            Clock::Bank(BankClock { increment_s, cap_s, .. }) if moved && self.runs(seat) => {
                (left_ms + i64::from(increment_s) * 1000).min(i64::from(cap_s) * 1000)
            }
            _ => left_ms,
        })
    }

    /// Begins an armistice: stops all clocks where they are, and returns the seats of those that ran.
    pub fn halt(&mut self, at: Time) -> SeatSet {
        let running: SeatSet = (0..Seat::MOST).map(Seat).filter(|seat| self.runs(*seat)).collect();
        for seat in running.iter() {
            let left_ms = self.left_ms(seat, at);
            self.taken_ms[seat.index()] = self.taken_ms(seat, at);
            let clock = &mut self.seats[seat.index()];
            (clock.left_ms, clock.since) = (left_ms, None);
        }
        running
    }

    /// Ends the armistice. The clocks it stopped resume from where they stood, if their seats still have the turn.
    pub fn go_on(&mut self, began: Time, stopped: SeatSet, to_act: SeatSet, at: Time) {
        self.pauses.push((began, at));
        for seat in stopped.iter() {
            let clock = &mut self.seats[seat.index()];
            if to_act.contains(seat) && clock.began.is_some() {
                clock.since = Some(at);
            } else {
                clock.began = None;
            }
        }
        for seat in to_act.iter() {
            self.start(seat, at);
        }
    }

    /// Stops all clocks for good.
    pub fn end(&mut self, to_act: SeatSet, at: Time) {
        for seat in to_act.iter() {
            self.stop(seat, at, false);
        }
        self.seats.iter_mut().for_each(|clock| clock.began = None);
        self.plans = Default::default();
    }

    /// Plans the seat's rests from `from` on.
    pub fn plan(&mut self, seat: Seat, from: Time, next: &Plan, at: Time) {
        let began = self.seats[seat.index()].began;
        let plan = &mut self.plans[seat.index()];
        *plan = plan.followed_by(from, next);
        plan.forget_before(began.unwrap_or(at));
    }

    /// Stops the running clocks for a past span of down time, as far as it lies in their turns.
    pub fn rest(&mut self, down: DownTime) {
        for (clock, plan) in self.seats.iter().zip(&mut self.plans) {
            if let Some(since) = clock.since.filter(|_| clock.left_ms.is_some()) {
                plan.lay(DownTime { from: down.from.max(since), ..down });
            }
        }
    }

    /// Adds a pause of the contest, or gives the pause with that start another end. Present and future clocks stand
    /// still in it.
    pub fn pause(&mut self, pause: Pause) {
        match self.contest_pauses.iter_mut().find(|known| known.from == pause.from) {
            Some(known) => known.until = pause.until,
            None => self.contest_pauses.push(pause),
        }
    }

    /// The contest's pauses, in order.
    pub fn contest_pauses(&self) -> &[Pause] {
        &self.contest_pauses
    }

    /// The milliseconds between two times outside the contest's pauses.
    pub fn unpaused_ms(&self, from: Time, until: Time) -> i64 {
        Plan::default().with(&self.contest_pauses).running_ms(from, until)
    }

    /// The start of the clock with a limit that has run longest.
    pub fn first_since(&self) -> Option<Time> {
        self.seats.iter().filter(|clock| clock.left_ms.is_some()).filter_map(|clock| clock.since).min()
    }

    /// The seat's own rests that still matter.
    pub fn planned(&self, seat: Seat) -> Option<&Plan> {
        self.plans.get(seat.index())
    }

    /// The spans in which the seat's clock stands still: its own rests and the contest's pauses.
    pub fn resting(&self, seat: Seat) -> Option<Cow<'_, Plan>> {
        self.planned(seat).map(|plan| plan.with(&self.contest_pauses))
    }

    /// The seats whose deadline lies beyond their known rests.
    pub fn plans_needed(&self) -> SeatSet {
        let lacks = |seat: &Seat| {
            let deadline = self.deadline_of(*seat);
            deadline.is_some_and(|deadline| !self.plans[seat.index()].reaches(deadline))
        };
        (0..Seat::MOST).map(Seat).filter(lacks).collect()
    }

    pub fn runs(&self, seat: Seat) -> bool {
        self.seats.get(seat.index()).is_some_and(|clock| clock.since.is_some())
    }

    /// The start of the seat's current turn.
    pub fn began(&self, seat: Seat) -> Option<Time> {
        self.seats.get(seat.index())?.began
    }

    /// The seat's time at the start of its last turn.
    pub fn given_ms(&self, seat: Seat) -> Option<i64> {
        self.seats.get(seat.index())?.given_ms
    }

    /// The seat's deadline, if its clock runs against a limit.
    pub fn deadline_of(&self, seat: Seat) -> Option<Time> {
        self.reaches(seat, 0)
    }

    /// The time at which a running clock will have `left_ms`; its start, if it had no more by then.
    pub fn reaches(&self, seat: Seat, left_ms: i64) -> Option<Time> {
        let clock = self.seats.get(seat.index())?;
        let (since, running_ms) = (clock.since?, clock.left_ms?.saturating_sub(left_ms));
        Some(self.resting(seat)?.after(since, running_ms))
    }

    /// The time left at this time, if nothing happens before; never below 0. `None` without a limit.
    pub fn left_ms(&self, seat: Seat, at: Time) -> Option<i64> {
        let clock = self.seats.get(seat.index())?;
        Some((clock.left_ms? - self.run_ms(seat, at)).max(0))
    }

    /// The seat's running time in the whole match, without rests.
    pub fn taken_ms(&self, seat: Seat, at: Time) -> i64 {
        let running_ms = self.run_ms(seat, at);
        self.taken_ms.get(seat.index()).map_or(0, |before| before.saturating_add(running_ms))
    }

    /// The running time of the seat's clock since its last start; 0 if it stands.
    fn run_ms(&self, seat: Seat, at: Time) -> i64 {
        let since = self.seats.get(seat.index()).and_then(|clock| clock.since);
        since.zip(self.resting(seat)).map_or(0, |(since, resting)| resting.running_ms(since, at))
    }

    /// Adds time to the seat's current turn, up to the limit of a clock; returns whether anything was added.
    pub fn add(&mut self, seat: Seat, seconds: u32, at: Time) -> bool {
        let left_ms = self.left_ms(seat, at).filter(|_| self.runs(seat));
        let (Some(left_ms), Some(clock)) = (left_ms, self.seats.get_mut(seat.index())) else { return false };
        let more_ms = i64::from(seconds) * 1000;
        if more_ms == 0 || left_ms.saturating_add(more_ms) > i64::from(MOST_LEFT_S) * 1000 {
            return false;
        }
        for time in [&mut clock.left_ms, &mut clock.given_ms] {
            *time = time.map(|time| time.saturating_add(more_ms));
        }
        true
    }

    /// The whole seconds left at the last start or stop of the seat's clock.
    pub fn time_left_s(&self, seat: Seat) -> Option<u32> {
        whole_s(self.seats.get(seat.index())?.left_ms?)
    }

    /// Past armistices.
    pub fn pauses(&self) -> &[(Time, Time)] {
        &self.pauses
    }
}

pub(crate) fn whole_s(ms: i64) -> Option<u32> {
    u32::try_from(ms / 1000).ok()
}
