//! Feed of the caller's deadlines for calendar programs, at a secret URL.

use actix_web::http::header;
use actix_web::{HttpRequest, delete, get, post, web};
use broadside_rules::card::Language;
use broadside_rules::{Seat, Time, Variant};
use serde::Serialize;
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

use crate::api::http::auth::{Anyone, Caller, SessionOnly};
use crate::api::http::bodies::EmptyRequest;
use crate::api::http::caching::matches_etag;
use crate::api::http::extract::Change;
use crate::api::http::reply::{Answer, Reply};
use crate::app::App;
use crate::calendar::feed;
use crate::calendar::ics::{self, Moment};
use crate::error::Result;
use crate::ids::AccountId;
use crate::listed::readable;
use crate::matches::{MatchFilter, MatchSummary, queries};
use crate::rate_limits::RateLimitKey;

/// The URL of a feed.
#[derive(Serialize, ToSchema)]
pub struct CalendarFeed {
    /// The URL, for a calendar program. It is shown once; whoever has it reads the feed.
    #[schema(max_length = 400, pattern = "^https?://[^\\s]+$")]
    url: String,
}

/// Create a calendar feed
///
/// An iCalendar feed with an event for each of your deadlines. Its URL is a secret; an older one is no longer valid.
#[utoipa::path(tag = "calendar", operation_id = "create_calendar_feed", security(("session" = [])),
    request_body = EmptyRequest,
    responses((status = 201, description = "The address.", body = CalendarFeed)))]
#[post("/v1/account/calendar/feed")]
pub async fn create_calendar_feed(
    app: web::Data<App>,
    caller: Caller<SessionOnly>,
    change: Change<EmptyRequest>,
) -> Answer {
    let work = async |tx: &mut _| {
        let secret = feed::make(tx, &app, caller.account).await?;
        let path = format!("/v1/calendar/{secret}.ics");
        Reply::created(&path, &CalendarFeed { url: format!("{}{path}", app.public_url) })
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// Revoke the calendar feed
///
/// The URL of the feed, if there was one, is no longer valid.
#[utoipa::path(tag = "calendar", operation_id = "revoke_calendar_feed", security(("session" = [])),
    responses((status = 204, description = "There is no feed any more.")))]
#[delete("/v1/account/calendar/feed")]
pub async fn revoke_calendar_feed(app: web::Data<App>, caller: Caller<SessionOnly>) -> Answer {
    feed::revoke(&app, caller.account).await?;
    Ok(Reply::no_content())
}

/// An iCalendar document (RFC 5545).
#[derive(ToSchema)]
#[allow(dead_code, reason = "it only describes the contract")]
pub struct ICalendar(String);

/// Get a calendar feed (iCalendar)
///
/// An event for each match in which the owner of the feed must act against a clock, at its deadline; at most 500. With
/// `If-None-Match` the answer is 304 as long as nothing has changed. Refused with `not-found` when the URL is not
/// valid.
#[utoipa::path(tag = "calendar", operation_id = "get_calendar_feed", security((), ("bearer" = [])),
    params(("token" = String, Path, description = "What `POST /v1/account/calendar/feed` gave.", min_length = 1, max_length = 60, pattern = "^[A-Za-z0-9_-]+$", example = "bcf_c2VhLCBza3kgYW5kIHdpbmQgYXJlIGFsbCBmYWly"),
        ("If-None-Match" = Option<String>, Header, max_length = 400, pattern = "^[\\x20-\\x7e]*$", description = "The `ETag` of the calendar that the caller has.")),
    responses((status = 200, description = "The deadlines.", body = ICalendar, content_type = "text/calendar"), (status = 304, description = "Nothing new.")))]
#[get("/v1/calendar/{token}.ics")]
pub async fn get_calendar_feed(
    app: web::Data<App>,
    _: Anyone,
    address: web::Path<String>,
    request: HttpRequest,
) -> Answer {
    let owner = feed::owner(&app, &address).await?;
    let moments = deadlines(&app, owner).await?;
    // The tag leaves out the time of writing, which the document contains.
    let unstamped = ics::calendar(NAME, &moments, Time(0));
    let tag = Sha256::digest(&unstamped).iter().take(8).map(|byte| format!("{byte:02x}")).collect::<String>();
    let etag = format!("\"{tag}\"");
    let known = request.headers().get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    if known.is_some_and(|known| matches_etag(known, &etag)) {
        return Ok(Reply::not_modified(&format!("W/{etag}")));
    }
    Ok(Reply::calendar(ics::calendar(NAME, &moments, app.clock.now())).tagged(format!("W/{etag}")))
}

const NAME: &str = "Broadside: deadlines";

async fn deadlines(app: &App, owner: AccountId) -> Result<Vec<Moment>> {
    let filter = MatchFilter {
        player: Some(owner),
        to_act: Some(owner),
        viewer: Some(owner),
        limit: 500,
        ..MatchFilter::default()
    };
    let mut moments = Vec::new();
    for listed in queries::list(app, &filter).await?.items {
        let at = if listed.to_act.count_ones() > 1 {
            // The list has the earliest deadline of all players who must act; the owner's own may be later.
            match seat_of(&listed, owner) {
                Some(seat) => {
                    let read = app.matches.read(listed.id, Some(owner)).await;
                    let read = readable("a match can't be read; lists leave it out", listed.id, read)?;
                    read.and_then(|read| read.view().deadline_of(seat))
                }
                None => None,
            }
        } else {
            listed.deadline
        };
        moments.extend(at.map(|at| moment(app, &listed, owner, at)));
    }
    moments.sort_by(|one, other| (one.at, &one.uid).cmp(&(other.at, &other.uid)));
    Ok(moments)
}

fn seat_of(listed: &MatchSummary, owner: AccountId) -> Option<Seat> {
    let seat = listed.players.iter().position(|player| player.id == owner)?;
    u8::try_from(seat).ok().map(Seat)
}

/// Public facts only, as in any list of matches.
fn moment(app: &App, listed: &MatchSummary, owner: AccountId, at: Time) -> Moment {
    let others: Vec<&str> =
        listed.players.iter().filter(|player| player.id != owner).map(|player| player.username.as_str()).collect();
    let title =
        Variant::find(&listed.variant).map_or(listed.variant.as_str(), |variant| variant.title(Language::English));
    let host = app.public_url.split_once("://").map_or("broadside", |(_, host)| host);
    Moment {
        uid: format!("{}@{}", listed.id, host.split(['/', ':']).next().unwrap_or(host)),
        at,
        summary: format!("Your time runs out: {title} against {}", others.join(", ")),
        description: format!("It is your turn in the match {}.", listed.id),
        url: app.match_link(&listed.id.to_string()),
    }
}
