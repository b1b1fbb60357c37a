//! Test support: an app per test, players who register and act, and a clock that is moved.

pub mod answer;
pub mod authenticator;
pub mod club;
pub mod contract;
pub mod database;
pub mod fleets;
pub mod house;
pub mod oauth;
pub mod orders;
pub mod process;
pub mod push_service;
pub mod receiver;
mod rounds;
pub mod setup;
pub mod smtp;
pub mod streams;
pub mod way;

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use actix_http::Request;
use actix_web::dev::Service;
use actix_web::http::{Method, StatusCode, header};
use actix_web::{test, web};
use broadside::api;
use broadside::app::{App, ConnectionTimeouts, Parts};
use broadside::clock::{Clock, StandingClock};
use broadside::context::Entropy;
use broadside::db::Db;
use broadside::matches::MatchMemory;
use broadside::moderation::grants;
use broadside::notifications::webhooks::WebhookSettings;
use broadside::rate_limits::RateLimits;
use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};

pub use answer::{Answer, Streaming};
pub use club::seven_people;
use contract::Sent;
pub use setup::Setup;

/// 2026-11-21T07:30:00Z.
pub const MORNING_MS: i64 = 1_795_246_200_000;

/// The source address of the tests' requests.
const PEER: std::net::SocketAddr =
    std::net::SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 40_000);

/// One node of the service on a database of its own (or shared with another node).
#[derive(Clone)]
pub struct TestApp {
    pub app: web::Data<App>,
    pub database: String,
    pub clock: Arc<AtomicI64>,
    webhooks: WebhookSettings,
    call: Rc<dyn Fn(Request) -> LocalBoxFuture<'static, Answer>>,
    open: Rc<dyn Fn(Request) -> LocalBoxFuture<'static, Streaming>>,
}

impl TestApp {
    pub async fn start() -> Self {
        Self::with(Setup::default()).await
    }

    pub async fn with(setup: Setup) -> Self {
        let clock = Arc::new(AtomicI64::new(MORNING_MS));
        Self::on(database::fresh().await, clock, setup).await
    }

    pub async fn another_node(&self) -> Self {
        self.another_node_that_sends(self.webhooks.clone()).await
    }

    /// The same node after a restart, with an empty cache.
    pub async fn restarted(&self) -> Self {
        self.another_node().await
    }

