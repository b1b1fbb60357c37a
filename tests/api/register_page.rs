//! Registration on the service's own pages: on the way to the own page, to an app, or on its own.

use serde_json::json;

use crate::support::oauth::{
    Browser, VERIFIER, asked, asked_by_own_page, challenge, encoded, exchange_of_own_page, form, hidden, parameter,
    with,
};
use crate::support::{Setup, TestApp};

const PASSWORD: &str = "three masts and a storm";

#[actix_web::test]
async fn a_newcomer_makes_an_account_and_is_on_the_own_page() {
    let app = TestApp::start().await;
    let good = challenge(VERIFIER);
    let plain = format!("/oauth/authorize?{}", encoded(&asked_by_own_page(&good)));
    let mut browser = Browser::new(&app);
    // The sign-in page has a link, and a request for registration shows its form at once.
    let door = browser.open(&plain).await.text();
    let link = door.split("href=\"").find(|part| part.starts_with("/oauth/register?")).unwrap();
    let page = browser.open(link.split('"').next().unwrap()).await.text();
    let at_once = browser.open(&format!("{plain}&prompt=create")).await.text();
    for page in [&page, &at_once] {
        assert!(page.contains("autocomplete=\"new-password\"") && !page.contains("<code>"), "{page}");
        assert_eq!(hidden(page, "then").replace("&amp;", "&"), plain);
    }
    let fields = [("username", "nina"), ("password", PASSWORD), ("email", "nina@example.org")];
    let answer = browser.comes_in("/oauth/register", &plain, &fields).await;
    let to = answer.header("location").unwrap().to_owned();
    assert!(to.starts_with("https://broadside.test/sign-in/back?code="), "{to}");
    let tokens = app.token(&exchange_of_own_page(&parameter(&to, "code").unwrap())).await.expect(200);
    let nina = app.player("other").await.with_token(tokens["access_token"].as_str().unwrap());
    let account = nina.get("/v1/account").await.expect(200);
    assert_eq!((&account["username"], &account["email"]), (&json!("nina"), &json!("nina@example.org")));
    assert_eq!((&account["bot"], &account["guest"]), (&json!(false), &json!(false)));
    assert_eq!(nina.get("/v1/sessions").await.expect(200)["items"].as_array().unwrap().len(), 1);
    app.post("/v1/sessions", json!({ "username": "nina", "password": PASSWORD })).await.expect(201);
}

#[actix_web::test]
async fn a_newcomer_is_asked_about_the_app_that_has_sent_them() {
    let app = TestApp::start().await;
    let good = challenge(VERIFIER);
    let mut browser = Browser::new(&app);
    let plain = format!("/oauth/authorize?{}", encoded(&asked(&good)));
    let page = browser.open(&format!("{plain}&prompt=create")).await.text();
    assert!(page.contains("<code>app.example</code>"), "{page}");
    let then = hidden(&page, "then").replace("&amp;", "&");
    let answer = browser.comes_in("/oauth/register", &then, &[("username", "nina"), ("password", PASSWORD)]).await;
    assert_eq!((answer.status, answer.header("location")), (303, Some(plain.as_str())));
    assert!(browser.open(&plain).await.text().contains("value=\"allow\""), "consent is asked as ever");
}

