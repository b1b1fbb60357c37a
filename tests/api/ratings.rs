//! Ratings: each finished rated match changes them once, on any node, and everybody can recompute them.

use broadside::ratings::verify;
use broadside_contests::Pool;
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::fleets::{NORTH_WEST, SOUTH_EAST};
use crate::support::{Answer, Player, TestApp, seven_people};

pub const DAY_S: i64 = 86_400;

impl Player {
    /// A rated match against `other`, with both fleets placed and this player on turn.
    pub async fn begins_rated(&self, other: &Player) -> String {
        let id = self.challenges_and_meets(other, json!({ "rated": true, "first": null })).await;
        self.deploys(&id, NORTH_WEST).await;
        other.deploys(&id, SOUTH_EAST).await;
        id
    }

    pub async fn resigns(&self, id: &str) -> Value {
        self.acts(id, json!({ "type": "resign" })).await.expect(200)
    }

    pub async fn beats(&self, other: &Player) -> String {
        let id = self.begins_rated(other).await;
        other.resigns(&id).await;
        id
    }

    /// The player's public rating in a pool.
    pub async fn rated(&self, pool: &str) -> Option<Value> {
        let ratings = self.app.get(&format!("/v1/players/{}/ratings", self.name)).await.expect(200);
        ratings["items"].as_array().unwrap().iter().find(|item| item["pool"] == pool).cloned()
    }

    pub async fn ledger(&self, pool: &str) -> Vec<Value> {
        let path = format!("/v1/players/{}/ratings/{pool}/history?limit=200", self.name);
        self.app.get(&path).await.expect(200)["items"].as_array().unwrap().clone()
    }
}

pub async fn duellists(app: &TestApp) -> (Player, Player) {
    (app.lasting_player("anna").await, app.lasting_player("ben").await)
}

/// The operator's check of a pool; `None` if it is consistent.
pub async fn wrong(app: &TestApp, pool: &str) -> Option<String> {
    verify::verify(&app.app.db, &pool.parse::<Pool>().unwrap()).await.unwrap().wrong
}

pub fn close(one: &Value, other: f64) {
    assert!((one.as_f64().unwrap() - other).abs() < 0.005, "{one}, not {other}");
}

#[actix_web::test]
async fn a_rated_match_changes_both_ratings_when_it_ends_and_not_before() {
    let app = TestApp::start().await;
    let (anna, ben) = duellists(&app).await;
    let id = anna.begins_rated(&ben).await;
    let view = anna.sees(&id).await;
    assert_eq!([&view["rated"], &view["seats"][0]["rating"]], [&json!(true), &Value::Null]);
    assert!(anna.rated("classic-days").await.is_none());
    let heard = anna.hears(0).await.len() as u64;

    let acted = ben.resigns(&id).await;
    // Two newcomers: 350 and 350. Glicko-2 gives the winner 162.21 and leaves a deviation of 290.23.
    let result = &acted["match"]["result"];
    assert_eq!(
        result["ratings"],
        json!([
            { "seat": 0, "before": 1500, "after": 1662 }, { "seat": 1, "before": 1500, "after": 1338 },
        ])
    );
    assert_eq!(result["annulled"], false);
    let rated = anna.rated("classic-days").await.unwrap();
    close(&rated["current"]["rating"], 1662.21);
    close(&rated["current"]["deviation"], 290.23);
    assert_eq!([&rated["matches"], &rated["provisional"]], [&json!(1), &json!(true)]);
    // The same for everybody, on every node.
    let other = app.another_node().await;
    assert_eq!(other.get(&format!("/v1/matches/{id}")).await.expect(200)["result"], *result);
    let told = &anna.hears(heard).await;
    let kinds: Vec<_> = told.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["report", "report", "report", "match-finished", "rating-changed"]);
    let changed = told.last().unwrap();
    assert_eq!(changed["pool"], "classic-days");
    assert_eq!(
        [&changed["before"], &changed["after"], &changed["reason"]],
        [&json!(1500), &json!(1662), &json!("match")]
    );
    // The next match keeps the ratings from its start.
    let next = anna.begins_rated(&ben).await;
    assert_eq!(anna.sees(&next).await["seats"][1]["rating"], 1338);
    anna.resigns(&next).await;
    assert_eq!(anna.sees(&next).await["seats"][1]["rating"], 1338);
    assert_eq!(wrong(&app, "classic-days").await, None);
}

