//! Automatic changes on position ladders: the time for an answer runs out, inactive members fall, suspended members
//! leave.
//!
//! Each change is its own transaction under the ladder's lock, and is checked again there: so several nodes may do this
//! at once, and a failure doesn't delay the rest.

use broadside_contests::position_ladder::{Outcome, Reason, rules};

use super::{LadderChallengeStatus, Seated, StepCause, challenges, end, members};
use crate::context::Context;
use crate::due::{each_due, pass_over};
use crate::error::{Error, Result};
use crate::ids::{AccountId, LadderChallengeId, LadderId};
use crate::ladders::{join, store};
use crate::{accounts, events};

/// Rows read at a time.
const AT_MOST: i64 = 100;

/// Does all due work.
pub async fn run(ctx: &Context) -> Result<()> {
    let left = leave_all_suspended(ctx).await;
    let expired = expire_all(ctx).await;
    let fallen = fall_all(ctx).await;
    left.and(expired).and(fallen)
}

/// Removes suspended members.
async fn leave_all_suspended(ctx: &Context) -> Result<()> {
    each_due!(ctx, (conn, last) => store::positions::suspended(conn, ctx.clock.now(), last, AT_MOST), due by *due => {
        let (ladder, account) = due;
        pass_over(leave_suspended(ctx, ladder, account).await, ladder, "a suspended member could not be taken out")?;
    });
    Ok(())
}

async fn leave_suspended(ctx: &Context, ladder: LadderId, account: AccountId) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    // Locked, so that the lifting of a suspension comes either before and is seen, or after.
    accounts::store::accounts::lock_all_shared(&mut tx, &[account]).await?;
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

async fn expire_all(ctx: &Context) -> Result<()> {
    let now = || ctx.clock.now();
    each_due!(ctx, (conn, last) => store::challenges::due(conn, now(), last, AT_MOST), due by (due.0, due.2) => {
        let (_, ladder, id) = due;
        pass_over(expire_one(ctx, ladder, id).await, id, "an unanswered challenge could not be ended")?;
    });
    Ok(())
}

async fn expire_one(ctx: &Context, ladder: LadderId, id: LadderChallengeId) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    let missing = || Error::internal("a challenge of a ladder that isn't there");
    let ladder = store::ladders::lock(&mut tx, ladder).await?.ok_or_else(missing)?;
    let terms = challenges::terms(&ladder)?;
    let found = store::challenges::find(&mut tx, ladder.id, id).await?;
    let Some(mut challenge) = found.filter(|challenge| challenge.status == LadderChallengeStatus::Open) else {
        return tx.roll_back().await;
    };
    let now = ctx.clock.now();
    let defender = challenge.defender.id;
    challenge.answer_by =
        members::closes(&mut tx, (ladder.id, defender), challenge.made_at, terms.answer_s, now).await?;
    if challenge.answer_by > now {
        // The defender was on vacation, or still is.
        store::challenges::update(&mut tx, &challenge).await?;
        return tx.commit().await;
    }
    let outcome = if ladder.closed.is_none() { Outcome::Unanswered } else { Outcome::Cancelled };
    let told = end::end(&mut tx, &ladder, terms, challenge, outcome, now).await?;
    events::notify(&mut tx, ctx, told).await?;
    tx.commit().await
}

async fn fall_all(ctx: &Context) -> Result<()> {
    let mut last = None;
    loop {
        let mut conn = ctx.db.conn().await?;
        let mut due = store::positions::idle(&mut conn, ctx.clock.now(), last, AT_MOST).await?;
        drop(conn);
        last = due.last().map(|(ladder, account, _)| (*ladder, *account));
        // From top to bottom, so that members falling together keep their order.
        due.sort_unstable_by_key(|(ladder, _, place)| (*ladder, *place));
        for (ladder, account, _) in due {
            pass_over(fall_one(ctx, ladder, account).await, ladder, "an inactive member could not fall")?;
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
    let Some(listed) = store::positions::member(&mut tx, ladder.id, account).await? else {
        return tx.roll_back().await;
    };
    let (member, now) = (listed.member, ctx.clock.now());
    let busy = member.challenges.is_some() || member.challenged_by.is_some();
    let (false, None, Some(after_s)) = (busy, &ladder.closed, terms.inactive_after_s) else {
        // The end of the challenge sets the next check; on a closed ladder nobody is inactive.
        store::positions::note_activity(&mut tx, ladder.id, account, member.active_at, None).await?;
        return tx.commit().await;
    };
    let closes = members::closes(&mut tx, (ladder.id, account), member.active_at, after_s, now).await?;
    if closes > now {
        store::positions::note_activity(&mut tx, ladder.id, account, member.active_at, Some(closes)).await?;
        return tx.commit().await;
    }
    // The time begins anew in any case.
    members::is_active(&mut tx, ladder.id, terms, account, now).await?;
    // Members fall only if they had a chance to play and didn't take it.
    if store::challenges::declines(&mut tx, ladder.id, account, member.active_at).await? == 0 {
        let above = challenges::above(&mut tx, &ladder, &member, now).await?;
        if rules::has_nobody_to_challenge(above.iter().map(|candidate| candidate.bars.as_slice())) {
            return tx.commit().await;
        }
    }
    let last = store::positions::count(&mut tx, ladder.id).await?;
    if let Some(step) = rules::inactive(terms, Seated { account, place: member.place }, last) {
        let told = members::apply_step(&mut tx, ladder.id, &step, &StepCause::plain(Reason::Inactive), now).await?;
        events::notify(&mut tx, ctx, told).await?;
    }
    tx.commit().await
}
