//! Notifications to the accounts of a match's seats about an entry, made only from each seat's reports and view.

use broadside_rules::{Entry, Event, Report, Seat, View, Viewer};

use super::match_state::MatchState;
use super::open::MatchOrigin;
use crate::error::Result;
use crate::events::kinds::{MatchFinishedEvent, MatchStartedEvent, ReportEvent, YourTurnEvent};
use crate::events::{AccountEvent, Notification, notification};

/// A seat's state before an entry.
pub(crate) struct SeatBefore {
    must_act: bool,
    is_over: bool,
}

pub(crate) fn seats_before(state: &MatchState) -> Vec<SeatBefore> {
    seats(state)
        .map(|(seat, view)| SeatBefore { must_act: must_act(view, seat), is_over: view.status().is_over() })
        .collect()
}

fn seats(state: &MatchState) -> impl Iterator<Item = (Seat, &View)> {
    (0..state.terms.setup.seats).map(Seat).map(|seat| (seat, state.view(Viewer::Seat(seat))))
}

pub(crate) fn must_act(view: &View, seat: Seat) -> bool {
    !view.status().is_over() && view.to_act().contains(seat)
}

/// The notifications of an entry absorbed by `state`, from the seats' states `before` it and each viewer's new reports
/// (`learnt`).
pub(crate) fn accounts(
    state: &MatchState,
    before: &[SeatBefore],
    entry: &Entry,
    learnt: &[Vec<Report>],
) -> Result<Vec<Notification>> {
    let of_all = seats(state).zip(before).zip(learnt).zip(&state.terms.players);
    let told = of_all.map(|((((seat, view), before), learnt), player)| {
        notification(player.id, &of_seat(state, seat, view, before, entry, learnt))
    });
    told.filter_map(Result::transpose).collect()
}

pub(crate) fn opened(
    state: &MatchState,
    origin: MatchOrigin,
    before: &[SeatBefore],
    entry: &Entry,
    learnt: &[Vec<Report>],
) -> Result<Vec<Notification>> {
    let of_all = seats(state).zip(before).zip(learnt).zip(&state.terms.players);
    let told = of_all.map(|((((seat, view), before), learnt), player)| {
        let variant = state.terms.variant.id.to_owned();
        let (challenge, pairing) = (origin.challenge(), origin.pairing().map(|pairing| pairing.id));
        let mut events =
            vec![MatchStartedEvent::at(entry.at, state.terms.id, seat, variant, challenge, pairing).into()];
        events.extend(of_seat(state, seat, view, before, entry, learnt));
        notification(player.id, &events)
    });
    told.filter_map(Result::transpose).collect()
}

fn of_seat(
    state: &MatchState,
    seat: Seat,
    view: &View,
    before: &SeatBefore,
    entry: &Entry,
    learnt: &[Report],
) -> Vec<AccountEvent> {
    let (id, at) = (state.terms.id, entry.at);
    let mut events: Vec<AccountEvent> =
        learnt.iter().map(|report| ReportEvent::at(at, id, report.clone()).into()).collect();
    // A player who has acted and must act again is notified, too: so each `your-turn` stands for one action.
    let plays_on = entry.seat == Some(seat) && entry.events.iter().any(|event| matches!(event, Event::Family(_)));
    if must_act(view, seat) && (!before.must_act || plays_on) {
        events.push(YourTurnEvent::at(at, id, view.version(), view.deadline_of(seat)).into());
    }
    if view.status().is_over() && !before.is_over {
        events.push(MatchFinishedEvent::at(at, id, view.result().cloned()).into());
    }
    events
}
