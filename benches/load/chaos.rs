//! The storm: many clients play matches of all families, and tournaments, on several nodes over a primary and its
//! synchronous standby, under random faults of every kind that an operator may meet ([`nodes`], [`database`]), for any
//! length of time. Matches are compared some time after their end and then forgotten ([`crate::books`]), so a storm of
//! hours needs no more memory than one of minutes.
//!
//! Two independent hands cause the faults, one for the nodes and one for the database: so a node may be killed in the
//! middle of a failover. With `--one-by-one` they take turns, and wait for full recovery, which measures the effect of
//! a single fault. The seed determines the faults, and the machine their times.

mod contests;
mod database;
mod disk;
mod forwarder;
mod nodes;
mod pair;
mod plan;
mod processes;
mod report;
mod server;
mod stage;

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinHandle;

use super::Outcome;
use super::books::client::Client;
use super::books::table::{Habits, Table};
use super::books::{Around, compare, read};
use super::http::Manner;
use super::player::{self, Player};
use contests::Contest;
use database::Database;
use nodes::Nodes;
use plan::{Kind, span};
use stage::Stage;

pub use plan::{Asked, Plan};

/// Time for which a client retries a request: longer than any fault.
const PATIENCE: Duration = Duration::from_secs(240);
/// The time for a move, in seconds: short, so that clocks running unfairly are noticed.
const MOVE_S: u32 = 60;
/// The time for a move in a match that a player leaves, in seconds.
const LEFT_MOVE_S: u32 = 30;
/// The time for a move, in seconds, if the last matches are needed for a forgery.
const LONG_MOVE_S: u32 = 259_200;
/// Quiet time after the last fault, for outstanding responses.
const PEACE: Duration = Duration::from_secs(5);

/// The state shared with the hands that cause faults.
struct Hands {
    around: Arc<Around>,
    /// The number of faults of each kind.
    faults: Vec<AtomicU64>,
    ending: AtomicBool,
    /// The kinds that are impossible here.
    left_out: Vec<Kind>,
    /// Longest pause of a hand, in milliseconds.
    pause_ms: u64,
    /// The turn, if the hands take turns.
    turn: Option<Mutex<()>>,
}

/// Runs a storm in a folder beneath `parent`, with the programs of PostgreSQL in the folder `programs` or on the usual
/// paths, and checks its result.
pub async fn run(plan: Plan, parent: &Path, programs: Option<&Path>) -> Outcome {
    let plan = plan.with_an_end();
    let (nodes, matches, seed) = (plan.nodes, plan.matches, plan.seed);
    println!("a storm over {nodes} nodes, {matches} matches and tournaments at once, seed {seed}");
    let stage = Stage::set(&plan, parent, programs)?;
    let around = Around::new(stage.nodes.nodes.iter().map(|node| node.address).collect(), PATIENCE);
    let (tables, contests) = invite(&plan, &around).await?;
    let hands = Arc::new(Hands {
        around: Arc::clone(&around),
        faults: Kind::ALL.iter().map(|_| AtomicU64::new(0)).collect(),
        ending: AtomicBool::new(false),
        left_out: stage.left_out(),
        pause_ms: 1000 * u64::from(plan.pause_s),
        turn: plan.one_by_one.then(Mutex::default),
    });
    let playing: Vec<_> = tables.into_iter().map(|table| tokio::spawn(play(table, !plan.forge))).collect();
    let competing: Vec<_> = contests.into_iter().map(|contest| tokio::spawn(contest.play())).collect();
    let begun = Instant::now();
    let Stage { nodes, database, folder } = stage;
    let mut dice = StdRng::seed_from_u64(!seed);
    let of_nodes = Hands::work(&hands, nodes, &Kind::ALL[..Kind::OF_NODES], StdRng::seed_from_u64(dice.random()));
    let of_database = Hands::work(&hands, database, &Kind::ALL[Kind::OF_NODES..], StdRng::seed_from_u64(dice.random()));
    wait_for_the_end(&plan, &around, &hands, begun, (&of_nodes, &of_database)).await?;
    hands.ending.store(true, Ordering::Relaxed);
    let (nodes, database) = (of_nodes.await, of_database.await);
    let lasted = begun.elapsed();
    let ((nodes, nodes_done), (database, database_done)) =
        (nodes.map_err(|error| error.to_string())?, database.map_err(|error| error.to_string())?);
    let mut stage = Stage { nodes, database, folder };
    let done = nodes_done.and(database_done);
    tokio::time::sleep(PEACE).await;
    around.stop();
    let (tables, contests) = (joined(playing).await?, joined(competing).await?);
    println!("after {:.0} s of storm there is peace, and everything is read", lasted.as_secs_f64());
    if let Err(error) = done {
        around.findings.add(&format!("the storm ended itself: {error}"));
    }
    if plan.forge {
        stage.forge()?;
    }
    let mut storm = report::Storm {
        plan: &plan,
        lasted,
        faults: hands.faults.iter().map(read).collect(),
        waits: Vec::new(),
        given_up: 0,
        again: 0,
        tournaments: 0,
        epochs: 0,
    };
    check(&stage, &around, tables, contests, &mut storm).await;
    stage.audit(&around)?;
    report::print(&storm, &around);
    stage.keep_logs(&around, seed);
    match around.findings.all().0 {
        0 => println!("nothing lost, nothing doubled, nothing halved"),
        findings => return Err(format!("{findings} findings")),
    }
    Ok(())
}

