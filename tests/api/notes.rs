//! Notes and marks: private, with revisions, on cells of the board.

use broadside_rules::variants;
use futures_util::future::join;
use serde_json::{Value, json};

use crate::support::{Player, TestApp, database, plain};

fn path(id: &str) -> String {
    format!("/v1/matches/{id}/notes")
}

async fn writes(player: &Player, id: &str, notes: Value) -> crate::support::Answer {
    player.request("PUT", &path(id), Some(notes)).await
}

#[actix_web::test]
async fn notes_are_written_over_what_was_read() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("classic").await;
    let empty = json!({ "revision": 0, "text": "", "marks": [], "updated_at": null });
    assert_eq!(anna.get(&path(&id)).await.expect(200), empty);
    let sea = anna.get(&format!("/v1/matches/{id}/board")).await.expect(200)["seas"][0]["id"].clone();
    let marks = json!([
        { "sea": sea, "cell": "B7", "mark": "?", "colour": "amber" },
        { "sea": sea, "cell": "B7", "mark": "carrier", "colour": null },
    ]);
    let notes = json!({ "revision": 0, "text": "North-west\n\tfirst.", "marks": marks });
    let written = writes(&anna, &id, notes.clone()).await;
    assert_eq!(written.header("etag"), Some("\"1\""));
    let written = written.expect(200);
    assert_eq!((&written["revision"], &written["marks"], &written["text"]), (&json!(1), &marks, &notes["text"]));
    assert_eq!(anna.get(&path(&id)).await.expect(200), written);
    assert_eq!(ben.get(&path(&id)).await.expect(200), empty);

    // A repeated request gets its lost answer; a different text on an old revision overwrites nothing.
    app.passes_s(5).await;
    assert_eq!(writes(&anna, &id, notes).await.expect(200), written);
    let stale = writes(&anna, &id, json!({ "revision": 0, "text": "other" })).await;
    assert_eq!(stale.problem(409, "stale-revision")["current_revision"], 1);
    let ahead = writes(&anna, &id, json!({ "revision": 5 })).await;
    assert_eq!(ahead.problem(409, "stale-revision")["current_revision"], 1);
    let first = writes(&ben, &id, json!({ "revision": 3, "text": "x" })).await;
    assert_eq!(first.problem(409, "stale-revision")["current_revision"], 0);
    let known = plain("GET", &path(&id), None).insert_header(("if-none-match", "\"1\""));
    assert_eq!(app.send(anna.signed(known)).await.status, 304);
    let cleared = writes(&anna, &id, json!({ "revision": 1 })).await.expect(200);
    assert_eq!((&cleared["revision"], &cleared["text"], &cleared["marks"]), (&json!(2), &json!(""), &json!([])));
    let known = plain("GET", &path(&id), None).insert_header(("if-none-match", "\"1\""));
    assert_eq!(app.send(anna.signed(known)).await.status, 200);
}

#[actix_web::test]
async fn of_two_devices_at_once_one_writes() {
    let app = TestApp::start().await;
    let (anna, _, id) = app.table("classic").await;
    let far = anna.at(&app.another_node().await);
    for revision in 0..4 {
        let notes = |text: &str| json!({ "revision": revision, "text": text });
        let (one, two) = join(writes(&anna, &id, notes("one")), writes(&far, &id, notes("two"))).await;
        let (won, lost) = if one.status == 200 { (one, two) } else { (two, one) };
        let won = won.expect(200);
        assert_eq!(lost.problem(409, "stale-revision")["current_revision"], revision + 1);
        assert_eq!(far.get(&path(&id)).await.expect(200), won);
    }
}

