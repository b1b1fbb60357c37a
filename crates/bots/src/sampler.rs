//! Sampling of hidden pieces: draws from all arrangements that agree with the knowledge of pieces, their possible
//! places, and the number of cells that they cover in some sets.
//!
//! It is Gibbs sampling (Geman and Geman, 1984): one piece after another is removed and put back at random, each place
//! as likely as it agrees with the other pieces. Disagreement is allowed on the way, so that the pieces can pass each
//! other; only the best agreement is counted. For each piece put back, all its places are counted by their likelihood,
//! not only the one drawn (Rao-Blackwell), so a few hundred draws are enough.
use crate::luck::Luck;

/// The likelihood of one disagreement against none, on the way.
const DISAGREEMENT: f32 = 0.04;
/// The most work for an answer, in all sweeps of all chains: each cell of each place is 1, and 1 for each of its
/// counts. On a large board with many ships, or after a long match, there are fewer sweeps, so that no answer takes
/// long.
const MOST_WORK: usize = 24_000_000;
/// The uncounted sweeps of a chain, besides a quarter of them: it has to find its way first.
const WARMING: usize = 4;
/// The most disagreements that are distinguished.
const MOST: usize = 24;

/// A hidden piece.
pub(crate) struct Piece {
    /// Pieces of one kind count alike.
    pub kind: u16,
    /// The number of its cells.
    pub length: usize,
    /// The cells of its places, `length` each, one place after the other.
    pub places: Vec<u16>,
}

/// The number of covered cells of a set.
#[derive(Clone)]
pub(crate) struct Count {
    pub cells: Vec<u16>,
    /// Only pieces of this kind count.
    pub kind: Option<u16>,
    pub least: u16,
    pub most: u16,
    /// The weight against one cell too many or too few, for knowledge that may be outdated; `None` if certain.
    pub doubt: Option<f32>,
}

/// The hidden pieces, and the knowledge of them.
pub(crate) struct Puzzle {
    pub cells: usize,
    pub pieces: Vec<Piece>,
    pub counts: Vec<Count>,
    /// For each cell, the cells closed to other pieces when a piece covers it.
    pub zone: Vec<Vec<u16>>,
}

/// The result of the draws.
#[derive(Default)]
pub(crate) struct Drawn {
    /// The likelihood that each cell is covered.
    pub chance: Vec<f32>,
    /// Some of the draws: the cells covered by each piece.
    pub draws: Vec<Vec<Vec<u16>>>,
}

/// The effort of a drawing.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    /// The number of chains.
    pub chains: usize,
    /// The number of sweeps in each chain; a sweep puts back every piece.
    pub sweeps: usize,
    /// The number of kept draws.
    pub kept: usize,
    /// The number of puzzles drawn for one answer, which share its time.
    pub share: usize,
}

impl Effort {
    /// The effort limited to the available time, for the work of a sweep.
    fn within(self, work: usize) -> Self {
        let sweeps = MOST_WORK / self.share.max(1) / work.max(1);
        let chains = self.chains.min(sweeps / 16).max(1);
        // The first sweeps, a quarter and four more, find the way.
        let counted = (sweeps / chains).saturating_sub(WARMING) * 4 / 5;
        Self { chains, sweeps: self.sweeps.min(counted).max(1), ..self }
    }

    /// The number of uncounted sweeps of a chain.
    fn warming(self) -> usize {
        self.sweeps / 4 + WARMING.min(self.sweeps)
    }
}

struct Chain<'p> {
    puzzle: &'p Puzzle,
    /// By cell, its counts.
    told: &'p [Vec<u16>],
    at: Vec<usize>,
    /// By cell, the pieces in whose zone it lies, a bit each.
    taken: Vec<u32>,
    covered: Vec<i16>,
    /// Disagreements of all pieces that are on the board.
    wrong: i32,
    /// Scratch, by place: the disagreements it adds, and its other likelihood.
    adds: Vec<i32>,
    doubts: Vec<f32>,
    weights: Vec<f32>,
}

/// The counts, at the fewest disagreements seen so far.
struct Tally {
    wrong: i32,
    sum: Vec<f64>,
    /// The total weight, by piece.
    total: Vec<f64>,
    draws: Vec<Vec<Vec<u16>>>,
    seen: usize,
}

