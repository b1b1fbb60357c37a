//! `broadside ratings …`: the operator's commands about ratings.

use clap::Subcommand;

use super::Database;

/// What an operator does about ratings.
#[derive(Subcommand, Debug)]
pub enum Ratings {
    /// Work every rating out again from the ledger and the results of the matches, and compare: 0 when all agree, 1
    /// when not (and where first)
    Verify {
        /// The database.
        #[command(flatten)]
        database: Database,
        /// Only this pool, such as classic-days
        #[arg(long, value_name = "POOL")]
        pool: Option<broadside_contests::Pool>,
    },
    /// Take back what a match has done to the ratings of its players, by new rows in the ledger; everybody can read why
    Annul {
        /// The database.
        #[command(flatten)]
        database: Database,
        /// The match
        #[arg(value_name = "MATCH")]
        id: crate::ids::MatchId,
        /// Why: 1 to 500 characters
        #[arg(long, value_name = "TEXT")]
        reason: crate::audit_log::AuditReason,
    },
}
