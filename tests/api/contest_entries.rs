//! Entry to a ladder or a tournament: requests that organizers accept or decline, and invitations.

use serde_json::{Value, json};

use crate::support::database::execute;
use crate::support::{Player, TestApp, seven_people};
use crate::tournaments::tournament;

const DAY_S: i64 = 86_400;

/// A ladder and a tournament of this player with these entry rules, by path.
pub async fn contests(maker: &Player, terms: Value) -> [String; 2] {
    let ladder = maker.makes_ladder(terms.clone()).await;
    [format!("/v1/ladders/{ladder}"), tournament(maker, &[], terms).await]
}

/// The path of a contest's sub-resource, for ladders and tournaments.
pub fn at(path: &str, rest: &str) -> String {
    format!("/v1/contests/{}/{rest}", path.rsplit('/').next().unwrap())
}

impl Player {
    pub async fn news_of(&self, kind: &str) -> Vec<Value> {
        self.hears(0).await.into_iter().filter(|event| event["type"] == kind).collect()
    }

    pub async fn does(&self, method: &str, path: &str) {
        self.request(method, path, None).await.expect(204);
    }

    async fn joins_at(&self, path: &str) -> Value {
        self.post(&format!("{path}/join"), json!({})).await.expect(200)
    }

    async fn decides(&self, path: &str, name: &str, answer: &str) {
        self.post(&at(path, &format!("entry-requests/{name}/{answer}")), json!({})).await.expect(204);
    }

    /// The obstacles to the player's joining, as shown in advance and as answered to an attempt.
    pub async fn is_kept_out(&self, path: &str) -> Vec<String> {
        let codes = |list: &Value| -> Vec<String> {
            list.as_array().unwrap().iter().map(|code| code.as_str().unwrap().to_owned()).collect()
        };
        let shown = codes(&self.get(path).await.expect(200)["eligibility"]["join"]["reasons"]);
        let refused = self.post(&format!("{path}/join"), json!({})).await.problem(422, "not-eligible");
        let faults = refused["errors"].as_array().unwrap();
        let faults: Vec<String> = faults.iter().map(|fault| fault["code"].as_str().unwrap().to_owned()).collect();
        assert_eq!(shown, faults);
        shown
    }
}

/// The names of a waiting list, as the organizers see it.
async fn names(organizer: &Player, path: &str, list: &str) -> Vec<String> {
    let shown = organizer.get(&at(path, list)).await.expect(200);
    let name = |entry: &Value| entry["player"]["username"].as_str().unwrap().to_owned();
    let mut names: Vec<String> = shown["items"].as_array().unwrap().iter().map(name).collect();
    names.sort_unstable();
    names
}

async fn takes_part(player: &Player, path: &str) -> bool {
    let shown = player.get(path).await.expect(200);
    match path.contains("ladders") {
        true => shown["membership"].is_object(),
        false => shown["eligibility"]["join"]["reasons"] == json!(["already-joined"]),
    }
}

#[actix_web::test]
async fn where_entry_is_by_approval_joining_asks() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, dora, ..] = people.as_slice() else { unreachable!() };
    for path in contests(anna, json!({ "entry": "approval" })).await {
        anna.does("PUT", &format!("{path}/organizers/carl")).await;
        assert_eq!(ben.get(&path).await.expect(200)["entry"], "approval");
        for _ in 0..2 {
            let asked = ben.joins_at(&path).await;
            assert_eq!(asked["own_entry"]["state"], "requested");
        }
        assert!(!takes_part(ben, &path).await);
        let own = ben.get("/v1/account/contest-entries").await.expect(200);
        assert_eq!((&own["items"][0]["state"], &own["items"][0]["invited_by"]), (&json!("requested"), &Value::Null));
        assert_eq!(names(carl, &path, "entry-requests").await, ["ben"]);

        dora.get(&at(&path, "entry-requests")).await.problem(403, "not-an-organizer");
        for answer in ["accept", "decline"] {
            let one = at(&path, &format!("entry-requests/ben/{answer}"));
            dora.post(&one, json!({})).await.problem(403, "not-an-organizer");
        }
        let why = json!({ "reason": "We are full for this season." });
        carl.post(&at(&path, "entry-requests/ben/decline"), why).await.expect(204);
        assert_eq!(ben.is_kept_out(&path).await, ["request-declined"]);
        carl.post(&at(&path, "entry-requests/ben/accept"), json!({})).await.problem(404, "not-found");
        app.passes_s(7 * DAY_S).await;
        ben.joins_at(&path).await;
        anna.decides(&path, "BEN", "accept").await;
        assert!(takes_part(ben, &path).await);
        assert_eq!(ben.get(&path).await.expect(200)["own_entry"], Value::Null);
        anna.post(&at(&path, "entry-requests/ben/accept"), json!({})).await.problem(404, "not-found");
        // An organizer needs no approval.
        carl.joins_at(&path).await;
        assert!(takes_part(carl, &path).await);
    }
    // One notification for each new request.
    for organizer in [anna, carl] {
        assert_eq!(organizer.news_of("contest-entry-requested").await.len(), 4);
    }
    let declined = ben.news_of("contest-entry-declined").await;
    assert_eq!((declined.len(), &declined[0]["reason"]), (2, &json!("We are full for this season.")));
    assert_eq!(ben.news_of("contest-entry-accepted").await.len(), 2);
    assert_eq!(ben.get("/v1/account/contest-entries").await.expect(200)["items"], json!([]));
}

