//! The classes of ships of a rule set.
use alloc::string::String;
#[cfg(feature = "schema")]
use alloc::vec::Vec;

use serde::{Serialize, Serializer};

use super::shape::{Shape, Ways};
use crate::text::ClassId;

/// A class of ships of the fleet.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = ShipClass))]
#[serde(deny_unknown_fields)]
pub struct Class {
    /// Its id, kebab-case.
    pub class: ClassId,
    /// Its name for people, 1 to 40 printable characters.
    #[cfg_attr(
        feature = "schema",
        schema(min_length = 1, max_length = 40, pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$")
    )]
    pub name: String,
    /// How many cells a ship of this class covers: 1 to 6 in a straight line, and up to 12 with a shape.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 12, format = Int32))]
    pub length: u8,
    /// How many ships of this class a fleet has, 1 to 10.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 10, format = Int32))]
    pub count: u8,
    /// Its shape in rows from the top, `x` for each cell of the ship and `.` elsewhere: 1 to 6 rows of one length,
    /// whose cells hang together by their sides. `null` or left out: a straight line that lies across.
    #[cfg_attr(
        feature = "schema",
        schema(required = false, value_type = Option<Vec<ShapeRow>>, min_items = 1, max_items = 6)
    )]
    pub shape: Form,
    /// May a ship of this class be turned, by quarters? Left out: yes.
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub turning: bool,
    /// May it be mirrored? Left out: no. (To a shape that is its own mirror image it makes no difference.)
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub mirroring: bool,
    /// Is it a minesweeper? Whoever hits one gives a mine of their own away, if there is one left. Left out: no.
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub sweeper: bool,
    /// The points that sinking a ship of this class brings, 1 to 100; `null` or left out: as many as it has cells.
    #[cfg_attr(feature = "schema", schema(required = false, minimum = 1, maximum = 100, format = Int32))]
    pub points: Option<u8>,
    /// How many shots a ship of this class adds to the salvo while it is afloat, where `salvo.shots` is `per-class`.
    #[cfg_attr(feature = "schema", schema(required = false, minimum = 0, maximum = 10, format = Int32))]
    pub shots: u8,
}

/// The shape of a class, or none for a straight line, with the ways that follow from it by turning and mirroring. They
/// are computed once; JSON has the shape alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Form {
    shape: Option<Shape>,
    ways: Ways,
}

impl Serialize for Form {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.shape.serialize(serializer)
    }
}

impl Class {
    /// A class of straight lines that may be turned.
    #[must_use]
    pub fn line(class: ClassId, name: String, length: u8, count: u8) -> Self {
        Self::new(class, name, length, count, None, true, false)
    }

    /// A class of ships of any shape, each worth one shot, and as many points as it has cells; `length` is that number.
    #[must_use]
    pub fn new(
        class: ClassId,
        name: String,
        length: u8,
        count: u8,
        shape: Option<Shape>,
        turning: bool,
        mirroring: bool,
    ) -> Self {
        let ways = Ways::new(length, shape.as_ref(), turning, mirroring);
        let shape = Form { shape, ways };
        Self { class, name, length, count, shape, turning, mirroring, sweeper: false, points: None, shots: 1 }
    }

    /// The possible ways of a ship of this class.
    pub(crate) const fn ways(&self) -> &Ways {
        &self.shape.ways
    }
}

/// A row of the shape of a ship.
#[cfg(feature = "schema")]
#[derive(utoipa::ToSchema)]
#[schema(min_length = 1, max_length = 6, pattern = "^[x.]+$")]
#[allow(dead_code, reason = "it only describes the contract")]
pub struct ShapeRow(String);
