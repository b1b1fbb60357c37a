//! The contract's limits on requests are enforced: each length, number, enum and format is tried slightly beyond its
//! bound, and required bodies are required.

use broadside::api::openapi;
use serde_json::{Value, json};

use crate::problems::{Operation, SOME_ID, operations};
use crate::rulesets::rows;
use crate::support::{Player, TestApp};

const JSON: [(&str, &str); 1] = [("content-type", "application/json")];

/// The schema with its reference resolved, and without the null alternative.
fn resolved(schema: &Value) -> &Value {
    if let Some(reference) = schema["$ref"].as_str() {
        let place = reference.strip_prefix('#').unwrap();
        return resolved(openapi::document().pointer(place).unwrap());
    }
    match schema["oneOf"].as_array().map(Vec::as_slice) {
        Some([one, null] | [null, one]) if *null == json!({ "type": "null" }) => resolved(one),
        _ => schema,
    }
}

fn is(schema: &Value, kind: &str) -> bool {
    schema["type"] == kind || schema["type"].as_array().is_some_and(|kinds| kinds.contains(&json!(kind)))
}

/// Values that a schema forbids. `good` is an allowed one.
fn forbidden(schema: &Value, good: Option<&Value>) -> Vec<Value> {
    let mut all = Vec::new();
    let number = |key: &str| schema[key].as_i64();
    if is(schema, "string") {
        let long = |length: i64| json!("a".repeat(usize::try_from(length).unwrap()));
        all.extend(number("maxLength").map(|most| long(most + 1)));
        all.extend(number("minLength").filter(|least| *least > 0).map(|least| long(least - 1)));
        let has_a_form = ["enum", "pattern", "format"].iter().any(|key| !schema[key].is_null());
        if has_a_form && schema["format"] != "password" {
            all.push(json!("no such thing\u{7}"));
        }
        all.push(json!({}));
    } else if is(schema, "integer") || is(schema, "number") {
        all.extend(number("maximum").and_then(|most| most.checked_add(1)).map(|more| json!(more)));
        all.extend(number("minimum").and_then(|least| least.checked_sub(1)).map(|less| json!(less)));
        all.push(json!("many"));
    } else if is(schema, "array") {
        let item = good.and_then(|list| list.get(0));
        let many = |most: i64| item.map(|item| json!(vec![item.clone(); usize::try_from(most).unwrap() + 1]));
        all.extend(number("maxItems").and_then(many));
        all.extend(number("minItems").filter(|least| *least > 0).map(|_| json!([])));
        all.push(json!({}));
    } else if is(schema, "boolean") {
        all.push(json!("perhaps"));
    }
    all
}

/// Places in a body, each with a forbidden value.
fn bent(schema: &Value, good: Option<&Value>, place: &str) -> Vec<(String, Value)> {
    let schema = resolved(schema);
    let mut all: Vec<_> = forbidden(schema, good).into_iter().map(|bad| (place.to_owned(), bad)).collect();
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let good = good.and_then(|good| good.get(name)).filter(|good| !good.is_null());
        if good.is_some() || !is(resolved(field), "object") {
            all.extend(bent(field, good, &format!("{place}/{name}")));
        }
    }
    all
}

/// The body with another value at this place, whose parent exists.
fn with(body: &Value, place: &str, value: Value) -> Value {
    let mut body = body.clone();
    let (parent, name) = place.rsplit_once('/').unwrap();
    body.pointer_mut(parent).unwrap()[name] = value;
    body
}

