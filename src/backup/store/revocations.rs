//! SQL of the recorded revocations, and the statements that repeat them.

use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::backup::revocations::{Revocation, Revoked};
use crate::db::schema::{accounts, revocations};
use crate::db::{At, Conn, Run, Tx, sql};
use crate::error::Result;
use crate::ids::AccountId;
use crate::listed::Listed;

/// Records per transaction.
const AT_ONCE: i64 = 1000;

/// True if anything is recorded.
pub async fn are_any(conn: &mut Conn) -> Result<bool> {
    Ok(diesel::select(diesel::dsl::exists(revocations::table.select(revocations::number)))
        .get_result(conn.sql())
        .await?)
}

/// Deletes the oldest records, waiting for any node that does the same, and returns their numbers and contents.
/// Unreadable ones are logged.
pub async fn take(tx: &mut Tx) -> Result<(Vec<i64>, Vec<Revocation>)> {
    let rows: Vec<(i64, At, String, Uuid, serde_json::Value)> = revocations::table
        .order(revocations::number)
        .limit(AT_ONCE)
        .select((revocations::number, revocations::at, revocations::kind, revocations::subject, revocations::details))
        .for_update()
        .load(tx.sql())
        .await?;
    let numbers: Vec<i64> = rows.iter().map(|(number, ..)| *number).collect();
    diesel::delete(revocations::table.filter(revocations::number.eq_any(&numbers))).run(tx).await?;
    let noted = rows.into_iter().map(|(number, at, kind, subject, details)| {
        let what = Revoked::noted(kind, subject, details);
        (number, what.map(|what| Revocation { at_ms: at.0.0, what }))
    });
    Ok((numbers, Listed::of("a note of a revocation can't be read; it is left out", noted)?.items))
}

/// Deletes records from before `then`. Without a private cluster no node writes them to a file.
pub async fn delete_before(tx: &mut Tx, then: Time) -> Result<()> {
    diesel::delete(revocations::table.filter(revocations::at.lt(At(then)))).run(tx).await
}

/// True if the account exists and isn't deleted.
pub async fn is_living(conn: &mut Conn, account: Uuid) -> Result<bool> {
    let living = accounts::table.find(account).filter(accounts::deleted_at.is_null());
    Ok(diesel::select(diesel::dsl::exists(living)).get_result(conn.sql()).await?)
}

/// All accounts that aren't deleted.
pub async fn living(tx: &mut Tx) -> Result<Vec<AccountId>> {
    let living = accounts::table.filter(accounts::deleted_at.is_null()).select(accounts::id);
    Ok(living.load(tx.sql()).await?.into_iter().map(AccountId).collect())
}

/// Repeats a revocation other than an account deletion. Returns false if there was nothing to do.
pub async fn carry_out(tx: &mut Tx, what: &Revoked, now: Time) -> Result<bool> {
    let changed = match what {
        Revoked::AccountDeleted { .. } => 0,
        Revoked::Suspension { subject, at, until, reason } => {
            let suspend = "UPDATE accounts SET suspended_at = $2::timestamptz, suspended_until = $3::timestamptz, \
                 suspension_reason = $4 WHERE id = $1 AND deleted_at IS NULL \
                 AND (suspended_at, suspended_until) IS DISTINCT FROM ($2::timestamptz, $3::timestamptz)";
            sql!(suspend, *subject, at.as_deref(), until.as_deref(), reason.as_deref()).execute(tx.sql()).await?
        }
        Revoked::Password { subject, hash } => {
            let replace = "UPDATE accounts SET password_hash = $2 \
                 WHERE id = $1 AND deleted_at IS NULL AND NOT guest AND password_hash <> $2";
            sql!(replace, *subject, hash.as_str()).execute(tx.sql()).await?
        }
        Revoked::SessionEnded { subject } => {
            let end = "UPDATE sessions SET ended_at = $2 WHERE id = $1 AND ended_at IS NULL";
            sql!(end, *subject, At(now)).execute(tx.sql()).await?
        }
        Revoked::TokenRevoked { subject } => {
            sql!("DELETE FROM access_tokens WHERE id = $1", *subject).execute(tx.sql()).await?
        }
        Revoked::PasskeyRemoved { subject } => {
            sql!("DELETE FROM passkeys WHERE id = $1", *subject).execute(tx.sql()).await?
        }
        Revoked::RoleTaken { subject, role } => {
            let take = "DELETE FROM account_roles WHERE account_id = $1 AND role = $2";
            sql!(take, *subject, role.as_str()).execute(tx.sql()).await?
        }
    };
    Ok(changed > 0)
}

/// Records a restore to the time `to`, and lets each live session continue with a token that isn't known.
pub async fn note_restore(tx: &mut Tx, now: Time, to: Time) -> Result<()> {
    sql!("UPDATE log_epoch SET restored_at = $1, restored_to = $2", At(now), At(to)).run(tx).await?;
    diesel::sql_query("UPDATE sessions SET may_rejoin = true WHERE ended_at IS NULL").run(tx).await
}

/// Tables of credentials for signing in now or later, other than the refresh tokens of guests.
const OTHERS: [&str; 8] = [
    "stream_tickets",
    "authorization_codes",
    "device_codes",
    "password_reset_links",
    "password_reset_requests",
    "sign_in_challenges",
    "passkey_challenges",
    "signing_keys",
];

/// Ends the sessions of non-guest accounts, revokes every personal token, and deletes all other credentials. Returns
/// the number of sessions and of tokens.
pub async fn end_sessions(tx: &mut Tx, now: Time) -> Result<(usize, usize)> {
    let end = "UPDATE sessions AS s SET ended_at = $1 FROM accounts AS a \
         WHERE a.id = s.account_id AND NOT a.guest AND s.ended_at IS NULL";
    let ended = sql!(end, At(now)).execute(tx.sql()).await?;
    let revoked = diesel::sql_query("DELETE FROM access_tokens").execute(tx.sql()).await?;
    for table in OTHERS {
        diesel::sql_query(format!("DELETE FROM {table}")).run(tx).await?;
    }
    let cookies = "DELETE FROM page_cookies WHERE session_id IN (SELECT id FROM sessions WHERE ended_at IS NOT NULL)";
    diesel::sql_query(cookies).run(tx).await?;
    Ok((ended, revoked))
}
