//! Reports of public texts, and their removal by moderators.

use serde_json::{Value, json};

use crate::contest_entries::{at, contests};
use crate::registered_apps::{PATH, terms};
use crate::support::{Player, TestApp, seven_people};

const RUDE: &str = "Rude words";

fn id_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap()
}

/// Reports a text; returns the report as moderators see it.
async fn reports(who: &Player, mia: &Player, subject: &str, id: &str) -> Value {
    let path = format!("/v1/abuse-reports/{subject}/{id}");
    who.app.passes_unseen_s(1);
    for _ in 0..2 {
        who.post(&path, json!({ "reason": "harassment" })).await.expect(204);
    }
    let open = mia.get("/v1/moderation/abuse-reports").await.expect(200);
    let items = open["items"].as_array().unwrap();
    assert_eq!(items.len(), 1, "{subject}: one of each reporter");
    let reported = &items[0]["subject"];
    assert_eq!((&reported["type"], &reported["kind"], &reported["id"]), (&json!("text"), &json!(subject), &json!(id)));
    items[0].clone()
}

async fn removes(mia: &Player, report: &Value) {
    let path = format!("/v1/moderation/abuse-reports/{}/resolve", report["id"].as_str().unwrap());
    mia.post(&path, json!({ "resolution": "removed", "reason": "It is rude." })).await.expect(204);
}

async fn own(author: &Player, subject: &str, id: &str) {
    let report = json!({ "reason": "other" });
    let path = format!("/v1/abuse-reports/{subject}/{id}");
    author.post(&path, report.clone()).await.problem(422, "own-message");
    let unknown = path.replace(id, "0199c2a8-7d4e-7c3a-9f10-5b1e6a2d8c47");
    author.post(&unknown, report.clone()).await.problem(404, "not-found");
    author.app.post(&path, report).await.problem(401, "token-missing");
}

#[actix_web::test]
async fn a_challenge_is_reported_and_removed() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let mia = app.moderator("mia").await;
    let [anna, ben, carl, ..] = people.as_slice() else { unreachable!() };
    let fleet = json!([{ "class": "raft", "name": "Rude raft", "length": 2, "count": 3 }]);
    let body = json!({ "variant": "classic", "clock": { "kind": "none" }, "opponent": "ben", "message": RUDE,
        "rule_set": { "fleet": fleet } });
    let made = anna.post("/v1/challenges", body).await.expect(201);
    let id = made["id"].as_str().unwrap();
    own(anna, "challenge", id).await;
    let path = format!("/v1/abuse-reports/challenge/{id}");
    carl.post(&path, json!({ "reason": "other" })).await.problem(404, "not-found");
    let report = reports(ben, &mia, "challenge", id).await;
    assert_eq!(report["subject"]["text"], format!("{RUDE}\nRude raft\nraft"));
    assert_eq!(report["author"]["username"], "anna");
    removes(&mia, &report).await;
    let read = ben.get(&format!("/v1/challenges/{id}")).await.expect(200);
    assert_eq!((&read["status"], &read["message"]), (&json!("withdrawn"), &Value::Null));
    for player in [anna, ben] {
        assert_eq!(player.news_of("challenge-withdrawn").await.len(), 1);
    }
    let plain = json!({ "variant": "classic", "clock": { "kind": "none" } });
    let plain = anna.post("/v1/challenges", plain).await.expect(201);
    let path = format!("/v1/abuse-reports/challenge/{}", plain["id"].as_str().unwrap());
    ben.post(&path, json!({ "reason": "other" })).await.problem(404, "not-found");
    ben.post(&path.replace("challenge", "song"), json!({ "reason": "other" })).await.problem(404, "not-found");
}

