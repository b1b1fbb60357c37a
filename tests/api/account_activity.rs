//! The security log, names of sessions, mail about new devices, and the operator's sign-out command.

use std::net::SocketAddr;
use std::process::Command;

use serde_json::{Value, json};

use crate::mail::{wants, with_mail};
use crate::recovery::{NEXT, completes, gets_link, reachable, signs_in};
use crate::registered_apps::{BACK, registers};
use crate::second_factor::{answers, guards};
use crate::support::database::execute;
use crate::support::oauth::{Browser, let_in, refresh, refused};
use crate::support::{Answer, Player, TestApp, plain};

const LOG: &str = "/v1/account/security-events";
const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0";
const DAY_S: i64 = 86_400;

/// Sends a request as a browser with this address.
async fn from(who: &TestApp, address: [u8; 4], agent: &str, (method, path): (&str, &str), body: Value) -> Answer {
    let request = plain(method, path, Some(body)).insert_header(("user-agent", agent.to_owned()));
    who.send_from(SocketAddr::from((address, 4711)), request).await
}

async fn signs_in_from(player: &Player, address: [u8; 4], agent: &str) -> Value {
    let credentials = json!({ "username": player.name, "password": player.password });
    from(&player.app, address, agent, ("POST", "/v1/sessions"), credentials).await.expect(201)
}

async fn log(player: &Player) -> Vec<Value> {
    player.get(&format!("{LOG}?limit=100")).await.expect(200)["items"].as_array().unwrap().clone()
}

/// The kinds of the account's activities, oldest first. The clock moves between any two.
async fn kinds(player: &Player) -> Vec<String> {
    log(player).await.iter().rev().map(|event| event["kind"].as_str().unwrap().to_owned()).collect()
}

/// Runs the operator's command; returns its output.
pub fn admin(app: &TestApp, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_broadside"));
    let output = command.arg("admin").args(arguments).args(["--database-url", &app.database]).output().unwrap();
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}

#[actix_web::test]
async fn the_log_says_who_has_signed_in_and_what_was_changed() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let tick = || app.passes_unseen_s(1);
    tick();
    let session = signs_in_from(&anna, [203, 0, 113, 77], FIREFOX).await;
    tick();
    let token = anna.post("/v1/account/tokens", json!({ "name": "mine", "scopes": ["matches:read"] })).await;
    tick();
    let token = format!("/v1/account/tokens/{}", token.expect(201)["id"].as_str().unwrap());
    anna.request("DELETE", &token, None).await.expect_status(204);
    tick();
    let ended = format!("/v1/sessions/{}", session["session_id"].as_str().unwrap());
    anna.request("DELETE", &ended, None).await.expect_status(204);
    anna.request("DELETE", &ended, None).await.problem(404, "not-found");
    tick();
    let other = json!({ "email": "anna@navy.example", "current_password": anna.password });
    anna.request("PUT", "/v1/account/email", Some(other.clone())).await.expect(200);
    tick();
    anna.request("PUT", "/v1/account/email", Some(other)).await.expect(200);
    let next = json!({ "current_password": anna.password, "new_password": NEXT });
    anna.request("PUT", "/v1/account/password", Some(next)).await.expect_status(204);
    assert_eq!(
        kinds(&anna).await,
        [
            "registered",
            "signed-in",
            "token-made",
            "token-revoked",
            "session-ended",
            "email-changed",
            "password-changed"
        ]
    );
    let events = log(&anna).await;
    let signed_in = json!({
        "id": events[5]["id"], "kind": "signed-in", "at": events[5]["at"], "program": "Firefox", "system": "Linux",
        "network": "203.0.113.0/24", "session_id": session["session_id"], "subject": null,
    });
    assert_eq!(events[5], signed_in);
    assert_eq!((&events[4]["subject"], &events[3]["subject"]), (&json!("mine"), &json!("mine")));
    assert_eq!(events[2]["session_id"], session["session_id"]);
    // Pagination gives the same entries.
    let first = anna.get(&format!("{LOG}?limit=4")).await.expect(200);
    let rest = anna.get(&format!("{LOG}?limit=4&cursor={}", first["next_cursor"].as_str().unwrap())).await.expect(200);
    assert_eq!((&first["items"][3], &rest["items"][0]), (&events[3], &events[4]));
    assert_eq!(anna.get("/v1/account/export").await.expect(200)["security_events"], json!(events));
    assert_eq!(kinds(&app.player("ben").await).await, ["registered"]);
}

