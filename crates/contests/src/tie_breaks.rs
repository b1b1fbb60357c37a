//! The standings of a tournament: points, and the tie-breaks between players with equal points.
//!
//! The definitions follow the FIDE Handbook C.07, except for unplayed games, where they are simpler:
//!
//! | tie-break | definition |
//! |---|---|
//! | Buchholz | the sum of the opponents' points |
//! | Buchholz cut 1 | the same without the lowest of them |
//! | Sonneborn–Berger | the points of the opponents beaten, and half the points of those drawn with |
//! | direct encounter | the points against each other of those still equal, if all of them have met |
//! | wins | the number of games (paired games: pairings) won by playing |
//!
//! In a Swiss a bye, a win without play and an aborted game count for these as if the opponent had as many points as
//! the player (FIDE's virtual opponent). So do a requested bye and a round that a late entrant has missed; but players
//! choose these themselves, so Buchholz cut 1 leaves out one of them, if any, before anything else. In a round robin
//! the opponent is known, and counts with their own points. An opponent's byes and wins without play count in full, and
//! an opponent who has withdrawn counts with the points they have. Rounds missed after a withdrawal count nothing.
//! Players who are equal in everything share a place.

use core::cmp::Reverse;
use core::iter;

use crate::crosstable::{self, Cell};
use crate::groups::InGroup;
use crate::tables::{POINT, Score};
use crate::words::words;
use crate::{Board, BoardState, ByeReason, Form};

words! {
    /// What decides between players with equal points; the table above defines each.
    pub enum TieBreak {
        /// The points that those who are equal have made against each other.
        DirectEncounter,
        /// The sum of the opponents' points.
        Buchholz,
        /// The sum of the opponents' points without the lowest.
        #[strum(serialize = "buchholz-cut-1")]
        #[serde(rename = "buchholz-cut-1")]
        BuchholzCut1,
        /// The points of the opponents beaten, and half the points of those drawn with.
        SonnebornBerger,
        /// The number of games won by playing.
        Wins,
        /// At tables: the average points of the others, added up over the rounds.
        OpponentsAverage,
        /// At tables: how many of them were won alone.
        FirstPlaces,
        /// At tables: what those who are equal have made against each other.
        HeadToHead,
    }
}

/// The tie-breaks of a form of tournament, in the order of use.
pub fn order(form: Form) -> &'static [TieBreak] {
    use TieBreak::{
        Buchholz, BuchholzCut1, DirectEncounter, FirstPlaces, HeadToHead, OpponentsAverage, SonnebornBerger, Wins,
    };
    match form {
        // Within each group.
        Form::RoundRobin | Form::Groups => &[DirectEncounter, SonnebornBerger, Wins],
        Form::Swiss => &[BuchholzCut1, Buchholz, SonnebornBerger, DirectEncounter, Wins],
        // The round reached decides: [`crate::knockout::standings`].
        Form::Knockout => &[],
        Form::Tables => &[OpponentsAverage, FirstPlaces, HeadToHead],
    }
}

/// A player's line in the standings.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Standing {
    /// The starting number.
    pub number: u16,
    /// The place, from 1; equals share one.
    pub place: u16,
    /// The points, in half points.
    pub halves: u32,
    /// The number of games played to an end.
    pub played: u16,
    /// The number of these that were won.
    pub wins: u16,
    /// The number of draws.
    pub draws: u16,
    /// The number of losses.
    pub losses: u16,
    /// Buchholz, in half points.
    pub buchholz: u32,
    /// Buchholz cut 1, in half points.
    pub buchholz_cut_1: u32,
    /// Sonneborn–Berger, in quarters of a point.
    pub sonneborn_berger: u32,
    /// The direct encounter, in half points; `None` where it decides nothing.
    pub direct_encounter: Option<u32>,
    /// In a round robin: the player withdrew with fewer than half of their games begun, so none of them counts for
    /// anybody.
    pub struck: bool,
    /// At tables: the score that replaces half points.
    pub tables: Option<Score>,
    /// In groups: the player's standing in their group.
    pub group: Option<InGroup>,
    /// The player's row of the cross-table.
    pub cells: Vec<Cell>,
}

impl Standing {
    /// All points, as a number.
    pub fn points(&self) -> f64 {
        match self.tables {
            Some(score) => f64::from(score.points) / f64::from(POINT),
            None => f64::from(self.halves) / 2.0,
        }
    }

    pub(crate) fn value(&self, by: TieBreak) -> Option<u32> {
        match by {
            TieBreak::DirectEncounter => self.direct_encounter,
            TieBreak::Buchholz => Some(self.buchholz),
            TieBreak::BuchholzCut1 => Some(self.buchholz_cut_1),
            TieBreak::SonnebornBerger => Some(self.sonneborn_berger),
            TieBreak::Wins => Some(u32::from(self.wins)),
            TieBreak::OpponentsAverage => self.tables.map(|score| score.opponents_average),
            TieBreak::FirstPlaces => self.tables.map(|score| u32::from(score.first_places)),
            TieBreak::HeadToHead => self.tables.and_then(|score| score.head_to_head),
        }
    }
}

