//! Sessions and their refresh tokens. Statements for callers are themselves limited to the caller's account.

use broadside_rules::Time;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::accounts::Username;
use crate::accounts::oauth::apps::AppGrant;
use crate::accounts::secrets::TokenHash;
use crate::accounts::sessions::{Session, SessionHolder, StoredRefreshToken};
use crate::accounts::store::apps::GrantRow;
use crate::db::schema::{accounts, refresh_tokens, sessions};
use crate::db::{At, Conn, Run, Tx};
use crate::error::Result;
use crate::ids::{AccountId, SessionId};
use crate::request_origin::{Client, RequestOrigin};

#[derive(Queryable, Selectable)]
#[diesel(table_name = sessions, check_for_backend(diesel::pg::Pg))]
struct Row {
    id: Uuid,
    device: String,
    program: Option<String>,
    system: Option<String>,
    network: Option<String>,
    created_at: At,
    last_used_at: At,
    expires_at: At,
    ended_at: Option<At>,
    client_id: Option<String>,
}

impl From<Row> for Session {
    fn from(row: Row) -> Self {
        Session {
            id: SessionId(row.id),
            device: row.device,
            origin: RequestOrigin { client: Client { program: row.program, system: row.system }, network: row.network },
            created_at: row.created_at.0,
            last_used_at: row.last_used_at.0,
            expires_at: row.expires_at.0,
            ended_at: row.ended_at.map(Time::from),
            app: row.client_id,
        }
    }
}

/// The origin of the sign-in, or of the last refresh.
pub async fn origin(conn: &mut Conn, session: SessionId) -> Result<Option<RequestOrigin>> {
    let found = sessions::table.find(session.0).select((sessions::program, sessions::system, sessions::network));
    let found: Option<(Option<String>, Option<String>, Option<String>)> = found.first(conn.sql()).await.optional()?;
    Ok(found.map(|(program, system, network)| RequestOrigin { client: Client { program, system }, network }))
}

pub async fn insert(tx: &mut Tx, account: AccountId, session: &Session, app: Option<&AppGrant>) -> Result<()> {
    let scopes = app.map(|app| app.scopes.iter().map(|scope| scope.into_str()).collect::<Vec<_>>());
    diesel::insert_into(sessions::table)
        .values((
            sessions::id.eq(session.id.0),
            sessions::account_id.eq(account.0),
            sessions::client_id.eq(app.map(|app| app.client_id.as_str())),
            sessions::scopes.eq(scopes),
            sessions::device.eq(&session.device),
            sessions::program.eq(session.origin.client.program.as_deref()),
            sessions::system.eq(session.origin.client.system.as_deref()),
            sessions::network.eq(session.origin.network.as_deref()),
            sessions::created_at.eq(At(session.created_at)),
            sessions::last_used_at.eq(At(session.last_used_at)),
            sessions::expires_at.eq(At(session.expires_at)),
        ))
        .run(tx)
        .await
}

pub async fn insert_refresh_token(tx: &mut Tx, hashed: &TokenHash, session: SessionId, now: Time) -> Result<()> {
    diesel::insert_into(refresh_tokens::table)
        .values((
            refresh_tokens::hash.eq(hashed.as_slice()),
            refresh_tokens::session_id.eq(session.0),
            refresh_tokens::issued_at.eq(At(now)),
        ))
        .run(tx)
        .await
}