#[actix_web::test]
async fn what_is_unrated_or_called_off_changes_nothing() {
    let app = TestApp::start().await;
    let (anna, ben) = duellists(&app).await;
    let unrated = anna.challenges_and_meets(&ben, json!({})).await;
    let ended = ben.resigns(&unrated).await;
    assert_eq!(ended["match"]["result"]["ratings"], json!([]));
    let aborted = anna.challenges_and_meets(&ben, json!({ "rated": true, "first": null })).await;
    anna.acts(&aborted, json!({ "type": "abort" })).await.expect(200);
    assert!(anna.rated("classic-days").await.is_none());
    // Nobody deployed in time: aborted by the clock.
    let late = anna.challenges_and_meets(&ben, json!({ "rated": true, "first": null })).await;
    app.passes_s(2 * DAY_S).await;
    assert_eq!(anna.sees(&late).await["status"], "aborted");
    assert!(anna.rated("classic-days").await.is_none());
    assert_eq!(wrong(&app, "classic-days").await, None);
}

#[actix_web::test]
async fn every_way_to_end_a_match_counts() {
    let app = TestApp::start().await;
    let (anna, ben) = duellists(&app).await;
    // A draw by agreement: nobody gains, and both deviations fall.
    let id = anna.begins_rated(&ben).await;
    let (offers, accepts) = (json!({ "type": "offer-draw" }), json!({ "type": "accept-draw" }));
    anna.acts(&id, offers).await.expect(200);
    ben.acts(&id, accepts).await.expect(200);
    let drawn = anna.rated("classic-days").await.unwrap();
    close(&drawn["current"]["rating"], 1500.0);
    assert!(drawn["current"]["deviation"].as_f64().unwrap() < 300.0);
    // By the clock, with nobody connected: the player on turn loses.
    let id = anna.begins_rated(&ben).await;
    let turn = anna.sees(&id).await["to_act"][0].as_u64().unwrap() as usize;
    app.passes_s(DAY_S + 1).await;
    let result = anna.sees(&id).await["result"].clone();
    assert_eq!(result["reason"], "time");
    let lost = &result["ratings"][turn];
    assert!(lost["after"].as_i64() < lost["before"].as_i64(), "{result}");
    // By the last shot.
    let id = anna.begins_rated(&ben).await;
    let view = crate::support::plays_out(&[&anna, &ben], &id, 400).await;
    assert_eq!(
        [&view["result"]["reason"], &json!(view["result"]["ratings"].as_array().unwrap().len())],
        [&json!("fleet"), &json!(2)]
    );
    assert_eq!(anna.ledger("classic-days").await.len(), 3);
    assert_eq!(wrong(&app, "classic-days").await, None);
}

#[actix_web::test]
async fn matches_that_end_at_once_are_rated_one_after_the_other_and_once() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let people = seven_people(&app).await;
    // Everybody plays everybody.
    let mut ends = Vec::new();
    for (index, one) in people.iter().enumerate() {
        for (against, two) in people.iter().enumerate().skip(index + 1) {
            let id = one.begins_rated(two).await;
            let loser = if (index + against) % 2 == 0 { one } else { two };
            // Each is ended at both nodes at once, and once more, under one key.
            for node in [&app, &other, &app] {
                let (loser, path) = (loser.at(node), format!("/v1/matches/{id}/actions"));
                let key = format!("end {id}");
                ends.push(async move { loser.post_once(&key, &path, json!({ "action": { "type": "resign" } })).await });
            }
        }
    }
    let answers = join_all(ends).await;
    let failed: Vec<String> =
        answers.iter().filter(|answer| !matches!(answer.status, 200 | 409)).map(Answer::text).collect();
    assert!(failed.is_empty(), "{failed:?}");
    for attempts in answers.chunks(3) {
        assert!(attempts.iter().any(|answer| answer.status == 200));
    }
    for player in &people {
        let ledger = player.ledger("classic-days").await;
        let numbers: Vec<_> = ledger.iter().map(|row| row["number"].as_u64().unwrap()).collect();
        assert_eq!(numbers, [6, 5, 4, 3, 2, 1]);
        for pair in ledger.windows(2) {
            assert_eq!(pair[0]["before"], pair[1]["after"]);
        }
        // Each of them was notified once.
        let heard = player.hears(0).await;
        let changed: Vec<_> = heard.iter().filter(|event| event["type"] == "rating-changed").collect();
        let told: Vec<_> = changed.iter().map(|event| event["change_number"].as_u64().unwrap()).collect();
        assert_eq!(told, [1, 2, 3, 4, 5, 6]);
    }
    assert_eq!(wrong(&app, "classic-days").await, None);
}

