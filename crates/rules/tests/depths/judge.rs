//! A second judge of the family `depths`, written from the rule sheet and sharing nothing with the crate: whether a
//! deployment could have brought about the reports. It tells which two worlds a viewer cannot tell apart.
#![allow(dead_code, reason = "each test binary uses its own part of this")]

use broadside_rules::{Dice, Seat};
use serde_json::{Value, json};

/// Row and column of a square, from 0.
pub type Square = (i32, i32);
/// Row, column and depth (100, 200, 300) of a cell.
pub type Spot = (i32, i32, i32);

/// The rules of the sea: its size, and the effect of charges.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sheet {
    pub rows: i32,
    pub columns: i32,
    pub blast: bool,
}

impl Sheet {
    /// From a rule set; by default, a sea has six rows and six columns.
    pub fn of(rules: &Value) -> Self {
        let side = |name: &str| rules[name].as_i64().unwrap_or(6) as i32;
        Self { rows: side("rows"), columns: side("columns"), blast: rules["charge"] == "blast" }
    }

    pub fn square(&self, label: &str) -> Square {
        let number: i32 = label.parse().expect("a square");
        ((number - 1) / self.columns, (number - 1) % self.columns)
    }

    pub fn square_label(&self, (row, column): Square) -> String {
        format!("{}", row * self.columns + column + 1)
    }

    pub fn spot(&self, label: &str) -> Spot {
        let (number, depth) = label.split_once('@').expect("a cell below the surface");
        let (row, column) = self.square(number);
        (row, column, depth.parse().expect("a depth"))
    }

    pub fn spot_label(&self, (row, column, depth): Spot) -> String {
        format!("{}@{depth}", self.square_label((row, column)))
    }

    /// Does a charge at `at` nearly miss a submarine at `other`?
    pub fn is_near(&self, at: Spot, other: Spot) -> bool {
        let (rows, columns, depths) = ((at.0 - other.0).abs(), (at.1 - other.1).abs(), (at.2 - other.2).abs());
        if self.blast { depths == 0 && rows.max(columns) == 1 } else { rows + columns + depths / 100 == 1 }
    }

    /// Does the square lie on the torpedo line of this id?
    pub fn is_on_line(&self, line: &str, (row, column): Square) -> bool {
        if let Some(number) = line.strip_prefix("row-") {
            return number.parse() == Ok(row + 1);
        }
        if let Some(number) = line.strip_prefix("column-") {
            return number.parse() == Ok(column + 1);
        }
        let (first, last) = line.split_once('-').expect("a diagonal is named by its ends");
        let (first, last) = (self.square(first), self.square(last));
        let (down, long) = (row - first.0, last.0 - first.0);
        let right = (last.1 - first.1).signum();
        // It goes from edge to edge.
        let at_sea = |row: i32, column: i32| (0..self.rows).contains(&row) && (0..self.columns).contains(&column);
        let whole = !at_sea(first.0 - 1, first.1 - right) && !at_sea(last.0 + 1, last.1 + right);
        let diagonal = long > 0 && (last.1 - first.1).abs() == long && at_sea(last.0, last.1);
        diagonal && whole && (0..=long).contains(&down) && column == first.1 + right * down
    }
}

/// The hidden pieces of a seat.
#[derive(Clone, PartialEq, Debug)]
pub struct Deployment {
    pub submarines: Vec<Spot>,
    pub mine: Square,
}

impl Deployment {
    pub fn of(sheet: &Sheet, action: &Value) -> Self {
        let submarines = action["submarines"].as_array().expect("submarines").iter();
        Self {
            submarines: submarines.map(|label| sheet.spot(label.as_str().expect("a label"))).collect(),
            mine: sheet.square(action["mine"].as_str().expect("a label")),
        }
    }

