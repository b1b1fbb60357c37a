//! The job that moves the logs of long finished matches into the archive.

use broadside_rules::record::PublicKey;
use broadside_rules::text::Digest as Hex;
use broadside_rules::{Entry, Time};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::store::{self, WrittenObject};
use crate::archive::object::{
    ArchivedFormer, ArchivedMatch, ArchivedPairing, Location, PackedMatch, Packer, digits_of,
};
use crate::archive::{Archive, not_configured};
use crate::budget_owner;
use crate::error::{Error, Result};
use crate::ids::MatchId;
use crate::matches::keys::RecordKey;
use crate::matches::match_state::{entry, terms};
use crate::matches::store::matches::head;
use crate::matches::{MatchTerms, Matches, StoredMatch};
use crate::work_pool::Lane;

/// The maximum number of matches per object.
const MATCHES: usize = 256;
/// The total number of log entries after which an object is full: they are deleted in one transaction.
const ENTRIES: usize = 50_000;
/// The number of matches per statement, and of statements per round.
const LOOKED_AT: i32 = 1000;
const LOOKS: usize = 20;
/// The pause after a walk through all logs: a day, so that at most one object a day isn't full.
const WALK_REST_MS: i64 = 86_400_000;
/// The age at which an unused object is an orphan.
const ORPHAN_AFTER_MS: i64 = 3_600_000;

