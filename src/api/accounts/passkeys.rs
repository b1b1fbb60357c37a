//! Passkeys over HTTP: add, list, rename, remove, and sign in.

use actix_web::{HttpRequest, delete, get, patch, post, web};
use broadside_rules::{Fault, Time};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::accounts::Password;
use crate::accounts::passkeys::challenges::PasskeyChallenge;
use crate::accounts::passkeys::registration::{self, NewCredential};
use crate::accounts::passkeys::sign_in::{self, Assertion};
use crate::accounts::passkeys::{self, Passkey, PasskeyName};
use crate::accounts::second_factor::challenges::ChallengeToken;
use crate::accounts::second_factor::codes::Code;
use crate::api::accounts::device;
use crate::api::accounts::passkey_options::{CreationChallengeBody, RequestChallengeBody};
use crate::api::accounts::sessions::SessionTokens;
use crate::api::http::auth::{Caller, SessionOnly, Unidentified};
use crate::api::http::extract::{Body, Id, Query};
use crate::api::http::fields::{FromJson, kept, nested, request, text_fields};
use crate::api::http::paging::{Page, page, page_limit};
use crate::api::http::reply::{Answer, Failure, Reply};
use crate::app::App;
use crate::ids::PasskeyId;
use crate::rate_limits::BudgetKind;

text_fields!(PasskeyChallenge, PasskeyId, PasskeyName);

/// Makes credentials from browsers readable as fields.
macro_rules! credentials {
    ($($type:ty),+) => {$(
        impl FromJson for $type {
            fn from_json(value: &Value, pointer: &str, faults: &mut Vec<Fault>) -> Option<Self> {
                let fields = Map::<String, Value>::from_json(value, pointer, faults)?;
                kept(<$type>::try_from(fields), pointer, faults)
            }
        }
    )+};
}
credentials!(NewCredential, Assertion);
nested!(PasskeyAnswer);

crate::api::openapi::free_form! {
    /// A passkey as a browser gives it: `PublicKeyCredential.toJSON()`, which is `RegistrationResponseJSON` for a new
    /// one and `AuthenticationResponseJSON` for an answer (WebAuthn Level 3, section 5.1.8 and 5.1.9).
    pub struct PasskeyCredential;
}

request! {
    /// Proof that it is really the owner who wants a passkey. A guest has none, and sends none.
    pub struct CreatePasskeyChallengeRequest {
        /// The password. Required unless the account is a guest's.
        #[schema(value_type = Option<String>, format = Password, min_length = 1, max_length = 128)]
        pub current_password: Option<Password>,
        /// Where the account has a second factor: the six digits that the app shows, or a recovery code.
        #[schema(value_type = Option<String>, min_length = 6, max_length = 40, pattern = "^[A-Za-z0-9 -]+$")]
        pub code: Option<Code>,
    }
}

request! {
    /// A new passkey.
    pub struct CreatePasskeyRequest {
        /// The `challenge` that came with the options.
        #[schema(value_type = String, min_length = 47, max_length = 47, pattern = "^bwc_[A-Za-z0-9_-]{43}$")]
        pub challenge: PasskeyChallenge,
        /// What the browser has made of the options.
        #[schema(value_type = PasskeyCredential)]
        pub credential: NewCredential,
        /// What to call it: 1 to 60 characters.
        #[schema(value_type = String, min_length = 1, max_length = 60, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
        pub name: PasskeyName,
    }
}

request! {
    /// Another name for a passkey.
    pub struct RenamePasskeyRequest {
        /// What to call it: 1 to 60 characters.
        #[schema(value_type = String, min_length = 1, max_length = 60, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
        pub name: PasskeyName,
    }
}

request! {
    /// Proof that it is really the owner who removes a passkey.
    pub struct DeletePasskeyRequest {
        /// The password.
        #[schema(value_type = String, format = Password, min_length = 1, max_length = 128)]
        pub current_password: Password,
    }
}

request! {
    /// Which passkeys to list.
    pub query WhichPasskeys {
        ..page(PasskeyId)
    }
}

request! {
    /// A sign-in with a passkey that begins.
    pub struct CreatePasskeySignInChallengeRequest {
        /// After a right password, for its second factor: the `challenge` of the problem `second-factor-required`.
        #[schema(value_type = Option<String>, min_length = 47, max_length = 47, pattern = "^bsc_[A-Za-z0-9_-]{43}$")]
        pub sign_in_challenge: Option<ChallengeToken>,
    }
}

