//! A judge of games of two to six seats, written from the prose of the rules and sharing nothing with the crate: the
//! public reports of salvos, the turns, the seats that are out, and the end. For rule sets without mines and moving
//! ships; the positions of ships are those sent.
#[path = "answers.rs"]
mod answers;

use std::collections::{BTreeMap, BTreeSet};

use answers::Struck;
use broadside_rules::{RuleSet, card::BoardCard};
use serde_json::{Value, json};

#[path = "weapons.rs"]
pub mod weapons;

type Cells = BTreeSet<String>;

#[derive(Clone)]
struct Ship {
    class: String,
    cells: Cells,
}

#[derive(Clone)]
pub struct Judge {
    rules: Value,
    pub seats: usize,
    names: Vec<String>,
    place: BTreeMap<String, (i32, i32)>,
    land: Cells,
    points: BTreeMap<String, u64>,
    first: usize,
    fleets: Vec<BTreeMap<String, Ship>>,
    tried: Vec<Cells>,
    hit: Vec<Cells>,
    scores: Vec<BTreeMap<&'static str, u64>>,
    pub out: BTreeSet<usize>,
    /// The groups of seats that went out together, in order.
    gone: Vec<BTreeSet<usize>>,
    /// The seat to move, and its salvos left except those earned by hits.
    pub turn: Option<usize>,
    salvos: u64,
    round: u64,
    /// The hits of each seat's last salvo, and the shots earned by them for the same turn.
    last: Vec<u64>,
    reload: Option<u64>,
    /// The reason of the end, and each seat's place.
    pub result: Option<(&'static str, Vec<u64>)>,
}

impl Judge {
    pub fn new(rules: &RuleSet, board: &BoardCard, seats: usize, first: usize) -> Self {
        let value = serde_json::to_value(rules).expect("JSON");
        let cell = |cell: &broadside_rules::card::CellCard| {
            (cell.label.to_string(), (i32::from(cell.row), i32::from(cell.column)))
        };
        let points = value["fleet"].as_array().expect("a fleet").iter().map(|class| {
            let points = class["points"].as_u64().or(class["length"].as_u64()).expect("a number");
            (class["class"].as_str().expect("an id").to_owned(), points)
        });
        Self {
            points: points.collect(),
            land: board.seas[0]
                .cells
                .iter()
                .filter(|cell| cell.feature.is_some())
                .map(|cell| cell.label.to_string())
                .collect(),
            place: board.seas[0].cells.iter().map(cell).collect(),
            names: board.seas.iter().map(|sea| sea.id.to_owned()).collect(),
            rules: value,
            seats,
            first,
            fleets: vec![BTreeMap::new(); seats],
            tried: vec![Cells::new(); seats],
            hit: vec![Cells::new(); seats],
            scores: vec![BTreeMap::new(); seats],
            out: BTreeSet::new(),
            gone: Vec::new(),
            turn: None,
            salvos: 0,
            round: 1,
            last: vec![0; seats],
            reload: None,
            result: None,
        }
    }

    fn handicap(&self, seat: usize, field: &str) -> Option<u64> {
        let handicaps = self.rules["handicaps"].as_array()?;
        handicaps.iter().find(|handicap| handicap["seat"] == seat)?[field].as_u64()
    }

    pub fn side(&self, seat: usize) -> usize {
        self.rules["teams"].as_u64().map_or(seat, |teams| seat % teams as usize)
    }

    /// The sea of a seat's ships: its own, or that of its team, named after the team's first seat.
    pub fn sea_of(&self, seat: usize) -> usize {
        if self.rules["team_seas"] == "common" { self.side(seat) } else { seat }
    }

    fn owners(&self, sea: usize) -> Vec<usize> {
        (0..self.seats).filter(|seat| self.sea_of(*seat) == sea).collect()
    }

    /// The ships in a sea: a seat that leaves takes its ships along.
    fn ships_in(&self, sea: usize) -> impl Iterator<Item = (usize, &Ship)> {
        let here = self.owners(sea).into_iter().filter(|seat| self.plays(*seat));
        here.flat_map(|seat| self.fleets[seat].values().map(move |ship| (seat, ship)))
    }

