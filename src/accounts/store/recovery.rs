//! Password recovery: queued requests, and links by the hash of their secret.

use broadside_rules::Time;
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::accounts::Email;
use crate::accounts::recovery::{Login, StoredLink};
use crate::accounts::secrets::TokenHash;
use crate::db::schema::{accounts, mail_settings, password_reset_links as links, password_reset_requests as requests};
use crate::db::{At, Conn, Run, Tx, rows, sql};
use crate::error::Result;
use crate::ids::AccountId;

/// Queues a request, unless an equal one is waiting.
pub async fn insert_request(tx: &mut Tx, login: &str, now: Time) -> Result<()> {
    diesel::insert_into(requests::table)
        .values((requests::login.eq(login), requests::requested_at.eq(At(now))))
        .on_conflict_do_nothing()
        .run(tx)
        .await
}

rows! {
    struct Reachable {
        id: Uuid,
        address: String,
    }
}

/// Up to `limit` requests, oldest first, after `last`.
pub async fn requests(conn: &mut Conn, last: Option<(Time, String)>, limit: i64) -> Result<Vec<(Time, String)>> {
    let mut waiting = requests::table.select((requests::requested_at, requests::login)).into_boxed();
    if let Some((at, login)) = last {
        let at_once = requests::requested_at.eq(At(at)).and(requests::login.gt(login));
        waiting = waiting.filter(requests::requested_at.gt(At(at)).or(at_once));
    }
    let rows: Vec<(At, String)> =
        waiting.order((requests::requested_at, requests::login)).limit(limit).load(conn.sql()).await?;
    Ok(rows.into_iter().map(|(at, login)| (at.0, login)).collect())
}

/// Removes a request from the queue. False: another node has.
pub async fn take_request(tx: &mut Tx, login: &str) -> Result<bool> {
    Ok(diesel::delete(requests::table.find(login)).execute(tx.sql()).await? == 1)
}

/// The matching accounts with a confirmed address, and the address.
pub async fn reachable(conn: &mut Conn, login: &Login, limit: i64) -> Result<Vec<(AccountId, Email)>> {
    let select = "SELECT a.id, a.email AS address FROM accounts AS a JOIN mail_settings AS m ON m.account_id = a.id \
         WHERE m.confirmed_address = a.email AND a.deleted_at IS NULL AND NOT a.guest";
    let rows: Vec<Reachable> = match login {
        Login::Name(name) => {
            let query = format!("{select} AND a.username_key = $1");
            sql!(query, name.key()).load(conn.sql()).await?
        }
        Login::Address(address) => {
            let query = format!("{select} AND lower(m.confirmed_address) = lower($1) ORDER BY a.id LIMIT $2");
            sql!(query, address.as_str(), limit).load(conn.sql()).await?
        }
    };
    Ok(rows.into_iter().map(|row| (AccountId(row.id), Email::stored(row.address))).collect())
}

/// Counts a mailed link, if the account may get another one: ten minutes after the last, and after five within a day
/// two hours after it. False: not yet.
pub async fn note_reset_mail(tx: &mut Tx, account: AccountId, now: Time) -> Result<bool> {
    const MINUTE_MS: i64 = 60_000;
    let (day, two_hours) = (now.plus_ms(-24 * 60 * MINUTE_MS), now.plus_ms(-120 * MINUTE_MS));
    let ten_minutes = now.plus_ms(-10 * MINUTE_MS);
    let note = "UPDATE mail_settings SET reset_mailed_at = $2, \
           reset_mails = CASE WHEN reset_mails_since > $3 THEN reset_mails + 1 ELSE 1 END, \
           reset_mails_since = CASE WHEN reset_mails_since > $3 THEN reset_mails_since ELSE $2 END \
         WHERE account_id = $1 AND (reset_mailed_at IS NULL OR reset_mailed_at <= \
           CASE WHEN reset_mails_since > $3 AND reset_mails >= 5 THEN $4 ELSE $5 END)";
    let noted = sql!(note, account.0, At(now), At(day), At(two_hours), At(ten_minutes)).execute(tx.sql()).await?;
    Ok(noted == 1)
}

