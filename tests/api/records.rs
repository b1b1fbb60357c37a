//! The public check of records, for readers without a verifier: same findings and words as `broadside verify`.

use std::time::{Duration, Instant};

use broadside::rate_limits::ProcessorBudgets;
use broadside_rules::record;
use serde_json::{Value, json};

use crate::proof::{finished, record_of};
use crate::support::{Answer, Player, Setup, TestApp, plain};

const CHECK: &str = "/v1/records/verify";

/// Sends the bytes unchanged.
async fn sent(app: &TestApp, bytes: &[u8]) -> Answer {
    let request = plain("POST", CHECK, None).insert_header(("content-type", "application/json"));
    app.send(request.set_payload(bytes.to_vec())).await
}

fn claims(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|one| one["claim"].as_str().unwrap()).collect()
}

/// Two players, and the record of their finished match.
async fn played(app: &TestApp) -> (Player, Player, String, Vec<u8>) {
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let id = finished(&anna, &ben, json!({})).await;
    let record = app.get(&record_of(&id)).await.body.to_vec();
    (anna, ben, id, record)
}

#[actix_web::test]
async fn anybody_has_the_record_of_a_finished_match_checked() {
    let app = TestApp::start().await;
    let (_, _, id, record) = played(&app).await;
    let verdict = sent(&app, &record).await.expect(200);
    assert_eq!((&verdict["holds"], &verdict["faults"]), (&json!(true), &json!([])), "{verdict}");
    let shown = &verdict["record"];
    assert_eq!((&shown["match_id"], &shown["variant"], &shown["seats"]), (&json!(id), &json!("classic"), &json!(2)));
    assert_eq!((&shown["stage"], &shown["format"]), (&json!("whole"), &json!(1)));
    let proven = ["reports-unaltered", "answers-true", "secrets-as-committed", "chance-as-committed", "key-published"];
    assert_eq!(claims(&verdict["proven"]), proven);
    let open = ["players-asked", "auto-fleets-random", "chance-committed-first", "nobody-looked", "who-played"];
    assert_eq!(claims(&verdict["not_proven"]), open);
    // The verifier finds the same; the JSON's formatting makes no difference.
    let verified = record::verify(str::from_utf8(&record).unwrap()).unwrap();
    assert_eq!(shown["reports"], json!(verified.reports));
    assert_eq!(shown["commitments_opened"], json!(verified.opened));
    let spelt = serde_json::to_vec_pretty(&serde_json::from_slice::<Value>(&record).unwrap()).unwrap();
    assert_eq!(sent(&app, &spelt).await.expect(200), verdict);
}

#[actix_web::test]
async fn the_record_of_a_running_match_proves_less() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let id = anna.challenges_and_meets(&ben, json!({})).await;
    anna.acts(&id, json!({ "type": "deploy-auto" })).await.expect(200);
    let stage = async || {
        let record = anna.get(&record_of(&id)).await.body;
        let verdict = sent(&app, &record).await.expect(200);
        assert_eq!(claims(&verdict["proven"]), ["reports-unaltered", "secrets-as-committed", "key-published"]);
        assert_eq!(claims(&verdict["not_proven"])[0], "answers-true");
        verdict["record"]["stage"].clone()
    };
    assert_eq!(stage().await, "under-way");
    anna.acts(&id, json!({ "type": "abort" })).await.expect(200);
    assert_eq!(stage().await, "called-off");
}

#[actix_web::test]
async fn what_does_not_fit_is_named_with_its_place_in_english_and_french() {
    let app = TestApp::start().await;
    let (.., record) = played(&app).await;
    let whole: Value = serde_json::from_slice(&record).unwrap();
    let mut altered = whole.clone();
    let first = altered["reports"][0]["first"].as_u64().unwrap();
    altered["reports"][0]["first"] = json!(1 - first);
    let verdict = sent(&app, altered.to_string().as_bytes()).await.expect(200);
    assert_eq!((&verdict["holds"], &verdict["record"]), (&json!(false), &json!(null)));
    assert_eq!((&verdict["proven"], &verdict["not_proven"]), (&json!([]), &json!([])));
    let fault = |pointer: &str| {
        let faults = verdict["faults"].as_array().unwrap();
        faults.iter().find(|fault| fault["pointer"] == pointer).unwrap_or_else(|| panic!("{verdict}")).clone()
    };
    assert_eq!(fault("/reports/0/first")["detail"], format!("it should be {first}"));
    assert_eq!(fault("/signature/value")["code"], "record-wrong-signature");
    let french = plain("POST", CHECK, Some(altered)).insert_header(("accept-language", "fr"));
    let french = app.send(french).await;
    assert_eq!(french.header("content-language"), Some("fr"));
    let french = french.expect(200);
    assert!(french["faults"].to_string().contains(&format!("cela devrait être {first}")), "{french}");
    // Every sentence of a verdict has a translation.
    let good = plain("POST", CHECK, Some(whole)).insert_header(("accept-language", "fr"));
    let good = app.send(good).await.expect(200);
    let english = sent(&app, &record).await.expect(200);
    for list in ["proven", "not_proven"] {
        for (one, other) in good[list].as_array().unwrap().iter().zip(english[list].as_array().unwrap()) {
            assert_eq!(one["claim"], other["claim"]);
            assert_ne!(one["detail"], other["detail"], "it is not translated");
        }
    }
}

