//! The laws of the game of several navies over random matches of 2 to 7 seats: a second umpire, written from the sheet,
//! has the expected reports to every viewer, positions of ships, turns, choices, and ends.
#![allow(clippy::panic, clippy::expect_used, reason = "a test may stop")]
mod support;

#[path = "salvos/hands.rs"]
mod hands;
#[path = "salvos/judge.rs"]
mod judge;

use broadside_rules::{Clock, Report, RuleSet, Seat, Setup};
use hands::{last, seat_set};
use judge::{Umpire, label, place, text, towards};
use proptest::prelude::*;
use serde_json::{Value, json};
use support::{EXAMPLE_SEED, Game, dice, random_salvos};

/// The reports of the family, without numbers and times; the table's own are left out.
fn told(reports: &[Report]) -> Vec<Value> {
    let all = serde_json::to_value(reports).expect("JSON");
    let mut told: Vec<Value> = all.as_array().expect("reports").clone();
    let table = ["sealed", "resigned", "finished", "salvos-revealed"];
    told.retain(|report| !table.iter().any(|kind| report["type"] == *kind));
    for report in &mut told {
        let fields = report.as_object_mut().expect("an object");
        fields.remove("number");
        fields.remove("at");
    }
    told
}

/// A match by examples, watched by the second umpire for every viewer.
struct Watched {
    game: Game,
    umpires: Vec<Umpire>,
    /// The seat that must have the turn, once the opening is over.
    turn: Option<usize>,
}

impl Watched {
    fn open(seats: u8, rules: RuleSet, seed: u64) -> Self {
        let mut setup = Setup::new(rules, Clock::none());
        setup.seats = seats;
        let game = Game::open(setup, dice(seed));
        let umpires = vec![Umpire::new(game.spectator()); game.views.len()];
        Self { game, umpires, turn: None }
    }

    fn umpire(&self) -> &Umpire {
        self.umpires.last().expect("an umpire")
    }

    fn after(&self, seat: usize) -> Option<usize> {
        let order = self.umpire().order();
        let at = order.iter().position(|other| *other == seat)?;
        let playing = self.umpire().playing();
        (1..=order.len()).map(|step| order[(at + step) % order.len()]).find(|seat| playing.contains(seat))
    }

    fn step(&mut self, seat: Seat, action: &Value) -> Result<(), TestCaseError> {
        let before: Vec<usize> = self.game.reports.iter().map(Vec::len).collect();
        self.choices_are_complete(seat, action)?;
        self.game.play(seat, action).expect("legal");
        let leaves = action["type"] == "resign";
        for (viewer, umpire) in self.umpires.iter_mut().enumerate() {
            let due = match leaves {
                // Where a match ends by it, at the very last turn, ships leaving the sea need no report.
                true => {
                    let told = umpire.leave(&[seat.index()], viewer);
                    if self.game.battle.status().is_over() { Vec::new() } else { told }
                }
                false => umpire.follow(seat.index(), action, viewer),
            };
            prop_assert_eq!(told(&self.game.reports[viewer][before[viewer]..]), due, "viewer {}, {}", viewer, action);
        }
        let opened = told(&self.game.reports[0][before[0]..]).iter().any(|report| report["type"] == "opened");
        if opened {
            let playing = self.umpire().playing();
            self.turn = self.umpire().order().into_iter().find(|seat| playing.contains(seat));
        } else if self.turn == Some(seat.index()) {
            self.turn = self.after(seat.index());
        }
        self.views_agree()
    }

    /// Each player sees their own ships in their places, and the public part of the others.
    fn views_agree(&self) -> Result<(), TestCaseError> {
        if self.game.battle.status().is_over() {
            return Ok(());
        }
        if let Some(turn) = self.turn {
            prop_assert_eq!(self.game.battle.to_act(), seat_set(&[turn as u8]), "in the order of the nations");
        }
        for (viewer, view) in self.game.views.iter().enumerate() {
            prop_assert_eq!(view.to_act(), self.game.battle.to_act());
            let seas = serde_json::to_value(view.seas()).expect("JSON");
            let shown = seas[0]["ships"].as_array().expect("ships");
            prop_assert_eq!(shown.len(), self.umpire().ships.len());
            for (shown, ship) in shown.iter().zip(&self.umpire().ships) {
                prop_assert_eq!(&shown["id"], &json!(ship.id));
                let own = self.umpire().allied(ship.seat, viewer);
                let cells = ship.place.filter(|_| own).map(|place| vec![label(place)]);
                prop_assert_eq!(&shown["cells"], &json!(cells), "{}", ship.id);
                prop_assert_eq!(shown["traits"] == json!(["detected"]), ship.fired);
                let armour = shown["stats"].as_array().expect("stats").iter().find(|stat| stat["name"] == "armour");
                let due = if own && ship.place.is_some() { json!(ship.armour) } else { Value::Null };
                let told = &armour.expect("armour")["value"];
                prop_assert!(
                    *told == due || ship.armour <= 0 && *told == 0 || ship.place.is_none(),
                    "{} {}",
                    ship.id,
                    told
                );
            }
        }
        Ok(())
    }

