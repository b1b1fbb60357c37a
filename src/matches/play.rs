//! THE write path: the one way in which a match changes, whoever acts.
//!
//! Judged in memory, written in one guarded statement, and only then taken in. If the statement finds the log longer than its judge believed,
//! nothing has happened; the match is read again and, when the caller named no version, judged again.

use broadside_rules::{Action, Dice, Entry, Event, Illegal, Report, Seat, Time, Viewer, legal, proof};
use serde_json::Value;

use super::finish::{self, Closing};
use super::match_state::{Live, entry as read_entry};
use super::{Seen, notify, plans, replan};
use crate::context::Context;
use crate::db::Tx;
use crate::error::{Error, Result, problem, under};
use crate::idempotency;
use crate::idempotency::Claim;
use crate::ids::{AccountId, MatchId};
use crate::matches::Matches;
use crate::matches::store;
use crate::matches::store::moves::{Move, Written};

/// How often a move is judged again when others are faster.
pub(crate) const ATTEMPTS: usize = 4;

/// What a player asks.
pub struct Order {
    /// Who asks.
    pub account: AccountId,
    /// The version of the match, as he knows it, that the action is meant for.
    pub version: Option<u32>,
    /// The action, as it came.
    pub action: Value,
    /// Judge only.
    pub dry_run: bool,
    /// His idempotency key, if he sent one.
    pub claim: Option<Claim>,
}

/// What he gets.
pub struct Played<'a> {
    /// What he has just learnt.
    pub reports: Vec<Report>,
    /// The match as he sees it now.
    pub seen: Seen<'a>,
}

