//! Registered apps: apps whose name and owner are shown when they ask for access.
//!
//! Registration proves neither the owner's identity nor the app's good intent. It fixes what unregistered apps only
//! claim: the name is unique, the owner answers for it, and answers go only to the registered addresses. The service
//! makes the `client_id` ([`CLIENT_PREFIX`] and an id); invalid ids of this form are refused when parsed
//! ([`super::request::ClientId`]). Locks: an account before an app, an app before codes and sessions.

mod operator;
pub mod terms;

pub use operator::{list_all, remove_by_operator, resume, suspend};

use std::collections::HashMap;

use broadside_rules::Time;

use self::terms::{AppDescription, AppName, Homepage, RegisteredUri};
use super::OAuthError;
use super::request::{ClientId, RedirectUri};
use crate::accounts::notices::{self, NoticeKind};
use crate::accounts::security_log::{self, About, SecurityEventKind};
use crate::accounts::{Accounts, Identity, Scope, Suspension, Username, account, lookalikes, sessions, store};
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::ids::{AccountId, RegisteredAppId, SessionId};
use crate::quotas::{self, Quota};

/// The prefix of a registered app's `client_id`; its id follows.
pub const CLIENT_PREFIX: &str = "registered-";
/// The maximum number of addresses of an app.
pub const MOST_URIS: usize = 10;
/// The error for an app that requests more than its registered scopes.
pub const BEYOND_SCOPES: &str = "the app is not registered for all of these scopes";
/// The maximum number of given-up names that an account keeps reserved.
const MOST_NAMES: i64 = 20;
/// The time for which a given-up name stays reserved, in seconds: a year.
const NAME_KEPT_S: u32 = 365 * 24 * 60 * 60;

pub fn client_id(id: RegisteredAppId) -> String {
    format!("{CLIENT_PREFIX}{id}")
}

/// The id in a well-formed `client_id` of a registered app.
pub fn id_of(client_id: &str) -> Option<RegisteredAppId> {
    let written = client_id.strip_prefix(CLIENT_PREFIX)?;
    written.parse().ok().filter(|id: &RegisteredAppId| id.to_string() == written)
}

/// True if a `client_id` could be mistaken for that of a registered app.
pub(super) fn looks_registered(client_id: &str) -> bool {
    lookalikes::bare_skeleton(client_id).starts_with(&lookalikes::bare_skeleton(CLIENT_PREFIX))
}

#[derive(Clone)]
pub struct RegisteredApp {
    pub id: RegisteredAppId,
    pub account: AccountId,
    pub owner: Username,
    /// In force or expired.
    pub owner_suspension: Option<Suspension>,
    pub name: String,
    pub homepage: String,
    /// May be empty.
    pub description: String,
    pub redirect_uris: Vec<String>,
    pub scopes: Vec<Scope>,
    pub created_at: Time,
    /// The time since which the operator bars it from getting grants.
    pub suspended_at: Option<Time>,
}

impl RegisteredApp {
    pub fn client_id(&self) -> String {
        client_id(self.id)
    }

    pub fn answers_to(&self, uri: &RedirectUri) -> bool {
        self.redirect_uris.iter().filter_map(|own| own.parse().ok()).any(|own| uri.is_as_registered(&own))
    }

    pub fn may_ask_for(&self, wanted: &[Scope]) -> bool {
        wanted.iter().all(|scope| self.scopes.contains(scope))
    }

    /// True if the owner's statements are equal.
    fn says_the_same_as(&self, other: &Self) -> bool {
        let said = |app: &Self| {
            let texts = [&app.name, &app.homepage, &app.description].map(String::clone);
            (texts, app.redirect_uris.clone(), app.scopes.clone())
        };
        said(self) == said(other)
    }

    /// True if an address is on the homepage's host, and therefore run by the same people.
    pub fn has_at_home(&self, uri: &RedirectUri) -> bool {
        let home: Option<RedirectUri> = self.homepage.parse().ok();
        let home = home.as_ref().and_then(RedirectUri::web_host);
        home.is_some() && uri.web_host() == home
    }
}

