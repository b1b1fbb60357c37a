//! Who asks, and what he may do: handlers say it in the type of an argument.
//!
//! [`Caller<P>`] is somebody who is signed in with the permission `P`; [`Visitor`] is anybody. A handler without one of them can't know its
//! caller, so forgetting the check doesn't compile. Both charge the caller's budget.

use std::future::Future;
use std::marker::PhantomData;
use std::ops::Deref;
use std::pin::Pin;
use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::http::header;
use actix_web::{FromRequest, HttpRequest, web};

use crate::accounts::roles::{self, Role};
use crate::accounts::{Identity, Scope};
use crate::api::http::envelope;
use crate::api::http::reply::Failure;
use crate::app::App;
use crate::error::{Error, Result, problem};
use crate::rate_limits::{Kind, RateLimitKey};

/// What an operation demands of a token.
pub trait Permission: 'static {
    /// The scope that a personal access token needs; `None`: only a session will do.
    const SCOPE: Option<Scope>;
    /// What the request is charged to.
    const BUDGET: Kind = Kind::General;
}

macro_rules! permissions {
    ($($(#[$doc:meta])* $name:ident: $scope:expr $(, $budget:expr)?;)+) => {$(
        $(#[$doc])*
        pub struct $name;
        impl Permission for $name {
            const SCOPE: Option<Scope> = $scope;
            $(const BUDGET: Kind = $budget;)?
        }
    )+};
}

permissions! {
    /// May read his account.
    AccountRead: Some(Scope::AccountRead);
    /// May change what his account says of him.
    AccountWrite: Some(Scope::AccountWrite);
    /// May change when he plays and when not.
    CalendarWrite: Some(Scope::AccountWrite), Kind::Calendar;
    /// May read challenges as himself.
    LobbyRead: Some(Scope::LobbyRead);
    /// May open, accept, decline and withdraw challenges.
    LobbyWrite: Some(Scope::LobbyWrite);
    /// May read his matches.
    MatchesRead: Some(Scope::MatchesRead);
    /// May act in his matches.
    MatchesPlay: Some(Scope::MatchesPlay), Kind::Orders;
    /// May talk beside his matches, and note for himself; it isn't charged to what he plays with.
    TableTalk: Some(Scope::MatchesPlay);
    /// May read his webhooks.
    WebhooksRead: Some(Scope::WebhooksRead);
    /// May make, change and delete his webhooks.
    WebhooksWrite: Some(Scope::WebhooksWrite), Kind::Webhooks;
    /// May do what his roles allow; whether he has one is asked by [`Officer`].
    Moderation: Some(Scope::Moderation);
    /// Signed in with name and password: for what a stolen token must not do.
    InPerson: None;
}

/// Somebody who is signed in and may do `P`.
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

/// Somebody who has a role at this moment, and may use it. What he does asks again in its own transaction, so that a role which is taken meanwhile isn't used.
pub struct Officer<const ORGANIZER: bool> {
    caller: Caller<Moderation>,
}

/// Somebody with the role `moderator`.
pub type Moderator = Officer<false>;
/// Somebody with the role `organizer`.
pub type Organizer = Officer<true>;

impl<const ORGANIZER: bool> Deref for Officer<ORGANIZER> {
    type Target = Identity;

    fn deref(&self) -> &Identity {
        &self.caller
    }
}

impl<const ORGANIZER: bool> FromRequest for Officer<ORGANIZER> {
    type Error = Failure;
    type Future = Pending<Self>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let caller = Caller::<Moderation>::from_request(request, payload);
        let request = request.clone();
        Box::pin(async move {
            let caller = caller.await?;
            let role = if ORGANIZER { Role::Organizer } else { Role::Moderator };
            roles::check_at_the_door(app_of(&request)?, &caller, role).await?;
            Ok(Self { caller })
        })
    }
}

/// Anybody: signed in or not. (A token that is sent must be good, and must be allowed to read matches and challenges.)
pub struct Visitor {
    identity: Option<Arc<Identity>>,
}

impl Visitor {
    /// Who it is, when he is signed in.
    pub fn identity(&self) -> Option<&Identity> {
        self.identity.as_deref()
    }
}

type Pending<T> = Pin<Box<dyn Future<Output = Result<T, Failure>>>>;

impl<P: Permission> FromRequest for Caller<P> {
    type Error = Failure;
    type Future = Pending<Self>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            let app = app_of(&request)?;
            let Some(identity) = identify(app, &request).await? else {
                charge(app, Kind::General, peer(&request))?;
                return Err(Error::plain(&problem::NOT_SIGNED_IN).into());
            };
            charge(app, P::BUDGET, RateLimitKey::Account(identity.account))?;
            allowed(&identity, P::SCOPE)?;
            Ok(Caller { identity, permission: PhantomData })
        })
    }
}

