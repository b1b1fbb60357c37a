//! What those who run a ladder or a tournament do, over HTTP: the same for both.

pub mod edit;
pub mod organizers;
pub mod umpire;