/// An app to register.
pub struct Wanted {
    pub name: AppName,
    pub homepage: Homepage,
    pub description: AppDescription,
    pub redirect_uris: Vec<RegisteredUri>,
    pub scopes: Vec<Scope>,
}

impl Wanted {
    pub(crate) fn uris(&self) -> Vec<&str> {
        self.redirect_uris.iter().map(RegisteredUri::as_str).collect()
    }
}

/// An owner's changes; `None` leaves a field unchanged.
pub struct Change {
    pub name: Option<AppName>,
    pub homepage: Option<Homepage>,
    pub description: Option<AppDescription>,
    pub redirect_uris: Option<Vec<RegisteredUri>>,
    pub scopes: Option<Vec<Scope>>,
}

/// Checks the given addresses and scopes: at least one of each, without duplicates.
fn check_lists(uris: Option<&mut Vec<RegisteredUri>>, scopes: Option<&mut Vec<Scope>>) -> Result<()> {
    if let Some(uris) = uris {
        let mut seen = std::collections::HashSet::new();
        uris.retain(|uri| seen.insert(uri.as_str().to_owned()));
        if uris.is_empty() {
            return Err(Error::invalid_at("/redirect_uris", "invalid-value", "must name at least one address"));
        }
    }
    if let Some(scopes) = scopes {
        scopes.sort_unstable();
        scopes.dedup();
        if scopes.is_empty() {
            return Err(Error::invalid_at("/scopes", "invalid-value", "must name at least one scope"));
        }
    }
    Ok(())
}

fn check_name(name: &AppName, public_url: &str) -> Result<()> {
    if lookalikes::names_host_of(name.as_str(), public_url) {
        return Err(Error::invalid_at("/name", "invalid-value", "is reserved; choose another"));
    }
    Ok(())
}

async fn take_name(tx: &mut Tx, ctx: &Context, name: &str, app: RegisteredAppId, owner: AccountId) -> Result<()> {
    let (skeleton, now) = (lookalikes::bare_skeleton_hash(name), ctx.clock.now());
    if !store::registered_apps::take_name(tx, &skeleton, app, owner, now).await? {
        let detail = format!("The name {name}, or one that looks like it, is or was lately another app's.");
        return Err(Error::new(&problem::APP_NAME_TAKEN, detail));
    }
    let free_at = now.plus_s(NAME_KEPT_S);
    store::registered_apps::give_up_names(tx, app, Some(&skeleton), Some(owner), free_at).await?;
    store::registered_apps::free_all_but(tx, owner, MOST_NAMES).await
}

/// Registers an app. Fails with `account-suspended`, with `quota-exceeded`, with
/// `app-name-taken`, and with `token-unknown` when the session has ended since the caller was identified.
pub async fn register(
    tx: &mut Tx,
    accounts: &Accounts,
    who: &Identity,
    mut wanted: Wanted,
    public_url: &str,
) -> Result<RegisteredApp> {
    check_lists(Some(&mut wanted.redirect_uris), Some(&mut wanted.scopes))?;
    check_name(&wanted.name, public_url)?;
    let now = accounts.clock.now();
    // The account's row is locked, so that two concurrent requests can't both take the last place.
    store::accounts::lock_exclusively(tx, who.account).await?;
    account::lock_active(tx, accounts, who.account).await?;
    sessions::require_living(tx, accounts, who).await?;
    quotas::check(tx, who.account, now, &[Quota::RegisteredApps]).await?;
    let id: RegisteredAppId = accounts.new_id();
    take_name(tx, accounts, wanted.name.as_str(), id, who.account).await?;
    store::registered_apps::insert(tx, id, who.account, &wanted, now).await?;
    let app = find_own(tx, who.account, id).await?;
    note(tx, accounts, &app, SecurityEventKind::AppRegistered).await?;
    Ok(app)
}

