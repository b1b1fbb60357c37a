//! Chat, blocks and mutes, followed players, and private notes.
//!
//! | what | read by | file |
//! |---|---|---|
//! | chat | players and spectators; while the match is running, each in a room of their own | [`chat`] |
//! | mutes and blocks | their owner | [`blocks`] |
//! | followed players | their follower | [`follows`] |
//! | notes and marks | their owner | [`notes`] |
//!
//! Nothing here changes a match: no log entry, no version, no clock. The author's view of the match determines
//! where the author may write. The lobby applies blocks to challenges.

pub mod audit;
pub mod blocks;
pub mod chat;
pub mod follows;
pub mod notes;
pub mod profile;
pub(crate) mod store;
pub mod text;

pub use blocks::{BlockKind, ListedPlayer};
pub use chat::{ChatMessage, ChatRoom};
pub use follows::FollowedPlayer;
pub use notes::{CellMark, Notes};

use broadside_rules::Time;

use crate::db::Conn;
use crate::error::Result;
use crate::ids::AccountId;
use crate::quotas::Quota;

/// All chat messages, mutes, blocks and notes of an account, for its own export.
pub struct Export {
    /// By match, room and number.
    pub messages: Vec<chat::StoredChatMessage>,
    pub mutes: Vec<ListedPlayer>,
    pub blocks: Vec<ListedPlayer>,
    pub follows: Vec<FollowedPlayer>,
    pub notes: Vec<(crate::ids::MatchId, Notes)>,
    /// The running matches in whose spectators' rooms it was, with the times.
    pub visits: Vec<(crate::ids::MatchId, Time)>,
}

pub async fn export(conn: &mut Conn, account: AccountId) -> Result<Export> {
    Ok(Export {
        messages: chat::export(conn, account).await?,
        mutes: blocks::list(conn, account, BlockKind::Mute, None, Quota::Mutes.most()).await?,
        blocks: blocks::list(conn, account, BlockKind::Block, None, Quota::Blocks.most()).await?,
        follows: follows::list(conn, account, Time(0), None, Quota::Follows.most()).await?,
        notes: notes::export(conn, account).await?,
        visits: chat::visits(conn, account).await?,
    })
}
