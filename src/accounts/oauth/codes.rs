//! Authorization codes: made on consent, exchanged once for tokens.
//!
//! A code is valid for a minute, for its app, redirect address and PKCE challenge. A wrong exchange uses it up, since
//! only a thief has a code without its verifier; a second exchange ends what the first has opened (RFC 6749, 4.1.2; RFC
//! 9700, 2.1.1 and 4.5).

use broadside_rules::Time;

use super::apps::{self, AppGrant};
use super::own_page;
use super::page_sessions::{self, PageSession};
use super::registered::RegisteredApp;
use super::request::{AuthorizationRequest, ClientId, CodeChallenge, challenge_of};
use super::{OAuthError, Refusal, registered};
use crate::accounts::account::{self, Account};
use crate::accounts::names::Device;
use crate::accounts::secrets;
use crate::accounts::sessions::{self, OpenedSession, StolenSession};
use crate::accounts::{Accounts, Scope, store};
use crate::db::Tx;
use crate::error::{Error, Result, problem};
use crate::ids::SessionId;

/// Lifetime of a code, in seconds.
pub const CODE_S: u32 = 60;
pub(super) const CODE_PREFIX: &str = "boc_";

/// A code as stored.
pub struct StoredCode {
    pub client_id: String,
    /// The code's destination.
    pub redirect_uri: String,
    pub scopes: Vec<Scope>,
    /// The SHA-256 of the verifier.
    pub code_challenge: Vec<u8>,
    pub expires_at: Time,
    /// The session opened with it; `None`: unused.
    pub opened: Option<SessionId>,
    /// The page session in which the code was made.
    pub page_session: SessionId,
}

impl StoredCode {
    fn is_own_page(&self) -> bool {
        self.client_id == own_page::CLIENT_ID
    }
}

/// An app's request to exchange a code.
pub struct Exchange<'a> {
    pub code: &'a str,
    pub client_id: ClientId,
    /// The redirect address according to the app; optional in OAuth 2.1.
    pub redirect_uri: Option<&'a str>,
    pub code_verifier: &'a str,
}

/// Makes a code for an account that has consented in this session. Fails with `account-suspended`, `quota-exceeded` and
/// `token-missing`, and with `concurrent-action` when a registered app has gone, or its terms have changed, since the
/// page was shown.
pub async fn issue(
    tx: &mut Tx,
    accounts: &Accounts,
    session: &PageSession,
    request: &AuthorizationRequest,
) -> Result<String> {
    let now = accounts.clock.now();
    account::lock_active(tx, accounts, session.account).await?;
    page_sessions::require_living(tx, accounts, session).await?;
    let known = registered::require(tx, accounts, &request.client_id).await?;
    if known.is_some_and(|app| !app.answers_to(&request.redirect_uri) || !app.may_ask_for(&request.scopes)) {
        return Err(Error::new(&problem::CONCURRENT_ACTION, "The app's owner has changed it a moment ago."));
    }
    apps::check_number(tx, session.account, now).await?;
    let code = accounts.token_maker.make(CODE_PREFIX, accounts.random())?;
    store::codes::insert(tx, &secrets::hash(&code), session, request, now.plus_s(CODE_S)).await?;
    Ok(code)
}

/// True if the checksum proves that the service issued this code.
pub fn is_made(accounts: &Accounts, code: &str) -> bool {
    accounts.token_maker.has_made(CODE_PREFIX, code)
}

/// Exchanges a code for an app's first tokens.
pub async fn exchange(accounts: &Accounts, asked: Exchange<'_>, device: &Device) -> Result<OpenedSession, Refusal> {
    let challenge = challenge_of(asked.code_verifier).map_err(OAuthError::invalid_request)?;
    let refused = || OAuthError::invalid_grant("the code is not good, not any more, or not for this app");
    if !is_made(accounts, asked.code) {
        return Err(refused().into());
    }
    let (hashed, now) = (secrets::hash(asked.code), accounts.clock.now());
    let mut tx = accounts.db.begin().await?;
    let Some(owner) = store::codes::owner(&mut tx, &hashed).await? else {
        tx.roll_back().await?;
        return Err(refused().into());
    };
    // The account is locked before the code, as in a deletion, and the app before it.
    let active = match asked.client_id.is_own_page() {
        true => account::lock_existing(&mut tx, owner).await,
        false => account::lock_active(&mut tx, accounts, owner).await,
    };
    let known = registered::lock(&mut tx, accounts, &asked.client_id).await?;
    let Some(found) = store::codes::lock(&mut tx, &hashed).await? else {
        tx.roll_back().await?;
        return Err(refused().into());
    };
    if let Some(session) = found.opened {
        tx.roll_back().await?;
        sessions::end_stolen(accounts, StolenSession::of_code(session, owner, !found.is_own_page())).await?;
        return Err(refused().into());
    }
    if now >= found.expires_at || !is_for(&found, &asked, &challenge) || active.is_err() {
        store::codes::delete(&mut tx, &hashed).await?;
        tx.commit().await?;
        active?;
        return Err(refused().into());
    }
    // A registered app may have changed since the consent.
    let known = match known {
        Ok(known) => known,
        Err(error) => {
            tx.roll_back().await?;
            return Err(error.into());
        }
    };
    if known.is_some_and(|app| !is_still_registered(&found, &app)) {
        tx.roll_back().await?;
        return Err(refused().into());
    }
    let account = account::find(&mut tx, owner).await?;
    let before = found.is_own_page().then_some(found.page_session);
    let Some(opened) = open(&mut tx, accounts, account, found, device).await? else {
        tx.roll_back().await?;
        return Err(refused().into());
    };
    store::codes::note_use(&mut tx, &hashed, opened.session).await?;
    tx.commit().await?;
    if let Some(before) = before {
        accounts.token_cache.forget_session(before);
    }
    Ok(opened)
}

/// True if the code was made for this exchange.
fn is_for(found: &StoredCode, asked: &Exchange<'_>, challenge: &CodeChallenge) -> bool {
    found.client_id == asked.client_id.as_str()
        && asked.redirect_uri.is_none_or(|uri| uri == found.redirect_uri)
        && found.code_challenge == challenge.0
}

/// True if a registered app still has the code's address and scopes.
fn is_still_registered(found: &StoredCode, app: &RegisteredApp) -> bool {
    found.redirect_uri.parse().is_ok_and(|uri| app.answers_to(&uri)) && app.may_ask_for(&found.scopes)
}

/// Opens the code's session: for the service's own page in place of the cookie session in which the code was made, or
/// for an app. `None`: the cookie session has ended.
async fn open(
    tx: &mut Tx,
    accounts: &Accounts,
    account: Account,
    found: StoredCode,
    device: &Device,
) -> Result<Option<OpenedSession>> {
    if found.is_own_page() {
        return own_page::open(tx, accounts, account, found.page_session, device).await;
    }
    let grant = AppGrant { client_id: found.client_id, scopes: found.scopes };
    let opened = apps::open(tx, accounts, account, grant, Some(&found.redirect_uri), device).await?;
    store::passkeys::pass_on(tx, found.page_session, opened.session).await?;
    Ok(Some(opened))
}
