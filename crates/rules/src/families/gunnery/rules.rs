//! The parameters of a gunnery rule set, and what follows from them. Presets are in `presets.rs`, reading and bounds in
//! `reading.rs`; whether a fleet can be placed at all is asked of `fleet.rs`.
#[cfg(feature = "schema")]
use alloc::string::String;
use alloc::vec::Vec;

use serde::Serialize;
use serde_json::Value;

pub use super::class::Class;
use super::{
    Gunnery,
    event::{Cells, Event},
    fleet,
    islands::Islands,
    mines::Mines,
    reading,
    seating::Seating,
    shape::Ways,
};
use crate::{
    chance::Draws,
    families::First,
    families::family::{self, Opening},
    grid::Board,
    illegal::Fault,
    read::Faults,
    schema::tag,
    seat::Seat,
    setup::SeatPreferences,
    text::ShipId,
};

tag!(
    /// Always `gunnery`.
    GunneryTag = "gunnery"
);
tag!(
    /// Always `fleet`.
    FleetTag = "fleet"
);
tag!(
    /// Always `hits`.
    HitsTag = "hits"
);

/// The largest number of ships in a fleet.
pub const MOST_SHIPS: usize = 26;
/// The largest salvo.
pub const MOST_SHOTS: usize = 10;

/// The parameters of a game of the family `gunnery`: two seats, each with a sea of its own that the other shoots at.
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
    /// How many shots a salvo has.
    pub salvo: Salvo,
    /// What the answer to a salvo says.
    pub report: Reporting,
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
    /// Who fires next.
    pub turn: Turn,
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
    /// Who begins.
    pub first: First,
}

/// How many shots a salvo has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Salvo {
    /// Shots of a full salvo, 1 to 10.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 10, format = Int32))]
    pub size: u8,
    /// Does it shrink?
    pub shrinks: Shrinks,
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
    /// Does a salvo shrink?
    Shrinks {
        /// Its size is fixed.
        No = "no",
        /// One shot less for each own ship sunk, never less than one.
        PerOwnLoss = "per-own-loss",
    }
}
choice! {
    /// What the answer to a salvo says.
    Reporting {
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
    Turn {
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
/// How a sinking is told: the word that `names_sunk` and `announces_sunk` say together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sinkings {
    /// As a hit like any other; or no ship ever sinks.
    Silent,
    /// That a ship is sunk.
    Announced,
    /// That a ship is sunk, and its class.
    Named,
}

/// Victory by sinking the enemy fleet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct FleetVictory {
    /// Always `fleet`.
    #[cfg_attr(feature = "schema", schema(schema_with = FleetTag::shape))]
    pub kind: FleetTag,
}

/// Victory by a number of hits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct HitsVictory {
    /// Always `hits`.
    #[cfg_attr(feature = "schema", schema(schema_with = HitsTag::shape))]
    pub kind: HitsTag,
    /// How many hits, at most the cells of the fleet.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 270, format = Int32))]
    pub hits: u16,
}

/// What wins: the union of two objects told apart by `kind`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(untagged)]
pub enum Victory {
    /// Every enemy ship sunk.
    Fleet(FleetVictory),
    /// A number of hits.
    Hits(HitsVictory),
}

impl Victory {
    /// Every enemy ship sunk.
    pub const FLEET: Self = Self::Fleet(FleetVictory { kind: FleetTag::Value });

    /// A number of hits.
    #[must_use]
    pub const fn hits(hits: u16) -> Self {
        Self::Hits(HitsVictory { kind: HitsTag::Value, hits })
    }
}

/// One ship of a fleet: ships are numbered class by class in the order of the rule set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ship {
    /// Whose ship.
    pub seat: Seat,
    /// The index of its class in the rule set.
    pub class: u8,
    /// Its number within the class, from 1.
    pub nth: u8,
    /// How many cells it covers.
    pub length: u8,
}