#[actix_web::test]
async fn the_log_tells_of_second_factors_and_lost_passwords() {
    let (app, postbox) = with_mail().await;
    let anna = reachable(&app, &postbox, "anna").await;
    app.passes_unseen_s(1);
    let guarded = guards(&anna).await;
    let challenge = guarded.challenge().await;
    answers(&app, &challenge, "000000").await.problem(401, "invalid-code");
    app.passes_unseen_s(30);
    let signed_in = guarded.signs_in().await;
    let code = json!({ "current_password": anna.password, "code": guarded.recovery_codes[0] });
    signed_in.post("/v1/account/second-factor/recovery-codes", code).await.expect(200);
    assert_eq!(kinds(&signed_in).await[2..5], ["second-factor-enabled", "second-factor-failed", "signed-in-with-code"]);
    let mut last = kinds(&signed_in).await.split_off(5);
    last.sort_unstable();
    assert_eq!(last, ["recovery-code-used", "recovery-codes-replaced"]);
    app.passes_unseen_s(30);
    let body = json!({ "current_password": anna.password, "code": guarded.digits() });
    signed_in.request("DELETE", "/v1/account/second-factor", Some(body)).await.expect_status(204);
    assert!(app.tells_owners().await > 0);
    postbox.empty();
    app.passes_unseen_s(1);
    let link = gets_link(&app, &postbox, "anna").await;
    completes(&app, &link, NEXT).await.expect_status(204);
    app.passes_unseen_s(1);
    let anna = anna.with_token(signs_in(&app, "anna", NEXT).await.expect(201)["access_token"].as_str().unwrap());
    assert_eq!(kinds(&anna).await[7..], ["second-factor-disabled", "password-reset", "signed-in"]);
}

#[actix_web::test]
async fn the_log_tells_of_apps_pages_and_thieves() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    app.passes_unseen_s(1);
    let acting = let_in(&anna).await;
    let events = log(&anna).await;
    let granted = events.iter().find(|event| event["kind"] == "app-granted").unwrap();
    let apps = anna.get("/v1/account/apps").await.expect(200);
    assert_eq!(
        (&granted["session_id"], &granted["subject"]),
        (&apps["items"][0]["id"], &apps["items"][0]["client_id"])
    );
    assert!(events.iter().any(|event| event["kind"] == "signed-in"), "on the pages");
    app.passes_unseen_s(1);
    let path = format!("/v1/account/apps/{}", apps["items"][0]["id"].as_str().unwrap());
    anna.request("DELETE", &path, None).await.expect_status(204);
    refused(&app.token(&refresh(acting["refresh_token"].as_str().unwrap())).await, "invalid_grant");
    app.passes_unseen_s(1);
    // A refresh token is used twice.
    let session = signs_in_from(&anna, [198, 51, 100, 1], FIREFOX).await;
    let renewed = json!({ "refresh_token": session["refresh_token"] });
    app.post("/v1/sessions/refresh", renewed.clone()).await.expect(200);
    app.passes_unseen_s(30);
    app.post("/v1/sessions/refresh", renewed).await.problem(401, "refresh-token-reused");
    let kinds = kinds(&anna).await;
    assert_eq!(kinds[kinds.len() - 3..], ["app-revoked", "signed-in", "session-stolen"]);
}

#[actix_web::test]
async fn the_log_tells_of_ones_own_apps_and_mail_of_their_addresses() {
    let (app, postbox) = with_mail().await;
    let anna = reachable(&app, &postbox, "anna").await;
    let before = kinds(&anna).await.len();
    app.passes_unseen_s(1);
    let own = registers(&anna, "Harbour Chart").await;
    for change in [
        json!({ "name": "Sea Chart" }),
        json!({ "redirect_uris": [BACK] }),
        // A change without effect is not logged; nor is a repeated address.
        json!({ "redirect_uris": [BACK] }),
        json!({}),
    ] {
        app.passes_unseen_s(1);
        anna.request("PATCH", &own.path(), Some(change)).await.expect(200);
    }
    app.passes_unseen_s(1);
    own.is_deleted().await;
    assert_eq!(kinds(&anna).await[before..], ["app-registered", "app-changed", "app-changed", "app-deleted"]);
    let subjects: Vec<Value> = log(&anna).await.iter().take(4).map(|event| event["subject"].clone()).collect();
    assert_eq!(subjects, ["Sea Chart", "Sea Chart", "Sea Chart", "Harbour Chart"]);
    assert_eq!(app.tells_owners().await, 1);
    let mail = postbox.next().await;
    assert_eq!(mail.header("subject"), "Addresses of your app were changed");
    assert!(mail.text.contains("https://broadside.test/oauth/forgot-password"), "{}", mail.text);
}

