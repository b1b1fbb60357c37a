//! Table events in all games: clocks, draws, resigning, aborting.
#![allow(clippy::expect_used, reason = "a test may stop")]
mod support;

use broadside_rules::{
    Action, Clock, Event, RuleSet, Seat, SeatSet, Setup, Status, Time, Variant, View, Viewer, legal, variants,
};
use serde_json::{Value, json};
use support::{EXAMPLE_SEED, Game, dice, same_again};

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

    // Nobody deploys: aborted. One does: the other loses.
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

    // Resigned, in the deployment too; aborted.
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
fn somebody_from_outside_can_end_a_match() {
    for variant in variants() {
        let seats = variant.rule_set().seats().1;
        let start = || {
            let mut setup = Setup::new(variant.rule_set(), Clock::per_move(60));
            setup.seats = seats;
            Game::open(setup, dice(8))
        };
        // At any time, in an armistice too; everybody is told the same, and sees the seas.
        for steps in [0, 1, usize::from(seats) + 3] {
            let mut game = start();
            for _ in 0..steps {
                let (seat, decision) = game.required().expect("somebody must act");
                game.act(seat, &decision.example()).expect("legal");
            }
            if game.battle.status() == Status::Playing {
                game.play(Seat(0), &json!({"type": "call-armistice"})).expect("possible");
            }
            assert_eq!(game.adjudicate(Some(Some(Seat(1)))), 3);
            let outcome = game.battle.outcome().expect("over").clone();
            assert_eq!(serde_json::to_value(outcome.reason).expect("JSON"), json!("adjudicated"));
            assert_eq!((outcome.winner, outcome.places[0].seat, outcome.places[0].place), (Some(Seat(1)), Seat(1), 1));
            assert!(outcome.places[1..].iter().all(|place| place.place == 2), "{:?}", outcome.places);
            assert_eq!(outcome.places.len(), usize::from(seats));
            assert!(game.battle.deadline().is_none() && game.battle.to_act().is_empty());
            for reports in &game.reports {
                let kinds: Vec<Value> = reports[reports.len() - 3..]
                    .iter()
                    .map(|report| serde_json::to_value(report).expect("JSON")["type"].clone())
                    .collect();
                assert_eq!(kinds[..2], [json!("adjudicated"), json!("finished")]);
            }
            assert_eq!(game.adjudicate(Some(None)) + game.adjudicate(None), 0, "a match ends once");
            same_again(&game);
        }
        // A draw, and no result at all: then the seas stay closed.
        let mut game = start();
        game.adjudicate(Some(None));
        let outcome = game.battle.outcome().expect("over").clone();
        assert!(outcome.winner.is_none() && outcome.places.iter().all(|place| place.place == 1));
        same_again(&game);
        let mut game = start();
        let (seat, decision) = game.required().expect("somebody must act");
        game.act(seat, &decision.example()).expect("legal");
        let seas = game.views.iter().map(View::seas).collect::<Vec<_>>();
        assert_eq!(game.adjudicate(None), 2);
        assert_eq!(game.battle.status(), Status::Aborted);
        assert_eq!(game.views.iter().map(View::seas).collect::<Vec<_>>(), seas, "nobody sees more than before");
        same_again(&game);
    }
}

#[test]
fn who_is_out_keeps_his_place_and_cannot_be_made_the_winner() {
    let mut setup = Setup::new(Variant::find("salvos").expect("a variant").rule_set(), Clock::per_move(60));
    setup.seats = 4;
    let mut game = Game::open(setup, dice(8));
    game.act(Seat(2), &Action::RESIGN).expect("legal");
    assert_eq!(game.adjudicate(Some(Some(Seat(2)))), 0, "the seat is out");
    assert_eq!(game.adjudicate(Some(Some(Seat(3)))), 3);
    let outcome = game.battle.outcome().expect("over");
    let places: Vec<Option<u8>> = (0..4).map(|seat| outcome.place_of(Seat(seat))).collect();
    assert_eq!(places, [Some(2), Some(2), Some(4), Some(1)]);
    same_again(&game);
}

