//! The queue of security notices.

use broadside_rules::Time;
use broadside_rules::card::Language;
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::accounts::notices::{Notice, NoticeKind};
use crate::accounts::{Email, Username};
use crate::db::schema::security_notices;
use crate::db::{At, Conn, Run, Tx, rows, sql};
use crate::error::Result;
use crate::ids::AccountId;
use crate::request_origin::{Client, RequestOrigin};

pub async fn insert(
    tx: &mut Tx,
    (id, account): (Uuid, AccountId),
    (kind, from): (NoticeKind, &RequestOrigin),
    address: &Email,
    now: Time,
) -> Result<()> {
    diesel::insert_into(security_notices::table)
        .values((
            security_notices::id.eq(id),
            security_notices::account_id.eq(account.0),
            security_notices::kind.eq(kind.into_str()),
            security_notices::address.eq(address.as_str()),
            security_notices::at.eq(At(now)),
            security_notices::due_at.eq(At(now)),
            security_notices::program.eq(from.client.program.as_deref()),
            security_notices::system.eq(from.client.system.as_deref()),
            security_notices::network.eq(from.network.as_deref()),
        ))
        .run(tx)
        .await
}

rows! {
    struct Row {
        id: Uuid,
        account_id: Uuid,
        username: String,
        language: String,
        kind: String,
        address: String,
        at: At,
        program: Option<String>,
        system: Option<String>,
        network: Option<String>,
    }
}

/// SQL condition: there are notices, or requests that may lead to one. Checking which are due costs more.
pub const ANY: &str = "EXISTS (SELECT FROM security_notices) OR EXISTS (SELECT FROM password_reset_requests)";

/// Claims due notices: the first of each account, then the second of each. Each is due again after a minute, then two,
/// four, …, at most two hours.
pub async fn claim(tx: &mut Tx, now: Time, limit: i64) -> Result<Vec<Notice>> {
    let claim = "WITH turns AS (SELECT id, row_number() OVER (PARTITION BY account_id ORDER BY due_at, id) AS turn \
           FROM security_notices WHERE due_at <= $1), \
         due AS (SELECT n.id FROM security_notices AS n JOIN turns USING (id) WHERE n.due_at <= $1 \
           ORDER BY turns.turn, n.due_at LIMIT $2 FOR UPDATE OF n SKIP LOCKED) \
         UPDATE security_notices AS n SET attempts = n.attempts + 1, \
           due_at = $1 + make_interval(secs => least(7200, 60 * power(2, n.attempts))) \
         FROM due, accounts AS a LEFT JOIN mail_settings AS m ON m.account_id = a.id \
         WHERE n.id = due.id AND a.id = n.account_id \
         RETURNING n.id, n.account_id, a.username, coalesce(m.language, 'en') AS language, n.kind, n.address, n.at, n.program, n.system, n.network";
    let rows: Vec<Row> = sql!(claim, At(now), limit).load(tx.sql()).await?;
    Ok(rows.into_iter().filter_map(notice).collect())
}

fn notice(row: Row) -> Option<Notice> {
    Some(Notice {
        id: row.id,
        account: AccountId(row.account_id),
        username: Username::stored(row.username),
        language: row.language.parse().unwrap_or(Language::English),
        // Kinds unknown to this version are left to a newer one.
        kind: row.kind.parse().ok()?,
        at: row.at.0,
        origin: RequestOrigin { client: Client { program: row.program, system: row.system }, network: row.network },
        address: Email::stored(row.address),
    })
}

/// Up to `limit` notices from before `then`, and links from before `links_then`, in the order of their ids, after
/// `last`.
pub async fn before(
    conn: &mut Conn,
    (then, links_then): (Time, Time),
    last: Option<Uuid>,
    limit: i64,
) -> Result<Vec<Notice>> {
    let query = "SELECT n.id, n.account_id, a.username, 'en' AS language, n.kind, n.address, n.at, n.program, n.system, n.network \
         FROM security_notices AS n JOIN accounts AS a ON a.id = n.account_id \
         WHERE (n.at < $1 OR n.kind = $2 AND n.at < $3) AND n.id > $4 ORDER BY n.id LIMIT $5";
    let link = NoticeKind::PasswordResetRequested.into_str();
    let rows: Vec<Row> =
        sql!(query, At(then), link, At(links_then), last.unwrap_or_default(), limit).load(conn.sql()).await?;
    Ok(rows.into_iter().filter_map(notice).collect())
}

/// Deletes a notice. False: another node has.
pub async fn delete(tx: &mut Tx, id: Uuid) -> Result<bool> {
    Ok(diesel::delete(security_notices::table.find(id)).execute(tx.sql()).await? == 1)
}

pub async fn waits(conn: &mut Conn, id: Uuid) -> Result<bool> {
    Ok(diesel::select(exists(security_notices::table.find(id))).get_result(conn.sql()).await?)
}

/// True if a notice of this kind is waiting for an account.
pub async fn waits_for(conn: &mut Conn, account: AccountId, kind: NoticeKind) -> Result<bool> {
    let waiting = security_notices::table
        .filter(security_notices::account_id.eq(account.0))
        .filter(security_notices::kind.eq(kind.into_str()));
    Ok(diesel::select(exists(waiting)).get_result(conn.sql()).await?)
}

pub async fn delete_kind(tx: &mut Tx, account: AccountId, kind: NoticeKind) -> Result<()> {
    let of_kind = security_notices::table
        .filter(security_notices::account_id.eq(account.0))
        .filter(security_notices::kind.eq(kind.into_str()));
    diesel::delete(of_kind).run(tx).await
}

pub async fn delete_all(tx: &mut Tx, account: AccountId) -> Result<()> {
    diesel::delete(security_notices::table.filter(security_notices::account_id.eq(account.0))).run(tx).await
}