#[actix_web::test]
async fn many_seats_have_a_pool_and_a_method_of_their_own() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let terms = json!({ "variant": "salvos", "rated": true, "clock": { "kind": "per-move", "move_s": 3600 } });
    let [anna, ben, carl, dora] = [0, 1, 2, 3].map(|at| &people[at]);
    let id = anna.sits_down_with(&[ben, carl, dora], terms, &[]).await;
    // Out one after the other: fourth, third, second and first place.
    for loser in [dora, carl, ben] {
        loser.resigns(&id).await;
    }
    let result = anna.sees(&id).await["result"].clone();
    let after: Vec<i64> =
        result["ratings"].as_array().unwrap().iter().map(|seat| seat["after"].as_i64().unwrap()).collect();
    // Sixty times the published values of four newcomers: 32.9057, 27.6352, 22.3648, 17.0943.
    assert_eq!(after, [1974, 1658, 1342, 1026]);
    let row = &anna.ledger("salvos-many-live").await[0];
    assert_eq!([&row["algorithm"], &row["after"]["volatility"]], [&json!("weng-lin"), &Value::Null]);
    close(&row["after"]["deviation"], 60.0 * 7.501_219_069_396_400_5);
    let places: Vec<_> =
        row["participants"].as_array().unwrap().iter().map(|seat| seat["place"].as_u64().unwrap()).collect();
    assert_eq!(places, [1, 2, 3, 4]);
    assert!(anna.rated("salvos-live").await.is_none());
    assert_eq!(wrong(&app, "salvos-many-live").await, None);
}

#[actix_web::test]
async fn who_was_away_is_less_certain_and_a_change_says_for_how_long() {
    let app = TestApp::start().await;
    let (anna, ben) = duellists(&app).await;
    anna.beats(&ben).await;
    let fresh = anna.rated("classic-days").await.unwrap();
    app.passes_s(30 * DAY_S).await;
    let idle = anna.rated("classic-days").await.unwrap();
    assert!(idle["current"]["deviation"].as_f64() > fresh["current"]["deviation"].as_f64());
    assert_eq!(idle["current"]["rating"], fresh["current"]["rating"]);
    anna.beats(&ben).await;
    let ledger = anna.ledger("classic-days").await;
    assert_eq!(
        [&ledger[0]["participants"][0]["idle_s"], &ledger[1]["participants"][0]["idle_s"]],
        [&json!(30 * DAY_S), &Value::Null]
    );
    // The stored deviation is the one after the last match: idle time is an input.
    assert_eq!(ledger[0]["before"], ledger[1]["after"]);
    assert_eq!(wrong(&app, "classic-days").await, None);
}

