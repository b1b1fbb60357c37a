//! Neighbours: the cost for others when a caller uses expensive operations as often as their budget allows.
//!
//! Players move at an even pace, and others sign in, each from their own address. Beside them, 24 connections of one
//! address call one operation repeatedly, without an account or with eight accounts, and wait when told to. The rate
//! limits are on, and all clients ask for compressed responses.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::Outcome;
use super::http::{Connection, Manner, Request};
use super::measure::{self, Round, Table};
use super::player::{self, PASSWORD, Player};
use super::service::Service;

/// Matches played beside the neighbours.
const TABLES: usize = 8;
/// Time between two moves in each match.
const PACE: Duration = Duration::from_millis(60);
/// Time between two sign-ins.
const SIGN_IN_PACE: Duration = Duration::from_millis(200);
/// The neighbour's connections, and accounts.
const CONNECTIONS: usize = 24;
const ACCOUNTS: usize = 8;

/// An operation called by the neighbours.
struct Call {
    name: &'static str,
    method: &'static str,
    path: String,
    body: String,
    /// True if it can be called without an account, and with one.
    by: [bool; 2],
}

impl Call {
    fn get(name: &'static str, path: String) -> Self {
        Self { name, method: "GET", path, body: String::new(), by: [true, true] }
    }

    fn with(name: &'static str, method: &'static str, path: &str, body: &Value, by: [bool; 2]) -> Self {
        Self { name, method, path: path.to_owned(), body: body.to_string(), by }
    }
}

/// The most expensive operations of the contract; the first three are the worst.
fn calls(ended: &str) -> Vec<Call> {
    let of = |what: &str| format!("/v1/matches/{ended}/{what}");
    let changed = json!({ "variant": "salvos", "rule_set": { "first": "creator" } });
    let bogus = json!({ "username": "nobody-here", "password": "a wrong password" });
    let same = json!({ "current_password": PASSWORD, "new_password": format!("{PASSWORD}, another one") });
    vec![
        Call::get("reports of a finished match", of("reports?limit=1000")),
        Call::get("record of a finished match", of("record")),
        Call::get("the contract", "/openapi.json".to_owned()),
        Call::get("record in words", of("record?format=text")),
        Call::get("view of a finished match", format!("/v1/matches/{ended}")),
        Call::get("card of a variant", "/v1/variants/salvos?seats=7".to_owned()),
        Call::get("list of matches", "/v1/matches?limit=100".to_owned()),
        Call::with("check of a rule set", "POST", "/v1/rule-sets/check", &changed, [true, true]),
        Call::with("sign-in, refused", "POST", "/v1/sessions", &bogus, [true, false]),
        Call::with("change of the password", "PUT", "/v1/account/password", &same, [false, true]),
        Call { by: [false, true], ..Call::get("export of the account", "/v1/account/export".to_owned()) },
    ]
}

/// The latencies beside one neighbour, and the outcome of the neighbour's calls.
struct Phase {
    moves: Round,
    sign_ins: Round,
    answered: usize,
    refused: usize,
}

/// A part of the measurements.
type Part = fn(&Phase) -> &Round;

/// Measures everything and prints a table. With `at_most`, measures only the three worst, and fails if others are
/// slowed down by more than this factor.
pub async fn run(service: Service, length: Duration, at_most: Option<f64>, seed: u64) -> Outcome {
    let address = service.address;
    let seats = if at_most.is_some() { 3 } else { 7 };
    let (ended, moves) = long_match(address, seats).await?;
    println!("a finished match of {seats} seats and {moves} actions");
    let mut calls = calls(&ended);
    calls.truncate(if at_most.is_some() { 3 } else { usize::MAX });
    let mut victims = Victims::register(address, seed).await?;
    let quiet = victims.beside(address, None, length * 2).await?;
    println!(
        "| neighbour | calls answered, refused | a move p50, p99 in ms | of quiet | a sign-in p50, p99 in ms | of quiet |"
    );
    println!("|---|---|---|---|---|---|");
    print(&quiet, &quiet, "nobody");
    let mut worst: f64 = 1.0;
    for (number, call) in calls.iter().enumerate() {
        for (signed, who) in [(false, "anonymous"), (true, "eight accounts")] {
            if call.by[usize::from(signed)] {
                let neighbour = Neighbour::register(address, 2 * number + usize::from(signed), signed, call).await?;
                let phase = victims.beside(address, Some(neighbour), length).await?;
                worst = worst.max(print(&phase, &quiet, &format!("{}, {who}", call.name)));
            }
        }
    }
    match at_most {
        Some(most) if worst > most => Err(format!("a neighbour slowed others {worst:.1} times")),
        _ => Ok(()),
    }
}

