//! Streams of events: what thousands of open ones cost, and how late news is on another node.

use std::fs;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::compete::Contestant;
use super::http::Manner;
use super::measure::{self, Load, Round, Span};
use super::player::{Game, Player};
use super::postgres::Programs;
use super::service::{self, Service};
use super::{Outcome, Settings, register};

/// How many streams are being opened at a time.
const AT_ONCE: usize = 50;
/// How long anything may take that is waited for.
const PATIENCE: Duration = Duration::from_secs(20);

/// An open stream. Nothing is kept of what it says.
struct Stream {
    reading: JoinHandle<()>,
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.reading.abort();
    }
}

impl Stream {
    /// Opens one, waits until it has begun, and goes on reading: whenever somebody may act by what has come, `acts` is
    /// told when it came.
    async fn open(address: SocketAddr, token: &str, acts: Option<mpsc::UnboundedSender<Instant>>) -> Outcome<Self> {
        let failed = |error: std::io::Error| format!("a stream: {error}");
        let mut stream = TcpStream::connect(address).await.map_err(failed)?;
        let request = format!(
            "GET /v1/events HTTP/1.1\r\nHost: {address}\r\nAccept: text/event-stream\r\nAuthorization: Bearer {token}\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await.map_err(failed)?;
        let mut said = Vec::new();
        while !contains(&said, b"event: snapshot") {
            let read = tokio::time::timeout(PATIENCE, stream.read_buf(&mut said)).await;
            if read.map_err(|_| "a stream does not begin".to_owned())?.map_err(failed)? == 0 {
                return Err(format!("a stream was refused: {}", String::from_utf8_lossy(&said)));
            }
        }
        Ok(Self { reading: tokio::spawn(read(stream, acts)) })
    }
}

async fn read(mut stream: TcpStream, acts: Option<mpsc::UnboundedSender<Instant>>) {
    // Thousands of these are open at once, and nearly all of them are silent.
    while stream.readable().await.is_ok() {
        let mut piece = [0; 4096];
        match stream.read(&mut piece).await {
            Ok(0) | Err(_) => return,
            Ok(length) if contains(&piece[..length], b"event: your-turn") => {
                if let Some(acts) = &acts {
                    let _ = acts.send(Instant::now());
                }
            }
            Ok(_) => {}
        }
    }
}

fn contains(text: &[u8], wanted: &[u8]) -> bool {
    text.windows(wanted.len()).any(|part| part == wanted)
}

/// The personal token of listener `n`, in SQL.
const TOKEN: &str =
    "'bst_' || rtrim(translate(encode(sha256(convert_to('listener ' || n, 'UTF8')), 'base64'), '+/', '-_'), '=')";

/// Accounts that do nothing but listen, with a token each.
fn listeners(programs: &Programs, service: &Service, count: usize) -> Outcome<Vec<String>> {
    let id = "md5('listener ' || n)::uuid";
    let from = format!("FROM generate_series(1, {count}) AS n");
    let statements = format!(
        "INSERT INTO accounts (id, username, username_key, username_skeleton, password_hash, bot, created_at) \
           SELECT {id}, 'listener-' || n, 'listener-' || n, ('listener-' || n)::bytea, '', true, now() {from} ON CONFLICT DO NOTHING; \
         INSERT INTO event_counters (account_id, newest) SELECT {id}, 0 {from} ON CONFLICT DO NOTHING; \
         INSERT INTO access_tokens (id, account_id, session_id, name, hash, scopes, created_at) \
           SELECT md5('token ' || n)::uuid, {id}, gen_random_uuid(), 'listen', sha256(convert_to({TOKEN}, 'UTF8')), '{{matches:read}}', now() {from} ON CONFLICT DO NOTHING; \
         ANALYZE accounts, event_counters, access_tokens;"
    );
    programs.sql(service, "broadside", &statements)?;
    let tokens = programs.sql(service, "broadside", &format!("SELECT {TOKEN} {from}"))?;
    Ok(tokens.lines().map(str::to_owned).collect())
}

async fn open_all(address: SocketAddr, tokens: &[String]) -> Outcome<Vec<Stream>> {
    let mut open = Vec::with_capacity(tokens.len());
    for some in tokens.chunks(AT_ONCE) {
        let opening: Vec<_> = some
            .iter()
            .map(|token| {
                let token = token.clone();
                tokio::spawn(async move { Stream::open(address, &token, None).await })
            })
            .collect();
        for one in opening {
            open.push(one.await.map_err(|error| error.to_string())??);
        }
    }
    Ok(open)
}

/// The memory that a process holds, in megabytes.
fn resident_mb(pid: u32) -> Outcome<f64> {
    let words = fs::read_to_string(format!("/proc/{pid}/status")).map_err(|error| error.to_string())?;
    let line = words.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("a process without memory")?;
    let kilobytes = line.trim().trim_end_matches(" kB").parse::<f64>().map_err(|error| error.to_string())?;
    Ok(kilobytes / 1024.0)
}

fn open_files(pid: u32) -> Outcome<usize> {
    let files = fs::read_dir(format!("/proc/{pid}/fd")).map_err(|error| error.to_string())?;
    Ok(files.count())
}

/// Waits until the service has noticed that the listeners are gone: it tries to tell them that it is there, twice.
async fn until_gone(pid: u32, before: usize) -> Outcome {
    let deadline = Instant::now() + Duration::from_secs(60);
    while open_files(pid)? > before + 100 {
        if Instant::now() > deadline {
            return Err("the service keeps streams whose clients are gone".to_owned());
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    Ok(())
}

/// Moves with and without `count` open streams, in turns on one service; and what these hold of memory.
pub async fn burden(settings: &Settings, service: Service, programs: &Programs, count: usize, seed: u64) -> Outcome {
    raise_descriptors(count as u64 + 1000)?;
    let tokens = listeners(programs, &service, count)?;
    let (address, pids) = (service.address, [service.pid(), service.postmaster()?]);
    let mut without =
        Contestant::at("without", address, None, settings.matches.into(), seed, settings.manner()).await?;
    let span =
        Span { warm_up: Duration::from_secs(settings.warm_up_s), measured: Duration::from_secs(settings.seconds) };
    let load = Load { variant: settings.variant.clone(), keys: settings.keys };
    println!("{} matches of {} at once, {count} open streams, each of another account", settings.matches, load.variant);
    let (mut ratios, mut costs) = (Vec::new(), Vec::new());
    for number in 1..=settings.rounds.unwrap_or(3) {
        // Who comes first in a round comes last in the next.
        let mut turns = [false, true];
        if number % 2 == 0 {
            turns.reverse();
        }
        let mut moves = [0.0; 2];
        for listening in turns {
            for table in &mut without.tables {
                for player in &mut table.players {
                    player.connection.close();
                    player.sign_in().await?;
                }
            }
            let (before, files) = (resident_mb(pids[0])?, open_files(pids[0])?);
            let streams = if listening { open_all(address, &tokens).await? } else { Vec::new() };
            let after = resident_mb(pids[0])?;
            let tables = std::mem::take(&mut without.tables);
            let (tables, round) = measure::round(tables, &load, span, Some(pids)).await?;
            without.tables = tables;
            let held = listening.then_some(after - before);
            print(number, &round, held, resident_mb(pids[0])?);
            if let (_, Some(error)) = &round.errors {
                return Err(format!("there were wrong answers, such as: {error}"));
            }
            moves[usize::from(listening)] = round.moves_per_s;
            if listening {
                costs.push(after - before);
            }
            if listening {
                drop(streams);
                until_gone(pids[0], files).await?;
            }
        }
        ratios.push(moves[1] / moves[0]);
    }
    let ratios: Vec<String> = ratios.iter().map(|ratio| format!("{ratio:.2}")).collect();
    println!("with / without: {} in each round; the first streams held {:.0} MB", ratios.join(", "), costs[0]);
    Ok(())
}

fn print(number: u16, round: &Round, held_mb: Option<f64>, all_mb: f64) {
    let held = held_mb.map_or_else(String::new, |held_mb| format!("; the streams hold {held_mb:.0} MB"));
    let [client, service, database] = round.cpu_us.unwrap_or_default();
    println!(
        "{number:>3} {:<8} {:>7.0} moves/s, p50 {:.2} ms, p99 {:.2} ms, µs a move: client {client:.0}, service {service:.0}, \
         PostgreSQL {database:.0}; others {:.0} %; the service has {all_mb:.0} MB{held}",
        if held_mb.is_some() { "with" } else { "without" },
        round.moves_per_s,
        round.percentile_ms(0.5),
        round.percentile_ms(0.99),
        round.others.unwrap_or_default() * 100.0,
    );
}

/// How late the opponent hears of a move at another node: from before the shot is sent at the one until their stream at
/// the other says that it is their turn.
pub async fn delay(service: Service, moves: usize, matches: usize, seed: u64) -> Outcome {
    let other = service.another_node()?;
    let tables = register(service.address, rand::rng().random(), matches, Manner::default()).await?;
    let played = Arc::new(AtomicUsize::new(0));
    let mut playing = Vec::new();
    for (n, players) in (0..).zip(tables) {
        let (played, there) = (Arc::clone(&played), other.address);
        let dice = StdRng::seed_from_u64(seed.wrapping_add(n));
        playing.push(tokio::spawn(measure_delays(players, there, dice, played, moves)));
    }
    let mut delays = Vec::new();
    for table in playing {
        delays.extend(table.await.map_err(|error| error.to_string())??);
    }
    delays.sort_unstable();
    let at = |share: f64| {
        let rank = (delays.len() as f64 * share).ceil() as usize;
        delays.get(rank.saturating_sub(1)).map_or(f64::NAN, |delay| delay.as_secs_f64() * 1000.0)
    };
    println!(
        "{} moves in {matches} matches at once: heard at the other node after {:.1} ms in the middle, {:.1} ms at p99, {:.1} ms at most",
        delays.len(),
        at(0.5),
        at(0.99),
        at(1.0)
    );
    service::end(other.pid(), rustix::process::Signal::TERM)
}

async fn measure_delays(
    mut players: [Player; 2],
    there: SocketAddr,
    mut dice: StdRng,
    played: Arc<AtomicUsize>,
    moves: usize,
) -> Outcome<Vec<Duration>> {
    let mut delays = Vec::new();
    while played.load(Ordering::Relaxed) < moves {
        let mut game = Game::begin(&mut players, "classic", &mut dice).await?;
        let (mut hears, mut streams) = (Vec::new(), Vec::new());
        for player in &players {
            let (sender, receiver) = mpsc::unbounded_channel();
            streams.push(Stream::open(there, &player.token, Some(sender)).await?);
            hears.push(receiver);
        }
        loop {
            let (seat, cell) = (game.turn, game.next_cell().ok_or("a sea without cells")?);
            let order = json!({ "action": { "type": "fire", "cells": [cell] } });
            let begun = Instant::now();
            let answer = players[seat].ask("POST", &game.actions, &order).await?;
            if !game.go_on(answer.to_string().as_bytes()) || played.load(Ordering::Relaxed) >= moves {
                break;
            }
            let heard = tokio::time::timeout(PATIENCE, hears[1 - seat].recv()).await;
            let heard = heard.map_err(|_| "news of a move did not come in 20 seconds".to_owned())?;
            delays.push(heard.ok_or("a stream ended")?.duration_since(begun));
            played.fetch_add(1, Ordering::Relaxed);
        }
    }
    Ok(delays)
}

/// Lets this process and those that it starts have so many open connections.
fn raise_descriptors(wanted: u64) -> Outcome {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let now = getrlimit(Resource::Nofile);
    if now.current.is_none_or(|current| current >= wanted) {
        return Ok(());
    }
    let raised = Rlimit { current: Some(wanted), maximum: now.maximum };
    setrlimit(Resource::Nofile, raised).map_err(|error| format!("{wanted} open files are not to be had: {error}"))
}
