//! The statement that appends entries to the logs of many matches at once.
//!
//! An entry is one row appended to the log, one rewritten row of `match_heads`, and one row per notified account. All
//! of it is guarded by the expected log length: if another writer was faster, nothing is written.
//!
//! The statement is hand-written, because diesel prepares neither `sql_query` nor its `update()` builder once for all,
//! and preparing again each time halves the throughput.

use std::collections::HashSet;

use broadside_rules::Time;
use diesel::pg::Pg;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel::sql_types::{Array, Binary, Integer, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use serde_json::Value;
use uuid::Uuid;

use crate::db::{At, Tx, bind_all};
use crate::error::Result;
use crate::events::Notification;
use crate::ids::{AccountId, MatchId};
use crate::matches::log_chain::LogChain;
use crate::matches::results::SeatResult;
use crate::matches::store::results::ResultColumns;
use crate::matches::store::spread;

/// A judged entry that is to be written.
pub struct PendingEntry {
    pub match_id: MatchId,
    /// The number of the new entry: one more than the judged log's length.
    pub seq: u32,
    pub entry: Vec<u8>,
    /// The running hash of the log before and after it.
    pub chain: [LogChain; 2],
    /// The resulting head, for lists and the clock.
    pub head: MatchHead,
    /// The idempotency key that it spends, if any: the key's id and the request's fingerprint.
    pub spends: Option<([u8; 32], [u8; 32])>,
    /// The time of the judgement.
    pub at: Time,
    /// Notifications for the accounts of its seats.
    pub told: Vec<Notification>,
    /// Each seat's result; empty if the entry doesn't end the match.
    pub results: Vec<SeatResult>,
}

/// The state of a match that lists and the clock need.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchHead {
    /// deploying, playing, finished or aborted.
    pub status: &'static str,
    /// Bit n: seat n must act.
    pub to_act: i32,
    /// The deadline of the first seat that must act.
    pub deadline: Option<Time>,
    pub started_at: Option<Time>,
    pub finished_at: Option<Time>,
    pub result: Option<Value>,
    /// The players responsible for a time-out or for calling the match off.
    pub at_fault: Vec<AccountId>,
    /// The next time at which the clock must look at it, if no player acts first.
    pub wake_at: Option<Time>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WriteResult {
    Committed,
    /// Nothing was written: another writer was faster, or the idempotency key was already spent.
    Conflict,
}

impl WriteResult {
    pub(super) const fn of(lasts: bool) -> Self {
        if lasts { Self::Committed } else { Self::Conflict }
    }
}

/// Writes one entry as part of the caller's transaction. After a conflict the transaction must be rolled back.
pub async fn write_in(tx: &mut Tx, entry: &PendingEntry) -> Result<WriteResult> {
    let written =
        if tx.is_distributed() { spread::write(tx.sql(), &[entry]).await } else { write_one(tx, entry).await };
    match written {
        Ok(ids) => Ok(WriteResult::of(!ids.is_empty())),
        Err(error) if crate::db::is_duplicate(&error) => Ok(WriteResult::Conflict),
        Err(error) => Err(error.into()),
    }
}

async fn write_one(tx: &mut Tx, entry: &PendingEntry) -> QueryResult<HashSet<Uuid>> {
    // The plan determines the lock order, so this transaction needs the writer's plan.
    tx.sql().batch_execute(&PLANNING.replace("SET ", "SET LOCAL ")).await?;
    EntryBatch::of(&[entry]).write(tx.sql()).await
}

/// Planner settings of the writer's connection. The statement is planned once for any number of entries (by default,
/// PostgreSQL plans again for each number, which takes longer than execution), and rows are found by key: a plan made
/// while the tables are small would use sequential scans, and stay.
pub(super) const PLANNING: &str = "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_bitmapscan = off; \
     SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off";

/// The entries of a statement, column by column.
#[derive(Default)]
pub(super) struct EntryBatch {
    heads: HeadColumns,
    entries: Vec<Vec<u8>>,
    chains: Vec<Vec<u8>>,
    key_ids: Vec<Option<Vec<u8>>>,
    fingerprints: Vec<Option<Vec<u8>>>,
    at: Vec<At>,
    told: NotificationColumns,
    seat_results: ResultColumns,
    /// The time of the latest judgement.
    newest: Option<At>,
    any_keys: bool,
    any_ends: bool,
}

/// The resulting heads, column by column.
#[derive(Default)]
pub(super) struct HeadColumns {
    match_ids: Vec<Uuid>,
    seqs: Vec<i32>,
    statuses: Vec<&'static str>,
    to_act: Vec<i32>,
    deadlines: Vec<Option<At>>,
    started: Vec<Option<At>>,
    finished: Vec<Option<At>>,
    results: Vec<Option<Value>>,
    /// SQL text of one array per row: an array of arrays would lose the rows.
    at_fault: Vec<String>,
    wake_at: Vec<Option<At>>,
    /// The running hash of the log before the entry.
    follows: Vec<Vec<u8>>,
    looks_back: Vec<i32>,
}

/// The notifications of a statement, column by column: a row per notified account and entry, in the order of the
/// accounts.
#[derive(Default)]
struct NotificationColumns {
    match_ids: Vec<Uuid>,
    accounts: Vec<Uuid>,
    counts: Vec<i32>,
    lines: Vec<String>,
    /// True if two entries notify the same account.
    any_twice: bool,
}

impl EntryBatch {
    pub(super) fn of(entries: &[&PendingEntry]) -> Self {
        let mut all = Self::default();
        for what in entries {
            all.entries.push(what.entry.clone());
            all.chains.push(what.chain[1].as_bytes().to_vec());
            all.key_ids.push(what.spends.map(|(id, _)| id.to_vec()));
            all.fingerprints.push(what.spends.map(|(_, fingerprint)| fingerprint.to_vec()));
            all.at.push(At(what.at));
            all.any_keys |= what.spends.is_some();
            all.any_ends |= what.head.finished_at.is_some();
        }
        all.heads = HeadColumns::of(entries);
        all.newest = entries.iter().map(|entry| entry.at).max().map(At);
        all.told = NotificationColumns::of(entries);
        all.seat_results = ResultColumns::of(entries.iter().flat_map(|entry| &entry.results));
        all
    }

    /// Executes the statement, and returns the matches whose entry was written.
    pub(super) async fn write(self, conn: &mut AsyncPgConnection) -> QueryResult<HashSet<Uuid>> {
        let lasting: Vec<Uuid> = self.get_results(conn).await?;
        Ok(lasting.into_iter().collect())
    }
}

impl HeadColumns {
    /// The column names, in binding order.
    pub(super) const NAMES: &str = "match_id, seq, status, to_act, deadline, started_at, finished_at, result, at_fault, check_at, follows, looks_back";
    pub(super) const REWRITE: &str = "UPDATE match_heads AS h SET seq = i.seq, status = i.status, to_act = i.to_act, deadline = i.deadline, \
         started_at = i.started_at, finished_at = i.finished_at, result = i.result, at_fault = i.at_fault::uuid[], \
         check_at = CASE WHEN i.finished_at IS NOT NULL THEN NULL \
                        WHEN i.check_at < h.check_at OR h.check_at IS NULL THEN i.check_at ELSE h.check_at END FROM unnest(";

    pub(super) fn of(entries: &[&PendingEntry]) -> Self {
        let mut all = Self::default();
        for what in entries {
            all.match_ids.push(what.match_id.0);
            all.seqs.push(i32::try_from(what.seq).unwrap_or(i32::MAX));
            all.statuses.push(what.head.status);
            all.to_act.push(what.head.to_act);
            all.deadlines.push(what.head.deadline.map(At));
            all.started.push(what.head.started_at.map(At));
            all.finished.push(what.head.finished_at.map(At));
            all.results.push(what.head.result.clone());
            let at_fault: Vec<String> = what.head.at_fault.iter().map(|account| account.0.to_string()).collect();
            all.at_fault.push(format!("{{{}}}", at_fault.join(",")));
            all.wake_at.push(what.head.wake_at.map(At));
            all.follows.push(what.chain[0].as_bytes().to_vec());
            all.looks_back.push(looks_back(what.seq));
        }
        all
    }

    pub(super) fn walk<'b>(&'b self, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        bind_all!(out: Array<SqlUuid> = &self.match_ids, Array<Integer> = &self.seqs, Array<Text> = &self.statuses,
            Array<Integer> = &self.to_act, Array<Nullable<Timestamptz>> = &self.deadlines,
            Array<Nullable<Timestamptz>> = &self.started, Array<Nullable<Timestamptz>> = &self.finished,
            Array<Nullable<Jsonb>> = &self.results, Array<Text> = &self.at_fault,
            Array<Nullable<Timestamptz>> = &self.wake_at, Array<Binary> = &self.follows, Array<Integer> = &self.looks_back);
        Ok(())
    }
}

