//! The whole truth of a match: decides the results of actions, and applies events. No `Serialize`, no `Display` and no
//! telling `Debug`: everything leaves it as an event, through [`crate::disclose()`]. Legality is checked elsewhere.
use alloc::{vec, vec::Vec};
use core::fmt;

use crate::{
    action::{Action, TableAction},
    chance::{Chance, Draws},
    clock::Rests,
    deadline::{Deadline, DeadlineRule, too_slow},
    dice::Dice,
    event::{Event, TableEvent},
    families::State,
    outcome::{Outcome, Reason, Status},
    pause::Pause,
    rest::{DownTime, Plan, Rest},
    seat::{Seat, SeatSet},
    setup::Setup,
    table::Table,
    time::Time,
};

/// The whole truth of one match.
#[derive(Clone)]
pub struct Battle {
    setup: Setup,
    table: Table,
    state: State,
    /// The number of draws of chance taken.
    draws: u32,
}

impl fmt::Debug for Battle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Battle").field("status", &self.table.status).finish_non_exhaustive()
    }
}

impl Battle {
    /// The first events of a match on these terms: to be applied to [`Battle::new`] and logged like any others.
    #[must_use]
    pub fn open(setup: &Setup, chance: &Chance) -> Vec<Event> {
        let opening = setup.rules.opening(setup.seats, &setup.preferences, &mut Draws::opening(chance));
        let mut events = vec![TableEvent::Opened { first: opening.first, names: opening.names }.into()];
        events.extend(opening.event.map(Event::Family));
        events
    }

    /// A match before its first event.
    #[must_use]
    pub fn new(setup: Setup) -> Self {
        let table = Table::new(setup.clock, setup.seats);
        let state = State::new(&setup.rules, setup.seats);
        Self { setup, table, state, draws: 0 }
    }

    pub(crate) const fn table(&self) -> &Table {
        &self.table
    }

    /// The terms of the match.
    #[must_use]
    pub const fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The events of an action, results included; nothing changes until they are applied.
    ///
    /// The action must be legal for the seat ([`crate::legal()`] with its view) and no time may be due
    /// ([`Battle::expire`]). An action that could never be legal has no events. The dice place a fleet on the player's
    /// request; chance draws what the rules leave to it.
    #[must_use]
    pub fn decide(&self, seat: Seat, action: &Action, dice: &mut Dice, chance: &Chance) -> Vec<Event> {
        match action {
            Action::Table(TableAction::Resign(_)) => {
                self.without(SeatSet::only(seat), Reason::Resignation, |seat| TableEvent::Resigned { seat })
            }
            Action::Table(TableAction::Abort(_)) => vec![TableEvent::Aborted { seat: Some(seat) }.into()],
            Action::Table(TableAction::OfferDraw(_)) => vec![TableEvent::DrawOffered { seat }.into()],
            Action::Table(TableAction::AcceptDraw(_)) => {
                let accepted = TableEvent::DrawAccepted { seat }.into();
                if self.table.all_agree_with(seat) {
                    let outcome = self.state.drawn();
                    vec![accepted, TableEvent::Finished { outcome }.into(), self.state.reveal().into()]
                } else {
                    vec![accepted]
                }
            }
            Action::Table(TableAction::DeclineDraw(_)) => vec![TableEvent::DrawDeclined { seat }.into()],
            Action::Table(TableAction::CallArmistice(_)) => vec![TableEvent::ArmisticeCalled { seat }.into()],
            Action::Table(TableAction::EndArmistice(_)) => {
                let mut events = vec![TableEvent::ArmisticeAgreed { seat }.into()];
                if self.table.armistice_ends_without(SeatSet::only(seat)) {
                    events.push(TableEvent::ArmisticeEnded {}.into());
                }
                events
            }
            Action::Auto(_) => {
                let placed = self.state.deploy_auto(&self.setup.rules, seat, dice);
                placed.map_or_else(Vec::new, |action| self.decide(seat, &Action::Family(action), dice, chance))
            }
            Action::Family(action) => {
                let mut draws = Draws::battle(chance, self.draws);
                let Some((events, outcome)) = self.state.decide(&self.setup.rules, seat, action, &mut draws) else {
                    return Vec::new();
                };
                let mut events: Vec<Event> = events.into_iter().map(Event::Family).collect();
                if let Some(outcome) = outcome {
                    let reveal = self.after(&events).reveal();
                    events.extend([TableEvent::Finished { outcome }.into(), reveal.into()]);
                }
                events
            }
        }
    }

