//! The second factor: set up, required after every password, lost, and removed.

use broadside::accounts::second_factor::SecondFactorSettings;
use serde_json::{Value, json};
use totp_rs::{Builder, Secret};

use crate::mail::{confirms, with_mail};
use crate::recovery::{NEXT, completes, gets_link, signs_in};
use crate::support::database::execute;
use crate::support::oauth::{Browser, VERIFIER, asked, challenge, encoded, hidden, let_in, refresh, refused};
use crate::support::{Answer, Player, Setup, TestApp};

/// A player with a second factor.
pub struct Guarded {
    pub player: Player,
    pub secret: String,
    pub recovery_codes: Vec<String>,
}

/// The authenticator app's code, this number of 30-second steps after the service's clock.
pub fn digits(app: &TestApp, secret: &str, later: i64) -> String {
    let now_s = app.clock.load(std::sync::atomic::Ordering::SeqCst) / 1000 + later * 30;
    let totp = Builder::new().with_secret(Secret::try_from_base32(secret).unwrap()).build().unwrap();
    totp.generate(u64::try_from(now_s).unwrap()).to_string()
}

pub async fn sets_up(player: &Player) -> String {
    let body = json!({ "current_password": player.password });
    let setup = player.post("/v1/account/second-factor", body).await.expect(200);
    let (secret, uri) = (setup["secret"].as_str().unwrap(), setup["uri"].as_str().unwrap());
    let label = format!("otpauth://totp/broadside.test:{}?", player.name);
    assert!(uri.starts_with(&label) && uri.contains(secret), "{uri}");
    secret.to_owned()
}

/// Sets up a second factor; its next code is valid half a minute later.
pub async fn guards(player: &Player) -> Guarded {
    let secret = sets_up(player).await;
    let body = json!({ "code": digits(&player.app, &secret, 0) });
    let codes = player.post("/v1/account/second-factor/confirm", body).await.expect(200);
    let codes = codes["recovery_codes"].as_array().unwrap().iter().map(|code| code.as_str().unwrap().to_owned());
    player.app.passes_unseen_s(30);
    Guarded { player: player.clone(), secret, recovery_codes: codes.collect() }
}

impl Guarded {
    pub fn digits(&self) -> String {
        digits(&self.player.app, &self.secret, 0)
    }

    /// Proves the password; returns the challenge.
    pub async fn challenge(&self) -> String {
        let asked = signs_in(&self.player.app, &self.player.name, &self.player.password).await;
        asked.problem(401, "second-factor-required")["challenge"].as_str().unwrap().to_owned()
    }

    /// Signs in with both.
    pub async fn signs_in(&self) -> Player {
        let session = answers(&self.player.app, &self.challenge().await, &self.digits()).await.expect(201);
        self.player.app.passes_unseen_s(30);
        self.player.with_token(session["access_token"].as_str().unwrap())
    }
}

pub async fn answers(app: &TestApp, challenge: &str, code: &str) -> Answer {
    app.post("/v1/sessions/second-factor", json!({ "challenge": challenge, "code": code })).await
}

#[actix_web::test]
async fn a_second_factor_is_set_up_and_asked_for() {
    let (app, postbox) = with_mail().await;
    let anna = app.player("anna").await;
    confirms(&anna, &postbox, "anna@example.org").await;
    let none = json!({ "enabled_at": null, "recovery_codes_left": 0 });
    assert_eq!(anna.get("/v1/account/second-factor").await.expect(200), none);
    let wrong = anna.post("/v1/account/second-factor", json!({ "current_password": "x" })).await;
    assert_eq!((wrong.status, wrong.pointers()), (422, vec!["/current_password".to_owned()]));
    let confirm = async |code: String| anna.post("/v1/account/second-factor/confirm", json!({ "code": code })).await;
    confirm("123456".to_owned()).await.problem(404, "not-found");
    let first = sets_up(&anna).await;
    let secret = sets_up(&anna).await;
    assert_ne!(first, secret);
    confirm(digits(&app, &first, 0)).await.problem(422, "validation-failed");
    // It isn't required before its confirmation.
    signs_in(&app, "anna", &anna.password).await.expect(201);
    let codes = confirm(digits(&app, &secret, 0)).await.expect(200);
    assert_eq!(codes["recovery_codes"].as_array().unwrap().len(), 10);
    assert_eq!(app.tells_owners().await, 1);
    assert_eq!(postbox.next().await.header("subject"), "A second factor is on");
    confirm(digits(&app, &secret, 1)).await.problem(404, "not-found");
    anna.post("/v1/account/second-factor", json!({ "current_password": anna.password }))
        .await
        .problem(409, "already-done");
    let on = json!({ "enabled_at": "2026-11-21T07:30:00.000Z", "recovery_codes_left": 10 });
    assert_eq!(anna.get("/v1/account/second-factor").await.expect(200), on);
    // Signing in takes two steps from now on.
    app.passes_unseen_s(30);
    signs_in(&app, "anna", "x").await.problem(401, "invalid-credentials");
    let asked = signs_in(&app, "anna", &anna.password).await.problem(401, "second-factor-required");
    let challenge = asked["challenge"].as_str().unwrap().to_owned();
    answers(&app, &challenge, "000000").await.problem(401, "invalid-code");
    let session = answers(&app, &challenge, &digits(&app, &secret, 0)).await.expect(201);
    anna.with_token(session["access_token"].as_str().unwrap()).get("/v1/account").await.expect(200);
    assert_eq!(anna.get("/v1/account/export").await.expect(200)["second_factor"], on);
}

