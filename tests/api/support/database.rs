//! A throw-away PostgreSQL cluster for the whole run, and a fresh database for each test.
//!
//! The cluster starts with the first test and dies with the process. Databases are copied from a template that is
//! migrated once, and dropped when their test is over. A database has a thousand files, so the cluster is in memory if
//! there is room: on a disk, making those files can take half of the time of all tests.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};

use broadside::database::cluster_options;
use broadside::db::Db;
use diesel_async::{AsyncConnection, AsyncPgConnection, SimpleAsyncConnection};
use private_postgres::{Cluster, Durability, Options};

static NEXT: AtomicU32 = AtomicU32::new(0);

/// Environment variable with the number of workers: databases are then distributed by Citus, which must be installed.
const WORKERS: &str = "BROADSIDE_TESTS_CITUS_WORKERS";
/// Settings of Citus for some hundred databases, each with a clean-up process.
const CITUS: &str = "
shared_preload_libraries = 'citus'
max_worker_processes = 400
max_prepared_transactions = 200
citus.recover_2pc_interval = '1s'
citus.node_conninfo = 'sslmode=disable'
";
const TEMPLATE: &str = "template_broadside";

/// An event as a row of a log stores it.
pub const STORED_EVENT: &str = "challenge-withdrawn \"at\":\"2026-11-21T07:30:00.000Z\",\
    \"challenge_id\":\"0199c2a8-7d4e-7c3a-9f10-5b1e6a2d8c47\",\"type\":\"challenge-withdrawn\"}";

/// The address of a new, empty, migrated database.
pub async fn fresh() -> String {
    create("TEMPLATE template_broadside STRATEGY file_copy").await
}

/// The address of a new database without any tables.
pub async fn empty() -> String {
    create("").await
}

/// The databases of finished tests.
static OVER: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// The databases of one test, which has a thread of its own.
struct OfOneTest(RefCell<Vec<String>>);

impl Drop for OfOneTest {
    fn drop(&mut self) {
        OVER.lock().unwrap().append(&mut self.0.borrow_mut());
    }
}

thread_local! {
    static OWN: OfOneTest = const { OfOneTest(RefCell::new(Vec::new())) };
}

/// The address of a new database. Drops those of finished tests.
async fn create(like: &str) -> String {
    let cluster = cluster();
    let over: Vec<String> = std::mem::take(&mut *OVER.lock().unwrap());
    for name in over {
        // A database under PostgreSQL's own clean-up is dropped with the next.
        if everywhere(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await.is_err() {
            OVER.lock().unwrap().push(name);
        }
    }
    let name = format!("test_{}", NEXT.fetch_add(1, Ordering::SeqCst));
    everywhere(&format!("CREATE DATABASE {name} OWNER broadside {like}")).await.unwrap();
    OWN.with(|own| own.0.borrow_mut().push(name.clone()));
    cluster.connection_string(&name)
}

/// Runs SQL, as an operator could.
pub async fn execute(database: &str, sql: &str) {
    let mut connection = AsyncPgConnection::establish(database).await.unwrap();
    connection.batch_execute(sql).await.unwrap();
}

/// The columns of a table, as `text`, without generated ones. The table's name follows.
pub const COLUMNS: &str = "SELECT quote_ident(attname) AS text FROM pg_attribute \
     WHERE attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attrelid = ";

/// Runs SQL outside the tests' databases, on the workers first.
async fn everywhere(sql: &str) -> diesel::QueryResult<()> {
    let coordinator = cluster();
    for cluster in workers().iter().chain([coordinator]) {
        // Citus's clean-up processes belong to the superuser.
        let (owner, superuser) =
            (cluster.connection_string("postgres"), cluster.superuser_connection_string("postgres"));
        let address = if are_distributed() { superuser } else { owner };
        let mut connection = AsyncPgConnection::establish(&address).await.unwrap();
        connection.batch_execute(sql).await?;
    }
    Ok(())
}

/// The workers of a distributed database. Empty if it isn't distributed, or all of it is on the coordinator.
fn workers() -> &'static [Cluster] {
    static CLUSTERS: OnceLock<Vec<Cluster>> = OnceLock::new();
    CLUSTERS.get_or_init(|| {
        let number = |number: u32| {
            let name = format!("{}-worker-{number}", std::process::id());
            start(throwaway(&name), TEMPLATE)
        };
        (0..wanted_workers().unwrap_or(0)).map(number).collect()
    })
}

pub fn are_distributed() -> bool {
    wanted_workers().is_some()
}

fn wanted_workers() -> Option<u32> {
    std::env::var_os(WORKERS).map(|number| number.to_str().unwrap().parse().unwrap())
}

fn throwaway(name: &str) -> Options {
    let mut options = cluster_options(&folder(name));
    if are_distributed() {
        options.settings.push_str(CITUS);
    }
    Options { durability: Durability::Throwaway, note: "tests".to_owned(), ..options }
}

