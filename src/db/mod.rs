//! The database: connections, transactions, migrations, and which of its errors are temporary.
//!
//! The SQL is in the `store` of each capability. Reads take a [`Conn`] and writes take a [`Tx`], so that a write can't
//! run outside a transaction; reads of what is public may take a [`PublicRead`], which a replica can give. One
//! statement is a transaction by itself: `matches::store::writer` gathers the moves of many matches into it.

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

/// How long a request waits for a free connection before it fails with `unavailable`, where no deadline is set.
const PATIENCE: Duration = Duration::from_secs(5);

type Manager = <AsyncPgConnection as AsyncConnection>::TransactionManager;

/// The database: a pool of connections.
#[derive(Clone)]
pub struct Db {
    pool: Pool<Links>,
    links: Arc<Links>,
    deadline: Option<Deadline>,
}

impl Db {
    /// A pool of at most `connections` to the database at `url` (a `postgres://` address or libpq's `key=value` form,
    /// with `sslmode` and `sslrootcert`).
    /// Nothing is connected yet. With a deadline, everything that the database doesn't answer by then fails as
    /// `unavailable`; without one, statements may take as long as they like.
    pub fn new(url: &str, connections: usize, deadline: Option<Deadline>) -> Result<Self> {
        Self::of(Links::new(url, deadline)?, connections, deadline)
    }

    /// Another pool to the same database: whoever waits for this one doesn't wait for that one.
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

    /// A connection for reading.
    pub async fn conn(&self) -> Result<Conn> {
        self.pool.get().await.map(Conn::of).map_err(unavailable)
    }

    /// A connection for reading what is public, of this database as a replica of another.
    pub(crate) async fn public_read(&self) -> Result<PublicRead> {
        self.pool.get().await.map(PublicRead::of_replica).map_err(unavailable)
    }

    /// Whether a connection pooler hands on single transactions: what sessions are needed for can't work then.
    pub async fn shares_sessions(&self) -> Result<bool> {
        self.links.shares_sessions().await
    }

    /// Begins a transaction.
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

    /// Begins a transaction that only reads, and sees the database as it is at its first read: what others change
    /// meanwhile neither changes its answers nor waits for it.
    pub async fn snapshot(&self) -> Result<Snapshot> {
        let mut tx = self.begin_unmarked().await?;
        diesel::sql_query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY").run(&mut tx).await?;
        Ok(Snapshot(tx))
    }

    /// A connection of its own, outside the pool, whose statements have the same deadline.
    pub(crate) async fn link(&self) -> Result<Link> {
        self.links.open().await
    }

    /// A connection of its own for notifications. Its statements have no deadline but the caller's.
    pub(crate) async fn dedicated(&self) -> Result<AsyncPgConnection> {
        self.links.listen().await
    }

    /// How many connections the pool has at most.
    pub(crate) fn connections(&self) -> usize {
        self.pool.status().max_size
    }

    /// How long anything waits for the database.
    pub(crate) fn deadline(&self) -> Option<Deadline> {
        self.deadline
    }

    /// Why the database could not be used: a sentence for the operator, with the host, the cause and the remedy.
    pub fn explain(&self, error: &Error) -> String {
        self.links.explain(error)
    }

    /// Whether the database answers.
    pub async fn ping(&self) -> Result<()> {
        let mut conn = self.conn().await?;
        diesel::select(sql::<Integer>("1")).execute(conn.sql()).await?;
        Ok(())
    }

    /// Fails if the pool has no connection that answers. If all are in use, those who use them find out.
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

/// What the pool says: the error of its connection, or that there was none in time.
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
    /// Commits, and then runs what was registered with [`Tx::afterwards`].
    pub async fn commit(mut self) -> Result<()> {
        Manager::commit_transaction(self.conn.sql()).await?;
        self.settled = true;
        std::mem::take(&mut self.afterwards).into_iter().for_each(|work| work());
        Ok(())
    }

    /// Runs `work` after the commit; never, if the transaction is rolled back.
    pub fn afterwards(&mut self, work: impl FnOnce() + Send + 'static) {
        self.afterwards.push(Box::new(work));
    }

    /// Rolls back and returns the connection to the pool, before anything else is done. (Dropping the transaction does
    /// so too, a moment later.)
    pub async fn roll_back(mut self) -> Result<()> {
        Manager::rollback_transaction(self.conn.sql()).await?;
        self.settled = true;
        Ok(())
    }
}

/// A refusal in a transaction drops it, so this is as usual as a commit: it is rolled back at once, and its connection
/// goes back to the pool. (To close it would be simpler, and the next request would pay for a new one.) A connection
/// that owes an answer, or can't be rolled back, is closed.
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

/// The database as it was at one moment, for reading.
pub struct Snapshot(Tx);

impl Snapshot {
    /// Ends it, and returns the connection to the pool.
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

/// Statements that write, and of which only success matters.
pub(crate) trait Run: ExecuteDsl<AsyncPgConnection> + Send + Sized {
    /// Executes it, however many rows it concerns.
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

/// Whether `error` says that the database can't serve for the moment, rather than that the statement is wrong.
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

/// Whether `error` says that the statement was refused because of others, and nothing of it has happened: alone it may
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

/// Whether a statement was ended because others held a row for too long: its neighbours may be free.
pub(crate) fn is_held_up(error: &Error) -> bool {
    let cause = error.cause().and_then(|cause| cause.downcast_ref::<DieselError>());
    matches!(cause, Some(DieselError::DatabaseError(_, info)) if [DEADLOCK, LOCKED, TOOK_TOO_LONG].contains(&info.message()))
}

/// Whether a message is Citus', about a worker that didn't answer it, or that waited for another one: the transaction
/// is rolled back on all of them. (A connection of the service itself never ends with these words.)
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

/// What PostgreSQL says when it can't serve for the moment; diesel doesn't hand on the SQLSTATE.
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

/// Whether `error` says that a row with this key is there already.
pub(crate) fn is_duplicate(error: &DieselError) -> bool {
    matches!(error, DieselError::DatabaseError(DatabaseErrorKind::UniqueViolation, _))
}
