//! Chat: two rooms separate until the end, pages, rate limits, reports, and deleted accounts.

use std::process::Command;
use std::time::{Duration, Instant};

use broadside::abuse_reports::{self, NamedAbuseReport};
use futures_util::future::{join, join_all};
use serde_json::{Value, json};

use crate::support::streams::Listening;
use crate::support::{Answer, Player, Setup, TestApp, database, seven_people};

fn room(id: &str, room: &str) -> String {
    format!("/v1/matches/{id}/chat/{room}")
}

/// Sends a message to the players' room.
async fn says(player: &Player, id: &str, text: &str) -> Value {
    player.post(&room(id, "players"), json!({ "text": text })).await.expect(201)
}

async fn texts(player: &Player, path: &str) -> Vec<String> {
    let page = player.get(path).await.expect(200);
    page["items"].as_array().unwrap().iter().map(|item| item["text"].as_str().unwrap().to_owned()).collect()
}

async fn chat_events(player: &Player) -> Vec<Value> {
    player.hears(0).await.into_iter().filter(|event| event["type"] == "chat").collect()
}

/// Everything a player sees of a match, except its chat.
async fn of_the_match(player: &Player, id: &str) -> Vec<(String, Vec<u8>)> {
    let mut seen = Vec::new();
    let paths = ["", "/reports", "/record", "/board"]
        .map(|part| format!("/v1/matches/{id}{part}"))
        .into_iter()
        .chain(["/v1/matches?player=anna".to_owned(), "/v1/turns".to_owned(), "/v1/players/anna".to_owned()]);
    for path in paths {
        let answer = player.get(&path).await;
        seen.push((answer.header("etag").unwrap_or_default().to_owned(), answer.body));
    }
    seen
}

#[actix_web::test]
async fn players_chat_and_are_notified() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("classic").await;
    let zoe = app.player("zoe").await;
    let mut before = Vec::new();
    for person in [&anna, &ben, &zoe] {
        before.push(of_the_match(person, &id).await);
    }
    let told = anna.hears(0).await;

    let first = anna.post(&room(&id, "players"), json!({ "text": "Good evening!\nShall we?" })).await;
    let said = first.expect(201);
    assert_eq!((&said["number"], &said["author"]["username"]), (&json!(1), &json!("anna")));
    assert_eq!(ben.get(first.header("location").unwrap()).await.expect(200)["items"], json!([said]));
    app.passes_s(5).await;
    says(&ben, &id, "With pleasure.").await;

    let list = anna.get(&room(&id, "players")).await.expect(200);
    assert_eq!(list, ben.get(&room(&id, "players")).await.expect(200));
    let numbers: Vec<_> = list["items"].as_array().unwrap().iter().map(|item| item["number"].clone()).collect();
    assert_eq!(numbers, [2, 1], "the newest first");
    assert_eq!(chat_events(&anna).await.len(), 1);
    let heard = chat_events(&ben).await;
    let expected = json!({
        "number": heard[0]["number"], "type": "chat", "at": said["at"], "match_id": id, "room": "players",
        "author_id": anna.id, "message_number": 1, "text": "Good evening!\nShall we?",
    });
    assert_eq!(heard, [expected]);
    assert!(chat_events(&zoe).await.is_empty());
    assert_eq!(anna.hears(0).await[..told.len()], told);

    // The match itself is unchanged for everybody.
    for (person, before) in [&anna, &ben, &zoe].into_iter().zip(before) {
        assert_eq!(of_the_match(person, &id).await, before, "{}", person.name);
    }
}

