//! The document's schemas, each compiled on first use.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use jsonschema::{Draft, Registry, Validator};
use serde_json::{Map, Value, json};

/// The document's URI for schema references.
const DOCUMENT: &str = "https://broadside.test/openapi.json";

/// Maximum number of reported faults of a value.
const MOST_FAULTS: usize = 10;

pub struct Schemas {
    registry: Registry<'static>,
    compiled: Mutex<HashMap<String, Arc<Validator>>>,
}

impl Schemas {
    pub fn of(document: &Value) -> Self {
        let resource = Draft::Draft202012.create_resource(strict(document, document));
        let registry = Registry::new().add(DOCUMENT, resource).unwrap().prepare().unwrap();
        Self { registry, compiled: Mutex::default() }
    }

    /// Faults of a value by the schema at `place`, a JSON pointer.
    pub fn faults(&self, place: &str, value: &Value) -> Vec<String> {
        let validator = self.compiled(place);
        if validator.is_valid(value) {
            return Vec::new();
        }
        let tell = |error: jsonschema::ValidationError<'_>| {
            let words: String = error.to_string().chars().take(300).collect();
            format!("{}: {words}", error.instance_path())
        };
        validator.iter_errors(value).take(MOST_FAULTS).map(tell).collect()
    }

    fn compiled(&self, place: &str) -> Arc<Validator> {
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let make = || {
            let fragment = place.replace('{', "%7B").replace('}', "%7D");
            let options = jsonschema::options().with_draft(Draft::Draft202012).with_registry(&self.registry);
            let options = options.should_validate_formats(true);
            Arc::new(options.build(&json!({ "$ref": format!("{DOCUMENT}#{fragment}") })).unwrap())
        };
        Arc::clone(compiled.entry(place.to_owned()).or_insert_with(make))
    }
}

/// A copy that forbids unnamed fields, and selects a union's member by its tag alone, so that faults have a precise
/// place.
fn strict(value: &Value, document: &Value) -> Value {
    match value {
        Value::Array(list) => list.iter().map(|value| strict(value, document)).collect(),
        Value::Object(map) => strict_object(map, document),
        other => other.clone(),
    }
}

/// The fields of all parts of a composed object, as one object.
fn joined(parts: &[Value], document: &Value) -> Map<String, Value> {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for part in parts {
        let reference = part["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
        let part = reference.map_or(part, |place| document.pointer(place).unwrap());
        properties.extend(part["properties"].as_object().unwrap().clone());
        required.extend(part["required"].as_array().into_iter().flatten().cloned());
    }
    Map::from_iter([
        ("type".to_owned(), json!("object")),
        ("properties".to_owned(), Value::Object(properties)),
        ("required".to_owned(), Value::Array(required)),
    ])
}

fn strict_object(map: &Map<String, Value>, document: &Value) -> Value {
    if let Some(parts) = map.get("allOf").and_then(Value::as_array).filter(|parts| parts.len() > 1) {
        return strict_object(&joined(parts, document), document);
    }
    let mut copy = Map::new();
    for (key, value) in map {
        let value = match (key.as_str(), value) {
            // Values, not schemas.
            ("example" | "examples" | "default" | "enum" | "const" | "mapping", value) => value.clone(),
            // Names, not keywords.
            ("properties", Value::Object(fields)) => {
                fields.iter().map(|(name, field)| (name.clone(), strict(field, document))).collect()
            }
            (_, value) => strict(value, document),
        };
        copy.insert(key.clone(), value);
    }
    if copy.contains_key("properties") && copy.get("type").is_some_and(is_object) {
        copy.entry("additionalProperties").or_insert(json!(false));
    }
    if let Some(Value::Array(members)) = copy.get("oneOf").cloned() {
        match (copy.get("discriminator").cloned(), members.as_slice()) {
            (Some(discriminator), _) => {
                copy.remove("oneOf");
                copy.extend(by_tag(&discriminator));
            }
            (None, [one, null] | [null, one]) if *null == json!({ "type": "null" }) => {
                let one = one.clone();
                copy.remove("oneOf");
                copy.insert("if".to_owned(), json!({ "type": "null" }));
                copy.insert("else".to_owned(), one);
            }
            _ => {}
        }
    }
    Value::Object(copy)
}

fn is_object(kind: &Value) -> bool {
    kind == "object" || kind.as_array().is_some_and(|kinds| kinds.contains(&json!("object")))
}

/// A union's discriminator as schema keywords.
fn by_tag(discriminator: &Value) -> Map<String, Value> {
    let tag = discriminator["propertyName"].as_str().unwrap();
    let mapping = discriminator["mapping"].as_object().unwrap();
    let words: Vec<&String> = mapping.keys().collect();
    let leads = |(word, member): (&String, &Value)| json!({ "if": { "properties": { tag: { "const": word } } }, "then": { "$ref": member } });
    let members: Vec<Value> = mapping.iter().map(leads).collect();
    let keywords = json!({
        "type": "object", "required": [tag], "properties": { tag: { "enum": words } }, "allOf": members,
    });
    keywords.as_object().unwrap().clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_field_and_a_wrong_member_are_told_by_their_place() {
        let ship = |kind: &str, field: &str| {
            let properties = json!({ "type": { "type": "string", "enum": [kind] }, field: { "type": "integer" } });
            json!({ "type": "object", "required": ["type", field], "properties": properties })
        };
        let mapping = json!({ "fire": "#/components/schemas/Fire", "move": "#/components/schemas/Move" });
        let members = [json!({ "$ref": mapping["fire"] }), json!({ "$ref": mapping["move"] })];
        let action = json!({ "oneOf": members, "discriminator": { "propertyName": "type", "mapping": mapping } });
        let all = json!({ "Fire": ship("fire", "cell"), "Move": ship("move", "by"), "Action": action });
        let schemas = Schemas::of(&json!({ "components": { "schemas": all } }));
        let faults = |value: Value| schemas.faults("/components/schemas/Action", &value).join("; ");
        assert_eq!(faults(json!({ "type": "fire", "cell": 3 })), "");
        assert!(faults(json!({ "type": "fire", "cell": "B7" })).starts_with("/cell: "));
        assert!(faults(json!({ "type": "fire", "by": 1 })).contains("'by' was unexpected"));
        assert!(faults(json!({ "type": "sink" })).starts_with("/type: "));
    }
}
