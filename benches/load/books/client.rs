//! A client that repeats a request under its key until it gets a response, at one node or another, and measures the
//! time without a response.

use std::io::ErrorKind;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};

use super::weather::{Wait, Waiting};
use super::{Around, Story, count};
use crate::Outcome;
use crate::http::{Connection, Manner, Request};
use crate::player::{self, Player};

/// A client changes the node before one in this many requests, without any fault.
const MOVES_ON_ONCE_IN: u32 = 200;
/// Time limit for a response before the client asks another node, if there is one.
const ANSWER_WITHIN: Duration = Duration::from_secs(8);

/// The outcome of a request.
pub enum Came {
    /// A response: 200, 201 or 204.
    Answer(Value),
    /// A refusal: nothing was done.
    Refused(Refusal),
    /// Unknown whether it was carried out.
    Unknown,
    /// The token had expired: nothing was done, and there is a new one.
    SignedIn,
}

pub struct Refusal {
    /// The code of the problem.
    pub code: String,
    /// The request and the response, for findings.
    pub text: String,
}

/// A player who measures waits.
pub struct Client {
    pub player: Player,
    /// Requests repeated because their outcome was unknown.
    pub again: usize,
    /// Each time without a response.
    pub waits: Vec<Wait>,
    around: Arc<Around>,
    node: usize,
    dice: StdRng,
    unanswered: Option<Waiting>,
}

impl Client {
    /// A player who first asks the node of this number.
    pub fn new(player: Player, around: &Arc<Around>, node: usize, seed: u64) -> Self {
        let mut client = Self {
            player,
            again: 0,
            waits: Vec::new(),
            around: Arc::clone(around),
            node,
            dice: StdRng::seed_from_u64(seed),
            unanswered: None,
        };
        client.ask_node(node);
        client
    }

    pub fn around(&self) -> &Arc<Around> {
        &self.around
    }

    pub fn key(&mut self) -> String {
        player::key(&mut self.dice)
    }

    fn ask_node(&mut self, node: usize) {
        let several = self.around.addresses.len() > 1;
        let manner = Manner { answer_within: several.then_some(ANSWER_WITHIN), ..Manner::default() };
        self.node = node % self.around.addresses.len();
        self.player.connection = Connection::to(self.around.addresses[self.node], manner);
    }

    /// Changes to another node, if there is one, with a chance of one in `once_in`.
    fn move_on(&mut self, once_in: u32) {
        let nodes = self.around.addresses.len();
        if nodes > 1 && self.dice.random_range(0..once_in) == 0 {
            let node = self.node + self.dice.random_range(1..nodes);
            self.ask_node(node);
        }
    }

    /// Sends a request until it gets a response, always under the same key, if it has one.
    pub async fn insist(&mut self, method: &str, path: &str, body: &Value) -> Outcome<Result<Value, Refusal>> {
        let key = (method != "GET").then(|| self.key());
        let deadline = Instant::now() + self.around.patience;
        let mut attempts = 0;
        loop {
            let came = self.send(method, path, body, key.as_deref()).await?;
            match came {
                Came::Answer(_) | Came::Refused(_) if attempts > 0 && key.is_some() => self.again += 1,
                Came::Unknown if attempts == 0 && key.is_some() => count(&self.around.unknown, 1),
                _ => {}
            }
            match came {
                Came::Answer(answer) => return Ok(Ok(answer)),
                Came::Refused(refusal) => return Ok(Err(refusal)),
                Came::Unknown => attempts += 1,
                Came::SignedIn => {}
            }
            if Instant::now() > deadline {
                let waited = self.around.patience.as_secs();
                return Err(format!("no answer to {method} {path} in {waited} s, asked {attempts} times"));
            }
        }
    }

    /// Like [`Self::insist`], where a refusal is a fault of the service.
    pub async fn must(&mut self, method: &str, path: &str, body: &Value) -> Outcome<Value> {
        self.insist(method, path, body).await?.map_err(|refusal| refusal.text)
    }

    /// Reads until there is a response.
    pub async fn read(&mut self, path: &str) -> Outcome<Value> {
        self.must("GET", path, &Value::Null).await
    }