/// A refresh token with its session and account; only its own row is locked until the transaction ends. (Locking the
/// session too could deadlock with a transaction that ends sessions. [`prolong`] detects an ended session.)
pub async fn lock_refresh_token(tx: &mut Tx, hashed: &TokenHash, now: Time) -> Result<Option<StoredRefreshToken>> {
    type Token = (Uuid, Option<At>, Option<Vec<u8>>, bool);
    let token: Option<Token> = refresh_tokens::table
        .find(hashed.as_slice())
        .select((
            refresh_tokens::session_id,
            refresh_tokens::used_at,
            refresh_tokens::successor_salt,
            refresh_tokens::given_elsewhere,
        ))
        .for_update()
        .first(tx.sql())
        .await
        .optional()?;
    let Some((session, used_at, successor_salt, given_elsewhere)) = token else { return Ok(None) };
    type Behind = (super::accounts::Row, GrantRow, Row, Option<At>);
    let row: Option<Behind> = sessions::table
        .find(session)
        .inner_join(accounts::table.on(accounts::id.eq(sessions::account_id)))
        .select((super::accounts::Row::as_select(), GrantRow::as_select(), Row::as_select(), accounts::deleted_at))
        .first(tx.sql())
        .await
        .optional()?;
    Ok(row.map(|(account, app, session, deleted_at)| {
        let session = Session::from(session);
        StoredRefreshToken {
            used_at: used_at.map(Time::from),
            successor_salt,
            given_elsewhere,
            lives: session.ended_at.is_none() && deleted_at.is_none() && now < session.expires_at,
            session,
            account: account.into(),
            app: app.into(),
        }
    }))
}

/// Stores the family hash that the session's refresh tokens share.
pub async fn set_family(tx: &mut Tx, session: SessionId, family: &TokenHash) -> Result<()> {
    let one = sessions::table.find(session.0);
    diesel::update(one).set(sessions::token_family.eq(family.as_slice())).run(tx).await
}

/// Stores an unknown refresh token of a session that was restored from a backup and not refreshed since. It works once,
/// and marks the session's older tokens as used. False: there is no such session.
pub async fn rejoin(tx: &mut Tx, hashed: &TokenHash, family: &TokenHash, now: Time) -> Result<bool> {
    let waiting = sessions::table
        .filter(sessions::token_family.is_not_distinct_from(family.as_slice()))
        .filter(sessions::may_rejoin)
        .filter(sessions::ended_at.is_null())
        .filter(sessions::expires_at.gt(At(now)));
    let session: Option<Uuid> = diesel::update(waiting)
        .set(sessions::may_rejoin.eq(false))
        .returning(sessions::id)
        .get_result(tx.sql())
        .await
        .optional()?;
    let Some(session) = session else { return Ok(false) };
    let unused =
        refresh_tokens::table.filter(refresh_tokens::session_id.eq(session)).filter(refresh_tokens::used_at.is_null());
    diesel::update(unused).set(refresh_tokens::used_at.eq(At(now))).run(tx).await?;
    insert_refresh_token(tx, hashed, SessionId(session), now).await?;
    Ok(true)
}

/// The live session of this token family, with its account, and whether it is an app's.
pub async fn of_family(conn: &mut Conn, family: &TokenHash) -> Result<Option<(SessionId, AccountId, bool)>> {
    let living = sessions::table
        .filter(sessions::token_family.is_not_distinct_from(family.as_slice()))
        .filter(sessions::ended_at.is_null())
        .select((sessions::id, sessions::account_id, sessions::client_id.is_not_null()));
    let found: Option<(Uuid, Uuid, bool)> = living.first(conn.sql()).await.optional()?;
    Ok(found.map(|(id, account, is_app)| (SessionId(id), AccountId(account), is_app)))
}

/// The session of a stored refresh token, in any state.
pub async fn session_of_refresh_token(conn: &mut Conn, hashed: &TokenHash) -> Result<Option<SessionId>> {
    let token = refresh_tokens::table.find(hashed.as_slice()).select(refresh_tokens::session_id);
    Ok(token.first(conn.sql()).await.optional()?.map(SessionId))
}

/// Locks an unused refresh token that is issued a second time, and records whether to another network. False: it isn't
/// stored, or already used. (A concurrent use waits at the token's row.)
pub async fn give_again(tx: &mut Tx, hashed: &TokenHash, elsewhere: bool) -> Result<bool> {
    let unused = refresh_tokens::table.find(hashed.as_slice()).filter(refresh_tokens::used_at.is_null());
    let also = refresh_tokens::given_elsewhere.or(elsewhere.into_sql::<Bool>());
    let given = diesel::update(unused).set(refresh_tokens::given_elsewhere.eq(also)).execute(tx.sql()).await?;
    Ok(given == 1)
}

