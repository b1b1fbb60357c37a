//! Challenges and rematches over HTTP.

pub mod challenges;
pub mod rematch;
mod values;
pub mod view;