#[actix_web::test]
async fn a_request_is_judged_again_when_it_is_accepted() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, dora, ..] = people.as_slice() else { unreachable!() };
    let codes = |problem: Value| problem["errors"][0]["code"].clone();
    let ladder = anna.makes_ladder(json!({ "entry": "approval", "audience": "humans", "max_pairings": 3 })).await;
    let ladder = format!("/v1/ladders/{ladder}");
    ben.post(&format!("{ladder}/join"), json!({ "wanted_pairings": 3 })).await.expect(200);
    ben.request("PATCH", "/v1/account", Some(json!({ "bot": true }))).await.expect(200);
    let accept = at(&ladder, "entry-requests/ben/accept");
    assert_eq!(codes(anna.post(&accept, json!({})).await.problem(422, "not-eligible")), "humans-only");
    ben.request("PATCH", "/v1/account", Some(json!({ "bot": false }))).await.expect(200);
    anna.post(&accept, json!({})).await.expect(204);
    assert_eq!(ben.get(&ladder).await.expect(200)["membership"]["wanted_pairings"], 3);

    let cup = tournament(anna, &[], json!({ "entry": "approval", "max_players": 3 })).await;
    for player in [ben, carl, dora] {
        player.joins_at(&cup).await;
    }
    anna.joins_at(&cup).await;
    anna.decides(&cup, "ben", "accept").await;
    anna.decides(&cup, "carl", "accept").await;
    let refused = anna.post(&at(&cup, "entry-requests/dora/accept"), json!({})).await;
    assert_eq!(codes(refused.problem(422, "not-eligible")), "tournament-full");
}

#[actix_web::test]
async fn a_request_is_withdrawn_and_lapses_when_everybody_may_join() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, ..] = people.as_slice() else { unreachable!() };
    for path in contests(anna, json!({ "entry": "approval" })).await {
        ben.joins_at(&path).await;
        carl.joins_at(&path).await;
        for _ in 0..2 {
            ben.does("DELETE", &at(&path, "entry-request")).await;
        }
        assert_eq!(names(anna, &path, "entry-requests").await, ["carl"]);
        anna.request("PATCH", &path, Some(json!({ "entry": "open" }))).await.expect(200);
        assert!(names(anna, &path, "entry-requests").await.is_empty());
        assert!(!takes_part(carl, &path).await, "nobody is in who hasn't said so by now");
        for player in [ben, carl] {
            player.joins_at(&path).await;
            assert!(takes_part(player, &path).await);
        }
    }
    let told = carl.news_of("contest-invited").await;
    assert_eq!((told.len(), &told[0]["invited_by_id"]), (2, &Value::Null));
    assert!(ben.news_of("contest-invited").await.is_empty());
}

