//! Groups and finals, played: the draw of the groups, the qualification, the ties, and players who leave or don't
//! appear.

use futures_util::future::join;
use serde_json::{Value, json};

use crate::support::database::execute;
use crate::support::{Player, TestApp, seven_people};
use crate::tournaments::{alphabet, boards, heard, plays_round, reads, standings, starts, table, tournament};

/// A tournament of two groups. The players join in this order, which is their seeding.
pub async fn made(people: &[Player], extra: Value) -> String {
    let mut terms = json!({ "format": "groups", "groups": { "count": 2 }, "knockout": { "seeding": "entry" } });
    terms.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    let path = tournament(&people[0], &[], terms).await;
    for player in people {
        player.app.passes_unseen_s(1);
        player.post(&format!("{path}/join"), json!({})).await.expect(200);
    }
    path
}

pub async fn begun(people: &[Player], extra: Value) -> String {
    let path = made(people, extra).await;
    starts(&people[0], &path).await;
    path
}

/// Plays all games of a round, and runs the jobs that follow.
pub async fn round(people: &[Player], path: &str, number: u64) {
    plays_round(people, path, number, alphabet).await;
    people[0].app.passes_s(1).await;
}

pub fn name(seat: &Value) -> &str {
    seat["player"]["username"].as_str().unwrap_or("nobody")
}

/// The ties of a round of the finals, counted from their first one: `1 anna-4 carl`, and the reason why the winner
/// advances.
pub async fn drawn(app: &TestApp, path: &str, round: usize) -> Vec<String> {
    let bracket = reads(app, &format!("{path}/bracket")).await;
    let line = |tie: &Value| {
        let side = |seat: &str| format!("{} {}", tie[seat]["seed"], name(&tie[seat]));
        let winner = ["first", "second"]
            .into_iter()
            .find(|seat| !tie["winner"].is_null() && tie[*seat]["starting_number"] == tie["winner"]);
        let winner = winner.map_or("nobody", |seat| name(&tie[seat]));
        format!("{}-{}: {winner} by {}", side("first"), side("second"), tie["decided_by"].as_str().unwrap_or("nothing"))
    };
    bracket["rounds"][round - 1]["ties"].as_array().unwrap().iter().map(line).collect()
}

/// A group's players with their ranks and points.
pub async fn group(app: &TestApp, path: &str, number: u16) -> Vec<(u64, String, f64)> {
    let found = reads(app, &format!("{path}/standings?group={number}")).await;
    let row = |row: &Value| {
        let own = &row["in_group"];
        assert_eq!(own["group"], number);
        (own["rank"].as_u64().unwrap(), name(row).to_owned(), own["points"].as_f64().unwrap())
    };
    found["items"].as_array().unwrap().iter().map(row).collect()
}

