//! The caller's account over HTTP: create, read, change, delete.

pub mod apps;
pub mod export;
pub mod guests;
pub mod passkey_options;
pub mod passkeys;
pub mod password_resets;
pub mod registered_apps;
pub mod second_factor;
pub mod security_events;
pub mod sessions;
pub mod tokens;
pub mod username;

use actix_web::http::header;
use actix_web::{HttpRequest, delete, get, patch, post, put, web};
use broadside_rules::Time;
use serde::Serialize;
use utoipa::ToSchema;

use crate::account_deletion;
use crate::accounts::account::{self, Account, Registration};
use crate::accounts::password_change::{self, PasswordProof};
use crate::accounts::profiles::{Bio, ChallengesFrom, Club, Country, ProfileChange};
use crate::accounts::{
    Device, Email, NewEmail, NewPassword, NewUsername, Password, Role, Suspension, Username, credentials, email_change,
};
use crate::api::accounts::passkeys::PasskeyAnswer;
use crate::api::accounts::sessions::SessionTokens;
use crate::api::http::auth::{AccountRead, AccountWrite, Caller, SessionOnly, Unidentified};
use crate::api::http::extract::{Body, Change};
use crate::api::http::fields::{request, text_fields};
use crate::api::http::nullable::Nullable;
use crate::api::http::reply::{Answer, Failure, Reply};
use crate::app::App;
use crate::epoch;
use crate::error::Error;
use crate::ids::AccountId;
use crate::notifications::mail;
use crate::rate_limits::BudgetKind;

text_fields!(Bio, ChallengesFrom, Club, Country, Email, NewEmail, NewPassword, NewUsername, Password, Username);

request! {
    /// An account to make.
    pub struct CreateAccountRequest {
        /// The name: 3 to 24 ASCII letters, digits, `-` and `_`, the first a letter. Case makes no difference; some
        /// names are reserved.
        #[schema(value_type = String, min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$")]
        pub username: NewUsername,
        /// The password: 8 to 128 characters of any kind, but not one that everybody tries first, nor the name.
        #[schema(value_type = String, format = Password, min_length = 8, max_length = 128)]
        pub password: NewPassword,
        /// An e-mail address. Nobody else sees it, and no mail goes there before it is confirmed (`/v1/account/mail`).
        #[schema(value_type = Option<String>, max_length = 254, pattern = "^[^@\\s]+@[^@\\s]+$")]
        pub email: Option<Email>,
        /// Whether a program will play; false unless given. The others see it.
        pub bot: Option<bool>,
    }
}

request! {
    /// Changes to the account: what you leave out stays, null clears what can be empty.
    pub struct UpdateAccountRequest {
        /// Whether a program plays. Matches under way keep the mark they began with.
        #[schema(nullable = false)]
        pub bot: Option<bool>,
        /// A line about oneself, which everybody reads: at most 200 characters; null or empty: none.
        #[schema(value_type = Option<String>, max_length = 200, pattern = "^[^\\u0000-\\u001f\\u007f]*$")]
        pub bio: Nullable<Bio>,
        /// The country: two letters of ISO 3166-1; null or empty: none.
        #[schema(value_type = Option<String>, max_length = 2, pattern = "^([A-Z]{2})?$")]
        pub country: Nullable<Country>,
        /// The club: at most 60 characters; null or empty: none.
        #[schema(value_type = Option<String>, max_length = 60, pattern = "^[^\\u0000-\\u001f\\u007f]*$")]
        pub club: Nullable<Club>,
        /// Whether everybody sees the time zone of the calendar.
        #[schema(nullable = false)]
        pub shows_time_zone: Option<bool>,
        /// The players who can challenge you directly.
        #[schema(nullable = false)]
        pub challenges_from: Option<ChallengesFrom>,
    }
}

request! {
    /// Proof that it is really the owner who deletes the account.
    pub struct DeleteAccountRequest {
        /// The password.
        #[schema(value_type = String, format = Password, min_length = 1, max_length = 128)]
        pub password: Password,
    }
}

