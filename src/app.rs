//! The composition root: every capability of the service, made once at the start and put together in one value.
//!
//! The API, the jobs and the command know this module; no capability does.

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

/// So many records are received or checked at a time, on each node.
const RECORD_CHECKS: usize = 32;

/// The whole service. It dereferences to its [`Context`].
pub struct App {
    context: Arc<Context>,
    /// The address under which clients reach the API, without a trailing slash.
    pub public_url: String,
    /// Where people reach the operator; `None`: the contract doesn't say.
    pub contact: Option<Contact>,
    /// Where the pages for people come from.
    pub front_end: FrontEnd,
    /// The operator's proxies.
    pub proxies: Proxies,
    /// Signing keys, remembered tokens.
    pub accounts: Accounts,
    /// Matches in memory, and the writer of moves.
    pub matches: Arc<Matches>,
    /// What sends webhooks.
    pub webhooks: Arc<Webhooks>,
    /// What sends messages to browsers.
    pub push: Arc<Push>,
    /// How many named rule sets players may publish.
    pub rulesets: RuleSetLimits,
    /// What hands mails over; `None`: there is no SMTP server.
    pub mail: Option<Mailer>,
    match_link: Option<MatchLink>,
    /// How many streams of events each account has open on this node.
    pub stream_slots: StreamSlots,
    /// A stream that has been silent for so long sends a comment to show that it is still there.
    pub keep_alive: Duration,
    /// Held while an account's export is gathered: it may be large, so a node makes one at a time.
    pub exports: tokio::sync::Mutex<()>,
    /// Records that are being received or checked: each may be long, so there is a bound to them.
    pub record_checks: Arc<tokio::sync::Semaphore>,
    /// A request's body must arrive within so long.
    pub body_timeout: Duration,
    /// How long connections wait for requests.
    pub connections: ConnectionTimeouts,
    /// Whether the database answers.
    pub(crate) readiness: Readiness,
}

/// How long connections wait for requests.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionTimeouts {
    /// The longest that the head of a request may take to arrive.
    pub head: Duration,
    /// The longest silence between two requests.
    pub silence: Duration,
}

/// What an [`App`] is made of.
pub struct Parts {
    /// The time.
    pub clock: Clock,
    /// The database, migrated.
    pub db: Db,
    /// A read replica of it.
    pub replica: Option<ReplicaSettings>,
    /// How many requests a caller may make; `None`: any number.
    pub rate_limits: Option<RateLimits>,
    /// The address under which clients reach the API, without a trailing slash.
    pub public_url: String,
    /// Where people reach the operator; `None`: the contract doesn't say.
    pub contact: Option<Contact>,
    /// Where the pages for people come from.
    pub front_end: FrontEnd,
    /// The operator's proxies.
    pub proxies: Proxies,
    /// How mail is sent; `None`: it isn't.
    pub mail: Option<mail::Setup>,
    /// Where people find a match, if not on its page in `front_end`.
    pub match_link: Option<MatchLink>,
    /// What is kept of matches in memory.
    pub memory: MatchMemory,
    /// Where the logs of matches go that were over long ago; `None`: they stay in the tables.
    pub archive: Option<Archive>,
    /// Where random numbers come from.
    pub entropy: Entropy,
    /// A stream that has been silent for so long sends a comment to show that it is still there.
    pub keep_alive: Duration,
    /// A request's body must arrive within so long.
    pub body_timeout: Duration,
    /// How long connections wait for requests.
    pub connections: ConnectionTimeouts,
    /// How webhooks are sent.
    pub webhooks: webhooks::WebhookSettings,
    /// Whether browsers are told of events.
    pub web_push: bool,
    /// How many named rule sets players may publish.
    pub rulesets: RuleSetLimits,
    /// How long sessions last.
    pub sessions: SessionSettings,
    /// How second factors are kept, and who needs one.
    pub second_factor: SecondFactorSettings,
    /// Whether there are guests, and for how long.
    pub guests: GuestSettings,
    /// How it is watched over that the service lives; none: it isn't.
    pub heartbeat: Option<HeartbeatSettings>,
}

impl App {
    /// Puts the parts together: reads the signing keys (making the first ones), starts the writer of moves, and opens
    /// the connection on which nodes wake each other.
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

    /// The address of a page for people, such as `/match/…`; `None`: there are no pages.
    pub fn page(&self, path: &str) -> Option<String> {
        self.front_end.base(&self.public_url).map(|base| format!("{base}{path}"))
    }

    /// The address at which people find a match: the operator's, or its page; without pages, the match in the API.
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
