//! The service under load: started in its own folder, with the private PostgreSQL, killed and restarted.

use std::fs::{self, File, Permissions};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::Outcome;

/// Time limit for a start: a first one makes the cluster, one after a kill recovers it.
const START_PATIENCE: Duration = Duration::from_secs(60);

/// A running service and its folder.
pub struct Service {
    pub address: SocketAddr,
    child: Child,
    folder: TempDir,
    /// The external database, if it doesn't have its own.
    elsewhere: Option<String>,
}

impl Service {
    /// Starts a service in a new folder beneath `parent`.
    pub fn start(parent: &Path) -> Outcome<Self> {
        Self::start_build(parent, Path::new(BINARY))
    }

    /// Starts a service on an external database, if there is one.
    pub fn start_on(parent: &Path, database: Option<&str>) -> Outcome<Self> {
        Self::launched(folder_in(parent)?, |launch| Launch { database: database.map(str::to_owned), ..launch })
    }

    /// Starts a service with rate limits, as in use.
    pub fn start_limited(parent: &Path) -> Outcome<Self> {
        Self::launched(folder_in(parent)?, |launch| Launch { rate_limits: true, ..launch })
    }

    /// Starts another build of the service.
    pub fn start_build(parent: &Path, binary: &Path) -> Outcome<Self> {
        Self::launched(folder_in(parent)?, |launch| Launch { binary: binary.to_owned(), ..launch })
    }

    fn launched(folder: TempDir, change: impl FnOnce(Launch) -> Launch) -> Outcome<Self> {
        let launch = change(Launch::new(folder.path()));
        let (child, address) = launch.launch()?;
        Ok(Self { address, child, folder, elsewhere: launch.database })
    }

    /// Starts a second node on its database.
    pub fn another_node(&self) -> Outcome<Node> {
        Node::start(Launch { database: Some(self.database("broadside")), ..Launch::new(self.folder.path()) })
    }

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