pub fn lines<const N: usize>(expected: [(u64, &str, f64); N]) -> Vec<(u64, String, f64)> {
    expected.into_iter().map(|(rank, name, points)| (rank, name.to_owned(), points)).collect()
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

pub async fn kinds(player: &Player) -> Vec<String> {
    heard(player).await.iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect()
}

#[actix_web::test]
async fn seven_play_in_two_groups_and_four_of_them_for_all_places() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let people = seven_people(&app).await;
    let path = made(
        &people,
        json!({ "knockout": { "seeding": "entry", "third_place": true }, "max_players": 7, "rated": true }),
    )
    .await;
    let open = reads(&app, &path).await;
    assert_eq!(open["groups"], json!({ "count": 2, "size": null, "qualifiers": 2, "best_next": 0 }));
    assert_eq!(
        (&open["group_count"], &open["group_rounds"], &open["rounds"]),
        (&Value::Null, &Value::Null, &Value::Null)
    );
    assert_eq!(open["tie_breaks"], json!(["direct-encounter", "sonneborn-berger", "wins"]));
    assert_eq!((&open["min_players"], &open["max_players"]), (&json!(6), &json!(7)));
    let topics: Vec<&str> =
        open["policies"].as_array().unwrap().iter().map(|policy| policy["topic"].as_str().unwrap()).collect();
    assert!(topics.contains(&"qualification") && topics.contains(&"seeding-of-the-finals"), "{topics:?}");
    // The tournament is full, so it starts by itself; both nodes run the job at the same time.
    both_nodes_look(&app, &other).await;
    let running = reads(&other, &path).await;
    assert_eq!(
        (&running["group_count"], &running["group_rounds"], &running["rounds"]),
        (&json!(2), &json!(3), &json!(5))
    );
    let listed = reads(&app, &format!("{path}/rounds")).await;
    assert_eq!(listed["items"].as_array().unwrap().len(), 3, "the finals are not drawn");
    assert_eq!(reads(&app, &format!("{path}/bracket")).await["rounds"], json!([]));
    for number in 1..=3 {
        let boards = boards(&app, &path, number).await;
        let groups: Vec<&Value> = boards.iter().map(|board| &board["group"]).collect();
        // Anna, Dora and Emil: one of them sits out. Ben, Carl, Fritz and Gina.
        assert_eq!(groups, [&json!(1), &json!(1), &json!(2), &json!(2)]);
        assert!(boards.iter().all(|board| board["tie"].is_null()));
        plays_round(&people, &path, number, alphabet).await;
        both_nodes_look(&app, &other).await;
    }
    assert_eq!(group(&app, &path, 1).await, lines([(1, "anna", 2.0), (2, "dora", 1.0), (3, "emil", 0.0)]));
    let second = [(1, "ben", 3.0), (2, "carl", 2.0), (3, "fritz", 1.0), (4, "gina", 0.0)];
    assert_eq!(group(&app, &path, 2).await, lines(second));
    // The winners come first. Carl has the best share of the runners-up, but may meet Ben only in the final.
    assert_eq!(drawn(&app, &path, 1).await, ["1 anna-4 carl: nobody by nothing", "2 ben-3 dora: nobody by nothing"]);
    let boards_of_finals = boards(&app, &path, 4).await;
    assert_eq!((&boards_of_finals[1]["group"], &boards_of_finals[1]["tie"]), (&Value::Null, &json!(2)));
    let bracket = reads(&app, &format!("{path}/bracket")).await;
    assert_eq!((&bracket["rounds"][0]["round"], &bracket["rounds"][1]["round"]), (&json!(4), &json!(5)));
    for number in 4..=5 {
        plays_round(&people, &path, number, alphabet).await;
        both_nodes_look(&app, &other).await;
    }
    assert_eq!(drawn(&other, &path, 2).await, ["1 anna-2 ben: anna by points", "4 carl-3 dora: carl by points"]);
    let over = reads(&app, &path).await;
    assert_eq!((&over["status"], &over["round"], &over["reason"]), (&json!("finished"), &json!(5), &Value::Null));
    let expected = [
        (1, "anna", 4.0),
        (2, "ben", 4.0),
        (3, "carl", 3.0),
        (4, "dora", 1.0),
        (5, "emil", 0.0),
        (5, "fritz", 1.0),
        (7, "gina", 0.0),
    ];
    assert_eq!(table(&app, &path).await, lines(expected));
    assert_eq!(group(&app, &path, 2).await, lines(second), "what was made in the finals makes no difference there");
    let of_a_group = ["round-started"; 3];
    let [before, after] = [["tournament-started"].as_slice(), ["tournament-groups-finished"].as_slice()];
    let emil = [before, &of_a_group, after, &["tournament-finished"]].concat();
    assert_eq!(kinds(&people[4]).await, emil);
    let carl = [before, &of_a_group, after, &["round-started", "round-started", "tournament-finished"]].concat();
    assert_eq!(kinds(&people[2]).await, carl);
    let told = heard(&people[2]).await.into_iter().find(|event| event["type"] == "tournament-groups-finished").unwrap();
    assert_eq!((&told["group"], &told["rank"], &told["finals_seed"]), (&json!(2), &json!(2), &json!(4)));
    let told = heard(&people[4]).await.into_iter().find(|event| event["type"] == "tournament-groups-finished").unwrap();
    assert_eq!((&told["rank"], &told["finals_seed"]), (&json!(3), &Value::Null));
    assert_eq!(reads(&app, "/v1/players/anna/honours").await["items"][0]["rank"], 1);
    assert_eq!(faults(&app).await, Vec::<String>::new());

    // The audit finds changed tables: two boards of the groups, the seeds, and a rank.
    let alter = async |what: &str| {
        execute(&app.database, what).await;
        faults(&app).await
    };
    let turned = alter(
        "UPDATE tournament_boards SET first_player = second_player, second_player = first_player \
         WHERE round = 2 AND board = 3",
    )
    .await;
    assert!(turned.iter().any(|fault| fault.contains("the round 2")), "{turned:?}");
    let seeded = alter("UPDATE tournament_players SET finals_seed = 7 - finals_seed WHERE finals_seed > 2").await;
    assert!(seeded.iter().any(|fault| fault.contains("the seeds of the finals")), "{seeded:?}");
}

