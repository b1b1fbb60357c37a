//! The write path of every action in a match: the moves of a moment, from many matches, in one statement.
//!
//! A move is one row appended to the log, one row of `match_heads` rewritten, and one row for each account that hears of it, guarded by the number of entries
//! that the writer believes in: if somebody else was faster, nothing of the move happens. While one statement is under way the next moves gather, so a busy node
//! sends few large statements and an idle one sends each move at once; nobody waits for a timer.
//!
//! The statement is hand-written with a static query id, because diesel prepares neither `sql_query` nor its `update()` builder once for all, and
//! preparing again each time halves the rate.

use std::collections::HashSet;

use broadside_rules::Time;
use diesel::pg::Pg;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel::sql_types::{Array, Binary, Bool, Integer, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;

use super::time::At;
use super::{Db, Tx};
use crate::error::{Error, Result};
use crate::events::{Hints, Told};
use crate::ids::MatchId;

/// How many moves one statement takes at most.
const GATHER_AT_MOST: usize = 256;

/// One action that was judged and wants to last.
pub struct Move {
    /// The match.
    pub match_id: MatchId,
    /// The number of the new entry: one more than the entries that the judgement knew.
    pub seq: u32,
    /// The entry, encoded.
    pub entry: Vec<u8>,
    /// What lists and the clock need to know afterwards.
    pub head: Head,
    /// The idempotency key that it spends, if any: its id and the request's fingerprint.
    pub spends: Option<([u8; 32], [u8; 32])>,
    /// When it was judged.
    pub at: Time,
    /// What the accounts of its seats hear of it.
    pub told: Vec<Told>,
}

/// What lists and the clock need to know of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    /// deploying, playing, finished or aborted.
    pub status: &'static str,
    /// Bit n: seat n must act.
    pub to_act: i32,
    /// When time runs out for somebody.
    pub deadline: Option<Time>,
    /// When the battle began.
    pub started_at: Option<Time>,
    /// When it was over.
    pub finished_at: Option<Time>,
    /// How it ended.
    pub result: Option<Value>,
    /// Bit n: seat n ran out of time.
    pub timed_out: i32,
}

/// What became of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Written {
    /// It is in the log, once and for ever.
    Lasting,
    /// Nothing has happened: somebody was faster, or the idempotency key has been spent.
    Clash,
}

struct Job {
    what: Move,
    answer: oneshot::Sender<Result<Written>>,
}

/// Takes moves and answers when they last.
#[derive(Clone)]
pub struct Writer {
    jobs: mpsc::UnboundedSender<Job>,
}

impl Writer {
    /// Starts the writer, with a connection of its own. It ends when the last [`Writer`] is dropped and the queue is empty. There is one, since a
    /// second makes the statements smaller and not more: measured at 16 matches, one writes a fifth more moves than two.
    pub fn start(db: &Db, hints: &Hints) -> Self {
        // The queue is bounded by the requests under way: each holds at most one move.
        let (jobs, queue) = mpsc::unbounded_channel();
        tokio::spawn(work(db.clone(), hints.clone(), queue));
        Self { jobs }
    }

    /// Writes one move. An error means that it is not known whether it lasts (the connection broke): the match has to be read again.
    pub async fn write(&self, what: Move) -> Result<Written> {
        let (answer, answered) = oneshot::channel();
        let stopped = || Error::unavailable("the writer of moves has stopped");
        self.jobs.send(Job { what, answer }).map_err(|_| stopped())?;
        answered.await.map_err(|_| stopped())?
    }
}

async fn work(db: Db, hints: Hints, mut queue: mpsc::UnboundedReceiver<Job>) {
    let mut connection: Option<AsyncPgConnection> = None;
    let mut jobs = Vec::new();
    loop {
        if queue.recv_many(&mut jobs, GATHER_AT_MOST).await == 0 {
            return;
        }
        metrics::histogram!("moves_in_one_statement").record(jobs.len() as f64);
        write_all(&db, &hints, &mut connection, std::mem::take(&mut jobs)).await;
    }
}