/// The number of preceding entries to count. Counting all would make the cost of a move grow with the match, so only
/// each 16th move counts. A gap among the last 16 entries stops the match at once, an older one within 16 moves.
fn looks_back(seq: u32) -> i32 {
    const NEAR: u32 = 16;
    let before = seq.saturating_sub(1);
    let looked_for = if seq.is_multiple_of(NEAR) { before } else { before.min(NEAR) };
    i32::try_from(looked_for).unwrap_or(i32::MAX)
}

impl NotificationColumns {
    fn of(entries: &[&PendingEntry]) -> Self {
        let told = entries.iter().flat_map(|entry| entry.told.iter().map(|told| (told, entry.match_id)));
        let mut told: Vec<_> = told.collect();
        told.sort_unstable_by_key(|(told, id)| (told.account, *id));
        let mut all = Self::default();
        for (told, match_id) in told {
            all.any_twice |= all.accounts.last() == Some(&told.account.0);
            all.match_ids.push(match_id.0);
            all.accounts.push(told.account.0);
            all.counts.push(told.count);
            all.lines.push(told.lines.clone());
        }
        all
    }
}

macro_rules! whole {
    () => {
        " WHERE h.match_id = i.match_id AND h.seq = i.seq - 1 \
         AND (SELECT count(*) FROM match_log AS l WHERE l.match_id = i.match_id AND l.seq >= i.seq - i.looks_back) = i.looks_back \
         AND (i.seq = 1 OR i.follows = (SELECT CASE WHEN b.chain IS NULL OR substr(sha256(b.chain || l.entry), 1, 16) = l.chain THEN l.chain END \
           FROM match_log AS l LEFT JOIN match_log AS b ON b.match_id = l.match_id AND b.seq = l.seq - 1 \
           WHERE l.match_id = i.match_id AND l.seq = i.seq - 1))"
    };
}

