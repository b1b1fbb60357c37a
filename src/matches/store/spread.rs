//! Writing the entries of many matches on distributed tables.
//!
//! Citus plans no statement that changes several tables. So the single statement of `entries` becomes a transaction
//! here, in the same lock order: heads, logs, seats, keys, counters, events. It commits in two phases on all machines
//! that it has touched. Keys and counters are on the coordinator. The parts of a statement run on the machines in
//! parallel, and only on the shards of its matches and accounts.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use diesel::pg::Pg;
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::result::QueryResult;
use diesel::sql_types::Uuid as SqlUuid;
use diesel_async::{AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use uuid::Uuid;

use super::entries::{HeadColumns, PendingEntry};
use super::results;
use crate::db::{At, MARK, prepared_once, rows, sql};
use crate::events;

/// The writer's connection settings: rows are locked on the workers, so the lock timeout must apply there.
pub(super) const SETTINGS: &str = "SET citus.propagate_set_commands = 'local'";

/// Writes moves in their own transaction, with a limited wait for locks: the matches whose entry was written. After an
/// error nothing was written, unless the connection is broken.
pub(super) async fn write_alone(
    conn: &mut AsyncPgConnection,
    entries: &[&PendingEntry],
    locked_for: Option<Duration>,
) -> QueryResult<HashSet<Uuid>> {
    conn.batch_execute(&format!("BEGIN; {MARK}")).await?;
    if let Some(limit) = locked_for {
        // Separately: Citus passes the text of a setting on to the workers with everything sent beside it.
        conn.batch_execute(&format!("SET LOCAL lock_timeout = {}", limit.as_millis())).await?;
    }
    let written = match write(conn, entries).await {
        Ok(lasting) => conn.batch_execute("COMMIT").await.map(|()| lasting),
        Err(error) => Err(error),
    };
    if written.is_err() {
        // A broken connection will fail again here.
        conn.batch_execute("ROLLBACK").await?;
    }
    written
}

pub(super) async fn write(conn: &mut AsyncPgConnection, entries: &[&PendingEntry]) -> QueryResult<HashSet<Uuid>> {
    let whole = whole(conn, entries).await?;
    let entries: Vec<&PendingEntry> =
        entries.iter().copied().filter(|entry| is_whole(entry, whole.get(&entry.match_id.0))).collect();
    let moved: Vec<Uuid> = Heads(HeadColumns::of(&entries)).get_results(conn).await?;
    let moved: HashSet<Uuid> = moved.into_iter().collect();
    let entries: Vec<&PendingEntry> = entries.into_iter().filter(|entry| moved.contains(&entry.match_id.0)).collect();
    if entries.is_empty() {
        return Ok(moved);
    }
    let ids: Vec<Uuid> = entries.iter().map(|entry| entry.match_id.0).collect();
    let seqs: Vec<i32> = entries.iter().map(|entry| number(entry.seq)).collect();
    let logged: Vec<Vec<u8>> = entries.iter().map(|entry| entry.entry.clone()).collect();
    let chains: Vec<Vec<u8>> = entries.iter().map(|entry| entry.chain[1].as_bytes().to_vec()).collect();
    let log = "INSERT INTO match_log (match_id, seq, entry, chain) \
         SELECT i.match_id, i.seq, i.entry, i.chain FROM unnest($1, $2, $3, $4) AS i (match_id, seq, entry, chain)";
    sql!(log, ids, seqs, logged, chains).execute(conn).await?;
    end(conn, &entries).await?;
    spend(conn, &entries).await?;
    let told = events::merged(entries.iter().flat_map(|entry| entry.told.iter().cloned()));
    if let Some(newest) = entries.iter().map(|entry| entry.at).max() {
        events::store::append_spread(conn, &told, newest).await?;
    }
    Ok(moved)
}

rows! {
    struct Log {
        match_id: Uuid,
        entries: i64,
        chain: Option<Vec<u8>>,
    }
}

/// True if the log has no gap and ends with the entry's predecessor.
fn is_whole(entry: &PendingEntry, log: Option<&Log>) -> bool {
    let [follows, _] = entry.chain;
    let ends_so = |log: &Log| log.chain.as_deref().is_some_and(|chain| follows == *chain);
    match log {
        Some(log) => log.entries + 1 == i64::from(entry.seq) && ends_so(log),
        None => entry.seq == 1,
    }
}

/// The lengths and last entries of the logs that these entries follow.
async fn whole(conn: &mut AsyncPgConnection, entries: &[&PendingEntry]) -> QueryResult<HashMap<Uuid, Log>> {
    let ids: Vec<Uuid> = entries.iter().map(|entry| entry.match_id.0).collect();
    // A log whose last entry doesn't match its running hash counts as missing.
    let logs = "SELECT match_id, entries, chain FROM (SELECT match_id, entry, chain, count(*) OVER its AS entries, \
           row_number() OVER (its ORDER BY seq DESC) AS back, lag(chain) OVER (its ORDER BY seq) AS before \
           FROM match_log WHERE match_id = ANY ($1) WINDOW its AS (PARTITION BY match_id)) AS l \
         WHERE back = 1 AND (before IS NULL OR substr(sha256(before || entry), 1, 16) = chain)";
    let logs: Vec<Log> = sql!(logs, ids).load(conn).await?;
    Ok(logs.into_iter().map(|log| (log.match_id, log)).collect())
}

fn number(seq: u32) -> i32 {
    i32::try_from(seq).unwrap_or(i32::MAX)
}

/// Writes the seats and results of matches that have ended.
async fn end(conn: &mut AsyncPgConnection, entries: &[&PendingEntry]) -> QueryResult<()> {
    let ended = entries.iter().filter(|entry| entry.head.finished_at.is_some());
    let ended: Vec<Uuid> = ended.map(|entry| entry.match_id.0).collect();
    if ended.is_empty() {
        return Ok(());
    }
    sql!("UPDATE match_seats SET running = false WHERE match_id = ANY ($1)", ended).execute(conn).await?;
    results::insert_spread(conn, entries.iter().flat_map(|entry| &entry.results)).await
}

/// Spends the idempotency keys. A key that is already spent refuses all of them.
async fn spend(conn: &mut AsyncPgConnection, entries: &[&PendingEntry]) -> QueryResult<()> {
    let (mut ids, mut fingerprints, mut at) = (Vec::new(), Vec::new(), Vec::new());
    let (mut matches, mut seqs) = (Vec::new(), Vec::new());
    for entry in entries {
        if let Some((id, fingerprint)) = entry.spends {
            ids.push(id.to_vec());
            fingerprints.push(fingerprint.to_vec());
            at.push(At(entry.at));
            matches.push(entry.match_id.0);
            seqs.push(number(entry.seq));
        }
    }
    if ids.is_empty() {
        return Ok(());
    }
    let spend = "INSERT INTO idempotency_keys (id, fingerprint, created_at, match_id, seq) \
         SELECT k.* FROM unnest($1, $2, $3, $4, $5) AS k (id, fingerprint, created_at, match_id, seq)";
    sql!(spend, ids, fingerprints, at, matches, seqs).execute(conn).await?;
    Ok(())
}

/// The guarded rewrite of the heads. It names the matches twice: Citus finds their shards by the constant array.
struct Heads(HeadColumns);

impl QueryFragment<Pg> for Heads {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(HeadColumns::REWRITE);
        self.0.walk(&mut out)?;
        out.push_sql(") AS i (");
        out.push_sql(HeadColumns::NAMES);
        out.push_sql(
            ") WHERE h.match_id = ANY ($1) AND h.match_id = i.match_id AND h.seq = i.seq - 1 RETURNING h.match_id",
        );
        Ok(())
    }
}

prepared_once!(Heads -> SqlUuid);