/// A node's progress. Another node starts again, which is harmless.
#[derive(Default)]
pub struct Walk {
    after: Option<MatchId>,
    /// Found, but not yet packed.
    due: Vec<MatchId>,
    rests_until: Option<Time>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Packed {
    pub matches: u32,
    pub objects: u32,
    pub bytes: u64,
}

impl Packed {
    fn with(self, more: Self) -> Self {
        Self {
            matches: self.matches + more.matches,
            objects: self.objects + more.objects,
            bytes: self.bytes + more.bytes,
        }
    }
}

/// An object that is in the archive and verified, but not yet used.
pub struct Written {
    id: Uuid,
    bytes: u64,
    sha256: [u8; 32],
    matches: Vec<(MatchId, u32, Location)>,
}

impl Written {
    pub fn id(&self) -> Uuid {
        self.id
    }
}

/// The job's round: removes orphans, and packs at most one object.
pub async fn round(matches: &Matches) -> Result<()> {
    let Some(archive) = &matches.archive else { return Ok(()) };
    if !matches.heartbeat.is_settled() {
        return Ok(());
    }
    budget_owner::of_the_service(async {
        let mut walk = matches.walk.lock().await;
        if walk.rests_until.is_some_and(|until| matches.clock.now() < until) {
            return Ok(());
        }
        remove_orphans(matches, archive).await?;
        step(matches, archive.after_ms(), &mut walk).await.map(drop)
    })
    .await
}

/// Repeats the round until nothing is due.
pub async fn run(matches: &Matches) -> Result<Packed> {
    let archive = matches.archive.as_ref().ok_or_else(not_configured)?;
    remove_orphans(matches, archive).await?;
    let (mut walk, mut all) = (Walk::default(), Packed::default());
    while walk.rests_until.is_none() {
        all = all.with(step(matches, archive.after_ms(), &mut walk).await?);
    }
    Ok(all)
}

/// Searches until there is enough for an object, or all logs were examined; then packs.
async fn step(matches: &Matches, after_ms: i64, walk: &mut Walk) -> Result<Packed> {
    let mut is_end = false;
    for _ in 0..LOOKS {
        if walk.due.len() >= MATCHES || is_end {
            break;
        }
        let before = Time(matches.clock.now().0.saturating_sub(after_ms));
        let mut conn = matches.db.conn().await?;
        let looked = store::hot_after(&mut conn, walk.after, before, LOOKED_AT).await?;
        drop(conn);
        is_end = looked.len() < usize::try_from(LOOKED_AT).unwrap_or(usize::MAX);
        walk.after = looked.last().map_or(walk.after, |(id, _)| Some(*id));
        walk.due.extend(looked.into_iter().filter(|(_, is_due)| *is_due).map(|(id, _)| id));
    }
    if walk.due.len() < MATCHES && !is_end {
        return Ok(Packed::default());
    }
    let ids: Vec<MatchId> = walk.due.drain(..walk.due.len().min(MATCHES)).collect();
    let packed = match write(matches, &ids).await {
        Ok(Some((written, rest))) => {
            // Matches that did not fit come first in the next object.
            walk.due.splice(..0, rest);
            keep(matches, written).await
        }
        Ok(None) => Ok(Packed::default()),
        Err(error) => Err(error),
    };
    match packed {
        Ok(packed) => {
            if is_end && walk.due.is_empty() {
                *walk = Walk { rests_until: Some(matches.clock.now().plus_ms(WALK_REST_MS)), ..Walk::default() };
            }
            Ok(packed)
        }
        // The found matches will be found again.
        Err(error) => {
            *walk = Walk::default();
            Err(error)
        }
    }
}

/// The first half: writes an object of these matches, and verifies it. Returns the matches that did not fit. `None`:
/// none of them can be packed. Unreadable matches stay in the tables; `broadside audit` names them.
pub async fn write(matches: &Matches, ids: &[MatchId]) -> Result<Option<(Written, Vec<MatchId>)>> {
    let archive = matches.archive.as_ref().ok_or_else(not_configured)?;
    let id: Uuid = matches.new_id();
    let (mut packer, mut packed, mut entries) = (Packer::default(), Vec::new(), 0);
    let mut ids = ids.iter();
    for match_id in ids.by_ref() {
        let (part, length) = match pack(matches, *match_id).await {
            Ok(Some(packed)) => packed,
            Ok(None) => continue,
            Err(error) => {
                let cause = error.cause().map(tracing::field::display);
                tracing::warn!(%error, cause, "a match could not be packed for the archive; it stays in the tables");
                continue;
            }
        };
        let location = packer.add(id, &part).ok_or_else(|| Error::internal("an object of the archive is too long"))?;
        packed.push((*match_id, length, location));
        entries += length as usize;
        if entries >= ENTRIES {
            break;
        }
    }
    if packed.is_empty() {
        return Ok(None);
    }
    let key = newest_key(matches).await?;
    let bytes = packer.finish(&key.public_bytes(), |message| key.sign(message)).map_err(Error::internal)?;
    let sha256: [u8; 32] = Sha256::digest(&bytes).into();
    let length = bytes.len() as u64;
    let mut tx = matches.db.begin().await?;
    store::announce(&mut tx, id, matches.clock.now()).await?;
    tx.commit().await?;
    archive.write(id, bytes).await?;
    let back = archive.object(id).await?;
    if back.is_none_or(|back| <[u8; 32]>::from(Sha256::digest(&back)) != sha256) {
        return Err(Error::internal(format!("the object {id} of the archive isn't read back as it was written")));
    }
    Ok(Some((Written { id, bytes: length, sha256, matches: packed }, ids.copied().collect())))
}

/// The second half: replaces the logs by locations in one transaction.
pub async fn keep(matches: &Matches, written: Written) -> Result<Packed> {
    let Written { id, bytes, sha256, matches: packed } = &written;
    let object = WrittenObject { id: *id, bytes: *bytes, sha256: *sha256, matches: packed };
    let mut tx = matches.db.begin().await?;
    let Some(kept) = store::keep(&mut tx, &object).await? else {
        tx.roll_back().await?;
        return Ok(Packed::default());
    };
    tx.commit().await?;
    metrics::counter!("archived_matches_total").increment(kept.into());
    Ok(Packed { matches: kept, objects: 1, bytes: *bytes })
}

/// Removes objects that were written and never used. Abandoning an object prevents its writer from using it, so nothing
/// removed is ever referenced.
pub async fn remove_orphans(matches: &Matches, archive: &Archive) -> Result<u32> {
    let before = Time(matches.clock.now().0.saturating_sub(ORPHAN_AFTER_MS));
    let mut conn = matches.db.conn().await?;
    let orphans = store::orphans(&mut conn, before).await?;
    drop(conn);
    let mut removed = 0;
    for id in orphans {
        let mut tx = matches.db.begin().await?;
        let is_ours = store::abandon(&mut tx, id).await?;
        tx.commit().await?;
        if !is_ours {
            continue;
        }
        archive.remove(id).await?;
        let mut tx = matches.db.begin().await?;
        store::forget(&mut tx, id).await?;
        tx.commit().await?;
        removed += 1;
    }
    Ok(removed)
}

/// A match in packed form, and the length of its log. `None`: it isn't over, or its log is incomplete.
async fn pack(matches: &Matches, id: MatchId) -> Result<Option<(PackedMatch, u32)>> {
    let mut conn = matches.db.conn().await?;
    let head = head(&mut conn, id).await?;
    drop(conn);
    let Some((seq, finished_at, result)) = head.and_then(|(seq, head)| Some((seq, head.finished_at?, head.result)))
    else {
        return Ok(None);
    };
    let Some(stored) = matches.stored(id).await? else { return Ok(None) };
    if stored.entries.len() != seq as usize {
        return Ok(None);
    }
    let key = matches.keys.named(&matches.db, matches.clock.now(), &stored.record_key).await?;
    let public = PublicKey::of(&key.public_bytes());
    let packed = move || {
        let log = stored.entries.iter().map(|entry| digits_of(entry)).collect();
        let terms = checked_terms(stored)?;
        let (format, version) = ArchivedMatch::tag();
        let former = terms.former.iter().map(|former| ArchivedFormer {
            seat: former.seat.0,
            player: former.player.id.to_string(),
            until: former.until,
        });
        let archived = ArchivedMatch {
            format,
            version,
            header: terms.header(),
            record_format: terms.record_format.number(),
            record_key: public,
            spectators: terms.spectators,
            named_rule_set: terms.named.as_ref().map(|named| named.as_str().to_owned()),
            pool: terms.pool.map(|pool| pool.to_string()),
            ratings: terms.ratings.clone(),
            pairing: terms.pairing.map(|pairing| ArchivedPairing {
                id: pairing.id.to_string(),
                kind: pairing.contest.word().to_owned(),
                contest: pairing.contest.id().to_string(),
                game: pairing.game,
                games: pairing.games,
            }),
            seats: terms.players.iter().map(|player| player.id.to_string()).collect(),
            former: former.collect(),
            chance_seed: Hex::of(&terms.chance_seed),
            example_seed: Hex::of(&terms.seed),
            finished_at,
            result,
            log,
        };
        archived.packed().map_err(Error::internal)
    };
    Ok(Some((matches.pool.run(Lane::Heavy, packed).await??, seq)))
}

/// The terms of a match, if all its entries are readable.
fn checked_terms(mut stored: StoredMatch) -> Result<MatchTerms> {
    let entries = std::mem::take(&mut stored.entries);
    let terms = terms(stored)?;
    for bytes in &entries {
        let _: Entry = entry(bytes, &terms)?;
    }
    Ok(terms)
}

/// The key that signs objects: the newest record key.
async fn newest_key(matches: &Matches) -> Result<std::sync::Arc<RecordKey>> {
    let now = matches.clock.now();
    let mut conn = matches.db.conn().await?;
    let kid = matches.keys.newest(&mut conn, now).await?;
    drop(conn);
    matches.keys.named(&matches.db, now, &kid).await
}
