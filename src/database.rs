//! The database of a command: the operator's own (`DATABASE_URL`), or the private cluster, started by the command or by
//! a running service.

use std::path::Path;

use private_postgres::{Cluster, Options, files};

use crate::config::Database;
use crate::db::{Db, Deadline};

/// The private cluster's lock file, role and database have this name.
const NAME: &str = "broadside";

/// Added to the settings of a new private cluster.
const CLUSTER_SETTINGS: &str = "\
# Statements can hold what players must not learn of each other: errors are logged without them.
log_min_error_statement = panic
# Every statement is short: compiling one would cost more than running it.
jit = off";

/// Errors are sentences for the operator.
type Outcome<T> = Result<T, String>;

/// The private cluster in `folder`, durable unless the caller changes that.
pub fn cluster_options(folder: &Path) -> Options {
    Options {
        application: NAME.to_owned(),
        role: NAME.to_owned(),
        database: NAME.to_owned(),
        settings: CLUSTER_SETTINGS.to_owned(),
        ..Options::new(folder)
    }
}

/// Opens the database for one program alone: the private cluster is started, must persist, and must not be in use.
/// Statements have a deadline, or none. `note` is shown to others who want the folder.
pub async fn open(
    settings: &Database,
    connections: u16,
    deadline: Option<Deadline>,
    note: &str,
) -> Outcome<(Db, Option<Cluster>)> {
    let (url, cluster) = match &settings.database_url {
        Some(url) => (url.reveal().to_owned(), None),
        None => {
            let options = Options {
                programs: settings.postgres_programs.clone(),
                note: note.to_owned(),
                ..cluster_options(&settings.data)
            };
            let cluster = Cluster::start(options).await.map_err(explain_cluster_error)?;
            (cluster.connection_string(NAME), Some(cluster))
        }
    };
    let db = Db::new(&url, usize::from(connections), deadline).map_err(|error| {
        let cause = error.cause().map(ToString::to_string).unwrap_or_default();
        format!("DATABASE_URL can't be used: {cause}")
    })?;
    if cluster.is_none() && db.shares_sessions().await.map_err(|error| db.explain(&error))? {
        return Err(behind_a_pooler("DATABASE_URL"));
    }
    db.ping().await.map_err(|error| db.explain(&error))?;
    Ok((db, cluster))
}

/// Refuses an unusable read replica without opening it. An unreachable one may appear later.
pub async fn check_replica(replica: &Db) -> Outcome<()> {
    match replica.shares_sessions().await {
        Ok(false) => Ok(()),
        Ok(true) => Err(behind_a_pooler("BROADSIDE_READ_URL")),
        Err(error) => {
            let cause = replica.explain(&error);
            tracing::warn!(cause, "the read replica can't be reached: the primary is read until it can");
            Ok(())
        }
    }
}

/// The error for a pooler that gives each transaction another connection.
fn behind_a_pooler(setting: &str) -> String {
    format!(
        "{setting} leads to a connection pooler that gives each transaction another connection, as PgBouncer does with \
         pool_mode = transaction. Broadside needs sessions of its own: prepared statements, settings of a session and LISTEN \
         are lost otherwise. Set pool_mode = session for this database, or name the PostgreSQL itself"
    )
}

/// Like `open`, for a command that runs beside a service: a running private cluster is used as it is.
pub async fn open_shared(settings: &Database, connections: u16, note: &str) -> Outcome<(Db, Option<Cluster>)> {
    match running(settings, NAME, connections).await {
        Some((db, _)) => Ok((db, None)),
        None => open(settings, connections, None, note).await,
    }
}

/// The private cluster kept running by another program, for a role, with its address; `None` if there is none or it
/// doesn't answer.
pub async fn running(settings: &Database, role: &str, connections: u16) -> Option<(Db, String)> {
    if settings.database_url.is_some() {
        return None;
    }
    let url = files::running(&cluster_options(&settings.data), role)?;
    let db = Db::new(&url, usize::from(connections), None).ok()?;
    db.ping().await.ok().map(|()| (db, url))
}

/// Explains why the private cluster did not start. Without usable programs, the alternative is the operator's own
/// database.
fn explain_cluster_error(error: private_postgres::Error) -> String {
    match error {
        private_postgres::Error::NoPrograms { .. } | private_postgres::Error::WrongVersion { .. } => {
            format!("{error}. Or set DATABASE_URL to a PostgreSQL of your own")
        }
        _ => error.to_string(),
    }
}
