//! Chat in a match over HTTP: a room read page by page, a message written, a message reported.

use std::convert::identity;
use std::str::FromStr;

use actix_web::{HttpRequest, get, post, web};

use crate::api::http::auth::{Caller, MatchesPlay, MatchesRead};
use crate::api::http::extract::{Change, Id, Query};
use crate::api::http::fields::{request, text_fields};
use crate::api::http::paging::{Page, page, page_limit};
use crate::api::http::reply::{Answer, Reply};
use crate::app::App;
use crate::error::{Error, Result};
use crate::ids::MatchId;
use crate::rate_limits::RateLimitKey;
use crate::social::chat::{self, MessageRange, Purpose};
use crate::social::text::ChatText;
use crate::social::{ChatMessage, ReportReason, Room, reports};

text_fields!(ChatText, ReportReason, MessageCursor);

/// A cursor: where a page begins, and its direction.
#[derive(Clone, Copy)]
pub struct MessageCursor(MessageRange);

impl FromStr for MessageCursor {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |digits: &str| digits.parse::<u32>().ok();
        let read = match text.split_at_checked(1) {
            Some(("b", digits)) => number(digits).map(|number| MessageRange::Before(Some(number))),
            Some(("a", digits)) => number(digits).map(MessageRange::After),
            _ => None,
        };
        read.map(MessageCursor).ok_or_else(|| "is no cursor of this list".to_owned())
    }
}

request! {
    /// Which messages to list.
    pub query MessagesQuery {
        /// Only messages with a higher number, the oldest first; without it the newest first.
        #[param(minimum = 0, maximum = 4294967295_i64, format = Int64)]
        pub after: Option<u32>,
        /// The number of messages: 1 to 200, 50 by default.
        #[param(minimum = 1, maximum = 200, format = Int32)]
        pub limit: Option<u32>,
        /// `next_cursor` of the previous page: it goes on in the same direction, whatever `after` says.
        #[param(value_type = Option<String>, max_length = 200, pattern = "^[ab][0-9]{1,10}$")]
        pub cursor: Option<MessageCursor>,
    }
}

request! {
    /// A message to send.
    pub struct SendMessage {
        /// The text: 1 to 500 characters, not all blank; line breaks (`\n`) are allowed, other control and invisible
        /// characters aren't.
        #[schema(value_type = String, min_length = 1, max_length = 500, pattern = "^[^\\u0000-\\u0009\\u000b-\\u001f]+$")]
        pub text: ChatText,
    }
}

request! {
    /// A report of a message.
    pub struct MessageReport {
        /// The reason.
        pub reason: ReportReason,
        /// A comment for the moderators: 1 to 500 characters.
        #[schema(value_type = Option<String>, min_length = 1, max_length = 500, pattern = "^[^\\u0000-\\u0009\\u000b-\\u001f]+$")]
        pub comment: Option<ChatText>,
    }
}

/// The room in the path.
fn room(request: &HttpRequest) -> Result<Room> {
    request.match_info().get("room").unwrap_or_default().parse().map_err(|_| Error::not_found())
}

/// List chat messages
///
/// `players` or `spectators`. While the match is running, players read only theirs and spectators only theirs (else
/// `match-not-finished`), so that spectators can't help players; when it is finished everybody reads both. The chat of
/// a match that was closed to spectators stays with its players (`not-for-you`). The newest first, or the oldest first
/// after number `after`. Messages of players whom the caller mutes or blocks are left out.
#[utoipa::path(tag = "talk", operation_id = "list_messages", security(("bearer" = [])),
    params(("id" = MatchId, Path, description = "The match."), ("room" = inline(Room), Path, description = "The room."), MessagesQuery),
    responses((status = 200, description = "A page of messages.", body = Page<ChatMessage>)))]
#[get("/v1/matches/{id}/chat/{room}")]
pub async fn list_messages(
    app: web::Data<App>,
    caller: Caller<MatchesRead>,
    id: Id<MatchId>,
    query: Query<MessagesQuery>,
    request: HttpRequest,
) -> Answer {
    let MessagesQuery { after, limit, cursor } = query.0;
    let limit = page_limit(limit, 50, 200)?;
    let range = match (cursor, after) {
        (Some(MessageCursor(range)), _) => range,
        (None, Some(after)) => MessageRange::After(after),
        (None, None) => MessageRange::Before(None),
    };
    let access = chat::enter(&app.matches, caller.account, id.0, room(&request)?, Purpose::Read).await?;
    let mut conn = app.db.conn().await?;
    let found = chat::list(&mut conn, &access, range, limit + 1).await?;
    let direction = if matches!(range, MessageRange::After(_)) { 'a' } else { 'b' };
    page(found, limit, |message| format!("{direction}{}", message.number), identity).reply(&request)
}

/// Send a chat message
///
/// In the caller's own room; when the match is finished, its players write in either. A message in the players' room
/// notifies the other players (event `chat`). It changes nothing in the match: no version, no `ETag`. At most ten
/// messages a minute in a match, else `too-many-requests`.
#[utoipa::path(tag = "talk", operation_id = "send_message", security(("bearer" = [])),
    params(("id" = MatchId, Path, description = "The match."), ("room" = inline(Room), Path, description = "The room.")),
    request_body(content = SendMessage, example = json!({"text": "Well aimed!\nI had hoped you would look further north."})),
    responses((status = 201, description = "The message is sent.", body = ChatMessage)))]
#[post("/v1/matches/{id}/chat/{room}")]
pub async fn send_message(
    app: web::Data<App>,
    caller: Caller<MatchesPlay>,
    id: Id<MatchId>,
    change: Change<SendMessage>,
    request: HttpRequest,
) -> Answer {
    let room = room(&request)?;
    let access = chat::enter(&app.matches, caller.account, id.0, room, Purpose::Write).await?;
    let work = async |tx: &mut _| {
        let message = chat::send(tx, &app, &caller, &access, change.request.text).await?;
        let location = format!("/v1/matches/{}/chat/{}?after={}&limit=1", id.0, room.into_str(), message.number - 1);
        Reply::created(&location, &message)
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// Report a chat message
///
/// The moderators get it, with the text as it is now. For every account that may read the room. A second report of the
/// same message changes nothing. Refused with `not-found` when there is no such message or its author has deleted the
/// account, and with `not-for-you` for the caller's own message.
#[utoipa::path(tag = "talk", operation_id = "report_message", security(("bearer" = [])),
    params(("id" = MatchId, Path, description = "The match."), ("room" = inline(Room), Path, description = "The room."),
        ("number" = i32, Path, description = "The message's number.", minimum = 1, maximum = 2_147_483_647, format = Int32, example = 1)),
    request_body(content = MessageReport, example = json!({"reason": "harassment", "comment": "The third time this week."})),
    responses((status = 204, description = "The moderators will see it.")))]
#[post("/v1/matches/{id}/chat/{room}/{number}/report")]
pub async fn report_message(
    app: web::Data<App>,
    caller: Caller<MatchesPlay>,
    id: Id<MatchId>,
    change: Change<MessageReport>,
    request: HttpRequest,
) -> Answer {
    let number = request.match_info().get("number").and_then(|number| number.parse().ok());
    let number = number.ok_or_else(Error::not_found)?;
    let access = chat::enter(&app.matches, caller.account, id.0, room(&request)?, Purpose::Read).await?;
    let MessageReport { reason, comment } = change.request;
    let work = async |tx: &mut _| {
        reports::file(tx, &app, &caller, &access, number, reason, comment).await?;
        Ok(Reply::no_content())
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}
