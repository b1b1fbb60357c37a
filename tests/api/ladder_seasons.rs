//! Seasons of ladders: they end once, on time, on any number of nodes; members are promoted and relegated, and
//! everybody is notified once.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::ladders::{DAY_S, is_made, pairings, standings, the_first_by_name_win};
use crate::support::{Player, TestApp, seven_people};

async fn season(app: &TestApp, ladder: &str) -> Value {
    app.get(&format!("/v1/ladders/{ladder}")).await.expect(200)["season"].clone()
}

fn names(rows: &[(String, f64, u64)]) -> Vec<&str> {
    rows.iter().map(|row| row.0.as_str()).collect()
}

/// A player's season-end events: (season, rank, division, next division).
async fn ends(player: &Player) -> Vec<[Value; 4]> {
    let heard = player.hears(0).await;
    let ended = heard.iter().filter(|event| event["type"] == "season-ended");
    ended.map(|event| ["season", "rank", "division", "next_division"].map(|field| event[field].clone())).collect()
}

#[actix_web::test]
async fn a_season_ends_at_its_time_and_its_standings_stay() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let four = &people[..4];
    let id = people[0].makes_ladder(json!({ "season_s": 10 * DAY_S })).await;
    for player in four {
        player.joins(&id, 1).await;
    }
    app.passes_s(3600).await;
    the_first_by_name_win(&app, &id, four).await;
    app.passes_s(5 * 3600).await;
    let live = standings(&app, &id, "").await;
    let begun = season(&app, &id).await;
    assert_eq!([&begun["number"], &begun["ended_at"]], [&json!(1), &Value::Null]);
    // A match that began in the first season and ends in the second.
    let late = pairings(&app, &id).await.iter().filter(|pairing| pairing["settled_at"].is_null()).count();
    assert_eq!(late, 2);
    for player in four {
        for game in player.at_play().await {
            player.acts(&game, json!({ "type": "deploy-auto" })).await.expect(200);
        }
    }
    // Each moves until the season is over, so that nobody times out.
    for _ in 0..11 {
        app.passes_s(DAY_S - 60).await;
        for player in four {
            for game in player.at_play().await {
                if let Some(example) = player.example(&game).await {
                    player.acts(&game, example).await.expect(200);
                }
            }
        }
    }
    let next = season(&app, &id).await;
    assert_eq!([&next["number"], &next["started_at"]], [&json!(2), &begun["ends_at"]]);
    let last = standings(&app, &id, "season=1").await;
    assert_eq!(last, live);
    assert!(standings(&app, &id, "").await.iter().all(|row| row.2 == 0));
    the_first_by_name_win(&app, &id, four).await;
    app.passes_s(1).await;
    assert_eq!(standings(&app, &id, "season=1").await, last, "what is over is over");
    assert_eq!(standings(&app, &id, "season=2").await.iter().map(|row| row.2).sum::<u64>(), 4);
    let page = app.get(&format!("/v1/ladders/{id}/standings?season=1&around=ben&limit=2")).await.expect(200);
    assert_eq!([&page["is_final"], &page["season"]], [&json!(true), &json!(1)]);
    let rank = page["around_rank"].as_u64().unwrap();
    assert_eq!(last[rank as usize - 1].0, "ben");
    for (place, name) in (1..).zip(names(&last)) {
        let player = four.iter().find(|player| player.name == name).unwrap();
        assert_eq!(ends(player).await, [[json!(1), json!(place), json!(1), json!(1)]]);
    }
    app.get(&format!("/v1/ladders/{id}/standings?season=3")).await.problem(404, "not-found");
    app.get(&format!("/v1/ladders/{id}/standings?season=0")).await.problem(422, "validation-failed");
    let seasons = app.get(&format!("/v1/ladders/{id}/seasons?limit=1")).await.expect(200);
    assert_eq!([&seasons["items"][0]["number"], &seasons["next_cursor"]], [&json!(2), &json!("2")]);
    let first = app.get(&format!("/v1/ladders/{id}/seasons?limit=1&cursor=2")).await.expect(200);
    assert_eq!([&first["items"][0]["ended_at"], &first["next_cursor"]], [&begun["ends_at"], &Value::Null]);
}

