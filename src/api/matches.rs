//! Matches over HTTP: lists, the viewer's view, acting, reports, and the turns that wait for the caller.

use std::time::Duration;

use actix_web::http::header;
use actix_web::{HttpRequest, get, post, web};
use broadside_rules::report::Report;
use broadside_rules::view::{SeaView, SeatState};
use broadside_rules::{Clock, Decision, Outcome, RuleSet, Seat, SeatSet, Status, Time};
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

use super::auth::{Caller, MatchesPlay, MatchesRead, Visitor};
use super::challenges::{VariantId, page, page_limit};
use super::envelope;
use super::extract::{Id, Query, RawBody, idempotency_key, json};
use super::fields::{Fields, Request, request, text_fields};
use super::reply::{Answer, Page, Reply};
use crate::accounts::Username;
use crate::app::App;
use crate::error::{Error, Result};
use crate::ids::{AccountId, MatchId};
use crate::limits::Payer;
use crate::lobby::terms::words;
use crate::matches::play::{Order, Played};
use crate::matches::{Listed, Seen, Which, play, watch, word};
use crate::player::Player;
use std::str::FromStr;

text_fields!(MatchId, MatchStatus, Me);

/// Where a match stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum MatchStatus {
    /// The fleets are being placed.
    Deploying,
    /// The battle is on.
    Playing,
    /// It is over.
    Finished,
    /// It was called off before the battle.
    Aborted,
}

words!(MatchStatus { Deploying "deploying", Playing "playing", Finished "finished", Aborted "aborted" });

/// The word `me`.
#[derive(Clone, Copy)]
pub enum Me {
    /// Whoever asks.
    Me,
}

words!(Me { Me "me" });

/// Who looks.
#[derive(Serialize, ToSchema)]
#[schema(as = Viewer)]
pub struct ViewerBody {
    /// The viewer's seat; null for a spectator.
    seat: Option<Seat>,
}

/// A seat of a match.
#[derive(Serialize, ToSchema)]
pub struct MatchSeat<'a> {
    seat: Seat,
    /// What the seat is called in this game.
    #[schema(max_length = 20, pattern = "^[a-z-]+$")]
    name: &'a str,
    player: &'a Player,
    /// The player's rating when the match began; null while unrated.
    #[schema(minimum = 0, maximum = 10000, format = Int32)]
    rating: Option<i32>,
    /// `playing`, or `out` once the seat plays no more part.
    state: SeatState,
    /// Whether the fleet is placed.
    deployed: bool,
    /// Seconds left on this seat's clock when it last started or stopped; while the seat must act, `deadline` says when it runs out. Null: no limit.
    #[schema(minimum = 0, maximum = 1_209_600, format = Int32)]
    time_left_s: Option<u32>,
    /// The place taken, from 1; null while the match lasts.
    #[schema(minimum = 1, maximum = 7, format = Int32)]
    place: Option<u8>,
}

/// All that the viewer knows of a match.
#[derive(Serialize, ToSchema)]
#[schema(as = Match)]
pub struct MatchBody<'a> {
    id: MatchId,
    #[schema(max_length = 40, pattern = "^[a-z0-9-]+$")]
    variant: &'a str,
    rule_set: &'a RuleSet,
    /// SHA-256 of the rule set's canonical JSON (RFC 8785), in hexadecimal.
    #[schema(max_length = 64, pattern = "^[0-9a-f]{64}$")]
    rule_set_hash: &'a str,
    clock: &'a Clock,
    rated: bool,
    spectators: bool,
    #[schema(value_type = Status)]
    status: &'static str,
    /// How much this viewer has been told: the number of his reports. Send it with an action; it is the ETag, too.
    #[schema(minimum = 0, maximum = 4294967295_i64, format = Int64)]
    version: u32,
    viewer: ViewerBody,
    #[schema(max_items = 7)]
    seats: Vec<MatchSeat<'a>>,
    /// The seats that must act.
    to_act: SeatSet,
    /// When time runs out for the seats that must act; null: no limit.
    deadline: Option<Time>,
    #[schema(max_items = 7)]
    seas: Vec<SeaView>,
    /// What the viewer may do now; the first required one is what the match waits for.
    #[schema(max_items = 32)]
    decisions: Vec<Decision>,
    result: Option<&'a Outcome>,
    created_at: Time,
    started_at: Option<Time>,
    finished_at: Option<Time>,
}

