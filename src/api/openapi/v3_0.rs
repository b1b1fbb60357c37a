//! The contract in OpenAPI 3.0.3, for generators that read nothing newer.

use serde_json::{Map, Value, json};

use super::{access, pushed};

/// The OpenAPI 3.0.3 copy of the document.
pub fn copy_of(document: &Value) -> Value {
    let mut copy = down(document);
    leave_out_what_has_no_place(&mut copy);
    copy["openapi"] = json!("3.0.3");
    copy["info"]["license"] = json!({ "name": "MIT OR Apache-2.0", "url": "https://spdx.org/licenses/" });
    copy
}

/// Removes webhooks and the items of streams, which 3.0 doesn't know. The OAuth scheme exists in 3.1 only: the
/// generator for Go makes a client of it that needs another package, and an app's token is sent like any other.
fn leave_out_what_has_no_place(copy: &mut Value) {
    if let Some(all) = copy.as_object_mut() {
        all.remove("webhooks");
    }
    if let Some(schemes) = copy["components"]["securitySchemes"].as_object_mut() {
        schemes.remove(access::OAUTH);
    }
    if let Some(parameters) = copy["components"]["parameters"].as_object_mut() {
        parameters.retain(|name, _| !pushed::PARAMETERS.contains(&name.as_str()));
    }
    let content = copy["paths"]["/v1/events"]["get"]["responses"]["200"]["content"].as_object_mut();
    for media_type in content.into_iter().flat_map(Map::values_mut).filter_map(Value::as_object_mut) {
        media_type.remove(pushed::ITEMS);
    }
}

/// Converts one value of the document to 3.0.3.
fn down(value: &Value) -> Value {
    match value {
        Value::Array(list) => list.iter().map(down).collect(),
        Value::Object(map) => down_object(map),
        other => other.clone(),
    }
}

/// The `security` of 3.0 has no scopes for these tokens, so they are stated beside it.
fn name_scopes_apart(operation: &mut Map<String, Value>) {
    let Some(ways) = operation.get_mut("security").and_then(Value::as_array_mut) else { return };
    let mut scopes = Vec::new();
    ways.retain(|way| way.get(access::OAUTH).is_none());
    for way in ways.iter_mut().filter_map(Value::as_object_mut).flat_map(|way| way.values_mut()) {
        scopes.extend(way.as_array_mut().map(std::mem::take).into_iter().flatten());
    }
    if !scopes.is_empty() {
        operation.insert("x-required-scopes".to_owned(), json!(scopes));
    }
}

fn down_object(map: &Map<String, Value>) -> Value {
    // An example beside a schema is a value, not a schema.
    let shown = |key: &str| map.contains_key("schema") && matches!(key, "example" | "examples");
    let each = |(key, value): (&String, &Value)| (key.clone(), if shown(key) { value.clone() } else { down(value) });
    let mut map: Map<String, Value> = map.iter().map(each).collect();
    name_scopes_apart(&mut map);
    if map.contains_key("$ref") {
        // In 3.0 the siblings of a reference are ignored.
        map.retain(|key, _| key == "$ref");
    }
    let types = map.get("type").and_then(Value::as_array).cloned();
    if let Some(types) = types {
        let named = types.iter().find(|name| *name != "null").cloned();
        map.insert("type".to_owned(), named.unwrap_or_default());
        map.insert("nullable".to_owned(), json!(true));
        if let Some(words) = map.get_mut("enum").and_then(Value::as_array_mut)
            && !words.contains(&Value::Null)
        {
            words.push(Value::Null);
        }
    }
    // Null alone, as one of two alternatives. A schema without a type allows null in 3.0, and linters refuse `nullable`
    // in it. With a type, generators make an enum of it; and `nullable` beside an `allOf` allows nothing.
    if map.get("type") == Some(&json!("null")) {
        map.remove("type");
        map.insert("enum".to_owned(), json!([null]));
    }
    if map.get("type") == Some(&json!("object")) && map.get("additionalProperties") == Some(&json!(true)) {
        map.remove("additionalProperties");
    }
    // A schema's examples; the examples of a media type are an object and stay.
    if let Some(Value::Array(examples)) = map.get("examples").cloned() {
        map.remove("examples");
        if let Some(first) = examples.into_iter().next() {
            map.insert("example".to_owned(), first);
        }
    }
    Value::Object(map)
}
