//! The files of a cluster, copied out while the server runs, and put in place of a new cluster.
//!
//! The copy by [`copy`] and [`copy_log`] is a base backup only if the server was told of it before and after
//! (PostgreSQL's documentation, "Making a Base Backup Using the Low Level API"); the caller must write the server's
//! answer into the file `backup_label`.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::Error;
use crate::account::Account;
use crate::folder::{Folder, chmod};
use crate::leftovers::wait_until_gone;
use crate::options::Options;

/// Directories whose files a server recreates when it starts.
const EMPTY: [&str; 8] =
    ["pg_dynshmem", "pg_notify", "pg_replslot", "pg_serial", "pg_snapshots", "pg_stat_tmp", "pg_subtrans", "pg_wal"];
const OF_THE_SERVER: [&str; 2] = ["postmaster.pid", "postmaster.opts"];

/// Copies a cluster's directory `data` to `target`, which is created, except the write-ahead log and the files that a
/// server recreates. Each file is synced.
///
/// # Errors
/// [`Error::Io`], and [`Error::Failed`] when the cluster has tablespaces, whose files are elsewhere.
pub fn copy(data: &Path, target: &Path) -> Result<(), Error> {
    if let Some(parent) = target.parent().filter(|parent| !parent.exists()) {
        DirBuilder::new().recursive(true).mode(0o700).create(parent).map_err(Error::io("create the folder", parent))?;
    }
    let tablespaces = data.join("pg_tblspc");
    if fs::read_dir(&tablespaces).map_err(Error::io("read", &tablespaces))?.next().is_some() {
        return Err(Error::failed("the cluster has tablespaces", "use pg_basebackup"));
    }
    copy_directory(data, target, &|path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let parent = path.parent().and_then(|parent| parent.strip_prefix(data).ok());
        let is_made_anew = parent.is_some_and(|parent| EMPTY.iter().any(|empty| Path::new(empty) == parent));
        is_made_anew || OF_THE_SERVER.contains(&name) || name.starts_with("pgsql_tmp") || name == "pg_internal.init"
    })
}

/// Copies the write-ahead log of the cluster in `data` to the copy in `target`.
///
/// # Errors
/// [`Error::Io`].
pub fn copy_log(data: &Path, target: &Path) -> Result<(), Error> {
    let (log, copy) = (data.join("pg_wal"), target.join("pg_wal"));
    copy_directory(&log, &copy, &|path| path.is_dir())?;
    private_directory(&copy.join("archive_status"))
}

/// Writes a small file beside a copy, whole or not at all.
///
/// # Errors
/// [`Error::Io`].
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let unfinished = path.with_extension("new");
    fs::write(&unfinished, bytes).map_err(Error::io("write", &unfinished))?;
    chmod(&unfinished, 0o600)?;
    sync(&unfinished)?;
    fs::rename(&unfinished, path).map_err(Error::io("finish", path))?;
    path.parent().map_or(Ok(()), sync)
}

/// Puts the copy of a cluster in the place of a new one: the next [`Cluster::start`](crate::Cluster::start) with these
/// options starts it.
///
/// # Errors
/// [`Error::Failed`] when the folder holds a cluster already, [`Error::InUse`] when an instance uses it.
pub fn put_in_place(options: &Options, copy: &Path) -> Result<(), Error> {
    options.check()?;
    let folder = Folder::open(&options.folder, &options.application)?;
    let account = Account::for_cluster(&folder.cluster())?;
    let lock = folder.lock(&options.note)?;
    folder.grant_access(&account)?;
    let data = folder.data();
    if data.exists() {
        return Err(Error::failed(
            format!("{} holds a cluster already", data.display()),
            "restore into another folder, or move that cluster away first",
        ));
    }
    let unfinished = folder.cluster().join("data.new");
    if unfinished.exists() {
        wait_until_gone(&unfinished, &options.application, &|| false)?;
        fs::remove_dir_all(&unfinished).map_err(Error::io("remove", &unfinished))?;
    }
    copy_directory(copy, &unfinished, &|_| false)?;
    give_to(&account, &unfinished)?;
    lock.check()?;
    fs::rename(&unfinished, &data).map_err(Error::io("finish", &data))?;
    sync(&folder.cluster())
}

/// The connection string of `role` for the database of the cluster running in this folder, if any.
#[must_use]
pub fn running(options: &Options, role: &str) -> Option<String> {
    let folder = options.folder.join("postgres").is_dir().then(|| Folder::open(&options.folder, &options.application));
    let folder = folder?.ok()?;
    let account = Account::for_cluster(&folder.cluster()).ok()?;
    let directory = folder.socket_directory(&account).ok()?;
    let is_there = directory.join(crate::guard::SOCKET).exists();
    is_there.then(|| crate::connection_string(&directory, role, &options.database))
}

/// Copies everything except what `leaves_out` names. A file that vanishes before its turn was dropped: the log says so,
/// too.
fn copy_directory(from: &Path, to: &Path, leaves_out: &dyn Fn(&Path) -> bool) -> Result<(), Error> {
    private_directory(to)?;
    for entry in fs::read_dir(from).map_err(Error::io("read", from))? {
        let entry = entry.map_err(Error::io("read", from))?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if leaves_out(&path) {
            continue;
        }
        if entry.file_type().map_err(Error::io("examine", &path))?.is_dir() {
            copy_directory(&path, &target, leaves_out)?;
        } else {
            match fs::copy(&path, &target) {
                Ok(_) => chmod(&target, 0o600)?,
                Err(error) if error.kind() == io::ErrorKind::NotFound && !path.exists() => continue,
                Err(error) => return Err(Error::io("copy", &path)(error)),
            }
            sync(&target)?;
        }
    }
    sync(to)
}

fn private_directory(path: &Path) -> Result<(), Error> {
    match DirBuilder::new().mode(0o700).create(path) {
        Ok(()) => chmod(path, 0o700),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(Error::io("create the folder", path)(error)),
    }
}

fn sync(path: &Path) -> Result<(), Error> {
    File::open(path).and_then(|file| file.sync_all()).map_err(Error::io("sync", path))
}

/// Makes the account the owner of a directory and everything in it.
fn give_to(account: &Account, path: &PathBuf) -> Result<(), Error> {
    if path.is_dir() {
        for entry in fs::read_dir(path).map_err(Error::io("read", path))? {
            give_to(account, &entry.map_err(Error::io("read", path))?.path())?;
        }
    }
    account.chown(path)
}
