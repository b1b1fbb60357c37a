//! The usual load over several nodes on one PostgreSQL: moves per second, the cost of a move, and the bottleneck.
//!
//! First the two players of a match are at two nodes, as behind a round-robin balancer: so each node has to read what
//! the other has written. Then they are at one, as behind a balancer that routes by the match in the path. Each line
//! uses a new cluster.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use rand::RngExt;

use super::http::Manner;
use super::measure::{self, Load, Round, Span, Table, Used};
use super::player::{self, Player};
use super::service::{Node, Service};
use super::{Outcome, Settings};

/// The share of all processors, or of one of them, from which on it counts as full.
const FULL: f64 = 0.9;

/// The nodes of a match's two players.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Players {
    /// At two nodes, if there are two.
    Apart,
    Together,
}

/// Measures with each of these numbers of nodes, and prints the curve.
pub async fn run(settings: &Settings, parent: &Path, numbers: &[u16], seed: u64) -> Outcome {
    if numbers.iter().any(|number| *number > 4) {
        return Err("4 nodes at most".to_owned());
    }
    let span =
        Span { warm_up: Duration::from_secs(settings.warm_up_s), measured: Duration::from_secs(settings.seconds) };
    let load = Load { variant: settings.variant.clone(), keys: settings.keys };
    println!(
        "{} matches of {} at once over nodes on one PostgreSQL, {} s a round after {} s of warm-up",
        settings.matches, load.variant, settings.seconds, settings.warm_up_s
    );
    println!(
        "{:>5}  {:<8}  {:>8}  {:>7}  {:>7}  {:>6}  {:>10}  {:>13}  {:>6}  full",
        "nodes", "players", "moves/s", "p50 ms", "p99 ms", "errors", "service µs", "PostgreSQL µs", "busy"
    );
    let mut first = None;
    let mut wrong = None;
    for number in numbers {
        let ways = if *number == 1 { &[Players::Together][..] } else { &[Players::Apart, Players::Together] };
        for players in ways {
            let (round, usage) = measured(settings, parent, (*number, *players), &load, span, seed).await?;
            print((*number, *players), &round, usage.as_ref(), *first.get_or_insert(round.moves_per_s));
            wrong = wrong.or(round.errors.1);
        }
    }
    wrong.map_or(Ok(()), |error| Err(format!("there were wrong answers, such as: {error}")))
}

/// Plays with this number of nodes.
async fn measured(
    settings: &Settings,
    parent: &Path,
    (number, players): (u16, Players),
    load: &Load,
    span: Span,
    seed: u64,
) -> Outcome<(Round, Option<Usage>)> {
    let service = Service::start_on(parent, settings.database.as_deref())?;
    let others: Vec<Node> = (1..number).map(|_| service.another_node()).collect::<Outcome<_>>()?;
    let addresses: Vec<SocketAddr> =
        std::iter::once(service.address).chain(others.iter().map(|node| node.address)).collect();
    let pids = std::iter::once(service.pid()).chain(others.iter().map(Node::pid)).collect();
    let tables = seated(&addresses, players, settings.matches.into(), settings.manner(), seed).await?;
    // The processor time of a database on other machines is unknown here.
    let postmaster = if settings.database.is_none() { Some(service.postmaster()?) } else { None };
    let watched = Watched { nodes: pids, postmaster };
    let (played, usage) = tokio::join!(measure::round(tables, load, span, None), watched.during(span));
    let (_, round) = played?;
    drop(others);
    Ok((round, usage))
}

/// Two players for each match.
async fn seated(
    addresses: &[SocketAddr],
    players: Players,
    matches: usize,
    manner: Manner,
    seed: u64,
) -> Outcome<Vec<Table>> {
    let run = rand::rng().random();
    let mut tables = Vec::new();
    for number in 0..matches {
        let apart = usize::from(players == Players::Apart);
        let at = |seat: usize| addresses[(number + seat * apart) % addresses.len()];
        let [host, guest] = [0, 1].map(|seat| Player::register(at(seat), player::name(run, 2 * number + seat), manner));
        let (host, guest) = tokio::join!(host, guest);
        tables.push(Table::new([host?, guest?], seed.wrapping_add(number as u64)));
    }
    Ok(tables)
}

/// The processes whose processor time is counted.
struct Watched {
    nodes: Vec<u32>,
    postmaster: Option<u32>,
}

/// Processor time in the measured part of a round, in seconds.
struct Usage {
    nodes_s: f64,
    database_s: f64,
    client_s: f64,
    /// All processes, and the available time.
    busy_s: f64,
    all_s: f64,
}

impl Watched {
    /// `None` if the system doesn't tell.
    async fn during(&self, span: Span) -> Option<Usage> {
        tokio::time::sleep(span.warm_up).await;
        let before = self.until_now();
        tokio::time::sleep(span.measured).await;
        let (before, after) = (before?, self.until_now()?);
        Some(Usage {
            nodes_s: after.nodes_s - before.nodes_s,
            database_s: after.database_s - before.database_s,
            client_s: after.client_s - before.client_s,
            busy_s: after.busy_s - before.busy_s,
            all_s: after.all_s - before.all_s,
        })
    }

    fn until_now(&self) -> Option<Usage> {
        let postmaster = self.postmaster?;
        let each = self.nodes.iter().map(|node| Used::until_now([*node, postmaster]));
        let each: Vec<Used> = each.collect::<Option<_>>()?;
        let one = each.first()?;
        Some(Usage {
            nodes_s: each.iter().map(|used| used.service_s).sum(),
            database_s: one.database_s,
            client_s: one.client_s,
            busy_s: one.busy_s,
            all_s: one.all_s,
        })
    }
}

impl Usage {
    /// The bottleneck.
    fn full(&self, measured_s: f64) -> &'static str {
        if self.client_s / measured_s >= FULL {
            "this client, which has one thread"
        } else if self.busy_s / self.all_s >= FULL {
            "the processors"
        } else {
            "no processor: moves wait for commits, or for each other"
        }
    }
}

/// Prints a line of the curve.
fn print((number, players): (u16, Players), round: &Round, usage: Option<&Usage>, first: f64) {
    let moves = round.moves().max(1) as f64;
    let times = round.moves_per_s / first;
    let [service, database, busy, full] = match usage {
        Some(usage) => [
            format!("{:.0}", usage.nodes_s * 1e6 / moves),
            format!("{:.0}", usage.database_s * 1e6 / moves),
            format!("{:.0} %", usage.busy_s / usage.all_s * 100.0),
            usage.full(moves / round.moves_per_s.max(f64::MIN_POSITIVE)).to_owned(),
        ],
        None => ["?", "?", "?", "?"].map(str::to_owned),
    };
    let players = if players == Players::Apart { "apart" } else { "together" };
    println!(
        "{number:>5}  {players:<8}  {:>8.0}  {:>7.2}  {:>7.2}  {:>6}  {service:>10}  {database:>13}  {busy:>6}  {full} (×{times:.2})",
        round.moves_per_s,
        round.percentile_ms(0.5),
        round.percentile_ms(0.99),
        round.errors.0,
    );
}
