//! The family's events, results and secrets included, and their bytes. Never serialized for a client: `disclose.rs`
//! decides what each viewer learns.
use alloc::vec::Vec;

use minicbor::{Decode, Encode};

use super::{
    Gunnery,
    action::{Action, ShipPlace},
    fleet::{Placement, lie},
    mines::{Owed, given, labels},
    rules::{Rules, Ship},
    seating::Seating,
    using::{Found, Used},
    weapons::Weapon,
};
use crate::{
    families::family,
    seat::{Seat, SeatSet},
};

pub(crate) use super::next::GIVE_UP;
pub use super::next::{Clues, Next};
pub(crate) use super::packed::Struck;
pub use super::packed::{Cells, Fleet, Moves, Salvo, Shot, Shots};

/// An event of the battle.
#[derive(Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(flat)]
pub enum Event {
    /// A seat placed its fleet.
    #[n(0)]
    Deployed {
        /// The seat of the fleet.
        #[n(0)]
        seat: Seat,
        /// The place of each ship, in the order of the fleet.
        #[n(1)]
        fleet: Fleet,
        /// The cells of its mines, in games with mines.
        #[n(2)]
        mines: Option<Cells>,
    },
    /// A seat fired a salvo, with these results.
    #[n(1)]
    Fired {
        /// The firing seat.
        #[n(0)]
        seat: Seat,
        /// The shots with their true results, in the order announced.
        #[n(1)]
        salvo: Salvo,
        /// The next to act; `None` when the match ends here.
        #[n(2)]
        next: Option<Next>,
        /// The number of the target sea; `None` in a match for two, which has only one.
        #[n(3)]
        target: Option<u8>,
        /// The number in the answer to each shot; empty where the rules give none.
        #[n(8)]
        clues: Clues,
        /// The shooter's debt, to be paid first.
        #[n(7)]
        owed: Option<Owed>,
        /// The seats that are out as a result, where the others play on.
        #[n(4)]
        out: Option<SeatSet>,
        /// The turns of the first seat by the next one, where there is a limit.
        #[n(5)]
        round: Option<u16>,
        /// The weapon used in place of the guns.
        #[n(9)]
        weapon: Option<Used>,
    },
    /// A seat used a weapon that looks, with these findings.
    #[n(10)]
    Scanned {
        /// The seat that used it.
        #[n(0)]
        seat: Seat,
        /// The weapon and its aim.
        #[n(1)]
        weapon: Used,
        /// The findings.
        #[n(2)]
        found: Found,
        /// The number of the sea; `None` in a match for two.
        #[n(3)]
        target: Option<u8>,
        /// The next to act; `None` when the match ends here.
        #[n(4)]
        next: Option<Next>,
        /// The seats that are out because a round has ended.
        #[n(5)]
        out: Option<SeatSet>,
        /// The turns of the first seat by the next one, where there is a limit.
        #[n(6)]
        round: Option<u16>,
    },
    /// The target of a salvo decided on the places of its ships.
    #[n(2)]
    Relocated {
        /// The seat of the ships.
        #[n(0)]
        seat: Seat,
        /// The ships that moved, by number, with their new places.
        #[n(1)]
        moves: Moves,
        /// The next to act.
        #[n(2)]
        next: Option<Next>,
    },
    /// The islands of the match were drawn, before the first deployment.
    #[n(8)]
    IslandsDrawn {
        /// All land, given and drawn.
        #[n(0)]
        land: Cells,
    },
    /// A seat paid for a mine or a minesweeper.
    #[n(9)]
    GaveUp {
        /// The paying seat.
        #[n(0)]
        seat: Seat,
        /// The shots in its own sea.
        #[n(1)]
        shots: Shots,
        /// The mines that it gave away.
        #[n(2)]
        mines: Option<Cells>,
        /// The next to act; `None` when the match ends here.
        #[n(3)]
        next: Option<Next>,
    },
    /// The match has ended: all seas are revealed.
    #[n(3)]
    Revealed {
        /// The seas by number.
        #[n(0)]
        seas: Vec<Revealed>,
    },
    /// Seats have left the match together, and others play on.
    #[n(5)]
    Left {
        /// The seats that left.
        #[n(0)]
        seats: SeatSet,
        /// The other seats that are out as a result.
        #[n(1)]
        out: SeatSet,
        /// The next to act; `None` while fleets are still to be placed.
        #[n(2)]
        next: Option<Next>,
        /// The turns of the first seat by the next one, where there is a limit.
        #[n(3)]
        round: Option<u16>,
    },
}

