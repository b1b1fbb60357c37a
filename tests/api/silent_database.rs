//! A silent database: requests fail in time, nothing is half done, and everything resumes when it answers again.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::time::{Duration, Instant};

use broadside::db::Deadline;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::fleets::{NORTH_WEST, SOUTH_EAST};
use crate::support::way::Way;
use crate::support::{Answer, MORNING_MS, Player, Setup, TestApp, database};

const DEADLINE: Duration = Duration::from_millis(500);
/// An upper bound for any operation on a busy machine: several deadlines.
const MUCH_TOO_LONG: Duration = Duration::from_secs(5);

async fn node(url: &str) -> TestApp {
    let setup = Setup { deadline: Some(Deadline(DEADLINE)), ..Setup::default() };
    Box::pin(TestApp::on(url.to_owned(), Arc::new(AtomicI64::new(MORNING_MS)), setup)).await
}

/// Anna and Ben with their fleets placed; Anna is on turn.
async fn battle(anna: &Player, ben: &Player) -> String {
    let id = anna.challenges_and_meets(ben, json!({})).await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    id
}

async fn fires(player: &Player, id: &str, cell: &str) -> Answer {
    let action = json!({ "action": { "type": "fire", "cells": [cell] } });
    Box::pin(player.post_once(&format!("{id} {cell}"), &format!("/v1/matches/{id}/actions"), action)).await
}

/// The same with retries, as the client was told.
async fn insists(player: &Player, id: &str, cell: &str) -> Value {
    let begun = Instant::now();
    loop {
        match fires(player, id, cell).await {
            answer if answer.status == 503 && begun.elapsed() < MUCH_TOO_LONG => {}
            answer => return answer.expect(200),
        }
    }
}

async fn shots(player: &Player, id: &str) -> usize {
    let reports = player.get(&format!("/v1/matches/{id}/reports")).await.expect(200);
    reports["items"].as_array().unwrap().iter().filter(|report| report["type"] == "fired").count()
}

#[actix_web::test]
async fn whoever_waits_for_a_silent_database_is_told_to_come_back() {
    let way = Way::to(&database::fresh().await).await;
    let app = node(&way.url).await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let id = battle(&anna, &ben).await;

    way.falls_silent();
    let begun = Instant::now();
    let sign_in = json!({ "username": "anna", "password": anna.password });
    let page = format!("/v1/matches/{id}");
    let (shot, page, turns, open, ready) = tokio::join!(
        fires(&anna, &id, "A1"),
        anna.get(&page),
        ben.get("/v1/turns"),
        ben.get("/v1/challenges"),
        app.get("/readyz"),
    );
    let signed_in = app.post("/v1/sessions", sign_in).await;
    for answer in [shot, page, turns, open, ready, signed_in] {
        answer.problem(503, "unavailable");
        assert!(answer.header("retry-after").is_some());
    }
    assert!(begun.elapsed() < MUCH_TOO_LONG);

    way.opens();
    insists(&anna, &id, "A1").await;
    assert_eq!(shots(&ben, &id).await, 1);
    // The finding is cached for a second.
    app.passes_unseen_s(2);
    app.get("/readyz").await.expect(200);
}

#[actix_web::test]
async fn a_silent_database_is_no_wrong_password() {
    let way = Way::to(&database::fresh().await).await;
    let setup = Setup { deadline: Some(Deadline(DEADLINE)), rate_limits: true, ..Setup::default() };
    let app = Box::pin(TestApp::on(way.url.clone(), Arc::new(AtomicI64::new(MORNING_MS)), setup)).await;
    let anna = app.player("anna").await;
    let signs_in = async || app.post("/v1/sessions", json!({ "username": "anna", "password": anna.password })).await;

    way.falls_silent();
    // The number of failures allowed in five minutes.
    for answer in join_all((0..10).map(|_| signs_in())).await {
        answer.problem(503, "unavailable");
    }
    way.opens();
    let begun = Instant::now();
    while signs_in().await.status != 201 {
        assert!(begun.elapsed() < MUCH_TOO_LONG);
    }
}

