//! Attacks on registered apps: impersonating one, stealing its grants, or keeping them.

use serde_json::{Value, json};

use crate::registered_apps::{BACK, Own, PATH, page, registers, terms};
use crate::support::oauth::{Browser, VERIFIER, asked, challenge, encoded, form, hidden, refused, with};
use crate::support::{Player, TestApp};

async fn people(app: &TestApp) -> (Own, Player, Browser) {
    let own = registers(&app.player("anna").await, "Harbour Chart").await;
    let ben = app.player("ben").await;
    let browser = Browser::of(&ben).await;
    (own, ben, browser)
}

#[actix_web::test]
async fn an_answer_goes_nowhere_but_to_a_registered_address() {
    let app = TestApp::start().await;
    let (own, _, browser) = people(&app).await;
    let good = challenge(VERIFIER);
    for bad in [
        "https://chart.example/",
        "https://chart.example/bac",
        "https://chart.example/back/",
        "https://chart.example/back/more",
        "https://chart.example/back?x=1",
        "https://chart.example/other",
        "https://chart.example:8443/back",
        "https://www.chart.example/back",
        "https://chart.example.evil.example/back",
        "https://evil.example/back",
        "http://127.0.0.1:51234/other",
        "http://127.0.0.1:51234/back?x=1",
        "http://[::1]:51234/back",
        "example.chart:/back",
    ] {
        let wrong = with(own.asks(&good), "redirect_uri", Some(bad));
        // No link redirects there, whatever else is wrong with the request.
        for asked in [wrong.clone(), with(wrong.clone(), "scope", None), with(wrong.clone(), "response_type", None)] {
            let refused = browser.open(&format!("/oauth/authorize?{}", encoded(&asked))).await;
            assert_eq!((refused.status, refused.header("location")), (400, None), "{bad}");
            assert!(!refused.text().contains("<a href"), "{bad}: {}", refused.text());
            let mut form = asked.clone();
            form.push(("decision", "allow"));
            assert_eq!(browser.submits("/oauth/authorize", &form).await.status, 400, "{bad}");
        }
    }
}

#[actix_web::test]
async fn an_app_asks_for_no_more_than_it_has_registered() {
    let app = TestApp::start().await;
    let (own, ben, browser) = people(&app).await;
    let good = challenge(VERIFIER);
    let more = with(own.asks(&good), "scope", Some("matches:read matches:play"));
    let refused = browser.open(&format!("/oauth/authorize?{}", encoded(&more))).await;
    assert!(refused.status == 400 && refused.text().contains("invalid_scope"), "{}", refused.text());
    assert!(refused.text().contains("https://chart.example/back?error=invalid_scope"), "its app is told");
    assert_eq!(ben.get("/v1/account/apps").await.expect(200)["items"], json!([]));
}

#[actix_web::test]
async fn nobody_looks_like_a_registered_app() {
    let app = TestApp::start().await;
    let (own, _, browser) = people(&app).await;
    let good = challenge(VERIFIER);
    let capital = own.client_id.replace("registered", "Registered");
    let digit = own.client_id.replace("registered", "reg1stered");
    let short = own.client_id.replace("registered-", "registered:");
    for name in [capital.as_str(), &digit, &short, "registered-by-anna", "Re-gistered"] {
        let asked = with(asked(&good), "client_id", Some(name));
        let page = browser.open(&format!("/oauth/authorize?{}", encoded(&asked))).await;
        assert_eq!(page.status, 400, "{name}");
        let device = [("client_id", name), ("scope", "matches:read")];
        refused(&app.send(form("/oauth/device_authorization", &device)).await, "invalid_request");
    }
    // An id without an app.
    let nobody = "registered-0199c2a8-7d4e-7c3a-9f10-5b1e6a2d8c47";
    let page_of_nobody = page(&browser, &with(own.asks(&good), "client_id", Some(nobody))).await;
    assert!(page_of_nobody.contains("invalid_client") && !page_of_nobody.contains("<a href"), "{page_of_nobody}");
    let device = [("client_id", nobody), ("scope", "matches:read")];
    refused(&app.send(form("/oauth/device_authorization", &device)).await, "invalid_client");
    // An unregistered app with a registered app's name is shown as unregistered.
    for name in ["Harbour-Chart", "harb0ur.chart", "HARBOURCHART"] {
        let page = page(&browser, &with(asked(&good), "client_id", Some(name))).await;
        assert!(page.contains("Not registered.") && page.contains("This is not that app."), "{name}: {page}");
    }
    assert!(!page(&browser, &asked(&good)).await.contains("This is not that app."));
}

