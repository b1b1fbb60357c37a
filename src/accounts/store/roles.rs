//! The SQL of roles.

use broadside_rules::Time;
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::accounts::roles::{Role, RoleHolder};
use crate::db::schema::{account_roles as roles, accounts};
use crate::db::{At, Conn, Run, Tx};
use crate::error::{Error, Result};
use crate::ids::AccountId;
use crate::player::Player;

/// Locks the account's role (`FOR SHARE`) against revocation until the transaction ends. False: the account doesn't
/// have it.
pub async fn lock_shared(tx: &mut Tx, account: AccountId, role: Role) -> Result<bool> {
    let row = roles::table.find((account.0, role.into_str())).select(roles::account_id).for_share();
    let found: Option<Uuid> = row.first(tx.sql()).await.optional()?;
    Ok(found.is_some())
}

pub async fn has(conn: &mut Conn, account: AccountId, role: Role) -> Result<bool> {
    let row = roles::table.find((account.0, role.into_str()));
    Ok(diesel::select(exists(row)).get_result(conn.sql()).await?)
}

pub async fn of(conn: &mut Conn, account: AccountId) -> Result<Vec<Role>> {
    let own = roles::table.filter(roles::account_id.eq(account.0)).order(roles::role).select(roles::role);
    let names: Vec<String> = own.load(conn.sql()).await?;
    // Roles unknown to this version grant nothing.
    Ok(names.iter().filter_map(|role| role.parse().ok()).collect())
}

/// Grants the role. False: the account already has it.
pub async fn insert(tx: &mut Tx, account: AccountId, role: Role, now: Time) -> Result<bool> {
    let row = (roles::account_id.eq(account.0), roles::role.eq(role.into_str()), roles::granted_at.eq(At(now)));
    let inserted = diesel::insert_into(roles::table).values(row).on_conflict_do_nothing();
    Ok(inserted.execute(tx.sql()).await? == 1)
}

/// Revokes the role. False: the account didn't have it.
pub async fn delete(tx: &mut Tx, account: AccountId, role: Role) -> Result<bool> {
    let row = roles::table.find((account.0, role.into_str()));
    Ok(diesel::delete(row).execute(tx.sql()).await? == 1)
}

pub async fn delete_all(tx: &mut Tx, account: AccountId) -> Result<()> {
    diesel::delete(roles::table.filter(roles::account_id.eq(account.0))).run(tx).await
}

/// All accounts with a role, by role and name.
pub async fn list(conn: &mut Conn) -> Result<Vec<RoleHolder>> {
    let rows: Vec<(Uuid, String, bool, String, At)> = roles::table
        .inner_join(accounts::table.on(accounts::id.eq(roles::account_id)))
        .order((roles::role, accounts::username_key))
        .select((accounts::id, accounts::username, accounts::bot, roles::role, roles::granted_at))
        .load(conn.sql())
        .await?;
    let holder = |(id, username, bot, role, granted_at): (Uuid, String, bool, String, At)| {
        let role = role.parse().map_err(|_| Error::internal(format!("{username} has the unknown role {role}")))?;
        Ok(RoleHolder { player: Player { id: AccountId(id), username, bot }, role, granted_at: granted_at.0 })
    };
    rows.into_iter().map(holder).collect()
}
