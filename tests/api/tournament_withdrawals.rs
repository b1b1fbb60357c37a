//! Withdrawals from tournaments: by leaving, by not appearing, or by suspension.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::database::execute;
use crate::support::{TestApp, seven_people};
use crate::tournaments::{
    alphabet, boards, heard, named, plays_round, reads, resigns, standings, starts, table, tournament,
};

#[actix_web::test]
async fn who_withdraws_early_is_struck_out_of_a_round_robin() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let four = &people[..4];
    let path = tournament(&people[0], four, json!({})).await;
    starts(&people[0], &path).await;
    plays_round(four, &path, 1, alphabet).await;
    let left = four[3].post(&format!("{path}/leave"), json!({})).await.expect(200);
    assert_eq!(left["status"], "running");
    four[3].post(&format!("{path}/leave"), json!({})).await.problem(403, "not-a-participant");
    four[3].post(&format!("{path}/join"), json!({})).await.problem(422, "not-eligible");
    for round in 2..=3 {
        app.passes_s(1).await;
        let played = boards(&app, &path, round).await;
        let unplayed = played.iter().find(|board| board["unplayed"] == true).unwrap();
        assert_eq!((&unplayed["status"], &unplayed["pairing_id"]), (&json!("finished"), &Value::Null));
        plays_round(four, &path, round, alphabet).await;
    }
    app.passes_s(1).await;
    let expected = [(1, "anna", 2.0), (2, "ben", 1.0), (3, "carl", 0.0), (4, "dora", 0.0)];
    assert_eq!(table(&app, &path).await, expected.map(|(place, name, points)| (place, name.to_owned(), points)));
    let dora = standings(&app, &path).await.pop().unwrap();
    assert_eq!(
        (&dora["struck"], &dora["withdrawn"]["reason"], &dora["withdrawn"]["round"]),
        (&json!(true), &json!("left"), &json!(1))
    );
}

#[actix_web::test]
async fn who_withdraws_from_a_swiss_is_paired_no_more_and_what_he_has_begun_goes_on() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let six = &people[..6];
    let path = tournament(&people[6], six, json!({ "format": "swiss", "rounds": 3 })).await;
    starts(&people[6], &path).await;
    // In the middle of a game, which counts.
    let board = boards(&app, &path, 1).await.remove(0);
    let (one, other) = (named(six, &board["first"]), named(six, &board["second"]));
    let (winner, loser) = if one.name < other.name { (one, other) } else { (other, one) };
    winner.post(&format!("{path}/leave"), json!({})).await.expect(200);
    plays_round(six, &path, 1, alphabet).await;
    for round in 2..=3 {
        app.passes_s(1).await;
        let boards = boards(&app, &path, round).await;
        assert_eq!(boards.len(), 3, "five are left: two boards and a bye");
        assert!(boards.iter().all(|board| !board.to_string().contains(&format!("\"{}\"", winner.name))));
        plays_round(six, &path, round, alphabet).await;
    }
    app.passes_s(1).await;
    let rows = standings(&app, &path).await;
    let row = rows.iter().find(|row| row["player"]["username"] == winner.name.as_str()).unwrap();
    assert_eq!((&row["points"], &row["played"]), (&json!(1.0), &json!(1)));
    assert_eq!(
        rows.iter().find(|row| row["player"]["username"] == loser.name.as_str()).unwrap()["results"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
}

#[actix_web::test]
async fn who_loses_on_time_twice_in_a_row_is_withdrawn() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let four = &people[..4];
    let path = tournament(&people[0], four, json!({ "double_round_robin": true })).await;
    starts(&people[0], &path).await;
    for round in 1..=2 {
        for board in boards(&app, &path, round).await {
            let (one, other) = (named(four, &board["first"]), named(four, &board["second"]));
            let id = board["match_ids"][0].as_str().unwrap();
            if one.name == "dora" || other.name == "dora" {
                let opponent = if one.name == "dora" { other } else { one };
                opponent.acts(id, json!({ "type": "deploy-auto" })).await.expect(200);
            } else {
                resigns(&[one, other], if one.name > other.name { one } else { other }, id).await;
            }
        }
        assert!(standings(&app, &path).await.iter().all(|row| row["withdrawn"].is_null()));
        app.passes_s(86_401).await;
        app.passes_s(1).await;
    }
    let rows = standings(&app, &path).await;
    let dora = rows.iter().find(|row| row["player"]["username"] == "dora").unwrap();
    assert_eq!(dora["withdrawn"]["reason"], "timed-out", "{dora}");
    let event = heard(&four[3]).await.into_iter().find(|event| event["type"] == "tournament-withdrawn").unwrap();
    assert_eq!(event["reason"], "timed-out");
    // Nobody has to wait for her any more.
    for round in 3..=6 {
        plays_round(four, &path, round, alphabet).await;
        app.passes_s(1).await;
    }
    assert_eq!(reads(&app, &path).await["status"], "finished");
    let last = table(&app, &path).await.pop().unwrap();
    assert_eq!((last.0, last.1.as_str()), (4, "dora"));
}