    /// A node on this database and this clock.
    pub async fn on(database: String, clock: Arc<AtomicI64>, setup: Setup) -> Self {
        let webhooks = setup.webhooks.unwrap_or_else(|| receiver::to_loopback(&[]));
        let parts = Parts {
            clock: Clock::standing(StandingClock {
                database_ms: Arc::clone(&clock),
                ahead_ms: Arc::new(AtomicI64::new(setup.ahead_ms)),
            }),
            db: Db::new(&database, 8, setup.deadline).unwrap(),
            replica: setup.replica,
            rate_limits: setup.rate_limits.then(|| RateLimits::new(setup.budgets)),
            public_url: setup.public_url.unwrap_or_else(|| "https://broadside.test".to_owned()),
            contact: setup.contact,
            front_end: setup.front_end,
            proxies: setup.proxies,
            match_link: setup.match_link.map(|link| link.parse().unwrap()),
            mail: setup.mail,
            memory: MatchMemory { matches: 100, document_bytes: 16 << 20 },
            archive: setup.archive.map(|settings| broadside::archive::Archive::open(&settings).unwrap()),
            entropy: setup.seed.map_or(Entropy::System, Entropy::seeded),
            keep_alive: setup.keep_alive.unwrap_or(Duration::from_secs(15)),
            body_timeout: setup.body_timeout.unwrap_or(Duration::from_secs(10)),
            connections: setup
                .connections
                .unwrap_or(ConnectionTimeouts { head: Duration::from_secs(30), silence: Duration::from_secs(75) }),
            webhooks: webhooks.clone(),
            web_push: !setup.no_web_push,
            rulesets: setup.rulesets.unwrap_or_default(),
            sessions: setup.sessions.unwrap_or_default(),
            guests: setup.guests.unwrap_or_default(),
            second_factor: setup.second_factor,
            heartbeat: setup.heartbeat,
        };
        let app = web::Data::new(App::build(parts).await.unwrap());
        let service = Rc::new(test::init_service(api::app(app.clone())).await);
        let streaming = Rc::clone(&service);
        let call = move |request: Request| -> LocalBoxFuture<'static, Answer> {
            let service = Rc::clone(&service);
            Box::pin(async move { Answer::read(service.call(request).await).await })
        };
        let open = move |request: Request| -> LocalBoxFuture<'static, Streaming> {
            let service = Rc::clone(&streaming);
            Box::pin(async move { Streaming::of(service.call(request).await.unwrap()) })
        };
        Self { app, database, clock, webhooks, call: Rc::new(call), open: Rc::new(open) }
    }

    /// Moves the clock, and runs the due jobs.
    pub async fn passes_s(&self, seconds: i64) {
        self.clock.fetch_add(seconds * 1000, Ordering::SeqCst);
        rounds::play(&self.app).await;
    }

    pub async fn beats(&self) {
        self.app.heartbeat.beat().await.unwrap();
    }

    /// Moves the clock in steps, with a sign of life and the due jobs in each.
    pub async fn lives_s(&self, seconds: i64) {
        for _ in 0..seconds / 10 {
            self.passes_unseen_s(10);
            self.beats().await;
            self.passes_s(0).await;
        }
    }

    /// Moves the clock without running jobs.
    pub fn passes_unseen_s(&self, seconds: i64) {
        self.clock.fetch_add(seconds * 1000, Ordering::SeqCst);
    }

    pub async fn send(&self, request: test::TestRequest) -> Answer {
        self.send_from(PEER, request).await
    }

    pub async fn send_from(&self, peer: std::net::SocketAddr, request: test::TestRequest) -> Answer {
        let (request, sent) = Sent::of(request.peer_addr(peer).to_request()).await;
        let answer = (self.call)(request).await;
        sent.check(answer.received());
        answer
    }

    /// Sends a request with a streamed answer.
    pub async fn open(&self, request: test::TestRequest) -> Streaming {
        let (request, sent) = Sent::of(request.peer_addr(PEER).to_request()).await;
        let answer = (self.open)(request).await;
        sent.check(answer.received());
        answer
    }

    /// A request without a token.
    pub async fn request(&self, method: &str, path: &str, body: Option<Value>) -> Answer {
        self.send(plain(method, path, body)).await
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.request("GET", path, None).await
    }

    /// Gets a page without checking it against the contract: data of an older build has words that are not in it.
    pub async fn get_as_stored(&self, path: &str) -> Answer {
        (self.call)(plain("GET", path, None).peer_addr(PEER).to_request()).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.request("POST", path, Some(body)).await
    }

    pub async fn player(&self, name: &str) -> Player {
        let password = format!("the secret of {name}");
        let account = json!({ "username": name, "password": password });
        let body = self.post("/v1/accounts", account).await.expect(201);
        Player {
            app: self.clone(),
            name: name.to_owned(),
            id: body["account"]["id"].as_str().unwrap().to_owned(),
            token: body["access_token"].as_str().unwrap().to_owned(),
            refresh_token: body["refresh_token"].as_str().unwrap().to_owned(),
            password,
        }
    }

    /// Registers a player with a personal access token, which doesn't expire while the clock is moved.
    pub async fn lasting_player(&self, name: &str) -> Player {
        let player = self.player(name).await;
        let scopes = <broadside::accounts::Scope as strum::VariantNames>::VARIANTS;
        let token = player.post("/v1/account/tokens", json!({ "name": "play", "scopes": scopes })).await.expect(201);
        player.with_token(token["token"].as_str().unwrap())
    }

    pub async fn grants(&self, name: &str, role: &str) {
        let mut tx = self.app.db.begin().await.unwrap();
        let (name, role, why) = (name.parse().unwrap(), role.parse().unwrap(), "a good hand".parse().unwrap());
        assert!(grants::grant(&mut tx, &self.app, &name, role, why).await.unwrap(), "{name} has it already");
        tx.commit().await.unwrap();
    }

    pub async fn revokes(&self, name: &str, role: &str) {
        let mut tx = self.app.db.begin().await.unwrap();
        let (name, role, why) = (name.parse().unwrap(), role.parse().unwrap(), "that will do".parse().unwrap());
        assert!(grants::revoke(&mut tx, &self.app, &name, role, why).await.unwrap(), "{name} doesn't have it");
        tx.commit().await.unwrap();
    }

    /// Registers a moderator with a token that doesn't expire.
    pub async fn moderator(&self, name: &str) -> Player {
        let player = self.lasting_player(name).await;
        self.grants(name, "moderator").await;
        player
    }

    /// Anna (who begins) and Ben at a match of `variant` before the placement of fleets.
    pub async fn table(&self, variant: &str) -> (Player, Player, String) {
        let (anna, ben) = (self.player("anna").await, self.player("ben").await);
        let id = anna.challenges_and_meets(&ben, json!({ "variant": variant })).await;
        (anna, ben, id)
    }
}

/// A request as a client would send it.
pub fn plain(method: &str, path: &str, body: Option<Value>) -> test::TestRequest {
    let request = test::TestRequest::with_uri(path).method(Method::from_bytes(method.as_bytes()).unwrap());
    match body {
        Some(body) => request.set_json(body),
        None => request,
    }
}

#[derive(Clone)]
pub struct Player {
    pub app: TestApp,
    pub name: String,
    pub id: String,
    pub token: String,
    pub refresh_token: String,
    pub password: String,
}

impl Player {
    /// The same player at another node.
    pub fn at(&self, node: &TestApp) -> Self {
        Self { app: node.clone(), ..self.clone() }
    }

    pub fn with_token(&self, token: &str) -> Self {
        Self { token: token.to_owned(), ..self.clone() }
    }

