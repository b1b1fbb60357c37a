//! Webhooks: an account's events, sent to URLs chosen by its owner, signed as Standard Webhooks specifies
//! (standardwebhooks.com, version 1).
//!
//! | step | content | file |
//! |---|---|---|
//! | manage | create, change, disable, redeliver | [`manage`] |
//! | deliver | from the event log to deliveries, and out | [`deliver`] |
//! | send | one attempt | [`post`] |
//! | check | allowed URLs and addresses | [`target`], [`addresses`] |
//! | sign | secrets and signatures | [`secret`] |
//! | retry | the time of the next attempt | [`schedule`] |
//!
//! A webhook has a cursor in its account's log, like a reader of `GET /v1/events`. So it sends the same bytes as that
//! endpoint, and this module doesn't depend on matches.

pub mod addresses;
pub mod deliver;
pub mod manage;
pub mod schedule;
pub mod secret;
pub mod sender;
pub(crate) mod store;
pub mod target;

use std::str::FromStr;

use broadside_rules::Time;
use broadside_rules::illegal::UnknownWord;

use crate::address_block::AddressBlock;
use crate::context::Context;
use crate::events::AccountEvent;
use crate::ids::{WebhookDeliveryId, WebhookId};
use crate::sealing::SealingKey;
use crate::string_enums::string_enums;
use crate::suggest;
use std::ops::Deref;
use std::sync::Arc;

use crate::notifications::leasing::slots::Slots;
use addresses::AddressPolicy;
use sender::{Names, Sender, TIMEOUT};

/// Time for which the previous secret still signs after a rotation, in seconds: one day.
pub const OLD_SECRET_VALID_S: u32 = 86_400;
/// Retention of deliveries, in seconds: 30 days, like events.
pub const RETENTION_S: u32 = crate::events::RETENTION_S;
/// Most manual deliveries (tests and redeliveries) of a webhook in an hour.
pub const MANUAL_PER_HOUR: i32 = 60;
/// The type of test messages.
pub const PING: &str = "ping";

#[derive(Clone)]
pub struct WebhookSettings {
    /// Allowed addresses besides the public internet.
    pub allowed: Vec<AddressBlock>,
    /// The resolver of host names.
    pub names: Names,
    /// Time limit for a response.
    pub timeout: std::time::Duration,
    /// The key that seals secrets in the database; `None` stores them in plain.
    pub sealing_key: Option<SealingKey>,
}

impl Default for WebhookSettings {
    fn default() -> Self {
        Self { allowed: Vec::new(), names: Names::System, timeout: TIMEOUT, sealing_key: None }
    }
}

/// The webhooks of a node. It dereferences to the [`Context`].
pub struct Webhooks {
    context: Arc<Context>,
    sender: Sender,
    sealing_key: Option<SealingKey>,
    slots: Slots,
}

impl Webhooks {
    pub fn new(context: Arc<Context>, settings: WebhookSettings) -> Self {
        let WebhookSettings { allowed, names, timeout, sealing_key } = settings;
        let sender = Sender::new(AddressPolicy::with(&allowed), names, timeout);
        Self { context, sender, sealing_key, slots: Slots::default() }
    }
}

impl Deref for Webhooks {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.context
    }
}

/// An event type that a webhook can select.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct EventKind(pub &'static str);

impl EventKind {
    /// All types that can be in a log: without `snapshot` and `ping`.
    pub fn all() -> impl Iterator<Item = EventKind> {
        AccountEvent::KINDS
            .iter()
            .copied()
            .filter(|kind| !matches!(*kind, "snapshot" | "unreadable" | PING))
            .map(EventKind)
    }
}

impl FromStr for EventKind {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        EventKind::all().find(|kind| kind.0 == text).ok_or_else(|| {
            let kinds: Vec<&str> = EventKind::all().map(|kind| kind.0).collect();
            suggest::must_be_one_of(text, &kinds)
        })
    }
}

string_enums! {
    /// Why the service disabled a webhook.
    pub enum DisableReason {
        /// It answered 410.
        Gone,
        /// Three days of nothing but failures.
        Failing,
    }
}

/// A webhook as shown to its owner, without the secret.
#[derive(Clone)]
pub struct Webhook {
    pub id: WebhookId,
    pub url: String,
    /// The event types that it sends; empty for all.
    pub kinds: Vec<String>,
    pub active: bool,
    /// The reason why the service disabled it, if it did.
    pub off_reason: Option<String>,
    /// The first of the failures since the last success, if any.
    pub failing_since: Option<Time>,
    /// The time of the last delivery, if any.
    pub delivered_at: Option<Time>,
    /// The time until which the previous secret also signs.
    pub old_secret_until: Option<Time>,
    pub created_at: Time,
}

string_enums! {
    pub enum DeliveryStatus {
        /// It is waiting for its first attempt or a retry.
        Pending,
        /// It was answered with 2xx.
        Delivered,
        /// It was given up.
        Failed,
    }
}

/// The delivery of an event to a webhook, with its outcome.
#[derive(Clone)]
pub struct Delivery {
    pub id: WebhookDeliveryId,
    pub webhook: WebhookId,
    /// The number of the event in the account's log; `None` for a ping.
    pub number: Option<u64>,
    /// The type of the event, or `ping`.
    pub kind: String,
    pub status: DeliveryStatus,
    /// Failed attempts of this series; a manual redelivery begins a new one.
    pub step: u32,
    pub attempts: u32,
    /// The time of the next attempt, if any.
    pub due_at: Option<Time>,
    pub created_at: Time,
    /// The time of the last attempt, if any.
    pub attempted_at: Option<Time>,
    /// The HTTP status of the last attempt; `None` if there was no response.
    pub answer: Option<u16>,
    /// The fault of the last attempt, if any.
    pub diagnosis: Option<String>,
}

impl Delivery {
    /// A new delivery of an event, or of a ping, which has no number.
    pub fn pending(id: WebhookDeliveryId, webhook: WebhookId, number: Option<u64>, kind: String, now: Time) -> Self {
        Self {
            id,
            webhook,
            number,
            kind,
            status: DeliveryStatus::Pending,
            step: 0,
            attempts: 0,
            due_at: Some(now),
            created_at: now,
            attempted_at: None,
            answer: None,
            diagnosis: None,
        }
    }

    /// The `webhook-id` header: the same for every attempt, on every node, and for manual redeliveries.
    pub fn message_id(&self) -> String {
        match self.number {
            // A number may be assigned again after a restore: then it is another event, with another time.
            Some(number) => format!("evt_{}_{number}_{}", self.webhook.0.simple(), self.created_at.0),
            None => format!("{PING}_{}", self.id.0.simple()),
        }
    }
}

/// A new webhook, or one with a new secret, with the secret, which is shown once.
pub struct WebhookWithSecret {
    pub secret: String,
    pub webhook: Webhook,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_that_stands_in_a_log_can_be_asked_for() {
        assert_eq!("your-turn".parse::<EventKind>(), Ok(EventKind("your-turn")));
        assert!("snapshot".parse::<EventKind>().unwrap_err().0.contains("webhook-disabled"));
        assert_eq!(EventKind::all().count() + 3, AccountEvent::KINDS.len());
    }
}
