//! The contract: committed, complete, and true.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::{Player, TestApp};

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

/// The examples of the requests, by operation; each is taken out when it has been sent.
struct Examples(BTreeMap<String, (String, String, Value, u16)>);

impl Examples {
    fn of(document: &Value) -> Self {
        let mut all = BTreeMap::new();
        operations(document, |path, method, operation| {
            let example = &operation["requestBody"]["content"]["application/json"]["example"];
            if !example.is_null() {
                let success = operation["responses"].as_object().unwrap().keys().find(|status| status.starts_with('2'));
                let success = success.unwrap().parse().unwrap();
                let id = operation["operationId"].as_str().unwrap().to_owned();
                all.insert(id, (method.to_uppercase(), path.to_owned(), example.clone(), success));
            }
        });
        Self(all)
    }

    /// Sends the example of an operation, and gets what the contract promises.
    async fn sends(&mut self, who: &Player, operation: &str, id: &str) -> Value {
        let (method, path, example, success) = self.0.remove(operation).unwrap();
        let answer = who
            .request(
                &method,
                &path.replace("{id}", id).replace("{room}", "players").replace("{number}", "1"),
                Some(example),
            )
            .await;
        assert_eq!(answer.status, success, "{operation}: {}", answer.text());
        if answer.body.is_empty() { Value::Null } else { answer.json() }
    }
}

#[actix_web::test]
async fn every_example_does_what_the_contract_says() {
    let app = TestApp::start().await;
    let document: Value = serde_json::from_str(&committed("broadside.json")).unwrap();
    let mut examples = Examples::of(&document);
    let ben = app.player("ben").await;
    let offers = async |to: &str| {
        let offer = json!({ "variant": "classic", "clock": { "kind": "none" }, "opponent": to });
        ben.post("/v1/challenges", offer).await.expect(201)["id"].as_str().unwrap().to_owned()
    };

    let registered = examples.sends(&ben, "create_account", "").await;
    let signed_in = examples.sends(&ben, "create_session", "").await;
    let name = registered["account"]["username"].as_str().unwrap();
    let anna = Player { name: name.to_owned(), ..ben.with_token(signed_in["access_token"].as_str().unwrap()) };

    examples.sends(&anna, "update_account", "").await;
    examples.sends(&anna, "replace_mail_settings", "").await;
    examples.sends(&anna, "create_token", "").await;
    examples.sends(&anna, "create_stream_ticket", "").await;
    examples.sends(&anna, "replace_calendar", "").await;
    examples.sends(&anna, "create_calendar_feed", "").await;
    examples.sends(&anna, "check_rule_set", "").await;
    let rule_set = examples.sends(&anna, "create_rule_set", "").await;
    of_webhooks(&mut examples, &anna).await;
    of_tournaments(&mut examples, &anna, &ben).await;
    examples.sends(&anna, "create_challenge", "").await;
    examples.sends(&anna, "decline_challenge", &offers(name).await).await;
    let accepted = examples.sends(&anna, "accept_challenge", &offers(name).await).await;
    let id = accepted["match_id"].as_str().unwrap();
    ben.acts(id, json!({ "type": "deploy-auto" })).await.expect(200);
    examples.sends(&anna, "submit_action", id).await;
    examples.sends(&anna, "replace_standing_orders", id).await;
    examples.sends(&anna, "send_message", id).await;
    let dora = app.player("dora").await;
    let other = anna.challenges_and_meets(&dora, json!({})).await;
    dora.post(&format!("/v1/matches/{other}/chat/players"), json!({ "text": "you again" })).await.expect(201);
    examples.sends(&anna, "report_message", &other).await;
    examples.sends(&anna, "replace_match_notes", id).await;
    ben.acts(id, json!({ "type": "abort" })).await.expect(200);
    examples.sends(&anna, "request_rematch", id).await;
    of_ladders(&mut examples, &anna).await;

    of_places(&app, &mut examples, &anna, &ben, &dora).await;
    of_moderation(&mut examples, &app, rule_set["hash"].as_str().unwrap()).await;

    of_bots_and_guests(&app, &mut examples).await;

    // No example can hold a refresh token that is good: it is sent with a real one in its place, and refused as it
    // stands.
    let (_, path, example, success) = examples.0.remove("refresh_session").unwrap();
    ben.post(&path, example).await.problem(401, "token-unknown");
    ben.post(&path, json!({ "refresh_token": signed_in["refresh_token"] })).await.expect(success);

    // Both of these name the password that the account was made with, and only one can come last.
    let carl = json!({ "username": "carl", "password": example_password(&document) });
    let carl = app.post("/v1/accounts", carl).await.expect(201);
    let carl = ben.with_token(carl["access_token"].as_str().unwrap());
    examples.sends(&carl, "change_password", "").await;
    examples.sends(&anna, "delete_account", "").await;
    // A week of vacation has to be earned: the token does not expire while time passes.
    let emil = app.lasting_player("emil").await;
    app.passes_s(200 * 86_400).await;
    examples.sends(&emil, "create_vacation", "").await;
    assert!(examples.0.is_empty(), "never sent: {:?}", examples.0.keys());
}

async fn of_bots_and_guests(app: &TestApp, examples: &mut Examples) {
    let robin = app.player("robin").await;
    robin.request("PATCH", "/v1/account", Some(json!({ "bot": true }))).await.expect(200);
    examples.sends(&robin, "replace_bot_offer", "").await;
    let (_, path, example, success) = examples.0.remove("create_guest").unwrap();
    let guest = app.post(&path, example).await.expect(success);
    let guest = robin.with_token(guest["access_token"].as_str().unwrap());
    examples.sends(&guest, "claim_account", "").await;
}

