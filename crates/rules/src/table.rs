//! What everybody at the table knows of a match, whatever is played: its status, who must act, the clocks, draw offers
//! and the result. The battle and every view fold the same public facts into it, so they cannot differ.
use crate::{
    clock::Clock,
    clocks::Clocks,
    hand_over::GRACE_S,
    illegal::Illegal,
    outcome::{Outcome, Status},
    pause::Pause,
    rest::{DownTime, Plan},
    seat::{Seat, SeatSet},
    time::Time,
    view_model::ArmisticeView,
};

/// What a step of the battle means at the table. All of it is public.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Step {
    /// Who has acted.
    pub acted: Seat,
    /// Who must act now.
    pub to_act: SeatSet,
    /// Is the battle on (the deployment over)?
    pub playing: bool,
    /// Was a salvo fired?
    pub salvo: bool,
    /// Who is out of the match by now.
    pub out: SeatSet,
    /// Does the turn of whoever has acted go on? Then the clock runs on: a turn of many steps is one move.
    pub goes_on: bool,
}

/// An armistice: nobody plays, and no clock of a seat runs.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Armistice {
    /// When it was called.
    from: Time,
    /// When the service could not be reached in it.
    rests: Plan,
    /// Who agrees to end it.
    agreed: SeatSet,
    /// Who must act when it has ended.
    to_act: SeatSet,
    /// Whose clock it has stopped: these go on from where they stood.
    stopped: SeatSet,
}

/// The names of the seats, as numbers of the family's own.
pub(crate) type Names = [u8; Seat::MOST as usize];

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Table {
    seats: u8,
    pub status: Status,
    pub to_act: SeatSet,
    clocks: Clocks,
    /// Whose draw offer stands.
    pub offer: Option<Seat>,
    /// Who agrees to it.
    agreed: SeatSet,
    armistice: Option<Armistice>,
    /// Who has called the one armistice that a seat may call.
    called: SeatSet,
    /// Who has offered a draw since last playing.
    pub offered: SeatSet,
    pub deployed: SeatSet,
    /// Who is out of the match: by resignation, by the clock, or because the fleet is sunk.
    pub out: SeatSet,
    /// Has a salvo been fired?
    pub fired: bool,
    /// Who fires first; `None` until the match is opened.
    pub first: Option<Seat>,
    names: Names,
    pub outcome: Option<Outcome>,
    pub opened_at: Option<Time>,
    pub started_at: Option<Time>,
    pub finished_at: Option<Time>,
}

impl Table {
    pub fn new(clock: Clock, seats: u8) -> Self {
        Self {
            seats,
            status: Status::Deploying,
            to_act: SeatSet::NONE,
            clocks: Clocks::new(clock),
            offer: None,
            agreed: SeatSet::NONE,
            armistice: None,
            called: SeatSet::NONE,
            offered: SeatSet::NONE,
            deployed: SeatSet::NONE,
            out: SeatSet::NONE,
            fired: false,
            first: None,
            names: Names::default(),
            outcome: None,
            opened_at: None,
            started_at: None,
            finished_at: None,
        }
    }

    /// The match is open, and these seats deploy: every seat, unless some wait for others.
    pub fn open(&mut self, first: Seat, names: &[u8], deploying: SeatSet, at: Time) {
        self.first = Some(first);
        self.opened_at = Some(at);
        self.names.iter_mut().zip(names).for_each(|(name, given)| *name = *given);
        self.to_act = deploying;
        self.clocks.begin_deployment(self.to_act, at);
    }

    /// The names that the seats were given.
    pub const fn names(&self) -> &[u8] {
        &self.names
    }

    /// Who still plays.
    pub fn playing(&self) -> SeatSet {
        SeatSet::first(self.seats).iter().filter(|seat| !self.out.contains(*seat)).collect()
    }

    /// A seat has acted in the battle (or deployed): clocks change hands.
    pub fn step(&mut self, step: Step, at: Time) {
        if !step.goes_on {
            self.clocks.stop(step.acted, at, self.status == Status::Playing);
        }
        if self.status == Status::Deploying {
            // Whoever leaves has not deployed.
            if !self.out.contains(step.acted) {
                self.deployed.insert(step.acted);
            }
        } else {
            self.offered.remove(step.acted);
            // Whoever plays on past an offer has declined it.
            self.offer = self.offer.filter(|by| *by == step.acted);
            // Whoever had agreed, agreed to the position before.
            self.agreed = SeatSet::only(step.acted);
        }
        self.go_on(step, at);
    }

