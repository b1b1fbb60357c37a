//! Ladders: created, joined and left within their terms; the server pairs the members, and results go into the season's
//! standings.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::{Player, TestApp, seven_people};

pub const DAY_S: i64 = 86_400;

/// The terms of a plain ladder, with these in addition.
pub fn terms(more: Value) -> Value {
    let mut terms = json!({
        "title": "Tuesday ladder", "variant": "classic", "clock": { "kind": "per-move", "move_s": 86_400 },
    });
    terms.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    terms
}

impl Player {
    /// Makes a ladder with these terms beside the plain ones; returns its id. On a rating ladder, two players may meet
    /// again at once by default.
    pub async fn makes_ladder(&self, more: Value) -> String {
        let mut terms = terms(more);
        if terms["format"] != "position" && terms["pairing_rule"].is_null() {
            terms["pairing_rule"] = json!({ "no_return_s": 0 });
        }
        let ladder = self.post("/v1/ladders", terms).await.expect(201);
        ladder["id"].as_str().unwrap().to_owned()
    }

    pub async fn joins(&self, ladder: &str, simultaneous: u32) -> Value {
        let wish = json!({ "wanted_pairings": simultaneous });
        self.post(&format!("/v1/ladders/{ladder}/join"), wish).await.expect(200)
    }

    pub async fn looks_at(&self, ladder: &str) -> Value {
        self.get(&format!("/v1/ladders/{ladder}")).await.expect(200)
    }

