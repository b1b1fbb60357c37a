//! The present faults: used to attribute a client's waits, and to measure the part of a wait in good weather, after the
//! last fault has ended.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The present faults, and the past.
pub struct Weather(Mutex<State>);

struct State {
    /// The last fault of the nodes, and that of the database. 0 before the first.
    causes: [usize; 2],
    under_way: usize,
    changed: Instant,
    good: Duration,
}

/// A time without a response to a client.
pub struct Wait {
    /// The fault to which it is attributed.
    pub cause: usize,
    /// In total, in milliseconds.
    pub ms: u32,
    /// Without the time of present faults, in milliseconds.
    pub good_ms: u32,
}

/// A wait that has begun.
#[derive(Clone, Copy)]
pub struct Waiting {
    cause: usize,
    since: Instant,
    good: Duration,
}

impl Default for Weather {
    fn default() -> Self {
        Self(Mutex::new(State { causes: [0; 2], under_way: 0, changed: Instant::now(), good: Duration::ZERO }))
    }
}

impl Weather {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A fault of the nodes, or of the database, begins.
    pub fn worsened(&self, of_database: bool, cause: usize) {
        let mut state = self.state();
        state.good = state.good();
        (state.under_way, state.changed) = (state.under_way + 1, Instant::now());
        state.causes[usize::from(of_database)] = cause;
    }

    /// A fault has ended, and is repaired.
    pub fn improved(&self) {
        let mut state = self.state();
        (state.under_way, state.changed) = (state.under_way.saturating_sub(1), Instant::now());
    }

    /// Starts a wait: a request sent at `since` got no response. It is attributed to the last fault of the nodes, or of
    /// the database if a node has responded with 503.
    pub fn wait(&self, since: Instant, of_database: bool) -> Waiting {
        let state = self.state();
        let [nodes, database] = state.causes;
        let (one, other) = if of_database { (database, nodes) } else { (nodes, database) };
        // Good weather during the request counts, too.
        let before = if state.under_way == 0 { since.elapsed().min(state.changed.elapsed()) } else { Duration::ZERO };
        Waiting { cause: if one == 0 { other } else { one }, since, good: state.good().saturating_sub(before) }
    }

    /// Ends a wait: the client has a response.
    pub fn wait_ended(&self, waiting: Waiting) -> Wait {
        let ms = |duration: Duration| u32::try_from(duration.as_millis()).unwrap_or(u32::MAX);
        let good = self.state().good().saturating_sub(waiting.good);
        Wait { cause: waiting.cause, ms: ms(waiting.since.elapsed()), good_ms: ms(good) }
    }
}

impl State {
    /// The total time in good weather.
    fn good(&self) -> Duration {
        let now = if self.under_way == 0 { self.changed.elapsed() } else { Duration::ZERO };
        self.good + now
    }
}
