//! Schemas in a form that every generator understands: corrects utoipa's output by rule.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

pub const PREFIX: &str = "#/components/schemas/";

/// The document with corrected schemas.
pub fn mended(document: Value) -> Value {
    let mut document = renamed(folded(document));
    link_pages(&mut document);
    name_members(&mut document);
    tag_unions(&mut document);
    document
}

/// Folds unions with one member: a tag with a comment becomes one enum, and a union of one family that family.
fn folded(value: Value) -> Value {
    let Value::Object(map) = value else {
        return match value {
            Value::Array(list) => list.into_iter().map(folded).collect(),
            other => other,
        };
    };
    let mut map: Map<String, Value> = map.into_iter().map(|(key, value)| (key, folded(value))).collect();
    if let Some([Value::Object(tag), Value::Object(comment)]) =
        map.get("allOf").and_then(Value::as_array).map(Vec::as_slice)
        && tag.contains_key("enum")
        && let Some(description) = comment.get("description")
    {
        let mut tag = tag.clone();
        tag.insert("description".to_owned(), description.clone());
        return Value::Object(tag);
    }
    if let Some([only]) = map.get("oneOf").and_then(Value::as_array).map(Vec::as_slice) {
        let reference = only["$ref"].clone();
        map.remove("oneOf");
        map.insert("allOf".to_owned(), json!([{ "$ref": reference }]));
    }
    // A parameter is present or absent, but never null.
    if map.contains_key("in")
        && let Some(schema) = map.get_mut("schema").and_then(Value::as_object_mut)
        && let Some([first, _]) = schema.get("type").and_then(Value::as_array).map(Vec::as_slice)
    {
        let first = first.clone();
        schema.insert("type".to_owned(), first);
    }
    Value::Object(map)
}

/// Renames generic pages: `Page_Challenge` becomes `ChallengePage`.
fn renamed(mut document: Value) -> Value {
    let names: Vec<String> = document["components"]["schemas"]
        .as_object()
        .into_iter()
        .flat_map(|schemas| schemas.keys())
        .filter_map(|name| name.strip_prefix("Page_").map(str::to_owned))
        .collect();
    if let Some(schemas) = document["components"]["schemas"].as_object_mut() {
        for name in &names {
            if let Some(page) = schemas.remove(&format!("Page_{name}")) {
                schemas.insert(format!("{name}Page"), page);
            }
        }
    }
    rereferred(document, &names)
}

fn rereferred(value: Value, names: &[String]) -> Value {
    match value {
        Value::Object(map) => map.into_iter().map(|(key, value)| (key, rereferred(value, names))).collect(),
        Value::Array(list) => list.into_iter().map(|value| rereferred(value, names)).collect(),
        Value::String(text) => {
            let page =
                text.strip_prefix("#/components/schemas/Page_").filter(|name| names.iter().any(|known| known == name));
            Value::String(page.map(|name| format!("#/components/schemas/{name}Page")).unwrap_or(text))
        }
        other => other,
    }
}

/// The items of a page refer to their schema instead of repeating it.
fn link_pages(document: &mut Value) {
    let Some(schemas) = document["components"]["schemas"].as_object_mut() else { return };
    let known: BTreeSet<String> = schemas.keys().cloned().collect();
    for (name, schema) in schemas {
        if let Some(item) = name.strip_suffix("Page").filter(|item| known.contains(*item)) {
            schema["properties"]["items"]["items"] = json!({ "$ref": format!("#/components/schemas/{item}") });
        }
    }
}

/// Makes an inline member of a union with a title a schema of that name.
fn name_members(document: &mut Value) {
    let Some(schemas) = document["components"]["schemas"].as_object_mut() else { return };
    let mut named = Map::new();
    for member in schemas.values_mut().filter_map(|schema| schema.get_mut("oneOf")?.as_array_mut()).flatten() {
        if let Some(title) = member["title"].as_str().map(str::to_owned) {
            let description = member["description"].clone();
            let reference = json!({ "$ref": format!("{PREFIX}{title}"), "description": description });
            named.insert(title, std::mem::replace(member, reference));
        }
    }
    schemas.extend(named);
}

/// Adds a discriminator to each union: the field that is required in all members, with one word in each. Languages
/// without unions parse by it; without it they try all members, and a bare string fits several.
fn tag_unions(document: &mut Value) {
    let Some(schemas) = document["components"]["schemas"].as_object_mut() else { return };
    let known = schemas.clone();
    for schema in schemas.values_mut() {
        if let Some(discriminator) = discriminator(schema, &known) {
            schema["discriminator"] = discriminator;
        }
    }
}