#[actix_web::test]
async fn what_was_opened_without_it_ends() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let (other, acting) = (anna.signed_in().await, let_in(&anna).await);
    let token = json!({ "name": "mine", "scopes": ["matches:read"] });
    let made =
        async || anna.post("/v1/account/tokens", token.clone()).await.expect(201)["token"].as_str().unwrap().to_owned();
    let mine = made().await;
    anna.with_token(&mine).get("/v1/turns").await.expect(200);
    let guarded = guards(&anna).await;
    anna.get("/v1/account").await.expect(200);
    other.get("/v1/account").await.problem(401, "token-unknown");
    anna.with_token(&mine).get("/v1/turns").await.problem(401, "token-unknown");
    refused(&app.token(&refresh(acting["refresh_token"].as_str().unwrap())).await, "invalid_grant");
    // Tokens stay on request.
    let proof = json!({ "current_password": anna.password, "code": guarded.digits() });
    anna.request("DELETE", "/v1/account/second-factor", Some(proof)).await.expect_status(204);
    let mine = made().await;
    let secret = sets_up(&anna).await;
    let body = json!({ "code": digits(&app, &secret, 0), "keep_tokens": true });
    anna.post("/v1/account/second-factor/confirm", body).await.expect(200);
    anna.with_token(&mine).get("/v1/turns").await.expect(200);
}

#[actix_web::test]
async fn the_pages_ask_for_it_as_well() {
    let app = TestApp::start().await;
    let guarded = guards(&app.player("anna").await).await;
    let anna = &guarded.player;
    let mut browser = Browser::new(&app);
    let door = browser.signs_in("anna", &anna.password).await;
    assert_eq!((door.status, door.header("set-cookie")), (200, None), "{}", door.text());
    assert!(door.text().contains("one-time-code"), "{}", door.text());
    let secret = hidden(&door.text(), "challenge");
    let address = format!("/oauth/authorize?{}", encoded(&asked(&challenge(VERIFIER))));
    let fields = |code: &str| vec![("challenge", secret.clone()), ("code", code.to_owned()), ("then", address.clone())];
    let answer = async |browser: &Browser, code: &str| {
        let fields = fields(code);
        let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
        browser.submits("/oauth/sign-in/second-factor", &fields).await
    };
    let wrong = answer(&browser, "000000").await;
    assert_eq!(wrong.status, 403);
    assert_eq!(hidden(&wrong.text(), "challenge"), secret, "it may be tried again");
    assert_eq!(answer(&browser, "not a code").await.status, 403);
    // Not from another site's page.
    let code = guarded.digits();
    let foreign =
        crate::support::oauth::form("/oauth/sign-in/second-factor", &[("challenge", &secret), ("code", &code)]);
    let foreign = browser.sends(foreign.insert_header(("sec-fetch-site", "cross-site"))).await;
    assert_eq!((foreign.status, foreign.header("set-cookie")), (403, None));
    let right = answer(&browser, &code).await;
    assert_eq!((right.status, right.header("location")), (303, Some(address.as_str())));
    browser.cookie = right.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    assert!(browser.open(&address).await.text().contains("<b>anna</b>"));
    assert_eq!(answer(&browser, &code).await.status, 403, "once");
}

