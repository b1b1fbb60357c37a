//! The files of `openapi/examples`: written when that is asked for, and otherwise compared with what was seen.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Value, json};

use super::{Examples, shapes};

/// Writes or compares the examples. `receiver` is the address of the test's own receiver of webhooks.
pub fn compare(seen: &BTreeMap<String, Examples>, receiver: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi/examples");
    let shown = |examples: &Examples| {
        harmless(json!({ "requests": examples.requests, "responses": examples.responses }), receiver)
    };
    let is_empty = |examples: &Examples| examples.requests.is_empty() && examples.responses.is_empty();
    let seen = seen.iter().filter(|(_, examples)| !is_empty(examples));
    let seen: BTreeMap<String, Value> =
        seen.map(|(name, examples)| (format!("{name}.json"), shown(examples))).collect();
    let kept: BTreeSet<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".json"))
        .collect();
    if std::env::var_os("BROADSIDE_WRITE_EXAMPLES").is_some() {
        kept.iter().for_each(|name| std::fs::remove_file(folder.join(name)).unwrap());
        seen.iter().for_each(|(name, value)| std::fs::write(folder.join(name), format!("{value:#}\n")).unwrap());
        return;
    }
    let mut faults = Vec::new();
    for name in &kept {
        let Some(seen) = seen.get(name) else {
            faults.push(format!("{name}: nobody asks for it any more"));
            continue;
        };
        let kept: Value = serde_json::from_str(&std::fs::read_to_string(folder.join(name)).unwrap()).unwrap();
        faults.extend(shapes::faults(&kept, seen).into_iter().map(|fault| format!("{name}: {fault}")));
    }
    faults.extend(seen.keys().filter(|name| !kept.contains(*name)).map(|name| format!("{name} is missing")));
    assert!(
        faults.is_empty(),
        "run `BROADSIDE_WRITE_EXAMPLES=1 cargo test --test api examples::`, since openapi/examples has other shapes:\n{}",
        faults.join("\n")
    );
}

/// The same without what looks like a secret, or belongs to the test.
fn harmless(value: Value, receiver: &str) -> Value {
    match value {
        Value::Object(map) => map
            .into_iter()
            .map(|(key, value)| match key.as_str() {
                "json_schema" | "rule_set_schema" => (key, headed(value)),
                _ => (key, harmless(value, receiver)),
            })
            .collect(),
        Value::Array(list) => list.into_iter().map(|value| harmless(value, receiver)).collect(),
        Value::String(text) => Value::String(made_up(&text, receiver)),
        other => other,
    }
}

/// The first words of a JSON Schema: many tools follow a `$ref` wherever it is, in an example as well.
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
        // A token, or what a browser has signed, which is JSON in base64url.
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
