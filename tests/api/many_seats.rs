//! Tournaments at tables of three to seven, played: seating, and points by place.

use std::collections::BTreeSet;

use broadside_contests::tables::{self, Entrant};
use futures_util::future::join;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::support::database::execute;
use crate::support::{Answer, Player, TestApp, plain, seven_people};
use crate::tournaments::{boards, heard, named, reads, standings, starts, table, tournament};

/// A tournament of salvos at tables of four, joined by these people.
pub async fn at_tables(people: &[Player], extra: Value) -> String {
    let mut terms = json!({ "format": "tables", "variant": "salvos", "seats": 4, "rounds": 2 });
    terms.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    tournament(&people[0], people, terms).await
}

pub fn seated<'a>(people: &'a [Player], board: &Value) -> Vec<&'a Player> {
    board["table"].as_array().unwrap().iter().map(|seat| named(people, seat)).collect()
}

pub fn match_of(board: &Value) -> &str {
    board["match_ids"][0].as_str().unwrap()
}

/// They place their fleets and resign in reverse alphabetical order.
pub async fn plays_table(players: &[&Player], id: &str) {
    let mut players = players.to_vec();
    players.sort_by(|one, other| one.name.cmp(&other.name));
    for player in &players {
        player.acts(id, json!({ "type": "deploy-auto" })).await.expect(200);
    }
    for player in players.iter().skip(1).rev() {
        player.acts(id, json!({ "type": "resign" })).await.expect(200);
    }
}

pub async fn plays_round(people: &[Player], path: &str, round: u64) {
    for board in boards(&people[0].app, path, round).await.iter().filter(|board| board["status"] == "running") {
        plays_table(&seated(people, board), match_of(board)).await;
    }
}

/// The players at a table by name, with their places and points in 1/120.
pub fn placed(board: &Value) -> Vec<(String, Option<u64>, Option<u64>)> {
    let line = |seat: &Value| {
        let name = seat["player"]["username"].as_str().unwrap().to_owned();
        (name, seat["place"].as_u64(), seat["points_120ths"].as_u64())
    };
    let mut all: Vec<_> = board["table"].as_array().unwrap().iter().map(line).collect();
    all.sort();
    all
}

fn number(value: &Value) -> u16 {
    u16::try_from(value.as_u64().unwrap()).unwrap()
}

/// A round's tables and byes, redrawn from public data.
async fn drawn_again(app: &TestApp, path: &str, round: u16) -> tables::Round {
    let shown = reads(app, &format!("{path}/rounds/{round}")).await;
    let inputs = shown["drawn_from"].as_array().unwrap().iter().map(|player| Entrant {
        number: number(&player["starting_number"]),
        points: u32::try_from(player["points_120ths"].as_u64().unwrap()).unwrap(),
        met: player["met"].as_array().unwrap().iter().map(number).collect(),
        byes: number(&player["byes"]),
    });
    let seed = reads(app, path).await["chance_seed"].as_str().unwrap().to_owned();
    let bytes = (0..32).map(|at| u8::from_str_radix(&seed[at * 2..at * 2 + 2], 16).unwrap()).collect::<Vec<_>>();
    let hash = Sha256::new().chain_update(bytes).chain_update(round.to_be_bytes()).finalize();
    let seed = u64::from_be_bytes(hash[..8].try_into().unwrap());
    tables::draw(inputs.collect(), (3, 4), round, seed).unwrap()
}

fn as_shown(boards: &[Value]) -> tables::Round {
    let numbers = |board: &Value| {
        board["table"].as_array().unwrap().iter().map(|seat| number(&seat["starting_number"])).collect::<Vec<_>>()
    };
    let (tables, out): (Vec<&Value>, Vec<&Value>) = boards.iter().partition(|board| board["table"] != json!([]));
    tables::Round {
        tables: tables.into_iter().map(numbers).collect(),
        out: out.into_iter().map(|board| number(&board["first"]["starting_number"])).collect(),
    }
}

pub async fn faults(app: &TestApp) -> Vec<String> {
    let found = broadside::tournaments::audit::all(&app.app).await.unwrap();
    assert!(found.tournaments > 0 && found.rounds > 0, "{found:?}");
    found.faults
}

