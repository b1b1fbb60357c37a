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

const ACCOUNTS: &str = "/etc/passwd";

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
        if !own.is_root() {
            let (uid, gid) = (own.as_raw(), rustix::process::getegid().as_raw());
            return match owner {
                Some((owner, _)) if owner != uid => Err(EmbeddedError::failed(
                    format!("the cluster in {} belongs to the account {owner}, and this is {uid}", folder.display()),
                    "start Broadside as that account or as root, or choose another data folder",
                )),
                _ => Ok(Account { name: uid.to_string(), uid, gid, is_other: false }),
            };
        }
        if let Some((uid, gid)) = owner.filter(|(uid, _)| *uid != 0) {
            return Ok(Account { name: uid.to_string(), uid, gid, is_other: true });
        }
        let accounts = fs::read_to_string(ACCOUNTS).map_err(EmbeddedError::io("read", Path::new(ACCOUNTS)))?;
        ["postgres", "nobody"].iter().find_map(|name| Account::listed(&accounts, name)).ok_or_else(|| {
            EmbeddedError::failed(
                "PostgreSQL never runs as root, and this machine has neither an account `postgres` nor `nobody`",
                "make one (`useradd --system postgres`), or start Broadside from an ordinary account",
            )
        })
    }

    /// `name:password:uid:gid:…`, see passwd(5). An account that is root under another name does not count.
    fn listed(accounts: &str, name: &str) -> Option<Account> {
        let fields = accounts.lines().map(|line| line.split(':').collect::<Vec<_>>()).find(|f| f[0] == name)?;
        let (uid, gid) = (fields.get(2)?.parse().ok()?, fields.get(3)?.parse().ok()?);
        (uid != 0).then(|| Account { name: name.to_owned(), uid, gid, is_other: true })
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