impl<'a> MatchBody<'a> {
    fn of(seen: &Seen<'a>) -> Self {
        let Seen { terms, view } = *seen;
        let seats = view.seats().into_iter().zip(&terms.players).map(|(seat, player)| MatchSeat {
            seat: seat.seat,
            name: seat.name,
            player,
            rating: None,
            state: seat.state,
            deployed: seat.deployed,
            time_left_s: seat.time_left_s,
            place: seat.place,
        });
        Self {
            id: terms.id,
            variant: terms.variant.id,
            rule_set: &terms.setup.rules,
            rule_set_hash: &terms.rule_set_hash,
            clock: &terms.setup.clock,
            rated: terms.rated,
            spectators: terms.spectators,
            status: word(view.status()),
            version: view.version(),
            viewer: ViewerBody { seat: view.viewer().seat() },
            seats: seats.collect(),
            to_act: view.to_act(),
            deadline: view.deadline(),
            seas: view.seas(),
            decisions: view.decisions(terms.seed),
            result: view.result(),
            created_at: terms.created_at,
            started_at: view.started_at(),
            finished_at: view.finished_at(),
        }
    }
}

/// A match in a list: public facts only.
#[derive(Serialize, ToSchema)]
pub struct MatchSummary {
    id: MatchId,
    #[schema(max_length = 40, pattern = "^[a-z0-9-]+$")]
    variant: String,
    rated: bool,
    spectators: bool,
    #[schema(value_type = Status)]
    status: String,
    #[schema(max_items = 7)]
    seats: Vec<SummarySeat>,
    /// The seats that must act.
    to_act: SeatSet,
    deadline: Option<Time>,
    #[schema(value_type = Option<Outcome>)]
    result: Option<Value>,
    created_at: Time,
    started_at: Option<Time>,
    finished_at: Option<Time>,
}

/// A seat of a match in a list.
#[derive(Serialize, ToSchema)]
pub struct SummarySeat {
    #[schema(minimum = 0, maximum = 6, format = Int32)]
    seat: usize,
    player: Player,
}

impl From<Listed> for MatchSummary {
    fn from(listed: Listed) -> Self {
        let players = listed.players.into_iter().enumerate();
        Self {
            id: listed.id,
            variant: listed.variant,
            rated: listed.rated,
            spectators: listed.spectators,
            status: listed.status,
            seats: players.map(|(seat, player)| SummarySeat { seat, player }).collect(),
            to_act: (0..7).filter(|seat| listed.to_act >> seat & 1 == 1).map(Seat).collect(),
            deadline: listed.deadline,
            result: listed.result,
            created_at: listed.created_at,
            started_at: listed.started_at,
            finished_at: listed.finished_at,
        }
    }
}

request! {
    /// Which matches to list.
    pub query WhichMatches {
        /// Only matches of this player.
        #[param(value_type = Option<String>, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]*$")]
        pub player: Option<Username>,
        /// Only of this variant.
        #[param(value_type = Option<String>, max_length = 40, pattern = "^[a-z0-9-]+$")]
        pub variant: Option<VariantId>,
        /// Only with this status.
        #[param(value_type = Option<Status>, inline)]
        pub status: Option<MatchStatus>,
        /// `me`: only matches where I must act; needs a token.
        #[param(value_type = Option<String>, max_length = 2, pattern = "^me$")]
        pub to_act: Option<Me>,
        /// How many at most: 1 to 100, 50 unless given.
        #[param(minimum = 1, maximum = 100, format = Int32)]
        pub limit: Option<u32>,
        /// `next_cursor` of the page before.
        #[param(value_type = Option<String>, max_length = 200, pattern = "^[A-Za-z0-9_-]+$")]
        pub cursor: Option<MatchId>,
    }
}

/// List matches
///
/// The newest first. Matches that are closed to spectators are listed for their players only, until they are over.
#[utoipa::path(tag = "matches", operation_id = "list_matches", security((), ("bearer" = [])), params(WhichMatches),
    responses((status = 200, description = "A page of them.", body = Page<MatchSummary>)))]
