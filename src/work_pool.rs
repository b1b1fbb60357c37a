//! A bounded pool of threads for work that would block an async worker for too long: replaying a match, rendering and
//! compressing large responses, hashing passwords, searching for deployments.
//!
//! Each [`Lane`] has its own threads and queue, so that no sort of work takes the room of another, and on Linux the
//! threads of the slower lanes have a lower priority than those that answer moves. Within a lane the callers
//! ([`crate::budget_owner`]) take turns, and a caller with many jobs waits for their own. Work that would wait too long
//! is refused with `overloaded` and a `Retry-After`, before it starts.

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use strum::IntoStaticStr;
use tokio::sync::oneshot;

use crate::budget_owner;
use crate::error::{Error, Result, problem};
use crate::rate_limits::RateLimitKey;

/// A sort of work, with its own threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Lane {
    /// Work that a player waits for: replaying a match before a move, compressing a response of some kilobytes. One
    /// thread for each core.
    Play,
    /// Passwords for sign-ins and registrations. Half as many threads as cores.
    SignIn,
    /// Everything else: records, reports, large responses, rule sets, changes of passwords. Half as many threads as
    /// cores, at the lowest priority.
    Heavy,
}

/// The limits of a lane.
#[derive(Clone, Copy, Debug)]
pub struct LaneLimits {
    pub threads: usize,
    /// Most waiting jobs of all callers together.
    pub waiting: usize,
    /// Most waiting jobs of one caller.
    pub waiting_per_caller: usize,
    /// The maximum age of a job at its start.
    pub patience: Duration,
    /// The priority of its threads: 0 is that of the threads that answer moves, 19 the lowest.
    niceness: i32,
}

impl LaneLimits {
    fn of(lane: Lane) -> Self {
        let (cores, half) = (processors(), half_of_processors());
        let ms = Duration::from_millis;
        match lane {
            Lane::Play => {
                Self { threads: cores, waiting: 4096, waiting_per_caller: 256, patience: ms(5000), niceness: 0 }
            }
            Lane::SignIn => {
                Self { threads: half, waiting: 256, waiting_per_caller: 32, patience: ms(5000), niceness: 5 }
            }
            Lane::Heavy => {
                Self { threads: half, waiting: 256, waiting_per_caller: 16, patience: ms(5000), niceness: 10 }
            }
        }
    }
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// The number of processors for work that can wait: half of them, and at least one.
pub fn half_of_processors() -> usize {
    (processors() / 2).max(1)
}

/// The owner of the work; `None` for the service itself.
type Owner = Option<RateLimitKey>;

/// A job; its argument says whether it may still start.
type Job = Box<dyn FnOnce(bool) + Send>;

/// The pool. Dropping it ends its threads after their current job.
pub struct WorkPool {
    play: Arc<Queue>,
    sign_in: Arc<Queue>,
    heavy: Arc<Queue>,
}

impl Default for WorkPool {
    fn default() -> Self {
        Self::with(LaneLimits::of)
    }
}

impl WorkPool {
    /// A pool with these limits. Threads are started on demand.
    pub fn with(limits: impl Fn(Lane) -> LaneLimits) -> Self {
        let queue = |lane: Lane| Arc::new(Queue::new(lane, limits(lane)));
        Self { play: queue(Lane::Play), sign_in: queue(Lane::SignIn), heavy: queue(Lane::Heavy) }
    }

    /// Runs `work` on a thread of the lane, and returns its result. Fails with `overloaded` if too much work waits
    /// already, or it has waited too long. Work whose caller is gone isn't started.
    pub async fn run<T: Send + 'static>(&self, lane: Lane, work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
        let queue = match lane {
            Lane::Play => &self.play,
            Lane::SignIn => &self.sign_in,
            Lane::Heavy => &self.heavy,
        };
        let (sender, done) = oneshot::channel();
        let job = Box::new(move |in_time: bool| {
            if !sender.is_closed() {
                // A caller who is gone doesn't need the result.
                let _ = sender.send(in_time.then(work));
            }
        });
        queue.push(budget_owner::current(), job)?;
        match done.await {
            Ok(Some(result)) => Ok(result),
            Ok(None) => Err(queue.overloaded()),
            Err(_) => Err(Error::internal("work of the pool has panicked")),
        }
    }
}

impl Drop for WorkPool {
    fn drop(&mut self) {
        for queue in [&self.play, &self.sign_in, &self.heavy] {
            queue.lock().closed = true;
            queue.wake.notify_all();
        }
    }
}

/// The waiting jobs of a lane.
struct Queue {
    lane: Lane,
    limits: LaneLimits,
    state: Mutex<Waiting>,
    wake: Condvar,
}

