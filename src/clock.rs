//! The one place that reads the time.
//!
//! Deadlines are judged in milliseconds, and nodes that share a database must judge alike. So all of them keep the time
//! of their database: each measures it with every heartbeat, and between two of these counts on by a monotonic clock,
//! which nobody can put forward or back. Until the first heartbeat, and in commands, the time is the machine's.
//!
//! Tests hold a clock that stands still until they move it, and which is the database's as well.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Instant;

use broadside_rules::Time;

/// Where the time comes from.
#[derive(Clone)]
pub struct Clock {
    ticks: Ticks,
    /// What has to be added to the ticks to get the time, in milliseconds.
    offset_ms: Arc<AtomicI64>,
}

#[derive(Clone)]
enum Ticks {
    /// Since the process has made its clock.
    Monotonic(Instant),
    Standing(StandingClock),
}

/// A clock that stands still until it is moved: milliseconds since 1970.
#[derive(Clone, Default)]
pub struct StandingClock {
    /// What the database's clock says.
    pub database_ms: Arc<AtomicI64>,
    /// How far the machine's clock is ahead of it.
    pub ahead_ms: Arc<AtomicI64>,
}

impl Clock {
    /// The machine's clock.
    #[expect(clippy::disallowed_methods, reason = "this is the one clock")]
    pub fn system() -> Self {
        let now = jiff::Timestamp::now().as_millisecond();
        Self { ticks: Ticks::Monotonic(Instant::now()), offset_ms: Arc::new(now.into()) }
    }

    /// A clock that stands still until it is moved.
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

    /// What the machine's own clock says at this moment, right or wrong.
    #[expect(clippy::disallowed_methods, reason = "this is the one clock")]
    pub(crate) fn machine(&self) -> Time {
        match &self.ticks {
            Ticks::Monotonic(_) => Time(jiff::Timestamp::now().as_millisecond()),
            Ticks::Standing(clock) => Time(clock.machine_ms()),
        }
    }

    /// The database's time, if it isn't the database that says so.
    pub(crate) fn of_database(&self) -> Option<Time> {
        match &self.ticks {
            Ticks::Monotonic(_) => None,
            Ticks::Standing(clock) => Some(Time(clock.database_ms.load(Ordering::SeqCst))),
        }
    }

    /// From now on the time is this one, as far as it is known: a difference within the error changes nothing.
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
