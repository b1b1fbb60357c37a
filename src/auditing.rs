//! The commands `broadside audit` and `broadside repair`. Part of the command, not of the service.

use std::process::ExitCode;

use broadside::config::ArchiveAddress;
use broadside::db::Db;
use broadside::ids::MatchId;
use broadside::ladders::position;
use broadside::matches::audit;
use broadside::matches::repair::Repaired;
use broadside::moderation::operator;
use broadside::{events, ladders, social, tournaments};

use crate::{Outcome, said, say, workbench_with};

/// Checks everything, or one match.
pub async fn audit(db: Db, archive: &ArchiveAddress, only: Option<MatchId>) -> Outcome {
    let app = workbench_with(db, archive.open()?).await?;
    let found = audit::audit(&app.matches, only).await.map_err(said)?;
    let mut sound = tell(&format!("{} matches, {} entries", found.matches, found.entries), &found.faults);
    if only.is_none() {
        let places = position::audit::all(&app).await.map_err(said)?;
        if places.ladders > 0 || !places.faults.is_empty() {
            let counts = format!("{} ladders with places, {} steps", places.ladders, places.steps);
            sound &= tell(&counts, &places.faults);
        }
        let found = ladders::audit::all(&app).await.map_err(said)?;
        let counts = format!("{} ladders, {} seasons, {} pairings", found.ladders, found.seasons, found.pairings);
        sound &= tell(&counts, &found.faults);
        let found = tournaments::audit::all(&app).await.map_err(said)?;
        sound &= tell(&format!("{} tournaments, {} rounds", found.tournaments, found.rounds), &found.faults);
        let found = events::audit::all(&app).await.map_err(said)?;
        sound &= tell(&format!("{} accounts, {} events", found.logs, found.entries), &found.faults);
        let found = social::audit::all(&app).await.map_err(said)?;
        sound &= tell(&format!("{} rooms, {} messages", found.logs, found.entries), &found.faults);
    }
    Ok(if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prints the findings; returns true if there are none.
fn tell(counts: &str, faults: &[String]) -> bool {
    faults.iter().for_each(|fault| say(fault));
    say(&format!("{counts}, {} faults", faults.len()));
    faults.is_empty()
}

pub async fn repair(db: Db, archive: &ArchiveAddress, id: MatchId) -> Outcome {
    let app = workbench_with(db, archive.open()?).await?;
    match operator::repair_match(&app.matches, id).await.map_err(said)? {
        Repaired::Sound => say("the match is whole; nothing was changed"),
        Repaired::HeadRewritten => say("the log is whole; what lists and clocks believe was written again from it"),
        Repaired::Aborted { kept, removed } => {
            removed.iter().for_each(|(number, entry)| say(&format!("removed entry {number}: {entry}")));
            say(&format!("the log was whole up to entry {kept}; the match was ended without a result"));
        }
        Repaired::Over => {
            return Err(
                "the match is over, and its log is not whole: its result stays, only a backup has its moves".to_owned()
            );
        }
    }
    Ok(ExitCode::SUCCESS)
}