#[actix_web::test]
async fn a_name_is_one_apps_alone() {
    let app = TestApp::start().await;
    let (own, ben, _) = people(&app).await;
    let mine = registers(&ben, "Another").await;
    for alike in ["Harbour Chart", "HARBOUR CHART", "Harb0ur Chart", "Harbour-Chart", "HarbourChart", "Harbour.Chart"] {
        ben.post(PATH, terms(alike)).await.problem(409, "app-name-taken");
        let change = json!({ "name": alike });
        ben.request("PATCH", &mine.path(), Some(change)).await.problem(409, "app-name-taken");
    }
    for reserved in [
        "Broadside",
        "Br0adside Mobile",
        "broad side app",
        "The Official Chart",
        "Support",
        "Verified Chart",
        "Registered by anna",
        "Harbour Moderator",
        "Broadside.Test",
    ] {
        let refused = ben.post(PATH, terms(reserved)).await;
        refused.problem(422, "validation-failed");
        assert_eq!(refused.pointers(), ["/name"], "{reserved}");
    }
    // A released name stays reserved for its owner for a year.
    own.is_deleted().await;
    ben.post(PATH, terms("Harbour Chart")).await.problem(409, "app-name-taken");
    let again = registers(&own.owner, "Harbour chart").await;
    own.owner.request("PATCH", &again.path(), Some(json!({ "name": "Sea Chart" }))).await.expect(200);
    ben.post(PATH, terms("Harbour Chart")).await.problem(409, "app-name-taken");
}

#[actix_web::test]
async fn nobody_keeps_many_names_from_others() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let own = registers(&anna, "Chart x").await;
    for number in 0..22 {
        let change = json!({ "name": format!("Chart {number}") });
        anna.request("PATCH", &own.path(), Some(change)).await.expect(200);
        app.passes_s(1).await;
    }
    let ben = app.player("ben").await;
    ben.post(PATH, terms("Chart 20")).await.problem(409, "app-name-taken");
    registers(&ben, "Chart x").await;
}

#[actix_web::test]
async fn what_an_owner_says_is_text_and_is_checked() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    for (field, bad) in [
        ("name", json!("<script>alert(1)</script>")),
        ("name", json!("Chart\" onload=\"x")),
        ("name", json!("Châteaux")),
        ("name", json!("Chart\u{202e}trahC")),
        ("homepage", json!("http://chart.example/")),
        ("homepage", json!("javascript:alert(1)")),
        ("homepage", json!("https://anna@chart.example/")),
        ("description", json!("one\ntwo")),
        ("description", json!("x".repeat(501))),
        ("redirect_uris", json!([])),
        ("scopes", json!([])),
    ] {
        let mut body = terms("Harbour Chart");
        body[field] = bad.clone();
        let refused = anna.post(PATH, body).await;
        refused.problem(422, "validation-failed");
        assert_eq!(refused.pointers(), [format!("/{field}")], "{bad}");
    }
    for bad in ["http://chart.example/back", "http://localhost/back", "javascript:alert(1)", "https://chart.example/#x"]
    {
        let mut body = terms("Harbour Chart");
        body["redirect_uris"] = json!([BACK, bad]);
        let refused = anna.post(PATH, body).await;
        refused.problem(422, "validation-failed");
        assert_eq!(refused.pointers(), ["/redirect_uris/1"], "{bad}");
    }
    let mut many = terms("Harbour Chart");
    many["redirect_uris"] = (0..11).map(|n| json!(format!("https://chart.example/{n}"))).collect();
    anna.post(PATH, many).await.problem(422, "validation-failed");
    let mut body = terms("Anna's Chart");
    body["description"] = json!("<script>alert(1)</script><img src=x onerror=alert(1)>");
    body["homepage"] = json!("https://chart.example/?x=%3Cscript%3E&y=1");
    let made = anna.post(PATH, body).await.expect(201);
    let about = app.get(&format!("/oauth/apps/{}", made["client_id"].as_str().unwrap())).await;
    assert!(!about.text().contains("<script") && !about.text().contains("<img"), "{}", about.text());
    assert!(about.text().contains("&lt;script&gt;"), "{}", about.text());
    let policy = about.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'") && !policy.contains("script"), "{policy}");
}