    /// A seat leaves the match; where others play on, `step` says who acts now.
    pub fn leave(&mut self, seat: Seat, step: Option<Step>, at: Time) {
        self.clocks.stop(seat, at, false);
        self.to_act.remove(seat);
        self.out.insert(seat);
        // An offer was made among those who played then.
        self.offer = None;
        if let Some(step) = step {
            self.go_on(step, at);
        }
    }

    /// Who acts now, and with what time.
    fn go_on(&mut self, step: Step, at: Time) {
        self.fired |= step.salvo;
        for seat in step.out.iter().filter(|seat| !self.out.contains(*seat)).collect::<SeatSet>().iter() {
            self.out.insert(seat);
            self.offer = None;
        }
        if step.playing && self.status == Status::Deploying {
            self.status = Status::Playing;
            self.started_at = Some(at);
            self.clocks.begin_battle();
        }
        match &mut self.armistice {
            // While it lasts nobody acts; who left may have changed who will.
            Some(armistice) => armistice.to_act = step.to_act,
            None => {
                self.to_act = step.to_act;
                if self.status == Status::Playing {
                    step.to_act.iter().for_each(|seat| self.clocks.start(seat, at));
                } else {
                    // The clocks of the others who deploy run since the opening.
                    let waited = step.to_act.iter().filter(|seat| !self.clocks.runs(*seat)).collect();
                    self.clocks.begin_deployment(waited, at);
                }
            }
        }
    }

    /// A seat calls an armistice: all clocks stop where they are.
    pub fn call_armistice(&mut self, seat: Seat, at: Time) {
        self.called.insert(seat);
        let stopped = self.clocks.halt(at);
        let (rests, agreed) = (Plan::default(), SeatSet::NONE);
        self.armistice = Some(Armistice { from: at, rests, agreed, to_act: self.to_act, stopped });
        self.to_act = SeatSet::NONE;
        self.status = Status::Armistice;
    }

    /// A seat agrees to end the armistice.
    pub const fn agree_to_end(&mut self, seat: Seat) {
        if let Some(armistice) = &mut self.armistice {
            armistice.agreed.insert(seat);
        }
    }

    /// The armistice is over: clocks go on from where they stopped.
    pub fn end_armistice(&mut self, at: Time) {
        let Some(armistice) = self.armistice.take() else { return };
        self.status = Status::Playing;
        self.to_act = armistice.to_act;
        self.clocks.go_on(armistice.from, armistice.stopped, armistice.to_act, at);
    }

    /// When the armistice ends, if one is on and not everybody agrees before: it lasts as long as the terms say, beside
    /// time in which the service could not be reached or the contest is paused.
    pub fn armistice_until(&self) -> Option<Time> {
        let armistice = self.armistice.as_ref()?;
        let lasts_ms = i64::from(self.clocks.terms().armistice_s()) * 1000;
        Some(armistice.rests.with(self.clocks.contest_pauses()).after(armistice.from, lasts_ms))
    }

    /// The armistice as it is shown.
    pub fn armistice_view(&self) -> Option<ArmisticeView> {
        let agreed = self.armistice.as_ref()?.agreed;
        self.armistice_until().map(|until| ArmisticeView { until, agreed })
    }

    /// Would everybody who still plays end the armistice, if these seats were not asked?
    pub fn armistice_ends_without(&self, seats: SeatSet) -> bool {
        let agreed = |seat| self.agrees_to_end(seat);
        self.armistice.is_some() && self.playing().iter().all(|seat| seats.contains(seat) || agreed(seat))
    }

    /// Has this seat called its armistice?
    pub const fn has_called(&self, seat: Seat) -> bool {
        self.called.contains(seat)
    }

    /// Has this seat agreed to end the armistice that is on?
    pub fn agrees_to_end(&self, seat: Seat) -> bool {
        self.armistice.as_ref().is_some_and(|armistice| armistice.agreed.contains(seat))
    }

    /// The clocks.
    pub const fn clocks(&self) -> &Clocks {
        &self.clocks
    }

    /// From `from` on these are the seat's rests. It is no move: turns, offers and what can be called off stay as they
    /// are.
    pub fn plan_rests(&mut self, seat: Seat, from: Time, plan: &Plan, at: Time) {
        self.clocks.plan(seat, from, plan, at);
    }

    /// The service could not be reached in a span that is over: clocks that run stood still, and an armistice lasts
    /// longer. It is no move.
    pub fn rest_clocks(&mut self, down: DownTime) {
        self.clocks.rest(down);
        if let Some(armistice) = &mut self.armistice {
            armistice.rests.lay(DownTime { from: down.from.max(armistice.from), ..down });
        }
    }

