//! A cluster from the operator's view: killed, restarted, started twice, put into awkward folders.
//!
//! The installation of the server programs is not tested here: a machine that runs the tests has them.
#![allow(clippy::disallowed_methods, reason = "a test measures time and starts programs")]
#![allow(clippy::expect_used, reason = "a test says what it expects by failing")]

use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs};

use private_postgres::{Cluster, Durability, Error, Options};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use tempfile::TempDir;
use tokio_postgres::NoTls;

const TIMEOUT: Duration = Duration::from_secs(20);
/// The variable that tells [`holds_a_cluster_until_killed`], in a process of its own, the folder of its cluster.
const FOLDER_VARIABLE: &str = "PRIVATE_POSTGRES_TEST_FOLDER";

fn options(folder: &Path, durability: Durability) -> Options {
    Options { durability, note: "a test".to_owned(), ..Options::new(folder) }
}

async fn start(folder: &Path, durability: Durability) -> Cluster {
    Cluster::start(options(folder, durability)).await.expect("the cluster starts")
}

async fn run(cluster: &Cluster, statements: &str) -> Result<(), String> {
    run_in(cluster, "app", statements).await
}

async fn run_in(cluster: &Cluster, database: &str, statements: &str) -> Result<(), String> {
    let address = cluster.connection_string(database);
    let (client, connection) = tokio_postgres::connect(&address, NoTls).await.map_err(|error| error.to_string())?;
    let connection = tokio::spawn(connection);
    let result = client.batch_execute(statements).await.map_err(|error| format!("{error:?}"));
    drop(client);
    let _ = connection.await;
    result
}

/// Fails unless the table `kept` holds exactly one row with this number.
async fn expect_kept(cluster: &Cluster, number: i32) {
    let check = format!("DO $$ BEGIN ASSERT (SELECT array_agg(n) FROM kept) = ARRAY[{number}]; END $$");
    run(cluster, &check).await.expect("the row is there, once");
}

fn postmaster(folder: &Path) -> Pid {
    let text = fs::read_to_string(pid_file(folder)).expect("a running cluster has a pid file");
    let number = text.lines().next().expect("its first line is the process number");
    Pid::from_raw(number.parse().expect("it is a number")).expect("and a possible one")
}

fn pid_file(folder: &Path) -> PathBuf {
    folder.join("postgres/data/postmaster.pid")
}

fn lives(process: Pid) -> bool {
    test_kill_process(process).is_ok()
}

