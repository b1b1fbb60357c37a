//! The task that writes a node's moves.
//!
//! While one statement is running, the next entries queue up. So a busy node sends few large statements, an idle node
//! sends each entry at once, and no entry waits for a timer.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use diesel::result::QueryResult;
use diesel_async::SimpleAsyncConnection;
use tokio::sync::{Semaphore, mpsc, oneshot};
use uuid::Uuid;

use super::entries::{EntryBatch, PLANNING, PendingEntry, WriteResult, write_in};
use super::spread;
use crate::db::{Db, Deadline, Link};
use crate::error::{Error, Result};
use crate::ids::MatchId;
use crate::wakeups::Wakeups;

/// The maximum number of moves per statement.
const GATHER_AT_MOST: usize = 256;
/// The divisor of the deadline that gives a batch statement's lock timeout.
const LOCKED_FOR: u32 = 10;
/// The maximum number of moves written separately at a time, so that they don't exhaust the pool.
const APART_AT_ONCE: usize = 3;
/// The time for which moves of a match are written separately after a failure.
const APART_FOR: Duration = Duration::from_secs(30);

struct Job {
    what: PendingEntry,
    answer: oneshot::Sender<Result<WriteResult>>,
}

enum Order {
    Write(Box<Job>),
    /// A request for the state of the connection.
    Probe(oneshot::Sender<Result<()>>),
}

/// Accepts entries, and answers when they are committed.
#[derive(Clone)]
pub struct EntryWriter {
    orders: mpsc::UnboundedSender<Order>,
}

impl EntryWriter {
    /// Starts the writer, with its own connection. It ends when the last [`EntryWriter`] is dropped and the queue is
    /// empty. There is one, since a second makes the statements smaller without writing more: measured at 16 matches,
    /// one writes a fifth more moves than two.
    pub fn start(db: &Db, wakeups: &Wakeups) -> Self {
        // The queue is bounded by the running requests: each holds at most one move.
        let (orders, queue) = mpsc::unbounded_channel();
        tokio::spawn(work(db.clone(), wakeups.clone(), queue));
        Self { orders }
    }

    /// Fails if moves can't be written: the writer's connection doesn't answer, and no other can be opened.
    pub async fn probe(&self) -> Result<()> {
        let (answer, answered) = oneshot::channel();
        self.orders.send(Order::Probe(answer)).map_err(|_| stopped())?;
        answered.await.map_err(|_| stopped())?
    }

    /// Writes one move. After an error the outcome is unknown (the connection broke): the match must be read again.
    pub async fn write(&self, what: PendingEntry) -> Result<WriteResult> {
        let (answer, answered) = oneshot::channel();
        self.orders.send(Order::Write(Box::new(Job { what, answer }))).map_err(|_| stopped())?;
        answered.await.map_err(|_| stopped())?
    }
}

fn stopped() -> Error {
    Error::unavailable("the writer of moves has stopped")
}

async fn work(db: Db, wakeups: Wakeups, mut queue: mpsc::UnboundedReceiver<Order>) {
    let mut writer = Writer { db, wakeups, link: None, apart: Arc::default() };
    let mut orders = Vec::new();
    loop {
        if queue.recv_many(&mut orders, GATHER_AT_MOST).await == 0 {
            return;
        }
        let (mut jobs, mut probes) = (Vec::new(), Vec::new());
        for order in orders.drain(..) {
            match order {
                Order::Write(job) => jobs.push(*job),
                Order::Probe(answer) => probes.push(answer),
            }
        }
        if !jobs.is_empty() {
            metrics::histogram!("moves_in_one_statement").record(jobs.len() as f64);
            writer.write(jobs).await;
        }
        for answer in probes {
            let _ = answer.send(writer.probe().await);
        }
    }
}

struct Writer {
    db: Db,
    wakeups: Wakeups,
    link: Option<Link>,
    apart: Arc<Apart>,
}

impl Writer {
    /// Writes the jobs in one statement. If it is refused as a whole, each job is tried separately, so that neither a
    /// bad move nor a match with locked rows affects the others.
    async fn write(&mut self, jobs: Vec<Job>) {
        let (apart, jobs): (Vec<_>, Vec<_>) = jobs.into_iter().partition(|job| self.apart.has(job.what.match_id));
        apart.into_iter().for_each(|job| self.write_apart(job));

        // A statement changes a row once; a second move of the same match can only conflict with the first.
        let mut seen = HashSet::new();
        let (mut jobs, late): (Vec<_>, Vec<_>) = jobs.into_iter().partition(|job| seen.insert(job.what.match_id));
        // Every node locks rows in the same order, to prevent deadlocks.
        jobs.sort_unstable_by_key(|job| job.what.match_id);
        late.into_iter().for_each(|job| answer(&self.wakeups, job, Ok(WriteResult::Conflict)));
        if jobs.is_empty() {
            return;
        }

        let link = match self.link.take() {
            Some(link) => link,
            None => match connect(&self.db).await {
                Ok(link) => link,
                Err(error) => {
                    tracing::error!(%error, moves = jobs.len(), "no connection to write moves: none is written");
                    return self.give_up(jobs, "there is no connection to write moves");
                }
            },
        };
        match self.execute(link, &jobs).await {
            Ok(lasting) => {
                for job in jobs {
                    let written = WriteResult::of(lasting.contains(&job.what.match_id.0));
                    answer(&self.wakeups, job, Ok(written));
                }
            }
            // The connection broke, so the outcome of the statement is unknown.
            Err(error) if self.link.is_none() => {
                tracing::error!(%error, moves = jobs.len(), "the connection broke while moves were written");
                self.give_up(jobs, "the connection broke while moves were written");
            }
            // The statement was refused without effect, for example because two matches raced for one idempotency key.
            Err(error) => {
                tracing::warn!(%error, moves = jobs.len(), "moves were refused together, and each is written apart");
                jobs.into_iter().for_each(|job| self.write_apart(job));
            }
        }
    }

