//! Renaming an account, the reservation of the old name, and profile fields.

use serde_json::{Value, json};

use crate::mail::with_mail;
use crate::recovery::{reachable, signs_in};
use crate::support::database::execute;
use crate::support::{Answer, Player, TestApp, plain};

const DAY_S: i64 = 86_400;

async fn renames(player: &Player, name: &str) -> Answer {
    let body = json!({ "username": name, "current_password": player.password });
    player.request("PUT", "/v1/account/username", Some(body)).await
}

/// The same player by the new name.
async fn is_called(player: &Player, name: &str) -> Player {
    assert_eq!(renames(player, name).await.expect(200)["username"], name);
    Player { name: name.to_owned(), ..player.clone() }
}

async fn registers(app: &TestApp, name: &str) -> Answer {
    app.post("/v1/accounts", json!({ "username": name, "password": "three masts and a storm" })).await
}

#[actix_web::test]
async fn another_name_is_shown_everywhere_and_the_old_one_leads_to_it() {
    let (app, postbox) = with_mail().await;
    let anna = reachable(&app, &postbox, "anna").await;
    let ben = app.player("ben").await;
    let id = anna.challenges_and_meets(&ben, json!({ "variant": "classic" })).await;
    let before = ben.sees(&id).await;
    assert_eq!(before["seats"][0]["player"]["username"], "anna");
    let anna = is_called(&anna, "Annabel").await;
    // The caller, the match and its lists, despite caches.
    assert_eq!(anna.get("/v1/account").await.expect(200)["username"], "Annabel");
    assert_eq!(ben.sees(&id).await["seats"][0]["player"]["username"], "Annabel");
    let listed = ben.get("/v1/matches?player=annabel").await.expect(200);
    assert!(listed.to_string().contains("Annabel") && !listed.to_string().contains("anna\""), "{listed}");
    for name in ["annabel", "anna", "ANNA"] {
        let profile = app.get(&format!("/v1/players/{name}")).await.expect(200);
        assert_eq!((&profile["username"], &profile["id"]), (&json!("Annabel"), &json!(anna.id)), "{name}");
    }
    // The old name still finds her; the match goes on.
    let muted = ben.request("PUT", "/v1/account/mutes/anna", None).await;
    assert_eq!(muted.status, 204, "{}", muted.text());
    assert_eq!(ben.get("/v1/account/mutes").await.expect(200)["items"][0]["player"]["username"], "Annabel");
    signs_in(&app, "annabel", &anna.password).await.expect(201);
    signs_in(&app, "anna", &anna.password).await.problem(401, "invalid-credentials");
    // The owner is notified, by mail and in the log.
    assert_eq!(app.tells_owners().await, 1);
    let mail = postbox.next().await;
    assert_eq!(mail.header("subject"), "Your name was changed");
    assert!(mail.text.contains("is called Annabel now"), "{}", mail.text);
    let log = anna.get("/v1/account/security-events").await.expect(200);
    let changed = log["items"].as_array().unwrap().iter().find(|event| event["kind"] == "username-changed").unwrap();
    assert_eq!(changed["subject"], "anna");
    let exported = anna.get("/v1/account/export").await.expect(200);
    let held = json!([{ "username": "anna", "held_until": "2027-11-21T07:30:00.000Z" }]);
    assert_eq!(exported["former_usernames"], held);
}

#[actix_web::test]
async fn a_record_stays_as_it_was_signed_and_its_words_have_the_new_name() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let id = anna.challenges_and_meets(&ben, json!({ "variant": "classic" })).await;
    anna.acts(&id, json!({ "type": "resign" })).await.expect(200);
    let path = format!("/v1/matches/{id}/record");
    let in_words = async || {
        let request = plain("GET", &path, None).insert_header(("accept", "text/plain"));
        app.send(ben.signed(request)).await.text()
    };
    let (signed, words) = (anna.get(&path).await.text(), in_words().await);
    is_called(&anna, "Annabel").await;
    // Signed documents refer to players by id.
    assert_eq!(ben.get(&path).await.text(), signed);
    assert!(broadside_rules::record::verify(&signed).is_ok(), "{signed}");
    let renamed = in_words().await;
    assert!(words.contains("anna") && renamed.contains("Annabel") && !renamed.contains("anna "), "{renamed}");
}

