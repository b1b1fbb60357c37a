//! Sessions: one sign-in on one device, kept alive by refresh tokens.
//!
//! A refresh token can be used once and is replaced by the next one, so a session has one chain of tokens. A second use
//! means that the token was copied, and ends the session (RFC 9700, 4.14.2). One exception: within the first seconds,
//! while the next token is unused, the same client gets the same pair again, because an answer may have been lost, or
//! two tabs may have refreshed at the same moment.
//!
//! The same client means the same program, system and network as at the first use. A repetition from another network (a
//! phone leaving the house, or a thief) gets the same pair once, and the next token can't be repeated from another
//! network. So a thief elsewhere can keep up with the owner for one token only.

use broadside_rules::Time;

use super::Identity;
use super::account::Account;
use super::credentials::VerifiedCredentials;
use super::jwt::ACCESS_TOKEN_S;
use super::names::{Device, Username};
use super::oauth::apps::AppGrant;
use super::oauth::request::ClientId;
use super::second_factor;
use super::secrets::{self, REFRESH_PREFIX, RefreshToken, TokenHash};
use super::security_log::{self, About, SecurityEventKind};
use crate::accounts::{Accounts, store};
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::events;
use crate::events::kinds::SessionRevokedEvent;
use crate::ids::{AccountId, SessionId};
use crate::request_origin::{self, RequestOrigin};

/// Lifetime of a session after its last refresh, in seconds: 60 days.
pub const LIVES_S: u32 = 60 * 24 * 60 * 60;
/// Time after its first use in which a refresh token may be repeated, in milliseconds.
const GRACE_MS: i64 = 20_000;
const DAY_S: u32 = 24 * 60 * 60;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SessionSettings {
    /// The maximum number of days after the sign-in, regardless of refreshes.
    pub max_days: u16,
}

impl Default for SessionSettings {
    fn default() -> Self {
        Self { max_days: 365 }
    }
}

impl SessionSettings {
    /// The end of a session opened at `created_at` and last refreshed at `now`.
    fn expiry(self, created_at: Time, now: Time) -> Time {
        now.plus_s(LIVES_S).min(created_at.plus_s(u32::from(self.max_days) * DAY_S))
    }
}

/// A session as its owner sees it.
pub struct Session {
    /// The id, by which its owner ends it.
    pub id: SessionId,
    /// The client's own name for itself.
    pub device: String,
    /// The origin of the last refresh, or of the sign-in.
    pub origin: RequestOrigin,
    /// The time of the sign-in.
    pub created_at: Time,
    pub last_used_at: Time,
    /// The end, if it is not refreshed again.
    pub expires_at: Time,
    pub ended_at: Option<Time>,
    /// The `client_id` of the app that uses it; `None`: the owner's own.
    pub app: Option<String>,
}

/// A session that was just opened or refreshed, with its tokens.
pub struct OpenedSession {
    pub account: Account,
    /// The app that acts through it; `None`: the owner's own session.
    pub app: Option<AppGrant>,
    pub session: SessionId,
    pub access_token: String,
    /// Remaining validity of the JWT, in seconds: [`ACCESS_TOKEN_S`] when it is new.
    pub access_token_s: u32,
    /// Valid once, for the next pair of tokens.
    pub refresh_token: String,
}

/// A refresh token as stored, with its session and account.
pub struct StoredRefreshToken {
    /// Its session. While the successor is unused, its origin is that of the first use.
    pub session: Session,
    pub used_at: Option<Time>,
    /// The salt from which its successor is derived, once it was used.
    pub successor_salt: Option<Vec<u8>>,
    /// True if the preceding token was repeated from another network, so that two networks received this one.
    pub given_elsewhere: bool,
    pub lives: bool,
    pub account: Account,
    pub app: Option<AppGrant>,
}

pub struct SessionHolder {
    pub username: Username,
    pub bot: bool,
    pub guest: bool,
    pub app: Option<AppGrant>,
    pub by_passkey: bool,
}

