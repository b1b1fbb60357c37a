//! Webhooks: log events, signed, once, in order, retried until accepted; and the owner's view of deliveries.

use serde_json::{Value, json};

use crate::support::database::execute;
use crate::support::fleets::{NORTH_WEST, SOUTH_EAST};
use crate::support::receiver::{Got, Receiver, Reply};
use crate::support::{Player, TestApp};

pub async fn hooks(player: &Player, url: &str, events: &[&str]) -> (String, String) {
    let made = player.post("/v1/webhooks", json!({ "url": url, "events": events })).await.expect(201);
    let path = format!("/v1/webhooks/{}", made["webhook"]["id"].as_str().unwrap());
    (path, made["secret"].as_str().unwrap().to_owned())
}

/// Causes this number of events for Anna.
pub async fn happens(ben: &Player, count: usize) {
    for _ in 0..count {
        let offer = json!({ "variant": "classic", "clock": { "kind": "none" }, "opponent": "anna" });
        ben.post("/v1/challenges", offer).await.expect(201);
    }
}

pub async fn anna_and_ben(app: &TestApp) -> (Player, Player) {
    (app.lasting_player("anna").await, app.lasting_player("ben").await)
}

/// The deliveries of a webhook, oldest first.
pub async fn deliveries(player: &Player, webhook: &str) -> Vec<Value> {
    let page = player.get(&format!("{webhook}/deliveries?limit=100")).await.expect(200);
    page["items"].as_array().unwrap().iter().rev().cloned().collect()
}

fn numbers(got: &[Got]) -> Vec<u64> {
    got.iter().map(Got::number).collect()
}

fn millis(time: &Value) -> i64 {
    time.as_str().unwrap().parse::<jiff::Timestamp>().unwrap().as_millisecond()
}

#[actix_web::test]
async fn a_webhook_sends_what_the_log_says() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("classic").await;
    let before = anna.hears(0).await.len() as u64;
    let (one, two) = (Receiver::open().await, Receiver::open().await);
    let (_, secret) = hooks(&anna, &one.url(), &[]).await;
    let (_, bens) = hooks(&ben, &two.url(), &[]).await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    anna.fires(&id, &["A10"]).await;
    ben.acts(&id, json!({ "type": "resign" })).await.expect(200);
    app.delivers().await;
    for (player, receiver, secret, other) in [(&anna, &one, &secret, &bens), (&ben, &two, &bens, &secret)] {
        // Everything from its creation on, in order, byte by byte.
        let raw = player.get(&format!("/v1/events?after={}&limit=1000", app.cursor(before))).await;
        let log = player.hears(before).await;
        let got = receiver.takes();
        assert_eq!(got.iter().map(|got| got.json()["data"].clone()).collect::<Vec<_>>(), log);
        for (message, event) in got.iter().zip(&log) {
            assert_eq!(message.line, "POST /hook HTTP/1.1");
            assert_eq!(message.signed_with(secret), [true]);
            let json = message.json();
            assert_eq!((&json["type"], &json["timestamp"]), (&event["type"], &event["at"]));
            let start = format!("{{\"type\":{},\"timestamp\":{},\"data\":", event["type"], event["at"]);
            let data = message.body.strip_prefix(&start).unwrap().strip_suffix('}').unwrap();
            assert!(raw.text().contains(data), "{data}");
            assert_eq!(message.header("content-type"), "application/json");
            assert_eq!(message.header("webhook-timestamp"), (app.now_ms() / 1000).to_string());
        }
        assert_eq!(got[0].signed_with(other), [false]);
    }
}

#[actix_web::test]
async fn a_webhook_sends_the_events_that_it_selects() {
    let app = TestApp::start().await;
    let (anna, ben) = anna_and_ben(&app).await;
    let receiver = Receiver::open().await;
    let (webhook, _) = hooks(&anna, &receiver.url(), &["your-turn", "match-finished", "your-turn"]).await;
    assert_eq!(anna.get(&webhook).await.expect(200)["events"], json!(["match-finished", "your-turn"]));
    let id = anna.challenges_and_meets(&ben, json!({})).await;
    anna.acts(&id, json!({ "type": "resign" })).await.expect(200);
    app.delivers().await;
    let kinds: Vec<Value> = receiver.takes().iter().map(|got| got.json()["type"].clone()).collect();
    assert_eq!(kinds, ["your-turn", "match-finished"]);
    // From now on everything; skipped events stay skipped.
    anna.request("PATCH", &webhook, Some(json!({ "events": [] }))).await.expect(200);
    happens(&ben, 1).await;
    app.delivers().await;
    let got = receiver.takes();
    assert_eq!((got.len(), &got[0].json()["type"]), (1, &json!("challenge-received")));
    let wrong = json!({ "url": receiver.url(), "events": ["your-turn", "snapshot", "nonsense"] });
    let refused = anna.post("/v1/webhooks", wrong).await;
    refused.problem(422, "validation-failed");
    assert_eq!(refused.pointers(), ["/events/1", "/events/2"]);
}

