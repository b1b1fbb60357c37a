//! Checks the tests' exchanges against the OpenAPI document: an undocumented exchange fails its test.
//!
//! Path, method, status, media type, headers and body of each answer must be in the document, without undocumented
//! fields (the document leaves answers open, so that fields may be added). A successful request must be allowed by the
//! document, or the document promises less than the service does.

mod answers;
mod operations;
mod problems;
mod requests;
mod schemas;

use std::sync::LazyLock;

use actix_http::{Payload, Request};
use actix_web::HttpMessage;
use actix_web::http::header::HeaderValue;
use actix_web::web::Bytes;
use broadside::api::openapi::{self, Version};
use futures_util::StreamExt;
use serde_json::Value;

use operations::{Operation, Operations};
pub use problems::{DETAIL, SEEN, listed};
use schemas::Schemas;

struct Contract {
    document: &'static Value,
    operations: Operations,
    schemas: Schemas,
}

static CONTRACT: LazyLock<Contract> = LazyLock::new(|| {
    let document = openapi::document();
    Contract { document, operations: Operations::of(document), schemas: Schemas::of(document) }
});

impl Contract {
    /// The value at `place` and its actual place, with references resolved.
    fn at(&self, place: &str) -> Option<(String, &'static Value)> {
        let value = self.document.pointer(place)?;
        match value["$ref"].as_str() {
            Some(reference) => self.at(reference.strip_prefix('#')?),
            None => Some((place.to_owned(), value)),
        }
    }

    /// Faults of a text, such as a header's value, by the schema at `place`.
    fn faults_of_text(&self, place: &str, text: &str) -> Vec<String> {
        let kind = self.at(place).map(|(_, schema)| schema["type"].clone()).unwrap_or_default();
        let value = match kind.as_str() {
            Some("integer" | "number" | "boolean") => serde_json::from_str(text).ok(),
            _ => None,
        };
        self.schemas.faults(place, &value.unwrap_or_else(|| Value::String(text.to_owned())))
    }
}

pub struct Sent {
    pub method: String,
    /// Path and query.
    pub target: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// A received answer.
#[derive(Clone, Copy)]
pub struct Received<'a> {
    pub status: u16,
    pub headers: &'a [(String, String)],
    /// `None` for a streamed body.
    pub body: Option<&'a [u8]>,
}

impl Received<'_> {
    /// The problem document, or null.
    fn problem(&self) -> Value {
        let body = self.body.unwrap_or_default();
        serde_json::from_slice(&answers::plain(self.headers, body)).unwrap_or_default()
    }
}

impl Sent {
    /// The request, and a copy of its contents.
    pub async fn of(mut request: Request) -> (Request, Self) {
        let mut payload = request.take_payload();
        let mut body = Vec::new();
        while let Some(piece) = payload.next().await {
            body.extend_from_slice(&piece.unwrap());
        }
        let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let sent = Self {
            method: request.method().to_string(),
            target: request.uri().path_and_query().map_or_else(String::new, ToString::to_string),
            headers: request.headers().iter().map(|(name, value)| (name.to_string(), text(value))).collect(),
            body,
        };
        *request.payload() = Payload::from(Bytes::from(sent.body.clone()));
        (request, sent)
    }

    /// Panics if the document doesn't describe this exchange.
    pub fn check(&self, received: Received<'_>) {
        let faults = self.faults(received);
        let asked = format!("{} {} {}", self.method, self.target, String::from_utf8_lossy(&self.body));
        assert!(
            faults.is_empty(),
            "the OpenAPI document doesn't describe this exchange:\n{}\nwas answered {}: {}",
            asked.chars().take(2000).collect::<String>(),
            received.status,
            faults.join("\n")
        );
    }

    /// Deviations from the document.
    pub fn faults(&self, received: Received<'_>) -> Vec<String> {
        let path = self.path();
        let documented = CONTRACT.operations.find(&self.method, path);
        // Every GET implies a HEAD without a body.
        let (operation, received) = match documented {
            None if self.method == "HEAD" => {
                (CONTRACT.operations.find("GET", path), Received { body: None, ..received })
            }
            documented => (documented, received),
        };
        let Some(operation) = operation else { return self.faults_outside(received) };
        let mut faults = answers::faults(operation, received);
        match received.status {
            200..300 => faults.extend(requests::faults(operation, self)),
            400.. => faults.extend(problems::faults(operation, received.status, &received.problem())),
            _ => {}
        }
        faults
    }

    /// Faults of an answer without a documented operation: within the API only problems are allowed.
    fn faults_outside(&self, received: Received<'_>) -> Vec<String> {
        // Links in mails lead to pages.
        let is_page = !self.path().starts_with("/v1/") || self.path().starts_with("/v1/mail/");
        if is_page || self.method == "OPTIONS" {
            return Vec::new();
        }
        if received.status < 400 {
            return vec!["no such operation is documented".to_owned()];
        }
        if received.body.is_none() {
            return Vec::new();
        }
        CONTRACT.schemas.faults("/components/schemas/Problem", &received.problem())
    }

    fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }
}

/// The id of the requested operation.
pub fn operation_id(method: &str, target: &str) -> Option<&'static str> {
    let path = target.split('?').next().unwrap_or_default();
    CONTRACT.operations.find(method, path).map(|operation| operation.id)
}

/// The document as served, with its examples.
pub static SERVED: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(&openapi::served(Version::Current, true, None)).unwrap());

/// The target of a reference in this document; any other value itself.
pub fn resolved<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    match value["$ref"].as_str() {
        Some(reference) => resolved(document, document.pointer(reference.strip_prefix('#').unwrap()).unwrap()),
        None => value,
    }
}

/// The first example of a request's media type.
pub fn example(content: &Value) -> Option<Value> {
    content["examples"].as_object()?.values().next().map(|example| example["value"].clone())
}

/// Panics if this isn't an event as documented.
pub fn check_event(event: &Value) {
    let faults = CONTRACT.schemas.faults("/components/schemas/AccountEvent", event);
    assert!(faults.is_empty(), "the OpenAPI document doesn't describe this event: {event}\n{}", faults.join("\n"));
}

/// Panics if this isn't a webhook message as documented.
pub fn check_webhook(headers: &[(String, String)], body: &str) {
    let message: Value = serde_json::from_str(body).unwrap();
    let operation = Operation::of_webhook(message["type"].as_str().unwrap());
    let headers = headers.to_vec();
    let sent = Sent { method: "POST".to_owned(), target: "/".to_owned(), headers, body: body.as_bytes().to_vec() };
    let faults = requests::faults(&operation, &sent);
    assert!(faults.is_empty(), "the OpenAPI document doesn't describe this message: {body}\n{}", faults.join("\n"));
}

/// Faults of a value by the schema at this place of the document.
pub fn faults_at(place: &str, value: &Value) -> Vec<String> {
    CONTRACT.schemas.faults(place, value)
}
