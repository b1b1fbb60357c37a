//! Guests: accounts without a password.

use broadside_rules::Time;
use diesel::dsl::{exists, not};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::db::schema::{accounts, sessions};
use crate::db::{At, Conn, Tx};
use crate::error::Result;
use crate::ids::AccountId;

/// Turns a guest account into a full one, with or without a password. False: it isn't a guest's, or has no live session
/// (so that an account about to be deleted can't be claimed).
pub async fn claim(tx: &mut Tx, id: AccountId, hash: Option<&str>) -> Result<bool> {
    let living = sessions::table.filter(sessions::account_id.eq(id.0)).filter(sessions::ended_at.is_null());
    let guest = accounts::table
        .find(id.0)
        .filter(accounts::guest)
        .filter(accounts::deleted_at.is_null())
        .filter(exists(living));
    // `None` leaves the column as it is.
    let claimed = diesel::update(guest).set((
        hash.map(|hash| accounts::password_hash.eq(hash)),
        accounts::guest.eq(false),
        accounts::guest_origin.eq(None::<Vec<u8>>),
    ));
    Ok(claimed.execute(tx.sql()).await? == 1)
}

pub async fn is_guest(conn: &mut Conn, id: AccountId) -> Result<bool> {
    let guest = accounts::table.find(id.0).filter(accounts::guest).filter(accounts::deleted_at.is_null());
    Ok(diesel::select(exists(guest)).get_result(conn.sql()).await?)
}

/// Up to `limit` guests without a live session refreshed after `since`.
pub async fn idle(
    conn: &mut Conn,
    now: Time,
    since: Time,
    last: Option<AccountId>,
    limit: i64,
) -> Result<Vec<AccountId>> {
    let in_use = sessions::table
        .filter(sessions::account_id.eq(accounts::id))
        .filter(sessions::ended_at.is_null())
        .filter(sessions::expires_at.gt(At(now)))
        .filter(sessions::last_used_at.gt(At(since)));
    let ids: Vec<Uuid> = accounts::table
        .filter(accounts::guest)
        .filter(accounts::deleted_at.is_null())
        .filter(accounts::id.gt(last.map_or(Uuid::nil(), |last| last.0)))
        .filter(not(exists(in_use)))
        .order(accounts::id)
        .limit(limit)
        .select(accounts::id)
        .load(conn.sql())
        .await?;
    Ok(ids.into_iter().map(AccountId).collect())
}
