//! Leaderboards: the established and active players of a pool, by rating.
//!
//! Pages are cut by key, at equal cost anywhere. A rank must be counted. To avoid counting a million rows, a job marks
//! every thousandth player ([`mark`]), and a rank is counted from the nearest mark above ([`above`]): in pools of up to
//! a thousand it is always exact; in larger ones it is as old as the mark if players have crossed it since.

use broadside_contests::{Pool, Rating};
use broadside_rules::Time;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::result::QueryResult;
use diesel::sql_types::{BigInt, Double, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::db::schema::leaderboard_samples;
use crate::db::{At, PublicRead, Run, Selected, Tx, prepared_once, selected, sql};
use crate::error::Result;
use crate::ids::AccountId;
use crate::player::Player;
use crate::ratings::PlayerRating;
use crate::ratings::read::{LeaderboardKey, RankedPlayer};

/// The distance between marks, in players.
const APART: i32 = 1000;

selected! {
    struct Row {
        account_id: Uuid,
        username: String,
        bot: bool,
        number: i32,
        rating: f64,
        deviation: f64,
        volatility: Option<f64>,
        matches: i32,
        rated_at: Option<At>,
    }
}

/// The columns of a [`Row`], from rows of `ratings` called `r`.
const NAMED: &str = "SELECT r.account_id, a.username, a.bot, r.number, r.rating, r.deviation, r.volatility, r.matches, r.rated_at FROM (";
const IN_ORDER: &str = ") AS r JOIN accounts AS a ON a.id = r.account_id ORDER BY r.rating DESC, r.account_id DESC";

type Columns = <Row as Selected>::Sql;

impl From<Row> for RankedPlayer {
    fn from(row: Row) -> Self {
        let account = AccountId(row.account_id);
        RankedPlayer {
            player: Player { id: account, username: row.username, bot: row.bot },
            standing: PlayerRating {
                account,
                number: row.number.unsigned_abs(),
                rating: Rating { rating: row.rating, deviation: row.deviation, volatility: row.volatility },
                matches: row.matches.unsigned_abs(),
                rated_at: row.rated_at.map(Time::from),
            },
        }
    }
}

/// Accounts suspended at `$2`, which leaderboards exclude. They are few, with their own index.
const SUSPENDED: &str =
    "SELECT id FROM accounts WHERE suspended_at IS NOT NULL AND (suspended_until IS NULL OR suspended_until > $2)";

/// Players below a key.
struct Below {
    pool: String,
    now: At,
    key: LeaderboardKey,
    limit: i64,
}

/// Players around an account; none if it isn't listed.
struct Around {
    pool: String,
    now: At,
    account: Uuid,
    above: i64,
    from_it_on: i64,
}

/// The number of players between two keys.
struct Between {
    pool: String,
    now: At,
    low: LeaderboardKey,
    high: LeaderboardKey,
}

prepared_once!(Below -> Columns, Around -> Columns, Between -> BigInt);

impl QueryFragment<Pg> for Below {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(NAMED);
        listed(&mut out, &self.pool, &self.now)?;
        out.push_sql(" AND (rating, account_id) < (");
        out.push_bind_param::<Double, _>(&self.key.rating)?;
        out.push_sql(", ");
        out.push_bind_param::<SqlUuid, _>(&self.key.account.0)?;
        out.push_sql(") ORDER BY rating DESC, account_id DESC LIMIT ");
        out.push_bind_param::<BigInt, _>(&self.limit)?;
        out.push_sql(IN_ORDER);
        Ok(())
    }
}

impl QueryFragment<Pg> for Around {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(NAMED);
        for (than, order, limit) in [(">", "ASC", &self.above), ("<=", "DESC", &self.from_it_on)] {
            out.push_sql(if order == "ASC" { "(" } else { " UNION ALL (" });
            listed(&mut out, &self.pool, &self.now)?;
            out.push_sql(" AND (rating, account_id) ");
            out.push_sql(than);
            // An unlisted account has no place, so no player is above or below it.
            out.push_sql(" ((SELECT rating FROM ratings WHERE account_id = ");
            out.push_bind_param::<SqlUuid, _>(&self.account)?;
            out.push_sql(" AND pool = ");
            out.push_bind_param::<Text, _>(&self.pool)?;
            still_listed(&mut out, &self.now)?;
            out.push_sql("), ");
            out.push_bind_param::<SqlUuid, _>(&self.account)?;
            out.push_sql(") ORDER BY rating ");
            out.push_sql(order);
            out.push_sql(", account_id ");
            out.push_sql(order);
            out.push_sql(" LIMIT ");
            out.push_bind_param::<BigInt, _>(limit)?;
            out.push_sql(")");
        }
        out.push_sql(IN_ORDER);
        Ok(())
    }
}

impl QueryFragment<Pg> for Between {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("SELECT count(*) FROM ratings WHERE pool = ");
        out.push_bind_param::<Text, _>(&self.pool)?;
        out.push_sql(" AND listed_until IS NOT NULL");
        still_listed(&mut out, &self.now)?;
        out.push_sql(" AND rating BETWEEN ");
        out.push_bind_param::<Double, _>(&self.low.rating)?;
        out.push_sql(" AND ");
        out.push_bind_param::<Double, _>(&self.high.rating)?;
        for (than, key) in [(" > (", &self.low), (" < (", &self.high)] {
            out.push_sql(" AND (rating, account_id)");
            out.push_sql(than);
            out.push_bind_param::<Double, _>(&key.rating)?;
            out.push_sql(", ");
            out.push_bind_param::<SqlUuid, _>(&key.account.0)?;
            out.push_sql(")");
        }
        Ok(())
    }
}

