//! Limits how often a wrong password may be given.
//!
//! Counted for each pair of where the try comes from and which account it is about: a stranger who guesses a password
//! locks out only themselves, at that name, and never the owner. A caller who tries many names from one address meets
//! the sign-in budget of that place (`rate_limits.rs`) instead. Counted by this node alone and forgotten when it stops;
//! with several nodes the allowance is per node.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use broadside_rules::Time;

use crate::error::{Error, Result};
use crate::rate_limits::RateLimitKey;

/// How many failures in one window.
const ALLOWED: u32 = 10;
/// How long a window is, in seconds.
const WINDOW_S: u32 = 300;
/// When so many pairs are known, those whose window is over are forgotten.
const CROWDED: usize = 10_000;

/// The recent failures, by origin and account.
#[derive(Default)]
pub struct LoginThrottle {
    windows: Mutex<HashMap<(RateLimitKey, String), Window>>,
}

#[derive(Clone, Copy)]
struct Window {
    ends_at: Time,
    failures: u32,
}

impl LoginThrottle {
    /// Counts a try before its outcome is known (so that many at once can't slip through), or refuses it.
    pub fn count(&self, from: RateLimitKey, username_key: &str, now: Time) -> Result<()> {
        let mut windows = self.lock();
        if windows.len() >= CROWDED {
            windows.retain(|_, window| now < window.ends_at);
        }
        let fresh = Window { ends_at: now.plus_s(WINDOW_S), failures: 0 };
        let window = windows.entry((from, username_key.to_owned())).or_insert(fresh);
        if window.ends_at <= now {
            *window = fresh;
        }
        if window.failures >= ALLOWED {
            let wait_ms = u64::try_from(window.ends_at.millis_since(now)).unwrap_or_default();
            return Err(Error::too_many(wait_ms.div_ceil(1000)));
        }
        window.failures += 1;
        Ok(())
    }

    /// The password was right: the tries before it are forgiven.
    pub fn forgive(&self, from: RateLimitKey, username_key: &str) {
        self.lock().remove(&(from, username_key.to_owned()));
    }

    /// Nothing that holds this lock can leave the map half changed, so a panic elsewhere doesn't spoil it.
    fn lock(&self) -> MutexGuard<'_, HashMap<(RateLimitKey, String), Window>> {
        self.windows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::IpAddr;

    fn from(last: u8) -> RateLimitKey {
        RateLimitKey::address(Some(IpAddr::from([192, 0, 2, last])))
    }

    #[test]
    fn ten_failures_shut_out_the_pair_and_nobody_else() {
        let throttle = LoginThrottle::default();
        for _ in 0..10 {
            assert!(throttle.count(from(1), "anna", Time(0)).is_ok());
        }
        let refused = throttle.count(from(1), "anna", Time(1)).unwrap_err();
        assert_eq!(refused.problem().code, "too-many-requests");
        assert_eq!(refused.retry_after_s(), Some(300));
        assert!(throttle.count(from(2), "anna", Time(1)).is_ok(), "the owner comes in from elsewhere");
        assert!(throttle.count(from(1), "bert", Time(1)).is_ok());
        assert!(throttle.count(from(1), "anna", Time(300_000)).is_ok(), "the window is over");
    }

    #[test]
    fn success_forgives() {
        let throttle = LoginThrottle::default();
        for _ in 0..50 {
            assert!(throttle.count(from(1), "anna", Time(0)).is_ok());
            throttle.forgive(from(1), "anna");
        }
    }

    #[test]
    fn pairs_are_forgotten_in_time() {
        let throttle = LoginThrottle::default();
        for number in 0..CROWDED {
            throttle.count(from(1), &number.to_string(), Time(0)).unwrap();
        }
        throttle.count(from(1), "anna", Time(300_000)).unwrap();
        assert_eq!(throttle.lock().len(), 1);
    }
}
