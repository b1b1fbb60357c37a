//! Offers of bots: they are listed until they expire.

use serde_json::{Value, json};

use crate::support::{Player, TestApp};

const PATH: &str = "/v1/account/bot-offer";

async fn bot(app: &TestApp, name: &str) -> Player {
    let player = app.lasting_player(name).await;
    player.request("PATCH", "/v1/account", Some(json!({ "bot": true }))).await.expect(200);
    player
}

async fn offers(player: &Player, offer: Value) -> Value {
    player.request("PUT", PATH, Some(offer)).await.expect(200)
}

async fn listed(app: &TestApp, query: &str) -> Vec<String> {
    let page = app.get(&format!("/v1/bots?{query}")).await.expect(200);
    let names = page["items"].as_array().unwrap().iter().map(|bot| bot["player"]["username"].as_str().unwrap());
    let mut names: Vec<String> = names.map(str::to_owned).collect();
    names.sort_unstable();
    names
}

#[actix_web::test]
async fn a_bot_is_listed_with_what_it_accepts_as_long_as_it_says_so() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    anna.request("PUT", PATH, Some(json!({}))).await.problem(409, "not-a-bot");
    let (robin, kim) = (bot(&app, "robin").await, bot(&app, "kim").await);
    let shown = offers(&robin, json!({})).await;
    let offer = json!({
        "level": null, "description": null, "variants": null, "custom_rules": false, "rated": false, "max_seats": 2,
        "min_move_s": 5, "max_matches": 1, "expires_at": "2026-11-21T07:40:00.000Z",
    });
    assert_eq!(shown["offer"], offer, "the defaults promise little");
    assert_eq!((&shown["player"]["username"], &shown["running_matches"]), (&json!("robin"), &json!(0)));
    let more = json!({
        "level": "strong", "description": "Weighs every shot.", "variants": ["salvos", "classic", "classic"],
        "custom_rules": true, "rated": true, "max_seats": 4, "min_move_s": 60, "max_matches": 20, "available_for_s": 900,
    });
    let shown = offers(&kim, more).await["offer"].clone();
    assert_eq!(shown["variants"], json!(["classic", "salvos"]));
    assert_eq!((&shown["level"], &shown["expires_at"]), (&json!("strong"), &json!("2026-11-21T07:45:00.000Z")));
    assert_eq!(listed(&app, "").await, ["kim", "robin"]);
    assert_eq!(listed(&app, "variant=classic").await, ["kim", "robin"]);
    assert_eq!(listed(&app, "variant=paper").await, ["robin"], "who says nothing plays every variant");
    assert_eq!(listed(&app, "level=strong").await, ["kim"]);
    let first = app.get("/v1/bots?limit=1").await.expect(200);
    let next = format!("limit=1&cursor={}", first["next_cursor"].as_str().unwrap());
    let names = [&listed(&app, "limit=1").await[..], &listed(&app, &next).await[..]].concat();
    assert!(names == ["kim", "robin"] || names == ["robin", "kim"], "each once: {names:?}");
    kim.challenges_and_meets(&robin, json!({})).await;
    let page = app.get("/v1/bots").await.expect(200);
    assert_eq!((&page["items"][0]["running_matches"], &page["items"][1]["running_matches"]), (&json!(1), &json!(1)));

    app.passes_unseen_s(600);
    assert_eq!(listed(&app, "").await, ["kim"], "the first offer has lapsed");
    offers(&robin, json!({ "max_matches": 3 })).await;
    kim.request("DELETE", PATH, None).await.expect(204);
    kim.request("DELETE", PATH, None).await.expect(204);
    assert_eq!(listed(&app, "").await, ["robin"]);
    robin.request("PATCH", "/v1/account", Some(json!({ "bot": false }))).await.expect(200);
    assert!(listed(&app, "").await.is_empty(), "it no longer says that it is a bot");
}

#[actix_web::test]
async fn what_is_out_of_bounds_is_named() {
    let app = TestApp::start().await;
    let robin = bot(&app, "robin").await;
    let wrong = json!({
        "level": "divine", "description": " ", "variants": ["classic", "chess"], "max_seats": 8, "min_move_s": 4,
        "max_matches": 0, "available_for_s": 59,
    });
    let refused = robin.request("PUT", PATH, Some(wrong)).await.problem(422, "validation-failed");
    let at = |list: &Value| -> Vec<String> {
        let faults = list["errors"].as_array().unwrap().iter().map(|fault| fault["pointer"].as_str().unwrap());
        faults.map(str::to_owned).collect()
    };
    assert_eq!(at(&refused), ["/level", "/description", "/variants/1"]);
    let wrong = json!({ "max_seats": 8, "min_move_s": 4, "max_matches": 0, "available_for_s": 59 });
    let refused = robin.request("PUT", PATH, Some(wrong)).await.problem(422, "validation-failed");
    assert_eq!(at(&refused), ["/max_seats", "/min_move_s", "/max_matches", "/available_for_s"]);
    assert_eq!(listed(&app, "variant=chess").await, Vec::<String>::new());
    app.get("/v1/bots?level=divine").await.problem(422, "validation-failed");
}

#[actix_web::test]
async fn whoever_is_suspended_or_gone_is_not_listed() {
    let app = TestApp::start().await;
    let (mia, robin, kim) = (app.moderator("mia").await, bot(&app, "robin").await, bot(&app, "kim").await);
    offers(&robin, json!({})).await;
    offers(&kim, json!({})).await;
    let why = json!({ "reason": "a broken program", "expires_in_s": 300 });
    mia.post("/v1/moderation/players/robin/suspend", why).await.expect(204);
    assert_eq!(listed(&app, "").await, ["kim"]);
    robin.request("PUT", PATH, Some(json!({}))).await.problem(403, "account-suspended");
    app.passes_unseen_s(300);
    assert_eq!(listed(&app, "").await, ["kim", "robin"], "the suspension is over, and the offer stands");
    let export = kim.signed_in().await.get("/v1/account/export").await.expect(200);
    assert_eq!(export["bot_offer"]["max_matches"], 1);
    let proof = json!({ "password": kim.password });
    kim.signed_in().await.request("DELETE", "/v1/account", Some(proof)).await.expect(204);
    assert_eq!(listed(&app, "").await, ["robin"]);
}
