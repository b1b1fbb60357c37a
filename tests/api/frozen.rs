//! Frozen worlds: whole databases as earlier builds wrote them, kept as data in `tests/worlds/`. The current code must
//! load and migrate them, fold every log, serve the same records byte for byte, and play on.
//!
//! Worlds are only ever added, one for each release that changes what is stored or signed, and never remade:
//!
//! ```sh
//! BROADSIDE_FREEZE=tests/worlds/<version> cargo test --test api frozen::a_world_survives_being_frozen
//! ```
//!
//! `tests/worlds/README.md` describes the contents of a world.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use broadside::matches::audit;
use broadside::ratings::verify;
use broadside_contests::Pool;
use broadside_rules::{record, variants};
use diesel::QueryableByName;
use diesel::migration::{Migration, MigrationSource};
use diesel::sql_types::Text;
use diesel_async::{AsyncConnection, AsyncMigrationHarness, AsyncPgConnection, RunQueryDsl};
use diesel_migrations::{FileBasedMigrations, MigrationHarness};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::support::club::Club;
use crate::support::fleets::{NORTH_WEST, SOUTH_EAST};
use crate::support::orders::chain;
use crate::support::{Player, Setup, TestApp, database, plays_out, seven_people};
use crate::tournaments;

/// Number of rounds played in a running match.
const OPENING_ROUNDS: usize = 6;
/// Number of rounds of examples after which a seat resigns, so that a world stays small.
const ROUNDS: usize = 300;

struct World {
    /// The newest migration of the world's database.
    migration: String,
    /// The time of the freeze, in milliseconds since 1970.
    now_ms: i64,
    /// Its players' personal tokens, by name.
    tokens: BTreeMap<String, String>,
    /// Its running matches: the players, by seat.
    running: BTreeMap<String, Vec<String>>,
    /// SHA-256 of each finished match's record, as served.
    records: BTreeMap<String, String>,
}

impl World {
    fn to_json(&self) -> Value {
        json!({
            "migration": self.migration, "now_ms": self.now_ms, "tokens": self.tokens, "running": self.running,
            "records": self.records,
        })
    }

    fn read(folder: &Path) -> Self {
        let value: Value = serde_json::from_slice(&std::fs::read(folder.join("world.json")).unwrap()).unwrap();
        let field = |name: &str| value[name].clone();
        Self {
            migration: serde_json::from_value(field("migration")).unwrap(),
            now_ms: serde_json::from_value(field("now_ms")).unwrap(),
            tokens: serde_json::from_value(field("tokens")).unwrap(),
            running: serde_json::from_value(field("running")).unwrap(),
            records: serde_json::from_value(field("records")).unwrap(),
        }
    }
}

// ---- making a world ----

/// A bit of everything: every variant finished and running, a ladder of each form, a tournament, ratings and their
/// corrections, standing orders, webhooks, chat, calendars.
async fn make(app: &TestApp) -> World {
    let people = seven_people(app).await;
    app.grants("gina", "moderator").await;
    let mut running = BTreeMap::new();
    for variant in variants() {
        let seats = usize::from(variant.seats().0 + 1).min(usize::from(variant.seats().1));
        let players: Vec<&Player> = people.iter().take(seats).collect();
        let names: Vec<String> = players.iter().map(|player| player.name.clone()).collect();
        let terms = json!({ "variant": variant.id });
        let nonces = [json!({ "nonce": "a" })];
        let finished = players[0].sits_down_with(&players[1..], terms.clone(), &nonces).await;
        plays_on(&players, &finished, ROUNDS).await;
        for player in &players[1..] {
            player.acts(&finished, json!({ "type": "resign" })).await;
        }
        for rounds in [0, OPENING_ROUNDS] {
            let id = players[0].sits_down_with(&players[1..], terms.clone(), &nonces).await;
            plays_on(&players, &id, rounds).await;
            running.insert(id, names.clone());
        }
    }
    plays_rated(app, &people, &mut running).await;
    contests(app, &people).await;
    talks(&people).await;
    World {
        migration: newest_migration(&app.database).await,
        now_ms: app.now_ms(),
        tokens: people.iter().map(|player| (player.name.clone(), player.token.clone())).collect(),
        running: still_running(app, running).await,
        records: records(app).await,
    }
}

/// Plays examples for this number of rounds, or until the match is over.
async fn plays_on(players: &[&Player], id: &str, rounds: usize) {
    for _ in 0..rounds {
        for player in players {
            if let Some(example) = player.example(id).await {
                player.acts(id, example).await.expect(200);
            }
        }
    }
}

