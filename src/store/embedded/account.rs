//! The account that the cluster runs as. PostgreSQL refuses to run as root, rightly: so when we are root it runs as
//! `postgres`, which a machine with PostgreSQL has, or else as `nobody`. Otherwise it runs as we do.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::EmbeddedError;

#[derive(Debug)]
pub(super) struct Account {
    pub(super) name: String,
    uid: u32,
    gid: u32,
    /// Whether it is another account than our own, which only root can arrange.
    pub(super) is_other: bool,
}

impl Account {
    /// The account for the cluster in `folder`: the one that has it already (`postgres` may have come to the machine after
    /// a cluster was made for `nobody`), else the one to make it for.
    pub(super) fn for_cluster(folder: &Path) -> Result<Account, EmbeddedError> {
        let own = rustix::process::geteuid();
        let owner = fs::metadata(folder).ok().map(|metadata| (metadata.uid(), metadata.gid()));
        // An account need not be listed here: a directory service may know it.
        let accounts = Account::all(&fs::read_to_string("/etc/passwd").unwrap_or_default());
        let name = |uid: u32| {
            let listed = accounts.iter().find(|account| account.uid == uid);
            listed.map_or_else(|| uid.to_string(), |account| account.name.clone())
        };
        if !own.is_root() {
            let (uid, gid) = (own.as_raw(), rustix::process::getegid().as_raw());
            return match owner {
                Some((owner, _)) if owner != uid => Err(EmbeddedError::failed(
                    format!(
                        "the cluster in {} belongs to `{}`, and this is `{}`",
                        folder.display(),
                        name(owner),
                        name(uid)
                    ),
                    "start Broadside as that account or as root, or choose another data folder",
                )),
                _ => Ok(Account { name: name(uid), uid, gid, is_other: false }),
            };
        }
        if let Some((uid, gid)) = owner.filter(|(uid, _)| *uid != 0) {
            return Ok(Account { name: name(uid), uid, gid, is_other: true });
        }
        // One that is root under another name does not count.
        let named = |wanted: &str| accounts.iter().position(|account| account.name == wanted && account.uid != 0);
        let chosen = named("postgres").or_else(|| named("nobody"));
        chosen.and_then(|index| accounts.into_iter().nth(index)).ok_or_else(|| {
            EmbeddedError::failed(
                "PostgreSQL never runs as root, and this machine has neither an account `postgres` nor `nobody`",
                "make one (`useradd --system postgres`), or start Broadside from an ordinary account",
            )
        })
    }

    /// `name:password:uid:gid:…` on each line, see passwd(5).
    fn all(listed: &str) -> Vec<Account> {
        let account = |line: &str| {
            let mut fields = line.split(':');
            let name = fields.next()?.to_owned();
            let (uid, gid) = (fields.nth(1)?.parse().ok()?, fields.next()?.parse().ok()?);
            Some(Account { name, uid, gid, is_other: true })
        };
        listed.lines().filter_map(account).collect()
    }

    /// A command that runs as this account, in `/`, with a clean environment: a stray `PGPORT` or locale of the caller's
    /// must not shape the cluster.
    pub(super) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("LC_ALL", "C").current_dir("/").stdin(Stdio::null());
        if let Some(path) = env::var_os("PATH") {
            command.env("PATH", path);
        }
        if self.is_other {
            // The standard library drops the supplementary groups along with the uid.
            command.uid(self.uid).gid(self.gid);
        }
        command
    }

    /// Gives a path to this account.
    pub(super) fn own(&self, path: &Path) -> Result<(), EmbeddedError> {
        if self.is_other {
            chown(path, Some(self.uid), Some(self.gid)).map_err(EmbeddedError::io("change the owner of", path))?;
        }
        Ok(())
    }

    pub(super) fn owns(&self, metadata: &fs::Metadata) -> bool {
        metadata.uid() == self.uid
    }

    /// The first directory from the root down to `target` that this account cannot enter. It is tried, not computed from
    /// the mode bits, which know nothing of access lists and security modules.
    pub(super) fn barrier(&self, target: &Path) -> Option<PathBuf> {
        if !self.is_other {
            return None;
        }
        let mut way: Vec<&Path> = target.ancestors().collect();
        way.reverse();
        let open = |directory: &&Path| {
            let test = self.command("/bin/sh").args(["-c", "test -x \"$1\"", "sh"]).arg(directory).status();
            test.is_ok_and(|status| status.success())
        };
        // Nearly always everything is open, and then the last one says so at once.
        if way.last().is_some_and(open) {
            return None;
        }
        way.iter().find(|directory| !open(directory)).map(|directory| directory.to_path_buf())
    }
}
