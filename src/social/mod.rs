//! What people say beside the game, and what they note for themselves.
//!
//! | what | who reads it | file |
//! |---|---|---|
//! | chat | players and spectators, each in a room of their own while the match lasts | [`chat`] |
//! | reports of messages | the operator | [`reports`] |
//! | mutes and blocks | whose they are | [`shuns`] |
//! | notes and marks | whose they are | [`notes`] |
//!
//! Nothing here touches a match: no entry of its log, no version, no time of it changes with what is said. Who may say what is asked of the match as the
//! speaker sees it. What a block means for challenges is the lobby's.

pub mod blocks;
pub mod chat;
pub mod notes;
pub mod profile;
pub mod reports;
pub(crate) mod store;
pub mod text;

pub use blocks::{Kind, Shunned};
pub use chat::{Room, Said};
pub use notes::{Mark, Notes};
pub use reports::{Filed, Reason};

use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::Result;
use crate::ids::AccountId;

/// All that is stored of an account's talk, for its own export.
pub struct Export {
    /// What it has said, by match, room and number.
    pub messages: Vec<chat::Message>,
    /// What it has reported.
    pub reports: Vec<Filed>,
    /// Whom it mutes.
    pub mutes: Vec<Shunned>,
    /// Whom it blocks.
    pub blocks: Vec<Shunned>,
    /// What it has noted, by match.
    pub notes: Vec<(crate::ids::MatchId, Notes)>,
}

/// Gathers it.
pub async fn export(conn: &mut Conn, account: AccountId) -> Result<Export> {
    Ok(Export {
        messages: chat::all_of(conn, account).await?,
        reports: reports::all_of(conn, account).await?,
        mutes: blocks::list(conn, account, Kind::Mute, None, blocks::MOST).await?,
        blocks: blocks::list(conn, account, Kind::Block, None, blocks::MOST).await?,
        notes: notes::all_of(conn, account).await?,
    })
}

/// Takes all words of an account that is being deleted, in the transaction that takes its name. What it said of others to the operator stays without its
/// comment, and what others reported of it stays as it was, until [`forget_old`].
pub async fn forget_account(tx: &mut Tx, account: AccountId) -> Result<()> {
    chat::blank(tx, account).await?;
    reports::blank(tx, account).await?;
    blocks::forget_account(tx, account).await?;
    notes::forget_account(tx, account).await
}

/// Forgets reports that are older than 180 days.
pub async fn forget_old(ctx: &Context) -> Result<()> {
    reports::forget_old(ctx).await
}
