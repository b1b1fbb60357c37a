//! The database: connections, transactions, migrations, and the classification of temporary errors.
//!
//! The SQL is in the `store` of each capability. Reads take a [`Conn`] and writes take a [`Tx`], so that a write can't
//! run outside a transaction; public reads may take a [`PublicRead`], which a replica can provide. A single statement
//! is a transaction by itself: `matches::store::writer` gathers the moves of many matches into it.

mod address;
mod certificates;
mod columns;
mod connections;
mod distribution;
mod link;
mod migrations;
mod pooler;
pub(crate) mod schema;
mod time;
mod unreachable;
pub(crate) use columns::{Column, Selected, bind, bind_all, prepared_once, rows, selected, sql};
use connections::PooledConnection;
pub use connections::{Conn, PublicRead};
pub(crate) use distribution::MARK;
pub use distribution::Obstacle;
pub use link::Deadline;
use link::Links;
pub(crate) use link::{Link, within};
pub(crate) use time::At;

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;

use deadpool::managed::{Object, Pool, PoolError, TimeoutType, Timeouts};
use diesel::dsl::sql;
use diesel::result::{DatabaseErrorKind, Error as DieselError};
use diesel::sql_types::Integer;
use diesel_async::methods::ExecuteDsl;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection, TransactionManager};
use tokio::runtime::Handle;

use crate::error::{Error, Result};

/// The wait for a free connection before a request fails with `unavailable`, if no deadline is set.
const PATIENCE: Duration = Duration::from_secs(5);

type Manager = <AsyncPgConnection as AsyncConnection>::TransactionManager;

#[derive(Clone)]
pub struct Db {
    pool: Pool<Links>,
    links: Arc<Links>,
    deadline: Option<Deadline>,
}

impl Db {
    /// A pool of at most `connections` to the database at `url` (a `postgres://` address or libpq's `key=value` form,
    /// with `sslmode` and `sslrootcert`). It connects on first use. With a deadline, statements that are not answered
    /// in time fail with `unavailable`; without one, they may take any time.
    pub fn new(url: &str, connections: usize, deadline: Option<Deadline>) -> Result<Self> {
        Self::of(Links::new(url, deadline)?, connections, deadline)
    }

    /// A separate pool to the same database, so that its users don't wait for this one.
    pub(crate) fn apart(&self, connections: usize) -> Result<Self> {
        Self::of(Links::clone(&self.links), connections, self.deadline)
    }

    fn of(links: Links, connections: usize, deadline: Option<Deadline>) -> Result<Self> {
        let wait = deadline.map_or(PATIENCE, |deadline| deadline.0);
        let pool = Pool::builder(links.clone())
            .max_size(connections)
            .wait_timeout(Some(wait))
            .create_timeout(Some(wait))
            .runtime(deadpool::Runtime::Tokio1)
            .build()
            .map_err(Error::internal)?;
        Ok(Self { pool, links: Arc::new(links), deadline })
    }

    pub async fn conn(&self) -> Result<Conn> {
        self.pool.get().await.map(Conn::of).map_err(unavailable)
    }

    /// A connection for public reads, with this database as a replica of another.
    pub(crate) async fn public_read(&self) -> Result<PublicRead> {
        self.pool.get().await.map(PublicRead::of_replica).map_err(unavailable)
    }

    /// True if a pooler shares sessions between transactions, so that session features can't work.
    pub async fn shares_sessions(&self) -> Result<bool> {
        self.links.shares_sessions().await
    }

    pub async fn begin(&self) -> Result<Tx> {
        let mut tx = self.begin_unmarked().await?;
        if tx.is_distributed() {
            tx.sql().batch_execute(MARK).await?;
        }
        Ok(tx)
    }

    async fn begin_unmarked(&self) -> Result<Tx> {
        let mut conn = self.conn().await?;
        Manager::begin_transaction(conn.sql()).await?;
        Ok(Tx { conn, afterwards: Vec::new(), settled: false })
    }

    /// Begins a read-only transaction with the database as of its first read: later changes are invisible to it, and
    /// never wait for it.
    pub async fn snapshot(&self) -> Result<Snapshot> {
        let mut tx = self.begin_unmarked().await?;
        diesel::sql_query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY").run(&mut tx).await?;
        Ok(Snapshot(tx))
    }