    /// The URL of its cluster for `role`.
    pub fn database(&self, role: &str) -> String {
        let own =
            || format!("host='{}' port=5432 user={role} dbname=broadside", self.data().join("postgres").display());
        self.elsewhere.clone().unwrap_or_else(own)
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

    /// Restarts it on the same folder and address, and returns the duration.
    pub fn restart(&mut self) -> Outcome<Duration> {
        let begun = Instant::now();
        let (listen, database) = (self.address.to_string(), self.elsewhere.clone());
        (self.child, self.address) = Launch { listen, database, ..Launch::new(self.folder.path()) }.launch()?;
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
        match &self.elsewhere {
            Some(database) => command(words, "--database-url", database),
            None => command(words, "--data", &self.data().display().to_string()),
        }
    }

    /// The end of its log.
    pub fn log(&self) -> String {
        last_lines(&self.folder.path().join("service.log"))
    }
}

/// A node on an external database.
pub struct Node {
    pub address: SocketAddr,
    launch: Launch,
    child: Child,
}

impl Node {
    pub fn start(launch: Launch) -> Outcome<Self> {
        let (child, address) = launch.launch()?;
        let launch = Launch { listen: address.to_string(), ..launch };
        Ok(Self { address, launch, child })
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Kills it at once (SIGKILL), and returns when it is dead.
    pub fn kill(&mut self) -> Outcome {
        self.child.kill().and_then(|()| self.child.wait()).map_err(|error| error.to_string())?;
        Ok(())
    }

    /// Stops it gracefully (SIGTERM). If that takes longer than `within`, it is killed, and that is an error.
    pub fn stop(&mut self, within: Duration) -> Outcome {
        end(self.child.id(), rustix::process::Signal::TERM)?;
        let deadline = Instant::now() + within;
        while Instant::now() < deadline {
            match self.child.try_wait().map_err(|error| error.to_string())? {
                Some(status) if status.success() => return Ok(()),
                Some(status) => return Err(format!("a node stopped with {status}")),
                None => thread::sleep(Duration::from_millis(20)),
            }
        }
        self.kill()?;
        Err(format!("a node did not stop within {} s, and was killed", within.as_secs()))
    }

    /// Restarts it at the same address, with these additions to its environment.
    pub fn restart(&mut self, environment: &[(String, String)]) -> Outcome {
        let launch = Launch { environment: environment.to_vec(), ..self.launch.clone() };
        self.child = launch.launch()?.0;
        Ok(())
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
        // A graceful stop, so that the cluster ends before its folder is removed.
        if end(self.child.id(), rustix::process::Signal::TERM).is_err() {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

pub fn end(pid: u32, signal: rustix::process::Signal) -> Outcome {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw).ok_or("no such process")?;
    rustix::process::kill_process(pid, signal).map_err(|error| error.to_string())
}

/// The service as just built.
const BINARY: &str = env!("CARGO_BIN_EXE_broadside");

fn program(binary: &Path) -> Command {
    let mut command = Command::new(binary);
    // Settings of the user must not affect the load.
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(|name| name.starts_with("BROADSIDE_") || name == "DATABASE_URL") {
            command.env_remove(name);
        }
    }
    command
}

/// A folder beneath `parent`, removed when dropped.
pub fn folder_in(parent: &Path) -> Outcome<TempDir> {
    // If root starts the service, the cluster belongs to another account, which needs access to its path.
    tempfile::Builder::new()
        .prefix("broadside-load-")
        .permissions(Permissions::from_mode(0o711))
        .tempdir_in(parent)
        .map_err(|error| format!("no folder can be made in {}: {error}", parent.display()))
}

/// The settings of a start.
#[derive(Clone)]
pub struct Launch {
    pub binary: PathBuf,
    /// The folder of its data folder and its log.
    pub folder: PathBuf,
    /// The name of its log.
    pub log: String,
    /// The listening address, with port 0 for any.
    pub listen: String,
    /// An external database.
    pub database: Option<String>,
    /// True if its rate limits are on.
    pub rate_limits: bool,
    /// More settings.
    pub settings: Vec<String>,
    /// Additions to its environment.
    pub environment: Vec<(String, String)>,
    /// True for its own process group, so that Ctrl-C only reaches this program.
    pub apart: bool,
}

impl Launch {
    /// The service as just built, with its own database in `folder`, and without rate limits.
    pub fn new(folder: &Path) -> Self {
        Self {
            binary: BINARY.into(),
            folder: folder.to_owned(),
            log: "service.log".to_owned(),
            listen: "127.0.0.1:0".to_owned(),
            database: None,
            rate_limits: false,
            settings: Vec::new(),
            environment: Vec::new(),
            apart: false,
        }
    }

    fn launch(&self) -> Outcome<(Child, SocketAddr)> {
        let path = self.folder.join(&self.log);
        let log = File::options().create(true).append(true).open(&path).map_err(|error| error.to_string())?;
        let mut command = program(&self.binary);
        command
            .args(["serve", "--bots", "off", "--listen", &self.listen, "--admin-listen", "127.0.0.1:0", "--data"])
            .arg(self.folder.join("data"))
            .args(self.database.iter().flat_map(|database| ["--database-url", database]))
            .args(&self.settings);
        command.env("BROADSIDE_RATE_LIMITS", if self.rate_limits { "on" } else { "off" }).env("BROADSIDE_LOG", "warn");
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        if self.apart {
            command.process_group(0);
        }
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
        Err(format!("the service did not start; {}", last_lines(&path)))
    }
}

/// Runs another command of the service, with a setting for its database.
pub fn command(words: &[&str], setting: &str, database: &str) -> Outcome<(bool, String)> {
    let output = program(Path::new(BINARY)).args(words).args([setting, database]).output();
    let output = output.map_err(|error| error.to_string())?;
    let words = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).trim().to_owned());
    Ok((output.status.success(), words.join("\n").trim().to_owned()))
}

/// The end of a log.
pub fn last_lines(path: &Path) -> String {
    let words = fs::read_to_string(path).unwrap_or_default();
    let lines: Vec<&str> = words.lines().collect();
    format!("its log ends:\n{}", lines[lines.len().saturating_sub(15)..].join("\n"))
}
