//! Two-factor authentication over HTTP: set up, query, remove, and the second step of a sign-in.

use actix_web::{HttpRequest, delete, get, post, web};
use broadside_rules::Time;
use qrcode::QrCode;
use qrcode::render::svg;
use reqwest::Url;
use serde::Serialize;
use utoipa::ToSchema;

use crate::accounts::second_factor::challenges::{self, ChallengeToken};
use crate::accounts::second_factor::codes::Code;
use crate::accounts::second_factor::{self, PersonalTokens, SecondFactorStatus};
use crate::accounts::{Password, account, credentials};
use crate::api::accounts::device;
use crate::api::accounts::sessions::SessionTokens;
use crate::api::http::auth::{Caller, SessionOnly, Unidentified};
use crate::api::http::extract::{Body, Change};
use crate::api::http::fields::{request, text_fields};
use crate::api::http::reply::{Answer, Failure, Reply};
use crate::app::App;
use crate::error::{Error, Result};
use crate::rate_limits::{BudgetKind, RateLimitKey};

text_fields!(ChallengeToken, Code);

request! {
    /// Proof that it is really the owner who wants a second factor.
    pub struct SetUpSecondFactorRequest {
        /// The password.
        #[schema(value_type = String, format = Password, min_length = 1, max_length = 128)]
        pub current_password: Password,
    }
}

request! {
    /// Proof that the app has the secret.
    pub struct ConfirmSecondFactorRequest {
        /// The six digits that the app shows.
        #[schema(value_type = String, min_length = 6, max_length = 40, pattern = "^[A-Za-z0-9 -]+$")]
        pub code: Code,
        /// Whether personal access tokens stay good; false unless given: they were made without a second factor.
        pub keep_tokens: Option<bool>,
    }
}

request! {
    /// Proof that it is really the owner: both factors.
    pub struct BothFactorsRequest {
        /// The password.
        #[schema(value_type = String, format = Password, min_length = 1, max_length = 128)]
        pub current_password: Password,
        /// The six digits that the app shows, or a recovery code.
        #[schema(value_type = String, min_length = 6, max_length = 40, pattern = "^[A-Za-z0-9 -]+$")]
        pub code: Code,
    }
}

request! {
    /// The second step of a sign-in.
    pub struct CompleteSignInRequest {
        /// The `challenge` of the problem `second-factor-required`.
        #[schema(value_type = String, min_length = 47, max_length = 47, pattern = "^bsc_[A-Za-z0-9_-]{43}$")]
        pub challenge: ChallengeToken,
        /// The six digits that the app shows, or a recovery code.
        #[schema(value_type = String, min_length = 6, max_length = 40, pattern = "^[A-Za-z0-9 -]+$")]
        pub code: Code,
    }
}

/// The account's second factor.
#[derive(Serialize, ToSchema)]
#[schema(as = SecondFactor)]
pub struct SecondFactorBody {
    /// Since when sign-ins ask for a code; null: they don't.
    enabled_at: Option<Time>,
    /// How many recovery codes are left.
    #[schema(minimum = 0, maximum = 10, format = Int32)]
    recovery_codes_left: u32,
}

impl From<SecondFactorStatus> for SecondFactorBody {
    fn from(status: SecondFactorStatus) -> Self {
        let SecondFactorStatus { enabled_at, recovery_codes_left } = status;
        Self { enabled_at, recovery_codes_left }
    }
}

/// A second factor that is being set up.
#[derive(Serialize, ToSchema)]
#[schema(as = SecondFactorSetup)]
pub struct SetupBody {
    /// The secret in base32, to be typed into an authenticator app. It is shown this once.
    #[schema(max_length = 32, pattern = "^[A-Z2-7]{32}$")]
    secret: String,
    /// The same as an address that authenticator apps open, or read as a QR code.
    #[schema(max_length = 400, pattern = "^otpauth://totp/[\\x21-\\x7e]+$")]
    uri: String,
    /// The QR code of that address, for a telephone beside the screen: an SVG document, without script. Show it as an
    /// image (`image/svg+xml`), and send it to nobody: the secret is in it.
    #[schema(max_length = 200_000, pattern = "^<\\?xml[\\x20-\\x7e]+</svg>$")]
    qr_code: String,
}

