//! Correspondence tournaments: round robin, Swiss, knockout, tables of three to seven, and groups with finals.
//!
//! | topic | file |
//! |---|---|
//! | terms, fixed before anybody joins | [`terms`] |
//! | terms of tables, of groups | [`table_terms`], [`group_terms`] |
//! | terms of the draw of rounds | [`round_terms`] |
//! | editing: texts at any time, terms before the first round | [`edit`] |
//! | creating, canceling, joining, leaving; eligibility | [`entry`] |
//! | starting numbers, first round, next rounds, end | [`rounds`] |
//! | the draw of Swiss and table rounds, and byes | [`draw`], [`byes`] |
//! | late entrants | [`late`] |
//! | organizers' review of rounds before they begin | [`review`] |
//! | knockout ties, board by board | [`ties`] |
//! | tables of three to seven, and the places at them | [`tables`] |
//! | groups, and the players of the finals | [`groups`] |
//! | pairing and ranking | the crate [`broadside_contests`] |
//! | standings | `standings` |
//! | boards become matches, and ended matches become results | [`boards`] |
//! | the time of a round, and games unfinished at its end | [`round_time`], [`deadlines`] |
//! | automatic steps | [`job`] |
//! | organizers judge matches, and move deadlines | [`umpire`] |
//! | pauses | [`pause`] |
//! | public data | [`read`] |
//! | every round redrawn, for the operator | [`audit`] |
//!
//! A tournament changes under the lock of its row, in one transaction per step: so each step is made once on any number
//! of nodes, and whatever is killed, it is either done or not. Its matches are opened and watched by
//! [`crate::pairings`]; a match doesn't depend on what it is played for.

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

/// A stored tournament: its terms and its progress.
#[derive(Clone)]
pub struct Tournament {
    pub id: TournamentId,
    pub creator: Player,
    /// The organizers beside the creator.
    pub organizers: Vec<Organizer>,
    pub terms: TournamentTerms,
    pub status: TournamentStatus,
    /// The current round, 0 before the start. With all rounds at once: the last round.
    pub round: u16,
    /// The number of rounds, once known.
    pub rounds: Option<u16>,
    /// The number of players who have joined; from the start on, of those who have started.
    pub players: u16,
    /// Unfinished boards of the current rounds.
    pub games_left: u16,
    /// The seed of the starting numbers: secret until the start.
    pub chance: [u8; 32],
    /// The reason for canceling it, or for ending it early.
    pub reason: Option<String>,
    pub pause: Option<ContestPause>,
    /// The round that is drawn and hasn't begun.
    pub draft: Option<WaitingRound>,
    /// The time of the automatic start.
    pub begins_at: Time,
    pub created_at: Time,
    pub started_at: Option<Time>,
    pub ended_at: Option<Time>,
}

impl Tournament {
    pub fn runners(&self) -> Runners<'_> {
        Runners { creator: self.creator.id, organizers: &self.organizers }
    }

    /// The hash of the seed of the starting numbers, public from the beginning.
    pub fn chance_commitment(&self) -> Digest {
        Digest::of(&Chance::commitment(&self.chance))
    }

    /// True if registration is open at `now`.
    pub fn takes_players_at(&self, now: Time) -> bool {
        self.status == TournamentStatus::Open && self.terms.registration_ends_at.is_none_or(|ends_at| now < ends_at)
    }

    /// The last drawn round, begun or waiting for an organizer; 0 before the first.
    pub fn drawn_round(&self) -> u16 {
        self.draft.map_or(self.round, |draft| draft.round)
    }

    /// The terms of a knockout, or of the finals after groups.
    pub fn knockout(&self) -> knockout::Terms {
        self.terms.knockout.unwrap_or_default()
    }

    /// For a knockout or finals after groups: the tie to which a board belongs in its round, and the number of the
    /// board in it; both from 1.
    pub fn tie_of(&self, board: &Board, entrants: &[Entrant]) -> Option<(u16, u16)> {
        if self.terms.form == Form::Knockout {
            return Some(knockout::position(self.players, &self.knockout(), board.round, board.board));
        }
        let finals = self.finals(entrants).filter(|finals| finals.has(board))?;
        Some(finals.position(&self.knockout(), board.round, board.board))
    }

    /// True if all rounds are played at once.
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

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Withdrawal {
    pub at: Time,
    /// The last round in which the player could be paired.
    pub round: u16,
    pub why: WithdrawalReason,
}

/// A player in a tournament.
#[derive(Clone, Debug)]
pub struct Entrant {
    pub player: Player,
    pub joined_at: Time,
    /// From 1; `None` until the start.
    pub number: Option<u16>,
    /// Their rating in the pool of such matches at the start.
    pub rating: Option<i32>,
    /// The number of boards in a row lost on time.
    pub missed: u16,
    /// The first round into which they could be drawn: 1, except for late entrants.
    pub first_round: u16,
    /// `None` while they play on.
    pub withdrawn: Option<Withdrawal>,
    /// Their seed in the finals after groups; `None` if they aren't in them.
    pub finals_seed: Option<u16>,
    /// Their final standing.
    pub at_the_end: Option<tie_breaks::Standing>,
}

/// A board of a round, with its pairing.
pub type Board = broadside_contests::Board<PairingId>;

/// The account of a starting number.
fn account_of(entrants: &[Entrant], number: u16) -> Option<AccountId> {
    let found = entrants.iter().find(|entrant| entrant.number == Some(number));
    found.map(|entrant| entrant.player.id)
}
