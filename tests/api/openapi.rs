//! The contract: committed, complete, and true.

use serde_json::Value;

use crate::support::TestApp;

fn committed(name: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi").join(name);
    std::fs::read_to_string(path).unwrap()
}

#[actix_web::test]
async fn the_committed_document_is_the_served_one() {
    let app = TestApp::start().await;
    for (path, name) in [("/openapi.json", "broadside.json"), ("/openapi-3.0.json", "broadside-3.0.json")] {
        let served = app.get(path).await.text();
        assert!(
            served == committed(name),
            "openapi/{name} is not what the code says: run `cargo run -- openapi --write openapi`"
        );
    }
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
    let document: Value = serde_json::from_str(&committed("broadside.json")).unwrap();
    let mut count = 0;
    operations(&document, |path, method, operation| {
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
            let json = &content["application/json"];
            assert!(!json["example"].is_null() || !json["examples"].is_null(), "{at} has no example");
        }
    });
    assert!(count >= 30, "{count} operations only");
}
