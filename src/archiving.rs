//! The commands `broadside archive status`, `run`, `verify` and `restore`. Part of the command, not of the service.

use std::path::Path;
use std::process::ExitCode;

use broadside::archive::object;
use broadside::config::{ArchiveAddress, Archiving};
use broadside::db::Db;
use broadside::ids::MatchId;
use broadside::matches::archive::{check, pack, restore};
use broadside_rules::Time;
use uuid::Uuid;

use crate::{Outcome, on_database, said, say, workbench_with};

pub async fn run(command: Archiving) -> Outcome {
    let name = "broadside archive";
    match command {
        Archiving::Status { database, archive } => {
            on_database(&database, 2, name, async |db| status(db, &archive).await).await
        }
        Archiving::Run { database, archive } => {
            on_database(&database, 4, name, async |db| pack_all(db, &archive).await).await
        }
        Archiving::Verify { file: Some(file), .. } => verify_file(&file),
        Archiving::Verify { database, archive, file: None } => {
            on_database(&database, 4, name, async |db| verify(db, &archive).await).await
        }
        Archiving::Restore { database, archive, id } => {
            on_database(&database, 4, name, async |db| put_back(db, &archive, id).await).await
        }
    }
}

async fn status(db: Db, archive: &ArchiveAddress) -> Outcome {
    let app = workbench_with(db, archive.open()?).await?;
    let status = check::status(&app.matches).await.map_err(said)?;
    let time = |at: Option<Time>| at.map_or_else(|| "none".to_owned(), text_of);
    say(&format!("{} matches under way", status.running));
    say(&format!(
        "{} that are over in the database, the oldest from {}; all logs there: {} bytes",
        status.hot,
        time(status.oldest_hot),
        status.log_bytes
    ));
    say(&format!(
        "{} in the archive, over from {} to {}: {} objects, {} bytes",
        status.archived,
        time(status.oldest_archived),
        time(status.newest_archived),
        status.objects,
        status.object_bytes
    ));
    say(&format!("{} objects begun and not used", status.unused_objects));
    let Some(url) = &archive.url else { return Ok(ExitCode::SUCCESS) };
    match check::is_reachable(&app.matches).await {
        Ok(()) => say(&format!("{url} answers")),
        Err(error) => return Err(format!("{url} can't be reached: {}", said(error))),
    }
    Ok(ExitCode::SUCCESS)
}

fn text_of(time: Time) -> String {
    serde_json::to_value(time).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

async fn pack_all(db: Db, archive: &ArchiveAddress) -> Outcome {
    let app = workbench_with(db, archive.open()?).await?;
    let pack::Packed { matches, objects, bytes } = pack::run(&app.matches).await.map_err(said)?;
    say(&format!("{matches} matches packed into {objects} objects, {bytes} bytes"));
    Ok(ExitCode::SUCCESS)
}

async fn verify(db: Db, archive: &ArchiveAddress) -> Outcome {
    let app = workbench_with(db, archive.open()?).await?;
    let findings = check::verify(&app.matches).await.map_err(said)?;
    findings.faults.iter().for_each(|fault| say(fault));
    for id in &findings.unknown {
        say(&format!("object {id}: the database doesn't know it; an older state of it may"));
    }
    let check::Findings { objects, matches, bytes, faults, .. } = &findings;
    say(&format!("{objects} objects, {matches} matches, {bytes} bytes, {} faults", faults.len()));
    Ok(if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Checks an object file without access to the service.
fn verify_file(file: &Path) -> Outcome {
    let bytes = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    match object::check(Uuid::nil(), &bytes) {
        Ok(checked) => {
            say(&format!("{} matches, signed with the key {}", checked.matches.len(), checked.kid));
            Ok(ExitCode::SUCCESS)
        }
        Err(fault) => {
            say(&fault);
            Ok(ExitCode::FAILURE)
        }
    }
}

async fn put_back(db: Db, archive: &ArchiveAddress, id: MatchId) -> Outcome {
    let app = workbench_with(db, archive.open()?).await?;
    let restored = restore(&app.matches, id).await.map_err(said)?;
    say(&if restored { format!("{id} is back in the database") } else { format!("{id} is in the database") });
    Ok(ExitCode::SUCCESS)
}
