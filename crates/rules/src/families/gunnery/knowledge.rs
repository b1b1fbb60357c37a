//! One viewer's knowledge of a gunnery battle, folded from the reports to that viewer and nothing else, one byte a
//! cell.
use alloc::{vec, vec::Vec};

use super::{
    Gunnery,
    action::ShipPlace,
    arsenal::Arsenal,
    fleet::{self, Placement},
    mark::{Mark, Marks},
    mines::Owed,
    muster::Muster,
    report::{Answer, FiredReport, NextTurn, Report, RevealedReport, ScannedReport, ShotAnswer},
    rules::{Clue, Contact, Rules, SalvoReporting, Ship, Sinkings},
    salvo,
    scanned::Sightings,
    seating::{SeaId, Seating},
    told::{concluded, hits_told, struck},
};
use crate::{
    card::{BoardCard, Feature},
    families::family::{self, Card as _},
    grid::{Cell, CellSet},
    seat::{Seat, SeatSet},
    table::Step,
    text::Label,
    view_model::{MarkKind, Round, SeaView},
};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    /// Until both fleets are placed.
    Deploying,
    /// This seat fires this many shots.
    Firing { seat: Seat, shots: u8 },
    /// This seat decides on the places of its ships.
    Relocating { seat: Seat },
    /// This seat pays its debt.
    GivingUp { seat: Seat, owed: Owed },
    /// No more turns.
    Over,
}

#[derive(Clone, PartialEq)]
pub(crate) struct Knowledge {
    pub muster: Muster,
    pub phase: Phase,
    /// The seas by number.
    pub seas: Vec<Known>,
    /// The cells of land.
    pub land: CellSet,
    /// The supply of each seat's weapons.
    pub arsenals: Vec<Arsenal>,
    /// The current round as last told; 0 before the first.
    round: u16,
}

#[derive(Clone, PartialEq)]
pub(crate) struct Known {
    /// The seats that have left with their ships.
    pub(super) left: SeatSet,
    /// The ships in this sea, visible or not.
    pub(super) fleet: Vec<Ship>,
    pub(super) marks: Marks,
    /// The number in the answer to each cell; empty where the rules give none.
    pub(super) clues: Vec<Option<u8>>,
    /// The number of hits told.
    pub(super) hits: u16,
    /// Sinkings told, by class.
    pub(super) sunk: Vec<u8>,
    /// The least number of sunk ships, as told.
    pub(super) sunk_in_all: u16,
    /// Hits told, by class.
    pub(super) hits_by_class: Vec<u16>,
    /// The place of each ship, if the viewer knows it.
    pub(super) places: Vec<Option<Placement>>,
    /// The cells of the mines that the viewer knows.
    pub mines: CellSet,
    /// The findings of weapons here.
    pub(super) sightings: Sightings,
}

impl family::Knowledge<Gunnery> for Knowledge {
    fn new(rules: &Rules, seats: u8) -> Self {
        let seating = Seating::new(rules, seats);
        let land = rules.given_land();
        let sea = |sea: usize| Known {
            left: SeatSet::NONE,
            fleet: rules.ships_in(seating, sea).collect(),
            places: vec![None; rules.ships_in(seating, sea).count()],
            marks: Marks::blank(rules.board.cells(), rules.water(&land)),
            clues: if rules.clue == Clue::None { Vec::new() } else { vec![None; usize::from(rules.board.cells())] },
            hits: 0,
            sunk: vec![0; rules.fleet.len()],
            sunk_in_all: 0,
            hits_by_class: vec![0; rules.fleet.len()],
            mines: CellSet::NONE,
            sightings: Sightings::default(),
        };
        let seas = (0..seating.seas().count()).map(sea).collect();
        let arsenals = seating.seats().map(|_| Arsenal::full(rules)).collect();
        Self { muster: Muster::new(seating), phase: Phase::Deploying, seas, land, arsenals, round: 0 }
    }

    fn open(&mut self, first: Seat, _names: &[u8]) {
        self.muster.seating = self.seating().opened(first);
    }

