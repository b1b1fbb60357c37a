//! Authorization as the contract states it: every operation is tried without a token, with tokens of the scope that its
//! `security` names, of all other scopes, and by strangers.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::support::{Answer, Player, TestApp, contract, plain};

const SCOPES: &[&str] = <broadside::accounts::Scope as strum::VariantNames>::VARIANTS;

#[derive(Clone)]
pub struct Operation {
    pub id: String,
    pub method: String,
    pub path: String,
    pub body: Option<Value>,
    /// The contract's `security`: alternatives, of which one is enough.
    ways: Vec<Map<String, Value>>,
    role: Option<String>,
}

impl Operation {
    fn is_open(&self) -> bool {
        self.ways.is_empty() || self.ways.iter().any(Map::is_empty)
    }

    /// The operation with an unknown field and an unknown parameter.
    fn faulty(&self) -> Self {
        let body = self.body.as_ref().map(|_| json!({ "unheard_of": 1 }));
        Self { path: format!("{}?unheard_of=1", self.path), body, ..self.clone() }
    }

    /// Only session tokens are accepted, no personal ones.
    fn is_for_sessions(&self) -> bool {
        self.ways.iter().any(|way| way.contains_key("session"))
    }

    fn reads_tokens(&self) -> bool {
        self.ways.iter().any(|way| !way.is_empty())
    }

    /// The scope that a personal token needs.
    pub fn scope(&self) -> Option<&str> {
        let ways = self.ways.iter().filter_map(|way| way.get("bearer")?.as_array());
        let scopes: Vec<&str> = ways.flatten().map(|scope| scope.as_str().unwrap()).collect();
        assert!(scopes.len() <= 1, "{}", self.id);
        scopes.first().copied()
    }
}

pub async fn operations(app: &TestApp) -> Vec<Operation> {
    let document = app.get("/openapi.json").await.json();
    let mut all = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let path = path
                .replace(
                    "{id}",
                    if path.contains("variants") { "classic" } else { "0199c2a8-7d4e-7c3a-9f10-5b1e6a2d8c47" },
                )
                .replace("{challenge_id}", "0199c2a8-7d4e-7c3a-9f10-5b1e6a2d8c49")
                .replace("{delivery_id}", "0199c2a8-7d4e-7c3a-9f10-5b1e6a2d8c48")
                // No real player may be suspended here.
                .replace("{username}", if path.contains("moderation") { "nobody" } else { "anna" })
                .replace("{room}", "players")
                .replace("{subject}", "challenge")
                .replace("{number}", "1")
                .replace("{token}", "bcf_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
                .replace("{hash}", &"0".repeat(64))
                .replace("{pool}", "classic-days");
            all.push(Operation {
                id: operation["operationId"].as_str().unwrap().to_owned(),
                method: method.to_uppercase(),
                path,
                body: contract::example(&operation["requestBody"]["content"]["application/json"]),
                ways: serde_json::from_value(operation["security"].clone()).unwrap(),
                role: operation["x-required-role"].as_str().map(str::to_owned),
            });
        }
    }
    all
}

pub async fn tried(app: &TestApp, operation: &Operation, token: Option<&str>) -> Answer {
    let mut request = plain(&operation.method, &operation.path, operation.body.clone());
    if let Some(token) = token {
        request = request.insert_header(("authorization", format!("Bearer {token}")));
    }
    app.send(request).await
}

async fn token_for(player: &Player, scopes: &[&str]) -> String {
    let body = json!({ "name": "a test", "scopes": scopes });
    player.post("/v1/account/tokens", body).await.expect(201)["token"].as_str().unwrap().to_owned()
}

struct Tokens {
    /// By scope: a token with this scope alone, and one with all others.
    of: BTreeMap<&'static str, (String, String)>,
    all: String,
}

impl Tokens {
    async fn of(player: &Player) -> Self {
        let mut of = BTreeMap::new();
        for scope in SCOPES.iter().copied() {
            let others: Vec<&str> = SCOPES.iter().copied().filter(|other| *other != scope).collect();
            of.insert(scope, (token_for(player, &[scope]).await, token_for(player, &others).await));
        }
        Self { of, all: token_for(player, SCOPES).await }
    }
}

/// Asserts success, or a refusal for a reason other than authorization.
#[track_caller]
fn is_let_in(operation: &Operation, answer: &Answer, with: &str) {
    assert!(!matches!(answer.status, 401 | 403), "{} with {with}: {}", operation.id, answer.text());
}

