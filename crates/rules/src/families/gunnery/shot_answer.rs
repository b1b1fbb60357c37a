//! Wire structs of the answers to shots.
use serde::Serialize;

use crate::text::{ClassId, Label};

/// One shot, and what the viewer is told of it.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ShotAnswer {
    /// The cell shot at.
    pub cell: Label,
    /// The answer; `null` when the viewer is told only of the whole salvo.
    #[cfg_attr(feature = "schema", schema(required))]
    pub answer: Option<Answer>,
    /// The class of the ship struck, where the viewer is told; else `null`.
    #[cfg_attr(feature = "schema", schema(required))]
    pub class: Option<ClassId>,
    /// The number that a miss is answered with, as `clue` of the rules has it; else left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false, minimum = 0, maximum = 50, format = Int32))]
    pub clue: Option<u8>,
}

/// The answer to a shot; the later of two is the better.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// Nothing there.
    Miss,
    /// Nothing there, but a ship afloat is near.
    Sighted,
    /// A mine.
    Mine,
    /// A ship is struck.
    Hit,
    /// A ship is struck in its last cell.
    Sunk,
}

/// How many shots hit ships of a class.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ClassHits {
    /// The class.
    pub class: ClassId,
    /// How many shots of the salvo hit it.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 26, format = Int32))]
    pub hits: u8,
}

/// How many ships of a class were sunk.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ClassSunk {
    /// The class.
    pub class: ClassId,
    /// How many ships of it the salvo sank.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 26, format = Int32))]
    pub sunk: u8,
}
