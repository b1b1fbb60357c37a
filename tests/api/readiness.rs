//! Readiness of a node: conditions, reasons against it, and shutdown.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use broadside::db::Deadline;
use broadside::heartbeat::HeartbeatSettings;
use broadside::jobs;
use diesel::QueryableByName;
use diesel::sql_types::Text;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use rustix::process::Signal;
use serde_json::json;
use tempfile::TempDir;

use crate::archive::archive_in;
use crate::support::process::Node;
use crate::support::way::Way;
use crate::support::{MORNING_MS, Setup, TestApp, database};

const YEAR_MS: i64 = 365 * 86_400_000;

/// A monitored node.
async fn node(database: &str, heartbeat: HeartbeatSettings, ahead_ms: i64) -> TestApp {
    let deadline = Some(Deadline(Duration::from_millis(1000)));
    let setup = Setup { heartbeat: Some(heartbeat), ahead_ms, deadline, ..Setup::default() };
    Box::pin(TestApp::on(database.to_owned(), Arc::new(AtomicI64::new(MORNING_MS)), setup)).await
}

async fn plain(database: &str) -> TestApp {
    node(database, HeartbeatSettings::default(), 0).await
}

/// A node's reason not to be ready, checked anew.
async fn hindrance(app: &TestApp) -> String {
    app.passes_unseen_s(2);
    let refused = app.get("/readyz").await.problem(503, "unavailable");
    refused["detail"].as_str().unwrap().split(':').next().unwrap().to_owned()
}

/// The last transaction that wrote a sign of life.
async fn last_write(url: &str) -> String {
    let mut connection = AsyncPgConnection::establish(url).await.unwrap();
    let asked = "SELECT xmin::text AS text FROM service_heartbeat";
    diesel::sql_query(asked).get_result::<Row>(&mut connection).await.unwrap().text
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Text)]
    text: String,
}

#[actix_web::test]
async fn a_node_whose_database_takes_no_writes_is_not_ready() {
    let url = database::fresh().await;
    let app = plain(&url).await;
    app.get("/readyz").await.expect(200);
    // At most one write per second, however many requests ask.
    let written = last_write(&url).await;
    for _ in 0..50 {
        app.get("/readyz").await.expect(200);
    }
    assert_eq!(last_write(&url).await, written);
    app.passes_unseen_s(1);
    app.get("/readyz").await.expect(200);
    assert_ne!(last_write(&url).await, written);

    let name = url.rsplit_once("dbname=").unwrap().1.trim_matches('\'');
    database::execute(&url, &format!("ALTER DATABASE {name} SET default_transaction_read_only = on")).await;
    // Applies to connections opened from now on.
    let close = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                 WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()";
    database::execute(&url, close).await;
    let mut found = hindrance(&app).await;
    for _ in 0..10 {
        if found == "database-unreachable" {
            found = hindrance(&app).await;
        }
    }
    assert_eq!(found, "database-read-only");
}

#[actix_web::test]
async fn a_node_without_room_or_standby_is_not_ready() {
    // A limit of zero for temporary files acts like a full disk.
    let cluster = database::cluster_with("\ntemp_file_limit = 0");
    let url = cluster.connection_string("broadside_test");
    assert_eq!(hindrance(&plain(&url).await).await, "disk-full");
    let strict = HeartbeatSettings { requires_sync_standby: true, ..HeartbeatSettings::default() };
    assert_eq!(hindrance(&node(&url, strict, 0).await).await, "standby-missing");
}

#[actix_web::test]
async fn a_node_that_can_t_write_moves_is_not_ready_until_it_can() {
    let cluster = database::cluster_with("");
    let url = cluster.connection_string("broadside_test");
    let app = plain(&url).await;
    app.beats().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let id = anna.challenges_and_meets(&ben, json!({})).await;
    // A node without any move yet, when only one connection is left.
    let far = plain(&url).await;
    far.beats().await;
    anna.at(&far).get("/v1/turns").await.expect(200);
    let superuser = cluster.superuser_connection_string("postgres");
    database::execute(&superuser, "ALTER ROLE broadside CONNECTION LIMIT 1").await;
    let auto = json!({ "type": "deploy-auto" });
    assert_eq!(hindrance(&far).await, "writer-unreachable");
    anna.at(&far).acts(&id, auto.clone()).await.problem(503, "unavailable");
    database::execute(&superuser, "ALTER ROLE broadside CONNECTION LIMIT -1").await;
    far.passes_unseen_s(2);
    far.get("/readyz").await.expect(200);
    anna.at(&far).acts(&id, auto.clone()).await.expect(200);
    // A ready node has opened the connection. If it breaks, it is replaced before a move needs it.
    let close = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'broadside'";
    database::execute(&superuser, close).await;
    let mut found = far.get("/readyz").await;
    for _ in 0..20 {
        far.passes_unseen_s(2);
        found = far.get("/readyz").await;
    }
    found.expect(200);
    assert_eq!(ben.at(&far).acts(&id, auto).await.status, 200);
}

