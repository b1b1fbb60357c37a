//! What happened in a match, with its results. Events are stored and never shown: there is no `Serialize`, no
//! `Display`, and `Debug` tells only the kind. What a viewer learns of an event is [`crate::disclose()`]'s to say.
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

/// One thing that happened: at the table, which all families share, or in the battle of one family.
#[derive(Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(flat)]
pub enum Event {
    /// At the table.
    #[n(0)]
    Table(#[n(0)] TableEvent),
    /// In the battle.
    #[n(1)]
    Family(#[n(0)] families::Event),
}

impl Event {
    /// Could the event belong to a match on these terms, as far as its seats, ships and cells go? A log that may be
    /// damaged is asked this before its events are applied.
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
    /// Who asked for it and what, if a player did. Asking that again of the same match brings the same about.
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

    /// Is what was asked a secret, to be committed to?
    #[must_use]
    pub fn is_secret(&self) -> bool {
        matches!(self, Self::Family(event) if event.is_secret())
    }

    /// Of shots in a game of gunnery: who fired, how many there were, and how many of them truly hit a ship. It is
    /// public once the match has ended with a result, and not before: players may have been told less.
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

/// What happens at the table, whatever is played.
#[derive(Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(flat)]
pub enum TableEvent {
    /// The match began.
    #[n(0)]
    Opened {
        /// The seat that fires first.
        #[n(0)]
        first: Seat,
        /// What the seats are called, as numbers of the family's own; empty where `first` alone says it.
        #[n(1)]
        #[cbor(default)]
        names: Vec<u8>,
    },
    /// A seat offered a draw.
    #[n(1)]
    DrawOffered {
        /// Who offered.
        #[n(0)]
        seat: Seat,
    },
    /// A seat accepted the draw on offer.
    #[n(2)]
    DrawAccepted {
        /// Who accepted.
        #[n(0)]
        seat: Seat,
    },
    /// A seat declined the draw on offer.
    #[n(3)]
    DrawDeclined {
        /// Who declined.
        #[n(0)]
        seat: Seat,
    },
    /// A seat resigned.
    #[n(4)]
    Resigned {
        /// Who resigned.
        #[n(0)]
        seat: Seat,
    },
    /// A seat ran out of time.
    #[n(5)]
    TimedOut {
        /// Who ran out of time.
        #[n(0)]
        seat: Seat,
    },
    /// The match was called off.
    #[n(6)]
    Aborted {
        /// Who called it off; `None` when nobody deployed in time, or somebody from outside did.
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
        /// Who called it.
        #[n(0)]
        seat: Seat,
    },
    /// A seat agreed to end the armistice.
    #[n(10)]
    ArmisticeAgreed {
        /// Who agreed.
        #[n(0)]
        seat: Seat,
    },
    /// The armistice ended: everybody agreed, or its time was over.
    #[n(11)]
    ArmisticeEnded {},
    /// From a time on, the clock of a seat stands still in these spans: so far its player's calendar reaches, as the
    /// terms let it count. What was planned before that time stays.
    #[n(12)]
    RestsPlanned {
        /// Whose clock.
        #[n(0)]
        seat: Seat,
        /// From when on; never before the event's own time.
        #[n(1)]
        from: Time,
        /// The spans, in order and apart from each other, none before `from` or after `until`.
        #[n(2)]
        rests: Vec<Rest>,
        /// Until when they are known; `None`: for ever.
        #[n(3)]
        until: Option<Time>,
    },
    /// Somebody from outside ends the match; how is said by what follows.
    #[n(13)]
    Adjudicated {},
    /// The service could not be reached in this span, which is over: the clocks that run stood still in it, whatever
    /// the terms say of rests, and so did an armistice.
    #[n(14)]
    ClocksRested {
        /// From when on.
        #[n(0)]
        from: Time,
        /// Until when; never after the event's own time.
        #[n(1)]
        until: Time,
    },
    /// The match isn't over, and the time from outside at which it ends has come; how is said by what follows.
    #[n(15)]
    DeadlineReached {
        /// When that was.
        #[n(0)]
        due_at: Time,
        /// What becomes of the match.
        #[n(1)]
        rule: DeadlineRule,
    },
    /// Somebody from outside gives the seat whose turn it is more time.
    #[n(16)]
    TimeAdded {
        /// Whose clock.
        #[n(0)]
        seat: Seat,
        /// How many seconds.
        #[n(1)]
        seconds: u32,
    },
    /// The ladder or the tournament of the match is paused: no clock runs in this span, whatever the terms say of
    /// rests, and an armistice stands still. With a `from` that is known it says anew when that pause ends.
    #[n(17)]
    ClocksPaused {
        /// From when on; never after the event's own time.
        #[n(0)]
        from: Time,
        /// Until when; it may be ahead, or behind if the pause was ended.
        #[n(1)]
        until: Time,
    },
    /// Another player has the seat from now on.
    #[n(18)]
    SeatHandedOver {
        /// Which seat.
        #[n(0)]
        seat: Seat,
        /// The account of the player.
        #[n(1)]
        player: String,
        /// Does a program play?
        #[n(2)]
        bot: bool,
        /// By whose decision.
        #[n(3)]
        by: HandOverDecision,
    },
    /// What a seat has just asked in secret is committed to: SHA-256(salt ‖ canonical JSON of the action). It follows
    /// the event.
    #[n(8)]
    Sealed {
        /// Whose secret.
        #[n(0)]
        seat: Seat,
        /// The commitment.
        #[n(1)]
        #[cbor(with = "minicbor::bytes")]
        commitment: [u8; 32],
        /// The salt, the owner's secret until the match has ended.
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
