//! The background jobs, as a table: name, rest between two rounds, nodes, and the function for a round.
//!
//! Each job has its own task, so that none waits for another: a player with many matches must not delay the time-outs
//! of others. Within a job, owners take turns ([`crate::due::in_turns`]), or their input is charged or limited. A
//! failed round is logged, and the next one tries again. A round may be cut off anywhere, and any node may do the rest.
//! One node at a time does a job ([`leases`]). It runs a round when the [`board`] finds work, so that a quiet service
//! costs its database little.

mod board;
mod leases;
mod store;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::task::JoinSet;

use board::Board;
pub use board::is_due;
pub use leases::Leases;

use crate::app::App;
use crate::error::Result;
use crate::notifications::leasing::{self, Outlet, Source};
use crate::notifications::push::Push;
use crate::notifications::webhooks::Webhooks;
use crate::notifications::{mail, push, webhooks};
use crate::standing_orders::rounds::{self, Lane};
use crate::{
    abuse_reports, account_deletion, accounts, backup, calendar, cases, contests, events, heartbeat, idempotency,
    ladders, lobby, matches, moderation, ratings, standing_orders, substitutions, tournaments,
};

/// A recurring job.
pub struct Job {
    /// The name in the log.
    pub name: &'static str,
    pub rest: Rest,
    pub nodes: Nodes,
    pub due: Due,
    /// One round: does all work due now.
    pub round: for<'a> fn(&'a App) -> BoxFuture<'a, Result<()>>,
}

/// The rest between two rounds.
#[derive(Clone, Copy)]
pub enum Rest {
    /// A fixed number of milliseconds.
    Ms(u64),
    /// At least the first number of milliseconds, plus a random number of them up to the second.
    RandomMs(u64, u16),
}

impl Rest {
    fn least(self) -> Duration {
        let (Self::Ms(ms) | Self::RandomMs(ms, _)) = self;
        Duration::from_millis(ms)
    }
}