#[actix_web::test]
async fn a_recovery_code_works_once_and_all_are_replaced() {
    let (app, postbox) = with_mail().await;
    let anna = app.player("anna").await;
    confirms(&anna, &postbox, "anna@example.org").await;
    let guarded = guards(&anna).await;
    app.tells_owners().await;
    postbox.empty();
    let first = guarded.recovery_codes[0].to_uppercase();
    answers(&app, &guarded.challenge().await, &first).await.expect(201);
    assert_eq!(app.tells_owners().await, 1);
    assert_eq!(postbox.next().await.header("subject"), "A recovery code was used");
    answers(&app, &guarded.challenge().await, &first).await.problem(401, "invalid-code");
    assert_eq!(anna.get("/v1/account/second-factor").await.expect(200)["recovery_codes_left"], 9);
    let replace = async |password: &str, code: &str| {
        let body = json!({ "current_password": password, "code": code });
        anna.post("/v1/account/second-factor/recovery-codes", body).await
    };
    assert_eq!(replace("x", &guarded.digits()).await.pointers(), ["/current_password"]);
    assert_eq!(replace(&anna.password, "000000").await.pointers(), ["/code"]);
    let new = replace(&anna.password, &guarded.digits()).await.expect(200);
    answers(&app, &guarded.challenge().await, &guarded.recovery_codes[1]).await.problem(401, "invalid-code");
    let new = new["recovery_codes"][0].as_str().unwrap().to_owned();
    answers(&app, &guarded.challenge().await, &new).await.expect(201);
    // Only hashes are stored.
    let plain = new.replace('-', "");
    let rows = format!("recovery_codes WHERE encode(hash, 'escape') LIKE '%{plain}%'");
    execute(&app.database, &format!("SELECT 1 / (count(*) = 0)::int FROM {rows}")).await;
}

#[actix_web::test]
async fn both_factors_remove_it() {
    let (app, postbox) = with_mail().await;
    let anna = app.player("anna").await;
    confirms(&anna, &postbox, "anna@example.org").await;
    let guarded = guards(&anna).await;
    let remove = async |password: &str, code: &str| {
        let body = json!({ "current_password": password, "code": code });
        anna.request("DELETE", "/v1/account/second-factor", Some(body)).await
    };
    remove("x", &guarded.digits()).await.problem(422, "validation-failed");
    remove(&anna.password, "000000").await.problem(422, "validation-failed");
    remove(&anna.password, &guarded.digits()).await.expect_status(204);
    remove(&anna.password, &guarded.digits()).await.problem(404, "not-found");
    signs_in(&app, "anna", &anna.password).await.expect(201);
    assert_eq!(app.tells_owners().await, 2);
    let subjects: Vec<_> = postbox.empty().iter().map(|mail| mail.header("subject").to_owned()).collect();
    assert!(subjects.contains(&"The second factor is off".to_owned()), "{subjects:?}");
}

#[actix_web::test]
async fn the_operator_removes_a_lost_one() {
    let app = TestApp::start().await;
    let guarded = guards(&app.player("anna").await).await;
    let admin = |name: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_broadside"));
        let arguments = ["admin", "remove-second-factor", name, "--database-url", &app.database];
        let output = command.args(arguments).output().unwrap();
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    let open = guarded.challenge().await;
    let said = admin("anna");
    assert!(said.contains("anna signs in with the password alone now"), "{said}");
    assert!(admin("anna").contains("nothing has changed"));
    answers(&app, &open, &guarded.digits()).await.problem(401, "sign-in-challenge-invalid");
    signs_in(&app, "anna", &guarded.player.password).await.expect(201);
    let mia = app.moderator("mia").await;
    let log = mia.get("/v1/moderation/actions").await.expect(200);
    assert!(log["items"].as_array().unwrap().iter().any(|item| item["kind"] == "second-factor-removed"), "{log}");
}

