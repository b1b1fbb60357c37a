//! What happens on position ladders with nobody asking: the time for an answer runs out, members are inactive for too long, suspended ones go.
//!
//! Each in a transaction of its own, under the ladder's lock, where it is looked at again: so several nodes may do it at once, and one that fails doesn't keep the others
//! waiting.

use super::rules::{self, Seated};
use super::{Cause, Outcome, Reason, Status, challenges, end, members};
use crate::accounts;
use crate::context::Context;
use crate::error::{Error, Kind, Result};
use crate::events;
use crate::ids::{AccountId, LadderChallengeId, LadderId};
use crate::ladders::join;
use crate::ladders::store;

/// How many are looked up at a time.
const AT_MOST: i64 = 100;

/// Does all that is due.
pub async fn sweep(ctx: &Context) -> Result<()> {
    let gone = go(ctx).await;
    let expired = expire(ctx).await;
    let fallen = fall(ctx).await;
    gone.and(expired).and(fallen)
}

/// A failure of ours with one of them is logged, and the others go on; that the database is away is everybody's.
fn passed_over(done: Result<()>, ladder: LadderId, what: &str) -> Result<()> {
    match done {
        Err(error) if error.problem().kind == Kind::Internal => {
            let cause = error.cause().map(tracing::field::display);
            tracing::error!(%error, cause, %ladder, what, "what is due on a position ladder could not be done");
            Ok(())
        }
        done => done,
    }
}

/// Suspended members are taken out.
async fn go(ctx: &Context) -> Result<()> {
    let mut last = None;
    loop {
        let mut conn = ctx.db.conn().await?;
        let due = store::places::suspended(&mut conn, ctx.clock.now(), last, AT_MOST).await?;
        drop(conn);
        for (ladder, account) in &due {
            passed_over(go_one(ctx, *ladder, *account).await, *ladder, "a member who is suspended")?;
        }
        match due.last() {
            Some(one) => last = Some(*one),
            None => return Ok(()),
        }
    }
}

async fn go_one(ctx: &Context, ladder: LadderId, account: AccountId) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    // Held, so that a suspension which is lifted at this moment comes before, and is seen, or after.
    accounts::store::accounts::hold_all(&mut tx, &[account]).await?;
    let ladder = store::ladders::lock(&mut tx, ladder).await?;
    let Some(ladder) = ladder.filter(|ladder| ladder.closed.is_none()) else { return tx.roll_back().await };
    if !store::members::is_suspended(&mut tx, account, ctx.clock.now()).await? {
        return tx.roll_back().await;
    }
    let Some(member) = store::members::find(&mut tx, ladder.id, account).await? else {
        return tx.roll_back().await;
    };
    let told = join::take_out(&mut tx, ctx, &ladder, member, Reason::Suspended).await?;
    events::notify(&mut tx, ctx, told).await?;
    tx.commit().await
}

async fn expire(ctx: &Context) -> Result<()> {
    let mut last = None;
    loop {
        let mut conn = ctx.db.conn().await?;
        let due = store::challenges::due(&mut conn, ctx.clock.now(), last, AT_MOST).await?;
        drop(conn);
        for (_, ladder, id) in &due {
            passed_over(expire_one(ctx, *ladder, *id).await, *ladder, "a challenge that nobody has answered")?;
        }
        match due.last() {
            Some((then, _, id)) => last = Some((*then, *id)),
            None => return Ok(()),
        }
    }
}

async fn expire_one(ctx: &Context, ladder: LadderId, id: LadderChallengeId) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    let missing = || Error::internal("a challenge of a ladder that isn't there");
    let ladder = store::ladders::lock(&mut tx, ladder).await?.ok_or_else(missing)?;
    let terms = challenges::terms(&ladder)?;
    let found = store::challenges::find(&mut tx, ladder.id, id).await?;
    let Some(mut challenge) = found.filter(|challenge| challenge.status == Status::Open) else {
        return tx.roll_back().await;
    };
    let now = ctx.clock.now();
    let defender = challenge.defender.id;
    challenge.answer_by = members::closes(&mut tx, defender, challenge.made_at, terms.answer_s, now).await?;
    if challenge.answer_by > now {
        // He was on vacation, or still is.
        store::challenges::update(&mut tx, &challenge).await?;
        return tx.commit().await;
    }
    let outcome = if ladder.closed.is_none() { Outcome::Unanswered } else { Outcome::CalledOff };
    let told = end::end(&mut tx, &ladder, terms, challenge, outcome, now).await?;
    events::notify(&mut tx, ctx, told).await?;
    tx.commit().await
}

async fn fall(ctx: &Context) -> Result<()> {
    let mut last = None;
    loop {
        let mut conn = ctx.db.conn().await?;
        let mut due = store::places::idle(&mut conn, ctx.clock.now(), last, AT_MOST).await?;
        drop(conn);
        last = due.last().map(|(ladder, account, _)| (*ladder, *account));
        // From above to below, so that those who fall together fall one behind the other.
        due.sort_unstable_by_key(|(ladder, _, place)| (*ladder, *place));
        for (ladder, account, _) in due {
            passed_over(fall_one(ctx, ladder, account).await, ladder, "a member who is inactive")?;
        }
        if last.is_none() {
            return Ok(());
        }
    }
}

async fn fall_one(ctx: &Context, ladder: LadderId, account: AccountId) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    let missing = || Error::internal("a member of a ladder that isn't there");
    let ladder = store::ladders::lock(&mut tx, ladder).await?.ok_or_else(missing)?;
    let terms = challenges::terms(&ladder)?;
    let Some(listed) = store::places::member(&mut tx, ladder.id, account).await? else {
        return tx.roll_back().await;
    };
    let (member, now) = (listed.member, ctx.clock.now());
    let busy = member.challenges.is_some() || member.challenged_by.is_some();
    let (false, None, Some(after_s)) = (busy, &ladder.closed, terms.inactive_after_s) else {
        // The end of his challenge says anew when he may be inactive; on a closed ladder nobody is.
        store::places::note_activity(&mut tx, ladder.id, account, member.active_at, None).await?;
        return tx.commit().await;
    };
    let closes = members::closes(&mut tx, account, member.active_at, after_s, now).await?;
    if closes > now {
        store::places::note_activity(&mut tx, ladder.id, account, member.active_at, Some(closes)).await?;
        return tx.commit().await;
    }
    members::is_active(&mut tx, ladder.id, terms, account, now).await?;
    let last = store::places::count(&mut tx, ladder.id).await?;
    if let Some(step) = rules::inactive(terms, Seated { account, place: member.place }, last) {
        let told = members::take(&mut tx, ladder.id, &step, &Cause::plain(Reason::Inactive), now).await?;
        events::notify(&mut tx, ctx, told).await?;
    }
    tx.commit().await
}