#[actix_web::test]
async fn tables_of_a_group_for_spreadsheets_and_for_fide() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let path = begun(&people, json!({ "all_rounds_at_once": true, "groups": { "size": 4, "qualifiers": 1 } })).await;
    let running = reads(&app, &path).await;
    assert_eq!((&running["round"], &running["group_rounds"], &running["rounds"]), (&json!(3), &json!(3), &json!(4)));
    for number in 1..=3 {
        plays_round(&people, &path, number, alphabet).await;
    }
    app.passes_s(1).await;
    round(&people, &path, 4).await;
    assert_eq!(reads(&app, &path).await["status"], "finished");
    let rows = standings(&app, &path).await;
    let seeds: Vec<&Value> = rows.iter().map(|row| &row["finals_seed"]).take(3).collect();
    assert_eq!(seeds, [&json!(1), &json!(2), &Value::Null]);
    assert_eq!(rows[0]["results"].as_array().unwrap().len(), 3, "two games of the group, and the final");
    // The whole cross-table, and that of one group without the final.
    let whole = reads(&app, &format!("{path}/crosstable")).await;
    assert_eq!((&whole["size"], &whole["items"][0]["points"]), (&json!(7), &json!(3.0)));
    let own = reads(&app, &format!("{path}/crosstable?group=1")).await;
    let lines: Vec<(&str, &Value, &Value)> =
        own["items"].as_array().unwrap().iter().map(|row| (name(row), &row["rank"], &row["points"])).collect();
    let expected = [("anna", json!(1), json!(2.0)), ("dora", json!(2), json!(1.0)), ("emil", json!(3), json!(0.0))];
    assert_eq!(lines, expected.iter().map(|(name, rank, points)| (*name, rank, points)).collect::<Vec<_>>());
    let text = app.get(&format!("{path}/standings?format=csv&group=2")).await.text();
    let mut rows = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let head = rows.next().unwrap();
    let column = |row: &[String], name: &str| row[head.iter().position(|column| column == name).unwrap()].clone();
    let rows: Vec<String> = rows
        .map(|row| {
            ["player", "rank", "group", "group_rank", "group_points", "finals_seed"].map(|name| column(&row, name))
        })
        .map(|row| row.join(" "))
        .collect();
    assert_eq!(rows, ["ben 2 2 1 3 2", "carl 3 2 2 2 ", "fritz 5 2 3 1 ", "gina 7 2 4 0 "]);
    let crossed = app.get(&format!("{path}/crosstable?format=csv&group=1")).await.text();
    assert_eq!(crossed.lines().nth(1), Some("1,1,anna,1,2,0,x,1,1"));
    // Ben and Gina had no bye; FIDE's report lists the final as a fourth round.
    let report = app.get(&format!("{path}/report")).await.text();
    assert!(report.contains("092 Individual: Round-Robin groups and Knock-Out"), "{report}");
    let anna = report.lines().find(|line| line.starts_with("001    1")).unwrap();
    assert!(anna.contains(" 3.0 ") && anna.ends_with('1'), "{anna}");
    app.get(&format!("{path}/standings?group=3")).await.problem(422, "validation-failed");
    app.get(&format!("{path}/crosstable?group=0")).await.problem(422, "validation-failed");
    assert_eq!(faults(&app).await, Vec::<String>::new());
}

