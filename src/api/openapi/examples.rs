//! Examples of requests and answers, recorded by a test, and of webhook messages. They are one compressed file inside
//! the program.

use std::collections::HashMap;

use flate2::read::GzDecoder;
use serde_json::{Map, Value, json};

/// `operations`: by id, named examples of `requests`, and of `responses` by media type. `events`: one of each type.
const FILE: &[u8] = include_bytes!("../../../openapi/examples.json.gz");
const EXAMPLES: &str = "#/components/examples/";

/// Adds the examples to the document. Those of answers become components, since openapi-generator warns of any others,
/// and equal answers of two operations are stored once. Sorted by their schemas, they compress better.
pub fn add(document: &mut Value) {
    // An unreadable file yields no examples, which a test detects.
    let text = std::io::read_to_string(GzDecoder::new(FILE)).unwrap_or_default();
    let kept: Value = serde_json::from_str(&text).unwrap_or_default();
    // In 3.0 the siblings of a reference are ignored.
    let mut answers = Answers { with_summary: document["openapi"] != "3.0.3", ..Answers::default() };
    let items = document["paths"].as_object_mut().into_iter().flat_map(Map::values_mut);
    for operation in items.flat_map(|item| item.as_object_mut().into_iter().flat_map(Map::values_mut)) {
        let id = operation["operationId"].as_str().unwrap_or_default().to_owned();
        let Some(examples) = kept["operations"].get(&id) else { continue };
        if let Some(requests) = examples["requests"].as_object().filter(|requests| !requests.is_empty()) {
            operation["requestBody"]["content"]["application/json"]["examples"] = Value::Object(requests.clone());
        }
        let responses = operation["responses"].as_object_mut().into_iter().flatten();
        for (_, response) in responses.filter(|(status, _)| status.starts_with('2')) {
            for (media_type, named) in examples["responses"].as_object().into_iter().flatten() {
                if let Some(content) = response["content"].get_mut(media_type) {
                    answers.show(&id, media_type, content, named);
                }
            }
        }
    }
    document["components"]["examples"] = Value::Object(answers.components);
    let webhooks = document.get_mut("webhooks").and_then(Value::as_object_mut);
    for (kind, webhook) in webhooks.into_iter().flatten() {
        if let Some(event) = kept["events"].get(kind) {
            // A webhook gets the event of the log in its envelope.
            let message = json!({ "type": kind, "timestamp": event["at"], "data": event });
            let examples = json!({ "event": { "summary": "The event, in its envelope.", "value": message } });
            webhook["post"]["requestBody"]["content"]["application/json"]["examples"] = examples;
        }
    }
}

#[derive(Default)]
struct Answers {
    components: Map<String, Value>,
    /// The component, by schema and value (in 3.0 also by summary).
    known: HashMap<(String, String), String>,
    /// True if a reference may have a summary of its own.
    with_summary: bool,
}

impl Answers {
    /// Adds references to named examples to a media type.
    fn show(&mut self, operation: &str, media_type: &str, content: &mut Value, named: &Value) {
        let schema = content["schema"]["$ref"].as_str().unwrap_or(media_type);
        let schema = schema.rsplit('/').next().unwrap_or_default().to_owned();
        let mut references = Map::new();
        for (name, example) in named.as_object().into_iter().flatten() {
            let same = if self.with_summary { &example["value"] } else { example };
            let known = self.known.entry((schema.clone(), same.to_string()));
            let component = known.or_insert_with(|| format!("{schema}-{operation}-{name}")).clone();
            let mut reference = json!({ "$ref": format!("{EXAMPLES}{component}") });
            let shown = self.components.entry(component).or_insert_with(|| example.clone());
            if self.with_summary && shown["summary"] != example["summary"] {
                reference["summary"] = example["summary"].clone();
            }
            references.insert(name.clone(), reference);
        }
        content["examples"] = Value::Object(references);
    }
}
