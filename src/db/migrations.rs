//! The schema's version compared with this program's, and the rights of the database role.

use std::collections::HashSet;

use diesel::dsl::sql;
use diesel::migration::{Migration, MigrationSource};
use diesel::pg::Pg;
use diesel::sql_types::Bool;
use diesel_async::{AsyncMigrationHarness, RunQueryDsl, SimpleAsyncConnection};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

use super::{Db, distribution, rows};
use crate::error::{Error, Result};

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("migrations");
/// Takes the migration lock. The number is arbitrary, but unique in the database.
const LOCK_OF_MIGRATIONS: &str = "pg_try_advisory_lock(7310032)";

/// Every table and sequence on which the role lacks a right, with those rights.
const LACKING: &str = "SELECT format('%s on %s', string_agg(needed, ', ' ORDER BY place), oid::regclass) AS text \
     FROM pg_class, LATERAL unnest(CASE \
         WHEN relkind = 'S' THEN '{USAGE}' WHEN relname LIKE '\\_\\_diesel%' THEN '{SELECT}' \
         ELSE '{SELECT,INSERT,UPDATE,DELETE}'::text[] END) WITH ORDINALITY AS n (needed, place) \
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'S') AND NOT CASE \
         WHEN relkind = 'S' THEN has_sequence_privilege(oid, needed) ELSE has_table_privilege(oid, needed) END \
     GROUP BY oid ORDER BY oid::regclass::text";

rows! {
    struct Answer {
        yes: bool,
    }

    struct Line {
        text: String,
    }
}

/// A database's schema, compared with this program's.
pub struct SchemaState {
    pub is_empty: bool,
    /// The names of migrations that have not run yet.
    pub pending: Vec<String>,
    /// The versions of applied migrations that this program doesn't know.
    pub unknown: Vec<String>,
}

impl SchemaState {
    /// The reason why this program can't use the schema, and the remedy; `None`: it matches.
    pub fn obstacle(&self) -> Option<String> {
        let Self { is_empty, pending, unknown } = self;
        if !unknown.is_empty() {
            return Some(format!(
                "the database's schema is newer than this program: a newer version has run the migrations {}; start \
                 that version, or undo these migrations",
                unknown.join(", ")
            ));
        }
        match pending.as_slice() {
            [] => None,
            _ if *is_empty => Some("the database has no schema: run `broadside migrate` first".to_owned()),
            some => Some(format!(
                "the database's schema is older than this program: {} migrations have not run ({}); run `broadside \
                 migrate` first",
                some.len(),
                some.join(", ")
            )),
        }
    }
}

impl Db {
    /// Applies pending migrations, and returns their names. If nodes start together, one does the work and the others
    /// wait.
    pub async fn migrate(&self) -> Result<Vec<String>> {
        let mut connection = self.dedicated().await?;
        // Polled, not waited for: a waiting statement would block a concurrent index build from finishing. The lock
        // ends with the connection.
        while !diesel::select(sql::<Bool>(LOCK_OF_MIGRATIONS)).get_result::<bool>(&mut connection).await? {
            tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        }
        if distribution::is_distributed(&mut connection).await? {
            connection.batch_execute(distribution::SETTINGS).await?;
        }
        // The harness blocks its thread and needs a runtime.
        tokio::task::spawn_blocking(move || {
            let mut harness = AsyncMigrationHarness::new(connection);
            let versions = harness.run_pending_migrations(MIGRATIONS).map_err(Error::internal)?;
            Ok(versions.iter().map(ToString::to_string).collect())
        })
        .await
        .map_err(Error::internal)?
    }

    /// The schema, compared with this program's. Only reads.
    pub async fn schema(&self) -> Result<SchemaState> {
        let mut conn = self.conn().await?;
        let is_there = "SELECT to_regclass('__diesel_schema_migrations') IS NOT NULL AS yes";
        let Answer { yes: is_there } = diesel::sql_query(is_there).get_result(conn.sql()).await?;
        let run: Vec<Line> = match is_there {
            true => {
                let versions = "SELECT version::text AS text FROM __diesel_schema_migrations ORDER BY version";
                diesel::sql_query(versions).load(conn.sql()).await?
            }
            false => Vec::new(),
        };
        let own: Vec<Box<dyn Migration<Pg>>> = MIGRATIONS.migrations().map_err(Error::internal)?;
        let own = own.iter().map(|one| (one.name().version().to_string(), one.name().to_string()));
        let own: Vec<(String, String)> = own.collect();
        let known: HashSet<&str> = own.iter().map(|(version, _)| version.as_str()).collect();
        let done: HashSet<&str> = run.iter().map(|line| line.text.as_str()).collect();
        let mut pending: Vec<String> =
            own.iter().filter(|(version, _)| !done.contains(version.as_str())).map(|(_, name)| name.clone()).collect();
        pending.sort_unstable();
        let unknown = done.difference(&known).map(|version| (*version).to_owned());
        let mut unknown: Vec<String> = unknown.collect();
        unknown.sort_unstable();
        Ok(SchemaState { is_empty: run.is_empty(), pending, unknown })
    }

    /// The rights that the role lacks for migrations, or for serving, and the remedy; `None`: it has them.
    pub async fn lacking_rights(&self, migrating: bool) -> Result<Option<String>> {
        let mut conn = self.conn().await?;
        let role = diesel::sql_query("SELECT quote_ident(current_user) AS text");
        let Line { text: role } = role.get_result(conn.sql()).await?;
        if migrating {
            let may_create = "SELECT coalesce(has_schema_privilege('public', 'CREATE'), false) AS yes";
            let Answer { yes } = diesel::sql_query(may_create).get_result(conn.sql()).await?;
            return Ok((!yes).then(|| {
                format!("the database's role {role} may not create tables: `GRANT CREATE ON SCHEMA public TO {role}`")
            }));
        }
        let lacking: Vec<Line> = diesel::sql_query(LACKING).load(conn.sql()).await?;
        let Some(Line { text: first }) = lacking.as_slice().first() else { return Ok(None) };
        let others = match lacking.len() {
            1 => String::new(),
            many => format!(" and rights on {} others", many - 1),
        };
        Ok(Some(format!(
            "the database's role {role} lacks {first}{others}: `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN \
             SCHEMA public TO {role}; GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {role}`"
        )))
    }
}
