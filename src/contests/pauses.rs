//! Pauses of ladders and tournaments by organizers. Their effect on matches is in [`crate::matches::pauses`]; on
//! seasons, rounds and challenges, in ladders and tournaments themselves.
//!
//! The end of a pause is fixed and announced when it begins, so nothing that waits for it depends on a job. A job
//! records that it is over, and notifies members in batches: each member once, even if nodes are killed in between.

use std::collections::HashMap;

use broadside_rules::{Pause, Time};
use serde_json::json;
use uuid::Uuid;

use super::{Contest, either, store, subject};
use crate::accounts::roles::Actor;
use crate::audit_log::{self, AuditEntry, AuditKind, AuditReason};
use crate::context::Context;
use crate::db::{Conn, PublicRead, Tx};
use crate::due::{each_due, pass_over};
use crate::error::{Error, Result, problem};
use crate::events::kinds::{ContestPausedEvent, ContestResumedEvent};
use crate::events::{self, AccountEvent};
use crate::ids::AccountId;
use crate::listed::Listed;
use crate::string_enums::string_enums;

/// Most pauses of a contest that begin in a day.
pub const MAX_A_DAY: i64 = 5;
const DAY_MS: i64 = 86_400_000;
/// Members notified in one transaction.
const AT_A_TIME: i64 = 200;
/// Pauses read at a time.
const AT_MOST: i64 = 50;