/// Waits for the end of the storm: planned, requested, or because a hand can't continue.
async fn wait_for_the_end<T, U>(
    plan: &Plan,
    around: &Around,
    hands: &Hands,
    begun: Instant,
    (one, other): (&JoinHandle<T>, &JoinHandle<U>),
) -> Outcome {
    let stop = |kind| signal(kind).map_err(|error| error.to_string());
    let (mut interrupt, mut terminate) = (stop(SignalKind::interrupt())?, stop(SignalKind::terminate())?);
    let mut told = begun;
    loop {
        tokio::select! {
            _ = interrupt.recv() => break,
            _ = terminate.recv() => break,
            () = tokio::time::sleep(Duration::from_millis(200)) => {}
        }
        let (moves, faults) = (read(&around.moves), hands.faults.iter().map(read).sum());
        if plan.is_over(begun.elapsed(), moves, faults) || one.is_finished() || other.is_finished() {
            return Ok(());
        }
        if told.elapsed() > Duration::from_secs(60) {
            told = Instant::now();
            let (minutes, findings) = (begun.elapsed().as_secs() / 60, around.findings.all().0);
            println!("{minutes} min: {moves} moves, {faults} faults, {findings} findings");
        }
    }
    println!("told to stop: the faults end, and what there is is checked");
    Ok(())
}

/// A target of faults.
trait Suffers: Send + 'static {
    /// Causes a fault. Returns false if it is impossible now.
    fn suffer(&mut self, kind: Kind, dice: &mut StdRng, around: &Around) -> Outcome<bool>;

    /// Repairs everything.
    fn recover(&mut self) -> Outcome {
        Ok(())
    }
}

impl Suffers for Nodes {
    fn suffer(&mut self, kind: Kind, dice: &mut StdRng, around: &Around) -> Outcome<bool> {
        self.suffer(kind, dice, &around.findings)
    }
}

impl Suffers for Database {
    fn suffer(&mut self, kind: Kind, dice: &mut StdRng, _: &Around) -> Outcome<bool> {
        self.suffer(kind, dice)
    }

    fn recover(&mut self) -> Outcome {
        self.recover()
    }
}

impl Hands {
    /// Causes faults of some kinds until the end, on its own thread: clients continue without responses.
    fn work<T: Suffers>(
        hands: &Arc<Self>,
        mut victim: T,
        kinds: &[(Kind, &str, u32)],
        mut dice: StdRng,
    ) -> JoinHandle<(T, Outcome)> {
        let hands = Arc::clone(hands);
        let kinds: Vec<Kind> =
            kinds.iter().map(|(kind, ..)| *kind).filter(|kind| !hands.left_out.contains(kind)).collect();
        tokio::task::spawn_blocking(move || {
            let mut done = Ok(true);
            while done.is_ok() && !hands.ending.load(Ordering::Relaxed) {
                // Long enough for a waiting hand to take its turn.
                std::thread::sleep(Duration::from_millis(50));
                let turn = hands.turn.as_ref().map(|turn| turn.lock().unwrap_or_else(PoisonError::into_inner));
                std::thread::sleep(span(&mut dice, 500, hands.pause_ms));
                if hands.ending.load(Ordering::Relaxed) {
                    break;
                }
                let kind = Kind::draw(&kinds, &mut dice);
                hands.around.weather.worsened(kind.index() >= Kind::OF_NODES, kind.index() + 1);
                let suffered = victim.suffer(kind, &mut dice, &hands.around);
                let recovered = if turn.is_some() { victim.recover() } else { Ok(()) };
                hands.around.weather.improved();
                done = suffered.and_then(|done| recovered.map(|()| done)).map_err(|error| format!("{kind:?}: {error}"));
                hands.faults[kind.index()].fetch_add(u64::from(matches!(done, Ok(true))), Ordering::Relaxed);
            }
            let recovered = victim.recover();
            (victim, done.map(|_| ()).and(recovered))
        })
    }
}

