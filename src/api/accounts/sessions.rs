//! Sessions over HTTP: sign in, refresh, sign out; and the public keys that verify access tokens.

use actix_web::http::header;
use actix_web::{HttpRequest, delete, get, post, web};
use broadside_rules::Time;
use serde::Serialize;
use utoipa::ToSchema;

use crate::accounts::second_factor::challenges::{self, Opens};
use crate::accounts::sessions::{self, OpenedSession, Refreshed, Session};
use crate::accounts::{self, Password, RefreshToken, Username, credentials};
use crate::api::accounts::{AccountBody, device};
use crate::api::http::auth::{Anyone, Caller, SessionOnly, Unidentified};
use crate::api::http::extract::{Body, Change, Id, Query};
use crate::api::http::fields::{request, text_fields};
use crate::api::http::paging::{Page, page, page_limit};
use crate::api::http::reply::{Answer, Failure, Reply};
use crate::app::App;
use crate::error::{Error, problem};
use crate::ids::SessionId;
use crate::keys::PublicKey;
use crate::matches;
use crate::rate_limits::BudgetKind;
use crate::request_origin::RequestOrigin;

text_fields!(RefreshToken, SessionId);

request! {
    /// A name and a password.
    pub struct CreateSessionRequest {
        /// The name; case makes no difference.
        #[schema(value_type = String, min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$")]
        pub username: Username,
        /// The password.
        #[schema(value_type = String, format = Password, min_length = 1, max_length = 128)]
        pub password: Password,
    }
}

request! {
    /// A refresh token to exchange.
    pub struct RefreshSessionRequest {
        /// The refresh token that the session got last.
        #[schema(value_type = String, min_length = 47, max_length = 47, pattern = "^brt_[A-Za-z0-9_-]{43}$")]
        pub refresh_token: RefreshToken,
    }
}

request! {
    /// Which sessions to list.
    pub query WhichSessions {
        ..page(SessionId)
    }
}

/// A session that was just opened or refreshed.
#[derive(Serialize, ToSchema)]
pub struct SessionTokens {
    account: AccountBody,
    session_id: SessionId,
    /// Send it as `Authorization: Bearer …`. A JWT, signed with a key of `/.well-known/jwks.json`.
    #[schema(max_length = 2048, pattern = "^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+$")]
    access_token: String,
    /// In how many seconds the access token stops being good.
    #[schema(minimum = 1, maximum = 900, format = Int32)]
    expires_in_s: u32,
    /// Good once, for the next pair of tokens. Keep it secret.
    #[schema(max_length = 47, pattern = "^brt_[A-Za-z0-9_-]{43}$")]
    refresh_token: String,
}

impl From<OpenedSession> for SessionTokens {
    fn from(opened: OpenedSession) -> Self {
        Self {
            account: opened.account.into(),
            session_id: opened.session,
            access_token: opened.access_token,
            expires_in_s: opened.access_token_s,
            refresh_token: opened.refresh_token,
        }
    }
}

/// One sign-in on one device.
#[derive(Serialize, ToSchema)]
#[schema(as = Session)]
pub struct SessionBody {
    id: SessionId,
    /// What the client called itself.
    #[schema(max_length = 100, pattern = "^[\\x20-\\x7e]*$")]
    device: String,
    /// The family of the browser, or what another program calls itself, as of the last refresh; null: it isn't known.
    #[schema(max_length = 40, pattern = "^[A-Za-z0-9 _-]+$", examples("Firefox"))]
    program: Option<String>,
    /// The family of the system; null: it isn't known.
    #[schema(max_length = 40, pattern = "^[A-Za-z]+$", examples("Linux"))]
    system: Option<String>,
    /// The shortened address of the last refresh: a /24, or a /48 of IPv6; null: it isn't known.
    #[schema(max_length = 43, pattern = "^[0-9a-f.:]+/(24|48)$", examples("203.0.113.0/24"))]
    network: Option<String>,
    created_at: Time,
    /// When it was last refreshed.
    last_used_at: Time,
    /// When it ends unless it is refreshed: 60 days after the last time, but not beyond the age that the operator
    /// allows.
    expires_at: Time,
    /// Whether this request was made with it.
    current: bool,
}

impl SessionBody {
    fn of(session: Session, current: Option<SessionId>) -> Self {
        let RequestOrigin { client, network } = session.origin;
        Self {
            id: session.id,
            device: session.device,
            program: client.program,
            system: client.system,
            network,
            created_at: session.created_at,
            last_used_at: session.last_used_at,
            expires_at: session.expires_at,
            current: current == Some(session.id),
        }
    }
}

