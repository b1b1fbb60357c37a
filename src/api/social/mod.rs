//! Players, chat, blocks and notes over HTTP.

pub mod blocks;
pub mod chat;
pub mod export;
pub mod notes;
pub mod players;
