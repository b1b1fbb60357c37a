//! A table: two players who play one match after the other, and keep books. Without a response they repeat the request
//! under the same key, or in a game of blind shots sometimes abandon it, and look.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::RngExt;
use rand::rngs::StdRng;
use serde_json::{Value, json};

use super::client::{Acted, Came, Client};
use super::log::Log;
use super::{Shot, Story, Told, compare, count};
use crate::Outcome;
use crate::player::{self, Game};

/// One in this many shots with an unknown outcome is abandoned: the client reads the match instead.
const GIVES_UP_ONCE_IN: u32 = 4;
/// Before one in this many actions a player of a rated match resigns instead, so that ratings keep changing.
const RESIGNS_ONCE_IN: u32 = 12;
/// One in this many matches is left by a player, where that is a habit.
const LEFT_ONCE_IN: u32 = 20;
/// A match to be left is left within this many actions.
const LEFT_AFTER: u32 = 8;
/// Time between the end of a match and its comparison, so that a failover may come in between.
const RESTS: Duration = Duration::from_secs(20);
/// Time between the time-out of a player who left and the look at the match: jobs look twice a second, and down times
/// may have moved the deadline.
const JUDGED_WITHIN: Duration = Duration::from_secs(30);
/// More stale views, or views without a required action, in a row are a fault.
const MOST_STALE: u32 = 30;
/// The only game of blind shots: any cell will do, and each shot passes the turn.
pub const BLIND: &str = "classic";

/// The settings of a table's matches.
pub struct Habits {
    pub variants: Vec<String>,
    /// In seconds.
    pub move_s: u32,
    /// The time for a move, in seconds, in a match that a player leaves; `None` if players don't leave.
    pub left_move_s: Option<u32>,
}

/// Two players and their books.
pub struct Table {
    pub clients: [Client; 2],
    pub logs: [Log; 2],
    /// Matches not yet compared. The last may be running.
    pub stories: Vec<Story>,
    /// The ids of all their matches.
    pub ids: HashSet<String>,
    /// The number of challenges made.
    pub challenges: usize,
    /// The number of abandoned shots.
    pub given_up: usize,
    /// The number of matches not completely started, whose challenge or id may be unknown.
    pub half_begun: usize,
    habits: Arc<Habits>,
    dice: StdRng,
    /// The start of the attempts at the present action, and their number.
    trying_since: Instant,
}

/// The current match.
struct Playing {
    game: Game,
    rated: bool,
    /// The number of actions after which the player to move leaves.
    left_after: Option<u32>,
    move_s: u32,
}

impl Table {
    pub fn new(clients: [Client; 2], habits: &Arc<Habits>, dice: StdRng) -> Self {
        Self {
            clients,
            logs: [Log::default(), Log::default()],
            stories: Vec::new(),
            ids: HashSet::new(),
            challenges: 0,
            given_up: 0,
            half_begun: 0,
            habits: Arc::clone(habits),
            dice,
            trying_since: Instant::now(),
        }
    }

    fn is_stopping(&self) -> bool {
        self.clients[0].around().is_stopping()
    }

    /// Plays a match to its end, or until told to stop.
    pub async fn one_match(&mut self) -> Outcome {
        self.trying_since = Instant::now();
        self.half_begun += 1;
        let mut playing = self.begin().await?;
        self.half_begun -= 1;
        let Some(mut story) = self.stories.pop() else { return Ok(()) };
        let mut goes_on = Ok(true);
        while !self.is_stopping() && matches!(goes_on, Ok(true)) {
            self.trying_since = Instant::now();
            goes_on = self.play_on(&mut playing, &mut story).await;
        }
        if let Ok(false) = goes_on {
            let rests = if story.over { RESTS } else { Duration::from_secs(playing.move_s.into()) + JUDGED_WITHIN };
            story.due = Some(Instant::now() + rests);
        }
        self.stories.push(story);
        goes_on.map(|_| ())
    }

