//! Hostile input: refused with a clear problem and without effect.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::support::{Setup, TestApp, plain};

#[actix_web::test]
async fn a_body_must_be_short_json() {
    let app = TestApp::start().await;
    let raw = |kind: &str, body: &str| {
        let kind = ("content-type", kind.to_owned());
        app.send(plain("POST", "/v1/accounts", None).insert_header(kind).set_payload(body.to_owned()))
    };
    raw("application/json", "{\"username\": ").await.problem(400, "malformed-json");
    raw("application/json", &"[".repeat(10_000)).await.problem(400, "malformed-json");
    raw("application/json", "\"text\"").await.problem(422, "validation-failed");
    let doubled = raw("application/json", r#"{"username": "anna", "password": "x", "username": "ben"}"#).await;
    let said = doubled.problem(400, "malformed-json");
    assert!(said["detail"].as_str().unwrap().contains("\"username\" is there twice"), "{said}");
    raw("text/plain", "{}").await.problem(415, "unsupported-media-type");
    raw("application/json", &format!("{{\"username\": \"{}\"}}", "a".repeat(70_000)))
        .await
        .problem(413, "content-too-large");
}

#[actix_web::test]
async fn paths_that_lead_nowhere_say_so() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    app.get("/v2/matches").await.problem(404, "not-found");
    app.get("/v1/matches/not-an-id").await.problem(400, "malformed-id");
    app.get("/v1/matches/0199c2a8-7d4e-7c3a-9f10-5b1e6a2d8c47").await.problem(404, "not-found");
    let unknown = json!({ "action": { "type": "resign" } });
    anna.post("/v1/matches/0199c2a8-7d4e-7c3a-9f10-5b1e6a2d8c47/actions", unknown).await.problem(404, "not-found");
    app.get("/v1/matches?limt=3").await.problem(422, "validation-failed");
    app.get("/v1/matches?limit=0").await.problem(422, "validation-failed");
    app.get("/v1/matches?limit=3&limit=4").await.problem(422, "validation-failed");
    app.get("/v1/matches?cursor=;drop").await.problem(422, "validation-failed");
    assert_eq!(app.request("PUT", "/v1/matches", None).await.status, 405);
}

#[actix_web::test]
async fn budgets_are_shown_and_kept() {
    let app = TestApp::with(Setup { rate_limits: true, ..Setup::default() }).await;
    let first = app.get("/v1/variants").await;
    assert_eq!(first.header("ratelimit-policy"), Some("\"general\";q=1200;qu=\"processor-ms\";w=60"));
    assert!(first.header("ratelimit").unwrap().starts_with("\"general\";r=1199;"));
    let register = json!({ "username": "x", "password": "y" });
    for _ in 0..30 {
        app.post("/v1/accounts", register.clone()).await.problem(422, "validation-failed");
    }
    let refused = app.post("/v1/accounts", register).await;
    refused.problem(429, "too-many-requests");
    assert!(refused.header("retry-after").unwrap().parse::<u64>().unwrap() >= 1);
}

#[actix_web::test]
async fn every_answer_names_its_request() {
    let app = TestApp::start().await;
    let given = plain("GET", "/v1/nothing", None).insert_header(("x-request-id", "my-request.7"));
    let answer = app.send(given).await;
    assert_eq!(answer.header("x-request-id"), Some("my-request.7"));
    assert_eq!(answer.json()["request_id"], "my-request.7");
    let forged = plain("GET", "/v1/nothing", None).insert_header(("x-request-id", "a b<script>"));
    assert_ne!(app.send(forged).await.header("x-request-id"), Some("a b<script>"));
}

/// Any JSON, a few levels deep.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[\\PC\u{0}-\u{1f}]{0,12}".prop_map(Value::from),
        prop_oneof![Just("fire"), Just("deploy"), Just("A1"), Just("carrier"), Just("relocate")].prop_map(Value::from),
    ];
    let key = prop_oneof!["[a-z_]{1,8}", Just("type".to_owned()), Just("cells".to_owned()), Just("ships".to_owned())];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(key.clone(), inner, 0..6).prop_map(|map| map.into_iter().collect()),
        ]
    })
}

#[actix_web::test]
async fn no_json_breaks_an_operation() {
    let app = TestApp::start().await;
    let (anna, _, id) = app.table("paper").await;
    let paths = [
        "/v1/challenges".to_owned(),
        "/v1/rule-sets/check".to_owned(),
        "/v1/rule-sets".to_owned(),
        "/v1/accounts".to_owned(),
        "/v1/sessions/refresh".to_owned(),
        "/v1/account/tokens".to_owned(),
        "/v1/account/registered-apps".to_owned(),
        "/v1/account/push-subscriptions".to_owned(),
        format!("/v1/matches/{id}/actions"),
        format!("/v1/matches/{id}/chat/players"),
        format!("/v1/matches/{id}/chat/players/1/report"),
    ];
    let before = anna.sees(&id).await;
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::default() });
    for round in 0..400 {
        let body = any_json().new_tree(&mut runner).unwrap().current();
        let path = &paths[round % paths.len()];
        let body = if round % 2 == 0 { json!({ "action": body }) } else { body };
        let answer = anna.post(path, body.clone()).await;
        assert!(matches!(answer.status, 400 | 422), "{path} answers {} to {body}", answer.status);
    }
    assert_eq!(anna.sees(&id).await, before);
}
