//! A match with all its actions and operations, and one match of each variant.

use std::collections::BTreeMap;

use broadside_rules::variants;
use serde_json::{Map, Value, json};

use super::{NOBODY, Tour, text};
use crate::support::fleets::{NORTH_WEST, deployment};
use crate::support::{Player, plain};

/// The effect of each action type.
const ACTIONS: [(&str, &str); 21] = [
    ("deploy", "Place the own fleet."),
    ("deploy-auto", "Let the server place the fleet."),
    ("fire", "Fire at cells."),
    ("relocate", "Move ships instead of firing, or none."),
    ("give-up", "Give up ships or mines."),
    ("use-weapon", "Use a weapon."),
    ("depths-deploy", "Place submarines and a mine."),
    ("move", "Move a ship along a path."),
    ("charge", "Drop a depth charge."),
    ("torpedo", "Fire a torpedo along a line."),
    ("end-turn", "End the turn."),
    ("salvos-deploy", "Place the fleet of a game of salvos."),
    ("opening-shot", "Fire the opening shot."),
    ("orders", "Give orders to all ships."),
    ("resign", "Give the match up."),
    ("abort", "Call the match off, before the first salvo."),
    ("offer-draw", "Offer a draw."),
    ("accept-draw", "Accept the draw on offer."),
    ("decline-draw", "Decline the draw on offer."),
    ("call-armistice", "Stop play and clocks."),
    ("end-armistice", "Agree to go on."),
];

/// Table actions are shown in the first match.
const OF_THE_TABLE: std::ops::Range<usize> = 14..21;

/// Number of actions of a variant before its view is shown, and in all.
const STEPS: (usize, usize) = (8, 60);

impl Tour {
    /// Performs an action; the first of each type becomes an example.
    async fn act(&mut self, who: &Player, id: &str, action: Value) {
        let kind = text(&action, "type");
        if self.has_shown(&kind) {
            who.acts(id, action).await.expect(200);
            return;
        }
        let version = who.sees(id).await["version"].clone();
        let path = format!("/v1/matches/{id}/actions");
        let body = json!({ "version": version, "action": action });
        let (_, summary) = ACTIONS.iter().find(|(known, _)| *known == kind).unwrap_or_else(|| panic!("{kind} is new"));
        let request = who.signed(plain("POST", &path, Some(body.clone())));
        // The whole answer is shown once.
        let request = if kind == "fire" { request } else { request.insert_header(("prefer", "return=minimal")) };
        let answer = self.app.send(request).await;
        self.keep(("POST", &path), Some(body), &answer, &format!("{kind}: {summary}"));
        let responses = self.seen.get_mut("submit_action").unwrap().responses.get_mut("application/json").unwrap();
        responses.retain(|name, _| ["fire", "end-armistice"].contains(&name.as_str()));
    }

    fn has_shown(&self, kind: &str) -> bool {
        self.seen.get("submit_action").is_some_and(|examples| examples.requests.contains_key(kind))
    }
}

