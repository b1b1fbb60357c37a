//! Account deletion concurrent with other actions: in any order, nobody waits for a deleted player.

use broadside::accounts::Identity;
use broadside::lobby::{self, SeatRequest};
use diesel::QueryableByName;
use diesel::sql_types::BigInt;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use futures_util::future::join;
use serde_json::{Value, json};

use crate::support::database::{STORED_EVENT, execute};
use crate::support::{Player, TestApp, seven_people};

async fn deletes(player: &Player) {
    let proof = json!({ "password": player.password });
    player.request("DELETE", "/v1/account", Some(proof)).await.expect(204);
}

/// The player's identity in a request that was authenticated before.
fn authenticated(player: &Player) -> Identity {
    let username = player.name.parse().unwrap();
    Identity {
        account: player.id.parse().unwrap(),
        username,
        bot: false,
        guest: false,
        session: None,
        app: None,
        scopes: Vec::new(),
        barred_roles: Vec::new(),
    }
}

async fn offers(player: &Player, extra: Value) -> String {
    let mut body = json!({ "variant": "salvos", "seats": 3, "clock": { "kind": "none" } });
    body.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    player.post("/v1/challenges", body).await.expect(201)["id"].as_str().unwrap().to_owned()
}

async fn reads(player: &Player, challenge: &str) -> Value {
    player.get(&format!("/v1/challenges/{challenge}")).await.expect(200)
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// Returns once a statement waits for a lock in this test's database.
pub async fn somebody_waits(app: &TestApp) {
    let mut connection = AsyncPgConnection::establish(&app.database).await.unwrap();
    let waiting =
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    loop {
        let found: Count = diesel::sql_query(waiting).get_result(&mut connection).await.unwrap();
        if found.count > 0 {
            return;
        }
        tokio::task::yield_now().await;
    }
}

#[actix_web::test]
async fn a_request_that_was_let_in_before_finds_no_account_after() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let id = offers(&anna, json!({})).await;
    let before = reads(&anna, &id).await;
    let late = authenticated(&ben);
    deletes(&ben).await;
    let mut tx = app.app.db.begin().await.unwrap();
    let refused = lobby::accept(&mut tx, &app.app.matches, &late, id.parse().unwrap(), SeatRequest::default()).await;
    assert_eq!(refused.err().unwrap().problem().code, "token-unknown");
    drop(tx);
    assert_eq!(reads(&anna, &id).await, before);
}

#[actix_web::test]
async fn a_seat_that_is_taken_during_the_deletion_is_given_back() {
    let app = TestApp::start().await;
    let (anna, ben, carl) = (app.player("anna").await, app.player("ben").await, app.player("carl").await);
    let id = offers(&anna, json!({})).await;
    let late = authenticated(&ben);
    // Ben's seat is taken but not yet visible when the deletion withdraws challenges for the first time.
    let mut tx = app.app.db.begin().await.unwrap();
    lobby::accept(&mut tx, &app.app.matches, &late, id.parse().unwrap(), SeatRequest::default()).await.unwrap();
    let then = async {
        somebody_waits(&app).await;
        tx.commit().await.unwrap();
    };
    join(deletes(&ben), then).await;
    let seats = reads(&carl, &id).await["seats"].clone();
    assert_eq!(seats.as_array().unwrap().iter().filter(|seat| !seat["player"].is_null()).count(), 1, "{seats}");
    assert_eq!(seats[1]["player"], Value::Null);
}

#[actix_web::test]
async fn a_match_that_begins_during_the_deletion_is_resigned() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let id = offers(&anna, json!({ "seats": 2 })).await;
    let late = authenticated(&ben);
    let mut tx = app.app.db.begin().await.unwrap();
    lobby::accept(&mut tx, &app.app.matches, &late, id.parse().unwrap(), SeatRequest::default()).await.unwrap();
    let then = async {
        somebody_waits(&app).await;
        tx.commit().await.unwrap();
    };
    join(deletes(&ben), then).await;
    let match_id = reads(&anna, &id).await["match_id"].as_str().unwrap().to_owned();
    let view = anna.sees(&match_id).await;
    assert!(["finished", "aborted"].contains(&view["status"].as_str().unwrap()), "{}", view["status"]);
    assert!(view["seats"][1]["player"]["username"].as_str().unwrap().starts_with("deleted-"), "{}", view["seats"]);
}

