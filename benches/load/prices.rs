//! Prices: does an operation cost more processor time than it is charged?
//!
//! Every operation of the served contract is called again and again, on a service without limits: with the example of
//! the contract as its body, by a player who has a match, a ladder and a tournament, and about a finished match of
//! seven navies. What a call takes of the service and PostgreSQL is compared with the price in the service's own table.
//! What the service keeps is kept, so a match isn't folded anew for each call (which is charged apart).

use std::collections::HashMap;
use std::time::{Duration, Instant};

use broadside::api::http::prices::price_list;
use rand::SeedableRng;
use rand::rngs::StdRng;
use serde_json::{Value, json};

use super::Outcome;
use super::http::{Connection, Manner, Request};
use super::measure::Used;
use super::neighbour::long_match;
use super::player::{self, Game, PASSWORD, Player};
use super::service::Service;

/// How long an operation is called, and how often at most.
const SPAN: Duration = Duration::from_millis(500);
const MOST_CALLS: u32 = 300;
/// What answers in less is not in the table, unless it is more than its price.
const LISTED_US: f64 = 1500.0;

/// So much more than its price may be measured: prices are classes, and the speed of a machine changes.
const MARGIN: f64 = 1.5;

/// What an operation was measured to cost.
struct Row {
    name: String,
    status: u16,
    calls: u32,
    took_us: f64,
    price_us: f64,
}

impl Row {
    fn is_over(&self) -> bool {
        self.took_us > MARGIN * self.price_us
    }
}

/// Calls all operations, and prints those that cost most. Fails when one costs far more than its price.
pub async fn run(service: Service) -> Outcome {
    let watched = [service.pid(), service.postmaster()?];
    let mut world = World::new(&service).await?;
    let contract = world.captain.ask("GET", "/openapi.json", &Value::Null).await?;
    let paths = contract["paths"].as_object().ok_or("a contract without paths")?;
    let (mut rows, mut left_out) = (Vec::new(), Vec::new());
    for (path, item) in paths {
        for (method, operation) in item.as_object().into_iter().flatten() {
            let name = format!("{} {path}", method.to_uppercase());
            let charge = price_list(&method.to_uppercase(), path).ok_or_else(|| format!("{name} has no price"))?;
            match world.measure(&service, watched, &method.to_uppercase(), path, operation).await {
                Ok((status, calls, took_us)) => {
                    rows.push(Row { name, status, calls, took_us, price_us: f64::from(charge.price.ms()) * 1000.0 });
                }
                Err(why) => left_out.push(format!("{name}: {why}")),
            }
        }
    }
    rows.sort_by(|one, other| other.took_us.total_cmp(&one.took_us));
    println!("| operation | status | calls | ms of processor a call | price |\n|---|---|---|---|---|");
    let all = rows.len();
    let over = rows.iter().filter(|row| row.is_over()).count();
    for Row { name, status, calls, took_us, price_us } in
        rows.iter().filter(|row| row.took_us >= LISTED_US || row.is_over())
    {
        println!("| `{name}` | {status} | {calls} | {:.2} | {} |", took_us / 1000.0, price_us / 1000.0);
    }
    println!("{all} operations were called; those that aren't listed took less than {} ms", LISTED_US / 1000.0);
    left_out.iter().for_each(|line| println!("not measured: {line}"));
    if over > 0 { Err(format!("{over} operations cost more than {MARGIN} times their price")) } else { Ok(()) }
}

/// What operations are called about, and by whom.
struct World {
    captain: Player,
    mate: String,
    values: HashMap<&'static str, String>,
    fresh: usize,
}

impl World {
    async fn new(service: &Service) -> Outcome<Self> {
        let (address, run) = (service.address, rand::random());
        let (ended, _) = long_match(address, 7).await?;
        let captain = Player::register(address, player::name(run, 0), Manner::default()).await?;
        let mate = Player::register(address, player::name(run, 1), Manner::default()).await?;
        let mut players = [captain, mate];
        let mut dice = StdRng::seed_from_u64(7);
        let game = Game::begin(&mut players, "classic", &mut dice).await?;
        let running = game.actions.trim_end_matches("/actions").rsplit('/').next().unwrap_or_default().to_owned();
        let [mut captain, mut mate] = players;
        let clock = json!({ "kind": "per-move", "move_s": 86_400 });
        let terms = json!({ "title": "Prices", "variant": "classic", "clock": clock, "rated": false });
        let ladder = captain.ask("POST", "/v1/ladders", &terms).await?;
        let terms = json!({
            "title": "Prices", "variant": "classic", "clock": clock, "rated": false, "format": "swiss", "rounds": 5,
            "min_players": 3, "max_players": 32,
        });
        let tournament = captain.ask("POST", "/v1/tournaments", &terms).await?;
        let (ladder, tournament) =
            (player::text(&ladder, "id")?.to_owned(), player::text(&tournament, "id")?.to_owned());
        for path in [format!("/v1/ladders/{ladder}/join"), format!("/v1/tournaments/{tournament}/join")] {
            mate.ask("POST", &path, &json!({})).await?;
        }
        let view = captain.ask("GET", &format!("/v1/matches/{ended}"), &Value::Null).await?;
        let values = HashMap::from([
            ("ended", ended),
            ("running", running),
            ("ladder", ladder),
            ("tournament", tournament),
            ("hash", view["rule_set_hash"].as_str().unwrap_or_default().to_owned()),
        ]);
        Ok(Self { captain, mate: mate.username, values, fresh: 0 })
    }