/// Rated matches, one of them annulled, one with standing orders and one whose clocks rest at night.
async fn plays_rated(app: &TestApp, people: &[Player], running: &mut BTreeMap<String, Vec<String>>) {
    let (anna, ben, gina) = (&people[0], &people[1], &people[6]);
    let both = || vec![anna.name.clone(), ben.name.clone()];
    let terms = || json!({ "rated": true, "first": "random" });
    let won = anna.challenges_and_meets(ben, terms()).await;
    let lost = anna.challenges_and_meets(ben, terms()).await;
    for (id, loser) in [(&won, ben), (&lost, anna)] {
        anna.deploys(id, NORTH_WEST).await;
        ben.deploys(id, SOUTH_EAST).await;
        loser.acts(id, json!({ "type": "resign" })).await.expect(200);
    }
    let annul = format!("/v1/moderation/matches/{lost}/annul");
    gina.post(&annul, json!({ "reason": "a bet" })).await.expect(204);
    let ordered = anna.challenges_and_meets(ben, json!({})).await;
    anna.deploys(&ordered, NORTH_WEST).await;
    ben.deploys(&ordered, SOUTH_EAST).await;
    anna.tries_orders(&ordered, chain(&["A10", "B10"]), (100, 200)).await.expect(200);
    running.insert(ordered, both());
    let calendar = json!({ "time_zone": "Europe/Paris", "night": { "start": "22:00", "end": "07:00" } });
    anna.request("PUT", "/v1/account/calendar", Some(calendar)).await.expect(200);
    let clock = json!({ "kind": "per-move", "move_s": 3 * 86_400, "rests": "standard" });
    let resting = anna.challenges_and_meets(ben, json!({ "clock": clock })).await;
    running.insert(resting, both());
    app.passes_s(60).await;
}

/// A rating ladder, a position ladder, a round robin: each under way. A rated match by a named rule set.
async fn contests(app: &TestApp, people: &[Player]) {
    let rule_set = people[2].publishes("Twelve rows", crate::rulesets::rows(12)).await;
    people[1].loses_by(&people[0], &rule_set).await;
    let ladder = people[0].makes_ladder(json!({})).await;
    for player in &people[..4] {
        player.joins(&ladder, 1).await;
    }
    app.passes_s(60).await;
    tournaments::under_way(&people[..4]).await;
    let club = Club::of(app, &["ida", "jan", "kim"], json!({})).await;
    club.plays("kim", "jan", "jan").await;
    club.challenges("jan", "ida").await;
}

/// A webhook, a message, a block, a note.
async fn talks(people: &[Player]) {
    let (anna, ben, carl) = (&people[0], &people[1], &people[2]);
    // Nothing listens there: deliveries are retried, and stay.
    let webhook = json!({ "url": "http://127.0.0.1:9/hook", "events": ["your-turn", "match-started"] });
    anna.post("/v1/webhooks", webhook).await.expect(201);
    carl.request("PUT", "/v1/account/blocks/ben", None).await.expect(204);
    let id = anna.challenges_and_meets(ben, json!({})).await;
    let chat = format!("/v1/matches/{id}/chat/players");
    anna.post(&chat, json!({ "text": "good luck" })).await.expect(201);
    ben.request(
        "PUT",
        &format!("/v1/matches/{id}/notes"),
        Some(json!({ "revision": 0, "text": "left first", "marks": [] })),
    )
    .await
    .expect(200);
}

async fn still_running(app: &TestApp, running: BTreeMap<String, Vec<String>>) -> BTreeMap<String, Vec<String>> {
    let over = ids(app, "SELECT match_id::text AS text FROM match_heads WHERE status IN ('finished', 'aborted')").await;
    running.into_iter().filter(|(id, _)| !over.contains(id)).collect()
}

/// SHA-256 of the record of each match that ended with a result, as served.
async fn records(app: &TestApp) -> BTreeMap<String, String> {
    let mut records = BTreeMap::new();
    for id in ids(app, "SELECT match_id::text AS text FROM match_heads WHERE status = 'finished'").await {
        let record = app.get_as_stored(&format!("/v1/matches/{id}/record")).await;
        assert_eq!(record.status, 200);
        record::verify(&String::from_utf8(record.body.clone()).unwrap()).unwrap();
        records.insert(id, Sha256::digest(&record.body).iter().map(|byte| format!("{byte:02x}")).collect());
    }
    records
}

async fn ids(app: &TestApp, sql: &str) -> BTreeSet<String> {
    texts(&mut AsyncPgConnection::establish(&app.database).await.unwrap(), sql).await.into_iter().collect()
}

