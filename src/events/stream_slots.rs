//! Limits the number of waiting readers (streams and long polls) of one account on this node.
//!
//! A slot is returned when its holder is dropped: when the connection breaks or the stream ends.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::{Error, Result, problem};
use crate::ids::AccountId;

/// The most readers that may wait for one account at once.
pub const MAX_PER_ACCOUNT: u32 = 10;
/// In seconds; by then a silently vanished client has usually been noticed.
const RETRY_AFTER_S: u64 = 30;

/// The number of waiting readers of each account.
#[derive(Clone, Default)]
pub struct StreamSlots(Arc<Mutex<HashMap<AccountId, u32>>>);

impl StreamSlots {
    /// Takes a slot. Fails with `too-many-streams` when none is free.
    pub fn take(&self, account: AccountId) -> Result<StreamSlot> {
        let mut taken = self.lock();
        let count = taken.entry(account).or_default();
        if *count >= MAX_PER_ACCOUNT {
            let detail = format!(
                "{MAX_PER_ACCOUNT} streams or waiting requests of this account are open on this server: close one."
            );
            return Err(Error::new(&problem::TOO_MANY_STREAMS, detail).retry_after(RETRY_AFTER_S));
        }
        *count += 1;
        metrics::gauge!("event_readers").increment(1);
        Ok(StreamSlot { account, slots: self.clone() })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<AccountId, u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The slot of a waiting reader, returned when dropped.
pub struct StreamSlot {
    account: AccountId,
    slots: StreamSlots,
}

impl Drop for StreamSlot {
    fn drop(&mut self) {
        let mut taken = self.slots.lock();
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
        let (slots, [anna, ben]) = (StreamSlots::default(), [1, 2].map(|n| AccountId(Uuid::from_u128(n))));
        let mut held: Vec<StreamSlot> = (0..MAX_PER_ACCOUNT).map(|_| slots.take(anna).unwrap()).collect();
        assert_eq!(slots.take(anna).err().unwrap().problem().code, "too-many-streams");
        slots.take(ben).unwrap();
        held.pop();
        held.push(slots.take(anna).unwrap());
        assert!(slots.take(anna).is_err());
        drop(held);
        assert!(slots.lock().is_empty());
    }
}