    /// A path with its parameters filled in. What this player doesn't have gets an id of nothing, and 404.
    fn path(&self, method: &str, path: &str) -> String {
        let of_match =
            if method == "GET" && !path.contains("orders") && !path.contains("notes") { "ended" } else { "running" };
        let id = match path.split('/').nth(2) {
            Some("matches") => self.values[of_match].as_str(),
            Some("ladders") => self.values["ladder"].as_str(),
            Some("tournaments") => self.values["tournament"].as_str(),
            Some("variants") => "salvos",
            _ => "00000000-0000-7000-8000-000000000000",
        };
        let fillings = [
            ("{id}", id),
            ("{username}", self.mate.as_str()),
            ("{pool}", "classic-days"),
            ("{hash}", self.values["hash"].as_str()),
            ("{room}", "all"),
            ("{number}", "1"),
            ("{challenge_id}", "00000000-0000-7000-8000-000000000000"),
            ("{delivery_id}", "00000000-0000-7000-8000-000000000000"),
            ("{token}", "none"),
        ];
        let filled = fillings.iter().fold(path.to_owned(), |path, (name, value)| path.replace(name, value));
        match path {
            "/v1/variants/{id}" => format!("{filled}?seats=7"),
            "/v1/matches/{id}/reports" => format!("{filled}?limit=1000"),
            "/v1/matches" => format!("{filled}?limit=100"),
            _ => filled,
        }
    }

    /// Calls an operation for a while: the last status, how often, and the processor time of a call in microseconds.
    async fn measure(
        &mut self,
        service: &Service,
        watched: [u32; 2],
        method: &str,
        path: &str,
        operation: &Value,
    ) -> Outcome<(u16, u32, f64)> {
        let token = self.token(service, method, path).await?;
        let body = example(operation);
        let path = self.path(method, path);
        let manner = Manner { gzip: true, unread: true, ..Manner::default() };
        let mut connection = Connection::to(service.address, manner);
        let request = Request { method, path: &path, token: Some(&token), key: None, body: &body };
        // The first call may make what later ones find.
        let first = connection.exchange(&request).await.map_err(|error| error.to_string())?;
        let (mut status, mut calls) = (first.status, 0);
        let before = Used::until_now(watched).ok_or("the system doesn't tell who uses the processor")?;
        let begun = Instant::now();
        while calls < MOST_CALLS && (calls < 5 || begun.elapsed() < SPAN) {
            let Ok(answer) = connection.exchange(&request).await else {
                // An answer that doesn't read the body closes the connection: the next call needs another.
                connection = Connection::to(service.address, manner);
                status = connection.exchange(&request).await.map_err(|error| error.to_string())?.status;
                calls += 1;
                continue;
            };
            status = answer.status;
            calls += 1;
        }
        let after = Used::until_now(watched).ok_or("the system doesn't tell who uses the processor")?;
        let used_s = after.service_s - before.service_s + after.database_s - before.database_s;
        Ok((status, calls, used_s * 1e6 / f64::from(calls)))
    }

    /// The captain's token, or that of a new account for what may end its session.
    async fn token(&mut self, service: &Service, method: &str, path: &str) -> Outcome<String> {
        if method == "GET" || !(path.starts_with("/v1/account") || path.starts_with("/v1/sessions")) {
            return Ok(self.captain.token.clone());
        }
        self.fresh += 1;
        let name = player::name(rand::random(), self.fresh);
        Ok(Player::register(service.address, name, Manner::default()).await?.token)
    }
}

/// The first example of an operation's body, with the password that the accounts here have.
fn example(operation: &Value) -> String {
    let json = &operation["requestBody"]["content"]["application/json"];
    let named = json["examples"].as_object().and_then(|all| all.values().next());
    let Some(mut body) = named.map(|example| example["value"].clone()) else { return String::new() };
    for field in ["password", "current_password"] {
        if body.get(field).is_some() {
            body[field] = json!(PASSWORD);
        }
    }
    body.to_string()
}