fn discriminator(union: &Value, schemas: &Map<String, Value>) -> Option<Value> {
    let references: Vec<&str> =
        union["oneOf"].as_array()?.iter().map(|member| member["$ref"].as_str()).collect::<Option<_>>()?;
    let members: Vec<&Value> =
        references.iter().map(|reference| schemas.get(reference.strip_prefix(PREFIX)?)).collect::<Option<_>>()?;
    members.first()?["properties"].as_object()?.keys().find_map(|tag| {
        let words: Vec<&str> = members.iter().map(|member| only_word(member, tag)).collect::<Option<_>>()?;
        let mapping: Map<String, Value> =
            words.iter().zip(&references).map(|(word, reference)| ((*word).to_owned(), json!(reference))).collect();
        (mapping.len() == members.len()).then(|| json!({ "propertyName": tag, "mapping": mapping }))
    })
}

/// The only allowed value of a member's `tag`.
fn only_word<'a>(member: &'a Value, tag: &str) -> Option<&'a str> {
    let required = member["required"].as_array()?.iter().any(|field| field == tag);
    let [word] = member["properties"][tag]["enum"].as_array()?.as_slice() else { return None };
    word.as_str().filter(|_| required)
}

/// In answers, fields that may be `null` are always present, so they become required. Rule sets are exempt: they leave
/// out their default values.
pub fn require_nullable(document: &mut Value) {
    let mut spared = asked(document);
    let Some(schemas) = document["components"]["schemas"].as_object_mut() else { return };
    mentioned(&json!({ "$ref": format!("{PREFIX}RuleSet") }), schemas, &mut spared);
    for (_, schema) in schemas.iter_mut().filter(|(name, _)| !spared.contains(*name)) {
        let fields = schema["properties"].as_object().into_iter().flatten();
        let nullable = fields.filter(|(_, field)| is_nullable(field)).map(|(name, _)| name.clone());
        let required = schema["required"].as_array().into_iter().flatten();
        let names: BTreeSet<String> = required.filter_map(Value::as_str).map(str::to_owned).chain(nullable).collect();
        if !names.is_empty() {
            schema["required"] = json!(names);
        }
    }
}

fn is_nullable(schema: &Value) -> bool {
    let types = schema["type"].as_array().into_iter().flatten();
    let choices = schema["oneOf"].as_array().into_iter().flatten();
    types.chain(choices.map(|choice| &choice["type"])).any(|kind| kind == "null")
}

/// Closes requests, since unknown fields are refused by name; answers stay open, since fields may be added. A request
/// that is one of several states its minimum number of fields: two of one type may differ only inside a field, and
/// linters look no deeper.
pub fn close_requests(document: &mut Value) {
    let asked = asked(document);
    let Some(schemas) = document["components"]["schemas"].as_object_mut() else { return };
    let unions = schemas.values().filter_map(|schema| schema["oneOf"].as_array()).flatten();
    let names = unions.filter_map(|member| member["$ref"].as_str()?.strip_prefix(PREFIX));
    let members: BTreeSet<String> = names.map(str::to_owned).collect();
    for (name, schema) in schemas {
        let Some(fields) = schema.as_object_mut() else { continue };
        let closed = fields.get("additionalProperties") == Some(&json!(false));
        if !asked.contains(name) && closed {
            fields.remove("additionalProperties");
        }
        if asked.contains(name) && fields.contains_key("properties") {
            fields.insert("additionalProperties".to_owned(), json!(false));
            if members.contains(name)
                && let Some(required) = fields.get("required").and_then(Value::as_array).map(Vec::len)
            {
                fields.insert("minProperties".to_owned(), json!(required));
            }
        }
    }
}

/// The names of the schemas that make up requests.
fn asked(document: &Value) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let Some(schemas) = document["components"]["schemas"].as_object() else { return names };
    let paths = document["paths"].as_object().into_iter().flat_map(Map::values);
    for operation in paths.flat_map(|item| item.as_object().into_iter().flat_map(Map::values)) {
        mentioned(&operation["requestBody"], schemas, &mut names);
    }
    names
}

/// The names of the schemas that `value` refers to, directly and indirectly.
fn mentioned(value: &Value, schemas: &Map<String, Value>, names: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            let name = map.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix(PREFIX));
            if let Some(name) = name
                && names.insert(name.to_owned())
                && let Some(schema) = schemas.get(name)
            {
                mentioned(schema, schemas, names);
            }
            map.values().for_each(|value| mentioned(value, schemas, names));
        }
        Value::Array(list) => list.iter().for_each(|value| mentioned(value, schemas, names)),
        _ => {}
    }
}
