//! A primary and its synchronous standby. When the primary is lost the standby takes over, and the remains of the
//! primary become the new standby, in the background.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::server::{Server, Tools, is_root};
use crate::Outcome;

/// Time limit for a standby to confirm commits, after its start or creation.
const CONFIRMS_WITHIN: Duration = Duration::from_secs(60);
/// Time limit for a query.
const ASKED_WITHIN: Duration = Duration::from_secs(10);
/// The role and the database of the service.
const DATABASE: &str = "CREATE ROLE broadside LOGIN CREATEDB; GRANT pg_monitor TO broadside";

/// Two servers.
pub struct Pair {
    pub primary: Server,
    /// The number of standbys recreated because they didn't come back.
    pub made_anew: usize,
    standby: Standby,
}

enum Standby {
    /// It is running, or can be started.
    There(Server),
    /// It is being recreated. The thread returns it, with a fault.
    Coming(JoinHandle<(Server, Outcome)>),
    /// Lost with the thread.
    Gone,
}

impl Pair {
    /// Makes both in `folder`, each on its own disk if possible.
    pub fn make(tools: &Arc<Tools>, folder: &Path) -> Outcome<Self> {
        let mut primary = match Server::new(tools, &folder.join("one"), is_root()) {
            Ok(server) => server,
            Err(error) if is_root() => {
                println!("no disks of their own: {error}");
                Server::new(tools, &folder.join("first"), false)?
            }
            Err(error) => return Err(error),
        };
        primary.make()?;
        primary.start()?;
        primary.sql(DATABASE, ASKED_WITHIN)?;
        primary.sql("CREATE DATABASE broadside OWNER broadside", Duration::from_secs(60))?;
        let mut standby = Server::new(tools, &folder.join("two"), primary.disk.is_some())?;
        standby.copy(primary.address())?;
        standby.start()?;
        let mut pair = Self { primary, standby: Standby::There(standby), made_anew: 0 };
        if pair.is_in_step()? { Ok(pair) } else { Err("the standby confirms nothing".to_owned()) }
    }

    /// Takes over a completed standby. The primary waits for it from then on.
    pub fn look_after(&mut self) -> Outcome {
        if matches!(&self.standby, Standby::Coming(thread) if thread.is_finished())
            && let Standby::Coming(thread) = std::mem::replace(&mut self.standby, Standby::Gone)
        {
            let (server, made) = thread.join().map_err(|_| "the thread of the standby has failed")?;
            match made {
                Ok(()) => {
                    self.standby = Standby::There(server);
                    self.primary.wait_for_standby(true)?;
                }
                // The primary was killed meanwhile, for example.
                Err(_) => self.make_anew(server),
            }
        }
        Ok(())
    }

    fn make_anew(&mut self, mut server: Server) {
        let primary = self.primary.address();
        self.standby = Standby::Coming(thread::spawn(move || {
            server.lose();
            let made = server.copy(primary).and_then(|()| server.start());
            if made.is_err() {
                thread::sleep(Duration::from_secs(1));
            }
            (server, made)
        }));
    }

    /// Waits until the standby confirms commits, and has all earlier ones. One that doesn't come back is recreated.
    /// Returns false if it takes too long.
    pub fn is_in_step(&mut self) -> Outcome<bool> {
        let deadline = Instant::now() + CONFIRMS_WITHIN;
        let mut committed = None;
        while Instant::now() < deadline {
            self.look_after()?;
            if let Standby::There(_) = self.standby {
                if committed.is_none() {
                    self.primary.wait_for_standby(true)?;
                    let confirms = "SELECT pg_current_wal_insert_lsn() FROM pg_stat_replication \
                        WHERE state = 'streaming' AND sync_state = 'sync'";
                    committed = self.primary.sql(confirms, ASKED_WITHIN).ok().filter(|position| !position.is_empty());
                }
                if let Some(committed) = &committed {
                    let has_it = format!("SELECT 1 FROM pg_stat_replication WHERE flush_lsn >= '{committed}'");
                    if self.primary.sql(&has_it, ASKED_WITHIN).is_ok_and(|one| one == "1") {
                        return Ok(true);
                    }
                }
            }
            thread::sleep(Duration::from_millis(200));
        }
        if let Standby::There(_) = self.standby
            && let Standby::There(server) = std::mem::replace(&mut self.standby, Standby::Gone)
        {
            self.made_anew += 1;
            self.make_anew(server);
        }
        Ok(false)
    }

    /// The standby, if there is one.
    pub fn standby(&mut self) -> Option<&mut Server> {
        match &mut self.standby {
            Standby::There(server) => Some(server),
            Standby::Coming(_) | Standby::Gone => None,
        }
    }

    /// Loses the primary, and promotes the standby, which is started if necessary. With `waits` no commit is confirmed
    /// until there is a new standby; otherwise commits don't wait for one.
    pub fn fail_over(&mut self, waits: bool, notice_after: Duration) -> Outcome<SocketAddr> {
        self.primary.lose();
        thread::sleep(notice_after);
        let Standby::There(mut standby) = std::mem::replace(&mut self.standby, Standby::Gone) else {
            return Err("there is no standby that could take over".to_owned());
        };
        standby.wait_for_standby(waits)?;
        standby.start()?;
        standby.sql("SELECT pg_promote(true, 60)", Duration::from_secs(70))?;
        let old = std::mem::replace(&mut self.primary, standby);
        self.make_anew(old);
        Ok(self.primary.address())
    }
}