/// Leaves a commit unfinished on a database's first worker, as after a crash: prepared there, and recorded as
/// committed. Citus finishes it within about a second. False if there is no worker.
pub async fn leave_on_the_way(database: &str, transaction: &str) -> bool {
    let Some(worker) = workers().first() else { return false };
    let (_, name) = database.rsplit_once("dbname=").unwrap();
    let name = name.trim_matches('\'');
    let prepare = format!("BEGIN; SELECT txid_current(); PREPARE TRANSACTION '{transaction}'");
    execute(&worker.superuser_connection_string(name), &prepare).await;
    let note = format!(
        "INSERT INTO pg_dist_transaction (groupid, gid) \
         SELECT min(groupid), '{transaction}' FROM pg_dist_node WHERE groupid > 0"
    );
    execute(&cluster().superuser_connection_string(name), &note).await;
    true
}

/// Distributes the template.
async fn distribute(coordinator: &Cluster) {
    let address = |cluster: &Cluster| {
        let text = cluster.connection_string("postgres");
        let value = |name: &str| {
            let rest = &text[text.find(name).unwrap() + name.len()..];
            rest.split(' ').next().unwrap().trim_matches('\'').to_owned()
        };
        format!("'{}', {}", value("host="), value("port="))
    };
    let superuser = coordinator.superuser_connection_string(TEMPLATE);
    for cluster in workers().iter().chain([coordinator]) {
        execute(&cluster.superuser_connection_string(TEMPLATE), "CREATE EXTENSION citus").await;
    }
    execute(&superuser, &format!("SELECT citus_set_coordinator_host({})", address(coordinator))).await;
    for worker in workers() {
        execute(&superuser, &format!("SELECT citus_add_node({})", address(worker))).await;
    }
    if workers().is_empty() {
        let all = "SELECT citus_set_node_property(nodename, nodeport, 'shouldhaveshards', true) FROM pg_dist_node";
        execute(&superuser, all).await;
    }
    let db = Db::new(&coordinator.connection_string(TEMPLATE), 2, None).unwrap();
    assert!(db.distribute(4).await.unwrap().is_ok());
    // A database can't be copied while the clean-up process is connected.
    for cluster in workers().iter().chain([coordinator]) {
        let alone = format!(
            "UPDATE pg_database SET datallowconn = false WHERE datname = '{TEMPLATE}'; \
             SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{TEMPLATE}'"
        );
        execute(&cluster.superuser_connection_string("postgres"), &alone).await;
    }
}

/// The cluster of this run.
pub fn cluster() -> &'static Cluster {
    static CLUSTER: OnceLock<Cluster> = OnceLock::new();
    CLUSTER.get_or_init(|| {
        sweep_up();
        start(throwaway(&std::process::id().to_string()), TEMPLATE)
    })
}

/// A cluster for one test, as durable as an operator's except for these settings; the tables are in the database
/// `broadside_test`.
pub fn cluster_with(settings: &str) -> Cluster {
    let number = NEXT.fetch_add(1, Ordering::SeqCst);
    let mut options = cluster_options(&folder(&format!("{}-{number}", std::process::id())));
    options.settings.push_str(settings);
    start(options, "broadside_test")
}

/// A folder for a standby of such a cluster.
pub fn standby_folder() -> PathBuf {
    folder(&format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::SeqCst)))
}

/// Starts a cluster on a thread of its own, with a runtime that outlives every test, and migrates a new database.
fn start(options: Options, database: &'static str) -> Cluster {
    let (sender, receiver) = std::sync::mpsc::channel();
    let folder = options.folder.to_string_lossy().into_owned();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        runtime.block_on(async {
            let cluster = Cluster::start(options).await.unwrap();
            execute(&cluster.connection_string("postgres"), &format!("CREATE DATABASE {database}")).await;
            if !folder.contains("worker") {
                Db::new(&cluster.connection_string(database), 2, None).unwrap().migrate().await.unwrap();
                if database == TEMPLATE && are_distributed() {
                    distribute(&cluster).await;
                }
            }
            sender.send(cluster).unwrap();
            std::future::pending::<()>().await;
        });
    });
    receiver.recv().unwrap()
}

fn folder(name: &str) -> PathBuf {
    let memory = Path::new(MEMORY);
    let parent = if has_room(memory) { memory.to_path_buf() } else { std::env::temp_dir() };
    parent.join(format!("broadside-tests-{name}"))
}

/// A folder in memory, on Linux.
const MEMORY: &str = "/dev/shm";

/// Two gigabytes fit there. (Containers often have 64 megabytes.)
fn has_room(memory: &Path) -> bool {
    const LEAST_KIB: u64 = 2 << 20;
    let mounts = fs::read_to_string("/proc/mounts").unwrap_or_default();
    let mut mounts = mounts.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    let options = mounts.find_map(|mount| match mount[..] {
        [_, at, "tmpfs", options, ..] if Path::new(at) == memory => Some(options.to_owned()),
        _ => None,
    });
    let Some(options) = options else { return false };
    let size =
        options.split(',').find_map(|option| option.strip_prefix("size=")?.strip_suffix('k')?.parse::<u64>().ok());
    size.is_none_or(|size| size >= LEAST_KIB)
}

/// Removes the remains of earlier runs: a process can't remove its own cluster's folder on exit.
fn sweep_up() {
    let folders = [PathBuf::from(MEMORY), std::env::temp_dir()];
    for entry in folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten() {
        let name = entry.file_name();
        let process = name
            .to_str()
            .and_then(|name| name.strip_prefix("broadside-tests-")?.split('-').next()?.parse::<u32>().ok());
        if process.is_some_and(|process| !Path::new(&format!("/proc/{process}")).exists()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