request! {
    /// The answer of a passkey to a challenge.
    pub struct PasskeyAnswer {
        /// The `challenge` that came with the options.
        #[schema(value_type = String, min_length = 47, max_length = 47, pattern = "^bwc_[A-Za-z0-9_-]{43}$")]
        pub challenge: PasskeyChallenge,
        /// What the browser has made of the options.
        #[schema(value_type = PasskeyCredential)]
        pub credential: Assertion,
    }
}

/// A passkey, without its key.
#[derive(Serialize, ToSchema)]
#[schema(as = Passkey)]
pub struct PasskeyBody {
    id: PasskeyId,
    #[schema(max_length = 60, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
    name: String,
    created_at: Time,
    /// When somebody last signed in with it; null: never.
    last_used_at: Option<Time>,
    /// When it was found out that two devices have it; it signs nobody in since. Null: it wasn't.
    cloned_at: Option<Time>,
}

impl From<Passkey> for PasskeyBody {
    fn from(passkey: Passkey) -> Self {
        let Passkey { id, name, created_at, last_used_at, cloned_at } = passkey;
        Self { id, name, created_at, last_used_at, cloned_at }
    }
}

/// List your passkeys
///
/// The newest first. Needs a session.
#[utoipa::path(tag = "accounts", operation_id = "list_passkeys", security(("session" = [])), params(WhichPasskeys),
    responses((status = 200, description = "A page of them.", body = Page<PasskeyBody>)))]
#[get("/v1/account/passkeys")]
pub async fn list_passkeys(
    app: web::Data<App>,
    caller: Caller<SessionOnly>,
    query: Query<WhichPasskeys>,
    request: HttpRequest,
) -> Answer {
    let WhichPasskeys { limit, cursor } = query.0;
    let limit = page_limit(limit, 50);
    let mut conn = app.db.conn().await?;
    let found = passkeys::list(&mut conn, caller.account, cursor, limit + 1).await?;
    page(found, limit, |passkey| passkey.id.to_string(), PasskeyBody::from).reply(&request)
}

/// Begin to add a passkey
///
/// Gives the options for `navigator.credentials.create` (WebAuthn Level 3), and a `challenge` for `POST
/// /v1/account/passkeys`, which is good for five minutes, once, and until the account asks for another one. Needs a
/// session, the password and, where there is a second factor, a code of it: wrong ones are `validation-failed` at
/// `/current_password` and `/code`. A guest has no password and needs none. Refused with `passkeys-unavailable` where
/// no browser has passkeys for the address of the server, and with `quota-exceeded` when the account has 20.
#[utoipa::path(tag = "accounts", operation_id = "create_passkey_challenge", security(("session" = [])),
    request_body = CreatePasskeyChallengeRequest,
    responses((status = 200, description = "What to ask the authenticator.", body = CreationChallengeBody)))]
#[post("/v1/account/passkeys/challenges")]
pub async fn create_passkey_challenge(
    app: web::Data<App>,
    caller: Caller<SessionOnly>,
    body: Body<CreatePasskeyChallengeRequest>,
) -> Answer {
    let CreatePasskeyChallengeRequest { current_password, code } = body.0;
    let asked = registration::challenge(&app.accounts, &caller, current_password, code.as_ref()).await?;
    Ok(Reply::ok(&CreationChallengeBody::from(asked))?)
}

/// Add a passkey
///
/// Stores what the authenticator has made of the options. It must have verified its user. The confirmed address is
/// told. A credential that doesn't answer the challenge, or was made for another site, is `validation-failed` at
/// `/credential`; a challenge that was used, is older than five minutes, or is another account's is so at `/challenge`.
/// The challenge is used up in every case. A guest's account is one like any other from then on, without a password.
#[utoipa::path(tag = "accounts", operation_id = "create_passkey", security(("session" = [])),
    request_body = CreatePasskeyRequest,
    responses((status = 201, description = "The passkey.", body = PasskeyBody)))]
#[post("/v1/account/passkeys")]
pub async fn create_passkey(
    app: web::Data<App>,
    caller: Caller<SessionOnly>,
    body: Body<CreatePasskeyRequest>,
) -> Answer {
    let CreatePasskeyRequest { challenge, credential, name } = body.0;
    let added = registration::register(&app.accounts, &caller, &challenge, &credential, &name).await?;
    Ok(Reply::created(&format!("/v1/account/passkeys/{}", added.id), &PasskeyBody::from(added))?)
}

