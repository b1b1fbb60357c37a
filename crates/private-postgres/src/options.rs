//! The options of a cluster and their checks. Everything that names the program that owns the cluster is in here, so
//! that the rest of the crate knows no program by name.

use std::env;
use std::path::{Path, PathBuf};

use crate::Error;

/// PostgreSQL cuts longer names off (`NAMEDATALEN` is 64, with the final NUL).
const NAME_BYTES: usize = 63;

/// The survival of committed transactions in a crash of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// They survive: `fsync`, `synchronous_commit` and `full_page_writes` are on, as PostgreSQL ships them.
    Full,
    /// They don't. For tests: nothing is ever synced, and the data is removed when the server stops for any reason.
    Throwaway,
}

/// The options of a cluster. [`Options::new`] has the defaults:
///
/// ```
/// use private_postgres::{Durability, Options};
///
/// let options = Options { durability: Durability::Throwaway, ..Options::new("/tmp/example") };
/// assert_eq!(options.database, "app");
/// ```
#[derive(Debug, Clone)]
pub struct Options {
    /// The data folder, created when missing. See [`default_folder`].
    pub folder: PathBuf,
    /// The name of the program that owns the cluster: 1 to 40 ASCII letters, digits, `-` and `_`. The lock file is
    /// `<application>.lock`, and the server's `cluster_name` is this name. It must stay the same for a folder: programs
    /// under different names don't see each other's lock. Default: `private-postgres`.
    pub application: String,
    /// The role in [`Cluster::connection_string`](crate::Cluster::connection_string). A new cluster is created with it.
    /// It owns [`Options::database`], may create further databases, and is no superuser. Default: `app`.
    pub role: String,
    /// The database of a new cluster. Default: `app`.
    pub database: String,
    /// Lines added to `postgresql.conf` when a cluster is created. An existing file is never changed. Default: none.
    pub settings: String,
    /// The directory of the programs `postgres` and `initdb`. With `None`, the default, they are searched for on this
    /// machine, and installed if it has none.
    pub programs: Option<PathBuf>,
    /// The survival of committed transactions in a crash of the machine. Default: [`Durability::Full`].
    pub durability: Durability,
    /// A line for a second instance about the one that uses the folder, for example its listen address. Default: empty;
    /// the process number is always given.
    pub note: String,
}

impl Options {
    /// A durable cluster in `folder`, with the defaults that each field states.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            application: "private-postgres".to_owned(),
            role: "app".to_owned(),
            database: "app".to_owned(),
            settings: String::new(),
            programs: None,
            durability: Durability::Full,
            note: String::new(),
        }
    }

    /// Checks the names before they are used. PostgreSQL itself refuses other invalid names (`postgres` as a role, for
    /// example) when the cluster is created.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let simple = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
        if !(1..=40).contains(&self.application.len()) || !self.application.chars().all(simple) {
            let reason = "it must have 1 to 40 ASCII letters, digits, `-` or `_`";
            return Err(Error::InvalidOption { option: "application", value: self.application.clone(), reason });
        }
        for (option, value) in [("role", &self.role), ("database", &self.database)] {
            if !(1..=NAME_BYTES).contains(&value.len()) || value.contains(char::is_control) {
                let reason = "it must have 1 to 63 bytes and no control characters";
                return Err(Error::InvalidOption { option, value: value.clone(), reason });
            }
        }
        Ok(())
    }
}

/// The usual data folder of a program of this name: `/var/lib/<application>` for root, else
/// `$XDG_DATA_HOME/<application>` or `$HOME/.local/share/<application>`. Without a home directory it is
/// `<application>-data` in the working directory.
#[must_use]
pub fn default_folder(application: &str) -> PathBuf {
    if rustix::process::geteuid().is_root() {
        return Path::new("/var/lib").join(application);
    }
    let absolute = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    match (absolute("XDG_DATA_HOME"), absolute("HOME")) {
        (Some(share), _) => share.join(application),
        (None, Some(home)) => home.join(".local/share").join(application),
        (None, None) => PathBuf::from(format!("{application}-data")),
    }
}
