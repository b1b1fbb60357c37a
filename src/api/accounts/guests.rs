//! Guests over HTTP: creation, and conversion to a permanent account.

use actix_web::{HttpRequest, post, web};

use crate::accounts::{NewPassword, NewUsername, account, guests};
use crate::api::accounts::sessions::SessionTokens;
use crate::api::accounts::{AccountBody, device};
use crate::api::http::auth::{Caller, SessionOnly, Unidentified};
use crate::api::http::extract::Change;
use crate::api::http::fields::request;
use crate::api::http::reply::{Answer, Failure, Reply};
use crate::app::App;
use crate::rate_limits::{BudgetKind, RateLimitKey};

request! {
    /// A guest to make.
    pub struct CreateGuestRequest {
        /// The name: 3 to 24 ASCII letters, digits, `-` and `_`, the first a letter. Case makes no difference; some
        /// names are reserved.
        #[schema(value_type = String, min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$")]
        pub username: NewUsername,
    }
}

request! {
    /// The password that a guest's account gets.
    pub struct ClaimAccountRequest {
        /// The password: 8 to 128 characters of any kind, but not one that everybody tries first, nor the name.
        #[schema(value_type = String, format = Password, min_length = 8, max_length = 128)]
        pub password: NewPassword,
    }
}

/// Play as a guest
///
/// Makes an account with a name and nothing else, and a session of it. A guest plays unrated matches; ladders,
/// tournaments, own rule sets, chat messages, webhooks, mail and personal tokens are `guest-not-allowed`.
/// `POST /v1/account/claim` makes it an account like any other. A guest without a session that was used in the last 30
/// days (the operator may choose others) is deleted, as an owner deletes an account; so is one who signs out. Where the
/// operator wants no guests, this is `guests-disabled`; where an address has as many as it may, `quota-exceeded`.
#[utoipa::path(tag = "accounts", operation_id = "create_guest", security(()),
    request_body = CreateGuestRequest,
    responses((status = 201, description = "The account, and a session of it.", body = SessionTokens)))]
#[post("/v1/guests")]
pub async fn create_guest(
    app: web::Data<App>,
    caller: Unidentified,
    request: HttpRequest,
    change: Result<Change<CreateGuestRequest>, Failure>,
) -> Answer {
    caller.charge(&app, BudgetKind::Registration)?;
    let Change { request: CreateGuestRequest { username }, once } = change?;
    let new = guests::prepare(&app.accounts, &username, caller.key)?;
    let work = async |tx: &mut _| {
        let opened = guests::register(tx, &app.accounts, &new, &device(&request)).await?;
        Reply::created("/v1/account", &SessionTokens::from(opened))
    };
    once.run(&app, &caller.key, work).await
}

/// Keep a guest's account
///
/// Gives it a password. From now on it is an account like any other, with its matches; its sessions stay. An account
/// that is no guest's is `already-done`. A passkey keeps it as well: `POST /v1/account/passkeys`.
#[utoipa::path(tag = "accounts", operation_id = "claim_account", security(("session" = [])),
    request_body = ClaimAccountRequest,
    responses((status = 200, description = "The account as it is now.", body = AccountBody)))]
#[post("/v1/account/claim")]
pub async fn claim_account(
    app: web::Data<App>,
    caller: Caller<SessionOnly>,
    change: Change<ClaimAccountRequest>,
) -> Answer {
    let Change { request: ClaimAccountRequest { password }, once } = change;
    let hash = guests::hash(&app.accounts, &caller, password).await?;
    let work = async |tx: &mut _| {
        let account = guests::claim(tx, &app, &caller, &hash).await?;
        Reply::ok(&AccountBody::from(account.seen_at(app.clock.now())))
    };
    let answer = once.run(&app, &RateLimitKey::Account(caller.account), work).await?;
    account::forget_tokens(&app.accounts, caller.account);
    Ok(answer)
}
