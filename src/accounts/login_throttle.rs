//! Limits for wrong passwords.
//!
//! Failures are counted per pair of origin and name: ten in five minutes. So guessing strangers lock out only
//! themselves, at that name. They are also counted per name, since strangers have many addresses: after a hundred
//! failures in an hour, each address has two tries at the name until the hour is over. So distributed guessing gets
//! slow, and the owner, who knows the password, can still sign in at the first try from any address. The owner is told
//! of many failures.
//!
//! A caller who tries many names from one address meets that origin's sign-in budget (`rate_limits.rs`) instead. Counts
//! belong to one node and are lost when it stops; with several nodes the allowance is per node.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

use broadside_rules::Time;

use crate::error::{Error, Result};
use crate::rate_limits::RateLimitKey;

/// Failures allowed per origin and name in a window.
const ALLOWED: u32 = 10;
/// The length of that window, in seconds.
const WINDOW_S: u32 = 300;
/// Failures allowed per name in a window, from all addresses together.
const ALLOWED_AT_NAME: u32 = 100;
/// The length of that window, in seconds.
const NAME_WINDOW_S: u32 = 3600;
/// Failures allowed per address and name in the rest of the window, once [`ALLOWED_AT_NAME`] are used up.
const ALLOWED_BEYOND: u32 = 2;
/// The number of failures at one name in a window after which the owner is told.
const MANY: u32 = 50;
/// The number of windows at which expired ones are removed.
const CROWDED: usize = 10_000;

#[derive(Default)]
pub struct LoginThrottle {
    counts: Mutex<Counts>,
}

#[derive(Default)]
struct Counts {
    pairs: Windows<(RateLimitKey, String)>,
    names: Windows<String>,
}

/// Failures by key. Expired windows are removed whenever there are twice as many as were left the last time.
struct Windows<K> {
    by_key: HashMap<K, Window>,
    crowded: usize,
}

impl<K> Default for Windows<K> {
    fn default() -> Self {
        Self { by_key: HashMap::new(), crowded: CROWDED }
    }
}

#[derive(Clone, Copy)]
struct Window {
    ends_at: Time,
    failures: u32,
    /// The number of times that [`MANY`] failures were reported.
    noted: u32,
}

impl<K: Eq + Hash> Windows<K> {
    fn of(&mut self, key: K, now: Time, length_s: u32) -> &mut Window {
        if self.by_key.len() >= self.crowded {
            self.by_key.retain(|_, window| now < window.ends_at);
            self.crowded = CROWDED.max(self.by_key.len() * 2);
        }
        let fresh = Window { ends_at: now.plus_s(length_s), failures: 0, noted: 0 };
        let window = self.by_key.entry(key).or_insert(fresh);
        if window.ends_at <= now {
            *window = fresh;
        }
        window
    }
}

/// A signed-in caller guesses their own password: the name's count is of the others.
fn is_stranger(from: RateLimitKey) -> bool {
    matches!(from, RateLimitKey::Address(_))
}

impl Windows<String> {
    /// Takes one try of a stranger off the name's count.
    fn take_one(&mut self, from: RateLimitKey, username_key: &str) {
        let name = is_stranger(from).then(|| self.by_key.get_mut(username_key)).flatten();
        if let Some(name) = name {
            name.failures = name.failures.saturating_sub(1);
        }
    }
}

impl Window {
    fn refusal(&self, now: Time) -> Error {
        let wait_ms = u64::try_from(self.ends_at.millis_since(now)).unwrap_or_default();
        Error::too_many(wait_ms.div_ceil(1000))
    }
}

impl LoginThrottle {
    /// Counts a try before its outcome is known (so that concurrent tries can't slip through), or refuses it.
    pub fn count(&self, from: RateLimitKey, username_key: &str, now: Time) -> Result<()> {
        let Counts { pairs, names } = &mut *self.lock();
        let name = is_stranger(from).then(|| names.of(username_key.to_owned(), now, NAME_WINDOW_S));
        let beyond = name.as_ref().filter(|name| name.failures >= ALLOWED_AT_NAME).map(|name| name.ends_at);
        let pair = pairs.of((from, username_key.to_owned()), now, WINDOW_S);
        if pair.failures >= if beyond.is_some() { ALLOWED_BEYOND } else { ALLOWED } {
            pair.ends_at = pair.ends_at.max(beyond.unwrap_or(pair.ends_at));
            return Err(pair.refusal(now));
        }
        pair.ends_at = pair.ends_at.max(beyond.unwrap_or(pair.ends_at));
        pair.failures += 1;
        if let Some(name) = name {
            name.failures = name.failures.saturating_add(1);
        }
        Ok(())
    }

    /// After a right password: forgets the failures of this pair, and takes this try off the name's count.
    pub fn forgive(&self, from: RateLimitKey, username_key: &str) {
        let Counts { pairs, names } = &mut *self.lock();
        pairs.by_key.remove(&(from, username_key.to_owned()));
        names.take_one(from, username_key);
    }

