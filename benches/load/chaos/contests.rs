//! Tournaments under faults: four players meet each other, all at once or round by round. At the end, the boards,
//! points and matches must agree, and every player must have been told once.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::RngExt;
use rand::rngs::StdRng;
use serde_json::{Value, json};

use crate::Outcome;
use crate::books::client::{Acted, Client};
use crate::books::log::Log;
use crate::books::{Around, Story, compare};
use crate::player;

/// Players of a tournament.
pub const PLAYERS: usize = 4;
/// The time for a move, in seconds: one of six matches may be locked while the others wait for the same client.
const MOVE_S: u32 = 180;
/// Before one in this many actions a player resigns instead, so that rounds end.
const RESIGNS_ONCE_IN: u32 = 12;
/// Time limit for a tournament.
const LASTS: Duration = Duration::from_secs(1800);
/// Reads of a finished tournament's standings, a second apart, until they are final.
const LOOKS: usize = 30;

/// Four players and their tournament.
pub struct Contest {
    pub clients: Vec<Client>,
    pub logs: Vec<Log>,
    /// The number of correctly finished tournaments.
    pub finished: usize,
    variants: Arc<Vec<String>>,
    dice: StdRng,
    around: Arc<Around>,
    /// Its matches with their players.
    matches: HashMap<String, (Story, [usize; 2])>,
}

impl Contest {
    pub fn new(clients: Vec<Client>, variants: &Arc<Vec<String>>, around: &Arc<Around>, dice: StdRng) -> Self {
        let logs = clients.iter().map(|_| Log::default()).collect();
        let (variants, around) = (Arc::clone(variants), Arc::clone(around));
        Self { clients, logs, finished: 0, variants, dice, around, matches: HashMap::new() }
    }

