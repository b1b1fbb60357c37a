//! The SQL of mail: the only part of `notifications/mail` that knows diesel.

pub mod facts;
pub mod queue;
pub mod settings;
