//! Stream tickets: each opens one stream; every misuse fails.

use futures_util::future::join;
use serde_json::json;

use crate::support::{Player, Streaming, TestApp, plain};

async fn ticket(player: &Player) -> String {
    let made = player.post("/v1/stream-tickets", json!({})).await.expect(201);
    made["ticket"].as_str().unwrap().to_owned()
}

/// Opens a stream as an `EventSource` does: with an address only.
async fn opens(app: &TestApp, ticket: &str) -> Streaming {
    let path = format!("/v1/events?ticket={ticket}");
    app.open(plain("GET", &path, None).insert_header(("accept", "text/event-stream"))).await
}

async fn refused(app: &TestApp, ticket: &str) {
    let path = format!("/v1/events?ticket={ticket}");
    let answer = app.send(plain("GET", &path, None).insert_header(("accept", "text/event-stream"))).await;
    answer.problem(401, "token-unknown");
    assert!(!answer.text().contains(ticket), "{}", answer.text());
}

#[actix_web::test]
async fn a_ticket_opens_one_stream() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let made = anna.post("/v1/stream-tickets", json!({})).await.expect(201);
    assert_eq!(made["expires_at"], "2026-11-21T07:30:30.000Z");
    let ticket = made["ticket"].as_str().unwrap().to_owned();
    let mut stream = opens(&app, &ticket).await;
    assert_eq!(stream.status, 200);
    assert!(stream.piece().await.unwrap().contains("snapshot"));
    let offer = json!({ "variant": "classic", "clock": { "kind": "none" }, "opponent": "anna" });
    ben.post("/v1/challenges", offer).await.expect(201);
    assert!(stream.piece().await.unwrap().contains("challenge-received"));
    refused(&app, &ticket).await;
    // A used ticket fails on another node as well, for lines of JSON and for server-sent events.
    let far = app.another_node().await;
    refused(&far, &ticket).await;
    let other = self::ticket(&anna).await;
    let lines = plain("GET", &format!("/v1/events?after=0&ticket={other}"), None);
    let mut stream = far.open(lines.insert_header(("accept", "application/x-ndjson"))).await;
    assert!(stream.piece().await.unwrap().contains("snapshot"));
    assert!(stream.piece().await.unwrap().contains("challenge-received"));
}

#[actix_web::test]
async fn of_two_that_use_a_ticket_at_once_one_gets_in() {
    let app = TestApp::start().await;
    let far = app.another_node().await;
    let anna = app.player("anna").await;
    for _ in 0..5 {
        let ticket = ticket(&anna).await;
        let (one, two) = join(opens(&app, &ticket), opens(&far, &ticket)).await;
        let mut statuses = [one.status, two.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 401]);
    }
}

#[actix_web::test]
async fn a_ticket_is_good_for_half_a_minute() {
    let app = TestApp::start().await;
    let anna = app.lasting_player("anna").await;
    let (in_time, late) = (ticket(&anna).await, ticket(&anna).await);
    app.passes_unseen_s(29);
    assert_eq!(opens(&app, &in_time).await.status, 200);
    app.passes_unseen_s(1);
    refused(&app, &late).await;
    // Unused tickets are deleted.
    ticket(&anna).await;
    app.passes_unseen_s(31);
    broadside::jobs::clean_up(&app.app).await.unwrap();
    crate::support::database::execute(&app.database, "SELECT 1 / (count(*) = 0)::int FROM stream_tickets").await;
}

#[actix_web::test]
async fn a_ticket_is_good_for_nothing_else() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let ticket = ticket(&anna).await;
    let bearer = anna.with_token(&ticket);
    bearer.get("/v1/events").await.expect_status(401);
    bearer.get("/v1/account").await.expect_status(401);
    bearer.post("/v1/stream-tickets", json!({})).await.expect_status(401);
    app.get(&format!("/v1/turns?ticket={ticket}")).await.expect_status(401);
    // A page of events is no stream, and a ticket together with a token is an error: neither uses it up.
    app.get(&format!("/v1/events?ticket={ticket}")).await.problem(401, "token-missing");
    let page = anna.get(&format!("/v1/events?ticket={ticket}")).await;
    page.problem(422, "validation-failed");
    assert_eq!(page.pointers(), ["/ticket"]);
    let path = format!("/v1/events?ticket={ticket}");
    let stream = |path: &str| plain("GET", path, None).insert_header(("accept", "text/event-stream"));
    let both = app.send(anna.signed(stream(&path))).await;
    assert_eq!((both.problem(422, "validation-failed"), both.pointers()).1, ["/ticket"]);
    app.send(stream(&format!("{path}&limit=5"))).await.problem(422, "validation-failed");
    app.send(stream(&path).insert_header(("last-event-id", "x"))).await.problem(400, "malformed-header");
    app.send(stream("/v1/events?ticket=bet_x")).await.problem(422, "validation-failed");
    assert_eq!(opens(&app, &ticket).await.status, 200);
    // A made-up one.
    refused(&app, &format!("bet_{}", "A".repeat(43))).await;
}

