//! Accounts: registration, reading, changes, export, deletion, and public profiles.

use futures_util::future::{join, join_all};
use serde_json::{Value, json};

use crate::support::database::{STORED_EVENT, execute};
use crate::support::fleets::{NORTH_WEST, SOUTH_EAST};
use crate::support::{Player, TestApp};

const GOOD: &str = "three masts and a storm";

fn account(name: &str) -> Value {
    json!({ "username": name, "password": GOOD })
}

fn credentials(name: &str, password: &str) -> Value {
    json!({ "username": name, "password": password })
}

#[actix_web::test]
async fn who_registers_is_signed_in() {
    let app = TestApp::start().await;
    let wanted = json!({ "username": "Anna", "password": GOOD, "email": "anna@example.org", "bot": true });
    let answer = app.post("/v1/accounts", wanted).await;
    let body = answer.expect(201);
    assert_eq!(answer.header("location"), Some("/v1/account"));
    assert_eq!(body["expires_in_s"], 900);
    assert!(body["refresh_token"].as_str().unwrap().starts_with("brt_"));
    let shown = &body["account"];
    assert_eq!(shown["username"], "Anna");
    assert_eq!(shown["email"], "anna@example.org");
    assert_eq!(shown["bot"], true);
    assert_eq!(shown["created_at"], "2026-11-21T07:30:00.000Z");
    assert!(!answer.text().contains(GOOD));

    let mut anna = app.player("somebody").await;
    anna.token = body["access_token"].as_str().unwrap().to_owned();
    assert_eq!(anna.get("/v1/account").await.expect(200), *shown);
    app.get("/v1/account").await.problem(401, "token-missing");
}

#[actix_web::test]
async fn a_name_belongs_to_one_account_whatever_its_case() {
    let app = TestApp::start().await;
    app.post("/v1/accounts", account("Anna")).await.expect(201);
    app.post("/v1/accounts", account("aNNa")).await.problem(409, "username-taken");
    let together = join_all((0..6).map(|_| app.post("/v1/accounts", account("ben")))).await;
    let mut statuses: Vec<u16> = together.iter().map(|answer| answer.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409, 409, 409, 409, 409]);
}

#[actix_web::test]
async fn a_repeated_registration_makes_one_account() {
    let app = TestApp::start().await;
    let post = |key: &'static str| {
        let request = crate::support::plain("POST", "/v1/accounts", Some(account("anna")));
        app.send(request.insert_header(("idempotency-key", key)))
    };
    let (first, again) = (post("one").await, post("one").await);
    assert_eq!(first.expect(201), again.expect(201));
    post("two").await.problem(409, "username-taken");
}

#[actix_web::test]
async fn every_fault_of_a_registration_is_named() {
    let app = TestApp::start().await;
    let wrong = json!({ "username": "7up", "password": "short", "email": "nowhere", "bot": "yes", "emial": "x" });
    let refused = app.post("/v1/accounts", wrong).await;
    refused.problem(422, "validation-failed");
    let mut pointers = refused.pointers();
    pointers.sort();
    assert_eq!(pointers, ["/bot", "/email", "/emial", "/password", "/username"]);
    assert!(!refused.text().contains("nowhere"), "a refusal doesn't repeat what it refuses");

    let refused = |body: Value, pointer: &'static str| {
        let app = app.clone();
        async move {
            let answer = app.post("/v1/accounts", body).await;
            answer.problem(422, "validation-failed");
            assert_eq!(answer.pointers(), [pointer]);
        }
    };
    refused(account("Ad-Min"), "/username").await;
    refused(account("deleted-01234567"), "/username").await;
    refused(credentials("anna", "Password123"), "/password").await;
    refused(credentials("Grand-Admiral", "grand-admiral"), "/password").await;
    refused(credentials("anna", &"x y".repeat(43)), "/password").await;
}

#[actix_web::test]
async fn an_account_is_changed_in_parts() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let change = |body: Value| anna.request("PATCH", "/v1/account", Some(body));
    let before = anna.get("/v1/account").await.expect(200);
    assert_eq!(before["email"], Value::Null);
    assert_eq!(change(json!({})).await.expect(200), before);
    let changed = anna.changes_email("anna@example.org").await;
    assert_eq!((&changed["email"], &changed["bot"]), (&json!("anna@example.org"), &json!(false)));
    let changed = change(json!({ "bot": true })).await.expect(200);
    assert_eq!((&changed["email"], &changed["bot"]), (&json!("anna@example.org"), &json!(true)));
    // Her next action removes the mark, even with a cached token.
    let terms = json!({ "variant": "classic", "clock": { "kind": "none" } });
    assert_eq!(anna.post("/v1/challenges", terms).await.expect(201)["creator"]["bot"], true);
    assert_eq!(anna.changes_email("").await["email"], Value::Null);
    assert_eq!(anna.get("/v1/account").await.expect(200)["email"], Value::Null);
    change(json!({ "username": "other" })).await.problem(422, "validation-failed");
    change(json!({ "email": "anna@example.org" })).await.problem(422, "validation-failed");
}

