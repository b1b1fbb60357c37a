//! Ratings: the players' current ratings, and the append-only ledger of changes.

use std::collections::HashMap;

use broadside_contests::rating_algorithm::listed_until;
use broadside_contests::{Pool, Rating};
use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use serde_json::Value;
use uuid::Uuid;

use crate::db::schema::{rating_changes, ratings};
use crate::db::{At, Conn, PublicRead, Run, Tx, rows, sql};
use crate::error::{Error, Result};
use crate::ids::{AccountId, MatchId};
use crate::listed::Listed;
use crate::ratings::{PlayerRating, RatingChange};

/// Log message about an unreadable row.
const WHAT: &str = "a change of a rating can't be read; lists leave it out";

rows! {
    struct Locked {
        account_id: Uuid,
        number: i32,
        rating: f64,
        deviation: f64,
        volatility: Option<f64>,
        matches: i32,
        rated_at: Option<At>,
    }
}

impl From<Locked> for PlayerRating {
    fn from(row: Locked) -> Self {
        PlayerRating {
            account: AccountId(row.account_id),
            number: row.number.unsigned_abs(),
            rating: Rating { rating: row.rating, deviation: row.deviation, volatility: row.volatility },
            matches: row.matches.unsigned_abs(),
            rated_at: row.rated_at.map(Time::from),
        }
    }
}

/// Locks the ratings of these accounts in a pool for the rest of the transaction, and returns them in the given order;
/// accounts without one get `first`. One statement creates and locks them in the order of the accounts, to prevent
/// deadlocks.
pub async fn lock(tx: &mut Tx, pool: &Pool, first: Rating, accounts: &[AccountId]) -> Result<Vec<PlayerRating>> {
    let ids: Vec<Uuid> = accounts.iter().map(|account| account.0).collect();
    let lock = "INSERT INTO ratings AS r (account_id, pool, number, rating, deviation, volatility, matches, account_deleted) \
         SELECT t.id, $2, 0, $3, $4, $5, 0, EXISTS (SELECT FROM accounts AS a WHERE a.id = t.id AND a.deleted_at IS NOT NULL) \
         FROM unnest($1) AS t (id) ORDER BY t.id \
         ON CONFLICT (account_id, pool) DO UPDATE SET number = r.number \
         RETURNING r.account_id, r.number, r.rating, r.deviation, r.volatility, r.matches, r.rated_at";
    let rows: Vec<Locked> =
        sql!(lock, ids, pool.to_string(), first.rating, first.deviation, first.volatility).load(tx.sql()).await?;
    let found: Vec<PlayerRating> = rows.into_iter().map(PlayerRating::from).collect();
    let in_order = accounts.iter().map(|account| found.iter().find(|standing| standing.account == *account).copied());
    let missing = || Error::internal("a standing that was locked is missing");
    in_order.collect::<Option<Vec<PlayerRating>>>().ok_or_else(missing)
}

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = rating_changes, check_for_backend(diesel::pg::Pg))]
pub(crate) struct Row {
    account_id: Uuid,
    pool: String,
    number: i32,
    match_id: Uuid,
    seat: i16,
    reason: String,
    algorithm: String,
    algorithm_version: i32,
    at: At,
    before_rating: f64,
    before_deviation: f64,
    before_volatility: Option<f64>,
    after_rating: f64,
    after_deviation: f64,
    after_volatility: Option<f64>,
    participants: Value,
    annuls: Option<i32>,
    note: Option<String>,
    revision: i16,
    paired_match_id: Option<Uuid>,
    games: Value,
}

impl Row {
    fn of(change: &RatingChange) -> Result<Self> {
        let number = |number: u32| i32::try_from(number).map_err(Error::internal);
        Ok(Self {
            account_id: change.account.0,
            pool: change.pool.to_string(),
            number: number(change.number)?,
            match_id: change.match_id.0,
            seat: i16::from(change.seat),
            reason: change.reason.into_str().to_owned(),
            algorithm: change.algorithm.clone(),
            algorithm_version: number(change.version)?,
            at: At(change.at),
            before_rating: change.before.rating,
            before_deviation: change.before.deviation,
            before_volatility: change.before.volatility,
            after_rating: change.after.rating,
            after_deviation: change.after.deviation,
            after_volatility: change.after.volatility,
            participants: serde_json::to_value(&change.field).map_err(Error::internal)?,
            annuls: change.annuls.map(number).transpose()?,
            note: change.note.clone(),
            revision: i16::try_from(change.revision).map_err(Error::internal)?,
            paired_match_id: change.paired.map(|paired| paired.0),
            games: serde_json::to_value(&change.games).map_err(Error::internal)?,
        })
    }

