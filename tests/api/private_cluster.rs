//! The service's use of the private PostgreSQL: the names that operators and their folders rely on, and the alternative
//! without its programs. The cluster's behaviour is tested in `crates/private-postgres`.

use std::fs;
use std::path::Path;
use std::process::Command;

use broadside::config::Database;
use broadside::database::{self, cluster_options};
use private_postgres::{Cluster, Durability, Options};
use tempfile::TempDir;

use crate::support::database::execute;

fn settings(folder: &Path, programs: Option<&Path>) -> Database {
    Database { database_url: None, data: folder.to_owned(), postgres_programs: programs.map(Path::to_owned) }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_folder_has_the_names_that_operations_md_gives() {
    let folder = TempDir::new().expect("a folder");
    let (db, cluster) = database::open(&settings(folder.path(), None), 1, None, "a test").await.expect("it starts");
    drop(db);
    let holder = fs::read_to_string(folder.path().join("broadside.lock")).expect("the lock");
    assert_eq!(holder, format!("process {}, a test\n", std::process::id()));
    let address = format!("host='{}/postgres' user=broadside dbname=broadside", folder.path().display());
    let check = "DO $$ BEGIN
        ASSERT current_setting('cluster_name') = 'broadside';
        ASSERT current_setting('fsync') = 'on' AND current_setting('synchronous_commit') = 'on';
        ASSERT current_setting('log_min_error_statement') = 'panic' AND current_setting('jit') = 'off';
        ASSERT NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user);
    END $$";
    execute(&address, check).await;
    cluster.expect("it is private").stop().await.expect("it stops");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_programs_the_operator_hears_of_database_url() {
    let (folder, empty) = (TempDir::new().expect("a folder"), TempDir::new().expect("another"));
    let error = database::open(&settings(folder.path(), Some(empty.path())), 1, None, "a test").await;
    let error = error.err().expect("there are no programs");
    assert!(error.contains("DATABASE_URL") && error.contains(&empty.path().display().to_string()), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_service_is_told_which_one_uses_the_folder() {
    let folder = TempDir::new().expect("a folder");
    let options = Options {
        durability: Durability::Throwaway,
        note: "http://first".to_owned(),
        ..cluster_options(folder.path())
    };
    let _first = Cluster::start(options).await.expect("it starts");
    let error =
        database::open(&settings(folder.path(), None), 1, None, "a test").await.err().expect("the folder is taken");
    assert!(error.contains("in use") && error.contains("http://first"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_work_beside_a_running_service() {
    let folder = TempDir::new().expect("a folder");
    let (db, cluster) = database::open(&settings(folder.path(), None), 1, None, "a service").await.expect("it starts");
    db.migrate().await.expect("a schema");
    let data = folder.path().to_str().expect("a path").to_owned();
    let run = async |line: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_broadside"));
        command.args(line.split(' ')).args(["--data", &data]).env_remove("DATABASE_URL");
        let output = tokio::task::spawn_blocking(move || command.output()).await.expect("a thread").expect("it runs");
        let said = String::from_utf8([output.stdout, output.stderr].concat()).expect("text");
        (output.status.success(), said)
    };
    for (line, answer) in [
        ("admin list", "0 roles\n"),
        ("audit", "0 matches, 0 entries, 0 faults\n"),
        ("ratings verify", ""),
        ("migrate --pending", ""),
        ("fair-play --json", "{"),
        ("rotate-keys", "new keys sign from now on"),
        ("clocks list", ""),
    ] {
        let (succeeded, said) = run(line).await;
        assert!(succeeded && said.starts_with(answer), "{line}: {said}");
    }
    // Commands that need the folder exclusively still name its holder.
    let (succeeded, said) = run("serve --listen 127.0.0.1:0 --admin-listen 127.0.0.1:0").await;
    assert!(!succeeded && said.contains("in use by another instance") && said.contains("a service"), "{said}");
    db.ping().await.expect("the service's database is still there");
    drop(db);
    cluster.expect("it is private").stop().await.expect("it stops");
    // Without a service, a command starts the cluster and stops it again.
    let (succeeded, said) = run("admin list").await;
    assert!(succeeded && said.starts_with("0 roles"), "{said}");
}