#[actix_web::test]
async fn nobody_takes_a_name_that_was_given_up_lately() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.lasting_player("victim").await, app.player("ben").await);
    is_called(&anna.signed_in().await, "Annabel").await;
    for name in ["victim", "VICTIM", "v1ctim", "Vic-tim"] {
        registers(&app, name).await.problem(409, "username-taken");
        app.post("/v1/guests", json!({ "username": name })).await.problem(409, "username-taken");
        renames(&ben, name).await.problem(409, "username-taken");
    }
    renames(&ben, "annabeI").await.problem(409, "username-taken");
    renames(&ben, "admin").await.problem(422, "validation-failed");
    renames(&ben, "ben").await.problem(422, "validation-failed");
    let wrong = json!({ "username": "benny", "current_password": "x" });
    let refused = ben.request("PUT", "/v1/account/username", Some(wrong)).await;
    assert_eq!((refused.status, refused.pointers()), (422, vec!["/current_password".to_owned()]));
    assert_eq!(app.get("/v1/players/ben").await.expect(200)["username"], "ben");
    // After a year the name is free, and redirects nowhere.
    app.passes_unseen_s(364 * DAY_S);
    broadside::accounts::forget_old(&app.app).await.unwrap();
    registers(&app, "victim").await.problem(409, "username-taken");
    app.passes_unseen_s(2 * DAY_S);
    broadside::accounts::forget_old(&app.app).await.unwrap();
    app.get("/v1/players/victim").await.problem(404, "not-found");
    registers(&app, "victim").await.expect(201);
}

#[actix_web::test]
async fn the_owner_may_go_back_but_not_to_and_fro() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let annabel = is_called(&anna, "Annabel").await;
    let refused = renames(&annabel, "anna").await.problem(409, "username-changed-lately");
    assert!(refused["detail"].as_str().unwrap().contains("2026-12-21"), "{refused}");
    app.passes_unseen_s(31 * DAY_S);
    let annabel = annabel.signed_in().await;
    let anna = is_called(&annabel, "anna").await;
    // Other capitals are no new name: this neither waits nor delays the next change.
    let anna = is_called(&anna, "ANNA").await;
    let anna = is_called(&anna, "anna").await;
    // Now the other name is reserved.
    registers(&app, "annabel").await.problem(409, "username-taken");
    assert_eq!(app.get("/v1/players/annabel").await.expect(200)["username"], "anna");
    app.passes_unseen_s(31 * DAY_S);
    // A look-alike of the own name, or other capitals, belong to the owner as well.
    let anna = is_called(&anna.signed_in().await, "anNA").await;
    let anna = is_called(&anna.signed_in().await, "An-na").await;
    let anna = is_called(&anna.signed_in().await, "AN-NA").await;
    assert_eq!(app.get("/v1/players/anna").await.expect(200)["username"], "AN-NA");
    anna.signed_in().await;
}

#[actix_web::test]
async fn of_two_who_take_one_name_one_gets_it() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let (one, other) = futures_util::future::join(renames(&anna, "Corsair"), renames(&ben, "corsair")).await;
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409], "{} {}", one.text(), other.text());
}

