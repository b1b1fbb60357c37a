//! Knockouts, played: seeds and byes, ties of several boards, the third place, no-shows and withdrawals.

use futures_util::future::join;
use serde_json::{Value, json};

use crate::support::database::execute;
use crate::support::{Player, TestApp, seven_people};
use crate::tournaments::{
    alphabet, boards, heard, named, plays_round, reads, resigns, standings, starts, table, tournament,
};

/// A knockout. The players join in this order, which is their seeding.
async fn knockout(people: &[Player], terms: Value) -> String {
    let mut seeded = json!({ "seeding": "entry" });
    seeded.as_object_mut().unwrap().extend(terms.as_object().unwrap().clone());
    let path = tournament(&people[0], &[], json!({ "format": "knockout", "knockout": seeded })).await;
    for player in people {
        player.app.passes_unseen_s(1);
        player.post(&format!("{path}/join"), json!({})).await.expect(200);
    }
    starts(&people[0], &path).await;
    path
}

/// The ties of a round: players, origin, winner and reason.
async fn ties(app: &TestApp, path: &str, round: usize) -> Vec<Value> {
    let bracket = reads(app, &format!("{path}/bracket")).await;
    bracket["rounds"][round - 1]["ties"].as_array().unwrap().clone()
}

fn name(seat: &Value) -> &str {
    seat["player"]["username"].as_str().unwrap_or("nobody")
}

/// Each tie as `anna-ben`, with the reason of its result and its number of boards.
async fn drawn(app: &TestApp, path: &str, round: usize) -> Vec<String> {
    let line = |tie: &Value| {
        let both = format!("{}-{}", name(&tie["first"]), name(&tie["second"]));
        let winner = ["first", "second"]
            .into_iter()
            .find(|seat| !tie["winner"].is_null() && tie[*seat]["starting_number"] == tie["winner"]);
        let winner = winner.map_or("nobody", |seat| name(&tie[seat]));
        let by = tie["decided_by"].as_str().unwrap_or("nothing");
        format!("{both}: {winner} by {by}, boards {}", tie["boards"])
    };
    ties(app, path, round).await.iter().map(line).collect()
}

async fn is_sound(app: &TestApp) {
    let found = broadside::tournaments::audit::all(&app.app).await.unwrap();
    assert!(found.tournaments > 0 && found.rounds > 0, "{found:?}");
    assert_eq!(found.faults, Vec::<String>::new());
}

/// Runs both nodes' jobs at the same time.
async fn both_nodes_look(app: &TestApp, other: &TestApp) {
    let (one, two) =
        join(broadside::tournaments::job::run(&app.app.matches), broadside::tournaments::job::run(&other.app.matches))
            .await;
    one.and(two).unwrap();
}

/// The running matches of a round.
async fn running(app: &TestApp, path: &str, round: u64) -> Vec<Value> {
    let mut all = boards(app, path, round).await;
    all.retain(|board| board["status"] == "running");
    all
}

fn seats(board: &Value, one: &str) -> bool {
    name(&board["first"]) == one || name(&board["second"]) == one
}

