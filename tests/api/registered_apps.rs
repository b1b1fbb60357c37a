//! Registered apps: registration, changes and deletion by their owner, who is shown to players.

use serde_json::{Value, json};

use crate::support::oauth::{
    Browser, VERIFIER, asked, challenge, encoded, exchange, form, hidden, let_in, refresh, refused, with,
};
use crate::support::{Player, TestApp};

pub const PATH: &str = "/v1/account/registered-apps";
/// The redirect URI of the test app.
pub const BACK: &str = "https://chart.example/back";

/// An owner's settings for an app of this name.
pub fn terms(name: &str) -> Value {
    json!({
        "name": name, "homepage": "https://chart.example/", "description": "Draws what you know of the sea.",
        "redirect_uris": [BACK, "http://127.0.0.1/back"], "scopes": ["matches:read", "lobby:read"],
    })
}

/// A registered app.
pub struct Own {
    pub owner: Player,
    pub id: String,
    pub client_id: String,
}

impl Own {
    /// The app's path among its owner's apps.
    pub fn path(&self) -> String {
        format!("{PATH}/{}", self.id)
    }

    /// The app's authorization request.
    pub fn asks<'a>(&'a self, challenge: &'a str) -> Vec<(&'a str, &'a str)> {
        with(with(asked(challenge), "client_id", Some(&self.client_id)), "redirect_uri", Some(BACK))
    }

    /// The app's request to exchange a code.
    pub fn exchanges<'a>(&'a self, code: &'a str) -> Vec<(&'a str, &'a str)> {
        with(with(exchange(code), "client_id", Some(&self.client_id)), "redirect_uri", Some(BACK))
    }

    /// The app's request to refresh its tokens.
    pub fn refreshes<'a>(&'a self, token: &'a str) -> Vec<(&'a str, &'a str)> {
        with(refresh(token), "client_id", Some(&self.client_id))
    }

    /// A player's consent; returns the code.
    pub async fn code_of(&self, player: &Player) -> String {
        Browser::of(player).await.allows(&self.asks(&challenge(VERIFIER))).await
    }

    /// A player's consent; returns the tokens.
    pub async fn acts_for(&self, player: &Player) -> Value {
        let code = self.code_of(player).await;
        player.app.token(&self.exchanges(&code)).await.expect(200)
    }

    pub async fn is_deleted(&self) {
        self.owner.request("DELETE", &self.path(), None).await.expect_status(204);
    }
}

pub async fn registers(owner: &Player, name: &str) -> Own {
    let made = owner.post(PATH, terms(name)).await.expect(201);
    let text = |name: &str| made[name].as_str().unwrap().to_owned();
    Own { owner: owner.clone(), id: text("id"), client_id: text("client_id") }
}

/// The consent page.
pub async fn page(browser: &Browser, asked: &[(&str, &str)]) -> String {
    browser.open(&format!("/oauth/authorize?{}", encoded(asked))).await.text()
}

/// The output of the operator's command.
pub fn admin(app: &TestApp, arguments: &[&str]) -> String {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_broadside"));
    let output = command.arg("admin").args(arguments).args(["--database-url", &app.database]).output().unwrap();
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}

#[actix_web::test]
async fn an_owner_registers_changes_and_deletes_an_app() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let made = anna.post(PATH, terms("Harbour Chart")).await;
    let location = made.header("location").unwrap().to_owned();
    let made = made.expect(201);
    assert_eq!(made["client_id"], format!("registered-{}", made["id"].as_str().unwrap()));
    assert_eq!((&made["name"], &made["suspended_at"]), (&json!("Harbour Chart"), &Value::Null));
    assert_eq!(anna.get(&location).await.expect(200), made);
    assert_eq!(anna.get(PATH).await.expect(200)["items"], json!([made]));
    let change = json!({ "name": "Harbour-Chart 2", "description": "", "scopes": ["matches:read", "matches:read"] });
    let changed = anna.request("PATCH", &location, Some(change)).await.expect(200);
    assert_eq!((&changed["name"], &changed["scopes"]), (&json!("Harbour-Chart 2"), &json!(["matches:read"])));
    assert_eq!((&changed["homepage"], &changed["redirect_uris"]), (&made["homepage"], &made["redirect_uris"]));
    let exported = anna.get("/v1/account/export").await.expect(200);
    assert_eq!(exported["registered_apps"], json!([changed]));
    anna.request("DELETE", &location, None).await.expect_status(204);
    anna.get(&location).await.problem(404, "not-found");
    anna.request("DELETE", &location, None).await.problem(404, "not-found");
    assert_eq!(anna.get(PATH).await.expect(200)["items"], json!([]));
}

