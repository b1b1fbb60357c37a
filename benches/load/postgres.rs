//! PostgreSQL's own programs and their use: `psql` for preparing tables, `pgbench` for measuring the cluster's limits.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use std::{fs, thread};

use super::Outcome;
use super::measure::{Round, Span, Used};
use super::service::Service;

/// The paths of psql and pgbench.
#[derive(Clone)]
pub struct Programs {
    folder: PathBuf,
}

impl Programs {
    /// Finds them: in the given folder, on the `PATH`, or in the folders of distributions.
    pub fn find(explicit: Option<&Path>) -> Option<Self> {
        Self::find_all(explicit, &["psql", "pgbench"])
    }

    /// Finds a folder with all of these programs.
    pub fn find_all(explicit: Option<&Path>, names: &[&str]) -> Option<Self> {
        let on_path = std::env::var_os("PATH").unwrap_or_default();
        let usual = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
        let mut usual: Vec<PathBuf> = usual.map(|version| version.path().join("bin")).collect();
        usual.sort();
        let mut places: Vec<PathBuf> = explicit.map(Path::to_owned).into_iter().collect();
        places.extend(std::env::split_paths(&on_path));
        places.extend(usual.into_iter().rev());
        let complete = |folder: &PathBuf| names.iter().all(|name| folder.join(name).exists());
        places.into_iter().find(complete).map(|folder| Self { folder })
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn run(&self, name: &str, arguments: &[OsString]) -> Outcome<String> {
        let output = Command::new(self.folder.join(name)).args(arguments).output();
        let output = output.map_err(|error| format!("{name}: {error}"))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
        }
        Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr).trim()))
    }

    /// Runs SQL as `role`, and returns its result.
    pub fn sql(&self, service: &Service, role: &str, statements: &str) -> Outcome<String> {
        let database = service.database(role);
        let arguments = ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", &database, "-c", statements];
        self.run("psql", &arguments.map(OsString::from))
    }

    /// Writes everything to disk, so that every round starts alike.
    pub fn checkpoint(&self, service: &Service) -> Outcome {
        self.sql(service, "postgres", "CHECKPOINT").map(|_| ())
    }
}

/// Cuts all connections of the service.
pub const CUT_CONNECTIONS: &str =
    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'broadside'";

/// Removes the last move of a running match from the log and the head, as if it had been lost, and returns the match.
/// Running nodes remember it unchanged.
pub const TAKE_A_MOVE: &str = "WITH one AS (UPDATE match_heads SET seq = seq - 1, to_act = 3 - to_act WHERE match_id = \
    (SELECT match_id FROM match_heads WHERE status = 'playing' AND seq > 4 ORDER BY match_id LIMIT 1) \
    RETURNING match_id, seq + 1 AS seq) DELETE FROM match_log AS e USING one \
    WHERE (e.match_id, e.seq) = (one.match_id, one.seq) RETURNING e.match_id";

/// The tables of pgbench: copies of the service's own with their content, so that rows and indexes are as large; and a
/// key for each client.
const TABLES: &str = "
DROP SCHEMA IF EXISTS pgbench CASCADE;
CREATE SCHEMA pgbench;
CREATE TABLE pgbench.heads (LIKE match_heads INCLUDING ALL) WITH (fillfactor = 60);
CREATE TABLE pgbench.entries (LIKE match_log INCLUDING ALL);
INSERT INTO pgbench.heads SELECT * FROM match_heads;
INSERT INTO pgbench.entries SELECT * FROM match_log;
CREATE TABLE pgbench.keys (n integer PRIMARY KEY, match_id uuid NOT NULL);
INSERT INTO pgbench.keys SELECT row_number() OVER (ORDER BY match_id DESC) - 1, match_id FROM pgbench.heads
    ORDER BY match_id DESC LIMIT ";

/// An entry of the usual length, in hexadecimal.
const ENTRY: &str = "SELECT encode(entry, 'hex') FROM match_log WHERE length(entry) = \
    (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY length(entry)) FROM match_log) LIMIT 1";

