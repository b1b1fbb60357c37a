//! The choice of targets and weapons.
use broadside_rules::{
    families::gunnery::rules::TurnOrder,
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

/// The effort of an answer.
const EFFORT: Effort = Effort { chains: 3, sweeps: 40, kept: 96, share: 1 };
/// The effort where answers cover several cells together: fleets that agree with all of them are harder to find.
const MORE: Effort = Effort { chains: 6, sweeps: 120, kept: 160, share: 1 };
/// The number of drawn fleets of independent ships.
const SINGLY: usize = 64;
/// The worth, in hits, of any hit where a hit gives another turn.
const AGAIN: f32 = 1.5;
/// Its cost where a hit takes the turn.
const PASSES: f32 = 2.5;
/// The most first cells from which a salvo is built.
const MOST_FIRST: usize = 24;
/// The most checks of whether a fleet covers a cell, to build salvos of all seas: fewer first cells where boards,
/// salvos or seas are many.
const MOST_LOOKS: usize = 60_000_000;
/// The weight of a cell beside one that this salvo fires at: it tells less.
const BESIDE: f32 = 0.7;

/// The options at one sea, and the knowledge there.
pub(super) struct Target<'v> {
    pub fire: &'v Value,
    pub cells: Cells,
    pub open: Vec<Cell>,
    pub shots: usize,
    pub drawn: Drawn,
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
    let seas = view.required("fire").count();
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
            Level::Strong => puzzle.draw(Effort { share: seas, ..effort(&puzzle) }, luck),
        };
        let shots = usize::from(number(&fire["shots"]["max"], 1));
        targets.push(Target { fire, cells, open, shots, drawn });
    }
    let salvos = targets.iter().map(|target| salvo(waters, target, MOST_LOOKS / seas.max(1)));
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

/// The best cells for a salvo, and the expected hits.
fn salvo<'t, 'v>(waters: &Waters<'_>, target: &'t Target<'v>, looks: usize) -> (f32, &'t Target<'v>, Vec<Cell>) {
    let any = match waters.rules.turn {
        TurnOrder::Alternate => 0.0,
        TurnOrder::WhileHitting => AGAIN,
        TurnOrder::WhileMissing => -PASSES,
    };
    let chosen = if any == 0.0 || target.shots < 2 || target.drawn.draws.is_empty() {
        likeliest(waters.board, target, any)
    } else {
        together(waters.board, target, any, looks)
    };
    (chosen.iter().map(|cell| target.drawn.chance[cell.index()]).sum(), target, chosen)
}

fn effort(puzzle: &Puzzle) -> Effort {
    let together = puzzle.counts.iter().any(|count| count.cells.len() > 1);
    if together { MORE } else { EFFORT }
}

/// The likeliest cells, one after the other; apart from each other, unless it is better that several hit together.
fn likeliest(board: Board, target: &Target<'_>, any: f32) -> Vec<Cell> {
    let apart = if any < 0.0 { 1.0 } else { BESIDE };
    let mut worth = target.drawn.chance.clone();
    let mut open = target.open.clone();
    let mut chosen = Vec::new();
    while chosen.len() < target.shots && !open.is_empty() {
        let best = (0..open.len()).max_by(|a, b| worth[open[*a].index()].total_cmp(&worth[open[*b].index()]));
        let cell = open.swap_remove(best.unwrap_or_default());
        chosen.push(cell);
        board.orthogonal(cell).for_each(|beside| worth[beside.index()] *= apart);
    }
    chosen
}

/// Cells for a salvo for which any hit at all matters: where a hit passes the turn, many hits at once are better than
/// one, and none at all costs nothing. `any` is the worth of any hit, in hits. From some first cells on, the best is
/// added each time, by the drawn fleets.
fn together(board: Board, target: &Target<'_>, any: f32, looks: usize) -> Vec<Cell> {
    let fleets = target.drawn.draws.iter();
    let fleets: Vec<CellSet> = fleets.map(|fleet| fleet.iter().flatten().map(|cell| Cell(*cell)).collect()).collect();
    let mut best: (f32, Vec<Cell>) = (f32::MIN, Vec::new());
    let one = target.shots * target.open.len() * fleets.len();
    for first in target.open.iter().take((looks / one.max(1)).clamp(1, MOST_FIRST)) {
        let mut hits: Vec<u16> = fleets.iter().map(|fleet| fleet.contains(*first).into()).collect();
        let (mut chosen, mut worth) = (vec![*first], f32::MIN);
        while chosen.len() < target.shots.min(target.open.len()) {
            let added = |cell: &Cell| -> f32 {
                let struck = fleets.iter().zip(&hits).map(|(fleet, hits)| {
                    let hits = hits + u16::from(fleet.contains(*cell));
                    f32::from(hits) + if hits > 0 { any } else { 0.0 }
                });
                struck.sum()
            };
            let open = target.open.iter().filter(|cell| !chosen.contains(cell));
            let Some((value, cell)) = open.map(|cell| (added(cell), *cell)).max_by(|a, b| a.0.total_cmp(&b.0)) else {
                break;
            };
            worth = value;
            chosen.push(cell);
            hits.iter_mut().zip(&fleets).for_each(|(hits, fleet)| *hits += u16::from(fleet.contains(cell)));
        }
        if worth > best.0 && chosen.len() == target.shots.min(target.open.len()) {
            best = (worth, chosen);
        }
    }
    if best.1.is_empty() { likeliest(board, target, any) } else { best.1 }
}

/// Beside a known hit whose ship may be afloat; otherwise anywhere.
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