/// The standings of the players 1 to `players` after these boards, the best first. `withdrawn` has the starting numbers
/// of withdrawn players.
pub fn standings<P>(form: Form, players: u16, withdrawn: &[u16], boards: &[Board<P>]) -> Vec<Standing> {
    let is_struck =
        |number: u16| form == Form::RoundRobin && withdrawn.contains(&number) && has_begun_too_few(number, boards);
    let struck: Vec<bool> = (0..=players).map(|number| number > 0 && is_struck(number)).collect();
    let counts = |board: &&Board<P>| {
        let is_struck = |number: u16| struck.get(usize::from(number)).copied().unwrap_or(false);
        !is_struck(board.first) && !board.second.is_some_and(is_struck)
    };
    let counting: Vec<&Board<P>> = boards.iter().filter(counts).collect();
    let mut all: Vec<Standing> = (1..=players)
        .map(|number| Standing {
            number,
            struck: struck[usize::from(number)],
            cells: crosstable::row(number, boards),
            ..Standing::default()
        })
        .collect();
    for standing in &mut all {
        let is_struck = |cell: &Cell| standing.struck || cell.opponent.is_some_and(|other| struck[usize::from(other)]);
        standing.cells.iter_mut().for_each(|cell| cell.counts = !is_struck(cell));
    }
    all.iter_mut().for_each(add_up);
    let halves: Vec<u32> = iter::once(0).chain(all.iter().map(|standing| standing.halves)).collect();
    for standing in &mut all {
        compare_with_opponents(form, standing, &halves);
    }
    let (struck, ranked): (Vec<Standing>, Vec<Standing>) = all.into_iter().partition(|standing| standing.struck);
    let mut groups = split(ranked, |standing| Some(standing.halves));
    for by in order(form) {
        groups = groups.into_iter().flat_map(|group| refine(group, *by, &counting)).collect();
    }
    groups.push(struck);
    placed(groups)
}

/// Have fewer than half of a player's games begun?
fn has_begun_too_few<P>(number: u16, boards: &[Board<P>]) -> bool {
    let own = || boards.iter().filter(|board| board.second.is_some() && board.seats(number));
    // A game won without play counts as begun: the player would have played it.
    let begun = own().filter(|board| {
        let played = !board.unplayed && matches!(board.state, BoardState::Running | BoardState::Finished);
        played || board.unplayed && board.halves_of(number) == Some(2)
    });
    begun.count() * 2 < own().count()
}

/// Sums up points and counts from the cells.
pub(crate) fn add_up(standing: &mut Standing) {
    for cell in standing.cells.iter().filter(|cell| cell.counts) {
        let Some(halves) = cell.halves else { continue };
        standing.halves += u32::from(halves);
        if cell.was_played() {
            standing.played += 1;
            match halves {
                2.. => standing.wins += 1,
                1 => standing.draws += 1,
                0 => standing.losses += 1,
            }
        }
    }
}

fn compare_with_opponents(form: Form, standing: &mut Standing, halves: &[u32]) {
    let own = standing.halves;
    let ended = standing.cells.iter().filter(|cell| cell.counts && cell.is_over);
    let chosen = |cell: &Cell| matches!(cell.bye, Some(ByeReason::Requested | ByeReason::LateEntry));
    let against: Vec<(u32, u32, bool)> = ended
        .map(|cell| {
            // In a round robin the opponent of an unplayed game is known.
            let opponent = cell.opponent.filter(|_| cell.was_played() || form == Form::RoundRobin);
            let strength = opponent.and_then(|number| halves.get(usize::from(number))).copied().unwrap_or(own);
            (strength, u32::from(cell.halves.unwrap_or(0)), chosen(cell))
        })
        .collect();
    standing.buchholz = against.iter().map(|(strength, ..)| strength).sum();
    let cut = against.iter().min_by_key(|(strength, _, chosen)| (!chosen, *strength));
    standing.buchholz_cut_1 = standing.buchholz - cut.map_or(0, |(strength, ..)| *strength);
    standing.sonneborn_berger = against.iter().map(|(strength, result, _)| strength * result).sum();
}

/// Sorts a group by a value, the highest first, and splits it where the value differs.
pub(crate) fn split(mut group: Vec<Standing>, value: impl Fn(&Standing) -> Option<u32>) -> Vec<Vec<Standing>> {
    group.sort_by_key(|standing| (Reverse(value(standing)), standing.number));
    let mut groups: Vec<Vec<Standing>> = Vec::new();
    for standing in group {
        match groups.last_mut() {
            Some(last) if last.last().map(&value) == Some(value(&standing)) => last.push(standing),
            _ => groups.push(vec![standing]),
        }
    }
    groups
}

