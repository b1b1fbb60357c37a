//! Ladders: players join, and are paired or challenge each other continually.
//!
//! | step | content | file |
//! |---|---|---|
//! | offer | the terms of a ladder, and their faults | [`terms`] |
//! | create, close | by players within limits, by operators | [`create`] |
//! | edit | texts at any time, terms before there are members | [`edit`] |
//! | join, leave | eligibility, as data | [`join`] |
//! | pair | pairing on a rating ladder, by the rule of [`broadside_contests::pairing`] | [`matchmaking`] |
//! | explain | the reason why a member isn't paired now | [`unpaired`] |
//! | challenge | places, and challenges for them on a position ladder | [`position`] |
//! | settle | the result of a pairing counts | [`settle`] |
//! | turn | a season ends and the next one begins, by the rule of [`broadside_contests::divisions`] | [`season`] |
//! | announce | all members are notified, some at a time | [`announcements`] |
//! | check | an operator recomputes all standings | [`audit`] |
//! | read | ladders and members; standings and meetings | [`read`], [`standings`], [`crosstable`] |
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

/// A stored ladder: its terms, its current season, and whether it is closed.
#[derive(Clone)]
pub struct Ladder {
    pub id: LadderId,
    pub creator: Player,
    /// The organizers beside the creator.
    pub organizers: Vec<Organizer>,
    /// True if an organizer created it as official: it doesn't close for lack of members.
    pub official: bool,
    pub terms: LadderTerms,
    pub created_at: Time,
    /// The current season, or the last one if the ladder is closed.
    pub season: Season,
    /// Counts the changes that affect pairing.
    pub edition: u32,
    pub pause: Option<ContestPause>,
    /// `None` while it is open.
    pub closed: Option<LadderClosure>,
}

impl Ladder {
    pub fn runners(&self) -> Runners<'_> {
        Runners { creator: self.creator.id, organizers: &self.organizers }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Season {
    /// Counts the ladder's seasons, from 1.
    pub number: u32,
    pub started_at: Time,
    /// The planned end; `None` if the ladder has no seasons, and this one goes on for ever.
    pub ends_at: Option<Time>,
    /// The actual end; `None` for the current season.
    pub ended_at: Option<Time>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LadderClosure {
    pub at: Time,
    /// 1 to 500 characters; `None` if its author has deleted the account.
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

/// A membership of a ladder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LadderMember {
    pub account: AccountId,
    pub status: MemberStatus,
    /// The section in which they are listed and paired.
    pub section: LadderSection,
    /// From 1, the highest.
    pub division: u32,
    /// The number of pairings that they want at once.
    pub wanted_pairings: u32,
    /// The number of pairings that they have now.
    pub running: u32,
    pub joined_at: Time,
    /// The start of their wait for the next pairing, if they have fewer than they want.
    pub waiting_since: Time,
    /// The number of pairings missed in a row.
    pub missed: u32,
    /// The number of early positions in the order of play minus the number of late ones.
    pub balance: i32,
    /// Their last opponents, newest first.
    pub recent: Vec<AccountId>,
    /// Their current opponents.
    pub opponents: Vec<AccountId>,
}

impl LadderMember {
    /// True if they take part, and have fewer pairings than they want.
    pub fn waits(&self) -> bool {
        self.status == MemberStatus::Active && self.running < self.wanted_pairings
    }
}
