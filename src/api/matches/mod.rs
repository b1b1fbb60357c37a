//! Matches over HTTP: the viewer's view, actions, reports.

pub mod clock;
pub mod export;
pub mod lists;
pub mod records;
pub mod turns;
pub mod view;

use std::sync::Arc;
use std::time::Duration;

use actix_web::http::header;
use actix_web::{HttpRequest, get, post, web};
use broadside_rules::report::Report;
use broadside_rules::{SeatSet, Status, Time};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::api::http::auth::{Caller, MatchesPlay, MatchesRead, Visitor};
use crate::api::http::caching::{Caching, matches_etag};
use crate::api::http::envelope;
use crate::api::http::extract::{Id, Query, RawBody, idempotency_key, json};
use crate::api::http::fields::{Fields, Ranged, Request, request};
use crate::api::http::paging::page_limit;
use crate::api::http::prefer::{MINIMAL, PREFERENCE_APPLIED, prefers_minimal};
use crate::api::http::reply::{Answer, JSON, Reply};
use crate::api::matches::view::{MatchBody, etag, etag_with};
use crate::app::App;
use crate::contests::access::SeenPairing;
use crate::document::Document;
use crate::epoch::{Cursor, Epoch, rewound};
use crate::error::{Error, Result};
use crate::ids::MatchId;
use crate::matches::play::{ActionRequest, Played};
use crate::matches::{MatchSnapshot, play, queries};
use crate::rate_limits::RateLimitKey;
use crate::work_pool::Lane;

request! {
    /// How to look at a match.
    pub query MatchQuery {
        /// Wait up to so many seconds (0 to 60) for a version above `after_version`.
        #[param(minimum = 0, maximum = 60, format = Int32)]
        pub wait_s: Option<u32>,
        /// The version that the caller has; needed with `wait_s`.
        #[param(minimum = 0, maximum = 4294967295_i64, format = Int64)]
        pub after_version: Option<u32>,
    }
}

/// The longest wait for a change of the view, in seconds.
const WAIT_AT_MOST_S: u32 = 60;

/// Get a match
///
/// The caller's view: a player's own, or a spectator's (also without a token). With `If-None-Match` the answer is 304
/// as long as the caller has seen everything; with `wait_s` and `after_version` the answer waits for news. `not-found`
/// when the match is closed to spectators.
#[utoipa::path(tag = "matches", operation_id = "get_match", security((), ("bearer" = ["matches:read"])),
    params(("id" = MatchId, Path, description = "The match."), MatchQuery,
        ("If-None-Match" = Option<String>, Header, max_length = 400, pattern = "^[\\x20-\\x7e]*$", description = "The `ETag` of the view that the caller has.")),
    responses((status = 200, description = "The match as the caller may see it.", body = MatchBody), (status = 304, description = "Nothing new.")))]
#[get("/v1/matches/{id}")]
pub async fn get_match(
    app: web::Data<App>,
    visitor: Visitor<MatchesRead>,
    id: Id<MatchId>,
    query: Query<MatchQuery>,
    request: HttpRequest,
) -> Answer {
    let me = visitor.identity().map(|me| me.account);
    let MatchQuery { wait_s, after_version } = query.0;
    if let Some(wait_s) = wait_s {
        if wait_s > WAIT_AT_MOST_S {
            return Err(Error::invalid_at("/wait_s", "out-of-range", format!("must be 0 to {WAIT_AT_MOST_S}")).into());
        }
        let after = after_version
            .ok_or_else(|| Error::invalid_at("/after_version", "missing-field", "is needed with wait_s"))?;
        envelope::mark_long_poll();
        queries::wait(&app.matches, id.0, me, after, Duration::from_secs(u64::from(wait_s))).await?;
    }
    let snapshot = app.matches.read(id.0, me).await?;
    let pairing = SeenPairing::of(&app, snapshot.terms(), visitor.identity()).await?;
    let etag = etag_with(pairing, &snapshot);
    let known = request.headers().get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    if known.is_some_and(|known| matches_etag(known, &etag)) {
        return Ok(Reply::not_modified(&etag));
    }
    let is_quick = snapshot.terms().view_size.is_quick();
    let make = move || Reply::ok(&MatchBody::of(&snapshot, pairing)).map(|reply| noted(reply, &snapshot).tagged(etag));
    Ok(if is_quick { make() } else { app.pool.run(Lane::Play, make).await? }?)
}

/// The answer with a view. Its length is noted, to decide where the next view is made.
fn noted(reply: Reply, snapshot: &MatchSnapshot) -> Reply {
    snapshot.terms().view_size.note(reply.body_bytes());
    reply
}

