//! How many webhooks a node works on at once: bounded in all, for each host, for each account, and for those that fail or are slow, so that slow and dead targets leave room for the others.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::deliver::Claim;
use crate::ids::AccountId;

/// So many webhooks are worked on at once by one node,
const PLACES: usize = 32;
/// so many of them failing or slow ones,
const PLACES_FOR_SUSPECT: usize = 8;
/// so many of one host,
pub(super) const OF_A_HOST: i32 = 4;
/// and so many of one account, since hosts have as many names as somebody likes.
pub(super) const OF_AN_ACCOUNT: i32 = 4;
/// Who is at work on this node.
#[derive(Clone, Default)]
pub struct Slots(Arc<Mutex<Taken>>);

#[derive(Default)]
struct Taken {
    hosts: HashMap<String, i32>,
    accounts: HashMap<AccountId, i32>,
    all: usize,
    suspect: usize,
}

impl Slots {
    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many more there is room for: suspect ones, or all.
    pub(super) fn room(&self, suspect: bool) -> usize {
        let taken = self.lock();
        let all = PLACES.saturating_sub(taken.all);
        if suspect { all.min(PLACES_FOR_SUSPECT.saturating_sub(taken.suspect)) } else { all }
    }

    /// How many of each host are worked on.
    pub(super) fn hosts(&self) -> Vec<(String, i32)> {
        self.lock().hosts.iter().map(|(host, count)| (host.clone(), *count)).collect()
    }

    /// How many of each account are worked on.
    pub(super) fn accounts(&self) -> Vec<(AccountId, i32)> {
        self.lock().accounts.iter().map(|(account, count)| (*account, *count)).collect()
    }

    /// Takes a slot.
    pub(super) fn enter(&self, claim: &Claim) -> Slot {
        let (host, account, suspect) = (claim.host.clone(), claim.account, claim.suspect);
        let mut taken = self.lock();
        *taken.hosts.entry(host.clone()).or_default() += 1;
        *taken.accounts.entry(account).or_default() += 1;
        taken.all += 1;
        taken.suspect += usize::from(suspect);
        Slot { slots: self.clone(), host, account, suspect }
    }
}

/// A slot at work; given back when it is dropped.
pub(super) struct Slot {
    slots: Slots,
    host: String,
    account: AccountId,
    suspect: bool,
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut taken = self.slots.lock();
        taken.all -= 1;
        taken.suspect -= usize::from(self.suspect);
        leave(&mut taken.hosts, &self.host);
        leave(&mut taken.accounts, &self.account);
    }
}

/// One fewer; who has none is forgotten.
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
    use crate::ids::WebhookId;
    use uuid::Uuid;

    fn claim(account: u128, host: &str, suspect: bool) -> Claim {
        let (account, webhook) = (AccountId(Uuid::from_u128(account)), WebhookId(Uuid::nil()));
        Claim { account, webhook, host: host.to_owned(), suspect, holder: Uuid::nil() }
    }

    #[test]
    fn failing_webhooks_leave_places_for_the_others() {
        let slots = Slots::default();
        let failing = (0..PLACES_FOR_SUSPECT as u128).map(|n| slots.enter(&claim(n, &n.to_string(), true)));
        let failing: Vec<Slot> = failing.collect();
        assert_eq!((slots.room(true), slots.room(false)), (0, PLACES - PLACES_FOR_SUSPECT));
        let one = slots.enter(&claim(100, "a", false));
        let _two = slots.enter(&claim(100, "a", false));
        let hundred = AccountId(Uuid::from_u128(100));
        assert!(slots.hosts().contains(&("a".to_owned(), 2)) && slots.accounts().contains(&(hundred, 2)));
        drop(one);
        assert!(slots.hosts().contains(&("a".to_owned(), 1)) && slots.accounts().contains(&(hundred, 1)));
        drop(failing);
        assert_eq!((slots.room(true), slots.room(false)), (PLACES_FOR_SUSPECT, PLACES - 1));
        assert_eq!((slots.hosts().len(), slots.accounts().len()), (1, 1));
    }
}
