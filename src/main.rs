//! The command: parses it, runs it, and reports errors in one line.

mod admin;
mod archiving;
mod auditing;
mod health;
mod upkeep;

use std::process::ExitCode;
use std::time::Duration;

use broadside::abuse_reports::{self, NamedAbuseReport};
use broadside::api::openapi::{self, Version};
use broadside::app::{App, ConnectionTimeouts, Parts};
use broadside::archive::Archive;
use broadside::audit_log::AuditReason;
use broadside::clock::Clock;
use broadside::config::{Admin, Balance, Cli, Clocks, Command, Database, Events, LogFormat, Migrate, Ratings, Repair};
use broadside::context::Entropy;
use broadside::db::Db;
use broadside::front_end::FrontEnd;
use broadside::ids::MatchId;
use broadside::matches::{self, MatchMemory};
use broadside::moderation::adjudicate;
use broadside::notifications::webhooks::WebhookSettings;
use broadside::proxies::Proxies;
use broadside::ratings::{RatingChange, fair_play, verify as recount};
use broadside::rulesets::RuleSetLimits;
use broadside::verify::{self, Verification};
use broadside::work_pool::WorkPool;
use broadside::{accounts, database, house_bots, serve, telemetry};
use broadside_balance::Effort;
use broadside_contests::Pool;
use broadside_rules::{Fault, RuleSet, Variant};
use clap::Parser;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Errors are one sentence for the operator.
type Outcome = Result<ExitCode, String>;

fn main() -> ExitCode {
    let command = Cli::parse().command;
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&format!("the runtime can't be started: {error}")),
    };
    // actix needs its own system around a server, and takes the existing runtime.
    let system = actix_web::rt::System::with_tokio_rt(|| runtime);
    match system.block_on(run(command)) {
        Ok(code) => code,
        Err(sentence) => failed(&sentence),
    }
}

#[expect(clippy::print_stderr, reason = "the last word of a command that failed")]
fn failed(sentence: &str) -> ExitCode {
    eprintln!("broadside: {sentence}");
    ExitCode::FAILURE
}

async fn run(command: Command) -> Outcome {
    match command {
        Command::Serve(settings) => serve::run(*settings).await.map(|()| ExitCode::SUCCESS),
        Command::Migrate(command) => {
            on_any_database(&command.database, 2, "broadside migrate", async |db| migrate(db, &command).await).await
        }
        Command::Openapi { write, check, served } => contract(write, check, served),
        Command::Audit { database, archive, only } => {
            on_database(&database, 4, "broadside audit", async |db| auditing::audit(db, &archive, only).await).await
        }
        Command::Repair { command: Repair::Match { database, archive, id } } => {
            on_database(&database, 4, "broadside repair", async |db| auditing::repair(db, &archive, id).await).await
        }
        Command::Verify { file, keys } => Ok(verify_record(&file, keys.as_deref())),
        Command::Balance(options) => measure(&options),
        Command::Backup { database, folder } => upkeep::back_up(&database, &folder).await,
        Command::Restore { database, revocations, end_sessions, folder } => {
            upkeep::restore(&database, &folder, revocations, end_sessions).await
        }
        Command::Dump { database, archive, month, folder } => {
            let dump = async |db| upkeep::dump(db, &archive, month, &folder).await;
            on_database(&database, 4, "broadside dump", dump).await
        }
        Command::Archive { command } => archiving::run(command).await,
        Command::Reports { database } => on_database(&database, 2, "broadside reports", list_reports).await,
        Command::RotateKeys { database } => on_database(&database, 2, "broadside rotate-keys", rotate_keys).await,
        Command::FairPlay { database, pool, since, json } => {
            let filter = fair_play::FairPlayFilter { pool, since };
            on_database(&database, 2, "broadside fair-play", async |db| show_fair_play(db, filter, json).await).await
        }
        Command::Ratings { command: Ratings::Verify { database, pool } } => {
            on_database(&database, 2, "broadside ratings verify", async |db| verify_ratings(db, pool).await).await
        }
        Command::Ratings { command: Ratings::Annul { database, id, reason } } => {
            on_database(&database, 4, "broadside ratings annul", async |db| annul(db, id, reason).await).await
        }
        Command::Clocks { command } => {
            on_database(command.database(), 4, "broadside clocks", async |db| rest_clocks(db, &command).await).await
        }
        Command::Events { command: Events::NewEpoch { database, reason } } => {
            on_database(&database, 4, "broadside events", async |db| upkeep::new_epoch(db, reason).await).await
        }
        Command::Admin { command } => {
            on_database(command.database(), 4, "broadside admin", async |db| administer(db, &command).await).await
        }
        Command::Bots(command) => house_bots::run(*command).await.map(|()| ExitCode::SUCCESS),
        Command::Health { listen } => health::ask(listen).await.map(|()| ExitCode::SUCCESS),
    }
}

