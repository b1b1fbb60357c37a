//! Running the service: the database first, then the app, the listeners, the jobs; and stopping in the opposite order.

use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use actix_web::dev::{Server, ServerHandle};
use actix_web::{HttpServer, web};
use metrics_exporter_prometheus::PrometheusHandle;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinHandle;

use crate::api;
use crate::app::{App, Entropy, Parts};
use crate::clock::Clock;
use crate::config::{Database, Serve, Switch};
use crate::limits::Limits;
use crate::notices::mail;
use crate::notices::webhooks::deliver;
use crate::store::Db;
use crate::store::embedded::{self, Cluster, Durability};
use crate::telemetry;

/// Where /metrics is served unless told otherwise.
const ADMIN: &str = "127.0.0.1:9090";

/// What stops a start, in one sentence for the operator.
type Outcome<T = ()> = Result<T, String>;

/// Connects to the database that the settings name: the operator's own, or the private cluster, which is started and has to be kept.
pub async fn database(settings: &Database, connections: u16, note: &str) -> Outcome<(Db, Option<Cluster>)> {
    let (url, cluster) = match &settings.database_url {
        Some(url) => (url.reveal().to_owned(), None),
        None => {
            let options = embedded::Options {
                folder: settings.data.clone(),
                programs: settings.postgres_programs.clone(),
                durability: Durability::Full,
                note: note.to_owned(),
            };
            let cluster = Cluster::start(options).await.map_err(|error| error.to_string())?;
            (cluster.url("broadside"), Some(cluster))
        }
    };
    let db = Db::new(&url, usize::from(connections)).map_err(|error| error.to_string())?;
    db.ping().await.map_err(|error| {
        let cause = error.cause().map(ToString::to_string).unwrap_or_default();
        format!("the database can't be reached: {cause}")
    })?;
    Ok((db, cluster))
}

/// Serves until told to stop.
pub async fn run(settings: Serve) -> Outcome {
    settings.check()?;
    telemetry::start_log(&settings.log, settings.log_format)?;
    let metrics = telemetry::start_metrics()?;
    raise_descriptors();
    // The doors first: if one is taken, nothing has been started.
    let listener = bind(settings.listen)?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    let admin = bind_admin(settings.admin_listen)?;

    let (db, cluster) =
        database(&settings.database, settings.database_connections, &format!("http://{address}")).await?;
    prepare_schema(&db, settings.no_migrate).await?;
    let app = web::Data::new(build(&settings, db, address).await?);

    let server = start(&settings, app.clone(), listener)?;
    let handle = server.handle();
    let admin = admin.map(|listener| start_admin(app.clone(), metrics, listener)).transpose()?;
    let jobs = [
        tokio::spawn(tend(app.clone())),
        tokio::spawn(plan_anew(app.clone())),
        tokio::spawn(carry_out_orders(app.clone())),
        tokio::spawn(expire_challenges(app.clone())),
        tokio::spawn(say_farewells(app.clone())),
        tokio::spawn(tend_ladders(app.clone())),
        tokio::spawn(hold_tournaments(app.clone())),
    ];
    let webhooks = tokio::spawn(deliver::run(app.clone().into_inner()));
    let post = tokio::spawn(deliver_mail(app.clone()));
    let serving = tokio::spawn(server);
    announce(address);

    wait_for_signal().await?;
    tracing::info!("stopping: requests under way are finished first");
    app.begin_to_stop();
    stop(handle, admin).await;
    let _ = serving.await;
    for job in jobs {
        job.abort();
        let _ = job.await;
    }
    for delivery in [webhooks, post] {
        end_delivery(delivery, settings.stop_within_s).await;
    }
    drop(app);
    if let Some(cluster) = cluster {
        cluster.stop().await.map_err(|error| error.to_string())?;
    }
    tracing::info!("stopped");
    Ok(())
}

/// How many files and connections this process may have open, if the system allows that many at all.
const DESCRIPTORS: u64 = 65_536;

/// The usual allowance of 1024 open files is soon used up by streams, so what the process may take for itself it takes.
fn raise_descriptors() {
    let limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.map_or(DESCRIPTORS, |most| most.min(DESCRIPTORS));
    if limit.current.is_some_and(|current| current < wanted)
        && let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), ..limit })
    {
        tracing::warn!(%error, "no more open files are to be had: streams and connections are limited");
    }
}

