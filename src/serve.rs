//! Running the service: starts the database, then the app, the listeners and the jobs; stops them in the opposite
//! order.

use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::{Server, ServerHandle};
use actix_web::{HttpServer, web};
use metrics_exporter_prometheus::PrometheusHandle;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::task::JoinSet;

use crate::app::{App, ConnectionTimeouts, Parts};
use crate::backup::revocations;
use crate::clock::Clock;
use crate::config::{Serve, Switch};
use crate::context::Entropy;
use crate::db::{Db, Deadline};
use crate::house_bots::HouseBots;
use crate::matches::MatchMemory;
use crate::matches::archive::check;
use crate::public_reads::ReplicaSettings;
use crate::rate_limits::RateLimits;
use crate::signals::{Signals, Stop};
use crate::{api, database, jobs, telemetry};

/// The default address of /metrics.
const ADMIN: &str = "127.0.0.1:9090";

/// Time limit for receiving a request body: 64 KiB at 50 kbit/s.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// Time limits for receiving a request head, and for idle connections. Browsers open spare connections, and close them
/// after ten seconds: with the same limit here, a request in the last moment would meet a 408, and a page would lack
/// one of its files.
const CONNECTIONS: ConnectionTimeouts =
    ConnectionTimeouts { head: Duration::from_secs(30), silence: Duration::from_secs(75) };

/// Errors are one sentence for the operator.
type Outcome<T = ()> = Result<T, String>;

/// Serves until told to stop.
pub async fn run(settings: Serve) -> Outcome {
    settings.check()?;
    telemetry::start_log(&settings.log, settings.log_format)?;
    let metrics = telemetry::start_metrics()?;
    raise_descriptors();
    // The listeners first: if an address is taken, nothing has been started yet.
    let listener = bind(settings.listen, "--listen")?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    let admin = bind_admin(settings.admin_listen)?;

    let deadline = Deadline(Duration::from_secs(settings.database_deadline_s.into()));
    let note = format!("http://{address}");
    let replica = settings.reads.replica(settings.database_connections, deadline.0)?;
    let (db, cluster) =
        database::open(&settings.database, settings.database_connections, Some(deadline), &note).await?;
    if let Some(replica) = &replica {
        database::check_replica(&replica.db).await?;
    }
    prepare_schema(&db, settings.no_migrate).await?;
    let app = Arc::new(build(&settings, db, replica, address).await?);
    if let Some(cluster) = &cluster {
        app.readiness.watch(cluster.status());
    }

    warn_without_archive(&settings, &app).await;
    // Detects an outage before a player moves or a clock is judged. If that is impossible now, it is detected later.
    if let Err(error) = app.heartbeat.beat().await {
        tracing::warn!(%error, cause = error.cause().map(tracing::field::display), "the service could give no first sign of life");
    }
    let living = Arc::clone(&app);
    let heart = tokio::spawn(async move { tokio::join!(living.heartbeat.run(), living.watch_replica()) });

    let served = web::Data::from(Arc::clone(&app));
    let server = start(&settings, served.clone(), listener)?;
    let handle = server.handle();
    let admin = admin.map(|listener| start_admin(served.clone(), metrics, listener)).transpose()?;
    let mut jobs = jobs::start(&app);
    if cluster.is_some() {
        let (app, file) = (Arc::clone(&app), revocations::in_folder(&settings.database.data));
        jobs.spawn(async move { revocations::keep(&app, &file).await });
    }
    let serving = tokio::spawn(server);
    let mut signals = Signals::install()?;
    announce(address);
    tokio::spawn(prepare(served.clone()));
    let bots = settings.has_bots().then(|| HouseBots::start(&settings.bots, address, &settings.database.data));

    drain(&app, &mut signals, settings.drain_s).await;
    if let Some(bots) = bots {
        bots.stop().await;
    }
    tracing::info!("stopping: requests under way are finished first");
    app.begin_to_stop();
    stop(handle, admin).await;
    let _ = serving.await;
    end_jobs(jobs, settings.stop_within_s).await;
    heart.abort();
    let _ = heart.await;
    drop((served, app));
    if let Some(cluster) = cluster {
        cluster.stop().await.map_err(|error| error.to_string())?;
    }
    tracing::info!("stopped");
    Ok(())
}

