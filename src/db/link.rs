//! Connections to PostgreSQL that a silent server can't hold for ever.
//!
//! A server that is stopped, cut off, or waits for a lock gives no answer, and nothing in the protocol ends the
//! waiting. So the server is told to end each statement of its own accord ([`Deadline::of_statement`]), and a [`Watch`]
//! closes every connection whose statement has had no answer at the deadline. Whoever waited for it gets
//! `unavailable`, and whether the statement took effect is not known.
//!
//! A server whose synchronous standby is missing commits at last without it, and says so in a warning beside the
//! success. Such a success can be lost in a failover, so it is none: the connection is closed before it is read. The
//! same is true where tables are spread over machines, and one of them has died with the last word of a commit on its
//! way.

use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use deadpool::managed::{Manager, Metrics, RecycleError, RecycleResult};
use diesel::connection::{Instrumentation, InstrumentationEvent};
use diesel_async::pooled_connection::PoolableConnection;
use diesel_async::{AsyncConnection, AsyncPgConnection, SimpleAsyncConnection};
use tokio::runtime::Handle;
use tokio::task::{AbortHandle, JoinSet};
use tokio_postgres::tls::TlsStream;
use tokio_postgres::{AsyncMessage, Client, Config, Connection, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::address::Address;
use super::{distribution, unreachable};
use crate::error::{Error, Result};

/// How long a connection may be idle before TCP asks whether the other end is still there.
const KEEP_ALIVE_AFTER: Duration = Duration::from_secs(10);
/// How often TCP asks, and how often in vain before the connection is closed.
const KEEP_ALIVE_EVERY: Duration = Duration::from_secs(5);
const KEEP_ALIVES: u32 = 3;
/// What tokio-postgres has for the first of them unless the address says otherwise.
const UNSET_KEEP_ALIVE: Duration = Duration::from_hours(2);
/// The functions that warn of a commit without the standby (PostgreSQL's), or of one that a worker hasn't heard of yet
/// (Citus'); unlike the texts they are in no language.
const UNCONFIRMED: [&str; 4] =
    ["SyncRepWaitForLSN", "FinishRemoteTransactionCommit", "ReportConnectionError", "ReportResultError"];

/// How long anything waits for the database.
#[derive(Clone, Copy, Debug)]
pub struct Deadline(pub Duration);

impl Deadline {
    /// When the server itself ends a statement: early enough to say so before the connection is closed.
    fn of_statement(self) -> Duration {
        self.0.mul_f64(0.9)
    }

    /// When the server ends a transaction in which nothing happens: its node stands still or is cut off, and others
    /// wait for what it has locked. Later than any statement, so that a node which is only slow is not taken for one.
    fn of_transaction(self) -> Duration {
        self.0.mul_f64(1.5)
    }
}

/// Opens connections, of which none outlasts its deadline without an answer.
#[derive(Clone)]
pub struct Links {
    config: Config,
    tls: MakeRustlsConnect,
    deadline: Option<Deadline>,
    watch: Arc<Watch>,
    /// Where all connections are opened and driven. A worker of the server has a runtime of its own, which ends when it
    /// has nothing to do any more, while others still use the connections that it has opened.
    runtime: Handle,
    /// Whether the database is distributed: known from the first connection on.
    distributed: Arc<OnceLock<bool>>,
}

/// A connection, and since when it owes an answer.
pub struct Link {
    conn: AsyncPgConnection,
    tls: MakeRustlsConnect,
    busy: Arc<Busy>,
    watch: Arc<Watch>,
    distributed: bool,
}

impl Links {
    /// Connections to the database at `url`, which live as long as the runtime that this is called in. Without a
    /// deadline they wait for ever, as commands of the operator do.
    pub fn new(url: &str, deadline: Option<Deadline>) -> Result<Self> {
        let Address { config, tls } = Address::read(url).map_err(Error::unavailable)?;
        let runtime = Handle::try_current().map_err(Error::internal)?;
        let (watch, distributed) = (Arc::new(Watch::new(deadline)), Arc::default());
        Ok(Self { config: lively(config, deadline), tls, deadline, watch, runtime, distributed })
    }

    /// Why a connection failed with `error`, and what to do.
    pub fn explain(&self, error: &Error) -> String {
        match error.cause() {
            Some(cause) => unreachable::explain(&self.config, cause),
            None => error.to_string(),
        }
    }

    /// Opens one. Whoever doesn't wait for it any more gives it up.
    pub async fn open(&self) -> Result<Link> {
        let links = self.clone();
        let mut opening = JoinSet::new();
        opening.spawn_on(async move { within(links.deadline, links.set_up()).await }, &self.runtime);
        match opening.join_next().await {
            Some(opened) => opened.map_err(Error::unavailable)?,
            None => Err(Error::unavailable("the connection was given up")),
        }
    }

    async fn set_up(&self) -> Result<Link> {
        let (client, driver) = self.config.connect(self.tls.clone()).await.map_err(Error::unavailable)?;
        let driver = tokio::spawn(drive(driver)).abort_handle();
        // Busy from the beginning: a connection that is given up while it is set up is closed.
        let since_ms = AtomicU64::new(self.watch.now_ms());
        let busy = Arc::new(Busy { since_ms, in_statement: AtomicBool::new(false), driver });
        let mut conn = AsyncPgConnection::try_from(client).await.map_err(Error::unavailable)?;
        conn.set_instrumentation(StatementObserver(Arc::clone(&busy)));
        let (tls, watch) = (self.tls.clone(), Arc::clone(&self.watch));
        let mut link = Link { conn, tls, busy, watch, distributed: false };
        if let Some(deadline) = self.deadline {
            let limits = format!(
                "SET statement_timeout = {}; SET idle_in_transaction_session_timeout = {}",
                deadline.of_statement().as_millis(),
                deadline.of_transaction().as_millis()
            );
            link.conn.batch_execute(&limits).await?;
        }
        link.distributed = match self.distributed.get() {
            Some(known) => *known,
            None => {
                let found = distribution::is_distributed(&mut link.conn).await?;
                *self.distributed.get_or_init(|| found)
            }
        };
        if link.distributed {
            link.conn.batch_execute(distribution::SETTINGS).await?;
        }
        link.rest();
        self.watch.add(&link.busy);
        Ok(link)
    }

    /// Opens one as the driver has it, without any setting.
    pub(super) async fn session(&self) -> Result<Client> {
        let (client, driver) = self.config.connect(self.tls.clone()).await.map_err(Error::unavailable)?;
        tokio::spawn(drive(driver));
        Ok(client)
    }

    /// How long anything waits.
    pub(super) fn deadline(&self) -> Option<Deadline> {
        self.deadline
    }

    /// Opens one that receives notifications, and so is silent for long times: its owner watches its statements.
    pub async fn listen(&self) -> Result<AsyncPgConnection> {
        let opened = async {
            let (client, driver) = self.config.connect(self.tls.clone()).await.map_err(Error::unavailable)?;
            AsyncPgConnection::try_from_client_and_connection(client, driver).await.map_err(Error::unavailable)
        };
        Box::pin(within(self.deadline, opened)).await
    }
}

/// What `work` comes to, or `unavailable` at the deadline.
pub async fn within<T>(deadline: Option<Deadline>, work: impl Future<Output = Result<T>>) -> Result<T> {
    let Some(Deadline(limit)) = deadline else { return work.await };
    tokio::time::timeout(limit, work).await.unwrap_or_else(|_| Err(Error::unavailable("the database gives no answer")))
}

/// The address, with signs of life of TCP unless it names its own.
fn lively(mut config: Config, deadline: Option<Deadline>) -> Config {
    if config.get_keepalives_idle() == UNSET_KEEP_ALIVE {
        config.keepalives_idle(KEEP_ALIVE_AFTER).keepalives_interval(KEEP_ALIVE_EVERY).keepalives_retries(KEEP_ALIVES);
    }
    if let Some(Deadline(limit)) = deadline {
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(limit);
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(limit);
        }
    }
    config
}

