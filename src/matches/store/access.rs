//! Access to a match, and its current version: one small statement for any match.

use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::result::QueryResult;
use diesel::sql_types::{self as types, Nullable};
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::db::{Conn, Selected, prepared_once, rows, selected, sql};
use crate::error::Result;
use crate::ids::{AccountId, MatchId};

struct Look {
    id: Uuid,
    account: Option<Uuid>,
}

impl QueryFragment<Pg> for Look {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        // The match is the second value, and named twice, so that Citus sees that everything is on one machine.
        out.push_sql(
            "SELECT h.seq, h.side_version, h.status IN ('finished', 'aborted'), m.spectators, \
             (SELECT seat FROM match_seats WHERE match_id = $2 AND account_id = ",
        );
        out.push_bind_param::<Nullable<types::Uuid>, _>(&self.account)?;
        out.push_sql(") FROM match_heads AS h JOIN matches AS m ON m.id = h.match_id WHERE h.match_id = ");
        out.push_bind_param::<types::Uuid, _>(&self.id)
    }
}

prepared_once!(Look -> <Seen as Selected>::Sql);

selected! {
    struct Seen {
        seq: i32,
        side_version: i32,
        is_over: bool,
        spectators: bool,
        seat: Option<i16>,
    }
}

/// The stored facts that determine access to a match.
pub struct StoredAccess {
    pub seq: u32,
    /// Counts changes outside its log.
    pub edition: u32,
    pub is_over: bool,
    /// Allows non-players to watch before the end.
    pub spectators: bool,
    /// The account's seat.
    pub seat: Option<u8>,
}

/// The facts for this account, or for an anonymous viewer. `None`: the match does not exist.
pub async fn look(conn: &mut Conn, id: MatchId, account: Option<AccountId>) -> Result<Option<StoredAccess>> {
    let look = Look { id: id.0, account: account.map(|account| account.0) };
    let seen: Option<Seen> = look.get_result(conn.sql()).await.optional()?;
    Ok(seen.map(|seen| StoredAccess {
        seq: seen.seq.unsigned_abs(),
        edition: seen.side_version.unsigned_abs(),
        is_over: seen.is_over,
        spectators: seen.spectators,
        seat: seen.seat.and_then(|seat| u8::try_from(seat).ok()),
    }))
}

/// True if the two accounts share a match.
pub async fn have_met(conn: &mut Conn, one: AccountId, other: AccountId) -> Result<bool> {
    rows! {
        struct Met {
            met: bool,
        }
    }
    let query = "SELECT EXISTS (SELECT FROM match_seats AS own JOIN match_seats AS others USING (match_id) \
         WHERE own.account_id = $1 AND others.account_id = $2) AS met";
    let found: Met = sql!(query, one.0, other.0).get_result(conn.sql()).await?;
    Ok(found.met)
}
