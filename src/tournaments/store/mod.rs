//! The SQL of tournaments: the only part of `tournaments` that knows diesel.

pub mod boards;
pub mod deadlines;
pub mod players;
pub mod tournaments;
