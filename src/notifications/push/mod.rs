//! Web Push: browsers are told of an account's events by their maker's push service (RFC 8030), even if no page is
//! open.
//!
//! | step | content | file |
//! |---|---|---|
//! | manage | subscribe a browser, list, delete | [`manage`] |
//! | read | the browser's key and secret | [`keys`] |
//! | deliver | from the event log to messages, and out | [`deliver`] |
//! | compose | the content and the lifetime of a message | [`message`] |
//! | sign | the service's own key (VAPID, RFC 8292) | [`vapid`] |
//!
//! Like a webhook, a subscription has a cursor in its account's log; it selects from the kinds of events of mail. It
//! belongs to the session that made it, and ends with it. The address of the push service comes from the browser, so it
//! is trusted as little as the URL of a webhook: it passes the same checks, and the same sender is used. Messages are
//! encrypted for the browser (RFC 8291), by `web-push-native`.

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

pub struct PushSettings {
    pub enabled: bool,
    /// Allowed targets, and the sealing key of the service's key, as for webhooks.
    pub sending: WebhookSettings,
    /// The operator's contact, told to push services.
    pub contact: Option<Contact>,
    /// The URL of the service, told to push services if there is no contact.
    pub public_url: String,
}

/// Web Push of a node. It dereferences to the [`Context`].
pub struct Push {
    context: Arc<Context>,
    sender: Sender,
    slots: Slots,
    /// `None` if Web Push is off.
    key: Option<VapidKey>,
    /// The contact for push services' questions about messages.
    subject: Option<String>,
}

impl Push {
    /// Reads the service's key, and creates it if missing. A key that can't be opened doesn't stop the service: Web
    /// Push is off then, and the log has the reason.
    pub async fn open(context: Arc<Context>, settings: PushSettings) -> Result<Self> {
        let PushSettings { enabled, sending, contact, public_url } = settings;
        let WebhookSettings { allowed, names, timeout, sealing_key } = sending;
        let key = if enabled { VapidKey::open(&context, sealing_key.as_ref()).await? } else { None };
        let sender = Sender::new(AddressPolicy::with(&allowed), names, timeout);
        let subject = vapid::subject(contact.as_ref(), &public_url);
        Ok(Self { context, sender, slots: Slots::default(), key, subject })
    }

    /// The key that browsers hand to their push services, in base64url; `None` if Web Push is off.
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
    /// The owner's name for a browser: 1 to 60 characters on one line, not all of them blank.
    pub struct BrowserName: |text| line(text, 1, 60);
}

/// A push subscription as shown to its owner: without its address and keys.
pub struct Subscription {
    pub id: PushSubscriptionId,
    pub session: SessionId,
    /// The owner's name for the browser.
    pub name: String,
    /// The host of the push service.
    pub host: String,
    /// The selected kinds of events.
    pub kinds: Vec<MailTopic>,
    pub language: Language,
    /// The time when the push service last accepted a message, if ever.
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