#[test]
fn allies_share_the_place_that_one_of_them_is_given() {
    let sides = |variant: &str, seats: u8, teams: u8, changes: Value| {
        let variant_of = Variant::find(variant).expect("a variant");
        let rules = RuleSet::customised(variant_of, &changes).expect("a rule set");
        let mut setup = Setup::new(rules, Clock::per_move(60));
        setup.seats = seats;
        let mut game = Game::open(setup, dice(8));
        let winner = Seat(seats - 1);
        assert_eq!(game.adjudicate(Some(Some(winner))), 3);
        let outcome = game.battle.outcome().expect("over").clone();
        let winners = (0..seats).filter(|seat| seat % teams == winner.0 % teams).count() as u8;
        for seat in 0..seats {
            let place = if seat % teams == winner.0 % teams { 1 } else { winners + 1 };
            assert_eq!(outcome.place_of(Seat(seat)), Some(place), "{variant}, seat {seat}: {outcome:?}");
        }
        assert_eq!(outcome.winner, (winners == 1).then_some(winner), "who won alone");
        same_again(&game);
    };
    let gunnery = |seats: u8, teams: u8| json!({"seats": {"min": seats, "max": seats}, "teams": teams});
    sides("classic", 4, 2, gunnery(4, 2));
    sides("classic", 6, 3, gunnery(6, 3));
    sides("salvos", 4, 2, json!({"teams": 2}));
    sides("salvos", 7, 3, json!({"teams": 3}));
}

/// A match in battle with a minute for each move, and the seat to move.
fn under_fire(variant: &str, seats: u8) -> (Game, Seat) {
    let rules = Variant::find(variant).expect("a variant").rule_set();
    let mut setup = Setup::new(rules, Clock::per_move(600));
    setup.seats = seats;
    let mut game = Game::open(setup, dice(2));
    while game.battle.status() == Status::Deploying {
        let (seat, decision) = game.required().expect("a deployment");
        game.act(seat, &decision.example()).expect("legal");
    }
    let seat = game.battle.to_act().iter().next().expect("somebody");
    (game, seat)
}

#[test]
fn an_armistice_stops_play_and_clocks_until_all_agree() {
    for variant in variants() {
        let (mut game, turn) = under_fire(variant.id, variant.rule_set().seats().0);
        let (one, other) = (Seat(0), Seat(1));
        let (_, move_) = game.required().expect("a move");
        let deadline = game.battle.deadline().expect("a limit");
        let code =
            |game: &mut Game, seat, action: &Action| game.act(seat, action).map(|_| ()).map_err(|wrong| wrong.code);
        assert_eq!(code(&mut game, one, &Action::END_ARMISTICE), Err("no-armistice"));
        // With 100 seconds of the move left, the other seat calls it: the seat needn't have the turn.
        game.now = deadline.plus_ms(-100_000);
        game.act(other, &Action::CALL_ARMISTICE).expect("legal");
        assert_eq!((game.battle.status(), game.battle.to_act().is_empty()), (Status::Armistice, true));
        assert_eq!(game.battle.deadline(), Some(deadline.plus_ms(500_000)), "as long as a move, here");
        assert_eq!(game.spectator().deadline(), game.battle.deadline());
        assert_eq!(code(&mut game, turn, &move_.example()), Err("armistice-running"));
        assert_eq!(code(&mut game, one, &Action::CALL_ARMISTICE), Err("wrong-phase"));
        assert_eq!(code(&mut game, other, &Action::CALL_ARMISTICE), Err("armistice-already-called"));
        same_again(&game);

        game.now = deadline.plus_s(300);
        assert!(game.expire().is_empty(), "no clock runs");
        game.act(other, &Action::END_ARMISTICE).expect("legal");
        assert_eq!(code(&mut game, other, &Action::END_ARMISTICE), Err("armistice-end-already-agreed"));
        assert_eq!(game.battle.status(), Status::Armistice, "it takes both");
        let ends = game.now;
        game.act(one, &Action::END_ARMISTICE).expect("legal");
        assert_eq!(game.battle.status(), Status::Playing);
        assert_eq!(game.battle.deadline(), Some(ends.plus_s(100)), "what was left is left");
        same_again(&game);

        // The other one's, which nobody ends: it ends by itself, once.
        game.act(one, &Action::CALL_ARMISTICE).expect("legal");
        let until = game.battle.deadline().expect("it has an end");
        game.now = Time(until.0 - 1);
        assert!(game.expire().is_empty(), "not a millisecond early");
        game.now = until;
        assert_eq!(game.expire().len(), 1);
        assert_eq!((game.battle.status(), game.expire().len()), (Status::Playing, 0));
        assert!(game.battle.to_act().contains(turn));
        game.act(turn, &move_.example()).expect("still legal");
        same_again(&game);
    }
}