async fn build(settings: &Serve, db: Db, address: SocketAddr) -> Outcome<App> {
    let parts = Parts {
        clock: Clock::System,
        db,
        limits: (settings.rate_limits == Switch::On).then(Limits::standard),
        public_url: settings.public_url.clone().unwrap_or_else(|| format!("http://{address}")),
        mail: settings.mail.setup()?,
        matches_in_memory: settings.matches_in_memory as usize,
        entropy: Entropy::System,
        keep_alive: Duration::from_secs(settings.stream_keep_alive_s.into()),
        webhooks: settings.webhooks.settings()?,
    };
    App::build(parts)
        .await
        .map_err(|error| format!("{error}: {}", error.cause().map(ToString::to_string).unwrap_or_default()))
}

/// Brings the schema up to date, or refuses to start on an old one.
async fn prepare_schema(db: &Db, by_operator: bool) -> Outcome {
    let said = |error: crate::error::Error| {
        format!(
            "the database's schema can't be brought up to date: {}",
            error.cause().map(ToString::to_string).unwrap_or_default()
        )
    };
    if by_operator {
        let pending = db.pending_migrations().await.map_err(said)?;
        return match pending.as_slice() {
            [] => Ok(()),
            some => Err(format!(
                "{} migrations have not run ({}): run `broadside migrate` first",
                some.len(),
                some.join(", ")
            )),
        };
    }
    let ran = db.migrate().await.map_err(said)?;
    if !ran.is_empty() {
        tracing::info!(migrations = ran.join(", "), "the database's schema was brought up to date");
    }
    Ok(())
}

fn bind(address: SocketAddr) -> Outcome<TcpListener> {
    TcpListener::bind(address).map_err(|error| {
        format!("{address} can't be listened on: {error}. Is another instance running? `--listen 127.0.0.1:0` takes a free port.")
    })
}

/// The admin door: one that was asked for has to open; the default one may be somebody else's.
fn bind_admin(wanted: Option<SocketAddr>) -> Outcome<Option<TcpListener>> {
    if let Some(address) = wanted {
        return bind(address).map(Some);
    }
    let listener = TcpListener::bind(ADMIN).ok();
    if listener.is_none() {
        tracing::warn!(
            address = ADMIN,
            "the default admin address is taken, so metrics are not served; --admin-listen names another"
        );
    }
    Ok(listener)
}

fn start(settings: &Serve, app: web::Data<App>, listener: TcpListener) -> Outcome<Server> {
    let server = HttpServer::new(move || api::app(app.clone()))
        .shutdown_timeout(u64::from(settings.stop_within_s))
        .keep_alive(Duration::from_secs(75))
        .client_request_timeout(Duration::from_secs(10))
        .client_disconnect_timeout(Duration::from_secs(2))
        .disable_signals();
    let server = match settings.workers {
        Some(workers) => server.workers(usize::from(workers)),
        None => server,
    };
    Ok(server.listen(listener).map_err(|error| error.to_string())?.run())
}

fn start_admin(app: web::Data<App>, metrics: PrometheusHandle, listener: TcpListener) -> Outcome<ServerHandle> {
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    let server = HttpServer::new(move || api::admin(app.clone(), metrics.clone()))
        .workers(1)
        .shutdown_timeout(1)
        .disable_signals()
        .listen(listener)
        .map_err(|error| error.to_string())?
        .run();
    let handle = server.handle();
    tokio::spawn(server);
    tracing::info!(%address, "metrics are served on the admin address");
    Ok(handle)
}

/// The one line on standard output, for people and for scripts that wait for it.
#[expect(clippy::print_stdout, reason = "this line is a promise of the command")]
fn announce(address: SocketAddr) {
    println!("listening on http://{address}");
}

/// How long the jobs rest between two rounds.
const ROUND: Duration = Duration::from_millis(500);
/// After how many rounds they clean up: ten minutes.
const CLEAN_UP_EVERY: u32 = 1200;

/// Jobs, again and again, until aborted. A round that fails is logged, and the next one tries again.
async fn tend(app: web::Data<App>) {
    for round in (0..CLEAN_UP_EVERY).cycle() {
        if let Err(error) = app.tend().await {
            tracing::warn!(%error, "time-outs could not be looked for");
        }
        if round == 0 {
            // It has logged what failed.
            let _ = app.clean_up().await;
        }
        tokio::time::sleep(ROUND).await;
    }
}

