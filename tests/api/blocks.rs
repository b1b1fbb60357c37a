//! Mutes and blocks: they are private, and a block applies to challenges.

use serde_json::{Value, json};

use crate::support::{Answer, Player, TestApp};

fn offer(extra: Value) -> Value {
    let mut offer = json!({ "variant": "classic", "clock": { "kind": "none" } });
    offer.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    offer
}

async fn opens(player: &Player, extra: Value) -> String {
    let challenge = player.post("/v1/challenges", offer(extra)).await.expect(201);
    format!("/v1/challenges/{}", challenge["id"].as_str().unwrap())
}

async fn blocks(player: &Player, other: &str) {
    player.request("PUT", &format!("/v1/account/blocks/{other}"), None).await.expect(204);
}

async fn listed(answer: Answer) -> Vec<String> {
    let page = answer.expect(200);
    page["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
}

#[actix_web::test]
async fn lists_are_shown_to_their_owner_alone() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    app.passes_s(1).await;
    app.player("carl").await;
    for kind in ["mutes", "blocks", "follows"] {
        let path = |name: &str| format!("/v1/account/{kind}/{name}");
        for name in ["ben", "CARL", "ben"] {
            anna.request("PUT", &path(name), None).await.expect(204);
        }
        let names = async |query: &str| {
            let page = anna.get(&format!("/v1/account/{kind}{query}")).await.expect(200);
            let items = page["items"].as_array().unwrap();
            let names: Vec<String> =
                items.iter().map(|item| item["player"]["username"].as_str().unwrap().to_owned()).collect();
            (names.join(" "), page["next_cursor"].as_str().map(str::to_owned))
        };
        assert_eq!(names("").await, ("ben carl".to_owned(), None));
        let (first, cursor) = names("?limit=1").await;
        assert_eq!(first, "ben");
        assert_eq!(names(&format!("?limit=1&cursor={}", cursor.unwrap())).await, ("carl".to_owned(), None));
        assert_eq!(ben.get(&format!("/v1/account/{kind}")).await.expect(200)["items"], json!([]));
        anna.request("PUT", &path("nobody-here"), None).await.problem(404, "not-found");
        anna.request("PUT", &path("anna"), None).await.problem(422, "own-account");
        anna.request("DELETE", &path("nobody-here"), None).await.problem(404, "not-found");
        let export = anna.get("/v1/account/export").await.expect(200);
        assert_eq!(export["social"][kind].as_array().unwrap().len(), 2);
        anna.request("DELETE", &path("carl"), None).await.expect(204);
        anna.request("DELETE", &path("carl"), None).await.expect(204);
        assert_eq!(names("").await.0, "ben");
    }
    // A deleted account is forgotten in both directions.
    ben.request("PUT", "/v1/account/mutes/anna", None).await.expect(204);
    ben.request("DELETE", "/v1/account", Some(json!({ "password": ben.password }))).await.expect(204);
    for kind in ["mutes", "blocks", "follows"] {
        assert_eq!(anna.get(&format!("/v1/account/{kind}")).await.expect(200)["items"], json!([]));
    }
    for table in ["account_blocks", "follows"] {
        let none = format!("SELECT 1 / (count(*) = 0)::int FROM {table}");
        crate::support::database::execute(&app.database, &none).await;
    }
}

#[actix_web::test]
async fn a_follower_sees_who_is_there() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    anna.request("PUT", "/v1/account/follows/ben", None).await.expect(204);
    let is_active = async || anna.get("/v1/account/follows").await.expect(200)["items"][0]["active"].clone();
    assert_eq!(is_active().await, true);
    app.passes_s(19 * 60).await;
    assert_eq!(is_active().await, true);
    app.passes_s(60).await;
    assert_eq!(is_active().await, false);
    ben.signed_in().await;
    assert_eq!(is_active().await, true);
    blocks(&ben, "anna").await;
    assert_eq!(is_active().await, false, "a block hides activity");
}

#[actix_web::test]
async fn a_blocked_player_cannot_challenge_the_other() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    blocks(&ben, "anna").await;
    let refused = anna.post("/v1/challenges", offer(json!({ "opponent": "ben" }))).await;
    let problem = refused.problem(422, "validation-failed");
    assert_eq!(problem["errors"][0]["code"], "unknown-player");
    // The same answer as for an unknown name, except for that name and the request id.
    let nobody = anna.post("/v1/challenges", offer(json!({ "opponent": "nob" }))).await;
    let blank = |answer: &Answer| {
        let mut body = answer.json();
        body["request_id"] = Value::Null;
        (answer.status, body.to_string().replace("nob", "ben"))
    };
    assert_eq!(blank(&refused), blank(&nobody));
    // The blocking player is told why.
    ben.post("/v1/challenges", offer(json!({ "opponent": "anna" }))).await.problem(422, "player-blocked");
    ben.request("DELETE", "/v1/account/blocks/anna", None).await.expect(204);
    anna.post("/v1/challenges", offer(json!({ "opponent": "ben" }))).await.expect(201);
}

