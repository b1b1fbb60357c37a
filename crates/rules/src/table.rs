//! Everybody's knowledge of a match, whatever is played: its status, the seats to act, the clocks, draw offers and the
//! result. The battle and every view fold the same public facts into it, so they cannot differ.
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

/// The effect of a battle step on the table, all public.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Step {
    /// The seat that acted.
    pub acted: Seat,
    /// The seats that must act now.
    pub to_act: SeatSet,
    /// Is the deployment over?
    pub playing: bool,
    /// Was a salvo fired?
    pub salvo: bool,
    /// The seats out of the match by now.
    pub out: SeatSet,
    /// Does the turn of the acting seat go on? Then its clock runs on: a turn of many steps is one move.
    pub goes_on: bool,
}

/// An armistice: nobody plays, and no clock of a seat runs.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Armistice {
    from: Time,
    /// The down times in it.
    rests: Plan,
    /// The seats that agree to end it.
    agreed: SeatSet,
    /// The seats that must act after it.
    to_act: SeatSet,
    /// The seats of the clocks it stopped, which resume from where they stood.
    stopped: SeatSet,
}

/// The names of the seats, as the family's numbers.
pub(crate) type Names = [u8; Seat::MOST as usize];

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Table {
    seats: u8,
    pub status: Status,
    pub to_act: SeatSet,
    clocks: Clocks,
    /// The seat whose draw offer stands.
    pub offer: Option<Seat>,
    /// The seats that agree to it.
    agreed: SeatSet,
    armistice: Option<Armistice>,
    /// The seats that have called their one armistice.
    called: SeatSet,
    /// The seats that have offered a draw since last playing.
    pub offered: SeatSet,
    pub deployed: SeatSet,
    /// The seats out of the match: by resignation, by the clock, or because the fleet is sunk.
    pub out: SeatSet,
    /// Has a salvo been fired?
    pub fired: bool,
    /// The seat that fires first; `None` until the match is opened.
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

    /// Opens the match for the deployment of these seats: every seat, unless some wait for others.
    pub fn open(&mut self, first: Seat, names: &[u8], deploying: SeatSet, at: Time) {
        self.first = Some(first);
        self.opened_at = Some(at);
        self.names.iter_mut().zip(names).for_each(|(name, given)| *name = *given);
        self.to_act = deploying;
        self.clocks.begin_deployment(self.to_act, at);
    }

    /// The names of the seats.
    pub const fn names(&self) -> &[u8] {
        &self.names
    }

    /// The seats that still play.
    pub fn playing(&self) -> SeatSet {
        SeatSet::first(self.seats).iter().filter(|seat| !self.out.contains(*seat)).collect()
    }

    /// Applies a seat's action in the battle (or deployment): clocks change hands.
    pub fn step(&mut self, step: Step, at: Time) {
        if !step.goes_on {
            self.clocks.stop(step.acted, at, self.status == Status::Playing);
        }
        if self.status == Status::Deploying {
            // A seat that leaves has not deployed.
            if !self.out.contains(step.acted) {
                self.deployed.insert(step.acted);
            }
        } else {
            self.offered.remove(step.acted);
            // Playing on declines an offer.
            self.offer = self.offer.filter(|by| *by == step.acted);
            // An earlier agreement was to the position before.
            self.agreed = SeatSet::only(step.acted);
        }
        self.go_on(step, at);
    }

    /// Removes a seat from the match; where others play on, `step` has the seats to act.
    pub fn leave(&mut self, seat: Seat, step: Option<Step>, at: Time) {
        self.clocks.stop(seat, at, false);
        self.to_act.remove(seat);
        self.out.insert(seat);
        // The offer was made among the seats that played then.
        self.offer = None;
        if let Some(step) = step {
            self.go_on(step, at);
        }
    }

    /// Sets the seats to act and their clocks.
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
            // During an armistice nobody acts; a leaving seat may have changed who acts after it.
            Some(armistice) => armistice.to_act = step.to_act,
            None => {
                self.to_act = step.to_act;
                if self.status == Status::Playing {
                    step.to_act.iter().for_each(|seat| self.clocks.start(seat, at));
                } else {
                    // The clocks of the other deploying seats have run since the opening.
                    let waited = step.to_act.iter().filter(|seat| !self.clocks.runs(*seat)).collect();
                    self.clocks.begin_deployment(waited, at);
                }
            }
        }
    }

    /// Begins a seat's armistice: stops all clocks where they are.
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

    /// Ends the armistice: clocks resume from where they stopped.
    pub fn end_armistice(&mut self, at: Time) {
        let Some(armistice) = self.armistice.take() else { return };
        self.status = Status::Playing;
        self.to_act = armistice.to_act;
        self.clocks.go_on(armistice.from, armistice.stopped, armistice.to_act, at);
    }

    /// The end of the current armistice without an earlier agreement: the time of the terms, extended by down time and
    /// the contest's pauses.
    pub fn armistice_until(&self) -> Option<Time> {
        let armistice = self.armistice.as_ref()?;
        let lasts_ms = i64::from(self.clocks.terms().armistice_s()) * 1000;
        Some(armistice.rests.with(self.clocks.contest_pauses()).after(armistice.from, lasts_ms))
    }

    /// The armistice as shown.
    pub fn armistice_view(&self) -> Option<ArmisticeView> {
        let agreed = self.armistice.as_ref()?.agreed;
        self.armistice_until().map(|until| ArmisticeView { until, agreed })
    }

    /// Would all other players agree to end the armistice, without these seats?
    pub fn armistice_ends_without(&self, seats: SeatSet) -> bool {
        let agreed = |seat| self.agrees_to_end(seat);
        self.armistice.is_some() && self.playing().iter().all(|seat| seats.contains(seat) || agreed(seat))
    }

    /// Has this seat called its armistice?
    pub const fn has_called(&self, seat: Seat) -> bool {
        self.called.contains(seat)
    }

    /// Has this seat agreed to end the current armistice?
    pub fn agrees_to_end(&self, seat: Seat) -> bool {
        self.armistice.as_ref().is_some_and(|armistice| armistice.agreed.contains(seat))
    }

    /// The clocks.
    pub const fn clocks(&self) -> &Clocks {
        &self.clocks
    }

    /// Plans the seat's rests from `from` on. Not a move: turns, offers and the right to abort stay.
    pub fn plan_rests(&mut self, seat: Seat, from: Time, plan: &Plan, at: Time) {
        self.clocks.plan(seat, from, plan, at);
    }

    /// Applies a past span of down time: running clocks stood still, and an armistice lasts longer. Not a move.
    pub fn rest_clocks(&mut self, down: DownTime) {
        self.clocks.rest(down);
        if let Some(armistice) = &mut self.armistice {
            armistice.rests.lay(DownTime { from: down.from.max(armistice.from), ..down });
        }
    }

    /// Applies a pause of the contest, or its new end. Not a move.
    pub fn pause(&mut self, pause: Pause) {
        self.clocks.pause(pause);
    }

    /// Adds time to a seat's turn; returns whether anything was added. Not a move.
    pub fn add_time(&mut self, seat: Seat, seconds: u32, at: Time) -> bool {
        self.to_act.contains(seat) && self.clocks.add(seat, seconds, at)
    }

    /// The seconds that a seat's running clock lacks for a substitute; `None`: it has enough, or its clock doesn't run
    /// against a limit.
    pub fn grace_s(&self, seat: Seat, at: Time) -> Option<u32> {
        if !self.to_act.contains(seat) || !self.clocks.runs(seat) {
            return None;
        }
        let missing_ms = self.grace_ms()? - self.clocks.left_ms(seat, at)?;
        u32::try_from(missing_ms.max(0)).ok().map(|missing_ms| missing_ms.div_ceil(1000)).filter(|seconds| *seconds > 0)
    }

    /// A substitute's least time, in milliseconds: [`GRACE_S`], or a whole turn if that is less. `None` without a
    /// limit.
    pub fn grace_ms(&self) -> Option<i64> {
        let terms = self.clocks.terms();
        let turn_ms = match self.status {
            Status::Deploying => terms.deploy_s().map(|seconds| i64::from(seconds) * 1000),
            _ => terms.battle_ms(),
        };
        Some(turn_ms?.min(i64::from(GRACE_S) * 1000))
    }

    /// The start of limited time: the clock that has run longest, or the armistice.
    pub fn timed_since(&self) -> Option<Time> {
        self.armistice.as_ref().map(|armistice| armistice.from).or_else(|| self.clocks.first_since())
    }

    /// Every deadline: the armistice's and the seats'.
    pub fn deadlines(&self) -> (Option<Time>, [Option<Time>; Seat::MOST as usize]) {
        let mut seats = [None; Seat::MOST as usize];
        (0..Seat::MOST).map(Seat).zip(&mut seats).for_each(|(seat, deadline)| *deadline = self.deadline_of(seat));
        (self.armistice_until(), seats)
    }

    /// Offers a draw.
    pub const fn offer_draw(&mut self, seat: Seat) {
        self.offer = Some(seat);
        self.agreed = SeatSet::only(seat);
        self.offered.insert(seat);
    }

    /// Agrees to the draw on offer.
    pub const fn accept_draw(&mut self, seat: Seat) {
        self.agreed.insert(seat);
    }

    /// Would all players agree to the draw on offer if this seat did?
    pub fn all_agree_with(&self, seat: Seat) -> bool {
        self.playing().iter().all(|other| other == seat || self.agreed.contains(other))
    }

    /// Has this seat agreed to the draw on offer?
    pub fn agrees(&self, seat: Seat) -> bool {
        self.offer.is_some() && self.agreed.contains(seat)
    }

    /// Ends the match.
    pub fn finish(&mut self, status: Status, outcome: Outcome, at: Time) {
        self.clocks.end(self.to_act, at);
        self.status = status;
        self.to_act = SeatSet::NONE;
        self.offer = None;
        self.armistice = None;
        self.outcome = Some(outcome);
        self.finished_at = Some(at);
    }

    /// The seat's deadline, if its clock runs against a limit.
    pub fn deadline_of(&self, seat: Seat) -> Option<Time> {
        self.clocks.deadline_of(seat)
    }

    /// The earliest deadline of a seat or the armistice.
    pub fn deadline(&self) -> Option<Time> {
        self.armistice_until().or_else(|| self.to_act.iter().filter_map(|seat| self.deadline_of(seat)).min())
    }

    /// The seats that are out of time.
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
