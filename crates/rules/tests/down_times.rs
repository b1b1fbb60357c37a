//! Time without the service is charged to nobody: worked cases by hand, and the records.
#![allow(clippy::expect_used, reason = "a test may stop")]
#[path = "rests/hands.rs"]
mod hands;
#[path = "record/hands.rs"]
mod records;
mod support;

use broadside_rules::{
    Action, DownTime, Event, RestKind, Status, Time, Viewer, event::TableEvent, record, timetable::SegmentKind,
};
use hands::*;
use serde_json::json;
use support::{Game, same_again};

fn down(from: Time, until: Time) -> DownTime {
    DownTime { from, until }
}

#[test]
fn no_clock_runs_while_the_service_is_down_whatever_the_terms_say() {
    let (mut game, turn) = battle_at(json!({"kind": "per-move", "move_s": 86_400}), t(1, 12, 0));
    assert_eq!(game.battle.deadline_of(turn), Some(t(2, 12, 0)));
    // Down for three days, an hour before the end of the time.
    let away = down(t(2, 11, 0), t(5, 11, 0));
    game.now = t(5, 11, 0);
    assert_eq!(game.was_down(&[away]), 1);
    assert_eq!(game.battle.deadline_of(turn), Some(t(5, 12, 0)));
    let time = times(&game, turn);
    let (run, rest) = (SegmentKind::Running, SegmentKind::DownTime);
    assert_eq!(time.time_left_s, Some(HOUR_S - 1));
    assert_eq!(ends(t(1, 12, 0), &time.segments), [(run, t(2, 11, 0)), (rest, t(5, 11, 0)), (run, t(5, 12, 0))]);
    let told = game.reports.iter().map(|reports| serde_json::to_value(reports.last()).expect("JSON"));
    for mut report in told {
        report["number"].take();
        let expected = json!({ "type": "clocks-rested", "number": null, "at": away.until, "from": away.from, "until": away.until });
        assert_eq!(report, expected, "the same for all");
    }

    // A repetition changes nothing; and the time that is left ends as it should.
    assert_eq!(game.was_down(&[away, away, down(t(2, 12, 0), t(4, 0, 0))]), 0);
    game.now = Time(t(5, 12, 0).0 - 1);
    assert!(game.expire().is_empty());
    game.now = t(5, 12, 0);
    assert_eq!(game.expire().len(), 3);
    assert_eq!(game.was_down(&[down(t(5, 11, 30), t(5, 12, 0))]), 0, "the match is over");
    same_again(&game);
}

#[test]
fn only_what_lies_in_the_turn_is_given_back() {
    let (mut game, turn) = battle_at(json!({"kind": "per-move", "move_s": 86_400}), t(1, 12, 0));
    game.now = t(1, 14, 0);
    assert_eq!(game.was_down(&[down(t(1, 0, 0), t(1, 12, 0))]), 0, "before the turn");
    assert_eq!(game.was_down(&[down(t(1, 13, 0), t(1, 15, 0))]), 0, "it isn't over");
    assert_eq!(game.was_down(&[down(t(1, 13, 0), t(1, 13, 0))]), 0, "no time at all");
    assert_eq!(game.was_down(&[down(t(1, 10, 0), t(1, 13, 0))]), 1, "an hour of it");
    assert_eq!(game.battle.deadline_of(turn), Some(t(2, 13, 0)));
    // Two that overlap count once.
    assert_eq!(game.was_down(&[down(t(1, 12, 30), t(1, 13, 30)), down(t(1, 13, 0), t(1, 13, 15))]), 1);
    assert_eq!(game.battle.deadline_of(turn), Some(t(2, 13, 30)));
    // A down time that began after the time was over helps nobody.
    game.now = t(2, 20, 0);
    assert_eq!(game.was_down(&[down(t(2, 13, 30), t(2, 20, 0))]), 0);
    assert!(!game.expire().is_empty());
    same_again(&game);
}

