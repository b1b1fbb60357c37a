//! Asks for all jobs of a node at once whether they have something to do.
//!
//! A round that finds nothing costs the database a transaction or several, and most rounds of a quiet service find
//! nothing. So one statement, twice a second, asks for every job whose rest is over, and only those go to work that
//! have something to do. Nothing is late by it: a job is asked for as often as it would look by itself.
//!
//! A condition that forgot something would be late by a minute at most: then a job does a round unasked.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::time::MissedTickBehavior;

use super::{Due, JOBS, Job, Leases, store};
use crate::app::App;
use crate::error::Result;

/// How often the database is asked.
const EVERY: Duration = Duration::from_millis(500);
/// A rest that is over by the next time but this may be over now: the timer isn't exact.
const INEXACT: Duration = Duration::from_millis(50);
/// After so long without a round a job does one unasked.
const UNASKED_AFTER: Duration = Duration::from_secs(60);

/// What the jobs of a node are told.
pub struct Board(Vec<Place>);

/// What one job is told.
#[derive(Default)]
struct Place {
    /// The job waits for something to do.
    waits: AtomicBool,
    /// Whether there is something of the kind, as far as is known.
    is_any: AtomicBool,
    told: Notify,
}

impl Board {
    /// With a place for each job. Nothing is known yet.
    pub fn new() -> Self {
        Self(JOBS.iter().map(|_| Place::default()).collect())
    }

    /// Returns when the job with this number in [`JOBS`] has something to do; or after a minute.
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

    /// Asks until the service stops.
    pub async fn keep(&self, app: Arc<App>, leases: Arc<Leases>) {
        let mut asked_at = vec![None; JOBS.len()];
        let mut ticks = tokio::time::interval(EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while !app.is_stopping() {
            tokio::select! {
                _ = ticks.tick() => {}
                () = app.stopped() => return,
            }
            // A node that doesn't trust its time, or hasn't heard of the database, leaves what is due to others.
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

/// For each job whether it has something to do at this moment; false for those that aren't asked for.
async fn due(app: &App, asked: &[bool]) -> Result<Vec<bool>> {
    store::due(&mut app.db.conn().await?, asked, app.clock.now()).await
}

/// Whether a job has something to do at this moment, as far as it can be asked.
pub async fn is_due(app: &App, job: &Job) -> Result<bool> {
    if matches!(job.due, Due::Unknown) {
        return Ok(true);
    }
    let asked: Vec<bool> = JOBS.iter().map(|one| one.name == job.name).collect();
    Ok(due(app, &asked).await?.contains(&true))
}
