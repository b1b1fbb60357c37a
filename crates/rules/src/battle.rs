//! The whole truth of a match: decide what an action brings about, and take events in. It has no `Serialize`, no `Display` and
//! no telling `Debug`: everything that leaves it leaves as an event, through [`crate::disclose()`]. Legality is not asked here.
use alloc::{vec, vec::Vec};
use core::fmt;

use crate::{
    action::{Action, TableAction},
    dice::Dice,
    event::{Event, TableEvent},
    families::State,
    outcome::{Outcome, Reason, Status},
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
}

impl fmt::Debug for Battle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Battle").field("status", &self.table.status).finish_non_exhaustive()
    }
}

impl Battle {
    /// The first events of a match on these terms: to be applied to [`Battle::new`] and logged like any others.
    #[must_use]
    pub fn open(setup: &Setup, _at: Time, dice: &mut Dice) -> Vec<Event> {
        vec![TableEvent::Opened { first: setup.rules.first(dice) }.into()]
    }

    /// A match before its first event.
    #[must_use]
    pub fn new(setup: Setup) -> Self {
        let table = Table::new(setup.clock, setup.seats);
        let state = State::new(&setup.rules);
        Self { setup, table, state }
    }

    /// The terms of the match.
    #[must_use]
    pub const fn setup(&self) -> &Setup {
        &self.setup
    }

    /// What an action brings about, results included; nothing is changed until the events are applied.
    ///
    /// The action must be legal for the seat ([`crate::legal()`] with its view) and no time may be due ([`Battle::expire`]). An
    /// action that could never be legal brings about nothing.
    #[must_use]
    pub fn decide(&self, seat: Seat, action: &Action, _at: Time, dice: &mut Dice) -> Vec<Event> {
        match action {
            Action::Table(TableAction::Resign(_)) => {
                self.ending(TableEvent::Resigned { seat }, Outcome::won_by(seat.other(), Reason::Resignation))
            }
            Action::Table(TableAction::Abort(_)) => vec![TableEvent::Aborted { seat: Some(seat) }.into()],
            Action::Table(TableAction::OfferDraw(_)) => vec![TableEvent::DrawOffered { seat }.into()],
            Action::Table(TableAction::AcceptDraw(_)) => {
                self.ending(TableEvent::DrawAccepted { seat }, Outcome::drawn(self.setup.seats))
            }
            Action::Table(TableAction::DeclineDraw(_)) => vec![TableEvent::DrawDeclined { seat }.into()],
            Action::Auto(_) => {
                State::deploy_auto(&self.setup.rules, seat, dice).map(Event::Family).into_iter().collect()
            }
            Action::Family(action) => {
                let Some((event, outcome)) = self.state.decide(&self.setup.rules, seat, action) else {
                    return Vec::new();
                };
                let Some(outcome) = outcome else { return vec![event.into()] };
                let mut state = self.state.clone();
                state.apply(&self.setup.rules, &event);
                vec![event.into(), TableEvent::Finished { outcome }.into(), state.reveal().into()]
            }
        }
    }

    /// What the clock brings about at this time: nothing while nobody's time is over.
    ///
    /// In battle whoever is out of time loses. In the deployment, too, unless nobody has deployed: then the match is called off.
    #[must_use]
    pub fn expire(&self, at: Time) -> Vec<Event> {
        let due = self.table.due(at);
        let Some(late) = due.iter().next() else { return Vec::new() };
        if self.table.status == Status::Deploying && due.len() > 1 {
            return vec![TableEvent::Aborted { seat: None }.into()];
        }
        self.ending(TableEvent::TimedOut { seat: late }, Outcome::won_by(late.other(), Reason::Time))
    }

    fn ending(&self, event: TableEvent, outcome: Outcome) -> Vec<Event> {
        vec![event.into(), TableEvent::Finished { outcome }.into(), self.state.reveal().into()]
    }

    /// Takes an event in. Events are taken as they are: nothing is judged or drawn again.
    pub fn apply(&mut self, event: &Event, at: Time) {
        match event {
            Event::Table(event) => match event {
                TableEvent::Opened { first } => {
                    self.table.open(*first, at);
                    self.state.open(*first);
                }
                TableEvent::DrawOffered { seat } => self.table.offer_draw(*seat),
                TableEvent::DrawDeclined { .. } => self.table.offer = None,
                TableEvent::DrawAccepted { .. } | TableEvent::Resigned { .. } | TableEvent::TimedOut { .. } => {}
                TableEvent::Aborted { .. } => self.table.finish(Status::Aborted, Outcome::aborted(), at),
                TableEvent::Finished { outcome } => self.table.finish(Status::Finished, outcome.clone(), at),
            },
            Event::Family(event) => {
                if let Some(step) = self.state.apply(&self.setup.rules, event) {
                    self.table.step(step, at);
                }
            }
        }
    }

    /// The first time at which somebody's time is over, if any clock runs against a limit.
    #[must_use]
    pub fn deadline(&self) -> Option<Time> {
        self.table.deadline()
    }

    /// Who must act.
    #[must_use]
    pub const fn to_act(&self) -> SeatSet {
        self.table.to_act
    }

    /// Where the match stands.
    #[must_use]
    pub const fn status(&self) -> Status {
        self.table.status
    }

    /// How it ended, once it has.
    #[must_use]
    pub const fn outcome(&self) -> Option<&Outcome> {
        self.table.outcome.as_ref()
    }
}
