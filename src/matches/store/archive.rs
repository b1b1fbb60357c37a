//! The archive's index: which matches are archived, and where.
//!
//! A match is wholly in one place at any moment: either its log and rules are in the tables, or a row of
//! `archived_matches` names their object and the part of it.

use std::collections::HashSet;

use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use serde_json::Value;
use uuid::Uuid;

use crate::archive::object::Location;
use crate::db::schema::{archive_objects, archived_matches, match_heads, match_log, matches};
use crate::db::{At, Conn, Run, Tx, rows, sql};
use crate::error::{Error, Result};
use crate::ids::MatchId;
use crate::matches::log_chain::LogChain;

rows! {
    struct Hot {
        match_id: Uuid,
        is_due: bool,
    }

    struct Named {
        match_id: Uuid,
    }
}

/// Matches whose logs are in the tables, after `after` by id, and whether each is due: finished before `before`, and
/// not restored since. Skips from match to match in the log's index, so archived matches cost nothing.
pub async fn hot_after(
    conn: &mut Conn,
    after: Option<MatchId>,
    before: Time,
    limit: i32,
) -> Result<Vec<(MatchId, bool)>> {
    // Each machine with distributed logs returns its first ones.
    let hot = if conn.is_distributed() {
        "SELECT l.match_id, l.is_over AND NOT EXISTS (SELECT 1 FROM match_results_due AS d WHERE d.match_id = l.match_id) AS is_due \
         FROM (SELECT l.match_id, coalesce(h.finished_at < $3, false) AND coalesce(a.restored_at < $3, true) AS is_over \
           FROM match_log AS l JOIN match_heads AS h ON h.match_id = l.match_id LEFT JOIN archived_matches AS a ON a.match_id = l.match_id \
           WHERE l.match_id > $1 AND l.seq = 1 ORDER BY l.match_id LIMIT $2) AS l ORDER BY l.match_id"
    } else {
        "WITH RECURSIVE hot (match_id, n) AS ( \
           (SELECT match_id, 1 FROM match_log WHERE match_id > $1 ORDER BY match_id LIMIT 1) \
           UNION ALL (SELECT next.match_id, hot.n + 1 FROM hot CROSS JOIN LATERAL \
             (SELECT match_id FROM match_log WHERE match_id > hot.match_id ORDER BY match_id LIMIT 1) AS next WHERE hot.n < $2)) \
         SELECT hot.match_id, coalesce(h.finished_at < $3, false) AND coalesce(a.restored_at < $3, true) \
             AND NOT EXISTS (SELECT 1 FROM match_results_due AS d WHERE d.match_id = hot.match_id) AS is_due \
         FROM hot LEFT JOIN match_heads AS h ON h.match_id = hot.match_id \
         LEFT JOIN archived_matches AS a ON a.match_id = hot.match_id ORDER BY hot.match_id"
    };
    let after = after.map_or(Uuid::nil(), |after| after.0);
    let rows: Vec<Hot> = sql!(hot, after, limit, At(before)).load(conn.sql()).await?;
    Ok(rows.into_iter().map(|row| (MatchId(row.match_id), row.is_due)).collect())
}

/// Records that an object is about to be written.
pub async fn announce(tx: &mut Tx, object: Uuid, now: Time) -> Result<()> {
    let columns =
        (archive_objects::id.eq(object), archive_objects::state.eq("writing"), archive_objects::created_at.eq(At(now)));
    diesel::insert_into(archive_objects::table).values(columns).run(tx).await
}

/// An object that was written and verified by reading it.
pub struct WrittenObject<'a> {
    pub id: Uuid,
    pub bytes: u64,
    /// The SHA-256 of its bytes.
    pub sha256: [u8; 32],
    /// Its matches: the length of each log, and its location.
    pub matches: &'a [(MatchId, u32, Location)],
}