    /// The contest of the match is paused, or its pause ends at another time. It is no move.
    pub fn pause(&mut self, pause: Pause) {
        self.clocks.pause(pause);
    }

    /// Gives a seat more time for its turn; whether that is anything. It is no move.
    pub fn add_time(&mut self, seat: Seat, seconds: u32, at: Time) -> bool {
        self.to_act.contains(seat) && self.clocks.add(seat, seconds, at)
    }

    /// How many seconds more a seat needs, whose clock runs, to have what a substitute is to have at least; `None`: it
    /// has as much, or its clock doesn't run against a limit.
    pub fn grace_s(&self, seat: Seat, at: Time) -> Option<u32> {
        if !self.to_act.contains(seat) || !self.clocks.runs(seat) {
            return None;
        }
        let missing_ms = self.grace_ms()? - self.clocks.left_ms(seat, at)?;
        u32::try_from(missing_ms.max(0)).ok().map(|missing_ms| missing_ms.div_ceil(1000)).filter(|seconds| *seconds > 0)
    }

    /// What a substitute is to have at least, in milliseconds: [`GRACE_S`], or a whole turn if that is less. `None`
    /// without a limit.
    pub fn grace_ms(&self) -> Option<i64> {
        let terms = self.clocks.terms();
        let turn_ms = match self.status {
            Status::Deploying => terms.deploy_s().map(|seconds| i64::from(seconds) * 1000),
            _ => terms.battle_ms(),
        };
        Some(turn_ms?.min(i64::from(GRACE_S) * 1000))
    }

    /// Since when time that is limited runs: the clock that has run longest, or the armistice.
    pub fn timed_since(&self) -> Option<Time> {
        self.armistice.as_ref().map(|armistice| armistice.from).or_else(|| self.clocks.first_since())
    }

    /// Every deadline: that of the armistice, and those of the seats.
    pub fn deadlines(&self) -> (Option<Time>, [Option<Time>; Seat::MOST as usize]) {
        let mut seats = [None; Seat::MOST as usize];
        (0..Seat::MOST).map(Seat).zip(&mut seats).for_each(|(seat, deadline)| *deadline = self.deadline_of(seat));
        (self.armistice_until(), seats)
    }

    /// A draw is on offer.
    pub const fn offer_draw(&mut self, seat: Seat) {
        self.offer = Some(seat);
        self.agreed = SeatSet::only(seat);
        self.offered.insert(seat);
    }

    /// A seat agrees to the draw on offer.
    pub const fn accept_draw(&mut self, seat: Seat) {
        self.agreed.insert(seat);
    }

    /// Would everybody who still plays agree to the draw on offer, if this seat did?
    pub fn all_agree_with(&self, seat: Seat) -> bool {
        self.playing().iter().all(|other| other == seat || self.agreed.contains(other))
    }

    /// Has this seat agreed to the draw on offer?
    pub fn agrees(&self, seat: Seat) -> bool {
        self.offer.is_some() && self.agreed.contains(seat)
    }

    /// The match is over.
    pub fn finish(&mut self, status: Status, outcome: Outcome, at: Time) {
        self.clocks.end(self.to_act, at);
        self.status = status;
        self.to_act = SeatSet::NONE;
        self.offer = None;
        self.armistice = None;
        self.outcome = Some(outcome);
        self.finished_at = Some(at);
    }

    /// When this seat's time is over, if its clock runs against a limit.
    pub fn deadline_of(&self, seat: Seat) -> Option<Time> {
        self.clocks.deadline_of(seat)
    }

    /// The first time at which somebody's time is over, or the armistice.
    pub fn deadline(&self) -> Option<Time> {
        self.armistice_until().or_else(|| self.to_act.iter().filter_map(|seat| self.deadline_of(seat)).min())
    }

    /// Whose time is over.
    pub fn due(&self, at: Time) -> SeatSet {
        self.to_act.iter().filter(|seat| self.deadline_of(*seat).is_some_and(|deadline| deadline <= at)).collect()
    }

    /// May this seat deploy now?
    pub fn may_deploy(&self, seat: Seat) -> Result<(), Illegal> {
        if self.deployed.contains(seat) {
            return Err(Illegal::new("already-deployed", "Your fleet is placed, and a placed fleet is final."));
        }
        if !self.to_act.contains(seat) {
            return Err(Illegal::new("not-your-turn", "Another seat has to place its fleet first."));
        }
        Ok(())
    }
}
