//! A viewer's whole knowledge of a match, folded from that viewer's reports alone, and its presentation.
use alloc::vec::Vec;

use sha2::{Digest, Sha256};

use crate::{
    action::{Action, TableAction},
    card::BoardCard,
    decision::{Decision, TableDecision},
    dice::Dice,
    families::{self, Knowledge},
    legal::legal,
    outcome::{Outcome, Status},
    pause::Pause,
    report::{Report, TableReport},
    rest::{DownTime, Plan},
    seat::{Seat, SeatSet, Viewer},
    setup::Setup,
    table::Table,
    time::Time,
    timetable::{self, SeatTimeView},
    view_model::{ArmisticeView, Round, SeaView, SeatState, SeatView},
};

/// A viewer's whole knowledge of a match.
#[derive(Clone, PartialEq)]
pub struct View {
    setup: Setup,
    viewer: Viewer,
    table: Table,
    known: Knowledge,
    version: u32,
}

impl View {
    /// The view before the first report.
    #[must_use]
    pub fn new(setup: &Setup, viewer: Viewer) -> Self {
        let table = Table::new(setup.clock, setup.seats);
        Self { setup: setup.clone(), viewer, table, known: Knowledge::new(&setup.rules, setup.seats), version: 0 }
    }

    /// Takes in the viewer's next report.
    pub fn learn(&mut self, report: &Report, at: Time) {
        self.version += 1;
        match report {
            Report::Table(report) => match report {
                TableReport::Started(report) => {
                    let names: Vec<u8> = self.setup.rules.numbers_of(report.seats.iter().map(|seat| seat.name));
                    let deploying = self.setup.rules.deploying_first(self.setup.seats);
                    self.table.open(report.first, &names, deploying, at);
                    self.known.open(report.first, &names);
                }
                TableReport::DrawOffered(report) => self.table.offer_draw(report.seat),
                TableReport::DrawDeclined(_) => self.table.offer = None,
                TableReport::DrawAccepted(report) => self.table.accept_draw(report.seat),
                TableReport::Resigned(report) => self.leave(report.seat, at),
                TableReport::TimedOut(report) => self.leave(report.seat, at),
                TableReport::Sealed(_)
                | TableReport::Adjudicated(_)
                | TableReport::DeadlineReached(_)
                | TableReport::SeatHandedOver(_) => {}
                TableReport::TimeAdded(report) => {
                    self.table.add_time(report.seat, report.seconds, at);
                }
                TableReport::ArmisticeCalled(report) => self.table.call_armistice(report.seat, at),
                TableReport::ArmisticeAgreed(report) => self.table.agree_to_end(report.seat),
                TableReport::ArmisticeEnded(_) => self.table.end_armistice(at),
                TableReport::RestsPlanned(report) => {
                    let plan = Plan::new(&report.rests, report.from, report.until);
                    self.table.plan_rests(report.seat, report.from, &plan, at);
                }
                TableReport::ClocksRested(report) => {
                    self.table.rest_clocks(DownTime { from: report.from, until: report.until });
                }
                TableReport::ClocksPaused(report) => {
                    self.table.pause(Pause { from: report.from, until: report.until });
                }
                TableReport::Aborted(_) => self.finish(Status::Aborted, Outcome::aborted(), at),
                TableReport::Finished(report) => {
                    let outcome =
                        Outcome { reason: report.reason, winner: report.winner, places: report.places.clone() };
                    self.finish(Status::Finished, outcome, at);
                }
            },
            Report::Family(report) => self.learn_of_the_battle(report, at),
        }
    }

    fn learn_of_the_battle(&mut self, report: &families::Report, at: Time) {
        if let Some(step) = self.known.learn(&self.setup.rules, report) {
            self.table.step(step, at);
        }
    }

    fn leave(&mut self, seat: Seat, at: Time) {
        let step = self.known.leave(&self.setup.rules, seat);
        self.table.leave(seat, step, at);
    }

    fn finish(&mut self, status: Status, outcome: Outcome, at: Time) {
        self.table.finish(status, outcome, at);
        self.known.close();
    }

    /// The terms of the match.
    #[must_use]
    pub const fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The viewer.
    #[must_use]
    pub const fn viewer(&self) -> Viewer {
        self.viewer
    }

    pub(crate) const fn table(&self) -> &Table {
        &self.table
    }

    pub(crate) const fn known(&self) -> &Knowledge {
        &self.known
    }

    /// The number of reports taken in.
    #[must_use]
    pub const fn version(&self) -> u32 {
        self.version
    }

    /// The status of the match.
    #[must_use]
    pub const fn status(&self) -> Status {
        self.table.status
    }

    /// The seat drawn or agreed on to begin; `None` until the match is opened.
    #[must_use]
    pub const fn first(&self) -> Option<Seat> {
        self.table.first
    }

    /// The seats that must act.
    #[must_use]
    pub const fn to_act(&self) -> SeatSet {
        self.table.to_act
    }

    /// The earliest deadline, if any clock runs against a limit.
    #[must_use]
    pub fn deadline(&self) -> Option<Time> {
        self.table.deadline()
    }

