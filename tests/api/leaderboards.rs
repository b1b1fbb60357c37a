//! Leaderboards: the established and active players, in pages and around a player, with correct ranks.

use serde_json::{Value, json};

use crate::ratings::{DAY_S, duellists, wrong};
use crate::support::{Setup, TestApp, database};

/// Inserts this number of rated players, each with a different rating, best first.
pub async fn crowd(app: &TestApp, players: u32, listed_until: &str) {
    let sql = format!(
        "INSERT INTO accounts (id, username, username_key, username_skeleton, password_hash, bot, created_at) \
         SELECT gen_random_uuid(), 'player' || n, 'player' || n, ('player' || n)::bytea, '', false, now() FROM generate_series(1, {players}) AS n; \
         INSERT INTO ratings (account_id, pool, number, rating, deviation, volatility, matches, rated_at, listed_until, account_deleted) \
         SELECT id, 'classic-days', 1, 3000 - substr(username, 7)::int, 60, 0.06, 20, '2026-11-20', {listed_until}, false \
         FROM accounts WHERE username LIKE 'player%'"
    );
    database::execute(&app.database, &sql).await;
}

async fn ranks(app: &TestApp, query: &str) -> (Vec<(u64, String)>, Value) {
    let page = app.get(&format!("/v1/pools/classic-days/leaderboard{query}")).await.expect(200);
    let entry =
        |item: &Value| (item["rank"].as_u64().unwrap(), item["player"]["username"].as_str().unwrap().to_owned());
    (page["items"].as_array().unwrap().iter().map(entry).collect(), page)
}

#[actix_web::test]
async fn a_leaderboard_is_read_in_pages_and_around_somebody() {
    let app = TestApp::start().await;
    crowd(&app, 2500, "'2027-01-01'").await;
    // The same before and after every thousandth rank was stored, and on every page.
    for _ in 0..2 {
        let mut found = Vec::new();
        let mut query = "?limit=100".to_owned();
        loop {
            let (entries, page) = ranks(&app, &query).await;
            found.extend(entries);
            let Some(cursor) = page["next_cursor"].as_str() else { break };
            query = format!("?limit=100&cursor={cursor}");
        }
        let wanted: Vec<_> = (1..=2500).map(|n| (n, format!("player{n}"))).collect();
        assert_eq!(found, wanted);
        broadside::ratings::read::mark(&app.app).await.unwrap();
    }
    let (entries, page) = ranks(&app, "?around=Player1234&limit=5").await;
    let wanted = [1232, 1233, 1234, 1235, 1236].map(|n| (n, format!("player{n}")));
    assert_eq!((entries.as_slice(), &page["around"]["rank"]), (wanted.as_slice(), &json!(1234)));
    let cursor = page["next_cursor"].as_str().unwrap();
    assert_eq!(ranks(&app, &format!("?limit=1&cursor={cursor}")).await.0, [(1237, "player1237".to_owned())]);
    // Less room at the ends.
    assert_eq!(ranks(&app, "?around=player1&limit=3").await.0, [1, 2, 3].map(|n| (n, format!("player{n}"))));
    let (last, page) = ranks(&app, "?around=player2500&limit=4").await;
    assert_eq!(
        (last, &page["next_cursor"]),
        ([2498, 2499, 2500].map(|n| (n, format!("player{n}"))).to_vec(), &Value::Null)
    );
    let path = format!("/v1/pools/classic-days/leaderboard?around=player1&cursor={cursor}");
    assert_eq!(app.get(&path).await.pointers(), ["/around"]);
    app.get("/v1/pools/classic-days/leaderboard?cursor=xyz").await.problem(422, "validation-failed");
    app.get("/v1/pools/chess/leaderboard").await.problem(404, "not-found");
}

#[actix_web::test]
async fn only_the_established_and_active_are_listed() {
    let app = TestApp::start().await;
    let (anna, ben) = duellists(&app).await;
    let whereabouts = async |name: &str| ranks(&app, &format!("?around={name}")).await.1["around"].clone();
    assert_eq!(whereabouts("anna").await["unranked_reason"], "unrated");
    let mut matches = 0;
    while whereabouts("anna").await["rank"].is_null() {
        if matches % 2 == 0 {
            anna.beats(&ben).await
        } else {
            ben.beats(&anna).await
        };
        matches += 1;
        let now = whereabouts("anna").await;
        assert_eq!(now["rank"].is_null(), now["unranked_reason"] == "provisional");
        assert!(matches < 40, "nobody is ever established");
    }
    assert!(matches >= 8, "established after {matches} matches");
    let (entries, page) = ranks(&app, "").await;
    assert_eq!(entries.len(), 2);
    assert_eq!(page["items"][0]["matches"], matches);
    // Deleted accounts are not listed.
    let signed_in = json!({ "username": "ben", "password": ben.password });
    let session = app.post("/v1/sessions", signed_in).await.expect(201);
    let ben_in_person = ben.with_token(session["access_token"].as_str().unwrap());
    ben_in_person.request("DELETE", "/v1/account", Some(json!({ "password": ben.password }))).await.expect(204);
    assert_eq!(ranks(&app, "").await.0, [(1, "anna".to_owned())]);
    // Half a year later nobody is listed; the job only cleans up.
    app.passes_s(200 * DAY_S).await;
    for _ in 0..2 {
        assert!(ranks(&app, "").await.0.is_empty());
        assert_eq!(whereabouts("anna").await["unranked_reason"], "provisional", "she was barely established");
        broadside::ratings::read::mark(&app.app).await.unwrap();
    }
    assert_eq!(wrong(&app, "classic-days").await, None);
}

#[actix_web::test]
async fn who_is_established_and_away_for_too_long_is_inactive() {
    let app = TestApp::start().await;
    crowd(&app, 1, "'2027-05-19'").await;
    assert_eq!(ranks(&app, "?around=player1").await.1["around"]["rank"], 1);
    app.passes_s(181 * DAY_S).await;
    assert_eq!(ranks(&app, "?around=player1").await.1["around"]["unranked_reason"], "inactive");
}

#[actix_web::test]
async fn whoever_shares_a_rating_stands_among_his_neighbours_all_the_same() {
    let app = TestApp::start().await;
    crowd(&app, 9, "'2027-01-01'").await;
    // The highest possible rating has nothing above it.
    database::execute(&app.database, "UPDATE ratings SET rating = 4000 WHERE rating > 2992").await;
    let (order, _) = ranks(&app, "").await;
    assert_eq!(order.len(), 9);
    for (rank, name) in &order {
        let (around, page) = ranks(&app, &format!("?around={name}&limit=3")).await;
        assert_eq!(page["around"]["rank"], *rank);
        assert!(around.contains(&(*rank, name.clone())), "{name}: {around:?}");
    }
}

#[actix_web::test]
async fn a_node_that_has_just_started_marks_the_places_that_ranks_are_counted_from() {
    let heartbeat = Some(broadside::heartbeat::HeartbeatSettings::default());
    let app = TestApp::with(Setup { heartbeat, ..Setup::default() }).await;
    app.beats().await;
    crowd(&app, 2500, "'2027-01-01'").await;
    for job in broadside::jobs::JOBS {
        (job.round)(&app.app).await.unwrap();
    }
    let marks = "DO $$ BEGIN ASSERT (SELECT array_agg(position ORDER BY position) FROM leaderboard_samples) = '{1000,2000}'; END $$";
    database::execute(&app.database, marks).await;
}