#[actix_web::test]
async fn marks_are_on_cells_of_the_board() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    for variant in variants() {
        let id = anna.sits_down_with(&[&ben], json!({ "variant": variant.id }), &[]).await;
        let board = anna.get(&format!("/v1/matches/{id}/board")).await.expect(200);
        let all = board["seas"].as_array().unwrap().iter().flat_map(|sea| {
            let last = sea["cells"].as_array().unwrap().iter().rev().take(40);
            last.map(|cell| json!({ "sea": sea["id"], "cell": cell["label"], "mark": "x" }))
        });
        let all: Vec<Value> = all.collect();
        let written = writes(&anna, &id, json!({ "revision": 0, "marks": all })).await.expect(200);
        assert_eq!(written["marks"].as_array().unwrap().len(), all.len(), "{}", variant.id);
    }
    let id = anna.challenges_and_meets(&ben, json!({})).await;
    let sea = anna.get(&format!("/v1/matches/{id}/board")).await.expect(200)["seas"][0]["id"].clone();
    let refused = json!({ "revision": 0, "marks": [
        { "sea": "atlantic", "cell": "B7", "mark": "x" },
        { "sea": sea, "cell": "B7", "mark": "x" },
        { "sea": sea, "cell": "Z9", "mark": "x" },
        { "sea": sea, "cell": "7b", "mark": "x" },
    ]});
    let refused = writes(&anna, &id, refused).await;
    refused.problem(422, "validation-failed");
    assert_eq!(refused.pointers(), ["/marks/0/sea", "/marks/2/cell", "/marks/3/cell"]);
    let refused = json!({ "revision": "0", "text": "a\u{7}", "marks": [
        { "sea": sea, "cell": "B7", "mark": "", "colour": "url(x)" },
        { "sea": sea, "mark": "x", "color": "red" },
        7,
    ]});
    let refused = writes(&anna, &id, refused).await;
    refused.problem(422, "validation-failed");
    let mut pointers = refused.pointers();
    pointers.sort_unstable();
    let expected =
        ["/marks/0/colour", "/marks/0/mark", "/marks/1/cell", "/marks/1/color", "/marks/2", "/revision", "/text"];
    assert!(expected.iter().all(|pointer| pointers.iter().any(|named| named == pointer)), "{pointers:?}");
    let mark = json!({ "sea": sea, "cell": "B7", "mark": "x" });
    let marks = |count: usize| json!({ "revision": 0, "marks": vec![mark.clone(); count] });
    let refused = writes(&anna, &id, marks(501)).await;
    assert_eq!(refused.pointers(), ["/marks"]);
    writes(&anna, &id, marks(500)).await.expect(200);
}

#[actix_web::test]
async fn whoever_may_see_the_match_may_keep_notes() {
    let app = TestApp::start().await;
    let (anna, ben, eve) = (app.player("anna").await, app.player("ben").await, app.player("eve").await);
    let open = anna.challenges_and_meets(&ben, json!({})).await;
    let closed = anna.challenges_and_meets(&ben, json!({ "spectators": false })).await;
    let notes = json!({ "revision": 0, "text": "bold" });
    writes(&eve, &open, notes.clone()).await.expect(200);
    eve.get(&path(&closed)).await.problem(404, "not-found");
    writes(&eve, &closed, notes.clone()).await.problem(404, "not-found");
    app.get(&path(&open)).await.problem(401, "token-missing");
    writes(&anna, &closed, notes.clone()).await.expect(200);
    anna.acts(&closed, json!({ "type": "abort" })).await.expect(200);
    assert_eq!(anna.get(&path(&closed)).await.expect(200)["text"], "bold", "it is kept after the end");
    writes(&anna, &closed, json!({ "revision": 1, "text": "over" })).await.expect(200);
    writes(&eve, &closed, notes).await.expect(200);
}

#[actix_web::test]
async fn notes_are_deleted_with_their_owner() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("classic").await;
    writes(&anna, &id, json!({ "revision": 0, "text": "of anna's" })).await.expect(200);
    writes(&ben, &id, json!({ "revision": 0, "text": "of ben's" })).await.expect(200);
    let export = anna.get("/v1/account/export").await.expect(200);
    let noted = &export["social"]["notes"];
    assert_eq!((&noted[0]["match_id"], &noted[0]["notes"]["text"]), (&json!(id), &json!("of anna's")));
    assert!(!export.to_string().contains("of ben's"));
    anna.request("DELETE", "/v1/account", Some(json!({ "password": anna.password }))).await.expect(204);
    let only = format!("SELECT 1 / (count(*) = 1 AND min(account_id::text) = '{}')::int FROM match_notes", ben.id);
    database::execute(&app.database, &only).await;
}
