//! Failures as RFC 9457 problem documents. They contain the public half of an [`Error`] and nothing else.

use std::fmt;

use actix_web::http::StatusCode;
use actix_web::http::header;
use actix_web::{HttpResponse, ResponseError};
use broadside_rules::Fault;
use serde::Serialize;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::api::accounts::SuspensionBody;
use crate::api::http::envelope;
use crate::error::{CATALOGUE, Error, ProblemKind, QuotaUse, detail_in, fault_codes, problem};

/// Every code of a problem, as a schema.
pub struct ProblemCode;

impl PartialSchema for ProblemCode {
    fn schema() -> RefOr<Schema> {
        let mut codes: Vec<_> = CATALOGUE.iter().map(|problem| problem.code).collect();
        codes.sort_unstable();
        let says = "What has happened, in a word that never changes. Each has a page at `/problems/{code}`, and `/problems` \
                    lists them all. More may come: go by `status` when you meet one that you don't know.";
        words(codes, says)
    }
}

impl ToSchema for ProblemCode {}

/// Every code of a fault, as a schema.
pub struct FaultCode;

impl PartialSchema for FaultCode {
    fn schema() -> RefOr<Schema> {
        let says = "What is wrong at one place of a request, in a word that never changes. Each has a page at \
                    `/problems/{code}`. More may come.";
        words(fault_codes(), says)
    }
}

impl ToSchema for FaultCode {}

fn words(codes: Vec<&'static str>, description: &str) -> RefOr<Schema> {
    let schema = ObjectBuilder::new().schema_type(SchemaType::new(Type::String));
    schema.enum_values(Some(codes)).description(Some(description)).into()
}

/// An RFC 9457 problem document.
#[derive(Serialize, ToSchema)]
#[schema(examples(json!({
    "type": "/problems/not-found", "title": "There is nothing here", "status": 404, "detail": "What was asked for does not exist, or the caller may not know that it does.",
    "code": "not-found", "request_id": "0199c2a87d4e7c3a", "errors": []
})))]
pub struct Problem {
    /// A stable path, whose page explains the problem.
    #[serde(rename = "type")]
    #[schema(max_length = 80, pattern = "^/problems/[a-z0-9-]+$")]
    pub kind: String,
    /// The same words for every case of this problem.
    #[schema(max_length = 120)]
    pub title: &'static str,
    /// The HTTP status.
    #[schema(minimum = 400, maximum = 599, format = Int32)]
    pub status: u16,
    /// What it means in this case.
    #[schema(max_length = 4096)]
    pub detail: String,
    /// The stable code that programs look at.
    #[schema(value_type = ProblemCode)]
    pub code: &'static str,
    /// Names this request in the operator's log.
    #[schema(max_length = 64, pattern = "^[A-Za-z0-9._-]+$")]
    pub request_id: String,
    /// Every fault of the request, each with its place in the body (a JSON pointer) or in the query.
    #[schema(max_items = 2000)]
    pub errors: Vec<ProblemError>,
    /// The version of the match to name now, or the revision of the notes (with `stale-version` and `stale-revision`
    /// only).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 4294967295_i64, format = Int64)]
    pub current_version: Option<u32>,
    /// The revision of the list to name now (with `stale-revision` only).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 2_147_483_647, format = Int64)]
    pub current_revision: Option<u32>,
    /// The cursor to go on from after everything was read anew (with `log-rewound` only).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 25, pattern = "^(0|[a-z2-9]{8}-[0-9]{1,16})$")]
    pub next_cursor: Option<String>,
    /// What to send with a code to `POST /v1/sessions/second-factor` (with `second-factor-required` only).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 47, pattern = "^bsc_[A-Za-z0-9_-]{43}$")]
    pub challenge: Option<String>,
    /// The caller's suspension (with `account-suspended` only).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub suspension: Option<SuspensionBody>,
    /// The quota that leaves no room (with `quota-exceeded`, where the account or the guests of an address have it).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub quota: Option<ProblemQuota>,
}

/// How much of a quota is used.
#[derive(Serialize, ToSchema)]
pub struct ProblemQuota {
    /// The name of the quota, as in the table of the guide.
    #[schema(max_length = 40, pattern = "^[a-z-]+$")]
    pub name: &'static str,
    /// How much is used, as a number or in bytes.
    #[schema(minimum = 0, maximum = 9_007_199_254_740_991_i64, format = Int64)]
    pub used: i64,
    /// How much may be used: by the account, or by all guests of its address together.
    #[schema(minimum = 0, maximum = 9_007_199_254_740_991_i64, format = Int64)]
    pub limit: i64,
}

impl From<QuotaUse> for ProblemQuota {
    fn from(QuotaUse { name, used, limit }: QuotaUse) -> Self {
        Self { name, used, limit }
    }
}

