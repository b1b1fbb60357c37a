//! Load by streams: their limit, keep-alives, and vanished clients.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::sockets::{beside, connected, served};
use crate::support::process::{Node, Remote};
use crate::support::streams::Listening;
use crate::support::way::Way;
use crate::support::{Player, Setup, Streaming, TestApp, database, plain};

async fn opens(player: &Player, media_type: &str) -> Streaming {
    let request = player.signed(plain("GET", "/v1/events", None)).insert_header(("accept", media_type));
    player.app.open(request).await
}

#[actix_web::test]
async fn an_account_has_ten_streams_at_a_node_and_gets_them_back() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let mut streams = Vec::new();
    for media_type in ["text/event-stream", "application/x-ndjson"].repeat(5) {
        streams.push(Listening::to(&anna, media_type, "/v1/events", None).await);
    }
    let refused = opens(&anna, "text/event-stream").await;
    assert_eq!(refused.status, 429);
    assert!(refused.headers.contains(&("retry-after".to_owned(), "30".to_owned())));
    // A waiting page counts as a stream; one that doesn't wait, or has events at once, doesn't.
    anna.get("/v1/events?wait_s=1").await.problem(429, "too-many-streams");
    anna.get("/v1/events").await.expect(200);
    assert_eq!(opens(&ben, "text/event-stream").await.status, 200);
    assert_eq!(opens(&anna.at(&app.another_node().await), "text/event-stream").await.status, 200);
    streams.pop();
    // Of two concurrent requests for the last slot, one gets it.
    let both = futures_util::future::join(anna.get("/v1/events?wait_s=1"), opens(&anna, "application/x-ndjson"));
    let (page, stream) = both.await;
    let mut statuses = [page.status, stream.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 429]);
    drop(stream);
    Listening::sse(&anna, "/v1/events", None).await;
}

#[actix_web::test]
async fn a_silent_stream_says_that_it_is_there() {
    let app = TestApp::with(Setup { keep_alive: Some(Duration::from_millis(50)), ..Setup::default() }).await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    for (media_type, alive) in [("text/event-stream", ": still here\n\n"), ("application/x-ndjson", "\n")] {
        let mut stream = opens(&anna, media_type).await;
        assert!(stream.piece().await.unwrap().contains("snapshot"));
        assert_eq!(stream.piece().await.unwrap(), alive);
        assert_eq!(stream.piece().await.unwrap(), alive);
        let offer = json!({ "variant": "classic", "clock": { "kind": "none" }, "opponent": "anna" });
        ben.post("/v1/challenges", offer).await.expect(201);
        let mut piece = alive.to_owned();
        while piece == alive {
            piece = stream.piece().await.unwrap();
        }
        assert!(piece.contains("challenge-received"), "{piece}");
        assert_eq!(stream.piece().await.unwrap(), alive);
    }
}

#[actix_web::test]
async fn a_silent_stream_ends_with_its_token() {
    let app = TestApp::with(Setup { keep_alive: Some(Duration::from_millis(20)), ..Setup::default() }).await;
    let anna = app.player("anna").await;
    let mut stream = opens(&anna, "text/event-stream").await;
    stream.piece().await.unwrap();
    // An access token is valid for a quarter of an hour.
    app.passes_unseen_s(15 * 60);
    let mut silences = 0;
    while let Some(piece) = stream.piece().await {
        assert_eq!(piece, ": still here\n\n");
        silences += 1;
        assert!(silences < 4, "nobody asks whether the token is still good");
    }
}

