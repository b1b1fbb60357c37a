//! Starts the server and keeps it running: one thread waits for its end, and starts it again unless the owner asked for
//! that end. It is a plain thread, not a task, because the server must outlive the async runtime that started it (each
//! test has a runtime of its own).

use std::path::Path;
use std::process::{Child, ChildStdin, ExitStatus};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{fs, thread};

use crate::server::Server;
use crate::{Error, guard, leftovers};

/// The longest start. Recovery after a crash can be slow, and the only option is to wait for it.
const START_TIMEOUT: Duration = Duration::from_secs(300);
/// The pause before the first attempt to start again. It doubles with each attempt.
const MIN_PAUSE: Duration = Duration::from_millis(100);
const MAX_PAUSE: Duration = Duration::from_secs(5);
/// A server that ran this long is healthy: when it ends, the pauses begin with the shortest again.
const HEALTHY_AFTER: Duration = Duration::from_secs(60);
/// A log of this size (16 MiB) is rotated.
const MAX_LOG_BYTES: u64 = 16 << 20;
const LOG_CHECK_INTERVAL: Duration = Duration::from_secs(60);

/// The state shared by the supervisor's thread and its owner.
#[derive(Debug, Clone, Default)]
struct Shared(Arc<(Mutex<State>, Condvar)>);

#[derive(Debug, Default)]
struct State {
    /// Open while the server is to run; closing it stops the server.
    lifeline: Option<ChildStdin>,
    is_stopping: bool,
    has_ended: bool,
    /// The reason why the server could not be started again.
    trouble: Option<String>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_stopping(&self) -> bool {
        self.state().is_stopping
    }

    /// Waits; returns whether the server's end was asked for within this time.
    fn sleep(&self, time: Duration) -> bool {
        let waited = self.0.1.wait_timeout_while(self.state(), time, |state| !state.is_stopping);
        waited.unwrap_or_else(PoisonError::into_inner).0.is_stopping
    }

    /// A server that is started while its end is being asked for stops at once, because its lifeline is dropped here.
    fn keep_open(&self, lifeline: ChildStdin) {
        let mut state = self.state();
        if !state.is_stopping {
            state.lifeline = Some(lifeline);
        }
    }

    fn close_lifeline(&self) {
        self.state().lifeline = None;
    }

    /// Changes the state and wakes the waiting threads.
    fn change(&self, change: impl FnOnce(&mut State)) -> MutexGuard<'_, State> {
        let mut state = self.state();
        change(&mut state);
        self.0.1.notify_all();
        state
    }
}

/// The state of a cluster's server, for a part of the program that doesn't own the cluster.
#[derive(Debug, Clone)]
pub struct Status(Shared);

impl Status {
    /// The reason, with the end of the server's log, after a failed start. `None`: it runs, or is being started.
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        self.0.state().trouble.clone()
    }
}

/// Starts the server and waits until it accepts connections. Returns its guard.
fn launch(server: &Server, shared: &Shared) -> Result<Child, Error> {
    server.lock.check()?;
    let stale = leftovers::clear(server, &|| shared.is_stopping())?;
    let before = guard::log_size(&server.log);
    let program = server.programs.join("postgres");
    let mut guarded = server.guarded(&program, server.arguments(), None);
    if server.is_throwaway() {
        guarded.remove_after = Some(&server.cluster_directory);
    }
    let started = Instant::now();
    let (mut guard, lifeline) = guarded.spawn()?;
    shared.keep_open(lifeline);
    let error = loop {
        match guard.try_wait() {
            Ok(None) => {}
            Ok(Some(status)) => {
                let what = format!("PostgreSQL did not start ({status})");
                break Error::failed(what, guard::log_since(&server.log, before));
            }
            Err(source) => break Error::io("wait for", &program)(source),
        }
        if leftovers::is_ready(&server.data, stale.as_deref()) {
            let ms = started.elapsed().as_millis();
            tracing::info!(data = %server.data.display(), ms, "the private PostgreSQL accepts connections");
            return Ok(guard);
        }
        if started.elapsed() > START_TIMEOUT {
            let details = guard::log_since(&server.log, before);
            break Error::failed("PostgreSQL was not ready after 5 minutes", details);
        }
        thread::sleep(Duration::from_millis(5));
    };
    shared.close_lifeline();
    let _ = guard.wait();
    Err(error)
}

/// The owner's handle of the supervisor's thread.
#[derive(Debug)]
pub(crate) struct Supervisor {
    shared: Shared,
}

