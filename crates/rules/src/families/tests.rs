//! A test-only family, driven through everything that all families share; and the effect of additions to a family.
#![allow(clippy::expect_used, reason = "a test may stop")]
use alloc::{string::ToString, vec, vec::Vec};

use serde_json::{Value, json};

use super::toy;
use crate::{
    Action, Battle, Chance, Clock, Dice, Entry, Event, Report, RuleSet, Seat, Setup, Status, Time, Variant, View,
    Viewer, disclose, legal,
};

fn toy() -> &'static Variant {
    Variant::find("toy").expect("the toy is in the list")
}

/// A match of the toy at a table like any other's.
struct Match {
    setup: Setup,
    battle: Battle,
    chance: Chance,
    views: Vec<View>,
    reports: Vec<Vec<Report>>,
    log: Vec<Entry>,
    dice: Dice,
}

impl Match {
    fn open(rules: RuleSet) -> Self {
        let setup = Setup::new(rules, Clock::none());
        let viewers = [Viewer::Seat(Seat(0)), Viewer::Seat(Seat(1)), Viewer::Spectator];
        let chance = Chance::new(&[1; 32], &[None, None]);
        let mut game = Self {
            battle: Battle::new(setup.clone()),
            views: viewers.map(|viewer| View::new(&setup, viewer)).into(),
            reports: vec![Vec::new(); 3],
            log: Vec::new(),
            dice: Dice::from_seed([2; 32]),
            chance,
            setup,
        };
        let opened = Battle::open(&game.setup, &game.chance);
        game.take(None, opened);
        game
    }

    fn take(&mut self, seat: Option<Seat>, events: Vec<Event>) {
        let at = Time(0);
        let entry = Entry { at, seat, events };
        let entry = Entry::from_bytes(&entry.to_bytes()).expect("an entry reads back");
        for event in &entry.events {
            assert!(event.fits(&self.setup));
            self.battle.apply(event, at);
            for (view, reports) in self.views.iter_mut().zip(&mut self.reports) {
                let report = disclose(&self.setup, event, view.viewer()).expect("all are told");
                let report = report.stamped(view.version() + 1, at);
                view.learn(&report, at);
                reports.push(report);
            }
        }
        self.log.push(entry);
    }

    fn play_out(&mut self) {
        while let Some(seat) = self.battle.to_act().iter().next() {
            let action = self.views[seat.index()].decisions([3; 32]).remove(0).example();
            let sent = serde_json::to_value(&action).expect("JSON");
            let action = Action::parse(&self.setup, &sent).expect("an example reads back");
            assert_eq!(legal(&self.views[seat.index()], &action), Ok(()));
            assert!(legal(&self.views[seat.other().index()], &json_guess(&self.setup)).is_err() || self.log.len() < 3);
            let events = self.battle.decide(seat, &action, &mut self.dice, &self.chance);
            #[cfg(feature = "proof")]
            let events = crate::proof::seal(&self.setup, events, &mut self.dice);
            self.take(Some(seat), events);
        }
    }
}

fn json_guess(setup: &Setup) -> Action {
    Action::parse(setup, &json!({"type": "guess", "cell": 1})).expect("reads")
}

#[test]
fn a_new_family_is_played_like_any_other() {
    let mut game = Match::open(toy().rule_set());
    game.play_out();
    assert_eq!(game.battle.status(), Status::Finished);
    let told = serde_json::to_value(&game.reports).expect("JSON");
    let hidden = |viewer: usize| {
        let all = told[viewer].as_array().expect("reports").iter();
        all.filter(|report| report["type"] == "hidden" && !report["cell"].is_null()).count()
    };
    assert_eq!([hidden(0), hidden(1), hidden(2)], [1, 1, 0], "each sees its own cell, a spectator none");
    assert!(game.views.iter().all(|view| view.result() == game.battle.outcome()));
    let name = |_: Seat| "somebody";
    assert!(game.reports[2].iter().all(|report| !report.line(&game.setup, &name).is_empty()));
}

#[test]
fn an_added_parameter_changes_no_stored_rule_set() {
    let before = json!({"family": "toy", "cells": 5});
    let rules: RuleSet = serde_json::from_value(before.clone()).expect("a rule set from before reads");
    assert_eq!(rules, toy().rule_set());
    assert_eq!(serde_json::to_value(&rules).expect("JSON"), before, "and is written, and hashed, as it was");
    let mut whole = before.clone();
    whole["hints"] = json!(false);
    assert_eq!(serde_json::from_value::<RuleSet>(whole).expect("a request may say it"), rules);
    let hinting = RuleSet::customised(toy(), &json!({"hints": true})).expect("a rule set");
    assert_eq!(serde_json::to_value(&hinting).expect("JSON")["hints"], true, "another value is written");
}

#[test]
fn unknown_parameters_are_refused_by_name() {
    let faults = RuleSet::customised(toy(), &json!({"wind": 3})).expect_err("in a request");
    assert_eq!((faults[0].pointer.as_str(), faults[0].code), ("/wind", "unknown-field"));
    let stored = serde_json::from_value::<RuleSet>(json!({"family": "toy", "cells": 5, "wind": 3}));
    assert!(stored.expect_err("in what is stored").to_string().contains("/wind"));
    let missing = serde_json::from_value::<RuleSet>(json!({"family": "toy"})).expect_err("no default");
    assert!(missing.to_string().contains("/cells"));
}