#[actix_web::test]
async fn everybody_sees_whose_app_it_is() {
    let app = TestApp::start().await;
    let own = registers(&app.player("anna").await, "Harbour Chart").await;
    let seen = app.get(&format!("/v1/apps/{}", own.id)).await.expect(200);
    assert_eq!((&seen["name"], &seen["owner"]), (&json!("Harbour Chart"), &json!("anna")));
    assert!(seen.get("redirect_uris").is_none() && seen["suspended"] == false, "{seen}");
    let address = format!("/oauth/apps/{}", own.client_id);
    let page = app.get(&address).await.text();
    for said in
        ["<h1>Harbour Chart</h1>", "Registered by <b>anna</b>", "Draws what you know", "where your hidden fleet is"]
    {
        assert!(page.contains(said), "{said}: {page}");
    }
    assert!(!page.contains("<img") && page.contains("rel=\"noopener noreferrer nofollow\""), "{page}");
    let french = app.send(crate::support::plain("GET", &address, None).insert_header(("accept-language", "fr"))).await;
    assert!(french.text().contains("Enregistrée par <b>anna</b>"), "{}", french.text());
    for nobody in ["/oauth/apps/x", "/oauth/apps/registered-0199c2a8-7d4e-7c3a-9f10-5b1e6a2d8c47"] {
        let page = app.get(nobody).await;
        assert_eq!(page.status, 404);
        assert!(page.text().contains("No app is registered with this client_id"), "{}", page.text());
    }
}

#[actix_web::test]
async fn a_player_sees_who_asks() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let (own, browser, good) = (registers(&anna, "Harbour Chart").await, Browser::of(&ben).await, challenge(VERIFIER));
    let asked_by_own = page(&browser, &own.asks(&good)).await;
    for said in
        ["<b>Harbour Chart</b>", "Registered by <b>anna</b>", "https://chart.example/", "the host of this homepage"]
    {
        assert!(asked_by_own.contains(said), "{said}: {asked_by_own}");
    }
    assert!(!asked_by_own.contains("Not registered"), "{asked_by_own}");
    // The sign-in page before it shows the name as well.
    assert!(page(&Browser::new(&app), &own.asks(&good)).await.contains("Harbour Chart"));
    let stranger = page(&browser, &asked(&good)).await;
    assert!(stranger.contains("Not registered.") && !stranger.contains("Registered by"), "{stranger}");
    // No homepage is shown if the redirect leads to the player's own machine.
    let here = with(own.asks(&good), "redirect_uri", Some("http://127.0.0.1:51234/back"));
    assert!(!page(&browser, &here).await.contains("host of this homepage"));
    let elsewhere = json!({ "homepage": "https://famous.example/" });
    anna.request("PATCH", &own.path(), Some(elsewhere)).await.expect(200);
    assert!(page(&browser, &own.asks(&good)).await.contains("nothing shows that the homepage"));
}

