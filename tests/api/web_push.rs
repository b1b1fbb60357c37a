//! Web Push: notifications of turns to browsers without an open page, their contents, and their secrecy towards push
//! services.

use serde_json::{Value, json};

use crate::support::fleets::{NORTH_WEST, SOUTH_EAST};
use crate::support::push_service::{PushService, Ringing, SUBSCRIPTIONS, Sealed};
use crate::support::{Player, Setup, TestApp};

/// Anna and Ben without subscriptions yet, and a push service.
async fn at_the_shore() -> (TestApp, Player, Player, PushService) {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    (app, anna, ben, PushService::open().await)
}

async fn subscriptions(player: &Player) -> Vec<Value> {
    player.get(SUBSCRIPTIONS).await.expect(200)["items"].as_array().unwrap().clone()
}

fn read(browser: &Ringing, messages: &[Sealed]) -> Vec<Value> {
    messages.iter().map(|message| browser.reads(message)).collect()
}

#[actix_web::test]
async fn a_browser_hears_of_a_turn() {
    let (app, anna, ben, service) = at_the_shore().await;
    let browser = Ringing::new(&service, "annas");
    let made = browser.subscribes(&anna, json!({ "name": "Firefox, at home" })).await;
    assert!(made.header("location").unwrap().starts_with("/v1/account/push-subscriptions/"));
    let made = made.expect(201);
    assert_eq!(
        (&made["name"], &made["service"], &made["events"], &made["language"], &made["current"]),
        (
            &json!("Firefox, at home"),
            &json!("127.0.0.1"),
            &json!(["your-turn", "deadline-near", "challenge-received"]),
            &json!("en"),
            &json!(true)
        )
    );
    assert_eq!(made["last_delivered_at"], Value::Null);
    let id = anna.challenges_and_meets(&ben, json!({})).await;
    // A player who plays on at once needs no notification.
    app.rings_after(14).await;
    assert!(service.takes().is_empty());
    app.rings_after(1).await;
    let got = service.takes();
    assert_eq!(got.len(), 1);
    let message = &got[0];
    let said = browser.reads(message);
    let deadline = anna.sees(&id).await["deadline"].clone();
    assert_eq!(
        said,
        json!({
            "type": "your-turn", "title": "Your turn", "body": "Classic against ben", "path": format!("/match/{id}"),
            "tag": message.header("topic"), "language": "en", "match_id": id, "deadline": deadline,
        })
    );
    assert_eq!(message.path, "/send/annas");
    assert_eq!((message.header("ttl"), message.header("urgency")), ("86385", "normal"));
    let topic = message.header("topic");
    let is_base64url = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    assert!(topic.len() == 32 && topic.chars().all(is_base64url), "{topic}");
    // The push service learns nothing else: no name, no match, no distinguishing length.
    let id_bytes = id.as_bytes();
    assert!(!message.body.windows(id_bytes.len()).any(|bytes| bytes == id_bytes));
    assert_eq!(message.body.len(), 86 + 512 + 17);
    let claims = message.token_of(&app.push_key().await);
    assert_eq!(claims["aud"], format!("http://127.0.0.1:{}", service.port));
    assert_eq!(claims["sub"], "https://broadside.test");
    assert_eq!(claims["exp"], app.now_ms() / 1000 + 12 * 3600);
    app.rings_after(60).await;
    assert!(service.takes().is_empty(), "once");
    assert!(subscriptions(&anna).await[0]["last_delivered_at"].is_string());
}

#[actix_web::test]
async fn what_is_played_meanwhile_is_no_news_and_later_news_replace_earlier_ones() {
    let (app, anna, ben, service) = at_the_shore().await;
    let browser = Ringing::new(&service, "annas");
    let events = json!({ "events": ["your-turn", "match-finished", "chat"] });
    browser.subscribes(&anna, events).await.expect(201);
    let id = anna.challenges_and_meets(&ben, json!({})).await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    anna.fires(&id, &["A10"]).await;
    app.rings_after(20).await;
    assert!(service.takes().is_empty(), "it is Ben's turn");
    ben.fires(&id, &["J1"]).await;
    app.rings_after(10).await;
    anna.fires(&id, &["A9"]).await;
    ben.fires(&id, &["J2"]).await;
    app.rings_after(10).await;
    assert!(service.takes().is_empty(), "the last turn is 10 seconds old");
    app.rings_after(5).await;
    let turn = service.takes();
    assert_eq!(turn.len(), 1);
    assert_eq!(browser.reads(&turn[0])["type"], "your-turn");
    // Chat replaces no turn; the end replaces both turns and the chat of the match.
    ben.post(&format!("/v1/matches/{id}/chat/players"), json!({ "text": "a secret plan" })).await.expect(201);
    app.rings_after(15).await;
    let talk = service.takes();
    let said = browser.reads(&talk[0]);
    assert_eq!((&said["title"], &said["body"]), (&json!("New messages"), &json!("Classic against ben")));
    assert!(!said.to_string().contains("secret plan"));
    ben.acts(&id, json!({ "type": "resign" })).await.expect(200);
    app.rings_after(15).await;
    let end = service.takes();
    assert_eq!(end.len(), 1);
    let said = browser.reads(&end[0]);
    assert_eq!(
        (&said["title"], &said["body"]),
        (&json!("A match is over"), &json!("Classic against ben: you have won (by resignation)"))
    );
    assert_eq!(turn[0].header("topic"), end[0].header("topic"));
    assert_ne!(turn[0].header("topic"), talk[0].header("topic"));
    assert_eq!(end[0].header("urgency"), "low");
}

