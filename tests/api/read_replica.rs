//! A hot standby for public reads: answers are at most some seconds old, private data is never read there, and its
//! failure goes unnoticed.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::time::{Duration, Instant};

use broadside::database::cluster_options;
use broadside::db::{Db, Deadline};
use broadside::heartbeat::HeartbeatSettings;
use broadside::public_reads::ReplicaSettings;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use private_postgres::{Cluster, Options, files};
use serde_json::{Value, json};

use crate::support::database::{cluster_with, standby_folder};
use crate::support::fleets::{NORTH_WEST, SOUTH_EAST};
use crate::support::way::Way;
use crate::support::{MORNING_MS, Player, Setup, TestApp};

/// Maximum age of an answer, in seconds.
const MAX_LAG_S: u16 = 10;
/// An upper bound for any operation.
const MUCH_TOO_LONG: Duration = Duration::from_secs(20);

const DATABASE: &str = "broadside_test";

/// A primary with its hot standby, and a node on both.
struct World {
    app: TestApp,
    primary: String,
    standby: Option<Cluster>,
    way: Way,
    _primary: Cluster,
}

impl World {
    async fn begin() -> Self {
        let primary = cluster_with("\nwal_keep_size = 64MB\n");
        let standby = standby_of(&primary).await;
        let url = primary.connection_string(DATABASE);
        let way = Way::to(&standby.connection_string(DATABASE)).await;
        let replica = Db::new(&way.url, 4, Some(Deadline(Duration::from_secs(2)))).unwrap();
        let setup = Setup {
            heartbeat: Some(HeartbeatSettings::default()),
            replica: Some(ReplicaSettings { db: replica, max_lag_s: MAX_LAG_S }),
            ..Setup::default()
        };
        let app = Box::pin(TestApp::on(url.clone(), Arc::new(AtomicI64::new(MORNING_MS)), setup)).await;
        let world = Self { app, primary: url, standby: Some(standby), way, _primary: primary };
        world.catches_up().await;
        world
    }

    /// Writes a sign of life, and waits until the standby has it and the node knows.
    async fn catches_up(&self) {
        self.app.beats().await;
        let written = number(&self.primary, "pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint").await;
        let begun = Instant::now();
        while number(&self.standby(), "pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint").await < written {
            assert!(begun.elapsed() < MUCH_TOO_LONG, "the standby doesn't follow");
        }
        self.looks().await;
    }

    async fn looks(&self) {
        self.app.app.public_reads.look(self.app.app.heartbeat.node()).await;
    }

    fn standby(&self) -> String {
        self.standby.as_ref().unwrap().superuser_connection_string(DATABASE)
    }

    /// Stops replay on the standby.
    async fn pauses_replay(&self) {
        execute(&self.standby(), "SELECT pg_wal_replay_pause()").await;
        let begun = Instant::now();
        while number(&self.standby(), "(pg_get_wal_replay_pause_state() = 'paused')::int::bigint").await == 0 {
            assert!(begun.elapsed() < MUCH_TOO_LONG, "the standby doesn't pause");
        }
    }

    async fn resumes_replay(&self) {
        execute(&self.standby(), "SELECT pg_wal_replay_resume()").await;
        self.catches_up().await;
    }
}

/// A streaming base backup of the primary.
async fn standby_of(primary: &Cluster) -> Cluster {
    let options = Options { note: "tests".to_owned(), ..cluster_options(&standby_folder()) };
    let copy = options.folder.with_extension("copy");
    let copied = Command::new(primary.programs().join("pg_basebackup"))
        .args(["--write-recovery-conf", "--checkpoint=fast", "--no-sync", "--pgdata"])
        .arg(&copy)
        .args(["--dbname", &primary.superuser_connection_string("postgres")])
        .output()
        .expect("pg_basebackup stands beside the programs of the server");
    assert!(copied.status.success(), "{}", String::from_utf8_lossy(&copied.stderr));
    std::fs::create_dir_all(&options.folder).unwrap();
    files::put_in_place(&options, &copy).unwrap();
    std::fs::remove_dir_all(&copy).unwrap();
    Cluster::start(options).await.unwrap()
}

async fn execute(database: &str, sql: &str) {
    let mut connection = AsyncPgConnection::establish(database).await.unwrap();
    connection.batch_execute(sql).await.unwrap();
}

async fn number(database: &str, what: &str) -> i64 {
    #[derive(diesel::QueryableByName)]
    struct Number {
        #[diesel(sql_type = diesel::sql_types::BigInt)]
        number: i64,
    }
    let mut connection = AsyncPgConnection::establish(database).await.unwrap();
    let asked = diesel::sql_query(format!("SELECT coalesce({what}, 0) AS number"));
    asked.get_result::<Number>(&mut connection).await.unwrap().number
}

/// Anna and Ben play a match that Ben resigns; returns its id.
async fn plays(anna: &Player, ben: &Player) -> String {
    let id = anna.challenges_and_meets(ben, json!({})).await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    anna.fires(&id, &["A1"]).await;
    ben.acts(&id, json!({ "type": "resign" })).await.expect(200);
    id
}

/// The number of Anna's finished matches in this answer.
async fn finished(answer: crate::support::Answer) -> usize {
    answer.expect(200)["items"].as_array().unwrap().len()
}

const LIST: &str = "/v1/matches?player=anna&status=finished";

async fn bio(answer: crate::support::Answer) -> Value {
    answer.expect(200)["bio"].clone()
}