#[get("/v1/matches")]
pub async fn list_matches(
    app: web::Data<App>,
    visitor: Visitor,
    query: Query<WhichMatches>,
    request: HttpRequest,
) -> Answer {
    let asked = query.0;
    let me = visitor.identity().map(|me| me.account);
    let to_act = match asked.to_act {
        Some(Me::Me) => Some(me.ok_or_else(|| Error::plain(&crate::error::problem::NOT_SIGNED_IN))?),
        None => None,
    };
    let player = match &asked.player {
        Some(name) => Some(crate::accounts::find_player(&app, name).await?.id),
        None => to_act,
    };
    let limit = page_limit(asked.limit, 50, 100)?;
    let which = Which {
        player,
        variant: asked.variant.map(|VariantId(variant)| variant.id.to_owned()),
        status: asked.status.map(|status| status.word().to_owned()),
        to_act,
        viewer: me,
        before: asked.cursor,
        limit: limit + 1,
    };
    summaries(&app, &which, limit).await?.reply(&request)
}

request! {
    /// A page of a player's matches.
    pub query PlayersMatches {
        /// How many at most: 1 to 100, 50 unless given.
        #[param(minimum = 1, maximum = 100, format = Int32)]
        pub limit: Option<u32>,
        /// `next_cursor` of the page before.
        #[param(value_type = Option<String>, max_length = 200, pattern = "^[A-Za-z0-9_-]+$")]
        pub cursor: Option<MatchId>,
    }
}

/// List a player's matches
///
/// The newest first; the same as `GET /v1/matches` with `player`.
#[utoipa::path(tag = "players", operation_id = "list_player_matches", security((), ("bearer" = [])),
    params(("username" = String, Path, description = "The player's name; case makes no difference.", max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]*$", example = "anna"), PlayersMatches),
    responses((status = 200, description = "A page of them.", body = Page<MatchSummary>)))]
#[get("/v1/players/{username}/matches")]
pub async fn matches_of_player(
    app: web::Data<App>,
    visitor: Visitor,
    name: web::Path<String>,
    query: Query<PlayersMatches>,
    request: HttpRequest,
) -> Answer {
    let name = name.parse::<Username>().map_err(|_| Error::not_found())?;
    let player = crate::accounts::find_player(&app, &name).await?;
    let limit = page_limit(query.0.limit, 50, 100)?;
    let which = Which {
        player: Some(player.id),
        viewer: visitor.identity().map(|me| me.account),
        before: query.0.cursor,
        limit: limit + 1,
        ..Which::default()
    };
    summaries(&app, &which, limit).await?.reply(&request)
}

/// A page of matches for a list.
async fn summaries(app: &App, which: &Which, limit: i64) -> Result<Page<MatchSummary>> {
    let found = watch::list(app, which).await?;
    Ok(page(found, limit, |listed| listed.id.to_string(), MatchSummary::from))
}

request! {
    /// How to look at a match.
    pub query Look {
        /// Wait up to so many seconds (0 to 60) for a version above `after_version`.
        #[param(minimum = 0, maximum = 60, format = Int32)]
        pub wait_s: Option<u32>,
        /// The version that the caller has; needed with `wait_s`.
        #[param(minimum = 0, maximum = 4294967295_i64, format = Int64)]
        pub after_version: Option<u32>,
    }
}

/// How long a look may wait, in seconds.
const WAIT_AT_MOST_S: u32 = 60;

/// Look at a match
///
/// The view of whoever asks: a player's own, or a spectator's (also without a token). With `If-None-Match` the answer is 304 as long as the caller
/// has seen everything; with `wait_s` and `after_version` the answer waits for news. `not-found` when the match is closed to spectators.
#[utoipa::path(tag = "matches", operation_id = "read_match", security((), ("bearer" = [])),
    params(("id" = MatchId, Path, description = "The match."), Look,
        ("If-None-Match" = Option<String>, Header, max_length = 400, pattern = "^[\\x20-\\x7e]*$", description = "The `ETag` of the view that the caller has.")),
    responses((status = 200, description = "The match as the caller may see it.", body = MatchBody), (status = 304, description = "Nothing new.")))]
#[get("/v1/matches/{id}")]
pub async fn read_match(
    app: web::Data<App>,
    visitor: Visitor,
    id: Id<MatchId>,
    query: Query<Look>,
    request: HttpRequest,
) -> Answer {
    let me = visitor.identity().map(|me| me.account);
    let Look { wait_s, after_version } = query.0;
    if let Some(wait_s) = wait_s {
        if wait_s > WAIT_AT_MOST_S {
            return Err(Error::invalid_at("/wait_s", "out-of-range", format!("must be 0 to {WAIT_AT_MOST_S}")).into());
        }
        let after =
            after_version.ok_or_else(|| Error::invalid_at("/after_version", "required", "is needed with wait_s"))?;
        envelope::note_patience();
        watch::wait(&app, id.0, me, after, Duration::from_secs(u64::from(wait_s))).await?;
    }
    let known = request.headers().get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    Ok(watch::look(&app, id.0, me, |seen| view_reply(&seen, known)).await?)
}

