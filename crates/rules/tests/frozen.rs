//! Matches that an earlier build has played, logged and signed must be read, folded, shown and verified for ever.
//!
//! Each file in `tests/frozen` has a log (hexadecimal, an entry a line) and the record that was signed for it, in the
//! folder of its record's format. Files are only ever added, never changed: `BROADSIDE_FREEZE=1 cargo test -p
//! broadside-rules --all-features --test frozen` writes those of the current format that are missing.
#![allow(clippy::disallowed_methods, reason = "a test measures time and starts programs")]
#![allow(clippy::expect_used, reason = "a test may stop")]
#![cfg(feature = "proof")]
#[path = "record/hands.rs"]
mod hands;
mod support;

use std::{fs, path::PathBuf};

use broadside_rules::{
    Clock, Dice, Entry, Nonce, RuleSet, Seat, Setup, Variant, Viewer,
    record::{self, Format, Header},
    text::Digest,
};
use ed25519_dalek::Signer;
use hands::{key, play, rested_match, written};
use serde_json::{Value, json};
use support::{Game, dice};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/frozen")
}

/// Rule sets with options that no variant has.
fn options() -> Vec<(&'static str, RuleSet)> {
    let four = json!({ "min": 4, "max": 4 });
    let islands = json!({ "cells": [], "drawn": 4, "size": 5, "contact": "forbidden" });
    let options = [
        ("islands", "classic", json!({ "islands": islands, "clue": "neighbours-all", "contact": "forbidden" })),
        ("common-sea", "classic-weapons", json!({ "seats": four, "teams": 2, "team_seas": "common" })),
        (
            "six",
            "classic-salvo",
            json!({
                "seats": { "min": 6, "max": 6 }, "last_turn": true, "handicaps": [{ "seat": 2, "first_turns": 2 }],
            }),
        ),
        ("mines-for-ships", "sea-battle-mines", json!({ "mines": { "count": 3, "effect": "ship" } })),
        ("one-moves", "admiralty", json!({ "relocation_ships": 1, "relocation_range": 3 })),
        ("wide", "depths", json!({ "rows": 7, "columns": 12 })),
        ("allies", "salvos", json!({ "deployment": "free", "teams": 2 })),
    ];
    let customised = |(name, variant, changes): (_, &str, Value)| {
        let base = Variant::find(variant).expect("a variant");
        (name, RuleSet::customised(base, &changes).expect(name))
    };
    options.map(customised).into()
}

/// The frozen matches: of each family and with options that no variant has, a finished one and a running one; and one
/// with resting clocks.
fn games() -> Vec<(String, Game)> {
    let mut games = Vec::new();
    let families = ["classic", "depths", "salvos"].map(|id| (id, Variant::find(id).expect("a variant").rule_set()));
    for (name, rules) in families.into_iter().chain(options()) {
        for (what, actions) in [("whole", usize::MAX), ("running", 9)] {
            let most = rules.seats().1;
            let mut setup = Setup::new(rules.clone(), Clock::per_move(600));
            setup.seats = (setup.seats + 1).min(most);
            let nonces = vec![Nonce::new("salt & pepper"); usize::from(setup.seats)];
            let mut game = Game::open_with(setup, dice(77), nonces);
            let first = game.battle.to_act().iter().next().expect("somebody");
            play(&mut game, actions.min(60));
            if what == "whole" {
                // The legal ones of these: some of the matches are over by now.
                for (seat, kind) in [(0, "offer-draw"), (1, "decline-draw"), (1, "call-armistice")] {
                    drop(game.play(Seat(seat), &json!({ "type": kind })));
                }
                for seat in (0..game.setup.seats).map(Seat) {
                    drop(game.play(seat, &json!({"type": "end-armistice"})));
                }
                play(&mut game, 6);
                for seat in (0..game.setup.seats).map(Seat).filter(|seat| *seat != first) {
                    drop(game.play(seat, &json!({"type": "resign"})));
                }
            }
            games.push((format!("{name}-{what}"), game));
        }
    }
    games.push(("classic-rests".to_owned(), rested_match("classic-salvo")));
    let mut late = Game::of("admiralty", 4);
    play(&mut late, usize::MAX);
    games.push(("admiralty-played-out".to_owned(), late));
    games
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2).map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).expect("hexadecimal")).collect()
}

