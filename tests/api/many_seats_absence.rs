//! Tournaments at tables with deviations: no-shows, withdrawals, organizers, deadlines, and invalid terms.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::many_seats::{at_tables, faults, match_of, placed, plays_round, plays_table, seated};
use crate::support::{Player, TestApp, seven_people};
use crate::tournaments::{boards, heard, reads, standings, starts, table, tournament};

#[actix_web::test]
async fn who_goes_before_a_table_begins_is_behind_all_and_the_others_play() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let four = &people[..4];
    let path = at_tables(four, json!({})).await;
    // The first round is drawn at the start, and Dora leaves before her match opens.
    four[0].post(&format!("{path}/start"), json!({})).await.expect(200);
    four[3].post(&format!("{path}/leave"), json!({})).await.expect(200);
    app.passes_s(1).await;
    let board = boards(&app, &path, 1).await.remove(0);
    assert_eq!(board["table"].as_array().unwrap().len(), 4, "as it was drawn");
    let of_match = reads(&app, &format!("/v1/matches/{}", match_of(&board))).await;
    assert_eq!(of_match["seats"].as_array().unwrap().len(), 3);
    let three: Vec<&Player> = four[..3].iter().collect();
    plays_table(&three, match_of(&board)).await;
    app.passes_s(1).await;
    let expected = [("anna", Some(1), 120), ("ben", Some(2), 80), ("carl", Some(3), 40), ("dora", None, 0)];
    let expected = expected.map(|(name, place, points)| (name.to_owned(), place, Some(points)));
    assert_eq!(placed(&boards(&app, &path, 1).await[0]), expected);
    // Ben leaves during the second round: the match goes on, and counts.
    let board = boards(&app, &path, 2).await.remove(0);
    assert_eq!(board["table"].as_array().unwrap().len(), 3, "Dora is seated no more");
    four[1].post(&format!("{path}/leave"), json!({})).await.expect(200);
    plays_table(&three, match_of(&board)).await;
    app.passes_s(1).await;
    assert_eq!(reads(&app, &path).await["status"], "finished");
    let points: Vec<(String, f64)> =
        table(&app, &path).await.into_iter().map(|(_, name, points)| (name, (points * 6.0).round())).collect();
    let expected = [("anna", 12.0), ("ben", 7.0), ("carl", 2.0), ("dora", 0.0)];
    assert_eq!(points, expected.map(|(name, sixths)| (name.to_owned(), sixths)));
    assert_eq!(faults(&app).await, Vec::<String>::new());
}

#[actix_web::test]
async fn a_table_with_too_few_is_not_played_and_the_tournament_ends() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let four = &people[..4];
    let path = at_tables(four, json!({})).await;
    four[0].post(&format!("{path}/start"), json!({})).await.expect(200);
    for player in &four[2..] {
        player.post(&format!("{path}/leave"), json!({})).await.expect(200);
    }
    app.passes_s(1).await;
    let board = boards(&app, &path, 1).await.remove(0);
    assert_eq!((&board["status"], &board["unplayed"]), (&json!("finished"), &json!(true)));
    assert_eq!(board["match_ids"], json!([]));
    let expected = [("anna", Some(1), 100), ("ben", Some(1), 100), ("carl", None, 0), ("dora", None, 0)];
    assert_eq!(placed(&board), expected.map(|(name, place, points)| (name.to_owned(), place, Some(points))));
    let over = reads(&app, &path).await;
    assert_eq!(over["status"], "finished");
    assert_eq!(over["reason"], "Fewer players were left than a table needs.");
    assert_eq!(standings(&app, &path).await[0]["played"], 0);
    assert_eq!(faults(&app).await, Vec::<String>::new());
}

#[actix_web::test]
async fn who_misses_two_tables_in_a_row_is_withdrawn() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let four = &people[..4];
    let path = at_tables(four, json!({ "rounds": 3 })).await;
    starts(&four[0], &path).await;
    for round in 1..=2 {
        // All but Dora place their fleets; she times out, and the others play on.
        let board = boards(&app, &path, round).await.remove(0);
        let id = match_of(&board);
        for player in &four[..3] {
            player.acts(id, json!({ "type": "deploy-auto" })).await.expect(200);
        }
        app.passes_s(86_401).await;
        for player in [&four[2], &four[1]] {
            player.acts(id, json!({ "type": "resign" })).await.expect(200);
        }
        app.passes_s(1).await;
        let places: Vec<Option<u64>> =
            placed(&boards(&app, &path, round).await[0]).into_iter().map(|(_, place, _)| place).collect();
        assert_eq!(places, [Some(1), Some(2), Some(3), Some(4)]);
    }
    let kinds: Vec<Value> = heard(&four[3]).await.iter().map(|event| event["type"].clone()).collect();
    assert!(
        kinds.contains(&json!("tournament-board-missed")) && kinds.contains(&json!("tournament-withdrawn")),
        "{kinds:?}"
    );
    let last = boards(&app, &path, 3).await.remove(0);
    assert_eq!(last["table"].as_array().unwrap().len(), 3);
    plays_round(four, &path, 3).await;
    app.passes_s(1).await;
    let rows = standings(&app, &path).await;
    let dora = rows.iter().find(|row| row["player"]["username"] == "dora").unwrap();
    assert_eq!((&dora["withdrawn"]["reason"], &dora["played"]), (&json!("timed-out"), &json!(2)));
    // A player who lost in another way missed nothing.
    assert!(rows.iter().filter(|row| row["player"]["username"] != "dora").all(|row| row["withdrawn"].is_null()));
    assert_eq!(faults(&app).await, Vec::<String>::new());
}

