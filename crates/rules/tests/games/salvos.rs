//! The words of the golden games of the family `salvos`. A head line `nations american german french` gives the seats
//! in order. Then `american deploys enterprise A1; …`; where fleets may be placed anywhere, `parted: bismarck B2` or
//! `parted: nothing`; `american opens iowa D4`; when all have aimed, `posted: iowa
//! hit; u-47 sunk` or `posted: nothing` (ships hit, then ships sunk, in the order of the roster); `american orders iowa
//! fires D4 D5; gato moves N NE: iowa hits u-47; iowa sinks u-47; gato stops after 1 step` or `: nothing`; `american
//! passes`; and at the end `places american 1, german 2`.
use broadside_rules::{Seat, Setup};
use serde_json::{Value, json};

use crate::support::Game;

/// The match with these nations in order.
pub fn seated(setup: &mut Setup, nations: &[&str]) -> Result<(), String> {
    setup.seats = u8::try_from(nations.len()).map_err(|_| "too many nations")?;
    for (wish, nation) in setup.preferences.iter_mut().zip(nations) {
        let number = setup.rules.seat_names().iter().position(|name| name == nation);
        *wish = Some(number.ok_or_else(|| format!("no nation `{nation}`"))? as u8);
    }
    Ok(())
}

/// The action for the words after the nation, if it is one of the family's own.
pub fn action(verb: &str, rest: &str) -> Option<Value> {
    let parts =
        || rest.split(';').map(|part| part.split_whitespace().collect::<Vec<_>>()).filter(|part| !part.is_empty());
    Some(match verb {
        "deploys" => {
            let ships: Vec<Value> = parts().map(|part| json!({"ship": part[0], "cell": part.get(1)})).collect();
            json!({"type": "salvos-deploy", "ships": ships})
        }
        "opens" => {
            let (ship, cell) = rest.split_once(' ')?;
            json!({"type": "opening-shot", "ship": ship, "cell": cell.trim()})
        }
        "orders" => {
            let order = |part: Vec<&str>| match part.as_slice() {
                [ship, "fires", cells @ ..] => Some(json!({"order": "fire", "ship": ship, "cells": cells})),
                [ship, "moves", steps @ ..] => Some(json!({"order": "move", "ship": ship, "steps": steps})),
                _ => None,
            };
            json!({"type": "orders", "orders": parts().map(order).collect::<Option<Vec<_>>>()?})
        }
        "passes" => json!({"type": "orders", "orders": []}),
        _ => return None,
    })
}

fn ids(ships: &Value) -> Vec<&str> {
    ships.as_array().into_iter().flatten().filter_map(|ship| ship["ship"].as_str()).collect()
}

/// The answers of an `ordered` report, in the words of the games.
fn answered(report: &Value) -> Vec<String> {
    let mut answers = Vec::new();
    for order in report["orders"].as_array().expect("orders") {
        let ship = order["ship"].as_str().expect("a ship");
        for (list, verb) in [("hit", "hits"), ("sunk", "sinks")] {
            let named = ids(&order[list]);
            if !named.is_empty() {
                answers.push(format!("{ship} {verb} {}", named.join(", ")));
            }
        }
        if !order["blocked_at"].is_null() {
            let made = order["steps"].as_array().expect("steps").len();
            answers.push(format!("{ship} stops after {made} step{}", if made == 1 { "" } else { "s" }));
        }
    }
    answers
}

/// The last report of this type to each viewer.
fn last(game: &Game, kind: &str) -> Result<Vec<Value>, String> {
    let of = |reports: &Vec<broadside_rules::Report>| {
        let told = reports.iter().rev().map(|report| serde_json::to_value(report).expect("JSON"));
        told.into_iter().find(|report| report["type"] == kind).ok_or_else(|| format!("no `{kind}` is told"))
    };
    game.reports.iter().map(of).collect()
}