    /// The time-outs at this time; none before a deadline. Seats out of time are out of the match; if all are, and no
    /// shot has been fired, it is aborted.
    #[must_use]
    pub fn expire(&self, at: Time) -> Vec<Event> {
        if let Some(until) = self.table.armistice_until() {
            return if until <= at { vec![TableEvent::ArmisticeEnded {}.into()] } else { Vec::new() };
        }
        let due = self.table.due(at);
        if due.is_empty() {
            return Vec::new();
        }
        if !self.table.fired && self.table.playing().iter().all(|seat| due.contains(seat)) {
            return vec![TableEvent::Aborted { seat: None }.into()];
        }
        self.without(due, Reason::Time, |seat| TableEvent::TimedOut { seat })
    }

    /// Ends the match with a result, from outside: a seat still playing wins, or all of them draw. No events when the
    /// match is over, or the winner no longer plays. No time may be due ([`Battle::expire`]).
    #[must_use]
    pub fn adjudicate(&self, winner: Option<Seat>) -> Vec<Event> {
        let out = |seat: Seat| !self.table.playing().contains(seat);
        if self.table.status.is_over() || winner.is_some_and(out) {
            return Vec::new();
        }
        let drawn = Outcome { reason: Reason::Adjudicated, ..self.state.drawn() };
        let outcome = match winner {
            Some(winner) => drawn.given_to(|seat| self.setup.rules.allied(winner, seat)),
            None => drawn,
        };
        vec![TableEvent::Adjudicated {}.into(), TableEvent::Finished { outcome }.into(), self.state.reveal().into()]
    }

    /// Ends the match without a result, from outside, whatever was played: it counts for nobody, and the seas stay
    /// closed. No events when the match is over.
    #[must_use]
    pub fn adjudicate_without_result(&self) -> Vec<Event> {
        if self.table.status.is_over() {
            return Vec::new();
        }
        vec![TableEvent::Adjudicated {}.into(), TableEvent::Aborted { seat: None }.into()]
    }

    /// Ends the match at its deadline from outside; aborts it if no fleet was placed. No events when the match is over,
    /// and before the deadline. No time may be due ([`Battle::expire`]).
    #[must_use]
    pub fn end_at_deadline(&self, deadline: Deadline, at: Time) -> Vec<Event> {
        let Deadline { due_at, rule } = deadline;
        let opened_at = self.table.opened_at.filter(|_| !self.table.status.is_over() && due_at <= at);
        let Some(opened_at) = opened_at else { return Vec::new() };
        let reached = TableEvent::DeadlineReached { due_at, rule }.into();
        if self.table.deployed.is_empty() {
            return vec![reached, TableEvent::Aborted { seat: None }.into()];
        }
        let playing = self.table.playing();
        let slow = match rule {
            DeadlineRule::ByTimeTaken => {
                let clocks = self.table.clocks();
                too_slow(playing, clocks.unpaused_ms(opened_at, at), |seat| clocks.taken_ms(seat, at))
            }
            DeadlineRule::Draw => SeatSet::NONE,
        };
        let drawn = Outcome { reason: Reason::Deadline, ..self.state.drawn() };
        let outcome = if slow.is_empty() { drawn } else { drawn.given_to(|seat| !slow.contains(seat)) };
        vec![reached, TableEvent::Finished { outcome }.into(), self.state.reveal().into()]
    }

    /// Gives a seat more time for its turn, from outside. No events when its clock doesn't run against a limit, or
    /// would exceed the limit of a clock.
    #[must_use]
    pub fn add_time(&self, seat: Seat, seconds: u32, at: Time) -> Vec<Event> {
        if self.table.status.is_over() || !self.table.clone().add_time(seat, seconds, at) {
            return Vec::new();
        }
        vec![TableEvent::TimeAdded { seat, seconds }.into()]
    }