// ---- tables to files, and back ----

#[derive(QueryableByName)]
struct TextRow {
    #[diesel(sql_type = Text)]
    text: String,
}

async fn texts(connection: &mut AsyncPgConnection, sql: &str) -> Vec<String> {
    let rows: Vec<TextRow> = diesel::sql_query(sql).load(connection).await.unwrap();
    rows.into_iter().map(|row| row.text).collect()
}

const TABLES: &str = "SELECT table_name::text AS text FROM information_schema.tables \
    WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name NOT LIKE '\\_\\_diesel%' ORDER BY 1";

async fn newest_migration(database: &str) -> String {
    let mut connection = AsyncPgConnection::establish(database).await.unwrap();
    texts(&mut connection, "SELECT max(version)::text AS text FROM __diesel_schema_migrations").await.remove(0)
}

/// Every row of every table, one JSON object per line.
async fn dump(database: &str) -> BTreeMap<String, Vec<String>> {
    let mut connection = AsyncPgConnection::establish(database).await.unwrap();
    let mut tables = BTreeMap::new();
    for table in texts(&mut connection, TABLES).await {
        let rows = format!("SELECT row_to_json(t)::text AS text FROM \"{table}\" AS t ORDER BY 1");
        tables.insert(table, texts(&mut connection, &rows).await);
    }
    tables
}

fn write(folder: &Path, world: &World, tables: &BTreeMap<String, Vec<String>>) {
    std::fs::create_dir_all(folder).unwrap();
    std::fs::write(folder.join("world.json"), format!("{:#}\n", world.to_json())).unwrap();
    for (table, rows) in tables.iter().filter(|(_, rows)| !rows.is_empty()) {
        let file = std::fs::File::create(folder.join(format!("{table}.jsonl.gz"))).unwrap();
        let mut file = GzEncoder::new(file, Compression::best());
        rows.iter().for_each(|row| writeln!(file, "{row}").unwrap());
        file.finish().unwrap();
    }
}

fn read_tables(folder: &Path) -> BTreeMap<String, Vec<String>> {
    let mut tables = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        if let Some(table) = name.strip_suffix(".jsonl.gz") {
            let lines = BufReader::new(GzDecoder::new(std::fs::File::open(entry.path()).unwrap())).lines();
            tables.insert(table.to_owned(), lines.map(Result::unwrap).collect());
        }
    }
    tables
}

/// A new database at the world's migration, filled with its rows, and then migrated to the current version.
async fn load(world: &World, tables: &BTreeMap<String, Vec<String>>) -> String {
    let database = database::empty().await;
    let (connection, until) = (AsyncPgConnection::establish(&database).await.unwrap(), world.migration.clone());
    let known = tokio::task::spawn_blocking(move || {
        let mut harness = AsyncMigrationHarness::new(connection);
        // Listing the migrations creates their table.
        assert!(harness.applied_migrations().unwrap().is_empty());
        let source = FileBasedMigrations::from_path("migrations").unwrap();
        let mut all: Vec<Box<dyn Migration<diesel::pg::Pg>>> = source.migrations().unwrap();
        all.sort_by_key(|migration| migration.name().to_string());
        let known = all.iter().filter(|one| one.name().version().to_string() <= until);
        known.map(|migration| drop(harness.run_migration(migration.as_ref()).unwrap())).count()
    })
    .await
    .unwrap();
    assert!(known > 0, "the world names the migration {}, which is not there", world.migration);
    let mut connection = AsyncPgConnection::establish(&database).await.unwrap();
    let mut waiting: Vec<(&String, &Vec<String>)> = tables.iter().collect();
    while !waiting.is_empty() {
        let (before, mut refused) = (waiting.len(), Vec::new());
        for (table, rows) in waiting {
            let own = texts(&mut connection, &format!("{}'{table}'::regclass", database::COLUMNS)).await.join(", ");
            let insert = format!(
                "INSERT INTO {table} ({own}) SELECT {own} FROM json_populate_recordset(null::{table}, $1::json)"
            );
            let rows_json = format!("[{}]", rows.join(","));
            if let Err(error) = diesel::sql_query(insert).bind::<Text, _>(rows_json).execute(&mut connection).await {
                refused.push((table, rows, error));
            }
        }
        assert!(refused.len() < before, "{}: {}", refused[0].0, refused[0].2);
        waiting = refused.into_iter().map(|(table, rows, _)| (table, rows)).collect();
    }
    broadside::db::Db::new(&database, 2, None).unwrap().migrate().await.unwrap();
    database
}

