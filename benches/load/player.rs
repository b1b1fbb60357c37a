//! Accounts and matches for a load: two players register once, and play match after match against each other.

use std::net::SocketAddr;

use rand::RngExt;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use serde_json::{Value, json};

use super::Outcome;
use super::http::{Connection, Manner, Request, after};

/// The password of all accounts, which disappear with the folder.
pub const PASSWORD: &str = "a password for the load tool";
/// Long enough that no match of a load ends on time, in seconds.
const MOVE_S: u32 = 259_200;

/// A signed-in account, with its own connection.
pub struct Player {
    pub username: String,
    pub token: String,
    /// The token for its next access token; empty if it has to use its password.
    refresh_token: String,
    pub connection: Connection,
}

impl Player {
    pub async fn register(address: SocketAddr, username: String, manner: Manner) -> Outcome<Self> {
        let connection = Connection::to(address, manner);
        let mut player = Self { username, token: String::new(), refresh_token: String::new(), connection };
        let body = json!({ "username": player.username, "password": PASSWORD, "bot": true });
        player.take_tokens("/v1/accounts", &body).await?;
        Ok(player)
    }

    /// Refreshes the session, or signs in again if it is over: access tokens expire after minutes. Passwords are
    /// expensive for the service, so they are avoided.
    pub async fn sign_in(&mut self) -> Outcome {
        if !self.refresh_token.is_empty() {
            let body = json!({ "refresh_token": self.refresh_token });
            if self.take_tokens("/v1/sessions/refresh", &body).await? {
                return Ok(());
            }
        }
        let body = json!({ "username": self.username, "password": PASSWORD });
        self.take_tokens("/v1/sessions", &body).await?;
        Ok(())
    }

    /// Requests tokens, and stores them. Returns false if the session is over.
    async fn take_tokens(&mut self, path: &str, body: &Value) -> Outcome<bool> {
        let body = body.to_string();
        let request = Request { method: "POST", path, token: None, key: None, body: &body };
        let answer = self.connection.exchange(&request).await.map_err(|error| format!("POST {path}: {error}"))?;
        if answer.status == 401 && !self.refresh_token.is_empty() {
            self.refresh_token.clear();
            return Ok(false);
        }
        let given = answer.json().ok().filter(|_| matches!(answer.status, 200 | 201));
        let text = |name: &str| given.as_ref().and_then(|given| given[name].as_str().map(str::to_owned));
        let (token, refresh_token) = text("access_token").zip(text("refresh_token")).unzip();
        self.token = token.ok_or_else(|| format!("POST {path}: {}", answer.text()))?;
        self.refresh_token = refresh_token.unwrap_or_default();
        Ok(true)
    }

    /// Sends a request as this player; any response but 200 or 201 is an error.
    pub async fn ask(&mut self, method: &str, path: &str, body: &Value) -> Outcome<Value> {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let request = Request { method, path, token: Some(&self.token), key: None, body: &body };
        let answer = self.connection.exchange(&request).await.map_err(|error| format!("{method} {path}: {error}"))?;
        match answer.status {
            200 | 201 => answer.json(),
            _ => Err(format!("{method} {path}: {}", answer.text())),
        }
    }
}

/// The terms of a challenge to `opponent`.
pub fn challenge(variant: &str, opponent: &str) -> Value {
    json!({ "variant": variant, "opponent": opponent, "clock": { "kind": "per-move", "move_s": MOVE_S } })
}

/// The name of the `n`-th account of one run, unique among runs.
pub fn name(run: u32, n: usize) -> String {
    format!("load{run:08x}-{n}")
}

/// The players' memory of a running match.
pub struct Game {
    /// The path of its actions.
    pub actions: String,
    /// The seat to act next.
    pub turn: usize,
    /// For each seat, the cells not shot at yet, in the order of its shots.
    cells: [Vec<u8>; 2],
    /// True for blind shots; otherwise the players ask for an example and send it back.
    blind: bool,
}

impl Game {
    /// Challenges, accepts and deploys: seat 0 is the first player's.
    pub async fn begin(players: &mut [Player; 2], variant: &str, dice: &mut StdRng) -> Outcome<Self> {
        let [host, guest] = players;
        let opened = host.ask("POST", "/v1/challenges", &challenge(variant, &guest.username)).await?;
        let path = format!("/v1/challenges/{}/accept", text(&opened, "id")?);
        let accepted = guest.ask("POST", &path, &json!({})).await?;
        let mut game = Self::new(text(&accepted, "match_id")?, variant, dice);
        let deploy = json!({ "action": { "type": "deploy-auto" } });
        host.ask("POST", &game.actions, &deploy).await?;
        let ready = guest.ask("POST", &game.actions, &deploy).await?;
        let first = ready["to_act"][0].as_u64().ok_or("nobody begins")?;
        game.turn = usize::try_from(first).map_err(|_| "a seat out of range")?;
        Ok(game)
    }

    /// The match `id`, without any shot.
    pub fn new(id: &str, variant: &str, dice: &mut StdRng) -> Self {
        // One shot a turn on a sea of 10 by 10 cells, named like H10: any order of the cells will do.
        let blind = matches!(variant, "classic" | "petty-officers");
        let cells = [(); 2].map(|()| {
            let mut cells: Vec<u8> = (0..100).collect();
            cells.shuffle(dice);
            cells
        });
        Self { actions: format!("/v1/matches/{id}/actions"), turn: 0, cells, blind }
    }

    /// The next order of the player whose turn it is.
    pub async fn order(&mut self, player: &mut Player) -> Outcome<String> {
        if self.blind {
            let cell = self.next_cell().ok_or("a sea without cells")?;
            return Ok(format!(r#"{{"action":{{"type":"fire","cells":["{cell}"]}}}}"#));
        }
        let path = self.actions.trim_end_matches("/actions").to_owned();
        let view = player.ask("GET", &path, &Value::Null).await?;
        let decisions = view["decisions"].as_array().ok_or("a view without decisions")?;
        let wanted = decisions.iter().find(|decision| decision["required"] == true);
        let wanted = wanted.ok_or("nothing to decide for the one who must act")?;
        Ok(json!({ "version": view["version"], "action": wanted["example"] }).to_string())
    }

    /// The next cell of the seat whose turn it is, such as H10.
    pub fn next_cell(&mut self) -> Option<String> {
        let cell = self.cells[self.turn].pop()?;
        Some(format!("{}{}", char::from(b'A' + cell / 10), cell % 10 + 1))
    }

    /// Reads the next seat from the response to an order. Returns false if the match is over.
    pub fn go_on(&mut self, answer: &[u8]) -> bool {
        let next = after(answer, "\"to_act\":[").and_then(|at| answer.get(at)).filter(|digit| digit.is_ascii_digit());
        match next {
            Some(digit) => self.turn = usize::from(digit - b'0') % 2,
            None => return false,
        }
        after(answer, "\"status\":\"finished\"").is_none()
    }
}

pub fn text<'a>(value: &'a Value, field: &str) -> Outcome<&'a str> {
    value[field].as_str().ok_or_else(|| format!("an answer without {field}: {value}"))
}

pub fn key(dice: &mut StdRng) -> String {
    format!("{:032x}", dice.random::<u128>())
}
