//! Mail about turns, warnings and other events, for accounts that ask for it.
//!
//! | step | content | file |
//! |---|---|---|
//! | settings | the events that an account wants mail about, and when | [`settings`] |
//! | confirm | the owner of a mailbox confirms the address, or unsubscribes | [`confirm`], [`links`] |
//! | schedule | the time of a mail: digest, quiet hours, time zones | [`when`] |
//! | read | events of the log, and public facts about their subjects | [`event`], [`facts`] |
//! | compose | from events to a message | [`message`], [`contest_lines`], [`texts`] |
//! | deliver | due mail, from any node, once | [`delivery`] |
//! | send | a message to the SMTP server | [`smtp`], [`setup`] |
//! | security | mail independent of preferences: lost passwords, changes | [`security`] |
//!
//! A mail is composed when it is sent, from the log and the current state of the matches; it isn't stored. It contains
//! types of events and public facts of matches and contests (variant, names, deadline, result, rating, place), but no
//! user's text and nothing from reports.

mod activity_texts;
pub mod confirm;
mod contest_lines;
mod contest_texts;
mod contest_topics;
mod dates;
pub mod delivery;
pub mod event;
pub mod facts;
pub mod links;
pub mod message;
pub mod security;
mod security_texts;
pub mod settings;
pub mod setup;
pub mod smtp;
pub(crate) mod store;
mod texts;
mod topic_texts;
pub mod when;

pub use confirm::{confirm, request_confirmation, unsubscribe};
pub use settings::{Preferences, change, read};
pub use setup::Setup;
pub use smtp::Mailer;
