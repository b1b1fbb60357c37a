//! An operator's check of the archive: every object is read, verified by hash and signature, and compared with the
//! locations in the tables.

use std::collections::{HashMap, HashSet};

use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{GONE, store};
use crate::archive::object::{self, CheckedObject};
use crate::archive::{Archive, not_configured};
use crate::error::{Error, Result};
use crate::ids::MatchId;
use crate::matches::{Matches, keys};

pub use super::store::ArchiveStatus;

/// The number of objects per query.
const BATCH: i64 = 100;

/// The result of a check.
#[derive(Default, Debug)]
pub struct Findings {
    /// The number of objects read.
    pub objects: u64,
    /// Their total size.
    pub bytes: u64,
    /// The number of matches located in them.
    pub matches: u64,
    /// One line per fault.
    pub faults: Vec<String>,
    /// Archived objects missing in the tables. No faults: an older state of the database may refer to them.
    pub unknown: Vec<Uuid>,
}

pub async fn status(matches: &Matches) -> Result<ArchiveStatus> {
    store::status(&mut matches.db.conn().await?).await
}

/// Fails while the archive can't be reached.
pub async fn is_reachable(matches: &Matches) -> Result<()> {
    matches.archive.as_ref().ok_or_else(not_configured)?.probe().await
}

pub async fn is_any_archived(matches: &Matches) -> Result<bool> {
    store::is_any_archived(&mut matches.db.conn().await?).await
}

pub async fn verify(matches: &Matches) -> Result<Findings> {
    let archive = matches.archive.as_ref().ok_or_else(not_configured)?;
    let known_keys: HashSet<String> = keys::published(matches).await?.into_iter().map(|key| key.kid).collect();
    let (mut findings, mut after) = (Findings::default(), Uuid::nil());
    loop {
        let mut conn = matches.db.conn().await?;
        let objects = store::objects_after(&mut conn, after, BATCH).await?;
        drop(conn);
        let Some((last, _)) = objects.last() else { break };
        after = *last;
        for (id, sha256) in objects {
            match one(archive, id, &sha256, &known_keys).await {
                Ok((checked, bytes)) => {
                    findings.objects += 1;
                    findings.bytes += bytes;
                    compare(matches, id, &checked, &mut findings).await?;
                }
                Err(fault) => findings.faults.push(format!("object {id}: {fault}")),
            }
        }
    }
    let placed = store::placed(&mut matches.db.conn().await?).await?;
    if placed != findings.matches {
        findings.faults.push(format!("{placed} matches have a location, {} of them where they are", findings.matches));
    }
    let known: HashSet<Uuid> = store::known_objects(&mut matches.db.conn().await?).await?.into_iter().collect();
    findings.unknown = archive.objects().await?.into_iter().filter(|id| !known.contains(id)).collect();
    Ok(findings)
}

async fn one(
    archive: &Archive,
    id: Uuid,
    sha256: &[u8],
    known_keys: &HashSet<String>,
) -> Result<(CheckedObject, u64), String> {
    let bytes = archive.object(id).await.map_err(said)?.ok_or(GONE)?;
    if Sha256::digest(&bytes).as_slice() != sha256 {
        return Err("its bytes are not those that were written".to_owned());
    }
    let length = bytes.len() as u64;
    let read = tokio::task::spawn_blocking(move || object::check(id, &bytes)).await;
    let checked = read.map_err(|error| error.to_string())??;
    if !known_keys.contains(&checked.kid) {
        return Err(format!("it is signed with the key {}, which is none of this service", checked.kid));
    }
    Ok((checked, length))
}

/// Counts the matches of an object that are located in it. Another location is no fault: the match was restored and
/// packed again, or two nodes packed it at the same time.
async fn compare(matches: &Matches, id: Uuid, checked: &CheckedObject, findings: &mut Findings) -> Result<()> {
    let read = |(id, location): &(String, object::Location)| Some((id.parse::<MatchId>().ok()?, *location));
    let there: HashMap<MatchId, object::Location> = checked.matches.iter().filter_map(read).collect();
    let ids: Vec<MatchId> = there.keys().copied().collect();
    let locations = store::locations(&mut matches.db.conn().await?, &ids).await?;
    for (match_id, location) in locations.iter().filter(|(_, location)| location.object == id) {
        if there.get(match_id) == Some(location) {
            findings.matches += 1;
        } else {
            findings.faults.push(format!("match {match_id}: it isn't at its location in the object {id}"));
        }
    }
    Ok(())
}

fn said(error: Error) -> String {
    let cause = error.cause().map(|cause| format!(": {cause}")).unwrap_or_default();
    format!("{error}{cause}")
}
