//! The effect of a match's end on its pairing.
//!
//! `pairings`, which stands above the matches, opens and settles pairings; these statements belong to the transaction
//! that ends a match.

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

/// Records that one more match of the pairing ended at `at`, in the transaction that ends it. Locks the row, so that
/// two matches of a pairing end one after the other. Returns the end of the pairing, if it is over: the latest end of
/// its matches, which isn't always that of the match written last.
pub async fn note_end(tx: &mut Tx, id: PairingId, at: Time) -> Result<Option<Time>> {
    let statement = "UPDATE pairings SET running_games = running_games - 1 WHERE id = $1 AND running_games > 0 RETURNING running_games";
    let left: Option<Left> = sql!(statement, id.0).get_result(tx.sql()).await.optional()?;
    if left.is_none_or(|left| left.running_games > 0) {
        return Ok(None);
    }
    // A separate statement after the lock sees what was committed while this transaction waited for it.
    let latest = "SELECT max(h.finished_at) AS at FROM pairing_games AS g JOIN match_heads AS h ON h.match_id = g.match_id WHERE g.pairing_id = $1";
    let latest: Latest = sql!(latest, id.0).get_result(tx.sql()).await?;
    let over_at = latest.at.map_or(at, |latest| latest.0.max(at));
    sql!("UPDATE pairings SET ended_at = $2 WHERE id = $1", id.0, At(over_at)).run(tx).await?;
    Ok(Some(over_at))
}