    /// Plans a seat's rests at `at`: these from `from` on, known up to `until` (`None`: no end). Earlier plans up to
    /// `from` stay.
    ///
    /// No events when the match is over, the seat is out, the terms allow no rests, nothing would be known, or nothing
    /// changes. Everything else is adjusted: `from` is never before `at`; rests may come in any order and overlap;
    /// those that the terms don't allow, or that lie outside, are left out. In an entry of the log plans come last.
    /// Until its first plan a seat never rests, known without end.
    #[must_use]
    pub fn plan_rests(&self, seat: Seat, from: Time, rests: &[Rest], until: Option<Time>, at: Time) -> Vec<Event> {
        let (allowed, from) = (self.setup.clock.rests(), from.max(at));
        let closed = self.table.status.is_over() || !self.table.playing().contains(seat);
        if closed || allowed == Rests::None {
            return Vec::new();
        }
        let counting: Vec<Rest> = rests.iter().filter(|rest| allowed.allows(rest.kind)).copied().collect();
        let planned = self.table.clocks().planned(seat).and_then(|known| known.next(&counting, from, until));
        let told = |plan: Plan| {
            TableEvent::RestsPlanned { seat, from, rests: plan.rests().to_vec(), until: plan.known_until() }.into()
        };
        planned.map(told).into_iter().collect()
    }

    /// Applies spans of down time, found out by `at`: running clocks stood still in them, as far as they lie in their
    /// turns, and so did an armistice. The terms needn't allow rests.
    ///
    /// A span has no event when the match is over, when the span isn't over, and when no deadline moves: so a repeated
    /// span is not told again.
    #[must_use]
    pub fn rest_clocks(&self, spans: &[DownTime], at: Time) -> Vec<Event> {
        let Some(since) = self.table.timed_since() else { return Vec::new() };
        let concerns = |down: &&DownTime| down.from < down.until && down.until <= at && since < down.until;
        let mut concerning = spans.iter().filter(concerns).peekable();
        if concerning.peek().is_none() {
            return Vec::new();
        }
        let mut table = self.table.clone();
        let mut moves = |down: &&DownTime| {
            let before = table.deadlines();
            table.rest_clocks(**down);
            table.deadlines() != before
        };
        let told = |down: &DownTime| TableEvent::ClocksRested { from: down.from, until: down.until }.into();
        concerning.filter(|down| moves(down)).map(told).collect()
    }

    /// The events of some seats leaving for a reason, and their consequences.
    fn without(&self, leaving: SeatSet, reason: Reason, told: impl Fn(Seat) -> TableEvent) -> Vec<Event> {
        let mut events: Vec<Event> = leaving.iter().map(|seat| told(seat).into()).collect();
        let (more, outcome) = self.after(&events).after_leaving(&self.setup.rules, reason);
        events.extend(more.into_iter().map(Event::Family));
        if let Some(outcome) = outcome {
            let reveal = self.after(&events).reveal();
            events.extend([TableEvent::Finished { outcome }.into(), reveal.into()]);
        } else if self.table.armistice_ends_without(leaving) {
            // Only seats that have left still wanted it.
            events.push(TableEvent::ArmisticeEnded {}.into());
        }
        events
    }

    fn after(&self, events: &[Event]) -> State {
        let mut state = self.state.clone();
        for event in events {
            match event {
                Event::Table(TableEvent::Resigned { seat } | TableEvent::TimedOut { seat }) => {
                    state.leave(&self.setup.rules, *seat);
                }
                Event::Table(_) => {}
                Event::Family(event) => {
                    state.apply(&self.setup.rules, event);
                }
            }
        }
        state
    }

