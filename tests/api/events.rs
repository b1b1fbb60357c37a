//! The account's event log: complete, ordered, without gaps, on every node, in all three forms.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::database::STORED_EVENT;
use crate::support::fleets::{NORTH_WEST, SOUTH_EAST};
use crate::support::streams::Listening;
use crate::support::{TestApp, database, plain, plays_out};

fn kinds(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["type"].as_str().unwrap()).collect()
}

#[track_caller]
fn without_gaps(events: &[Value], after: u64) {
    for (event, number) in events.iter().zip(after + 1..) {
        assert_eq!(event["number"], number, "{event}");
    }
}

#[actix_web::test]
async fn a_whole_match_can_be_followed_by_its_events_alone() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("classic").await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    anna.fires(&id, &["A10"]).await;
    ben.fires(&id, &["J1"]).await;
    plays_out(&[&anna, &ben], &id, 300).await;
    for player in [&anna, &ben] {
        let heard = player.hears(0).await;
        without_gaps(&heard, 0);
        let first = if player.name == "anna" { "challenge-accepted" } else { "challenge-received" };
        assert_eq!(kinds(&heard)[..2], [first, "match-started"]);
        assert_eq!(kinds(&heard).last(), Some(&"match-finished"));
        // The rating changes are an event of their own.
        let mut result = player.sees(&id).await["result"].clone();
        assert_eq!(result["ratings"], json!([]));
        result
            .as_object_mut()
            .unwrap()
            .retain(|field, _| !["ratings", "annulled", "adjudicated"].contains(&field.as_str()));
        assert_eq!(heard.last().unwrap()["result"], result);
        // The reports equal the list's, each once.
        let reports: Vec<&Value> =
            heard.iter().filter(|event| event["type"] == "report").map(|event| &event["report"]).collect();
        let listed = player.get(&format!("/v1/matches/{id}/reports?limit=1000")).await.expect(200);
        assert_eq!(reports, listed["items"].as_array().unwrap().iter().collect::<Vec<_>>());
        assert!(heard.iter().skip(1).all(|event| event["match_id"] == json!(id)));
        // One turn for each action: the deployment, and each shot.
        let seat = &player.sees(&id).await["viewer"]["seat"];
        let own = reports.iter().filter(|report| report["type"] == "fired" && report["seat"] == *seat).count();
        assert_eq!(kinds(&heard).iter().filter(|kind| **kind == "your-turn").count(), own + 1);
    }
}

#[actix_web::test]
async fn challenges_notify_those_whom_they_concern() {
    let app = TestApp::start().await;
    let (anna, ben, carl) = (app.player("anna").await, app.player("ben").await, app.player("carl").await);
    let clock = json!({ "kind": "none" });
    let offer = json!({ "variant": "classic", "clock": clock, "opponent": "ben" });
    let path = |challenge: &Value| format!("/v1/challenges/{}", challenge["id"].as_str().unwrap());
    let one = anna.post("/v1/challenges", offer.clone()).await.expect(201);
    ben.post(&format!("{}/decline", path(&one)), json!({ "reason": "later" })).await.expect(200);
    let two = anna.post("/v1/challenges", offer).await.expect(201);
    anna.request("DELETE", &path(&two), None).await.expect(204);
    let three = json!({ "variant": "salvos", "clock": clock, "seats": 3 });
    let three = anna.post("/v1/challenges", three).await.expect(201);
    ben.post(&format!("{}/accept", path(&three)), json!({})).await.expect(200);
    ben.post(&format!("{}/decline", path(&three)), json!({})).await.expect(200);
    carl.post(&format!("{}/accept", path(&three)), json!({})).await.expect(200);
    anna.request("DELETE", "/v1/account", Some(json!({ "password": anna.password }))).await.expect(204);

    assert_eq!(
        kinds(&ben.hears(0).await),
        ["challenge-received", "challenge-received", "challenge-withdrawn"],
        "no one is notified of their own actions"
    );
    assert_eq!(ben.hears(0).await[0]["challenger_id"], json!(anna.id));
    let heard = carl.hears(0).await;
    assert_eq!((kinds(&heard), &heard[0]["challenge_id"]), (vec!["challenge-withdrawn"], &three["id"]));
    // Anna's events are gone.
    app.passes_s(0).await;
    for table in ["account_events", "event_counters"] {
        let none = format!("SELECT 1 / (count(*) = 0)::int FROM {table} WHERE account_id = '{}'", anna.id);
        database::execute(&app.database, &none).await;
    }
}

