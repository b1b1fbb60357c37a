//! `broadside backup` and `broadside restore`: a copy of the private cluster, made while it runs, and its restore
//! elsewhere.
//!
//! A backup is a PostgreSQL base backup with the write-ahead log that completes it. The server's own functions make it,
//! so it needs no other program. Its manifest lists each file with its SHA-256 and is written last: a folder without a
//! manifest is no backup.
//!
//! A restore begins a new epoch of the logs ([`crate::epoch`]), because clients may have read past the end of the
//! backup.

mod manifest;
pub mod revocations;
mod store;

use std::path::{Path, PathBuf};

use private_postgres::{Cluster, SUPERUSER, files};

use crate::config::Database;
use crate::database::{self, cluster_options};
use crate::db::Db;
use manifest::Manifest;

/// Errors are one sentence for the operator.
type Outcome<T> = Result<T, String>;

/// The folder of the cluster's files in a backup.
const CLUSTER: &str = "cluster";

pub struct Backup {
    /// Start of the backup, as printed by PostgreSQL.
    pub begun_at: String,
    pub files: usize,
    /// Total size of the files.
    pub bytes: u64,
    /// Matches whose logs are in the archive, and so not in the backup.
    pub archived: u64,
}

/// Copies the private cluster, running or not, into `folder`, which must be empty or missing.
pub async fn make(settings: &Database, folder: &Path) -> Outcome<Backup> {
    refuse_foreign(settings)?;
    if folder.read_dir().is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(format!("{} is not empty: name another folder", folder.display()));
    }
    let (url, cluster) = match database::running(settings, SUPERUSER, 1).await {
        Some((_, url)) => (url, None),
        None => {
            let (db, cluster) = database::open(settings, 1, None, "broadside backup").await?;
            drop(db);
            let cluster = cluster.ok_or("there is no private cluster")?;
            (cluster.superuser_connection_string(&cluster_options(&settings.data).database), Some(cluster))
        }
    };
    let made = copy(&url, folder).await;
    stop(cluster).await?;
    made
}

/// Nothing is queried on another connection between begin and end: the server aborts a backup when the connection that
/// began it closes.
async fn copy(url: &str, folder: &Path) -> Outcome<Backup> {
    let db = Db::new(url, 1, None).map_err(said)?;
    let mut conn = db.conn().await.map_err(said)?;
    let archived = store::archived(&mut conn).await.map_err(said)?;
    let begun = store::begin(&mut conn).await.map_err(said)?;
    let (data, target) = (PathBuf::from(&begun.data), folder.join(CLUSTER));
    let (from, to) = (data.clone(), target.clone());
    let copied = tokio::task::spawn_blocking(move || files::copy(&from, &to)).await;
    copied.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
    let label = store::end(&mut conn, begun.version).await.map_err(said)?;
    let folder = folder.to_owned();
    let made = tokio::task::spawn_blocking(move || {
        // The log comes last, so that it extends past everything copied. The slot has kept it from being removed.
        files::copy_log(&data, &target).map_err(|error| error.to_string())?;
        files::write(&target.join("backup_label"), label.as_bytes()).map_err(|error| error.to_string())?;
        let manifest = Manifest::of(&target, begun.version, begun.at)?;
        manifest.write(&folder)?;
        Ok(Backup { files: manifest.files.len(), bytes: manifest.bytes(), begun_at: manifest.begun_at, archived })
    });
    made.await.map_err(|error| error.to_string())?
}

/// Checks the backup in `folder`, installs it as a new private cluster and starts that. Returns the database, recovered
/// and with an up-to-date schema, and the start time of the backup.
pub async fn restore(settings: &Database, folder: &Path) -> Outcome<(Db, Cluster, String)> {
    refuse_foreign(settings)?;
    let (folder, data, programs) = (folder.to_owned(), settings.data.clone(), settings.postgres_programs.clone());
    let placed = tokio::task::spawn_blocking(move || {
        let manifest = Manifest::read(&folder)?;
        let copy = folder.join(CLUSTER);
        manifest.check(&copy)?;
        let options = private_postgres::Options { programs, ..cluster_options(&data) };
        files::put_in_place(&options, &copy).map_err(|error| error.to_string())?;
        Ok::<_, String>(manifest.begun_at)
    });
    let begun_at = placed.await.map_err(|error| error.to_string())??;
    let (db, cluster) = database::open(settings, 4, None, "broadside restore").await?;
    db.migrate().await.map_err(said)?;
    if let Some(obstacle) = db.schema().await.map_err(said)?.obstacle() {
        return Err(obstacle);
    }
    let cluster = cluster.ok_or("there is no private cluster")?;
    Ok((db, cluster, begun_at))
}

fn refuse_foreign(settings: &Database) -> Outcome<()> {
    match settings.database_url {
        None => Ok(()),
        Some(_) => Err("this is for the private cluster; a PostgreSQL of your own has pg_basebackup and pg_dump, see \
                        docs/operations/backup-and-restore.md"
            .to_owned()),
    }
}

async fn stop(cluster: Option<Cluster>) -> Outcome<()> {
    match cluster {
        Some(cluster) => cluster.stop().await.map_err(|error| error.to_string()),
        None => Ok(()),
    }
}

fn said(error: crate::error::Error) -> String {
    let cause = error.cause().map(|cause| format!(": {cause}")).unwrap_or_default();
    format!("{error}{cause}")
}
