//! Notifications that are sent out: webhooks, Web Push and mail. They are made from the event log alone, so they can
//! say no more than it. (Mail about the security of an account is queued by `accounts`: [`mail::security`].)
//!
//! Whatever is here reads an account's log from a place of its own, so it can lose nothing, invent nothing, and show
//! nobody more than `GET /v1/events` does; and it is sent beside the requests, so nobody waits for somebody else's
//! server.

pub mod leasing;
pub mod mail;
pub mod push;
pub mod webhooks;