    fn close(&mut self) {
        self.phase = Phase::Over;
    }

    fn learn(&mut self, rules: &Rules, report: &Report) -> Option<Step> {
        match report {
            Report::IslandsDrawn(report) => {
                self.land = cells(rules, &report.cells);
                let water = rules.water(&self.land);
                self.seas.iter_mut().for_each(|sea| sea.marks.wipe(water));
                None
            }
            Report::Deployed(report) => {
                let sea = self.muster.seating.sea_of(report.seat);
                let sea = self.seas.get_mut(sea)?;
                sea.mines = cells(rules, report.mines.as_deref().unwrap_or_default());
                sea.see(rules, report.ships.iter().flatten());
                self.muster.deploy(report.seat);
                if let Some(first) = self.muster.due {
                    let shots = salvo::first(rules, &self.muster, first, rules.water(&self.land));
                    self.phase = Phase::Firing { seat: first, shots };
                    self.round = 1;
                }
                Some(self.muster.step(report.seat, false))
            }
            Report::Fired(report) => self.learn_fired(rules, report),
            Report::Scanned(report) => self.learn_scanned(rules, report),
            Report::GaveUp(report) => {
                let land = self.land;
                let sea = self.seas.get_mut(self.muster.seating.sea_of(report.seat))?;
                sea.learn_given(rules, &land, &report.shots);
                for cell in cells(rules, &report.mines).iter() {
                    sea.explode(cell);
                }
                self.turn(report.next, SeatSet::NONE);
                Some(self.muster.step(report.seat, false))
            }
            Report::Relocated(report) => {
                let sea = self.seas.get_mut(self.muster.seating.sea_of(report.seat))?;
                sea.see(rules, report.ships.iter().flatten());
                sea.sightings.moved();
                self.turn(report.next, SeatSet::NONE);
                Some(self.muster.step(report.seat, false))
            }
            Report::Withdrawn(report) => {
                self.muster.playing |= report.next.is_some();
                self.round = report.round.filter(|_| self.muster.playing).unwrap_or(self.round);
                if self.muster.playing {
                    self.turn(report.next, report.out);
                }
                Some(self.muster.step(report.seats.iter().next()?, false))
            }
            Report::Revealed(report) => {
                self.learn_all(rules, report);
                None
            }
        }
    }

    fn leave(&mut self, _rules: &Rules, seat: Seat) -> Option<Step> {
        let step = self.muster.leave(seat)?;
        let seating = self.seating();
        let sea = self.seas.get_mut(seating.sea_of(seat))?;
        sea.left.insert(seat);
        if seating.sharing(seating.sea_of(seat)).is_some() {
            sea.sightings.moved();
        }
        Some(step)
    }

    fn render(&self, rules: &Rules) -> Vec<SeaView> {
        let render = |sea: usize| {
            let seating = self.seating();
            let mut view = self.seas[sea].render(rules, seating, sea);
            for seat in seating.seats().filter(|seat| seating.sea_of(*seat) == sea) {
                view.supplies.extend(self.arsenals[seat.index()].view(rules, seat));
            }
            view
        };
        self.seating().seas().map(render).collect()
    }

    fn round(&self, rules: &Rules) -> Option<Round> {
        let limit = rules.turn_limit.filter(|_| self.round > 0)?;
        Some(Round::of(self.round, limit.turns))
    }

    /// The board with the drawn islands.
    fn board(&self, rules: &Rules, seats: u8) -> BoardCard {
        let mut board = Gunnery::board(rules, seats);
        for cell in board.seas.iter_mut().flat_map(|sea| &mut sea.cells) {
            let is_land = rules.board.parse(&cell.label).is_some_and(|cell| self.land.contains(cell));
            cell.feature = is_land.then_some(Feature::Island);
        }
        board
    }
}

impl Knowledge {
    /// The sea with the ships of a seat.
    pub fn own(&self, seat: Seat) -> &Known {
        &self.seas[self.seating().sea_of(seat)]
    }

