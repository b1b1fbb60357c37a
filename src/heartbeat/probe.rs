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
    /// The connection that writes moves can't be opened or used.
    WriterUnreachable,
    /// No connection of the pool can be opened or used.
    PoolUnreachable,
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
            Self::WriterUnreachable => "writer-unreachable: the connection that writes moves can't be opened or used.",
            Self::PoolUnreachable => "pool-unreachable: no connection for reads can be opened or used.",
            Self::ClockAstray => "clock-astray: the clocks of this node and of the database differ too much.",
        })
    }
}

/// What PostgreSQL says when there is no room.
const FULL: [&str; 4] =
    ["No space left on device", "Disk quota exceeded", "could not extend file", "exceeds temp_file_limit"];

impl Hindrance {
    /// Why a resource doesn't work, or that it is `this` one. It is logged.
    pub fn of_resource(error: &Error, this: Self) -> Self {
        let hindrance = match Self::of(error) {
            Self::DatabaseUnreachable => this,
            known => known,
        };
        let cause = error.cause().map(tracing::field::display);
        tracing::warn!(%error, cause, %hindrance, "this node is not ready");
        hindrance
    }

    /// What PostgreSQL's words mean; diesel doesn't hand on the SQLSTATE.
    fn of(error: &Error) -> Self {
        Self::said(&error.cause().map(ToString::to_string).unwrap_or_default())
    }

    /// The same of words in its log.
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
