//! Deletion of an account: its challenges are withdrawn, its seats freed and its matches resigned; then it is
//! anonymised.
//!
//! [`account::anonymise`] clears the account's own rows, and [`words`] lists the fate of each text. A suspended account
//! keeps its name and its suspension until the suspension ends, so that deletion neither lifts it nor frees the name.

pub(crate) mod store;
pub mod words;

use crate::accounts::{Accounts, account, guests};
use crate::contests::{entries, members, organizers};
use crate::context::Context;
use crate::due::{each_due, pass_over};
use crate::error::Result;
use crate::ids::AccountId;
use crate::matches::{Matches, play};
use crate::notifications::push::manage as push;
use crate::notifications::webhooks::manage as webhooks;
use crate::tournaments::entry as tournaments;
use crate::{
    bot_offers, calendar, events, ladders, lobby, moderation, ratings, rulesets, social, standing_orders as standing,
    substitutions,
};

/// Deletes an account: first revokes its access, then ends its matches and challenges, then anonymises it. If a step
/// fails, the owner can repeat the whole call. A match that can't be ended keeps no name. Long work (purging its event
/// log, and its chat messages from the event logs of others) is left to [`round`].
///
/// A request authenticated earlier may still take a seat in between, so the anonymising transaction withdraws
/// challenges once more. It locks the account first, as does every transaction that opens or accepts a challenge: those
/// either commit before it and are seen by it, or come later and find no account. A match that began in between is
/// resigned after the transaction.
pub async fn delete(accounts: &Accounts, matches: &Matches, id: AccountId) -> Result<()> {
    account::revoke_access(accounts, id).await?;
    let mut tx = accounts.db.begin().await?;
    let mut told = ladders::join::leave_all(&mut tx, accounts, id).await?;
    told.extend(lobby::withdraw_all(&mut tx, accounts, id).await?);
    events::notify(&mut tx, accounts, told).await?;
    tx.commit().await?;
    leave_matches(matches, id).await?;
    let mut tx = accounts.db.begin().await?;
    account::lock_exclusively(&mut tx, id).await?;
    let mut told = ladders::join::leave_all(&mut tx, accounts, id).await?;
    told.extend(tournaments::forget(&mut tx, accounts, id).await?);
    told.extend(lobby::forget(&mut tx, accounts, id).await?);
    organizers::forget(&mut tx, id).await?;
    entries::forget(&mut tx, id).await?;
    members::forget(&mut tx, id).await?;
    store::erase_words(&mut tx, id).await?;
    calendar::forget(&mut tx, id).await?;
    bot_offers::withdraw(&mut tx, id).await?;
    ratings::rate::forget(&mut tx, id).await?;
    if let Some(name) = account::anonymise(&mut tx, accounts, id).await? {
        crate::matches::names::replace(&mut tx, id, &name).await?;
    }
    rulesets::erase_words(&mut tx, accounts, id).await?;
    crate::notifications::mail::store::settings::forget(&mut tx, id).await?;
    standing::forget_account(&mut tx, id).await?;
    substitutions::forget(&mut tx, id, accounts.clock.now()).await?;
    social::blocks::forget_account(&mut tx, id).await?;
    social::follows::forget_account(&mut tx, id).await?;
    social::chat::forget_account(&mut tx, id).await?;
    webhooks::forget_account(&mut tx, id).await?;
    push::forget_account(&mut tx, id).await?;
    moderation::store::remove_forfeits(&mut tx, id).await?;
    store::insert(&mut tx, id, accounts.clock.now()).await?;
    // Last, because the event counters are locked after everything else everywhere.
    events::notify(&mut tx, accounts, told).await?;
    tx.commit().await?;
    account::forget_tokens(accounts, id);
    // The account is deleted even if this fails: the clock ends matches that can't be resigned now.
    if let Err(error) = leave_matches(matches, id).await {
        tracing::error!(%error, cause = error.cause().map(tracing::field::display), "the matches of a deleted account could not be listed");
    }
    Ok(())
}

/// Resigns the running matches of an account, except those with an open request for a substitute in its place: there
/// the seat waits, and if nobody takes it, the clock decides.
async fn leave_matches(matches: &Matches, id: AccountId) -> Result<()> {
    let mut conn = matches.db.conn().await?;
    let on_offer = substitutions::matches_on_offer(&mut conn, id).await?;
    drop(conn);
    play::leave_all(matches, id, &on_offer).await
}

/// Accounts read at a time.
const AT_MOST: i64 = 20;

/// Purges the events of deleted accounts from event logs. The deletion's transaction records the pending purge, and the
/// record is removed when the purge is done: if a node is killed in between, any node's next round completes it.
/// Purging twice, or on two nodes at once, is harmless.
pub async fn round(ctx: &Context) -> Result<()> {
    unname(ctx).await?;
    each_due!(ctx, (conn, last) => store::pending(conn, last, AT_MOST), account by *account => {
        let purged = purge(ctx, account).await;
        pass_over(purged, account, "a deleted account could not be purged; the next round tries again")?;
    });
    Ok(())
}

/// Deletes unused guest accounts.
pub async fn sweep_guests(accounts: &Accounts, matches: &Matches) -> Result<()> {
    if !accounts.heartbeat.is_settled() {
        return Ok(());
    }
    each_due!(accounts, (conn, last) => guests::idle(conn, accounts, last, AT_MOST), guest by *guest => {
        let swept = sweep(accounts, matches, guest).await;
        pass_over(swept, guest, "an idle guest could not be deleted; the next round tries again")?;
    });
    Ok(())
}

async fn sweep(accounts: &Accounts, matches: &Matches, guest: AccountId) -> Result<()> {
    let mut tx = accounts.db.begin().await?;
    if !guests::give_up(&mut tx, accounts, guest).await? {
        return tx.roll_back().await;
    }
    tx.commit().await?;
    delete(accounts, matches, guest).await
}

/// Removes the names of deleted accounts whose suspension has ended.
async fn unname(ctx: &Context) -> Result<()> {
    each_due!(ctx, (conn, last) => account::to_unname(conn, ctx, last, AT_MOST), account by *account => {
        let unnamed = unname_one(ctx, account).await;
        pass_over(unnamed, account, "a deleted account could not lose its name; the next round tries again")?;
    });
    Ok(())
}

async fn unname_one(ctx: &Context, id: AccountId) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    account::lock_exclusively(&mut tx, id).await?;
    let name = account::unname(&mut tx, ctx, id).await?;
    crate::matches::names::replace(&mut tx, id, &name).await?;
    tx.commit().await
}

async fn purge(ctx: &Context, account: AccountId) -> Result<()> {
    events::forget_account(ctx, account).await?;
    events::erase_words(ctx, account).await?;
    let mut tx = ctx.db.begin().await?;
    store::remove(&mut tx, account).await?;
    tx.commit().await
}
