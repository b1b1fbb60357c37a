//! Device codes that wait for consent.

use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::accounts::Scope;
use crate::accounts::oauth::devices::{Decision, INTERVAL_S, StoredDevice, UserCode, WaitingDevice};
use crate::accounts::oauth::page_sessions::PageSession;
use crate::accounts::oauth::request::ClientId;
use crate::accounts::secrets::TokenHash;
use crate::accounts::store::tokens::scopes;
use crate::db::schema::device_codes;
use crate::db::{At, Conn, Run, Tx};
use crate::error::{Error, Result};
use crate::ids::{AccountId, SessionId};

pub async fn insert(
    tx: &mut Tx,
    hashed: &TokenHash,
    user_code: &UserCode,
    client_id: &ClientId,
    wanted: &[Scope],
    expires_at: Time,
) -> Result<()> {
    let wanted: Vec<&str> = wanted.iter().map(|scope| scope.into_str()).collect();
    diesel::insert_into(device_codes::table)
        .values((
            device_codes::hash.eq(hashed.as_slice()),
            device_codes::user_code.eq(user_code.as_str()),
            device_codes::client_id.eq(client_id.as_str()),
            device_codes::scopes.eq(wanted),
            device_codes::expires_at.eq(At(expires_at)),
            device_codes::interval_s.eq(i32::try_from(INTERVAL_S).map_err(Error::internal)?),
        ))
        .run(tx)
        .await
}

pub async fn waiting(conn: &mut Conn, code: &UserCode, now: Time) -> Result<Option<WaitingDevice>> {
    let row: Option<(String, Vec<String>)> = device_codes::table
        .filter(device_codes::user_code.eq(code.as_str()))
        .filter(device_codes::account_id.is_null())
        .filter(device_codes::expires_at.gt(At(now)))
        .select((device_codes::client_id, device_codes::scopes))
        .first(conn.sql())
        .await
        .optional()?;
    Ok(row.map(|(client_id, wanted)| WaitingDevice { client_id, scopes: scopes(&wanted) }))
}

/// Records a decision and its account. False: no device waits for this code.
pub async fn decide(tx: &mut Tx, code: &UserCode, now: Time, session: &PageSession, allowed: bool) -> Result<bool> {
    let waiting = device_codes::table
        .filter(device_codes::user_code.eq(code.as_str()))
        .filter(device_codes::account_id.is_null())
        .filter(device_codes::expires_at.gt(At(now)));
    let decided = diesel::update(waiting)
        .set((
            device_codes::account_id.eq(session.account.0),
            device_codes::page_session_id.eq(session.id.0),
            device_codes::allowed.eq(allowed),
        ))
        .execute(tx.sql())
        .await?;
    Ok(decided == 1)
}

/// The account that has decided about a device, if any.
pub async fn decider(conn: &mut Conn, hashed: &TokenHash) -> Result<Option<AccountId>> {
    let code = device_codes::table.find(hashed.as_slice()).select(device_codes::account_id);
    let found: Option<Option<Uuid>> = code.first(conn.sql()).await.optional()?;
    Ok(found.flatten().map(AccountId))
}

pub async fn lock(tx: &mut Tx, hashed: &TokenHash) -> Result<Option<StoredDevice>> {
    type Row = (String, Vec<String>, At, i32, Option<At>, Option<Uuid>, bool, Option<Uuid>);
    let row: Option<Row> = device_codes::table
        .find(hashed.as_slice())
        .select((
            device_codes::client_id,
            device_codes::scopes,
            device_codes::expires_at,
            device_codes::interval_s,
            device_codes::asked_at,
            device_codes::account_id,
            device_codes::allowed,
            device_codes::page_session_id,
        ))
        .for_update()
        .first(tx.sql())
        .await
        .optional()?;
    Ok(row.map(|(client_id, wanted, expires_at, interval_s, asked_at, account, allowed, session)| StoredDevice {
        asked: WaitingDevice { client_id, scopes: scopes(&wanted) },
        expires_at: expires_at.0,
        interval_s: u32::try_from(interval_s).unwrap_or(INTERVAL_S),
        asked_at: asked_at.map(Time::from),
        decided: account.zip(session).map(|(account, session)| Decision {
            account: AccountId(account),
            page_session: SessionId(session),
            allowed,
        }),
    }))
}

/// Records the device's poll, and its next interval.
pub async fn note_question(tx: &mut Tx, hashed: &TokenHash, now: Time, interval_s: u32) -> Result<()> {
    let interval_s = i32::try_from(interval_s).map_err(Error::internal)?;
    diesel::update(device_codes::table.find(hashed.as_slice()))
        .set((device_codes::asked_at.eq(At(now)), device_codes::interval_s.eq(interval_s)))
        .run(tx)
        .await
}

pub async fn delete(tx: &mut Tx, hashed: &TokenHash) -> Result<()> {
    diesel::delete(device_codes::table.find(hashed.as_slice())).run(tx).await
}

/// Deletes an account's decisions that no device has fetched yet.
pub async fn delete_all(tx: &mut Tx, account: AccountId) -> Result<()> {
    diesel::delete(device_codes::table.filter(device_codes::account_id.eq(account.0))).run(tx).await
}

/// Deletes a bounded number of codes that expired before `then`. Returns the number.
pub async fn delete_expired_before(tx: &mut Tx, then: Time) -> Result<usize> {
    let old: Vec<Vec<u8>> = device_codes::table
        .filter(device_codes::expires_at.lt(At(then)))
        .select(device_codes::hash)
        .limit(1000)
        .load(tx.sql())
        .await?;
    Ok(diesel::delete(device_codes::table.filter(device_codes::hash.eq_any(old))).execute(tx.sql()).await?)
}
