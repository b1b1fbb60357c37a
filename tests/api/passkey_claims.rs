//! Guests who keep their account with a passkey, passwords set by a passkey, and passkeys in the sign-in of the
//! service's own page.

use serde_json::{Value, json};

use crate::guests::guest;
use crate::passkeys::{adds, comes, door, is_asked, removes, sends, with_passkey};
use crate::recovery::{NEXT, signs_in};
use crate::support::authenticator::Authenticator;
use crate::support::oauth::{
    Browser, VERIFIER, asked_by_own_page, challenge, encoded, exchange_of_own_page, parameter,
};
use crate::support::{Answer, Player, TestApp};

/// Asks for a passkey without a proof, as a guest does.
async fn asks(player: &Player) -> Answer {
    player.post("/v1/account/passkeys/challenges", json!({})).await
}

/// Sets a password, proved by a passkey.
async fn sets_password(player: &Player, asked: &Value, credential: &Value) -> Answer {
    let passkey = json!({ "challenge": asked["challenge"], "credential": credential });
    player.request("PUT", "/v1/account/password", Some(json!({ "passkey": passkey, "new_password": NEXT }))).await
}

/// A former guest with a passkey.
async fn kept(app: &TestApp, name: &str, number: u8) -> (Player, Authenticator) {
    let gus = guest(app, name).await;
    let asked = asks(&gus).await.expect(200);
    let mut phone = Authenticator::new(number);
    let made = phone.makes(&asked["options"]);
    sends(&gus, &asked, &made).await.expect(201);
    (gus, phone)
}

