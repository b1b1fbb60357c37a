//! The remains of an earlier run: processes that still run, a pid file, a socket.
//!
//! PostgreSQL's own lock has two parts: the process number in `postmaster.pid`, and a shared memory segment named
//! there, which stays attached while any of its processes lives. The first part fails when another process now has the
//! number (after a restart of the machine or a container): the file then blocks every start. It is never deleted for
//! that. Its first line is replaced by a number that no process can have, and PostgreSQL still checks the second part,
//! so a living server process makes the start fail.

use std::io::ErrorKind;
use std::path::Path;
use std::time::{Duration, Instant};
use std::{fs, thread};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use crate::server::{Server, cluster_name};
use crate::{Error, guard};

/// The longest time for the server processes of an earlier run to notice that their owner is gone, and to end.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Server processes that lost their postmaster notice it when they next wait for something. Those that are still busy
/// after this time are told to end.
const ORPHANS_TIMEOUT: Duration = Duration::from_secs(1);
/// No process has this number: Linux stays below 2^22, other systems far lower.
const NO_PROCESS: i32 = 999_999_999;

/// Prepares a start: waits until no process of an earlier run lives, repairs the pid file, removes the socket. Returns
/// the remaining text of the pid file, from which [`is_ready`] tells the new one.
pub(crate) fn clear(server: &Server, give_up: &dyn Fn() -> bool) -> Result<Option<String>, Error> {
    wait_until_gone(&server.data, &server.options.application, give_up)?;
    // The directory is this cluster's alone, and its processes are gone: these are stale, whatever number they hold.
    for name in [guard::SOCKET.to_owned(), format!("{}.lock", guard::SOCKET)] {
        remove_file(&server.socket_directory.join(name))?;
    }
    let path = server.data.join("postmaster.pid");
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::io("read", &path)(error)),
    };
    let Some((first, rest)) = text.split_once('\n') else {
        // Interrupted while it was written, before there was any shared memory to name in it.
        remove_file(&path)?;
        return Ok(None);
    };
    if !first.trim().parse().is_ok_and(exists) {
        return Ok(Some(text));
    }
    tracing::warn!(path = %path.display(), process = first, "the process number in a leftover pid file now belongs to \
        another process; repairing the file");
    let repaired = format!("{NO_PROCESS}\n{rest}");
    let new = server.data.join("postmaster.pid.new");
    fs::write(&new, &repaired).map_err(Error::io("write", &new))?;
    crate::folder::chmod(&new, 0o600)?;
    server.account.chown(&new)?;
    fs::rename(&new, &path).map_err(Error::io("replace", &path))?;
    Ok(Some(repaired))
}

/// Does the eighth line of the new server's pid file say that it accepts connections (as `pg_ctl` reads it)? `stale` is
/// the text left by an earlier server.
pub(crate) fn is_ready(data: &Path, stale: Option<&str>) -> bool {
    let Ok(text) = fs::read_to_string(data.join("postmaster.pid")) else { return false };
    let pid = text.lines().next().and_then(|line| line.trim().parse().ok());
    stale != Some(text.as_str()) && status(&text) == Some("ready") && pid.is_some_and(exists)
}

/// The state in a server's pid file.
fn status(text: &str) -> Option<&str> {
    text.lines().nth(7).map(str::trim)
}

/// Ends the sessions of a server that waits for them in its shutdown. Returns `false` if it isn't shutting down.
pub(crate) fn end_shutdown(data: &Path) -> bool {
    let text = fs::read_to_string(data.join("postmaster.pid")).unwrap_or_default();
    let is_stopping = status(&text) == Some("stopping");
    if is_stopping && let Some(postmaster) = living_postmaster(data) {
        signal(postmaster, Signal::INT);
    }
    is_stopping
}

