//! The books of a match for the laws of the family `depths`: kept from the actions and reports, sharing nothing with
//! the crate. They tell legal actions, and check reports and views.
use std::collections::BTreeMap;

use broadside_rules::{Clock, Seat, Status};
use serde_json::{Value, json};

use crate::{
    judge::{self, Deployment, Sheet, Square},
    support::{Game, dice, random_depths},
};

const FULL: [(&str, u32); 3] = [("heavy", 4), ("medium", 3), ("light", 2)];

#[derive(Clone, Debug)]
pub struct Ship {
    /// `None` in port.
    pub at: Option<Square>,
    charges: u32,
    afloat: bool,
}

/// The law's own bookkeeping of a match.
pub struct Watched {
    pub game: Game,
    rules: Value,
    pub sheet: Sheet,
    pub hidden: [Option<Deployment>; 2],
    pub ships: [BTreeMap<String, Ship>; 2],
    pub told: Vec<Value>,
    turn: Seat,
    moved: Option<String>,
    charged: bool,
    line: Option<String>,
    torpedoes: usize,
    turns: u64,
    draws: u64,
}

impl Watched {
    pub fn open(seed: u64) -> Self {
        let rules = random_depths(&mut dice(seed));
        let game = Game::with(rules.clone(), Clock::none(), seed);
        let seats = game.spectator().seats();
        let turn = seats.iter().find(|seat| seat.name == "red").expect("red").seat;
        let fleet: BTreeMap<String, Ship> = FULL
            .iter()
            .map(|(id, charges)| ((*id).to_owned(), Ship { at: None, charges: *charges, afloat: true }))
            .collect();
        let rules = serde_json::to_value(&rules).expect("JSON");
        Self {
            game,
            sheet: Sheet::of(&rules),
            rules,
            hidden: [None, None],
            ships: [fleet.clone(), fleet],
            told: Vec::new(),
            turn,
            moved: None,
            charged: false,
            line: None,
            torpedoes: 0,
            turns: 0,
            draws: 0,
        }
    }

    fn ship(&self, seat: Seat, action: &Value, name: &str) -> Option<&Ship> {
        self.ships[seat.index()].get(action[name].as_str()?).filter(|ship| ship.afloat)
    }

    /// The number of the seat's submarines afloat on the line.
    fn ready(&self, seat: Seat, line: &str) -> usize {
        let hidden = self.hidden[seat.index()].as_ref().expect("deployed");
        let sunk: Vec<_> = judge::steps(&self.sheet, seat, &self.told)
            .into_iter()
            .filter_map(|event| match event {
                judge::Step::Charged { at, answer } if answer == "hit null" => Some(at),
                _ => None,
            })
            .collect();
        let afloat = hidden.submarines.iter().filter(|at| !sunk.contains(at));
        afloat.filter(|at| self.sheet.is_on_line(line, (at.0, at.1))).count()
    }

    /// Do the rules allow it, by this bookkeeping?
    pub fn allows(&self, seat: Seat, action: &Value) -> bool {
        if self.hidden.iter().any(Option::is_none) || seat != self.turn {
            return false;
        }
        let begun = self.moved.is_some() || self.charged || self.torpedoes > 0;
        match action["type"].as_str() {
            Some("move") => !begun && self.allows_path(seat, action),
            Some("charge") => {
                let is_mover = self.moved.as_ref().is_none_or(|moved| action["ship"] == **moved);
                let able = self.ship(seat, action, "ship").is_some_and(|ship| ship.at.is_some() && ship.charges > 0);
                !self.charged
                    && self.torpedoes == 0
                    && is_mover
                    && able
                    && action["depth"].as_u64().is_some_and(|d| matches!(d, 100 | 200 | 300))
            }
            Some("torpedo") => {
                let line = action["line"].as_str().expect("a line");
                let diagonal = !line.starts_with("row-") && !line.starts_with("column-");
                let known = !diagonal || self.rules["lines"] == "straight-and-diagonal";
                let target = self.ship(seat.other(), action, "target").and_then(|ship| ship.at);
                known
                    && target.is_some_and(|at| self.sheet.is_on_line(line, at))
                    && self.line.as_deref().is_none_or(|other| other == line)
                    && self.ready(seat, line) > self.torpedoes
                    && self.torpedoes < self.most_torpedoes()
            }
            _ => begun,
        }
    }

