//! What every use case works with, and what knows none of them: the clock, the database, randomness, ids, wake-ups.
//!
//! Capabilities with a state of their own (accounts, matches, webhooks) hold a context and dereference to it, so a
//! function that takes a `&Context` can be given any of them. `app.rs` puts all of them together.
//!
//! The only maker of random numbers, so that nothing else can be unpredictable by accident.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use tokio::sync::{Semaphore, watch};
use uuid::Uuid;

use crate::clock::Clock;
use crate::db::Db;
use crate::epoch::{Epoch, Epochs};
use crate::error::Result;
use crate::heartbeat::{Heartbeat, HeartbeatSettings};
use crate::public_reads::{self, PublicReads, ReplicaSettings};
use crate::rate_limits::RateLimits;
use crate::wakeups::Wakeups;
use crate::work_pool::{WorkPool, half_of_processors};

/// What every use case works with.
pub struct Context {
    /// The time.
    pub clock: Clock,
    /// The database.
    pub db: Db,
    /// Reads what is public, from a replica if there is one.
    pub public_reads: PublicReads,
    /// The epoch of the logs.
    pub epochs: Arc<Epochs>,
    /// Whether the service lives, and when it did not.
    pub heartbeat: Heartbeat,
    /// Wakes requests that wait for news, on this node and on others.
    pub wakeups: Wakeups,
    /// How many requests a caller may make; `None`: any number.
    pub rate_limits: Option<RateLimits>,
    /// Does what takes the processor too long for an async worker.
    pub pool: WorkPool,
    /// Held while a long list is read. For each of them a process of PostgreSQL takes a processor; beside as many as
    /// there are connections, the one that writes moves would get little of it.
    pub long_reads: Semaphore,
    entropy: Entropy,
    draining: AtomicBool,
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

impl Context {
    /// A context on a migrated database. Opens the connection on which nodes wake each other. Without `heartbeat`
    /// nobody watches over the service: a command uses it and goes.
    pub async fn new(
        clock: Clock,
        db: Db,
        entropy: Entropy,
        rate_limits: Option<RateLimits>,
        heartbeat: Option<HeartbeatSettings>,
        replica: Option<ReplicaSettings>,
    ) -> Result<Self> {
        let epochs = Arc::new(Epochs::open(&db, clock.now(), Epoch::drawn(entropy.bytes())).await?);
        let wakeups = Wakeups::start(&db);
        let half_of_connections = (db.connections() / 2).max(1);
        Ok(Self {
            heartbeat: Heartbeat::new(clock.clone(), &db, Arc::clone(&epochs), heartbeat)?,
            public_reads: PublicReads::new(clock.clone(), db.clone(), replica),
            epochs,
            clock,
            db,
            wakeups,
            rate_limits,
            pool: WorkPool::default(),
            long_reads: Semaphore::new(half_of_processors().min(half_of_connections)),
            entropy,
            draining: AtomicBool::new(false),
            stopping: watch::Sender::new(false),
        })
    }

    /// Looks how old the read replica is, until the service stops.
    pub async fn watch_replica(&self) {
        while self.public_reads.has_replica() && !self.is_stopping() {
            self.public_reads.look(self.heartbeat.node()).await;
            tokio::select! {
                () = tokio::time::sleep(public_reads::LOOK_EVERY) => {}
                () = self.stopped() => {}
            }
        }
    }

    /// `N` random bytes.
    pub fn random<const N: usize>(&self) -> [u8; N] {
        self.entropy.bytes()
    }

    /// A new id: a UUIDv7 (RFC 9562) with the time of this context's clock.
    pub fn new_id<T: From<Uuid>>(&self) -> T {
        let millis = u64::try_from(self.clock.now().0).unwrap_or_default();
        uuid::Builder::from_unix_timestamp_millis(millis, &self.random()).into_uuid().into()
    }

    /// An id for a request that came without one.
    pub fn new_request_id(&self) -> String {
        u64::from_be_bytes(self.random()).to_string()
    }

    /// From now on this node isn't ready, and asks its clients to go to another one. It still serves them.
    pub fn begin_to_drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    /// Whether this node asks its clients to go.
    pub fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
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
    pub async fn stopped(&self) {
        let mut stopping = self.stopping.subscribe();
        // The sender lives as long as the context, so this can't fail.
        let _ = stopping.wait_for(|stopping| *stopping).await;
    }
}

/// `N` random bytes from the operating system, for what is made before there is a context.
#[expect(clippy::disallowed_methods, reason = "this is the one source of randomness")]
pub(crate) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    rand::rng().fill_bytes(&mut bytes);
    bytes
}