#[actix_web::test]
async fn public_lists_come_from_the_standby_and_own_views_never() {
    let world = World::begin().await;
    let app = &world.app;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let first = plays(&anna, &ben).await;
    world.catches_up().await;
    assert_eq!(finished(app.get(LIST).await).await, 1);

    world.pauses_replay().await;
    let second = plays(&anna, &ben).await;
    anna.request("PATCH", "/v1/account", Some(json!({ "bio": "I sail in Brest." }))).await.expect(200);
    // Strangers, and Ben as one of them, see the old state.
    assert_eq!(finished(app.get(LIST).await).await, 1);
    assert_eq!(finished(ben.get(LIST).await).await, 1);
    assert_eq!(bio(app.get("/v1/players/anna").await).await, Value::Null);
    // Anna sees her own changes.
    assert_eq!(finished(anna.get(LIST).await).await, 2);
    assert_eq!(bio(anna.get("/v1/players/anna").await).await, "I sail in Brest.");
    assert_eq!(finished(anna.get("/v1/players/anna/matches").await).await, 2);
    // A missing object is looked up on the primary: nobody is told that it doesn't exist.
    let carl = app.player("carl").await;
    app.get("/v1/players/carl").await.expect(200);
    // Running matches, their views and reports are never stale.
    let third = anna.challenges_and_meets(&carl, json!({})).await;
    anna.deploys(&third, NORTH_WEST).await;
    carl.deploys(&third, SOUTH_EAST).await;
    assert_eq!(anna.sees(&third).await["version"], carl.sees(&third).await["version"]);
    assert_eq!(anna.get("/v1/turns").await.expect(200)["items"].as_array().unwrap().len(), 1);
    // The record of a finished match is the same from either.
    let record = |id: &str| format!("/v1/matches/{id}/record");
    let told = app.get(&record(&second)).await.expect(200);
    assert_eq!(told["result"], app.get(&record(&first)).await.expect(200)["result"]);

    world.resumes_replay().await;
    assert_eq!(finished(app.get(LIST).await).await, 2);
    assert_eq!(bio(app.get("/v1/players/anna").await).await, "I sail in Brest.");
}

#[actix_web::test]
async fn who_may_see_a_contest_is_decided_by_the_primary() {
    let world = World::begin().await;
    let app = &world.app;
    let anna = app.player("anna").await;
    let terms = json!({
        "title": "A quiet ladder", "variant": "classic", "clock": { "kind": "per-move", "move_s": 86_400 },
        "visibility": "private",
    });
    world.pauses_replay().await;
    let ladder = anna.post("/v1/ladders", terms).await.expect(201);
    let path = format!("/v1/ladders/{}/standings", ladder["id"].as_str().unwrap());
    // The standby doesn't have it yet, but viewers with access see it.
    anna.get(&path).await.expect(200);
    app.get(&path).await.problem(404, "not-found");
    world.resumes_replay().await;
    anna.get(&path).await.expect(200);
    app.get(&path).await.problem(404, "not-found");
    assert_eq!(finished(app.get("/v1/ladders").await).await, 0);
}

#[actix_web::test]
async fn a_standby_that_is_too_far_behind_is_not_asked() {
    let world = World::begin().await;
    let app = &world.app;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    world.catches_up().await;
    world.pauses_replay().await;
    plays(&anna, &ben).await;
    assert_eq!(finished(app.get(LIST).await).await, 0);
    // At the maximum lag.
    app.passes_unseen_s(i64::from(MAX_LAG_S));
    app.beats().await;
    world.looks().await;
    assert_eq!(finished(app.get(LIST).await).await, 0);
    app.passes_unseen_s(1);
    assert_eq!(finished(app.get(LIST).await).await, 1, "too old, also before anybody looks");
    app.get("/readyz").await.expect(200);
    world.resumes_replay().await;
    plays(&anna, &ben).await;
    world.catches_up().await;
    assert_eq!(finished(app.get(LIST).await).await, 2);
}

#[actix_web::test]
async fn nobody_notices_that_the_standby_is_silent_or_gone() {
    let mut world = World::begin().await;
    let (anna, ben) = (world.app.player("anna").await, world.app.player("ben").await);
    let id = plays(&anna, &ben).await;
    world.catches_up().await;
    let public = [
        LIST.to_owned(),
        "/v1/players/anna".to_owned(),
        "/v1/players/anna/statistics".to_owned(),
        "/v1/players/anna/opponents".to_owned(),
        "/v1/players/anna/ratings".to_owned(),
        "/v1/pools/classic-days/leaderboard".to_owned(),
        "/v1/ladders".to_owned(),
        "/v1/tournaments".to_owned(),
        format!("/v1/matches/{id}/record"),
        format!("/v1/matches/{id}/reports"),
    ];
    world.way.falls_silent();
    let begun = Instant::now();
    for path in &public {
        world.app.get(path).await.expect(200);
    }
    // Only the first of them waited for it.
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    world.looks().await;
    world.app.get("/readyz").await.expect(200);
    world.way.opens();
    world.catches_up().await;

    world.standby.take().unwrap().stop().await.unwrap();
    plays(&anna, &ben).await;
    assert_eq!(finished(world.app.get(LIST).await).await, 2);
    for path in &public {
        world.app.get(path).await.expect(200);
    }
    world.looks().await;
    assert_eq!(finished(world.app.get(LIST).await).await, 2);
    world.app.get("/readyz").await.expect(200);
}