impl FromRequest for Visitor {
    type Error = Failure;
    type Future = Pending<Self>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            let app = app_of(&request)?;
            let identity = identify(app, &request).await?;
            let payer = match &identity {
                Some(identity) => RateLimitKey::Account(identity.account),
                None => peer(&request),
            };
            charge(app, Kind::General, payer)?;
            if let Some(identity) = &identity {
                allowed(identity, Some(Scope::MatchesRead))?;
            }
            Ok(Visitor { identity })
        })
    }
}

/// Somebody at the door: no token wanted, and a budget of its own against storms.
pub struct AtTheDoor<const SIGN_IN: bool> {
    /// Where he comes from.
    pub payer: RateLimitKey,
}

/// Somebody who wants an account.
pub type Registering = AtTheDoor<false>;
/// Somebody who wants to sign in.
pub type SigningIn = AtTheDoor<true>;

impl<const SIGN_IN: bool> FromRequest for AtTheDoor<SIGN_IN> {
    type Error = Failure;
    type Future = std::future::Ready<Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let kind = if SIGN_IN { Kind::SignIn } else { Kind::Registration };
        let payer = peer(request);
        let charged = app_of(request).and_then(|app| charge(app, kind, payer));
        std::future::ready(charged.map(|()| Self { payer }).map_err(Failure))
    }
}

fn app_of(request: &HttpRequest) -> Result<&web::Data<App>> {
    request.app_data::<web::Data<App>>().ok_or_else(|| Error::internal("the app is not in place"))
}

fn peer(request: &HttpRequest) -> RateLimitKey {
    RateLimitKey::address(request.peer_addr().map(|address| address.ip()))
}

fn charge(app: &App, kind: Kind, payer: RateLimitKey) -> Result<()> {
    let Some(limits) = &app.rate_limits else { return Ok(()) };
    let (budget, charged) = limits.charge(kind, payer);
    envelope::note_budget(budget);
    charged
}

/// The identity behind the request's bearer token; `None` when it has none.
async fn identify(app: &App, request: &HttpRequest) -> Result<Option<Arc<Identity>>> {
    let identified = read_token(app, request).await;
    if identified.is_err() {
        // Whoever tries tokens that are not good pays for it by his address.
        charge(app, Kind::General, peer(request))?;
    }
    identified
}

async fn read_token(app: &App, request: &HttpRequest) -> Result<Option<Arc<Identity>>> {
    match bearer(request)? {
        Some(token) => crate::accounts::authenticate(&app.accounts, token).await.map(Some),
        None => Ok(None),
    }
}

/// The token that the request carries.
fn bearer(request: &HttpRequest) -> Result<Option<&str>> {
    let Some(value) = request.headers().get(header::AUTHORIZATION) else { return Ok(None) };
    let refused = || Error::plain(&problem::TOKEN_REFUSED);
    let text = value.to_str().map_err(|_| refused())?;
    let (scheme, token) = text.split_once(' ').ok_or_else(refused)?;
    if scheme.eq_ignore_ascii_case("bearer") { Ok(Some(token.trim())) } else { Err(refused()) }
}

/// The token of a request whose answer goes on for a while: a token that was good at the beginning may expire, or be revoked.
pub struct Ticket {
    token: String,
}

impl Ticket {
    /// The token that the request carries, which was found good.
    pub fn of(request: &HttpRequest) -> Result<Self> {
        let token = bearer(request)?.ok_or_else(|| Error::plain(&problem::NOT_SIGNED_IN))?;
        Ok(Self { token: token.to_owned() })
    }

    /// Whether it is still good for `P`.
    pub async fn holds<P: Permission>(&self, app: &App) -> bool {
        let identity = crate::accounts::authenticate(&app.accounts, &self.token).await;
        identity.is_ok_and(|identity| identity.may(P::SCOPE))
    }
}

fn allowed(identity: &Identity, scope: Option<Scope>) -> Result<()> {
    if identity.may(scope) {
        return Ok(());
    }
    let detail = match scope {
        Some(scope) => format!("The token needs the scope {}.", scope.name()),
        None => "This needs the access token of a session, not a personal access token.".to_owned(),
    };
    Err(Error::new(&problem::SCOPE_MISSING, detail))
}
