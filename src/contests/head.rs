//! What ladders and tournaments have in common, read and locked as one: for what is done with either of them by the
//! same code.

use super::access::{self, Access};
use super::organizers::{Needs, Organizer, Right, Runners};
use super::{Contest, store};
use crate::accounts::Identity;
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::ids::{AccountId, ContestId};

/// A ladder or a tournament, as far as it makes no difference which.
pub struct Head {
    pub contest: Contest,
    /// Who has made it.
    pub creator: AccountId,
    /// Who runs it beside them.
    pub organizers: Vec<Organizer>,
    /// How people get in, and who sees it.
    pub access: Access,
    /// Whether somebody can still join: the ladder isn't closed; the tournament hasn't started, or takes people who
    /// come in late.
    pub takes_entries: bool,
}

impl Head {
    /// Who runs it.
    pub fn runners(&self) -> Runners<'_> {
        Runners { creator: self.creator, organizers: &self.organizers }
    }

    /// Fails with `ladder-closed` or `tournament-closed` if nobody can join any more.
    pub fn must_take_entries(&self) -> Result<()> {
        match self.contest {
            _ if self.takes_entries => Ok(()),
            Contest::Ladder(_) => Err(Error::plain(&problem::LADDER_CLOSED)),
            Contest::Tournament(_) => {
                Err(Error::new(&problem::TOURNAMENT_CLOSED, "The tournament takes no more players."))
            }
        }
    }
}

/// The contest, for somebody who sees it; else `not-found`.
pub async fn seen(conn: &mut Conn, ctx: &Context, id: ContestId, viewer: Option<&Identity>) -> Result<Head> {
    access::must_see(conn, ctx, id.0, viewer).await?;
    store::head(conn, id.0).await?.ok_or_else(Error::not_found)
}

/// The contest, for a reader who runs it.
pub async fn run_by(conn: &mut Conn, ctx: &Context, id: ContestId, caller: &Identity) -> Result<Head> {
    let head = seen(conn, ctx, id, Some(caller)).await?;
    head.runners().check(conn, ctx, caller, Needs::Organizer).await?;
    Ok(head)
}

/// The contest, locked, for somebody who runs it. Accounts are locked before.
pub async fn hold(tx: &mut Tx, ctx: &Context, caller: &Identity, id: ContestId) -> Result<(Head, Right)> {
    let found = seen(tx, ctx, id, Some(caller)).await?;
    let right = found.runners().hold(tx, ctx, caller, Needs::Organizer).await?;
    let head = lock(tx, id).await?;
    head.runners().still(caller.account, right, Needs::Organizer)?;
    Ok((head, right))
}

/// The contest, locked until the transaction ends.
pub async fn lock(tx: &mut Tx, id: ContestId) -> Result<Head> {
    store::lock(tx, id.0).await?;
    store::head(tx, id.0).await?.ok_or_else(Error::not_found)
}
