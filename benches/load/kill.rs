//! Many clients play while a service or its PostgreSQL is killed repeatedly ([`faults`]). Each client keeps a book of
//! its responses ([`crate::books`]). Afterwards every match is read and compared: an acknowledged move is there once
//! and in its place, an unacknowledged one at most once, and nothing else.
//!
//! This is the short form, on the private PostgreSQL. [`crate::chaos`] is the long one.

mod faults;

use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::books::client::Client;
use super::books::table::{BLIND, Habits, Table};
use super::books::{Around, compare, read};
use super::http::Manner;
use super::postgres::Programs;
use super::service::Service;
use super::{Outcome, Settings, register};
use faults::Victim;

pub use faults::Fault;

/// Time for which a client retries a request. A start after a kill takes a second or two.
const PATIENCE: Duration = Duration::from_secs(60);
/// Long enough that no match ends on time, in seconds.
const MOVE_S: u32 = 259_200;

/// The plan of a run.
pub struct Plan {
    /// The faults to choose from, equally likely.
    pub faults: Vec<Fault>,
    /// The shell command of the caller's own fault.
    pub command: Option<String>,
    /// The number of faults.
    pub kills: u32,
    /// Matches played at once.
    pub matches: usize,
    pub seed: u64,
    /// True if a move is removed at the end, to show that the check notices.
    pub forge: bool,
}

impl Plan {
    /// The plan by the settings.
    pub fn of(settings: &Settings, seed: u64) -> Self {
        Self {
            faults: settings.kinds(),
            command: settings.kill_with.clone(),
            kills: settings.kills,
            matches: settings.matches.into(),
            seed,
            forge: settings.forge,
        }
    }
}

/// Plays, causes the faults, and checks.
pub async fn run(service: Service, plan: Plan, programs: Option<Programs>) -> Outcome {
    println!("{} faults, {} matches at once, seed {}", plan.kills, plan.matches, plan.seed);
    let around = Around::new(vec![service.address], PATIENCE);
    let habits = Arc::new(Habits { variants: vec![BLIND.to_owned()], move_s: MOVE_S, left_move_s: None });
    let players = register(service.address, rand::rng().random(), plan.matches, Manner::default()).await?;
    let mut playing = Vec::new();
    for (seed, players) in (plan.seed..).zip(players) {
        let clients = players.map(|player| Client::new(player, &around, 0, seed));
        let table = Table::new(clients, &habits, StdRng::seed_from_u64(seed));
        playing.push(tokio::spawn(play(table)));
    }
    let begun = Instant::now();
    let forge = plan.forge;
    let mut victim = Victim { service, programs };
    // On its own thread, so that the clients continue without responses.
    let suffering = tokio::task::spawn_blocking(move || {
        let said = victim.suffer(&plan);
        (victim, said)
    });
    let suffered = suffering.await.map_err(|error| error.to_string());
    around.stop();
    let (mut victim, said) = suffered?;
    let (mut tables, mut failures) = (Vec::new(), Vec::new());
    for table in playing {
        match table.await.map_err(|error| error.to_string())? {
            Ok(table) => tables.push(table),
            Err(error) => failures.push(error),
        }
    }
    println!("{} in {:.0} s", said?, begun.elapsed().as_secs_f64());
    if forge {
        victim.take_a_move()?;
    }
    let service = victim.service;
    match failures.first() {
        Some(one) => Err(format!("{} clients were answered wrongly, one so: {one}\n{}", failures.len(), service.log())),
        None => check(service, &around, tables).await,
    }
}

/// One table: match after match, until told to stop.
async fn play(mut table: Table) -> Outcome<Table> {
    while !table.clients[0].around().is_stopping() {
        table.one_match().await?;
    }
    Ok(table)
}

/// Reads everything, compares, stops the service and runs its audit of the folder.
async fn check(mut service: Service, around: &Around, mut tables: Vec<Table>) -> Outcome {
    for table in &mut tables {
        table.compare_due(true).await?;
        compare::compare_lists(table).await?;
    }
    let findings = &around.findings;
    let again: usize = tables.iter().flat_map(|table| &table.clients).map(|client| client.again).sum();
    let given_up: usize = tables.iter().map(|table| table.given_up).sum();
    println!(
        "{} matches, {} shots acknowledged, {} events told; {again} requests sent again under their key; {given_up} given \
         up, {} of them had happened",
        read(&findings.matches),
        read(&findings.shots),
        read(&findings.events),
        read(&findings.given_up_and_there)
    );
    let clients = tables.iter().flat_map(|table| &table.clients);
    let mut waits_ms: Vec<u32> = clients.flat_map(|client| client.waits.iter().map(|wait| wait.ms)).collect();
    if let Some([middle, late, last]) = three(&mut waits_ms) {
        println!(
            "{} times a client was not answered; the next answer came after {middle} ms in the middle, {late} ms at p99, \
             {last} ms at most",
            waits_ms.len()
        );
    }
    println!("{} matches were rated", read(&findings.rated));
    if read(&findings.rated) == 0 {
        findings.add("no rated match has come to its end, so nothing was shown of ratings");
    }
    service.stop()?;
    for command in [&["audit"][..], &["ratings", "verify"]] {
        let (good, words) = service.command(command)?;
        let command = command.join(" ");
        println!("{command}: {words}");
        if !good {
            findings.add(&format!("`{command}` found faults"));
        }
    }
    match findings.all().0 {
        0 => println!("nothing lost, nothing doubled, nothing halved"),
        faults => return Err(format!("{faults} faults")),
    }
    Ok(())
}

/// The median, the 99th percentile, and the maximum, if there is any value. Sorts the values.
pub fn three(values: &mut [u32]) -> Option<[u32; 3]> {
    values.sort_unstable();
    let last = *values.last()?;
    let at = |share: f64| values[((values.len() as f64 * share) as usize).min(values.len() - 1)];
    Some([at(0.5), at(0.99), last])
}