#[actix_web::test]
async fn the_message_of_a_request_for_a_substitute_is_reported_and_removed() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let mia = app.moderator("mia").await;
    let [anna, ben, carl, ..] = people.as_slice() else { unreachable!() };
    let id = anna.challenges_and_meets(ben, json!({ "spectators": false })).await;
    let asked = json!({ "message": RUDE, "player": "dora" });
    let asked = anna.post(&format!("/v1/matches/{id}/substitutions"), asked).await.expect(201);
    let id = asked["id"].as_str().unwrap();
    own(anna, "substitution", id).await;
    // A stranger can neither read nor report it.
    let path = format!("/v1/abuse-reports/substitution/{id}");
    let read = carl.get(&format!("/v1/substitutions/{id}")).await;
    let refused = carl.post(&path, json!({ "reason": "other" })).await;
    assert_eq!((read.status, refused.status), (404, 404), "{} {}", read.text(), refused.text());
    let report = reports(ben, &mia, "substitution", id).await;
    assert_eq!(report["subject"]["text"], RUDE);
    removes(&mia, &report).await;
    assert_eq!(ben.get(&format!("/v1/substitutions/{id}")).await.expect(200)["message"], Value::Null);
}

#[actix_web::test]
async fn what_organizers_write_is_reported_and_removed() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let mia = app.moderator("mia").await;
    let [anna, ben, carl, ..] = people.as_slice() else { unreachable!() };
    for path in contests(anna, json!({ "title": RUDE, "description": "Rude description", "entry": "approval" })).await {
        let id = id_of(&path);
        own(anna, "contest", id).await;
        let report = reports(ben, &mia, "contest", id).await;
        let subject = &report["subject"];
        assert_eq!((&subject["title"], &subject["text"]), (&json!(RUDE), &json!("Rude description")));
        removes(&mia, &report).await;
        let read = app.get(&path).await.expect(200);
        let kind = if path.contains("ladders") { "Ladder" } else { "Tournament" };
        assert_eq!(read["title"], format!("{kind} {}", &id[id.len() - 8..]));
        assert_eq!(read["description"], Value::Null);

        let announced = anna.post(&at(&path, "announcements"), json!({ "text": RUDE })).await.expect(201);
        let announced = announced["id"].as_str().unwrap();
        own(anna, "announcement", announced).await;
        let report = reports(ben, &mia, "announcement", announced).await;
        assert_eq!(report["subject"]["text"], RUDE);
        removes(&mia, &report).await;
        assert_eq!(ben.get(&at(&path, "announcements")).await.expect(200)["items"], json!([]));

        // Decisions can be reported only by the player concerned.
        for player in [ben, carl] {
            player.post(&format!("{path}/join"), json!({})).await.expect(200);
        }
        let why = json!({ "reason": RUDE });
        anna.post(&at(&path, "entry-requests/carl/decline"), why.clone()).await.expect(204);
        anna.post(&at(&path, "entry-requests/ben/accept"), json!({})).await.expect(204);
        anna.post(&at(&path, "members/ben/warn"), json!({ "text": RUDE })).await.expect(204);
        anna.post(&at(&path, "members/ben/remove"), why).await.expect(204);
        for (player, other, kind) in [
            (carl, ben, "contest-entry-declined"),
            (ben, carl, "contest-member-warned"),
            (ben, carl, "contest-member-removed"),
        ] {
            let news = player.news_of(kind).await;
            let id = news.last().unwrap()["decision_id"].as_str().unwrap();
            let path = format!("/v1/abuse-reports/decision/{id}");
            for stranger in [anna, other] {
                stranger.post(&path, json!({ "reason": "other" })).await.problem(404, "not-found");
            }
            let report = reports(player, &mia, "decision", id).await;
            assert_eq!((&report["subject"]["text"], &report["author"]["username"]), (&json!(RUDE), &json!("anna")));
            removes(&mia, &report).await;
        }
        let log = anna.get(&at(&path, "log")).await.expect(200);
        assert!(log["items"].as_array().unwrap().iter().all(|entry| entry["reason"].is_null()), "{log}");
    }
    let done = mia.get("/v1/moderation/actions?player=anna").await.expect(200);
    let first = &done["items"][0];
    assert_eq!((&first["kind"], &first["details"]["resolution"]), (&json!("abuse-report-resolved"), &json!("removed")));
}