/// Recovery codes, which are shown this once.
#[derive(Serialize, ToSchema)]
#[schema(as = RecoveryCodes)]
pub struct RecoveryCodesBody {
    /// Each works once, in place of the six digits. Write them down, and keep them apart from the password.
    #[schema(value_type = Vec<RecoveryCode>, min_items = 10, max_items = 10)]
    recovery_codes: Vec<String>,
}

/// A recovery code.
#[derive(ToSchema)]
#[schema(min_length = 6, max_length = 40, pattern = "^[A-Za-z0-9 -]+$")]
#[allow(dead_code, reason = "it only describes the contract")]
pub struct RecoveryCode(String);

/// Get your second factor
///
/// Whether sign-ins ask for a code, and how many recovery codes are left. Needs a session.
#[utoipa::path(tag = "accounts", operation_id = "get_second_factor", security(("session" = [])),
    responses((status = 200, description = "The second factor.", body = SecondFactorBody)))]
#[get("/v1/account/second-factor")]
pub async fn get_second_factor(app: web::Data<App>, caller: Caller<SessionOnly>) -> Answer {
    let status = second_factor::status(&mut app.db.conn().await?, caller.account).await?;
    Ok(Reply::ok(&SecondFactorBody::from(status))?)
}

/// Begin to set up a second factor
///
/// Gives a secret for an authenticator app (TOTP, RFC 6238: SHA-1, six digits, 30 seconds). Nothing is asked for before
/// `POST /v1/account/second-factor/confirm`. Asked again, it gives another secret. Where there is a second factor it is
/// `already-done`. A wrong password is `validation-failed` at `/current_password`.
#[utoipa::path(tag = "accounts", operation_id = "set_up_second_factor", security(("session" = [])),
    request_body = SetUpSecondFactorRequest,
    responses((status = 200, description = "The secret.", body = SetupBody)))]
#[post("/v1/account/second-factor")]
pub async fn set_up_second_factor(
    app: web::Data<App>,
    caller: Caller<SessionOnly>,
    change: Change<SetUpSecondFactorRequest>,
) -> Answer {
    let password = change.request.current_password;
    let credentials = credentials::confirm_password(&app.accounts, &caller, password, "/current_password").await?;
    let url = Url::parse(&app.public_url).ok();
    // An issuer can't contain a colon, so IPv6 addresses are excluded.
    let host = url.as_ref().and_then(Url::host_str).filter(|host| !host.contains(':'));
    let work = async |tx: &mut _| {
        let setup = second_factor::set_up(tx, &app.accounts, credentials, host.unwrap_or("Broadside")).await?;
        let qr_code = qr_code(&setup.uri)?;
        Reply::ok(&SetupBody { secret: setup.secret, uri: setup.uri, qr_code })
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// The QR code of a URI. It is made here, because another server would learn the secret.
fn qr_code(uri: &str) -> Result<String> {
    let code = QrCode::new(uri).map_err(Error::internal)?;
    Ok(code.render::<svg::Color<'_>>().min_dimensions(240, 240).build())
}

/// Confirm your second factor
///
/// From now on every sign-in asks for a code. Every other session ends, those of apps included, and personal access
/// tokens are revoked unless `keep_tokens` is true: they were opened without one. The confirmed address is told.
/// Answers with ten recovery codes. A wrong code is `validation-failed` at `/code`; where nothing is being set up it is
/// `not-found`.
#[utoipa::path(tag = "accounts", operation_id = "confirm_second_factor", security(("session" = [])),
    request_body = ConfirmSecondFactorRequest,
    responses((status = 200, description = "The recovery codes.", body = RecoveryCodesBody)))]
#[post("/v1/account/second-factor/confirm")]
pub async fn confirm_second_factor(
    app: web::Data<App>,
    caller: Caller<SessionOnly>,
    change: Change<ConfirmSecondFactorRequest>,
) -> Answer {
    let ConfirmSecondFactorRequest { code, keep_tokens } = change.request;
    let tokens = if keep_tokens == Some(true) { PersonalTokens::Keep } else { PersonalTokens::Revoke };
    let work = async |tx: &mut _| {
        let recovery_codes = second_factor::confirm(tx, &app.accounts, &caller, &code, tokens).await?;
        Reply::ok(&RecoveryCodesBody { recovery_codes })
    };
    let confirmed = change.once.run(&app, &RateLimitKey::Account(caller.account), work).await?;
    account::forget_tokens(&app.accounts, caller.account);
    Ok(confirmed)
}

/// Replace your recovery codes
///
/// Those before are dead. Needs a session, the password and a code: a wrong one is `validation-failed` at
/// `/current_password` or `/code`, and too many are `too-many-requests`. Without a second factor it is `not-found`.
#[utoipa::path(tag = "accounts", operation_id = "replace_recovery_codes", security(("session" = [])),
    request_body = BothFactorsRequest,
    responses((status = 200, description = "The recovery codes.", body = RecoveryCodesBody)))]
