//! Sessions: sign-in, refresh, sign-out, and the signing keys.

use actix_web::http::header;
use futures_util::future::join;
use serde_json::{Value, json};

use crate::support::{Answer, Player, Setup, TestApp, database, plain};

fn credentials(name: &str, password: &str) -> Value {
    json!({ "username": name, "password": password })
}

async fn signs_in(player: &Player) -> Value {
    player.app.post("/v1/sessions", credentials(&player.name, &player.password)).await.expect(201)
}

async fn refreshes(app: &TestApp, token: &Value) -> Answer {
    app.post("/v1/sessions/refresh", json!({ "refresh_token": token })).await
}

fn with(player: &Player, body: &Value) -> Player {
    player.with_token(body["access_token"].as_str().unwrap())
}

#[actix_web::test]
async fn a_session_is_opened_with_name_and_password() {
    let app = TestApp::start().await;
    let anna = app.player("Anna").await;
    let answer = app.post("/v1/sessions", credentials("aNNA", &anna.password)).await;
    let body = answer.expect(201);
    assert_eq!(answer.header("location").unwrap(), format!("/v1/sessions/{}", body["session_id"].as_str().unwrap()));
    assert_eq!((&body["account"]["username"], &body["expires_in_s"]), (&json!("Anna"), &json!(900)));
    with(&anna, &body).get("/v1/account").await.expect(200);
}

#[actix_web::test]
async fn a_wrong_password_and_an_unknown_name_get_one_answer() {
    let app = TestApp::start().await;
    app.player("anna").await;
    let sign_in = |name: &str, password: &str| app.post("/v1/sessions", credentials(name, password));
    let (wrong, unknown) = (sign_in("anna", "a wrong one").await, sign_in("ben", "a wrong one").await);
    let bare = |answer: &Answer| {
        let mut body = answer.problem(401, "invalid-credentials");
        body["request_id"] = Value::Null;
        let mut headers = answer.headers.clone();
        headers.retain(|(name, _)| name != "x-request-id");
        for (_, value) in headers.iter_mut().filter(|(name, _)| name == "access-control-expose-headers") {
            // Its order is that of a hash map.
            let mut names: Vec<&str> = value.split(", ").collect();
            names.sort_unstable();
            *value = names.join(", ");
        }
        (body, headers)
    };
    assert_eq!(bare(&wrong), bare(&unknown));
    let empty = sign_in("anna", "").await;
    empty.problem(422, "validation-failed");
    assert_eq!(empty.pointers(), ["/password"]);
}

#[actix_web::test]
async fn guessing_is_slowed_down_at_that_name() {
    let app = TestApp::with(Setup { rate_limits: true, ..Setup::default() }).await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    for number in 0..10 {
        let guess = credentials("anna", &format!("guess number {number}"));
        app.post("/v1/sessions", guess).await.problem(401, "invalid-credentials");
    }
    // Upper and lower case count as the same name, and the right password no longer helps.
    let refused = app.post("/v1/sessions", credentials("ANNA", &anna.password)).await;
    refused.problem(429, "too-many-requests");
    assert_eq!(refused.header("retry-after"), Some("300"));
    signs_in(&ben).await;
    app.passes_s(300).await;
    signs_in(&anna).await;
}

#[actix_web::test]
async fn guessing_from_everywhere_is_slow_and_its_victim_is_told() {
    let app = TestApp::with(Setup { rate_limits: true, ..Setup::default() }).await;
    let anna = app.player("anna").await;
    let from = async |address: u8, password: &str| {
        let peer = std::net::SocketAddr::from(([192, 0, 2, address], 40_000));
        app.send_from(peer, plain("POST", "/v1/sessions", Some(credentials("anna", password)))).await.status
    };
    let mut refused = 0;
    for number in 0..150_u8 {
        refused += u32::from(from(number % 15, &format!("guess number {number}")).await == 429);
    }
    assert_eq!(refused, 50, "all after a hundred");
    for (tried, status) in [("a wrong one", 401), ("another", 401), ("a third", 429)] {
        assert_eq!(from(100, tried).await, status);
    }
    assert_eq!(from(101, &anna.password).await, 201, "the owner, from a new address");
    // Notified once, in the log that feeds streams, webhooks and mail.
    let told: Vec<Value> =
        anna.hears(0).await.into_iter().filter(|event| event["type"] == "sign-in-failures").collect();
    assert_eq!((told.len(), &told[0]["failures"]), (1, &json!(50)));
}

#[actix_web::test]
async fn guesses_that_come_at_once_are_told_of_as_well() {
    let app = TestApp::with(Setup { rate_limits: true, ..Setup::default() }).await;
    let anna = app.player("anna").await;
    let guess = async |number: u8| {
        let peer = std::net::SocketAddr::from(([192, 0, 2, number % 14], 40_000));
        app.send_from(peer, plain("POST", "/v1/sessions", Some(credentials("anna", "a wrong one")))).await.status
    };
    for number in 0..45 {
        assert_eq!(guess(number).await, 401);
    }
    // Verification starts only after all of them are counted.
    assert_eq!(futures_util::future::join_all((45..55).map(guess)).await, [401; 10]);
    let told = anna.hears(0).await.into_iter().filter(|event| event["type"] == "sign-in-failures").count();
    assert_eq!(told, 1);
}

