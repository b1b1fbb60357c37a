//! The places that players keep after matches were called off, see [`crate::matches::kept_order`].

use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::db::{Run, Tx, rows, sql};
use crate::error::Result;
use crate::ids::{AccountId, MatchId};
use crate::matches::kept_order::KeptPlace;

rows! {
    struct Row {
        match_id: Uuid,
        account_id: Uuid,
        opponent_id: Uuid,
        begins: bool,
    }

    struct Back {
        account_id: Uuid,
    }
}

/// The places that these players still keep for these rules, oldest first, locked.
pub async fn lock(tx: &mut Tx, players: [AccountId; 2], rules: &str) -> Result<Vec<KeptPlace>> {
    let kept = "SELECT match_id, account_id, opponent_id, begins FROM kept_orders \
         WHERE account_id = ANY ($1) AND rules = $2 AND used_by IS NULL ORDER BY match_id, account_id FOR UPDATE";
    let rows: Vec<Row> = sql!(kept, players.map(|player| player.0).to_vec(), rules).load(tx.sql()).await?;
    let read = |row: Row| KeptPlace {
        match_id: MatchId(row.match_id),
        account: AccountId(row.account_id),
        opponent: AccountId(row.opponent_id),
        begins: row.begins,
    };
    Ok(rows.into_iter().map(read).collect())
}

/// Uses the player's place up in the match `by`.
pub async fn give(tx: &mut Tx, place: &KeptPlace, by: MatchId) -> Result<()> {
    let give = "UPDATE kept_orders SET used_by = $3 WHERE match_id = $1 AND account_id = $2";
    sql!(give, place.match_id.0, place.account.0, by.0).run(tx).await
}

/// After a match was called off: frees the places used in it, and stores the places of its other players.
pub async fn keep(tx: &mut Tx, places: &[KeptPlace], rules: &str) -> Result<()> {
    for place in places {
        let back = "UPDATE kept_orders SET used_by = NULL WHERE used_by = $1 AND account_id = $2 RETURNING account_id";
        let back: Vec<Back> = sql!(back, place.match_id.0, place.account.0).load(tx.sql()).await?;
        if back.iter().all(|back| back.account_id != place.account.0) {
            let keep = "INSERT INTO kept_orders (match_id, account_id, opponent_id, rules, begins) \
                 VALUES ($1, $2, $3, $4, $5)";
            let KeptPlace { match_id, account, opponent, begins } = *place;
            sql!(keep, match_id.0, account.0, opponent.0, rules, begins).run(tx).await?;
        }
    }
    Ok(())
}