#[actix_web::test]
async fn six_play_for_all_places_on_two_nodes() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let six = &seven_people(&app).await[..6];
    let path = tournament(
        &six[0],
        &[],
        json!({
            "format": "knockout", "knockout": { "seeding": "entry", "third_place": true }, "rated": true,
        }),
    )
    .await;
    let made = reads(&app, &path).await;
    assert_eq!(made["knockout"], json!({ "best_of": 1, "extra_boards": 2, "third_place": true, "seeding": "entry" }));
    assert_eq!((&made["rounds"], &made["tie_breaks"]), (&Value::Null, &json!([])));
    assert_eq!(reads(&app, &format!("{path}/bracket")).await["rounds"], json!([]));
    for player in six {
        app.passes_unseen_s(1);
        player.post(&format!("{path}/join"), json!({})).await.expect(200);
    }
    six[0].post(&format!("{path}/start"), json!({})).await.expect(200);
    both_nodes_look(&app, &other).await;
    assert_eq!(
        drawn(&app, &path, 1).await,
        [
            "anna-nobody: anna by bye, boards [1]",
            "dora-emil: nobody by nothing, boards [2]",
            "ben-nobody: ben by bye, boards [3]",
            "carl-fritz: nobody by nothing, boards [4]",
        ]
    );
    assert_eq!(reads(&app, &path).await["rounds"], 3);
    // Future ties are listed with the ties they come from, and without players.
    let last = ties(&other, &path, 3).await;
    assert_eq!((&last[0]["first"]["from_tie"], &last[0]["second"]["from_tie"]), (&json!(1), &json!(2)));
    assert_eq!((&last[0]["first"]["player"], &last[1]["for_third_place"]), (&Value::Null, &json!(true)));
    assert_eq!(boards(&app, &path, 1).await[3]["tie"], 4);
    for round in 1..=3 {
        plays_round(six, &path, round, alphabet).await;
        both_nodes_look(&app, &other).await;
    }
    assert_eq!(
        drawn(&other, &path, 2).await,
        ["anna-dora: anna by points, boards [1]", "ben-carl: ben by points, boards [2]"]
    );
    assert_eq!(
        drawn(&other, &path, 3).await,
        ["anna-ben: anna by points, boards [1]", "dora-carl: carl by points, boards [2]"]
    );
    let over = reads(&app, &path).await;
    assert_eq!((&over["status"], &over["reason"]), (&json!("finished"), &Value::Null));
    let expected =
        [("anna", 1, 2.0), ("ben", 2, 1.0), ("carl", 3, 2.0), ("dora", 4, 1.0), ("emil", 5, 0.0), ("fritz", 5, 0.0)];
    assert_eq!(table(&app, &path).await, expected.map(|(name, rank, points)| (rank, name.to_owned(), points)));
    let kinds: Vec<_> = heard(&six[4]).await.iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect();
    assert_eq!(kinds, ["tournament-started", "round-started", "tournament-finished"]);
    assert_eq!(heard(&six[4]).await.last().unwrap()["rank"], 5);
    assert_eq!(reads(&app, "/v1/players/anna/ratings").await["items"][0]["matches"], 2);
    is_sound(&app).await;
    // A board with swapped players contradicts the seeds, and is found.
    execute(
        &app.database,
        "UPDATE tournament_boards SET first_player = second_player, second_player = first_player WHERE round = 1 AND board = 2",
    )
    .await;
    let found = broadside::tournaments::audit::all(&app.app).await.unwrap();
    assert!(found.faults.iter().any(|fault| fault.contains("the round 1")), "{:?}", found.faults);

    // Players are seeded by rating; without one they count as 1500, between the others.
    let path = tournament(&six[0], six, json!({ "format": "knockout", "knockout": {} })).await;
    starts(&six[0], &path).await;
    let mut rows = standings(&app, &path).await;
    rows.sort_by_key(|row| row["starting_number"].as_u64());
    let ratings: Vec<i64> = rows.iter().map(|row| row["rating"].as_i64().unwrap()).collect();
    assert!(ratings.is_sorted_by(|one, next| one >= next) && ratings[0] > ratings[5], "{ratings:?}");
}

#[actix_web::test]
async fn a_tie_is_the_best_of_three_and_a_drawn_one_goes_on() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let four = &people[..4];
    let path = knockout(four, json!({ "best_of": 3, "extra_boards": 1 })).await;
    let draws = async |board: &Value| {
        let both = [named(four, &board["first"]), named(four, &board["second"])];
        let id = board["match_ids"][0].as_str().unwrap();
        for player in both {
            player.acts(id, json!({ "type": "deploy-auto" })).await.expect(200);
        }
        both[0].acts(id, json!({ "type": "offer-draw" })).await.expect(200);
        both[1].acts(id, json!({ "type": "accept-draw" })).await.expect(200);
    };
    // Anna and Dora draw all their games; Ben beats Carl twice, which is enough.
    let mut began = Vec::new();
    for game in 1..=4 {
        let round = running(&app, &path, 1).await;
        assert_eq!(round.len(), if game <= 2 { 2 } else { 1 }, "game {game}");
        for board in &round {
            if seats(board, "anna") {
                began.push(name(&board["first"]).to_owned());
                draws(board).await;
            } else {
                let both = [named(four, &board["first"]), named(four, &board["second"])];
                resigns(&both, &four[2], board["match_ids"][0].as_str().unwrap()).await;
            }
        }
        app.passes_s(1).await;
    }
    assert_eq!(began, ["anna", "dora", "anna", "dora"], "the first move alternates");
    assert_eq!(
        drawn(&app, &path, 1).await,
        ["anna-dora: anna by higher-seed, boards [1,3,5,7]", "ben-carl: ben by points, boards [2,4]"]
    );
    let first = ties(&app, &path, 1).await.remove(0);
    assert_eq!((&first["first"]["points"], &first["second"]["points"]), (&json!(2.0), &json!(2.0)));
    // The final has no next round: one win each, then Ben.
    for loser in ["anna", "ben", "anna"] {
        plays_round(four, &path, 2, |one, _| one == loser).await;
        app.passes_s(1).await;
    }
    assert_eq!(drawn(&app, &path, 2).await, ["anna-ben: ben by points, boards [1,2,3]"]);
    let ranks: Vec<(u64, String)> = table(&app, &path).await.into_iter().map(|(rank, name, _)| (rank, name)).collect();
    let expected = [(1, "ben"), (2, "anna"), (3, "carl"), (3, "dora")].map(|(rank, name)| (rank, name.to_owned()));
    assert_eq!(ranks, expected);
    is_sound(&app).await;
}