/// One fault of a request.
#[derive(Serialize, ToSchema)]
pub struct ProblemError {
    /// Where: an RFC 6901 pointer into the body, or `/name` of a query parameter.
    #[schema(max_length = 400, pattern = "^(/[\\s\\S]*)?$")]
    pub pointer: String,
    /// What sort of fault, for programs.
    #[schema(value_type = FaultCode)]
    pub code: &'static str,
    /// What is wrong, for people.
    #[schema(max_length = 1000)]
    pub detail: String,
}

impl From<&Fault> for ProblemError {
    /// In the language of the current request.
    fn from(fault: &Fault) -> Self {
        Self {
            pointer: fault.pointer.chars().take(400).collect(),
            code: fault.code,
            detail: detail_in(envelope::language(), &fault.detail).chars().take(1000).collect(),
        }
    }
}

/// Upper bound of the faults listed in one answer. A request can hardly have more.
const MAX_FAULTS: usize = 2000;

/// An error to be sent as the answer.
pub struct Failure(pub Error);

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

pub fn status_of(kind: ProblemKind) -> StatusCode {
    match kind {
        ProblemKind::Malformed => StatusCode::BAD_REQUEST,
        ProblemKind::Unauthenticated => StatusCode::UNAUTHORIZED,
        ProblemKind::Forbidden => StatusCode::FORBIDDEN,
        ProblemKind::NotFound => StatusCode::NOT_FOUND,
        ProblemKind::NotAcceptable => StatusCode::NOT_ACCEPTABLE,
        ProblemKind::WrongMethod => StatusCode::METHOD_NOT_ALLOWED,
        ProblemKind::Gone => StatusCode::GONE,
        ProblemKind::Conflict => StatusCode::CONFLICT,
        ProblemKind::TooSlow => StatusCode::REQUEST_TIMEOUT,
        ProblemKind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        ProblemKind::WrongMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        ProblemKind::Unacceptable => StatusCode::UNPROCESSABLE_ENTITY,
        ProblemKind::TooMany => StatusCode::TOO_MANY_REQUESTS,
        ProblemKind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        ProblemKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
    }
}

impl ResponseError for Failure {
    fn status_code(&self) -> StatusCode {
        status_of(self.0.problem().kind)
    }

    #[expect(clippy::disallowed_methods, reason = "this is the one maker of bodies")]
    fn error_response(&self) -> HttpResponse {
        let error = &self.0;
        let status = self.status_code();
        if let Some(cause) = error.cause().filter(|_| !error.is_match_damaged()) {
            tracing::error!(code = error.problem().code, cause = %chain(cause), "a request failed because of a fault of the service");
        }
        let language = envelope::language();
        let document = Problem {
            kind: format!("/problems/{}", error.problem().code),
            title: error.problem().title_in(language),
            status: status.as_u16(),
            detail: error.detail(language).chars().take(4096).collect(),
            code: error.problem().code,
            request_id: envelope::request_id(),
            errors: error.faults().iter().take(MAX_FAULTS).map(ProblemError::from).collect(),
            current_version: error.current_version(),
            current_revision: error.current_revision(),
            next_cursor: error.cursor().map(str::to_owned),
            challenge: error.open_challenge().map(str::to_owned),
            suspension: error.suspension().cloned().map(SuspensionBody::from),
            quota: error.quota().map(ProblemQuota::from),
        };
        let mut response = HttpResponse::build(status);
        response.append_header((header::CONTENT_LANGUAGE, language.tag()));
        response.append_header((header::VARY, "accept-language"));
        if let Some(seconds) = error.retry_after_s() {
            response.append_header((header::RETRY_AFTER, seconds.to_string()));
        }
        if status == StatusCode::REQUEST_TIMEOUT {
            // The rest of the body may still arrive, and must not be taken for a request.
            response.force_close();
        }
        if status == StatusCode::UNAUTHORIZED {
            let refused = error.problem().is_about_a_token();
            let challenge = if refused { r#"Bearer error="invalid_token""# } else { "Bearer" };
            response.append_header((header::WWW_AUTHENTICATE, challenge));
        }
        if let Some(scope) = error.missing_scope() {
            let challenge = format!(r#"Bearer error="insufficient_scope", scope="{scope}""#);
            response.append_header((header::WWW_AUTHENTICATE, challenge));
        }
        if error.problem().code == problem::UNKNOWN_CODING.code {
            response.append_header((header::ACCEPT_ENCODING, "gzip"));
        }
        let body = serde_json::to_vec(&document).unwrap_or_default();
        response.content_type("application/problem+json").body(body)
    }
}

/// An error and its causes, on one line.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut below = error.source();
    while let Some(cause) = below {
        text = format!("{text}: {cause}");
        below = cause.source();
    }
    text
}
