//! The draw of a round: the tables, and the players who sit out (rules 1 to 5).

use core::cmp::Reverse;

/// A player's data for the draw.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entrant {
    /// The player's starting number, from 1.
    pub number: u16,
    /// The player's points, in 1/120 of a point.
    pub points: u32,
    /// The starting numbers of earlier opponents, once for each shared table.
    pub met: Vec<u16>,
    /// The number of times they have sat out.
    pub byes: u16,
}

/// A round, by starting numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Round {
    /// The tables, each in the order of its seats.
    pub tables: Vec<Vec<u16>>,
    /// The players who sit out.
    pub out: Vec<u16>,
}

/// The number of orders tried beside that of the points, times the number of players.
const TRIES: usize = 1280;
/// A repeated meeting costs more than all differences of points together.
const MEETING: i64 = 1 << 32;

/// The sizes of the tables, the larger ones first; `None`: this number can't be divided.
pub fn sizes(players: u16, least: u16, most: u16) -> Option<Vec<u16>> {
    if players == 0 || most == 0 {
        return None;
    }
    let tables = players.div_ceil(most);
    let (each, more) = (players / tables, players % tables);
    (each >= least).then(|| (0..tables).map(|table| each + u16::from(table < more)).collect())
}

/// The order of rule 4.
pub(super) fn order(entrants: &mut [Entrant]) {
    entrants.sort_by_key(|entrant| (Reverse(entrant.points), entrant.number));
}

/// Draws a round between these players, given in any order; `None`: they are too few for a table. `round` is its
/// number, from 1.
pub fn draw(mut entrants: Vec<Entrant>, (least, most): (u16, u16), round: u16, seed: u64) -> Option<Round> {
    let players = u16::try_from(entrants.len()).ok()?;
    let (out, sizes) = (0..players).find_map(|out| Some((out, sizes(players - out, least, most)?)))?;
    entrants.sort_by_key(|entrant| (entrant.byes, entrant.points, Reverse(entrant.number)));
    let mut out: Vec<u16> = entrants.drain(..usize::from(out)).map(|entrant| entrant.number).collect();
    out.sort_unstable();
    order(&mut entrants);
    let tables = search(&entrants, &sizes, seed);
    let turned = |table: Vec<usize>| {
        let mut seats: Vec<u16> = table.into_iter().map(|player| entrants[player].number).collect();
        seats.sort_unstable();
        let turn = usize::from(round.saturating_sub(1)) % seats.len().max(1);
        seats.rotate_left(turn);
        seats
    };
    Some(Round { tables: tables.into_iter().map(turned).collect(), out })
}

/// The best draw that the search finds: tables of players by their index, each in order, the best player's first.
fn search(entrants: &[Entrant], sizes: &[u16], seed: u64) -> Vec<Vec<usize>> {
    let weights = Weights::of(entrants);
    let mut order: Vec<usize> = (0..entrants.len()).collect();
    let mut dice = SplitMix64(seed);
    let mut best: Option<(i64, Vec<Vec<usize>>)> = None;
    for _ in 0..=TRIES / entrants.len().max(1) {
        let mut seating = Seating::fill(&order, sizes);
        seating.improve(&weights);
        let cost = seating.cost(&weights);
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, seating.members));
        }
        if cost == 0 {
            break;
        }
        dice.shuffle(&mut order);
    }
    let mut tables = best.map(|(_, tables)| tables).unwrap_or_default();
    tables.iter_mut().for_each(|table| table.sort_unstable());
    tables.sort_unstable();
    tables
}

/// The cost of each two at one table (rule 3).
struct Weights {
    players: usize,
    of: Vec<i64>,
}

impl Weights {
    fn of(entrants: &[Entrant]) -> Self {
        let weight = |one: &Entrant, other: &Entrant| {
            let met = i64::try_from(one.met.iter().filter(|met| **met == other.number).count()).unwrap_or(0);
            met * met * MEETING + i64::from(one.points.abs_diff(other.points))
        };
        let of = entrants.iter().flat_map(|one| entrants.iter().map(move |other| weight(one, other))).collect();
        Self { players: entrants.len(), of }
    }

    fn get(&self, one: usize, other: usize) -> i64 {
        self.of[one * self.players + other]
    }
}

/// The tables of the players.
struct Seating {
    members: Vec<Vec<usize>>,
    table_of: Vec<usize>,
}

impl Seating {
    /// Fills the tables one after another.
    fn fill(order: &[usize], sizes: &[u16]) -> Self {
        let (mut members, mut table_of, mut rest) = (Vec::new(), vec![0; order.len()], order);
        for (table, size) in sizes.iter().enumerate() {
            let (own, others) = rest.split_at(usize::from(*size).min(rest.len()));
            own.iter().for_each(|player| table_of[*player] = table);
            members.push(own.to_vec());
            rest = others;
        }
        Self { members, table_of }
    }

    fn cost(&self, weights: &Weights) -> i64 {
        let of = |table: &Vec<usize>| -> i64 {
            let pairs =
                table.iter().enumerate().flat_map(|(at, one)| table[at + 1..].iter().map(move |two| (one, two)));
            pairs.map(|(one, two)| weights.get(*one, *two)).sum()
        };
        self.members.iter().map(of).sum()
    }

    /// Swaps players as long as that makes the draw better (rule 4). Each swap lowers the cost, so it ends.
    fn improve(&mut self, weights: &Weights) {
        loop {
            let mut better = false;
            for one in 0..self.table_of.len() {
                for two in one + 1..self.table_of.len() {
                    if self.table_of[one] != self.table_of[two] && self.change(weights, one, two) < 0 {
                        self.swap(one, two);
                        better = true;
                    }
                }
            }
            if !better {
                return;
            }
        }
    }

    /// The change of the cost if the two swap.
    fn change(&self, weights: &Weights, one: usize, two: usize) -> i64 {
        let moved = |gone: usize, came: usize| -> i64 {
            let others = self.members[self.table_of[gone]].iter().filter(|player| **player != gone);
            others.map(|player| weights.get(came, *player) - weights.get(gone, *player)).sum()
        };
        moved(one, two) + moved(two, one)
    }

    fn swap(&mut self, one: usize, two: usize) {
        let (left, right) = (self.table_of[one], self.table_of[two]);
        self.members[left].iter_mut().filter(|player| **player == one).for_each(|player| *player = two);
        self.members[right].iter_mut().filter(|player| **player == two).for_each(|player| *player = one);
        self.table_of.swap(one, two);
    }
}

/// The generator SplitMix64 (Steele, Lea, Flood 2014): a few lines in any language, so that everybody can draw again.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From the last one on, each changes places with one of those up to it (Fisher and Yates).
    fn shuffle(&mut self, order: &mut [usize]) {
        for last in (1..order.len()).rev() {
            let drawn = self.next() % (last as u64 + 1);
            order.swap(last, usize::try_from(drawn).unwrap_or(last));
        }
    }
}
