//! The rests of a match's seats, from their players' calendars: in the match's first entry, and in later entries that
//! need rests further ahead.
//!
//! No calendar is read for a match whose clocks never stand still, or whose plans reach far enough.

use broadside_rules::{Battle, Entry, Event, Rests, Seat};

use super::match_state::MatchState;
use super::{MatchTerms, Part};
use crate::calendar::plan::{self, Planned, SeatState};
use crate::calendar::{self, AccountCalendar};
use crate::context::Context;
use crate::db::Tx;
use crate::error::Result;
use crate::ids::AccountId;

/// Adds the first plans to the entry that opens a match. This locks the players' calendars until the transaction ends.
pub(super) async fn at_the_beginning(tx: &mut Tx, terms: &MatchTerms, entry: &mut Entry) -> Result<()> {
    let rests = terms.setup.clock.rests();
    if rests == Rests::None {
        return Ok(());
    }
    let accounts: Vec<AccountId> = terms.players.iter().map(|player| player.id).collect();
    let known = calendar::lock_for_new_match(tx, &accounts, entry.at).await?;
    let battle = after(&Battle::new(terms.setup.clone()), entry);
    for (seat, known) in (0..).map(Seat).zip(&known) {
        let left_ms = battle.left_ms(seat, entry.at).unwrap_or_default();
        let planned = plan::first(&known.calendar, &known.span_on(entry.at), rests, entry.at, left_ms);
        entry.events.extend(events(&battle, seat, &planned, entry));
    }
    Ok(())
}

/// The rests of a seat from the handover to a substitute: only those of the substitute.
pub(super) fn of_substitute(state: &MatchState, known: &AccountCalendar, seat: Seat, entry: &Entry) -> Vec<Event> {
    let rests = state.terms.setup.clock.rests();
    if rests == Rests::None {
        return Vec::new();
    }
    let battle = after(&state.battle, entry);
    let left_ms = battle.left_ms(seat, entry.at).unwrap_or_default() + battle.pause_ahead_ms(entry.at);
    let planned = plan::first(&known.calendar, &known.span_on(entry.at), rests, entry.at, left_ms);
    events(&battle, seat, &planned, entry)
}

/// Adds the rests that must be known after an entry.
pub(super) async fn completed(ctx: &Context, state: &MatchState, mut entry: Entry) -> Result<Entry> {
    let known_for_ever = |seat: &Seat| state.battle.planned_until(*seat).is_none();
    if state.terms.setup.clock.rests() == Rests::None
        || (0..state.terms.setup.seats).map(Seat).all(|seat| known_for_ever(&seat))
    {
        return Ok(entry);
    }
    let battle = after(&state.battle, &entry);
    let needed = battle.plans_needed();
    if needed.is_empty() {
        return Ok(entry);
    }
    let players = needed.iter().filter_map(|seat| Some((seat, state.terms.players.get(seat.index())?.id)));
    let (seats, accounts): (Vec<Seat>, Vec<AccountId>) = players.unzip();
    let mut conn = ctx.db.conn().await?;
    let known = calendar::for_plans(&mut conn, &accounts, entry.at).await?;
    drop(conn);
    for (seat, known) in seats.into_iter().zip(&known) {
        let seat_state = seat_state(&battle, state.terms.setup.clock.rests(), seat, &entry);
        if let Some(planned) = plan::longer(&known.calendar, &known.span_on(entry.at), &seat_state) {
            entry.events.extend(events(&battle, seat, &planned, &entry));
        }
    }
    Ok(entry)
}

/// The number of a seat's plans in a log after which calendar changes cause no further one. (Plans that end are still
/// extended.)
const MOST_PLANS: u32 = 100;

/// The events caused in a match by a changed calendar; empty if the player's rests stay the same, or were planned too
/// often.
pub(super) fn changed(state: &MatchState, known: &AccountCalendar, entry: &Entry) -> Vec<Event> {
    let Part::Player(seat) = state.terms.part_of(known.account) else { return Vec::new() };
    if state.plans_of(seat) >= MOST_PLANS {
        return Vec::new();
    }
    let seat_state = seat_state(&state.battle, state.terms.setup.clock.rests(), seat, entry);
    let planned = plan::anew(&known.calendar, known.change.as_ref(), &known.span_on(entry.at), &seat_state);
    planned.map(|planned| events(&state.battle, seat, &planned, entry)).unwrap_or_default()
}

fn seat_state<'a>(battle: &'a Battle, terms: Rests, seat: Seat, entry: &Entry) -> SeatState<'a> {
    SeatState {
        at: entry.at,
        terms,
        // Plans don't include a pause of the contest, but the deadline lies after it.
        left_ms: battle.left_ms(seat, entry.at).unwrap_or_default() + battle.pause_ahead_ms(entry.at),
        rests: battle.planned(seat),
        known_until: battle.planned_until(seat),
        deadline: battle.deadline_of(seat),
        began: battle.began(seat),
    }
}

fn events(battle: &Battle, seat: Seat, planned: &Planned, entry: &Entry) -> Vec<Event> {
    battle.plan_rests(seat, planned.from, &planned.rests, planned.until, entry.at)
}

fn after(battle: &Battle, entry: &Entry) -> Battle {
    let mut battle = battle.clone();
    entry.events.iter().for_each(|event| battle.apply(event, entry.at));
    battle
}
