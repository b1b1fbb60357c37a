//! Connections of a pool, by what may be read with them.
//!
//! | type | what takes it | where it reads |
//! |---|---|---|
//! | [`PublicRead`] | stores of what everybody may see, and may be some seconds old | a replica, or the primary |
//! | [`Conn`] | every other read: own views, what decides, what is secret | the primary |
//! | [`Tx`](super::Tx) | writes | the primary |
//!
//! Each of them is taken where the one above it is, and never the other way round: what asks for a [`Conn`] can't be
//! given a replica.

use std::ops::{Deref, DerefMut};

use deadpool::managed::Object;
use diesel_async::AsyncPgConnection;

use super::link::{Link, Links};

/// A connection for reading what is public and may be a little old: of a replica, or of the primary.
///
/// A store takes it if everybody may see what it reads, and nothing is decided by it. That the others can't be given it
/// is checked by the compiler. This reads something public:
///
/// ```
/// # use broadside::{db::PublicRead, error::Result, ids::AccountId};
/// async fn honours(conn: &mut PublicRead, of: AccountId) -> Result<usize> {
///     Ok(broadside::honours::of_account(conn, of, None, 10).await?.items.len())
/// }
/// ```
///
/// And this would read what a player alone may see:
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

    /// Whether the tables are spread over several machines, so that some statements have another form.
    pub(crate) fn is_distributed(&self) -> bool {
        self.connection.is_distributed()
    }

    /// The connection as diesel wants it. Only the stores call it.
    pub(crate) fn sql(&mut self) -> &mut AsyncPgConnection {
        self.connection.sql()
    }
}

/// A connection of the pool, for reading.
pub struct Conn(PublicRead);

impl Conn {
    pub(super) fn of(object: Object<Links>) -> Self {
        Self(PublicRead { connection: PooledConnection::of(object), is_replica: false })
    }

    /// The same for what is public.
    pub(crate) fn for_public(self) -> PublicRead {
        self.0
    }

    /// Takes the connection out of the pool's care.
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

/// A connection of the pool: `Some` until it is dropped, or a transaction that was neither committed nor rolled back
/// takes it out.
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

/// In the pool nothing is awaited. If who has asked went away before the answer came, the statement is ended and the
/// connection is closed: the next one to have it would wait for an answer that nobody wants.
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