/// Writes the jobs in one statement. If the statement fails as a whole, each is tried by itself, so that one bad move doesn't spoil the others.
async fn write_all(db: &Db, hints: &Hints, connection: &mut Option<AsyncPgConnection>, jobs: Vec<Job>) {
    // One statement changes a row once; a second move of the same match can only clash with the first.
    let mut seen = HashSet::new();
    let (mut jobs, late): (Vec<_>, Vec<_>) = jobs.into_iter().partition(|job| seen.insert(job.what.match_id));
    // Every node locks the rows in one order, so that two of them can't wait for each other.
    jobs.sort_unstable_by_key(|job| job.what.match_id);
    late.into_iter().for_each(|job| answer(hints, job, Ok(Written::Clash)));

    match execute(db, connection, &jobs).await {
        Ok(lasting) => {
            for job in jobs {
                let written = outcome(Ok(&lasting), &job);
                answer(hints, job, written);
            }
        }
        // The connection broke: the statement may or may not have taken effect, and nobody can tell from here.
        Err(error) if connection.is_none() => {
            tracing::error!(%error, moves = jobs.len(), "the connection broke while moves were written");
            for job in jobs {
                answer(hints, job, Err(Error::unavailable("the connection broke while moves were written")));
            }
        }
        // The statement was refused, so nothing of it happened: two matches raced for one idempotency key, say.
        Err(_) => {
            for job in jobs {
                let alone = execute(db, connection, std::slice::from_ref(&job)).await;
                let written = outcome(alone.as_ref().map_err(ToString::to_string), &job);
                let is_duplicate = alone.as_ref().is_err_and(super::is_duplicate);
                answer(hints, job, if is_duplicate { Ok(Written::Clash) } else { written });
            }
        }
    }
}

fn outcome(lasting: std::result::Result<&HashSet<Uuid>, String>, job: &Job) -> Result<Written> {
    let lasts = lasting.map_err(Error::internal)?.contains(&job.what.match_id.0);
    Ok(if lasts { Written::Lasting } else { Written::Clash })
}

fn answer(hints: &Hints, job: Job, result: Result<Written>) {
    if matches!(result, Ok(Written::Lasting)) {
        let accounts = job.what.told.iter().map(|told| told.account.0);
        hints.ring(&accounts.chain([job.what.match_id.0]).collect::<Vec<_>>());
    }
    // Nobody listens any more if the request was dropped; the move lasts all the same.
    let _ = job.answer.send(result);
}

async fn execute(db: &Db, connection: &mut Option<AsyncPgConnection>, jobs: &[Job]) -> QueryResult<HashSet<Uuid>> {
    let mut conn = match connection.take() {
        Some(conn) => conn,
        None => connect(db).await?,
    };
    let result: QueryResult<Vec<Uuid>> = Gathered::of(jobs).get_results(&mut conn).await;
    let usable = result.as_ref().err().is_none_or(|error| !super::is_passing(error));
    if usable {
        *connection = Some(conn);
    }
    result.map(|ids| ids.into_iter().collect())
}

/// Writes one move in a transaction of others' making: what else belongs to it happens with it, or nothing does. After a clash the transaction is of no more use.
pub async fn write_in(tx: &mut Tx, what: Move) -> Result<Written> {
    // Nobody waits for an answer of the gathering queue here.
    let (answer, _) = oneshot::channel();
    let job = Job { what, answer };
    let lasting: QueryResult<Vec<Uuid>> = Gathered::of(std::slice::from_ref(&job)).get_results(&mut *tx.conn.0).await;
    match lasting {
        Ok(ids) if ids.is_empty() => Ok(Written::Clash),
        Ok(_) => Ok(Written::Lasting),
        Err(error) if super::is_duplicate(&error) => Ok(Written::Clash),
        Err(error) => Err(error.into()),
    }
}

/// How PostgreSQL plans on the writer's connection. It plans the one statement once, for any number of moves (left to itself it plans anew for each
/// number, which takes longer than carrying the statement out), and finds each row by its key: a plan made while the tables are small would read
/// them whole, and stay.
const PLANNING: &str = "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_bitmapscan = off; \
     SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off";

/// A connection for one statement that is executed all the time.
async fn connect(db: &Db) -> QueryResult<AsyncPgConnection> {
    let mut conn = db.dedicated().await.map_err(|_| diesel::result::Error::BrokenTransactionManager)?;
    conn.batch_execute(PLANNING).await?;
    Ok(conn)
}

