//! The probe of a node's ability to work, before it counts as ready.

use std::fmt;

use super::{Heartbeat, store};
use crate::error::{Error, Result};

/// An obstacle to serving.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hindrance {
    /// The database is unreachable, silent or failing.
    DatabaseUnreachable,
    /// The database refuses writes: it is a standby, or was made read-only.
    DatabaseReadOnly,
    /// The database's disk is full.
    DiskFull,
    /// The required synchronous standby is missing.
    StandbyMissing,
    /// The connection for writing moves can't be opened or used.
    WriterUnreachable,
    /// No connection of the pool can be opened or used.
    PoolUnreachable,
    /// The clocks of node and database differ by more than the tolerance.
    ClockAstray,
}

impl fmt::Display for Hindrance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::DatabaseUnreachable => "database-unreachable: the database gives no answer, or fails.",
            Self::DatabaseReadOnly => "database-read-only: the database takes no writes.",
            Self::DiskFull => "disk-full: the database has no room to write.",
            Self::StandbyMissing => "standby-missing: there is no synchronous standby, which this node requires.",
            Self::WriterUnreachable => "writer-unreachable: the connection that writes moves can't be opened or used.",
            Self::PoolUnreachable => "pool-unreachable: no connection for reads can be opened or used.",
            Self::ClockAstray => "clock-astray: the clocks of this node and of the database differ too much.",
        })
    }
}

/// PostgreSQL's messages for a full disk.
const FULL: [&str; 4] =
    ["No space left on device", "Disk quota exceeded", "could not extend file", "exceeds temp_file_limit"];

impl Hindrance {
    /// The obstacle behind a resource's error, by default `this`. It is logged.
    pub fn of_resource(error: &Error, this: Self) -> Self {
        let hindrance = match Self::of(error) {
            Self::DatabaseUnreachable => this,
            known => known,
        };
        let cause = error.cause().map(tracing::field::display);
        tracing::warn!(%error, cause, %hindrance, "this node is not ready");
        hindrance
    }

    /// Reads PostgreSQL's message, because diesel doesn't pass on the SQLSTATE.
    fn of(error: &Error) -> Self {
        Self::said(&error.cause().map(ToString::to_string).unwrap_or_default())
    }

    /// Reads a message of PostgreSQL's log.
    pub fn said(cause: &str) -> Self {
        let says = |signs: &[&str]| signs.iter().any(|sign| cause.contains(sign));
        if says(&["read-only transaction"]) {
            Self::DatabaseReadOnly
        } else if says(&FULL) {
            Self::DiskFull
        } else {
            Self::DatabaseUnreachable
        }
    }
}

impl Heartbeat {
    /// Tests whether this node can work by doing a little: a heartbeat, and some hundred kilobytes on the database's
    /// disk for a moment. Without a heartbeat, tests whether the database answers.
    pub async fn probe(&self) -> Result<(), Hindrance> {
        let probed = async {
            let Some(settings) = self.settings else { return self.db.ping().await.map(|()| true) };
            let mut tx = self.db.begin().await?;
            let safe = !settings.requires_sync_standby || store::has_sync_standby(&mut tx).await?;
            // A commit would wait for the standby, and a full disk still allows rewriting one row in place.
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