    pub(crate) fn read(self) -> Result<RatingChange> {
        let broken =
            |what: &str| Error::internal(format!("the change {} of {} has {what}", self.number, self.account_id));
        Ok(RatingChange {
            account: AccountId(self.account_id),
            pool: self.pool.parse().map_err(|_| broken("an unknown pool"))?,
            number: self.number.unsigned_abs(),
            match_id: MatchId(self.match_id),
            paired: self.paired_match_id.map(MatchId),
            seat: u8::try_from(self.seat).map_err(|_| broken("no seat"))?,
            reason: self.reason.parse().map_err(|_| broken("an unknown reason"))?,
            revision: self.revision.unsigned_abs(),
            algorithm: self.algorithm,
            version: self.algorithm_version.unsigned_abs(),
            at: self.at.0,
            before: Rating {
                rating: self.before_rating,
                deviation: self.before_deviation,
                volatility: self.before_volatility,
            },
            after: Rating {
                rating: self.after_rating,
                deviation: self.after_deviation,
                volatility: self.after_volatility,
            },
            field: serde_json::from_value(self.participants).map_err(Error::internal)?,
            games: serde_json::from_value(self.games).map_err(Error::internal)?,
            annuls: self.annuls.map(i32::unsigned_abs),
            note: self.note,
        })
    }
}

/// Appends changes to the ledger, and writes the resulting ratings: both in the same order.
pub async fn write(tx: &mut Tx, changes: &[RatingChange], standings: &[PlayerRating]) -> Result<()> {
    let rows = changes.iter().map(Row::of).collect::<Result<Vec<Row>>>()?;
    diesel::insert_into(rating_changes::table).values(rows).run(tx).await?;
    for (change, standing) in changes.iter().zip(standings) {
        let update = "UPDATE ratings SET number = $3, rating = $4, deviation = $5, volatility = $6, matches = $7, rated_at = $8, \
             listed_until = CASE WHEN account_deleted THEN NULL ELSE $9 END WHERE account_id = $1 AND pool = $2";
        sql!(
            update,
            standing.account.0,
            change.pool.to_string(),
            i32::try_from(standing.number).map_err(Error::internal)?,
            standing.rating.rating,
            standing.rating.deviation,
            standing.rating.volatility,
            i32::try_from(standing.matches).map_err(Error::internal)?,
            standing.rated_at.map(At),
            listed_until(&change.pool, &standing.rating, standing.rated_at).map(At)
        )
        .run(tx)
        .await?;
    }
    Ok(())
}

/// Removes an account from the leaderboards permanently.
pub async fn unlist(tx: &mut Tx, account: AccountId) -> Result<()> {
    let unlist = "WITH its AS MATERIALIZED (SELECT pool FROM ratings WHERE account_id = $1 ORDER BY pool FOR UPDATE) \
         UPDATE ratings SET account_deleted = true, listed_until = NULL FROM its WHERE account_id = $1 AND ratings.pool = its.pool";
    sql!(unlist, account.0).run(tx).await
}

type Standing = (String, i32, f64, f64, Option<f64>, i32, Option<At>);

/// The columns of a rating.
macro_rules! standing {
    () => {
        (
            ratings::pool,
            ratings::number,
            ratings::rating,
            ratings::deviation,
            ratings::volatility,
            ratings::matches,
            ratings::rated_at,
        )
    };
}

/// The rating in a row. Fails if this version doesn't know the pool.
fn standing(account: AccountId, row: Standing) -> Result<(Pool, PlayerRating)> {
    let (pool, number, rating, deviation, volatility, matches, rated_at) = row;
    let standing = PlayerRating {
        account,
        number: number.unsigned_abs(),
        rating: Rating { rating, deviation, volatility },
        matches: matches.unsigned_abs(),
        rated_at: rated_at.map(Time::from),
    };
    let unknown = |_| Error::internal(format!("the pool {pool} is unknown"));
    pool.parse().map(|pool| (pool, standing)).map_err(unknown)
}

/// A page of an account's ratings, by pool.
pub async fn standings_of(
    conn: &mut PublicRead,
    account: AccountId,
    after: Option<&Pool>,
    limit: i64,
) -> Result<Listed<(Pool, PlayerRating)>> {
    let rows: Vec<Standing> = ratings::table
        .filter(ratings::account_id.eq(account.0))
        .filter(ratings::number.gt(0))
        // No pool has the empty name.
        .filter(ratings::pool.gt(after.map(Pool::to_string).unwrap_or_default()))
        .order(ratings::pool)
        .limit(limit)
        .select(standing!())
        .load(conn.sql())
        .await?;
    let rows = rows.into_iter().map(|row| (row.0.clone(), standing(account, row)));
    Listed::of("a rating can't be read; lists leave it out", rows)
}

