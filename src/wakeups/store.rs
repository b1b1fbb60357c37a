//! The line between nodes: who may have news, said and heard by `NOTIFY` on a connection of its own.
//!
//! `NOTIFY` takes a lock of the whole database at its commit, so it has no place in the transaction of a move. What is said here is a hint: the truth is in
//! the tables, and whoever hears it reads them.

use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel::sql_types::{Array, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use futures_util::StreamExt;
use uuid::Uuid;

use crate::db::schema::event_counters;
use crate::db::{Conn, Db};
use crate::error::{Error, Result};

/// How many ids one notification holds at most: its text may have 7999 bytes, and an id takes 32.
const IDS_AT_MOST: usize = 240;

/// A connection that says and hears wakeups.
pub struct Line {
    conn: AsyncPgConnection,
    /// The number of this connection's server process: a node hears itself, too.
    own: i32,
}

impl Line {
    /// Connects, and listens from now on.
    pub async fn open(db: &Db) -> Result<Self> {
        let mut conn = db.dedicated().await?;
        // A hint need not outlive a crash, so it doesn't wait for the disk.
        conn.batch_execute("SET synchronous_commit = off; LISTEN broadside_wakeups").await?;
        let own = diesel::select(diesel::dsl::sql::<diesel::sql_types::Integer>("pg_backend_pid()"));
        let own = own.get_result(&mut conn).await?;
        Ok(Self { conn, own })
    }

    /// The next hint of another node; none: it is there, and nothing else. An error means that the connection has broken, and that hints may have been lost.
    pub async fn hear(&mut self) -> Result<Vec<Uuid>> {
        let mut notifications = std::pin::pin!(self.conn.notifications_stream());
        loop {
            let broken = || Error::unavailable("the connection for hints broke");
            let notification = notifications.next().await.ok_or_else(broken)??;
            if notification.process_id != self.own {
                let ids = notification.payload.as_bytes().chunks(32);
                return Ok(ids.filter_map(|id| Uuid::try_parse_ascii(id).ok()).collect());
            }
        }
    }

    /// Says that these accounts and matches may have news.
    pub async fn say(&mut self, ids: &[Uuid]) -> Result<()> {
        let texts = ids.chunks(IDS_AT_MOST).map(|ids| ids.iter().map(|id| id.simple().to_string()).collect());
        self.notify(texts.collect()).await
    }

    /// Says that this node is there, and wants to hear.
    pub async fn greet(&mut self) -> Result<()> {
        self.notify(vec![GREETING.to_owned()]).await
    }

    async fn notify(&mut self, texts: Vec<String>) -> Result<()> {
        let _: Vec<String> = Notify { texts }.get_results(&mut self.conn).await?;
        Ok(())
    }
}

/// Not an id: it names no news.
const GREETING: &str = "here";

/// Notifications, in a statement that is prepared once: a busy node makes some hundred a second.
struct Notify {
    texts: Vec<String>,
}

impl QueryFragment<Pg> for Notify {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("SELECT pg_notify('broadside_wakeups', text)::text FROM unnest(");
        out.push_bind_param::<Array<Text>, _>(&self.texts)?;
        out.push_sql(") AS wakeups (text)");
        Ok(())
    }
}

impl QueryId for Notify {
    type QueryId = Self;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl Query for Notify {
    type SqlType = Text;
}

/// The newest number of each of these accounts that has heard of anything.
pub async fn newest(conn: &mut Conn, ids: &[Uuid]) -> Result<Vec<(Uuid, i64)>> {
    let counters = event_counters::table.filter(event_counters::account_id.eq_any(ids));
    Ok(counters.select((event_counters::account_id, event_counters::newest)).load(conn.sql()).await?)
}
