//! The cookies of the service's own pages, found by the hash of their value.

use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::accounts::Username;
use crate::accounts::secrets::TokenHash;
use crate::db::schema::{accounts, page_cookies, sessions};
use crate::db::{At, Conn, Run, Tx};
use crate::error::Result;
use crate::ids::{AccountId, SessionId};

pub async fn insert(tx: &mut Tx, hashed: &TokenHash, session: SessionId, expires_at: Time) -> Result<()> {
    diesel::insert_into(page_cookies::table)
        .values((
            page_cookies::hash.eq(hashed.as_slice()),
            page_cookies::session_id.eq(session.0),
            page_cookies::expires_at.eq(At(expires_at)),
        ))
        .run(tx)
        .await
}

/// Moves the cookie of a session to another one.
pub async fn give_to(tx: &mut Tx, before: SessionId, after: SessionId) -> Result<()> {
    let cookie = page_cookies::table.filter(page_cookies::session_id.eq(before.0));
    diesel::update(cookie).set(page_cookies::session_id.eq(after.0)).run(tx).await
}

/// The session of a cookie, if it is live, with its account.
pub async fn find(conn: &mut Conn, hashed: &TokenHash, now: Time) -> Result<Option<(SessionId, AccountId, Username)>> {
    let row: Option<(Uuid, Uuid, String)> = page_cookies::table
        .find(hashed.as_slice())
        .inner_join(sessions::table.on(sessions::id.eq(page_cookies::session_id)))
        .inner_join(accounts::table.on(accounts::id.eq(sessions::account_id)))
        .filter(page_cookies::expires_at.gt(At(now)))
        .filter(sessions::ended_at.is_null())
        .filter(sessions::expires_at.gt(At(now)))
        .filter(accounts::deleted_at.is_null())
        .select((sessions::id, accounts::id, accounts::username))
        .first(conn.sql())
        .await
        .optional()?;
    Ok(row.map(|(session, account, name)| (SessionId(session), AccountId(account), Username::stored(name))))
}
