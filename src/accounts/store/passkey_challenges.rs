//! Passkey challenges, found by the hash of the client's secret.

use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use serde_json::Value;
use uuid::Uuid;

use crate::accounts::passkeys::challenges::{Purpose, StoredChallenge};
use crate::accounts::secrets::TokenHash;
use crate::db::schema::passkey_challenges as challenges;
use crate::db::{At, Run, Tx};
use crate::error::Result;
use crate::ids::AccountId;

pub async fn insert(tx: &mut Tx, hashed: &TokenHash, challenge: &StoredChallenge, expires_at: Time) -> Result<()> {
    diesel::insert_into(challenges::table)
        .values((
            challenges::hash.eq(hashed.as_slice()),
            challenges::purpose.eq(challenge.purpose.into_str()),
            challenges::account_id.eq(challenge.account.map(|account| account.0)),
            challenges::sign_in_challenge.eq(challenge.sign_in_challenge.map(|hash| hash.to_vec())),
            challenges::state.eq(&challenge.state),
            challenges::expires_at.eq(At(expires_at)),
        ))
        .run(tx)
        .await
}

/// Removes and returns a challenge that is valid for this purpose. Of two concurrent requests, one gets it.
pub async fn take(tx: &mut Tx, hashed: &TokenHash, purpose: Purpose, now: Time) -> Result<Option<StoredChallenge>> {
    let good = challenges::table
        .find(hashed.as_slice())
        .filter(challenges::purpose.eq(purpose.into_str()))
        .filter(challenges::expires_at.gt(At(now)));
    let taken =
        diesel::delete(good).returning((challenges::account_id, challenges::sign_in_challenge, challenges::state));
    let row: Option<(Option<Uuid>, Option<Vec<u8>>, Value)> = taken.get_result(tx.sql()).await.optional()?;
    Ok(row.map(|(account, sign_in_challenge, state)| StoredChallenge {
        purpose,
        account: account.map(AccountId),
        sign_in_challenge: sign_in_challenge.and_then(|hash| hash.try_into().ok()),
        state,
    }))
}

pub async fn delete_all(tx: &mut Tx, account: AccountId) -> Result<()> {
    diesel::delete(challenges::table.filter(challenges::account_id.eq(account.0))).run(tx).await
}

pub async fn delete_of(tx: &mut Tx, account: AccountId, purpose: Purpose) -> Result<()> {
    let own = challenges::table.filter(challenges::account_id.eq(account.0));
    diesel::delete(own.filter(challenges::purpose.eq(purpose.into_str()))).run(tx).await
}

/// Deletes challenges that expired before `then`. Returns the number.
pub async fn delete_over_before(tx: &mut Tx, then: Time) -> Result<usize> {
    Ok(diesel::delete(challenges::table.filter(challenges::expires_at.lt(At(then)))).execute(tx.sql()).await?)
}
