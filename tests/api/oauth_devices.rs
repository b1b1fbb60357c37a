//! OAuth for devices without a browser (RFC 8628).

use serde_json::{Value, json};

use crate::support::oauth::{Browser, VERIFIER, asked, challenge, encoded, form, hidden, refresh, refused, with};
use crate::support::{Setup, TestApp, plain};

const GRANT: &str = "urn:ietf:params:oauth:grant-type:device_code";

pub async fn begin(app: &TestApp) -> Value {
    let asked = [("client_id", "a-board"), ("scope", "matches:read matches:play")];
    app.send(form("/oauth/device_authorization", &asked)).await.expect(200)
}

pub fn question(begun: &Value) -> Vec<(&str, &str)> {
    vec![("grant_type", GRANT), ("client_id", "a-board"), ("device_code", begun["device_code"].as_str().unwrap())]
}

/// Enters the code and presses a button; returns the resulting page.
pub async fn decides(browser: &Browser, begun: &Value, decision: &str) -> String {
    let code = begun["user_code"].as_str().unwrap();
    let page = browser.open(&format!("/oauth/device?user_code={code}")).await.text();
    assert!(page.contains("a-board") && page.contains("play in your matches"), "{page}");
    let token = hidden(&page, "form_token");
    let fields = [("user_code", code), ("form_token", token.as_str()), ("decision", decision), ("compared", "yes")];
    // A refusal needs no comparison of codes.
    let sent = if decision == "allow" { &fields[..] } else { &fields[..3] };
    let answer = browser.submits("/oauth/device", sent).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.text()
}

#[actix_web::test]
async fn the_link_of_a_device_grants_nothing_before_the_code_was_compared() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let (browser, begun) = (Browser::of(&anna).await, begin(&app).await);
    let link = begun["verification_uri_complete"].as_str().unwrap().strip_prefix("https://broadside.test").unwrap();
    let code = begun["user_code"].as_str().unwrap();
    let in_french = plain("GET", link, None).insert_header(("accept-language", "fr"));
    let pages = [browser.open(link).await.text(), browser.sends(in_french).await.text()];
    let said = [
        ["A device asks to act for you", "Compare this code", "somebody sent you this link", "hidden fleet"],
        ["Un appareil demande", "Comparez ce code", "envoyé ce lien", "votre flotte"],
    ];
    for (page, said) in pages.iter().zip(said) {
        assert!(page.contains(&format!("<code>{code}</code>")), "{page}");
        assert!(page.contains("name=\"compared\" value=\"yes\" required>"), "{page}");
        said.iter().for_each(|words| assert!(page.contains(words), "no {words}: {page}"));
    }
    let token = hidden(&pages[0], "form_token");
    let fields = [("user_code", code), ("form_token", token.as_str()), ("decision", "allow")];
    for compared in [None, Some(""), Some("no")] {
        let page = browser.submits("/oauth/device", &with(fields.to_vec(), "compared", compared)).await.text();
        assert!(page.contains("confirmed that your device shows this code"), "{page}");
        refused(&app.token(&question(&begun)).await, "authorization_pending");
        app.passes_s(10).await;
    }
    let compared = with(fields.to_vec(), "compared", Some("yes"));
    assert!(browser.submits("/oauth/device", &compared).await.text().contains("Go back to your device"));
    app.token(&question(&begun)).await.expect(200);
}

#[actix_web::test]
async fn no_app_passes_for_the_service() {
    let app = TestApp::start().await;
    let browser = Browser::of(&app.player("anna").await).await;
    for name in ["Broadside-Support", "admin", "Br0adside", "BR0ADSlDE.example", "the-rnoderators", "Anna's Support"] {
        let name = name.replace(' ', "-");
        let device = [("client_id", name.as_str()), ("scope", "matches:read")];
        refused(&app.send(form("/oauth/device_authorization", &device)).await, "invalid_request");
        let challenge = challenge(VERIFIER);
        let asked = with(asked(&challenge), "client_id", Some(&name));
        let page = browser.open(&format!("/oauth/authorize?{}", encoded(&asked))).await;
        assert_eq!(page.status, 400, "{name}");
        assert!(!page.text().contains("<a href"), "{}", page.text());
        refused(&app.token(&with(refresh("brt_x"), "client_id", Some(&name))).await, "invalid_request");
    }
}

#[actix_web::test]
async fn a_device_is_let_in_by_its_code() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let begun = begin(&app).await;
    assert_eq!((&begun["expires_in"], &begun["interval"]), (&json!(600), &json!(5)));
    assert_eq!(begun["verification_uri"], "https://broadside.test/oauth/device");
    assert!(begun["verification_uri_complete"].as_str().unwrap().ends_with(begun["user_code"].as_str().unwrap()));
    let question = question(&begun);
    refused(&app.token(&question).await, "authorization_pending");
    app.passes_s(5).await;
    assert!(decides(&Browser::of(&anna).await, &begun, "allow").await.contains("Go back to your device"));
    let tokens = app.token(&question).await.expect(200);
    assert_eq!(tokens["scope"], "matches:read matches:play");
    anna.with_token(tokens["access_token"].as_str().unwrap()).get("/v1/turns").await.expect(200);
    let listed = anna.get("/v1/account/apps").await.expect(200)["items"][0].clone();
    assert_eq!((&listed["client_id"], &listed["redirect_uri"]), (&json!("a-board"), &Value::Null));
    // The code is used up.
    refused(&app.token(&question).await, "invalid_grant");
}