/// Prints a row, and returns the factors by which the moves and the sign-ins of others were slower.
fn print(phase: &Phase, quiet: &Phase, name: &str) -> f64 {
    let times = |part: Part, share| part(phase).percentile_ms(share) / part(quiet).percentile_ms(share);
    let (moves, sign_ins): (Part, Part) = (|phase| &phase.moves, |phase| &phase.sign_ins);
    let ms = |round: &Round| format!("{:.1}, {:.1}", round.percentile_ms(0.5), round.percentile_ms(0.99));
    let ratio = |of| format!("{:.2}, {:.2}", times(of, 0.5), times(of, 0.99));
    println!(
        "| {name} | {}, {} | {} | {} | {} | {} |",
        phase.answered,
        phase.refused,
        ms(&phase.moves),
        ratio(moves),
        ms(&phase.sign_ins),
        ratio(sign_ins),
    );
    times(moves, 0.99).max(times(sign_ins, 0.99))
}

/// A loopback address, different for each client.
fn from(group: u8, number: usize) -> Manner {
    let last = u8::try_from(number % 250 + 1).unwrap_or(1);
    let from = Some(IpAddr::V4(Ipv4Addr::new(127, 0, group, last)));
    Manner { gzip: true, from, ..Manner::default() }
}

/// The clients that move and sign in.
struct Victims {
    tables: Vec<Table>,
    names: Vec<String>,
    signed_in: usize,
}

impl Victims {
    async fn register(address: SocketAddr, seed: u64) -> Outcome<Self> {
        let (run, mut tables, mut names) = (rand::rng().random(), Vec::new(), Vec::new());
        for table in 0..TABLES {
            let [host, guest] = [2 * table, 2 * table + 1]
                .map(|number| Player::register(address, player::name(run, number), from(1, number)));
            let players = [host.await?, guest.await?];
            names.extend(players.iter().map(|player| player.username.clone()));
            tables.push(Table::new(players, seed.wrapping_add(table as u64)));
        }
        Ok(Self { tables, names, signed_in: 0 })
    }

    /// Lets them play and sign in for `length`, beside a neighbour or alone.
    async fn beside(&mut self, address: SocketAddr, neighbour: Option<Neighbour>, length: Duration) -> Outcome<Phase> {
        // Tokens expire after minutes.
        for player in self.tables.iter_mut().flat_map(|table| &mut table.players) {
            player.sign_in().await?;
        }
        let until = Instant::now() + length;
        let calling = neighbour.map(|neighbour| neighbour.call(until));
        let playing = measure::paced(std::mem::take(&mut self.tables), "classic", PACE, until);
        let (played, signed_in) = tokio::join!(playing, sign_ins(address, &self.names, &mut self.signed_in, until));
        let (tables, moves) = played?;
        self.tables = tables;
        let (mut answered, mut refused) = (0, 0);
        if let Some(calling) = calling {
            for (some_answered, some_refused) in calling.join_all().await {
                answered += some_answered;
                refused += some_refused;
            }
        }
        Ok(Phase { moves: Round::of(moves, length), sign_ins: Round::of(signed_in?, length), answered, refused })
    }
}

/// Signs in at an even pace, each time from another address, and returns the latencies in microseconds.
async fn sign_ins(address: SocketAddr, names: &[String], done: &mut usize, until: Instant) -> Outcome<Vec<u32>> {
    let mut took_us = Vec::new();
    let mut pace = tokio::time::interval(SIGN_IN_PACE);
    while Instant::now() < until {
        pace.tick().await;
        *done += 1;
        let body = json!({ "username": names[*done % names.len()], "password": PASSWORD }).to_string();
        let request = Request { method: "POST", path: "/v1/sessions", token: None, key: None, body: &body };
        let begun = Instant::now();
        let mut connection = Connection::to(address, from(3, *done));
        let answer = connection.exchange(&request).await.map_err(|error| format!("a sign-in: {error}"))?;
        if answer.status != 201 {
            return Err(format!("a sign-in beside neighbours: {}", answer.text()));
        }
        took_us.push(u32::try_from(begun.elapsed().as_micros()).unwrap_or(u32::MAX));
    }
    Ok(took_us)
}