#[test]
fn families_have_one_name() {
    for variant in crate::variants() {
        let written = serde_json::to_value(variant.rule_set()).expect("JSON");
        assert_eq!(written["family"], serde_json::to_value(variant.family).expect("JSON"), "{}", variant.id);
        assert_eq!(variant.family, variant.rule_set().family());
        assert_eq!(serde_json::from_value::<RuleSet>(written).expect("reads back"), variant.rule_set());
    }
}

#[test]
fn every_rule_set_shows_what_was_added_after_it_alone() {
    use super::added::{Added, Before, filled_in, leave_out};
    let added = [
        Added { path: &["salvo", "spread"], before: Before::Number(0) },
        Added { path: &["fleet", "*", "armour"], before: Before::Named("none") },
    ];
    for variant in crate::variants() {
        let rules = serde_json::to_value(variant.rule_set()).expect("JSON");
        let mut whole = filled_in(&added, &rules);
        let ships = rules["fleet"].as_array().map_or(0, Vec::len);
        assert_eq!(whole.to_string().matches(r#""armour":"none""#).count(), ships, "in each element");
        assert_eq!(whole["salvo"]["spread"].is_number(), rules["salvo"].is_object());
        leave_out(&added, &mut whole);
        assert_eq!(whole, rules);
        // Another value stays.
        if let Value::Object(_) = rules["salvo"] {
            whole["salvo"]["spread"] = json!(2);
            leave_out(&added, &mut whole);
            assert_eq!(whole["salvo"]["spread"], 2);
        }
    }
}

#[cfg(feature = "proof")]
#[test]
fn an_added_field_of_a_report_changes_no_record() {
    use crate::{
        record::{self, Format, Header, HeaderSeat, PublicKey},
        text::Digest,
    };
    use ed25519_dalek::{Signer, SigningKey};
    let rules = RuleSet::customised(toy(), &json!({"hints": true})).expect("a rule set");
    let mut game = Match::open(rules.clone());
    game.play_out();
    let live = serde_json::to_value(&game.reports[2]).expect("JSON");
    assert!(live.to_string().contains(r#""hint":"#), "the live reports have the new field");
    let key = SigningKey::from_bytes(&[7; 32]);
    let public = key.verifying_key().to_bytes();
    let player =
        |seat: u8| HeaderSeat { seat: Seat(seat), player: seat.to_string(), bot: false, wish: None, nonce: None };
    let header = Header {
        match_id: "m".into(),
        variant: "toy".into(),
        rule_set_hash: Digest::of(&crate::proof::hash(&[], &rules)),
        rule_set: rules,
        clock: Clock::none(),
        rated: false,
        seats: vec![player(0), player(1)],
        chance_commitment: Digest::of(&Chance::commitment(&[1; 32])),
        key_id: PublicKey::of(&public).thumbprint(),
        created_at: Time(0),
    };
    let sign = |message: &[u8]| key.sign(message).to_bytes();
    let format = Format::CURRENT;
    let made = record::assemble(format, &header, &game.setup, &game.log, &[1; 32], Viewer::Spectator, &public, sign);
    let written = serde_json::to_value(&made).expect("JSON");
    assert!(!written.to_string().contains(r#""hint":"#), "a record that does not list it does not");
    let verified = record::verify(&written.to_string()).unwrap_or_else(|wrongs| panic!("{}", wrongs[0]));
    assert_eq!((verified.whole, verified.format, verified.opened), (true, format, 2));
    // A new field in the record, or an unknown format, is detected.
    let mut forged = written.clone();
    let at = forged["reports"].as_array().expect("reports").iter().position(|report| report["type"] == "guessed");
    forged["reports"][at.expect("a guess")]["hint"] = json!(true);
    assert!(record::verify(&forged.to_string()).is_err());
    let mut unknown = written;
    let beyond = Format::CURRENT.number() + 1;
    unknown["version"] = json!(beyond);
    let wrongs = record::verify(&unknown.to_string()).expect_err("an unknown format");
    assert_eq!((wrongs[0].pointer.as_str(), wrongs[0].code), ("/version", "record-unknown-version"));
    assert!(wrongs[0].detail.contains(&beyond.to_string()));
}

#[test]
fn entries_are_read_though_events_have_got_fields() {
    // The old form, [1, seat, cell, hit], without the fourth field for the neighbouring cell.
    #[derive(minicbor::Encode)]
    #[cbor(flat)]
    enum Before {
        #[n(1)]
        Guessed(#[n(0)] u8, #[n(1)] u8, #[n(2)] bool),
    }
    #[derive(minicbor::Decode, PartialEq, Debug)]
    #[cbor(flat)]
    enum After {
        #[n(1)]
        Guessed(
            #[n(0)] u8,
            #[n(1)] u8,
            #[n(2)] bool,
            #[n(3)]
            #[cbor(default)]
            bool,
        ),
    }
    let mut bytes = Vec::new();
    minicbor::encode(Before::Guessed(1, 4, true), &mut bytes).expect("a Vec takes it");
    assert_eq!(minicbor::decode::<After>(&bytes).expect("reads"), After::Guessed(1, 4, true, false));
    let _ = toy::Toy;
}
