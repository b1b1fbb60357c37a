//! A match from the first ship to the last shot.

use std::collections::BTreeSet;

use broadside_rules::variants;
use serde_json::{Value, json};

use crate::support::fleets::{self, NORTH_WEST, SOUTH_EAST};
use crate::support::{Player, TestApp, plain, plays_out, seven_people};

#[actix_web::test]
async fn two_people_play_a_whole_battle() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("classic").await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;

    let miss = anna.fires(&id, &["A1"]).await;
    assert_eq!(miss["shots"][0]["answer"], "miss");
    let hit = ben.fires(&id, &["E1"]).await;
    assert_eq!(hit["shots"][0]["answer"], "hit");

    let again = anna.acts(&id, json!({ "type": "fire", "cells": ["A1"] })).await.problem(422, "illegal-action");
    assert_eq!(again["errors"][0]["code"], "cell-already-tried");
    ben.acts(&id, json!({ "type": "fire", "cells": ["E2"] })).await.problem(422, "not-your-turn");
    let sunk = {
        anna.fires(&id, &["F9"]).await;
        ben.fires(&id, &["E2"]).await
    };
    assert_eq!(sunk["shots"][0]["answer"], "sunk");
    assert_eq!(sunk["shots"][0]["class"], "destroyer");
}

#[actix_web::test]
async fn seventeen_hits_win_and_show_everything_to_everybody() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("classic").await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;

    let targets = fleets::cells(SOUTH_EAST);
    // Ben wastes shots on the columns where Anna has no ships.
    let wasted = (1..=9).flat_map(|row| [9, 10].map(|column| format!("{}{column}", char::from(b'A' + row - 1))));
    for (number, (target, waste)) in targets.iter().zip(wasted).enumerate() {
        let told = anna.fires(&id, &[target]).await;
        assert_ne!(told["shots"][0]["answer"], "miss", "{target}");
        if number + 1 < targets.len() {
            assert_eq!(anna.sees(&id).await["status"], "playing");
            assert_eq!(ben.fires(&id, &[&waste]).await["shots"][0]["answer"], "miss");
        }
    }

    let view = ben.sees(&id).await;
    assert_eq!(view["status"], "finished");
    assert_eq!(view["result"]["reason"], "fleet");
    assert_eq!(view["result"]["winner"], 0);
    assert_eq!(view["decisions"], json!([]));
    // Both fleets are public now.
    let stranger = app.get(&format!("/v1/matches/{id}")).await.expect(200);
    for sea in stranger["seas"].as_array().unwrap() {
        assert!(sea["ships"].as_array().unwrap().iter().all(|ship| ship["cells"].is_array()), "{sea}");
    }
    ben.acts(&id, json!({ "type": "fire", "cells": ["A10"] })).await.problem(422, "match-over");
}

#[actix_web::test]
async fn every_variant_can_be_played_by_examples_alone() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    for variant in variants() {
        let (min, max) = variant.seats();
        let numbers: BTreeSet<usize> = [min, (min + 1).min(max), max].map(usize::from).into();
        for seats in numbers {
            let players: Vec<&Player> = people.iter().take(seats).collect();
            let id = players[0].sits_down_with(&players[1..], json!({ "variant": variant.id }), &[]).await;
            let end = plays_out(&players, &id, 4000).await;
            assert_eq!(end["status"], "finished", "{} with {seats}", variant.id);
            assert_eq!(end["result"]["places"].as_array().unwrap().len(), seats);
        }
    }
}

#[actix_web::test]
async fn a_player_sees_his_own_fleet_and_nothing_of_the_other() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("classic").await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    let view = anna.sees(&id).await;
    assert_eq!(view["viewer"]["seat"], 0);
    let sea = |owner: u64| view["seas"].as_array().unwrap().iter().find(|sea| sea["owner"] == owner).unwrap();
    assert!(sea(0)["ships"].as_array().unwrap().iter().all(|ship| ship["cells"].is_array()));
    assert!(sea(1)["ships"].as_array().unwrap().iter().all(|ship| ship["cells"].is_null()));
    let text = view.to_string();
    // The targets name every cell, so decisions are left out.
    let known = text.replace(&view["decisions"].to_string(), "");
    for cell in fleets::cells(SOUTH_EAST) {
        assert!(!known.contains(&format!("\"{cell}\"")), "{cell} stands in {known}");
    }
}

