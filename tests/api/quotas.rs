//! Storage quotas: per account, and shared by the guests of one address.

use std::net::SocketAddr;

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::guests::guest;
use crate::rulesets::rows;
use crate::support::setup::Setup;
use crate::support::{Answer, Player, TestApp, database, orders, plain};

const CLOCK_OFF: &str = r#"{ "kind": "none" }"#;

fn offer() -> Value {
    json!({ "variant": "classic", "clock": serde_json::from_str::<Value>(CLOCK_OFF).unwrap() })
}

/// A note of about 60 kilobytes: the longest accepted one.
fn long_note(sea: &Value, revision: u32) -> Value {
    let mark =
        |index: usize| json!({ "sea": sea, "cell": "A1", "mark": "⚓".repeat(16), "colour": format!("#{index:06}") });
    let marks: Vec<Value> = (0..500).map(mark).collect();
    json!({ "revision": revision, "text": "⚓".repeat(3_000), "marks": marks })
}

async fn writes(player: &Player, id: &str, note: Value) -> Answer {
    player.request("PUT", &format!("/v1/matches/{id}/notes"), Some(note)).await
}

/// A guest with a different address from everybody else.
async fn guest_from(app: &TestApp, peer: &str, name: &str) -> Player {
    let peer: SocketAddr = peer.parse().unwrap();
    let made = app.send_from(peer, plain("POST", "/v1/guests", Some(json!({ "username": name })))).await.expect(201);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    Player {
        app: app.clone(),
        name: name.to_owned(),
        id: text(&made["account"]["id"]),
        token: text(&made["access_token"]),
        refresh_token: text(&made["refresh_token"]),
        password: String::new(),
    }
}

/// The quota that a refusal names, with its use and its limit.
fn refused(answer: &Answer) -> (String, i64, i64) {
    let quota = answer.problem(409, "quota-exceeded")["quota"].clone();
    (quota["name"].as_str().unwrap().to_owned(), quota["used"].as_i64().unwrap(), quota["limit"].as_i64().unwrap())
}

/// Matches to take notes on, and the sea of their boards.
async fn matches(app: &TestApp, number: usize) -> (Vec<String>, Value) {
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let mut ids = Vec::new();
    for _ in 0..number {
        ids.push(anna.challenges_and_meets(&ben, json!({})).await);
    }
    let sea = anna.get(&format!("/v1/matches/{}/board", ids[0])).await.expect(200)["seas"][0]["id"].clone();
    (ids, sea)
}

#[actix_web::test]
async fn the_notes_of_a_guest_have_a_quota_on_the_matches_of_others_too() {
    let app = TestApp::start().await;
    let (ids, sea) = matches(&app, 6).await;
    let gus = guest(&app, "gus").await;
    let mut written = 0;
    let mut last = writes(&gus, &ids[0], long_note(&sea, 0)).await;
    while last.status == 200 {
        written += 1;
        last = writes(&gus, &ids[written], long_note(&sea, 0)).await;
    }
    let (name, used, limit) = refused(&last);
    assert_eq!((name.as_str(), limit), ("note-bytes", 262_144));
    assert!((3..=5).contains(&written) && used <= limit, "{written} notes, {used} bytes");
    let detail = last.json()["detail"].as_str().unwrap().to_owned();
    assert!(detail.contains("262144") && detail.contains(&used.to_string()), "{detail}");
    // Nothing was stored, the existing note stays, and shorter notes are accepted.
    let path = format!("/v1/matches/{}/notes", ids[written]);
    assert_eq!(gus.get(&path).await.expect(200)["revision"], 0);
    writes(&gus, &ids[0], json!({ "revision": 1 })).await.expect(200);
    writes(&gus, &ids[written], long_note(&sea, 0)).await.expect(200);
    // The refusal exists in French as well.
    let request = gus.signed(plain("PUT", &format!("/v1/matches/{}/notes", ids[0]), Some(long_note(&sea, 2))));
    let french = app.send(request.insert_header(("accept-language", "fr"))).await;
    refused(&french);
    assert!(
        french.json()["detail"].as_str().unwrap().starts_with("Ce compte peut avoir 262144 octets de notes"),
        "{}",
        french.text()
    );
}

