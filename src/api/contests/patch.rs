//! Update requests derived from the requests that create an object: their faults and their schemas.

use broadside_rules::Fault;
use serde_json::{Map, Value};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{Schema, SchemaType, Type};

use crate::api::http::fields::null_fault;

/// The faults of the whole request that concern sent fields: missing fields keep their values.
pub fn of_what_is_sent(faults: Vec<Fault>, sent: &Map<String, Value>) -> Vec<Fault> {
    let is_sent = |fault: &Fault| {
        let field = fault.pointer.split('/').nth(1).unwrap_or_default();
        fault.code == "unknown-field" || sent.get(field).is_some_and(|value| !value.is_null())
    };
    faults.into_iter().filter(is_sent).collect()
}

/// The faults of fields that are null although they can't be cleared, without those that have another fault.
pub fn wrong_nulls(sent: &Map<String, Value>, faults: &[Fault], clears: &[&str]) -> Vec<Fault> {
    let nulls = sent.iter().filter(|(name, value)| value.is_null() && !clears.contains(&name.as_str()));
    let pointers = nulls.map(|(name, _)| format!("/{name}"));
    pointers.filter(|pointer| faults.iter().all(|fault| fault.pointer != *pointer)).map(null_fault).collect()
}

/// The schema with all fields optional, and only those in `clears` nullable.
pub fn optional(schema: RefOr<Schema>, description: &str, clears: &[&str]) -> RefOr<Schema> {
    match schema {
        RefOr::T(Schema::Object(mut object)) => {
            object.required.clear();
            object.description = Some(description.trim().to_owned());
            for (name, field) in &mut object.properties {
                if !clears.contains(&name.as_str()) {
                    without_null(field);
                }
            }
            RefOr::T(Schema::Object(object))
        }
        other => other,
    }
}

fn without_null(schema: &mut RefOr<Schema>) {
    let only = |kinds: &mut SchemaType| {
        if let SchemaType::Array(list) = kinds
            && let Some(kind) = list.iter().find(|kind| **kind != Type::Null)
        {
            *kinds = SchemaType::Type(kind.clone());
        }
    };
    match schema {
        RefOr::T(Schema::Object(object)) => only(&mut object.schema_type),
        RefOr::T(Schema::Array(array)) => only(&mut array.schema_type),
        RefOr::T(Schema::OneOf(choice)) => {
            let is_null = |item: &RefOr<Schema>| matches!(item, RefOr::T(Schema::Object(object)) if object.schema_type == SchemaType::Type(Type::Null));
            choice.items.retain(|item| !is_null(item));
            if let [only] = choice.items.as_slice() {
                *schema = only.clone();
            }
        }
        _ => {}
    }
}
