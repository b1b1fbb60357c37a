//! The one place that reads the time.
//!
//! Deadlines are judged by the wall clock of the node that judges them, in milliseconds, so nodes that share a
//! database keep their clocks in step by NTP. Tests hold a [`Clock::Fixed`] and move it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use broadside_rules::Time;

/// Where the time comes from.
#[derive(Clone)]
pub enum Clock {
    /// The machine's wall clock.
    System,
    /// A clock that stands still until it is moved: milliseconds since 1970.
    Fixed(Arc<AtomicI64>),
}

impl Clock {
    /// The time now, in whole milliseconds.
    #[expect(clippy::disallowed_methods, reason = "this is the one clock")]
    pub fn now(&self) -> Time {
        match self {
            Clock::System => Time(jiff::Timestamp::now().as_millisecond()),
            Clock::Fixed(millis) => Time(millis.load(Ordering::SeqCst)),
        }
    }
}