pub enum Refreshed {
    Opened(Box<OpenedSession>),
    /// The token was used before, so it was copied. End the session with [`end_stolen`], in its own transaction, which
    /// the refusal does not roll back.
    Reused(StolenSession),
}

/// A session whose refresh token was copied.
pub struct StolenSession {
    id: SessionId,
    account: AccountId,
    is_app: bool,
}

impl StolenSession {
    /// A session (an app's or the owner's) whose code was used a second time.
    pub(super) fn of_code(id: SessionId, account: AccountId, is_app: bool) -> Self {
        Self { id, account, is_app }
    }
}

/// Opens a session for verified credentials. Fails with `invalid-credentials` if the password has changed since, and
/// with `second-factor-required` if a password alone is not enough.
pub async fn sign_in(
    tx: &mut Tx,
    accounts: &Accounts,
    credentials: VerifiedCredentials,
    device: &Device,
) -> Result<OpenedSession> {
    let account = take_credentials(tx, credentials).await?;
    second_factor::require_none(tx, account.id).await?;
    open_own(tx, accounts, account, SecurityEventKind::SignedIn, device).await
}

/// Opens a session after a sign-in of this `kind`, and records it in the security log.
pub(super) async fn open_own(
    tx: &mut Tx,
    accounts: &Accounts,
    account: Account,
    kind: SecurityEventKind,
    device: &Device,
) -> Result<OpenedSession> {
    let opened = open(tx, accounts, account, None, device).await?;
    security_log::signed_in(tx, accounts, opened.account.id, kind, opened.session).await?;
    Ok(opened)
}

/// Locks and returns the account of verified credentials. Fails with `invalid-credentials` if the password has changed
/// since.
pub(super) async fn take_credentials(tx: &mut Tx, credentials: VerifiedCredentials) -> Result<Account> {
    let VerifiedCredentials { account, password_hash, better_hash } = credentials;
    if !store::accounts::lock_hash(tx, account.id, &password_hash).await? {
        return Err(Error::plain(&problem::WRONG_CREDENTIALS));
    }
    if let Some(better) = better_hash {
        store::accounts::replace_hash(tx, account.id, &password_hash, &better).await?;
    }
    Ok(account)
}

/// [`take_credentials`] for a signed-in caller. Fails with `concurrent-action` if the password has changed since.
pub(super) async fn take_confirmed(tx: &mut Tx, credentials: VerifiedCredentials) -> Result<Account> {
    take_credentials(tx, credentials).await.map_err(|error| {
        let was_changed = error.problem().code == problem::WRONG_CREDENTIALS.code;
        let detail = "The password was changed by another request at the same moment.";
        if was_changed { Error::new(&problem::CONCURRENT_ACTION, detail) } else { error }
    })
}

pub(super) async fn insert(
    tx: &mut Tx,
    accounts: &Accounts,
    account: AccountId,
    app: Option<&AppGrant>,
    device: &Device,
    expires_at: Time,
) -> Result<SessionId> {
    let now = accounts.clock.now();
    let session = Session {
        id: accounts.new_id(),
        device: device.as_str().to_owned(),
        origin: request_origin::current(),
        created_at: now,
        last_used_at: now,
        expires_at,
        ended_at: None,
        app: app.map(|app| app.client_id.clone()),
    };
    store::sessions::insert(tx, account, &session, app).await?;
    Ok(session.id)
}

pub(super) async fn open(
    tx: &mut Tx,
    accounts: &Accounts,
    account: Account,
    app: Option<AppGrant>,
    device: &Device,
) -> Result<OpenedSession> {
    let now = accounts.clock.now();
    let expires_at = accounts.session_settings.expiry(now, now);
    let session = insert(tx, accounts, account.id, app.as_ref(), device, expires_at).await?;
    let refresh_token = accounts.token_maker.make(REFRESH_PREFIX, accounts.random())?;
    store::sessions::insert_refresh_token(tx, &secrets::hash(&refresh_token), session, now).await?;
    let family = refresh_token.parse::<RefreshToken>().map_err(Error::internal)?.family();
    store::sessions::set_family(tx, session, &family).await?;
    opened(tx, accounts, (account, app), session, refresh_token, now).await
}