/// An order: an action, and the version of the match that it is meant for.
#[derive(ToSchema)]
#[schema(as = SubmitActionRequest)]
#[allow(dead_code, reason = "it only describes the contract")]
struct ActionRequestBody {
    /// The version that the caller acts on; when the match has moved on, the order is refused with `stale-version`.
    /// Without one it is judged as it comes.
    #[schema(minimum = 0, maximum = 4294967295_i64, format = Int64)]
    version: Option<u32>,
    /// The action: the `example` of a decision, or one of the caller's own making.
    action: broadside_rules::Action,
}

request! {
    /// What an order holds, before the rules read its action.
    pub struct ActionFields {
        /// See `ActionRequestBody`.
        pub version: Option<u32>,
        /// See `ActionRequestBody`.
        #[schema(value_type = Object)]
        pub action: serde_json::Map<String, Value>,
    }
}

request! {
    /// How to take an order.
    pub query ActionQuery {
        /// Judge the order, and change nothing.
        pub dry_run: Option<bool>,
    }
}

/// What came of an action.
#[derive(Serialize, ToSchema)]
#[schema(as = ActionResult)]
pub struct ActedBody<'a> {
    /// The caller's version of the match now.
    #[schema(minimum = 0, maximum = 4294967295_i64, format = Int64)]
    version: u32,
    /// Where the match stands now.
    status: Status,
    /// The seats that must act now.
    to_act: SeatSet,
    /// When time runs out for the seats that must act, or the armistice ends; null: no limit.
    deadline: Option<Time>,
    /// What the caller has just learnt.
    #[schema(max_items = 64)]
    reports: &'a [Report],
    /// The match as the caller sees it now; left out where the caller asked for little (`Prefer: return=minimal`).
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    view: Option<MatchBody<'a>>,
}

/// Submit an action
///
/// Any action that the caller's `decisions` list. What the rules refuse changes nothing. Where no action of this sort
/// could be right, the code says why (`not-your-turn`, `match-over`, …); else it is `illegal-action`, and `errors` name
/// every fault with the rule's code (`cell-already-tried`, …). `stale-version` and
/// `concurrent-action` (409) mean: read the match again and decide again.
///
/// A dry run is charged to the budget `general` instead of `actions`; a refused action is charged to `general` as well.
///
/// A client that folds the reports by itself, or reads the match when it is its turn again, needs no view: `Prefer:
/// return=minimal` (RFC 7240) leaves it out.
#[utoipa::path(tag = "matches", operation_id = "submit_action", security(("bearer" = ["matches:play"])),
    params(("id" = MatchId, Path, description = "The match."), ActionQuery,
        ("Prefer" = Option<String>, Header, max_length = 200, pattern = "^[\\x20-\\x7e]*$", example = "return=minimal",
            description = "`return=minimal`: an answer without `match`. Other preferences have no effect.")),
    request_body = ActionRequestBody,
    responses((status = 200, description = "It is done, and will last.", body = ActedBody)))]
#[post("/v1/matches/{id}/actions")]
pub async fn submit_action(
    app: web::Data<App>,
    caller: Caller<MatchesPlay>,
    id: Id<MatchId>,
    query: Query<ActionQuery>,
    body: RawBody,
    request: HttpRequest,
) -> Answer {
    let read = ActionFields::read(Fields::of_body(json(&body.0)?)).map_err(Error::invalid)?;
    let claim = idempotency_key(request.headers())?.map(|key| {
        let owner = RateLimitKey::Account(caller.account).to_string();
        key.claim(owner.as_bytes(), &[request.uri().to_string().as_bytes(), b"\n", &body.0].concat())
    });
    let dry_run = query.0.dry_run.unwrap_or(false);
    let action = ActionRequest {
        account: caller.account,
        version: read.version,
        action: Value::Object(read.action),
        dry_run,
        claim,
    };
    let played = play::play(&app.matches, id.0, &action).await?;
    let minimal = prefers_minimal(request.headers());
    let terms = played.snapshot.terms();
    // The action is done, so it is answered even if this fails.
    let pairing = SeenPairing::of(&app, terms, Some(&caller)).await.unwrap_or_else(|_| SeenPairing::hidden(terms));
    if minimal || terms.view_size.is_quick() {
        return Ok(acted(&played, pairing, minimal)?);
    }
    let played = Arc::new(played);
    let in_pool = Arc::clone(&played);
    // The action is done, so it is answered even if the pool is busy.
    let lane = if dry_run { Lane::Heavy } else { Lane::Play };
    let made = app.pool.run(lane, move || acted(&in_pool, pairing, false)).await;
    Ok(made.unwrap_or_else(|_| acted(&played, pairing, false))?)
}