#[actix_web::test]
async fn a_match_that_somebody_holds_makes_no_other_wait() {
    let url = database::fresh().await;
    let app = node(&url).await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let (held, free) = (battle(&anna, &ben).await, battle(&anna, &ben).await);
    let mut holder = AsyncPgConnection::establish(&url).await.unwrap();
    let hold = format!("BEGIN; SELECT FROM match_heads WHERE match_id = '{held}' FOR UPDATE");
    holder.batch_execute(&hold).await.unwrap();

    let (waits, goes_on) = tokio::join!(fires(&anna, &held, "A1"), fires(&anna, &free, "A1"));
    waits.problem(503, "unavailable");
    goes_on.expect(200);
    // From now on its moves are written separately, so no other waits for it.
    let begun = Instant::now();
    let (again, _) = tokio::join!(fires(&anna, &held, "A1"), async {
        for (player, cell) in [(&ben, "A1"), (&anna, "A2"), (&ben, "A2"), (&anna, "A3")] {
            fires(player, &free, cell).await.expect(200);
        }
        assert!(begun.elapsed() < DEADLINE, "{:?}", begun.elapsed());
    });
    again.problem(503, "unavailable");

    holder.batch_execute("ROLLBACK").await.unwrap();
    insists(&anna, &held, "A1").await;
    assert_eq!(shots(&ben, &held).await, 1);
}

/// The number of connections in this state.
async fn connections(observer: &mut AsyncPgConnection, that_are: &str) -> i64 {
    let counted = format!("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND {that_are}");
    #[derive(diesel::QueryableByName)]
    struct Count {
        #[diesel(sql_type = diesel::sql_types::BigInt)]
        count: i64,
    }
    let found: Count = diesel::sql_query(counted).get_result(observer).await.unwrap();
    found.count
}

/// Waits until the number of connections in this state is within the range.
async fn until(observer: &mut AsyncPgConnection, that_are: &str, wanted: RangeInclusive<i64>) {
    let begun = Instant::now();
    while !wanted.contains(&connections(observer, that_are).await) {
        assert!(begun.elapsed() < MUCH_TOO_LONG, "{wanted:?} connections were to be so: {that_are}");
        tokio::task::yield_now().await;
    }
}

/// Waits until the number of statements waiting for a lock is within the range.
async fn until_waiting(observer: &mut AsyncPgConnection, wanted: RangeInclusive<i64>) {
    until(observer, "wait_event_type = 'Lock'", wanted).await;
}

#[actix_web::test]
async fn a_client_that_has_gone_leaves_nothing_behind_that_others_wait_for() {
    let url = database::fresh().await;
    // Nothing times out within this test.
    let setup = Setup { deadline: Some(Deadline(10 * MUCH_TOO_LONG)), ..Setup::default() };
    let app = Box::pin(TestApp::on(url.clone(), Arc::new(AtomicI64::new(MORNING_MS)), setup)).await;
    let anna = app.player("anna").await;
    let mut holder = AsyncPgConnection::establish(&url).await.unwrap();
    let mut observer = AsyncPgConnection::establish(&url).await.unwrap();
    holder.batch_execute("BEGIN; LOCK TABLE challenges IN ACCESS EXCLUSIVE MODE").await.unwrap();

    // One request per connection asks for the locked rows, and disconnects.
    let lists = join_all((0..8).map(|_| anna.get("/v1/challenges")));
    tokio::select! {
        _ = lists => panic!("the table is locked"),
        () = until_waiting(&mut observer, 8..=8) => {}
    }
    let looked = tokio::time::timeout(MUCH_TOO_LONG, anna.get("/v1/account")).await;
    looked.expect("somebody waits for those who have gone").expect(200);
    until_waiting(&mut observer, 0..=0).await;
    holder.batch_execute("ROLLBACK").await.unwrap();
    anna.get("/v1/challenges").await.expect(200);
}

