//! Damaged matches: they answer as damaged, everything else works, the audit names them, and the operator repairs them.

use std::sync::Arc;

use broadside::heartbeat::HeartbeatSettings;
use broadside::matches::audit;
use broadside::matches::repair::Repaired;
use broadside::moderation::operator;
use broadside::{events, social};
use serde_json::{Value, json};

use crate::proof::finished;
use crate::support::database::{are_distributed, execute};
use crate::support::fleets::{NORTH_WEST, SOUTH_EAST};
use crate::support::{Player, Setup, TestApp, database};

/// The reads that need the log of a match.
const READS: [&str; 6] = ["", "/reports", "/record", "/record?format=text", "/board", "/clock"];

/// Damages to the rows of a match with five entries. `$id` is its id, `$other` another match's.
const DAMAGES: [(&str, &str); 7] = [
    ("the head is behind", "UPDATE match_heads SET seq = seq - 1 WHERE match_id = '$id'"),
    ("the head is ahead", "UPDATE match_heads SET seq = seq + 1 WHERE match_id = '$id'"),
    ("an entry is missing", "DELETE FROM match_log WHERE match_id = '$id' AND seq = 3"),
    ("the last entry is missing", "DELETE FROM match_log WHERE match_id = '$id' AND seq = 5"),
    (
        "an entry of another match",
        "UPDATE match_log AS l SET entry = o.entry FROM match_log AS o \
        WHERE l.match_id = '$id' AND l.seq = 5 AND o.match_id = '$other' AND o.seq = 2",
    ),
    (
        "two entries are exchanged",
        "UPDATE match_log SET seq = 9 WHERE match_id = '$id' AND seq = 4; \
        UPDATE match_log SET seq = 4 WHERE match_id = '$id' AND seq = 5; \
        UPDATE match_log SET seq = 5 WHERE match_id = '$id' AND seq = 9",
    ),
    ("an entry can't be read", "UPDATE match_log SET entry = '\\xff' WHERE match_id = '$id' AND seq = 5"),
];

async fn start() -> TestApp {
    let setup = Setup { heartbeat: Some(HeartbeatSettings::default()), ..Setup::default() };
    let app = TestApp::with(setup).await;
    app.beats().await;
    app
}

async fn node_on(app: &TestApp) -> TestApp {
    let setup = Setup { heartbeat: Some(HeartbeatSettings::default()), ..Setup::default() };
    let node = Box::pin(TestApp::on(app.database.clone(), Arc::clone(&app.clock), setup)).await;
    node.beats().await;
    node
}

/// A match with one shot by each player: five entries.
async fn battle(anna: &Player, ben: &Player) -> String {
    let id = anna.challenges_and_meets(ben, json!({})).await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    anna.fires(&id, &["A10"]).await;
    ben.fires(&id, &["J1"]).await;
    id
}

async fn damage(app: &TestApp, sql: &str, id: &str, other: &str) {
    execute(&app.database, &sql.replace("$id", id).replace("$other", other)).await;
}

async fn faults(app: &TestApp) -> Vec<String> {
    audit::audit(&app.app.matches, None).await.unwrap().faults
}

async fn repairs(app: &TestApp, id: &str) -> Repaired {
    operator::repair_match(&app.app.matches, id.parse().unwrap()).await.unwrap()
}

fn fires() -> Value {
    json!({ "type": "fire", "cells": ["B10"] })
}

#[actix_web::test]
async fn a_damaged_match_says_so_and_nobody_else_notices() {
    let app = start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let sound = battle(&anna, &ben).await;
    let epoch = app.app.epochs.current();
    let cursor = ben.get("/v1/events").await.expect(200)["next_cursor"].as_str().unwrap().to_owned();
    for (name, sql) in DAMAGES {
        let id = battle(&anna, &ben).await;
        let seen = anna.sees(&id).await;
        damage(&app, sql, &id, &sound).await;
        let (warm, cold) = (app.clone(), node_on(&app).await);
        for page in READS {
            let path = format!("/v1/matches/{id}{page}");
            for _ in 0..3 {
                cold.get(&path).await.problem(500, "match-damaged");
            }
            // All entries that this node has cached were acknowledged; it may serve exactly those.
            let answer = anna.at(&warm).get(&path).await;
            match (page, answer.status) {
                ("", 200) => assert_eq!(answer.expect(200)["seas"], seen["seas"], "{name}"),
                ("/board" | "/clock", 200) => {}
                _ => drop(answer.problem(500, "match-damaged")),
            }
        }
        for node in [&cold, &warm, &cold, &warm] {
            anna.at(node).acts(&id, fires()).await.problem(500, "match-damaged");
            ben.at(node).acts(&id, json!({ "type": "resign" })).await.problem(500, "match-damaged");
        }
        let says = json!({ "text": "hello" });
        anna.at(&cold).post(&format!("/v1/matches/{id}/chat/players"), says).await.problem(500, "match-damaged");
        assert_eq!((app.app.epochs.current(), cold.app.epochs.current()), (epoch, epoch), "{name}");
        let found = faults(&cold).await;
        assert!(found.iter().any(|fault| fault.starts_with(&id)), "{name}: {found:?}");
        assert!(!found.iter().any(|fault| fault.starts_with(&sound)), "{name}: {found:?}");
    }
    ben.get(&format!("/v1/events?after={cursor}&limit=1")).await.expect(200);
    anna.acts(&sound, fires()).await.expect(200);
}

