//! How many webhooks a node works on at once: bounded in all, for each host, and for those that fail, so that slow and dead targets leave room for the others.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// So many webhooks are worked on at once by one node,
const PLACES: usize = 32;
/// so many of them failing ones, which mostly wait for nothing,
const PLACES_FOR_FAILING: usize = 8;
/// and so many of one host.
pub(super) const OF_A_HOST: i32 = 4;
/// Who is at work on this node.
#[derive(Clone, Default)]
pub struct Places(Arc<Mutex<Taken>>);

#[derive(Default)]
struct Taken {
    hosts: HashMap<String, i32>,
    all: usize,
    failing: usize,
}

impl Places {
    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many more there is room for: failing ones, or others.
    pub(super) fn room(&self, failing: bool) -> usize {
        let taken = self.lock();
        let all = PLACES.saturating_sub(taken.all);
        if failing { all.min(PLACES_FOR_FAILING.saturating_sub(taken.failing)) } else { all }
    }

    /// How many of each host are worked on.
    pub(super) fn hosts(&self) -> Vec<(String, i32)> {
        self.lock().hosts.iter().map(|(host, count)| (host.clone(), *count)).collect()
    }

    /// Takes a place.
    pub(super) fn enter(&self, host: &str, failing: bool) -> Place {
        let mut taken = self.lock();
        *taken.hosts.entry(host.to_owned()).or_default() += 1;
        taken.all += 1;
        taken.failing += usize::from(failing);
        Place { places: self.clone(), host: host.to_owned(), failing }
    }
}

/// A place at work; given back when it is dropped.
pub(super) struct Place {
    places: Places,
    host: String,
    failing: bool,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.lock();
        taken.all -= 1;
        taken.failing -= usize::from(self.failing);
        if let Some(count) = taken.hosts.get_mut(&self.host) {
            *count -= 1;
            if *count == 0 {
                taken.hosts.remove(&self.host);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failing_webhooks_leave_places_for_the_others() {
        let places = Places::default();
        let failing: Vec<Place> = (0..PLACES_FOR_FAILING).map(|n| places.enter(&n.to_string(), true)).collect();
        assert_eq!((places.room(true), places.room(false)), (0, PLACES - PLACES_FOR_FAILING));
        let one = places.enter("a", false);
        let _two = places.enter("a", false);
        assert!(places.hosts().contains(&("a".to_owned(), 2)));
        drop(one);
        assert!(places.hosts().contains(&("a".to_owned(), 1)));
        drop(failing);
        assert_eq!((places.room(true), places.room(false)), (PLACES_FOR_FAILING, PLACES - 1));
        assert_eq!(places.hosts().len(), 1);
    }
}