#[actix_web::test]
async fn the_rooms_are_apart_until_the_end() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("classic").await;
    let zoe = app.player("zoe").await;
    let (players, spectators) = (room(&id, "players"), room(&id, "spectators"));
    let hello = json!({ "text": "hello" });
    says(&anna, &id, "between us").await;
    zoe.post(&spectators, json!({ "text": "she hides in the north" })).await.expect(201);
    zoe.get(&players).await.problem(422, "match-not-finished");
    zoe.post(&players, hello.clone()).await.problem(422, "match-not-finished");
    for player in [&anna, &ben] {
        player.get(&spectators).await.problem(422, "match-not-finished");
        player.post(&spectators, hello.clone()).await.problem(422, "match-not-finished");
        assert_eq!(texts(player, &players).await, ["between us"]);
    }
    // Without a token the server can't exclude that the reader is a player.
    app.get(&spectators).await.problem(401, "token-missing");
    zoe.get(&room(&id, "bridge")).await.problem(404, "not-found");

    anna.acts(&id, json!({ "type": "abort" })).await.expect(200);
    assert_eq!(texts(&ben, &spectators).await, ["she hides in the north"]);
    assert_eq!(texts(&zoe, &players).await, ["between us"]);
    ben.post(&spectators, hello.clone()).await.expect(201);
    // Spectators can't write to the players' room.
    zoe.post(&players, hello).await.problem(403, "not-a-player");
    assert!(chat_events(&anna).await.is_empty());
    says(&ben, &id, "thank you").await;
    assert_eq!(chat_events(&anna).await.len(), 1, "what is said to the spectators is no news to the players");
}

#[actix_web::test]
async fn the_chat_of_a_closed_match_stays_with_its_players() {
    let app = TestApp::start().await;
    let (anna, ben, eve) = (app.player("anna").await, app.player("ben").await, app.player("eve").await);
    let id = anna.challenges_and_meets(&ben, json!({ "spectators": false })).await;
    says(&anna, &id, "in confidence").await;
    for name in ["players", "spectators"] {
        eve.get(&room(&id, name)).await.problem(404, "not-found");
        eve.post(&room(&id, name), json!({ "text": "hello" })).await.problem(404, "not-found");
    }
    anna.acts(&id, json!({ "type": "abort" })).await.expect(200);
    eve.sees(&id).await;
    for name in ["players", "spectators"] {
        eve.get(&room(&id, name)).await.problem(403, "closed-to-spectators");
        eve.post(&room(&id, name), json!({ "text": "hello" })).await.problem(403, "closed-to-spectators");
    }
    assert_eq!(texts(&ben, &room(&id, "players")).await, ["in confidence"]);
}

/// The message numbers on all pages from `path` on, and the length of each page.
async fn pages(player: &Player, path: &str) -> (Vec<i64>, Vec<usize>) {
    let (mut numbers, mut sizes, mut next) = (Vec::new(), Vec::new(), path.to_owned());
    loop {
        let answer = player.get(&next).await;
        let page = answer.expect(200);
        let items = page["items"].as_array().unwrap();
        sizes.push(items.len());
        numbers.extend(items.iter().map(|item| item["number"].as_i64().unwrap()));
        let link = answer.header("link").map(|link| link.split_once('>').unwrap().0[1..].to_owned());
        assert_eq!(link.is_some(), !page["next_cursor"].is_null());
        match link {
            Some(link) => next = link,
            None => return (numbers, sizes),
        }
    }
}

#[actix_web::test]
async fn pages_go_either_way() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("classic").await;
    for number in 1..=7 {
        says(if number % 2 == 0 { &ben } else { &anna }, &id, &format!("{number}")).await;
    }
    let path = room(&id, "players");
    assert_eq!(pages(&anna, &format!("{path}?limit=3")).await, (vec![7, 6, 5, 4, 3, 2, 1], vec![3, 3, 1]));
    assert_eq!(
        pages(&anna, &format!("{path}?limit=3&after={}", app.cursor(1))).await,
        (vec![2, 3, 4, 5, 6, 7], vec![3, 3])
    );
    assert_eq!(pages(&anna, &format!("{path}?after={}", app.cursor(7))).await, (vec![], vec![0]));
    for bad in ["cursor=7", "cursor=c7", "cursor=b", "cursor=a7", "limit=0", "limit=201", "after=1"] {
        anna.get(&format!("{path}?{bad}")).await.problem(422, "validation-failed");
    }
    // A muting reader gets full pages of the others' messages, and the last page is marked as such.
    anna.request("PUT", "/v1/account/mutes/ben", None).await.expect(204);
    assert_eq!(pages(&anna, &format!("{path}?limit=2")).await, (vec![7, 5, 3, 1], vec![2, 2]));
    assert_eq!(pages(&anna, &format!("{path}?limit=2&after={}", app.cursor(1))).await, (vec![3, 5, 7], vec![2, 1]));
    assert_eq!(pages(&ben, &path).await.0, [7, 6, 5, 4, 3, 2, 1]);
    anna.request("DELETE", "/v1/account/mutes/ben", None).await.expect(204);
    assert_eq!(pages(&anna, &path).await.0, [7, 6, 5, 4, 3, 2, 1]);
}

