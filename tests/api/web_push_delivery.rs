//! Delivery of push messages: failing push services, internal addresses, ended sessions and accounts, several nodes,
//! and the service's key.

use std::sync::Arc;
use std::time::Duration;

use broadside::notifications::leasing;
use broadside::notifications::webhooks::WebhookSettings;
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Binary};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use serde_json::{Value, json};

use crate::support::push_service::{PushService, Ringing, SUBSCRIPTIONS};
use crate::support::receiver::to_loopback;
use crate::support::{Player, Setup, TestApp};

/// Anna's browser is subscribed, and Ben can challenge her.
async fn subscribed(app: &TestApp) -> (Player, Player, PushService, Ringing) {
    let (anna, ben) = (app.player("anna").await, app.lasting_player("ben").await);
    let service = PushService::open().await;
    let browser = Ringing::new(&service, "annas");
    browser.subscribes(&anna, json!({ "events": ["challenge-received"] })).await.expect(201);
    (anna, ben, service, browser)
}

async fn challenges(ben: &Player) -> Value {
    let offer = json!({
        "variant": "classic", "clock": { "kind": "none" }, "opponent": "anna", "expires_in_s": 1_209_600,
    });
    ben.post("/v1/challenges", offer).await.expect(201)["id"].clone()
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// The number of stored subscriptions of all accounts.
async fn stored(app: &TestApp) -> i64 {
    let mut connection = AsyncPgConnection::establish(&app.database).await.unwrap();
    let query = diesel::sql_query("SELECT count(*) FROM push_subscriptions");
    query.get_result::<Count>(&mut connection).await.unwrap().count
}

#[actix_web::test]
async fn a_push_service_that_fails_is_tried_again() {
    let app = TestApp::start().await;
    let (_, ben, service, browser) = subscribed(&app).await;
    service.will(&["500", "429\r\nretry-after: 100", "201"]);
    let first = challenges(&ben).await;
    app.rings_after(15).await;
    assert_eq!(service.takes().len(), 1);
    app.rings_after(4).await;
    assert!(service.takes().is_empty(), "it rests for five seconds");
    app.rings_after(3).await;
    assert_eq!(service.takes().len(), 1, "and is tried again");
    app.rings_after(99).await;
    assert!(service.takes().is_empty(), "429 wants to be left alone for 100 seconds");
    // New events are sent with it; outdated ones aren't.
    let second = challenges(&ben).await;
    ben.request("DELETE", &format!("/v1/challenges/{}", first.as_str().unwrap()), None).await.expect(204);
    app.rings_after(15).await;
    let got = service.takes();
    assert_eq!(got.len(), 1);
    assert_eq!(browser.reads(&got[0])["challenge_id"], second);
    app.rings_after(3600).await;
    assert!(service.takes().is_empty());
    assert_eq!(stored(&app).await, 1);
}

#[actix_web::test]
async fn a_browser_that_is_gone_is_forgotten() {
    for gone in ["404", "410"] {
        let app = TestApp::start().await;
        let (anna, ben, service, browser) = subscribed(&app).await;
        service.will(&[gone]);
        challenges(&ben).await;
        app.rings_after(15).await;
        assert_eq!(service.takes().len(), 1);
        assert_eq!(anna.get(SUBSCRIPTIONS).await.expect(200)["items"], json!([]), "{gone}");
        assert_eq!(stored(&app).await, 0);
        challenges(&ben).await;
        app.rings_after(60).await;
        assert!(service.takes().is_empty());
        // It may subscribe again, for events from then on.
        browser.subscribes(&anna, json!({ "events": ["challenge-received"] })).await.expect(201);
        let new = challenges(&ben).await;
        app.rings_after(15).await;
        let got = service.takes();
        assert_eq!((got.len(), &browser.reads(&got[0])["challenge_id"]), (1, &new));
    }
}

#[actix_web::test]
async fn after_three_days_of_failures_it_is_given_up() {
    let app = TestApp::start().await;
    let (_, ben, service, _) = subscribed(&app).await;
    service.will(&["503"; 20]);
    for attempt in 0..11 {
        // Recent news, which is still worth sending.
        challenges(&ben).await;
        app.rings_after(15).await;
        assert_eq!(service.takes().len(), 1, "attempt {attempt}");
        assert_eq!(stored(&app).await, i64::from(attempt < 10));
        app.passes_s(108_000).await;
    }
    app.rings().await;
    assert!(service.takes().is_empty());
}

#[actix_web::test]
async fn old_news_are_none() {
    let app = TestApp::start().await;
    let (_, ben, service, _) = subscribed(&app).await;
    challenges(&ben).await;
    app.rings_after(3 * 86_400 + 1).await;
    assert!(service.takes().is_empty());
}

#[actix_web::test]
async fn an_endpoint_passes_the_checks_of_webhooks() {
    let strict = Setup { webhooks: Some(WebhookSettings::default()), ..Setup::default() };
    let app = TestApp::with(strict).await;
    let anna = app.player("anna").await;
    let service = PushService::open().await;
    let browser = Ringing::new(&service, "annas");
    for endpoint in [
        service.endpoint("x").as_str(),
        "http://push.example/x",
        "https://127.0.0.1/x",
        "https://2130706433/x",
        "https://10.0.0.1/x",
        "https://169.254.169.254/latest/meta-data/",
        "https://[::1]/x",
        "https://[::ffff:10.0.0.1]/x",
        "https://anna:secret@push.example/x",
    ] {
        let refused = browser.subscribes(&anna, json!({ "endpoint": endpoint })).await;
        refused.problem(422, "validation-failed");
        assert_eq!(refused.pointers(), ["/endpoint"], "{endpoint}");
    }
    assert_eq!(stored(&app).await, 0);
}

#[actix_web::test]
async fn a_name_that_leads_inside_is_never_sent_to() {
    let names = to_loopback(&[("evil.test", "127.0.0.2"), ("good.test", "127.0.0.1")]);
    let app = TestApp::with(Setup { webhooks: Some(names), ..Setup::default() }).await;
    let (anna, ben) = (app.player("anna").await, app.lasting_player("ben").await);
    let service = PushService::open().await;
    let browser = Ringing::new(&service, "annas");
    for (name, arrive) in [("evil.test", 0), ("unknown.test", 0), ("good.test", 1)] {
        let endpoint = format!("http://{name}:{}/send/annas", service.port);
        let wishes = json!({ "endpoint": endpoint, "events": ["challenge-received"] });
        browser.subscribes(&anna, wishes).await.expect(201);
        challenges(&ben).await;
        app.rings_after(15).await;
        assert_eq!(service.takes().len(), arrive, "{name}");
    }
    // Redirects are not followed.
    service.will(&["307\r\nlocation: http://127.0.0.1/"]);
    challenges(&ben).await;
    app.rings_after(15).await;
    assert_eq!(service.takes().len(), 1);
    assert_eq!(stored(&app).await, 1);
}

#[actix_web::test]
async fn a_browser_that_is_signed_out_hears_nothing() {
    let app = TestApp::start().await;
    let (anna, ben, service, browser) = subscribed(&app).await;
    let sessions = anna.get("/v1/sessions").await.expect(200);
    let path = format!("/v1/sessions/{}", sessions["items"][0]["id"].as_str().unwrap());
    challenges(&ben).await;
    anna.request("DELETE", &path, None).await.expect(204);
    app.rings_after(15).await;
    assert!(service.takes().is_empty());
    assert_eq!(stored(&app).await, 0);
    // The same when there is nothing to send, and the clean-up runs.
    let credentials = json!({ "username": "anna", "password": anna.password });
    let again = app.post("/v1/sessions", credentials.clone()).await.expect(201);
    let anna = anna.with_token(again["access_token"].as_str().unwrap());
    browser.subscribes(&anna, json!({})).await.expect(201);
    let next = json!({ "current_password": anna.password, "new_password": "another storm and three masts" });
    let other = app.post("/v1/sessions", credentials).await.expect(201);
    let elsewhere = anna.with_token(other["access_token"].as_str().unwrap());
    elsewhere.request("PUT", "/v1/account/password", Some(next)).await.expect(204);
    assert_eq!(elsewhere.get(SUBSCRIPTIONS).await.expect(200)["items"], json!([]));
    assert_eq!(stored(&app).await, 1);
    app.beats().await;
    broadside::jobs::clean_up(&app.app).await.unwrap();
    assert_eq!(stored(&app).await, 0);
}

#[actix_web::test]
async fn an_export_shows_browsers_without_secrets_and_a_deletion_forgets_them() {
    let app = TestApp::start().await;
    let (anna, ben, service, browser) = subscribed(&app).await;
    let export = anna.get("/v1/account/export").await;
    let shown = export.expect(200)["push_subscriptions"].clone();
    assert_eq!(shown, anna.get(SUBSCRIPTIONS).await.expect(200)["items"]);
    assert_eq!((shown.as_array().unwrap().len(), &shown[0]["service"]), (1, &json!("127.0.0.1")));
    let asked = browser.asks(json!({}));
    for secret in ["endpoint", "p256dh", "auth"] {
        assert!(!export.text().contains(asked[secret].as_str().unwrap()), "{secret}");
    }
    challenges(&ben).await;
    let proof = json!({ "password": anna.password });
    anna.request("DELETE", "/v1/account", Some(proof)).await.expect(204);
    assert_eq!(stored(&app).await, 0);
    app.rings_after(15).await;
    assert!(service.takes().is_empty());
}

#[actix_web::test]
async fn many_browsers_of_one_push_service_are_told_without_a_pause() {
    let app = TestApp::start().await;
    let (frank, service) = (app.lasting_player("frank").await, PushService::open().await);
    // More than a node's limit per host, and no more than its limit per account.
    for name in ["anna", "ben", "carl", "dora", "emil"] {
        let player = app.player(name).await;
        for number in 0..4 {
            let credentials = json!({ "username": name, "password": player.password });
            let session = app.post("/v1/sessions", credentials).await.expect(201);
            let player = player.with_token(session["access_token"].as_str().unwrap());
            let browser = Ringing::new(&service, &format!("{name}{number}"));
            browser.subscribes(&player, json!({ "events": ["challenge-received"] })).await.expect(201);
        }
        let offer = json!({ "variant": "classic", "clock": { "kind": "none" }, "opponent": name });
        frank.post("/v1/challenges", offer).await.expect(201);
    }
    app.passes_s(15).await;
    // The node polls once by itself; messages after the first 16 are sent because those are done.
    let running = tokio::spawn(leasing::run_every(Arc::clone(&app.app.push), Duration::from_secs(3600)));
    service.has(20).await;
    app.app.begin_to_stop();
    running.await.unwrap();
    assert_eq!(service.takes().len(), 20);
}

#[actix_web::test]
async fn a_slow_browser_stays_suspect_under_another_address() {
    let app = TestApp::start().await;
    let (anna, ben, service, browser) = subscribed(&app).await;
    let suspects = async |count: i64| {
        let mut connection = AsyncPgConnection::establish(&app.database).await.unwrap();
        let query = diesel::sql_query("SELECT count(*) FROM push_subscriptions WHERE suspect");
        assert_eq!(query.get_result::<Count>(&mut connection).await.unwrap().count, count);
    };
    service.will(&["500"]);
    challenges(&ben).await;
    app.rings_after(15).await;
    suspects(1).await;
    browser.subscribes(&anna, json!({})).await.expect(201);
    suspects(1).await;
    let other = Ringing::new(&service, "another");
    other.subscribes(&anna, json!({ "events": ["challenge-received"] })).await.expect(201);
    assert_eq!(stored(&app).await, 1);
    suspects(1).await;
    // A quick delivery clears it.
    challenges(&ben).await;
    app.rings_after(15).await;
    suspects(0).await;
    Ringing::new(&service, "third").subscribes(&anna, json!({})).await.expect(201);
    suspects(0).await;
}

#[actix_web::test]
async fn a_warning_overtakes_news_that_wait() {
    let app = TestApp::start().await;
    let (anna, ben, service) = (app.player("anna").await, app.lasting_player("ben").await, PushService::open().await);
    let browser = Ringing::new(&service, "annas");
    browser.subscribes(&anna, json!({ "events": ["challenge-received", "session-revoked"] })).await.expect(201);
    let credentials = json!({ "username": "anna", "password": anna.password });
    let stolen = app.post("/v1/sessions", credentials.clone()).await.expect(201);
    let also_stolen = app.post("/v1/sessions", credentials).await.expect(201);
    let uses = async |session: &Value| {
        app.post("/v1/sessions/refresh", json!({ "refresh_token": session["refresh_token"] })).await
    };
    uses(&stolen).await.expect(200);
    uses(&also_stolen).await.expect(200);
    app.passes_s(30).await;
    // The first warning is there before any poll; the second comes while the challenge waits.
    challenges(&ben).await;
    for session in [&stolen, &also_stolen] {
        uses(session).await.problem(401, "refresh-token-reused");
        app.rings_after(1).await;
        let got = service.takes();
        assert_eq!(got.iter().map(|got| browser.reads(got)["type"].clone()).collect::<Vec<_>>(), ["session-revoked"]);
        assert_eq!(got[0].header("urgency"), "high");
        app.rings().await;
        assert!(service.takes().is_empty(), "once");
    }
    app.rings_after(12).await;
    assert!(service.takes().is_empty(), "the challenge is 14 seconds old");
    app.rings_after(1).await;
    let got = service.takes();
    assert_eq!(got.iter().map(|got| browser.reads(got)["type"].clone()).collect::<Vec<_>>(), ["challenge-received"]);
    app.rings_after(60).await;
    assert!(service.takes().is_empty());
}

#[actix_web::test]
async fn of_two_nodes_one_tells() {
    let app = TestApp::start().await;
    let (_, ben, service, _) = subscribed(&app).await;
    let node = app.another_node().await;
    assert_eq!(app.push_key().await, node.push_key().await);
    for _ in 0..4 {
        challenges(&ben).await;
    }
    app.passes_s(15).await;
    tokio::join!(app.rings(), node.rings());
    assert_eq!(service.takes().len(), 4);
}

#[derive(QueryableByName)]
struct Stored {
    #[diesel(sql_type = Binary)]
    secret: Vec<u8>,
}

#[actix_web::test]
async fn the_key_is_made_once_and_sealed() {
    let sealed = |key: Option<&str>| {
        let sealing_key = key.map(|key| key.parse().unwrap());
        WebhookSettings { sealing_key, ..to_loopback(&[]) }
    };
    let one = "a key of the operator's, 32 or more";
    let setup = Setup { webhooks: Some(sealed(Some(one))), ..Setup::default() };
    let app = TestApp::with(setup).await;
    let key = app.push_key().await;
    let mut connection = AsyncPgConnection::establish(&app.database).await.unwrap();
    let query = diesel::sql_query("SELECT secret FROM vapid_key");
    let stored: Stored = query.get_result(&mut connection).await.unwrap();
    assert_eq!((stored.secret[0], stored.secret.len()), (1, 1 + 12 + 32 + 16), "sealed, nonce, key, tag");
    let again = app.another_node_that_sends(sealed(Some(one))).await;
    assert_eq!(again.push_key().await, key);
    // Without the sealing key there is no Web Push, and everything else works.
    for wrong in [None, Some("another key of the operator, 32 or more")] {
        let node = app.another_node_that_sends(sealed(wrong)).await;
        assert_eq!(node.get("/v1/push-key").await.expect(200)["available"], false);
        let name = if wrong.is_some() { "anna" } else { "ben" };
        let player = node.player(name).await;
        let browser = Ringing::new(&PushService::open().await, "annas");
        browser.subscribes(&player, json!({})).await.problem(409, "push-unavailable");
    }
}
