//! The knowledge of an enemy sea, as a puzzle: its ships, their possible places, and the reports on cells.
use broadside_rules::{
    families::gunnery::{
        Rules,
        rules::{Clue, Contact, Relocation, SalvoReporting, Sighting},
        weapons::Effect,
    },
    grid::{Board, Cell, CellSet},
};
use serde_json::Value;

use super::fleet::{steps, ways, zones};
use crate::{
    sampler::{Count, Piece, Puzzle},
    view::{Kind, Sea, number, texts},
};

/// The weight left to a tally after each time that the ships could move.
const FADING: f32 = 0.8;
/// The weight against a fleet of one hit too many or too few when ships cannot have moved since.
const TRUST: f32 = 3.0;

/// The waters of a match, the same in every sea.
pub(super) struct Waters<'r> {
    pub rules: &'r Rules,
    pub board: Board,
    pub land: CellSet,
    zone: Vec<Vec<u16>>,
    /// The ways of a ship of each class, in the order of the rule set.
    ways: Vec<Vec<Vec<u16>>>,
}

/// The knowledge of the cells of a sea.
pub(super) struct Cells {
    /// No ship lies here.
    pub empty: CellSet,
    pub tried: CellSet,
    pub struck: CellSet,
    pub sunk: CellSet,
    /// A ship lies here, and was not hit.
    pub seen: CellSet,
    /// The class that was struck, if told.
    class: Vec<Option<u16>>,
}

impl<'r> Waters<'r> {
    pub(super) fn new(rules: &'r Rules, reports: &[Value]) -> Self {
        let board = rules.board;
        let islands = rules.islands.as_ref();
        let mut land: CellSet =
            islands.into_iter().flat_map(|islands| &islands.cells).filter_map(|label| board.parse(label)).collect();
        for report in reports.iter().filter(|report| report["type"] == "islands-drawn") {
            land = texts(&report["cells"]).filter_map(|label| board.parse(label)).collect();
        }
        let contact = islands.map_or(Contact::Allowed, |islands| islands.contact);
        let coast_of = zones(board, contact);
        let coast = land.iter().flat_map(|cell| &coast_of[cell.index()]).map(|cell| Cell(*cell)).collect();
        let classes =
            broadside_rules::RuleSet::Gunnery(rules.clone()).classes(broadside_rules::card::Language::English);
        let ways = classes.iter().map(|class| ways(rules, &steps(&class.orientations), &coast)).collect();
        Self { rules, board, land, zone: zones(board, rules.contact), ways }
    }

    fn class(&self, id: &str) -> Option<usize> {
        self.rules.fleet.iter().position(|class| class.class.as_str() == id)
    }

    fn moves(&self) -> bool {
        self.rules.relocation != Relocation::No
    }

    pub(super) fn cells(&self, sea: &Sea) -> Cells {
        let none = || CellSet::NONE;
        let class = vec![None; usize::from(self.board.cells())];
        let mut cells = Cells { empty: self.land, tried: none(), struck: none(), sunk: none(), seen: none(), class };
        for mark in &sea.marks {
            let Some(cell) = self.board.parse(&mark.cell) else { continue };
            if mark.kind.is_tried() {
                cells.tried.insert(cell);
            }
            match mark.kind {
                Kind::Miss | Kind::Sighted | Kind::Excluded | Kind::Mine => {
                    cells.empty.insert(cell);
                }
                Kind::Hit => {
                    cells.struck.insert(cell);
                }
                Kind::Sunk => {
                    cells.struck.insert(cell);
                    cells.sunk.insert(cell);
                }
                Kind::Seen => {
                    cells.seen.insert(cell);
                }
                _ => {}
            }
            let class = mark.class.as_ref().and_then(|id| self.class(id));
            cells.class[cell.index()] = class.map(|class| class as u16);
        }
        cells
    }