#[actix_web::test]
async fn a_challenge_to_somebody_who_goes_is_declined() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let id = offers(&anna, json!({ "seats": 2, "opponent": "ben" })).await;
    deletes(&ben).await;
    let challenge = reads(&anna, &id).await;
    assert_eq!((&challenge["status"], &challenge["reason"]), (&json!("declined"), &json!("generic")));
    assert_eq!(challenge["seats"][0]["player"]["username"], "anna", "who made it stays in it");
}

#[actix_web::test]
async fn a_damaged_match_keeps_nobodys_name() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (anna, ben, carl) = (&people[0], &people[1], &people[2]);
    let damaged = anna.challenges_and_meets(ben, json!({})).await;
    let sound = anna.challenges_and_meets(carl, json!({})).await;
    execute(&app.database, &format!("UPDATE match_log SET entry = '\\xff' WHERE match_id = '{damaged}'")).await;
    let app = app.restarted().await;
    let password = json!({ "username": "anna", "password": anna.password });
    let signed_in = app.post("/v1/sessions", password).await.expect(201);
    let anna = anna.at(&app).with_token(signed_in["access_token"].as_str().unwrap());
    deletes(&anna).await;
    carl.at(&app).get(&format!("/v1/matches/{damaged}")).await.problem(500, "match-damaged");
    app.get("/v1/players/anna").await.problem(404, "not-found");
    let view = carl.at(&app).sees(&sound).await;
    assert!(["finished", "aborted"].contains(&view["status"].as_str().unwrap()), "{}", view["status"]);
    assert!(!carl.at(&app).get("/v1/matches").await.text().contains("anna"));
}

#[actix_web::test]
async fn what_a_node_leaves_undone_another_does() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let (anna, ben, id) = app.table("classic").await;
    let says = json!({ "text": "a secret of anna's" });
    anna.post(&format!("/v1/matches/{id}/chat/players"), says).await.expect(201);
    // Logs longer than one batch.
    let long = format!(
        "UPDATE event_counters SET newest = newest + 1200; INSERT INTO account_events \
         SELECT account_id, newest - 1200 + n, 1, now(), '{STORED_EVENT}' FROM event_counters, generate_series(1, 1200) AS n"
    );
    execute(&app.database, &long).await;
    anna.post(&format!("/v1/matches/{id}/chat/players"), json!({ "text": "another secret of anna's" }))
        .await
        .expect(201);
    let before = ben.get("/v1/events").await.expect(200)["next_cursor"].clone();
    // The node is killed right after the deletion.
    deletes(&anna).await;
    let noted = format!("SELECT 1 / count(*) FROM account_purges WHERE account_id = '{}'", anna.id);
    execute(&app.database, &noted).await;
    broadside::account_deletion::round(&other.app).await.unwrap();
    broadside::moderation::suspend::round(&other.app.matches).await.unwrap();
    for none in [
        "account_purges".to_owned(),
        "account_events WHERE lines LIKE '%secret of anna%'".to_owned(),
        format!("account_events WHERE account_id = '{}'", anna.id),
        format!("event_counters WHERE account_id = '{}'", anna.id),
    ] {
        execute(&app.database, &format!("SELECT 1 / (count(*) = 0)::int FROM {none}")).await;
    }
    // Ben's other data is unchanged, and nothing is done twice.
    let blanked = "SELECT 1 / (count(*) = 2)::int FROM account_events WHERE lines LIKE 'chat %,\"text\":null}'";
    execute(&app.database, blanked).await;
    broadside::account_deletion::round(&other.app).await.unwrap();
    broadside::moderation::suspend::round(&other.app.matches).await.unwrap();
    let (_, before) = before.as_str().unwrap().split_once('-').unwrap();
    assert!(before.parse::<u64>().unwrap() > 1200);
    let ended = ben.sees(&id).await;
    assert!(["finished", "aborted"].contains(&ended["status"].as_str().unwrap()), "{}", ended["status"]);
}

