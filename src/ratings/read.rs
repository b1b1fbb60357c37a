//! Public reads: a player's ratings and their history, and the leaderboards.

use std::fmt;
use std::str::FromStr;

use broadside_contests::rating_algorithm::{Algorithm, idle_s};
use broadside_contests::{Pool, Rating};
use broadside_rules::Time;
use uuid::Uuid;

use super::{PlayerRating, RatingChange, RatingChangeReason};
use crate::context::Context;
use crate::db::{Conn, PublicRead, Tx};
use crate::error::Result;
use crate::ids::{AccountId, MatchId};
use crate::listed::Listed;
use crate::player::Player;
use crate::ratings::store;
pub use crate::ratings::store::ratings::{all_of as export, history};

/// The number of days, each with its last rating, in a rating curve.
const DAYS: i32 = 1000;

/// A player's current rating in a pool.
pub struct PoolRating {
    pub pool: Pool,
    /// The rating after the newest change.
    pub standing: PlayerRating,
    /// The current rating: its deviation has grown since.
    pub now: Rating,
    /// True if it is too uncertain to be listed.
    pub provisional: bool,
}

/// A page of the ratings of an account, by pool.
pub async fn of_account(
    conn: &mut PublicRead,
    account: AccountId,
    now: Time,
    after: Option<&Pool>,
    limit: i64,
) -> Result<Listed<PoolRating>> {
    let standings = store::ratings::standings_of(conn, account, after, limit).await?;
    Ok(standings.map(|(pool, standing)| held(pool, standing, now)))
}

/// The rating of an account in one pool, if it was ever rated there.
pub async fn of_account_in(
    conn: &mut PublicRead,
    account: AccountId,
    now: Time,
    pool: &Pool,
) -> Result<Option<PoolRating>> {
    let standing = store::ratings::standing_in(conn, account, pool).await?;
    Ok(standing.map(|standing| held(*pool, standing, now)))
}

fn held(pool: Pool, standing: PlayerRating, now: Time) -> PoolRating {
    let algorithm = Algorithm::of(&pool);
    let rating = algorithm.idle(standing.rating, idle_s(standing.rated_at, now));
    PoolRating { pool, standing, now: rating, provisional: algorithm.is_provisional(rating.deviation) }
}

/// The ratings shown beside names, where they exist.
pub async fn shown(conn: &mut Conn, wanted: &[(AccountId, Pool)]) -> Result<Vec<Option<i32>>> {
    let found = store::ratings::shown(conn, wanted).await?;
    Ok(wanted.iter().map(|(account, pool)| found.get(&(*account, pool.to_string())).copied()).collect())
}

/// The public effect of a match on ratings, in order: each time it was rated, by seat, and each reversal.
pub async fn of_match(conn: &mut Conn, match_id: MatchId) -> Result<Listed<(Player, RatingChange)>> {
    let mut changes = store::rated_matches::named_changes_of(conn, match_id).await?;
    changes
        .items
        .sort_by_key(|(_, change)| (change.revision, change.reason == RatingChangeReason::Annulment, change.seat));
    Ok(changes)
}

/// A point of a curve: time, rating and deviation.
pub type Point = (Time, f64, f64);

/// The curve of a player's rating in a pool: a point per day with a change.
pub async fn series(conn: &mut PublicRead, account: AccountId, pool: &Pool) -> Result<Vec<Point>> {
    store::ratings::days(conn, account, pool, DAYS).await
}

/// A position in a leaderboard, occupied or not, from which lists continue.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LeaderboardKey {
    /// The rating that orders the list.
    pub rating: f64,
    /// Breaks ties.
    pub account: AccountId,
}

impl LeaderboardKey {
    /// A key above every player.
    pub const TOP: Self = Self { rating: f64::INFINITY, account: AccountId(Uuid::max()) };
}

impl fmt::Display for LeaderboardKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}{}", self.rating.to_bits(), self.account.0.simple())
    }
}

