//! Pauses of a ladder or a tournament: no clock of its matches runs, players may still move, and no time counts twice.
//! Worked cases by hand, the law of overlaps, and the records.
#![allow(clippy::expect_used, reason = "a test may stop")]
#[path = "rests/hands.rs"]
mod hands;
#[path = "record/hands.rs"]
mod records;
mod support;

use broadside_rules::{
    Action, DownTime, Event, Pause, RestKind, Seat, Status, Time, Viewer, event::TableEvent, record,
    timetable::SegmentKind,
};
use hands::*;
use proptest::prelude::*;
use serde_json::json;
use support::{Game, same_again};

fn pause(from: Time, until: Time) -> Pause {
    Pause { from, until }
}

/// Tells the match of pauses. Returns the number of new ones.
fn told(game: &mut Game, pauses: &[Pause]) -> usize {
    let events = game.battle.pause_clocks(pauses, game.now);
    game.takes(&events);
    events.len()
}

#[test]
fn whoever_wants_to_moves_in_a_pause_and_no_time_is_charged() {
    let (mut game, turn) = battle_at(json!({"kind": "per-move", "move_s": 86_400}), t(1, 12, 0));
    game.now = t(1, 13, 30);
    assert_eq!(told(&mut game, &[pause(t(1, 13, 0), t(11, 13, 0))]), 1, "told half an hour after it began");
    assert_eq!(game.battle.deadline_of(turn), Some(t(12, 12, 0)));
    let time = times(&game, turn);
    let (run, rest) = (SegmentKind::Running, SegmentKind::ContestPause);
    assert_eq!(time.time_left_s, Some(23 * HOUR_S));
    assert_eq!(ends(t(1, 12, 0), &time.segments), [(run, t(1, 13, 0)), (rest, t(11, 13, 0)), (run, t(12, 12, 0))]);
    assert_eq!(game.spectator().pause(), Some(pause(t(1, 13, 0), t(11, 13, 0))));
    // Days later they move, and it is the other's turn, whose day begins behind the pause.
    game.now = t(5, 0, 0);
    assert_eq!(shoot(&mut game), turn);
    let other = turn.other();
    assert_eq!(game.battle.deadline_of(other), Some(t(12, 13, 0)));
    assert_eq!(times(&game, turn).time_taken_s, time.time_taken_s);
    // It is ended before its time.
    game.now = t(6, 0, 5);
    assert_eq!(told(&mut game, &[pause(t(1, 13, 0), t(6, 0, 0))]), 1);
    assert_eq!(game.battle.deadline_of(other), Some(t(7, 0, 0)));
    assert_eq!(told(&mut game, &[pause(t(1, 13, 0), t(6, 0, 0))]), 0, "it is known");
    game.now = Time(t(7, 0, 0).0 - 1);
    assert!(game.expire().is_empty());
    game.now = t(7, 0, 0);
    assert!(!game.expire().is_empty());
    assert_eq!(game.spectator().pause(), None, "the match is over");
    assert_eq!(told(&mut game, &[pause(t(6, 23, 0), t(8, 0, 0))]), 0);
    same_again(&game);
}

#[test]
fn a_night_behind_a_pause_that_ends_early_is_there_again() {
    let (mut game, turn) =
        battle_at(json!({"kind": "per-move", "move_s": 86_400, "rests": "no-days-off"}), t(3, 12, 0));
    game.plans(turn, t(3, 12, 0), &nights(0..40), Some(t(40, 0, 0)));
    assert_eq!(game.battle.deadline_of(turn), Some(t(4, 21, 0)));
    game.now = t(3, 20, 0);
    assert_eq!(told(&mut game, &[pause(t(3, 20, 0), t(9, 12, 0))]), 1);
    // Eight hours were played; sixteen follow, with the night between the 9th and the 10th.
    assert_eq!(game.battle.deadline_of(turn), Some(t(10, 13, 0)));
    game.now = t(3, 21, 0);
    assert_eq!(told(&mut game, &[pause(t(3, 20, 0), t(3, 21, 0))]), 1);
    assert_eq!(game.battle.deadline_of(turn), Some(t(4, 22, 0)), "an hour later than without a pause");
    assert!(game.battle.planned(turn).iter().all(|rest| rest.kind == RestKind::Night), "plans have no pauses");
    same_again(&game);
}

