//! Limits on the targets of a kind that a node works on at once: in total, per host, per account, and for failing or
//! slow ones, so that slow and dead targets leave room for the others.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::ids::AccountId;

/// Most targets of a kind worked on at once by a node.
const MAX_ACTIVE: usize = 32;
/// Most failing or slow ones among them.
const MAX_SUSPECT: usize = 8;
/// Most of one account among them, because one server can have many host names. (The limit per host depends on the
/// kind.)
pub(super) const PER_ACCOUNT: i32 = 4;

#[derive(Clone, Default)]
pub struct Slots(Arc<Mutex<ActiveCounts>>);

#[derive(Default)]
struct ActiveCounts {
    hosts: HashMap<String, i32>,
    accounts: HashMap<AccountId, i32>,
    all: usize,
    suspect: usize,
}

impl Slots {
    fn lock(&self) -> MutexGuard<'_, ActiveCounts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of free slots: for suspect targets, or for all.
    pub(super) fn room(&self, suspect: bool) -> usize {
        let active = self.lock();
        let all = MAX_ACTIVE.saturating_sub(active.all);
        if suspect { all.min(MAX_SUSPECT.saturating_sub(active.suspect)) } else { all }
    }

    /// The number of targets worked on, by host.
    pub(super) fn hosts(&self) -> Vec<(String, i32)> {
        self.lock().hosts.iter().map(|(host, count)| (host.clone(), *count)).collect()
    }

    /// The number of targets worked on, by account.
    pub(super) fn accounts(&self) -> Vec<(AccountId, i32)> {
        self.lock().accounts.iter().map(|(account, count)| (*account, *count)).collect()
    }

    pub(super) fn take(&self, host: String, account: AccountId, suspect: bool) -> Slot {
        let mut active = self.lock();
        *active.hosts.entry(host.clone()).or_default() += 1;
        *active.accounts.entry(account).or_default() += 1;
        active.all += 1;
        active.suspect += usize::from(suspect);
        Slot { slots: self.clone(), host, account, suspect }
    }
}

/// A slot in use; dropping it frees it.
pub(super) struct Slot {
    slots: Slots,
    host: String,
    account: AccountId,
    suspect: bool,
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut active = self.slots.lock();
        active.all -= 1;
        active.suspect -= usize::from(self.suspect);
        leave(&mut active.hosts, &self.host);
        leave(&mut active.accounts, &self.account);
    }
}

/// Decrements a count, and removes keys at zero.
fn leave<K: Hash + Eq>(counts: &mut HashMap<K, i32>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn take(slots: &Slots, account: u128, host: &str, suspect: bool) -> Slot {
        slots.take(host.to_owned(), AccountId(Uuid::from_u128(account)), suspect)
    }

    #[test]
    fn failing_targets_leave_places_for_the_others() {
        let slots = Slots::default();
        let failing = (0..MAX_SUSPECT as u128).map(|n| take(&slots, n, &n.to_string(), true));
        let failing: Vec<Slot> = failing.collect();
        assert_eq!((slots.room(true), slots.room(false)), (0, MAX_ACTIVE - MAX_SUSPECT));
        let one = take(&slots, 100, "a", false);
        let _two = take(&slots, 100, "a", false);
        let hundred = AccountId(Uuid::from_u128(100));
        assert!(slots.hosts().contains(&("a".to_owned(), 2)) && slots.accounts().contains(&(hundred, 2)));
        drop(one);
        assert!(slots.hosts().contains(&("a".to_owned(), 1)) && slots.accounts().contains(&(hundred, 1)));
        drop(failing);
        assert_eq!((slots.room(true), slots.room(false)), (MAX_SUSPECT, MAX_ACTIVE - 1));
        assert_eq!((slots.hosts().len(), slots.accounts().len()), (1, 1));
    }
}
