//! Hit analysis over HTTP, for moderators: are a player's hits better than the reports could explain?

use serde_json::{Value, json};

use crate::substitutes::{answers, asks, is_ready};
use crate::support::fleets::{NORTH_WEST, SOUTH_EAST, cells};
use crate::support::{Player, TestApp};

async fn analysis(moderator: &Player, name: &str, query: &str) -> Value {
    moderator.get(&format!("/v1/moderation/players/{name}/hit-analysis{query}")).await.expect(200)
}

/// Both place their fleets; Anna fires at these cells in turn, Ben at water, and then Ben leaves.
async fn anna_fires(anna: &Player, ben: &Player, targets: &[&str]) -> String {
    let id = anna.challenges_and_meets(ben, json!({})).await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    let water = ('F'..='J').flat_map(|row| (1..=5).map(move |column| format!("{row}{column}")));
    for (cell, answer) in targets.iter().zip(water) {
        anna.fires(&id, &[cell]).await;
        if anna.sees(&id).await["status"] == "finished" {
            return id;
        }
        ben.fires(&id, &[&answer]).await;
    }
    ben.acts(&id, json!({ "type": "resign" })).await.expect(200);
    id
}

#[actix_web::test]
async fn who_never_misses_is_found_and_who_shoots_by_chance_is_not() {
    let app = TestApp::start().await;
    let (anna, ben, mia) = (app.player("anna").await, app.player("ben").await, app.moderator("mia").await);
    let nothing = analysis(&mia, "anna", "").await;
    assert_eq!((&nothing["matches"], &nothing["total"]["evidence"]), (&json!([]), &json!(1.0)));
    let water = ["A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8"];
    anna_fires(&anna, &ben, &water).await;
    let shown = analysis(&mia, "anna", "").await;
    assert_eq!((&shown["total"]["shots"], &shown["total"]["hits"]), (&json!(8), &json!(0)));
    let expected = shown["total"]["expected_hits"].as_f64().unwrap();
    assert!((0.4..1.6).contains(&expected), "eight shots along the edge: {expected}");
    assert_eq!((&shown["total"]["evidence"], &shown["is_suspect"]), (&json!(1.0), &json!(false)));
    // From here on she knows the fleet's position.
    let mut ids = Vec::new();
    for _ in 0..4 {
        app.passes_s(60).await;
        ids.push(anna_fires(&anna, &ben, &cells(SOUTH_EAST)).await);
    }
    let shown = analysis(&mia, "anna", "").await;
    assert_eq!((&shown["player"]["username"], &shown["is_suspect"]), (&json!("anna"), &json!(true)));
    let after: Vec<f64> =
        shown["matches"].as_array().unwrap().iter().map(|one| one["after"]["evidence"].as_f64().unwrap()).collect();
    assert!(after.is_sorted() && after[4] >= shown["suspect_from"].as_f64().unwrap(), "{after:?}");
    // Deterministic; limited to the newest matches only on request.
    assert_eq!(analysis(&mia, "anna", "").await, shown);
    let newest = analysis(&mia, "Anna", "?matches=2").await;
    let looked_at: Vec<&Value> = newest["matches"].as_array().unwrap().iter().map(|one| &one["match_id"]).collect();
    assert_eq!(looked_at, [&json!(ids[2]), &json!(ids[3])]);
    // Ben has only fired at water.
    assert_eq!(analysis(&mia, "ben", "").await["is_suspect"], false);
}

#[actix_web::test]
async fn a_substitute_is_judged_by_their_own_shots() {
    let app = TestApp::start().await;
    let (anna, ben, mia) = (app.player("anna").await, app.player("ben").await, app.moderator("mia").await);
    let carl = app.player("carl").await;
    let id = anna.challenges_and_meets(&ben, json!({})).await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    for (cell, answer) in cells(SOUTH_EAST).iter().zip(["F1", "F2", "F3"]) {
        anna.fires(&id, &[cell]).await;
        ben.fires(&id, &[answer]).await;
    }
    let wanted = asks(&anna, &id, json!({ "player": "carl" })).await.expect(201);
    is_ready(&carl, &wanted).await.expect(204);
    answers(&ben, &wanted, true).await.expect(204);
    carl.fires(&id, &["A1"]).await;
    ben.acts(&id, json!({ "type": "resign" })).await.expect(200);
    let total = analysis(&mia, "carl", "").await["total"].clone();
    assert_eq!((&total["shots"], &total["hits"]), (&json!(1), &json!(0)));
}

#[actix_web::test]
async fn it_is_for_moderators_and_asks_for_a_player_and_a_number() {
    let app = TestApp::start().await;
    let (anna, mia) = (app.player("anna").await, app.moderator("mia").await);
    anna.get("/v1/moderation/players/mia/hit-analysis").await.problem(403, "role-required");
    mia.get("/v1/moderation/players/nobody/hit-analysis").await.problem(404, "not-found");
    for wrong in ["0", "51", "many"] {
        let path = format!("/v1/moderation/players/anna/hit-analysis?matches={wrong}");
        assert_eq!(mia.get(&path).await.pointers(), ["/matches"]);
    }
}

#[actix_web::test]
async fn a_match_under_way_says_nothing() {
    let app = TestApp::start().await;
    let (anna, ben, mia) = (app.player("anna").await, app.player("ben").await, app.moderator("mia").await);
    let id = anna.challenges_and_meets(&ben, json!({})).await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    anna.fires(&id, &[cells(SOUTH_EAST)[0]]).await;
    assert_eq!(analysis(&mia, "anna", "").await["matches"], json!([]));
    // A match by rules with moving ships doesn't count either.
    app.passes_s(60).await;
    let moved = anna.challenges_and_meets(&ben, json!({ "variant": "officers" })).await;
    for player in [&anna, &ben] {
        player.acts(&moved, json!({ "type": "deploy-auto" })).await.expect(200);
    }
    ben.acts(&moved, json!({ "type": "resign" })).await.expect(200);
    assert_eq!(analysis(&mia, "anna", "").await["matches"], json!([]));
}
