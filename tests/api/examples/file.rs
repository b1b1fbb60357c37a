//! The file of the examples, `openapi/examples.json.gz`: written on request, and otherwise compared with the recorded
//! exchanges.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Mutex;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::{Map, Value, json};

use super::{Examples, shapes};

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("openapi/examples.json.gz")
}

fn read() -> Value {
    let text = std::io::read_to_string(GzDecoder::new(std::fs::File::open(path()).unwrap())).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Changes a part of the file. Equal content gives equal bytes: gzip stores no time.
pub fn change(part: &str, change: impl FnOnce(&mut Map<String, Value>)) {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap();
    let mut all = read();
    change(all[part].as_object_mut().unwrap());
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(all.to_string().as_bytes()).unwrap();
    std::fs::write(path(), gzip.finish().unwrap()).unwrap();
}

/// Writes or compares the examples of operations. `receiver` is the address of the test's own webhook receiver.
pub fn compare(seen: &BTreeMap<String, Examples>, receiver: &str) {
    let shown = |examples: &Examples| {
        harmless(json!({ "requests": examples.requests, "responses": examples.responses }), receiver)
    };
    let is_empty = |examples: &Examples| examples.requests.is_empty() && examples.responses.is_empty();
    let seen = seen.iter().filter(|(_, examples)| !is_empty(examples));
    let seen: Map<String, Value> = seen.map(|(id, examples)| (id.clone(), shown(examples))).collect();
    if std::env::var_os("BROADSIDE_WRITE_EXAMPLES").is_some() {
        change("operations", |kept| *kept = seen);
        return;
    }
    let kept = read()["operations"].take();
    let mut faults = Vec::new();
    for (id, kept) in kept.as_object().unwrap() {
        match seen.get(id) {
            None => faults.push(format!("{id}: nobody asks for it any more")),
            Some(seen) => faults.extend(shapes::faults(kept, seen).into_iter().map(|fault| format!("{id}: {fault}"))),
        }
    }
    faults.extend(seen.keys().filter(|id| kept.get(id).is_none()).map(|id| format!("{id} is missing")));
    assert!(
        faults.is_empty(),
        "run `BROADSIDE_WRITE_EXAMPLES=1 cargo test --test api examples::`, since {} has other shapes:\n{}",
        path().display(),
        faults.join("\n")
    );
}

/// The same without secrets and test-specific values.
fn harmless(value: Value, receiver: &str) -> Value {
    match value {
        Value::Object(map) => {
            let has_name = map.contains_key("kid");
            let part = |(key, value): (String, Value)| {
                let text = value.as_str().unwrap_or_default();
                let value = match key.as_str() {
                    "json_schema" | "rule_set_schema" => headed(value),
                    // These don't depend on the seed. Keys of records have no name and stay, so that a record can be
                    // verified.
                    "kid" | "x" if has_name => json!(format!("{:-<43}", "made-up")),
                    "challenge" if text.len() == 43 => json!(format!("{:-<43}", "made-up")),
                    "signature" if text.len() > 90 => json!("MEUCIQCAAA"),
                    _ => harmless(value, receiver),
                };
                (key, value)
            };
            map.into_iter().map(part).collect()
        }
        Value::Array(list) => list.into_iter().map(|value| harmless(value, receiver)).collect(),
        Value::String(text) => Value::String(made_up(&text, receiver)),
        other => other,
    }
}

/// The start of a JSON Schema. It is shortened because many tools follow every `$ref`, even inside an example.
fn headed(schema: Value) -> Value {
    match schema {
        Value::Object(mut map) => {
            map.retain(|key, _| ["title", "description", "type", "required"].contains(&key.as_str()));
            Value::Object(map)
        }
        other => other,
    }
}

fn made_up(text: &str, receiver: &str) -> String {
    if text.starts_with("eyJ") {
        // A token, or signed data of a browser, which is JSON in base64url.
        return if text.contains('.') { "made-up.access.token" } else { "eyAidHlwZSI6ICJ3ZWJhdXRobiIgfQ" }.to_owned();
    }
    if text.starts_with("<?xml") {
        return "<?xml version=\"1.0\" standalone=\"yes\"?><svg xmlns=\"http://www.w3.org/2000/svg\"></svg>".to_owned();
    }
    for (prefix, kind) in [
        ("brt_", "refresh"),
        ("bst_", "personal"),
        ("bet_", "stream"),
        ("bpr_", "reset"),
        ("bsc_", "challenge"),
        ("bwc_", "passkey"),
    ] {
        if text.starts_with(prefix) {
            let words = format!("made-up-{kind}-token");
            return format!("{prefix}{words:-<43}");
        }
    }
    if text.starts_with("whsec_") {
        return format!("whsec_{:A<43}=", "MadeUpSecretOfAWebhook");
    }
    if let Some((before, secret)) = text.split_once("/v1/calendar/") {
        let (_, end) = secret.split_at(secret.find('.').unwrap());
        return format!("{}/v1/calendar/{:-<43}{end}", before.replace(".test", ".example"), "made-up-secret");
    }
    text.replace(receiver, "https://bot.example/broadside").replace("broadside.test", "broadside.example")
}