#[actix_web::test]
async fn failed_deliveries_are_retried_and_hold_nothing_up() {
    let app = TestApp::start().await;
    let (anna, ben) = anna_and_ben(&app).await;
    let receiver = Receiver::open().await;
    let (webhook, secret) = hooks(&anna, &receiver.url(), &[]).await;
    let later = Reply::With(429, "retry-after", "100".to_owned());
    receiver.will([Reply::Status(500), later, Reply::Cut, Reply::Status(202)]);
    happens(&ben, 2).await;
    // After the first failure the webhook rests for a second, and then the second event is sent.
    app.delivers().await;
    assert_eq!(numbers(&receiver.got()), [1]);
    let first = deliveries(&anna, &webhook).await[0].clone();
    assert_eq!(
        (&first["status"], &first["attempts"], &first["response_status"]),
        (&json!("pending"), &json!(1), &json!(500))
    );
    assert_eq!(first["error"], "answered 500");
    let wait_ms = millis(&first["next_attempt_at"]) - app.now_ms();
    assert!((5000..=6250).contains(&wait_ms), "{wait_ms}");
    receiver.will([]);
    app.passes_s(1).await;
    app.delivers().await;
    // After a 429 the whole webhook waits.
    assert_eq!(numbers(&receiver.got()), [1, 2]);
    let second = deliveries(&anna, &webhook).await[1].clone();
    assert!(millis(&second["next_attempt_at"]) - app.now_ms() >= 100_000);
    app.passes_s(60).await;
    app.delivers().await;
    assert_eq!(receiver.got().len(), 2);
    app.passes_s(45).await;
    app.delivers().await;
    // The first event is retried first; its connection is cut.
    assert_eq!(numbers(&receiver.got()), [1, 2, 1]);
    let first = deliveries(&anna, &webhook).await[0].clone();
    assert_eq!((&first["attempts"], &first["response_status"]), (&json!(2), &Value::Null));
    assert!(first["error"].as_str().unwrap().starts_with("the connection broke"), "{first}");
    app.passes_s(80).await;
    app.delivers().await;
    let got = receiver.got();
    assert_eq!(numbers(&got), [1, 2, 1, 1, 2]);
    assert!(got.iter().all(|message| message.signed_with(&secret) == [true]));
    assert_eq!((got[0].id(), got[1].id()), (got[3].id(), got[4].id()));
    assert_eq!(got[0].body, got[3].body);
    assert_ne!(got[0].header("webhook-timestamp"), got[3].header("webhook-timestamp"));
    let all = deliveries(&anna, &webhook).await;
    assert!(
        all.iter().all(|delivery| delivery["status"] == "delivered" && delivery["next_attempt_at"].is_null()),
        "{all:?}"
    );
    let seen = anna.get(&webhook).await.expect(200);
    assert_eq!((&seen["failing_since"], seen["last_delivered_at"].is_string()), (&Value::Null, true));
}

#[actix_web::test]
async fn after_three_days_of_failures_it_is_disabled_and_its_owner_is_notified() {
    let app = TestApp::start().await;
    let (anna, ben) = anna_and_ben(&app).await;
    let receiver = Receiver::open().await;
    receiver.always(Reply::Status(503));
    let (webhook, _) = hooks(&anna, &receiver.url(), &[]).await;
    happens(&ben, 1).await;
    let mut hours = 0;
    while anna.get(&webhook).await.expect(200)["active"] == true {
        app.delivers().await;
        app.passes_s(3600).await;
        hours += 1;
        assert!(hours < 100, "never switched off");
    }
    assert!(hours > 72, "{hours}");
    // The tenth attempt comes after three days, and is the last.
    let got = receiver.takes();
    assert!((8..=11).contains(&got.len()), "{} attempts", got.len());
    assert!(got.iter().all(|message| message.id() == got[0].id()));
    let seen = anna.get(&webhook).await.expect(200);
    assert_eq!((&seen["active"], &seen["disabled_reason"]), (&json!(false), &json!("failing")));
    let told = anna.hears(1).await;
    assert_eq!((told.len(), &told[0]["type"], &told[0]["reason"]), (1, &json!("webhook-disabled"), &json!("failing")));
    assert!(webhook.ends_with(told[0]["webhook_id"].as_str().unwrap()));
    assert_eq!(deliveries(&anna, &webhook).await[0]["status"], "failed");
    anna.post(&format!("{webhook}/test"), json!({})).await.problem(409, "webhook-disabled");
    // Nothing more is tried; once re-enabled, it continues from the newest event.
    happens(&ben, 1).await;
    app.passes_s(86_400).await;
    app.delivers().await;
    assert!(receiver.got().is_empty());
    receiver.always(Reply::Status(200));
    let on = anna.request("PATCH", &webhook, Some(json!({ "active": true }))).await.expect(200);
    assert_eq!((&on["disabled_reason"], &on["failing_since"]), (&Value::Null, &Value::Null));
    happens(&ben, 1).await;
    app.delivers().await;
    assert_eq!(numbers(&receiver.takes()), [4]);
}

