//! Authentication and permissions: a handler declares them by the type of an argument.
//!
//! [`Caller<P>`] is signed in and has the permission `P`; [`Visitor<P>`] and [`Anyone`] need not be signed in. A
//! handler without one of them can't know its caller, so forgetting the check doesn't compile. They charge the caller's
//! budget. [`Unidentified`] is a caller who is about to sign in.

use std::future::Future;
use std::marker::PhantomData;
use std::ops::Deref;
use std::pin::Pin;
use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::http::header::{self, HeaderValue};
use actix_web::{FromRequest, HttpMessage, HttpRequest, web};
use tokio::sync::watch;

use crate::accounts::roles::{self, Role};
use crate::accounts::{self, Identity, Scope, Username};
use crate::api::http::reply::Failure;
use crate::api::http::{guests, prices};
use crate::app::App;
use crate::budget_owner;
use crate::error::{Error, Result, problem};
use crate::ids::{AccountId, SessionId};
use crate::rate_limits::{BudgetKind, BudgetOwner, Charge, Price, RateLimitKey};
use crate::request_origin::{self, RequestOrigin};

/// A permission that an operation requires of a token.
pub trait Permission: 'static {
    /// The required scope of a personal access token; `None`: only a session is accepted.
    const SCOPE: Option<Scope>;
}

macro_rules! permissions {
    ($($(#[$doc:meta])* $name:ident: $scope:expr;)+) => {$(
        $(#[$doc])*
        pub struct $name;
        impl Permission for $name {
            const SCOPE: Option<Scope> = $scope;
        }
    )+};
}

permissions! {
    AccountRead: Some(Scope::AccountRead);
    AccountWrite: Some(Scope::AccountWrite);
    LobbyRead: Some(Scope::LobbyRead);
    /// Open, accept, decline and withdraw challenges.
    LobbyWrite: Some(Scope::LobbyWrite);
    MatchesRead: Some(Scope::MatchesRead);
    /// Act, chat and take notes in the account's matches.
    MatchesPlay: Some(Scope::MatchesPlay);
    WebhooksRead: Some(Scope::WebhooksRead);
    WebhooksWrite: Some(Scope::WebhooksWrite);
    /// Use the account's roles. [`WithRole`] checks that the account has one.
    Moderation: Some(Scope::Moderation);
    /// Requires the access token of a session: for operations that a stolen personal access token must not reach.
    SessionOnly: None;
}

/// A caller who is signed in and has the permission `P`.
pub struct Caller<P> {
    identity: Arc<Identity>,
    permission: PhantomData<P>,
}

impl<P> Deref for Caller<P> {
    type Target = Identity;

    fn deref(&self) -> &Identity {
        &self.identity
    }
}

/// A caller who has a role and may use it. The action checks the role again in its own transaction, in case it is taken
/// away meanwhile.
pub struct WithRole<const ORGANIZER: bool> {
    caller: Caller<Moderation>,
}

pub type Moderator = WithRole<false>;
pub type Organizer = WithRole<true>;

impl<const ORGANIZER: bool> Deref for WithRole<ORGANIZER> {
    type Target = Identity;

    fn deref(&self) -> &Identity {
        &self.caller
    }
}

impl<const ORGANIZER: bool> FromRequest for WithRole<ORGANIZER> {
    type Error = Failure;
    type Future = Pending<Self>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let caller = Caller::<Moderation>::from_request(request, payload);
        admit(request, async move |request| {
            let caller = caller.await?;
            let role = if ORGANIZER { Role::Organizer } else { Role::Moderator };
            let app = app_of(&request)?;
            roles::check(&mut app.db.conn().await?, app, &caller, role).await?;
            Ok(Self { caller })
        })
    }
}

/// A caller who may be signed in, for an operation that may show an account more than a stranger. A token that is sent
/// must be valid. One without the permission `P` gets the stranger's view: a valid token never gets less than no token.
pub struct Visitor<P> {
    identity: Option<Arc<Identity>>,
    /// The reason why a caller with a token is treated as a stranger.
    stranger: Option<Error>,
    permission: PhantomData<P>,
}

/// A caller, signed in or not, of an operation that shows everybody the same. A token that is sent must be valid; its
/// scopes make no difference.
pub struct Anyone {
    identity: Option<Arc<Identity>>,
}

impl Anyone {
    /// True if this is the caller's own account.
    pub fn is(&self, account: AccountId) -> bool {
        self.identity.as_ref().is_some_and(|identity| identity.account == account)
    }

    /// True if this is the caller's own name.
    pub fn is_named(&self, name: &Username) -> bool {
        self.identity.as_ref().is_some_and(|identity| identity.username == *name)
    }
}

impl<P> Visitor<P> {
    /// The identity, if the caller is signed in and has the permission.
    pub fn identity(&self) -> Option<&Identity> {
        self.identity.as_deref()
    }

    /// The identity, for requests that strangers can't make. Fails with `token-missing` without a token, and with
    /// `insufficient-scope` if the token lacks the permission.
    pub fn signed_in(self) -> Result<Arc<Identity>> {
        let stranger = self.stranger;
        self.identity.ok_or_else(|| stranger.unwrap_or_else(|| Error::plain(&problem::NOT_SIGNED_IN)))
    }
}

type Pending<T> = Pin<Box<dyn Future<Output = Result<T, Failure>>>>;

/// Closes when the caller is admitted. It is needed because actix reads the arguments of a handler concurrently.
struct Admission(watch::Receiver<()>);

/// Checks the caller. [`refuse`] waits for the result.
fn admit<T, F>(request: &HttpRequest, find_out: impl FnOnce(HttpRequest) -> F) -> Pending<T>
where
    F: Future<Output = Result<T, Failure>> + 'static,
{
    let (open, admission) = watch::channel(());
    request.extensions_mut().insert(Admission(admission));
    let found = find_out(request.clone());
    Box::pin(async move {
        let found = found.await;
        drop(open);
        found
    })
}

/// Returns a fault of the request once the caller is admitted. Without admission, the refusal of the caller wins.
pub(super) async fn refuse(request: HttpRequest, fault: Failure) -> Failure {
    let admission = request.extensions().get::<Admission>().map(|Admission(admission)| admission.clone());
    if let Some(mut admission) = admission {
        // Nothing is ever sent; the channel only closes.
        let _ = admission.changed().await;
    }
    fault
}

impl<P: Permission> FromRequest for Caller<P> {
    type Error = Failure;
    type Future = Pending<Self>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        admit(request, async move |request| {
            let app = app_of(&request)?;
            let Some(identity) = identify(app, &request).await? else {
                charge(app, peer(&request), Charge::LIGHT, None)?;
                return Err(Error::plain(&problem::NOT_SIGNED_IN).into());
            };
            let permitted = |identity: &Identity| {
                allowed(identity, P::SCOPE)?;
                guests::check(&request, identity)
            };
            charge_permitted(app, &request, Some(&identity), permitted)?;
            // Operations that need a session may write to the security log of the account.
            if P::SCOPE.is_none() {
                note_origin(&request, peer(&request));
            }
            Ok(Caller { identity, permission: PhantomData })
        })
    }
}

