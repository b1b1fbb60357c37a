//! The variants' cards for front ends, and the check of rule sets.

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

#[actix_web::test]
async fn a_log_is_told_in_words_by_whoever_knows_no_game() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("sea-battle").await;
    for player in [&anna, &ben] {
        player.acts(&id, json!({ "type": "deploy-auto" })).await.expect(200);
    }
    let shot = anna.example(&id).await.expect("it is her turn");
    let told = anna.acts(&id, shot).await.expect(200)["reports"].clone();

    let french = |path: &str| plain("GET", path, None).insert_header(("accept-language", "fr"));
    let reply = app.send(french("/v1/variants/sea-battle")).await;
    assert_eq!(reply.header("content-language"), Some("fr"));
    let card = reply.expect(200);
    let list = |value: &serde_json::Value| value.as_array().unwrap().clone();
    let cruiser = list(&card["classes"]).into_iter().find(|class| class["class"] == "cruiser").unwrap();
    assert_eq!(cruiser["title"], "Croiseur");
    assert_eq!(cruiser["ship_titles"][1], json!({ "ship": "cruiser-2", "title": "Croiseur 2" }));
    assert_eq!(card["layer_titles"], json!([{ "layer": "surface", "title": "Surface" }]));
    // The labels along the sides form the cells' names.
    let sea = &card["board"]["seas"][0];
    for cell in list(&sea["cells"]) {
        let [row, column] = ["row", "column"].map(|axis| cell[axis].as_u64().unwrap() as usize);
        let [row, column] =
            [&sea["row_titles"][row], &sea["column_titles"][column]].map(|title| title.as_str().unwrap());
        assert_eq!(cell["label"], format!("{column}{row}"), "the letter names the column");
    }
    // Every report of the match, field by field.
    let types = list(&card["report_types"]);
    let entry = |report: &serde_json::Value| types.iter().find(|known| known["report_type"] == report["type"]);
    for report in
        list(&told).iter().chain(&list(&anna.get(&format!("/v1/matches/{id}/reports")).await.expect(200)["items"]))
    {
        let entry = entry(report).unwrap_or_else(|| panic!("{report} has no title"));
        for name in report.as_object().unwrap().keys().filter(|name| *name != "type") {
            assert!(list(&entry["fields"]).iter().any(|field| field["name"] == *name), "{name} of {report}");
        }
    }
    let fired = entry(&told[0]).unwrap();
    assert_eq!(fired["title"], "Salve");
    let answer = list(&fired["fields"]).into_iter().find(|field| field["name"] == "answer").unwrap();
    assert!(list(&answer["values"]).contains(&json!({ "value": "sunk", "title": "coulé" })), "{answer}");
    assert_eq!(anna.sees(&id).await["round"], json!(null), "no limit of turns, no round");
}
