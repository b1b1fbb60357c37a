//! The service through its API: one test binary, so that everything is linked once and one cluster serves all.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod support;

mod accounts;
mod armistice;
mod authorization;
mod challenges;
mod clocks;
mod embedded;
mod events;
mod farewell;
mod gathered;
mod hostile;
mod idempotency;
mod leaderboards;
mod ledger;
mod matches;
mod openapi;
mod proof;
mod races;
mod ratings;
mod seats;
mod secrecy;
mod sessions;
mod streams;
mod tokens;
mod two_nodes;
mod variants;
mod verify;
mod watching;