impl<P: Permission> FromRequest for Visitor<P> {
    type Error = Failure;
    type Future = Pending<Self>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        admit(request, async move |request| {
            let found = visit(&request).await?;
            let stranger = found.as_ref().and_then(|identity| allowed(identity, P::SCOPE).err());
            let identity = found.filter(|_| stranger.is_none());
            Ok(Visitor { identity, stranger, permission: PhantomData })
        })
    }
}

impl FromRequest for Anyone {
    type Error = Failure;
    type Future = Pending<Self>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        admit(request, async move |request| Ok(visit(&request).await.map(|identity| Anyone { identity })?))
    }
}

/// The caller's identity, if there is one, charged the price of the operation.
async fn visit(request: &HttpRequest) -> Result<Option<Arc<Identity>>> {
    let app = app_of(request)?;
    let identity = identify(app, request).await?;
    charge_permitted(app, request, identity.as_deref(), |_| Ok(()))?;
    Ok(identity)
}

/// Charges the price of the operation. A token without the permission is refused at the lowest price, so that it can't
/// use up the budget that its owner needs for other things, such as moves.
fn charge_permitted(
    app: &App,
    request: &HttpRequest,
    identity: Option<&Identity>,
    permitted: impl FnOnce(&Identity) -> Result<()>,
) -> Result<()> {
    let permitted = identity.map_or(Ok(()), permitted);
    let price = if permitted.is_ok() { prices::charge_of(request) } else { Charge::LIGHT };
    charge(app, peer(request), price, identity.map(|identity| identity.account))?;
    permitted
}

/// A caller before signing in, without a token. The budget to charge is known only once the request is read.
pub struct Unidentified {
    pub key: RateLimitKey,
}

impl Unidentified {
    /// Passes the result on. An unreadable request is charged to the general budget of its address.
    pub fn read<T>(&self, app: &App, read: Result<T, Failure>) -> Result<T, Failure> {
        if read.is_err() {
            charge(app, self.key, Charge::LIGHT, None)?;
        }
        read
    }

    /// Charges a readable request to a budget of its address.
    pub fn charge(&self, app: &App, budget: BudgetKind) -> Result<()> {
        charge(app, self.key, Charge { price: Price::Huge, budget }, None)
    }

    /// Charges a request that may be repeated often to the general budget of its address.
    pub fn charge_page(&self, app: &App) -> Result<()> {
        charge(app, self.key, Charge::PAGE, None)
    }

