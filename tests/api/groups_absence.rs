//! Groups and finals with withdrawals, pauses and interrupted jobs.

use futures_util::future::select;
use serde_json::{Value, json};

use crate::groups::{begun, drawn, faults, group, kinds, lines, name, round};
use crate::support::database::execute;
use crate::support::{TestApp, seven_people};
use crate::tournaments::{alphabet, boards, plays_round, reads, standings, starts, table, tournament};

#[actix_web::test]
async fn who_goes_before_the_finals_is_replaced_and_later_gives_them_away() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let path = begun(&people, json!({})).await;
    // Gina leaves after one game of three: she is struck from the group, and her opponent has no win.
    plays_round(&people, &path, 1, alphabet).await;
    people[6].post(&format!("{path}/leave"), json!({})).await.expect(200);
    app.passes_s(1).await;
    round(&people, &path, 2).await;
    // Anna has won her group, and leaves while the other one is still being played.
    plays_round(&people[..6], &path, 3, alphabet).await;
    people[0].post(&format!("{path}/leave"), json!({})).await.expect(200);
    app.passes_s(1).await;
    assert_eq!(reads(&app, &path).await["round"], 4);
    assert_eq!(group(&app, &path, 1).await, lines([(1, "anna", 2.0), (2, "dora", 1.0), (3, "emil", 0.0)]));
    let second = group(&app, &path, 2).await;
    assert_eq!(second, lines([(1, "ben", 2.0), (2, "carl", 1.0), (3, "fritz", 0.0), (4, "gina", 0.0)]));
    // Dora and Emil advance in her place.
    assert_eq!(drawn(&app, &path, 1).await, ["1 ben-4 emil: nobody by nothing", "2 dora-3 carl: nobody by nothing"]);
    assert_eq!(kinds(&people[0]).await.last().unwrap(), "round-started", "she isn't told of groups that she has left");
    // Ben leaves in the middle of a game, and wins it; Carl is suspended before the final, and Ben has left already.
    people[1].post(&format!("{path}/leave"), json!({})).await.expect(200);
    plays_round(&people, &path, 4, |one, _| one == "emil" || one == "dora").await;
    let suspension = "suspended_at = '2026-11-21', suspended_until = '2026-12-01', suspension_reason = 'x'";
    execute(&app.database, &format!("UPDATE accounts SET {suspension} WHERE username = 'carl'")).await;
    app.passes_s(1).await;
    app.passes_s(1).await;
    assert_eq!(drawn(&app, &path, 2).await, ["1 ben-3 carl: ben by withdrawal"]);
    let over = reads(&app, &path).await;
    assert_eq!((&over["status"], &over["reason"]), (&json!("finished"), &Value::Null));
    let rows = standings(&app, &path).await;
    let ranks: Vec<(u64, &str)> = rows.iter().map(|row| (row["rank"].as_u64().unwrap(), name(row))).collect();
    let expected = [(1, "ben"), (2, "carl"), (3, "dora"), (3, "emil"), (5, "anna"), (6, "fritz"), (7, "gina")];
    assert_eq!(ranks, expected);
    assert_eq!((&rows[6]["struck"], &rows[4]["struck"]), (&json!(true), &json!(false)));
    assert_eq!(rows[1]["withdrawn"]["reason"], "account-suspended");
    assert_eq!(faults(&app).await, Vec::<String>::new());
}

#[actix_web::test]
async fn groups_that_are_left_end_it_before_the_finals() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let path = begun(&people, json!({ "groups": { "count": 2, "qualifiers": 1 } })).await;
    plays_round(&people, &path, 1, alphabet).await;
    // The whole second group leaves.
    for at in [1, 2, 5, 6] {
        people[at].post(&format!("{path}/leave"), json!({})).await.expect(200);
    }
    app.passes_s(1).await;
    for number in 2..=3 {
        round(&people, &path, number).await;
    }
    let over = reads(&app, &path).await;
    assert_eq!(over["reason"], "Fewer than two players were left for the finals.");
    assert_eq!((&over["status"], &over["round"]), (&json!("finished"), &json!(3)));
    let table = table(&app, &path).await;
    assert_eq!((table[0].0, table[0].1.as_str()), (1, "anna"));
    assert!(table[1..].iter().all(|(rank, ..)| *rank > 1), "{table:?}");
    assert_eq!(reads(&app, &format!("{path}/bracket")).await["rounds"], json!([]));
    assert_eq!(faults(&app).await, Vec::<String>::new());
}

#[actix_web::test]
async fn a_pause_and_jobs_that_are_cut_off_between_groups_and_finals() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let six = &people[..6];
    let terms = json!({ "format": "groups", "groups": { "qualifiers": 1 }, "knockout": { "seeding": "entry" } });
    let path = tournament(&people[6], &[], terms).await;
    for player in six {
        app.passes_unseen_s(1);
        player.post(&format!("{path}/join"), json!({})).await.expect(200);
    }
    starts(&people[6], &path).await;
    for number in 1..=2 {
        round(six, &path, number).await;
    }
    plays_round(six, &path, 3, alphabet).await;
    let contest = path.replace("tournaments", "contests");
    people[6].post(&format!("{contest}/pause"), json!({ "reason": "the club is away" })).await.expect(200);
    app.passes_s(1).await;
    assert_eq!(reads(&app, &path).await["round"], 3, "no finals are drawn in a pause");
    people[6].post(&format!("{contest}/resume"), json!({})).await.expect(204);
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
        select(Box::pin(job), Box::pin(cut)).await;
    }
    app.passes_s(1).await;
    assert_eq!(boards(&app, &path, 4).await.len(), 1);
    round(six, &path, 4).await;
    assert_eq!(reads(&app, &path).await["status"], "finished");
    for (at, player) in six.iter().enumerate() {
        let of_finals = ["round-started"; 1][..usize::from(at < 2)].to_vec();
        let start = ["tournament-started", "round-started", "round-started", "round-started"].as_slice();
        let expected = [start, &["tournament-groups-finished"], &of_finals, &["tournament-finished"]].concat();
        assert_eq!(kinds(player).await, expected, "{}: nobody is told anything twice", player.name);
    }
    assert_eq!(faults(&app).await, Vec::<String>::new());
}
