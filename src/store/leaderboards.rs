//! Leaderboards: the players of a pool who are established and active, by rating.
//!
//! A page is cut by key, and costs the same wherever it is. A rank isn't a key: it has to be counted. So that nobody counts a million rows, a job marks every
//! thousandth player ([`mark`]), and a rank is counted from the nearest mark above ([`above`]): in pools of up to a thousand it is always exact, in larger ones
//! it is as old as the mark where somebody has crossed it since.

use broadside_rules::Time;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Double, Integer, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::schema::{leaderboard_marks, ratings};
use super::time::At;
use super::{Conn, Tx};
use crate::error::Result;
use crate::ids::AccountId;
use crate::player::Player;
use crate::ratings::read::{Key, Listed};
use crate::ratings::{Pool, Rating, Standing};

/// How far the marks are apart.
const APART: i32 = 1000;

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = SqlUuid)]
    account_id: Uuid,
    #[diesel(sql_type = Text)]
    username: String,
    #[diesel(sql_type = Bool)]
    bot: bool,
    #[diesel(sql_type = Integer)]
    number: i32,
    #[diesel(sql_type = Double)]
    rating: f64,
    #[diesel(sql_type = Double)]
    deviation: f64,
    #[diesel(sql_type = Nullable<Double>)]
    volatility: Option<f64>,
    #[diesel(sql_type = Integer)]
    matches: i32,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    rated_at: Option<At>,
}

impl From<Row> for Listed {
    fn from(row: Row) -> Self {
        let account = AccountId(row.account_id);
        Listed {
            player: Player { id: account, username: row.username, bot: row.bot },
            standing: Standing {
                account,
                number: row.number.unsigned_abs(),
                rating: Rating { rating: row.rating, deviation: row.deviation, volatility: row.volatility },
                matches: row.matches.unsigned_abs(),
                rated_at: row.rated_at.map(Time::from),
            },
        }
    }
}

/// Who isn't on the lists, wherever his rating is: accounts that are suspended. They are few, and have an index of their own. `$2` is the time.
const SUSPENDED: &str =
    "SELECT id FROM accounts WHERE suspended_at IS NOT NULL AND (suspended_until IS NULL OR suspended_until > $2)";

/// Who stands next to a key, `limit` of them: below it the best first, above it the worst first.
async fn beside(conn: &mut Conn, pool: &Pool, now: Time, key: Key, below: bool, limit: i64) -> Result<Vec<Listed>> {
    let (than, order) = if below { ("<", "DESC") } else { (">", "ASC") };
    let list = diesel::sql_query(format!(
        "SELECT r.account_id, a.username, a.bot, r.number, r.rating, r.deviation, r.volatility, r.matches, r.rated_at \
         FROM ratings AS r JOIN accounts AS a ON a.id = r.account_id \
         WHERE r.pool = $1 AND r.listed_until IS NOT NULL AND r.listed_until > $2 AND (r.rating, r.account_id) {than} ($3, $4) \
         AND r.account_id NOT IN ({SUSPENDED}) \
         ORDER BY r.rating {order}, r.account_id {order} LIMIT $5"
    ));
    let rows: Vec<Row> = list
        .bind::<Text, _>(pool.to_string())
        .bind::<Timestamptz, _>(At(now))
        .bind::<Double, _>(key.rating)
        .bind::<SqlUuid, _>(key.account.0)
        .bind::<BigInt, _>(limit)
        .load(&mut *conn.0)
        .await?;
    Ok(rows.into_iter().map(Listed::from).collect())
}

/// Who stands below a key, the best first.
pub async fn below(conn: &mut Conn, pool: &Pool, now: Time, key: Key, limit: i64) -> Result<Vec<Listed>> {
    beside(conn, pool, now, key, true, limit).await
}

/// Who stands just above a key, the best first.
pub async fn just_above(conn: &mut Conn, pool: &Pool, now: Time, key: Key, limit: i64) -> Result<Vec<Listed>> {
    let mut found = beside(conn, pool, now, key, false, limit).await?;
    found.reverse();
    Ok(found)
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    above: i64,
}

