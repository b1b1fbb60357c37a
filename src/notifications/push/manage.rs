//! Owners' management of push subscriptions: make, list, delete. Every function takes the account, so that another's
//! subscriptions can't be reached. [`super::deliver`] sends to them.

use broadside_rules::Time;
use broadside_rules::card::Language;
use sha2::{Digest, Sha256};

use super::keys::{BrowserKey, BrowserSecret};
use super::{BrowserName, Push, Subscription, store};
use crate::accounts::{self, Identity};
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::events;
use crate::ids::{AccountId, PushSubscriptionId};
use crate::notifications::mail::settings::MailTopic;
use crate::notifications::webhooks::target::Target;
use crate::quotas::{self, Quota};

/// The browser's data, and its owner's choices.
pub struct NewSubscription {
    /// The push service's URL for the browser.
    pub endpoint: Target,
    pub key: BrowserKey,
    pub secret: BrowserSecret,
    pub name: BrowserName,
    pub kinds: Vec<MailTopic>,
    pub language: Language,
}

/// Subscribes the browser of the caller's session to events from now on. A repetition changes the subscription: a
/// session has one, and an endpoint belongs to one account, so a browser used by another account no longer tells its
/// former user anything. Fails with `push-unavailable`, with `quota-exceeded`, and with `validation-failed` if this
/// server doesn't send to the endpoint.
pub async fn subscribe(tx: &mut Tx, push: &Push, who: &Identity, new: NewSubscription) -> Result<Subscription> {
    push.key()?;
    let session = who.session.ok_or_else(|| Error::plain(&problem::SESSION_REQUIRED))?;
    if let Some(why) = new.endpoint.refused(push.sender.policy()) {
        return Err(Error::invalid_at("/endpoint", "invalid-value", why));
    }
    let (account, now) = (who.account, push.clock.now());
    let endpoint_hash: [u8; 32] = Sha256::digest(new.endpoint.as_str()).into();
    // The account's row is locked, so that two simultaneous requests can't both take the last place.
    accounts::store::accounts::lock_exclusively(tx, account).await?;
    if !accounts::store::accounts::lock_shared(tx, account).await? {
        return Err(Error::plain(&problem::TOKEN_UNKNOWN));
    }
    store::delete_ended(tx, Some(account), now).await?;
    let follows_suspect = store::delete_others_of(tx, session, &endpoint_hash).await?;
    let known = store::find_by_endpoint(tx, &endpoint_hash).await?;
    let own = known.filter(|(owner, _)| *owner == account).map(|(_, known)| known);
    if own.is_none() {
        quotas::check(tx, account, now, &[Quota::PushSubscriptions]).await?;
    }
    let subscription = Subscription {
        id: own.as_ref().map_or_else(|| push.new_id(), |known| known.subscription.id),
        session,
        name: new.name.as_str().to_owned(),
        host: new.endpoint.host().to_owned(),
        kinds: sorted(new.kinds),
        language: new.language,
        delivered_at: own.as_ref().and_then(|known| known.subscription.delivered_at),
        created_at: own.as_ref().map_or(now, |known| known.subscription.created_at),
    };
    let cursor = match own {
        Some(known) if known.subscription.session == session => known.cursor,
        _ => store::Cursor::behind(events::store::range(tx, account).await?.newest),
    };
    let address = store::Address {
        endpoint: new.endpoint.as_str(),
        endpoint_hash: &endpoint_hash,
        p256dh: new.key.as_bytes(),
        auth: new.secret.as_bytes(),
    };
    store::put(tx, account, &subscription, &address, (cursor, follows_suspect), now).await?;
    Ok(subscription)
}

fn sorted(mut kinds: Vec<MailTopic>) -> Vec<MailTopic> {
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// A page of the account's push subscriptions, newest first.
pub async fn list(
    conn: &mut Conn,
    account: AccountId,
    now: Time,
    before: Option<PushSubscriptionId>,
    limit: i64,
) -> Result<Vec<Subscription>> {
    store::page(conn, account, now, before, limit).await
}

/// Deletes a push subscription of the account; fails with `not-found` for another account's. A message under way may
/// still arrive.
pub async fn delete(ctx: &Context, account: AccountId, id: PushSubscriptionId) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    if !store::delete(&mut tx, account, id).await? {
        tx.roll_back().await?;
        return Err(Error::not_found());
    }
    tx.commit().await
}

/// Deletes the push subscriptions of an account that is being deleted.
pub async fn forget_account(tx: &mut Tx, account: AccountId) -> Result<()> {
    store::forget_account(tx, account).await
}

/// Deletes the subscriptions of ended sessions.
pub async fn forget_old(ctx: &Context) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    store::delete_ended(&mut tx, None, ctx.clock.now()).await?;
    tx.commit().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_kept_once_each() {
        let kinds = vec![MailTopic::Chat, MailTopic::YourTurn, MailTopic::Chat];
        assert_eq!(sorted(kinds), [MailTopic::YourTurn, MailTopic::Chat]);
    }
}
