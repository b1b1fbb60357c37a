//! Account rows, found by id or by name. Deleted accounts are never found here; their rows stay for the matches of
//! others.

use std::collections::HashMap;

use broadside_rules::Time;
use diesel::dsl::{self, sql};
use diesel::expression::SqlLiteral;
use diesel::prelude::*;
use diesel::sql_types::{Array, Text};
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::accounts::account::{Account, KnownAccount, LockedAccount, NewAccount};
use crate::accounts::lookalikes;
use crate::accounts::passwords::DECOY;
use crate::accounts::profiles::{AccountProfile, ChallengesFrom};
use crate::accounts::{Email, Suspension, Username};
use crate::db::schema::accounts;
use crate::db::{At, Conn, PublicRead, Run, Tx};
use crate::error::Result;
use crate::ids::AccountId;
use crate::player::Player;

/// The columns read for an account, here and together with sessions.
#[derive(Queryable, Selectable)]
#[diesel(table_name = accounts, check_for_backend(diesel::pg::Pg))]
pub(crate) struct Row {
    id: Uuid,
    username: String,
    email: Option<String>,
    bot: bool,
    guest: bool,
    #[diesel(select_expression = accounts::password_hash.ne(DECOY), select_expression_type = HasPassword)]
    has_password: bool,
    created_at: At,
    #[diesel(embed)]
    suspended: Suspended,
    #[diesel(embed)]
    profile: ProfileRow,
    challenges_from: String,
    #[diesel(select_expression = sql::<Array<Text>>(ROLES), select_expression_type = SqlLiteral<Array<Text>>)]
    roles: Vec<String>,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = accounts, check_for_backend(diesel::pg::Pg))]
pub(crate) struct ProfileRow {
    bio: Option<String>,
    country: Option<String>,
    club: Option<String>,
    shows_time_zone: bool,
}

impl From<ProfileRow> for AccountProfile {
    fn from(row: ProfileRow) -> Self {
        let ProfileRow { bio, country, club, shows_time_zone } = row;
        Self { bio, country, club, shows_time_zone }
    }
}

/// Selects whether an account has a password.
type HasPassword = dsl::NotEq<accounts::password_hash, &'static str>;

const ROLES: &str = "ARRAY(SELECT r.role FROM account_roles AS r WHERE r.account_id = accounts.id ORDER BY r.role)";

#[derive(Queryable, Selectable)]
#[diesel(table_name = accounts, check_for_backend(diesel::pg::Pg))]
pub(crate) struct Suspended {
    suspended_at: Option<At>,
    suspended_until: Option<At>,
    suspension_reason: Option<String>,
}

impl From<Suspended> for Option<Suspension> {
    fn from(row: Suspended) -> Self {
        let (since, until) = (row.suspended_at?.0, row.suspended_until.map(Time::from));
        Some(Suspension { since, until, reason: row.suspension_reason.unwrap_or_default() })
    }
}

impl From<Row> for Account {
    fn from(row: Row) -> Self {
        Account {
            id: AccountId(row.id),
            username: Username::stored(row.username),
            bot: row.bot,
            guest: row.guest,
            has_password: row.has_password,
            email: row.email.map(Email::stored),
            created_at: row.created_at.0,
            suspension: row.suspended.into(),
            profile: Box::new(row.profile.into()),
            challenges_from: row.challenges_from.parse().unwrap_or_default(),
            // Roles unknown to this version grant nothing.
            roles: row.roles.iter().filter_map(|role| role.parse().ok()).collect(),
        }
    }
}

