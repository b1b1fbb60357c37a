//! `broadside backup`, `restore`, `dump` and `events new-epoch`, carried out. A part of the command, not of the
//! service.

use std::path::Path;
use std::process::ExitCode;

use broadside::audit_log::AuditReason;
use broadside::config::{ArchiveAddress, Database, LogFormat};
use broadside::db::Db;
use broadside::dump::Month;
use broadside::moderation::operator;
use broadside::{backup, dump, telemetry};

use crate::{Outcome, said, say, workbench, workbench_with};

/// Copies the private cluster.
pub async fn back_up(database: &Database, folder: &Path) -> Outcome {
    telemetry::start_log("warn", LogFormat::Text)?;
    let made = backup::make(database, folder).await?;
    let backup::Backup { begun_at, files, bytes, archived } = made;
    say(&format!("{}: {files} files, {bytes} bytes, whole from {begun_at} on", folder.display()));
    if archived > 0 {
        say(&format!("the logs of {archived} matches are in the archive, which is not in this backup: keep both"));
    }
    Ok(ExitCode::SUCCESS)
}

/// Makes a private cluster of a backup.
pub async fn restore(database: &Database, folder: &Path) -> Outcome {
    telemetry::start_log("error", LogFormat::Text)?;
    let (db, cluster, begun_at) = backup::restore(database, folder).await?;
    let app = workbench(db).await?;
    let reason =
        format!("restored from a backup of {begun_at}").parse().map_err(|_| "the backup's time is malformed")?;
    let begun = operator::begin_epoch(&app, reason).await.map_err(said);
    drop(app);
    cluster.stop().await.map_err(|error| error.to_string())?;
    let epoch = begun?;
    say(&format!(
        "{} is restored to {begun_at} or a little later; the epoch {epoch} has begun",
        database.data.display()
    ));
    Ok(ExitCode::SUCCESS)
}

/// Begins a new epoch of the logs.
pub async fn new_epoch(db: Db, reason: AuditReason) -> Outcome {
    let app = workbench(db).await?;
    let epoch = operator::begin_epoch(&app, reason).await.map_err(said)?;
    say(&format!("the epoch {epoch} has begun: every cursor from before is refused, and its reader reads anew"));
    Ok(ExitCode::SUCCESS)
}

/// Writes the records of a month.
pub async fn dump(db: Db, archive: &ArchiveAddress, month: Month, folder: &Path) -> Outcome {
    let app = workbench_with(db, archive.open()?).await?;
    let manifest = dump::write(&app.matches, month, folder).await?;
    say(&format!("{}: the records of {} matches that ended in {month}", folder.display(), manifest.matches));
    Ok(ExitCode::SUCCESS)
}
