//! Records of matches with resting clocks: they verify without time zones, and nobody can be given rests afterwards.
#![allow(clippy::expect_used, reason = "a test may stop")]
#[path = "record/hands.rs"]
mod hands;
mod support;

use broadside_rules::{Clock, Rest, RestKind, Seat, Setup, Time, Viewer, event::TableEvent, record};
use hands::*;
use serde_json::json;
use support::{Game, START, dice, viewers};

#[test]
fn a_match_with_rests_verifies_and_needs_no_time_zones() {
    for variant in ["classic-salvo", "depths"] {
        let game = rested_match(variant);
        let record = record(&game, Viewer::Spectator);
        let text = serde_json::to_string(&record).expect("JSON");
        let verified = record::verify(&text).unwrap_or_else(|wrongs| panic!("{variant}: {}", wrongs[0]));
        assert!(verified.whole);
        let plans: Vec<usize> = record.log.iter().map(|line| line.plans.len()).collect();
        assert_eq!(plans[0], 2, "at the opening");
        let alone = record.log.iter().filter(|line| line.seat.is_none() && !line.plans.is_empty()).count();
        assert_eq!(alone, 2, "the opening, and the vacation");
        assert!(plans.iter().sum::<usize>() >= 4, "and with moves: {plans:?}");
        let words = record::text(&header(&game), &game.setup, &game.entries(), Viewer::Spectator, &[]);
        assert!(words.contains("rests: vacation from "), "{words}");
    }
    // During the match plans are in the reports alone.
    let clock = Clock::parse(&json!({"kind": "per-move", "move_s": 86_400, "rests": "standard"})).expect("a clock");
    let mut game = Game::resting(Setup::new(rules("classic"), clock), dice(7));
    for _ in 0..4 {
        play(&mut game, 1);
        for viewer in viewers(2) {
            let record = record(&game, viewer);
            assert!(record.log.iter().all(|line| line.plans.is_empty()));
            let verified = record::verify(&serde_json::to_string(&record).expect("JSON"));
            assert_eq!(verified.expect("it verifies").opened, record.log.len());
        }
    }
}

#[test]
fn a_server_cannot_let_a_friend_rest_as_it_likes() {
    // Each record is signed and chained correctly: only a plan that the rules would make may stand in it.
    let clock =
        |rests: &str| Clock::parse(&json!({"kind": "per-move", "move_s": 86_400, "rests": rests})).expect("a clock");
    let planned = |rests: &str, plan: &dyn Fn(&Game) -> TableEvent| {
        let mut game = Game::with(rules("classic"), clock(rests), 5);
        play(&mut game, 6);
        game.now = game.now.plus_s(3600);
        let event = plan(&game);
        game.force(event.into());
        play(&mut game, usize::MAX);
        let text = serde_json::to_string(&record(&game, Viewer::Spectator)).expect("JSON");
        record::verify(&text).map_err(|wrongs| wrongs[0].pointer.clone()).err()
    };
    let day = |from: Time, kind| Rest { from, until: from.plus_s(86_400), kind };
    let of = |from, rests, until| TableEvent::RestsPlanned { seat: Seat(0), from, rests, until };
    let on = |game: &Game| game.now.plus_s(600);
    let vacation = RestKind::Vacation;
    assert_eq!(planned("standard", &|game| of(game.now, vec![day(on(game), vacation)], None)), None, "a good one");
    let wrong = Some("/log/7/plans/0".to_owned());
    let wrong_at = |place: &str| wrong.as_ref().map(|wrong| format!("{wrong}/{place}"));
    assert_eq!(planned("none", &|game| of(game.now, vec![day(on(game), vacation)], None)), wrong, "no rests at all");
    assert_eq!(planned("standard", &|game| of(game.now, vec![], None)), wrong, "nothing changes");
    let past = planned("standard", &|game| of(START, vec![day(on(game), vacation)], None));
    assert_eq!(past, wrong_at("from"), "as if it had been said before");
    let kinds = planned("no-days-off", &|game| {
        of(game.now, vec![day(on(game), RestKind::Night), day(on(game).plus_s(90_000), vacation)], None)
    });
    assert_eq!(kinds, wrong_at("rests"), "what the terms don't allow");
    let order = planned("standard", &|game| {
        of(game.now, vec![day(on(game).plus_s(90_000), vacation), day(on(game), vacation)], None)
    });
    assert!(order.is_some_and(|place| place.starts_with("/log/7/plans/0/rests/0")), "not in order");
    assert_eq!(planned("standard", &|game| of(game.now, vec![], Some(game.now))), wrong, "a plan that knows nothing");
    // After the end.
    let mut game = Game::with(rules("classic"), clock("standard"), 5);
    play(&mut game, usize::MAX);
    let late = of(game.now, vec![day(game.now, vacation)], None);
    game.force(late.into());
    let wrongs = record::verify(&serde_json::to_string(&record(&game, Viewer::Spectator)).expect("JSON"));
    assert!(wrongs.expect_err("after the end")[0].pointer.ends_with("/plans/0"));
    // The friend is late already: their time-out has to come first.
    let mut game = Game::with(rules("classic"), clock("standard"), 5);
    play(&mut game, 6);
    game.now = game.battle.deadline().expect("a limit");
    let late = of(game.now, vec![day(game.now, vacation)], None);
    game.force(late.into());
    play(&mut game, usize::MAX);
    let wrongs = record::verify(&serde_json::to_string(&record(&game, Viewer::Spectator)).expect("JSON"));
    assert!(wrongs.expect_err("too late")[0].pointer.starts_with("/reports/"));
}

#[test]
fn no_place_in_a_plan_can_be_altered() {
    let good = written(&record(&rested_match("classic-salvo"), Viewer::Spectator));
    let mut all = Vec::new();
    places(&good, "", &mut all);
    let planned = |at: &&String| at.starts_with("/log/") && at.contains("/plans");
    let mut dice = dice(5);
    let mut made = 0;
    for place in all.iter().filter(planned) {
        let mut bad = good.clone();
        alter(bad.pointer_mut(place).expect("a place"), &mut dice);
        if bad != good {
            let line = place.split('/').take(3).collect::<Vec<_>>().join("/");
            let wrongs = record::verify(&bad.to_string()).err().unwrap_or_else(|| panic!("nobody noticed {place}"));
            // A negative seat is no number of a record: then the whole can't be read.
            let named = |wrong: &record::Discrepancy| wrong.pointer.starts_with(&line) || wrong.pointer.is_empty();
            assert!(wrongs.iter().any(named), "{place}: {}", wrongs[0]);
            made += 1;
        }
    }
    assert!(made > 60, "only {made}");
}