#[actix_web::test]
async fn twice_in_the_groups_and_best_of_three_in_the_finals() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let six = &people[..6];
    let extra = json!({
        "double_round_robin": true, "all_rounds_at_once": true, "paired_games": true, "round_time_s": 3600,
        "at_deadline": "drawn", "groups": { "size": 4, "qualifiers": 1 },
        "knockout": { "seeding": "entry", "best_of": 3, "extra_boards": 0 },
    });
    let path = begun(six, extra).await;
    let running = reads(&app, &path).await;
    assert_eq!((&running["group_rounds"], &running["rounds"], &running["round"]), (&json!(6), &json!(7), &json!(6)));
    for number in 1..=6 {
        let first = &boards(&app, &path, number).await[0];
        assert!(first["due_at"].is_string() && first["match_ids"].as_array().unwrap().len() == 2, "{first}");
        plays_round(six, &path, number, alphabet).await;
    }
    app.passes_s(1).await;
    assert_eq!(group(&app, &path, 1).await[0], (1, "anna".to_owned(), 4.0));
    // The final's first board isn't over at the deadline: it is drawn. Anna then wins one, which is not enough.
    let board = boards(&app, &path, 7).await.remove(0);
    for id in board["match_ids"].as_array().unwrap() {
        for player in &people[..2] {
            player.acts(id.as_str().unwrap(), json!({ "type": "deploy-auto" })).await.expect(200);
        }
    }
    app.passes_s(3601).await;
    app.passes_s(1).await;
    assert_eq!(boards(&app, &path, 7).await[0]["first"]["points"], 0.5);
    round(six, &path, 7).await;
    assert_eq!(drawn(&app, &path, 1).await, ["1 anna-2 ben: nobody by nothing"]);
    round(six, &path, 7).await;
    assert_eq!(drawn(&app, &path, 1).await, ["1 anna-2 ben: anna by points"]);
    assert_eq!(boards(&app, &path, 7).await.iter().map(|board| &board["tie"]).collect::<Vec<_>>(), [1, 1, 1]);
    assert_eq!(reads(&app, &path).await["status"], "finished");
    assert_eq!(faults(&app).await, Vec::<String>::new());
}

#[actix_web::test]
async fn groups_that_cannot_be_are_refused_and_terms_change_until_the_start() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let anna = &people[0];
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
        "rounds": 3, "groups": { "count": 65, "size": 17, "qualifiers": 9, "best_next": 65 }, "knockout": { "best_of": 2 },
        "min_players": 6,
    });
    assert_eq!(
        asks("groups", wrong).await,
        [
            "/rounds conflicting-fields",
            "/groups/size conflicting-fields",
            "/groups/count out-of-range",
            "/groups/size out-of-range",
            "/groups/qualifiers out-of-range",
            "/groups/best_next out-of-range",
            "/groups/qualifiers out-of-range",
            "/knockout/best_of out-of-range",
            "/min_players out-of-range",
        ]
    );
    assert_eq!(asks("swiss", json!({ "rounds": 3, "groups": {} })).await, ["/groups conflicting-fields"]);
    assert_eq!(
        asks("groups", json!({ "groups": { "size": 4, "qualifiers": 3 } })).await[0],
        "/groups/qualifiers out-of-range"
    );
    assert_eq!(
        asks("groups", json!({ "groups": { "count": 4 }, "max_players": 65 })).await,
        ["/max_players out-of-range"]
    );
    assert_eq!(
        asks("groups", json!({ "groups": { "count": 4 }, "min_players": 11 })).await,
        ["/min_players out-of-range"]
    );
    let path = made(&people, json!({})).await;
    let changed = anna.request("PATCH", &path, Some(json!({ "groups": { "size": 4, "qualifiers": 1 } }))).await;
    assert_eq!(changed.expect(200)["groups"], json!({ "count": null, "size": 4, "qualifiers": 1, "best_next": 0 }));
    let told = heard(&people[3]).await.pop().unwrap();
    assert_eq!((&told["type"], &told["fields"]), (&json!("tournament-changed"), &json!(["groups", "max_players"])));
    starts(anna, &path).await;
    let late = anna.request("PATCH", &path, Some(json!({ "groups": { "count": 2 } }))).await;
    late.problem(409, "terms-fixed");
}