#[actix_web::test]
async fn the_creator_is_notified_of_the_outcome_of_challenges() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let clock = json!({ "kind": "none" });
    let path = |challenge: &Value| format!("/v1/challenges/{}", challenge["id"].as_str().unwrap());
    let one = json!({ "variant": "classic", "clock": clock, "opponent": "ben" });
    let one = anna.post("/v1/challenges", one).await.expect(201);
    ben.post(&format!("{}/decline", path(&one)), json!({ "reason": "later" })).await.expect(200);
    let two = json!({ "variant": "salvos", "clock": clock, "seats": 3 });
    let two = anna.post("/v1/challenges", two).await.expect(201);
    ben.post(&format!("{}/accept", path(&two)), json!({})).await.expect(200);
    ben.post(&format!("{}/decline", path(&two)), json!({})).await.expect(200);
    let heard = anna.hears(0).await;
    assert_eq!(kinds(&heard), ["challenge-declined", "challenge-accepted", "challenge-left"]);
    assert_eq!((&heard[0]["reason"], &heard[0]["player_id"]), (&json!("later"), &json!(ben.id)));
    assert_eq!(heard[1]["match_id"], Value::Null);
    without_gaps(&heard, 0);
}

#[actix_web::test]
async fn a_page_waits_and_goes_on_from_its_cursor() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("classic").await;
    let now = anna.get("/v1/events").await.expect(200);
    assert_eq!(now["items"], json!([]));
    let cursor = now["next_cursor"].as_str().unwrap();
    let begun = Instant::now();
    let path = format!("/v1/events?after={cursor}&wait_s=20");
    let (heard, _) = futures_util::future::join(anna.get(&path), ben.deploys(&id, SOUTH_EAST)).await;
    let heard = heard.expect(200);
    assert!(begun.elapsed() < Duration::from_secs(10));
    assert!(kinds(heard["items"].as_array().unwrap()).iter().all(|kind| *kind == "report"), "{heard}");

    // Pages of two give the same events as one page.
    let (all, mut cursor, mut pieces) = (ben.hears(0).await, "0".to_owned(), Vec::new());
    while pieces.len() < all.len() {
        let page = ben.get(&format!("/v1/events?after={cursor}&limit=2")).await.expect(200);
        let items = page["items"].as_array().unwrap();
        assert!((1..=2).contains(&items.len()));
        pieces.extend(items.clone());
        cursor = page["next_cursor"].as_str().unwrap().to_owned();
    }
    assert_eq!(pieces, all);
    let begun = Instant::now();
    let silence = ben.get(&format!("/v1/events?after={cursor}&wait_s=1")).await.expect(200);
    assert_eq!(silence, json!({ "items": [], "next_cursor": cursor }));
    assert!(begun.elapsed() >= Duration::from_secs(1));
    // A late wake-up for events already read doesn't end it either.
    let begun = Instant::now();
    let rings = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        app.app.wakeups.wake(&[ben.id.parse().unwrap()]);
    };
    let path = format!("/v1/events?after={cursor}&wait_s=1");
    let (silence, ()) = futures_util::future::join(ben.get(&path), rings).await;
    assert_eq!(silence.expect(200)["items"], json!([]));
    assert!(begun.elapsed() >= Duration::from_secs(1));
}

#[actix_web::test]
async fn all_forms_tell_the_same_from_any_place_on() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("classic").await;
    anna.deploys(&id, NORTH_WEST).await;
    let all = anna.hears(0).await;
    let newest = all.len() as u64;
    for media_type in ["text/event-stream", "application/x-ndjson"] {
        let mut stream = Listening::to(&anna, media_type, &format!("/v1/events?after={}", app.cursor(2)), None).await;
        let snapshot = stream.next().await.unwrap();
        assert_eq!((&snapshot["type"], &snapshot["number"]), (&json!("snapshot"), &json!(2)));
        assert_eq!(snapshot["newest"], newest);
        assert_eq!(format!("{}-2", snapshot["epoch"].as_str().unwrap()), app.cursor(2));
        assert_eq!(stream.take(all.len() - 2).await, all[2..]);
    }
    // Without a cursor the stream starts now; the header takes precedence over the query.
    let mut now = Listening::sse(&anna, "/v1/events", None).await;
    assert_eq!(now.next().await.unwrap()["number"], newest);
    let mut again = Listening::sse(&anna, "/v1/events?after=0", Some(newest - 1)).await;
    assert_eq!(again.take(2).await[1], all[all.len() - 1]);
    ben.deploys(&id, SOUTH_EAST).await;
    let news = now.take(2).await;
    without_gaps(&news, newest);
    assert_eq!(again.take(2).await, news);
}

