//! Golden games: plain text files that a person can read against the rule sheets, played here through the public
//! interface. Each says what is played and what must be answered; this file only reads and compares, it judges nothing.
//!
//! Grammar, one statement a line (a line that begins with a space goes on with the one before; `#` begins a comment):
//! `variant ID`, `rules JSON` (changes to the preset), `title …`, `source …`, then moves:
//! `red deploys carrier A1 A2 …; …`, `red fires H10: miss` (answers in order: `miss`, `sighted`, `hit`, `hit CLASS`,
//! `sunk CLASS`, `miss 3` where misses get a number; under a tally `3 hits`, `1 hit`, `no hits`; under a tally per ship
//! `3 hits (carrier 2, destroyer 1)`; under one answer for the salvo one of the four words; behind a tally or one
//! answer, where sinkings are told, `; 1 sunk` or `; sunk carrier, cruiser 2`), `blue relocates carrier C1 …` or
//! `relocates nothing`, `red gives cells A1; mines B2: hit` (or `ships …`; the answers as to shots),
//! `red offers|accepts|declines draw`, `red resigns`, `refused MOVE: CODE` (and nothing changes), and the result:
//! `red wins by fleet|hits|resignation|limit` or `draw by agreement|limit`. Red is the seat that begins, unless there
//! may be more than two: then a salvo names its sea (`red fires at green H10: miss`), a team wins as
//! `red and green win by fleet`, and `places red 1, blue 2` says everybody's place. A line `chance NUMBER` near the top
//! picks what is drawn by chance, a line `nations …` who plays. The words of other families, and for special
//! weapons, are in `games/`.
#![allow(clippy::expect_used, reason = "a test may stop")]
mod support;

#[path = "games/depths.rs"]
mod depths;
#[path = "games/mines.rs"]
mod mines;
#[path = "games/salvos.rs"]
mod salvos;
#[path = "games/weapons.rs"]
mod weapons;

use std::{fs, path::Path};

use broadside_rules::{Clock, FamilyName, RuleSet, Seat, Setup, Variant, variants};
use serde_json::{Value, json};
use support::{Game, dice, shown};

struct Statement {
    line: usize,
    text: String,
}

fn statements(text: &str) -> Vec<Statement> {
    let mut statements: Vec<Statement> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let text = line.split('#').next().unwrap_or_default();
        if text.trim().is_empty() {
            continue;
        }
        match statements.last_mut() {
            Some(last) if text.starts_with(' ') => {
                last.text.push(' ');
                last.text.push_str(text.trim());
            }
            _ => statements.push(Statement { line: index + 1, text: text.trim().into() }),
        }
    }
    statements
}

/// Opens the match with seat 0, red, as the first; or with the nations named. The number selects the seed of chance.
fn open(variant: &str, changes: &Value, chance: u64, nations: &[&str]) -> Result<Game, String> {
    let variant = Variant::find(variant).ok_or_else(|| format!("no variant `{variant}`"))?;
    let rules = RuleSet::customised(variant, changes).map_err(|faults| format!("{faults:?}"))?;
    let mut setup = Setup::new(rules, Clock::none());
    if !nations.is_empty() {
        salvos::seated(&mut setup, nations)?;
        return Ok(Game::open(setup, dice(chance)));
    }
    (chance * 64..(chance + 1) * 64)
        .map(|seed| Game::open(setup.clone(), dice(seed)))
        .find(|game| game.spectator().seats()[0].name == "red" && (game.setup.seats == 2 || begins(game, Seat(0))))
        .ok_or_else(|| "seat 0 never begins".into())
}

fn begins(game: &Game, seat: Seat) -> bool {
    let started = serde_json::to_value(&game.reports[0][0]).expect("JSON");
    started["first"] == seat.0
}

fn seat(game: &Game, name: &str) -> Result<Seat, String> {
    let seats = game.spectator().seats();
    let found = seats.iter().find(|seat| seat.name == name).map(|seat| seat.seat);
    let names: Vec<&str> = seats.iter().map(|seat| seat.name).collect();
    found.ok_or_else(|| format!("`{name}` is neither {}", names.join(" nor ")))
}

