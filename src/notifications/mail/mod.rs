//! Mail about turns, warnings and other events, for accounts that ask for it.
//!
//! | step | what it does | file |
//! |---|---|---|
//! | settings | the events that an account wants mail about, and when | [`settings`] |
//! | confirm | the owner of a mailbox confirms the address, or unsubscribes | [`confirm`], [`links`] |
//! | schedule | when a mail about an event is due: digest, quiet hours, time zones | [`when`] |
//! | read | what a mail needs of the log, and the public facts about what it names | [`event`], [`facts`] |
//! | compose | from events to a message | [`message`], [`contest_lines`], [`texts`] |
//! | deliver | what is due, from any node, once | [`delivery`] |
//! | send | a message to the SMTP server | [`smtp`], [`setup`] |
//! | security | what is sent whatever an account wants: lost passwords, changes | [`security`] |
//!
//! A mail is composed when it is sent, from the log and the current state of the matches; it is stored nowhere. It
//! contains the types of events and public facts of matches and contests (variant, names, deadline, result, rating,
//! place), and nothing that a user has written or that a report holds.

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
