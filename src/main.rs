//! The command: read it, start it, and say in one line what went wrong.

mod admin;
mod upkeep;

use std::process::ExitCode;
use std::time::Duration;

use broadside::abuse_reports::{self, NamedAbuseReport};
use broadside::api::openapi;
use broadside::app::{App, Parts};
use broadside::audit_log::AuditReason;
use broadside::clock::Clock;
use broadside::config::{Admin, Balance, Cli, Clocks, Command, Database, Events, LogFormat, Ratings};
use broadside::context::Entropy;
use broadside::db::Db;
use broadside::front_end::FrontEnd;
use broadside::ids::MatchId;
use broadside::ladders::position;
use broadside::matches::{self, MatchMemory, audit};
use broadside::moderation::adjudicate;
use broadside::notifications::webhooks::WebhookSettings;
use broadside::proxies::Proxies;
use broadside::ratings::{RatingChange, fair_play, verify as recount};
use broadside::rulesets::RuleSetLimits;
use broadside::verify::{self, Verification};
use broadside::work_pool::WorkPool;
use broadside::{accounts, house_bots, serve, telemetry};
use broadside_balance::Effort;
use broadside_contests::Pool;
use broadside_rules::{Fault, RuleSet, Variant};
use clap::Parser;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What a command ends with: an error is one sentence for the operator.
type Outcome = Result<ExitCode, String>;

fn main() -> ExitCode {
    let command = Cli::parse().command;
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&format!("the runtime can't be started: {error}")),
    };
    // actix wants its own system around a server, and takes the runtime that is there.
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
        Command::Migrate { database, pending } => migrate(&database, pending).await,
        Command::Openapi { write, check } => contract(write, check),
        Command::Audit { database, only } => audit_matches(&database, only).await,
        Command::Verify { file, keys } => Ok(verify_record(&file, keys.as_deref())),
        Command::Balance(options) => measure(&options),
        Command::Backup { database, folder } => upkeep::back_up(&database, &folder).await,
        Command::Restore { database, folder } => upkeep::restore(&database, &folder).await,
        Command::Reports { database } => list_reports(&database).await,
        Command::RotateKeys { database } => rotate_keys(&database).await,
        Command::FairPlay { database, pool, since, json } => {
            show_fair_play(&database, fair_play::FairPlayFilter { pool, since }, json).await
        }
        Command::Ratings { command: Ratings::Verify { database, pool } } => verify_ratings(&database, pool).await,
        Command::Ratings { command: Ratings::Annul { database, id, reason } } => annul(&database, id, reason).await,
        Command::Clocks { command } => rest_clocks(&command).await,
        Command::Events { command: Events::NewEpoch { database, reason } } => {
            upkeep::new_epoch(&database, reason).await
        }
        Command::Admin { command } => administer(&command).await,
        Command::Bots(command) => house_bots::run(*command).await.map(|()| ExitCode::SUCCESS),
        Command::Health { listen } => Ok(health(listen).await),
    }
}

/// Prints what a command found.
#[expect(clippy::print_stdout, reason = "commands answer on standard output")]
fn say(line: &str) {
    println!("{line}");
}

