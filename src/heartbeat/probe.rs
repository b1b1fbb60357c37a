//! Whether a node can do its work: what is asked before it is said to be ready.

use std::fmt;

use super::{Heartbeat, store};
use crate::error::{Error, Result};

/// What keeps a node from serving.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hindrance {
    /// The database can't be reached, gives no answer, or fails.
    DatabaseUnreachable,
    /// It takes no writes: it is a standby, or was made read-only.
    DatabaseReadOnly,
    /// It has no room on its disk.
    DiskFull,
    /// The synchronous standby that the operator has promised isn't there.
    StandbyMissing,
    /// The clocks of the node and of the database differ by more than is tolerated.
    ClockAstray,
}

impl fmt::Display for Hindrance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::DatabaseUnreachable => "database-unreachable: the database gives no answer, or fails.",
            Self::DatabaseReadOnly => "database-read-only: the database takes no writes.",
            Self::DiskFull => "disk-full: the database has no room to write.",
            Self::StandbyMissing => "standby-missing: there is no synchronous standby, which this node requires.",
            Self::ClockAstray => "clock-astray: the clocks of this node and of the database differ too much.",
        })
    }
}

impl Hindrance {
    /// What PostgreSQL's words mean; diesel doesn't hand on the SQLSTATE.
    fn of(error: &Error) -> Self {
        let cause = error.cause().map(ToString::to_string).unwrap_or_default();
        let says = |signs: &[&str]| signs.iter().any(|sign| cause.contains(sign));
        if says(&["read-only transaction"]) {
            Self::DatabaseReadOnly
        } else if says(&["No space left on device", "could not extend file", "exceeds temp_file_limit"]) {
            Self::DiskFull
        } else {
            Self::DatabaseUnreachable
        }
    }
}

impl Heartbeat {
    /// Whether this node can do its work, found out by doing a little of it: a sign of life, and some hundred kilobytes
    /// on the database's disk for a moment. Where nobody watches over the service, whether the database answers.
    pub async fn probe(&self) -> Result<(), Hindrance> {
        let probed = async {
            let Some(settings) = self.settings else { return self.db.ping().await.map(|()| true) };
            let mut tx = self.db.begin().await?;
            let safe = !settings.requires_sync_standby || store::has_sync_standby(&mut tx).await?;
            // A commit would wait for the standby, and a full disk lets one row be rewritten in its place.
            if safe {
                store::spill(&mut tx).await?;
            }
            tx.roll_back().await?;
            if safe {
                self.beat().await?;
            }
            Ok(safe)
        };
        match probed.await {
            Ok(true) if self.held().is_some() => Err(Hindrance::ClockAstray),
            Ok(true) => Ok(()),
            Ok(false) => Err(Hindrance::StandbyMissing),
            Err(error) => {
                let (cause, hindrance) = (error.cause().map(tracing::field::display), Hindrance::of(&error));
                tracing::warn!(%error, cause, %hindrance, "this node is not ready");
                Err(hindrance)
            }
        }
    }
}