#[actix_web::test]
async fn a_target_that_is_gone_is_not_tried_again() {
    let app = TestApp::start().await;
    let (anna, ben) = anna_and_ben(&app).await;
    let receiver = Receiver::open().await;
    receiver.will([Reply::Status(410)]);
    let (webhook, _) = hooks(&anna, &receiver.url(), &[]).await;
    happens(&ben, 3).await;
    app.delivers().await;
    app.passes_s(86_400).await;
    app.delivers().await;
    assert_eq!(receiver.got().len(), 1);
    assert_eq!(anna.get(&webhook).await.expect(200)["disabled_reason"], "gone");
    assert_eq!(anna.hears(3).await[0]["reason"], "gone");
    assert!(deliveries(&anna, &webhook).await.iter().all(|delivery| delivery["status"] == "failed"));
}

#[actix_web::test]
async fn for_a_day_both_secrets_sign() {
    let app = TestApp::start().await;
    let (anna, ben) = anna_and_ben(&app).await;
    let receiver = Receiver::open().await;
    let (webhook, old) = hooks(&anna, &receiver.url(), &[]).await;
    let made = anna.post_once("again", &format!("{webhook}/secret"), json!({})).await.expect(200);
    let new = made["secret"].as_str().unwrap().to_owned();
    assert_ne!(old, new);
    // A repeated request makes no third one.
    assert_eq!(anna.post_once("again", &format!("{webhook}/secret"), json!({})).await.expect(200), made);
    let until = millis(&made["webhook"]["previous_secret_expires_at"]);
    assert_eq!(until - app.now_ms(), 86_400_000);
    happens(&ben, 1).await;
    app.delivers().await;
    let got = receiver.takes();
    assert_eq!((got[0].signed_with(&new), got[0].signed_with(&old)), (vec![true, false], vec![false, true]));
    app.passes_s(86_400).await;
    happens(&ben, 1).await;
    app.delivers().await;
    let got = receiver.takes();
    assert_eq!((got[0].signed_with(&new), got[0].signed_with(&old)), (vec![true], vec![false]));
    assert!(!anna.get("/v1/webhooks").await.text().contains("whsec_"));
}

#[actix_web::test]
async fn it_is_tested_and_redelivered_by_hand() {
    let app = TestApp::start().await;
    let (anna, ben) = anna_and_ben(&app).await;
    let receiver = Receiver::open().await;
    let (webhook, secret) = hooks(&anna, &receiver.url(), &["match-finished"]).await;
    let ping = anna.post(&format!("{webhook}/test"), json!({})).await;
    let path = ping.header("location").unwrap().to_owned();
    let ping = ping.expect(201);
    assert_eq!(
        (&ping["status"], &ping["event_type"], &ping["event_number"]),
        (&json!("pending"), &json!("ping"), &Value::Null)
    );
    app.delivers().await;
    let got = receiver.takes();
    assert_eq!((got.len(), got[0].signed_with(&secret)), (1, vec![true]));
    let data = json!({ "number": 0, "type": "ping", "at": ping["created_at"], "webhook_id": ping["webhook_id"] });
    assert_eq!(got[0].json()["data"], data);
    assert_eq!(json!(got[0].id()), ping["message_id"]);
    // The delivery log shows the sent bytes.
    let read = anna.get(&path).await.expect(200);
    assert_eq!((&read["delivery"]["status"], &read["message"]), (&json!("delivered"), &got[0].json()));

    anna.request("PATCH", &webhook, Some(json!({ "events": [] }))).await.expect(200);
    happens(&ben, 1).await;
    app.delivers().await;
    let event =
        async || deliveries(&anna, &webhook).await.into_iter().find(|delivery| delivery["event_number"] == 1).unwrap();
    let again = format!("{webhook}/deliveries/{}/redeliver", event().await["id"].as_str().unwrap());
    let pending = anna.post(&again, json!({})).await.expect(200);
    assert_eq!(pending["status"], "pending");
    app.delivers().await;
    let got = receiver.takes();
    assert_eq!((got.len(), got[0].id(), &got[0].body), (2, got[1].id(), &got[1].body));
    let sent = event().await;
    assert_eq!((&sent["status"], &sent["attempts"]), (&json!("delivered"), &json!(2)));
    // Retries end at some point.
    for _ in 0..58 {
        anna.post(&again, json!({})).await.expect(200);
    }
    let refused = anna.post(&format!("{webhook}/test"), json!({})).await;
    refused.problem(429, "too-many-requests");
    assert!(refused.header("retry-after").unwrap().parse::<u32>().unwrap() <= 3600);
    app.passes_s(3600).await;
    anna.post(&again, json!({})).await.expect(200);
    let strange = format!("{webhook}/deliveries/0199c2a8-7d4e-7c3a-9f10-5b1e6a2d8c47");
    anna.get(&strange).await.problem(404, "not-found");
    anna.post(&format!("{strange}/redeliver"), json!({})).await.problem(404, "not-found");
    anna.get(&format!("{webhook}/deliveries/x")).await.problem(400, "malformed-id");
}

