//! Verification of records over HTTP, for callers without a verifier. It does the same as `broadside verify` with the
//! keys of this service. Run that command on your own machine if you don't trust the service.

use std::future::Future;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::http::header;
use actix_web::{FromRequest, HttpRequest, post, web};
use broadside_rules::Time;
use broadside_rules::card::Language;
use broadside_rules::record::Discrepancy;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::OwnedSemaphorePermit;
use utoipa::ToSchema;

use crate::api::http::auth::Anyone;
use crate::api::http::extract::{json, read_body};
use crate::api::http::languages::preferred as language;
use crate::api::http::reply::{Answer, Failure, Reply};
use crate::api::variants::in_language;
use crate::app::App;
use crate::budget_owner;
use crate::error::{Error, Result, detail_in, problem};
use crate::matches::keys;
use crate::verify::{Judgement, MAX_RECORD, RecordClaim, RecordStage, Statement, judge};
use crate::work_pool::Lane;

/// A record takes one place of [`App::record_checks`] per this many bytes.
const PLACE_BYTES: usize = 2 * 1024 * 1024;
/// Bytes checked per millisecond of processor time. The base price of the operation covers the first milliseconds.
const BYTES_A_MS: usize = 4096;
/// The part of a check that the price of the operation covers, in milliseconds.
const PAID_MS: usize = 25;
/// The maximum additional cost of a check, in milliseconds: an account can pay that once a minute.
const MOST_MS: usize = 1000;
/// The maximum number of characters shown of a place and of its message: a record may have names of any length.
const MOST_SHOWN: usize = 400;

/// A submitted record, and its permit to be checked.
pub struct SentRecord {
    bytes: Vec<u8>,
    /// Dropped with the record, which frees the places.
    _place: OwnedSemaphorePermit,
}

impl FromRequest for SentRecord {
    type Error = Failure;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Failure>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let checks = request.app_data::<web::Data<App>>().map(|app| app.record_checks.clone());
        let headers = request.headers();
        // A compressed body may become as long as the limit, whatever its stated length.
        let length = headers.get(header::CONTENT_LENGTH).filter(|_| !headers.contains_key(header::CONTENT_ENCODING));
        let length = length.and_then(|value| value.to_str().ok()?.parse().ok());
        let places = length.unwrap_or(MAX_RECORD).min(MAX_RECORD).div_ceil(PLACE_BYTES).max(1);
        let bytes = read_body(request, payload, "application/json", MAX_RECORD);
        Box::pin(async move {
            let checks = checks.ok_or_else(|| Error::internal("the app is not in place"))?;
            // Bodies are long, and many at once would fill the memory, so further callers must retry.
            let place = checks.try_acquire_many_owned(u32::try_from(places).map_err(Error::internal)?);
            let place = place.map_err(|_| Error::plain(&problem::OVERLOADED).retry_after(BUSY_S))?;
            Ok(Self { bytes: bytes.await?, _place: place })
        })
    }
}

crate::api::openapi::free_form! {
    /// A record, as `GET /v1/matches/{id}/record` gives it (`MatchRecord`), or what somebody takes for one.
    pub struct SentRecordBody;
}

/// The `Retry-After` while too many records are being checked, in seconds.
const BUSY_S: u64 = 5;

/// What the check of a record has come to.
#[derive(Serialize, ToSchema)]
pub struct RecordVerification {
    /// Whether everything fits, and a key of this service has signed it.
    holds: bool,
    /// Every place that does not fit. Later ones may be wrong only because of earlier ones: look at the first.
    #[schema(max_items = 100)]
    faults: Vec<RecordFault>,
    /// What it is a record of; null when it doesn't hold.
    record: Option<VerifiedRecord>,
    /// What it proves.
    #[schema(max_items = 10)]
    proven: Vec<RecordStatement>,
    /// What it doesn't prove, and what to compare.
    #[schema(max_items = 10)]
    not_proven: Vec<RecordStatement>,
}

/// A place in a record that does not fit.
#[derive(Serialize, ToSchema)]
pub struct RecordFault {
    /// Where: an RFC 6901 pointer into the record; empty for the whole. Its first 400 characters.
    #[schema(max_length = 400, pattern = "^(/[\\s\\S]*)?$")]
    pointer: String,
    /// What sort of fault, for programs, such as `record-altered`; a code of the rules where an action of the log isn't
    /// legal. More may come.
    #[schema(max_length = 64, pattern = "^[a-z0-9-]+$")]
    code: &'static str,
    /// What does not fit, for people.
    #[schema(max_length = 400)]
    detail: String,
}