/// Waits until no server process of the cluster in `data` lives. The caller holds the folder's lock, so the process
/// that started them is dead; those that don't end by themselves are stopped.
///
/// # Errors
/// [`Error::StillRunning`] when some are left after 10 seconds.
pub(crate) fn wait_until_gone(data: &Path, application: &str, give_up: &dyn Fn() -> bool) -> Result<(), Error> {
    let started = Instant::now();
    let (mut signalled_postmaster, mut signalled_orphans) = (false, false);
    loop {
        let postmaster = living_postmaster(data);
        let processes = server_processes(data, postmaster);
        if processes.is_empty() {
            return Ok(());
        }
        if started.elapsed() > TIMEOUT || give_up() {
            return Err(Error::StillRunning { data: data.to_owned(), processes });
        }
        match postmaster {
            Some(pid) if !signalled_postmaster && command_line(pid).contains(&cluster_name(application)) => {
                tracing::info!(process = pid, "the PostgreSQL of an earlier run still runs; stopping it");
                signal(pid, Signal::INT);
                signalled_postmaster = true;
            }
            None if !signalled_orphans && started.elapsed() > ORPHANS_TIMEOUT => {
                tracing::warn!(?processes, "server processes outlive their postmaster; ending them");
                processes.iter().for_each(|pid| signal(*pid, Signal::QUIT));
                signalled_orphans = true;
            }
            _ => {}
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// The process named in the pid file, if it lives and is a server of this very directory.
fn living_postmaster(data: &Path) -> Option<i32> {
    let text = fs::read_to_string(data.join("postmaster.pid")).ok()?;
    // A standalone server (initdb's, and the one that creates the role) writes its number negative.
    let pid = text.lines().next()?.trim().parse::<i32>().ok()?.checked_abs()?;
    is_server_of(pid, data).then_some(pid)
}

/// All server processes of this directory that the system shows: at least the postmaster.
fn server_processes(data: &Path, postmaster: Option<i32>) -> Vec<i32> {
    let mut processes: Vec<i32> = postmaster.into_iter().collect();
    let Ok(entries) = fs::read_dir("/proc") else { return processes };
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    processes.extend(pids.filter(|pid| Some(*pid) != postmaster && is_server_of(*pid, data)));
    processes
}

/// A server works in its data directory. A process whose working directory can't be read belongs to another account, so
/// it is not of this cluster; neither is a zombie, which has none.
#[cfg(target_os = "linux")]
fn is_server_of(pid: i32, data: &Path) -> bool {
    let process = Path::new("/proc").join(pid.to_string());
    fs::read_link(process.join("cwd")).is_ok_and(|directory| directory == data)
        && fs::read_to_string(process.join("comm")).is_ok_and(|name| name.trim_end() == "postgres")
}

/// Without `/proc` the working directory of a process is hard to learn: to be safe, any living server of that number
/// counts.
#[cfg(not(target_os = "linux"))]
fn is_server_of(pid: i32, _data: &Path) -> bool {
    exists(pid) && command_line(pid).contains("postgres")
}

#[cfg(target_os = "linux")]
fn command_line(pid: i32) -> String {
    fs::read(format!("/proc/{pid}/cmdline"))
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .unwrap_or_default()
}

#[cfg(not(target_os = "linux"))]
fn command_line(pid: i32) -> String {
    let output = std::process::Command::new("ps").args(["-o", "command=", "-p", &pid.to_string()]).output();
    output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default()
}

/// Does any process of any account have this number?
fn exists(pid: i32) -> bool {
    Pid::from_raw(pid).is_some_and(|pid| match test_kill_process(pid) {
        Ok(()) => true,
        Err(error) => error == rustix::io::Errno::PERM,
    })
}

fn signal(pid: i32, signal: Signal) {
    if let Some(pid) = Pid::from_raw(pid) {
        // It may have ended in the meantime, as wanted.
        let _ = kill_process(pid, signal);
    }
}

fn remove_file(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::io("remove", path)(error)),
        _ => Ok(()),
    }
}