#[actix_web::test]
async fn long_lists_leave_connections_for_others() {
    let url = database::fresh().await;
    let setup = Setup { deadline: Some(Deadline(10 * MUCH_TOO_LONG)), ..Setup::default() };
    let app = Box::pin(TestApp::on(url.clone(), Arc::new(AtomicI64::new(MORNING_MS)), setup)).await;
    let anna = app.player("anna").await;
    let mut holder = AsyncPgConnection::establish(&url).await.unwrap();
    let mut observer = AsyncPgConnection::establish(&url).await.unwrap();
    holder.batch_execute("BEGIN; LOCK TABLE matches IN ACCESS EXCLUSIVE MODE").await.unwrap();

    // One request per connection waits; fewer have been admitted.
    let lists = join_all((0..8).map(|_| anna.get("/v1/matches")));
    let others = async {
        until_waiting(&mut observer, 1..=8).await;
        for _ in 0..10 {
            let looked = tokio::time::timeout(MUCH_TOO_LONG, anna.get("/v1/account")).await;
            looked.expect("lists have taken every connection").expect(200);
        }
        holder.batch_execute("ROLLBACK").await.unwrap();
    };
    let (lists, ()) = tokio::join!(lists, others);
    for list in lists {
        list.expect(200);
    }
}

#[actix_web::test]
async fn a_commit_that_the_standby_has_not_confirmed_is_not_acknowledged() {
    let cluster = database::cluster_with("\nsynchronous_commit = off\nsynchronous_standby_names = 'nobody'");
    let url = cluster.connection_string("broadside_test");
    // The fleets are placed before commits wait for the standby.
    let app = node(&url).await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let id = battle(&anna, &ben).await;
    database::execute(&url, "ALTER DATABASE broadside_test SET synchronous_commit = on").await;
    let waiting = node(&url).await;

    // For a second an operator cancels waiting statements: PostgreSQL then reports success with a warning.
    let cancel = "DO $$ BEGIN FOR i IN 1..50 LOOP \
                  PERFORM pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'; \
                  PERFORM pg_sleep(0.02), pg_stat_clear_snapshot(); END LOOP; END $$";
    let anna_there = anna.at(&waiting);
    let (shot, ()) = tokio::join!(fires(&anna_there, &id, "A1"), database::execute(&url, cancel));
    shot.problem(503, "unavailable");

    // It was committed, and its idempotency key shows this where no standby is waited for.
    insists(&anna, &id, "A1").await;
    assert_eq!(shots(&ben, &id).await, 1);
}

#[actix_web::test]
async fn a_repetition_is_acknowledged_only_when_the_standby_has_confirmed_what_it_repeats() {
    let cluster = database::cluster_with("\nsynchronous_commit = off\nsynchronous_standby_names = 'nobody'");
    let url = cluster.connection_string("broadside_test");
    let app = node(&url).await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let id = battle(&anna, &ben).await;
    let opens = json!({ "variant": "classic", "clock": { "kind": "none" } });
    let challenge = anna.post_once("open", "/v1/challenges", opens.clone()).await.expect(201);
    fires(&anna, &id, "A1").await.expect(200);

    // Both are committed. No standby has them, and from now on commits are to wait for one.
    database::execute(&url, "ALTER DATABASE broadside_test SET synchronous_commit = on").await;
    let waiting = node(&url).await;
    let anna_there = anna.at(&waiting);
    fires(&anna_there, &id, "A1").await.problem(503, "unavailable");
    anna_there.post_once("open", "/v1/challenges", opens.clone()).await.problem(503, "unavailable");

    // The operator continues without a standby: waiting statements complete, and retries succeed.
    let superuser = url.replace("user='broadside'", "user='postgres'");
    database::execute(&superuser, "ALTER SYSTEM SET synchronous_standby_names = ''").await;
    database::execute(&superuser, "SELECT pg_reload_conf()").await;
    insists(&anna_there, &id, "A1").await;
    assert_eq!(anna_there.post_once("open", "/v1/challenges", opens).await.expect(201)["id"], challenge["id"]);
    assert_eq!(shots(&ben, &id).await, 1);
}

#[actix_web::test]
async fn a_transaction_in_which_nothing_happens_is_ended() {
    let url = database::fresh().await;
    let way = Way::to(&url).await;
    let app = node(&way.url).await;
    let mut observer = AsyncPgConnection::establish(&url).await.unwrap();
    let idle = "state = 'idle in transaction'";
    let held = app.app.db.begin().await.unwrap();
    until(&mut observer, idle, 1..=1).await;
    // The node hangs or is cut off: its locks would last as long.
    way.falls_silent();
    until(&mut observer, idle, 0..=0).await;
    drop(held);
}