request! {
    /// Another e-mail address.
    pub struct ChangeEmailRequest {
        /// The address from now on; empty: none.
        #[schema(value_type = String, max_length = 254, pattern = "^([^@\\s]+@[^@\\s]+)?$")]
        pub email: NewEmail,
        /// The password.
        #[schema(value_type = String, format = Password, min_length = 1, max_length = 128)]
        pub current_password: Password,
    }
}

request! {
    /// Another password, and one proof: the password so far, or the answer of a passkey.
    pub struct ChangePasswordRequest {
        /// The password so far.
        #[schema(value_type = Option<String>, format = Password, min_length = 1, max_length = 128)]
        pub current_password: Option<Password>,
        /// In its place, the answer of a passkey: for an account that has no password, or an owner who has lost it.
        pub passkey: Option<PasskeyAnswer>,
        /// The password from now on: 8 to 128 characters of any kind, but not one that everybody tries first, nor the
        /// name.
        #[schema(value_type = String, format = Password, min_length = 8, max_length = 128)]
        pub new_password: NewPassword,
        /// Whether personal access tokens stay good; false unless given: they are revoked, as whoever has the old
        /// password may have made one.
        pub keep_tokens: Option<bool>,
    }
}

/// An account, as its owner sees it.
#[derive(Serialize, ToSchema)]
#[schema(as = Account)]
pub struct AccountBody {
    id: AccountId,
    #[schema(max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]*$")]
    username: String,
    /// Whether it is marked as a program.
    bot: bool,
    /// Whether it is a guest's: it has neither a password nor a passkey, and plays unrated matches only.
    guest: bool,
    /// Whether it has a password. One that was kept with a passkey has none until its owner sets one
    /// (`PUT /v1/account/password`); what asks for the password is refused until then.
    has_password: bool,
    /// Not verified; null when none is given.
    #[schema(max_length = 254, pattern = "^[^@\\s]+@[^@\\s]+$")]
    email: Option<String>,
    created_at: Time,
    /// The account's roles; empty for nearly every account.
    #[schema(max_items = 10)]
    roles: Vec<Role>,
    /// Its suspension; null: it isn't suspended.
    suspension: Option<SuspensionBody>,
    /// The line about oneself, which everybody reads; null: none.
    #[schema(max_length = 200, pattern = "^[^\\u0000-\\u001f\\u007f]+$", examples("I sail in Brest."))]
    bio: Option<String>,
    /// The country: two letters of ISO 3166-1; null: none.
    #[schema(min_length = 2, max_length = 2, pattern = "^[A-Z]{2}$", examples("FR"))]
    country: Option<String>,
    /// The club; null: none.
    #[schema(max_length = 60, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
    club: Option<String>,
    /// Whether everybody sees the time zone of the calendar.
    shows_time_zone: bool,
    /// The players who can challenge you directly.
    challenges_from: ChallengesFrom,
    /// For 14 days after the service was restored from a backup: what was lost. Not there otherwise, and only in the
    /// answer to `GET /v1/account`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    restored: Option<RestoreBody>,
}

/// A restore of the service from a backup. Moves, matches and messages between the two times are lost.
#[derive(Serialize, ToSchema)]
#[schema(as = ServiceRestore)]
pub struct RestoreBody {
    /// The time of the backup.
    backup_at: Time,
    /// When the service was restored.
    restored_at: Time,
}

/// A suspension: the account finishes what it plays and reads, and begins nothing.
#[derive(Serialize, ToSchema)]
#[schema(as = Suspension)]
pub struct SuspensionBody {
    since: Time,
    /// Until when; null: for good.
    until: Option<Time>,
    /// Why.
    #[schema(max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
    reason: String,
}

impl From<Suspension> for SuspensionBody {
    fn from(suspension: Suspension) -> Self {
        let Suspension { since, until, reason } = suspension;
        Self { since, until, reason }
    }
}

