//! Webhooks: an account's events, sent to addresses that its owner names, signed as Standard Webhooks says (standardwebhooks.com, version 1).
//!
//! | step | what it does | file |
//! |---|---|---|
//! | keep | made, changed, switched off, asked to send again | [`manage`] |
//! | deliver | from the log of events to deliveries, and out | [`deliver`], [`slots`] |
//! | post | one attempt | [`post`] |
//! | judge | which URLs and addresses are sent to | [`target`], [`addresses`] |
//! | sign | secrets, and signatures | [`secret`] |
//! | wait | when it is tried again | [`schedule`] |
//!
//! A webhook has a place in its account's log, as a reader of `GET /v1/events` has. So what it carries is what that answer says, byte by byte, and this module
//! knows nothing of matches.

pub mod addresses;
pub mod deliver;
pub mod manage;
pub mod post;
pub mod schedule;
pub mod secret;
pub mod slots;
pub(crate) mod store;
pub mod target;

use std::str::FromStr;

use broadside_rules::Time;

use crate::context::Context;
use crate::events::AccountEvent;
use crate::ids::{DeliveryId, WebhookId};
use std::ops::Deref;
use std::sync::Arc;

use addresses::{Gate, Net};
use post::{Names, PATIENCE, Sender};
use secret::SealingKey;
use slots::Slots;

/// How many webhooks an account may have.
pub const MOST: i64 = 10;
/// For how long the secret before signs beside the new one, in seconds: a day.
pub const OVERLAP_S: u32 = 86_400;
/// How long deliveries are kept, in seconds: as long as events, 30 days.
pub const KEPT_S: u32 = crate::events::KEPT_S;
/// How many deliveries of one webhook may be asked for by hand in an hour.
pub const BY_HAND_AN_HOUR: i32 = 60;
/// The type of what is sent only to try a webhook.
pub const PING: &str = "ping";

/// How webhooks are sent.
#[derive(Clone)]
pub struct Settings {
    /// Where they may go beside the public internet.
    pub allowed: Vec<Net>,
    /// Who knows where names lead.
    pub names: Names,
    /// How long an answer may take.
    pub patience: std::time::Duration,
    /// What secrets are sealed with.
    pub sealing_key: Option<SealingKey>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { allowed: Vec::new(), names: Names::System, patience: PATIENCE, sealing_key: None }
    }
}

/// What sends webhooks, with what a node needs for it. It dereferences to the [`Context`].
pub struct Webhooks {
    context: Arc<Context>,
    sender: Sender,
    sealing_key: Option<SealingKey>,
    slots: Slots,
}

impl Webhooks {
    /// Sends by these settings.
    pub fn new(context: Arc<Context>, settings: Settings) -> Self {
        let Settings { allowed, names, patience, sealing_key } = settings;
        let sender = Sender::new(Gate::with(&allowed), names, patience);
        Self { context, sender, sealing_key, slots: Slots::default() }
    }
}

impl Deref for Webhooks {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.context
    }
}

/// A type of event that can be asked for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct EventKind(pub &'static str);

impl EventKind {
    /// All of them: what stands in a log (the marker of a stream and pings don't).
    pub fn all() -> impl Iterator<Item = EventKind> {
        AccountEvent::KINDS.iter().copied().filter(|kind| !matches!(*kind, "snapshot" | PING)).map(EventKind)
    }
}

impl FromStr for EventKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        EventKind::all().find(|kind| kind.0 == text).ok_or_else(|| {
            let kinds: Vec<&str> = EventKind::all().map(|kind| kind.0).collect();
            format!("must be one of {}", kinds.join(", "))
        })
    }
}

/// Why a webhook was switched off by the service.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OffReason {
    /// It answered 410.
    Gone,
    /// Three days of nothing but failures.
    Failing,
}

impl OffReason {
    /// Its name, on the wire and in the database.
    pub fn name(self) -> &'static str {
        match self {
            OffReason::Gone => "gone",
            OffReason::Failing => "failing",
        }
    }
}

/// A webhook as its owner sees it: everything but the secret.
#[derive(Clone)]
pub struct Webhook {
    /// Its id.
    pub id: WebhookId,
    /// Where it goes.
    pub url: String,
    /// Which events; none: all.
    pub kinds: Vec<String>,
    /// Whether it is switched on.
    pub active: bool,
    /// Why it was switched off, unless by its owner.
    pub off_reason: Option<String>,
    /// Since when attempts have failed and none went well.
    pub failing_since: Option<Time>,
    /// When something was last delivered.
    pub delivered_at: Option<Time>,
    /// Until when the secret before signs, too.
    pub old_secret_until: Option<Time>,
    /// When it was made.
    pub created_at: Time,
}

/// How a delivery stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// It is to be sent, for the first time or again.
    Pending,
    /// It was answered with 2xx.
    Delivered,
    /// It was given up.
    Failed,
}

impl Status {
    /// Its name, on the wire and in the database.
    pub fn name(self) -> &'static str {
        match self {
            Status::Pending => "pending",
            Status::Delivered => "delivered",
            Status::Failed => "failed",
        }
    }

    /// The status of this name.
    pub fn named(name: &str) -> Self {
        match name {
            "pending" => Status::Pending,
            "delivered" => Status::Delivered,
            _ => Status::Failed,
        }
    }
}

/// A delivery: an event on its way to a webhook, and what became of it.
#[derive(Clone)]
pub struct Delivery {
    /// Its id.
    pub id: DeliveryId,
    /// Whose it is.
    pub webhook: WebhookId,
    /// The number of the event; none: a ping.
    pub number: Option<u64>,
    /// The type of the event, or `ping`.
    pub kind: String,
    /// How it stands.
    pub status: Status,
    /// How many times it has failed in this series of attempts.
    pub step: u32,
    /// How many times it was tried.
    pub attempts: u32,
    /// When it is tried next.
    pub due_at: Option<Time>,
    /// When it was written.
    pub created_at: Time,
    /// When it was last tried.
    pub attempted_at: Option<Time>,
    /// The HTTP status of the last attempt.
    pub answer: Option<u16>,
    /// What was wrong with the last attempt.
    pub diagnosis: Option<String>,
}

impl Delivery {
    /// One that is still to be made: an event, or a ping without a number.
    pub fn pending(id: DeliveryId, webhook: WebhookId, number: Option<u64>, kind: String, now: Time) -> Self {
        Self {
            id,
            webhook,
            number,
            kind,
            status: Status::Pending,
            step: 0,
            attempts: 0,
            due_at: Some(now),
            created_at: now,
            attempted_at: None,
            answer: None,
            diagnosis: None,
        }
    }

    /// `webhook-id`: the same at every attempt, on every node, and when it is sent again by hand.
    pub fn message_id(&self) -> String {
        match self.number {
            Some(number) => format!("evt_{}_{number}", self.webhook.0.simple()),
            None => format!("{PING}_{}", self.id.0.simple()),
        }
    }
}

/// A webhook that was just made, or has a new secret. The text is shown once.
pub struct Made {
    /// The secret.
    pub secret: String,
    /// The rest.
    pub webhook: Webhook,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_that_stands_in_a_log_can_be_asked_for() {
        assert_eq!("your-turn".parse::<EventKind>(), Ok(EventKind("your-turn")));
        assert!("snapshot".parse::<EventKind>().unwrap_err().contains("webhook-disabled"));
        assert_eq!(EventKind::all().count() + 2, AccountEvent::KINDS.len());
    }
}
