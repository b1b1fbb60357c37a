//! Ladders are made and closed.
//!
//! Anybody may keep a few; an operator's organizers keep more. One that a player has made and that nobody uses closes by itself.

use serde_json::json;

use super::news::{self, Topic};
use super::{Closed, Ladder, Season, Terms};
use crate::accounts::roles::{self, Actor, Role};
use crate::accounts::{Identity, account};
use crate::audit_log::{self, AuditEntry, AuditReason, AuditSubject};
use crate::context::Context;
use crate::db::Tx;
use crate::error::{self, Error, Result, problem};
use crate::ids::LadderId;
use crate::ladders::store;

/// How many open ladders a player may have made.
pub const OF_PLAYER: i64 = 3;
/// How many an organizer may have made.
pub const OF_ORGANIZER: i64 = 100;
/// A player's ladder closes when it has had fewer than two members for so long, in seconds: 60 days.
pub const LONELY_S: u32 = 60 * 86_400;

/// Makes a ladder: an official one if an organizer wants it so. Fails with every fault of its terms, with `too-many-open`, and for an official one with `role-missing`.
pub async fn open(tx: &mut Tx, ctx: &Context, maker: &Identity, terms: Terms, official: bool) -> Result<Ladder> {
    let faults = terms.faults(official);
    if !faults.is_empty() {
        return Err(Error::invalid(faults));
    }
    if official {
        roles::require(tx, ctx, maker, Role::Organizer).await?;
    } else {
        account::lock_active(tx, ctx, maker.account).await?;
    }
    let most = if official { OF_ORGANIZER } else { OF_PLAYER };
    // Two requests at the same moment may overstep it by one, as with challenges.
    if store::ladders::count_open(tx, maker.account).await? >= most {
        let detail = format!("An account may keep {most} open ladders: close one first.");
        return Err(Error::new(&problem::TOO_MANY_OPEN, detail));
    }
    let now = ctx.clock.now();
    let ends_at = terms.season_s.map(|season_s| now.plus_s(season_s));
    let ladder = Ladder {
        id: ctx.new_id(),
        maker: maker.player(),
        official,
        terms,
        created_at: now,
        season: Season { number: 1, started_at: now, ends_at, ended_at: None },
        edition: 0,
        closed: None,
    };
    store::ladders::insert(tx, &ladder).await?;
    store::seasons::begin(tx, ladder.id, &ladder.season).await?;
    Ok(ladder)
}

/// Closes a ladder for good: its season ends, nobody is paired any more, and what is under way goes on without counting there. All members hear of it. Its maker may, and
/// an organizer or a moderator, which is noted. Fails with `not-found`, `not-for-you`, `ladder-closed`, and for its maker with `account-suspended`.
pub async fn close(tx: &mut Tx, ctx: &Context, who: &Identity, id: LadderId, reason: AuditReason) -> Result<Ladder> {
    let maker = store::ladders::find(tx, id).await?.ok_or_else(Error::not_found)?.maker;
    // The role is held before the ladder is locked, as accounts are.
    let officer = if maker.id == who.account {
        account::lock_active(tx, ctx, who.account).await?;
        None
    } else {
        Some(officer(tx, ctx, who).await?)
    };
    let ladder = store::ladders::lock(tx, id).await?.ok_or_else(Error::not_found)?;
    let ladder = shut(tx, ctx, ladder, reason.as_str()).await?;
    if let Some(officer) = officer {
        let details = json!({ "title": ladder.terms.title.as_str(), "maker": maker.id });
        let entry =
            AuditEntry { kind: audit_log::AuditKind::LadderClosed, subject: AuditSubject::ladder(id), reason, details };
        audit_log::append(tx, ctx, officer, entry).await?;
    }
    Ok(ladder)
}

/// Somebody who may close a ladder that he has not made; else `not-for-you`.
async fn officer(tx: &mut Tx, ctx: &Context, who: &Identity) -> Result<Actor> {
    for role in [Role::Organizer, Role::Moderator] {
        match roles::require(tx, ctx, who, role).await {
            Err(error) if error.problem().kind == error::ProblemKind::Forbidden => {}
            other => return other,
        }
    }
    let detail = "Only who has made a ladder can close it, and the operator's organizers and moderators.";
    Err(Error::new(&problem::NOT_FOR_YOU, detail))
}

/// Closes a ladder that is locked. Fails with `ladder-closed`.
async fn shut(tx: &mut Tx, ctx: &Context, mut ladder: Ladder, reason: &str) -> Result<Ladder> {
    if ladder.closed.is_some() {
        return Err(Error::plain(&problem::LADDER_CLOSED));
    }
    let closed = Closed { at: ctx.clock.now(), reason: reason.to_owned() };
    store::ladders::close(tx, ladder.id, &closed).await?;
    store::standings::finish(tx, ladder.id, ladder.season.number, ladder.terms.form.kind()).await?;
    store::seasons::end(tx, ladder.id, ladder.season.number, closed.at).await?;
    news::announce(tx, ctx, &ladder, Topic::LadderClosed, closed.at).await?;
    ladder.season.ended_at = Some(closed.at);
    ladder.closed = Some(closed);
    Ok(ladder)
}

/// Why a ladder has closed by itself.
const LONELY: &str = "For 60 days there were fewer than two members.";

/// Closes a player's ladder if it has had fewer than two members for too long.
pub(super) async fn close_if_lonely(ctx: &Context, id: LadderId) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    let found = store::ladders::lock(&mut tx, id).await?;
    let Some(ladder) = found.filter(|ladder| ladder.closed.is_none() && !ladder.official) else {
        return tx.roll_back().await;
    };
    let since = store::ladders::lonely_since(&mut tx, id).await?;
    if since.is_none_or(|since| since.plus_s(LONELY_S) > ctx.clock.now()) {
        return tx.roll_back().await;
    }
    shut(&mut tx, ctx, ladder, LONELY).await?;
    tx.commit().await
}