#[actix_web::test]
async fn who_does_not_come_loses_and_two_who_do_not_hold_nobody_up() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let four = &people[..4];
    // Ben, Carl and Dora never appear; Anna does.
    let path = knockout(four, json!({ "best_of": 3, "third_place": true })).await;
    for _ in 0..2 {
        for board in running(&app, &path, 1).await.iter().filter(|board| seats(board, "anna")) {
            let id = board["match_ids"][0].as_str().unwrap();
            four[0].acts(id, json!({ "type": "deploy-auto" })).await.expect(200);
        }
        app.passes_s(86_401).await;
        app.passes_s(1).await;
    }
    assert_eq!(
        drawn(&app, &path, 1).await,
        ["anna-dora: anna by points, boards [1,3]", "ben-carl: ben by withdrawal, boards [2,4,6]"]
    );
    app.passes_s(1).await;
    // Anna has no opponent left, and nobody plays for the third place.
    assert_eq!(
        drawn(&app, &path, 2).await,
        ["anna-ben: anna by withdrawal, boards [1]", "dora-carl: carl by withdrawal, boards [2]"]
    );
    app.passes_s(1).await;
    assert_eq!(reads(&app, &path).await["status"], "finished");
    let rows = standings(&app, &path).await;
    let why: Vec<&Value> = rows.iter().map(|row| &row["withdrawn"]["reason"]).collect();
    assert_eq!(why, [&Value::Null, &json!("timed-out"), &json!("timed-out"), &json!("timed-out")]);
    assert!(boards(&app, &path, 2).await.iter().all(|board| board["unplayed"] == true));
    is_sound(&app).await;
}

#[actix_web::test]
async fn who_goes_in_the_middle_of_a_tie_loses_it() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let path = knockout(&people, json!({ "best_of": 3 })).await;
    // Seven: Anna has a bye; Dora meets Emil, Ben Gina, Carl Fritz.
    let round = running(&app, &path, 1).await;
    assert_eq!(round.len(), 3);
    // Dora leaves in the middle of the first board, and still wins it; Gina deletes her account; Fritz is suspended
    // after winning the first board.
    people[3].post(&format!("{path}/leave"), json!({})).await.expect(200);
    let gina = people[6].signed_in().await;
    gina.request("DELETE", "/v1/account", Some(json!({ "password": people[6].password }))).await.expect(204);
    app.passes_s(1).await;
    plays_round(&people[..6], &path, 1, |one, _| one == "emil" || one == "carl").await;
    let suspension = "suspended_at = '2026-11-21', suspended_until = '2026-12-01', suspension_reason = 'x'";
    execute(&app.database, &format!("UPDATE accounts SET {suspension} WHERE username = 'fritz'")).await;
    app.passes_s(1).await;
    app.passes_s(1).await;
    let lines = drawn(&app, &path, 1).await;
    assert_eq!(lines[1], "dora-emil: emil by withdrawal, boards [2,6]");
    assert!(
        lines[2].starts_with("ben-deleted-") && lines[2].ends_with(": ben by withdrawal, boards [3,7]"),
        "{lines:?}"
    );
    assert_eq!(lines[3], "carl-fritz: carl by withdrawal, boards [4,8]");
    assert_eq!(reads(&app, &path).await["round"], 2);
    for round in 2..=3 {
        for _ in 0..2 {
            plays_round(&people, &path, round, alphabet).await;
            app.passes_s(1).await;
        }
    }
    let ranks: Vec<u64> = table(&app, &path).await.into_iter().map(|(rank, ..)| rank).collect();
    assert_eq!(ranks, [1, 2, 3, 3, 5, 5, 5]);
    is_sound(&app).await;
}

#[actix_web::test]
async fn a_knockout_that_cannot_be_is_refused() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let asks = async |format: &str, extra: Value| {
        let mut terms = json!({
            "title": "Cup", "format": format, "variant": "classic", "clock": { "kind": "per-move", "move_s": 60 },
        });
        terms.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        let refused = anna.post("/v1/tournaments", terms).await.problem(422, "validation-failed");
        let pair =
            |error: &Value| format!("{} {}", error["pointer"].as_str().unwrap(), error["code"].as_str().unwrap());
        refused["errors"].as_array().unwrap().iter().map(pair).collect::<Vec<String>>()
    };
    let wrong = json!({
        "rounds": 3, "double_round_robin": true, "knockout": { "best_of": 4, "extra_boards": 5 }, "max_players": 513,
    });
    assert_eq!(
        asks("knockout", wrong).await,
        [
            "/rounds conflicting-fields",
            "/double_round_robin conflicting-fields",
            "/knockout/best_of out-of-range",
            "/knockout/extra_boards out-of-range",
            "/max_players out-of-range",
        ]
    );
    assert_eq!(asks("round-robin", json!({ "knockout": {} })).await, ["/knockout conflicting-fields"]);
    assert_eq!(
        asks("knockout", json!({ "knockout": { "seeding": "strength", "third": true } })).await,
        ["/knockout/seeding unknown-value", "/knockout/third unknown-field"]
    );
    let id = "019392f4-0000-7000-8000-000000000000";
    app.get(&format!("/v1/tournaments/{id}/bracket")).await.problem(404, "not-found");
}
