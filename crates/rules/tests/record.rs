//! Records: those of the rules verify, whole and in part, and the alteration of any single place is found and named.
#![allow(clippy::disallowed_methods, reason = "a test measures time and starts programs")]
#![allow(clippy::expect_used, reason = "a test may stop")]
#[path = "record/hands.rs"]
mod hands;
mod support;

use broadside_rules::{
    Clock, First, Nonce, RuleSet, Seat, Setup, Variant, Viewer,
    proof::{Chain, commitment},
    record::{self, Format, Header, Record},
    text::Digest,
    variants,
};
use ed25519_dalek::Signer;
use hands::*;
use serde_json::{Value, json};
use sha2::Digest as _;
use support::{Game, dice, random_depths, random_salvos, viewers};

/// A match of every variant with the fewest and with the most seats, played to its end.
fn whole_matches() -> impl Iterator<Item = (&'static str, Game)> {
    variants().iter().flat_map(|variant| {
        let (least, most) = variant.rule_set().seats();
        let seats = if least == most { vec![least] } else { vec![least, most] };
        seats.into_iter().map(move |seats| {
            let mut setup = Setup::new(variant.rule_set(), Clock::per_move(600));
            setup.seats = seats;
            let mut game = Game::open_with(
                setup,
                dice(u64::from(seats) + 40),
                vec![Nonce::new("salt & pepper"); usize::from(seats)],
            );
            play(&mut game, usize::MAX);
            (variant.id, game)
        })
    })
}

#[test]
fn so_it_does_under_random_rule_sets() {
    let mut dice = dice(21);
    for seed in 0..24 {
        let rules = if seed % 3 == 0 { random_depths(&mut dice) } else { random_salvos(&mut dice) };
        let (least, most) = rules.seats();
        let mut setup = Setup::new(rules, Clock::per_move(600));
        setup.seats = least + dice.below(u32::from(most - least) + 1) as u8;
        let mut game = Game::open(setup, support::dice(seed));
        // In every other match the last seat is the only one that has not deployed, and leaves.
        let before = usize::from(game.setup.seats) - 1;
        play(&mut game, before);
        if seed % 2 == 0
            && let Some(last) = game.battle.to_act().iter().next()
        {
            game.play(last, &json!({"type": "resign"})).expect("resigned");
        }
        play(&mut game, usize::MAX);
        let text = serde_json::to_string(&record(&game, Viewer::Spectator)).expect("JSON");
        let rules = serde_json::to_string(&*game.setup.rules).expect("JSON");
        let verified = record::verify(&text).unwrap_or_else(|wrongs| panic!("{rules}: {}", wrongs[0]));
        assert!(verified.whole, "{rules}");
    }
}

#[test]
fn what_the_rules_brought_about_verifies() {
    for (variant, game) in whole_matches() {
        let record = record(&game, Viewer::Spectator);
        assert!(record.whole && record.seed.is_some());
        let text = serde_json::to_string(&record).expect("JSON");
        let verified = record::verify(&text).unwrap_or_else(|wrongs| panic!("{variant}: {}", wrongs[0]));
        assert!(verified.whole);
        assert_eq!(verified.reports, game.reports.last().expect("a spectator").len());
        assert!(verified.opened >= usize::from(game.setup.seats), "{variant}: every deployment is opened");
        // After the end everybody has the same record, and its head is that of the live match's chain.
        for viewer in viewers(game.setup.seats) {
            assert_eq!(written(&record_for(&game, viewer)), written(&record));
        }
        let mut chain = Chain::new(Format::CURRENT, &header(&game));
        game.reports.last().expect("a spectator").iter().for_each(|report| chain.add(report));
        assert_eq!(record.links.last(), Some(&Digest::of(&chain.head)));
        let words = record::text(&header(&game), &game.setup, &game.entries(), Viewer::Spectator, &[]);
        assert!(words.lines().count() > 6 && words.lines().all(|line| !line.is_empty()), "{words}");
    }
}

fn record_for(game: &Game, viewer: Viewer) -> Record {
    record(game, viewer)
}

