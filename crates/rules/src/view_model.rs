//! The shapes of a view: seats, seas, marks and ships as sent, the same for every family. Nothing is computed here.
use alloc::{string::String, vec::Vec};

use serde::Serialize;

use crate::{
    seat::{Seat, SeatSet},
    text::{ClassId, Label, ShipId},
    time::Time,
};

/// A seat as it is shown.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SeatView {
    /// The seat.
    pub seat: Seat,
    /// Its name: a colour, or a nation.
    #[cfg_attr(feature = "schema", schema(max_length = 16, pattern = "^[a-z-]+$"))]
    pub name: &'static str,
    /// Is it still in the match?
    pub state: SeatState,
    /// Is its fleet placed?
    pub deployed: bool,
    /// Whole seconds left when its clock last started or stopped; `null` without a limit, and for a seat that
    /// waits until it is to place its fleet.
    #[cfg_attr(feature = "schema", schema(required, minimum = 0, maximum = 1_209_600, format = Int32))]
    pub time_left_s: Option<u32>,
    /// The place it took, once the match has ended.
    #[cfg_attr(feature = "schema", schema(required, minimum = 1, maximum = 7, format = Int32))]
    pub place: Option<u8>,
}

/// Is a seat still in the match?
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = SeatStatus))]
#[serde(rename_all = "kebab-case")]
pub enum SeatState {
    /// It plays, or has won or drawn.
    Playing,
    /// It has lost.
    Out,
}

/// An armistice that is on.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = Armistice))]
#[serde(deny_unknown_fields)]
pub struct ArmisticeView {
    /// When it ends, unless everybody agrees to end it before.
    pub until: Time,
    /// Who agrees to end it.
    pub agreed: SeatSet,
}

/// The round that is played: in each, everybody who is still in the match has a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = MatchRound))]
#[serde(deny_unknown_fields)]
pub struct Round {
    /// Its number, from 1; at the end, the number of the last one that was played.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 500, format = Int32))]
    pub number: u16,
    /// How many there are at most: after so many the match is decided by what was reached.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 500, format = Int32))]
    pub max: u16,
}

impl Round {
    /// The number, capped at `max`.
    pub(crate) fn of(number: u16, max: u16) -> Self {
        Self { number: number.clamp(1, max.max(1)), max }
    }
}

/// A sea as the viewer knows it.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SeaView {
    /// Its id, as in the board's card.
    #[cfg_attr(feature = "schema", schema(max_length = 16, pattern = "^[a-z-]+$"))]
    pub id: &'static str,
    /// Whose sea; `null` for one that all share.
    #[cfg_attr(feature = "schema", schema(required))]
    pub owner: Option<Seat>,
    /// All whose sea it is, where a team shares it (`owner` is then the first of them); else left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub owners: Option<SeatSet>,
    /// How many shots have hit here, as far as the viewer was told.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 676, format = Int32))]
    pub hits: u16,
    /// How many ships are sunk here at least, where the viewer is told of sinkings but not of the classes; else left
    /// out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false, minimum = 0, maximum = 30, format = Int32))]
    pub sunk: Option<u16>,
    /// What the viewer knows cell by cell.
    #[cfg_attr(feature = "schema", schema(max_items = 1000))]
    pub marks: Vec<MarkView>,
    /// The ships of the fleet, with what the viewer knows of each.
    #[cfg_attr(feature = "schema", schema(max_items = 182))]
    pub ships: Vec<ShipView>,
    /// What those whose ships lie here have left of things that are used up; left out where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(required = false, max_items = 48))]
    pub supplies: Vec<SupplyView>,
}

/// What a seat has left of something that is used up.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = Supply))]
#[serde(deny_unknown_fields)]
pub struct SupplyView {
    /// Whose it is.
    pub seat: Seat,
    /// Its id, as actions name it.
    #[cfg_attr(
        feature = "schema",
        schema(value_type = String, min_length = 1, max_length = 24, pattern = "^[a-z0-9]+(-[a-z0-9]+)*$")
    )]
    pub id: ClassId,
    /// Its name for people.
    #[cfg_attr(
        feature = "schema",
        schema(min_length = 1, max_length = 40, pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$")
    )]
    pub name: String,
    /// How many are left.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 1000, format = Int32))]
    pub remaining: u16,
    /// How many there were.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 1000, format = Int32))]
    pub max: u16,
    /// How often the seat has to do something else before it can use the next.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 1000, format = Int32))]
    pub wait: u16,
}

