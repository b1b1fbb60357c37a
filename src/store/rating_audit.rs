//! All of a pool at one moment, for the check that works it out again.

use broadside_rules::{Outcome, Time};
use diesel::prelude::*;
use diesel::sql_types::{Array, Jsonb, Text, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use serde_json::Value;
use uuid::Uuid;

use super::ratings::Row;
use super::schema::{rating_changes, ratings};
use super::time::At;
use super::{Conn, Db};
use crate::error::{Error, Result};
use crate::ids::{AccountId, MatchId};
use crate::ratings::verify::{Books, Played};
use crate::ratings::{Change, Pool, Rating, Standing};

#[derive(QueryableByName)]
struct Finished {
    #[diesel(sql_type = SqlUuid)]
    match_id: Uuid,
    #[diesel(sql_type = Jsonb)]
    result: Value,
    #[diesel(sql_type = Array<SqlUuid>)]
    accounts: Vec<Uuid>,
}

/// The ledger of a pool, its matches, and how its players stand, out of one snapshot of the database: matches may go on ending meanwhile.
pub async fn books(db: &Db, pool: &Pool) -> Result<Books> {
    let mut tx = db.begin().await?;
    diesel::sql_query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY").execute(&mut *tx.conn.0).await?;
    let changes = changes(&mut tx, pool).await?;
    let played = played(&mut tx, pool).await?;
    let standings = standings(&mut tx, pool).await?;
    tx.roll_back().await?;
    Ok(Books { changes, played, standings })
}

async fn changes(conn: &mut Conn, pool: &Pool) -> Result<Vec<Change>> {
    let rows: Vec<Row> = rating_changes::table
        .filter(rating_changes::pool.eq(pool.to_string()))
        .order((rating_changes::account_id, rating_changes::number))
        .select(Row::as_select())
        .load(&mut *conn.0)
        .await?;
    rows.into_iter().map(Row::read).collect()
}

async fn played(conn: &mut Conn, pool: &Pool) -> Result<Vec<Played>> {
    let finished = diesel::sql_query(
        "SELECT m.id AS match_id, h.result, s.accounts FROM matches AS m JOIN match_heads AS h ON h.match_id = m.id \
         CROSS JOIN LATERAL (SELECT array_agg(account_id ORDER BY seat) AS accounts FROM match_seats WHERE match_id = m.id) AS s \
         WHERE m.pool = $1 AND h.status = 'finished' AND h.result IS NOT NULL ORDER BY m.id",
    );
    let rows: Vec<Finished> = finished.bind::<Text, _>(pool.to_string()).load(&mut *conn.0).await?;
    let each = rows.into_iter().map(|row| {
        let outcome: Outcome = serde_json::from_value(row.result).map_err(Error::internal)?;
        let places = crate::ratings::rate::places(&outcome, row.accounts.len());
        let seats = row.accounts.into_iter().map(AccountId).zip(places).collect();
        Ok(Played { match_id: MatchId(row.match_id), seats })
    });
    each.collect()
}

async fn standings(conn: &mut Conn, pool: &Pool) -> Result<Vec<Standing>> {
    type Found = (Uuid, i32, f64, f64, Option<f64>, i32, Option<At>);
    let rows: Vec<Found> = ratings::table
        .filter(ratings::pool.eq(pool.to_string()))
        .select((
            ratings::account_id,
            ratings::number,
            ratings::rating,
            ratings::deviation,
            ratings::volatility,
            ratings::matches,
            ratings::rated_at,
        ))
        .load(&mut *conn.0)
        .await?;
    let standing = |(account, number, rating, deviation, volatility, matches, rated_at): Found| Standing {
        account: AccountId(account),
        number: number.unsigned_abs(),
        rating: Rating { rating, deviation, volatility },
        matches: matches.unsigned_abs(),
        rated_at: rated_at.map(Time::from),
    };
    Ok(rows.into_iter().map(standing).collect())
}
