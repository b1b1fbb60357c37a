//! Fair play: patterns in the results of rated duels that look like sandbagging or collusion. Findings have figures and
//! are no verdicts: friends play each other often, a weaker player loses to a stronger one, and people are away for a
//! month.
//!
//! Only results, their order, reasons and the lengths of the logs are examined. Deliberately not here: network
//! addresses, messages, and matches of more than two seats. The quality of a player's hits is a separate test
//! ([`HitTest`]).

mod detect;
mod hits;
#[cfg(test)]
mod tests;

use alloc::collections::BTreeSet;

use broadside_rules::Time;
use serde::Serialize;

pub use detect::detect;
pub use hits::{HitTest, LEAST_CHANCE, SEARCH_SKILL, SKILL, SUSPECT, Salvo};

use crate::Pool;
use crate::words::words;

/// The thresholds above which a pattern is a finding.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = FairPlayThresholds))]
pub struct Thresholds {
    /// `repeated-pair`: at least this many matches between two players,
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 1000000, format = Int32))]
    pub pair_matches: u32,
    /// at least this share of all matches of one of them,
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 1))]
    pub pair_share: f64,
    /// at least this many times as often as that player meets other opponents on average,
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 1000))]
    pub pair_times: f64,
    /// and at least this share of them won by one.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 1))]
    pub pair_one_sided: f64,
    /// `early-losses`: matches lost by resignation or on time whose log has at most this many entries (the beginning,
    /// two deployments, the end, and the moves),
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 1000000, format = Int32))]
    pub early_entries: u32,
    /// at least this many of them,
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 1000000, format = Int32))]
    pub early_losses: u32,
    /// and at least this share of all matches that the player lost.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 1))]
    pub early_share: f64,
    /// `drop` and `climb`: at least this many points of an established rating from a high to a later low, or from a low
    /// to a later high.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 10000))]
    pub swing: f64,
    /// `closed-circle`: at most this many players who have played nobody else,
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 1000000, format = Int32))]
    pub circle_players: u32,
    /// and at least this many matches among them.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 1000000, format = Int32))]
    pub circle_matches: u32,
    /// `losing-streak`: at least this many matches in a row lost to one opponent,
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 1000000, format = Int32))]
    pub streak: u32,
    /// which, by the ratings of the two, had at most this probability.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 1))]
    pub streak_chance: f64,
    /// `wins-on-time`: at least this many wins,
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 1000000, format = Int32))]
    pub time_wins: u32,
    /// and at least this share of them on time.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 1))]
    pub time_share: f64,
    /// `called-off`: at least this many matches that the player called off,
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 1000000, format = Int32))]
    pub called_off: u32,
    /// and at least this share of the matches that the player called off or played to the end.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 1))]
    pub called_off_share: f64,
}

/// Broadside's thresholds.
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
    called_off: 5,
    called_off_share: 0.3,
};

/// One seat of a rated duel. `Id` names players, `Match` names matches.
#[derive(Clone, Debug)]
pub struct Played<Id, Match> {
    /// The match; of paired games the first.
    pub match_id: Match,
    /// The pool.
    pub pool: Pool,
    /// The time of its rating.
    pub at: Time,
    /// The player in this seat.
    pub account: Id,
    /// The player in the other seat.
    pub opponent: Id,
    /// This player's place, from 1.
    pub place: u8,
    /// The opponent's place, from 1.
    pub opponents_place: u8,
    /// This player's rating before.
    pub before: f64,
    /// This player's rating after.
    pub after: f64,
    /// The opponent's rating before.
    pub opponents_before: f64,
    /// Was this player's rating established before?
    pub established: bool,
    /// The reason of the result ([`broadside_rules::outcome::Reason::word`]); `None`: paired games that ended
    /// differently, or a seat that a substitute took over.
    pub ending: Option<String>,
    /// The number of entries of the match's log; of paired games, the longer one.
    pub entries: u32,
}

/// A rated duel that one of its players aborted before the battle.
#[derive(Clone, Copy, Debug)]
pub struct CalledOff<Id, Match> {
    /// The match.
    pub match_id: Match,
    /// The pool.
    pub pool: Pool,
    /// The player who aborted it.
    pub account: Id,
    /// The other player.
    pub opponent: Id,
}

words! {
    /// What a finding is about.
    #[cfg_attr(feature = "schema", schema(as = FairPlayKind))]
    pub enum FindingKind {
        /// Two players meet far more often than they meet others, and one of them wins. The winner is listed first.
        RepeatedPair,
        /// A player resigns, or lets the time run out, within few moves. The opponent who has gained most by it is
        /// listed second.
        EarlyLosses,
        /// An established rating has fallen far.
        Drop,
        /// An established rating has risen far.
        Climb,
        /// Some players have played each other and nobody else.
        ClosedCircle,
        /// A player has lost to one opponent again and again, against the odds. The opponent is listed first.
        LosingStreak,
        /// A player wins on time, and hardly otherwise.
        WinsOnTime,
        /// A player calls many matches off, when it is known who begins.
        CalledOff,
    }
}

/// A figure of a finding.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = FairPlayFigure))]
pub struct Figure {
    /// The name of what was counted, in kebab case.
    #[cfg_attr(feature = "schema", schema(max_length = 40, pattern = "^[a-z-]+$"))]
    pub name: &'static str,
    /// The count, the share (0 to 1), or the points of a rating.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 1000000000))]
    pub value: f64,
}

/// A finding for a moderator.
#[derive(Clone, Debug)]
pub struct Finding<Id, Match> {
    /// The kind.
    pub kind: FindingKind,
    /// The players concerned, in the order that the kind gives.
    pub accounts: Vec<Id>,
    /// The pool of all its matches; `None` for several.
    pub pool: Option<Pool>,
    /// The figures counted.
    pub figures: Vec<Figure>,
    /// Some of the matches, the newest first.
    pub matches: Vec<Match>,
    /// The weight by which findings of a kind are ordered, the greatest first.
    weight: f64,
}

/// The findings of a search.
pub struct Findings<Id, Match> {
    /// The number of examined matches.
    pub matches: u32,
    /// The number of their players.
    pub players: u32,
    /// The findings, by kind, the gravest first.
    pub found: Vec<Finding<Id, Match>>,
}

impl<Id: Copy + Ord, Match> Findings<Id, Match> {
    /// All players in the findings, each once.
    pub fn accounts(&self) -> Vec<Id> {
        let all: BTreeSet<Id> = self.found.iter().flat_map(|found| found.accounts.iter().copied()).collect();
        all.into_iter().collect()
    }
}
