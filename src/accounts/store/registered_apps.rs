//! Registered apps, with their current and previous names.

use std::collections::HashMap;

use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::accounts::lookalikes::SkeletonHash;
use crate::accounts::oauth::registered::{RegisteredApp, Wanted, client_id};
use crate::accounts::store::accounts::Suspended;
use crate::accounts::store::tokens::scopes;
use crate::accounts::{Scope, Username};
use crate::db::schema::{
    accounts, authorization_codes, device_codes, registered_app_names as names, registered_apps as apps, sessions,
};
use crate::db::{At, Conn, Run, Tx, rows, sql};
use crate::error::Result;
use crate::ids::{AccountId, RegisteredAppId, SessionId};

#[derive(Queryable, Selectable)]
#[diesel(table_name = apps, check_for_backend(diesel::pg::Pg))]
struct Row {
    id: Uuid,
    account_id: Uuid,
    name: String,
    homepage: String,
    description: String,
    redirect_uris: Vec<String>,
    scopes: Vec<String>,
    created_at: At,
    suspended_at: Option<At>,
}

type Joined = (Row, String, Suspended);

fn app((row, owner, suspended): Joined) -> RegisteredApp {
    RegisteredApp {
        id: RegisteredAppId(row.id),
        account: AccountId(row.account_id),
        owner: Username::stored(owner),
        owner_suspension: suspended.into(),
        name: row.name,
        homepage: row.homepage,
        description: row.description,
        redirect_uris: row.redirect_uris,
        scopes: scopes(&row.scopes),
        created_at: row.created_at.0,
        suspended_at: row.suspended_at.map(Time::from),
    }
}

fn words(of: &[Scope]) -> Vec<&'static str> {
    of.iter().map(|scope| scope.into_str()).collect()
}

pub async fn insert(tx: &mut Tx, id: RegisteredAppId, owner: AccountId, wanted: &Wanted, now: Time) -> Result<()> {
    diesel::insert_into(apps::table)
        .values((
            apps::id.eq(id.0),
            apps::account_id.eq(owner.0),
            apps::name.eq(wanted.name.as_str()),
            apps::homepage.eq(wanted.homepage.as_str()),
            apps::description.eq(wanted.description.as_str()),
            apps::redirect_uris.eq(wanted.uris()),
            apps::scopes.eq(words(&wanted.scopes)),
            apps::created_at.eq(At(now)),
        ))
        .run(tx)
        .await
}

/// Updates all fields that the owner can change.
pub async fn update(tx: &mut Tx, app: &RegisteredApp) -> Result<()> {
    diesel::update(apps::table.find(app.id.0))
        .set((
            apps::name.eq(&app.name),
            apps::homepage.eq(&app.homepage),
            apps::description.eq(&app.description),
            apps::redirect_uris.eq(&app.redirect_uris),
            apps::scopes.eq(words(&app.scopes)),
        ))
        .run(tx)
        .await
}

/// Sets the time since which the app gets no grants; `None`: it gets them.
pub async fn suspend(tx: &mut Tx, id: RegisteredAppId, since: Option<Time>) -> Result<()> {
    diesel::update(apps::table.find(id.0)).set(apps::suspended_at.eq(since.map(At))).run(tx).await
}

pub async fn delete(tx: &mut Tx, id: RegisteredAppId) -> Result<()> {
    diesel::delete(apps::table.find(id.0)).run(tx).await
}

/// Takes a shared lock, so that the app is neither deleted nor suspended until the transaction ends.
pub async fn lock_shared(tx: &mut Tx, id: RegisteredAppId) -> Result<()> {
    let row = apps::table.find(id.0).select(apps::id).for_share();
    let _: Option<Uuid> = row.first(tx.sql()).await.optional()?;
    Ok(())
}

/// Takes an exclusive lock on an app.
pub async fn lock_exclusively(tx: &mut Tx, id: RegisteredAppId) -> Result<()> {
    let row = apps::table.find(id.0).select(apps::id).for_update();
    let _: Option<Uuid> = row.first(tx.sql()).await.optional()?;
    Ok(())
}

/// These apps with their owners' names, in the order of their ids.
pub async fn find_all(conn: &mut Conn, ids: &[RegisteredAppId]) -> Result<Vec<RegisteredApp>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let rows: Vec<Joined> = apps::table
        .inner_join(accounts::table.on(accounts::id.eq(apps::account_id)))
        .filter(apps::id.eq_any(ids))
        .filter(accounts::deleted_at.is_null())
        .order(apps::id)
        .select((Row::as_select(), accounts::username, Suspended::as_select()))
        .load(conn.sql())
        .await?;
    Ok(rows.into_iter().map(app).collect())
}

/// A page of the apps of an account, or of all, newest first.
pub async fn page(
    conn: &mut Conn,
    owner: Option<AccountId>,
    before: Option<RegisteredAppId>,
    limit: i64,
) -> Result<Vec<RegisteredApp>> {
    let mut query = apps::table
        .inner_join(accounts::table.on(accounts::id.eq(apps::account_id)))
        .select((Row::as_select(), accounts::username, Suspended::as_select()))
        .into_boxed();
    if let Some(owner) = owner {
        query = query.filter(apps::account_id.eq(owner.0));
    }
    if let Some(before) = before {
        query = query.filter(apps::id.lt(before.0));
    }
    let rows: Vec<Joined> = query.order(apps::id.desc()).limit(limit).load(conn.sql()).await?;
    Ok(rows.into_iter().map(app).collect())
}