#[actix_web::test]
async fn wrong_requests_are_refused() {
    let app = TestApp::start().await;
    let (anna, ..) = app.table("classic").await;
    for query in ["after=2", "after=-1", "after=x", "wait_s=61", "limit=0", "limit=1001", "before=1"] {
        anna.get(&format!("/v1/events?{query}")).await.problem(422, "validation-failed");
    }
    let wrong = anna.signed(plain("GET", "/v1/events", None)).insert_header(("last-event-id", "x"));
    app.send(wrong).await.problem(400, "malformed-header");
    for query in ["wait_s=1", "limit=2"] {
        let request = anna.signed(plain("GET", &format!("/v1/events?{query}"), None));
        let answer = app.send(request.insert_header(("accept", "text/event-stream"))).await;
        answer.problem(422, "validation-failed");
    }
}

#[actix_web::test]
async fn old_events_are_deleted_and_an_old_cursor_is_refused() {
    let app = TestApp::start().await;
    let anna = app.lasting_player("anna").await;
    let insert = |from: u32, to: u32, at: &str| {
        format!(
            "INSERT INTO account_events SELECT '{0}', n, 1, '{at}', '{STORED_EVENT}' \
             FROM generate_series({from}, {to}) AS n; \
             INSERT INTO event_counters VALUES ('{0}', {to}) ON CONFLICT (account_id) DO UPDATE SET newest = {to}",
            anna.id
        )
    };
    // More than the limit, half of it past its age.
    database::execute(&app.database, &insert(1, 1500, "2026-11-21T07:30:00Z")).await;
    app.passes_unseen_s(30 * 86_400 - 60);
    broadside::jobs::clean_up(&app.app).await.unwrap();
    anna.get("/v1/events?after=0&limit=1").await.expect(200);
    app.passes_unseen_s(120);
    broadside::jobs::clean_up(&app.app).await.unwrap();
    let gone = anna.get(&format!("/v1/events?after={}", app.cursor(499))).await;
    assert!(gone.problem(410, "cursor-too-old")["detail"].as_str().unwrap().contains("event 501"));
    let kept = anna.hears(500).await;
    assert_eq!(kept.len(), 1000);
    without_gaps(&kept, 500);
    // With enough new events all old ones go.
    database::execute(&app.database, &insert(1501, 2600, "2026-12-21T07:30:00Z")).await;
    broadside::jobs::clean_up(&app.app).await.unwrap();
    anna.get(&format!("/v1/events?after={}", app.cursor(1499))).await.problem(410, "cursor-too-old");
    assert_eq!(anna.hears(1500).await.len(), 1000);
}

#[actix_web::test]
async fn nothing_is_missed_or_twice_while_many_commit_on_two_nodes() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let anna = app.player("anna").await;
    let mut games = Vec::new();
    for name in ["ben", "carl", "dora", "emil", "fritz", "gina"] {
        let opponent = app.player(name).await;
        let terms = json!({ "clock": { "kind": "none" } });
        let id = anna.challenges_and_meets(&opponent, terms).await;
        games.push((opponent, id));
    }
    let mut stream = Listening::sse(&anna, "/v1/events?after=0", None).await;
    let mut elsewhere = Listening::sse(&anna.at(&other), "/v1/events?after=0", None).await;
    // All matches at once, each on a different node than the previous one, with challenges in between.
    let play = games.iter().enumerate().map(|(index, (opponent, id))| {
        let node = if index % 2 == 0 { &app } else { &other };
        let (anna, opponent) = (anna.at(node), opponent.at(node));
        async move {
            anna.deploys(id, NORTH_WEST).await;
            opponent.deploys(id, SOUTH_EAST).await;
            for (mine, yours) in [("A10", "J1"), ("B10", "I1"), ("C10", "H1")] {
                anna.fires(id, &[mine]).await;
                let offer = json!({ "variant": "classic", "clock": { "kind": "none" }, "opponent": "anna" });
                opponent.post("/v1/challenges", offer).await.expect(201);
                opponent.fires(id, &[yours]).await;
            }
            opponent.acts(id, json!({ "type": "resign" })).await.expect(200);
        }
    });
    join_all(play).await;
    let all = anna.hears(0).await;
    without_gaps(&all, 0);
    for (_, id) in &games {
        let listed = anna.get(&format!("/v1/matches/{id}/reports?limit=1000")).await.expect(200);
        let heard: Vec<&Value> =
            all.iter().filter(|event| event["type"] == "report" && event["match_id"] == json!(id)).collect();
        assert_eq!(heard.len(), listed["items"].as_array().unwrap().len());
    }
    assert_eq!(kinds(&all).iter().filter(|kind| **kind == "challenge-received").count(), 18);
    assert_eq!(kinds(&all).iter().filter(|kind| **kind == "match-finished").count(), 6);
    for stream in [&mut stream, &mut elsewhere] {
        assert_eq!(stream.next().await.unwrap()["type"], "snapshot");
        assert_eq!(stream.take(all.len()).await, all);
    }
}

