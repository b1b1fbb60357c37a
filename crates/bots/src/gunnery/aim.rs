//! What to fire at, and with what.
use broadside_rules::{
    families::gunnery::rules::{SalvoReporting, TurnOrder},
    grid::{Board, Cell, CellSet},
};
use serde_json::{Value, json};

use super::{
    known::{Cells, Waters},
    scan, singly,
};
use crate::{
    Level,
    luck::Luck,
    sampler::{Drawn, Effort, Puzzle},
    view::{View, number, texts},
};

/// How much is drawn for an answer.
const EFFORT: Effort = Effort { chains: 3, sweeps: 40, kept: 96 };
/// How much is drawn where answers are of several cells together: fleets that agree with all of them are harder to
/// find.
const MORE: Effort = Effort { chains: 6, sweeps: 120, kept: 160 };
/// So many fleets are drawn whose ships know nothing of each other.
const SINGLY: usize = 64;
/// What it is worth, in hits, that a salvo hits at all where a hit gives another turn.
const AGAIN: f32 = 1.5;
/// What it costs where a hit takes it.
const PASSES: f32 = 1.5;
/// What an answer to a whole salvo is worth, in hits, for each natural unit of information.
const KNOWING: f32 = 0.5;
/// What it is worth, in hits, that a cell need not be tried any more, once a ship beside it is found.
const ROOM: f32 = 0.1;
/// From so many first cells a salvo is built at most.
const MOST_FIRST: usize = 24;
/// What a cell beside one that this salvo fires at still counts: it tells less.
const BESIDE: f32 = 0.7;
/// The most hits of a salvo that are told apart, and none.
const MOST_HITS: usize = 27;

/// What may be done at one sea, and what is known there.
pub(super) struct Target<'v> {
    pub fire: &'v Value,
    pub cells: Cells,
    pub open: Vec<Cell>,
    pub shots: usize,
    pub drawn: Drawn,
    /// What a shot at each cell is worth, in hits.
    worth: Vec<f32>,
}

/// Fires a salvo, or uses a weapon.
pub(super) fn choose(
    waters: &Waters<'_>,
    view: &View,
    reports: &[Value],
    level: Level,
    luck: &mut Luck,
) -> Option<Value> {
    let board = waters.board;
    let mut targets: Vec<Target<'_>> = Vec::new();
    for fire in view.required("fire") {
        let named = fire["target"].as_str();
        let sea = view.seas.iter().find(|sea| match named {
            Some(id) => sea.id == id,
            None => sea.owner != view.viewer.seat,
        })?;
        let cells = waters.cells(sea);
        let mut open: Vec<Cell> = texts(&fire["targets"]).filter_map(|label| board.parse(label)).collect();
        luck.shuffle(&mut open);
        let puzzle = waters.puzzle(sea, &cells, reports, named.is_none());
        let drawn = match level {
            Level::Easy => hunt(board, &cells, luck),
            Level::Normal => singly::draw(&puzzle, SINGLY, luck),
            Level::Strong => puzzle.draw(effort(&puzzle), luck),
        };
        let worth = if level == Level::Strong { worth(&puzzle, &drawn, &open) } else { drawn.chance.clone() };
        let shots = usize::from(number(&fire["shots"]["max"], 1));
        targets.push(Target { fire, cells, open, shots, drawn, worth });
    }
    let salvos = targets.iter().map(|target| salvo(waters, target, level));
    let (worth, target, cells) = salvos.max_by(|a, b| a.0.total_cmp(&b.0))?;
    if level != Level::Easy
        && let Some(action) = scan::choose(waters, view, &targets, worth, luck)
    {
        return Some(action);
    }
    let labels: Vec<_> = cells.iter().map(|cell| board.label(*cell)).collect();
    let mut action = json!({"type": "fire", "cells": labels});
    if let Some(named) = target.fire.get("target") {
        action["target"] = named.clone();
    }
    Some(action)
}

/// The best cells for a salvo, and how many hits are to be expected.
fn salvo<'t, 'v>(
    waters: &Waters<'_>,
    target: &'t Target<'v>,
    level: Level,
) -> (f32, &'t Target<'v>, Vec<Cell>) {
    let whole = Whole {
        any: match waters.rules.turn {
            TurnOrder::Alternate => 0.0,
            TurnOrder::WhileHitting => AGAIN,
            TurnOrder::WhileMissing => -PASSES,
        },
        knowing: if waters.rules.report == SalvoReporting::PerShot { 0.0 } else { KNOWING },
    };
    let matters = whole.any != 0.0 || whole.knowing != 0.0;
    let chosen = if level == Level::Strong && matters && target.shots > 1 {
        together(waters.board, target, whole)
    } else {
        likeliest(waters.board, target)
    };
    (chosen.iter().map(|cell| target.drawn.chance[cell.index()]).sum(), target, chosen)
}

/// What counts of a salvo as a whole, beside its hits.
#[derive(Clone, Copy)]
struct Whole {
    /// What it is worth that any hits, in hits.
    any: f32,
    /// What its answer is worth, for each natural unit of information.
    knowing: f32,
}

impl Whole {
    /// What it is worth, by how many of the fleets that were drawn it hits so often.
    fn worth(self, fleets: &[u16; MOST_HITS]) -> f32 {
        let all = f32::from(fleets.iter().sum::<u16>()).max(1.0);
        let told = fleets.iter().filter(|fleets| **fleets > 0).map(|fleets| f32::from(*fleets) / all);
        let told: f32 = told.map(|share| -share * share.ln()).sum();
        self.any * (1.0 - f32::from(fleets[0]) / all) + self.knowing * told
    }
}