/// The nearest mark above a key: how many stand at it and above it, and its own key.
async fn mark_above(conn: &mut Conn, pool: &Pool, key: Key) -> Result<Option<(i32, Key)>> {
    let marks = leaderboard_marks::table.filter(leaderboard_marks::pool.eq(pool.to_string()));
    let tied = leaderboard_marks::rating.eq(key.rating).and(leaderboard_marks::account_id.gt(key.account.0));
    let found: Option<(i32, f64, Uuid)> = marks
        .filter(leaderboard_marks::rating.gt(key.rating).or(tied))
        .order(leaderboard_marks::position.desc())
        .select((leaderboard_marks::position, leaderboard_marks::rating, leaderboard_marks::account_id))
        .first(&mut *conn.0)
        .await
        .optional()?;
    Ok(found.map(|(position, rating, account)| (position, Key { rating, account: AccountId(account) })))
}

/// How many stand above a key. Asked in two steps, and with the bounds by themselves, so that PostgreSQL can estimate how little there is to count; else it
/// sends for workers.
pub async fn above(conn: &mut Conn, pool: &Pool, now: Time, key: Key) -> Result<u64> {
    let (marked, mark) = mark_above(conn, pool, key).await?.unwrap_or((0, Key::TOP));
    let count = diesel::sql_query(format!(
        "SELECT count(*) AS above FROM ratings WHERE pool = $1 AND listed_until IS NOT NULL AND listed_until > $2 \
         AND rating BETWEEN $3 AND $5 AND (rating, account_id) > ($3, $4) AND (rating, account_id) < ($5, $6) \
         AND account_id NOT IN ({SUSPENDED})"
    ));
    let count: Count = count
        .bind::<Text, _>(pool.to_string())
        .bind::<Timestamptz, _>(At(now))
        .bind::<Double, _>(key.rating)
        .bind::<SqlUuid, _>(key.account.0)
        .bind::<Double, _>(mark.rating)
        .bind::<SqlUuid, _>(mark.account.0)
        .get_result(&mut *conn.0)
        .await?;
    Ok(count.above.unsigned_abs() + u64::from(marked.unsigned_abs()))
}

/// Whether the account stands on the leaderboard, and where.
pub async fn key_of(conn: &mut Conn, pool: &Pool, now: Time, account: AccountId) -> Result<Option<Key>> {
    let rating: Option<f64> = ratings::table
        .find((account.0, pool.to_string()))
        .filter(ratings::listed_until.gt(At(now)))
        .select(ratings::rating)
        .first(&mut *conn.0)
        .await
        .optional()?;
    let suspension = super::accounts::suspension(conn, account).await?;
    let suspended = suspension.is_some_and(|suspension| suspension.is_on(now));
    Ok(rating.filter(|_| !suspended).map(|rating| Key { rating, account }))
}

/// Takes from the lists who has been away for too long, and marks every thousandth of those who stay.
pub async fn mark(tx: &mut Tx, now: Time) -> Result<()> {
    let lapse = "UPDATE ratings SET listed_until = NULL WHERE listed_until IS NOT NULL AND listed_until <= $1 \
         AND (account_id, pool) IN (SELECT account_id, pool FROM ratings WHERE listed_until IS NOT NULL AND listed_until <= $1 \
           FOR UPDATE SKIP LOCKED)";
    diesel::sql_query(lapse).bind::<Timestamptz, _>(At(now)).execute(&mut *tx.conn.0).await?;
    diesel::sql_query("DELETE FROM leaderboard_marks").execute(&mut *tx.conn.0).await?;
    // Another node may be at it, too: either's marks will do.
    let mark = format!(
        "INSERT INTO leaderboard_marks (pool, position, rating, account_id) \
         SELECT pool, position, rating, account_id FROM (SELECT pool, rating, account_id, \
           (row_number() OVER (PARTITION BY pool ORDER BY rating DESC, account_id DESC))::int AS position \
           FROM ratings WHERE listed_until IS NOT NULL AND account_id NOT IN ({SUSPENDED})) AS listed \
         WHERE position % $1 = 0 ON CONFLICT DO NOTHING"
    );
    diesel::sql_query(mark).bind::<Integer, _>(APART).bind::<Timestamptz, _>(At(now)).execute(&mut *tx.conn.0).await?;
    Ok(())
}
