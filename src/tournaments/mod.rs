//! Tournaments for correspondence: round robin and Swiss.
//!
//! | what | file |
//! |---|---|
//! | what is agreed on before anybody joins | [`terms`] |
//! | made, cancelled; joined and left; who may | [`entry`] |
//! | starting numbers, the first round, the next ones, the end | [`rounds`] |
//! | who meets whom, pure | [`round_robin`], [`swiss`] |
//! | who stands where, pure | [`tie_breaks`], [`crosstable`] |
//! | boards become matches, and ended matches become results | [`boards`] |
//! | all that happens by itself | [`job`] |
//! | what everybody may read | [`read`] |
//!
//! A tournament changes under the lock of its row and in one transaction a step, so on several nodes each step is made once, and whatever is killed, it stands before or
//! after. Its matches are opened and watched by [`crate::pairings`]; nothing in a match knows what it is played for.

pub mod boards;
pub mod crosstable;
pub mod entry;
pub mod job;
mod matching;
pub mod read;
pub mod round_robin;
pub mod rounds;
pub(crate) mod store;
pub mod swiss;
pub mod terms;
pub mod tie_breaks;

use std::str::FromStr;

use broadside_rules::Chance;
use broadside_rules::Time;
use broadside_rules::text::Digest;
use serde::Serialize;
use utoipa::ToSchema;

pub use terms::{Form, Terms, Who};

use crate::ids::{AccountId, PairingId, TournamentId};
use crate::player::Player;
use crate::words::words;

/// Where a tournament stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, ToSchema)]
#[schema(as = TournamentStatus, rename_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Players may join.
    Open,
    /// It is played.
    Running,
    /// It is over.
    Finished,
    /// It was called off.
    Cancelled,
}

words!(Status { Open "open", Running "running", Finished "finished", Cancelled "cancelled" });

/// A tournament.
#[derive(Clone)]
pub struct Tournament {
    /// Its name.
    pub id: TournamentId,
    /// Who made it.
    pub maker: Player,
    /// What was agreed on.
    pub terms: Terms,
    /// Where it stands.
    pub status: Status,
    /// Which round is on; 0: none yet. (Of a simultaneous round robin: the last one.)
    pub round: u16,
    /// How many rounds there are, once that is known.
    pub rounds: Option<u16>,
    /// How many have joined; from the start on: how many have started.
    pub players: u16,
    /// Boards of the rounds under way that are not over.
    pub games_left: u16,
    /// What the starting numbers are drawn by: a secret until it starts.
    pub chance: [u8; 32],
    /// Why it was cancelled, or ended before its last round.
    pub reason: Option<String>,
    /// When it starts by itself.
    pub begins_at: Time,
    /// When it was made.
    pub created_at: Time,
    /// When it started.
    pub started_at: Option<Time>,
    /// When it was over.
    pub ended_at: Option<Time>,
}

impl Tournament {
    /// The hash of what the starting numbers are drawn by: public from the beginning.
    pub fn chance_commitment(&self) -> Digest {
        Digest::of(&Chance::commitment(&self.chance))
    }

    /// Whether somebody may still join, but for who he is.
    pub fn takes_players_at(&self, now: Time) -> bool {
        self.status == Status::Open && self.terms.registration_ends_at.is_none_or(|ends_at| now < ends_at)
    }

    /// Whether all its rounds are played at once.
    pub fn is_simultaneous(&self) -> bool {
        self.terms.form == Form::RoundRobin && self.terms.simultaneous
    }
}

/// Why somebody plays on no more.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, ToSchema)]
#[schema(as = TournamentWithdrawal, rename_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// He said so.
    Left,
    /// He has lost on time twice in a row.
    TimedOut,
    /// His account was deleted.
    AccountDeleted,
    /// His account was suspended when he was to be paired.
    AccountSuspended,
}

words!(Why {
    Left "left", TimedOut "timed-out", AccountDeleted "account-deleted", AccountSuspended "account-suspended",
});