/// The rating of an account in a pool, if it was ever rated there.
pub async fn standing_in(conn: &mut PublicRead, account: AccountId, pool: &Pool) -> Result<Option<PlayerRating>> {
    let row: Option<Standing> = ratings::table
        .filter(ratings::account_id.eq(account.0))
        .filter(ratings::number.gt(0))
        .filter(ratings::pool.eq(pool.to_string()))
        .select(standing!())
        .first(conn.sql())
        .await
        .optional()?;
    row.map(|row| standing(account, row).map(|(_, standing)| standing)).transpose()
}

/// The ratings shown beside the names of these accounts in these pools, where they exist.
pub async fn shown(conn: &mut Conn, wanted: &[(AccountId, Pool)]) -> Result<HashMap<(AccountId, String), i32>> {
    if wanted.is_empty() {
        return Ok(HashMap::new());
    }
    let accounts: Vec<Uuid> = wanted.iter().map(|(account, _)| account.0).collect();
    let pools: Vec<String> = wanted.iter().map(|(_, pool)| pool.to_string()).collect();
    let rows: Vec<(Uuid, String, f64)> = ratings::table
        .filter(ratings::account_id.eq_any(accounts))
        .filter(ratings::pool.eq_any(pools))
        .filter(ratings::number.gt(0))
        .select((ratings::account_id, ratings::pool, ratings::rating))
        .load(conn.sql())
        .await?;
    let shown = |rating| Rating { rating, deviation: 0.0, volatility: None }.shown();
    Ok(rows.into_iter().map(|(account, pool, rating)| ((AccountId(account), pool), shown(rating))).collect())
}

/// A player's changes in a pool, newest first: up to `limit`, with numbers below `before`.
pub async fn history(
    conn: &mut PublicRead,
    account: AccountId,
    pool: &Pool,
    before: Option<u32>,
    limit: i64,
) -> Result<Listed<RatingChange>> {
    let before = before.map_or(i32::MAX, |before| i32::try_from(before).unwrap_or(i32::MAX));
    let rows: Vec<Row> = rating_changes::table
        .filter(rating_changes::account_id.eq(account.0))
        .filter(rating_changes::pool.eq(pool.to_string()))
        .filter(rating_changes::number.lt(before))
        .order(rating_changes::number.desc())
        .limit(limit)
        .select(Row::as_select())
        .load(conn.sql())
        .await?;
    Listed::of(WHAT, rows.into_iter().map(|row| (row.number, row.read())))
}

/// All of a player's changes in a pool, in order. Before writing, lock the player's rating.
pub async fn ledger(conn: &mut Conn, account: AccountId, pool: &Pool) -> Result<Vec<RatingChange>> {
    let rows: Vec<Row> = rating_changes::table
        .filter(rating_changes::account_id.eq(account.0))
        .filter(rating_changes::pool.eq(pool.to_string()))
        .order(rating_changes::number)
        .select(Row::as_select())
        .load(conn.sql())
        .await?;
    rows.into_iter().map(Row::read).collect()
}

/// All changes of an account, pool by pool, for its own export.
pub async fn all_of(conn: &mut Conn, account: AccountId) -> Result<Listed<RatingChange>> {
    let rows: Vec<Row> = rating_changes::table
        .filter(rating_changes::account_id.eq(account.0))
        .order((rating_changes::pool, rating_changes::number))
        .select(Row::as_select())
        .load(conn.sql())
        .await?;
    Listed::of(WHAT, rows.into_iter().map(|row| (row.number, row.read())))
}

rows! {
    struct Day {
        at: At,
        rating: f64,
        deviation: f64,
    }
}

/// The number of changes used for a curve: active players must not cost more.
const LOOKED_AT: i32 = 5000;

/// A player's rating at the end of each day (UTC) with a change: the newest `limit` days, in order, within their newest
/// 5000 changes.
pub async fn days(conn: &mut PublicRead, account: AccountId, pool: &Pool, limit: i32) -> Result<Vec<(Time, f64, f64)>> {
    let days = "SELECT * FROM (SELECT DISTINCT ON (date_trunc('day', at AT TIME ZONE 'UTC')) at, after_rating AS rating, after_deviation AS deviation \
         FROM (SELECT number, at, after_rating, after_deviation FROM rating_changes WHERE account_id = $1 AND pool = $2 ORDER BY number DESC LIMIT $4) AS changes \
         ORDER BY date_trunc('day', at AT TIME ZONE 'UTC') DESC, number DESC LIMIT $3) AS newest ORDER BY at";
    let days: Vec<Day> = sql!(days, account.0, pool.to_string(), limit, LOOKED_AT).load(conn.sql()).await?;
    Ok(days.into_iter().map(|day| (day.at.0, day.rating, day.deviation)).collect())
}