pub async fn confirmed_address(conn: &mut Conn, account: AccountId) -> Result<Option<Email>> {
    let address: Option<Option<String>> = mail_settings::table
        .inner_join(accounts::table.on(accounts::id.eq(mail_settings::account_id)))
        .filter(accounts::id.eq(account.0))
        .filter(accounts::deleted_at.is_null())
        .filter(mail_settings::confirmed_address.eq(accounts::email))
        .select(accounts::email)
        .first(conn.sql())
        .await
        .optional()?;
    Ok(address.flatten().map(Email::stored))
}

pub async fn insert_link(
    tx: &mut Tx,
    hashed: &TokenHash,
    account: AccountId,
    restores: Option<&Email>,
    expires_at: Time,
) -> Result<()> {
    diesel::insert_into(links::table)
        .values((
            links::hash.eq(hashed.as_slice()),
            links::account_id.eq(account.0),
            links::restores.eq(restores.map(Email::as_str)),
            links::expires_at.eq(At(expires_at)),
        ))
        .run(tx)
        .await
}

fn stored((account, restores): (Uuid, Option<String>)) -> StoredLink {
    StoredLink { account: AccountId(account), restores: restores.map(Email::stored) }
}

pub async fn link(conn: &mut Conn, hashed: &TokenHash, now: Time) -> Result<Option<StoredLink>> {
    let good = links::table.find(hashed.as_slice()).filter(links::expires_at.gt(At(now)));
    Ok(good.select((links::account_id, links::restores)).first(conn.sql()).await.optional()?.map(stored))
}

/// Removes and returns a valid link. Of two concurrent calls, one gets it.
pub async fn take_link(tx: &mut Tx, hashed: &TokenHash, now: Time) -> Result<Option<StoredLink>> {
    let good = links::table.find(hashed.as_slice()).filter(links::expires_at.gt(At(now)));
    let taken = diesel::delete(good).returning((links::account_id, links::restores));
    Ok(taken.get_result(tx.sql()).await.optional()?.map(stored))
}

/// True if there is a valid link that restores an address.
pub async fn has_restoring_link(conn: &mut Conn, account: AccountId, now: Time) -> Result<bool> {
    let good = links::table
        .filter(links::account_id.eq(account.0))
        .filter(links::restores.is_not_null())
        .filter(links::expires_at.gt(At(now)));
    Ok(diesel::select(exists(good)).get_result(conn.sql()).await?)
}

/// Deletes the links of an account that only reset the password.
pub async fn delete_plain_links(tx: &mut Tx, account: AccountId) -> Result<()> {
    diesel::delete(links::table.filter(links::account_id.eq(account.0)).filter(links::restores.is_null())).run(tx).await
}

pub async fn delete_links(tx: &mut Tx, account: AccountId) -> Result<()> {
    diesel::delete(links::table.filter(links::account_id.eq(account.0))).run(tx).await
}

/// Sets the password unconditionally. False: the account is deleted, or a guest's.
pub async fn set_password(tx: &mut Tx, account: AccountId, hash: &str) -> Result<bool> {
    let known =
        accounts::table.find(account.0).filter(accounts::deleted_at.is_null()).filter(accounts::guest.eq(false));
    let set = diesel::update(known).set(accounts::password_hash.eq(hash)).execute(tx.sql()).await?;
    Ok(set == 1)
}

/// Restores a previously confirmed address.
pub async fn restore_address(tx: &mut Tx, account: AccountId, address: &Email) -> Result<()> {
    diesel::update(accounts::table.find(account.0)).set(accounts::email.eq(address.as_str())).run(tx).await?;
    diesel::update(mail_settings::table.find(account.0))
        .set(mail_settings::confirmed_address.eq(address.as_str()))
        .run(tx)
        .await
}

/// Deletes links that expired before `then`, and unanswered requests from before it. Returns the number.
pub async fn delete_over_before(tx: &mut Tx, then: Time) -> Result<usize> {
    let over = diesel::delete(links::table.filter(links::expires_at.lt(At(then)))).execute(tx.sql()).await?;
    let old = diesel::delete(requests::table.filter(requests::requested_at.lt(At(then)))).execute(tx.sql()).await?;
    Ok(over + old)
}
