//! Events of a match with their results. They are stored and never shown: no `Serialize`, no `Display`, and a `Debug`
//! that tells only the kind. [`crate::disclose()`] decides what a viewer learns.
use alloc::{string::String, vec::Vec};
use core::fmt;

use minicbor::{Decode, Encode};

use crate::{
    action::Action,
    clock::Rests,
    deadline::DeadlineRule,
    families,
    hand_over::{HandOverDecision, is_account},
    outcome::Outcome,
    pause::Pause,
    rest::{Plan, Rest},
    seat::Seat,
    setup::Setup,
    time::Time,
};

/// An event: of the table, which all families share, or of one family's battle.
#[derive(Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(flat)]
pub enum Event {
    /// An event of the table.
    #[n(0)]
    Table(#[n(0)] TableEvent),
    /// An event of the battle.
    #[n(1)]
    Family(#[n(0)] families::Event),
}

impl Event {
    /// Could the event belong to a match on these terms, judged by its seats, ships and cells? Checked before a log
    /// that may be damaged is applied.
    #[must_use]
    pub fn fits(&self, setup: &Setup) -> bool {
        let known = |seat: &Seat| seat.0 < setup.seats;
        match self {
            Self::Family(event) => event.fits(&setup.rules, setup.seats),
            Self::Table(event) => match event {
                TableEvent::Opened { first, names } => known(first) && setup.rules.names_fit(setup.seats, names),
                TableEvent::Sealed { seat, .. }
                | TableEvent::ArmisticeCalled { seat }
                | TableEvent::ArmisticeAgreed { seat }
                | TableEvent::DrawOffered { seat }
                | TableEvent::DrawAccepted { seat }
                | TableEvent::DrawDeclined { seat }
                | TableEvent::Resigned { seat }
                | TableEvent::TimedOut { seat } => known(seat),
                TableEvent::Aborted { seat } => seat.as_ref().is_none_or(known),
                TableEvent::ArmisticeEnded {} | TableEvent::Adjudicated {} | TableEvent::DeadlineReached { .. } => true,
                TableEvent::TimeAdded { seat, seconds } => known(seat) && *seconds > 0,
                TableEvent::SeatHandedOver { seat, player, .. } => known(seat) && is_account(player),
                TableEvent::ClocksRested { from, until } => from < until,
                TableEvent::ClocksPaused { from, until } => Pause { from: *from, until: *until }.is_well_formed(),
                TableEvent::RestsPlanned { seat, from, rests, until } => {
                    let terms = setup.clock.rests();
                    let allowed = |rest: &Rest| terms.allows(rest.kind);
                    terms != Rests::None
                        && known(seat)
                        && rests.iter().all(allowed)
                        && Plan::is_well_formed(rests, *from, *until)
                }
                TableEvent::Finished { outcome } => {
                    outcome.winner.as_ref().is_none_or(known) && outcome.places.iter().all(|place| known(&place.seat))
                }
            },
        }
    }
}

impl Event {
    /// The seat and the action that brought the event about, if a player did. The same action in the same match brings
    /// it about again.
    #[must_use]
    pub fn asked(&self, setup: &Setup) -> Option<(Seat, Action)> {
        match self {
            Self::Family(event) => {
                event.asked(&setup.rules, setup.seats).map(|(seat, action)| (seat, Action::Family(action)))
            }
            Self::Table(event) => match event {
                TableEvent::DrawOffered { seat } => Some((*seat, Action::OFFER_DRAW)),
                TableEvent::DrawAccepted { seat } => Some((*seat, Action::ACCEPT_DRAW)),
                TableEvent::DrawDeclined { seat } => Some((*seat, Action::DECLINE_DRAW)),
                TableEvent::Resigned { seat } => Some((*seat, Action::RESIGN)),
                TableEvent::Aborted { seat } => seat.map(|seat| (seat, Action::ABORT)),
                TableEvent::ArmisticeCalled { seat } => Some((*seat, Action::CALL_ARMISTICE)),
                TableEvent::ArmisticeAgreed { seat } => Some((*seat, Action::END_ARMISTICE)),
                TableEvent::Opened { .. }
                | TableEvent::Sealed { .. }
                | TableEvent::ArmisticeEnded {}
                | TableEvent::Adjudicated {}
                | TableEvent::RestsPlanned { .. }
                | TableEvent::ClocksRested { .. }
                | TableEvent::ClocksPaused { .. }
                | TableEvent::DeadlineReached { .. }
                | TableEvent::TimeAdded { .. }
                | TableEvent::SeatHandedOver { .. }
                | TableEvent::TimedOut { .. }
                | TableEvent::Finished { .. } => None,
            },
        }
    }

    /// Is the action a secret to be committed to?
    #[must_use]
    pub fn is_secret(&self) -> bool {
        matches!(self, Self::Family(event) if event.is_secret())
    }

    /// Shots in a game of gunnery: the seat, the number of shots, and the number of true hits. Public only after the
    /// match has ended with a result: players may have been told less.
    #[must_use]
    pub fn shots(&self) -> Option<(Seat, usize, usize)> {
        match self {
            Self::Family(event) => event.shots(),
            Self::Table(_) => None,
        }
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Table(_) => "Event::Table(…)",
            Self::Family(_) => "Event::Family(…)",
        })
    }
}

