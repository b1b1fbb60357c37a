//! Secrecy, by swapping secrets: at every step of random games, the hidden fleet is exchanged for another that the
//! viewer cannot tell from it by the reports (checked by a second judge), and everything that the viewer can get is
//! compared byte by byte: reports, seas, seats, clocks, decisions, counts, and the refusals of wrong actions.
//!
//! `BROADSIDE_SECRECY_GAMES` sets the number of games for each preset and viewer (default 6), `BROADSIDE_CASES` that of
//! mixes of all parameters for any number of seats (default 40). With each of seven leaks planted in the viewer's
//! answers, the same comparison must fail.
#![allow(clippy::disallowed_methods, reason = "a test measures time and starts programs")]
#![allow(clippy::panic, clippy::expect_used, reason = "a test may stop")]
mod support;
mod swap;

use std::{collections::BTreeMap, time::Instant};

use broadside_rules::{Clock, RuleSet, Setup, Variant, variants};
use serde_json::{Value, json};
use support::{VIEWERS, customised, dice, random_changes, random_depths, random_rules, random_salvos};
use swap::{Coverage, leak::Leak, run, run_with, setup};

fn games() -> u64 {
    std::env::var("BROADSIDE_SECRECY_GAMES").ok().and_then(|games| games.parse().ok()).unwrap_or(6)
}

/// The number of mixes, and the first seed.
fn cases() -> u64 {
    std::env::var("BROADSIDE_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(40)
}

fn first_case() -> u64 {
    std::env::var("BROADSIDE_FIRST_CASE").ok().and_then(|first| first.parse().ok()).unwrap_or(0)
}

#[test]
fn no_viewer_can_tell_two_worlds_apart() {
    for variant in variants() {
        let setup = setup(variant.rule_set());
        let mut total = Coverage::default();
        for viewer in 0..VIEWERS.len() {
            for seed in 0..games() {
                let covered =
                    run(&setup, viewer, seed).unwrap_or_else(|told| panic!("{}, seed {seed}: {told}", variant.id));
                total.steps += covered.steps;
                total.compared += covered.compared;
                total.deeply += covered.deeply;
            }
        }
        // The comparison must not pass for want of worlds to compare.
        assert!(
            total.compared * 2 > total.steps,
            "{}: only {} of {} steps compared",
            variant.id,
            total.compared,
            total.steps
        );
        assert!(
            total.deeply * 4 > total.steps,
            "{}: only in {} of {} steps ships lay elsewhere",
            variant.id,
            total.deeply,
            total.steps
        );
        eprintln!("{}: {} of {} steps compared, {} deeply", variant.id, total.compared, total.steps, total.deeply);
    }
}

#[test]
fn nor_when_clocks_rest_at_night() {
    let clock = json!({"kind": "per-move", "move_s": 86_400, "rests": "standard"});
    for id in ["classic-salvo", "admiralty", "depths", "salvos"] {
        let mut setup = setup(Variant::find(id).expect("a variant").rule_set());
        setup.clock = Clock::parse(&clock).expect("a clock");
        let mut total = Coverage::default();
        for viewer in 0..VIEWERS.len() {
            let covered = run(&setup, viewer, 3).unwrap_or_else(|told| panic!("{id}: {told}"));
            total.steps += covered.steps;
            total.compared += covered.compared;
        }
        assert!(total.compared * 2 > total.steps, "{id}: only {} of {} steps compared", total.compared, total.steps);
    }
}

#[test]
fn nor_under_random_rule_sets() {
    let mut dice = dice(11);
    let mut total = Coverage::default();
    for seed in 0..games() * 3 {
        let rules = if seed % 3 == 2 { random_depths(&mut dice) } else { random_rules(&mut dice, 120) };
        let viewer = seed as usize / 3 % VIEWERS.len();
        let covered = run(&setup(rules.clone()), viewer, seed)
            .unwrap_or_else(|told| panic!("{}, seed {seed}: {told}", serde_json::to_string(&rules).expect("JSON")));
        total.steps += covered.steps;
        total.compared += covered.compared;
    }
    assert!(total.compared * 3 > total.steps, "only {} of {} steps compared", total.compared, total.steps);
}

/// The parts of a mix of parameters that its secrets could leak through.
fn parts(rules: &Value, seats: u8) -> Vec<&'static str> {
    let has = |name: &str| rules.get(name).is_some_and(|value| !value.is_null() && *value != json!([]));
    let (many, moves) = (seats > 2, rules["relocation"] != "no");
    let parts = [
        ("many seats", many),
        ("teams", has("teams")),
        ("common seas", rules["team_seas"] == "common"),
        ("mines", has("mines")),
        ("islands", has("islands")),
        ("weapons", has("weapons")),
        ("weapons among many", has("weapons") && many),
        ("weapons in common seas", has("weapons") && rules["team_seas"] == "common"),
        ("clues", has("clue") && rules["clue"] != "none"),
        ("ships that move", moves),
        ("ships that move among many", moves && many),
        ("ships that move in teams", moves && has("teams")),
        ("handicaps", has("handicaps")),
        ("one answer for all shots", rules["report"] != "per-shot"),
        ("a last turn", rules["last_turn"] == true),
    ];
    parts.into_iter().filter(|(_, has)| *has).map(|(part, _)| part).collect()
}

