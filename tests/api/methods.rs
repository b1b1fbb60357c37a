//! Methods: `HEAD` beside every `GET`, `OPTIONS`, preflights, and the answer to a wrong method.

use std::io::{Read, Write};

use serde_json::{Value, json};

use crate::sockets::{beside, connected, served};
use crate::support::fleets::NORTH_WEST;
use crate::support::{TestApp, plain};

/// Reads without a token, of every sort: generated, stored, streamed, compressed, a page.
const READ: [&str; 20] = [
    "/v1/variants",
    "/v1/variants/classic",
    "/v1/variants?limit=2",
    "/v1/matches",
    "/v1/pools",
    "/.well-known/jwks.json",
    "/openapi.json",
    "/docs/",
    "/play",
    "/problems/not-found",
    "/healthz",
    "/v1/variants/no-such-variant",
    "/.well-known/oauth-authorization-server",
    "/.well-known/change-password",
    "/robots.txt",
    "/oauth/apps",
    "/oauth/apps/no-such-app",
    "/oauth/authorize",
    "/oauth/device",
    "/oauth/sign-in",
];

#[actix_web::test]
async fn head_is_get_without_a_body() {
    let app = TestApp::start().await;
    for path in READ {
        let asks = |method: &str| {
            let request = plain(method, path, None).insert_header(("x-request-id", "the-same"));
            app.send(request)
        };
        let (get, head) = (asks("GET").await, asks("HEAD").await);
        assert_eq!((head.status, head.body.len()), (get.status, 0), "{path}");
        assert_eq!(head.headers, get.headers, "{path}");
    }
    // It needs the same permission, and changes nothing.
    app.request("HEAD", "/v1/turns", None).await.expect_status(401);
    let (anna, _, id) = app.table("classic").await;
    anna.deploys(&id, NORTH_WEST).await;
    let path = format!("/v1/matches/{id}");
    let etag = anna.get(&path).await.header("etag").unwrap().to_owned();
    let known = anna.signed(plain("HEAD", &path, None)).insert_header(("if-none-match", etag));
    assert_eq!(app.send(known).await.status, 304);
    anna.request("HEAD", &format!("{path}/actions"), None).await.expect_status(405);
    // A stream ends at once, and frees its slot.
    for _ in 0..12 {
        let stream = anna.signed(plain("HEAD", "/v1/events", None)).insert_header(("accept", "text/event-stream"));
        let answer = app.send(stream).await;
        assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/event-stream")));
    }
}

#[actix_web::test]
async fn the_length_of_what_head_leaves_out_is_stated() {
    let app = TestApp::start().await;
    let length = app.get("/v1/variants/classic").await.body.len();
    let (address, handle) = served(&app);
    let told = beside(move || {
        let mut stream = connected(address);
        let requests = "HEAD /v1/variants/classic HTTP/1.1\r\nHost: x\r\n\r\n\
            HEAD /v1/variants/classic HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
        stream.write_all(requests.as_bytes()).unwrap();
        let mut all = String::new();
        stream.read_to_string(&mut all).unwrap();
        all
    });
    let told = told.await;
    // Two heads in sequence, with nothing between them.
    let heads: Vec<&str> = told.split_terminator("\r\n\r\n").collect();
    assert_eq!(heads.len(), 2, "{told}");
    for head in heads {
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        assert!(head.to_lowercase().contains(&format!("content-length: {length}")), "{head}");
    }
    handle.stop(false).await;
}

async fn paths(app: &TestApp) -> Vec<(String, String)> {
    let document = app.get("/openapi.json").await.json();
    let mut all: Vec<(String, String)> = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        let mut methods = Vec::new();
        for method in item.as_object().unwrap().keys() {
            methods.push(method.to_uppercase());
            methods.extend((method == "get").then(|| "HEAD".to_owned()));
        }
        methods.push("OPTIONS".to_owned());
        // A value for each parameter.
        let path: Vec<String> = path
            .split('/')
            .map(|part| match part.split_once('}') {
                Some((_, end)) if part.starts_with('{') => format!("x{end}"),
                _ => part.to_owned(),
            })
            .collect();
        all.push((path.join("/"), methods.join(", ")));
    }
    all.extend(
        ["/openapi.json", "/docs/", "/play", "/app/main.js", "/problems/not-found", "/healthz", "/oauth/apps/x"]
            .map(|page| (page.to_owned(), "GET, HEAD, OPTIONS".to_owned())),
    );
    let read_and_sent = [
        "/v1/mail/confirm/x",
        "/v1/mail/unsubscribe/x",
        "/oauth/apps",
        "/oauth/authorize",
        "/oauth/device",
        "/oauth/register",
        "/oauth/sign-in",
        "/oauth/sign-out",
    ];
    all.extend(read_and_sent.map(|page| (page.to_owned(), "GET, HEAD, POST, OPTIONS".to_owned())));
    let sent = ["/oauth/device_authorization", "/oauth/revoke", "/oauth/token"];
    all.extend(sent.map(|page| (page.to_owned(), "POST, OPTIONS".to_owned())));
    all
}

#[actix_web::test]
async fn options_and_preflights_name_what_is_there() {
    let app = TestApp::start().await;
    for (path, methods) in paths(&app).await {
        let told = app.request("OPTIONS", &path, None).await;
        assert_eq!((told.status, told.header("allow")), (204, Some(methods.as_str())), "{path}");
        let preflight = plain("OPTIONS", &path, None)
            .insert_header(("origin", "https://club.example"))
            .insert_header(("access-control-request-method", "GET"))
            .insert_header(("access-control-request-headers", "authorization, content-type"));
        let preflight = app.send(preflight).await;
        assert_eq!(preflight.header("access-control-allow-methods"), Some(methods.as_str()), "{path}");
        assert_eq!(preflight.header("access-control-allow-origin"), Some("*"));
        assert_eq!(preflight.header("access-control-allow-headers"), Some("authorization, content-type"));
    }
    app.request("OPTIONS", "/v1/nothing", None).await.problem(404, "not-found");
}

