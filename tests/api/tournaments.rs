//! Tournaments, played: round robins and Swisses on two nodes, with entries, withdrawals and cancellations.

use std::collections::BTreeSet;

use broadside_contests::swiss::{self, Entrant};
use futures_util::future::join;
use serde_json::{Value, json};

use crate::support::{Player, TestApp, seven_people};

fn terms(extra: Value) -> Value {
    let mut terms = json!({
        "title": "Autumn cup", "format": "round-robin", "variant": "classic",
        "clock": { "kind": "per-move", "move_s": 86_400, "deploy_s": 86_400, "rests": "none" },
    });
    terms.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    terms
}

/// Makes a tournament that the others join; returns its path.
pub async fn tournament(maker: &Player, players: &[Player], extra: Value) -> String {
    let made = maker.post("/v1/tournaments", terms(extra)).await.expect(201);
    let path = format!("/v1/tournaments/{}", made["id"].as_str().unwrap());
    for player in players {
        player.post(&format!("{path}/join"), json!({})).await.expect(200);
    }
    path
}

pub async fn starts(maker: &Player, path: &str) {
    maker.post(&format!("{path}/start"), json!({})).await.expect(200);
    maker.app.passes_s(1).await;
}

/// A running tournament of these people, with open matches.
pub async fn under_way(people: &[Player]) -> String {
    let path = tournament(&people[0], people, json!({ "all_rounds_at_once": true })).await;
    starts(&people[0], &path).await;
    path
}

pub async fn reads(app: &TestApp, path: &str) -> Value {
    app.get(path).await.expect(200)
}

pub async fn standings(app: &TestApp, path: &str) -> Vec<Value> {
    reads(app, &format!("{path}/standings?limit=100")).await["items"].as_array().unwrap().clone()
}

/// Place, name and points of everybody.
pub async fn table(app: &TestApp, path: &str) -> Vec<(u64, String, f64)> {
    let row = |row: Value| {
        let name = row["player"]["username"].as_str().unwrap().to_owned();
        (row["rank"].as_u64().unwrap(), name, row["points"].as_f64().unwrap())
    };
    standings(app, path).await.into_iter().map(row).collect()
}

pub async fn boards(app: &TestApp, path: &str, round: u64) -> Vec<Value> {
    reads(app, &format!("{path}/rounds/{round}")).await["boards"].as_array().unwrap().clone()
}

pub fn named<'a>(people: &'a [Player], seat: &Value) -> &'a Player {
    let name = seat["player"]["username"].as_str().unwrap();
    people.iter().find(|player| player.name == name).unwrap()
}

/// All games of this round are played: the alphabetically first player wins, unless `loses` says otherwise.
pub async fn plays_round(people: &[Player], path: &str, round: u64, loses: impl Fn(&str, &str) -> bool) {
    let app = &people[0].app;
    for board in boards(app, path, round).await.iter().filter(|board| board["status"] == "running") {
        let (one, other) = (named(people, &board["first"]), named(people, &board["second"]));
        let loser = if loses(&one.name, &other.name) { one } else { other };
        for id in board["match_ids"].as_array().unwrap() {
            resigns(&[one, other], loser, id.as_str().unwrap()).await;
        }
    }
}

pub async fn resigns(both: &[&Player], loser: &Player, id: &str) {
    for player in both {
        player.acts(id, json!({ "type": "deploy-auto" })).await.expect(200);
    }
    loser.acts(id, json!({ "type": "resign" })).await.expect(200);
}

pub fn alphabet(one: &str, other: &str) -> bool {
    one > other
}

/// The player's tournament events.
pub async fn heard(player: &Player) -> Vec<Value> {
    let of_tournaments =
        |event: &Value| event["tournament_id"].is_string() && !event["type"].as_str().unwrap().starts_with("contest-");
    player.hears(0).await.into_iter().filter(of_tournaments).collect()
}

