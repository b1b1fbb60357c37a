//! The shared types of the tournament modules: the form of a tournament, its rounds and its boards.

use broadside_rules::Time;

use crate::words::words;

words! {
    /// How it is decided who meets whom.
    #[cfg_attr(feature = "schema", schema(as = TournamentFormat))]
    pub enum Form {
        /// Everybody meets everybody.
        RoundRobin,
        /// A fixed number of rounds; in each, players meet somebody who has about as many points.
        Swiss,
        /// Who loses is out.
        Knockout,
        /// A fixed number of rounds at tables of three to seven.
        Tables,
        /// Groups in which everybody meets everybody, then a knockout of the best.
        Groups,
    }

    /// In which order starting numbers are given.
    #[cfg_attr(feature = "schema", schema(as = TournamentSeeding))]
    pub enum Seeding {
        /// By the rating at the start, the highest first; equals by lot.
        Rating,
        /// In the order of joining.
        Entry,
        /// By lot.
        Lot,
    }

    /// Why somebody sits out a round.
    #[cfg_attr(feature = "schema", schema(as = TournamentByeReason))]
    pub enum ByeReason {
        /// The draw has left them without an opponent.
        Allocated,
        /// They, or an organizer for them, had asked for it.
        Requested,
        /// They came in later.
        LateEntry,
    }

    /// What a bye is worth that nobody has to have: a requested one, or a round that a late entrant has missed.
    #[cfg_attr(feature = "schema", schema(as = TournamentByeWorth))]
    pub enum ByeWorth {
        /// No point.
        Nothing,
        /// Half a point.
        HalfPoint,
    }

    /// Where a board stands.
    #[cfg_attr(feature = "schema", schema(as = TournamentBoardStatus))]
    pub enum BoardState {
        /// Its round has not begun.
        Planned,
        /// Its matches are about to be opened.
        Waiting,
        /// It is being played.
        Running,
        /// It is over, played or not.
        Finished,
        /// The tournament was cancelled before it could be played.
        Cancelled,
    }
}

impl ByeWorth {
    /// The same, in half points.
    pub fn halves(self) -> u8 {
        match self {
            Self::Nothing => 0,
            Self::HalfPoint => 1,
        }
    }
}

/// The pairings of a round, by starting numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RoundPairings {
    /// The games, the higher boards first. The first player of each pair makes the first move.
    pub games: Vec<(u16, u16)>,
    /// The player who sits out, if the number is odd.
    pub bye: Option<u16>,
}

/// A board of a round: two players who meet, or one with a bye; in a tournament at tables, a table.
///
/// `P` is the caller's name for the matches of the board; nothing here reads it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Board<P> {
    /// The round, from 1.
    pub round: u16,
    /// The board's number in the round, from 1.
    pub board: u16,
    /// The starting number of the player who moves first (of paired games: in the first one).
    pub first: u16,
    /// The other player's starting number; `None` for a bye.
    pub second: Option<u16>,
    /// The state.
    pub state: BoardState,
    /// The matches.
    pub pairing: Option<P>,
    /// The half points of the two players; `None` while unfinished, or if everything was aborted.
    pub halves: Option<[u8; 2]>,
    /// Is it a bye, or a win without play?
    pub unplayed: bool,
    /// The reason of a bye not allocated by the draw; otherwise `None`.
    pub bye: Option<ByeReason>,
    /// The time of its end.
    pub over_at: Option<Time>,
    /// All players of a table, in the order of the seats: `first` and `second` are the first two. Otherwise empty.
    pub table: Vec<u16>,
    /// The places at a table, in the same order, from 1; 0 for a player who had withdrawn before. `None`: it is
    /// unfinished or aborted.
    pub places: Option<Vec<u8>>,
}

impl<P> Board<P> {
    /// A board that is still to be played.
    pub fn to_be(round: u16, board: u16, first: u16, second: u16, state: BoardState) -> Self {
        Self {
            round,
            board,
            first,
            second: Some(second),
            state,
            pairing: None,
            halves: None,
            unplayed: false,
            bye: None,
            over_at: None,
            table: Vec::new(),
            places: None,
        }
    }

    /// A table that is still to be played.
    pub fn table(round: u16, board: u16, table: Vec<u16>, state: BoardState) -> Self {
        let seat = |at: usize| table.get(at).copied().unwrap_or_default();
        Self { table: table.clone(), ..Self::to_be(round, board, seat(0), seat(1), state) }
    }

    /// A bye worth this many half points, over at once.
    pub fn sitting_out(round: u16, board: u16, number: u16, (reason, halves): (ByeReason, u8), at: Time) -> Self {
        Self {
            second: None,
            halves: Some([halves, 0]),
            unplayed: true,
            bye: Some(reason).filter(|reason| *reason != ByeReason::Allocated),
            over_at: Some(at),
            ..Self::to_be(round, board, number, 0, BoardState::Finished)
        }
    }

    /// The reason of a bye; `None` for a game.
    pub fn bye_reason(&self) -> Option<ByeReason> {
        self.second.is_none().then(|| self.bye.unwrap_or(ByeReason::Allocated))
    }

    /// A finished board with this result.
    #[cfg(test)]
    pub(crate) fn over(round: u16, first: u16, second: Option<u16>, halves: [u8; 2], unplayed: bool) -> Self {
        let (state, halves) = (BoardState::Finished, Some(halves));
        Self { second, state, halves, unplayed, ..Self::to_be(round, 1, first, 0, BoardState::Finished) }
    }

    /// Does this player sit here?
    pub fn seats(&self, number: u16) -> bool {
        self.first == number || self.second == Some(number) || self.table.contains(&number)
    }

    /// All players here, the first mover first.
    pub fn players(&self) -> Vec<u16> {
        if self.table.is_empty() {
            [Some(self.first), self.second].into_iter().flatten().collect()
        } else {
            self.table.clone()
        }
    }

    /// Are its players two of these?
    pub fn is_between(&self, numbers: &[u16]) -> bool {
        numbers.contains(&self.first) && self.second.is_some_and(|second| numbers.contains(&second))
    }

    /// Was it played to a result?
    pub fn was_played(&self) -> bool {
        self.halves.is_some() && !self.unplayed
    }

    /// Is it a bye of the draw that is worth nothing, as in a round robin?
    pub fn is_free_round(&self) -> bool {
        self.bye_reason() == Some(ByeReason::Allocated) && self.halves.is_none_or(|halves| halves[0] == 0)
    }

    /// This player's half points.
    pub fn halves_of(&self, number: u16) -> Option<u8> {
        let [first, second] = self.halves?;
        match number {
            number if number == self.first => Some(first),
            number if Some(number) == self.second => Some(second),
            _ => None,
        }
    }
}
