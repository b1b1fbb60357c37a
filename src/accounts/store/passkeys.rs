//! Passkeys. Statements for owners are themselves limited to the owner's account.

use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use serde_json::Value;
use uuid::Uuid;

use crate::accounts::passkeys::{Passkey, StoredPasskey};
use crate::db::schema::{access_tokens, authorization_codes, device_codes, passkeys, sessions};
use crate::db::{At, Conn, Run, Tx};
use crate::error::Result;
use crate::ids::{AccountId, PasskeyId, SessionId};

#[derive(Queryable, Selectable)]
#[diesel(table_name = passkeys, check_for_backend(diesel::pg::Pg))]
struct Row {
    id: Uuid,
    name: String,
    created_at: At,
    last_used_at: Option<At>,
    cloned_at: Option<At>,
}

impl From<Row> for Passkey {
    fn from(row: Row) -> Self {
        Self {
            id: PasskeyId(row.id),
            name: row.name,
            created_at: row.created_at.0,
            last_used_at: row.last_used_at.map(Time::from),
            cloned_at: row.cloned_at.map(Time::from),
        }
    }
}

/// Stores a new passkey. False: this credential already exists, on any account.
pub async fn insert(
    tx: &mut Tx,
    account: AccountId,
    passkey: &Passkey,
    (credential_id, credential): (&[u8], &Value),
) -> Result<bool> {
    let inserted = diesel::insert_into(passkeys::table)
        .values((
            passkeys::id.eq(passkey.id.0),
            passkeys::account_id.eq(account.0),
            passkeys::credential_id.eq(credential_id),
            passkeys::credential.eq(credential),
            passkeys::name.eq(&passkey.name),
            passkeys::created_at.eq(At(passkey.created_at)),
        ))
        .on_conflict_do_nothing()
        .execute(tx.sql())
        .await?;
    Ok(inserted == 1)
}

/// A page of the account's passkeys, newest first.
pub async fn page(conn: &mut Conn, account: AccountId, before: Option<PasskeyId>, limit: i64) -> Result<Vec<Passkey>> {
    let mut query = passkeys::table.filter(passkeys::account_id.eq(account.0)).select(Row::as_select()).into_boxed();
    if let Some(before) = before {
        query = query.filter(passkeys::id.lt(before.0));
    }
    let rows = query.order(passkeys::id.desc()).limit(limit).load(conn.sql()).await?;
    Ok(rows.into_iter().map(Passkey::from).collect())
}

/// The credentials of the account's passkeys: all, or only the usable ones.
pub async fn credential_ids(conn: &mut Conn, account: AccountId, only_good: bool) -> Result<Vec<Vec<u8>>> {
    let mut query =
        passkeys::table.filter(passkeys::account_id.eq(account.0)).select(passkeys::credential_id).into_boxed();
    if only_good {
        query = query.filter(passkeys::cloned_at.is_null());
    }
    Ok(query.order(passkeys::id).load(conn.sql()).await?)
}

pub async fn owner(conn: &mut Conn, credential_id: &[u8]) -> Result<Option<AccountId>> {
    let of = passkeys::table.filter(passkeys::credential_id.eq(credential_id)).select(passkeys::account_id);
    let owner: Option<Uuid> = of.first(conn.sql()).await.optional()?;
    Ok(owner.map(AccountId))
}

/// A usable passkey of this account, locked until the transaction ends.
pub async fn lock(tx: &mut Tx, account: AccountId, credential_id: &[u8]) -> Result<Option<StoredPasskey>> {
    let row: Option<(Uuid, Value)> = passkeys::table
        .filter(passkeys::account_id.eq(account.0))
        .filter(passkeys::credential_id.eq(credential_id))
        .filter(passkeys::cloned_at.is_null())
        .select((passkeys::id, passkeys::credential))
        .for_update()
        .first(tx.sql())
        .await
        .optional()?;
    Ok(row.map(|(id, credential)| StoredPasskey { id: PasskeyId(id), credential }))
}

