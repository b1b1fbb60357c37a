//! A database that Citus spreads over several machines.
//!
//! Distributed are the tables that grow with every move: a match's own by the match, the event logs by the account.
//! All others stay whole on the coordinator, with their keys and references, and every node connects to the
//! coordinator. Where PostgreSQL takes one statement for what Citus can't plan as one, a store asks
//! [`PublicRead::is_distributed`](super::PublicRead::is_distributed).

use diesel::sql_types::Bool;
use diesel_async::{AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};

use super::{Db, PublicRead};
use crate::error::{Error, Result};

/// The tables that are spread, the column that says where a row is, and the table beside whose rows it is kept.
const SPREAD: [(&str, &str, &str); 8] = [
    ("matches", "id", "none"),
    ("match_heads", "match_id", "matches"),
    ("match_log", "match_id", "matches"),
    ("match_seats", "match_id", "matches"),
    ("former_players", "match_id", "matches"),
    ("match_results", "match_id", "matches"),
    ("archived_matches", "match_id", "matches"),
    ("account_events", "account_id", "none"),
];

/// Whether the tables are distributed: the table of marks is made last, with the same transaction.
const IS_DISTRIBUTED: &str = "to_regclass('distribution.marks') IS NOT NULL";

/// What a transaction does first. Citus commits on several machines in two phases, but doesn't count what PostgreSQL
/// writes on the coordinator by itself. This deletes nothing, from a table that Citus knows, so it does.
pub(crate) const MARK: &str = "DELETE FROM distribution.marks WHERE id < 0";

/// What every connection is set to. A transaction has one connection to each worker, and goes through the parts of a
/// statement in one order: so it needs no others, and two transactions lock rows in the same order. So Citus need not
/// let only one at a time change a part of a table, which it does to prevent deadlocks.
pub(super) const SETTINGS: &str = "SET citus.max_adaptive_executor_pool_size = 1; \
     SET citus.multi_shard_modify_mode = 'sequential'; SET citus.enable_deadlock_prevention = off";

/// Whether no worker lacks what was committed: each can be asked, and has prepared no transaction that the coordinator
/// has noted as committed.
const ALL_ARRIVED: &str = "NOT EXISTS (SELECT 1 FROM run_command_on_workers( \
       'SELECT string_agg(gid, '','') FROM pg_prepared_xacts WHERE database = current_database()') AS worker \
     WHERE NOT success OR string_to_array(result, ',') && ARRAY (SELECT gid FROM pg_dist_transaction))";

/// Why a database can't be distributed.
pub enum Obstacle {
    /// There is no extension.
    NoCitus,
    /// Citus doesn't know the coordinator.
    NoCoordinator,
    /// There is nowhere to put anything.
    NoWorkers,
}

impl std::fmt::Display for Obstacle {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::NoCitus => {
                "the database has no extension citus: CREATE EXTENSION citus, on the coordinator and on each worker"
            }
            Self::NoCoordinator => {
                "Citus doesn't know the coordinator: SELECT citus_set_coordinator_host('its address'), as a superuser"
            }
            Self::NoWorkers => {
                "Citus has no node for rows: SELECT citus_add_node('its address', 5432) for each worker, as a superuser"
            }
        })
    }
}

/// Whether the tables of this database are distributed.
pub(super) async fn is_distributed(conn: &mut AsyncPgConnection) -> Result<bool> {
    Ok(diesel::select(diesel::dsl::sql::<Bool>(IS_DISTRIBUTED)).get_result(conn).await?)
}

impl Db {
    /// Spreads the tables over the workers, in so many parts each. The schema is up to date, and no node is connected.
    /// What is spread already stays as it is. Returns the tables that were spread.
    pub async fn distribute(&self, shards: u16) -> Result<std::result::Result<Vec<&'static str>, Obstacle>> {
        let mut conn = self.dedicated().await?;
        if let Some(obstacle) = obstacle(&mut conn).await? {
            return Ok(Err(obstacle));
        }
        let mut spread = Vec::new();
        conn.batch_execute("BEGIN; SET LOCAL citus.multi_shard_modify_mode = 'sequential'").await?;
        for (table, column, beside) in SPREAD {
            if ask(
                &mut conn,
                &format!("EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = '{table}'::regclass)"),
            )
            .await?
            {
                continue;
            }
            let parts = if beside == "none" { format!(", shard_count := {shards}") } else { String::new() };
            let distribute =
                format!("SELECT create_distributed_table('{table}', '{column}', colocate_with := '{beside}'{parts})");
            conn.batch_execute(&distribute).await?;
            spread.push(table);
        }
        if !is_distributed(&mut conn).await? {
            conn.batch_execute(
                "CREATE SCHEMA IF NOT EXISTS distribution; CREATE TABLE distribution.marks (id integer PRIMARY KEY); \
                 SELECT citus_add_local_table_to_metadata('distribution.marks')",
            )
            .await?;
        }
        conn.batch_execute("COMMIT").await?;
        Ok(Ok(spread))
    }
}

impl PublicRead {
    /// `unavailable` while a worker lacks what was committed, because it died with the last word of the commit on its
    /// way. For whoever has seen on the coordinator that something is there, or doesn't find it on a worker.
    pub(crate) async fn check_arrived(&mut self) -> Result<()> {
        if !self.is_distributed() || ask(self.sql(), ALL_ARRIVED).await? {
            return Ok(());
        }
        Err(Error::unavailable("a worker has not heard of every commit yet"))
    }
}

async fn obstacle(conn: &mut AsyncPgConnection) -> Result<Option<Obstacle>> {
    if !ask(conn, "EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus')").await? {
        return Ok(Some(Obstacle::NoCitus));
    }
    if !ask(conn, "EXISTS (SELECT 1 FROM pg_dist_node WHERE groupid = 0 AND noderole = 'primary')").await? {
        return Ok(Some(Obstacle::NoCoordinator));
    }
    if !ask(conn, "EXISTS (SELECT 1 FROM pg_dist_node WHERE shouldhaveshards AND noderole = 'primary')").await? {
        return Ok(Some(Obstacle::NoWorkers));
    }
    Ok(None)
}

async fn ask(conn: &mut AsyncPgConnection, condition: &str) -> Result<bool> {
    Ok(diesel::select(diesel::dsl::sql::<Bool>(condition)).get_result(conn).await?)
}