/// Records an action on an app in the owner's security log.
async fn note(tx: &mut Tx, ctx: &Context, app: &RegisteredApp, kind: SecurityEventKind) -> Result<()> {
    let about = About { session: None, subject: Some(&app.name) };
    security_log::record(tx, ctx, app.account, kind, about).await
}

/// Changes an app. Grants keep their scopes; a code that is not exchanged yet must fit the changed app. The owner is
/// told of changed addresses by mail, because they receive the answers for every user of the app. Fails with
/// `not-found` when it is another account's, with `account-suspended`, with `app-name-taken`, and with `token-unknown`
/// when the session has ended since the caller was identified.
pub async fn change(
    accounts: &Accounts,
    who: &Identity,
    id: RegisteredAppId,
    mut change: Change,
    public_url: &str,
) -> Result<RegisteredApp> {
    check_lists(change.redirect_uris.as_mut(), change.scopes.as_mut())?;
    if let Some(name) = &change.name {
        check_name(name, public_url)?;
    }
    let mut tx = accounts.db.begin().await?;
    account::lock_active(&mut tx, accounts, who.account).await?;
    sessions::require_living(&mut tx, accounts, who).await?;
    store::registered_apps::lock_exclusively(&mut tx, id).await?;
    let before = find_own(&mut tx, who.account, id).await?;
    let mut app = before.clone();
    if change.name.is_some() && app.suspended_at.is_some() {
        tx.roll_back().await?;
        return Err(Error::invalid_at("/name", "invalid-value", "can't be changed while the app is suspended"));
    }
    if let Some(name) = change.name {
        take_name(&mut tx, accounts, name.as_str(), id, who.account).await?;
        app.name = name.as_str().to_owned();
    }
    if let Some(homepage) = change.homepage {
        app.homepage = homepage.as_str().to_owned();
    }
    if let Some(description) = change.description {
        app.description = description.as_str().to_owned();
    }
    if let Some(uris) = change.redirect_uris {
        app.redirect_uris = uris.iter().map(|uri| uri.as_str().to_owned()).collect();
    }
    if let Some(scopes) = change.scopes {
        app.scopes = scopes;
    }
    store::registered_apps::update(&mut tx, &app).await?;
    if !app.says_the_same_as(&before) {
        note(&mut tx, accounts, &app, SecurityEventKind::AppChanged).await?;
    }
    if app.redirect_uris != before.redirect_uris {
        notices::add(&mut tx, accounts, who.account, NoticeKind::AppAddressesChanged).await?;
    }
    tx.commit().await?;
    Ok(app)
}

/// Deletes an app with its grants and pending codes. A suspended app's name stays reserved, even from its owner. Fails
/// with `not-found` when it is another account's, and with `token-unknown` when the session has ended since the caller
/// was identified.
pub async fn remove(accounts: &Accounts, who: &Identity, id: RegisteredAppId) -> Result<()> {
    let mut tx = accounts.db.begin().await?;
    account::lock_existing(&mut tx, who.account).await?;
    sessions::require_living(&mut tx, accounts, who).await?;
    store::registered_apps::lock_exclusively(&mut tx, id).await?;
    let app = find_own(&mut tx, who.account, id).await?;
    note(&mut tx, accounts, &app, SecurityEventKind::AppDeleted).await?;
    let ended = take_away(&mut tx, accounts, &app, app.suspended_at.is_none()).await?;
    tx.commit().await?;
    forget(accounts, &ended);
    Ok(())
}

/// Deletes all apps of an account that is being deleted. Their names stay reserved for a time.
pub(in crate::accounts) async fn remove_all(tx: &mut Tx, ctx: &Context, owner: AccountId) -> Result<()> {
    for app in store::registered_apps::page(tx, Some(owner), None, i64::MAX).await? {
        store::registered_apps::lock_exclusively(tx, app.id).await?;
        take_away(tx, ctx, &app, false).await?;
    }
    store::registered_apps::forget_owner_of_names(tx, owner).await
}