/// A node that serves a loaded world from the moment of its freeze.
async fn wake(world: &World, tables: &BTreeMap<String, Vec<String>>) -> TestApp {
    let clock = Arc::new(AtomicI64::new(world.now_ms));
    TestApp::on(load(world, tables).await, clock, Setup::default()).await
}

fn player(app: &TestApp, world: &World, name: &str) -> Player {
    Player {
        app: app.clone(),
        name: name.to_owned(),
        id: String::new(),
        token: world.tokens[name].clone(),
        refresh_token: String::new(),
        password: String::new(),
    }
}

async fn is_sound(app: &TestApp) {
    let audit = audit::audit(&app.app.matches, None).await.unwrap();
    assert!(audit.faults.is_empty(), "{:?}", audit.faults);
    for pool in ids(app, "SELECT DISTINCT pool AS text FROM ratings").await {
        let verified = verify::verify(&app.app.db, &pool.parse::<Pool>().unwrap()).await.unwrap();
        assert!(verified.wrong.is_none(), "{pool}: {:?}", verified.wrong);
    }
}

/// Folds every log, compares the records, and plays every running match to its end by examples.
async fn lives_on(world: &World, tables: &BTreeMap<String, Vec<String>>) {
    let app = wake(world, tables).await;
    is_sound(&app).await;
    assert_eq!(records(&app).await, world.records, "a record is not what it was");
    for (id, names) in &world.running {
        let players: Vec<Player> = names.iter().map(|name| player(&app, world, name)).collect();
        let end = plays_out(&players.iter().collect::<Vec<_>>(), id, 4000).await;
        assert!(["finished", "aborted"].contains(&end["status"].as_str().unwrap()), "{end}");
    }
    app.delivers().await;
    for _ in 0..10 {
        app.passes_s(86_400).await;
    }
    let orders = "SELECT match_id::text AS text FROM standing_orders";
    assert!(ids(&app, orders).await.is_empty(), "a standing order has outlived its match");
    let open = "SELECT match_id::text AS text FROM match_heads WHERE status NOT IN ('finished', 'aborted')";
    assert!(ids(&app, open).await.len() < 10, "matches of contests go on by themselves, and nothing else");
    is_sound(&app).await;
    records(&app).await;
}

/// The stored worlds, oldest first.
fn worlds() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/worlds");
    let entries = std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
    let mut worlds: Vec<PathBuf> = entries.filter(|path| path.join("world.json").exists()).collect();
    worlds.sort();
    worlds
}

#[actix_web::test]
async fn every_frozen_world_lives_on() {
    let worlds = worlds();
    assert!(!worlds.is_empty(), "no world is kept in tests/worlds");
    for folder in worlds {
        lives_on(&World::read(&folder), &read_tables(&folder)).await;
    }
}

#[actix_web::test]
async fn a_world_survives_being_frozen() {
    let app = TestApp::start().await;
    let world = make(&app).await;
    let tables = dump(&app.database).await;
    let temporary = tempfile::tempdir().unwrap();
    let wanted = std::env::var_os("BROADSIDE_FREEZE").map(PathBuf::from);
    let folder = wanted.as_deref().unwrap_or(temporary.path());
    assert!(!folder.join("world.json").exists(), "{} is there already, and is never made again", folder.display());
    write(folder, &world, &tables);
    let read = read_tables(folder);
    let rows = |tables: &BTreeMap<String, Vec<String>>| tables.values().map(Vec::len).sum::<usize>();
    assert_eq!(rows(&read), rows(&tables));
    let loaded = load(&World::read(folder), &read).await;
    assert_eq!(dump(&loaded).await, tables, "a row changed on its way through the files");
}

#[actix_web::test]
async fn a_changed_row_of_a_frozen_world_is_found() {
    let folder = worlds().pop().unwrap();
    let (world, mut tables) = (World::read(&folder), read_tables(&folder));
    let ledger = tables.get_mut("rating_changes").unwrap();
    ledger[0] = ledger[0].replacen("\"after_rating\":1", "\"after_rating\":2", 1);
    let app = wake(&world, &tables).await;
    let audit = audit::audit(&app.app.matches, None).await.unwrap();
    let pools = ids(&app, "SELECT DISTINCT pool AS text FROM ratings").await;
    let mut wrong = audit.faults.len();
    for pool in pools {
        wrong +=
            usize::from(verify::verify(&app.app.db, &pool.parse::<Pool>().unwrap()).await.unwrap().wrong.is_some());
    }
    assert!(wrong > 0, "the ledger was changed, and nobody noticed");
}
