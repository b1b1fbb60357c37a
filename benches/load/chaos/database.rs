//! The storm's faults of the database and of the connections to it.

use std::thread;
use std::time::Duration;

use rand::RngExt;
use rand::rngs::StdRng;

use super::forwarder::Forwarder;
use super::pair::Pair;
use super::plan::{Kind, span};
use super::processes;
use crate::Outcome;
use crate::postgres::CUT_CONNECTIONS;

/// Time limit for a statement of the storm itself, beyond intended waits.
const ASKED_WITHIN: Duration = Duration::from_secs(20);

/// The database and the connections to it.
pub struct Database {
    pub pair: Pair,
    /// The proxy to which the nodes are connected.
    pub forwarder: Forwarder,
}

impl Database {
    /// Causes a fault. Returns false if it is impossible now, because no standby is in sync.
    pub fn suffer(&mut self, kind: Kind, dice: &mut StdRng) -> Outcome<bool> {
        self.pair.look_after()?;
        match kind {
            Kind::KillPostgres => {
                self.pair.primary.kill_postmaster();
                thread::sleep(span(dice, 0, 2000));
                self.pair.primary.start()?;
            }
            Kind::Silence => processes::stall(&self.pair.primary.pids(), span(dice, 500, 20_000)),
            Kind::CutConnections => {
                // If the primary is busy, there is nothing to cut.
                let _ = self.pair.primary.sql(CUT_CONNECTIONS, ASKED_WITHIN);
            }
            Kind::HalfOpen => {
                self.forwarder.hold(dice.random_bool(0.5));
                thread::sleep(span(dice, 500, 20_000));
                self.forwarder.release(false);
                thread::sleep(span(dice, 0, 5000));
                self.forwarder.close();
                self.forwarder.release(true);
            }
            Kind::CutPackets => self.forwarder.cut(dice.random_range(0..3000)),
            Kind::LockMatch => self.lock(span(dice, 500, 9000)),
            Kind::Failover => return self.fail_over(dice),
            Kind::StandbyMissing | Kind::FailoverBehind => return self.miss_standby(kind, dice),
            Kind::DiskFull => self.fill(span(dice, 2000, 12_000))?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Locks the head of a match.
    fn lock(&self, pause: Duration) {
        let lock = format!(
            "BEGIN; SELECT 1 FROM match_heads WHERE match_id = (SELECT match_id FROM match_heads \
             WHERE status = 'playing' ORDER BY random() LIMIT 1) FOR UPDATE; SELECT pg_sleep({}); COMMIT",
            pause.as_secs_f64()
        );
        let _ = self.pair.primary.sql_in("broadside", &lock, pause + ASKED_WITHIN);
    }

    fn fail_over(&mut self, dice: &mut StdRng) -> Outcome<bool> {
        if !self.pair.is_in_step()? {
            return Ok(false);
        }
        let (waits, notice_after) = (dice.random_bool(0.3), span(dice, 0, 3000));
        let primary = self.pair.fail_over(waits, notice_after)?;
        self.forwarder.point_at(primary);
        Ok(true)
    }

    /// Removes the standby. Then it comes back, or has to take over without catching up: unconfirmed commits are lost.
    fn miss_standby(&mut self, kind: Kind, dice: &mut StdRng) -> Outcome<bool> {
        if !self.pair.is_in_step()? {
            return Ok(false);
        }
        let Some(standby) = self.pair.standby() else { return Ok(false) };
        standby.lose();
        // Shorter and longer than a node waits for its database.
        thread::sleep(span(dice, 1000, 14_000));
        if kind == Kind::FailoverBehind {
            let primary = self.pair.fail_over(dice.random_bool(0.3), span(dice, 0, 2000))?;
            self.forwarder.point_at(primary);
        } else if let Some(standby) = self.pair.standby() {
            standby.start()?;
        }
        Ok(true)
    }

    fn fill(&mut self, pause: Duration) -> Outcome {
        let primary = &mut self.pair.primary;
        if let Some(disk) = &primary.disk {
            let filled = disk.fill();
            thread::sleep(pause);
            disk.empty();
            filled?;
        }
        // It may have given up.
        primary.start()
    }

    /// Repairs everything, for the end.
    pub fn recover(&mut self) -> Outcome {
        self.forwarder.release(true);
        self.pair.primary.start()?;
        let is_back = self.pair.is_in_step()? || self.pair.is_in_step()?;
        if is_back { Ok(()) } else { Err("the standby does not come back".to_owned()) }
    }
}