#[actix_web::test]
async fn a_wrong_deployment_names_every_ship_at_fault() {
    let app = TestApp::start().await;
    let (anna, _, id) = app.table("classic").await;
    let fleet: &[(&str, &[&str])] = &[
        ("carrier", &["A1", "A2", "A3", "A4", "A6"]),
        ("battleship", &["B1", "B2", "B3"]),
        ("cruiser", &["C1", "C2", "C3"]),
        ("submarine", &["C3", "D3", "E3"]),
    ];
    let refused = anna.acts(&id, fleets::deployment(fleet)).await;
    refused.expect(422);
    let body = refused.json();
    let codes: Vec<&str> =
        body["errors"].as_array().unwrap().iter().map(|fault| fault["code"].as_str().unwrap()).collect();
    for code in ["not-straight", "wrong-length", "ships-overlap", "ship-missing"] {
        assert!(codes.contains(&code), "{code} is not among {codes:?}");
    }
    assert_eq!(anna.sees(&id).await["seats"][0]["deployed"], false);
}

#[actix_web::test]
async fn a_dry_run_judges_and_changes_nothing() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("classic").await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    let before = anna.sees(&id).await;
    let path = format!("/v1/matches/{id}/actions?dry_run=true");
    let judged = anna.post(&path, json!({ "action": { "type": "fire", "cells": ["J6"] } })).await.expect(200);
    assert_eq!(judged["reports"], json!([]));
    assert_eq!(judged["match"], before);
    let wrong = json!({ "action": { "type": "fire", "cells": ["Z6"] } });
    assert_eq!(anna.post(&path, wrong).await.problem(422, "illegal-action")["errors"][0]["code"], "unknown-cell");
    assert_eq!(anna.sees(&id).await, before);
}

#[actix_web::test]
async fn a_stale_version_is_refused_with_the_current_one() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("classic").await;
    anna.deploys(&id, NORTH_WEST).await;
    let version = ben.sees(&id).await["version"].as_u64().unwrap();
    let order = json!({ "version": version - 1, "action": fleets::deployment(SOUTH_EAST) });
    let refused = ben.post(&format!("/v1/matches/{id}/actions"), order).await.problem(409, "stale-version");
    assert_eq!(refused["current_version"], version);
    let order = json!({ "version": version, "action": fleets::deployment(SOUTH_EAST) });
    ben.post(&format!("/v1/matches/{id}/actions"), order).await.expect(200);
}

#[actix_web::test]
async fn a_match_is_resigned_aborted_or_drawn() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let meet = async || anna.challenges_and_meets(&ben, json!({})).await;

    let resigned = meet().await;
    ben.acts(&resigned, json!({ "type": "resign" })).await.expect(200);
    let view = anna.sees(&resigned).await;
    assert_eq!((&view["result"]["reason"], &view["result"]["winner"]), (&json!("resignation"), &json!(0)));

    let aborted = meet().await;
    anna.acts(&aborted, json!({ "type": "abort" })).await.expect(200);
    let view = ben.sees(&aborted).await;
    assert_eq!(view["status"], "aborted");
    assert_eq!(view["result"]["winner"], Value::Null);

    let drawn = meet().await;
    anna.deploys(&drawn, NORTH_WEST).await;
    ben.deploys(&drawn, SOUTH_EAST).await;
    anna.fires(&drawn, &["A1"]).await;
    ben.acts(&drawn, json!({ "type": "accept-draw" })).await.problem(422, "draw-not-offered");
    anna.acts(&drawn, json!({ "type": "offer-draw" })).await.expect(200);
    anna.acts(&drawn, json!({ "type": "abort" })).await.problem(422, "too-late-to-abort");
    ben.acts(&drawn, json!({ "type": "accept-draw" })).await.expect(200);
    let view = anna.sees(&drawn).await;
    assert_eq!((&view["result"]["reason"], &view["result"]["winner"]), (&json!("agreement"), &Value::Null));
}

#[actix_web::test]
async fn reports_are_numbered_without_a_gap_and_replay_the_match() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("paper").await;
    plays_out(&[&anna, &ben], &id, 500).await;
    for reader in [Some(&anna), Some(&ben), None] {
        let path = format!("/v1/matches/{id}/reports?limit=7");
        let mut all = Vec::new();
        let mut after = "0".to_owned();
        loop {
            let path = format!("{path}&after={after}");
            let page = match reader {
                Some(player) => player.get(&path).await.expect(200),
                None => app.get(&path).await.expect(200),
            };
            all.extend(page["items"].as_array().unwrap().clone());
            match page["next_cursor"].as_str() {
                Some(next) => after = next.to_owned(),
                None => break,
            }
        }
        let numbers: Vec<u64> = all.iter().map(|report| report["number"].as_u64().unwrap()).collect();
        assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
        assert_eq!(all.last().unwrap()["type"], "revealed");
    }
}