#[actix_web::test]
async fn many_jobs_on_two_nodes_turn_a_season_once() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let people = seven_people(&app).await;
    is_made(&app, &people[0], "organizer").await;
    let id = people[0].makes_ladder(json!({ "official": true, "season_s": 60 })).await;
    for player in &people {
        player.joins(&id, 1).await;
    }
    for turn in 2..6 {
        app.passes_unseen_s(60);
        join_all((0..10).map(|job| {
            let node = if job % 2 == 0 { &app } else { &other };
            async move { broadside::ladders::job::run(&node.app.matches).await.unwrap() }
        }))
        .await;
        assert_eq!(season(&app, &id).await["number"], turn);
    }
    app.passes_s(1).await;
    let seasons = app.get(&format!("/v1/ladders/{id}/seasons")).await.expect(200);
    let numbers: Vec<&Value> = seasons["items"].as_array().unwrap().iter().map(|season| &season["number"]).collect();
    assert_eq!(numbers, [5, 4, 3, 2, 1]);
    for player in &people {
        let heard: Vec<Value> = ends(player).await.into_iter().map(|[season, ..]| season).collect();
        assert_eq!(heard, [1, 2, 3, 4]);
    }
    // After a day of downtime with seasons of a minute, the missed seasons are skipped.
    app.passes_s(DAY_S).await;
    assert_eq!(season(&app, &id).await["number"], 6);
}

#[actix_web::test]
async fn a_turn_that_is_cut_off_is_done_by_the_next_round() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let id = people[0].makes_ladder(json!({ "season_s": DAY_S, "divisions": { "size": 4, "promotions": 1 } })).await;
    for player in &people {
        player.joins(&id, 1).await;
    }
    app.passes_s(1).await;
    app.passes_unseen_s(DAY_S);
    for moments in 1..50 {
        let mut job = Box::pin(broadside::ladders::job::run(&app.app.matches));
        let mut polls = 0;
        std::future::poll_fn(|cx| {
            polls += 1;
            if job.as_mut().poll(cx).is_ready() || polls >= moments {
                std::task::Poll::Ready(())
            } else {
                std::task::Poll::Pending
            }
        })
        .await;
        drop(job);
        // Before or after, and never between.
        let number = season(&app, &id).await["number"].as_u64().unwrap();
        assert_eq!(standings(&app, &id, "").await.len() + standings(&app, &id, "division=2").await.len(), 7);
        let seasons = app.get(&format!("/v1/ladders/{id}/seasons")).await.expect(200);
        assert_eq!(seasons["items"].as_array().unwrap().len() as u64, number);
    }
    app.passes_s(1).await;
    assert_eq!(season(&app, &id).await["number"], 2);
    for player in &people {
        assert_eq!(ends(player).await.len(), 1);
    }
}