#[test]
fn who_leaves_during_an_armistice_has_no_more_say_in_it() {
    let (mut game, _) = under_fire("salvos", 3);
    game.act(Seat(0), &Action::CALL_ARMISTICE).expect("legal");
    game.act(Seat(0), &Action::END_ARMISTICE).expect("legal");
    game.act(Seat(1), &Action::END_ARMISTICE).expect("legal");
    assert_eq!(game.battle.status(), Status::Armistice);
    game.act(Seat(2), &Action::RESIGN).expect("legal");
    assert_eq!(game.battle.status(), Status::Playing, "all who are left have agreed");
    assert_eq!(game.battle.to_act(), SeatSet::first(2), "and both still aim their opening shots");
    same_again(&game);
    let (mut game, turn) = under_fire("classic", 2);
    game.act(turn, &Action::CALL_ARMISTICE).expect("legal");
    game.act(turn.other(), &Action::RESIGN).expect("legal");
    assert_eq!(game.battle.outcome().and_then(|outcome| outcome.winner), Some(turn));
    same_again(&game);
}

#[test]
fn a_draw_among_many_is_agreed_by_all_who_play_in_one_position() {
    let (mut game, _) = under_fire("salvos", 3);
    let seats = [Seat(0), Seat(1), Seat(2)];
    for seat in seats {
        let decision = game.view(seat).decisions(EXAMPLE_SEED).remove(0);
        game.act(seat, &decision.example()).expect("an opening shot");
    }
    let turn = game.battle.to_act().iter().next().expect("somebody");
    let [next, last] = [turn.0 + 1, turn.0 + 2].map(|seat| Seat(seat % 3));
    game.act(turn, &Action::OFFER_DRAW).expect("legal");
    game.act(next, &Action::ACCEPT_DRAW).expect("legal");
    assert_eq!(game.battle.status(), Status::Playing, "the third has not agreed");
    // The offering seat plays on: the offer stands, but needs new agreement, for the position has changed.
    let (_, decision) = game.required().expect("orders");
    game.act(turn, &decision.example()).expect("legal");
    game.act(last, &Action::ACCEPT_DRAW).expect("legal");
    assert_eq!(game.battle.status(), Status::Playing, "the second has agreed to another position");
    // A seat leaves: it was an offer among three.
    game.act(last, &Action::RESIGN).expect("legal");
    assert_eq!(game.spectator().draw_offered_by(), None);
    game.act(next, &Action::OFFER_DRAW).expect("legal");
    game.act(turn, &Action::ACCEPT_DRAW).expect("legal");
    assert_eq!(game.battle.outcome().map(|outcome| outcome.winner), Some(None));
    same_again(&game);
}

#[test]
fn nobody_calls_off_what_he_was_paired_for() {
    let mut setup = Setup::new(Variant::find("classic").expect("a variant").rule_set(), Clock::none());
    setup.may_abort = false;
    let mut game = Game::open(setup, dice(2));
    assert_eq!(game.act(Seat(1), &Action::ABORT).map_err(|illegal| illegal.code).err(), Some("abort-in-contest"));
    let decisions = serde_json::to_string(&game.view(Seat(1)).decisions([0; 32])).expect("JSON");
    assert!(!decisions.contains("\"abort\"") && decisions.contains("\"resign\""), "{decisions}");
}

#[test]
fn one_of_many_cannot_call_a_match_off() {
    let mut setup = Setup::new(Variant::find("salvos").expect("a variant").rule_set(), Clock::none());
    setup.seats = 3;
    let mut game = Game::open(setup, dice(2));
    assert_eq!(game.act(Seat(1), &Action::ABORT).map_err(|illegal| illegal.code).err(), Some("abort-needs-two-seats"));
}
