//! One viewer's knowledge of a depths battle, folded from the reports to that viewer and nothing else.
use alloc::{string::String, vec, vec::Vec};

use super::{
    Depths,
    event::{Answer, Hidden},
    report::{ChargeAnswer, ChargedReport, DepthsDeployedReport, DepthsRevealedReport, Report},
    rules::{Rules, SHIPS, SUBMARINES, full_load, ship_id, ship_number, submarine_class, submarine_id},
    surface::{Phase, Surface},
    tracking::{Grid, Peg},
    water::{Cell, Line, Square, Waters},
};
use crate::{
    families::family::{self, Rules as _},
    seat::Seat,
    table::Step,
    text::{ClassId, Label, ShipId},
    view_model::{MarkKind, MarkView, Round, SeaView, ShipView, Stat, StatName, Trait},
};

#[derive(Clone, PartialEq)]
pub(crate) struct Knowledge {
    pub surface: Surface,
    /// The tracking grids, by the seat of the hunted submarines.
    pub grids: [Grid; 2],
    /// The hidden pieces of each sea, if the viewer knows them.
    pub hidden: [Option<Hidden>; 2],
}

impl family::Knowledge<Depths> for Knowledge {
    fn new(rules: &Rules, _seats: u8) -> Self {
        let grid = || Grid::new(rules.waters());
        Self { surface: Surface::new(), grids: [grid(), grid()], hidden: [None; 2] }
    }

    fn open(&mut self, first: Seat, _names: &[u8]) {
        self.surface.first = first;
    }

    fn close(&mut self) {
        self.surface.phase = Phase::Over;
    }

    fn learn(&mut self, rules: &Rules, report: &Report) -> Option<Step> {
        match report {
            Report::Deployed(report) => {
                *self.hidden.get_mut(report.seat.index())? = placed(rules.waters(), report);
                self.surface.deploy(report.seat)
            }
            Report::Moved(report) => {
                let to = rules.waters().parse_place(report.path.last()?)?;
                self.surface.sail(report.seat, ship_number(&report.ship)?, to, report.mine)
            }
            Report::Charged(report) => self.learn_charge(rules, report),
            Report::Torpedoed(report) => {
                let line = rules.waters().parse_line(rules.lines, &report.line)?;
                self.surface.torpedo(report.seat, ship_number(&report.target)?, line, report.hit)
            }
            Report::TurnEnded(report) => self.surface.end_turn(rules, report.seat),
            Report::Revealed(report) => {
                self.learn_all(rules.waters(), report);
                None
            }
        }
    }

    fn round(&self, rules: &Rules) -> Option<Round> {
        self.surface.round(rules)
    }

    fn render(&self, rules: &Rules) -> Vec<SeaView> {
        [self.surface.first, self.surface.first.other()].map(|owner| self.render_sea(rules, owner)).into()
    }
}

impl Knowledge {
    fn learn_charge(&mut self, rules: &Rules, report: &ChargedReport) -> Option<Step> {
        let cell = rules.waters().parse_cell(&report.cell)?;
        let answer = match report.answer {
            ChargeAnswer::Miss => Answer::Miss,
            ChargeAnswer::Near => Answer::Near { count: report.near? },
            ChargeAnswer::Hit => Answer::Hit,
        };
        let enemy = report.seat.other().index();
        self.grids.get_mut(enemy)?.learn(rules.charge, cell, answer);
        if answer == Answer::Hit
            && let Some(hidden) = self.hidden.get_mut(enemy)?
        {
            hidden.sink(cell);
        }
        self.surface.charge(report.seat, ship_number(&report.ship)?, answer == Answer::Hit)
    }

    /// Takes in the hidden pieces at the end.
    fn learn_all(&mut self, waters: Waters, report: &DepthsRevealedReport) {
        for told in &report.seas {
            let Some(hidden) = self.hidden.get_mut(told.owner.index()) else { continue };
            let cells: Vec<Label> = told.submarines.iter().map(|submarine| submarine.cell).collect();
            *hidden = told.mine.and_then(|mine| lies(waters, &cells, mine));
            if let Some(hidden) = hidden {
                for (sunk, submarine) in hidden.sunk.iter_mut().zip(&told.submarines) {
                    *sunk = submarine.sunk;
                }
            }
        }
    }

