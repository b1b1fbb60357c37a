//! Statistics of a player's finished matches: by variant, by opponent, and by shots, without folding a log.

use broadside::matches::{audit, results};
use serde_json::{Value, json};

use crate::support::fleets::{NORTH_WEST, SOUTH_EAST, cells};
use crate::support::{Player, TestApp, database, seven_people};

async fn statistics(app: &TestApp, name: &str) -> Value {
    app.get(&format!("/v1/players/{name}/statistics")).await.expect(200)
}

async fn of_variant(app: &TestApp, name: &str, variant: &str) -> Value {
    let all = statistics(app, name).await;
    let found = all["variants"].as_array().unwrap().iter().find(|one| one["variant"] == variant);
    found.cloned().unwrap_or_default()
}

fn counts(won: u32, drawn: u32, lost: u32, aborted: u32) -> Value {
    json!({ "won": won, "drawn": drawn, "lost": lost, "aborted": aborted })
}

/// The listed opponents with their results.
async fn opponents(app: &TestApp, name: &str, query: &str) -> Vec<(String, Value)> {
    let page = app.get(&format!("/v1/players/{name}/opponents{query}")).await.expect(200);
    let row = |row: &Value| (row["player"]["username"].as_str().unwrap().to_owned(), row["results"].clone());
    page["items"].as_array().unwrap().iter().map(row).collect()
}

/// Both place their fleets, and Anna fires until Ben's is sunk. Every third shot of hers misses, and all of Ben's do.
async fn anna_sinks_ben(anna: &Player, ben: &Player) -> (String, usize) {
    let id = anna.challenges_and_meets(ben, json!({})).await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    let (targets, mut shots) = (cells(SOUTH_EAST), 0);
    let water = ["A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8"];
    let hers = targets.chunks(2).zip(water).flat_map(|(hits, miss)| hits.iter().copied().chain([miss]));
    let hers: Vec<&str> = hers.chain(targets.iter().copied().skip(16)).collect();
    let bens: Vec<String> = ('F'..='J').flat_map(|row| (1..=5).map(move |column| format!("{row}{column}"))).collect();
    for (cell, answer) in hers.iter().zip(&bens) {
        anna.fires(&id, &[cell]).await;
        shots += 1;
        if anna.sees(&id).await["status"] == "finished" {
            return (id, shots);
        }
        ben.fires(&id, &[answer]).await;
    }
    panic!("Ben is afloat after {shots} shots");
}

async fn resigns(both: [&Player; 2], loser: &Player, terms: Value) -> String {
    let id = both[0].challenges_and_meets(both[1], terms).await;
    for player in both {
        player.acts(&id, json!({ "type": "deploy-auto" })).await.expect(200);
    }
    loser.acts(&id, json!({ "type": "resign" })).await.expect(200);
    id
}

#[actix_web::test]
async fn matches_that_are_over_are_counted_by_variant_and_by_opponent() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, ..] = people.as_slice() else { panic!() };
    assert_eq!(statistics(&app, "anna").await, json!({ "variants": [], "is_complete": true }));
    resigns([anna, ben], ben, json!({})).await;
    resigns([ben, anna], anna, json!({})).await;
    resigns([anna, carl], carl, json!({})).await;
    resigns([anna, ben], ben, json!({ "variant": "sea-battle" })).await;
    let drawn = anna.challenges_and_meets(ben, json!({})).await;
    for player in [anna, ben] {
        player.acts(&drawn, json!({ "type": "deploy-auto" })).await.expect(200);
    }
    anna.acts(&drawn, json!({ "type": "offer-draw" })).await.expect(200);
    ben.acts(&drawn, json!({ "type": "accept-draw" })).await.expect(200);
    let off = anna.challenges_and_meets(ben, json!({})).await;
    anna.acts(&off, json!({ "type": "abort" })).await.expect(200);
    // A running match doesn't count.
    anna.challenges_and_meets(carl, json!({})).await;

    assert_eq!(of_variant(&app, "Anna", "classic").await["results"], counts(2, 1, 1, 1));
    assert_eq!(of_variant(&app, "anna", "sea-battle").await["results"], counts(1, 0, 0, 0));
    assert_eq!(of_variant(&app, "ben", "classic").await["results"], counts(1, 1, 1, 1));
    assert_eq!(statistics(&app, "anna").await["variants"][0]["variant"], "classic", "the most played first");
    let met = [("ben".to_owned(), counts(2, 1, 1, 1)), ("carl".to_owned(), counts(1, 0, 0, 0))];
    assert_eq!(opponents(&app, "anna", "").await, met);
    assert_eq!(opponents(&app, "anna", "?variant=sea-battle").await, [("ben".to_owned(), counts(1, 0, 0, 0))]);
    assert_eq!(opponents(&app, "carl", "").await, [("anna".to_owned(), counts(0, 0, 1, 0))]);
    let first = app.get("/v1/players/anna/opponents?limit=1").await.expect(200);
    let cursor = first["next_cursor"].as_str().unwrap();
    assert_eq!(opponents(&app, "anna", &format!("?limit=1&cursor={cursor}")).await, met[1..]);
    for wrong in ["?cursor=xyz", "?variant=Ch%C3%A8ss", "?limit=0"] {
        app.get(&format!("/v1/players/anna/opponents{wrong}")).await.problem(422, "validation-failed");
    }
    for nobody in ["nobody", "x"] {
        app.get(&format!("/v1/players/{nobody}/statistics")).await.problem(404, "not-found");
        app.get(&format!("/v1/players/{nobody}/opponents")).await.problem(404, "not-found");
    }
    // A deleted player has no statistics, and no name in those of others.
    let goodbye = json!({ "password": ben.password });
    ben.signed_in().await.request("DELETE", "/v1/account", Some(goodbye)).await.expect(204);
    app.get("/v1/players/ben/statistics").await.problem(404, "not-found");
    let (name, results) = &opponents(&app, "anna", "").await[0];
    assert_eq!((name == "ben", results), (false, &counts(2, 1, 1, 1)));
}