#[actix_web::test]
async fn the_log_is_kept_for_half_a_year_and_500_entries() {
    let app = TestApp::start().await;
    let anna = app.lasting_player("anna").await;
    let rows = format!(
        "INSERT INTO security_events (id, account_id, kind, at) SELECT ('00000000-0000-7000-8000-' || \
         lpad(n::text, 12, '0'))::uuid, '{}', 'signed-in', '2026-11-21' FROM generate_series(1, 600) AS n",
        anna.id
    );
    execute(&app.database, &rows).await;
    app.passes_unseen_s(1);
    let session = anna.signed_in().await;
    let counted = |count: u32| format!("SELECT 1 / (count(*) = {count})::int FROM security_events");
    execute(&app.database, &counted(500)).await;
    assert_eq!(log(&session).await[0]["kind"], "signed-in");
    app.passes_unseen_s(179 * DAY_S);
    broadside::accounts::forget_old(&app.app).await.unwrap();
    execute(&app.database, &counted(500)).await;
    app.passes_unseen_s(2 * DAY_S);
    broadside::accounts::forget_old(&app.app).await.unwrap();
    execute(&app.database, &counted(0)).await;
}

#[actix_web::test]
async fn only_a_session_reads_it_and_a_deletion_forgets_it() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let scopes = <broadside::accounts::Scope as strum::VariantNames>::VARIANTS;
    let token = anna.post("/v1/account/tokens", json!({ "name": "all", "scopes": scopes })).await.expect(201);
    anna.with_token(token["token"].as_str().unwrap()).get(LOG).await.problem(403, "session-required");
    app.get(LOG).await.problem(401, "token-missing");
    anna.get(&format!("{LOG}?limit=101")).await.problem(422, "validation-failed");
    anna.get(&format!("{LOG}?cursor=x")).await.problem(422, "validation-failed");
    anna.request("DELETE", "/v1/account", Some(json!({ "password": anna.password }))).await.expect_status(204);
    execute(&app.database, "SELECT 1 / (count(*) = 0)::int FROM security_events").await;
    let traces = "SELECT 1 / (count(*) = 0)::int FROM sessions WHERE network IS NOT NULL OR system IS NOT NULL";
    execute(&app.database, traces).await;
}

#[actix_web::test]
async fn a_session_is_named_by_its_client_and_moves_with_it() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    app.passes_unseen_s(1);
    let session = signs_in_from(&anna, [203, 0, 113, 77], FIREFOX).await;
    let newest = async || anna.get("/v1/sessions").await.expect(200)["items"][0].clone();
    let seen = newest().await;
    assert_eq!(
        (&seen["program"], &seen["system"], &seen["network"]),
        (&json!("Firefox"), &json!("Linux"), &json!("203.0.113.0/24"))
    );
    assert_eq!(seen["device"], FIREFOX);
    app.passes_unseen_s(60);
    let renewed = json!({ "refresh_token": session["refresh_token"] });
    from(&app, [198, 51, 100, 9], "evil.example/1.0", ("POST", "/v1/sessions/refresh"), renewed).await.expect(200);
    let seen = newest().await;
    assert_eq!(
        (&seen["program"], &seen["system"], &seen["network"]),
        (&json!("evil"), &Value::Null, &json!("198.51.100.0/24"))
    );
    let exported = anna.get("/v1/account/export").await.expect(200)["sessions"][0].clone();
    assert_eq!(exported["network"], "198.51.100.0/24");
}

