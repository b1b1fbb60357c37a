//! Passkeys: added, used to sign in (alone and after a password), renamed, removed.

use broadside::accounts::second_factor::SecondFactorSettings;
use serde_json::{Value, json};

use crate::mail::{confirms, with_mail};
use crate::recovery::{NEXT, completes, gets_link, reachable, signs_in};
use crate::second_factor::guards;
use crate::support::authenticator::Authenticator;
use crate::support::database::execute;
use crate::support::oauth::{Browser, hidden};
use crate::support::{Answer, Player, Setup, TestApp};

/// Proves the password and the code; returns a challenge with its options.
pub async fn is_asked(player: &Player, code: Option<&str>) -> Value {
    let body = json!({ "current_password": player.password, "code": code });
    player.post("/v1/account/passkeys/challenges", body).await.expect(200)
}

/// Sends an authenticator's new credential for a challenge.
pub async fn sends(player: &Player, asked: &Value, credential: &Value) -> Answer {
    let body = json!({ "challenge": asked["challenge"], "credential": credential, "name": "Anna's phone" });
    player.post("/v1/account/passkeys", body).await
}

/// Adds a passkey; returns its id.
pub async fn adds(player: &Player, authenticator: &mut Authenticator) -> String {
    let asked = is_asked(player, None).await;
    let made = authenticator.makes(&asked["options"]);
    sends(player, &asked, &made).await.expect(201)["id"].as_str().unwrap().to_owned()
}

/// A player with a passkey.
pub async fn with_passkey(app: &TestApp, name: &str, number: u8) -> (Player, Authenticator) {
    let player = app.player(name).await;
    let mut authenticator = Authenticator::new(number);
    adds(&player, &mut authenticator).await;
    (player, authenticator)
}

/// A challenge for signing in without a name.
pub async fn door(app: &TestApp) -> Value {
    app.post("/v1/sessions/passkey/challenges", json!({})).await.expect(200)
}

pub async fn answers(app: &TestApp, asked: &Value, credential: &Value) -> Answer {
    app.post("/v1/sessions/passkey", json!({ "challenge": asked["challenge"], "credential": credential })).await
}

pub async fn comes(app: &TestApp, authenticator: &mut Authenticator) -> Answer {
    let asked = door(app).await;
    answers(app, &asked, &authenticator.answers(&asked["options"])).await
}

pub async fn removes(player: &Player, id: &str, password: &str) -> Answer {
    let body = json!({ "current_password": password });
    player.request("DELETE", &format!("/v1/account/passkeys/{id}"), Some(body)).await
}

#[actix_web::test]
async fn a_passkey_signs_in_without_a_name_and_a_password() {
    let (app, postbox) = with_mail().await;
    let anna = app.player("anna").await;
    confirms(&anna, &postbox, "anna@example.org").await;
    assert_eq!(anna.get("/v1/account/passkeys").await.expect(200)["items"], json!([]));
    let asked = is_asked(&anna, None).await;
    assert_eq!(asked["options"]["rp"], json!({ "id": "broadside.test", "name": "Broadside" }));
    assert_eq!(asked["options"]["user"]["name"], "anna");
    let mut phone = Authenticator::new(1);
    let made = phone.makes(&asked["options"]);
    let added = sends(&anna, &asked, &made).await;
    let passkey = added.expect(201);
    assert_eq!((passkey["name"].as_str(), &passkey["last_used_at"]), (Some("Anna's phone"), &Value::Null));
    assert_eq!(app.tells_owners().await, 1);
    assert_eq!(postbox.next().await.header("subject"), "A passkey was added");
    // Existing passkeys are excluded, so that the same phone makes no second one.
    let excluded = &is_asked(&anna, None).await["options"]["excludeCredentials"];
    assert_eq!(excluded, &json!([{ "type": "public-key", "id": phone.id() }]));
    app.passes_unseen_s(60);
    let session = comes(&app, &mut phone).await.expect(201);
    assert_eq!(session["account"]["username"], "anna");
    let by_phone = anna.with_token(session["access_token"].as_str().unwrap());
    let listed = by_phone.get("/v1/account/passkeys").await.expect(200);
    assert_eq!(listed["items"][0]["last_used_at"], "2026-11-21T07:31:00.000Z");
    assert_eq!(by_phone.get("/v1/account/export").await.expect(200)["passkeys"], listed["items"]);
    // The password still works.
    signs_in(&app, "anna", &anna.password).await.expect(201);
    let path = format!("/v1/account/passkeys/{}", passkey["id"].as_str().unwrap());
    let renamed = anna.request("PATCH", &path, Some(json!({ "name": "the old phone" }))).await.expect(200);
    assert_eq!(renamed["name"], "the old phone");
    let id = passkey["id"].as_str().unwrap();
    assert_eq!(removes(&anna, id, "guessed").await.pointers(), ["/current_password"]);
    removes(&anna, id, &anna.password).await.expect_status(204);
    comes(&app, &mut phone).await.problem(401, "invalid-passkey");
    by_phone.get("/v1/account").await.problem(401, "token-unknown");
    removes(&anna, id, &anna.password).await.problem(404, "not-found");
    assert_eq!(app.tells_owners().await, 1);
    assert_eq!(postbox.next().await.header("subject"), "A passkey was removed");
}

