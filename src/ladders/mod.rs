//! Ladders: players join, and are paired or challenge each other again and again.
//!
//! | step | what it does | file |
//! |---|---|---|
//! | offer | the terms of a ladder, and what is wrong with them | [`terms`] |
//! | create, close | by players within limits, by operators | [`create`] |
//! | edit | words at any time, terms before anybody takes part | [`edit`] |
//! | join, leave | who may, as data | [`join`] |
//! | pair | who meets whom on a rating ladder, by the rule of [`broadside_contests::pairing`] | [`matchmaking`] |
//! | explain | why a member isn't paired at this moment | [`unpaired`] |
//! | challenge | places, and who challenges whom for them on a position ladder | [`position`] |
//! | settle | the result of a pairing counts | [`settle`] |
//! | turn | a season ends, and the next one begins, by the rule of [`broadside_contests::divisions`] | [`season`] |
//! | announce | all members are notified, some at a time | [`announcements`] |
//! | check | an operator computes all standings again | [`audit`] |
//! | read | ladders and members; standings, and who has met whom | [`read`], [`standings`], [`crosstable`] |
//!
//! Every change of a ladder locks its row first: members, new pairings, results, seasons. The row is locked after the
//! accounts and before the pairings. Roles are checked by [`crate::accounts::roles`].

pub mod announcements;
pub mod audit;
pub mod create;
pub mod crosstable;
pub mod edit;
pub mod job;
pub mod join;
pub mod matchmaking;
pub mod pause;
pub mod position;
pub mod read;
pub mod season;
pub mod settle;
pub mod standings;
pub mod store;
pub mod terms;
pub mod umpire;
pub mod unpaired;

use broadside_rules::Time;

pub use terms::{FormTerms, LadderAudience, LadderFormat, LadderTerms};

use crate::contests::organizers::{Organizer, Runners};
use crate::contests::pauses::ContestPause;
use crate::ids::{AccountId, LadderId};
use crate::player::Player;
use crate::string_enums::string_enums;

/// A ladder, as it is stored: its terms, its current season, whether it is closed.
#[derive(Clone)]
pub struct Ladder {
    /// Names the ladder.
    pub id: LadderId,
    pub creator: Player,
    /// Who runs it beside them.
    pub organizers: Vec<Organizer>,
    /// Whether an organizer made it as such: it doesn't close for want of members.
    pub official: bool,
    /// What holds there, from its beginning to its end.
    pub terms: LadderTerms,
    /// When it was made.
    pub created_at: Time,
    /// The season that is on, or was when it was closed.
    pub season: Season,
    /// Counts what has changed that pairing depends on.
    pub edition: u32,
    pub pause: Option<ContestPause>,
    /// That it is closed; none: it is open.
    pub closed: Option<LadderClosure>,
}

impl Ladder {
    /// Who runs it.
    pub fn runners(&self) -> Runners<'_> {
        Runners { creator: self.creator.id, organizers: &self.organizers }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Season {
    /// Counts the ladder's seasons, from 1.
    pub number: u32,
    /// When it began.
    pub started_at: Time,
    /// When it is to end; none: the ladder has no seasons, and this one goes on for ever.
    pub ends_at: Option<Time>,
    /// When it was ended; none: it is on.
    pub ended_at: Option<Time>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LadderClosure {
    pub at: Time,
    /// The reason that was given, 1 to 500 characters; `None`: its author has deleted the account.
    pub reason: Option<String>,
}

string_enums! {
    /// Where a member stands towards a ladder.
    pub enum MemberStatus {
        /// The member takes part, and is paired or may challenge.
        Active,
        /// They have missed too many pairings in a row, and aren't paired until they join again.
        Inactive,
        /// The member has left.
        Left,
    }

    /// Members who are listed and paired with each other.
    pub enum LadderSection {
        /// Everybody, where bots and humans aren't kept apart.
        All,
        /// Players whose accounts aren't marked as bots.
        Humans,
        /// Players whose accounts are marked as bots.
        Bots,
    }
}

/// Somebody's membership of a ladder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LadderMember {
    /// The member's account.
    pub account: AccountId,
    /// Whether the member takes part.
    pub status: MemberStatus,
    /// With whom they are listed and paired.
    pub section: LadderSection,
    /// In which division, from 1, the highest.
    pub division: u32,
    /// How many pairings at once they want.
    pub wanted_pairings: u32,
    /// How many they have.
    pub running: u32,
    /// Since when they take part.
    pub joined_at: Time,
    /// Since when they wait for the next pairing, if they have fewer than they want.
    pub waiting_since: Time,
    /// How many pairings in a row they have missed.
    pub missed: u32,
    /// How many times more often the member has moved early in the order of play than late; negative: less often.
    pub balance: i32,
    /// Whom they were paired with last, the newest first.
    pub recent: Vec<AccountId>,
    /// Whom they are paired with now.
    pub opponents: Vec<AccountId>,
}

impl LadderMember {
    /// Whether they take part, and have fewer pairings than they want.
    pub fn waits(&self) -> bool {
        self.status == MemberStatus::Active && self.running < self.wanted_pairings
    }
}
