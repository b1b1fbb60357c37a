//! A throw-away PostgreSQL cluster for the whole run, and a fresh database for each test.
//!
//! The cluster starts with the first test and dies with the process. Databases are copied from a template that is
//! migrated once.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use broadside::db::Db;
use broadside::serve::cluster_options;
use diesel_async::{AsyncConnection, AsyncPgConnection, SimpleAsyncConnection};
use private_postgres::{Cluster, Durability, Options};

static NEXT: AtomicU32 = AtomicU32::new(0);

/// The address of a new, empty, migrated database.
pub async fn fresh() -> String {
    let cluster = cluster();
    let name = format!("test_{}", NEXT.fetch_add(1, Ordering::SeqCst));
    execute(
        &cluster.connection_string("postgres"),
        &format!("CREATE DATABASE {name} TEMPLATE template_broadside STRATEGY file_copy"),
    )
    .await;
    cluster.connection_string(&name)
}

/// The address of a new database with nothing in it, not even tables.
pub async fn empty() -> String {
    let cluster = cluster();
    let name = format!("test_{}", NEXT.fetch_add(1, Ordering::SeqCst));
    execute(&cluster.connection_string("postgres"), &format!("CREATE DATABASE {name}")).await;
    cluster.connection_string(&name)
}

/// Runs SQL, as an operator could.
pub async fn execute(database: &str, sql: &str) {
    let mut connection = AsyncPgConnection::establish(database).await.unwrap();
    connection.batch_execute(sql).await.unwrap();
}

/// The cluster of this run.
pub fn cluster() -> &'static Cluster {
    static CLUSTER: OnceLock<Cluster> = OnceLock::new();
    CLUSTER.get_or_init(|| {
        sweep_up();
        let (sender, receiver) = std::sync::mpsc::channel();
        // The cluster starts on a thread of its own, with a runtime that outlives every test.
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
            runtime.block_on(async {
                let folder = folder(std::process::id());
                let options =
                    Options { durability: Durability::Throwaway, note: "tests".to_owned(), ..cluster_options(&folder) };
                let cluster = Cluster::start(options).await.unwrap();
                execute(&cluster.connection_string("postgres"), "CREATE DATABASE template_broadside").await;
                Db::new(&cluster.connection_string("template_broadside"), 2).unwrap().migrate().await.unwrap();
                sender.send(cluster).unwrap();
                std::future::pending::<()>().await;
            });
        });
        receiver.recv().unwrap()
    })
}

fn folder(process: u32) -> PathBuf {
    std::env::temp_dir().join(format!("broadside-tests-{process}"))
}

/// Removes what earlier runs left behind: a process can't remove its own cluster's folder on its way out.
fn sweep_up() {
    for entry in std::fs::read_dir(std::env::temp_dir()).unwrap().flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix("broadside-tests-")?.parse::<u32>().ok());
        if process.is_some_and(|process| !Path::new(&format!("/proc/{process}")).exists()) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}
