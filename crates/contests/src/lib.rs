//! Ratings, pairings, tournaments, ladders and players' calendars, as functions of their arguments.
//!
//! | subject | modules |
//! |---|---|
//! | how strong a player is | [`rating_algorithm`], [`glicko2`], [`weng_lin`], [`rating_pool`] |
//! | which results look unfair | [`fair_play`] |
//! | who meets whom in a tournament | [`swiss`], [`round_robin`], [`knockout`], [`groups`], [`tables`] |
//! | who meets whom on a ladder, and how often | [`pairing`], [`meetings`] |
//! | who finishes where | [`tie_breaks`], [`crosstable`], [`divisions`], [`ranking`] |
//! | ladders where players challenge each other for positions | [`position_ladder`] |
//! | when a player is away | [`calendar`], [`rest_plan`], [`vacation_allowance`], [`icalendar`] |
//!
//! What is deliberately not here: input and output, a clock, randomness, async, storage, HTTP. The time is an argument.
//! How the caller names players, matches and pairings is a type parameter, so the same input gives the same output
//! everywhere, and everybody can recompute a result that was published.
extern crate alloc;

pub mod calendar;
pub mod crosstable;
pub mod divisions;
pub mod fair_play;
pub mod glicko2;
pub mod groups;
pub mod icalendar;
pub mod knockout;
mod matching;
pub mod meetings;
pub mod pairing;
pub mod position_ladder;
pub mod ranking;
pub mod rating_algorithm;
pub mod rating_pool;
pub mod rest_plan;
pub mod round_robin;
pub mod swiss;
pub mod tables;
pub mod tie_breaks;
pub mod tournament;
pub mod vacation_allowance;
pub mod weng_lin;
mod words;

pub use calendar::{Calendar, Span};
pub use rating_algorithm::{Algorithm, Rating};
pub use rating_pool::{Pool, PoolRules, RuleSetHash, Speed};
pub use tournament::{Board, BoardState, ByeReason, ByeWorth, Form, RoundPairings, Seeding};

/// The examples of the README, as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
