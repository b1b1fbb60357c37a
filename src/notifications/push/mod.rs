//! Web Push: browsers are told of an account's events by the push service of their maker (RFC 8030), also when no page
//! is open.
//!
//! | step | what it does | file |
//! |---|---|---|
//! | manage | subscribe a browser, list, delete | [`manage`] |
//! | read | what a browser gives: its key and its secret | [`keys`] |
//! | deliver | from the event log to messages, and out | [`deliver`] |
//! | compose | what a message says, and for how long | [`message`] |
//! | sign | the service's own key (VAPID, RFC 8292) | [`vapid`] |
//!
//! A subscription has a cursor in its account's log, as a webhook has, and chooses the kinds of events that mail has.
//! It belongs to the session that made it, and lives as long. The address of the push service comes from the browser,
//! so it is as little trusted as the URL of a webhook: it passes the same checks, and is sent to by the same sender.
//! Messages are encrypted for the browser (RFC 8291), by `web-push-native`.

pub mod deliver;
pub mod keys;
pub mod manage;
pub mod message;
pub(crate) mod store;
pub mod vapid;

use std::ops::Deref;
use std::sync::Arc;

use broadside_rules::Time;
use broadside_rules::card::Language;

use crate::contact::Contact;
use crate::context::Context;
use crate::error::{Error, Result, problem};
use crate::ids::{PushSubscriptionId, SessionId};
use crate::notifications::leasing::slots::Slots;
use crate::notifications::mail::settings::MailTopic;
use crate::notifications::webhooks::WebhookSettings;
use crate::notifications::webhooks::addresses::AddressPolicy;
use crate::notifications::webhooks::sender::Sender;
use crate::texts::{line, texts};

use vapid::VapidKey;

/// How messages are sent.
pub struct PushSettings {
    /// Whether there is Web Push.
    pub enabled: bool,
    /// Where messages may go, and what the service's key is sealed with: as webhooks.
    pub sending: WebhookSettings,
    /// Where people reach the operator; push services are told.
    pub contact: Option<Contact>,
    /// The address of the service, which they are told otherwise.
    pub public_url: String,
}

/// Web Push of a node. It dereferences to the [`Context`].
pub struct Push {
    context: Arc<Context>,
    sender: Sender,
    slots: Slots,
    /// `None`: there is no Web Push here.
    key: Option<VapidKey>,
    /// Whom push services may ask about the messages.
    subject: Option<String>,
}

impl Push {
    /// Reads the service's key, and makes it if there is none yet. A key that can't be opened keeps nobody from
    /// playing: there is no Web Push then, and the log says why.
    pub async fn open(context: Arc<Context>, settings: PushSettings) -> Result<Self> {
        let PushSettings { enabled, sending, contact, public_url } = settings;
        let WebhookSettings { allowed, names, timeout, sealing_key } = sending;
        let key = if enabled { VapidKey::open(&context, sealing_key.as_ref()).await? } else { None };
        let sender = Sender::new(AddressPolicy::with(&allowed), names, timeout);
        let subject = vapid::subject(contact.as_ref(), &public_url);
        Ok(Self { context, sender, slots: Slots::default(), key, subject })
    }

    /// The key that browsers ask their push services to accept messages of, in base64url; `None`: there is no Web Push.
    pub fn application_server_key(&self) -> Option<&str> {
        self.key.as_ref().map(VapidKey::public)
    }

    fn key(&self) -> Result<&VapidKey> {
        self.key.as_ref().ok_or_else(|| Error::plain(&problem::PUSH_UNAVAILABLE))
    }
}

impl Deref for Push {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.context
    }
}

texts! {
    /// What the owner of a browser calls it: 1 to 60 characters on one line, not all of them blank.
    pub struct BrowserName: |text| line(text, 1, 60);
}

/// A push subscription as its owner sees it: everything but its address and its keys.
pub struct Subscription {
    pub id: PushSubscriptionId,
    pub session: SessionId,
    /// What its owner calls the browser.
    pub name: String,
    /// The host of the push service.
    pub host: String,
    /// The kinds of events that it is told of.
    pub kinds: Vec<MailTopic>,
    pub language: Language,
    /// When the push service last took a message; `None`: never.
    pub delivered_at: Option<Time>,
    pub created_at: Time,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_has_a_printable_name() {
        assert!("Firefox, at home".parse::<BrowserName>().is_ok());
        for bad in ["", "   ", "a\nb", "a\u{202e}b", &"x".repeat(61)] {
            assert!(bad.parse::<BrowserName>().is_err(), "{bad:?}");
        }
    }
}
