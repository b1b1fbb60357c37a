//! The examples of decisions: sensible play without strategy, drawn from dice and the viewer's knowledge alone.
//! Legality is checked elsewhere.
use alloc::vec::Vec;

use super::{
    action::Action,
    knowledge::Knowledge,
    rules::{Rules, SHIPS, SUBMARINES, ship_id},
    surface::{Ship, Way},
    tracking::{Grid, Peg},
    water::{Cell, DEPTHS, Line, Square, Waters},
};
use crate::{dice::Dice, seat::Seat, text::Label};

/// Three submarines and a mine, drawn by the dice.
pub(crate) fn deployment(waters: Waters, dice: &mut Dice) -> (Vec<Label>, Label) {
    let mut submarines: Vec<Cell> = Vec::with_capacity(SUBMARINES);
    while submarines.len() < SUBMARINES {
        let cell = Cell(dice.below(waters.cell_count().into()) as u8);
        if !submarines.contains(&cell) {
            submarines.push(cell);
        }
    }
    // At most three of all the squares are above a submarine, so this ends.
    let mine = loop {
        let square = Square(dice.below(waters.size().into()) as u8);
        if submarines.iter().all(|cell| waters.above(*cell) != square) {
            break square;
        }
    };
    (submarines.iter().map(|cell| waters.label(*cell)).collect(), mine.label())
}

/// The most information from a charge in a cell, by the pegs.
fn promise(grid: &Grid, cell: Cell) -> u8 {
    match grid.peg(cell) {
        Peg::Red => 2,
        Peg::None => 1,
        _ => 0,
    }
}

/// The most information from a charge in a square, at the best depth.
fn promise_of(waters: Waters, grid: &Grid, square: Square) -> u8 {
    (0..DEPTHS.len() as u8).map(|depth| promise(grid, waters.cell(square, depth))).max().unwrap_or_default()
}

/// One of the items of the highest worth, by the dice; one time in four any of them.
fn best<T: Copy>(items: &[T], worth: impl Fn(&T) -> u8, dice: &mut Dice) -> Option<T> {
    let most = items.iter().map(&worth).max()?;
    let chosen: Vec<T> = items.iter().filter(|item| worth(item) == most).copied().collect();
    if dice.below(4) == 0 { dice.pick(items).copied() } else { dice.pick(&chosen).copied() }
}

/// A move: a ship with charges goes where a charge can tell most, one without goes home.
pub(super) fn sail(
    rules: &Rules,
    known: &Knowledge,
    seat: Seat,
    ways: &[(u8, Vec<Way>)],
    dice: &mut Dice,
) -> Option<Action> {
    let (number, ways) = dice.pick(ways)?;
    let ship = known.surface.fleets[seat.index()][usize::from(*number)];
    let grid = &known.grids[seat.other().index()];
    let end = |way: &Way| way.end().unwrap_or(Square::PORT);
    let worth = |way: &Way| match (ship.charges, end(way)) {
        (0, to) => 100 - steps_home(rules, to),
        (_, to) if to.is_port() => 0,
        (_, to) => 1 + promise_of(rules.waters(), grid, to),
    };
    let way = best(ways, worth, dice)?;
    Some(Action::sail(ship_id(*number), way.squares().iter().map(|square| square.label()).collect()))
}

/// Steps to port over open water.
fn steps_home(rules: &Rules, from: Square) -> u8 {
    if from.is_port() {
        return 0;
    }
    let waters = rules.waters();
    let arrows = waters.squares().filter(|square| rules.is_arrow(*square));
    let rows = |arrow| waters.row(arrow).abs_diff(waters.row(from));
    let far = |arrow: Square| rows(arrow).max(waters.column(arrow).abs_diff(waters.column(from))) + 1;
    arrows.map(far).min().unwrap_or_default()
}

/// A depth charge from one of these ships, and whether it can tell anything new.
pub(super) fn charge(
    waters: Waters,
    known: &Knowledge,
    seat: Seat,
    ships: &[(u8, Ship)],
    dice: &mut Dice,
) -> Option<(Action, bool)> {
    let grid = &known.grids[seat.other().index()];
    let cell = |(ship, depth): &(usize, u8)| waters.cell(ships[*ship].1.at, *depth);
    let ways: Vec<(usize, u8)> =
        (0..ships.len()).flat_map(|ship| (0..DEPTHS.len() as u8).map(move |depth| (ship, depth))).collect();
    let way = best(&ways, |way| promise(grid, cell(way)), dice)?;
    let useful = promise(grid, cell(&way)) > 0;
    Some((Action::charge(ship_id(ships[way.0].0), DEPTHS[usize::from(way.1)]), useful))
}

/// One of the torpedoes that may be fired.
pub(super) fn torpedo(waters: Waters, ways: &[(u8, Line, u8)], dice: &mut Dice) -> Option<Action> {
    dice.pick(ways).map(|(target, line, _)| Action::torpedo(ship_id(*target), waters.line_id(*line)))
}

/// The indices of a fleet's surface ships.
pub(super) const fn fleet() -> core::ops::Range<u8> {
    0..SHIPS.len() as u8
}