#[test]
fn deployments_and_armistices_stand_still_as_well() {
    let mut game = Game::with(records::rules("classic"), clock(json!({"kind": "per-move", "move_s": 3600})), 3);
    let deadline = game.battle.deadline().expect("a limit");
    let from = game.now;
    assert_eq!(told(&mut game, &[pause(from, from.plus_s(86_400))]), 1);
    assert_eq!(game.battle.deadline(), Some(deadline.plus_s(86_400)));
    same_again(&game);

    let bank = json!({"kind": "bank", "initial_s": 7200, "increment_s": 0, "cap_s": 7200});
    let (mut game, turn) = battle_at(bank, t(1, 12, 0));
    game.now = t(1, 13, 0);
    game.act(turn.other(), &Action::CALL_ARMISTICE).expect("legal");
    assert_eq!(game.battle.deadline(), Some(t(2, 13, 0)));
    game.now = t(1, 20, 0);
    assert_eq!(told(&mut game, &[pause(t(1, 20, 0), t(7, 20, 0))]), 1);
    assert_eq!(game.battle.deadline(), Some(t(8, 13, 0)));
    game.now = t(2, 20, 0);
    assert_eq!(told(&mut game, &[pause(t(1, 20, 0), t(2, 20, 0))]), 1);
    assert_eq!(game.battle.deadline(), Some(t(3, 13, 0)), "it lasts as long as it would have");
    game.now = t(3, 13, 0);
    assert_eq!(game.expire().len(), 1);
    assert_eq!(game.battle.deadline_of(turn), Some(t(3, 14, 0)), "an hour was left");
    assert_eq!(game.battle.status(), Status::Playing);
    same_again(&game);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Hour by hour: the time is over when this many undisturbed hours have passed, however vacations, a pause that is
    /// ended early and a time without the service overlap.
    #[test]
    fn no_hour_counts_twice(
        vacations in proptest::collection::vec((1..120_i64, 1..30_i64), 0..4),
        (from, planned, ended) in (1..20_i64, 1..100_i64, 0..100_i64),
        (down, down_for) in (0..40_i64, 1..40_i64),
    ) {
        let hour = |hour: i64| t(1, hour, 0);
        let (mut game, turn) = battle_at(json!({"kind": "per-move", "move_s": 86_400, "rests": "standard"}), hour(0));
        let away: Vec<_> =
            vacations.iter().map(|(at, long)| rest(hour(*at), hour(at + long), RestKind::Vacation)).collect();
        game.plans(turn, hour(0), &away, Some(t(60, 0, 0)));
        game.now = hour(from);
        prop_assume!(game.battle.deadline_of(turn).is_some_and(|deadline| deadline > game.now));
        let ended = from + ended.min(planned);
        prop_assert_eq!(told(&mut game, &[pause(hour(from), hour(from + planned))]), 1);
        game.now = hour(ended);
        prop_assert_eq!(told(&mut game, &[pause(hour(from), hour(ended))]), usize::from(ended < from + planned));
        let down = ended + down;
        game.now = hour(down + down_for);
        game.was_down(&[DownTime { from: hour(down), until: game.now }]);
        let runs = |at: &i64| {
            let within = |from: i64, until: i64| (from..until).contains(at);
            !(vacations.iter().any(|(from, long)| within(*from, from + long))
                || within(from, ended) || within(down, down + down_for))
        };
        let last = (0..).filter(runs).nth(23).expect("an hour");
        prop_assert_eq!(game.battle.deadline_of(turn), Some(hour(last + 1)));
        same_again(&game);
    }
}

