//! What an earlier run left behind: processes that are still going, a pid file, a socket.
//!
//! PostgreSQL's own interlock has two halves: the process number in `postmaster.pid`, and a shared memory segment named
//! there that stays attached while any of its processes lives. The first half misfires when the number has gone to some
//! other process (a restart of the machine, a container), and then the file stands in the way. It is never deleted for
//! that: its first line is replaced by a number that no process can have, and PostgreSQL goes on to judge by the second
//! half, so that a server process that lives on still makes the start refuse.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use super::EmbeddedError;
use super::guard;
use super::keeper::Plan;

/// A setting on the command line by which a server that we started is known.
pub(super) const MARK: &str = "cluster_name=broadside";

/// How long the processes of an earlier run have, once theirs is gone, to see that and go.
const PATIENCE: Duration = Duration::from_secs(10);
/// Server processes that lost their postmaster notice when they next wait for something. One that is busy this long
/// after is told.
const ORPHANS_PATIENCE: Duration = Duration::from_secs(1);
/// Linux numbers processes below 2^22, the others far lower.
const NO_PROCESS: i32 = 999_999_999;

/// Clears the way for a start: waits until no process of an earlier run lives, mends the pid file, removes the socket.
/// Returns the text of the pid file that is left, by which [`is_ready`] can tell the new one.
pub(super) fn clear(plan: &Plan, give_up: &dyn Fn() -> bool) -> Result<Option<String>, EmbeddedError> {
    wait_until_gone(&plan.data, give_up)?;
    // The directory is this cluster's alone, and its processes are gone: these are stale, whatever number they hold.
    for name in [guard::SOCKET.to_owned(), format!("{}.lock", guard::SOCKET)] {
        remove(&plan.socket_folder.join(name))?;
    }
    let path = plan.data.join("postmaster.pid");
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(EmbeddedError::io("read", &path)(error)),
    };
    let Some((first, rest)) = text.split_once('\n') else {
        // Cut off while it was being made, before there was any shared memory to name in it.
        remove(&path)?;
        return Ok(None);
    };
    if !first.trim().parse().is_ok_and(exists) {
        return Ok(Some(text));
    }
    tracing::warn!(path = %path.display(), process = first, "the process number in a left-over pid file is another \
        process's now; mending the file");
    let mended = format!("{NO_PROCESS}\n{rest}");
    let beside = plan.data.join("postmaster.pid.mended");
    fs::write(&beside, &mended).map_err(EmbeddedError::io("write", &beside))?;
    super::folder::chmod(&beside, 0o600)?;
    plan.account.own(&beside)?;
    fs::rename(&beside, &path).map_err(EmbeddedError::io("replace", &path))?;
    Ok(Some(mended))
}

/// Whether the new server has written that it accepts connections, which is the eighth line of its pid file (as `pg_ctl`
/// reads it). `stale` is the text that an earlier one left.
pub(super) fn is_ready(data: &Path, stale: Option<&str>) -> bool {
    let Ok(text) = fs::read_to_string(data.join("postmaster.pid")) else { return false };
    let pid = text.lines().next().and_then(|line| line.trim().parse().ok());
    stale != Some(text.as_str())
        && text.lines().nth(7).is_some_and(|status| status.trim() == "ready")
        && pid.is_some_and(exists)
}

/// Waits until no server process of the cluster in `data` lives. The caller holds the folder's lock: whoever started
/// them is dead, so they are asked to go if nothing else has.
///
/// # Errors
/// [`EmbeddedError::Lingering`] when some are left after 10 seconds.
pub(super) fn wait_until_gone(data: &Path, give_up: &dyn Fn() -> bool) -> Result<(), EmbeddedError> {
    let started = Instant::now();
    let (mut asked_postmaster, mut asked_orphans) = (false, false);
    loop {
        let postmaster = living_postmaster(data);
        let processes = server_processes(data, postmaster);
        if processes.is_empty() {
            return Ok(());
        }
        if started.elapsed() > PATIENCE || give_up() {
            return Err(EmbeddedError::Lingering { data: data.to_owned(), processes });
        }
        match postmaster {
            Some(pid) if !asked_postmaster && is_ours(pid) => {
                tracing::info!(process = pid, "an earlier run's PostgreSQL is still there; stopping it");
                signal(pid, Signal::INT);
                asked_postmaster = true;
            }
            None if !asked_orphans && started.elapsed() > ORPHANS_PATIENCE => {
                tracing::warn!(?processes, "server processes outlive their postmaster; ending them");
                processes.iter().for_each(|pid| signal(*pid, Signal::QUIT));
                asked_orphans = true;
            }
            _ => {}
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// The process that the pid file names, if it lives and is a server of this very folder.
fn living_postmaster(data: &Path) -> Option<i32> {
    let text = fs::read_to_string(data.join("postmaster.pid")).ok()?;
    // A standalone server (initdb's, ours) writes its number negative.
    let pid = text.lines().next()?.trim().parse::<i32>().ok()?.checked_abs()?;
    is_server_of(pid, data).then_some(pid)
}

/// All server processes of this folder, as far as the system shows them: at least the postmaster.
fn server_processes(data: &Path, postmaster: Option<i32>) -> Vec<i32> {
    let mut processes: Vec<i32> = postmaster.into_iter().collect();
    let Ok(entries) = fs::read_dir("/proc") else { return processes };
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    processes.extend(pids.filter(|pid| Some(*pid) != postmaster && is_server_of(*pid, data)));
    processes
}

/// A server works in its data folder. A process whose working directory we may not see belongs to another account, so
/// it is none of this cluster's; neither is a zombie, which has none.
#[cfg(target_os = "linux")]
fn is_server_of(pid: i32, data: &Path) -> bool {
    let process = Path::new("/proc").join(pid.to_string());
    fs::read_link(process.join("cwd")).is_ok_and(|folder| folder == data)
        && fs::read_to_string(process.join("comm")).is_ok_and(|name| name.trim_end() == "postgres")
}

/// Without `/proc` a working directory is hard to learn: any living server of that number counts, to be safe.
#[cfg(not(target_os = "linux"))]
fn is_server_of(pid: i32, _data: &Path) -> bool {
    exists(pid) && command_line(pid).contains("postgres")
}

fn is_ours(pid: i32) -> bool {
    command_line(pid).contains(MARK)
}

#[cfg(target_os = "linux")]
fn command_line(pid: i32) -> String {
    fs::read(format!("/proc/{pid}/cmdline"))
        .map(|words| String::from_utf8_lossy(&words).into_owned())
        .unwrap_or_default()
}

#[cfg(not(target_os = "linux"))]
fn command_line(pid: i32) -> String {
    let listed = std::process::Command::new("ps").args(["-o", "command=", "-p", &pid.to_string()]).output();
    listed.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default()
}

/// Whether any process has this number, whoever's it is.
fn exists(pid: i32) -> bool {
    Pid::from_raw(pid).is_some_and(|pid| match test_kill_process(pid) {
        Ok(()) => true,
        Err(error) => error == rustix::io::Errno::PERM,
    })
}

fn signal(pid: i32, signal: Signal) {
    if let Some(pid) = Pid::from_raw(pid) {
        // It may have gone meanwhile, which is what is wanted.
        let _ = kill_process(pid, signal);
    }
}

fn remove(path: &Path) -> Result<(), EmbeddedError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(EmbeddedError::io("remove", path)(error)),
        _ => Ok(()),
    }
}
