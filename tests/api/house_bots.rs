//! House bots over a real socket: whole matches, restarts, and declined challenges.

use std::os::unix::fs::PermissionsExt;

use broadside_house_bots::Limits;
use broadside_rules::variants;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::house::{House, Served, bots, generous, hears_of, plays_against_bots};
use crate::support::{Player, TestApp};

/// A minute per move: nobody moves the clock, so a bot that doesn't act is never saved by it.
const CLOCK: &str = r#"{"kind": "per-move", "move_s": 60}"#;

fn terms(variant: &str, opponent: &str) -> Value {
    let clock: Value = serde_json::from_str(CLOCK).unwrap();
    json!({ "variant": variant, "clock": clock, "opponent": opponent })
}

fn with(mut terms: Value, more: Value) -> Value {
    terms.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    terms
}

/// Challenges a bot, which accepts at once; returns the match.
async fn meets(player: &Player, terms: Value) -> String {
    let challenge = player.post("/v1/challenges", terms).await.expect(201);
    let path = format!("/v1/challenges/{}", challenge["id"].as_str().unwrap());
    loop {
        let now = player.get(&path).await.expect(200);
        if let Some(id) = now["match_id"].as_str() {
            return id.to_owned();
        }
        assert_eq!(now["status"], "open", "{}", now["reason"]);
        tokio::task::yield_now().await;
    }
}

