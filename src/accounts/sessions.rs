//! Sessions: one sign-in on one device, kept alive by refresh tokens.
//!
//! A refresh token can be used once and is replaced by the next one. A second use means that somebody has a copy, and
//! ends the session (RFC 9700, 4.14.2), except within the first seconds: then a client repeats a request whose answer
//! was lost, and gets another token.

use broadside_rules::Time;

use super::Identity;
use super::account::{Account, VerifiedCredentials};
use super::names::Device;
use super::secrets::{self, REFRESH_PREFIX, RefreshToken};
use crate::accounts::{Accounts, store};
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::ids::{AccountId, SessionId};

/// How long a session lasts after its last refresh, in seconds: 60 days.
pub const LIVES_S: u32 = 60 * 24 * 60 * 60;
/// How long after its first use a refresh token may be repeated, in milliseconds.
const GRACE_MS: i64 = 20_000;

/// A session as its owner sees it.
pub struct Session {
    /// The id, by which its owner ends it.
    pub id: SessionId,
    /// What the client called itself.
    pub device: String,
    /// When its owner signed in.
    pub created_at: Time,
    /// When it was last refreshed.
    pub last_used_at: Time,
    /// When it ends unless it is refreshed.
    pub expires_at: Time,
    /// When it was ended, if it was.
    pub ended_at: Option<Time>,
}

/// A session that was just opened or refreshed, with its tokens.
pub struct OpenedSession {
    /// The account that is signed in.
    pub account: Account,
    /// The session.
    pub session: SessionId,
    /// A JWT, good for [`super::jwt::ACCESS_TOKEN_S`].
    pub access_token: String,
    /// Good once, for the next pair of tokens.
    pub refresh_token: String,
}

/// A refresh token as the database holds it, with its session and account.
pub struct StoredRefreshToken {
    /// The session it belongs to.
    pub session: SessionId,
    /// When it was used first.
    pub used_at: Option<Time>,
    /// Whether the session still lives.
    pub lives: bool,
    /// The account that is signed in.
    pub account: Account,
}

/// The result of a refresh.
pub enum Refreshed {
    /// New tokens.
    Opened(OpenedSession),
    /// The token was used before, so somebody has a copy: the session must be ended in a transaction of its own, which
    /// the refusal does not roll back ([`end_stolen`]).
    Reused(SessionId),
}

/// Opens a session for verified credentials. Fails with `wrong-credentials` if the password has changed since.
pub async fn sign_in(
    tx: &mut Tx,
    accounts: &Accounts,
    credentials: VerifiedCredentials,
    device: &Device,
) -> Result<OpenedSession> {
    let VerifiedCredentials { account, password_hash, better_hash } = credentials;
    if !store::accounts::lock_hash(tx, account.id, &password_hash).await? {
        return Err(Error::plain(&problem::WRONG_CREDENTIALS));
    }
    if let Some(better) = better_hash {
        store::accounts::replace_hash(tx, account.id, &password_hash, &better).await?;
    }
    open(tx, accounts, account, device).await
}

/// Opens a session.
pub(super) async fn open(tx: &mut Tx, accounts: &Accounts, account: Account, device: &Device) -> Result<OpenedSession> {
    let now = accounts.clock.now();
    let session = Session {
        id: accounts.new_id(),
        device: device.as_str().to_owned(),
        created_at: now,
        last_used_at: now,
        expires_at: now.plus_s(LIVES_S),
        ended_at: None,
    };
    store::sessions::insert(tx, account.id, &session).await?;
    issue(tx, accounts, account, session.id).await
}

/// A new pair of tokens for a session.
async fn issue(tx: &mut Tx, accounts: &Accounts, account: Account, session: SessionId) -> Result<OpenedSession> {
    let now = accounts.clock.now();
    let refresh_token = secrets::new(REFRESH_PREFIX, accounts.random());
    store::sessions::insert_refresh_token(tx, &secrets::hash(&refresh_token), session, now).await?;
    let ring = accounts.keys.current(tx, now).await?;
    let access_token = ring.sign(account.id, session, now)?;
    Ok(OpenedSession { account: account.seen_at(now), session, access_token, refresh_token })
}

/// Takes a refresh token and gives the next pair. Two requests with one token meet at its row, and the second finds it
/// used. Fails with `token-refused` when the token is unknown or its session is over.
pub async fn refresh(tx: &mut Tx, accounts: &Accounts, token: &RefreshToken) -> Result<Refreshed> {
    let now = accounts.clock.now();
    let found = store::sessions::lock_refresh_token(tx, token.hashed(), now).await?;
    let refused = || Error::plain(&problem::TOKEN_REFUSED);
    let StoredRefreshToken { session, used_at, account, .. } = found.filter(|found| found.lives).ok_or_else(refused)?;
    match used_at {
        Some(then) if now.millis_since(then) > GRACE_MS => return Ok(Refreshed::Reused(session)),
        Some(_) => {}
        None => store::sessions::mark_used(tx, token.hashed(), now).await?,
    }
    if !store::sessions::prolong(tx, session, now, now.plus_s(LIVES_S)).await? {
        return Err(refused());
    }
    issue(tx, accounts, account, session).await.map(Refreshed::Opened)
}

/// Ends a session whose refresh token was stolen.
pub async fn end_stolen(accounts: &Accounts, session: SessionId) -> Result<()> {
    let mut tx = accounts.db.begin().await?;
    store::sessions::end(&mut tx, session, accounts.clock.now()).await?;
    tx.commit().await?;
    accounts.token_cache.forget_session(session);
    tracing::warn!(%session, "a refresh token was used twice; its session has been ended");
    Ok(())
}

/// A page of the sessions that live, the newest first.
pub async fn list(
    conn: &mut Conn,
    account: AccountId,
    now: Time,
    before: Option<SessionId>,
    limit: i64,
) -> Result<Vec<Session>> {
    store::sessions::living(conn, account, now, before, limit).await
}

/// Ends one of the caller's sessions. A session of another account, or one that is over, is not found.
pub async fn sign_out(accounts: &Accounts, who: &Identity, session: SessionId) -> Result<()> {
    let now = accounts.clock.now();
    let mut tx = accounts.db.begin().await?;
    if !store::sessions::end_own(&mut tx, who.account, session, now).await? {
        tx.roll_back().await?;
        return Err(Error::not_found());
    }
    tx.commit().await?;
    accounts.token_cache.forget_session(session);
    Ok(())
}