#[actix_web::test]
async fn a_round_robin_is_played_round_by_round_on_two_nodes() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let people = seven_people(&app).await;
    let four = &people[..4];
    let path = tournament(&people[6], four, json!({ "max_players": 4, "rated": true })).await;
    let open = reads(&app, &path).await;
    assert_eq!((&open["status"], &open["players"], &open["chance_seed"]), (&json!("open"), &json!(4), &Value::Null));
    assert_eq!(open["tie_breaks"], json!(["direct-encounter", "sonneborn-berger", "wins"]));
    // The tournament is full, so it starts by itself; both nodes run the job at the same time.
    for round in 1..=3 {
        let (one, two) = join(
            broadside::tournaments::job::run(&app.app.matches),
            broadside::tournaments::job::run(&other.app.matches),
        )
        .await;
        one.and(two).unwrap();
        let running = reads(&other, &path).await;
        assert_eq!((&running["status"], &running["round"]), (&json!("running"), &json!(round)));
        let boards = boards(&other, &path, round).await;
        assert_eq!(boards.len(), 2);
        assert!(
            boards.iter().all(|board| board["status"] == "running" && board["match_ids"][0].is_string()),
            "{boards:?}"
        );
        plays_round(four, &path, round, alphabet).await;
    }
    let (one, two) =
        join(broadside::tournaments::job::run(&app.app.matches), broadside::tournaments::job::run(&other.app.matches))
            .await;
    one.and(two).unwrap();
    let over = reads(&app, &path).await;
    assert_eq!((&over["status"], &over["rounds"], &over["reason"]), (&json!("finished"), &json!(3), &Value::Null));
    let expected = [(1, "anna", 3.0), (2, "ben", 2.0), (3, "carl", 1.0), (4, "dora", 0.0)];
    assert_eq!(table(&app, &path).await, expected.map(|(place, name, points)| (place, name.to_owned(), points)));
    assert_eq!(reads(&app, &format!("{path}/standings")).await["is_final"], true);
    // The revealed seed fits its commitment, and the numbers follow from it.
    assert!(over["chance_seed"].is_string());
    let kinds: Vec<_> = heard(&four[0]).await.iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect();
    assert_eq!(kinds, ["tournament-started", "round-started", "round-started", "round-started", "tournament-finished"]);
    assert_eq!(heard(&four[3]).await.last().unwrap()["rank"], 4);
    let ratings = reads(&app, "/v1/players/anna/ratings").await;
    assert_eq!(ratings["items"][0]["matches"], 3, "{ratings}");
    // Every match names its tournament.
    let played = boards(&app, &path, 1).await[0]["match_ids"][0].as_str().unwrap().to_owned();
    assert_eq!(reads(&app, &format!("/v1/matches/{played}")).await["pairing"]["tournament_id"], over["id"]);
}

#[actix_web::test]
async fn everybody_can_draw_a_swiss_again() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let path = tournament(&people[0], &people, json!({ "format": "swiss", "rounds": 5 })).await;
    starts(&people[0], &path).await;
    // Seven players get no more than three rounds, so that everybody has opponents.
    assert_eq!(reads(&app, &path).await["rounds"], 3);
    let (mut met, mut byes) = (BTreeSet::new(), BTreeSet::new());
    for round in 1..=3 {
        let shown = reads(&app, &format!("{path}/rounds/{round}")).await;
        let number = |value: &Value| u16::try_from(value.as_u64().unwrap()).unwrap();
        let inputs = shown["drawn_from"].as_array().unwrap().iter().map(|player| Entrant {
            number: number(&player["starting_number"]),
            halves: (player["points"].as_f64().unwrap() * 2.0) as u32,
            met: player["met"].as_array().unwrap().iter().map(number).collect(),
            began: player["began"].as_array().unwrap().iter().map(|began| began.as_bool().unwrap()).collect(),
            byes: number(&player["byes"]),
        });
        let drawn = swiss::pair(inputs.collect()).unwrap();
        let boards = shown["boards"].as_array().unwrap();
        let games: Vec<(u16, u16)> = boards
            .iter()
            .filter(|board| !board["second"].is_null())
            .map(|board| (number(&board["first"]["starting_number"]), number(&board["second"]["starting_number"])))
            .collect();
        assert_eq!(games, drawn.games);
        let bye = boards.iter().find(|board| board["second"].is_null()).unwrap();
        assert_eq!((Some(number(&bye["first"]["starting_number"])), &bye["first"]["points"]), (drawn.bye, &json!(1.0)));
        assert!(byes.insert(drawn.bye), "a second bye");
        for (one, other) in games {
            assert!(met.insert((one.min(other), one.max(other))), "they have met");
        }
        plays_round(&people, &path, round, alphabet).await;
        app.passes_s(1).await;
    }
    assert_eq!(reads(&app, &path).await["status"], "finished");
    let table = table(&app, &path).await;
    assert_eq!((table[0].1.as_str(), table[0].0), ("anna", 1));
    let points: f64 = table.iter().map(|(_, _, points)| points).sum();
    assert!((points - 12.0).abs() < 1e-9, "three games and a bye in each round");
    app.get(&format!("{path}/rounds/4")).await.problem(404, "not-found");
}