    pub(super) fn puzzle(&self, sea: &Sea, cells: &Cells, reports: &[Value], alone: bool) -> Puzzle {
        let mut empty = cells.empty;
        let mut counts = Vec::new();
        self.count_cells(cells, &mut counts);
        let told = reports.iter().filter(|report| {
            let by_name = report["target"].as_str();
            let at_it = by_name.map_or(alone && report["seat"].as_u64() != sea.owner.map(u64::from), |id| id == sea.id);
            at_it && (report["type"] == "fired" || report["type"] == "scanned")
        });
        let told: Vec<&Value> = told.collect();
        for (index, report) in told.iter().enumerate() {
            let doubt = self.moves().then(|| TRUST * FADING.powi((told.len() - index) as i32));
            if report["type"] == "fired" {
                self.count_salvo(report, doubt, &mut counts);
                self.count_shots(report, cells, doubt, &mut empty, &mut counts);
            } else {
                self.count_scan(report, cells, doubt, &mut counts);
            }
        }
        let pieces = sea.ships.iter().filter_map(|ship| {
            let class = self.class(&ship.class)?;
            let length = usize::from(self.rules.fleet[class].length);
            let may = |way: &&Vec<u16>| self.may_lie(way, class as u16, ship.afloat, cells, &empty);
            let mut places: Vec<u16> = self.ways[class].iter().filter(may).flatten().copied().collect();
            if places.is_empty() {
                let dry = |way: &&Vec<u16>| way.iter().all(|cell| !cells.empty.contains(Cell(*cell)));
                places = self.ways[class].iter().filter(dry).flatten().copied().collect();
            }
            (!places.is_empty()).then_some(Piece { kind: class as u16, length, places })
        });
        Puzzle { cells: cells.class.len(), pieces: pieces.collect(), counts, zone: self.zone.clone() }
    }

    /// May a ship of this class lie this way, taken by itself?
    fn may_lie(&self, way: &[u16], class: u16, afloat: Option<bool>, cells: &Cells, empty: &CellSet) -> bool {
        let any = |set: &CellSet| way.iter().any(|cell| set.contains(Cell(*cell)));
        let all = |set: &CellSet| way.iter().all(|cell| set.contains(Cell(*cell)));
        let other = |cell: &u16| cells.class[usize::from(*cell)].is_some_and(|other| other != class);
        if any(empty) || way.iter().any(other) {
            return false;
        }
        if self.moves() {
            return true;
        }
        let told = self.rules.sinking && (self.rules.names_sunk || self.rules.announces_sunk);
        if !told {
            return true;
        }
        if self.rules.report == SalvoReporting::PerShot {
            // Its last cell tells whether it is sunk.
            return if any(&cells.sunk) {
                afloat != Some(true) && all(&cells.struck)
            } else {
                afloat != Some(false) && !all(&cells.struck)
            };
        }
        match afloat {
            Some(true) => !all(&cells.tried),
            Some(false) => all(&cells.tried),
            None => true,
        }
    }

    /// Each cell that was struck, or where a ship was seen, is covered.
    fn count_cells(&self, cells: &Cells, counts: &mut Vec<Count>) {
        for cell in cells.struck.or(&cells.seen).iter() {
            let doubt = (self.moves() && !cells.seen.contains(cell)).then_some(TRUST / 3.0);
            counts.push(Count { cells: vec![cell.0], kind: cells.class[cell.index()], least: 1, most: 1, doubt });
        }
    }

    /// Counts the report on a salvo as a whole.
    fn count_salvo(&self, report: &Value, doubt: Option<f32>, counts: &mut Vec<Count>) {
        let shots = report["shots"].as_array();
        let cells = shots.into_iter().flatten().filter_map(|shot| self.board.parse(shot["cell"].as_str()?));
        let cells: Vec<u16> = cells.map(|cell| cell.0).collect();
        if let Some(by_class) = report["hits_by_class"].as_array() {
            for (class, kind) in self.rules.fleet.iter().enumerate() {
                let told = by_class.iter().find(|told| told["class"] == kind.class.as_str());
                let hits = told.map_or(0, |told| number(&told["hits"], 0));
                counts.push(Count { cells: cells.clone(), kind: Some(class as u16), least: hits, most: hits, doubt });
            }
        } else if let Some(hits) = report["hits"].as_u64() {
            let hits = hits as u16;
            counts.push(Count { cells, kind: None, least: hits, most: hits, doubt });
        } else if let Some(answer) = report["answer"].as_str() {
            let struck = answer == "hit" || answer == "sunk";
            let most = if struck { cells.len() as u16 } else { 0 };
            counts.push(Count { cells, kind: None, least: struck.into(), most, doubt });
        }
    }

