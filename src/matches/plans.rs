//! The rests of a match's seats, out of their players' calendars: in the entry that opens it, and in any later one that needs to know more of them.
//!
//! Nothing is read for a match whose clocks never stand still, or whose plans reach far enough.

use broadside_rules::{Battle, Entry, Event, Rests, Seat};

use super::Terms;
use super::match_state::Live;
use crate::calendar::plan::{self, Planned, Stand};
use crate::calendar::{self, AccountCalendar};
use crate::context::Context;
use crate::db::Tx;
use crate::error::Result;
use crate::ids::AccountId;

/// Adds the first plans to the entry that opens a match. From here on, no calendar of its players changes before the transaction has ended.
pub(super) async fn at_the_beginning(tx: &mut Tx, terms: &Terms, entry: &mut Entry) -> Result<()> {
    let rests = terms.setup.clock.rests();
    if rests == Rests::None {
        return Ok(());
    }
    let accounts: Vec<AccountId> = terms.players.iter().map(|player| player.id).collect();
    let known = calendar::lock_for_new_match(tx, &accounts, entry.at).await?;
    let battle = after(&Battle::new(terms.setup.clone()), entry);
    for (seat, AccountCalendar { calendar, vacations, .. }) in (0..).map(Seat).zip(&known) {
        let left_ms = battle.left_ms(seat, entry.at).unwrap_or_default();
        let planned = plan::first(calendar, vacations, rests, entry.at, left_ms);
        entry.events.extend(events(&battle, seat, &planned, entry));
    }
    Ok(())
}

/// Adds to an entry what has to be known of its seats' rests once it is taken in.
pub(super) async fn completed(ctx: &Context, live: &Live, mut entry: Entry) -> Result<Entry> {
    let known_for_ever = |seat: &Seat| live.battle.planned_until(*seat).is_none();
    if live.terms.setup.clock.rests() == Rests::None
        || (0..live.terms.setup.seats).map(Seat).all(|seat| known_for_ever(&seat))
    {
        return Ok(entry);
    }
    let battle = after(&live.battle, &entry);
    let needed = battle.plans_needed();
    if needed.is_empty() {
        return Ok(entry);
    }
    let players = needed.iter().filter_map(|seat| Some((seat, live.terms.players.get(seat.index())?.id)));
    let (seats, accounts): (Vec<Seat>, Vec<AccountId>) = players.unzip();
    let mut conn = ctx.db.conn().await?;
    let known = calendar::for_plans(&mut conn, &accounts, entry.at).await?;
    drop(conn);
    for (seat, AccountCalendar { calendar, vacations, .. }) in seats.into_iter().zip(&known) {
        let stand = stand(&battle, live.terms.setup.clock.rests(), seat, &entry);
        if let Some(planned) = plan::longer(calendar, vacations, &stand) {
            entry.events.extend(events(&battle, seat, &planned, &entry));
        }
    }
    Ok(entry)
}

/// What another calendar of `account` brings about in a match; nothing, if it comes to the same.
pub(super) fn changed(live: &Live, known: &AccountCalendar, entry: &Entry) -> Vec<Event> {
    let Some(seat) = live.terms.seat_of(known.account) else { return Vec::new() };
    let stand = stand(&live.battle, live.terms.setup.clock.rests(), seat, entry);
    let planned = plan::anew(&known.calendar, known.counts_from, &known.vacations, &stand);
    planned.map(|planned| events(&live.battle, seat, &planned, entry)).unwrap_or_default()
}

fn stand<'a>(battle: &'a Battle, terms: Rests, seat: Seat, entry: &Entry) -> Stand<'a> {
    Stand {
        at: entry.at,
        terms,
        left_ms: battle.left_ms(seat, entry.at).unwrap_or_default(),
        rests: battle.planned(seat),
        known_until: battle.planned_until(seat),
        deadline: battle.deadline_of(seat),
        began: battle.began(seat),
    }
}

fn events(battle: &Battle, seat: Seat, planned: &Planned, entry: &Entry) -> Vec<Event> {
    battle.plan_rests(seat, planned.from, &planned.rests, planned.until, entry.at)
}

/// The battle as it is after an entry.
fn after(battle: &Battle, entry: &Entry) -> Battle {
    let mut battle = battle.clone();
    entry.events.iter().for_each(|event| battle.apply(event, entry.at));
    battle
}