/// A session with its pair of tokens. `issued_at` dates the access token, so that the same pair can be issued again.
async fn opened(
    tx: &mut Tx,
    accounts: &Accounts,
    (account, app): (Account, Option<AppGrant>),
    session: SessionId,
    refresh_token: String,
    issued_at: Time,
) -> Result<OpenedSession> {
    let now = accounts.clock.now();
    let ring = accounts.keys.current(tx, now).await?;
    let access_token = ring.sign_for(account.id, session, app.as_ref(), issued_at)?;
    let age_s = u32::try_from(now.millis_since(issued_at) / 1000).unwrap_or_default();
    let access_token_s = ACCESS_TOKEN_S.saturating_sub(age_s);
    Ok(OpenedSession { account: account.seen_at(now), app, session, access_token, access_token_s, refresh_token })
}

/// True if the checksum proves that the service issued this refresh token.
pub fn is_made(accounts: &Accounts, token: &RefreshToken) -> bool {
    token.is_made_by(&accounts.token_maker)
}

/// The session of a refresh token, whether used or not, live or ended; `None`: the token is unknown.
pub async fn session_of(conn: &mut Conn, token: &RefreshToken) -> Result<Option<SessionId>> {
    store::sessions::session_of_refresh_token(conn, token.hashed()).await
}

/// Exchanges a refresh token for the next pair, or for the same pair again while that is allowed. Two requests with one
/// token are serialized by its row, and the second finds it used. Fails with `token-unknown` when the token is unknown,
/// its session has ended, or it belongs to another app than `client` (`None`: to any app).
pub async fn refresh(
    tx: &mut Tx,
    accounts: &Accounts,
    token: &RefreshToken,
    client: Option<&ClientId>,
) -> Result<Refreshed> {
    let now = accounts.clock.now();
    let mut found = store::sessions::lock_refresh_token(tx, token.hashed(), now).await?;
    if found.is_none() && is_made(accounts, token) {
        // The database may have been restored to a time before this token was issued.
        if store::sessions::rejoin(tx, token.hashed(), &token.family(), now).await? {
            found = store::sessions::lock_refresh_token(tx, token.hashed(), now).await?;
        } else if let Some((id, account, is_app)) = store::sessions::of_family(tx, &token.family()).await? {
            return Ok(Refreshed::Reused(StolenSession { id, account, is_app }));
        }
    }
    let refused = || Error::plain(&problem::TOKEN_UNKNOWN);
    let is_whose = |app: Option<&AppGrant>| app.map(|app| app.client_id.as_str()) == client.map(ClientId::as_str);
    let found = found.filter(|found| found.lives && is_whose(found.app.as_ref())).ok_or_else(refused)?;
    let StoredRefreshToken { session: Session { id: session, created_at, origin: last, .. }, .. } = found;
    let (account, app) = (found.account, found.app);
    let expires_at = accounts.session_settings.expiry(created_at, now);
    if expires_at <= now {
        return Err(refused());
    }
    let origin = request_origin::current();
    if let Some(used_at) = found.used_at {
        let elsewhere = origin.network != last.network;
        let may_repeat = now.millis_since(used_at) <= GRACE_MS
            && origin.client == last.client
            && !(elsewhere && found.given_elsewhere);
        if let Some(salt) = found.successor_salt.filter(|_| may_repeat) {
            let next = token.successor(&accounts.token_maker, &salt)?;
            if store::sessions::give_again(tx, &secrets::hash(&next), elsewhere).await? {
                return opened(tx, accounts, (account, app), session, next, used_at)
                    .await
                    .map(|opened| Refreshed::Opened(Box::new(opened)));
            }
        }
        let stolen = StolenSession { id: session, account: account.id, is_app: app.is_some() };
        return Ok(Refreshed::Reused(stolen));
    }
    let salt: [u8; 32] = accounts.random();
    let next = token.successor(&accounts.token_maker, &salt)?;
    store::sessions::mark_used(tx, token.hashed(), now, &salt).await?;
    if !store::sessions::prolong(tx, session, &origin, now, expires_at).await? {
        return Err(refused());
    }
    store::sessions::insert_refresh_token(tx, &secrets::hash(&next), session, now).await?;
    opened(tx, accounts, (account, app), session, next, now).await.map(|opened| Refreshed::Opened(Box::new(opened)))
}