#[actix_web::test]
async fn there_are_ten_at_most_and_they_come_in_pages() {
    let app = TestApp::start().await;
    let (anna, ben) = anna_and_ben(&app).await;
    let receiver = Receiver::open().await;
    for _ in 0..10 {
        hooks(&anna, "https://bot.example/", &[]).await;
    }
    anna.post("/v1/webhooks", json!({ "url": "https://bot.example/" })).await.problem(409, "quota-exceeded");
    let first = anna.get("/v1/webhooks?limit=6").await.expect(200);
    let second = anna.get(&format!("/v1/webhooks?limit=6&cursor={}", first["next_cursor"].as_str().unwrap())).await;
    assert_eq!((first["items"].as_array().unwrap().len(), &second.expect(200)["next_cursor"]), (6, &Value::Null));
    for item in first["items"].as_array().unwrap() {
        anna.request("DELETE", &format!("/v1/webhooks/{}", item["id"].as_str().unwrap()), None).await.expect(204);
    }
    let (webhook, _) = hooks(&anna, &receiver.url(), &[]).await;
    happens(&ben, 5).await;
    app.delivers().await;
    let (mut pages, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = anna.get(&format!("{webhook}/deliveries?limit=2{cursor}")).await.expect(200);
        pages.extend(page["items"].as_array().unwrap().iter().map(|item| item["event_number"].as_u64().unwrap()));
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(pages, [5, 4, 3, 2, 1]);
    // Deleting a webhook deletes its deliveries.
    anna.request("DELETE", &webhook, None).await.expect(204);
    anna.get(&format!("{webhook}/deliveries")).await.problem(404, "not-found");
    happens(&ben, 1).await;
    app.delivers().await;
    assert_eq!(receiver.got().len(), 5);
}

#[actix_web::test]
async fn an_account_takes_its_webhooks_out_and_away() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let receiver = Receiver::open().await;
    let (webhook, secret) = hooks(&anna, &receiver.url(), &[]).await;
    hooks(&ben, &receiver.url(), &["report"]).await;
    happens(&ben, 1).await;
    app.delivers().await;
    let export = anna.get("/v1/account/export").await;
    assert!(!export.text().contains(&secret));
    let export = export.expect(200);
    assert_eq!(export["webhooks"], json!([anna.get(&webhook).await.expect(200)]));
    assert_eq!(export["webhook_deliveries"], json!(deliveries(&anna, &webhook).await));
    anna.request("DELETE", "/v1/account", Some(json!({ "password": anna.password }))).await.expect(204);
    for table in ["webhooks", "webhook_deliveries"] {
        let none = format!("SELECT 1 / (count(*) = 0)::int FROM {table} WHERE account_id = '{}'", anna.id);
        execute(&app.database, &none).await;
    }
    assert_eq!(ben.get("/v1/webhooks").await.expect(200)["items"].as_array().unwrap().len(), 1);
}

#[actix_web::test]
async fn deliveries_are_deleted_after_thirty_days() {
    let app = TestApp::start().await;
    let (anna, ben) = anna_and_ben(&app).await;
    let receiver = Receiver::open().await;
    let (webhook, _) = hooks(&anna, &receiver.url(), &["challenge-received"]).await;
    happens(&ben, 1).await;
    app.delivers().await;
    app.passes_s(30 * 86_400 - 60).await;
    happens(&ben, 1).await;
    app.delivers().await;
    broadside::jobs::clean_up(&app.app).await.unwrap();
    assert_eq!(deliveries(&anna, &webhook).await.len(), 2);
    app.passes_s(120).await;
    broadside::jobs::clean_up(&app.app).await.unwrap();
    // The first challenge has expired in the meantime: that was event 2.
    let left = deliveries(&anna, &webhook).await;
    assert_eq!(left.iter().map(|delivery| delivery["event_number"].as_u64()).collect::<Vec<_>>(), [Some(3)]);
}
