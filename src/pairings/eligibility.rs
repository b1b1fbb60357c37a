//! Obstacles to joining a contest: one list for ladders and tournaments. Readers see them beforehand, and an attempt to
//! join is refused with the same list.

use broadside_rules::Fault;

use crate::error::{Error, problem};
use crate::string_enums::string_enums;

string_enums! {
    /// Why somebody may not join a ladder or a tournament. More may come.
    pub enum IneligibilityReason {
        /// The ladder is closed.
        LadderClosed,
        /// The tournament takes no more players: its registration has ended.
        RegistrationOver,
        /// The tournament has as many players as it takes.
        TournamentFull,
        /// The player takes part already.
        AlreadyJoined,
        /// The player has withdrawn from the tournament, and can't come back.
        HasWithdrawn,
        /// The account is suspended.
        AccountSuspended,
        /// It is for humans, and the account is marked as a program.
        HumansOnly,
        /// It is for programs, and the account isn't marked as one.
        BotsOnly,
        /// The player has lost too many matches on time.
        NotReliableEnough,
        /// The player's rating is below the lowest that it takes.
        RatingTooLow,
        /// The player's rating is above the highest that it takes.
        RatingTooHigh,
        /// The account was made too short a time ago.
        AccountTooNew,
        /// An organizer has removed the player, who can't join again until that is lifted.
        Barred,
        /// The player is a substitute in a running match of it, and may join when that is over.
        PlaysForAnother,
        /// Only those can join whom an organizer has invited.
        InvitationRequired,
        /// An organizer has declined the player's request less than seven days ago.
        RequestDeclined,
        /// The player is on as many ladders as an account may be.
        TooManyLadders,
        /// The player is in as many tournaments as an account may be.
        TooManyTournaments,
        /// The account has a result in this season with the other mark (human or program). It may join when the next
        /// season begins.
        BotFlagChanged,
    }
}

/// An obstacle, as a code and as a sentence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Obstacle {
    pub reason: IneligibilityReason,
    /// A sentence with the figures.
    pub detail: String,
}

impl Obstacle {
    /// An obstacle with its sentence.
    pub fn new(reason: IneligibilityReason, detail: impl Into<String>) -> Self {
        Self { reason, detail: detail.into() }
    }
}

/// The error for an organizer who lets another player in: without the sentences, which address the player.
pub fn refusal_of_another(obstacles: Vec<Obstacle>) -> Error {
    let detail = "It keeps the player from joining at this moment.";
    let said = |found: Obstacle| Obstacle::new(found.reason, detail);
    refusal(obstacles.into_iter().map(said).collect())
}

/// The error for a player who wants to join.
pub fn refusal(obstacles: Vec<Obstacle>) -> Error {
    let fault = |found: Obstacle| Fault { pointer: String::new(), code: found.reason.into_str(), detail: found.detail };
    Error::with_faults(&problem::NOT_ELIGIBLE, obstacles.into_iter().map(fault).collect())
}