#[actix_web::test]
async fn any_node_takes_the_answer() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let anna = app.player("anna").await;
    let mut phone = Authenticator::new(1);
    let asked = is_asked(&anna, None).await;
    let made = phone.makes(&asked["options"]);
    let on_other = Player { app: other.clone(), ..anna.clone() };
    sends(&on_other, &asked, &made).await.expect(201);
    let asked = door(&other).await;
    answers(&app, &asked, &phone.answers(&asked["options"])).await.expect(201);
}

#[actix_web::test]
async fn a_passkey_answers_after_a_password_as_a_code_does() {
    let app = TestApp::start().await;
    let (anna, mut phone) = with_passkey(&app, "anna", 1).await;
    let (_, mut eves) = with_passkey(&app, "eve", 2).await;
    let guarded = guards(&anna).await;
    let ask = async |challenge: &str| {
        app.post("/v1/sessions/passkey/challenges", json!({ "sign_in_challenge": challenge })).await
    };
    let begun = guarded.challenge().await;
    let asked = ask(&begun).await.expect(200);
    assert_eq!(asked["options"]["allowCredentials"], json!([{ "type": "public-key", "id": phone.id() }]));
    // Another account's passkey is no answer, and uses up the challenge.
    answers(&app, &asked, &eves.answers(&asked["options"])).await.problem(401, "invalid-passkey");
    answers(&app, &asked, &phone.answers(&asked["options"])).await.problem(401, "sign-in-challenge-invalid");
    // The user handle is optional.
    let asked = ask(&begun).await.expect(200);
    let mut answer = phone.answers(&asked["options"]);
    answer["response"]["userHandle"] = Value::Null;
    let session = answers(&app, &asked, &answer).await.expect(201);
    assert_eq!(session["account"]["username"], "anna");
    // The sign-in is over.
    ask(&begun).await.problem(401, "sign-in-challenge-invalid");
    crate::second_factor::answers(&app, &begun, &guarded.digits()).await.problem(401, "sign-in-challenge-invalid");
    // Without a passkey there is no challenge; a made-up one is invalid.
    let ben = guards(&app.player("ben").await).await;
    ask(&ben.challenge().await).await.problem(404, "not-found");
    ask(&format!("bsc_{}", "A".repeat(43))).await.problem(401, "sign-in-challenge-invalid");
    // A passkey alone needs no code.
    comes(&app, &mut phone).await.expect(201);
}

#[actix_web::test]
async fn a_second_factor_guards_who_adds_one() {
    let app = TestApp::start().await;
    let guarded = guards(&app.player("anna").await).await;
    let anna = &guarded.player;
    let ask = async |password: &str, code: Option<&str>| {
        anna.post("/v1/account/passkeys/challenges", json!({ "current_password": password, "code": code })).await
    };
    assert_eq!(ask(&anna.password, None).await.pointers(), ["/code"]);
    assert_eq!(ask(&anna.password, Some("000000")).await.pointers(), ["/code"]);
    assert_eq!(ask("guessed", Some(&guarded.digits())).await.pointers(), ["/current_password"]);
    let asked = is_asked(anna, Some(&guarded.digits())).await;
    let mut phone = Authenticator::new(1);
    let made = phone.makes(&asked["options"]);
    sends(anna, &asked, &made).await.expect(201);
    comes(&app, &mut phone).await.expect(201);
}

