//! Examples of requests and answers, as a test has sent and received them: files of `openapi/examples`, one for each
//! operation; and of what webhooks are sent, one for each type of event.

use rust_embed::Embed;
use serde_json::{Value, json};

#[derive(Embed)]
#[folder = "openapi/examples"]
struct Files;

/// Adds the examples to every operation that has some.
pub fn add(document: &mut Value) {
    let items = document["paths"].as_object_mut().into_iter().flat_map(|paths| paths.values_mut());
    for operation in items.flat_map(|item| item.as_object_mut().into_iter().flat_map(|item| item.values_mut())) {
        let name = format!("{}.json", operation["operationId"].as_str().unwrap_or_default());
        // A file that is no JSON has no examples, and a test says so.
        let file = Files::get(&name).and_then(|file| serde_json::from_slice::<Value>(&file.data).ok());
        if let Some(examples) = file {
            add_to(operation, &examples);
        }
    }
    for (kind, webhook) in document["webhooks"].as_object_mut().into_iter().flatten() {
        let file = Files::get(&format!("webhooks/{kind}.json"));
        if let Some(event) = file.and_then(|file| serde_json::from_slice::<Value>(&file.data).ok()) {
            // What is sent is the event of the log in its envelope.
            let message = json!({ "type": kind, "timestamp": event["at"], "data": event });
            let examples = json!({ "event": { "summary": "The event, in its envelope.", "value": message } });
            webhook["post"]["requestBody"]["content"]["application/json"]["examples"] = examples;
        }
    }
}

/// Adds named examples to the media types of an operation.
fn add_to(operation: &mut Value, examples: &Value) {
    if let Some(requests) = examples["requests"].as_object().filter(|requests| !requests.is_empty()) {
        let content = &mut operation["requestBody"]["content"]["application/json"];
        content["examples"] = Value::Object(requests.clone());
        if let Some(content) = content.as_object_mut() {
            content.remove("example");
        }
    }
    let responses = operation["responses"].as_object_mut().into_iter().flatten();
    for (_, response) in responses.filter(|(status, _)| status.starts_with('2')) {
        for (media_type, named) in examples["responses"].as_object().into_iter().flatten() {
            if let Some(content) = response["content"].get_mut(media_type) {
                content["examples"] = named.clone();
            }
        }
    }
}