    /// All pages of a list; `parameter` asks for the next one.
    pub async fn pages(&mut self, path: &str, parameter: &str) -> Outcome<Vec<Value>> {
        let mut items = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = self.read(&format!("{path}{cursor}")).await?;
            items.extend(page["items"].as_array().cloned().unwrap_or_default());
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&{parameter}={next}"),
                None => return Ok(items),
            }
        }
    }

    /// Sends a request once. Broken connections and 503 leave its outcome unknown. A 503 without a retry time, and
    /// malformed HTTP, are faults of the service.
    pub async fn send(&mut self, method: &str, path: &str, body: &Value, key: Option<&str>) -> Outcome<Came> {
        self.move_on(MOVES_ON_ONCE_IN);
        let began = Instant::now();
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let request = Request { method, path, token: Some(&self.player.token), key, body: &body };
        let exchanged = self.player.connection.exchange(&request).await;
        let mut is_503 = false;
        let pause_ms = match exchanged.map(|answer| (answer.status, answer.retry_after_s, answer.json(), answer.text()))
        {
            Ok((200 | 201, _, answer, _)) => {
                self.answered();
                return Ok(Came::Answer(answer?));
            }
            Ok((204, ..)) => {
                self.answered();
                return Ok(Came::Answer(Value::Null));
            }
            Ok((503, None, ..)) => return Err(format!("{method} {path}: 503 without Retry-After")),
            Ok((503, ..)) => {
                is_503 = true;
                100
            }
            // The node stalled before it could read the request: nothing was done.
            Ok((408, ..)) => 20,
            Ok((401, ..)) => {
                if self.player.sign_in().await.is_err() {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
                self.move_on(4);
                return Ok(Came::SignedIn);
            }
            Ok((_, _, answer, text)) => {
                self.answered();
                count(&self.around.refused, 1);
                let code = answer.ok().and_then(|problem| Some(problem["code"].as_str()?.to_owned()));
                let text = format!("{method} {path} {body}: {text}");
                return Ok(Came::Refused(Refusal { code: code.unwrap_or_default(), text }));
            }
            Err(error) if error.kind() == ErrorKind::InvalidData => return Err(format!("{method} {path}: {error}")),
            Err(_) => 20,
        };
        self.unanswered = self.unanswered.or_else(|| Some(self.around.weather.wait(began, is_503)));
        tokio::time::sleep(Duration::from_millis(pause_ms)).await;
        self.move_on(2);
        Ok(Came::Unknown)
    }

    fn answered(&mut self) {
        if let Some(waiting) = self.unanswered.take() {
            self.waits.push(self.around.weather.wait_ended(waiting));
        }
    }

    /// Does the next required action of `seat` in a match, by the example.
    pub async fn act(&mut self, story: &mut Story, seat: usize) -> Outcome<Acted> {
        let view = self.read(&story.path()).await?;
        story.show(seat, &view, &self.around.findings);
        if !view["result"].is_null() {
            return Ok(Acted::Over(view));
        }
        let required = |decision: &&Value| decision["required"] == true;
        let Some(wanted) = view["decisions"].as_array().into_iter().flatten().find(required) else {
            return Ok(Acted::NotMyTurn);
        };
        let body = json!({ "version": view["version"], "action": wanted["example"] });
        self.order(story, seat, &body).await
    }

    /// Sends an action until it gets a response, and stores the response.
    pub async fn order(&mut self, story: &mut Story, seat: usize, body: &Value) -> Outcome<Acted> {
        let path = format!("{}/actions", story.path());
        match self.insist("POST", &path, body).await? {
            Ok(answer) => {
                count(&self.around.moves, 1);
                story.show(seat, &answer["match"], &self.around.findings);
                let reports = answer["reports"].as_array().into_iter().flatten();
                story.told.iter_mut().for_each(|told| {
                    told.extend(reports.clone().map(|report| (seat as u64, report.clone())));
                });
                Ok(Acted::Done(answer))
            }
            // A player's time has run out, or a job has acted meanwhile: the view was stale.
            Err(refusal) if refusal.is_of_time() => Ok(Acted::Stale),
            Err(refusal) => Err(refusal.text),
        }
    }
}

impl Refusal {
    /// True if it only says that the match has advanced since it was read.
    pub fn is_of_time(&self) -> bool {
        let codes = ["stale-version", "concurrent-action", "match-over", "not-your-turn", "already-deployed"];
        codes.contains(&self.code.as_str())
    }
}

/// The outcome of an attempt to act.
pub enum Acted {
    /// The response.
    Done(Value),
    /// The view of a finished match.
    Over(Value),
    /// Waiting for other players.
    NotMyTurn,
    /// The match has advanced since it was read.
    Stale,
}