/// Plays a move and compares its answer with the owner's report, and, except for obstacles, with all others'.
pub fn play(game: &mut Game, by: Seat, verb: &str, rest: &str) -> Result<(), String> {
    let (words, expected) = rest.split_once(':').unwrap_or((rest, "nothing"));
    let action = crate::action(game, verb, words.trim())?;
    game.play(by, &action).map_err(|illegal| format!("refused: {illegal:?}"))?;
    if verb != "orders" && verb != "passes" {
        return Ok(());
    }
    let expected: Vec<&str> = expected.split(';').map(str::trim).filter(|answer| *answer != "nothing").collect();
    let posted: Vec<&str> = expected.iter().copied().filter(|answer| !answer.contains(" stops after ")).collect();
    let rules = serde_json::to_value(&*game.setup.rules).map_err(|_| "no JSON")?;
    let seats = usize::from(game.setup.seats);
    let team = |seat: usize| rules["teams"].as_u64().map_or(seat, |teams| seat % teams as usize);
    for (viewer, report) in last(game, "ordered")?.iter().enumerate() {
        let due = if viewer < seats && team(viewer) == team(by.index()) { &expected } else { &posted };
        let told = answered(report);
        if told != *due {
            return Err(format!("viewer {viewer} is told `{}`, not `{}`", told.join("; "), due.join("; ")));
        }
    }
    Ok(())
}

/// A statement without a seat: the posted opening, and the places at the end.
pub fn stated(game: &Game, text: &str) -> Option<Result<(), String>> {
    if let Some(expected) = text.strip_prefix("posted:") {
        return Some(posted(game, expected.trim()));
    }
    if let Some(expected) = text.strip_prefix("parted:") {
        return Some(parted(game, expected.trim()));
    }
    text.strip_prefix("places ").map(|expected| places(game, expected))
}

/// The ships parted from others, and their new cells: each is told to its owner, and to allies.
fn parted(game: &Game, expected: &str) -> Result<(), String> {
    let mut told: Vec<String> = Vec::new();
    for report in last(game, "fleets-settled")? {
        for ship in report["ships"].as_array().expect("ships") {
            let words =
                format!("{} {}", ship["ship"].as_str().expect("a ship"), ship["cell"].as_str().expect("a cell"));
            if !told.contains(&words) {
                told.push(words);
            }
        }
    }
    let told = if told.is_empty() { "nothing".to_owned() } else { told.join("; ") };
    if told == expected { Ok(()) } else { Err(format!("parted were {told}")) }
}

fn posted(game: &Game, expected: &str) -> Result<(), String> {
    let seas = game.spectator().seas();
    for report in last(game, "opened")? {
        let of = |list: &str| -> Vec<String> {
            let named: Vec<&str> =
                report["salvos"].as_array().expect("salvos").iter().flat_map(|salvo| ids(&salvo[list])).collect();
            let roster = seas[0].ships.iter().map(|ship| ship.id.to_string());
            roster.filter(|ship| named.contains(&ship.as_str())).collect()
        };
        let told: Vec<String> = [("hit", of("hit")), ("sunk", of("sunk"))]
            .into_iter()
            .filter(|(_, ships)| !ships.is_empty())
            .map(|(word, ships)| format!("{} {word}", ships.join(", ")))
            .collect();
        let told = if told.is_empty() { "nothing".to_owned() } else { told.join("; ") };
        if told != expected {
            return Err(format!("posted is `{told}`"));
        }
    }
    Ok(())
}

pub fn places(game: &Game, expected: &str) -> Result<(), String> {
    let outcome = game.battle.outcome().ok_or("the match is not over")?;
    let seats = game.spectator().seats();
    let told: Vec<String> =
        outcome.places.iter().map(|place| format!("{} {}", seats[place.seat.index()].name, place.place)).collect();
    if told.join(", ") == expected { Ok(()) } else { Err(format!("the places are {}", told.join(", "))) }
}