#[actix_web::test]
async fn a_registered_app_acts_and_is_listed_with_its_mark() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let own = registers(&anna, "Harbour Chart").await;
    let tokens = own.acts_for(&ben).await;
    ben.with_token(tokens["access_token"].as_str().unwrap()).get("/v1/turns").await.expect(200);
    let next = app.token(&own.refreshes(tokens["refresh_token"].as_str().unwrap())).await.expect(200);
    assert_eq!(next["scope"], "lobby:read matches:read");
    app.passes_s(1).await;
    let_in(&ben).await;
    let listed = ben.get("/v1/account/apps").await.expect(200);
    let registered: Vec<&Value> = listed["items"].as_array().unwrap().iter().map(|item| &item["registered"]).collect();
    assert_eq!((registered[0], &registered[1]["name"]), (&Value::Null, &json!("Harbour Chart")));
    assert_eq!(registered[1]["owner"], "anna");
    let shown = Browser::of(&ben).await.open("/oauth/apps").await.text();
    assert!(shown.contains("<h2>Harbour Chart</h2>") && shown.contains("Registered by <b>anna</b>"), "{shown}");
    assert!(shown.contains("<code>app.example</code>") && shown.contains("Not registered."), "{shown}");
}

#[actix_web::test]
async fn a_program_on_this_machine_chooses_its_port() {
    let app = TestApp::start().await;
    let own = registers(&app.player("anna").await, "Harbour Chart").await;
    let ben = app.player("ben").await;
    let (browser, good) = (Browser::of(&ben).await, challenge(VERIFIER));
    let here = Some("http://127.0.0.1:51234/back");
    let code = browser.allows(&with(own.asks(&good), "redirect_uri", here)).await;
    app.token(&with(own.exchanges(&code), "redirect_uri", here)).await.expect(200);
}

#[actix_web::test]
async fn a_registered_device_shows_its_name() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let own = registers(&anna, "Harbour Board").await;
    let begin = async |scope: &str| {
        let asked = [("client_id", own.client_id.as_str()), ("scope", scope)];
        app.send(form("/oauth/device_authorization", &asked)).await
    };
    refused(&begin("matches:play").await, "invalid_scope");
    let begun = begin("matches:read").await.expect(200);
    let (browser, code) = (Browser::of(&ben).await, begun["user_code"].as_str().unwrap());
    let asked = browser.open(&format!("/oauth/device?user_code={code}")).await.text();
    assert!(asked.contains("<b>Harbour Board</b>") && asked.contains("Registered by <b>anna</b>"), "{asked}");
    let token = hidden(&asked, "form_token");
    let decision = [("user_code", code), ("form_token", token.as_str()), ("decision", "allow"), ("compared", "yes")];
    assert_eq!(browser.submits("/oauth/device", &decision).await.status, 200);
    let question = [
        ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
        ("client_id", own.client_id.as_str()),
        ("device_code", begun["device_code"].as_str().unwrap()),
    ];
    app.token(&question).await.expect(200);
}

#[actix_web::test]
async fn an_account_registers_ten_apps() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    for number in 0..10 {
        registers(&anna, &format!("Chart {number}")).await;
        app.passes_s(1).await;
    }
    anna.post(PATH, terms("Chart 10")).await.problem(409, "quota-exceeded");
    let first = anna.get(&format!("{PATH}?limit=4")).await.expect(200);
    let cursor = first["next_cursor"].as_str().unwrap();
    let second = anna.get(&format!("{PATH}?limit=6&cursor={cursor}")).await.expect(200);
    let names: Vec<&str> = [&first, &second]
        .iter()
        .flat_map(|page| page["items"].as_array().unwrap())
        .map(|item| item["name"].as_str().unwrap())
        .collect();
    assert_eq!((names.len(), names[0], names[9], &second["next_cursor"]), (10, "Chart 9", "Chart 0", &Value::Null));
}

#[actix_web::test]
async fn an_app_goes_with_its_owner() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let own = registers(&anna, "Harbour Chart").await;
    let tokens = own.acts_for(&ben).await;
    let leave = json!({ "password": anna.password });
    anna.request("DELETE", "/v1/account", Some(leave)).await.expect_status(204);
    refused(&app.token(&own.refreshes(tokens["refresh_token"].as_str().unwrap())).await, "invalid_grant");
    assert_eq!(ben.get("/v1/account/apps").await.expect(200)["items"], json!([]));
    app.get(&format!("/v1/apps/{}", own.id)).await.problem(404, "not-found");
    // The name stays reserved for a year.
    ben.post(PATH, terms("Harbour Chart")).await.problem(409, "app-name-taken");
    app.passes_s(366 * 24 * 60 * 60).await;
    registers(&ben.signed_in().await, "Harbour Chart").await;
}

