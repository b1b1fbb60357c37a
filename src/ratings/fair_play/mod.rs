//! Fair play made visible: what in the results of rated duels looks like sandbagging or collusion. Each finding comes with its figures and is no verdict: friends
//! play each other often, a weaker player loses to a stronger one, and somebody has to be away for a month.
//!
//! What is looked for, and from where on, is data ([`Thresholds`]). What can't be seen here: anything but results, their order, how they came about and how
//! long the logs are. Not who sits at which address, not what is said, not how well somebody played, and nothing in matches of more than two seats.

mod look;
#[cfg(test)]
mod tests;
mod text;

use broadside_rules::Time;
use serde::Serialize;
use utoipa::ToSchema;

pub use text::lines;

use super::Pool;
use crate::db::Db;
use crate::error::{Error, Result};
use crate::ids::{AccountId, MatchId};
use crate::player::Player;
use crate::ratings::store;

/// How far back a report looks unless somebody says otherwise, in seconds: ninety days.
pub const LOOKS_BACK_S: u32 = 90 * 86_400;
/// How many changes of ratings a report looks at, the newest: two for each match. It bounds what a report costs.
pub const AT_MOST: u32 = 100_000;
/// How many findings of a kind are given, the gravest.
const FINDINGS: usize = 50;

/// Which matches are looked at.
#[derive(Clone, Copy, Default)]
pub struct Which {
    /// Only those of this pool; none: of all pools of two seats together.
    pub pool: Option<Pool>,
    /// Only those rated since then; none: [`LOOKS_BACK_S`].
    pub since: Option<Time>,
}

/// From where on something is a finding.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, ToSchema)]
#[schema(as = FairPlayThresholds)]
pub struct Thresholds {
    /// `repeated-pair`: so many matches between two players,
    #[schema(minimum = 0, maximum = 1000000, format = Int32)]
    pub pair_matches: u32,
    /// at least this share of all matches of one of them,
    #[schema(minimum = 0, maximum = 1)]
    pub pair_share: f64,
    /// so many times as often as he plays his other opponents on average,
    #[schema(minimum = 0, maximum = 1000)]
    pub pair_times: f64,
    /// and at least this share of them won by one.
    #[schema(minimum = 0, maximum = 1)]
    pub pair_one_sided: f64,
    /// `early-losses`: matches lost by resignation or on time whose log has at most so many entries (the beginning, two deployments, the end, and so many moves),
    #[schema(minimum = 0, maximum = 1000000, format = Int32)]
    pub early_entries: u32,
    /// so many of them,
    #[schema(minimum = 0, maximum = 1000000, format = Int32)]
    pub early_losses: u32,
    /// and at least this share of all that he lost.
    #[schema(minimum = 0, maximum = 1)]
    pub early_share: f64,
    /// `drop` and `climb`: so many points of an established rating from a high to a later low, or from a low to a later high.
    #[schema(minimum = 0, maximum = 10000)]
    pub swing: f64,
    /// `closed-circle`: at most so many players who have played nobody else,
    #[schema(minimum = 0, maximum = 1000000, format = Int32)]
    pub circle_players: u32,
    /// and so many matches among them.
    #[schema(minimum = 0, maximum = 1000000, format = Int32)]
    pub circle_matches: u32,
    /// `losing-streak`: so many matches in a row lost to one opponent,
    #[schema(minimum = 0, maximum = 1000000, format = Int32)]
    pub streak: u32,
    /// which by the ratings of the two had at most this chance to happen.
    #[schema(minimum = 0, maximum = 1)]
    pub streak_chance: f64,
    /// `wins-on-time`: so many wins,
    #[schema(minimum = 0, maximum = 1000000, format = Int32)]
    pub time_wins: u32,
    /// and at least this share of them because the other's time was over.
    #[schema(minimum = 0, maximum = 1)]
    pub time_share: f64,
}

/// The thresholds in use.
pub const THRESHOLDS: Thresholds = Thresholds {
    pair_matches: 10,
    pair_share: 0.5,
    pair_times: 4.0,
    pair_one_sided: 0.9,
    early_entries: 12,
    early_losses: 5,
    early_share: 0.3,
    swing: 200.0,
    circle_players: 4,
    circle_matches: 10,
    streak: 8,
    streak_chance: 0.02,
    time_wins: 8,
    time_share: 0.8,
};

/// One seat of a rated duel, as the ledger and the head of its match have it.
#[derive(Clone, Debug)]
pub struct Played {
    /// The match; of paired games the first.
    pub match_id: MatchId,
    /// The pool.
    pub pool: Pool,
    /// When it was rated.
    pub at: Time,
    /// Whose seat.
    pub account: AccountId,
    /// Who sat at the other one.
    pub opponent: AccountId,
    /// His place.
    pub place: u8,
    /// The other's.
    pub opponents_place: u8,
    /// His rating before.
    pub before: f64,
    /// His rating after.
    pub after: f64,
    /// The other's rating before.
    pub opponents_before: f64,
    /// Whether it was established before.
    pub established: bool,
    /// How it ended; none: paired games that ended in different ways.
    pub ending: Option<String>,
    /// How many entries its log has; of paired games, the longer one.
    pub entries: u32,
}

