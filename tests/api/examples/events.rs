//! Examples of what webhooks are sent: one event of each type, as it stands in an account's log.
//!
//! `BROADSIDE_WRITE_EVENTS=match-ended,match-began cargo test --test api` writes those of these types anew, as the
//! tests read them first. That each type has one, and that it is as its schema says, is a test of the contract.

use std::collections::BTreeSet;
use std::sync::{LazyLock, Mutex};

use serde_json::Value;

use super::file;

/// The types that are asked for and were not read yet.
static WANTED: LazyLock<Mutex<BTreeSet<String>>> = LazyLock::new(|| {
    let wanted = std::env::var("BROADSIDE_WRITE_EVENTS").unwrap_or_default();
    Mutex::new(wanted.split(',').map(str::to_owned).collect())
});

/// Keeps the first event of each type that is asked for.
pub fn keep(events: &[Value]) {
    let is_wanted = |event: &&Value| WANTED.lock().unwrap().remove(event["type"].as_str().unwrap());
    for event in events.iter().filter(is_wanted) {
        file::change("events", |kept| {
            kept.insert(event["type"].as_str().unwrap().to_owned(), event.clone());
        });
    }
}
