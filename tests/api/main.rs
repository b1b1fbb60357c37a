//! The service through its API: one test binary, so that everything is linked once and one cluster serves all.
#![allow(clippy::disallowed_methods, reason = "a test measures time and starts programs")]
#![allow(
    clippy::panic,
    clippy::unreachable,
    clippy::unwrap_used,
    clippy::expect_used,
    missing_docs,
    reason = "a test says what it expects by failing"
)]

mod support;

mod abuse_reports;
mod accept;
mod account_activity;
mod account_deletion;
mod accounts;
mod adjudicate;
mod armistice;
mod authorization;
mod backup;
mod blocks;
mod bot_offers;
mod budgets;
mod calendar;
mod cells;
mod challenges;
mod chat;
mod chat_secrecy;
mod clocks;
mod contest_edits;
mod contest_organizers;
mod database_address;
mod deadlines;
mod documentation;
mod down_times;
mod dump;
mod ended;
mod entry_limits;
mod epochs;
mod events;
mod examples;
mod fair_play;
mod front_end;
mod frozen;
mod gathered;
mod guests;
mod hostile;
mod house_bots;
mod idempotency;
mod invitations;
mod jobs;
mod ladder_abuse;
mod ladder_inactivity;
mod ladder_members;
mod ladder_pairing;
mod ladder_rankings;
mod ladder_seasons;
mod ladders;
mod leaderboards;
#[path = "../../crates/rules/tests/swap/leak.rs"]
mod leak;
mod ledger;
mod limits;
mod links;
mod mail;
mod mail_contests;
mod mail_delivery;
mod matches;
mod methods;
mod migrations;
mod moderation;
mod notes;
mod oauth;
mod oauth_attacks;
mod oauth_devices;
mod oauth_refusals;
mod openapi;
mod own_page;
mod paired;
mod passkey_attacks;
mod passkey_claims;
mod passkeys;
mod position_ladders;
mod position_races;
mod private_cluster;
mod problems;
mod proof;
mod qr_codes;
mod races;
mod rated_past;
mod rating_document;
mod ratings;
mod readable;
mod readiness;
mod recovery;
mod recovery_attacks;
mod refresh;
mod refusals;
mod register_page;
mod registered_apps;
mod registered_apps_attacks;
mod rematch;
mod ruleset_ratings;
mod ruleset_terms;
mod rulesets;
mod search;
mod seats;
mod second_factor;
mod second_factor_attacks;
mod secrecy;
mod sessions;
mod sign_in_attacks;
mod silent_database;
mod sockets;
mod standing_orders;
mod standing_orders_executed;
mod standing_orders_secrecy;
mod stream_tickets;
mod streams;
mod suspend;
mod tokens;
mod tournament_terms;
mod tournament_withdrawals;
mod tournaments;
mod turns;
mod two_nodes;
mod usernames;
mod vacations;
mod variants;
mod verify;
mod watching;
mod web_push;
mod web_push_delivery;
mod webhook_targets;
mod webhooks;
mod work_in_turns;
