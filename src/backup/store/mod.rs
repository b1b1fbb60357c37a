//! Statements for the server before and after its files are copied (PostgreSQL's documentation, "Making a Base Backup
//! Using the Low Level API").

pub mod revocations;

use diesel_async::RunQueryDsl;

use crate::db::{Conn, rows};
use crate::error::Result;

pub struct Begun {
    /// The directory of the cluster's files.
    pub data: String,
    /// The major version of the server.
    pub version: i32,
    /// The time by the server's clock.
    pub at: String,
}

rows! {
    struct BegunRow {
        data: String,
        version: i32,
        at: String,
    }

    struct Label {
        label: String,
    }

    struct Count {
        count: i64,
    }
}

/// The number of matches whose logs are in the archive. (The schema may be older than this program.)
pub async fn archived(conn: &mut Conn) -> Result<u64> {
    let has_archive = "SELECT count(to_regclass('public.archived_matches')) AS count";
    let Count { count } = diesel::sql_query(has_archive).get_result(conn.sql()).await?;
    if count == 0 {
        return Ok(0);
    }
    let archived = "SELECT count(*) AS count FROM archived_matches WHERE restored_at IS NULL";
    let Count { count } = diesel::sql_query(archived).get_result(conn.sql()).await?;
    Ok(count.unsigned_abs())
}

/// Begins a backup: the server makes a checkpoint, keeps its write-ahead log, and writes full pages to it.
pub async fn begin(conn: &mut Conn) -> Result<Begun> {
    let begun = "SELECT current_setting('data_directory') AS data, current_setting('server_version_num')::int / 10000 AS version, \
         to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') AS at";
    let BegunRow { data, version, at } = diesel::sql_query(begun).get_result(conn.sql()).await?;
    let slot = "SELECT pg_create_physical_replication_slot('broadside_backup_' || pg_backend_pid(), true, true)";
    diesel::sql_query(slot).execute(conn.sql()).await?;
    let begin = match version {
        ..15 => "SELECT pg_start_backup('broadside backup', true, false)",
        _ => "SELECT pg_backup_start('broadside backup', true)",
    };
    diesel::sql_query(begin).execute(conn.sql()).await?;
    Ok(Begun { data, version, at })
}

/// Ends a backup. Returns the content of `backup_label` for the copy; the write-ahead log up to here is in complete
/// files.
pub async fn end(conn: &mut Conn, version: i32) -> Result<String> {
    let end = match version {
        ..15 => "SELECT labelfile AS label FROM pg_stop_backup(false, false)",
        _ => "SELECT labelfile AS label FROM pg_backup_stop(false)",
    };
    let Label { label } = diesel::sql_query(end).get_result(conn.sql()).await?;
    Ok(label)
}