#[actix_web::test]
async fn another_owners_app_is_not_found() {
    let app = TestApp::start().await;
    let (own, ben, _) = people(&app).await;
    ben.get(&own.path()).await.problem(404, "not-found");
    ben.request("PATCH", &own.path(), Some(json!({ "redirect_uris": ["https://evil.example/"] })))
        .await
        .problem(404, "not-found");
    ben.request("DELETE", &own.path(), None).await.problem(404, "not-found");
    assert_eq!(own.owner.get(&own.path()).await.expect(200)["redirect_uris"][0], BACK);
    // Neither a personal token nor an app can do it for its owner.
    let scopes = <broadside::accounts::Scope as strum::VariantNames>::VARIANTS;
    let token = own.owner.post("/v1/account/tokens", json!({ "name": "all", "scopes": scopes })).await.expect(201);
    let program = own.owner.with_token(token["token"].as_str().unwrap());
    program.request("DELETE", &own.path(), None).await.problem(403, "session-required");
    let tokens = own.acts_for(&own.owner).await;
    let acting = own.owner.with_token(tokens["access_token"].as_str().unwrap());
    acting.post(PATH, terms("Another")).await.problem(403, "session-required");
    // A guest has no apps.
    let guest = app.post("/v1/guests", json!({ "username": "stowaway" })).await.expect(201);
    let guest = ben.with_token(guest["access_token"].as_str().unwrap());
    guest.post(PATH, terms("Another")).await.problem(403, "guest-not-allowed");
    guest.get(PATH).await.problem(403, "guest-not-allowed");
    for (method, body) in [("GET", None), ("PATCH", Some(json!({ "name": "Another" }))), ("DELETE", None)] {
        guest.request(method, &own.path(), body).await.problem(403, "guest-not-allowed");
    }
}

#[actix_web::test]
async fn a_session_that_has_ended_changes_and_deletes_nothing() {
    let app = TestApp::start().await;
    let (own, ..) = people(&app).await;
    let thief = own.owner.signed_in().await;
    // Another node's cache trusts the session for half a minute.
    let elsewhere = Player { app: app.another_node().await, ..thief.clone() };
    elsewhere.get(&own.path()).await.expect(200);
    let sessions = thief.get("/v1/sessions").await.expect(200);
    let is_current = |one: &&Value| one["current"] == true;
    let id = sessions["items"].as_array().unwrap().iter().find(is_current).unwrap()["id"].as_str().unwrap();
    own.owner.request("DELETE", &format!("/v1/sessions/{id}"), None).await.expect_status(204);
    elsewhere.get(&own.path()).await.expect(200);
    let change = json!({ "redirect_uris": ["https://evil.example/"] });
    elsewhere.post(PATH, terms("Another")).await.problem(401, "token-unknown");
    elsewhere.request("PATCH", &own.path(), Some(change)).await.problem(401, "token-unknown");
    elsewhere.request("DELETE", &own.path(), None).await.problem(401, "token-unknown");
    assert_eq!(own.owner.get(&own.path()).await.expect(200)["redirect_uris"][0], BACK);
}

#[actix_web::test]
async fn what_one_app_was_granted_is_no_other_apps() {
    let app = TestApp::start().await;
    let (own, ben, _) = people(&app).await;
    let other = registers(&ben, "Another").await;
    for client in [other.client_id.as_str(), "app.example"] {
        let code = own.code_of(&ben).await;
        refused(&app.token(&with(own.exchanges(&code), "client_id", Some(client))).await, "invalid_grant");
        // The attempt came from a caller without a right to it, so the code is void.
        refused(&app.token(&own.exchanges(&code)).await, "invalid_grant");
    }
    let tokens = own.acts_for(&ben).await;
    let token = tokens["refresh_token"].as_str().unwrap();
    for client in [other.client_id.as_str(), "app.example"] {
        refused(&app.token(&with(own.refreshes(token), "client_id", Some(client))).await, "invalid_grant");
        let given_back = [("client_id", client), ("token", token)];
        assert_eq!(app.send(form("/oauth/revoke", &given_back)).await.status, 200);
    }
    app.token(&own.refreshes(token)).await.expect(200);
}

