//! Access to cases: their handlers, and the people concerned, who can't decide.
//!
//! A case without access looks as if it didn't exist. The same holds for a player's own case until it is decided; then
//! they read it among their own ([`super::read`]).

use super::{Case, store};
use crate::accounts::Identity;
use crate::accounts::roles::{self, Actor, Role};
use crate::contests::organizers::plays_in_it;
use crate::contests::{Contest, head, members, store as contests};
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, ProblemKind, Result, problem};
use crate::ids::{AccountId, CaseId, ContestId};

/// Hides a case: callers without access aren't told that it exists.
fn hidden(error: Error) -> Error {
    let suspended = error.problem().code == problem::ACCOUNT_SUSPENDED.code;
    if error.problem().kind == ProblemKind::Forbidden && !suspended { Error::not_found() } else { error }
}

fn lacks_the_right(error: &Error) -> bool {
    [problem::NOT_AN_ORGANIZER.code, problem::NOT_FOUND.code].contains(&error.problem().code)
}

/// The case, for a handler: an organizer of its contest, or a moderator. Fails with `not-found`, which the first
/// statement decides for nearly every caller, so that its duration doesn't reveal the case.
pub async fn seen(conn: &mut Conn, ctx: &Context, who: &Identity, id: CaseId) -> Result<Case> {
    if !store::may_be_seen(conn, id, who.account, roles::usable(who)).await? {
        return Err(Error::not_found());
    }
    let case = store::find(conn, id).await?.filter(|case| case.subject != who.account);
    let case = case.ok_or_else(Error::not_found)?;
    if let Some(contest) = case.contest {
        match head::run_by(conn, ctx, ContestId(contest.id()), who).await {
            Err(error) if lacks_the_right(&error) => {}
            found => return found.map(|_| case),
        }
    }
    roles::check(conn, ctx, who, Role::Moderator).await.map_err(hidden)?;
    Ok(case)
}

/// A case, and the handler's right to it.
pub struct Held {
    pub case: Case,
    /// The handler.
    pub actor: Actor,
    /// The contest that they organize; `None` for a moderator.
    pub runs: Option<Contest>,
}

/// Like [`seen`], with a lock on the caller's account and right. Also fails with `account-suspended`.
pub async fn hold(tx: &mut Tx, ctx: &Context, who: &Identity, id: CaseId) -> Result<Held> {
    let case = seen(tx, ctx, who, id).await?;
    if let Some(contest) = case.contest {
        match head::hold(tx, ctx, who, ContestId(contest.id())).await {
            Err(error) if lacks_the_right(&error) => {}
            held => return held.map(|(_, right)| Held { actor: right.actor(who), runs: Some(contest), case }),
        }
    }
    let actor = roles::require(tx, ctx, who, Role::Moderator).await.map_err(hidden)?;
    Ok(Held { case, actor, runs: None })
}

/// Fails with `conflict-of-interest` for anyone concerned: a member of the contest, a player of a linked match, or the
/// reporter of something linked. (For the subject, the case doesn't exist.)
pub async fn must_be_unconcerned(conn: &mut Conn, case: &Case, account: AccountId) -> Result<()> {
    if let Some(contest) = case.contest
        && contests::entries::has_a_stake(conn, contest, account).await?
    {
        return Err(plays_in_it());
    }
    if store::is_concerned(conn, case.id, account).await? {
        let detail = "You play in a match of this case, or have reported what it is about: somebody else decides it.";
        return Err(Error::new(&problem::CONFLICT_OF_INTEREST, detail));
    }
    Ok(())
}

/// True if the account takes part in the contest, is barred from it, or has played in it.
pub(super) async fn belongs(conn: &mut Conn, contest: Contest, account: AccountId) -> Result<bool> {
    Ok(contests::entries::takes_part(conn, contest, account).await?
        || members::obstacle(conn, contest, account).await?.is_some()
        || store::has_played(conn, contest, account).await?)
}
