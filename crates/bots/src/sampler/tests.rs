//! The draws, compared with full enumeration.
use super::{Count, Drawn, Effort, MOST_WORK, Piece, Puzzle};
use crate::luck::Luck;

const SIDE: u16 = 4;

/// Every straight line of this length on a small square board.
fn lines(length: u16) -> Vec<Vec<u16>> {
    let from = |row: u16, column: u16, step: u16| (0..length).map(|nth| row * SIDE + column + nth * step).collect();
    let across = (0..SIDE).flat_map(|row| (0..=SIDE - length).map(move |column| (row, column, 1)));
    let down = (0..=SIDE - length).flat_map(|row| (0..SIDE).map(move |column| (row, column, SIDE)));
    across.chain(down).map(|(row, column, step)| from(row, column, step)).collect()
}

fn puzzle(counts: Vec<Count>) -> Puzzle {
    let piece = |(kind, length): (u16, u16)| Piece { kind, length: length.into(), places: lines(length).concat() };
    let pieces = [(0, 3), (1, 2)].map(piece).into();
    Puzzle { cells: usize::from(SIDE * SIDE), pieces, counts, zone: (0..SIDE * SIDE).map(|cell| vec![cell]).collect() }
}

fn certain(cells: &[u16], kind: Option<u16>, least: u16, most: u16) -> Count {
    Count { cells: cells.to_vec(), kind, least, most, doubt: None }
}

/// The likelihood that each cell is covered, by all ways to lay both pieces.
fn counted(puzzle: &Puzzle) -> Vec<f32> {
    let (mut ways, mut covered) = (0.0, vec![0.0; puzzle.cells]);
    for one in lines(3) {
        for other in lines(2) {
            let lies = [one.clone(), other];
            let agrees = |count: &Count| {
                let of = lies.iter().zip(0..).filter(|(_, kind)| count.kind.is_none_or(|of| of == *kind));
                let met = of.flat_map(|(cells, _)| cells).filter(|cell| count.cells.contains(cell)).count() as u16;
                (count.least..=count.most).contains(&met)
            };
            if puzzle.is_free(&lies) && puzzle.counts.iter().all(agrees) {
                ways += 1.0;
                lies.iter().flatten().for_each(|cell| covered[usize::from(*cell)] += 1.0);
            }
        }
    }
    covered.into_iter().map(|covered: f32| covered / ways).collect()
}

fn drawn(puzzle: &Puzzle) -> Drawn {
    puzzle.draw(Effort { chains: 8, sweeps: 400, kept: 50, share: 1 }, &mut Luck::new(1, 1))
}

fn compare(counts: Vec<Count>) {
    let puzzle = puzzle(counts);
    let (drawn, counted) = (drawn(&puzzle), counted(&puzzle));
    for (cell, (drawn, counted)) in drawn.chance.iter().zip(&counted).enumerate() {
        assert!((drawn - counted).abs() < 0.03, "cell {cell}: {drawn} drawn, {counted} counted");
    }
    assert_eq!(drawn.draws.len(), 50);
    assert!(drawn.draws.iter().all(|lies| puzzle.is_free(lies)));
}

#[test]
fn draws_are_as_likely_as_counting_says() {
    compare(Vec::new());
    compare(vec![certain(&[5], None, 1, 1)]);
    compare(vec![certain(&[5], Some(1), 1, 1), certain(&[0, 1, 2, 3], None, 0, 1)]);
    compare(vec![certain(&[0, 5, 10, 15], None, 2, 2), certain(&[12, 13, 14], None, 1, 3)]);
    compare(vec![certain(&[0], None, 1, 1), certain(&[15], None, 1, 1)]);
}

#[test]
fn what_cannot_be_is_met_as_well_as_it_can() {
    let puzzle = puzzle(vec![certain(&[0, 3, 12, 15], None, 4, 4)]);
    assert!(drawn(&puzzle).chance.iter().all(|chance| chance.is_finite()));
}

#[test]
fn what_is_doubted_only_counts_less() {
    let doubted = Count { doubt: Some(2.0), ..certain(&[5], None, 1, 1) };
    let [free, sure] = [Vec::new(), vec![certain(&[5], None, 1, 1)]].map(|counts| drawn(&puzzle(counts)).chance[5]);
    let chance = drawn(&puzzle(vec![doubted])).chance[5];
    assert!(free < chance && chance < sure, "{free} {chance} {sure}");
}

#[test]
fn no_answer_takes_more_than_its_share_of_the_work() {
    let wished = Effort { chains: 6, sweeps: 120, kept: 160, share: 1 };
    for work in [0, 1, 100, 2_700, 40_000, 150_000, 1_000_000, 4_000_000] {
        for share in [1, 2, 6] {
            let effort = Effort { share, ..wished }.within(work);
            let done = effort.chains * (effort.sweeps + effort.warming()) * work;
            // There are always two sweeps.
            assert!(done * share <= MOST_WORK || done == 2 * work, "{work}, {share}: {done}");
            assert!(effort.sweeps >= 1 && effort.chains >= 1);
        }
    }
    // With enough time no sweep is dropped.
    let small = wished.within(2_700);
    assert_eq!((small.chains, small.sweeps, small.warming()), (6, 120, 34));
}

#[test]
fn a_cell_of_which_much_was_told_is_more_work() {
    // With this many answers about every cell only a few sweeps are left; the draws still agree with them.
    let all: Vec<u16> = (0..SIDE * SIDE).collect();
    let told = |count: usize| vec![certain(&all, None, 5, 5); count];
    let effort = Effort { chains: 4, sweeps: 4_000, kept: 1_000_000, share: 1 };
    let draws = |count: usize| puzzle(told(count)).draw(effort, &mut Luck::new(1, 1)).draws.len();
    let (few, many) = (draws(1), draws(4_000));
    assert!(few > 10 * many && many > 0, "{few} and {many}");
}