#[actix_web::test]
async fn a_deleted_app_gets_nothing_for_a_consent() {
    let app = TestApp::start().await;
    let (own, ben, browser) = people(&app).await;
    let good = challenge(VERIFIER);
    let (code, tokens) = (own.code_of(&ben).await, own.acts_for(&ben).await);
    let asked = own.asks(&good);
    let token = hidden(&page(&browser, &asked).await, "form_token");
    let device = [("client_id", own.client_id.as_str()), ("scope", "matches:read")];
    let begun = app.send(form("/oauth/device_authorization", &device)).await.expect(200);
    let typed = format!("/oauth/device?user_code={}", begun["user_code"].as_str().unwrap());
    let allow = hidden(&browser.open(&typed).await.text(), "form_token");
    own.is_deleted().await;
    // Between the page and the button,
    let mut form_of_page = asked.clone();
    form_of_page.extend([("form_token", token.as_str()), ("decision", "allow")]);
    let pressed = browser.submits("/oauth/authorize", &form_of_page).await;
    assert_eq!((pressed.status, pressed.header("location")), (400, None), "{}", pressed.text());
    let user_code = begun["user_code"].as_str().unwrap();
    let decision =
        [("user_code", user_code), ("form_token", allow.as_str()), ("decision", "allow"), ("compared", "yes")];
    assert!(browser.submits("/oauth/device", &decision).await.text().contains("No device waits for this code"));
    // between consent and exchange,
    refused(&app.token(&own.exchanges(&code)).await, "invalid_grant");
    let question = [
        ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
        ("client_id", own.client_id.as_str()),
        ("device_code", begun["device_code"].as_str().unwrap()),
    ];
    refused(&app.token(&question).await, "invalid_grant");
    // and afterwards.
    refused(&app.token(&own.refreshes(tokens["refresh_token"].as_str().unwrap())).await, "invalid_grant");
    ben.with_token(tokens["access_token"].as_str().unwrap()).get("/v1/turns").await.problem(401, "token-unknown");
    assert_eq!(ben.get("/v1/account/apps").await.expect(200)["items"], json!([]));
}

#[actix_web::test]
async fn an_app_that_changes_after_consent_gets_nothing_else_for_it() {
    let app = TestApp::start().await;
    let (own, ben, _) = people(&app).await;
    for change in [json!({ "redirect_uris": ["https://chart.example/new"] }), json!({ "scopes": ["matches:read"] })] {
        let code = own.code_of(&ben).await;
        own.owner.request("PATCH", &own.path(), Some(change)).await.expect(200);
        refused(&app.token(&own.exchanges(&code)).await, "invalid_grant");
        let mut before = terms("Harbour Chart");
        before.as_object_mut().unwrap().remove("name");
        own.owner.request("PATCH", &own.path(), Some(before)).await.expect(200);
    }
    assert_eq!(ben.get("/v1/account/apps").await.expect(200)["items"], json!([]));
}

/// In any order of the two requests, no usable grant is left.
#[actix_web::test]
async fn an_app_that_is_deleted_under_way_keeps_nothing() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let ben = app.player("ben").await;
    for round in 0..6 {
        let own = registers(&anna, &format!("Chart {round}")).await;
        let (code, tokens) = (own.code_of(&ben).await, own.acts_for(&ben).await);
        let refresh = own.refreshes(tokens["refresh_token"].as_str().unwrap());
        let exchange = own.exchanges(&code);
        let (exchanged, refreshed, ()) =
            futures_util::future::join3(app.token(&exchange), app.token(&refresh), own.is_deleted()).await;
        for answer in [exchanged, refreshed].iter().filter(|answer| answer.status == 200) {
            let won: Value = answer.json();
            refused(&app.token(&own.refreshes(won["refresh_token"].as_str().unwrap())).await, "invalid_grant");
        }
        assert_eq!(ben.get("/v1/account/apps").await.expect(200)["items"], json!([]), "{round}");
    }
}
