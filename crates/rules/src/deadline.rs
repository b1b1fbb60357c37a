//! A match's deadline from outside: the end of its tournament round. The rule for the outcome is fixed beforehand, and
//! needs public facts alone, which a reader of the record can check: the fleets placed, and each clock's running time.
use minicbor::{Decode, Encode};
use serde::{Deserialize, Serialize};

use crate::{
    seat::{Seat, SeatSet},
    time::Time,
};

/// What becomes of a match that isn't over at its deadline.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Encode, Decode, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
#[cbor(index_only)]
pub enum DeadlineRule {
    /// Those lose whose clocks have run for more than two thirds of the time since the match began. If these are all
    /// who still play, or nobody, it is drawn.
    #[n(0)]
    ByTimeTaken,
    /// It is drawn.
    #[n(1)]
    #[serde(rename = "drawn")]
    Draw,
}

impl DeadlineRule {
    pub(crate) const fn line(self) -> &'static str {
        match self {
            Self::ByTimeTaken => "who has taken more than two thirds of the time loses",
            Self::Draw => "it is drawn",
        }
    }
}

/// The deadline at which a match has ended, and by which rule.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = RecordDeadline))]
#[serde(deny_unknown_fields)]
pub struct Deadline {
    /// When it was.
    pub due_at: Time,
    /// What became of the match.
    pub rule: DeadlineRule,
}

/// The seats that have taken more than two thirds of `whole_ms`; none if all of them have.
pub(crate) fn too_slow(playing: SeatSet, whole_ms: i64, taken_ms: impl Fn(Seat) -> i64) -> SeatSet {
    let slow: SeatSet =
        playing.iter().filter(|seat| taken_ms(*seat).saturating_mul(3) > whole_ms.saturating_mul(2)).collect();
    if slow.len() == playing.len() { SeatSet::NONE } else { slow }
}
