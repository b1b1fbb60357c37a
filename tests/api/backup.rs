//! A backup made while players move, restored elsewhere: it is complete, and clients are told to read anew.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use broadside::config::Database;
use broadside::database;
use private_postgres::Cluster;
use serde_json::json;
use tempfile::TempDir;

use crate::support::fleets::{NORTH_WEST, SOUTH_EAST};
use crate::support::{MORNING_MS, Setup, TestApp};

/// Runs a command of the program; returns its success and output.
async fn broadside(arguments: &[&str]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_broadside"));
    command.args(arguments).env_remove("DATABASE_URL");
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(said).unwrap())
}

async fn node(data: &Path) -> (TestApp, Cluster) {
    let settings = Database { database_url: None, data: data.to_owned(), postgres_programs: None };
    let (db, cluster) = database::open(&settings, 1, None, "a test").await.unwrap();
    db.migrate().await.unwrap();
    let cluster = cluster.unwrap();
    let url = cluster.connection_string("broadside");
    let app = TestApp::on(url, Arc::new(AtomicI64::new(MORNING_MS)), Setup::default());
    (Box::pin(app).await, cluster)
}

#[actix_web::test]
async fn a_backup_of_a_running_service_is_restored_and_whole() {
    let (home, away, kept) = (TempDir::new().unwrap(), TempDir::new().unwrap(), TempDir::new().unwrap());
    let backup = kept.path().join("monday");
    let [home_path, away_path, backup_path] =
        [home.path(), away.path(), &backup].map(|path| path.to_str().unwrap().to_owned());
    let (app, cluster) = node(home.path()).await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let id = anna.challenges_and_meets(&ben, json!({ "rated": true, "first": "random" })).await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;

    let before = ben.sees(&id).await["version"].as_u64().unwrap();
    // Shots are fired from before the backup until after it.
    let making = tokio::spawn({
        let (home_path, backup_path) = (home_path.clone(), backup_path.clone());
        async move { broadside(&["backup", &backup_path, "--data", &home_path]).await }
    });
    let cells = (1..=10).flat_map(|row| "ABCDEFGHIJ".chars().map(move |column| format!("{column}{row}")));
    for (shots, cell) in cells.enumerate() {
        if shots > 3 && making.is_finished() {
            break;
        }
        for player in [&anna, &ben] {
            // Refused if it isn't the player's turn, or the cell was already shot at.
            player.acts(&id, json!({ "type": "fire", "cells": [cell] })).await;
        }
    }
    let (made, said) = making.await.unwrap();
    assert!(made, "{said}");
    let over = anna.sees(&id).await["status"] != "playing";
    if !over {
        anna.acts(&id, json!({ "type": "resign" })).await.expect(200);
    }
    let cursor = ben.get("/v1/events").await.expect(200)["next_cursor"].as_str().unwrap().to_owned();
    let (again, said) = broadside(&["backup", &backup_path, "--data", &home_path]).await;
    assert!(!again && said.contains("is not empty"), "{said}");

    let (restored, said) = broadside(&["restore", &backup_path, "--data", &away_path]).await;
    assert!(restored, "{said}");
    let (twice, said) = broadside(&["restore", &backup_path, "--data", &away_path]).await;
    assert!(!twice && said.contains("holds a cluster already"), "{said}");
    for command in [vec!["audit"], vec!["ratings", "verify"]] {
        let (sound, said) = broadside(&[&command[..], &["--data", &away_path]].concat()).await;
        assert!(sound, "{command:?}: {said}");
    }
    let (there, restored) = node(away.path()).await;
    let ben = ben.at(&there);
    let seen = ben.sees(&id).await;
    assert!(seen["version"].as_u64().unwrap() >= before, "{seen}");
    ben.get(&format!("/v1/events?after={cursor}")).await.problem(410, "log-rewound");
    drop((app, there, anna, ben));
    restored.stop().await.unwrap();
    cluster.stop().await.unwrap();

    // A backup with a missing file or a changed byte is refused before anything is done.
    let damaged = backup.join("cluster/PG_VERSION");
    std::fs::write(&damaged, "16\n").unwrap();
    let empty = TempDir::new().unwrap();
    let (restored, said) = broadside(&["restore", &backup_path, "--data", empty.path().to_str().unwrap()]).await;
    assert!(!restored && said.contains("PG_VERSION"), "{said}");
    std::fs::remove_file(backup.join("broadside-backup.json")).unwrap();
    let (restored, said) = broadside(&["restore", &backup_path, "--data", empty.path().to_str().unwrap()]).await;
    assert!(!restored && said.contains("is no backup that is whole"), "{said}");
}
