//! Cases over HTTP, for their handlers: organizers of a ladder or a tournament, and moderators.

mod decisions;
pub mod own;
pub mod view;

use actix_web::{HttpRequest, get, post, web};
use broadside_contests::fair_play::FindingKind;

use self::view::{CaseBody, NoteBody, SummaryBody};
use crate::accounts::Username;
use crate::api::http::auth::{Caller, LobbyRead, LobbyWrite};
use crate::api::http::extract::{Change, Id, Query};
use crate::api::http::fields::{request, text_fields};
use crate::api::http::paging::{Page, page, page_limit};
use crate::api::http::reply::{Answer, Reply};
use crate::app::App;
use crate::cases::file::{self, NewCase, Pointer};
use crate::cases::read::{self, CaseFilter, Scope};
use crate::cases::{AppealOutcome, CaseState, DecisionKind, EvidenceKind};
use crate::db::Tx;
use crate::error::{Error, Result};
use crate::ids::{AbuseReportId, CaseId, ContestId, MatchId, PairingId};
use crate::rate_limits::RateLimitKey;
use crate::social::text::{Description, Title};

pub use decisions::{decide_case, decide_case_appeal};

text_fields!(AppealOutcome, CaseId, CaseState, ContestId, DecisionKind, EvidenceKind, FindingKind);

request! {
    /// A new case.
    pub struct CreateCaseRequest {
        /// The ladder or the tournament whose organizers look after it; moderators do unless given.
        pub contest_id: Option<ContestId>,
        /// About whom it is.
        #[schema(value_type = String, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]*$")]
        pub player: Username,
        /// What it is about: 3 to 80 characters. The player reads it once the case is decided.
        #[schema(value_type = String, min_length = 3, max_length = 80, pattern = "^[^\\u0000-\\u001f]+$")]
        pub title: Title,
    }
}

request! {
    /// Which cases to list.
    pub query CaseListQuery {
        /// Only those of this ladder or tournament. All of them, for moderators, unless given.
        pub contest_id: Option<ContestId>,
        /// Only those that are so far.
        pub state: Option<CaseState>,
        ..page(CaseId)
    }
}

request! {
    /// Evidence to be added.
    pub struct AddCaseEvidenceRequest {
        /// What it is. What isn't a match or a pairing is for moderators.
        pub kind: EvidenceKind,
        /// The match; with `match`, and only then.
        pub match_id: Option<MatchId>,
        /// The pairing; with `pairing`, and only then.
        pub pairing_id: Option<PairingId>,
        /// The report; with `abuse-report`, and only then.
        pub abuse_report_id: Option<AbuseReportId>,
        /// Which finding; with `fair-play-finding`, and only then.
        pub finding: Option<FindingKind>,
    }
}

request! {
    /// A note.
    pub struct AddCaseNoteRequest {
        /// The note: 1 to 2000 characters, for those who look after the case.
        #[schema(value_type = String, min_length = 1, max_length = 2000, pattern = "^[^\\u0000-\\u0009\\u000b\\u000c\\u000e-\\u001f]+$")]
        pub text: Description,
    }
}

impl AddCaseEvidenceRequest {
    fn pointer(self) -> Result<Pointer> {
        let Self { kind, match_id, pairing_id, abuse_report_id, finding } = self;
        let given = [
            ("/match_id", EvidenceKind::Match, match_id.is_some()),
            ("/pairing_id", EvidenceKind::Pairing, pairing_id.is_some()),
            ("/abuse_report_id", EvidenceKind::AbuseReport, abuse_report_id.is_some()),
            ("/finding", EvidenceKind::FairPlayFinding, finding.is_some()),
        ];
        for (at, of, is_given) in given {
            match (of == kind, is_given) {
                (true, false) => {
                    return Err(Error::invalid_at(at, "missing-field", "is required with this kind of evidence"));
                }
                (false, true) => {
                    return Err(Error::invalid_at(
                        at,
                        "conflicting-fields",
                        "can't be given with this kind of evidence",
                    ));
                }
                _ => {}
            }
        }
        let pointer = match kind {
            EvidenceKind::Match => match_id.map(Pointer::Match),
            EvidenceKind::Pairing => pairing_id.map(Pointer::Pairing),
            EvidenceKind::AbuseReport => abuse_report_id.map(Pointer::Report),
            EvidenceKind::HitAnalysis => Some(Pointer::Hits),
            EvidenceKind::FairPlayFinding => finding.map(Pointer::Finding),
        };
        pointer.ok_or_else(|| Error::internal("evidence without what it points to"))
    }
}

/// The case in the caller's current view.
async fn shown(tx: &mut Tx, app: &App, caller: &crate::accounts::Identity, id: CaseId) -> Result<CaseBody> {
    read::one(tx, app, caller, id).await?.map(CaseBody::from).ok_or_else(Error::not_found)
}

