//! What an account's export holds of its talk, field by field.

use broadside_rules::Time;
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::social::blocks::ShunnedBody;
use crate::api::social::notes::NotesBody;
use crate::ids::{AccountId, MatchId};
use crate::social::chat::Message;
use crate::social::{Export, Filed, Notes, Reason, Room};

/// What an account has said and noted, and whom it shuns.
#[derive(Serialize, ToSchema)]
pub struct TalkExport {
    /// What it has said in chats.
    #[schema(max_items = 10_000_000)]
    messages: Vec<ExportedMessage>,
    /// What it has reported to the operator.
    #[schema(max_items = 1_000_000)]
    reports: Vec<ExportedReport>,
    /// Whom it mutes.
    #[schema(max_items = 1000)]
    mutes: Vec<ShunnedBody>,
    /// Whom it blocks.
    #[schema(max_items = 1000)]
    blocks: Vec<ShunnedBody>,
    /// Its notes on matches.
    #[schema(max_items = 1_000_000)]
    notes: Vec<ExportedNotes>,
}

/// A message in an export.
#[derive(Serialize, ToSchema)]
pub struct ExportedMessage {
    match_id: MatchId,
    #[schema(value_type = Room, inline)]
    room: &'static str,
    /// Its number in the room.
    #[schema(minimum = 1, maximum = 2_147_483_647, format = Int32)]
    number: u32,
    #[schema(max_length = 500, pattern = "^[^\\u0000-\\u0009\\u000b-\\u001f]+$")]
    text: Option<String>,
    at: Time,
}

/// A report of a message in an export.
#[derive(Serialize, ToSchema)]
pub struct ExportedReport {
    match_id: MatchId,
    #[schema(value_type = Room, inline)]
    room: &'static str,
    /// The message's number in the room.
    #[schema(minimum = 1, maximum = 2_147_483_647, format = Int32)]
    number: u32,
    /// Who wrote the message.
    author: AccountId,
    /// What it said.
    #[schema(max_length = 500, pattern = "^[^\\u0000-\\u0009\\u000b-\\u001f]+$")]
    text: String,
    #[schema(value_type = Reason)]
    reason: &'static str,
    #[schema(max_length = 500, pattern = "^[^\\u0000-\\u0009\\u000b-\\u001f]+$")]
    comment: Option<String>,
    at: Time,
}

/// The notes on a match in an export.
#[derive(Serialize, ToSchema)]
pub struct ExportedNotes {
    match_id: MatchId,
    notes: NotesBody,
}

impl From<Export> for TalkExport {
    fn from(export: Export) -> Self {
        let Export { messages, reports, mutes, blocks, notes } = export;
        let noted = |(match_id, notes): (MatchId, Notes)| ExportedNotes { match_id, notes: notes.into() };
        Self {
            messages: messages.into_iter().map(ExportedMessage::from).collect(),
            reports: reports.into_iter().map(ExportedReport::from).collect(),
            mutes: mutes.into_iter().map(ShunnedBody::from).collect(),
            blocks: blocks.into_iter().map(ShunnedBody::from).collect(),
            notes: notes.into_iter().map(noted).collect(),
        }
    }
}

impl From<Message> for ExportedMessage {
    fn from(message: Message) -> Self {
        let Message { match_id, room, number, text, at, .. } = message;
        Self { match_id, room: room.word(), number, text, at }
    }
}

impl From<Filed> for ExportedReport {
    fn from(filed: Filed) -> Self {
        let Filed { match_id, room, number, author, text, reason, comment, at, .. } = filed;
        Self { match_id, room: room.word(), number, author, text, reason: reason.word(), comment, at }
    }
}
