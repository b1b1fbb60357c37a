//! Finished matches: their documents are made once, and never change.

use std::io::Read;

use flate2::read::GzDecoder;
use serde_json::{Value, json};

use crate::proof::{finished, record_of};
use crate::support::database::execute;
use crate::support::{Answer, Player, TestApp, plain};

async fn ended(app: &TestApp) -> (Player, Player, String) {
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let id = finished(&anna, &ben, json!({})).await;
    (anna, ben, id)
}

/// The permanent documents of a finished match.
fn documents(app: &TestApp, id: &str) -> Vec<String> {
    let of = |what: &str| format!("/v1/matches/{id}/{what}");
    let page = format!("reports?after={}&limit=2", app.cursor(3));
    vec![of("reports"), of(&page), record_of(id), of("record?format=text"), of("board")]
}

fn with(path: &str, headers: &[(&'static str, &str)]) -> actix_web::test::TestRequest {
    let request = plain("GET", path, None);
    headers.iter().fold(request, |request, (name, value)| request.insert_header((*name, value.to_string())))
}

fn unzipped(answer: &Answer) -> Vec<u8> {
    assert_eq!(answer.header("content-encoding"), Some("gzip"));
    let mut plain = Vec::new();
    GzDecoder::new(&answer.body[..]).read_to_end(&mut plain).unwrap();
    plain
}

#[actix_web::test]
async fn what_is_over_is_made_once() {
    let app = TestApp::start().await;
    let (anna, _, id) = ended(&app).await;
    let mut first = Vec::new();
    for path in documents(&app, &id) {
        first.push((anna.get(&path).await, app.get(&path).await));
    }
    // Neither the log nor the rules are read again; a new page is cut from the cached document.
    execute(&app.database, &format!("UPDATE match_log SET entry = '\\xff' WHERE match_id = '{id}'")).await;
    for (path, (annas, anybodys)) in documents(&app, &id).into_iter().zip(first) {
        assert_eq!(annas.status, 200, "{path}: {}", annas.text());
        assert_eq!(anna.get(&path).await.body, annas.body, "{path}");
        assert_eq!(app.get(&path).await.body, anybodys.body, "{path}");
    }
    let new_page = anna.get(&format!("/v1/matches/{id}/reports?after={}&limit=1", app.cursor(1))).await.expect(200);
    assert_eq!(new_page["items"][0]["number"], 2);
    assert_eq!(new_page["next_cursor"], app.cursor(2));
    // Another node has to fold the log, and finds the damage.
    let node = app.another_node().await;
    node.get(&format!("/v1/matches/{id}/reports")).await.problem(500, "match-damaged");
}

#[actix_web::test]
async fn what_is_over_may_be_kept_for_ever() {
    let app = TestApp::start().await;
    let (anna, _, id) = ended(&app).await;
    for path in documents(&app, &id) {
        let answer = anna.get(&path).await;
        // Players' names disappear with their accounts.
        let has_names = path.ends_with("format=text");
        let kept = if has_names { "private, no-cache" } else { "private, max-age=31536000, immutable" };
        assert_eq!(answer.header("cache-control"), Some(kept), "{path}");
        let vary: Vec<_> = answer.headers.iter().filter(|(name, _)| name == "vary").map(|(_, value)| value).collect();
        assert!(vary.iter().any(|value| value.contains("authorization")), "{path}: {vary:?}");
        let etag = answer.header("etag").unwrap().to_owned();
        assert!(etag.starts_with('"'), "{path}: {etag} is weak");
        let again = app.send(anna.signed(with(&path, &[("if-none-match", &etag)]))).await;
        assert_eq!((again.status, again.body.len(), again.header("etag")), (304, 0, Some(etag.as_str())), "{path}");
        assert_eq!(app.send(anna.signed(with(&path, &[("if-none-match", "\"other\"")]))).await.body, answer.body);
    }
    // The view is different: names and ratings in it may change.
    let view = anna.get(&format!("/v1/matches/{id}")).await;
    assert_eq!(view.header("cache-control"), Some("private, no-cache"));
}

#[actix_web::test]
async fn compressed_documents_say_the_same_under_another_name() {
    let app = TestApp::start().await;
    let (anna, _, id) = ended(&app).await;
    for path in [format!("/v1/matches/{id}/reports"), record_of(&id), format!("/v1/matches/{id}/board")] {
        let plain = anna.get(&path).await;
        let gzip = app.send(anna.signed(with(&path, &[("accept-encoding", "gzip, deflate, br")]))).await;
        assert_eq!(unzipped(&gzip), plain.body, "{path}");
        assert!(gzip.body.len() < plain.body.len() / 2, "{path}: {} of {}", gzip.body.len(), plain.body.len());
        let etag = gzip.header("etag").unwrap();
        assert_ne!(Some(etag), plain.header("etag"), "{path}");
        let again = with(&path, &[("if-none-match", etag), ("accept-encoding", "gzip")]);
        let again = app.send(anna.signed(again)).await;
        assert_eq!((again.status, again.header("etag")), (304, Some(etag)), "{path}: the name of what the reader has");
        let plain_again = with(&path, &[("if-none-match", plain.header("etag").unwrap()), ("accept-encoding", "gzip")]);
        let plain_again = app.send(anna.signed(plain_again)).await;
        assert_eq!((plain_again.status, plain_again.header("etag")), (304, plain.header("etag")), "{path}");
    }
}

#[actix_web::test]
async fn who_has_no_seat_is_told_so_before_anything_is_folded() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let stranger = app.lasting_player("stranger").await;
    let id = anna.challenges_and_meets(&ben, json!({})).await;
    execute(&app.database, &format!("UPDATE match_log SET entry = '\\xff' WHERE match_id = '{id}'")).await;
    let node = app.another_node().await;
    stranger.at(&node).acts(&id, json!({ "type": "resign" })).await.problem(403, "not-a-player");
    let path = format!("/v1/matches/{id}/actions?dry_run=true");
    stranger.at(&node).post(&path, json!({ "action": { "type": "resign" } })).await.problem(403, "not-a-player");
    anna.at(&node).acts(&id, json!({ "type": "resign" })).await.problem(500, "match-damaged");
}

#[actix_web::test]
async fn pages_of_reports_are_the_same_during_and_after_a_match() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let id = anna.challenges_and_meets(&ben, json!({})).await;
    let all = async |limit: usize| {
        let (mut items, mut after, mut pages) = (Vec::<Value>::new(), "0".to_owned(), 0);
        loop {
            let page = anna.get(&format!("/v1/matches/{id}/reports?after={after}&limit={limit}")).await.expect(200);
            items.extend(page["items"].as_array().unwrap().iter().cloned());
            pages += 1;
            match page["next_cursor"].as_str() {
                Some(next) => after = next.to_owned(),
                None => return (items, pages),
            }
        }
    };
    let running = all(200).await;
    assert_eq!(all(1).await, (running.0.clone(), running.0.len()));
    let path = format!("/v1/matches/{id}/reports?after={}", app.cursor(running.0.len() as u64));
    let news = anna.get(&path).await;
    assert_eq!((&news.expect(200)["items"], news.header("cache-control")), (&json!([]), Some("private, no-cache")));
    let etag = news.header("etag").unwrap().to_owned();
    let asks = async || app.send(anna.signed(with(&path, &[("if-none-match", &etag)]))).await;
    assert_eq!(asks().await.status, 304);
    ben.acts(&id, json!({ "type": "resign" })).await.expect(200);
    let end = asks().await.expect(200);
    let over = all(200).await.0;
    assert_eq!(end["items"].as_array().unwrap()[..], over[running.0.len()..]);
    assert_eq!(over[..running.0.len()], running.0[..]);
    assert_eq!(all(2).await.0, over);
    for (number, report) in (1..).zip(&over) {
        assert_eq!(report["number"], number);
    }
    let beyond =
        anna.get(&format!("/v1/matches/{id}/reports?after={}&limit=1000", app.cursor(1 << 50))).await.expect(200);
    assert_eq!(beyond, json!({ "items": [], "next_cursor": null }));
}

