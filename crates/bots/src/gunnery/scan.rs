//! Special weapons: those that fire are valued by the expected hits, those that look by the next salvo's gain.
use std::collections::BTreeMap;

use broadside_rules::{
    families::gunnery::weapons::{Direction, Effect, Weapon},
    grid::{Cell, CellSet},
};
use serde_json::Value;

use super::{aim::Target, known::Waters};
use crate::{
    luck::Luck,
    view::{View, texts},
};

/// The least gain of a look, in salvos: a salvo now and a better one later equal a look now.
const WORTH_LOOKING: f32 = 2.0;
/// The most judged aims of a weapon.
const MOST_AIMS: usize = 200;
/// The most examined cells of drawn fleets for the aims of all weapons at all seas: fewer aims where these are many.
const MOST_LOOKS: usize = 60_000_000;

/// The directions of a line, with their names.
const DIRECTIONS: [(&str, Direction); 4] =
    [("north", Direction::North), ("east", Direction::East), ("south", Direction::South), ("west", Direction::West)];

/// A weapon, if it is worth more than the best salvo.
pub(super) fn choose(
    waters: &Waters<'_>,
    view: &View,
    targets: &[Target<'_>],
    salvo: f32,
    luck: &mut Luck,
) -> Option<Value> {
    let mut best: (f32, Option<Value>) = (salvo, None);
    let weapons = view.required("use-weapon").count();
    for decision in view.required("use-weapon") {
        let weapon = waters.rules.weapons.iter().find(|weapon| decision["weapon"] == weapon.weapon.as_str());
        let target = targets.iter().find(|target| target.fire.get("target") == decision.get("target"));
        let (Some(weapon), Some(target)) = (weapon, target) else { continue };
        let mut aims = aims(waters, decision);
        luck.shuffle(&mut aims);
        let one = usize::from(waters.board.cells()) * target.drawn.draws.len().max(1);
        let most = MOST_LOOKS / weapons.max(1) / one.max(1);
        for (cell, direction) in aims.into_iter().take(most.clamp(1, MOST_AIMS)) {
            let reach = weapon.reach(waters.board, &waters.land, cell, direction);
            let worth =
                if weapon.fires() { hits(target, weapon, &reach) } else { look(waters, target, weapon, cell, &reach) };
            if worth > best.0 {
                let mut action = decision["example"].clone();
                action["cell"] = serde_json::to_value(waters.board.label(cell)).ok()?;
                if let Some(direction) = direction {
                    action["direction"] = direction.as_str().into();
                }
                best = (worth, Some(action));
            }
        }
    }
    best.1
}

fn aims(waters: &Waters<'_>, decision: &Value) -> Vec<(Cell, Option<Direction>)> {
    let board = waters.board;
    let mut all = Vec::new();
    for aim in decision["aims"].as_array().into_iter().flatten() {
        let signs = |(row, signs): (usize, &'_ str)| -> Vec<Cell> {
            let marked = signs.bytes().enumerate().filter(|(_, sign)| *sign == b'x');
            marked.filter_map(|(column, _)| board.cell(u8::try_from(row).ok()?, u8::try_from(column).ok()?)).collect()
        };
        let cells: Vec<Cell> = texts(&aim["rows"]).enumerate().flat_map(signs).collect();
        let named: Vec<&str> = texts(&aim["directions"]).collect();
        let ways: Vec<Option<Direction>> = match named.is_empty() {
            true => vec![None],
            false => DIRECTIONS.iter().filter(|(name, _)| named.contains(name)).map(|(_, way)| Some(*way)).collect(),
        };
        all.extend(ways.into_iter().flat_map(|way| cells.iter().map(move |cell| (*cell, way))));
    }
    all
}

/// The expected hits of a weapon that fires.
fn hits(target: &Target<'_>, weapon: &Weapon, reach: &[Cell]) -> f32 {
    let chances = reach.iter().filter(|cell| !target.cells.tried.contains(**cell));
    let chances = chances.map(|cell| target.drawn.chance[cell.index()]);
    if weapon.effect == Effect::Line {
        return 1.0 - chances.map(|chance| 1.0 - chance.min(1.0)).product::<f32>();
    }
    chances.sum()
}

/// The worth of the best shots after the weapon's findings, as a part of two salvos: fleets that would give the same
/// answer are taken together.
fn look(waters: &Waters<'_>, target: &Target<'_>, weapon: &Weapon, aim: Cell, reach: &[Cell]) -> f32 {
    if target.drawn.draws.is_empty() {
        return 0.0;
    }
    let board = waters.board;
    let mut answers: BTreeMap<Vec<u16>, (usize, Vec<u16>)> = BTreeMap::new();
    for fleet in &target.drawn.draws {
        let covered: CellSet = fleet.iter().flatten().map(|cell| Cell(*cell)).collect();
        let answer: Vec<u16> = match weapon.effect {
            Effect::Distance => {
                let apart = |cell: Cell| {
                    let rows = board.row(aim).abs_diff(board.row(cell));
                    u16::from(rows.max(board.column(aim).abs_diff(board.column(cell))))
                };
                covered.without(&target.cells.struck).iter().map(apart).min().into_iter().collect()
            }
            Effect::Count => vec![reach.iter().filter(|cell| covered.contains(**cell)).count() as u16],
            _ => reach.iter().filter(|cell| covered.contains(**cell)).map(|cell| cell.0).collect(),
        };
        let (fleets, by_cell) = answers.entry(answer).or_insert_with(|| (0, vec![0; usize::from(board.cells())]));
        *fleets += 1;
        covered.iter().for_each(|cell| by_cell[cell.index()] += 1);
    }
    let mut sum = 0.0;
    for (_, by_cell) in answers.into_values() {
        let mut open: Vec<u16> = target.open.iter().map(|cell| by_cell[cell.index()]).collect();
        let shots = target.shots.min(open.len());
        if shots < open.len() {
            open.select_nth_unstable_by(shots, |a, b| b.cmp(a));
        }
        sum += open.iter().take(shots).map(|fleets| f32::from(*fleets)).sum::<f32>();
    }
    sum / target.drawn.draws.len() as f32 / WORTH_LOOKING
}
