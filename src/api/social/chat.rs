//! Chat in a match over HTTP: a room read page by page, a message written, a message reported.

use std::str::FromStr;

use actix_web::{HttpRequest, get, post, web};
use broadside_rules::Time;
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::http::auth::{Caller, MatchesRead, TableTalk};
use crate::api::http::extract::{Change, Id, Query};
use crate::api::http::fields::{request, text_fields};
use crate::api::http::paging::{Page, page, page_limit};
use crate::api::http::reply::{Answer, Reply};
use crate::app::App;
use crate::error::{Error, Result};
use crate::ids::MatchId;
use crate::player::Player;
use crate::rate_limits::RateLimitKey;
use crate::social::chat::{self, Purpose, Stretch};
use crate::social::text::Remark;
use crate::social::{Reason, Room, Said, reports};

text_fields!(Remark, Reason, Place);

/// Where a page begins, and in which direction it goes: what a cursor says.
#[derive(Clone, Copy)]
pub struct Place(Stretch);

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |digits: &str| digits.parse::<u32>().ok();
        let read = match text.split_at_checked(1) {
            Some(("b", digits)) => number(digits).map(|number| Stretch::Before(Some(number))),
            Some(("a", digits)) => number(digits).map(Stretch::After),
            _ => None,
        };
        read.map(Place).ok_or_else(|| "is no cursor of this list".to_owned())
    }
}

request! {
    /// Which messages to list.
    pub query WhichMessages {
        /// Only messages with a higher number, the oldest first; without it the newest first.
        #[param(minimum = 0, maximum = 4294967295_i64, format = Int64)]
        pub after: Option<u32>,
        /// How many at most: 1 to 200, 50 unless given.
        #[param(minimum = 1, maximum = 200, format = Int32)]
        pub limit: Option<u32>,
        /// `next_cursor` of the page before: it goes on in the same direction, whatever `after` says.
        #[param(value_type = Option<String>, max_length = 200, pattern = "^[ab][0-9]{1,10}$")]
        pub cursor: Option<Place>,
    }
}

request! {
    /// Something to say.
    pub struct NewMessage {
        /// The text: 1 to 500 characters, not all blank; line breaks (`\n`) are allowed, other control and invisible characters aren't.
        #[schema(value_type = String, min_length = 1, max_length = 500, pattern = "^[^\\u0000-\\u0009\\u000b-\\u001f]+$")]
        pub text: Remark,
    }
}

request! {
    /// What is wrong with a message.
    pub struct MessageReport {
        /// The reason.
        pub reason: Reason,
        /// What there is to say of it, for the operator: 1 to 500 characters.
        #[schema(value_type = Option<String>, min_length = 1, max_length = 500, pattern = "^[^\\u0000-\\u0009\\u000b-\\u001f]+$")]
        pub comment: Option<Remark>,
    }
}

/// A message of a room.
#[derive(Serialize, ToSchema)]
#[schema(as = ChatMessage)]
pub struct MessageBody {
    /// Its number in the room.
    #[schema(minimum = 1, maximum = 2_147_483_647, format = Int32)]
    number: u32,
    /// Whose it is, by his name of today.
    from: Player,
    /// What it says; null when its author has deleted his account.
    #[schema(max_length = 500, pattern = "^[^\\u0000-\\u0009\\u000b-\\u001f]+$")]
    text: Option<String>,
    /// When it was written.
    at: Time,
}

impl From<Said> for MessageBody {
    fn from(said: Said) -> Self {
        let Said { number, from, text, at } = said;
        Self { number, from, text, at }
    }
}

/// The room in the path.
fn room(request: &HttpRequest) -> Result<Room> {
    request.match_info().get("room").unwrap_or_default().parse().map_err(|_| Error::not_found())
}

/// Read a room of a match
///
/// `players` or `spectators`. While the match lasts each is for its own people alone (`match-not-finished` for the others), so that nobody who watches can tell
/// something to those who play; when it is over both are read by all. The talk of a match that was closed to spectators stays with its players (`not-for-you`).
/// The newest first, or the oldest first from behind `after`. Messages of players whom the caller mutes or blocks are left out.
#[utoipa::path(tag = "talk", operation_id = "list_messages", security(("bearer" = [])),
    params(("id" = MatchId, Path, description = "The match."), ("room" = inline(Room), Path, description = "The room."), WhichMessages),
    responses((status = 200, description = "A page of messages.", body = Page<MessageBody>)))]