#[actix_web::test]
async fn a_log_with_a_gap_is_neither_signed_nor_archived() {
    let app = start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let id = finished(&anna, &ben, json!({})).await;
    execute(&app.database, &format!("DELETE FROM match_log WHERE match_id = '{id}' AND seq = 4")).await;
    for page in ["/record", "/reports", "/record?format=text", "/board"] {
        node_on(&app).await.get(&format!("/v1/matches/{id}{page}")).await.problem(500, "match-damaged");
    }
    let folder = tempfile::TempDir::new().unwrap();
    let setup = Setup { archive: Some(crate::archive::archive_in(folder.path())), ..Setup::default() };
    let packs = Box::pin(TestApp::on(app.database.clone(), Arc::clone(&app.clock), setup)).await;
    let due = [id.parse().unwrap()];
    assert!(broadside::matches::archive::pack::write(&packs.app.matches, &due).await.unwrap().is_none());
    // The match is over: its result stays, and none is made up.
    assert!(matches!(repairs(&app, &id).await, Repaired::Over));
    assert_eq!(anna.get("/v1/matches?status=finished").await.expect(200)["items"][0]["id"], id);
}

#[actix_web::test]
async fn what_one_match_has_lost_ends_the_cursors_of_all_once_a_minute() {
    let app = start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let lost = "UPDATE match_heads SET seq = seq - 1, to_act = 2 WHERE match_id = '$id'; \
        DELETE FROM match_log WHERE match_id = '$id' AND seq = (SELECT max(seq) FROM match_log WHERE match_id = '$id')";
    let mut epochs = vec![app.app.epochs.current()];
    for round in 0..3 {
        let id = battle(&anna, &ben).await;
        damage(&app, lost, &id, "").await;
        let answer = anna.get(&format!("/v1/matches/{id}")).await;
        match round {
            1 => drop(answer.problem(503, "unavailable")),
            _ => drop(answer.expect(200)),
        }
        epochs.push(app.app.epochs.current());
        if round == 1 {
            app.passes_unseen_s(61);
            app.beats().await;
        }
    }
    assert_ne!(epochs[0], epochs[1]);
    assert_eq!(epochs[1], epochs[2]);
    assert_ne!(epochs[2], epochs[3]);
}

#[actix_web::test]
async fn a_head_is_written_again_from_a_whole_log() {
    let app = start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let wrong = [
        "UPDATE match_heads SET seq = seq - 2 WHERE match_id = '$id'",
        "UPDATE match_heads SET to_act = 2, deadline = deadline - interval '1 hour' WHERE match_id = '$id'",
        "UPDATE match_heads SET status = 'finished', finished_at = now(), check_at = NULL WHERE match_id = '$id'; \
         UPDATE match_seats SET running = false WHERE match_id = '$id'",
    ];
    for sql in wrong {
        let id = battle(&anna, &ben).await;
        let before = anna.sees(&id).await;
        assert!(matches!(repairs(&app, &id).await, Repaired::Sound));
        damage(&app, sql, &id, "").await;
        let cold = node_on(&app).await;
        assert!(faults(&cold).await[0].starts_with(&id));
        assert!(matches!(repairs(&cold, &id).await, Repaired::HeadRewritten));
        assert_eq!(faults(&cold).await, Vec::<String>::new());
        for node in [&app, &cold] {
            let now = anna.at(node).sees(&id).await;
            for what in ["version", "seas", "status", "to_act", "proof"] {
                assert_eq!(now[what], before[what], "{sql}: {what}");
            }
        }
        anna.acts(&id, fires()).await.expect(200);
    }
}

