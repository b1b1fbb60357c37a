//! Filters: a filter with an unknown value selects nothing, whatever its kind.

use serde_json::json;

use crate::support::{TestApp, contract};

/// Parameters that are no filters: they set the length, start and form of a list.
const NO_FILTERS: [&str; 8] = ["after", "around", "cursor", "format", "limit", "search", "ticket", "wait_s"];

/// Choosing one of several tables is part of the address, like the path.
const TABLES: [&str; 4] = ["/crosstable", "/standings", "/leaderboard", "/export"];

#[actix_web::test]
async fn a_filter_that_names_nothing_known_selects_nothing() {
    let app = TestApp::start().await;
    let people = crate::support::seven_people(&app).await;
    let (anna, ben) = (&people[0], &people[1]);
    anna.challenges_and_meets(ben, json!({ "rated": true, "first": "random" })).await;
    let ladder = anna.makes_ladder(json!({ "format": "position" })).await;
    app.grants("anna", "moderator").await;
    let document = app.get("/openapi.json").await.json();
    let mut tried = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        let answer = &item["get"]["responses"]["200"]["content"]["application/json"]["schema"]["$ref"];
        let lists = answer.as_str().is_some_and(|name| name.ends_with("Page") || name.ends_with("/Pools"));
        if !lists || TABLES.iter().any(|table| path.ends_with(table)) {
            continue;
        }
        for parameter in item["get"]["parameters"].as_array().into_iter().flatten() {
            let parameter = contract::resolved(&document, parameter);
            let (name, schema) = (parameter["name"].as_str().unwrap(), &parameter["schema"]);
            if parameter["in"] != "query" || NO_FILTERS.contains(&name) || schema["type"] == "boolean" {
                continue;
            }
            let schema = contract::resolved(&document, schema);
            // An enum value is known, or is refused as a word.
            if !schema["enum"].is_null() || schema["format"] == "date-time" {
                continue;
            }
            let unknown = match (schema["type"].as_str(), schema["format"].as_str()) {
                (Some("integer"), _) => schema["maximum"].to_string(),
                (_, Some("uuid")) => "0199c2a8-7d4e-7c3a-9f10-5b1e6a2d8c47".to_owned(),
                _ if schema["maxLength"] == 64 => "0".repeat(64),
                // `me`.
                _ if schema["maxLength"] == 2 => continue,
                _ => "nobody-at-all".to_owned(),
            };
            let path = path.replace("{id}", &ladder).replace("{username}", "anna");
            // A season belongs to a ladder, a round to a tournament.
            let beside = match (path.as_str(), name) {
                ("/v1/matches", "season") => format!("&ladder={ladder}"),
                ("/v1/matches", "round") => "&tournament=0199c2a8-7d4e-7c3a-9f10-5b1e6a2d8c47".to_owned(),
                _ => String::new(),
            };
            let address = format!("{path}?{name}={unknown}{beside}");
            let answer = anna.get(&address).await;
            assert_eq!(answer.status, 200, "{address}: {}", answer.text());
            assert_eq!(answer.json()["items"], json!([]), "{address}");
            tried.push(address);
        }
    }
    for of in ["/v1/matches?player=", "/v1/matches?variant=", "/v1/matches?pool=", "/v1/bots?variant=", "/v1/cases?"] {
        assert!(tried.iter().any(|address| address.starts_with(of)), "{of}: {tried:#?}");
    }
    assert!(tried.len() >= 28, "{tried:#?}");
}

#[actix_web::test]
async fn a_filter_that_is_no_name_at_all_is_refused() {
    let app = TestApp::start().await;
    for wrong in [
        "/v1/matches?player=no-name!",
        "/v1/matches?variant=No%20name",
        "/v1/matches?variant=",
        "/v1/matches?pool=No%20pool",
        "/v1/matches?ladder=7",
        "/v1/matches?named_rule_set=abc",
        "/v1/matches?status=lost",
        "/v1/rule-sets?family=No%20name",
    ] {
        app.get(wrong).await.problem(422, "validation-failed");
    }
}
