//! SQL of mail: the only part of `notifications/mail` that uses diesel.

pub mod facts;
pub mod queue;
pub mod settings;
