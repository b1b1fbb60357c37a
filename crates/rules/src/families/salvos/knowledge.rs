//! One viewer's knowledge of a battle of this family, folded from the reports to that viewer and nothing else.
use alloc::{string::ToString, vec, vec::Vec};

use super::{
    Salvos,
    action::ShipCell,
    course::{Course, Phase},
    report::{
        FireAnswer, MoveAnswer, OpenedReport, OpeningAnswer, OrderAnswer, OrderedReport, OwnHit, Report,
        SalvosDeployedReport, SalvosRevealedReport, ShipNamed,
    },
    roster::{Class, Figures, Ships},
    rules::Rules,
    sea,
};
use crate::{
    card::BoardCard,
    families::family,
    grid::{Board, Cell, CellSet},
    seat::Seat,
    table::Step,
    text::Label,
    view_model::{MarkKind, MarkView, Round, SeaView, ShipView, Stat, StatName, Trait},
};

#[derive(Clone, PartialEq)]
pub(crate) struct Knowledge {
    pub board: Board,
    pub course: Course,
    /// The seat of each band, where bands were drawn.
    pub bands: Vec<u8>,
    ships: Vec<Known>,
    /// The public mark of each cell shot at.
    marks: Vec<Option<Mark>>,
    /// The cells that the viewer's own ships found taken.
    pub found: CellSet,
    /// The number of posted hits on ships.
    hits: u16,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Known {
    cell: Option<Cell>,
    /// The armour lost.
    lost: Option<u8>,
    /// The hint of its position from its last salvo, or from the last hit on it. Only a guess, for examples.
    trace: Option<Trace>,
}

/// The distance of a ship from a cell, which is shifted by the steps posted since.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Trace {
    pub of: Cell,
    pub least: u8,
    pub most: u8,
}

/// The mark of the last salvo at a cell: the newest counts, for ships move.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Mark {
    kind: MarkKind,
    class: Option<Class>,
}

impl family::Knowledge<Salvos> for Knowledge {
    fn new(rules: &Rules, seats: u8) -> Self {
        let board = rules.layout(seats).board();
        Self {
            board,
            course: Course::new(rules, seats),
            bands: Vec::new(),
            ships: vec![Known::default(); rules.ships().len()],
            marks: vec![None; usize::from(board.cells())],
            found: CellSet::NONE,
            hits: 0,
        }
    }

    fn open(&mut self, _first: Seat, names: &[u8]) {
        self.course.open(names);
    }

    fn close(&mut self) {
        self.course.phase = Phase::Over;
    }

    fn leave(&mut self, rules: &Rules, seat: Seat) -> Option<Step> {
        self.course.leave(rules, seat)
    }

    /// The board of this match; with bands, the owners of deployment cells are known once they are drawn.
    fn board(&self, rules: &Rules, seats: u8) -> BoardCard {
        super::card::board_with(rules, seats, &self.bands)
    }

    fn learn(&mut self, rules: &Rules, report: &Report) -> Option<Step> {
        match report {
            Report::BandsDrawn(report) => {
                self.bands = report.bands.iter().map(|seat| seat.0).collect();
                None
            }
            Report::Deployed(report) => {
                self.learn_places(rules, report);
                Some(self.course.deployed(report.seat))
            }
            Report::Settled(report) => {
                self.learn_parted(rules, &report.ships);
                None
            }
            Report::Aimed(report) => Some(self.course.aimed(report.seat)),
            Report::Opened(report) => {
                self.learn_opening(rules, report);
                Some(self.course.opening_over())
            }
            Report::Ordered(report) => {
                self.learn_orders(rules, report);
                Some(self.course.turn_over(rules, report.seat))
            }
            Report::Left(_) => {
                self.course.left();
                None
            }
            Report::Revealed(report) => {
                self.learn_all(rules, report);
                None
            }
        }
    }

    fn round(&self, rules: &Rules) -> Option<Round> {
        self.course.round(rules)
    }

