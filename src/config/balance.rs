//! `broadside balance`: the measurement of balance.

use std::path::PathBuf;

use clap::Args;

/// What is measured, and how long.
#[derive(Args, Debug)]
pub struct Balance {
    /// A rule set in JSON; with --variant, the changes to that variant. `-` reads standard input
    #[arg(value_name = "FILE", required_unless_present = "variant")]
    pub file: Option<PathBuf>,
    /// A variant, such as salvos
    #[arg(long, value_name = "ID")]
    pub variant: Option<String>,
    /// Matches of each kind, for every choice of nations or each way to play
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub games: u32,
    /// The seed: the same gives the same table
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32))]
    pub seed: u32,
    /// No match is begun after so many seconds
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub seconds: u32,
}
