//! SQL of tournaments: the only part of `tournaments` that uses diesel.

pub mod boards;
pub mod byes;
pub mod deadlines;
pub mod drafts;
pub mod due;
pub mod players;
pub mod tournaments;
