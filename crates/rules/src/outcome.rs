//! The status and the outcome of a match.
use alloc::{vec, vec::Vec};

use minicbor::{Decode, Encode};
use serde::{Deserialize, Serialize};

use crate::seat::Seat;

/// Where a match stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = MatchStatus))]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The seats place their fleets.
    Deploying,
    /// The battle is on.
    Playing,
    /// The battle is interrupted, and the clocks stand still.
    Armistice,
    /// The match has ended with a result.
    Finished,
    /// The match was called off; it counts for nobody.
    Aborted,
}

impl Status {
    /// The name on the wire and in a database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Deploying => "deploying",
            Self::Playing => "playing",
            Self::Armistice => "armistice",
            Self::Finished => "finished",
            Self::Aborted => "aborted",
        }
    }

    /// Is the match over?
    #[must_use]
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Finished | Self::Aborted)
    }
}

/// Why a match ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Encode, Decode, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = MatchEndReason))]
#[serde(rename_all = "kebab-case")]
#[cbor(index_only)]
pub enum Reason {
    /// The enemy fleet was sunk: its ships, its submarines, or the last of all fleets but one.
    #[n(0)]
    Fleet,
    /// The number of hits that the rule set asks for was reached.
    #[n(1)]
    Hits,
    /// A player resigned.
    #[n(2)]
    Resignation,
    /// A player ran out of time.
    #[n(3)]
    Time,
    /// The players agreed on a draw.
    #[n(4)]
    Agreement,
    /// The match was called off before the first salvo.
    #[n(5)]
    Aborted,
    /// The limit of turns or rounds was reached.
    #[n(6)]
    Limit,
    /// Somebody who looks after the matches of the server has ended it.
    #[n(7)]
    Adjudicated,
    /// The number of ships sunk that the rule set asks for was reached.
    #[n(8)]
    Ships,
    /// The number of points that the rule set asks for was reached.
    #[n(9)]
    Points,
    /// It wasn't over at the deadline of its tournament.
    #[n(10)]
    Deadline,
}

impl Reason {
    /// The reason in one word, as on the wire.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Fleet => "fleet",
            Self::Hits => "hits",
            Self::Resignation => "resignation",
            Self::Time => "time",
            Self::Agreement => "agreement",
            Self::Aborted => "aborted",
            Self::Limit => "limit",
            Self::Adjudicated => "adjudicated",
            Self::Ships => "ships",
            Self::Points => "points",
            Self::Deadline => "deadline",
        }
    }
}

/// The place that a seat took: 1 is the best; equals share one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Encode, Decode, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = SeatPlace))]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// The seat.
    #[n(0)]
    pub seat: Seat,
    /// Its place, from 1.
    #[n(1)]
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 7, format = Int32))]
    pub place: u8,
}

/// How a match ended.
#[derive(Clone, PartialEq, Eq, Debug, Encode, Decode, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = MatchOutcome))]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// Why it ended.
    #[n(0)]
    pub reason: Reason,
    /// Who won alone; `null` for a draw, for a match called off, and where allies won together: see the places.
    #[n(1)]
    #[cfg_attr(feature = "schema", schema(required))]
    pub winner: Option<Seat>,
    /// Every seat's place, best first; empty for a match called off.
    #[n(2)]
    #[cfg_attr(feature = "schema", schema(max_items = 7))]
    pub places: Vec<Place>,
}

impl Outcome {
    /// One seat beat the other, in a match for two.
    #[must_use]
    pub fn won_by(winner: Seat, reason: Reason) -> Self {
        let places = vec![Place { seat: winner, place: 1 }, Place { seat: winner.other(), place: 2 }];
        Self { reason, winner: Some(winner), places }
    }

    /// All seats agreed on a draw.
    #[must_use]
    pub fn drawn(seats: u8) -> Self {
        Self {
            reason: Reason::Agreement,
            winner: None,
            places: (0..seats).map(|seat| Place { seat: Seat(seat), place: 1 }).collect(),
        }
    }

    /// The match was aborted.
    #[must_use]
    pub const fn aborted() -> Self {
        Self { reason: Reason::Aborted, winner: None, places: Vec::new() }
    }

    /// The same places, with the first shared by one side only: the winners by `wins` keep it, and the others share the
    /// next.
    #[must_use]
    pub(crate) fn given_to(mut self, wins: impl Fn(Seat) -> bool) -> Self {
        let winners: Vec<Seat> =
            self.places.iter().filter(|place| place.place == 1 && wins(place.seat)).map(|place| place.seat).collect();
        for place in self.places.iter_mut().filter(|place| place.place == 1 && !wins(place.seat)) {
            place.place = winners.len() as u8 + 1;
        }
        self.places.sort_by_key(|place| place.place);
        let winner = if let [only] = winners[..] { Some(only) } else { None };
        Self { winner, ..self }
    }

    /// The place of a seat, if it has one.
    #[must_use]
    pub fn place_of(&self, seat: Seat) -> Option<u8> {
        self.places.iter().find(|place| place.seat == seat).map(|place| place.place)
    }
}