#[actix_web::test]
async fn guests_of_one_address_share_a_quota_and_members_do_not() {
    let app = TestApp::start().await;
    let (ids, sea) = matches(&app, 3).await;
    let mut filled = 0;
    let last = loop {
        let gus = guest(&app, &format!("guest-{filled}")).await;
        let answers = [
            writes(&gus, &ids[0], long_note(&sea, 0)).await,
            writes(&gus, &ids[1], long_note(&sea, 0)).await,
            writes(&gus, &ids[2], long_note(&sea, 0)).await,
        ];
        if let Some(last) = answers.into_iter().find(|answer| answer.status != 200) {
            break last;
        }
        filled += 1;
        assert!(filled < 20, "the guests of an address share nothing");
    };
    let (name, used, limit) = refused(&last);
    assert_eq!((name.as_str(), limit), ("note-bytes", 1_048_576));
    assert!(used <= limit && filled >= 4, "{filled} guests, {used} bytes");
    // Members and guests of other addresses are unaffected, and a guest who becomes a member is one.
    let carl = app.player("carl").await;
    writes(&carl, &ids[0], long_note(&sea, 0)).await.expect(200);
    let far = guest_from(&app, "203.0.113.9:4000", "far").await;
    writes(&far, &ids[0], long_note(&sea, 0)).await.expect(200);
    let near = guest(&app, "near").await;
    refused(&writes(&near, &ids[0], long_note(&sea, 0)).await);
    near.post("/v1/account/claim", json!({ "password": "three masts and a storm" })).await.expect(200);
    writes(&near, &ids[0], long_note(&sea, 0)).await.expect(200);
}

#[actix_web::test]
async fn an_address_has_so_many_guests() {
    let app = TestApp::start().await;
    guest(&app, "gus").await;
    let copies = "INSERT INTO accounts SELECT (jsonb_populate_record(a, jsonb_build_object('id', gen_random_uuid(), \
         'username', 'copy-' || n, 'username_key', 'copy-' || n, 'username_skeleton', ('copy-' || n)::bytea))).* \
         FROM accounts AS a, generate_series(1, 499) AS n WHERE a.username = 'gus'";
    database::execute(&app.database, copies).await;
    let last = app.post("/v1/guests", json!({ "username": "one-more" })).await;
    assert_eq!(refused(&last), ("guests".to_owned(), 500, 500));
    guest_from(&app, "203.0.113.9:4000", "far").await;
    app.player("anna").await;
}

#[actix_web::test]
async fn standing_orders_have_a_quota() {
    let app = TestApp::start().await;
    let (gus, ben) = (guest(&app, "gus").await, app.player("ben").await);
    let full = gus.challenges_and_meets(&ben, json!({})).await;
    let id = gus.challenges_and_meets(&ben, json!({})).await;
    for id in [&full, &id] {
        gus.orders_to(id, orders::chain(&["A1"])).await;
    }
    let many = format!("UPDATE standing_orders SET orders = to_jsonb(repeat('x', 524000)) WHERE match_id = '{full}'");
    database::execute(&app.database, &many).await;
    let cells: Vec<String> = (1..=10).map(|column| format!("A{column}")).collect();
    let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
    let (name, used, limit) = refused(&gus.tries_orders(&id, orders::chain(&cells), (0, 0)).await);
    assert_eq!((name.as_str(), limit), ("standing-order-bytes", 524_288));
    assert!((524_000..=limit).contains(&used), "{used}");
    assert_eq!(gus.orders(&id).await["orders"].as_array().unwrap().len(), 1);
    // Deleting is always possible.
    gus.request("DELETE", &orders::path(&id), None).await.expect(204);
}

#[actix_web::test]
async fn a_guest_plays_so_many_matches_at_a_time() {
    let app = TestApp::start().await;
    let (gus, ben) = (guest(&app, "gus").await, app.player("ben").await);
    let mut ids = Vec::new();
    for _ in 0..49 {
        ids.push(gus.challenges_and_meets(&ben, json!({})).await);
    }
    // A seat in an open challenge counts as a future match.
    let open = gus.post("/v1/challenges", offer()).await.expect(201)["id"].as_str().unwrap().to_owned();
    let full = ("matches".to_owned(), 50, 50);
    assert_eq!(refused(&gus.post("/v1/challenges", offer()).await), full);
    let bens = ben.post("/v1/challenges", offer()).await.expect(201)["id"].as_str().unwrap().to_owned();
    let accept = format!("/v1/challenges/{bens}/accept");
    assert_eq!(refused(&gus.post(&accept, json!({})).await), full);
    ben.post(&format!("/v1/challenges/{open}/accept"), json!({})).await.expect(200);
    assert_eq!(refused(&gus.post(&accept, json!({})).await), full);
    // A finished match frees its place, for a rematch as well.
    gus.acts(&ids[0], json!({ "type": "abort" })).await.expect(200);
    gus.post(&accept, json!({})).await.expect(200);
    let rematch = format!("/v1/matches/{}/rematch", ids[0]);
    assert_eq!(refused(&gus.post(&rematch, json!({})).await), full);
}

