//! Joining and leaving position ladders, and the notifications of members whose position others have changed.

use broadside_contests::Span;
use broadside_contests::position_ladder::{Outcome, Reason, Terms as PositionTerms, window};
use broadside_rules::Time;

use super::{LadderMove, Step, StepCause, challenges, end};
use crate::accounts::Identity;
use crate::calendar;
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::Result;
use crate::events::kinds::LadderPositionChangedEvent;
use crate::events::{self, Notification};
use crate::ids::{AccountId, LadderId};
use crate::ladders::{Ladder, store};
use crate::listed::Listed;
use crate::matches::{Contest, pauses};

/// The reason in the notification of an overtaken member.
const OVERTAKEN: &str = "overtaken";

/// Adds a member at the last position; does nothing if they have a position. The ladder is locked.
pub async fn enter(tx: &mut Tx, ladder: LadderId, terms: &PositionTerms, account: AccountId, now: Time) -> Result<()> {
    if store::positions::member(tx, ladder, account).await?.is_some() {
        return Ok(());
    }
    let last = store::positions::count(tx, ladder).await?;
    let step = Step { account, from: None, to: Some(last.saturating_add(1)) };
    store::positions::apply_step(tx, ladder, &step, &StepCause::plain(Reason::Joined), now).await?;
    is_active(tx, ladder, terms, account, now).await
}

/// Removes a member; those below move up, and the member's challenges are canceled. Returns the notifications for
/// others; does nothing if the account has no position. The ladder is locked.
pub async fn exit(
    tx: &mut Tx,
    ladder: &Ladder,
    terms: &PositionTerms,
    account: AccountId,
    reason: Reason,
    now: Time,
) -> Result<Vec<Notification>> {
    let mut told = Vec::new();
    for challenge in store::challenges::running_of(tx, ladder.id, account).await? {
        told.extend(end::end(tx, ladder, terms, challenge, Outcome::Cancelled, now).await?);
    }
    let Some(listed) = store::positions::member(tx, ladder.id, account).await? else { return Ok(told) };
    let step = Step { account, from: Some(listed.member.place), to: None };
    told.extend(apply_step(tx, ladder.id, &step, &StepCause::plain(reason), now).await?);
    Ok(told)
}

/// Makes a step. Returns the notifications for the member who moves, and for those whom they pass. (Members who move up
/// because a member above left or fell get none: on a long ladder that is everybody.)
pub(super) async fn apply_step(
    tx: &mut Tx,
    ladder: LadderId,
    step: &Step,
    cause: &StepCause,
    now: Time,
) -> Result<Vec<Notification>> {
    let moved = store::positions::apply_step(tx, ladder, step, cause, now).await?;
    let event =
        |from, to, reason| LadderPositionChangedEvent::at(now, ladder, from, to, reason, cause.challenge).into();
    let mut told = Vec::new();
    if let (Some(from), Some(to)) = (step.from, step.to) {
        told.push(events::notification(step.account, &[event(from, to, cause.reason.word())])?);
    }
    let overtaken = moved.into_iter().filter(|_| matches!(step.shift(), Some((1, ..))));
    for (account, place) in overtaken {
        told.push(events::notification(account, &[event(place.saturating_sub(1), place, OVERTAKEN)])?);
    }
    Ok(told.into_iter().flatten().collect())
}

/// Records a member's activity now, or at another time.
pub(super) async fn is_active(
    tx: &mut Tx,
    ladder: LadderId,
    terms: &PositionTerms,
    account: AccountId,
    active_at: Time,
) -> Result<()> {
    // The earliest time: vacations are looked up when it has come.
    let look_at = terms.inactive_after_s.map(|after_s| active_at.plus_s(after_s));
    store::positions::note_activity(tx, ladder, account, active_at, look_at).await
}

/// The steps of a ladder after number `after`, in order.
pub async fn moves(
    conn: &mut Conn,
    ctx: &Context,
    (ladder, viewer): (LadderId, Option<&Identity>),
    after: u32,
    limit: i64,
) -> Result<Listed<LadderMove>> {
    let ladder = challenges::find_ladder(conn, ctx, ladder, viewer).await?;
    store::positions::moves(conn, ladder.id, after, limit).await
}

/// The end of a window that opened for the account at `from`, as known by `now`: whether it has closed by then doesn't
/// depend on later vacations, which are private.
pub(super) async fn closes(
    conn: &mut Conn,
    (ladder, account): (LadderId, AccountId),
    from: Time,
    window_s: u32,
    now: Time,
) -> Result<Time> {
    let vacations = calendar::begun_since(conn, &[account], from, now).await?;
    let begun = vacations.into_iter().map(|(_, vacation)| vacation.span());
    let still: Vec<Span> = begun.chain(paused(conn, ladder, from).await?).collect();
    Ok(window::closes(from, window_s, &still))
}

/// The ladder's pauses since a time: no window runs in them.
pub(super) async fn paused(conn: &mut Conn, ladder: LadderId, since: Time) -> Result<Vec<Span>> {
    let all = pauses::of(conn, Contest::Ladder(ladder), since).await?;
    Ok(all.into_iter().map(|pause| Span { from: pause.from, until: pause.until }).collect())
}
