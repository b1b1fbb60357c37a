//! Finds the server programs. Those of the machine come first; installing others is the last resort, and the work of
//! `install`.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use crate::account::Account;
use crate::folder::Folder;
use crate::{Error, install};

/// The oldest major version that can be used.
const OLDEST: u32 = 14;

/// The directory of a usable `postgres` and `initdb`: those in `explicit` if given, otherwise any. They must have the
/// major version of an existing cluster.
pub(crate) fn find(
    explicit: Option<&Path>,
    folder: &Folder,
    account: &Account,
    version: Option<u32>,
) -> Result<PathBuf, Error> {
    let mut search = Search { account, data: folder.data(), version, attempts: Vec::new() };
    if let Some(directory) = explicit {
        return match search.first_usable([directory.to_owned()]) {
            Some(directory) => Ok(directory),
            None => Err(search.error()),
        };
    }
    let installed = || install::installed(&folder.programs());
    let found = search
        .first_usable(on_path())
        .or_else(|| search.first_usable(from_pg_config()))
        .or_else(|| search.first_usable(in_usual_places()))
        .or_else(|| search.first_usable(installed()));
    if let Some(directory) = found {
        return Ok(directory);
    }
    for source in install::Source::for_version(version) {
        if let Err(reason) = source.install(&folder.programs()) {
            search.attempts.push(format!("{}: {reason}", source.name()));
        } else if let Some(directory) =
            search.first_usable(installed()).or_else(|| search.first_usable(in_usual_places()))
        {
            tracing::info!(programs = %directory.display(), "installed PostgreSQL");
            return Ok(directory);
        }
        let reason = search.attempts.last().map_or("", String::as_str);
        tracing::warn!(reason, "could not install PostgreSQL from this source");
    }
    Err(search.error())
}

/// A search, and its attempts so far.
struct Search<'a> {
    account: &'a Account,
    data: PathBuf,
    version: Option<u32>,
    attempts: Vec<String>,
}

impl Search<'_> {
    fn first_usable(&mut self, candidates: impl IntoIterator<Item = PathBuf>) -> Option<PathBuf> {
        candidates.into_iter().find_map(|candidate| {
            let directory = resolve(candidate);
            match self.check(&directory) {
                Ok(()) => Some(directory),
                Err(reason) => {
                    let line = format!("{}: {reason}", directory.display());
                    if !self.attempts.contains(&line) {
                        self.attempts.push(line);
                    }
                    None
                }
            }
        })
    }

    /// Asks both programs for their version, as the account that is going to run them. This shows that the account can
    /// reach them, that they load, and that they are recent enough.
    fn check(&self, directory: &Path) -> Result<(), String> {
        let mut major = 0;
        for name in ["postgres", "initdb"] {
            let output = self.account.command(directory.join(name)).arg("--version").output();
            let output = output.map_err(|error| format!("cannot run {name} as `{}`: {error}", self.account.name))?;
            major = parse_version(&String::from_utf8_lossy(&output.stdout)).ok_or_else(|| {
                let errors = String::from_utf8_lossy(&output.stderr);
                format!("{name} does not print its version: {}", errors.lines().next().unwrap_or("no output"))
            })?;
        }
        match self.version {
            Some(wanted) if wanted != major => Err(format!("version {major}, not {wanted}")),
            None if major < OLDEST => Err(format!("version {major}, older than {OLDEST}")),
            _ => Ok(()),
        }
    }

    fn error(self) -> Error {
        let attempts = self.attempts;
        match self.version {
            Some(version) if attempts.iter().any(|line| line.contains(": version ")) => {
                Error::WrongVersion { data: self.data, version, attempts }
            }
            _ => Error::NoPrograms { attempts },
        }
    }
}

/// `postgres (PostgreSQL) 17.2 (Debian 17.2-1)`: the major version is the first number after the brackets. A beta
/// prints `18beta1`.
fn parse_version(text: &str) -> Option<u32> {
    let (_, number) = text.split_once("(PostgreSQL) ")?;
    let digits = number.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(number.len());
    number[..digits].parse().ok()
}

/// `PATH` often holds links. The real directory also has the libraries and the other programs.
fn resolve(directory: PathBuf) -> PathBuf {
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

fn from_pg_config() -> Option<PathBuf> {
    let output = Command::new("pg_config").arg("--bindir").output().ok()?;
    Some(PathBuf::from(String::from_utf8(output.stdout).ok()?.trim())).filter(|directory| has_programs(directory))
}

/// The usual directories of distributions and Homebrew outside the `PATH`; the newest version first.
fn in_usual_places() -> Vec<PathBuf> {
    const PLACES: [(&str, &str, &str); 4] = [
        ("/usr/lib/postgresql", "", "bin"),
        ("/usr", "pgsql-", "bin"),
        ("/opt/homebrew/opt", "postgresql@", "bin"),
        ("/usr/local/opt", "postgresql@", "bin"),
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
