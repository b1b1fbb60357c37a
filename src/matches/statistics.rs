//! A player's match statistics, by variant and by opponent. Public like all finished matches; running matches are
//! excluded.

use std::fmt;
use std::str::FromStr;

use broadside_rules::Time;
use uuid::Uuid;

use crate::budget_owner;
use crate::context::Context;
use crate::db::{Conn, PublicRead, within};
use crate::error::{Error, Result};
use crate::ids::AccountId;
use crate::matches::results::SeatResult;
use crate::matches::store;
use crate::player::Player;

/// Numbers of matches by result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Results {
    pub won: u32,
    pub drawn: u32,
    pub lost: u32,
    /// Called off; they count for nothing else.
    pub aborted: u32,
}

impl Results {
    pub fn matches(self) -> u32 {
        [self.drawn, self.lost, self.aborted].into_iter().fold(self.won, u32::saturating_add)
    }
}

/// The outcome of a player's shots in games of gunnery.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Shooting {
    pub matches: u32,
    pub shots: u64,
    pub hits: u64,
    /// Matches won by the battle, and not by a resignation, the clock or a moderator.
    pub wins: u32,
    pub shots_of_wins: u64,
}

/// A player's results in a variant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VariantRecord {
    /// The variant; matches with a named rule set count for its base variant.
    pub variant: String,
    pub results: Results,
    /// Only for games of gunnery.
    pub shooting: Option<Shooting>,
}

/// A player's results against an opponent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpponentRecord {
    pub player: Player,
    /// A win means a better place than the opponent's.
    pub results: Results,
    /// The end of the last match.
    pub last_at: Time,
}

/// The position to continue a list of opponents from: after this opponent with this number of matches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpponentCursor {
    pub matches: u32,
    pub account: AccountId,
}

impl OpponentCursor {
    /// Before every opponent.
    pub const TOP: Self = Self { matches: u32::MAX, account: AccountId(Uuid::max()) };

    pub fn behind(record: &OpponentRecord) -> Self {
        Self { matches: record.results.matches(), account: record.player.id }
    }
}

impl fmt::Display for OpponentCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.matches, self.account.0.simple())
    }
}

impl FromStr for OpponentCursor {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let read = || {
            let (matches, account) = text.split_once('-')?;
            Some(Self { matches: matches.parse().ok()?, account: AccountId(Uuid::try_parse(account).ok()?) })
        };
        read().ok_or_else(|| "is no cursor of opponents: send a `next_cursor` as it came".to_owned())
    }
}

pub struct PlayerStatistics {
    /// By variant, the most played first.
    pub variants: Vec<VariantRecord>,
    /// True if every finished match is counted: after an update of the service, older ones are added gradually.
    pub is_complete: bool,
}

/// Matches counted by variant per millisecond: 10,000 take 4 to 8 ms.
const COUNTED_A_MS: u32 = 1000;
/// Matches counted by opponent, with a look-up each, per millisecond: 10,000 take 50 ms.
const LOOKED_UP_A_MS: u32 = 200;
/// The milliseconds included in the prices of both operations.
const PAID_MS: u32 = 25;

/// An account's results by variant. `is_own`: the account itself asks.
pub async fn of_player(ctx: &Context, account: AccountId, is_own: bool) -> Result<PlayerStatistics> {
    let _turn = turn(ctx).await?;
    let read = async |conn: &mut PublicRead| {
        charge(ctx, store::results::count(conn, account).await? / COUNTED_A_MS)?;
        let is_complete = !store::results::is_any_due(conn).await?;
        Ok(PlayerStatistics { variants: store::results::by_variant(conn, account).await?, is_complete })
    };
    ctx.public_reads.read_own(is_own, read).await
}

/// An account's results by opponent, the most frequent first.
pub async fn of_opponents(
    ctx: &Context,
    (account, is_own): (AccountId, bool),
    variant: Option<&str>,
    after: Option<OpponentCursor>,
    limit: i64,
) -> Result<Vec<OpponentRecord>> {
    let _turn = turn(ctx).await?;
    let read = async |conn: &mut PublicRead| {
        charge(ctx, store::results::count(conn, account).await? / LOOKED_UP_A_MS)?;
        store::results::by_opponent(conn, account, variant, after, limit).await
    };
    ctx.public_reads.read_own(is_own, read).await
}

pub async fn all_of(conn: &mut Conn, account: AccountId) -> Result<Vec<SeatResult>> {
    store::results::of_account(conn, account).await
}

/// Limits long reads, so that they can't take all connections.
async fn turn(ctx: &Context) -> Result<tokio::sync::SemaphorePermit<'_>> {
    let turn = async { ctx.long_reads.acquire().await.map_err(Error::internal) };
    within(ctx.db.deadline(), turn).await
}

/// Charges the cost beyond the price of the operation.
fn charge(ctx: &Context, ms: u32) -> Result<()> {
    budget_owner::charge_more(ctx.rate_limits.as_ref(), ms.saturating_sub(PAID_MS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_back() {
        let cursor = OpponentCursor { matches: 12, account: AccountId(Uuid::from_u128(77)) };
        assert_eq!(cursor.to_string().parse::<OpponentCursor>(), Ok(cursor));
        for wrong in ["", "12", "-1-77", "x-00000000000000000000000000000077", &format!("{cursor}-1")] {
            assert!(wrong.parse::<OpponentCursor>().is_err(), "{wrong}");
        }
    }
}
