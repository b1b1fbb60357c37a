//! Creation and closing of ladders.
//!
//! Players may have a few open ladders, organizers more. A player's unused ladder closes automatically.

use serde_json::json;

use super::announcements::{self, AnnouncementTopic};
use super::{Ladder, LadderClosure, LadderTerms, Season, read};
use crate::accounts::roles::{self, Role};
use crate::accounts::{Identity, account};
use crate::audit_log::{self, AuditEntry, AuditReason, AuditSubject};
use crate::contests::Contest;
use crate::contests::organizers::{self, Needs, Right};
use crate::context::Context;
use crate::db::Tx;
use crate::error::{Error, ProblemKind, Result, problem};
use crate::ids::LadderId;
use crate::ladders::store;
use crate::quotas::{self, Quota};

/// A player's ladder closes after this many seconds with fewer than two members: 60 days.
pub const DESERTED_S: u32 = 60 * 86_400;

/// Creates a ladder, official or not. Fails with every fault of its terms, with `quota-exceeded`, and for an official
/// one with `role-required`.
pub async fn create(
    tx: &mut Tx,
    ctx: &Context,
    creator: &Identity,
    terms: LadderTerms,
    official: bool,
) -> Result<Ladder> {
    let faults = terms.faults(official);
    if !faults.is_empty() {
        return Err(Error::invalid(faults));
    }
    if official {
        roles::require(tx, ctx, creator, Role::Organizer).await?;
    } else {
        account::lock_active(tx, ctx, creator.account).await?;
    }
    let now = ctx.clock.now();
    let most = if official { quotas::LADDERS_OF_ORGANIZER } else { Quota::Ladders.most() };
    quotas::check_up_to(tx, creator.account, now, Quota::Ladders, most).await?;
    let ends_at = terms.season_s.map(|season_s| now.plus_s(season_s));
    let ladder = Ladder {
        id: ctx.new_id(),
        creator: creator.player(),
        organizers: Vec::new(),
        official,
        terms,
        created_at: now,
        season: Season { number: 1, started_at: now, ends_at, ended_at: None },
        edition: 0,
        pause: None,
        closed: None,
    };
    store::ladders::insert(tx, &ladder).await?;
    store::seasons::begin(tx, ladder.id, &ladder.season).await?;
    Ok(ladder)
}

/// Closes a ladder for good: its season ends, pairing stops, and running matches continue without counting there. All
/// members are notified. Allowed for its creator, and for an organizer or a moderator, with an audit log entry. Fails
/// with `not-found`, `not-the-creator`, `ladder-closed`, and for its creator with `account-suspended`.
pub async fn close(tx: &mut Tx, ctx: &Context, caller: &Identity, id: LadderId, reason: AuditReason) -> Result<Ladder> {
    let found = read::find(tx, ctx, id, Some(caller)).await?;
    // Accounts and roles are locked before the ladder.
    let right = match found.runners().hold(tx, ctx, caller, Needs::Creator).await {
        Err(error) if error.problem().kind == ProblemKind::Forbidden => moderator(tx, ctx, caller, error).await?,
        held => held?,
    };
    let ladder = store::ladders::lock(tx, id).await?.ok_or_else(Error::not_found)?;
    ladder.runners().still(caller.account, right, Needs::Creator)?;
    let ladder = close_locked(tx, ctx, ladder, reason.as_str()).await?;
    let Right::Role(officer) = right else {
        organizers::ended_by(tx, Contest::Ladder(id), caller.account).await?;
        return Ok(ladder);
    };
    let details = json!({ "title": ladder.terms.title.as_str(), "creator": ladder.creator.id });
    let entry =
        AuditEntry { kind: audit_log::AuditKind::LadderClosed, subject: AuditSubject::ladder(id), reason, details };
    audit_log::append(tx, ctx, officer, entry).await?;
    Ok(ladder)
}

/// Allows a moderator without another right to close the ladder; for others the refusal stands.
async fn moderator(tx: &mut Tx, ctx: &Context, caller: &Identity, refused: Error) -> Result<Right> {
    match roles::require(tx, ctx, caller, Role::Moderator).await {
        Err(error) if error.problem().kind == ProblemKind::Forbidden => Err(refused),
        role => role.map(Right::Role),
    }
}

/// Closes a locked ladder. Fails with `ladder-closed`.
async fn close_locked(tx: &mut Tx, ctx: &Context, mut ladder: Ladder, reason: &str) -> Result<Ladder> {
    if ladder.closed.is_some() {
        return Err(Error::plain(&problem::LADDER_CLOSED));
    }
    let closed = LadderClosure { at: ctx.clock.now(), reason: Some(reason.to_owned()) };
    store::ladders::close(tx, ladder.id, &closed).await?;
    store::standings::finish(tx, ladder.id, ladder.season.number, ladder.terms.form.kind()).await?;
    store::seasons::end(tx, ladder.id, ladder.season.number, closed.at).await?;
    announcements::announce(tx, ctx, &ladder, AnnouncementTopic::LadderClosed, closed.at).await?;
    ladder.season.ended_at = Some(closed.at);
    ladder.closed = Some(closed);
    Ok(ladder)
}

/// The reason of an automatic closing.
const DESERTED: &str = "For 60 days there were fewer than two members.";

/// Closes a player's ladder if it has had fewer than two members for too long.
pub(super) async fn close_if_deserted(ctx: &Context, id: LadderId) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    let found = store::ladders::lock(&mut tx, id).await?;
    let Some(ladder) = found.filter(|ladder| ladder.closed.is_none() && !ladder.official) else {
        return tx.roll_back().await;
    };
    let since = store::ladders::below_minimum_since(&mut tx, id).await?;
    if since.is_none_or(|since| since.plus_s(DESERTED_S) > ctx.clock.now()) {
        return tx.roll_back().await;
    }
    close_locked(&mut tx, ctx, ladder, DESERTED).await?;
    tx.commit().await
}