    /// Charges a refresh to the session of its token, or to the address if the token is unknown or malformed. So
    /// callers behind the same address can't use up what others need to stay signed in.
    pub fn charge_refresh(&self, app: &App, session: Option<SessionId>) -> Result<()> {
        let Some(limits) = &app.rate_limits else { return Ok(()) };
        let (budget, charged) = limits.charge_refresh(session, self.key);
        budget_owner::note_budget(budget);
        charged
    }
}

impl FromRequest for Unidentified {
    type Error = Failure;
    type Future = std::future::Ready<Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let key = peer(request);
        note_origin(request, key);
        std::future::ready(Ok(Self { key }))
    }
}

/// An anonymous caller of a page outside the API, charged by address.
pub struct Passer;

impl FromRequest for Passer {
    type Error = Failure;
    type Future = std::future::Ready<Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let key = peer(request);
        note_origin(request, key);
        let charged = app_of(request).and_then(|app| charge(app, key, Charge::PAGE, None));
        std::future::ready(charged.map(|()| Self).map_err(Failure))
    }
}

fn app_of(request: &HttpRequest) -> Result<&web::Data<App>> {
    request.app_data::<web::Data<App>>().ok_or_else(|| Error::internal("the app is not in place"))
}

/// The client's address, as seen by the outermost of the operator's proxies.
pub(in crate::api) fn peer(request: &HttpRequest) -> RateLimitKey {
    let peer = request.peer_addr().map(|address| address.ip());
    let beyond = |peer| {
        let Ok(app) = app_of(request) else { return peer };
        let lines: Vec<&[u8]> = request.headers().get_all(app.proxies.header()).map(HeaderValue::as_bytes).collect();
        app.proxies.client(peer, &lines)
    };
    RateLimitKey::address(peer.map(beyond))
}

/// Notes the origin of a request that may be written to a security log.
fn note_origin(request: &HttpRequest, key: RateLimitKey) {
    let RateLimitKey::Address(address) = key else { return };
    let agent = request.headers().get(header::USER_AGENT).and_then(|value| value.to_str().ok());
    request_origin::note(RequestOrigin::of(agent.unwrap_or_default(), address));
}

/// Charges the request to the account or else to the address, and notes the owner of the work.
pub(super) fn charge(app: &App, address: RateLimitKey, charge: Charge, account: Option<AccountId>) -> Result<()> {
    budget_owner::note(BudgetOwner { account, address, budget: charge.budget });
    let Some(limits) = &app.rate_limits else { return Ok(()) };
    let (budget, charged) = limits.charge(charge, account, address);
    budget_owner::note_budget(budget);
    charged
}

/// The identity of the request's bearer token; `None` without a token.
async fn identify(app: &App, request: &HttpRequest) -> Result<Option<Arc<Identity>>> {
    // Requests with invalid tokens are charged to their address.
    let unless_charged = |error| charge(app, peer(request), Charge::LIGHT, None).and(Err(error));
    let token = match bearer(request) {
        Ok(Some(token)) => token,
        Ok(None) => return Ok(None),
        Err(error) => return unless_charged(error),
    };
    if let Some(limits) = app.rate_limits.as_ref().filter(|_| !accounts::is_recognised(&app.accounts, token)) {
        // Charged before the lookup; otherwise invented tokens could keep the database busy.
        let (budget, charged) = limits.charge_unknown_token(peer(request));
        budget_owner::note_budget(budget);
        charged?;
    }
    accounts::authenticate(&app.accounts, token).await.map(Some).or_else(unless_charged)
}

fn bearer(request: &HttpRequest) -> Result<Option<&str>> {
    let Some(value) = request.headers().get(header::AUTHORIZATION) else { return Ok(None) };
    let refused = || Error::plain(&problem::TOKEN_MALFORMED);
    let text = value.to_str().map_err(|_| refused())?;
    let (scheme, token) = text.split_once(' ').ok_or_else(refused)?;
    if scheme.eq_ignore_ascii_case("bearer") { Ok(Some(token.trim())) } else { Err(refused()) }
}

/// The token of a request whose answer is a stream: it was valid at the beginning, but may expire or be revoked.
pub struct BearerToken {
    token: String,
}

impl BearerToken {
    /// The request's token, which was already found valid.
    pub fn of(request: &HttpRequest) -> Result<Self> {
        let token = bearer(request)?.ok_or_else(|| Error::plain(&problem::NOT_SIGNED_IN))?;
        Ok(Self { token: token.to_owned() })
    }

    pub fn as_str(&self) -> &str {
        &self.token
    }

    /// True while the token is valid for `P`.
    pub async fn still_allows<P: Permission>(&self, app: &App) -> bool {
        let identity = accounts::authenticate(&app.accounts, &self.token).await;
        identity.is_ok_and(|identity| identity.may(P::SCOPE))
    }
}

fn allowed(identity: &Identity, scope: Option<Scope>) -> Result<()> {
    if identity.may(scope) {
        return Ok(());
    }
    Err(match scope {
        Some(scope) => Error::insufficient_scope(scope.into_str()),
        None => Error::plain(&problem::SESSION_REQUIRED),
    })
}
