//! The names of players in their matches. A match keeps a copy of the names with its seats, so that no list has to look
//! them up. A player who changes their name, or deletes their account, is called otherwise in all of them: a record
//! that is asked for afterwards is signed with the new name, and one that was signed before stays as good as it was.

use super::store;
use crate::db::Tx;
use crate::error::Result;
use crate::ids::AccountId;

/// Calls the player so in all matches of theirs.
pub async fn replace(tx: &mut Tx, account: AccountId, name: &str) -> Result<()> {
    store::matches::replace_names(tx, account, name).await
}
