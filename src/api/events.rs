//! What the caller hears of, over HTTP: one log, as a page, as server-sent events, or as lines of JSON.
//!
//! The three differ in their frames alone: each item is the same text, read from the log by number.

use std::time::Duration;

use actix_web::http::header::{self, HeaderMap};
use actix_web::{Either, HttpRequest, get, web};
use futures_util::{Stream, stream};
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::http::auth::{BearerToken, Caller, MatchesRead};
use crate::api::http::envelope;
use crate::api::http::extract::{Query, preferred};
use crate::api::http::fields::request;
use crate::api::http::paging::page_limit;
use crate::api::http::reply::{Failure, Reply, StreamingReply};
use crate::app::App;
use crate::error::{Error, Result, problem};
use crate::events::read::{Item, Reader, Woken, snapshot};
use crate::events::stream_slots::StreamSlot;
use crate::events::{AccountEvent, Heard};

/// How long a page may wait, in seconds.
const WAIT_AT_MOST_S: u32 = 60;
/// Whether the token is still good is asked before anything is told, and beside that with each so many keep-alives.
const ASK_EVERY: u32 = 4;
/// How many events a stream takes from the log at a time.
const AT_ONCE: usize = 100;

request! {
    /// From where on, and how.
    pub query WhichEvents {
        /// The number of the last event that the caller has: what comes after it is wanted. Without it only what is new from now on.
        #[param(minimum = 0, maximum = 9_007_199_254_740_991_i64, format = Int64)]
        pub after: Option<u64>,
        /// Of a page: wait up to so many seconds (0 to 60) for the first event.
        #[param(minimum = 0, maximum = 60, format = Int32)]
        pub wait_s: Option<u32>,
        /// Of a page: how many at most, 1 to 1000, 200 unless given.
        #[param(minimum = 1, maximum = 1000, format = Int32)]
        pub limit: Option<u32>,
    }
}

/// Some events.
#[derive(Serialize, ToSchema)]
pub struct EventPage {
    /// The events, in order.
    #[schema(max_items = 1000, value_type = Vec<AccountEvent>)]
    items: Vec<Heard>,
    /// Send it as `after`: what comes next. It is always there.
    #[schema(max_length = 16, pattern = "^[0-9]+$")]
    next_cursor: String,
}

/// Server-sent events (WHATWG HTML): `id` is the event's `number`, `event` its `type`, `data` an `AccountEvent` in JSON. The first is a
/// `snapshot`, and a comment comes whenever there was nothing for a while (15 seconds, unless the operator chose otherwise).
#[derive(ToSchema)]
#[schema(
    max_length = 1_000_000_000,
    pattern = "^[\\s\\S]*$",
    examples("id: 17\nevent: your-turn\ndata: {\"number\":17,\"type\":\"your-turn\"}\n\n")
)]
#[allow(dead_code)]
pub struct EventStream(String);

/// Lines of JSON: each is an `AccountEvent`. The first is a `snapshot`, and an empty line comes whenever there was nothing for a while (15 seconds, unless the operator chose otherwise).
#[derive(ToSchema)]
#[schema(max_length = 1_000_000_000, pattern = "^[\\s\\S]*$", examples("{\"number\":17,\"type\":\"your-turn\"}\n"))]
#[allow(dead_code)]
pub struct EventLines(String);

/// What can be asked for by `Accept`; the first unless another is preferred.
const FORMS: [&str; 3] = ["application/json", "text/event-stream", "application/x-ndjson"];

/// Hear what concerns the caller
///
/// Matches that begin and end, every report of the caller's seats, his turns, challenges: one log an account, numbered without gaps, each event once
/// and in order. By `Accept` it comes as a page (`application/json`; with `wait_s` it waits for the first event), or as a stream that goes on
/// (`text/event-stream`, `application/x-ndjson`) until the token expires or the service stops: then go on from behind the last number that you have. Events are kept for 30
/// days, and the newest 1000 for longer; `cursor-too-old` (410) when those behind `after` are not. An account may have ten streams and waiting pages at a
/// server; `too-many-streams` (429) beyond.
#[utoipa::path(tag = "events", operation_id = "read_events", security(("bearer" = [])),
    params(WhichEvents,
        ("Last-Event-ID" = Option<u64>, Header, minimum = 0, maximum = 9_007_199_254_740_991_i64, format = Int64,
            description = "As `after`, and before it: what an `EventSource` sends when it connects again.")),
    responses((status = 200, description = "What there is to hear, or as it comes.",
        content((EventPage = "application/json"), (EventStream = "text/event-stream"), (EventLines = "application/x-ndjson")))))]
#[get("/v1/events")]
pub async fn read_events(
    app: web::Data<App>,
    caller: Caller<MatchesRead>,
    query: Query<WhichEvents>,
    request: HttpRequest,
) -> Result<Either<Reply, StreamingReply>, Failure> {
    let WhichEvents { after, wait_s, limit } = query.0;
    let after = last_event_id(request.headers())?.or(after);
    let form = preferred(&request, &FORMS);
    if form == 0 {
        let (reader, _) = Reader::new(&app, caller.account, after).await?;
        let page = page(&app, reader, wait_s.unwrap_or(0), limit).await?;
        return Ok(Either::Left(Reply::ok(&page)?.header(header::VARY, "accept")));
    }
    for (name, given) in [("/wait_s", wait_s), ("/limit", limit)] {
        if given.is_some() {
            return Err(Error::invalid_at(name, "contradiction", "is for a page; a stream goes on by itself").into());
        }
    }
    let token = BearerToken::of(&request)?;
    let place = app.stream_slots.take(caller.account)?;
    let (reader, bounds) = Reader::new(&app, caller.account, after).await?;
    let first = snapshot(&app, &reader, bounds)?;
    let frame = if form == 1 { Frame::Sse } else { Frame::Lines };
    Ok(Either::Right(StreamingReply::new(
        FORMS[form],
        flow(Listener { app, token, reader, frame, silences: 0, _place: place }, &first),
    )))
}

