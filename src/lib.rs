//! Broadside: correspondence play of every naval-battle game, over HTTP.
//!
//! The crate `broadside-rules` knows the games; this crate serves them. Calls go downwards only:
//!
//! ```text
//! main ─▶ serve ─▶ app, api, jobs ─▶ the capabilities ─▶ context ─▶ db ─▶ PostgreSQL
//!                                          └─▶ broadside-rules
//! ```
//!
//! Each folder is a capability, with its SQL in `store`; `api` is HTTP, and `app` puts all capabilities together.
//! docs/ARCHITECTURE.md says which capability may call which, and `tests/tidy.rs` checks it.

#![allow(missing_docs, reason = "the service is no library: names say most, and comments the rest")]

pub mod abuse_reports;
pub mod account_deletion;
pub mod accounts;
pub mod address_block;
pub mod api;
pub mod app;
pub mod archive;
pub mod audit_log;
pub mod backup;
pub mod bot_offers;
pub mod budget_owner;
mod calendar;
pub mod cases;
pub mod clock;
pub mod config;
pub mod contact;
pub mod contests;
pub mod context;
pub mod database;
pub mod db;
mod document;
mod due;
pub mod dump;
pub mod epoch;
pub mod error;
pub mod events;
pub mod front_end;
pub mod guide;
pub mod heartbeat;
pub mod honours;
pub mod house_bots;
mod idempotency;
pub mod ids;
pub mod jobs;
mod keys;
pub mod ladders;
mod listed;
mod listed_file;
pub mod lobby;
pub mod matches;
pub mod moderation;
pub mod notifications;
pub mod pairings;
pub mod player;
pub mod proxies;
pub mod public_reads;
mod quotas;
pub mod rate_limits;
pub mod ratings;
mod readiness;
pub mod request_origin;
pub mod rulesets;
mod schemas;
pub mod sealing;
pub mod serve;
mod signals;
pub mod social;
pub mod standing_orders;
mod string_enums;
pub mod substitutions;
mod suggest;
pub mod telemetry;
mod texts;
pub mod tournaments;
pub mod verify;
pub mod wakeups;
mod web_url;
pub mod work_pool;
