//! Authorization codes, found by their hash.

use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::accounts::oauth::codes::StoredCode;
use crate::accounts::oauth::page_sessions::PageSession;
use crate::accounts::oauth::request::AuthorizationRequest;
use crate::accounts::secrets::TokenHash;
use crate::accounts::store::tokens::scopes;
use crate::db::schema::authorization_codes;
use crate::db::{At, Conn, Run, Tx};
use crate::error::Result;
use crate::ids::{AccountId, SessionId};

/// Stores a new code, made in this page session.
pub async fn insert(
    tx: &mut Tx,
    hashed: &TokenHash,
    session: &PageSession,
    request: &AuthorizationRequest,
    expires_at: Time,
) -> Result<()> {
    let scopes: Vec<&str> = request.scopes.iter().map(|scope| scope.into_str()).collect();
    diesel::insert_into(authorization_codes::table)
        .values((
            authorization_codes::hash.eq(hashed.as_slice()),
            authorization_codes::account_id.eq(session.account.0),
            authorization_codes::client_id.eq(request.client_id.as_str()),
            authorization_codes::redirect_uri.eq(request.redirect_uri.as_str()),
            authorization_codes::scopes.eq(scopes),
            authorization_codes::code_challenge.eq(request.code_challenge.0.as_slice()),
            authorization_codes::expires_at.eq(At(expires_at)),
            authorization_codes::page_session_id.eq(session.id.0),
        ))
        .run(tx)
        .await
}

/// The account that consented to a code.
pub async fn owner(conn: &mut Conn, hashed: &TokenHash) -> Result<Option<AccountId>> {
    let code = authorization_codes::table.find(hashed.as_slice()).select(authorization_codes::account_id);
    Ok(code.first(conn.sql()).await.optional()?.map(AccountId))
}

/// A code, locked until the transaction ends: the second of two concurrent exchanges finds it used.
pub async fn lock(tx: &mut Tx, hashed: &TokenHash) -> Result<Option<StoredCode>> {
    type Row = (String, String, Vec<String>, Vec<u8>, At, Option<Uuid>, Uuid);
    let row: Option<Row> = authorization_codes::table
        .find(hashed.as_slice())
        .select((
            authorization_codes::client_id,
            authorization_codes::redirect_uri,
            authorization_codes::scopes,
            authorization_codes::code_challenge,
            authorization_codes::expires_at,
            authorization_codes::session_id,
            authorization_codes::page_session_id,
        ))
        .for_update()
        .first(tx.sql())
        .await
        .optional()?;
    Ok(row.map(|(client_id, redirect_uri, granted, code_challenge, expires_at, opened, page_session)| StoredCode {
        client_id,
        redirect_uri,
        scopes: scopes(&granted),
        code_challenge,
        expires_at: expires_at.0,
        opened: opened.map(SessionId),
        page_session: SessionId(page_session),
    }))
}

/// Records the session opened with a code.
pub async fn note_use(tx: &mut Tx, hashed: &TokenHash, session: SessionId) -> Result<()> {
    let code = authorization_codes::table.find(hashed.as_slice());
    diesel::update(code).set(authorization_codes::session_id.eq(session.0)).run(tx).await
}

pub async fn delete(tx: &mut Tx, hashed: &TokenHash) -> Result<()> {
    diesel::delete(authorization_codes::table.find(hashed.as_slice())).run(tx).await
}

pub async fn delete_all(tx: &mut Tx, account: AccountId) -> Result<()> {
    let own = authorization_codes::table.filter(authorization_codes::account_id.eq(account.0));
    diesel::delete(own).run(tx).await
}

/// Deletes a bounded number of codes that expired before `then`. Returns the number.
pub async fn delete_expired_before(tx: &mut Tx, then: Time) -> Result<usize> {
    let old: Vec<Vec<u8>> = authorization_codes::table
        .filter(authorization_codes::expires_at.lt(At(then)))
        .select(authorization_codes::hash)
        .limit(1000)
        .load(tx.sql())
        .await?;
    let deleted = diesel::delete(authorization_codes::table.filter(authorization_codes::hash.eq_any(old)));
    Ok(deleted.execute(tx.sql()).await?)
}
