//! One PostgreSQL server of the storm: created, started, killed, and queried with `psql`. PostgreSQL refuses to run as
//! root, so root starts it as `postgres` or `nobody`.

use std::fs::{self, File};
use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::disk::Disk;
use super::processes::{self, run};
use crate::Outcome;
use crate::postgres::Programs;
use crate::service;

/// Time limit for the start of a server: it may have to recover, and its predecessor's processes to die.
const START_WITHIN: Duration = Duration::from_secs(120);
/// Time limit for making or copying a cluster.
const COPY_WITHIN: Duration = Duration::from_secs(600);
/// A server's settings, besides its port and its standby.
const SETTINGS: &str = "
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 400
max_wal_senders = 10
wal_keep_size = 512MB
timezone = 'UTC'
log_timezone = 'UTC'
log_line_prefix = '%m [%p] '
include_if_exists = 'standby.conf'
";

/// PostgreSQL's programs, and the account that runs them.
pub struct Tools {
    folder: PathBuf,
    /// Only for root: the user and the group of another account.
    account: Option<(u32, u32)>,
}

impl Tools {
    /// Finds the programs of a server: in the given folder, on the `PATH`, or in the folders of distributions.
    pub fn find(explicit: Option<&Path>) -> Outcome<Self> {
        let programs = Programs::find_all(explicit, &["initdb", "postgres", "pg_basebackup", "psql"]);
        let programs = programs.ok_or("this needs PostgreSQL's own programs; --programs names their folder")?;
        let folder = programs.folder().canonicalize().map_err(|error| error.to_string())?;
        if !is_root() {
            return Ok(Self { folder, account: None });
        }
        // `name:password:uid:gid:…` on each line, see passwd(5).
        let accounts = fs::read_to_string("/etc/passwd").unwrap_or_default();
        let numbers = |wanted: &str| {
            let mut fields = accounts.lines().find(|line| line.split(':').next() == Some(wanted))?.split(':').skip(2);
            Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
        };
        let account = numbers("postgres").or_else(|| numbers("nobody"));
        let account = account.ok_or("PostgreSQL never runs as root, and there is no account `postgres` or `nobody`")?;
        Ok(Self { folder, account: Some(account) })
    }

    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(self.folder.join(name));
        command.env_clear().env("LC_ALL", "C").env("PGCONNECT_TIMEOUT", "5").current_dir("/").process_group(0);
        if let Some((user, group)) = self.account {
            command.uid(user).gid(group);
        }
        command
    }

    /// Makes the account the owner of a path.
    fn own(&self, path: &Path) -> Outcome {
        let Some((user, group)) = self.account else { return Ok(()) };
        chown(path, Some(user), Some(group)).map_err(|error| format!("{}: {error}", path.display()))
    }
}

/// True if this program runs as root.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A server and its folder.
pub struct Server {
    /// Its own disk, if any.
    pub disk: Option<Disk>,
    tools: Arc<Tools>,
    data: PathBuf,
    log: PathBuf,
    port: u16,
    child: Option<Child>,
}

