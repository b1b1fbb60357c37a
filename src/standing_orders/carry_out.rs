//! Carrying out: a job of each node looks for lists that have something to do, and does it when it is due.
//!
//! A move is written in a statement of its own, by [`play`], and the list goes on in another transaction. Between the two a node may die, and two nodes may be at it
//! at once. So before the move it is written down that the entry *n* is being made for this revision of the list, and the move spends an idempotency key that
//! follows from match, seat and revision. Whoever finds such a note looks for the key. Is it spent, the move was made, and the list goes on from there, as
//! anybody would work it out again from the log up to that entry. Is it not, then either the log still has *n* − 1 entries, and whoever comes first makes the
//! move, or somebody else has written entry *n*, and this one can't be written any more. (Keys are forgotten after a day; of an older entry it is looked whether it is
//! the move.) As long as the note stands nobody can edit the list, nor delete it when the match is over.

use broadside_rules::illegal::Illegal;
use broadside_rules::{Action, Rest, Time, legal};
use futures_util::{StreamExt, stream};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::position::Position;
use super::tree::{Chosen, Judged, judge};
use super::{Kept, StandingOrder};
use crate::context::Context;
use crate::error::{Error, Kind, Result};
use crate::events::kinds::{StandingOrderCarriedOutEvent, StandingOrderDroppedEvent};
use crate::events::{self, AccountEvent};
use crate::idempotency::{Claim, KEPT_S, Key};
use crate::ids::MatchId;
use crate::matches;
use crate::matches::Matches;
use crate::matches::play::{self, Order};
use crate::standing_orders::store;
use crate::standing_orders::store::Waiting;

/// How many lists one round takes at most; those that are left come in the next.
const AT_MOST: i64 = 500;
/// How many lists are looked at at the same time: few, so that those who play find connections.
const AT_ONCE: usize = 4;
/// When so little time is left, in milliseconds, an order doesn't wait any longer, even if the deadline has come nearer since it was worked out when it is due.
const NEAR_MS: i64 = 2_000;
/// An order that is so long overdue, in milliseconds, was missed, since no node was there to look.
const MISSED_MS: i64 = 10_000;
/// For so long, in milliseconds, a key that isn't there was never spent: an hour less than keys are kept.
const KEY_SURE_MS: i64 = (KEPT_S as i64 - 3600) * 1000;
/// Over how many milliseconds orders that were missed are spread, at most: if all came in the same second in which the service is back, that would be told.
const SPREAD_MS: i64 = 600_000;

/// Does what is due.
pub async fn round(matches: &Matches) -> Result<()> {
    let now = matches.clock.now();
    let mut conn = matches.db.conn().await?;
    let waiting = store::waiting(&mut conn, now, now.plus_ms(NEAR_MS), AT_MOST).await?;
    drop(conn);
    let looks = stream::iter(waiting).map(|waiting| async move {
        if let Err(error) = look(matches, &waiting).await {
            log(&error, "a standing order could not be carried out");
        }
    });
    looks.buffer_unordered(AT_ONCE).collect::<()>().await;
    Ok(())
}

/// Deletes the lists of seats that play no more part while the others play on.
pub async fn forget_outs(matches: &Matches) -> Result<()> {
    let mut conn = matches.db.conn().await?;
    let idle = store::idle(&mut conn, AT_MOST).await?;
    drop(conn);
    for waiting in idle {
        if let Err(error) = forget_if_out(matches, &waiting).await {
            log(&error, "it could not be found out whether standing orders are of any use yet");
        }
    }
    Ok(())
}

async fn forget_if_out(matches: &Matches, waiting: &Waiting) -> Result<()> {
    let Some((kept, position)) = position(matches, waiting, usize::MAX).await? else { return Ok(()) };
    let mut tx = matches.db.begin().await?;
    if position.is_out() {
        store::delete(&mut tx, kept.match_id, kept.seat).await?;
    } else if position.since.is_none() {
        store::note(&mut tx, &kept, position.length(), None).await?;
    }
    tx.commit().await
}

