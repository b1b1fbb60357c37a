//! The names of players in their matches. A match keeps a copy of the names with its seats, so that no list has to look
//! them up. A player who changes their name, or deletes their account, is called otherwise in all of them. (What is
//! signed of a match names players by their ids, and doesn't change.)

use super::store;
use crate::db::Tx;
use crate::error::Result;
use crate::ids::AccountId;

/// Calls the player so in all matches of theirs.
pub async fn replace(tx: &mut Tx, account: AccountId, name: &str) -> Result<()> {
    store::matches::replace_names(tx, account, name).await
}
