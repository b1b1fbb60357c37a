//! Many clients play while the service, its PostgreSQL or their connections are killed, again and again. Each client
//! keeps book of what it was told. Afterwards [`check`] reads every match and compares: an acknowledged move is there
//! once and in its place, one that was not acknowledged once or not at all, and nothing else.

mod check;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};

use super::http::{Manner, Request};
use super::player::{self, Game, Player};
use super::postgres::Programs;
use super::service::{self, Service};
use super::{Outcome, register};

/// How long a client goes on trying one request. A start after a kill takes a second or two.
const PATIENCE: Duration = Duration::from_secs(60);
/// One shot in so many is not tried again when its outcome is unknown: the client reads the match instead.
const GIVES_UP_ONCE_IN: u32 = 4;
/// Before one shot in so many a player of a rated match resigns instead, so that ratings change all the time.
const RESIGNS_ONCE_IN: u32 = 12;

/// What is done to the service.
#[derive(Clone, Copy)]
pub enum Fault {
    /// SIGKILL to the service; it is started again.
    Service,
    /// SIGKILL to the postmaster; the service starts it again.
    Postgres,
    /// All connections to the database are cut.
    Connections,
}

impl Fault {
    /// Those that are wanted.
    pub fn among(service: bool, postgres: bool, connections: bool) -> Vec<Self> {
        let all = [(service, Self::Service), (postgres, Self::Postgres), (connections, Self::Connections)];
        all.into_iter().filter(|(wanted, _)| *wanted).map(|(_, fault)| fault).collect()
    }
}

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
    shots: Vec<Shot>,
}

/// What the clients of one table remember.
pub struct Book {
    players: [Player; 2],
    stories: Vec<Story>,
    challenges: usize,
    /// Requests whose outcome was unknown, and were sent again.
    again: usize,
    /// Shots whose outcome was unknown, and were not sent again.
    given_up: usize,
}

/// Plays, kills, and checks.
pub async fn run(service: Service, plan: Plan, programs: Option<Programs>) -> Outcome {
    let forge = plan.forge.then(|| programs.clone()).flatten();
    println!("{} faults, {} matches at once, seed {}", plan.kills, plan.matches, plan.seed);
    let tables = register(service.address, rand::rng().random(), plan.matches, Manner::default()).await?;
    let stopping = Arc::new(AtomicBool::new(false));
    let playing: Vec<_> = (plan.seed..)
        .zip(tables)
        .map(|(seed, players)| tokio::spawn(play(players, StdRng::seed_from_u64(seed), Arc::clone(&stopping))))
        .collect();
    let begun = Instant::now();
    // On a thread of its own, so that the clients go on asking while nobody is there to answer.
    let killing = tokio::task::spawn_blocking(move || kill_again_and_again(service, &plan, programs.as_ref()));
    let killed = killing.await.map_err(|error| error.to_string());
    stopping.store(true, Ordering::Relaxed);
    let (mut service, killed) = killed?;
    let (mut books, mut failures) = (Vec::new(), Vec::new());
    for table in playing {
        match table.await.map_err(|error| error.to_string())? {
            Ok(book) => books.push(book),
            Err(error) => failures.push(error),
        }
    }
    println!("{} in {:.0} s", killed?, begun.elapsed().as_secs_f64());
    if let Some(programs) = forge {
        take_a_move(&mut service, &programs)?;
    }
    match failures.first() {
        Some(one) => Err(format!("{} clients were answered wrongly, one so: {one}\n{}", failures.len(), service.log())),
        None => check::check(service, books).await,
    }
}

/// Carries the plan out, and says what was done.
fn kill_again_and_again(mut service: Service, plan: &Plan, programs: Option<&Programs>) -> (Service, Outcome<String>) {
    let mut dice = StdRng::seed_from_u64(!plan.seed);
    let mut restarts_ms = Vec::new();
    let mut done = [0; 3];
    for _ in 0..plan.kills {
        thread::sleep(Duration::from_millis(dice.random_range(200..1500)));
        let fault = plan.faults[dice.random_range(0..plan.faults.len())];
        done[fault as usize] += 1;
        if let Err(error) = commit(fault, &mut service, programs, &mut restarts_ms) {
            return (service, Err(error));
        }
    }
    // A last while in peace, so that every player gets their answers.
    thread::sleep(Duration::from_secs(2));
    restarts_ms.sort_unstable();
    let [services, postgres, cuts] = done;
    let middle = restarts_ms.get(restarts_ms.len() / 2).copied().unwrap_or_default();
    let longest = restarts_ms.last().copied().unwrap_or_default();
    let words = format!(
        "the service killed {services} times (listening again after {middle} ms in the middle, {longest} ms at most), \
         PostgreSQL {postgres} times, connections cut {cuts} times"
    );
    (service, Ok(words))
}