#[test]
fn while_a_match_lasts_its_record_shows_the_viewers_own_secrets_alone() {
    for variant in variants() {
        let seats = variant.rule_set().seats().1;
        let mut setup = Setup::new(variant.rule_set(), Clock::none());
        setup.seats = seats;
        let mut game = Game::open(setup, dice(3));
        for _ in 0..8 {
            play(&mut game, 1);
            for viewer in viewers(seats) {
                let record = record(&game, viewer);
                assert!(!record.whole && record.seed.is_none());
                assert!(record.log.iter().all(|line| line.salt.is_some() && line.seat == viewer.seat()));
                let text = serde_json::to_string(&record).expect("JSON");
                let verified = record::verify(&text).unwrap_or_else(|wrongs| panic!("{}: {}", variant.id, wrongs[0]));
                assert_eq!(verified.opened, record.log.len());
            }
        }
    }
}

#[test]
fn resigned_timed_out_and_called_off_matches_verify() {
    for variant in variants() {
        for (how, whole) in [("resign", true), ("time", true), ("abort", false)] {
            let mut game = Game::with(variant.rule_set(), Clock::per_move(60), 5);
            play(&mut game, if whole { 6 } else { 1 });
            if whole {
                // An armistice on the way, ended by both.
                game.play(Seat(0), &json!({"type": "call-armistice"})).expect("possible");
                for seat in [Seat(0), Seat(1)] {
                    game.play(seat, &json!({"type": "end-armistice"})).expect("possible");
                }
            }
            let seat = game.battle.to_act().iter().next().expect("somebody must act");
            if how == "time" {
                game.now = game.battle.deadline().expect("a limit");
                game.expire();
            } else {
                game.play(seat, &json!({"type": how})).expect("possible");
            }
            assert!(game.battle.status().is_over());
            let record = record(&game, Viewer::Spectator);
            assert_eq!(record.whole, whole, "{}: {how}", variant.id);
            let verified = record::verify(&serde_json::to_string(&record).expect("JSON"));
            assert!(verified.is_ok(), "{}: {how}: {}", variant.id, verified.expect_err("wrong")[0]);
        }
    }
}

#[test]
fn adjudicated_matches_verify_wherever_they_were_ended() {
    for variant in variants() {
        for after in [0, 1, 6] {
            for result in [Some(Some(Seat(0))), Some(Some(Seat(1))), Some(None), None] {
                let mut game = Game::with(variant.rule_set(), Clock::per_move(60), 5);
                play(&mut game, after);
                assert!(game.adjudicate(result) > 1);
                let record = record(&game, Viewer::Spectator);
                assert_eq!(record.whole, result.is_some());
                let verified = record::verify(&serde_json::to_string(&record).expect("JSON"));
                assert!(verified.is_ok(), "{}: {result:?}: {}", variant.id, verified.expect_err("wrong")[0]);
            }
        }
    }
}

#[test]
fn who_was_adjudicated_the_winner_cannot_be_changed_afterwards() {
    let mut game = Game::with(Variant::find("classic").expect("a variant").rule_set(), Clock::per_move(60), 5);
    play(&mut game, 6);
    game.adjudicate(Some(Some(Seat(0))));
    let good = written(&record(&game, Viewer::Spectator));
    let last = good["log"].as_array().expect("a log").len() - 1;
    assert_eq!(good["log"][last]["adjudicated"], json!({ "winner": 0 }));
    for other in [json!({ "winner": 1 }), json!({ "winner": null }), json!({ "winner": 2 }), json!({}), Value::Null] {
        let mut bad = good.clone();
        bad["log"][last]["adjudicated"] = other.clone();
        assert!(record::verify(&bad.to_string()).is_err(), "{other}");
    }
    // Nor can played matches pass as adjudicated, or the other way round.
    let mut bad = good.clone();
    bad["log"][last - 1]["adjudicated"] = json!({ "winner": 0 });
    assert!(record::verify(&bad.to_string()).is_err());
}

