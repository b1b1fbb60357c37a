//! The data folder: its paths, its lock, and access to it. It knows nothing of PostgreSQL, except that the path of a
//! socket must be short.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{Read, Seek, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::account::Account;
use crate::{Error, guard};

/// `sockaddr_un.sun_path` has 108 bytes on Linux with its final NUL, 104 on macOS and the BSDs.
const SOCKET_PATH_BYTES: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    application: String,
    /// Created just now, empty, or used by this application before. The permissions of no other folder are changed.
    is_ours: bool,
}

/// The exclusive use of a folder, for the lifetime of the value.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
    path: PathBuf,
}

impl Lock {
    /// Fails if the folder was removed with its lock: another instance may have created it again, and this instance
    /// must not start or stop anything there.
    ///
    /// # Errors
    /// [`Error::Failed`] when that has happened.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let identity = |found: fs::Metadata| (found.dev(), found.ino());
        match (self.file.metadata().map(identity), fs::metadata(&self.path).map(identity)) {
            (Ok(held), Ok(present)) if held == present => Ok(()),
            _ => Err(Error::failed(
                format!("the data folder of {} was removed or replaced while in use", self.path.display()),
                "restart this program",
            )),
        }
    }
}

/// A child that another thread is just starting also has the file until its program runs: closing it here alone would
/// leave the folder locked until then.
impl Drop for Lock {
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

impl Folder {
    /// Creates a missing folder. When root creates it, every account can pass through it, and none can list it.
    pub(crate) fn open(path: &Path, application: &str) -> Result<Folder, Error> {
        let path = std::path::absolute(path).map_err(Error::io("find", path))?;
        let missing: Vec<&Path> = path.ancestors().take_while(|ancestor| !ancestor.exists()).collect();
        let mode = if rustix::process::geteuid().is_root() { 0o711 } else { 0o700 };
        for directory in missing.iter().rev() {
            DirBuilder::new().mode(mode).create(directory).map_err(Error::io("create the folder", directory))?;
            // The process's umask may have taken bits away.
            chmod(directory, mode)?;
        }
        let is_ours = lock_path(&path, application).exists()
            || fs::read_dir(&path).map_err(Error::io("read the folder", &path))?.next().is_none();
        let path = path.canonicalize().map_err(Error::io("find", &path))?;
        if path.to_str().is_none() {
            return Err(Error::failed(
                format!("the path {} of the data folder is not UTF-8", path.display()),
                "rename it",
            ));
        }
        Ok(Folder { path, application: application.to_owned(), is_ours })
    }

    /// Locks the folder for this process, for as long as the file is open: the system releases the lock when the
    /// process ends, however it ends.
    pub(crate) fn lock(&self, note: &str) -> Result<Lock, Error> {
        let path = lock_path(&self.path, &self.application);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        let mut file = options.open(&path).map_err(Error::io("open", &path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                let _ = file.read_to_string(&mut text);
                let holder = match text.trim() {
                    "" => "it has only just started".to_owned(),
                    text => text.to_owned(),
                };
                return Err(Error::InUse { folder: self.path.clone(), holder });
            }
            Err(TryLockError::Error(source)) => return Err(Error::io("lock", &path)(source)),
        }
        let note = note.replace(char::is_control, " ");
        let text = match note.trim() {
            "" => format!("process {}\n", std::process::id()),
            note => format!("process {}, {note}\n", std::process::id()),
        };
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| file.write_all(text.as_bytes()))
            .map_err(Error::io("write", &path))?;
        Ok(Lock { file, path })
    }

    /// Makes sure that the server's account can enter the folder, and creates its own directory in it.
    pub(crate) fn grant_access(&self, account: &Account) -> Result<(), Error> {
        let mut closed = account.first_closed_directory(&self.path);
        if self.is_ours && closed.as_ref() == Some(&self.path) {
            let mode = fs::metadata(&self.path).map_err(Error::io("examine", &self.path))?.permissions().mode();
            chmod(&self.path, mode & 0o7777 | 0o011)?;
            closed = account.first_closed_directory(&self.path);
        }
        if let Some(closed) = closed {
            return Err(Error::NoAccess { account: account.name.clone(), target: self.path.clone(), closed });
        }
        private_directory(&self.cluster())?;
        account.chown(&self.cluster())
    }

    /// The directory of the server's account.
    pub(crate) fn cluster(&self) -> PathBuf {
        self.path.join("postgres")
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.cluster().join("data")
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.path.join("postgres.log")
    }

    /// The directory of installed server programs.
    pub(crate) fn programs(&self) -> PathBuf {
        self.path.join("programs")
    }

    /// The directory of the socket: the cluster's own. When its path is too long for the address of a socket, or has a
    /// comma (which separates hosts there), it is a private directory in `/tmp` with a name made from the folder's
    /// path.
    pub(crate) fn socket_directory(&self, account: &Account) -> Result<PathBuf, Error> {
        let own = self.cluster();
        let fits = own.join(guard::SOCKET).as_os_str().len() <= SOCKET_PATH_BYTES;
        if fits && own.to_str().is_some_and(|path| !path.contains(',')) {
            return Ok(own);
        }
        let hash = fnv_1a(self.path.as_os_str().as_bytes());
        let short = PathBuf::from(format!("/tmp/{}-{hash:016x}", self.application));
        let found = match fs::symlink_metadata(&short) {
            Ok(found) => found,
            Err(_) => {
                private_directory(&short)?;
                account.chown(&short)?;
                fs::symlink_metadata(&short).map_err(Error::io("examine", &short))?
            }
        };
        // Everybody can write to /tmp: a directory of this name must belong to the account, and be closed to others.
        if found.is_dir() && account.owns(&found) && found.permissions().mode() & 0o077 == 0 {
            return Ok(short);
        }
        Err(Error::failed(
            format!("{} is not a private directory of `{}`", short.display(), account.name),
            format!(
                "it is needed because the path of {} can't be the path of a socket; remove it, or choose a data folder \
                 with a shorter path and no comma",
                self.path.display()
            ),
        ))
    }
}

fn lock_path(folder: &Path, application: &str) -> PathBuf {
    folder.join(format!("{application}.lock"))
}

fn private_directory(path: &Path) -> Result<(), Error> {
    if !path.is_dir() {
        DirBuilder::new().mode(0o700).create(path).map_err(Error::io("create the folder", path))?;
    }
    chmod(path, 0o700)
}

pub(crate) fn chmod(path: &Path, mode: u32) -> Result<(), Error> {
    fs::set_permissions(path, Permissions::from_mode(mode)).map_err(Error::io("set the permissions of", path))
}

/// The FNV-1a hash. It is the same in every build, which the standard library's hashers do not promise.
fn fnv_1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::Folder;

    #[test]
    fn a_lock_that_is_given_up_is_free_although_a_child_has_its_file() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = Folder::open(scratch.path(), "test").unwrap();
        let lock = folder.lock("one").unwrap();
        let of_child = lock.file.try_clone().unwrap();
        assert!(folder.lock("another").is_err());
        drop(lock);
        folder.lock("another").unwrap();
        drop(of_child);
    }
}
