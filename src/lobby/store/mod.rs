//! The SQL of lobby: the only part of `lobby` that knows diesel.

pub mod challenges;
pub mod invitations;
pub mod lists;
