//! Random games to the end, for every preset and for random custom rule sets: what must hold whatever is played.
#![allow(clippy::expect_used, reason = "a test may stop")]
mod support;

use broadside_rules::{
    Action, Clock, Entry, Event, RuleSet, Seat, Setup, Status, Time, Variant, View, Viewer, card::Language, legal,
    variants,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use support::{EXAMPLE_SEED, Game, VIEWERS, dice, random_depths, random_rules, shown};

/// The most actions that a match with so many seats can take, by its rules.
fn most_actions(rules: &RuleSet, seats: u8) -> usize {
    let told = serde_json::to_value(rules).expect("JSON");
    match (told["turns"].as_u64(), told["rounds"].as_u64()) {
        // A limit of turns for each seat, in each a move, a charge, three torpedoes and its end.
        (Some(turns), _) => 2 + 2 * 6 * turns as usize,
        // A deployment, and one action a round.
        (_, Some(rounds)) => usize::from(seats) * (1 + rounds as usize),
        // Two deployments, at most one shot a cell in either sea, and a relocation after each salvo.
        _ => 2 + 4 * rules.board(2).seas[0].cells.len(),
    }
}

/// Plays to the end by sending back examples, checking at each step what must always hold. Returns the number of actions.
fn play_out(mut game: Game, checks_every: usize) -> usize {
    let most = most_actions(&game.setup.rules, game.setup.seats);
    let mut actions = 0;
    while !game.battle.status().is_over() {
        let (seat, decision) = game.required().expect("somebody must act");
        assert!(decision.required());
        for viewer in (0..game.setup.seats).map(Seat) {
            for decision in game.view(viewer).decisions(EXAMPLE_SEED) {
                let example = decision.example();
                assert_eq!(legal(game.view(viewer), &example), Ok(()), "an example is legal");
                let sent = serde_json::to_value(&example).expect("JSON");
                assert_eq!(Action::parse(&game.setup, &sent), Ok(example), "an example reads back as it was sent");
            }
        }
        assert!(game.spectator().decisions(EXAMPLE_SEED).is_empty(), "a spectator decides nothing");
        game.act(seat, &decision.example()).expect("an example is legal");
        actions += 1;
        assert!(actions <= most, "the match ends");
        if actions % checks_every == 0 {
            same_again(&game);
        }
    }
    same_again(&game);
    assert!(game.battle.to_act().is_empty() && game.battle.deadline().is_none());
    for view in &game.views {
        assert_eq!(view.status(), Status::Finished);
        assert!(view.decisions(EXAMPLE_SEED).is_empty());
    }
    let seas: Vec<Value> = game.views.iter().map(|view| serde_json::to_value(view.seas()).expect("JSON")).collect();
    assert!(seas.iter().all(|sea| *sea == seas[0]), "after the end everybody sees everything");
    actions
}

/// Battle, views and decisions are the fold of the log, and views agree with the battle on what is public.
fn same_again(game: &Game) {
    let again = game.replayed();
    assert!(again.log == game.log, "log → events → log");
    assert_eq!(again.battle.to_act(), game.battle.to_act());
    assert_eq!(again.battle.deadline(), game.battle.deadline());
    assert_eq!(again.battle.outcome(), game.battle.outcome());
    for (index, view) in game.views.iter().enumerate() {
        assert!(again.views[index] == *view, "a view folded again is the same");
        assert_eq!(shown(&again.views[index]), shown(view), "and shows the same, decisions included");
        assert_eq!(again.reports[index], game.reports[index]);
        assert_eq!(view.to_act(), game.battle.to_act());
        assert_eq!(view.deadline(), game.battle.deadline());
        assert_eq!(view.status(), game.battle.status());
        assert_eq!(view.result(), game.battle.outcome());
        assert_eq!(view.version() as usize, game.reports[index].len());
    }
}

#[test]
fn every_preset_plays_to_its_end() {
    for variant in variants() {
        // Matches for many are long, and there is a turn for every number of seats.
        for seed in 0..if variant.seats() == (2, 2) { 20 } else { 6 } {
            let clock = if seed % 2 == 0 { Clock::none() } else { Clock::per_move(60) };
            let mut setup = Setup::new(variant.rule_set(), clock);
            let (least, most) = variant.seats();
            setup.seats = least + seed as u8 % (most - least + 1);
            let actions = play_out(Game::open(setup, dice(seed)), 40);
            assert!(actions > 4, "{}: a game of {actions} actions is no game", variant.id);
        }
    }
}

#[test]
fn random_rule_sets_play_to_their_end() {
    let mut dice = dice(77);
    for seed in 0..60 {
        let rules = random_rules(&mut dice, 200);
        play_out(Game::with(rules, Clock::none(), seed), 1000);
    }
    for seed in 0..12 {
        let rules = random_depths(&mut dice);
        play_out(Game::with(rules, Clock::none(), seed), 1000);
    }
    // The largest boards, too.
    for seed in 0..2 {
        let rules = random_rules(&mut dice, 676);
        play_out(Game::with(rules, Clock::none(), seed), 1000);
    }
}

#[test]
fn a_rule_set_reads_back_as_it_was_written() {
    let mut dice = dice(5);
    let custom = (0..40).map(|n| if n % 4 == 0 { random_depths(&mut dice) } else { random_rules(&mut dice, 676) });
    for rules in variants().iter().map(Variant::rule_set).chain(custom) {
        let text = serde_json::to_string(&rules).expect("JSON");
        assert_eq!(serde_json::from_str::<RuleSet>(&text).expect("reads"), rules);
        let whole: Value = serde_json::from_str(&text).expect("JSON");
        let base = variants().iter().rfind(|variant| variant.family == rules.family()).expect("a variant");
        assert_eq!(RuleSet::customised(base, &whole), Ok(rules), "a whole rule set replaces the preset");
    }
}

#[test]
fn every_variant_has_its_card() {
    for variant in variants() {
        let rules = variant.rule_set();
        assert_eq!(Variant::find(variant.id).map(|found| found.id), Some(variant.id));
        assert!(RuleSet::customised(variant, &json!({})).is_ok(), "{}: the preset is legal", variant.id);
        for language in [Language::English, Language::French] {
            let prose = variant.rules_markdown(language);
            assert!(
                prose.contains(&format!("## {}", variant.id)),
                "{} has no section in {}",
                variant.id,
                language.tag()
            );
            for other in variants().iter().filter(|other| other.id != variant.id) {
                assert!(
                    !prose.lines().any(
                        |line| line.starts_with(&format!("## {} ", other.id)) || line == format!("## {}", other.id)
                    ),
                    "{} shows the section of {}",
                    variant.id,
                    other.id
                );
            }
            assert!(!variant.title(language).is_empty() && !variant.summary(language).is_empty());
            let answers = rules.answers(language);
            for action in rules.actions() {
                assert!(answers.iter().any(|answer| answer.action == action.action_type));
            }
        }
        let board = rules.board(2);
        let classes = rules.classes();
        let ships: Vec<_> = classes.iter().flat_map(|class| &class.ships).collect();
        let mut game = Game::of(variant.id, 1);
        for seat in [Seat(0), Seat(1)] {
            game.act(seat, &Action::DEPLOY_AUTO).expect("legal");
        }
        assert_eq!(game.views[2].board(), board, "{}: nothing is drawn that changes the board", variant.id);
        assert_eq!(game.views[2].seas().len(), board.seas.len());
        for (sea, card) in game.views[2].seas().iter().zip(&board.seas) {
            assert_eq!(sea.id, card.id);
            assert!(sea.ships.iter().all(|ship| ships.contains(&&ship.id)), "every ship is on the card");
            // Where nations are drawn, the card has the ships of those that do not play, too.
            assert!(sea.ships.len() == ships.len() || !rules.wishes().is_empty());
            let mut hidden = sea.ships.iter().filter(|ship| sea.owner.is_none_or(|owner| owner == ship.seat));
            assert!(hidden.all(|ship| ship.cells.is_none()), "a spectator sees nothing of what its owner hides");
        }
    }
}

#[test]
fn a_classic_shot_is_a_few_bytes() {
    let mut game = Game::of("classic", 3);
    while game.log.len() < 20 {
        let (seat, decision) = game.required().expect("somebody must act");
        game.act(seat, &decision.example()).expect("legal");
    }
    let longest = game.log[3..].iter().map(Vec::len).max().expect("shots");
    assert!(longest <= 20, "a shot took {longest} bytes");
}

#[test]
fn clocks_flag() {
    let start = |clock: Value| {
        let clock = Clock::parse(&clock).expect("a clock");
        let rules = Variant::find("classic").expect("a variant").rule_set();
        Game::with(rules, clock, 9)
    };
    let late = |game: &mut Game, by_ms: i64| {
        let deadline = game.battle.deadline().expect("a deadline");
        game.now = Time(deadline.0 - 1);
        assert!(game.expire().is_empty(), "not a millisecond early");
        game.now = deadline.plus_ms(by_ms);
        game.expire()
    };
    let reason = |game: &Game| {
        let outcome = game.battle.outcome().expect("over").clone();
        (serde_json::to_value(outcome.reason).expect("JSON"), outcome.winner)
    };

    // Nobody deploys: called off. One does: the other loses.
    let mut game = start(json!({"kind": "per-move", "move_s": 60}));
    assert_eq!(late(&mut game, 0).len(), 1);
    assert_eq!((game.battle.status(), reason(&game)), (Status::Aborted, (json!("aborted"), None)));
    let mut game = start(json!({"kind": "per-move", "move_s": 60, "deploy_s": 600}));
    game.act(Seat(1), &Action::DEPLOY_AUTO).expect("legal");
    assert_eq!(late(&mut game, 5000).len(), 3, "timed out, finished, revealed");
    assert_eq!(reason(&game), (json!("time"), Some(Seat(1))));

    // A bank runs down while its owner must act and gains the increment, up to the cap.
    let mut game = start(json!({"kind": "bank", "initial_s": 100, "increment_s": 10, "cap_s": 105, "deploy_s": 5}));
    game.act(Seat(0), &Action::DEPLOY_AUTO).expect("legal");
    game.act(Seat(1), &Action::DEPLOY_AUTO).expect("legal");
    let first = game.battle.to_act().iter().next().expect("a seat");
    assert_eq!(
        game.views[2].seats().iter().map(|seat| seat.time_left_s).collect::<Vec<_>>(),
        [Some(100), Some(100)],
        "the deployment does not count"
    );
    let left = |game: &Game, seat: Seat| game.views[2].seats()[seat.index()].time_left_s.expect("a bank");
    let example = game.required().expect("a decision").1.example();
    game.now = game.now.plus_s(2); // one second has passed since the deployment
    game.act(first, &example).expect("legal");
    assert_eq!(left(&game, first), 105, "97 and 10, but never above the cap");
    let example = game.required().expect("a decision").1.example();
    game.now = game.now.plus_s(49);
    game.act(first.other(), &example).expect("legal");
    assert_eq!(left(&game, first.other()), 60, "50 used, 10 gained");
    assert_eq!(late(&mut game, 0).len(), 3);
    assert_eq!(reason(&game), (json!("time"), Some(first.other())));
    same_again(&game);
}

#[test]
fn draws_and_ends_at_the_table() {
    let code = |result: Result<Vec<Event>, broadside_rules::Illegal>| result.err().map(|illegal| illegal.code);
    let ready = || {
        let mut game = Game::of("classic", 4);
        assert_eq!(code(game.act(Seat(0), &Action::OFFER_DRAW)), Some("wrong-phase"));
        game.act(Seat(0), &Action::DEPLOY_AUTO).expect("legal");
        assert_eq!(code(game.act(Seat(0), &Action::DEPLOY_AUTO)), Some("already-deployed"));
        game.act(Seat(1), &Action::DEPLOY_AUTO).expect("legal");
        game
    };
    let shoot = |game: &mut Game| {
        let (seat, decision) = game.required().expect("somebody must act");
        game.act(seat, &decision.example()).expect("legal");
        seat
    };

    // Declined, declined by playing on, accepted.
    let mut game = ready();
    let other = shoot(&mut game).other();
    assert_eq!(code(game.act(other, &Action::ABORT)), Some("too-late-to-abort"));
    assert_eq!(code(game.act(other, &Action::ACCEPT_DRAW)), Some("draw-not-offered"));
    game.act(other, &Action::OFFER_DRAW).expect("legal");
    assert_eq!(code(game.act(other, &Action::OFFER_DRAW)), Some("draw-already-offered"));
    assert_eq!(code(game.act(other, &Action::ACCEPT_DRAW)), Some("draw-not-offered"));
    game.act(other.other(), &Action::DECLINE_DRAW).expect("legal");
    assert_eq!(code(game.act(other, &Action::OFFER_DRAW)), Some("draw-already-offered"), "not before having played");
    assert_eq!(shoot(&mut game), other);
    game.act(other, &Action::OFFER_DRAW).expect("legal");
    assert_eq!(game.views[2].draw_offered_by(), Some(other));
    assert_eq!(shoot(&mut game), other.other());
    assert_eq!(game.views[2].draw_offered_by(), None, "playing on declines");
    game.act(other.other(), &Action::OFFER_DRAW).expect("legal");
    let events = game.act(other, &Action::ACCEPT_DRAW).expect("legal");
    assert_eq!(events.len(), 3);
    assert_eq!(game.battle.outcome().map(|outcome| outcome.winner), Some(None));
    assert_eq!(code(game.act(other, &Action::RESIGN)), Some("match-over"));
    same_again(&game);

    // Resigned, in the deployment too; called off.
    let mut game = Game::of("classic", 4);
    game.act(Seat(0), &Action::RESIGN).expect("legal");
    assert_eq!(game.battle.outcome().and_then(|outcome| outcome.winner), Some(Seat(1)));
    same_again(&game);
    let mut game = ready();
    game.act(Seat(1), &Action::ABORT).expect("legal");
    assert_eq!(game.battle.status(), Status::Aborted);
    assert!(
        game.views[2].seas().iter().flat_map(|sea| &sea.ships).all(|ship| ship.cells.is_none()),
        "a match called off reveals nothing"
    );
    same_again(&game);
    let spectator = View::new(&game.setup, Viewer::Spectator);
    assert_eq!(legal(&spectator, &Action::RESIGN).map_err(|illegal| illegal.code), Err("not-a-player"));
}

#[test]
fn a_wrong_rule_set_names_every_fault() {
    let refused = |changes: Value| -> Vec<(String, &'static str)> {
        let base = Variant::find("classic").expect("a variant");
        let faults = RuleSet::customised(base, &changes).expect_err("refused");
        faults.into_iter().map(|fault| (fault.pointer, fault.code)).collect()
    };
    let is = |changes: Value, expected: &[(&str, &str)]| {
        let found = refused(changes.clone());
        let found: Vec<(&str, &str)> = found.iter().map(|(at, code)| (at.as_str(), *code)).collect();
        assert_eq!(found, expected, "{changes}");
    };
    is(
        json!({"board": {"rows": 4, "columns": 27, "labels": "runes"}, "colour": 1, "salvo": {"size": 0}, "names_hit": 1}),
        &[
            ("/colour", "unknown-field"),
            ("/board/rows", "out-of-bounds"),
            ("/board/columns", "out-of-bounds"),
            ("/board/labels", "unknown-value"),
            ("/salvo/size", "out-of-bounds"),
            ("/names_hit", "wrong-type"),
        ],
    );
    is(json!({"sinking": false}), &[("/victory", "contradiction"), ("/names_sunk", "contradiction")]);
    is(json!({"report": "tally", "names_hit": true, "names_sunk": false}), &[("/names_hit", "contradiction")]);
    is(json!({"victory": {"kind": "hits", "hits": 18}}), &[("/victory/hits", "contradiction")]);
    is(json!({"victory": {"kind": "fleet", "hits": 3}}), &[("/victory/hits", "unknown-field")]);
    is(json!({"salvo": {"size": 11}}), &[("/salvo/size", "out-of-bounds")]);
    is(json!({"fleet": []}), &[("/fleet", "out-of-bounds")]);
    is(
        json!({"fleet": [{"class": "Big Ship", "name": "", "length": 7, "count": 0, "x": 1}, {"class": "a", "name": "A", "length": 1}]}),
        &[
            ("/fleet/0/x", "unknown-field"),
            ("/fleet/0/class", "out-of-bounds"),
            ("/fleet/0/name", "out-of-bounds"),
            ("/fleet/0/length", "out-of-bounds"),
            ("/fleet/0/count", "out-of-bounds"),
            ("/fleet/1/count", "missing-field"),
        ],
    );
    let class = |id: &str, length: u8, count: u8| json!({"class": id, "name": id, "length": length, "count": count});
    is(json!({"fleet": [class("a", 1, 10), class("a", 1, 1)]}), &[("/fleet/1/class", "class-repeated")]);
    is(json!({"fleet": [class("a", 1, 2), class("a-2", 1, 1)]}), &[("/fleet/1/class", "class-repeated")]);
    is(json!({"fleet": [class("a", 1, 10), class("b", 1, 10), class("c", 1, 7)]}), &[("/fleet", "too-many-ships")]);
    is(json!({"fleet": [class("a", 6, 7)]}), &[("/fleet", "fleet-too-large")]);
    // 40 cells of 100 are allowed; ten ships of four with no contact do not find room on 7 × 15.
    assert!(
        RuleSet::customised(Variant::find("classic").expect("a variant"), &json!({"fleet": [class("a", 4, 10)]}))
            .is_ok()
    );
    is(
        json!({"board": {"rows": 5, "columns": 5}, "contact": "forbidden", "fleet": [class("a", 1, 10)]}),
        &[("", "no-legal-deployment")],
    );
    // Exactly nine single cells fit apart on 5 × 5: a search must find it.
    let full = json!({"board": {"rows": 5, "columns": 5}, "contact": "forbidden", "fleet": [class("a", 1, 9)]});
    let rules = RuleSet::customised(Variant::find("classic").expect("a variant"), &full).expect("it can be placed");
    play_out(Game::with(rules, Clock::none(), 1), 10);
    // A ship of six cannot lie on 5 × 5 at all.
    is(json!({"board": {"rows": 5, "columns": 5}, "fleet": [class("a", 6, 1)]}), &[("", "no-legal-deployment")]);
    is(json!([]), &[("", "wrong-type")]);
}

#[test]
fn a_wrong_clock_names_every_fault() {
    let refused = |clock: Value| {
        let faults = Clock::parse(&clock).expect_err("refused");
        faults.into_iter().map(|fault| (fault.pointer, fault.code)).collect::<Vec<_>>()
    };
    let at = |pointer: &str, code: &'static str| (pointer.to_owned(), code);
    assert_eq!(
        refused(json!({"kind": "per-move", "move_s": 4, "x": 1})),
        [at("/x", "unknown-field"), at("/move_s", "out-of-bounds")]
    );
    assert_eq!(
        refused(json!({"kind": "bank", "increment_s": 1_209_601})),
        [at("/initial_s", "missing-field"), at("/increment_s", "out-of-bounds"), at("/cap_s", "missing-field"),]
    );
    assert_eq!(
        refused(json!({"kind": "bank", "initial_s": 60, "increment_s": 0, "cap_s": 59})),
        [at("/cap_s", "contradiction")]
    );
    assert_eq!(refused(json!({"kind": "hourglass"})), [at("/kind", "unknown-value")]);
    assert_eq!(refused(json!({})), [at("/kind", "missing-field")]);
    assert_eq!(refused(json!(5)), [at("", "wrong-type")]);
    for clock in [
        json!({"kind": "per-move", "move_s": 5, "deploy_s": 1_209_600}),
        json!({"kind": "bank", "initial_s": 1_209_600, "increment_s": 0, "cap_s": 1_209_600, "deploy_s": 5}),
        json!({"kind": "none"}),
    ] {
        let parsed = Clock::parse(&clock).expect("a clock");
        assert_eq!(serde_json::to_value(parsed).expect("JSON"), clock);
    }
}

#[test]
fn a_wrong_action_names_every_fault() {
    let setup = Setup::new(Variant::find("classic").expect("a variant").rule_set(), Clock::none());
    let refused = |action: Value| {
        let illegal = Action::parse(&setup, &action).expect_err("refused");
        assert_eq!(illegal.code, illegal.faults[0].code);
        illegal.faults.into_iter().map(|fault| (fault.pointer, fault.code)).collect::<Vec<_>>()
    };
    let at = |pointer: &str, code: &'static str| (pointer.to_owned(), code);
    assert_eq!(
        refused(json!({"type": "fire", "cells": ["A1", "a2", "K1", "A01", "A11", 3], "cel/ls": 1})),
        [
            at("/cel~1ls", "unknown-field"),
            at("/cells/1", "unknown-cell"),
            at("/cells/2", "unknown-cell"),
            at("/cells/3", "unknown-cell"),
            at("/cells/4", "unknown-cell"),
            at("/cells/5", "unknown-cell"),
        ]
    );
    assert_eq!(refused(json!({"type": "charge"})), [at("/type", "unknown-action")]);
    assert_eq!(
        refused(json!({"type": "relocate", "ships": []})),
        [at("/type", "unknown-action")],
        "ships do not move in this game"
    );
    assert_eq!(refused(json!({"type": "resign", "why": ""})), [at("/why", "unknown-field")]);
    assert_eq!(refused(json!({"type": "deploy"})), [at("/ships", "missing-field")]);
    assert_eq!(refused(json!({"type": "deploy", "auto": false})), [at("/auto", "unknown-value")]);
    assert_eq!(refused(json!({"type": "deploy", "auto": true, "ships": []})), [at("/auto", "unknown-field")]);
    assert_eq!(
        refused(json!({"type": "deploy", "ships": [{"ship": "yacht", "cells": ["A1"]}, {"ship": "carrier"}, 7]})),
        [at("/ships/0/ship", "ship-unknown"), at("/ships/1/cells", "missing-field"), at("/ships/2", "wrong-type"),]
    );
    assert_eq!(refused(json!({})), [at("/type", "missing-field")]);
    assert_eq!(refused(json!("fire")), [at("", "wrong-type")]);
}

#[test]
fn every_code_is_explained_once() {
    let codes = broadside_rules::illegal::CODES;
    for (index, entry) in codes.iter().enumerate() {
        assert!(codes[..index].iter().all(|other| other.code != entry.code), "{} is listed twice", entry.code);
        assert!(!entry.title.is_empty() && !entry.meaning.is_empty() && !entry.what_to_do.is_empty());
    }
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[A-Ja-z0-9-]{0,12}".prop_map(Value::from),
        prop_oneof![Just("fire"), Just("deploy"), Just("relocate"), Just("per-move"), Just("bank"), Just("carrier")]
            .prop_map(Value::from),
        prop::sample::select(vec!["orders", "opening-shot", "move", "iowa", "NE", "A1", "AA1", "interleaved"])
            .prop_map(Value::from),
        prop::sample::select(vec!["move", "charge", "torpedo", "end-turn", "heavy", "row-1", "14@200", "14", "port"])
            .prop_map(Value::from),
    ];
    let keys = prop_oneof![
        Just("type".to_owned()),
        Just("cells".to_owned()),
        Just("ships".to_owned()),
        Just("ship".to_owned()),
        Just("auto".to_owned()),
        Just("kind".to_owned()),
        Just("board".to_owned()),
        Just("orders".to_owned()),
        Just("order".to_owned()),
        Just("steps".to_owned()),
        Just("cell".to_owned()),
        Just("deployment".to_owned()),
        Just("rounds".to_owned()),
        Just("submarines".to_owned()),
        Just("mine".to_owned()),
        Just("path".to_owned()),
        Just("depth".to_owned()),
        Just("target".to_owned()),
        Just("line".to_owned()),
        Just("arrows".to_owned()),
        Just("torpedo_hits".to_owned()),
        Just("fleet".to_owned()),
        Just("victory".to_owned()),
        Just("move_s".to_owned()),
        "[a-z_/~]{0,8}",
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(keys.clone(), inner, 0..6).prop_map(|map| map.into_iter().collect()),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_bytes_panic_the_log(bytes in prop::collection::vec(any::<u8>(), 0..80), version in 0u8..3) {
        let mut headed = vec![version];
        headed.extend(&bytes);
        for bytes in [&bytes, &headed] {
            if let Ok(entry) = Entry::from_bytes(bytes) {
                prop_assert_eq!(Entry::from_bytes(&entry.to_bytes()), Ok(entry));
            }
        }
    }

    #[test]
    fn damaged_entries_panic_nothing(seed in 0u64..40, at in 0usize..400, flip in 1u8.., family in 0usize..3) {
        let mut game = Game::of(["admiralty", "depths", "salvos"][family], seed % 4);
        for _ in 0..seed {
            let Some((seat, decision)) = game.required() else { break };
            game.act(seat, &decision.example()).expect("legal");
        }
        // Damage one byte of each entry, and fold what still reads and fits: nothing may panic.
        let mut battle = broadside_rules::Battle::new(game.setup.clone());
        let mut views = VIEWERS.map(|viewer| View::new(&game.setup, viewer));
        for bytes in &game.log {
            let mut bytes = bytes.clone();
            let length = bytes.len();
            bytes[at % length] ^= flip;
            let Ok(entry) = Entry::from_bytes(&bytes) else { continue };
            for event in entry.events.iter().filter(|event| event.fits(&game.setup)) {
                battle.apply(event, entry.at);
                for (view, viewer) in views.iter_mut().zip(VIEWERS) {
                    if let Some(report) = broadside_rules::disclose(&game.setup, event, viewer) {
                        view.learn(&report, entry.at);
                    }
                    shown(view);
                }
            }
        }
    }

    #[test]
    fn no_json_panics_a_parser(value in json_value()) {
        for variant in variants() {
            let setup = Setup::new(variant.rule_set(), Clock::none());
            if let Err(illegal) = Action::parse(&setup, &value) {
                prop_assert!(broadside_rules::illegal::find(illegal.code).is_some(), "{} is not explained", illegal.code);
            }
            if let Err(faults) = RuleSet::customised(variant, &value) {
                prop_assert!(!faults.is_empty());
                for fault in faults {
                    prop_assert!(broadside_rules::illegal::find(fault.code).is_some(), "{} is not explained", fault.code);
                }
            }
        }
        if let Err(faults) = Clock::parse(&value) {
            prop_assert!(faults.iter().all(|fault| broadside_rules::illegal::find(fault.code).is_some()));
        }
    }
}
