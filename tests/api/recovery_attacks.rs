//! Attacks on password recovery: account enumeration; used, expired, foreign and stolen links; mail as a weapon.

use std::net::SocketAddr;

use serde_json::{Value, json};

use crate::mail::{confirms, with_mail};
use crate::recovery::{NEXT, asks, completes, gets_link, reachable, signs_in};
use crate::support::database::execute;
use crate::support::oauth::{Browser, form};
use crate::support::{Answer, Setup, TestApp, plain};

const PAGE: &str = "/oauth/reset-password/";

/// An answer without its random parts.
fn plain_answer(mut answer: Answer) -> Answer {
    answer.headers.retain(|(name, _)| name != "x-request-id");
    answer
}

#[actix_web::test]
async fn nobody_learns_who_is_here() {
    let (app, postbox) = with_mail().await;
    reachable(&app, &postbox, "anna").await;
    app.player("unconfirmed").await.changes_email("carl@example.org").await;
    app.player("addressless").await;
    app.post("/v1/guests", json!({ "username": "gus" })).await.expect(201);
    let gone = reachable(&app, &postbox, "dora").await;
    gone.request("DELETE", "/v1/account", Some(json!({ "password": gone.password }))).await.expect_status(204);
    let known = plain_answer(asks(&app, "anna").await);
    assert_eq!((known.status, known.body.len()), (202, 0));
    let strangers = ["nobody", "unconfirmed", "addressless", "gus", "dora", "carl@example.org", "dora@example.org"];
    for login in strangers {
        assert_eq!(plain_answer(asks(&app, login).await), known, "{login}");
    }
    let browser = Browser::new(&app);
    let page = plain_answer(browser.submits("/oauth/forgot-password", &[("login", "anna@example.org")]).await);
    for login in strangers {
        assert_eq!(plain_answer(browser.submits("/oauth/forgot-password", &[("login", login)]).await), page, "{login}");
    }
    // The database work is also the same: one row each, and no account lookup. A job does the rest.
    let rows = format!("password_reset_requests HAVING count(*) = {}", strangers.len() + 2);
    execute(&app.database, &format!("SELECT 1 / count(*) FROM {rows}")).await;
    execute(&app.database, "SELECT 1 / (count(*) = 0)::int FROM security_notices").await;
    assert_eq!(app.tells_owners().await, 1);
    assert_eq!(postbox.next().await.to, "anna@example.org");
    execute(&app.database, "SELECT 1 / (count(*) = 0)::int FROM password_reset_requests").await;
}

#[actix_web::test]
async fn asking_has_a_budget_by_address_whoever_is_meant() {
    let postbox = crate::support::smtp::Postbox::open().await;
    let setup = Setup { mail: Some(postbox.setup()), rate_limits: true, ..Setup::default() };
    let app = TestApp::with(setup).await;
    app.player("anna").await;
    for number in 0..20 {
        asks(&app, if number % 2 == 0 { "anna" } else { "nobody" }).await.expect_status(202);
    }
    asks(&app, "anna").await.problem(429, "too-many-requests");
    asks(&app, "nobody").await.problem(429, "too-many-requests");
    let elsewhere: SocketAddr = "192.0.2.7:40000".parse().unwrap();
    let asked = plain("POST", "/v1/password-resets", Some(json!({ "login": "anna" })));
    app.send_from(elsewhere, asked).await.expect_status(202);
    // Guessing secrets uses the sign-in budget.
    let guess = format!("{PAGE}bpr_{}", "A".repeat(43));
    let answers = async || completes(&app, &guess, NEXT).await.status;
    for _ in 0..30 {
        assert_eq!(answers().await, 401);
    }
    assert_eq!(answers().await, 429);
}