async fn migrate(database: &Database, pending: bool) -> Outcome {
    telemetry::start_log("warn", LogFormat::Text)?;
    let (db, cluster) = serve::database(database, 2, None, "broadside migrate").await?;
    let names = if pending { db.pending_migrations().await } else { db.migrate().await };
    let names = names.map_err(said)?;
    names.iter().for_each(|name| say(name));
    if let Some(cluster) = cluster {
        cluster.stop().await.map_err(|error| error.to_string())?;
    }
    Ok(if pending && !names.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn contract(write: Option<std::path::PathBuf>, check: bool) -> Outcome {
    let documents = openapi::documents();
    let files = [("broadside.json", &documents.current), ("broadside-3.0.json", &documents.v3_0)];
    if check {
        for (name, text) in files {
            let path = std::path::Path::new("openapi").join(name);
            let committed = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            if &committed != text {
                return Err(format!(
                    "{} is not what the code says; `broadside openapi --write openapi` mends it",
                    path.display()
                ));
            }
        }
    } else if let Some(folder) = write {
        for (name, text) in files {
            let path = folder.join(name);
            std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        }
    } else {
        say(documents.current.trim_end());
    }
    Ok(ExitCode::SUCCESS)
}

async fn audit_matches(database: &Database, only: Option<MatchId>) -> Outcome {
    telemetry::start_log("warn", LogFormat::Text)?;
    let (db, cluster) = serve::database(database, 4, None, "broadside audit").await?;
    let app = workbench(db).await?;
    let findings = audit::audit(&app.matches, only).await.map_err(said)?;
    let ladders = match only {
        Some(_) => None,
        None => Some(position::audit::all(&app).await.map_err(said)?),
    };
    drop(app);
    findings.faults.iter().for_each(|fault| say(fault));
    say(&format!("{} matches, {} entries, {} faults", findings.matches, findings.entries, findings.faults.len()));
    let mut sound = findings.faults.is_empty();
    if let Some(ladders) = ladders.filter(|ladders| ladders.ladders > 0) {
        ladders.faults.iter().for_each(|fault| say(fault));
        let (count, steps, faults) = (ladders.ladders, ladders.steps, ladders.faults.len());
        say(&format!("{count} ladders with places, {steps} steps, {faults} faults"));
        sound &= ladders.faults.is_empty();
    }
    if let Some(cluster) = cluster {
        cluster.stop().await.map_err(|error| error.to_string())?;
    }
    Ok(if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The service for a command that uses it and goes.
async fn workbench(db: Db) -> Result<App, String> {
    let parts = Parts {
        clock: Clock::system(),
        db,
        rate_limits: None,
        public_url: String::new(),
        front_end: FrontEnd::Off,
        proxies: Proxies::default(),
        mail: None,
        memory: MatchMemory { matches: 1, document_bytes: 1 << 20 },
        entropy: Entropy::System,
        keep_alive: std::time::Duration::MAX,
        body_timeout: std::time::Duration::MAX,
        webhooks: WebhookSettings::default(),
        rulesets: RuleSetLimits::default(),
        sessions: broadside::accounts::SessionSettings::default(),
        guests: broadside::accounts::guests::GuestSettings::default(),
        heartbeat: None,
    };
    App::build(parts).await.map_err(said)
}

async fn verify_ratings(database: &Database, only: Option<Pool>) -> Outcome {
    telemetry::start_log("warn", LogFormat::Text)?;
    let (db, cluster) = serve::database(database, 2, None, "broadside ratings verify").await?;
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
    if let Some(cluster) = cluster {
        cluster.stop().await.map_err(|error| error.to_string())?;
    }
    Ok(if right { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn show_fair_play(database: &Database, filter: fair_play::FairPlayFilter, json: bool) -> Outcome {
    telemetry::start_log("warn", LogFormat::Text)?;
    let (db, cluster) = serve::database(database, 2, None, "broadside fair-play").await?;
    let report = fair_play::report(&db, &WorkPool::default(), Clock::system().now(), filter).await.map_err(said);
    drop(db);
    if let Some(cluster) = cluster {
        cluster.stop().await.map_err(|error| error.to_string())?;
    }
    let report = report?;
    if json {
        say(&serde_json::to_string_pretty(&report).map_err(|error| error.to_string())?);
    } else {
        fair_play::lines(&report).iter().for_each(|line| say(line));
    }
    Ok(ExitCode::SUCCESS)
}

async fn annul(database: &Database, id: MatchId, reason: AuditReason) -> Outcome {
    telemetry::start_log("warn", LogFormat::Text)?;
    let (db, cluster) = serve::database(database, 4, None, "broadside ratings annul").await?;
    let app = workbench(db).await?;
    let annulled = annul_in(&app, id, reason).await.map_err(said);
    drop(app);
    if let Some(cluster) = cluster {
        cluster.stop().await.map_err(|error| error.to_string())?;
    }
    let changes = annulled?;
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

async fn rest_clocks(command: &Clocks) -> Outcome {
    telemetry::start_log("warn", LogFormat::Text)?;
    let (db, cluster) = serve::database(command.database(), 4, None, "broadside clocks").await?;
    let app = workbench(db).await?;
    let lines = admin::clocks(&app, command).await;
    drop(app);
    if let Some(cluster) = cluster {
        cluster.stop().await.map_err(|error| error.to_string())?;
    }
    lines?.iter().for_each(|line| say(line));
    Ok(ExitCode::SUCCESS)
}

async fn administer(command: &Admin) -> Outcome {
    telemetry::start_log("warn", LogFormat::Text)?;
    let (db, cluster) = serve::database(command.database(), 4, None, "broadside admin").await?;
    let app = workbench(db).await?;
    let lines = admin::run(&app, command).await.map_err(said);
    drop(app);
    if let Some(cluster) = cluster {
        cluster.stop().await.map_err(|error| error.to_string())?;
    }
    lines?.iter().for_each(|line| say(line));
    Ok(ExitCode::SUCCESS)
}

/// What the record proves, or where it fails; a sentence on standard error when there is nothing to judge.
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

/// Says how even a rule set is; 1 where a share that has a bound is not within it.
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

async fn list_reports(database: &Database) -> Outcome {
    telemetry::start_log("warn", LogFormat::Text)?;
    let (db, cluster) = serve::database(database, 2, None, "broadside reports").await?;
    let mut conn = db.conn().await.map_err(said)?;
    let reports = abuse_reports::list(&mut conn).await.map_err(said)?;
    drop(conn);
    reports.iter().flat_map(NamedAbuseReport::lines).for_each(|line| say(&line));
    say(&format!("{} reports", reports.len()));
    if let Some(cluster) = cluster {
        cluster.stop().await.map_err(|error| error.to_string())?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn rotate_keys(database: &Database) -> Outcome {
    telemetry::start_log("warn", LogFormat::Text)?;
    let (db, cluster) = serve::database(database, 2, None, "broadside rotate-keys").await?;
    accounts::rotate_keys(&db, &Clock::system()).await.map_err(said)?;
    matches::keys::rotate(&db, &Clock::system()).await.map_err(said)?;
    say(
        "new keys sign from now on, one for access tokens and one for records; running nodes take them up within five minutes",
    );
    if let Some(cluster) = cluster {
        cluster.stop().await.map_err(|error| error.to_string())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Asks `/readyz` over a plain socket: a health check needs no more.
async fn health(listen: std::net::SocketAddr) -> ExitCode {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut address = listen;
    if address.ip().is_unspecified() {
        address.set_ip(std::net::Ipv4Addr::LOCALHOST.into());
    }
    let ask = async {
        let mut stream = tokio::net::TcpStream::connect(address).await.ok()?;
        stream.write_all(b"GET /readyz HTTP/1.0\r\nHost: localhost\r\n\r\n").await.ok()?;
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).await.ok()?;
        answer.ends_with(b" 200").then_some(())
    };
    let answered = tokio::time::timeout(std::time::Duration::from_secs(3), ask).await;
    if matches!(answered, Ok(Some(()))) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn said(error: broadside::error::Error) -> String {
    match error.cause() {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}