string_enums! {
    /// Of what members are told.
    pub enum PauseNews {
        /// It has begun.
        Paused,
        /// It is over.
        Resumed,
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ContestPause {
    pub id: Uuid,
    pub contest: Contest,
    pub from: Time,
    /// The planned or actual end.
    pub until: Time,
    /// `None` if its author has deleted their account.
    pub reason: Option<String>,
}

impl ContestPause {
    pub fn span(&self) -> Pause {
        Pause { from: self.from, until: self.until }
    }
}

/// A pause requested by an organizer.
pub struct PauseOrder {
    /// Shown to the members.
    pub reason: AuditReason,
    /// The end; by default the latest possible.
    pub until: Option<Time>,
}

/// A pause with pending notifications.
pub struct ToTell {
    pub pause: ContestPause,
    pub news: PauseNews,
    /// The last notified member.
    pub told_up_to: Option<AccountId>,
}

/// Refuses an action during a pause, with `contest-paused`.
pub fn must_go_on(pause: Option<&ContestPause>) -> Result<()> {
    let Some(pause) = pause else { return Ok(()) };
    Err(Error::new(&problem::CONTEST_PAUSED, format!("It is paused until {}.", pause.until)))
}

/// Pauses a held contest that isn't over; `current` is the present pause. Fails with `already-paused`,
/// `quota-exceeded`, and for a time that is past or too far ahead.
pub async fn begin(
    tx: &mut Tx,
    ctx: &Context,
    (contest, actor): (Contest, Actor),
    current: Option<&ContestPause>,
    order: PauseOrder,
) -> Result<ContestPause> {
    if current.is_some() {
        return Err(Error::plain(&problem::ALREADY_PAUSED));
    }
    let now = ctx.clock.now();
    let until = order.until.unwrap_or(now.plus_ms(Pause::MOST_MS));
    if until <= now || until.millis_since(now) > Pause::MOST_MS {
        return Err(Error::invalid_at("/until", "out-of-range", "must be ahead, by 30 days at most".to_owned()));
    }
    if store::pauses::count_since(tx, contest, now.plus_ms(-DAY_MS)).await? >= MAX_A_DAY {
        let detail = format!("A contest may be paused {MAX_A_DAY} times a day.");
        return Err(Error::new(&problem::TOO_MANY_OPEN, detail));
    }
    let reason = Some(order.reason.as_str().to_owned());
    let pause = ContestPause { id: ctx.new_id(), contest, from: now, until, reason };
    store::pauses::insert(tx, &pause, actor.account()).await?;
    let (kind, details) = (AuditKind::ContestPaused, json!({ "until": until }));
    let entry = AuditEntry { kind, subject: subject(contest), reason: order.reason, details };
    audit_log::append(tx, ctx, actor, entry).await?;
    Ok(pause)
}

/// Ends a pause of a locked contest at `at`. Members are notified, unless the contest is over as well.
pub async fn end(tx: &mut Tx, pause: &ContestPause, at: Time, goes_on: bool) -> Result<()> {
    let news = goes_on.then_some(PauseNews::Resumed);
    store::pauses::end(tx, pause, at.clamp(pause.from, pause.until), news).await
}

/// The present pause, for an organizer who ends it. Fails with `not-paused`. Records who ended it.
pub async fn ended_by(
    tx: &mut Tx,
    ctx: &Context,
    (contest, actor): (Contest, Actor),
    current: Option<&ContestPause>,
) -> Result<ContestPause> {
    let pause = current.ok_or_else(|| Error::plain(&problem::NOT_PAUSED))?;
    let reason = "the contest goes on".parse().map_err(|why: String| Error::internal(why))?;
    let details = json!({ "from": pause.from });
    let entry = AuditEntry { kind: AuditKind::ContestResumed, subject: subject(contest), reason, details };
    audit_log::append(tx, ctx, actor, entry).await?;
    Ok(pause.clone())
}

pub async fn on(conn: &mut PublicRead, contests: &[Uuid]) -> Result<HashMap<Uuid, Result<ContestPause>>> {
    store::pauses::on(conn, contests).await
}

/// Contests of a kind whose pause should end by now, or that are over themselves, after the given one.
pub async fn due(conn: &mut Conn, kind: &str, now: Time, behind: Option<Uuid>, limit: i64) -> Result<Vec<Uuid>> {
    store::pauses::due(conn, kind, now, behind, limit).await
}

/// Notifies members of pauses that have begun or ended.
pub async fn round(ctx: &Context) -> Result<()> {
    let mut more = true;
    // Batches of all pauses in turns, so that a contest of thousands doesn't delay the others.
    while std::mem::take(&mut more) {
        each_due!(ctx, (conn, last) => store::pauses::to_tell(conn, last, AT_MOST), id by *id => {
            let told = tell_some(ctx, id).await;
            more |= pass_over(told, id, "members could not be told of a pause; the next round tries again")?.unwrap_or(false);
        });
    }
    Ok(())
}

/// Notifies the next members. Returns false if all are notified, or another node is at work.
async fn tell_some(ctx: &Context, id: Uuid) -> Result<bool> {
    let mut tx = ctx.db.begin().await?;
    let Some(ToTell { pause, news, told_up_to }) = store::pauses::lock_to_tell(&mut tx, id).await? else {
        tx.roll_back().await?;
        return Ok(false);
    };
    let members = store::announcements::members(&mut tx, pause.contest, told_up_to, AT_A_TIME).await?;
    let event = event(&pause, news);
    let mut told = Vec::new();
    for account in &members {
        told.extend(events::notification(*account, std::slice::from_ref(&event))?);
    }
    store::pauses::told(&mut tx, id, members.last().copied()).await?;
    events::notify(&mut tx, ctx, told).await?;
    tx.commit().await?;
    Ok(!members.is_empty())
}

/// The event of a pause.
pub fn event(pause: &ContestPause, news: PauseNews) -> AccountEvent {
    let (ladder, tournament) = either(pause.contest);
    match news {
        PauseNews::Paused => ContestPausedEvent::at(pause.from, ladder, tournament, pause.until).into(),
        PauseNews::Resumed => ContestResumedEvent::at(pause.until, ladder, tournament, pause.from).into(),
    }
}

/// The pauses made by an account, for its own export.
pub async fn export(conn: &mut Conn, account: AccountId) -> Result<Listed<ContestPause>> {
    store::pauses::of_organizer(conn, account).await
}