/// Carries out an order, or says why not; `render` makes the answer while the match is at hand.
pub async fn play<T>(
    matches: &Matches,
    id: MatchId,
    order: &Order,
    render: impl FnOnce(Played<'_>) -> Result<T>,
) -> Result<T> {
    let table = matches.table(id);
    let mut place = table.live.lock().await;
    let judged = judge_and_write(matches, id, &mut place, order).await;
    let (error, seat) = match (judged, place.as_ref()) {
        (Ok((seat, reports)), Some(live)) => {
            return render(Played { reports, seen: live.seen(Viewer::Seat(seat)) });
        }
        (Ok(_), None) => return Err(Error::internal("a match was played without being there")),
        (Err(error), live) => (error, live.and_then(|live| live.terms.seat_of(order.account))),
    };
    // It may have failed because it had been carried out before: then the first answer is due again.
    let (Some(claim), Some(seat)) = (&order.claim, seat) else { return Err(error) };
    match carried_out_before(matches, id, claim).await? {
        None => Err(error),
        Some(seq) => {
            let (live, reports) = as_of(matches, id, seq, seat).await?;
            render(Played { reports, seen: live.seen(Viewer::Seat(seat)) })
        }
    }
}

async fn judge_and_write(
    matches: &Matches,
    id: MatchId,
    place: &mut Option<Live>,
    order: &Order,
) -> Result<(Seat, Vec<Report>)> {
    let mut fresh = place.is_none();
    for _ in 0..ATTEMPTS {
        let live = load(matches, id, place).await?;
        let now = matches.clock.now();
        // A player whose time is over can't act any more, even if the sweep hasn't come by yet.
        if let Some(entry) = due(matches, live, now).await? {
            commit(matches, place, entry, None).await?;
            fresh = true;
            continue;
        }
        let judged = judge(live, order);
        let (seat, action) = match judged {
            Ok(judged) => judged,
            // Memory may be behind another node; a refusal has to be true.
            Err(_) if !fresh && is_behind(matches, live).await? => {
                *place = None;
                fresh = true;
                continue;
            }
            Err(error) => return Err(error),
        };
        if order.dry_run {
            return Ok((seat, Vec::new()));
        }
        let mut dice = Dice::from_seed(matches.random());
        let events = live.battle.decide(seat, &action, &mut dice, &live.chance);
        let spends = order.claim.as_ref().map(|claim| (claim.id, claim.fingerprint));
        let entry = Entry { at: now, seat: Some(seat), events: sealed(matches, live, events) };
        match commit(matches, place, entry, spends).await? {
            Some(mut learnt) => return Ok((seat, std::mem::take(&mut learnt[seat.index()]))),
            None => fresh = true,
        }
        if let Some(claim) = &order.claim
            && carried_out_before(matches, id, claim).await?.is_some()
        {
            break;
        }
    }
    load(matches, id, place).await?;
    Err(Error::plain(&problem::CONCURRENT_ACTION))
}

/// What the clock has to say before anybody acts; none: nothing.
pub(crate) async fn due(ctx: &Context, live: &Live, now: Time) -> Result<Option<Entry>> {
    let ended = live.battle.expire(now);
    if ended.is_empty() {
        return Ok(None);
    }
    let entry = replan::before_time_is_over(ctx, live, now).await?;
    Ok(Some(entry.unwrap_or_else(|| Entry { at: now, seat: None, events: sealed(ctx, live, ended) })))
}

/// The events with commitments to what is secret in them. The salts come from dice of their own: how many numbers a deployment has taken says nothing.
pub(crate) fn sealed(ctx: &Context, live: &Live, events: Vec<Event>) -> Vec<Event> {
    // Most moves are said in public, and need no salt.
    if !events.iter().any(Event::is_secret) {
        return events;
    }
    proof::seal(&live.terms.setup, events, &mut Dice::from_seed(ctx.random()))
}

/// Whether the order may be carried out, by what its player knows.
fn judge(live: &Live, order: &Order) -> Result<(Seat, Action)> {
    let Some(seat) = live.terms.seat_of(order.account) else {
        let visible = live.terms.spectators || live.battle.status().is_over();
        return Err(if visible {
            Error::new(&problem::NOT_FOR_YOU, "You don't play in this match.")
        } else {
            Error::not_found()
        });
    };
    let view = live.view(Viewer::Seat(seat));
    if order.version.is_some_and(|version| !live.is_meant_for(Viewer::Seat(seat), version)) {
        return Err(Error::stale_version(view.version()));
    }
    let action = Action::parse(&live.terms.setup, &order.action).map_err(in_order)?;
    legal(view, &action).map_err(in_order)?;
    Ok((seat, action))
}

/// The rules' refusal, its pointers seen from the whole order.
fn in_order(illegal: Illegal) -> Error {
    Illegal { faults: under("/action", illegal.faults), ..illegal }.into()
}

/// Writes an entry and takes it in. `None`: somebody was faster, or the key is spent; the match has to be read again.
pub(crate) async fn commit(
    matches: &Matches,
    place: &mut Option<Live>,
    entry: Entry,
    spends: Option<([u8; 32], [u8; 32])>,
) -> Result<Option<Vec<Vec<Report>>>> {
    let Some(Ready { mut live, what, closing, learnt }) = ready(matches, place, entry, spends).await? else {
        return Ok(None);
    };
    let written = match closing {
        Some(closing) => finish::write(matches, &mut live, &closing, what, async |_| Ok(())).await?,
        None => matches.writer.write(what).await?,
    };
    Ok(taken_in(place, live, learnt, written))
}

/// The same for an entry that ends the match, with something else that happens in its transaction, and first.
pub(crate) async fn commit_with(
    matches: &Matches,
    place: &mut Option<Live>,
    entry: Entry,
    spends: Option<([u8; 32], [u8; 32])>,
    first: impl AsyncFnOnce(&mut Tx) -> Result<()>,
) -> Result<Option<Vec<Vec<Report>>>> {
    let at = entry.at;
    let Some(Ready { mut live, what, closing, learnt }) = ready(matches, place, entry, spends).await? else {
        return Ok(None);
    };
    let closing = closing.unwrap_or_else(|| Closing::of_nothing_else(&live, at));
    let written = finish::write(matches, &mut live, &closing, what, first).await?;
    Ok(taken_in(place, live, learnt, written))
}

/// An entry that was taken in and is to be written.
struct Ready {
    live: Live,
    what: Move,
    closing: Option<Closing>,
    learnt: Vec<Vec<Report>>,
}

async fn ready(
    ctx: &Context,
    place: &mut Option<Live>,
    entry: Entry,
    spends: Option<([u8; 32], [u8; 32])>,
) -> Result<Option<Ready>> {
    let Some(live) = place.as_ref() else { return Ok(None) };
    let entry = plans::completed(ctx, live, entry).await?;
    // Taken out until it is known to last: if this request is dropped on the way, the match is read again.
    let Some(mut live) = place.take() else { return Ok(None) };
    let bytes = entry.to_bytes();
    let at = entry.at;
    let (before, was_over) = (notify::standing(&live), live.battle.status().is_over());
    let learnt = live.absorb(&entry);
    let told = notify::accounts(&live, &before, &entry, &learnt)?;
    let what = Move { match_id: live.terms.id, seq: live.seq, entry: bytes, head: live.head(), spends, at, told };
    let closing = finish::of(&live, was_over, at);
    Ok(Some(Ready { live, what, closing, learnt }))
}

/// What each viewer has learnt, if it lasts; then the match stays in its place.
fn taken_in(
    place: &mut Option<Live>,
    live: Live,
    learnt: Vec<Vec<Report>>,
    written: Written,
) -> Option<Vec<Vec<Report>>> {
    if written == Written::Clash {
        return None;
    }
    *place = Some(live);
    metrics::counter!("moves_total").increment(1);
    Some(learnt)
}

/// The match in `place`, read from the store if it isn't there.
pub(crate) async fn load<'a>(matches: &Matches, id: MatchId, place: &'a mut Option<Live>) -> Result<&'a mut Live> {
    let live = match place.take() {
        Some(live) => live,
        None => {
            let mut conn = matches.db.conn().await?;
            let stored = store::matches::load(&mut conn, id).await?.ok_or_else(Error::not_found)?;
            Live::fold(stored, usize::MAX, matches)?
        }
    };
    Ok(place.insert(live))
}

