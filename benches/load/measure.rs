//! Playing at full speed, and its cost: moves, latencies, and processor time by process.

use std::fs;
use std::time::{Duration, Instant};

use rand::SeedableRng;
use rand::rngs::StdRng;

use super::Outcome;
use super::http::Request;
use super::player::{Game, Player, key};

/// The length of a round.
#[derive(Clone, Copy)]
pub struct Span {
    /// Played, but not measured.
    pub warm_up: Duration,
    pub measured: Duration,
}

/// Two players, their match, and the random generator.
pub struct Table {
    /// By seat.
    pub players: [Player; 2],
    game: Option<Game>,
    played: usize,
    dice: StdRng,
}

impl Table {
    /// A table without a match.
    pub fn new(players: [Player; 2], seed: u64) -> Self {
        Self { players, game: None, played: 0, dice: StdRng::seed_from_u64(seed) }
    }
}

/// The settings of a load.
pub struct Load {
    pub variant: String,
    /// True if each order carries an idempotency key.
    pub keys: bool,
}

/// One move: its latency, and its number in the match.
struct Sample {
    took_us: u32,
    number: usize,
}

/// The results of a round.
#[derive(Default, Clone)]
pub struct Round {
    /// Acknowledged moves per second.
    pub moves_per_s: f64,
    /// Latencies in microseconds, ascending.
    took_us: Vec<u32>,
    /// The median latencies of each part of a match: moves 1 to 50, 51 to 100, 101 to 150, later.
    pub parts_us: Vec<u32>,
    /// The number of requests with a response other than 200, and one of them.
    pub errors: (usize, Option<String>),
    /// Processor time for each move in microseconds: this client, the service, PostgreSQL. `None` if the system doesn't
    /// tell.
    pub cpu_us: Option<[f64; 3]>,
    /// The share of all processors used by other processes.
    pub others: Option<f64>,
}

impl Round {
    /// A round with latencies only.
    pub fn of(mut took_us: Vec<u32>, measured: Duration) -> Self {
        took_us.sort_unstable();
        Self { moves_per_s: took_us.len() as f64 / measured.as_secs_f64(), took_us, ..Self::default() }
    }

    /// Attributes the processor time between `before` and `after`, in which `moves` were made.
    pub fn account(&mut self, before: Used, after: Used, moves: usize) {
        let used_s = [
            after.client_s - before.client_s,
            after.service_s - before.service_s,
            after.database_s - before.database_s,
        ];
        self.cpu_us = Some(used_s.map(|used_s| used_s * 1e6 / (moves as f64).max(1.0)));
        let [busy_s, all_s] = [after.busy_s - before.busy_s, after.all_s - before.all_s];
        // The kernel's threads mostly write the log to disk.
        let ours_s = used_s.iter().sum::<f64>() + after.kernel_s - before.kernel_s;
        self.others = Some(((busy_s - ours_s) / all_s).max(0.0));
    }

    /// The number of measured moves.
    pub fn moves(&self) -> usize {
        self.took_us.len()
    }

    /// The latency below which this `share` of the moves stays, in milliseconds.
    pub fn percentile_ms(&self, share: f64) -> f64 {
        percentile(&self.took_us, share).map_or(f64::NAN, |us| f64::from(us) / 1000.0)
    }
}

fn percentile(ascending: &[u32], share: f64) -> Option<u32> {
    let rank = (ascending.len() as f64 * share).ceil() as usize;
    ascending.get(rank.saturating_sub(1)).copied()
}

