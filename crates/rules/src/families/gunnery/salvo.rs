//! The number of shots of a salvo, by the rule set and the fleet. It is public; docs/readings.md says what it gives
//! away.
use serde::Serialize;

use super::{
    muster::Muster,
    rules::{MOST_SHOTS, Rules, Ship, choice},
};
use crate::seat::Seat;

/// How many shots a salvo has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Salvo {
    /// Shots of a full salvo, 1 to 26; where they depend on the fleet, the most that there can be.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 26, format = Int32))]
    pub size: u8,
    /// Does it shrink? (Only where `shots` is `fixed`.)
    pub shrinks: Shrinks,
    /// What its shots depend on. It is never less than one.
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub shots: SalvoShots,
    /// Does a hit earn another shot?
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub extra: ExtraShots,
}

choice! {
    /// Does a salvo shrink?
    Shrinks {
        /// Its size is fixed.
        No = "no",
        /// One shot less for each own ship sunk, never less than one.
        PerOwnLoss = "per-own-loss",
    }
}
choice! {
    /// What the shots of a salvo depend on.
    SalvoShots {
        /// On `size` and `shrinks` alone.
        Fixed = "fixed",
        /// One for each own ship afloat.
        PerShip = "per-ship",
        /// For each own ship afloat the `shots` of its class.
        PerClass = "per-class",
        /// One for each cell of own ships afloat, hit or not.
        PerCell = "per-cell",
        /// One for each cell of own ships afloat that has not been hit.
        PerWholeCell = "per-whole-cell",
        /// As many as the longest own ship afloat has cells.
        LongestShip = "longest-ship",
        /// One for each enemy ship afloat.
        PerEnemyShip = "per-enemy-ship",
    }
}
choice! {
    /// Does a hit earn another shot?
    ExtraShots {
        /// No.
        None = "none",
        /// At once: the player fires again, as many shots as hit. The turn passes with the salvo that does not hit.
        AtOnce = "at-once",
        /// The player's next salvo has one shot more for each hit of the last.
        NextSalvo = "next-salvo",
    }
}

/// The remains of a fleet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Strength {
    lost: u16,
    ships: u16,
    /// The shots of their classes.
    shots: u16,
    /// The cells of ships afloat, hit or not.
    cells: u16,
    /// The cells of ships afloat that are not hit.
    whole: u16,
    /// The length of the longest ship afloat.
    longest: u16,
}

impl Strength {
    /// A whole fleet.
    pub(crate) fn full(rules: &Rules, seat: Seat) -> Self {
        let mut strength = Self::default();
        rules.ships(seat).for_each(|ship| strength.add(rules, ship, Wounds::default()));
        strength
    }

    pub(crate) fn add(&mut self, rules: &Rules, ship: Ship, wounds: Wounds) {
        if wounds.sunk {
            self.lost += 1;
            return;
        }
        let length = u16::from(ship.length);
        self.ships += 1;
        self.shots += rules.fleet.get(usize::from(ship.class)).map_or(0, |class| u16::from(class.shots));
        self.cells += length;
        self.whole += length.saturating_sub(wounds.hits.into());
        self.longest = self.longest.max(length);
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Wounds {
    pub hits: u8,
    pub sunk: bool,
}

/// The number of shots of a seat's salvo, between one and the number of free cells. `strength` returns the remains of
/// any seat's fleet; `earned` is the number earned by earlier hits.
pub(crate) fn size(
    rules: &Rules,
    muster: &Muster,
    seat: Seat,
    strength: impl Fn(Seat) -> Strength,
    earned: u8,
    room: u16,
) -> u8 {
    let full = u16::from(rules.full_salvo(seat));
    // Strength is computed only where it matters: in most games a salvo has one size.
    let own = || strength(seat);
    let shots = match (rules.salvo.shots, rules.salvo.shrinks) {
        (SalvoShots::Fixed, Shrinks::No) => full,
        (SalvoShots::Fixed, Shrinks::PerOwnLoss) => full.saturating_sub(own().lost),
        (SalvoShots::PerShip, _) => own().ships,
        (SalvoShots::PerClass, _) => own().shots,
        (SalvoShots::PerCell, _) => own().cells,
        (SalvoShots::PerWholeCell, _) => own().whole,
        (SalvoShots::LongestShip, _) => own().longest,
        (SalvoShots::PerEnemyShip, _) => muster
            .in_order()
            .filter(|other| !muster.seating.allied(seat, *other))
            .map(|enemy| strength(enemy).ships)
            .sum(),
    };
    (shots.clamp(1, full) + u16::from(earned)).min(MOST_SHOTS as u16).min(room) as u8
}

/// The number of shots of the first salvo: all ships are afloat.
pub(crate) fn first(rules: &Rules, muster: &Muster, seat: Seat, room: u16) -> u8 {
    size(rules, muster, seat, |seat| Strength::full(rules, seat), 0, room)
}