#[actix_web::test]
async fn each_browser_hears_in_its_language_and_nobody_else_reads_it() {
    let (app, anna, ben, service) = at_the_shore().await;
    let (annas, bens) = (Ringing::new(&service, "annas"), Ringing::new(&service, "bens"));
    annas.subscribes(&anna, json!({ "language": "fr", "events": ["your-turn", "match-started"] })).await.expect(201);
    bens.subscribes(&ben, json!({ "events": ["challenge-received", "match-started"] })).await.expect(201);
    let offer = json!({ "variant": "classic", "clock": { "kind": "none" }, "opponent": "ben" });
    anna.post("/v1/challenges", offer).await.expect(201);
    let id = anna.challenges_and_meets(&ben, json!({})).await;
    app.rings_after(15).await;
    let got = service.takes();
    let (to_anna, to_ben): (Vec<Sealed>, Vec<Sealed>) = got.into_iter().partition(|got| got.path == "/send/annas");
    assert!(to_anna.iter().all(|message| !bens.can_read(message)));
    assert!(to_ben.iter().all(|message| !annas.can_read(message)));
    // For a match that begins with Anna's turn, the turn is the news; Ben's second challenge was accepted.
    let said = read(&annas, &to_anna);
    assert_eq!(said.len(), 1, "{said:?}");
    assert_eq!((&said[0]["title"], &said[0]["language"]), (&json!("À vous de jouer"), &json!("fr")));
    assert_eq!(said[0]["body"], "Classique contre ben");
    let said = read(&bens, &to_ben);
    let titles: Vec<&str> = said.iter().map(|said| said["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["A challenge", "A match begins"]);
    assert_eq!(said[0]["body"], "Classic, from anna");
    assert!(said[0]["path"].as_str().unwrap().starts_with("/challenge/"), "{said:?}");
    assert_eq!(said[1]["path"], format!("/match/{id}"));
    // The push service can't tell that two browsers belong to one match.
    assert_ne!(to_anna[0].header("topic"), to_ben[1].header("topic"));
}

#[actix_web::test]
async fn a_browser_belongs_to_one_account_and_a_session_has_one() {
    let (app, anna, ben, service) = at_the_shore().await;
    let browser = Ringing::new(&service, "one");
    let first = browser.subscribes(&anna, json!({})).await.expect(201);
    // With other preferences it stays the same subscription.
    let again = browser.subscribes(&anna, json!({ "events": ["chat", "chat"], "name": "Chrome" })).await.expect(201);
    assert_eq!((&again["id"], &again["created_at"]), (&first["id"], &first["created_at"]));
    assert_eq!((&again["events"], &again["name"]), (&json!(["chat"]), &json!("Chrome")));
    assert_eq!(subscriptions(&anna).await.len(), 1);
    // Another endpoint of the same session replaces it.
    let other = Ringing::new(&service, "two");
    other.subscribes(&anna, json!({})).await.expect(201);
    assert_eq!(subscriptions(&anna).await.len(), 1);
    // Ben signs in at Anna's browser: it no longer shows her notifications.
    other.subscribes(&ben, json!({})).await.expect(201);
    assert_eq!(subscriptions(&anna).await, Vec::<Value>::new());
    anna.challenges_and_meets(&ben, json!({})).await;
    app.rings_after(15).await;
    assert_eq!(service.takes().len(), 1, "Ben has a fleet to place");
    let id = subscriptions(&ben).await[0]["id"].as_str().unwrap().to_owned();
    let path = format!("{SUBSCRIPTIONS}/{id}");
    anna.request("DELETE", &path, None).await.problem(404, "not-found");
    ben.request("DELETE", &path, None).await.expect(204);
    ben.request("DELETE", &path, None).await.problem(404, "not-found");
    assert_eq!(subscriptions(&ben).await, Vec::<Value>::new());
}

#[actix_web::test]
async fn an_account_has_twenty() {
    let (app, anna, _, service) = at_the_shore().await;
    let credentials = json!({ "username": "anna", "password": anna.password });
    let mut sessions = Vec::new();
    for _ in 0..21 {
        let session = app.post("/v1/sessions", credentials.clone()).await.expect(201);
        sessions.push(anna.with_token(session["access_token"].as_str().unwrap()));
    }
    for (number, session) in sessions[..20].iter().enumerate() {
        Ringing::new(&service, &format!("b{number}")).subscribes(session, json!({})).await.expect(201);
    }
    let last = Ringing::new(&service, "last");
    last.subscribes(&sessions[20], json!({})).await.problem(409, "quota-exceeded");
    Ringing::new(&service, "b0").subscribes(&sessions[0], json!({})).await.expect(201);
    let found = sessions[3].get(&format!("{SUBSCRIPTIONS}?limit=15")).await.expect(200);
    assert_eq!(found["items"].as_array().unwrap().len(), 15);
    let next = format!("{SUBSCRIPTIONS}?limit=15&cursor={}", found["next_cursor"].as_str().unwrap());
    let rest = sessions[3].get(&next).await.expect(200);
    assert_eq!(rest["items"].as_array().unwrap().len(), 5);
    let all = found["items"].as_array().unwrap().iter().chain(rest["items"].as_array().unwrap());
    assert_eq!(all.filter(|one| one["current"] == true).count(), 1);
    // A session that is signed out frees its place.
    let id = sessions[1].get("/v1/sessions").await.expect(200);
    let own = id["items"].as_array().unwrap().iter().find(|one| one["current"] == true).unwrap();
    sessions[1].request("DELETE", &format!("/v1/sessions/{}", own["id"].as_str().unwrap()), None).await.expect(204);
    last.subscribes(&sessions[20], json!({})).await.expect(201);
}

#[actix_web::test]
async fn what_a_browser_gives_is_checked() {
    let (_, anna, _, service) = at_the_shore().await;
    let browser = Ringing::new(&service, "annas");
    let key = browser.asks(json!({}))["p256dh"].as_str().unwrap().to_owned();
    let off = format!("BAAA{}", &key[4..]);
    for (field, wrong) in [
        ("p256dh", json!(off)),
        ("p256dh", json!(&key[1..])),
        ("p256dh", json!(format!("{key}="))),
        ("p256dh", json!("A".repeat(87))),
        ("p256dh", json!(7)),
        ("p256dh", Value::Null),
        ("auth", json!("")),
        ("auth", json!("AAAA")),
        ("auth", json!("ä".repeat(22))),
        ("name", json!(" ")),
        ("name", json!("x".repeat(61))),
        ("name", json!("a\u{202e}b")),
        ("events", json!("your-turn")),
        ("language", json!("de")),
        ("endpoint", json!("javascript:alert(1)")),
        ("endpoint", json!(format!("https://push.example/{}", "x".repeat(2000)))),
        ("endpoint", json!("https://push.example/#x")),
        ("unknown", json!(true)),
    ] {
        let refused = browser.subscribes(&anna, json!({ field: wrong })).await;
        refused.problem(422, "validation-failed");
        assert_eq!(refused.pointers(), [format!("/{field}")], "{wrong}");
    }
    let wrong = json!({ "events": ["your-turn", "rating-changed", "nonsense"] });
    let refused = browser.subscribes(&anna, wrong).await;
    refused.problem(422, "validation-failed");
    assert_eq!(refused.pointers(), ["/events/1", "/events/2"]);
    assert_eq!(subscriptions(&anna).await, Vec::<Value>::new());
}

#[actix_web::test]
async fn only_a_session_subscribes_a_browser_and_guests_have_one() {
    let (app, anna, ben, service) = at_the_shore().await;
    let scopes = <broadside::accounts::Scope as strum::VariantNames>::VARIANTS;
    let token = anna.post("/v1/account/tokens", json!({ "name": "all", "scopes": scopes })).await.expect(201);
    let program = anna.with_token(token["token"].as_str().unwrap());
    let browser = Ringing::new(&service, "gus");
    browser.subscribes(&program, json!({})).await.problem(403, "session-required");
    program.get(SUBSCRIPTIONS).await.problem(403, "session-required");
    app.post(SUBSCRIPTIONS, browser.asks(json!({}))).await.problem(401, "token-missing");
    let guest = app.post("/v1/guests", json!({ "username": "gus" })).await.expect(201);
    let mut gus = ben.with_token(guest["access_token"].as_str().unwrap());
    gus.name = "gus".to_owned();
    browser.subscribes(&gus, json!({})).await.expect(201);
    gus.challenges_and_meets(&anna, json!({})).await;
    app.rings_after(15).await;
    assert_eq!(browser.reads(&service.takes()[0])["body"], "Classic against anna");
}

#[actix_web::test]
async fn the_operator_switches_it_off() {
    let app = TestApp::with(Setup { no_web_push: true, ..Setup::default() }).await;
    let anna = app.player("anna").await;
    let key = app.get("/v1/push-key").await.expect(200);
    assert_eq!(key, json!({ "available": false, "application_server_key": null }));
    let service = PushService::open().await;
    let browser = Ringing::new(&service, "annas");
    browser.subscribes(&anna, json!({})).await.problem(409, "push-unavailable");
    assert_eq!(subscriptions(&anna).await, Vec::<Value>::new());
    app.rings().await;
}
