//! Grants of accounts to apps: sessions with a `client_id`.

use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::accounts::oauth::apps::{App, AppGrant};
use crate::accounts::store::tokens::scopes;
use crate::db::schema::sessions;
use crate::db::{At, Conn, Run, Tx};
use crate::error::Result;
use crate::ids::{AccountId, SessionId};

/// The columns of an app's session, selected with others.
#[derive(Queryable, Selectable)]
#[diesel(table_name = sessions, check_for_backend(diesel::pg::Pg))]
pub(super) struct GrantRow {
    client_id: Option<String>,
    scopes: Option<Vec<String>>,
}

impl From<GrantRow> for Option<AppGrant> {
    fn from(row: GrantRow) -> Self {
        Some(AppGrant { client_id: row.client_id?, scopes: scopes(&row.scopes.unwrap_or_default()) })
    }
}

type Row = (Uuid, Option<String>, Option<String>, Option<Vec<String>>, At, At, At);

/// Records the destination of an app's code.
pub async fn note_redirect_uri(tx: &mut Tx, session: SessionId, uri: Option<&str>) -> Result<()> {
    diesel::update(sessions::table.find(session.0)).set(sessions::redirect_uri.eq(uri)).run(tx).await
}

/// A page of the apps that may act for the account, newest first.
pub async fn page(
    conn: &mut Conn,
    account: AccountId,
    now: Time,
    before: Option<SessionId>,
    limit: i64,
) -> Result<Vec<App>> {
    let mut query = sessions::table
        .filter(sessions::account_id.eq(account.0))
        .filter(sessions::client_id.is_not_null())
        .filter(sessions::ended_at.is_null())
        .filter(sessions::expires_at.gt(At(now)))
        .select((
            sessions::id,
            sessions::client_id,
            sessions::redirect_uri,
            sessions::scopes,
            sessions::created_at,
            sessions::last_used_at,
            sessions::expires_at,
        ))
        .into_boxed();
    if let Some(before) = before {
        query = query.filter(sessions::id.lt(before.0));
    }
    let rows: Vec<Row> = query.order(sessions::id.desc()).limit(limit).load(conn.sql()).await?;
    let app = |(id, client_id, redirect_uri, granted, created_at, last_used_at, expires_at): Row| App {
        id: SessionId(id),
        client_id: client_id.unwrap_or_default(),
        registered: None,
        redirect_uri,
        scopes: scopes(&granted.unwrap_or_default()),
        created_at: created_at.0,
        last_used_at: last_used_at.0,
        expires_at: expires_at.0,
    };
    Ok(rows.into_iter().map(app).collect())
}

pub async fn owner(conn: &mut Conn, session: SessionId, client_id: &str) -> Result<Option<AccountId>> {
    let of_app = sessions::table.find(session.0).filter(sessions::client_id.eq(client_id));
    Ok(of_app.select(sessions::account_id).first(conn.sql()).await.optional()?.map(AccountId))
}

/// Ends the session of an app of this account, and returns the app's `client_id`; `None`: it has no such live session.
pub async fn end(tx: &mut Tx, account: AccountId, session: SessionId, now: Time) -> Result<Option<String>> {
    let living = sessions::table
        .find(session.0)
        .filter(sessions::account_id.eq(account.0))
        .filter(sessions::client_id.is_not_null())
        .filter(sessions::ended_at.is_null())
        .filter(sessions::expires_at.gt(At(now)));
    let ended = diesel::update(living).set(sessions::ended_at.eq(At(now))).returning(sessions::client_id);
    let client_id: Option<Option<String>> = ended.get_result(tx.sql()).await.optional()?;
    Ok(client_id.map(Option::unwrap_or_default))
}