    fn render(&self, rules: &Rules) -> Vec<SeaView> {
        let mark = |cell: Cell| {
            let label = self.board.label(cell);
            if self.found.contains(cell) {
                return Some(MarkView { cell: label, kind: MarkKind::Sighted, class: None, count: None });
            }
            let Mark { kind, class } = self.marks[cell.index()]?;
            Some(MarkView { cell: label, kind, class: class.map(Class::id), count: None })
        };
        vec![SeaView {
            id: super::card::SEA,
            owner: None,
            owners: None,
            hits: self.hits,
            sunk: None,
            marks: self.board.iter().filter_map(mark).collect(),
            ships: self.course.ships().map(|(ship, seat)| self.render_ship(rules, ship, seat)).collect(),
            supplies: Vec::new(),
        }]
    }
}

impl Knowledge {
    /// The cell of a ship afloat that the viewer sees.
    pub fn cell(&self, ship: usize) -> Option<Cell> {
        self.ships.get(ship)?.cell.filter(|_| self.course.is_afloat(ship))
    }

    /// The cells of the visible ships afloat of a seat and its allies.
    pub fn friends(&self, seat: Seat) -> CellSet {
        self.course.friends(seat).filter_map(|ship| self.cell(ship)).collect()
    }

    /// Possible positions of enemy ships afloat, from salvos and posted moves.
    pub fn traces(&self, seat: Seat) -> impl Iterator<Item = Trace> + '_ {
        let hostile = move |owner| !self.course.teams.allied(seat, owner);
        let enemies = self.course.ships().filter(move |(ship, owner)| hostile(*owner) && self.course.is_afloat(*ship));
        enemies.filter_map(|(ship, _)| self.ships[ship].trace)
    }

    /// The mark of the last salvo at a cell.
    pub fn mark(&self, cell: Cell) -> Option<MarkKind> {
        self.marks.get(cell.index()).copied().flatten().map(|mark| mark.kind)
    }

    fn learn_places(&mut self, rules: &Rules, report: &SalvosDeployedReport) {
        for place in report.ships.iter().flatten() {
            if let Some(ship) = rules.number_of(&place.ship) {
                self.ships[ship].cell = self.board.parse(&place.cell);
                self.ships[ship].lost = Some(0);
            }
        }
    }

    /// Takes in the parting of ships of the viewer's side from enemies, which stand where these were placed.
    fn learn_parted(&mut self, rules: &Rules, parted: &[ShipCell]) {
        for place in parted {
            let Some(known) = rules.number_of(&place.ship).and_then(|ship| self.ships.get_mut(ship)) else { continue };
            if let Some(taken) = core::mem::replace(&mut known.cell, self.board.parse(&place.cell)) {
                self.found.insert(taken);
            }
        }
    }

    fn learn_opening(&mut self, rules: &Rules, report: &OpenedReport) {
        let mut sunk = Ships::NONE;
        for told in &report.salvos {
            let OpeningAnswer { ship, cell, hit, own_hits, .. } = told;
            self.learn_salvo(rules, ship, &[*cell], hit, &told.sunk, own_hits);
            numbers(rules, &told.sunk).iter().for_each(|ship| sunk.insert(ship));
        }
        self.course.sinks(sunk);
    }

    fn learn_orders(&mut self, rules: &Rules, report: &OrderedReport) {
        for order in &report.orders {
            match order {
                OrderAnswer::Fire(FireAnswer { ship, cells, hit, sunk, own_hits, .. }) => {
                    self.learn_salvo(rules, ship, cells, hit, sunk, own_hits);
                    self.course.sinks(numbers(rules, sunk));
                }
                OrderAnswer::Move(told) => self.learn_move(rules, told),
            }
        }
    }

    fn learn_salvo(
        &mut self,
        rules: &Rules,
        by: &str,
        at: &[Label],
        hit: &[ShipNamed],
        sunk: &[ShipNamed],
        own: &[OwnHit],
    ) {
        let cells: CellSet = at.iter().filter_map(|label| self.board.parse(label)).collect();
        // A salvo at one cell tells its content; one at several only that they were tried.
        let concentrated = cells.len() == 1;
        let kind = match (concentrated, hit, sunk) {
            (false, ..) => MarkKind::Tried,
            (true, [], _) => MarkKind::Miss,
            (true, _, []) => MarkKind::Hit,
            (true, ..) => MarkKind::Sunk,
        };
        let struck = hit.first().filter(|_| concentrated).and_then(|hit| rules.number_of(&hit.ship));
        let class = struck.map(|ship| rules.ships()[ship].class);
        for cell in cells.iter() {
            if let Some(mark) = self.marks.get_mut(cell.index()) {
                *mark = Some(Mark { kind, class });
            }
            self.found.remove(cell);
        }
        self.hits = self.hits.saturating_add(hit.len() as u16);
        for hit in own {
            if let Some(lost) = rules.number_of(&hit.ship).and_then(|ship| self.ships[ship].lost.as_mut()) {
                *lost = lost.saturating_add(hit.points);
            }
        }
        if let Some(ship) = rules.number_of(by) {
            self.course.fires(ship);
            let Figures { nearest, farthest, .. } = rules.ships()[ship].figures;
            // It cannot be on the cell itself: nobody fires at their own ships.
            self.ships[ship].trace = cells.iter().next().map(|of| Trace { of, least: nearest.max(1), most: farthest });
        }
        if let (Some(ship), Some(cell)) = (struck, cells.iter().next()) {
            self.ships[ship].trace = Some(Trace { of: cell, least: 0, most: 0 });
        }
    }

    fn learn_move(&mut self, rules: &Rules, told: &MoveAnswer) {
        let Some(ship) = rules.number_of(&told.ship) else { return };
        let known = &mut self.ships[ship];
        if let Some(to) = told.to.and_then(|label| self.board.parse(&label)) {
            known.cell = Some(to);
            self.found.remove(to);
            let blocked = told.blocked_at.and_then(|label| self.board.parse(&label));
            let owner = self.course.owner(ship);
            // The obstacle may also be an own ship that was itself stopped.
            if let Some(cell) = blocked
                && owner.is_some_and(|seat| !self.friends(seat).contains(cell))
            {
                self.found.insert(cell);
            }
            return;
        }
        let board = self.board;
        known.trace = told.steps.as_deref().zip(known.trace).map(|(steps, trace)| {
            let of = steps.iter().fold(trace.of, |cell, step| sea::step(board, cell, *step).unwrap_or(cell));
            Trace { of, ..trace }
        });
    }

    /// Takes in the true position of every ship at the end. The marks of the cells stay.
    fn learn_all(&mut self, rules: &Rules, report: &SalvosRevealedReport) {
        self.found = CellSet::NONE;
        self.ships.fill(Known::default());
        for told in report.fleets.iter().flat_map(|fleet| &fleet.ships) {
            if let Some(ship) = rules.number_of(&told.ship) {
                self.ships[ship].cell = self.board.parse(&told.last_cell);
                self.ships[ship].lost = Some(rules.ships()[ship].figures.armour.saturating_sub(told.armour));
            }
        }
    }

    fn render_ship(&self, rules: &Rules, ship: usize, seat: Seat) -> ShipView {
        let (entry, known) = (&rules.ships()[ship], &self.ships[ship]);
        let figures = entry.figures;
        let sunk = self.course.sunk.contains(ship);
        let lost = if sunk { Some(figures.armour) } else { known.lost };
        let stat = |name, value: u8| Stat { name, value: Some(value.into()), max: value.into() };
        ShipView {
            id: entry.id,
            seat,
            class: entry.class.id(),
            name: entry.name.to_string(),
            length: 1,
            cells: self.cell(ship).map(|cell| vec![self.board.label(cell)]),
            hits: lost.map(u16::from),
            afloat: Some(self.course.is_afloat(ship)),
            stats: vec![
                stat(StatName::Attack, figures.attack),
                Stat {
                    name: StatName::Armour,
                    value: lost.map(|lost| figures.armour.saturating_sub(lost).into()),
                    max: figures.armour.into(),
                },
                stat(StatName::Speed, figures.speed),
                stat(StatName::MinRange, figures.nearest),
                stat(StatName::MaxRange, figures.farthest),
            ],
            traits: if self.course.detected.contains(ship) { vec![Trait::Detected] } else { Vec::new() },
        }
    }
}

fn numbers(rules: &Rules, ships: &[ShipNamed]) -> Ships {
    ships.iter().filter_map(|ship| rules.number_of(&ship.ship)).collect()
}
