//! The one way out of the secrets: from an event, what one viewer learns of it.
use crate::{
    event::{Event, TableEvent},
    families,
    outcome::Outcome,
    report::{
        AbortedReport, AdjudicatedReport, ArmisticeAgreedReport, ArmisticeCalledReport, ArmisticeEndedReport,
        DrawAcceptedReport, DrawDeclinedReport, DrawOfferedReport, FinishedReport, Report, ResignedReport,
        RestsPlannedReport, SealedReport, SeatName, StartedReport, TimedOutReport,
    },
    seat::{Seat, Viewer},
    setup::Setup,
    text::Digest,
};

/// What this viewer learns of the event, or `None` when he may not even know that something happened. Number and time of the
/// report are filled in by [`Report::stamped`].
#[must_use]
pub fn disclose(setup: &Setup, told: &Event, viewer: Viewer) -> Option<Report> {
    Some(match told {
        // What happens at the table happens before everybody's eyes, but for the salt of a commitment: that is its owner's.
        Event::Table(event) => Report::Table(match event {
            TableEvent::Opened { first, names } => {
                let seats = (0..setup.seats)
                    .map(Seat)
                    .map(|seat| SeatName { seat, name: setup.rules.seat_name(*first, names, seat) });
                StartedReport::told(*first, seats.collect())
            }
            TableEvent::Sealed { seat, commitment, salt } => {
                let owner = viewer == Viewer::Seat(*seat);
                SealedReport::told(*seat, Digest::of(commitment), owner.then(|| Digest::of(salt)))
            }
            TableEvent::DrawOffered { seat } => DrawOfferedReport::told(*seat),
            TableEvent::DrawAccepted { seat } => DrawAcceptedReport::told(*seat),
            TableEvent::DrawDeclined { seat } => DrawDeclinedReport::told(*seat),
            TableEvent::ArmisticeCalled { seat } => ArmisticeCalledReport::told(*seat, setup.clock.armistice_s()),
            TableEvent::ArmisticeAgreed { seat } => ArmisticeAgreedReport::told(*seat),
            TableEvent::ArmisticeEnded {} => ArmisticeEndedReport::told(),
            TableEvent::RestsPlanned { seat, from, rests, until } => {
                RestsPlannedReport::told(*seat, *from, rests.clone(), *until)
            }
            TableEvent::Resigned { seat } => ResignedReport::told(*seat),
            TableEvent::TimedOut { seat } => TimedOutReport::told(*seat),
            TableEvent::Adjudicated {} => AdjudicatedReport::told(),
            TableEvent::Aborted { seat } => AbortedReport::told(*seat),
            TableEvent::Finished { outcome: Outcome { reason, winner, places } } => {
                FinishedReport::told(*reason, *winner, places.clone())
            }
        }),
        Event::Family(event) => Report::Family(families::disclose(&setup.rules, setup.seats, event, viewer)?),
    })
}
