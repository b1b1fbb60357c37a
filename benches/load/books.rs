//! The clients' books: what they were told ([`table`]), compared with the service's data ([`compare`]). Shared by the
//! kills and the storm, which differ in their faults and their duration.

pub mod client;
pub mod compare;
pub mod log;
pub mod table;
mod weather;

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;

pub use weather::{Wait, Weather};

/// Findings kept; further ones are only counted.
const KEPT_FINDINGS: usize = 200;

/// One shot as its client remembers it.
pub struct Shot {
    pub seat: u64,
    pub cell: String,
    pub told: Told,
}

/// The outcome of a shot, as far as its client knows.
pub enum Told {
    /// Fired: the report that acknowledged it.
    Acknowledged(Value),
    /// Refused: it wasn't fired, and never will be.
    Refused,
    /// Unknown: fired or not.
    Nothing,
}

/// A match as its clients remember it, until it is compared.
pub struct Story {
    pub id: String,
    /// True if its client was told that it is over.
    pub over: bool,
    /// Shots, in a game of blind shots.
    pub shots: Vec<Shot>,
    /// In any other game: the responses to each seat's actions. `None` in a game of blind shots.
    pub told: Option<Vec<(u64, Value)>>,
    /// The last version shown to each seat.
    pub seen: [u64; 2],
    /// The seat whose player left on purpose, so that its time runs out.
    pub left_by: Option<u64>,
    /// The time from which it may be compared: it is over, or its time has run out. `None` while it runs.
    pub due: Option<Instant>,
}

impl Story {
    pub fn new(id: String, blind: bool) -> Self {
        let told = (!blind).then(Vec::new);
        Self { id, over: false, shots: Vec::new(), told, seen: [0; 2], left_by: None, due: None }
    }

    pub fn path(&self) -> String {
        format!("/v1/matches/{}", self.id)
    }

    /// Records a view shown to a seat. Anything shown before must not disappear.
    pub fn show(&mut self, seat: usize, view: &Value, findings: &Findings) {
        let version = view["version"].as_u64().unwrap_or_default();
        if version < self.seen[seat] {
            let (before, id) = (self.seen[seat], &self.id);
            findings.add(&format!("{id}, seat {seat}: was shown version {before}, and later version {version}"));
        }
        self.seen[seat] = self.seen[seat].max(version);
    }
}

/// The shared state of all clients of a run.
pub struct Around {
    /// The nodes' addresses; clients change between them.
    pub addresses: Vec<SocketAddr>,
    /// Time for which a client retries a request.
    pub patience: Duration,
    pub findings: Findings,
    /// Acknowledged moves.
    pub moves: AtomicU64,
    /// Requests whose outcome was unknown at least once.
    pub unknown: AtomicU64,
    pub refused: AtomicU64,
    /// The present faults.
    pub weather: Weather,
    stopping: AtomicBool,
}

impl Around {
    pub fn new(addresses: Vec<SocketAddr>, patience: Duration) -> Arc<Self> {
        Arc::new(Self {
            addresses,
            patience,
            findings: Findings::new(),
            moves: AtomicU64::new(0),
            unknown: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            weather: Weather::default(),
            stopping: AtomicBool::new(false),
        })
    }

    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }
}

/// The faults found, and the numbers of compared things.
pub struct Findings {
    began: Instant,
    faults: Mutex<(u64, Vec<String>)>,
    /// Acknowledged shots compared.
    pub shots: AtomicU64,
    /// Reports of other games in responses, compared.
    pub told: AtomicU64,
    /// Abandoned shots that were fired.
    pub given_up_and_there: AtomicU64,
    /// Matches compared.
    pub matches: AtomicU64,
    /// Matches that changed ratings.
    pub rated: AtomicU64,
    /// Matches that ended on time because a player had left.
    pub left: AtomicU64,
    /// Events read.
    pub events: AtomicU64,
}

impl Findings {
    fn new() -> Self {
        let zero = || AtomicU64::new(0);
        Self {
            began: Instant::now(),
            faults: Mutex::default(),
            shots: zero(),
            told: zero(),
            given_up_and_there: zero(),
            matches: zero(),
            rated: zero(),
            left: zero(),
            events: zero(),
        }
    }

    /// Records a finding, and prints it immediately.
    pub fn add(&self, what: &str) {
        let line = format!("after {:.0} s: {what}", self.began.elapsed().as_secs_f64());
        let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        faults.0 += 1;
        if faults.1.len() < KEPT_FINDINGS {
            println!("FAULT {line}");
            faults.1.push(line);
        }
    }

    /// The number of findings, and the first of them.
    pub fn all(&self) -> (u64, Vec<String>) {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

pub fn count(counter: &AtomicU64, more: usize) {
    counter.fetch_add(more as u64, Ordering::Relaxed);
}

pub fn read(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}
