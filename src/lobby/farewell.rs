//! An account goes: its challenges, its seats, its matches, and then its name.
//!
//! It stands here because everything that it ends lies below: challenges here, matches and accounts beneath. What an account's own rows lose is
//! [`account::blank`]'s.

use super::{DeclineReason, Status, others, told_all};
use crate::accounts::account;
use crate::app::App;
use crate::calendar;
use crate::error::{Kind, Result};
use crate::events::kinds::{ChallengeDeclinedEvent, ChallengeLeftEvent, ChallengeWithdrawnEvent};
use crate::events::{self, AccountEvent, Told};
use crate::ids::AccountId;
use crate::ladders;
use crate::matches::{play, standing};
use crate::notices::webhooks::keep as webhooks;
use crate::ratings;
use crate::store::{self, Tx};
use crate::talk;
use crate::tournaments::entry as tournaments;

/// Deletes an account. First nothing new can begin, then what is under way ends, then the name goes: if a step fails, the owner can do it all again. A
/// match that can't be ended keeps nobody's name. What may be long — what it has heard of, and its words in what others have heard of — is left to [`round`].
///
/// A request that was let in before may still take a seat in between, so challenges are gone through once more in the transaction that takes the
/// name. It takes the account's row first, as everybody does who opens or accepts a challenge: they come before it, and are seen, or after, and find
/// no account. And a match that somebody else's last seat has made in between is resigned after it.
pub async fn delete(app: &App, id: AccountId) -> Result<()> {
    account::shut(app, id).await?;
    let mut tx = app.db.begin().await?;
    let mut told = ladders::join::leave_all(&mut tx, app, id).await?;
    told.extend(withdraw_all(&mut tx, app, id).await?);
    events::tell(&mut tx, app, told).await?;
    tx.commit().await?;
    play::leave_all(app, id).await?;
    let mut tx = app.db.begin().await?;
    account::seize(&mut tx, id).await?;
    let mut told = ladders::join::leave_all(&mut tx, app, id).await?;
    told.extend(tournaments::forget(&mut tx, app, id).await?);
    told.extend(withdraw_all(&mut tx, app, id).await?);
    calendar::forget(&mut tx, id).await?;
    ratings::rate::forget(&mut tx, id).await?;
    account::blank(&mut tx, app, id).await?;
    standing::forget_account(&mut tx, id).await?;
    talk::forget_account(&mut tx, id).await?;
    webhooks::forget_account(&mut tx, id).await?;
    store::forfeits::strike(&mut tx, id).await?;
    store::farewells::note(&mut tx, id, app.clock.now()).await?;
    // Last: the counters of events are locked after everything else, everywhere.
    events::tell(&mut tx, app, told).await?;
    tx.commit().await?;
    account::forget(app, id);
    // The account is gone, whatever comes of this: the clock ends what can't be ended now.
    if let Err(error) = play::leave_all(app, id).await {
        tracing::error!(%error, cause = error.cause().map(tracing::field::display), "the matches of a deleted account could not be listed");
    }
    Ok(())
}

/// How many accounts are looked up at a time.
const AT_MOST: i64 = 20;

/// Forgets what deleted accounts have left behind. The note of it is written with the deletion and goes when all is done, so whatever is killed in between, some
/// node's round does the rest; doing it twice, or on two nodes at once, changes nothing.
pub async fn round(app: &App) -> Result<()> {
    let mut last = None;
    loop {
        let mut conn = app.db.conn().await?;
        let waiting = store::farewells::waiting(&mut conn, last, AT_MOST).await?;
        drop(conn);
        for account in &waiting {
            match forget(app, *account).await {
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

async fn forget(app: &App, account: AccountId) -> Result<()> {
    events::forget_account(app, account).await?;
    events::forget_words(app, account).await?;
    let mut tx = app.db.begin().await?;
    store::farewells::strike(&mut tx, account).await?;
    tx.commit().await
}

/// Takes back every open challenge of the account, declines those that are addressed to it, and gives back the seats that it has taken in others. Returns what
/// the others shall hear of it.
pub async fn withdraw_all(tx: &mut Tx, app: &App, account: AccountId) -> Result<Vec<Told>> {
    let now = app.clock.now();
    let concerned = store::challenges::lock_concerning(tx, account).await?;
    store::challenges::withdraw_all(tx, account).await?;
    store::challenges::decline_all(tx, account).await?;
    let mut told = Vec::new();
    for challenge in concerned {
        let id = challenge.id;
        store::challenges::vacate(tx, id, account).await?;
        let event: AccountEvent = if challenge.creator.id == account {
            ChallengeWithdrawnEvent::at(now, id).into()
        } else if challenge.opponent.as_ref().is_some_and(|player| player.id == account) {
            ChallengeDeclinedEvent::at(now, id, account, Some(DeclineReason::Generic.word())).into()
        } else {
            ChallengeLeftEvent::at(now, id, account).into()
        };
        if challenge.status_at(now) == Status::Open {
            told.extend(told_all(others(&challenge, account), &event)?);
        }
    }
    Ok(told)
}