    /// A separate connection outside the pool, whose statements have the same deadline.
    pub(crate) async fn link(&self) -> Result<Link> {
        self.links.open().await
    }

    /// A separate connection for notifications. Deadlines of its statements are up to the caller.
    pub(crate) async fn dedicated(&self) -> Result<AsyncPgConnection> {
        self.links.listen().await
    }

    /// The maximum number of connections.
    pub(crate) fn connections(&self) -> usize {
        self.pool.status().max_size
    }

    pub(crate) fn deadline(&self) -> Option<Deadline> {
        self.deadline
    }

    /// A sentence for the operator about a failed connection, with the host, the cause and the remedy.
    pub fn explain(&self, error: &Error) -> String {
        self.links.explain(error)
    }

    pub async fn ping(&self) -> Result<()> {
        let mut conn = self.conn().await?;
        diesel::select(sql::<Integer>("1")).execute(conn.sql()).await?;
        Ok(())
    }

    /// Fails if no connection of the pool answers. If all are in use, their users detect a failure.
    pub async fn probe(&self) -> Result<()> {
        let at_once = Timeouts { wait: Some(Duration::ZERO), ..self.pool.timeouts() };
        let mut conn = match self.pool.timeout_get(&at_once).await {
            Err(PoolError::Timeout(TimeoutType::Wait)) => return Ok(()),
            got => got.map(Conn::of).map_err(unavailable)?,
        };
        diesel::select(sql::<Integer>("1")).execute(conn.sql()).await?;
        Ok(())
    }
}

/// The pool's error as ours: a failed connection, or none free in time.
fn unavailable(error: PoolError<Error>) -> Error {
    match error {
        PoolError::Backend(error) => error,
        other => Error::unavailable(other),
    }
}

/// A transaction. Dropped without [`Tx::commit`], it is rolled back.
pub struct Tx {
    conn: Conn,
    afterwards: Vec<Box<dyn FnOnce() + Send>>,
    settled: bool,
}

impl Tx {
    /// Commits, and then runs the functions registered with [`Tx::afterwards`].
    pub async fn commit(mut self) -> Result<()> {
        Manager::commit_transaction(self.conn.sql()).await?;
        self.settled = true;
        std::mem::take(&mut self.afterwards).into_iter().for_each(|work| work());
        Ok(())
    }

    /// Runs `work` after the commit, and never after a rollback.
    pub fn afterwards(&mut self, work: impl FnOnce() + Send + 'static) {
        self.afterwards.push(Box::new(work));
    }

    /// Rolls back and returns the connection to the pool before anything else happens. (Dropping does so too, a moment
    /// later.)
    pub async fn roll_back(mut self) -> Result<()> {
        Manager::rollback_transaction(self.conn.sql()).await?;
        self.settled = true;
        Ok(())
    }
}

/// A refusal drops the transaction and is as common as a commit, so it is rolled back at once, and its connection
/// returns to the pool. (Closing it would be simpler, but the next request would pay for a new one.) A connection with
/// a pending answer, or whose rollback fails, is closed.
impl Drop for Tx {
    fn drop(&mut self) {
        if self.settled {
            return;
        }
        let Some(object) = self.conn.take() else { return };
        match Handle::try_current() {
            Ok(runtime) if !object.is_in_statement() => {
                runtime.spawn(roll_back(PooledConnection::of(object)));
            }
            _ => drop(Object::take(object)),
        }
    }
}

async fn roll_back(mut connection: PooledConnection) {
    if let Err(error) = Manager::rollback_transaction(connection.sql()).await {
        tracing::debug!(%error, "a transaction could not be rolled back: its connection is closed");
        if let Some(object) = connection.take() {
            drop(Object::take(object));
        }
    }
}

impl Deref for Tx {
    type Target = Conn;

    fn deref(&self) -> &Conn {
        &self.conn
    }
}

impl DerefMut for Tx {
    fn deref_mut(&mut self) -> &mut Conn {
        &mut self.conn
    }
}