#[test]
fn a_record_altered_in_any_single_place_fails_and_says_where() {
    let alterations: usize =
        std::env::var("BROADSIDE_ALTERATIONS").ok().and_then(|number| number.parse().ok()).unwrap_or(60);
    let rested = ["classic-salvo", "depths"].map(|variant| ("rested", rested_match(variant)));
    for (variant, game) in whole_matches().chain(rested) {
        let good = written(&record(&game, Viewer::Spectator));
        let mut all = Vec::new();
        places(&good, "", &mut all);
        let mut dice = dice(99);
        let (mut made, mut named) = (0, 0);
        while made < alterations {
            // Reports and the log are by far the most: the small parts get their share.
            let few: Vec<&String> = all
                .iter()
                .filter(|at| !at.starts_with("/reports/") && !at.starts_with("/log/") && !at.starts_with("/links/"))
                .collect();
            let place = if dice.below(3) == 0 {
                few[dice.index(few.len())].clone()
            } else {
                all[dice.index(all.len())].clone()
            };
            let mut bad = good.clone();
            alter(bad.pointer_mut(&place).expect("a place"), &mut dice);
            if bad == good {
                continue;
            }
            made += 1;
            let wrongs = match record::verify(&bad.to_string()) {
                Ok(_) => panic!(
                    "{variant}: altered at {place}, and nobody noticed: {}",
                    bad.pointer(&place).expect("a place")
                ),
                Err(wrongs) => wrongs,
            };
            // The part is always named; mostly the very place, or its line.
            let part = |at: &str| at.split('/').take(3).collect::<Vec<_>>().join("/");
            let same = wrongs.iter().any(|wrong| {
                part(&wrong.pointer) == part(&place)
                    || wrong.pointer.is_empty()
                    || place.starts_with(&wrong.pointer)
                    || wrong.pointer.starts_with(&place)
                    // Another known format: the signature is not one of that format.
                    || place == "/version" && wrong.pointer == "/signature/value"
            });
            assert!(
                same,
                "{variant}: altered at {place}; named are {:?}",
                wrongs.iter().map(ToString::to_string).collect::<Vec<_>>()
            );
            named += 1;
            assert!(wrongs.iter().all(|wrong| !wrong.detail.is_empty() && !wrong.code.is_empty()));
        }
        assert_eq!(named, made, "{variant}: the place is named");
    }
}

#[test]
fn what_is_no_record_is_refused_with_its_reason() {
    let game = Game::of("classic", 1);
    let text = serde_json::to_string(&record(&game, Viewer::Spectator)).expect("JSON");
    let code = |text: &str| record::verify(text).expect_err("no record")[0].code;
    assert_eq!(code(""), "record-truncated");
    assert_eq!(code(&text[..text.len() / 2]), "record-truncated");
    assert_eq!(code("red fires H10: miss"), "record-not-json");
    assert_eq!(code("[]"), "record-malformed");
    assert_eq!(code("{}"), "record-malformed");
    assert_eq!(code(&text.replacen('{', "{\"whole\":true,", 1)), "record-not-json", "the same name twice");
    assert_eq!(code(&text.replacen("\"version\":1", "\"version\":2", 1)), "record-unknown-version");
    assert_eq!(code(&"[".repeat(100_000)), "record-not-json", "nothing is nested so deep");
}

#[test]
fn commitments_say_nothing_about_what_they_hide() {
    // The salt is drawn before and beside the secret: two secrets get the same salts from the same dice.
    let deploy = |seed: u64, changed: bool| {
        let mut game = Game::of("classic", seed);
        let (seat, decision) = game.required().expect("a deployment");
        let mut action = serde_json::to_value(decision.example()).expect("JSON");
        if changed {
            action = json!({"type": "deploy", "ships": other_fleet()});
        }
        game.play(seat, &action).expect("legal");
        let sealed = game.reports[seat.index()].last().map(|report| serde_json::to_value(report).expect("JSON"));
        let sealed = sealed.expect("a commitment");
        let bytes = |field: &str| {
            Digest::new(sealed[field].as_str().expect("hex")).and_then(|hex| hex.bytes()).expect("32 bytes")
        };
        (bytes("commitment"), bytes("salt"))
    };
    let mut ones = [0_i32; 256];
    const GAMES: u64 = 400;
    for seed in 0..GAMES {
        let (a, salt) = deploy(seed, false);
        let (b, same_salt) = deploy(seed, true);
        assert_eq!(salt, same_salt);
        assert_ne!(a, b);
        // The two differ like two independent throws of 256 coins: in about half of their bits, whichever they are.
        for (bit, one) in ones.iter_mut().enumerate() {
            *one += i32::from((a[bit / 8] ^ b[bit / 8]) >> (bit % 8) & 1);
        }
    }
    // 400 coins each: the standard deviation is 10; beyond six of them would be one in five hundred million, for each
    // bit.
    assert!(ones.iter().all(|one| (one - 200).abs() < 60), "{ones:?}");
}

fn other_fleet() -> Value {
    let cells = |row: char, length: u32| (1..=length).map(|column| format!("{row}{column}")).collect::<Vec<_>>();
    json!([
        {"ship": "carrier", "cells": cells('A', 5)}, {"ship": "battleship", "cells": cells('C', 4)},
        {"ship": "cruiser", "cells": cells('E', 3)}, {"ship": "submarine", "cells": cells('G', 3)},
        {"ship": "destroyer", "cells": cells('I', 2)},
    ])
}