#[actix_web::test]
async fn who_is_suspended_does_not_escape_by_deleting_the_account() {
    const WEEK_S: i64 = 604_800;
    let app = TestApp::start().await;
    let mia = app.moderator("mia").await;
    let (anna, ben) = (app.lasting_player("anna").await, app.player("ben").await);
    let id = anna.challenges_and_meets(&ben, json!({})).await;
    ben.changes_email("ben@example.org").await;
    let body = json!({ "reason": "insults after a warning", "expires_in_s": WEEK_S });
    mia.post("/v1/moderation/players/ben/suspend", body).await.expect(204);
    deletes(&ben).await;

    // Personal data is gone, and nobody can sign in.
    let sign_in = json!({ "username": "ben", "password": ben.password });
    app.post("/v1/sessions", sign_in).await.problem(401, "invalid-credentials");
    let again = json!({ "username": "Ben", "password": "two anchors and a calm" });
    let row = format!("accounts WHERE id = '{}' AND email IS NULL AND password_hash = ''", ben.id);
    execute(&app.database, &format!("SELECT 1 / count(*) FROM {row}")).await;
    // Name and suspension stay, for the others.
    let profile = app.get("/v1/players/ben").await.expect(200);
    assert_eq!((&profile["suspended"], &profile["deleted"]), (&json!(true), &json!(true)));
    let known = mia.get("/v1/moderation/players/ben").await.expect(200);
    assert_eq!(known["suspension"]["reason"], "insults after a warning");
    let done = mia.get("/v1/moderation/actions?player=ben").await.expect(200);
    assert_eq!(done["items"][0]["kind"], "account-suspended");
    assert_eq!(anna.sees(&id).await["seats"][1]["player"]["username"], "ben");
    app.post("/v1/accounts", again.clone()).await.problem(409, "username-taken");
    anna.post("/v1/challenges", json!({ "variant": "classic", "clock": { "kind": "none" }, "opponent": "ben" }))
        .await
        .problem(422, "validation-failed");

    // When the suspension ends, the name goes as well, and stays reserved.
    app.passes_s(WEEK_S).await;
    app.get("/v1/players/ben").await.problem(404, "not-found");
    mia.get("/v1/moderation/players/ben").await.problem(404, "not-found");
    let name = anna.sees(&id).await["seats"][1]["player"]["username"].clone();
    assert!(name.as_str().unwrap().starts_with("deleted-"), "{name}");
    let row = format!("accounts WHERE id = '{}' AND suspension_reason IS NULL AND suspended_at IS NULL", ben.id);
    execute(&app.database, &format!("SELECT 1 / count(*) FROM {row}")).await;
    app.post("/v1/accounts", again).await.problem(409, "username-taken");
}

#[actix_web::test]
async fn an_author_who_goes_takes_the_words_along() {
    let app = TestApp::start().await;
    let (mia, anna, ben) = (app.moderator("mia").await, app.player("anna").await, app.player("ben").await);
    let body = json!({ "title": "Anna's own war", "rules_markdown": "By **Anna Smith**.", "variant": "classic",
        "rule_set": { "contact": "forbidden" } });
    let made = anna.post("/v1/rule-sets", body).await.expect(201);
    let path = format!("/v1/rule-sets/{}", made["hash"].as_str().unwrap());
    deletes(&anna).await;
    let answer = app.get(&path).await;
    let read = answer.expect(200);
    assert_eq!((&read["title"], &read["rules_markdown"], &read["creator"]), (&json!(null), &json!(null), &json!(null)));
    assert!(!answer.text().contains("Anna"));
    assert_eq!(app.get("/v1/rule-sets?search=smith").await.expect(200)["items"], json!([]));
    // The rule set can still be played, but its words are no longer shown.
    ben.post("/v1/challenges", json!({ "named_rule_set": made["hash"], "clock": { "kind": "none" } }))
        .await
        .expect(201);
    let moderated = format!("/v1/moderation{}", path.trim_start_matches("/v1"));
    assert_eq!(mia.get(&moderated).await.expect(200)["title"], json!(null));
    let why = json!({ "reason": "it was a mistake" });
    mia.post(&format!("{moderated}/unhide"), why).await.problem(409, "already-done");
}