/// Anna's match with Ben, until Ben resigns.
pub async fn the_first(tour: &mut Tour, people: &[Player], id: &str) {
    let (anna, ben) = (&people[0], &people[1]);
    let path = format!("/v1/matches/{id}");
    tour.act(anna, id, deployment(NORTH_WEST)).await;
    tour.act(ben, id, json!({ "type": "deploy-auto" })).await;
    tour.app.passes_s(600).await;
    // The lot decides who begins a rated match.
    if anna.sees(id).await["decisions"].as_array().unwrap().iter().all(|decision| decision["required"] != true) {
        ben.fires(id, &["J1"]).await;
    }
    tour.act(anna, id, json!({ "type": "fire", "cells": ["E5"] })).await;
    for (player, cell) in [(ben, "A1"), (anna, "F6"), (ben, "B7")] {
        tour.app.passes_s(600).await;
        tour.act(player, id, json!({ "type": "fire", "cells": [cell] })).await;
    }
    tour.get(anna, "/v1/turns", "one: One match waits for Anna.").await;
    tour.get(anna, "/v1/matches?player=anna&status=playing", "annas: Anna's matches in play.").await;
    let board = tour.get(anna, &format!("{path}/board"), "classic: Both seas, as Anna knows them.").await;
    tour.get(anna, &format!("{path}/clock"), "running: Anna's time runs.").await;
    tour.get(anna, &format!("{path}/reports?limit=4"), "first: What Anna was told first.").await;
    talk(tour, people, id, &board["seas"][0]["id"]).await;
    let orders = json!({ "revision": 0, "delay": { "min_s": 600, "max_s": 7200 }, "orders": [{ "then": {
        "action": { "type": "fire", "cells": ["D4"] }, "next": [{
            "when": [
                { "type": "reported", "report": { "type": "fired", "seat": 0, "shots": [{ "cell": "D4", "answer": "hit" }] } },
                { "type": "not-reported", "report": { "type": "fired", "seat": 0, "shots": [{ "answer": "sunk" }] } },
            ],
            "then": { "action": { "type": "fire", "cells": ["D5"] } },
            "otherwise": { "action": { "type": "fire", "cells": ["E7"] } },
        }],
    } }] });
    let orders_path = format!("{path}/standing-orders");
    tour.put(anna, &orders_path, orders, "if-hit: D4; if it was hit and nothing sank, D5, else E7.").await;
    tour.get(anna, &orders_path, "if-hit: D4; if it was hit and nothing sank, D5, else E7.").await;
    tour.delete(anna, &orders_path, None, "none: No orders.").await;
    for (player, kind) in [
        (anna, "offer-draw"),
        (ben, "decline-draw"),
        (ben, "call-armistice"),
        (ben, "end-armistice"),
        (anna, "end-armistice"),
    ] {
        tour.act(player, id, json!({ "type": kind })).await;
    }
    tour.get(anna, "/v1/events?after=0&limit=6", "first: The first events of Anna's log.").await;
    streams(tour, anna).await;
    tour.act(ben, id, json!({ "type": "resign" })).await;
    tour.get(anna, &path, "finished: Anna has won; both fleets are shown.").await;
    for kind in ["abort", "accept-draw"] {
        let id = anna.challenges_and_meets(ben, json!({})).await;
        if kind == "accept-draw" {
            anna.acts(&id, json!({ "type": "deploy-auto" })).await.expect(200);
            ben.acts(&id, json!({ "type": "deploy-auto" })).await.expect(200);
            anna.acts(&id, json!({ "type": "offer-draw" })).await.expect(200);
        }
        tour.act(ben, &id, json!({ "type": kind })).await;
    }
}

/// Chat and notes.
async fn talk(tour: &mut Tour, people: &[Player], id: &str, sea: &Value) {
    let (anna, ben) = (&people[0], &people[1]);
    let room = format!("/v1/matches/{id}/chat/players");
    let message = json!({ "text": "Well aimed!\nI had hoped you would look further north." });
    tour.post(ben, &room, message, "well-aimed: Ben to Anna.").await;
    tour.get(anna, &room, "one: The players' room.").await;
    let path = format!("/v1/matches/{id}/notes");
    let marks = json!([{ "sea": sea, "cell": "B7", "mark": "carrier?", "colour": "amber" }]);
    let notes = json!({ "revision": 0, "text": "Always begins in the corners.", "marks": marks });
    tour.put(anna, &path, notes, "corners: A text, and a mark on a cell.").await;
    tour.get(anna, &path, "corners: A text, and a mark on a cell.").await;
    let lists = [
        ("mutes", "fritz: Anna wants to hear nothing of Fritz."),
        ("blocks", "fritz: Anna wants to hear nothing of Fritz."),
        ("follows", "fritz: Anna wants to see when Fritz is there."),
    ];
    for (list, said) in lists {
        let path = format!("/v1/account/{list}");
        let one = format!("{path}/fritz");
        tour.shows(Some(anna), "PUT", &one, None, said).await;
        tour.get(anna, &path, "fritz: Fritz alone.").await;
        tour.delete(anna, &one, None, "fritz: Anna thinks better of it.").await;
    }
}

async fn streams(tour: &mut Tour, anna: &Player) {
    tour.post(anna, "/v1/stream-tickets", json!({}), "ticket: For an EventSource.").await;
    for (media_type, end) in [("text/event-stream", "\n\n"), ("application/x-ndjson", "\n")] {
        let request = plain("GET", "/v1/events?after=0", None).insert_header(("accept", media_type));
        let mut stream = tour.app.open(anna.signed(request)).await;
        let mut said = String::new();
        while said.matches(end).count() < 4 {
            said.push_str(&stream.piece().await.unwrap());
        }
        let said: Vec<&str> = said.split_inclusive(end).take(4).collect();
        let example = json!({ "summary": "How a stream begins.", "value": said.concat() });
        let responses = &mut tour.seen.get_mut("get_events").unwrap().responses;
        responses.entry(media_type.to_owned()).or_default().insert("first".to_owned(), example);
    }
}

