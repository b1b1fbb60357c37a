//! The service's own page as an OAuth client: it gets a session, like a sign-in at the API, without consent, because
//! the answer can only go to the service itself.
//!
//! From then on that browser's cookie belongs to the same session. So each browser has one sign-in, which is listed
//! once and ends at once: signing out on the page also signs out of the service's pages.

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

/// The page's own `client_id`, which no other app can use.
pub const CLIENT_ID: &str = "broadside-web";
/// The path that receives the answers, below an address of the service.
pub const CALLBACK_PATH: &str = "/sign-in/back";

/// Makes a code for the page, valid while the owner's page session lives. Suspended accounts may sign in as well, to
/// finish their matches.
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

/// Opens the page's session in place of the one in which its code was made, and moves the cookie to it. `None`: that
/// session has ended.
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