/// Rename a passkey
#[utoipa::path(tag = "accounts", operation_id = "rename_passkey", security(("session" = [])),
    params(("id" = PasskeyId, Path, description = "The passkey.")),
    request_body = RenamePasskeyRequest,
    responses((status = 200, description = "The passkey as it is now.", body = PasskeyBody)))]
#[patch("/v1/account/passkeys/{id}")]
pub async fn rename_passkey(
    app: web::Data<App>,
    caller: Caller<SessionOnly>,
    id: Id<PasskeyId>,
    body: Body<RenamePasskeyRequest>,
) -> Answer {
    let renamed = passkeys::rename(&app.accounts, &caller, id.0, &body.0.name).await?;
    Ok(Reply::ok(&PasskeyBody::from(renamed))?)
}

/// Remove a passkey
///
/// It signs nobody in any more, and the sessions that it has opened end, except the one that asks. The confirmed
/// address is told. Needs a session and the password: a wrong one is `validation-failed` at `/current_password`.
#[utoipa::path(tag = "accounts", operation_id = "delete_passkey", security(("session" = [])),
    params(("id" = PasskeyId, Path, description = "The passkey.")),
    request_body = DeletePasskeyRequest,
    responses((status = 204, description = "It is removed.")))]
#[delete("/v1/account/passkeys/{id}")]
pub async fn delete_passkey(
    app: web::Data<App>,
    caller: Caller<SessionOnly>,
    id: Id<PasskeyId>,
    body: Body<DeletePasskeyRequest>,
) -> Answer {
    passkeys::remove(&app.accounts, &caller, id.0, body.0.current_password).await?;
    Ok(Reply::no_content())
}

/// Begin to sign in with a passkey
///
/// Gives the options for `navigator.credentials.get` (WebAuthn Level 3), and a `challenge` for `POST
/// /v1/sessions/passkey`, which is good for five minutes and once. No name is asked for: the authenticator offers its
/// user the passkeys that it has for this server.
///
/// As the second factor after a password, send the `challenge` of `second-factor-required` as `sign_in_challenge`: only
/// the passkeys of that account may answer then. It is `not-found` where the account has none, and
/// `sign-in-challenge-invalid` when the challenge was used or is older than five minutes.
#[utoipa::path(tag = "accounts", operation_id = "create_passkey_sign_in_challenge", security(()),
    request_body = CreatePasskeySignInChallengeRequest,
    responses((status = 200, description = "What to ask the authenticator.", body = RequestChallengeBody)))]
#[post("/v1/sessions/passkey/challenges")]
pub async fn create_passkey_sign_in_challenge(
    app: web::Data<App>,
    caller: Unidentified,
    body: Result<Body<CreatePasskeySignInChallengeRequest>, Failure>,
) -> Answer {
    let CreatePasskeySignInChallengeRequest { sign_in_challenge } = caller.read(&app, body)?.0;
    caller.charge(&app, BudgetKind::SignIn)?;
    let asked = sign_in::challenge(&app.accounts, sign_in_challenge.as_ref()).await?;
    Ok(Reply::ok(&RequestChallengeBody::from(asked))?)
}

/// Sign in with a passkey
///
/// Opens a session, as `POST /v1/sessions` does. The authenticator must have verified its user, so this counts as both
/// factors: no code is asked for, and roles that need a second factor can be used in the session. An answer that is not
/// good is `invalid-passkey`, whatever is wrong with it. A passkey whose counter goes back was copied: it is dead from
/// then on, its sessions end, and the owner is told. A challenge that was used, or is older than five minutes, is
/// `sign-in-challenge-invalid`; it is used up in every case.
#[utoipa::path(tag = "accounts", operation_id = "create_passkey_session", security(()),
    request_body = PasskeyAnswer,
    responses((status = 201, description = "A session.", body = SessionTokens)))]
#[post("/v1/sessions/passkey")]
pub async fn create_passkey_session(
    app: web::Data<App>,
    caller: Unidentified,
    request: HttpRequest,
    body: Result<Body<PasskeyAnswer>, Failure>,
) -> Answer {
    let PasskeyAnswer { challenge, credential } = caller.read(&app, body)?.0;
    caller.charge(&app, BudgetKind::SignIn)?;
    let opened = sign_in::sign_in(&app.accounts, &challenge, &credential, &device(&request)).await?;
    let location = format!("/v1/sessions/{}", opened.session);
    Ok(Reply::created(&location, &SessionTokens::from(opened))?)
}