    /// The player's running matches, newest first.
    pub async fn at_play(&self) -> Vec<String> {
        let mut ids = Vec::new();
        for status in ["deploying", "playing"] {
            let found =
                self.get(&format!("/v1/matches?player={}&status={status}&limit=100", self.name)).await.expect(200);
            ids.extend(found["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap().to_owned()));
        }
        ids
    }

    /// Both place their fleets, and this player resigns.
    pub async fn loses(&self, other: &Player, id: &str) {
        let deploying = self.sees(id).await["status"] == "deploying";
        for player in [self, other].into_iter().filter(|_| deploying) {
            player.acts(id, json!({ "type": "deploy-auto" })).await.expect(200);
        }
        self.acts(id, json!({ "type": "resign" })).await.expect(200);
    }
}

/// A ladder's pairings, newest first.
pub async fn pairings(app: &TestApp, ladder: &str) -> Vec<Value> {
    let page = app.get(&format!("/v1/ladders/{ladder}/pairings?limit=100")).await.expect(200);
    page["items"].as_array().unwrap().clone()
}

/// The standings, as (name, points, pairings).
pub async fn standings(app: &TestApp, ladder: &str, query: &str) -> Vec<(String, f64, u64)> {
    let page = app.get(&format!("/v1/ladders/{ladder}/standings?{query}")).await.expect(200);
    let row = |row: &Value| {
        let name = row["player"]["username"].as_str().unwrap().to_owned();
        (name, row["points"].as_f64().unwrap(), row["pairings"].as_u64().unwrap())
    };
    page["items"].as_array().unwrap().iter().map(row).collect()
}

/// Ends every running pairing of two: the alphabetically later player resigns.
pub async fn the_first_by_name_win(app: &TestApp, ladder: &str, people: &[Player]) {
    for pairing in pairings(app, ladder).await {
        let by_name = |number: usize| {
            let name = pairing["players"][number]["player"]["username"].as_str().unwrap();
            people.iter().find(|player| player.name == name).unwrap()
        };
        let (one, other) = (by_name(0), by_name(1));
        let (winner, loser) = if one.name < other.name { (one, other) } else { (other, one) };
        for game in pairing["games"].as_array().unwrap().iter().filter(|game| game["finished"] == false) {
            loser.loses(winner, game["match_id"].as_str().unwrap()).await;
        }
    }
}

#[actix_web::test]
async fn players_make_a_ladder_join_it_and_are_brought_together() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (anna, ben) = (&people[0], &people[1]);
    let id = anna.makes_ladder(json!({ "rated": true, "description": "Every Tuesday.\nAnd on other days." })).await;
    let ladder = ben.looks_at(&id).await;
    assert_eq!(
        [&ladder["eligibility"], &ladder["membership"]],
        [&json!({ "join": { "allowed": true, "reasons": [] } }), &Value::Null]
    );
    assert_eq!(
        [&ladder["pool"], &ladder["members"], &ladder["format"]],
        [&json!("classic-days"), &json!(0), &json!("rating")]
    );
    assert_eq!(app.get(&format!("/v1/ladders/{id}")).await.expect(200)["eligibility"], Value::Null);

    anna.joins(&id, 1).await;
    let joined = ben.joins(&id, 1).await;
    assert_eq!([&joined["membership"]["status"], &joined["members"]], [&json!("active"), &json!(2)]);
    app.passes_s(1).await;
    let matches = anna.at_play().await;
    assert_eq!(matches, ben.at_play().await);
    let [only] = matches.as_slice() else { panic!("{matches:?}") };
    let view = anna.sees(only).await;
    assert_eq!([&view["rated"], &view["pairing"]["ladder_id"]], [&json!(true), &json!(id)]);
    // Nobody else joins, and both are busy.
    app.passes_s(3600).await;
    assert_eq!(anna.at_play().await.len(), 1);

    ben.loses(anna, only).await;
    assert!(standings(&app, &id, "").await.iter().all(|row| row.2 == 0), "it is taken in a moment later");
    app.passes_s(1).await;
    assert_eq!(standings(&app, &id, "").await, [("anna".to_owned(), 1.0, 1), ("ben".to_owned(), 0.0, 1)]);
    let first = &pairings(&app, &id).await[0];
    assert_eq!(first["players"][0]["points"].as_f64().unwrap() + first["players"][1]["points"].as_f64().unwrap(), 1.0);
    // Their ratings differ now, so the next pairing waits a little; then the other player begins.
    let began = first["players"][0]["player"]["username"].clone();
    assert!(anna.at_play().await.is_empty());
    app.passes_s(2 * 3600).await;
    let next = &pairings(&app, &id).await[0];
    assert_ne!(next["players"][0]["player"]["username"], began);
    assert_eq!(anna.at_play().await.len(), 1);
}

#[actix_web::test]
async fn wrong_terms_are_refused_with_every_fault() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let faults = async |more: Value| {
        let problem = anna.post("/v1/ladders", terms(more)).await.problem(422, "validation-failed");
        let mut named: Vec<(String, String)> = Vec::new();
        for fault in problem["errors"].as_array().unwrap() {
            named.push((fault["pointer"].as_str().unwrap().to_owned(), fault["code"].as_str().unwrap().to_owned()));
        }
        named.sort();
        named
    };
    let named = |list: &[(&str, &str)]| -> Vec<(String, String)> {
        list.iter().map(|(pointer, code)| ((*pointer).to_owned(), (*code).to_owned())).collect()
    };
    let all_wrong = json!({
        "seats": 3, "rated": true, "rule_set": { "salvo": { "size": 3, "shrinks": "no" } }, "clock": { "kind": "none" }, "paired_games": true,
        "min_reliability_percent": 101, "max_pairings": 21, "season_s": 3600, "divisions": { "size": 3, "promotions": 2 },
    });
    assert_eq!(
        faults(all_wrong).await,
        named(&[
            ("/clock", "clock-required"),
            ("/clock", "rated-needs-clock"),
            ("/divisions/promotions", "out-of-range"),
            ("/divisions/size", "out-of-range"),
            ("/max_pairings", "out-of-range"),
            ("/min_reliability_percent", "out-of-range"),
            ("/paired_games", "conflicting-fields"),
            ("/rule_set", "rated-needs-preset"),
            ("/season_s", "out-of-range"),
            ("/seats", "wrong-seat-count"),
        ])
    );
    assert_eq!(
        faults(json!({ "divisions": { "size": 4, "promotions": 1 } })).await,
        named(&[("/divisions", "divisions-need-seasons")])
    );
    assert_eq!(
        faults(json!({ "title": "x\u{202e}y", "audience": "cats", "divisions": { "size": "many", "more": 1 } })).await,
        named(&[
            ("/audience", "unknown-value"),
            ("/divisions/more", "unknown-field"),
            ("/divisions/promotions", "missing-field"),
            ("/divisions/size", "wrong-type"),
            ("/title", "invalid-value"),
        ])
    );
    // A minute is for official ladders, which only organizers make.
    anna.post("/v1/ladders", terms(json!({ "official": true }))).await.problem(403, "role-required");
    anna.post("/v1/ladders", terms(json!({ "official": true, "season_s": 60 }))).await.problem(403, "role-required");
    assert_eq!(app.get("/v1/ladders").await.expect(200)["items"], json!([]));
}

