//! Grants of accounts to apps: each is a session of the app's own.

use broadside_rules::Time;

use crate::accounts::account::Account;
use crate::accounts::names::Device;
use crate::accounts::oauth::registered::{self, RegisteredApp};
use crate::accounts::oauth::request::ClientId;
use crate::accounts::security_log::{self, About, SecurityEventKind};
use crate::accounts::sessions::{self, OpenedSession};
use crate::accounts::{Accounts, RefreshToken, Scope, store};
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::ids::{AccountId, SessionId};
use crate::quotas::{self, Quota};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AppGrant {
    /// The app's own name for itself.
    pub client_id: String,
    pub scopes: Vec<Scope>,
}

/// A grant as its owner sees it.
pub struct App {
    /// The app's session, by which its owner revokes the grant.
    pub id: SessionId,
    /// The app's own name for itself.
    pub client_id: String,
    pub registered: Option<RegisteredApp>,
    /// The destination of its code; `None`: the device flow was used.
    pub redirect_uri: Option<String>,
    pub scopes: Vec<Scope>,
    pub created_at: Time,
    /// The time when it last got a token.
    pub last_used_at: Time,
    /// The end of the grant, if the app gets no further token.
    pub expires_at: Time,
}

/// Fails with `quota-exceeded` when the account has the maximum number of apps.
pub async fn check_number(tx: &mut Tx, account: AccountId, now: Time) -> Result<()> {
    quotas::check(tx, account, now, &[Quota::Apps]).await
}

/// Opens the session of an app. Fails with `quota-exceeded`, because codes may have been collected earlier.
pub(super) async fn open(
    tx: &mut Tx,
    accounts: &Accounts,
    account: Account,
    grant: AppGrant,
    redirect_uri: Option<&str>,
    device: &Device,
) -> Result<OpenedSession> {
    check_number(tx, account.id, accounts.clock.now()).await?;
    let client_id = grant.client_id.clone();
    let opened = sessions::open(tx, accounts, account, Some(grant), device).await?;
    store::apps::note_redirect_uri(tx, opened.session, redirect_uri).await?;
    let about = About { session: Some(opened.session), subject: Some(&client_id) };
    security_log::record(tx, accounts, opened.account.id, SecurityEventKind::AppGranted, about).await?;
    Ok(opened)
}

/// A page of the apps that may act for the account, newest first.
pub async fn list(
    conn: &mut Conn,
    account: AccountId,
    now: Time,
    before: Option<SessionId>,
    limit: i64,
) -> Result<Vec<App>> {
    let mut found = store::apps::page(conn, account, now, before, limit).await?;
    let clients: Vec<&str> = found.iter().map(|app| app.client_id.as_str()).collect();
    let registered = registered::among(conn, &clients).await?;
    for app in &mut found {
        app.registered = registered.get(&app.client_id).cloned();
    }
    Ok(found)
}

/// Revokes a grant: the refresh token is invalid at once. `not-found` if the session isn't an app's of this account.
pub async fn revoke(accounts: &Accounts, account: AccountId, app: SessionId) -> Result<()> {
    let mut tx = accounts.db.begin().await?;
    let Some(client_id) = store::apps::end(&mut tx, account, app, accounts.clock.now()).await? else {
        tx.roll_back().await?;
        return Err(Error::not_found());
    };
    let about = About { session: Some(app), subject: Some(&client_id) };
    security_log::record(&mut tx, accounts, account, SecurityEventKind::AppRevoked, about).await?;
    tx.commit().await?;
    accounts.token_cache.forget_session(app);
    Ok(())
}

/// Ends the grant behind a token returned by its app (RFC 7009): a refresh token, used or not, or an access token.
/// Tokens of other apps, users' tokens and unknown ones have no effect. The service's own page ends its session this
/// way.
pub async fn give_back(accounts: &Accounts, client: &ClientId, token: &str) -> Result<()> {
    let mut conn = accounts.db.conn().await?;
    let session = match token.parse::<RefreshToken>() {
        Ok(token) if token.is_made_by(&accounts.token_maker) => sessions::session_of(&mut conn, &token).await?,
        Ok(_) => None,
        Err(_) => {
            drop(conn);
            let claims = accounts.keys.verify(&accounts.db, token, accounts.clock.now()).await;
            conn = accounts.db.conn().await?;
            claims.ok().map(|claims| claims.session)
        }
    };
    let Some(session) = session else { return Ok(()) };
    let is_own_page = client.is_own_page();
    let owner = match is_own_page {
        true => store::sessions::owner_of_own(&mut conn, session).await?,
        false => store::apps::owner(&mut conn, session, client.as_str()).await?,
    };
    drop(conn);
    match owner {
        Some(owner) if is_own_page => sessions::end(accounts, owner, session).await.or_else(unless_over),
        Some(owner) => revoke(accounts, owner, session).await.or_else(unless_over),
        None => Ok(()),
    }
}

/// An ended grant counts as revoked.
fn unless_over(error: Error) -> Result<()> {
    if error.problem().code == problem::NOT_FOUND.code { Ok(()) } else { Err(error) }
}
