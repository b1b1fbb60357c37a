//! What the end of a match means for the pairing that it was played for. Pairings themselves are opened and settled in
//! `pairings`, which stands above the matches; these statements belong to the transaction that ends a match.

use broadside_rules::Time;
use diesel::OptionalExtension;
use diesel_async::RunQueryDsl;

use crate::db::{At, Run, Tx, rows, sql};
use crate::error::Result;
use crate::ids::PairingId;

rows! {
    struct Left {
        running_games: i16,
    }
}

rows! {
    struct Latest {
        at: Option<At>,
    }
}

/// Notes that one more match of the pairing is over, in the transaction that ends it at `at`. Its row stays locked: two
/// matches of a pairing end one after the other. Returns when the pairing was over, if it is: the latest of the times
/// at which its matches ended, and not that of the match that is written last.
pub async fn note_end(tx: &mut Tx, id: PairingId, at: Time) -> Result<Option<Time>> {
    let statement = "UPDATE pairings SET running_games = running_games - 1 WHERE id = $1 AND running_games > 0 RETURNING running_games";
    let left: Option<Left> = sql!(statement, id.0).get_result(tx.sql()).await.optional()?;
    if left.is_none_or(|left| left.running_games > 0) {
        return Ok(None);
    }
    // A statement of its own, after the lock: it sees what was committed while this transaction waited for it.
    let latest = "SELECT max(h.finished_at) AS at FROM pairing_games AS g JOIN match_heads AS h ON h.match_id = g.match_id WHERE g.pairing_id = $1";
    let latest: Latest = sql!(latest, id.0).get_result(tx.sql()).await?;
    let over_at = latest.at.map_or(at, |latest| latest.0.max(at));
    sql!("UPDATE pairings SET ended_at = $2 WHERE id = $1", id.0, At(over_at)).run(tx).await?;
    Ok(Some(over_at))
}
