//! Groups, then finals: everybody meets everybody in a group, and the best of each group play a knockout. The rules:
//!
//! 1. **Groups.** Starting numbers are seeds. The number of groups is that of the terms, or the smallest with no more
//!    players in a group than the terms allow, and two at least. The seeds are dealt out in a serpentine: of three
//!    groups 1–3 go to the groups 1, 2, 3, then 4–6 to the groups 3, 2, 1, and so on. So no two groups differ by more
//!    than one player.
//! 2. **In a group** everybody meets everybody, once or twice, by the Berger tables; the numbers of these are the
//!    players of the group in the order of their starting numbers. A smaller group may be done some rounds earlier.
//! 3. **Ranks in a group** are those of a round robin, with its tie-breaks. Of players who are equal in everything the
//!    lower starting number comes first where only one can.
//! 4. **Qualifiers.** The best of each group, as many as in the terms, and of the next ones in their groups as many as
//!    in the terms: the first ones by rule 5. A player who has withdrawn before the finals are drawn doesn't qualify,
//!    and the next of the group does; if nobody is left there, fewer come from it.
//! 5. **Seeds of the finals.** First the best of each group, then the second ones, and so on. Those with the same place
//!    are ordered by their share of the possible points in their group; equals by starting number.
//! 6. **Two of one group** meet as late as possible. Each place of rule 5 in its turn: its players have the next seeds,
//!    and the round before which none of them can meet a seeded player of their own group is made as late as possible
//!    for all of them. Within that, each in the order of rule 5 has the best seed left.
//! 7. **Finals.** A knockout by the rules of [`crate::knockout`], with these seeds. In its counts of first moves the
//!    groups don't matter.
//! 8. **Ranks.** First all of the finals, by the rules of a knockout. Then all others by their ranks in their groups:
//!    those with the same one share a rank.
//!
//! Everything follows from the number of players, the terms, the boards, and the withdrawals before the finals, so
//! everybody can reproduce it. Deliberately not here: drawing the seeds, and absences.

mod field;
mod finals;
mod standings;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::tie_breaks::{self, Standing};
use crate::{Board, Form, RoundPairings, round_robin};

use field::Field;
pub use finals::{Finals, qualified};
pub use standings::{InGroup, standings};

/// The bounds of the number of groups.
pub const COUNT: (u16, u16) = (2, 64);
/// The bounds of the most players of a group.
pub const SIZE: (u16, u16) = (4, 16);
/// The bounds of the number of qualifiers of each group.
pub const QUALIFIERS: (u16, u16) = (1, 8);
/// The bounds of the number of further qualifiers.
pub const BEST_NEXT: (u16, u16) = (0, 64);
/// The fewest players of a group.
pub const FEWEST: u16 = 3;
/// The most players of all groups together.
pub const MAX_PLAYERS: u16 = 512;

/// How players are put into groups, and how many go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = GroupsTerms))]
pub struct Terms {
    /// How many groups there are; null: it follows from `size`.
    #[cfg_attr(feature = "schema", schema(minimum = 2, maximum = 64, format = Int32))]
    pub count: Option<u16>,
    /// How many players a group has at most: there are as few groups as that allows. Null: it follows from `count`.
    #[cfg_attr(feature = "schema", schema(minimum = 4, maximum = 16, format = Int32))]
    pub size: Option<u16>,
    /// How many of each group go on.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 8, format = Int32))]
    pub qualifiers: u16,
    /// How many go on besides: the best of those who come next in their groups, one of each group at most.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 64, format = Int32))]
    pub best_next: u16,
}

impl Default for Terms {
    fn default() -> Self {
        Self { count: None, size: Some(4), qualifiers: 2, best_next: 0 }
    }
}

impl Terms {
    /// The number of groups for this many players.
    pub fn groups(&self, players: u16) -> u16 {
        let of_size = |size: u16| players.div_ceil(size.max(1)).max(COUNT.0);
        self.count.unwrap_or_else(|| of_size(self.size.unwrap_or(SIZE.0))).max(1)
    }

    /// The fewest players of a group: at least one must not qualify.
    pub fn least(&self) -> u16 {
        FEWEST.max(self.qualifiers.saturating_add(1 + self.best_next.min(1)))
    }

