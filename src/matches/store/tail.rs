//! Checks whether a match in memory is current, and loads log entries added by other nodes.

use diesel::pg::Pg;
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::result::{OptionalExtension, QueryResult};
use diesel::sql_types::{Array, Binary, Integer, Nullable, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::logged::LoggedEntry;
use crate::db::{Conn, prepared_once};
use crate::error::Result;
use crate::ids::MatchId;

/// The stored data of a match beyond a mark.
pub struct Tail {
    /// The number of log entries, and the edition of the data outside the log.
    pub mark: (u32, u32),
    /// The row at the old mark, without its entry, and the rows after it; empty if the log is shorter than the mark, or
    /// data outside it has changed.
    pub entries: Vec<LoggedEntry>,
}

type Row = (i32, i32, Option<Vec<Vec<u8>>>);

struct Since {
    id: Uuid,
    seq: i32,
    edition: i32,
}

prepared_once!(Since -> (Integer, Integer, Nullable<Array<Binary>>));

impl QueryFragment<Pg> for Since {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        // The match is the last value, and named twice, so that Citus sees that everything is on one machine.
        out.push_sql("SELECT h.seq, h.side_version, CASE WHEN h.side_version = ");
        out.push_bind_param::<Integer, _>(&self.edition)?;
        out.push_sql(" AND h.seq >= ");
        out.push_bind_param::<Integer, _>(&self.seq)?;
        out.push_sql(
            " THEN (SELECT array_agg(int4send(l.seq) || l.chain || CASE WHEN l.seq = $2 THEN '' ELSE l.entry END ORDER BY l.seq) \
               FROM match_log AS l WHERE l.match_id = $4 AND l.seq >= ",
        );
        out.push_bind_param::<Integer, _>(&self.seq)?;
        out.push_sql(") END FROM match_heads AS h WHERE h.match_id = ");
        out.push_bind_param::<SqlUuid, _>(&self.id)
    }
}

/// The stored data beyond the mark of a state in memory; `None`: the match does not exist.
pub async fn since(conn: &mut Conn, id: MatchId, (seq, edition): (u32, u32)) -> Result<Option<Tail>> {
    let number = |number: u32| i32::try_from(number).unwrap_or(i32::MAX);
    let since = Since { id: id.0, seq: number(seq), edition: number(edition) };
    let row: Option<Row> = since.get_result(conn.sql()).await.optional()?;
    Ok(row.map(|(seq, edition, entries)| {
        let entries = entries.unwrap_or_default().into_iter().map(LoggedEntry::of).collect();
        Tail { mark: (seq.unsigned_abs(), edition.unsigned_abs()), entries }
    }))
}
