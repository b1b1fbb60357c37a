//! How the clocks of one match stand: what each seat has left, since when its clock runs, and when it stands still. The
//! terms are in `clock.rs`; whose clock runs when is for `table.rs` to say, and how it is shown for `timetable.rs`.
use alloc::{borrow::Cow, vec::Vec};

use crate::{
    clock::{BankClock, Clock},
    pause::Pause,
    rest::{DownTime, Plan},
    seat::{Seat, SeatSet},
    time::Time,
};

const SEATS: usize = Seat::MOST as usize;

/// No clock has more left after somebody was given more time: 14 days.
const MOST_LEFT_S: u32 = 1_209_600;

/// One seat's clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct SeatClock {
    /// What was left when the clock last started or stopped; `None` without a limit.
    left_ms: Option<i64>,
    /// Since when it runs, if it does.
    since: Option<Time>,
    /// When this turn of it began; an armistice stops the clock and leaves the turn.
    began: Option<Time>,
    /// What was left then.
    given_ms: Option<i64>,
}

/// The clocks of all seats.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Clocks {
    terms: Clock,
    seats: [SeatClock; SEATS],
    plans: [Plan; SEATS],
    /// The armistices that are over: while they lasted no clock ran.
    pauses: Vec<(Time, Time)>,
    /// The pauses of the contest, in order. They lie over the plans, which they don't change: one that ends before its
    /// time leaves the nights behind it as they were.
    contest_pauses: Vec<Pause>,
    /// For how long each clock had run when it last stopped.
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

    /// The deployment of these seats begins: its time runs for all of them.
    pub fn begin_deployment(&mut self, seats: SeatSet, at: Time) {
        let left_ms = self.terms.deploy_s().map(|seconds| i64::from(seconds) * 1000);
        for seat in seats.iter() {
            self.seats[seat.index()] = SeatClock { left_ms, since: Some(at), began: Some(at), given_ms: left_ms };
            self.plans[seat.index()].forget_before(at);
        }
    }

    /// The battle begins: nothing is carried over, and no clock runs yet.
    pub fn begin_battle(&mut self) {
        self.seats = [SeatClock { left_ms: self.terms.battle_ms(), ..SeatClock::default() }; SEATS];
    }

    /// A turn of the seat in battle begins. A clock that runs goes on running: the others' doings make no new turn.
    pub fn start(&mut self, seat: Seat, at: Time) {
        let left_ms = self.at_next_turn(seat);
        let clock = &mut self.seats[seat.index()];
        if clock.since.is_none() {
            *clock = SeatClock { left_ms, since: Some(at), began: Some(at), given_ms: left_ms };
            self.plans[seat.index()].forget_before(at);
        }
    }

    /// What the seat's next turn in battle begins with.
    pub fn at_next_turn(&self, seat: Seat) -> Option<i64> {
        match self.terms {
            Clock::PerMove(_) => self.terms.battle_ms(),
            _ => self.seats[seat.index()].left_ms,
        }
    }

    /// A turn of the seat ends; with a move in battle it gains what the terms give.
    pub fn stop(&mut self, seat: Seat, at: Time, moved: bool) {
        let left_ms = self.left_after(seat, at, moved);
        self.taken_ms[seat.index()] = self.taken_ms(seat, at);
        let clock = &mut self.seats[seat.index()];
        *clock = SeatClock { left_ms, given_ms: clock.given_ms, ..SeatClock::default() };
    }

    /// What the seat would have left if its turn ended now.
    pub fn left_after(&self, seat: Seat, at: Time, moved: bool) -> Option<i64> {
        let left_ms = self.left_ms(seat, at)?;
        Some(match self.terms {
            Clock::Bank(BankClock { increment_s, cap_s, .. }) if moved && self.runs(seat) => {
                (left_ms + i64::from(increment_s) * 1000).min(i64::from(cap_s) * 1000)
            }
            _ => left_ms,
        })
    }

    /// An armistice begins: all clocks stop where they are. Whose it has stopped.
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

    /// The armistice is over. Clocks that it had stopped go on from where they stood, where it is still those seats'
    /// turn.
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

    /// No clock will run any more.
    pub fn end(&mut self, to_act: SeatSet, at: Time) {
        for seat in to_act.iter() {
            self.stop(seat, at, false);
        }
        self.seats.iter_mut().for_each(|clock| clock.began = None);
        self.plans = Default::default();
    }

    /// From `from` on these are the seat's rests.
    pub fn plan(&mut self, seat: Seat, from: Time, next: &Plan, at: Time) {
        let began = self.seats[seat.index()].began;
        let plan = &mut self.plans[seat.index()];
        *plan = plan.followed_by(from, next);
        plan.forget_before(began.unwrap_or(at));
    }

    /// The service could not be reached in a span that is over: clocks that run stood still then, as far as the span
    /// lies in their turns.
    pub fn rest(&mut self, down: DownTime) {
        for (clock, plan) in self.seats.iter().zip(&mut self.plans) {
            if let Some(since) = clock.since.filter(|_| clock.left_ms.is_some()) {
                plan.lay(DownTime { from: down.from.max(since), ..down });
            }
        }
    }

    /// The contest is paused, or the pause that began then ends at another time. Clocks stand still in it that run now
    /// or will.
    pub fn pause(&mut self, pause: Pause) {
        match self.contest_pauses.iter_mut().find(|known| known.from == pause.from) {
            Some(known) => known.until = pause.until,
            None => self.contest_pauses.push(pause),
        }
    }

    /// The pauses of the contest, in order.
    pub fn contest_pauses(&self) -> &[Pause] {
        &self.contest_pauses
    }

    /// Milliseconds between two times in which the contest wasn't paused.
    pub fn unpaused_ms(&self, from: Time, until: Time) -> i64 {
        Plan::default().with(&self.contest_pauses).running_ms(from, until)
    }

    /// Since when the clock runs that has run longest, if any does against a limit.
    pub fn first_since(&self) -> Option<Time> {
        self.seats.iter().filter(|clock| clock.left_ms.is_some()).filter_map(|clock| clock.since).min()
    }

    /// The seat's own rests, as far as they matter yet.
    pub fn planned(&self, seat: Seat) -> Option<&Plan> {
        self.plans.get(seat.index())
    }

    /// When the seat's clock stands still: its own rests, and the pauses of the contest.
    pub fn resting(&self, seat: Seat) -> Option<Cow<'_, Plan>> {
        self.planned(seat).map(|plan| plan.with(&self.contest_pauses))
    }

    /// Whose clocks run to a deadline that lies beyond what is known of their rests.
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

    /// When the seat's turn began, if it is on.
    pub fn began(&self, seat: Seat) -> Option<Time> {
        self.seats.get(seat.index())?.began
    }

    /// What the seat had left when its last turn began.
    pub fn given_ms(&self, seat: Seat) -> Option<i64> {
        self.seats.get(seat.index())?.given_ms
    }

    /// When this seat's time is over, if its clock runs against a limit.
    pub fn deadline_of(&self, seat: Seat) -> Option<Time> {
        self.reaches(seat, 0)
    }

    /// When a clock that runs has no more than this left: the time since which it runs, if it has no more by then.
    pub fn reaches(&self, seat: Seat, left_ms: i64) -> Option<Time> {
        let clock = self.seats.get(seat.index())?;
        let (since, running_ms) = (clock.since?, clock.left_ms?.saturating_sub(left_ms));
        Some(self.resting(seat)?.after(since, running_ms))
    }

    /// What is left at this time, if nothing happens before it; never below 0. `None` without a limit.
    pub fn left_ms(&self, seat: Seat, at: Time) -> Option<i64> {
        let clock = self.seats.get(seat.index())?;
        Some((clock.left_ms? - self.run_ms(seat, at)).max(0))
    }

    /// For how long the seat's clock has run in the whole match, rests not counted.
    pub fn taken_ms(&self, seat: Seat, at: Time) -> i64 {
        let running_ms = self.run_ms(seat, at);
        self.taken_ms.get(seat.index()).map_or(0, |before| before.saturating_add(running_ms))
    }

    /// For how long the seat's clock has run since it last started; 0 if it stands.
    fn run_ms(&self, seat: Seat, at: Time) -> i64 {
        let since = self.seats.get(seat.index()).and_then(|clock| clock.since);
        since.zip(self.resting(seat)).map_or(0, |(since, resting)| resting.running_ms(since, at))
    }

    /// Gives a seat more time for the turn that is on, up to what a clock can have. Whether that is anything.
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

    /// Whole seconds left when the seat's clock last started or stopped.
    pub fn time_left_s(&self, seat: Seat) -> Option<u32> {
        whole_s(self.seats.get(seat.index())?.left_ms?)
    }

    /// The armistices that are over.
    pub fn pauses(&self) -> &[(Time, Time)] {
        &self.pauses
    }
}

/// Milliseconds as whole seconds.
pub(crate) fn whole_s(ms: i64) -> Option<u32> {
    u32::try_from(ms / 1000).ok()
}