    pub fn action(&self, sheet: &Sheet) -> Value {
        let submarines: Vec<String> = self.submarines.iter().map(|at| sheet.spot_label(*at)).collect();
        json!({"type": "depths-deploy", "submarines": submarines, "mine": sheet.square_label(self.mine)})
    }

    /// Does the sheet allow it?
    pub fn is_legal(&self) -> bool {
        let apart = |(index, at): (usize, &Spot)| !self.submarines[..index].contains(at);
        let clear = |at: &Spot| (at.0, at.1) != self.mine;
        self.submarines.len() == 3 && self.submarines.iter().enumerate().all(apart) && self.submarines.iter().all(clear)
    }

    /// The same with one to four of its pieces elsewhere.
    pub fn varied(&self, sheet: &Sheet, dice: &mut Dice) -> Self {
        let mut other = self.clone();
        for _ in 0..1 + dice.below(4) {
            let to = (dice.below(sheet.rows as u32) as i32, dice.below(sheet.columns as u32) as i32);
            match dice.index(4) {
                3 => other.mine = to,
                submarine => other.submarines[submarine] = (to.0, to.1, 100 + 100 * dice.below(3) as i32),
            }
        }
        other
    }
}

/// A step that depends on a seat's hidden pieces, with its public report.
#[derive(Clone, Debug)]
pub enum Step {
    /// An enemy ship ended a move here, on the mine or not.
    Ended { at: Square, mine: bool },
    /// An enemy charge exploded here, with this answer.
    Charged { at: Spot, answer: String },
    /// The seat fired the n-th torpedo of a turn along a line.
    Fired { line: String, nth: usize },
}

/// The steps in public reports that depend on `owner`'s hidden pieces.
pub fn steps(sheet: &Sheet, owner: Seat, reports: &[Value]) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut nth = 0;
    for report in reports {
        let text = |name: &str| report[name].as_str().expect("a text");
        let own = report["seat"] == owner.0;
        match text("type") {
            "moved" if !own => {
                let last = report["path"].as_array().expect("a path").last().expect("a step");
                if last != "port" {
                    let at = sheet.square(last.as_str().expect("a label"));
                    steps.push(Step::Ended { at, mine: report["mine"] == true });
                }
            }
            "charged" if !own => {
                let answer = format!("{} {}", text("answer"), report["near"]);
                steps.push(Step::Charged { at: sheet.spot(text("cell")), answer });
            }
            "torpedoed" if own => {
                nth += 1;
                steps.push(Step::Fired { line: text("line").into(), nth });
            }
            "turn-ended" => nth = 0,
            _ => {}
        }
    }
    steps
}

/// Would the public reports have been the same with these hidden pieces? The error is the difference.
pub fn would_be_told(sheet: &Sheet, hidden: &Deployment, steps: &[Step]) -> Result<(), String> {
    let mut afloat = hidden.submarines.clone();
    let mut mine = Some(hidden.mine);
    for step in steps {
        match step {
            Step::Ended { at, mine: told } => {
                let here = mine == Some(*at);
                if here != *told {
                    return Err(format!("{step:?}, but the mine is at {:?}", hidden.mine));
                }
                if here {
                    mine = None;
                }
            }
            Step::Charged { at, answer } => {
                let near = afloat.iter().filter(|other| sheet.is_near(*at, **other)).count();
                let expected = match (afloat.contains(at), near) {
                    (true, _) => "hit null".to_owned(),
                    (false, 0) => "miss null".to_owned(),
                    (false, near) => format!("near {near}"),
                };
                if expected != *answer {
                    return Err(format!("{step:?}, but it would be {expected}"));
                }
                afloat.retain(|other| other != at);
            }
            Step::Fired { line, nth } => {
                let on_line = afloat.iter().filter(|at| sheet.is_on_line(line, (at.0, at.1))).count();
                if on_line < *nth {
                    return Err(format!("{step:?}, but only {on_line} submarines could"));
                }
            }
        }
    }
    Ok(())
}