#[get("/v1/matches/{id}/chat/{room}")]
pub async fn list_messages(
    app: web::Data<App>,
    caller: Caller<MatchesRead>,
    id: Id<MatchId>,
    query: Query<WhichMessages>,
    request: HttpRequest,
) -> Answer {
    let WhichMessages { after, limit, cursor } = query.0;
    let limit = page_limit(limit, 50, 200)?;
    let stretch = match (cursor, after) {
        (Some(Place(stretch)), _) => stretch,
        (None, Some(after)) => Stretch::After(after),
        (None, None) => Stretch::Before(None),
    };
    let entered = chat::enter(&app.matches, caller.account, id.0, room(&request)?, Purpose::Read).await?;
    let mut conn = app.db.conn().await?;
    let found = chat::list(&mut conn, &entered, stretch, limit + 1).await?;
    let direction = if matches!(stretch, Stretch::After(_)) { 'a' } else { 'b' };
    page(found, limit, |said| format!("{direction}{}", said.number), MessageBody::from).reply(&request)
}

/// Say something in a match
///
/// In the caller's own room; when the match is over those who played write in either. The other players hear of what is said in their room (event `chat`). It changes
/// nothing of the match: no version, no `ETag`. Ten messages a minute and match, else `too-many-requests`.
#[utoipa::path(tag = "talk", operation_id = "say", security(("bearer" = [])),
    params(("id" = MatchId, Path, description = "The match."), ("room" = inline(Room), Path, description = "The room.")),
    request_body(content = NewMessage, example = json!({"text": "Well aimed!\nI had hoped you would look further north."})),
    responses((status = 201, description = "It is said.", body = MessageBody)))]
#[post("/v1/matches/{id}/chat/{room}")]
pub async fn say(
    app: web::Data<App>,
    caller: Caller<TableTalk>,
    id: Id<MatchId>,
    change: Change<NewMessage>,
    request: HttpRequest,
) -> Answer {
    let room = room(&request)?;
    let entered = chat::enter(&app.matches, caller.account, id.0, room, Purpose::Write).await?;
    let work = async |tx: &mut _| {
        let said = chat::say(tx, &app, &caller, &entered, change.request.text).await?;
        let location = format!("/v1/matches/{}/chat/{}?after={}&limit=1", id.0, room.word(), said.number - 1);
        Reply::created(&location, &MessageBody::from(said))
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// Report a message
///
/// To the operator of the server, with the text as it is; for whoever may read the room. A second report of the same message changes nothing. `not-found` when there is no such
/// message, or its author has deleted his account; `not-for-you` for one's own.
#[utoipa::path(tag = "talk", operation_id = "report_message", security(("bearer" = [])),
    params(("id" = MatchId, Path, description = "The match."), ("room" = inline(Room), Path, description = "The room."),
        ("number" = i32, Path, description = "The message's number.", minimum = 1, maximum = 2_147_483_647, format = Int32, example = 1)),
    request_body(content = MessageReport, example = json!({"reason": "harassment", "comment": "The third time this week."})),
    responses((status = 204, description = "The operator will see it.")))]
#[post("/v1/matches/{id}/chat/{room}/{number}/report")]
pub async fn report_message(
    app: web::Data<App>,
    caller: Caller<TableTalk>,
    id: Id<MatchId>,
    change: Change<MessageReport>,
    request: HttpRequest,
) -> Answer {
    let number = request.match_info().get("number").and_then(|number| number.parse().ok());
    let number = number.ok_or_else(Error::not_found)?;
    let entered = chat::enter(&app.matches, caller.account, id.0, room(&request)?, Purpose::Read).await?;
    let MessageReport { reason, comment } = change.request;
    let work = async |tx: &mut _| {
        reports::file(tx, &app, &caller, &entered, number, reason, comment).await?;
        Ok(Reply::no_content())
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}