#[actix_web::test]
async fn a_text_has_to_be_fit_to_print() {
    let app = TestApp::start().await;
    let (anna, _, id) = app.table("classic").await;
    for bad in ["", "  ", "\n\n", "a\u{7}", "a\rb", "\u{2800}", "tab\there", "turned\u{202e}", &"x".repeat(501)] {
        let refused = anna.post(&room(&id, "players"), json!({ "text": bad })).await;
        refused.problem(422, "validation-failed");
        assert_eq!(refused.pointers(), ["/text"], "{bad:?}");
    }
    anna.post(&room(&id, "players"), json!({ "text": "x", "opponent": "ben" })).await.problem(422, "validation-failed");
    assert_eq!(says(&anna, &id, &"é".repeat(500)).await["number"], 1, "nothing refused has taken a number");
}

#[actix_web::test]
async fn ten_messages_a_minute_are_enough() {
    let app = TestApp::with(Setup { rate_limits: true, ..Setup::default() }).await;
    let (anna, ben, id) = app.table("classic").await;
    for number in 0..10 {
        says(&anna, &id, &format!("{number}")).await;
        app.passes_s(2).await;
    }
    let refused = anna.post(&room(&id, "players"), json!({ "text": "and" })).await;
    refused.problem(429, "too-many-requests");
    assert_eq!(refused.header("retry-after"), Some("40"), "then the first of them is a minute old");
    // The limit applies per author and match.
    assert_eq!(says(&ben, &id, "slowly").await["number"], 11);
    let other = anna.challenges_and_meets(&ben, json!({})).await;
    says(&anna, &other, "elsewhere").await;
    app.passes_s(40).await;
    assert_eq!(says(&anna, &id, "and").await["number"], 12);
    anna.post(&room(&id, "players"), json!({ "text": "so on" })).await.problem(429, "too-many-requests");
}

#[actix_web::test]
async fn a_repeated_message_is_sent_once() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("classic").await;
    let other = anna.at(&app.another_node().await);
    let (path, hello) = (room(&id, "players"), json!({ "text": "hello" }));
    let answers = join(anna.post_once("k", &path, hello.clone()), other.post_once("k", &path, hello)).await;
    assert_eq!(answers.0.expect(201), answers.1.expect(201));
    assert_eq!(texts(&ben, &path).await, ["hello"]);
    assert_eq!(chat_events(&ben).await.len(), 1);
    anna.post_once("k", &path, json!({ "text": "other" })).await.problem(422, "idempotency-key-reused");
}

#[actix_web::test]
async fn messages_reach_readers_on_another_node() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("classic").await;
    let far = ben.at(&app.another_node().await);
    let mut stream = Listening::sse(&far, "/v1/events", None).await;
    stream.next().await.unwrap();
    let mut took = Vec::new();
    for text in ["ahoy", "boat", "crew", "deck", "east"] {
        let begun = Instant::now();
        says(&anna, &id, text).await;
        assert_eq!(stream.next().await.unwrap()["text"], text);
        took.push(begun.elapsed());
    }
    took.sort();
    assert!(took[2] < Duration::from_millis(250), "{took:?}");
    let newest = format!("{}?limit=1", room(&id, "players"));
    assert_eq!(texts(&far, &newest).await, ["east"]);
}