fn log(error: &Error, what: &str) {
    tracing::error!(%error, cause = error.cause().map(tracing::field::display), "{what}");
}

/// A list, and the match as it stood for its owner after the first `length` entries.
async fn position(matches: &Matches, waiting: &Waiting, length: usize) -> Result<Option<(Kept, Position)>> {
    let mut conn = matches.db.conn().await?;
    let Some(kept) = store::find(&mut conn, waiting.match_id, waiting.seat).await? else {
        return Ok(None);
    };
    let Some(stored) = matches::store::matches::load(&mut conn, waiting.match_id).await? else { return Ok(None) };
    drop(conn);
    let position = Position::of(matches, stored, length, waiting.seat)?;
    Ok(Some((kept, position)))
}

async fn look(matches: &Matches, waiting: &Waiting) -> Result<()> {
    if waiting.over {
        let mut tx = matches.db.begin().await?;
        let deleted = store::delete(&mut tx, waiting.match_id, waiting.seat).await?;
        tx.commit().await?;
        if deleted {
            return Ok(());
        }
        // The end may be its own doing, and its owner has to hear of that first.
    }
    // The log is read before the key is looked for: so an entry that isn't in it can still come.
    let Some((kept, position)) = position(matches, waiting, usize::MAX).await? else { return Ok(()) };
    if let Some(firing) = kept.firing_seq {
        if let Some(seq) = play::carried_out_before(matches, kept.match_id, &claim(&kept)?).await? {
            return settle(matches, waiting, kept.revision, seq).await;
        }
        if position.length() >= firing as usize && is_made(matches, &kept, firing).await? {
            return settle(matches, waiting, kept.revision, firing).await;
        }
        if waiting.over || position.length() + 1 != firing as usize {
            return give_up(matches, &kept, firing as usize).await;
        }
    }
    let now = matches.clock.now();
    match due(&position, &kept, now)? {
        None => note(matches, &kept, &position, None).await,
        Some(time) if time > now && kept.firing_seq.is_none() => note(matches, &kept, &position, Some(time)).await,
        Some(_) => carry_out(matches, waiting, kept, position).await,
    }
}

async fn note(ctx: &Context, kept: &Kept, position: &Position, due_at: Option<Time>) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    store::note(&mut tx, kept, position.length(), due_at).await?;
    tx.commit().await
}

async fn give_up(ctx: &Context, kept: &Kept, seq: usize) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    store::give_up(&mut tx, kept, seq).await?;
    tx.commit().await
}

/// Whether the entry `seq` is the move of this revision, when it is so old that its key may be forgotten.
async fn is_made(matches: &Matches, kept: &Kept, seq: u32) -> Result<bool> {
    let mut conn = matches.db.conn().await?;
    let Some(stored) = matches::store::matches::load(&mut conn, kept.match_id).await? else { return Ok(false) };
    drop(conn);
    let before = seq as usize - 1;
    let Some(bytes) = stored.entries.get(before).cloned() else { return Ok(false) };
    let position = Position::of(matches, stored, before, kept.seat)?;
    let Some(chosen) = judged(&position, kept.orders.clone())?.chosen else { return Ok(false) };
    let made_at = position.does(&bytes, chosen.action())?;
    Ok(made_at.is_some_and(|at| matches.clock.now().millis_since(at) >= KEY_SURE_MS))
}