impl FromStr for LeaderboardKey {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let read = || {
            let (bits, account) = text.split_at_checked(16)?;
            let rating = f64::from_bits(u64::from_str_radix(bits, 16).ok()?);
            let account = AccountId(Uuid::try_parse(account).ok()?);
            rating.is_finite().then_some(Self { rating, account })
        };
        read().ok_or_else(|| "is no cursor of a leaderboard: send a `next_cursor` as it came".to_owned())
    }
}

/// A player on a leaderboard.
pub struct RankedPlayer {
    pub player: Player,
    pub standing: PlayerRating,
}

impl RankedPlayer {
    pub fn key(&self) -> LeaderboardKey {
        LeaderboardKey { rating: self.standing.rating.rating, account: self.player.id }
    }

    /// The player's current rating in this pool.
    pub fn held(&self, pool: Pool, now: Time) -> PoolRating {
        held(pool, self.standing, now)
    }
}

/// A part of a leaderboard, best first.
pub struct LeaderboardSlice {
    pub first_rank: u64,
    pub listed: Vec<RankedPlayer>,
    /// The position to continue from; `None`: the end.
    pub next: Option<LeaderboardKey>,
}

/// A page of a leaderboard, after `after`.
pub async fn page(
    conn: &mut PublicRead,
    now: Time,
    pool: &Pool,
    after: Option<LeaderboardKey>,
    limit: i64,
) -> Result<LeaderboardSlice> {
    let listed = store::leaderboards::below(conn, pool, now, after.unwrap_or(LeaderboardKey::TOP), limit + 1).await?;
    slice(conn, pool, now, listed, limit).await
}

/// The leaderboard around a player, with up to half of the page above them. `None`: the player isn't listed.
pub async fn around(
    conn: &mut PublicRead,
    now: Time,
    pool: &Pool,
    account: AccountId,
    limit: i64,
) -> Result<Option<LeaderboardSlice>> {
    let found = store::leaderboards::around(conn, pool, now, account, limit / 2, limit + 1).await?;
    if found.is_empty() {
        return Ok(None);
    }
    let one_more = usize::try_from(limit + 1).unwrap_or(usize::MAX);
    let listed = found.into_iter().take(one_more).collect();
    slice(conn, pool, now, listed, limit).await.map(Some)
}

/// Cuts the part to a page from more rows than fit.
async fn slice(
    conn: &mut PublicRead,
    pool: &Pool,
    now: Time,
    mut listed: Vec<RankedPlayer>,
    limit: i64,
) -> Result<LeaderboardSlice> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = listed.len() > limit;
    listed.truncate(limit);
    let above = match listed.first() {
        Some(first) => store::leaderboards::above(conn, pool, now, first.key()).await?,
        None => 0,
    };
    let next = listed.last().filter(|_| more).map(RankedPlayer::key);
    Ok(LeaderboardSlice { first_rank: above + 1, listed, next })
}

/// Removes long inactive players from the leaderboards. Reads already hide them before.
pub async fn lapse(ctx: &Context) -> Result<()> {
    let mut tx: Tx = ctx.db.begin().await?;
    store::leaderboards::lapse(&mut tx, ctx.clock.now()).await?;
    tx.commit().await
}

/// Updates the marks in long leaderboards that ranks are counted from.
pub async fn mark(ctx: &Context) -> Result<()> {
    let mut tx: Tx = ctx.db.begin().await?;
    store::leaderboards::mark(&mut tx, ctx.clock.now()).await?;
    tx.commit().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_back_to_the_last_bit() {
        let key = LeaderboardKey { rating: 1_623.456_789, account: AccountId(Uuid::from_u128(77)) };
        assert_eq!(key.to_string().parse::<LeaderboardKey>(), Ok(key));
        for wrong in ["", "zz", &"f".repeat(48), &key.to_string()[1..]] {
            assert!(wrong.parse::<LeaderboardKey>().is_err(), "{wrong}");
        }
    }
}