#[actix_web::test]
async fn shots_are_counted_when_the_match_is_over_and_not_before() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let (_, shots) = anna_sinks_ben(&anna, &ben).await;
    let hers = of_variant(&app, "anna", "classic").await["shooting"].clone();
    assert_eq!([&hers["matches"], &hers["hits"], &hers["shots"]], [&json!(1), &json!(17), &json!(shots)]);
    assert_eq!(
        [&hers["wins_by_battle"], &hers["shots_to_win"]],
        [&json!(1), &json!(f64::from(u32::try_from(shots).unwrap()))]
    );
    let rate = hers["hit_rate"].as_f64().unwrap();
    assert!((rate - 17.0 / f64::from(u32::try_from(shots).unwrap())).abs() < 0.001, "{hers}");
    let bens = of_variant(&app, "ben", "classic").await["shooting"].clone();
    assert_eq!([&bens["hits"], &bens["shots"], &bens["hit_rate"]], [&json!(0), &json!(shots - 1), &json!(0.0)]);
    assert_eq!([&bens["wins_by_battle"], &bens["shots_to_win"]], [&json!(0), &Value::Null]);

    let export = anna.get("/v1/account/export").await.expect(200);
    let result = &export["match_results"][0];
    assert_eq!([&result["outcome"], &result["hits"], &result["by_battle"]], [&json!("won"), &json!(17), &json!(true)]);

    // A shot in a running match changes nothing visible.
    let before = (statistics(&app, "anna").await, statistics(&app, "ben").await);
    let id = anna.challenges_and_meets(&ben, json!({})).await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    anna.fires(&id, &["J6"]).await;
    assert_eq!((statistics(&app, "anna").await, statistics(&app, "ben").await), before);
    // A win by resignation doesn't count towards shots per win.
    ben.acts(&id, json!({ "type": "resign" })).await.expect(200);
    let hers = of_variant(&app, "anna", "classic").await;
    assert_eq!(hers["results"], counts(2, 0, 0, 0));
    assert_eq!([&hers["shooting"]["shots"], &hers["shooting"]["hits"]], [&json!(shots + 1), &json!(18)]);
    assert_eq!(hers["shooting"]["wins_by_battle"], 1);
}

#[actix_web::test]
async fn allies_win_together_and_are_no_opponents() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, dora, ..] = people.as_slice() else { panic!() };
    let teams = json!({ "variant": "classic", "rule_set": { "seats": { "min": 4, "max": 4 }, "teams": 2 } });
    let id = anna.sits_down_with(&[ben, carl, dora], teams, &[]).await;
    let all = [anna, ben, carl, dora];
    for player in all {
        player.acts(&id, json!({ "type": "deploy-auto" })).await.expect(200);
    }
    // Seats 0 and 2 are one side.
    for loser in [ben, dora] {
        loser.acts(&id, json!({ "type": "resign" })).await.expect(200);
    }
    assert_eq!(anna.sees(&id).await["status"], "finished");
    for (player, result) in all.iter().zip([counts(1, 0, 0, 0), counts(0, 0, 1, 0)].iter().cycle()) {
        assert_eq!(of_variant(&app, &player.name, "classic").await["results"], *result, "{}", player.name);
    }
    for (query, found) in
        [("player=anna&result=won", 1), ("player=dora&result=lost", 1), ("player=anna&result=drawn", 0)]
    {
        let page = app.get(&format!("/v1/matches?{query}")).await.expect(200);
        assert_eq!(page["items"].as_array().unwrap().len(), found, "{query}");
    }
    let mut met: Vec<String> = opponents(&app, "anna", "").await.into_iter().map(|(name, _)| name).collect();
    met.sort();
    assert_eq!(met, ["ben", "dora"]);
}

