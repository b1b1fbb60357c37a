//! The storm's faults of the nodes.

use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};
use std::{fs, iter};

use rand::RngExt;
use rand::rngs::StdRng;

use super::plan::{Kind, span};
use super::processes;
use crate::Outcome;
use crate::books::Findings;
use crate::service::Node;

/// Silence of all nodes after which clocks rest, in seconds: the service's minimum.
pub const REST_CLOCKS_AFTER_S: u64 = 8;
/// Time limit for the start of a node. A node doesn't start while the database is away.
const START_WITHIN: Duration = Duration::from_secs(240);
/// Time limit for the stop of a node.
const STOP_WITHIN: Duration = Duration::from_secs(45);
/// Clock errors, in faketime's format.
const OFFSETS: [&str; 6] = ["+120s", "-120s", "+15m", "-15m", "+365d", "-365d"];

pub struct Nodes {
    pub nodes: Vec<Node>,
    /// The library that shows a program another time, if installed.
    pub faketime: Option<PathBuf>,
}

impl Nodes {
    /// Causes a fault.
    pub fn suffer(&mut self, kind: Kind, dice: &mut StdRng, findings: &Findings) -> Outcome<bool> {
        let number = dice.random_range(0..self.nodes.len());
        let node = &mut self.nodes[number];
        match kind {
            Kind::KillNode => {
                node.kill()?;
                thread::sleep(span(dice, 0, 3000));
                start(node, &[])?;
            }
            Kind::StopNode => {
                stop(node, number, findings);
                thread::sleep(span(dice, 0, 2000));
                start(node, &[])?;
            }
            Kind::StallNode => processes::stall(&[node.pid()], span(dice, 500, 20_000)),
            Kind::WrongClock => {
                let Some(library) = &self.faketime else { return Ok(false) };
                let offset = OFFSETS[dice.random_range(0..OFFSETS.len())];
                let environment = [
                    ("LD_PRELOAD", library.to_string_lossy().into_owned()),
                    ("FAKETIME", offset.to_owned()),
                    // Monotonic clocks stay right, as on a machine whose clock was set wrongly.
                    ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
                    ("DONT_FAKE_MONOTONIC", "1".to_owned()),
                ];
                node.kill()?;
                start(node, &environment.map(|(name, value)| (name.to_owned(), value)))?;
                thread::sleep(span(dice, 2000, 15_000));
                node.kill()?;
                start(node, &[])?;
            }
            Kind::AllDown => {
                let gently = dice.random_bool(0.5);
                for (number, node) in self.nodes.iter_mut().enumerate() {
                    if gently { stop(node, number, findings) } else { node.kill()? }
                }
                thread::sleep(span(dice, (REST_CLOCKS_AFTER_S + 1) * 1000, (REST_CLOCKS_AFTER_S + 20) * 1000));
                self.nodes.iter_mut().try_for_each(|node| start(node, &[]))?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// Stops a node. An unclean stop is a fault of the service; the storm goes on.
fn stop(node: &mut Node, number: usize, findings: &Findings) {
    if let Err(error) = node.stop(STOP_WITHIN) {
        findings.add(&format!("node {number}: {error}"));
    }
}

/// Starts a node, repeatedly until it runs.
fn start(node: &mut Node, environment: &[(String, String)]) -> Outcome {
    let deadline = Instant::now() + START_WITHIN;
    loop {
        match node.restart(environment) {
            Err(_) if Instant::now() < deadline => thread::sleep(Duration::from_millis(500)),
            done => return done,
        }
    }
}

/// The paths of faketime's library on Debian and others.
pub fn faketime() -> Option<PathBuf> {
    let machines = fs::read_dir("/usr/lib").into_iter().flatten().flatten().map(|entry| entry.path());
    let folders = machines.chain(iter::once("/usr/lib".into())).chain(iter::once("/usr/local/lib".into()));
    folders.map(|folder| folder.join("faketime/libfaketimeMT.so.1")).find(|library| library.exists())
}
