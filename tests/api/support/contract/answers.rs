//! Checks answers against the document: status, headers, media type and body.

use std::borrow::Cow;
use std::io::Read;

use flate2::read::GzDecoder;
use serde_json::Value;

use super::operations::escaped;
use super::{CONTRACT, Operation, Received};

/// General HTTP and browser headers with their usual meaning, which the document leaves out.
const GENERAL: [&str; 14] = [
    "allow",
    "cache-control",
    "connection",
    "content-encoding",
    "content-language",
    "content-length",
    "content-security-policy",
    "content-type",
    "date",
    "referrer-policy",
    "transfer-encoding",
    "vary",
    "x-accel-buffering",
    "x-content-type-options",
];

/// Deviations from the document.
pub fn faults(operation: &Operation, received: Received<'_>) -> Vec<String> {
    let Some((place, response)) = CONTRACT.at(&format!("{}/responses/{}", operation.place, received.status)) else {
        return vec![format!("the status {} is not documented", received.status)];
    };
    let mut faults = faults_of_headers(&place, response, received);
    faults.extend(faults_of_body(&place, response, received));
    faults
}

fn faults_of_headers(place: &str, response: &Value, received: Received<'_>) -> Vec<String> {
    let documented = |name: &str| {
        let names = response["headers"].as_object().into_iter().flat_map(|headers| headers.keys());
        names.into_iter().find(|known| known.eq_ignore_ascii_case(name)).cloned()
    };
    let mut faults = Vec::new();
    for (name, value) in received.headers {
        match documented(name).and_then(|name| CONTRACT.at(&format!("{place}/headers/{name}"))) {
            Some((place, _)) => {
                let wrong = CONTRACT.faults_of_text(&format!("{place}/schema"), value);
                faults.extend(wrong.into_iter().map(|fault| format!("header {name}: {fault}")));
            }
            None if GENERAL.contains(&name.as_str()) || name.starts_with("access-control-") => {}
            None => faults.push(format!("the header {name} is not documented")),
        }
    }
    faults
}

fn faults_of_body(place: &str, response: &Value, received: Received<'_>) -> Vec<String> {
    let given = received.headers.iter().find(|(name, _)| name == "content-type");
    let media_type = given.map_or("", |(_, value)| value.split(';').next().unwrap_or_default());
    let is_empty = received.body.is_none_or(<[u8]>::is_empty);
    if response["content"].is_null() {
        return if is_empty { Vec::new() } else { vec!["no body is documented".to_owned()] };
    }
    let place = format!("{place}/content/{}", escaped(media_type));
    if CONTRACT.at(&place).is_none() {
        return vec![format!("the media type {media_type:?} is not documented")];
    }
    let Some(body) = received.body else { return Vec::new() };
    let body = plain(received.headers, body);
    let value = match media_type == "application/json" || media_type.ends_with("+json") {
        true => serde_json::from_slice(&body).ok(),
        false => String::from_utf8(body.into_owned()).ok().map(Value::String),
    };
    match value {
        Some(value) => CONTRACT.schemas.faults(&format!("{place}/schema"), &value),
        None => vec![format!("the body is no {media_type}")],
    }
}

/// The decompressed bytes of a body.
pub fn plain<'a>(headers: &[(String, String)], body: &'a [u8]) -> Cow<'a, [u8]> {
    if !headers.iter().any(|(name, value)| name == "content-encoding" && value.eq_ignore_ascii_case("gzip")) {
        return body.into();
    }
    let mut plain = Vec::new();
    GzDecoder::new(body).read_to_end(&mut plain).unwrap();
    plain.into()
}
