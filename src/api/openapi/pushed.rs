//! Messages that the service sends on its own: the webhook message for each type of event (Standard Webhooks), and the
//! items of a stream.

use serde_json::{Map, Value, json};

use super::shapes::PREFIX;

/// Adds the descriptions of webhook messages and of stream items.
pub fn add(document: &mut Value) {
    let mapping = document["components"]["schemas"]["AccountEvent"]["discriminator"]["mapping"].clone();
    let kinds = mapping.as_object().into_iter().flatten();
    // The first line of a stream is in no log, and is not sent to webhooks.
    let sent = kinds.filter(|(kind, _)| !matches!(kind.as_str(), "snapshot" | "unreadable"));
    let webhooks: Map<String, Value> = sent
        .map(|(kind, event)| {
            let name = event.as_str().and_then(|event| event.strip_prefix(PREFIX)).unwrap_or_default();
            let description = document["components"]["schemas"][name]["description"].as_str().unwrap_or_default();
            (kind.clone(), json!({ "post": message(kind, event, description) }))
        })
        .collect();
    document["webhooks"] = Value::Object(webhooks);
    for (name, parameter) in headers() {
        document["components"]["parameters"][name] = parameter;
    }
    stream_items(document);
}

/// The components that only webhooks and streams use. OpenAPI 3.0 has no place for them.
pub const PARAMETERS: [&str; 3] = ["WebhookMessageId", "WebhookTimestamp", "WebhookSignature"];

/// The key, in a media type, of the schema of a stream's items; OpenAPI 3.2 calls it `itemSchema`.
pub const ITEMS: &str = "x-itemSchema";

/// The webhook request for an event.
fn message(kind: &str, event: &Value, description: &str) -> Value {
    let summary = description.split_inclusive(['.', ':', ';']).next().unwrap_or(description);
    let parameters: Vec<Value> =
        PARAMETERS.iter().map(|name| json!({ "$ref": format!("#/components/parameters/{name}") })).collect();
    json!({
        "operationId": format!("receive_{}", kind.replace('-', "_")),
        "tags": ["webhooks"],
        "summary": summary.trim_end_matches(['.', ':', ';']),
        "description": description,
        "security": [],
        "parameters": parameters,
        "requestBody": { "required": true, "description": "The event, in its envelope.", "content": { "application/json": { "schema": {
            "type": "object",
            "required": ["type", "timestamp", "data"],
            "properties": {
                "type": { "type": "string", "enum": [kind], "description": "The type of the event." },
                "timestamp": { "$ref": format!("{PREFIX}Timestamp") },
                "data": { "$ref": event },
            },
        } } } },
        "responses": {
            "2XX": { "description": "It was received. The body of the answer is not read." },
            "410": { "description": "The receiver wants no more: the webhook is disabled." },
            "default": { "description": "It was not received, and is sent again later, with growing pauses." },
        },
    })
}

/// The headers of a message, by the names of their components.
fn headers() -> [(&'static str, Value); 3] {
    let header = |name: &str, description: &str, schema: Value| json!({ "name": name, "in": "header", "required": true, "description": description, "schema": schema });
    let [id, timestamp, signature] = PARAMETERS;
    [
        (
            id,
            header(
                "webhook-id",
                "Names the message: the same for every attempt. Handle each id once.",
                json!({ "type": "string", "minLength": 1, "maxLength": 80, "pattern": "^[a-z0-9_]+$" }),
            ),
        ),
        (
            timestamp,
            header(
                "webhook-timestamp",
                "When this attempt was made, in seconds since 1970. Refuse what is older than five minutes.",
                json!({ "type": "integer", "format": "int64", "minimum": 0, "maximum": 9_007_199_254_740_991_i64 }),
            ),
        ),
        (
            signature,
            header(
                "webhook-signature",
                "`v1,` and the base64 of HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}`, by the bytes that the secret has behind `whsec_`, in base64. For a day after the secret was rotated there are two, with a space between them.",
                json!({ "type": "string", "minLength": 47, "maxLength": 200, "pattern": "^v1,[A-Za-z0-9+/=]+( v1,[A-Za-z0-9+/=]+)*$" }),
            ),
        ),
    ]
}

/// Adds the schemas of the items in streams of events.
fn stream_items(document: &mut Value) {
    let event = json!({ "$ref": format!("{PREFIX}AccountEvent") });
    let frame = json!({
        "type": "object",
        "description": "A frame of server-sent events (WHATWG HTML).",
        "required": ["id", "event", "data"],
        "properties": {
            "id": { "type": "string", "maxLength": 25, "pattern": "^[a-z2-9]{8}-[0-9]{1,16}$", "description": "The cursor behind the event: an `EventSource` sends it as `Last-Event-ID`." },
            "event": { "type": "string", "maxLength": 40, "pattern": "^[a-z-]+$", "description": "The `type` of the event." },
            "data": { "type": "string", "contentMediaType": "application/json", "contentSchema": event, "description": "The event, in JSON on one line." },
        },
    });
    let content = &mut document["paths"]["/v1/events"]["get"]["responses"]["200"]["content"];
    for (media_type, items) in [("text/event-stream", frame), ("application/x-ndjson", event)] {
        if let Some(content) = content.get_mut(media_type) {
            content[ITEMS] = items;
        }
    }
}
