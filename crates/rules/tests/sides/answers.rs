//! The answers to a salvo, and the size of the next one: from the prose, like the rest of the judge.
use serde_json::{Value, json};

use super::{Judge, Ship};

/// A shot's true result.
pub struct Struck {
    pub cell: String,
    pub word: &'static str,
    pub class: Option<String>,
    pub number: Option<u64>,
}

impl Struck {
    fn told(&self, word: Option<&str>, class: Option<&String>) -> Value {
        let mut told = json!({"cell": self.cell, "answer": word, "class": class});
        if let Some(number) = self.number {
            told["clue"] = json!(number);
        }
        told
    }

    /// The report to the target and its allies.
    pub fn truly(&self) -> Value {
        self.told(Some(self.word), self.class.as_ref())
    }

    fn is_hit(&self) -> bool {
        matches!(self.word, "hit" | "sunk")
    }
}

impl Judge {
    fn is(&self, parameter: &str) -> bool {
        self.rules[parameter] == true
    }

    /// The public answer to a shot.
    fn word(&self, shot: &Struck) -> &'static str {
        match shot.word {
            "sunk" if !self.is("names_sunk") && !self.is("announces_sunk") => "hit",
            word => word,
        }
    }

    /// The public report of a shot.
    pub fn publicly(&self, shot: &Struck) -> Value {
        if self.rules["report"] != "per-shot" {
            return json!({"cell": shot.cell, "answer": null, "class": null});
        }
        let word = self.word(shot);
        let named = shot.is_hit() && self.is("names_hit") || word == "sunk" && self.is("names_sunk");
        shot.told(Some(word), shot.class.as_ref().filter(|_| named))
    }

    /// The public report of the salvo as a whole.
    pub fn in_all(&self, shots: &[Struck]) -> Value {
        let report = self.rules["report"].as_str().expect("a word");
        let tallied = report.starts_with("tally");
        let by_class = |wanted: &dyn Fn(&&Struck) -> bool, what: &str| -> Value {
            let count = |class: &Value| {
                let of = |shot: &&Struck| shot.class.as_deref() == class["class"].as_str();
                shots.iter().filter(wanted).filter(of).count()
            };
            let classes = self.rules["fleet"].as_array().expect("classes").iter();
            let counted = classes.map(|class| json!({"class": class["class"], what: count(class)}));
            counted.filter(|told| told[what] != 0).collect()
        };
        let mut told = json!({"hits": null, "hits_by_class": null});
        let hit = |shot: &&Struck| shot.is_hit();
        let sunk = |shot: &&Struck| shot.word == "sunk";
        match report {
            "tally" => told["hits"] = json!(shots.iter().filter(hit).count()),
            "tally-per-ship" => told["hits_by_class"] = by_class(&hit, "hits"),
            "per-salvo" => {
                let words = ["sunk", "hit", "sighted", "miss"].into_iter();
                let best = words.into_iter().find(|word| shots.iter().any(|shot| self.word(shot) == *word));
                told["answer"] = json!(best.expect("a shot"));
            }
            _ => {}
        }
        if tallied && self.is("announces_sunk") {
            told["sunk"] = json!(shots.iter().filter(sunk).count());
        }
        if report != "per-shot" && self.is("names_sunk") {
            told["sunk_by_class"] = by_class(&sunk, "sunk");
        }
        told
    }

    /// Is a cell beside a ship afloat, for the purpose of sightings?
    pub fn is_near(&self, sea: usize, cell: &str) -> bool {
        let near = match self.rules["sighting"].as_str() {
            Some("orthogonal") => |(down, right)| down + right == 1,
            Some("all") => |(down, right): (i32, i32)| down.max(right) == 1,
            _ => return false,
        };
        self.afloat_in(sea).flat_map(|ship| &ship.cells).any(|other| near(self.apart(cell, other)))
    }

    /// The number in the answer to a shot that strikes no ship.
    pub fn number(&self, sea: usize, cell: &str) -> Option<u64> {
        let all = || self.ships_in(sea).flat_map(|(_, ship)| &ship.cells).map(|other| self.apart(cell, other));
        let afloat = || self.afloat_in(sea).flat_map(|ship| &ship.cells).map(|other| self.apart(cell, other));
        let number = match self.rules["clue"].as_str()? {
            "neighbours-orthogonal" => Some(all().filter(|(down, right)| down + right == 1).count() as i32),
            "neighbours-all" => Some(all().filter(|(down, right)| *down.max(right) == 1).count() as i32),
            "distance-king" => afloat().map(|(down, right)| down.max(right)).min(),
            "distance-steps" => afloat().map(|(down, right)| down + right).min(),
            _ => None,
        };
        number.map(|number| number as u64)
    }

    fn afloat_in(&self, sea: usize) -> impl Iterator<Item = &Ship> {
        self.ships_in(sea).filter(|(seat, ship)| !self.is_sunk(*seat, ship)).map(|(_, ship)| ship)
    }

    /// The rows and columns between two cells.
    fn apart(&self, one: &str, other: &str) -> (i32, i32) {
        let ((row, column), (r, c)) = (self.place[one], self.place[other]);
        ((r - row).abs(), (c - column).abs())
    }

    /// The number of cells of a sea that can still be fired at.
    pub(super) fn untried(&self, sea: usize) -> u64 {
        (self.place.len() - self.land.len() - self.tried[sea].len()) as u64
    }

    pub(super) fn targets(&self, seat: usize) -> Vec<usize> {
        let enemy = |sea: &usize| {
            let mut owners = self.owners(*sea).into_iter();
            owners.any(|owner| self.side(owner) != self.side(seat) && self.plays(owner)) && self.untried(*sea) > 0
        };
        (0..self.seats).filter(enemy).collect()
    }

    /// The size of the seat's next salvo.
    pub fn salvo(&self, seat: usize) -> u64 {
        let room = self.targets(seat).iter().map(|sea| self.untried(*sea)).max().unwrap_or(0);
        if let Some(shots) = self.reload {
            return shots.min(room);
        }
        let salvo = &self.rules["salvo"];
        let full = self.handicap(seat, "salvo").or(salvo["size"].as_u64()).expect("a size");
        let afloat = |seat: usize| -> Vec<&Ship> {
            self.fleets[seat].values().filter(|ship| !self.is_sunk(seat, ship)).collect()
        };
        let cells = || afloat(seat).into_iter().map(|ship| ship.cells.len() as u64);
        let shots_of = |ship: &Ship| {
            let classes = self.rules["fleet"].as_array().expect("classes");
            let class = classes.iter().find(|class| class["class"] == ship.class.as_str()).expect("its class");
            class["shots"].as_u64().unwrap_or(1)
        };
        let shots = match salvo["shots"].as_str().unwrap_or("fixed") {
            "fixed" if salvo["shrinks"] == "per-own-loss" => full.saturating_sub(self.sunk(seat)),
            "fixed" => full,
            "per-ship" => afloat(seat).len() as u64,
            "per-class" => afloat(seat).into_iter().map(shots_of).sum(),
            "per-cell" => cells().sum(),
            "per-whole-cell" => {
                let hit = &self.hit[self.sea_of(seat)];
                let whole = |ship: &Ship| ship.cells.iter().filter(|cell| !hit.contains(*cell)).count() as u64;
                afloat(seat).into_iter().map(whole).sum()
            }
            "longest-ship" => cells().max().unwrap_or(0),
            _ => {
                let enemies =
                    (0..self.seats).filter(|other| self.side(*other) != self.side(seat) && self.plays(*other));
                enemies.map(|enemy| afloat(enemy).len() as u64).sum()
            }
        };
        let earned = if salvo["extra"] == "next-salvo" { self.last[seat] } else { 0 };
        (shots.clamp(1, full) + earned).min(26).min(room)
    }
}