#[actix_web::test]
async fn who_is_suspended_is_paired_no_more() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let four = &people[..4];
    let path = tournament(&people[0], &people[..5], json!({ "format": "swiss", "rounds": 2 })).await;
    let suspend = async |name: &str| {
        let suspension = "suspended_at = '2026-11-21', suspended_until = '2026-12-01', suspension_reason = 'x'";
        execute(&app.database, &format!("UPDATE accounts SET {suspension} WHERE username = '{name}'")).await;
    };
    suspend("emil").await;
    suspend("fritz").await;
    people[5].post(&format!("{path}/join"), json!({})).await.problem(403, "account-suspended");
    let seen = people[5].get(&path).await.expect(200);
    assert_eq!(seen["eligibility"]["join"]["reasons"], json!(["account-suspended"]));
    // Emil had joined, and gets no number.
    starts(&people[0], &path).await;
    assert_eq!(reads(&app, &path).await["players"], 4);
    let first = boards(&app, &path, 1).await;
    plays_round(four, &path, 1, alphabet).await;
    suspend("carl").await;
    app.passes_s(1).await;
    let rows = standings(&app, &path).await;
    let carl = rows.iter().find(|row| row["player"]["username"] == "carl").unwrap();
    assert_eq!(carl["withdrawn"]["reason"], "account-suspended");
    assert!(heard(&people[2]).await.iter().any(|event| event["type"] == "tournament-withdrawn"));
    // Three are left: a board of two who haven't met, and a bye.
    let second = boards(&app, &path, 2).await;
    assert_eq!(second.len(), 2);
    let names = |board: &Value| {
        let name = |seat: &str| board[seat]["player"]["username"].as_str().unwrap_or("nobody").to_owned();
        BTreeSet::from([name("first"), name("second")])
    };
    assert!(second.iter().all(|board| !names(board).contains("carl")));
    assert!(first.iter().all(|board| !second.iter().any(|next| names(next) == names(board))));
}

#[actix_web::test]
async fn two_who_never_come_hold_nobody_up_for_long() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let three = &people[..3];
    let path = tournament(&people[0], three, json!({ "double_round_robin": true, "rated": true })).await;
    starts(&people[0], &path).await;
    // Ben and Carl never place a fleet.
    for round in 1..=6 {
        for board in boards(&app, &path, round).await.iter().filter(|board| board["status"] == "running") {
            if named(three, &board["first"]).name == "anna" || named(three, &board["second"]).name == "anna" {
                let id = board["match_ids"][0].as_str().unwrap();
                three[0].acts(id, json!({ "type": "deploy-auto" })).await.expect(200);
            }
        }
        app.passes_s(86_401).await;
        app.passes_s(1).await;
    }
    assert_eq!(reads(&app, &path).await["status"], "finished");
    let rows = standings(&app, &path).await;
    let why =
        |name: &str| rows.iter().find(|row| row["player"]["username"] == name).unwrap()["withdrawn"]["reason"].clone();
    assert_eq!([why("anna"), why("ben"), why("carl")], [Value::Null, json!("timed-out"), json!("timed-out")]);
}
