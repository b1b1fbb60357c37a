//! Types of pooled connections, by permitted reads.
//!
//! | type | used by | reads from |
//! |---|---|---|
//! | [`PublicRead`] | public data that may be some seconds old | a replica, or the primary |
//! | [`Conn`] | every other read: own views, decisions, secrets | the primary |
//! | [`Tx`](super::Tx) | writes | the primary |
//!
//! Each of them can be used in place of the one above it, and never the other way round: code that needs a [`Conn`]
//! can't be given a replica.

use std::ops::{Deref, DerefMut};

use deadpool::managed::Object;
use diesel_async::AsyncPgConnection;

use super::link::{Link, Links};

/// A connection to a replica or the primary, for public data that may be a little old.
///
/// A store accepts it if its data is public and decides nothing. The compiler rejects it for other stores. This reads
/// public data:
///
/// ```
/// # use broadside::{db::PublicRead, error::Result, ids::AccountId};
/// async fn honours(conn: &mut PublicRead, of: AccountId) -> Result<usize> {
///     Ok(broadside::honours::of_account(conn, of, None, 10).await?.items.len())
/// }
/// ```
///
/// And this would read a player's private data:
///
/// ```compile_fail,E0308
/// # use broadside::{db::PublicRead, error::Result, ids::AccountId};
/// async fn export(conn: &mut PublicRead, of: AccountId) -> Result<usize> {
///     Ok(broadside::matches::queries::all_of(conn, of).await?.len())
/// }
/// ```
pub struct PublicRead {
    connection: PooledConnection,
    is_replica: bool,
}

impl PublicRead {
    pub(super) fn of_replica(object: Object<Links>) -> Self {
        Self { connection: PooledConnection::of(object), is_replica: true }
    }

    pub fn is_replica(&self) -> bool {
        self.is_replica
    }

    /// True if the tables are distributed over several machines, which changes some statements.
    pub(crate) fn is_distributed(&self) -> bool {
        self.connection.is_distributed()
    }

    /// The connection for diesel. Only the stores call it.
    pub(crate) fn sql(&mut self) -> &mut AsyncPgConnection {
        self.connection.sql()
    }
}

pub struct Conn(PublicRead);

impl Conn {
    pub(super) fn of(object: Object<Links>) -> Self {
        Self(PublicRead { connection: PooledConnection::of(object), is_replica: false })
    }

    /// The same connection, for public reads.
    pub(crate) fn for_public(self) -> PublicRead {
        self.0
    }

    /// Removes the connection from the pool.
    pub(super) fn take(&mut self) -> Option<Object<Links>> {
        self.0.connection.take()
    }
}

impl Deref for Conn {
    type Target = PublicRead;

    fn deref(&self) -> &PublicRead {
        &self.0
    }
}

impl DerefMut for Conn {
    fn deref_mut(&mut self) -> &mut PublicRead {
        &mut self.0
    }
}

/// A connection of the pool: `Some` until it is dropped, or removed by a transaction that was neither committed nor
/// rolled back.
pub(super) struct PooledConnection(Option<Object<Links>>);

impl PooledConnection {
    pub(super) fn of(object: Object<Links>) -> Self {
        Self(Some(object))
    }

    pub(super) fn take(&mut self) -> Option<Object<Links>> {
        self.0.take()
    }
}

impl Deref for PooledConnection {
    type Target = Link;

    #[expect(
        clippy::unreachable,
        reason = "a transaction's connection is there until it is dropped, and the compiler can't be told so"
    )]
    fn deref(&self) -> &Link {
        match &self.0 {
            Some(object) => object,
            None => unreachable!("only Tx::drop takes a connection out"),
        }
    }
}

impl DerefMut for PooledConnection {
    #[expect(
        clippy::unreachable,
        reason = "a transaction's connection is there until it is dropped, and the compiler can't be told so"
    )]
    fn deref_mut(&mut self) -> &mut Link {
        match &mut self.0 {
            Some(object) => object,
            None => unreachable!("only Tx::drop takes a connection out"),
        }
    }
}

/// Connections in the pool have no pending answer. If a request was dropped before its answer came, the statement is
/// canceled and the connection closed: its next user would have to wait for that answer.
impl Drop for PooledConnection {
    fn drop(&mut self) {
        match self.0.take() {
            Some(object) if object.is_in_statement() => {
                object.cancel();
                drop(Object::take(object));
            }
            Some(object) => object.rest(),
            None => {}
        }
    }
}