/// Makes the tables and the script of a minimal durable move: read a row by its key, append a row, update a row,
/// commit. Each client has its own match, like each player in the load.
pub fn prepare(programs: &Programs, service: &Service, clients: usize) -> Outcome<PathBuf> {
    programs.sql(service, "broadside", &format!("{TABLES}{clients};"))?;
    programs.sql(service, "broadside", "VACUUM ANALYZE pgbench.heads, pgbench.entries, pgbench.keys")?;
    let entry = programs.sql(service, "broadside", ENTRY)?;
    let path = service.folder().join("move.sql");
    let script = format!(
        r"\if :ready = 0
SELECT match_id AS key FROM pgbench.keys WHERE n = :client_id \gset
\set ready 1
\endif
BEGIN;
SELECT seq, status, to_act FROM pgbench.heads WHERE match_id = :key \gset
\set next :seq + 1
\set acts 1 + :next % 2
INSERT INTO pgbench.entries (match_id, seq, entry, chain) VALUES (:key, :next, '\x{entry}', substr(sha256('\x{entry}'), 1, 16));
UPDATE pgbench.heads SET seq = :next, status = 'playing', to_act = :acts, deadline = now() + interval '3 days' WHERE match_id = :key AND seq = :seq;
COMMIT;
"
    );
    fs::write(&path, script).map_err(|error| error.to_string())?;
    Ok(path)
}

/// One round of pgbench, with one client per match. Latencies are those of the last seconds of its log, as with the
/// load.
pub fn round(programs: &Programs, service: &Service, clients: usize, span: Span) -> Outcome<Round> {
    let script = prepare(programs, service, clients)?;
    let logs = service.folder().join("pgbench");
    let _ = fs::remove_dir_all(&logs);
    fs::create_dir(&logs).map_err(|error| error.to_string())?;
    programs.checkpoint(service)?;
    let database = service.database("broadside");
    let seconds = (span.warm_up + span.measured).as_secs().to_string();
    let (clients, threads) = (clients.to_string(), clients.min(2).to_string());
    let fixed = ["-n", "-M", "prepared", "-D", "ready=0", "-c", &clients, "-j", &threads, "-T", &seconds];
    let mut arguments: Vec<OsString> = fixed.into_iter().map(OsString::from).collect();
    arguments.extend(["-l".into(), "--log-prefix".into(), logs.join("log").into()]);
    arguments.extend(["-f".into(), script.into(), database.into()]);
    let watched = [service.pid(), service.postmaster()?];
    let before = Used::until_now(watched);
    programs.run("pgbench", &arguments)?;
    // Its backends are counted once the postmaster has seen them exit.
    thread::sleep(Duration::from_millis(300));
    let used = Used::until_now(watched);
    let mut moves = Vec::new();
    for file in fs::read_dir(&logs).map_err(|error| error.to_string())?.flatten() {
        let words = fs::read_to_string(file.path()).map_err(|error| error.to_string())?;
        moves.extend(words.lines().filter_map(logged));
    }
    let all = moves.len();
    let end_us = moves.iter().map(|(at_us, _)| *at_us).max().ok_or("pgbench logged nothing")?;
    let from_us = end_us.saturating_sub(u64::try_from(span.measured.as_micros()).unwrap_or(u64::MAX));
    let measured = moves.into_iter().filter(|(at_us, _)| *at_us > from_us).map(|(_, took_us)| took_us);
    let mut round = Round::of(measured.collect(), span.measured);
    if let Some((before, used)) = before.zip(used) {
        round.account(before, used, all);
    }
    Ok(round)
}

/// Parses `client transaction took_us script seconds microseconds`: the end and the duration.
fn logged(line: &str) -> Option<(u64, u32)> {
    let fields: Vec<&str> = line.split(' ').collect();
    let [_, _, took_us, _, seconds, micros, ..] = fields[..] else { return None };
    let at_us = seconds.parse::<u64>().ok()? * 1_000_000 + micros.parse::<u64>().ok()?;
    Some((at_us, took_us.parse().ok()?))
}
