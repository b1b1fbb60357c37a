//! What can go wrong with the private cluster. Every message says what to do; it is meant for the operator's terminal and
//! names paths, so it must never reach an HTTP answer.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why the private cluster did not start or stop.
#[derive(Debug)]
#[non_exhaustive]
pub enum EmbeddedError {
    /// Another instance runs on this folder.
    InUse {
        /// The data folder.
        folder: PathBuf,
        /// What the other instance wrote about itself: its process number and its note.
        holder: String,
    },
    /// An earlier cluster of this folder still runs and does not go.
    Lingering {
        /// The data folder of the cluster.
        data: PathBuf,
        /// Its processes.
        processes: Vec<i32>,
    },
    /// The account that the cluster runs as cannot enter a directory on the way to its files.
    Unreachable {
        /// The account.
        account: String,
        /// Where it has to go.
        target: PathBuf,
        /// The first directory that stops it.
        barrier: PathBuf,
    },
    /// There are no usable server programs, and none could be fetched.
    NoPrograms {
        /// What was tried, and what each attempt met; one line each.
        tried: Vec<String>,
    },
    /// The folder holds a cluster of another major version than the programs at hand.
    WrongVersion {
        /// The data folder of the cluster.
        data: PathBuf,
        /// The major version that made it.
        made_by: u32,
        /// What was found instead; one line each.
        tried: Vec<String>,
    },
    /// A step failed; the details are the programs' own words.
    Failed {
        /// The step.
        what: String,
        /// What was said about it.
        details: String,
    },
    /// The system refused an operation on a file or a process.
    Io {
        /// What was being done.
        what: String,
        /// The system's answer.
        source: io::Error,
    },
}

impl EmbeddedError {
    pub(super) fn failed(what: impl Into<String>, details: impl ToString) -> Self {
        Self::Failed { what: what.into(), details: details.to_string() }
    }

    /// For `map_err`: what was being done, and to which path.
    pub(super) fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let what = format!("{what} {}", path.display());
        move |source| Self::Io { what, source }
    }
}

impl fmt::Display for EmbeddedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const OWN: &str = "or set DATABASE_URL to a PostgreSQL of your own";
        match self {
            Self::InUse { folder, holder } => write!(
                f,
                "the data folder {} is in use by another instance ({holder}); stop that one, or give this one a folder \
                 of its own",
                folder.display()
            ),
            Self::Lingering { data, processes } => write!(
                f,
                "an earlier PostgreSQL still runs on {} (processes {processes:?}) and did not go in 10 seconds; stop it, \
                 then start again",
                data.display()
            ),
            Self::Unreachable { account, target, barrier } => write!(
                f,
                "PostgreSQL never runs as root, and its account `{account}` cannot enter {}, on the way to {}; choose \
                 another folder (/var/lib/broadside, for example), or allow it with `chmod o+x {}`",
                barrier.display(),
                target.display(),
                barrier.display()
            ),
            Self::NoPrograms { tried } => write!(
                f,
                "found no usable PostgreSQL server programs (version 14 or newer) and could not fetch them; install \
                 PostgreSQL (Debian: `apt-get install postgresql`, Fedora: `dnf install postgresql-server`, macOS: \
                 `brew install postgresql@17`), {OWN}. Tried: {}",
                tried.join("; ")
            ),
            Self::WrongVersion { data, made_by, tried } => write!(
                f,
                "the cluster in {} was made by PostgreSQL {made_by}, and no programs of that version were found; install \
                 PostgreSQL {made_by}, or move the data with its pg_dump, {OWN}. Tried: {}",
                data.display(),
                tried.join("; ")
            ),
            Self::Failed { what, details } => write!(f, "{what}: {}", details.trim()),
            Self::Io { what, source } => write!(f, "cannot {what}: {source}"),
        }
    }
}

impl std::error::Error for EmbeddedError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}