/// The database at one moment, for reading.
pub struct Snapshot(Tx);

impl Snapshot {
    pub async fn end(self) -> Result<()> {
        self.0.roll_back().await
    }
}

impl Deref for Snapshot {
    type Target = Conn;

    fn deref(&self) -> &Conn {
        &self.0
    }
}

impl DerefMut for Snapshot {
    fn deref_mut(&mut self) -> &mut Conn {
        &mut self.0
    }
}

/// Statements that write, when the number of affected rows doesn't matter.
pub(crate) trait Run: ExecuteDsl<AsyncPgConnection> + Send + Sized {
    fn run(self, tx: &mut Tx) -> impl Future<Output = Result<()>> + Send {
        async move {
            self.execute(tx.sql()).await?;
            Ok(())
        }
    }
}

impl<T: ExecuteDsl<AsyncPgConnection> + Send> Run for T {}

impl From<DieselError> for Error {
    fn from(cause: DieselError) -> Self {
        if is_passing(&cause) { Error::unavailable(cause) } else { Error::internal(cause) }
    }
}

/// True if `error` is temporary: the database is unavailable, rather than the statement wrong.
pub(crate) fn is_passing(error: &DieselError) -> bool {
    match error {
        DieselError::DatabaseError(kind, info) => match kind {
            DatabaseErrorKind::ClosedConnection
            | DatabaseErrorKind::UnableToSendCommand
            | DatabaseErrorKind::ReadOnlyTransaction
            | DatabaseErrorKind::SerializationFailure => true,
            _ => PASSING.iter().any(|sign| info.message().contains(sign)) || is_of_a_worker(info.message()),
        },
        DieselError::BrokenTransactionManager => true,
        _ => false,
    }
}

/// True if `error` is a refusal because of concurrent transactions, without any effect: the statement alone may
/// succeed.
pub(crate) fn is_refused(error: &DieselError) -> bool {
    match error {
        DieselError::DatabaseError(DatabaseErrorKind::SerializationFailure, _) => true,
        DieselError::DatabaseError(_, info) => {
            [DEADLOCK, LOCKED].contains(&info.message()) || is_of_a_worker(info.message())
        }
        _ => false,
    }
}

/// True if a statement was ended because a row was locked for too long: other rows may be free.
pub(crate) fn is_held_up(error: &Error) -> bool {
    let cause = error.cause().and_then(|cause| cause.downcast_ref::<DieselError>());
    matches!(cause, Some(DieselError::DatabaseError(_, info)) if [DEADLOCK, LOCKED, TOOK_TOO_LONG].contains(&info.message()))
}

/// True if a message is from Citus, about a worker that didn't answer or that waited for another one: the transaction
/// is rolled back on all of them. (Failures of the service's own connection have other messages.)
fn is_of_a_worker(message: &str) -> bool {
    const SIGNS: [&str; 9] = [
        "connection to the remote node",
        "could not establish any connections to the node",
        "server closed the connection unexpectedly",
        "connection not open",
        "SSL connection has been closed unexpectedly",
        "failed to COPY to shard",
        "failed to complete COPY",
        "failure on connection marked as essential",
        "canceling the transaction since it was involved in a distributed deadlock",
    ];
    SIGNS.iter().any(|sign| message.contains(sign))
}

const TOOK_TOO_LONG: &str = "canceling statement due to statement timeout";
const DEADLOCK: &str = "deadlock detected";
const LOCKED: &str = "canceling statement due to lock timeout";

/// PostgreSQL's messages for temporary errors; diesel doesn't pass on the SQLSTATE.
const PASSING: [&str; 13] = [
    "connection closed",
    "Connection reset",
    "Broken pipe",
    "terminating connection",
    "the database system is",
    "No space left on device",
    "could not extend file",
    "read-only transaction",
    "too many clients",
    TOOK_TOO_LONG,
    "canceling statement due to user request",
    LOCKED,
    DEADLOCK,
];

/// True if `error` is a duplicate key.
pub(crate) fn is_duplicate(error: &DieselError) -> bool {
    matches!(error, DieselError::DatabaseError(DatabaseErrorKind::UniqueViolation, _))
}