    /// Checks that a decision lists exactly what a ship may do.
    fn choices_are_complete(&self, seat: Seat, action: &Value) -> Result<(), TestCaseError> {
        if action["type"] != "orders" {
            return Ok(());
        }
        let umpire = self.umpire();
        let decision = serde_json::to_value(self.game.view(seat).decisions(EXAMPLE_SEED)).expect("JSON")[0].clone();
        let detected = umpire.detected(seat.index());
        for choice in decision["ships"].as_array().expect("ships") {
            let ship = &umpire.ships[umpire.ship(&choice["ship"])];
            let from = ship.place.expect("afloat");
            let own = |place: judge::Place| {
                umpire.ships.iter().any(|other| umpire.allied(other.seat, seat.index()) && other.place == Some(place))
            };
            let on_sea =
                |(row, column): judge::Place| (0..umpire.rows).contains(&row) && (0..umpire.columns).contains(&column);
            let all = || (0..umpire.rows).flat_map(|row| (0..umpire.columns).map(move |column| (row, column)));
            let distance = |to: judge::Place| i64::from((to.0 - from.0).abs().max((to.1 - from.1).abs()));
            let reach = |to: &judge::Place| (ship.range.0..=ship.range.1).contains(&distance(*to)) && !own(*to);
            let targets: Vec<String> = all().filter(reach).map(label).collect();
            prop_assert_eq!(&choice["targets"], &json!(targets), "{}", ship.id);
            // Every move listed is a path over free cells within the speed; a spread of points reaches no other cell.
            let mut reached = Vec::new();
            let mut edge = vec![(from, ship.speed)];
            while let Some((at, left)) = edge.pop() {
                for step in ["N", "NE", "E", "SE", "S", "SW", "W", "NW"] {
                    let (down, right) = towards(step);
                    let next = (at.0 + down, at.1 + right);
                    let cost = if ship.speed > 1 && step.len() == 2 { 2 } else { 1 };
                    if cost <= left && on_sea(next) && !own(next) {
                        reached.push(label(next));
                        edge.push((next, left - cost));
                    }
                }
            }
            reached.sort();
            reached.dedup();
            let mut listed: Vec<String> =
                choice["moves"].as_array().expect("moves").iter().map(|way| text(&way["cell"])).collect();
            listed.sort();
            prop_assert_eq!(listed, if detected { reached } else { Vec::new() }, "{} {}", ship.id, label(from));
            for way in choice["moves"].as_array().expect("moves") {
                let mut at = from;
                for step in way["steps"].as_array().expect("steps") {
                    let (down, right) = towards(&text(step));
                    at = (at.0 + down, at.1 + right);
                    prop_assert!(on_sea(at) && !own(at));
                }
                prop_assert_eq!(place(&text(&way["cell"])), at);
            }
        }
        Ok(())
    }

    fn end(&self, rounds: usize) -> Result<(), TestCaseError> {
        let outcome = self.game.battle.outcome().expect("over");
        let umpire = self.umpire();
        let due = umpire.places();
        for place in &outcome.places {
            prop_assert_eq!(place.place, due[place.seat.index()], "{:?} {:?}", outcome, due);
        }
        prop_assert!(outcome.places.is_sorted_by_key(|place| place.place), "best first");
        let reason = text(&json!(outcome.reason));
        prop_assert_eq!(reason == "limit", umpire.contested(), "{}", rounds);
        // Everything is revealed, the same for all.
        let seas: Vec<Value> = self.game.views.iter().map(|view| json!(view.seas())).collect();
        prop_assert!(seas.iter().all(|sea| *sea == seas[0]));
        let revealed = last(&self.game, 0, "salvos-revealed");
        for ship in revealed["fleets"]
            .as_array()
            .expect("fleets")
            .iter()
            .flat_map(|fleet| fleet["ships"].as_array().expect("ships"))
        {
            let truth = &umpire.ships[umpire.ship(&ship["ship"])];
            prop_assert_eq!(&ship["armour"], &json!(truth.armour.max(0)));
            if let Some(place) = truth.place {
                prop_assert_eq!(&ship["last_cell"], &json!(label(place)));
            }
        }
        let turns = revealed["turns"].as_array().expect("turns").len();
        let ordered = |report: &&Report| ["ordered", "opened"].iter().any(|kind| json!(report)["type"] == *kind);
        prop_assert_eq!(turns, self.game.reports[0].iter().filter(ordered).count());
        prop_assert!(self.game.replayed().views == self.game.views);
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn everybody_is_told_what_the_sheet_says(
        seed in any::<u64>(),
        leavers in 0u32..3,
    ) {
        let mut dice = dice(seed ^ 1);
        let rules = random_salvos(&mut dice);
        let (least, most) = rules.seats();
        let seats = least + dice.below(u32::from(most - least) + 1) as u8;
        let rounds = json!(rules)["rounds"].as_u64().expect("rounds") as usize;
        let mut watched = Watched::open(seats, rules, seed);
        let mut actions = 0;
        while let Some((seat, decision)) = watched.game.required() {
            let action = if leavers > 0 && dice.below(40) < leavers {
                json!({"type": "resign"})
            } else {
                json!(decision.example())
            };
            watched.step(seat, &action)?;
            actions += 1;
            prop_assert!(actions <= usize::from(seats) * (rounds + 1), "the match ends");
        }
        watched.end(rounds)?;
    }
}
