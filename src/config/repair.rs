//! `broadside repair …`: repair of damaged data.

use clap::Subcommand;

use super::{ArchiveAddress, Database};

/// What an operator repairs.
#[derive(Subcommand, Debug)]
pub enum Repair {
    /// Repair a match that answers `match-damaged`: if its log is whole, what lists and clocks believe is written again
    /// from it; else the match ends without a result. What is removed of its log is printed. Take a backup before
    Match {
        /// The database.
        #[command(flatten)]
        database: Database,
        /// The archive.
        #[command(flatten)]
        archive: ArchiveAddress,
        /// The match
        #[arg(value_name = "ID")]
        id: crate::ids::MatchId,
    },
}