#[actix_web::test]
async fn an_access_token_is_good_for_fifteen_minutes() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    app.passes_unseen_s(899);
    anna.get("/v1/account").await.expect(200);
    app.passes_unseen_s(1);
    let refused = anna.get("/v1/account").await;
    refused.problem(401, "token-expired");
    assert_eq!(refused.header("www-authenticate"), Some("Bearer error=\"invalid_token\""));
    anna.at(&app.another_node().await).get("/v1/account").await.problem(401, "token-expired");
}

#[actix_web::test]
async fn what_is_no_token_is_refused() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let mut forged = anna.token.clone();
    forged.replace_range(forged.len() - 8.., "AAAAAAAA");
    let nobody = "x".repeat(3000);
    for (value, code) in [
        ("Bearer ", "token-malformed"),
        ("Bearer x.y.z", "token-malformed"),
        ("Basic YW5uYTpwYXNzd29yZA==", "token-malformed"),
        (&anna.token, "token-malformed"),
        (&format!("Bearer {forged}"), "token-invalid"),
        (&format!("Bearer {}", anna.refresh_token), "token-malformed"),
        (&format!("Bearer bst_{}", "A".repeat(43)), "token-unknown"),
        (&format!("Bearer {nobody}"), "token-malformed"),
    ] {
        let request = plain("GET", "/v1/account", None).insert_header((header::AUTHORIZATION, value));
        app.send(request).await.problem(401, code);
        // A token that is sent must be valid, even where none is needed.
        let request = plain("GET", "/v1/players/anna", None).insert_header((header::AUTHORIZATION, value));
        app.send(request).await.problem(401, code);
    }
    let lower =
        plain("GET", "/v1/account", None).insert_header((header::AUTHORIZATION, format!("bearer {}", anna.token)));
    app.send(lower).await.expect(200);
}

#[actix_web::test]
async fn a_session_lives_sixty_days_after_its_last_refresh() {
    const DAY_S: i64 = 24 * 60 * 60;
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    app.passes_unseen_s(59 * DAY_S);
    let next = refreshes(&app, &json!(anna.refresh_token)).await.expect(200);
    app.passes_unseen_s(59 * DAY_S);
    let next = refreshes(&app, &next["refresh_token"]).await.expect(200);
    app.passes_unseen_s(60 * DAY_S);
    refreshes(&app, &next["refresh_token"]).await.problem(401, "token-unknown");
    let now = with(&anna, &signs_in(&anna).await);
    assert_eq!(now.get("/v1/sessions").await.expect(200)["items"].as_array().unwrap().len(), 1);
    // Much later, nothing is left of it.
    assert_eq!(broadside::accounts::forget_old(&app.app).await.unwrap(), 2);
    app.passes_unseen_s(31 * DAY_S);
    // And nothing of the registration in the security log, which is kept for half a year.
    assert_eq!(broadside::accounts::forget_old(&app.app).await.unwrap(), 2);
    assert_eq!(broadside::accounts::forget_old(&app.app).await.unwrap(), 0);
}

#[actix_web::test]
async fn sessions_are_listed_by_page_the_newest_first() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    for number in 1..=4 {
        app.passes_unseen_s(1);
        let request = plain("POST", "/v1/sessions", Some(credentials("anna", &anna.password)));
        app.send(request.insert_header((header::USER_AGENT, format!("phone/{number}")))).await.expect(201);
    }
    let mut path = "/v1/sessions?limit=2".to_owned();
    let mut devices = Vec::new();
    let mut current = Vec::new();
    loop {
        let answer = anna.get(&path).await;
        let page = answer.expect(200);
        for session in page["items"].as_array().unwrap() {
            devices.push(session["device"].as_str().unwrap().to_owned());
            current.push(session["current"].as_bool().unwrap());
        }
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        path = format!("/v1/sessions?limit=2&cursor={cursor}");
        assert_eq!(answer.header("link").unwrap(), format!("<{path}>; rel=\"next\""));
    }
    assert_eq!(devices, ["phone/4", "phone/3", "phone/2", "phone/1", "unknown"]);
    assert_eq!(current, [false, false, false, false, true]);
    anna.get("/v1/sessions?limit=0").await.problem(422, "validation-failed");
}

