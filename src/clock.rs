//! The only module that reads the time.
//!
//! Deadlines are judged in milliseconds, and nodes that share a database must judge alike. So all nodes follow the
//! clock of their database: each measures the difference with every heartbeat, and counts on in between with a
//! monotonic clock, which can't be set. Until the first heartbeat, and in commands, the machine's clock is used.
//!
//! Tests use a standing clock, which moves only when they move it and is the database's clock as well.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Instant;

use broadside_rules::Time;

/// The source of time.
#[derive(Clone)]
pub struct Clock {
    ticks: Ticks,
    /// Added to the ticks to get the time, in milliseconds.
    offset_ms: Arc<AtomicI64>,
}

#[derive(Clone)]
enum Ticks {
    /// Ticks since the process created its clock.
    Monotonic(Instant),
    Standing(StandingClock),
}

/// A clock that moves only when a test moves it: milliseconds since 1970.
#[derive(Clone, Default)]
pub struct StandingClock {
    /// The database's clock.
    pub database_ms: Arc<AtomicI64>,
    /// The lead of the machine's clock over the database's.
    pub ahead_ms: Arc<AtomicI64>,
}

impl Clock {
    #[expect(clippy::disallowed_methods, reason = "this is the one clock")]
    pub fn system() -> Self {
        let now = jiff::Timestamp::now().as_millisecond();
        Self { ticks: Ticks::Monotonic(Instant::now()), offset_ms: Arc::new(now.into()) }
    }

    pub fn standing(clock: StandingClock) -> Self {
        Self { ticks: Ticks::Standing(clock), offset_ms: Arc::default() }
    }

    /// The time now, in whole milliseconds.
    pub fn now(&self) -> Time {
        Time(self.ticks_ms().saturating_add(self.offset_ms.load(Ordering::Relaxed)))
    }

    fn ticks_ms(&self) -> i64 {
        match &self.ticks {
            Ticks::Monotonic(origin) => i64::try_from(origin.elapsed().as_millis()).unwrap_or(i64::MAX),
            Ticks::Standing(clock) => clock.machine_ms(),
        }
    }

    /// The reading of the machine's own clock, right or wrong.
    #[expect(clippy::disallowed_methods, reason = "this is the one clock")]
    pub(crate) fn machine(&self) -> Time {
        match &self.ticks {
            Ticks::Monotonic(_) => Time(jiff::Timestamp::now().as_millisecond()),
            Ticks::Standing(clock) => Time(clock.machine_ms()),
        }
    }

    /// The database's time, for a standing clock; `None` if the database has its own.
    pub(crate) fn of_database(&self) -> Option<Time> {
        match &self.ticks {
            Ticks::Monotonic(_) => None,
            Ticks::Standing(clock) => Some(Time(clock.database_ms.load(Ordering::SeqCst))),
        }
    }

    /// Sets the time, if it differs by more than the error of the measurement.
    pub(crate) fn keep_to(&self, time: Time, error_ms: i64) {
        if self.now().millis_since(time).saturating_abs() > error_ms {
            self.offset_ms.store(time.0.saturating_sub(self.ticks_ms()), Ordering::Relaxed);
        }
    }
}

impl StandingClock {
    fn machine_ms(&self) -> i64 {
        self.database_ms.load(Ordering::SeqCst).saturating_add(self.ahead_ms.load(Ordering::SeqCst))
    }
}

impl From<Arc<AtomicI64>> for StandingClock {
    fn from(database_ms: Arc<AtomicI64>) -> Self {
        Self { database_ms, ahead_ms: Arc::default() }
    }
}