/// Matches moved into an archive can't be read without its address.
async fn warn_without_archive(settings: &Serve, app: &App) {
    if settings.archive.url.is_none() && check::is_any_archived(&app.matches).await.unwrap_or_default() {
        tracing::error!(
            "there are matches in an archive, and --archive doesn't say where that is: nobody can read them"
        );
    }
}

/// The wanted limit on open files and connections of this process, if the system allows it. A connection has two: one
/// of them ends it when no request comes.
const DESCRIPTORS: u64 = 131_072;

/// Raises the limit on open files as far as allowed: streams soon use up the usual 1024.
fn raise_descriptors() {
    let limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.map_or(DESCRIPTORS, |most| most.min(DESCRIPTORS));
    if limit.current.is_some_and(|current| current < wanted)
        && let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), ..limit })
    {
        tracing::warn!(%error, "the limit of open files could not be raised: streams and connections are limited");
    }
}

/// An address at which this machine reaches a listening service: the unspecified address is no destination.
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

async fn build(settings: &Serve, db: Db, replica: Option<ReplicaSettings>, address: SocketAddr) -> Outcome<App> {
    let parts = Parts {
        clock: Clock::system(),
        db,
        replica,
        rate_limits: (settings.rate_limits == Switch::On).then(|| RateLimits::new(settings.budgets.limits())),
        public_url: settings.public_url.clone().unwrap_or_else(|| format!("http://{}", reachable(address))),
        contact: settings.contact.clone(),
        front_end: settings.web.clone(),
        proxies: settings.proxies.proxies(),
        mail: settings.mail.setup()?,
        match_link: settings.mail.match_link.clone(),
        memory: MatchMemory {
            matches: settings.matches_in_memory as usize,
            document_bytes: u64::from(settings.documents_in_memory_mib) << 20,
        },
        archive: settings.archive.open()?,
        entropy: Entropy::System,
        keep_alive: Duration::from_secs(settings.stream_keep_alive_s.into()),
        body_timeout: BODY_TIMEOUT,
        connections: CONNECTIONS,
        webhooks: settings.webhooks.settings()?,
        web_push: settings.web_push == Switch::On,
        rulesets: settings.rulesets.limits(),
        sessions: settings.sessions.settings(),
        second_factor: settings.sessions.second_factor(settings.webhooks.sealing_key()?),
        guests: settings.guests.settings(),
        heartbeat: Some(settings.heartbeat.settings()),
    };
    App::build(parts)
        .await
        .map_err(|error| format!("{error}: {}", error.cause().map(ToString::to_string).unwrap_or_default()))
}

/// Brings the schema up to date. Refuses to start on one that is too old or too new, and without the rights.
async fn prepare_schema(db: &Db, by_operator: bool) -> Outcome {
    let said = |error: crate::error::Error| {
        format!(
            "the database's schema can't be brought up to date: {}",
            error.cause().map(ToString::to_string).unwrap_or_default()
        )
    };
    let refused = |why: Option<String>| why.map_or(Ok(()), Err);
    let schema = db.schema().await.map_err(said)?;
    if by_operator && schema.pending.is_empty() && !schema.unknown.is_empty() {
        let unknown = schema.unknown.join(", ");
        tracing::warn!(unknown, "the database's schema is newer than this program, which serves beside a newer one");
    } else if by_operator || !schema.unknown.is_empty() {
        refused(schema.obstacle())?;
    } else if !schema.pending.is_empty() {
        refused(db.lacking_rights(true).await.map_err(said)?)?;
        let ran = db.migrate().await.map_err(said)?;
        tracing::info!(migrations = ran.join(", "), "the database's schema was brought up to date");
    }
    refused(db.lacking_rights(false).await.map_err(said)?)
}

