//! Handing over a seat to a substitute, with everything that belongs to it. The battle doesn't change; a clock with
//! little left gets a little more, so that no substitute takes over a lost clock.
use alloc::{string::String, vec::Vec};

use minicbor::{Decode, Encode};
use serde::{Deserialize, Serialize};

use crate::{
    battle::Battle,
    event::{Event, TableEvent},
    seat::Seat,
    time::Time,
};

/// The least time on a running clock when its seat is handed over, in seconds: a day, or the time for a whole turn if
/// that is less.
pub const GRACE_S: u32 = 86_400;

/// By whose decision a seat is handed over. The substitute agrees in each case.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Encode, Decode, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
#[cbor(index_only)]
pub enum HandOverDecision {
    /// Whoever had the seat gave it away, and the others agreed.
    #[n(0)]
    Agreement,
    /// Somebody who runs the ladder or the tournament decided it.
    #[n(1)]
    Organizer,
    /// Somebody who looks after the matches of the server decided it.
    #[n(2)]
    Moderator,
}

impl HandOverDecision {
    pub(crate) const fn line(self) -> &'static str {
        match self {
            Self::Agreement => "as the players agreed",
            Self::Organizer => "as an organizer decided",
            Self::Moderator => "as a moderator decided",
        }
    }
}

/// Who takes over a seat, and by whose decision.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = RecordHandOver))]
#[serde(deny_unknown_fields)]
pub struct HandOver {
    /// The seat.
    pub seat: Seat,
    /// The account of the player who has it from now on.
    #[cfg_attr(feature = "schema", schema(max_length = 36, pattern = "^[0-9a-f-]{36}$"))]
    pub player: String,
    /// Does a program play?
    pub bot: bool,
    /// By whose decision.
    pub by: HandOverDecision,
}

pub(crate) fn is_account(id: &str) -> bool {
    id.len() == 36 && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'-'))
}

impl Battle {
    /// Hands over a seat as it is: the battle, turns, offers and agreements stay. A clock that runs against a limit
    /// with less than [`GRACE_S`] left gets the difference. No events when the match is over or the seat is out. No
    /// time may be due ([`Battle::expire`]).
    #[must_use]
    pub fn hand_over(&self, to: &HandOver, at: Time) -> Vec<Event> {
        let table = self.table();
        let plays = table.opened_at.is_some() && !self.status().is_over() && table.playing().contains(to.seat);
        if !plays || !is_account(&to.player) {
            return Vec::new();
        }
        let HandOver { seat, player, bot, by } = to.clone();
        let mut events = Vec::from([TableEvent::SeatHandedOver { seat, player, bot, by }.into()]);
        if let Some(seconds) = table.grace_s(seat, at) {
            events.extend(self.add_time(seat, seconds, at));
        }
        events
    }

    /// The milliseconds that this seat's clock has run in the whole match, without rests.
    #[must_use]
    pub fn taken_ms(&self, seat: Seat, at: Time) -> i64 {
        self.table().clocks().taken_ms(seat, at)
    }

    /// A substitute's least time for a turn, in milliseconds: [`GRACE_S`], or a whole turn if that is less. `None`
    /// without a limit.
    #[must_use]
    pub fn grace_ms(&self) -> Option<i64> {
        self.table().grace_ms()
    }
}
