//! Chat messages, blocks, mutes and notes in an account's export, field by field.

use broadside_rules::Time;
use serde::Serialize;
use utoipa::ToSchema;

use crate::ids::MatchId;
use crate::social::chat::StoredChatMessage;
use crate::social::{ChatRoom, Export, ListedPlayer, Notes};

/// The chat messages, mutes, blocks and notes of an account.
#[derive(Serialize, ToSchema)]
pub struct SocialExport {
    /// Its chat messages.
    #[schema(max_items = 10_000_000)]
    messages: Vec<ExportedMessage>,
    /// The players it mutes.
    #[schema(max_items = 1000)]
    mutes: Vec<ListedPlayer>,
    /// The players it blocks.
    #[schema(max_items = 1000)]
    blocks: Vec<ListedPlayer>,
    /// The players it follows.
    #[schema(max_items = 500)]
    follows: Vec<ListedPlayer>,
    /// Its notes on matches.
    #[schema(max_items = 1_000_000)]
    notes: Vec<ExportedNotes>,
    /// The running matches in whose spectators' rooms it was: it can take no seat there.
    #[schema(max_items = 1_000_000)]
    spectators_rooms: Vec<ExportedVisit>,
}

/// A spectators' room in which an account was while the match was running.
#[derive(Serialize, ToSchema)]
pub struct ExportedVisit {
    match_id: MatchId,
    /// When it was there first.
    at: Time,
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

/// The notes on a match in an export.
#[derive(Serialize, ToSchema)]
pub struct ExportedNotes {
    match_id: MatchId,
    notes: Notes,
}

impl From<Export> for SocialExport {
    fn from(export: Export) -> Self {
        let Export { messages, mutes, blocks, follows, notes, visits } = export;
        let noted = |(match_id, notes): (MatchId, Notes)| ExportedNotes { match_id, notes };
        Self {
            messages: messages.into_iter().map(ExportedMessage::from).collect(),
            mutes,
            blocks,
            follows: follows.into_iter().map(ListedPlayer::from).collect(),
            notes: notes.into_iter().map(noted).collect(),
            spectators_rooms: visits.into_iter().map(|(match_id, at)| ExportedVisit { match_id, at }).collect(),
        }
    }
}

impl From<StoredChatMessage> for ExportedMessage {
    fn from(message: StoredChatMessage) -> Self {
        let StoredChatMessage { match_id, room, number, text, at, .. } = message;
        Self { match_id, room, number, text, at }
    }
}
