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

/// Makes a guest's account one like any other, with this password, or with none. False: there is no such guest, or no
/// session of it lives (so that nobody claims an account that is about to be deleted).
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

/// At most `limit` guests without a session that lives and was refreshed after `since`.
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
