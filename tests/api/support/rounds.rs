//! Rounds of the jobs that do something for players, as a node would do them at this moment.

use broadside::app::App;
use broadside::jobs::{self, JOBS};

/// The jobs that do something for players, in the order in which one makes something due for another.
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

/// Lets each of them do a round if it has something to do: a node asks before it does one, and what it would leave out
/// is left out here as well.
pub async fn play(app: &App) {
    for name in ROUNDS {
        let job = JOBS.iter().find(|job| job.name == name).unwrap();
        if jobs::is_due(app, job).await.unwrap() {
            (job.round)(app).await.unwrap();
        }
    }
}
