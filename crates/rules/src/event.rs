//! What happened in a match, with its results. Events are stored and never shown: there is no `Serialize`, no `Display`,
//! and `Debug` tells only the kind. What a viewer learns of an event is [`crate::disclose()`]'s to say.
use core::fmt;

use minicbor::{Decode, Encode};

use crate::{families, outcome::Outcome, seat::Seat, setup::Setup};

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
    /// Could the event belong to a match on these terms, as far as its seats, ships and cells go? A log that may be damaged is
    /// asked this before its events are applied.
    #[must_use]
    pub fn fits(&self, setup: &Setup) -> bool {
        let known = |seat: &Seat| seat.0 < setup.seats;
        match self {
            Self::Family(event) => event.fits(&setup.rules),
            Self::Table(event) => match event {
                TableEvent::Opened { first: seat }
                | TableEvent::DrawOffered { seat }
                | TableEvent::DrawAccepted { seat }
                | TableEvent::DrawDeclined { seat }
                | TableEvent::Resigned { seat }
                | TableEvent::TimedOut { seat } => known(seat),
                TableEvent::Aborted { seat } => seat.as_ref().is_none_or(known),
                TableEvent::Finished { outcome } => {
                    outcome.winner.as_ref().is_none_or(known) && outcome.places.iter().all(|place| known(&place.seat))
                }
            },
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
        /// Who called it off; `None` when nobody deployed in time.
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