#[actix_web::test]
async fn every_operation_says_what_it_needs_and_means_it() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let tokens = Tokens::of(&anna).await;
    let mut officers = Vec::new();
    for (role, name) in [("moderator", "mia"), ("organizer", "olga")] {
        let player = app.player(name).await;
        app.grants(name, role).await;
        let tokens = Tokens::of(&player).await;
        officers.push((role, player, tokens));
    }
    for operation in &operations(&app).await {
        let anonymous = tried(&app, operation, None).await;
        if operation.is_open() {
            assert_ne!(anonymous.status, 403, "{}: {}", operation.id, anonymous.text());
            assert_ne!(anonymous.json_or_null()["code"], "token-missing", "{}", operation.id);
        } else {
            anonymous.problem(401, "token-missing");
            assert_eq!(anonymous.header("www-authenticate"), Some("Bearer"));
            tried(&app, &operation.faulty(), None).await.problem(401, "token-missing");
        }
        if let Some(role) = &operation.role {
            with_roles(&officers, operation, role).await;
            tried(&app, operation, Some(&tokens.of["moderation"].0)).await.problem(403, "role-required");
            tried(&app, &operation.faulty(), Some(&tokens.of["moderation"].0)).await.problem(403, "role-required");
            tried(&app, operation, Some(&tokens.of["moderation"].1)).await.problem(403, "insufficient-scope");
        } else if operation.is_for_sessions() {
            tried(&app, operation, Some(&tokens.all)).await.problem(403, "session-required");
            tried(&app, &operation.faulty(), Some(&tokens.all)).await.problem(403, "session-required");
            is_let_in(operation, &tried(&app, operation, Some(&anna.token)).await, "a session");
        } else if let Some(scope) = operation.scope() {
            is_let_in(operation, &tried(&app, operation, Some(&tokens.of[scope].0)).await, scope);
            let others = tried(&app, operation, Some(&tokens.of[scope].1)).await;
            if operation.is_open() {
                // A valid token never gets less than none.
                let shown =
                    |answer: &Answer| (answer.status, answer.json()["detail"].clone(), answer.json()["items"].clone());
                assert_eq!(shown(&others), shown(&anonymous), "{}", operation.id);
            } else {
                let refused = others.problem(403, "insufficient-scope");
                assert!(refused["detail"].as_str().unwrap().contains(scope), "{}: {refused}", operation.id);
                let faulty = tried(&app, &operation.faulty(), Some(&tokens.of[scope].1)).await;
                faulty.problem(403, "insufficient-scope");
            }
        } else {
            for (scope, (only, _)) in &tokens.of {
                let answer = tried(&app, operation, Some(only)).await;
                assert_ne!(answer.status, 403, "{} with {scope}: {}", operation.id, answer.text());
            }
        }
    }
}

/// A role holder may do it, with a session or with a token of the right scope; holders of other roles may not.
async fn with_roles(officers: &[(&str, Player, Tokens)], operation: &Operation, needed: &str) {
    let scope = operation.scope().unwrap();
    for (role, officer, tokens) in officers {
        let answer = tried(&officer.app, operation, Some(&officer.token)).await;
        if *role == needed {
            is_let_in(operation, &answer, role);
            let (only, others) = &tokens.of[scope];
            is_let_in(operation, &tried(&officer.app, operation, Some(only)).await, scope);
            tried(&officer.app, operation, Some(others)).await.problem(403, "insufficient-scope");
        } else {
            answer.problem(403, "role-required");
        }
    }
}

#[actix_web::test]
async fn a_bad_token_is_refused_everywhere() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let mut forged = anna.token.clone();
    forged.replace_range(forged.len() - 4.., "AAAA");
    let nobody = "bst_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    // "alg": "none" must not be believed.
    let unsigned = "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.eyJzdWIiOiIxIiwiZXhwIjo5OTk5OTk5OTk5fQ.";
    for operation in operations(&app).await {
        if !operation.reads_tokens() {
            continue;
        }
        for token in [forged.as_str(), nobody, unsigned, "", "x y"] {
            let answer = tried(&app, &operation, Some(token)).await;
            assert_eq!(answer.status, 401, "{} with {token:?}: {}", operation.id, answer.text());
        }
    }
}

