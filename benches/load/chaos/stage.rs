//! The targets of the storm: a primary and its standby, the forwarder, the nodes, and their folder.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;

use super::database::Database;
use super::forwarder::Forwarder;
use super::nodes::{self, Nodes, REST_CLOCKS_AFTER_S};
use super::pair::Pair;
use super::plan::{Kind, Plan};
use super::server::Tools;
use crate::Outcome;
use crate::books::Around;
use crate::postgres::TAKE_A_MOVE;
use crate::service::{self, Launch, Node};

/// Time limit for the storm's own queries at the end.
const ASKED_WITHIN: Duration = Duration::from_secs(60);

/// The targets of the storm.
pub struct Stage {
    pub nodes: Nodes,
    pub database: Database,
    /// Dropped last: everything in it must have ended.
    pub folder: TempDir,
}

impl Stage {
    /// Starts a primary, its standby, their forwarder, and the nodes.
    pub fn set(plan: &Plan, parent: &Path, programs: Option<&Path>) -> Outcome<Self> {
        let folder = service::folder_in(parent)?;
        let tools = Arc::new(Tools::find(programs)?);
        let pair = Pair::make(&tools, folder.path())?;
        let forwarder = Forwarder::start(pair.primary.address())?;
        let port = forwarder.address.port();
        let launch = |number: usize| Launch {
            log: format!("node-{number}.log"),
            database: Some(format!("postgres://broadside@127.0.0.1:{port}/broadside?sslmode=disable")),
            settings: ["--drain-s", "1", "--rest-clocks-after-s", &REST_CLOCKS_AFTER_S.to_string()]
                .map(str::to_owned)
                .to_vec(),
            apart: true,
            ..Launch::new(folder.path())
        };
        let nodes: Outcome<Vec<Node>> = (0..plan.nodes).map(|number| Node::start(launch(number))).collect();
        let nodes = Nodes { nodes: nodes?, faketime: nodes::faketime() };
        Ok(Self { nodes, database: Database { pair, forwarder }, folder })
    }

    /// The kinds of faults that are impossible here, as listed in the output.
    pub fn left_out(&self) -> Vec<Kind> {
        let mut left_out = Vec::new();
        if self.nodes.faketime.is_none() {
            println!("left out: {}, because faketime isn't installed", Kind::ALL[Kind::WrongClock.index()].1);
            left_out.push(Kind::WrongClock);
        }
        if self.database.pair.primary.disk.is_none() {
            println!("left out: {}, because only root can mount a disk", Kind::ALL[Kind::DiskFull.index()].1);
            left_out.push(Kind::DiskFull);
        }
        left_out
    }

    /// Removes a move. The nodes, which remember it, are restarted.
    pub fn forge(&mut self) -> Outcome {
        let taken = self.database.pair.primary.sql_in("broadside", TAKE_A_MOVE, ASKED_WITHIN)?;
        println!("forged: a move of the match {taken} was taken away");
        for node in &mut self.nodes.nodes {
            node.kill()?;
            node.restart(&[])?;
        }
        Ok(())
    }

    /// Stops the nodes, and runs the service's audit of its database.
    pub fn audit(&mut self, around: &Around) -> Outcome {
        for node in &mut self.nodes.nodes {
            if let Err(error) = node.stop(ASKED_WITHIN) {
                around.findings.add(&error);
            }
        }
        let port = self.database.pair.primary.address().port();
        let database = format!("postgres://broadside@127.0.0.1:{port}/broadside?sslmode=disable");
        for words in [&["audit"][..], &["ratings", "verify"]] {
            let (good, said) = service::command(words, "--database-url", &database)?;
            let words = words.join(" ");
            println!("{words}: {said}");
            if !good {
                around.findings.add(&format!("`{words}` found faults"));
            }
        }
        Ok(())
    }

    /// Keeps the logs of nodes and servers if there are findings.
    pub fn keep_logs(&self, around: &Around, seed: u64) {
        if around.findings.all().0 == 0 {
            return;
        }
        let kept = std::env::temp_dir().join(format!("broadside-storm-{seed}"));
        let _ = fs::create_dir_all(&kept);
        for entry in fs::read_dir(self.folder.path()).into_iter().flatten().flatten() {
            if entry.path().extension().is_some_and(|extension| extension == "log") {
                let _ = fs::copy(entry.path(), kept.join(entry.file_name()));
            }
        }
        println!("the logs are in {}", kept.display());
    }
}
