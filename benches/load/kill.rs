//! Many clients ([`clients`]) play while things go wrong, again and again ([`faults`]). Each client keeps book of what
//! it was told. Afterwards [`check`] reads every match and compares: an acknowledged move is there once and in its
//! place, one that was not acknowledged once or not at all, and nothing else.

mod check;
mod clients;
mod faults;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::Value;

use super::http::{Connection, Manner};
use super::player::Player;
use super::postgres::Programs;
use super::service::Service;
use super::{Outcome, register};
use faults::Victim;

pub use faults::Fault;

/// How long a client goes on trying one request. A start after a kill takes a second or two.
const PATIENCE: Duration = Duration::from_secs(60);

/// What is going to happen.
pub struct Plan {
    /// The faults to choose from, each as likely.
    pub faults: Vec<Fault>,
    /// How many there will be.
    pub kills: u32,
    /// How many matches are played at once.
    pub matches: usize,
    /// What is drawn from.
    pub seed: u64,
    /// Whether a move is taken away in the end, to show that the check notices.
    pub forge: bool,
    /// Whether half of the matches are other games, and half of the clients talk to a second node.
    pub varied: bool,
}

/// One shot as its client remembers it.
pub struct Shot {
    seat: u64,
    cell: String,
    /// The report that acknowledged it; none if its client gave up asking.
    told: Option<Value>,
    /// Whether it has happened: acknowledged, or read from the match after giving up.
    happened: bool,
}

/// A match as its clients remember it.
pub struct Story {
    id: String,
    /// Whether it counts for ratings.
    rated: bool,
    /// Whether it has come to its end.
    over: bool,
    /// In a game that is shot at blindly.
    shots: Vec<Shot>,
    /// In any other game: what each seat was told in the answers to its actions.
    told: Option<Vec<(u64, Value)>>,
}

/// What the clients of one table remember.
pub struct Book {
    players: [Player; 2],
    variant: &'static str,
    stories: Vec<Story>,
    challenges: usize,
    /// Requests whose outcome was unknown, and were sent again.
    again: usize,
    /// Shots whose outcome was unknown, and were not sent again.
    given_up: usize,
    /// Since when nothing was answered, and how long that took each time until something was, in milliseconds.
    unanswered: Option<Instant>,
    waits_ms: Vec<u32>,
}

/// Plays, lets things go wrong, and checks.
pub async fn run(service: Service, plan: Plan, programs: Option<Programs>) -> Outcome {
    println!("{} faults, {} matches at once, seed {}", plan.kills, plan.matches, plan.seed);
    let node = if plan.varied { Some(service.another_node()?) } else { None };
    let mut tables = register(service.address, rand::rng().random(), plan.matches, Manner::default()).await?;
    if let Some(node) = &node {
        for player in tables.iter_mut().skip(1).step_by(2).flatten() {
            player.connection = Connection::to(node.address, Manner::default());
        }
    }
    let stopping = Arc::new(AtomicBool::new(false));
    let games = if plan.varied { &["classic", "classic", "depths", "salvos"][..] } else { &["classic"] };
    let playing: Vec<_> = (plan.seed..)
        .zip(tables.into_iter().zip(games.iter().cycle()))
        .map(|(seed, (players, variant))| {
            tokio::spawn(clients::play(players, variant, StdRng::seed_from_u64(seed), Arc::clone(&stopping)))
        })
        .collect();
    let begun = Instant::now();
    let forge = plan.forge;
    let mut victim = Victim { service, node, programs };
    // On a thread of its own, so that the clients go on asking while nobody is there to answer.
    let suffering = tokio::task::spawn_blocking(move || {
        let said = victim.suffer(&plan);
        (victim, said)
    });
    let suffered = suffering.await.map_err(|error| error.to_string());
    stopping.store(true, Ordering::Relaxed);
    let (mut victim, said) = suffered?;
    let (mut books, mut failures) = (Vec::new(), Vec::new());
    for table in playing {
        match table.await.map_err(|error| error.to_string())? {
            Ok(book) => books.push(book),
            Err(error) => failures.push(error),
        }
    }
    println!("{} in {:.0} s", said?, begun.elapsed().as_secs_f64());
    if forge {
        victim.take_a_move()?;
    }
    let Victim { service, node, .. } = victim;
    drop(node);
    match failures.first() {
        Some(one) => Err(format!("{} clients were answered wrongly, one so: {one}\n{}", failures.len(), service.log())),
        None => check::check(service, books).await,
    }
}
