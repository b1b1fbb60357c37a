//! An account goes: its challenges, its seats, its matches, and then its name.
//!
//! It stands here because everything that it ends lies below: challenges here, matches and accounts beneath. What an account's own rows lose is
//! [`account::blank`]'s.

pub(crate) mod store;
use crate::accounts::Accounts;
use crate::accounts::account;
use crate::calendar;
use crate::context::Context;
use crate::error::{Kind, Result};
use crate::events;
use crate::ids::AccountId;
use crate::ladders;
use crate::lobby;
use crate::matches::Matches;
use crate::matches::play;
use crate::moderation;
use crate::notifications::webhooks::manage as webhooks;
use crate::ratings;
use crate::social;
use crate::standing_orders as standing;
use crate::tournaments::entry as tournaments;

/// Deletes an account. First nothing new can begin, then what is under way ends, then the name goes: if a step fails, the owner can do it all again. A
/// match that can't be ended keeps nobody's name. What may be long — what it has heard of, and its words in what others have heard of — is left to [`round`].
///
/// A request that was let in before may still take a seat in between, so challenges are gone through once more in the transaction that takes the
/// name. It takes the account's row first, as everybody does who opens or accepts a challenge: they come before it, and are seen, or after, and find
/// no account. And a match that somebody else's last seat has made in between is resigned after it.
pub async fn delete(accounts: &Accounts, matches: &Matches, id: AccountId) -> Result<()> {
    account::shut(accounts, id).await?;
    let mut tx = accounts.db.begin().await?;
    let mut told = ladders::join::leave_all(&mut tx, accounts, id).await?;
    told.extend(lobby::withdraw_all(&mut tx, accounts, id).await?);
    events::notify(&mut tx, accounts, told).await?;
    tx.commit().await?;
    play::leave_all(matches, id).await?;
    let mut tx = accounts.db.begin().await?;
    account::seize(&mut tx, id).await?;
    let mut told = ladders::join::leave_all(&mut tx, accounts, id).await?;
    told.extend(tournaments::forget(&mut tx, accounts, id).await?);
    told.extend(lobby::withdraw_all(&mut tx, accounts, id).await?);
    calendar::forget(&mut tx, id).await?;
    ratings::rate::forget(&mut tx, id).await?;
    let name = account::blank(&mut tx, accounts, id).await?;
    crate::matches::store::matches::blank_names(&mut tx, id, &name).await?;
    crate::notifications::mail::store::settings::forget(&mut tx, id).await?;
    standing::forget_account(&mut tx, id).await?;
    social::forget_account(&mut tx, id).await?;
    webhooks::forget_account(&mut tx, id).await?;
    moderation::store::strike(&mut tx, id).await?;
    store::note(&mut tx, id, accounts.clock.now()).await?;
    // Last: the counters of events are locked after everything else, everywhere.
    events::notify(&mut tx, accounts, told).await?;
    tx.commit().await?;
    account::forget(accounts, id);
    // The account is gone, whatever comes of this: the clock ends what can't be ended now.
    if let Err(error) = play::leave_all(matches, id).await {
        tracing::error!(%error, cause = error.cause().map(tracing::field::display), "the matches of a deleted account could not be listed");
    }
    Ok(())
}

/// How many accounts are looked up at a time.
const AT_MOST: i64 = 20;

/// Forgets what deleted accounts have left behind. The note of it is written with the deletion and goes when all is done, so whatever is killed in between, some
/// node's round does the rest; doing it twice, or on two nodes at once, changes nothing.
pub async fn round(ctx: &Context) -> Result<()> {
    let mut last = None;
    loop {
        let mut conn = ctx.db.conn().await?;
        let waiting = store::waiting(&mut conn, last, AT_MOST).await?;
        drop(conn);
        for account in &waiting {
            match forget(ctx, *account).await {
                // One that fails must not keep the others waiting.
                Err(error) if error.problem().kind == Kind::Internal => {
                    let cause = error.cause().map(tracing::field::display);
                    tracing::error!(%error, cause, %account, "what a deleted account has left behind could not be forgotten");
                }
                done => done?,
            }
        }
        last = waiting.last().copied();
        if last.is_none() {
            return Ok(());
        }
    }
}

async fn forget(ctx: &Context, account: AccountId) -> Result<()> {
    events::forget_account(ctx, account).await?;
    events::erase_chat_texts(ctx, account).await?;
    let mut tx = ctx.db.begin().await?;
    store::strike(&mut tx, account).await?;
    tx.commit().await
}