#[actix_web::test]
async fn nobody_fills_a_mailbox_and_nobody_is_kept_from_a_link() {
    let (app, postbox) = with_mail().await;
    reachable(&app, &postbox, "anna").await;
    let mails_within = async |minutes: i64| {
        let mut mails = 0;
        for _ in 0..minutes {
            asks(&app, "anna").await.expect_status(202);
            asks(&app, "anna@example.org").await.expect_status(202);
            mails += app.tells_owners().await;
            app.passes_unseen_s(60);
        }
        mails
    };
    assert_eq!(mails_within(9).await, 1);
    assert_eq!(mails_within(42).await, 4, "one in ten minutes");
    assert_eq!(mails_within(240).await, 2, "then one in two hours");
    app.passes_unseen_s(24 * 3600);
    assert_eq!(mails_within(11).await, 2, "another day");
    assert_eq!(postbox.empty().len(), 9);
}

#[actix_web::test]
async fn a_link_works_once_for_two_requests_at_the_same_moment() {
    let (app, postbox) = with_mail().await;
    reachable(&app, &postbox, "anna").await;
    let link = gets_link(&app, &postbox, "anna").await;
    let other = app.another_node().await;
    let passwords = [NEXT, "three masts and a storm"];
    let (one, two) = tokio::join!(completes(&app, &link, passwords[0]), completes(&other, &link, passwords[1]));
    let mut statuses = [one.status, two.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [204, 401]);
    let (good, bad) = if one.status == 204 { (passwords[0], passwords[1]) } else { (passwords[1], passwords[0]) };
    signs_in(&app, "anna", good).await.expect(201);
    signs_in(&app, "anna", bad).await.problem(401, "invalid-credentials");
}

#[actix_web::test]
async fn a_link_is_old_after_half_an_hour_and_when_there_is_a_newer_one() {
    let (app, postbox) = with_mail().await;
    reachable(&app, &postbox, "anna").await;
    let first = gets_link(&app, &postbox, "anna").await;
    app.passes_s(600).await;
    let second = gets_link(&app, &postbox, "anna").await;
    completes(&app, &first, NEXT).await.problem(401, "reset-link-invalid");
    app.passes_s(1800).await;
    completes(&app, &second, NEXT).await.problem(401, "reset-link-invalid");
    assert_eq!(app.get(&second).await.status, 404);
    let third = gets_link(&app, &postbox, "anna").await;
    app.passes_s(1799).await;
    completes(&app, &third, NEXT).await.expect_status(204);
}

#[actix_web::test]
async fn what_is_no_link_opens_nothing() {
    let (app, postbox) = with_mail().await;
    let anna = reachable(&app, &postbox, "anna").await;
    reachable(&app, &postbox, "ben").await;
    let link = gets_link(&app, &postbox, "ben").await;
    let secret = link.strip_prefix(PAGE).unwrap();
    // Other secrets of the service, with and without the prefix of links.
    let alike = anna.refresh_token.replace("brt_", "bpr_");
    let mut bent = secret.to_owned();
    bent.replace_range(10..11, if &bent[10..11] == "A" { "B" } else { "A" });
    for token in [alike.as_str(), &bent, &format!("bpr_{}", "A".repeat(43))] {
        completes(&app, &format!("{PAGE}{token}"), NEXT).await.problem(401, "reset-link-invalid");
        assert_eq!(app.get(&format!("{PAGE}{token}")).await.status, 404);
        assert_eq!(app.send(form(&format!("{PAGE}{token}"), &[("new_password", NEXT)])).await.status, 404);
    }
    for token in [&anna.refresh_token, &secret[..46], "x", ""] {
        let body = json!({ "token": token, "new_password": NEXT });
        app.post("/v1/password-resets/complete", body).await.problem(422, "validation-failed");
    }
    // An additional name makes no difference: the link determines the account.
    let fields = [("username", "anna"), ("new_password", NEXT)];
    assert_eq!(app.send(form(&link, &fields)).await.status, 200);
    signs_in(&app, "anna", &anna.password).await.expect(201);
    signs_in(&app, "ben", NEXT).await.expect(201);
    // Links are never stored in usable form.
    let known = "password_reset_links WHERE encode(hash, 'escape') LIKE '%bpr_%'";
    execute(&app.database, &format!("SELECT 1 / (count(*) = 0)::int FROM {known}")).await;
}

