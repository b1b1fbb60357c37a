//! Scheduling of due standing orders.
//!
//! There are two jobs: one for orders near a deadline, and one for all others. So an order near its deadline waits only
//! for equally urgent ones, at most one per owner. Owners take turns everywhere, and all guests of an address are one
//! owner. Time permitting, two orders of one owner are a second apart. An executed order counts as one of its owner's
//! actions per minute.

use std::collections::HashSet;

use futures_util::{StreamExt, stream};

use super::carry_out::{forget_if_out, look};
use super::store::{self, DueList};
use crate::due::in_turns;
use crate::error::{Error, Result};
use crate::ids::MatchId;
use crate::matches::Matches;
use crate::rate_limits::ShareOwner;

/// The number of lists per read.
const AT_MOST: i64 = 10_000;
/// The number of lists handled before the next ones are selected again.
const BATCH: usize = 16;
/// The maximum number of batches per round.
const BATCHES: usize = 50;
/// The number of lists handled concurrently in each lane: few, so that players find free connections.
const AT_ONCE: usize = 4;
/// The number of lists of possibly eliminated seats per round.
const OUTS: i64 = 500;
/// The time before a deadline from which orders have their own lane, in milliseconds.
pub(super) const NEAR_MS: i64 = 10_000;
/// The time for which an owner pauses after an executed order, in milliseconds.
const FLOOR_MS: i64 = 1_000;

/// The lane of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lane {
    NearDeadline,
    Others,
}

/// The lists handled in a round. Each is inspected once, and has one order executed.
#[derive(Default)]
pub struct Seen(HashSet<(MatchId, u8, bool)>);

impl Seen {
    fn key(list: &DueList) -> (MatchId, u8, bool) {
        (list.match_id, list.seat.0, list.is_ready)
    }
}

/// Handles due lists batch by batch. Lists that come near a deadline meanwhile are in the next batch.
pub async fn round(matches: &Matches, lane: Lane) -> Result<()> {
    let mut seen = Seen::default();
    for _ in 0..BATCHES {
        if matches.is_stopping() || !batch(matches, lane, &mut seen).await? {
            break;
        }
    }
    Ok(())
}

/// Handles one batch. False: nothing was due.
pub async fn batch(matches: &Matches, lane: Lane, seen: &mut Seen) -> Result<bool> {
    let now = matches.clock.now();
    let mut conn = matches.db.conn().await?;
    let mut waiting = store::waiting(&mut conn, lane, now, AT_MOST).await?;
    let served = store::served_after(&mut conn, now.plus_ms(-FLOOR_MS)).await?;
    drop(conn);
    waiting.retain(|list| !seen.0.contains(&Seen::key(list)));
    let chosen = chosen(lane, waiting, served);
    seen.0.extend(chosen.iter().map(Seen::key));
    let is_any = !chosen.is_empty();
    let looks = stream::iter(chosen).map(|waiting| async move {
        if let Err(error) = look(matches, lane, &waiting).await {
            log(&error, "a standing order could not be carried out");
        }
    });
    looks.buffer_unordered(AT_ONCE).collect::<()>().await;
    Ok(is_any)
}

/// Selects the next lists. Owners take turns. Near deadlines the most urgent come first; elsewhere an owner has one
/// order executed, and none if recently `served`.
fn chosen(lane: Lane, mut waiting: Vec<DueList>, mut served: HashSet<ShareOwner>) -> Vec<DueList> {
    match lane {
        Lane::NearDeadline => waiting.sort_by_key(|list| list.deadline),
        Lane::Others => waiting.retain(|list| !list.is_ready || served.insert(list.owner)),
    }
    let mut chosen = in_turns(waiting, |list| list.owner);
    chosen.truncate(BATCH);
    chosen
}

/// Deletes the lists of eliminated seats in running matches.
pub async fn forget_outs(matches: &Matches) -> Result<()> {
    let mut conn = matches.db.conn().await?;
    let idle = store::idle(&mut conn, OUTS).await?;
    drop(conn);
    for waiting in idle {
        if let Err(error) = forget_if_out(matches, &waiting).await {
            log(&error, "standing orders of a seat that is out could not be looked for");
        }
    }
    Ok(())
}

fn log(error: &Error, what: &str) {
    tracing::error!(%error, cause = error.cause().map(tracing::field::display), "{what}");
}

#[cfg(test)]
mod tests {
    use broadside_rules::{Seat, Time};
    use uuid::Uuid;

    use super::*;
    use crate::ids::AccountId;

    /// A list of an owner with a deadline in `deadline_s` seconds.
    fn list(owner: u128, number: u128, deadline_s: i64, is_ready: bool) -> DueList {
        DueList {
            match_id: MatchId(Uuid::from_u128(number)),
            seat: Seat(0),
            account: AccountId(Uuid::from_u128(owner)),
            owner: ShareOwner::account(AccountId(Uuid::from_u128(owner))),
            over: false,
            deadline: Some(Time(deadline_s * 1000)),
            is_ready,
        }
    }

    fn numbers(chosen: &[DueList]) -> Vec<u128> {
        chosen.iter().map(|list| list.match_id.0.as_u128()).collect()
    }

    #[test]
    fn one_of_a_thousand_owners_orders_goes_before_another_owners_one() {
        for lane in [Lane::NearDeadline, Lane::Others] {
            let mut waiting: Vec<DueList> = (0..1000).map(|number| list(1, number, 5, false)).collect();
            waiting.push(list(2, 5000, 9, false));
            assert_eq!(numbers(&chosen(lane, waiting, HashSet::new()))[..3], [0, 5000, 1], "{lane:?}");
        }
    }

    #[test]
    fn the_nearest_deadline_comes_first_and_no_owner_rests() {
        let waiting = vec![list(1, 1, 9, true), list(1, 2, 3, true), list(2, 3, 5, true), list(1, 4, 4, false)];
        let served = waiting.iter().map(|list| list.owner).collect();
        assert_eq!(numbers(&chosen(Lane::NearDeadline, waiting, served)), [2, 3, 4, 1]);
    }

    #[test]
    fn elsewhere_an_owner_has_one_order_executed_a_second() {
        let waiting = vec![list(1, 1, 90, true), list(1, 2, 90, true), list(1, 3, 90, false), list(2, 4, 90, true)];
        let served = HashSet::from([list(2, 0, 0, true).owner]);
        assert_eq!(numbers(&chosen(Lane::Others, waiting, served)), [1, 3]);
    }
}
