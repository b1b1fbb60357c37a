//! Actions of organizers over HTTP, shared by ladders and tournaments.

pub mod announcements;
mod derived;
pub mod edit;
pub mod entries;
pub mod members;
pub mod organizers;
mod patch;
pub mod pauses;
pub mod umpire;