/// A match of some moves, a pause in which some are played, and its end.
fn paused() -> Game {
    let terms = json!({"kind": "per-move", "move_s": 86_400, "rests": "standard"});
    let mut game =
        Game::resting(broadside_rules::Setup::new(records::rules("classic"), clock(terms)), support::dice(6));
    records::play(&mut game, 5);
    let from = game.now;
    assert_eq!(told(&mut game, &[pause(from, from.plus_s(20 * 86_400))]), 1);
    game.now = from.plus_s(5 * 86_400);
    records::play(&mut game, 2);
    let until = game.now;
    assert_eq!(told(&mut game, &[pause(from, until)]), 1);
    records::play(&mut game, usize::MAX);
    game
}

fn verdict(game: &Game) -> Result<record::Verified, Vec<record::Discrepancy>> {
    record::verify(&serde_json::to_string(&records::record(game, Viewer::Spectator)).expect("JSON"))
}

#[test]
fn a_record_says_when_the_contest_was_paused_and_verifies() {
    let game = paused();
    let verified = verdict(&game).unwrap_or_else(|wrongs| panic!("{}", wrongs[0]));
    assert!(verified.whole);
    let record = records::record(&game, Viewer::Spectator);
    let lines: Vec<_> = record.log.iter().filter(|line| !line.pauses.is_empty()).collect();
    assert_eq!(lines.len(), 2);
    assert!(lines.iter().all(|line| line.seat.is_none() && line.action.is_none()));
    let words = record::text(&records::header(&game), &game.setup, &game.entries(), Viewer::Spectator, &[]);
    assert!(words.contains("the contest is paused from "), "{words}");
    same_again(&game);
}

#[test]
fn a_server_cannot_pause_as_it_likes() {
    // Each record is signed and chained correctly: only a pause that the rules would apply may stand in it.
    let forced = |span: &dyn Fn(&Game) -> Pause| {
        let mut game = Game::with(records::rules("classic"), clock(json!({"kind": "per-move", "move_s": 86_400})), 5);
        records::play(&mut game, 6);
        game.now = game.now.plus_s(3600);
        let Pause { from, until } = span(&game);
        game.force(Event::from(TableEvent::ClocksPaused { from, until }));
        records::play(&mut game, usize::MAX);
        verdict(&game).err().map(|wrongs| wrongs[0].pointer.clone())
    };
    let wrong = Some("/log/7/pauses".to_owned());
    let month_ms = Pause::MOST_MS;
    assert_eq!(forced(&|game| pause(game.now, game.now.plus_ms(month_ms))), None, "a good one");
    assert_eq!(forced(&|game| pause(game.now, game.now.plus_ms(month_ms + 1))), wrong, "too long");
    assert_eq!(forced(&|game| pause(game.now.plus_s(1), game.now.plus_s(9))), wrong, "it hasn't begun");
    assert_eq!(forced(&|game| pause(game.now, game.now)), wrong, "no time at all");
    assert_eq!(forced(&|game| pause(game.now, Time(game.now.0 - 1))), wrong, "backwards");

    let good = records::written(&records::record(&paused(), Viewer::Spectator));
    let lines = good["log"].as_array().expect("lines");
    let at = lines.iter().position(|line| line.get("pauses").is_some()).expect("a line");
    let mut places = Vec::new();
    records::places(&good, "", &mut places);
    let mut dice = support::dice(5);
    for place in places.iter().filter(|place| place.starts_with(&format!("/log/{at}/pauses"))) {
        let mut bad = good.clone();
        records::alter(bad.pointer_mut(place).expect("a place"), &mut dice);
        if bad != good {
            assert!(record::verify(&bad.to_string()).is_err(), "nobody noticed {place}");
        }
    }
}

#[test]
fn a_pause_that_cannot_be_fits_no_match() {
    let game = Game::of("classic", 4);
    let event = |from, until| Event::from(TableEvent::ClocksPaused { from: Time(from), until: Time(until) });
    assert!(event(1, 2).fits(&game.setup) && event(2, 2).fits(&game.setup));
    assert!(!event(3, 2).fits(&game.setup) && !event(0, Pause::MOST_MS + 1).fits(&game.setup));
    assert_eq!(event(1, 2).asked(&game.setup), None);
    assert_eq!(game.battle.rests_until(Seat(0), game.now), None);
}
