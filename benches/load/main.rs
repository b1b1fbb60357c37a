//! A load for the service: many matches at once, played from the first shot to the last by a light client over kept
//! connections.
//!
//! ```text
//! cargo bench --bench load                                      how many durable moves a second, how long they take
//! cargo bench --bench load -- --matches 64 --pgbench            the same beside pgbench, on the same cluster, in turns
//! cargo bench --bench load -- --matches 16 --minimal            what does the view in each answer cost?
//! cargo bench --bench load -- --stored 10000,1000000            does it matter how many matches are stored?
//! cargo bench --bench load -- --leaderboard 1000000             how long does a page of it take?
//! cargo bench --bench load -- --ladder 1000000                  the same for the standings of a ladder
//! cargo bench --bench load -- --tournaments 1000000             the same for the tournaments of a service
//! cargo bench --bench load -- --kill --kill-postgres            is every acknowledged move there after each kill?
//! cargo bench --bench load -- --chaos --minutes 60 --nodes 4    the same in a long storm of every kind of fault
//! cargo bench --bench load -- --streams 5000                    what do open streams of events cost?
//! cargo bench --bench load -- --neighbour                       how much can one visitor slow the others?
//! cargo bench --bench load -- --prices                          does an operation cost more than its price?
//! cargo bench --bench load -- --nodes 1,2,4                     what do more nodes on one PostgreSQL bring?
//! cargo bench --bench load -- --nodes 2 --database ADDRESS      the same on a database of your own
//! cargo bench --bench load -- --delay 1000 --matches 4          how late is news on another node?
//! ```
//!
//! It starts the service itself, in a folder that is removed afterwards. `docs/PERFORMANCE.md` says what is measured
//! and how to read it. This is no part of the test suite: it takes its time and wants a quiet machine.
#![allow(clippy::disallowed_methods, reason = "a benchmark measures time and starts programs")]
#![expect(clippy::print_stdout, reason = "a report is what this program is for")]

mod books;
mod chaos;
mod compete;
mod http;
mod kill;
mod lists;
mod measure;
mod neighbour;
mod nodes;
mod player;
mod postgres;
mod prices;
mod service;
mod streams;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::json;

use compete::{Contestant, compete};
use http::Manner;
use kill::Fault;
use lists::List;
use player::{Game, Player};
use postgres::Programs;
use service::Service;

/// What can go wrong, in one sentence.
pub type Outcome<T = ()> = Result<T, String>;