#[test]
fn a_night_in_which_the_service_was_down_counts_once() {
    let (mut game, turn) =
        battle_at(json!({"kind": "per-move", "move_s": 86_400, "rests": "no-days-off"}), t(3, 12, 0));
    game.plans(turn, t(3, 12, 0), &nights(0..40), Some(t(40, 0, 0)));
    assert_eq!(game.battle.deadline_of(turn), Some(t(4, 21, 0)));
    game.now = t(4, 9, 0);
    assert_eq!(game.was_down(&[down(t(3, 23, 0), t(4, 6, 0))]), 0, "they slept");
    assert_eq!(game.was_down(&[down(t(3, 21, 0), t(4, 8, 0))]), 1);
    assert_eq!(game.battle.deadline_of(turn), Some(t(5, 8, 0)), "an hour in the evening and one in the morning");
    // A later change of the calendar changes nothing of the past.
    game.now = t(4, 10, 0);
    assert_eq!(game.plans(turn, t(0, 0, 0), &[], None), 1);
    assert_eq!(game.battle.deadline_of(turn), Some(t(4, 23, 0)));
    assert!(game.battle.planned(turn).iter().any(|rest| rest.kind == RestKind::DownTime));
    same_again(&game);
}

#[test]
fn deployments_banks_and_armistices_rest_as_well() {
    // A deployment.
    let mut game = Game::with(records::rules("classic"), clock(json!({"kind": "per-move", "move_s": 3600})), 3);
    let deadline = game.battle.deadline().expect("a limit");
    game.now = deadline.plus_s(50_000);
    assert_eq!(game.was_down(&[down(deadline, game.now)]), 0);
    assert_eq!(game.was_down(&[down(Time(deadline.0 - 1000), game.now)]), 1);
    assert_eq!(game.battle.deadline(), Some(deadline.plus_s(50_001)));
    same_again(&game);

    // A bank, and an armistice in it.
    let bank = json!({"kind": "bank", "initial_s": 7200, "increment_s": 0, "cap_s": 7200});
    let (mut game, turn) = battle_at(bank, t(1, 12, 0));
    game.now = t(1, 13, 0);
    game.act(turn.other(), &Action::CALL_ARMISTICE).expect("legal");
    assert_eq!(game.battle.deadline(), Some(t(2, 13, 0)));
    game.now = t(8, 0, 0);
    assert_eq!(game.was_down(&[down(t(1, 20, 0), t(7, 20, 0))]), 1);
    assert_eq!(game.battle.deadline(), Some(t(8, 13, 0)), "the armistice lasts as long as it would have");
    assert_eq!(game.was_down(&[down(t(1, 20, 0), t(7, 20, 0))]), 0);
    game.now = t(8, 13, 0);
    assert_eq!(game.expire().len(), 1);
    assert_eq!(game.battle.deadline_of(turn), Some(t(8, 14, 0)), "an hour was left");
    assert_eq!(game.battle.status(), Status::Playing);
    same_again(&game);

    // Without a limit there is nothing to give back.
    let mut game = Game::of("classic", 4);
    game.now = game.now.plus_s(90_000);
    assert_eq!(game.was_down(&[down(game.now, game.now.plus_s(0)), down(Time(0), game.now)]), 0);
}

/// A match of five moves, a day without the service, and its end.
fn interrupted(spans: impl Fn(&Game) -> Vec<DownTime>) -> Game {
    let terms = json!({"kind": "per-move", "move_s": 86_400, "rests": "standard"});
    let mut game =
        Game::resting(broadside_rules::Setup::new(records::rules("classic"), clock(terms)), support::dice(6));
    records::play(&mut game, 5);
    let spans = spans(&game);
    game.now = spans.iter().map(|span| span.until).max().expect("a span").plus_s(5);
    assert_eq!(game.was_down(&spans), spans.len());
    records::play(&mut game, usize::MAX);
    game
}

fn verdict(game: &Game) -> Result<record::Verified, Vec<record::Discrepancy>> {
    record::verify(&serde_json::to_string(&records::record(game, Viewer::Spectator)).expect("JSON"))
}