#[actix_web::test]
async fn a_new_password_ends_the_other_sessions() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let other = app.post("/v1/sessions", credentials("anna", &anna.password)).await.expect(201);
    let other_place = anna.with_token(other["access_token"].as_str().unwrap());
    other_place.get("/v1/account").await.expect(200);
    let scopes = json!({ "name": "bot", "scopes": ["account:read"] });
    let made = anna.post("/v1/account/tokens", scopes).await.expect(201);

    let change = |current: &str, new: &str| {
        let body = json!({ "current_password": current, "new_password": new });
        let anna = anna.clone();
        async move { anna.request("PUT", "/v1/account/password", Some(body)).await }
    };
    let refused = change("not the one", GOOD).await;
    refused.problem(422, "validation-failed");
    assert_eq!(refused.pointers(), ["/current_password"]);
    let refused = change(&anna.password, "ropes, tar and a parrot").await;
    assert_eq!(refused.status, 204, "{}", refused.text());
    let refused = change("ropes, tar and a parrot", "password").await;
    assert_eq!(refused.pointers(), ["/new_password"]);

    anna.get("/v1/account").await.expect(200);
    other_place.get("/v1/account").await.problem(401, "token-unknown");
    let refresh = json!({ "refresh_token": other["refresh_token"] });
    app.post("/v1/sessions/refresh", refresh).await.problem(401, "token-unknown");
    anna.with_token(made["token"].as_str().unwrap()).get("/v1/account").await.problem(401, "token-unknown");
    assert_eq!(anna.get("/v1/account/tokens").await.expect(200)["items"], json!([]));
    app.post("/v1/sessions", credentials("anna", &anna.password)).await.problem(401, "invalid-credentials");
    app.post("/v1/sessions", credentials("anna", "ropes, tar and a parrot")).await.expect(201);
}

#[actix_web::test]
async fn personal_tokens_stay_good_if_their_owner_says_so() {
    let app = TestApp::start().await;
    let anna = app.lasting_player("anna").await;
    anna.get("/v1/account").await.expect(200);
    let signed_in = app.post("/v1/sessions", credentials("anna", &anna.password)).await.expect(201);
    let session = anna.with_token(signed_in["access_token"].as_str().unwrap());
    let change = |old: &str, new: &str, keep: bool| {
        let body = json!({ "current_password": old, "new_password": new, "keep_tokens": keep });
        let session = session.clone();
        async move { session.request("PUT", "/v1/account/password", Some(body)).await.expect(204) }
    };
    change(&anna.password, GOOD, true).await;
    anna.get("/v1/account").await.expect(200);
    change(GOOD, &anna.password, false).await;
    anna.get("/v1/account").await.problem(401, "token-unknown");
    session.get("/v1/account").await.expect(200);
}

#[actix_web::test]
async fn the_own_password_cannot_be_guessed_with_a_stolen_token() {
    let app = TestApp::with(crate::support::Setup { rate_limits: true, ..Default::default() }).await;
    let anna = app.player("anna").await;
    let guess = |password: &str| anna.request("DELETE", "/v1/account", Some(json!({ "password": password })));
    for number in 0..10 {
        guess(&format!("guess number {number}")).await.problem(422, "validation-failed");
    }
    let refused = guess(&anna.password).await;
    refused.problem(429, "too-many-requests");
    assert!(refused.header("retry-after").is_some());
    app.passes_s(300).await;
    anna.request("DELETE", "/v1/account", Some(json!({ "password": anna.password }))).await.expect(204);
}

async fn deletes(player: &Player) {
    let proof = json!({ "password": player.password });
    player.request("DELETE", "/v1/account", Some(proof)).await.expect(204);
}

#[actix_web::test]
async fn a_deleted_account_leaves_a_nameless_player() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("classic").await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    let far = ben.at(&app.another_node().await);
    for node in [&ben, &far] {
        assert_eq!(node.sees(&id).await["seats"][0]["player"]["username"], "anna");
    }
    let open = json!({ "variant": "classic", "clock": { "kind": "none" } });
    let open = anna.post("/v1/challenges", open).await.expect(201)["id"].as_str().unwrap().to_owned();
    let token = json!({ "name": "bot", "scopes": ["account:read"] });
    let token = anna.post("/v1/account/tokens", token).await.expect(201)["token"].as_str().unwrap().to_owned();
    let bot = anna.with_token(&token);
    bot.get("/v1/account").await.expect(200);

    let refused = anna.request("DELETE", "/v1/account", Some(json!({ "password": "not hers" }))).await;
    refused.problem(422, "validation-failed");
    assert_eq!(refused.pointers(), ["/password"]);
    deletes(&anna).await;

    for gone in [&anna, &bot] {
        gone.get("/v1/account").await.problem(401, "token-unknown");
    }
    let refresh = json!({ "refresh_token": anna.refresh_token });
    app.post("/v1/sessions/refresh", refresh).await.problem(401, "token-unknown");
    app.post("/v1/sessions", credentials("anna", &anna.password)).await.problem(401, "invalid-credentials");
    app.get("/v1/players/anna").await.problem(404, "not-found");

    let view = ben.sees(&id).await;
    assert_eq!((&view["status"], &view["result"]["winner"]), (&json!("finished"), &json!(1)));
    let name = view["seats"][0]["player"]["username"].as_str().unwrap().to_owned();
    assert!(name.starts_with("deleted-") && name.len() == 16, "{name}");
    assert_eq!(far.sees(&id).await["seats"], view["seats"], "nor does another node remember");
    app.get(&format!("/v1/players/{name}")).await.problem(404, "not-found");
    ben.get(&format!("/v1/challenges/{open}")).await.problem(404, "not-found");
    for page in ["/v1/matches", "/v1/challenges?mine=true", "/v1/players/ben/matches"] {
        assert!(!ben.get(page).await.text().contains("anna"), "{page}");
    }

    // The name and similar names stay reserved.
    for name in ["anna", "ANNA", "an-na"] {
        app.post("/v1/accounts", account(name)).await.problem(409, "username-taken");
    }
}