    /// Plays one tournament after the other, until told to stop. The last one is completed, too.
    pub async fn play(mut self) -> Self {
        while !self.around.is_stopping() {
            self.matches.clear();
            if let Err(error) = self.one().await {
                self.around.findings.add(&format!("a tournament: {error}"));
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        }
        self
    }

    async fn one(&mut self) -> Outcome {
        let variant = &self.variants[self.dice.random_range(0..self.variants.len())];
        let terms = json!({
            "title": "A cup in the storm", "format": "round-robin", "variant": variant, "rated": self.dice.random_bool(0.5),
            "all_rounds_at_once": self.dice.random_bool(0.5), "min_players": PLAYERS, "max_players": PLAYERS,
            "clock": { "kind": "per-move", "move_s": MOVE_S },
        });
        let made = self.clients[0].must("POST", "/v1/tournaments", &terms).await?;
        let path = format!("/v1/tournaments/{}", player::text(&made, "id")?);
        for client in &mut self.clients {
            client.must("POST", &format!("{path}/join"), &json!({})).await?;
        }
        let deadline = Instant::now() + LASTS;
        while Instant::now() < deadline {
            let mut acted = false;
            for number in 0..self.clients.len() {
                acted |= self.act(number).await?;
            }
            if self.clients[0].read(&path).await?["status"] == "finished" {
                return self.compare(&path).await;
            }
            if !acted {
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
        }
        Err(format!("{path} is not over after {} s", LASTS.as_secs()))
    }

    /// Does one player's pending actions, one in each match. Returns false if there were none.
    async fn act(&mut self, number: usize) -> Outcome<bool> {
        let turns = self.clients[number].read("/v1/turns").await?;
        let mut acted = false;
        for turn in turns["items"].as_array().into_iter().flatten() {
            let id = player::text(turn, "id")?.to_owned();
            let seat = turn["seat"].as_u64().map_or(0, |seat| seat as usize % 2);
            let opponent = turn["opponents"][0]["username"].as_str();
            let opponent = self.clients.iter().position(|client| Some(client.player.username.as_str()) == opponent);
            let opponent = opponent.ok_or_else(|| format!("a stranger plays in {id}"))?;
            let seats = if seat == 0 { [number, opponent] } else { [opponent, number] };
            let (story, _) = self.matches.entry(id.clone()).or_insert_with(|| (Story::new(id.clone(), false), seats));
            let client = &mut self.clients[number];
            let resigns = self.around.is_stopping() || self.dice.random_range(0..RESIGNS_ONCE_IN) == 0;
            let resign = json!({ "action": { "type": "resign" } });
            let done =
                if resigns { client.order(story, seat, &resign).await? } else { client.act(story, seat).await? };
            acted |= matches!(done, Acted::Done(_));
        }
        Ok(acted)
    }

    /// Checks that all data about a finished tournament agrees.
    async fn compare(&mut self, path: &str) -> Outcome {
        let around = Arc::clone(&self.around);
        let fault = |what: String| around.findings.add(&format!("{path}: {what}"));
        let mut points: HashMap<String, f64> = HashMap::new();
        let mut played = Vec::new();
        for round in 1..PLAYERS {
            let round = self.clients[0].read(&format!("{path}/rounds/{round}")).await?;
            for board in round["boards"].as_array().into_iter().flatten() {
                let id = board["match_ids"][0].as_str().unwrap_or_default().to_owned();
                let view = self.clients[0].read(&format!("/v1/matches/{id}")).await?;
                for side in ["first", "second"] {
                    let name = board[side]["player"]["username"].as_str().unwrap_or_default();
                    let due = points_of(name, &view);
                    if board[side]["points"].as_f64() != due {
                        fault(format!("{name} has {} points for {id}, and {due:?} are due", board[side]["points"]));
                    }
                    *points.entry(name.to_owned()).or_default() += due.unwrap_or_default();
                }
                if view["result"]["reason"] == "time" || view["result"]["reason"] == "aborted" {
                    fault(format!("{id} was ended by its clock, and its players have tried to act all the time"));
                }
                played.push(id);
            }
        }
        self.compare_standings(path, &points).await?;
        if played.len() != PLAYERS * (PLAYERS - 1) / 2 || !played.iter().all(|id| self.matches.contains_key(id)) {
            fault(format!("{} boards were played, and its players know {}", played.len(), self.matches.len()));
        }
        self.compare_matches().await?;
        let id = path.rsplit('/').next().unwrap_or_default().to_owned();
        for (client, log) in self.clients.iter().zip(&mut self.logs) {
            for kind in ["tournament-started", "tournament-finished"] {
                let told = log.others.remove(&(kind.to_owned(), id.clone())).unwrap_or_default();
                if told != 1 {
                    fault(format!("{kind} was told {told} times to {}", client.player.username));
                }
            }
        }
        self.finished += 1;
        Ok(())
    }

    /// Checks that the standings are final, and the sum of the boards.
    async fn compare_standings(&mut self, path: &str, points: &HashMap<String, f64>) -> Outcome {
        let path = format!("{path}/standings");
        let mut standings = self.clients[0].read(&path).await?;
        for _ in 0..LOOKS {
            if standings["is_final"] == true {
                break;
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
            standings = self.clients[0].read(&path).await?;
        }
        let rows = standings["items"].as_array().into_iter().flatten();
        let shown: HashMap<String, f64> = rows
            .filter_map(|row| Some((row["player"]["username"].as_str()?.to_owned(), row["points"].as_f64()?)))
            .collect();
        if standings["is_final"] != true || shown != *points {
            self.around.findings.add(&format!("{path}: these are no sum of the boards, or not final: {standings}"));
        }
        Ok(())
    }

    async fn compare_matches(&mut self) -> Outcome {
        for (_, (mut story, seats)) in std::mem::take(&mut self.matches) {
            story.over = true;
            if let (Ok(clients), Ok(logs)) = (self.clients.get_disjoint_mut(seats), self.logs.get_disjoint_mut(seats)) {
                compare::compare_seats(clients, logs, &story).await?;
            }
        }
        Ok(())
    }
}

/// A player's score in a match: a point, half a point, or nothing; `None` if it was canceled.
fn points_of(name: &str, view: &Value) -> Option<f64> {
    if view["status"] != "finished" {
        return None;
    }
    let Some(winner) = view["result"]["winner"].as_u64() else { return Some(0.5) };
    let seats = view["seats"].as_array()?;
    let winner = seats.iter().find(|seat| seat["seat"] == winner)?;
    Some(if winner["player"]["username"] == name { 1.0 } else { 0.0 })
}
