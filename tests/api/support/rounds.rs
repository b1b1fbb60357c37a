//! Rounds of the jobs that act for players, as a node would run them at this moment.

use broadside::app::App;
use broadside::jobs::{self, JOBS};

/// The jobs that act for players; each comes before those it makes work for.
const ROUNDS: [&str; 12] = [
    "time-outs",
    "challenge-expiry",
    "ladders",
    "account-purges",
    "forfeits",
    "standing-orders-near-deadlines",
    "standing-orders",
    "replanning",
    "tournaments",
    "pauses",
    "contest-announcements",
    "contest-pauses",
];

/// Runs each job that has due work. A node checks this first, so errors in that check show here as well.
pub async fn play(app: &App) {
    for name in ROUNDS {
        let job = JOBS.iter().find(|job| job.name == name).unwrap();
        if jobs::is_due(app, job).await.unwrap() {
            (job.round)(app).await.unwrap();
        }
    }
}