macro_rules! logged {
    () => {
        "logged AS (INSERT INTO match_log (match_id, seq, entry, chain) SELECT match_id, seq, entry, chain FROM moved)"
    };
}

/// Guards the rewrite, and logs the accepted entries. The end of the log must exist, and its last entry must be the one
/// that was judged: nothing is written after a gap.
const LOGGED: &str = concat!(whole!(), " RETURNING i.*), ", logged!());

/// [`LOGGED`] with idempotency keys, which must be unspent, and are spent.
const LOGGED_AND_SPENT: &str = concat!(
    whole!(),
    " AND (i.key_id IS NULL OR NOT EXISTS (SELECT 1 FROM idempotency_keys AS k WHERE k.id = i.key_id)) RETURNING i.*), ",
    logged!(),
    ", spent AS (INSERT INTO idempotency_keys (id, fingerprint, created_at, match_id, seq) \
       SELECT key_id, fingerprint, at, match_id, seq FROM moved WHERE key_id IS NOT NULL RETURNING seq)"
);

const ENDED: &str = ", ended AS (UPDATE match_seats AS s SET running = false FROM moved AS m \
     WHERE s.match_id = m.match_id AND m.finished_at IS NOT NULL RETURNING s.seat)";

/// The notifications per account: by one entry each, or by several.
const TOLD_ONCE: &str = ", told AS (SELECT t.account_id, t.count, t.lines FROM unnest(";
const TOLD_TWICE: &str = ", told AS (SELECT t.account_id, sum(t.count)::int AS count, \
     string_agg(t.lines, E'\\n' ORDER BY t.match_id) AS lines FROM unnest(";

