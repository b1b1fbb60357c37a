//! The faults of the service, its PostgreSQL and their connections during play.

use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rustix::process::Signal;

use super::{PATIENCE, Plan};
use crate::Outcome;
use crate::postgres::{CUT_CONNECTIONS, Programs, TAKE_A_MOVE};
use crate::service::{self, Service};

/// A kind of fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// SIGKILL to the service; it is restarted.
    Kill,
    /// SIGKILL to the postmaster; the service restarts it.
    KillPostgres,
    /// All connections to the database are cut.
    CutConnections,
    /// The caller's command.
    Command,
}

impl Fault {
    /// All kinds, with their names in the report.
    const ALL: [(Self, &str); 4] = [
        (Self::Kill, "service killed"),
        (Self::KillPostgres, "PostgreSQL killed"),
        (Self::CutConnections, "connections cut"),
        (Self::Command, "the command run"),
    ];
}

/// The target of the faults.
pub struct Victim {
    /// The service that runs the cluster.
    pub service: Service,
    /// For faults that need SQL.
    pub programs: Option<Programs>,
}

impl Victim {
    /// Carries the plan out, and returns the faults done.
    pub fn suffer(&mut self, plan: &Plan) -> Outcome<String> {
        let mut dice = StdRng::seed_from_u64(!plan.seed);
        let mut restarts_ms = Vec::new();
        let mut done = Vec::new();
        for number in 0..plan.kills {
            thread::sleep(Duration::from_millis(dice.random_range(200..1500)));
            let fault = plan.faults[dice.random_range(0..plan.faults.len())];
            self.commit(fault, plan, &mut restarts_ms)
                .map_err(|error| format!("after {number} faults, {fault:?}: {error}"))?;
            done.push(fault);
        }
        // Quiet time at the end, for outstanding responses.
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

    fn commit(&mut self, fault: Fault, plan: &Plan, restarts_ms: &mut Vec<u128>) -> Outcome {
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
                // Right after PostgreSQL was killed there may be nothing to cut.
                let _ = self.psql()?.sql(&self.service, "postgres", CUT_CONNECTIONS);
            }
            Fault::Command => {
                let done = Command::new("sh").arg("-c").args(&plan.command).status();
                let done = done.map_err(|error| format!("the command can't be run: {error}"))?;
                if !done.success() {
                    return Err(format!("the command ended with {done}"));
                }
            }
        }
        Ok(())
    }

    fn psql(&self) -> Outcome<&Programs> {
        self.programs.as_ref().ok_or_else(|| "this fault needs psql; --programs names its folder".to_owned())
    }

    /// Removes the last move of a running match from the log and the head, as if it had been lost.
    pub fn take_a_move(&mut self) -> Outcome {
        println!(
            "forged: a move of the match {} was taken away",
            self.psql()?.sql(&self.service, "postgres", TAKE_A_MOVE)?
        );
        // A running service remembers the unchanged match.
        self.service.stop()?;
        self.service.restart().map(|_| ())
    }
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
