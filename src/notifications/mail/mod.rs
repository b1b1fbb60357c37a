//! Mail for turns and warnings, for those who ask for it.
//!
//! | step | what it does | file |
//! |---|---|---|
//! | settle | what an account wants to be written about, and when | [`settings`] |
//! | confirm | whoever reads the mailbox says that he wants it; or that he wants no more | [`confirm`], [`links`] |
//! | wait | when a mail about an event is due: digest, quiet hours, time zones | [`when`] |
//! | write | from events to a text | [`letter`], [`words`] |
//! | send | what is due, from any node, once | [`post`] |
//! | hand over | a text to the SMTP server | [`smtp`], [`setup`] |
//!
//! A mail is made when it is sent, of what the log holds and of how the matches stand at that moment; it is stored nowhere. What it says are the kinds of events, public facts of the
//! matches (variant, names, deadline, result), and nothing that anybody has written or that a report holds.

pub mod confirm;
pub mod letter;
pub mod links;
pub mod post;
pub mod settings;
pub mod setup;
pub mod smtp;
pub(crate) mod store;
pub mod when;
mod words;

pub use confirm::{ask, confirm, stop};
pub use settings::{Preferences, change, read};
pub use setup::Setup;
pub use smtp::Mailer;