/// The players of all tables and contests. The variants are those for two players.
async fn invite(plan: &Plan, around: &Arc<Around>) -> Outcome<(Vec<Table>, Vec<Contest>)> {
    let run: u32 = rand::rng().random();
    let mut clients = Vec::new();
    let contests = plan.matches.div_ceil(12);
    for number in 0..2 * plan.matches + contests::PLAYERS * contests {
        let address = around.addresses[number % around.addresses.len()];
        let player = Player::register(address, player::name(run, number), Manner::default()).await?;
        clients.push(Client::new(player, around, number, plan.seed.wrapping_add(number as u64)));
    }
    let listed = clients[0].pages("/v1/variants?limit=100", "cursor").await?;
    let for_two = listed.iter().filter(|card| card["seats"]["min"] == 2);
    let variants: Vec<String> = for_two.filter_map(|card| card["id"].as_str().map(str::to_owned)).collect();
    if variants.is_empty() {
        return Err("there is no variant for two".to_owned());
    }
    let (move_s, left_move_s) = if plan.forge { (LONG_MOVE_S, None) } else { (MOVE_S, Some(LEFT_MOVE_S)) };
    // The game of blind shots is played more often: its shots are compared one by one, and may be abandoned.
    let more = (0..variants.len().div_ceil(2)).map(|_| super::books::table::BLIND.to_owned());
    let played = variants.iter().cloned().chain(more).collect();
    let habits = Arc::new(Habits { variants: played, move_s, left_move_s });
    let variants = Arc::new(variants);
    let mut dice = StdRng::seed_from_u64(plan.seed);
    let mut clients = clients.into_iter();
    let (mut tables, mut competing) = (Vec::new(), Vec::new());
    for _ in 0..plan.matches {
        let two = clients.next().zip(clients.next()).ok_or("too few players")?;
        tables.push(Table::new(two.into(), &habits, StdRng::seed_from_u64(dice.random())));
    }
    for _ in 0..contests {
        let four: Vec<Client> = clients.by_ref().take(contests::PLAYERS).collect();
        competing.push(Contest::new(four, &variants, around, StdRng::seed_from_u64(dice.random())));
    }
    Ok((tables, competing))
}

/// One table: match after match until told to stop, each compared some time after its end. Faults are findings, and the
/// table continues.
async fn play(mut table: Table, to_the_end: bool) -> Table {
    let around = Arc::clone(table.clients[0].around());
    while !around.is_stopping() {
        let played = table.one_match().await;
        let done = played.and(table.compare_due(false).await);
        if let Err(error) = done {
            around.findings.add(&error);
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }
    if to_the_end {
        table.finish().await;
    }
    table
}

async fn joined<T>(tasks: Vec<JoinHandle<T>>) -> Outcome<Vec<T>> {
    let mut done = Vec::new();
    for task in tasks {
        done.push(task.await.map_err(|error| error.to_string())?);
    }
    Ok(done)
}

/// Compares the remaining matches, and sums up the clients' counts.
async fn check(
    stage: &Stage,
    around: &Around,
    mut tables: Vec<Table>,
    mut contests: Vec<Contest>,
    storm: &mut report::Storm<'_>,
) {
    for table in &mut tables {
        if let Err(error) = table.compare_due(true).await {
            around.findings.add(&error);
        } else if let Err(error) = compare::compare_lists(table).await {
            around.findings.add(&error);
        }
        storm.given_up += table.given_up;
    }
    storm.tournaments = contests.iter().map(|contest| contest.finished).sum();
    let logs = tables.iter().flat_map(|table| &table.logs).chain(contests.iter().flat_map(|contest| &contest.logs));
    storm.epochs = logs.map(|log| log.epochs).sum();
    let clients = tables.iter_mut().flat_map(|table| &mut table.clients);
    for client in clients.chain(contests.iter_mut().flat_map(|contest| &mut contest.clients)) {
        storm.waits.append(&mut client.waits);
        storm.again += client.again;
    }
    if stage.database.pair.made_anew > 0 {
        println!("the standby didn't come back by itself {} times, and was made anew", stage.database.pair.made_anew);
    }
}