fn view_reply(seen: &Seen<'_>, known: Option<&str>) -> Result<Reply> {
    let etag = etag(seen);
    if known.is_some_and(|known| matches_etag(known, &etag)) {
        return Ok(Reply::not_modified(&etag));
    }
    Ok(Reply::ok(&MatchBody::of(seen))?.header(header::ETAG, etag))
}

/// The viewer's version names his view, which is a function of his reports; and then there are the players' names, which may be blanked.
fn etag(seen: &Seen<'_>) -> String {
    #[cfg(feature = "planted-leaks")]
    if let Some(salt) = seen.view.etag_salt() {
        return format!("\"{}-{salt}\"", seen.view.version());
    }
    match seen.terms.edition {
        0 => format!("\"{}\"", seen.view.version()),
        edition => format!("\"{}.{edition}\"", seen.view.version()),
    }
}

/// RFC 9110, section 13.1.2: a list of tags or a star, compared weakly.
fn matches_etag(known: &str, etag: &str) -> bool {
    known.split(',').map(str::trim).any(|tag| tag == "*" || tag.trim_start_matches("W/") == etag)
}

/// An order: an action, and the version of the match that it is meant for.
#[derive(ToSchema)]
#[schema(as = Order)]
#[allow(dead_code)]
struct OrderBody {
    /// The version that the caller acts on; when the match has moved on, the order is refused with `stale-version`. Without one it is judged as it comes.
    #[schema(minimum = 0, maximum = 4294967295_i64, format = Int64)]
    version: Option<u32>,
    /// The action: the `example` of a decision, or one of the caller's own making.
    action: broadside_rules::Action,
}

request! {
    /// What an order holds, before the rules read its action.
    pub struct ReadOrder {
        /// See `OrderBody`.
        pub version: Option<u32>,
        /// See `OrderBody`.
        #[schema(value_type = Object)]
        pub action: serde_json::Map<String, Value>,
    }
}

request! {
    /// How to take an order.
    pub query Seriousness {
        /// Judge the order, and change nothing.
        pub dry_run: Option<bool>,
    }
}

/// What came of an action.
#[derive(Serialize, ToSchema)]
#[schema(as = Acted)]
pub struct ActedBody<'a> {
    /// The caller's version of the match now.
    #[schema(minimum = 0, maximum = 4294967295_i64, format = Int64)]
    version: u32,
    /// What the caller has just learnt.
    #[schema(max_items = 64)]
    reports: Vec<Report>,
    /// The match as the caller sees it now.
    #[serde(rename = "match")]
    view: MatchBody<'a>,
}

/// Act in a match
///
/// Any action that the caller's `decisions` list. An action that the rules refuse is 422 with the rule's own code (`not-your-turn`, `cell-already-tried`, …)
/// and every fault, and nothing has changed. `stale-version` and `moved-meanwhile` (409) mean: read the match again and decide again.
#[utoipa::path(tag = "matches", operation_id = "act", security(("bearer" = [])),
    params(("id" = MatchId, Path, description = "The match."), Seriousness),
    request_body(content = OrderBody, example = json!({"version": 2, "action": {"type": "deploy", "auto": true}})),
    responses((status = 200, description = "It is done, and will last.", body = ActedBody)))]
#[post("/v1/matches/{id}/actions")]
pub async fn act(
    app: web::Data<App>,
    caller: Caller<MatchesPlay>,
    id: Id<MatchId>,
    query: Query<Seriousness>,
    body: RawBody,
    request: HttpRequest,
) -> Answer {
    let read = ReadOrder::read(Fields::of_body(json(&body.0)?)).map_err(Error::invalid)?;
    let claim = idempotency_key(request.headers())?.map(|key| {
        let owner = Payer::Account(caller.account).to_string();
        key.claim(owner.as_bytes(), &[request.uri().to_string().as_bytes(), b"\n", &body.0].concat())
    });
    let order = Order {
        account: caller.account,
        version: read.version,
        action: Value::Object(read.action),
        dry_run: query.0.dry_run.unwrap_or(false),
        claim,
    };
    let answer = |played: Played<'_>| {
        let etag = etag(&played.seen);
        let view = MatchBody::of(&played.seen);
        let acted = ActedBody { version: view.version, reports: played.reports, view };
        Ok(Reply::ok(&acted)?.header(header::ETAG, etag))
    };
    Ok(play::play(&app, id.0, &order, answer).await?)
}