    /// The seats that place a fleet now: the first of each sea without its fleet.
    pub fn deploying(&self) -> BTreeSet<usize> {
        let missing = |seat: &usize| self.plays(*seat) && self.fleets[*seat].is_empty();
        (0..self.seats).filter_map(|sea| self.owners(sea).into_iter().find(missing)).collect()
    }

    fn sides(&self) -> BTreeSet<usize> {
        (0..self.seats).map(|seat| self.side(seat)).collect()
    }

    fn of_side(&self, side: usize) -> Vec<usize> {
        (0..self.seats).filter(|seat| self.side(*seat) == side).collect()
    }

    fn plays(&self, seat: usize) -> bool {
        !self.out.contains(&seat)
    }

    fn in_order(&self) -> Vec<usize> {
        (0..self.seats).map(|nth| (self.first + nth) % self.seats).collect()
    }

    fn is_sunk(&self, seat: usize, ship: &Ship) -> bool {
        self.rules["sinking"] == true && ship.cells.is_subset(&self.hit[self.sea_of(seat)])
    }

    fn sunk(&self, seat: usize) -> u64 {
        self.fleets[seat].values().filter(|ship| self.is_sunk(seat, ship)).count() as u64
    }

    fn is_afloat(&self, seat: usize) -> bool {
        self.plays(seat) && self.sunk(seat) < self.fleets[seat].len() as u64
    }

    pub fn deploy(&mut self, seat: usize, action: &Value) {
        let classes: Vec<&String> = self.points.keys().collect();
        for ship in action["ships"].as_array().expect("ships") {
            let id = ship["ship"].as_str().expect("an id");
            let of = |class: &&&String| {
                let number = id.strip_prefix(class.as_str()).map(|rest| rest.trim_start_matches('-'));
                number.is_some_and(|rest| rest.is_empty() || rest.parse::<u8>().is_ok())
            };
            let class = classes.iter().find(of).expect("a class").to_string();
            self.fleets[seat].insert(id.to_owned(), Ship { class, cells: texts(&ship["cells"]).into_iter().collect() });
        }
        self.begin();
    }

    fn begin(&mut self) {
        let placed = |seat: &usize| !self.plays(*seat) || !self.fleets[*seat].is_empty();
        if self.turn.is_none() && (0..self.seats).collect::<Vec<_>>().iter().all(placed) {
            self.turn = self.in_order().into_iter().find(|seat| self.plays(*seat));
            self.salvos = 1 + self.turn.and_then(|seat| self.handicap(seat, "first_turns")).unwrap_or(0);
        }
    }

    /// A salvo: the report of its shots to each viewer, and the public consequences.
    pub fn fire(&mut self, seat: usize, action: &Value) -> (Vec<Value>, Value) {
        self.volley(seat, self.sea(seat, action), texts(&action["cells"]))
    }

    /// Shots at these cells, of the guns or of a weapon.
    fn volley(&mut self, seat: usize, sea: usize, cells: Vec<String>) -> (Vec<Value>, Value) {
        let mut shots = Vec::new();
        for cell in cells {
            assert!(self.tried[sea].insert(cell.clone()), "no cell twice");
            let struck = self.ships_in(sea).find(|(_, ship)| ship.cells.contains(&cell));
            let struck = struck.map(|(owner, ship)| (owner, ship.clone()));
            let (word, number) = match &struck {
                None if self.is_near(sea, &cell) => ("sighted", self.number(sea, &cell)),
                None => ("miss", self.number(sea, &cell)),
                Some((owner, ship)) => {
                    self.hit[sea].insert(cell.clone());
                    let sunk = self.is_sunk(*owner, ship);
                    let score = &mut self.scores[seat];
                    *score.entry("hits").or_default() += 1;
                    if sunk {
                        *score.entry("ships").or_default() += 1;
                        *score.entry("points").or_default() += self.points[&ship.class];
                    }
                    (if sunk { "sunk" } else { "hit" }, None)
                }
            };
            shots.push(Struck { cell, word, class: struck.map(|(_, ship)| ship.class), number });
        }
        let told = |own: bool| {
            let mut told = self.in_all(&shots);
            told["shots"] = shots.iter().map(|shot| if own { shot.truly() } else { self.publicly(shot) }).collect();
            told
        };
        let own = |viewer: usize| viewer < self.seats && self.side(viewer) == self.side(sea);
        let told: Vec<Value> = (0..=self.seats).map(|viewer| told(own(viewer))).collect();
        let hits = shots.iter().filter(|shot| matches!(shot.word, "hit" | "sunk")).count() as u64;
        let before = self.out.clone();
        self.after_salvo(seat, hits);
        (told, self.follows(&before))
    }