/// The first record of an export, in both forms.
async fn export(tour: &mut Tour, anna: &Player) {
    let mut responses = BTreeMap::new();
    for (media_type, end) in [("application/x-ndjson", "\n"), ("text/plain", "\n\n")] {
        let request = plain("GET", "/v1/account/matches", None).insert_header(("accept", media_type));
        let mut stream = tour.app.open(anna.signed(request)).await;
        let mut said = String::new();
        while !said.contains(end) {
            said.push_str(&stream.piece().await.unwrap());
        }
        let first = said.split_inclusive(end).next().unwrap();
        let example = json!({ "summary": "How an export begins.", "value": first });
        responses.insert(media_type.to_owned(), Map::from_iter([("newest".to_owned(), example)]));
    }
    tour.seen.entry("export_matches".to_owned()).or_default().responses = responses;
}

/// A match of each variant: its view, and the action types that only it has.
pub async fn of_each_variant(tour: &mut Tour, people: &[Player]) {
    for variant in variants() {
        let (min_seats, _) = variant.seats();
        let seats = usize::from(min_seats.max(2));
        let players: Vec<&Player> = people.iter().take(seats).collect();
        let id = players[0].sits_down_with(&players[1..], json!({ "variant": variant.id }), &[]).await;
        for step in 0..STEPS.1 {
            let Some((player, action)) = next(tour, &players, &id).await else { break };
            tour.act(player, &id, action).await;
            if step == STEPS.0 {
                let says = format!("{}: A match of {}, as Anna sees it.", variant.id, variant.id);
                tour.get(players[0], &format!("/v1/matches/{id}"), &says).await;
            }
        }
    }
    let missing: Vec<_> = ACTIONS.iter().filter(|(kind, _)| !tour.has_shown(kind)).collect();
    assert!(missing.is_empty(), "never shown: {missing:?}");
}

/// The next action: one of a type not shown yet, or one that a player must take.
async fn next<'a>(tour: &Tour, players: &[&'a Player], id: &str) -> Option<(&'a Player, Value)> {
    let mut must = None;
    for player in players {
        let view = player.sees(id).await;
        for decision in view["decisions"].as_array().unwrap() {
            let kind = text(&decision["example"], "type");
            let of_table = ACTIONS[OF_THE_TABLE].iter().any(|(known, _)| *known == kind);
            if !of_table && !tour.has_shown(&kind) {
                return Some((*player, decision["example"].clone()));
            }
            if decision["required"] == true && must.is_none() {
                must = Some((*player, decision["example"].clone()));
            }
        }
    }
    must
}

/// Verifies the record as it is, and with one word altered.
async fn verifications(tour: &mut Tour, whole: &Value) {
    let check = "/v1/records/verify";
    tour.post(NOBODY, check, whole.clone(), "good: Somebody has the record checked.").await;
    let mut altered = whole.clone();
    altered["reports"][0]["first"] = json!(1 - whole["reports"][0]["first"].as_u64().unwrap());
    tour.post(NOBODY, check, altered, "altered: The same with another player to begin.").await;
}

/// The results of the first match.
pub async fn results(tour: &mut Tour, people: &[Player], id: &str) {
    let (anna, path) = (&people[0], format!("/v1/matches/{id}"));
    let whole = tour.get(anna, &format!("{path}/record"), "classic: The whole match, signed.").await;
    verifications(tour, &whole).await;
    let record = format!("{path}/record");
    tour.get_with(anna, &record, ("accept", "text/plain"), "classic: The whole match, for people.").await;
    export(tour, anna).await;
    tour.get(NOBODY, &format!("{path}/rating-changes"), "two: Anna gains, Ben loses.").await;
    tour.get(NOBODY, "/v1/players/anna", "anna: What everybody may know of Anna.").await;
    tour.get(NOBODY, "/v1/players/anna/matches?limit=2", "newest: Anna's two newest matches.").await;
    let ratings = tour.get(NOBODY, "/v1/players/anna/ratings", "one: Anna's rating in one pool.").await;
    let pool = text(&ratings["items"][0], "pool");
    tour.get(NOBODY, &format!("/v1/players/anna/ratings/{pool}/history"), "one: One change so far.").await;
    tour.get(NOBODY, "/v1/pools", "all: The pools that there are.").await;
    tour.get(NOBODY, &format!("/v1/pools/{pool}/leaderboard"), "two: Two players.").await;
    tour.get(NOBODY, "/v1/players/anna/statistics", "anna: Won and lost by variant, and what became of her shots.")
        .await;
    tour.get(NOBODY, "/v1/players/anna/opponents?limit=2", "two: Whom Anna has met most.").await;
    let table = format!("/v1/pools/{pool}/leaderboard?format=csv");
    tour.get(NOBODY, &table, "spreadsheet: The same for a spreadsheet.").await;
    tour.post(anna, &format!("{path}/rematch"), json!({}), "other-way-round: Anna asks for another match.").await;
}