    /// The seats whose fleets are still to be placed in the sea of a seat, in this order.
    pub fn missing(&self, seat: Seat) -> Vec<Seat> {
        self.muster.missing(self.seating().sea_of(seat)).collect()
    }

    /// The cells closed to a seat's fleet: land, and those that its allies' ships close.
    pub fn closed(&self, rules: &Rules, seat: Seat) -> CellSet {
        rules.coast(&self.land).or(&self.own(seat).taken(rules))
    }

    const fn seating(&self) -> Seating {
        self.muster.seating
    }

    fn learn_fired(&mut self, rules: &Rules, report: &FiredReport) -> Option<Step> {
        let target = self.target(report.seat, report.target)?;
        let land = self.land;
        self.seas.get_mut(target)?.learn_salvo(rules, &land, report);
        let used = report.weapon.as_ref().map(|used| &used.weapon);
        self.arsenals.get_mut(report.seat.index())?.fired(rules, used, false);
        self.round = report.round.unwrap_or(self.round);
        self.turn(report.next, report.out.unwrap_or_default());
        Some(self.muster.step(report.seat, true))
    }

    fn learn_scanned(&mut self, rules: &Rules, report: &ScannedReport) -> Option<Step> {
        let target = self.target(report.seat, report.target)?;
        let land = self.land;
        self.seas.get_mut(target)?.learn_scan(rules, &land, report);
        let used = Some(&report.weapon.weapon);
        self.arsenals.get_mut(report.seat.index())?.fired(rules, used, report.shot_down);
        self.round = report.round.unwrap_or(self.round);
        self.turn(report.next, report.out.unwrap_or_default());
        Some(self.muster.step(report.seat, true))
    }

    /// The sea of a report, named or implied.
    fn target(&self, seat: Seat, named: Option<SeaId>) -> Option<usize> {
        let named = named.and_then(|id| self.seating().sea(id));
        self.seating().target(seat, named)
    }

    /// The possible target seas of a seat: its enemies', as long as a cell is untried.
    pub fn targets(&self, seat: Seat) -> impl Iterator<Item = (SeaId, &Known)> {
        let seating = self.seating();
        let seas = seating.targets(seat, self.muster.out);
        seas.map(move |sea| (seating.id(sea), &self.seas[sea])).filter(|(_, sea)| sea.untried() > 0)
    }

    fn turn(&mut self, next: Option<NextTurn>, out: SeatSet) {
        out.iter().for_each(|seat| self.muster.out.insert(seat));
        self.muster.due = next.map(|next| next.seat);
        self.phase = match next {
            None => Phase::Over,
            Some(NextTurn { seat, owed: Some(owed), .. }) => Phase::GivingUp { seat, owed },
            Some(NextTurn { seat, shots: None, .. }) => Phase::Relocating { seat },
            Some(NextTurn { seat, shots: Some(shots), .. }) => Phase::Firing { seat, shots },
        };
    }

    /// Replaces the knowledge with the truth at the end.
    fn learn_all(&mut self, rules: &Rules, report: &RevealedReport) {
        let land = self.land;
        for told in &report.seas {
            let Some(sea) = self.seas.get_mut(self.muster.seating.sea_of(told.owner)) else { continue };
            sea.marks.wipe(rules.water(&land));
            let last =
                |ship: &super::report::RevealedShip| ShipPlace { ship: ship.ship, cells: ship.last_cells.clone() };
            let ships: Vec<ShipPlace> = told.ships.iter().map(last).collect();
            sea.see(rules, ships.iter());
            for shot in &told.shots {
                sea.mark(rules, &land, shot);
            }
            for cell in cells(rules, &told.mines).iter() {
                sea.explode(cell);
            }
            sea.exclude_again(rules, &land);
            sea.hits = told.shots.iter().filter(|shot| struck(shot)).count() as u16;
            sea.sunk_in_all = told.shots.iter().filter(|shot| shot.answer == Some(Answer::Sunk)).count() as u16;
        }
    }
}

fn cells(rules: &Rules, labels: &[Label]) -> CellSet {
    labels.iter().filter_map(|label| rules.board.parse(label)).collect()
}

