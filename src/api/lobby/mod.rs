//! Challenges and rematches over HTTP.

pub mod challenges;
pub mod rematch;
pub mod view;