/// Records the first use of a refresh token, and the salt of its successor.
pub async fn mark_used(tx: &mut Tx, hashed: &TokenHash, now: Time, successor_salt: &[u8]) -> Result<()> {
    diesel::update(refresh_tokens::table.find(hashed.as_slice()))
        .set((refresh_tokens::used_at.eq(At(now)), refresh_tokens::successor_salt.eq(successor_salt)))
        .run(tx)
        .await
}

/// Extends a session refreshed from this origin. False: it has ended meanwhile.
pub async fn prolong(tx: &mut Tx, session: SessionId, from: &RequestOrigin, now: Time, until: Time) -> Result<bool> {
    let living = sessions::table.find(session.0).filter(sessions::ended_at.is_null());
    let prolonged = diesel::update(living)
        .set((
            sessions::last_used_at.eq(At(now)),
            sessions::may_rejoin.eq(false),
            sessions::expires_at.eq(At(until)),
            sessions::program.eq(from.client.program.as_deref()),
            sessions::system.eq(from.client.system.as_deref()),
            sessions::network.eq(from.network.as_deref()),
        ))
        .execute(tx.sql())
        .await?;
    Ok(prolonged == 1)
}

/// The account of a live session, and its app, if it is an app's.
pub async fn holder(
    conn: &mut Conn,
    account: AccountId,
    session: SessionId,
    now: Time,
) -> Result<Option<SessionHolder>> {
    let row: Option<(String, bool, bool, bool, GrantRow)> = sessions::table
        .find(session.0)
        .inner_join(accounts::table.on(accounts::id.eq(sessions::account_id)))
        .filter(sessions::account_id.eq(account.0))
        .filter(sessions::ended_at.is_null())
        .filter(sessions::expires_at.gt(At(now)))
        .filter(accounts::deleted_at.is_null())
        .select((
            accounts::username,
            accounts::bot,
            accounts::guest,
            // An app authorized in that session has not presented the passkey itself.
            sessions::passkey_id.is_not_null().and(sessions::client_id.is_null()),
            GrantRow::as_select(),
        ))
        .first(conn.sql())
        .await
        .optional()?;
    Ok(row.map(|(username, bot, guest, by_passkey, app)| SessionHolder {
        username: Username::stored(username),
        bot,
        guest,
        by_passkey,
        app: app.into(),
    }))
}

/// A page of the account's own live sessions, newest first.
pub async fn living(
    conn: &mut Conn,
    account: AccountId,
    now: Time,
    before: Option<SessionId>,
    limit: i64,
) -> Result<Vec<Session>> {
    let mut query = sessions::table
        .filter(sessions::account_id.eq(account.0))
        .filter(sessions::client_id.is_null())
        .filter(sessions::ended_at.is_null())
        .filter(sessions::expires_at.gt(At(now)))
        .select(Row::as_select())
        .into_boxed();
    if let Some(before) = before {
        query = query.filter(sessions::id.lt(before.0));
    }
    let rows = query.order(sessions::id.desc()).limit(limit).load(conn.sql()).await?;
    Ok(rows.into_iter().map(Session::from).collect())
}

/// All stored sessions of the account, newest first: including ended ones and those of apps.
pub async fn all(conn: &mut Conn, account: AccountId) -> Result<Vec<Session>> {
    let rows = sessions::table
        .filter(sessions::account_id.eq(account.0))
        .select(Row::as_select())
        .order(sessions::id.desc())
        .load(conn.sql())
        .await?;
    Ok(rows.into_iter().map(Session::from).collect())
}

/// The account whose own session this is; `None`: an app's, or unknown.
pub async fn owner_of_own(conn: &mut Conn, session: SessionId) -> Result<Option<AccountId>> {
    let own = sessions::table.find(session.0).filter(sessions::client_id.is_null());
    Ok(own.select(sessions::account_id).first(conn.sql()).await.optional()?.map(AccountId))
}