#[actix_web::test]
async fn names_that_look_alike_are_one_name() {
    let app = TestApp::start().await;
    app.player("Victim").await;
    for name in ["V1ctim", "Vlct1m", "victirn", "Vic-tim", "victim_"] {
        let refused = app.post("/v1/accounts", account(name)).await;
        refused.problem(409, "username-taken");
    }
    for name in ["adm1n", "moderator-1", "0fficial", "Broads1de-Fan"] {
        let refused = app.post("/v1/accounts", account(name)).await;
        refused.problem(422, "validation-failed");
        assert_eq!(refused.pointers(), ["/username"]);
    }
    app.player("Victim2").await;
    // Of two registrations at the same moment, one succeeds.
    let (one, other) =
        join(app.post("/v1/accounts", account("Willow")), app.post("/v1/accounts", account("WilIow"))).await;
    let mut both = [one.status, other.status];
    both.sort_unstable();
    assert_eq!(both, [201, 409]);
}

#[actix_web::test]
async fn two_accounts_can_be_deleted() {
    let app = TestApp::start().await;
    for name in ["anna", "ben"] {
        deletes(&app.player(name).await).await;
    }
}

#[actix_web::test]
async fn an_export_holds_everything_and_no_secret() {
    let app = TestApp::start().await;
    let (anna, _, id) = app.table("classic").await;
    anna.changes_email("anna@example.org").await;
    let token = json!({ "name": "my bot", "scopes": ["matches:read"] });
    let token = anna.post("/v1/account/tokens", token).await.expect(201);
    let answer = anna.get("/v1/account/export").await;
    let export = answer.expect(200);
    assert_eq!(export["account"], anna.get("/v1/account").await.expect(200));
    assert_eq!(export["sessions"].as_array().unwrap().len(), 1);
    assert_eq!(export["tokens"][0]["name"], "my bot");
    assert_eq!(export["challenges"][0]["match_id"], json!(id));
    assert_eq!(export["matches"][0]["id"], json!(id));
    let text = answer.text();
    for secret in [anna.token.as_str(), &anna.refresh_token, token["token"].as_str().unwrap(), &anna.password, "argon2"]
    {
        assert!(!text.contains(secret), "{secret}");
    }
    // An export holds only the newest events.
    let many = format!(
        "UPDATE event_counters SET newest = newest + 1200; INSERT INTO account_events \
         SELECT account_id, newest - 1200 + n, 1, now(), '{STORED_EVENT}' FROM event_counters, generate_series(1, 1200) AS n"
    );
    execute(&app.database, &many).await;
    let cursor = anna.get("/v1/events").await.expect(200)["next_cursor"].as_str().unwrap().to_owned();
    let newest = cursor.split_once('-').unwrap().1.parse::<u64>().unwrap();
    let export = anna.get("/v1/account/export").await.expect(200);
    let numbers: Vec<u64> =
        export["events"].as_array().unwrap().iter().map(|event| event["number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (newest - 999..=newest).collect::<Vec<_>>());
}

#[actix_web::test]
async fn a_profile_is_public() {
    let app = TestApp::start().await;
    let (anna, _, _) = app.table("classic").await;
    anna.changes_email("anna@example.org").await;
    let answer = app.get("/v1/players/ANNA").await;
    let profile = answer.expect(200);
    let expected = json!({
        "id": anna.id, "username": "anna", "bot": false, "created_at": "2026-11-21T07:30:00.000Z",
        "deleted": false, "guest": false, "matches": { "running": 1, "finished": 0 }, "reliability_percent": null,
        "on_vacation_until": null, "suspended": false,
        "bio": null, "country": null, "club": null, "time_zone": null,
    });
    assert_eq!(profile, expected);
    for nobody in ["carl", "x", "a%20b", "deleted-01234567", "%00"] {
        app.get(&format!("/v1/players/{nobody}")).await.problem(404, "not-found");
    }
}

#[actix_web::test]
async fn a_resignation_does_not_make_a_player_unreliable() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("classic").await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    anna.acts(&id, json!({ "type": "resign" })).await.expect(200);
    let profile = app.get("/v1/players/anna").await.expect(200);
    assert_eq!(profile["matches"], json!({ "running": 0, "finished": 1 }));
    assert_eq!(profile["reliability_percent"], json!(100));
}