fn acted(played: &Played, pairing: SeenPairing, minimal: bool) -> Result<Reply> {
    let Played { reports, snapshot } = played;
    let view = snapshot.view();
    let body = ActedBody {
        version: view.version(),
        status: view.status(),
        to_act: view.to_act(),
        deadline: view.deadline(),
        reports,
        view: (!minimal).then(|| MatchBody::of(snapshot, pairing)),
    };
    let reply = Reply::ok(&body)?.tagged(etag_with(pairing, snapshot)).header(header::VARY, "prefer");
    Ok(if minimal { reply.header(PREFERENCE_APPLIED, MINIMAL) } else { noted(reply, snapshot) })
}

request! {
    /// Which reports to list.
    pub query ReportQuery {
        /// A cursor: only reports after it. 0, and unless given: all.
        #[param(value_type = Option<String>, max_length = 25, pattern = "^(0|[a-z2-9]{8}-[0-9]{1,16})$")]
        pub after: Option<Cursor>,
        /// How many at most: 1 to 1000, 200 unless given.
        #[param(value_type = Option<u32>, minimum = 1, maximum = 1000, format = Int32)]
        pub limit: Option<Ranged<1, 1000>>,
    }
}

/// A page of reports.
#[derive(Serialize, ToSchema)]
pub struct ReportPage<'a> {
    /// The reports, in order.
    #[schema(max_items = 1000, value_type = Vec<Report>)]
    items: &'a [Box<RawValue>],
    /// Send it as `after` for the next page; null when these are all for now.
    #[schema(max_length = 25, pattern = "^[a-z2-9]{8}-[0-9]{1,16}$")]
    next_cursor: Option<String>,
}

impl<'a> ReportPage<'a> {
    fn of(items: &'a [Box<RawValue>], epoch: Epoch, after: u32, more: bool) -> Self {
        let last = || Cursor::new(epoch, u64::from(after) + items.len() as u64).to_string();
        Self { items, next_cursor: more.then(last) }
    }
}

/// List reports of a match
///
/// What the caller has been told, numbered from 1 without a gap: the whole match can be replayed from it. When the
/// match is over the last report shows everything to everybody, and the pages never change: keep them. With
/// `If-None-Match` the answer is 304 as long as there is nothing new. `log-rewound` (410) when the service was restored
/// to an earlier time since: read the match anew, then go on from the answer's `next_cursor`.
#[utoipa::path(tag = "matches", operation_id = "list_match_reports", security((), ("bearer" = ["matches:read"])),
    params(("id" = MatchId, Path, description = "The match."), ReportQuery,
        ("If-None-Match" = Option<String>, Header, max_length = 400, pattern = "^[\\x20-\\x7e]*$", description = "The `ETag` of the page that the caller has.")),
    responses((status = 200, description = "The reports.", body = ReportPage), (status = 304, description = "Nothing new.")))]
#[get("/v1/matches/{id}/reports")]
pub async fn list_match_reports(
    app: web::Data<App>,
    visitor: Visitor<MatchesRead>,
    id: Id<MatchId>,
    query: Query<ReportQuery>,
    request: HttpRequest,
) -> Answer {
    let me = visitor.identity().map(|me| me.account);
    let cursor = query.0.after.unwrap_or(Cursor::BEGINNING);
    let after = u32::try_from(cursor.number).unwrap_or(u32::MAX);
    let limit = u32::try_from(page_limit(query.0.limit, 200)).unwrap_or(1000);
    let access = app.matches.access(id.0, me).await?;
    if !app.epochs.includes(&app.db, cursor).await? {
        return Err(rewound(app.matches.read(id.0, me).await?.cursor()).into());
    }
    if access.is_over {
        let render = move |items: &[Box<RawValue>], more| {
            let page =
                serde_json::to_vec(&ReportPage::of(items, access.epoch, after, more)).map_err(Error::internal)?;
            Ok(Document::new(JSON, page))
        };
        let page = queries::page_of_ended(&app.matches, &access, after, limit, render).await?;
        return Ok(Reply::document(&page, Caching::Immutable, &request));
    }
    // The match in memory knows the number of reports, so nothing is folded if the caller is up to date.
    let snapshot = app.matches.read(id.0, me).await?;
    if after > snapshot.view().version() {
        app.epochs.beyond_the_end();
        return Err(rewound(snapshot.cursor()).into());
    }
    let (etag, limit) = (etag(&snapshot), limit as usize);
    let known = request.headers().get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    if known.is_some_and(|known| matches_etag(known, &etag)) {
        return Ok(Reply::not_modified(&etag));
    }
    let mut items = match snapshot.view().version() > after {
        true => queries::reports(&app.matches, &access, after, limit + 1).await?,
        false => Vec::new(),
    };
    let more = items.len() > limit;
    items.truncate(limit);
    Ok(Reply::ok(&ReportPage::of(&items, access.epoch, after, more))?.tagged(etag))
}