#[actix_web::test]
async fn nobody_escapes_a_suspension_by_another_name() {
    let app = TestApp::start().await;
    let (mia, ben) = (app.moderator("mia").await, app.player("ben").await);
    ben.request("PATCH", "/v1/account", Some(json!({ "bio": "You are all fools." }))).await.expect(200);
    let body = json!({ "reason": "insults after a warning", "expires_in_s": 3600 });
    mia.post("/v1/moderation/players/ben/suspend", body).await.expect_status(204);
    renames(&ben, "benny").await.problem(403, "account-suspended");
    ben.request("PATCH", "/v1/account", Some(json!({ "club": "Fools" }))).await.problem(403, "account-suspended");
    // The profile is hidden meanwhile.
    assert_eq!(app.get("/v1/players/ben").await.expect(200)["bio"], Value::Null);
    app.passes_unseen_s(3601);
    assert_eq!(app.get("/v1/players/ben").await.expect(200)["bio"], "You are all fools.");
}

#[actix_web::test]
async fn a_deletion_forgets_former_names_and_keeps_them_from_others() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let annabel = is_called(&anna, "Annabel").await;
    let password = json!({ "password": annabel.password });
    annabel.request("DELETE", "/v1/account", Some(password)).await.expect_status(204);
    app.get("/v1/players/anna").await.problem(404, "not-found");
    registers(&app, "anna").await.problem(409, "username-taken");
    registers(&app, "annabel").await.problem(409, "username-taken");
    let names = "SELECT 1 / (count(*) = 0)::int FROM former_usernames WHERE username_key IS NOT NULL";
    execute(&app.database, names).await;
    let words = "SELECT 1 / (count(*) = 0)::int FROM accounts WHERE bio IS NOT NULL OR country IS NOT NULL";
    execute(&app.database, words).await;
}

#[actix_web::test]
async fn a_profile_says_what_its_owner_likes() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let profile = async || {
        let shown = app.get("/v1/players/anna").await.expect(200);
        json!([shown["bio"], shown["country"], shown["club"], shown["time_zone"]])
    };
    assert_eq!(profile().await, json!([null, null, null, null]));
    let changes = async |body: Value| anna.request("PATCH", "/v1/account", Some(body)).await;
    let all = json!({ "bio": "I sail <b>slowly</b>.", "country": "FR", "club": "Brest", "shows_time_zone": true });
    let account = changes(all).await.expect(200);
    assert_eq!((&account["bio"], &account["shows_time_zone"]), (&json!("I sail <b>slowly</b>."), &json!(true)));
    assert_eq!(profile().await, json!(["I sail <b>slowly</b>.", "FR", "Brest", "UTC"]));
    // Missing fields stay; empty ones are cleared.
    changes(json!({ "bot": false, "bio": "" })).await.expect(200);
    assert_eq!(profile().await, json!([null, "FR", "Brest", "UTC"]));
    for (body, pointer) in [
        (json!({ "country": "XX" }), "/country"),
        (json!({ "country": "fr" }), "/country"),
        (json!({ "bio": "two\nlines" }), "/bio"),
        (json!({ "bio": "x".repeat(201) }), "/bio"),
        (json!({ "club": "\u{202e}bulc" }), "/club"),
        (json!({ "shows_time_zone": "yes" }), "/shows_time_zone"),
    ] {
        let refused = changes(body.clone()).await;
        assert_eq!((refused.status, refused.pointers()), (422, vec![pointer.to_owned()]), "{body}");
    }
    changes(json!({ "country": "", "club": "", "shows_time_zone": false })).await.expect(200);
    assert_eq!(profile().await, json!([null, null, null, null]));
    assert_eq!(anna.get("/v1/account/export").await.expect(200)["account"]["country"], Value::Null);
    let guest = app.post("/v1/guests", json!({ "username": "gus" })).await.expect(201);
    let guest = anna.with_token(guest["access_token"].as_str().unwrap());
    let refused = guest.request("PATCH", "/v1/account", Some(json!({ "bio": "Ahoy!" }))).await;
    refused.problem(403, "guest-not-allowed");
    let refused =
        guest.request("PUT", "/v1/account/username", Some(json!({ "username": "guy", "current_password": "x" })));
    refused.await.problem(403, "guest-not-allowed");
}