#[actix_web::test]
async fn a_record_that_another_server_has_signed_is_not_ours() {
    let (ours, other) = (TestApp::start().await, TestApp::start().await);
    let (.., record) = played(&other).await;
    let verdict = sent(&ours, &record).await.expect(200);
    assert_eq!(verdict["holds"], false);
    assert_eq!(verdict["faults"][0]["pointer"], "/signature/key");
    assert_eq!(verdict["faults"][0]["code"], "record-unknown-key");
    assert_eq!(sent(&other, &record).await.expect(200)["holds"], true);
}

#[actix_web::test]
async fn what_is_no_record_is_refused() {
    let app = TestApp::start().await;
    let (.., record) = played(&app).await;
    let refused = sent(&app, b"[]").await;
    refused.problem(422, "validation-failed");
    assert_eq!(refused.pointers(), [""]);
    let refused = sent(&app, b"{\"version\": 3}").await;
    refused.problem(422, "validation-failed");
    assert_eq!(refused.pointers(), ["/format"]);
    sent(&app, b"{\"format\": 3}").await.problem(422, "validation-failed");
    sent(&app, &record[..record.len() / 2]).await.problem(400, "malformed-json");
    sent(&app, b"\xff").await.problem(400, "malformed-json");
    // An object with a text as its `format` is judged as a record.
    let verdict = sent(&app, b"{\"format\": \"another\"}").await.expect(200);
    assert_eq!((&verdict["holds"], &verdict["faults"][0]["code"]), (&json!(false), &json!("record-malformed")));
    // A name of any length is truncated for display.
    let long = format!("{{\"format\": \"1\", \"{}\": 2}}", "x".repeat(100_000));
    let verdict = sent(&app, long.as_bytes()).await.expect(200);
    assert_eq!(verdict["faults"][0]["detail"].as_str().unwrap().chars().count(), 400);
}

#[actix_web::test]
async fn a_record_may_be_longer_than_other_bodies_but_not_endless() {
    let app = TestApp::start().await;
    let (.., record) = played(&app).await;
    let padded = |length: usize| {
        let mut bytes = record.clone();
        bytes.resize(length, b' ');
        bytes
    };
    let limit = broadside::verify::MAX_RECORD;
    assert_eq!(sent(&app, &padded(limit)).await.expect(200)["holds"], true);
    sent(&app, &padded(limit + 1)).await.problem(413, "content-too-large");
}

#[actix_web::test]
async fn only_so_many_are_checked_at_a_time() {
    let app = TestApp::start().await;
    let (.., record) = played(&app).await;
    let places = app.app.record_checks.clone();
    let all = places.acquire_many(32).await.unwrap();
    assert_eq!(places.available_permits(), 0);
    let refused = sent(&app, &record).await;
    refused.problem(503, "overloaded");
    assert_eq!(refused.header("retry-after"), Some("5"));
    drop(all);
    assert_eq!(sent(&app, &record).await.expect(200)["holds"], true);
    assert_eq!(places.available_permits(), 32);
}

#[actix_web::test]
async fn a_long_record_costs_more() {
    let budgets = ProcessorBudgets { account_ms: 400, address_ms: 0, anonymous_ms: 100 };
    let app = TestApp::with(Setup { rate_limits: true, budgets, ..Setup::default() }).await;
    let (.., mut record) = played(&app).await;
    let carl = app.player("carl").await;
    let check = async |bytes: &[u8]| {
        let request = carl.signed(plain("POST", CHECK, None)).insert_header(("content-type", "application/json"));
        carl.app.send(request.set_payload(bytes.to_vec())).await
    };
    assert_eq!(check(&record).await.expect(200)["holds"], true);
    // 2 MiB cost 512 ms, more than Carl's budget; a quarter of that fits.
    let short = record.len();
    record.resize(2 * 1024 * 1024, b' ');
    check(&record).await.problem(429, "too-many-requests");
    record.resize(512 * 1024, b' ');
    assert_eq!(check(&record).await.expect(200)["holds"], true);
    assert!(short < 100 * 1024, "a short match is within the price");
}

#[actix_web::test]
async fn a_record_that_is_made_to_take_long_does_not() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let id = anna.challenges_and_meets(&ben, json!({})).await;
    let running = anna.get(&record_of(&id)).await.expect(200);
    // Thousands of seats, for a quadratic comparison.
    let mut crowded = running.clone();
    let seat =
        |number: usize| json!({ "seat": number % 200, "player": "x", "bot": false, "wish": null, "nonce": null });
    crowded["header"]["seats"] = (0..30_000).map(seat).collect();
    // Thousands of commitments by one seat, and as many secrets of the other that have to be looked up among them.
    let mut sealed = running;
    let at = sealed["header"]["created_at"].clone();
    let secret = json!({ "at": at, "seat": 1, "action": { "type": "resign" }, "salt": "0".repeat(64) });
    sealed["reports"] = vec![json!({ "type": "sealed", "seat": 0 }); 30_000].into();
    sealed["log"] = vec![secret; 6_000].into();
    for (what, record) in [("seats", crowded), ("secrets", sealed)] {
        let text = record.to_string();
        assert!(text.len() < 2 * 1024 * 1024, "{what}: {}", text.len());
        let begun = Instant::now();
        assert!(record::verify(&text).is_err());
        let took = begun.elapsed();
        assert!(took < Duration::from_secs(8), "{what}: {took:?}");
    }
}
