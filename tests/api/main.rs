//! The service through its API: one test binary, so that everything is linked once and one cluster serves all.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod support;

mod accounts;
mod armistice;
mod authorization;
mod calendar;
mod challenges;
mod chat;
mod clocks;
mod deadlines;
mod embedded;
mod events;
mod farewell;
mod gathered;
mod hostile;
mod idempotency;
mod leaderboards;
mod ledger;
mod mail;
mod mail_post;
mod matches;
mod moderation;
mod notes;
mod openapi;
mod proof;
mod races;
mod ratings;
mod rematch;
mod seats;
mod secrecy;
mod sessions;
mod shuns;
mod standing_orders;
mod standing_orders_carried_out;
mod standing_orders_secrecy;
mod streams;
mod talk_secrecy;
mod tokens;
mod two_nodes;
mod vacations;
mod variants;
mod verify;
mod watching;
mod webhook_targets;
mod webhooks;