#[post("/v1/account/second-factor/recovery-codes")]
pub async fn replace_recovery_codes(
    app: web::Data<App>,
    caller: Caller<SessionOnly>,
    change: Change<BothFactorsRequest>,
) -> Answer {
    let BothFactorsRequest { current_password, code } = change.request;
    credentials::confirm_password(&app.accounts, &caller, current_password, "/current_password").await?;
    let work = async |tx: &mut _| {
        let recovery_codes = second_factor::replace_recovery_codes(tx, &app.accounts, &caller, &code).await?;
        Reply::ok(&RecoveryCodesBody { recovery_codes })
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// Remove your second factor
///
/// The password alone signs in from now on; the confirmed address is told. Needs a session, the password and a code,
/// and refuses as `POST /v1/account/second-factor/recovery-codes` does.
#[utoipa::path(tag = "accounts", operation_id = "disable_second_factor", security(("session" = [])),
    request_body = BothFactorsRequest,
    responses((status = 204, description = "It is removed.")))]
#[delete("/v1/account/second-factor")]
pub async fn disable_second_factor(
    app: web::Data<App>,
    caller: Caller<SessionOnly>,
    body: Body<BothFactorsRequest>,
) -> Answer {
    let BothFactorsRequest { current_password, code } = body.0;
    second_factor::disable(&app.accounts, &caller, current_password, &code).await?;
    Ok(Reply::no_content())
}

/// Sign in with a second factor
///
/// The second step, for the `challenge` that `POST /v1/sessions` has given with `second-factor-required`. A wrong code
/// is `invalid-code`: five may be tried with one challenge. A code works once, so wait for the next one if it was used
/// a moment ago. After twenty wrong codes in a day, from wherever, digits are `too-many-requests` until it is over; a
/// recovery code still works. A challenge that was used, or is older than five minutes, is `sign-in-challenge-invalid`.
#[utoipa::path(tag = "accounts", operation_id = "complete_sign_in", security(()),
    request_body = CompleteSignInRequest,
    responses((status = 201, description = "A session.", body = SessionTokens)))]
#[post("/v1/sessions/second-factor")]
pub async fn complete_sign_in(
    app: web::Data<App>,
    caller: Unidentified,
    request: HttpRequest,
    body: Result<Body<CompleteSignInRequest>, Failure>,
) -> Answer {
    let CompleteSignInRequest { challenge, code } = caller.read(&app, body)?.0;
    caller.charge(&app, BudgetKind::SignIn)?;
    let opened = challenges::sign_in(&app.accounts, &challenge, &code, &device(&request)).await?;
    let location = format!("/v1/sessions/{}", opened.session);
    Ok(Reply::created(&location, &SessionTokens::from(opened))?)
}
