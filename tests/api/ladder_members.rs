//! Ladder members who wait while others are away, or alone; and the rights of a suspended member.

use serde_json::json;

use crate::ladders::{DAY_S, pairings};
use crate::support::{TestApp, seven_people};

#[actix_web::test]
async fn all_who_wait_may_be_away_and_are_paired_when_they_are_back() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (anna, ben) = (&people[0], &people[1]);
    app.passes_s(100 * DAY_S).await;
    let id = anna.makes_ladder(json!({})).await;
    for player in [anna, ben] {
        let until = broadside_rules::Time(app.app.clock.now().0 + 2 * DAY_S * 1000);
        player.post("/v1/account/vacations", json!({ "ends_at": until })).await.expect(201);
        player.joins(&id, 1).await;
    }
    app.passes_s(DAY_S).await;
    assert!(pairings(&app, &id).await.is_empty());
    app.passes_s(DAY_S + 60).await;
    assert_eq!(pairings(&app, &id).await.len(), 1);
}

#[actix_web::test]
async fn a_member_alone_is_not_looked_at_again_and_again() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let id = people[0].makes_ladder(json!({})).await;
    people[0].joins(&id, 1).await;
    app.passes_s(1).await;
    let mut conn = app.app.db.conn().await.unwrap();
    let due = async |conn: &mut broadside::db::Conn| {
        let at = app.app.clock.now().plus_s(365 * 86_400);
        let look = broadside::ladders::store::ladders::DueFor::Matchmaking;
        broadside::ladders::store::ladders::due(conn, look, at, None, 10).await.unwrap().len()
    };
    assert_eq!(due(&mut conn).await, 0);
    people[1].joins(&id, 1).await;
    assert_eq!(due(&mut conn).await, 1);
    drop(conn);
    app.passes_s(1).await;
    assert_eq!(pairings(&app, &id).await.len(), 1);
}

#[actix_web::test]
async fn who_is_suspended_leaves_a_ladder_but_neither_joins_nor_closes_one() {
    let app = TestApp::start().await;
    let (mia, anna) = (app.moderator("mia").await, app.lasting_player("anna").await);
    let (own, other) = (anna.makes_ladder(json!({})).await, anna.makes_ladder(json!({})).await);
    anna.joins(&own, 1).await;
    let suspension = json!({ "reason": "insults after a warning" });
    mia.post("/v1/moderation/players/anna/suspend", suspension).await.expect(204);
    let reason = json!({ "reason": "out of spite" });
    anna.post(&format!("/v1/ladders/{own}/close"), reason.clone()).await.problem(403, "account-suspended");
    anna.post(&format!("/v1/ladders/{other}/join"), json!({})).await.problem(403, "account-suspended");
    anna.post(&format!("/v1/ladders/{own}/leave"), json!({})).await.expect(200);
    mia.post("/v1/moderation/players/anna/lift-suspension", json!({ "reason": "they have apologised" }))
        .await
        .expect(204);
    anna.post(&format!("/v1/ladders/{own}/close"), reason).await.expect(200);
}

#[actix_web::test]
async fn what_a_moderator_calls_off_nobody_has_missed() {
    let app = TestApp::start().await;
    let (mia, people) = (app.moderator("mia").await, seven_people(&app).await);
    let (anna, ben) = (&people[0], &people[1]);
    let id = anna.makes_ladder(json!({})).await;
    anna.joins(&id, 1).await;
    ben.joins(&id, 1).await;
    for _ in 0..2 {
        app.passes_s(6 * 3600).await;
        let game = anna.at_play().await[0].clone();
        let verdict =
            json!({ "expected_status": "running", "verdict": "no-result", "reason": "the server lost the score" });
        mia.post(&format!("/v1/moderation/matches/{game}/adjudicate"), verdict).await.expect(204);
        app.passes_s(1).await;
    }
    for player in [anna, ben] {
        let membership = player.looks_at(&id).await["membership"].clone();
        assert_eq!([&membership["missed_pairings"], &membership["status"]], [&json!(0), &json!("active")]);
    }
}
