//! Data for fair-play reports: the newest rated duels, seat by seat.
//!
//! They come from one index (`rating_changes_by_time`) in the order of time, up to a limit; then each row's match is
//! looked up by key. So the cost is independent of the ledger's length. PostgreSQL's planner would rather scan all
//! matches than look up a tenth of them, which this transaction prevents.

use std::collections::{HashMap, HashSet};

use broadside_contests::Pool;
use broadside_contests::rating_algorithm::Algorithm;
use broadside_rules::Time;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::db::{At, Db, Run, rows, sql};
use crate::error::{Error, Result};
use crate::ids::{AccountId, MatchId};
use crate::ratings::RatingChangeReason;
use crate::ratings::fair_play::{CalledOffDuel, RatedDuel};

rows! {
    struct Row {
        match_id: Uuid,
        paired_match_id: Option<Uuid>,
        revision: i16,
        reason: String,
        pool: String,
        at: At,
        account_id: Uuid,
        opponent: Option<Uuid>,
        place: Option<i32>,
        opponents_place: Option<i32>,
        opponents_before: Option<f64>,
        before_rating: f64,
        before_deviation: f64,
        after_rating: f64,
        ending: Option<String>,
        entries: i32,
    }
}

rows! {
    struct Substituted {
        match_id: Uuid,
    }

    struct CalledOff {
        match_id: Uuid,
        pool: String,
        account_id: Uuid,
        opponent: Uuid,
    }
}

/// Planner settings: only index scans.
const PLANNING: &str = "SELECT set_config(name, 'off', true) FROM unnest(ARRAY['enable_seqscan', 'enable_bitmapscan', 'enable_hashjoin', \
     'enable_mergejoin', 'enable_sort', 'jit']) AS names (name) UNION ALL SELECT set_config('max_parallel_workers_per_gather', '0', true)";

/// Changes rated since a time, in one pool or all, in the order of time, and whether they are complete: if there are
/// more than `most`, only the newest are read. Excludes annulled changes and matches of more than two seats.
pub async fn played(db: &Db, pool: Option<&Pool>, since: Time, most: u32) -> Result<(Vec<RatedDuel>, bool)> {
    let mut tx = db.begin().await?;
    diesel::sql_query(PLANNING).run(&mut tx).await?;
    let of_pool = if pool.is_some() { "AND pool = $3" } else { "AND $3 IS NULL" };
    let played = format!(
        "SELECT c.match_id, c.paired_match_id, c.revision, c.reason, c.pool, c.at, c.account_id, c.before_rating, c.before_deviation, c.after_rating, \
           (c.participants -> (1 - c.seat) ->> 'player_id')::uuid AS opponent, (c.participants -> c.seat::int ->> 'place')::int AS place, \
           (c.participants -> (1 - c.seat) ->> 'place')::int AS opponents_place, (c.participants -> (1 - c.seat) -> 'before' ->> 'rating')::float8 AS opponents_before, \
           CASE WHEN g.match_id IS NULL OR g.result ->> 'reason' = h.result ->> 'reason' THEN h.result ->> 'reason' END AS ending, \
           greatest(h.seq, g.seq, 0) AS entries \
         FROM (SELECT * FROM rating_changes WHERE at >= $1 {of_pool} ORDER BY at DESC LIMIT $2) AS c \
         LEFT JOIN match_heads AS h ON h.match_id = c.match_id LEFT JOIN match_heads AS g ON g.match_id = c.paired_match_id \
         ORDER BY c.at DESC"
    );
    let played = sql!(played, At(since), i32::try_from(most).map_err(Error::internal)?, pool.map(ToString::to_string));
    let mut rows: Vec<Row> = played.load(tx.sql()).await?;
    let ids: Vec<Uuid> = rows.iter().flat_map(|row| [Some(row.match_id), row.paired_match_id]).flatten().collect();
    let substituted = "SELECT DISTINCT match_id FROM former_players WHERE match_id = ANY ($1)";
    let substituted: Vec<Substituted> = sql!(substituted, ids).load(tx.sql()).await?;
    tx.roll_back().await?;
    // A match finished by a substitute was not ended by the rated player.
    let substituted: HashSet<Uuid> = substituted.into_iter().map(|row| row.match_id).collect();
    let is_substituted = |row: &Row| {
        substituted.contains(&row.match_id) || row.paired_match_id.is_some_and(|id| substituted.contains(&id))
    };
    rows.iter_mut().filter(|row| is_substituted(row)).for_each(|row| row.ending = None);
    let whole = rows.len() < most as usize;
    let annulments = rows.iter().filter(|row| row.reason == RatingChangeReason::Annulment.into_str());
    let annulled: HashSet<(Uuid, i16)> = annulments.map(|row| (row.match_id, row.revision)).collect();
    let valid = rows.into_iter().rev().filter(|row| !annulled.contains(&(row.match_id, row.revision)));
    // Many rows share few names.
    let mut duels: HashMap<String, Option<Pool>> = HashMap::new();
    let read = |row: Row| {
        let pool = || row.pool.parse().ok().filter(|pool: &Pool| !pool.many);
        let pool = *duels.entry(row.pool.clone()).or_insert_with(pool);
        read(row, pool?)
    };
    Ok((valid.filter_map(read).collect(), whole))
}

/// Rated duels called off by a player since a time, in one pool or all, in the order of time; if there are more than
/// `most`, the newest.
pub async fn called_off(db: &Db, pool: Option<&Pool>, since: Time, most: u32) -> Result<Vec<CalledOffDuel>> {
    let called_off = "SELECT h.match_id, m.pool, c.account_id, o.account_id AS opponent FROM match_heads AS h \
         JOIN matches AS m ON m.id = h.match_id JOIN match_seats AS c ON c.match_id = h.match_id AND c.account_id = ANY (h.at_fault) \
         JOIN match_seats AS o ON o.match_id = h.match_id AND o.seat <> c.seat \
         WHERE h.status = 'aborted' AND h.at_fault <> '{}' AND h.finished_at >= $1 AND m.pool IS NOT NULL AND ($3 IS NULL OR m.pool = $3) \
         ORDER BY h.finished_at DESC LIMIT $2";
    let most = i32::try_from(most).map_err(Error::internal)?;
    let mut conn = db.conn().await?;
    let rows: Vec<CalledOff> =
        sql!(called_off, At(since), most, pool.map(ToString::to_string)).load(conn.sql()).await?;
    let read = |row: CalledOff| {
        Some(CalledOffDuel {
            match_id: MatchId(row.match_id),
            pool: row.pool.parse().ok()?,
            account: AccountId(row.account_id),
            opponent: AccountId(row.opponent),
        })
    };
    Ok(rows.into_iter().rev().filter_map(read).collect())
}

/// `None` for the row of an annulment, which has no field.
fn read(row: Row, pool: Pool) -> Option<RatedDuel> {
    Some(RatedDuel {
        match_id: MatchId(row.match_id),
        pool,
        at: row.at.0,
        account: AccountId(row.account_id),
        opponent: AccountId(row.opponent?),
        place: u8::try_from(row.place?).ok()?,
        opponents_place: u8::try_from(row.opponents_place?).ok()?,
        before: row.before_rating,
        after: row.after_rating,
        opponents_before: row.opponents_before?,
        established: !Algorithm::of(&pool).is_provisional(row.before_deviation),
        ending: row.ending,
        entries: row.entries.unsigned_abs(),
    })
}
