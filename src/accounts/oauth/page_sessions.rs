//! Cookie sessions of the service's own pages.
//!
//! The cookie holds a secret whose SHA-256 is stored; each sign-in makes a new one. Such a session has no tokens until
//! the service's own page gets some ([`super::own_page`]), and the cookie never opens the API.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::accounts::account::{self, NewAccount};
use crate::accounts::credentials::VerifiedCredentials;
use crate::accounts::names::{Device, Username};
use crate::accounts::second_factor;
use crate::accounts::secrets;
use crate::accounts::security_log::{self, About, SecurityEventKind};
use crate::accounts::sessions;
use crate::accounts::{Accounts, store};
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::ids::{AccountId, SessionId};

/// Lifetime of a cookie, in seconds: half a day.
pub const PAGE_SESSION_S: u32 = 12 * 60 * 60;
/// The prefix of a cookie's value.
const COOKIE_PREFIX: &str = "bpc_";

/// A signed-in session of the pages.
pub struct PageSession {
    pub id: SessionId,
    pub account: AccountId,
    pub username: Username,
    cookie: String,
}

impl PageSession {
    /// The token in this session's forms that proves their origin, because other sites can't read it.
    pub fn form_token(&self) -> Result<String> {
        Ok(URL_SAFE_NO_PAD.encode(self.mac()?.finalize().into_bytes()))
    }

    pub fn has_made(&self, form_token: &str) -> bool {
        let given = URL_SAFE_NO_PAD.decode(form_token).unwrap_or_default();
        self.mac().is_ok_and(|mac| mac.verify_slice(&given).is_ok())
    }

    fn mac(&self) -> Result<Hmac<Sha256>> {
        let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(self.cookie.as_bytes()).map_err(Error::internal)?;
        mac.update(b"a form of the service's own pages");
        Ok(mac)
    }
}

/// Opens a session for verified credentials, and ends the previous one: the cookie's new value. Fails with
/// `invalid-credentials` if the password has changed since, and with `second-factor-required` if a password alone is
/// not enough.
pub async fn sign_in(
    tx: &mut Tx,
    accounts: &Accounts,
    credentials: VerifiedCredentials,
    before: Option<&PageSession>,
    device: &Device,
) -> Result<String> {
    let account = sessions::take_credentials(tx, credentials).await?;
    second_factor::require_none(tx, account.id).await?;
    let (_, cookie) = open(tx, accounts, (account.id, SecurityEventKind::SignedIn), before, device).await?;
    Ok(cookie)
}

/// Stores a new account, signs its owner in, and ends the previous session: the cookie's new value. Fails with
/// `username-taken`.
pub async fn register(
    tx: &mut Tx,
    accounts: &Accounts,
    new: &NewAccount,
    before: Option<&PageSession>,
    device: &Device,
) -> Result<String> {
    account::create(tx, new).await?;
    let (session, cookie) = insert(tx, accounts, new.account.id, before, device).await?;
    account::note_registration(tx, accounts, new.account.id, session).await?;
    Ok(cookie)
}

/// Opens a session after a sign-in of this kind, and ends the previous one: the new session, and the cookie's new
/// value.
pub(in crate::accounts) async fn open(
    tx: &mut Tx,
    accounts: &Accounts,
    (account, kind): (AccountId, SecurityEventKind),
    before: Option<&PageSession>,
    device: &Device,
) -> Result<(SessionId, String)> {
    let (session, cookie) = insert(tx, accounts, account, before, device).await?;
    security_log::signed_in(tx, accounts, account, kind, session).await?;
    Ok((session, cookie))
}

async fn insert(
    tx: &mut Tx,
    accounts: &Accounts,
    account: AccountId,
    before: Option<&PageSession>,
    device: &Device,
) -> Result<(SessionId, String)> {
    let now = accounts.clock.now();
    if let Some(before) = before {
        store::sessions::end(tx, before.id, now).await?;
    }
    let session = sessions::insert(tx, accounts, account, None, device, now.plus_s(PAGE_SESSION_S)).await?;
    let cookie = accounts.token_maker.make(COOKIE_PREFIX, accounts.random())?;
    store::page_cookies::insert(tx, &secrets::hash(&cookie), session, now.plus_s(PAGE_SESSION_S)).await?;
    Ok((session, cookie))
}

/// The session of this cookie, if it is live.
pub async fn find(conn: &mut Conn, accounts: &Accounts, cookie: &str) -> Result<Option<PageSession>> {
    if !accounts.token_maker.has_made(COOKIE_PREFIX, cookie) {
        return Ok(None);
    }
    let found = store::page_cookies::find(conn, &secrets::hash(cookie), accounts.clock.now()).await?;
    Ok(found.map(|(id, account, username)| PageSession { id, account, username, cookie: cookie.to_owned() }))
}

/// Locks the session until the transaction ends; the account must already be locked. A password change may have ended
/// it since its owner was recognized: fails with `token-missing`.
pub async fn require_living(tx: &mut Tx, accounts: &Accounts, session: &PageSession) -> Result<()> {
    match store::sessions::lock_living(tx, session.account, session.id, accounts.clock.now()).await? {
        true => Ok(()),
        false => Err(Error::plain(&problem::NOT_SIGNED_IN)),
    }
}

/// Ends the session, also for the service's own page in this browser.
pub async fn sign_out(accounts: &Accounts, session: &PageSession) -> Result<()> {
    let mut tx = accounts.db.begin().await?;
    if store::sessions::end(&mut tx, session.id, accounts.clock.now()).await? {
        let (kind, about) = (SecurityEventKind::SessionEnded, About::session(session.id));
        security_log::record(&mut tx, accounts, session.account, kind, about).await?;
    }
    tx.commit().await?;
    accounts.token_cache.forget_session(session.id);
    Ok(())
}
