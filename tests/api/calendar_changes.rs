//! Calendar changes in quick succession are applied together, priced by the matches they affect, and don't fill logs.

use serde_json::json;

use crate::calendar::{DAY_S, clock, two};
use crate::support::{Player, Setup, TestApp};

/// Number of Anna's plans in a match's log.
async fn plans_of(anna: &Player, id: &str) -> usize {
    let reports = anna.get(&format!("/v1/matches/{id}/reports?limit=1000")).await.expect(200);
    reports["items"].as_array().unwrap().iter().filter(|report| report["type"] == "rests-planned").count()
}

async fn changes_her_nights(anna: &Player, times: usize, pause_s: i64) {
    for number in 0..times {
        let night = json!({ "start": format!("2{}:00", 1 + number % 2), "end": "07:00" });
        anna.lives_by(json!({ "night": night })).await;
        anna.app.passes_s(pause_s).await;
    }
}

#[actix_web::test]
async fn changes_that_follow_each_other_are_told_together() {
    let app = TestApp::start().await;
    let (anna, ben) = two(&app).await;
    let id = anna.plays(&ben, clock(json!({ "kind": "per-move", "move_s": 14 * DAY_S }))).await;
    anna.fires(&id, &["J10"]).await;
    changes_her_nights(&anna, 21, 180).await;
    // A burst of six, and then six an hour.
    let plans = plans_of(&anna, &id).await;
    assert!((6..=13).contains(&plans), "{plans}");
    // The last change is applied in the end.
    app.passes_s(600).await;
    let other = anna.plays(&ben, clock(json!({ "kind": "per-move", "move_s": 14 * DAY_S }))).await;
    anna.fires(&other, &["J10"]).await;
    let nights = async |id: &str| {
        let segments = ben.time_of(id, 0).await["prospect"]["segments"].clone();
        segments.as_array().unwrap().iter().rfind(|segment| segment["kind"] == "night").unwrap().clone()
    };
    assert_eq!(nights(&id).await["from"].as_str().unwrap()[10..], nights(&other).await["from"].as_str().unwrap()[10..]);
}

#[actix_web::test]
async fn a_match_takes_up_so_many_changes_of_a_calendar_and_no_more() {
    let app = TestApp::start().await;
    let (anna, ben) = two(&app).await;
    let id = anna.plays(&ben, clock(json!({ "kind": "per-move", "move_s": 14 * DAY_S }))).await;
    changes_her_nights(&anna, 130, 660).await;
    let plans = plans_of(&anna, &id).await;
    assert!((50..=100).contains(&plans), "{plans}");
}

#[actix_web::test]
async fn a_change_costs_more_where_it_changes_more_matches() {
    let app = TestApp::start().await;
    let (anna, ben) = two(&app).await;
    let cleo = app.lasting_player("cleo").await;
    for _ in 0..30 {
        anna.challenges_and_meets(&ben, json!({})).await;
    }
    let budgets = broadside::rate_limits::ProcessorBudgets { account_ms: 150, address_ms: 0, anonymous_ms: 100 };
    let setup = Setup { rate_limits: true, budgets, ..Default::default() };
    let node = TestApp::on(app.database.clone(), app.clock.clone(), setup).await;
    let change = async |player: &Player| {
        player.at(&node).request("PUT", "/v1/account/calendar", Some(json!({ "days_off": ["sunday"] }))).await
    };
    for _ in 0..4 {
        change(&cleo).await.expect(200);
    }
    change(&anna).await.expect(200);
    change(&anna).await.problem(429, "too-many-requests");
}
