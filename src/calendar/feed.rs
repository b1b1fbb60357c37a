//! The secret URL of an account's deadline feed, for calendar programs, which can't sign in.
//!
//! Anyone with the URL can read the feed. It is random, shown once, stored as a hash, and can be replaced or revoked.

use crate::accounts;
use crate::accounts::secrets;
use crate::calendar::store;
use crate::context::Context;
use crate::db::Tx;
use crate::error::{Error, Result, problem};
use crate::ids::AccountId;

const PREFIX: &str = "bcf_";

/// Creates a new secret for the account's feed, and invalidates the previous one.
pub async fn make(tx: &mut Tx, ctx: &Context, account: AccountId) -> Result<String> {
    if !accounts::store::accounts::lock_shared(tx, account).await? {
        return Err(Error::plain(&problem::TOKEN_UNKNOWN));
    }
    store::lock(tx, account).await?;
    let secret = secrets::new(PREFIX, ctx.random());
    store::set_feed(tx, account, Some(secrets::hash(&secret))).await?;
    Ok(secret)
}

/// Revokes the URL, if any.
pub async fn revoke(ctx: &Context, account: AccountId) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    store::lock(&mut tx, account).await?;
    store::set_feed(&mut tx, account, None).await?;
    tx.commit().await
}

/// The account of the feed with this secret. Fails with `not-found` if there is none.
pub async fn owner(ctx: &Context, secret: &str) -> Result<AccountId> {
    let mut conn = ctx.db.conn().await?;
    store::owner_of_feed(&mut conn, &secrets::hash(secret)).await?.ok_or_else(Error::not_found)
}
