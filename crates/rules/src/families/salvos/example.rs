//! The play of this family's examples: simple, but with a purpose, so that games of clients that know no rules come to
//! an end. A ship fires at found or hit targets, searches where enemies have fired from, and otherwise goes where they
//! may be. Everything is drawn from the view and the dice alone.
use alloc::vec::Vec;

use super::{
    action::{OpeningShotAction, OpeningShotTag, Order},
    knowledge::{Knowledge, Trace},
    roster::Ship,
    rules::Rules,
    sea,
};
use crate::{
    dice::Dice,
    grid::{Cell, CellSet},
    seat::Seat,
    view_model::MarkKind,
};

/// A random ship of the seat, at a random cell in its reach.
pub(super) fn opening_shot(rules: &Rules, known: &Knowledge, seat: Seat, dice: &mut Dice) -> Option<OpeningShotAction> {
    let friends = known.friends(seat);
    let mut ships: Vec<(usize, Cell)> = standing(known, seat);
    dice.shuffle(&mut ships);
    ships.into_iter().find_map(|(ship, at)| {
        let ship = &rules.ships()[ship];
        let targets = targets(known, ship, at, &friends);
        let cell = known.board.label(*dice.pick(&targets)?);
        Some(OpeningShotAction { r#type: OpeningShotTag::Value, ship: ship.id, cell })
    })
}

/// Orders for most ships, in random order; a single one to fire while the fleet is not detected.
pub(super) fn orders(rules: &Rules, known: &Knowledge, seat: Seat, dice: &mut Dice) -> Vec<Order> {
    let mut ships = standing(known, seat);
    dice.shuffle(&mut ships);
    let mut captain = Captain {
        known,
        friends: known.friends(seat),
        traces: known.traces(seat).collect(),
        may_move: known.course.is_detected(seat),
    };
    let mut orders = Vec::with_capacity(ships.len());
    for (ship, at) in ships {
        orders.extend(captain.order(&rules.ships()[ship], at, dice));
        if !captain.may_move && !orders.is_empty() {
            break;
        }
    }
    orders
}

fn standing(known: &Knowledge, seat: Seat) -> Vec<(usize, Cell)> {
    known.course.fleet(seat).filter_map(|ship| Some((ship, known.cell(ship)?))).collect()
}

fn targets(known: &Knowledge, ship: &Ship, at: Cell, friends: &CellSet) -> Vec<Cell> {
    sea::targets(known.board, at, ship.figures).filter(|cell| !friends.contains(*cell)).collect()
}

/// The seat that gives the orders, and its information.
struct Captain<'k> {
    known: &'k Knowledge,
    /// The cells of own and allied ships, as if the moves ordered so far were completed.
    friends: CellSet,
    /// Possible positions of enemies.
    traces: Vec<Trace>,
    may_move: bool,
}

impl Captain<'_> {
    fn order(&mut self, ship: &Ship, at: Cell, dice: &mut Dice) -> Option<Order> {
        let targets = targets(self.known, ship, at, &self.friends);
        let sure: Vec<Cell> = targets.iter().copied().filter(|cell| self.is_sure(*cell)).collect();
        if !sure.is_empty() && dice.below(4) > 0 {
            return self.concentrated(ship, &sure, dice);
        }
        let likely: Vec<Cell> = targets.iter().copied().filter(|cell| self.is_likely(*cell)).collect();
        if !likely.is_empty() && dice.below(4) > 0 {
            return self.spread(ship, &likely, dice);
        }
        if self.may_move && dice.below(4) > 0 {
            return self.go(ship, at, dice);
        }
        if dice.below(3) == 0 { self.concentrated(ship, &targets, dice) } else { self.spread(ship, &targets, dice) }
    }

    /// Was an enemy last reported in this cell?
    fn is_sure(&self, cell: Cell) -> bool {
        self.known.found.contains(cell) || self.known.mark(cell) == Some(MarkKind::Hit)
    }

    /// May an enemy have fired from this cell, without a later report that it is empty?
    fn is_likely(&self, cell: Cell) -> bool {
        let board = self.known.board;
        let within = |trace: &Trace| (trace.least..=trace.most).contains(&sea::distance(board, trace.of, cell));
        self.known.mark(cell) != Some(MarkKind::Miss) && self.traces.iter().any(within)
    }

    fn concentrated(&self, ship: &Ship, at: &[Cell], dice: &mut Dice) -> Option<Order> {
        let label = self.known.board.label(*dice.pick(at)?);
        let shots = usize::from(ship.figures.attack);
        Some(Order::fire(ship.id, Vec::from_iter(core::iter::repeat_n(label, shots))))
    }

    fn spread(&self, ship: &Ship, at: &[Cell], dice: &mut Dice) -> Option<Order> {
        let mut cells = at.to_vec();
        dice.shuffle(&mut cells);
        cells.truncate(usize::from(ship.figures.attack));
        let labels: Vec<_> = cells.into_iter().map(|cell| self.known.board.label(cell)).collect();
        (!labels.is_empty()).then(|| Order::fire(ship.id, labels))
    }

    /// Moves to a cell from which it can fire at the nearest reported enemy, or else towards the middle of the sea.
    fn go(&mut self, ship: &Ship, at: Cell, dice: &mut Dice) -> Option<Order> {
        let (board, figures) = (self.known.board, ship.figures);
        let sure = board.iter().filter(|cell| self.is_sure(*cell));
        let heard_of =
            sure.chain(self.traces.iter().map(|trace| trace.of)).min_by_key(|cell| sea::distance(board, at, *cell));
        let middle = board.cell(board.rows / 2, board.columns / 2).unwrap_or(at);
        let goal = heard_of.unwrap_or(middle);
        let mut closed = self.friends;
        closed.extend(self.known.found.iter());
        let mut ways = sea::ways(board, at, figures.speed, &closed);
        dice.shuffle(&mut ways);
        // One time in five to any cell, to be unpredictable.
        let anywhere = dice.below(5) == 0;
        let gap = |cell: Cell| if anywhere { 0 } else { sea::distance(board, goal, cell).abs_diff(figures.farthest) };
        let way = ways.into_iter().min_by_key(|way| gap(way.to))?;
        self.friends.remove(at);
        self.friends.insert(way.to);
        Some(Order::go(ship.id, way.steps))
    }
}