/// Writes missing files; existing ones are never touched.
fn freeze() {
    let folder = folder().join(format!("format-{}", Format::CURRENT));
    fs::create_dir_all(&folder).expect("a folder");
    for (name, game) in games() {
        let path = folder.join(format!("{name}.json"));
        if path.exists() {
            continue;
        }
        let record = written(&hands::record(&game, Viewer::Spectator));
        let log: Vec<String> = game.log.iter().map(|entry| hex(entry)).collect();
        let seed = Digest::of(&game.seed);
        let frozen = json!({ "record": record, "seed": seed, "log": log });
        fs::write(path, frozen.to_string() + "\n").expect("a file");
    }
}

fn frozen() -> Vec<(String, Value)> {
    if std::env::var_os("BROADSIDE_FREEZE").is_some() {
        freeze();
    }
    let inside = |folder: PathBuf| fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let files = inside(folder()).flat_map(inside);
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a file");
        (path.display().to_string(), serde_json::from_str(&text).expect("JSON"))
    };
    let all: Vec<(String, Value)> = files.map(read).collect();
    assert!(all.len() >= 21, "frozen matches are never taken away");
    all
}

#[test]
fn frozen_records_verify() {
    for (name, frozen) in frozen() {
        let text = frozen["record"].to_string();
        let verified = record::verify(&text).unwrap_or_else(|wrongs| panic!("{name}: {}", wrongs[0]));
        assert_eq!(verified.whole, !name.contains("running"), "{name}");
    }
}

#[test]
fn frozen_logs_bring_about_the_records_that_were_signed() {
    for (name, frozen) in frozen() {
        let header: Header = serde_json::from_value(frozen["record"]["header"].clone()).expect("a header");
        let mut setup = Setup::new(header.rule_set.clone(), header.clock);
        setup.seats = header.seats.len() as u8;
        let log: Vec<Vec<u8>> =
            frozen["log"].as_array().expect("a log").iter().map(|line| bytes(line.as_str().expect("text"))).collect();
        let entries: Vec<Entry> = log.iter().map(|bytes| Entry::from_bytes(bytes).expect("an entry")).collect();
        assert!(entries.iter().flat_map(|entry| &entry.events).all(|event| event.fits(&setup)), "{name}");
        let seed = Digest::new(frozen["seed"].as_str().expect("a seed")).and_then(|seed| seed.bytes()).expect("a seed");
        let number = frozen["record"]["version"].as_u64().and_then(|number| u32::try_from(number).ok());
        let format = number.and_then(Format::known).expect("a known format");
        let (key, public) = (key(), key().verifying_key().to_bytes());
        let sign = |message: &[u8]| key.sign(message).to_bytes();
        let again = record::assemble(format, &header, &setup, &entries, &seed, Viewer::Spectator, &public, sign);
        assert_eq!(written(&again), frozen["record"], "{name}: the record of a match has changed");
    }
}

#[test]
fn a_frozen_match_that_runs_is_played_on() {
    for (name, frozen) in frozen().into_iter().filter(|(name, _)| name.contains("running")) {
        let header: Header = serde_json::from_value(frozen["record"]["header"].clone()).expect("a header");
        let mut setup = Setup::new(header.rule_set, header.clock);
        setup.seats = header.seats.len() as u8;
        let lines = frozen["log"].as_array().expect("a log").iter();
        let log = lines.map(|line| bytes(line.as_str().expect("text"))).collect();
        let mut game = Game::open(setup, Dice::from_seed([1; 32]));
        game.log = log;
        let mut game = game.replayed();
        play(&mut game, usize::MAX);
        assert!(game.battle.status().is_over(), "{name}");
    }
}
