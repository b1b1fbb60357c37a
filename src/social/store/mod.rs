//! The SQL of social: the only part of `social` that knows diesel.

pub mod blocks;
pub mod chat;
pub mod follows;
pub mod notes;