/// That somebody plays on no more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Withdrawn {
    /// Since when.
    pub at: Time,
    /// In this round he could still be paired, and in none behind it.
    pub round: u16,
    /// Why.
    pub why: Why,
}

/// Somebody who plays in a tournament.
#[derive(Clone, Debug)]
pub struct Entrant {
    /// Who.
    pub player: Player,
    /// When he joined.
    pub joined_at: Time,
    /// His starting number, from 1; none until the start.
    pub number: Option<u16>,
    /// His rating in the pool of such matches at the start.
    pub rating: Option<i32>,
    /// How many boards in a row he has lost on time.
    pub missed: u16,
    /// Whether he plays on no more.
    pub withdrawn: Option<Withdrawn>,
    /// How he stood at the end.
    pub at_the_end: Option<tie_breaks::Standing>,
}

/// The pairings of a round, by starting numbers; the first of each pair begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Drawn {
    /// Who meets whom, the higher boards first.
    pub games: Vec<(u16, u16)>,
    /// Who sits out.
    pub bye: Option<u16>,
}

/// Where a board stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, ToSchema)]
#[schema(rename_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum BoardState {
    /// Its round has not begun.
    Planned,
    /// Its matches are about to be opened.
    Waiting,
    /// It is played.
    Running,
    /// It is over, played or not.
    Over,
    /// The tournament was cancelled before it could be played.
    Dropped,
}

words!(BoardState {
    Planned "planned", Waiting "waiting", Running "running", Over "over", Dropped "dropped",
});

/// A place in a round: two players who meet, or one who sits out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Board {
    /// The round, from 1.
    pub round: u16,
    /// Its number in the round, from 1.
    pub board: u16,
    /// Who begins (of paired games: the first one).
    pub first: u16,
    /// Whom he meets; none: he has a bye.
    pub second: Option<u16>,
    /// Where it stands.
    pub state: BoardState,
    /// Its matches.
    pub pairing: Option<PairingId>,
    /// What it brought the two, in half points; none: it isn't over, or everything was aborted.
    pub halves: Option<[u8; 2]>,
    /// A bye, or somebody has won without play.
    pub unplayed: bool,
    /// When it was over.
    pub over_at: Option<Time>,
}

impl Board {
    /// A board that is to be played.
    pub fn to_be(round: u16, board: u16, first: u16, second: u16, state: BoardState) -> Self {
        let second = Some(second);
        Self { round, board, first, second, state, pairing: None, halves: None, unplayed: false, over_at: None }
    }

    /// A board that brought this.
    #[cfg(test)]
    fn over(round: u16, first: u16, second: Option<u16>, halves: [u8; 2], unplayed: bool) -> Self {
        let (state, halves) = (BoardState::Over, Some(halves));
        Self { second, state, halves, unplayed, ..Self::to_be(round, 1, first, 0, BoardState::Over) }
    }

    /// Whether this player sits here.
    pub fn seats(&self, number: u16) -> bool {
        self.first == number || self.second == Some(number)
    }

    /// Whether both players are among these.
    pub fn is_between(&self, numbers: &[u16]) -> bool {
        numbers.contains(&self.first) && self.second.is_some_and(|second| numbers.contains(&second))
    }

    /// Whether it was played to a result.
    pub fn was_played(&self) -> bool {
        self.halves.is_some() && !self.unplayed
    }

    /// A round in which somebody sits out for nothing.
    pub fn is_free_round(&self) -> bool {
        self.second.is_none() && self.halves.is_none_or(|halves| halves[0] == 0)
    }

    /// What it brought this player, in half points.
    pub fn halves_of(&self, number: u16) -> Option<u8> {
        let [first, second] = self.halves?;
        match number {
            number if number == self.first => Some(first),
            number if Some(number) == self.second => Some(second),
            _ => None,
        }
    }
}

/// The account behind a starting number.
fn account_of(entrants: &[Entrant], number: u16) -> Option<AccountId> {
    let found = entrants.iter().find(|entrant| entrant.number == Some(number));
    found.map(|entrant| entrant.player.id)
}