/// Sign in
///
/// An unknown name and a wrong password get the same answer, `invalid-credentials`. After ten failures from one address
/// at one name, tries from there at that name are `too-many-requests` until five minutes are over; from elsewhere the
/// owner comes in. After a hundred failures at one name in an hour, each address has two tries in the rest of it.
///
/// Where the account has a second factor, a right password is answered with `second-factor-required`, and `challenge`
/// is to be sent with a code to `POST /v1/sessions/second-factor`, or to `POST /v1/sessions/passkey/challenges` to
/// answer with a passkey.
#[utoipa::path(tag = "accounts", operation_id = "create_session", security(()),
    request_body = CreateSessionRequest,
    responses((status = 201, description = "A session.", body = SessionTokens)))]
#[post("/v1/sessions")]
pub async fn create_session(
    app: web::Data<App>,
    caller: Unidentified,
    request: HttpRequest,
    change: Result<Change<CreateSessionRequest>, Failure>,
) -> Answer {
    let Change { request: CreateSessionRequest { username, password }, once } = caller.read(&app, change)?;
    caller.charge(&app, BudgetKind::SignIn)?;
    let credentials = credentials::verify_credentials(&app.accounts, caller.key, &username, password).await?;
    let credentials = match challenges::open(&app.accounts, credentials).await? {
        Opens::Session(credentials) => credentials,
        Opens::Challenge(secret) => {
            return Err(Error::plain(&problem::SECOND_FACTOR_REQUIRED).challenge(secret).into());
        }
    };
    let work = async |tx: &mut _| {
        let opened = sessions::sign_in(tx, &app.accounts, credentials, &device(&request)).await?;
        let location = format!("/v1/sessions/{}", opened.session);
        Reply::created(&location, &SessionTokens::from(opened))
    };
    once.run(&app, &caller.key, work).await
}

/// Refresh a session
///
/// Gives a new pair of tokens for the refresh token that the session got last; the old one is good once. If the same
/// program repeats the request within 20 seconds, because an answer was lost or two tabs refreshed at the same moment,
/// it gets the same pair, as long as nobody has used the new refresh token.
///
/// Every other second use is `refresh-token-reused`, and the session ends: a later one, and one by another program or
/// system (see `User-Agent`). From another network (a /24, or a /48 of IPv6) a repetition is answered once, but not for
/// two refresh tokens in a row. An unknown token, and one of a session that is over, are `token-unknown`.
///
/// With a session that ends for `refresh-token-reused`, the personal tokens are revoked that were made in it. Its owner
/// is told (event and mail topic `session-revoked`).
#[utoipa::path(tag = "accounts", operation_id = "refresh_session", security(()),
    request_body = RefreshSessionRequest,
    responses((status = 200, description = "The next pair of tokens.", body = SessionTokens)))]
#[post("/v1/sessions/refresh")]
pub async fn refresh(
    app: web::Data<App>,
    caller: Unidentified,
    body: Result<Body<RefreshSessionRequest>, Failure>,
) -> Answer {
    let RefreshSessionRequest { refresh_token } = caller.read(&app, body)?.0;
    // Invented tokens are charged before the lookup.
    let is_made = sessions::is_made(&app.accounts, &refresh_token);
    if !is_made {
        caller.charge_refresh(&app, None)?;
    }
    let mut conn = app.db.conn().await?;
    let session = sessions::session_of(&mut conn, &refresh_token).await?;
    drop(conn);
    if is_made || session.is_some() {
        caller.charge_refresh(&app, session)?;
    }
    let mut tx = app.db.begin().await?;
    match sessions::refresh(&mut tx, &app.accounts, &refresh_token, None).await? {
        Refreshed::Opened(opened) => {
            tx.commit().await?;
            Ok(Reply::ok(&SessionTokens::from(*opened))?)
        }
        Refreshed::Reused(stolen) => {
            tx.roll_back().await?;
            sessions::end_stolen(&app.accounts, stolen).await?;
            Err(Error::plain(&problem::REFRESH_TOKEN_REUSED).into())
        }
    }
}

/// List sessions
///
/// Those that live, the newest first; those of apps are at `/v1/account/apps`.
#[utoipa::path(tag = "accounts", operation_id = "list_sessions", security(("session" = [])), params(WhichSessions),
    responses((status = 200, description = "A page of them.", body = Page<SessionBody>)))]