    /// Challenges, accepts and deploys, each step under one key. Every other match is rated.
    async fn begin(&mut self) -> Outcome<Playing> {
        let rated = self.challenges.is_multiple_of(2);
        let variant = self.habits.variants[self.dice.random_range(0..self.habits.variants.len())].clone();
        let left = self.habits.left_move_s.filter(|_| self.dice.random_range(0..LEFT_ONCE_IN) == 0);
        let move_s = left.unwrap_or(self.habits.move_s);
        let challenge = json!({
            "variant": variant, "opponent": self.clients[1].player.username, "rated": rated,
            "clock": { "kind": "per-move", "move_s": move_s },
        });
        let opened = self.clients[0].must("POST", "/v1/challenges", &challenge).await?;
        self.challenges += 1;
        let path = format!("/v1/challenges/{}/accept", player::text(&opened, "id")?);
        let accepted = self.clients[1].must("POST", &path, &json!({})).await?;
        let id = player::text(&accepted, "match_id")?.to_owned();
        self.ids.insert(id.clone());
        let blind = variant == BLIND;
        let mut game = Game::new(&id, &variant, &mut self.dice);
        let mut story = Story::new(id, blind);
        if blind {
            let deploy = json!({ "action": { "type": "deploy-auto" } });
            for seat in 0..2 {
                let answer = self.clients[seat].must("POST", &game.actions, &deploy).await?;
                game.turn = answer["match"]["to_act"][0].as_u64().map_or(0, |seat| seat as usize % 2);
                story.show(seat, &answer["match"], &self.clients[0].around().findings);
            }
        }
        self.stories.push(story);
        let left_after = left.map(|_| self.dice.random_range(2..LEFT_AFTER));
        Ok(Playing { game, rated, left_after, move_s })
    }

    /// Makes one action, or a player resigns or leaves. Returns false if the match is over, or will be.
    async fn play_on(&mut self, playing: &mut Playing, story: &mut Story) -> Outcome<bool> {
        if let Some(left) = &mut playing.left_after {
            *left = left.saturating_sub(1);
            if *left == 0 && self.leave(playing.game.turn, story).await? {
                return Ok(false);
            }
        } else if playing.rated && self.dice.random_range(0..RESIGNS_ONCE_IN) == 0 {
            return self.resign(&playing.game, story).await;
        }
        if story.told.is_some() { self.act(playing, story).await } else { self.shoot(&mut playing.game, story).await }
    }

    /// Makes the player to move leave, if there is only one. Returns false if the match goes on.
    async fn leave(&mut self, seat: usize, story: &mut Story) -> Outcome<bool> {
        let view = self.look(seat, story).await?;
        match (view["status"].as_str(), view["to_act"].as_array().map(Vec::as_slice)) {
            (Some("playing"), Some([alone])) => story.left_by = alone.as_u64(),
            _ => return Ok(false),
        }
        Ok(true)
    }

    async fn resign(&mut self, game: &Game, story: &mut Story) -> Outcome<bool> {
        let resign = json!({ "action": { "type": "resign" } });
        match self.clients[game.turn].order(story, game.turn, &resign).await? {
            Acted::Done(answer) => {
                story.over = answer["match"]["status"] == "finished";
                Ok(!story.over)
            }
            _ => self.look(game.turn, story).await.map(|view| !self.end(story, &view)),
        }
    }

    /// Makes the next required action of one player, by the example. Returns false if the match is over.
    async fn act(&mut self, playing: &mut Playing, story: &mut Story) -> Outcome<bool> {
        let first = playing.game.turn;
        for attempt in 0..MOST_STALE {
            for seat in [first, 1 - first] {
                match self.clients[seat].act(story, seat).await? {
                    Acted::Done(answer) => {
                        let next = answer["match"]["to_act"][0].as_u64();
                        playing.game.turn = next.map_or(seat, |next| next as usize % 2);
                        return Ok(!self.end(story, &answer["match"]));
                    }
                    Acted::Over(view) => return Ok(!self.end(story, &view)),
                    Acted::NotMyTurn | Acted::Stale => {}
                }
            }
            tokio::time::sleep(Duration::from_millis(u64::from(attempt) * 10)).await;
        }
        Err(format!("nobody could act in {}, which isn't finished", story.id))
    }

    /// Fires one shot. Returns false if the match is over.
    async fn shoot(&mut self, game: &mut Game, story: &mut Story) -> Outcome<bool> {
        let seat = game.turn;
        let Some(cell) = game.next_cell() else { return self.resign(game, story).await };
        // The version prevents an abandoned shot from being fired after the next one.
        let body = json!({ "version": story.seen[seat], "action": { "type": "fire", "cells": [cell] } });
        let (shot, answer, failure) = self.fire(game, &cell, &body).await;
        story.shots.push(shot);
        if let Some(failure) = failure {
            return Err(failure);
        }
        let view = match answer {
            Some(answer) => {
                count(&self.clients[seat].around().moves, 1);
                story.show(seat, &answer["match"], &self.clients[seat].around().findings);
                answer["match"].clone()
            }
            None => self.look(seat, story).await?,
        };
        if self.end(story, &view) {
            return Ok(false);
        }
        if let Some(next) = view["to_act"][0].as_u64() {
            game.turn = next as usize % 2;
        }
        // Each seat has its own version, which reading shows.
        self.look(game.turn, story).await.map(|view| !self.end(story, &view))
    }