async fn both_nodes_look(app: &TestApp, other: &TestApp) {
    let (one, two) =
        join(broadside::tournaments::job::run(&app.app.matches), broadside::tournaments::job::run(&other.app.matches))
            .await;
    one.and(two).unwrap();
}

#[actix_web::test]
async fn seven_play_at_two_tables_on_two_nodes() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let people = seven_people(&app).await;
    let path = at_tables(&people, json!({ "max_players": 7, "rated": true })).await;
    let made = reads(&app, &path).await;
    assert_eq!((&made["seats"], &made["rounds"], &made["min_players"]), (&json!(4), &json!(2), &json!(3)));
    assert_eq!(made["tie_breaks"], json!(["opponents-average", "first-places", "head-to-head"]));
    assert_eq!(made["pool"], "salvos-many-days");
    let topics: Vec<&str> =
        made["policies"].as_array().unwrap().iter().map(|policy| policy["topic"].as_str().unwrap()).collect();
    assert_eq!(topics.iter().collect::<BTreeSet<_>>().len(), topics.len(), "each case is said once: {topics:?}");
    for round in 1..=2 {
        both_nodes_look(&app, &other).await;
        let shown = boards(&other, &path, round).await;
        let sizes: Vec<usize> = shown.iter().map(|board| board["table"].as_array().unwrap().len()).collect();
        assert_eq!(sizes.iter().sum::<usize>(), 7);
        assert_eq!(sizes.iter().copied().collect::<BTreeSet<_>>(), BTreeSet::from([3, 4]));
        assert_eq!(drawn_again(&app, &path, u16::try_from(round).unwrap()).await, as_shown(&shown));
        for board in &shown {
            assert_eq!(
                (&board["status"], &board["first"]["player"]),
                (&json!("running"), &board["table"][0]["player"])
            );
            // A running match reveals no places.
            assert!(board["table"].as_array().unwrap().iter().all(|seat| seat["place"].is_null()), "{board}");
            assert!(board["first"]["points"].is_null(), "{board}");
            let of_match = reads(&app, &format!("/v1/matches/{}", match_of(board))).await;
            assert_eq!(of_match["seats"].as_array().unwrap().len(), board["table"].as_array().unwrap().len());
        }
        plays_round(&people, &path, round).await;
    }
    both_nodes_look(&app, &other).await;
    let over = reads(&app, &path).await;
    assert_eq!((&over["status"], &over["reason"]), (&json!("finished"), &Value::Null));
    let rows = standings(&app, &path).await;
    let points: u64 = rows.iter().map(|row| row["at_tables"]["points_120ths"].as_u64().unwrap()).sum();
    assert_eq!(points, 7 * 2 * 60, "a table gives half a point for each of its players");
    let first = &rows[0];
    assert_eq!(
        (&first["player"]["username"], &first["rank"], &first["points"]),
        (&json!("anna"), &json!(1), &json!(2.0))
    );
    assert_eq!(
        (&first["at_tables"]["first_places"], &first["wins"], &first["played"]),
        (&json!(2), &json!(2), &json!(2))
    );
    let round = boards(&app, &path, 1).await;
    let four = round.iter().find(|board| board["table"].as_array().unwrap().len() == 4).unwrap();
    let shares: Vec<_> = placed(four).into_iter().map(|(_, place, points)| (place.unwrap(), points.unwrap())).collect();
    assert_eq!(shares, [(1, 120), (2, 80), (3, 40), (4, 0)]);
    // Everybody was notified of the table, and each match is rated.
    let told: Vec<Value> =
        heard(&people[0]).await.into_iter().filter(|event| event["type"] == "round-started").collect();
    assert_eq!(told.len(), 2);
    assert!(
        told.iter().all(|event| event["opponent_id"].is_null() && event["opponent_ids"].as_array().unwrap().len() > 1)
    );
    assert_eq!(reads(&app, "/v1/players/anna/ratings").await["items"][0]["matches"], 2);
    // The cross-table counts pairs, and the spreadsheet has whole numbers; FIDE's report can't represent tables.
    let pairs = reads(&app, &format!("{path}/crosstable")).await;
    let games: usize = pairs["items"][0]["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| result["games"].as_array().unwrap().len())
        .sum();
    assert_eq!(games, rows[0]["results"].as_array().unwrap().len());
    let csv: Answer =
        app.send(plain("GET", &format!("{path}/standings"), None).insert_header(("accept", "text/csv"))).await;
    let text = csv.text();
    let mut lines = text.lines();
    assert!(
        lines.next().unwrap().contains("points_120ths,opponents_average_7200ths,first_places,head_to_head,"),
        "{text}"
    );
    assert!(lines.next().unwrap().contains(",240,"), "{text}");
    app.get(&format!("{path}/report")).await.problem(409, "no-report-of-tables");
    // All of it can be recomputed, and forgeries are found.
    assert_eq!(faults(&app).await, Vec::<String>::new());
    execute(
        &app.database,
        "UPDATE tournament_players SET final_standing = jsonb_set(final_standing, '{tables,points}', '999') WHERE starting_number = 3",
    )
    .await;
    let found = faults(&app).await;
    assert!(found.len() == 1 && found[0].contains("the final rank of number 3"), "{found:?}");
    execute(
        &app.database,
        "UPDATE tournament_boards SET table_seats[1] = table_seats[2], table_seats[2] = table_seats[1] WHERE round = 1 AND board = 1",
    )
    .await;
    let found = faults(&app).await;
    assert!(found.iter().any(|fault| fault.contains("the round 1 is not")), "{found:?}");
}