#[actix_web::test]
async fn a_role_that_needs_a_second_factor_is_used_by_passkey() {
    let required_for = vec!["moderator".parse().unwrap()];
    let second_factor = SecondFactorSettings { required_for, ..SecondFactorSettings::default() };
    let app = TestApp::with(Setup { second_factor, ..Setup::default() }).await;
    let mia = app.moderator("mia").await.signed_in().await;
    let mut key = Authenticator::new(1);
    adds(&mia, &mut key).await;
    // A passkey doesn't strengthen a password sign-in.
    mia.get("/v1/moderation/actions").await.problem(403, "role-required");
    let session = comes(&app, &mut key).await.expect(201);
    let by_key = mia.with_token(session["access_token"].as_str().unwrap());
    by_key.get("/v1/moderation/actions").await.expect(200);
    let renewed = json!({ "refresh_token": session["refresh_token"] });
    let renewed = app.post("/v1/sessions/refresh", renewed).await.expect(200);
    let renewed = mia.with_token(renewed["access_token"].as_str().unwrap());
    renewed.get("/v1/moderation/actions").await.expect(200);
}

#[actix_web::test]
async fn the_pages_take_one_as_well() {
    let app = TestApp::start().await;
    let (anna, mut phone) = with_passkey(&app, "anna", 1).await;
    let mut browser = Browser::new(&app);
    let page = browser.open("/oauth/sign-in").await;
    let policy = page.header("content-security-policy").unwrap();
    for allowed in [
        "script-src https://broadside.test/oauth/passkey.js",
        "connect-src https://broadside.test/v1/sessions/passkey/challenges",
        "default-src 'none'",
    ] {
        assert!(policy.split("; ").any(|directive| directive == allowed), "{policy}");
    }
    assert!(page.text().contains("Use a passkey") && page.text().contains("src=\"/oauth/passkey.js\""));
    let script = browser.open("/oauth/passkey.js").await;
    assert_eq!((script.status, script.header("content-type")), (200, Some("text/javascript; charset=utf-8")));
    let french = actix_web::test::TestRequest::get().uri("/oauth/sign-in").insert_header(("accept-language", "fr"));
    assert!(app.send(french).await.text().contains("Utiliser une clé d'accès"));
    // The script's request.
    let submit = async |browser: &Browser, asked: &Value, credential: &Value, more: &[(&str, &str)]| {
        let credential = credential.to_string();
        let challenge = asked["challenge"].as_str().unwrap();
        let mut fields = vec![("passkey_challenge", challenge), ("credential", &credential), ("then", "/oauth/apps")];
        fields.extend(more);
        browser.submits("/oauth/sign-in/passkey", &fields).await
    };
    let asked = door(&app).await;
    let answer = phone.answers(&asked["options"]);
    let right = submit(&browser, &asked, &answer, &[]).await;
    assert_eq!((right.status, right.header("location")), (303, Some("/oauth/apps")));
    browser.cookie = right.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    assert!(browser.open("/oauth/apps").await.text().contains("<b>anna</b>"));
    // Only once; the page reports an invalid answer.
    let again = submit(&Browser::new(&app), &asked, &answer, &[]).await;
    assert_eq!((again.status, again.header("set-cookie")), (403, None));
    assert!(again.text().contains("This passkey is not good here") && again.text().contains("type=\"password\""));
    let asked = door(&app).await;
    assert_eq!(submit(&Browser::new(&app), &asked, &json!({}), &[]).await.status, 403);
    assert_eq!(submit(&Browser::new(&app), &asked, &json!("x"), &[]).await.status, 403);
    // Not from another site's page.
    let credential = phone.answers(&asked["options"]).to_string();
    let fields = [("passkey_challenge", asked["challenge"].as_str().unwrap()), ("credential", &credential)];
    let foreign = crate::support::oauth::form("/oauth/sign-in/passkey", &fields);
    let foreign = browser.sends(foreign.insert_header(("sec-fetch-site", "cross-site"))).await;
    assert_eq!((foreign.status, foreign.header("set-cookie")), (403, None));
    // After a password it is offered to accounts with a passkey.
    guards(&anna).await;
    let second = Browser::new(&app).signs_in("anna", &anna.password).await;
    let begun = hidden(&second.text(), "challenge");
    assert!(second.text().contains("Use a passkey"), "{}", second.text());
    let ask = json!({ "sign_in_challenge": begun });
    let asked = app.post("/v1/sessions/passkey/challenges", ask.clone()).await.expect(200);
    let wrong = submit(&Browser::new(&app), &asked, &json!({}), &[("challenge", &begun)]).await;
    assert_eq!((wrong.status, hidden(&wrong.text(), "challenge")), (403, begun.clone()));
    let asked = app.post("/v1/sessions/passkey/challenges", ask).await.expect(200);
    let answer = phone.answers(&asked["options"]);
    assert_eq!(submit(&Browser::new(&app), &asked, &answer, &[("challenge", &begun)]).await.status, 303);
    let ben = guards(&app.player("ben").await).await;
    let second = Browser::new(&app).signs_in("ben", &ben.player.password).await;
    assert!(!second.text().contains("Use a passkey") && !second.text().contains("<script"), "{}", second.text());
    assert!(!second.header("content-security-policy").unwrap().contains("script-src"));
}

