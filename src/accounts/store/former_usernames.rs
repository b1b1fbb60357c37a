//! Previous names of accounts, and name changes.

use broadside_rules::Time;
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::accounts::Username;
use crate::accounts::lookalikes::SkeletonHash;
use crate::db::schema::{accounts, former_usernames};
use crate::db::{At, Conn, PublicRead, Run, Tx, is_duplicate};
use crate::error::Result;
use crate::ids::AccountId;

/// The maximum number of rows deleted per call.
const AT_ONCE: i64 = 1000;

/// The name of an account, and the time of its last change.
pub async fn current(conn: &mut Conn, account: AccountId) -> Result<(Username, Option<Time>)> {
    let columns = accounts::table.find(account.0).select((accounts::username, accounts::username_changed_at));
    let (name, changed_at): (String, Option<At>) = columns.first(conn.sql()).await?;
    Ok((Username::stored(name), changed_at.map(Time::from)))
}

/// Renames an account; the change counts from `counts_from` on, if at all. False: the name or a lookalike is or was
/// another account's; roll back.
pub async fn rename(
    tx: &mut Tx,
    account: AccountId,
    name: &Username,
    skeleton: &SkeletonHash,
    counts_from: Option<Time>,
) -> Result<bool> {
    let like_it = accounts::username_key.eq(name.key()).or(accounts::username_skeleton.eq(skeleton.as_slice()));
    let others = accounts::table.filter(accounts::id.ne(account.0)).filter(like_it);
    let taken: bool = diesel::select(exists(others)).get_result(tx.sql()).await?;
    if taken {
        return Ok(false);
    }
    let renamed = diesel::update(accounts::table.find(account.0))
        .set((
            accounts::username.eq(name.as_str()),
            accounts::username_key.eq(name.key()),
            accounts::username_skeleton.eq(skeleton.as_slice()),
            counts_from.map(|at| accounts::username_changed_at.eq(At(at))),
        ))
        .execute(tx.sql())
        .await;
    match renamed {
        // Another transaction took it at the same moment.
        Err(error) if is_duplicate(&error) => Ok(false),
        renamed => Ok(renamed? == 1),
    }
}

/// True if a lookalike of this name was recently another account's than `own`. Call it after writing the name: a
/// concurrent release has committed by then.
pub async fn is_held(tx: &mut Tx, skeleton: &SkeletonHash, own: Option<AccountId>) -> Result<bool> {
    let held = former_usernames::table
        .filter(former_usernames::skeleton.eq(skeleton.as_slice()))
        .filter(former_usernames::account_id.ne(own.map_or(Uuid::nil(), |own| own.0)));
    Ok(diesel::select(exists(held)).get_result(tx.sql()).await?)
}

/// Reserves a name that an account has given up.
pub async fn insert(
    tx: &mut Tx,
    id: Uuid,
    account: AccountId,
    (name, skeleton): (&Username, SkeletonHash),
    now: Time,
) -> Result<()> {
    diesel::insert_into(former_usernames::table)
        .values((
            former_usernames::id.eq(id),
            former_usernames::account_id.eq(account.0),
            former_usernames::username_key.eq(name.key()),
            former_usernames::skeleton.eq(skeleton.as_slice()),
            former_usernames::left_at.eq(At(now)),
        ))
        .run(tx)
        .await
}

pub async fn delete(tx: &mut Tx, account: AccountId, name: &Username) -> Result<()> {
    let again = former_usernames::table
        .filter(former_usernames::account_id.eq(account.0))
        .filter(former_usernames::username_key.eq(name.key()));
    diesel::delete(again).run(tx).await
}

/// The account that recently had this name.
pub async fn holder(conn: &mut PublicRead, name: &Username) -> Result<Option<AccountId>> {
    let held = former_usernames::table.filter(former_usernames::username_key.eq(name.key()));
    let account: Option<Uuid> = held.select(former_usernames::account_id).first(conn.sql()).await.optional()?;
    Ok(account.map(AccountId))
}

/// The recent names of an account, with the times of release.
pub async fn of(conn: &mut Conn, account: AccountId) -> Result<Vec<(Username, Time)>> {
    let rows: Vec<(Option<String>, At)> = former_usernames::table
        .filter(former_usernames::account_id.eq(account.0))
        .order(former_usernames::id.desc())
        .select((former_usernames::username_key, former_usernames::left_at))
        .load(conn.sql())
        .await?;
    Ok(rows.into_iter().filter_map(|(name, left_at)| Some((Username::stored(name?), left_at.0))).collect())
}

/// Erases the previous names of a deleted account. Their lookalike hashes stay until the year is over.
pub async fn blank(tx: &mut Tx, account: AccountId) -> Result<()> {
    diesel::update(former_usernames::table.filter(former_usernames::account_id.eq(account.0)))
        .set(former_usernames::username_key.eq(None::<String>))
        .run(tx)
        .await
}

/// Deletes rows from before `then`. Returns the number.
pub async fn delete_before(tx: &mut Tx, then: Time) -> Result<usize> {
    let old: Vec<Uuid> = former_usernames::table
        .filter(former_usernames::left_at.lt(At(then)))
        .select(former_usernames::id)
        .limit(AT_ONCE)
        .load(tx.sql())
        .await?;
    let deleted = diesel::delete(former_usernames::table.filter(former_usernames::id.eq_any(old)));
    Ok(deleted.execute(tx.sql()).await?)
}