/// Ends a session whose refresh token was stolen, revokes the personal tokens made in it (possibly by the thief), and
/// notifies the owner.
pub async fn end_stolen(accounts: &Accounts, stolen: StolenSession) -> Result<()> {
    let StolenSession { id: session, account, is_app } = stolen;
    let now = accounts.clock.now();
    let mut tx = accounts.db.begin().await?;
    if !store::sessions::end(&mut tx, session, now).await? {
        return tx.roll_back().await;
    }
    // Apps make no personal tokens.
    let revoked = if is_app { Vec::new() } else { store::tokens::delete_made_in(&mut tx, account, session).await? };
    let revoked_tokens = u32::try_from(revoked.len()).unwrap_or(u32::MAX);
    security_log::record(&mut tx, accounts, account, SecurityEventKind::SessionStolen, About::session(session)).await?;
    let event = SessionRevokedEvent::at(now, session, revoked_tokens).into();
    events::notify(&mut tx, accounts, events::notification(account, &[event])?).await?;
    tx.commit().await?;
    accounts.token_cache.forget_session(session);
    for hashed in revoked.iter().filter_map(|hashed| TokenHash::try_from(hashed.as_slice()).ok()) {
        accounts.token_cache.forget_token(&hashed);
    }
    tracing::warn!(%session, revoked_tokens, "a refresh token or a code was used twice; its session has been ended");
    Ok(())
}

/// Locks the caller's session until the transaction ends; the account must already be locked. A password change may
/// have ended the session since the caller was identified: fails with `token-unknown`.
pub(super) async fn require_living(tx: &mut Tx, accounts: &Accounts, who: &Identity) -> Result<()> {
    let session = who.session.ok_or_else(|| Error::plain(&problem::SESSION_REQUIRED))?;
    match store::sessions::lock_living(tx, who.account, session, accounts.clock.now()).await? {
        true => Ok(()),
        false => Err(Error::plain(&problem::TOKEN_UNKNOWN)),
    }
}

/// A page of the live sessions, newest first.
pub async fn list(
    conn: &mut Conn,
    account: AccountId,
    now: Time,
    before: Option<SessionId>,
    limit: i64,
) -> Result<Vec<Session>> {
    store::sessions::living(conn, account, now, before, limit).await
}

/// Ends one of the caller's sessions. `not-found` for sessions of other accounts and ended ones.
pub async fn sign_out(accounts: &Accounts, who: &Identity, session: SessionId) -> Result<()> {
    end(accounts, who.account, session).await
}

/// Ends a session of this account; fails with `not-found` if it has none with this id.
pub(super) async fn end(accounts: &Accounts, account: AccountId, session: SessionId) -> Result<()> {
    let now = accounts.clock.now();
    let mut tx = accounts.db.begin().await?;
    if !store::sessions::end_own(&mut tx, account, session, now).await? {
        tx.roll_back().await?;
        return Err(Error::not_found());
    }
    let about = About::session(session);
    security_log::record(&mut tx, accounts, account, SecurityEventKind::SessionEnded, about).await?;
    tx.commit().await?;
    accounts.token_cache.forget_session(session);
    Ok(())
}