impl family::Event<Gunnery> for Event {
    fn fits(&self, rules: &Rules, seats: u8) -> bool {
        let seating = Seating::new(rules, seats);
        let known = |seat: &Seat| seat.0 < seats;
        let turn = |next: &Option<Next>| next.is_none_or(|next| known(&next.seat));
        let shots = |shots: &[Shot], sea: usize| {
            let ships = rules.ships_in(seating, sea).count();
            shots.iter().all(|shot| {
                let known = !matches!(shot.struck(), Struck::Ship { ship, .. } if usize::from(ship) >= ships);
                known && shot.cell().0 < rules.board.cells()
            })
        };
        let aimed = |seat: Seat, named: Option<u8>| {
            let target = seating.target(seat, named.map(usize::from));
            target.filter(|sea| seating.seas().any(|other| other == *sea))
        };
        let on_board =
            |cells: &Option<Cells>| cells.is_none_or(|cells| cells.0.iter().all(|cell| cell.0 < rules.board.cells()));
        match self {
            Self::Deployed { seat, fleet, mines } => {
                known(seat) && on_board(mines) && lie(rules, &fleet.0, rules.ships(*seat))
            }
            Self::Fired { seat, salvo, next, target, clues, weapon, .. } => {
                let numbered = clues.count().is_none_or(|count| count == salvo.shots().len());
                let armed = weapon.is_none_or(|weapon| weapon.fits(rules).is_some_and(Weapon::fires));
                let struck = aimed(*seat, *target).is_some_and(|sea| shots(salvo.shots(), sea));
                known(seat) && numbered && armed && turn(next) && struck
            }
            Self::Scanned { seat, weapon, found, target, next, .. } => {
                let looked = weapon.fits(rules).is_some_and(|weapon| found.fits(rules, weapon));
                known(seat) && looked && turn(next) && aimed(*seat, *target).is_some()
            }
            Self::Relocated { seat, moves, next } => {
                let ship = |number: u8| rules.ships(*seat).nth(usize::from(number));
                let lies =
                    |(number, place): &(u8, Placement)| ship(*number).is_some_and(|ship| rules.fits(ship, *place));
                known(seat) && moves.0.iter().all(lies) && turn(next)
            }
            Self::GaveUp { seat, shots: given, mines, next } => {
                known(seat) && shots(&given.0, seating.sea_of(*seat)) && on_board(mines) && turn(next)
            }
            Self::IslandsDrawn { land } => on_board(&Some(*land)),
            Self::Left { seats: left, out, next, .. } => {
                left.iter().chain(out.iter()).all(|seat| known(&seat)) && turn(next) && !left.is_empty()
            }
            Self::Revealed { seas } => seas.iter().enumerate().all(|(sea, revealed)| {
                let never = revealed.first.0.is_empty() && revealed.last.0.is_empty();
                let lie_here = |fleet: &Fleet| lie(rules, &fleet.0, revealed.ships(rules.ships_in(seating, sea)));
                (never || lie_here(&revealed.first) && lie_here(&revealed.last))
                    && shots(&revealed.shots.0, sea)
                    && on_board(&revealed.mines)
            }),
        }
    }

    fn shots(&self) -> Option<(Seat, usize, usize)> {
        let Self::Fired { seat, salvo, .. } = self else { return None };
        let shots = salvo.shots();
        Some((*seat, shots.len(), shots.iter().filter(|shot| shot.hit()).count()))
    }

    fn asked(&self, rules: &Rules, seats: u8) -> Option<(Seat, Action)> {
        let places = |seat: Seat, places: &mut dyn Iterator<Item = (usize, Placement)>| -> Vec<ShipPlace> {
            let place = |(number, place): (usize, Placement)| {
                let ship = rules.ships(seat).nth(number)?;
                let cells = rules.cells(ship, place).map(|cell| rules.board.label(cell));
                Some(ShipPlace { ship: rules.ship_id(ship), cells: cells.collect() })
            };
            places.filter_map(place).collect()
        };
        match self {
            Self::Deployed { seat, fleet, mines } => {
                let ships = places(*seat, &mut fleet.0.iter().copied().enumerate());
                Some((*seat, Action::deploy_mined(ships, labels(rules, mines))))
            }
            Self::GaveUp { seat, shots, mines, .. } => {
                Some((*seat, Action::GiveUp(given(rules, *seat, &shots.0, labels(rules, mines)))))
            }
            Self::Fired { seat, target, weapon: Some(weapon), .. } | Self::Scanned { seat, target, weapon, .. } => {
                let target = target.map(|sea| Seating::new(rules, seats).id(usize::from(sea)));
                Some((*seat, Action::UseWeapon(weapon.action(rules, target)?)))
            }
            Self::Fired { seat, salvo, target, .. } => {
                let cells = salvo.shots().iter().map(|shot| rules.board.label(shot.cell())).collect();
                let seating = Seating::new(rules, seats);
                Some((*seat, Action::fire_at(target.map(|sea| seating.id(usize::from(sea))), cells)))
            }
            Self::Relocated { seat, moves, .. } => {
                let mut moved = moves.0.iter().map(|(ship, place)| (usize::from(*ship), *place));
                Some((*seat, Action::relocate(places(*seat, &mut moved))))
            }
            Self::IslandsDrawn { .. } | Self::Left { .. } | Self::Revealed { .. } => None,
        }
    }

    /// The places of ships, and whether they move, are secret.
    fn is_secret(&self) -> bool {
        matches!(self, Self::Deployed { .. } | Self::Relocated { .. })
    }
}

/// A sea, revealed at the end.
#[derive(Clone, PartialEq, Eq, Encode, Decode)]
pub struct Revealed {
    /// The first places of the ships; empty when the seat never deployed.
    #[n(0)]
    pub(crate) first: Fleet,
    /// The places of the ships at the end.
    #[n(1)]
    pub(crate) last: Fleet,
    /// Every shot at this sea with its true result, in order.
    #[n(2)]
    pub(crate) shots: Shots,
    /// The cells of the laid mines, in games with mines.
    #[n(3)]
    pub(crate) mines: Option<Cells>,
    /// The seats with ships here, in a sea that a team shares.
    #[n(4)]
    pub(crate) placed: Option<SeatSet>,
}

impl Revealed {
    /// The placed ships of the sea, if some may not have been placed.
    pub(crate) fn ships(&self, all: impl Iterator<Item = Ship>) -> impl Iterator<Item = Ship> {
        let placed = self.placed;
        all.filter(move |ship| placed.is_none_or(|seats| seats.contains(ship.seat)))
    }
}
