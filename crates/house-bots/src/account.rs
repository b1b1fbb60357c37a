//! The life of one bot: it publishes its offer, answers challenges, and acts when it has a turn.
//!
//! It reads the current state, and then follows its events from there. Missed events (a restart of the service or of
//! the bot, a restored log) are covered by reading again: only the credentials are stored.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{Interval, MissedTickBehavior, interval, sleep, timeout};

use crate::House;
use crate::api::{Answer, Api, Patience, Problem};
use crate::credentials::{self, Credentials, hexadecimal};
use crate::roster::Post;
use crate::stream::Frames;
use crate::table::Table;
use crate::terms;

/// The silence after which a stream is broken: the service sends a comment at least every five minutes.
const SILENCE: Duration = Duration::from_secs(330);
/// A bot's pause after a refusal without a remedy.
const RETREAT: Duration = Duration::from_secs(60);
/// The timeout of a leaving bot's withdrawal.
const FAREWELL: Duration = Duration::from_secs(2);

/// Plays until the house is closed, or play is impossible.
pub(crate) async fn live(house: Arc<House>, post: Post) {
    let (mut stop, mut token_is_good) = (house.stop.clone(), true);
    loop {
        let admitted = tokio::select! {
            admitted = credentials::admit(&house, &post, token_is_good) => admitted,
            () = stopped(&mut stop) => return,
        };
        let credentials = match admitted {
            Ok(credentials) => credentials,
            Err(reason) => {
                tracing::error!(bot = post.name, reason, "a bot can't play");
                return;
            }
        };
        let api = house.api(&credentials.token);
        let mut account = Account { house: &house, post: &post, credentials, api, tables: HashMap::new() };
        let problem = tokio::select! {
            problem = account.stay() => problem,
            () = stopped(&mut stop) => {
                // If this fails, the offer is over in two minutes.
                let _ = timeout(FAREWELL, account.api.delete("/v1/account/bot-offer")).await;
                return;
            }
        };
        token_is_good = !problem.is_about_the_token();
        if token_is_good {
            tracing::error!(bot = account.credentials.username, %problem, "a bot was refused; it tries again in a minute");
            tokio::select! {
                () = sleep(RETREAT) => {}
                () = stopped(&mut stop) => return,
            }
        }
    }
}

async fn stopped(stop: &mut watch::Receiver<bool>) {
    // Without its sender nobody wants the bots any more.
    let _ = stop.wait_for(|stop| *stop).await;
}

/// A bot that is signed in.
struct Account<'a> {
    house: &'a House,
    post: &'a Post,
    credentials: Credentials,
    api: Api,
    tables: HashMap<String, Table>,
}