#[actix_web::test]
async fn by_invitation_only_the_invited_join() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, dora, emil, ..] = people.as_slice() else { unreachable!() };
    for path in contests(anna, json!({ "entry": "invitation" })).await {
        assert_eq!(ben.is_kept_out(&path).await, ["invitation-required"]);
        dora.get(&at(&path, "invitations")).await.problem(403, "not-an-organizer");
        dora.request("PUT", &at(&path, "invitations/ben"), None).await.problem(403, "not-an-organizer");
        for name in ["ben", "BEN", "carl", "dora"] {
            anna.does("PUT", &at(&path, &format!("invitations/{name}"))).await;
        }
        assert_eq!(names(anna, &path, "invitations").await, ["ben", "carl", "dora"]);
        let own = ben.get("/v1/account/contest-entries").await.expect(200);
        let first = &own["items"][0];
        assert_eq!((&first["state"], &first["invited_by"]["username"]), (&json!("invited"), &json!("anna")));
        ben.joins_at(&path).await;
        assert!(takes_part(ben, &path).await);
        // Already a member: nothing happens.
        anna.does("PUT", &at(&path, "invitations/ben")).await;

        carl.does("DELETE", &at(&path, "invitations/carl")).await;
        assert_eq!(carl.is_kept_out(&path).await, ["invitation-required"]);
        anna.request("PUT", &at(&path, "invitations/carl"), None).await.problem(409, "quota-exceeded");
        app.passes_s(7 * DAY_S).await;
        anna.does("PUT", &at(&path, "invitations/carl")).await;

        emil.request("DELETE", &at(&path, "invitations/dora"), None).await.problem(403, "not-an-organizer");
        anna.does("DELETE", &at(&path, "invitations/dora")).await;
        assert_eq!(dora.is_kept_out(&path).await, ["invitation-required"]);
        anna.request("PUT", &at(&path, "invitations/anna"), None).await.problem(422, "own-account");
        anna.request("PUT", &at(&path, "invitations/nobody"), None).await.problem(404, "not-found");

        let end = if path.contains("ladders") { "close" } else { "cancel" };
        anna.post(&format!("{path}/{end}"), json!({ "reason": "rain" })).await.expect(200);
        let closed = if path.contains("ladders") { "ladder-closed" } else { "tournament-closed" };
        anna.request("PUT", &at(&path, "invitations/emil"), None).await.problem(409, closed);
    }
    assert_eq!(ben.news_of("contest-invited").await.len(), 2);
    assert_eq!(carl.get("/v1/account/contest-entries").await.expect(200)["items"], json!([]), "they are over");
    let declined = anna.news_of("contest-invitation-declined").await;
    assert_eq!((declined.len(), &declined[0]["player_id"]), (2, &carl.get("/v1/account").await.expect(200)["id"]));
}

#[actix_web::test]
async fn an_invitation_needs_no_approval() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, ..] = people.as_slice() else { unreachable!() };
    for path in contests(anna, json!({ "entry": "approval" })).await {
        carl.joins_at(&path).await;
        for name in ["ben", "carl"] {
            anna.does("PUT", &at(&path, &format!("invitations/{name}"))).await;
        }
        assert!(names(anna, &path, "entry-requests").await.is_empty(), "it is an invitation now");
        for player in [ben, carl] {
            player.joins_at(&path).await;
            assert!(takes_part(player, &path).await);
        }
    }
}

#[actix_web::test]
async fn nobody_is_invited_against_a_block() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, dora, ..] = people.as_slice() else { unreachable!() };
    ben.does("PUT", "/v1/account/blocks/anna").await;
    anna.does("PUT", "/v1/account/blocks/carl").await;
    let paths = contests(anna, json!({ "entry": "invitation" })).await;
    for path in &paths {
        let unknown = anna.request("PUT", &at(path, "invitations/nobody"), None).await.problem(404, "not-found");
        let blocking = anna.request("PUT", &at(path, "invitations/ben"), None).await.problem(404, "not-found");
        let said = [&unknown["detail"], &blocking["detail"]];
        assert_eq!(said, ["There is no player nobody.", "There is no player ben."], "nobody learns of a block");
        anna.request("PUT", &at(path, "invitations/carl"), None).await.problem(422, "player-blocked");
        anna.does("PUT", &at(path, "invitations/dora")).await;
    }
    // A block ends an invitation.
    dora.does("PUT", "/v1/account/blocks/anna").await;
    assert_eq!(dora.get("/v1/account/contest-entries").await.expect(200)["items"], json!([]));
    for path in &paths {
        assert_eq!(dora.is_kept_out(path).await, ["invitation-required"]);
    }
    assert!(carl.news_of("contest-invited").await.is_empty());
}