#[actix_web::test]
async fn the_app_of_a_suspended_owner_gets_nothing_new() {
    let app = TestApp::start().await;
    let (mia, anna, ben) = (app.moderator("mia").await, app.player("anna").await, app.player("ben").await);
    let own = registers(&anna, "Harbour Chart").await;
    let (tokens, code) = (own.acts_for(&ben).await, own.code_of(&ben).await);
    mia.post("/v1/moderation/players/anna/suspend", json!({ "reason": "rude" })).await.expect_status(204);
    let browser = Browser::of(&ben).await;
    assert!(page(&browser, &own.asks(&challenge(VERIFIER))).await.contains("the app or its owner is suspended"));
    refused(&app.token(&own.exchanges(&code)).await, "unauthorized_client");
    // Earlier grants remain until their players revoke them.
    app.token(&own.refreshes(tokens["refresh_token"].as_str().unwrap())).await.expect(200);
    anna.post(PATH, terms("Another")).await.problem(403, "account-suspended");
    anna.request("PATCH", &own.path(), Some(json!({ "name": "Another" }))).await.problem(403, "account-suspended");
    own.is_deleted().await;
}

#[actix_web::test]
async fn the_operator_suspends_and_removes_an_app() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let own = registers(&anna, "Harbour Chart").await;
    let tokens = own.acts_for(&ben).await;
    let listed = admin(&app, &["list-apps", "--owner", "anna"]);
    assert!(
        listed.contains(&own.client_id) && listed.contains("Harbour Chart, by anna") && listed.contains("1 grants"),
        "{listed}"
    );
    let said = admin(&app, &["suspend-app", &own.client_id, "--reason", "it resigns for people"]);
    assert!(said.contains("is suspended now; 1 grants have ended"), "{said}");
    assert!(admin(&app, &["suspend-app", &own.client_id]).contains("nothing has changed"));
    refused(&app.token(&own.refreshes(tokens["refresh_token"].as_str().unwrap())).await, "invalid_grant");
    let browser = Browser::of(&ben).await;
    assert!(page(&browser, &own.asks(&challenge(VERIFIER))).await.contains("suspended"));
    assert!(app.get(&format!("/oauth/apps/{}", own.client_id)).await.text().contains("The operator has suspended"));
    assert_ne!(anna.get(&own.path()).await.expect(200)["suspended_at"], Value::Null);
    let said = admin(&app, &["resume-app", &own.client_id]);
    assert!(said.contains("may ask for grants again"), "{said}");
    own.acts_for(&ben).await;
    let said = admin(&app, &["remove-app", &own.client_id]);
    assert!(said.contains("is removed; 1 grants have ended"), "{said}");
    assert_eq!(ben.get("/v1/account/apps").await.expect(200)["items"], json!([]));
    // Its owner doesn't get the name back, either.
    anna.post(PATH, terms("Harbour Chart")).await.problem(409, "app-name-taken");
    assert!(admin(&app, &["remove-app", &own.client_id]).to_lowercase().contains("not"), "there is none");
    assert!(admin(&app, &["remove-app", "app.example"]).contains("registered-"));
    let mia = app.moderator("mia").await;
    let log = mia.get("/v1/moderation/actions").await.expect(200);
    let about_apps = |item: &&Value| item["kind"].as_str().unwrap().starts_with("app-");
    let entries: Vec<&Value> = log["items"].as_array().unwrap().iter().filter(about_apps).collect();
    let kinds: Vec<&str> = entries.iter().map(|item| item["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["app-removed", "app-resumed", "app-suspended"]);
    let entry = entries[2];
    assert_eq!((&entry["player"]["username"], &entry["reason"]), (&json!("anna"), &json!("it resigns for people")));
    assert_eq!(entry["details"], json!({ "client_id": own.client_id, "name": "Harbour Chart" }));
}