/// How much to draw.
fn effort(puzzle: &Puzzle) -> Effort {
    let together = puzzle.counts.iter().any(|count| count.cells.len() > 1);
    if together { MORE } else { EFFORT }
}

/// What a shot at each cell is worth: a ship that others may not touch makes room when it is found, a large one more of
/// it than a small one.
fn worth(puzzle: &Puzzle, drawn: &Drawn, open: &[Cell]) -> Vec<f32> {
    let open: CellSet = open.iter().copied().collect();
    let mut worth = vec![0.0; puzzle.cells];
    for (piece, by_cell) in puzzle.pieces.iter().zip(&drawn.by_piece) {
        let room = |way: &[u16]| {
            let zone = way.iter().flat_map(|cell| &puzzle.zone[usize::from(*cell)]).filter(|cell| !way.contains(cell));
            zone.map(|cell| Cell(*cell)).collect::<CellSet>().and(&open).len() as f32
        };
        let ways = piece.places.chunks(piece.length.max(1));
        let each = 1.0 + ROOM * ways.clone().map(room).sum::<f32>() / ways.len().max(1) as f32;
        worth.iter_mut().zip(by_cell).for_each(|(worth, chance)| *worth += each * chance);
    }
    worth
}

/// The likeliest cells, one after the other.
fn likeliest(board: Board, target: &Target<'_>) -> Vec<Cell> {
    let mut worth = target.worth.clone();
    let mut open = target.open.clone();
    let mut chosen = Vec::new();
    while chosen.len() < target.shots && !open.is_empty() {
        let best = (0..open.len()).max_by(|a, b| worth[open[*a].index()].total_cmp(&worth[open[*b].index()]));
        let cell = open.swap_remove(best.unwrap_or_default());
        chosen.push(cell);
        board.orthogonal(cell).for_each(|beside| worth[beside.index()] *= BESIDE);
    }
    chosen
}

/// Cells for a salvo that matters as a whole. Where a hit passes the turn, many hits at once are better than one, and
/// none at all costs nothing; where only a tally is told, a salvo is better whose tally is less certain. From some first
/// cells on, the best is added each time, by the fleets that were drawn.
fn together(board: Board, target: &Target<'_>, whole: Whole) -> Vec<Cell> {
    let fleets = target.drawn.draws.iter();
    let fleets: Vec<CellSet> = fleets.map(|fleet| fleet.iter().flatten().map(|cell| Cell(*cell)).collect()).collect();
    let shots = target.shots.min(target.open.len());
    let mut best: (f32, Vec<Cell>) = (f32::MIN, Vec::new());
    for first in target.open.iter().take(MOST_FIRST) {
        let mut salvo = Salvo::new(&fleets);
        let mut worth = salvo.with(*first, target, whole);
        salvo.add(*first);
        while salvo.cells.len() < shots {
            let open = target.open.iter().filter(|cell| !salvo.cells.contains(cell));
            let rated = open.map(|cell| (salvo.with(*cell, target, whole), *cell));
            let Some((with, cell)) = rated.max_by(|a, b| a.0.total_cmp(&b.0)) else { break };
            worth = with;
            salvo.add(cell);
        }
        if worth > best.0 {
            best = (worth, salvo.cells);
        }
    }
    if best.1.is_empty() { likeliest(board, target) } else { best.1 }
}

/// A salvo that is being built, against the fleets that were drawn.
struct Salvo<'f> {
    fleets: &'f [CellSet],
    /// How often it hits each of them.
    hits: Vec<u8>,
    cells: Vec<Cell>,
}

impl<'f> Salvo<'f> {
    fn new(fleets: &'f [CellSet]) -> Self {
        Self { fleets, hits: vec![0; fleets.len()], cells: Vec::new() }
    }

    fn add(&mut self, cell: Cell) {
        self.hits.iter_mut().zip(self.fleets).for_each(|(hits, fleet)| *hits += u8::from(fleet.contains(cell)));
        self.cells.push(cell);
    }

    /// What it is worth with one more cell.
    fn with(&self, cell: Cell, target: &Target<'_>, whole: Whole) -> f32 {
        let mut by_hits = [0_u16; MOST_HITS];
        for (hits, fleet) in self.hits.iter().zip(self.fleets) {
            by_hits[usize::from(hits + u8::from(fleet.contains(cell))).min(MOST_HITS - 1)] += 1;
        }
        let cells = self.cells.iter().chain([&cell]);
        cells.map(|cell| target.worth[cell.index()]).sum::<f32>() + whole.worth(&by_hits)
    }
}

/// Beside a hit, if one is known whose ship may be afloat; else anywhere.
fn hunt(board: Board, cells: &Cells, luck: &mut Luck) -> Drawn {
    let near: CellSet = cells.struck.without(&cells.sunk).iter().flat_map(|cell| board.orthogonal(cell)).collect();
    let chance = board.iter().map(|cell| {
        let drawn = luck.unit();
        match () {
            () if cells.empty.contains(cell) => 0.0,
            () if near.contains(cell) || cells.seen.contains(cell) => 1.0 + drawn,
            () => drawn,
        }
    });
    Drawn { chance: chance.collect(), ..Drawn::default() }
}