#[actix_web::test]
async fn a_new_device_is_told_by_mail() {
    let (app, postbox) = with_mail().await;
    let anna = reachable(&app, &postbox, "anna").await;
    let told = async || app.tells_owners().await;
    // The client of the registration is known.
    signs_in(&app, "anna", &anna.password).await.expect(201);
    assert_eq!(told().await, 0);
    signs_in_from(&anna, [203, 0, 113, 77], FIREFOX).await;
    assert_eq!(told().await, 1);
    let mail = postbox.next().await;
    assert_eq!(mail.header("subject"), "A sign-in from a new device");
    let text = &mail.text;
    for fact in
        ["Firefox on Linux", "203.0.113.0/24", "Saturday 21 November 2026, 07:30 (UTC)", "/oauth/forgot-password"]
    {
        assert!(text.contains(fact), "{fact}: {text}");
    }
    assert!(!text.contains("113.77"), "{text}");
    // From now on the client is known, in its whole network and with each new version, for eight weeks.
    signs_in_from(&anna, [203, 0, 113, 12], &FIREFOX.replace("133", "134")).await;
    app.passes_unseen_s(55 * DAY_S);
    signs_in_from(&anna, [203, 0, 113, 77], FIREFOX).await;
    assert_eq!(told().await, 0);
    app.passes_unseen_s(57 * DAY_S);
    signs_in_from(&anna, [203, 0, 113, 77], FIREFOX).await;
    assert_eq!(told().await, 1);
    postbox.empty();
    // Another network makes it a new device. Names that strangers give their programs do not appear in our mail.
    let elsewhere = [192, 0, 2, 1];
    let session = signs_in_from(&anna, [203, 0, 113, 77], FIREFOX).await;
    let session = anna.with_token(session["access_token"].as_str().unwrap());
    wants(&session, json!({ "language": "fr" })).await;
    signs_in_from(&anna, elsewhere, "Win-a-prize/1.0").await;
    assert_eq!(told().await, 1);
    let mail = postbox.next().await;
    assert_eq!(mail.header("subject"), "Une connexion depuis un nouvel appareil");
    assert!(mail.text.contains("un autre programme") && !mail.text.contains("prize"), "{}", mail.text);
    // No mail without a confirmed address, nor for a sign-in on the pages from a known place.
    let ben = app.player("ben").await;
    signs_in_from(&ben, elsewhere, FIREFOX).await;
    Browser::of(&anna).await;
    assert_eq!(told().await, 1, "the place of the registration was long ago");
}

#[actix_web::test]
async fn the_operator_signs_somebody_out() {
    let (app, postbox) = with_mail().await;
    let anna = reachable(&app, &postbox, "anna").await;
    let token =
        anna.post("/v1/account/tokens", json!({ "name": "mine", "scopes": ["matches:read"] })).await.expect(201);
    let (acting, browser) = (let_in(&anna).await, Browser::of(&anna).await);
    let ben = app.player("ben").await;
    let said = admin(&app, &["sign-out", "nobody"]);
    assert!(!said.contains("signed out"), "{said}");
    let said = admin(&app, &["sign-out", "Anna", "--reason", "a stolen phone"]);
    assert!(said.contains("signed out everywhere") && said.contains("personal tokens stay good"), "{said}");
    app.passes_unseen_s(31);
    anna.get("/v1/account").await.problem(401, "token-unknown");
    let renewed = json!({ "refresh_token": anna.refresh_token });
    app.post("/v1/sessions/refresh", renewed).await.problem(401, "token-unknown");
    refused(&app.token(&refresh(acting["refresh_token"].as_str().unwrap())).await, "invalid_grant");
    assert!(browser.open("/oauth/apps").await.text().contains("type=\"password\""), "signed out of the pages");
    let mine = anna.with_token(token["token"].as_str().unwrap());
    mine.get("/v1/turns").await.expect(200);
    ben.get("/v1/account").await.expect(200);
    // The command uses the machine's clock.
    execute(&app.database, "UPDATE security_notices SET at = '2026-11-21 07:30Z', due_at = '2026-11-21 07:30Z'").await;
    assert_eq!(app.tells_owners().await, 1);
    let mail = postbox.next().await;
    assert_eq!(mail.header("subject"), "You were signed out everywhere");
    let again = anna.signed_in().await;
    assert!(kinds(&again).await.contains(&"signed-out-by-operator".to_owned()));
    let said = admin(&app, &["sign-out", "anna", "--revoke-tokens"]);
    assert!(said.contains("personal tokens are revoked"), "{said}");
    app.passes_unseen_s(31);
    mine.get("/v1/turns").await.problem(401, "token-unknown");
    let mia = app.moderator("mia").await;
    let actions = mia.get("/v1/moderation/actions").await.expect(200);
    let signed_out: Vec<&Value> =
        actions["items"].as_array().unwrap().iter().filter(|item| item["kind"] == "signed-out-everywhere").collect();
    assert_eq!(signed_out.len(), 2, "{actions}");
    assert!(signed_out.iter().any(|item| item["reason"] == "a stolen phone"), "{actions}");
}
