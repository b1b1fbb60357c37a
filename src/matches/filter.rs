//! Which matches are searched for.

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

/// Only matches that a ladder or a tournament has opened.
#[derive(Clone, Copy, Debug)]
pub struct ContestFilter {
    /// The ladder or tournament.
    pub contest: Contest,
    /// Of a ladder: only those whose result counts for this season.
    pub season: Option<u32>,
    /// Of a tournament: only those of this round.
    pub round: Option<u16>,
}

/// Which matches to list.
#[derive(Default)]
pub struct MatchFilter {
    /// Only matches of this account.
    pub player: Option<AccountId>,
    /// Only of this variant.
    pub variant: Option<String>,
    /// Only by this named rule set.
    pub named: Option<RuleSetHash>,
    /// Only with this status.
    pub status: Option<String>,
    /// Only where this account must act.
    pub to_act: Option<AccountId>,
    /// Only those that count, or only those that don't count, for the ratings.
    pub rated: Option<bool>,
    /// Only those that count in this pool.
    pub pool: Option<Pool>,
    /// Only those that ended so for `player`.
    pub result: Option<PlayerResult>,
    /// Only those of a ladder or a tournament.
    pub contest: Option<ContestFilter>,
    /// Only those made at this time or later.
    pub from: Option<Time>,
    /// Only those made before this time.
    pub until: Option<Time>,
    /// The caller, who sees their own matches even if they are closed to spectators.
    pub viewer: Option<AccountId>,
    /// Only those made before this one.
    pub before: Option<MatchId>,
    /// How many at most.
    pub limit: i64,
}
