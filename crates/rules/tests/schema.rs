//! The schemas as a strict linter reads them: closed objects, bounded texts, numbers and lists, unions in the one shape
//! that every generator understands, every reference resolved, no two types under one name.
#![allow(clippy::expect_used, reason = "a test may stop")]
#![cfg(feature = "schema")]

use std::collections::BTreeMap;

use broadside_rules::{
    Action, Clock, Decision, FamilyName, Outcome, Report, RuleSet, Status,
    card::{ActionCard, AnswerCard, BoardCard, ClassCard},
    timetable::SeatTimeView,
    variants,
    view_model::{SeaView, SeatView},
};
use serde_json::{Value, json};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{RefOr, Schema},
};

/// Every schema that the crate has, by name.
fn schemas() -> BTreeMap<String, Value> {
    fn add<T: ToSchema + PartialSchema>(all: &mut Vec<(String, RefOr<Schema>)>) {
        all.push((T::name().into_owned(), T::schema()));
        T::schemas(all);
    }
    let mut all = Vec::new();
    add::<Action>(&mut all);
    add::<Decision>(&mut all);
    add::<Report>(&mut all);
    add::<RuleSet>(&mut all);
    add::<Clock>(&mut all);
    add::<Outcome>(&mut all);
    add::<Status>(&mut all);
    add::<FamilyName>(&mut all);
    add::<SeaView>(&mut all);
    add::<SeatView>(&mut all);
    add::<BoardCard>(&mut all);
    add::<ClassCard>(&mut all);
    add::<ActionCard>(&mut all);
    add::<AnswerCard>(&mut all);
    add::<SeatTimeView>(&mut all);
    let mut named = BTreeMap::new();
    for (name, schema) in all {
        let schema = serde_json::to_value(schema).expect("JSON");
        if let Some(other) = named.insert(name.clone(), schema.clone()) {
            assert_eq!(other, schema, "two types are called {name}");
        }
    }
    named
}

fn check(at: &str, schema: &Value, known: &BTreeMap<String, Value>, faults: &mut Vec<String>) {
    let fault = |faults: &mut Vec<String>, what: &str| faults.push(format!("{at}: {what}: {schema}"));
    if let Some(target) = schema["$ref"].as_str() {
        let name = target.trim_start_matches("#/components/schemas/");
        if !known.contains_key(name) {
            fault(faults, "an unknown reference");
        }
        return;
    }
    if let Some(members) = schema["oneOf"].as_array() {
        for member in members {
            if member["type"] != "null" && member["$ref"].is_null() {
                fault(faults, "a union of something unnamed");
            }
            check(&format!("{at}|"), member, known, faults);
        }
        return;
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => vec![],
    };
    match kinds.iter().find(|kind| **kind != "null") {
        Some(&"object") => {
            if schema["additionalProperties"] != false {
                fault(faults, "an open object");
            }
            for (name, property) in schema["properties"].as_object().into_iter().flatten() {
                check(&format!("{at}.{name}"), property, known, faults);
            }
        }
        Some(&"array") => {
            if schema["maxItems"].is_null() {
                fault(faults, "a list without a limit");
            }
            check(&format!("{at}[]"), &schema["items"], known, faults);
        }
        Some(&"string") => {
            let bounded = !schema["pattern"].is_null() && !schema["maxLength"].is_null();
            if schema["enum"].is_null() && schema["format"].is_null() && !bounded {
                fault(faults, "a text without a limit");
            }
        }
        Some(&"integer") => {
            let whole = schema["format"] == "int32" || schema["format"] == "int64";
            if !whole || schema["minimum"].is_null() || schema["maximum"].is_null() {
                fault(faults, "a number without limits");
            }
        }
        Some(&"boolean") => {}
        None if kinds == ["null"] => {}
        _ => fault(faults, "no type"),
    }
}

#[test]
fn every_schema_is_bounded_and_closed() {
    let known = schemas();
    let mut faults = Vec::new();
    for (name, schema) in &known {
        check(name, schema, &known, &mut faults);
        if schema["description"].as_str().is_none_or(str::is_empty) {
            faults.push(format!("{name} has no description"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn unions_are_told_apart_by_a_single_value() {
    let known = schemas();
    for (union, tag) in [
        ("Action", "type"),
        ("Decision", "type"),
        ("Report", "type"),
        ("Clock", "kind"),
        ("RuleSet", "family"),
        ("Victory", "kind"),
        ("ShipOrder", "order"),
        ("OrderAnswer", "order"),
    ] {
        let members = known[union]["oneOf"].as_array().unwrap_or_else(|| panic!("{union} is no union"));
        assert!(known[union]["discriminator"].is_null());
        for member in members {
            let name = member["$ref"].as_str().expect("a reference").trim_start_matches("#/components/schemas/");
            let schema = &known[name];
            assert_eq!(schema["properties"][tag]["enum"].as_array().map(Vec::len), Some(1), "{name}.{tag}: {schema}");
            assert!(
                schema["required"].as_array().expect("required").contains(&json!(tag)),
                "{name} does not require {tag}"
            );
        }
    }
    let actions = known["Action"]["oneOf"].as_array().expect("a union").len();
    assert_eq!(
        actions, 21,
        "fire, relocate, give-up, use-weapon, move, charge, torpedo, end-turn, opening-shot, orders, deploy, depths-deploy, salvos-deploy, deploy-auto, and the table's seven"
    );
}

#[test]
fn cards_name_schemas_that_exist() {
    let known = schemas();
    for variant in variants() {
        for action in variant.rule_set().actions() {
            let schema = action.schema;
            assert!(known.contains_key(schema), "{schema}");
            assert_eq!(known[schema]["properties"]["type"]["enum"], json!([action.action_type]));
        }
    }
}
