//! The row that holds the epoch of the logs, and what the database says of itself.

use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::Epoch;
use crate::db::schema::log_epoch;
use crate::db::{At, Conn, Run, Tx, rows, sql};
use crate::error::{Error, Result};

/// The identity of a database.
#[derive(Debug)]
pub struct Place {
    /// The cluster's identifier, drawn by `initdb`, and the database's number in it.
    pub cluster: String,
    /// The timeline of its write-ahead log: each point-in-time recovery and each promotion begins a new one.
    pub timeline: i32,
    /// True if commits wait for a standby.
    pub is_synchronous: bool,
}

pub struct StoredEpoch {
    pub epoch: Epoch,
    /// The place of writing: cluster, database, table, transaction.
    pub home: String,
    /// The present table, and the transaction that wrote it there.
    pub here: String,
    /// The timeline of writing.
    pub timeline: i32,
}

impl StoredEpoch {
    /// True if the row is where it was written. A row written by a database without these functions is never at its
    /// place.
    pub fn is_at(&self, place: &Place) -> bool {
        self.home == format!("{}/{}", place.cluster, self.here)
    }
}

rows! {
    struct PlaceRow {
        cluster: String,
        timeline: i32,
        is_synchronous: bool,
    }

    struct EpochRow {
        epoch: String,
        home: String,
        here: String,
        timeline: i32,
    }

    struct Drawn {
        id: Uuid,
    }
}

/// The place of the database. Also fails if functions of PostgreSQL are missing.
pub async fn place(conn: &mut Conn) -> Result<Place> {
    let place = "SELECT s.system_identifier || '/' || d.oid AS cluster, \
           ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int AS timeline, \
           current_setting('synchronous_commit') NOT IN ('off', 'local') \
             AND current_setting('synchronous_standby_names') <> '' AS is_synchronous \
         FROM pg_control_system() AS s, pg_database AS d WHERE d.datname = current_database()";
    let PlaceRow { cluster, timeline, is_synchronous } = diesel::sql_query(place).get_result(conn.sql()).await?;
    Ok(Place { cluster, timeline, is_synchronous })
}

/// The epoch, if one has begun.
pub async fn find(conn: &mut Conn) -> Result<Option<StoredEpoch>> {
    let found = "SELECT epoch, home, tableoid || '/' || xmin AS here, timeline FROM log_epoch";
    let found: Option<EpochRow> = diesel::sql_query(found).get_result(conn.sql()).await.optional()?;
    let stored = |EpochRow { epoch, home, here, timeline }: EpochRow| {
        let epoch = epoch.parse().map_err(|_| Error::internal("the stored epoch of the logs is none"))?;
        Ok(StoredEpoch { epoch, home, here, timeline })
    };
    found.map(stored).transpose()
}

/// The last restore from a backup: its time, and the time of the backup.
pub async fn restored(conn: &mut Conn) -> Result<Option<(Time, Time)>> {
    let row = log_epoch::table.select((log_epoch::restored_at, log_epoch::restored_to));
    let row: Option<(Option<At>, Option<At>)> = row.first(conn.sql()).await.optional()?;
    Ok(row.and_then(|(at, to)| Some((at?.0, to?.0))))
}

pub async fn draw(tx: &mut Tx) -> Result<Epoch> {
    let Drawn { id } = diesel::sql_query("SELECT gen_random_uuid() AS id").get_result(tx.sql()).await?;
    let [a, b, c, d, e, f, .., g, h] = id.into_bytes();
    Ok(Epoch::drawn([a, b, c, d, e, f, g, h]))
}

/// Replaces the known epoch, if it is still stored.
pub async fn replace(
    tx: &mut Tx,
    known: Option<&StoredEpoch>,
    next: Epoch,
    place: Option<&Place>,
    now: Time,
) -> Result<()> {
    let written = "INSERT INTO log_epoch AS e (epoch, home, timeline, began_at) \
         VALUES ($1, $2 || '/' || 'log_epoch'::regclass::oid || '/' || pg_current_xact_id()::xid, $3, $4) \
         ON CONFLICT (only_row) DO UPDATE SET epoch = excluded.epoch, home = excluded.home, timeline = excluded.timeline, \
           began_at = CASE WHEN e.epoch = excluded.epoch THEN e.began_at ELSE excluded.began_at END \
         WHERE e.epoch = $5 AND e.home = $6";
    let (cluster, timeline) = place.map_or(("", 0), |place| (place.cluster.as_str(), place.timeline));
    let (epoch, home) = known.map(|known| (known.epoch.to_string(), known.home.clone())).unwrap_or_default();
    sql!(written, next.to_string(), cluster, timeline, At(now), epoch, home).run(tx).await
}
