//! What other nodes have added to a log.

use diesel::pg::Pg;
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::result::QueryResult;
use diesel::sql_types::{Binary, Integer, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::db::{Conn, prepared_once};
use crate::error::Result;
use crate::ids::MatchId;

struct Tail {
    id: Uuid,
    seq: i32,
    edition: i32,
}

prepared_once!(Tail -> (Binary,));

impl QueryFragment<Pg> for Tail {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(
            "SELECT l.entry FROM match_heads AS h JOIN match_log AS l ON l.match_id = h.match_id WHERE h.match_id = ",
        );
        out.push_bind_param::<SqlUuid, _>(&self.id)?;
        out.push_sql(" AND h.side_version = ");
        out.push_bind_param::<Integer, _>(&self.edition)?;
        out.push_sql(" AND l.seq >= ");
        out.push_bind_param::<Integer, _>(&self.seq)?;
        out.push_sql(" ORDER BY l.seq");
        Ok(())
    }
}

/// The entry at a mark and those behind it, in order. Nothing, if what stands beside the log has changed as well.
pub async fn tail(conn: &mut Conn, id: MatchId, (seq, edition): (u32, u32)) -> Result<Vec<Vec<u8>>> {
    let number = |number: u32| i32::try_from(number).unwrap_or(i32::MAX);
    let tail = Tail { id: id.0, seq: number(seq), edition: number(edition) };
    let rows: Vec<(Vec<u8>,)> = tail.load(conn.sql()).await?;
    Ok(rows.into_iter().map(|(entry,)| entry).collect())
}