    /// Sends a shot until there is a response, or abandons it. Returns the shot, the response if any, and a fault.
    async fn fire(&mut self, game: &Game, cell: &str, body: &Value) -> (Shot, Option<Value>, Option<String>) {
        let seat = game.turn;
        let shot = |told: Told| Shot { seat: seat as u64, cell: cell.to_owned(), told };
        let client = &mut self.clients[seat];
        let key = client.key();
        let deadline = Instant::now() + client.around().patience;
        let gives_up = self.dice.random_range(0..GIVES_UP_ONCE_IN) == 0;
        let mut attempts = 0;
        loop {
            let came = client.send("POST", &game.actions, body, Some(&key)).await;
            client.again += usize::from(attempts > 0 && matches!(came, Ok(Came::Answer(_) | Came::Refused(_))));
            match came {
                Ok(Came::Answer(answer)) => {
                    let fired = |report: &&Value| report["type"] == "fired";
                    let report = answer["reports"].as_array().into_iter().flatten().find(fired).cloned();
                    let Some(report) = report else {
                        let failure = format!("a shot at {cell} was answered without a report of it: {answer}");
                        return (shot(Told::Nothing), None, Some(failure));
                    };
                    return (shot(Told::Acknowledged(report)), Some(answer), None);
                }
                Ok(Came::Refused(refusal)) if refusal.is_of_time() => return (shot(Told::Refused), None, None),
                Ok(Came::Refused(refusal)) => return (shot(Told::Refused), None, Some(refusal.text)),
                Ok(Came::Unknown) => count(&client.around().unknown, usize::from(attempts == 0)),
                Ok(Came::SignedIn) => continue,
                Err(error) => return (shot(Told::Nothing), None, Some(error)),
            }
            attempts += 1;
            if gives_up {
                self.given_up += 1;
                return (shot(Told::Nothing), None, None);
            }
            if Instant::now() > deadline {
                let failure = format!("no answer to a shot at {cell}: POST {}", game.actions);
                return (shot(Told::Nothing), None, Some(failure));
            }
        }
    }

    async fn look(&mut self, seat: usize, story: &mut Story) -> Outcome<Value> {
        let view = self.clients[seat].read(&story.path()).await?;
        story.show(seat, &view, &self.clients[seat].around().findings);
        Ok(view)
    }

    /// True if the match is over. Only the player who left may have lost on time, because the others kept trying.
    fn end(&self, story: &mut Story, view: &Value) -> bool {
        if view["result"].is_null() {
            return false;
        }
        story.over = true;
        let result = &view["result"];
        if result["reason"] == "time" || result["reason"] == "aborted" {
            let (id, since_s) = (&story.id, self.trying_since.elapsed().as_secs_f64());
            self.clients[0].around().findings.add(&format!(
                "{id} was ended by its clock, and its players have tried to act for the last {since_s:.1} s: {result}"
            ));
        }
        true
    }

    /// Ends running matches by resigning, so that no clock changes the compared data.
    pub async fn finish(&mut self) {
        for story in self.stories.iter_mut().filter(|story| !story.over && story.left_by.is_none()) {
            let path = format!("{}/actions", story.path());
            let resign = json!({ "action": { "type": "resign" } });
            // It is refused if the match is over, which its client may not know.
            if let Err(error) = self.clients[0].insist("POST", &path, &resign).await {
                self.clients[0].around().findings.add(&error);
            }
        }
    }

    /// Compares due matches, and forgets them; with `all` also running ones.
    pub async fn compare_due(&mut self, all: bool) -> Outcome {
        let now = Instant::now();
        let is_due = |story: &Story| all || story.due.is_some_and(|due| due < now);
        if all && let Some(last) = self.stories.iter().filter(|story| !story.over).filter_map(|story| story.due).max() {
            // A match left by a player is judged soon.
            tokio::time::sleep(last.saturating_duration_since(now)).await;
        }
        let due: Vec<Story>;
        (due, self.stories) = std::mem::take(&mut self.stories).into_iter().partition(is_due);
        for story in due {
            compare::compare(&mut self.clients, &mut self.logs, &story).await?;
        }
        Ok(())
    }
}