impl Supervisor {
    /// Starts the server, waits until it accepts connections, and keeps it running from then on.
    pub(crate) fn start(server: Arc<Server>) -> Result<Supervisor, Error> {
        let shared = Shared::default();
        let guard = launch(&server, &shared)?;
        let in_thread = shared.clone();
        let thread = thread::Builder::new().name("pg-supervisor".to_owned());
        let spawned = thread.spawn(move || {
            // Dropped last: however the thread ends, it gives up its share of the folder's lock (in `server`) first.
            let _ended = EndNotice(&in_thread);
            let server = server;
            supervise(&server, &in_thread, guard);
            if server.socket_directory != server.cluster_directory {
                // It is empty by now, or holds something that is not the server's.
                let _ = fs::remove_dir(&server.socket_directory);
            }
        });
        match spawned {
            Ok(_) => Ok(Supervisor { shared }),
            Err(error) => {
                shared.close_lifeline();
                Err(Error::failed("cannot start the thread that supervises PostgreSQL", error))
            }
        }
    }

    pub(crate) fn status(&self) -> Status {
        Status(self.shared.clone())
    }

    /// Stops the server; returns whether it had ended within the timeout. It may be called again.
    pub(crate) fn stop(&self, timeout: Duration) -> bool {
        let state = self.shared.change(|state| {
            state.is_stopping = true;
            state.lifeline = None;
        });
        let waited = self.shared.0.1.wait_timeout_while(state, timeout, |state| !state.has_ended);
        waited.unwrap_or_else(PoisonError::into_inner).0.has_ended
    }
}

/// Tells the owner, when it is dropped, that the thread has ended.
struct EndNotice<'a>(&'a Shared);

impl Drop for EndNotice<'_> {
    fn drop(&mut self) {
        drop(self.0.change(|state| state.has_ended = true));
    }
}

/// Starts the server again whenever it ends, until its end is asked for.
fn supervise(server: &Server, shared: &Shared, mut guard: Child) {
    let mut pause = MIN_PAUSE;
    loop {
        let since = Instant::now();
        let ending = wait(server, shared, &mut guard);
        if shared.is_stopping() {
            return;
        }
        let ending = ending.map_or_else(|error| error.to_string(), |status| status.to_string());
        tracing::error!(ending, log = %server.log.display(), "the private PostgreSQL ended unexpectedly; restarting");
        // If only the guard ended, this stops the server.
        shared.close_lifeline();
        if since.elapsed() > HEALTHY_AFTER {
            pause = MIN_PAUSE;
        }
        guard = loop {
            if shared.sleep(pause) {
                return;
            }
            pause = (pause * 2).min(MAX_PAUSE);
            match launch(server, shared) {
                Ok(guard) => {
                    drop(shared.change(|state| state.trouble = None));
                    break guard;
                }
                Err(_) if shared.is_stopping() => return,
                Err(error) => {
                    tracing::error!(%error, "the private PostgreSQL did not start; trying again");
                    drop(shared.change(|state| state.trouble = Some(error.to_string())));
                }
            }
        };
    }
}

/// Waits for the guard's end, and rotates the log meanwhile.
fn wait(server: &Server, shared: &Shared, guard: &mut Child) -> std::io::Result<ExitStatus> {
    let (mut checked, mut is_told) = (Instant::now(), false);
    loop {
        if let Some(status) = guard.try_wait()? {
            return Ok(status);
        }
        if shared.sleep(Duration::from_millis(200)) {
            return guard.wait();
        }
        // A server told to stop by others (SIGTERM) refuses new connections for as long as there are old ones.
        if leftovers::end_shutdown(&server.data) && !std::mem::replace(&mut is_told, true) {
            tracing::error!("others have told the private PostgreSQL to stop; ending its sessions to start it again");
        }
        if checked.elapsed() > LOG_CHECK_INTERVAL {
            checked = Instant::now();
            rotate(&server.log);
        }
    }
}

/// The server has the file open for appending, so it is copied and emptied, not renamed.
fn rotate(log: &Path) {
    if guard::log_size(log) < MAX_LOG_BYTES {
        return;
    }
    let emptied = fs::copy(log, log.with_extension("log.1"))
        .and_then(|_| fs::OpenOptions::new().write(true).open(log))
        .and_then(|file| file.set_len(0));
    if let Err(error) = emptied {
        tracing::warn!(%error, log = %log.display(), "cannot rotate the log of PostgreSQL");
    }
}
