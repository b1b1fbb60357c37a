//! `broadside events …`: the event logs of all accounts.

use clap::Subcommand;

use super::Database;
use crate::audit_log::AuditReason;

/// What an operator does about the logs of events.
#[derive(Subcommand, Debug)]
pub enum Events {
    /// Say that the database was put back to an earlier time in a way that the service can't notice (files of a stopped
    /// cluster, a snapshot of the machine): clients read anew, and their cursors are refused
    NewEpoch {
        /// The database.
        #[command(flatten)]
        database: Database,
        /// Why, for the audit log: 1 to 500 characters
        #[arg(long, value_name = "TEXT", default_value = "by the operator")]
        reason: AuditReason,
    },
}
