//! Broadside: correspondence play of every naval-battle game, over HTTP.
//!
//! One pure crate knows the games (`broadside-rules`); this one serves them. Data flows one way:
//!
//! ```text
//! main ─▶ serve ─▶ api ─▶ moderation ─▶ lobby ─▶ ladders ─▶ pairings ─▶ talk ─▶ matches ─▶ ratings, calendar ─▶ events ─▶ store ─▶ PostgreSQL
//!                    │           ├────────────────────┴──────────────────┴─▶ broadside-rules
//!                    └───────────┴─▶ notices ─▶ events
//! ```
//!
//! `api` knows HTTP and nothing of SQL; the use cases (`accounts`, `lobby`, `talk`, `matches`, `calendar`, `ratings`, `notices`, `events`) know neither; `store` knows SQL alone. `tests/tidy.rs`
//! keeps these arrows. Only `clock` reads the time, only `config` the environment, only `app` makes random numbers, only `api/reply` makes bodies.

pub mod account_deletion;
pub mod accounts;
pub mod api;
pub mod app;
pub mod audit_log;
pub mod calendar;
pub mod clock;
pub mod config;
pub mod context;
pub mod db;
pub mod error;
pub mod events;
pub mod idempotency;
pub mod ids;
pub mod jobs;
pub mod keys;
pub mod ladders;

pub mod lobby;
pub mod matches;
pub mod moderation;
pub mod notifications;
pub mod pairings;
pub mod player;
pub mod rate_limits;
pub mod ratings;
mod schemas;
pub mod serve;
pub mod social;
pub mod standing_orders;
mod string_enums;
pub mod telemetry;
pub mod tournaments;
pub mod verify;
pub mod wakeups;
mod words;
