//! Webhooks: an account's events, sent to URLs that its owner chooses, signed as Standard Webhooks specifies
//! (standardwebhooks.com, version 1).
//!
//! | step | what it does | file |
//! |---|---|---|
//! | manage | create, change, disable, redeliver | [`manage`] |
//! | deliver | from the event log to deliveries, and out | [`deliver`] |
//! | send | one attempt | [`post`] |
//! | check | the URLs and addresses that may be sent to | [`target`], [`addresses`] |
//! | sign | secrets and signatures | [`secret`] |
//! | retry | when the next attempt is made | [`schedule`] |
//!
//! A webhook has a cursor in its account's log, as a reader of `GET /v1/events` has. So it sends what that endpoint
//! shows, byte by byte, and this module knows nothing of matches.

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

/// How long the previous secret still signs after a rotation, in seconds: a day.
pub const OLD_SECRET_VALID_S: u32 = 86_400;
/// How long deliveries are kept, in seconds: as long as events, 30 days.
pub const RETENTION_S: u32 = crate::events::RETENTION_S;
/// The most manual deliveries of one webhook in an hour: tests and redeliveries.
pub const MANUAL_PER_HOUR: i32 = 60;
/// The type of the message that only tests a webhook.
pub const PING: &str = "ping";

#[derive(Clone)]
pub struct WebhookSettings {
    /// Addresses that are allowed besides the public internet.
    pub allowed: Vec<AddressBlock>,
    /// Resolves host names.
    pub names: Names,
    /// How long an answer may take.
    pub timeout: std::time::Duration,
    /// The key that seals secrets in the database; `None`: they are stored in plain.
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

/// A type of event that a webhook can select.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct EventKind(pub &'static str);

impl EventKind {
    /// All types that can be in a log, so without `snapshot` and `ping`.
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

/// A webhook as its owner sees it: everything but the secret.
#[derive(Clone)]
pub struct Webhook {
    pub id: WebhookId,
    pub url: String,
    /// The types of events that it sends; empty: all.
    pub kinds: Vec<String>,
    pub active: bool,
    /// Why the service disabled it; `None`: it did not.
    pub off_reason: Option<String>,
    /// Since when all attempts have failed; `None`: the last one succeeded.
    pub failing_since: Option<Time>,
    /// When something was last delivered; `None`: never.
    pub delivered_at: Option<Time>,
    /// Until when the previous secret also signs.
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

/// A delivery: an event on its way to a webhook, and what became of it.
#[derive(Clone)]
pub struct Delivery {
    pub id: WebhookDeliveryId,
    pub webhook: WebhookId,
    /// The number of the event in the account's log; `None`: a ping.
    pub number: Option<u64>,
    /// The type of the event, or `ping`.
    pub kind: String,
    pub status: DeliveryStatus,
    /// The failed attempts of this series; a manual redelivery begins a new one.
    pub step: u32,
    pub attempts: u32,
    /// When the next attempt is due; `None`: there is none.
    pub due_at: Option<Time>,
    pub created_at: Time,
    /// When the last attempt was made; `None`: there was none.
    pub attempted_at: Option<Time>,
    /// The HTTP status of the last attempt; `None`: there was no answer.
    pub answer: Option<u16>,
    /// What went wrong in the last attempt; `None`: nothing.
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
            // A number may be given again after a restore: then it is an event of another time.
            Some(number) => format!("evt_{}_{number}_{}", self.webhook.0.simple(), self.created_at.0),
            None => format!("{PING}_{}", self.id.0.simple()),
        }
    }
}

/// A webhook that was just created or has a new secret, with the secret, which is shown once.
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
