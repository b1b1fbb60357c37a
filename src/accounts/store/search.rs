//! Players, found by the beginning of their names.

use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::db::{Conn, rows, sql};
use crate::error::Result;
use crate::ids::AccountId;
use crate::player::Player;

rows! {
    struct Found {
        id: Uuid,
        username: String,
        bot: bool,
    }
}

/// Players whose names begin with `prefix` (in lower case), by name, starting after `after`. The operators compare byte
/// by byte, as the index does.
pub async fn search(conn: &mut Conn, prefix: &str, after: &str, limit: i64) -> Result<Vec<Player>> {
    // Greater than any character of a name.
    let end = format!("{prefix}\u{7f}");
    let statement = sql!(
        "SELECT id, username, bot FROM accounts WHERE deleted_at IS NULL AND username_key ~>=~ $1 \
         AND username_key ~<~ $2 AND username_key ~>~ $3 ORDER BY username_key USING ~<~ LIMIT $4",
        prefix,
        end.as_str(),
        after,
        limit
    );
    let rows: Vec<Found> = statement.load(conn.sql()).await?;
    Ok(rows.into_iter().map(|row| Player { id: AccountId(row.id), username: row.username, bot: row.bot }).collect())
}
