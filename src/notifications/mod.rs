//! Outgoing notifications: webhooks, Web Push and mail. They are made only from the event log, so they can disclose no
//! more. (Mail about the security of an account is queued by `accounts`: [`mail::security`].)
//!
//! Each channel reads an account's log from its own position, so it can lose nothing, invent nothing, and show no more
//! than `GET /v1/events`. It sends outside of requests, so no request waits for a foreign server.

pub mod leasing;
pub mod mail;
pub mod push;
pub mod webhooks;
