//! A load for the service: many matches at once, played from the first shot to the last by a light client over kept
//! connections.
//!
//! ```text
//! cargo bench --bench load                                      how many durable moves a second, how long they take
//! cargo bench --bench load -- --matches 64 --pgbench            the same beside pgbench, on the same cluster, in turns
//! cargo bench --bench load -- --kill --kill-postgres            is every acknowledged move there after each kill?
//! cargo bench --bench load -- --chaos --minutes 60 --nodes 4    the same in a long storm of every kind of fault
//! cargo bench --bench load -- --neighbour                       how much can one visitor slow the others?
//! cargo bench --bench load -- --nodes 1,2,4                     what do more nodes on one PostgreSQL bring?
//! cargo bench --bench load -- --nodes 2 --database ADDRESS      the same on a database of your own
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
mod measure;
mod neighbour;
mod nodes;
mod player;
mod postgres;
mod service;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use rand::RngExt;

use compete::{Contestant, compete};
use http::Manner;
use kill::Fault;
use player::Player;
use postgres::Programs;
use service::Service;

/// Errors are one sentence.
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
    #[arg(long, value_name = "URL", conflicts_with_all = ["pgbench", "kill", "kill_postgres", "kill_connections"])]
    url: Option<String>,
    /// Let pgbench do the least that a durable move needs on the same cluster, in turns
    #[arg(long)]
    pgbench: bool,
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
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["url", "pgbench", "kill_postgres", "chaos"])]
    database: Option<String>,
    /// Instead: a storm of every kind of fault, over several nodes, a primary and its synchronous standby, with matches
    /// of all families and tournaments: nodes killed, stopped, stalled, with a wrong clock, all down; the primary
    /// killed, silent, lost, its disk full; its standby missing; connections cut, half-open, broken; matches locked
    #[arg(long, conflicts_with_all = ["url", "pgbench", "kill", "kill_postgres", "kill_connections"])]
    chaos: bool,
    #[command(flatten)]
    storm: chaos::Asked,
    /// How often the service, PostgreSQL or the connections are killed
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    kills: u32,
    /// After the kills, take one acknowledged move out of the log behind the service's back: the check has to notice
    #[arg(long)]
    forge: bool,
    /// Instead: play the usual load over so many nodes (4 at most) on one PostgreSQL; several numbers make a curve.
    /// With --chaos: so many nodes are in the storm (10 at most) [default there: 2]
    #[arg(long, value_delimiter = ',', value_name = "N", conflicts_with_all = ["url", "pgbench"], value_parser = clap::value_parser!(u16).range(1..=10))]
    nodes: Vec<u16>,
    /// Instead: play and sign in at an even pace beside neighbours who call what is expensive, and compare with a quiet
    /// service. The rate limits are on
    #[arg(long, conflicts_with_all = ["url", "pgbench"])]
    neighbour: bool,
    /// With --neighbour: only the three worst, briefly, on a small match; fail if others are slowed more than this
    /// often
    #[arg(long, value_name = "TIMES", requires = "neighbour", value_parser = clap::value_parser!(u16).range(2..=1000))]
    at_most: Option<u16>,
    /// Ask for compressed answers, with the headers that browsers send (--neighbour always does)
    #[arg(long)]
    gzip: bool,
    /// Play on another build of the service as well, in turns
    #[arg(long, value_name = "BINARY", conflicts_with_all = ["url"])]
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
    /// The requested kinds of faults.
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
        Manner { gzip: self.gzip, ..Manner::default() }
    }
}

fn main() -> ExitCode {
    let settings = Settings::parse();
    // A single thread, to leave the processors to the service.
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
    if !settings.kinds().is_empty() {
        let service = Service::start_on(&parent, settings.database.as_deref())?;
        kill::run(service, kill::Plan::of(settings, seed), programs).await
    } else if settings.chaos {
        chaos::run(chaos::Plan::of(settings, seed), &parent, settings.programs.as_deref()).await
    } else if !settings.nodes.is_empty() {
        nodes::run(settings, &parent, &settings.nodes, seed).await
    } else if settings.neighbour {
        let (length, at_most) = (Duration::from_secs(settings.seconds), settings.at_most.map(f64::from));
        neighbour::run(Service::start_limited(&parent)?, length, at_most, seed).await
    } else {
        moves(settings, &parent, programs, seed).await
    }
}

/// Plays, measures, and compares.
async fn moves(settings: &Settings, parent: &Path, programs: Option<Programs>, seed: u64) -> Outcome {
    let mut contestants = Vec::new();
    if let Some(url) = &settings.url {
        contestants.push(
            Contestant::at("broadside", address(url)?, None, settings.matches.into(), seed, settings.manner()).await?,
        );
    } else {
        let service = Service::start(parent)?;
        contestants.push(another(settings, "broadside", service, seed).await?);
        if let Some(binary) = &settings.beside {
            let (name, service) = (binary.display().to_string(), Service::start_build(parent, binary)?);
            contestants.push(another(settings, &name, service, seed).await?);
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
async fn another(settings: &Settings, name: &str, service: Service, seed: u64) -> Outcome<Contestant> {
    let (address, pids) = (service.address, [service.pid(), service.postmaster()?]);
    Contestant::at(name, address, Some((service, pids)), settings.matches.into(), seed, settings.manner()).await
}

fn address(url: &str) -> Outcome<SocketAddr> {
    let rest = url.trim_end_matches('/').strip_prefix("http://").unwrap_or(url);
    let mut found = std::net::ToSocketAddrs::to_socket_addrs(rest).map_err(|error| format!("{url}: {error}"))?;
    found.next().ok_or_else(|| format!("{url} is nowhere"))
}

/// Registers two players for each of `pairs` matches, two at a time, because hashing their passwords is deliberately
/// slow.
pub async fn register(address: SocketAddr, run: u32, pairs: usize, manner: Manner) -> Outcome<Vec<[Player; 2]>> {
    let mut players = Vec::new();
    for pair in 0..pairs {
        let [host, guest] = [2 * pair, 2 * pair + 1].map(|n| Player::register(address, player::name(run, n), manner));
        let (host, guest) = tokio::join!(host, guest);
        players.push([host?, guest?]);
    }
    Ok(players)
}
