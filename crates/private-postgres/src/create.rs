//! Creates a cluster: `initdb`, the settings, the role and the database, all in a directory beside the final one. The
//! last step renames it, so a cluster is either complete or absent, whatever interrupts this.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;

use crate::Error;
use crate::folder::Folder;
use crate::leftovers::wait_until_gone;
use crate::options::{Durability, Options};
use crate::server::Server;

/// The file that marks a cluster which was written without syncing, and is removed rather than used again.
const THROWAWAY: &str = "throwaway";

/// The settings that the operator may tune. Mandatory ones are on the command line.
const SETTINGS: &str = "
# Written when this cluster was created. These are yours to change; they are read at every start.
max_connections = 100
shared_buffers = 128MB
timezone = 'UTC'
log_timezone = 'UTC'
log_line_prefix = '%m [%p] '
log_checkpoints = off
";

/// The major version that created the folder's cluster, or `None` without one to keep: a throwaway one left behind by a
/// killed process is removed here.
pub(crate) fn existing_version(folder: &Folder, options: &Options) -> Result<Option<u32>, Error> {
    let data = folder.data();
    if !data.exists() {
        return Ok(None);
    }
    if data.join(THROWAWAY).exists() {
        tracing::info!(data = %data.display(), "removing a leftover throwaway cluster");
        remove(&data, options)?;
        return Ok(None);
    }
    if options.durability == Durability::Throwaway {
        return Err(Error::failed(
            format!("{} is a cluster to be kept", data.display()),
            "a throwaway cluster, which never syncs and is removed when it stops, needs a folder of its own",
        ));
    }
    let path = data.join("PG_VERSION");
    let text = fs::read_to_string(&path).map_err(Error::io("read", &path))?;
    match text.trim().parse() {
        Ok(version) => Ok(Some(version)),
        Err(_) => Err(Error::failed(format!("{} does not hold a version", path.display()), text)),
    }
}

/// Creates the cluster of `server`, which must not exist.
pub(crate) fn create(server: &Server) -> Result<(), Error> {
    let unfinished = server.cluster_directory.join("data.new");
    if unfinished.exists() {
        remove(&unfinished, &server.options)?;
    }
    tracing::info!(data = %server.data.display(), programs = %server.programs.display(), account = server.account.name,
        "creating the private PostgreSQL cluster");
    initdb(server, &unfinished)?;
    let settings = unfinished.join("postgresql.conf");
    let lines = format!("{SETTINGS}{}\n", server.options.settings.trim_end());
    OpenOptions::new()
        .append(true)
        .open(&settings)
        .and_then(|mut file| file.write_all(lines.as_bytes()).and_then(|()| file.sync_all()))
        .map_err(Error::io("write", &settings))?;
    create_database(server, &unfinished)?;
    if server.is_throwaway() {
        let mark = unfinished.join(THROWAWAY);
        File::create(&mark).map_err(Error::io("write", &mark))?;
        server.account.chown(&mark)?;
    }
    fs::rename(&unfinished, &server.data).map_err(Error::io("finish", &server.data))?;
    File::open(&server.cluster_directory)
        .and_then(|directory| directory.sync_all())
        .map_err(Error::io("sync", &server.cluster_directory))
}

/// Removes the cluster in `data` as soon as no process uses it.
fn remove(data: &Path, options: &Options) -> Result<(), Error> {
    wait_until_gone(data, &options.application, &|| false)?;
    fs::remove_dir_all(data).map_err(Error::io("remove", data))
}

/// UTF-8, and the locale C: text is ordered by its code points, the same on every machine and in every version, so that
/// no index ever depends on the system's locale library.
fn initdb(server: &Server, data: &Path) -> Result<(), Error> {
    let mut arguments = vec![format!("--pgdata={}", data.display())];
    let fixed = [
        "--username=postgres",
        "--auth=trust",
        "--encoding=UTF8",
        "--locale=C",
        "--data-checksums",
        "--no-instructions",
    ];
    arguments.extend(fixed.map(str::to_owned));
    if server.is_throwaway() {
        arguments.push("--no-sync".to_owned());
    }
    let program = server.programs.join("initdb");
    server.guarded(&program, arguments, None).run("initdb, which creates a cluster,")
}

/// In single-user mode, where each line is one statement: no client is needed, and nobody can connect before the
/// database is there.
fn create_database(server: &Server, data: &Path) -> Result<(), Error> {
    let statements = server.cluster_directory.join("new.sql");
    let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    let (role, database) = (quoted(&server.options.role), quoted(&server.options.database));
    let text = format!("CREATE ROLE {role} LOGIN CREATEDB\nCREATE DATABASE {database} OWNER {role}\n");
    fs::write(&statements, text).map_err(Error::io("write", &statements))?;
    server.account.chown(&statements)?;
    let mut arguments = vec!["--single".to_owned(), "-D".to_owned(), data.display().to_string()];
    arguments.extend(["-c", "exit_on_error=on", "-c", "log_min_messages=warning"].map(str::to_owned));
    if server.is_throwaway() {
        arguments.extend(["-c", "fsync=off"].map(str::to_owned));
    }
    arguments.push("postgres".to_owned());
    let program = server.programs.join("postgres");
    server.guarded(&program, arguments, Some(&statements)).run("creating the role and the database")?;
    fs::remove_file(&statements).map_err(Error::io("remove", &statements))
}
