//! Additional organizers of a contest: their rights and limits, and a creator's departure.

use serde_json::{Value, json};

use crate::support::database::execute;
use crate::support::{Player, TestApp, seven_people};
use crate::tournaments::tournament;

/// The names of the contest's additional organizers.
async fn organizers(app: &TestApp, path: &str) -> Vec<String> {
    let shown = app.get(path).await.expect(200);
    let name = |player: &Value| player["username"].as_str().unwrap().to_owned();
    shown["organizers"].as_array().unwrap().iter().map(name).collect()
}

impl Player {
    async fn names(&self, path: &str, other: &str) {
        self.request("PUT", &format!("{path}/organizers/{other}"), None).await.expect(204);
    }

    async fn refused(&self, method: &str, path: &str, other: &str, status: u16, code: &str) {
        self.request(method, &format!("{path}/organizers/{other}"), None).await.problem(status, code);
    }

    async fn heard_of(&self, kind: &str) -> Vec<Value> {
        self.hears(0).await.into_iter().filter(|event| event["type"] == kind).collect()
    }

    async fn deletes_the_account(&self) {
        self.request("DELETE", "/v1/account", Some(json!({ "password": self.password }))).await.expect(204);
    }
}

/// A ladder and a tournament of this player.
async fn contests(maker: &Player) -> [String; 2] {
    let ladder = maker.makes_ladder(json!({})).await;
    [format!("/v1/ladders/{ladder}"), tournament(maker, &[], json!({})).await]
}

#[actix_web::test]
async fn who_is_named_runs_it_but_for_its_end() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, ..] = people.as_slice() else { unreachable!() };
    for path in contests(anna).await {
        carl.refused("PUT", &path, "carl", 403, "not-the-creator").await;
        anna.names(&path, "BEN").await;
        // Repeating it changes nothing, and notifies nobody.
        anna.names(&path, "ben").await;
        assert_eq!(organizers(&app, &path).await, ["ben"]);
        let edited = ben.request("PATCH", &path, Some(json!({ "title": "Ben's hand" }))).await.expect(200);
        assert_eq!([&edited["title"], &edited["creator"]["username"]], [&json!("Ben's hand"), &json!("anna")]);
        ben.refused("PUT", &path, "carl", 403, "not-the-creator").await;
        let end = if path.contains("ladders") { "close" } else { "cancel" };
        let why = json!({ "reason": "I don't like it" });
        ben.post(&format!("{path}/{end}"), why).await.problem(403, "not-the-creator");
        anna.refused("PUT", &path, "anna", 422, "own-account").await;
        anna.refused("PUT", &path, "nobody", 404, "not-found").await;
    }
    let told = ben.heard_of("contest-organizer-added").await;
    assert_eq!(told.len(), 2);
    assert!(told[0]["ladder_id"].is_string() && told[0]["tournament_id"].is_null(), "{told:?}");
    assert!(told[1]["ladder_id"].is_null() && told[1]["tournament_id"].is_string(), "{told:?}");

    let cup = tournament(anna, &people[2..6], json!({})).await;
    ben.post(&format!("{cup}/start"), json!({})).await.problem(403, "not-an-organizer");
    anna.names(&cup, "ben").await;
    assert_eq!(ben.post(&format!("{cup}/start"), json!({})).await.expect(200)["status"], "running");
}

#[actix_web::test]
async fn who_was_named_is_removed_or_gives_it_up() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, ..] = people.as_slice() else { unreachable!() };
    for path in contests(anna).await {
        anna.names(&path, "ben").await;
        anna.names(&path, "carl").await;
        ben.refused("DELETE", &path, "carl", 403, "not-the-creator").await;
        anna.request("DELETE", &format!("{path}/organizers/carl"), None).await.expect(204);
        ben.request("DELETE", &format!("{path}/organizers/ben"), None).await.expect(204);
        assert!(organizers(&app, &path).await.is_empty());
        for gone in [ben, carl] {
            let change = json!({ "title": "Still mine" });
            gone.request("PATCH", &path, Some(change)).await.problem(403, "not-an-organizer");
        }
        // Removing a non-organizer is idempotent.
        anna.request("DELETE", &format!("{path}/organizers/carl"), None).await.expect(204);
    }
    assert_eq!(carl.heard_of("contest-organizer-removed").await.len(), 2);
    assert!(ben.heard_of("contest-organizer-removed").await.is_empty());
}

#[actix_web::test]
async fn nobody_is_named_against_a_block_and_not_more_than_ten() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, ..] = people.as_slice() else { unreachable!() };
    for number in 0..9 {
        app.player(&format!("helper{number}")).await;
    }
    for path in contests(anna).await {
        ben.request("PUT", "/v1/account/blocks/anna", None).await.expect(204);
        anna.refused("PUT", &path, "ben", 404, "not-found").await;
        anna.request("PUT", "/v1/account/blocks/carl", None).await.expect(204);
        anna.refused("PUT", &path, "carl", 422, "player-blocked").await;
        anna.request("DELETE", "/v1/account/blocks/carl", None).await.expect(204);
        let (kind, id) = path.trim_start_matches("/v1/").split_once("s/").unwrap();
        let many = format!(
            "INSERT INTO contest_organizers SELECT '{id}', id, '{kind}', false, now() \
             FROM accounts WHERE username LIKE 'helper%'"
        );
        execute(&app.database, &many).await;
        anna.names(&path, "carl").await;
        assert_eq!(organizers(&app, &path).await.len(), 10);
        let dora = &people[3];
        anna.refused("PUT", &path, &dora.name, 409, "quota-exceeded").await;
    }
}

#[actix_web::test]
async fn a_contest_goes_on_without_its_creator() {
    let app = TestApp::start().await;
    // Only a session exports and deletes an account.
    let [anna, ben, carl, dora] = [app.player("anna"), app.player("ben"), app.player("carl"), app.player("dora")];
    let (anna, ben, carl, dora) = (&anna.await, &ben.await, &carl.await, &dora.await);
    let paths = contests(anna).await;
    for path in &paths {
        for name in ["ben", "carl"] {
            anna.names(path, name).await;
            app.passes_s(1).await;
        }
    }
    let export = ben.get("/v1/account/export").await.expect(200);
    assert_eq!(export["organized_contests"].as_array().unwrap().len(), 2);
    anna.deletes_the_account().await;
    for path in &paths {
        assert_eq!(organizers(&app, path).await, ["ben", "carl"]);
        // The organizer who was named first inherits the creator's rights.
        carl.refused("PUT", path, &dora.name, 403, "not-the-creator").await;
        ben.names(path, &dora.name).await;
    }
    ben.deletes_the_account().await;
    let why = json!({ "reason": "the club is no more" });
    for (path, end) in paths.iter().zip(["close", "cancel"]) {
        assert_eq!(organizers(&app, path).await, ["carl", dora.name.as_str()]);
        dora.post(&format!("{path}/{end}"), why.clone()).await.problem(403, "not-the-creator");
        carl.post(&format!("{path}/{end}"), why.clone()).await.expect(200);
    }
}
