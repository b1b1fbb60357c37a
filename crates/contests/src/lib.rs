//! Ratings, pairings, tournaments, ladders and players' calendars, as functions of their arguments.
//!
//! | subject | modules |
//! |---|---|
//! | strength of players | [`rating_algorithm`], [`glicko2`], [`weng_lin`], [`rating_pool`] |
//! | results that look unfair | [`fair_play`] |
//! | pairings of tournaments | [`swiss`], [`round_robin`], [`knockout`], [`groups`], [`tables`] |
//! | pairings of ladders, and their limits | [`pairing`], [`meetings`] |
//! | standings | [`tie_breaks`], [`crosstable`], [`divisions`], [`ranking`] |
//! | ladders with challenges for positions | [`position_ladder`] |
//! | absences of players | [`calendar`], [`rest_plan`], [`vacation_allowance`], [`icalendar`] |
//!
//! Deliberately not here: input and output, a clock, randomness, async, storage, HTTP. The time is an argument. The
//! caller's names of players, matches and pairings are type parameters, so the same input gives the same output
//! everywhere, and everybody can recompute a published result.
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

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