/// Moves the messages of a connection until it ends. It ends at once when a commit is reported that its standby has
/// not confirmed: the waiting statement is then told that the connection broke.
async fn drive(mut connection: Connection<Socket, impl TlsStream + Unpin>) {
    while let Some(message) = poll_fn(|context| connection.poll_message(context)).await {
        match message {
            Ok(AsyncMessage::Notice(notice)) if notice.routine().is_some_and(|from| UNCONFIRMED.contains(&from)) => {
                tracing::error!(warning = notice.message(), "a commit is not confirmed everywhere: it is given up");
                return;
            }
            Ok(_) => {}
            Err(error) => return tracing::debug!(%error, "a connection to the database broke"),
        }
    }
}

impl Link {
    /// The connection, for a statement: the deadline begins now.
    pub fn sql(&mut self) -> &mut AsyncPgConnection {
        self.busy.since_ms.store(self.watch.now_ms(), Ordering::Relaxed);
        &mut self.conn
    }

    /// No answer is awaited any more.
    pub fn rest(&self) {
        self.busy.since_ms.store(Busy::IDLE, Ordering::Relaxed);
    }

    /// Whether the tables are spread over several machines.
    pub fn is_distributed(&self) -> bool {
        self.distributed
    }

    /// Whether a statement has begun that has no answer yet.
    pub fn is_in_statement(&self) -> bool {
        self.busy.in_statement.load(Ordering::Relaxed)
    }

