//! Random games to the end, for every preset and for random custom rule sets: the invariants of all games.
#![allow(clippy::expect_used, reason = "a test may stop")]
mod support;

use broadside_rules::{Action, Clock, RuleSet, Seat, Setup, Variant, card::Language, variants};
use serde_json::{Value, json};
use support::{Game, dice, play_out, random_depths, random_rules, random_salvos};

#[test]
fn every_preset_plays_to_its_end() {
    for variant in variants() {
        // Matches for many are long, and each number of seats gets its turn.
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
        play_out(Game::with(random_depths(&mut dice), Clock::none(), seed), 1000);
    }
    for seed in 0..30 {
        let mut setup = Setup::new(random_salvos(&mut dice), Clock::none());
        let (least, most) = setup.rules.seats();
        setup.seats = least + dice.below(u32::from(most - least) + 1) as u8;
        play_out(Game::open(setup, support::dice(seed)), 1000);
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
    let custom = (0..60).map(|n| match n % 6 {
        0 => random_depths(&mut dice),
        1 | 2 => random_salvos(&mut dice),
        _ => random_rules(&mut dice, 676),
    });
    for rules in variants().iter().map(Variant::rule_set).chain(custom) {
        let text = serde_json::to_string(&rules).expect("JSON");
        assert_eq!(serde_json::from_str::<RuleSet>(&text).expect("reads"), rules);
        let whole: Value = serde_json::from_str(&text).expect("JSON");
        for base in variants().iter().filter(|variant| variant.family == rules.family()) {
            assert_eq!(RuleSet::customised(base, &whole), Ok(rules.clone()), "a whole rule set replaces the preset");
        }
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
                assert!(answers.iter().any(|answer| answer.action_type == action.action_type));
            }
        }
        let board = rules.board(2);
        let classes = rules.classes(broadside_rules::card::Language::English);
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
            assert!(sea.ships.len() == ships.len() || !rules.seat_names().is_empty());
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