    /// The seat's deadline, if its clock runs against a limit.
    #[must_use]
    pub fn deadline_of(&self, seat: Seat) -> Option<Time> {
        self.table.deadline_of(seat)
    }

    /// Each seat's time at `at`, and the course of its deadline.
    #[must_use]
    pub fn times(&self, at: Time) -> Vec<SeatTimeView> {
        let seats = if self.table.first.is_some() { self.setup.seats } else { 0 };
        (0..seats).map(|seat| timetable::of_seat(&self.table, Seat(seat), self.viewer, at)).collect()
    }

    /// The result, once the match has ended.
    #[must_use]
    pub const fn result(&self) -> Option<&Outcome> {
        self.table.outcome.as_ref()
    }

    /// The start of the battle (both fleets placed).
    #[must_use]
    pub const fn started_at(&self) -> Option<Time> {
        self.table.started_at
    }

    /// The end of the match.
    #[must_use]
    pub const fn finished_at(&self) -> Option<Time> {
        self.table.finished_at
    }

    /// The current armistice.
    #[must_use]
    pub fn armistice(&self) -> Option<ArmisticeView> {
        self.table.armistice_view()
    }

    /// The contest's pauses that concern the match, in order.
    #[must_use]
    pub fn pauses(&self) -> &[Pause] {
        self.table.clocks().contest_pauses()
    }

    /// The contest's newest pause, while the match goes on. It is over at its `until`.
    #[must_use]
    pub fn pause(&self) -> Option<Pause> {
        self.pauses().last().copied().filter(|pause| pause.from < pause.until && !self.table.status.is_over())
    }

    /// The seat whose draw offer stands.
    #[must_use]
    pub const fn draw_offered_by(&self) -> Option<Seat> {
        self.table.offer
    }

    /// The seats; empty until the match is opened.
    #[must_use]
    pub fn seats(&self) -> Vec<SeatView> {
        let Some(first) = self.table.first else { return Vec::new() };
        (0..self.setup.seats)
            .map(Seat)
            .map(|seat| {
                let place = self.table.outcome.as_ref().and_then(|outcome| outcome.place_of(seat));
                SeatView {
                    seat,
                    name: self.setup.rules.seat_name(first, self.table.names(), seat),
                    state: if place.is_some_and(|place| place > 1) || self.table.out.contains(seat) {
                        SeatState::Out
                    } else {
                        SeatState::Playing
                    },
                    deployed: self.table.deployed.contains(seat),
                    time_left_s: self.table.clocks().time_left_s(seat),
                    place,
                }
            })
            .collect()
    }

    /// The seas as the viewer knows them, in the order of the board's card; empty until the match is opened.
    #[must_use]
    pub fn seas(&self) -> Vec<SeaView> {
        if self.table.first.is_none() {
            return Vec::new();
        }
        self.known.seas(&self.setup.rules)
    }

    /// The current round; `None` before the first, and where the rules have no round limit.
    #[must_use]
    pub fn round(&self) -> Option<Round> {
        self.known.round(&self.setup.rules)
    }

    /// The board of the match, including the draws of its opening; the same for every viewer.
    #[must_use]
    pub fn board(&self) -> BoardCard {
        self.known.board(&self.setup.rules, self.setup.seats)
    }

    /// The viewer's decisions, the required ones first (one of them has to be taken); none for spectators and after the
    /// end.
    ///
    /// Examples are drawn with dice from SHA-256(`example_seed` ‖ "example" ‖ seat ‖ version as four bytes, big
    /// endian), from the view alone: a second call gives the same.
    #[must_use]
    pub fn decisions(&self, example_seed: [u8; 32]) -> Vec<Decision> {
        let Some(seat) = self.viewer.seat() else { return Vec::new() };
        if self.table.status.is_over() {
            return Vec::new();
        }
        let mut decisions = Vec::with_capacity(4);
        if self.table.to_act.contains(seat) {
            let mut dice = self.example_dice(example_seed, seat);
            let required = self.known.decisions(&self.setup.rules, &self.table, seat, &mut dice);
            decisions.extend(required.into_iter().map(Decision::Family));
        }
        let possible = [
            Action::END_ARMISTICE,
            Action::ACCEPT_DRAW,
            Action::DECLINE_DRAW,
            Action::OFFER_DRAW,
            Action::CALL_ARMISTICE,
            Action::ABORT,
            Action::RESIGN,
        ];
        let possible = possible.into_iter().filter(|action| legal(self, action).is_ok());
        decisions.extend(possible.filter_map(|action| match action {
            Action::Table(action) => Some(Decision::Table(TableDecision::of(action))),
            _ => None,
        }));
        decisions
    }

    fn example_dice(&self, example_seed: [u8; 32], seat: Seat) -> Dice {
        let mut hash = Sha256::new();
        hash.update(example_seed);
        hash.update(b"example");
        hash.update([seat.0]);
        hash.update(self.version.to_be_bytes());
        Dice::from_seed(hash.finalize().into())
    }
}

impl From<TableAction> for Decision {
    fn from(action: TableAction) -> Self {
        Self::Table(TableDecision::of(action))
    }
}