/// Whether the store has gone on without this node.
pub(crate) async fn is_behind(ctx: &Context, live: &Live) -> Result<bool> {
    let mut conn = ctx.db.conn().await?;
    let mark = store::matches::mark(&mut conn, live.terms.id).await?;
    Ok(mark != Some((live.seq, live.terms.edition)))
}

/// The entry that a claim's request made, if it was carried out before.
pub(crate) async fn carried_out_before(ctx: &Context, id: MatchId, claim: &Claim) -> Result<Option<u32>> {
    let mut conn = ctx.db.conn().await?;
    let Some(held) = idempotency::store::find(&mut conn, claim).await? else { return Ok(None) };
    claim.check(&held)?;
    held.seq.map(Some).ok_or_else(|| Error::internal(format!("a key that was used in the match {id} has no entry")))
}

/// The match as it was after its entry `seq`, and what `seat` learnt of that entry.
async fn as_of(matches: &Matches, id: MatchId, seq: u32, seat: Seat) -> Result<(Live, Vec<Report>)> {
    let mut conn = matches.db.conn().await?;
    let stored = store::matches::load(&mut conn, id).await?.ok_or_else(Error::not_found)?;
    let last = seq as usize - 1;
    let bytes = stored.entries.get(last).cloned().unwrap_or_default();
    let mut live = Live::fold(stored, last, matches)?;
    let entry = read_entry(&bytes, &live.terms)?;
    let mut learnt = live.absorb(&entry);
    Ok((live, std::mem::take(&mut learnt[seat.index()])))
}

/// Resigns every running match of an account that is being deleted. One that can't be resigned keeps nobody's account alive: it fails only when the matches can't be listed.
pub async fn leave_all(matches: &Matches, account: AccountId) -> Result<()> {
    let mut conn = matches.db.conn().await?;
    let running = store::matches::running_of(&mut conn, account).await?;
    drop(conn);
    for id in running {
        leave(matches, account, id).await;
    }
    Ok(())
}

/// Resigns a match of an account that leaves. One that can't be played on (a damaged log, others who are faster every time, a database that is gone) is named in the log,
/// and goes on running.
pub async fn leave(matches: &Matches, account: AccountId, id: MatchId) {
    let action = serde_json::json!({ "type": "resign" });
    let order = Order { account, version: None, action, dry_run: false, claim: None };
    match play(matches, id, &order, |_| Ok(())).await {
        // It may have ended by itself in the meantime.
        Err(error) if error.problem().kind != crate::error::ProblemKind::Unacceptable => {
            let cause = error.cause().map(tracing::field::display);
            tracing::error!(%error, cause, "a match of an account that leaves could not be resigned");
        }
        _ => {}
    }
}
