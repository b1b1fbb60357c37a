//! The parameters of a depths rule set, and their consequences. Presets are in `presets.rs`, reading and bounds in
//! `reading.rs`.
use alloc::vec::Vec;

use serde::Serialize;
use serde_json::Value;

use super::{
    Depths,
    event::Event,
    reading,
    water::{Square, Waters},
};
use crate::{
    chance::Draws,
    families::First,
    families::family::{self, Opening},
    read::Faults,
    schema::tag,
    seat::Seat,
    setup::SeatPreferences,
    text::{ClassId, ShipId},
};

tag!(
    /// Always `depths`.
    DepthsTag = "depths"
);

/// The surface ships of a seat, in order: class, name for people, depth charges of a full load.
pub(crate) const SHIPS: [(&str, &str, u8); 3] =
    [("heavy", "Heavy ship", 4), ("medium", "Medium ship", 3), ("light", "Light ship", 2)];
pub(crate) const SUBMARINES: usize = 3;
/// Squares of one move.
pub(crate) const MOST_STEPS: usize = 3;

/// The parameters of a game of the family `depths`: two seats, each with a sea in which its submarines and its mine lie
/// and on which the enemy's surface ships sail. The presets read rule sheet 000.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = DepthsRules))]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// Always `depths`.
    #[cfg_attr(feature = "schema", schema(schema_with = DepthsTag::shape))]
    pub family: DepthsTag,
    /// Rows of each sea, 5 to 12. A sea has at most 84 squares.
    #[cfg_attr(feature = "schema", schema(required = false, minimum = 5, maximum = 12, format = Int32))]
    pub rows: u8,
    /// Columns of each sea, 5 to 12.
    #[cfg_attr(feature = "schema", schema(required = false, minimum = 5, maximum = 12, format = Int32))]
    pub columns: u8,
    /// How far a depth charge is felt: what is a near miss.
    pub charge: Charge,
    /// The squares from which ships enter and leave port: different squares of the right-hand column. Where a custom
    /// rule set has other rows or columns and says nothing of arrows, they are the four in the middle.
    #[cfg_attr(feature = "schema", schema(min_items = 1, max_items = 12, value_type = Vec<ArrowSquare>))]
    pub arrows: Vec<u8>,
    /// The lines that torpedoes run along.
    pub lines: Lines,
    /// How often a torpedo hits.
    pub torpedo_hits: Odds,
    /// How many torpedoes a turn has.
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub torpedoes: Torpedoes,
    /// How many torpedoes a turn has in which the mine has sunk the ship that moved.
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub after_mine: AfterMine,
    /// What a turn may have in which no ship has moved.
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub without_move: WithoutMove,
    /// How many turns each seat has at most, 50 to 500; then whoever has more pieces afloat wins.
    #[cfg_attr(feature = "schema", schema(minimum = 50, maximum = 500, format = Int32))]
    pub turns: u16,
    /// Who begins, and is red.
    pub first: First,
}

/// The number of a square of the right-hand column.
#[cfg(feature = "schema")]
#[derive(utoipa::ToSchema)]
#[schema(minimum = 5, maximum = 84, format = Int32)]
#[allow(dead_code, reason = "it only describes the contract")]
pub struct ArrowSquare(u8);

/// How often a torpedo hits: so many times out of so many.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = TorpedoOdds))]
#[serde(deny_unknown_fields)]
pub struct Odds {
    /// So many times, 0 to `of`.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 36, format = Int32))]
    pub hits: u8,
    /// Out of so many, 1 to 36.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 36, format = Int32))]
    pub of: u8,
}

/// How far a depth charge is felt: what is a near miss.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = DepthCharge))]
#[serde(rename_all = "kebab-case")]
pub enum Charge {
    /// The four cells that share a side at the same depth, the one above and the one below.
    Cross,
    /// The eight cells around, at the same depth.
    Blast,
}

/// The lines that torpedoes run along.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = TorpedoLines))]
#[serde(rename_all = "kebab-case")]
pub enum Lines {
    /// The rows and the columns.
    Straight,
    /// The rows, the columns and every diagonal of at least two squares.
    StraightAndDiagonal,
}

/// How many torpedoes a turn has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Torpedoes {
    /// One of each submarine on the line, one after the other.
    EachSubmarine,
    /// One.
    One,
}

/// How many torpedoes a turn has in which the mine has sunk the ship that moved.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum AfterMine {
    /// As many as any other turn.
    AsUsual,
    /// One.
    One,
}

/// What a turn may have in which no ship has moved.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum WithoutMove {
    /// A depth charge, then torpedoes.
    ChargeAndTorpedo,
    /// A depth charge, or torpedoes.
    ChargeOrTorpedo,
}

/// The id of a surface ship, which is that of its class, by its number.
pub(crate) fn ship_id(ship: u8) -> ShipId {
    SHIPS.get(usize::from(ship)).map_or(ShipId::cut(format_args!("")), |ship| ShipId::cut(format_args!("{}", ship.0)))
}

pub(crate) fn ship_number(id: &str) -> Option<u8> {
    SHIPS.iter().position(|ship| ship.0 == id).map(|number| number as u8)
}

pub(crate) fn full_load(ship: u8) -> u8 {
    SHIPS.get(usize::from(ship)).map_or(0, |ship| ship.2)
}

pub(crate) fn submarine_id(index: usize) -> ShipId {
    ShipId::cut(format_args!("submarine-{}", index + 1))
}

pub(crate) fn submarine_class() -> ClassId {
    ClassId::cut(format_args!("submarine"))
}

impl family::Rules<Depths> for Rules {
    const CHANGED_BY_FIELD: &'static [&'static str] = &["torpedo_hits"];

    fn read(value: &Value, faults: &mut Faults) -> Option<Self> {
        reading::read(value, faults)
    }

    fn follow(changes: &Value, whole: &mut Value) {
        reading::arrows_follow(changes, whole);
    }

    fn seats(&self) -> (u8, u8) {
        (2, 2)
    }

    /// The name of a seat: red is the one that begins.
    fn seat_name(&self, first: Seat, _names: &[u8], seat: Seat) -> &'static str {
        if first.0 == seat.0 { "red" } else { "yellow" }
    }

    /// The seat that begins, drawn where the rules leave it to chance.
    fn opening(&self, _seats: u8, _preferences: &SeatPreferences, draws: &mut Draws<'_>) -> Opening<Event> {
        Opening { first: self.first.seat(draws), names: Vec::new(), event: None }
    }

    fn begun_by(self, first: First) -> Self {
        Self { first, ..self }
    }
}

impl Rules {
    pub(crate) const fn waters(&self) -> Waters {
        Waters { rows: self.rows, columns: self.columns }
    }

    /// Is this one of the squares from which ships enter and leave port?
    pub(crate) fn is_arrow(&self, square: Square) -> bool {
        !square.is_port() && self.arrows.contains(&(square.0 + 1))
    }

    /// Can a ship go between these places in one step?
    pub(crate) fn is_step(&self, from: Square, to: Square) -> bool {
        self.waters().are_beside(from, to) || from.is_port() && self.is_arrow(to) || to.is_port() && self.is_arrow(from)
    }
}
