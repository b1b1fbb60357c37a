//! Moderation: actions of moderators and the operator on players and their matches.
//!
//! | step | content | file |
//! |---|---|---|
//! | grant, revoke | the operator grants and revokes roles | [`grants`] |
//! | suspend, lift | an account starts nothing new, and its opponents lose nothing by it | [`suspend`] |
//! | adjudicate, annul | a match is ended, or counts otherwise, or not at all | [`adjudicate`] |
//! | hide | the texts of a named rule set are hidden | [`rulesets`] |
//! | recover | password-reset link, removal of a second factor, end of sessions | [`recovery`] |
//! | suspend, remove an app | the grants of a registered app end | [`apps`] |
//! | operate | facts that the service can't notice itself | [`operator`] |
//! | analyse hits | a test for more hits than a player's information allows | [`shooting`] |
//! | read | past actions and their actors | [`read`] |
//!
//! Every action takes an [`Actor`], which only a check of the role in the same transaction (or the command line)
//! creates. Each step appends to the [audit log](crate::audit_log) in that transaction.

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
