//! SQL of ladders: the only part of `ladders` that uses diesel.

pub mod challenges;
pub mod due;
pub mod ladders;
pub mod meetings;
pub mod members;
pub mod positions;
pub mod seasons;
pub mod sizes;
pub mod standings;