#[actix_web::test]
async fn the_best_of_a_division_rise_and_the_worst_fall() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let clock = json!({ "kind": "per-move", "move_s": 14 * DAY_S });
    let divisions = json!({ "size": 4, "promotions": 1 });
    let terms = json!({ "season_s": 10 * DAY_S, "divisions": divisions, "max_pairings": 3, "clock": clock });
    let id = people[0].makes_ladder(terms).await;
    for player in &people {
        // Nobody is alone in a division: the last three open the second one together.
        let above = standings(&app, &id, "").await.len();
        assert!(above == 0 || standings(&app, &id, "division=2").await.is_empty(), "{above}");
        player.joins(&id, 3).await;
        app.passes_unseen_s(1);
    }
    let ladder = people[6].looks_at(&id).await;
    assert_eq!([&ladder["divisions"]["count"], &ladder["membership"]["division"]], [&json!(2), &json!(2)]);
    app.passes_s(6 * 3600).await;
    the_first_by_name_win(&app, &id, &people).await;
    app.passes_s(1).await;
    // Within a division only.
    let upper = ["anna", "ben", "carl", "dora"];
    for pairing in pairings(&app, &id).await {
        let above: Vec<bool> = pairing["players"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| upper.contains(&one["player"]["username"].as_str().unwrap()))
            .collect();
        assert_eq!(above[0], above[1]);
    }
    let first = standings(&app, &id, "").await;
    let second = standings(&app, &id, "division=2").await;
    assert_eq!((first[0].0.as_str(), first[3].0.as_str(), second[0].0.as_str()), ("anna", "dora", "emil"));
    app.passes_s(10 * DAY_S).await;
    let names_of = async |query: &str| {
        let mut found: Vec<String> = standings(&app, &id, query).await.into_iter().map(|row| row.0).collect();
        found.sort();
        found
    };
    assert_eq!(names_of("").await, ["anna", "ben", "carl", "emil"]);
    assert_eq!(names_of("division=2").await, ["dora", "fritz", "gina"]);
    let dora = ends(&people[3]).await;
    assert_eq!(dora[0], [json!(1), json!(4), json!(1), json!(2)]);
    assert_eq!(ends(&people[4]).await[0], [json!(1), json!(1), json!(2), json!(1)]);
    // The page around a player is that of the player's division.
    let page = app.get(&format!("/v1/ladders/{id}/standings?around=dora")).await.expect(200);
    assert_eq!(page["division"], 2);
    // A member who leaves before playing leaves no trace, and a newcomer starts at the bottom.
    people[4].post(&format!("/v1/ladders/{id}/leave"), json!({})).await.expect(200);
    assert_eq!(names_of("").await, ["anna", "ben", "carl"]);
    let zoe = app.lasting_player("zoe").await;
    assert_eq!(zoe.joins(&id, 1).await["membership"]["division"], 2);
}

#[actix_web::test]
async fn being_away_when_a_season_ends_saves_nobody_from_falling() {
    let app = TestApp::start().await;
    let mut people = seven_people(&app).await;
    people.push(app.lasting_player("zoe").await);
    let clock = json!({ "kind": "per-move", "move_s": 14 * DAY_S });
    let terms = json!({ "season_s": 10 * DAY_S, "divisions": { "size": 4, "promotions": 1 }, "clock": clock });
    let id = people[0].makes_ladder(terms).await;
    for player in &people {
        player.joins(&id, 1).await;
        app.passes_unseen_s(1);
    }
    app.passes_s(1).await;
    let dora = &people[3];
    assert_eq!(dora.looks_at(&id).await["membership"]["division"], 1);
    assert_eq!(dora.at_play().await.len(), 1);
    // Her match continues into the next season, and she is gone when this one ends.
    dora.post(&format!("/v1/ladders/{id}/leave"), json!({})).await.expect(200);
    app.passes_s(10 * DAY_S).await;
    assert_eq!(season(&app, &id).await["number"], 2);
    the_first_by_name_win(&app, &id, &people).await;
    app.passes_s(1).await;
    let of = async |query: &str| standings(&app, &id, query).await.into_iter().map(|row| row.0).collect::<Vec<_>>();
    assert!(!of("").await.contains(&"dora".to_owned()));
    assert!(of("division=2").await.contains(&"dora".to_owned()), "what she has played counts");
    assert_eq!(dora.joins(&id, 1).await["membership"]["division"], 2);
}

#[actix_web::test]
async fn what_ended_while_the_service_was_away_counts_for_the_season_in_which_it_ended() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (anna, ben) = (&people[0], &people[1]);
    let clock = json!({ "kind": "per-move", "move_s": 5 * DAY_S });
    let id = anna.makes_ladder(json!({ "season_s": 2 * DAY_S, "clock": clock })).await;
    anna.joins(&id, 1).await;
    ben.joins(&id, 1).await;
    app.passes_s(1).await;
    let game = anna.at_play().await[0].clone();
    ben.loses(anna, &game).await;
    // No job has run since, although the season is over.
    app.passes_unseen_s(2 * DAY_S);
    app.passes_s(1).await;
    assert_eq!(standings(&app, &id, "season=1").await[0], ("anna".to_owned(), 1.0, 1));
    app.passes_s(6 * 3600).await;
    let game = anna.at_play().await[0].clone();
    // The second season is over but not closed when this match ends: it counts for the third.
    app.passes_unseen_s(2 * DAY_S - 6 * 3600);
    ben.loses(anna, &game).await;
    app.passes_s(1).await;
    assert_eq!(season(&app, &id).await["number"], 3);
    assert!(standings(&app, &id, "season=2").await.iter().all(|row| row.2 == 0));
    assert_eq!(standings(&app, &id, "season=3").await[0], ("anna".to_owned(), 1.0, 1));
}