/// The moves of a statement, column by column.
#[derive(Default)]
struct Gathered {
    match_ids: Vec<Uuid>,
    seqs: Vec<i32>,
    entries: Vec<Vec<u8>>,
    statuses: Vec<&'static str>,
    to_act: Vec<i32>,
    deadlines: Vec<Option<At>>,
    started: Vec<Option<At>>,
    finished: Vec<Option<At>>,
    results: Vec<Option<Value>>,
    timed_out: Vec<i32>,
    key_ids: Vec<Option<Vec<u8>>>,
    fingerprints: Vec<Option<Vec<u8>>>,
    at: Vec<At>,
    told: Tellings,
    any_keys: bool,
    any_ends: bool,
}

/// What the moves of a statement tell, column by column: a row for each account that a move tells something.
#[derive(Default)]
struct Tellings {
    match_ids: Vec<Uuid>,
    accounts: Vec<Uuid>,
    counts: Vec<i32>,
    lines: Vec<String>,
}

impl Gathered {
    fn of(jobs: &[Job]) -> Self {
        let mut all = Self::default();
        for Job { what, .. } in jobs {
            all.match_ids.push(what.match_id.0);
            all.seqs.push(i32::try_from(what.seq).unwrap_or(i32::MAX));
            all.entries.push(what.entry.clone());
            all.statuses.push(what.head.status);
            all.to_act.push(what.head.to_act);
            all.deadlines.push(what.head.deadline.map(At));
            all.started.push(what.head.started_at.map(At));
            all.finished.push(what.head.finished_at.map(At));
            all.results.push(what.head.result.clone());
            all.timed_out.push(what.head.timed_out);
            all.key_ids.push(what.spends.map(|(id, _)| id.to_vec()));
            all.fingerprints.push(what.spends.map(|(_, fingerprint)| fingerprint.to_vec()));
            all.at.push(At(what.at));
            for told in &what.told {
                all.told.match_ids.push(what.match_id.0);
                all.told.accounts.push(told.account.0);
                all.told.counts.push(told.count);
                all.told.lines.push(told.lines.clone());
            }
            all.any_keys |= what.spends.is_some();
            all.any_ends |= what.head.finished_at.is_some();
        }
        all
    }
}

/// Guarded rewrite of the heads, then the log, the spent keys, the ended seats and the news of those that got through.
const STATEMENT: [&str; 14] = [
    "WITH input AS MATERIALIZED (SELECT * FROM unnest(",
    ", ",
    ", ",
    ", ",
    ", ",
    ", ",
    ", ",
    ", ",
    ", ",
    ", ",
    ", ",
    ", ",
    ", ",
    ") AS i (match_id, seq, entry, status, to_act, deadline, started_at, finished_at, result, timed_out, key_id, fingerprint, at)), \
     moved AS (UPDATE match_heads AS h SET seq = i.seq, status = i.status, to_act = i.to_act, deadline = i.deadline, \
       started_at = i.started_at, finished_at = i.finished_at, result = i.result, timed_out = i.timed_out, \
       wake_at = CASE WHEN i.finished_at IS NOT NULL THEN NULL \
                      WHEN i.deadline < h.wake_at OR h.wake_at IS NULL THEN i.deadline ELSE h.wake_at END \
       FROM input AS i WHERE h.match_id = i.match_id AND h.seq = i.seq - 1 \
       AND (i.key_id IS NULL OR NOT EXISTS (SELECT FROM idempotency_keys AS k WHERE k.id = i.key_id)) \
       RETURNING h.match_id), \
     logged AS (INSERT INTO match_entries (match_id, seq, entry) \
       SELECT i.match_id, i.seq, i.entry FROM input AS i JOIN moved USING (match_id)), \
     spent AS (INSERT INTO idempotency_keys (id, fingerprint, created_at, match_id, seq) \
       SELECT i.key_id, i.fingerprint, i.at, i.match_id, i.seq FROM input AS i JOIN moved USING (match_id) \
       WHERE i.key_id IS NOT NULL AND ",
];