#[get("/v1/sessions")]
pub async fn list_sessions(
    app: web::Data<App>,
    caller: Caller<SessionOnly>,
    query: Query<WhichSessions>,
    request: HttpRequest,
) -> Answer {
    let WhichSessions { limit, cursor } = query.0;
    let limit = page_limit(limit, 50);
    let now = app.clock.now();
    let mut conn = app.db.conn().await?;
    let found = sessions::list(&mut conn, caller.account, now, cursor, limit + 1).await?;
    let body = |session| SessionBody::of(session, caller.session);
    page(found, limit, |session| session.id.to_string(), body).reply(&request)
}

/// Sign out of a session
///
/// Ends one of the caller's sessions. Its refresh token is dead at once, its access token within 30 seconds.
#[utoipa::path(tag = "accounts", operation_id = "delete_session", security(("session" = [])),
    params(("id" = SessionId, Path, description = "The session.")),
    responses((status = 204, description = "It has ended.")))]
#[delete("/v1/sessions/{id}")]
pub async fn delete_session(app: web::Data<App>, caller: Caller<SessionOnly>, id: Id<SessionId>) -> Answer {
    sessions::sign_out(&app.accounts, &caller, id.0).await?;
    Ok(Reply::no_content())
}

/// A public key (RFC 7517, RFC 8037).
#[derive(Serialize, ToSchema)]
#[schema(as = Jwk)]
pub struct KeyBody {
    /// Always `OKP`.
    #[schema(max_length = 3, pattern = "^OKP$")]
    kty: &'static str,
    /// Always `Ed25519`.
    #[schema(max_length = 7, pattern = "^Ed25519$")]
    crv: &'static str,
    /// The 32 public bytes in base64url.
    #[schema(max_length = 43, pattern = "^[A-Za-z0-9_-]{43}$")]
    x: String,
    /// Its name, in the header of the tokens that it has signed: the RFC 7638 thumbprint.
    #[schema(max_length = 43, pattern = "^[A-Za-z0-9_-]{43}$")]
    kid: String,
    /// Always `sig`.
    #[serde(rename = "use")]
    #[schema(max_length = 3, pattern = "^sig$")]
    usage: &'static str,
    /// Always `EdDSA`.
    #[schema(max_length = 5, pattern = "^EdDSA$")]
    alg: &'static str,
    /// What it signs.
    purpose: KeyPurpose,
}

/// What a key signs: no key signs both.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum KeyPurpose {
    /// Access tokens.
    Tokens,
    /// Records of matches.
    Records,
}

/// The keys that verify access tokens and records of matches.
#[derive(Serialize, ToSchema)]
#[schema(as = JwkSet)]
pub struct KeysBody {
    /// Those of tokens first, of each purpose the newest first. Superseded keys of tokens are listed for another hour,
    /// those of records for ever.
    #[schema(max_items = 10_000)]
    keys: Vec<KeyBody>,
}

impl KeyBody {
    fn of(key: PublicKey, purpose: KeyPurpose) -> Self {
        Self { kty: "OKP", crv: "Ed25519", x: key.x, kid: key.kid, usage: "sig", alg: "EdDSA", purpose }
    }
}

/// Get the public signing keys (JWKS)
///
/// A JSON Web Key Set (RFC 7517). `purpose` says what a key is believed for. Tokens have `iss` and `aud` `broadside`,
/// the account as `sub`, the session as `sid`, and are signed with EdDSA. Those of apps have `client_id` and `scope`.
#[utoipa::path(tag = "accounts", operation_id = "get_signing_keys", security((), ("bearer" = [])),
    responses((status = 200, description = "The keys.", body = KeysBody)))]
#[get("/.well-known/jwks.json")]
pub async fn get_signing_keys(app: web::Data<App>, _: Anyone) -> Answer {
    let tokens =
        accounts::published_keys(&app.accounts).await?.into_iter().map(|key| KeyBody::of(key, KeyPurpose::Tokens));
    let records =
        matches::keys::published(&app.matches).await?.into_iter().map(|key| KeyBody::of(key, KeyPurpose::Records));
    let body = KeysBody { keys: tokens.chain(records).collect() };
    Ok(Reply::ok(&body)?.header(header::CACHE_CONTROL, "public, max-age=300"))
}