    /// The public consequences.
    fn follows(&self, before: &BTreeSet<usize>) -> Value {
        if self.result.is_some() {
            return json!({"next": null});
        }
        let turn = self.turn.expect("somebody's turn");
        let mut told = json!({"next": {"seat": turn, "action": "fire", "shots": self.salvo(turn)}});
        let out: Vec<&usize> = self.out.difference(before).collect();
        if !out.is_empty() {
            told["out"] = json!(out);
        }
        if self.rules["turn_limit"].is_object() {
            told["round"] = json!(self.round);
        }
        told
    }

    fn score(&self, side: usize, what: &str) -> u64 {
        self.of_side(side).iter().filter_map(|seat| self.scores[*seat].get(what)).sum()
    }

    /// The count for victory, and the number that wins.
    fn aim(&self) -> Option<(&'static str, u64)> {
        let aims = ["hits", "ships", "points"];
        aims.into_iter().find_map(|what| Some((what, self.rules["victory"][what].as_u64()?)))
    }

    fn may_fire(&self, seat: usize) -> bool {
        let done = self.aim().is_some_and(|(what, enough)| self.score(self.side(seat), what) >= enough);
        let enemies = (0..self.seats).any(|other| self.side(other) != self.side(seat) && self.is_afloat(other));
        self.plays(seat) && !done && enemies && !self.targets(seat).is_empty()
    }

    fn after_salvo(&mut self, seat: usize, hits: u64) {
        let hit = hits > 0;
        let at_once = self.rules["salvo"]["extra"] == "at-once";
        (self.last[seat], self.reload) = (hits, None);
        let goes_on = self.rules["last_turn"] == true;
        if !goes_on && self.ends() {
            return;
        }
        let again = match self.rules["turn"].as_str() {
            Some("while-hitting") => hit,
            Some("while-missing") => !hit,
            _ => at_once && hit,
        };
        if !(again && self.may_fire(seat)) {
            self.salvos -= 1;
            self.go_on();
        } else if at_once {
            self.reload = Some(hits);
        }
    }

    /// The next turn, or salvo of this one; the end of a round; or the end.
    fn go_on(&mut self) {
        let turn = self.turn.expect("somebody's turn");
        self.reload = None;
        if self.salvos > 0 && self.may_fire(turn) {
            return;
        }
        let order = self.in_order();
        let at = order.iter().position(|seat| *seat == turn).expect("a seat");
        let mut next = order[at + 1..].iter().copied().find(|seat| self.may_fire(*seat));
        if next.is_none() {
            if self.ends() {
                return;
            }
            let limit = &self.rules["turn_limit"];
            if limit["turns"].as_u64().is_some_and(|turns| self.round >= turns) {
                let by = limit["by"].as_str().expect("a word").to_owned();
                return self.rank("limit", |judge, side| judge.score(side, &by));
            }
            self.round += 1;
            next = order.into_iter().find(|seat| self.may_fire(*seat));
        }
        let Some(next) = next else {
            let what = self.aim().map_or("ships", |aim| aim.0);
            return self.rank("limit", |judge, side| judge.score(side, what));
        };
        self.turn = Some(next);
        let more = self.handicap(next, "first_turns").filter(|_| self.round == 1);
        self.salvos = 1 + more.unwrap_or(0);
    }

