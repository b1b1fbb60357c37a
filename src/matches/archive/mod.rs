//! Archiving of old matches: their logs move from the tables into objects of the archive ([`crate::archive`]),
//! and everything that reads one gets it from there. All that lists, statistics, ratings and contests need stays.
//!
//! | step | what it does | file |
//! |---|---|---|
//! | pack | the job: matches that are due go into an object, and its locations take the place of the logs | [`pack`] |
//! | read | a match with its log, wherever that is | here |
//! | restore | a match comes back into the tables, because something is to be written, or an operator wants it | here |
//! | check | the locations, and the integrity of every object | [`check`] |
//!
//! A match is wholly in one place at any moment. An object is written and read back first; then one transaction writes
//! the locations and deletes the logs. A node that dies in between leaves an object that nothing refers to, and whose
//! name is noted: the job removes it. An object that was ever used is never removed, because a backup of the database
//! may refer to it.

pub mod check;
pub mod pack;

use bytes::Bytes;
use sha2::{Digest, Sha256};

use super::access::Access;
use super::log_chain::LogChain;
use super::store::archive as store;
use super::store::load::{self, LoadedMatch};
use super::{Matches, StoredMatch, damaged};
use crate::archive::not_configured;
use crate::archive::object::{ArchivedMatch, Location};
use crate::db::PublicRead;
use crate::error::{Error, Result};
use crate::ids::MatchId;
use crate::work_pool::Lane;

pub(super) use pack::Walk;

/// The error for a missing object: a retry doesn't help.
const GONE: &str = "is no longer in the archive";

impl Matches {
    /// A match with its whole log, from the tables or the archive. `None`: it does not exist. `unavailable` while it is
    /// in the archive, and that can't be reached.
    pub(crate) async fn stored(&self, id: MatchId) -> Result<Option<StoredMatch>> {
        let mut conn = self.db.conn().await?;
        let loaded = load::load(&mut conn, id).await?;
        // No connection is held while waiting for the archive.
        drop(conn);
        match loaded {
            Some(loaded) => self.whole(id, loaded).await.map(Some),
            None => Ok(None),
        }
    }

    /// [`Self::stored`] for a finished match, possibly from a replica.
    pub(super) async fn stored_ended(&self, access: &Access) -> Result<StoredMatch> {
        let load = async |conn: &mut PublicRead| load::load_ended(conn, access).await;
        let loaded = self.public_reads.read(load).await?;
        self.whole(access.id, loaded).await
    }

    async fn whole(&self, id: MatchId, loaded: LoadedMatch) -> Result<StoredMatch> {
        let archived = match loaded.archived {
            None => None,
            Some(location) => Some(self.archived(id, location).await?.log().map_err(|error| damaged(id, error))?),
        };
        loaded.with(archived)
    }

    /// The match at a location in the archive, verified.
    async fn archived(&self, id: MatchId, location: Location) -> Result<ArchivedMatch> {
        let archive = self.archive.as_ref().ok_or_else(not_configured)?;
        let part = archive.part(&location).await?;
        let part = part.ok_or_else(|| damaged(id, format_args!("the object {} {GONE}", location.object)))?;
        self.pool.run(Lane::Heavy, move || read(id, &location, &part)).await?
    }
}

fn read(id: MatchId, location: &Location, part: &Bytes) -> Result<ArchivedMatch> {
    let damaged = |what: &str| damaged(id, format_args!("in the object {}: {what}", location.object));
    if <[u8; 32]>::from(Sha256::digest(part)) != location.sha256 {
        return Err(damaged("its bytes are not those that were written"));
    }
    let read = ArchivedMatch::read(part).map_err(|error| damaged(&error))?;
    if read.header.match_id == id.to_string() { Ok(read) } else { Err(damaged("it is another match")) }
}

/// Puts a match back into the tables. False: it is already there. It stays as long as a newly finished match.
pub async fn restore(matches: &Matches, id: MatchId) -> Result<bool> {
    let mut conn = matches.db.conn().await?;
    let loaded = load::load(&mut conn, id).await?.ok_or_else(Error::not_found)?;
    drop(conn);
    let Some(location) = loaded.archived else { return Ok(false) };
    let (rules, entries) = matches.archived(id, location).await?.log().map_err(|error| damaged(id, error))?;
    let stored = loaded.with(Some((rules, entries)))?;
    let (rules, chain) = (stored.rules, LogChain::new(&stored.chance_seed));
    let rules = serde_json::to_value(&rules).map_err(Error::internal)?;
    let mut tx = matches.db.begin().await?;
    let restored = store::restore(&mut tx, id, rules, (chain, &stored.entries), matches.clock.now()).await?;
    tx.commit().await?;
    Ok(restored)
}