/// Those of a ladder with places: anna has position 1, ben challenges anna, and dora challenges ben.
async fn of_places(app: &TestApp, examples: &mut Examples, anna: &Player, ben: &Player, dora: &Player) {
    let ladder = json!({ "title": "A wall", "format": "position", "variant": "classic", "clock": { "kind": "per-move", "move_s": 86_400 } });
    let ladder = anna.post("/v1/ladders", ladder).await.expect(201);
    let ladder = ladder["id"].as_str().unwrap();
    for player in [anna, ben, dora] {
        player.post(&format!("/v1/ladders/{ladder}/join"), json!({})).await.expect(200);
    }
    let received = examples.sends(ben, "create_ladder_challenge", ladder).await;
    let other = json!({ "opponent": "ben" });
    let other = dora.post(&format!("/v1/ladders/{ladder}/challenges"), other).await.expect(201);
    let back = app.player("theo").await;
    back.post(&format!("/v1/ladders/{ladder}/join"), json!({})).await.expect(200);
    let taken_back = json!({ "opponent": "dora" });
    let taken_back = back.post(&format!("/v1/ladders/{ladder}/challenges"), taken_back).await.expect(201);
    // The second id in the path is the challenge's.
    let answers = [
        ("accept_ladder_challenge", anna, received),
        ("decline_ladder_challenge", ben, other),
        ("withdraw_ladder_challenge", &back, taken_back),
    ];
    for (operation, who, challenge) in answers {
        let (method, path, example, success) = examples.0.remove(operation).unwrap();
        let path = path.replace("{id}", ladder).replace("{challenge_id}", challenge["id"].as_str().unwrap());
        who.request(&method, &path, Some(example)).await.expect(success);
    }
}

/// Those of a tournament.
async fn of_tournaments(examples: &mut Examples, anna: &Player, ben: &Player) {
    let made = examples.sends(anna, "create_tournament", "").await;
    let id = made["id"].as_str().unwrap();
    examples.sends(anna, "join_tournament", id).await;
    let emil = ben.app.player("emily").await;
    let fritz = ben.app.player("fritzi").await;
    for player in [ben, &emil, &fritz] {
        player.post(&format!("/v1/tournaments/{id}/join"), json!({})).await.expect(200);
    }
    examples.sends(anna, "leave_tournament", id).await;
    examples.sends(anna, "start_tournament", id).await;
    examples.sends(anna, "cancel_tournament", id).await;
}

/// Those of a moderator.
async fn of_moderation(examples: &mut Examples, app: &TestApp, rule_set: &str) {
    let (mia, gina, hugo) = (app.moderator("mia").await, app.player("gina").await, app.player("hugo").await);
    for operation in ["suspend_player", "lift_suspension"] {
        let (method, path, example, success) = examples.0.remove(operation).unwrap();
        mia.request(&method, &path.replace("{username}", "gina"), Some(example)).await.expect(success);
    }
    for operation in ["hide_rule_set", "unhide_rule_set"] {
        let (method, path, example, success) = examples.0.remove(operation).unwrap();
        mia.request(&method, &path.replace("{hash}", rule_set), Some(example)).await.expect(success);
    }
    let (method, path, example, success) = examples.0.remove("report_rule_set").unwrap();
    gina.request(&method, &path.replace("{hash}", rule_set), Some(example)).await.expect(success);
    let running = gina.begins_rated(&hugo).await;
    examples.sends(&mia, "adjudicate_match", &running).await;
    let id = gina.beats(&hugo).await;
    examples.sends(&mia, "annul_match", &id).await;
    hugo.post(&format!("/v1/matches/{id}/chat/players"), json!({ "text": "no!" })).await.expect(201);
    let report = json!({ "reason": "other" });
    gina.post(&format!("/v1/matches/{id}/chat/players/1/report"), report).await.expect(204);
    let reports = mia.get("/v1/moderation/abuse-reports").await.expect(200);
    let newest = reports["items"].as_array().unwrap().last().unwrap()["id"].clone();
    examples.sends(&mia, "resolve_abuse_report", newest.as_str().unwrap()).await;
}

/// Those of a ladder.
async fn of_ladders(examples: &mut Examples, anna: &Player) {
    let ladder = examples.sends(anna, "create_ladder", "").await;
    for operation in ["join_ladder", "leave_ladder", "close_ladder"] {
        examples.sends(anna, operation, ladder["id"].as_str().unwrap()).await;
    }
}

/// Those of a webhook.
async fn of_webhooks(examples: &mut Examples, anna: &Player) {
    let webhook = examples.sends(anna, "create_webhook", "").await;
    let webhook = webhook["webhook"]["id"].as_str().unwrap();
    examples.sends(anna, "update_webhook", webhook).await;
    examples.sends(anna, "rotate_webhook_secret", webhook).await;
    let delivery = examples.sends(anna, "test_webhook", webhook).await;
    // The second id in the path is the delivery's.
    let (method, path, example, success) = examples.0.remove("redeliver_webhook_delivery").unwrap();
    let path = path.replace("{id}", webhook).replace("{delivery_id}", delivery["id"].as_str().unwrap());
    anna.request(&method, &path, Some(example)).await.expect(success);
}

fn example_password(document: &Value) -> Value {
    let content = &document["paths"]["/v1/accounts"]["post"]["requestBody"]["content"];
    content["application/json"]["example"]["password"].clone()
}
