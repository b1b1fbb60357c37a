//! Roles: what makes an account more than a player's. They are given and taken by a command of the operator's alone (`crate::moderation::grants`).
//!
//! No token carries them: whether somebody has a role is asked of the database where it is needed, and the row is held until the commit. So what he does comes
//! before his role is taken away, or isn't done.

use broadside_rules::Time;
use serde::Serialize;
use strum::{EnumString, IntoStaticStr, VariantArray, VariantNames};
use utoipa::ToSchema;

use super::{Identity, Scope, account};
use crate::accounts::store;
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::ids::AccountId;
use crate::player::Player;
use crate::string_enums::must_be_one_of;

/// What an account may be beside a player's.
#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Debug,
    EnumString,
    IntoStaticStr,
    VariantArray,
    VariantNames,
    Serialize,
    ToSchema,
)]
#[strum(serialize_all = "kebab-case", const_into_str, parse_err_ty = String, parse_err_fn = must_be_one_of::<Self>)]
#[schema(rename_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Looks after people and matches: suspends, annuls, adjudicates, deals with reports.
    Moderator,
    /// Looks after ladders and tournaments, beyond what players may.
    Organizer,
}

/// Who does something that not everybody may: made by [`required`], which has seen his role, or for the operator, who has the database anyway.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Actor(Option<AccountId>);

impl Actor {
    /// The operator, at the command line. Nothing that comes over HTTP is done as him.
    pub const OPERATOR: Actor = Actor(None);

    /// His account; none: the operator.
    pub fn account(self) -> Option<AccountId> {
        self.0
    }
}

/// Somebody with a role.
#[derive(Clone, Debug)]
pub struct Holder {
    /// Who.
    pub player: Player,
    /// What he is.
    pub role: Role,
    /// Since when.
    pub granted_at: Time,
}

/// Holds the caller's account and his role for the rest of the transaction; `role-missing` if he doesn't have it, `scope-missing` if his token may not use it.
/// Whoever locks another account as well takes both before, in the order of their ids.
pub async fn required(tx: &mut Tx, ctx: &Context, who: &Identity, role: Role) -> Result<Actor> {
    may_use_roles(who)?;
    account::hold(tx, ctx, who.account).await?;
    if store::roles::hold(tx, who.account, role).await? { Ok(Actor(Some(who.account))) } else { Err(missing(role)) }
}

/// Whether the caller has the role at this moment: for what is only read, and to turn others away at the door. Fails as [`required`] does.
pub async fn check(conn: &mut Conn, who: &Identity, role: Role) -> Result<()> {
    may_use_roles(who)?;
    if store::roles::has(conn, who.account, role).await? { Ok(()) } else { Err(missing(role)) }
}

fn may_use_roles(who: &Identity) -> Result<()> {
    if who.may(Some(Scope::Moderation)) {
        return Ok(());
    }
    Err(Error::new(&problem::SCOPE_MISSING, format!("The token needs the scope {}.", Scope::Moderation.name())))
}

fn missing(role: Role) -> Error {
    Error::new(
        &problem::ROLE_MISSING,
        format!("This needs the role {}, which only the operator gives.", role.into_str()),
    )
}

/// The same with a connection of its own.
pub async fn check_at_the_door(ctx: &Context, who: &Identity, role: Role) -> Result<()> {
    check(&mut ctx.db.conn().await?, who, role).await
}
