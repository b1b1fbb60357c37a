//! Who may do what, computed from the contract: every operation is tried without a token, with tokens of every scope,
//! and by strangers.

use serde_json::{Value, json};

use crate::support::{Answer, Player, TestApp, plain};

/// The scope that each operation needs; `session`: no personal access token will do; `anybody`: no token is needed, and
/// the scopes of one that is sent make no difference, unless it is followed by the scope without which a token is
/// shown what strangers are, since the answer may show the account more; behind a `+`: the role that it needs besides.
/// An operation that isn't named here fails the test.
const NEEDS: &[(&str, &str)] = &[
    ("create_account", "anybody"),
    ("create_guest", "anybody"),
    ("create_session", "anybody"),
    ("refresh_session", "anybody"),
    ("get_signing_keys", "anybody"),
    ("get_player", "anybody"),
    ("list_players", "anybody"),
    ("list_player_matches", "anybody, matches:read"),
    ("list_variants", "anybody"),
    ("get_variant", "anybody"),
    ("check_rule_set", "anybody"),
    ("list_rule_sets", "anybody"),
    ("get_rule_set", "anybody"),
    ("create_rule_set", "lobby:write"),
    ("report_rule_set", "lobby:write"),
    ("list_challenges", "anybody, lobby:read"),
    ("list_tournaments", "anybody"),
    ("get_tournament", "anybody, lobby:read"),
    ("get_tournament_standings", "anybody"),
    ("list_tournament_rounds", "anybody"),
    ("get_tournament_round", "anybody"),
    ("create_tournament", "lobby:write"),
    ("join_tournament", "lobby:write"),
    ("leave_tournament", "lobby:write"),
    ("start_tournament", "lobby:write"),
    ("cancel_tournament", "lobby:write"),
    ("get_challenge", "anybody, lobby:read"),
    ("list_matches", "anybody, matches:read"),
    ("get_match", "anybody, matches:read"),
    ("list_match_reports", "anybody, matches:read"),
    ("get_match_clock", "anybody, matches:read"),
    ("get_match_board", "anybody, matches:read"),
    ("get_match_record", "anybody, matches:read"),
    ("list_pools", "anybody"),
    ("get_pairing", "anybody"),
    ("list_player_ratings", "anybody"),
    ("get_rating_history", "anybody"),
    ("list_match_rating_changes", "anybody, matches:read"),
    ("get_leaderboard", "anybody"),
    ("list_ladder_opponents", "lobby:read"),
    ("create_ladder_challenge", "lobby:write"),
    ("list_ladder_challenges", "anybody"),
    ("get_ladder_challenge", "anybody"),
    ("accept_ladder_challenge", "lobby:write"),
    ("decline_ladder_challenge", "lobby:write"),
    ("withdraw_ladder_challenge", "lobby:write"),
    ("list_ladder_position_changes", "anybody"),
    ("list_ladders", "anybody, lobby:read"),
    ("get_ladder", "anybody, lobby:read"),
    ("get_ladder_standings", "anybody"),
    ("list_ladder_pairings", "anybody"),
    ("list_ladder_seasons", "anybody"),
    ("list_account_ladders", "lobby:read"),
    ("create_ladder", "lobby:write"),
    ("join_ladder", "lobby:write"),
    ("leave_ladder", "lobby:write"),
    ("close_ladder", "lobby:write"),
    ("get_account", "account:read"),
    ("update_account", "account:write"),
    ("get_mail_settings", "account:read"),
    ("replace_mail_settings", "account:write"),
    ("send_confirmation_mail", "account:write"),
    ("list_bots", "anybody"),
    ("replace_bot_offer", "lobby:write"),
    ("withdraw_bot_offer", "lobby:write"),
    ("create_challenge", "lobby:write"),
    ("withdraw_challenge", "lobby:write"),
    ("accept_challenge", "lobby:write"),
    ("decline_challenge", "lobby:write"),
    ("submit_action", "matches:play"),
    ("replace_standing_orders", "matches:play"),
    ("delete_standing_orders", "matches:play"),
    ("get_standing_orders", "matches:read"),
    ("list_turns", "matches:read"),
    ("export_matches", "matches:read"),
    ("get_events", "matches:read"),
    ("create_stream_ticket", "matches:read"),
    ("list_messages", "matches:read"),
    ("send_message", "matches:play"),
    ("report_message", "matches:play"),
    ("get_match_notes", "matches:read"),
    ("replace_match_notes", "matches:play"),
    ("list_muted_players", "account:read"),
    ("mute_player", "account:write"),
    ("unmute_player", "account:write"),
    ("list_blocked_players", "account:read"),
    ("block_player", "account:write"),
    ("unblock_player", "account:write"),
    ("request_rematch", "lobby:write"),
    ("create_webhook", "webhooks:write"),
    ("list_webhooks", "webhooks:read"),
    ("get_webhook", "webhooks:read"),
    ("update_webhook", "webhooks:write"),
    ("delete_webhook", "webhooks:write"),
    ("rotate_webhook_secret", "webhooks:write"),
    ("test_webhook", "webhooks:write"),
    ("list_webhook_deliveries", "webhooks:read"),
    ("get_webhook_delivery", "webhooks:read"),
    ("redeliver_webhook_delivery", "webhooks:write"),
    ("get_calendar", "account:read"),
    ("replace_calendar", "account:write"),
    ("create_vacation", "account:write"),
    ("cancel_vacation", "account:write"),
    ("get_calendar_feed", "anybody"),
    ("create_calendar_feed", "session"),
    ("revoke_calendar_feed", "session"),
    ("delete_account", "session"),
    ("change_password", "session"),
    ("claim_account", "session"),
    ("export_account", "session"),
    ("list_sessions", "session"),
    ("delete_session", "session"),
    ("list_apps", "session"),
    ("revoke_app", "session"),
    ("create_token", "session"),
    ("list_tokens", "session"),
    ("revoke_token", "session"),
    ("list_moderation_actions", "moderation+moderator"),
    ("get_moderated_player", "moderation+moderator"),
    ("suspend_player", "moderation+moderator"),
    ("lift_suspension", "moderation+moderator"),
    ("annul_match", "moderation+moderator"),
    ("adjudicate_match", "moderation+moderator"),
    ("list_abuse_reports", "moderation+moderator"),
    ("resolve_abuse_report", "moderation+moderator"),
    ("get_fair_play_analysis", "moderation+moderator"),
    ("get_moderated_rule_set", "moderation+moderator"),
    ("hide_rule_set", "moderation+moderator"),
    ("unhide_rule_set", "moderation+moderator"),
];