#[actix_web::test]
async fn of_five_at_tables_of_four_one_sits_out_for_half_a_point() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let five = &people[..5];
    let path = at_tables(five, json!({ "rounds": 3 })).await;
    starts(&five[0], &path).await;
    let mut out = BTreeSet::new();
    for round in 1..=3 {
        let shown = boards(&app, &path, round).await;
        assert_eq!(shown.len(), 2);
        let bye = &shown[1];
        assert_eq!((&bye["second"], &bye["status"], &bye["table"]), (&Value::Null, &json!("finished"), &json!([])));
        assert_eq!((&bye["first"]["points"], &bye["unplayed"]), (&json!(0.5), &json!(true)));
        assert!(out.insert(bye["first"]["player"]["username"].to_string()), "nobody sits out twice");
        assert_eq!(drawn_again(&app, &path, u16::try_from(round).unwrap()).await, as_shown(&shown));
        plays_round(five, &path, round).await;
        app.passes_s(1).await;
    }
    assert_eq!(reads(&app, &path).await["status"], "finished");
    let points: f64 = table(&app, &path).await.iter().map(|(_, _, points)| points).sum();
    assert!((points - 7.5).abs() < 1e-9, "{points}");
    assert_eq!(faults(&app).await, Vec::<String>::new());
}

#[actix_web::test]
async fn a_job_that_is_cut_off_leaves_no_table_half_laid() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let path = at_tables(&people, json!({})).await;
    people[0].post(&format!("{path}/start"), json!({})).await.expect(200);
    for round in 1..=2_u64 {
        for steps in [3, 10, 25, 60] {
            let node = app.another_node().await;
            let job = broadside::tournaments::job::run(&node.app.matches);
            let cut = async {
                for _ in 0..steps {
                    tokio::task::yield_now().await;
                    tokio::time::sleep(std::time::Duration::from_micros(200)).await;
                }
            };
            futures_util::future::select(Box::pin(job), Box::pin(cut)).await;
        }
        app.passes_s(1).await;
        let shown = boards(&app, &path, round).await;
        let matches: BTreeSet<&str> = shown.iter().map(match_of).collect();
        assert_eq!((shown.len(), matches.len()), (2, 2));
        plays_round(&people, &path, round).await;
    }
    app.passes_s(1).await;
    assert_eq!(reads(&app, &path).await["status"], "finished");
    for player in &people {
        let kinds: Vec<Value> = heard(player).await.iter().map(|event| event["type"].clone()).collect();
        assert_eq!(kinds, ["tournament-started", "round-started", "round-started", "tournament-finished"]);
        let matches = reads(&app, &format!("/v1/players/{}/matches", player.name)).await;
        assert_eq!(matches["items"].as_array().unwrap().len(), 2);
    }
    assert_eq!(faults(&app).await, Vec::<String>::new());
}