#[actix_web::test]
async fn requests_at_the_same_moment_exceed_no_quota() {
    let app = TestApp::start().await;
    let (gus, anna) = (guest(&app, "gus").await, app.player("anna").await);
    let offers = join_all((0..14).map(|_| gus.post("/v1/challenges", offer()))).await;
    let (taken, beyond): (Vec<_>, Vec<_>) = offers.into_iter().partition(|answer| answer.status == 201);
    assert_eq!((taken.len(), beyond.len()), (10, 4));
    assert_eq!(refused(&beyond[0]), ("open-challenges".to_owned(), 10, 10));
    let terms = |number: usize| {
        json!({ "title": format!("Cup {number}"), "variant": "classic", "format": "swiss", "rounds": 5,
        "clock": { "kind": "per-move", "move_s": 86_400 } })
    };
    let made = join_all((0..6).map(|number| anna.post("/v1/tournaments", terms(number)))).await;
    assert_eq!(made.iter().filter(|answer| answer.status == 201).count(), 3, "{:?}", made[0].text());
}

#[actix_web::test]
async fn a_day_has_so_many_messages_and_challenges() {
    let app = TestApp::with(Setup { rate_limits: true, ..Setup::default() }).await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let id = anna.challenges_and_meets(&ben, json!({})).await;
    let chat = format!("/v1/matches/{id}/chat/players");
    anna.post(&chat, json!({ "text": "ahoy" })).await.expect(201);
    let many = format!(
        "INSERT INTO chat_messages SELECT match_id, 'spectators', n, author_id, text, at - interval '2 minutes' \
         FROM chat_messages, generate_series(1, 1999) AS n WHERE author_id = '{}'; \
         INSERT INTO challenges SELECT (jsonb_populate_record(c, jsonb_build_object('id', gen_random_uuid()))).* \
         FROM challenges AS c, generate_series(1, 999) WHERE creator_id = '{}'",
        anna.id, anna.id
    );
    database::execute(&app.database, &many).await;
    assert_eq!(refused(&anna.post(&chat, json!({ "text": "ahoy" })).await), ("messages-a-day".to_owned(), 2000, 2000));
    let offer = json!({ "variant": "classic", "clock": { "kind": "none" } });
    assert_eq!(refused(&anna.post("/v1/challenges", offer.clone()).await), ("challenges-a-day".to_owned(), 1000, 1000));
    ben.post(&chat, json!({ "text": "ahoy" })).await.expect(201);
    app.passes_s(86_400).await;
    anna.post(&chat, json!({ "text": "ahoy" })).await.expect(201);
    anna.post("/v1/challenges", offer).await.expect(201);
}

#[actix_web::test]
async fn a_day_has_so_many_reports() {
    let app = TestApp::start().await;
    let (anna, ben, _carl) = (app.player("anna").await, app.player("ben").await, app.player("carl").await);
    let id = anna.challenges_and_meets(&ben, json!({})).await;
    ben.post(&format!("/v1/matches/{id}/chat/players"), json!({ "text": "ahoy" })).await.expect(201);
    let hash = ben.publishes("Twelve rows", rows(12)).await;
    let asked = json!({ "variant": "classic", "clock": { "kind": "none" }, "opponent": "anna", "message": "ahoy" });
    let challenge = ben.post("/v1/challenges", asked).await.expect(201)["id"].as_str().unwrap().to_owned();
    anna.post("/v1/players/ben/report", json!({ "reason": "spam" })).await.expect(204);
    let many = "INSERT INTO abuse_reports (id, reporter_id, author_id, subject, subject_id, reason, at) SELECT \
         gen_random_uuid(), reporter_id, author_id, 'challenge', gen_random_uuid(), reason, at \
         FROM abuse_reports, generate_series(1, 49)";
    database::execute(&app.database, many).await;
    let full = ("reports-a-day".to_owned(), 50, 50);
    for path in [
        format!("/v1/matches/{id}/chat/players/1/report"),
        format!("/v1/rule-sets/{hash}/report"),
        "/v1/players/carl/report".to_owned(),
        format!("/v1/abuse-reports/challenge/{challenge}"),
    ] {
        assert_eq!(refused(&anna.post(&path, json!({ "reason": "spam" })).await), full, "{path}");
    }
}