/// True if this session of the account is live. Locks it, so that it can't end before the transaction does.
pub async fn lock_living(tx: &mut Tx, account: AccountId, session: SessionId, now: Time) -> Result<bool> {
    let living: Option<Uuid> = sessions::table
        .find(session.0)
        .filter(sessions::account_id.eq(account.0))
        .filter(sessions::ended_at.is_null())
        .filter(sessions::expires_at.gt(At(now)))
        .select(sessions::id)
        .for_share()
        .first(tx.sql())
        .await
        .optional()?;
    Ok(living.is_some())
}

/// Ends a session of any account. False: it had already ended.
pub async fn end(tx: &mut Tx, session: SessionId, now: Time) -> Result<bool> {
    let living = sessions::table.find(session.0).filter(sessions::ended_at.is_null());
    let ended = diesel::update(living).set(sessions::ended_at.eq(At(now))).execute(tx.sql()).await?;
    Ok(ended == 1)
}

/// Ends a session of this account. False: it has no such live session.
pub async fn end_own(tx: &mut Tx, account: AccountId, session: SessionId, now: Time) -> Result<bool> {
    let living = sessions::table
        .find(session.0)
        .filter(sessions::account_id.eq(account.0))
        .filter(sessions::ended_at.is_null())
        .filter(sessions::expires_at.gt(At(now)));
    let ended = diesel::update(living).set(sessions::ended_at.eq(At(now))).execute(tx.sql()).await?;
    Ok(ended == 1)
}

/// Ends all sessions of an account, except the `kept` one.
pub async fn end_all(tx: &mut Tx, account: AccountId, kept: Option<SessionId>, now: Time) -> Result<()> {
    // No session has the nil id.
    let kept = kept.map_or(Uuid::nil(), |session| session.0);
    let living = sessions::table
        .filter(sessions::account_id.eq(account.0))
        .filter(sessions::ended_at.is_null())
        .filter(sessions::id.ne(kept));
    diesel::update(living).set(sessions::ended_at.eq(At(now))).run(tx).await
}

/// Deletes the names, origins and app ids of an account's clients.
pub async fn clear_devices(tx: &mut Tx, account: AccountId) -> Result<()> {
    let nothing = None::<String>;
    diesel::update(sessions::table.filter(sessions::account_id.eq(account.0)))
        .set((
            sessions::device.eq(""),
            sessions::program.eq(&nothing),
            sessions::system.eq(&nothing),
            sessions::network.eq(&nothing),
            sessions::client_id.eq(&nothing),
            sessions::redirect_uri.eq(&nothing),
            sessions::scopes.eq(None::<Vec<String>>),
            sessions::passkey_id.eq(None::<Uuid>),
        ))
        .run(tx)
        .await
}

/// The maximum number of rows deleted per call.
const AT_ONCE: i64 = 1000;

/// Deletes sessions that ended before `then`, with their refresh tokens. Returns the number.
pub async fn delete_over_before(tx: &mut Tx, then: Time) -> Result<usize> {
    let over: Vec<Uuid> = sessions::table
        .filter(
            sessions::expires_at
                .lt(At(then))
                .or(sessions::ended_at.is_not_null().and(sessions::ended_at.assume_not_null().lt(At(then)))),
        )
        .select(sessions::id)
        .limit(AT_ONCE)
        .load(tx.sql())
        .await?;
    let deleted = diesel::delete(sessions::table.filter(sessions::id.eq_any(over)));
    Ok(deleted.execute(tx.sql()).await?)
}

/// Deletes refresh tokens used before `then`. Returns the number.
pub async fn delete_used_before(tx: &mut Tx, then: Time) -> Result<usize> {
    let used: Vec<Vec<u8>> = refresh_tokens::table
        .filter(refresh_tokens::used_at.lt(At(then)))
        .select(refresh_tokens::hash)
        .limit(AT_ONCE)
        .load(tx.sql())
        .await?;
    let deleted = diesel::delete(refresh_tokens::table.filter(refresh_tokens::hash.eq_any(used)));
    Ok(deleted.execute(tx.sql()).await?)
}
