//! What goes wrong at the moment, so that a client's wait can be put down to a fault, and how much of the wait was in
//! good weather: while nothing went wrong any more.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The faults that are under way, and what there was before.
pub struct Weather(Mutex<State>);

struct State {
    /// The fault of the nodes, and that of the database, that began last. 0: none yet.
    causes: [usize; 2],
    under_way: usize,
    changed: Instant,
    good: Duration,
}

/// How long it took a client until something was answered after something wasn't.
pub struct Wait {
    /// The fault that it is put down to.
    pub cause: usize,
    /// All of it, in milliseconds.
    pub ms: u32,
    /// Without the time in which a fault was under way, in milliseconds.
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

    /// A fault is over, and what it broke is there again.
    pub fn improved(&self) {
        let mut state = self.state();
        (state.under_way, state.changed) = (state.under_way.saturating_sub(1), Instant::now());
    }

    /// A client has sent a request at `since`, and there was no answer. It is put down to the last fault of the nodes;
    /// or of the database, if a node has answered with 503.
    pub fn wait(&self, since: Instant, of_database: bool) -> Waiting {
        let state = self.state();
        let [nodes, database] = state.causes;
        let (one, other) = if of_database { (database, nodes) } else { (nodes, database) };
        // What was good while the request was on its way counts, too.
        let before = if state.under_way == 0 { since.elapsed().min(state.changed.elapsed()) } else { Duration::ZERO };
        Waiting { cause: if one == 0 { other } else { one }, since, good: state.good().saturating_sub(before) }
    }

    /// The client has an answer.
    pub fn wait_ended(&self, waiting: Waiting) -> Wait {
        let ms = |duration: Duration| u32::try_from(duration.as_millis()).unwrap_or(u32::MAX);
        let good = self.state().good().saturating_sub(waiting.good);
        Wait { cause: waiting.cause, ms: ms(waiting.since.elapsed()), good_ms: ms(good) }
    }
}

impl State {
    /// How long nothing was wrong, altogether.
    fn good(&self) -> Duration {
        let now = if self.under_way == 0 { self.changed.elapsed() } else { Duration::ZERO };
        self.good + now
    }
}