request! {
    /// Which reports to list.
    pub query WhichReports {
        /// Only reports with a higher number.
        #[param(minimum = 0, maximum = 4294967295_i64, format = Int64)]
        pub after: Option<u32>,
        /// How many at most: 1 to 1000, 200 unless given.
        #[param(minimum = 1, maximum = 1000, format = Int32)]
        pub limit: Option<u32>,
    }
}

/// A page of reports.
#[derive(Serialize, ToSchema)]
pub struct ReportPage {
    /// The reports, in order.
    #[schema(max_items = 1000)]
    items: Vec<Report>,
    /// Send it as `after` for the next page; null when these are all for now.
    #[schema(max_length = 10, pattern = "^[0-9]+$")]
    next_cursor: Option<String>,
}

/// List the reports of a match
///
/// What the caller has been told, numbered from 1 without a gap: the whole match can be replayed from it. When the match is over the last report
/// shows everything to everybody.
#[utoipa::path(tag = "matches", operation_id = "list_reports", security((), ("bearer" = [])),
    params(("id" = MatchId, Path, description = "The match."), WhichReports),
    responses((status = 200, description = "The reports.", body = ReportPage)))]
#[get("/v1/matches/{id}/reports")]
pub async fn list_reports(
    app: web::Data<App>,
    visitor: Visitor,
    id: Id<MatchId>,
    query: Query<WhichReports>,
) -> Answer {
    let me = visitor.identity().map(|me| me.account);
    let after = query.0.after.unwrap_or(0);
    let limit = usize::try_from(page_limit(query.0.limit, 200, 1000)?).unwrap_or(usize::MAX);
    let mut items = watch::reports(&app, id.0, me, after, limit + 1).await?;
    let more = items.len() > limit;
    items.truncate(limit);
    let next_cursor = more.then(|| (u64::from(after) + items.len() as u64).to_string());
    Ok(Reply::ok(&ReportPage { items, next_cursor })?)
}

/// The matches that wait for the caller.
#[derive(Serialize, ToSchema)]
pub struct Turns {
    /// The matches, the most urgent first.
    #[schema(max_items = 500)]
    items: Vec<MatchSummary>,
}

/// List my turns
///
/// The matches where the caller must act, the most urgent first; those without a deadline last. At most 500. With `If-None-Match` the answer is 304 as long as nothing has changed.
#[utoipa::path(tag = "matches", operation_id = "list_turns", security(("bearer" = [])),
    params(("If-None-Match" = Option<String>, Header, max_length = 400, pattern = "^[\\x20-\\x7e]*$", description = "The `ETag` of the list that the caller has.")),
    responses((status = 200, description = "The turns.", body = Turns), (status = 304, description = "Nothing new.")))]
#[get("/v1/turns")]
pub async fn list_turns(app: web::Data<App>, caller: Caller<MatchesRead>, request: HttpRequest) -> Answer {
    let turns = Turns { items: my_turns(&app, caller.account).await? };
    let bytes = serde_json::to_vec(&turns).map_err(Error::internal)?;
    let etag = format!("\"{:.16}\"", hex(&Sha256::digest(&bytes)));
    let known = request.headers().get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    if known.is_some_and(|known| matches_etag(known, &etag)) {
        return Ok(Reply::not_modified(&etag));
    }
    Ok(Reply::ok(&turns)?.header(header::ETAG, etag))
}

async fn my_turns(app: &App, account: AccountId) -> Result<Vec<MatchSummary>> {
    let which =
        Which { player: Some(account), to_act: Some(account), viewer: Some(account), limit: 500, ..Which::default() };
    let mut turns = watch::list(app, &which).await?;
    turns.sort_by_key(|listed| (listed.deadline.is_none(), listed.deadline, listed.id));
    Ok(turns.into_iter().map(MatchSummary::from).collect())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
