//! Discrepancies in a record: JSON compared place by place with the expected JSON. It knows no game.
use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::fmt;

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

/// A discrepancy in a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Discrepancy {
    /// JSON Pointer (RFC 6901); empty for the whole.
    pub pointer: String,
    /// A stable kebab-case code.
    pub code: &'static str,
    /// The discrepancy in English, for people.
    pub detail: String,
}

impl Discrepancy {
    pub(super) fn new(pointer: impl Into<String>, code: &'static str, detail: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), code, detail: detail.into() }
    }
}

impl fmt::Display for Discrepancy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = if self.pointer.is_empty() { "the record" } else { &self.pointer };
        write!(f, "at {at}: {} ({})", self.detail, self.code)
    }
}

pub(super) fn note(
    discrepancies: &mut Vec<Discrepancy>,
    pointer: impl Into<String>,
    code: &'static str,
    detail: impl Into<String>,
) {
    discrepancies.push(Discrepancy::new(pointer, code, detail));
}

pub(super) fn field<T: DeserializeOwned>(value: &Value, pointer: &str) -> Result<T, Discrepancy> {
    T::deserialize(value).map_err(|error| Discrepancy::new(pointer, "record-malformed", error.to_string()))
}

/// Reads a part that must be written back exactly as it stands: no other spelling is accepted.
pub(super) fn same<T: DeserializeOwned + Serialize>(
    value: &Value,
    pointer: &str,
    discrepancies: &mut Vec<Discrepancy>,
) -> Option<T> {
    match field::<T>(value, pointer) {
        Err(discrepancy) => {
            discrepancies.push(discrepancy);
            None
        }
        Ok(read) => {
            let again = serde_json::to_value(&read).unwrap_or_default();
            differences(pointer, &again, value, discrepancies);
            Some(read)
        }
    }
}

/// Notes the first places in which a part differs from the expected one.
pub(super) fn differences(pointer: &str, expected: &Value, found: &Value, discrepancies: &mut Vec<Discrepancy>) {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => {
            for (name, value) in expected {
                let at = crate::read::pointer(pointer, name);
                match found.get(name) {
                    Some(other) => differences(&at, value, other, discrepancies),
                    None => discrepancies.push(Discrepancy::new(at, "record-altered", "it is missing")),
                }
            }
            for name in found.keys().filter(|name| !expected.contains_key(*name)) {
                discrepancies.push(Discrepancy::new(
                    crate::read::pointer(pointer, name),
                    "record-altered",
                    "it should not be there",
                ));
            }
        }
        (Value::Array(expected), Value::Array(found)) if expected.len() == found.len() => {
            for (index, (value, other)) in expected.iter().zip(found).enumerate() {
                differences(&format!("{pointer}/{index}"), value, other, discrepancies);
            }
        }
        _ if expected == found => {}
        _ => {
            let detail = format!("it should be {}", short(expected));
            discrepancies.push(Discrepancy::new(pointer, "record-altered", detail));
        }
    }
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 80 { text } else { text.chars().take(79).chain(['…']).collect() }
}
