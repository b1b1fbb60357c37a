//! Moderation: what people with a role do about others, and the operator.
//!
//! | step | what it does | file |
//! |---|---|---|
//! | grant, revoke | the operator gives and takes roles | [`grants`] |
//! | suspend, lift | an account begins nothing new, and its opponents lose nothing by it | [`suspend`] |
//! | adjudicate, annul | a match is ended, or counts otherwise, or not at all | [`adjudicate`] |
//! | resolve | a reported message is dealt with | [`reports`] |
//! | read | what was done, and by whom | [`read`] |
//!
//! Whoever acts shows an [`Actor`], which nothing makes but a look at his role in the same transaction (or the command line). Each step notes what it did as
//! a [deed](crate::audit_log), in that transaction.

pub mod adjudicate;
pub mod grants;
pub mod read;
pub mod reports;
pub(crate) mod store;
pub mod suspend;

pub use crate::accounts::roles::{Actor, Role};
