//! Sessions: one sign-in on one device, kept alive by refresh tokens.
//!
//! A refresh token is good once and is replaced by the next one. A second use means that somebody has a copy, and ends the session (RFC 9700,
//! 4.14.2), but for the first seconds: then it is a client that repeats a request whose answer was lost, and it gets another token.

use broadside_rules::Time;

use super::Identity;
use super::account::{Account, Proven};
use super::names::Device;
use super::secrets::{self, REFRESH_PREFIX, RefreshToken};
use crate::accounts::Accounts;
use crate::accounts::store;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::ids::{AccountId, SessionId};

/// How long a session lives after its last refresh, in seconds: 60 days.
pub const LIVES_S: u32 = 60 * 24 * 60 * 60;
/// How long after its first use a refresh token may be repeated, in milliseconds.
const GRACE_MS: i64 = 20_000;

/// A session as its owner sees it.
pub struct Session {
    /// Its id.
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
pub struct Opened {
    /// Whose it is.
    pub account: Account,
    /// The session.
    pub session: SessionId,
    /// A JWT, good for [`super::jwt::ACCESS_S`].
    pub access_token: String,
    /// Good once, for the next pair of tokens.
    pub refresh_token: String,
}

/// What the store knows of a refresh token, and of the session and account behind it.
pub struct FoundRefresh {
    /// The session it belongs to.
    pub session: SessionId,
    /// When it was used first.
    pub used_at: Option<Time>,
    /// Whether the session still lives.
    pub lives: bool,
    /// Whose it is.
    pub account: Account,
}

/// What came of a refresh.
pub enum Refreshed {
    /// New tokens.
    Opened(Opened),
    /// Somebody has a copy of this token: the session must be ended, in a transaction that lasts ([`end_stolen`]).
    Reused(SessionId),
}

/// Opens a session for somebody who has proven his password. Fails with `wrong-credentials` if the password was changed meanwhile.
pub async fn sign_in(tx: &mut Tx, accounts: &Accounts, proven: Proven, device: &Device) -> Result<Opened> {
    let Proven { account, password_hash, better_hash } = proven;
    if !store::accounts::lock_hash(tx, account.id, &password_hash).await? {
        return Err(Error::plain(&problem::WRONG_CREDENTIALS));
    }
    if let Some(better) = better_hash {
        store::accounts::replace_hash(tx, account.id, &password_hash, &better).await?;
    }
    open(tx, accounts, account, device).await
}

/// Opens a session.
pub(super) async fn open(tx: &mut Tx, accounts: &Accounts, account: Account, device: &Device) -> Result<Opened> {
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
async fn issue(tx: &mut Tx, accounts: &Accounts, account: Account, session: SessionId) -> Result<Opened> {
    let now = accounts.clock.now();
    let refresh_token = secrets::new(REFRESH_PREFIX, accounts.random());
    store::sessions::insert_refresh_token(tx, &secrets::hash(&refresh_token), session, now).await?;
    let ring = accounts.keys.current(tx, now).await?;
    let access_token = ring.sign(account.id, session, now)?;
    Ok(Opened { account: account.seen_at(now), session, access_token, refresh_token })
}

/// Takes a refresh token and gives the next pair. Two requests with one token meet at its row, and the second finds it used.
/// Fails with `token-refused` when the token is unknown or its session is over.
pub async fn refresh(tx: &mut Tx, accounts: &Accounts, token: &RefreshToken) -> Result<Refreshed> {
    let now = accounts.clock.now();
    let found = store::sessions::lock_refresh_token(tx, token.hashed(), now).await?;
    let refused = || Error::plain(&problem::TOKEN_REFUSED);
    let FoundRefresh { session, used_at, account, .. } = found.filter(|found| found.lives).ok_or_else(refused)?;
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

/// Ends a session of which somebody has a copy of a refresh token.
pub async fn end_stolen(accounts: &Accounts, session: SessionId) -> Result<()> {
    let mut tx = accounts.db.begin().await?;
    store::sessions::end(&mut tx, session, accounts.clock.now()).await?;
    tx.commit().await?;
    accounts.memory.forget_session(session);
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

/// Ends one of the caller's sessions. Somebody else's, and one that is over, are not found.
pub async fn sign_out(accounts: &Accounts, who: &Identity, session: SessionId) -> Result<()> {
    let now = accounts.clock.now();
    let mut tx = accounts.db.begin().await?;
    if !store::sessions::end_own(&mut tx, who.account, session, now).await? {
        tx.roll_back().await?;
        return Err(Error::not_found());
    }
    tx.commit().await?;
    accounts.memory.forget_session(session);
    Ok(())
}
