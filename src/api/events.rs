//! The caller's event log over HTTP: as a page, as server-sent events, or as lines of JSON.
//!
//! The three forms differ in their framing alone: each event is the same text, read from the log by number.

use std::time::Duration;

use actix_web::http::header::{self, HeaderMap};
use actix_web::{Either, HttpRequest, get, post, web};
use broadside_rules::Time;
use futures_util::{Stream, stream};
use serde::Serialize;
use utoipa::ToSchema;

use crate::accounts::stream_tickets::{self, StreamTicket};
use crate::api::http::accept::preferred;
use crate::api::http::auth::{BearerToken, Caller, MatchesRead};
use crate::api::http::bodies::EmptyRequest;
use crate::api::http::envelope;
use crate::api::http::event_auth::StreamCredential;
use crate::api::http::extract::{Change, Query};
use crate::api::http::fields::{Ranged, request, text_fields};
use crate::api::http::paging::is_whole;
use crate::api::http::paging::page_limit;
use crate::api::http::reply::{Answer, Failure, Reply, StreamingReply};
use crate::app::App;
use crate::epoch::Cursor;
use crate::error::{Error, Result, problem};
use crate::events::read::{LogReader, LoggedEvent, WaitResult, snapshot};
use crate::events::stream_slots::StreamSlot;
use crate::events::{AccountEvent, EventJson};
use crate::ids::AccountId;
use crate::rate_limits::RateLimitKey;

text_fields!(StreamTicket);

/// The longest wait of a page request, in seconds.
const MAX_WAIT_S: u32 = 60;
/// Keep-alives between two checks of a stream's token, which is also checked before events are sent.
const CHECK_TOKEN_EVERY: u32 = 4;
/// The number of events that a stream reads from the log at a time.
const BATCH: usize = 100;

request! {
    /// Which events to read, and how.
    pub query EventsQuery {
        /// A cursor: the answer goes on after the last event that the caller has. 0: everything that is kept. By
        /// default only new events.
        #[param(value_type = Option<String>, max_length = 25, pattern = "^(0|[a-z2-9]{8}-[0-9]{1,16})$")]
        pub after: Option<Cursor>,
        /// For a page: wait up to so many seconds (0 to 60) for the first event.
        #[param(value_type = Option<u32>, minimum = 0, maximum = 60, format = Int32)]
        pub wait_s: Option<Ranged<0, MAX_WAIT_S>>,
        /// For a page: the number of events, 1 to 1000, 200 by default.
        #[param(value_type = Option<u32>, minimum = 1, maximum = 1000, format = Int32)]
        pub limit: Option<Ranged<1, 1000>>,
        /// For a stream, in place of a token: a ticket from `POST /v1/stream-tickets`, which opens one stream, once.
        #[param(value_type = Option<String>, min_length = 47, max_length = 47, pattern = "^bet_[A-Za-z0-9_-]{43}$")]
        pub ticket: Option<StreamTicket>,
    }
}

/// A page of events.
#[derive(Serialize, ToSchema)]
pub struct EventPage {
    /// The events, in order.
    #[schema(max_items = 1000, value_type = Vec<AccountEvent>)]
    items: Vec<EventJson>,
    /// Send it as `after` to read on. It is always there.
    #[schema(max_length = 25, pattern = "^[a-z2-9]{8}-[0-9]{1,16}$")]
    next_cursor: String,
    /// True if an event of this page can't be read: in its place is one of the type `unreadable`. Not there otherwise.
    #[serde(skip_serializing_if = "is_whole")]
    incomplete: bool,
}

/// Server-sent events (WHATWG HTML): `id` is a cursor that ends in the event's `number`, `event` its `type`, `data` an
/// `AccountEvent` in JSON. The first is a `snapshot`, and a comment comes whenever there was nothing for a while (15
/// seconds, unless the operator chose otherwise).
#[derive(ToSchema)]
#[allow(dead_code, reason = "it only describes the contract")]
pub struct EventStream(String);

/// Lines of JSON: each is an `AccountEvent`. The first is a `snapshot`, and an empty line comes whenever there was
/// nothing for a while (15 seconds, unless the operator chose otherwise).
#[derive(ToSchema)]
#[allow(dead_code, reason = "it only describes the contract")]
pub struct EventLines(String);

/// The media types to choose from by `Accept`; the first is the default.
const MEDIA_TYPES: [&str; 3] = ["application/json", "text/event-stream", "application/x-ndjson"];

