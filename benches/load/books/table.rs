//! A table: two players who play match after match against each other, and keep book of what they are told. Whoever is
//! not answered asks again under the same key, or in a game that is shot at blindly sometimes gives up, and looks.

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

/// One shot in so many is not tried again when its outcome is unknown: the client reads the match instead.
const GIVES_UP_ONCE_IN: u32 = 4;
/// Before one action in so many a player of a rated match resigns instead, so that ratings change all the time.
const RESIGNS_ONCE_IN: u32 = 12;
/// One match in so many is left by a player, where that is a habit.
const LEFT_ONCE_IN: u32 = 20;
/// In so many actions at most a match that is to be left is left.
const LEFT_AFTER: u32 = 8;
/// How long after its end a match is compared, so that a failover may come in between.
const RESTS: Duration = Duration::from_secs(20);
/// How long after the time of a player that has left the match is looked at: jobs look twice a second, and down times
/// may have moved the deadline.
const JUDGED_WITHIN: Duration = Duration::from_secs(30);
/// After so many pictures in a row that were old, or in which nobody had to act, something is wrong.
const MOST_STALE: u32 = 30;
/// The one game that is shot at blindly: any cell will do, and each shot hands the turn over.
pub const BLIND: &str = "classic";

/// What is played, and how.
pub struct Habits {
    /// The variants to choose from.
    pub variants: Vec<String>,
    /// The time for a move, in seconds.
    pub move_s: u32,
    /// The time for a move in a match that one of the players is going to leave; none: nobody does.
    pub left_move_s: Option<u32>,
}

/// Two players and their books.
pub struct Table {
    /// They.
    pub clients: [Client; 2],
    /// Their logs of events.
    pub logs: [Log; 2],
    /// Their matches that were not compared yet. The last may be under way.
    pub stories: Vec<Story>,
    /// The ids of all of their matches.
    pub ids: HashSet<String>,
    /// How many challenges they have made.
    pub challenges: usize,
    /// Shots that were given up.
    pub given_up: usize,
    /// How many matches were not begun to the end, so that their challenge or their id may be unknown.
    pub half_begun: usize,
    habits: Arc<Habits>,
    dice: StdRng,
    /// Since when the action is tried that is due, and how often.
    trying_since: Instant,
}

/// The match that is being played.
struct Playing {
    game: Game,
    rated: bool,
    /// After so many actions the player whose turn it is leaves.
    left_after: Option<u32>,
    move_s: u32,
}

impl Table {
    /// Two players who have not met yet.
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

    /// Challenges, accepts and deploys, insisting on each step under one key. Every other match is rated.
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

    /// One action, or somebody has had enough. False: the match is over, or will be.
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

    /// The player who has to act leaves, if it is one alone. False: the match goes on.
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

    /// What is required of one of the players next, as the example says. False: the match is over.
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

    /// One shot. False: the match is over.
    async fn shoot(&mut self, game: &mut Game, story: &mut Story) -> Outcome<bool> {
        let seat = game.turn;
        let Some(cell) = game.next_cell() else { return self.resign(game, story).await };
        // The version keeps a shot that was given up from happening after the next one.
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
        // Each seat has a version of its own, which reading shows.
        self.look(game.turn, story).await.map(|view| !self.end(story, &view))
    }

    /// Sends a shot until it is answered, or gives up. The shot, the answer if there was one, and what is wrong.
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

    /// Whether the match is over. Who has lost on time has to be the one who has left: the others have tried all the
    /// time.
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

    /// Ends the matches that are under way by resigning, so that no clock changes what is compared.
    pub async fn finish(&mut self) {
        for story in self.stories.iter_mut().filter(|story| !story.over && story.left_by.is_none()) {
            let path = format!("{}/actions", story.path());
            let resign = json!({ "action": { "type": "resign" } });
            // It is refused where the match is over, which its client may not know.
            if let Err(error) = self.clients[0].insist("POST", &path, &resign).await {
                self.clients[0].around().findings.add(&error);
            }
        }
    }

    /// Compares the matches that are due, and forgets them. With `all` also those that are under way.
    pub async fn compare_due(&mut self, all: bool) -> Outcome {
        let now = Instant::now();
        let is_due = |story: &Story| all || story.due.is_some_and(|due| due < now);
        if all && let Some(last) = self.stories.iter().filter(|story| !story.over).filter_map(|story| story.due).max() {
            // A match that a player has left is judged soon.
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
