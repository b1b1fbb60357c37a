//! Personal access tokens, found by the hash of their text; the text itself is not stored.

use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::accounts::secrets::TokenHash;
use crate::accounts::tokens::{PersonalToken, TokenHolder};
use crate::accounts::{Identity, Scope, Username};
use crate::db::schema::{access_tokens, accounts};
use crate::db::{At, Conn, Run, Tx};
use crate::error::Result;
use crate::ids::{AccountId, SessionId, TokenId};

#[derive(Queryable, Selectable)]
#[diesel(table_name = access_tokens, check_for_backend(diesel::pg::Pg))]
struct Row {
    id: Uuid,
    name: String,
    scopes: Vec<String>,
    created_at: At,
    last_used_at: Option<At>,
    expires_at: Option<At>,
}

impl From<Row> for PersonalToken {
    fn from(row: Row) -> Self {
        PersonalToken {
            id: TokenId(row.id),
            name: row.name,
            scopes: scopes(&row.scopes),
            created_at: row.created_at.0,
            last_used_at: row.last_used_at.map(Time::from),
            expires_at: row.expires_at.map(Time::from),
        }
    }
}

/// Parses stored scopes. Scopes unknown to this version grant nothing.
pub(super) fn scopes(names: &[String]) -> Vec<Scope> {
    names.iter().filter_map(|name| name.parse().ok()).collect()
}

/// Stores a new token's hash, its visible properties, and the session in which it was made.
pub async fn insert(
    tx: &mut Tx,
    (account, session): (AccountId, SessionId),
    token: &PersonalToken,
    hashed: &TokenHash,
) -> Result<()> {
    let scopes: Vec<&str> = token.scopes.iter().map(|scope| scope.into_str()).collect();
    diesel::insert_into(access_tokens::table)
        .values((
            access_tokens::id.eq(token.id.0),
            access_tokens::account_id.eq(account.0),
            access_tokens::name.eq(&token.name),
            access_tokens::hash.eq(hashed.as_slice()),
            access_tokens::scopes.eq(scopes),
            access_tokens::created_at.eq(At(token.created_at)),
            access_tokens::expires_at.eq(token.expires_at.map(At)),
            access_tokens::session_id.eq(session.0),
        ))
        .run(tx)
        .await
}

/// A page of the account's tokens, newest first.
pub async fn page(
    conn: &mut Conn,
    account: AccountId,
    before: Option<TokenId>,
    limit: i64,
) -> Result<Vec<PersonalToken>> {
    let mut query =
        access_tokens::table.filter(access_tokens::account_id.eq(account.0)).select(Row::as_select()).into_boxed();
    if let Some(before) = before {
        query = query.filter(access_tokens::id.lt(before.0));
    }
    let rows = query.order(access_tokens::id.desc()).limit(limit).load(conn.sql()).await?;
    Ok(rows.into_iter().map(PersonalToken::from).collect())
}

/// The holder of a valid token.
pub async fn holder(conn: &mut Conn, hashed: &TokenHash, now: Time) -> Result<Option<TokenHolder>> {
    let row: Option<(Row, Uuid, String, bool)> = access_tokens::table
        .inner_join(accounts::table.on(accounts::id.eq(access_tokens::account_id)))
        .filter(access_tokens::hash.eq(hashed.as_slice()))
        .filter(accounts::deleted_at.is_null())
        .select((Row::as_select(), accounts::id, accounts::username, accounts::bot))
        .first(conn.sql())
        .await
        .optional()?;
    let Some((row, account, username, bot)) = row else { return Ok(None) };
    let token = PersonalToken::from(row);
    if token.expires_at.is_some_and(|then| then <= now) {
        return Ok(None);
    }
    let identity = Identity {
        account: AccountId(account),
        username: Username::stored(username),
        bot,
        // Guests have no personal tokens.
        guest: false,
        session: None,
        app: None,
        scopes: token.scopes,
        barred_roles: Vec::new(),
    };
    Ok(Some(TokenHolder { identity, last_used_at: token.last_used_at, expires_at: token.expires_at }))
}

pub async fn note_use(tx: &mut Tx, hashed: &TokenHash, now: Time) -> Result<()> {
    diesel::update(access_tokens::table.filter(access_tokens::hash.eq(hashed.as_slice())))
        .set(access_tokens::last_used_at.eq(At(now)))
        .run(tx)
        .await
}

/// Deletes a token of the account, and returns its hash and name; `None`: the account doesn't have it.
pub async fn delete(tx: &mut Tx, account: AccountId, id: TokenId) -> Result<Option<(Vec<u8>, String)>> {
    let own = access_tokens::table.filter(access_tokens::id.eq(id.0)).filter(access_tokens::account_id.eq(account.0));
    let deleted = diesel::delete(own).returning((access_tokens::hash, access_tokens::name));
    Ok(deleted.get_result(tx.sql()).await.optional()?)
}

pub async fn delete_made_in(tx: &mut Tx, account: AccountId, session: SessionId) -> Result<Vec<Vec<u8>>> {
    let own = access_tokens::table.filter(access_tokens::account_id.eq(account.0));
    let made = own.filter(access_tokens::session_id.eq(session.0));
    Ok(diesel::delete(made).returning(access_tokens::hash).get_results(tx.sql()).await?)
}

pub async fn delete_all(tx: &mut Tx, account: AccountId) -> Result<()> {
    diesel::delete(access_tokens::table.filter(access_tokens::account_id.eq(account.0))).run(tx).await
}
