//! Every wrong request of a player of the family `depths`: each refusal by its code and its place, with nothing
//! changed; and every fault of a rule set.
#![allow(clippy::panic, clippy::expect_used, reason = "a test may stop")]
#[path = "depths/moves.rs"]
mod moves;
mod support;

use broadside_rules::{Clock, RuleSet, Setup, Variant};
use moves::{FAR, RED, YELLOW, charge, end, game, is, plays, sail, torpedo};
use serde_json::{Value, json};
use support::{Game, dice};

#[test]
fn every_wrong_deployment_is_named() {
    let rules = Variant::find("depths").expect("a variant").rule_set();
    let mut game = Game::open(Setup::new(rules, Clock::none()), dice(3));
    let deploy =
        |submarines: &[&str], mine: &str| json!({"type": "depths-deploy", "submarines": submarines, "mine": mine});
    let mut no = |action: Value, expected: &[(&str, &str)]| is(&mut game, RED, action, expected);
    no(deploy(&["1@100", "1@100", "2@100"], "3"), &[("/submarines/1", "duplicate-cell")]);
    no(deploy(&["14@300", "14@200", "2@100"], "14"), &[("/mine", "mine-under-submarine")]);
    no(deploy(&["1@100", "1@200"], "3"), &[("/submarines", "ship-missing")]);
    no(deploy(&["1@100", "1@200", "1@300", "2@100"], "3"), &[("/submarines", "out-of-range")]);
    no(
        deploy(&["37@100", "1@400", "1"], "0"),
        &[
            ("/submarines/0", "unknown-cell"),
            ("/submarines/1", "unknown-cell"),
            ("/submarines/2", "unknown-cell"),
            ("/mine", "unknown-cell"),
        ],
    );
    no(
        deploy(&["1@100", "1@100", "14@200"], "14"),
        &[("/submarines/1", "duplicate-cell"), ("/mine", "mine-under-submarine")],
    );
    no(
        deploy(&["01@100", "1@0100", "+1@100"], "3@100"),
        &[
            ("/submarines/0", "unknown-cell"),
            ("/submarines/1", "unknown-cell"),
            ("/submarines/2", "unknown-cell"),
            ("/mine", "unknown-cell"),
        ],
    );
    no(
        json!({"type": "depths-deploy", "submarines": [1, null, {}], "mine": 3, "colour": "red"}),
        &[
            ("/colour", "unknown-field"),
            ("/submarines/0", "unknown-cell"),
            ("/submarines/1", "unknown-cell"),
            ("/submarines/2", "unknown-cell"),
            ("/mine", "wrong-type"),
        ],
    );
    no(json!({"type": "depths-deploy"}), &[("/submarines", "missing-field"), ("/mine", "missing-field")]);
    no(sail("heavy", &["12"]), &[("", "wrong-phase")]);
    no(end(), &[("", "wrong-phase")]);
    game.play(RED, &deploy(&["1@100", "1@200", "1@300"], "36")).expect("one above another is allowed");
    is(&mut game, RED, deploy(&["1@100", "1@200", "1@300"], "36"), &[("", "already-deployed")]);
    is(&mut game, RED, json!({"type": "deploy-auto"}), &[("", "already-deployed")]);
    is(&mut game, RED, sail("heavy", &["12"]), &[("", "wrong-phase")]);
}