impl Puzzle {
    /// Do these pieces leave each other room?
    pub(crate) fn is_free(&self, lies: &[Vec<u16>]) -> bool {
        let mut by: Vec<usize> = vec![usize::MAX; self.cells];
        for (piece, cells) in lies.iter().enumerate() {
            cells.iter().for_each(|cell| by[usize::from(*cell)] = piece);
        }
        let alone = |piece: usize, cell: &u16| {
            let near = self.zone[usize::from(*cell)].iter().map(|near| by[usize::from(*near)]);
            near.into_iter().all(|other| other == piece || other == usize::MAX)
        };
        lies.iter().enumerate().all(|(piece, cells)| {
            !cells.is_empty() && cells.iter().all(|cell| by[usize::from(*cell)] == piece && alone(piece, cell))
        })
    }

    pub(crate) fn draw(&self, effort: Effort, luck: &mut Luck) -> Drawn {
        let mut told: Vec<Vec<u16>> = vec![Vec::new(); self.cells];
        for (index, count) in self.counts.iter().enumerate() {
            for cell in &count.cells {
                told[usize::from(*cell)].push(index as u16);
            }
        }
        let pieces = self.pieces.len();
        let cells = self.pieces.iter().flat_map(|piece| &piece.places);
        let effort = effort.within(cells.map(|cell| 1 + told[usize::from(*cell)].len()).sum());
        let mut tally = Tally {
            wrong: i32::MAX,
            sum: vec![0.0; self.cells * pieces],
            total: vec![0.0; pieces],
            draws: Vec::new(),
            seen: 0,
        };
        for _ in 0..effort.chains {
            let mut chain = Chain::new(self, &told, luck);
            let burn = effort.warming();
            for sweep in 0..burn + effort.sweeps {
                for piece in 0..pieces {
                    chain.put_back(piece, luck, (sweep >= burn).then_some(&mut tally));
                }
                if sweep >= burn && chain.wrong == tally.wrong {
                    tally.keep(&chain, effort, luck);
                }
            }
        }
        let mut chance = vec![0.0; self.cells];
        for (at, sum) in tally.sum.iter().enumerate() {
            chance[at % self.cells] += (sum / tally.total[at / self.cells].max(f64::MIN_POSITIVE)) as f32;
        }
        Drawn { chance, draws: tally.draws }
    }
}

impl Tally {
    fn reset(&mut self, wrong: i32) {
        self.wrong = wrong;
        self.sum.fill(0.0);
        self.total.fill(0.0);
        self.draws.clear();
        self.seen = 0;
    }

    /// Keeps a draw; when there are enough, in place of another (reservoir sampling).
    fn keep(&mut self, chain: &Chain<'_>, effort: Effort, luck: &mut Luck) {
        self.seen += 1;
        if self.draws.len() < effort.kept {
            self.draws.push(chain.lies());
        } else if effort.kept > 0 {
            let at = luck.below(self.seen);
            if at < effort.kept {
                self.draws[at] = chain.lies();
            }
        }
    }
}

impl<'p> Chain<'p> {
    fn new(puzzle: &'p Puzzle, told: &'p [Vec<u16>], luck: &mut Luck) -> Self {
        let mut chain = Self {
            puzzle,
            told,
            at: puzzle.pieces.iter().map(|piece| luck.below(piece.places.len() / piece.length.max(1))).collect(),
            taken: vec![0; puzzle.cells],
            covered: vec![0; puzzle.counts.len()],
            wrong: puzzle.counts.iter().filter(|count| count.doubt.is_none()).map(|count| count.wrong(0)).sum(),
            adds: Vec::new(),
            doubts: Vec::new(),
            weights: Vec::new(),
        };
        for piece in 0..puzzle.pieces.len() {
            let (adds, _) = chain.judge(piece, chain.at[piece]);
            chain.wrong += adds;
            chain.set(piece, 1);
        }
        chain
    }

