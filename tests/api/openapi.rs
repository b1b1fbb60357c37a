//! The contract: committed, complete, and accurate.

use std::collections::{BTreeMap, BTreeSet};

use broadside::api::openapi;
use broadside::events::AccountEvent;
use serde_json::{Value, json};

use crate::support::contract::{self, SERVED};
use crate::support::{Setup, TestApp, plain};

/// Limits in bytes: of the committed document, and of a served one compressed.
const COMMITTED_BYTES: usize = 1_500_000;
const LINE_BYTES: usize = 250_000;

#[test]
fn the_committed_document_is_what_the_code_says() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi/broadside.json");
    let committed = std::fs::read_to_string(path).unwrap();
    assert!(committed == openapi::committed(), "run `cargo run -- openapi --write`");
    assert!(committed.len() <= COMMITTED_BYTES, "{} bytes", committed.len());
    assert_eq!(serde_json::from_str::<Value>(&committed).unwrap(), *openapi::document());
}

#[actix_web::test]
async fn the_served_document_has_examples_unless_told_otherwise_and_is_sent_once() {
    let app = TestApp::start().await;
    for path in ["/openapi.json", "/openapi-3.0.json"] {
        let full = app.send(plain("GET", path, None).insert_header(("accept-encoding", "gzip"))).await;
        assert_eq!(full.header("content-encoding"), Some("gzip"));
        assert!(full.body.len() <= LINE_BYTES, "{path} takes {} bytes", full.body.len());
        let known = full.header("etag").unwrap();
        let again = app.send(plain("GET", path, None).insert_header(("if-none-match", known))).await;
        assert_eq!((again.status, again.body.len()), (304, 0));
        let light = app.get(&format!("{path}?examples=none")).await;
        assert_ne!(light.header("etag"), app.get(path).await.header("etag"));
        let (light, full) = (light.json(), app.get(path).await.json());
        assert!(light["components"]["examples"].is_null() && !full["components"]["examples"].is_null());
        assert_eq!(light["components"]["schemas"], full["components"]["schemas"]);
    }
    assert!(app.get("/openapi.json").await.json() == *SERVED);
    assert!(app.get("/openapi.json?examples=none").await.json() == *openapi::document());
}

/// Calls `look` for every operation: path, method, operation.
fn operations(document: &Value, mut look: impl FnMut(&str, &str, &Value)) {
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            look(path, method, operation);
        }
    }
}

#[actix_web::test]
async fn every_operation_is_described() {
    let mut count = 0;
    operations(&SERVED, |path, method, operation| {
        count += 1;
        let at = format!("{method} {path}");
        for field in ["operationId", "summary", "description"] {
            assert!(operation[field].as_str().is_some_and(|text| !text.is_empty()), "{at} has no {field}");
        }
        assert!(operation["security"].is_array(), "{at} doesn't say who may");
        for status in ["400", "401", "429", "500"] {
            assert!(!operation["responses"][status].is_null(), "{at} doesn't describe {status}");
        }
        if let Some(content) = operation["requestBody"]["content"].as_object() {
            assert!(!content["application/json"]["examples"].is_null(), "{at} has no example");
        }
    });
    assert!(count >= 30, "{count} operations only");
}

#[test]
fn the_version_is_the_contracts_own_and_begins_as_its_paths_do() {
    let document = openapi::document();
    let version = document["info"]["version"].as_str().unwrap();
    let major = version.split('.').next().unwrap();
    operations(document, |path, method, _| {
        let versioned = path.strip_prefix("/v").map(|rest| rest.split('/').next().unwrap());
        assert!(versioned.is_none_or(|number| number == major), "{method} {path} is not of {version}");
    });
}

/// A name of several words written together, like the schema `RefreshSessionRequest`.
fn is_written_together(word: &str) -> bool {
    let letters: Vec<char> = word.chars().collect();
    letters.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
}

