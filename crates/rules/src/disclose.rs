//! The reports of an event to one viewer: the only way out of the secrets.
use crate::{
    event::{Event, TableEvent},
    families,
    outcome::Outcome,
    report::{
        AbortedReport, AdjudicatedReport, ArmisticeAgreedReport, ArmisticeCalledReport, ArmisticeEndedReport,
        ClocksPausedReport, ClocksRestedReport, DeadlineReachedReport, DrawAcceptedReport, DrawDeclinedReport,
        DrawOfferedReport, FinishedReport, Report, ResignedReport, RestsPlannedReport, SealedReport,
        SeatHandedOverReport, SeatName, StartedReport, TimeAddedReport, TimedOutReport,
    },
    seat::{Seat, Viewer},
    setup::Setup,
    text::Digest,
};

/// The report of the event to this viewer, or `None` when the viewer may not even know that something happened.
/// [`Report::stamped`] fills in its number and time.
#[must_use]
pub fn disclose(setup: &Setup, event: &Event, viewer: Viewer) -> Option<Report> {
    Some(match event {
        // Table events are public, except the salt of a commitment, which belongs to its owner.
        Event::Table(event) => Report::Table(match event {
            TableEvent::Opened { first, names } => {
                let seats = (0..setup.seats)
                    .map(Seat)
                    .map(|seat| SeatName { seat, name: setup.rules.seat_name(*first, names, seat) });
                StartedReport::unstamped(*first, seats.collect())
            }
            TableEvent::Sealed { seat, commitment, salt } => {
                let owner = viewer == Viewer::Seat(*seat);
                SealedReport::unstamped(*seat, Digest::of(commitment), owner.then(|| Digest::of(salt)))
            }
            TableEvent::DrawOffered { seat } => DrawOfferedReport::unstamped(*seat),
            TableEvent::DrawAccepted { seat } => DrawAcceptedReport::unstamped(*seat),
            TableEvent::DrawDeclined { seat } => DrawDeclinedReport::unstamped(*seat),
            TableEvent::ArmisticeCalled { seat } => ArmisticeCalledReport::unstamped(*seat, setup.clock.armistice_s()),
            TableEvent::ArmisticeAgreed { seat } => ArmisticeAgreedReport::unstamped(*seat),
            TableEvent::ArmisticeEnded {} => ArmisticeEndedReport::unstamped(),
            TableEvent::RestsPlanned { seat, from, rests, until } => {
                RestsPlannedReport::unstamped(*seat, *from, rests.clone(), *until)
            }
            TableEvent::ClocksRested { from, until } => ClocksRestedReport::unstamped(*from, *until),
            TableEvent::ClocksPaused { from, until } => ClocksPausedReport::unstamped(*from, *until),
            TableEvent::DeadlineReached { due_at, rule } => DeadlineReachedReport::unstamped(*due_at, *rule),
            TableEvent::TimeAdded { seat, seconds } => TimeAddedReport::unstamped(*seat, *seconds),
            TableEvent::SeatHandedOver { seat, player, bot, by } => {
                SeatHandedOverReport::unstamped(*seat, player.clone(), *bot, *by)
            }
            TableEvent::Resigned { seat } => ResignedReport::unstamped(*seat),
            TableEvent::TimedOut { seat } => TimedOutReport::unstamped(*seat),
            TableEvent::Adjudicated {} => AdjudicatedReport::unstamped(),
            TableEvent::Aborted { seat } => AbortedReport::unstamped(*seat),
            TableEvent::Finished { outcome: Outcome { reason, winner, places } } => {
                FinishedReport::unstamped(*reason, *winner, places.clone())
            }
        }),
        Event::Family(event) => Report::Family(families::disclose(&setup.rules, setup.seats, event, viewer)?),
    })
}
