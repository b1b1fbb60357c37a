//! Bot accounts that play over the public API, with the rights of any bot. They accept the challenges that they are
//! sent, within the limits that they publish, and play correspondence and live.
//!
//! What they know of a match is what the service has answered to their account. This crate knows nothing else of the
//! project than [`broadside_bots`], which decides from a rule set, a view and its reports.
//!
//! | file | what it does |
//! |---|---|
//! | [`roster`] | which bots there are: some for each family and level |
//! | [`credentials`] | registers and signs in, and keeps what that needs |
//! | [`account`] | the life of one bot: offer, challenges, events |
//! | [`table`] | one match: its reports, its decisions |
//! | [`terms`] | which challenges are accepted |
//! | [`api`], [`stream`] | requests that are repeated until they are answered; the events as they come |

mod account;
mod api;
mod credentials;
mod roster;
mod stream;
mod table;
mod terms;

use std::path::PathBuf;
use std::sync::Arc;

use broadside_bots::Level;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use api::Api;

/// The settings: the service, the bots and their limits.
#[derive(Clone)]
pub struct Settings {
    /// The address of the service, without a trailing slash.
    pub url: String,
    /// The folder of names, passwords and tokens.
    pub folder: PathBuf,
    /// The families to play; empty: all that the players know.
    pub families: Vec<String>,
    /// The levels.
    pub levels: Vec<Level>,
    /// The prefix of their names.
    pub name_prefix: String,
    /// The limits of their offers.
    pub limits: Limits,
    /// A source of unpredictable random bytes.
    pub random: fn() -> [u8; 32],
}

/// The published limits of each bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most matches at a time.
    pub matches: u32,
    /// The least time for a move, in seconds.
    pub min_move_s: u32,
    /// Does it play for ratings?
    pub rated: bool,
    /// Does it play custom rule sets?
    pub custom_rules: bool,
}

/// The shared state of all bots of this process.
struct House {
    settings: Settings,
    client: reqwest::Client,
    /// Decisions are made one after the other, so that they take one core at most.
    turns: Semaphore,
    stop: watch::Receiver<bool>,
}

impl House {
    fn api(&self, token: &str) -> Api {
        Api::new(self.client.clone(), &self.settings.url, token)
    }
}

/// Lets the bots play until `stop` becomes true. While the service can't be reached they wait for it.
///
/// # Errors
/// The reason why none can play, in one sentence.
pub async fn run(settings: Settings, mut stop: watch::Receiver<bool>) -> Result<(), String> {
    // The library has no default provider. Choosing one a second time is an error without effect.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = api::client(&settings.url).map_err(|error| format!("no HTTP client can be made: {error}"))?;
    credentials::prepare(&settings.folder)?;
    let house = Arc::new(House { settings, client, turns: Semaphore::new(1), stop: stop.clone() });
    let mut posts = tokio::select! {
        posts = roster::posts(&house) => posts?,
        _ = stop.wait_for(|stop| *stop) => return Ok(()),
    };
    if posts.is_empty() {
        return Err("there is no variant that these bots could play".to_owned());
    }
    tracing::info!(bots = posts.len(), url = house.settings.url, "bots begin to play");
    let mut playing = JoinSet::new();
    for post in posts.drain(..) {
        playing.spawn(account::live(Arc::clone(&house), post));
    }
    while playing.join_next().await.is_some() {}
    if *stop.borrow() { Ok(()) } else { Err("none of the bots can play; the log says why".to_owned()) }
}