/// When there is something to do in the match as it stands; `None`: there isn't.
fn due(position: &Position, kept: &Kept, now: Time) -> Result<Option<Time>> {
    let Some(began) = position.since.filter(|since| kept.open_since != Some(*since)) else { return Ok(None) };
    let asked = position.asked()?;
    if !kept.orders.iter().any(|order| order.answers(&asked)) {
        return Ok(None);
    }
    let delay = kept.delay.unwrap_or_else(|| position.usual_delay());
    let deadline = position.view().deadline_of(kept.seat);
    let is_near = deadline.is_some_and(|deadline| deadline.millis_since(now) <= NEAR_MS);
    let due = match kept.due_at.filter(|_| kept.looked_seq == u32::try_from(position.length()).ok()) {
        _ if is_near => return Ok(Some(now)),
        Some(noted) => noted,
        None => {
            // Who has just edited his list can think better of it for as long as a turn waits.
            let since = began.max(kept.edited_at);
            let is_step = position.is_step && kept.edited_at < began;
            awake(position, kept, delay.due(since, is_step, deadline, lot(position, kept, since)))
        }
    };
    if now.millis_since(due) < MISSED_MS {
        return Ok(Some(due));
    }
    let left = deadline.map_or(i64::MAX, |deadline| (deadline.millis_since(now) - NEAR_MS) / 2);
    let spread = SPREAD_MS.min(i64::from(delay.most_s) * 1000).min(left).max(0).unsigned_abs();
    let later = i64::try_from(lot(position, kept, now) % (spread + 1)).unwrap_or_default();
    Ok(Some(awake(position, kept, now.plus_ms(later))))
}

/// The same time; or one behind the end of a rest into which it would fall, with the delay of another turn. Everybody can see that the owner sleeps, or is on
/// vacation. If he has chosen the delay himself, he knows what he does.
fn awake(position: &Position, kept: &Kept, due: Time) -> Time {
    if kept.delay.is_some() {
        return due;
    }
    let deadline = position.view().deadline_of(kept.seat);
    let goes_on = |until: Time| deadline.is_none_or(|deadline| until < deadline);
    position.rests().iter().fold(due, |due, Rest { from, until, .. }| {
        if (*from..*until).contains(&due) && goes_on(*until) {
            position.usual_delay().due(*until, false, deadline, lot(position, kept, *until))
        } else {
            due
        }
    })
}