/// Plays on all tables at once for the span. The matches continue in the next round.
pub async fn round(
    tables: Vec<Table>,
    load: &Load,
    span: Span,
    watched: Option<[u32; 2]>,
) -> Outcome<(Vec<Table>, Round)> {
    let from = Instant::now() + span.warm_up;
    let until = from + span.measured;
    let playing: Vec<_> = tables
        .into_iter()
        .map(|mut table| {
            let (variant, keys) = (load.variant.clone(), load.keys);
            tokio::spawn(async move {
                let (mut samples, mut errors) = (Vec::new(), Vec::new());
                while Instant::now() < until {
                    match table.step(&variant, keys).await {
                        Ok(Some(sample)) if Instant::now() >= from => samples.push(sample),
                        Ok(_) => {}
                        Err(error) => {
                            // The match is given up; the next step begins another.
                            table.game = None;
                            errors.push(error);
                            tokio::time::sleep(Duration::from_millis(100)).await;
                        }
                    }
                }
                table.players.iter_mut().for_each(|player| player.connection.close());
                (table, samples, errors)
            })
        })
        .collect();
    tokio::time::sleep_until(from.into()).await;
    let before = watched.and_then(Used::until_now);
    tokio::time::sleep_until(until.into()).await;
    let after = watched.and_then(Used::until_now);

    let (mut tables, mut samples, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    for table in playing {
        let (table, some, wrong) = table.await.map_err(|error| error.to_string())?;
        tables.push(table);
        samples.extend(some);
        errors.extend(wrong);
    }
    let mut round = Round::of(samples.iter().map(|sample| sample.took_us).collect(), span.measured);
    round.parts_us = (0..4).filter_map(|part| median_of_part(&samples, part)).collect();
    if let Some((before, after)) = before.zip(after) {
        round.account(before, after, samples.len());
    }
    round.errors = (errors.len(), errors.into_iter().next());
    Ok((tables, round))
}

/// Makes a move on each table at an even pace until the end, and returns the latencies in microseconds.
pub async fn paced(
    tables: Vec<Table>,
    variant: &str,
    pace: Duration,
    until: Instant,
) -> Outcome<(Vec<Table>, Vec<u32>)> {
    let mut playing = tokio::task::JoinSet::new();
    for mut table in tables {
        let variant = variant.to_owned();
        playing.spawn(async move {
            let mut took_us = Vec::new();
            let mut pace = tokio::time::interval(pace);
            while Instant::now() < until {
                pace.tick().await;
                if let Some(sample) = table.step(&variant, false).await? {
                    took_us.push(sample.took_us);
                }
            }
            Ok::<_, String>((table, took_us))
        });
    }
    let (mut tables, mut took_us) = (Vec::new(), Vec::new());
    for played in playing.join_all().await {
        let (table, some) = played?;
        tables.push(table);
        took_us.extend(some);
    }
    Ok((tables, took_us))
}

fn median_of_part(samples: &[Sample], part: usize) -> Option<u32> {
    let inside = samples.iter().filter(|sample| (sample.number / 50).min(3) == part);
    let mut took_us: Vec<u32> = inside.map(|sample| sample.took_us).collect();
    took_us.sort_unstable();
    percentile(&took_us, 0.5)
}

impl Table {
    /// Makes one move, or begins a match.
    async fn step(&mut self, variant: &str, keys: bool) -> Outcome<Option<Sample>> {
        let Some(game) = &mut self.game else {
            self.game = Some(Game::begin(&mut self.players, variant, &mut self.dice).await?);
            self.played = 0;
            return Ok(None);
        };
        let player = &mut self.players[game.turn];
        let order = game.order(player).await?;
        let key = keys.then(|| key(&mut self.dice));
        let request = Request {
            method: "POST",
            path: &game.actions,
            token: Some(&player.token),
            key: key.as_deref(),
            body: &order,
        };
        let begun = Instant::now();
        let answer = player.connection.exchange(&request).await;
        let took_us = u32::try_from(begun.elapsed().as_micros()).unwrap_or(u32::MAX);
        let answer = answer.map_err(|error| format!("a move: {error}"))?;
        if answer.status != 200 {
            return Err(format!("{order}: {}", answer.text()));
        }
        if !game.go_on(answer.body) {
            self.game = None;
        }
        let number = self.played;
        self.played += 1;
        Ok(Some(Sample { took_us, number }))
    }
}

/// Linux counts in hundredths of a second, whatever its own clock does.
const TICKS_PER_S: f64 = 100.0;

#[derive(Clone, Copy)]
pub struct Used {
    /// This process, with the programs that it ran.
    pub client_s: f64,
    pub service_s: f64,
    pub database_s: f64,
    kernel_s: f64,
    /// All processes.
    pub busy_s: f64,
    /// The available time.
    pub all_s: f64,
}

impl Used {
    /// The time used until now by this process (with the programs that it ran), the service and its PostgreSQL:
    /// `watched` are the service and the postmaster. Linux only.
    pub fn until_now(watched: [u32; 2]) -> Option<Self> {
        let [service, postmaster] = watched.map(of_process);
        let (client, service, postmaster) = (of_process(std::process::id())?, service?, postmaster?);
        let mut kernel_s = 0.0;
        let mut database_s = postmaster.own_s + postmaster.reaped_s;
        for entry in fs::read_dir("/proc").ok()?.flatten() {
            let pid = entry.file_name().to_str().and_then(|name| name.parse().ok());
            match pid.and_then(of_process) {
                Some(process) if process.parent == watched[1] => database_s += process.own_s,
                Some(process) if process.parent == KERNEL => kernel_s += process.own_s,
                _ => {}
            }
        }
        let (busy_s, all_s) = of_machine()?;
        Some(Self {
            client_s: client.own_s + client.reaped_s,
            service_s: service.own_s,
            database_s,
            kernel_s,
            busy_s,
            all_s,
        })
    }
}

/// Waits until all processes together use at most `share` of the processors for two seconds, for at most five minutes.
pub async fn wait_for_quiet(share: f64) {
    let deadline = Instant::now() + Duration::from_secs(300);
    while Instant::now() < deadline {
        let before = of_machine();
        tokio::time::sleep(Duration::from_secs(2)).await;
        let busy =
            before.zip(of_machine()).map(|((busy_0, all_0), (busy_1, all_1))| (busy_1 - busy_0) / (all_1 - all_0));
        if busy.is_none_or(|busy| busy <= share) {
            return;
        }
    }
}

/// The busy and the available time of all processors: the first line of `/proc/stat`, see proc(5).
fn of_machine() -> Option<(f64, f64)> {
    let words = fs::read_to_string("/proc/stat").ok()?;
    let ticks: Vec<f64> =
        words.lines().next()?.split_whitespace().skip(1).filter_map(|ticks| ticks.parse().ok()).collect();
    // The last two are included in the first two; the fourth and fifth are idle and waiting.
    let all: f64 = ticks.iter().take(8).sum();
    let idle = ticks.get(3)? + ticks.get(4)?;
    Some(((all - idle) / TICKS_PER_S, all / TICKS_PER_S))
}

/// The parent of the kernel's threads.
const KERNEL: u32 = 2;

struct Process {
    parent: u32,
    own_s: f64,
    /// Of its children that have ended.
    reaped_s: f64,
}

/// Fields 4 and 14 to 17 of a process's `stat`, see proc(5).
fn of_process(pid: u32) -> Option<Process> {
    let words = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = words.rsplit_once(')')?.1.split_whitespace().collect();
    let seconds = |at: usize| fields.get(at)?.parse::<f64>().ok().map(|ticks| ticks / TICKS_PER_S);
    Some(Process {
        parent: fields.get(1)?.parse().ok()?,
        own_s: seconds(11)? + seconds(12)?,
        reaped_s: seconds(13)? + seconds(14)?,
    })
}