/// The number of accounts with a live grant for each app.
pub async fn grants(conn: &mut Conn, ids: &[RegisteredAppId], now: Time) -> Result<HashMap<RegisteredAppId, i64>> {
    let of: HashMap<String, RegisteredAppId> = ids.iter().map(|id| (client_id(*id), *id)).collect();
    let clients: Vec<&str> = of.keys().map(String::as_str).collect();
    let rows: Vec<(Option<String>, i64)> = sessions::table
        .filter(sessions::client_id.eq_any(clients))
        .filter(sessions::ended_at.is_null())
        .filter(sessions::expires_at.gt(At(now)))
        .group_by(sessions::client_id)
        .select((sessions::client_id, diesel::dsl::count_star()))
        .load(conn.sql())
        .await?;
    Ok(rows.into_iter().filter_map(|(client, count)| Some((*of.get(&client?)?, count))).collect())
}

/// Ends every grant of an app, in the order of their ids, and deletes its pending codes.
pub async fn end_grants(tx: &mut Tx, id: RegisteredAppId, now: Time) -> Result<Vec<SessionId>> {
    let client = client_id(id);
    let living: Vec<Uuid> = sessions::table
        .filter(sessions::client_id.eq(&client))
        .filter(sessions::ended_at.is_null())
        .order(sessions::id)
        .select(sessions::id)
        .for_no_key_update()
        .load(tx.sql())
        .await?;
    diesel::update(sessions::table.filter(sessions::id.eq_any(&living)))
        .set(sessions::ended_at.eq(At(now)))
        .run(tx)
        .await?;
    diesel::delete(authorization_codes::table.filter(authorization_codes::client_id.eq(&client))).run(tx).await?;
    diesel::delete(device_codes::table.filter(device_codes::client_id.eq(&client))).run(tx).await?;
    Ok(living.into_iter().map(SessionId).collect())
}

rows! {
    struct Taken {
        skeleton: Vec<u8>,
    }
}

/// Takes a name for an app of this account. False: another app has it, or had it recently.
pub async fn take_name(
    tx: &mut Tx,
    skeleton: &SkeletonHash,
    id: RegisteredAppId,
    owner: AccountId,
    now: Time,
) -> Result<bool> {
    let take = "INSERT INTO registered_app_names AS n (skeleton, app_id, account_id, free_at) VALUES ($1, $2, $3, NULL) \
         ON CONFLICT (skeleton) DO UPDATE SET app_id = excluded.app_id, account_id = excluded.account_id, free_at = NULL \
           WHERE n.app_id = excluded.app_id OR n.free_at <= $4 OR (n.app_id IS NULL AND n.account_id = excluded.account_id) \
         RETURNING skeleton";
    let taken: Vec<Taken> = sql!(take, skeleton.to_vec(), id.0, owner.0, At(now)).load(tx.sql()).await?;
    Ok(taken.iter().any(|taken| taken.skeleton == skeleton))
}

/// Gives up the names of an app except `kept`: they are free for all at `free_at`, and for `owner` before.
pub async fn give_up_names(
    tx: &mut Tx,
    id: RegisteredAppId,
    kept: Option<&SkeletonHash>,
    owner: Option<AccountId>,
    free_at: Time,
) -> Result<()> {
    let none: &[u8] = &[];
    diesel::update(names::table.filter(names::app_id.eq(id.0)))
        .filter(names::skeleton.ne(kept.map_or(none, |kept| kept.as_slice())))
        .set((
            names::app_id.eq(None::<Uuid>),
            names::account_id.eq(owner.map(|owner| owner.0)),
            names::free_at.eq(Some(At(free_at))),
        ))
        .run(tx)
        .await
}

/// Frees the names that an account has given up, except the newest ones, to prevent hoarding.
pub async fn free_all_but(tx: &mut Tx, owner: AccountId, newest: i64) -> Result<()> {
    let given_up = || names::table.filter(names::account_id.eq(owner.0)).filter(names::app_id.is_null());
    let old: Vec<Vec<u8>> =
        given_up().order(names::free_at.desc()).offset(newest).select(names::skeleton).load(tx.sql()).await?;
    diesel::delete(names::table.filter(names::skeleton.eq_any(old))).run(tx).await
}

/// Removes an account's right to take back its given-up names.
pub async fn forget_owner_of_names(tx: &mut Tx, owner: AccountId) -> Result<()> {
    diesel::update(names::table.filter(names::account_id.eq(owner.0)))
        .set(names::account_id.eq(None::<Uuid>))
        .run(tx)
        .await
}

/// True if an app has a name with this skeleton.
pub async fn is_called_so(conn: &mut Conn, skeleton: &SkeletonHash) -> Result<bool> {
    let found = names::table.find(skeleton.as_slice()).filter(names::app_id.is_not_null()).select(names::skeleton);
    Ok(found.first::<Vec<u8>>(conn.sql()).await.optional()?.is_some())
}

/// Frees a bounded number of names whose reservation has ended. Returns the number.
pub async fn free_over_before(tx: &mut Tx, then: Time) -> Result<usize> {
    let over: Vec<Vec<u8>> =
        names::table.filter(names::free_at.lt(At(then))).select(names::skeleton).limit(1000).load(tx.sql()).await?;
    Ok(diesel::delete(names::table.filter(names::skeleton.eq_any(over))).execute(tx.sql()).await?)
}
