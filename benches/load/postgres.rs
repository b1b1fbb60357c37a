//! PostgreSQL's own programs, and what is done with them: `psql` for preparing tables, `pgbench` as the measure of what
//! the cluster can do.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use std::{fs, thread};

use super::Outcome;
use super::measure::{Round, Span, Used};
use super::service::Service;

/// Where psql and pgbench are.
#[derive(Clone)]
pub struct Programs {
    folder: PathBuf,
}

impl Programs {
    /// Finds them: where the caller says, on the `PATH`, where distributions put them.
    pub fn find(explicit: Option<&Path>) -> Option<Self> {
        Self::find_all(explicit, &["psql", "pgbench"])
    }

    /// Finds a folder that has all of these.
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

    /// Where they are.
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

    /// Runs SQL as `role`, and returns what it selects.
    pub fn sql(&self, service: &Service, role: &str, statements: &str) -> Outcome<String> {
        let database = service.database(role);
        let arguments = ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", &database, "-c", statements];
        self.run("psql", &arguments.map(OsString::from))
    }

    /// Writes everything to the disk, so that every round starts alike.
    pub fn checkpoint(&self, service: &Service) -> Outcome {
        self.sql(service, "postgres", "CHECKPOINT").map(|_| ())
    }
}

/// Cuts all connections of the service.
pub const CUT_CONNECTIONS: &str =
    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'broadside'";

/// Takes the last move of a match under way out of the log and the head, as if it had never lasted, and says of which
/// match. Nodes that are running remember it as it was.
pub const TAKE_A_MOVE: &str = "WITH one AS (UPDATE match_heads SET seq = seq - 1, to_act = 3 - to_act WHERE match_id = \
    (SELECT match_id FROM match_heads WHERE status = 'playing' AND seq > 4 ORDER BY match_id LIMIT 1) \
    RETURNING match_id, seq + 1 AS seq) DELETE FROM match_log AS e USING one \
    WHERE (e.match_id, e.seq) = (one.match_id, one.seq) RETURNING e.match_id";

/// The tables of pgbench: the service's own, with what is in them, so that rows and indexes are as large; and a key for
/// each client.
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

/// An entry of the usual length, as hexadecimal digits.
const ENTRY: &str = "SELECT encode(entry, 'hex') FROM match_log WHERE length(entry) = \
    (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY length(entry)) FROM match_log) LIMIT 1";

/// Makes the tables and the script of the least that a durable move needs: read a row by its key, append a row, update
/// a row, commit. Each client has a match of its own, as each player has in the load.
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

/// One round of pgbench: as many clients as there are matches. Latencies are those of the last seconds of its log, as
/// with the load.
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
    // Its backends are counted once the postmaster has seen them go.
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

/// `client transaction took_us script seconds microseconds`: when it ended and how long it took.
fn logged(line: &str) -> Option<(u64, u32)> {
    let fields: Vec<&str> = line.split(' ').collect();
    let [_, _, took_us, _, seconds, micros, ..] = fields[..] else { return None };
    let at_us = seconds.parse::<u64>().ok()? * 1_000_000 + micros.parse::<u64>().ok()?;
    Some((at_us, took_us.parse().ok()?))
}

/// Copies the match `id` as often as it takes, under ids that are older and numbered from `first` on, played by
/// accounts that nobody has. The copies are whole: they can be read, replayed and audited like any other.
pub fn fill(programs: &Programs, service: &Service, id: &str, first: u64, copies: u64) -> Outcome {
    let copy = |table: &str, changes: &str, among: &str| {
        format!(
            "INSERT INTO {table} SELECT new.* FROM {among}, {table} AS old, \
             LATERAL jsonb_populate_record(old, jsonb_build_object({changes})) AS new WHERE old.{};",
            if table == "matches" { format!("id = '{id}'") } else { format!("match_id = '{id}'") }
        )
    };
    let statements = [
        format!(
            "CREATE TEMP TABLE copies AS SELECT n, (lpad(to_hex(1600000000000 + n), 12, '0') || '7' \
             || substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 4, 15))::uuid AS id FROM generate_series({first} + 1, {first} + {copies}) AS n;"
        ),
        copy("matches", "'id', copies.id", "copies"),
        copy("match_heads", "'match_id', copies.id", "copies"),
        copy("match_log", "'match_id', copies.id", "copies"),
        copy(
            "match_seats",
            "'match_id', copies.id, 'account_id', md5((copies.n % 50000)::text || '-' || old.seat)::uuid",
            "copies",
        ),
    ];
    for table in ["matches", "match_heads", "match_log", "match_seats"] {
        programs.sql(service, "postgres", &format!("ALTER TABLE {table} SET (autovacuum_enabled = off)"))?;
    }
    programs.sql(service, "broadside", &statements.concat())?;
    for table in ["matches", "match_heads", "match_log", "match_seats"] {
        programs.sql(service, "postgres", &format!("VACUUM ANALYZE {table}"))?;
        programs.sql(service, "postgres", &format!("ALTER TABLE {table} RESET (autovacuum_enabled)"))?;
    }
    programs.checkpoint(service)
}
