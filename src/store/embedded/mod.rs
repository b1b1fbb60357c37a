//! The private PostgreSQL: a real cluster in a folder of its own, started with the service and stopped with it, so that
//! `broadside serve` needs nothing prepared.
//!
//! This module owns the folder's life from the lock to the last signal. It knows no SQL beyond the role and the database
//! that it makes; connecting, migrating and querying are its siblings' work, through [`Cluster::url`].
//!
//! How the folder is laid out:
//!
//! ```text
//! <folder>/broadside.lock   locked by the running instance, and says which one that is
//! <folder>/postgres.log     what the cluster has to say (postgres.log.1 is the part before)
//! <folder>/postgres/        0700, the cluster account's: the socket, and `data`, the cluster itself
//! <folder>/programs/        the server programs, when the machine had none and they were fetched
//! ```
//!
//! Everything here blocks (child processes, small files), so it runs on blocking threads; the cluster is kept by a
//! thread of its own and so outlives whichever async runtime asked for it.
//!
//! Why the cluster trusts whoever connects: it listens on no network, only on a Unix socket in a directory with mode 0700.
//! Who can reach that socket is the cluster's own account (which can read the data files anyway) or root. A password
//! would lie beside the data, readable by the same two, and protect nothing.

mod account;
mod create;
mod error;
mod folder;
mod guard;
mod keeper;
mod obtain;
mod programs;
mod remains;

use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use self::account::Account;
use self::folder::Folder;
use self::keeper::{Keeper, Plan, Running};

pub use self::error::EmbeddedError;

/// The role that the service connects as: it owns its database and may create others, and is no superuser.
pub const ROLE: &str = "broadside";
/// The database that a new cluster comes with, owned by [`ROLE`].
pub const DATABASE: &str = "broadside";

/// How long [`Cluster::stop`] waits. The guard turns a slow shutdown into an immediate one well before that.
const STOP_PATIENCE: Duration = Duration::from_secs(30);
/// How long a drop waits, on whatever thread it happens.
const DROP_PATIENCE: Duration = Duration::from_secs(5);

/// What becomes of what is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Committed is on the disk: `fsync`, `synchronous_commit` and `full_page_writes` as PostgreSQL ships them.
    Full,
    /// For tests: nothing is ever synced, and the files are removed when the cluster stops, however it stops.
    Throwaway,
}

/// What to start, and where.
#[derive(Debug, Clone)]
pub struct Options {
    /// The data folder; made when missing. See [`default_folder`].
    pub folder: PathBuf,
    /// The directory of `postgres` and `initdb`. `None` searches the machine, and fetches them when it has none.
    pub programs: Option<PathBuf>,
    /// What becomes of what is written.
    pub durability: Durability,
    /// Says to a second instance which one holds the folder: the listen address, for example. One line.
    pub note: String,
}

/// A running private cluster.
///
/// It ends with the value and with the process, a `SIGKILL` included. A cluster that dies meanwhile is started again.
/// [`Cluster::stop`] is the graceful end; dropping asks for the same and blocks the dropping thread until the cluster is
/// gone (a tenth of a second as a rule, five seconds at most), so that the folder can be removed straight after.
#[derive(Debug)]
pub struct Cluster {
    keeper: Keeper,
    plan: Arc<Plan>,
}

impl Cluster {
    /// Finds or fetches the server programs, makes the cluster when the folder holds none, starts it, and returns when it
    /// accepts connections and has the role [`ROLE`] and the database [`DATABASE`].
    ///
    /// # Errors
    /// Every [`EmbeddedError`]; each says what to do. Nothing is left running after an error.
    pub async fn start(options: Options) -> Result<Cluster, EmbeddedError> {
        match tokio::task::spawn_blocking(move || Cluster::open(&options)).await {
            Ok(result) => result,
            Err(error) => Err(EmbeddedError::failed("the start of PostgreSQL was cut off", error)),
        }
    }

    /// The address of one database of this cluster, in the `key='value'` form that libpq and tokio-postgres both read.
    /// It leads through the Unix socket; there is no other way in.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        let quoted = |value: &str| value.replace('\\', "\\\\").replace('\'', "\\'");
        format!(
            "host='{}' port={} user='{ROLE}' dbname='{}'",
            quoted(&self.plan.socket_folder.to_string_lossy()),
            guard::PORT,
            quoted(database),
        )
    }

    /// The directory of the server programs in use. `psql` and `pgbench` may be beside them, or not.
    #[must_use]
    pub fn programs(&self) -> &Path {
        &self.plan.programs
    }

    /// Stops the cluster gracefully (PostgreSQL's *fast* shutdown: open transactions are rolled back) and waits for its end.
    ///
    /// # Errors
    /// [`EmbeddedError::Failed`] when it has not ended after half a minute.
    pub async fn stop(self) -> Result<(), EmbeddedError> {
        let stopping = tokio::task::spawn_blocking(move || {
            if self.keeper.stop(STOP_PATIENCE) {
                Ok(())
            } else {
                let log = self.plan.log.display();
                Err(EmbeddedError::failed("PostgreSQL did not stop in 30 seconds", format!("see {log}")))
            }
        });
        match stopping.await {
            Ok(result) => result,
            Err(error) => Err(EmbeddedError::failed("the stop of PostgreSQL was cut off", error)),
        }
    }

    fn open(options: &Options) -> Result<Cluster, EmbeddedError> {
        let folder = Folder::open(&options.folder)?;
        let account = Account::for_cluster(&folder.cluster())?;
        let lock = folder.lock(&options.note)?;
        folder.let_in(&account)?;
        let socket_folder = folder.socket_folder(&account)?;
        let made_by = create::major_version(&folder, options.durability)?;
        let programs = programs::find(options.programs.as_deref(), &folder, &account, made_by)?;
        let plan = Arc::new(Plan {
            data: folder.data(),
            log: folder.log(),
            cluster_folder: folder.cluster(),
            socket_folder,
            programs,
            account,
            durability: options.durability,
            lock,
        });
        if made_by.is_none() {
            create::create(&plan)?;
        }
        let running = Running::default();
        let supervisor = keeper::launch(&plan, &running)?;
        Ok(Cluster { keeper: Keeper::watch(Arc::clone(&plan), running, supervisor)?, plan })
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if !self.keeper.stop(DROP_PATIENCE) {
            tracing::warn!(log = %self.plan.log.display(), "PostgreSQL is still stopping");
        }
    }
}

/// Where the data goes when nobody says: `/var/lib/broadside` for root, else `$XDG_DATA_HOME/broadside` or
/// `$HOME/.local/share/broadside`; without a home, `broadside-data` in the working directory.
#[must_use]
pub fn default_folder() -> PathBuf {
    if rustix::process::geteuid().is_root() {
        return PathBuf::from("/var/lib/broadside");
    }
    let absolute = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    match (absolute("XDG_DATA_HOME"), absolute("HOME")) {
        (Some(share), _) => share.join("broadside"),
        (None, Some(home)) => home.join(".local/share/broadside"),
        (None, None) => PathBuf::from("broadside-data"),
    }
}