/// What chooses the moment: nobody can foresee it, and every node comes to the same.
fn lot(position: &Position, kept: &Kept, since: Time) -> u64 {
    let mut hash = Sha256::new();
    hash.update(position.secret());
    hash.update(b"standing order");
    hash.update([kept.seat.0]);
    hash.update(kept.revision.to_be_bytes());
    hash.update(since.0.to_be_bytes());
    let digest: [u8; 32] = hash.finalize().into();
    digest.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// The key that carrying out this revision spends.
fn claim(kept: &Kept) -> Result<Claim> {
    let key: Key = format!("{}/{}/{}", kept.match_id, kept.seat.0, kept.revision).parse().map_err(Error::internal)?;
    Ok(key.claim(b"standing orders", b""))
}

fn judged(position: &Position, orders: Vec<StandingOrder>) -> Result<Judged> {
    Ok(judge(orders, &position.asked()?, |order| position.holds(order)))
}

async fn carry_out(matches: &Matches, waiting: &Waiting, kept: Kept, position: Position) -> Result<()> {
    // A player whose time is over can't act any more; the sweep will play that.
    if position.view().deadline_of(kept.seat).is_some_and(|deadline| deadline <= matches.clock.now()) {
        return Ok(());
    }
    let judged = judged(&position, kept.orders.clone())?;
    let fired = kept.firing_seq.is_some();
    let Some(chosen) = &judged.chosen else {
        if judged.spent.is_empty() {
            // Only orders that stay whose conditions don't hold: nothing changes until there is more to be told.
            return match kept.firing_seq {
                Some(seq) => give_up(matches, &kept, seq as usize).await,
                None => note(matches, &kept, &position, None).await,
            };
        }
        let told = spent(matches, &kept, &judged);
        return go_on(matches, kept.followed_by(judged.done()), fired, told).await;
    };
    let action = Value::Object(chosen.action().clone());
    if let Err(illegal) = playable(&position, &action) {
        let mut told = spent(matches, &kept, &judged);
        told.push(dropped(matches, &kept, chosen, illegal));
        let left = Kept { open_since: position.since, ..kept.followed_by(judged.dropped()) };
        return go_on(matches, left, fired, told).await;
    }
    let seq = position.length() + 1;
    if !fired {
        let mut tx = matches.db.begin().await?;
        let begun = store::begin(&mut tx, &kept, seq).await?;
        tx.commit().await?;
        if !begun {
            return Ok(());
        }
    }
    let (account, version) = (kept.account, Some(position.view().version()));
    let order = Order { account, version, action, dry_run: false, claim: Some(claim(&kept)?) };
    match play::play(matches, kept.match_id, &order, |_| Ok(())).await {
        Ok(()) => {}
        // Whoever was faster has written that entry, so this one can't come any more: the owner himself, or the clock.
        Err(error) if matches!(error.problem().kind, Kind::Conflict) => return give_up(matches, &kept, seq).await,
        // It isn't known whether it lasts. The note stays, and the next round finds out.
        Err(error) => return Err(error),
    }
    match play::carried_out_before(matches, kept.match_id, &claim(&kept)?).await? {
        Some(seq) => settle(matches, waiting, kept.revision, seq).await,
        None => Err(Error::internal("a standing order was carried out without a trace")),
    }
}

/// May the owner play this now, by what he knows?
fn playable(position: &Position, action: &Value) -> Result<(), Illegal> {
    legal(position.view(), &Action::parse(position.view().setup(), action)?)
}

/// The move of this revision is in the log, as its entry `seq`: the list goes on from there.
async fn settle(matches: &Matches, waiting: &Waiting, revision: u32, seq: u32) -> Result<()> {
    let Some((kept, position)) = position(matches, waiting, seq as usize - 1).await? else { return Ok(()) };
    if kept.revision != revision {
        // Somebody else has seen to it, and the next order has nothing to do with this entry.
        return Ok(());
    }
    let judged = judged(&position, kept.orders.clone())?;
    let mut told = spent(matches, &kept, &judged);
    if let Some(chosen) = &judged.chosen {
        let action = Value::Object(chosen.action().clone());
        let event = StandingOrderCarriedOutEvent::at(matches.clock.now(), kept.match_id, kept.revision + 1, action);
        told.push(event.into());
    }
    go_on(matches, kept.followed_by(judged.done()), true, told).await
}

/// Puts what is left in the place of the list, and tells its owner.
async fn go_on(ctx: &Context, left: Kept, fired: bool, told: Vec<AccountEvent>) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    if !store::go_on(&mut tx, &left, fired).await? {
        return tx.roll_back().await;
    }
    events::notify(&mut tx, ctx, events::notification(left.account, &told)?).await?;
    tx.commit().await
}

/// What the owner hears of the orders that are spent since their conditions don't hold.
fn spent(ctx: &Context, kept: &Kept, judged: &Judged) -> Vec<AccountEvent> {
    let told = |order: &StandingOrder| {
        let detail = "Its conditions did not hold, and nothing was said for that case.";
        let action = Value::Object(order.then.action.clone());
        event_of_drop(ctx, kept, action, "conditions-not-met", detail.to_owned())
    };
    judged.spent.iter().map(told).collect()
}

fn dropped(ctx: &Context, kept: &Kept, chosen: &Chosen, illegal: Illegal) -> AccountEvent {
    event_of_drop(ctx, kept, Value::Object(chosen.action().clone()), illegal.code, illegal.detail)
}

fn event_of_drop(ctx: &Context, kept: &Kept, action: Value, code: &'static str, detail: String) -> AccountEvent {
    let id: MatchId = kept.match_id;
    StandingOrderDroppedEvent::at(ctx.clock.now(), id, kept.revision + 1, action, code, detail).into()
}
