//! Moderation: what moderators and the operator do about other players and their matches.
//!
//! | step | what it does | file |
//! |---|---|---|
//! | grant, revoke | the operator gives and takes roles | [`grants`] |
//! | suspend, lift | an account begins nothing new, and its opponents lose nothing by it | [`suspend`] |
//! | adjudicate, annul | a match is ended, or counts otherwise, or not at all | [`adjudicate`] |
//! | hide | what the author of a named rule set has written is hidden | [`rulesets`] |
//! | let in again | a link for a lost password is made, a second factor removed, sessions ended | [`recovery`] |
//! | suspend, remove an app | what a registered app was granted ends | [`apps`] |
//! | operate | the operator says what the service can't notice | [`operator`] |
//! | judge hits | whether a player hits too well for what they were told | [`shooting`] |
//! | read | what was done, and by whom | [`read`] |
//!
//! Every action takes an [`Actor`], which only a check of the role in the same transaction (or the command line) makes.
//! Each step appends to the [audit log](crate::audit_log) in that transaction.

pub mod adjudicate;
pub mod apps;
pub mod grants;
pub mod operator;
pub mod read;
pub mod recovery;
pub mod rulesets;
pub mod shooting;
pub(crate) mod store;
pub mod suspend;

pub use crate::accounts::roles::{Actor, Role};