#[actix_web::test]
async fn a_player_keeps_three_and_an_organizer_more() {
    let app = TestApp::start().await;
    let (anna, oda) = (app.player("anna").await, app.player("oda").await);
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(anna.makes_ladder(json!({})).await);
    }
    anna.post("/v1/ladders", terms(json!({}))).await.problem(409, "quota-exceeded");
    let reason = json!({ "reason": "one too many" });
    let closed = anna.post(&format!("/v1/ladders/{}/close", ids[0]), reason.clone()).await.expect(200);
    assert_eq!(
        [&closed["closed_reason"], &closed["eligibility"]["join"]["reasons"]],
        [&json!("one too many"), &json!(["ladder-closed"])]
    );
    anna.makes_ladder(json!({})).await;
    // Closing is final.
    anna.post(&format!("/v1/ladders/{}/close", ids[0]), reason.clone()).await.problem(409, "ladder-closed");
    let refused = oda.post(&format!("/v1/ladders/{}/join", ids[0]), json!({})).await.problem(422, "not-eligible");
    assert_eq!(refused["errors"][0]["code"], "ladder-closed");

    is_made(&app, &oda, "organizer").await;
    for _ in 0..5 {
        let official = oda.makes_ladder(json!({ "official": true, "season_s": 60 })).await;
        assert_eq!(app.get(&format!("/v1/ladders/{official}")).await.expect(200)["official"], true);
    }
    // The organizer closes another creator's ladder, which is logged; a player can't.
    let ben = app.player("ben").await;
    ben.post(&format!("/v1/ladders/{}/close", ids[1]), reason.clone()).await.problem(403, "not-the-creator");
    oda.post(&format!("/v1/ladders/{}/close", ids[1]), reason).await.expect(200);
    is_made(&app, &oda, "moderator").await;
    let log = oda.get("/v1/moderation/actions").await.expect(200);
    let noted: Vec<&Value> =
        log["items"].as_array().unwrap().iter().filter(|item| item["kind"] == "ladder-closed").collect();
    let [only] = noted.as_slice() else { panic!("{log}") };
    assert_eq!(
        [&only["ladder_id"], &only["actor"]["username"], &only["reason"]],
        [&json!(ids[1]), &json!("oda"), &json!("one too many")]
    );
    assert_eq!(app.get("/v1/ladders?open=true").await.expect(200)["items"].as_array().unwrap().len(), 7);
    assert_eq!(
        app.get("/v1/ladders?open=false&variant=classic&format=rating").await.expect(200)["items"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
}

/// The operator grants a role.
pub async fn is_made(app: &TestApp, player: &Player, role: &str) {
    let mut tx = app.app.db.begin().await.unwrap();
    let (name, role) = (player.name.parse().unwrap(), role.parse().unwrap());
    let given =
        broadside::moderation::grants::grant(&mut tx, &app.app, &name, role, "for a test".parse().unwrap()).await;
    assert!(given.unwrap());
    tx.commit().await.unwrap();
}

#[actix_web::test]
async fn who_may_join_is_said_before_and_holds_when_it_is_tried() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, ..] = people.as_slice() else { unreachable!() };
    carl.request("PATCH", "/v1/account", Some(json!({ "bot": true }))).await.expect(200);
    let humans = anna.makes_ladder(json!({ "audience": "humans" })).await;
    let bots = anna.makes_ladder(json!({ "audience": "bots" })).await;
    let reliable = anna.makes_ladder(json!({ "min_reliability_percent": 80 })).await;
    // Ben loses the only match on time.
    let id = anna.challenges_and_meets(ben, json!({})).await;
    anna.acts(&id, json!({ "type": "deploy-auto" })).await.expect(200);
    ben.acts(&id, json!({ "type": "deploy-auto" })).await.expect(200);
    let first = if anna.sees(&id).await["to_act"][0] == 0 { anna } else { ben };
    if first.name == "anna" {
        let shot = anna.example(&id).await.unwrap();
        anna.acts(&id, shot).await.expect(200);
    }
    app.passes_s(3 * DAY_S).await;
    assert_eq!(anna.sees(&id).await["result"]["reason"], "time");

    for (player, ladder, code) in
        [(carl, &humans, "humans-only"), (ben, &bots, "bots-only"), (ben, &reliable, "not-reliable-enough")]
    {
        let eligibility = player.looks_at(ladder).await["eligibility"]["join"].clone();
        assert_eq!(eligibility, json!({ "allowed": false, "reasons": [code] }));
        let refused = player.post(&format!("/v1/ladders/{ladder}/join"), json!({})).await.problem(422, "not-eligible");
        let codes: Vec<&Value> = refused["errors"].as_array().unwrap().iter().map(|fault| &fault["code"]).collect();
        assert_eq!(codes, [code]);
    }
    // Players without finished matches may join, and so may the others where the limit makes no difference.
    carl.joins(&reliable, 1).await;
    ben.joins(&humans, 1).await;
    carl.joins(&bots, 1).await;
    let wish = carl
        .post(&format!("/v1/ladders/{bots}/join"), json!({ "max_pairings": 2 }))
        .await
        .problem(422, "validation-failed");
    assert_eq!(wish["errors"][0]["pointer"], "/max_pairings");
    let own = carl.get("/v1/account/ladders").await.expect(200);
    let own: BTreeSet<&str> =
        own["items"].as_array().unwrap().iter().filter_map(|ladder| ladder["id"].as_str()).collect();
    assert_eq!(own, BTreeSet::from([reliable.as_str(), bots.as_str()]));
    carl.post(&format!("/v1/ladders/{bots}/leave"), json!({})).await.expect(200);
    carl.post(&format!("/v1/ladders/{bots}/leave"), json!({})).await.problem(409, "not-a-member");
    assert_eq!(carl.get("/v1/account/ladders").await.expect(200)["items"].as_array().unwrap().len(), 1);
    let nowhere = "/v1/ladders/0199c2a8-7d4e-7c3a-9f10-5b1e6a2d8c47";
    carl.post(&format!("{nowhere}/join"), json!({})).await.problem(404, "not-found");
    carl.post(&format!("{nowhere}/leave"), json!({})).await.problem(404, "not-found");
}

