//! Execution of a due order. [`rounds`](super::rounds) selects the next one.
//!
//! An action is written by [`play`] in a statement of its own, and the list changes in another transaction. A node may
//! die between the two, and two nodes may execute the same order at once. So first a note is stored: entry *n* is being
//! made for this revision of the list. The action spends an idempotency key derived from match, player and revision. A
//! node that finds such a note looks for the key. If it is spent, the action was executed, and the list advances from
//! there: any node can compute that from the log up to that entry. If it is not spent, either the log still has *n* − 1
//! entries, and the first node to try executes the action, or entry *n* is another one, and this one can't be written
//! any more. (Keys are deleted after a day; an older entry is compared with the action.) While the note exists, the
//! list can't be edited, nor deleted when the match is over.

use broadside_rules::illegal::Illegal;
use broadside_rules::{Action, Rest, Seat, Time, legal};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::rounds::Lane;
use super::seat_history::SeatHistory;
use super::tree::{Chosen, Delay, Judgement, judge};
use super::{StandingOrder, StoredStandingOrders};
use crate::context::Context;
use crate::error::{Error, ProblemKind, Result};
use crate::events::kinds::{StandingOrderDroppedEvent, StandingOrderExecutedEvent};
use crate::events::{self, AccountEvent};
use crate::idempotency::{Claim, IdempotencyKey, RETENTION_S};
use crate::ids::{AccountId, MatchId};
use crate::matches::play::{self, ActionRequest};
use crate::matches::{MatchSnapshot, Matches, entry_of_claim};
use crate::standing_orders::store;
use crate::standing_orders::store::DueList;

/// With at most this time left before the deadline, in milliseconds, an order is executed at once.
pub(super) const AT_ONCE_MS: i64 = 2_000;
/// An order overdue by this time, in milliseconds, was missed: no node was running.
const MISSED_MS: i64 = 10_000;
/// Within this time, in milliseconds, a key that isn't stored was never spent: an hour less than keys are kept.
const KEY_SURE_MS: i64 = (RETENTION_S as i64 - 3600) * 1000;
/// The longest period over which missed orders are spread, in milliseconds. If all were executed in the first second
/// after an outage, other players could tell that they are standing orders.
const SPREAD_MS: i64 = 600_000;

/// Deletes the list of an eliminated seat.
pub(super) async fn forget_if_out(matches: &Matches, waiting: &DueList) -> Result<()> {
    let Some((list, history)) = history(matches, (waiting.match_id, waiting.seat, waiting.account), usize::MAX).await?
    else {
        return Ok(());
    };
    let mut tx = matches.db.begin().await?;
    if history.is_out() {
        store::delete(&mut tx, list.match_id, list.account).await?;
    } else if history.since.is_none() {
        store::note(&mut tx, &list, history.length(), None).await?;
    }
    tx.commit().await
}

/// A list, and its owner's knowledge of the match after the first `length` entries.
async fn history(
    matches: &Matches,
    (id, seat, account): (MatchId, Seat, AccountId),
    length: usize,
) -> Result<Option<(StoredStandingOrders, SeatHistory)>> {
    let mut conn = matches.db.conn().await?;
    let Some(list) = store::find(&mut conn, id, account).await? else {
        return Ok(None);
    };
    drop(conn);
    let Some(stored) = matches.stored(id).await? else { return Ok(None) };
    if stored.players.get(seat.index()).is_none_or(|player| player.id != account) {
        // The list was stored just after its owner gave the seat away.
        let mut tx = matches.db.begin().await?;
        store::hand_over(&mut tx, id, account).await?;
        tx.commit().await?;
        return Ok(None);
    }
    let history = SeatHistory::of(stored, length, seat)?;
    Ok(Some((list, history)))
}

