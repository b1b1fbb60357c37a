//! The terms of one match, fixed when it is made.
use alloc::sync::Arc;

use crate::{clock::Clock, families::RuleSet, seat::Seat};

/// What each seat preferences to be called: a number into [`RuleSet::seat_names`].
pub type SeatPreferences = [Option<u8>; Seat::MOST as usize];

/// The immutable terms of one match. Cheap to clone.
#[derive(Clone, PartialEq, Debug)]
pub struct Setup {
    /// The rules it is played by.
    pub rules: Arc<RuleSet>,
    /// The terms of time.
    pub clock: Clock,
    /// How many seats it has.
    pub seats: u8,
    /// What the seats wish to be called; no two the same.
    pub preferences: SeatPreferences,
    /// Whether a seat may call the match off before the first salvo. Not where somebody else has brought the players
    /// together: whoever doesn't like to be the second could then choose which games to play.
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