/// Stores a new account. False: the name, or a lookalike, is or was taken; roll back. Waits for any other transaction
/// that is taking it.
pub async fn insert(tx: &mut Tx, new: &NewAccount) -> Result<bool> {
    let NewAccount { account, password_hash, guest_origin } = new;
    let skeleton = lookalikes::skeleton_hash(&account.username);
    let inserted = diesel::insert_into(accounts::table)
        .values((
            accounts::id.eq(account.id.0),
            accounts::username.eq(account.username.as_str()),
            accounts::username_key.eq(account.username.key()),
            accounts::username_skeleton.eq(skeleton.as_slice()),
            accounts::email.eq(account.email.as_ref().map(Email::as_str)),
            accounts::password_hash.eq(password_hash),
            accounts::bot.eq(account.bot),
            accounts::guest.eq(account.guest),
            accounts::guest_origin.eq(guest_origin.as_deref()),
            accounts::created_at.eq(At(account.created_at)),
        ))
        .on_conflict_do_nothing()
        .execute(tx.sql())
        .await?;
    Ok(inserted == 1 && !super::former_usernames::is_held(tx, &skeleton, None).await?)
}

/// The account, unless it is deleted.
pub async fn find(conn: &mut Conn, id: AccountId) -> Result<Option<Account>> {
    let row = accounts::table
        .find(id.0)
        .filter(accounts::deleted_at.is_null())
        .select(Row::as_select())
        .first(conn.sql())
        .await
        .optional()?;
    Ok(row.map(Account::from))
}

/// The account with this name, and its password hash.
pub async fn credentials(conn: &mut Conn, name: &Username) -> Result<Option<(Account, String)>> {
    let row: Option<(Row, String)> = accounts::table
        .filter(accounts::username_key.eq(name.key()))
        .filter(accounts::deleted_at.is_null())
        .select((Row::as_select(), accounts::password_hash))
        .first(conn.sql())
        .await
        .optional()?;
    Ok(row.map(|(row, hash)| (row.into(), hash)))
}

/// The account with this name: including one that had it recently, and a deleted one that keeps it while suspended.
pub async fn find_by_name(conn: &mut PublicRead, name: &Username) -> Result<Option<KnownAccount>> {
    if let Some(named) = known(conn, Which::Name(name.key())).await? {
        return Ok(Some(named));
    }
    match super::former_usernames::holder(conn, name).await? {
        Some(holder) => known(conn, Which::Id(holder.0)).await,
        None => Ok(None),
    }
}

enum Which {
    Name(String),
    Id(Uuid),
}

async fn known(conn: &mut PublicRead, which: Which) -> Result<Option<KnownAccount>> {
    type Found = ((Uuid, String, bool), (bool, String), (At, Option<At>), Suspended, ProfileRow);
    let query = accounts::table
        .select((
            (accounts::id, accounts::username, accounts::bot),
            (accounts::guest, accounts::challenges_from),
            (accounts::created_at, accounts::deleted_at),
            Suspended::as_select(),
            ProfileRow::as_select(),
        ))
        .into_boxed();
    let query = match which {
        Which::Name(key) => query.filter(accounts::username_key.eq(key)),
        Which::Id(id) => query.filter(accounts::id.eq(id)),
    };
    let row: Option<Found> = query.first(conn.sql()).await.optional()?;
    Ok(row.map(|((id, username, bot), (guest, from), (created_at, deleted_at), suspended, profile)| KnownAccount {
        player: Player { id: AccountId(id), username, bot },
        guest,
        created_at: created_at.0,
        deleted: deleted_at.is_some(),
        suspension: suspended.into(),
        profile: profile.into(),
        challenges_from: from.parse().unwrap_or_default(),
    }))
}

pub async fn players(conn: &mut PublicRead, ids: &[Uuid]) -> Result<HashMap<Uuid, Player>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<(Uuid, String, bool)> = accounts::table
        .filter(accounts::id.eq_any(ids))
        .select((accounts::id, accounts::username, accounts::bot))
        .load(conn.sql())
        .await?;
    let player = |(id, username, bot)| (id, Player { id: AccountId(id), username, bot });
    Ok(rows.into_iter().map(player).collect())
}

/// The player with this name, unless the account is deleted.
pub async fn find_player(conn: &mut Conn, name: &Username) -> Result<Option<Player>> {
    Ok(find_by_name(conn, name).await?.filter(|known| !known.deleted).map(|known| known.player))
}