#[actix_web::test]
async fn open_challenges_are_not_there_for_the_other() {
    let app = TestApp::start().await;
    let (anna, ben, carl) = (app.player("anna").await, app.player("ben").await, app.player("carl").await);
    let mut of_anna = Vec::new();
    for _ in 0..3 {
        of_anna.push(opens(&anna, json!({})).await);
        opens(&carl, json!({})).await;
    }
    let (of_ben, by_link) = (opens(&ben, json!({})).await, opens(&ben, json!({ "visibility": "link" })).await);
    blocks(&ben, "anna").await;
    // Hidden in both directions, and pages are still full.
    for (player, hidden, own) in [(&anna, vec![&of_ben], 3), (&ben, of_anna.iter().collect(), 1)] {
        let page = player.get("/v1/challenges?limit=2").await;
        assert_eq!(listed(page.clone()).await.len(), 2);
        assert!(!page.json()["next_cursor"].is_null());
        let all = listed(player.get("/v1/challenges").await).await;
        assert_eq!(all.len(), 3 + own);
        for path in hidden {
            assert!(!all.iter().any(|id| path.ends_with(id)));
            player.get(path).await.problem(404, "not-found");
            player.post(&format!("{path}/accept"), json!({})).await.problem(404, "not-found");
            let chance = json!({ "chance_commitment": "0".repeat(64) });
            player.post(&format!("{path}/accept"), chance).await.problem(404, "not-found");
        }
    }
    anna.get(&by_link).await.problem(404, "not-found");
    anna.post(&format!("{by_link}/accept"), json!({})).await.problem(404, "not-found");
    assert_eq!(listed(carl.get("/v1/challenges").await).await.len(), 7);
    assert_eq!(listed(app.get("/v1/challenges").await).await.len(), 7);
    app.get(&of_ben).await.expect(200);
    carl.post(&format!("{}/accept", of_anna[0]), json!({})).await.expect(200);
    ben.request("DELETE", "/v1/account/blocks/anna", None).await.expect(204);
    anna.post(&format!("{of_ben}/accept"), json!({})).await.expect(200);
}

#[actix_web::test]
async fn open_challenges_between_the_two_are_closed() {
    let app = TestApp::start().await;
    let (anna, ben, carl) = (app.player("anna").await, app.player("ben").await, app.player("carl").await);
    let received = opens(&anna, json!({ "opponent": "ben" })).await;
    app.passes_s(1).await;
    let made = opens(&ben, json!({ "opponent": "anna" })).await;
    let other = opens(&anna, json!({ "opponent": "carl" })).await;
    let running = anna.challenges_and_meets(&ben, json!({})).await;
    let waiting = opens(&ben, json!({ "variant": "salvos", "seats": 3 })).await;
    anna.post(&format!("{waiting}/accept"), json!({})).await.expect(200);
    let told = anna.hears(0).await.len();
    blocks(&ben, "anna").await;
    let status = async |path: &str| anna.get(path).await.expect(200)["status"].as_str().unwrap().to_owned();
    assert_eq!((status(&received).await, status(&made).await), ("declined".to_owned(), "withdrawn".to_owned()));
    assert_eq!(status(&other).await, "open");
    let kinds: Vec<Value> = anna.hears(told as u64).await.iter().map(|event| event["type"].clone()).collect();
    assert_eq!(kinds, ["challenge-declined", "challenge-withdrawn"], "as if it had been done by hand");
    assert_eq!(anna.get(&received).await.expect(200)["reason"], "generic");
    // A seated player stays, and matches go on.
    assert_eq!(status(&waiting).await, "open");
    carl.post(&format!("{waiting}/accept"), json!({})).await.expect(200);
    anna.acts(&running, json!({ "type": "deploy-auto" })).await.expect(200);
    ben.acts(&running, json!({ "type": "deploy-auto" })).await.expect(200);
    anna.post(&format!("/v1/matches/{running}/chat/players"), json!({ "text": "hello?" })).await.expect(201);
    assert_eq!(ben.get(&format!("/v1/matches/{running}/chat/players")).await.expect(200)["items"], json!([]));
}

#[actix_web::test]
async fn a_list_has_a_limit() {
    let app = TestApp::start().await;
    let (anna, _ben) = (app.player("anna").await, app.player("ben").await);
    let many = format!(
        "INSERT INTO account_blocks SELECT '{}', 'mute', gen_random_uuid(), now() FROM generate_series(1, 1000)",
        anna.id
    );
    crate::support::database::execute(&app.database, &many).await;
    anna.request("PUT", "/v1/account/mutes/ben", None).await.problem(409, "quota-exceeded");
    anna.request("PUT", "/v1/account/blocks/ben", None).await.expect(204);
    let many =
        format!("INSERT INTO follows SELECT '{}', gen_random_uuid(), now() FROM generate_series(1, 500)", anna.id);
    crate::support::database::execute(&app.database, &many).await;
    anna.request("PUT", "/v1/account/follows/ben", None).await.problem(409, "quota-exceeded");
    // A blocked player may be named again on a full list.
    let full = "DELETE FROM account_blocks WHERE ctid = (SELECT ctid FROM account_blocks WHERE kind = 'mute' LIMIT 1)";
    crate::support::database::execute(&app.database, full).await;
    for _ in 0..2 {
        anna.request("PUT", "/v1/account/mutes/ben", None).await.expect(204);
    }
}

#[actix_web::test]
async fn a_challenge_that_comes_with_the_block_is_declined() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let path = opens(&anna, json!({ "opponent": "ben" })).await;
    anna.request("DELETE", &path, None).await.expect(204);
    // A challenge in the making: Anna's request locks both accounts, and the challenge is not yet visible.
    let mut tx = app.app.db.begin().await.unwrap();
    let (one, other) = (anna.id.parse().unwrap(), ben.id.parse().unwrap());
    assert!(broadside::accounts::account::lock_existing_with(&mut tx, one, other).await.unwrap());
    let then = async {
        crate::account_deletion::somebody_waits(&app).await;
        let id = path.rsplit('/').next().unwrap();
        let made = format!("UPDATE challenges SET status = 'open' WHERE id = '{id}'");
        crate::support::database::execute(&app.database, &made).await;
        tx.commit().await.unwrap();
    };
    futures_util::future::join(blocks(&ben, "anna"), then).await;
    assert_eq!(anna.get(&path).await.expect(200)["status"], "declined");
}
