//! Ladders: players join with a wish, and are brought together again and again.
//!
//! | step | what it does | file |
//! |---|---|---|
//! | offer | the terms of a ladder, and what is wrong with them | [`terms`] |
//! | make, close | by players within limits, by operators | [`make`] |
//! | join, leave | who may, as data | [`join`] |
//! | pair | who meets whom on a rating ladder: the job that keeps the rule of [`pair`] | [`meet`] |
//! | challenge | places, and who challenges whom for them on a position ladder | [`position`] |
//! | settle | what the end of a pairing is worth | [`settle`] |
//! | turn | a season ends, and the next one begins, by the rule of [`divisions`] | [`season`] |
//! | tell | all members hear of it, some at a time | [`news`] |
//! | read | ladders, members, standings | [`read`] |
//!
//! A ladder's row is locked by whoever changes anything of it: members, pairings that are opened, results, seasons. It is locked behind the accounts and before
//! the pairings. What nobody but an organizer may is asked of [`crate::accounts::roles`].

pub mod join;
pub mod make;
pub mod matchmaking;
pub mod news;
pub mod position;
pub mod read;
pub mod round;
pub mod season;
pub mod settle;
pub mod store;
pub mod terms;

use broadside_rules::Time;

pub use broadside_contests::divisions::Divisions;
pub use broadside_contests::{divisions, pairing as pair};
pub use terms::{Form, Kind, Terms, Who};

use crate::ids::{AccountId, LadderId};
use crate::player::Player;
use crate::words::words;
use std::str::FromStr;

/// A ladder.
pub struct Ladder {
    /// Its name.
    pub id: LadderId,
    /// Who made it.
    pub maker: Player,
    /// Whether an organizer made it as such: it doesn't close for want of members.
    pub official: bool,
    /// What holds there, from its beginning to its end.
    pub terms: Terms,
    /// When it was made.
    pub created_at: Time,
    /// The season that is on, or was when it was closed.
    pub season: Season,
    /// Counts what has changed that pairing depends on.
    pub edition: u32,
    /// That it is closed; none: it is open.
    pub closed: Option<Closed>,
}

/// A season of a ladder.
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

/// That a ladder is closed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Closed {
    /// Since when.
    pub at: Time,
    /// Why.
    pub reason: String,
}

/// Where a member stands towards a ladder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// He takes part.
    Active,
    /// He has missed too many pairings in a row, and isn't paired until he joins again.
    Inactive,
    /// He has left.
    Left,
}

words!(Status { Active "active", Inactive "inactive", Left "left" });

/// Members who are listed and paired with each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Section {
    /// Everybody, where bots and humans aren't kept apart.
    All,
    /// Humans.
    Humans,
    /// Bots.
    Bots,
}

words!(Section { All "all", Humans "humans", Bots "bots" });

/// Somebody's membership of a ladder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    /// Whose.
    pub account: AccountId,
    /// Where he stands.
    pub status: Status,
    /// With whom he is listed and paired.
    pub section: Section,
    /// In which division, from 1, the highest.
    pub division: u32,
    /// How many pairings at once he wishes for.
    pub simultaneous: u32,
    /// How many he has.
    pub running: u32,
    /// Since when he takes part.
    pub joined_at: Time,
    /// Since when he waits for the next pairing, if he has fewer than he wishes for.
    pub waiting_since: Time,
    /// How many pairings in a row he has missed.
    pub missed: u32,
    /// How much oftener he has sat early in the order of play than late.
    pub balance: i32,
    /// Whom he was paired with last, the newest first.
    pub recent: Vec<AccountId>,
    /// Whom he is paired with now.
    pub opponents: Vec<AccountId>,
}

impl Member {
    /// Whether he takes part, and has fewer pairings than he wishes for.
    pub fn waits(&self) -> bool {
        self.status == Status::Active && self.running < self.simultaneous
    }
}
