//! Named rule sets in ladders, tournaments, and rated pools of their own.

use serde_json::{Value, json};

use crate::ratings::wrong;
use crate::rulesets::{DAY_S, faults, named, reads, rows};
use crate::support::TestApp;

#[actix_web::test]
async fn a_ladder_is_rated_on_it_in_a_pool_of_its_own() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let hash = anna.publishes("Tall", rows(14)).await;
    let pool = format!("{hash}-days");
    let ladder = json!({
        "title": "Tall ladder", "named_rule_set": hash, "rated": true, "clock": { "kind": "per-move", "move_s": DAY_S },
    });
    let ladder = anna.post("/v1/ladders", ladder).await.expect(201);
    assert_eq!(
        [&ladder["pool"], &ladder["named_rule_set"], &ladder["rated"]],
        [&json!(pool), &json!(hash), &json!(true)]
    );
    let id = ladder["id"].as_str().unwrap();
    anna.joins(id, 1).await;
    ben.joins(id, 1).await;
    app.passes_s(1).await;
    let game = anna.at_play().await.remove(0);
    let view = anna.sees(&game).await;
    assert_eq!([&view["named_rule_set"], &view["rated"]], [&json!(hash), &json!(true)]);
    // The ladder sets the first player, so the parameters differ in that; the name stays.
    assert_ne!(view["rule_set_hash"], json!(hash));
    ben.loses(&anna, &game).await;
    app.passes_s(1).await;
    let record = app.get(&format!("/v1/matches/{game}/record")).await;
    broadside_rules::record::verify(&record.text()).unwrap();
    let result = anna.sees(&game).await["result"]["ratings"].clone();
    assert_eq!(result.as_array().unwrap().len(), 2);
    let rated = anna.rated(&pool).await.unwrap();
    assert_eq!(rated["matches"], 1);
    assert!(rated["current"]["rating"].as_f64().unwrap() > 1600.0);
    // The rule set's pool and the variant's pool are separate.
    assert!(anna.rated("classic-days").await.is_none());
    let by_variant = anna.challenges_and_meets(&ben, json!({ "rated": true, "first": null })).await;
    assert_eq!(anna.sees(&by_variant).await["seats"][0]["rating"], Value::Null);
    anna.loses(&ben, &by_variant).await;
    assert_eq!(anna.rated(&pool).await.unwrap(), rated);
    // Its matches show the ratings of its pool.
    let named_match = anna.meets_by(&ben, &hash, true).await;
    let shown = anna.sees(&named_match).await["seats"][0]["rating"].as_f64().unwrap();
    assert!((shown - rated["current"]["rating"].as_f64().unwrap()).abs() <= 0.5);
    ben.loses(&anna, &named_match).await;
    // The ledger, the leaderboard and the operator's check know the pool.
    let ledger = anna.ledger(&pool).await;
    assert_eq!((ledger.len(), &ledger[0]["pool"]), (2, &json!(pool)));
    let board = app.get(&format!("/v1/pools/{pool}/leaderboard?around=anna")).await.expect(200);
    assert_eq!(board["around"]["unranked_reason"], "provisional");
    let pools = app.get(&format!("/v1/pools?named_rule_set={hash}")).await.expect(200);
    let names: Vec<_> = pools["items"].as_array().unwrap().iter().map(|pool| pool["id"].clone()).collect();
    assert_eq!(json!(names), reads(&app, &hash).await["pools"]);
    assert_eq!(
        [&pools["items"][0]["named_rule_set"], &pools["items"][0]["variant"]],
        [&json!(hash), &json!("classic")]
    );
    let stored = broadside::ratings::verify::pools(&app.app.db).await.unwrap();
    let stored: Vec<String> = stored.iter().map(ToString::to_string).collect();
    assert_eq!(stored, ["classic-days", &pool]);
    for pool in &stored {
        assert_eq!(wrong(&app, pool).await, None, "{pool}");
    }
    // A pool without a rule set doesn't exist.
    let nobody = "0".repeat(64);
    app.get(&format!("/v1/pools/{nobody}-days/leaderboard")).await.problem(404, "not-found");
    assert_eq!(app.get(&format!("/v1/pools?named_rule_set={nobody}")).await.expect(200)["items"], json!([]));
    app.get(&format!("/v1/players/anna/ratings/{nobody}-days/history")).await.problem(404, "not-found");
}