/// Get or stream events
///
/// Matches that begin and end, every report of the caller's seats, their turns, challenges: one log for each account,
/// numbered without gaps, each event once and in order. `Accept` chooses a page (`application/json`; with `wait_s` it
/// waits for the first event) or a stream that goes on (`text/event-stream`, `application/x-ndjson`) until the token
/// expires or the service stops; then go on after the last cursor that you have. Events are kept for 30 days, and the
/// newest 1000 for longer; `cursor-too-old` (410) when the events after `after` are deleted. `log-rewound` (410) when
/// the service was restored to an earlier time since: read anew, then go on from the answer's `next_cursor`. An account
/// may have ten streams and waiting pages at a server, else `too-many-streams` (429).
#[utoipa::path(tag = "events", operation_id = "get_events", security(("bearer" = ["matches:read"]), ("ticket" = [])),
    params(EventsQuery,
        ("Last-Event-ID" = Option<String>, Header, max_length = 25, pattern = "^(0|[a-z2-9]{8}-[0-9]{1,16})?$",
            description = "As `after`, and before it: what an `EventSource` sends when it connects again.")),
    responses((status = 200, description = "A page of events, or a stream of them.",
        content((EventPage = "application/json"), (EventStream = "text/event-stream"), (EventLines = "application/x-ndjson")))))]
#[get("/v1/events")]
pub async fn get_events(
    app: web::Data<App>,
    query: Result<Query<EventsQuery>, Failure>,
    request: HttpRequest,
) -> Result<Either<Reply, StreamingReply>, Failure> {
    let query = match query {
        // With neither token nor ticket, the caller gets the error about that first.
        Err(_) if !request.query_string().contains("ticket=") => {
            StreamCredential::of_token(&request).await?;
            query?
        }
        query => query?,
    };
    let EventsQuery { after, wait_s, limit, ticket } = query.0;
    let for_page = [("/wait_s", wait_s.is_some()), ("/limit", limit.is_some())];
    let media_type = preferred(&request, &MEDIA_TYPES);
    if media_type == 0 {
        let (account, _) = StreamCredential::of_token(&request).await?;
        if ticket.is_some() {
            return Err(Error::invalid_at("/ticket", "conflicting-fields", "is for a stream").into());
        }
        let after = last_event_id(request.headers())?.or(after);
        let (reader, _) = LogReader::new(&app, account, after).await?;
        let page = page(&app, reader, wait_s.map_or(0, |wait| wait.0), page_limit(limit, 200)).await?;
        return Ok(Either::Left(Reply::ok(&page)?.header(header::VARY, "accept")));
    }
    let (account, credential) = match &ticket {
        Some(ticket) => {
            // The ticket is used up last, so that a mistake in the request doesn't cost it.
            check_stream(for_page)?;
            last_event_id(request.headers())?;
            StreamCredential::of_ticket(&app, &request, ticket).await?
        }
        None => StreamCredential::of_token(&request).await?,
    };
    check_stream(for_page)?;
    let after = last_event_id(request.headers())?.or(after);
    stream_of(app, account, credential, after, media_type).await
}

/// Refuses parameters that only a page takes.
fn check_stream(is_given: [(&str, bool); 2]) -> Result<()> {
    match is_given.into_iter().find(|(_, is_given)| *is_given) {
        Some((name, _)) => {
            Err(Error::invalid_at(name, "conflicting-fields", "is for a page; a stream goes on by itself"))
        }
        None => Ok(()),
    }
}

async fn stream_of(
    app: web::Data<App>,
    account: AccountId,
    credential: StreamCredential,
    after: Option<Cursor>,
    media_type: usize,
) -> Result<Either<Reply, StreamingReply>, Failure> {
    let slot = app.stream_slots.take(account)?;
    let (reader, range) = LogReader::new(&app, account, after).await?;
    let first = snapshot(&app, &reader, range)?;
    let stream_format = if media_type == 1 { StreamFormat::Sse } else { StreamFormat::Lines };
    Ok(Either::Right(StreamingReply::new(
        MEDIA_TYPES[media_type],
        event_stream(EventStreamState { app, credential, reader, stream_format, keep_alives: 0, _slot: slot }, &first),
    )))
}

/// A ticket that opens one stream of events.
#[derive(Serialize, ToSchema)]
#[schema(as = StreamTicket)]
pub struct StreamTicketBody {
    /// Send it as `ticket` in the query of `GET /v1/events`. It is shown this once.
    #[schema(min_length = 47, max_length = 47, pattern = "^bet_[A-Za-z0-9_-]{43}$")]
    ticket: String,
    /// Until when it can be used.
    expires_at: Time,
}

/// Create a stream ticket
///
/// For an `EventSource`, which can't send a token: the ticket in the address of `GET /v1/events` takes its place. It is
/// good for 30 seconds and for one stream, and shows nothing but events. The stream ends when the token that the ticket
/// was made with would have ended it. Each connection needs a ticket of its own, so close an `EventSource` at its first
/// error, and open another with a new ticket and `after`. Clients that can send headers (`fetch`) need none.
#[utoipa::path(tag = "events", operation_id = "create_stream_ticket", security(("bearer" = ["matches:read"])),
    request_body = EmptyRequest,
    responses((status = 201, description = "The ticket; it is shown this once.", body = StreamTicketBody)))]
