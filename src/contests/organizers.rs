//! Organizers of a contest: its creator, the accounts named by the creator, and the operator's organizers.
//!
//! A named organizer has the creator's rights, except to end the contest (close a ladder, cancel a tournament) and to
//! name organizers. If the creator's account is deleted, the first-named organizer gets these rights too, so that the
//! contest can go on.

use std::collections::HashMap;

use broadside_rules::Time;
use uuid::Uuid;

use crate::accounts::roles::{self, Actor, Role};
use crate::accounts::suspension::OtherAccount;
use crate::accounts::{self, Identity, Username, account};
use crate::contests::{Contest, store};
use crate::context::Context;
use crate::db::{Conn, PublicRead, Tx};
use crate::error::{Error, ProblemKind, Result, problem};
use crate::events;
use crate::events::kinds::{ContestOrganizerAddedEvent, ContestOrganizerRemovedEvent};
use crate::ids::{AccountId, ContestId};
use crate::player::Player;
use crate::social::blocks;

/// Most named organizers of a contest.
pub const MAX_ORGANIZERS: usize = 10;

/// An organizer named by the creator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Organizer {
    pub player: Player,
    /// True if they have the creator's rights, because the creator's account is deleted.
    pub leads: bool,
}

/// The organizers of a contest, as stored.
#[derive(Clone, Copy)]
pub struct Runners<'a> {
    pub creator: AccountId,
    /// The organizers named by the creator.
    pub organizers: &'a [Organizer],
}

/// The right by which a caller decides about a contest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Right {
    /// As the creator, or in place of a deleted creator.
    Creator,
    /// As an organizer named by the creator.
    Organizer,
    /// By the operator's organizer role; these actions are audited.
    Role(Actor),
}

impl Right {
    /// The actor, for the audit log.
    pub fn actor(self, caller: &Identity) -> Actor {
        match self {
            Self::Creator | Self::Organizer => Actor::of_a_contest(caller.account),
            Self::Role(actor) => actor,
        }
    }
}

/// The error for organizers who play in their own contest.
pub fn plays_in_it() -> Error {
    let detail = "Who plays in a ladder or a tournament, or has played in the season, can't judge its matches, or move \
                  its deadlines.";
    Error::new(&problem::CONFLICT_OF_INTEREST, detail)
}

/// The right needed for a decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Needs {
    /// Any organizer: the creator, or an account named by the creator.
    Organizer,
    /// The creator, or the organizer in their place.
    Creator,
}

impl Runners<'_> {
    /// The account's right without a role; `None` if it has none.
    pub fn right_of(self, account: AccountId) -> Option<Right> {
        if self.creator == account {
            return Some(Right::Creator);
        }
        let named = self.organizers.iter().find(|organizer| organizer.player.id == account)?;
        Some(if named.leads { Right::Creator } else { Right::Organizer })
    }

    fn suffices(self, account: AccountId, needs: Needs) -> Option<Right> {
        self.right_of(account).filter(|right| needs == Needs::Organizer || *right == Right::Creator)
    }

    /// Checks, before the contest is locked, that the caller may decide, and locks their account, and their role if
    /// they use it. Fails with `not-an-organizer`, `not-the-creator`, or `account-suspended`.
    pub async fn hold(self, tx: &mut Tx, ctx: &Context, caller: &Identity, needs: Needs) -> Result<Right> {
        if let Some(right) = self.suffices(caller.account, needs) {
            account::lock_active(tx, ctx, caller.account).await?;
            return Ok(right);
        }
        let role = roles::require(tx, ctx, caller, Role::Organizer).await;
        role.map(Right::Role).map_err(|error| refused(error, needs))
    }

    /// Like `hold` without locks, to refuse a request early.
    pub async fn check(self, conn: &mut Conn, ctx: &Context, caller: &Identity, needs: Needs) -> Result<()> {
        if self.suffices(caller.account, needs).is_some() {
            return Ok(());
        }
        roles::check(conn, ctx, caller, Role::Organizer).await.map_err(|error| refused(error, needs))
    }

    /// Checks, with the contest locked, that the caller still has the right.
    pub fn still(self, caller: AccountId, right: Right, needs: Needs) -> Result<()> {
        match right {
            Right::Role(_) => Ok(()),
            Right::Creator | Right::Organizer if self.suffices(caller, needs).is_some() => Ok(()),
            Right::Creator | Right::Organizer => Err(not_in_charge(needs)),
        }
    }
}

/// The error for a caller without the role, which must not ask for the role.
fn refused(error: Error, needs: Needs) -> Error {
    if error.problem().kind == ProblemKind::Forbidden { not_in_charge(needs) } else { error }
}

fn not_in_charge(needs: Needs) -> Error {
    match needs {
        Needs::Organizer => {
            let detail = "Only who runs the contest can do this: its creator and those whom they have named.";
            Error::new(&problem::NOT_AN_ORGANIZER, detail)
        }
        Needs::Creator => Error::new(&problem::NOT_THE_CREATOR, "Only the creator of the contest can do this."),
    }
}

/// The error for an unknown name, in lower case: the answer about a player who blocks the caller must not differ by a
/// letter.
pub fn no_player(name: &str) -> Error {
    Error::nothing(format!("There is no player {}.", name.to_ascii_lowercase()))
}

