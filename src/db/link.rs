//! Connections to PostgreSQL that a silent server can't hold forever.
//!
//! A server that is stopped, cut off or waiting for a lock sends no answer, and nothing in the protocol ends the wait.
//! So the server is told to end each statement by itself ([`Deadline::of_statement`]), and a [`Watch`] closes every
//! connection whose statement has no answer at the deadline. The caller gets `unavailable`, and the outcome of the
//! statement is unknown.
//!
//! If its synchronous standby is missing, a server eventually commits without it, and adds a warning to the success.
//! Such a commit can be lost in a failover, so it must not count: the connection is closed before it is read. The same
//! applies to distributed tables when a worker dies during the last step of a commit.

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

/// Idle time of a connection before TCP probes the other end.
const KEEP_ALIVE_AFTER: Duration = Duration::from_secs(10);
/// The interval of the probes, and the number of unanswered ones after which the connection is closed.
const KEEP_ALIVE_EVERY: Duration = Duration::from_secs(5);
const KEEP_ALIVES: u32 = 3;
/// tokio-postgres's default for the first probe.
const UNSET_KEEP_ALIVE: Duration = Duration::from_hours(2);
/// The functions that warn of a commit without the standby (PostgreSQL) or not yet known to a worker (Citus). Unlike
/// the messages, their names are not translated.
const UNCONFIRMED: [&str; 4] =
    ["SyncRepWaitForLSN", "FinishRemoteTransactionCommit", "ReportConnectionError", "ReportResultError"];

/// The maximum time to wait for the database.
#[derive(Clone, Copy, Debug)]
pub struct Deadline(pub Duration);

impl Deadline {
    /// The time after which the server ends a statement: early enough to report it before the connection is closed.
    fn of_statement(self) -> Duration {
        self.0.mul_f64(0.9)
    }

    /// The time after which the server ends an idle transaction: its node hangs or is cut off, and other transactions
    /// wait for its locks. Longer than for any statement, so that a slow node is not affected.
    fn of_transaction(self) -> Duration {
        self.0.mul_f64(1.5)
    }
}

/// Opens connections, each of which is closed if an answer is overdue.
#[derive(Clone)]
pub struct Links {
    config: Config,
    tls: MakeRustlsConnect,
    deadline: Option<Deadline>,
    watch: Arc<Watch>,
    /// The runtime on which all connections are opened and driven. A server worker's own runtime ends when it is idle,
    /// while others still use the connections that it opened.
    runtime: Handle,
    /// Set by the first connection: true if the tables are distributed.
    distributed: Arc<OnceLock<bool>>,
}

/// A connection, with the start of its unanswered statement.
pub struct Link {
    conn: AsyncPgConnection,
    tls: MakeRustlsConnect,
    busy: Arc<Busy>,
    watch: Arc<Watch>,
    distributed: bool,
}

impl Links {
    /// Connections to the database at `url`, which live as long as the calling runtime. Without a deadline they wait
    /// forever, as the operator's commands do.
    pub fn new(url: &str, deadline: Option<Deadline>) -> Result<Self> {
        let Address { config, tls } = Address::read(url).map_err(Error::unavailable)?;
        let runtime = Handle::try_current().map_err(Error::internal)?;
        let (watch, distributed) = (Arc::new(Watch::new(deadline)), Arc::default());
        Ok(Self { config: lively(config, deadline), tls, deadline, watch, runtime, distributed })
    }

    /// The cause of the connection failure `error`, and its remedy.
    pub fn explain(&self, error: &Error) -> String {
        match error.cause() {
            Some(cause) => unreachable::explain(&self.config, cause),
            None => error.to_string(),
        }
    }

    /// Opens a connection; dropping the future abandons it.
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
        // Busy from the start, so that a connection abandoned during setup is closed.
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

    /// Opens a connection with the driver's defaults.
    pub(super) async fn session(&self) -> Result<Client> {
        let (client, driver) = self.config.connect(self.tls.clone()).await.map_err(Error::unavailable)?;
        tokio::spawn(drive(driver));
        Ok(client)
    }

    pub(super) fn deadline(&self) -> Option<Deadline> {
        self.deadline
    }

    /// Opens a connection that receives notifications, and is therefore silent for long times: the caller enforces its
    /// deadlines.
    pub async fn listen(&self) -> Result<AsyncPgConnection> {
        let opened = async {
            let (client, driver) = self.config.connect(self.tls.clone()).await.map_err(Error::unavailable)?;
            AsyncPgConnection::try_from_client_and_connection(client, driver).await.map_err(Error::unavailable)
        };
        Box::pin(within(self.deadline, opened)).await
    }
}

/// The result of `work`, or `unavailable` at the deadline.
pub async fn within<T>(deadline: Option<Deadline>, work: impl Future<Output = Result<T>>) -> Result<T> {
    let Some(Deadline(limit)) = deadline else { return work.await };
    tokio::time::timeout(limit, work).await.unwrap_or_else(|_| Err(Error::unavailable("the database gives no answer")))
}

/// The connection settings, with TCP keep-alive unless the address configures it.
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

/// Processes the messages of a connection until it ends. A commit that its standby has not confirmed ends it at once:
/// the waiting statement then fails with a broken connection.
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
    /// The connection, for a statement; its deadline starts now.
    pub fn sql(&mut self) -> &mut AsyncPgConnection {
        self.busy.since_ms.store(self.watch.now_ms(), Ordering::Relaxed);
        &mut self.conn
    }

    /// Marks the connection as idle.
    pub fn rest(&self) {
        self.busy.since_ms.store(Busy::IDLE, Ordering::Relaxed);
    }

    /// True if the tables are distributed over several machines.
    pub fn is_distributed(&self) -> bool {
        self.distributed
    }

    /// True if a statement is waiting for its answer.
    pub fn is_in_statement(&self) -> bool {
        self.busy.in_statement.load(Ordering::Relaxed)
    }

    /// Asks the server to end an abandoned statement, which would otherwise continue after the connection is closed.
    /// Only for reads.
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

/// The start of a connection's statement, and the means to close the connection.
struct Busy {
    since_ms: AtomicU64,
    in_statement: AtomicBool,
    driver: AbortHandle,
}

/// Records the start and the end of each statement. An abandoned statement has no end.
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
    const IDLE: u64 = u64::MAX;
}

/// Without this, a connection dropped in mid-statement would wait for the answer before it closes.
impl Drop for Busy {
    fn drop(&mut self) {
        if self.since_ms.load(Ordering::Relaxed) != Self::IDLE {
            self.driver.abort();
        }
    }
}

/// Closes connections whose answer is overdue.
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

    /// Watches another connection; the first one starts the rounds.
    fn add(self: &Arc<Self>, busy: &Arc<Busy>) {
        let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Deadline(limit)) = self.deadline
            && links.is_empty()
        {
            tokio::spawn(rounds(Arc::downgrade(self), limit));
        }
        links.push(Arc::downgrade(busy));
    }

    /// Closes connections that are overdue by `limit`, and forgets closed ones. False: none is left to watch.
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

/// Checks twenty times per deadline, until nothing is left to watch.
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