#[actix_web::test]
async fn the_slots_of_clients_that_vanished_are_free_again() {
    let node = Node::start(&database::fresh().await, "127.0.0.1:0");
    let anna = Remote::register(node.address, "anna").await;
    let mut streams = Vec::new();
    for _ in 0..10 {
        let mut stream = anna.listen(node.address, "0").await.unwrap();
        assert_eq!(stream.status(), 200);
        stream.chunk().await.unwrap();
        streams.push(stream);
    }
    assert_eq!(anna.listen(node.address, "0").await.unwrap().status(), 429);
    drop(streams);
    let begun = Instant::now();
    while anna.listen(node.address, "0").await.unwrap().status() != 200 {
        assert!(begun.elapsed() < Duration::from_secs(20), "nobody has noticed that ten clients are gone");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[actix_web::test]
async fn a_connection_that_is_closed_gives_its_slot_back_at_once() {
    // No keep-alive for an hour, so no failing write reveals it.
    let keep_alive = Some(Duration::from_secs(3600));
    let app = TestApp::with(Setup { keep_alive, ..Setup::default() }).await;
    let anna = app.player("anna").await;
    let (address, handle) = served(&app);
    let head = format!(
        "GET /v1/events HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nAuthorization: Bearer {}\r\n\r\n",
        anna.token
    );
    beside(move || {
        let open = || {
            let mut stream = connected(address);
            stream.write_all(head.as_bytes()).unwrap();
            let mut start = [0; 12];
            stream.read_exact(&mut start).unwrap();
            (String::from_utf8_lossy(&start).into_owned(), stream)
        };
        let streams: Vec<_> = (0..10).map(|_| open()).collect();
        assert!(streams.iter().all(|(status, _)| status == "HTTP/1.1 200"));
        assert_eq!(open().0, "HTTP/1.1 429");
        drop(streams);
        let begun = Instant::now();
        while open().0 != "HTTP/1.1 200" {
            assert!(begun.elapsed() < Duration::from_secs(20), "nobody has noticed that ten clients are gone");
        }
    })
    .await;
    handle.stop(false).await;
}

#[actix_web::test]
async fn an_expired_challenge_notifies_each_concerned_player_once() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let people = ["anna", "ben", "carl"];
    let mut players = Vec::new();
    for name in people {
        players.push(app.lasting_player(name).await);
    }
    let [anna, ben, carl] = &players[..] else { unreachable!() };
    let clock = json!({ "kind": "none" });
    let to_ben = json!({ "variant": "classic", "clock": clock, "opponent": "ben", "expires_in_s": 3600 });
    let to_ben = anna.post("/v1/challenges", to_ben).await.expect(201);
    let of_three = json!({ "variant": "salvos", "clock": clock, "seats": 3, "expires_in_s": 3600 });
    let of_three = anna.post("/v1/challenges", of_three).await.expect(201);
    carl.post(&format!("/v1/challenges/{}/accept", of_three["id"].as_str().unwrap()), json!({})).await.expect(200);
    let withdrawn = json!({ "variant": "classic", "clock": clock, "opponent": "ben", "expires_in_s": 3600 });
    let withdrawn = anna.post("/v1/challenges", withdrawn).await.expect(201);
    anna.request("DELETE", &format!("/v1/challenges/{}", withdrawn["id"].as_str().unwrap()), None).await.expect(204);
    app.passes_s(3599).await;
    // Both nodes check at the same moment.
    app.passes_unseen_s(1);
    let (one, two) = futures_util::future::join(
        broadside::lobby::expire::sweep(&app.app.matches),
        broadside::lobby::expire::sweep(&other.app.matches),
    )
    .await;
    one.and(two).unwrap();
    app.passes_s(3600).await;
    let told = async |player: &Player| -> Vec<Value> {
        let heard = player.hears(0).await.into_iter();
        heard.filter(|event| event["type"] == "challenge-expired").map(|event| event["challenge_id"].clone()).collect()
    };
    let annas = told(anna).await;
    assert!(annas.len() == 2 && annas.contains(&to_ben["id"]) && annas.contains(&of_three["id"]), "{annas:?}");
    assert_eq!((told(ben).await, told(carl).await), (vec![to_ben["id"].clone()], vec![of_three["id"].clone()]));
    let event = ben.hears(0).await.pop().unwrap();
    assert_eq!(event["at"], to_ben["expires_at"]);
    let listed = anna.get("/v1/challenges?mine=true&status=expired").await.expect(200);
    assert_eq!(listed["items"].as_array().unwrap().len(), 2);
}

#[actix_web::test]
async fn a_failing_cleanup_step_does_not_hold_up_the_others() {
    let app = TestApp::start().await;
    app.player("ben").await;
    database::execute(&app.database, "UPDATE sessions SET ended_at = '2026-01-01'").await;
    database::execute(&app.database, "ALTER TABLE idempotency_keys RENAME TO mislaid").await;
    assert!(broadside::jobs::clean_up(&app.app).await.is_err());
    database::execute(&app.database, "SELECT 1 / (count(*) = 0)::int FROM sessions").await;
}

#[actix_web::test]
async fn a_damaged_challenge_does_not_keep_the_others_from_expiring() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let offer = |expires_in_s: u32| json!({ "variant": "classic", "clock": { "kind": "none" }, "opponent": "ben", "expires_in_s": expires_in_s });
    let first = anna.post("/v1/challenges", offer(3600)).await.expect(201);
    let second = anna.post("/v1/challenges", offer(3601)).await.expect(201);
    let damaged =
        format!("UPDATE challenges SET variant = 'none of ours' WHERE id = '{}'", first["id"].as_str().unwrap());
    database::execute(&app.database, &damaged).await;
    app.passes_s(3601).await;
    let heard = ben.hears(0).await;
    let expired: Vec<&Value> =
        heard.iter().filter(|event| event["type"] == "challenge-expired").map(|event| &event["challenge_id"]).collect();
    assert_eq!(expired, [&second["id"]]);
}

#[actix_web::test]
async fn where_nobody_can_listen_news_of_other_nodes_come_by_polling() {
    let way = Way::without_listen(&database::fresh().await).await;
    let clock = std::sync::Arc::new(std::sync::atomic::AtomicI64::new(crate::support::MORNING_MS));
    let app = Box::pin(TestApp::on(way.url.clone(), clock, Setup::default())).await;
    let other = app.another_node().await;
    let (anna, ben, id) = app.table("classic").await;
    let mut stream = Listening::sse(&anna.at(&other), "/v1/events", None).await;
    assert_eq!(stream.next().await.unwrap()["type"], "snapshot");
    let version = anna.sees(&id).await["version"].as_u64().unwrap();
    let waits = format!("/v1/matches/{id}?wait_s=10&after_version={version}");
    let anna_there = anna.at(&other);
    let (seen, _) =
        futures_util::future::join(anna_there.get(&waits), ben.acts(&id, json!({ "type": "resign" }))).await;
    assert!(seen.expect(200)["version"].as_u64().unwrap() > version);
    assert_eq!(stream.next().await.unwrap()["type"], "report");
}