#[actix_web::test]
async fn a_job_that_is_cut_off_anywhere_leaves_nothing_half_done() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let path = tournament(&people[0], &people[..6], json!({ "format": "swiss", "rounds": 3 })).await;
    people[0].post(&format!("{path}/start"), json!({})).await.expect(200);
    for round in 1..=3_u64 {
        // Jobs dropped after more and more steps, on a new node each time.
        for steps in [3, 10, 25, 60, 120] {
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
        let boards = boards(&app, &path, round).await;
        let matches: BTreeSet<&str> = boards
            .iter()
            .flat_map(|board| board["match_ids"].as_array().unwrap())
            .map(|id| id.as_str().unwrap())
            .collect();
        assert_eq!((boards.len(), matches.len()), (3, 3));
        plays_round(&people, &path, round, alphabet).await;
    }
    app.passes_s(1).await;
    assert_eq!(reads(&app, &path).await["status"], "finished");
    // Nobody was notified twice, and every match belongs to a board.
    for player in &people[..6] {
        let kinds: Vec<_> = heard(player).await.iter().map(|event| event["type"].clone()).collect();
        let rounds = ["round-started"; 3].iter();
        let expected: Vec<Value> = ["tournament-started"]
            .iter()
            .chain(rounds)
            .chain(&["tournament-finished"])
            .map(|kind| json!(kind))
            .collect();
        assert_eq!(kinds, expected);
        let matches = reads(&app, &format!("/v1/players/{}/matches", player.name)).await;
        assert_eq!(matches["items"].as_array().unwrap().len(), 3);
    }
}

#[actix_web::test]
async fn all_at_once_and_two_games_as_one() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let three = &people[..3];
    let path = tournament(&people[0], three, json!({ "all_rounds_at_once": true, "paired_games": true })).await;
    starts(&people[0], &path).await;
    let running = reads(&app, &path).await;
    assert_eq!((&running["round"], &running["rounds"]), (&json!(3), &json!(3)));
    for round in 1..=3 {
        let boards = boards(&app, &path, round).await;
        let board = boards.iter().find(|board| !board["second"].is_null()).unwrap();
        assert_eq!((&board["status"], board["match_ids"].as_array().unwrap().len()), (&json!("running"), 2));
        let both = [named(three, &board["first"]), named(three, &board["second"])];
        let ids: Vec<&str> = board["match_ids"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
        // Each of them begins once.
        for (begins, id) in both.iter().zip(&ids) {
            assert_eq!(begins.sees(id).await["viewer"]["seat"], 0);
        }
        // They win one each, but Anna wins both of hers.
        let anna = both.iter().any(|player| player.name == "anna");
        for (index, id) in ids.iter().enumerate() {
            let loser =
                both.iter().find(|player| if anna { player.name != "anna" } else { player.name == both[index].name });
            resigns(&both, loser.unwrap(), id).await;
        }
    }
    app.passes_s(1).await;
    let expected = [(1, "anna", 2.0), (2, "ben", 0.5), (2, "carl", 0.5)];
    let mut table = table(&app, &path).await;
    table.sort_by(|one, other| one.1.cmp(&other.1));
    assert_eq!(table, expected.map(|(place, name, points)| (place, name.to_owned(), points)));
    let rows = standings(&app, &path).await;
    assert_eq!(rows[0]["wins"], 2, "two boards, not four games");
}
