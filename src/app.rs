//! The service as one value: what every use case may need, made once at the start.
//!
//! Also the only maker of random numbers, so that nothing else can be unpredictable by accident.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use tokio::sync::watch;
use uuid::Uuid;

use crate::accounts;
use crate::clock::Clock;
use crate::error::Result;
use crate::events::{self, Hints, Places};
use crate::idempotency;
use crate::ladders;
use crate::limits::Limits;
use crate::lobby;
use crate::matches;
use crate::moderation;
use crate::notices::mail::{self, Mailer};
use crate::notices::webhooks;
use crate::ratings;
use crate::store::Db;
use crate::talk;
use crate::tournaments;

/// Everything that a request may need.
pub struct App {
    /// The time.
    pub clock: Clock,
    /// The database.
    pub db: Db,
    /// Budgets of requests; `None`: unlimited.
    pub limits: Option<Limits>,
    /// The address under which clients reach the API, without a trailing slash.
    pub public_url: String,
    /// Keys, hashes and remembered tokens.
    pub accounts: accounts::Desk,
    /// Matches in memory, and the writer of moves.
    pub matches: matches::Desk,
    /// Who waits for news, here and on other nodes.
    pub hints: Hints,
    /// How many readers of events each account has on this node.
    pub places: Places,
    /// A stream that has been silent for so long says that it is still there.
    pub keep_alive: Duration,
    /// Held while an account's export is gathered: it may be large, so a node makes one at a time.
    pub exports: tokio::sync::Mutex<()>,
    /// What sends webhooks.
    pub webhooks: webhooks::Desk,
    /// What hands mails over; `None`: there is no SMTP server.
    pub mail: Option<Mailer>,
    entropy: Entropy,
    stopping: watch::Sender<bool>,
}

/// Where random numbers come from.
pub enum Entropy {
    /// The operating system, by way of a ChaCha stream.
    System,
    /// A stream that can be repeated, for tests that compare two worlds byte by byte.
    Seeded(Box<Mutex<ChaCha20Rng>>),
}

impl Entropy {
    /// The stream of this seed.
    pub fn seeded(seed: u64) -> Self {
        Entropy::Seeded(Box::new(Mutex::new(ChaCha20Rng::seed_from_u64(seed))))
    }

    /// `N` random bytes.
    pub fn bytes<const N: usize>(&self) -> [u8; N] {
        match self {
            Entropy::System => random(),
            Entropy::Seeded(stream) => {
                let mut bytes = [0; N];
                stream.lock().unwrap_or_else(PoisonError::into_inner).fill_bytes(&mut bytes);
                bytes
            }
        }
    }
}

/// What an [`App`] is made of.
pub struct Parts {
    /// The time.
    pub clock: Clock,
    /// The database, migrated.
    pub db: Db,
    /// Budgets of requests; `None`: unlimited.
    pub limits: Option<Limits>,
    /// The address under which clients reach the API.
    pub public_url: String,
    /// How mail is sent; `None`: it isn't.
    pub mail: Option<mail::Setup>,
    /// How many matches are kept in memory.
    pub matches_in_memory: usize,
    /// Where random numbers come from.
    pub entropy: Entropy,
    /// A stream that has been silent for so long says that it is still there.
    pub keep_alive: Duration,
    /// How webhooks are sent.
    pub webhooks: webhooks::Settings,
}

impl App {
    /// Puts the parts together: reads the signing keys (making the first one) starts the writer of moves, and opens the line to other nodes.
    pub async fn build(parts: Parts) -> Result<Self> {
        let accounts = accounts::Desk::open(&parts.db, &parts.clock).await?;
        let hints = Hints::start(&parts.db);
        let matches =
            matches::Desk::open(&parts.db, &hints, &parts.clock, &parts.entropy, parts.matches_in_memory).await?;
        let mailer = |setup| Mailer::new(setup, parts.clock.clone(), parts.public_url.clone());
        Ok(Self {
            mail: parts.mail.map(mailer),
            clock: parts.clock,
            db: parts.db,
            limits: parts.limits,
            public_url: parts.public_url,
            accounts,
            matches,
            hints,
            places: Places::default(),
            exports: tokio::sync::Mutex::default(),
            keep_alive: parts.keep_alive,
            webhooks: webhooks::Desk::new(parts.webhooks),
            entropy: parts.entropy,
            stopping: watch::Sender::new(false),
        })
    }