/// Replaces the logs by locations. `None`: the object was abandoned, or another node was faster with all of it. A match
/// whose log has changed stays as it is; its part of the object is unused.
pub async fn keep(tx: &mut Tx, object: &WrittenObject<'_>) -> Result<Option<u32>> {
    let (mut ids, mut seqs) = (Vec::new(), Vec::new());
    for (id, length, _) in object.matches {
        ids.push(id.0);
        seqs.push(i32::try_from(*length).map_err(Error::internal)?);
    }
    // The heads first, in the common lock order.
    let lock = if tx.is_distributed() {
        "UPDATE match_heads AS h SET seq = h.seq FROM unnest($1, $2) AS i (match_id, seq) WHERE h.match_id = ANY ($1) \
         AND i.match_id = h.match_id AND h.seq = i.seq AND h.finished_at IS NOT NULL \
         AND EXISTS (SELECT 1 FROM match_log AS l WHERE l.match_id = h.match_id) RETURNING h.match_id"
    } else {
        "SELECT h.match_id FROM match_heads AS h JOIN unnest($1, $2) AS i (match_id, seq) ON i.match_id = h.match_id \
         WHERE h.seq = i.seq AND h.finished_at IS NOT NULL AND EXISTS (SELECT 1 FROM match_log AS l WHERE l.match_id = h.match_id) \
         ORDER BY h.match_id FOR UPDATE OF h"
    };
    let locked: Vec<Named> = sql!(lock, ids, seqs).load(tx.sql()).await?;
    let locked: Vec<Uuid> = locked.into_iter().map(|row| row.match_id).collect();
    // After the wait for these locks, only a new statement sees the current logs.
    let delete = "WITH gone AS (DELETE FROM match_log WHERE match_id = ANY ($1) RETURNING match_id) SELECT DISTINCT match_id FROM gone";
    let gone: Vec<Named> = sql!(delete, locked).load(tx.sql()).await?;
    let gone: HashSet<Uuid> = gone.into_iter().map(|row| row.match_id).collect();
    let locations: Vec<_> = object.matches.iter().filter(|(id, ..)| gone.contains(&id.0)).collect();
    let kept = (
        archive_objects::state.eq("kept"),
        archive_objects::matches.eq(i32::try_from(object.matches.len()).map_err(Error::internal)?),
        archive_objects::bytes.eq(i64::try_from(object.bytes).map_err(Error::internal)?),
        archive_objects::sha256.eq(object.sha256.as_slice()),
    );
    let own = archive_objects::table.find(object.id).filter(archive_objects::state.eq("writing"));
    if locations.is_empty() || diesel::update(own).set(kept).execute(tx.sql()).await? != 1 {
        return Ok(None);
    }
    let mut rows = Vec::with_capacity(locations.len());
    for (id, _, location) in &locations {
        let number = |number: u32| i32::try_from(number).map_err(Error::internal);
        rows.push((
            archived_matches::match_id.eq(id.0),
            archived_matches::object_id.eq(location.object),
            archived_matches::byte_offset.eq(number(location.offset)?),
            archived_matches::byte_length.eq(number(location.length)?),
            archived_matches::sha256.eq(location.sha256.to_vec()),
        ));
    }
    let ids: Vec<Uuid> = locations.iter().map(|(id, ..)| id.0).collect();
    // A restored match still has its earlier row.
    diesel::delete(archived_matches::table.filter(archived_matches::match_id.eq_any(&ids))).run(tx).await?;
    diesel::insert_into(archived_matches::table).values(rows).run(tx).await?;
    diesel::update(matches::table.filter(matches::id.eq_any(&ids)))
        .set(matches::rule_set.eq(Value::Null))
        .run(tx)
        .await?;
    Ok(Some(u32::try_from(locations.len()).unwrap_or(u32::MAX)))
}

/// Objects for the job to remove: those begun before `before` and never used, and abandoned ones.
pub async fn orphans(conn: &mut Conn, before: Time) -> Result<Vec<Uuid>> {
    let unused = archive_objects::state.eq("writing").and(archive_objects::created_at.lt(At(before)));
    Ok(archive_objects::table
        .filter(archive_objects::state.eq("abandoned").or(unused))
        .order(archive_objects::id)
        .select(archive_objects::id)
        .limit(100)
        .load(conn.sql())
        .await?)
}

