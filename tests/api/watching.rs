//! Watching: versions, ETags, long polling, spectators and strangers.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::fleets::{NORTH_WEST, SOUTH_EAST};
use crate::support::{Answer, TestApp, plain};

#[actix_web::test]
async fn what_has_been_seen_is_not_sent_again() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("classic").await;
    let path = format!("/v1/matches/{id}");
    let first = anna.get(&path).await;
    let etag = first.header("etag").unwrap().to_owned();
    let first = first.json();
    assert_eq!(first["reports_cursor"], app.cursor(first["version"].as_u64().unwrap()));
    assert_eq!(etag, format!("\"{}.s0\"", first["reports_cursor"].as_str().unwrap()));
    let again = || anna.signed(plain("GET", &path, None)).insert_header(("if-none-match", etag.clone()));
    let unchanged = app.send(again()).await;
    assert_eq!((unchanged.status, unchanged.body.len(), unchanged.header("etag")), (304, 0, Some(etag.as_str())));
    ben.deploys(&id, SOUTH_EAST).await;
    assert_eq!(app.send(again()).await.status, 200);
}

#[actix_web::test]
async fn what_one_has_seen_is_new_to_another() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("classic").await;
    assert_eq!(anna.sees(&id).await["version"], ben.sees(&id).await["version"]);
    let varies =
        |answer: &Answer| answer.headers.iter().any(|(name, value)| name == "vary" && value.contains("authorization"));
    for path in ["", "/reports", "/record", "/record?format=text"].map(|part| format!("/v1/matches/{id}{part}")) {
        let first = anna.get(&path).await;
        let etag = first.header("etag").unwrap().to_owned();
        let asks = || plain("GET", &path, None).insert_header(("if-none-match", etag.clone()));
        let (again, other) = (app.send(anna.signed(asks())).await, app.send(ben.signed(asks())).await);
        let strangers = app.send(asks()).await;
        assert_eq!([first.status, again.status, other.status, strangers.status], [200, 304, 200, 200], "{path}");
        for answer in [first, again, other, strangers] {
            assert!(varies(&answer), "{path}: {:?}", answer.headers);
        }
    }
    let board = anna.get(&format!("/v1/matches/{id}/board")).await;
    assert!(varies(&board), "{:?}", board.headers);
}

#[actix_web::test]
async fn a_reader_waits_for_news() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("classic").await;
    let version = anna.sees(&id).await["version"].as_u64().unwrap();
    let path = format!("/v1/matches/{id}?wait_s=20&after_version={version}");
    let begun = Instant::now();
    let (news, _) = futures_util::future::join(anna.get(&path), ben.deploys(&id, SOUTH_EAST)).await;
    assert!(news.expect(200)["version"].as_u64().unwrap() > version);
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}

#[actix_web::test]
async fn a_reader_hears_of_a_move_on_another_node() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let (anna, ben, id) = app.table("classic").await;
    let version = anna.sees(&id).await["version"].as_u64().unwrap();
    let path = format!("/v1/matches/{id}?wait_s=20&after_version={version}");
    let ben = ben.at(&other);
    let (news, _) = futures_util::future::join(anna.get(&path), ben.deploys(&id, SOUTH_EAST)).await;
    assert!(news.expect(200)["version"].as_u64().unwrap() > version);
}

#[actix_web::test]
async fn waiting_ends_without_news() {
    let app = TestApp::start().await;
    let (anna, _, id) = app.table("classic").await;
    let version = anna.sees(&id).await["version"].clone();
    let view = anna.get(&format!("/v1/matches/{id}?wait_s=1&after_version={version}")).await.expect(200);
    assert_eq!(view["version"], version);
    anna.get(&format!("/v1/matches/{id}?wait_s=61&after_version=1")).await.problem(422, "validation-failed");
    anna.get(&format!("/v1/matches/{id}?wait_s=1")).await.problem(422, "validation-failed");
}

#[actix_web::test]
async fn a_spectator_sees_public_facts_only() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("classic").await;
    let carl = app.player("carl").await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    anna.fires(&id, &["J6"]).await;
    for view in [carl.sees(&id).await, app.get(&format!("/v1/matches/{id}")).await.expect(200)] {
        assert_eq!(view["viewer"]["seat"], Value::Null);
        assert_eq!(view["decisions"], json!([]));
        for sea in view["seas"].as_array().unwrap() {
            assert!(sea["ships"].as_array().unwrap().iter().all(|ship| ship["cells"].is_null()), "{sea}");
        }
        let marks: Vec<&Value> =
            view["seas"].as_array().unwrap().iter().flat_map(|sea| sea["marks"].as_array().unwrap()).collect();
        assert_eq!(marks.len(), 1);
        assert_eq!((&marks[0]["cell"], &marks[0]["kind"]), (&json!("J6"), &json!("hit")));
    }
    carl.acts(&id, json!({ "type": "resign" })).await.problem(403, "not-a-player");
}

#[actix_web::test]
async fn a_closed_match_is_not_there_for_others_until_it_is_over() {
    let app = TestApp::start().await;
    let (anna, ben, carl) = (app.player("anna").await, app.player("ben").await, app.player("carl").await);
    let id = anna.challenges_and_meets(&ben, json!({ "spectators": false })).await;
    let path = format!("/v1/matches/{id}");
    for hidden in [path.clone(), format!("{path}/reports")] {
        carl.get(&hidden).await.problem(404, "not-found");
        app.get(&hidden).await.problem(404, "not-found");
    }
    carl.acts(&id, json!({ "type": "resign" })).await.problem(404, "not-found");
    assert_eq!(carl.get("/v1/matches?player=anna").await.expect(200)["items"], json!([]));
    assert_eq!(anna.get("/v1/matches?player=anna").await.expect(200)["items"][0]["id"], json!(id));
    ben.acts(&id, json!({ "type": "resign" })).await.expect(200);
    assert_eq!(carl.get(&path).await.expect(200)["status"], "finished");
}

#[actix_web::test]
async fn a_reader_closes_and_the_match_goes_on() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("classic").await;
    // The request is dropped midway; the match must be exactly in the state before or after it.
    let action = crate::support::fleets::deployment(NORTH_WEST);
    let _ = tokio::time::timeout(Duration::from_micros(300), anna.acts(&id, action.clone())).await;
    let again = anna.acts(&id, action).await;
    assert!(again.status == 200 || again.json()["code"] == "already-deployed", "{}", again.text());
    ben.deploys(&id, SOUTH_EAST).await;
    anna.fires(&id, &["A1"]).await;
}
