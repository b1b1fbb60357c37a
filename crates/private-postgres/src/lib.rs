//! Runs a PostgreSQL server that belongs to one program.
//!
//! This file has the handle, [`Cluster`]; each step of its life has a file of its own. None of them knows SQL beyond
//! the role and the database that a new cluster gets. Everything here blocks (child processes, small files), so it runs
//! on blocking threads, and the server is kept running by a thread of its own.
#![allow(
    clippy::disallowed_methods,
    reason = "it starts, watches and stops programs: it measures how long they take, and hands PATH on"
)]
#![doc = include_str!("../README.md")]

mod account;
mod create;
mod error;
pub mod files;
mod folder;
mod guard;
mod install;
mod leftovers;
mod options;
mod programs;
mod server;
mod supervisor;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use account::Account;
use folder::Folder;
use server::Server;
use supervisor::Supervisor;

pub use error::Error;
pub use options::{Durability, Options, default_folder};
pub use supervisor::Status;

/// The timeout of [`Cluster::stop`]. The guard turns a slow shutdown into an immediate one well before that.
const STOP_TIMEOUT: Duration = Duration::from_secs(30);
/// The timeout of a drop, on any thread.
const DROP_TIMEOUT: Duration = Duration::from_secs(5);

/// The superuser of every cluster.
pub const SUPERUSER: &str = "postgres";

fn connection_string(socket_directory: &Path, role: &str, database: &str) -> String {
    let quoted = |value: &str| format!("'{}'", value.replace('\\', "\\\\").replace('\'', "\\'"));
    let (host, role, database) = (quoted(&socket_directory.to_string_lossy()), quoted(role), quoted(database));
    format!("host={host} port={} user={role} dbname={database}", guard::PORT)
}

/// A running server with its data folder.
///
/// It stops when the value is dropped and when the process ends, by `SIGKILL`, too. A server that ends for another
/// reason is started again. [`Cluster::stop`] is the graceful way to stop it. Dropping asks for the same, and blocks
/// the dropping thread until the server has ended (a tenth of a second as a rule, five seconds at most), so that the
/// folder can be removed right afterwards.
#[derive(Debug)]
pub struct Cluster {
    supervisor: Supervisor,
    server: Arc<Server>,
}

impl Cluster {
    /// Finds or installs the server programs, creates the cluster when the folder holds none, starts the server, and
    /// returns when it accepts connections. It must be called on a Tokio runtime, and the server may outlive that.
    ///
    /// # Errors
    /// Every [`Error`]; each says what to do. Nothing is left running after an error.
    pub async fn start(options: Options) -> Result<Cluster, Error> {
        match tokio::task::spawn_blocking(move || Cluster::open(options)).await {
            Ok(result) => result,
            Err(error) => Err(Error::failed("the start of PostgreSQL was interrupted", error)),
        }
    }

    /// The connection string of one database of this cluster, for the role of [`Options::role`]: `key='value'` pairs,
    /// as libpq and tokio-postgres read them. It names the Unix socket, which is the only way to connect.
    #[must_use]
    pub fn connection_string(&self, database: &str) -> String {
        connection_string(&self.server.socket_directory, &self.server.options.role, database)
    }

    /// The connection string of the superuser, who has the rights of an operator of the whole cluster.
    #[must_use]
    pub fn superuser_connection_string(&self, database: &str) -> String {
        connection_string(&self.server.socket_directory, SUPERUSER, database)
    }

    /// The directory of the server programs in use. Depending on their source, `psql` and `pg_dump` may be beside them.
    #[must_use]
    pub fn programs(&self) -> &Path {
        &self.server.programs
    }

    /// The state of the server, for a part of the program that doesn't own the cluster.
    #[must_use]
    pub fn status(&self) -> Status {
        self.supervisor.status()
    }

    /// Stops the server gracefully (PostgreSQL's *fast* shutdown: open transactions are rolled back) and waits until it
    /// has ended.
    ///
    /// # Errors
    /// [`Error::Failed`] when it has not ended after 30 seconds.
    pub async fn stop(self) -> Result<(), Error> {
        let stopping = tokio::task::spawn_blocking(move || {
            if self.supervisor.stop(STOP_TIMEOUT) {
                Ok(())
            } else {
                let log = self.server.log.display();
                Err(Error::failed("PostgreSQL did not stop in 30 seconds", format!("see {log}")))
            }
        });
        match stopping.await {
            Ok(result) => result,
            Err(error) => Err(Error::failed("the stop of PostgreSQL was interrupted", error)),
        }
    }

    fn open(options: Options) -> Result<Cluster, Error> {
        options.check()?;
        let folder = Folder::open(&options.folder, &options.application)?;
        let account = Account::for_cluster(&folder.cluster())?;
        let lock = folder.lock(&options.note)?;
        folder.grant_access(&account)?;
        let socket_directory = folder.socket_directory(&account)?;
        let version = create::existing_version(&folder, &options)?;
        let programs = programs::find(options.programs.as_deref(), &folder, &account, version)?;
        let server = Arc::new(Server {
            data: folder.data(),
            log: folder.log(),
            cluster_directory: folder.cluster(),
            socket_directory,
            programs,
            account,
            options,
            lock,
        });
        if version.is_none() {
            create::create(&server)?;
        }
        Ok(Cluster { supervisor: Supervisor::start(Arc::clone(&server))?, server })
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if !self.supervisor.stop(DROP_TIMEOUT) {
            tracing::warn!(log = %self.server.log.display(), "PostgreSQL is still stopping");
        }
    }
}
