//! Helpers to play the game of several navies: deploy, aim, order, and look at a viewer's reports.
#![allow(dead_code, reason = "each test binary uses its own part of this")]
use broadside_rules::{Clock, RuleSet, Seat, SeatSet, Setup, Variant};
use serde_json::{Value, json};

use crate::support::{EXAMPLE_SEED, Game, dice, shown};

pub fn variant() -> &'static Variant {
    Variant::find("salvos").expect("the variant")
}

pub fn rules(changes: &Value) -> RuleSet {
    RuleSet::customised(variant(), changes).expect("a rule set")
}

/// A match of these nations, under these rules and this clock.
pub fn open_with(nations: &[&str], changes: &Value, clock: Clock, seed: u64) -> Game {
    let mut setup = Setup::new(rules(changes), clock);
    setup.seats = nations.len() as u8;
    for (wish, nation) in setup.preferences.iter_mut().zip(nations) {
        *wish = setup.rules.seat_names().iter().position(|name| name == nation).map(|number| number as u8);
    }
    Game::open(setup, dice(seed))
}

pub fn open(nations: &[&str]) -> Game {
    open_with(nations, &json!({}), Clock::none(), 1)
}

/// Deploys ships on named cells, and the other ships of the fleet on the last of its own cells, out of the way.
pub fn deploy(game: &mut Game, seat: u8, named: &[(&str, &str)]) {
    let told = serde_json::to_value(game.view(Seat(seat)).decisions(EXAMPLE_SEED)).expect("JSON");
    let cells: Vec<String> = told[0]["cells"].as_array().expect("cells").iter().map(text).collect();
    let mut rest = cells.iter().rev().filter(|cell| named.iter().all(|(_, at)| at != cell));
    let ships = told[0]["ships"].as_array().expect("ships").iter().map(|ship| text(&ship["ship"]));
    let at = |ship: String| {
        let cell = named.iter().find(|(id, _)| *id == ship).map(|(_, cell)| (*cell).to_owned());
        json!({"ship": ship, "cell": cell.unwrap_or_else(|| rest.next().expect("a cell").clone())})
    };
    let ships: Vec<Value> = ships.map(at).collect();
    game.play(Seat(seat), &json!({"type": "salvos-deploy", "ships": ships})).expect("a legal deployment");
}

pub fn aim(game: &mut Game, seat: u8, ship: &str, cell: &str) {
    game.play(Seat(seat), &json!({"type": "opening-shot", "ship": ship, "cell": cell})).expect("a legal shot");
}

pub fn fire(ship: &str, cells: &[&str]) -> Value {
    json!({"order": "fire", "ship": ship, "cells": cells})
}

pub fn go(ship: &str, steps: &[&str]) -> Value {
    json!({"order": "move", "ship": ship, "steps": steps})
}

pub fn order(game: &mut Game, seat: u8, orders: &[Value]) {
    game.play(Seat(seat), &json!({"type": "orders", "orders": orders})).expect("legal orders");
}

/// Every fault of a refused action, with its place. Nothing has changed.
pub fn refused(game: &mut Game, seat: u8, action: &Value) -> Vec<(String, &'static str)> {
    let seen = |game: &Game| game.views.iter().map(shown).collect::<Vec<_>>();
    let before = seen(game);
    let illegal = game.play(Seat(seat), action).expect_err("refused");
    assert_eq!(seen(game), before, "a refusal changes nothing");
    assert!(broadside_rules::illegal::find(illegal.code).is_some(), "{} is not explained", illegal.code);
    if illegal.faults.is_empty() {
        return vec![(String::new(), illegal.code)];
    }
    illegal.faults.into_iter().map(|fault| (fault.pointer, fault.code)).collect()
}

pub fn orders(orders: &[Value]) -> Value {
    json!({"type": "orders", "orders": orders})
}

pub fn at(pointer: &str, code: &'static str) -> (String, &'static str) {
    (pointer.into(), code)
}

pub fn last(game: &Game, viewer: usize, kind: &str) -> Value {
    let told = game.reports[viewer].iter().rev().map(|report| serde_json::to_value(report).expect("JSON"));
    told.into_iter().find(|report| report["type"] == kind).expect("a report")
}

/// The ships posted as hit and as sunk by the last orders.
pub fn posted(game: &Game) -> (Vec<String>, Vec<String>) {
    let told = last(game, game.views.len() - 1, "ordered");
    let of = |list: &str| {
        let orders = told["orders"].as_array().expect("orders").iter();
        orders
            .flat_map(|order| order[list].as_array().cloned().unwrap_or_default())
            .map(|ship| text(&ship["ship"]))
            .collect()
    };
    (of("hit"), of("sunk"))
}

pub fn ship(game: &Game, viewer: usize, id: &str) -> Value {
    let seas = serde_json::to_value(game.views[viewer].seas()).expect("JSON");
    seas[0]["ships"].as_array().expect("ships").iter().find(|ship| ship["id"] == id).expect("a ship").clone()
}

pub fn armour(game: &Game, viewer: usize, id: &str) -> Value {
    let ship = ship(game, viewer, id);
    ship["stats"].as_array().expect("stats").iter().find(|stat| stat["name"] == "armour").expect("armour")["value"]
        .clone()
}

/// American against German, with some ships on named cells; Iowa and Bismarck have fired at open water.
pub fn battle(american: &[(&str, &str)], german: &[(&str, &str)]) -> Game {
    let mut game = open(&["american", "german"]);
    deploy(&mut game, 0, american);
    deploy(&mut game, 1, german);
    for (seat, id) in [(0, "iowa"), (1, "bismarck")] {
        let told = serde_json::to_value(game.view(Seat(seat)).decisions(EXAMPLE_SEED)).expect("JSON");
        let choice =
            told[0]["ships"].as_array().expect("ships").iter().find(|ship| ship["ship"] == id).expect("a ship");
        let free = |cell: &&Value| !american.iter().chain(german).any(|(_, at)| **cell == *at);
        let target = choice["targets"].as_array().expect("targets").iter().find(free).expect("water").clone();
        aim(&mut game, seat, id, &text(&target));
    }
    game
}

pub fn seat_set(seats: &[u8]) -> SeatSet {
    seats.iter().map(|seat| Seat(*seat)).collect()
}

pub fn all_deploy(game: &mut Game) {
    for seat in 0..game.setup.seats {
        deploy(game, seat, &[]);
    }
}

pub fn places(game: &Game) -> Vec<(u8, u8)> {
    game.battle.outcome().expect("over").places.iter().map(|place| (place.seat.0, place.place)).collect()
}

pub fn text(value: &Value) -> String {
    value.as_str().expect("a text").into()
}