#[test]
fn every_wrong_move_is_named() {
    let mut game = game("depths", json!({}), FAR, FAR);
    is(&mut game, YELLOW, sail("heavy", &["12"]), &[("", "not-your-turn")]);
    let mut no = |action: Value, expected: &[(&str, &str)]| is(&mut game, RED, action, expected);
    no(end(), &[("", "nothing-done")]);
    no(sail("heavy", &[]), &[("/path", "path-broken")]);
    no(sail("heavy", &["11"]), &[("/path/0", "path-broken")]);
    no(sail("heavy", &["6"]), &[("/path/0", "path-broken")]);
    no(sail("heavy", &["port"]), &[("/path/0", "path-broken")]);
    no(sail("heavy", &["12", "port", "24"]), &[("/path/2", "path-broken")]);
    no(sail("heavy", &["12", "12"]), &[("/path/1", "path-broken")]);
    no(sail("heavy", &["12", "11", "10", "9"]), &[("/path", "path-too-long")]);
    no(sail("heavy", &["12", "10", "9", "8"]), &[("/path", "path-too-long"), ("/path/1", "path-broken")]);
    no(
        sail("heavy", &["37", "0", "harbour"]),
        &[("/path/0", "unknown-cell"), ("/path/1", "unknown-cell"), ("/path/2", "unknown-cell")],
    );
    no(sail("heavy", &["12@100"]), &[("/path/0", "unknown-cell")]);
    no(sail("submarine-1", &["12"]), &[("/ship", "unknown-ship")]);
    no(json!({"type": "move", "ship": 1, "path": "12"}), &[("/ship", "wrong-type"), ("/path", "wrong-type")]);
    no(json!({"type": "move"}), &[("/ship", "missing-field"), ("/path", "missing-field")]);
    no(json!({"type": "sail", "ship": "heavy"}), &[("/type", "unknown-action")]);
    plays(&mut game, RED, &[sail("heavy", &["12"])]);
    is(&mut game, RED, sail("heavy", &["11"]), &[("", "already-moved")]);
    is(&mut game, RED, sail("light", &["30"]), &[("", "already-moved")]);
    plays(&mut game, RED, &[end()]);
    plays(&mut game, YELLOW, &[sail("heavy", &["12"]), end()]);
    // Own ships are in the way, at the end of a path and along it; enemy ships sail elsewhere.
    is(&mut game, RED, sail("light", &["12"]), &[("/path/0", "path-blocked")]);
    is(&mut game, RED, sail("light", &["12", "11"]), &[("/path/0", "path-blocked")]);
    // A way may lead back to its start.
    plays(&mut game, RED, &[sail("heavy", &["11", "12"])]);
}

#[test]
fn every_wrong_charge_and_torpedo_is_named() {
    let rules = json!({"torpedo_hits": {"hits": 0, "of": 3}});
    let mut game = game("depths", rules, FAR, (&["8@100", "10@300", "36@200"], "1"));
    is(&mut game, RED, charge("heavy", 100), &[("/ship", "ship-in-port")]);
    is(&mut game, RED, charge("heavy", 150), &[("/depth", "out-of-range")]);
    is(&mut game, RED, charge("submarine-1", 400), &[("/ship", "unknown-ship"), ("/depth", "out-of-range")]);
    is(&mut game, RED, json!({"type": "charge", "ship": "heavy", "depth": "100"}), &[("/depth", "wrong-type")]);
    is(&mut game, RED, torpedo("heavy", "row-6"), &[("/target", "ship-in-port")]);
    plays(&mut game, RED, &[sail("heavy", &["12", "11", "10"])]);
    is(&mut game, RED, charge("light", 100), &[("/ship", "wrong-ship")]);
    plays(&mut game, RED, &[charge("heavy", 100)]);
    is(&mut game, RED, charge("heavy", 100), &[("", "already-charged")]);
    plays(&mut game, RED, &[end()]);
    let mut no = |action: Value, expected: &[(&str, &str)]| is(&mut game, YELLOW, action, expected);
    no(torpedo("heavy", "row-7"), &[("/line", "unknown-line")]);
    no(torpedo("heavy", "1-36"), &[("/line", "unknown-line")]);
    no(torpedo("heavy", "row-02"), &[("/line", "unknown-line")]);
    no(torpedo("submarine-1", "row-2"), &[("/target", "unknown-ship")]);
    // 36@200 lies in row 6, without the heavy ship; the ship is not in row 3 either, which has no submarine.
    no(torpedo("heavy", "row-6"), &[("/line", "not-on-line")]);
    no(torpedo("heavy", "row-3"), &[("/line", "not-on-line"), ("/line", "not-on-line")]);
    no(torpedo("medium", "row-2"), &[("/target", "ship-in-port")]);
    // Two submarines lie in row 2: each fires once, one of them stands in column 4 too.
    plays(&mut game, YELLOW, &[torpedo("heavy", "row-2")]);
    let mut no = |action: Value, expected: &[(&str, &str)]| is(&mut game, YELLOW, action, expected);
    no(torpedo("heavy", "column-4"), &[("/line", "line-changed")]);
    no(sail("heavy", &["12"]), &[("", "already-moved")]);
    no(charge("heavy", 100), &[("", "already-charged")]);
    plays(&mut game, YELLOW, &[torpedo("heavy", "row-2")]);
    is(&mut game, YELLOW, torpedo("heavy", "row-2"), &[("/line", "no-submarine-left")]);
    plays(&mut game, YELLOW, &[end()]);
    // In the next turn they fire again, possibly along another line.
    plays(&mut game, RED, &[sail("heavy", &["11", "10"]), end()]);
    plays(&mut game, YELLOW, &[torpedo("heavy", "column-4")]);
    is(&mut game, YELLOW, torpedo("heavy", "column-4"), &[("/line", "no-submarine-left")]);
}

