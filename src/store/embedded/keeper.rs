//! Starting the cluster and keeping it up: one thread that waits for its end, and starts it again unless that end was
//! asked for. A plain thread and no task, because the cluster must outlive the async runtime that started it (each test
//! has one of its own).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ExitStatus};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::account::Account;
use super::folder::Lock;
use super::guard::{self, Guarded};
use super::{Durability, EmbeddedError, remains};

/// Recovery after a crash can take a while, and there is nothing better to do than to wait for it.
const START_PATIENCE: Duration = Duration::from_secs(300);
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// A cluster that ran this long is healthy: its next end begins with the first pause again.
const HEALTHY_AFTER: Duration = Duration::from_secs(60);
const LOG_BYTES: u64 = 16 << 20;
const LOG_CHECK_EVERY: Duration = Duration::from_secs(60);

/// All that is needed to start the cluster, now or again.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) account: Account,
    pub(super) programs: PathBuf,
    pub(super) cluster_folder: PathBuf,
    pub(super) data: PathBuf,
    pub(super) socket_folder: PathBuf,
    pub(super) log: PathBuf,
    pub(super) durability: Durability,
    pub(super) lock: Lock,
}

impl Plan {
    pub(super) fn guarded<'a>(
        &'a self,
        program: &'a Path,
        arguments: Vec<String>,
        input: Option<&'a Path>,
    ) -> Guarded<'a> {
        Guarded { account: &self.account, program, arguments, input, remove_after: None, log: &self.log }
    }

    /// What must hold whatever the settings' file says.
    fn arguments(&self) -> Vec<String> {
        // A list of directories by its type: quotes keep a name with blanks whole.
        let socket_folder = format!("\"{}\"", self.socket_folder.display().to_string().replace('"', "\"\""));
        let mut settings = vec![
            "listen_addresses=".to_owned(),
            format!("port={}", guard::PORT),
            format!("unix_socket_directories={socket_folder}"),
            "unix_socket_permissions=0700".to_owned(),
            remains::MARK.to_owned(),
            "logging_collector=off".to_owned(),
            "log_destination=stderr".to_owned(),
        ];
        if self.durability == Durability::Throwaway {
            let fast = ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "wal_level=minimal"];
            settings.extend(fast.map(str::to_owned));
            settings.extend(["max_wal_senders=0", "max_connections=200"].map(str::to_owned));
        }
        let mut arguments = vec!["-D".to_owned(), self.data.display().to_string()];
        arguments.extend(settings.into_iter().flat_map(|setting| ["-c".to_owned(), setting]));
        arguments
    }
}

/// What the keeper and its owner share.
#[derive(Debug, Clone, Default)]
pub(super) struct Running(Arc<(Mutex<State>, Condvar)>);

#[derive(Debug, Default)]
struct State {
    /// Open while the cluster shall run; closing it ends the cluster.
    lifeline: Option<ChildStdin>,
    is_stopping: bool,
    has_ended: bool,
}

impl Running {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_stopping(&self) -> bool {
        self.state().is_stopping
    }

    /// Whether the end was asked for before the time was over.
    fn sleep(&self, time: Duration) -> bool {
        let waited = self.0.1.wait_timeout_while(self.state(), time, |state| !state.is_stopping);
        waited.unwrap_or_else(PoisonError::into_inner).0.is_stopping
    }

    /// A cluster that is started while its end is being asked for ends at once, for its lifeline is dropped here.
    fn hold(&self, lifeline: ChildStdin) {
        let mut state = self.state();
        if !state.is_stopping {
            state.lifeline = Some(lifeline);
        }
    }

    fn let_go(&self) {
        self.state().lifeline = None;
    }
}

/// Starts the cluster of `plan` and waits until it accepts connections.
pub(super) fn launch(plan: &Plan, running: &Running) -> Result<Child, EmbeddedError> {
    plan.lock.still_holds()?;
    let stale = remains::clear(plan, &|| running.is_stopping())?;
    let before = guard::log_size(&plan.log);
    let program = plan.programs.join("postgres");
    let mut guarded = plan.guarded(&program, plan.arguments(), None);
    if plan.durability == Durability::Throwaway {
        guarded.remove_after = Some(&plan.cluster_folder);
    }
    let started = Instant::now();
    let (mut supervisor, lifeline) = guarded.spawn()?;
    running.hold(lifeline);
    let error = loop {
        match supervisor.try_wait() {
            Ok(None) => {}
            Ok(Some(status)) => {
                let what = format!("PostgreSQL did not start ({status})");
                break EmbeddedError::failed(what, guard::log_since(&plan.log, before));
            }
            Err(source) => break EmbeddedError::io("wait for", &program)(source),
        }
        if remains::is_ready(&plan.data, stale.as_deref()) {
            let ms = started.elapsed().as_millis();
            tracing::info!(data = %plan.data.display(), ms, "the private PostgreSQL accepts connections");
            return Ok(supervisor);
        }
        if started.elapsed() > START_PATIENCE {
            let details = guard::log_since(&plan.log, before);
            break EmbeddedError::failed("PostgreSQL did not get ready in 5 minutes", details);
        }
        thread::sleep(Duration::from_millis(5));
    };
    running.let_go();
    let _ = supervisor.wait();
    Err(error)
}

