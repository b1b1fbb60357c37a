//! Rounds: all contestants take their turn in each, and ratios are computed within a round, so that disturbances of the
//! machine affect all alike.

use std::net::SocketAddr;
use std::time::Duration;

use rand::RngExt;

use super::http::Manner;
use super::measure::{self, Load, Round, Span, Table};
use super::postgres::{self, Programs};
use super::service::Service;
use super::{Outcome, Settings, register};

/// With `--quiet`: the most rounds played for each wanted one.
const MOST_ATTEMPTS: u16 = 5;

/// A participant in every round.
pub struct Contestant {
    /// The name in the report.
    pub name: String,
    /// Its service, with the ids of its process and of its postmaster; `None` if it was running before.
    pub service: Option<(Service, [u32; 2])>,
    pub tables: Vec<Table>,
    rounds: Vec<Round>,
}

impl Contestant {
    /// Registers players with the service at `address`.
    pub async fn at(
        name: &str,
        address: SocketAddr,
        service: Option<(Service, [u32; 2])>,
        matches: usize,
        seed: u64,
        manner: Manner,
    ) -> Outcome<Self> {
        let run = rand::rng().random();
        let mut tables = Vec::new();
        for (table, players) in register(address, run, matches, manner).await?.into_iter().enumerate() {
            tables.push(Table::new(players, seed.wrapping_add(table as u64)));
        }
        Ok(Self { name: name.to_owned(), service, tables, rounds: Vec::new() })
    }

    async fn play(&mut self, load: &Load, span: Span, programs: Option<&Programs>) -> Outcome {
        // Access tokens expire after 15 minutes, and connections idle during others' rounds even earlier.
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

/// Plays all rounds one after the other, so that disturbances of the machine affect all contestants.
pub async fn compete(settings: &Settings, mut contestants: Vec<Contestant>, beside: Option<Programs>) -> Outcome {
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
    // The first of a round is the last of the next one, because a machine may slow down under work.
    let mut turns: Vec<Option<usize>> = (0..contestants.len()).map(Some).collect();
    turns.extend(beside.is_some().then_some(None));
    while counted < rounds && played < rounds.saturating_mul(MOST_ATTEMPTS) {
        played += 1;
        let mut disturbed = false;
        for turn in &turns {
            if settings.quiet.is_some() {
                measure::wait_for_quiet(quiet).await;
            }
            if let Some(n) = *turn {
                contestants[n].play(&load, span, programs.as_ref()).await?;
                let last = contestants[n].rounds.last();
                disturbed |= last.is_some_and(|last| print(played, &contestants[n].name, last, quiet));
            } else if let (Some(programs), Some((service, _))) = (&beside, &contestants[0].service) {
                let measured = postgres::round(programs, service, settings.matches.into(), span)?;
                disturbed |= print(played, "pgbench", &measured, quiet);
                others.push(measured);
            }
        }
        turns.reverse();
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

/// Prints the settings, and the heading of the table of rounds.
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

/// Prints a round, and returns whether it was disturbed.
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

/// Prints the medians, and the ratios of the first to each of the others.
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