#[expect(clippy::print_stdout, reason = "commands answer on standard output")]
fn say(line: &str) {
    println!("{line}");
}

/// Runs a command on its database, with or without a running service.
async fn on_database(
    database: &Database,
    connections: u16,
    command: &str,
    work: impl AsyncFnOnce(Db) -> Outcome,
) -> Outcome {
    let checked = async |db: Db| match db.schema().await.map_err(said)?.obstacle() {
        Some(obstacle) => Err(obstacle),
        None => work(db).await,
    };
    on_any_database(database, connections, command, checked).await
}

/// Like `on_database`, for any version of the schema.
async fn on_any_database(
    database: &Database,
    connections: u16,
    command: &str,
    work: impl AsyncFnOnce(Db) -> Outcome,
) -> Outcome {
    telemetry::start_log("warn", LogFormat::Text)?;
    let (db, cluster) = database::open_shared(database, connections, command).await?;
    let outcome = work(db).await;
    if let Some(cluster) = cluster {
        cluster.stop().await.map_err(|error| error.to_string())?;
    }
    outcome
}

async fn migrate(db: Db, command: &Migrate) -> Outcome {
    let schema = db.schema().await.map_err(said)?;
    if let Some(obstacle) = schema.obstacle().filter(|_| !schema.unknown.is_empty()) {
        return Err(obstacle);
    }
    if !command.pending
        && !schema.pending.is_empty()
        && let Some(lacking) = db.lacking_rights(true).await.map_err(said)?
    {
        return Err(lacking);
    }
    let names = if command.pending { schema.pending } else { db.migrate().await.map_err(said)? };
    names.iter().for_each(|name| say(name));
    if command.distribute {
        let spread = db.distribute(command.shards).await.map_err(said)?.map_err(|obstacle| obstacle.to_string())?;
        spread.iter().for_each(|table| say(&format!("{table} is distributed")));
    }
    Ok(if command.pending && !names.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn contract(write: bool, check: bool, served: Option<std::path::PathBuf>) -> Outcome {
    const COMMITTED: &str = "openapi/broadside.json";
    let written = |path: &std::path::Path, text: String| {
        std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
    };
    if check {
        let committed = std::fs::read_to_string(COMMITTED).map_err(|error| format!("{COMMITTED}: {error}"))?;
        if committed != openapi::committed() {
            return Err(format!("{COMMITTED} is not what the code says; `broadside openapi --write` mends it"));
        }
    } else if write {
        written(COMMITTED.as_ref(), openapi::committed())?;
    } else if let Some(folder) = served {
        for (name, version) in [("openapi.json", Version::Current), ("openapi-3.0.json", Version::V3_0)] {
            written(&folder.join(name), openapi::served(version, true, None))?;
        }
    } else {
        say(openapi::committed().trim_end());
    }
    Ok(ExitCode::SUCCESS)
}

/// An app for a short command that reads no log.
async fn workbench(db: Db) -> Result<App, String> {
    workbench_with(db, None).await
}

/// An app with the archive, which may hold logs.
async fn workbench_with(db: Db, archive: Option<Archive>) -> Result<App, String> {
    let parts = Parts {
        clock: Clock::system(),
        db,
        replica: None,
        rate_limits: None,
        public_url: String::new(),
        contact: None,
        front_end: FrontEnd::Off,
        proxies: Proxies::default(),
        mail: None,
        match_link: None,
        memory: MatchMemory { matches: 1, document_bytes: 1 << 20 },
        archive,
        entropy: Entropy::System,
        keep_alive: std::time::Duration::MAX,
        body_timeout: std::time::Duration::MAX,
        connections: ConnectionTimeouts { head: std::time::Duration::MAX, silence: std::time::Duration::MAX },
        webhooks: WebhookSettings::default(),
        web_push: false,
        rulesets: RuleSetLimits::default(),
        sessions: broadside::accounts::SessionSettings::default(),
        second_factor: broadside::accounts::second_factor::SecondFactorSettings::default(),
        guests: broadside::accounts::guests::GuestSettings::default(),
        heartbeat: None,
    };
    App::build(parts).await.map_err(said)
}

async fn verify_ratings(db: Db, only: Option<Pool>) -> Outcome {
    let mut right = true;
    let pools = match only {
        Some(pool) => vec![pool],
        None => recount::pools(&db).await.map_err(said)?,
    };
    for pool in pools {
        let found = recount::verify(&db, &pool).await.map_err(said)?;
        let (changes, players) = (found.changes, found.players);
        right &= found.wrong.is_none();
        match found.wrong {
            None if changes == 0 && only.is_none() => {}
            None => say(&format!("{pool}: {changes} changes of {players} players, all as they have to be")),
            Some(wrong) => say(&format!("{pool}: {wrong}")),
        }
    }
    Ok(if right { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn show_fair_play(db: Db, filter: fair_play::FairPlayFilter, json: bool) -> Outcome {
    let report = fair_play::report(&db, &WorkPool::default(), Clock::system().now(), filter).await.map_err(said)?;
    if json {
        say(&serde_json::to_string_pretty(&report).map_err(|error| error.to_string())?);
    } else {
        fair_play::lines(&report).iter().for_each(|line| say(line));
    }
    Ok(ExitCode::SUCCESS)
}

async fn annul(db: Db, id: MatchId, reason: AuditReason) -> Outcome {
    let app = workbench(db).await?;
    let changes = annul_in(&app, id, reason).await.map_err(said)?;
    for change in &changes {
        let (before, after) = (change.before.shown(), change.after.shown());
        say(&format!("{} in {}: {before} -> {after}", change.account, change.pool));
    }
    if changes.is_empty() {
        say("the match was annulled before; nothing has changed");
    }
    Ok(ExitCode::SUCCESS)
}

async fn annul_in(app: &App, id: MatchId, reason: AuditReason) -> broadside::error::Result<Vec<RatingChange>> {
    let mut tx = app.db.begin().await?;
    let changes = adjudicate::annul_as_operator(&mut tx, app, id, reason).await?;
    tx.commit().await?;
    Ok(changes)
}

async fn rest_clocks(db: Db, command: &Clocks) -> Outcome {
    let app = workbench(db).await?;
    let lines = admin::clocks(&app, command).await?;
    lines.iter().for_each(|line| say(line));
    Ok(ExitCode::SUCCESS)
}

async fn administer(db: Db, command: &Admin) -> Outcome {
    let app = workbench(db).await?;
    let lines = admin::run(&app, command).await.map_err(said)?;
    lines.iter().for_each(|line| say(line));
    Ok(ExitCode::SUCCESS)
}

/// Prints what the record proves, or where it fails; without anything to judge, a sentence on standard error.
fn verify_record(file: &std::path::Path, keys: Option<&std::path::Path>) -> ExitCode {
    let (lines, code) = match verify::verify(file, keys) {
        Ok(Verification::Holds(lines)) => (lines, 0),
        Ok(Verification::Fails(lines)) => (lines, 1),
        Err(sentence) => {
            failed(&sentence);
            return ExitCode::from(2);
        }
    };
    lines.iter().for_each(|line| say(line));
    ExitCode::from(code)
}

/// Prints the balance of a rule set; the exit code is 1 if a bounded share is out of its bounds.
fn measure(options: &Balance) -> Outcome {
    let rules = rule_set(options)?;
    let time = Duration::from_secs(options.seconds.into());
    let effort = Effort { games: options.games as usize, seed: options.seed.into(), time };
    let table = broadside_balance::measure(&rules, &effort);
    say(&table.to_string());
    if !table.complete {
        say("The time was over before all matches were played; `--seconds` gives more.");
    }
    if !table.even {
        say("Some share is not between 0.75 and 1.25.");
    }
    Ok(if table.even { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The rule set of a file, of a variant, or of a variant with the changes of a file.
fn rule_set(options: &Balance) -> Result<RuleSet, String> {
    let variant = options.variant.as_deref();
    let variant = variant.map(|id| Variant::find(id).ok_or_else(|| format!("there is no variant {id}"))).transpose()?;
    let Some(file) = &options.file else {
        return variant.map(Variant::rule_set).ok_or_else(|| "name a rule set, or a variant".to_owned());
    };
    let text =
        if file.as_os_str() == "-" { std::io::read_to_string(std::io::stdin()) } else { std::fs::read_to_string(file) };
    let text = text.map_err(|error| format!("{}: {error}", file.display()))?;
    let wrong = |error: serde_json::Error| format!("{}: {error}", file.display());
    let Some(variant) = variant else { return serde_json::from_str(&text).map_err(wrong) };
    let changes = serde_json::from_str(&text).map_err(wrong)?;
    let told = |fault: Fault| format!("{}: {}", fault.pointer, fault.detail);
    RuleSet::customised(variant, &changes).map_err(|faults| faults.into_iter().map(told).collect::<Vec<_>>().join(" "))
}

async fn list_reports(db: Db) -> Outcome {
    let mut conn = db.conn().await.map_err(said)?;
    let reports = abuse_reports::list(&mut conn).await.map_err(said)?;
    reports.items.iter().flat_map(NamedAbuseReport::lines).for_each(|line| say(&line));
    say(&format!("{} reports", reports.items.len()));
    if reports.is_incomplete() {
        say("some reports can't be read, see the log");
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

async fn rotate_keys(db: Db) -> Outcome {
    accounts::rotate_keys(&db, &Clock::system()).await.map_err(said)?;
    matches::keys::rotate(&db, &Clock::system()).await.map_err(said)?;
    say(
        "new keys sign from now on, one for access tokens and one for records; running nodes take them up within five minutes",
    );
    Ok(ExitCode::SUCCESS)
}

fn said(error: broadside::error::Error) -> String {
    match error.cause() {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}