#[actix_web::test]
async fn a_guest_keeps_the_account_with_a_passkey() {
    let app = TestApp::start().await;
    let ben = app.player("ben").await;
    let gus = guest(&app, "gus").await;
    let id = gus.challenges_and_meets(&ben, json!({})).await;
    let (asked, mut phone) = (asks(&gus).await.expect(200), Authenticator::new(1));
    let made = phone.makes(&asked["options"]);
    sends(&gus, &asked, &made).await.expect(201);
    // It is a full account, with its matches, on every device with the passkey.
    let account = gus.get("/v1/account").await.expect(200);
    assert_eq!((&account["guest"], &account["has_password"]), (&json!(false), &json!(false)));
    assert_eq!(gus.sees(&id).await["viewer"]["seat"], 0);
    gus.post("/v1/account/tokens", json!({ "name": "x", "scopes": ["account:read"] })).await.expect(201);
    let session = comes(&app, &mut phone).await.expect(201);
    assert_eq!(session["account"]["guest"], false);
    // The log mentions the passkey once; the guests' way to a password is closed now.
    let log = gus.get("/v1/account/security-events").await.expect(200);
    let kinds: Vec<&str> = log["items"].as_array().unwrap().iter().map(|one| one["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == "guest-claimed").count(), 1, "{kinds:?}");
    gus.post("/v1/account/claim", json!({ "password": NEXT })).await.problem(409, "already-done");
}

#[actix_web::test]
async fn an_account_without_a_password_gets_one_by_its_passkey() {
    let app = TestApp::start().await;
    let (gus, mut phone) = kept(&app, "gus", 1).await;
    let other = comes(&app, &mut phone).await.expect(201);
    let other = gus.with_token(other["access_token"].as_str().unwrap());
    // Until then, operations that need the password are refused, with this reason.
    let refused = gus.request("DELETE", "/v1/account", Some(json!({ "password": "x" }))).await;
    assert!(refused.problem(422, "validation-failed").to_string().contains("the account has none"));
    assert_eq!(asks(&gus).await.pointers(), ["/current_password"]);
    signs_in(&app, "gus", "x").await.problem(401, "invalid-credentials");
    let asked = door(&app).await;
    sets_password(&gus, &asked, &phone.answers(&asked["options"])).await.expect_status(204);
    assert_eq!(gus.get("/v1/account").await.expect(200)["has_password"], true);
    other.get("/v1/account").await.problem(401, "token-unknown");
    signs_in(&app, "gus", NEXT).await.expect(201);
    let gus = Player { password: NEXT.to_owned(), ..gus };
    adds(&gus, &mut Authenticator::new(2)).await;
    // A lost password is replaced in the same way.
    let asked = door(&app).await;
    sets_password(&gus, &asked, &phone.answers(&asked["options"])).await.expect_status(204);
}

#[actix_web::test]
async fn only_the_own_passkey_sets_a_password() {
    let app = TestApp::start().await;
    let (gus, mut phone) = kept(&app, "gus", 1).await;
    let (eve, mut eves) = with_passkey(&app, "eve", 2).await;
    // Eve has Gus's session, and a passkey of her own.
    let asked = door(&app).await;
    let refused = sets_password(&gus, &asked, &eves.answers(&asked["options"])).await;
    assert_eq!(refused.pointers(), ["/passkey/credential"]);
    // The challenge is used up.
    let refused = sets_password(&gus, &asked, &phone.answers(&asked["options"])).await;
    assert_eq!(refused.pointers(), ["/passkey/challenge"]);
    let asked = door(&app).await;
    let answer = phone.answers(&asked["options"]);
    assert_eq!(sets_password(&eve, &asked, &answer).await.pointers(), ["/passkey/credential"]);
    // Exactly one proof.
    let put = async |body: Value| gus.request("PUT", "/v1/account/password", Some(body)).await.pointers();
    assert_eq!(put(json!({ "new_password": NEXT })).await, ["/current_password"]);
    let both = json!({ "challenge": asked["challenge"], "credential": answer });
    let both = json!({ "current_password": "x", "passkey": both, "new_password": NEXT });
    assert_eq!(put(both).await, ["/passkey"]);
}

#[actix_web::test]
async fn who_is_no_guest_any_more_proves_who_they_are() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    assert_eq!(asks(&anna).await.pointers(), ["/current_password"]);
    // A thief of the session asked for it as a guest, and sends it after the owner has set a password.
    let gus = guest(&app, "gus").await;
    let asked = asks(&gus).await.expect(200);
    gus.post("/v1/account/claim", json!({ "password": NEXT })).await.expect(200);
    let made = Authenticator::new(1).makes(&asked["options"]);
    assert_eq!(sends(&gus, &asked, &made).await.pointers(), ["/challenge"]);
    assert_eq!(gus.get("/v1/account/passkeys").await.expect(200)["items"], json!([]));
    // A guest can't answer another guest's challenge.
    let (gil, eve) = (guest(&app, "gil").await, guest(&app, "eve").await);
    let asked = asks(&gil).await.expect(200);
    let made = Authenticator::new(2).makes(&asked["options"]);
    assert_eq!(sends(&eve, &asked, &made).await.pointers(), ["/challenge"]);
    assert_eq!(eve.get("/v1/account").await.expect(200)["guest"], true);
}

#[actix_web::test]
async fn the_session_of_the_own_page_ends_with_its_passkey() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let mut phone = Authenticator::new(1);
    let id = adds(&anna, &mut phone).await;
    let good = challenge(VERIFIER);
    let then = format!("/oauth/authorize?{}", encoded(&asked_by_own_page(&good)));
    let mut browser = Browser::new(&app);
    let asked = door(&app).await;
    let credential = phone.answers(&asked["options"]).to_string();
    let fields = [
        ("passkey_challenge", asked["challenge"].as_str().unwrap()),
        ("credential", credential.as_str()),
        ("then", then.as_str()),
    ];
    let answer = browser.submits("/oauth/sign-in/passkey", &fields).await;
    assert_eq!(answer.status, 303, "{}", answer.text());
    browser.cookie = answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let code = parameter(answer.header("location").unwrap(), "code").unwrap();
    let tokens = app.token(&exchange_of_own_page(&code)).await.expect(200);
    let page = anna.with_token(tokens["access_token"].as_str().unwrap());
    page.get("/v1/account").await.expect(200);
    removes(&anna, &id, &anna.password).await.expect_status(204);
    page.get("/v1/account").await.problem(401, "token-unknown");
    assert!(is_asked(&anna, None).await["options"].is_object());
}