    /// The fewest players with which no group is too small, however many more join. Above [`MAX_PLAYERS`]: there is no
    /// such number.
    pub fn fewest(&self) -> u16 {
        let fits = |players: &u16| players / self.groups(*players) >= self.least();
        (1..=MAX_PLAYERS).rev().take_while(fits).last().unwrap_or(MAX_PLAYERS + 1)
    }

    /// The most players with which no group is too large.
    pub fn most(&self) -> u16 {
        self.count.map_or(MAX_PLAYERS, |count| count.saturating_mul(SIZE.1).min(MAX_PLAYERS))
    }
}

/// The groups of a tournament, for a known number of players.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Groups {
    players: u16,
    count: u16,
    double_round_robin: bool,
    qualifiers: u16,
    best_next: u16,
}

impl Groups {
    /// Divides the players into groups. With `double_round_robin`, everybody meets everybody of their group twice.
    pub fn new(terms: &Terms, players: u16, double_round_robin: bool) -> Self {
        let (count, qualifiers) = (terms.groups(players), terms.qualifiers);
        Self { players, count, double_round_robin, qualifiers, best_next: terms.best_next.min(count) }
    }

    /// The number of groups.
    pub fn count(&self) -> u16 {
        self.count
    }

    /// The group, from 1, of the player with a starting number.
    pub fn of(&self, number: u16) -> u16 {
        let at = number.saturating_sub(1);
        let (turn, place) = (at / self.count, at % self.count);
        if turn.is_multiple_of(2) { place + 1 } else { self.count - place }
    }

    /// The starting numbers of a group's members, in order.
    pub fn members(&self, group: u16) -> Vec<u16> {
        (1..=self.players).filter(|number| self.of(*number) == group).collect()
    }

    /// The number of rounds of the largest group.
    pub fn rounds(&self) -> u16 {
        let largest = self.players.div_ceil(self.count);
        let once = largest + largest % 2 - 1;
        if self.double_round_robin { once * 2 } else { once }
    }

    /// The pairings of a round, for each group that still plays in it.
    pub fn round(&self, round: u16) -> Vec<RoundPairings> {
        let of_group = |group: u16| {
            let members = self.members(group);
            let size = u16::try_from(members.len()).unwrap_or(u16::MAX);
            let at = usize::from(round).checked_sub(1)?;
            let drawn = round_robin::rounds(size, self.double_round_robin).into_iter().nth(at)?;
            let number = |local: u16| Field(&members).number(local);
            let games = drawn.games.into_iter().map(|(first, second)| (number(first), number(second))).collect();
            Some(RoundPairings { games, bye: drawn.bye.map(number) })
        };
        (1..=self.count).filter_map(of_group).collect()
    }

    /// The table of each group after these boards, the best first. `withdrawn` has the starting numbers of players who
    /// are struck out if fewer than half of their games in the group have begun.
    pub fn tables<P>(&self, withdrawn: &[u16], boards: &[Board<P>]) -> Vec<Vec<Standing>> {
        let table = |group: u16| {
            let members = self.members(group);
            let field = Field(&members);
            let own = boards.iter().filter(|board| board.round <= self.rounds() && self.of(board.first) == group);
            let own = field.inside(own, 0);
            let gone: Vec<u16> = withdrawn.iter().filter_map(|number| field.local(*number)).collect();
            let size = u16::try_from(members.len()).unwrap_or(u16::MAX);
            let table = tie_breaks::standings(Form::RoundRobin, size, &gone, &own);
            table.into_iter().map(|standing| field.standing(standing)).collect()
        };
        (1..=self.count).map(table).collect()
    }

    /// The finals after the groups; `out` returns whether a player has withdrawn by then.
    pub fn finals(&self, tables: &[Vec<Standing>], out: impl Fn(u16) -> bool) -> Finals {
        Finals::new(qualified(tables, (self.qualifiers, self.best_next), out), self.rounds())
    }

    /// The number of qualifiers if nobody withdraws.
    pub fn expected(&self) -> u16 {
        self.count * self.qualifiers + self.best_next
    }
}