/// What the moves that got through tell: all that one account hears of in one row, with numbers under its counter. The counters are locked in the order of the
/// accounts, after heads and keys (which is why the spent ones are counted), by every statement and every node, so that nobody waits in a circle: other
/// transactions spend their key first and lock counters last, too. (A move's account is looked for in an array, which is
/// much faster than a join where joins are nested loops.)
const TOLD: [&str; 5] = [
    "), input_told AS (SELECT * FROM unnest(",
    ", ",
    ", ",
    ", ",
    ") AS t (match_id, account_id, count, lines)), \
     told AS MATERIALIZED (SELECT t.account_id, sum(t.count)::int AS count, string_agg(t.lines, E'\\n' ORDER BY t.match_id) AS lines \
       FROM input_told AS t WHERE t.match_id = ANY (ARRAY (SELECT match_id FROM moved)) AND (SELECT count(*) FROM spent) >= 0 GROUP BY t.account_id), \
     counted AS (INSERT INTO event_counters AS c (account_id, newest) SELECT account_id, count FROM told ORDER BY account_id \
       ON CONFLICT (account_id) DO UPDATE SET newest = c.newest + excluded.newest RETURNING account_id, newest), \
     noted AS (INSERT INTO account_events (account_id, number, count, at, lines) \
       SELECT told.account_id, counted.newest, told.count, (SELECT max(at) FROM input), told.lines \
       FROM told JOIN counted USING (account_id)",
];

const ENDED: &str = " RETURNING seq), ended AS (UPDATE match_seats AS s SET running = false FROM input AS i JOIN moved USING (match_id) \
     WHERE s.match_id = i.match_id AND i.finished_at IS NOT NULL AND ";

impl QueryFragment<Pg> for Gathered {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(STATEMENT[0]);
        out.push_bind_param::<Array<SqlUuid>, _>(&self.match_ids)?;
        out.push_sql(STATEMENT[1]);
        out.push_bind_param::<Array<Integer>, _>(&self.seqs)?;
        out.push_sql(STATEMENT[2]);
        out.push_bind_param::<Array<Binary>, _>(&self.entries)?;
        out.push_sql(STATEMENT[3]);
        out.push_bind_param::<Array<Text>, _>(&self.statuses)?;
        out.push_sql(STATEMENT[4]);
        out.push_bind_param::<Array<Integer>, _>(&self.to_act)?;
        out.push_sql(STATEMENT[5]);
        out.push_bind_param::<Array<Nullable<Timestamptz>>, _>(&self.deadlines)?;
        out.push_sql(STATEMENT[6]);
        out.push_bind_param::<Array<Nullable<Timestamptz>>, _>(&self.started)?;
        out.push_sql(STATEMENT[7]);
        out.push_bind_param::<Array<Nullable<Timestamptz>>, _>(&self.finished)?;
        out.push_sql(STATEMENT[8]);
        out.push_bind_param::<Array<Nullable<Jsonb>>, _>(&self.results)?;
        out.push_sql(STATEMENT[9]);
        out.push_bind_param::<Array<Integer>, _>(&self.timed_out)?;
        out.push_sql(STATEMENT[10]);
        out.push_bind_param::<Array<Nullable<Binary>>, _>(&self.key_ids)?;
        out.push_sql(STATEMENT[11]);
        out.push_bind_param::<Array<Nullable<Binary>>, _>(&self.fingerprints)?;
        out.push_sql(STATEMENT[12]);
        out.push_bind_param::<Array<Timestamptz>, _>(&self.at)?;
        out.push_sql(STATEMENT[13]);
        // The two flags let PostgreSQL skip the rare parts without another statement to prepare.
        out.push_bind_param::<Bool, _>(&self.any_keys)?;
        out.push_sql(ENDED);
        out.push_bind_param::<Bool, _>(&self.any_ends)?;
        out.push_sql(TOLD[0]);
        out.push_bind_param::<Array<SqlUuid>, _>(&self.told.match_ids)?;
        out.push_sql(TOLD[1]);
        out.push_bind_param::<Array<SqlUuid>, _>(&self.told.accounts)?;
        out.push_sql(TOLD[2]);
        out.push_bind_param::<Array<Integer>, _>(&self.told.counts)?;
        out.push_sql(TOLD[3]);
        out.push_bind_param::<Array<Text>, _>(&self.told.lines)?;
        out.push_sql(TOLD[4]);
        out.push_sql(") SELECT match_id FROM moved");
        Ok(())
    }
}

impl QueryId for Gathered {
    type QueryId = Gathered;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl Query for Gathered {
    type SqlType = SqlUuid;
}