/// Deletes an app whose row is locked, and returns the ended sessions.
async fn take_away(tx: &mut Tx, ctx: &Context, app: &RegisteredApp, may_return: bool) -> Result<Vec<SessionId>> {
    let now = ctx.clock.now();
    store::registered_apps::delete(tx, app.id).await?;
    let owner = may_return.then_some(app.account);
    store::registered_apps::give_up_names(tx, app.id, None, owner, now.plus_s(NAME_KEPT_S)).await?;
    store::registered_apps::free_all_but(tx, app.account, MOST_NAMES).await?;
    store::registered_apps::end_grants(tx, app.id, now).await
}

/// Removes these sessions from this node's cache.
fn forget(accounts: &Accounts, ended: &[SessionId]) {
    ended.iter().for_each(|session| accounts.token_cache.forget_session(*session));
}

/// A page of an account's apps, newest first.
pub async fn list(
    conn: &mut Conn,
    owner: AccountId,
    before: Option<RegisteredAppId>,
    limit: i64,
) -> Result<Vec<RegisteredApp>> {
    store::registered_apps::page(conn, Some(owner), before, limit).await
}

/// An app as everyone may see it. Fails with `not-found`.
pub async fn find(conn: &mut Conn, id: RegisteredAppId) -> Result<RegisteredApp> {
    store::registered_apps::find_all(conn, &[id]).await?.pop().ok_or_else(Error::not_found)
}

/// An app for its owner. Fails with `not-found` for another account's app.
pub async fn find_own(conn: &mut Conn, owner: AccountId, id: RegisteredAppId) -> Result<RegisteredApp> {
    let found = find(conn, id).await?;
    if found.account == owner { Ok(found) } else { Err(Error::not_found()) }
}

/// The registered apps among these, by `client_id`.
pub async fn among(conn: &mut Conn, clients: &[&str]) -> Result<HashMap<String, RegisteredApp>> {
    let ids: Vec<RegisteredAppId> = clients.iter().filter_map(|client| id_of(client)).collect();
    let found = store::registered_apps::find_all(conn, &ids).await?;
    Ok(found.into_iter().map(|app| (app.client_id(), app)).collect())
}

/// The registration of an app that requests access: `None` if unregistered, or an error if it may not get access.
pub type Known = Result<Option<RegisteredApp>, OAuthError>;

/// The current registration of the app with this `client_id`.
pub async fn known(conn: &mut Conn, ctx: &Context, client: &ClientId) -> Result<Known> {
    let Some(id) = id_of(client.as_str()) else { return Ok(Ok(None)) };
    let Some(app) = store::registered_apps::find_all(conn, &[id]).await?.pop() else {
        return Ok(Err(OAuthError::new("invalid_client", "no app is registered with this client_id, or not any more")));
    };
    let is_on = |suspension: &Suspension| suspension.is_on(ctx.clock.now());
    if app.suspended_at.is_some() || app.owner_suspension.as_ref().is_some_and(is_on) {
        return Ok(Err(OAuthError::new("unauthorized_client", "the app or its owner is suspended")));
    }
    Ok(Ok(Some(app)))
}

/// [`known`], with the app locked until the transaction ends. Call it after locking the account, and before locking a
/// code.
pub(super) async fn lock(tx: &mut Tx, ctx: &Context, client: &ClientId) -> Result<Known> {
    if let Some(id) = id_of(client.as_str()) {
        store::registered_apps::lock_shared(tx, id).await?;
    }
    known(tx, ctx, client).await
}

/// [`lock`] after a user's consent on a page. Fails with `concurrent-action` when the app may no longer get access.
pub(super) async fn require(tx: &mut Tx, ctx: &Context, client: &ClientId) -> Result<Option<RegisteredApp>> {
    let known = lock(tx, ctx, client).await?;
    known.map_err(|error| Error::new(&problem::CONCURRENT_ACTION, error.description))
}

/// True if an unregistered app uses the name of a registered one.
pub async fn is_called_alike(conn: &mut Conn, client: &ClientId) -> Result<bool> {
    store::registered_apps::is_called_so(conn, &lookalikes::bare_skeleton_hash(client.as_str())).await
}