#[actix_web::test]
async fn where_browsers_have_none_nothing_is_offered() {
    let public_url = Some("http://127.0.0.1:8080".to_owned());
    let app = TestApp::with(Setup { public_url, ..Setup::default() }).await;
    let anna = app.player("anna").await;
    let body = json!({ "current_password": anna.password });
    anna.post("/v1/account/passkeys/challenges", body).await.problem(409, "passkeys-unavailable");
    app.post("/v1/sessions/passkey/challenges", json!({})).await.problem(409, "passkeys-unavailable");
    let page = Browser::new(&app).open("/oauth/sign-in").await;
    assert!(!page.text().contains("passkey") && !page.text().contains("<script"), "{}", page.text());
    assert!(!page.header("content-security-policy").unwrap().contains("script-src"));
    assert_eq!(anna.get("/v1/account/passkeys").await.expect(200)["items"], json!([]));
    let challenge = format!("bwc_{}", "A".repeat(43));
    let mut phone = Authenticator::new(1);
    let asked = json!({ "challenge": challenge, "userVerification": "required" });
    let answer = phone.answers(&asked);
    answers(&app, &asked, &answer).await.problem(409, "passkeys-unavailable");
    let body = json!({ "challenge": challenge, "credential": {}, "name": "x" });
    assert_eq!(anna.post("/v1/account/passkeys", body).await.pointers(), ["/credential"]);
    let options = json!({
        "challenge": "AA", "user": { "id": "AA" },
        "authenticatorSelection": { "userVerification": "required", "residentKey": "required" },
    });
    let made = phone.makes(&options);
    sends(&anna, &asked, &made).await.problem(409, "passkeys-unavailable");
}

#[actix_web::test]
async fn a_new_password_by_link_removes_them() {
    let (app, postbox) = with_mail().await;
    let anna = reachable(&app, &postbox, "anna").await;
    let (mut thiefs, mut second) = (Authenticator::new(1), Authenticator::new(2));
    adds(&anna, &mut thiefs).await;
    adds(&anna, &mut second).await;
    let begun = is_asked(&anna, None).await;
    app.tells_owners().await;
    postbox.empty();
    let link = gets_link(&app, &postbox, "anna").await;
    completes(&app, &link, NEXT).await.expect_status(204);
    for authenticator in [&mut thiefs, &mut second] {
        comes(&app, authenticator).await.problem(401, "invalid-passkey");
    }
    // An earlier, unfinished registration ends as well.
    let made = Authenticator::new(3).makes(&begun["options"]);
    sends(&anna, &begun, &made).await.problem(401, "token-unknown");
    let session = signs_in(&app, "anna", NEXT).await.expect(201);
    let anna = anna.with_token(session["access_token"].as_str().unwrap());
    assert_eq!(anna.get("/v1/account/passkeys").await.expect(200)["items"], json!([]));
    assert_eq!(sends(&anna, &begun, &made).await.pointers(), ["/challenge"]);
}

#[actix_web::test]
async fn a_deleted_account_leaves_none_behind() {
    let app = TestApp::start().await;
    let (anna, mut phone) = with_passkey(&app, "anna", 1).await;
    is_asked(&anna, None).await;
    let body = json!({ "password": anna.password });
    anna.request("DELETE", "/v1/account", Some(body)).await.expect_status(204);
    comes(&app, &mut phone).await.problem(401, "invalid-passkey");
    for table in ["passkeys", "passkey_challenges WHERE account_id IS NOT NULL"] {
        execute(&app.database, &format!("SELECT 1 / (count(*) = 0)::int FROM {table}")).await;
    }
}
