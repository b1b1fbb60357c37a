//! The public report on seats that leave a match that goes on.
use serde::Serialize;

use super::report::NextTurn;
use crate::{schema::tag, seat::SeatSet, time::Time};

tag!(
    /// Always `withdrawn`.
    WithdrawnTag = "withdrawn"
);

/// Seats have left the match together; their ships leave the sea, and the others play on.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct WithdrawnReport {
    /// Always `withdrawn`.
    #[cfg_attr(feature = "schema", schema(schema_with = WithdrawnTag::shape))]
    pub r#type: WithdrawnTag,
    /// The report's number for this viewer, from 1.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 1_000_000, format = Int32))]
    pub number: u32,
    /// When it happened.
    pub at: Time,
    /// Who has left.
    pub seats: SeatSet,
    /// Who else is out by it: of a team whose last ships these were.
    pub out: SeatSet,
    /// Who acts next; `null` while fleets are still to be placed.
    #[cfg_attr(feature = "schema", schema(required))]
    pub next: Option<NextTurn>,
    /// The number of the next turn of each seat, where the rules limit them; else left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false, minimum = 1, maximum = 500, format = Int32))]
    pub round: Option<u16>,
}
