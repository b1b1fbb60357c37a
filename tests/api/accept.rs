//! `Accept`: a request that accepts none of the available forms is refused, and changes nothing.

use serde_json::json;

use crate::support::{Answer, Player, TestApp, plain};

async fn asks(player: &Player, path: &str, accept: &str) -> Answer {
    player.app.send(player.signed(plain("GET", path, None)).insert_header(("accept", accept))).await
}

#[actix_web::test]
async fn who_accepts_nothing_that_there_is_is_refused_before_anything_is_done() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let offer = json!({ "variant": "classic", "clock": { "kind": "none" } });
    let create = |accept: &'static str| {
        let request = anna.signed(plain("POST", "/v1/challenges", Some(offer.clone())));
        app.send(request.insert_header(("accept", accept)).insert_header(("origin", "https://elsewhere.example")))
    };
    let refused = create("text/csv").await;
    let problem = refused.problem(406, "not-acceptable");
    assert_eq!(problem["detail"], "The answer can be application/json.");
    assert_eq!(refused.header("content-type"), Some("application/problem+json"));
    assert_eq!(refused.header("access-control-allow-origin"), Some("*"), "pages of every origin are told");
    assert!(refused.header("x-request-id").is_some());
    assert_eq!(app.get("/v1/challenges").await.expect(200)["items"], json!([]), "nothing was done");
    create("application/json").await.expect_status(201);

    let french = plain("GET", "/v1/variants", None).insert_header(("accept", "text/csv"));
    let french = app.send(french.insert_header(("accept-language", "fr"))).await;
    let problem = french.problem(406, "not-acceptable");
    assert_eq!(problem["detail"], "La réponse peut être application/json.");
    assert_eq!(problem["title"], "Aucune forme de la réponse n'est acceptée");
}

#[actix_web::test]
async fn weights_and_ranges_count_as_the_standard_says() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    for accept in [
        "application/json",
        "application/*",
        "*/*",
        "",
        "APPLICATION/JSON; charset=utf-8",
        "text/csv, */*;q=0.1",
        "text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8",
        "text/html;q=0, */*",
        "no media type",
    ] {
        assert_eq!(asks(&anna, "/v1/variants", accept).await.status, 200, "{accept}");
    }
    for accept in ["text/csv", "text/*", "text/csv;q=0.9, application/json;q=0", "application/json;q=0, */*", "*/*;q=0"]
    {
        asks(&anna, "/v1/variants", accept).await.problem(406, "not-acceptable");
    }
    // Operations with other media types, and one without a body.
    let id = anna.challenges_and_meets(&ben, json!({})).await;
    let record = format!("/v1/matches/{id}/record");
    let as_text = format!("{record}?format=text");
    for (path, accept, status) in [
        (record.as_str(), "text/plain", 200),
        (record.as_str(), "text/csv", 406),
        (as_text.as_str(), "text/csv", 200),
        ("/v1/account/matches", "application/json", 406),
        ("/v1/account/matches?format=json", "application/json", 200),
        ("/v1/events", "text/html", 406),
        ("/problems/not-acceptable", "text/csv", 200),
    ] {
        assert_eq!(asks(&anna, path, accept).await.status, status, "{path} as {accept}");
    }
    let feed = anna.post("/v1/account/calendar/feed", json!({})).await.expect(201)["url"].as_str().unwrap().to_owned();
    let feed = feed.strip_prefix("https://broadside.test").unwrap();
    assert_eq!(asks(&anna, feed, "text/calendar").await.status, 200);
    asks(&anna, feed, "application/json").await.problem(406, "not-acceptable");
    let head = anna.signed(plain("HEAD", "/v1/turns", None)).insert_header(("accept", "text/csv"));
    assert_eq!(app.send(head).await.status, 406);
    let forget = anna.signed(plain("DELETE", "/v1/account/calendar/feed", None)).insert_header(("accept", "text/csv"));
    assert_eq!(app.send(forget).await.status, 204, "there is nothing to accept");
}