impl From<Account> for AccountBody {
    fn from(account: Account) -> Self {
        Self {
            id: account.id,
            username: account.username.to_string(),
            bot: account.bot,
            guest: account.guest,
            has_password: account.has_password,
            email: account.email.map(|email| email.as_str().to_owned()),
            created_at: account.created_at,
            roles: account.roles,
            suspension: account.suspension.map(SuspensionBody::from),
            bio: account.profile.bio,
            country: account.profile.country,
            club: account.profile.club,
            shows_time_zone: account.profile.shows_time_zone,
            challenges_from: account.challenges_from,
            restored: None,
        }
    }
}

/// The client's name for itself.
pub(in crate::api) fn device(request: &HttpRequest) -> Device {
    let agent = request.headers().get(header::USER_AGENT);
    Device::calling_itself(agent.and_then(|value| value.to_str().ok()).unwrap_or_default())
}

/// Create an account
///
/// The caller is signed in at once, as after `POST /v1/sessions`. Refused with `validation-failed` (every fault named)
/// or `username-taken`.
#[utoipa::path(tag = "accounts", operation_id = "create_account", security(()),
    request_body = CreateAccountRequest,
    responses((status = 201, description = "The account, and a session of it.", body = SessionTokens)))]
#[post("/v1/accounts")]
pub async fn create_account(
    app: web::Data<App>,
    caller: Unidentified,
    request: HttpRequest,
    change: Result<Change<CreateAccountRequest>, Failure>,
) -> Answer {
    caller.charge(&app, BudgetKind::Registration)?;
    let Change { request: CreateAccountRequest { username, password, email, bot }, once } = change?;
    let registration = Registration { username, password, email, bot: bot.unwrap_or(false) };
    let new = account::prepare_registration(&app.accounts, registration).await?;
    let work = async |tx: &mut _| {
        let opened = account::register(tx, &app.accounts, &new, &device(&request)).await?;
        Reply::created("/v1/account", &SessionTokens::from(opened))
    };
    once.run(&app, &caller.key, work).await
}

/// Get your account
#[utoipa::path(tag = "accounts", operation_id = "get_account", security(("bearer" = ["account:read"])),
    responses((status = 200, description = "The account.", body = AccountBody)))]
#[get("/v1/account")]
pub async fn get_account(app: web::Data<App>, caller: Caller<AccountRead>) -> Answer {
    let mut conn = app.db.conn().await?;
    let account = account::find(&mut conn, caller.account).await?;
    let restore = epoch::recent_restore(&mut conn, app.clock.now()).await?;
    let restore = restore.filter(|restore| account.created_at < restore.at);
    let restored = restore.map(|restore| RestoreBody { backup_at: restore.to, restored_at: restore.at });
    Ok(Reply::ok(&AccountBody { restored, ..account.seen_at(app.clock.now()).into() })?)
}

/// Update your account
///
/// What you leave out stays; null or an empty text clears a text. A suspended account says nothing new. The address is
/// changed with `PUT /v1/account/email`, the name with `PUT /v1/account/username`. Refused with `validation-failed`,
/// every fault named.
#[utoipa::path(tag = "accounts", operation_id = "update_account", security(("bearer" = ["account:write"])),
    request_body = UpdateAccountRequest,
    responses((status = 200, description = "The account as it is now.", body = AccountBody)))]
#[patch("/v1/account")]
pub async fn update_account(
    app: web::Data<App>,
    caller: Caller<AccountWrite>,
    body: Body<UpdateAccountRequest>,
) -> Answer {
    let mut tx = app.db.begin().await?;
    let UpdateAccountRequest { bot, bio, country, club, shows_time_zone, challenges_from } = body.0;
    let (bio, country, club) = (bio.change_of_text(), country.change_of_text(), club.change_of_text());
    let profile = ProfileChange { bio, country, club, shows_time_zone };
    let change = account::Change { bot, profile, challenges_from };
    let account = account::change(&mut tx, &app, &caller, change).await?;
    tx.commit().await?;
    if account.bot != caller.bot {
        account::forget_tokens(&app.accounts, caller.account);
    }
    Ok(Reply::ok(&AccountBody::from(account.seen_at(app.clock.now())))?)
}