    fn place(&self, piece: usize, place: usize) -> &'p [u16] {
        let piece = &self.puzzle.pieces[piece];
        piece.places.get(place * piece.length..(place + 1) * piece.length).unwrap_or_default()
    }

    fn lies(&self) -> Vec<Vec<u16>> {
        (0..self.at.len()).map(|piece| self.place(piece, self.at[piece]).to_vec()).collect()
    }

    /// Puts a piece at its place (1), or removes it (-1).
    fn set(&mut self, piece: usize, by: i16) {
        let (kind, bit) = (self.puzzle.pieces[piece].kind, 1 << (piece % 32));
        for cell in self.place(piece, self.at[piece]) {
            for near in &self.puzzle.zone[usize::from(*cell)] {
                let taken = &mut self.taken[usize::from(*near)];
                *taken = if by > 0 { *taken | bit } else { *taken & !bit };
            }
            for count in &self.told[usize::from(*cell)] {
                if self.puzzle.counts[usize::from(*count)].is_of(kind) {
                    self.covered[usize::from(*count)] += by;
                }
            }
        }
    }

    /// The disagreements that a place would add, and its doubt.
    fn judge(&mut self, piece: usize, place: usize) -> (i32, f32) {
        let kind = self.puzzle.pieces[piece].kind;
        let cells = self.place(piece, place);
        let met = cells.iter().fold(0_u32, |met, cell| met | self.taken[usize::from(*cell)]);
        let (mut adds, mut doubt, mut told) = (met.count_ones() as i32, 0.0, false);
        for cell in cells {
            for index in &self.told[usize::from(*cell)] {
                let count = &self.puzzle.counts[usize::from(*index)];
                if !count.is_of(kind) {
                    continue;
                }
                let covered = &mut self.covered[usize::from(*index)];
                let change = count.wrong(*covered + 1) - count.wrong(*covered);
                *covered += 1;
                told = true;
                match count.doubt {
                    None => adds += change,
                    Some(each) => doubt += each * change as f32,
                }
            }
        }
        if told {
            for index in cells.iter().flat_map(|cell| &self.told[usize::from(*cell)]) {
                if self.puzzle.counts[usize::from(*index)].is_of(kind) {
                    self.covered[usize::from(*index)] -= 1;
                }
            }
        }
        (adds, doubt)
    }

    fn put_back(&mut self, piece: usize, luck: &mut Luck, tally: Option<&mut Tally>) {
        let length = self.puzzle.pieces[piece].length.max(1);
        let places = self.puzzle.pieces[piece].places.len() / length;
        if places == 0 {
            return;
        }
        self.set(piece, -1);
        let (before, _) = self.judge(piece, self.at[piece]);
        let without = self.wrong - before;
        let (mut adds, mut doubts) = (std::mem::take(&mut self.adds), std::mem::take(&mut self.doubts));
        adds.clear();
        doubts.clear();
        for place in 0..places {
            let (add, doubt) = self.judge(piece, place);
            adds.push(add);
            doubts.push(doubt);
        }
        let fewest = adds.iter().copied().min().unwrap_or_default();
        let likely: [f32; MOST] = std::array::from_fn(|wrong| DISAGREEMENT.powi(wrong as i32));
        self.weights.clear();
        let judged = adds.iter().zip(&doubts);
        self.weights.extend(judged.map(|(add, doubt)| {
            let likely = likely[((add - fewest) as usize).min(MOST - 1)];
            if *doubt == 0.0 { likely } else { likely * (-doubt).exp() }
        }));
        self.at[piece] = luck.weighted(&self.weights).unwrap_or_default();
        self.wrong = without + adds[self.at[piece]];
        self.set(piece, 1);
        if let Some(tally) = tally {
            self.count(piece, without, &adds, tally);
        }
        (self.adds, self.doubts) = (adds, doubts);
    }

    /// Counts all places of a piece that agree as well as the best seen so far.
    fn count(&self, piece: usize, without: i32, adds: &[i32], tally: &mut Tally) {
        if self.wrong > tally.wrong {
            return;
        }
        if self.wrong < tally.wrong {
            tally.reset(self.wrong);
        }
        let agrees = |place: &usize| without + adds[*place] == tally.wrong;
        let sum: f32 = (0..adds.len()).filter(agrees).map(|place| self.weights[place]).sum();
        if sum <= 0.0 {
            return;
        }
        tally.total[piece] += 1.0;
        let chances = &mut tally.sum[piece * self.puzzle.cells..(piece + 1) * self.puzzle.cells];
        for place in (0..adds.len()).filter(|place| without + adds[*place] == tally.wrong) {
            let share = f64::from(self.weights[place] / sum);
            for cell in self.place(piece, place) {
                chances[usize::from(*cell)] += share;
            }
        }
    }
}

impl Count {
    fn is_of(&self, kind: u16) -> bool {
        self.kind.is_none_or(|of| of == kind)
    }

    /// The difference to the number of covered cells.
    fn wrong(&self, covered: i16) -> i32 {
        let (least, most) = (self.least as i32, self.most as i32);
        (least - i32::from(covered)).max(i32::from(covered) - most).max(0)
    }
}

#[cfg(test)]
mod tests;
