//! The configuration of the server: its programs, paths, account and command line, enough to start it at any time.

use std::path::{Path, PathBuf};

use crate::account::Account;
use crate::folder::Lock;
use crate::guard::{self, Guarded};
use crate::options::{Durability, Options};

#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) options: Options,
    pub(crate) account: Account,
    /// The directory of `postgres` and `initdb`.
    pub(crate) programs: PathBuf,
    /// The directory that holds `data`, and usually the socket.
    pub(crate) cluster_directory: PathBuf,
    pub(crate) data: PathBuf,
    pub(crate) socket_directory: PathBuf,
    pub(crate) log: PathBuf,
    pub(crate) lock: Lock,
}

impl Server {
    pub(crate) fn is_throwaway(&self) -> bool {
        self.options.durability == Durability::Throwaway
    }

    /// A program of PostgreSQL, to be run under guard.
    pub(crate) fn guarded<'a>(
        &'a self,
        program: &'a Path,
        arguments: Vec<String>,
        input: Option<&'a Path>,
    ) -> Guarded<'a> {
        Guarded { account: &self.account, program, arguments, input, remove_after: None, log: &self.log }
    }

    /// The arguments of `postgres`: mandatory settings, which override `postgresql.conf`.
    pub(crate) fn arguments(&self) -> Vec<String> {
        // This setting is a list of directories: quotes keep a name with blanks whole.
        let socket_directory = format!("\"{}\"", self.socket_directory.display().to_string().replace('"', "\"\""));
        let mut settings = vec![
            "listen_addresses=".to_owned(),
            format!("port={}", guard::PORT),
            format!("unix_socket_directories={socket_directory}"),
            "unix_socket_permissions=0700".to_owned(),
            cluster_name(&self.options.application),
            "logging_collector=off".to_owned(),
            "log_destination=stderr".to_owned(),
        ];
        if self.is_throwaway() {
            let fast = ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "wal_level=minimal"];
            settings.extend(fast.map(str::to_owned));
            settings.extend(["max_wal_senders=0", "max_connections=200"].map(str::to_owned));
        }
        let mut arguments = vec!["-D".to_owned(), self.data.display().to_string()];
        arguments.extend(settings.into_iter().flat_map(|setting| ["-c".to_owned(), setting]));
        arguments
    }
}

/// The command-line setting that marks a server started by this application.
pub(crate) fn cluster_name(application: &str) -> String {
    format!("cluster_name={application}")
}