fn commit(fault: Fault, service: &mut Service, programs: Option<&Programs>, restarts_ms: &mut Vec<u128>) -> Outcome {
    match fault {
        Fault::Service => {
            service.kill()?;
            restarts_ms.push(service.restart()?.as_millis());
            Ok(())
        }
        Fault::Postgres => {
            let postmaster = service.postmaster()?;
            service::end(postmaster, rustix::process::Signal::KILL)?;
            until_another(service, postmaster)
        }
        Fault::Connections => {
            let programs = programs.ok_or("--kill-connections needs psql; --programs names its folder")?;
            let cut = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'broadside'";
            // Right after PostgreSQL was killed there may be nothing to cut.
            let _ = programs.sql(service, "postgres", cut);
            Ok(())
        }
    }
}

/// Takes the last move of a match under way out of the log and the head, as if it had never lasted.
fn take_a_move(service: &mut Service, programs: &Programs) -> Outcome {
    let taken = "WITH one AS (UPDATE match_heads SET seq = seq - 1, to_act = 3 - to_act WHERE match_id = \
         (SELECT match_id FROM match_heads WHERE status = 'playing' AND seq > 4 ORDER BY match_id LIMIT 1) RETURNING match_id, seq + 1 AS seq) \
         DELETE FROM match_log AS e USING one WHERE (e.match_id, e.seq) = (one.match_id, one.seq) RETURNING e.match_id";
    println!("forged: a move of the match {} was taken away", programs.sql(service, "postgres", taken)?);
    // A service that was running remembers the match as it was.
    service.stop()?;
    service.restart().map(|_| ())
}

/// Waits until the cluster has another postmaster.
fn until_another(service: &Service, postmaster: u32) -> Outcome {
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        if service.postmaster().is_ok_and(|other| other != postmaster) {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(20));
    }
    Err(format!("PostgreSQL was killed and did not come back; {}", service.log()))
}

/// One table: match after match, until told to stop.
async fn play(players: [Player; 2], mut dice: StdRng, stopping: Arc<AtomicBool>) -> Outcome<Book> {
    let mut book = Book { players, stories: Vec::new(), challenges: 0, again: 0, given_up: 0 };
    while !stopping.load(Ordering::Relaxed) {
        let mut game = book.begin(&mut dice).await?;
        while !stopping.load(Ordering::Relaxed) {
            if !book.play_on(&mut game, &mut dice).await? {
                break;
            }
        }
    }
    Ok(book)
}

/// What a request came to.
enum Came {
    /// An answer: 200 or 201.
    Answer(Value),
    /// Nobody knows whether it was carried out.
    Unknown,
}

impl Book {
    /// Challenges, accepts and deploys, insisting on each step under one key. Every other match is rated.
    async fn begin(&mut self, dice: &mut StdRng) -> Outcome<Game> {
        let rated = self.stories.len().is_multiple_of(2);
        let mut challenge = player::challenge("classic", &self.players[1].username);
        challenge["rated"] = json!(rated);
        let opened = self.insist(0, "/v1/challenges", &challenge, dice).await?;
        self.challenges += 1;
        let path = format!("/v1/challenges/{}/accept", player::text(&opened, "id")?);
        let accepted = self.insist(1, &path, &json!({}), dice).await?;
        let id = player::text(&accepted, "match_id")?.to_owned();
        let mut game = Game::new(&id, "classic", dice);
        self.stories.push(Story { id, rated, over: false, shots: Vec::new() });
        let deploy = json!({ "action": { "type": "deploy-auto" } });
        self.insist(0, &game.actions, &deploy, dice).await?;
        let ready = self.insist(1, &game.actions, &deploy, dice).await?;
        game.turn = ready["match"]["to_act"][0].as_u64().map_or(0, |seat| seat as usize % 2);
        Ok(game)
    }