#[actix_web::test]
async fn a_wrong_method_is_told_the_right_ones() {
    let app = TestApp::start().await;
    for (path, methods) in paths(&app).await {
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "TRACE"] {
            // Where a fixed word competes with an id, other methods belong to the id.
            let words = ["/check", "/refresh", "/sessions/second-factor", "/sessions/passkey", "/passkeys/challenges"];
            let beside_an_id = words.iter().any(|end| path.ends_with(end));
            if beside_an_id || methods.split(", ").any(|known| known == method) {
                continue;
            }
            let refused = app.request(method, &path, None).await;
            refused.problem(405, "method-not-allowed");
            assert_eq!(refused.header("allow"), Some(methods.as_str()), "{method} {path}");
        }
    }
}

#[actix_web::test]
async fn bodies_that_are_optional_may_be_left_out() {
    let app = TestApp::start().await;
    let (anna, _, id) = app.table("classic").await;
    app.grants("anna", "moderator").await;
    app.grants("anna", "organizer").await;
    let document = app.get("/openapi.json").await.json();
    let (mut optional, mut required) = (0, 0);
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let Some(body) = operation["requestBody"].as_object() else { continue };
            let hash = "0".repeat(64);
            let path = path.replace("{id}", &id).replace("{username}", "ben").replace("{hash}", &hash);
            let path = path.replace("{room}", "players").replace("{number}", "1");
            let path = path.replace("{challenge_id}", &id).replace("{delivery_id}", &id);
            let answer = anna.request(&method.to_uppercase(), &path, None).await;
            if body["required"] == true {
                required += 1;
                assert!(matches!(answer.status, 400 | 403 | 415 | 422), "{method} {path}: {}", answer.text());
                let code = if answer.status == 403 { Value::Null } else { answer.json()["code"].clone() };
                let missing = answer.text().contains("missing-field") || answer.text().contains("invalid-value");
                let is_refused = ["unsupported-media-type", "malformed-json"].iter().any(|refusal| code == *refusal);
                assert!(answer.status == 403 || is_refused || missing, "{}", answer.text());
            } else {
                optional += 1;
                assert!(!matches!(answer.status, 400 | 415), "{method} {path}: {}", answer.text());
                assert!(!answer.text().contains("missing-field"), "{method} {path}: {}", answer.text());
            }
        }
    }
    assert!(optional >= 15 && required >= 20, "{optional} optional, {required} required");
}

#[actix_web::test]
async fn lists_in_requests_have_the_length_that_the_contract_allows() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let refused = |answer: crate::support::Answer, pointer: &str| {
        answer.problem(422, "validation-failed");
        assert_eq!(
            (answer.json()["errors"][0]["code"].as_str(), answer.pointers()),
            (Some("too-many-items"), vec![pointer.to_owned()])
        );
    };
    let scopes = |count: usize| json!({ "name": "x", "scopes": vec!["account:read"; count] });
    anna.post("/v1/account/tokens", scopes(20)).await.expect(201);
    refused(anna.post("/v1/account/tokens", scopes(21)).await, "/scopes");
    let events = |count: usize| json!({ "url": "https://bot.example/", "events": vec!["your-turn"; count] });
    let made = anna.post("/v1/webhooks", events(100)).await.expect(201);
    refused(anna.post("/v1/webhooks", events(101)).await, "/events");
    let path = format!("/v1/webhooks/{}", made["webhook"]["id"].as_str().unwrap());
    refused(anna.request("PATCH", &path, Some(json!({ "events": vec!["your-turn"; 101] }))).await, "/events");
    let browser = |count: usize| {
        let (endpoint, auth) = ("https://push.example/x", "BTBZMqHH6r4Tts7J_aSIgg");
        let key = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
        let events = vec!["your-turn"; count];
        json!({ "endpoint": endpoint, "p256dh": key, "auth": auth, "name": "x", "events": events })
    };
    anna.post("/v1/account/push-subscriptions", browser(20)).await.expect(201);
    refused(anna.post("/v1/account/push-subscriptions", browser(21)).await, "/events");
    let topics = |count: usize| json!({ "events": vec!["your-turn"; count] });
    anna.request("PUT", "/v1/account/mail", Some(topics(40))).await.expect(200);
    refused(anna.request("PUT", "/v1/account/mail", Some(topics(41))).await, "/events");
    // Cursors, and ids in other spellings of a UUID.
    let id = "0199c2a8-7d4e-7c3a-9f10-5b1e6a2d8c47";
    for cursor in ["x".repeat(201), String::new(), "a+b".to_owned(), format!("urn:uuid:{id}"), format!("%7B{id}%7D")] {
        for path in ["/v1/matches", "/v1/rule-sets", "/v1/pools/classic-days/leaderboard", "/v1/ladders"] {
            let answer = app.get(&format!("{path}?cursor={cursor}")).await;
            answer.problem(422, "validation-failed");
            assert_eq!(answer.pointers(), ["/cursor"], "{path} {cursor}");
        }
    }
    app.get(&format!("/v1/matches/{}", id.replace('-', ""))).await.problem(400, "malformed-id");
}
