//! Cards that a front end can be built from, and the check of rule sets.

use std::collections::BTreeSet;

use serde_json::json;

use crate::support::{TestApp, plain};

#[actix_web::test]
async fn every_variant_has_a_card() {
    let app = TestApp::start().await;
    let list = app.get("/v1/variants").await.expect(200);
    let items = list["items"].as_array().unwrap();
    assert_eq!(items.len(), broadside_rules::variants().len());
    for item in items {
        let card = app.get(&format!("/v1/variants/{}", item["id"].as_str().unwrap())).await.expect(200);
        assert_eq!(card["title"], item["title"]);
        for sea in card["board"]["seas"].as_array().unwrap() {
            let (rows, columns) = (sea["rows"].as_u64().unwrap(), sea["columns"].as_u64().unwrap());
            let cells = sea["cells"].as_array().unwrap();
            // Every layer is a whole grid, or (a port) one place beside it.
            for layer in sea["layers"].as_array().unwrap() {
                let count = cells.iter().filter(|cell| cell["layer"] == layer["id"]).count() as u64;
                assert!(count == rows * columns || count == 1, "{} has {count} cells", layer["id"]);
            }
            let labels: BTreeSet<&str> = cells.iter().map(|cell| cell["label"].as_str().unwrap()).collect();
            assert_eq!(labels.len(), cells.len());
            assert!(
                cells.iter().all(|cell| cell["label"].is_string() && cell["row"].is_u64() && cell["column"].is_u64())
            );
        }
        assert!(card["rules_markdown"].as_str().unwrap().len() > 500);
        let schema = &card["rule_set_schema"];
        for parameter in card["rule_set"].as_object().unwrap().keys() {
            assert!(schema["properties"][parameter].is_object(), "{parameter} is not in {schema}");
        }
        assert!(card["actions"].as_array().unwrap().iter().all(|action| action["json_schema"].is_object()));
        assert!(!card["disclosures"].as_array().unwrap().is_empty());
    }
    app.get("/v1/variants/chess").await.problem(404, "not-found");
}

#[actix_web::test]
async fn prose_comes_in_the_readers_language() {
    let app = TestApp::start().await;
    let title = async |language: &str| {
        let request = plain("GET", "/v1/variants/paper", None).insert_header(("accept-language", language.to_owned()));
        let card = app.send(request).await.expect(200);
        (card["language"].clone(), card["rules_markdown"].clone())
    };
    let (english, english_rules) = title("de, en;q=0.8, fr;q=0.5").await;
    let (french, french_rules) = title("fr-CA, en;q=0.8").await;
    assert_eq!((english, french), (json!("en"), json!("fr")));
    assert_ne!(english_rules, french_rules);
}

#[actix_web::test]
async fn a_rule_set_is_checked_without_opening_anything() {
    let app = TestApp::start().await;
    let check = async |rule_set: serde_json::Value| {
        app.post("/v1/rule-sets/check", json!({ "variant": "classic", "rule_set": rule_set })).await.expect(200)
    };
    let good = check(json!({ "contact": "forbidden" })).await;
    assert_eq!((&good["valid"], &good["rule_set"]["contact"]), (&json!(true), &json!("forbidden")));
    assert_eq!(good["rule_set_hash"].as_str().unwrap().len(), 64);

    let bad = check(json!({ "sinking": false, "names_hit": true, "report": "tally", "contcat": "forbidden" })).await;
    assert_eq!((&bad["valid"], &bad["rule_set"]), (&json!(false), &json!(null)));
    assert!(bad["errors"].as_array().unwrap().len() >= 2, "{bad}");
}
