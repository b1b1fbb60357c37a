//! The cross-table: the opponents and results of each player, round by round.

use crate::{Board, BoardState, ByeReason, tables};

/// One round of a player's row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cell {
    /// The round, from 1.
    pub round: u16,
    /// The opponent's starting number; `None` for a bye.
    pub opponent: Option<u16>,
    /// Does the player begin (of paired games: the first one)?
    pub begins: bool,
    /// The player's score, in half points; `None` while unfinished, or if it was aborted.
    pub halves: Option<u8>,
    /// Is it over?
    pub is_over: bool,
    /// Is it a bye, or a win or a loss without play?
    pub unplayed: bool,
    /// The reason of a bye; otherwise `None`.
    pub bye: Option<ByeReason>,
    /// Does it count? Not if one of the two players was struck out.
    pub counts: bool,
}

impl Cell {
    /// Was it played to a result?
    pub fn was_played(&self) -> bool {
        self.halves.is_some() && !self.unplayed
    }
}

/// The row of the player with this starting number, round by round. Byes of the draw that are worth nothing are left
/// out. A table has a cell for each of the others.
pub fn row<P>(number: u16, boards: &[Board<P>]) -> Vec<Cell> {
    let own = boards.iter().filter(|board| board.seats(number) && !board.is_free_round());
    let (pairs, tables): (Vec<&Board<P>>, Vec<&Board<P>>) = own.partition(|board| board.table.is_empty());
    let mut cells: Vec<Cell> = pairs
        .into_iter()
        .map(|board| Cell {
            round: board.round,
            opponent: if board.first == number { board.second } else { Some(board.first) },
            begins: board.first == number,
            halves: board.halves_of(number),
            is_over: board.state == BoardState::Finished,
            unplayed: board.unplayed,
            bye: board.bye_reason(),
            counts: true,
        })
        .collect();
    cells.extend(tables.into_iter().flat_map(|board| at_table(number, board)));
    cells.sort_by_key(|cell| cell.round);
    cells
}

