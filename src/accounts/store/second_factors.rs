//! Second factors, hashes of their recovery codes, and sign-in challenges.

use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::accounts::second_factor::StoredFactor;
use crate::accounts::secrets::TokenHash;
use crate::db::schema::{recovery_codes, second_factors, sign_in_challenges as challenges};
use crate::db::{At, Conn, Run, Tx};
use crate::error::Result;
use crate::ids::AccountId;

#[derive(Queryable, Selectable)]
#[diesel(table_name = second_factors, check_for_backend(diesel::pg::Pg))]
struct Row {
    secret: Vec<u8>,
    enabled_at: Option<At>,
    last_step: i64,
    failures: i32,
    failures_since: Option<At>,
    begun_at: At,
}

impl From<Row> for StoredFactor {
    fn from(row: Row) -> Self {
        Self {
            secret: row.secret,
            enabled_at: row.enabled_at.map(Time::from),
            last_step: row.last_step,
            failures: row.failures.unsigned_abs(),
            failures_since: row.failures_since.map(Time::from),
            begun_at: row.begun_at.0,
        }
    }
}

/// The account's second factor, active or being set up.
pub async fn find(conn: &mut Conn, account: AccountId) -> Result<Option<StoredFactor>> {
    let row = second_factors::table.find(account.0).select(Row::as_select()).first(conn.sql()).await.optional()?;
    Ok(row.map(StoredFactor::from))
}

/// [`find`] with the row locked until the transaction ends.
pub async fn lock(tx: &mut Tx, account: AccountId) -> Result<Option<StoredFactor>> {
    let row = second_factors::table.find(account.0).select(Row::as_select()).for_update();
    Ok(row.first(tx.sql()).await.optional()?.map(StoredFactor::from))
}

/// Stores the secret of a setup, replacing an earlier setup.
pub async fn begin(tx: &mut Tx, account: AccountId, secret: &[u8], now: Time) -> Result<()> {
    let begun = (second_factors::secret.eq(secret), second_factors::begun_at.eq(At(now)));
    diesel::insert_into(second_factors::table)
        .values((second_factors::account_id.eq(account.0), begun))
        .on_conflict(second_factors::account_id)
        .do_update()
        .set(begun)
        .run(tx)
        .await
}

/// Deletes a setup that was not completed.
pub async fn delete_pending(tx: &mut Tx, account: AccountId) -> Result<()> {
    diesel::delete(second_factors::table.find(account.0).filter(second_factors::enabled_at.is_null())).run(tx).await
}

/// Activates the second factor, and uses up the code of this time step.
pub async fn enable(tx: &mut Tx, account: AccountId, step: i64, now: Time) -> Result<()> {
    diesel::update(second_factors::table.find(account.0))
        .set((second_factors::enabled_at.eq(At(now)), second_factors::last_step.eq(step)))
        .run(tx)
        .await
}

/// Records the time step of an accepted code.
pub async fn note_step(tx: &mut Tx, account: AccountId, step: i64) -> Result<()> {
    diesel::update(second_factors::table.find(account.0)).set(second_factors::last_step.eq(step)).run(tx).await
}

/// Records the number of wrong codes since a time.
pub async fn note_failures(tx: &mut Tx, account: AccountId, failures: u32, since: Time) -> Result<()> {
    diesel::update(second_factors::table.find(account.0))
        .set((
            second_factors::failures.eq(i32::try_from(failures).unwrap_or(i32::MAX)),
            second_factors::failures_since.eq(At(since)),
        ))
        .run(tx)
        .await
}

/// Resets the count of wrong codes after a password change, because guessers must find the new password first.
pub async fn forget_failures(tx: &mut Tx, account: AccountId) -> Result<()> {
    diesel::update(second_factors::table.find(account.0)).set(second_factors::failures.eq(0)).run(tx).await
}

pub async fn delete(tx: &mut Tx, account: AccountId) -> Result<()> {
    diesel::delete(second_factors::table.find(account.0)).run(tx).await?;
    diesel::delete(recovery_codes::table.filter(recovery_codes::account_id.eq(account.0))).run(tx).await?;
    delete_challenges(tx, account).await
}

pub async fn recovery_codes_left(conn: &mut Conn, account: AccountId) -> Result<u32> {
    let left = recovery_codes::table.filter(recovery_codes::account_id.eq(account.0)).count();
    let left: i64 = left.get_result(conn.sql()).await?;
    Ok(u32::try_from(left).unwrap_or_default())
}

/// Replaces the recovery codes.
pub async fn replace_recovery_codes(tx: &mut Tx, account: AccountId, hashes: &[TokenHash]) -> Result<()> {
    diesel::delete(recovery_codes::table.filter(recovery_codes::account_id.eq(account.0))).run(tx).await?;
    let row = |hash: &TokenHash| (recovery_codes::account_id.eq(account.0), recovery_codes::hash.eq(hash.to_vec()));
    let rows: Vec<_> = hashes.iter().map(row).collect();
    diesel::insert_into(recovery_codes::table).values(rows).run(tx).await
}

/// Deletes a recovery code. False: the account doesn't have it.
pub async fn take_recovery_code(tx: &mut Tx, account: AccountId, hash: &TokenHash) -> Result<bool> {
    let code = recovery_codes::table.find((account.0, hash.as_slice()));
    Ok(diesel::delete(code).execute(tx.sql()).await? == 1)
}

pub async fn insert_challenge(tx: &mut Tx, hashed: &TokenHash, account: AccountId, expires_at: Time) -> Result<()> {
    diesel::insert_into(challenges::table)
        .values((
            challenges::hash.eq(hashed.as_slice()),
            challenges::account_id.eq(account.0),
            challenges::expires_at.eq(At(expires_at)),
        ))
        .run(tx)
        .await
}

/// The account of a valid challenge.
pub async fn challenged(conn: &mut Conn, hashed: &TokenHash, now: Time) -> Result<Option<AccountId>> {
    let good = challenges::table.find(hashed.as_slice()).filter(challenges::expires_at.gt(At(now)));
    let owner: Option<Uuid> = good.select(challenges::account_id).first(conn.sql()).await.optional()?;
    Ok(owner.map(AccountId))
}

/// Counts a try at a valid challenge, locked until the transaction ends, and returns the count.
pub async fn try_challenge(tx: &mut Tx, hashed: &TokenHash, now: Time) -> Result<Option<u32>> {
    let good = challenges::table.find(hashed.as_slice()).filter(challenges::expires_at.gt(At(now)));
    let tried = diesel::update(good).set(challenges::tries.eq(challenges::tries + 1)).returning(challenges::tries);
    let tries: Option<i32> = tried.get_result(tx.sql()).await.optional()?;
    Ok(tries.map(i32::unsigned_abs))
}

pub async fn delete_challenge(tx: &mut Tx, hashed: &TokenHash) -> Result<()> {
    diesel::delete(challenges::table.find(hashed.as_slice())).run(tx).await
}

pub async fn delete_challenges(tx: &mut Tx, account: AccountId) -> Result<()> {
    diesel::delete(challenges::table.filter(challenges::account_id.eq(account.0))).run(tx).await
}

/// Deletes challenges that expired before `then`. Returns the number.
pub async fn delete_over_before(tx: &mut Tx, then: Time) -> Result<usize> {
    Ok(diesel::delete(challenges::table.filter(challenges::expires_at.lt(At(then)))).execute(tx.sql()).await?)
}