/// Determines the work for a list, and does it. In [`Lane::Others`] an order is executed only if the list was selected
/// for execution.
pub(super) async fn look(matches: &Matches, lane: Lane, waiting: &DueList) -> Result<()> {
    if waiting.over {
        let mut tx = matches.db.begin().await?;
        let deleted = store::delete(&mut tx, waiting.match_id, waiting.account).await?;
        tx.commit().await?;
        if deleted {
            return Ok(());
        }
        // The order itself may have ended the match, and its owner must be notified first.
    }
    // The log is read before the key is looked up, so an entry missing from it may still arrive.
    let Some((list, history)) = history(matches, (waiting.match_id, waiting.seat, waiting.account), usize::MAX).await?
    else {
        return Ok(());
    };
    if let Some(firing) = list.firing_seq {
        if let Some(seq) = entry_of_claim(matches, &claim(&list)?).await? {
            return settle(matches, waiting, list.revision, seq).await;
        }
        if history.length() >= firing as usize && is_made(matches, &list, firing).await? {
            return settle(matches, waiting, list.revision, firing).await;
        }
        if waiting.over || history.length() + 1 != firing as usize {
            return give_up(matches, &list, firing as usize).await;
        }
    }
    let now = matches.clock.now();
    // Where owners take turns, a list selected only for inspection has no turn to execute yet.
    let has_turn = lane == Lane::NearDeadline || waiting.is_ready;
    match due(&history, &list, now)? {
        None => note(matches, &list, &history, None).await,
        Some(time) if list.firing_seq.is_none() && (time > now || !has_turn) => {
            note(matches, &list, &history, Some(time)).await
        }
        Some(_) => carry_out(matches, waiting, list, history).await,
    }
}

/// The list with its next due time, even if no node has looked since the list or the log changed. The job gets the same
/// result, because it uses the same function of the list and the log.
pub(super) async fn timed(
    matches: &Matches,
    list: StoredStandingOrders,
    snapshot: &MatchSnapshot,
) -> Result<StoredStandingOrders> {
    if !snapshot.view().to_act().contains(list.seat) {
        return Ok(StoredStandingOrders { due_at: None, ..list });
    }
    let (length, _) = snapshot.mark();
    if list.looked_seq == Some(length) || list.orders.is_empty() || list.firing_seq.is_some() {
        return Ok(list);
    }
    let Some((stored, history)) = history(matches, (list.match_id, list.seat, list.account), usize::MAX).await? else {
        return Ok(list);
    };
    let due_at = due(&history, &stored, matches.clock.now())?;
    Ok(StoredStandingOrders { due_at, ..stored })
}

async fn note(ctx: &Context, list: &StoredStandingOrders, history: &SeatHistory, due_at: Option<Time>) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    store::note(&mut tx, list, history.length(), due_at).await?;
    tx.commit().await
}

async fn give_up(ctx: &Context, list: &StoredStandingOrders, seq: usize) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    store::give_up(&mut tx, list, seq).await?;
    tx.commit().await
}

/// True if the entry `seq` is the action of this revision, for entries so old that their key may be deleted.
async fn is_made(matches: &Matches, list: &StoredStandingOrders, seq: u32) -> Result<bool> {
    let Some(stored) = matches.stored(list.match_id).await? else { return Ok(false) };
    let before = seq as usize - 1;
    let Some(bytes) = stored.entries.get(before).cloned() else { return Ok(false) };
    let history = SeatHistory::of(stored, before, list.seat)?;
    let Some(chosen) = judged(&history, list.orders.clone())?.chosen else { return Ok(false) };
    let made_at = history.does(&bytes, chosen.action())?;
    Ok(made_at.is_some_and(|at| matches.clock.now().millis_since(at) >= KEY_SURE_MS))
}

