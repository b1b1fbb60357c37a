//! Player names in matches.
//!
//! Each match keeps a copy of its players' names, so that lists need no look-ups. A changed name or a deleted account
//! updates all copies. (Signed data names players by their ids, and doesn't change.)

use super::store;
use crate::db::Tx;
use crate::error::Result;
use crate::ids::AccountId;

/// Replaces the player's name in all of the player's matches.
pub async fn replace(tx: &mut Tx, account: AccountId, name: &str) -> Result<()> {
    store::matches::replace_names(tx, account, name).await
}
