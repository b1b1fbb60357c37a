//! Targets of webhooks: allowed addresses, delivery by several nodes, and isolation of slow targets.

use std::time::Duration;

use broadside::notifications::leasing::{self, LEASE_S};
use broadside::notifications::webhooks::WebhookSettings;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

use crate::support::receiver::{Got, Receiver, Reply, to_loopback};
use crate::support::{Setup, TestApp, database};
use crate::webhooks::{anna_and_ben, deliveries, happens, hooks};

async fn with(webhooks: WebhookSettings) -> TestApp {
    TestApp::with(Setup { webhooks: Some(webhooks), ..Setup::default() }).await
}

#[actix_web::test]
async fn an_address_that_is_not_public_is_refused_at_once() {
    // By default only the public internet is allowed.
    let app = with(WebhookSettings::default()).await;
    let anna = app.player("anna").await;
    let (webhook, _) = hooks(&anna, "https://bot.example/", &[]).await;
    for url in [
        "http://bot.example/",
        "https://127.0.0.1/",
        "https://127.0.0.1./",
        "https://2130706433/",
        "https://0x7f.1/",
        "https://017700000001/",
        "https://10.1.2.3/",
        "https://172.16.0.1/",
        "https://192.168.0.1/",
        "https://169.254.169.254/",
        "https://100.64.0.1/",
        "https://0.0.0.0/",
        "https://224.0.0.1/",
        "https://255.255.255.255/",
        "https://192.0.2.1/",
        "https://198.18.0.1/",
        "https://[::1]/",
        "https://[::]/",
        "https://[fe80::1]/",
        "https://[fd00::1]/",
        "https://[ff02::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://[64:ff9b::10.0.0.1]/",
        "https://[2002:7f00:1::]/",
        "https://[2001::1]/",
        "https://anna:secret@bot.example/",
        "ftp://bot.example/",
        "bot.example",
        "",
    ] {
        for (method, path) in [("POST", "/v1/webhooks"), ("PATCH", webhook.as_str())] {
            let refused = anna.request(method, path, Some(json!({ "url": url }))).await;
            refused.problem(422, "validation-failed");
            assert_eq!(refused.pointers(), ["/url"], "{url}");
        }
    }
    assert_eq!(anna.get(&webhook).await.expect(200)["url"], "https://bot.example/");
}

#[actix_web::test]
async fn webhooks_are_not_made_and_deleted_for_ever() {
    let app = TestApp::with(Setup { rate_limits: true, ..Setup::default() }).await;
    let anna = app.player("anna").await;
    for _ in 0..60 {
        let (webhook, _) = hooks(&anna, "https://bot.example/", &[]).await;
        anna.request("DELETE", &webhook, None).await.expect(204);
    }
    // The budget refills during the test: one in thirty seconds.
    let mut refused = anna.post("/v1/webhooks", json!({ "url": "https://bot.example/" })).await;
    for _ in 0..10 {
        refused = anna.post("/v1/webhooks", json!({ "url": "https://bot.example/" })).await;
    }
    refused.problem(429, "too-many-requests");
    anna.get("/v1/webhooks").await.expect(200);
}

#[actix_web::test]
async fn a_name_is_judged_by_its_addresses() {
    // The receiver listens on every loopback address, but only one of them is allowed.
    let app = with(to_loopback(&[
        ("good.test", "127.0.0.1"),
        ("evil.test", "127.0.0.2"),
        ("mapped.test", "::ffff:127.0.0.1"),
    ]))
    .await;
    let (anna, ben) = anna_and_ben(&app).await;
    let receiver = Receiver::open().await;
    let url = |name: &str| format!("http://{name}:{}/", receiver.port);
    let (evil, _) = hooks(&anna, &url("evil.test"), &[]).await;
    let (mapped, _) = hooks(&anna, &url("mapped.test"), &[]).await;
    let (unknown, _) = hooks(&anna, &url("unknown.test"), &[]).await;
    happens(&ben, 1).await;
    app.delivers().await;
    assert!(receiver.got().is_empty());
    for webhook in [evil, mapped, unknown] {
        let delivery = deliveries(&anna, &webhook).await[0].clone();
        assert_eq!(delivery["error"], "the name leads to no address that this server sends to");
        assert!(delivery["response_status"].is_null());
    }
    hooks(&anna, &url("good.test"), &[]).await;
    happens(&ben, 1).await;
    app.delivers().await;
    assert_eq!(receiver.got().len(), 1);
}

