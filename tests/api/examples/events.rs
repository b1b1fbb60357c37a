//! Examples of what webhooks are sent: one event of each type, as it stands in an account's log.
//!
//! `BROADSIDE_WRITE_EVENTS=1 cargo test --test api` writes those that are missing, as the tests read them. Delete a
//! file to have it anew. That each type has one, and that it is as its schema says, is a test of the contract.

use std::path::Path;

use serde_json::Value;

/// Where they are.
pub const FOLDER: &str = "openapi/examples/webhooks";

/// Keeps the first event of each type.
pub fn keep(events: &[Value]) {
    if std::env::var_os("BROADSIDE_WRITE_EVENTS").is_none() {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER);
    std::fs::create_dir_all(&folder).unwrap();
    for event in events {
        let file = folder.join(format!("{}.json", event["type"].as_str().unwrap()));
        if !file.exists() {
            std::fs::write(file, format!("{event:#}\n")).unwrap();
        }
    }
}