/// Restricts notifications to the accepted entries. The match is looked up in an array, which is much faster than a
/// nested-loop join.
const OF_MOVED: &str =
    ") AS t (match_id, account_id, count, lines) WHERE t.match_id = ANY (ARRAY (SELECT match_id FROM moved))";

/// Takes the event numbers from the counters. Every statement and every node locks them in the order of the accounts,
/// as the rows of `told` come, after heads, keys and seats (which are therefore counted first). Other transactions lock
/// them last, in the same order. So there are no deadlocks.
const COUNTED: &str = "), counted AS (UPDATE event_counters AS c SET newest = c.newest + told.count FROM told \
     WHERE c.account_id = told.account_id RETURNING c.account_id, c.newest, told.count, told.lines), \
     noted AS (INSERT INTO account_events (account_id, number, count, at, lines) SELECT account_id, newest, count, ";

/// Leaves out rare parts that no entry needs: opening a table and its indexes takes as long as writing some rows. So
/// there are eight statements, each prepared once, and told apart by their text.
impl QueryFragment<Pg> for EntryBatch {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("WITH moved AS (");
        out.push_sql(HeadColumns::REWRITE);
        self.heads.walk(&mut out)?;
        out.push_sql(", ");
        bind_all!(out: Array<Binary> = &self.entries, Array<Binary> = &self.chains);
        if self.any_keys {
            out.push_sql(", ");
            bind_all!(out: Array<Nullable<Binary>> = &self.key_ids, Array<Nullable<Binary>> = &self.fingerprints,
                Array<Timestamptz> = &self.at);
        }
        out.push_sql(") AS i (");
        out.push_sql(HeadColumns::NAMES);
        out.push_sql(if self.any_keys { ", entry, chain, key_id, fingerprint, at)" } else { ", entry, chain)" });
        out.push_sql(if self.any_keys { LOGGED_AND_SPENT } else { LOGGED });
        if self.any_ends {
            out.push_sql(ENDED);
            self.seat_results.walk(&mut out)?;
        }
        out.push_sql(if self.told.any_twice { TOLD_TWICE } else { TOLD_ONCE });
        bind_all!(out: Array<SqlUuid> = &self.told.match_ids, Array<SqlUuid> = &self.told.accounts,
            Array<Integer> = &self.told.counts, Array<Text> = &self.told.lines);
        out.push_sql(OF_MOVED);
        if self.any_keys {
            out.push_sql(" AND (SELECT count(*) FROM spent) >= 0");
        }
        if self.any_ends {
            out.push_sql(" AND (SELECT count(*) FROM ended) >= 0");
        }
        if self.told.any_twice {
            out.push_sql(" GROUP BY t.account_id ORDER BY t.account_id");
        }
        out.push_sql(COUNTED);
        out.push_bind_param::<Nullable<Timestamptz>, _>(&self.newest)?;
        out.push_sql(", lines FROM counted) SELECT match_id FROM moved");
        Ok(())
    }
}

impl QueryId for EntryBatch {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl Query for EntryBatch {
    type SqlType = SqlUuid;
}