    /// The number of the seat's submarines on a line that have not fired in this turn, as far as the viewer sees them.
    pub fn ready_on(&self, rules: &Rules, seat: Seat, line: Line) -> u8 {
        let on_line = self.hidden[seat.index()].map_or(0, |hidden| hidden.on_line(rules.waters(), line));
        match self.surface.phase {
            Phase::Turn(turn) if turn.seat == seat => on_line.saturating_sub(turn.torpedoes),
            _ => on_line,
        }
    }

    /// The sea with the owner's submarines, on which the other seat's ships sail.
    fn render_sea(&self, rules: &Rules, owner: Seat) -> SeaView {
        let (grid, waters) = (&self.grids[owner.index()], rules.waters());
        let mut marks: Vec<MarkView> = grid.pegs().filter_map(|(cell, peg)| mark(waters.label(cell), peg)).collect();
        // A mine comes last: its cell may have a peg as well.
        let mine = self.hidden[owner.index()].map(|hidden| Square(hidden.mine));
        if let Some(mine) = self.surface.exploded[owner.index()].or(mine) {
            let cell = waters.label(waters.cell(mine, 0));
            marks.push(MarkView { cell, kind: MarkKind::Mine, class: None, count: None });
        }
        let ships = (0..SUBMARINES).map(|index| self.render_submarine(waters, owner, index));
        let hunters = (0..SHIPS.len() as u8).map(|ship| self.render_ship(owner.other(), ship));
        SeaView {
            id: rules.seat_name(self.surface.first, &[], owner),
            owner: Some(owner),
            owners: None,
            hits: grid.hits.into(),
            sunk: None,
            marks,
            ships: ships.chain(hunters).collect(),
            supplies: Vec::new(),
        }
    }

    /// A submarine: its position is shown to viewers who know it; to all others submarines are sunk in the order of
    /// their numbers.
    fn render_submarine(&self, waters: Waters, owner: Seat, index: usize) -> ShipView {
        let hidden = self.hidden[owner.index()].as_ref();
        let (cells, sunk) = match hidden {
            Some(hidden) => (Some(vec![waters.label(Cell(hidden.submarines[index]))]), hidden.sunk[index]),
            None => (None, index < usize::from(self.surface.submarines_lost[owner.index()])),
        };
        ShipView {
            id: submarine_id(index),
            seat: owner,
            class: submarine_class(),
            name: String::from("Submarine"),
            length: 1,
            cells,
            hits: Some(sunk.into()),
            afloat: Some(!sunk),
            stats: Vec::new(),
            traits: Vec::new(),
        }
    }

    fn render_ship(&self, seat: Seat, number: u8) -> ShipView {
        let ship = self.surface.fleets[seat.index()][usize::from(number)];
        let id: ShipId = ship_id(number);
        ShipView {
            id,
            seat,
            class: ClassId::cut(format_args!("{id}")),
            name: SHIPS[usize::from(number)].1.into(),
            length: 1,
            cells: Some(if ship.afloat { vec![ship.at.label()] } else { Vec::new() }),
            hits: Some((!ship.afloat).into()),
            afloat: Some(ship.afloat),
            stats: vec![Stat {
                name: StatName::Charges,
                value: Some(ship.charges.into()),
                max: full_load(number).into(),
            }],
            traits: if ship.afloat && ship.at.is_port() { vec![Trait::InPort] } else { Vec::new() },
        }
    }
}

fn placed(waters: Waters, report: &DepthsDeployedReport) -> Option<Hidden> {
    lies(waters, report.submarines.as_deref()?, report.mine?)
}

fn lies(waters: Waters, submarines: &[Label], mine: Label) -> Option<Hidden> {
    let cells: Option<Vec<u8>> = submarines.iter().map(|label| waters.parse_cell(label).map(|cell| cell.0)).collect();
    Some(Hidden::new(cells?.try_into().ok()?, waters.parse_square(&mine)?.0))
}

fn mark(cell: Label, peg: Peg) -> Option<MarkView> {
    let (kind, count) = match peg {
        Peg::None => return None,
        Peg::White => (MarkKind::Excluded, None),
        Peg::Red => (MarkKind::Near, None),
        Peg::Miss => (MarkKind::Miss, None),
        Peg::Near(count) => (MarkKind::Sighted, Some(count)),
        Peg::Flag => (MarkKind::Sunk, None),
    };
    Some(MarkView { cell, kind, class: None, count })
}
