//! The parameters of a gunnery rule set, and their consequences. Presets are in `presets.rs`, reading and bounds in
//! `reading.rs`, the check that a fleet can be placed in `placing.rs`.
#[cfg(feature = "schema")]
use alloc::string::String;
use alloc::vec::Vec;

use serde::Serialize;
use serde_json::Value;

pub use super::class::Class;
pub use super::salvo::{ExtraShots, Salvo, SalvoShots, Shrinks};
use super::{
    Gunnery,
    ends::{TurnLimit, Victory},
    event::{Cells, Event},
    islands::Islands,
    mines::Mines,
    muster::Muster,
    placing::Placing,
    reading,
    seating::{SeaId, Seating},
    shape::Ways,
    sides::{Handicap, Seats, TeamSeas},
    weapons::Weapon,
};
use crate::{
    chance::Draws,
    families::family::{self, Opening},
    families::{First, teams::Teams},
    grid::Board,
    illegal::Fault,
    read::Faults,
    schema::tag,
    seat::{Seat, SeatSet},
    setup::SeatPreferences,
    text::ShipId,
};

tag!(
    /// Always `gunnery`.
    GunneryTag = "gunnery"
);
/// The largest number of ships in a fleet.
pub const MOST_SHIPS: usize = 26;
/// The largest salvo.
pub const MOST_SHOTS: usize = 26;

/// The parameters of a game of the family `gunnery`: two to six seats, each with a sea of its own, or one for each
/// team, that the others shoot at.
/// The presets read the rule sheets 001 (classic), 002 (paper) and 003 (the four games).
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = GunneryRules))]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// Always `gunnery`.
    #[cfg_attr(feature = "schema", schema(schema_with = GunneryTag::shape))]
    pub family: GunneryTag,
    /// The size of each sea and the names of its cells.
    pub board: Board,
    /// The classes of ships: at most 26 ships in all, on at most 40 % of the cells.
    #[cfg_attr(feature = "schema", schema(min_items = 1, max_items = 26))]
    pub fleet: Vec<Class>,
    /// May ships touch?
    pub contact: Contact,
    /// May ships lie along the edge?
    pub border: Border,
    /// Islands, or `null` for open sea. Left out: none.
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub islands: Option<Islands>,
    /// Mines, or `null` for none. Left out: none.
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub mines: Option<Mines>,
    /// Special weapons, of which every seat has all; at most 8. Left out: none.
    #[cfg_attr(feature = "schema", schema(required = false, max_items = 8))]
    pub weapons: Vec<Weapon>,
    /// How many shots a salvo has.
    pub salvo: Salvo,
    /// What the answer to a salvo says.
    pub report: SalvoReporting,
    /// A hit says which class it struck (only with `per-shot`).
    pub names_hit: bool,
    /// A sinking is announced, with the class.
    pub names_sunk: bool,
    /// A sinking is announced, without the class (only where `names_sunk` is false). With neither, a sinking is a hit
    /// like any other.
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub announces_sunk: bool,
    /// A miss next to a ship afloat is announced as sighted (not with a tally).
    pub sighting: Sighting,
    /// What number a miss is answered with (only with `per-shot`).
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub clue: Clue,
    /// Who fires next.
    pub turn: TurnOrder,
    /// May the target move ships?
    pub relocation: Relocation,
    /// How many ships may move at once; `null`: any number.
    #[cfg_attr(feature = "schema", schema(required = false, minimum = 1, maximum = 26, format = Int32))]
    pub relocation_ships: Option<u8>,
    /// How far a ship may move: none of its new cells is farther than this from the nearest of its old ones, counted in
    /// steps to any of the eight neighbours; `null`: anywhere.
    #[cfg_attr(feature = "schema", schema(required = false, minimum = 1, maximum = 25, format = Int32))]
    pub relocation_range: Option<u8>,
    /// May a ship move that has been hit where it lies?
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub relocation_damaged: bool,
    /// A ship with all its cells hit is sunk; otherwise hits are only counted.
    pub sinking: bool,
    /// What wins.
    pub victory: Victory,
    /// Does a round in which somebody has won go on to its end, so that all have had as many turns? Fleets that are
    /// gone by then draw.
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub last_turn: bool,
    /// After so many turns what was scored decides; `null`: never.
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub turn_limit: Option<TurnLimit>,
    /// How many play.
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub seats: Seats,
    /// Into how many teams the seats are divided, in turn: the seats 0, 2 and 4 of six in two teams are one of them.
    /// `null`: each seat plays for itself.
    #[cfg_attr(feature = "schema", schema(required = false, minimum = 2, maximum = 3, format = Int32))]
    pub teams: Option<u8>,
    /// Where the fleets of a team lie.
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub team_seas: TeamSeas,
    /// What is different for single seats: at most one for each.
    #[cfg_attr(feature = "schema", schema(required = false, max_items = 6))]
    pub handicaps: Vec<Handicap>,
    /// Who begins.
    pub first: First,
}