/// The action for the words after the colour.
fn action(game: &Game, verb: &str, rest: &str) -> Result<Value, String> {
    if game.setup.rules.family() == FamilyName::Depths
        && let Some(action) = depths::action(verb, rest)
    {
        return Ok(action);
    }
    if game.setup.rules.family() == FamilyName::Salvos
        && let Some(action) = salvos::action(verb, rest)
    {
        return Ok(action);
    }
    let listed = |what: &str| -> Vec<&str> {
        let list = rest.split(';').find_map(|list| list.trim().strip_prefix(what)?.strip_prefix(' '));
        list.unwrap_or_default().split_whitespace().collect()
    };
    let ships = || -> Vec<Value> {
        let named = rest.split(';').map(str::trim).filter(|ship| !ship.is_empty() && !ship.starts_with("mines "));
        let ship = |ship: &str| {
            let mut words = ship.split_whitespace();
            json!({"ship": words.next(), "cells": words.collect::<Vec<_>>()})
        };
        if rest.trim() == "nothing" { Vec::new() } else { named.map(ship).collect() }
    };
    Ok(match (verb, rest) {
        ("deploys", _) if !listed("mines").is_empty() => {
            json!({"type": "deploy", "ships": ships(), "mines": listed("mines")})
        }
        ("deploys", _) => json!({"type": "deploy", "ships": ships()}),
        ("gives", _) => {
            let lists = [("cells", listed("cells")), ("ships", listed("ships")), ("mines", listed("mines"))];
            let mut action = json!({"type": "give-up"});
            for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
                action[name] = json!(list);
            }
            action
        }
        ("uses", _) => weapons::action(rest),
        ("relocates", _) => json!({"type": "relocate", "ships": ships()}),
        ("fires", _) => match rest.split_whitespace().collect::<Vec<_>>().as_slice() {
            ["at", sea, cells @ ..] => json!({"type": "fire", "cells": cells, "target": sea}),
            cells => json!({"type": "fire", "cells": cells}),
        },
        ("resigns", "") => json!({"type": "resign"}),
        ("aborts", "") => json!({"type": "abort"}),
        ("offers", "draw") => json!({"type": "offer-draw"}),
        ("accepts", "draw") => json!({"type": "accept-draw"}),
        ("declines", "draw") => json!({"type": "decline-draw"}),
        _ => return Err(format!("`{verb} {rest}` is no move")),
    })
}

/// A `fired` report in the words of the games.
fn in_words(report: &Value) -> String {
    let count = |hits: u64| match hits {
        0 => "no hits".to_owned(),
        1 => "1 hit".to_owned(),
        n => format!("{n} hits"),
    };
    let mut sunk = report["sunk"].as_u64().filter(|sunk| *sunk > 0).map(|sunk| format!("; {sunk} sunk"));
    if let Some(classes) = report["sunk_by_class"].as_array().filter(|classes| !classes.is_empty()) {
        let named = classes.iter().map(|class| match (class["class"].as_str().expect("a class"), &class["sunk"]) {
            (name, one) if *one == 1 => name.to_owned(),
            (name, many) => format!("{name} {many}"),
        });
        sunk = Some(format!("; sunk {}", named.collect::<Vec<_>>().join(", ")));
    }
    let sunk = sunk.unwrap_or_default();
    if let Some(best) = report["answer"].as_str() {
        return best.to_owned() + &sunk;
    }
    if let Some(hits) = report["hits"].as_u64() {
        return count(hits) + &sunk;
    }
    if let Some(classes) = report["hits_by_class"].as_array() {
        let hits = classes.iter().filter_map(|class| class["hits"].as_u64()).sum();
        let named: Vec<String> = classes
            .iter()
            .map(|class| format!("{} {}", class["class"].as_str().expect("a class"), class["hits"]))
            .collect();
        return if named.is_empty() { count(hits) } else { format!("{} ({}){sunk}", count(hits), named.join(", ")) };
    }
    let shots = report["shots"].as_array().expect("shots").iter();
    let answers = shots.map(|shot| {
        let mut answer = shot["answer"].as_str().expect("an answer").to_owned();
        if let Some(clue) = shot["clue"].as_u64() {
            answer = format!("{answer} {clue}");
        }
        shot["class"].as_str().map_or(answer.clone(), |class| format!("{answer} {class}"))
    });
    answers.collect::<Vec<_>>().join(", ")
}

/// The viewer's last `fired` report in the last entry.
fn last_fired(game: &Game, viewer: usize) -> Result<Value, String> {
    let reports = game.reports[viewer].iter().rev().map(|report| serde_json::to_value(report).expect("JSON"));
    reports.into_iter().find(|report| report["type"] == "fired").ok_or_else(|| "nothing was fired".into())
}

fn fires(game: &mut Game, by: Seat, cells: &str, expected: &str) -> Result<(), String> {
    game.play(by, &action(game, "fires", cells)?).map_err(|illegal| format!("refused: {illegal:?}"))?;
    answered(game, by, expected)
}