#[actix_web::test]
async fn numbers_have_no_gaps_however_many_write_at_once() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("classic").await;
    let other = app.another_node().await;
    let (path, far) = (room(&id, "players"), ben.at(&other));
    let speakers: Vec<&Player> = [&anna, &far].into_iter().cycle().take(16).collect();
    let said = join_all(speakers.iter().map(|speaker| speaker.post(&path, json!({ "text": "now" })))).await;
    let mut numbers: Vec<i64> = said.iter().map(|answer| answer.expect(201)["number"].as_i64().unwrap()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=16).collect::<Vec<_>>());
    // Each received the other's messages, in order.
    for player in [&anna, &ben] {
        let heard: Vec<i64> =
            chat_events(player).await.iter().map(|event| event["message_number"].as_i64().unwrap()).collect();
        assert!(heard.len() == 8 && heard.is_sorted(), "{heard:?}");
    }
}

async fn reported(app: &TestApp) -> Vec<String> {
    let mut conn = app.app.db.conn().await.unwrap();
    abuse_reports::list(&mut conn).await.unwrap().items.iter().flat_map(NamedAbuseReport::lines).collect()
}

#[actix_web::test]
async fn a_message_is_reported_once_with_its_text() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("classic").await;
    let eve = app.player("eve").await;
    says(&ben, &id, "you\nfool").await;
    let path = format!("{}/1/report", room(&id, "players"));
    let report = json!({ "reason": "harassment", "comment": "again" });
    anna.post(&path, report.clone()).await.expect(204);
    anna.post(&path, json!({ "reason": "spam" })).await.expect(204);
    let lines = reported(&app).await;
    assert!(lines[0].contains("harassment: ben in match") && lines[0].ends_with("players 1, reported by anna"));
    assert_eq!(lines[1..], ["  | you", "  | fool", "  > again"], "the first report stands, and there is one");
    let mut command = Command::new(env!("CARGO_BIN_EXE_broadside"));
    let listed = command.arg("reports").args(["--database-url", &app.database]).output().unwrap();
    assert_eq!(String::from_utf8(listed.stdout).unwrap(), format!("{}\n1 reports\n", lines.join("\n")));
    ben.post(&path, report.clone()).await.problem(422, "own-message");
    eve.post(&path, report.clone()).await.problem(422, "match-not-finished");
    for nothing in ["2", "0", "x", "99999999999"] {
        let path = format!("{}/{nothing}/report", room(&id, "players"));
        anna.post(&path, report.clone()).await.problem(404, "not-found");
    }
    let refused = anna.post(&path, json!({ "reason": "rude", "comment": "" })).await;
    refused.problem(422, "validation-failed");
    assert_eq!(refused.pointers(), ["/reason", "/comment"]);
    let export = anna.get("/v1/account/export").await.expect(200);
    assert_eq!(export["abuse_reports"][0]["subject"]["text"], "you\nfool");

    // Deleting an account doesn't delete the evidence, which expires by itself.
    ben.request("DELETE", "/v1/account", Some(json!({ "password": ben.password }))).await.expect(204);
    assert_eq!(reported(&app).await[1..3], ["  | you", "  | fool"]);
    anna.post(&path, report).await.problem(404, "not-found");
    app.passes_s(179 * 86_400).await;
    broadside::jobs::clean_up(&app.app).await.unwrap();
    assert_eq!(reported(&app).await.len(), 4);
    app.passes_s(2 * 86_400).await;
    broadside::jobs::clean_up(&app.app).await.unwrap();
    assert!(reported(&app).await.is_empty());
}

