//! Roles: permissions beyond playing. Only the operator grants and revokes them, by a command
//! (`crate::moderation::grants`).
//!
//! Roles are not part of a token: they are looked up in the database where they are needed, and the row is locked until
//! the commit. So an action is complete before the role is taken away, or it does not happen.

use broadside_rules::Time;

use super::{Identity, Scope, account, suspension};
use crate::accounts::store;
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::ids::AccountId;
use crate::player::Player;
use crate::string_enums::string_enums;

string_enums! {
    /// A role that an account may have.
    pub enum Role {
        /// Looks after people and matches: suspends, annuls, adjudicates, deals with reports.
        Moderator,
        /// Looks after ladders and tournaments, beyond what players may.
        Organizer,
    }
}

/// The author of an action that needs a role, or the right to run a contest. Created only by [`require`], which checks
/// the role, `contests::organizers`, which checks that right, and [`Actor::OPERATOR`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Actor(Option<AccountId>);

impl Actor {
    /// The operator on the command line. HTTP requests never act as the operator.
    pub const OPERATOR: Actor = Actor(None);

    /// An organizer of a contest: the caller has checked that, and has locked the contest.
    pub(crate) fn of_a_contest(account: AccountId) -> Self {
        Self(Some(account))
    }

    /// The account; `None`: the operator.
    pub fn account(self) -> Option<AccountId> {
        self.0
    }
}

#[derive(Clone, Debug)]
pub struct RoleHolder {
    /// With the current name.
    pub player: Player,
    pub role: Role,
    pub granted_at: Time,
}

/// Locks the caller's account and role until the transaction ends. Fails with `role-required` if the account doesn't
/// have the role, and with `insufficient-scope` if the token may not use it. To lock another account as well, first
/// lock both ([`account::lock_both_exclusively`]).
pub async fn require(tx: &mut Tx, ctx: &Context, who: &Identity, role: Role) -> Result<Actor> {
    may_use(who, role)?;
    account::lock_active(tx, ctx, who.account).await?;
    if store::roles::lock_shared(tx, who.account, role).await? {
        Ok(Actor(Some(who.account)))
    } else {
        Err(missing(role))
    }
}

/// Checks that the caller currently has the role and is not suspended, without a lock: for reads, and to refuse a
/// request early. Fails like [`require`].
pub async fn check(conn: &mut Conn, ctx: &Context, who: &Identity, role: Role) -> Result<()> {
    may_use(who, role)?;
    if !store::roles::has(conn, who.account, role).await? {
        return Err(missing(role));
    }
    let suspension = store::accounts::suspension(conn, who.account).await?;
    match suspension.filter(|suspension| suspension.is_on(ctx.clock.now())) {
        Some(suspension) => Err(suspension::refusal(suspension)),
        None => Ok(()),
    }
}

/// The roles that the caller's token may use, if the account has them.
pub fn usable(who: &Identity) -> Vec<&'static str> {
    let all = [Role::Moderator, Role::Organizer].into_iter();
    all.filter(|role| may_use(who, *role).is_ok()).map(Role::into_str).collect()
}

fn may_use(who: &Identity, role: Role) -> Result<()> {
    if who.barred_roles.contains(&role) {
        let detail = format!("This server lets nobody use the role {} without a second factor.", role.into_str());
        return Err(Error::new(&problem::ROLE_MISSING, detail));
    }
    if who.may(Some(Scope::Moderation)) {
        return Ok(());
    }
    Err(Error::insufficient_scope(Scope::Moderation.into_str()))
}

fn missing(role: Role) -> Error {
    Error::new(
        &problem::ROLE_MISSING,
        format!("This needs the role {}, which only the operator gives.", role.into_str()),
    )
}