#[actix_web::test]
async fn a_sign_out_is_heard_here_at_once_and_everywhere_within_thirty_seconds() {
    let app = TestApp::start().await;
    let far = app.another_node().await;
    let anna = app.player("anna").await;
    let ben = app.player("ben").await;
    let phone = signs_in(&anna).await;
    let (here, there) = (with(&anna, &phone), with(&anna, &phone).at(&far));
    here.get("/v1/account").await.expect(200);
    there.get("/v1/account").await.expect(200);
    let path = format!("/v1/sessions/{}", phone["session_id"].as_str().unwrap());

    ben.request("DELETE", &path, None).await.problem(404, "not-found");
    anna.request("DELETE", &path, None).await.expect(204);
    here.get("/v1/account").await.problem(401, "token-unknown");
    refreshes(&app, &phone["refresh_token"]).await.problem(401, "token-unknown");
    app.passes_unseen_s(30);
    there.get("/v1/account").await.problem(401, "token-unknown");
    anna.request("DELETE", &path, None).await.problem(404, "not-found");
    anna.get("/v1/account").await.expect(200);
    anna.request("DELETE", "/v1/sessions/x", None).await.problem(400, "malformed-id");
}

fn header_of(token: &str) -> jsonwebtoken::Header {
    jsonwebtoken::decode_header(token).unwrap()
}

async fn published(app: &TestApp) -> Vec<String> {
    let keys = app.get("/.well-known/jwks.json").await.expect(200);
    let keys = keys["keys"].as_array().unwrap().iter().filter(|key| key["purpose"] == "tokens");
    keys.map(|key| key["kid"].as_str().unwrap().to_owned()).collect()
}

#[actix_web::test]
async fn a_published_key_verifies_the_tokens() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let answer = app.get("/.well-known/jwks.json").await;
    let keys = answer.expect(200);
    assert_eq!(answer.header("cache-control"), Some("public, max-age=300"));
    let key = &keys["keys"][0];
    for (name, value) in [("kty", "OKP"), ("crv", "Ed25519"), ("use", "sig"), ("alg", "EdDSA")] {
        assert_eq!(key[name], value);
    }
    assert!(key.get("d").is_none(), "the private half stays here");
    let header = header_of(&anna.token);
    assert_eq!((header.alg, header.kid.as_deref()), (jsonwebtoken::Algorithm::EdDSA, key["kid"].as_str()));
    let public = jsonwebtoken::DecodingKey::from_ed_components(key["x"].as_str().unwrap()).unwrap();
    let mut validation = jsonwebtoken::Validation::new(jsonwebtoken::Algorithm::EdDSA);
    validation.set_audience(&["broadside"]);
    validation.set_issuer(&["broadside"]);
    validation.validate_exp = false;
    let claims = jsonwebtoken::decode::<Value>(&anna.token, &public, &validation).unwrap().claims;
    assert_eq!(claims["sub"], json!(anna.id));
    assert_eq!(claims["exp"].as_i64().unwrap() - claims["iat"].as_i64().unwrap(), 900);
}

#[actix_web::test]
async fn keys_are_replaced_without_anybody_being_signed_out() {
    let app = TestApp::start().await;
    let far = app.another_node().await;
    let anna = app.player("anna").await;
    let old = published(&app).await;
    assert_eq!(old.len(), 1);
    let new = broadside::accounts::rotate_keys(&app.app.db, &app.app.clock).await.unwrap();
    assert_eq!(published(&app).await, [new.clone(), old[0].clone()]);

    anna.get("/v1/account").await.expect(200);
    anna.at(&far).get("/v1/account").await.expect(200);
    let signed_in = signs_in(&anna).await;
    assert_eq!(header_of(signed_in["access_token"].as_str().unwrap()).kid, Some(new.clone()));
    // The other node first sees the new key in a token, and signs with it after five minutes at most.
    with(&anna, &signed_in).at(&far).get("/v1/account").await.expect(200);
    app.passes_unseen_s(300);
    let signed_in = signs_in(&anna.at(&far)).await;
    assert_eq!(header_of(signed_in["access_token"].as_str().unwrap()).kid, Some(new.clone()));

    app.passes_unseen_s(3300);
    assert_eq!(published(&app).await, std::slice::from_ref(&new));
    let newest = broadside::accounts::rotate_keys(&app.app.db, &app.app.clock).await.unwrap();
    assert_eq!(published(&app).await, [newest, new]);
}

#[actix_web::test]
async fn nodes_that_start_together_on_an_empty_database_understand_each_other() {
    let mut app = TestApp::start().await;
    app.database = database::fresh().await;
    let (one, other) = join(app.another_node(), app.another_node()).await;
    let anna = one.player("anna").await;
    anna.at(&other).get("/v1/account").await.expect(200);
    let back = with(&anna, &signs_in(&anna.at(&other)).await);
    back.at(&one).get("/v1/account").await.expect(200);
}

#[actix_web::test]
async fn a_storm_of_sign_ins_is_answered() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let storm = (0..24).map(|number| {
        let name = if number % 2 == 0 { "anna" } else { "nobody-here" };
        app.post("/v1/sessions", credentials(name, &anna.password))
    });
    // A busy machine may ask some clients to retry; nobody gets a wrong answer.
    let answers = futures_util::future::join_all(storm).await;
    for (number, answer) in answers.iter().enumerate() {
        let wanted = if number % 2 == 0 { 201 } else { 401 };
        if answer.status != wanted {
            answer.problem(503, "overloaded");
            assert!(answer.header("retry-after").is_some());
        }
    }
    assert!(answers.iter().any(|answer| answer.status == 201), "nobody was let in");
}
