//! Why a player may not join a contest: one list of reasons for ladders and tournaments. A reader sees them beforehand,
//! and whoever tries to join is refused with the same.

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

/// A reason in a word for programs, and in a sentence for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Obstacle {
    pub reason: IneligibilityReason,
    /// The same for people, with the figures.
    pub detail: String,
}

impl Obstacle {
    /// A reason with its sentence.
    pub fn new(reason: IneligibilityReason, detail: impl Into<String>) -> Self {
        Self { reason, detail: detail.into() }
    }
}

/// What an organizer is refused with who lets somebody else in: the reasons alone, since the sentences speak to them.
pub fn refusal_of_another(obstacles: Vec<Obstacle>) -> Error {
    let detail = "It keeps the player from joining at this moment.";
    let said = |found: Obstacle| Obstacle::new(found.reason, detail);
    refusal(obstacles.into_iter().map(said).collect())
}

/// What somebody who wants to join is refused with.
pub fn refusal(obstacles: Vec<Obstacle>) -> Error {
    let fault = |found: Obstacle| Fault { pointer: String::new(), code: found.reason.into_str(), detail: found.detail };
    Error::with_faults(&problem::NOT_ELIGIBLE, obstacles.into_iter().map(fault).collect())
}