/// Declares a parameter with named values: the enum, its names on the wire and its list for reading.
macro_rules! choice {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $value:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
        #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
        #[serde(rename_all = "kebab-case")]
        pub enum $name { $($(#[$vdoc])* $variant),+ }

        impl $name {
            pub(super) const CHOICES: &[(&'static str, Self)] = &[$(($value, Self::$variant)),+];
        }
    };
}
pub(super) use choice;

choice! {
    /// May ships touch?
    Contact {
        /// Ships may lie side by side.
        Allowed = "allowed",
        /// No two ships share a side; they may meet at corners.
        Corners = "corners",
        /// At least one free cell between ships, diagonally too.
        Forbidden = "forbidden",
    }
}
choice! {
    /// May ships lie along the edge?
    Border {
        /// Anywhere.
        Free = "free",
        /// At most one cell of a ship on the edge of the sea, and none on a corner.
        EndOn = "end-on",
    }
}
choice! {
    /// What number a miss is answered with.
    Clue {
        /// None.
        None = "none",
        /// On how many of the cells that share a side with it a ship lies, sunk or not.
        NeighboursOrthogonal = "neighbours-orthogonal",
        /// On how many of the cells that share a side or a corner with it a ship lies, sunk or not.
        NeighboursAll = "neighbours-all",
        /// How far it is from the nearest ship afloat, in steps to any of the eight neighbours.
        DistanceKing = "distance-king",
        /// How far it is from the nearest ship afloat, in steps over sides.
        DistanceSteps = "distance-steps",
    }
}
choice! {
    /// What the answer to a salvo says.
    SalvoReporting {
        /// An answer for each shot, in order.
        PerShot = "per-shot",
        /// Only how many shots hit.
        Tally = "tally",
        /// Only how many shots hit each class.
        TallyPerShip = "tally-per-ship",
        /// One answer for the whole salvo: the best of what its shots did (sunk, hit, sighted, miss).
        PerSalvo = "per-salvo",
    }
}
choice! {
    /// Which misses are announced as sighted: those beside a ship afloat.
    Sighting {
        /// None.
        No = "no",
        /// Those that share a side with it.
        Orthogonal = "orthogonal",
        /// Those that share a side or a corner with it.
        All = "all",
    }
}
choice! {
    /// Who fires next.
    TurnOrder {
        /// The other player.
        Alternate = "alternate",
        /// The same player as long as their salvo hits.
        WhileHitting = "while-hitting",
        /// The same player as long as their salvo does not hit.
        WhileMissing = "while-missing",
    }
}
choice! {
    /// May the target move ships?
    Relocation {
        /// Never.
        No = "no",
        /// After each salvo against it.
        AfterSalvo = "after-salvo",
        /// After each salvo against it that hit.
        AfterHit = "after-hit",
    }
}
/// The announcement of sinkings, from `names_sunk` and `announces_sunk` together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sinkings {
    /// A hit like any other; or no ship ever sinks.
    Silent,
    /// The sinking.
    Announced,
    /// The sinking and the class.
    Named,
}

/// One ship of a fleet: ships are numbered class by class in the order of the rule set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ship {
    /// The owner.
    pub seat: Seat,
    /// The index of its class in the rule set.
    pub class: u8,
    /// The number within the class in its sea, from 1.
    pub nth: u8,
    /// The number of cells.
    pub length: u8,
}

impl family::Rules<Gunnery> for Rules {
    const CHANGED_BY_FIELD: &'static [&'static str] = &["board", "salvo", "seats"];

    fn read(value: &Value, faults: &mut Faults) -> Option<Self> {
        reading::read(value, faults)
    }

    fn is_playable(&self) -> Result<(), Fault> {
        if Placing::new(self).has_room(&self.coast(&self.given_land())) {
            return Ok(());
        }
        let detail = "No way was found to place this fleet on this board under these rules. \
                      Use fewer ships, a larger board, or allow contact.";
        Err(Fault::new("", "no-legal-deployment", detail))
    }

    fn seats(&self) -> (u8, u8) {
        (self.seats.min, self.seats.max)
    }

    fn is_even(&self) -> bool {
        self.teams.is_none() && self.handicaps.is_empty()
    }

    fn allied(&self, one: Seat, other: Seat) -> bool {
        Teams(self.teams).allied(one, other)
    }

    /// The seats of a team that shares a sea place their fleets one after another.
    fn deploying_first(&self, seats: u8) -> SeatSet {
        Muster::new(Seating::new(self, seats)).deploying()
    }

    /// The name of a seat and its sea: in games for two red begins, otherwise colours go by seat.
    fn seat_name(&self, first: Seat, _names: &[u8], seat: Seat) -> &'static str {
        let red = if self.seats == Seats::TWO { first.0 } else { 0 };
        SeaId::CHOICES.get(usize::from(seat.0 ^ red)).map_or("", |(name, _)| name)
    }

    /// The first seat, drawn where the rules leave it to chance, and then the drawn islands.
    fn opening(&self, seats: u8, _preferences: &SeatPreferences, draws: &mut Draws<'_>) -> Opening<Event> {
        let first = self.first.among(seats, draws);
        let event = self.draw_land(draws).map(|land| Event::IslandsDrawn { land: Cells(land) });
        Opening { first, names: Vec::new(), event }
    }

    fn begun_by(self, first: First) -> Self {
        Self { first, ..self }
    }
}