async fn until(what: &str, mut condition: impl AsyncFnMut() -> bool) {
    let started = Instant::now();
    while !condition().await {
        assert!(started.elapsed() < TIMEOUT, "waited too long until {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_written_is_there_after_a_restart() {
    let folder = TempDir::new().expect("a folder");
    let cluster = start(folder.path(), Durability::Full).await;
    run(&cluster, "CREATE TABLE kept (n int); INSERT INTO kept VALUES (7)").await.expect("it takes a row");
    let process = postmaster(folder.path());
    cluster.stop().await.expect("it stops");
    assert!(!lives(process), "stopped means gone");

    let cluster = start(folder.path(), Durability::Full).await;
    expect_kept(&cluster, 7).await;
    run(&cluster, "DO $$ BEGIN ASSERT current_setting('fsync') = 'on'; END $$").await.expect("it syncs");
    // Dropped, it is gone as well, and the folder free at once.
    drop(cluster);
    expect_kept(&start(folder.path(), Durability::Full).await, 7).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_instance_refuses_and_names_the_first() {
    let folder = TempDir::new().expect("a folder");
    let first = start(folder.path(), Durability::Throwaway).await;
    let error = Cluster::start(options(folder.path(), Durability::Throwaway)).await.expect_err("the folder is taken");
    let text = error.to_string();
    assert!(matches!(error, Error::InUse { .. }), "{text}");
    assert!(text.contains(&format!("process {}, a test", std::process::id())), "{text}");
    run(&first, "SELECT 1").await.expect("the first is unharmed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_reaches_it_over_a_network_and_its_folder_is_closed() {
    let folder = TempDir::new().expect("a folder");
    let cluster = start(folder.path(), Durability::Throwaway).await;
    let check = "DO $$ BEGIN
        ASSERT current_setting('listen_addresses') = '';
        ASSERT NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user);
    END $$";
    run(&cluster, check).await.expect("no address to listen on, and no superuser");
    let metadata = fs::metadata(folder.path().join("postgres")).expect("the cluster's folder");
    assert_eq!(metadata.permissions().mode() & 0o777, 0o700);
    let process = fs::metadata(format!("/proc/{}", postmaster(folder.path()).as_raw_nonzero()));
    if let Ok(process) = process {
        assert_ne!(process.uid(), 0, "PostgreSQL runs as root");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_cluster_comes_back_with_all_that_was_acknowledged() {
    let folder = TempDir::new().expect("a folder");
    let cluster = start(folder.path(), Durability::Full).await;
    run(&cluster, "CREATE TABLE kept (n int); INSERT INTO kept VALUES (8)").await.expect("it takes a row");
    for _ in 0..3 {
        let killed = postmaster(folder.path());
        kill_process(killed, Signal::KILL).expect("we may kill it");
        until("another one has taken its place", async || {
            let pid_file = fs::read_to_string(pid_file(folder.path())).unwrap_or_default();
            !pid_file.starts_with(&format!("{}\n", killed.as_raw_nonzero())) && run(&cluster, "SELECT 1").await.is_ok()
        })
        .await;
        expect_kept(&cluster, 8).await;
    }
}

/// SIGTERM lets open sessions go on and refuses new ones, SIGINT ends them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shutdown_that_its_owner_did_not_ask_for_is_ended_and_it_is_started_again() {
    for (durability, signal) in
        [(Durability::Full, Signal::TERM), (Durability::Full, Signal::INT), (Durability::Throwaway, Signal::TERM)]
    {
        let folder = TempDir::new().expect("a folder");
        let cluster = start(folder.path(), durability).await;
        run(&cluster, "CREATE TABLE kept (n int); INSERT INTO kept VALUES (7)").await.expect("it takes a row");
        let session = tokio_postgres::connect(&cluster.connection_string("app"), NoTls).await.expect("a session");
        let (_client, connection) = session;
        tokio::spawn(connection);
        let before = postmaster(folder.path());
        kill_process(before, signal).expect("it can be told");
        until("another one has taken its place", async || {
            let pid_file = fs::read_to_string(pid_file(folder.path())).unwrap_or_default();
            !pid_file.starts_with(&format!("{}\n", before.as_raw_nonzero())) && run(&cluster, "SELECT 1").await.is_ok()
        })
        .await;
        expect_kept(&cluster, 7).await;
        cluster.stop().await.expect("it stops");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn its_status_says_why_it_does_not_come_back() {
    let (folder, programs) = (TempDir::new().expect("a folder"), TempDir::new().expect("another"));
    fs::set_permissions(programs.path(), fs::Permissions::from_mode(0o755)).expect("it is ours");
    let installed = start(folder.path(), Durability::Throwaway).await.programs().to_owned();
    // A PostgreSQL that finds no room while there is this file.
    let full = programs.path().join("full");
    for name in ["postgres", "initdb"] {
        let (path, real) = (programs.path().join(name), installed.join(name));
        let script = format!(
            "#!/bin/sh\n[ -e {} ] && {{ echo 'FATAL: No space left on device' >&2; exit 1; }}\nexec {} \"$@\"\n",
            full.display(),
            real.display()
        );
        fs::write(&path, script).expect("it is written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
    }
    let folder = TempDir::new().expect("a folder");
    let options = Options { programs: Some(programs.path().to_owned()), ..options(folder.path(), Durability::Full) };
    let cluster = Cluster::start(options).await.expect("it starts");
    let status = cluster.status();
    assert_eq!(status.trouble(), None);
    fs::write(&full, "").expect("it is written");
    kill_process(postmaster(folder.path()), Signal::KILL).expect("we may kill it");
    until("it says why", async || status.trouble().is_some_and(|why| why.contains("No space left on device"))).await;
    fs::remove_file(&full).expect("it was there");
    until("it is back", async || status.trouble().is_none() && run(&cluster, "SELECT 1").await.is_ok()).await;
    cluster.stop().await.expect("it stops");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_dies_with_its_owner_even_when_that_is_killed() {
    let folder = TempDir::new().expect("a folder");
    for starts_at_once in [false, true] {
        let mut owner = Command::new(env::current_exe().expect("this test binary"))
            .args(["--exact", "holds_a_cluster_until_killed", "--ignored", "--nocapture"])
            .env(FOLDER_VARIABLE, folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .expect("it runs again");
        until("the owner's cluster is ready", async || {
            fs::read_to_string(pid_file(folder.path())).is_ok_and(|text| text.contains("ready"))
        })
        .await;
        let orphan = postmaster(folder.path());
        owner.kill().expect("SIGKILL");
        owner.wait().expect("it is dead");
        if starts_at_once {
            let cluster = start(folder.path(), Durability::Full).await;
            assert!(!lives(orphan), "two servers on one folder");
            run(&cluster, "SELECT 1").await.expect("the new one answers");
        } else {
            until("the dead owner's PostgreSQL is gone", async || !lives(orphan)).await;
        }
    }
}

/// The process that the test above kills; it is no test by itself.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a part of it_dies_with_its_owner_even_when_that_is_killed"]
async fn holds_a_cluster_until_killed() {
    let folder = env::var_os(FOLDER_VARIABLE).expect("it is started by the other test");
    let _cluster = start(Path::new(&folder), Durability::Full).await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    panic!("nobody killed it");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_leftover_pid_file_that_names_another_process_is_no_obstacle() {
    let folder = TempDir::new().expect("a folder");
    let cluster = start(folder.path(), Durability::Full).await;
    let text = fs::read_to_string(pid_file(folder.path())).expect("a pid file");
    run(&cluster, "CREATE TABLE kept (n int); INSERT INTO kept VALUES (9)").await.expect("it takes a row");
    cluster.stop().await.expect("it stops");

    // A process of the cluster's own account: PostgreSQL takes no other for a server.
    let owner = fs::metadata(folder.path().join("postgres/data")).expect("the data");
    let mut sleep = Command::new("sleep");
    sleep.arg("60");
    if rustix::process::geteuid().is_root() {
        sleep.uid(owner.uid());
    }
    let mut other = sleep.spawn().expect("some other process");
    let rest = text.split_once('\n').expect("several lines").1;
    fs::write(pid_file(folder.path()), format!("{}\n{rest}", other.id())).expect("a stale file");
    chown(pid_file(folder.path()), Some(owner.uid()), Some(owner.gid())).expect("as PostgreSQL leaves it");
    let socket_lock = folder.path().join("postgres/.s.PGSQL.5432.lock");
    fs::write(&socket_lock, format!("{}\n{rest}", other.id())).expect("another one");

    let cluster = start(folder.path(), Durability::Full).await;
    expect_kept(&cluster, 9).await;
    assert!(other.try_wait().expect("a child of ours").is_none(), "the other process was ended");
    other.kill().expect("it goes now");
    other.wait().expect("it is gone");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_throwaway_cluster_leaves_nothing_and_touches_no_kept_one() {
    let folder = TempDir::new().expect("a folder");
    let data = folder.path().join("postgres/data");
    let cluster = start(folder.path(), Durability::Throwaway).await;
    assert!(data.exists());
    cluster.stop().await.expect("it stops");
    assert!(!data.exists(), "the files are still there");

    start(folder.path(), Durability::Full).await.stop().await.expect("it stops");
    let error = Cluster::start(options(folder.path(), Durability::Throwaway)).await.expect_err("it is to be kept");
    assert!(error.to_string().contains("needs a folder of its own"), "{error}");
    assert!(data.exists(), "the kept cluster is gone");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_path_too_long_for_a_socket_or_with_odd_letters_serves_as_well() {
    let folder = TempDir::new().expect("a folder");
    for name in ["x".repeat(100), "it's, \\ \"odd\"".to_owned()] {
        let cluster = start(&folder.path().join(name), Durability::Throwaway).await;
        run(&cluster, "SELECT 1").await.expect("it answers");
        cluster.stop().await.expect("it stops");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_folder_that_the_account_cannot_reach_is_refused_with_the_reason() {
    if !rustix::process::geteuid().is_root() {
        // Only root runs the cluster under another account.
        return;
    }
    let closed = TempDir::new().expect("a folder");
    fs::set_permissions(closed.path(), fs::Permissions::from_mode(0o700)).expect("it is closed");
    fs::write(closed.path().join("letters"), "not ours").expect("and in use");
    let error =
        Cluster::start(options(&closed.path().join("data"), Durability::Throwaway)).await.expect_err("no way in");
    let text = error.to_string();
    assert!(matches!(error, Error::NoAccess { .. }), "{text}");
    assert!(text.contains(&closed.path().display().to_string()), "{text}");
    let mode = fs::metadata(closed.path()).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o700, "somebody else's folder was opened");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn named_programs_that_are_not_there_are_not_replaced_by_others() {
    let (folder, empty) = (TempDir::new().expect("a folder"), TempDir::new().expect("another"));
    let programs = Some(empty.path().to_owned());
    let error = Cluster::start(Options { programs, ..options(folder.path(), Durability::Throwaway) }).await;
    let error = error.expect_err("there are none");
    let text = error.to_string();
    assert!(matches!(error, Error::NoPrograms { .. }), "{text}");
    assert!(text.contains(&empty.path().display().to_string()), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn names_and_settings_are_options() {
    let folder = TempDir::new().expect("a folder");
    let options = Options {
        application: "shop_2".to_owned(),
        role: r#"o'hara "x""#.to_owned(),
        database: r"stock \ 'one'".to_owned(),
        settings: "work_mem = 5MB\njit = off".to_owned(),
        ..options(folder.path(), Durability::Throwaway)
    };
    let cluster = Cluster::start(options.clone()).await.expect("the cluster starts");
    let check = r#"DO $$ BEGIN
        ASSERT current_user = 'o''hara "x"';
        ASSERT current_database() = 'stock \ ''one''';
        ASSERT current_setting('cluster_name') = 'shop_2';
        ASSERT current_setting('work_mem') = '5MB' AND current_setting('jit') = 'off';
    END $$"#;
    run_in(&cluster, &options.database, check).await.expect("all of them hold");
    assert!(folder.path().join("shop_2.lock").exists());
    let second = Cluster::start(options).await.expect_err("the folder is locked");
    assert!(matches!(second, Error::InUse { .. }), "{second}");
}

#[tokio::test]
async fn an_unusable_name_is_refused_before_anything_is_made() {
    let parent = TempDir::new().expect("a folder");
    let folder = parent.path().join("data");
    let valid = options(&folder, Durability::Throwaway);
    let wrong = [
        ("application", Options { application: "../etc".to_owned(), ..valid.clone() }),
        ("application", Options { application: String::new(), ..valid.clone() }),
        ("role", Options { role: "a\nb".to_owned(), ..valid.clone() }),
        ("role", Options { role: String::new(), ..valid.clone() }),
        ("database", Options { database: "x".repeat(64), ..valid }),
    ];
    for (name, options) in wrong {
        let error = Cluster::start(options).await.expect_err("it can't be used");
        assert!(matches!(error, Error::InvalidOption { option, .. } if option == name), "{error}");
    }
    assert!(!folder.exists(), "the folder was created");
}