#[actix_web::test]
async fn the_texts_of_a_deleted_account_are_erased() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, ..] = people.as_slice() else { unreachable!() };
    let id = anna.sits_down_with(&[ben, carl], json!({ "variant": "salvos", "seats": 3 }), &[]).await;
    says(anna, &id, "a secret of anna's").await;
    says(ben, &id, "\",\"text\":\"a secret of ben's").await;
    says(anna, &id, "another secret of anna's").await;
    let sign_in = json!({ "username": "anna", "password": anna.password });
    let session = app.post("/v1/sessions", sign_in).await.expect(201);
    let anna = anna.with_token(session["access_token"].as_str().unwrap());
    let export = anna.get("/v1/account/export").await.expect(200);
    let own: Vec<&Value> =
        export["social"]["messages"].as_array().unwrap().iter().map(|message| &message["text"]).collect();
    assert_eq!(own, ["a secret of anna's", "another secret of anna's"]);

    anna.request("DELETE", "/v1/account", Some(json!({ "password": anna.password }))).await.expect(204);
    app.passes_s(0).await;
    let list = carl.get(&room(&id, "players")).await.expect(200);
    let texts: Vec<&Value> = list["items"].as_array().unwrap().iter().map(|item| &item["text"]).collect();
    assert_eq!(texts, [&Value::Null, &json!("\",\"text\":\"a secret of ben's"), &Value::Null]);
    assert!(list["items"][0]["author"]["username"].as_str().unwrap().starts_with("deleted-"), "{list}");
    let heard: Vec<Value> = chat_events(carl).await.iter().map(|event| event["text"].clone()).collect();
    assert_eq!(heard, [Value::Null, json!("\",\"text\":\"a secret of ben's"), Value::Null]);
    // No notification for the deleted account.
    says(ben, &id, "she is gone").await;
    assert_eq!(chat_events(carl).await.len(), 4);
    for table in ["account_events", "event_counters"] {
        let none = format!("SELECT 1 / (count(*) = 0)::int FROM {table} WHERE account_id = '{}'", anna.id);
        database::execute(&app.database, &none).await;
    }
    for (table, column) in [("chat_messages", "text"), ("account_events", "lines")] {
        let none = format!("SELECT 1 / (count(*) = 0)::int FROM {table} WHERE {column} LIKE '%secret of anna%'");
        database::execute(&app.database, &none).await;
    }
}

#[actix_web::test]
async fn an_author_cannot_tell_whether_they_are_muted() {
    // Three worlds from one seed: Ben mutes Anna, Ben mutes Zoe, Ben blocks Anna.
    let mut worlds: Vec<Vec<Answer>> = Vec::new();
    for silenced in ["mutes/anna", "mutes/zoe", "blocks/anna"] {
        let app = TestApp::with(Setup { seed: Some(9), ..Setup::default() }).await;
        let people = seven_people(&app).await;
        let [anna, ben, carl, ..] = people.as_slice() else { unreachable!() };
        let zoe = app.player("zoe").await;
        let id = anna.sits_down_with(&[ben, carl], json!({ "variant": "salvos", "seats": 3 }), &[]).await;
        says(anna, &id, "before").await;
        ben.request("PUT", &format!("/v1/account/{silenced}"), None).await.expect(204);
        let mut seen = Vec::new();
        for text in ["one", "two"] {
            seen.push(anna.post(&room(&id, "players"), json!({ "text": text })).await);
            seen.push(ben.post(&room(&id, "players"), json!({ "text": "and I" })).await);
        }
        for person in [anna, carl, &zoe] {
            for path in [
                room(&id, "players"),
                format!("{}?after=0&limit=2", room(&id, "players")),
                format!("/v1/matches/{id}"),
                "/v1/events?after=0&limit=1000".to_owned(),
                "/v1/players/ben".to_owned(),
                "/v1/account/mutes".to_owned(),
                "/v1/account/blocks".to_owned(),
            ] {
                seen.push(person.get(&path).await);
            }
        }
        let heard = chat_events(ben).await.len();
        assert_eq!(heard, if silenced == "mutes/zoe" { 3 } else { 1 }, "it does make a difference to Ben");
        worlds.push(seen);
    }
    assert_eq!(worlds[0], worlds[1]);
    assert_eq!(worlds[0], worlds[2]);
}