#[test]
fn a_wrong_rule_set_names_every_fault() {
    let is = |changes: Value, expected: &[(&str, &str)]| {
        let base = Variant::find("depths-blast").expect("a variant");
        let faults = RuleSet::customised(base, &changes).expect_err("refused");
        let found: Vec<(&str, &str)> = faults.iter().map(|fault| (fault.pointer.as_str(), fault.code)).collect();
        assert_eq!(found, expected, "{changes}");
    };
    is(json!([]), &[("", "wrong-type")]);
    is(
        json!({"family": "gunnery", "charge": "wide", "arrows": [6, 7, "12", 6], "lines": 1, "torpedo_hits": {"hits": 4, "of": 3},
               "turns": 49, "first": "youngest", "depth": 100}),
        &[
            ("/depth", "unknown-field"),
            ("/family", "unknown-value"),
            ("/charge", "unknown-value"),
            ("/arrows/1", "out-of-range"),
            ("/arrows/2", "wrong-type"),
            ("/arrows/3", "duplicate-cell"),
            ("/lines", "wrong-type"),
            ("/torpedo_hits/hits", "conflicting-fields"),
            ("/turns", "out-of-range"),
            ("/first", "unknown-value"),
        ],
    );
    is(json!({"arrows": []}), &[("/arrows", "out-of-range")]);
    is(json!({"arrows": [6, 12, 18, 24, 30, 36, 6]}), &[("/arrows", "out-of-range")]);
    is(json!({"arrows": [0]}), &[("/arrows/0", "out-of-range")]);
    is(json!({"arrows": [42]}), &[("/arrows/0", "out-of-range")]);
    is(json!({"torpedo_hits": {"of": 0}}), &[("/torpedo_hits/of", "out-of-range")]);
    is(json!({"torpedo_hits": {"of": 37}}), &[("/torpedo_hits/of", "out-of-range")]);
    is(json!({"torpedo_hits": {"hits": -1}}), &[("/torpedo_hits/hits", "out-of-range")]);
    is(json!({"turns": 501}), &[("/turns", "out-of-range")]);
    is(
        json!({"rows": 4, "columns": 13, "torpedoes": "two", "after_mine": "none", "without_move": "nothing"}),
        &[
            ("/rows", "out-of-range"),
            ("/columns", "out-of-range"),
            ("/torpedoes", "unknown-value"),
            ("/after_mine", "unknown-value"),
            ("/without_move", "unknown-value"),
        ],
    );
    is(json!({"rows": 8, "columns": 11}), &[("/rows", "out-of-range")]);
    is(json!({"columns": 7, "arrows": [7, 12]}), &[("/arrows/1", "out-of-range")]);
    for both_ends in [
        json!({"rows": 12, "columns": 7}),
        json!({"rows": 7, "columns": 12, "arrows": [12, 24, 36, 48, 60, 72, 84], "lines": "straight-and-diagonal"}),
        json!({"rows": 5, "columns": 5, "arrows": [25]}),
        json!({"turns": 50, "arrows": [36], "torpedo_hits": {"hits": 0, "of": 1}}),
        json!({"turns": 500, "arrows": [36, 6, 12, 18, 24, 30], "torpedo_hits": {"hits": 36, "of": 36}}),
    ] {
        assert!(RuleSet::customised(Variant::find("depths").expect("a variant"), &both_ends).is_ok(), "{both_ends}");
    }
}