#[actix_web::test]
async fn an_organizer_decides_a_table_and_a_deadline_ends_one() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (four, gina) = (&people[..4], &people[6]);
    let terms = json!({
        "format": "tables", "variant": "salvos", "rounds": 2, "round_time_s": 5 * 86_400, "rated": true,
        "clock": { "kind": "per-move", "move_s": 7 * 86_400, "deploy_s": 7 * 86_400, "rests": "none" },
    });
    let path = tournament(gina, four, terms).await;
    assert_eq!(reads(&app, &path).await["seats"], 7, "as many as the rules allow");
    starts(gina, &path).await;
    let board = boards(&app, &path, 1).await.remove(0);
    let id = match_of(&board).to_owned();
    let seats = seated(four, &board);
    for player in &seats {
        player.acts(&id, json!({ "type": "deploy-auto" })).await.expect(200);
    }
    let verdict = json!({ "expected_status": "running", "verdict": "win", "winner": 2, "reason": "the hall closes" });
    let judge = format!("/v1/matches/{id}/adjudicate");
    seats[0].post(&judge, verdict.clone()).await.problem(403, "not-an-organizer");
    gina.post(&judge, verdict).await.expect(204);
    app.passes_s(1).await;
    let over = boards(&app, &path, 1).await.remove(0);
    let winner = seats[2].name.clone();
    for (name, place, points) in placed(&over) {
        // Three share the second place: half of two of three others.
        let expected = if name == winner { (Some(1), Some(120)) } else { (Some(2), Some(40)) };
        assert_eq!((place, points), expected, "{name}");
    }
    // In the second round one resigns, and the others are still playing at the deadline.
    let board = boards(&app, &path, 2).await.remove(0);
    let id = match_of(&board).to_owned();
    for player in seated(four, &board) {
        player.acts(&id, json!({ "type": "deploy-auto" })).await.expect(200);
    }
    four[0].acts(&id, json!({ "type": "resign" })).await.expect(200);
    app.passes_s(5 * 86_400 + 1).await;
    app.passes_s(1).await;
    let over = boards(&app, &path, 2).await.remove(0);
    let places: BTreeSet<Option<u64>> =
        placed(&over).into_iter().filter(|(name, ..)| name != "anna").map(|(_, place, _)| place).collect();
    assert_eq!(places, BTreeSet::from([Some(1)]), "who still played share the first place");
    assert_eq!(reads(&app, &path).await["status"], "finished");
    assert!(standings(&app, &path).await.iter().all(|row| row["withdrawn"].is_null()));
    gina.post(&format!("/v1/matches/{id}/annul"), json!({ "reason": "the wrong rules" })).await.expect(204);
    assert_eq!(faults(&app).await, Vec::<String>::new());
}

#[actix_web::test]
async fn terms_of_tables_are_judged_by_the_seats_of_the_rules() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let anna = &people[0];
    let tried = async |extra: Value| {
        let mut terms = json!({
            "title": "Round tables", "format": "tables", "variant": "salvos", "rounds": 3,
            "clock": { "kind": "per-move", "move_s": 86_400 },
        });
        terms.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        let refused = anna.post("/v1/tournaments", terms).await.problem(422, "validation-failed");
        let faults = refused["errors"].as_array().unwrap().clone();
        let text = |fault: &Value, field: &str| fault[field].as_str().unwrap().to_owned();
        faults.iter().map(|fault| [text(fault, "pointer"), text(fault, "code")]).collect::<Vec<_>>()
    };
    let is = |faults: Vec<[String; 2]>, expected: &[[&str; 2]]| {
        assert_eq!(faults, expected.iter().map(|pair| pair.map(str::to_owned)).collect::<Vec<_>>());
    };
    is(tried(json!({ "seats": 8 })).await, &[["/seats", "out-of-range"]]);
    is(tried(json!({ "seats": 2 })).await, &[["/seats", "out-of-range"]]);
    is(tried(json!({ "rounds": 21 })).await, &[["/rounds", "out-of-range"]]);
    is(tried(json!({ "rounds": null })).await, &[["/rounds", "missing-field"]]);
    is(tried(json!({ "paired_games": true })).await, &[["/paired_games", "conflicting-fields"]]);
    is(tried(json!({ "variant": "classic" })).await, &[["/variant", "wrong-seat-count"]]);
    is(tried(json!({ "max_players": 513 })).await, &[["/max_players", "out-of-range"]]);
    is(
        tried(json!({ "format": "swiss", "variant": "classic", "seats": 3 })).await,
        &[["/seats", "conflicting-fields"]],
    );

    // Terms can be edited until the first round is drawn.
    let path = at_tables(&people[..4], json!({})).await;
    let edits = async |change: Value| anna.request("PATCH", &path, Some(change)).await;
    assert_eq!(edits(json!({ "seats": 5 })).await.expect(200)["seats"], 5);
    assert_eq!(edits(json!({ "title": "Round tables" })).await.expect(200)["seats"], 5);
    assert_eq!(edits(json!({ "seats": null })).await.pointers(), ["/seats"], "nothing stands for the default");
    starts(anna, &path).await;
    let refused = edits(json!({ "seats": 4 })).await.problem(409, "terms-fixed");
    assert_eq!(refused["errors"][0]["pointer"], "/seats");
}