/// Plays many matches at once, and measures.
#[derive(Parser)]
#[command(name = "load", about = "Plays many matches at once, and measures.")]
struct Settings {
    /// How many matches are played at once
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=2000))]
    matches: u16,
    /// How long each round is measured, in seconds
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..=3600))]
    seconds: u64,
    /// How long each round is played before, in seconds
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(0..=600))]
    warm_up_s: u64,
    /// How many rounds [default: 1, or 3 when there is something to compare]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1000))]
    rounds: Option<u16>,
    /// Wait until the processors are that free before each round, and count only rounds in which everybody else took at
    /// most so much of them
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(1..=100))]
    quiet: Option<u8>,
    /// The variant. `classic` and `petty-officers` are shot at blindly; in others the client reads an example first
    #[arg(long, default_value = "classic")]
    variant: String,
    /// Send an idempotency key with each order
    #[arg(long)]
    keys: bool,
    /// Use a running service (with its rate limits off) instead of starting one
    #[arg(long, value_name = "URL", conflicts_with_all = ["pgbench", "stored", "kill", "kill_postgres", "kill_connections"])]
    url: Option<String>,
    /// Let pgbench do the least that a durable move needs on the same cluster, in turns
    #[arg(long)]
    pgbench: bool,
    /// Fill the tables with so many finished matches first; several numbers are compared, each on a cluster of its own
    #[arg(long, value_delimiter = ',', value_name = "N", conflicts_with = "pgbench")]
    stored: Vec<u64>,
    /// Instead of moves: fill a pool with so many rated players, and ask for pages of its leaderboard
    #[arg(long, value_name = "PLAYERS", conflicts_with_all = ["url", "pgbench", "stored"], value_parser = clap::value_parser!(u64).range(1000..=10_000_000))]
    leaderboard: Option<u64>,
    /// The same for the standings of a ladder with so many members
    #[arg(long, value_name = "MEMBERS", conflicts_with_all = ["url", "pgbench", "stored"], value_parser = clap::value_parser!(u64).range(1000..=10_000_000))]
    ladder: Option<u64>,
    /// The same for the list of so many tournaments
    #[arg(long, value_name = "N", conflicts_with_all = ["url", "pgbench", "stored"], value_parser = clap::value_parser!(u64).range(1000..=10_000_000))]
    tournaments: Option<u64>,
    /// Instead of measuring: kill the service (SIGKILL) again and again, and check afterwards that no move is lost or
    /// doubled
    #[arg(long)]
    kill: bool,
    /// The same, killing the postmaster of its cluster
    #[arg(long)]
    kill_postgres: bool,
    /// The same, cutting the service's connections to the database
    #[arg(long)]
    kill_connections: bool,
    /// The same, running a command of the shell, which does harm to the database and ends when that is over
    #[arg(long, value_name = "COMMAND")]
    kill_with: Option<String>,
    /// With --nodes and --kill…: play on this database, which somebody else looks after
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["url", "pgbench", "stored", "kill_postgres", "chaos"])]
    database: Option<String>,
    /// Instead: a storm of every kind of fault, over several nodes, a primary and its synchronous standby, with matches
    /// of all families and tournaments: nodes killed, stopped, stalled, with a wrong clock, all down; the primary
    /// killed, silent, lost, its disk full; its standby missing; connections cut, half-open, broken; matches locked
    #[arg(long, conflicts_with_all = ["url", "pgbench", "stored", "kill", "kill_postgres", "kill_connections"])]
    chaos: bool,
    #[command(flatten)]
    storm: chaos::Asked,
    /// How often the service, PostgreSQL or the connections are killed
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    kills: u32,
    /// After the kills, take one acknowledged move out of the log behind the service's back: the check has to notice
    #[arg(long)]
    forge: bool,
    /// Instead: play with and without so many open streams of events, in turns, and say what they cost
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    streams: Option<u32>,
    /// Instead: start a second node, and measure over so many moves how late its streams tell of them
    #[arg(long, value_name = "MOVES", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    delay: Option<u32>,
    /// Instead: play the usual load over so many nodes (4 at most) on one PostgreSQL; several numbers make a curve.
    /// With --chaos: so many nodes are in the storm (10 at most) [default there: 2]
    #[arg(long, value_delimiter = ',', value_name = "N", conflicts_with_all = ["url", "pgbench", "stored"], value_parser = clap::value_parser!(u16).range(1..=10))]
    nodes: Vec<u16>,
    /// Instead: play and sign in at an even pace beside neighbours who call what is expensive, and compare with a quiet
    /// service. The rate limits are on
    #[arg(long, conflicts_with_all = ["url", "pgbench", "stored"])]
    neighbour: bool,
    /// With --neighbour: only the three worst, briefly, on a small match; fail if others are slowed more than this
    /// often
    #[arg(long, value_name = "TIMES", requires = "neighbour", value_parser = clap::value_parser!(u16).range(2..=1000))]
    at_most: Option<u16>,
    /// Instead: call every operation of the contract, and compare the processor time that it takes with its price
    #[arg(long, conflicts_with_all = ["url", "pgbench", "stored"])]
    prices: bool,
    /// Ask for compressed answers, with the headers that browsers send (--neighbour always does)
    #[arg(long)]
    gzip: bool,
    /// Ask for answers without the view (`Prefer: return=minimal`), in games that are shot at blindly, and play with
    /// the view as well, in turns
    #[arg(long, conflicts_with_all = ["url", "stored"])]
    minimal: bool,
    /// Play on another build of the service as well, in turns
    #[arg(long, value_name = "BINARY", conflicts_with_all = ["url", "stored"])]
    beside: Option<PathBuf>,
    /// Where folders are made [default: the system's temporary folder]; the speed of its disk counts
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Where psql and pgbench are, when they aren't found
    #[arg(long, value_name = "DIR")]
    programs: Option<PathBuf>,
    /// What the cells and the moments of the kills are drawn from [default: random]
    #[arg(long)]
    seed: Option<u64>,
    /// `cargo bench` says so; it changes nothing
    #[arg(long, hide = true)]
    bench: bool,
}