    /// `N` random bytes.
    pub fn random<const N: usize>(&self) -> [u8; N] {
        self.entropy.bytes()
    }

    /// A new id: UUIDv7 with the time of the app's clock.
    pub fn new_id<T: From<Uuid>>(&self) -> T {
        let millis = u64::try_from(self.clock.now().0).unwrap_or_default();
        uuid::Builder::from_unix_timestamp_millis(millis, &self.random()).into_uuid().into()
    }

    /// A name for a request that came without one.
    pub fn new_request_id(&self) -> String {
        u64::from_be_bytes(self.random()).to_string()
    }

    /// Does once what jobs do all the time: warns, and plays what ran out of time.
    pub async fn tend(&self) -> Result<()> {
        matches::expire::sweep(self).await
    }

    /// Does once what jobs do all the time as well: tells of offers that ran out of time.
    pub async fn expire_challenges(&self) -> Result<()> {
        lobby::expire::sweep(self).await
    }

    /// Does once what another job does all the time: takes in results on ladders, ends seasons, brings people together.
    pub async fn tend_ladders(&self) -> Result<()> {
        ladders::round::round(self).await
    }

    /// Does once what another job does all the time: takes in the results of tournaments, and goes on to the next rounds.
    pub async fn hold_tournaments(&self) -> Result<()> {
        tournaments::job::sweep(self).await
    }

    /// Does once what another job does all the time: forgets what deleted accounts have left behind, and resigns what suspended ones forfeit.
    pub async fn say_farewells(&self) -> Result<()> {
        let farewells = lobby::farewell::round(self).await;
        moderation::suspend::round(self).await.and(farewells)
    }

    /// Does once what another job does all the time: carries out standing orders that are due.
    pub async fn carry_out_orders(&self) -> Result<()> {
        matches::standing::carry_out::round(self).await
    }

    /// Does once what the same job does now and then: forgets the standing orders of seats that play no more part.
    pub async fn forget_orders_of_outs(&self) -> Result<()> {
        matches::standing::carry_out::forget_outs(self).await
    }

    /// Does once what jobs do all the time as well, and what may take longer than a time-out may wait: plans matches anew whose players' calendars have changed.
    pub async fn plan_anew(&self) -> Result<()> {
        matches::replan::sweep(self).await
    }

    /// Does once what jobs do now and then: forgets what is too old to be of use. A step that fails is logged and keeps no other from being done; the first
    /// failure is returned.
    pub async fn clean_up(&self) -> Result<()> {
        let steps = [
            ("idempotency keys", idempotency::forget_old(self).await),
            ("sessions and tokens", accounts::forget_old(self).await.map(drop)),
            ("missing logs", events::begin_missing(self).await),
            ("events", events::forget_old(self).await),
            ("reports", talk::forget_old(self).await),
            ("webhooks' deliveries", webhooks::keep::forget_old(self).await),
            ("confirmations of addresses", mail::confirm::forget_old(self).await),
            ("leaderboards", ratings::read::tidy(self).await),
        ];
        if let Some(limits) = &self.limits {
            limits.forget_idle();
        }
        let mut all = Ok(());
        for (step, done) in steps {
            if let Err(error) = &done {
                let cause = error.cause().map(tracing::field::display);
                tracing::error!(%error, cause, step, "a step of the cleaning up failed");
            }
            all = all.and(done);
        }
        all
    }

    /// Tells those who wait for news to wait no longer, since the service is about to stop.
    pub fn begin_to_stop(&self) {
        self.stopping.send_replace(true);
    }

    /// Whether the service is about to stop.
    pub fn is_stopping(&self) -> bool {
        *self.stopping.borrow()
    }

    /// Returns when the service is about to stop.
    pub async fn stops(&self) {
        let mut stopping = self.stopping.subscribe();
        // The sender lives as long as the app, so this can't fail.
        let _ = stopping.wait_for(|stopping| *stopping).await;
    }
}

/// `N` random bytes from the operating system, for what is made before there is an app.
pub(crate) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    rand::rng().fill_bytes(&mut bytes);
    bytes
}