impl Server {
    /// A server in `folder`, which doesn't exist yet; creates nothing.
    pub fn new(tools: &Arc<Tools>, folder: &Path, with_disk: bool) -> Outcome<Self> {
        let disk = if with_disk { Some(Disk::make(folder)?) } else { None };
        if disk.is_none() {
            fs::create_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        tools.own(folder)?;
        let port = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let port = port.map_err(|error| error.to_string())?.port();
        let (data, log) = (folder.join("data"), folder.with_extension("log"));
        Ok(Self { disk, tools: Arc::clone(tools), data, log, port, child: None })
    }

    pub fn address(&self) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], self.port))
    }

    /// Makes a new cluster.
    pub fn make(&self) -> Outcome {
        let mut initdb = self.tools.command("initdb");
        initdb.args(["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-instructions"]);
        run(initdb.arg("-D").arg(&self.data), COPY_WITHIN)?;
        let path = self.data.join("postgresql.conf");
        let mut settings = fs::read_to_string(&path).map_err(|error| error.to_string())?;
        settings.push_str(SETTINGS);
        fs::write(&path, settings).map_err(|error| error.to_string())
    }

    /// Makes it a copy of another server, and its standby. Its previous data is gone.
    pub fn copy(&self, primary: SocketAddr) -> Outcome {
        let _ = fs::remove_dir_all(&self.data);
        let mut copy = self.tools.command("pg_basebackup");
        copy.args(["-h", "127.0.0.1", "-U", "postgres", "-X", "stream", "-R", "-c", "fast", "-p"]);
        run(copy.arg(primary.port().to_string()).arg("-D").arg(&self.data), COPY_WITHIN).map(|_| ())
    }

    /// Makes commits wait for a standby or not, from now on, or from its next start on.
    pub fn wait_for_standby(&self, waits: bool) -> Outcome {
        let path = self.data.join("standby.conf");
        let names = if waits { "*" } else { "" };
        let written = fs::write(&path, format!("synchronous_standby_names = '{names}'\n"));
        written.map_err(|error| format!("{}: {error}", path.display()))?;
        self.tools.own(&path)?;
        if let Some(child) = &self.child {
            let _ = service::end(child.id(), Signal::HUP);
        }
        Ok(())
    }

    /// Starts it, and returns when it responds.
    pub fn start(&mut self) -> Outcome {
        let deadline = Instant::now() + START_WITHIN;
        while Instant::now() < deadline {
            if !self.is_running() {
                self.child = Some(self.launch()?);
            }
            // It may fail for a while: the processes of its predecessor may still be dying.
            thread::sleep(Duration::from_millis(100));
            if self.is_running() && self.sql("SELECT 1", Duration::from_secs(5)).is_ok() {
                return Ok(());
            }
        }
        Err(format!("PostgreSQL did not start in {} s; {}", START_WITHIN.as_secs(), service::last_lines(&self.log)))
    }

    fn launch(&self) -> Outcome<Child> {
        let log = File::options().create(true).append(true).open(&self.log).map_err(|error| error.to_string())?;
        let errors = log.try_clone().map_err(|error| error.to_string())?;
        let mut command = self.tools.command("postgres");
        command.args(["-p", &self.port.to_string(), "-D"]).arg(&self.data);
        command.stdin(Stdio::null()).stdout(log).stderr(errors);
        command.spawn().map_err(|error| format!("PostgreSQL can't be started: {error}"))
    }

    /// True if its postmaster is alive.
    pub fn is_running(&mut self) -> bool {
        let running = self.child.as_mut().is_some_and(|child| matches!(child.try_wait(), Ok(None)));
        if !running {
            self.child = None;
        }
        running
    }

    /// Its postmaster and the processes started by it.
    pub fn pids(&self) -> Vec<u32> {
        self.child.as_ref().map(|child| processes::of_cluster(child.id())).unwrap_or_default()
    }

    /// Kills only the postmaster: its processes notice by themselves.
    pub fn kill_postmaster(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Kills all its processes at once, like the loss of its machine.
    pub fn lose(&mut self) {
        let pids = self.pids();
        processes::kill(&pids);
        self.kill_postmaster();
    }

    /// Runs SQL as its superuser, in the database `postgres`.
    pub fn sql(&self, statements: &str, within: Duration) -> Outcome<String> {
        self.sql_in("postgres", statements, within)
    }

    /// Runs SQL as its superuser.
    pub fn sql_in(&self, database: &str, statements: &str, within: Duration) -> Outcome<String> {
        let mut psql = self.tools.command("psql");
        psql.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-U", "postgres"]);
        psql.args(["-p", &self.port.to_string(), "-d", database, "-c", statements]);
        run(&mut psql, within)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.lose();
    }
}
