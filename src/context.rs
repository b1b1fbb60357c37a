//! The common dependencies of all use cases, independent of them: the clock, the database, randomness, ids, wake-ups.
//!
//! Capabilities with their own state (accounts, matches, webhooks) hold a context and dereference to it, so a function
//! that takes a `&Context` accepts any of them. `app.rs` puts all of them together.
//!
//! This is the only source of random numbers, so that nothing else can be unpredictable by accident.

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

pub struct Context {
    pub clock: Clock,
    pub db: Db,
    /// Reads public data, from a replica if there is one.
    pub public_reads: PublicReads,
    pub epochs: Arc<Epochs>,
    /// Records outages of the service.
    pub heartbeat: Heartbeat,
    /// Wakes requests that wait for news, on this and other nodes.
    pub wakeups: Wakeups,
    /// `None` for no limit.
    pub rate_limits: Option<RateLimits>,
    /// Runs work that would block an async worker for too long.
    pub pool: WorkPool,
    /// Held while a long list is read. Each such read occupies a processor with a PostgreSQL process; one for every
    /// connection would leave little processor time for the writer of moves.
    pub long_reads: Semaphore,
    entropy: Entropy,
    draining: AtomicBool,
    stopping: watch::Sender<bool>,
}

/// The source of random numbers.
pub enum Entropy {
    /// The operating system, through a ChaCha stream.
    System,
    /// A repeatable stream, for tests that compare two worlds byte by byte.
    Seeded(Box<Mutex<ChaCha20Rng>>),
}

impl Entropy {
    pub fn seeded(seed: u64) -> Self {
        Entropy::Seeded(Box::new(Mutex::new(ChaCha20Rng::seed_from_u64(seed))))
    }

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
    /// A context on a migrated database. Opens the connection on which nodes wake each other. Commands, which run
    /// briefly, pass no `heartbeat`.
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

    /// Watches the age of the read replica until the service stops.
    pub async fn watch_replica(&self) {
        while self.public_reads.has_replica() && !self.is_stopping() {
            self.public_reads.look(self.heartbeat.node()).await;
            tokio::select! {
                () = tokio::time::sleep(public_reads::LOOK_EVERY) => {}
                () = self.stopped() => {}
            }
        }
    }

    pub fn random<const N: usize>(&self) -> [u8; N] {
        self.entropy.bytes()
    }

    /// A new id: a UUIDv7 (RFC 9562) with the time of this context's clock.
    pub fn new_id<T: From<Uuid>>(&self) -> T {
        let millis = u64::try_from(self.clock.now().0).unwrap_or_default();
        uuid::Builder::from_unix_timestamp_millis(millis, &self.random()).into_uuid().into()
    }

    /// An id for a request without one.
    pub fn new_request_id(&self) -> String {
        u64::from_be_bytes(self.random()).to_string()
    }

    /// Marks this node as not ready, so that clients go to another one. It still serves them.
    pub fn begin_to_drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    /// True if this node asks its clients to go to another one.
    pub fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }

    /// Ends the waiting of requests for news, because the service is about to stop.
    pub fn begin_to_stop(&self) {
        self.stopping.send_replace(true);
    }

    pub fn is_stopping(&self) -> bool {
        *self.stopping.borrow()
    }

    pub async fn stopped(&self) {
        let mut stopping = self.stopping.subscribe();
        // The sender lives as long as the context, so this can't fail.
        let _ = stopping.wait_for(|stopping| *stopping).await;
    }
}

/// `N` random bytes from the operating system, for values created before the context.
#[expect(clippy::disallowed_methods, reason = "this is the one source of randomness")]
pub(crate) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    rand::rng().fill_bytes(&mut bytes);
    bytes
}
