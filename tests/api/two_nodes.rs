//! Two processes on one database, one of them killed midway: every log arrives complete, in order and without
//! duplicates, on either node.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::support::database;
use crate::support::process::{Frames, Node, Remote};

/// Number of shots in each match.
const SHOTS: usize = 60;
/// Time limit for any step of the test.
const PATIENCE: Duration = Duration::from_secs(25);

/// Sends an action under one key to alternating nodes until it is answered.
async fn insists(player: &Remote, nodes: [SocketAddr; 2], turn: usize, path: &str, body: &Value, key: &str) -> Value {
    let begun = Instant::now();
    for attempt in turn.. {
        // Without an answer the outcome is unknown; the key makes repeating safe.
        if let Ok(answer) = player.send(nodes[attempt % 2], "POST", path, body, key).await {
            match answer.status {
                200 => return answer.body,
                409 | 503 => {}
                other => panic!("{path} {body}: {other} {}", answer.body),
            }
        }
        assert!(begun.elapsed() < PATIENCE, "{path} is not answered");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    unreachable!()
}

/// Two players, their match, and all of its shots, alternating between the nodes.
async fn plays(players: [Remote; 2], id: String, nodes: [SocketAddr; 2], played: Arc<AtomicUsize>) {
    let path = format!("/v1/matches/{id}/actions");
    let auto = json!({ "action": { "type": "deploy-auto" } });
    let mut answer = Value::Null;
    for (turn, player) in players.iter().enumerate() {
        answer = insists(player, nodes, turn, &path, &auto, &format!("deploy {turn} {id}")).await;
    }
    for shot in 0..SHOTS {
        let seat = answer["match"]["to_act"][0].as_u64().expect("the match goes on") as usize;
        // Both go through their cells in one order, so each shot of a player is at a new cell.
        let cell = format!("{}{}", char::from(b'A' + (shot / 2 / 10) as u8), shot / 2 % 10 + 1);
        let fire = json!({ "action": { "type": "fire", "cells": [cell] } });
        answer = insists(&players[seat], nodes, shot, &path, &fire, &format!("{shot} {id}")).await;
        played.fetch_add(1, Ordering::SeqCst);
    }
}

/// A follower's events.
type Received = Arc<std::sync::Mutex<Vec<Value>>>;

/// Follows one player's events at one node forever; a broken stream is reopened with the last number.
fn follows(player: Remote, node: SocketAddr) -> (Received, JoinHandle<()>) {
    let heard = Received::default();
    let shared = Arc::clone(&heard);
    let task = tokio::spawn(async move {
        let newest = player.ask(node, "GET", "/v1/events", &Value::Null).await;
        let (epoch, _) = newest["next_cursor"].as_str().unwrap().split_once('-').unwrap();
        loop {
            let last = shared.lock().unwrap().last().map_or(0, |event| event["number"].as_u64().unwrap());
            if let Ok(mut stream) = player.listen(node, &format!("{epoch}-{last}")).await {
                assert_eq!(stream.status(), 200);
                let mut frames = Frames::default();
                while let Ok(Some(piece)) = stream.chunk().await {
                    let events = frames.take(&piece).into_iter().filter(|event| event["type"] != "snapshot");
                    shared.lock().unwrap().extend(events);
                }
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    (heard, task)
}

async fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < PATIENCE, "waited too long until {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Everybody's whole log, by name.
async fn logs_of(players: &[Remote], node: SocketAddr) -> BTreeMap<String, Vec<Value>> {
    let mut logs = BTreeMap::new();
    for player in players {
        let page = player.ask(node, "GET", "/v1/events?after=0&limit=1000", &Value::Null).await;
        let log = page["items"].as_array().unwrap().clone();
        for (event, number) in log.iter().zip(1..) {
            assert_eq!(event["number"], number);
        }
        logs.insert(player.name.clone(), log);
    }
    logs
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everybody_hears_everything_once_and_in_order_though_a_node_is_killed() {
    let url = database::fresh().await;
    let (one, mut two) = (Node::start(&url, "127.0.0.1:0"), Node::start_neighbour(&url, "127.0.0.1:0"));
    let nodes = [one.address, two.address];
    let names = ["anna", "ben", "carl", "dora", "emil", "fritz"];
    let players = join_all(names.map(|name| Remote::register(nodes[0], name))).await;
    let mut followers = Vec::new();
    for player in &players {
        for node in nodes {
            followers.push((player.clone(), follows(player.clone(), node)));
        }
    }
    // Each player has two matches, with the neighbours at a round table.
    let played = Arc::new(AtomicUsize::new(0));
    let (mut matches, mut playing) = (Vec::new(), Vec::new());
    for (index, host) in players.iter().enumerate() {
        let guest = &players[(index + 1) % players.len()];
        let terms = json!({ "variant": "classic", "clock": { "kind": "none" }, "opponent": guest.name });
        let offer = host.ask(nodes[index % 2], "POST", "/v1/challenges", &terms).await;
        let path = format!("/v1/challenges/{}/accept", offer["id"].as_str().unwrap());
        let id =
            guest.ask(nodes[1 - index % 2], "POST", &path, &json!({})).await["match_id"].as_str().unwrap().to_owned();
        matches.push((id.clone(), host.clone(), guest.clone()));
        playing.push(tokio::spawn(plays([host.clone(), guest.clone()], id, nodes, Arc::clone(&played))));
    }
    let all = SHOTS * matches.len();
    until("a third of the shots are fired", || played.load(Ordering::SeqCst) > all / 3).await;
    two.kill();
    let killed_at = played.load(Ordering::SeqCst);
    until("the other node has played on alone", || played.load(Ordering::SeqCst) > killed_at + all / 10).await;
    two = Node::start_neighbour(&url, &two.address.to_string());
    assert!(played.load(Ordering::SeqCst) < all, "the killed node came back too late to be of use");
    for task in playing {
        task.await.unwrap();
    }

    let logs = logs_of(&players, nodes[0]).await;
    for (player, (heard, task)) in followers {
        let log = &logs[&player.name];
        until("a follower has all of it", || heard.lock().unwrap().len() >= log.len()).await;
        task.abort();
        assert_eq!(*heard.lock().unwrap(), *log, "what {} heard at one node", player.name);
    }
    for (id, host, guest) in matches {
        for player in [host, guest] {
            let path = format!("/v1/matches/{id}/reports?limit=1000");
            let listed = player.ask(two.address, "GET", &path, &Value::Null).await;
            let of_match =
                logs[&player.name].iter().filter(|event| event["type"] == "report" && event["match_id"] == id.as_str());
            let heard: Vec<&Value> = of_match.map(|event| &event["report"]).collect();
            assert_eq!(heard, listed["items"].as_array().unwrap().iter().collect::<Vec<_>>());
        }
    }
}
