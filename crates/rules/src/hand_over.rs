//! A seat changes hands: a substitute goes on with it, and with everything that belongs to it. In the battle nothing
//! changes; a clock that has little left gets a little more, so that nobody sits down to a lost clock.
use alloc::{string::String, vec::Vec};

use minicbor::{Decode, Encode};
use serde::{Deserialize, Serialize};

use crate::{
    battle::Battle,
    event::{Event, TableEvent},
    seat::Seat,
    time::Time,
};

/// What a clock that runs has left at least when its seat is handed over, in seconds: a day, or what the clock gives
/// for a whole turn if that is less.
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
    /// The decision in words.
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

/// Can this be the id of an account?
pub(crate) fn is_account(id: &str) -> bool {
    id.len() == 36 && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'-'))
}

impl Battle {
    /// A seat goes over to another player, as it is: the battle, turns, offers and what was agreed stay. If its clock
    /// runs against a limit and has less left than [`GRACE_S`], it gets the difference. It brings about nothing when
    /// the match is over or the seat is out. No time may be due ([`Battle::expire`]).
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

    /// Milliseconds for which this seat's clock has run in the whole match, rests not counted.
    #[must_use]
    pub fn taken_ms(&self, seat: Seat, at: Time) -> i64 {
        self.table().clocks().taken_ms(seat, at)
    }

    /// What a substitute is to have of a turn at least, in milliseconds: [`GRACE_S`], or a whole turn if that is less.
    /// `None` without a limit.
    #[must_use]
    pub fn grace_ms(&self) -> Option<i64> {
        self.table().grace_ms()
    }
}