impl Account<'_> {
    /// Plays until it is refused.
    async fn stay(&mut self) -> Problem {
        let mut renewal = interval(Duration::from_secs(u64::from(terms::OFFERED_S) / 3));
        renewal.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            if let Err(problem) = self.follow(&mut renewal).await {
                return problem;
            }
        }
    }

    /// Reads the current state and follows the events from there, until its cursor expires.
    async fn follow(&mut self, renewal: &mut Interval) -> Answer<()> {
        self.publish().await?;
        // The cursor first: events during the rest of the reading come again.
        let newest = self.api.get("/v1/events?limit=1").await?;
        let mut cursor = newest["next_cursor"].as_str().unwrap_or("0").to_owned();
        self.tables.clear();
        self.catch_up().await?;
        let mut patience = Patience::default();
        loop {
            match self.api.events(&cursor).await {
                Ok(Some(mut stream)) => {
                    let mut frames = Frames::default();
                    loop {
                        let piece = tokio::select! {
                            piece = timeout(SILENCE, stream.chunk()) => piece,
                            _ = renewal.tick() => {
                                self.publish().await?;
                                continue;
                            }
                        };
                        let Ok(Ok(Some(piece))) = piece else { break };
                        let Some(events) = frames.take(&piece) else { break };
                        patience = Patience::default();
                        for event in events {
                            self.hear(&event.data).await?;
                            cursor = event.cursor;
                        }
                    }
                }
                Ok(None) => {}
                // The log was restored, or the absence was too long: read everything again.
                Err(problem) if problem.status == 410 => return Ok(()),
                Err(problem) => return Err(problem),
            }
            patience.wait().await;
        }
    }

    async fn publish(&self) -> Answer<()> {
        let offer = terms::offer(self.post, &self.house.settings.limits);
        // A bot that may not offer at the moment finishes its matches.
        self.api.put("/v1/account/bot-offer", &offer).await.map(drop).or_else(unless_refused)
    }

    /// Handles everything that waits for the bot, including missed events.
    async fn catch_up(&mut self) -> Answer<()> {
        for challenge in self.api.all("/v1/challenges?mine=true&status=open&limit=100").await? {
            self.consider(&challenge).await?;
        }
        let mut turns = self.api.get("/v1/turns").await?;
        let Value::Array(turns) = turns["items"].take() else { return Ok(()) };
        for id in turns.iter().filter_map(|turn| turn["id"].as_str()) {
            self.play(id).await?;
        }
        Ok(())
    }

    async fn hear(&mut self, event: &Value) -> Answer<()> {
        let (match_id, challenge_id) = (event["match_id"].as_str(), event["challenge_id"].as_str());
        match (event["type"].as_str().unwrap_or_default(), match_id, challenge_id) {
            ("challenge-received", _, Some(id)) => {
                let challenge = self.api.get(&format!("/v1/challenges/{id}")).await;
                match challenge {
                    Ok(challenge) => self.consider(&challenge).await,
                    Err(problem) => unless_refused(problem),
                }
            }
            ("report", Some(id), _) => {
                if let Some(table) = self.tables.get_mut(id) {
                    table.hear(event["report"].clone());
                }
                Ok(())
            }
            ("your-turn", Some(id), _) => self.play(id).await,
            ("match-finished", Some(id), _) => {
                self.tables.remove(id);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Accepts or declines a challenge that waits for the bot.
    async fn consider(&mut self, challenge: &Value) -> Answer<()> {
        let Some(id) = challenge["id"].as_str() else { return Ok(()) };
        let seats = challenge["seats"].as_array().map_or(&[][..], Vec::as_slice);
        let own = |seat: &Value| seat["player"]["username"] == self.credentials.username;
        if challenge["status"] != "open" || seats.iter().any(own) {
            return Ok(());
        }
        let profile = self.api.get(&format!("/v1/players/{}", self.credentials.username)).await?;
        let running = profile["matches"]["running"].as_u64().unwrap_or(u64::MAX);
        let objection = terms::objection(challenge, running, self.post, &self.house.settings.limits);
        let (verb, body) = match objection {
            Some(reason) => ("decline", json!({ "reason": reason })),
            None => {
                // Our nonce is part of the match's chance, so nobody else can have chosen it.
                let nonce = hexadecimal(&(self.house.settings.random)()[..16]);
                ("accept", json!({ "nonce": nonce, "chance_commitment": challenge["chance_commitment"] }))
            }
        };
        let key = hexadecimal(&(self.house.settings.random)()[..16]);
        match self.api.post(&format!("/v1/challenges/{id}/{verb}"), &body, &key).await {
            Ok(challenge) => match challenge["match_id"].as_str() {
                Some(id) => self.play(id).await,
                None => Ok(()),
            },
            Err(problem) => unless_refused(problem),
        }
    }

    /// Acts in a match as long as it waits for the bot.
    async fn play(&mut self, id: &str) -> Answer<()> {
        let view = match self.api.get(&format!("/v1/matches/{id}")).await {
            Ok(view) => view,
            Err(problem) => return unless_refused(problem),
        };
        if !self.tables.contains_key(id) {
            let table = Table::new(id, &view, self.post.level, self.credentials.seed(id))?;
            self.tables.insert(id.to_owned(), table);
        }
        let Some(table) = self.tables.get_mut(id) else { return Ok(()) };
        match table.play(self.house, &self.api, view).await {
            Ok(false) => Ok(()),
            Ok(true) => {
                self.tables.remove(id);
                Ok(())
            }
            Err(problem) => unless_refused(problem),
        }
    }
}

/// A problem of one challenge or match is no reason to leave the others; a problem of the account is.
fn unless_refused(problem: Problem) -> Answer<()> {
    if problem.is_about_the_token() {
        return Err(problem);
    }
    tracing::warn!(%problem, "a bot could not do what it wanted to");
    Ok(())
}
