//! The terms of one match, fixed at its creation.
use alloc::sync::Arc;

use crate::{clock::Clock, families::RuleSet, seat::Seat};

/// Each seat's preferred name: an index into [`RuleSet::seat_names`].
pub type SeatPreferences = [Option<u8>; Seat::MOST as usize];

/// The immutable terms of one match. Cheap to clone.
#[derive(Clone, PartialEq, Debug)]
pub struct Setup {
    /// The rule set.
    pub rules: Arc<RuleSet>,
    /// The clock terms.
    pub clock: Clock,
    /// The number of seats.
    pub seats: u8,
    /// The preferred names of the seats, all different.
    pub preferences: SeatPreferences,
    /// May a seat abort the match before the first salvo? Not if the players were paired: a player could
    /// then avoid every game that they do not begin.
    pub may_abort: bool,
}

impl Setup {
    /// The terms of a match with the fewest seats that its rules allow, and no preferences.
    #[must_use]
    pub fn new(rules: RuleSet, clock: Clock) -> Self {
        let seats = rules.seats().0;
        Self { rules: Arc::new(rules), clock, seats, preferences: SeatPreferences::default(), may_abort: true }
    }
}