#[actix_web::test]
async fn a_ladder_that_nobody_uses_closes_by_itself() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (anna, ben) = (&people[0], &people[1]);
    let used = anna.makes_ladder(json!({})).await;
    let left = anna.makes_ladder(json!({})).await;
    let empty = anna.makes_ladder(json!({})).await;
    for id in [&used, &left] {
        anna.joins(id, 1).await;
        ben.joins(id, 1).await;
    }
    app.passes_s(30 * DAY_S).await;
    // A no-show is set inactive. The others play on, so they stay active.
    ben.post(&format!("/v1/ladders/{left}/leave"), json!({})).await.expect(200);
    app.passes_s(29 * DAY_S).await;
    assert_eq!(app.get(&format!("/v1/ladders/{empty}")).await.expect(200)["closed_at"], Value::Null);
    anna.joins(&used, 1).await;
    ben.joins(&used, 1).await;
    app.passes_s(DAY_S).await;
    assert_ne!(app.get(&format!("/v1/ladders/{empty}")).await.expect(200)["closed_at"], Value::Null);
    assert_eq!(app.get(&format!("/v1/ladders/{left}")).await.expect(200)["closed_at"], Value::Null);
    let heard = anna.hears(0).await.len() as u64;
    app.passes_s(30 * DAY_S).await;
    let closed = app.get(&format!("/v1/ladders/{left}")).await.expect(200);
    assert_eq!(closed["closed_reason"], "For 60 days there were fewer than two members.");
    let told: Vec<Value> =
        anna.hears(heard).await.into_iter().filter(|event| event["type"] == "ladder-closed").collect();
    assert_eq!(told.iter().map(|event| &event["ladder_id"]).collect::<Vec<_>>(), [&json!(left)]);
    assert_eq!(app.get(&format!("/v1/ladders/{used}")).await.expect(200)["closed_at"], Value::Null);
}

