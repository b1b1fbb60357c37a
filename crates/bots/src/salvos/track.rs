//! The possible cells of each ship by the posted reports: the enemies', and the own ones as the enemies see them.
use broadside_rules::{
    families::salvos::{
        Rules,
        rules::{Deployment, MovesPosted},
    },
    grid::{Board, Cell, CellSet, Labels},
};
use serde_json::Value;

use crate::view::{Ship, View, texts};

/// A ship and its possible cells.
pub(super) struct Vessel {
    pub id: String,
    pub seat: u8,
    pub own: bool,
    pub submarine: bool,
    pub destroyer: bool,
    pub attack: u16,
    /// The known armour left.
    pub armour: u16,
    pub speed: u8,
    pub range: (u8, u8),
    /// The ship's possible cells to all others.
    pub cells: CellSet,
    /// The cell of a ship that the viewer sees.
    pub at: Option<Cell>,
}

pub(super) struct Track {
    pub board: Board,
    pub vessels: Vec<Vessel>,
    posted: MovesPosted,
}

/// The posted effect of a salvo.
struct Posted<'v> {
    by: &'v str,
    cells: Vec<Cell>,
    hit: Vec<String>,
    sunk: Vec<String>,
}

impl Track {
    pub(super) fn new(rules: &Rules, view: &View, reports: &[Value]) -> Option<Self> {
        let sea = view.seas.first()?;
        let seats = sea.ships.iter().map(|ship| ship.seat + 1).max()?;
        let board =
            Board { rows: rules.rows_per_seat.checked_mul(seats)?, columns: rules.columns, labels: Labels::RowLetter };
        let bands: Vec<u8> = reports
            .iter()
            .filter(|report| report["type"] == "bands-drawn")
            .flat_map(|report| report["bands"].as_array().into_iter().flatten())
            .filter_map(|seat| u8::try_from(seat.as_u64()?).ok())
            .collect();
        let team = |seat: u8| rules.teams.map_or(seat, |teams| seat % teams.max(1));
        let vessel = |ship: &Ship| {
            let cells = board.iter().filter(|cell| is_open(rules, board, seats, &bands, ship.seat, *cell));
            Vessel {
                id: ship.id.clone(),
                seat: ship.seat,
                own: team(ship.seat) == team(view.seat()),
                submarine: ship.class == "submarine",
                destroyer: ship.class == "destroyer",
                attack: ship.stat("attack"),
                armour: ship.stat("armour"),
                speed: ship.stat("speed") as u8,
                range: (ship.stat("min-range") as u8, ship.stat("max-range") as u8),
                cells: cells.collect(),
                at: ship.cells.as_ref().and_then(|cells| board.parse(cells.first()?)),
            }
        };
        let mut track = Self { board, vessels: sea.ships.iter().map(vessel).collect(), posted: rules.moves_posted };
        reports.iter().for_each(|report| track.take_in(report));
        let afloat = |id: &str| sea.ships.iter().any(|ship| ship.id == id && ship.afloat == Some(true));
        track.vessels.retain(|vessel| afloat(&vessel.id));
        track.part();
        Some(track)
    }

    fn take_in(&mut self, report: &Value) {
        let list = |name: &str| report[name].as_array().into_iter().flatten();
        match report["type"].as_str() {
            Some("opened") => list("salvos").for_each(|salvo| self.fired(salvo)),
            Some("ordered") => {
                if self.posted == MovesPosted::Nothing {
                    self.all_may_move(report);
                }
                for order in list("orders") {
                    if order["order"] == "move" { self.moved(order) } else { self.fired(order) }
                }
            }
            _ => {}
        }
    }