#[actix_web::test]
async fn a_leaderboard_of_a_rule_set_fills_and_a_false_row_is_found() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let hash = anna.publishes("Tall", rows(14)).await;
    let pool = format!("{hash}-days");
    for _ in 0..16 {
        ben.loses_by(&anna, &hash).await;
        anna.loses_by(&ben, &hash).await;
    }
    let board = app.get(&format!("/v1/pools/{pool}/leaderboard")).await.expect(200);
    assert_eq!(board["items"].as_array().unwrap().len(), 2, "{board}");
    assert_eq!(wrong(&app, &pool).await, None);
    let mia = app.moderator("mia").await;
    let report = mia.get(&format!("/v1/moderation/fair-play?pool={pool}")).await.expect(200);
    assert_eq!([&report["matches"], &report["pool"]], [&json!(32), &json!(pool)]);
    let forged = format!("UPDATE ratings SET rating = rating + 50 WHERE pool = '{pool}'");
    crate::support::database::execute(&app.database, &forged).await;
    assert!(wrong(&app, &pool).await.is_some());
}

#[actix_web::test]
async fn only_what_has_a_name_is_rated_and_the_lot_says_who_begins() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let hash = anna.publishes("Tall", rows(14)).await;
    let clock = json!({ "kind": "per-move", "move_s": DAY_S });
    let refused = async |body: Value| {
        let mut body = body;
        body["clock"] = clock.clone();
        body["rated"] = json!(true);
        faults(&anna.post("/v1/challenges", body).await.problem(422, "validation-failed"))
    };
    let unnamed = json!({ "variant": "classic", "rule_set": rows(14) });
    assert_eq!(refused(unnamed).await, named(&[("/rule_set", "rated-needs-preset")]));
    let chosen = json!({ "named_rule_set": hash, "first": "creator" });
    assert_eq!(refused(chosen).await, named(&[("/first", "rated-needs-random-first")]));
    // A rule set that names the first player can be played, but not rated.
    let first = anna.publishes("I begin", json!({ "first": "creator" })).await;
    assert_eq!(
        refused(json!({ "named_rule_set": first })).await,
        named(&[("/named_rule_set", "rated-needs-random-first")])
    );
    let unrated = anna.meets_by(&ben, &first, false).await;
    assert_eq!(anna.sees(&unrated).await["named_rule_set"], json!(first));
    // So is one with teams or with unequal terms.
    let teams = anna.publishes("Two and two", json!({ "seats": { "min": 4, "max": 4 }, "teams": 2 })).await;
    let four = json!({ "named_rule_set": teams, "seats": 4 });
    assert_eq!(refused(four).await, named(&[("/named_rule_set", "rated-needs-equal-terms")]));
    let ahead = anna.publishes("Ahead", json!({ "handicaps": [{ "seat": 0, "salvo": 3 }] })).await;
    assert_eq!(
        refused(json!({ "named_rule_set": ahead })).await,
        named(&[("/named_rule_set", "rated-needs-equal-terms")])
    );
    // Another first player in an unrated match leaves the named rule set the same.
    let body = json!({ "named_rule_set": hash, "first": "opponent", "clock": clock, "opponent": "ben" });
    let challenge = anna.post("/v1/challenges", body).await.expect(201);
    assert_eq!([&challenge["named_rule_set"], &challenge["rule_set"]["first"]], [&json!(hash), &json!("opponent")]);
    // A rematch of a rated match is rated in the same pool.
    let id = ben.loses_by(&anna, &hash).await;
    let rematch = ben.post(&format!("/v1/matches/{id}/rematch"), json!({})).await.expect(200);
    assert_eq!([&rematch["named_rule_set"], &rematch["rated"]], [&json!(hash), &json!(true)]);
    assert_eq!(rematch["rule_set"], reads(&app, &hash).await["rule_set"]);
    let open = anna.get(&format!("/v1/challenges?mine=true&named_rule_set={hash}&status=open")).await.expect(200);
    assert_eq!(open["items"].as_array().unwrap().len(), 2);
}