    /// Counts the reports on the neighbourhood of shots that struck no ship.
    fn count_shots(
        &self,
        report: &Value,
        cells: &Cells,
        doubt: Option<f32>,
        empty: &mut CellSet,
        counts: &mut Vec<Count>,
    ) {
        let board = self.board;
        for shot in report["shots"].as_array().into_iter().flatten() {
            let Some(cell) = shot["cell"].as_str().and_then(|label| board.parse(label)) else { continue };
            let near: Vec<Cell> = match self.rules.sighting {
                Sighting::No => Vec::new(),
                Sighting::Orthogonal => board.orthogonal(cell).collect(),
                Sighting::All => board.neighbours(cell).collect(),
            };
            let whole = |cell: &&Cell| !cells.struck.contains(**cell);
            match shot["answer"].as_str() {
                Some("sighted") => {
                    let cells: Vec<u16> = near.iter().map(|cell| cell.0).collect();
                    counts.push(Count { most: cells.len() as u16, cells, kind: None, least: 1, doubt });
                }
                Some("miss") if doubt.is_none() => near.iter().filter(whole).for_each(|cell| {
                    empty.insert(*cell);
                }),
                _ => {}
            }
            if let Some(clue) = shot["clue"].as_u64() {
                self.count_clue(cell, clue as u16, cells, doubt, empty, counts);
            }
        }
    }

    /// Counts the number in the answer to a miss.
    fn count_clue(
        &self,
        cell: Cell,
        clue: u16,
        known: &Cells,
        doubt: Option<f32>,
        empty: &mut CellSet,
        counts: &mut Vec<Count>,
    ) {
        let board = self.board;
        let apart = |other: &Cell| {
            let rows = u16::from(board.row(cell).abs_diff(board.row(*other)));
            let columns = u16::from(board.column(cell).abs_diff(board.column(*other)));
            if self.rules.clue == Clue::DistanceSteps { rows + columns } else { rows.max(columns) }
        };
        let (cells, least, most): (Vec<u16>, u16, u16) = match self.rules.clue {
            Clue::None => return,
            Clue::NeighboursOrthogonal => (board.orthogonal(cell).map(|cell| cell.0).collect(), clue, clue),
            Clue::NeighboursAll => (board.neighbours(cell).map(|cell| cell.0).collect(), clue, clue),
            Clue::DistanceKing | Clue::DistanceSteps => {
                let nearer = board.iter().filter(|other| apart(other) < clue && !known.struck.contains(*other));
                if doubt.is_none() {
                    nearer.for_each(|cell| {
                        empty.insert(cell);
                    });
                }
                let ring: Vec<u16> = board.iter().filter(|other| apart(other) == clue).map(|cell| cell.0).collect();
                (ring, 1, u16::MAX)
            }
        };
        counts.push(Count { cells, kind: None, least, most, doubt });
    }

    /// Counts a weapon's findings; the marks have the cells seen with a ship or without.
    fn count_scan(&self, report: &Value, known: &Cells, doubt: Option<f32>, counts: &mut Vec<Count>) {
        let used = &report["weapon"];
        let weapon = self.rules.weapons.iter().find(|weapon| used["weapon"] == weapon.weapon.as_str());
        let aim = used["cell"].as_str().and_then(|label| self.board.parse(label));
        let (Some(weapon), Some(aim), Some(count)) = (weapon, aim, report["count"].as_u64()) else { return };
        let count = count as u16;
        if weapon.effect == Effect::Count {
            let cells = weapon.reach(self.board, &self.land, aim, None).iter().map(|cell| cell.0).collect();
            counts.push(Count { cells, kind: None, least: count, most: count, doubt });
        } else if weapon.effect == Effect::Distance {
            let apart = |other: &Cell| {
                let rows = self.board.row(aim).abs_diff(self.board.row(*other));
                u16::from(rows.max(self.board.column(aim).abs_diff(self.board.column(*other))))
            };
            // A cell hit since then may have been the nearest; one hit before cannot.
            let ring = self.board.iter().filter(|cell| apart(cell) == count && !known.empty.contains(*cell));
            counts.push(Count {
                cells: ring.map(|cell| cell.0).collect(),
                kind: None,
                least: 1,
                most: u16::MAX,
                doubt,
            });
        }
    }
}
