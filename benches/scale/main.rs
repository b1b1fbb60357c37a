//! Past one machine, on paper: what so many running matches take, from measured and assumed costs, and a simulation of
//! the assumption that is weakest, that moves and clocks are spread evenly. docs/SCALE.md explains both.
//!
//! ```sh
//! cargo bench --bench scale                      # the model, and ten million matches for two weeks
//! cargo bench --bench scale -- --matches 100000
//! ```

#![expect(clippy::print_stdout, reason = "a report is what this program is for")]

mod model;
mod simulation;

use std::process::ExitCode;

use clap::Parser;

/// What so many running matches take
#[derive(Parser)]
struct Settings {
    /// How many matches are simulated
    #[arg(long, default_value_t = 10_000_000, value_parser = clap::value_parser!(u32).range(1000..=100_000_000))]
    matches: u32,
    /// How many days
    #[arg(long, default_value_t = 14, value_parser = clap::value_parser!(u32).range(4..=60))]
    days: u32,
    /// What is drawn is drawn from it
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// `cargo bench` says so; it changes nothing
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> ExitCode {
    let settings = Settings::parse();
    let simulated = simulation::run(settings.matches, settings.days, settings.seed);
    model::print(simulated.moves_a_day, simulated.peak);
    println!();
    simulated.print();
    ExitCode::SUCCESS
}
