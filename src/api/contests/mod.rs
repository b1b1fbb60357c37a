//! What those who run a ladder or a tournament do, over HTTP: the same for both.

pub mod announcements;
mod derived;
pub mod edit;
pub mod entries;
pub mod members;
pub mod organizers;
mod patch;
pub mod pauses;
pub mod umpire;
