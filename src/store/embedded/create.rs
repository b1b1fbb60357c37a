//! Making a new cluster: `initdb`, the settings, the role and the database, all in a directory beside the final one. The
//! last step is its renaming, so a cluster is either whole or absent, whatever interrupts this.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;

use super::folder::Folder;
use super::keeper::Plan;
use super::{DATABASE, Durability, EmbeddedError, ROLE};

/// Marks a cluster that nobody wants back: it was written without syncing.
const THROWAWAY: &str = "throwaway";

/// The tunable part of the settings. They are the operator's from now on: what must hold is on the command line.
const SETTINGS: &str = "
# Written by Broadside when it made this cluster; yours to tune, read at every start.
max_connections = 100
shared_buffers = 128MB
timezone = 'UTC'
log_timezone = 'UTC'
log_line_prefix = '%m [%p] '
log_checkpoints = off
# Statements can hold what players must not learn of each other: errors are logged without them.
log_min_error_statement = panic
# Every statement is short: compiling one would cost more than running it.
jit = off
";

/// The major version that made the folder's cluster, or `None` when there is none to keep: an unsynced one that a killed
/// test run left behind is removed here.
pub(super) fn major_version(folder: &Folder, durability: Durability) -> Result<Option<u32>, EmbeddedError> {
    let data = folder.data();
    if !data.exists() {
        return Ok(None);
    }
    if data.join(THROWAWAY).exists() {
        tracing::info!(data = %data.display(), "removing the left-over throw-away cluster");
        super::remains::wait_until_gone(&data, &|| false)?;
        fs::remove_dir_all(&data).map_err(EmbeddedError::io("remove", &data))?;
        return Ok(None);
    }
    if durability == Durability::Throwaway {
        return Err(EmbeddedError::failed(
            format!("{} is a cluster to be kept", data.display()),
            "a throw-away cluster, which never syncs and is removed at its end, needs a folder of its own",
        ));
    }
    let path = data.join("PG_VERSION");
    let version = fs::read_to_string(&path).map_err(EmbeddedError::io("read", &path))?;
    match version.trim().parse() {
        Ok(major) => Ok(Some(major)),
        Err(_) => Err(EmbeddedError::failed(format!("{} does not hold a version", path.display()), version)),
    }
}

/// Makes the cluster of `plan`, which must not exist.
pub(super) fn create(plan: &Plan) -> Result<(), EmbeddedError> {
    let unfinished = plan.cluster_folder.join("data.new");
    if unfinished.exists() {
        super::remains::wait_until_gone(&unfinished, &|| false)?;
        fs::remove_dir_all(&unfinished).map_err(EmbeddedError::io("remove", &unfinished))?;
    }
    tracing::info!(data = %plan.data.display(), programs = %plan.programs.display(), account = plan.account.name,
        "making the private PostgreSQL cluster");
    initdb(plan, &unfinished)?;
    let settings = unfinished.join("postgresql.conf");
    OpenOptions::new()
        .append(true)
        .open(&settings)
        .and_then(|mut file| file.write_all(SETTINGS.as_bytes()).and_then(|()| file.sync_all()))
        .map_err(EmbeddedError::io("write", &settings))?;
    make_database(plan, &unfinished)?;
    if plan.durability == Durability::Throwaway {
        let mark = unfinished.join(THROWAWAY);
        File::create(&mark).map_err(EmbeddedError::io("write", &mark))?;
        plan.account.own(&mark)?;
    }
    fs::rename(&unfinished, &plan.data).map_err(EmbeddedError::io("finish", &plan.data))?;
    File::open(&plan.cluster_folder)
        .and_then(|directory| directory.sync_all())
        .map_err(EmbeddedError::io("sync", &plan.cluster_folder))
}

/// UTF-8, and the locale C: text is ordered by its code points, the same on every machine and in every version, so that
/// no index ever depends on the system's locale library.
fn initdb(plan: &Plan, data: &Path) -> Result<(), EmbeddedError> {
    let mut arguments = vec![format!("--pgdata={}", data.display())];
    let fixed = ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-instructions"];
    arguments.extend(fixed.map(str::to_owned));
    if plan.durability == Durability::Throwaway {
        arguments.push("--no-sync".to_owned());
    }
    let program = plan.programs.join("initdb");
    plan.guarded(&program, arguments, None).run("initdb, which makes a new cluster,")
}

/// In single-user mode, where each line is one statement: no client is needed, and no server that others could reach
/// before its database is there.
fn make_database(plan: &Plan, data: &Path) -> Result<(), EmbeddedError> {
    let statements = plan.cluster_folder.join("new.sql");
    let words = format!("CREATE ROLE {ROLE} LOGIN CREATEDB\nCREATE DATABASE {DATABASE} OWNER {ROLE}\n");
    fs::write(&statements, words).map_err(EmbeddedError::io("write", &statements))?;
    plan.account.own(&statements)?;
    let mut arguments = vec!["--single".to_owned(), "-D".to_owned(), data.display().to_string()];
    arguments.extend(["-c", "exit_on_error=on", "-c", "log_min_messages=warning"].map(str::to_owned));
    if plan.durability == Durability::Throwaway {
        arguments.extend(["-c", "fsync=off"].map(str::to_owned));
    }
    arguments.push("postgres".to_owned());
    let program = plan.programs.join("postgres");
    plan.guarded(&program, arguments, Some(&statements)).run("making the role and the database")?;
    fs::remove_file(&statements).map_err(EmbeddedError::io("remove", &statements))
}
