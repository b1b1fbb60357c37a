//! The matches of a ladder, a tournament, a season and a round.

use serde_json::json;

use crate::ladders::{DAY_S, pairings, the_first_by_name_win};
use crate::support::{TestApp, seven_people};
use crate::tournaments::{alphabet, boards, plays_round, starts, tournament};

/// The ids of a list, newest first.
async fn listed(app: &TestApp, query: &str) -> Vec<String> {
    let page = app.get(&format!("/v1/matches?limit=100&{query}")).await.expect(200);
    page["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
}

fn sorted(mut ids: Vec<String>) -> Vec<String> {
    ids.sort();
    ids
}

#[actix_web::test]
async fn the_matches_of_a_tournament_are_found_by_round() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let path = tournament(&people[0], &people[..4], json!({})).await;
    let id = path.strip_prefix("/v1/tournaments/").unwrap();
    starts(&people[0], &path).await;
    people[4].challenges_and_meets(&people[5], json!({})).await;
    plays_round(&people[..4], &path, 1, alphabet).await;
    app.passes_s(1).await;
    assert_eq!(listed(&app, &format!("tournament={id}")).await.len(), 4);
    for round in [1, 2] {
        let boards = boards(&app, &path, round).await;
        let played = boards.iter().map(|board| board["match_ids"][0].as_str().unwrap().to_owned()).collect();
        assert_eq!(sorted(listed(&app, &format!("tournament={id}&round={round}")).await), sorted(played));
    }
    assert_eq!(listed(&app, &format!("tournament={id}&status=finished&player=anna")).await.len(), 1);
    assert!(listed(&app, &format!("tournament={id}&round=3")).await.is_empty(), "it has not come");
    assert!(listed(&app, "tournament=0199c2a8-7d4e-7c3a-9f10-5b1e6a2d8c47").await.is_empty());
    let both = app.get(&format!("/v1/matches?tournament={id}&ladder={id}")).await;
    assert_eq!(both.pointers(), ["/tournament"]);
    assert_eq!(app.get("/v1/matches?round=1").await.pointers(), ["/tournament"]);
    assert_eq!(app.get(&format!("/v1/matches?tournament={id}&season=1")).await.pointers(), ["/ladder"]);
    app.get(&format!("/v1/matches?tournament={id}&round=0")).await.problem(422, "validation-failed");
}

#[actix_web::test]
async fn the_matches_of_a_ladder_are_found_by_season() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let id = people[0].makes_ladder(json!({ "season_s": 30 * DAY_S })).await;
    for player in &people[..2] {
        player.joins(&id, 1).await;
    }
    app.passes_s(1).await;
    the_first_by_name_win(&app, &id, &people).await;
    app.passes_s(2).await;
    let first = pairings(&app, &id).await.last().unwrap()["games"][0]["match_id"].as_str().unwrap().to_owned();
    assert_eq!(listed(&app, &format!("ladder={id}&season=1")).await, std::slice::from_ref(&first));
    assert!(listed(&app, &format!("ladder={id}")).await.contains(&first));
    assert!(listed(&app, &format!("ladder={id}&season=2")).await.is_empty());
    assert_eq!(app.get("/v1/matches?season=1").await.pointers(), ["/ladder"]);
    app.get("/v1/matches?ladder=x").await.problem(422, "validation-failed");
}