/// The number that an `EventSource` saw last. (An empty one is what it sends before it has seen any.)
fn last_event_id(headers: &HeaderMap) -> Result<Option<u64>> {
    let Some(value) = headers.get("last-event-id").filter(|value| !value.is_empty()) else { return Ok(None) };
    let number = value.to_str().ok().and_then(|text| text.parse::<u64>().ok()).filter(|number| *number < 1 << 53);
    let number =
        number.ok_or_else(|| Error::new(&problem::MALFORMED_HEADER, "Last-Event-ID must be an event's number."));
    number.map(Some)
}

async fn page(app: &App, mut reader: Reader, wait_s: u32, limit: Option<u32>) -> Result<EventPage> {
    if wait_s > WAIT_AT_MOST_S {
        return Err(Error::invalid_at("/wait_s", "out-of-range", format!("must be 0 to {WAIT_AT_MOST_S}")));
    }
    let limit = usize::try_from(page_limit(limit, 200, 1000)?).unwrap_or(usize::MAX);
    let mut items = whole_page(app, &mut reader, limit).await?;
    if items.is_empty() && wait_s > 0 {
        envelope::mark_long_poll();
        let _place = app.stream_slots.take(reader.account())?;
        let patience = Duration::from_secs(u64::from(wait_s));
        let mut over = std::pin::pin!(tokio::time::sleep(patience));
        // A bell may ring late, for what has been read already: then there is nothing, and the wait goes on.
        while items.is_empty() {
            let woken = tokio::select! {
                woken = reader.wait(app, patience) => woken,
                () = &mut over => Woken::Silence,
            };
            if woken != Woken::News {
                break;
            }
            items = whole_page(app, &mut reader, limit).await?;
        }
    }
    Ok(EventPage {
        items: items.into_iter().map(|item| item.heard).collect(),
        next_cursor: reader.cursor().to_string(),
    })
}

async fn whole_page(app: &App, reader: &mut Reader, limit: usize) -> Result<Vec<Item>> {
    let mut items = Vec::new();
    while items.len() < limit {
        let more = reader.next(app, limit - items.len()).await?;
        if more.is_empty() {
            break;
        }
        items.extend(more);
    }
    Ok(items)
}

/// How an event stands in a stream.
#[derive(Clone, Copy)]
enum Frame {
    Sse,
    Lines,
}

impl Frame {
    fn of(self, item: &Item) -> String {
        let text = item.heard.text();
        match self {
            Frame::Sse => format!("id: {}\nevent: {}\ndata: {text}\n\n", item.number, item.kind),
            Frame::Lines => format!("{text}\n"),
        }
    }

    /// What stands before the first event: after a break an `EventSource` shall come back in two seconds.
    fn head(self) -> &'static str {
        match self {
            Frame::Sse => "retry: 2000\n\n",
            Frame::Lines => "",
        }
    }

    fn keep_alive(self) -> &'static str {
        match self {
            Frame::Sse => ": still here\n\n",
            Frame::Lines => "\n",
        }
    }
}

/// Somebody who listens to a stream.
struct Listener {
    app: web::Data<App>,
    token: BearerToken,
    reader: Reader,
    frame: Frame,
    /// How often nothing came in time.
    silences: u32,
    /// Given back when the connection goes, with all of this.
    _place: StreamSlot,
}

/// The pieces of a stream. The next one is made when the connection has room for it: a slow reader costs his place in the log, and nothing else.
fn flow(listener: Listener, first: &Item) -> impl Stream<Item = String> + 'static {
    let opening = format!("{}{}", listener.frame.head(), listener.frame.of(first));
    stream::unfold((listener, Some(opening)), async |(mut listener, opening)| {
        let piece = match opening {
            Some(opening) => opening,
            None => listener.piece().await?,
        };
        Some((piece, (listener, None)))
    })
}

impl Listener {
    /// The next piece; `None`: the stream ends, and its reader may come again with the number that he has.
    async fn piece(&mut self) -> Option<String> {
        loop {
            if self.app.is_stopping() {
                return None;
            }
            let items = self.reader.next(&self.app, AT_ONCE).await.ok()?;
            if !items.is_empty() {
                let may = self.token.still_allows::<MatchesRead>(&self.app).await;
                return may.then(|| items.iter().map(|item| self.frame.of(item)).collect());
            }
            match self.reader.wait(&self.app, self.app.keep_alive).await {
                Woken::News => {}
                Woken::Silence => {
                    self.silences += 1;
                    // A silent stream tells nobody anything, and there are thousands of them.
                    if self.silences.is_multiple_of(ASK_EVERY)
                        && !self.token.still_allows::<MatchesRead>(&self.app).await
                    {
                        return None;
                    }
                    return Some(self.frame.keep_alive().to_owned());
                }
                Woken::Stop => return None,
            }
        }
    }
}
