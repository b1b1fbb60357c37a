//! The composition root: every capability of the service, built once at start and held in one value.
//!
//! The API, the jobs and the command use this module; no capability does.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use crate::accounts::guests::GuestSettings;
use crate::accounts::passkeys::RelyingParty;
use crate::accounts::second_factor::SecondFactorSettings;
use crate::accounts::{Accounts, SessionSettings};
use crate::archive::Archive;
use crate::clock::Clock;
use crate::contact::Contact;
use crate::context::{Context, Entropy};
use crate::db::Db;
use crate::error::Result;
use crate::events::StreamSlots;
use crate::front_end::FrontEnd;
use crate::heartbeat::HeartbeatSettings;
use crate::matches::{MatchMemory, Matches};
use crate::notifications::mail::setup::MatchLink;
use crate::notifications::mail::{self, Mailer};
use crate::notifications::push::{Push, PushSettings};
use crate::notifications::webhooks::{self, Webhooks};
use crate::proxies::Proxies;
use crate::public_reads::ReplicaSettings;
use crate::rate_limits::RateLimits;
use crate::readiness::Readiness;
use crate::rulesets::RuleSetLimits;

/// Records received or checked at a time on each node.
const RECORD_CHECKS: usize = 32;

/// The whole service. It dereferences to its [`Context`].
pub struct App {
    context: Arc<Context>,
    /// The public base URL of the API, without a trailing slash.
    pub public_url: String,
    /// The operator's contact; `None` if the contract names none.
    pub contact: Option<Contact>,
    /// The source of the web pages.
    pub front_end: FrontEnd,
    pub proxies: Proxies,
    /// Also holds the signing keys and the token cache.
    pub accounts: Accounts,
    /// The match cache and the move writer.
    pub matches: Arc<Matches>,
    pub webhooks: Arc<Webhooks>,
    pub push: Arc<Push>,
    /// Limits on named rule sets published by players.
    pub rulesets: RuleSetLimits,
    /// `None` without an SMTP server.
    pub mail: Option<Mailer>,
    match_link: Option<MatchLink>,
    /// Open event streams by account on this node.
    pub stream_slots: StreamSlots,
    /// Silence after which a stream sends a keep-alive comment.
    pub keep_alive: Duration,
    /// Held while an export is gathered: exports may be large, so each node makes one at a time.
    pub exports: tokio::sync::Mutex<()>,
    /// Bounds the records being received or checked at once, because each may be long.
    pub record_checks: Arc<tokio::sync::Semaphore>,
    /// Time limit for receiving a request body.
    pub body_timeout: Duration,
    pub connections: ConnectionTimeouts,
    pub(crate) readiness: Readiness,
}

#[derive(Clone, Copy, Debug)]
pub struct ConnectionTimeouts {
    /// Time limit for receiving a request head.
    pub head: Duration,
    /// Longest idle time between two requests.
    pub silence: Duration,
}

/// The parts of an [`App`].
pub struct Parts {
    pub clock: Clock,
    /// The migrated database.
    pub db: Db,
    pub replica: Option<ReplicaSettings>,
    /// `None` for no limit.
    pub rate_limits: Option<RateLimits>,
    /// The public base URL of the API, without a trailing slash.
    pub public_url: String,
    /// The operator's contact; `None` if the contract names none.
    pub contact: Option<Contact>,
    /// The source of the web pages.
    pub front_end: FrontEnd,
    pub proxies: Proxies,
    /// `None` if the service sends no mail.
    pub mail: Option<mail::Setup>,
    /// The operator's page for matches, if not the one in `front_end`.
    pub match_link: Option<MatchLink>,
    /// Cache settings for matches.
    pub memory: MatchMemory,
    /// The archive for logs of old matches; `None` keeps them in the tables.
    pub archive: Option<Archive>,
    /// The source of random numbers.
    pub entropy: Entropy,
    /// Silence after which a stream sends a keep-alive comment.
    pub keep_alive: Duration,
    /// Time limit for receiving a request body.
    pub body_timeout: Duration,
    pub connections: ConnectionTimeouts,
    pub webhooks: webhooks::WebhookSettings,
    /// True if web push is on.
    pub web_push: bool,
    /// Limits on named rule sets published by players.
    pub rulesets: RuleSetLimits,
    pub sessions: SessionSettings,
    pub second_factor: SecondFactorSettings,
    pub guests: GuestSettings,
    /// Heartbeat settings; `None` turns the heartbeat off.
    pub heartbeat: Option<HeartbeatSettings>,
}

impl App {
    /// Builds the app: reads the signing keys (creating the first ones), starts the move writer, and opens the
    /// connection on which nodes wake each other.
    pub async fn build(parts: Parts) -> Result<Self> {
        let Parts { clock, db, entropy, rate_limits, heartbeat, replica, .. } = parts;
        let context = Arc::new(Context::new(clock, db, entropy, rate_limits, heartbeat, replica).await?);
        let pages = parts.front_end.base(&parts.public_url).map(str::to_owned);
        let (clock, public_url, link) = (context.clock.clone(), parts.public_url.clone(), parts.match_link.clone());
        let mailer = |setup| Mailer::new(setup, clock, public_url, pages, link);
        let relying_party = RelyingParty::at(&parts.public_url);
        let accounts =
            Accounts::open(Arc::clone(&context), parts.sessions, parts.guests, parts.second_factor, relying_party);
        let accounts = accounts.await?;
        let push = PushSettings {
            enabled: parts.web_push,
            sending: parts.webhooks.clone(),
            contact: parts.contact.clone(),
            public_url: parts.public_url.clone(),
        };
        Ok(Self {
            accounts,
            matches: Arc::new(Matches::open(Arc::clone(&context), parts.memory, parts.archive).await?),
            webhooks: Arc::new(Webhooks::new(Arc::clone(&context), parts.webhooks)),
            push: Arc::new(Push::open(Arc::clone(&context), push).await?),
            rulesets: parts.rulesets,
            mail: parts.mail.map(mailer),
            match_link: parts.match_link,
            public_url: parts.public_url,
            contact: parts.contact,
            front_end: parts.front_end,
            proxies: parts.proxies,
            stream_slots: StreamSlots::default(),
            keep_alive: parts.keep_alive,
            exports: tokio::sync::Mutex::default(),
            record_checks: Arc::new(tokio::sync::Semaphore::new(RECORD_CHECKS)),
            body_timeout: parts.body_timeout,
            connections: parts.connections,
            readiness: Readiness::default(),
            context,
        })
    }

    /// The URL of a web page such as `/match/…`; `None` if there are no web pages.
    pub fn page(&self, path: &str) -> Option<String> {
        self.front_end.base(&self.public_url).map(|base| format!("{base}{path}"))
    }

    /// The URL of a match: the operator's, or its web page; without web pages, the match in the API.
    pub fn match_link(&self, id: &str) -> String {
        let page =
            || self.page(&format!("/match/{id}")).unwrap_or_else(|| format!("{}/v1/matches/{id}", self.public_url));
        self.match_link.as_ref().map_or_else(page, |link| link.of(id))
    }
}

impl Deref for App {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.context
    }
}