/// A random mix of all parameters, for the seats and a viewer. One of four is for many seats, one in common seas and
/// one with mines, which are rare.
fn mix(seed: u64) -> (Setup, usize) {
    let mut dice = dice(seed);
    loop {
        let changes = random_changes(&mut dice);
        let wanted = match seed % 4 {
            1 => changes["seats"]["max"].as_u64().is_some_and(|max| max > 2),
            2 => changes["team_seas"] == "common",
            3 => !changes["mines"].is_null(),
            _ => true,
        };
        if !wanted {
            continue;
        }
        let Ok(rules) = customised(&changes) else { continue };
        let (least, most) = rules.seats();
        let mut setup = setup(rules);
        setup.seats = least + dice.below(u32::from(most - least) + 1) as u8;
        let viewer = dice.index(usize::from(setup.seats) + 1);
        return (setup, viewer);
    }
}

#[test]
fn nor_under_any_mix_of_all_parameters() {
    let (begin, mut total, mut met) = (Instant::now(), Coverage::default(), BTreeMap::<&str, usize>::new());
    for seed in first_case()..first_case() + cases() {
        let (setup, viewer) = mix(seed);
        let rules = serde_json::to_value(&*setup.rules).expect("JSON");
        let covered = run(&setup, viewer, seed).unwrap_or_else(|told| panic!("seed {seed}: {rules}: {told}"));
        total.steps += covered.steps;
        total.compared += covered.compared;
        total.others += covered.others;
        for part in parts(&rules, setup.seats) {
            *met.entry(part).or_default() += covered.compared;
        }
    }
    eprintln!("{} s: {total:?} {met:#?}", begin.elapsed().as_secs());
    assert!(total.compared * 3 > total.steps && total.others * 10 > total.steps, "only {total:?}");
    assert!(cases() < 40 || met.len() == 15 && met.values().all(|compared| *compared > 20), "only {met:?}");
}

#[test]
fn nor_can_anybody_among_many_navies() {
    let variant = Variant::find("salvos").expect("a variant");
    let (mut total, mut differed) = (Coverage::default(), swap::salvos::Differed::default());
    for (seats, changes) in [
        (2, json!({})),
        (2, json!({"moves_posted": "ship"})),
        (2, json!({"deployment": "free", "rows_per_seat": 4, "columns": 6})),
        (3, json!({"deployment": "bands"})),
        (3, json!({"deployment": "bands", "moves_posted": "nothing"})),
        (4, json!({"teams": 2})),
        (5, json!({})),
        (5, json!({"deployment": "free", "teams": 3, "columns": 8})),
        (7, json!({"moves_posted": "ship"})),
    ] {
        let mut setup = setup(RuleSet::customised(variant, &changes).expect("a rule set"));
        setup.seats = seats;
        for viewer in (0..=usize::from(seats)).filter(|viewer| *viewer < 2 || *viewer == usize::from(seats)) {
            for seed in 0..games().div_ceil(3) {
                let mut swap = swap::salvos::Swap::new(&setup, viewer, seed);
                let covered = swap.run().unwrap_or_else(|told| panic!("{seats} seats, {changes}, seed {seed}: {told}"));
                total.steps += covered.steps;
                total.compared += covered.compared;
                total.deeply += covered.deeply;
                differed.add(&swap.differed);
            }
        }
    }
    eprintln!("{total:?} {differed:?}");
    assert!(total.compared * 2 > total.steps, "only {total:?}");
    assert!(total.deeply * 3 > total.steps, "only {total:?}");
    // The hidden parts must have differed at times: places, aims, orders, and obstacles. (Other armour takes a salvo
    // that hits the same ship elsewhere; those worlds are built by hand in `salvos.rs`.)
    let least = total.steps / 100;
    let all = [differed.places, differed.aims, differed.orders, differed.stops];
    assert!(all.iter().all(|times| *times > least), "only {differed:?} of {total:?}");
}

#[test]
fn nor_under_random_rule_sets_of_navies() {
    let mut dice = dice(12);
    let mut total = Coverage::default();
    for seed in 0..games() * 4 {
        let mut setup = setup(random_salvos(&mut dice));
        let (least, most) = setup.rules.seats();
        setup.seats = least + dice.below(u32::from(most - least) + 1) as u8;
        let viewer = seed as usize % (usize::from(setup.seats) + 1);
        let covered = swap::salvos::Swap::new(&setup, viewer, seed).run().unwrap_or_else(|told| {
            panic!("{}, seed {seed}: {told}", serde_json::to_string(&*setup.rules).expect("JSON"))
        });
        total.steps += covered.steps;
        total.compared += covered.compared;
    }
    assert!(total.compared * 3 > total.steps, "only {} of {} steps compared", total.compared, total.steps);
}

#[test]
fn every_planted_leak_is_caught() {
    for variant in variants() {
        for leak in Leak::ALL {
            // A spectator has no targets offered, so that leak can't exist.
            let viewers = if leak == Leak::LegalMoves { 2 } else { 3 };
            for (viewer, who) in VIEWERS.iter().enumerate().take(viewers) {
                let setup = setup(variant.rule_set());
                let caught = (0..20).find_map(|seed| run_with(leak, &setup, viewer, seed).err());
                match caught {
                    Some(told) => {
                        assert!(told.contains("tells the worlds apart"), "{}: {leak:?}, {:?}: {told}", variant.id, who)
                    }
                    None => panic!("{}: {leak:?} is not caught for {:?}", variant.id, who),
                }
            }
        }
    }
}

#[test]
fn and_so_is_every_leak_among_many() {
    for leak in Leak::ALL {
        let many = (0..).filter(|seed| seed % 4 == 1 || seed % 4 == 2).take(12);
        let caught = many.into_iter().find_map(|seed| {
            let (setup, viewer) = mix(seed);
            run_with(leak, &setup, viewer, seed).err()
        });
        let told = caught.unwrap_or_else(|| panic!("{leak:?} is not caught"));
        assert!(told.contains("tells the worlds apart"), "{leak:?}: {told}");
    }
}
