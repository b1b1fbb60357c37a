//! The chat messages, reports, blocks, mutes and notes in an account's export, field by field.

use broadside_rules::Time;
use serde::Serialize;
use utoipa::ToSchema;

use crate::ids::{AccountId, MatchId};
use crate::social::chat::StoredChatMessage;
use crate::social::{BlockedPlayer, ChatReport, ChatReportReason, ChatRoom, Export, Notes};

/// The chat messages, reports, mutes, blocks and notes of an account.
#[derive(Serialize, ToSchema)]
pub struct SocialExport {
    /// Its chat messages.
    #[schema(max_items = 10_000_000)]
    messages: Vec<ExportedMessage>,
    /// Its reports of messages.
    #[schema(max_items = 1_000_000)]
    chat_reports: Vec<ExportedChatReport>,
    /// The players it mutes.
    #[schema(max_items = 1000)]
    mutes: Vec<BlockedPlayer>,
    /// The players it blocks.
    #[schema(max_items = 1000)]
    blocks: Vec<BlockedPlayer>,
    /// Its notes on matches.
    #[schema(max_items = 1_000_000)]
    notes: Vec<ExportedNotes>,
}

/// A message in an export.
#[derive(Serialize, ToSchema)]
pub struct ExportedMessage {
    match_id: MatchId,
    #[schema(inline)]
    room: ChatRoom,
    /// Its number in the room, from 1.
    #[schema(minimum = 1, maximum = 2_147_483_647, format = Int32)]
    number: u32,
    #[schema(max_length = 500, pattern = "^[^\\u0000-\\u0009\\u000b-\\u001f]+$")]
    text: Option<String>,
    at: Time,
}

/// A report of a message in an export.
#[derive(Serialize, ToSchema)]
pub struct ExportedChatReport {
    match_id: MatchId,
    #[schema(inline)]
    room: ChatRoom,
    /// The message's number in the room.
    #[schema(minimum = 1, maximum = 2_147_483_647, format = Int32)]
    number: u32,
    /// The author of the message.
    author: AccountId,
    /// The text at the time of the report.
    #[schema(max_length = 500, pattern = "^[^\\u0000-\\u0009\\u000b-\\u001f]+$")]
    text: String,
    reason: ChatReportReason,
    #[schema(max_length = 500, pattern = "^[^\\u0000-\\u0009\\u000b-\\u001f]+$")]
    comment: Option<String>,
    at: Time,
}

/// The notes on a match in an export.
#[derive(Serialize, ToSchema)]
pub struct ExportedNotes {
    match_id: MatchId,
    notes: Notes,
}

impl From<Export> for SocialExport {
    fn from(export: Export) -> Self {
        let Export { messages, reports, mutes, blocks, notes } = export;
        let noted = |(match_id, notes): (MatchId, Notes)| ExportedNotes { match_id, notes };
        Self {
            messages: messages.into_iter().map(ExportedMessage::from).collect(),
            chat_reports: reports.into_iter().map(ExportedChatReport::from).collect(),
            mutes,
            blocks,
            notes: notes.into_iter().map(noted).collect(),
        }
    }
}

impl From<StoredChatMessage> for ExportedMessage {
    fn from(message: StoredChatMessage) -> Self {
        let StoredChatMessage { match_id, room, number, text, at, .. } = message;
        Self { match_id, room, number, text, at }
    }
}

impl From<ChatReport> for ExportedChatReport {
    fn from(filed: ChatReport) -> Self {
        let ChatReport { match_id, room, number, author, text, reason, comment, at, .. } = filed;
        Self { match_id, room, number, author, text, reason, comment, at }
    }
}
