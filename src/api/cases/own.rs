//! Cases about the caller, over HTTP: the decision, its reason and evidence, and one appeal.

use actix_web::{HttpRequest, get, post, web};

use super::view::OwnCaseBody;
use crate::api::http::auth::{AccountRead, AccountWrite, Caller};
use crate::api::http::extract::{Change, Id, Query};
use crate::api::http::fields::request;
use crate::api::http::paging::{Page, page, page_limit};
use crate::api::http::reply::{Answer, Reply};
use crate::app::App;
use crate::cases::{appeal, read};
use crate::db::Tx;
use crate::ids::CaseId;
use crate::rate_limits::RateLimitKey;
use crate::social::text::Description;

request! {
    /// Which cases to list.
    pub query OwnCaseListQuery {
        ..page(CaseId)
    }
}

request! {
    /// An appeal.
    pub struct AppealCaseRequest {
        /// Why the decision is wrong: 1 to 2000 characters.
        #[schema(value_type = String, min_length = 1, max_length = 2000, pattern = "^[^\\u0000-\\u0009\\u000b\\u000c\\u000e-\\u001f]+$")]
        pub text: Description,
    }
}

/// List what was decided about you
///
/// Cases about the caller that are decided, the newest first: what was decided and why, the evidence as it was added,
/// and until when an appeal is possible. Not who has reported or decided anything, and no notes.
#[utoipa::path(tag = "cases", operation_id = "list_account_cases", security(("bearer" = ["account:read"])),
    params(OwnCaseListQuery),
    responses((status = 200, description = "A page of them.", body = Page<OwnCaseBody>)))]
#[get("/v1/account/cases")]
pub async fn list_account_cases(
    app: web::Data<App>,
    caller: Caller<AccountRead>,
    query: Query<OwnCaseListQuery>,
    request: HttpRequest,
) -> Answer {
    let limit = page_limit(query.0.limit, 50);
    let mut conn = app.db.conn().await?;
    let found = read::about(&mut conn, caller.account, app.clock.now(), query.0.cursor, limit + 1).await?;
    page(found, limit, |whole| whole.case.id.to_string(), OwnCaseBody::from).reply(&request)
}

/// Appeal against a decision
///
/// Once, within 14 days, also while the account is suspended. Somebody else than who has decided says what becomes of
/// it. `not-found` when no such case about the caller is decided, `wrong-case-state` when they have appealed before,
/// the time is over, or nothing was done.
#[utoipa::path(tag = "cases", operation_id = "appeal_case", security(("bearer" = ["account:write"])),
    params(("id" = CaseId, Path, description = "The case.")),
    request_body = AppealCaseRequest,
    responses((status = 204, description = "The appeal waits for a decision.")))]
#[post("/v1/account/cases/{id}/appeal")]
pub async fn appeal_case(
    app: web::Data<App>,
    caller: Caller<AccountWrite>,
    id: Id<CaseId>,
    change: Change<AppealCaseRequest>,
) -> Answer {
    let text = change.request.text;
    let work = async |tx: &mut Tx| {
        appeal::appeal(tx, &app, &caller, id.0, text).await?;
        Ok(Reply::no_content())
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}
