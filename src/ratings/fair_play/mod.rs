//! Fair-play reports: signs of sandbagging or collusion in the results of rated duels, and players who call duels off
//! once the first player was drawn.
//!
//! Each finding has its figures and is no verdict: friends play each other often, a weaker player loses to a stronger
//! one, and a player may be away for a month. The criteria and limits are data ([`Thresholds`]). Reports use only
//! results, their order, how they came about and log lengths: no addresses, chats or playing strength, and no matches
//! of more than two seats.

mod text;

use broadside_contests::Pool;
use broadside_contests::fair_play::{Figure, FindingKind, THRESHOLDS, Thresholds, detect};
use broadside_rules::Time;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

pub use text::lines;

use crate::accounts::store::accounts::players;
use crate::db::Db;
use crate::error::Result;
use crate::ids::{AccountId, MatchId};
use crate::player::Player;
use crate::ratings::store;
use crate::work_pool::{Lane, WorkPool};

/// The default period of a report, in seconds: ninety days.
pub const LOOKS_BACK_S: u32 = 90 * 86_400;
/// The maximum number of rating changes in a report, newest first: two per match. It bounds the cost.
pub const AT_MOST: u32 = 100_000;
/// The maximum number of findings per kind, the gravest first.
const FINDINGS: usize = 50;

/// The matches of a report.
#[derive(Clone, Copy, Default)]
pub struct FairPlayFilter {
    /// Only this pool; `None`: all two-seat pools.
    pub pool: Option<Pool>,
    /// Only matches rated since then; `None`: within [`LOOKS_BACK_S`].
    pub since: Option<Time>,
}

/// One seat of a rated duel, from the ledger and the match's head.
pub type RatedDuel = broadside_contests::fair_play::Played<AccountId, MatchId>;

/// A rated duel called off by one of its players.
pub type CalledOffDuel = broadside_contests::fair_play::CalledOff<AccountId, MatchId>;

/// Something that somebody should look at.
#[derive(Clone, PartialEq, Debug, Serialize, ToSchema)]
#[schema(as = FairPlayFinding)]
pub struct FairPlayFinding {
    /// What it is about.
    pub kind: FindingKind,
    /// Whom it is about.
    #[schema(max_items = 10)]
    pub players: Vec<Player>,
    /// The pool; null: matches of several pools are counted together.
    #[schema(max_length = 80, pattern = "^[a-z0-9-]+$", required)]
    pub pool: Option<String>,
    /// The figures behind the finding.
    #[schema(max_items = 20)]
    pub figures: Vec<Figure>,
    /// Some of the matches, the newest first.
    #[schema(max_items = 5)]
    pub matches: Vec<MatchId>,
}

/// The findings in the rated duels of a time.
#[derive(Clone, PartialEq, Debug, Serialize, ToSchema)]
#[schema(as = FairPlayAnalysis)]
pub struct FairPlayReport {
    /// The pool that was looked at; null: all pools of two seats together.
    #[schema(max_length = 80, pattern = "^[a-z0-9-]+$", required)]
    pub pool: Option<String>,
    /// Matches that were rated since then were looked at.
    pub since: Time,
    /// Matches that were rated until then were looked at.
    pub until: Time,
    /// Whether these are all since the time that was asked for; false: there were too many, and only the newest were
    /// looked at.
    pub complete: bool,
    /// How many matches were looked at (paired games count as one).
    #[schema(minimum = 0, maximum = 1000000, format = Int32)]
    pub matches: u32,
    /// Of how many players.
    #[schema(minimum = 0, maximum = 1000000, format = Int32)]
    pub players: u32,
    /// From where on something is a finding.
    pub thresholds: Thresholds,
    /// The findings, kind by kind, the gravest first; at most 50 of a kind.
    #[schema(max_items = 400)]
    pub findings: Vec<FairPlayFinding>,
}

/// Examines the rated duels of a period, at most the newest fifty thousand.
pub async fn report(db: &Db, pool: &WorkPool, now: Time, filter: FairPlayFilter) -> Result<FairPlayReport> {
    let since = filter.since.unwrap_or(now.plus_ms(-i64::from(LOOKS_BACK_S) * 1000));
    let (played, whole) = store::fair_play::played(db, filter.pool.as_ref(), since, AT_MOST).await?;
    let since = if whole { since } else { played.first().map_or(since, |first| first.at) };
    let called_off = store::fair_play::called_off(db, filter.pool.as_ref(), since, AT_MOST).await?;
    // Too long for a task that shares its thread with requests.
    let looked = pool.run(Lane::Heavy, move || detect(&played, &called_off, &THRESHOLDS, FINDINGS)).await?;
    let mut conn = db.conn().await?;
    let accounts: Vec<Uuid> = looked.accounts().iter().map(|account| account.0).collect();
    let named = players(&mut conn, &accounts).await?;
    let pool = filter.pool.map(|pool| pool.to_string());
    let findings = looked.found.into_iter().map(|found| FairPlayFinding {
        kind: found.kind,
        players: found.accounts.iter().filter_map(|account| named.get(&account.0).cloned()).collect(),
        pool: found.pool.map(|pool| pool.to_string()).or_else(|| pool.clone()),
        figures: found.figures,
        matches: found.matches,
    });
    let findings = findings.collect();
    let (matches, players) = (looked.matches, looked.players);
    Ok(FairPlayReport { pool, since, until: now, complete: whole, matches, players, thresholds: THRESHOLDS, findings })
}
