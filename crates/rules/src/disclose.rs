//! The one way out of the secrets: from an event, what one viewer learns of it.
use crate::{
    event::{Event, TableEvent},
    families,
    outcome::Outcome,
    report::{
        AbortedReport, DrawAcceptedReport, DrawDeclinedReport, DrawOfferedReport, FinishedReport, Report,
        ResignedReport, SeatName, StartedReport, TimedOutReport,
    },
    seat::{Seat, Viewer},
    setup::Setup,
};

/// What this viewer learns of the event, or `None` when he may not even know that something happened. Number and time of the
/// report are filled in by [`Report::stamped`].
#[must_use]
pub fn disclose(setup: &Setup, event: &Event, viewer: Viewer) -> Option<Report> {
    Some(match event {
        // What happens at the table happens before everybody's eyes.
        Event::Table(event) => match event {
            TableEvent::Opened { first } => {
                let seats =
                    (0..setup.seats).map(Seat).map(|seat| SeatName { seat, name: setup.rules.seat_name(*first, seat) });
                StartedReport::told(*first, seats.collect())
            }
            TableEvent::DrawOffered { seat } => DrawOfferedReport::told(*seat),
            TableEvent::DrawAccepted { seat } => DrawAcceptedReport::told(*seat),
            TableEvent::DrawDeclined { seat } => DrawDeclinedReport::told(*seat),
            TableEvent::Resigned { seat } => ResignedReport::told(*seat),
            TableEvent::TimedOut { seat } => TimedOutReport::told(*seat),
            TableEvent::Aborted { seat } => AbortedReport::told(*seat),
            TableEvent::Finished { outcome: Outcome { reason, winner, places } } => {
                FinishedReport::told(*reason, *winner, places.clone())
            }
        },
        Event::Family(event) => {
            let report = families::disclose(&setup.rules, event, viewer);
            #[cfg(feature = "planted-leaks")]
            let report = crate::leak::planted(setup, event, report);
            Report::Family(report)
        }
    })
}