fn refine<P>(mut group: Vec<Standing>, by: TieBreak, boards: &[&Board<P>]) -> Vec<Vec<Standing>> {
    if by == TieBreak::DirectEncounter && group.len() > 1 {
        let numbers: Vec<u16> = group.iter().map(|standing| standing.number).collect();
        let met: Vec<&&Board<P>> =
            boards.iter().filter(|board| board.is_between(&numbers) && board.was_played()).collect();
        let have = |a: u16, b: u16| met.iter().any(|board| board.seats(a) && board.seats(b));
        let each_other = numbers.iter().enumerate().all(|(at, a)| numbers[at + 1..].iter().all(|b| have(*a, *b)));
        if each_other {
            for standing in &mut group {
                let won = met.iter().filter_map(|board| board.halves_of(standing.number));
                standing.direct_encounter = Some(won.map(u32::from).sum());
            }
        }
    }
    split(group, |standing| standing.value(by))
}

/// The groups as one list, with places.
pub(crate) fn placed(groups: Vec<Vec<Standing>>) -> Vec<Standing> {
    let mut all: Vec<Standing> = Vec::new();
    for group in groups {
        let place = u16::try_from(all.len() + 1).unwrap_or(u16::MAX);
        all.extend(group.into_iter().map(|standing| Standing { place, ..standing }));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    type Board = super::Board<()>;

    fn game(round: u16, first: u16, second: u16, halves: [u8; 2]) -> Board {
        Board::over(round, first, Some(second), halves, false)
    }

    fn bye(round: u16, number: u16) -> Board {
        Board::over(round, number, None, [2, 0], true)
    }

    fn order_of(standings: &[Standing]) -> Vec<(u16, u16)> {
        standings.iter().map(|standing| (standing.place, standing.number)).collect()
    }

    #[test]
    fn a_swiss_worked_out_by_hand() {
        let boards = [
            game(1, 1, 2, [2, 0]),
            game(1, 4, 3, [0, 2]),
            bye(1, 5),
            game(2, 3, 1, [1, 1]),
            game(2, 2, 5, [2, 0]),
            bye(2, 4),
            game(3, 1, 5, [2, 0]),
            game(3, 4, 2, [2, 0]),
            bye(3, 3),
        ];
        // Points: 1: 1+½+1 = 2½. 2: 0+1+0 = 1. 3: 1+½+1 (bye) = 2½. 4: 0+1 (bye)+1 = 2. 5: 1 (bye)+0+0 = 1.
        let table = standings(Form::Swiss, 5, &[], &boards);
        let of = |number: u16| table.iter().find(|standing| standing.number == number).unwrap();
        assert_eq!([1, 2, 3, 4, 5].map(|number| of(number).halves), [5, 2, 5, 4, 2]);
        // Buchholz of 1: 2, 3, 5 have 1 + 2½ + 1 = 4½; without the lowest 3½. Of 3: 4, 1 and 3 (the bye): 2 + 2½ + 2½ =
        // 7; 5.
        assert_eq!((of(1).buchholz, of(1).buchholz_cut_1), (9, 7));
        assert_eq!((of(3).buchholz, of(3).buchholz_cut_1), (14, 10));
        // Of 4: 3, 4 (the bye), 2: 2½ + 2 + 1 = 5½; 4½. Of 2: 1, 5, 4: 2½ + 1 + 2 = 5½; 4½. Of 5: 5 (the bye), 2, 1: 1
        // + 1 + 2½ = 4½; 3½.
        assert_eq!((of(4).buchholz, of(4).buchholz_cut_1), (11, 9));
        assert_eq!((of(2).buchholz, of(2).buchholz_cut_1), (11, 9));
        assert_eq!((of(5).buchholz, of(5).buchholz_cut_1), (9, 7));
        // Sonneborn–Berger of 1: 1 (2) + half of 2½ (3) + 1 (5) = 3¼; of 3: 2 + 1¼ + 2½ = 5¾; of 4: 2 (the bye) + 1 =
        // 3; of 2: 1; of 5: 1.
        assert_eq!([1, 2, 3, 4, 5].map(|number| of(number).sonneborn_berger), [13, 4, 23, 12, 4]);
        assert_eq!([1, 2, 3, 4, 5].map(|number| of(number).wins), [2, 1, 1, 1, 0], "a bye is no win");
        assert_eq!(order_of(&table), [(1, 3), (2, 1), (3, 4), (4, 2), (5, 5)]);
    }

    #[test]
    fn a_round_robin_worked_out_by_hand() {
        // 1 beats 2, 2 beats 3, 3 beats 1, and all of them beat 4: they are equal in everything.
        let all_equal = [
            game(1, 1, 4, [2, 0]),
            game(1, 2, 3, [2, 0]),
            game(2, 4, 3, [0, 2]),
            game(2, 1, 2, [2, 0]),
            game(3, 2, 4, [2, 0]),
            game(3, 3, 1, [2, 0]),
        ];
        let table = standings(Form::RoundRobin, 4, &[], &all_equal);
        assert_eq!(order_of(&table), [(1, 1), (1, 2), (1, 3), (4, 4)]);
        assert_eq!(table[0].direct_encounter, Some(2));
        // 2 points each: beating one of the others (2) and the last one (0).
        assert_eq!(table[0].sonneborn_berger, 2 * 4);
        // If 4 draws with 3 and 1 never loses, only 2 and 3 are equal: 2 has beaten 3.
        let boards = [
            game(1, 1, 4, [2, 0]),
            game(1, 2, 3, [2, 0]),
            game(2, 4, 3, [0, 2]),
            game(2, 1, 2, [2, 0]),
            game(3, 2, 4, [0, 2]),
            game(3, 3, 1, [0, 2]),
        ];
        // 1: 3; 2, 3 and 4: 1 each, and among each other one win each: equal again; Sonneborn–Berger: 1 each; wins: 1
        // each.
        assert_eq!(order_of(&standings(Form::RoundRobin, 4, &[], &boards)), [(1, 1), (2, 2), (2, 3), (2, 4)]);
        let mut boards = boards.to_vec();
        boards[2] = game(2, 4, 3, [1, 1]);
        boards[4] = game(3, 2, 4, [1, 1]);
        // 1: 3; 2: 1½; 4: 1; 3: ½.
        assert_eq!(order_of(&standings(Form::RoundRobin, 4, &[], &boards)), [(1, 1), (2, 2), (3, 4), (4, 3)]);
    }

    #[test]
    fn the_direct_encounter_decides_between_two_who_are_equal() {
        // 1 and 2 have 2 each; 2 beat 1, although 1 has beaten the better ones.
        let boards = [
            game(1, 1, 4, [2, 0]),
            game(1, 2, 3, [0, 2]),
            game(2, 4, 3, [2, 0]),
            game(2, 1, 2, [0, 2]),
            game(3, 2, 4, [2, 0]),
            game(3, 3, 1, [0, 2]),
        ];
        let table = standings(Form::RoundRobin, 4, &[], &boards);
        assert_eq!(order_of(&table), [(1, 2), (2, 1), (3, 4), (4, 3)]);
        assert_eq!((table[0].direct_encounter, table[1].direct_encounter), (Some(2), Some(0)));
        // 4 and 3 have one each, and 4 has beaten 3.
        assert_eq!(table[2].direct_encounter, Some(2));
        // In a Swiss it decides nothing unless all equal players have met.
        let swiss = [game(1, 1, 2, [2, 0]), game(1, 3, 4, [2, 0])];
        let table = standings(Form::Swiss, 4, &[], &swiss);
        assert_eq!(order_of(&table), [(1, 1), (1, 3), (3, 2), (3, 4)]);
        assert!(table.iter().all(|standing| standing.direct_encounter.is_none()));
    }

    #[test]
    fn who_leaves_a_round_robin_early_is_struck_out_and_late_is_not() {
        let unplayed = |round, first, second, halves| Board::over(round, first, Some(second), halves, true);
        // 4 has lost to 1 and withdraws: one game of three.
        let early = [
            game(1, 1, 4, [2, 0]),
            game(1, 2, 3, [2, 0]),
            unplayed(2, 4, 3, [0, 2]),
            game(2, 1, 2, [1, 1]),
            unplayed(3, 2, 4, [2, 0]),
            game(3, 3, 1, [2, 0]),
        ];
        let table = standings(Form::RoundRobin, 4, &[4], &early);
        let halves: Vec<_> = table.iter().map(|standing| (standing.number, standing.halves, standing.struck)).collect();
        assert_eq!(halves, [(2, 3, false), (3, 2, false), (1, 1, false), (4, 0, true)]);
        assert!(table[0].cells.iter().any(|cell| cell.opponent == Some(4) && !cell.counts));
        // With two of three begun all games count, and a player who hasn't met 4 has won without play.
        let mut late = early.to_vec();
        late[2] = game(2, 4, 3, [2, 0]);
        let table = standings(Form::RoundRobin, 4, &[4], &late);
        let halves: Vec<_> = table.iter().map(|standing| (standing.number, standing.halves, standing.wins)).collect();
        // 3 and 4 have 2 halves each, and 4 has beaten 3.
        assert_eq!(halves, [(2, 5, 1), (1, 3, 1), (4, 2, 1), (3, 2, 1)]);
    }
}
