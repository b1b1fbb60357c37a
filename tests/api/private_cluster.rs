//! What the service makes of the private PostgreSQL: the names that operators and their folders rely on, and the way
//! out when there are no programs. How a cluster behaves is tested in `crates/private-postgres`.

use std::fs;
use std::path::Path;

use broadside::config::Database;
use broadside::serve::{self, cluster_options};
use private_postgres::{Cluster, Durability, Options};
use tempfile::TempDir;

use crate::support::database::execute;

fn settings(folder: &Path, programs: Option<&Path>) -> Database {
    Database { database_url: None, data: folder.to_owned(), postgres_programs: programs.map(Path::to_owned) }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_folder_has_the_names_that_operations_md_gives() {
    let folder = TempDir::new().expect("a folder");
    let (db, cluster) = serve::database(&settings(folder.path(), None), 1, None, "a test").await.expect("it starts");
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
    let error = serve::database(&settings(folder.path(), Some(empty.path())), 1, None, "a test").await;
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
        serve::database(&settings(folder.path(), None), 1, None, "a test").await.err().expect("the folder is taken");
    assert!(error.contains("in use") && error.contains("http://first"), "{error}");
}