impl Settings {
    /// The long list that is asked for, and how many rows it has.
    fn long_list(&self) -> Option<(List, u64)> {
        let leaderboard = self.leaderboard.map(|players| (List::Leaderboard, players));
        let ladder = || self.ladder.map(|members| (List::Ladder, members));
        leaderboard.or_else(ladder).or_else(|| self.tournaments.map(|tournaments| (List::Tournaments, tournaments)))
    }

    /// The kinds of faults that are asked for.
    fn kinds(&self) -> Vec<Fault> {
        let asked = [
            (self.kill, Fault::Kill),
            (self.kill_postgres, Fault::KillPostgres),
            (self.kill_connections, Fault::CutConnections),
            (self.kill_with.is_some(), Fault::Command),
        ];
        asked.into_iter().filter(|(asked, _)| *asked).map(|(_, fault)| fault).collect()
    }

    fn manner(&self) -> Manner {
        Manner { gzip: self.gzip, minimal: self.minimal, ..Manner::default() }
    }
}

fn main() -> ExitCode {
    let settings = Settings::parse();
    // One thread: what the client takes is missing elsewhere.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let done = match runtime {
        Ok(runtime) => runtime.block_on(run(&settings)),
        Err(error) => Err(error.to_string()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            println!("FAILED: {sentence}");
            ExitCode::FAILURE
        }
    }
}

async fn run(settings: &Settings) -> Outcome {
    let seed = settings.seed.unwrap_or_else(|| rand::rng().random());
    let parent = settings.folder.clone().unwrap_or_else(std::env::temp_dir);
    let programs = Programs::find(settings.programs.as_deref());
    match instead_of_moves(settings, &parent, programs.clone(), seed).await {
        Some(done) => done,
        None => moves(settings, &parent, programs, seed).await,
    }
}

/// What is asked for instead of measured moves, if anything is.
async fn instead_of_moves(
    settings: &Settings,
    parent: &std::path::Path,
    programs: Option<Programs>,
    seed: u64,
) -> Option<Outcome> {
    let sql = || programs.clone().ok_or_else(|| "this needs psql; --programs names its folder".to_owned());
    let done = async {
        if !settings.kinds().is_empty() {
            let plan = kill::Plan::of(settings, seed);
            let service = Service::start_on(parent, settings.database.as_deref())?;
            kill::run(service, plan, programs.clone()).await?;
        } else if settings.chaos {
            let plan = chaos::Plan::of(settings, seed);
            chaos::run(plan, parent, settings.programs.as_deref()).await?;
        } else if let Some(count) = settings.streams {
            streams::burden(settings, Service::start(parent)?, &sql()?, count as usize, seed).await?;
        } else if let Some(moves) = settings.delay {
            streams::delay(Service::start(parent)?, moves as usize, settings.matches.into(), seed).await?;
        } else if !settings.nodes.is_empty() {
            nodes::run(settings, parent, &settings.nodes, seed).await?;
        } else if settings.neighbour {
            let (length, at_most) = (Duration::from_secs(settings.seconds), settings.at_most.map(f64::from));
            neighbour::run(Service::start_limited(parent)?, length, at_most, seed).await?;
        } else if settings.prices {
            prices::run(Service::start(parent)?).await?;
        } else if let Some((list, rows)) = settings.long_list() {
            lists::run(Service::start(parent)?, &sql()?, list, rows, seed).await?;
        } else {
            return Ok(false);
        }
        Ok(true)
    };
    match done.await {
        Ok(false) => None,
        Ok(true) => Some(Ok(())),
        Err(sentence) => Some(Err(sentence)),
    }
}

