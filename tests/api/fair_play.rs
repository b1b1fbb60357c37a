//! The fair-play report, over HTTP and by the command: it finds planted cases in a pool, and doesn't count annulled
//! matches.

use serde_json::{Value, json};

use crate::ledger::annulled;
use crate::ratings::duellists;
use crate::substitutes::{answers, asks, is_ready};
use crate::support::{Player, TestApp};

pub async fn report(moderator: &Player, query: &str) -> Value {
    moderator.get(&format!("/v1/moderation/fair-play{query}")).await.expect(200)
}

pub fn found<'a>(report: &'a Value, kind: &str) -> Vec<&'a Value> {
    report["findings"].as_array().unwrap().iter().filter(|finding| finding["kind"] == kind).collect()
}

pub fn figure(finding: &Value, name: &str) -> f64 {
    let figures = finding["figures"].as_array().unwrap();
    figures.iter().find(|figure| figure["name"] == name).unwrap()["value"].as_f64().unwrap()
}

/// Ben loses ten games on purpose, each after its deployment; two others play each other.
async fn given_away(app: &TestApp) -> (Player, Player, Vec<String>) {
    let (anna, ben) = duellists(app).await;
    let mut given = Vec::new();
    for _ in 0..10 {
        given.push(anna.beats(&ben).await);
        app.passes_s(3600).await;
    }
    app.lasting_player("cleo").await.beats(&app.lasting_player("dora").await).await;
    (anna, ben, given)
}

#[actix_web::test]
async fn games_that_are_given_away_are_shown_to_moderators_with_their_figures() {
    let app = TestApp::start().await;
    let (anna, ben, given) = given_away(&app).await;
    let mia = app.moderator("mia").await;
    let shown = report(&mia, "").await;
    assert_eq!([&shown["matches"], &shown["players"], &shown["complete"]], [&json!(11), &json!(4), &json!(true)]);
    assert_eq!(shown["thresholds"]["pair_matches"], 10);
    let pair = found(&shown, "repeated-pair");
    let names: Vec<&Value> = pair[0]["players"].as_array().unwrap().iter().map(|player| &player["username"]).collect();
    assert_eq!((pair.len(), names), (1, vec![&json!("anna"), &json!("ben")]));
    assert_eq!([figure(pair[0], "matches"), figure(pair[0], "won-by-first")], [10.0, 10.0]);
    assert_eq!(pair[0]["pool"], "classic-days");
    assert_eq!(pair[0]["matches"][0], given[9].as_str(), "the newest first");
    let early = found(&shown, "early-losses");
    assert_eq!([&early[0]["players"][0]["id"], &early[0]["players"][1]["id"]], [&json!(ben.id), &json!(anna.id)]);
    assert_eq!([figure(early[0], "early"), figure(early[0], "by-resignation")], [10.0, 10.0]);
    assert_eq!(found(&shown, "closed-circle").len(), 1);

    // Limited to a pool or a period; annulled matches are settled.
    assert_eq!(report(&mia, "?pool=classic-days").await["findings"], shown["findings"]);
    assert_eq!(report(&mia, "?pool=classic-live").await["matches"], 0);
    assert_eq!(report(&mia, "?since=2026-11-21T12:00:00Z").await["matches"], 6);
    mia.get("/v1/moderation/fair-play?pool=chess").await.problem(422, "validation-failed");
    mia.get("/v1/moderation/fair-play?since=yesterday").await.problem(422, "validation-failed");
    annulled(&app, given[0].parse().unwrap(), &"given away".parse().unwrap()).await.unwrap();
    let shown = report(&mia, "").await;
    assert_eq!(shown["matches"], 10);
    assert!(found(&shown, "repeated-pair").is_empty(), "nine are below the threshold");
    anna.get("/v1/moderation/fair-play").await.problem(403, "role-required");
}

#[actix_web::test]
async fn what_a_substitute_gives_up_is_nobody_elses_early_loss() {
    let app = TestApp::start().await;
    let (anna, ben) = duellists(&app).await;
    let (carl, mia) = (app.lasting_player("carl").await, app.moderator("mia").await);
    for substituted in [true, false] {
        for _ in 0..5 {
            let id = anna.begins_rated(&ben).await;
            if substituted {
                let wanted = asks(&ben, &id, json!({ "player": "carl" })).await.expect(201);
                is_ready(&carl, &wanted).await.expect(204);
                answers(&anna, &wanted, true).await.expect(204);
            }
            (if substituted { &carl } else { &ben }).resigns(&id).await;
        }
        let early = found(&report(&mia, "").await, "early-losses").len();
        assert_eq!(early, usize::from(!substituted));
    }
}

#[actix_web::test]
async fn the_operator_reads_it_by_command() {
    let app = TestApp::start().await;
    let _ = given_away(&app).await;
    let run = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_broadside"));
        let arguments = [&["fair-play", "--database-url", &app.database, "--since", "2026-11-01"], arguments].concat();
        let output = command.args(arguments).output().unwrap();
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        (output.status.code().unwrap(), said)
    };
    let (code, said) = run(&[]);
    let mut lines = said.lines();
    let first = lines.next().unwrap();
    assert!(
        code == 0 && first.starts_with("all pools of two seats: 11 rated matches of 4 players from 2026-11-01T00:00"),
        "{said}"
    );
    assert!(said.contains("repeated-pair: anna, ben in classic-days: matches 10, won-by-first 10"), "{said}");
    assert!(said.ends_with("no verdict\n"), "{said}");
    let (code, said) = run(&["--json", "--pool", "classic-days"]);
    let read: Value = serde_json::from_str(&said).unwrap();
    assert_eq!((code, found(&read, "repeated-pair").len()), (0, 1));
    assert_eq!(run(&["--pool", "chess"]).0, 2);
}