/// Locks the account for the rest of the transaction if its password still has this hash.
pub async fn lock_hash(tx: &mut Tx, id: AccountId, hash: &str) -> Result<bool> {
    let found: Option<Uuid> = accounts::table
        .find(id.0)
        .filter(accounts::password_hash.eq(hash))
        .filter(accounts::deleted_at.is_null())
        .select(accounts::id)
        .for_no_key_update()
        .first(tx.sql())
        .await
        .optional()?;
    Ok(found.is_some())
}

/// Locks the account (`FOR SHARE`) against deletion and suspension until the transaction ends. False: it is deleted.
pub async fn lock_shared(tx: &mut Tx, id: AccountId) -> Result<bool> {
    Ok(!lock_all_shared(tx, &[id]).await?.is_empty())
}

/// Locks these accounts (`FOR SHARE`) until the transaction ends, in the order of their ids to prevent deadlocks.
/// Returns the existing ones.
pub async fn lock_all_shared(tx: &mut Tx, ids: &[AccountId]) -> Result<Vec<LockedAccount>> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let there = accounts::table.filter(accounts::id.eq_any(ids)).filter(accounts::deleted_at.is_null());
    let rows: Vec<(Uuid, String, bool, Suspended)> = there
        .order(accounts::id)
        .select((accounts::id, accounts::username, accounts::bot, Suspended::as_select()))
        .for_share()
        .load(tx.sql())
        .await?;
    let locked = |(id, username, bot, suspended): (Uuid, String, bool, Suspended)| LockedAccount {
        player: Player { id: AccountId(id), username, bot },
        suspension: suspended.into(),
    };
    Ok(rows.into_iter().map(locked).collect())
}

/// Locks two accounts (`FOR NO KEY UPDATE`) until the transaction ends, in the order of their ids. False: one of them
/// is deleted.
pub async fn lock_both_exclusively(tx: &mut Tx, one: AccountId, other: AccountId) -> Result<bool> {
    let both = accounts::table.filter(accounts::id.eq_any([one.0, other.0])).filter(accounts::deleted_at.is_null());
    let found: Vec<Uuid> = both.order(accounts::id).select(accounts::id).for_no_key_update().load(tx.sql()).await?;
    Ok(found.len() == 2)
}

/// Locks the account (`FOR NO KEY UPDATE`) until the transaction ends.
pub async fn lock_exclusively(tx: &mut Tx, id: AccountId) -> Result<()> {
    accounts::table.find(id.0).select(accounts::id).for_no_key_update().first::<Uuid>(tx.sql()).await.optional()?;
    Ok(())
}

/// Replaces the password hash if it still equals `old`.
pub async fn replace_hash(tx: &mut Tx, id: AccountId, old: &str, new: &str) -> Result<bool> {
    let known =
        accounts::table.find(id.0).filter(accounts::password_hash.eq(old)).filter(accounts::deleted_at.is_null());
    let replaced = diesel::update(known).set(accounts::password_hash.eq(new)).execute(tx.sql()).await?;
    Ok(replaced == 1)
}

/// Sets or clears the e-mail address.
pub async fn set_email(tx: &mut Tx, id: AccountId, email: Option<&Email>) -> Result<()> {
    let account = accounts::table.find(id.0).filter(accounts::deleted_at.is_null());
    diesel::update(account).set(accounts::email.eq(email.map(Email::as_str))).run(tx).await
}

/// Records that the owner is now warned of wrong passwords. False: a warning was sent since `then`, or the account is
/// deleted.
pub async fn note_warning(tx: &mut Tx, id: AccountId, now: Time, then: Time) -> Result<bool> {
    let account = accounts::table.find(id.0).filter(accounts::deleted_at.is_null());
    let due = account.filter(accounts::sign_in_warned_at.is_null().or(accounts::sign_in_warned_at.le(At(then))));
    let noted = diesel::update(due).set(accounts::sign_in_warned_at.eq(At(now))).execute(tx.sql()).await?;
    Ok(noted == 1)
}

