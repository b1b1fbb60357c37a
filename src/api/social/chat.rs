//! Match chat over HTTP: read a room page by page, and write a message.

use std::convert::identity;
use std::str::FromStr;

use actix_web::{HttpRequest, get, post, web};

use crate::api::http::auth::{Caller, MatchesPlay, MatchesRead};
use crate::api::http::extract::{Change, Id, Query};
use crate::api::http::fields::{Ranged, request, text_fields};
use crate::api::http::paging::{Page, page, page_limit};
use crate::api::http::reply::{Answer, Reply};
use crate::app::App;
use crate::epoch::{Cursor, rewound};
use crate::error::{Error, Result};
use crate::ids::MatchId;
use crate::rate_limits::RateLimitKey;
use crate::social::chat::{self, MessageRange, Purpose};
use crate::social::text::ChatText;
use crate::social::{ChatMessage, ChatRoom};

text_fields!(ChatText, MessageCursor);

/// A cursor: the beginning of a page, and its direction.
#[derive(Clone, Copy)]
pub enum MessageCursor {
    /// Newest first, below this number.
    Before(u32),
    /// Oldest first, after this place.
    After(Cursor),
}

impl FromStr for MessageCursor {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read = match text.split_at_checked(1) {
            Some(("b", digits)) => digits.parse().ok().map(MessageCursor::Before),
            Some(("a", cursor)) => cursor.parse().ok().map(MessageCursor::After),
            _ => None,
        };
        read.ok_or_else(|| "is no cursor of this list".to_owned())
    }
}

request! {
    /// Which messages to list.
    pub query MessagesQuery {
        /// A cursor, `epoch-number`: only messages after this one, the oldest first; 0: from the first on. Without it
        /// the newest come first.
        #[param(value_type = Option<String>, max_length = 25, pattern = "^(0|[a-z2-9]{8}-[0-9]{1,16})$")]
        pub after: Option<Cursor>,
        /// The number of messages: 1 to 200, 50 by default.
        #[param(value_type = Option<u32>, minimum = 1, maximum = 200, format = Int32)]
        pub limit: Option<Ranged<1, 200>>,
        /// `next_cursor` of the previous page: it goes on in the same direction, whatever `after` says.
        #[param(value_type = Option<String>, max_length = 200, pattern = "^(b[0-9]{1,10}|a(0|[a-z2-9]{8}-[0-9]{1,16}))$")]
        pub cursor: Option<MessageCursor>,
    }
}

request! {
    /// A message to send.
    pub struct SendMessageRequest {
        /// The text: 1 to 500 characters, not all blank, with line breaks (`\n`).
        #[schema(value_type = String, min_length = 1, max_length = 500, pattern = "^[^\\u0000-\\u0009\\u000b\\u000c\\u000e-\\u001f]+$")]
        pub text: ChatText,
    }
}

pub fn room(request: &HttpRequest) -> Result<ChatRoom> {
    request.match_info().get("room").unwrap_or_default().parse().map_err(|_| Error::not_found())
}

/// List chat messages
///
/// `players` or `spectators`. While the match is running, players read only theirs and spectators only theirs (else
/// `match-not-finished`), so that spectators can't help players; when it is finished everybody reads both. An account
/// that was in the spectators' room of a running match, to read or to write, can take no seat of it. The chat of
/// a match that was closed to spectators stays with its players (`closed-to-spectators`). The newest first, or the
/// oldest first after `after`. Messages of players whom the caller mutes or blocks are left out. `log-rewound` (410)
/// when the service was restored to an earlier time since: read the room anew.
#[utoipa::path(tag = "chat", operation_id = "list_messages", security(("bearer" = ["matches:read"])),
    params(("id" = MatchId, Path, description = "The match."), ("room" = inline(ChatRoom), Path, description = "The room."), MessagesQuery),
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
    let limit = page_limit(limit, 50);
    let range = match (cursor, after) {
        (Some(MessageCursor::Before(number)), _) => MessageRange::Before(Some(number)),
        (Some(MessageCursor::After(after)), _) | (None, Some(after)) => {
            if !app.epochs.includes(&app.db, after).await? {
                return Err(rewound(Cursor::BEGINNING).into());
            }
            MessageRange::After(u32::try_from(after.number).unwrap_or(u32::MAX))
        }
        (None, None) => MessageRange::Before(None),
    };
    let epoch = app.epochs.current();
    let access = chat::enter(&app.matches, caller.account, id.0, room(&request)?, Purpose::Read).await?;
    let mut conn = app.db.conn().await?;
    let found = chat::list(&mut conn, &access, range, limit + 1).await?;
    let is_forward = matches!(range, MessageRange::After(_));
    let next = |message: &ChatMessage| match is_forward {
        true => format!("a{}", Cursor::new(epoch, message.number.into())),
        false => format!("b{}", message.number),
    };
    page(found, limit, next, identity).reply(&request)
}

/// Send a chat message
///
/// In the caller's own room; when the match is finished, its players write in either. A former player writes in neither
/// until then (`match-not-finished`). A message in the players' room
/// notifies the other players (event `chat`). It changes nothing in the match: no version, no `ETag`. At most ten
/// messages a minute in a match, else `too-many-requests`.
#[utoipa::path(tag = "chat", operation_id = "send_message", security(("bearer" = ["matches:play"])),
    params(("id" = MatchId, Path, description = "The match."), ("room" = inline(ChatRoom), Path, description = "The room.")),
    request_body = SendMessageRequest,
    responses((status = 201, description = "The message is sent.", body = ChatMessage)))]
#[post("/v1/matches/{id}/chat/{room}")]
pub async fn send_message(
    app: web::Data<App>,
    caller: Caller<MatchesPlay>,
    id: Id<MatchId>,
    change: Change<SendMessageRequest>,
    request: HttpRequest,
) -> Answer {
    let room = room(&request)?;
    let access = chat::enter(&app.matches, caller.account, id.0, room, Purpose::Write).await?;
    let work = async |tx: &mut _| {
        let message = chat::send(tx, &app, &caller, &access, change.request.text).await?;
        let before = Cursor::new(app.epochs.current(), (message.number - 1).into());
        let location = format!("/v1/matches/{}/chat/{}?after={before}&limit=1", id.0, room.into_str());
        Reply::created(&location, &message)
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}
