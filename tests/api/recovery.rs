//! Lost passwords and address changes: mailed links, and their effects on sessions.

use std::process::Command;

use actix_web::test::TestRequest;
use serde_json::{Value, json};

use crate::mail::{confirms, with_mail};
use crate::support::oauth::{Browser, form, let_in, refresh, refused};
use crate::support::smtp::{Postbox, Trouble};
use crate::support::{Answer, Player, TestApp, plain};

pub const NEXT: &str = "two anchors and a calm";
const PAGE: &str = "/oauth/reset-password/";

/// A player with a confirmed address.
pub async fn reachable(app: &TestApp, postbox: &Postbox, name: &str) -> Player {
    let player = app.player(name).await;
    confirms(&player, postbox, &format!("{name}@example.org")).await;
    player
}

/// Requests a link.
pub async fn asks(app: &TestApp, login: &str) -> Answer {
    app.post("/v1/password-resets", json!({ "login": login })).await
}

/// Requests a link; returns its page's path.
pub async fn gets_link(app: &TestApp, postbox: &Postbox, login: &str) -> String {
    asks(app, login).await.expect_status(202);
    assert_eq!(app.tells_owners().await, 1);
    postbox.next().await.path_to(PAGE)
}

/// A client's request with a link's secret.
pub async fn completes(app: &TestApp, link: &str, password: &str) -> Answer {
    let token = link.strip_prefix(PAGE).unwrap();
    app.post("/v1/password-resets/complete", json!({ "token": token, "new_password": password })).await
}

pub async fn signs_in(app: &TestApp, name: &str, password: &str) -> Answer {
    app.post("/v1/sessions", json!({ "username": name, "password": password })).await
}