    fn fired(&mut self, salvo: &Value) {
        let board = self.board;
        let labels = texts(&salvo["cells"]).chain(salvo["cell"].as_str());
        let mut cells: Vec<Cell> = labels.filter_map(|label| board.parse(label)).collect();
        let named = |list: &'_ Value| -> Vec<String> {
            let ships = list.as_array().into_iter().flatten();
            ships.filter_map(|ship| ship["ship"].as_str().map(str::to_owned)).collect()
        };
        let (hit, sunk) = (named(&salvo["hit"]), named(&salvo["sunk"]));
        let Some(by) = salvo["ship"].as_str() else { return };
        if salvo.get("cells").is_none() {
            // An opening salvo: all shots of the ship.
            let shots = self.vessels.iter().find(|vessel| vessel.id == by).map_or(1, |vessel| vessel.attack);
            cells = cells.into_iter().flat_map(|cell| std::iter::repeat_n(cell, usize::from(shots.max(1)))).collect();
        }
        self.post(&Posted { by, cells, hit, sunk });
    }

    fn post(&mut self, posted: &Posted<'_>) {
        let board = self.board;
        let targets: CellSet = posted.cells.iter().copied().collect();
        let direct = targets.len() == 1;
        let by = self.vessels.iter().find(|vessel| vessel.id == posted.by);
        let (seat, destroyer) = by.map_or((u8::MAX, false), |vessel| (vessel.seat, vessel.destroyer));
        for vessel in &mut self.vessels {
            let (keep, otherwise) = if vessel.id == posted.by {
                (self_seen(board, vessel, &targets), board.all().without(&targets))
            } else if posted.hit.contains(&vessel.id) {
                if !vessel.own {
                    let shots = if direct { posted.cells.len() as u16 } else { 1 };
                    vessel.armour = vessel.armour.saturating_sub(shots).max(1);
                }
                (vessel.cells.and(&targets), targets)
            } else if vessel.seat == seat || !vessel.submarine || direct || destroyer {
                (vessel.cells.without(&targets), board.all().without(&targets))
            } else {
                continue;
            };
            // A path that was cut short unseen can lead astray: then the ship may be anywhere that fits.
            vessel.cells = if keep.is_empty() { otherwise } else { keep };
        }
        self.vessels.retain(|vessel| !posted.sunk.contains(&vessel.id));
    }

    fn moved(&mut self, order: &Value) {
        let board = self.board;
        let Some(vessel) = self.vessels.iter_mut().find(|vessel| order["ship"] == vessel.id.as_str()) else { return };
        let shifted = match order["steps"].is_array() {
            true => shifted(board, &vessel.cells, &order["steps"]),
            false => around(board, &vessel.cells, vessel.speed),
        };
        vessel.cells = if shifted.is_empty() { board.all() } else { shifted };
    }

    /// Without a posted move, every ship of the seat that did not fire may have moved.
    fn all_may_move(&mut self, report: &Value) {
        let (board, orders) = (self.board, report["orders"].as_array());
        for vessel in self.vessels.iter_mut().filter(|vessel| report["seat"] == vessel.seat) {
            let fired = |order: &Value| order["order"] == "fire" && order["ship"] == vessel.id.as_str();
            if !orders.is_some_and(|orders| orders.iter().any(fired)) {
                vessel.cells = around(board, &vessel.cells, vessel.speed);
            }
        }
    }

    /// No two ships share a cell: enemies are on no cell of the viewer's ships, nor on another's certain cell.
    fn part(&mut self) {
        let friends: CellSet = self.vessels.iter().filter_map(|vessel| vessel.at).collect();
        for _ in 0..2 {
            let certain = self.vessels.iter().filter(|vessel| !vessel.own && vessel.cells.len() == 1);
            let certain: Vec<(String, CellSet)> = certain.map(|vessel| (vessel.id.clone(), vessel.cells)).collect();
            for vessel in self.vessels.iter_mut().filter(|vessel| !vessel.own) {
                let others = certain.iter().filter(|(id, _)| *id != vessel.id);
                let taken = others.fold(friends, |taken, (_, cells)| taken.or(cells));
                let left = vessel.cells.without(&taken);
                if !left.is_empty() {
                    vessel.cells = left;
                }
            }
        }
    }

    /// The larger of the row and column differences.
    pub(super) fn apart(&self, a: Cell, b: Cell) -> u8 {
        apart(self.board, a, b)
    }
}

/// The public conclusion from a ship that fires at these cells.
pub(super) fn self_seen(board: Board, vessel: &Vessel, targets: &CellSet) -> CellSet {
    let (nearest, farthest) = vessel.range;
    let within = |cell: Cell| targets.iter().all(|target| (nearest..=farthest).contains(&apart(board, cell, target)));
    vessel.cells.iter().filter(|cell| within(*cell) && !targets.contains(*cell)).collect()
}

/// A ship's possible cells after these steps, by public knowledge.
pub(super) fn shifted(board: Board, cells: &CellSet, steps: &Value) -> CellSet {
    let (down, right) = texts(steps).fold((0, 0), |sum, step| (sum.0 + shift(step).0, sum.1 + shift(step).1));
    cells.iter().filter_map(|cell| beside(board, cell, down, right)).collect()
}

fn apart(board: Board, a: Cell, b: Cell) -> u8 {
    board.row(a).abs_diff(board.row(b)).max(board.column(a).abs_diff(board.column(b)))
}

/// The cell this many rows down and columns to the right.
pub(super) fn beside(board: Board, cell: Cell, down: i8, right: i8) -> Option<Cell> {
    board.cell(board.row(cell).checked_add_signed(down)?, board.column(cell).checked_add_signed(right)?)
}

/// A step of the compass as rows down and columns to the right.
pub(super) fn shift(step: &str) -> (i8, i8) {
    let has = |letter| i8::from(step.contains(letter));
    (has('S') - has('N'), has('E') - has('W'))
}

fn around(board: Board, cells: &CellSet, speed: u8) -> CellSet {
    board.iter().filter(|cell| cells.iter().any(|other| apart(board, *cell, other) <= speed)).collect()
}

/// May a seat deploy on this cell?
fn is_open(rules: &Rules, board: Board, seats: u8, bands: &[u8], seat: u8, cell: Cell) -> bool {
    match rules.deployment {
        Deployment::Free => true,
        Deployment::Bands => {
            bands.get(usize::from(board.row(cell) / rules.rows_per_seat.max(1))).is_none_or(|owner| *owner == seat)
        }
        Deployment::Interleaved => {
            let along = u16::from(board.row(cell)) + u16::from(board.column(cell)) * slant(seats);
            along % u16::from(seats) == u16::from(seat)
        }
    }
}

/// The shift of a cell's owner from one column to the next: 1 for two and three seats, else the smallest number from 2
/// that is coprime to the number of seats.
fn slant(seats: u8) -> u16 {
    const fn divisor(a: u16, b: u16) -> u16 {
        if b == 0 { a } else { divisor(b, a % b) }
    }
    if seats < 4 { 1 } else { (2..).find(|shift| divisor(*shift, u16::from(seats)) == 1).unwrap_or(1) }
}
