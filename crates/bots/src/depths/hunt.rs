//! The possible positions of the enemy's submarines, by the answers to charges and the lines of torpedoes, and their
//! consequences.
use serde_json::Value;

use super::waters::{DEPTHS, Fleet, Waters};
use crate::{
    luck::Luck,
    sampler::{Count, Drawn, Effort, Piece, Puzzle},
    view::View,
};

const SUBMARINES: usize = 3;

/// The knowledge of the enemy, and guesses.
pub(super) struct Hunt {
    pub own: Fleet,
    pub enemy: Fleet,
    /// The number of the enemy's submarines afloat.
    left: usize,
    drawn: Drawn,
    /// By draw, the number of submarines on each line.
    on_line: Vec<Vec<u8>>,
    /// The possible squares of the enemy's mine.
    mines: Vec<usize>,
}

impl Hunt {
    pub(super) fn new(waters: &Waters<'_>, view: &View, reports: &[Value], effort: Effort, luck: &mut Luck) -> Self {
        let own = |report: &&(usize, &Value)| report.1["seat"].as_u64() == view.viewer.seat.map(u64::from);
        let numbered: Vec<(usize, &Value)> = reports.iter().enumerate().collect();
        let cell = |report: &Value| waters.cell(report["cell"].as_str()?);
        let charges: Vec<(usize, usize, &Value)> = numbered
            .iter()
            .filter(|(_, report)| report["type"] == "charged")
            .filter(own)
            .filter_map(|(at, report)| Some((*at, cell(report)?, *report)))
            .collect();
        let sunk: Vec<(usize, usize)> = charges
            .iter()
            .filter(|(_, _, report)| report["answer"] == "hit")
            .map(|(at, cell, _)| (*at, *cell))
            .collect();
        let later = |at: usize, cells: &[u16]| {
            let among = |(when, cell): &&(usize, usize)| *when > at && cells.contains(&(*cell as u16));
            sunk.iter().filter(among).count() as u16
        };
        let size = waters.size() * DEPTHS;
        let (mut empty, mut counts) = (vec![false; size], Vec::new());
        for (at, cell, report) in &charges {
            let near = waters.near(*cell);
            empty[*cell] = true;
            match report["answer"].as_str() {
                Some("miss") => near.iter().for_each(|near| empty[usize::from(*near)] = true),
                Some("near") => {
                    let told = report["near"].as_u64().unwrap_or(1) as u16;
                    let count = told.saturating_sub(later(*at, &near));
                    counts.push(Count { cells: near, kind: None, least: count, most: count, doubt: None });
                }
                _ => {}
            }
        }
        let fired = numbered.iter().filter(|report| !own(report));
        count_torpedoes(waters, fired.copied(), &later, &mut counts);
        let left = SUBMARINES.saturating_sub(sunk.len());
        let places: Vec<u16> = (0..size).filter(|cell| !empty[*cell]).map(|cell| cell as u16).collect();
        let pieces = (0..left).map(|_| Piece { kind: 0, length: 1, places: places.clone() }).collect();
        let zone = (0..size).map(|cell| vec![cell as u16]).collect();
        let drawn = Puzzle { cells: size, pieces, counts, zone }.draw(effort, luck);
        let on_line = |draw: &Vec<Vec<u16>>| {
            let mut on = vec![0_u8; waters.lines.len()];
            for square in draw.iter().flatten().map(|cell| waters.above(usize::from(*cell))) {
                waters.through[square].iter().for_each(|line| on[*line] += 1);
            }
            on
        };
        let on_line = drawn.draws.iter().map(on_line).collect();
        let mines = mines(waters, numbered.iter().filter(own).map(|(_, report)| *report));
        Self { own: waters.fleet(view, true), enemy: waters.fleet(view, false), left, drawn, on_line, mines }
    }

    /// The worth of a charge in a cell: as a part of a victory, and as information.
    pub(super) fn charge(&self, waters: &Waters<'_>, cell: usize, knowing: f32) -> f32 {
        let near = waters.near(cell);
        let mut answers = [0.0_f32; SUBMARINES + 2];
        for draw in &self.drawn.draws {
            let hit = draw.iter().flatten().any(|other| usize::from(*other) == cell);
            let count = draw.iter().flatten().filter(|other| near.contains(other)).count();
            answers[if hit { 0 } else { 1 + count.min(SUBMARINES) }] += 1.0;
        }
        let all = (self.drawn.draws.len() as f32).max(1.0);
        let part = |answer: &f32| {
            let share = answer / all;
            if share > 0.0 { -share * share.ln() } else { 0.0 }
        };
        let told: f32 = answers.iter().map(part).sum();
        self.drawn.chance[cell] / self.left.max(1) as f32 + knowing * told
    }