impl Rules {
    /// The ships of a seat's fleet, in order. In a shared sea the count continues from the ships of its allies.
    pub(crate) fn ships(&self, seat: Seat) -> impl Iterator<Item = Ship> {
        self.fleet.iter().enumerate().flat_map(move |(class, kind)| {
            let before = self.crew(seat).filter(|other| *other < seat);
            let before: u8 = before.map(|other| self.count(other, class)).sum();
            let nth = before + 1..=before + self.count(seat, class);
            nth.map(move |nth| Ship { seat, class: class as u8, nth, length: kind.length })
        })
    }

    /// The ships in a sea, in the order of their numbers in shots.
    pub(crate) fn ships_in(&self, seating: Seating, sea: usize) -> impl Iterator<Item = Ship> {
        self.crew(seating.owner(sea)).flat_map(|seat| self.ships(seat))
    }

    /// The ships of any sea, in order, as if the first seat had them all.
    pub(crate) fn all_ships(&self) -> impl Iterator<Item = Ship> {
        self.fleet.iter().enumerate().flat_map(|(class, kind)| {
            let ship = move |nth| Ship { seat: Seat(0), class: class as u8, nth, length: kind.length };
            (1..=self.most(class)).map(ship)
        })
    }

    /// The ids of the ships of all seats, in order.
    pub(crate) fn all_ship_ids(&self) -> impl Iterator<Item = ShipId> {
        self.all_ships().map(|ship| self.ship_id(ship))
    }

    pub(crate) fn ship_ids(&self, seat: Seat) -> impl Iterator<Item = ShipId> {
        self.ships(seat).map(|ship| self.ship_id(ship))
    }

    /// The id of a ship: its class alone when no sea has more than one of that class, else with its number.
    pub(crate) fn ship_id(&self, ship: Ship) -> ShipId {
        let class = &self.fleet[usize::from(ship.class)];
        if self.most(usize::from(ship.class)) < 2 {
            ShipId::cut(format_args!("{}", class.class))
        } else {
            ShipId::cut(format_args!("{}-{}", class.class, ship.nth))
        }
    }

    /// The possible ways of a ship.
    pub(crate) fn ways(&self, ship: Ship) -> &Ways {
        self.fleet[usize::from(ship.class)].ways()
    }

    pub(crate) fn class_index(&self, id: &str) -> Option<usize> {
        self.fleet.iter().position(|class| class.class.as_str() == id)
    }

    /// The most cells of ships in a sea.
    #[must_use]
    pub fn fleet_cells(&self) -> u16 {
        let cells = |seat| self.ships(seat).map(|ship| u16::from(ship.length)).sum::<u16>();
        let in_sea = |seat| self.crew(seat).map(cells).sum();
        self.all_seats().map(in_sea).max().unwrap_or_default()
    }

    pub(crate) const fn sinkings(&self) -> Sinkings {
        match (self.sinking, self.names_sunk, self.announces_sunk) {
            (true, true, _) => Sinkings::Named,
            (true, false, true) => Sinkings::Announced,
            _ => Sinkings::Silent,
        }
    }

    /// May the target ever move ships?
    #[must_use]
    pub const fn relocates(&self) -> bool {
        !matches!(self.relocation, Relocation::No)
    }

    /// Does each shot have an answer?
    #[must_use]
    pub const fn answers_each_shot(&self) -> bool {
        matches!(self.report, SalvoReporting::PerShot)
    }

    /// Does the target place its ships again after a salvo that hit, or didn't?
    pub(crate) const fn relocates_after(&self, hit: bool) -> bool {
        match self.relocation {
            Relocation::No => false,
            Relocation::AfterSalvo => true,
            Relocation::AfterHit => hit,
        }
    }
}