#[derive(Default)]
struct Waiting {
    /// The owners of jobs, in the order of their turns.
    turns: VecDeque<Owner>,
    /// Their jobs, each with the time of queueing.
    jobs: HashMap<Owner, VecDeque<(Instant, Job)>>,
    number: usize,
    threads: usize,
    idle: usize,
    closed: bool,
}

impl Queue {
    fn new(lane: Lane, limits: LaneLimits) -> Self {
        Self { lane, limits, state: Mutex::default(), wake: Condvar::new() }
    }

    /// No job runs under this lock, so it is never left half changed.
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn overloaded(&self) -> Error {
        let lane: &'static str = self.lane.into();
        metrics::counter!("work_refused_total", "lane" => lane).increment(1);
        Error::plain(&problem::OVERLOADED).retry_after(self.limits.patience.as_secs().max(1))
    }

    #[expect(clippy::disallowed_methods, reason = "it measures how long a job waits, and nothing stored depends on it")]
    fn push(self: &Arc<Self>, owner: Owner, job: Job) -> Result<()> {
        let mut waiting = self.lock();
        let own = waiting.jobs.get(&owner).map_or(0, VecDeque::len);
        if waiting.number >= self.limits.waiting || own >= self.limits.waiting_per_caller {
            drop(waiting);
            return Err(self.overloaded());
        }
        if own == 0 {
            waiting.turns.push_back(owner);
        }
        waiting.jobs.entry(owner).or_default().push_back((Instant::now(), job));
        waiting.number += 1;
        if waiting.number > waiting.idle && waiting.threads < self.limits.threads {
            waiting.threads += 1;
            drop(waiting);
            self.start_thread()?;
        }
        self.wake.notify_one();
        Ok(())
    }

    fn start_thread(self: &Arc<Self>) -> Result<()> {
        let queue = Arc::clone(self);
        let name: &'static str = self.lane.into();
        let started = thread::Builder::new().name(format!("work-{name}")).spawn(move || queue.work());
        if let Err(error) = started {
            let mut waiting = self.lock();
            waiting.threads -= 1;
            // Another thread of the lane does the job, later.
            if waiting.threads == 0 {
                return Err(Error::unavailable(error));
            }
        }
        Ok(())
    }

    /// The loop of a thread, until the pool is gone.
    fn work(&self) {
        lower_priority(self.limits.niceness);
        let mut waiting = self.lock();
        while !waiting.closed {
            let Some((queued_at, job)) = waiting.next() else {
                waiting.idle += 1;
                waiting = self.wake.wait(waiting).unwrap_or_else(PoisonError::into_inner);
                waiting.idle -= 1;
                continue;
            };
            drop(waiting);
            let waited = queued_at.elapsed();
            let lane: &'static str = self.lane.into();
            metrics::histogram!("work_waited_seconds", "lane" => lane).record(waited.as_secs_f64());
            if catch_unwind(AssertUnwindSafe(|| job(waited <= self.limits.patience))).is_err() {
                tracing::error!(lane, "work of the pool has panicked");
            }
            waiting = self.lock();
        }
    }
}

impl Waiting {
    /// The first job of the caller whose turn it is, who then goes to the end of the queue.
    fn next(&mut self) -> Option<(Instant, Job)> {
        let owner = self.turns.pop_front()?;
        let jobs = self.jobs.get_mut(&owner)?;
        let job = jobs.pop_front();
        if jobs.is_empty() {
            self.jobs.remove(&owner);
        } else {
            self.turns.push_back(owner);
        }
        self.number -= usize::from(job.is_some());
        job
    }
}

/// Linux has a priority for each thread; elsewhere the processes of a machine share one, which is unchanged.
#[cfg(target_os = "linux")]
fn lower_priority(niceness: i32) {
    if niceness > 0
        && let Err(error) = rustix::process::setpriority_process(None, niceness)
    {
        tracing::warn!(%error, niceness, "a thread of the pool keeps the priority of the others");
    }
}