/// Records the use of a passkey, and its authenticator's new state.
pub async fn note_use(tx: &mut Tx, id: PasskeyId, credential: &Value, now: Time) -> Result<()> {
    diesel::update(passkeys::table.find(id.0))
        .set((passkeys::credential.eq(credential), passkeys::last_used_at.eq(At(now))))
        .run(tx)
        .await
}

pub async fn note_clone(tx: &mut Tx, id: PasskeyId, now: Time) -> Result<()> {
    diesel::update(passkeys::table.find(id.0)).set(passkeys::cloned_at.eq(At(now))).run(tx).await
}

/// Renames a passkey of this account, and returns it. `None`: the account doesn't have it.
pub async fn rename(tx: &mut Tx, account: AccountId, id: PasskeyId, name: &str) -> Result<Option<Passkey>> {
    let own = passkeys::table.find(id.0).filter(passkeys::account_id.eq(account.0));
    let renamed = diesel::update(own).set(passkeys::name.eq(name)).returning(Row::as_returning());
    Ok(renamed.get_result(tx.sql()).await.optional()?.map(Passkey::from))
}

/// Deletes a passkey of this account. False: it doesn't have it.
pub async fn delete(tx: &mut Tx, account: AccountId, id: PasskeyId) -> Result<bool> {
    let own = passkeys::table.find(id.0).filter(passkeys::account_id.eq(account.0));
    Ok(diesel::delete(own).execute(tx.sql()).await? == 1)
}

pub async fn delete_all(tx: &mut Tx, account: AccountId) -> Result<usize> {
    Ok(diesel::delete(passkeys::table.filter(passkeys::account_id.eq(account.0))).execute(tx.sql()).await?)
}

pub async fn note_session(tx: &mut Tx, session: SessionId, id: PasskeyId) -> Result<()> {
    diesel::update(sessions::table.find(session.0)).set(sessions::passkey_id.eq(id.0)).run(tx).await
}

/// Attributes a new session to the passkey that opened the other one.
pub async fn pass_on(tx: &mut Tx, from: SessionId, to: SessionId) -> Result<()> {
    let opened_with = sessions::table.find(from.0).select(sessions::passkey_id);
    let opened_with: Option<Uuid> = opened_with.first(tx.sql()).await.optional()?.flatten();
    diesel::update(sessions::table.find(to.0)).set(sessions::passkey_id.eq(opened_with)).run(tx).await
}

/// Ends everything opened with a passkey: the sessions, except the `kept` one, apps authorized there (including pending
/// codes), and personal tokens made there.
pub async fn end_access(tx: &mut Tx, id: PasskeyId, kept: Option<SessionId>, now: Time) -> Result<()> {
    // No session has the nil id.
    let kept = kept.map_or(Uuid::nil(), |session| session.0);
    let opened = sessions::table.filter(sessions::passkey_id.eq(id.0)).select(sessions::id);
    diesel::delete(access_tokens::table.filter(access_tokens::session_id.eq_any(opened))).run(tx).await?;
    let living = sessions::table
        .filter(sessions::passkey_id.eq(id.0))
        .filter(sessions::ended_at.is_null())
        .filter(sessions::id.ne(kept));
    diesel::update(living).set(sessions::ended_at.eq(At(now))).run(tx).await?;
    let opened = sessions::table.filter(sessions::passkey_id.eq(id.0));
    // A code that was exchanged stays: a second exchange of it reveals a thief.
    let unused = authorization_codes::table
        .filter(authorization_codes::page_session_id.eq_any(opened.select(sessions::id)))
        .filter(authorization_codes::session_id.is_null());
    diesel::delete(unused).run(tx).await?;
    let opened = opened.select(sessions::id.nullable());
    let approved = device_codes::table.filter(device_codes::page_session_id.eq_any(opened));
    diesel::delete(approved).run(tx).await
}