/// What a finding is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, ToSchema)]
#[schema(as = FairPlayKind)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Two players meet far more often than they meet others, and one of them wins: he stands first.
    RepeatedPair,
    /// A player gives up, or lets his time run out, within few moves. Beside him, who has gained most by it.
    EarlyLosses,
    /// An established rating has fallen far.
    Drop,
    /// An established rating has risen far.
    Climb,
    /// Some players have played each other and nobody else.
    ClosedCircle,
    /// A player has lost to one opponent again and again, against the odds. The opponent stands first.
    LosingStreak,
    /// A player wins because his opponents' time is over, and hardly otherwise.
    WinsOnTime,
}

impl Kind {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::RepeatedPair => "repeated-pair",
            Self::EarlyLosses => "early-losses",
            Self::Drop => "drop",
            Self::Climb => "climb",
            Self::ClosedCircle => "closed-circle",
            Self::LosingStreak => "losing-streak",
            Self::WinsOnTime => "wins-on-time",
        }
    }
}

/// A figure of a finding.
#[derive(Clone, PartialEq, Debug, Serialize, ToSchema)]
#[schema(as = FairPlayFigure)]
pub struct Figure {
    /// What it counts.
    #[schema(max_length = 40, pattern = "^[a-z-]+$")]
    pub name: &'static str,
    /// The count, the share (0 to 1), or the points of a rating.
    #[schema(minimum = 0, maximum = 1000000000)]
    pub value: f64,
}

/// Something that somebody should look at.
#[derive(Clone, PartialEq, Debug, Serialize, ToSchema)]
#[schema(as = FairPlayFinding)]
pub struct Finding {
    /// What it is about.
    pub kind: Kind,
    /// Whom it is about.
    #[schema(max_items = 10)]
    pub players: Vec<Player>,
    /// The pool; null: matches of several pools are counted together.
    #[schema(max_length = 60, pattern = "^[a-z0-9-]+$", required)]
    pub pool: Option<String>,
    /// What was counted.
    #[schema(max_items = 20)]
    pub figures: Vec<Figure>,
    /// Some of the matches, the newest first.
    #[schema(max_items = 5)]
    pub matches: Vec<MatchId>,
}

/// What was found.
#[derive(Clone, PartialEq, Debug, Serialize, ToSchema)]
#[schema(as = FairPlayReport)]
pub struct Report {
    /// The pool that was looked at; null: all pools of two seats together.
    #[schema(max_length = 60, pattern = "^[a-z0-9-]+$", required)]
    pub pool: Option<String>,
    /// Matches that were rated since then were looked at.
    pub since: Time,
    /// And until then.
    pub until: Time,
    /// Whether these are all since the time that was asked for; false: there were too many, and only the newest were looked at.
    pub whole: bool,
    /// How many matches were looked at (paired games count as one).
    #[schema(minimum = 0, maximum = 1000000, format = Int32)]
    pub matches: u32,
    /// Of how many players.
    #[schema(minimum = 0, maximum = 1000000, format = Int32)]
    pub players: u32,
    /// From where on something is a finding.
    pub thresholds: Thresholds,
    /// The findings, kind by kind, the gravest first; at most 50 of a kind.
    #[schema(max_items = 350)]
    pub findings: Vec<Finding>,
}

/// Looks at the rated duels of a time, the newest fifty thousand at most.
pub async fn report(db: &Db, now: Time, which: Which) -> Result<Report> {
    let since = which.since.unwrap_or(now.plus_ms(-i64::from(LOOKS_BACK_S) * 1000));
    let (played, whole) = store::fair_play::played(db, which.pool.as_ref(), since, AT_MOST).await?;
    let since = if whole { since } else { played.first().map_or(since, |first| first.at) };
    // Too long for a task among those that serve others.
    let looked = tokio::task::spawn_blocking(move || look::at(&played, &THRESHOLDS, FINDINGS));
    let looked = looked.await.map_err(Error::internal)?;
    let mut conn = db.conn().await?;
    let named = store::fair_play::players(&mut conn, &looked.accounts()).await?;
    let pool = which.pool.map(|pool| pool.to_string());
    let findings = looked.found.into_iter().map(|found| Finding {
        kind: found.kind,
        players: found.accounts.iter().filter_map(|account| named.get(account).cloned()).collect(),
        pool: found.pool.map(|pool| pool.to_string()).or_else(|| pool.clone()),
        figures: found.figures,
        matches: found.matches,
    });
    let findings = findings.collect();
    let (matches, players) = (looked.matches, looked.players);
    Ok(Report { pool, since, until: now, whole, matches, players, thresholds: THRESHOLDS, findings })
}
