//! Entry limits of ladders and tournaments: shown in advance, and enforced on joining.

use serde_json::{Value, json};

use crate::support::{Player, TestApp};
use crate::tournaments::tournament;

const DAY_S: i64 = 86_400;

fn codes(refused: &Value) -> Vec<&str> {
    refused["errors"].as_array().unwrap().iter().map(|fault| fault["code"].as_str().unwrap()).collect()
}

async fn reasons(who: &Player, path: &str) -> Value {
    who.get(path).await.expect(200)["eligibility"]["join"]["reasons"].clone()
}

#[actix_web::test]
async fn a_ladder_asks_for_a_rating_and_for_an_account_of_some_age() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let limits = json!({ "min_rating": 1600, "max_rating": 1800, "min_account_age_days": 2, "max_pairings": 3 });
    let path = format!("/v1/ladders/{}", anna.makes_ladder(limits).await);
    let shown = ben.get(&path).await.expect(200);
    for (limit, value) in [("min_rating", 1600), ("max_rating", 1800), ("min_account_age_days", 2)] {
        assert_eq!(shown[limit], value);
    }
    assert_eq!(reasons(&ben, &path).await, json!(["rating-too-low", "account-too-new"]));
    let refused = ben.post(&format!("{path}/join"), json!({})).await.problem(422, "not-eligible");
    assert_eq!(codes(&refused), ["rating-too-low", "account-too-new"]);
    let detail = refused["errors"][0]["detail"].as_str().unwrap();
    assert!(detail.starts_with("It asks for a rating of 1600 at least in the pool classic-days; yours is"), "{detail}");

    anna.request("PATCH", &path, Some(json!({ "min_rating": null }))).await.expect(200);
    assert_eq!(reasons(&ben, &path).await, json!(["account-too-new"]));
    app.passes_s(2 * DAY_S + 3600).await;
    assert_eq!(reasons(&ben, &path).await, json!([]));
    ben.post(&format!("{path}/join"), json!({})).await.expect(200);
    // A member stays, even if the limits change, and may still change preferences.
    anna.request("PATCH", &path, Some(json!({ "max_rating": 1400 }))).await.expect(200);
    assert_eq!(reasons(&anna, &path).await, json!(["rating-too-high"]));
    let wish = json!({ "wanted_pairings": 2 });
    assert_eq!(ben.post(&format!("{path}/join"), wish).await.expect(200)["membership"]["wanted_pairings"], 2);
    ben.post(&format!("{path}/leave"), json!({})).await.expect(200);
    let refused = ben.post(&format!("{path}/join"), json!({})).await.problem(422, "not-eligible");
    assert_eq!(codes(&refused), ["rating-too-high"]);
}

#[actix_web::test]
async fn a_tournament_asks_for_an_account_of_some_age() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let path = tournament(&anna, &[], json!({ "min_account_age_days": 3 })).await;
    app.passes_s(2 * DAY_S).await;
    assert_eq!(reasons(&ben, &path).await, json!(["account-too-new"]));
    let refused = ben.post(&format!("{path}/join"), json!({})).await.problem(422, "not-eligible");
    assert_eq!(codes(&refused), ["account-too-new"]);
    app.passes_s(DAY_S + 3600).await;
    assert_eq!(ben.post(&format!("{path}/join"), json!({})).await.expect(200)["players"], 1);
}

#[actix_web::test]
async fn limits_that_nobody_could_meet_are_refused() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let wrong = crate::ladders::terms(json!({ "min_rating": 2000, "max_rating": 1000, "min_account_age_days": 4000 }));
    let refused = anna.post("/v1/ladders", wrong).await.problem(422, "validation-failed");
    assert_eq!(codes(&refused), ["conflicting-fields", "out-of-range"]);
    assert_eq!(refused["errors"][1]["detail"], "must be 1 to 3650 days");
}
