//! A distributed database. Without Citus there is little to test here; all other tests run on one, too
//! (docs/operations/citus.md).

use broadside::db::Db;
use serde_json::json;

use crate::support::fleets::{NORTH_WEST, SOUTH_EAST};
use crate::support::{TestApp, database};

#[actix_web::test]
async fn what_is_distributed_stays_so_and_without_citus_nothing_is() {
    let db = Db::new(&database::fresh().await, 1, None).unwrap();
    match db.distribute(4).await.unwrap() {
        Ok(tables) => assert!(database::are_distributed() && tables.is_empty(), "{tables:?}"),
        Err(obstacle) => {
            assert!(!database::are_distributed());
            let said = obstacle.to_string();
            assert!(said.contains("CREATE EXTENSION citus") && said.contains("each worker"), "{said}");
        }
    }
}

#[actix_web::test]
async fn what_a_worker_has_not_heard_of_is_not_denied() {
    let app = TestApp::start().await;
    let missing = "/v1/matches/0199c2a8-7d4e-7c3a-9f10-5b1e6a2d8c47";
    app.get(missing).await.problem(404, "not-found");
    // The name contains the ids of a coordinator, of a dead process, and of its transaction.
    if !database::leave_on_the_way(&app.database, "citus_0_999999_1_1").await {
        return;
    }
    // Citus may clean up before the query, but not every time.
    let mut attempts = 1;
    while app.get(missing).await.status == 404 {
        attempts += 1;
        assert!(attempts < 20, "it was denied although a worker may have it");
        database::leave_on_the_way(&app.database, &format!("citus_0_999999_{attempts}_1")).await;
    }
    while app.get(missing).await.status == 503 {}
    app.get(missing).await.problem(404, "not-found");
}

#[actix_web::test]
async fn what_citus_says_of_a_dead_worker_asks_to_come_back() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let id = anna.challenges_and_meets(&ben, json!({})).await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    let fires = async || {
        let action = json!({ "action": { "type": "fire", "cells": ["B7"] } });
        anna.post_once("a key", &format!("/v1/matches/{id}/actions"), action).await
    };
    for words in [
        "connection to the remote node broadside@worker:5432 failed with the following error: is starting up",
        "could not establish any connections to the node worker:5432 after 5000 ms",
        "server closed the connection unexpectedly",
        "connection not open",
        "SSL connection has been closed unexpectedly",
        "failed to COPY to shard 102008 on worker:5432",
        "failed to complete COPY on worker:5432",
        "failure on connection marked as essential: worker:5432",
        "canceling the transaction since it was involved in a distributed deadlock",
    ] {
        let says = format!(
            "CREATE OR REPLACE FUNCTION says() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE '{words}'; END $$; \
             CREATE OR REPLACE TRIGGER says BEFORE INSERT ON idempotency_keys FOR EACH ROW EXECUTE FUNCTION says()"
        );
        database::execute(&app.database, &says).await;
        let answer = fires().await;
        answer.problem(503, "unavailable");
        assert!(answer.header("retry-after").is_some(), "{words}");
    }
    database::execute(&app.database, "DROP TRIGGER says ON idempotency_keys").await;
    fires().await.expect(200);
    let reports = anna.get(&format!("/v1/matches/{id}/reports")).await.expect(200);
    let fired = reports["items"].as_array().unwrap().iter().filter(|report| report["type"] == "fired");
    assert_eq!(fired.count(), 1);
}
