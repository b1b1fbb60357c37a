//! The service under load: started in a folder of its own, with the private PostgreSQL that anybody gets, killed and
//! started again.

use std::fs::{self, File, Permissions};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::Outcome;

/// How long a start may take: a first one makes the cluster, one after a kill recovers it.
const START_PATIENCE: Duration = Duration::from_secs(60);

/// A running service and its folder.
pub struct Service {
    /// Where it listens.
    pub address: SocketAddr,
    child: Child,
    folder: TempDir,
}

impl Service {
    /// Starts one in a new folder beneath `parent`.
    pub fn start(parent: &Path) -> Outcome<Self> {
        Self::start_build(parent, Path::new(BINARY))
    }

    /// Starts one that has rate limits, as in use.
    pub fn start_limited(parent: &Path) -> Outcome<Self> {
        let folder = folder_in(parent)?;
        let (child, address) = launch(Path::new(BINARY), folder.path(), "127.0.0.1:0", None, "on")?;
        Ok(Self { address, child, folder })
    }

    /// Starts another build of it in the same way.
    pub fn start_build(parent: &Path, binary: &Path) -> Outcome<Self> {
        let folder = folder_in(parent)?;
        let (child, address) = launch(binary, folder.path(), "127.0.0.1:0", None, "off")?;
        Ok(Self { address, child, folder })
    }

    /// Starts a second node on its database.
    pub fn another_node(&self) -> Outcome<Node> {
        let database = self.database("broadside");
        let (child, address) = launch(Path::new(BINARY), self.folder.path(), "127.0.0.1:0", Some(&database), "off")?;
        Ok(Node { address, child })
    }

    /// Kills a node at once (SIGKILL), and starts it again at the same address.
    pub fn restart_node(&self, node: &mut Node) -> Outcome {
        node.child.kill().and_then(|()| node.child.wait()).map_err(|error| error.to_string())?;
        let (database, address) = (self.database("broadside"), node.address.to_string());
        node.child = launch(Path::new(BINARY), self.folder.path(), &address, Some(&database), "off")?.0;
        Ok(())
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// A folder for files of the run.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Its data folder.
    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Where its cluster can be reached as `role`.
    pub fn database(&self, role: &str) -> String {
        format!("host='{}' port=5432 user={role} dbname=broadside", self.data().join("postgres").display())
    }

    /// The postmaster of its cluster.
    pub fn postmaster(&self) -> Outcome<u32> {
        let path = self.data().join("postgres/data/postmaster.pid");
        let words = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        words.lines().next().and_then(|pid| pid.parse().ok()).ok_or_else(|| "a postmaster without a pid".to_owned())
    }

    /// Kills it at once (SIGKILL) and returns when it is dead. Its cluster notices by itself.
    pub fn kill(&mut self) -> Outcome {
        self.child.kill().and_then(|()| self.child.wait()).map_err(|error| error.to_string())?;
        Ok(())
    }

    /// Starts it again on the same folder and address, and says how long that took.
    pub fn restart(&mut self) -> Outcome<Duration> {
        let begun = Instant::now();
        let (child, address) = launch(Path::new(BINARY), self.folder.path(), &self.address.to_string(), None, "off")?;
        (self.child, self.address) = (child, address);
        Ok(begun.elapsed())
    }

    /// Stops it gracefully (SIGTERM).
    pub fn stop(&mut self) -> Outcome {
        end(self.pid(), rustix::process::Signal::TERM)?;
        let status = self.child.wait().map_err(|error| error.to_string())?;
        if status.success() { Ok(()) } else { Err(format!("the service stopped with {status}; {}", self.log())) }
    }

    /// Runs another command of the service on its data folder; it has to be stopped.
    pub fn command(&self, words: &[&str]) -> Outcome<(bool, String)> {
        let output = program(Path::new(BINARY))
            .args(words)
            .arg("--data")
            .arg(self.data())
            .output()
            .map_err(|error| error.to_string())?;
        let words = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).trim().to_owned());
        Ok((output.status.success(), words.join("\n").trim().to_owned()))
    }

    /// The end of its log.
    pub fn log(&self) -> String {
        let words = fs::read_to_string(self.folder.path().join("service.log")).unwrap_or_default();
        let lines: Vec<&str> = words.lines().collect();
        format!("its log ends:\n{}", lines[lines.len().saturating_sub(15)..].join("\n"))
    }
}

/// A node on the database of a [`Service`].
pub struct Node {
    /// Where it listens.
    pub address: SocketAddr,
    child: Child,
}

impl Node {
    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // A graceful stop, so that the cluster is gone before its folder is.
        if end(self.child.id(), rustix::process::Signal::TERM).is_err() {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

/// Sends `signal` to a process.
pub fn end(pid: u32, signal: rustix::process::Signal) -> Outcome {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw).ok_or("no such process")?;
    rustix::process::kill_process(pid, signal).map_err(|error| error.to_string())
}

/// The service as it has just been built.
const BINARY: &str = env!("CARGO_BIN_EXE_broadside");

fn program(binary: &Path) -> Command {
    let mut command = Command::new(binary);
    // Settings of whoever runs the load must not shape it.
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(|name| name.starts_with("BROADSIDE_") || name == "DATABASE_URL") {
            command.env_remove(name);
        }
    }
    command
}

fn folder_in(parent: &Path) -> Outcome<TempDir> {
    // When root starts the service, the cluster belongs to another account, which has to get through.
    tempfile::Builder::new()
        .prefix("broadside-load-")
        .permissions(Permissions::from_mode(0o711))
        .tempdir_in(parent)
        .map_err(|error| format!("no folder can be made in {}: {error}", parent.display()))
}

fn launch(
    binary: &Path,
    folder: &Path,
    listen: &str,
    database: Option<&str>,
    rate_limits: &str,
) -> Outcome<(Child, SocketAddr)> {
    let path = folder.join("service.log");
    let log = File::options().create(true).append(true).open(&path).map_err(|error| error.to_string())?;
    let mut command = program(binary);
    command
        .args(["serve", "--bots", "off", "--listen", listen, "--admin-listen", "127.0.0.1:0", "--data"])
        .arg(folder.join("data"));
    if let Some(database) = database {
        command.args(["--database-url", database]);
    }
    command.env("BROADSIDE_RATE_LIMITS", rate_limits).env("BROADSIDE_LOG", "warn");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
    let mut child = command.spawn().map_err(|error| format!("the service can't be started: {error}"))?;
    let stdout = child.stdout.take().ok_or("the service has no standard output")?;
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    let deadline = Instant::now() + START_PATIENCE;
    while let Ok(line) = lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
        if let Some(address) = line.strip_prefix("listening on http://") {
            let address = address.parse().map_err(|error| format!("{line}: {error}"))?;
            return Ok((child, address));
        }
    }
    let _ = child.kill();
    let _ = child.wait();
    let words = fs::read_to_string(&path).unwrap_or_default();
    Err(format!("the service did not start:\n{}", words.trim()))
}