#[test]
fn a_record_says_when_the_clocks_have_rested_and_verifies() {
    let week = |game: &Game| vec![down(game.now.plus_s(60), game.now.plus_s(60 + 7 * 86_400))];
    let game = interrupted(week);
    let verified = verdict(&game).unwrap_or_else(|wrongs| panic!("{}", wrongs[0]));
    assert!(verified.whole);
    let record = records::record(&game, Viewer::Spectator);
    let lines: Vec<_> = record.log.iter().filter(|line| !line.down_times.is_empty()).collect();
    assert_eq!(lines.len(), 1);
    assert!(lines[0].seat.is_none() && lines[0].action.is_none());
    let words = record::text(&records::header(&game), &game.setup, &game.entries(), Viewer::Spectator, &[]);
    assert!(words.contains("the service could not be reached from "), "{words}");
    let two = |game: &Game| {
        let span = |s: u32| down(game.now.plus_s(s), game.now.plus_s(s + 3600));
        vec![span(60), span(7000)]
    };
    assert_eq!(verdict(&interrupted(two)).map(|verified| verified.whole), Ok(true));
    same_again(&game);
}

#[test]
fn a_server_cannot_let_clocks_rest_as_it_likes() {
    // Each record is signed and chained correctly: only a span that the rules would apply may stand in it.
    let forced = |span: &dyn Fn(&Game) -> DownTime| {
        let mut game = Game::with(records::rules("classic"), clock(json!({"kind": "per-move", "move_s": 86_400})), 5);
        records::play(&mut game, 6);
        game.now = game.now.plus_s(3600);
        let DownTime { from, until } = span(&game);
        game.force(Event::from(TableEvent::ClocksRested { from, until }));
        records::play(&mut game, usize::MAX);
        verdict(&game).err().map(|wrongs| wrongs[0].pointer.clone())
    };
    let back = |game: &Game, s: i64| Time(game.now.0 - s * 1000);
    let wrong = Some("/log/7/down_times".to_owned());
    assert_eq!(forced(&|game| down(back(game, 600), back(game, 300))), None, "a good one");
    assert_eq!(forced(&|game| down(back(game, 600), game.now.plus_s(1))), wrong, "it isn't over");
    assert_eq!(forced(&|game| down(back(game, 9000), back(game, 8000))), wrong, "nobody's turn");
    assert_eq!(forced(&|game| down(back(game, 300), back(game, 600))), wrong, "backwards");

    let good = records::written(&records::record(
        &interrupted(|game| vec![down(game.now, game.now.plus_s(90_000))]),
        Viewer::Spectator,
    ));
    let lines = good["log"].as_array().expect("lines");
    let at = lines.iter().position(|line| line.get("down_times").is_some()).expect("a line");
    let mut places = Vec::new();
    records::places(&good, "", &mut places);
    let told = places.iter().filter(|place| place.starts_with(&format!("/log/{at}/down_times")));
    let mut dice = support::dice(5);
    for place in told {
        let mut bad = good.clone();
        records::alter(bad.pointer_mut(place).expect("a place"), &mut dice);
        if bad != good {
            assert!(record::verify(&bad.to_string()).is_err(), "nobody noticed {place}");
        }
    }
    let mut moved = good.clone();
    let span = moved["log"][at]["down_times"].take();
    moved["log"][at].as_object_mut().expect("a line").remove("down_times");
    moved["log"][at - 1]["down_times"] = span;
    assert!(record::verify(&moved.to_string()).is_err(), "a move is a line of its own");
}

#[test]
fn a_span_that_ends_before_it_begins_fits_no_match() {
    let game = Game::of("classic", 4);
    let event = |from, until| Event::from(TableEvent::ClocksRested { from: Time(from), until: Time(until) });
    assert!(event(1, 2).fits(&game.setup));
    assert!(!event(2, 2).fits(&game.setup) && !event(3, 2).fits(&game.setup));
    assert_eq!(event(1, 2).asked(&game.setup), None);
}