#[actix_web::test]
async fn a_role_may_need_it() {
    let required_for = vec!["moderator".parse().unwrap()];
    let second_factor = SecondFactorSettings { required_for, ..SecondFactorSettings::default() };
    let app = TestApp::with(Setup { second_factor, ..Setup::default() }).await;
    let mia = app.moderator("mia").await;
    let session = mia.signed_in().await;
    for who in [&mia, &session] {
        let refused = who.get("/v1/moderation/actions").await.problem(403, "role-required");
        assert!(refused["detail"].as_str().unwrap().contains("second factor"), "{refused}");
        who.get("/v1/turns").await.expect(200);
    }
    let body = json!({ "reason": "insults after a warning", "expires_in_s": 3600 });
    app.player("ben").await;
    session.post("/v1/moderation/players/ben/suspend", body.clone()).await.problem(403, "role-required");
    let guarded = guards(&session).await;
    session.get("/v1/moderation/actions").await.expect(200);
    session.post("/v1/moderation/players/ben/suspend", body).await.expect_status(204);
    // Roles that aren't listed don't need one.
    app.grants("ben", "organizer").await;
    let proof = json!({ "current_password": mia.password, "code": guarded.digits() });
    session.request("DELETE", "/v1/account/second-factor", Some(proof)).await.expect_status(204);
    session.get("/v1/moderation/actions").await.problem(403, "role-required");
}

#[actix_web::test]
async fn the_secret_is_sealed_with_the_operators_key() {
    let sealing_key = Some("a key of the operator's, 32 or more".parse().unwrap());
    let second_factor = SecondFactorSettings { sealing_key, ..SecondFactorSettings::default() };
    let app = TestApp::with(Setup { second_factor, ..Setup::default() }).await;
    let guarded = guards(&app.player("anna").await).await;
    let ben = guards(&app.player("ben").await).await;
    let plain: String =
        Secret::try_from_base32(&guarded.secret).unwrap().as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    let rows = format!("second_factors WHERE position('\\x{plain}'::bytea in secret) > 0");
    execute(&app.database, &format!("SELECT 1 / (count(*) = 0)::int FROM {rows}")).await;
    guarded.signs_in().await;
    // Without the key no code can be verified, but recovery codes still work.
    let keyless = TestApp::on(app.database.clone(), std::sync::Arc::clone(&app.clock), Setup::default()).await;
    let open = guarded.challenge().await;
    answers(&keyless, &open, &guarded.digits()).await.problem(500, "internal-error");
    answers(&keyless, &open, &guarded.recovery_codes[0]).await.expect(201);
    // A secret is bound to its account: write access to the database can't move it to another.
    let swap = format!(
        "UPDATE second_factors SET secret = (SELECT secret FROM second_factors WHERE account_id = '{}') WHERE account_id = '{}'",
        ben.player.id, guarded.player.id
    );
    execute(&app.database, &swap).await;
    answers(&app, &guarded.challenge().await, &ben.digits()).await.problem(500, "internal-error");
}

#[actix_web::test]
async fn a_lost_password_is_no_way_around_it() {
    let (app, postbox) = with_mail().await;
    let anna = app.player("anna").await;
    confirms(&anna, &postbox, "anna@example.org").await;
    let guarded = guards(&anna).await;
    app.tells_owners().await;
    postbox.empty();
    let before = guarded.challenge().await;
    let link = gets_link(&app, &postbox, "anna").await;
    let done = completes(&app, &link, NEXT).await;
    assert_eq!((done.status, done.body.len()), (204, 0));
    answers(&app, &before, &guarded.digits()).await.problem(401, "sign-in-challenge-invalid");
    let asked = signs_in(&app, "anna", NEXT).await.problem(401, "second-factor-required");
    let browser = Browser::new(&app).signs_in("anna", NEXT).await;
    assert_eq!((browser.status, browser.header("set-cookie")), (200, None));
    answers(&app, asked["challenge"].as_str().unwrap(), &guarded.digits()).await.expect(201);
}

#[actix_web::test]
async fn a_deletion_forgets_it() {
    let app = TestApp::start().await;
    let guarded = guards(&app.player("anna").await).await;
    guarded.challenge().await;
    let anna = guarded.signs_in().await;
    anna.request("DELETE", "/v1/account", Some(json!({ "password": anna.password }))).await.expect_status(204);
    for table in ["second_factors", "recovery_codes", "sign_in_challenges"] {
        execute(&app.database, &format!("SELECT 1 / (count(*) = 0)::int FROM {table}")).await;
    }
    assert_eq!(signs_in(&app, "anna", &anna.password).await.json()["challenge"], Value::Null);
}