/// The due time of the next action in the match's current state; `None`: there is none.
fn due(history: &SeatHistory, list: &StoredStandingOrders, now: Time) -> Result<Option<Time>> {
    let Some(began) = history.since.filter(|since| list.open_since != Some(*since)) else { return Ok(None) };
    let asked = history.asked()?;
    if !list.orders.iter().any(|order| order.answers(&asked)) {
        return Ok(None);
    }
    let delay = list.delay.unwrap_or_else(|| history.usual_delay());
    let deadline = history.view().deadline_of(list.seat);
    let is_near = deadline.is_some_and(|deadline| deadline.millis_since(now) <= AT_ONCE_MS);
    let due = match list.due_at.filter(|_| list.looked_seq == u32::try_from(history.length()).ok()) {
        _ if is_near => return Ok(Some(now)),
        Some(noted) => noted,
        None => {
            // After an edit, the owner has as much time for another edit as a turn waits.
            let since = began.max(list.edited_at);
            let is_step = history.is_step && list.edited_at < began;
            let lot = lot(history, list, since);
            let due = delay.due(since, is_step, deadline, lot);
            let due = match (history.has_an_offer(), deadline) {
                (false, _) => due,
                // Playing on would decline an offer that the owner may not have seen.
                (true, Some(deadline)) => due.max(Delay::last_moment(since, deadline, lot)),
                (true, None) => return Ok(None),
            };
            awake(history, list, due)
        }
    };
    if now.millis_since(due) < MISSED_MS {
        return Ok(Some(due));
    }
    let left = deadline.map_or(i64::MAX, |deadline| (deadline.millis_since(now) - AT_ONCE_MS) / 2);
    let spread = SPREAD_MS.min(i64::from(delay.max_s) * 1000).min(left).max(0).unsigned_abs();
    let later = i64::try_from(lot(history, list, now) % (spread + 1)).unwrap_or_default();
    Ok(Some(awake(history, list, now.plus_ms(later))))
}

/// The due time, moved behind the end of a rest into which it would fall, with the delay of another turn: all players
/// can see that the owner sleeps or is on vacation. A delay set by the owner is kept as it is.
fn awake(history: &SeatHistory, list: &StoredStandingOrders, due: Time) -> Time {
    if list.delay.is_some() {
        return due;
    }
    let deadline = history.view().deadline_of(list.seat);
    let goes_on = |until: Time| deadline.is_none_or(|deadline| until < deadline);
    history.rests().iter().fold(due, |due, Rest { from, until, .. }| {
        if (*from..*until).contains(&due) && goes_on(*until) {
            history.usual_delay().due(*until, false, deadline, lot(history, list, *until))
        } else {
            due
        }
    })
}

