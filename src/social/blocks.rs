//! Whom somebody shuns. A *mute*: he doesn't read him. A *block*: nor do they meet; the lobby keeps them from each other's challenges.
//!
//! Both are private: whoever is shunned goes on reading and writing as before, and no answer of his differs, until he wants to play with the one who blocks him.

use std::str::FromStr;

use broadside_rules::Time;

use crate::accounts;
use crate::accounts::{Identity, Username, account};
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::ids::AccountId;
use crate::player::Player;
use crate::social::store;
use crate::words::words;

/// How somebody is shunned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// His messages aren't read.
    Mute,
    /// His messages aren't read, and neither accepts the other's challenges.
    Block,
}

words!(Kind { Mute "mute", Block "block" });

/// How many players an account may shun in either way.
pub const MOST: i64 = 1000;

/// Somebody who is shunned.
pub struct Shunned {
    /// Who.
    pub player: Player,
    /// Since when.
    pub since: Time,
}

/// Begins to shun a player; nothing new if he was before. `not-found` when nobody has the name, `not-for-you` for one's own, `too-many-open` when it is one
/// too many. Neither account is deleted meanwhile; and for a block both are seized, so that what one asks of the other goes before it or after it.
pub async fn begin(tx: &mut Tx, ctx: &Context, who: &Identity, kind: Kind, name: &Username) -> Result<Player> {
    let other = accounts::store::accounts::find_player(tx, name).await?.ok_or_else(Error::not_found)?;
    if other.id == who.account {
        return Err(Error::new(&problem::NOT_FOR_YOU, "Nobody can mute or block himself."));
    }
    let is_there = match kind {
        Kind::Mute => account::lock_existing_with(tx, who.account, other.id).await?,
        Kind::Block => account::lock_both_exclusively(tx, who.account, other.id).await?,
    };
    if !is_there {
        return Err(Error::not_found());
    }
    let is_new = store::blocks::insert(tx, who.account, kind, other.id, ctx.clock.now()).await?;
    if is_new && store::blocks::count(tx, who.account, kind).await? > MOST {
        let detail = format!("An account may {} {MOST} players at most: end one first.", kind.word());
        return Err(Error::new(&problem::TOO_MANY_OPEN, detail));
    }
    Ok(other)
}

/// Ends it; nothing happens if there was nothing to end. `not-found` when nobody has the name.
pub async fn end(tx: &mut Tx, who: &Identity, kind: Kind, name: &Username) -> Result<()> {
    let other = accounts::store::accounts::find_player(tx, name).await?.ok_or_else(Error::not_found)?;
    store::blocks::delete(tx, who.account, kind, other.id).await
}

/// Whom the account shuns, in the order in which their accounts were made.
pub async fn list(
    conn: &mut Conn,
    account: AccountId,
    kind: Kind,
    after: Option<AccountId>,
    limit: i64,
) -> Result<Vec<Shunned>> {
    store::blocks::page(conn, account, kind, after, limit).await
}

/// Whether `one` blocks `other`.
pub async fn blocks(conn: &mut Conn, one: AccountId, other: AccountId) -> Result<bool> {
    store::blocks::blocks(conn, one, other).await
}

/// Who of these blocks whom of these.
pub async fn among(conn: &mut Conn, accounts: &[AccountId]) -> Result<Vec<(AccountId, AccountId)>> {
    store::blocks::blocks_among(conn, accounts).await
}

/// Whether either of them blocks the other.
pub async fn apart(conn: &mut Conn, one: AccountId, other: AccountId) -> Result<bool> {
    Ok(blocks(conn, one, other).await? || blocks(conn, other, one).await?)
}

/// Forgets whom an account that is being deleted shuns, and who shuns it.
pub(super) async fn forget_account(tx: &mut Tx, account: AccountId) -> Result<()> {
    store::blocks::forget_account(tx, account).await
}