/// The first variant of each family, and a bot that plays it.
async fn one_of_each(app: &TestApp) -> Vec<(&'static str, String)> {
    let mut found: Vec<(&'static str, String)> = Vec::new();
    let mut families = Vec::new();
    for variant in variants().iter().filter(|variant| variant.seats().0 == 2) {
        if !families.contains(&variant.family) {
            families.push(variant.family);
            let count = if variant.seats().1 > 2 { 2 } else { 1 };
            found.push((variant.id, bots(app, &format!("variant={}", variant.id), count).await.remove(0)));
        }
    }
    found
}

#[actix_web::test]
async fn a_bot_of_each_family_plays_a_match_to_its_end() {
    let app = TestApp::start().await;
    let (served, folder) = (Served::start(&app, "127.0.0.1:0"), TempDir::new().unwrap());
    let house = House::start(served.address, folder.path(), generous());
    let anna = app.lasting_player("anna").await;
    let each = one_of_each(&app).await;
    assert!(each.len() >= 3, "{each:?}");
    for (variant, bot) in each {
        let id = meets(&anna, terms(variant, &bot)).await;
        let end = plays_against_bots(&anna, &id, 5000).await;
        assert!(!end["result"].is_null() && end["result"]["reason"] != "time", "{variant}: {}", end["result"]);
        assert_eq!(end["seats"][1]["player"]["bot"], true);
    }
    house.stop().await;
    served.stop().await;
}

#[actix_web::test]
async fn bots_play_by_changed_rules_and_take_several_seats() {
    let app = TestApp::start().await;
    let (served, folder) = (Served::start(&app, "127.0.0.1:0"), TempDir::new().unwrap());
    let house = House::start(served.address, folder.path(), generous());
    let anna = app.lasting_player("anna").await;
    let bot = bots(&app, "variant=classic", 1).await.remove(0);
    let board = json!({ "rule_set": { "board": { "rows": 8, "columns": 12, "labels": "row-letter" } } });
    let id = meets(&anna, with(terms("classic", &bot), board)).await;
    let end = plays_against_bots(&anna, &id, 5000).await;
    assert!(!end["result"].is_null(), "it is over");
    let wide = variants().iter().find(|variant| variant.seats().1 > 2).unwrap();
    let invited = bots(&app, &format!("variant={}", wide.id), 2).await;
    let clock: Value = serde_json::from_str(CLOCK).unwrap();
    let offer = json!({ "variant": wide.id, "clock": clock, "seats": 3, "invited": invited });
    let id = meets(&anna, offer).await;
    let view = plays_against_bots(&anna, &id, 5000).await;
    assert!(!view["result"].is_null(), "it is over");
    let others: Vec<&Value> = view["seats"].as_array().unwrap().iter().skip(1).map(|seat| &seat["player"]).collect();
    assert!(others.iter().all(|player| player["bot"] == true), "{others:?}");
    house.stop().await;
    served.stop().await;
}

#[actix_web::test]
async fn a_match_goes_on_after_restarts_of_the_bots_and_of_the_service() {
    let app = TestApp::start().await;
    let (served, folder) = (Served::start(&app, "127.0.0.1:0"), TempDir::new().unwrap());
    let address = served.address;
    let house = House::start(address, folder.path(), generous());
    let anna = app.lasting_player("anna").await;
    let bot = bots(&app, "variant=classic", 1).await.remove(0);
    let id = meets(&anna, terms("classic", &bot)).await;
    plays_against_bots(&anna, &id, 5).await;

    // The bots stop: they are no longer listed, and their secrets stay unreadable.
    house.stop().await;
    assert!(bots(&app, "", 0).await.is_empty());
    let file = folder.path().join(format!("{bot}.json"));
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let kept = std::fs::read_to_string(&file).unwrap();
    while let Some(example) = anna.example(&id).await {
        anna.acts(&id, example).await.expect(200);
    }
    // They resume their open work, with the same account.
    let house = House::start(address, folder.path(), generous());
    plays_against_bots(&anna, &id, 5).await;
    assert_eq!(std::fs::read_to_string(&file).unwrap(), kept);

    // Another process takes over with an empty cache; the bots reconnect by themselves.
    served.stop().await;
    let app = app.restarted().await;
    let served = Served::start(&app, &address.to_string());
    let anna = anna.at(&app);
    let end = plays_against_bots(&anna, &id, 5000).await;
    assert!(!end["result"].is_null(), "it is over");
    house.stop().await;
    served.stop().await;
}

#[actix_web::test]
async fn what_a_bot_has_not_published_it_declines() {
    let app = TestApp::start().await;
    let (served, folder) = (Served::start(&app, "127.0.0.1:0"), TempDir::new().unwrap());
    let limits = Limits { matches: 1, min_move_s: 30, rated: false, custom_rules: false };
    let house = House::start(served.address, folder.path(), limits);
    let anna = app.lasting_player("anna").await;
    let bot = bots(&app, "variant=classic", 1).await.remove(0);
    let listed = app.get("/v1/bots?variant=classic").await.expect(200)["items"][0].clone();
    let offer = &listed["offer"];
    assert_eq!((&offer["level"], &offer["min_move_s"], &offer["max_matches"]), (&json!("easy"), &json!(30), &json!(1)));
    assert_eq!((&offer["rated"], &offer["custom_rules"]), (&json!(false), &json!(false)));
    assert!(offer["description"].as_str().unwrap().starts_with("Rating "), "{offer}");
    let other = variants().iter().find(|variant| !offer["variants"].as_array().unwrap().contains(&json!(variant.id)));
    let board = json!({ "rows": 8, "columns": 12, "labels": "row-letter" });
    let declined = [
        (json!({ "rated": true }), "only-unrated"),
        (json!({ "clock": { "kind": "per-move", "move_s": 29 } }), "too-fast"),
        (json!({ "rule_set": { "board": board } }), "preset-rules"),
        (json!({ "variant": other.unwrap().id }), "other-variant"),
    ];
    for (change, reason) in declined {
        anna.post("/v1/challenges", with(terms("classic", &bot), change.clone())).await.expect(201);
        declines(&anna, reason).await;
    }
    let id = meets(&anna, terms("classic", &bot)).await;
    anna.post("/v1/challenges", terms("classic", &bot)).await.expect(201);
    declines(&anna, "later").await;
    anna.acts(&id, json!({ "type": "resign" })).await;
    house.stop().await;
    served.stop().await;
}

/// Asserts the reason of the last declined challenge.
async fn declines(player: &Player, reason: &str) {
    loop {
        let event = hears_of(player, "challenge-declined").await;
        if event["reason"] == reason {
            return;
        }
        tokio::task::yield_now().await;
    }
}

#[actix_web::test]
async fn a_bot_whose_token_is_revoked_signs_in_again_and_one_whose_name_is_taken_takes_the_next() {
    let app = TestApp::start().await;
    let (served, folder) = (Served::start(&app, "127.0.0.1:0"), TempDir::new().unwrap());
    let house = House::start(served.address, folder.path(), generous());
    let bot = bots(&app, "variant=classic", 1).await.remove(0);
    let file = folder.path().join(format!("{bot}.json"));
    let kept: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let credentials = json!({ "username": bot, "password": kept["password"] });
    let signed_in = app.post("/v1/sessions", credentials).await.expect(201);
    let token = signed_in["access_token"].as_str().unwrap();
    let anna = app.lasting_player("anna").await;
    let owner = anna.with_token(token);
    let tokens = owner.get("/v1/account/tokens").await.expect(200);
    let path = format!("/v1/account/tokens/{}", tokens["items"][0]["id"].as_str().unwrap());
    owner.request("DELETE", &path, None).await.expect(204);
    // The stream ends when the token expires, at the latest with the next event. Then the bot reconnects.
    let id = meets(&anna, terms("classic", &bot)).await;
    plays_against_bots(&anna, &id, 3).await;
    house.stop().await;

    std::fs::remove_file(&file).unwrap();
    let house = House::start(served.address, folder.path(), generous());
    let next = bots(&app, "variant=classic", 1).await.remove(0);
    assert_eq!(next, format!("{bot}-2"));
    house.stop().await;
    served.stop().await;
}
