//! The common part of ladders and tournaments, for code that handles both.

use super::access::{self, Access};
use super::organizers::{Needs, Organizer, Right, Runners};
use super::{Contest, store};
use crate::accounts::Identity;
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::ids::{AccountId, ContestId};

/// The common part of a ladder or a tournament.
pub struct Head {
    pub contest: Contest,
    pub creator: AccountId,
    /// The organizers beside the creator.
    pub organizers: Vec<Organizer>,
    pub access: Access,
    /// True if players can still join: the ladder isn't closed; the tournament hasn't started, or admits late entrants.
    pub takes_entries: bool,
}

impl Head {
    pub fn runners(&self) -> Runners<'_> {
        Runners { creator: self.creator, organizers: &self.organizers }
    }

    /// Fails with `ladder-closed` or `tournament-closed` if players can no longer join.
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

/// The contest, for a viewer who may see it. Fails with `not-found`.
pub async fn seen(conn: &mut Conn, ctx: &Context, id: ContestId, viewer: Option<&Identity>) -> Result<Head> {
    access::must_see(conn, ctx, id.0, viewer).await?;
    store::head(conn, id.0).await?.ok_or_else(Error::not_found)
}

/// The contest, for an organizer.
pub async fn run_by(conn: &mut Conn, ctx: &Context, id: ContestId, caller: &Identity) -> Result<Head> {
    let head = seen(conn, ctx, id, Some(caller)).await?;
    head.runners().check(conn, ctx, caller, Needs::Organizer).await?;
    Ok(head)
}

/// The contest, locked, for an organizer. Locks accounts first.
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
