//! The connection between nodes: wake-ups, sent and received with `NOTIFY` on a separate connection.
//!
//! `NOTIFY` takes a lock of the whole database at its commit, so it must not be in the transaction of a move. A wake-up
//! is a hint: the truth is in the tables, and a woken reader reads them.

use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::result::QueryResult;
use diesel::sql_types::{Array, Bool, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use futures_util::StreamExt;
use uuid::Uuid;

use crate::db::schema::event_counters;
use crate::db::{Conn, Db, Deadline, prepared_once, within};
use crate::error::{Error, Result};

/// The number of the advisory lock shared by all nodes' connections: any number not used otherwise in the database.
const HERE: i32 = 7_310_033;
/// Most ids in one `NOTIFY`: its payload may have 7999 bytes, and an id takes 32.
const MAX_IDS: usize = 240;

pub struct NotifyConnection {
    conn: AsyncPgConnection,
    /// The process id of this connection's server process, because a node receives its own messages, too.
    own: i32,
    deadline: Option<Deadline>,
}

impl NotifyConnection {
    pub async fn open(db: &Db) -> Result<Self> {
        let mut conn = db.dedicated().await?;
        let deadline = db.deadline();
        let own = within(deadline, async {
            // A wake-up need not survive a crash, so it doesn't wait for the disk.
            conn.batch_execute(&format!(
                "SET synchronous_commit = off; LISTEN broadside_wakeups; SELECT pg_advisory_lock_shared({HERE})"
            ))
            .await?;
            let own = diesel::select(diesel::dsl::sql::<diesel::sql_types::Integer>("pg_backend_pid()"));
            Ok(own.get_result(&mut conn).await?)
        });
        let own = own.await?;
        Ok(Self { conn, own, deadline })
    }

    /// The ids of the next message from another node; none for a greeting. An error means that the connection broke,
    /// and that wake-ups may be lost.
    pub async fn receive(&mut self) -> Result<Vec<Uuid>> {
        let mut notifications = std::pin::pin!(self.conn.notifications_stream());
        loop {
            let broken = || Error::unavailable("the connection for wake-ups broke");
            let notification = notifications.next().await.ok_or_else(broken)??;
            if notification.process_id != self.own {
                let ids = notification.payload.as_bytes().chunks(32);
                return Ok(ids.filter_map(|id| Uuid::try_parse_ascii(id).ok()).collect());
            }
        }
    }

    /// Sends wake-ups for these accounts and matches.
    pub async fn send(&mut self, ids: &[Uuid]) -> Result<()> {
        let texts = ids.chunks(MAX_IDS).map(|ids| ids.iter().map(|id| id.simple().to_string()).collect());
        self.notify(texts.collect()).await
    }

    /// Tells the other nodes that this node exists.
    pub async fn send_greeting(&mut self) -> Result<()> {
        self.notify(vec![GREETING.to_owned()]).await
    }

    /// True if another node, which also holds the lock, is connected to this database.
    pub async fn sees_others(&mut self) -> Result<bool> {
        let seen = async {
            let others = format!(
                "EXISTS (SELECT FROM pg_locks AS l JOIN pg_database AS d ON d.oid = l.database \
                 WHERE d.datname = current_database() AND l.locktype = 'advisory' AND l.classid = 0 \
                 AND l.objid = {HERE} AND l.objsubid = 1 AND l.pid <> pg_backend_pid())"
            );
            Ok(diesel::select(diesel::dsl::sql::<Bool>(&others)).get_result(&mut self.conn).await?)
        };
        within(self.deadline, seen).await
    }

    async fn notify(&mut self, texts: Vec<String>) -> Result<()> {
        let sent = async {
            let _: Vec<String> = Notify { texts }.get_results(&mut self.conn).await?;
            Ok(())
        };
        within(self.deadline, sent).await
    }
}

/// The payload of a greeting: not an id.
const GREETING: &str = "here";

/// `NOTIFY` messages, in a statement prepared once: a busy node sends some hundred each second.
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

prepared_once!(Notify -> Text);

/// The newest event number of each of these accounts that has a log.
pub async fn newest_numbers(conn: &mut Conn, ids: &[Uuid]) -> Result<Vec<(Uuid, i64)>> {
    let counters = event_counters::table.filter(event_counters::account_id.eq_any(ids));
    Ok(counters.select((event_counters::account_id, event_counters::newest)).load(conn.sql()).await?)
}
