//! The likely places of ships, each taken by itself: a way is as likely as the cells under it, and cells become more or
//! less likely until the told numbers of cells are covered (iterative proportional fitting, Deming and Stephan, 1940).
//! Hits, tallies of salvos, sightings and clues are all such counts, so no kind of answer needs code of its own. That
//! two ships can't share a cell is ignored: it would take draws of whole fleets.
use crate::{
    luck::Luck,
    sampler::{Count, Drawn, Puzzle},
};

/// The number of weighing rounds. With more rounds it would be as strong as draws of whole fleets.
const ROUNDS: usize = 4;
/// The part of a difference that a round corrects: less than all, for several counts may share a cell.
const STEP: f32 = 0.6;
/// The likelihood below which a difference no longer counts.
const LITTLE: f32 = 0.02;
/// The bounds of a weight, as logarithms.
const BOUND: f32 = 12.0;

/// The likelihood that each cell is covered, and some draws of independent ships.
pub(super) fn draw(puzzle: &Puzzle, draws: usize, luck: &mut Luck) -> Drawn {
    let kinds = puzzle.pieces.iter().map(|piece| usize::from(piece.kind) + 1).max().unwrap_or_default();
    let mut fit = Fit { puzzle, weights: vec![vec![0.0; puzzle.cells]; kinds], likely: Vec::new() };
    for _ in 0..ROUNDS {
        fit.weigh_ways();
        fit.weigh_cells();
    }
    fit.weigh_ways();
    let mut drawn = Drawn { chance: vec![0.0; puzzle.cells], draws: Vec::new() };
    for by_cell in fit.covered() {
        drawn.chance.iter_mut().zip(by_cell).for_each(|(sum, chance)| *sum += chance);
    }
    for _ in 0..draws {
        let fleet = puzzle.pieces.iter().zip(&fit.likely).map(|(piece, likely)| {
            let way = luck.weighted(likely).unwrap_or_default();
            piece.places.chunks(piece.length.max(1)).nth(way).unwrap_or_default().to_vec()
        });
        drawn.draws.push(fleet.collect());
    }
    drawn
}

struct Fit<'p> {
    puzzle: &'p Puzzle,
    /// By kind and cell, the logarithm of the added likelihood of a way over it.
    weights: Vec<Vec<f32>>,
    /// By piece, the likelihood of each of its ways.
    likely: Vec<Vec<f32>>,
}

impl Fit<'_> {
    fn weigh_ways(&mut self) {
        self.likely.clear();
        for piece in &self.puzzle.pieces {
            let weights = &self.weights[usize::from(piece.kind)];
            let sum = |way: &[u16]| way.iter().map(|cell| weights[usize::from(*cell)]).sum::<f32>();
            let mut ways: Vec<f32> = piece.places.chunks(piece.length.max(1)).map(sum).collect();
            let most = ways.iter().copied().fold(f32::MIN, f32::max);
            ways.iter_mut().for_each(|way| *way = (*way - most).exp());
            let all: f32 = ways.iter().sum();
            ways.iter_mut().for_each(|way| *way /= all);
            self.likely.push(ways);
        }
    }

    /// By piece, the likelihood that it covers each cell.
    fn covered(&self) -> Vec<Vec<f32>> {
        let covers = |(piece, likely): (&crate::sampler::Piece, &Vec<f32>)| {
            let mut covered = vec![0.0; self.puzzle.cells];
            for (way, likely) in piece.places.chunks(piece.length.max(1)).zip(likely) {
                way.iter().for_each(|cell| covered[usize::from(*cell)] += likely);
            }
            covered
        };
        self.puzzle.pieces.iter().zip(&self.likely).map(covers).collect()
    }

    fn weigh_cells(&mut self) {
        let (mut covered, kinds) = (vec![vec![0.0_f32; self.puzzle.cells]; self.weights.len()], self.weights.len());
        for (piece, by_cell) in self.puzzle.pieces.iter().zip(self.covered()) {
            covered[usize::from(piece.kind)].iter_mut().zip(by_cell).for_each(|(sum, chance)| *sum += chance);
        }
        for count in &self.puzzle.counts {
            let of = |kind: &usize| count.kind.is_none_or(|only| usize::from(only) == *kind);
            let kinds: Vec<usize> = (0..kinds).filter(of).collect();
            let cells = count.cells.iter().map(|cell| usize::from(*cell));
            let expected: f32 = cells.map(|cell| kinds.iter().map(|kind| covered[*kind][cell]).sum::<f32>()).sum();
            let by = correction(count, expected);
            for kind in kinds {
                for cell in &count.cells {
                    let weight = &mut self.weights[kind][usize::from(*cell)];
                    *weight = (*weight + by).clamp(-BOUND, BOUND);
                }
            }
        }
    }
}

/// The change of likelihood of the cells of a count, as a logarithm.
fn correction(count: &Count, expected: f32) -> f32 {
    let told = expected.clamp(f32::from(count.least), f32::from(count.most.max(count.least)));
    let by = STEP * ((told + LITTLE) / (expected + LITTLE)).ln();
    count.doubt.map_or(by, |doubt| by * (1.0 - (-doubt).exp()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampler::Piece;

    /// A row of eight cells, with a ship of two cells and one of three.
    fn row(counts: Vec<Count>) -> Puzzle {
        let piece = |length: u16| Piece {
            kind: length,
            length: usize::from(length),
            places: (0..=8 - length).flat_map(|first| first..first + length).collect(),
        };
        Puzzle { cells: 8, pieces: vec![piece(2), piece(3)], counts, zone: Vec::new() }
    }

    fn told(cells: &[u16], hits: u16, kind: Option<u16>) -> Count {
        Count { cells: cells.to_vec(), kind, least: hits, most: hits, doubt: None }
    }

    #[test]
    fn about_as_many_cells_are_covered_as_was_told() {
        let near = |chance: f32, wanted: f32| assert!((chance - wanted).abs() < 0.3, "{chance} is not {wanted}");
        let drawn = draw(&row(vec![told(&[3], 1, None)]), 0, &mut Luck::new(1, 1));
        near(drawn.chance[3], 1.0);
        assert!(drawn.chance[2] > drawn.chance[6], "{:?}", drawn.chance);
        // A tally: three of these four were hit, and the last one is far from the others.
        let drawn = draw(&row(vec![told(&[0, 1, 2, 7], 3, None)]), 0, &mut Luck::new(1, 1));
        near([0, 1, 2, 7].map(|cell| drawn.chance[cell]).iter().sum(), 3.0);
        assert!(drawn.chance[1] > drawn.chance[7] && drawn.chance[1] > drawn.chance[4], "{:?}", drawn.chance);
        // None of them was.
        let drawn = draw(&row(vec![told(&[0, 1, 2, 3], 0, None)]), 0, &mut Luck::new(1, 1));
        near(drawn.chance[..4].iter().sum(), 0.0);
    }

    #[test]
    fn a_hit_that_names_its_ship_says_nothing_of_the_others() {
        let drawn = draw(&row(vec![told(&[0], 1, Some(3))]), 50, &mut Luck::new(1, 1));
        let over = |piece: usize| drawn.draws.iter().filter(|fleet| fleet[piece].contains(&0)).count();
        assert_eq!(drawn.draws.len(), 50);
        assert!(drawn.draws.iter().all(|fleet| fleet[0].len() == 2 && fleet[1].len() == 3));
        assert!(over(1) > 25 && over(0) < 15, "{} and {}", over(1), over(0));
    }
}