    /// The most torpedoes of this turn, by the rules and by its progress.
    fn most_torpedoes(&self) -> usize {
        // A rule missing in a rule set has its former meaning.
        let says = |name: &str, value: &str| self.rules[name] == value;
        let mined = |id: &String| !self.ships[self.turn.index()][id].afloat;
        if self.moved.is_none() && self.charged && says("without_move", "charge-or-torpedo") {
            0
        } else if says("torpedoes", "one") || self.moved.as_ref().is_some_and(mined) && says("after_mine", "one") {
            1
        } else {
            3
        }
    }

    fn allows_path(&self, seat: Seat, action: &Value) -> bool {
        let Some(ship) = self.ship(seat, action, "ship") else { return false };
        let path: Vec<&str> =
            action["path"].as_array().expect("a path").iter().map(|at| at.as_str().expect("a label")).collect();
        let id = action["ship"].as_str().expect("a ship");
        let others: Vec<Square> = self.ships[seat.index()]
            .iter()
            .filter(|(other, ship)| *other != id && ship.afloat)
            .filter_map(|(_, ship)| ship.at)
            .collect();
        let is_arrow = |at: Square| {
            self.rules["arrows"].as_array().expect("arrows").contains(&json!(self.sheet.columns * (at.0 + 1)))
        };
        let gate = |at: Square| at.1 == self.sheet.columns - 1 && is_arrow(at);
        let mut from = ship.at;
        for (index, label) in path.iter().enumerate() {
            let to = (*label != "port").then(|| self.sheet.square(label));
            let step = match (from, to) {
                (Some(a), Some(b)) => (a.0 - b.0).abs().max((a.1 - b.1).abs()) == 1,
                (Some(at), None) => gate(at),
                (None, Some(at)) => index == 0 && gate(at),
                (None, None) => false,
            };
            if !step || to.is_some_and(|to| others.contains(&to)) {
                return false;
            }
            from = to;
        }
        (1..=3).contains(&path.len())
    }

    /// Plays a legal action, and checks its reports.
    pub fn play(&mut self, seat: Seat, action: &Value) {
        self.game.play(seat, action).unwrap_or_else(|illegal| panic!("{action}: {illegal:?}"));
        let new: Vec<Value> = self.game.reports[2][self.told.len()..]
            .iter()
            .map(|report| serde_json::to_value(report).expect("JSON"))
            .collect();
        for report in new {
            self.learn(&report, action);
            self.told.push(report);
        }
        for seat in [Seat(0), Seat(1)] {
            if let Some(hidden) = &self.hidden[seat.index()] {
                assert_eq!(
                    judge::would_be_told(&self.sheet, hidden, &judge::steps(&self.sheet, seat, &self.told)),
                    Ok(()),
                    "{}",
                    self.rules
                );
            }
        }
    }

    fn learn(&mut self, report: &Value, action: &Value) {
        let seat = Seat(report["seat"].as_u64().unwrap_or_default() as u8);
        let own = &mut self.ships[seat.index()];
        match report["type"].as_str() {
            Some("depths-deployed") => self.hidden[seat.index()] = Some(Deployment::of(&self.sheet, action)),
            Some("moved") => {
                let id = report["ship"].as_str().expect("a ship");
                let ship = own.get_mut(id).expect("a known ship");
                let last =
                    report["path"].as_array().and_then(|path| path.last()).and_then(Value::as_str).expect("a step");
                ship.at = (last != "port").then(|| self.sheet.square(last));
                if ship.at.is_none() {
                    ship.charges = FULL.iter().find(|full| full.0 == id).expect("a known ship").1;
                }
                ship.afloat = report["mine"] == false;
                self.moved = Some(id.to_owned());
            }
            Some("charged") => {
                own.get_mut(report["ship"].as_str().expect("a ship")).expect("a known ship").charges -= 1;
                self.charged = true;
            }
            Some("torpedoed") => {
                let odds = &self.rules["torpedo_hits"];
                assert_eq!(report["draw"], self.draws, "draws are counted without a gap");
                self.draws += 1;
                assert!(report["drawn"].as_u64() < odds["of"].as_u64());
                assert_eq!(
                    report["hit"],
                    report["drawn"].as_u64() < odds["hits"].as_u64(),
                    "chance alone says what hits"
                );
                let target = report["target"].as_str().expect("a target");
                let enemy = self.ships[seat.other().index()].get_mut(target).expect("a known ship");
                enemy.afloat = report["hit"] == false;
                self.line = Some(report["line"].as_str().expect("a line").to_owned());
                self.torpedoes += 1;
            }
            Some("turn-ended") => {
                self.turn = seat.other();
                (self.moved, self.charged, self.line, self.torpedoes) = (None, false, None, 0);
                self.turns += 1;
            }
            _ => {}
        }
    }