/// Plays, measures, and compares.
async fn moves(settings: &Settings, parent: &std::path::Path, programs: Option<Programs>, seed: u64) -> Outcome {
    let mut contestants = Vec::new();
    if let Some(url) = &settings.url {
        contestants.push(
            Contestant::at("broadside", address(url)?, None, settings.matches.into(), seed, settings.manner()).await?,
        );
    } else {
        let stored = if settings.stored.is_empty() { vec![0] } else { settings.stored.clone() };
        for copies in stored {
            contestants.push(prepare(settings, parent, programs.as_ref(), copies, seed).await?);
        }
        if settings.minimal {
            let full = Manner { minimal: false, ..settings.manner() };
            contestants.push(another(settings, "with the view", Service::start(parent)?, full, seed).await?);
        }
        if let Some(binary) = &settings.beside {
            let (name, service) = (binary.display().to_string(), Service::start_build(parent, binary)?);
            contestants.push(another(settings, &name, service, settings.manner(), seed).await?);
        }
    }
    let beside = programs.filter(|_| settings.pgbench);
    if settings.pgbench && beside.is_none() {
        println!(
            "psql and pgbench were not found (--programs names their folder), so there is nothing to compare with"
        );
    }
    compete(settings, contestants, beside).await
}

/// The players of another service.
async fn another(settings: &Settings, name: &str, service: Service, manner: Manner, seed: u64) -> Outcome<Contestant> {
    let (address, pids) = (service.address, [service.pid(), service.postmaster()?]);
    Contestant::at(name, address, Some((service, pids)), settings.matches.into(), seed, manner).await
}

/// A service with `copies` finished matches in its tables, and its players.
async fn prepare(
    settings: &Settings,
    parent: &std::path::Path,
    programs: Option<&Programs>,
    copies: u64,
    seed: u64,
) -> Outcome<Contestant> {
    let service = Service::start(parent)?;
    let name = if copies == 0 { "broadside".to_owned() } else { format!("with {copies} stored") };
    let mut contestant = another(settings, &name, service, settings.manner(), seed).await?;
    if copies > 0 {
        let programs = programs.ok_or("--stored needs psql; --programs names its folder")?;
        let id = short_match(&mut contestant.tables[0].players).await?;
        if let Some((service, _)) = &contestant.service {
            postgres::fill(programs, service, &id, 0, copies)?;
        }
        println!("{name}: filled");
    }
    Ok(contestant)
}

/// Plays a match of eight shots to its end by resignation.
async fn short_match(players: &mut [Player; 2]) -> Outcome<String> {
    let mut dice = StdRng::seed_from_u64(1);
    let mut game = Game::begin(players, "classic", &mut dice).await?;
    for _ in 0..8 {
        let cell = game.next_cell().ok_or("a sea without cells")?;
        let order = json!({ "action": { "type": "fire", "cells": [cell] } });
        let answer = players[game.turn].ask("POST", &game.actions, &order).await?;
        game.go_on(answer.to_string().as_bytes());
    }
    let resigned = players[0].ask("POST", &game.actions, &json!({ "action": { "type": "resign" } })).await?;
    Ok(player::text(&resigned["match"], "id")?.to_owned())
}

fn address(url: &str) -> Outcome<SocketAddr> {
    let rest = url.trim_end_matches('/').strip_prefix("http://").unwrap_or(url);
    let mut found = std::net::ToSocketAddrs::to_socket_addrs(rest).map_err(|error| format!("{url}: {error}"))?;
    found.next().ok_or_else(|| format!("{url} is nowhere"))
}

/// Registers two players for each of `pairs` matches, two at a time: hashing their passwords is meant to be slow.
pub async fn register(address: SocketAddr, run: u32, pairs: usize, manner: Manner) -> Outcome<Vec<[Player; 2]>> {
    let mut players = Vec::new();
    for pair in 0..pairs {
        let [host, guest] = [2 * pair, 2 * pair + 1].map(|n| Player::register(address, player::name(run, n), manner));
        let (host, guest) = tokio::join!(host, guest);
        players.push([host?, guest?]);
    }
    Ok(players)
}