/// Existing objects for the parameters of paths, since some operations validate a request only after finding its
/// object.
struct Things(Vec<(&'static str, String)>);

impl Things {
    /// One of each kind, usable by a moderator who is also a player.
    async fn of(mia: &Player) -> Self {
        let app = &mia.app;
        let (anna, ben) = (app.player("anna").await, app.player("ben").await);
        let id = |made: Value| made["id"].as_str().unwrap().to_owned();
        let clock = json!({ "kind": "per-move", "move_s": 86_400 });
        let ladder = json!({ "title": "A league", "variant": "classic", "clock": clock });
        let ladder = id(ben.post("/v1/ladders", ladder).await.expect(201));
        let cup = json!({ "title": "A cup", "format": "round-robin", "variant": "classic", "clock": clock });
        let cup = id(ben.post("/v1/tournaments", cup).await.expect(201));
        // A non-organizer is refused before the terms are checked.
        for path in [format!("/v1/ladders/{ladder}"), format!("/v1/tournaments/{cup}")] {
            ben.request("PUT", &format!("{path}/organizers/mia"), None).await.expect(204);
        }
        let offer = json!({ "variant": "classic", "clock": clock });
        let challenge = id(ben.post("/v1/challenges", offer).await.expect(201));
        Self(vec![
            ("/v1/ladders/{id}", format!("/v1/ladders/{ladder}")),
            ("/v1/tournaments/{id}", format!("/v1/tournaments/{cup}")),
            ("/v1/challenges/{id}", format!("/v1/challenges/{challenge}")),
            ("/v1/matches/{id}", format!("/v1/matches/{}", mia.challenges_and_meets(&ben, json!({})).await)),
            (
                "/v1/moderation/matches/{id}",
                format!("/v1/moderation/matches/{}", anna.challenges_and_meets(&ben, json!({})).await),
            ),
            ("/v1/rule-sets/{hash}", format!("/v1/rule-sets/{}", ben.publishes("Twelve rows", rows(12)).await)),
            ("/v1/players/{username}", "/v1/players/mia".to_owned()),
        ])
    }

    fn address(&self, operation: &Operation) -> String {
        let thing = self.0.iter().find(|(path, _)| operation.path.starts_with(path));
        thing.map_or_else(
            || operation.address(),
            |(path, thing)| {
                let rest = operation.path.trim_start_matches(path);
                let rest = rest.replace("{room}", "players").replace("{number}", "1").replace("{pool}", "classic-days");
                format!("{thing}{}", rest.replace("{challenge_id}", SOME_ID))
            },
        )
    }
}

/// Violations of the limits of body fields that are accepted.
async fn of_the_body(mia: &Player, operation: &Operation, path: &str, example: &Value) -> Vec<String> {
    let content = &operation.described()["requestBody"]["content"]["application/json"];
    let mut faults = Vec::new();
    for (place, bad) in bent(&content["schema"], Some(example), "") {
        let body = if place.is_empty() { bad } else { with(example, &place, bad) };
        let answer = operation.is_sent(mia, path, &JSON, Some(&body.to_string())).await;
        if !matches!(answer.status, 409 | 422) {
            let bad = body.pointer(&place).unwrap().to_string().chars().take(60).collect::<String>();
            faults.push(format!("{} takes {bad} at {place:?}: {}", operation.id, answer.status));
        }
    }
    faults
}

/// Violations of the limits of query parameters that are accepted.
async fn of_the_query(mia: &Player, operation: &Operation, path: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for parameter in operation.described()["parameters"].as_array().into_iter().flatten() {
        let parameter = resolved(parameter);
        let (name, schema) = (parameter["name"].as_str().unwrap(), resolved(&parameter["schema"]));
        let bad = forbidden(schema, None).into_iter().filter(|_| parameter["in"] == "query");
        // A value that isn't text has no place in a query.
        for bad in bad.filter(|bad| !bad.is_object()) {
            let text = bad.as_str().map_or_else(|| bad.to_string(), |text| text.replace('\u{7}', "%07"));
            let path = format!("{path}?{name}={}", text.replace(' ', "%20"));
            let answer = operation.is_sent(mia, &path, &[], None).await;
            if answer.status != 422 {
                faults.push(format!("{} takes {:.60} as {name}: {}", operation.id, text, answer.status));
            }
        }
    }
    faults
}

#[actix_web::test]
async fn nothing_beyond_the_limits_of_the_contract_is_taken() {
    let app = TestApp::start().await;
    let mia = app.player("mia").await;
    app.grants("mia", "moderator").await;
    mia.request("PATCH", "/v1/account", Some(json!({ "bot": true }))).await.expect(200);
    let (things, mut faults) = (Things::of(&mia).await, Vec::new());
    for operation in &operations() {
        let path = things.address(operation);
        if let Some(example) = operation.example() {
            faults.extend(of_the_body(&mia, operation, &path, &example).await);
        }
        faults.extend(of_the_query(&mia, operation, &path).await);
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Where a body is optional, it may be missing.
#[actix_web::test]
async fn a_body_is_needed_where_the_contract_says_so() {
    let app = TestApp::start().await;
    let mia = app.player("mia").await;
    app.grants("mia", "moderator").await;
    for operation in operations() {
        let body = &operation.described()["requestBody"];
        if body.is_null() {
            continue;
        }
        let answer = operation.is_sent(&mia, &operation.address(), &[], None).await;
        let is_refused = matches!(answer.status, 400 | 415 | 422);
        assert_eq!(is_refused, body["required"] == true, "{}: {}", operation.id, answer.text());
    }
}
