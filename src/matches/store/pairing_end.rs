//! What the end of a match means for the pairing that it was played for. Pairings themselves are opened and settled in
//! `pairings`, which stands above the matches; this one statement belongs to the transaction that ends a match.

use broadside_rules::Time;

use crate::db::{At, Run, Tx, sql};
use crate::error::Result;
use crate::ids::PairingId;

/// Notes that one more match of the pairing is over, in the transaction that ends it. Its row stays locked: two matches
/// of a pairing end one after the other.
pub async fn note_end(tx: &mut Tx, id: PairingId, at: Time) -> Result<()> {
    let statement = "UPDATE pairings SET running_games = running_games - 1, ended_at = CASE WHEN running_games = 1 THEN $2 END WHERE id = $1 AND running_games > 0";
    sql!(statement, id.0, At(at)).run(tx).await
}
