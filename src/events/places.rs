//! Places: how many readers of one account may wait on this node at once, streams and waiting pages alike.
//!
//! A place goes with what holds it: whoever is dropped, since his connection broke or his stream ended, has given it back.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::{Error, Result, problem};
use crate::ids::AccountId;

/// So many may wait for one account at once.
pub const AT_MOST: u32 = 10;
/// A client that vanished without a word is noticed by then, as a rule.
const TRY_AGAIN_S: u64 = 30;

/// Who waits, by account.
#[derive(Clone, Default)]
pub struct Places(Arc<Mutex<HashMap<AccountId, u32>>>);

impl Places {
    /// A place for one more. Fails with `too-many-streams`.
    pub fn take(&self, account: AccountId) -> Result<Place> {
        let mut taken = self.lock();
        let count = taken.entry(account).or_default();
        if *count >= AT_MOST {
            let detail =
                format!("{AT_MOST} streams or waiting requests of this account are open on this server: close one.");
            return Err(Error::new(&problem::TOO_MANY_STREAMS, detail).retry_after(TRY_AGAIN_S));
        }
        *count += 1;
        metrics::gauge!("event_readers").increment(1);
        Ok(Place { account, places: self.clone() })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<AccountId, u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The place of one who waits.
pub struct Place {
    account: AccountId,
    places: Places,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.lock();
        if let Some(count) = taken.get_mut(&self.account) {
            *count -= 1;
            if *count == 0 {
                taken.remove(&self.account);
            }
        }
        metrics::gauge!("event_readers").decrement(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn a_place_comes_back_with_whoever_held_it() {
        let (places, [anna, ben]) = (Places::default(), [1, 2].map(|n| AccountId(Uuid::from_u128(n))));
        let mut held: Vec<Place> = (0..AT_MOST).map(|_| places.take(anna).unwrap()).collect();
        assert_eq!(places.take(anna).err().unwrap().problem().code, "too-many-streams");
        places.take(ben).unwrap();
        held.pop();
        held.push(places.take(anna).unwrap());
        assert!(places.take(anna).is_err());
        drop(held);
        assert!(places.lock().is_empty());
    }
}