impl Known {
    /// Has this cell been shot at?
    pub fn is_tried(&self, cell: Cell) -> bool {
        self.marks.of(cell).is_tried()
    }

    /// The cells shot at.
    pub fn tried(&self) -> CellSet {
        self.marks.iter().filter(|(_, mark)| mark.is_tried()).map(|(cell, _)| cell).collect()
    }

    /// The number of cells off the land that have not been shot at.
    pub const fn untried(&self) -> u16 {
        self.marks.untried()
    }

    /// The number of hit cells of a ship at this place.
    pub fn hits_on(&self, rules: &Rules, ship: Ship, place: Placement) -> u8 {
        rules.cells(ship, place).filter(|cell| self.marks.of(*cell).is_struck()).count() as u8
    }

    fn learn_salvo(&mut self, rules: &Rules, land: &CellSet, report: &FiredReport) {
        for shot in &report.shots {
            let answer = shot.answer.or_else(|| concluded(report));
            self.mark(rules, land, &ShotAnswer { answer, ..*shot });
        }
        self.hits += hits_told(report);
        self.learn_sinkings(rules, report);
        if let Some(by_class) = &report.hits_by_class {
            for told in by_class {
                if let Some(class) = rules.class_index(&told.class) {
                    self.hits_by_class[class] += u16::from(told.hits);
                }
            }
        } else if rules.report == SalvoReporting::PerShot && rules.names_hit {
            self.count_classes(rules, &report.shots);
        }
    }

    /// Counts the hits with a told class.
    pub(super) fn count_classes(&mut self, rules: &Rules, shots: &[ShotAnswer]) {
        for class in shots.iter().filter_map(|shot| rules.class_index(shot.class.as_deref()?)) {
            self.hits_by_class[class] += 1;
        }
    }

    pub(super) fn mark(&mut self, rules: &Rules, land: &CellSet, shot: &ShotAnswer) {
        let Some(cell) = rules.board.parse(&shot.cell) else { return };
        let class = shot.class.as_deref().and_then(|id| rules.class_index(id)).map(|class| class as u8);
        let kind = match shot.answer {
            None => MarkKind::Tried,
            Some(Answer::Miss) => MarkKind::Miss,
            Some(Answer::Sighted) => MarkKind::Sighted,
            Some(Answer::Mine) => MarkKind::Mine,
            Some(Answer::Hit) => MarkKind::Hit,
            Some(Answer::Sunk) => MarkKind::Sunk,
        };
        self.marks.put(cell, Mark::new(kind, class));
        self.mines.remove(cell);
        self.learn_clue(rules, land, cell, shot.clue);
        if kind == MarkKind::Sunk {
            self.mark_sunk(rules, land, cell, class);
        }
    }

    /// Marks the whole ship as sunk if the viewer can tell its cells, and the cells around it as excluded if everybody
    /// can tell that they are water.
    fn mark_sunk(&mut self, rules: &Rules, land: &CellSet, cell: Cell, class: Option<u8>) {
        let apart = rules.contact != Contact::Allowed && !rules.relocates();
        let ship = match self.seen_on(rules, cell) {
            Some((_, own)) => own,
            // Ships that never touch nor move: connected hits are one ship (sheet 002's own note on strategy).
            None if apart => self.hits_around(rules, cell),
            None => return,
        };
        for cell in ship.iter() {
            self.marks.put(cell, Mark::new(MarkKind::Sunk, class));
        }
        if apart && rules.sinkings() != Sinkings::Silent && rules.report == SalvoReporting::PerShot {
            for near in fleet::zone(rules.board, rules.contact, ship.iter()).without(land).iter() {
                self.marks.exclude(near);
            }
        }
    }

    fn hits_around(&self, rules: &Rules, cell: Cell) -> CellSet {
        let mut ship: CellSet = [cell].into_iter().collect();
        let mut edge = vec![cell];
        while let Some(cell) = edge.pop() {
            edge.extend(
                rules.board.orthogonal(cell).filter(|near| self.marks.of(*near).is_struck() && ship.insert(*near)),
            );
        }
        ship
    }
}