    pub fn signed(&self, request: test::TestRequest) -> test::TestRequest {
        request.insert_header((header::AUTHORIZATION, format!("Bearer {}", self.token)))
    }

    pub async fn request(&self, method: &str, path: &str, body: Option<Value>) -> Answer {
        self.app.send(self.signed(plain(method, path, body))).await
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.request("GET", path, None).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.request("POST", path, Some(body)).await
    }

    /// A POST with an Idempotency-Key.
    pub async fn post_once(&self, key: &str, path: &str, body: Value) -> Answer {
        let request = self.signed(plain("POST", path, Some(body))).insert_header(("idempotency-key", key));
        self.app.send(request).await
    }

    /// Challenges `other`, who accepts; returns the match's id. Anna begins unless `terms` say otherwise.
    pub async fn challenges_and_meets(&self, other: &Player, terms: Value) -> String {
        let mut body = json!({
            "variant": "classic", "clock": { "kind": "per-move", "move_s": 86_400 }, "opponent": other.name, "first": "creator",
        });
        body.as_object_mut().unwrap().extend(terms.as_object().unwrap().clone());
        let challenge = self.post("/v1/challenges", body).await.expect(201);
        let path = format!("/v1/challenges/{}/accept", challenge["id"].as_str().unwrap());
        let accepted = other.post(&path, json!({})).await.expect(200);
        accepted["match_id"].as_str().unwrap().to_owned()
    }

    /// Opens a challenge with a seat for each player, and the others accept in order; returns the match's id. `brings`
    /// has each player's additional fields (a nation, a nonce).
    pub async fn sits_down_with(&self, others: &[&Player], terms: Value, brings: &[Value]) -> String {
        let nothing = json!({});
        let bring = |index: usize| brings.get(index).unwrap_or(&nothing).as_object().unwrap().clone();
        let mut body = json!({
            "variant": "classic", "clock": { "kind": "per-move", "move_s": 86_400 }, "seats": others.len() + 1,
        });
        body.as_object_mut().unwrap().extend(terms.as_object().unwrap().clone());
        body.as_object_mut().unwrap().extend(bring(0));
        let mut challenge = self.post("/v1/challenges", body).await.expect(201);
        let path = format!("/v1/challenges/{}/accept", challenge["id"].as_str().unwrap());
        for (index, other) in others.iter().enumerate() {
            assert_eq!(challenge["match_id"], Value::Null);
            challenge = other.post(&path, Value::Object(bring(index + 1))).await.expect(200);
        }
        challenge["match_id"].as_str().unwrap().to_owned()
    }

    pub async fn acts(&self, id: &str, action: Value) -> Answer {
        self.post(&format!("/v1/matches/{id}/actions"), json!({ "action": action })).await
    }

    pub async fn deploys(&self, id: &str, fleet: &[(&str, &[&str])]) -> Value {
        self.acts(id, fleets::deployment(fleet)).await.expect(200)
    }

    /// Fires; returns the answer.
    pub async fn fires(&self, id: &str, cells: &[&str]) -> Value {
        let acted = self.acts(id, json!({ "type": "fire", "cells": cells })).await.expect(200);
        let reports = acted["reports"].as_array().unwrap();
        reports.iter().find(|report| report["type"] == "fired").cloned().unwrap()
    }

    /// The player's events after event `after`.
    pub async fn hears(&self, after: u64) -> Vec<Value> {
        let path = format!("/v1/events?after={}&limit=1000", self.app.cursor(after));
        let events = self.get(&path).await.expect(200)["items"].as_array().unwrap().clone();
        crate::examples::events::keep(&events);
        events
    }

    /// The player's view of the match.
    pub async fn sees(&self, id: &str) -> Value {
        self.get(&format!("/v1/matches/{id}")).await.expect(200)
    }

    /// The example of the first required decision, which the server would play for the player.
    pub async fn example(&self, id: &str) -> Option<Value> {
        let view = self.sees(id).await;
        let decisions = view["decisions"].as_array().unwrap();
        decisions.iter().find(|decision| decision["required"] == true).map(|decision| decision["example"].clone())
    }
}

/// All play examples until the match is over, or for at most `steps` rounds.
pub async fn plays_out(players: &[&Player], id: &str, steps: usize) -> Value {
    for _ in 0..steps {
        let mut acted = false;
        for player in players {
            if let Some(example) = player.example(id).await {
                player.acts(id, example).await.expect(200);
                acted = true;
            }
        }
        if !acted {
            return players[0].sees(id).await;
        }
    }
    panic!("the match {id} is not over after {steps} actions");
}

pub fn ok(status: u16) -> bool {
    StatusCode::from_u16(status).is_ok_and(|status| status.is_success())
}

/// The secret in the address of a player's calendar feed, which is all that a reader needs.
pub async fn feed_of(player: &Player) -> String {
    let made = player.signed_in().await.post("/v1/account/calendar/feed", json!({})).await;
    made.header("location").unwrap().trim_start_matches("/v1/calendar/").trim_end_matches(".ics").to_owned()
}