#[actix_web::test]
async fn an_address_that_was_allowed_once_is_judged_again_at_each_attempt() {
    let app = TestApp::start().await;
    let (anna, ben) = anna_and_ben(&app).await;
    let receiver = Receiver::open().await;
    let (webhook, _) = hooks(&anna, &receiver.url(), &[]).await;
    happens(&ben, 1).await;
    // A stricter node doesn't send to a target that another has accepted.
    let strict = app.another_node_that_sends(WebhookSettings::default()).await;
    strict.delivers().await;
    assert!(receiver.got().is_empty());
    assert_eq!(deliveries(&anna, &webhook).await[0]["error"], "the url is an address that this server doesn't send to");
}

#[actix_web::test]
async fn no_redirect_is_followed() {
    let app = TestApp::start().await;
    let (anna, ben) = anna_and_ben(&app).await;
    let (receiver, inside) = (Receiver::open().await, Receiver::open().await);
    receiver.will([301, 302, 307, 308].map(|status| Reply::With(status, "location", inside.url())));
    let (webhook, _) = hooks(&anna, &receiver.url(), &[]).await;
    happens(&ben, 4).await;
    for _ in 0..4 {
        app.delivers().await;
        app.passes_s(1).await;
        // Rests grow; the clock only needs to move to the next of the four.
        app.passes_s(8).await;
    }
    assert!(receiver.got().len() >= 4);
    assert!(inside.got().is_empty());
    let first = deliveries(&anna, &webhook).await[0].clone();
    assert!(first["error"].as_str().unwrap().contains("redirects are not followed"), "{first}");
}

/// The port of a server that answers everything in plain HTTP.
async fn knows_no_tls() -> u16 {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.write_all(b"HTTP/1.1 400 x\r\ncontent-length: 0\r\n\r\n").await;
        }
    });
    port
}

#[actix_web::test]
async fn what_isnt_http_or_answers_nothing_is_a_failure_with_a_name() {
    let app = with(WebhookSettings { timeout: Duration::from_millis(300), ..to_loopback(&[]) }).await;
    let (anna, ben) = anna_and_ben(&app).await;
    let receiver = Receiver::open().await;
    receiver.always(Reply::Never);
    let closed = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    let (silent, _) = hooks(&anna, &receiver.url(), &[]).await;
    let (closed, _) = hooks(&anna, &format!("http://127.0.0.1:{closed}/"), &[]).await;
    let (plain, _) = hooks(&anna, &format!("https://127.0.0.1:{}/", knows_no_tls().await), &[]).await;
    happens(&ben, 1).await;
    app.delivers().await;
    for (webhook, words) in
        [(silent, "no answer within"), (closed, "no connection: connection refused"), (plain, "TLS: ")]
    {
        let delivery = deliveries(&anna, &webhook).await[0].clone();
        assert!(delivery["error"].as_str().unwrap().starts_with(words), "{delivery}");
        assert_eq!((&delivery["status"], &delivery["attempts"]), (&json!("pending"), &json!(1)));
    }
}

#[actix_web::test]
async fn of_two_nodes_one_sends_each_event() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let (anna, ben) = anna_and_ben(&app).await;
    let receiver = Receiver::open().await;
    for _ in 0..3 {
        hooks(&anna, &receiver.url(), &[]).await;
    }
    let nodes = [
        tokio::spawn(leasing::run_every(std::sync::Arc::clone(&app.app.webhooks), Duration::from_secs(1))),
        tokio::spawn(leasing::run_every(std::sync::Arc::clone(&other.app.webhooks), Duration::from_secs(1))),
    ];
    happens(&ben, 30).await;
    receiver.has(90).await;
    app.app.begin_to_stop();
    other.app.begin_to_stop();
    for node in nodes {
        node.await.unwrap();
    }
    app.delivers().await;
    let got = receiver.got();
    assert_eq!(got.len(), 90);
    // All thirty of each webhook, in order.
    let mut ids: Vec<String> = got.iter().map(Got::id).collect();
    let of_a_hook = |id: &str| got.iter().filter(|got| got.id().starts_with(id)).map(Got::number).collect::<Vec<_>>();
    for id in &ids {
        assert_eq!(of_a_hook(id.rsplitn(3, '_').last().unwrap()), (1..=30).collect::<Vec<_>>());
    }
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 90);
}