#[actix_web::test]
async fn every_fault_stands_beside_its_field() {
    let app = TestApp::start().await;
    app.player("anna").await;
    app.post("/v1/guests", json!({ "username": "gus" })).await.expect(201);
    let browser = Browser::new(&app);
    let fault = |page: &str, id: &str| {
        let start = format!("id=\"{id}-fault\" role=\"alert\">");
        page.split_once(&start).map(|(_, rest)| rest.split('<').next().unwrap().to_owned())
    };
    for (username, password, email, at) in [
        ("x", PASSWORD, "", &[("username", "3 to 24")][..]),
        ("moderator", PASSWORD, "", &[("username", "reserved")]),
        ("ANNA", PASSWORD, "", &[("username", "somebody else")]),
        ("4nna", "short", "no address", &[("username", "3 to 24"), ("password", "8 to 128"), ("email", "no e-mail")]),
        ("ännä", PASSWORD, "", &[("username", "3 to 24")]),
        ("Gus", PASSWORD, "", &[("username", "somebody else")]),
        ("nina", "12345678", "", &[("password", "easy to guess")]),
        ("nina", "nina@example.org", "nina@example.org", &[("password", "easy to guess")]),
        ("nina", "", "", &[("password", "8 to 128")]),
    ] {
        let fields = [("username", username), ("password", password), ("email", email)];
        let answer = browser.submits("/oauth/register", &fields).await;
        let page = answer.text();
        assert_eq!((answer.status, answer.header("set-cookie")), (422, None), "{username}: {page}");
        for id in ["username", "password", "email"] {
            let expected = at.iter().find(|(field, _)| *field == id);
            let found = fault(&page, id);
            assert_eq!(found.is_some(), expected.is_some(), "{username} {id}: {page}");
            assert!(expected.is_none_or(|(_, words)| found.unwrap().contains(words)), "{username} {id}: {page}");
        }
        // The form keeps its input, except for the password.
        assert!(page.contains(&format!("value=\"{username}\"")), "{page}");
        assert!(password.is_empty() || email == password || !page.contains(password), "{page}");
    }
    let nasty = "\"><script>alert(1)</script>";
    let page = browser.submits("/oauth/register", &[("username", nasty), ("password", PASSWORD)]).await.text();
    assert!(!page.contains("<script"), "{page}");
    let french = form("/oauth/register", &[("username", "x"), ("password", PASSWORD)])
        .insert_header(("sec-fetch-site", "same-origin"))
        .insert_header(("accept-language", "fr"));
    let page = browser.sends(french).await.text();
    assert!(page.contains("lang=\"fr\"") && page.contains("Un nom a 3"), "{page}");
}

#[actix_web::test]
async fn another_site_makes_nobody_an_account() {
    let app = TestApp::start().await;
    let browser = Browser::new(&app);
    let fields = [("username", "nina"), ("password", PASSWORD)];
    for from in [
        &[("sec-fetch-site", "cross-site")][..],
        &[("sec-fetch-site", "same-site")],
        &[("host", "broadside.test"), ("origin", "https://evil.example")],
        &[],
    ] {
        let sent = from.iter().fold(form("/oauth/register", &fields), |sent, header| sent.insert_header(*header));
        let answer = browser.sends(sent).await;
        assert_eq!((answer.status, answer.header("set-cookie")), (403, None), "{from:?}");
    }
    app.post("/v1/sessions", json!({ "username": "nina", "password": PASSWORD }))
        .await
        .problem(401, "invalid-credentials");
    // It can't inject text into the page or redirect elsewhere.
    let lure = encoded(&[("then", "https://evil.example/"), ("client", "Your account is locked: call 555-0100")]);
    for path in ["/oauth/register", "/oauth/sign-in"] {
        let page = browser.open(&format!("{path}?{lure}")).await.text();
        assert!(!page.contains("locked") && !page.contains("evil"), "{page}");
    }
    let sent = with(vec![("username", "nina"), ("password", PASSWORD)], "then", Some("//evil.example"));
    assert_eq!(browser.submits("/oauth/register", &sent).await.header("location"), Some("/oauth/apps"));
}

#[actix_web::test]
async fn registrations_on_the_page_have_the_budget_of_the_api() {
    let app = TestApp::with(Setup { rate_limits: true, ..Setup::default() }).await;
    let browser = Browser::new(&app);
    let mut made = 0;
    for number in 0..40 {
        let name = format!("nina-{number}");
        let answer = browser.submits("/oauth/register", &[("username", &name), ("password", PASSWORD)]).await;
        match answer.status {
            303 => made += 1,
            status => {
                assert_eq!(status, 429, "{}", answer.text());
                assert!(answer.text().contains("Too many"), "{}", answer.text());
                break;
            }
        }
    }
    assert!((1..40).contains(&made), "{made}");
    let fields = json!({ "username": "nina-api", "password": PASSWORD });
    app.post("/v1/accounts", fields).await.problem(429, "too-many-requests");
    // Typing errors don't count against the limit.
    let app = TestApp::with(Setup { rate_limits: true, ..Setup::default() }).await;
    let browser = Browser::new(&app);
    for _ in 0..made + 1 {
        assert_eq!(browser.submits("/oauth/register", &[("username", "x"), ("password", "y")]).await.status, 422);
    }
    assert_eq!(browser.submits("/oauth/register", &[("username", "nina"), ("password", PASSWORD)]).await.status, 303);
}