#[actix_web::test]
async fn not_everybody_waits_for_everything() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let hans = app.player("hans").await;
    let mut asked = 0;
    for maker in &people {
        for _ in 0..3 {
            let path = format!("/v1/ladders/{}", maker.makes_ladder(json!({ "entry": "approval" })).await);
            match asked {
                20 => drop(hans.post(&format!("{path}/join"), json!({})).await.problem(409, "quota-exceeded")),
                _ => drop(hans.joins_at(&path).await),
            }
            asked = (asked + 1).min(20);
        }
    }
    let cup = tournament(&people[0], &[], json!({ "entry": "approval" })).await;
    hans.post(&format!("{cup}/join"), json!({})).await.problem(409, "quota-exceeded");

    let many = format!(
        "INSERT INTO contest_entries SELECT '{}', gen_random_uuid(), 'tournament', 'invited', 1, null, now() \
         FROM generate_series(1, 200)",
        cup.rsplit('/').next().unwrap()
    );
    execute(&app.database, &many).await;
    people[0].request("PUT", &at(&cup, "invitations/ben"), None).await.problem(409, "quota-exceeded");
}

#[actix_web::test]
async fn who_goes_asks_no_more() {
    let app = TestApp::start().await;
    let [anna, ben, carl] = [app.player("anna"), app.player("ben"), app.player("carl")];
    let (anna, ben, carl) = (&anna.await, &ben.await, &carl.await);
    let [ladder, cup] = contests(anna, json!({ "entry": "approval" })).await;
    ben.joins_at(&ladder).await;
    anna.does("PUT", &at(&cup, "invitations/ben")).await;
    anna.does("PUT", &format!("{cup}/organizers/carl")).await;
    carl.does("PUT", &at(&cup, "invitations/anna")).await;
    let export = ben.get("/v1/account/export").await.expect(200);
    let states = export["contest_entries"].as_array().unwrap().iter().map(|entry| entry["state"].as_str().unwrap());
    let mut states: Vec<&str> = states.collect();
    states.sort_unstable();
    assert_eq!(states, ["invited", "requested"]);
    let gone = json!({ "password": ben.password });
    ben.request("DELETE", "/v1/account", Some(gone)).await.expect(204);
    assert!(names(anna, &ladder, "entry-requests").await.is_empty());
    assert!(names(anna, &cup, "invitations").await.is_empty());
}

#[actix_web::test]
async fn organizers_who_are_suspended_decide_nothing() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, ..] = people.as_slice() else { unreachable!() };
    let moderator = app.moderator("mona").await;
    let paths = contests(anna, json!({ "entry": "approval" })).await;
    for path in &paths {
        ben.joins_at(path).await;
        anna.does("PUT", &at(path, "invitations/carl")).await;
        carl.joins_at(path).await;
    }
    let why = json!({ "reason": "insults after a warning" });
    moderator.post("/v1/moderation/players/anna/suspend", why).await.expect(204);
    for path in &paths {
        for (method, rest, body) in [
            ("POST", "entry-requests/ben/accept", Some(json!({}))),
            ("POST", "entry-requests/ben/decline", Some(json!({}))),
            ("PUT", "invitations/dora", None),
            ("DELETE", "invitations/dora", None),
            ("POST", "members/carl/remove", Some(json!({ "reason": "no" }))),
            ("POST", "members/carl/warn", Some(json!({ "text": "no" }))),
            ("DELETE", "bars/carl", None),
            ("POST", "announcements", Some(json!({ "text": "no" }))),
        ] {
            anna.request(method, &at(path, rest), body).await.problem(403, "account-suspended");
        }
    }
}

/// Withdrawing and repeating a request must not become harassment.
#[actix_web::test]
async fn what_was_taken_back_is_news_once_a_day() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, ..] = people.as_slice() else { unreachable!() };
    let cup = tournament(anna, &[], json!({ "entry": "approval" })).await;
    let invitation = at(&cup, "invitations/ben");
    for _ in 0..3 {
        carl.joins_at(&cup).await;
        carl.does("DELETE", &at(&cup, "entry-request")).await;
        anna.request("PUT", &invitation, None).await.expect(204);
        anna.request("DELETE", &invitation, None).await.expect(204);
    }
    assert_eq!(ben.get(&cup).await.expect(200)["own_entry"]["state"], "taken-back");
    assert_eq!(ben.news_of("contest-invited").await.len(), 1);
    assert_eq!(anna.news_of("contest-entry-requested").await.len(), 1);
    assert_eq!(ben.get("/v1/account/contest-entries").await.expect(200)["items"], json!([]));
    app.passes_s(DAY_S).await;
    anna.request("PUT", &invitation, None).await.expect(204);
    assert_eq!(ben.news_of("contest-invited").await.len(), 2);
    ben.joins_at(&cup).await;
    assert!(takes_part(ben, &cup).await);
}
