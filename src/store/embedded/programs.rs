//! Where the server programs are. The machine's own come first; fetching others is the last resort, and `obtain`'s work.

use std::cmp::Reverse;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::account::Account;
use super::folder::Folder;
use super::{EmbeddedError, obtain};

/// The oldest version that PostgreSQL's makers still mend.
const OLDEST: u32 = 14;

/// The directory of a usable `postgres` and `initdb`: of the version `made_by` when a cluster exists, else of any.
pub(super) fn find(
    explicit: Option<&Path>,
    folder: &Folder,
    account: &Account,
    made_by: Option<u32>,
) -> Result<PathBuf, EmbeddedError> {
    let mut search = Search { account, data: folder.data(), made_by, tried: Vec::new() };
    if let Some(directory) = explicit {
        return search.first([directory.to_owned()]).ok_or_else(|| search.error());
    }
    let fetched = || obtain::fetched(&folder.programs());
    let found = search
        .first(on_path())
        .or_else(|| search.first(told_by_pg_config()))
        .or_else(|| search.first(in_usual_places()))
        .or_else(|| search.first(fetched()));
    if let Some(directory) = found {
        return Ok(directory);
    }
    for way in obtain::Way::towards(made_by) {
        if let Err(reason) = way.fetch(&folder.programs()) {
            search.tried.push(format!("{}: {reason}", way.name()));
        } else if let Some(directory) = search.first(fetched()).or_else(|| search.first(in_usual_places())) {
            tracing::info!(programs = %directory.display(), "fetched PostgreSQL");
            return Ok(directory);
        }
        let reason = search.tried.last().map_or("", String::as_str);
        tracing::warn!(reason, "could not get PostgreSQL this way");
    }
    Err(search.error())
}

/// The candidates tried so far; each is tried once.
struct Search<'a> {
    account: &'a Account,
    data: PathBuf,
    made_by: Option<u32>,
    tried: Vec<String>,
}

impl Search<'_> {
    fn first(&mut self, candidates: impl IntoIterator<Item = PathBuf>) -> Option<PathBuf> {
        candidates.into_iter().find_map(|candidate| {
            let directory = resolved(candidate);
            match self.try_out(&directory) {
                Ok(()) => Some(directory),
                Err(reason) => {
                    let line = format!("{}: {reason}", directory.display());
                    if !self.tried.contains(&line) {
                        self.tried.push(line);
                    }
                    None
                }
            }
        })
    }

    /// Asks both programs for their version, as the account that is going to run them: so they can be reached, they load,
    /// and they are recent enough.
    fn try_out(&self, directory: &Path) -> Result<(), String> {
        let mut major = 0;
        for name in ["postgres", "initdb"] {
            let output = self.account.command(directory.join(name)).arg("--version").output();
            let output = output.map_err(|error| format!("cannot run {name} as `{}`: {error}", self.account.name))?;
            let words = String::from_utf8_lossy(&output.stdout);
            major = version(&words).ok_or_else(|| {
                let complaint = String::from_utf8_lossy(&output.stderr);
                format!("{name} does not tell its version: {}", complaint.lines().next().unwrap_or("no output"))
            })?;
        }
        match self.made_by {
            Some(wanted) if wanted != major => Err(format!("version {major}, not {wanted}")),
            None if major < OLDEST => Err(format!("version {major}, older than {OLDEST}")),
            _ => Ok(()),
        }
    }

    fn error(&self) -> EmbeddedError {
        let tried = self.tried.clone();
        match self.made_by {
            Some(made_by) if self.tried.iter().any(|line| line.contains(": version ")) => {
                EmbeddedError::WrongVersion { data: self.data.clone(), made_by, tried }
            }
            _ => EmbeddedError::NoPrograms { tried },
        }
    }
}

/// `postgres (PostgreSQL) 17.2 (Debian 17.2-1)`: the first number after the brackets. Betas say `18beta1`.
fn version(words: &str) -> Option<u32> {
    let (_, number) = words.split_once("(PostgreSQL) ")?;
    let digits = number.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(number.len());
    number[..digits].parse().ok()
}

/// `PATH` often holds links: the programs find their libraries beside the real files, and so do we their siblings.
fn resolved(directory: PathBuf) -> PathBuf {
    let real = directory.join("postgres").canonicalize().ok();
    let real = real.as_deref().and_then(Path::parent).filter(|real| real.join("initdb").exists());
    real.map_or(directory.clone(), Path::to_owned)
}

fn has_programs(directory: &Path) -> bool {
    directory.is_absolute() && directory.join("postgres").exists() && directory.join("initdb").exists()
}

fn on_path() -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).filter(|directory| has_programs(directory)).collect()
}

fn told_by_pg_config() -> Option<PathBuf> {
    let output = Command::new("pg_config").arg("--bindir").output().ok()?;
    Some(PathBuf::from(String::from_utf8(output.stdout).ok()?.trim())).filter(|directory| has_programs(directory))
}

/// Where distributions and Homebrew put the programs that they keep off the `PATH`; the newest version first.
fn in_usual_places() -> Vec<PathBuf> {
    const PLACES: [(&str, &str, &str); 5] = [
        ("/usr/lib/postgresql", "", "bin"),
        ("/usr", "pgsql-", "bin"),
        ("/opt/homebrew/opt", "postgresql@", "bin"),
        ("/usr/local/opt", "postgresql@", "bin"),
        ("/home/linuxbrew/.linuxbrew/opt", "postgresql@", "bin"),
    ];
    let mut found: Vec<(u32, PathBuf)> = Vec::new();
    for (parent, prefix, within) in PLACES {
        for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let number = name.to_str().and_then(|name| name.strip_prefix(prefix)).and_then(|rest| rest.parse().ok());
            if let Some(number) = number {
                found.push((number, entry.path().join(within)));
            }
        }
    }
    found.sort_by_key(|(number, _)| Reverse(*number));
    found.into_iter().map(|(_, directory)| directory).filter(|directory| has_programs(directory)).collect()
}
