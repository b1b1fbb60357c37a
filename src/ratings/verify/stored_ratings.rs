//! Comparison of stored ratings with their ledgers, including the time on the leaderboard, and that every listed player
//! has a ledger.

use std::collections::{BTreeMap, HashMap};

use broadside_contests::Pool;
use broadside_contests::rating_algorithm::listed_until;
use broadside_rules::Time;

use super::alike;
use crate::ids::AccountId;
use crate::ratings::PlayerRating;

#[derive(Clone, Copy, Debug)]
pub struct StoredRating {
    pub standing: PlayerRating,
    /// The end of the player's listing on the leaderboard.
    pub listed_until: Option<Time>,
    /// True if the player is permanently unlisted.
    pub gone: bool,
    pub deleted: bool,
}

/// The faults in stored ratings, compared with the expected ones.
pub(super) fn judge(
    pool: &Pool,
    due: &BTreeMap<AccountId, PlayerRating>,
    kept: &[StoredRating],
) -> std::result::Result<(), String> {
    let stored: HashMap<AccountId, &StoredRating> = kept.iter().map(|kept| (kept.standing.account, kept)).collect();
    for (account, due) in due {
        let right = stored.get(account).is_some_and(|kept| {
            let is = &kept.standing;
            (is.number, is.matches, is.rated_at) == (due.number, due.matches, due.rated_at)
                && alike(is.rating, due.rating)
        });
        if !right {
            let is = stored.get(account).map(|kept| kept.standing);
            return Err(format!("the standing of {account} in {pool} is {is:?}, and has to be {due:?}"));
        }
    }
    for StoredRating { standing, listed_until: listed, gone, deleted } in kept {
        let account = standing.account;
        let Some(due) = due.get(&account) else {
            return Err(format!("{account} stands in {pool} without a change in the ledger"));
        };
        if gone != deleted {
            return Err(format!(
                "{account} is kept from the leaderboard of {pool}, or isn't, against the state of the account"
            ));
        }
        // Long inactive players are removed from the list, so nothing may be stored there. A second may be lost when
        // two clocks round.
        let until = listed_until(pool, &due.rating, due.rated_at).filter(|_| !gone);
        let close = |(is, due): (&Time, Time)| (is.0 - due.0).abs() <= 1000;
        if listed.is_some() && !listed.as_ref().zip(until).is_some_and(close) {
            return Err(format!(
                "{account} is on the leaderboard of {pool} until {listed:?}, and has to be until {until:?}"
            ));
        }
    }
    Ok(())
}