    /// One shot, or somebody has had enough of a rated match. False: the match is over.
    async fn play_on(&mut self, game: &mut Game, dice: &mut StdRng) -> Outcome<bool> {
        let rated = self.stories.last().is_some_and(|story| story.rated);
        let goes_on = if rated && dice.random_range(0..RESIGNS_ONCE_IN) == 0 {
            let resign = json!({ "action": { "type": "resign" } });
            self.insist(game.turn, &game.actions, &resign, dice).await?;
            false
        } else {
            self.shoot(game, dice).await?
        };
        if let Some(story) = self.stories.last_mut() {
            story.over = !goes_on;
        }
        Ok(goes_on)
    }

    /// One shot. False: the match is over.
    async fn shoot(&mut self, game: &mut Game, dice: &mut StdRng) -> Outcome<bool> {
        let seat = game.turn;
        let cell = game.next_cell().ok_or("a sea without cells")?;
        let body = json!({ "action": { "type": "fire", "cells": [cell] } });
        let key = player::key(dice);
        let deadline = Instant::now() + PATIENCE;
        let gives_up = dice.random_range(0..GIVES_UP_ONCE_IN) == 0;
        let mut attempts = 0;
        let mut told = None;
        let view = loop {
            match self.send(seat, "POST", &game.actions, &body, Some(&key)).await? {
                Came::Answer(answer) => {
                    let fired = answer["reports"].as_array().into_iter().flatten();
                    told = fired.clone().find(|report| report["type"] == "fired").cloned();
                    if told.is_none() {
                        return Err(format!("a shot at {cell} was answered without a report of it: {answer}"));
                    }
                    break answer["match"].clone();
                }
                Came::Unknown if Instant::now() > deadline => return Err(format!("no answer to a shot at {cell}")),
                Came::Unknown if gives_up => {
                    self.given_up += 1;
                    break self.read(seat, game.actions.trim_end_matches("/actions")).await?;
                }
                Came::Unknown => attempts += 1,
            }
        };
        self.again += usize::from(attempts > 0);
        let goes_on = game.go_on(view.to_string().as_bytes());
        // Each shot hands the turn over, so whose turn it is says whether a shot that was given up has happened.
        let happened = told.is_some() || !goes_on || game.turn != seat;
        if !happened {
            game.put_back(seat, &cell);
        }
        if let Some(story) = self.stories.last_mut() {
            story.shots.push(Shot { seat: seat as u64, cell, told, happened });
        }
        Ok(goes_on)
    }

    /// Sends a request under one key until it is answered.
    async fn insist(&mut self, seat: usize, path: &str, body: &Value, dice: &mut StdRng) -> Outcome<Value> {
        let key = player::key(dice);
        let deadline = Instant::now() + PATIENCE;
        for attempt in 0.. {
            if let Came::Answer(answer) = self.send(seat, "POST", path, body, Some(&key)).await? {
                self.again += usize::from(attempt > 0);
                return Ok(answer);
            }
            if Instant::now() > deadline {
                break;
            }
        }
        Err(format!("no answer to POST {path}"))
    }

    /// Reads, until answered.
    async fn read(&mut self, seat: usize, path: &str) -> Outcome<Value> {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if let Came::Answer(answer) = self.send(seat, "GET", path, &Value::Null, None).await? {
                return Ok(answer);
            }
        }
        Err(format!("no answer to GET {path}"))
    }

    /// Sends a request once. Broken connections and 503 leave its outcome unknown; any other answer that isn't a
    /// success is a fault of the service.
    async fn send(&mut self, seat: usize, method: &str, path: &str, body: &Value, key: Option<&str>) -> Outcome<Came> {
        let player = &mut self.players[seat];
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let request = Request { method, path, token: Some(&player.token), key, body: &body };
        let pause = match player.connection.exchange(&request).await {
            Ok(answer) => match answer.status {
                200 | 201 => return Ok(Came::Answer(answer.json()?)),
                503 => 50,
                401 => {
                    // The token has expired: nothing was done, and the next attempt brings a new one.
                    let _ = player.sign_in().await;
                    0
                }
                _ => return Err(format!("{method} {path} {body}: {}", answer.text())),
            },
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => return Err(error.to_string()),
            Err(_) => 20,
        };
        tokio::time::sleep(Duration::from_millis(pause)).await;
        Ok(Came::Unknown)
    }
}