    pub(super) fn best_charge(&self, waters: &Waters<'_>, square: usize, knowing: f32) -> f32 {
        (0..DEPTHS).map(|depth| self.charge(waters, waters.below(square, depth), knowing)).fold(0.0, f32::max)
    }

    /// The likelihood that the torpedoes of the enemy's next turn, fired to most effect, sink a ship.
    pub(super) fn danger(&self, waters: &Waters<'_>, fleet: &Fleet, one: bool) -> f32 {
        let at_sea = fleet.ships.iter().filter(|ship| ship.afloat).filter_map(|ship| ship.at);
        let mut lines: Vec<usize> = at_sea.flat_map(|square| waters.through[square].iter().copied()).collect();
        lines.sort_unstable();
        lines.dedup();
        let worst = |on: &Vec<u8>| {
            let most = lines.iter().map(|line| on[*line]).max().unwrap_or_default();
            waters.sinks(i32::from(if one { most.min(1) } else { most }))
        };
        self.on_line.iter().map(worst).sum::<f32>() / self.on_line.len().max(1) as f32
    }

    /// The likelihood of the enemy's mine here.
    pub(super) fn mined(&self, square: usize) -> f32 {
        if self.mines.contains(&square) { 1.0 / self.mines.len() as f32 } else { 0.0 }
    }

    /// The worth of the best later charge of a ship, reduced by each move on the way.
    pub(super) fn outlook(&self, waters: &Waters<'_>, fleet: &Fleet, later: f32) -> f32 {
        let chance =
            |square: usize| (0..DEPTHS).map(|depth| self.drawn.chance[waters.below(square, depth)]).fold(0.0, f32::max);
        let mut best = 0.0_f32;
        for square in 0..waters.size() {
            let chance = chance(square);
            for ship in fleet.ships.iter().filter(|ship| ship.afloat) {
                let moves = match ship.at {
                    Some(at) if ship.charges > 0 => waters.apart(at, square).div_ceil(3).max(1),
                    Some(at) => waters.steps_from_port(at).div_ceil(3) + waters.steps_from_port(square).div_ceil(3),
                    None => waters.steps_from_port(square).div_ceil(3),
                };
                best = best.max(chance * later.powi(moves as i32));
            }
        }
        best / self.left.max(1) as f32
    }
}

/// Counts submarines on lines of torpedoes: at least as many as torpedoes ran along the line in one turn.
fn count_torpedoes<'v>(
    waters: &Waters<'_>,
    fired: impl Iterator<Item = (usize, &'v Value)>,
    later: &dyn Fn(usize, &[u16]) -> u16,
    counts: &mut Vec<Count>,
) {
    let mut turn: (u16, Option<usize>, usize) = (0, None, 0);
    let mut close = |(torpedoes, line, at): (u16, Option<usize>, usize)| {
        let Some(line) = line else { return };
        let squares = waters.lines[line].iter();
        let cells: Vec<u16> =
            squares.flat_map(|square| (0..DEPTHS).map(|depth| waters.below(*square, depth) as u16)).collect();
        let least = torpedoes.saturating_sub(later(at, &cells));
        if least > 0 {
            counts.push(Count { cells, kind: None, least, most: u16::MAX, doubt: None });
        }
    };
    for (at, report) in fired {
        if report["type"] == "torpedoed" {
            let named = report["line"].as_str();
            turn = (turn.0 + 1, waters.names.iter().position(|name| Some(name.as_str()) == named), at);
        } else if report["type"] == "turn-ended" {
            close(std::mem::take(&mut turn));
        }
    }
    close(turn);
}

/// The possible squares of the enemy's mine: none once it has exploded, nor those where a move of ours has ended.
fn mines<'v>(waters: &Waters<'_>, own: impl Iterator<Item = &'v Value>) -> Vec<usize> {
    let mut mines: Vec<usize> = (0..waters.size()).collect();
    for report in own.filter(|report| report["type"] == "moved") {
        let last = report["path"].as_array().and_then(|path| waters.square(path.last()?.as_str()?));
        mines.retain(|square| Some(*square) != last);
        if report["mine"] == true {
            mines.clear();
        }
    }
    mines
}