/// An event of the table, the same for every family.
#[derive(Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(flat)]
pub enum TableEvent {
    /// The match began.
    #[n(0)]
    Opened {
        /// The seat that fires first.
        #[n(0)]
        first: Seat,
        /// The seats' names, as the family's numbers; empty where `first` alone implies them.
        #[n(1)]
        #[cbor(default)]
        names: Vec<u8>,
    },
    /// A seat offered a draw.
    #[n(1)]
    DrawOffered {
        /// The offering seat.
        #[n(0)]
        seat: Seat,
    },
    /// A seat accepted the draw on offer.
    #[n(2)]
    DrawAccepted {
        /// The accepting seat.
        #[n(0)]
        seat: Seat,
    },
    /// A seat declined the draw on offer.
    #[n(3)]
    DrawDeclined {
        /// The declining seat.
        #[n(0)]
        seat: Seat,
    },
    /// A seat resigned.
    #[n(4)]
    Resigned {
        /// The resigning seat.
        #[n(0)]
        seat: Seat,
    },
    /// A seat ran out of time.
    #[n(5)]
    TimedOut {
        /// The seat out of time.
        #[n(0)]
        seat: Seat,
    },
    /// The match was aborted.
    #[n(6)]
    Aborted {
        /// The aborting seat; `None` when no seat deployed in time, or the match was aborted from outside.
        #[n(0)]
        seat: Option<Seat>,
    },
    /// The match ended with a result.
    #[n(7)]
    Finished {
        /// The result.
        #[n(0)]
        outcome: Outcome,
    },
    /// A seat called an armistice.
    #[n(9)]
    ArmisticeCalled {
        /// The calling seat.
        #[n(0)]
        seat: Seat,
    },
    /// A seat agreed to end the armistice.
    #[n(10)]
    ArmisticeAgreed {
        /// The agreeing seat.
        #[n(0)]
        seat: Seat,
    },
    /// The armistice ended: by agreement, or because its time was over.
    #[n(11)]
    ArmisticeEnded {},
    /// The rests of a seat's clock from a time on, as far as its player's calendar reaches and the terms allow. Earlier
    /// plans up to that time stay.
    #[n(12)]
    RestsPlanned {
        /// The seat of the clock.
        #[n(0)]
        seat: Seat,
        /// The start, never before the event's own time.
        #[n(1)]
        from: Time,
        /// The rests, in order and without overlaps, none before `from` or after `until`.
        #[n(2)]
        rests: Vec<Rest>,
        /// The end of the known rests; `None`: no end.
        #[n(3)]
        until: Option<Time>,
    },
    /// The match was ended from outside; the events that follow say how.
    #[n(13)]
    Adjudicated {},
    /// The service was down in this past span: running clocks stood still whatever the terms say of rests, and so did
    /// an armistice.
    #[n(14)]
    ClocksRested {
        /// The start.
        #[n(0)]
        from: Time,
        /// The end, never after the event's own time.
        #[n(1)]
        until: Time,
    },
    /// The match reached its deadline from outside before it was over; the events that follow say how it ends.
    #[n(15)]
    DeadlineReached {
        /// The deadline.
        #[n(0)]
        due_at: Time,
        /// The rule for ending the match.
        #[n(1)]
        rule: DeadlineRule,
    },
    /// The seat to move was given more time from outside.
    #[n(16)]
    TimeAdded {
        /// The seat of the clock.
        #[n(0)]
        seat: Seat,
        /// The additional seconds.
        #[n(1)]
        seconds: u32,
    },
    /// The match's ladder or tournament is paused: no clock runs in this span whatever the terms say of rests, and an
    /// armistice stands still. A known `from` gives that pause a new end.
    #[n(17)]
    ClocksPaused {
        /// The start, never after the event's own time.
        #[n(0)]
        from: Time,
        /// The end: in the future, or in the past if the pause was ended.
        #[n(1)]
        until: Time,
    },
    /// Another player takes over the seat.
    #[n(18)]
    SeatHandedOver {
        /// The seat.
        #[n(0)]
        seat: Seat,
        /// The new player's account.
        #[n(1)]
        player: String,
        /// Is the new player a program?
        #[n(2)]
        bot: bool,
        /// The decision behind it.
        #[n(3)]
        by: HandOverDecision,
    },
    /// The commitment to a seat's secret action in the event before: SHA-256(salt ‖ canonical JSON of the action).
    #[n(8)]
    Sealed {
        /// The seat.
        #[n(0)]
        seat: Seat,
        /// The commitment.
        #[n(1)]
        #[cbor(with = "minicbor::bytes")]
        commitment: [u8; 32],
        /// The salt, secret until the match has ended.
        #[n(2)]
        #[cbor(with = "minicbor::bytes")]
        salt: [u8; 32],
    },
}

impl From<TableEvent> for Event {
    fn from(event: TableEvent) -> Self {
        Self::Table(event)
    }
}

impl From<families::Event> for Event {
    fn from(event: families::Event) -> Self {
        Self::Family(event)
    }
}