/// Checks the public report of the last salvo.
fn answered(game: &Game, by: Seat, expected: &str) -> Result<(), String> {
    let actor = last_fired(game, by.index())?;
    if in_words(&actor) != expected {
        return Err(format!("the shooter is told `{}`, not `{expected}`", in_words(&actor)));
    }
    // A spectator gets the same; only the number of the report may differ.
    let spectator = last_fired(game, usize::from(game.setup.seats))?;
    if spectator != actor {
        return Err(format!("a spectator is told {spectator}"));
    }
    // The target gets the truth, which cannot contradict the shooter's report.
    let named = seat(game, actor["target"].as_str().unwrap_or_default()).ok();
    let target = last_fired(game, named.unwrap_or(by.other()).index())?;
    let struck = |shot: &Value| shot["answer"] == "hit" || shot["answer"] == "sunk";
    for (told, truth) in
        actor["shots"].as_array().expect("shots").iter().zip(target["shots"].as_array().expect("shots"))
    {
        if told["cell"] != truth["cell"] || !told["answer"].is_null() && struck(told) != struck(truth) {
            return Err(format!("the target is told {truth}, the shooter {told}"));
        }
    }
    let truly_hit = target["shots"].as_array().expect("shots").iter().filter(|shot| struck(shot)).count();
    let counted = match expected.split_once(' ') {
        Some(("no", "hits")) => Some(0),
        Some((number, what)) if what.starts_with("hit") && actor["answer"].is_null() => number.parse().ok(),
        _ => None,
    };
    match counted {
        Some(counted) if counted != truly_hit => Err(format!("the target counts {truly_hit} hits")),
        _ => Ok(()),
    }
}

fn refused(game: &mut Game, by: Seat, verb: &str, rest: &str, code: &str) -> Result<(), String> {
    let seen = |game: &Game| game.views.iter().map(shown).collect::<Vec<_>>();
    let before = seen(game);
    match game.play(by, &action(game, verb, rest)?) {
        Ok(_) => Err("played, though it should be refused".into()),
        Err(illegal) if illegal.code != code => Err(format!("refused as {}: {}", illegal.code, illegal.detail)),
        Err(_) if seen(game) != before => Err("refused, yet something changed".into()),
        Err(_) => Ok(()),
    }
}

fn result(game: &Game, winner: Option<Seat>, reason: &str) -> Result<(), String> {
    let outcome = game.battle.outcome().ok_or("the match is not over")?;
    let told = serde_json::to_value(outcome.reason).expect("JSON");
    if outcome.winner != winner || told != reason {
        return Err(format!("it ended {outcome:?}"));
    }
    let last: Vec<Value> =
        game.reports.iter().map(|reports| serde_json::to_value(reports.last()).expect("JSON")).collect();
    let shows_all = |report: &Value| report["type"].as_str().is_some_and(|kind| kind.ends_with("revealed"));
    if !last.iter().all(shows_all) {
        return Err("not everybody is shown the seas".into());
    }
    Ok(())
}

/// A team wins: `red and green win by fleet`.
fn team_wins(game: &Game, winners: &str, reason: &str) -> Result<(), String> {
    let mut named: Vec<Seat> = winners.split(" and ").map(|name| seat(game, name)).collect::<Result<_, _>>()?;
    named.sort();
    let outcome = game.battle.outcome().ok_or("the match is not over")?;
    let first: Vec<Seat> = outcome.places.iter().filter(|place| place.place == 1).map(|place| place.seat).collect();
    if first == named { result(game, None, reason) } else { Err(format!("it ended {outcome:?}")) }
}

fn play(game: &mut Game, text: &str) -> Result<(), String> {
    let (text, code) = match text.strip_prefix("refused ") {
        Some(text) => {
            let (text, code) = text.rsplit_once(':').ok_or("a refused move needs `: code`")?;
            (text, Some(code.trim()))
        }
        None => (text, None),
    };
    if game.setup.rules.family() == FamilyName::Salvos
        && let Some(held) = salvos::stated(game, text)
    {
        return held;
    }
    if let Some(reason) = text.strip_prefix("draw by ") {
        return result(game, None, reason);
    }
    if let Some(expected) = text.strip_prefix("places ") {
        return salvos::places(game, expected);
    }
    if let Some((winners, reason)) = text.split_once(" win by ") {
        return team_wins(game, winners, reason);
    }
    let (colour, words) = text.split_once(' ').ok_or("who does what?")?;
    let by = seat(game, colour)?;
    let (verb, rest) = words.split_once(' ').unwrap_or((words, ""));
    if let Some(code) = code {
        return refused(game, by, verb, rest.trim(), code);
    }
    match verb {
        _ if verb != "wins" && game.setup.rules.family() == FamilyName::Depths => depths::play(game, by, verb, rest),
        _ if verb != "wins" && game.setup.rules.family() == FamilyName::Salvos => salvos::play(game, by, verb, rest),
        "wins" => result(game, Some(by), rest.strip_prefix("by ").ok_or("wins by what?")?),
        "fires" => {
            let (cells, expected) = rest.split_once(':').ok_or("a salvo needs `: answers`")?;
            fires(game, by, cells, expected.trim())
        }
        "uses" => {
            let (weapon, expected) = rest.split_once(':').ok_or("a weapon needs `: answers`")?;
            weapons::uses(game, by, weapon, expected.trim())
        }
        "gives" => {
            let (what, expected) = rest.split_once(':').ok_or("what is given up needs `: answers`")?;
            mines::gives(game, by, what, expected.trim())
        }
        _ => game.play(by, &action(game, verb, rest)?).map(|_| ()).map_err(|illegal| format!("refused: {illegal:?}")),
    }
}