    /// Does it end here? Sides with no ship afloat are out.
    fn ends(&mut self) -> bool {
        let of_players: BTreeSet<usize> =
            (0..self.seats).filter(|seat| self.plays(*seat)).map(|seat| self.side(seat)).collect();
        if let Some((what, enough)) = self.aim()
            && of_players.iter().any(|side| self.score(*side, what) >= enough)
        {
            self.rank(what, |judge, side| judge.score(side, what).min(enough));
            return true;
        }
        let lost = self.sides().into_iter().map(|side| self.of_side(side));
        let lost = lost.filter(|side| side.iter().any(|seat| self.plays(*seat)));
        let lost: BTreeSet<usize> =
            lost.filter(|side| side.iter().all(|seat| !self.is_afloat(*seat))).flatten().collect();
        self.go(lost);
        let playing: BTreeSet<usize> =
            (0..self.seats).filter(|seat| self.plays(*seat)).map(|seat| self.side(seat)).collect();
        if playing.len() < 2 {
            self.rank("fleet", |_, _| 0);
        }
        playing.len() < 2
    }

    fn go(&mut self, seats: BTreeSet<usize>) {
        if !seats.is_empty() {
            self.out.extend(&seats);
            self.gone.push(seats);
        }
    }

    /// The places of all seats: sides that still play by their scores, then those that are out, the last first.
    fn rank(&mut self, reason: &'static str, score: impl Fn(&Self, usize) -> u64) {
        let playing: BTreeSet<usize> =
            (0..self.seats).filter(|seat| self.plays(*seat)).map(|seat| self.side(seat)).collect();
        let better = |seat: usize| -> usize {
            let side = self.side(seat);
            let seats_of = |sides: Vec<usize>| sides.into_iter().flat_map(|side| self.of_side(side)).count();
            if playing.contains(&side) {
                let ahead = playing.iter().copied().filter(|other| score(self, *other) > score(self, side));
                return seats_of(ahead.collect());
            }
            let group = self.gone.iter().position(|group| group.contains(&seat)).expect("out");
            let later: usize = self.gone[group + 1..].iter().map(BTreeSet::len).sum();
            seats_of(playing.iter().copied().collect()) + later
        };
        let places = (0..self.seats).map(|seat| better(seat) as u64 + 1).collect();
        self.result = Some((reason, places));
        self.turn = None;
    }

    /// Resigns a seat: its ships leave the sea. Returns the public consequences, if the match goes on.
    pub fn leave(&mut self, seat: usize) -> Option<Value> {
        self.out.insert(seat);
        let side = self.of_side(self.side(seat));
        if side.iter().all(|seat| !self.plays(*seat)) {
            self.gone.push(side.iter().copied().collect());
        }
        let playing: BTreeSet<usize> =
            (0..self.seats).filter(|seat| self.plays(*seat)).map(|seat| self.side(seat)).collect();
        if playing.len() < 2 {
            self.rank("resignation", |_, _| 0);
            return None;
        }
        let before = self.out.clone();
        if let Some(turn) = self.turn {
            if self.rules["last_turn"] != true && self.ends() {
                return None;
            }
            if !self.may_fire(turn) {
                self.salvos = 0;
                self.go_on();
            }
        } else {
            self.begin();
        }
        if self.result.is_some() {
            return None;
        }
        let mut told = match self.turn {
            Some(_) => self.follows(&before),
            None => json!({"next": null}),
        };
        if told["out"].is_null() {
            told["out"] = json!([]);
        }
        if self.turn.is_none() && self.rules["turn_limit"].is_object() {
            told["round"] = json!(1);
        }
        Some(told)
    }
}

fn texts(labels: &Value) -> Vec<String> {
    labels.as_array().expect("labels").iter().map(|label| label.as_str().expect("a label").to_owned()).collect()
}