#[actix_web::test]
async fn standings_come_in_pages_and_around_somebody() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let id = people[0].makes_ladder(json!({ "max_pairings": 6 })).await;
    for player in &people {
        player.joins(&id, 6).await;
    }
    app.passes_s(1).await;
    the_first_by_name_win(&app, &id, &people).await;
    app.passes_s(1).await;
    let whole = standings(&app, &id, "").await;
    let mut paged = Vec::new();
    let mut query = "limit=3".to_owned();
    loop {
        let page = app.get(&format!("/v1/ladders/{id}/standings?{query}")).await;
        let body = page.json();
        assert_eq!(page.header("link").is_some(), !body["next_cursor"].is_null());
        let ranks: Vec<u64> =
            body["items"].as_array().unwrap().iter().map(|row| row["rank"].as_u64().unwrap()).collect();
        assert_eq!(ranks, (paged.len() as u64 + 1..=(paged.len() + ranks.len()) as u64).collect::<Vec<_>>());
        paged.extend(standings(&app, &id, &query).await);
        let Some(cursor) = body["next_cursor"].as_str() else { break };
        query = format!("limit=3&cursor={cursor}");
    }
    assert_eq!(paged, whole);
    assert_eq!(whole.len(), 7);
    for (place, (name, ..)) in whole.iter().enumerate() {
        let page = app.get(&format!("/v1/ladders/{id}/standings?around={name}&limit=3")).await.expect(200);
        assert_eq!(page["around_rank"], place + 1);
        assert_eq!(page["items"][0]["rank"], place.max(1));
    }
    let zoe = app.player("zoe").await;
    let page = app.get(&format!("/v1/ladders/{id}/standings?around={}", zoe.name)).await.expect(200);
    assert_eq!([&page["around_rank"], &page["items"][0]["rank"]], [&Value::Null, &json!(1)]);
    app.get(&format!("/v1/ladders/{id}/standings?around=nobody")).await.problem(404, "not-found");
    app.get(&format!("/v1/ladders/{id}/standings?cursor=x")).await.problem(422, "validation-failed");
}

#[actix_web::test]
async fn a_pair_counts_for_the_season_in_which_its_later_game_ended() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let two = &people[..2];
    let id = people[0].makes_ladder(json!({ "season_s": 2 * DAY_S, "paired_games": true })).await;
    for player in two {
        player.joins(&id, 1).await;
    }
    app.passes_s(2 * DAY_S - 3600).await;
    let games = two[0].at_play().await;
    assert_eq!(games.len(), 2);
    for (player, game) in two.iter().flat_map(|player| games.iter().map(move |game| (player, game))) {
        player.acts(game, json!({ "type": "deploy-auto" })).await.expect(200);
    }
    // One game ends a second after the end of the season; the other, written later, a second before it.
    app.passes_unseen_s(3601);
    let behind = app.node_behind_s(2).await;
    two[1].acts(&games[0], json!({ "type": "resign" })).await.expect(200);
    two[1].at(&behind).acts(&games[1], json!({ "type": "resign" })).await.expect(200);
    app.passes_s(1).await;
    assert_eq!(season(&app, &id).await["number"], 2);
    let points = |rows: Vec<(String, f64, u64)>| rows.iter().map(|row| row.1).sum::<f64>();
    assert!(points(standings(&app, &id, "season=1").await).abs() < f64::EPSILON);
    assert!((points(standings(&app, &id, "season=2").await) - 2.0).abs() < f64::EPSILON);
}