#[actix_web::test]
async fn a_device_may_be_refused() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let begun = begin(&app).await;
    decides(&Browser::of(&anna).await, &begun, "refuse").await;
    refused(&app.token(&question(&begun)).await, "access_denied");
    refused(&app.token(&question(&begun)).await, "invalid_grant");
}

#[actix_web::test]
async fn a_new_password_ends_what_a_device_was_allowed() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let begun = begin(&app).await;
    decides(&Browser::of(&anna).await, &begun, "allow").await;
    let body = json!({ "current_password": anna.password, "new_password": "ropes, tar and a parrot" });
    assert_eq!(anna.request("PUT", "/v1/account/password", Some(body)).await.status, 204);
    refused(&app.token(&question(&begun)).await, "invalid_grant");
}

#[actix_web::test]
async fn a_device_that_asks_too_often_waits_longer() {
    let app = TestApp::start().await;
    let begun = begin(&app).await;
    refused(&app.token(&question(&begun)).await, "authorization_pending");
    refused(&app.token(&question(&begun)).await, "slow_down");
    app.passes_s(9).await;
    refused(&app.token(&question(&begun)).await, "slow_down");
    app.passes_s(15).await;
    refused(&app.token(&question(&begun)).await, "authorization_pending");
}

#[actix_web::test]
async fn a_code_is_good_for_ten_minutes_one_device_and_one_decision() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let (browser, other) = (Browser::of(&anna).await, Browser::of(&ben).await);
    let begun = begin(&app).await;
    refused(&app.token(&with(question(&begun), "client_id", Some("another"))).await, "invalid_grant");
    refused(&app.token(&with(question(&begun), "device_code", Some("bod_x"))).await, "invalid_grant");
    refused(&app.token(&with(question(&begun), "device_code", None)).await, "invalid_request");
    decides(&browser, &begun, "refuse").await;
    let code = begun["user_code"].as_str().unwrap();
    let late = other.open(&format!("/oauth/device?user_code={code}")).await.text();
    assert!(late.contains("No device waits for this code"), "{late}");
    let begun = begin(&app).await;
    app.passes_s(600).await;
    refused(&app.token(&question(&begun)).await, "expired_token");
    let page = browser.open(&format!("/oauth/device?user_code={}", begun["user_code"].as_str().unwrap())).await.text();
    assert!(page.contains("No device waits for this code"), "{page}");
}

#[actix_web::test]
async fn nobody_decides_for_somebody_else() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let browser = Browser::of(&anna).await;
    let begun = begin(&app).await;
    let code = begun["user_code"].as_str().unwrap();
    let address = format!("/oauth/device?user_code={code}");
    assert!(Browser::new(&app).open(&address).await.text().contains("type=\"password\""));
    let token = hidden(&browser.open(&address).await.text(), "form_token");
    let fields =
        |token: &'static str| [("user_code", code), ("form_token", token), ("decision", "allow"), ("compared", "yes")];
    assert_eq!(browser.submits("/oauth/device", &fields("")).await.status, 403);
    let foreign = [("user_code", code), ("form_token", token.as_str()), ("decision", "allow"), ("compared", "yes")];
    let request = form("/oauth/device", &foreign).insert_header(("sec-fetch-site", "cross-site"));
    assert_eq!(browser.sends(request).await.status, 403);
    assert_eq!(Browser::new(&app).submits("/oauth/device", &foreign).await.status, 403);
    refused(&app.token(&question(&begun)).await, "authorization_pending");
    for scope in [None, Some("openid")] {
        let asked = with(vec![("client_id", "a-board")], "scope", scope);
        refused(&app.send(form("/oauth/device_authorization", &asked)).await, "invalid_scope");
    }
}

/// On the page or by its form: tries are limited, and after them even the right code is refused.
#[actix_web::test]
async fn codes_are_not_guessed() {
    for by_form in [false, true] {
        let app = TestApp::with(Setup { rate_limits: true, ..Setup::default() }).await;
        let browser = Browser::of(&app.player("anna").await).await;
        let begun = begin(&app).await;
        let code = begun["user_code"].as_str().unwrap();
        let page = browser.open(&format!("/oauth/device?user_code={code}")).await.text();
        let token = hidden(&page, "form_token");
        let tries = async |code: &str| {
            let fields =
                [("user_code", code), ("form_token", token.as_str()), ("decision", "allow"), ("compared", "yes")];
            if by_form {
                browser.submits("/oauth/device", &fields).await
            } else {
                browser.open(&format!("/oauth/device?user_code={code}")).await
            }
        };
        let mut wrong = 0;
        while tries("BBBBBBBB").await.status == 200 {
            wrong += 1;
            assert!(wrong < 30, "by form: {by_form}");
        }
        assert_eq!(tries(code).await.status, 429);
        refused(&app.token(&question(&begun)).await, "authorization_pending");
    }
}
