//! Tournaments for correspondence: round robin, Swiss, knockout, at tables of three to seven, and groups with finals.
//!
//! | what | file |
//! |---|---|
//! | what is agreed on before anybody joins | [`terms`] |
//! | what only tables, or groups, have of that | [`table_terms`], [`group_terms`] |
//! | what of that is about the draw of rounds | [`round_terms`] |
//! | edited: words at any time, terms before the first round | [`edit`] |
//! | made, cancelled; joined and left; who may | [`entry`] |
//! | starting numbers, the first round, the next ones, the end | [`rounds`] |
//! | rounds of a Swiss and of tables drawn, without who sits out | [`draw`], [`byes`] |
//! | who comes in after the start | [`late`] |
//! | rounds that an organizer looks at before they begin | [`review`] |
//! | the ties of a knockout, board by board | [`ties`] |
//! | the tables of three to seven, and the places at them | [`tables`] |
//! | the groups, and who goes on to the finals | [`groups`] |
//! | who meets whom, who stands where | the crate [`broadside_contests`] |
//! | where everybody stands | `standings` |
//! | boards become matches, and ended matches become results | [`boards`] |
//! | how much time a round has, and what becomes of what isn't over then | [`round_time`], [`deadlines`] |
//! | all that happens by itself | [`job`] |
//! | who runs it judges its matches, and moves deadlines | [`umpire`] |
//! | paused, and going on | [`pause`] |
//! | what everybody may read | [`read`] |
//! | every round drawn again, for the operator | [`audit`] |
//!
//! A tournament changes under the lock of its row and in one transaction a step, so on several nodes each step is made
//! once, and whatever is killed, it stands before or after. Its matches are opened and watched by [`crate::pairings`];
//! nothing in a match knows what it is played for.

pub mod audit;
pub mod boards;
pub mod byes;
mod deadlines;
pub mod draw;
pub mod edit;
pub mod entry;
mod group_terms;
pub mod groups;
pub mod job;
pub mod late;
pub mod pause;
pub mod read;
pub mod review;
pub mod round_terms;
pub mod round_time;
pub mod rounds;
mod standings;
pub(crate) mod store;
pub mod table_terms;
mod tables;
pub mod terms;
mod ties;
pub mod umpire;

use broadside_contests::{Form, knockout, tie_breaks};
use broadside_rules::text::Digest;
use broadside_rules::{Chance, Time};

pub use terms::{TournamentAudience, TournamentTerms};

use crate::contests::organizers::{Organizer, Runners};
use crate::contests::pauses::ContestPause;
use crate::ids::{AccountId, PairingId, TournamentId};
use crate::player::Player;
use crate::string_enums::string_enums;
use crate::tournaments::review::WaitingRound;

string_enums! {
    /// Where a tournament stands.
    pub enum TournamentStatus {
        /// Registration is open.
        Open,
        /// It has started, and rounds are played.
        Running,
        /// All rounds are over, and the standings are final.
        Finished,
        /// It was called off.
        Cancelled,
    }
}

/// A tournament, as it is stored: its terms and its progress.
#[derive(Clone)]
pub struct Tournament {
    /// Names the tournament.
    pub id: TournamentId,
    pub creator: Player,
    /// Who runs it beside them.
    pub organizers: Vec<Organizer>,
    /// What was agreed on.
    pub terms: TournamentTerms,
    /// Whether it is open, running or over.
    pub status: TournamentStatus,
    /// The current round, 0 before the start. With all rounds at once: the last round.
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
    pub pause: Option<ContestPause>,
    /// The round that is drawn and hasn't begun.
    pub draft: Option<WaitingRound>,
    /// When it starts by itself.
    pub begins_at: Time,
    /// When it was made.
    pub created_at: Time,
    /// When it started; none: not yet.
    pub started_at: Option<Time>,
    /// When it was over.
    pub ended_at: Option<Time>,
}

impl Tournament {
    /// Who runs it.
    pub fn runners(&self) -> Runners<'_> {
        Runners { creator: self.creator.id, organizers: &self.organizers }
    }

    /// The hash of what the starting numbers are drawn by: public from the beginning.
    pub fn chance_commitment(&self) -> Digest {
        Digest::of(&Chance::commitment(&self.chance))
    }

    /// Whether registration is open at `now`.
    pub fn takes_players_at(&self, now: Time) -> bool {
        self.status == TournamentStatus::Open && self.terms.registration_ends_at.is_none_or(|ends_at| now < ends_at)
    }

    /// The last round that is drawn, whether it has begun or waits for an organizer; 0: none yet.
    pub fn drawn_round(&self) -> u16 {
        self.draft.map_or(self.round, |draft| draft.round)
    }

    /// What a knockout, or the finals after groups, is played by.
    pub fn knockout(&self) -> knockout::Terms {
        self.terms.knockout.unwrap_or_default()
    }

    /// Of a knockout, or of finals after groups, the tie of its round to which a board belongs, and which of its boards
    /// it is; both from 1.
    pub fn tie_of(&self, board: &Board, entrants: &[Entrant]) -> Option<(u16, u16)> {
        if self.terms.form == Form::Knockout {
            return Some(knockout::position(self.players, &self.knockout(), board.round, board.board));
        }
        let finals = self.finals(entrants).filter(|finals| finals.has(board))?;
        Some(finals.position(&self.knockout(), board.round, board.board))
    }

    /// Whether all its rounds are played at once.
    pub fn has_all_rounds_at_once(&self) -> bool {
        self.terms.form == Form::RoundRobin && self.terms.all_rounds_at_once
    }
}

string_enums! {
    /// Why a player was withdrawn.
    pub enum WithdrawalReason {
        /// The player left.
        Left,
        /// An organizer has removed the player.
        Removed,
        /// The player has lost on time twice in a row.
        TimedOut,
        /// The player's account was deleted.
        AccountDeleted,
        /// The player's account was suspended when they were to be paired.
        AccountSuspended,
    }
}

/// A player's withdrawal from a running tournament.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Withdrawal {
    /// When the player withdrew.
    pub at: Time,
    /// The last round in which the player could be paired.
    pub round: u16,
    /// Why the player was withdrawn.
    pub why: WithdrawalReason,
}

/// Somebody who plays in a tournament.
#[derive(Clone, Debug)]
pub struct Entrant {
    /// The account, with its name.
    pub player: Player,
    /// When the player joined.
    pub joined_at: Time,
    /// Their starting number, from 1; none until the start.
    pub number: Option<u16>,
    /// Their rating in the pool of such matches at the start.
    pub rating: Option<i32>,
    /// How many boards in a row they have lost on time.
    pub missed: u16,
    /// The first round into which they could be drawn: 1, unless they have come in after the start.
    pub first_round: u16,
    /// Whether they play on no more.
    pub withdrawn: Option<Withdrawal>,
    /// Their seed in the finals after groups; none: they aren't in them.
    pub finals_seed: Option<u16>,
    /// How they stood at the end.
    pub at_the_end: Option<tie_breaks::Standing>,
}

/// A board of a round, with the pairing in which it is played.
pub type Board = broadside_contests::Board<PairingId>;

/// The account behind a starting number.
fn account_of(entrants: &[Entrant], number: u16) -> Option<AccountId> {
    let found = entrants.iter().find(|entrant| entrant.number == Some(number));
    found.map(|entrant| entrant.player.id)
}