#[actix_web::test]
async fn what_a_node_can_do_without_is_named() {
    let home = TempDir::new().unwrap();
    let (folder, away) = (home.path().join("archive"), home.path().join("unmounted"));
    std::fs::create_dir(&folder).unwrap();
    let way = Way::without_listen(&database::fresh().await).await;
    let setup = Setup { archive: Some(archive_in(&folder)), ..Setup::default() };
    let app = Box::pin(TestApp::on(way.url.clone(), Arc::new(AtomicI64::new(MORNING_MS)), setup)).await;
    let degraded = async || {
        // The archive is checked in the background.
        for _ in 0..2 {
            app.passes_unseen_s(20);
            app.get("/readyz").await.expect(200);
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        app.passes_unseen_s(2);
        app.get("/readyz").await.expect(200)["degraded"].clone()
    };
    assert_eq!(degraded().await, json!(["listener"]));
    std::fs::rename(&folder, &away).unwrap();
    assert_eq!(degraded().await, json!(["listener", "archive"]));
    std::fs::rename(&away, &folder).unwrap();
    assert_eq!(degraded().await, json!(["listener"]));
}

#[actix_web::test]
async fn a_node_with_a_wrong_clock_is_not_ready() {
    let url = database::fresh().await;
    let tolerated = node(&url, HeartbeatSettings::default(), 4000).await;
    tolerated.get("/readyz").await.expect(200);
    assert_eq!(hindrance(&node(&url, HeartbeatSettings::default(), 6000).await).await, "clock-astray");
    assert_eq!(hindrance(&node(&url, HeartbeatSettings::default(), -YEAR_MS).await).await, "clock-astray");
}

#[actix_web::test]
async fn a_clock_that_jumps_ahead_makes_nothing_old() {
    let app = plain(&database::fresh().await).await;
    app.beats().await;
    let anna = app.player("anna").await;
    // The clocks of database and node are a year ahead, for the length of a clean-up.
    app.clock.fetch_add(YEAR_MS, Ordering::SeqCst);
    app.beats().await;
    jobs::clean_up(&app.app).await.unwrap();
    app.clock.fetch_sub(YEAR_MS, Ordering::SeqCst);
    app.beats().await;
    jobs::clean_up(&app.app).await.unwrap();
    app.post("/v1/sessions/refresh", json!({ "refresh_token": anna.refresh_token })).await.expect(200);
    // After an hour with the right time a clean-up does its work.
    assert!(!app.app.heartbeat.is_settled());
    app.lives_s(3600).await;
    assert!(app.app.heartbeat.is_settled());
}

/// A connection that is kept open for more than one request.
struct Kept(TcpStream);

impl Kept {
    fn to(address: SocketAddr) -> Option<Self> {
        let stream = TcpStream::connect(address).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        Some(Self(stream))
    }

    /// Requests a page; returns the head of the answer in lower case.
    fn asks(&mut self, path: &str) -> String {
        self.0.write_all(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").as_bytes()).unwrap();
        let (mut answer, mut bytes) = (String::new(), [0; 4096]);
        while !answer.contains("\r\n\r\n") {
            let read = self.0.read(&mut bytes).unwrap();
            assert!(read > 0, "the connection was cut without an answer");
            answer.push_str(&String::from_utf8_lossy(&bytes[..read]));
        }
        answer.to_lowercase()
    }
}

#[actix_web::test]
async fn a_node_that_is_told_to_stop_sends_its_clients_elsewhere_first() {
    let mut node = Node::start(&database::fresh().await, "127.0.0.1:0");
    let address = node.address;
    let mut kept = Kept::to(address).unwrap();
    assert!(!kept.asks("/healthz").contains("connection: close"));
    node.terminate();
    // New connections are accepted, and get an answer.
    let begun = Instant::now();
    while !Kept::to(address).unwrap().asks("/readyz").starts_with("http/1.1 503") {
        assert!(begun.elapsed() < Duration::from_secs(5), "it never said that it stops");
    }
    let last = kept.asks("/healthz");
    assert!(last.starts_with("http/1.1 200") && last.contains("connection: close"), "{last}");
    node.terminate();
    assert!(node.stops());
}

/// From its "listening" line on, each of these signals stops a node cleanly, on every try.
#[actix_web::test]
async fn a_node_is_stopped_by_each_of_three_signals() {
    let url = database::fresh().await;
    for signal in [Signal::HUP, Signal::TERM, Signal::INT] {
        let mut node = Node::start(&url, "127.0.0.1:0");
        node.is_sent(signal);
        if signal != Signal::INT {
            let begun = Instant::now();
            while !Kept::to(node.address).unwrap().asks("/readyz").starts_with("http/1.1 503") {
                assert!(begun.elapsed() < Duration::from_secs(5), "it never said that it stops");
            }
            node.is_sent(signal);
        }
        assert!(node.stops(), "{signal:?}");
    }
}