/// The check for work. Conditions are SQL, with the time as `$1`.
#[derive(Clone, Copy)]
pub enum Due {
    /// No check: a round finds out.
    Unknown,
    If(&'static str),
    /// While the condition holds, rounds find out; otherwise there is no work.
    While(&'static str),
    /// Work if one of these targets has something to send.
    Outside(&'static Source),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Nodes {
    /// One node at a time: the work is in the database.
    One,
    /// Every node: the work is in the node's memory.
    Each,
}

const SECOND_MS: u64 = 1000;
const MINUTE_MS: u64 = 60 * SECOND_MS;

/// Every job. Players wait for time-outs, but nobody notices whether a ladder advances a second earlier.
pub const JOBS: &[Job] = &[
    job("time-outs", Rest::Ms(500), |app| Box::pin(matches::expire::sweep(&app.matches)))
        .when(Due::If(matches::store::due::TIME_OUTS)),
    job("down-times", Rest::Ms(SECOND_MS), |app| Box::pin(matches::down_times::tell(&app.matches)))
        .when(Due::If(heartbeat::store::UNTOLD)),
    job("pauses", Rest::Ms(SECOND_MS), |app| Box::pin(matches::pauses::tell(&app.matches)))
        .when(Due::If(matches::store::due::PAUSES)),
    job("results-of-older-matches", Rest::Ms(MINUTE_MS), |app| Box::pin(matches::results::catch_up(&app.matches))),
    job("replanning", Rest::Ms(SECOND_MS), |app| Box::pin(matches::replan::sweep(&app.matches)))
        .when(Due::If(calendar::store::CHANGED)),
    // If all moves of a player came at the same fraction of a second, that would reveal an automatic player.
    job("standing-orders-near-deadlines", Rest::RandomMs(250, 500), |app| {
        Box::pin(rounds::round(&app.matches, Lane::NearDeadline))
    })
    .when(Due::While(standing_orders::store::ANY)),
    job("standing-orders", Rest::RandomMs(500, 1000), |app| Box::pin(rounds::round(&app.matches, Lane::Others)))
        .when(Due::While(standing_orders::store::ANY)),
    job("standing-orders-of-seats-that-are-out", Rest::Ms(10 * MINUTE_MS), |app| {
        Box::pin(rounds::forget_outs(&app.matches))
    }),
    job("challenge-expiry", Rest::Ms(SECOND_MS), |app| Box::pin(lobby::expire::sweep(&app.matches)))
        .when(Due::If(lobby::store::challenges::EXPIRED)),
    job("substitutions", Rest::Ms(SECOND_MS), |app| Box::pin(substitutions::settle::round(&app.matches)))
        .when(Due::If(substitutions::store::TO_LOOK_AT)),
    job("account-purges", Rest::Ms(5 * SECOND_MS), |app| Box::pin(account_deletion::round(app)))
        .when(Due::If(account_deletion::store::TO_PURGE)),
    job("idle-guests", Rest::Ms(10 * MINUTE_MS), |app| {
        Box::pin(account_deletion::sweep_guests(&app.accounts, &app.matches))
    }),
    job("forfeits", Rest::Ms(2 * SECOND_MS), |app| Box::pin(moderation::suspend::round(&app.matches)))
        .when(Due::If(moderation::store::PENDING)),
    job("ladders", Rest::Ms(2 * SECOND_MS), |app| Box::pin(ladders::job::run(&app.matches)))
        .when(Due::If(ladders::store::due::LADDERS)),
    job("tournaments", Rest::Ms(2 * SECOND_MS), |app| Box::pin(tournaments::job::run(&app.matches)))
        .when(Due::If(tournaments::store::due::TOURNAMENTS)),
    job("contest-announcements", Rest::Ms(2 * SECOND_MS), |app| Box::pin(contests::announcements::round(app)))
        .when(Due::If(contests::store::announcements::TO_TELL)),
    job("contest-pauses", Rest::Ms(2 * SECOND_MS), |app| Box::pin(contests::pauses::round(app)))
        .when(Due::If(contests::store::pauses::TO_TELL)),
    job("leaderboard-marks", Rest::Ms(10 * MINUTE_MS), |app| Box::pin(ratings::read::mark(app))),
    // Work due within a minute may be a few seconds late.
    job("mail", Rest::Ms(10 * SECOND_MS), |app| Box::pin(deliver_mail(app))),
    job("security-mail", Rest::Ms(SECOND_MS), |app| Box::pin(tell_of_security(app)))
        .when(Due::If(accounts::store::notices::ANY)),
    // Every node sends; one of them wakes the others when there is something to send.
    job("webhooks", Rest::Ms(SECOND_MS), |app| Box::pin(ring::<Webhooks>(app))).when(Due::Outside(&Webhooks::SOURCE)),
    job("browsers", Rest::Ms(SECOND_MS), |app| Box::pin(ring::<Push>(app))).when(Due::Outside(&Push::SOURCE)),
    job("archive", Rest::Ms(10 * SECOND_MS), |app| Box::pin(matches::archive::pack::round(&app.matches))),
    job("clean-up", Rest::Ms(10 * MINUTE_MS), |app| Box::pin(clean_up(app))),
    Job { nodes: Nodes::Each, ..job("idle-rate-limits", Rest::Ms(10 * MINUTE_MS), |app| Box::pin(forget_idle(app))) },
];

const fn job(name: &'static str, rest: Rest, round: for<'a> fn(&'a App) -> BoxFuture<'a, Result<()>>) -> Job {
    Job { name, rest, nodes: Nodes::One, due: Due::Unknown, round }
}

impl Job {
    /// Adds the check for work.
    const fn when(mut self, due: Due) -> Self {
        self.due = due;
        self
    }
}

/// The names of the jobs done by one node at a time.
pub fn leased() -> impl Iterator<Item = &'static str> {
    JOBS.iter().filter(|job| job.nodes == Nodes::One).map(|job| job.name)
}

/// Starts every job. Each ends after the round in which the service begins to stop.
pub fn start(app: &Arc<App>) -> JoinSet<()> {
    let mut running = JoinSet::new();
    let (leases, board) = (Arc::new(Leases::new(app, leased())), Arc::new(Board::new()));
    running.spawn(lead(Arc::clone(app), Arc::clone(&leases)));
    for (number, job) in JOBS.iter().enumerate() {
        running.spawn(repeat(Arc::clone(app), (number, job), Arc::clone(&leases), Arc::clone(&board)));
    }
    let (asking, all) = (Arc::clone(app), Arc::clone(&leases));
    running.spawn(async move { board.keep(asking, all).await });
    running.spawn(leasing::run(Arc::clone(&app.webhooks)));
    running.spawn(leasing::run(Arc::clone(&app.push)));
    running
}

/// Renews the leases while the service runs, and then returns them.
async fn lead(app: Arc<App>, leases: Arc<Leases>) {
    while !app.is_stopping() {
        if let Err(error) = leases.renew(&app).await {
            let cause = error.cause().map(tracing::field::display);
            tracing::warn!(%error, cause, "the leases of jobs could not be renewed; it is tried again in two seconds");
        }
        tokio::select! {
            () = tokio::time::sleep(leases::RENEWED_EVERY) => {}
            () = app.stopped() => {}
        }
    }
    if let Err(error) = leases.release(&app).await {
        tracing::warn!(%error, "the leases of jobs could not be given back: other nodes take them when they have expired");
    }
}

async fn repeat(app: Arc<App>, (number, job): (usize, &'static Job), leases: Arc<Leases>, board: Arc<Board>) {
    while !app.is_stopping() {
        tokio::select! {
            () = board.turn(number, job) => {}
            () = app.stopped() => return,
        }
        // A node that doesn't trust its time, or can't reach the database, leaves due work to others.
        let is_ours = job.nodes == Nodes::Each || leases.holds(job.name);
        if is_ours
            && app.heartbeat.held().is_none()
            && let Err(error) = (job.round)(&app).await
        {
            let cause = error.cause().map(tracing::field::display);
            tracing::warn!(%error, cause, job = job.name, "a round of a job failed; the next one tries again");
        }
        let rest_ms = match (job.due, job.rest) {
            // The board observes the rest: it doesn't query sooner.
            (Due::If(_) | Due::Outside(_), _) => continue,
            _ if !is_ours => SECOND_MS,
            (_, Rest::Ms(ms)) => ms,
            (_, Rest::RandomMs(least_ms, more_ms)) => {
                least_ms + u64::from(u16::from_be_bytes(app.random()) % more_ms.saturating_add(1))
            }
        };
        tokio::select! {
            () = tokio::time::sleep(Duration::from_millis(rest_ms)) => {}
            () = app.stopped() => {}
        }
    }
}

/// Wakes every node for pending deliveries.
async fn ring<O: Outlet>(app: &App) -> Result<()> {
    app.wakeups.wake(&[O::BELL]);
    Ok(())
}

/// Deletes the rate-limit budgets of callers inactive for long.
async fn forget_idle(app: &App) -> Result<()> {
    if let Some(rate_limits) = &app.rate_limits {
        rate_limits.forget_idle();
    }
    Ok(())
}

async fn deliver_mail(app: &App) -> Result<()> {
    match &app.mail {
        Some(mailer) => mail::delivery::deliver(app, mailer).await.map(drop),
        None => Ok(()),
    }
}

async fn tell_of_security(app: &App) -> Result<()> {
    match &app.mail {
        Some(mailer) => mail::security::round(&app.accounts, mailer).await.map(drop),
        None => Ok(()),
    }
}

/// Deletes obsolete data. A failed step is logged and doesn't prevent the others; the first failure is returned.
pub async fn clean_up(app: &App) -> Result<()> {
    if !app.heartbeat.is_settled() {
        return Ok(());
    }
    let steps = [
        ("idempotency keys", idempotency::forget_old(app).await),
        ("sessions and tokens", accounts::forget_old(app).await.map(drop)),
        ("events", events::forget_old(app).await),
        ("reports of abuse", abuse_reports::forget_old(app).await),
        ("cases", cases::forget_old(app).await),
        ("deliveries of webhooks", webhooks::manage::forget_old(app).await),
        ("push subscriptions", push::manage::forget_old(app).await),
        ("confirmations of addresses", mail::confirm::forget_old(app).await),
        ("leaderboards", ratings::read::lapse(app).await),
        ("revocations", backup::revocations::forget_old(app).await),
    ];
    let mut all = Ok(());
    for (step, done) in steps {
        if let Err(error) = &done {
            let cause = error.cause().map(tracing::field::display);
            tracing::error!(%error, cause, step, "a step of the clean-up failed");
        }
        all = all.and(done);
    }
    all
}