#[actix_web::test]
async fn what_a_dead_node_was_sending_another_sends_again_under_the_same_id() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let (anna, ben) = anna_and_ben(&app).await;
    let receiver = Receiver::open().await;
    let (webhook, secret) = hooks(&anna, &receiver.url(), &[]).await;
    happens(&ben, 2).await;
    receiver.will([Reply::Never]);
    let dying = tokio::spawn(leasing::run_every(std::sync::Arc::clone(&app.app.webhooks), Duration::from_secs(1)));
    receiver.has(1).await;
    dying.abort();
    assert!(dying.await.unwrap_err().is_cancelled());
    // Its death isn't known yet.
    other.delivers().await;
    assert_eq!(receiver.got().len(), 1);
    app.passes_unseen_s(i64::from(LEASE_S));
    other.delivers().await;
    let got = receiver.got();
    assert_eq!(got.iter().map(Got::number).collect::<Vec<_>>(), [1, 1, 2]);
    assert_eq!((got[0].id(), &got[0].body), (got[1].id(), &got[1].body));
    assert!(got.iter().all(|got| got.signed_with(&secret) == [true]));
    assert!(deliveries(&anna, &webhook).await.iter().all(|delivery| delivery["status"] == "delivered"));
}

#[actix_web::test]
async fn nobody_waits_for_a_slow_target() {
    let app = TestApp::start().await;
    let (anna, ben) = anna_and_ben(&app).await;
    let carl = app.lasting_player("carl").await;
    let (slow, quick) = (Receiver::open().await, Receiver::open().await);
    slow.always(Reply::Never);
    // More than the limit per host, of two accounts, followed by the quick one; and more than the limit per account,
    // under any host names.
    for player in [&carl, &anna] {
        for _ in 0..3 {
            hooks(player, &slow.url().replace("127.0.0.1", "slow.test"), &[]).await;
        }
    }
    hooks(&anna, &quick.url(), &[]).await;
    let dora = app.lasting_player("dora").await;
    let many = Receiver::open().await;
    many.always(Reply::Never);
    let own = ["a.test", "b.test", "c.test", "d.test", "e.test", "f.test"];
    for name in own {
        hooks(&dora, &many.url().replace("127.0.0.1", name), &[]).await;
    }
    for name in ["carl", "dora"] {
        let offer = json!({ "variant": "classic", "clock": { "kind": "none" }, "opponent": name });
        ben.post("/v1/challenges", offer).await.expect(201);
    }
    let names: Vec<_> = own.iter().chain(&["slow.test"]).map(|name| (*name, "127.0.0.1")).collect();
    let names = to_loopback(&names);
    let patient = WebhookSettings { timeout: Duration::from_secs(60), ..names };
    let node = app.another_node_that_sends(patient).await;
    let running = tokio::spawn(leasing::run_every(std::sync::Arc::clone(&node.app.webhooks), Duration::from_secs(1)));
    happens(&ben, 3).await;
    quick.has(3).await;
    slow.has(4).await;
    // Two of the six wait for a slot, and nobody else does.
    assert_eq!(slow.got().len(), 4);
    happens(&ben, 1).await;
    quick.has(4).await;
    assert_eq!(slow.got().len(), 4);
    many.has(4).await;
    assert_eq!(many.got().len(), 4);
    running.abort();
}

#[actix_web::test]
async fn secrets_are_sealed_with_the_operators_key() {
    let key = Some("a key of the operator's, 32 or more".parse().unwrap());
    let app = with(WebhookSettings { sealing_key: key, ..to_loopback(&[]) }).await;
    let (anna, ben) = anna_and_ben(&app).await;
    let receiver = Receiver::open().await;
    let (webhook, secret) = hooks(&anna, &receiver.url(), &[]).await;
    // The database holds no usable signing secret.
    let plain = secret.strip_prefix("whsec_").unwrap();
    let none = format!("SELECT 1 / (position(decode('{plain}', 'base64') in secret) = 0)::int FROM webhooks");
    database::execute(&app.database, &none).await;
    happens(&ben, 1).await;
    let keyless = app.another_node_that_sends(to_loopback(&[])).await;
    keyless.delivers().await;
    assert!(receiver.got().is_empty());
    // It is this server's fault, and isn't counted against the webhook, however long it lasts.
    for _ in 0..5 {
        let delivery = deliveries(&anna, &webhook).await[0].clone();
        assert!(delivery["error"].as_str().unwrap().contains("secret"), "{delivery}");
        assert_eq!((&delivery["status"], &delivery["attempts"]), (&json!("pending"), &json!(0)));
        app.passes_s(24 * 3600).await;
        keyless.delivers().await;
    }
    let seen = anna.get(&webhook).await.expect(200);
    assert_eq!((&seen["active"], &seen["failing_since"]), (&json!(true), &Value::Null));
    app.passes_s(60).await;
    app.delivers().await;
    assert_eq!(receiver.got()[0].signed_with(&secret), [true]);
}
