//! The price of folding a log, charged to the caller if the match isn't in memory. It is folded only if the caller can
//! pay.

use super::StoredMatch;
use crate::budget_owner;
use crate::context::Context;
use crate::error::Result;

/// Entries folded for one viewer per millisecond: 1,407 entries of seven seats take 20 to 30 ms.
const ENTRIES_A_MS: usize = 400;

/// Charges the fold of the first `length` entries to the current request's caller. `too-many-requests` when the budget
/// is exceeded.
pub(super) fn charge(ctx: &Context, stored: &StoredMatch, length: usize) -> Result<()> {
    let ms = price_ms(stored.entries.len().min(length), stored.players.len());
    budget_owner::charge_more(ctx.rate_limits.as_ref(), ms)
}

/// The price in milliseconds of processor time, without the first one, which every request has paid.
fn price_ms(entries: usize, seats: usize) -> u32 {
    // The spectator's view is folded as well.
    u32::try_from(entries.saturating_mul(seats + 1) / ENTRIES_A_MS).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_usual_match_costs_nothing_more_and_a_long_one_does() {
        assert_eq!((price_ms(0, 2), price_ms(120, 2), price_ms(1407, 7)), (0, 0, 28));
        assert_eq!(price_ms(usize::MAX, 7), u32::MAX);
    }
}