/// What the viewer knows of a cell.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct MarkView {
    /// The cell.
    pub cell: Label,
    /// What is known.
    pub kind: MarkKind,
    /// The class of the ship struck, where the viewer was told; else left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub class: Option<ClassId>,
    /// The number that the viewer was told here; else left out. As the rules have it, it is how many ships, or cells
    /// with ships, are near, or how far the nearest ship is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false, minimum = 0, maximum = 50, format = Int32))]
    pub count: Option<u8>,
}

/// What can be known of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MarkKind {
    /// Shot at: nothing there.
    Miss,
    /// Shot at: nothing there, but a ship afloat was near; or, where ships move, found taken by a move of the viewer's
    /// own.
    Sighted,
    /// Shot at: a ship was struck.
    Hit,
    /// Shot at: part of a ship that is sunk.
    Sunk,
    /// Shot at: what it did, only a tally has told.
    Tried,
    /// Not shot at, and certainly empty, as far as reports can tell.
    Excluded,
    /// Not shot at; one of several cells of which at least one holds a ship.
    Near,
    /// A mine lay here and has exploded; or, in the viewer's own sea, it still lies here.
    Mine,
    /// Not shot at; a ship was seen here.
    Seen,
    /// Not shot at; something was aimed here that looks, and `count` is the number that it told.
    Aimed,
}

/// A ship with what the viewer knows of it.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ShipView {
    /// Its id. (Of a class of several, ships that the viewer does not see are counted off as sunk in the order of
    /// their numbers; in a sea that a team shares only when all of the class are.)
    pub id: ShipId,
    /// Whose ship.
    pub seat: Seat,
    /// Its class.
    pub class: ClassId,
    /// Its name for people.
    #[cfg_attr(
        feature = "schema",
        schema(min_length = 1, max_length = 40, pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$")
    )]
    pub name: String,
    /// How many cells it covers.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 12, format = Int32))]
    pub length: u8,
    /// Where it lies; `null` when the viewer does not see it.
    #[cfg_attr(feature = "schema", schema(required, max_items = 12))]
    pub cells: Option<Vec<Label>>,
    /// How many hits on it are known; `null` when the viewer is not told.
    #[cfg_attr(feature = "schema", schema(required, minimum = 0, maximum = 676, format = Int32))]
    pub hits: Option<u16>,
    /// Is it afloat? `null` when the viewer is not told.
    #[cfg_attr(feature = "schema", schema(required))]
    pub afloat: Option<bool>,
    /// Its figures, as far as the viewer knows them: armour left, charges left, and so on. Empty where ships have none.
    #[cfg_attr(feature = "schema", schema(max_items = 8))]
    pub stats: Vec<Stat>,
    /// What else is known of it.
    #[cfg_attr(feature = "schema", schema(max_items = 4))]
    pub traits: Vec<Trait>,
}

/// A figure of a ship or of a class.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Stat {
    /// What it says.
    pub name: StatName,
    /// The figure; `null` when the viewer is not told.
    #[cfg_attr(feature = "schema", schema(required, minimum = 0, maximum = 1000, format = Int32))]
    pub value: Option<u16>,
    /// The highest that it can be.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 1000, format = Int32))]
    pub max: u16,
}

/// The figures that ships have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum StatName {
    /// Shots a turn.
    Attack,
    /// Points of damage that it still takes to sink it.
    Armour,
    /// Points of movement a turn.
    Speed,
    /// The nearest distance it fires at.
    MinRange,
    /// The farthest distance it fires at.
    MaxRange,
    /// Depth charges left.
    Charges,
}

/// What else can be known of a ship.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = ShipTrait))]
#[serde(rename_all = "kebab-case")]
pub enum Trait {
    /// It has opened fire, and everybody knows.
    Detected,
    /// It lies in port.
    InPort,
}
