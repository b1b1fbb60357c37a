//! Password resets over HTTP. The pages for people are in `api/oauth/recovery.rs`.

use actix_web::http::StatusCode;
use actix_web::{post, web};

use crate::accounts::NewPassword;
use crate::accounts::recovery::{self, Login, ResetToken};
use crate::api::http::auth::Unidentified;
use crate::api::http::extract::{Body, Change, Once};
use crate::api::http::fields::{request, text_fields};
use crate::api::http::reply::{Answer, Failure, Reply};
use crate::app::App;
use crate::error::{Error, Result, problem};
use crate::rate_limits::BudgetKind;

text_fields!(Login, ResetToken);

request! {
    /// Whose password was lost.
    pub struct RequestPasswordResetRequest {
        /// The name, or the confirmed e-mail address.
        #[schema(value_type = String, min_length = 3, max_length = 254, pattern = "^[^\\s]+$")]
        pub login: Login,
    }
}

request! {
    /// Another password, in place of a lost one.
    pub struct CompletePasswordResetRequest {
        /// The secret at the end of the link.
        #[schema(value_type = String, min_length = 47, max_length = 47, pattern = "^bpr_[A-Za-z0-9_-]{43}$")]
        pub token: ResetToken,
        /// The password from now on: 8 to 128 characters of any kind, but not one that everybody tries first, nor the
        /// name.
        #[schema(value_type = String, format = Password, min_length = 8, max_length = 128)]
        pub new_password: NewPassword,
    }
}

/// Ask for a link for a lost password
///
/// If there is such an account and its address is confirmed, a link is mailed there: it works once, for half an hour,
/// and until a newer one is mailed. The answer is always the same, and takes as long. An account gets a mail in ten
/// minutes, and after five in a day one in two hours. Refused with `mail-unavailable` where the server sends no mail:
/// there its operator can make a link.
#[utoipa::path(tag = "accounts", operation_id = "request_password_reset", security(()),
    request_body = RequestPasswordResetRequest,
    responses((status = 202, description = "It is looked into.")))]
#[post("/v1/password-resets")]
pub async fn request_password_reset(
    app: web::Data<App>,
    caller: Unidentified,
    change: Result<Change<RequestPasswordResetRequest>, Failure>,
) -> Answer {
    let Change { request: RequestPasswordResetRequest { login }, once } = caller.read(&app, change)?;
    Ok(ask(&app, &caller, once, &login).await?)
}

/// Queues a request for a reset.
pub(in crate::api) async fn ask(app: &App, caller: &Unidentified, once: Once, login: &Login) -> Result<Reply> {
    caller.charge(app, BudgetKind::PasswordReset)?;
    if app.mail.is_none() {
        return Err(Error::plain(&problem::MAIL_UNAVAILABLE));
    }
    let work = async |tx: &mut _| {
        recovery::ask(tx, app, login).await?;
        Ok(Reply::no_content().with_code(StatusCode::ACCEPTED))
    };
    once.run(app, &caller.key, work).await.map_err(|Failure(error)| error)
}

/// Choose another password by a link
///
/// Every session ends, those of apps included, and personal access tokens are revoked; the owner is told by mail.
/// Nobody is signed in by it, and a second factor stays. A link that was used, is too old, was replaced by a newer one,
/// or never was one is `reset-link-invalid`. A password that is too weak (`validation-failed`) doesn't use it up.
#[utoipa::path(tag = "accounts", operation_id = "complete_password_reset", security(()),
    request_body = CompletePasswordResetRequest,
    responses((status = 204, description = "The password is changed. Sign in with it.")))]
#[post("/v1/password-resets/complete")]
pub async fn complete_password_reset(
    app: web::Data<App>,
    caller: Unidentified,
    body: Result<Body<CompletePasswordResetRequest>, Failure>,
) -> Answer {
    let CompletePasswordResetRequest { token, new_password } = caller.read(&app, body)?.0;
    caller.charge(&app, BudgetKind::SignIn)?;
    recovery::complete(&app.accounts, caller.key, &token, new_password).await?;
    Ok(Reply::no_content())
}
