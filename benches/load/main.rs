//! A load for the service: many matches at once, played from the first shot to the last by a light client over kept connections.
//!
//! ```text
//! cargo bench --bench load                                      how many durable moves a second, and how long they take
//! cargo bench --bench load -- --matches 64 --pgbench            the same beside pgbench, on the same cluster, in turns
//! cargo bench --bench load -- --stored 10000,1000000            does it matter how many matches are stored?
//! cargo bench --bench load -- --kill --kill-postgres            is every acknowledged move there after each kill?
//! ```
//!
//! It starts the service itself, in a folder that is removed afterwards. `docs/PERFORMANCE.md` says what is measured and how to read it. This is no
//! part of the test suite: it takes its time and wants a quiet machine.
#![expect(clippy::print_stdout, reason = "a report is what this program is for")]

mod http;
mod kill;
mod measure;
mod player;
mod postgres;
mod service;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::json;

use measure::{Load, Round, Span, Table};
use player::{Game, Player};
use postgres::Programs;
use service::Service;

/// With `--quiet`: how many rounds are played at most for each that is wanted.
const MOST_ATTEMPTS: u16 = 5;

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
    /// Wait until the processors are that free before each round, and count only rounds in which everybody else took at most so much of them
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
    /// Instead of measuring: kill the service (SIGKILL) again and again, and check afterwards that no move is lost or doubled
    #[arg(long)]
    kill: bool,
    /// The same, killing the postmaster of its cluster
    #[arg(long)]
    kill_postgres: bool,
    /// The same, cutting the service's connections to the database
    #[arg(long)]
    kill_connections: bool,
    /// How often
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    kills: u32,
    /// After the kills, take one acknowledged move out of the log behind the service's back: the check has to notice
    #[arg(long)]
    forge: bool,
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
    if settings.kill || settings.kill_postgres || settings.kill_connections {
        let faults = kill::Fault::among(settings.kill, settings.kill_postgres, settings.kill_connections);
        let (kills, matches) = (settings.kills, settings.matches.into());
        let plan = kill::Plan { faults, kills, matches, seed, forge: settings.forge };
        return kill::run(Service::start(&parent)?, plan, programs).await;
    }
    let mut contestants = Vec::new();
    if let Some(url) = &settings.url {
        contestants.push(Contestant::at("broadside", address(url)?, None, settings, seed).await?);
    } else {
        let stored = if settings.stored.is_empty() { vec![0] } else { settings.stored.clone() };
        for copies in stored {
            contestants.push(prepare(settings, &parent, programs.as_ref(), copies, seed).await?);
        }
    }
    let beside = match (settings.pgbench, programs) {
        (true, None) => {
            println!(
                "psql and pgbench were not found (--programs names their folder), so there is nothing to compare with"
            );
            None
        }
        (true, found) => found,
        (false, _) => None,
    };
    compete(settings, contestants, beside).await
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
    let (address, pids) = (service.address, [service.pid(), service.postmaster()?]);
    let mut contestant = Contestant::at(&name, address, Some((service, pids)), settings, seed).await?;
    if copies > 0 {
        let programs = programs.ok_or("--stored needs psql; --programs names its folder")?;
        let id = short_match(&mut contestant.tables[0].players).await?;
        if let Some((service, _)) = &contestant.service {
            postgres::fill(programs, service, &id, copies)?;
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

/// One that takes part in every round.
struct Contestant {
    name: String,
    service: Option<(Service, [u32; 2])>,
    tables: Vec<Table>,
    rounds: Vec<Round>,
}

impl Contestant {
    async fn at(
        name: &str,
        address: SocketAddr,
        service: Option<(Service, [u32; 2])>,
        settings: &Settings,
        seed: u64,
    ) -> Outcome<Self> {
        let run = rand::rng().random();
        let mut tables = Vec::new();
        for (table, players) in register(address, run, settings.matches.into()).await?.into_iter().enumerate() {
            tables.push(Table::new(players, seed.wrapping_add(table as u64)));
        }
        Ok(Self { name: name.to_owned(), service, tables, rounds: Vec::new() })
    }

    async fn play(&mut self, load: &Load, span: Span, programs: Option<&Programs>) -> Outcome {
        // Access tokens last for 15 minutes, and a connection that is idle while others have their rounds for less.
        for table in &mut self.tables {
            for player in &mut table.players {
                player.connection.close();
                player.sign_in().await?;
            }
        }
        if let (Some(programs), Some((service, _))) = (programs, &self.service) {
            programs.checkpoint(service)?;
        }
        let watched = self.service.as_ref().map(|(_, pids)| *pids);
        let (tables, round) = measure::round(std::mem::take(&mut self.tables), load, span, watched).await?;
        self.tables = tables;
        self.rounds.push(round);
        Ok(())
    }
}

/// Registers two players for each of `pairs` matches, two at a time: hashing their passwords is meant to be slow.
pub async fn register(address: SocketAddr, run: u32, pairs: usize) -> Outcome<Vec<[Player; 2]>> {
    let mut players = Vec::new();
    for pair in 0..pairs {
        let [host, guest] = [2 * pair, 2 * pair + 1].map(|n| Player::register(address, player::name(run, n)));
        let (host, guest) = tokio::join!(host, guest);
        players.push([host?, guest?]);
    }
    Ok(players)
}

/// Round after round, one after the other, so that whatever else the machine does hits all of them.
async fn compete(settings: &Settings, mut contestants: Vec<Contestant>, beside: Option<Programs>) -> Outcome {
    let span =
        Span { warm_up: Duration::from_secs(settings.warm_up_s), measured: Duration::from_secs(settings.seconds) };
    let load = Load { variant: settings.variant.clone(), keys: settings.keys };
    let comparing = beside.is_some() || contestants.len() > 1;
    let rounds = settings.rounds.unwrap_or(if comparing { 3 } else { 1 });
    let programs = Programs::find(settings.programs.as_deref());
    let mut others: Vec<Round> = Vec::new();
    print_heading(settings, &load);
    let quiet = f64::from(settings.quiet.unwrap_or(100)) / 100.0;
    let (mut counted, mut played) = (0, 0);
    while counted < rounds && played < rounds.saturating_mul(MOST_ATTEMPTS) {
        played += 1;
        let mut disturbed = false;
        for contestant in &mut contestants {
            if settings.quiet.is_some() {
                measure::wait_for_quiet(quiet).await;
            }
            contestant.play(&load, span, programs.as_ref()).await?;
            if let Some(last) = contestant.rounds.last() {
                disturbed |= print(played, &contestant.name, last, quiet);
            }
        }
        if let (Some(programs), Some((service, _))) = (&beside, &contestants[0].service) {
            if settings.quiet.is_some() {
                measure::wait_for_quiet(quiet).await;
            }
            let measured = postgres::round(programs, service, settings.matches.into(), span)?;
            disturbed |= print(played, "pgbench", &measured, quiet);
            others.push(measured);
        }
        if disturbed {
            contestants.iter_mut().for_each(|contestant| drop(contestant.rounds.pop()));
            others.pop();
        } else {
            counted += 1;
        }
    }
    if counted < rounds {
        println!("only {counted} rounds were quiet enough");
    }
    let mut all: Vec<(&str, &[Round])> =
        contestants.iter().map(|contestant| (contestant.name.as_str(), contestant.rounds.as_slice())).collect();
    if !others.is_empty() {
        all.push(("pgbench", &others));
    }
    summarise(&all);
    let errors = contestants.iter().flat_map(|contestant| &contestant.rounds).find_map(|round| round.errors.1.as_ref());
    match errors {
        Some(error) => Err(format!("there were wrong answers, such as: {error}")),
        None => Ok(()),
    }
}

/// Prints what is played, and the heading of the table of rounds.
fn print_heading(settings: &Settings, load: &Load) {
    println!(
        "{} matches of {} at once, {} s a round after {} s of warm-up{}",
        settings.matches,
        load.variant,
        settings.seconds,
        settings.warm_up_s,
        if load.keys { ", with idempotency keys" } else { "" }
    );
    println!(
        "{:>5}  {:<22} {:>8}  {:>7}  {:>7}  {:>6}  {:>6}  µs of processor a move",
        "round", "", "moves/s", "p50 ms", "p99 ms", "errors", "others"
    );
}

/// Prints a round, and says whether it was disturbed.
fn print(round: u16, name: &str, measured: &Round, quiet: f64) -> bool {
    let cpu = measured.cpu_us.map_or_else(String::new, |[client, service, database]| {
        format!("client {client:.0}, service {service:.0}, PostgreSQL {database:.0}")
    });
    let others = measured.others.map_or_else(String::new, |share| format!("{:.0} %", share * 100.0));
    let disturbed = measured.others.is_some_and(|share| share > quiet);
    println!(
        "{round:>5}  {name:<22} {:>8.0}  {:>7.2}  {:>7.2}  {:>6}  {others:>6}  {cpu}{}",
        measured.moves_per_s,
        measured.percentile_ms(0.5),
        measured.percentile_ms(0.99),
        measured.errors.0,
        if disturbed { " (disturbed: not counted)" } else { "" },
    );
    disturbed
}

/// The medians, and how the first fares beside each of the others.
fn summarise(all: &[(&str, &[Round])]) {
    let Some(((first, firsts), rest)) = all.split_first() else { return };
    let [p50, p99] = [0.5, 0.99].map(|share| move |round: &Round| round.percentile_ms(share));
    for (name, rounds) in all {
        println!(
            "{:>5}  {name:<22} {:>8.0}  {:>7.2}  {:>7.2}",
            "mid",
            median(rounds.iter().map(|round| round.moves_per_s)),
            median(rounds.iter().map(p50)),
            median(rounds.iter().map(p99)),
        );
    }
    if let Some(last) = firsts.last().filter(|round| !round.parts_us.is_empty()) {
        let parts: Vec<String> = last.parts_us.iter().map(|us| format!("{:.2}", f64::from(*us) / 1000.0)).collect();
        println!("p50 ms of the moves 1–50, 51–100, 101–150 and later of a match: {}", parts.join(", "));
    }
    for (name, rounds) in rest {
        let ratios: Vec<f64> =
            firsts.iter().zip(*rounds).map(|(one, other)| one.moves_per_s / other.moves_per_s).collect();
        let each: Vec<String> = ratios.iter().map(|ratio| format!("{ratio:.2}")).collect();
        let middle = median(ratios.into_iter());
        println!("{first} / {name}: {} in each round, {middle:.2} in the middle", each.join(", "));
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => f64::NAN,
        length if length % 2 == 1 => values[middle],
        _ => f64::midpoint(values[middle - 1], values[middle]),
    }
}