/// A caller of one operation, as often as allowed.
struct Neighbour {
    connections: Vec<(Connection, Option<String>)>,
    method: &'static str,
    path: String,
    body: String,
}

impl Neighbour {
    /// At a new address, without accounts or with eight.
    async fn register(address: SocketAddr, number: usize, signed: bool, call: &Call) -> Outcome<Self> {
        let manner = Manner { unread: true, ..from(2, number) };
        let mut tokens = vec![None];
        if signed {
            tokens.clear();
            let run = rand::rng().random();
            for account in 0..ACCOUNTS {
                let reading = Manner { unread: false, ..manner };
                let player = Player::register(address, player::name(run, account), reading).await?;
                tokens.push(Some(player.token));
            }
        }
        let connection = |number: usize| (Connection::to(address, manner), tokens[number % tokens.len()].clone());
        let connections = (0..CONNECTIONS).map(connection).collect();
        Ok(Self { connections, method: call.method, path: call.path.clone(), body: call.body.clone() })
    }

    /// Calls until the end; each connection returns its numbers of successful and refused calls.
    fn call(self, until: Instant) -> JoinSet<(usize, usize)> {
        let mut calling = JoinSet::new();
        for (mut connection, token) in self.connections {
            let (method, path, body) = (self.method, self.path.clone(), self.body.clone());
            calling.spawn(async move {
                let (mut answered, mut refused) = (0, 0);
                while Instant::now() < until {
                    let token = token.as_deref();
                    let request = Request { method, path: &path, token, key: None, body: &body };
                    let wait_s = match connection.exchange(&request).await {
                        Ok(answer) if matches!(answer.status, 429 | 503) => Some(answer.retry_after_s.unwrap_or(1)),
                        Ok(_) => None,
                        Err(_) => Some(1),
                    };
                    match wait_s {
                        None => answered += 1,
                        Some(seconds) => {
                            refused += 1;
                            let pause =
                                Duration::from_secs(seconds).min(until.saturating_duration_since(Instant::now()));
                            tokio::time::sleep(pause).await;
                        }
                    }
                }
                (answered, refused)
            });
        }
        calling
    }
}

/// Plays a match with this number of seats to its end by examples. Returns its id, and the number of actions.
pub async fn long_match(address: SocketAddr, seats: usize) -> Outcome<(String, usize)> {
    let run = StdRng::seed_from_u64(7).random::<u32>() ^ rand::rng().random::<u32>();
    let mut players = Vec::new();
    for number in 0..seats {
        players.push(Player::register(address, player::name(run, number), from(4, number)).await?);
    }
    let offer = json!({ "variant": "salvos", "seats": seats, "clock": { "kind": "none" } });
    let mut challenge = players[0].ask("POST", "/v1/challenges", &offer).await?;
    let path = format!("/v1/challenges/{}/accept", player::text(&challenge, "id")?);
    for guest in &mut players[1..] {
        challenge = guest.ask("POST", &path, &json!({})).await?;
    }
    let id = player::text(&challenge, "match_id")?.to_owned();
    let path = format!("/v1/matches/{id}");
    let mut seen = players[0].ask("GET", &path, &Value::Null).await?;
    for actions in 0..10_000 {
        let Some(seat) = seen["to_act"][0].as_u64() else { return Ok((id, actions)) };
        let player = players.get_mut(usize::try_from(seat).unwrap_or(usize::MAX)).ok_or("a seat out of range")?;
        let view = player.ask("GET", &path, &Value::Null).await?;
        let wanted = view["decisions"].as_array().into_iter().flatten().find(|decision| decision["required"] == true);
        let action = json!({ "action": wanted.ok_or("nothing to decide for the one who must act")?["example"] });
        seen = player.ask("POST", &format!("{path}/actions"), &action).await?["match"].take();
    }
    Err("a match without an end".to_owned())
}