/// The player of this name. Locks their account together with the caller's, before anything else. Fails with
/// `not-found` if there is no such name.
pub async fn lock_named(tx: &mut Tx, ctx: &Context, caller: &Identity, name: &Username) -> Result<Player> {
    let found = accounts::store::accounts::find_player(tx, name).await?;
    let player = found.ok_or_else(|| no_player(name.as_str()))?;
    if player.id == caller.account {
        account::lock_active(tx, ctx, caller.account).await?;
    } else if account::lock_active_with(tx, ctx, caller.account, player.id).await? == OtherAccount::Deleted {
        return Err(no_player(name.as_str()));
    }
    Ok(player)
}

/// Makes a [locked](lock_named) player an organizer of a locked contest, and notifies them; does nothing if they are
/// one already. Fails with `own-account` for the creator, `quota-exceeded` beyond [`MAX_ORGANIZERS`], `player-blocked`,
/// and `not-found` if the player blocks the caller.
pub async fn add(
    tx: &mut Tx,
    ctx: &Context,
    caller: &Identity,
    contest: Contest,
    runners: Runners<'_>,
    player: &Player,
) -> Result<()> {
    if player.id == runners.creator {
        return Err(Error::new(&problem::OWN_ACCOUNT, "The creator of a contest runs it anyway."));
    }
    if runners.right_of(player.id).is_some() {
        return Ok(());
    }
    if blocks::blocks(tx, player.id, caller.account).await? {
        return Err(no_player(&player.username));
    }
    if blocks::blocks(tx, caller.account, player.id).await? {
        return Err(Error::plain(&problem::PLAYER_BLOCKED));
    }
    if runners.organizers.len() >= MAX_ORGANIZERS {
        let detail = format!("A contest has {MAX_ORGANIZERS} organizers beside its creator at most: remove one first.");
        return Err(Error::new(&problem::TOO_MANY_OPEN, detail));
    }
    let now = ctx.clock.now();
    store::insert(tx, contest, player.id, now).await?;
    let (ladder, tournament) = super::either(contest);
    let event = ContestOrganizerAddedEvent::at(now, ladder, tournament).into();
    events::notify(tx, ctx, events::notification(player.id, &[event])?).await
}

/// Removes an organizer from a locked contest: by the creator, and then they are notified, or at their own request.
/// Does nothing if they aren't an organizer.
pub async fn remove(tx: &mut Tx, ctx: &Context, caller: &Identity, contest: Contest, player: &Player) -> Result<()> {
    if !store::delete(tx, contest, player.id).await? || player.id == caller.account {
        return Ok(());
    }
    let (ladder, tournament) = super::either(contest);
    let event = ContestOrganizerRemovedEvent::at(ctx.clock.now(), ladder, tournament).into();
    events::notify(tx, ctx, events::notification(player.id, &[event])?).await
}

pub async fn of(conn: &mut PublicRead, contests: &[Uuid]) -> Result<HashMap<Uuid, Vec<Organizer>>> {
    store::of(conn, contests).await
}

/// The contests organized by the account, each with the time since when, for its own export.
pub async fn export(conn: &mut Conn, account: AccountId) -> Result<Vec<(Contest, Time)>> {
    store::of_account(conn, account).await
}

/// Records the organizer who closed or canceled a contest: the reason is their text, and is erased with their account.
pub async fn ended_by(tx: &mut Tx, contest: Contest, account: AccountId) -> Result<()> {
    store::words::set_ended_by(tx, contest, account).await
}

/// Removes an account that is being deleted from its contests: the first-named organizer gets its rights, and owns
/// title and description. If no organizer is left, these are erased.
pub async fn forget(tx: &mut Tx, account: AccountId) -> Result<()> {
    store::erase_end_reasons(tx, account).await?;
    store::hand_over(tx, account).await?;
    let led = store::led_by(tx, account).await?;
    store::delete_all(tx, account).await?;
    store::erase_titles_of_orphans(tx, &led).await
}

/// Gives a contest a neutral title, and erases its description.
pub async fn erase_title(tx: &mut Tx, contest: ContestId) -> Result<()> {
    store::erase_title(tx, contest.0).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(number: u128) -> AccountId {
        AccountId(Uuid::from_u128(number))
    }

    fn named(number: u128, leads: bool) -> Organizer {
        Organizer { player: Player { id: account(number), username: "ben".to_owned(), bot: false }, leads }
    }

    #[test]
    fn who_was_named_decides_but_for_what_is_the_creators() {
        let organizers = [named(2, false)];
        let runners = Runners { creator: account(1), organizers: &organizers };
        assert_eq!(runners.suffices(account(1), Needs::Creator), Some(Right::Creator));
        assert_eq!(runners.suffices(account(2), Needs::Organizer), Some(Right::Organizer));
        assert_eq!(runners.suffices(account(2), Needs::Creator), None);
        assert_eq!(runners.suffices(account(3), Needs::Organizer), None);
        let organizers = [named(2, true)];
        let runners = Runners { creator: account(1), organizers: &organizers };
        assert_eq!(runners.suffices(account(2), Needs::Creator), Some(Right::Creator));
    }
}
