//! Shared parts of all handlers: authentication, reading of requests, answers and problems, and the pages and checks
//! that belong to no capability.

pub mod accept;
pub mod auth;
pub mod bodies;
pub mod caching;
pub mod compress;
pub mod connections;
pub mod csv;
pub mod documentation;
pub mod envelope;
pub mod event_auth;
pub mod extract;
pub mod fields;
pub mod filters;
pub mod front_end;
pub mod guests;
pub mod json;
pub mod known_time;
pub mod languages;
pub mod methods;
pub mod nullable;
pub mod operations;
pub mod pages;
pub mod paging;
pub mod prefer;
pub mod prices;
pub mod problem;
pub mod problem_pages;
pub mod reply;
pub mod shelf;
pub mod well_known;
