//! Players, chat, blocks, follows and notes over HTTP.

pub mod blocks;
pub mod chat;
pub mod export;
pub mod follows;
pub mod notes;
pub mod players;