/// Changes the bot mark or the accepted challengers; at least one must be given.
pub async fn set_marks(tx: &mut Tx, id: AccountId, bot: Option<bool>, from: Option<ChallengesFrom>) -> Result<()> {
    let account = accounts::table.find(id.0).filter(accounts::deleted_at.is_null());
    let from = from.map(|from| accounts::challenges_from.eq(from.into_str()));
    diesel::update(account).set((bot.map(|bot| accounts::bot.eq(bot)), from)).run(tx).await
}

pub async fn set_profile(tx: &mut Tx, id: AccountId, profile: &AccountProfile) -> Result<()> {
    let account = accounts::table.find(id.0).filter(accounts::deleted_at.is_null());
    diesel::update(account)
        .set((
            accounts::bio.eq(profile.bio.as_deref()),
            accounts::country.eq(profile.country.as_deref()),
            accounts::club.eq(profile.club.as_deref()),
            accounts::shows_time_zone.eq(profile.shows_time_zone),
        ))
        .run(tx)
        .await
}

/// The account's suspension, in force or expired.
pub async fn suspension(conn: &mut Conn, id: AccountId) -> Result<Option<Suspension>> {
    let row = accounts::table.find(id.0).select(Suspended::as_select());
    Ok(row.first(conn.sql()).await.optional()?.and_then(Suspended::into))
}

pub async fn suspend(tx: &mut Tx, id: AccountId, suspension: Option<&Suspension>) -> Result<()> {
    diesel::update(accounts::table.find(id.0))
        .set((
            accounts::suspended_at.eq(suspension.map(|suspension| At(suspension.since))),
            accounts::suspended_until.eq(suspension.and_then(|suspension| suspension.until).map(At)),
            accounts::suspension_reason.eq(suspension.map(|suspension| suspension.reason.as_str())),
        ))
        .run(tx)
        .await
}

/// Marks the account as deleted, and removes its address and password.
pub async fn delete(tx: &mut Tx, id: AccountId, now: Time) -> Result<()> {
    diesel::update(accounts::table.find(id.0))
        .set((
            accounts::email.eq(None::<String>),
            accounts::password_hash.eq(""),
            (accounts::guest.eq(false), accounts::guest_origin.eq(None::<Vec<u8>>)),
            accounts::sign_in_warned_at.eq(None::<At>),
            accounts::username_changed_at.eq(None::<At>),
            (
                accounts::bio.eq(None::<String>),
                accounts::country.eq(None::<String>),
                accounts::club.eq(None::<String>),
                accounts::shows_time_zone.eq(false),
            ),
            accounts::deleted_at.eq(At(now)),
        ))
        .run(tx)
        .await
}

/// Removes the name and the suspension of a deleted account. The key of the new name contains a space, so it can't
/// equal the key of any username. The lookalike form of the old name stays, as a hash.
pub async fn unname(tx: &mut Tx, id: AccountId, name: &str) -> Result<()> {
    diesel::update(accounts::table.find(id.0).filter(accounts::deleted_at.is_not_null()))
        .set((
            accounts::username.eq(name),
            accounts::username_key.eq(format!("deleted {id}")),
            accounts::suspended_at.eq(None::<At>),
            accounts::suspended_until.eq(None::<At>),
            accounts::suspension_reason.eq(None::<String>),
        ))
        .run(tx)
        .await
}

/// Up to `limit` deleted accounts whose suspension has expired, in the order of their ids, after `last`.
pub async fn deleted_and_no_longer_suspended(
    conn: &mut Conn,
    now: Time,
    last: Option<AccountId>,
    limit: i64,
) -> Result<Vec<AccountId>> {
    let ids: Vec<Uuid> = accounts::table
        .filter(accounts::id.gt(last.map_or(Uuid::nil(), |last| last.0)))
        .filter(accounts::deleted_at.is_not_null())
        .filter(accounts::suspended_at.is_not_null())
        .filter(accounts::suspended_until.le(At(now)))
        .order(accounts::id)
        .limit(limit)
        .select(accounts::id)
        .load(conn.sql())
        .await?;
    Ok(ids.into_iter().map(AccountId).collect())
}
