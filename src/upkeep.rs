//! The commands `broadside backup`, `restore`, `dump` and `events new-epoch`. Part of the command, not of the service.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use broadside::audit_log::AuditReason;
use broadside::backup::revocations;
use broadside::config::{ArchiveAddress, Database, LogFormat};
use broadside::db::Db;
use broadside::dump::Month;
use broadside::epoch::Epoch;
use broadside::moderation::operator;
use broadside::{backup, dump, telemetry};
use broadside_rules::Time;

use crate::{Outcome, said, say, workbench, workbench_with};

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

/// Makes a private cluster from a backup, and repeats later revocations.
pub async fn restore(database: &Database, folder: &Path, revoked: Option<PathBuf>, end_sessions: bool) -> Outcome {
    telemetry::start_log("error", LogFormat::Text)?;
    let own = revocations::in_folder(&database.data);
    let file = revoked.unwrap_or_else(|| own.clone());
    if file != own && !file.exists() {
        return Err(format!("there is no {}", file.display()));
    }
    let (db, cluster, begun_at) = backup::restore(database, folder).await?;
    let restored = finish_restore(db, &begun_at, &file, &own, end_sessions).await;
    cluster.stop().await.map_err(|error| error.to_string())?;
    let (epoch, lines) = restored?;
    let data = database.data.display();
    say(&format!("{data} is restored to {begun_at} or a little later; the epoch {epoch} has begun"));
    lines.iter().for_each(|line| say(line));
    Ok(ExitCode::SUCCESS)
}

async fn finish_restore(
    db: Db,
    begun_at: &str,
    file: &Path,
    own: &Path,
    end_sessions: bool,
) -> Result<(Epoch, Vec<String>), String> {
    let app = workbench(db).await?;
    let malformed = "the backup's time is malformed";
    let begun: Time = serde_json::from_value(begun_at.into()).map_err(|_| malformed)?;
    let reason = format!("restored from a backup of {begun_at}").parse().map_err(|_| malformed)?;
    let epoch = operator::begin_epoch(&app, reason).await.map_err(said)?;
    let (since, unreadable) = revocations::read(file, begun)?;
    let mut lines = revocations::carry_out(&app, &since).await.map_err(said)?;
    if since.is_empty() {
        lines.push(format!(
            "{} names nothing that was deleted, suspended or revoked since: if the file was elsewhere, move this \
             cluster away and restore again with --revocations",
            file.display()
        ));
    }
    if unreadable > 0 {
        lines.push(format!("{unreadable} lines of {} can't be read: do again by hand what they say", file.display()));
    }
    if end_sessions {
        let (ended, revoked) = revocations::end_sessions(&app).await.map_err(said)?;
        lines.push(format!(
            "everybody is signed out: {ended} sessions, {revoked} tokens; guests go on in their browsers"
        ));
    }
    revocations::note_restore(&app, begun).await.map_err(said)?;
    if file != own {
        // Another restore may follow, from an older backup.
        std::fs::copy(file, own).map_err(|error| format!("cannot copy {}: {error}", file.display()))?;
    }
    revocations::write_out(&app.db, own, None).await.map_err(said)?;
    lines.push("Do these again if you have done them since the backup:".to_owned());
    lines.extend(TO_DO_AGAIN.map(|line| format!("  - {line}")));
    Ok((epoch, lines))
}

/// Operator's actions that no file records.
const TO_DO_AGAIN: [&str; 5] = [
    "give roles (broadside admin grant)",
    "suspend or remove apps (broadside admin suspend-app, remove-app)",
    "rotate keys (broadside rotate-keys)",
    "annul matches and correct ratings (broadside ratings annul)",
    "give back down-times (broadside clocks rest)",
];

pub async fn new_epoch(db: Db, reason: AuditReason) -> Outcome {
    let app = workbench(db).await?;
    let epoch = operator::begin_epoch(&app, reason).await.map_err(said)?;
    say(&format!("the epoch {epoch} has begun: every cursor from before is refused, and its reader reads anew"));
    Ok(ExitCode::SUCCESS)
}

pub async fn dump(db: Db, archive: &ArchiveAddress, month: Month, folder: &Path) -> Outcome {
    let app = workbench_with(db, archive.open()?).await?;
    let manifest = dump::write(&app.matches, month, folder).await?;
    say(&format!("{}: the records of {} matches that ended in {month}", folder.display(), manifest.matches));
    Ok(ExitCode::SUCCESS)
}
