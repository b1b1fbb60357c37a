//! The SQL of ratings: the only part of `ratings` that knows diesel.

pub mod audit;
pub mod fair_play;
pub mod leaderboards;
pub mod rated_matches;
pub mod ratings;
