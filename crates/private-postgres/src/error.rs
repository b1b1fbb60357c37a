//! Errors of a cluster. Every message says what to do about it. It is meant for the operator's terminal and names
//! paths: don't send it to a client of your program.

use std::io;
use std::path::{Path, PathBuf};

/// The reason why the cluster did not start or stop.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A field of [`Options`](crate::Options) can't be used.
    #[error("the option `{option}` can't be {value:?}: {reason}")]
    InvalidOption {
        /// The name of the field.
        option: &'static str,
        /// Its value.
        value: String,
        /// The requirement.
        reason: &'static str,
    },
    /// Another instance uses the folder.
    #[error(
        "the data folder {folder} is in use by another instance ({holder}); stop that one, or give this one a folder \
         of its own"
    )]
    InUse {
        /// The data folder.
        folder: PathBuf,
        /// The other instance's process number and its note.
        holder: String,
    },
    /// An earlier server of this folder still runs, and does not stop.
    #[error(
        "an earlier PostgreSQL still runs on {data} (processes {processes:?}) and did not stop in 10 seconds; stop it, \
         then start again"
    )]
    StillRunning {
        /// The data directory of the cluster.
        data: PathBuf,
        /// The process numbers.
        processes: Vec<i32>,
    },
    /// The account that PostgreSQL runs as can't enter a directory on the way to its files.
    #[error(
        "PostgreSQL never runs as root, and its account `{account}` can't enter {closed}, on the way to {target}; \
         choose another folder (in /var/lib, for example), or allow it with `chmod o+x {closed}`"
    )]
    NoAccess {
        /// The name of the account.
        account: String,
        /// The directory that it has to reach.
        target: PathBuf,
        /// The first directory on the way that it can't enter.
        closed: PathBuf,
    },
    /// There are no usable server programs, and none could be installed.
    #[error(
        "found no usable PostgreSQL server programs (version 14 or newer) and could not install them; install \
         PostgreSQL (Debian: `apt-get install postgresql`, Fedora: `dnf install postgresql-server`, macOS: \
         `brew install postgresql@17`). Tried: {}", .attempts.join("; ")
    )]
    NoPrograms {
        /// The attempts and the reasons of their failure; one line each.
        attempts: Vec<String>,
    },
    /// The cluster belongs to another major version of PostgreSQL than the programs that were found.
    #[error(
        "the cluster in {data} was created by PostgreSQL {version}, and no programs of that version were found; \
         install PostgreSQL {version}, or move the data with its pg_dump. Tried: {}", .attempts.join("; ")
    )]
    WrongVersion {
        /// The data directory of the cluster.
        data: PathBuf,
        /// The major version that created it.
        version: u32,
        /// The other versions found; one line for each attempt.
        attempts: Vec<String>,
    },
    /// A step failed.
    #[error("{what}: {}", .details.trim())]
    Failed {
        /// The step.
        what: String,
        /// The reason, often in the words of a program of PostgreSQL.
        details: String,
    },
    /// The system refused an operation on a file or a process.
    #[error("cannot {what}: {source}")]
    Io {
        /// The operation, and the path.
        what: String,
        /// The system's answer.
        source: io::Error,
    },
}

impl Error {
    pub(crate) fn failed(what: impl Into<String>, details: impl ToString) -> Self {
        Self::Failed { what: what.into(), details: details.to_string() }
    }

    /// For `map_err`: the operation, and the path.
    pub(crate) fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let what = format!("{what} {}", path.display());
        move |source| Self::Io { what, source }
    }
}
