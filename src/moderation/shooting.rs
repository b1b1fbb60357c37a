//! Analysis of hits: tests whether a player hits hidden fleets more often than their information allows, on their
//! newest matches, with the sequential test of [`broadside_contests::fair_play::HitTest`].

use broadside_contests::fair_play::HitTest;

use crate::budget_owner;
use crate::error::Result;
use crate::ids::{AccountId, MatchId};
use crate::matches::{Matches, shooting, store};

/// The price of a match, in milliseconds of processor time.
const MATCH_MS: u32 = 40;

/// A match of the player, with the state of the test after it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct JudgedMatch {
    pub id: MatchId,
    /// The test, until the end of this match.
    pub test: HitTest,
}

/// Judges the newest `limit` finished matches in which the account fired, oldest first. Matches under rules without
/// computable chances are left out.
pub async fn of_player(matches: &Matches, account: AccountId, limit: i64) -> Result<Vec<JudgedMatch>> {
    let mut conn = matches.db.conn().await?;
    let mut due = store::results::newest_shot(&mut conn, account, limit).await?;
    drop(conn);
    due.reverse();
    let cost_ms = MATCH_MS.saturating_mul(u32::try_from(due.len()).unwrap_or(u32::MAX));
    budget_owner::charge_more(matches.rate_limits.as_ref(), cost_ms)?;
    let (mut test, mut judged) = (HitTest::default(), Vec::new());
    for (id, seat) in due {
        let Some(salvos) = shooting::of_seat(matches, id, seat, account).await? else { continue };
        test.take_in(&salvos);
        judged.push(JudgedMatch { id, test });
    }
    Ok(judged)
}
