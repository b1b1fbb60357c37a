//! `broadside migrate`.

use clap::Args;

use super::Database;

/// Brings the schema up to date, and more.
#[derive(Args, Debug)]
pub struct Migrate {
    /// The database.
    #[command(flatten)]
    pub database: Database,
    /// Only list the migrations that have not run; the exit status is 1 when there are any
    #[arg(long)]
    pub pending: bool,
    /// Then spread the tables of matches and of event logs over the workers of Citus, while no node runs; what is
    /// spread already stays as it is
    #[arg(long, conflicts_with = "pending")]
    pub distribute: bool,
    /// Into how many parts: as many as there may ever be workers, or more. Many make moves slower
    #[arg(long, value_name = "N", requires = "distribute", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub shards: u16,
}