impl family::Rules<Gunnery> for Rules {
    const CHANGED_BY_FIELD: &'static [&'static str] = &["board", "salvo"];

    fn read(value: &Value, faults: &mut Faults) -> Option<Self> {
        reading::read(value, faults)
    }

    fn is_playable(&self) -> Result<(), Fault> {
        if fleet::is_placeable(self, Seat(0), &self.coast(&self.given_land())) {
            return Ok(());
        }
        let detail = "No way was found to place this fleet on this board under these rules. \
                      Use fewer ships, a larger board, or allow contact.";
        Err(Fault::new("", "no-legal-deployment", detail))
    }

    fn seats(&self) -> (u8, u8) {
        (2, 2)
    }

    /// The name of a seat: red is the one that begins.
    fn seat_name(&self, first: Seat, _names: &[u8], seat: Seat) -> &'static str {
        if first.0 == seat.0 { "red" } else { "blue" }
    }

    /// Who begins, drawn where the rules leave it to chance, and then the islands, where they have some drawn.
    fn opening(&self, _seats: u8, _preferences: &SeatPreferences, draws: &mut Draws<'_>) -> Opening<Event> {
        let first = self.first.seat(draws);
        let event = self.draw_land(draws).map(|land| Event::IslandsDrawn { land: Cells(land) });
        Opening { first, names: Vec::new(), event }
    }

    fn begun_by(self, first: First) -> Self {
        Self { first, ..self }
    }
}

impl Rules {
    /// The ships of a seat's fleet, in order.
    pub(crate) fn ships(&self, seat: Seat) -> impl Iterator<Item = Ship> {
        self.fleet.iter().enumerate().flat_map(move |(class, kind)| {
            (1..=kind.count).map(move |nth| Ship { seat, class: class as u8, nth, length: kind.length })
        })
    }

    /// The ships that lie in a sea, in order: shots number them so.
    pub(crate) fn ships_in(&self, seating: Seating, sea: usize) -> impl Iterator<Item = Ship> {
        self.ships(seating.owner(sea))
    }

    /// The ids that ships of any seat can have, in order.
    pub(crate) fn all_ship_ids(&self) -> impl Iterator<Item = ShipId> {
        self.ship_ids(Seat(0))
    }

    /// The ids of all ships of a seat's fleet, in order.
    pub(crate) fn ship_ids(&self, seat: Seat) -> impl Iterator<Item = ShipId> {
        self.ships(seat).map(|ship| self.ship_id(ship))
    }

    /// The id of a ship: its class alone when the fleet has one of that class, else with its number.
    pub(crate) fn ship_id(&self, ship: Ship) -> ShipId {
        let class = &self.fleet[usize::from(ship.class)];
        if class.count == 1 {
            ShipId::cut(format_args!("{}", class.class))
        } else {
            ShipId::cut(format_args!("{}-{}", class.class, ship.nth))
        }
    }

    /// The ways in which a ship may lie.
    pub(crate) fn ways(&self, ship: Ship) -> &Ways {
        self.fleet[usize::from(ship.class)].ways()
    }

    /// The index of the class of this id.
    pub(crate) fn class_index(&self, id: &str) -> Option<usize> {
        self.fleet.iter().position(|class| class.class.as_str() == id)
    }

    /// How many cells a fleet covers.
    #[must_use]
    pub fn fleet_cells(&self) -> u16 {
        self.fleet.iter().map(|class| u16::from(class.count) * u16::from(class.length)).sum()
    }

    /// How sinkings are told.
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

    /// Is there an answer for each shot?
    #[must_use]
    pub const fn answers_each_shot(&self) -> bool {
        matches!(self.report, Reporting::PerShot)
    }

    /// Does the target decide where its ships lie after a salvo, which hit or did not?
    pub(crate) const fn relocates_after(&self, hit: bool) -> bool {
        match self.relocation {
            Relocation::No => false,
            Relocation::AfterSalvo => true,
            Relocation::AfterHit => hit,
        }
    }
}