#[actix_web::test]
async fn a_ticket_is_no_better_than_the_token_it_was_made_with() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let token = async |scopes: &[&str]| {
        let made = anna.post("/v1/account/tokens", json!({ "name": "x", "scopes": scopes })).await.expect(201);
        (anna.with_token(made["token"].as_str().unwrap()), made["id"].as_str().unwrap().to_owned())
    };
    let (other, _) = token(&["lobby:read"]).await;
    other.post("/v1/stream-tickets", json!({})).await.problem(403, "insufficient-scope");
    let (reader, id) = token(&["matches:read"]).await;
    let (before, after) = (ticket(&reader).await, ticket(&reader).await);
    assert_eq!(opens(&app, &before).await.status, 200);
    anna.request("DELETE", &format!("/v1/account/tokens/{id}"), None).await.expect(204);
    refused(&app, &after).await;

    let kept = ticket(&anna).await;
    let sessions = anna.get("/v1/sessions").await.expect(200);
    let session = sessions["items"][0]["id"].as_str().unwrap();
    let expired = ticket(&anna).await;
    assert_eq!(opens(&app, &expired).await.status, 200);
    anna.request("DELETE", &format!("/v1/sessions/{session}"), None).await.expect(204);
    refused(&app, &kept).await;
}

/// Asserts that the stream ends after this event.
async fn ends_after(app: &TestApp, mut stream: Streaming, what: &str) {
    let mut silences = 0;
    while let Some(piece) = stream.piece().await {
        assert!(piece.starts_with(':') || piece.contains("snapshot"), "{what}: {piece}");
        silences += 1;
        assert!(silences < 8, "{what}: nobody asks whether the token is still good");
    }
    assert!(!app.app.is_stopping());
}

#[actix_web::test]
async fn a_stream_ends_with_the_token_of_its_ticket() {
    let keep_alive = Some(std::time::Duration::from_millis(20));
    let app = TestApp::with(crate::support::Setup { keep_alive, ..Default::default() }).await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let stream = opens(&app, &ticket(&anna).await).await;
    let session = anna.get("/v1/sessions").await.expect(200)["items"][0]["id"].as_str().unwrap().to_owned();
    anna.request("DELETE", &format!("/v1/sessions/{session}"), None).await.expect(204);
    ends_after(&app, stream, "the session is over").await;

    let made = ben.post("/v1/account/tokens", json!({ "name": "x", "scopes": ["matches:read"] })).await.expect(201);
    let reader = ben.with_token(made["token"].as_str().unwrap());
    let stream = opens(&app, &ticket(&reader).await).await;
    let path = format!("/v1/account/tokens/{}", made["id"].as_str().unwrap());
    ben.request("DELETE", &path, None).await.expect(204);
    ends_after(&app, stream, "the token is revoked").await;

    // An access token is valid for a quarter of an hour, and so is a stream opened with it.
    let stream = opens(&app, &ticket(&ben).await).await;
    app.passes_unseen_s(15 * 60);
    ends_after(&app, stream, "the access token has expired").await;
}

#[actix_web::test]
async fn who_is_suspended_still_reads_and_who_is_deleted_does_not() {
    let app = TestApp::start().await;
    let (mia, ben) = (app.moderator("mia").await, app.player("ben").await);
    let before = ticket(&ben).await;
    mia.post("/v1/moderation/players/ben/suspend", json!({ "reason": "insults" })).await.expect(204);
    // As with a token: a suspended account can read, but start nothing.
    ben.get("/v1/events").await.expect(200);
    assert_eq!(opens(&app, &before).await.status, 200);
    let last = ticket(&ben).await;
    let gone = ben.request("DELETE", "/v1/account", Some(json!({ "password": ben.password }))).await;
    assert_eq!(gone.status, 204, "{}", gone.text());
    refused(&app, &last).await;
    crate::support::database::execute(&app.database, "SELECT 1 / (count(*) = 0)::int FROM stream_tickets").await;
}
