//! The data of a pool at one moment, for its recomputation.

use broadside_contests::{Pool, Rating};
use broadside_rules::{Outcome, Status, Time};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use serde_json::Value;
use uuid::Uuid;

use super::ratings::Row;
use crate::db::schema::{accounts, rating_changes, ratings};
use crate::db::{At, Conn, Db, rows, sql};
use crate::error::{Error, Result};
use crate::ids::{AccountId, MatchId};
use crate::ratings::rate::FinishedGame;
use crate::ratings::verify::{Decision, PlayedUnit, PoolBooks, StoredRating};
use crate::ratings::{PlayerRating, RatingChange};

rows! {
    struct Made {
        match_id: Uuid,
        unit: Uuid,
        status: String,
        result: Option<Value>,
        finished_at: Option<At>,
        accounts: Vec<Uuid>,
    }
}

rows! {
    struct PoolName {
        pool: String,
    }
}

/// The names of all pools with a stored match, rating or change.
pub async fn pools(conn: &mut Conn) -> Result<Vec<String>> {
    let names = diesel::sql_query(
        "SELECT pool FROM matches WHERE pool IS NOT NULL UNION SELECT pool FROM ratings UNION SELECT pool FROM rating_changes ORDER BY pool",
    );
    let names: Vec<PoolName> = names.load(conn.sql()).await?;
    Ok(names.into_iter().map(|row| row.pool).collect())
}

/// The ledger of a pool, its matches and its ratings, from one snapshot of the database, because matches may end
/// meanwhile.
pub async fn books(db: &Db, pool: &Pool) -> Result<PoolBooks> {
    let mut snapshot = db.snapshot().await?;
    let changes = changes(&mut snapshot, pool).await?;
    let units = units(&mut snapshot, pool).await?;
    let decisions = decisions(&mut snapshot, pool).await?;
    let standings = standings(&mut snapshot, pool).await?;
    snapshot.end().await?;
    Ok(PoolBooks { changes, units, decisions, standings })
}

async fn changes(conn: &mut Conn, pool: &Pool) -> Result<Vec<RatingChange>> {
    let rows: Vec<Row> = rating_changes::table
        .filter(rating_changes::pool.eq(pool.to_string()))
        .order((rating_changes::account_id, rating_changes::number))
        .select(Row::as_select())
        .load(conn.sql())
        .await?;
    rows.into_iter().map(Row::read).collect()
}

/// The matches that have ended with a result, and all that belong to a pairing, game by game.
async fn units(conn: &mut Conn, pool: &Pool) -> Result<Vec<PlayedUnit>> {
    let made = "SELECT m.id AS match_id, coalesce(m.pairing_id, m.id) AS unit, h.status, h.result, h.finished_at, s.accounts \
         FROM matches AS m JOIN match_heads AS h ON h.match_id = m.id \
         LEFT JOIN pairing_games AS g ON g.pairing_id = m.pairing_id AND g.match_id = m.id \
         CROSS JOIN LATERAL (SELECT array_agg(coalesce(first_account_id, account_id) ORDER BY seat) AS accounts FROM match_seats WHERE match_id = m.id) AS s \
         WHERE m.pool = $1 AND (m.pairing_id IS NOT NULL OR h.status = 'finished' AND h.result IS NOT NULL) ORDER BY unit, g.game";
    let rows: Vec<Made> = sql!(made, pool.to_string()).load(conn.sql()).await?;
    let mut units: Vec<PlayedUnit> = Vec::new();
    let mut last = None;
    for row in rows {
        let over = row.status == Status::Finished.as_str() || row.status == Status::Aborted.as_str();
        let result = row.result.filter(|_| row.status == Status::Finished.as_str());
        let outcome: Option<Outcome> = result.map(serde_json::from_value).transpose().map_err(Error::internal)?;
        let places = outcome.map(|outcome| crate::ratings::rate::places(&outcome, row.accounts.len()));
        let seats = row.accounts.into_iter().map(AccountId).collect();
        let game = FinishedGame { match_id: MatchId(row.match_id), seats, places };
        let ended_at = row.finished_at.map(Time::from);
        match units.last_mut().filter(|_| last == Some(row.unit)) {
            Some(unit) => {
                unit.games.push(game);
                unit.over &= over;
                unit.ended_at = unit.ended_at.max(ended_at);
            }
            None => units.push(PlayedUnit { games: vec![game], over, ended_at }),
        }
        last = Some(row.unit);
    }
    Ok(units)
}

rows! {
    struct Decided {
        match_id: Uuid,
        revision: i16,
        ranks: Vec<i16>,
        note: String,
        at: At,
        logged: bool,
    }
}

/// The decisions on matches of the pool, and whether the audit log has each.
async fn decisions(conn: &mut Conn, pool: &Pool) -> Result<Vec<Decision>> {
    let decided = "SELECT a.match_id, a.revision, a.ranks, a.note, a.at, EXISTS (SELECT 1 FROM audit_log AS d \
           WHERE d.match_id = a.match_id AND d.kind = 'match-adjudicated' AND d.reason = a.note) AS logged \
         FROM adjudications AS a WHERE a.match_id IN (SELECT id FROM matches WHERE pool = $1) ORDER BY a.match_id, a.revision";
    let rows: Vec<Decided> = sql!(decided, pool.to_string()).load(conn.sql()).await?;
    let decision = |row: Decided| Decision {
        match_id: MatchId(row.match_id),
        revision: row.revision.unsigned_abs(),
        places: row.ranks.into_iter().map(|place| u8::try_from(place).unwrap_or_default()).collect(),
        note: row.note,
        at: row.at.0,
        logged: row.logged,
    };
    Ok(rows.into_iter().map(decision).collect())
}

async fn standings(conn: &mut Conn, pool: &Pool) -> Result<Vec<StoredRating>> {
    type Found = (Uuid, i32, f64, f64, Option<f64>, i32, Option<At>, Option<At>, bool, Option<At>);
    let rows: Vec<Found> = ratings::table
        .inner_join(accounts::table.on(accounts::id.eq(ratings::account_id)))
        .filter(ratings::pool.eq(pool.to_string()))
        .select((
            ratings::account_id,
            ratings::number,
            ratings::rating,
            ratings::deviation,
            ratings::volatility,
            ratings::matches,
            ratings::rated_at,
            ratings::listed_until,
            ratings::account_deleted,
            accounts::deleted_at,
        ))
        .load(conn.sql())
        .await?;
    let kept = |row: Found| {
        let (account, number, rating, deviation, volatility, matches, rated_at, listed_until, gone, deleted_at) = row;
        let standing = PlayerRating {
            account: AccountId(account),
            number: number.unsigned_abs(),
            rating: Rating { rating, deviation, volatility },
            matches: matches.unsigned_abs(),
            rated_at: rated_at.map(Time::from),
        };
        StoredRating { standing, listed_until: listed_until.map(Time::from), gone, deleted: deleted_at.is_some() }
    };
    Ok(rows.into_iter().map(kept).collect())
}
