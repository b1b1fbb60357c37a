//! The account that runs the server. PostgreSQL refuses to run as root, so for root it runs as `postgres`, which a
//! machine with PostgreSQL has, or else as `nobody`. Otherwise it runs as the account of this process.

use std::ffi::OsStr;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use crate::Error;

#[derive(Debug)]
pub(crate) struct Account {
    pub(crate) name: String,
    uid: u32,
    gid: u32,
    /// Is it another account than that of this process? Only root can arrange that.
    is_other: bool,
}

impl Account {
    /// The account for the cluster in `directory`: its present owner (the account `postgres` may have come to the
    /// machine after the cluster was created for `nobody`), otherwise the one to create it for.
    pub(crate) fn for_cluster(directory: &Path) -> Result<Account, Error> {
        let own = rustix::process::geteuid();
        let owner = fs::metadata(directory).ok().map(|metadata| (metadata.uid(), metadata.gid()));
        // An account may be missing in this list: a directory service may know it.
        let accounts = Account::parse_passwd(&fs::read_to_string("/etc/passwd").unwrap_or_default());
        let name = |uid: u32| {
            let listed = accounts.iter().find(|account| account.uid == uid);
            listed.map_or_else(|| uid.to_string(), |account| account.name.clone())
        };
        if !own.is_root() {
            let (uid, gid) = (own.as_raw(), rustix::process::getegid().as_raw());
            return match owner {
                Some((owner, _)) if owner != uid => Err(Error::failed(
                    format!(
                        "the cluster in {} belongs to `{}`, not to `{}`",
                        directory.display(),
                        name(owner),
                        name(uid)
                    ),
                    "start this program as that account or as root, or choose another data folder",
                )),
                _ => Ok(Account { name: name(uid), uid, gid, is_other: false }),
            };
        }
        if let Some((uid, gid)) = owner.filter(|(uid, _)| *uid != 0) {
            return Ok(Account { name: name(uid), uid, gid, is_other: true });
        }
        // An account of that name with root's number does not count.
        let named = |wanted: &str| accounts.iter().position(|account| account.name == wanted && account.uid != 0);
        let chosen = named("postgres").or_else(|| named("nobody"));
        chosen.and_then(|index| accounts.into_iter().nth(index)).ok_or_else(|| {
            Error::failed(
                "PostgreSQL never runs as root, and this machine has no account `postgres` or `nobody`",
                "add one (`useradd --system postgres`), or start this program as an account that is not root",
            )
        })
    }

    /// `name:password:uid:gid:…` on each line, see passwd(5).
    fn parse_passwd(text: &str) -> Vec<Account> {
        let account = |line: &str| {
            let mut fields = line.split(':');
            let name = fields.next()?.to_owned();
            let (uid, gid) = (fields.nth(1)?.parse().ok()?, fields.next()?.parse().ok()?);
            Some(Account { name, uid, gid, is_other: true })
        };
        text.lines().filter_map(account).collect()
    }

    /// A command that runs as this account, in `/`, with a clean environment: variables of the caller such as `PGPORT`
    /// or a locale must not change the cluster.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
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

    pub(crate) fn chown(&self, path: &Path) -> Result<(), Error> {
        if self.is_other {
            chown(path, Some(self.uid), Some(self.gid)).map_err(Error::io("change the owner of", path))?;
        }
        Ok(())
    }

    pub(crate) fn owns(&self, metadata: &fs::Metadata) -> bool {
        metadata.uid() == self.uid
    }

    /// The first directory from `/` down to `target` that this account can't enter. It is tried, not computed from the
    /// mode bits, because those know nothing of access lists and security modules.
    pub(crate) fn first_closed_directory(&self, target: &Path) -> Option<PathBuf> {
        if !self.is_other {
            return None;
        }
        let can_enter = |directory: &Path| {
            let test = self.command("/bin/sh").args(["-c", "test -x \"$1\"", "sh"]).arg(directory).status();
            test.is_ok_and(|status| status.success())
        };
        // Nearly always every directory is open, and then one test is enough.
        if can_enter(target) {
            return None;
        }
        let mut directories: Vec<&Path> = target.ancestors().collect();
        directories.reverse();
        directories.into_iter().find(|directory| !can_enter(directory)).map(Path::to_owned)
    }
}
