//! SQL of heartbeats and down times.

use broadside_rules::{DownTime, Time};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::db::schema::{down_times, node_heartbeats, service_heartbeat};
use crate::db::{At, Conn, PublicRead, Run, Tx, rows, sql};
use crate::error::Result;
use crate::ids::MatchId;

/// Retention of a former node's data, in milliseconds: one day.
const KEPT_MS: i64 = 24 * 60 * 60 * 1000;

rows! {
    struct Moment {
        at: At,
    }
}

/// The database's time.
pub async fn now(tx: &mut Tx) -> Result<Time> {
    let Moment { at } = diesel::sql_query("SELECT clock_timestamp() AS at").get_result(tx.sql()).await?;
    Ok(at.0)
}

/// The last heartbeat; `None` if there was none. Until the transaction ends, no other node sends one or records a down
/// time.
pub async fn lock_last(tx: &mut Tx) -> Result<Option<Time>> {
    let first = "INSERT INTO service_heartbeat (beat_at) VALUES ('-infinity') ON CONFLICT DO NOTHING";
    diesel::sql_query(first).run(tx).await?;
    let last = "SELECT nullif(beat_at, '-infinity') AS at FROM service_heartbeat FOR UPDATE";
    let last: Option<LastBeat> = diesel::sql_query(last).get_result(tx.sql()).await.optional()?;
    Ok(last.and_then(|last| last.at).map(Time::from))
}

rows! {
    struct LastBeat {
        at: Option<At>,
    }

    struct Answer {
        yes: bool,
    }

    struct NodeRow {
        node: Uuid,
        beats: i64,
    }
}

/// True if a synchronous standby confirms commits. Only visible to a role with `pg_monitor`.
pub async fn has_sync_standby(tx: &mut Tx) -> Result<bool> {
    let asked = "SELECT current_setting('synchronous_commit') NOT IN ('off', 'local') AND EXISTS ( \
         SELECT FROM pg_stat_replication WHERE state = 'streaming' AND sync_state IN ('sync', 'quorum')) AS yes";
    Ok(diesel::sql_query(asked).get_result::<Answer>(tx.sql()).await?.yes)
}

/// Makes the database write some hundred kilobytes to its disk, and discard them.
pub async fn spill(tx: &mut Tx) -> Result<()> {
    diesel::sql_query("SET LOCAL work_mem = '64kB'").run(tx).await?;
    let spilt = "SELECT count(*) = 20000 AS yes FROM generate_series(1, 20000)";
    diesel::sql_query(spilt).get_result::<Answer>(tx.sql()).await?;
    Ok(())
}

pub async fn beat(tx: &mut Tx, at: Time) -> Result<()> {
    diesel::update(service_heartbeat::table).set(service_heartbeat::beat_at.eq(At(at))).run(tx).await
}

/// Counts a node's heartbeats. Returns the node's name, created with the first, and the count. Deletes the data of
/// nodes gone for a day.
pub async fn beat_of_node(tx: &mut Tx, node: Option<Uuid>, at: Time) -> Result<(Uuid, i64)> {
    if node.is_none() {
        let gone = node_heartbeats::beat_at.lt(At(at.plus_ms(-KEPT_MS)));
        diesel::delete(node_heartbeats::table.filter(gone)).run(tx).await?;
    }
    let counted = "INSERT INTO node_heartbeats AS n (node, beats, beat_at) VALUES (coalesce($1, gen_random_uuid()), 1, $2) \
         ON CONFLICT (node) DO UPDATE SET beats = n.beats + 1, beat_at = excluded.beat_at RETURNING node, beats";
    let NodeRow { node, beats } = sql!(counted, node, At(at)).get_result(tx.sql()).await?;
    Ok((node, beats))
}

/// The time of a node's last heartbeat, as known to this database or replica.
pub async fn last_beat(conn: &mut PublicRead, node: Uuid) -> Result<Option<Time>> {
    let beats = node_heartbeats::table.find(node).select(node_heartbeats::beat_at);
    let last: Option<At> = beats.first(conn.sql()).await.optional()?;
    Ok(last.map(Time::from))
}

/// Records a down time.
pub async fn insert(tx: &mut Tx, down: DownTime, now: Time) -> Result<()> {
    let values = (
        down_times::from_at.eq(At(down.from)),
        down_times::until_at.eq(At(down.until)),
        down_times::noted_at.eq(At(now)),
    );
    diesel::insert_into(down_times::table).values(values).run(tx).await
}

/// A down time as stored.
pub struct StoredDownTime {
    /// Counts from 1.
    pub number: i64,
    pub span: DownTime,
    pub noted_at: Time,
    /// True if all running matches have been updated.
    pub all_told: bool,
}

/// Down times after `number` that weren't over by `since`, in order.
pub async fn after(conn: &mut Conn, number: i64, since: Time, limit: i64) -> Result<Vec<StoredDownTime>> {
    let rows: Vec<(i64, At, At, At, bool)> = down_times::table
        .filter(down_times::number.gt(number))
        .filter(down_times::until_at.gt(At(since)))
        .order(down_times::number)
        .limit(limit)
        .select((
            down_times::number,
            down_times::from_at,
            down_times::until_at,
            down_times::noted_at,
            down_times::all_told,
        ))
        .load(conn.sql())
        .await?;
    let stored = |(number, from, until, noted_at, all_told): (i64, At, At, At, bool)| StoredDownTime {
        number,
        span: DownTime { from: from.0, until: until.0 },
        noted_at: noted_at.0,
        all_told,
    };
    Ok(rows.into_iter().map(stored).collect())
}

/// SQL condition: matches have to be updated for a down time. Must match [`untold`].
pub const UNTOLD: &str = "EXISTS (SELECT FROM down_times WHERE NOT all_told)";

/// The first down time with matches to update: its number, and the last updated match.
pub async fn untold(conn: &mut Conn) -> Result<Option<(i64, Option<MatchId>)>> {
    let row: Option<(i64, Option<Uuid>)> = down_times::table
        .filter(down_times::all_told.eq(false))
        .order(down_times::number)
        .select((down_times::number, down_times::told_up_to))
        .first(conn.sql())
        .await
        .optional()?;
    Ok(row.map(|(number, told)| (number, told.map(MatchId))))
}

/// Stores the last updated match; `None` once all are. It only advances, whatever the number of nodes.
pub async fn told(tx: &mut Tx, number: i64, last: Option<MatchId>) -> Result<()> {
    let told = "UPDATE down_times SET told_up_to = greatest(told_up_to, $2), all_told = all_told OR $2 IS NULL WHERE number = $1";
    sql!(told, number, last.map(|last| last.0)).run(tx).await
}
