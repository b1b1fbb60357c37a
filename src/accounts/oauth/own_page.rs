//! The service's own page as a client of OAuth: it gets a session, as who signs in at the API does, and asks for no
//! consent, since the answer can go nowhere but to the service itself.
//!
//! From then on the cookie of that browser belongs to the same session. So there is one sign-in for each browser, which
//! is listed once, and ends at once: who signs out on the page has signed out on the pages of the service as well.

use crate::accounts::account::{self, Account};
use crate::accounts::names::Device;
use crate::accounts::oauth::codes::{CODE_PREFIX, CODE_S};
use crate::accounts::oauth::page_sessions::{self, PageSession};
use crate::accounts::oauth::request::AuthorizationRequest;
use crate::accounts::secrets;
use crate::accounts::security_log;
use crate::accounts::sessions::{self, OpenedSession};
use crate::accounts::{Accounts, store};
use crate::db::Tx;
use crate::error::Result;
use crate::ids::SessionId;

/// What the page calls itself. Nobody else may.
pub const CLIENT_ID: &str = "broadside-web";
/// The path to which its answers go, below an address of the service.
pub const CALLBACK_PATH: &str = "/sign-in/back";

/// Makes a code for the page. It is good while the session lives in which its owner is on the service's pages. A
/// suspended account signs in as well: it finishes its matches.
pub async fn issue(
    tx: &mut Tx,
    accounts: &Accounts,
    session: &PageSession,
    request: &AuthorizationRequest,
) -> Result<String> {
    account::lock_existing(tx, session.account).await?;
    page_sessions::require_living(tx, accounts, session).await?;
    let code = accounts.token_maker.make(CODE_PREFIX, accounts.random())?;
    let (hashed, expires_at) = (secrets::hash(&code), accounts.clock.now().plus_s(CODE_S));
    store::codes::insert(tx, &hashed, session, request, expires_at).await?;
    Ok(code)
}

/// Opens the session of the page in place of the one in which its code was made, and gives it the cookie of that one.
/// `None`: that one has ended.
pub(super) async fn open(
    tx: &mut Tx,
    accounts: &Accounts,
    account: Account,
    before: SessionId,
    device: &Device,
) -> Result<Option<OpenedSession>> {
    if !store::sessions::end_own(tx, account.id, before, accounts.clock.now()).await? {
        return Ok(None);
    }
    let opened = sessions::open(tx, accounts, account, None, device).await?;
    store::passkeys::pass_on(tx, before, opened.session).await?;
    security_log::went_on(tx, accounts, opened.account.id, before, opened.session).await?;
    store::page_cookies::give_to(tx, before, opened.session).await?;
    Ok(Some(opened))
}
