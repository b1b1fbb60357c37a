//! Filters for lists of matches.

use broadside_contests::{Pool, RuleSetHash};
use broadside_rules::Time;

use crate::ids::{AccountId, MatchId};
use crate::matches::Contest;
use crate::string_enums::string_enums;

string_enums! {
    /// The outcome of a match for a player.
    pub enum PlayerResult {
        /// The player, or the player's side, took the first place alone.
        Won,
        /// Somebody else did.
        Lost,
        /// The first place was shared.
        Drawn,
    }
}

/// Only matches of a ladder or a tournament.
#[derive(Clone, Copy, Debug)]
pub struct ContestFilter {
    pub contest: Contest,
    /// For a ladder: only matches that count for this season.
    pub season: Option<u32>,
    /// For a tournament: only matches of this round.
    pub round: Option<u16>,
}

/// A filter for lists of matches.
#[derive(Default)]
pub struct MatchFilter {
    pub player: Option<AccountId>,
    pub variant: Option<String>,
    /// Only matches by this named rule set.
    pub named: Option<RuleSetHash>,
    pub status: Option<String>,
    pub to_act: Option<AccountId>,
    /// Only rated matches, or only unrated ones.
    pub rated: Option<bool>,
    /// Only matches rated in this pool.
    pub pool: Option<Pool>,
    /// Only matches with this result for `player`.
    pub result: Option<PlayerResult>,
    pub contest: Option<ContestFilter>,
    /// Only matches created at this time or later.
    pub from: Option<Time>,
    /// Only matches created before this time.
    pub until: Option<Time>,
    /// The caller, who sees their own matches even if they are closed to spectators.
    pub viewer: Option<AccountId>,
    /// Only matches created before this one.
    pub before: Option<MatchId>,
    /// The maximum number.
    pub limit: i64,
}