/// Delete your account
///
/// Running matches are resigned, open challenges withdrawn, sessions ended and tokens revoked; then name and e-mail
/// address are forgotten. What is left is a nameless player in the matches of others. There is no way back. Needs a
/// session; a wrong password is `validation-failed` at `/password`, and too many of them are `too-many-requests`.
#[utoipa::path(tag = "accounts", operation_id = "delete_account", security(("session" = [])),
    request_body = DeleteAccountRequest,
    responses((status = 204, description = "It is deleted.")))]
#[delete("/v1/account")]
pub async fn delete_account(
    app: web::Data<App>,
    caller: Caller<SessionOnly>,
    body: Body<DeleteAccountRequest>,
) -> Answer {
    credentials::confirm_password(&app.accounts, &caller, body.0.password, "/password").await?;
    account_deletion::delete(&app.accounts, &app.matches, caller.account).await?;
    Ok(Reply::no_content())
}

/// Change your e-mail address
///
/// A lost password is recovered by a confirmed address, so this needs a session and the password. The new address is to
/// be confirmed (`POST /v1/account/mail/confirmation`). The one before, if it was confirmed, is told, with a link that
/// puts it back within three days and lets its owner choose another password. A wrong password is `validation-failed`
/// at `/current_password`, and too many of them are `too-many-requests`.
#[utoipa::path(tag = "accounts", operation_id = "change_email", security(("session" = [])),
    request_body = ChangeEmailRequest,
    responses((status = 200, description = "The account as it is now.", body = AccountBody)))]
#[put("/v1/account/email")]
pub async fn change_email(app: web::Data<App>, caller: Caller<SessionOnly>, body: Body<ChangeEmailRequest>) -> Answer {
    let ChangeEmailRequest { email, current_password } = body.0;
    let credentials =
        credentials::confirm_password(&app.accounts, &caller, current_password, "/current_password").await?;
    let mut tx = app.db.begin().await?;
    let account = email_change::change(&mut tx, &app.accounts, credentials, &email).await?;
    mail::settings::address_changed(&mut tx, &app, caller.account, email.address()).await?;
    tx.commit().await?;
    Ok(Reply::ok(&AccountBody::from(account.seen_at(app.clock.now())))?)
}

/// Change your password
///
/// Every other session ends, those of apps included, and personal access tokens are revoked unless `keep_tokens` is
/// true. The confirmed address is told. Needs a session; a wrong current password is `validation-failed` at
/// `/current_password`, and too many of them are `too-many-requests`.
///
/// In place of the current password, a passkey of the account may answer a challenge of
/// `POST /v1/sessions/passkey/challenges`; an answer that is not good is `validation-failed` below `/passkey`. So an
/// account that was kept with a passkey gets its first password.
#[utoipa::path(tag = "accounts", operation_id = "change_password", security(("session" = [])),
    request_body = ChangePasswordRequest,
    responses((status = 204, description = "It is changed.")))]
#[put("/v1/account/password")]
pub async fn change_password(
    app: web::Data<App>,
    caller: Caller<SessionOnly>,
    body: Body<ChangePasswordRequest>,
) -> Answer {
    let ChangePasswordRequest { current_password, passkey, new_password, keep_tokens } = body.0;
    let proof = match (current_password, passkey) {
        (Some(password), None) => PasswordProof::Password(password),
        (None, Some(PasskeyAnswer { challenge, credential })) => {
            PasswordProof::Passkey(challenge, Box::new(credential))
        }
        (None, None) => {
            let detail = "is required, or the answer of a passkey";
            return Err(Error::invalid_at("/current_password", "missing-field", detail).into());
        }
        (Some(_), Some(_)) => {
            let detail = "is one proof too many beside the password";
            return Err(Error::invalid_at("/passkey", "invalid-value", detail).into());
        }
    };
    let tokens =
        if keep_tokens == Some(true) { account::PersonalTokens::Keep } else { account::PersonalTokens::Revoke };
    password_change::change(&app.accounts, &caller, proof, new_password, tokens).await?;
    Ok(Reply::no_content())
}

crate::api::openapi::free_form! {
    /// A challenge or a match in an export.
    pub struct Exported;
}