const SCOPES: [&str; 9] = [
    "account:read",
    "account:write",
    "lobby:read",
    "lobby:write",
    "matches:read",
    "matches:play",
    "webhooks:read",
    "webhooks:write",
    "moderation",
];

const ROLES: [&str; 2] = ["moderator", "organizer"];

pub struct Operation {
    pub id: String,
    method: String,
    path: String,
    body: Option<Value>,
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
                // Nobody is suspended by the way.
                .replace("{username}", if path.contains("moderation") { "nobody" } else { "anna" })
                .replace("{room}", "players")
                .replace("{number}", "1")
                .replace("{address}", "bcf_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
                .replace("{hash}", &"0".repeat(64))
                .replace("{pool}", "classic-days");
            let content = &operation["requestBody"]["content"]["application/json"];
            all.push(Operation {
                id: operation["operationId"].as_str().unwrap().to_owned(),
                method: method.to_uppercase(),
                path,
                body: (!content.is_null()).then(|| content["example"].clone()),
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

#[actix_web::test]
async fn every_operation_says_what_it_needs_and_means_it() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let mut tokens = Vec::new();
    for scope in SCOPES {
        let body = json!({ "name": scope, "scopes": [scope] });
        let token = anna.post("/v1/account/tokens", body).await.expect(201);
        tokens.push((scope, token["token"].as_str().unwrap().to_owned()));
    }
    let mut officers = Vec::new();
    for role in ROLES {
        // The names of roles are reserved.
        let name = if role == "moderator" { "mia" } else { "olga" };
        let player = app.player(name).await;
        app.grants(name, role).await;
        officers.push((role, player));
    }
    let operations = operations(&app).await;
    let unnamed: Vec<&str> =
        operations.iter().map(|op| op.id.as_str()).filter(|id| !NEEDS.iter().any(|(named, _)| named == id)).collect();
    assert!(unnamed.is_empty(), "who may do {unnamed:?}? Say so in NEEDS.");
    assert_eq!(operations.len(), NEEDS.len(), "NEEDS names operations that are gone");

    for operation in &operations {
        let (_, needs) = NEEDS.iter().find(|(id, _)| *id == operation.id).unwrap();
        let anonymous = tried(&app, operation, None).await;
        if let Some(shown) = needs.strip_prefix("anybody") {
            assert!(!matches!(anonymous.status, 403), "{}: {}", operation.id, anonymous.text());
            assert_ne!(anonymous.json()["code"], "token-missing", "{}", operation.id);
            let shown = shown.strip_prefix(", ");
            for (scope, token) in &tokens {
                let answer = tried(&app, operation, Some(token)).await;
                assert!(!matches!(answer.status, 403), "{} with {scope}: {}", operation.id, answer.text());
                if shown.is_some_and(|shown| shown != *scope) {
                    // A good token never gets less than none.
                    let seen = |answer: &Answer| match answer.status {
                        200 => answer.text(),
                        _ => answer.json()["detail"].to_string(),
                    };
                    assert_eq!(
                        (answer.status, seen(&answer)),
                        (anonymous.status, seen(&anonymous)),
                        "{}",
                        operation.id
                    );
                }
            }
        } else {
            anonymous.problem(401, "token-missing");
            assert_eq!(anonymous.header("www-authenticate"), Some("Bearer"));
            let (needed, role) = needs.split_once('+').unzip();
            for (scope, token) in &tokens {
                let answer = tried(&app, operation, Some(token)).await;
                if Some(*scope) == needed {
                    answer.problem(403, "role-required");
                    with_roles(&officers, operation, role.unwrap()).await;
                } else if scope == needs {
                    assert!(!matches!(answer.status, 401 | 403), "{} with {scope}: {}", operation.id, answer.text());
                } else {
                    let code = if *needs == "session" { "session-required" } else { "insufficient-scope" };
                    answer.problem(403, code);
                }
            }
        }
    }
}

/// Who has the role may do it, whether with a session or with a token of the right scope; who has another one may not.
async fn with_roles(officers: &[(&str, Player)], operation: &Operation, needed: &str) {
    for (role, officer) in officers {
        let answer = tried(&officer.app, operation, Some(&officer.token)).await;
        if *role == needed {
            assert!(!matches!(answer.status, 401 | 403), "{} as {role}: {}", operation.id, answer.text());
            let body = json!({ "name": "none of it", "scopes": ["account:read", "matches:read"] });
            let token = officer.post("/v1/account/tokens", body).await.expect(201);
            let token = token["token"].as_str().unwrap();
            tried(&officer.app, operation, Some(token)).await.problem(403, "insufficient-scope");
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
        if matches!(operation.id.as_str(), "create_account" | "create_guest" | "create_session" | "refresh_session") {
            continue;
        }
        for token in [forged.as_str(), nobody, unsigned, "", "x y"] {
            let answer = tried(&app, &operation, Some(token)).await;
            assert_eq!(answer.status, 401, "{} with {token:?}: {}", operation.id, answer.text());
        }
    }
}

/// A request that is tried.
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
    // And it is all still there for those whose it is.
    ben.get(&challenge).await.expect(200);
    anna.with_token(token["token"].as_str().unwrap()).get("/v1/turns").await.expect(200);
    assert_eq!(anna.sees(&closed).await["status"], "deploying");
}