#[actix_web::test]
async fn my_turns_are_listed_most_urgent_first() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let clock = |seconds: u32| json!({ "clock": { "kind": "per-move", "move_s": seconds } });
    let slow = anna.challenges_and_meets(&ben, clock(86_400)).await;
    app.passes_s(1).await;
    let fast = anna.challenges_and_meets(&ben, clock(600)).await;
    app.passes_s(1).await;
    let none = anna.challenges_and_meets(&ben, json!({ "clock": { "kind": "none" } })).await;

    let ids = |turns: &Value| -> Vec<String> {
        turns["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
    };
    let answer = anna.get("/v1/turns").await;
    assert_eq!(ids(&answer.json()), [fast.clone(), slow.clone(), none.clone()]);
    let etag = answer.header("etag").unwrap().to_owned();
    let again = anna.signed(crate::support::plain("GET", "/v1/turns", None)).insert_header(("if-none-match", etag));
    assert_eq!(app.send(again).await.status, 304);

    anna.deploys(&fast, NORTH_WEST).await;
    assert_eq!(ids(&anna.get("/v1/turns").await.json()), [slow.clone(), none.clone()]);
    let mine = anna.get("/v1/matches?to_act=me").await.expect(200);
    assert_eq!(ids(&mine), [none, slow]);
}

#[actix_web::test]
async fn lists_have_pages() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let mut made = Vec::new();
    for _ in 0..5 {
        made.push(anna.challenges_and_meets(&ben, json!({})).await);
        app.passes_s(1).await;
    }
    made.reverse();
    let mut seen = Vec::new();
    let mut path = "/v1/matches?limit=2&player=anna".to_owned();
    loop {
        let answer = app.get(&path).await;
        let page = answer.expect(200);
        seen.extend(page["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap().to_owned()));
        match page["next_cursor"].as_str() {
            None => break,
            Some(cursor) => {
                path = format!("/v1/matches?limit=2&player=anna&cursor={cursor}");
                assert_eq!(answer.header("link").unwrap(), format!("<{path}>; rel=\"next\""));
            }
        }
    }
    assert_eq!(seen, made);
}

#[actix_web::test]
async fn a_match_survives_a_restart() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("cadets").await;
    anna.acts(&id, json!({ "type": "deploy-auto" })).await.expect(200);
    ben.acts(&id, json!({ "type": "deploy-auto" })).await.expect(200);
    anna.acts(&id, anna.example(&id).await.unwrap()).await.expect(200);
    let before = (anna.sees(&id).await, ben.sees(&id).await);
    let later = app.restarted().await;
    assert_eq!((anna.at(&later).sees(&id).await, ben.at(&later).sees(&id).await), before);
}

#[actix_web::test]
async fn who_prefers_it_gets_an_answer_without_the_view() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("classic").await;
    anna.deploys(&id, NORTH_WEST).await;
    let path = format!("/v1/matches/{id}/actions");
    let asked = |by: &Player, action: Value, preference: &'static str| {
        let request = plain("POST", &path, Some(json!({ "action": action })));
        by.signed(request.insert_header(("prefer", preference)))
    };

    let brief = app.send(asked(&ben, fleets::deployment(SOUTH_EAST), "return=minimal")).await;
    assert_eq!(brief.header("preference-applied"), Some("return=minimal"));
    assert!(brief.header("vary").unwrap().contains("prefer"), "{:?}", brief.header("vary"));
    let seen = ben.sees(&id).await;
    let tag = app.send(ben.signed(plain("GET", &format!("/v1/matches/{id}"), None))).await;
    assert_eq!(brief.header("etag"), tag.header("etag"));
    let brief = brief.expect(200);
    for field in ["version", "status", "to_act", "deadline"] {
        assert_eq!(brief[field], seen[field], "{field}");
    }
    assert_eq!(brief["reports"][0]["type"], "deployed");
    assert!(brief.get("match").is_none());

    let whole = app.send(asked(&anna, json!({ "type": "fire", "cells": ["A1"] }), "return=representation")).await;
    assert_eq!(whole.header("preference-applied"), None);
    let whole = whole.expect(200);
    assert_eq!(whole["match"], anna.sees(&id).await);
    assert_eq!(whole["status"], whole["match"]["status"]);
}
