//! Tournaments for correspondence: round robin and Swiss.
//!
//! | what | file |
//! |---|---|
//! | what is agreed on before anybody joins | [`terms`] |
//! | made, cancelled; joined and left; who may | [`entry`] |
//! | starting numbers, the first round, the next ones, the end | [`rounds`] |
//! | who meets whom, who stands where | the crate [`broadside_contests`] |
//! | boards become matches, and ended matches become results | [`boards`] |
//! | all that happens by itself | [`job`] |
//! | what everybody may read | [`read`] |
//!
//! A tournament changes under the lock of its row and in one transaction a step, so on several nodes each step is made once, and whatever is killed, it stands before or
//! after. Its matches are opened and watched by [`crate::pairings`]; nothing in a match knows what it is played for.

pub mod boards;
pub mod entry;
pub mod job;
pub mod read;
pub mod rounds;
pub(crate) mod store;
pub mod terms;

use std::str::FromStr;

use broadside_rules::Chance;
use broadside_rules::Time;
use broadside_rules::text::Digest;
use serde::Serialize;
use utoipa::ToSchema;

pub use broadside_contests::{BoardState, Form, RoundPairings, crosstable, round_robin, swiss, tie_breaks};
pub use terms::{Terms, Who};

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

/// A board of a round, with the pairing in which it is played.
pub type Board = broadside_contests::Board<PairingId>;

/// The account behind a starting number.
fn account_of(entrants: &[Entrant], number: u16) -> Option<AccountId> {
    let found = entrants.iter().find(|entrant| entrant.number == Some(number));
    found.map(|entrant| entrant.player.id)
}