#[actix_web::test]
async fn repaired_matches_are_counted_by_a_job() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let (id, _) = anna_sinks_ben(&anna, &ben).await;
    let off = anna.challenges_and_meets(&ben, json!({})).await;
    anna.acts(&off, json!({ "type": "abort" })).await.expect(200);
    let running = anna.challenges_and_meets(&ben, json!({})).await;
    let counted = statistics(&app, "anna").await;
    // The state after a repair.
    let before = "DELETE FROM match_results; \
         INSERT INTO match_results_due SELECT match_id FROM match_heads WHERE finished_at IS NOT NULL; \
         DO $$ BEGIN ASSERT (SELECT count(*) FROM match_results_due) = 2; END $$";
    database::execute(&app.database, before).await;
    assert_eq!(statistics(&app, "anna").await, json!({ "variants": [], "is_complete": false }));
    let fine = audit::audit(&app.app.matches, None).await.unwrap();
    assert!(fine.faults.is_empty(), "{:?}", fine.faults);
    for _ in 0..2 {
        results::catch_up(&app.app.matches).await.unwrap();
        assert_eq!(statistics(&app, "anna").await, counted);
    }
    // The audit compares them with the log.
    let wrong = format!("UPDATE match_results SET hits = 16 WHERE match_id = '{id}' AND seat = 0");
    database::execute(&app.database, &wrong).await;
    let found = audit::audit(&app.app.matches, None).await.unwrap();
    assert!(found.faults.len() == 1 && found.faults[0].starts_with(&id), "{:?}", found.faults);
    assert_eq!(anna.sees(&running).await["status"], "deploying");
}

/// Ten thousand matches of one player: each answer is correct, and comes from an index.
#[actix_web::test]
async fn ten_thousand_matches_of_one_player_are_counted() {
    let app = TestApp::start().await;
    app.player("anna").await;
    let crowd = "INSERT INTO accounts (id, username, username_key, username_skeleton, password_hash, bot, created_at) \
         SELECT gen_random_uuid(), 'player' || n, 'player' || n, ('player' || n)::bytea, '', false, now() FROM generate_series(1, 500) AS n; \
         CREATE TEMP TABLE played AS SELECT n, gen_random_uuid() AS id FROM generate_series(0, 9999) AS n; \
         INSERT INTO match_results (match_id, seat, account_id, variant, side, outcome, place, played_out, shots, hits, finished_at) \
         SELECT id, 0, (SELECT id FROM accounts WHERE username = 'anna'), CASE n % 4 WHEN 0 THEN 'sea-battle' ELSE 'classic' END, 0, \
           CASE n % 2 WHEN 0 THEN 'won' ELSE 'lost' END, 1 + n % 2, true, 60, 17, '2026-11-20' FROM played; \
         INSERT INTO match_results (match_id, seat, account_id, variant, side, outcome, place, played_out, shots, hits, finished_at) \
         SELECT played.id, 1, a.id, CASE n % 4 WHEN 0 THEN 'sea-battle' ELSE 'classic' END, 1, \
           CASE n % 2 WHEN 0 THEN 'lost' ELSE 'won' END, 2 - n % 2, true, 59, 16, '2026-11-20' \
         FROM played JOIN accounts AS a ON a.username = 'player' || (1 + n % 500)";
    database::execute(&app.database, crowd).await;
    let found = statistics(&app, "anna").await;
    assert_eq!(found["variants"][0]["results"], counts(2500, 0, 5000, 0));
    assert_eq!(found["variants"][1]["results"], counts(2500, 0, 0, 0));
    assert_eq!(found["variants"][0]["shooting"]["shots"], 7500 * 60);
    let (mut query, mut listed) = ("?limit=100".to_owned(), Vec::new());
    loop {
        let page = app.get(&format!("/v1/players/anna/opponents{query}")).await.expect(200);
        listed.extend(page["items"].as_array().unwrap().clone());
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        query = format!("?limit=100&cursor={cursor}");
    }
    let names: std::collections::BTreeSet<String> =
        listed.iter().map(|row| row["player"]["username"].as_str().unwrap().to_owned()).collect();
    assert_eq!((listed.len(), names.len()), (500, 500), "nobody twice, nobody left out");
    assert!(
        listed
            .iter()
            .all(|row| row["results"]["won"].as_u64().unwrap() + row["results"]["lost"].as_u64().unwrap() == 20)
    );
}
