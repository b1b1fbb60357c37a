//! The possible places of ships, and the placing of the own fleet.
use broadside_rules::{
    card::Orientation,
    families::gunnery::{
        Rules,
        rules::{Border, Contact},
    },
    grid::{Board, Cell, CellSet},
};
use serde_json::{Value, json};

use crate::{
    Level,
    luck::Luck,
    sampler::{Effort, Piece, Puzzle},
    view::{number, texts},
};

/// The number of drawn fleets, of which one is chosen.
const FLEETS: usize = 24;

/// The cells of a ship from its first cell, if the board has them all.
fn cells(board: Board, first: Cell, steps: &[(i8, i8)]) -> Option<Vec<u16>> {
    let cell = |(row, column): &(i8, i8)| {
        let row = board.row(first).checked_add_signed(*row)?;
        Some(board.cell(row, board.column(first).checked_add_signed(*column)?)?.0)
    };
    steps.iter().map(cell).collect()
}

/// Every way of a ship by the board and the law of its border, off some cells.
pub(super) fn ways(rules: &Rules, orientations: &[Vec<(i8, i8)>], closed: &CellSet) -> Vec<Vec<u16>> {
    let board = rules.board;
    let lawful = |way: &Vec<u16>| {
        let on_edge = way.iter().filter(|cell| board.on_edge(Cell(**cell))).count();
        let corner = way.iter().any(|cell| board.is_corner(Cell(*cell)));
        let border = rules.border == Border::Free || on_edge <= 1 && !corner;
        border && way.iter().all(|cell| !closed.contains(Cell(*cell)))
    };
    let from = |first: Cell| orientations.iter().filter_map(move |steps| cells(board, first, steps));
    board.iter().flat_map(from).filter(lawful).collect()
}

/// The steps of the orientations of a class.
pub(super) fn steps(orientations: &[Orientation]) -> Vec<Vec<(i8, i8)>> {
    let steps = |way: &Orientation| way.cells.iter().map(|step| (step.row, step.column)).collect();
    orientations.iter().map(steps).collect()
}

/// By covered cell, the cells closed to other ships.
pub(super) fn zones(board: Board, contact: Contact) -> Vec<Vec<u16>> {
    let zone = |cell: Cell| -> Vec<u16> {
        let near: Vec<Cell> = match contact {
            Contact::Allowed => Vec::new(),
            Contact::Corners => board.orthogonal(cell).collect(),
            Contact::Forbidden => board.neighbours(cell).collect(),
        };
        [cell].into_iter().chain(near).map(|cell| cell.0).collect()
    };
    board.iter().map(zone).collect()
}

/// Places the fleet. The strong player draws some legal fleets and keeps those that tell least when sunk, which close
/// the fewest cells to other ships, and of equal ones those where ships are rarer: one of them by lot, to be
/// unpredictable.
pub(super) fn deploy(rules: &Rules, decision: &Value, level: Level, luck: &mut Luck) -> Option<Value> {
    let board = rules.board;
    let ships = decision["ships"].as_array()?;
    let mut pieces = Vec::with_capacity(ships.len());
    for ship in ships {
        let orientation = |way: &Value| -> Option<Vec<(i8, i8)>> {
            let step = |step: &Value| Some((step["row"].as_i64()? as i8, step["column"].as_i64()? as i8));
            way["cells"].as_array()?.iter().map(step).collect()
        };
        let orientations: Option<Vec<_>> = ship["orientations"].as_array()?.iter().map(orientation).collect();
        let open: CellSet = texts(&ship["cells"]).filter_map(|label| board.parse(label)).collect();
        let places = ways(rules, &orientations?, &board.all().without(&open));
        let length = usize::from(number(&ship["length"], 1));
        pieces.push(Piece { kind: 0, length, places: places.concat() });
    }
    let zone = zones(board, rules.contact);
    let puzzle = Puzzle { cells: usize::from(board.cells()), pieces, counts: Vec::new(), zone };
    let drawn = puzzle.draw(Effort { chains: 8, sweeps: 24, kept: FLEETS, share: 1 }, luck);
    let lawful = drawn.draws.iter().filter(|fleet| puzzle.is_free(fleet));
    let common =
        |fleet: &&Vec<Vec<u16>>| -> f32 { fleet.iter().flatten().map(|cell| drawn.chance[usize::from(*cell)]).sum() };
    let closed = |fleet: &Vec<Vec<u16>>| -> u16 {
        let near = fleet.iter().flatten().flat_map(|cell| &puzzle.zone[usize::from(*cell)]);
        near.map(|cell| Cell(*cell)).collect::<CellSet>().len()
    };
    let mut fleets: Vec<(u16, f32, &Vec<Vec<u16>>)> =
        lawful.map(|fleet| (closed(fleet), common(&fleet), fleet)).collect();
    if level == Level::Strong {
        fleets.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        fleets.truncate(fleets.len().div_ceil(3));
    }
    let (_, _, fleet) = luck.pick(&fleets)?;
    let place = |(ship, cells): (&Value, &Vec<u16>)| {
        let cells: Vec<_> = cells.iter().map(|cell| board.label(Cell(*cell))).collect();
        json!({"ship": ship["ship"], "cells": cells})
    };
    let mut action = decision["example"].clone();
    action["ships"] = ships.iter().zip(*fleet).map(place).collect();
    if let Some(mines) = decision.get("mines") {
        let covered: CellSet = fleet.iter().flatten().map(|cell| Cell(*cell)).collect();
        let free = |label: &&str| board.parse(label).is_some_and(|cell| !covered.contains(cell));
        let mut open: Vec<&str> = texts(&mines["cells"]).filter(free).collect();
        luck.shuffle(&mut open);
        open.truncate(usize::from(number(&mines["count"], 0)));
        action["mines"] = open.into_iter().collect();
    }
    Some(action)
}
