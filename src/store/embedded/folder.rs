//! The data folder: its lock, its paths, and who may enter. Nothing here knows PostgreSQL, except that a socket's path
//! must be short.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{Read, Seek, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::EmbeddedError;
use super::account::Account;
use super::guard;

const LOCK: &str = "broadside.lock";
/// `sockaddr_un.sun_path` has 108 bytes on Linux with its final NUL, 104 on macOS and the BSDs.
const SOCKET_PATH_BYTES: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    /// Made or empty just now, or used by us before: only such a folder's permissions are ours to change.
    is_ours: bool,
}

/// The claim to a folder, for as long as the value lives.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
    path: PathBuf,
}

impl Lock {
    /// A folder that is removed takes the lock along, and another instance may have made it anew: what stands there then
    /// is not ours to start or stop.
    ///
    /// # Errors
    /// [`EmbeddedError::Failed`] when that has happened.
    pub(super) fn still_holds(&self) -> Result<(), EmbeddedError> {
        let identity = |found: fs::Metadata| (found.dev(), found.ino());
        match (self.file.metadata().map(identity), fs::metadata(&self.path).map(identity)) {
            (Ok(held), Ok(present)) if held == present => Ok(()),
            _ => Err(EmbeddedError::failed(
                format!("the data folder of {} was removed or replaced beneath this instance", self.path.display()),
                "restart Broadside",
            )),
        }
    }
}

impl Folder {
    /// Makes the folder when it is missing. What it makes for root can be passed through by everybody, listed by nobody.
    pub(super) fn open(path: &Path) -> Result<Folder, EmbeddedError> {
        let path = std::path::absolute(path).map_err(EmbeddedError::io("find", path))?;
        let missing: Vec<&Path> = path.ancestors().take_while(|ancestor| !ancestor.exists()).collect();
        let mode = if rustix::process::geteuid().is_root() { 0o711 } else { 0o700 };
        for directory in missing.iter().rev() {
            DirBuilder::new().mode(mode).create(directory).map_err(EmbeddedError::io("make the folder", directory))?;
            // The process's umask may have taken bits away.
            chmod(directory, mode)?;
        }
        let is_ours = path.join(LOCK).exists()
            || fs::read_dir(&path).map_err(EmbeddedError::io("read the folder", &path))?.next().is_none();
        let path = path.canonicalize().map_err(EmbeddedError::io("find", &path))?;
        if path.to_str().is_none() {
            return Err(EmbeddedError::failed(
                format!("the data folder's path {} is not UTF-8", path.display()),
                "rename it",
            ));
        }
        Ok(Folder { path, is_ours })
    }

    /// Takes the folder for this process, for as long as the file is open: the system releases the lock with the
    /// process, however that ends.
    pub(super) fn lock(&self, note: &str) -> Result<Lock, EmbeddedError> {
        let path = self.path.join(LOCK);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        let mut file = options.open(&path).map_err(EmbeddedError::io("open", &path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                let _ = file.read_to_string(&mut holder);
                let holder = match holder.trim() {
                    "" => "it is only just starting".to_owned(),
                    words => words.to_owned(),
                };
                return Err(EmbeddedError::InUse { folder: self.path.clone(), holder });
            }
            Err(TryLockError::Error(source)) => return Err(EmbeddedError::io("lock", &path)(source)),
        }
        let note = note.replace(char::is_control, " ");
        let words = match note.trim() {
            "" => format!("process {}\n", std::process::id()),
            note => format!("process {}, {note}\n", std::process::id()),
        };
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| file.write_all(words.as_bytes()))
            .map_err(EmbeddedError::io("write", &path))?;
        Ok(Lock { file, path })
    }

    /// Makes sure that the cluster's account can get in, and makes its own directory there.
    pub(super) fn let_in(&self, account: &Account) -> Result<(), EmbeddedError> {
        if let Some(mut barrier) = account.barrier(&self.path) {
            if barrier == self.path && self.is_ours {
                let mode = fs::metadata(&barrier).map_err(EmbeddedError::io("examine", &barrier))?.permissions().mode();
                chmod(&barrier, mode & 0o7777 | 0o011)?;
                match account.barrier(&self.path) {
                    None => return self.make_cluster_folder(account),
                    Some(remaining) => barrier = remaining,
                }
            }
            let (account, target) = (account.name.clone(), self.path.clone());
            return Err(EmbeddedError::Unreachable { account, target, barrier });
        }
        self.make_cluster_folder(account)
    }

    fn make_cluster_folder(&self, account: &Account) -> Result<(), EmbeddedError> {
        private_directory(&self.cluster())?;
        account.own(&self.cluster())
    }

    /// The cluster account's own directory.
    pub(super) fn cluster(&self) -> PathBuf {
        self.path.join("postgres")
    }

    pub(super) fn data(&self) -> PathBuf {
        self.cluster().join("data")
    }

    pub(super) fn log(&self) -> PathBuf {
        self.path.join("postgres.log")
    }

    /// Where fetched programs go.
    pub(super) fn programs(&self) -> PathBuf {
        self.path.join("programs")
    }

    /// The directory of the socket: the cluster's own, or, when its path is too long for a socket's address (or has a
    /// comma, which separates hosts there), a private one in `/tmp` whose name is derived from the folder's.
    pub(super) fn socket_folder(&self, account: &Account) -> Result<PathBuf, EmbeddedError> {
        let own = self.cluster();
        let fits = own.join(guard::SOCKET).as_os_str().len() <= SOCKET_PATH_BYTES;
        if fits && own.to_str().is_some_and(|path| !path.contains(',')) {
            return Ok(own);
        }
        let short = PathBuf::from(format!("/tmp/broadside-{:016x}", fnv(self.path.as_os_str().as_bytes())));
        let found = match fs::symlink_metadata(&short) {
            Ok(found) => found,
            Err(_) => {
                private_directory(&short)?;
                account.own(&short)?;
                fs::symlink_metadata(&short).map_err(EmbeddedError::io("examine", &short))?
            }
        };
        // Everybody may write to /tmp: what stands there under our name must be ours, and closed.
        if found.is_dir() && account.owns(&found) && found.permissions().mode() & 0o077 == 0 {
            return Ok(short);
        }
        Err(EmbeddedError::failed(
            format!("{} is not a private directory of `{}`", short.display(), account.name),
            format!(
                "it is needed because the path of {} is too long for a socket; remove it, or choose a data folder with \
                 a shorter path",
                self.path.display()
            ),
        ))
    }
}

fn private_directory(path: &Path) -> Result<(), EmbeddedError> {
    if !path.is_dir() {
        DirBuilder::new().mode(0o700).create(path).map_err(EmbeddedError::io("make the folder", path))?;
    }
    chmod(path, 0o700)
}

pub(super) fn chmod(path: &Path, mode: u32) -> Result<(), EmbeddedError> {
    fs::set_permissions(path, Permissions::from_mode(mode)).map_err(EmbeddedError::io("set the permissions of", path))
}

/// FNV-1a: stable across builds, which the standard library's hashers do not promise.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
