//! What the accounts of a match's seats hear of an entry. Nothing is looked up in the battle: all of it is reports and views, as that seat has them anyway.

use broadside_rules::{Entry, Event, Report, Seat, View, Viewer};

use super::match_state::Live;
use super::open::Origin;
use crate::error::Result;
use crate::events::kinds::{MatchFinishedEvent, MatchStartedEvent, ReportEvent, YourTurnEvent};
use crate::events::{AccountEvent, Notification, notification};

/// How a match stood for one seat.
pub(crate) struct Standing {
    must_act: bool,
    is_over: bool,
}

/// How the match stands for each seat.
pub(crate) fn standing(live: &Live) -> Vec<Standing> {
    seats(live)
        .map(|(seat, view)| Standing { must_act: must_act(view, seat), is_over: view.status().is_over() })
        .collect()
}

fn seats(live: &Live) -> impl Iterator<Item = (Seat, &View)> {
    (0..live.terms.setup.seats).map(Seat).map(|seat| (seat, live.view(Viewer::Seat(seat))))
}

/// Whether the match waits for the seat.
pub(crate) fn must_act(view: &View, seat: Seat) -> bool {
    !view.status().is_over() && view.to_act().contains(seat)
}

/// What the players hear of an entry that has been taken in: how the match stood `before`, and what each viewer has `learnt`.
pub(crate) fn accounts(
    live: &Live,
    before: &[Standing],
    entry: &Entry,
    learnt: &[Vec<Report>],
) -> Result<Vec<Notification>> {
    let of_all = seats(live).zip(before).zip(learnt).zip(&live.terms.players);
    let told = of_all.map(|((((seat, view), before), learnt), player)| {
        notification(player.id, &of_seat(live, seat, view, before, entry, learnt))
    });
    told.filter_map(Result::transpose).collect()
}

/// The same of the entry that opens the match.
pub(crate) fn opened(
    live: &Live,
    origin: Origin,
    before: &[Standing],
    entry: &Entry,
    learnt: &[Vec<Report>],
) -> Result<Vec<Notification>> {
    let of_all = seats(live).zip(before).zip(learnt).zip(&live.terms.players);
    let told = of_all.map(|((((seat, view), before), learnt), player)| {
        let variant = live.terms.variant.id.to_owned();
        let (challenge, pairing) = (origin.challenge(), origin.part().map(|part| part.pairing));
        let mut events = vec![MatchStartedEvent::at(entry.at, live.terms.id, seat, variant, challenge, pairing).into()];
        events.extend(of_seat(live, seat, view, before, entry, learnt));
        notification(player.id, &events)
    });
    told.filter_map(Result::transpose).collect()
}

fn of_seat(
    live: &Live,
    seat: Seat,
    view: &View,
    before: &Standing,
    entry: &Entry,
    learnt: &[Report],
) -> Vec<AccountEvent> {
    let (id, at) = (live.terms.id, entry.at);
    let mut events: Vec<AccountEvent> =
        learnt.iter().map(|report| ReportEvent::at(at, id, report.clone()).into()).collect();
    // Who has played and must play on hears of it as well: so each `your-turn` stands for one thing to do.
    let plays_on = entry.seat == Some(seat) && entry.events.iter().any(|event| matches!(event, Event::Family(_)));
    if must_act(view, seat) && (!before.must_act || plays_on) {
        events.push(YourTurnEvent::at(at, id, view.version(), view.deadline_of(seat)).into());
    }
    if view.status().is_over() && !before.is_over {
        events.push(MatchFinishedEvent::at(at, id, view.result().cloned()).into());
    }
    events
}