/// Open a case
///
/// About a player who takes part in a ladder or a tournament, or has: by those who run it. About any player: by
/// moderators, to whom alone `contest_id` is optional. The player isn't told before it is decided. `own-account`,
/// `not-an-organizer`, `not-the-creator` about somebody who runs the contest, `not-found` for somebody who has never
/// taken part, and `quota-exceeded` when a hundred cases are open.
#[utoipa::path(tag = "cases", operation_id = "create_case", security(("bearer" = ["lobby:write"])),
    request_body = CreateCaseRequest,
    responses((status = 201, description = "It is open.", body = CaseBody)))]
#[post("/v1/cases")]
pub async fn create_case(app: web::Data<App>, caller: Caller<LobbyWrite>, change: Change<CreateCaseRequest>) -> Answer {
    let CreateCaseRequest { contest_id, player, title } = change.request;
    let work = async |tx: &mut Tx| {
        let case = file::open(tx, &app, &caller, NewCase { contest: contest_id, player, title }).await?;
        Reply::created(&format!("/v1/cases/{}", case.id), &shown(tx, &app, &caller, case.id).await?)
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// List cases
///
/// The newest first: those of a ladder or a tournament for those who run it and for moderators (`not-an-organizer`);
/// without `contest_id` those of all that the caller runs, and for moderators all there are. Cases about the caller are
/// left out.
#[utoipa::path(tag = "cases", operation_id = "list_cases", security(("bearer" = ["lobby:read"])), params(CaseListQuery),
    responses((status = 200, description = "A page of them.", body = Page<SummaryBody>)))]
#[get("/v1/cases")]
pub async fn list_cases(
    app: web::Data<App>,
    caller: Caller<LobbyRead>,
    query: Query<CaseListQuery>,
    request: HttpRequest,
) -> Answer {
    let CaseListQuery { contest_id, state, limit, cursor } = query.0;
    let limit = page_limit(limit, 50);
    let scope = contest_id.map_or(Scope::Server, Scope::Contest);
    let found = read::page(&app, &caller, CaseFilter { scope, state, before: cursor }, limit + 1).await?;
    page(found, limit, |whole| whole.case.id.to_string(), SummaryBody::from).reply(&request)
}

/// Get a case
///
/// With its evidence and its notes, for those who look after it; for everybody else there is none (`not-found`).
#[utoipa::path(tag = "cases", operation_id = "get_case", security(("bearer" = ["lobby:read"])),
    params(("id" = CaseId, Path, description = "The case.")),
    responses((status = 200, description = "The case.", body = CaseBody)))]
#[get("/v1/cases/{id}")]
pub async fn get_case(app: web::Data<App>, caller: Caller<LobbyRead>, id: Id<CaseId>) -> Answer {
    let mut conn = app.db.conn().await?;
    let found = read::one(&mut conn, &app, &caller, id.0).await?.ok_or_else(Error::not_found)?;
    Ok(Reply::ok(&CaseBody::from(found))?)
}

/// Add evidence to a case
///
/// A match or a pairing (of its ladder or tournament); for moderators (`role-required`) also words of the player that
/// were reported, how well the player hits at present, and what is striking in their results at present. It stays as it
/// is now, whatever becomes of what it was taken from. The player reads it once the case is decided, but not who has
/// reported anything. `not-found` when there is nothing of the kind, `wrong-case-state` once it is decided,
/// `quota-exceeded` beyond 50 pieces.
#[utoipa::path(tag = "cases", operation_id = "add_case_evidence", security(("bearer" = ["lobby:write"])),
    params(("id" = CaseId, Path, description = "The case.")),
    request_body = AddCaseEvidenceRequest,
    responses((status = 200, description = "The case with it.", body = CaseBody)))]
#[post("/v1/cases/{id}/evidence")]
pub async fn add_case_evidence(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<CaseId>,
    change: Change<AddCaseEvidenceRequest>,
) -> Answer {
    let evidence = file::look(&app.matches, &caller, id.0, change.request.pointer()?).await?;
    let work = async |tx: &mut Tx| {
        file::add_evidence(tx, &app, &caller, id.0, evidence).await?;
        Reply::ok(&shown(tx, &app, &caller, id.0).await?)
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// Add a note to a case
///
/// For those who look after it; the player never reads it. `not-found`, and `quota-exceeded` beyond 200 notes.
#[utoipa::path(tag = "cases", operation_id = "add_case_note", security(("bearer" = ["lobby:write"])),
    params(("id" = CaseId, Path, description = "The case.")),
    request_body = AddCaseNoteRequest,
    responses((status = 201, description = "The case with it.", body = NoteBody)))]
#[post("/v1/cases/{id}/notes")]
pub async fn add_case_note(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<CaseId>,
    change: Change<AddCaseNoteRequest>,
) -> Answer {
    let text = change.request.text;
    let work = async |tx: &mut Tx| {
        let added = file::add_note(tx, &app, &caller, id.0, text).await?.id;
        let whole = read::one(tx, &app, &caller, id.0).await?.ok_or_else(Error::not_found)?;
        let note = whole.entries.iter().find(|entry| entry.id == added).and_then(|entry| view::note(&whole, entry));
        Reply::created(&format!("/v1/cases/{}", id.0), &note.ok_or_else(Error::not_found)?)
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}
