//! The signals that stop a program: SIGTERM, SIGHUP (the end of a terminal or a session) and SIGINT (Ctrl-C).

use tokio::signal::unix::{Signal, SignalKind, signal};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// SIGTERM or SIGHUP.
    InOrder,
    /// SIGINT: a user at a terminal waits.
    AtOnce,
}

/// Receives signals from its creation on. Before, each would have ended the program.
pub struct Signals {
    terminate: Signal,
    interrupt: Signal,
    /// `None` if the program was started with `nohup`.
    hang_up: Option<Signal>,
}

impl Signals {
    /// Receives signals.
    ///
    /// # Errors
    /// A sentence for the operator if the system refuses.
    pub fn install() -> Result<Self, String> {
        let install = |kind| signal(kind).map_err(|error| format!("signals can't be received: {error}"));
        Ok(Self {
            terminate: install(SignalKind::terminate())?,
            interrupt: install(SignalKind::interrupt())?,
            hang_up: if ignores_hang_up() { None } else { Some(install(SignalKind::hangup())?) },
        })
    }

    /// Waits for the next signal.
    pub async fn received(&mut self) -> Stop {
        let hung_up = async {
            match &mut self.hang_up {
                Some(hang_up) => hang_up.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.terminate.recv() => Stop::InOrder,
            _ = hung_up => Stop::InOrder,
            _ = self.interrupt.recv() => Stop::AtOnce,
        }
    }
}

/// True if this process was started with SIGHUP (signal 1) ignored, as by `nohup` (Linux).
fn ignores_hang_up() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}