#[actix_web::test]
async fn a_link_leads_to_this_server_whatever_a_request_says() {
    let (app, postbox) = with_mail().await;
    reachable(&app, &postbox, "anna").await;
    let asked = plain("POST", "/v1/password-resets", Some(json!({ "login": "anna" })))
        .insert_header(("host", "evil.example"))
        .insert_header(("x-forwarded-host", "evil.example"))
        .insert_header(("forwarded", "host=evil.example;proto=http"))
        .insert_header(("origin", "https://evil.example"));
    app.send(asked).await.expect_status(202);
    assert_eq!(app.tells_owners().await, 1);
    let mail = postbox.next().await;
    assert!(mail.text.contains("\nhttps://broadside.test/oauth/reset-password/bpr_"), "{}", mail.text);
    assert!(!mail.raw.contains("evil"), "{}", mail.raw);
    // Another site's page can't send the form, nor needs to: it has no use.
    let foreign = form("/oauth/forgot-password", &[("login", "anna")]).insert_header(("sec-fetch-site", "cross-site"));
    assert_eq!(app.send(foreign).await.status, 403);
}

#[actix_web::test]
async fn a_link_to_an_address_of_before_opens_nothing() {
    let (app, postbox) = with_mail().await;
    let anna = reachable(&app, &postbox, "anna").await;
    let link = gets_link(&app, &postbox, "anna").await;
    anna.changes_email("anna@navy.example").await;
    completes(&app, &link, NEXT).await.problem(401, "reset-link-invalid");
    assert_eq!(app.tells_owners().await, 1, "the address before is told");
    postbox.next().await;
    // A link requested under an old address is not sent to the new one.
    app.passes_s(600).await;
    let anna = anna.signed_in().await;
    confirms(&anna, &postbox, "anna@navy.example").await;
    asks(&app, "anna").await.expect_status(202);
    broadside::accounts::recovery::answer(&app.app).await.unwrap();
    anna.changes_email("").await;
    assert_eq!(app.tells_owners().await, 1);
    assert_eq!(postbox.next().await.header("subject"), "Your address was changed");
}

#[actix_web::test]
async fn a_new_password_makes_links_useless() {
    let (app, postbox) = with_mail().await;
    let anna = reachable(&app, &postbox, "anna").await;
    let link = gets_link(&app, &postbox, "anna").await;
    let body = json!({ "current_password": anna.password, "new_password": NEXT });
    anna.request("PUT", "/v1/account/password", Some(body)).await.expect_status(204);
    completes(&app, &link, "three masts and a storm").await.problem(401, "reset-link-invalid");
    signs_in(&app, "anna", NEXT).await.expect(201);
}

#[actix_web::test]
async fn a_suspension_stays_and_a_deletion_ends_links() {
    let (app, postbox) = with_mail().await;
    let mia = app.moderator("mia").await;
    let anna = reachable(&app, &postbox, "anna").await;
    let suspension = json!({ "reason": "insults after a warning", "expires_in_s": 604_800 });
    mia.post("/v1/moderation/players/anna/suspend", suspension).await.expect_status(204);
    let link = gets_link(&app, &postbox, "anna").await;
    completes(&app, &link, NEXT).await.expect_status(204);
    let session = signs_in(&app, "anna", NEXT).await.expect(201);
    assert_ne!(session["account"]["suspension"], Value::Null);
    let anna = anna.with_token(session["access_token"].as_str().unwrap());
    let terms = json!({ "variant": "classic", "clock": { "kind": "none" } });
    anna.post("/v1/challenges", terms).await.problem(403, "account-suspended");
    app.tells_owners().await;
    postbox.empty();
    app.passes_s(600).await;
    let link = gets_link(&app, &postbox, "anna").await;
    let session = signs_in(&app, "anna", NEXT).await.expect(201);
    let anna = anna.with_token(session["access_token"].as_str().unwrap());
    anna.request("DELETE", "/v1/account", Some(json!({ "password": NEXT }))).await.expect_status(204);
    completes(&app, &link, "three masts and a storm").await.problem(401, "reset-link-invalid");
    for table in ["password_reset_links", "security_notices"] {
        execute(&app.database, &format!("SELECT 1 / (count(*) = 0)::int FROM {table}")).await;
    }
}