/// The owner's end of the keeping thread.
#[derive(Debug)]
pub(super) struct Keeper {
    running: Running,
}

impl Keeper {
    /// Keeps the cluster that `supervisor` stands for.
    pub(super) fn watch(plan: Arc<Plan>, running: Running, supervisor: Child) -> Result<Keeper, EmbeddedError> {
        let shared = running.clone();
        let thread = thread::Builder::new().name("postgres-keeper".to_owned());
        let spawned = thread.spawn(move || {
            // Whichever way the thread ends, the plan, and the folder's lock in it, goes before that is told.
            let _ended = Ended(&shared);
            let plan = plan;
            keep(&plan, &shared, supervisor);
            if plan.socket_folder != plan.cluster_folder {
                // Empty by now, or else somebody's business.
                let _ = fs::remove_dir(&plan.socket_folder);
            }
        });
        match spawned {
            Ok(_) => Ok(Keeper { running }),
            Err(error) => {
                running.let_go();
                Err(EmbeddedError::failed("cannot start the thread that keeps PostgreSQL", error))
            }
        }
    }

    /// Ends the cluster; says whether it was gone in time. May be called again.
    pub(super) fn stop(&self, patience: Duration) -> bool {
        let mut state = self.running.state();
        state.is_stopping = true;
        state.lifeline = None;
        self.running.0.1.notify_all();
        let waited = self.running.0.1.wait_timeout_while(state, patience, |state| !state.has_ended);
        waited.unwrap_or_else(PoisonError::into_inner).0.has_ended
    }
}

struct Ended<'a>(&'a Running);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.0.state().has_ended = true;
        self.0.0.1.notify_all();
    }
}

fn keep(plan: &Plan, running: &Running, mut supervisor: Child) {
    let mut pause = FIRST_PAUSE;
    loop {
        let since = Instant::now();
        let ending = wait(plan, running, &mut supervisor);
        if running.is_stopping() {
            return;
        }
        let ending = ending.map_or_else(|error| error.to_string(), |status| status.to_string());
        tracing::error!(ending, log = %plan.log.display(), "the private PostgreSQL died; starting it again");
        // If only the supervisor died, this ends the rest.
        running.let_go();
        if since.elapsed() > HEALTHY_AFTER {
            pause = FIRST_PAUSE;
        }
        supervisor = loop {
            if running.sleep(pause) {
                return;
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
            match launch(plan, running) {
                Ok(supervisor) => break supervisor,
                Err(_) if running.is_stopping() => return,
                Err(error) => tracing::error!(%error, "the private PostgreSQL did not start; trying again"),
            }
        };
    }
}

/// Waits for the supervisor's end, looking after the log meanwhile.
fn wait(plan: &Plan, running: &Running, supervisor: &mut Child) -> std::io::Result<ExitStatus> {
    let mut checked = Instant::now();
    loop {
        if let Some(status) = supervisor.try_wait()? {
            return Ok(status);
        }
        if running.sleep(Duration::from_millis(200)) {
            return supervisor.wait();
        }
        if checked.elapsed() > LOG_CHECK_EVERY {
            checked = Instant::now();
            rotate(&plan.log);
        }
    }
}

/// The cluster holds the file open for appending, so it is copied and emptied, not renamed.
fn rotate(log: &Path) {
    if guard::log_size(log) < LOG_BYTES {
        return;
    }
    let emptied = fs::copy(log, log.with_extension("log.1"))
        .and_then(|_| fs::OpenOptions::new().write(true).open(log))
        .and_then(|file| file.set_len(0));
    if let Err(error) = emptied {
        tracing::warn!(%error, log = %log.display(), "cannot rotate the log of PostgreSQL");
    }
}
