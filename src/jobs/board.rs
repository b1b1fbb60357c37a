//! One query for all jobs of a node: which of them have work to do.
//!
//! A round without work costs the database one or more transactions, and on a quiet service most rounds are such. So
//! one statement, twice a second, checks every job whose rest is over, and only jobs with work run. This adds no delay:
//! a job is checked as often as it would look by itself.
//!
//! If a condition missed something, the delay is at most a minute: then a job runs a round unasked.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::time::MissedTickBehavior;

use super::{Due, JOBS, Job, Leases, store};
use crate::app::App;
use crate::error::Result;

/// Time between two queries.
const EVERY: Duration = Duration::from_millis(500);
/// Rests that end within this time count as over, because the timer isn't exact.
const INEXACT: Duration = Duration::from_millis(50);
/// A job without a round for this long runs one unasked.
const UNASKED_AFTER: Duration = Duration::from_secs(60);

/// The states of a node's jobs.
pub struct Board(Vec<Place>);

/// The state of one job.
#[derive(Default)]
struct Place {
    waits: AtomicBool,
    /// True if the job is known to have work.
    is_any: AtomicBool,
    told: Notify,
}

impl Board {
    /// A place for each job; nothing is known yet.
    pub fn new() -> Self {
        Self(JOBS.iter().map(|_| Place::default()).collect())
    }

    /// Returns when the job with this number in [`JOBS`] has work, or after a minute.
    pub async fn turn(&self, number: usize, job: &Job) {
        let Some(place) = self.0.get(number) else { return };
        match job.due {
            Due::Unknown => return,
            Due::While(_) if place.is_any.load(Ordering::Relaxed) => return,
            Due::While(_) | Due::If(_) | Due::Outside(_) => {}
        }
        place.waits.store(true, Ordering::Relaxed);
        let _ = tokio::time::timeout(UNASKED_AFTER, place.told.notified()).await;
        place.waits.store(false, Ordering::Relaxed);
    }

    /// Queries until the service stops.
    pub async fn keep(&self, app: Arc<App>, leases: Arc<Leases>) {
        let mut asked_at = vec![None; JOBS.len()];
        let mut ticks = tokio::time::interval(EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while !app.is_stopping() {
            tokio::select! {
                _ = ticks.tick() => {}
                () = app.stopped() => return,
            }
            // A node that doesn't trust its time, or can't reach the database, leaves due work to others.
            let asked = self.to_ask(&leases, &mut asked_at);
            if app.heartbeat.held().is_some() || !asked.contains(&true) {
                continue;
            }
            match due(&app, &asked).await {
                Ok(due) => self.tell(&asked, &due),
                Err(error) => {
                    let cause = error.cause().map(tracing::field::display);
                    tracing::warn!(%error, cause, "it is not known whether jobs have something to do; it is asked again");
                }
            }
        }
    }

    #[expect(clippy::disallowed_methods, reason = "a duration is measured")]
    fn to_ask(&self, leases: &Leases, asked_at: &mut [Option<Instant>]) -> Vec<bool> {
        let now = Instant::now();
        let is_to_ask = |((job, place), asked_at): ((&Job, &Place), &mut Option<Instant>)| {
            let wants = match job.due {
                Due::Unknown => false,
                Due::While(_) => true,
                Due::If(_) | Due::Outside(_) => place.waits.load(Ordering::Relaxed),
            };
            let is_over = asked_at.is_none_or(|at| now.duration_since(at) + INEXACT >= job.rest.least());
            let is_to_ask = wants && is_over && leases.holds(job.name);
            if is_to_ask {
                *asked_at = Some(now);
            }
            is_to_ask
        };
        JOBS.iter().zip(&self.0).zip(asked_at).map(is_to_ask).collect()
    }

    fn tell(&self, asked: &[bool], due: &[bool]) {
        for (place, (asked, due)) in self.0.iter().zip(asked.iter().zip(due)) {
            if *asked {
                place.is_any.store(*due, Ordering::Relaxed);
            }
            if *asked && *due {
                place.told.notify_one();
            }
        }
    }
}

/// For each job, true if it has work now; false for jobs that aren't asked for.
async fn due(app: &App, asked: &[bool]) -> Result<Vec<bool>> {
    store::due(&mut app.db.conn().await?, asked, app.clock.now()).await
}

/// True if a job has work now, as far as that can be queried.
pub async fn is_due(app: &App, job: &Job) -> Result<bool> {
    if matches!(job.due, Due::Unknown) {
        return Ok(true);
    }
    let asked: Vec<bool> = JOBS.iter().map(|one| one.name == job.name).collect();
    Ok(due(app, &asked).await?.contains(&true))
}