#[actix_web::test]
async fn a_log_that_is_not_whole_ends_its_match_without_a_result() {
    let app = start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let sound = battle(&anna, &ben).await;
    let epoch = app.app.epochs.current();
    let broken = DAMAGES.iter().skip(1).chain(&[("nothing is left", "DELETE FROM match_log WHERE match_id = '$id'")]);
    for (name, sql) in broken {
        let id = battle(&anna, &ben).await;
        damage(&app, sql, &id, &sound).await;
        let cold = node_on(&app).await;
        let heard = anna.get("/v1/events").await.expect(200)["next_cursor"].as_str().unwrap().to_owned();
        let done = repairs(&cold, &id).await;
        let Repaired::Aborted { kept, removed } = done else { panic!("{name}: {done:?}") };
        assert!(kept < 6 && removed.len() < 6, "{name}");
        assert!(matches!(repairs(&cold, &id).await, Repaired::Sound), "{name}");
        assert_eq!(faults(&cold).await, Vec::<String>::new(), "{name}");
        for node in [&app, &cold, &node_on(&app).await] {
            let view = anna.at(node).sees(&id).await;
            assert_eq!(view["status"], "aborted", "{name}");
            node.get(&format!("/v1/matches/{id}/record")).await.expect(200);
            anna.at(node).acts(&id, fires()).await.problem(422, "match-over");
        }
        let news = anna.get(&format!("/v1/events?after={heard}&limit=1000")).await.expect(200);
        let kinds: Vec<&str> =
            news["items"].as_array().unwrap().iter().map(|event| event["type"].as_str().unwrap()).collect();
        assert!(kinds.contains(&"match-finished") && kinds.contains(&"report"), "{name}: {kinds:?}");
        assert_eq!(app.app.epochs.current(), epoch, "{name}");
    }
    anna.acts(&sound, fires()).await.expect(200);
}

#[actix_web::test]
async fn the_audit_sees_times_that_go_back_and_numbers_that_exist_twice() {
    let app = start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let id = battle(&anna, &ben).await;
    anna.post(&format!("/v1/matches/{id}/chat/players"), json!({ "text": "one" })).await.expect(201);
    let of_events = async || events::audit::all(&app.app).await.unwrap().faults;
    let of_rooms = async || social::audit::all(&app.app).await.unwrap().faults;
    assert_eq!((faults(&app).await, of_events().await, of_rooms().await), Default::default());

    // The second entry replaces the last one, with correct running hashes: only the time is wrong.
    app.passes_s(5).await;
    anna.acts(&id, fires()).await.expect(200);
    ben.fires(&id, &["I1"]).await;
    let older = "UPDATE match_log AS l SET entry = o.entry, chain = substr(sha256(b.chain || o.entry), 1, 16) \
        FROM match_log AS o, match_log AS b WHERE l.match_id = '$id' AND l.seq = 7 \
        AND o.match_id = l.match_id AND o.seq = 5 AND b.match_id = l.match_id AND b.seq = 6";
    damage(&app, older, &id, "").await;
    let found = faults(&app).await;
    assert!(found.iter().any(|fault| fault.contains("the entry 7 is older than the one before it")), "{found:?}");

    let wrong = [
        ("UPDATE event_counters SET newest = newest - 1 WHERE account_id = '$id'", "the counter says"),
        ("UPDATE event_counters SET newest = newest + 2 WHERE account_id = '$id'", "the counter says"),
        (
            "UPDATE account_events SET lines = 'nothing' WHERE account_id = '$id' AND number = \
            (SELECT max(number) FROM account_events WHERE account_id = '$id')",
            "can't be read",
        ),
        (
            "UPDATE account_events SET count = count + 1 WHERE account_id = '$id' AND number = \
            (SELECT max(number) FROM account_events WHERE account_id = '$id')",
            "exists twice",
        ),
        (
            "DELETE FROM account_events WHERE account_id = '$id' AND number = \
            (SELECT min(number) FROM account_events WHERE account_id = '$id')",
            "are missing",
        ),
    ];
    for (sql, what) in wrong {
        damage(&app, sql, &anna.id, "").await;
        let found = of_events().await;
        let said = |fault: &String| fault.contains(&anna.id) && fault.contains(what);
        assert!(found.iter().any(said), "{what}: {found:?}");
        assert!(!found.iter().any(|fault| fault.contains(&ben.id)), "{found:?}");
    }
    execute(&app.database, "UPDATE chat_rooms SET newest = newest - 1").await;
    assert!(of_rooms().await[0].starts_with(&id));
}

#[actix_web::test]
async fn no_row_keeps_the_audit_from_the_others() {
    let app = start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let ids = [battle(&anna, &ben).await, battle(&anna, &ben).await, battle(&anna, &ben).await];
    for sql in ["variant = 'chess'", "clock = '{}'", "rule_set = '7'"] {
        execute(&app.database, &format!("UPDATE matches SET {sql} WHERE id = '{}'", ids[0])).await;
        let found = audit::audit(&app.app.matches, None).await.unwrap();
        assert!(found.faults.len() == 1 && found.faults[0].starts_with(&ids[0]), "{:?}", found.faults);
        assert_eq!(found.matches, 2);
    }
    let deleted = format!("DELETE FROM match_log WHERE match_id = '{}' AND seq = 2", ids[1]);
    execute(&app.database, &deleted).await;
    let found = audit::audit(&app.app.matches, None).await.unwrap();
    assert_eq!((found.faults.len(), found.matches), (2, 1), "{:?}", found.faults);
}

#[actix_web::test]
async fn a_private_cluster_checks_what_it_reads_from_the_disk() {
    if !are_distributed() {
        let sound = "DO $$ BEGIN ASSERT current_setting('data_checksums') = 'on'; END $$";
        execute(&database::fresh().await, sound).await;
    }
}