/// The listed players of a pool, as far as stored conditions go.
fn listed<'b>(out: &mut AstPass<'_, 'b, Pg>, pool: &'b String, now: &'b At) -> QueryResult<()> {
    out.push_sql(
        "SELECT account_id, number, rating, deviation, volatility, matches, rated_at FROM ratings WHERE pool = ",
    );
    out.push_bind_param::<Text, _>(pool)?;
    out.push_sql(" AND listed_until IS NOT NULL");
    still_listed(out, now)
}

/// Condition that a listed player is neither long inactive nor suspended.
fn still_listed<'b>(out: &mut AstPass<'_, 'b, Pg>, now: &'b At) -> QueryResult<()> {
    out.push_sql(" AND listed_until > ");
    out.push_bind_param::<Timestamptz, _>(now)?;
    // The same as `SUSPENDED`.
    out.push_sql(
        " AND account_id NOT IN (SELECT id FROM accounts WHERE suspended_at IS NOT NULL AND (suspended_until IS NULL OR suspended_until > ",
    );
    out.push_bind_param::<Timestamptz, _>(now)?;
    out.push_sql("))");
    Ok(())
}

/// The players below a key, best first.
pub async fn below(
    conn: &mut PublicRead,
    pool: &Pool,
    now: Time,
    key: LeaderboardKey,
    limit: i64,
) -> Result<Vec<RankedPlayer>> {
    let below = Below { pool: pool.to_string(), now: At(now), key, limit };
    let rows: Vec<Row> = below.load(conn.sql()).await?;
    Ok(rows.into_iter().map(RankedPlayer::from).collect())
}

/// An account among its neighbors, best first: limited numbers above it, and from itself on. Empty when it isn't
/// listed.
pub async fn around(
    conn: &mut PublicRead,
    pool: &Pool,
    now: Time,
    account: AccountId,
    above: i64,
    from_it_on: i64,
) -> Result<Vec<RankedPlayer>> {
    let around = Around { pool: pool.to_string(), now: At(now), account: account.0, above, from_it_on };
    let rows: Vec<Row> = around.load(conn.sql()).await?;
    Ok(rows.into_iter().map(RankedPlayer::from).collect())
}

/// The nearest mark above a key: the number of players down to it, and its own key.
async fn mark_above(conn: &mut PublicRead, pool: &Pool, key: LeaderboardKey) -> Result<Option<(i32, LeaderboardKey)>> {
    let marks = leaderboard_samples::table.filter(leaderboard_samples::pool.eq(pool.to_string()));
    let tied = leaderboard_samples::rating.eq(key.rating).and(leaderboard_samples::account_id.gt(key.account.0));
    let found: Option<(i32, f64, Uuid)> = marks
        .filter(leaderboard_samples::rating.gt(key.rating).or(tied))
        .order(leaderboard_samples::position.desc())
        .select((leaderboard_samples::position, leaderboard_samples::rating, leaderboard_samples::account_id))
        .first(conn.sql())
        .await
        .optional()?;
    Ok(found.map(|(position, rating, account)| (position, LeaderboardKey { rating, account: AccountId(account) })))
}

/// The number of players above a key. Two queries with separate bounds let PostgreSQL estimate how few rows to count;
/// otherwise it starts parallel workers.
pub async fn above(conn: &mut PublicRead, pool: &Pool, now: Time, key: LeaderboardKey) -> Result<u64> {
    let (marked, mark) = mark_above(conn, pool, key).await?.unwrap_or((0, LeaderboardKey::TOP));
    let between = Between { pool: pool.to_string(), now: At(now), low: key, high: mark };
    let count: i64 = between.get_result(conn.sql()).await?;
    Ok(count.unsigned_abs() + u64::from(marked.unsigned_abs()))
}

/// Removes long inactive players from the lists.
pub async fn lapse(tx: &mut Tx, now: Time) -> Result<()> {
    let lapse = "UPDATE ratings SET listed_until = NULL WHERE listed_until IS NOT NULL AND listed_until <= $1 \
         AND (account_id, pool) IN (SELECT account_id, pool FROM ratings WHERE listed_until IS NOT NULL AND listed_until <= $1 \
           FOR UPDATE SKIP LOCKED)";
    sql!(lapse, At(now)).run(tx).await
}

/// Recomputes the marks at every thousandth listed player.
pub async fn mark(tx: &mut Tx, now: Time) -> Result<()> {
    diesel::sql_query("DELETE FROM leaderboard_samples").run(tx).await?;
    // Another node may do it at the same time: either's marks are valid.
    let mark = format!(
        "INSERT INTO leaderboard_samples (pool, position, rating, account_id) \
         SELECT pool, position, rating, account_id FROM (SELECT pool, rating, account_id, \
           (row_number() OVER (PARTITION BY pool ORDER BY rating DESC, account_id DESC))::int AS position \
           FROM ratings WHERE listed_until > $2 AND account_id NOT IN ({SUSPENDED})) AS listed \
         WHERE position % $1 = 0 ON CONFLICT DO NOTHING"
    );
    sql!(mark, APART, At(now)).run(tx).await
}