#[track_caller]
fn is_private_page(answer: &Answer, status: u16) {
    assert_eq!(answer.status, status, "{}", answer.text());
    let policy = answer.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{policy}");
    assert_eq!(answer.header("x-frame-options"), Some("DENY"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert!(answer.header("set-cookie").is_none());
    assert!(!answer.text().contains("<script") && !answer.text().contains("src="), "{}", answer.text());
}

#[actix_web::test]
async fn a_lost_password_is_replaced_on_a_page() {
    let (app, postbox) = with_mail().await;
    let anna = reachable(&app, &postbox, "anna").await;
    let browser = Browser::new(&app);
    assert!(browser.open("/oauth/sign-in").await.text().contains("href=\"/oauth/forgot-password\""));
    let door = browser.open("/oauth/forgot-password").await;
    is_private_page(&door, 200);
    let wrong = browser.submits("/oauth/forgot-password", &[("login", "an na")]).await;
    is_private_page(&wrong, 422);
    is_private_page(&browser.submits("/oauth/forgot-password", &[("login", " ANNA ")]).await, 200);
    assert_eq!(app.tells_owners().await, 1);
    let mail = postbox.next().await;
    assert_eq!((mail.to.as_str(), mail.header("subject")), ("anna@example.org", "A new password"));
    assert!(mail.headers.iter().all(|(name, _)| name != "List-Unsubscribe"));
    let link = mail.path_to(PAGE);
    // Automatic link scanners use nothing up.
    for _ in 0..2 {
        let page = browser.open(&link).await;
        is_private_page(&page, 200);
        assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
        assert!(page.text().contains("<b>anna</b>") && page.text().contains("new-password"), "{}", page.text());
    }
    let french = TestRequest::get().uri(&link).insert_header(("accept-language", "fr"));
    assert!(app.send(french).await.text().contains("Nouveau mot de passe"));
    // A weak password uses nothing up, either. In older browsers a page without a referrer has no origin.
    for weak in ["short", "password", "anna@example.org"] {
        let page = app.send(form(&link, &[("new_password", weak)]).insert_header(("origin", "null"))).await;
        is_private_page(&page, 422);
        assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
    }
    let done = app.send(form(&link, &[("new_password", NEXT)]).insert_header(("origin", "null"))).await;
    is_private_page(&done, 200);
    assert!(done.text().contains("The password is changed"), "{}", done.text());
    signs_in(&app, "anna", &anna.password).await.problem(401, "invalid-credentials");
    signs_in(&app, "anna", NEXT).await.expect(201);
    // The owner is notified, and the link is void.
    assert_eq!(app.tells_owners().await, 1);
    let told = postbox.next().await;
    assert_eq!(told.header("subject"), "Your password was changed");
    assert_eq!(told.path_to("/oauth/forgot"), "/oauth/forgot-password");
    is_private_page(&browser.open(&link).await, 404);
    is_private_page(&app.send(form(&link, &[("new_password", "three masts and a storm")])).await, 404);
    signs_in(&app, "anna", NEXT).await.expect(201);
}

#[actix_web::test]
async fn whatever_the_old_password_has_opened_ends() {
    let (app, postbox) = with_mail().await;
    let anna = reachable(&app, &postbox, "anna").await;
    let token = json!({ "name": "mine", "scopes": ["matches:read"] });
    let token = anna.post("/v1/account/tokens", token).await.expect(201)["token"].as_str().unwrap().to_owned();
    let (acting, browser) = (let_in(&anna).await, Browser::of(&anna).await);
    let ticket = anna.post("/v1/stream-tickets", json!({})).await.expect(201)["ticket"].as_str().unwrap().to_owned();
    anna.with_token(&token).get("/v1/turns").await.expect(200);
    let link = gets_link(&app, &postbox, "Anna@Example.org").await;
    completes(&app, &link, "password").await.problem(422, "validation-failed");
    completes(&app, &link, NEXT).await.expect_status(204);
    anna.get("/v1/account").await.problem(401, "token-unknown");
    anna.with_token(&token).get("/v1/turns").await.problem(401, "token-unknown");
    let app_token = acting["access_token"].as_str().unwrap();
    anna.with_token(app_token).get("/v1/turns").await.problem(401, "token-unknown");
    refused(&app.token(&refresh(acting["refresh_token"].as_str().unwrap())).await, "invalid_grant");
    let renewed = json!({ "refresh_token": anna.refresh_token });
    app.post("/v1/sessions/refresh", renewed).await.problem(401, "token-unknown");
    assert!(browser.open("/oauth/apps").await.text().contains("type=\"password\""), "signed out of the pages");
    let stream = plain("GET", &format!("/v1/events?ticket={ticket}"), None);
    app.send(stream.insert_header(("accept", "text/event-stream"))).await.problem(401, "token-unknown");
    completes(&app, &link, "three masts and a storm").await.problem(401, "reset-link-invalid");
    signs_in(&app, "anna", NEXT).await.expect(201);
}

#[actix_web::test]
async fn a_mail_that_can_not_be_sent_comes_later_with_another_link() {
    let (app, postbox) = with_mail().await;
    reachable(&app, &postbox, "anna").await;
    postbox.expects(&[Trouble::Says("MAIL", 451), Trouble::Says("MAIL", 451)]);
    asks(&app, "anna").await.expect_status(202);
    assert_eq!(app.tells_owners().await, 0);
    app.passes_s(59).await;
    assert_eq!(app.tells_owners().await, 0);
    app.passes_s(1).await;
    assert_eq!(app.tells_owners().await, 0, "the second trouble");
    app.passes_s(120).await;
    assert_eq!(app.tells_owners().await, 1);
    let link = postbox.next().await.path_to(PAGE);
    completes(&app, &link, NEXT).await.expect_status(204);
    // A mail that couldn't be sent within half an hour is dropped: the request is too old for a fresh link.
    app.passes_s(3 * 3600).await;
    app.tells_owners().await;
    postbox.empty();
    postbox.expects(&[Trouble::Says("MAIL", 451)]);
    asks(&app, "anna").await.expect_status(202);
    assert_eq!(app.tells_owners().await, 0);
    app.passes_s(1801).await;
    assert_eq!(app.tells_owners().await, 0);
    assert!(postbox.empty().is_empty());
}

#[actix_web::test]
async fn what_no_mail_could_tell_is_in_the_account() {
    for (trouble, days, reason) in
        [(Trouble::Says("MAIL", 451), 1, "given-up"), (Trouble::Says("RCPT", 550), 0, "refused")]
    {
        let (app, postbox) = with_mail().await;
        let anna = reachable(&app, &postbox, "anna").await.signed_in().await;
        app.tells_owners().await;
        postbox.empty();
        postbox.expects(&[trouble; 20]);
        let change = json!({ "current_password": anna.password, "new_password": NEXT });
        anna.request("PUT", "/v1/account/password", Some(change)).await.expect(204);
        assert_eq!(app.tells_owners().await, 0);
        app.passes_unseen_s(days * 24 * 3600 + 1);
        // A token lives for less than a day.
        let anna = match days {
            0 => anna,
            _ => anna.with_token(signs_in(&app, "anna", NEXT).await.expect(201)["access_token"].as_str().unwrap()),
        };
        app.passes_unseen_s(1);
        assert_eq!(app.tells_owners().await, 0);
        app.passes_unseen_s(1);

        let failed = anna.get("/v1/account/mail").await.expect(200)["last_failure"].clone();
        assert_eq!(failed["reason"], reason);
        let log = anna.get("/v1/account/security-events?limit=100").await.expect(200);
        let entries = log["items"].as_array().unwrap().iter();
        let told: Vec<&Value> = entries.filter(|entry| entry["kind"] == "security-mail-failed").collect();
        assert!(told.iter().any(|entry| entry["subject"] == "password-changed"), "{log}");
        assert!(anna.news_of("mail-failed").await.iter().all(|event| event["reason"] == reason));
    }
}

/// Runs the operator's command; returns its success and output.
fn admin(app: &TestApp, arguments: &[&str]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_broadside"));
    command.arg("admin").args(arguments).args(["--database-url", &app.database]);
    let output = command.output().unwrap();
    let said = if output.status.success() { output.stdout } else { output.stderr };
    (output.status.success(), String::from_utf8(said).unwrap().trim().to_owned())
}

#[actix_web::test]
async fn the_operator_makes_a_link_where_there_is_no_mail() {
    let app = TestApp::start().await;
    // The command uses the machine's clock.
    let now_ms = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
    app.clock.store(i64::try_from(now_ms).unwrap(), std::sync::atomic::Ordering::SeqCst);
    let anna = app.player("anna").await;
    asks(&app, "anna").await.problem(409, "mail-unavailable");
    asks(&app, "nobody").await.problem(409, "mail-unavailable");
    assert!(app.get("/oauth/forgot-password").await.text().contains("sends no mail"));
    let (good, first) = admin(&app, &["password-reset", "Anna", "--public-url", "https://club.example/"]);
    assert!(good, "{first}");
    let (_, second) = admin(&app, &["password-reset", "anna", "--public-url", "https://club.example"]);
    let path = |link: &str| link.strip_prefix("https://club.example").unwrap().to_owned();
    completes(&app, &path(&first), NEXT).await.problem(401, "reset-link-invalid");
    app.passes_unseen_s(23 * 3600);
    completes(&app, &path(&second), NEXT).await.expect_status(204);
    signs_in(&app, "anna", &anna.password).await.problem(401, "invalid-credentials");
    let (_, log) = admin(&app, &["log", "--player", "anna"]);
    assert_eq!(log.matches("password-reset-link-made").count(), 2, "{log}");
    assert!(!log.contains("bpr_"), "{log}");
    app.post("/v1/guests", json!({ "username": "gus" })).await.expect(201);
    let (good, said) = admin(&app, &["password-reset", "gus"]);
    assert!(!good && said.contains("gus is a guest"), "{said}");
    let (good, said) = admin(&app, &["password-reset", "nobody"]);
    assert!(!good && said.contains("no player named nobody"), "{said}");
}

#[actix_web::test]
async fn the_address_before_is_told_and_can_stop_it() {
    let (app, postbox) = with_mail().await;
    let anna = reachable(&app, &postbox, "anna").await;
    // A thief who knows the password.
    let thief = anna.signed_in().await;
    thief.changes_email("eve@evil.example").await;
    assert_eq!(app.tells_owners().await, 1);
    let told = postbox.next().await;
    assert_eq!((told.to.as_str(), told.header("subject")), ("anna@example.org", "Your address was changed"));
    app.passes_s(600).await;
    let thief = anna.signed_in().await;
    confirms(&thief, &postbox, "eve@evil.example").await;
    let theirs = gets_link(&app, &postbox, "anna").await;
    completes(&app, &theirs, "the thief was here").await.expect_status(204);
    assert_eq!(app.tells_owners().await, 1);
    assert_eq!(postbox.next().await.to, "eve@evil.example");
    // The owner has three days.
    app.passes_s(2 * 24 * 3600).await;
    let link = told.path_to(PAGE);
    let again = signs_in(&app, "anna", "the thief was here").await.expect(201);
    let theirs = anna.with_token(again["access_token"].as_str().unwrap());
    let asked = asks(&app, "eve@evil.example").await;
    asked.expect_status(202);
    assert_eq!(app.tells_owners().await, 1);
    let in_flight = postbox.next().await.path_to(PAGE);
    completes(&app, &link, NEXT).await.expect_status(204);
    theirs.get("/v1/account").await.problem(401, "token-unknown");
    completes(&app, &in_flight, "the thief was here").await.problem(401, "reset-link-invalid");
    completes(&app, &link, NEXT).await.problem(401, "reset-link-invalid");
    let anna = Player { password: NEXT.to_owned(), ..anna };
    let mail = anna.signed_in().await.get("/v1/account/mail").await.expect(200);
    assert_eq!((&mail["email"], &mail["confirmed"]), (&json!("anna@example.org"), &json!(true)));
    assert_eq!(app.tells_owners().await, 1);
    assert_eq!(postbox.next().await.to, "anna@example.org");
}

#[actix_web::test]
async fn an_address_that_was_never_confirmed_is_told_nothing() {
    let (app, postbox) = with_mail().await;
    let anna = app.player("anna").await;
    anna.changes_email("somebody@example.org").await;
    anna.changes_email("other@example.org").await;
    let body = json!({ "current_password": anna.password, "new_password": NEXT });
    anna.request("PUT", "/v1/account/password", Some(body)).await.expect_status(204);
    assert_eq!(app.tells_owners().await, 0);
    assert!(postbox.empty().is_empty());
    // No mail about an unchanged, confirmed address either.
    app.passes_s(600).await;
    let anna = Player { password: NEXT.to_owned(), ..anna.clone() };
    confirms(&anna, &postbox, "anna@example.org").await;
    anna.changes_email("anna@example.org").await;
    assert_eq!(app.tells_owners().await, 0);
    assert_eq!(anna.get("/v1/account/mail").await.expect(200)["confirmed"], true);
}

#[actix_web::test]
async fn only_a_person_with_the_password_changes_the_address() {
    let app = TestApp::start().await;
    let anna = app.lasting_player("anna").await;
    let change = async |who: &Player, password: &str| {
        let body = json!({ "email": "eve@evil.example", "current_password": password });
        who.request("PUT", "/v1/account/email", Some(body)).await
    };
    change(&anna, &anna.password).await.problem(403, "session-required");
    let session = anna.signed_in().await;
    let refused = change(&session, "a wrong one").await;
    refused.problem(422, "validation-failed");
    assert_eq!(refused.pointers(), ["/current_password"]);
    assert_eq!(session.get("/v1/account").await.expect(200)["email"], Value::Null);
    let acting = let_in(&anna).await;
    let acting = anna.with_token(acting["access_token"].as_str().unwrap());
    change(&acting, &anna.password).await.problem(403, "session-required");
}
