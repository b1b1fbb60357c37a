//! What an account is to a match: a player, a former player, or neither.

use broadside_rules::Seat;

use super::FormerPlayer;
use crate::ids::AccountId;
use crate::player::Player;

/// What an account is to a match. What it may do and learn beside its view depends on which of the three it is: a
/// former player reads what a spectator reads, and knows what a player knew.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// It has this seat.
    Player(Seat),
    /// It has had a seat, and has none now.
    FormerPlayer,
    /// It has never had one.
    Outsider,
}

impl Part {
    pub(super) fn of(account: AccountId, players: &[Player], former: &[FormerPlayer]) -> Self {
        match (0..).map(Seat).zip(players).find(|(_, player)| player.id == account) {
            Some((seat, _)) => Self::Player(seat),
            None if former.iter().any(|former| former.player.id == account) => Self::FormerPlayer,
            None => Self::Outsider,
        }
    }

    /// Whether it has a seat, or has had one.
    pub fn has_played(self) -> bool {
        self != Self::Outsider
    }
}
