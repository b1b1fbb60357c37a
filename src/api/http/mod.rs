//! What all handlers share: who asks, how requests are read, how answers and problems are made, and the pages and
//! checks that belong to no capability.

pub mod auth;
pub mod envelope;
pub mod extract;
pub mod fields;
pub mod operations;
pub mod pages;
pub mod paging;
pub mod reply;