/// Abandons an object, so that it can't be used any more. False: it is in use.
pub async fn abandon(tx: &mut Tx, object: Uuid) -> Result<bool> {
    let own = archive_objects::table.find(object).filter(archive_objects::state.ne("kept"));
    Ok(diesel::update(own).set(archive_objects::state.eq("abandoned")).execute(tx.sql()).await? == 1)
}

/// Deletes the row of an abandoned object that was removed.
pub async fn forget(tx: &mut Tx, object: Uuid) -> Result<()> {
    let own = archive_objects::table.find(object).filter(archive_objects::state.eq("abandoned"));
    diesel::delete(own).run(tx).await
}

/// Puts a log and rules back into the tables; `chain` is the running hash before the first entry. False: they are
/// already there.
pub async fn restore(
    tx: &mut Tx,
    id: MatchId,
    rules: Value,
    (mut chain, entries): (LogChain, &[Vec<u8>]),
    now: Time,
) -> Result<bool> {
    let head = match_heads::table.find(id.0).select(match_heads::match_id).for_update();
    head.first::<Uuid>(tx.sql()).await?;
    let own = archived_matches::table.find(id.0).filter(archived_matches::restored_at.is_null());
    if diesel::update(own).set(archived_matches::restored_at.eq(At(now))).execute(tx.sql()).await? != 1 {
        return Ok(false);
    }
    let row = |(seq, entry): (i32, &Vec<u8>)| {
        chain = chain.with(entry);
        let (entry, chain) = (match_log::entry.eq(entry.clone()), match_log::chain.eq(chain.as_bytes().to_vec()));
        (match_log::match_id.eq(id.0), match_log::seq.eq(seq), entry, chain)
    };
    let rows: Vec<_> = (1..).zip(entries).map(row).collect();
    for rows in rows.chunks(1000) {
        diesel::insert_into(match_log::table).values(rows.to_vec()).run(tx).await?;
    }
    diesel::update(matches::table.find(id.0)).set(matches::rule_set.eq(rules)).run(tx).await?;
    Ok(true)
}

/// The kept objects after `after`, by name, with their SHA-256.
pub async fn objects_after(conn: &mut Conn, after: Uuid, limit: i64) -> Result<Vec<(Uuid, Vec<u8>)>> {
    let kept = archive_objects::table.filter(archive_objects::state.eq("kept").and(archive_objects::id.gt(after)));
    let rows: Vec<(Uuid, Option<Vec<u8>>)> = kept
        .order(archive_objects::id)
        .limit(limit)
        .select((archive_objects::id, archive_objects::sha256))
        .load(conn.sql())
        .await?;
    Ok(rows.into_iter().map(|(id, sha256)| (id, sha256.unwrap_or_default())).collect())
}

/// The names of all objects in the tables, in any state.
pub async fn known_objects(conn: &mut Conn) -> Result<Vec<Uuid>> {
    Ok(archive_objects::table.select(archive_objects::id).load(conn.sql()).await?)
}

/// The locations of these matches; those without one are left out.
pub async fn locations(conn: &mut Conn, ids: &[MatchId]) -> Result<Vec<(MatchId, Location)>> {
    type Row = (Uuid, Uuid, i32, i32, Vec<u8>);
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let rows: Vec<Row> = archived_matches::table
        .filter(archived_matches::match_id.eq_any(ids))
        .select((
            archived_matches::match_id,
            archived_matches::object_id,
            archived_matches::byte_offset,
            archived_matches::byte_length,
            archived_matches::sha256,
        ))
        .load(conn.sql())
        .await?;
    let read = |(id, object, offset, length, sha256): Row| {
        let sha256 = sha256.try_into().map_err(|_| Error::internal("a hash has not 32 bytes"))?;
        let location = Location { object, offset: offset.unsigned_abs(), length: length.unsigned_abs(), sha256 };
        Ok((MatchId(id), location))
    };
    rows.into_iter().map(read).collect()
}