#[actix_web::test]
async fn who_deletes_his_account_has_left_and_the_others_keep_what_they_won() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, ..] = people.as_slice() else { unreachable!() };
    let id = anna.makes_ladder(json!({ "description": "mine", "max_pairings": 2 })).await;
    anna.joins(&id, 1).await;
    ben.joins(&id, 1).await;
    app.passes_s(1).await;
    carl.joins(&id, 1).await;
    let first = pairings(&app, &id).await[0].clone();
    let game = first["games"][0]["match_id"].as_str().unwrap();
    anna.acts(game, json!({ "type": "deploy-auto" })).await.expect(200);
    ben.acts(game, json!({ "type": "deploy-auto" })).await.expect(200);

    let session = ben.with_token(&signed_in(ben).await);
    let export = session.get("/v1/account/export").await.expect(200);
    let ladders = &export["ladders"];
    assert_eq!(ladders["memberships"][0]["current_opponents"], json!([anna.id]));
    assert_eq!([&ladders["standings"][0]["points"], &ladders["created"]], [&json!(0.0), &json!([])]);
    let own = anna.with_token(&signed_in(anna).await).get("/v1/account/export").await.expect(200);
    assert_eq!(
        [&own["ladders"]["created"][0]["id"], &own["ladders"]["created"][0]["description"]],
        [&json!(id), &json!("mine")]
    );

    session.request("DELETE", "/v1/account", Some(json!({ "password": ben.password }))).await.expect(204);
    app.passes_s(1).await;
    let rows = standings(&app, &id, "").await;
    assert_eq!(rows.len(), 3);
    assert_eq!((rows[0].0.as_str(), rows[0].1), ("anna", 1.0));
    assert!(rows.iter().any(|row| row.0.starts_with("deleted-")) && !rows.iter().any(|row| row.0 == "ben"), "{rows:?}");
    assert_eq!(anna.looks_at(&id).await["members"], 2);
    // Nobody is paired with Ben any more.
    app.passes_s(3600).await;
    let met = &pairings(&app, &id).await[0];
    let names: Vec<&str> =
        met["players"].as_array().unwrap().iter().map(|one| one["player"]["username"].as_str().unwrap()).collect();
    assert!(names.contains(&"anna") && names.contains(&"carl"), "{names:?}");
}

/// A session's token, for operations closed to personal tokens.
pub async fn signed_in(player: &Player) -> String {
    let body = json!({ "username": player.name, "password": player.password });
    let signed = player.app.post("/v1/sessions", body).await.expect(201);
    signed["access_token"].as_str().unwrap().to_owned()
}

/// A ladder on which two have just been paired: its id, and the pairing's.
pub async fn a_pairing(app: &TestApp) -> (String, String) {
    let (lena, otto) = (app.player("lena").await, app.player("otto").await);
    let id = lena.makes_ladder(json!({})).await;
    lena.joins(&id, 1).await;
    otto.joins(&id, 1).await;
    broadside::ladders::job::run(&app.app.matches).await.unwrap();
    let pairing = pairings(app, &id).await[0]["id"].as_str().unwrap().to_owned();
    (id, pairing)
}