/// A player's results at a table against each of the others.
fn at_table<P>(number: u16, board: &Board<P>) -> impl Iterator<Item = Cell> {
    let is_absent = move |number: u16| board.place_of(number) == Some(tables::ABSENT);
    board.table.iter().filter(move |other| **other != number).map(move |other| Cell {
        round: board.round,
        opponent: Some(*other),
        begins: board.first == number,
        halves: board.halves_against(number, *other),
        is_over: board.state == BoardState::Finished,
        unplayed: board.unplayed || is_absent(number) || is_absent(*other),
        bye: None,
        counts: true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tie_breaks::{Standing, standings};
    use crate::{Form, round_robin};

    type Board = super::Board<()>;

    fn points(halves: u32) -> String {
        format!("{}{}", halves / 2, if halves % 2 == 1 { "½" } else { " " })
    }

    /// In the usual print form: the opponent, `+` for the first move, and the score.
    fn printed(table: &[Standing]) -> String {
        let line = |standing: &Standing| {
            let cells = standing.cells.iter().map(|cell| {
                let result = match (cell.halves, cell.unplayed) {
                    (None, _) if cell.is_over => "aborted".to_owned(),
                    (None, _) => "…".to_owned(),
                    (Some(halves), true) => format!("{}(unplayed)", points(halves.into()).trim()),
                    (Some(halves), false) => points(halves.into()).trim().to_owned(),
                };
                let struck = if cell.counts { "" } else { "(struck)" };
                match cell.opponent {
                    Some(other) => format!("{other}{}={result}{struck}", if cell.begins { "+" } else { "-" }),
                    None => format!("bye={result}"),
                }
            });
            let cells: Vec<String> = cells.collect();
            format!(
                "{}. #{} {} | {} | SB {} B {} C {} D {:?} W {}",
                standing.place,
                standing.number,
                points(standing.halves),
                cells.join("  "),
                f64::from(standing.sonneborn_berger) / 4.0,
                f64::from(standing.buchholz) / 2.0,
                f64::from(standing.buchholz_cut_1) / 2.0,
                standing.direct_encounter,
                standing.wins,
            )
        };
        table.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_table_of_five_as_it_stands_in_the_last_round() {
        // Lower numbers win, but 1 and 2 draw, 4 has aborted against 3, and 5 has withdrawn after two rounds.
        let mut boards: Vec<Board> = Vec::new();
        for (index, drawn) in round_robin::rounds(5, false).into_iter().enumerate() {
            let round = u16::try_from(index + 1).unwrap();
            for (first, second) in drawn.games {
                let halves = match (first, second) {
                    (1, 2) | (2, 1) => [1, 1],
                    (first, second) if first < second => [2, 0],
                    _ => [0, 2],
                };
                let withdrawn = (first == 5 || second == 5) && round > 2;
                let mut board = Board::over(round, first, Some(second), halves, withdrawn);
                if [first, second] == [4, 3] || [first, second] == [3, 4] {
                    board.halves = None;
                }
                if round == 5 && !withdrawn {
                    board = Board { state: BoardState::Running, halves: None, ..board };
                }
                boards.push(board);
            }
            boards.extend(drawn.bye.map(|bye| Board::over(round, bye, None, [0, 0], true)));
        }
        insta::assert_snapshot!(printed(&standings(Form::RoundRobin, 5, &[5], &boards)), @r"
        1. #1 3½ | 2+=0½  3-=1  4+=1  5-=1(unplayed) | SB 3.25 B 4.5 C 4.5 D None W 2
        2. #2 2½ | 5+=1  1-=0½  3+=1  4-=… | SB 2.75 B 4.5 C 4.5 D None W 2
        3. #3 1  | 4+=aborted  5-=1  1+=0  2-=0 | SB 0 B 7 C 7 D None W 1
        4. #4 1  | 3-=aborted  5+=1(unplayed)  1-=0  2+=… | SB 0 B 4.5 C 4.5 D None W 0
        5. #5 0  | 2-=0  3+=0  4-=0(unplayed)  1+=0(unplayed) | SB 0 B 8 C 7 D None W 0
        ");
    }

    #[test]
    fn a_requested_bye_is_what_buchholz_cut_1_leaves_out() {
        let requested = |round, number, halves| {
            Board::sitting_out(round, 9, number, (ByeReason::Requested, halves), broadside_rules::Time(0))
        };
        // 1 wins twice and has half a point for a requested bye: 2½. 2 has 1, 3 has 0 and a bye for nothing.
        let boards = [
            Board::over(1, 1, Some(2), [2, 0], false),
            requested(1, 3, 0),
            Board::over(2, 1, Some(3), [2, 0], false),
            Board::over(2, 2, None, [2, 0], true),
            requested(3, 1, 1),
            Board::over(3, 2, Some(3), [1, 1], false),
        ];
        let table = standings(Form::Swiss, 3, &[], &boards);
        let of = |number: u16| table.iter().find(|standing| standing.number == number).unwrap();
        assert_eq!([1, 2, 3].map(|number| of(number).halves), [5, 3, 1]);
        // 1: 1½ and ½ of the opponents, and its own 2½ for the bye, which is the one that is cut, though not the
        // lowest.
        assert_eq!((of(1).buchholz, of(1).buchholz_cut_1), (3 + 1 + 5, 3 + 1));
        // 3: its own ½ for the bye for nothing, 2½ of 1, 1½ of 2.
        assert_eq!((of(3).buchholz, of(3).buchholz_cut_1), (1 + 5 + 3, 5 + 3));
        // 2 had no choice: the lowest is cut.
        assert_eq!((of(2).buchholz, of(2).buchholz_cut_1), (5 + 3 + 1, 5 + 3));
        let row = &of(3).cells[0];
        assert_eq!((row.opponent, row.halves, row.bye), (None, Some(0), Some(ByeReason::Requested)));
    }
}
