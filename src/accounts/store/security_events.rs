//! The security logs of accounts.

use broadside_rules::Time;
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::accounts::security_log::{SecurityEvent, SecurityEventKind as Kind};
use crate::db::schema::security_events;
use crate::db::{At, Conn, Run, Tx, sql};
use crate::error::Result;
use crate::ids::{AccountId, SecurityEventId, SessionId};
use crate::request_origin::{Client, RequestOrigin};

/// The kinds of entries that are sign-ins.
const SIGN_INS: [Kind; 5] =
    [Kind::Registered, Kind::SignedIn, Kind::SignedInWithCode, Kind::SignedInWithPasskey, Kind::ContinuedElsewhere];
/// The maximum number of rows deleted per call.
const AT_ONCE: i64 = 1000;

pub async fn insert(tx: &mut Tx, account: AccountId, event: &SecurityEvent) -> Result<()> {
    diesel::insert_into(security_events::table)
        .values((
            security_events::id.eq(event.id.0),
            security_events::account_id.eq(account.0),
            security_events::kind.eq(event.kind.into_str()),
            security_events::at.eq(At(event.at)),
            security_events::program.eq(event.origin.client.program.as_deref()),
            security_events::system.eq(event.origin.client.system.as_deref()),
            security_events::network.eq(event.origin.network.as_deref()),
            security_events::session_id.eq(event.session.map(|session| session.0)),
            security_events::subject.eq(event.subject.as_deref()),
        ))
        .run(tx)
        .await
}

pub async fn has_signed_in(conn: &mut Conn, account: AccountId, from: &RequestOrigin, since: Time) -> Result<bool> {
    let sign_ins: Vec<&str> = SIGN_INS.iter().map(|kind| kind.into_str()).collect();
    let like_it = security_events::table
        .filter(security_events::account_id.eq(account.0))
        .filter(security_events::kind.eq_any(sign_ins))
        .filter(security_events::at.ge(At(since)))
        .filter(security_events::program.is_not_distinct_from(from.client.program.as_deref()))
        .filter(security_events::system.is_not_distinct_from(from.client.system.as_deref()))
        .filter(security_events::network.is_not_distinct_from(from.network.as_deref()));
    Ok(diesel::select(exists(like_it)).get_result(conn.sql()).await?)
}

/// Replaces a session by another one in the entries.
pub async fn replace_session(tx: &mut Tx, account: AccountId, before: SessionId, session: SessionId) -> Result<()> {
    let of_it = security_events::table
        .filter(security_events::account_id.eq(account.0))
        .filter(security_events::session_id.eq(before.0));
    diesel::update(of_it).set(security_events::session_id.eq(session.0)).run(tx).await
}

/// A page of the log, newest first.
pub async fn page(
    conn: &mut Conn,
    account: AccountId,
    before: Option<SecurityEventId>,
    limit: i64,
) -> Result<Vec<SecurityEvent>> {
    type Text = Option<String>;
    type Row = (Uuid, String, At, (Text, Text, Text), Option<Uuid>, Text);
    let mut query = security_events::table
        .filter(security_events::account_id.eq(account.0))
        .select((
            security_events::id,
            security_events::kind,
            security_events::at,
            (security_events::program, security_events::system, security_events::network),
            security_events::session_id,
            security_events::subject,
        ))
        .into_boxed();
    if let Some(before) = before {
        query = query.filter(security_events::id.lt(before.0));
    }
    let rows: Vec<Row> = query.order(security_events::id.desc()).limit(limit).load(conn.sql()).await?;
    let event = |(id, kind, at, (program, system, network), session, subject): Row| {
        Some(SecurityEvent {
            id: SecurityEventId(id),
            // Kinds unknown to this version are left out.
            kind: kind.parse().ok()?,
            at: at.0,
            origin: RequestOrigin { client: Client { program, system }, network },
            session: session.map(SessionId),
            subject,
        })
    };
    Ok(rows.into_iter().filter_map(event).collect())
}

pub async fn delete_all_but(tx: &mut Tx, account: AccountId, newest: i64) -> Result<()> {
    let statement = "DELETE FROM security_events WHERE account_id = $1 AND id <= \
        (SELECT id FROM security_events WHERE account_id = $1 ORDER BY id DESC OFFSET $2 LIMIT 1)";
    sql!(statement, account.0, newest).run(tx).await
}

pub async fn delete_all(tx: &mut Tx, account: AccountId) -> Result<()> {
    diesel::delete(security_events::table.filter(security_events::account_id.eq(account.0))).run(tx).await
}

/// Deletes entries from before `then`. Returns the number.
pub async fn delete_before(tx: &mut Tx, then: Time) -> Result<usize> {
    let old: Vec<Uuid> = security_events::table
        .filter(security_events::at.lt(At(then)))
        .select(security_events::id)
        .limit(AT_ONCE)
        .load(tx.sql())
        .await?;
    let deleted = diesel::delete(security_events::table.filter(security_events::id.eq_any(old)));
    Ok(deleted.execute(tx.sql()).await?)
}