    /// By seat, the number of lost submarines and of lost ships.
    fn lost(&self) -> [(usize, usize); 2] {
        [Seat(0), Seat(1)].map(|seat| {
            let hits =
                |report: &&Value| report["type"] == "charged" && report["answer"] == "hit" && report["seat"] != seat.0;
            let submarines = self.told.iter().filter(hits).count();
            (submarines, self.ships[seat.index()].values().filter(|ship| !ship.afloat).count())
        })
    }

    /// Checks the invariants after every step.
    pub fn check(&self) {
        let over = self.game.battle.status().is_over();
        let lost = self.lost();
        let beaten = lost.iter().position(|(submarines, ships)| *submarines == 3 || *ships == 3);
        let turns = self.rules["turns"].as_u64().expect("turns");
        assert_eq!(over, beaten.is_some() || self.turns == 2 * turns, "it ends at that instant, and not before");
        if !over {
            assert!(!self.game.battle.to_act().is_empty());
        } else if let Some(beaten) = beaten {
            let outcome = self.game.battle.outcome().expect("over");
            assert_eq!(outcome.winner, Some(Seat(1 - beaten as u8)));
        } else {
            let [mine, yours] = lost.map(|(submarines, ships)| submarines + ships);
            let outcome = self.game.battle.outcome().expect("over");
            let winner =
                [Seat(0), Seat(1)].into_iter().find(|seat| if seat.0 == 0 { mine < yours } else { yours < mine });
            assert_eq!((outcome.winner, json!(outcome.reason)), (winner, json!("limit")));
        }
        for seat in [Seat(0), Seat(1)] {
            self.check_sea(seat);
        }
    }

    /// Checks a spectator's view of a sea against the books.
    fn check_sea(&self, owner: Seat) {
        let seas = serde_json::to_value(self.game.views[2].seas()).expect("JSON");
        let sea = seas.as_array().expect("seas").iter().find(|sea| sea["owner"] == owner.0).expect("a sea");
        for (id, ship) in &self.ships[owner.other().index()] {
            let told =
                sea["ships"].as_array().expect("ships").iter().find(|told| told["id"] == **id).expect("it is listed");
            let cells = match (ship.afloat, ship.at) {
                (false, _) => json!([]),
                (true, None) => json!(["port"]),
                (true, Some(at)) => json!([self.sheet.square_label(at)]),
            };
            assert_eq!((&told["cells"], &told["afloat"]), (&cells, &json!(ship.afloat)));
            assert_eq!(told["stats"][0]["value"], ship.charges);
        }
        let sailing: Vec<Square> =
            self.ships[owner.other().index()].values().filter(|ship| ship.afloat).filter_map(|ship| ship.at).collect();
        assert!((1..sailing.len()).all(|n| !sailing[..n].contains(&sailing[n])), "one ship to a square");
        let Some(hidden) = &self.hidden[owner.index()] else { return };
        if self.game.battle.status() == Status::Playing {
            for mark in sea["marks"].as_array().expect("marks").iter().filter(|mark| mark["kind"] == "excluded") {
                let at = self.sheet.spot(mark["cell"].as_str().expect("a cell"));
                assert!(!hidden.submarines.contains(&at), "a white peg where a submarine lies");
            }
        }
    }
}