#[actix_web::test]
async fn the_record_in_words_names_the_players_as_long_as_they_are_there() {
    let app = TestApp::start().await;
    let (anna, ben, id) = ended(&app).await;
    let path = format!("/v1/matches/{id}/record?format=text");
    let text = || app.get(&path);
    let (words, signed) = (text().await, app.get(&record_of(&id)).await);
    assert!(words.text().contains(&format!("# seat 0: anna ({})", anna.id)), "{}", words.text());
    assert!(words.text().contains(&format!("# seat 1: ben ({})", ben.id)));
    let password = json!({ "password": ben.password });
    assert_eq!(ben.signed_in().await.request("DELETE", "/v1/account", Some(password)).await.status, 204);
    let after = text().await;
    assert!(!after.text().contains("ben") && after.text().contains("anna"), "{}", after.text());
    assert_ne!(after.header("etag"), words.header("etag"));
    assert_eq!(app.get(&record_of(&id)).await.body, signed.body);
}

#[actix_web::test]
async fn nothing_is_loaded_of_a_match_that_the_caller_may_not_see() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let stranger = app.lasting_player("stranger").await;
    let id = anna.challenges_and_meets(&ben, json!({ "spectators": false })).await;
    // A node with an empty cache would find the damage if it folded the log.
    execute(&app.database, &format!("UPDATE match_log SET entry = '\\xff' WHERE match_id = '{id}'")).await;
    let node = app.another_node().await;
    let missing = "0199c2a8-7d4e-7c3a-9f10-5b1e6a2d8c47";
    for what in ["", "/reports", "/record", "/record?format=text", "/board", "/clock"] {
        for viewer in [None, Some(stranger.at(&node))] {
            let ask = async |id: &str| {
                let path = format!("/v1/matches/{id}{what}");
                match &viewer {
                    Some(viewer) => viewer.get(&path).await,
                    None => node.get(&path).await,
                }
            };
            ask(&id).await.problem(404, "not-found");
            ask(missing).await.problem(404, "not-found");
        }
        anna.at(&node).get(&format!("/v1/matches/{id}{what}")).await.problem(500, "match-damaged");
    }
    stranger.at(&node).acts(&id, json!({ "type": "resign" })).await.problem(404, "not-found");
}