type Tried = (&'static str, String, Option<Value>);

fn of_challenge(challenge: &str) -> Vec<Tried> {
    vec![
        ("GET", challenge.to_owned(), None),
        ("DELETE", challenge.to_owned(), None),
        ("POST", format!("{challenge}/accept"), Some(json!({}))),
        ("POST", format!("{challenge}/decline"), Some(json!({}))),
    ]
}

fn of_match(closed: &str) -> Vec<Tried> {
    let resign = json!({ "action": { "type": "resign" } });
    vec![
        ("GET", format!("/v1/matches/{closed}"), None),
        ("GET", format!("/v1/matches/{closed}/reports"), None),
        ("GET", format!("/v1/matches/{closed}/clock"), None),
        ("GET", format!("/v1/matches/{closed}/board"), None),
        ("GET", format!("/v1/matches/{closed}/record"), None),
        ("GET", format!("/v1/matches/{closed}/record?format=text"), None),
        ("POST", format!("/v1/matches/{closed}/actions"), Some(resign)),
        ("GET", format!("/v1/matches/{closed}/standing-orders"), None),
        ("PUT", format!("/v1/matches/{closed}/standing-orders"), Some(json!({ "revision": 0, "orders": [] }))),
        ("DELETE", format!("/v1/matches/{closed}/standing-orders"), None),
        ("GET", format!("/v1/matches/{closed}/chat/players"), None),
        ("GET", format!("/v1/matches/{closed}/chat/spectators"), None),
        ("POST", format!("/v1/matches/{closed}/chat/players"), Some(json!({ "text": "hello" }))),
        ("POST", format!("/v1/matches/{closed}/chat/players/1/report"), Some(json!({ "reason": "spam" }))),
        ("GET", format!("/v1/matches/{closed}/notes"), None),
        ("PUT", format!("/v1/matches/{closed}/notes"), Some(json!({ "revision": 0 }))),
        ("POST", format!("/v1/matches/{closed}/rematch"), Some(json!({}))),
    ]
}

fn of_webhook(webhook: &str, delivery: &str) -> Vec<Tried> {
    vec![
        ("GET", webhook.to_owned(), None),
        ("PATCH", webhook.to_owned(), Some(json!({ "active": false }))),
        ("DELETE", webhook.to_owned(), None),
        ("POST", format!("{webhook}/secret"), Some(json!({}))),
        ("POST", format!("{webhook}/test"), Some(json!({}))),
        ("GET", format!("{webhook}/deliveries"), None),
        ("GET", delivery.to_owned(), None),
        ("POST", format!("{delivery}/redeliver"), Some(json!({}))),
    ]
}

#[actix_web::test]
async fn nobody_reaches_what_is_somebody_elses() {
    let app = TestApp::start().await;
    let (anna, ben, eve) = (app.player("anna").await, app.player("ben").await, app.player("eve").await);
    let challenge = json!({ "variant": "classic", "clock": { "kind": "none" }, "opponent": "ben" });
    let challenge = anna.post("/v1/challenges", challenge).await.expect(201);
    let challenge = format!("/v1/challenges/{}", challenge["id"].as_str().unwrap());
    let closed = anna.challenges_and_meets(&ben, json!({ "spectators": false })).await;
    let token =
        anna.post("/v1/account/tokens", json!({ "name": "mine", "scopes": ["matches:read"] })).await.expect(201);
    let webhook = anna.post("/v1/webhooks", json!({ "url": "https://bot.example/" })).await.expect(201);
    let webhook = format!("/v1/webhooks/{}", webhook["webhook"]["id"].as_str().unwrap());
    let delivery = anna.post(&format!("{webhook}/test"), json!({})).await.expect(201);
    let delivery = format!("{webhook}/deliveries/{}", delivery["id"].as_str().unwrap());
    let sessions = anna.get("/v1/sessions").await.expect(200);

    let hidden = |eve: Player| {
        let mut all = [of_challenge(&challenge), of_match(&closed), of_webhook(&webhook, &delivery)].concat();
        all.extend([
            ("DELETE", format!("/v1/account/tokens/{}", token["id"].as_str().unwrap()), None),
            ("DELETE", format!("/v1/sessions/{}", sessions["items"][0]["id"].as_str().unwrap()), None),
        ]);
        async move {
            for (method, path, body) in all {
                let answer = eve.request(method, &path, body).await;
                assert_eq!(answer.status, 404, "{method} {path}: {}", answer.text());
            }
        }
    };
    hidden(eve).await;
    assert_eq!(anna.get("/v1/webhooks").await.expect(200)["items"][0]["active"], true);
    assert_eq!(anna.get(&delivery).await.expect(200)["delivery"]["status"], "pending");
    // Everything is still there for its owners.
    ben.get(&challenge).await.expect(200);
    anna.with_token(token["token"].as_str().unwrap()).get("/v1/turns").await.expect(200);
    assert_eq!(anna.sees(&closed).await["status"], "deploying");
}
