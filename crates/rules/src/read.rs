//! Reading JSON by hand, so that every fault is named at its place. Knows JSON only, no rule.
use alloc::{format, string::String, vec::Vec};

use serde::Serialize;
use serde_json::{Map, Value};

use crate::illegal::Fault;

/// Collects faults while an object is read.
#[derive(Default)]
pub(crate) struct Faults(pub Vec<Fault>);

impl Faults {
    pub fn push(&mut self, pointer: impl Into<String>, code: &'static str, detail: impl Into<String>) {
        self.0.push(Fault::new(pointer, code, detail));
    }
}

/// An object being read, and its place.
pub(crate) struct Fields<'v> {
    map: &'v Map<String, Value>,
    at: String,
}

impl<'v> Fields<'v> {
    /// The value as an object; other fields than the known ones are faults.
    pub fn of(value: &'v Value, at: &str, known: &[&str], faults: &mut Faults) -> Option<Self> {
        let Value::Object(map) = value else {
            faults.push(at, "wrong-type", format!("Send an object with the fields {}.", listed(known)));
            return None;
        };
        for name in map.keys().filter(|name| !known.contains(&name.as_str())) {
            let shown: String = name.chars().filter(|c| !c.is_control()).take(40).collect();
            faults.push(
                pointer(at, name),
                "unknown-field",
                format!("`{shown}` is not known here; the fields are {}.", listed(known)),
            );
        }
        Some(Self { map, at: at.into() })
    }

    pub fn pointer(&self, name: &str) -> String {
        pointer(&self.at, name)
    }

    pub fn has(&self, name: &str) -> bool {
        self.map.contains_key(name)
    }

    /// The field; a missing one is a fault.
    pub fn required(&self, name: &str, faults: &mut Faults) -> Option<&'v Value> {
        let value = self.map.get(name);
        if value.is_none() {
            faults.push(self.pointer(name), "missing-field", format!("`{name}` is required."));
        }
        value
    }

    pub fn integer(&self, name: &str, least: u32, most: u32, faults: &mut Faults) -> Option<u32> {
        let value = self.required(name, faults)?;
        let Some(number) = value.as_u64().and_then(|n| u32::try_from(n).ok()).filter(|n| (least..=most).contains(n))
        else {
            let code = if value.is_number() { "out-of-range" } else { "wrong-type" };
            faults.push(self.pointer(name), code, format!("`{name}` is a whole number from {least} to {most}."));
            return None;
        };
        Some(number)
    }

    pub fn boolean(&self, name: &str, faults: &mut Faults) -> Option<bool> {
        let value = self.required(name, faults)?.as_bool();
        if value.is_none() {
            faults.push(self.pointer(name), "wrong-type", format!("`{name}` is true or false."));
        }
        value
    }

    pub fn text(&self, name: &str, faults: &mut Faults) -> Option<&'v str> {
        let value = self.required(name, faults)?.as_str();
        if value.is_none() {
            faults.push(self.pointer(name), "wrong-type", format!("`{name}` is a text."));
        }
        value
    }

    pub fn array(&self, name: &str, faults: &mut Faults) -> Option<&'v [Value]> {
        let value = self.required(name, faults)?.as_array();
        if value.is_none() {
            faults.push(self.pointer(name), "wrong-type", format!("`{name}` is an array."));
        }
        value.map(Vec::as_slice)
    }

    /// The field as one of the named values.
    pub fn choice<T: Copy>(&self, name: &str, choices: &[(&str, T)], faults: &mut Faults) -> Option<T> {
        let given = self.required(name, faults)?;
        let found = given.as_str().and_then(|text| choices.iter().find(|(value, _)| *value == text));
        if found.is_none() {
            let names: Vec<&str> = choices.iter().map(|(value, _)| *value).collect();
            let code = if given.is_string() { "unknown-value" } else { "wrong-type" };
            faults.push(self.pointer(name), code, format!("`{name}` is one of {}.", listed(&names)));
        }
        found.map(|(_, value)| *value)
    }
}

pub(crate) fn pointer(at: &str, name: &str) -> String {
    format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"))
}

pub(crate) fn listed(names: &[&str]) -> String {
    let mut text = String::new();
    for (index, name) in names.iter().enumerate() {
        text.push_str(if index == 0 { "`" } else { ", `" });
        text.push_str(name);
        text.push('`');
    }
    text
}

/// The faults as one error of a deserializer.
pub(crate) fn refused<E: serde::de::Error>(faults: &[Fault]) -> E {
    let told: Vec<String> =
        faults.iter().map(|fault| format!("{}: {} ({})", fault.pointer, fault.detail, fault.code)).collect();
    E::custom(told.join("; "))
}

/// A rule set with changes, as JSON: the object's fields replace those of the rule set, and the named parts are merged
/// field by field.
pub(crate) fn changed(rules: &impl Serialize, changes: &Value, by_parts: &[&str]) -> Result<Value, Vec<Fault>> {
    let Value::Object(changes) = changes else {
        return Err(Vec::from([Fault::new("", "wrong-type", "A rule set is an object.")]));
    };
    let mut whole = match serde_json::to_value(rules) {
        Ok(Value::Object(whole)) => whole,
        _ => Map::new(),
    };
    for (name, change) in changes {
        match (whole.get_mut(name), change) {
            (Some(Value::Object(base)), Value::Object(parts)) if by_parts.contains(&name.as_str()) => {
                base.extend(parts.iter().map(|(part, value)| (part.clone(), value.clone())));
            }
            _ => {
                whole.insert(name.clone(), change.clone());
            }
        }
    }
    Ok(Value::Object(whole))
}