#[post("/v1/stream-tickets")]
pub async fn create_stream_ticket(
    app: web::Data<App>,
    caller: Caller<MatchesRead>,
    change: Change<EmptyRequest>,
    request: HttpRequest,
) -> Answer {
    let token = BearerToken::of(&request)?;
    let work = async |tx: &mut _| {
        let made = stream_tickets::make(tx, &app.accounts, caller.account, token.as_str()).await?;
        Reply::created("/v1/events", &StreamTicketBody { ticket: made.text, expires_at: made.expires_at })
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// The last cursor of an `EventSource`. It may be empty before the first event.
fn last_event_id(headers: &HeaderMap) -> Result<Option<Cursor>> {
    let Some(value) = headers.get("last-event-id").filter(|value| !value.is_empty()) else { return Ok(None) };
    let cursor = value.to_str().ok().and_then(|text| text.parse().ok());
    let cursor = cursor.ok_or_else(|| Error::new(&problem::MALFORMED_HEADER, "Last-Event-ID must be an event's id."));
    cursor.map(Some)
}

async fn page(app: &App, mut reader: LogReader, wait_s: u32, limit: i64) -> Result<EventPage> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut items = reader.page(app, limit).await?;
    if items.is_empty() && wait_s > 0 {
        envelope::mark_long_poll();
        let _slot = app.stream_slots.take(reader.account())?;
        let timeout = Duration::from_secs(u64::from(wait_s));
        let mut over = std::pin::pin!(tokio::time::sleep(timeout));
        // A wake-up may be late and concern events that were read already. The page is empty then, and the wait goes
        // on.
        while items.is_empty() {
            let result = tokio::select! {
                result = reader.wait(app, timeout) => result,
                () = &mut over => WaitResult::TimedOut,
            };
            if result != WaitResult::NewEvents {
                break;
            }
            items = reader.page(app, limit).await?;
        }
    }
    let incomplete = items.iter().any(LoggedEvent::is_unreadable);
    let items = items.into_iter().map(|item| item.json).collect();
    Ok(EventPage { items, next_cursor: reader.cursor().to_string(), incomplete })
}

#[derive(Clone, Copy)]
enum StreamFormat {
    Sse,
    Lines,
}

impl StreamFormat {
    fn of(self, reader: &LogReader, item: &LoggedEvent) -> String {
        let text = item.json.text();
        match self {
            StreamFormat::Sse => {
                let id = reader.cursor_behind(item.number);
                format!("id: {id}\nevent: {}\ndata: {text}\n\n", item.kind)
            }
            StreamFormat::Lines => format!("{text}\n"),
        }
    }

    /// The text before the first event: it makes an `EventSource` reconnect two seconds after a break.
    fn head(self) -> &'static str {
        match self {
            StreamFormat::Sse => "retry: 2000\n\n",
            StreamFormat::Lines => "",
        }
    }

    fn keep_alive(self) -> &'static str {
        match self {
            StreamFormat::Sse => ": still here\n\n",
            StreamFormat::Lines => "\n",
        }
    }
}

struct EventStreamState {
    app: web::Data<App>,
    credential: StreamCredential,
    reader: LogReader,
    stream_format: StreamFormat,
    /// The number of keep-alives sent.
    keep_alives: u32,
    /// Dropped with this state when the connection closes, which frees the slot.
    _slot: StreamSlot,
}

/// The chunks of a stream. The next one is made when the connection has room for it, so a slow reader costs only its
/// place in the log.
fn event_stream(state: EventStreamState, first: &LoggedEvent) -> impl Stream<Item = Result<String>> + 'static {
    let opening = format!("{}{}", state.stream_format.head(), state.stream_format.of(&state.reader, first));
    stream::unfold((state, Some(opening)), async |(mut state, opening)| {
        let chunk = match opening {
            Some(opening) => opening,
            None => state.next_chunk().await?,
        };
        Some((Ok(chunk), (state, None)))
    })
}

impl EventStreamState {
    /// The next chunk. `None` ends the stream; the client may reconnect with the last cursor.
    async fn next_chunk(&mut self) -> Option<String> {
        loop {
            if self.app.is_stopping() {
                return None;
            }
            let items = self.reader.next(&self.app, BATCH).await.ok()?;
            if !items.is_empty() {
                let may_read = self.credential.still_allows(&self.app).await;
                return may_read.then(|| items.iter().map(|item| self.stream_format.of(&self.reader, item)).collect());
            }
            match self.reader.wait(&self.app, self.app.keep_alive).await {
                WaitResult::NewEvents => {}
                WaitResult::TimedOut => {
                    self.keep_alives += 1;
                    // Not at every keep-alive: an idle stream discloses nothing, and there are thousands of them.
                    if self.keep_alives.is_multiple_of(CHECK_TOKEN_EVERY)
                        && !self.credential.still_allows(&self.app).await
                    {
                        return None;
                    }
                    return Some(self.stream_format.keep_alive().to_owned());
                }
                WaitResult::Stopping | WaitResult::Rewound => return None,
            }
        }
    }
}
