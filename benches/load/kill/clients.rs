//! The clients: two players at a table, who play match after match, send again what was not answered, and keep book.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rand::RngExt;
use rand::rngs::StdRng;
use serde_json::{Value, json};

use super::{Book, PATIENCE, Shot, Story};
use crate::Outcome;
use crate::http::Request;
use crate::player::{self, Game, Player};

/// One shot in so many is not tried again when its outcome is unknown: the client reads the match instead.
const GIVES_UP_ONCE_IN: u32 = 4;
/// Before one shot in so many a player of a rated match resigns instead, so that ratings change all the time.
const RESIGNS_ONCE_IN: u32 = 12;

/// One table: match after match of a game, until told to stop.
pub async fn play(
    players: [Player; 2],
    variant: &'static str,
    mut dice: StdRng,
    stopping: Arc<AtomicBool>,
) -> Outcome<Book> {
    let mut book = Book {
        players,
        variant,
        stories: Vec::new(),
        challenges: 0,
        again: 0,
        given_up: 0,
        unanswered: None,
        waits_ms: Vec::new(),
    };
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
        let mut challenge = player::challenge(self.variant, &self.players[1].username);
        challenge["rated"] = json!(rated);
        let opened = self.insist(0, "/v1/challenges", &challenge, dice).await?;
        self.challenges += 1;
        let path = format!("/v1/challenges/{}/accept", player::text(&opened, "id")?);
        let accepted = self.insist(1, &path, &json!({}), dice).await?;
        let id = player::text(&accepted, "match_id")?.to_owned();
        let mut game = Game::new(&id, self.variant, dice);
        let told = (self.variant != "classic").then(Vec::new);
        self.stories.push(Story { id, rated, over: false, shots: Vec::new(), told });
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
        } else if self.variant != "classic" {
            self.act(game, dice).await?
        } else {
            self.shoot(game, dice).await?
        };
        if let Some(story) = self.stories.last_mut() {
            story.over = !goes_on;
        }
        Ok(goes_on)
    }

    /// What is required of one of the players next, as the example says. False: the match is over.
    async fn act(&mut self, game: &mut Game, dice: &mut StdRng) -> Outcome<bool> {
        let path = game.actions.trim_end_matches("/actions").to_owned();
        for seat in [game.turn, 1 - game.turn] {
            let view = self.read(seat, &path).await?;
            if view["status"] == "finished" {
                return Ok(false);
            }
            let required = |decision: &&Value| decision["required"] == true;
            let Some(wanted) = view["decisions"].as_array().into_iter().flatten().find(required) else { continue };
            let body = json!({ "version": view["version"], "action": wanted["example"] });
            let answer = self.insist(seat, &game.actions, &body, dice).await?;
            if let Some(told) = self.stories.last_mut().and_then(|story| story.told.as_mut()) {
                let reports = answer["reports"].as_array().into_iter().flatten();
                told.extend(reports.map(|report| (seat as u64, report.clone())));
            }
            game.turn = seat;
            return Ok(answer["match"]["status"] != "finished");
        }
        Err(format!("nobody has to act in {path}, which isn't finished"))
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
        let began = Instant::now();
        let player = &mut self.players[seat];
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let request = Request { method, path, token: Some(&player.token), key, body: &body };
        let pause = match player.connection.exchange(&request).await {
            Ok(answer) => match answer.status {
                200 | 201 => {
                    let answer = answer.json()?;
                    if let Some(since) = self.unanswered.take() {
                        self.waits_ms.push(u32::try_from(since.elapsed().as_millis()).unwrap_or(u32::MAX));
                    }
                    return Ok(Came::Answer(answer));
                }
                503 if answer.retry_after_s.is_none() => {
                    return Err(format!("{method} {path}: 503 without Retry-After"));
                }
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
        self.unanswered = self.unanswered.or(Some(began));
        tokio::time::sleep(Duration::from_millis(pause)).await;
        Ok(Came::Unknown)
    }
}