/// How long the job of standing orders rests between two rounds, at least, and how much longer at most, in milliseconds.
const ORDERS_REST_MS: (u64, u16) = (500, 1000);

/// After how many rounds it looks for seats that are out: some ten minutes.
const FORGET_OUTS_EVERY: u32 = 600;

/// Carries out standing orders, again and again, until aborted: a job of its own, so that no time-out waits for it.
async fn carry_out_orders(app: web::Data<App>) {
    for round in (0..FORGET_OUTS_EVERY).cycle() {
        if let Err(error) = app.carry_out_orders().await {
            tracing::warn!(%error, "standing orders could not be looked for");
        }
        if round == 0
            && let Err(error) = app.forget_orders_of_outs().await
        {
            tracing::warn!(%error, "standing orders of seats that are out could not be looked for");
        }
        // Not always as long: a player whose moves all come at the same part of a second would give himself away.
        let more = u16::from_be_bytes(app.random()) % (ORDERS_REST_MS.1 + 1);
        tokio::time::sleep(Duration::from_millis(ORDERS_REST_MS.0 + u64::from(more))).await;
    }
}

/// How long the post rests between two rounds: what is due in a minute may be a few seconds late.
const POST_ROUND: Duration = Duration::from_secs(10);

/// Sends what is due, again and again, until the service stops. It has a task of its own, since somebody else's server may be slow.
async fn deliver_mail(app: web::Data<App>) {
    if app.mail.is_none() {
        return;
    }
    while !app.is_stopping() {
        if let Err(error) = mail::post::deliver(&app).await {
            tracing::warn!(%error, "mail could not be looked for");
        }
        tokio::select! {
            () = tokio::time::sleep(POST_ROUND) => {}
            () = app.stops() => {}
        }
    }
}

/// Lets what is on its way to somebody else's server come to its end. What is cut off is sent again, by whoever is there when its lease has run out.
async fn end_delivery(mut delivery: JoinHandle<()>, within_s: u16) {
    if tokio::time::timeout(Duration::from_secs(u64::from(within_s)), &mut delivery).await.is_err() {
        delivery.abort();
        let _ = delivery.await;
    }
}

/// Beside the other jobs, since somebody with many matches must not make anybody's time-out late.
async fn plan_anew(app: web::Data<App>) {
    loop {
        if let Err(error) = app.plan_anew().await {
            tracing::warn!(%error, "changes of calendars could not be looked for");
        }
        tokio::time::sleep(ROUND).await;
    }
}

/// Beside the other jobs for the same reason: there may be many offers.
async fn expire_challenges(app: web::Data<App>) {
    loop {
        if let Err(error) = app.expire_challenges().await {
            tracing::warn!(%error, "challenges that have expired could not be looked for");
        }
        tokio::time::sleep(ROUND).await;
    }
}

/// Beside the other jobs as well: whoever goes may have said much to many.
async fn say_farewells(app: web::Data<App>) {
    loop {
        if let Err(error) = app.say_farewells().await {
            tracing::warn!(%error, "what deleted accounts have left behind could not be looked for");
        }
        tokio::time::sleep(ROUND).await;
    }
}

/// Beside the other jobs as well: a ladder may have many members.
async fn tend_ladders(app: web::Data<App>) {
    loop {
        if let Err(error) = app.tend_ladders().await {
            tracing::warn!(%error, "ladders could not be tended");
        }
        tokio::time::sleep(ROUND).await;
    }
}

/// Beside the other jobs as well: a round may have many boards.
async fn hold_tournaments(app: web::Data<App>) {
    loop {
        if let Err(error) = app.hold_tournaments().await {
            tracing::warn!(%error, "what is due in tournaments could not be looked for");
        }
        tokio::time::sleep(ROUND).await;
    }
}

async fn wait_for_signal() -> Outcome {
    let mut terminate = signal(SignalKind::terminate()).map_err(|error| error.to_string())?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(|error| error.to_string())?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    Ok(())
}

async fn stop(api: ServerHandle, admin: Option<ServerHandle>) {
    api.stop(true).await;
    if let Some(admin) = admin {
        admin.stop(false).await;
    }
}
