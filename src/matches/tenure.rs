//! Responsibility for a time-out. If a seat has changed hands, its current player is not always responsible.
//!
//! A substitute who has made a move is responsible for every later time-out. Before that, a substitute is responsible
//! if the seat's clock has run for them for half of the turn, and for at least a substitute's grace time
//! ([`Battle::grace_ms`]). Otherwise it is the former player who used most of the turn, or most of the whole clock if
//! none of them had any of that turn.

use broadside_rules::{Battle, Seat, Time};

use crate::ids::AccountId;

#[derive(Clone)]
pub(super) struct Tenures(Vec<Tenure>);

#[derive(Clone)]
struct Tenure {
    player: AccountId,
    has_moved: bool,
    former: Vec<Former>,
}

/// The time used by a former player of a seat.
#[derive(Clone, Copy)]
struct Former {
    player: AccountId,
    /// The start of the turn in which they gave up the seat.
    turn: Option<Time>,
    /// The time used of that turn.
    of_turn_ms: i64,
    /// The time used in the whole match.
    taken_ms: i64,
}

impl Tenures {
    /// Begins with the first players, by seat.
    pub fn of(players: impl Iterator<Item = AccountId>) -> Self {
        Self(players.map(|player| Tenure { player, has_moved: false, former: Vec::new() }).collect())
    }

    pub fn player(&self, seat: Seat) -> Option<AccountId> {
        self.0.get(seat.index()).map(|tenure| tenure.player)
    }

    /// Records a move by the player of the seat.
    pub fn moved(&mut self, seat: Seat) {
        if let Some(tenure) = self.0.get_mut(seat.index()) {
            tenure.has_moved = true;
        }
    }

    /// Records that a substitute takes over the seat at `at`.
    pub fn hand_over(&mut self, battle: &Battle, seat: Seat, to: AccountId, at: Time) {
        let Some(tenure) = self.0.get_mut(seat.index()) else { return };
        let turn = battle.began(seat);
        let former = Former {
            player: tenure.player,
            turn,
            of_turn_ms: tenure.of_turn_ms(battle, seat, at),
            taken_ms: battle.taken_ms(seat, at) - tenure.former.iter().map(|former| former.taken_ms).sum::<i64>(),
        };
        tenure.former.push(former);
        (tenure.player, tenure.has_moved) = (to, false);
    }

    /// The player responsible for the seat's time-out at `at`.
    pub fn answers(&self, battle: &Battle, seat: Seat, at: Time) -> Option<AccountId> {
        let tenure = self.0.get(seat.index())?;
        let own_ms = tenure.of_turn_ms(battle, seat, at);
        let is_half = own_ms * 2 >= of_turn_ms(battle, seat, at);
        if tenure.has_moved || is_half && battle.grace_ms().is_none_or(|grace_ms| own_ms >= grace_ms) {
            return Some(tenure.player);
        }
        let turn = battle.began(seat);
        let used = |former: &&Former| (if former.turn == turn { former.of_turn_ms } else { 0 }, former.taken_ms);
        Some(tenure.former.iter().max_by_key(used).map_or(tenure.player, |former| former.player))
    }
}

impl Tenure {
    /// The time of the current turn used by the current player.
    fn of_turn_ms(&self, battle: &Battle, seat: Seat, at: Time) -> i64 {
        let Some(turn) = battle.began(seat) else { return 0 };
        let before = self.former.iter().filter(|former| former.turn == Some(turn)).map(|former| former.of_turn_ms);
        of_turn_ms(battle, seat, at) - before.sum::<i64>()
    }
}

/// The time of the current turn used by the seat.
fn of_turn_ms(battle: &Battle, seat: Seat, at: Time) -> i64 {
    let used = battle.began(seat).and_then(|_| Some(battle.given_ms(seat)? - battle.left_ms(seat, at)?));
    used.unwrap_or_default()
}
