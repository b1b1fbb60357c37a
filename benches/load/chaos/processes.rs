//! Stopping and killing groups of processes, and running programs with a time limit.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use rustix::process::Signal;

use crate::Outcome;
use crate::service;

/// Stops processes for a while. They continue even if one of them couldn't be stopped.
pub fn stall(pids: &[u32], pause: Duration) {
    signal(pids, Signal::STOP);
    thread::sleep(pause);
    signal(pids, Signal::CONT);
}

/// Kills processes at once, and returns when those that aren't children of this program are gone.
pub fn kill(pids: &[u32]) {
    signal(pids, Signal::KILL);
    let is_alive = |pid: &u32| fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "));
    let deadline = Instant::now() + Duration::from_secs(10);
    while pids.iter().any(is_alive) && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(10));
    }
}

fn signal(pids: &[u32], signal: Signal) {
    for pid in pids {
        // It may have ended before.
        let _ = service::end(*pid, signal);
    }
}

/// The postmaster first, then the processes that it has started.
pub fn of_cluster(postmaster: u32) -> Vec<u32> {
    let mut pids = vec![postmaster];
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        // Fields 3 and 4, after the name in parentheses: state, parent; see proc(5).
        let parent = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1)?.parse::<u32>().ok());
        if parent == Some(postmaster) {
            pids.push(pid);
        }
    }
    pids
}

/// Runs a program with little output, and returns that. Kills it after `within`.
pub fn run(command: &mut Command, within: Duration) -> Outcome<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.map_err(|error| format!("{name}: {error}"))?;
    let deadline = Instant::now() + within;
    let status = loop {
        match child.try_wait().map_err(|error| format!("{name}: {error}"))? {
            Some(status) => break status,
            None if Instant::now() < deadline => thread::sleep(Duration::from_millis(10)),
            None => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("{name} took longer than {} s", within.as_secs()));
            }
        }
    };
    let [said, complaint] = said_by(&mut child);
    if status.success() { Ok(said) } else { Err(format!("{name}: {complaint}")) }
}

fn said_by(child: &mut Child) -> [String; 2] {
    let (mut said, mut complaint) = (Vec::new(), Vec::new());
    let _ = child.stdout.take().map(|mut pipe| pipe.read_to_end(&mut said));
    let _ = child.stderr.take().map(|mut pipe| pipe.read_to_end(&mut complaint));
    [said, complaint].map(|bytes| String::from_utf8_lossy(&bytes).trim().to_owned())
}