/// The number of matches with a location, including restored ones.
pub async fn placed(conn: &mut Conn) -> Result<u64> {
    let count: i64 = archived_matches::table.count().get_result(conn.sql()).await?;
    Ok(count.unsigned_abs())
}

rows! {
    struct Counts {
        running: i64,
        hot: i64,
        archived: i64,
        oldest_hot: Option<At>,
        oldest_archived: Option<At>,
        newest_archived: Option<At>,
    }

    struct ObjectCounts {
        kept: i64,
        unused: i64,
        bytes: i64,
        log_bytes: i64,
    }
}

pub struct ArchiveStatus {
    /// Running matches.
    pub running: u64,
    /// Finished matches whose logs are in the tables.
    pub hot: u64,
    /// The end of the oldest hot match.
    pub oldest_hot: Option<Time>,
    /// Matches whose logs are in the archive.
    pub archived: u64,
    /// The end of the oldest archived match.
    pub oldest_archived: Option<Time>,
    /// The end of the newest archived match.
    pub newest_archived: Option<Time>,
    /// Kept objects.
    pub objects: u64,
    /// The total size of kept objects, in bytes.
    pub object_bytes: u64,
    /// Objects that were begun and not used.
    pub unused_objects: u64,
    /// The size of the logs in the tables with their index, in bytes.
    pub log_bytes: u64,
}

/// Computes the counts. It reads the heads of all matches.
pub async fn status(conn: &mut Conn) -> Result<ArchiveStatus> {
    let counts = "SELECT count(*) FILTER (WHERE h.finished_at IS NULL) AS running, \
           count(*) FILTER (WHERE h.finished_at IS NOT NULL AND a.match_id IS NULL) AS hot, count(a.match_id) AS archived, \
           min(h.finished_at) FILTER (WHERE a.match_id IS NULL) AS oldest_hot, \
           min(h.finished_at) FILTER (WHERE a.match_id IS NOT NULL) AS oldest_archived, \
           max(h.finished_at) FILTER (WHERE a.match_id IS NOT NULL) AS newest_archived \
         FROM match_heads AS h LEFT JOIN archived_matches AS a ON a.match_id = h.match_id AND a.restored_at IS NULL";
    let counts: Counts = diesel::sql_query(counts).get_result(conn.sql()).await?;
    let size = if conn.is_distributed() { "citus_total_relation_size" } else { "pg_total_relation_size" };
    let objects = format!(
        "SELECT count(*) FILTER (WHERE state = 'kept') AS kept, count(*) FILTER (WHERE state <> 'kept') AS unused, \
         coalesce(sum(bytes), 0)::bigint AS bytes, {size}('match_log') AS log_bytes FROM archive_objects"
    );
    let objects: ObjectCounts = diesel::sql_query(objects).get_result(conn.sql()).await?;
    let time = |at: Option<At>| at.map(Time::from);
    Ok(ArchiveStatus {
        running: counts.running.unsigned_abs(),
        hot: counts.hot.unsigned_abs(),
        oldest_hot: time(counts.oldest_hot),
        archived: counts.archived.unsigned_abs(),
        oldest_archived: time(counts.oldest_archived),
        newest_archived: time(counts.newest_archived),
        objects: objects.kept.unsigned_abs(),
        object_bytes: objects.bytes.unsigned_abs(),
        unused_objects: objects.unused.unsigned_abs(),
        log_bytes: objects.log_bytes.unsigned_abs(),
    })
}

pub async fn is_any_archived(conn: &mut Conn) -> Result<bool> {
    let any =
        archived_matches::table.filter(archived_matches::restored_at.is_null()).select(archived_matches::match_id);
    Ok(diesel::select(diesel::dsl::exists(any)).get_result(conn.sql()).await?)
}