/// The number that selects the moment: unpredictable for players, and equal on every node.
fn lot(history: &SeatHistory, list: &StoredStandingOrders, since: Time) -> u64 {
    let mut hash = Sha256::new();
    hash.update(history.secret());
    hash.update(b"standing order");
    hash.update([list.seat.0]);
    hash.update(list.revision.to_be_bytes());
    hash.update(since.0.to_be_bytes());
    let digest: [u8; 32] = hash.finalize().into();
    digest.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// The idempotency key of this revision's action.
fn claim(list: &StoredStandingOrders) -> Result<Claim> {
    let key: IdempotencyKey =
        format!("{}/{}/{}", list.match_id, list.account, list.revision).parse().map_err(Error::internal)?;
    Ok(key.claim(b"standing orders", b""))
}

fn judged(history: &SeatHistory, orders: Vec<StandingOrder>) -> Result<Judgement> {
    Ok(judge(orders, &history.asked()?, |order| history.holds(order)))
}

async fn carry_out(
    matches: &Matches,
    waiting: &DueList,
    list: StoredStandingOrders,
    history: SeatHistory,
) -> Result<()> {
    // A player whose time is over can't act any more; the sweep will handle the time-out.
    if history.view().deadline_of(list.seat).is_some_and(|deadline| deadline <= matches.clock.now()) {
        return Ok(());
    }
    let judged = judged(&history, list.orders.clone())?;
    let fired = list.firing_seq.is_some();
    let Some(chosen) = &judged.chosen else {
        if judged.spent.is_empty() {
            // Only permanent orders whose conditions don't hold: nothing changes until there are new reports.
            return match list.firing_seq {
                Some(seq) => give_up(matches, &list, seq as usize).await,
                None => note(matches, &list, &history, None).await,
            };
        }
        let told = spent(matches, &list, &judged);
        return go_on(matches, list.followed_by(judged.done()), fired, told).await;
    };
    let action = Value::Object(chosen.action().clone());
    if let Err(illegal) = playable(&history, &action) {
        let mut told = spent(matches, &list, &judged);
        told.push(dropped(matches, &list, chosen, illegal));
        let left = StoredStandingOrders { open_since: history.since, ..list.followed_by(judged.dropped()) };
        return go_on(matches, left, fired, told).await;
    }
    let seq = history.length() + 1;
    if !fired {
        let limits = matches.rate_limits.as_ref();
        if limits.is_some_and(|limits| !limits.charge_executed_order(list.share_owner)) {
            return Ok(());
        }
        let mut tx = matches.db.begin().await?;
        let begun = store::begin(&mut tx, &list, seq, matches.clock.now()).await?;
        tx.commit().await?;
        if !begun {
            return Ok(());
        }
    }
    let (account, version) = (list.account, Some(history.view().version()));
    let request = ActionRequest { account, version, action, dry_run: false, claim: Some(claim(&list)?) };
    match play::play(matches, list.match_id, &request).await {
        Ok(_) => {}
        // Another writer (the owner or the clock) was faster and wrote that entry, so this one can't be written any
        // more.
        Err(error) if matches!(error.problem().kind, ProblemKind::Conflict) => {
            return give_up(matches, &list, seq).await;
        }
        // It is unknown whether the write lasted. The note stays, and the next round finds out.
        Err(error) => return Err(error),
    }
    match entry_of_claim(matches, &claim(&list)?).await? {
        Some(seq) => settle(matches, waiting, list.revision, seq).await,
        None => Err(Error::internal("a standing order was carried out without a trace")),
    }
}

/// Checks that the action is currently legal, judging by the owner's knowledge.
fn playable(history: &SeatHistory, action: &Value) -> Result<(), Illegal> {
    legal(history.view(), &Action::parse(history.view().setup(), action)?)
}

/// Advances the list after this revision's action, which is the log's entry `seq`.
async fn settle(matches: &Matches, waiting: &DueList, revision: u32, seq: u32) -> Result<()> {
    let before = seq as usize - 1;
    let Some((list, history)) = history(matches, (waiting.match_id, waiting.seat, waiting.account), before).await?
    else {
        return Ok(());
    };
    if list.revision != revision {
        // Another node has done it, and the next order is unrelated to this entry.
        return Ok(());
    }
    let judged = judged(&history, list.orders.clone())?;
    let mut told = spent(matches, &list, &judged);
    if let Some(chosen) = &judged.chosen {
        let action = Value::Object(chosen.action().clone());
        let event = StandingOrderExecutedEvent::at(matches.clock.now(), list.match_id, list.revision + 1, action);
        told.push(event.into());
    }
    go_on(matches, list.followed_by(judged.done()), true, told).await
}

/// Stores the remaining list, and notifies its owner.
async fn go_on(ctx: &Context, left: StoredStandingOrders, fired: bool, told: Vec<AccountEvent>) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    if !store::go_on(&mut tx, &left, fired).await? {
        return tx.roll_back().await;
    }
    events::notify(&mut tx, ctx, events::notification(left.account, &told)?).await?;
    tx.commit().await
}

/// Events for the owner about orders used up because their conditions don't hold.
fn spent(ctx: &Context, list: &StoredStandingOrders, judged: &Judgement) -> Vec<AccountEvent> {
    let told = |order: &StandingOrder| {
        let detail = "Its conditions did not hold, and nothing was said for that case.";
        let action = Value::Object(order.then.action.clone());
        event_of_drop(ctx, list, action, "conditions-not-met", detail.to_owned())
    };
    judged.spent.iter().map(told).collect()
}

fn dropped(ctx: &Context, list: &StoredStandingOrders, chosen: &Chosen, illegal: Illegal) -> AccountEvent {
    event_of_drop(ctx, list, Value::Object(chosen.action().clone()), illegal.code, illegal.detail)
}

fn event_of_drop(
    ctx: &Context,
    list: &StoredStandingOrders,
    action: Value,
    code: &'static str,
    detail: String,
) -> AccountEvent {
    let id: MatchId = list.match_id;
    StandingOrderDroppedEvent::at(ctx.clock.now(), id, list.revision + 1, action, code, detail).into()
}