#[actix_web::test]
async fn apps_bots_and_pauses_are_reported_and_removed() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let mia = app.moderator("mia").await;
    let [anna, ben, ..] = people.as_slice() else { unreachable!() };
    let mut rude = terms("Rude App");
    rude["description"] = json!(RUDE);
    let made = anna.signed_in().await.post(PATH, rude).await.expect(201);
    let id = made["id"].as_str().unwrap();
    own(anna, "app", id).await;
    let report = reports(ben, &mia, "app", id).await;
    let subject = &report["subject"];
    assert_eq!((&subject["title"], &subject["text"]), (&json!("Rude App"), &json!(RUDE)));
    removes(&mia, &report).await;
    let shown = app.get(&format!("/v1/apps/{id}")).await.expect(200);
    assert_eq!((&shown["name"], &shown["description"]), (&json!(format!("App {}", &id[id.len() - 8..])), &json!("")));
    let again = terms("Rude App");
    ben.signed_in().await.post(PATH, again).await.expect(409);

    anna.request("PATCH", "/v1/account", Some(json!({ "bot": true, "bio": "Anna's" }))).await.expect(200);
    anna.request("PUT", "/v1/account/bot-offer", Some(json!({ "description": RUDE }))).await.expect(200);
    app.passes_unseen_s(1);
    ben.post("/v1/players/anna/report", json!({ "reason": "hate" })).await.expect(204);
    let report = mia.get("/v1/moderation/abuse-reports").await.expect(200)["items"][0].clone();
    assert_eq!(report["subject"]["bio"], format!("Anna's\n{RUDE}"));
    removes(&mia, &report).await;
    assert_eq!(app.get("/v1/bots").await.expect(200)["items"][0]["offer"]["description"], Value::Null);

    for path in contests(anna, json!({ "title": "A quiet title" })).await {
        anna.post(&at(&path, "pause"), json!({ "reason": RUDE })).await.expect(200);
        let report = reports(ben, &mia, "contest", id_of(&path)).await;
        assert_eq!(report["subject"]["text"], RUDE);
        removes(&mia, &report).await;
        let read = app.get(&path).await.expect(200);
        assert!(read["pause"].is_object() && !read.to_string().contains(RUDE), "{read}");
    }
}

#[actix_web::test]
async fn messages_profiles_and_rule_sets_are_removed_as_well() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let mia = app.moderator("mia").await;
    let [anna, ben, ..] = people.as_slice() else { unreachable!() };
    let id = anna.challenges_and_meets(ben, json!({})).await;
    let room = format!("/v1/matches/{id}/chat/players");
    anna.post(&room, json!({ "text": RUDE })).await.expect(201);
    let about = json!({ "bio": RUDE, "club": "Brest", "country": "FR" });
    anna.request("PATCH", "/v1/account", Some(about)).await.expect(200);
    let named = json!({ "title": RUDE, "variant": "classic", "rule_set": { "contact": "forbidden" } });
    let hash = anna.post("/v1/rule-sets", named).await.expect(201)["hash"].as_str().unwrap().to_owned();
    for path in
        [format!("{room}/1/report"), "/v1/players/anna/report".to_owned(), format!("/v1/rule-sets/{hash}/report")]
    {
        ben.post(&path, json!({ "reason": "hate" })).await.expect(204);
    }
    let open = mia.get("/v1/moderation/abuse-reports").await.expect(200);
    for report in open["items"].as_array().unwrap() {
        removes(&mia, report).await;
    }
    assert_eq!(ben.get(&room).await.expect(200)["items"][0]["text"], Value::Null);
    let profile = app.get("/v1/players/anna").await.expect(200);
    assert_eq!((&profile["bio"], &profile["club"], &profile["country"]), (&Value::Null, &Value::Null, &json!("FR")));
    assert!(!app.get(&format!("/v1/rule-sets/{hash}")).await.text().contains(RUDE));
}