    /// Takes back a try whose password could not be checked; earlier tries still count.
    pub fn take_back(&self, from: RateLimitKey, username_key: &str) {
        let Counts { pairs, names } = &mut *self.lock();
        if let Some(pair) = pairs.by_key.get_mut(&(from, username_key.to_owned())) {
            pair.failures = pair.failures.saturating_sub(1);
        }
        names.take_one(from, username_key);
    }

    /// The failures at a name in its window, if another [`MANY`] have occurred since the last report. (Many tries may
    /// be counted before the first one is judged.)
    pub fn many(&self, username_key: &str) -> Option<u32> {
        let mut counts = self.lock();
        let name = counts.names.by_key.get_mut(username_key)?;
        let times = name.failures / MANY;
        let is_news = times > name.noted;
        name.noted = name.noted.max(times);
        is_news.then_some(name.failures)
    }

    /// No holder of this lock can leave the maps half changed, so a poisoned lock is safe to use.
    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::AccountId;
    use std::net::IpAddr;
    use uuid::Uuid;

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
    fn guessing_from_everywhere_gets_slow_and_the_owner_comes_in() {
        let throttle = LoginThrottle::default();
        let tries =
            |address: u8, now: Time| (0..10).filter(|_| throttle.count(from(address), "anna", now).is_ok()).count();
        let first: usize = (0..10).map(|address| tries(address, Time(0))).sum();
        assert_eq!(first, 100);
        // Known addresses have no more tries until the hour is over, others have two.
        assert_eq!(tries(0, Time(300_000)), 2);
        assert_eq!((tries(1, Time(1)), tries(10, Time(1)), tries(10, Time(600_000))), (0, 2, 0));
        let refused = throttle.count(from(10), "anna", Time(600_000)).unwrap_err();
        assert_eq!(refused.retry_after_s(), Some(3000));
        assert!(throttle.count(from(200), "anna", Time(600_000)).is_ok(), "the owner, from anywhere");
        assert_eq!(tries(11, Time(600_000)), 2);
        assert_eq!(throttle.count(from(10), "ben", Time(600_000)).ok(), Some(()), "another name");
        assert_eq!(tries(10, Time(3_600_000)), 10);
    }

    #[test]
    fn the_owner_is_told_of_every_fiftieth_failure() {
        let throttle = LoginThrottle::default();
        let told: Vec<u32> = (0..120_u8)
            .filter_map(|number| {
                throttle.count(from(number), "anna", Time(0)).ok().and_then(|()| throttle.many("anna"))
            })
            .collect();
        assert_eq!(told, [50, 100]);
        assert!(throttle.many("ben").is_none());
    }

    #[test]
    fn the_owner_is_told_of_failures_that_come_at_once() {
        let throttle = LoginThrottle::default();
        let burst = |name| (0..70_u8).for_each(|number| throttle.count(from(number), name, Time(0)).unwrap());
        burst("anna");
        assert_eq!((throttle.many("anna"), throttle.many("anna")), (Some(70), None));
        (70..100).for_each(|number| throttle.count(from(number), "anna", Time(0)).unwrap());
        assert_eq!((throttle.many("anna"), throttle.many("anna")), (Some(100), None));
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
    fn what_is_taken_back_does_not_count() {
        let throttle = LoginThrottle::default();
        for _ in 0..9 {
            throttle.count(from(1), "anna", Time(0)).unwrap();
        }
        for _ in 0..50 {
            throttle.count(from(1), "anna", Time(0)).unwrap();
            throttle.take_back(from(1), "anna");
        }
        assert_eq!(throttle.lock().names.by_key["anna"].failures, 9);
        assert!(throttle.count(from(1), "anna", Time(0)).is_ok(), "the tenth");
        assert!(throttle.count(from(1), "anna", Time(0)).is_err(), "those before it were not forgiven");
    }

    #[test]
    fn a_signed_in_owner_leaves_the_count_of_strangers_alone() {
        let throttle = LoginThrottle::default();
        let owner = RateLimitKey::Account(AccountId(Uuid::nil()));
        throttle.count(from(1), "anna", Time(0)).unwrap();
        throttle.count(owner, "anna", Time(0)).unwrap();
        throttle.forgive(owner, "anna");
        assert_eq!(throttle.lock().names.by_key["anna"].failures, 1);
    }

    #[test]
    fn pairs_are_forgotten_in_time() {
        let throttle = LoginThrottle::default();
        for number in 0..CROWDED {
            throttle.count(from(1), &number.to_string(), Time(0)).unwrap();
        }
        throttle.count(from(1), "anna", Time(300_000)).unwrap();
        assert_eq!(throttle.lock().pairs.by_key.len(), 1);
    }
}