/// What a record that holds is a record of.
#[derive(Serialize, ToSchema)]
pub struct VerifiedRecord {
    /// The match.
    #[schema(max_length = 36, pattern = "^[0-9a-f-]{36}$")]
    match_id: String,
    /// The variant.
    #[schema(max_length = 40, pattern = "^[a-z0-9-]+$")]
    variant: String,
    /// How many seats it had.
    #[schema(minimum = 2, maximum = 7, format = Int32)]
    seats: usize,
    /// When the match was made.
    created_at: Time,
    /// How far it has come.
    stage: RecordStage,
    /// The number of the record's format.
    #[schema(minimum = 1, maximum = 1000, format = Int32)]
    format: u32,
    /// How many public reports it holds.
    #[schema(minimum = 0, maximum = 100_000, format = Int32)]
    reports: usize,
    /// How many commitments were opened.
    #[schema(minimum = 0, maximum = 100_000, format = Int32)]
    commitments_opened: usize,
    /// The key that signed it.
    #[schema(max_length = 43, pattern = "^[A-Za-z0-9_-]{43}$")]
    key_id: String,
}

/// Something that a record proves, or doesn't.
#[derive(Serialize, ToSchema)]
pub struct RecordStatement {
    /// What it is about.
    claim: RecordClaim,
    /// The same in words, with figures.
    #[schema(max_length = 400)]
    detail: String,
}

/// Check a record
///
/// Judges a record of a match, as `GET /v1/matches/{id}/record` gives it: the chain, the signature by a key of this
/// service, the commitments, the draws, and every answer by the rules. A record that doesn't hold is not an error of
/// this request: the answer is 200 with `holds: false`, and `faults` names each place (English or French by
/// `Accept-Language`). A body that is no record at all is refused with `validation-failed`, one of more than 16 MiB
/// with `content-too-large`, and when too many records are being checked the answer is `overloaded`. A long record
/// costs more of the budget than the price: a millisecond for 4 KiB, up to a second. Nothing is kept. `broadside
/// verify` does the same without asking a server.
#[utoipa::path(tag = "matches", operation_id = "verify_record", security((), ("bearer" = [])),
    request_body(content = SentRecordBody),
    responses((status = 200, description = "The verdict.", body = RecordVerification)))]
#[post("/v1/records/verify")]
pub async fn verify_record(app: web::Data<App>, _: Anyone, record: SentRecord, request: HttpRequest) -> Answer {
    let ms = (record.bytes.len() / BYTES_A_MS).saturating_sub(PAID_MS).min(MOST_MS);
    budget_owner::charge_more(app.rate_limits.as_ref(), u32::try_from(ms).unwrap_or(u32::MAX))?;
    let keys: Vec<String> = keys::published(&app.matches).await?.into_iter().map(|key| key.x).collect();
    let language = language(&request);
    let check = move || {
        check_form(&record.bytes)?;
        Ok(match judge(&record.bytes, Some(&keys)) {
            Ok(judgement) => RecordVerification::holds(judgement, language),
            Err(faults) => RecordVerification::fails(&faults, language),
        })
    };
    let verdict: Result<RecordVerification> = app.pool.run(Lane::Heavy, check).await?;
    Ok(in_language(Reply::ok(&verdict?)?, language))
}

/// Refuses bytes that don't have the form of a record.
fn check_form(bytes: &[u8]) -> Result<()> {
    let value = json(bytes)?;
    let object = value.as_object().ok_or_else(|| Error::invalid_at("", "wrong-type", "must be a JSON object"))?;
    match object.get("format") {
        Some(Value::String(_)) => Ok(()),
        Some(_) => Err(Error::invalid_at("/format", "wrong-type", "must be a string")),
        None => Err(Error::invalid_at("/format", "missing-field", "is required")),
    }
}

impl RecordVerification {
    fn holds(judgement: Judgement, language: Language) -> Self {
        let said =
            |statements: Vec<Statement>| statements.iter().map(|one| RecordStatement::of(one, language)).collect();
        let (proven, not_proven) = (said(judgement.proven()), said(judgement.not_proven()));
        let Judgement { verified, stage, kid, .. } = judgement;
        let header = verified.header;
        let record = VerifiedRecord {
            match_id: header.match_id,
            variant: header.variant,
            seats: header.seats.len(),
            created_at: header.created_at,
            stage,
            format: verified.format.number(),
            reports: verified.reports,
            commitments_opened: verified.opened,
            key_id: kid,
        };
        Self { holds: true, faults: Vec::new(), record: Some(record), proven, not_proven }
    }

    fn fails(faults: &[Discrepancy], language: Language) -> Self {
        let fault = |fault: &Discrepancy| RecordFault {
            pointer: shown(&fault.pointer),
            code: fault.code,
            detail: shown(&detail_in(language, &fault.detail)),
        };
        let faults = faults.iter().map(fault).collect();
        Self { holds: false, faults, record: None, proven: Vec::new(), not_proven: Vec::new() }
    }
}

impl RecordStatement {
    fn of(statement: &Statement, language: Language) -> Self {
        Self { claim: statement.claim, detail: shown(&detail_in(language, &statement.text)) }
    }
}

fn shown(text: &str) -> String {
    text.chars().take(MOST_SHOWN).collect()
}