#[actix_web::test]
async fn a_tournament_is_played_by_it() {
    let app = TestApp::start().await;
    let people = crate::support::seven_people(&app).await;
    let hash = people[0].publishes("Tall", rows(14)).await;
    let cup = json!({
        "title": "Tall cup", "format": "round-robin", "named_rule_set": hash, "rated": true, "max_players": 3,
        "clock": { "kind": "per-move", "move_s": DAY_S },
    });
    let cup = people[0].post("/v1/tournaments", cup).await.expect(201);
    assert_eq!([&cup["named_rule_set"], &cup["pool"]], [&json!(hash), &json!(format!("{hash}-days"))]);
    let path = format!("/v1/tournaments/{}", cup["id"].as_str().unwrap());
    for player in &people[..3] {
        player.post(&format!("{path}/join"), json!({})).await.expect(200);
    }
    app.passes_s(1).await;
    let played = app.get(&format!("/v1/matches?named_rule_set={hash}")).await.expect(200);
    let played = played["items"].as_array().unwrap();
    assert_eq!((played.len(), &played[0]["rated"]), (1, &json!(true)));
    assert_eq!(reads(&app, &hash).await["matches"], 1);
    for list in ["tournaments", "ladders"] {
        let found = app.get(&format!("/v1/{list}?named_rule_set={hash}")).await.expect(200);
        assert_eq!(found["items"].as_array().unwrap().len(), usize::from(list == "tournaments"));
    }
}

#[actix_web::test]
async fn many_seats_have_a_pool_beside_that_of_two() {
    let app = TestApp::start().await;
    let people = crate::support::seven_people(&app).await;
    let many = broadside_rules::variants().iter().find(|variant| variant.seats() == (2, 7)).unwrap();
    let card = app.get(&format!("/v1/variants/{}", many.id)).await.expect(200);
    // Some number of the rule set plus or minus one, whichever is playable.
    let mut changed = None;
    for (name, value) in card["rule_set"].as_object().unwrap() {
        for other in value.as_u64().into_iter().flat_map(|number| [number.saturating_sub(1), number + 1]) {
            let body = json!({ "variant": many.id, "rule_set": { name: other } });
            let checked = app.post("/v1/rule-sets/check", body.clone()).await.expect(200);
            if checked["valid"] == true && checked["same_as_variant"] == Value::Null {
                changed = Some(body);
            }
        }
    }
    let mut body = changed.expect("a number that can be another one");
    body["title"] = json!("Another sea");
    let hash = people[0].post("/v1/rule-sets", body).await.expect(201)["hash"].as_str().unwrap().to_owned();
    let names = reads(&app, &hash).await["pools"].clone();
    assert_eq!(names, json!(["live", "days", "many-live", "many-days"].map(|rest| format!("{hash}-{rest}"))));
    let terms = json!({ "named_rule_set": hash, "rated": true, "clock": { "kind": "per-move", "move_s": 600 } });
    let mut three = terms.clone();
    three["seats"] = json!(3);
    let challenge = people[0].post("/v1/challenges", three).await.expect(201);
    let path = format!("/v1/challenges/{}/accept", challenge["id"].as_str().unwrap());
    people[1].post(&path, json!({})).await.expect(200);
    let id = people[2].post(&path, json!({})).await.expect(200)["match_id"].as_str().unwrap().to_owned();
    for player in &people[..2] {
        player.acts(&id, json!({ "type": "resign" })).await.expect(200);
    }
    let pool = format!("{hash}-many-live");
    assert_eq!(people[2].rated(&pool).await.unwrap()["matches"], 1);
    assert!(people[2].rated(&format!("{hash}-live")).await.is_none());
    assert_eq!(wrong(&app, &pool).await, None);
}

#[actix_web::test]
async fn the_ratings_of_a_player_come_page_by_page() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let mut pools = Vec::new();
    for count in [11, 12, 13] {
        let hash = anna.publishes(&format!("With {count} rows"), rows(count)).await;
        anna.loses_by(&ben, &hash).await;
        pools.push(format!("{hash}-days"));
    }
    pools.sort();
    let (mut path, mut listed) = ("/v1/players/anna/ratings?limit=2".to_owned(), Vec::new());
    loop {
        let page = app.get(&path).await.expect(200);
        let items = page["items"].as_array().unwrap();
        assert!(items.len() <= 2);
        listed.extend(items.iter().map(|item| item["pool"].as_str().unwrap().to_owned()));
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        path = format!("/v1/players/anna/ratings?limit=2&cursor={cursor}");
    }
    assert_eq!(listed, pools);
    app.get("/v1/players/anna/ratings?cursor=nothing").await.problem(422, "validation-failed");
}