#[cfg(not(target_os = "linux"))]
fn lower_priority(_niceness: i32) {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate_limits::{BudgetKind, BudgetOwner};
    use std::net::IpAddr;
    use std::sync::mpsc;

    fn pool(patience: Duration) -> Arc<WorkPool> {
        let limits = LaneLimits { threads: 1, waiting: 8, waiting_per_caller: 3, patience, niceness: 0 };
        Arc::new(WorkPool::with(|_| limits))
    }

    fn address(last: u8) -> RateLimitKey {
        RateLimitKey::address(Some(IpAddr::from([192, 0, 2, last])))
    }

    /// Occupies the one thread of the lane until the sender is used or dropped.
    async fn occupied(pool: &Arc<WorkPool>, lane: Lane) -> mpsc::Sender<()> {
        let (release, released) = mpsc::channel();
        let (begun, has_begun) = oneshot::channel();
        let pool = Arc::clone(pool);
        tokio::spawn(async move {
            let work = move || {
                let _ = begun.send(());
                let _ = released.recv();
            };
            let _ = pool.run(lane, work).await;
        });
        has_begun.await.unwrap();
        release
    }

    /// Queues a job of `owner` that records its name, and returns once it waits.
    async fn queued(pool: &Arc<WorkPool>, owner: u8, log: &mpsc::Sender<u8>) -> tokio::task::JoinHandle<Result<()>> {
        let before = pool.heavy.lock().number;
        let (pool_of_job, log) = (Arc::clone(pool), log.clone());
        let job = tokio::spawn(budget_owner::of_caller(async move {
            budget_owner::note(BudgetOwner { account: None, address: address(owner), budget: BudgetKind::General });
            pool_of_job.run(Lane::Heavy, move || log.send(owner).unwrap()).await
        }));
        while pool.heavy.lock().number == before && !job.is_finished() {
            tokio::task::yield_now().await;
        }
        job
    }

    #[tokio::test]
    async fn callers_take_turns() {
        let pool = pool(Duration::from_secs(60));
        let release = occupied(&pool, Lane::Heavy).await;
        let (log, order) = mpsc::channel();
        let mut jobs = Vec::new();
        for owner in [1, 1, 1, 2, 3] {
            jobs.push(queued(&pool, owner, &log).await);
        }
        release.send(()).unwrap();
        for job in jobs {
            job.await.unwrap().unwrap();
        }
        assert_eq!(order.try_iter().collect::<Vec<_>>(), [1, 2, 3, 1, 1]);
    }

    #[tokio::test]
    async fn too_much_of_one_caller_is_refused_and_of_another_is_not() {
        let pool = pool(Duration::from_secs(60));
        let release = occupied(&pool, Lane::Heavy).await;
        let (log, order) = mpsc::channel();
        let mut jobs = Vec::new();
        for owner in [1, 1, 1, 1, 2] {
            jobs.push(queued(&pool, owner, &log).await);
        }
        release.send(()).unwrap();
        let mut refused = Vec::new();
        for (number, job) in jobs.into_iter().enumerate() {
            if let Err(error) = job.await.unwrap() {
                assert_eq!((error.problem().code, error.retry_after_s()), ("overloaded", Some(60)));
                refused.push(number);
            }
        }
        assert_eq!(refused, [3]);
        assert_eq!(order.try_iter().collect::<Vec<_>>(), [1, 2, 1, 1]);
    }

    #[tokio::test]
    #[expect(clippy::disallowed_methods, reason = "it measures how long a job waits")]
    async fn what_has_waited_too_long_is_refused_and_not_begun() {
        let patience = Duration::from_millis(50);
        let pool = pool(patience);
        let release = occupied(&pool, Lane::Heavy).await;
        let (log, order) = mpsc::channel();
        let job = queued(&pool, 1, &log).await;
        let begun = Instant::now();
        while begun.elapsed() <= patience {
            tokio::task::yield_now().await;
        }
        release.send(()).unwrap();
        let refused = job.await.unwrap().unwrap_err();
        assert_eq!((refused.problem().code, refused.retry_after_s()), ("overloaded", Some(1)));
        assert!(order.try_recv().is_err());
    }

    #[tokio::test]
    async fn lanes_keep_their_room_and_a_panic_takes_no_thread_away() {
        let pool = pool(Duration::from_secs(60));
        let release = occupied(&pool, Lane::Heavy).await;
        assert_eq!(pool.run(Lane::SignIn, || 1).await.unwrap(), 1);
        let panicked = pool.run(Lane::Play, || panic!("planted")).await;
        assert_eq!(panicked.map(|()| 0).unwrap_err().problem().code, "internal-error");
        assert_eq!(pool.run(Lane::Play, || 2).await.unwrap(), 2);
        drop(release);
    }

    #[tokio::test]
    async fn who_has_gone_costs_nothing() {
        let pool = pool(Duration::from_secs(60));
        let release = occupied(&pool, Lane::Heavy).await;
        let (log, order) = mpsc::channel();
        let (gone, stays) = (queued(&pool, 1, &log).await, queued(&pool, 2, &log).await);
        gone.abort();
        assert!(gone.await.unwrap_err().is_cancelled());
        release.send(()).unwrap();
        stays.await.unwrap().unwrap();
        assert_eq!(order.try_iter().collect::<Vec<_>>(), [2]);
    }
}