#[actix_web::test]
async fn events_of_another_node_come_by_a_wake_up() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let (anna, ben, id) = app.table("classic").await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    let mut stream = Listening::sse(&ben.at(&other), "/v1/events", None).await;
    stream.next().await.unwrap();
    // The first may wait for the connection to open. The slow poll runs every two seconds, so a faster median proves
    // the hints.
    let mut took = Vec::new();
    for (mine, yours) in [("A10", "J1"), ("B10", "I1"), ("C10", "H1"), ("D10", "G1"), ("E10", "F1")] {
        let begun = Instant::now();
        anna.fires(&id, &[mine]).await;
        assert_eq!(kinds(&stream.take(2).await), ["report", "your-turn"]);
        took.push(begun.elapsed());
        ben.fires(&id, &[yours]).await;
        stream.take(1).await;
    }
    took.sort();
    assert!(took[2] < Duration::from_millis(250), "{took:?}");
}

#[actix_web::test]
async fn a_lost_wake_up_is_made_up_for_by_polling() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("classic").await;
    let mut stream = Listening::sse(&anna, "/v1/events", None).await;
    let before = stream.next().await.unwrap()["number"].as_u64().unwrap();
    // Written without a hint from any node.
    let row = format!(
        "UPDATE event_counters SET newest = newest + 1 WHERE account_id = '{0}'; \
         INSERT INTO account_events SELECT account_id, newest, 1, now(), '{STORED_EVENT}' FROM event_counters WHERE account_id = '{0}'",
        anna.id
    );
    database::execute(&app.database, &row).await;
    assert_eq!(stream.next().await.unwrap()["number"], before + 1);
    // The same after all connections were cut, including the one for hints.
    let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()";
    database::execute(&app.database, cut).await;
    // Each of the pool's eight connections fails on its next use; until then a request may be answered with a retry.
    let mut well = 0;
    while well < 16 {
        let answer = anna.get("/v1/events").await;
        well = if answer.status == 200 { well + 1 } else { 0 };
        if answer.status != 200 {
            answer.problem(503, "unavailable");
        }
    }
    let mut heard = Listening::sse(&anna, "/v1/events", Some(before + 1)).await;
    heard.next().await.unwrap();
    let deployed = ben.acts(&id, crate::support::fleets::deployment(SOUTH_EAST)).await;
    if deployed.status != 200 {
        deployed.problem(503, "unavailable");
        ben.deploys(&id, SOUTH_EAST).await;
    }
    without_gaps(&heard.take(2).await, before + 1);
}

#[actix_web::test]
async fn a_broken_stream_is_taken_up_where_it_broke() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("classic").await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    let mut heard = Vec::new();
    for (mine, yours) in [("A10", "J1"), ("B10", "I1"), ("C10", "H1")] {
        let last = heard.last().map(|event: &Value| event["number"].as_u64().unwrap());
        let mut stream = Listening::sse(&anna, "/v1/events?after=0", last).await;
        assert_eq!(stream.next().await.unwrap()["type"], "snapshot");
        anna.fires(&id, &[mine]).await;
        ben.fires(&id, &[yours]).await;
        heard.extend(stream.take(3).await);
        // The client disconnects midway, and the service releases the stream's resources.
        drop(stream);
    }
    let rest = anna.hears(heard.len() as u64).await;
    heard.extend(rest);
    assert_eq!(heard, anna.hears(0).await);
}

#[actix_web::test]
async fn a_slow_reader_gets_everything_and_holds_nobody_up() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("classic").await;
    let mut slow = Listening::sse(&anna, "/v1/events?after=0", None).await;
    plays_out(&[&anna, &ben], &id, 300).await;
    let all = anna.hears(0).await;
    assert!(all.len() > 100, "more than goes out at a time: {}", all.len());
    slow.next().await.unwrap();
    assert_eq!(slow.take(all.len()).await, all);
}

#[actix_web::test]
async fn a_stream_ends_with_its_token_and_with_the_service() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("classic").await;
    let lasting = app.lasting_player("carl").await;
    let (mut with_session, mut with_token) =
        (Listening::sse(&anna, "/v1/events", None).await, Listening::sse(&lasting, "/v1/events", None).await);
    with_session.next().await.unwrap();
    with_token.next().await.unwrap();
    // An access token is valid for a quarter of an hour.
    app.passes_unseen_s(15 * 60 - 1);
    let before = anna.hears(0).await.len() as u64;
    ben.acts(&id, json!({ "type": "resign" })).await.expect(200);
    let news = anna.hears(before).await;
    assert_eq!(with_session.take(news.len()).await, news);
    app.passes_unseen_s(1);
    let offer = json!({ "variant": "classic", "clock": { "kind": "none" }, "opponent": "anna" });
    lasting.post("/v1/challenges", offer).await.expect(201);
    assert_eq!(with_session.next().await, None);
    app.app.begin_to_stop();
    assert_eq!(with_token.next().await, None);
}