/// Listens at an address; `setting` names its setting.
fn bind(address: SocketAddr, setting: &str) -> Outcome<TcpListener> {
    TcpListener::bind(address).map_err(|error| {
        let remedy = match error.kind() {
            ErrorKind::AddrInUse => format!("is another instance running? `{setting} 127.0.0.1:0` takes a free port"),
            ErrorKind::AddrNotAvailable => "this machine has no such address".to_owned(),
            ErrorKind::PermissionDenied => {
                "ports below 1024 are for root, or for who has CAP_NET_BIND_SERVICE".to_owned()
            }
            _ => "name another address".to_owned(),
        };
        format!("{setting} {address} can't be listened on: {error}; {remedy}")
    })
}

/// The listener for metrics and health. A configured address must be free; the default one may be taken.
fn bind_admin(wanted: Option<SocketAddr>) -> Outcome<Option<TcpListener>> {
    if let Some(address) = wanted {
        return bind(address, "--admin-listen").map(Some);
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
    start_server(app, listener, settings.workers, settings.stop_within_s).map_err(|error| error.to_string())
}

/// The server of the API, which runs while awaited.
pub fn start_server(
    app: web::Data<App>,
    listener: TcpListener,
    workers: Option<u16>,
    stop_within_s: u16,
) -> std::io::Result<Server> {
    let ConnectionTimeouts { head, silence } = app.connections;
    let most = silence.saturating_add(head);
    let server = HttpServer::new(move || api::app(app.clone()))
        // A response that doesn't fill a packet must not wait for the acknowledgement of the previous one.
        .tcp_nodelay(true)
        .shutdown_timeout(u64::from(stop_within_s))
        .keep_alive(silence)
        .client_request_timeout(head)
        .on_connect(move |connection, data| api::http::connections::watch(connection, data, most))
        .client_disconnect_timeout(Duration::from_secs(2))
        // A client that closes a connection expects nothing more: an abandoned stream frees its slot at once.
        .h1_allow_half_closed(false)
        .disable_signals();
    let server = match workers {
        Some(workers) => server.workers(usize::from(workers)),
        None => server,
    };
    Ok(server.listen(listener)?.run())
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

/// Builds the first-requested documents in advance, so that no request waits for them.
async fn prepare(app: web::Data<App>) {
    if let Err(error) = api::prepare(&app).await {
        tracing::warn!(%error, "what is asked for first was not made before; it is made when it is asked for");
    }
}

/// The one line on standard output, for people and for scripts that wait for it.
#[expect(clippy::print_stdout, reason = "this line is a promise of the command")]
fn announce(address: SocketAddr) {
    println!("listening on http://{address}");
}

/// Lets jobs finish their rounds, such as the delivery of a mail or a webhook. The next node completes what is cut off.
async fn end_jobs(mut jobs: JoinSet<()>, within_s: u16) {
    let ended = async { while jobs.join_next().await.is_some() {} };
    if tokio::time::timeout(Duration::from_secs(within_s.into()), ended).await.is_err() {
        jobs.shutdown().await;
    }
}

/// Waits for a signal. After SIGTERM the node asks its clients to go elsewhere for this long, or until the next signal.
async fn drain(app: &App, signals: &mut Signals, drain_s: u16) {
    if signals.received().await == Stop::AtOnce {
        return;
    }
    app.begin_to_drain();
    tracing::info!(drain_s, "draining: this node is no longer ready, and serves until its clients have gone elsewhere");
    tokio::select! {
        () = tokio::time::sleep(Duration::from_secs(drain_s.into())) => {}
        _ = signals.received() => {}
    }
}

async fn stop(api: ServerHandle, admin: Option<ServerHandle>) {
    api.stop(true).await;
    if let Some(admin) = admin {
        admin.stop(false).await;
    }
}
