//! What clients remember of what they were told ([`table`]), and how it is compared with what is there ([`compare`]).
//! The kills and the storm share it: they differ in what they do to the service, and in how long they do it.

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

/// So many findings are kept; further ones are counted.
const KEPT_FINDINGS: usize = 200;

/// One shot as its client remembers it.
pub struct Shot {
    /// Who fired.
    pub seat: u64,
    /// Where to.
    pub cell: String,
    /// What its client was told.
    pub told: Told,
}

/// What became of a shot, as far as its client knows.
pub enum Told {
    /// It has happened: the report that acknowledged it.
    Acknowledged(Value),
    /// It was refused: it hasn't happened, and never will.
    Refused,
    /// Nobody said. It has happened or not.
    Nothing,
}

/// A match as its clients remember it, until it has been compared.
pub struct Story {
    /// The match.
    pub id: String,
    /// Whether its client was told that it is over.
    pub over: bool,
    /// In a game that is shot at blindly.
    pub shots: Vec<Shot>,
    /// In any other game: what each seat was told in the answers to its actions. None: it is shot at blindly.
    pub told: Option<Vec<(u64, Value)>>,
    /// The last version that each seat was shown.
    pub seen: [u64; 2],
    /// The seat whose player has left on purpose, so that its time runs out.
    pub left_by: Option<u64>,
    /// From when on it may be compared: it is over, or its time has run out. None: it is under way.
    pub due: Option<Instant>,
}

impl Story {
    /// A match that has just begun.
    pub fn new(id: String, blind: bool) -> Self {
        let told = (!blind).then(Vec::new);
        Self { id, over: false, shots: Vec::new(), told, seen: [0; 2], left_by: None, due: None }
    }

    /// Where it can be read.
    pub fn path(&self) -> String {
        format!("/v1/matches/{}", self.id)
    }

    /// A seat was shown the match. What it was shown before can't be gone.
    pub fn show(&mut self, seat: usize, view: &Value, findings: &Findings) {
        let version = view["version"].as_u64().unwrap_or_default();
        if version < self.seen[seat] {
            let (before, id) = (self.seen[seat], &self.id);
            findings.add(&format!("{id}, seat {seat}: was shown version {before}, and later version {version}"));
        }
        self.seen[seat] = self.seen[seat].max(version);
    }
}

/// What all clients of a run know and count together.
pub struct Around {
    /// Where the nodes listen; clients change between them.
    pub addresses: Vec<SocketAddr>,
    /// How long a client goes on trying one request.
    pub patience: Duration,
    /// What is wrong.
    pub findings: Findings,
    /// Moves that were acknowledged.
    pub moves: AtomicU64,
    /// Requests whose outcome was unknown at least once.
    pub unknown: AtomicU64,
    /// Requests that were refused.
    pub refused: AtomicU64,
    /// What goes wrong, and when nothing does.
    pub weather: Weather,
    stopping: AtomicBool,
}

impl Around {
    /// Nothing has happened yet.
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

    /// Tells the clients to stop.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    /// Whether the clients were told to stop.
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }
}

/// What is wrong, and how much was looked at.
pub struct Findings {
    began: Instant,
    faults: Mutex<(u64, Vec<String>)>,
    /// Acknowledged shots that were compared.
    pub shots: AtomicU64,
    /// Reports of other games in answers that were compared.
    pub told: AtomicU64,
    /// Shots that were given up and had happened.
    pub given_up_and_there: AtomicU64,
    /// Matches that were compared.
    pub matches: AtomicU64,
    /// Those of them that have changed ratings.
    pub rated: AtomicU64,
    /// Those that ended by time because a player had left.
    pub left: AtomicU64,
    /// Events that were read.
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

    /// Notes a fault, and says so at once.
    pub fn add(&self, what: &str) {
        let line = format!("after {:.0} s: {what}", self.began.elapsed().as_secs_f64());
        let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        faults.0 += 1;
        if faults.1.len() < KEPT_FINDINGS {
            println!("FAULT {line}");
            faults.1.push(line);
        }
    }

    /// How many there were, and the first of them.
    pub fn all(&self) -> (u64, Vec<String>) {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Adds to a counter.
pub fn count(counter: &AtomicU64, more: usize) {
    counter.fetch_add(more as u64, Ordering::Relaxed);
}

/// Reads a counter.
pub fn read(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}
