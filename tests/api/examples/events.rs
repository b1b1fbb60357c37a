//! Examples of webhook deliveries: one event of each type, as stored in an account's log.
//!
//! `BROADSIDE_WRITE_EVENTS=match-ended,match-began cargo test --test api` rewrites those of these types, from the first
//! ones that the tests read. The contract's tests check that each type has an example that fits its schema.

use std::collections::BTreeSet;
use std::sync::{LazyLock, Mutex};

use serde_json::Value;

use super::file;

/// The requested types that were not read yet.
static WANTED: LazyLock<Mutex<BTreeSet<String>>> = LazyLock::new(|| {
    let wanted = std::env::var("BROADSIDE_WRITE_EVENTS").unwrap_or_default();
    Mutex::new(wanted.split(',').map(str::to_owned).collect())
});

/// Keeps the first event of each requested type.
pub fn keep(events: &[Value]) {
    let is_wanted = |event: &&Value| WANTED.lock().unwrap().remove(event["type"].as_str().unwrap());
    for event in events.iter().filter(is_wanted) {
        file::change("events", |kept| {
            kept.insert(event["type"].as_str().unwrap().to_owned(), event.clone());
        });
    }
}