#[test]
fn a_commitment_is_the_hash_of_salt_and_canonical_json() {
    let setup = Setup::new(rules("classic"), Clock::none());
    let action = broadside_rules::Action::parse(&setup, &json!({"cells": ["B7"], "type": "fire"})).expect("reads");
    let by_hand = sha2::Sha256::digest([&[1; 32][..], br#"{"cells":["B7"],"type":"fire"}"#].concat());
    assert_eq!(commitment(&[1; 32], &action), <[u8; 32]>::from(by_hand));
}

#[test]
fn a_rated_match_may_say_who_begins_and_be_played_by_a_rule_set_with_a_name() {
    let verdict = |rules: RuleSet| {
        let mut game = Game::open(Setup::new(rules, Clock::per_move(600)), dice(1));
        play(&mut game, usize::MAX);
        let header = Header { rated: true, variant: "classic".into(), ..header(&game) };
        let record = record_under(header, &game, Viewer::Spectator);
        record::verify(&serde_json::to_string(&record).expect("JSON"))
            .map(drop)
            .map_err(|wrongs| wrongs[0].pointer.clone())
    };
    assert_eq!(verdict(rules("classic")), Ok(()));
    assert_eq!(verdict(rules("classic").begun_by(First::Opponent)), Ok(()), "as a ladder or a tournament has it");
    assert_eq!(verdict(rules("paper")), Ok(()), "a named rule set that started from another variant of the family");
    assert_eq!(verdict(rules("depths")), Err("/header/variant".into()));
}

#[test]
fn numbers_have_one_spelling() {
    let mut game = Game::of("classic", 1);
    play(&mut game, 3);
    let text = serde_json::to_string(&record(&game, Viewer::Spectator)).expect("JSON");
    assert!(record::verify(&text).is_ok());
    for other in ["1.0", "1e0", "10e-1", "-0", "9007199254740994"] {
        let bad = text.replacen("\"number\":1", &format!("\"number\":{other}"), 1);
        assert_eq!(record::verify(&bad).expect_err("another spelling")[0].code, "record-not-json", "{other}");
    }
}

#[test]
fn a_server_cannot_be_late_for_a_friend_nor_call_a_battle_off() {
    // A friend of the server moves a minute late, and the server accepts and signs it.
    let mut game = Game::with(rules("classic"), Clock::per_move(60), 5);
    play(&mut game, 4);
    game.now = game.battle.deadline().expect("a limit").plus_s(60);
    play(&mut game, usize::MAX);
    let wrongs =
        record::verify(&serde_json::to_string(&record(&game, Viewer::Spectator)).expect("JSON")).expect_err("late");
    assert!(wrongs[0].pointer.ends_with("/at") && wrongs[0].pointer.starts_with("/log/"), "{}", wrongs[0]);
    // A battle that has begun is aborted.
    let mut game = Game::of("classic", 5);
    play(&mut game, 6);
    game.force(broadside_rules::event::TableEvent::Aborted { seat: None }.into());
    let wrongs =
        record::verify(&serde_json::to_string(&record(&game, Viewer::Spectator)).expect("JSON")).expect_err("off");
    assert!(wrongs[0].pointer.starts_with("/reports/"), "{}", wrongs[0]);
}

#[test]
fn a_header_that_contradicts_itself_is_refused() {
    let mut game = Game::of("classic-salvo", 5);
    play(&mut game, usize::MAX);
    let refused = |change: &dyn Fn(&mut Header)| {
        let mut header = header(&game);
        change(&mut header);
        let key = key();
        let sign = |message: &[u8]| key.sign(message).to_bytes();
        let public = key.verifying_key().to_bytes();
        let (entries, viewer) = (game.entries(), Viewer::Spectator);
        let signed =
            record::assemble(Format::CURRENT, &header, &game.setup, &entries, &game.seed, viewer, &public, sign);
        record::verify(&serde_json::to_string(&signed).expect("JSON")).expect_err("refused")[0].pointer.clone()
    };
    assert_eq!(refused(&|header| header.variant = "depths".into()), "/header/variant");
    assert_eq!(refused(&|header| header.seats[1].player = header.seats[0].player.clone()), "/header/seats/1");
    assert_eq!(refused(&|header| header.created_at = header.created_at.plus_s(1)), "/log/0/at");
}
