//! Prints which modules of `src` depend on which: `cargo run --example module_graph [-- --tests | --files] [FOLDER]`.
//!
//! It fails if modules depend on each other in a circle. `--tests` includes test code; `--files` prints the circles of
//! files inside each module, which are no failure.
#![allow(clippy::panic, clippy::print_stdout, clippy::disallowed_methods, reason = "a tool for whoever works here")]
#![allow(dead_code, reason = "a part of what it shares with tests/tidy.rs")]

#[path = "../tests/tidy/graph.rs"]
mod graph;
#[path = "../tests/tidy/source.rs"]
mod source;

use std::path::Path;
use std::process::ExitCode;

use graph::{Grain, Graph};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let given = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let folder = arguments.iter().find(|argument| !argument.starts_with("--"));
    let sources = source::sources(&source::tree(folder.map_or(source::root(), Path::new)));
    if given("--files") {
        let graph = Graph::new(&sources, Grain::Files, given("--tests"));
        for circle in graph.circles() {
            println!("{} files: {}", circle.len(), circle.into_iter().collect::<Vec<_>>().join(", "));
        }
        return ExitCode::SUCCESS;
    }
    let graph = Graph::new(&sources, Grain::Modules, given("--tests"));
    print!("{graph}");
    ExitCode::from(u8::from(!graph.circles().is_empty()))
}
