//! The background jobs, as a table: the name of each job, how long it rests between two rounds, and the
//! function that is a round.
//!
//! Each job has a task of its own, so that none waits for another: a player with many matches must not delay the
//! time-outs of others. A round that fails is logged, and the next one tries again. A round may be cut off anywhere,
//! and any other node may do the rest.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::task::JoinSet;

use crate::app::App;
use crate::error::Result;
use crate::notifications::{mail, webhooks};
use crate::{
    account_deletion, accounts, events, idempotency, ladders, lobby, matches, moderation, ratings, rulesets, social,
    standing_orders, tournaments,
};

/// Something that is done again and again.
pub struct Job {
    /// Names the job in the log.
    pub name: &'static str,
    /// How long it rests between two rounds.
    pub rest: Rest,
    /// One round: does what is due at this moment.
    pub round: for<'a> fn(&'a App) -> BoxFuture<'a, Result<()>>,
}

/// How long a job rests between two rounds.
#[derive(Clone, Copy)]
pub enum Rest {
    /// Always so many milliseconds.
    Ms(u64),
    /// At least so many milliseconds, and a random number of them more, up to the second one.
    RandomMs(u64, u16),
}

const SECOND_MS: u64 = 1000;
const MINUTE_MS: u64 = 60 * SECOND_MS;

/// Every job.
pub const JOBS: &[Job] = &[
    Job { name: "time-outs", rest: Rest::Ms(500), round: |app| Box::pin(matches::expire::sweep(&app.matches)) },
    Job { name: "down-times", rest: Rest::Ms(1000), round: |app| Box::pin(matches::down_times::tell(&app.matches)) },
    Job { name: "replanning", rest: Rest::Ms(500), round: |app| Box::pin(matches::replan::sweep(&app.matches)) },
    Job {
        name: "standing-orders",
        // A player whose moves all come at the same part of a second would give away that nobody sits there.
        rest: Rest::RandomMs(500, 1000),
        round: |app| Box::pin(standing_orders::carry_out::round(&app.matches)),
    },
    Job {
        name: "standing-orders-of-seats-that-are-out",
        rest: Rest::Ms(10 * MINUTE_MS),
        round: |app| Box::pin(standing_orders::carry_out::forget_outs(&app.matches)),
    },
    Job { name: "challenge-expiry", rest: Rest::Ms(500), round: |app| Box::pin(lobby::expire::sweep(&app.matches)) },
    Job { name: "account-purges", rest: Rest::Ms(500), round: |app| Box::pin(account_deletion::round(app)) },
    Job { name: "username-skeletons", rest: Rest::Ms(MINUTE_MS), round: |app| Box::pin(accounts::note_skeletons(app)) },
    Job { name: "forfeits", rest: Rest::Ms(500), round: |app| Box::pin(moderation::suspend::round(&app.matches)) },
    Job { name: "ladders", rest: Rest::Ms(500), round: |app| Box::pin(ladders::job::run(&app.matches)) },
    Job { name: "tournaments", rest: Rest::Ms(500), round: |app| Box::pin(tournaments::job::run(&app.matches)) },
    // What is due in a minute may be a few seconds late.
    Job { name: "mail", rest: Rest::Ms(10 * SECOND_MS), round: |app| Box::pin(deliver_mail(app)) },
    Job { name: "clean-up", rest: Rest::Ms(10 * MINUTE_MS), round: |app| Box::pin(clean_up(app)) },
];

/// Starts every job. Each ends after the round in which the service begins to stop.
pub fn start(app: &Arc<App>) -> JoinSet<()> {
    let mut running = JoinSet::new();
    for job in JOBS {
        running.spawn(repeat(Arc::clone(app), job));
    }
    running.spawn(webhooks::deliver::run(Arc::clone(&app.webhooks)));
    running
}

async fn repeat(app: Arc<App>, job: &'static Job) {
    while !app.is_stopping() {
        // A node that doesn't trust its time, or hasn't heard of the database, leaves what is due to others.
        let held = app.heartbeat.held().is_some();
        if !held && let Err(error) = (job.round)(&app).await {
            let cause = error.cause().map(tracing::field::display);
            tracing::warn!(%error, cause, job = job.name, "a round of a job failed; the next one tries again");
        }
        let rest_ms = match job.rest {
            Rest::Ms(ms) => ms,
            Rest::RandomMs(least_ms, more_ms) => {
                least_ms + u64::from(u16::from_be_bytes(app.random()) % more_ms.saturating_add(1))
            }
        };
        tokio::select! {
            () = tokio::time::sleep(Duration::from_millis(rest_ms)) => {}
            () = app.stopped() => {}
        }
    }
}

async fn deliver_mail(app: &App) -> Result<()> {
    match &app.mail {
        Some(mailer) => mail::delivery::deliver(app, mailer).await.map(drop),
        None => Ok(()),
    }
}

/// Deletes what is too old to be of use. A step that fails is logged and keeps no other from being done; the first
/// failure is returned.
pub async fn clean_up(app: &App) -> Result<()> {
    if !app.heartbeat.is_settled() {
        return Ok(());
    }
    let steps = [
        ("idempotency keys", idempotency::forget_old(app).await),
        ("sessions and tokens", accounts::forget_old(app).await.map(drop)),
        ("events", events::forget_old(app).await),
        ("reports of chat messages", social::forget_old(app).await),
        ("reports of rule sets", rulesets::reports::forget_old(app).await),
        ("deliveries of webhooks", webhooks::manage::forget_old(app).await),
        ("confirmations of addresses", mail::confirm::forget_old(app).await),
        ("leaderboards", ratings::read::tidy(app).await),
    ];
    if let Some(rate_limits) = &app.rate_limits {
        rate_limits.forget_idle();
    }
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
