//! Moderation: what people with a role do about others, and the operator.
//!
//! | step | what it does | file |
//! |---|---|---|
//! | grant, revoke | the operator gives and takes roles | [`grants`] |
//! | read | what was done, and by whom | [`read`] |
//!
//! Whoever acts shows an [`Actor`], which nothing makes but a look at his role in the same transaction (or the command line). Each step notes what it did as
//! a [deed](crate::deeds), in that transaction.

pub mod grants;
pub mod read;

pub use crate::accounts::roles::{Actor, Role};
