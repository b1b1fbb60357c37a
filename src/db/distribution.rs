//! A database that Citus distributes over several machines.
//!
//! The tables that grow with every move are distributed: a match's own by the match, the event logs by the account. All
//! others stay on the coordinator, with their keys and references, and every node connects to the coordinator. For
//! statements that Citus can't plan, a store checks [`PublicRead::is_distributed`](super::PublicRead::is_distributed)
//! and uses others.

use diesel::sql_types::Bool;
use diesel_async::{AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};

use super::{Db, PublicRead};
use crate::error::{Error, Result};

/// The distributed tables, their distribution columns, and the tables they are co-located with.
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

/// SQL condition: the tables are distributed. The table of marks is created last, in the same transaction.
const IS_DISTRIBUTED: &str = "to_regclass('distribution.marks') IS NOT NULL";

/// The first statement of each transaction. Citus commits on several machines in two phases, but doesn't count direct
/// writes of PostgreSQL on the coordinator. This deletes nothing, but from a table that Citus knows, so it does count.
pub(crate) const MARK: &str = "DELETE FROM distribution.marks WHERE id < 0";

/// Settings of every connection. A transaction has one connection to each worker, and visits the shards of a statement
/// in a fixed order: so it needs no further connections, and two transactions lock rows in the same order. This makes
/// Citus's own deadlock prevention, one change of a shard at a time, unnecessary.
pub(super) const SETTINGS: &str = "SET citus.max_adaptive_executor_pool_size = 1; \
     SET citus.multi_shard_modify_mode = 'sequential'; SET citus.enable_deadlock_prevention = off";

/// SQL condition: every worker has all commits. Each is reachable, and has no prepared transaction that the coordinator
/// has recorded as committed.
const ALL_ARRIVED: &str = "NOT EXISTS (SELECT 1 FROM run_command_on_workers( \
       'SELECT string_agg(gid, '','') FROM pg_prepared_xacts WHERE database = current_database()') AS worker \
     WHERE NOT success OR string_to_array(result, ',') && ARRAY (SELECT gid FROM pg_dist_transaction))";

/// The reason why a database can't be distributed.
pub enum Obstacle {
    /// The extension is missing.
    NoCitus,
    /// The coordinator isn't registered in Citus.
    NoCoordinator,
    /// There are no workers.
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

pub(super) async fn is_distributed(conn: &mut AsyncPgConnection) -> Result<bool> {
    Ok(diesel::select(diesel::dsl::sql::<Bool>(IS_DISTRIBUTED)).get_result(conn).await?)
}

impl Db {
    /// Distributes the tables over the workers, in `shards` parts each. Requires a current schema and no connected
    /// nodes. Tables already distributed stay as they are. Returns the newly distributed tables.
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
    /// `unavailable` while a worker lacks a commit, because it died during the last step. Call it before relying on a
    /// row seen on the coordinator, and before concluding from a worker that a row doesn't exist.
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