    /// Asks the server to end a statement for whose answer nobody waits any more: it would go on when the connection is
    /// closed. Only what reads may be ended so.
    pub fn cancel(&self) {
        let (cancel, tls, deadline) = (self.conn.cancel_token(), self.tls.clone(), self.watch.deadline);
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move {
                let cancelled = async { cancel.cancel_query(tls).await.map_err(Error::unavailable) };
                if let Err(error) = within(deadline, cancelled).await {
                    tracing::debug!(%error, "a statement could not be cancelled");
                }
            });
        }
    }
}

/// When the statement of a connection began, and how the connection is closed.
struct Busy {
    since_ms: AtomicU64,
    /// Whether a statement has begun that has no answer yet.
    in_statement: AtomicBool,
    driver: AbortHandle,
}

/// Notes the begin and the end of each statement. A statement that is given up has no end.
struct StatementObserver(Arc<Busy>);

impl Instrumentation for StatementObserver {
    fn on_connection_event(&mut self, event: InstrumentationEvent<'_>) {
        match event {
            InstrumentationEvent::StartQuery { .. } => self.0.in_statement.store(true, Ordering::Relaxed),
            InstrumentationEvent::FinishQuery { .. } => self.0.in_statement.store(false, Ordering::Relaxed),
            _ => {}
        }
    }
}

impl Busy {
    /// No statement is under way.
    const IDLE: u64 = u64::MAX;
}

/// A connection that is dropped without an answer would wait for it before it closes.
impl Drop for Busy {
    fn drop(&mut self) {
        if self.since_ms.load(Ordering::Relaxed) != Self::IDLE {
            self.driver.abort();
        }
    }
}

/// Closes the connections that have been without an answer for too long.
struct Watch {
    began: Instant,
    links: Mutex<Vec<Weak<Busy>>>,
    deadline: Option<Deadline>,
}

impl Watch {
    #[expect(clippy::disallowed_methods, reason = "a duration is measured")]
    fn new(deadline: Option<Deadline>) -> Self {
        Self { began: Instant::now(), links: Mutex::default(), deadline }
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(Busy::IDLE - 1)
    }

    /// Watches one more; the first begins the rounds.
    fn add(self: &Arc<Self>, busy: &Arc<Busy>) {
        let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Deadline(limit)) = self.deadline
            && links.is_empty()
        {
            tokio::spawn(rounds(Arc::downgrade(self), limit));
        }
        links.push(Arc::downgrade(busy));
    }

    /// Closes what is late by `limit`, and forgets what is closed. False: there is nothing left to watch.
    fn look(&self, limit: Duration) -> bool {
        let now_ms = self.now_ms();
        let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        links.retain(|link| {
            let Some(busy) = link.upgrade() else { return false };
            let since_ms = busy.since_ms.load(Ordering::Relaxed);
            if since_ms != Busy::IDLE && u128::from(now_ms.saturating_sub(since_ms)) > limit.as_millis() {
                tracing::warn!("the database gives no answer: a connection is closed");
                busy.driver.abort();
                return false;
            }
            true
        });
        !links.is_empty()
    }
}

/// Looks twenty times in each deadline, until there is nothing to look after.
async fn rounds(watch: Weak<Watch>, limit: Duration) {
    loop {
        tokio::time::sleep(limit / 20).await;
        let Some(watch) = watch.upgrade() else { return };
        if !watch.look(limit) {
            return;
        }
    }
}

impl Manager for Links {
    type Type = Link;
    type Error = Error;

    async fn create(&self) -> Result<Link> {
        self.open().await
    }

    async fn recycle(&self, link: &mut Link, _: &Metrics) -> RecycleResult<Error> {
        if std::thread::panicking() || link.conn.is_broken() {
            return Err(RecycleError::message("the connection is broken"));
        }
        link.rest();
        Ok(())
    }
}
