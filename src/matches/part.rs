//! An account's part in a match: player, former player, or neither.

use broadside_rules::Seat;

use super::FormerPlayer;
use crate::ids::AccountId;
use crate::player::Player;

/// An account's part in a match, which determines its permissions beside its view: a former player reads like a
/// spectator, but knows what a player knew.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    Player(Seat),
    /// Had a seat, and has none now.
    FormerPlayer,
    /// Never had a seat.
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

    /// True if it has or had a seat.
    pub fn has_played(self) -> bool {
        self != Self::Outsider
    }
}
