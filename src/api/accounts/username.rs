//! Change of the username over HTTP.

use actix_web::{put, web};
use broadside_rules::Time;
use serde::Serialize;
use utoipa::ToSchema;

use crate::accounts::username_change::{self, FormerUsername};
use crate::accounts::{NewUsername, Password, account, credentials};
use crate::api::accounts::AccountBody;
use crate::api::http::auth::{Caller, SessionOnly};
use crate::api::http::extract::Body;
use crate::api::http::fields::request;
use crate::api::http::reply::{Answer, Reply};
use crate::app::App;
use crate::matches;

request! {
    /// Another name.
    pub struct ChangeUsernameRequest {
        /// The name from now on: 3 to 24 ASCII letters, digits, `-` and `_`, the first a letter. Some are reserved.
        #[schema(value_type = String, min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$")]
        pub username: NewUsername,
        /// The password.
        #[schema(value_type = String, format = Password, min_length = 1, max_length = 128)]
        pub current_password: Password,
    }
}

/// A name that the account has had.
#[derive(Serialize, ToSchema)]
#[schema(as = FormerUsername)]
pub struct FormerUsernameBody {
    /// In lower case.
    #[schema(max_length = 24, pattern = "^[a-z][a-z0-9_-]*$")]
    username: String,
    /// Until when it leads to the account and is kept from others.
    held_until: Time,
}

impl From<FormerUsername> for FormerUsernameBody {
    fn from(former: FormerUsername) -> Self {
        Self { username: former.username.key(), held_until: former.held_until }
    }
}

/// Change your username
///
/// Once in 30 days; another case alone is no change. For a year the name before leads to the account wherever a player
/// is named (`GET /v1/players/{username}` answers with the new name), nobody else can take it or one that looks like
/// it, and the account may go back to it; one signs in with the new name alone. Matches show the new name, past ones
/// too. The confirmed address is told. Needs a session; a wrong password is `validation-failed` at `/current_password`,
/// and too many of them are `too-many-requests`.
#[utoipa::path(tag = "accounts", operation_id = "change_username", security(("session" = [])),
    request_body = ChangeUsernameRequest,
    responses((status = 200, description = "The account as it is now.", body = AccountBody)))]
#[put("/v1/account/username")]
pub async fn change_username(
    app: web::Data<App>,
    caller: Caller<SessionOnly>,
    body: Body<ChangeUsernameRequest>,
) -> Answer {
    let ChangeUsernameRequest { username, current_password } = body.0;
    let credentials =
        credentials::confirm_password(&app.accounts, &caller, current_password, "/current_password").await?;
    let mut tx = app.db.begin().await?;
    let account = username_change::change(&mut tx, &app.accounts, credentials, &username).await?;
    matches::names::replace(&mut tx, account.id, account.username.as_str()).await?;
    tx.commit().await?;
    account::forget_tokens(&app.accounts, account.id);
    Ok(Reply::ok(&AccountBody::from(account.seen_at(app.clock.now())))?)
}