#[test]
fn summaries_are_for_people_and_name_no_schema() {
    let document = openapi::document();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    assert!(schemas.keys().any(|name| is_written_together(name)));
    let mut found = Vec::new();
    let mut look = |at: &str, summary: &Value| {
        let words = summary.as_str().unwrap().split(|letter: char| !letter.is_ascii_alphanumeric());
        let of_schemas = words.filter(|word| is_written_together(word) && schemas.contains_key(*word));
        found.extend(of_schemas.map(|word| format!("{at}: {word}")));
    };
    operations(document, |path, method, operation| look(&format!("{method} {path}"), &operation["summary"]));
    for (kind, webhook) in document["webhooks"].as_object().unwrap() {
        look(kind, &webhook["post"]["summary"]);
    }
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn unions_are_told_apart_by_type_but_for_what_is_hashed_or_signed() {
    // Rule sets are named by their hash, and records and commitments are signed: their contents keep their names.
    let fixed = [
        ("Clock", "kind"),
        ("OrderAnswer", "order"),
        ("RuleSet", "family"),
        ("ShipOrder", "order"),
        ("Victory", "kind"),
    ];
    let document = openapi::document();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    let tags = schemas.iter().filter_map(|(name, schema)| {
        let tag = schema["discriminator"]["propertyName"].as_str()?;
        (tag != "type").then_some((name.as_str(), tag))
    });
    assert_eq!(tags.collect::<Vec<_>>(), fixed);
}

/// Calls `look` for every media type with a JSON body: its place and its schema.
fn bodies(document: &Value, mut look: impl FnMut(&str, &Value)) {
    operations(document, |path, method, operation| {
        let place = format!("/paths/{}/{method}", path.replace('/', "~1"));
        let mut contents = vec![(format!("{place}/requestBody"), &operation["requestBody"])];
        let answers = operation["responses"].as_object().unwrap().iter().filter(|(status, _)| status.starts_with('2'));
        contents.extend(answers.map(|(status, response)| (format!("{place}/responses/{status}"), response)));
        for (place, content) in contents {
            for (media_type, body) in content["content"].as_object().into_iter().flatten() {
                look(&format!("{place}/content/{}", media_type.replace('/', "~1")), body);
            }
        }
    });
}

#[actix_web::test]
async fn every_body_has_examples_that_are_as_its_schema_says() {
    let (mut faults, mut count) = (Vec::new(), 0);
    bodies(&SERVED, |place, body| {
        let named = body["examples"].as_object().into_iter().flatten();
        let named = named.map(|(name, example)| (name.as_str(), &contract::resolved(&SERVED, example)["value"]));
        let named: Vec<(&str, &Value)> = named.collect();
        if named.is_empty() {
            faults.push(format!("{place} has no examples"));
        }
        for (name, value) in named {
            count += 1;
            let wrong = contract::faults_at(&format!("{place}/schema"), value);
            faults.extend(wrong.into_iter().map(|fault| format!("{place}, {name}: {fault}")));
            let text = value.to_string();
            let real =
                ["eyJ", "broadside.test", "127.0.0.1", "4294967295"].iter().filter(|words| text.contains(**words));
            faults.extend(real.map(|words| format!("{place}, {name}: shows {words}")));
        }
    });
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(count > 150, "{count} examples only");
}

#[actix_web::test]
async fn each_type_of_event_has_its_webhook() {
    let webhooks = SERVED["webhooks"].as_object().unwrap();
    let kinds = AccountEvent::KINDS.iter().filter(|kind| !matches!(**kind, "snapshot" | "unreadable"));
    let wanted: BTreeSet<&str> = kinds.copied().collect();
    assert_eq!(webhooks.keys().map(String::as_str).collect::<BTreeSet<_>>(), wanted);
    let mut faults = Vec::new();
    for (kind, webhook) in webhooks {
        let value = &webhook["post"]["requestBody"]["content"]["application/json"]["examples"]["event"]["value"];
        if value["data"]["type"] != kind.as_str() {
            faults.push(format!("{kind} has no example: run `BROADSIDE_WRITE_EVENTS={kind} cargo test --test api`"));
            continue;
        }
        let schema = format!("/webhooks/{kind}/post/requestBody/content/application~1json/schema");
        faults.extend(contract::faults_at(&schema, value).into_iter().map(|fault| format!("{kind}: {fault}")));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Schemas with the same structure but different meanings.
const UNLIKE_TWINS: &[(&str, &str)] = &[
    ("Id", "each names another sort of thing, and generated clients can keep them apart"),
    (
        "EventLines EventStream ICalendar MatchRecordText RecordLines RecordTexts TableCsv TournamentReportText",
        "texts, each of another form",
    ),
    (
        "CaseEvidenceDetails JsonSchema ModerationDetails PasskeyCredential RuleSetChanges SentRecordBody",
        "objects that are described elsewhere, each somewhere else",
    ),
    ("DeletePasskeyRequest SetUpSecondFactorRequest", "proofs for two purposes, each of which may come to need more"),
    ("DeclineEntryRequest RequestByeRequest", "reasons, of which one is for the player, the other for the log alone"),
    ("AddCaseNoteRequest AppealCaseRequest", "texts of two sides of a case, one of which the other never reads"),
    ("MatchPause RecordDownTime", "spans of which one is over, and the other may be ahead and be cut"),
];

/// A schema without its documentation.
fn bare(schema: &Value) -> Value {
    match schema {
        Value::Object(map) => {
            let said = ["description", "example", "examples", "title"];
            let rest = map.iter().filter(|(key, value)| !said.contains(&key.as_str()) || value.is_object());
            rest.map(|(key, value)| (key.clone(), bare(value))).collect()
        }
        Value::Array(list) => list.iter().map(bare).collect(),
        other => other.clone(),
    }
}

#[actix_web::test]
async fn schemas_that_mean_the_same_are_one() {
    let document = openapi::document();
    let mut alike: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        alike.entry(bare(schema).to_string()).or_default().push(name);
    }
    let is_known = |twins: &[&str]| {
        UNLIKE_TWINS.iter().any(|(names, _)| match *names {
            "Id" => twins.iter().all(|name| name.ends_with("Id")),
            names => twins.iter().all(|name| names.split(' ').any(|known| known == *name)),
        })
    };
    let new: Vec<_> = alike.values().filter(|twins| twins.len() > 1 && !is_known(twins)).collect();
    assert!(new.is_empty(), "make one of each, or say what tells them apart: {new:?}");
}

#[actix_web::test]
async fn the_served_document_says_how_to_reach_the_operator() {
    let contact = async |contact: Option<&str>| {
        let contact = contact.map(|contact| contact.parse().unwrap());
        let app = TestApp::with(Setup { contact, ..Setup::default() }).await;
        let current = app.get("/openapi.json").await.json()["info"]["contact"].clone();
        assert_eq!(app.get("/openapi-3.0.json").await.json()["info"]["contact"], current);
        current
    };
    assert_eq!(contact(Some("https://club.example/help")).await, json!({ "url": "https://club.example/help" }));
    assert_eq!(contact(Some("help@club.example")).await, json!({ "email": "help@club.example" }));
    assert_eq!(contact(None).await, Value::Null);
}
