//! The page with the apps authorized to act for the account, where they can be revoked.

use actix_web::http::{StatusCode, header};
use actix_web::{HttpRequest, web};

use super::form::{Form, require_own_page};
use super::passkeys::Door;
use super::{cookie, explained, language, pages, visitor};
use crate::accounts::oauth::apps;
use crate::api::http::auth::Passer;
use crate::api::http::reply::{Answer, Failure, Reply};
use crate::app::App;
use crate::error::{Error, Result, problem};
use crate::ids::SessionId;
use crate::quotas::Quota;

pub const PATH: &str = "/oauth/apps";

/// The page. A visitor has to sign in first.
pub async fn list(app: web::Data<App>, _: Passer, request: HttpRequest) -> Answer {
    cookie::require_safe(&app)?;
    let language = language(&request);
    let Some(session) = visitor(&app, &request).await? else {
        return Ok(pages::sign_in(language, PATH, None, None, Door::of(&app).as_ref()));
    };
    let mut conn = app.db.conn().await?;
    let found = apps::list(&mut conn, session.account, app.clock.now(), None, Quota::Apps.most()).await?;
    Ok(pages::apps(language, session.username.as_str(), &found, &session.form_token()?))
}

pub async fn revoke(app: web::Data<App>, _: Passer, request: HttpRequest, form: Result<Form, Failure>) -> Answer {
    cookie::require_safe(&app)?;
    let fields = form?.0;
    match revoked(&app, &request, fields.get("id"), fields.get("form_token")).await {
        Ok(()) => Ok(Reply::no_content().with_code(StatusCode::SEE_OTHER).header(header::LOCATION, PATH)),
        Err(error) => explained(language(&request), error),
    }
}

async fn revoked(app: &App, request: &HttpRequest, id: Option<&str>, form_token: Option<&str>) -> Result<()> {
    require_own_page(app, request)?;
    let session = visitor(app, request).await?.ok_or_else(|| Error::plain(&problem::NOT_SIGNED_IN))?;
    if !session.has_made(form_token.unwrap_or_default()) {
        return Err(Error::plain(&problem::FOREIGN_FORM));
    }
    let id: SessionId = id.unwrap_or_default().parse().map_err(|_| Error::not_found())?;
    let revoked = apps::revoke(&app.accounts, session.account, id).await;
    // A second press of the button is no error.
    revoked.or_else(|error| if error.problem().code == problem::NOT_FOUND.code { Ok(()) } else { Err(error) })
}