    /// Applies an event as it is: nothing is judged or drawn again.
    pub fn apply(&mut self, event: &Event, at: Time) {
        match event {
            Event::Table(event) => match event {
                TableEvent::Opened { first, names } => {
                    let deploying = self.setup.rules.deploying_first(self.setup.seats);
                    self.table.open(*first, names, deploying, at);
                    self.state.open(*first, names);
                }
                TableEvent::DrawOffered { seat } => self.table.offer_draw(*seat),
                TableEvent::DrawAccepted { seat } => self.table.accept_draw(*seat),
                TableEvent::DrawDeclined { .. } => self.table.offer = None,
                TableEvent::Resigned { seat } | TableEvent::TimedOut { seat } => {
                    let step = self.state.leave(&self.setup.rules, *seat);
                    self.table.leave(*seat, step, at);
                }
                TableEvent::Sealed { .. }
                | TableEvent::Adjudicated {}
                | TableEvent::DeadlineReached { .. }
                | TableEvent::SeatHandedOver { .. } => {}
                TableEvent::TimeAdded { seat, seconds } => {
                    self.table.add_time(*seat, *seconds, at);
                }
                TableEvent::ArmisticeCalled { seat } => self.table.call_armistice(*seat, at),
                TableEvent::ArmisticeAgreed { seat } => self.table.agree_to_end(*seat),
                TableEvent::ArmisticeEnded {} => self.table.end_armistice(at),
                TableEvent::RestsPlanned { seat, from, rests, until } => {
                    self.table.plan_rests(*seat, *from, &Plan::new(rests, *from, *until), at);
                }
                TableEvent::ClocksRested { from, until } => {
                    self.table.rest_clocks(DownTime { from: *from, until: *until });
                }
                TableEvent::ClocksPaused { from, until } => self.table.pause(Pause { from: *from, until: *until }),
                TableEvent::Aborted { .. } => self.table.finish(Status::Aborted, Outcome::aborted(), at),
                TableEvent::Finished { outcome } => self.table.finish(Status::Finished, outcome.clone(), at),
            },
            Event::Family(event) => {
                self.draws += event.draws();
                if let Some(step) = self.state.apply(&self.setup.rules, event) {
                    self.table.step(step, at);
                }
            }
        }
    }

    /// The seats whose deadline lies beyond their known rests: they need a longer plan ([`Battle::plan_rests`]) before
    /// the match goes on. Always empty where the terms allow no rests.
    #[must_use]
    pub fn plans_needed(&self) -> SeatSet {
        self.table.clocks().plans_needed()
    }

    /// The rests of a seat that matter: from the start of its turn, or later, on.
    #[must_use]
    pub fn planned(&self, seat: Seat) -> &[Rest] {
        self.table.clocks().planned(seat).map_or(&[], Plan::rests)
    }

    /// The end of a seat's known rests; `None`: no end.
    #[must_use]
    pub fn planned_until(&self, seat: Seat) -> Option<Time> {
        self.table.clocks().planned(seat)?.known_until()
    }

    /// The seat's deadline, if its clock runs against a limit.
    #[must_use]
    pub fn deadline_of(&self, seat: Seat) -> Option<Time> {
        self.table.deadline_of(seat)
    }

    /// The milliseconds that this seat has left at `at`, if nothing happens before; `None` without a limit.
    #[must_use]
    pub fn left_ms(&self, seat: Seat, at: Time) -> Option<i64> {
        self.table.clocks().left_ms(seat, at)
    }

    /// The time at which a running clock will have `left_ms` left, possibly in the past. `None` when it doesn't run, or
    /// has no limit.
    #[must_use]
    pub fn reaches(&self, seat: Seat, left_ms: i64) -> Option<Time> {
        self.table.clocks().reaches(seat, left_ms)
    }

    /// The start of this seat's current turn; an armistice stops its clock, and the turn goes on.
    #[must_use]
    pub fn began(&self, seat: Seat) -> Option<Time> {
        self.table.clocks().began(seat)
    }

    /// The milliseconds that this seat had at the start of its last turn; `None` without a limit, and before its first
    /// turn in battle.
    #[must_use]
    pub fn given_ms(&self, seat: Seat) -> Option<i64> {
        self.table.clocks().given_ms(seat)
    }

    /// The earliest deadline, if any clock runs against a limit.
    #[must_use]
    pub fn deadline(&self) -> Option<Time> {
        self.table.deadline()
    }

    /// The seats that must act.
    #[must_use]
    pub const fn to_act(&self) -> SeatSet {
        self.table.to_act
    }

    /// The status of the match.
    #[must_use]
    pub const fn status(&self) -> Status {
        self.table.status
    }

    /// The outcome, once the match has ended.
    #[must_use]
    pub const fn outcome(&self) -> Option<&Outcome> {
        self.table.outcome.as_ref()
    }
}