/// Plays a file; returns its variant, or the place and reason of the failure.
fn run(path: &Path) -> Result<String, String> {
    let shown_path = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let text = fs::read_to_string(path).map_err(|error| format!("{shown_path}: {error}"))?;
    let (mut variant, mut changes, mut chance, mut nations, mut game) = (None, json!({}), 0, String::new(), None);
    let mut titled = [false; 2];
    for Statement { line, text } in statements(&text) {
        let place = |error: String| format!("{shown_path}:{line}: {text}: {error}");
        let (word, rest) = text.split_once(' ').unwrap_or((&text, ""));
        match word {
            "variant" => variant = Some(rest.to_owned()),
            "rules" => changes = serde_json::from_str(rest).map_err(|error| place(error.to_string()))?,
            "chance" => chance = rest.parse().map_err(|_| place("a chance is a number".into()))?,
            "nations" => nations = rest.to_owned(),
            "title" => titled[0] = true,
            "source" => titled[1] = true,
            _ => {
                let variant = variant.as_deref().ok_or_else(|| place("no `variant` before the first move".into()))?;
                let game = match &mut game {
                    Some(game) => game,
                    none => {
                        let nations: Vec<&str> = nations.split_whitespace().collect();
                        none.insert(open(variant, &changes, chance, &nations).map_err(place)?)
                    }
                };
                play(game, &text).map_err(place)?;
            }
        }
    }
    let game: Game = game.ok_or_else(|| format!("{shown_path}: nothing is played"))?;
    if titled != [true; 2] {
        return Err(format!("{shown_path}: it needs a `title` and a `source`"));
    }
    if !game.battle.status().is_over() {
        return Err(format!("{shown_path}: the match is not played to its end"));
    }
    assert!(game.replayed().views == game.views, "{shown_path}: a replay differs");
    // Each variant must have a game of the preset itself, not of a changed rule set.
    Ok(if changes == json!({}) { variant.unwrap_or_default() } else { String::new() })
}

#[test]
fn golden_games() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("games");
    let mut paths: Vec<_> =
        fs::read_dir(folder).expect("the folder of games").map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    paths.sort();
    let (played, mut failures): (Vec<_>, Vec<_>) = paths.iter().map(|path| run(path)).partition(Result::is_ok);
    let played: Vec<String> = played.into_iter().flatten().collect();
    for variant in variants() {
        if !played.iter().any(|id| id == variant.id) {
            failures.push(Err(format!("{} has no golden game that holds", variant.id)));
        }
    }
    let failures: Vec<String> = failures.into_iter().filter_map(Result::err).collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn a_wrong_game_fails() {
    let folder = std::env::temp_dir().join(format!("broadside-games-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let fleets = "variant classic\ntitle T\nsource S\n\
        red deploys carrier A1 A2 A3 A4 A5; battleship B1 B2 B3 B4;\n  cruiser C1 C2 C3; submarine D1 D2 D3; destroyer E1 E2\n\
        blue deploys carrier A1 A2 A3 A4 A5; battleship B1 B2 B3 B4;\n  cruiser C1 C2 C3; submarine D1 D2 D3; destroyer E1 E2\n";
    for (moves, fault) in [
        ("red fires A1: miss\n", "game.txt:8: red fires A1: miss: the shooter is told `hit`, not `miss`"),
        ("blue fires A1: hit\n", "not-your-turn"),
        ("refused red fires A1: cell-already-tried\n", "played, though it should be refused"),
        ("refused blue fires A1: match-over\n", "refused as not-your-turn"),
        ("red resigns\nred wins by fleet\n", "it ended"),
        ("red fires A1: hit\n", "not played to its end"),
        ("green resigns\n", "neither red nor blue"),
        ("red dances\n", "is no move"),
    ] {
        let path = folder.join("game.txt");
        fs::write(&path, format!("{fleets}{moves}")).expect("written");
        let told = run(&path).expect_err("a wrong game fails");
        assert!(told.contains(fault), "`{told}` does not say `{fault}`");
    }
    fs::remove_dir_all(folder).expect("removed");
}