    /// Replaces a connection that doesn't answer. Fails if that is impossible.
    async fn probe(&mut self) -> Result<()> {
        if let Some(mut link) = self.link.take()
            && link.sql().batch_execute("SELECT 1").await.is_ok()
        {
            link.rest();
            self.link = Some(link);
            return Ok(());
        }
        self.link = Some(connect(&self.db).await?);
        Ok(())
    }

    fn give_up(&self, jobs: Vec<Job>, why: &'static str) {
        jobs.into_iter().for_each(|job| answer(&self.wakeups, job, Err(Error::unavailable(why))));
    }

    /// Writes one move separately, on a connection of the pool.
    fn write_apart(&self, job: Job) {
        let (db, wakeups, apart) = (self.db.clone(), self.wakeups.clone(), Arc::clone(&self.apart));
        tokio::spawn(async move {
            let written = apart.write(&db, &job).await;
            answer(&wakeups, job, written);
        });
    }

    /// Executes the statement. The connection is kept if it is still usable.
    async fn execute(&mut self, mut link: Link, jobs: &[Job]) -> QueryResult<HashSet<Uuid>> {
        let entries: Vec<&PendingEntry> = jobs.iter().map(|job| &job.what).collect();
        let lasting = if link.is_distributed() {
            spread::write_alone(link.sql(), &entries, self.db.deadline().map(locked_for)).await
        } else {
            EntryBatch::of(&entries).write(link.sql()).await
        };
        link.rest();
        let broken = |error: &diesel::result::Error| crate::db::is_passing(error) && !crate::db::is_refused(error);
        if !lasting.as_ref().is_err_and(broken) {
            self.link = Some(link);
        }
        lasting
    }
}

/// Moves written separately, so that others needn't wait for them.
struct Apart {
    at_once: Semaphore,
    /// Matches with a separate write in progress: at most one per match, even if its client is gone.
    under_way: Mutex<HashSet<MatchId>>,
    /// Matches with a failed separate write, and the time of the failure.
    failed: Mutex<HashMap<MatchId, Instant>>,
}

impl Default for Apart {
    fn default() -> Self {
        Self { at_once: Semaphore::new(APART_AT_ONCE), under_way: Mutex::default(), failed: Mutex::default() }
    }
}

impl Apart {
    /// True if moves of this match should be written separately.
    fn has(&self, id: MatchId) -> bool {
        let mut failed = locked(&self.failed);
        failed.retain(|_, since| since.elapsed() < APART_FOR);
        failed.contains_key(&id)
    }

    /// Writes one move, once a place is free. Fails while another move of its match is being written.
    #[expect(clippy::disallowed_methods, reason = "a duration is measured")]
    async fn write(&self, db: &Db, job: &Job) -> Result<WriteResult> {
        let id = job.what.match_id;
        if !locked(&self.under_way).insert(id) {
            return Err(Error::unavailable("a move of this match is being written"));
        }
        let written = match self.at_once.acquire().await {
            Ok(_room) => alone(db, job).await,
            Err(_) => Err(Error::unavailable("the writer of moves has stopped")),
        };
        if written.is_err() {
            locked(&self.failed).insert(id, Instant::now());
        }
        locked(&self.under_way).remove(&id);
        written
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes one move in its own transaction.
async fn alone(db: &Db, job: &Job) -> Result<WriteResult> {
    let mut tx = db.begin().await?;
    let written = write_in(&mut tx, &job.what).await?;
    tx.commit().await?;
    Ok(written)
}

fn answer(wakeups: &Wakeups, job: Job, result: Result<WriteResult>) {
    if matches!(result, Ok(WriteResult::Committed)) {
        let accounts = job.what.told.iter().map(|told| told.account.0);
        wakeups.wake(&accounts.chain([job.what.match_id.0]).collect::<Vec<_>>());
    }
    // The receiver is gone if the request was canceled. The entry stays written.
    let _ = job.answer.send(result);
}

fn locked_for(Deadline(limit): Deadline) -> Duration {
    limit / LOCKED_FOR
}

/// A connection for a single statement that is executed constantly.
async fn connect(db: &Db) -> Result<Link> {
    let mut link = db.link().await?;
    if link.is_distributed() {
        link.sql().batch_execute(spread::SETTINGS).await?;
    } else {
        link.sql().batch_execute(PLANNING).await?;
        if let Some(limit) = db.deadline().map(locked_for) {
            link.sql().batch_execute(&format!("SET lock_timeout = {}", limit.as_millis())).await?;
        }
    }
    link.rest();
    Ok(link)
}
