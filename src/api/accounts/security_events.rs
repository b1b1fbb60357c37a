//! The security log of the account over HTTP.

use actix_web::{HttpRequest, get, web};
use broadside_rules::Time;
use serde::Serialize;
use utoipa::ToSchema;

use crate::accounts::security_log::{self, SecurityEvent, SecurityEventKind};
use crate::api::http::auth::{Caller, SessionOnly};
use crate::api::http::extract::Query;
use crate::api::http::fields::{request, text_fields};
use crate::api::http::paging::{Page, page, page_limit};
use crate::api::http::reply::Answer;
use crate::app::App;
use crate::ids::{SecurityEventId, SessionId};
use crate::request_origin::{Client, RequestOrigin};

text_fields!(SecurityEventId);

request! {
    /// Which entries to list.
    pub query WhichSecurityEvents {
        ..page(SecurityEventId)
    }
}

/// An entry of the security log of an account.
#[derive(Serialize, ToSchema)]
#[schema(as = SecurityEvent)]
pub struct SecurityEventBody {
    id: SecurityEventId,
    kind: SecurityEventKind,
    at: Time,
    /// The family of the browser, or what another program calls itself; null: it isn't known, or nobody has asked for
    /// it over HTTP.
    #[schema(max_length = 40, pattern = "^[A-Za-z0-9 _-]+$", examples("Firefox"))]
    program: Option<String>,
    /// The family of the system; null: it isn't known.
    #[schema(max_length = 40, pattern = "^[A-Za-z]+$", examples("Linux"))]
    system: Option<String>,
    /// The shortened address: a /24, or a /48 of IPv6; null: it isn't known.
    #[schema(max_length = 43, pattern = "^[0-9a-f.:]+/(24|48)$", examples("203.0.113.0/24"))]
    network: Option<String>,
    /// The session that it concerns, that of an app included; null: none.
    session_id: Option<SessionId>,
    /// The `client_id` of the app, or the name of the personal access token, that it concerns; null: none.
    #[schema(max_length = 200, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
    subject: Option<String>,
}

impl From<SecurityEvent> for SecurityEventBody {
    fn from(event: SecurityEvent) -> Self {
        let SecurityEvent { id, kind, at, origin, session, subject } = event;
        let RequestOrigin { client: Client { program, system }, network } = origin;
        Self { id, kind, at, program, system, network, session_id: session, subject }
    }
}

/// List your security log
///
/// Who has signed in and from where, wrong codes, and what was changed of how one signs in, the newest first. The
/// newest 500 entries are kept, for 180 days. Needs a session.
#[utoipa::path(tag = "accounts", operation_id = "list_security_events", security(("session" = [])),
    params(WhichSecurityEvents), responses((status = 200, description = "A page of them.", body = Page<SecurityEventBody>)))]
#[get("/v1/account/security-events")]
pub async fn list_security_events(
    app: web::Data<App>,
    caller: Caller<SessionOnly>,
    query: Query<WhichSecurityEvents>,
    request: HttpRequest,
) -> Answer {
    let WhichSecurityEvents { limit, cursor } = query.0;
    let limit = page_limit(limit, 50);
    let mut conn = app.db.conn().await?;
    let found = security_log::list(&mut conn, caller.account, cursor, limit + 1).await?;
    page(found, limit, |event| event.id.to_string(), SecurityEventBody::from).reply(&request)
}