#[actix_web::test]
async fn the_history_comes_in_pages_with_a_curve() {
    let app = TestApp::start().await;
    let (anna, ben) = duellists(&app).await;
    for match_number in 0..5 {
        if match_number % 2 == 0 {
            anna.beats(&ben).await
        } else {
            ben.beats(&anna).await
        };
        app.passes_s(DAY_S / 2).await;
    }
    let whole = anna.ledger("classic-days").await;
    let mut pages = Vec::new();
    let mut path = "/v1/players/anna/ratings/classic-days/history?limit=2".to_owned();
    loop {
        let answer = app.get(&path).await;
        let page = answer.expect(200);
        // One point a day, after the day's last match: five matches, two a day, give three points.
        let points = page["series"].as_array().unwrap().len();
        assert_eq!(points, if pages.is_empty() { 3 } else { 0 });
        pages.extend(page["items"].as_array().unwrap().clone());
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        assert!(answer.header("link").unwrap().contains(&format!("limit=2&cursor={cursor}")));
        path = format!("/v1/players/anna/ratings/classic-days/history?limit=2&cursor={cursor}");
    }
    assert_eq!(pages, whole);
    let page = app.get("/v1/players/anna/ratings/classic-days/history").await.expect(200);
    assert_eq!(page["series"][2]["rating"], whole[0]["after"]["rating"]);
    app.get("/v1/players/anna/ratings/chess-days/history").await.problem(404, "not-found");
    app.get("/v1/players/nobody/ratings").await.problem(404, "not-found");
    // Her export contains all of it.
    let signed_in = json!({ "username": "anna", "password": anna.password });
    let session = app.post("/v1/sessions", signed_in).await.expect(201);
    let export = anna.with_token(session["access_token"].as_str().unwrap()).get("/v1/account/export").await.expect(200);
    assert_eq!(export["rating_changes"].as_array().unwrap().len(), 5);
}

#[actix_web::test]
async fn who_deletes_his_account_in_a_rated_match_loses_it_like_anybody_else() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let id = anna.begins_rated(&ben).await;
    ben.request("DELETE", "/v1/account", Some(json!({ "password": ben.password }))).await.expect(204);
    let view = anna.sees(&id).await;
    assert_eq!(view["result"]["ratings"][0]["after"], 1662);
    close(&anna.rated("classic-days").await.unwrap()["current"]["rating"], 1662.21);
    // The row stays, so that the sums are right, but names nobody.
    let row = &anna.ledger("classic-days").await[0];
    assert_eq!(row["participants"][1]["player_id"], ben.id);
    assert!(!row.to_string().contains("ben\""));
    app.get("/v1/players/ben/ratings").await.problem(404, "not-found");
    assert_eq!(wrong(&app, "classic-days").await, None);
}

#[actix_web::test]
async fn a_challenge_shows_ratings_as_they_are() {
    let app = TestApp::start().await;
    let (anna, ben) = duellists(&app).await;
    let offer = json!({ "variant": "classic", "rated": true, "clock": { "kind": "per-move", "move_s": 86_400 } });
    let challenge = anna.post("/v1/challenges", offer).await.expect(201);
    assert_eq!(challenge["seats"][0]["rating"], Value::Null);
    anna.beats(&ben).await;
    let path = format!("/v1/challenges/{}", challenge["id"].as_str().unwrap());
    assert_eq!(app.get(&path).await.expect(200)["seats"][0]["rating"], 1662);
    assert_eq!(app.get("/v1/challenges").await.expect(200)["items"][0]["seats"][0]["rating"], 1662);
    let accepted = ben.post(&format!("{path}/accept"), json!({})).await.expect(200);
    assert_eq!(accepted["seats"][1]["rating"], 1338);
    // Another speed has another pool.
    let live = json!({ "variant": "classic", "rated": true, "clock": { "kind": "per-move", "move_s": 60 } });
    assert_eq!(anna.post("/v1/challenges", live).await.expect(201)["seats"][0]["rating"], Value::Null);
}

#[actix_web::test]
async fn pools_are_published_with_all_that_ratings_depend_on() {
    let app = TestApp::start().await;
    let pools = app.get("/v1/pools").await.expect(200);
    let pools = pools["items"].as_array().unwrap();
    let of = |id: &str| pools.iter().find(|pool| pool["id"] == id).unwrap();
    let duel = of("classic-days");
    assert_eq!([&duel["algorithm"], &duel["constants"]["tau"]], [&json!("glicko-2"), &json!(0.75)]);
    assert_eq!(duel["constants"]["initial"], json!({ "rating": 1500.0, "deviation": 350.0, "volatility": 0.06 }));
    let many = of("salvos-many-live");
    assert_eq!(
        [&many["algorithm"], &many["more_than_two_seats"], &many["constants"]["tau"]],
        [&json!("weng-lin"), &json!(true), &Value::Null]
    );
}
