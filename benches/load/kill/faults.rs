//! What is done to the service, its PostgreSQL and their connections while clients play.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rustix::process::Signal;

use super::{PATIENCE, Plan};
use crate::Outcome;
use crate::postgres::Programs;
use crate::service::{self, Node, Service};

/// One thing that goes wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// SIGKILL to the service; it is started again.
    Kill,
    /// SIGKILL to the postmaster; the service starts it again.
    KillPostgres,
    /// All connections to the database are cut.
    CutConnections,
    /// SIGKILL to the second node; it is started again.
    KillNode,
    /// The service is told to stop (SIGTERM), and started again.
    Stop,
    /// The service stands still for some seconds (SIGSTOP), and goes on.
    Stall,
    /// PostgreSQL stands still for some seconds, all of its processes, and goes on.
    Silence,
    /// Somebody holds the head of a match for some seconds.
    Lock,
}

impl Fault {
    /// All of them, with their names in the report.
    const ALL: [(Self, &str); 8] = [
        (Self::Kill, "service killed"),
        (Self::KillPostgres, "PostgreSQL killed"),
        (Self::CutConnections, "connections cut"),
        (Self::KillNode, "second node killed"),
        (Self::Stop, "service stopped"),
        (Self::Stall, "service stalled"),
        (Self::Silence, "PostgreSQL silent"),
        (Self::Lock, "match locked"),
    ];

    /// All of them.
    pub fn all() -> Vec<Self> {
        Self::ALL.map(|(fault, _)| fault).to_vec()
    }
}

/// What the faults are done to.
pub struct Victim {
    /// The service that looks after the cluster.
    pub service: Service,
    /// Another node on its database, if there is one.
    pub node: Option<Node>,
    /// For what needs SQL.
    pub programs: Option<Programs>,
}

impl Victim {
    /// Carries the plan out, and says what was done.
    pub fn suffer(&mut self, plan: &Plan) -> Outcome<String> {
        let mut dice = StdRng::seed_from_u64(!plan.seed);
        let mut restarts_ms = Vec::new();
        let mut done = Vec::new();
        for number in 0..plan.kills {
            thread::sleep(Duration::from_millis(dice.random_range(200..1500)));
            let fault = plan.faults[dice.random_range(0..plan.faults.len())];
            self.commit(fault, &mut dice, &mut restarts_ms)
                .map_err(|error| format!("after {number} faults, {fault:?}: {error}"))?;
            done.push(fault);
        }
        // A last while in peace, so that every player gets their answers.
        thread::sleep(Duration::from_secs(2));
        restarts_ms.sort_unstable();
        let counts = Fault::ALL.iter().filter_map(|(fault, name)| {
            let count = done.iter().filter(|one| *one == fault).count();
            (count > 0).then(|| format!("{name} {count}"))
        });
        let middle = restarts_ms.get(restarts_ms.len() / 2).copied().unwrap_or_default();
        let longest = restarts_ms.last().copied().unwrap_or_default();
        Ok(format!(
            "{} (after a kill listening again in {middle} ms in the middle, {longest} ms at most)",
            counts.collect::<Vec<_>>().join(", ")
        ))
    }

    fn commit(&mut self, fault: Fault, dice: &mut StdRng, restarts_ms: &mut Vec<u128>) -> Outcome {
        // Shorter and longer than the service waits for its database.
        let pause = Duration::from_millis(dice.random_range(500..9000));
        let service = &mut self.service;
        match fault {
            Fault::Kill => {
                service.kill()?;
                restarts_ms.push(service.restart()?.as_millis());
            }
            Fault::KillPostgres => {
                let postmaster = service.postmaster()?;
                service::end(postmaster, Signal::KILL)?;
                until_another(service, postmaster)?;
            }
            Fault::CutConnections => {
                let cut = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'broadside'";
                // Right after PostgreSQL was killed there may be nothing to cut.
                let _ = self.psql()?.sql(&self.service, "postgres", cut);
            }
            Fault::KillNode => {
                if let Some(node) = &mut self.node {
                    service.restart_node(node)?;
                }
            }
            Fault::Stop => {
                service.stop()?;
                service.restart()?;
            }
            Fault::Stall => stall(&[service.pid()], pause)?,
            Fault::Silence => stall(&of_cluster(service.postmaster()?), pause)?,
            Fault::Lock => {
                let lock = format!(
                    "BEGIN; SELECT 1 FROM match_heads WHERE match_id = (SELECT match_id FROM match_heads \
                     WHERE status = 'playing' ORDER BY random() LIMIT 1) FOR UPDATE; SELECT pg_sleep({}); COMMIT",
                    pause.as_secs_f64()
                );
                let _ = self.psql()?.sql(&self.service, "postgres", &lock);
            }
        }
        Ok(())
    }

    fn psql(&self) -> Outcome<&Programs> {
        self.programs.as_ref().ok_or_else(|| "this fault needs psql; --programs names its folder".to_owned())
    }

    /// Takes the last move of a match under way out of the log and the head, as if it had never lasted.
    pub fn take_a_move(&mut self) -> Outcome {
        let taken = "WITH one AS (UPDATE match_heads SET seq = seq - 1, to_act = 3 - to_act WHERE match_id = \
             (SELECT match_id FROM match_heads WHERE status = 'playing' AND seq > 4 ORDER BY match_id LIMIT 1) \
             RETURNING match_id, seq + 1 AS seq) DELETE FROM match_log AS e USING one \
             WHERE (e.match_id, e.seq) = (one.match_id, one.seq) RETURNING e.match_id";
        println!("forged: a move of the match {} was taken away", self.psql()?.sql(&self.service, "postgres", taken)?);
        // A service that was running remembers the match as it was.
        self.service.stop()?;
        self.service.restart().map(|_| ())
    }
}

/// Lets processes stand still for a while. They go on even if one of them couldn't be stopped.
fn stall(pids: &[u32], pause: Duration) -> Outcome {
    let stopped: Vec<Outcome> = pids.iter().map(|pid| service::end(*pid, Signal::STOP)).collect();
    thread::sleep(pause);
    for pid in pids {
        // One may have ended before it was stopped.
        let _ = service::end(*pid, Signal::CONT);
    }
    stopped.into_iter().next().unwrap_or(Ok(()))
}

/// The postmaster first, then the processes that it has started.
fn of_cluster(postmaster: u32) -> Vec<u32> {
    let mut pids = vec![postmaster];
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        // Fields 3 and 4, behind the name in parentheses: state, parent; see proc(5).
        let parent = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1)?.parse::<u32>().ok());
        if parent == Some(postmaster) {
            pids.push(pid);
        }
    }
    pids
}

/// Waits until the cluster has another postmaster.
fn until_another(service: &Service, postmaster: u32) -> Outcome {
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        if service.postmaster().is_ok_and(|other| other != postmaster) {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(20));
    }
    Err(format!("PostgreSQL was killed and did not come back; {}", service.log()))
}
