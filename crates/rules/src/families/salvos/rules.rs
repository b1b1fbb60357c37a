//! The parameters of a rule set of the family, and their consequences before the first deployment: the seats, their
//! nations, and the first seat. The ships are in `roster.rs`.
use alloc::vec::Vec;

use serde::Serialize;
use serde_json::Value;

use super::{
    Salvos,
    event::Event,
    fleets::Fleets,
    reading,
    roster::{self, NAMES, SHIPS, Ship},
    sea::Layout,
};
use crate::{
    chance::Draws,
    families::{
        family::{self, Opening},
        teams::Teams,
    },
    read::Faults,
    schema::tag,
    seat::Seat,
    setup::SeatPreferences,
};

#[cfg(feature = "schema")]
use super::fleets::OwnFleet;

tag!(
    /// Always `salvos`.
    SalvosTag = "salvos"
);

pub(crate) const MOST_ROUNDS: u32 = 200;

/// The parameters of a game of the family `salvos` (sheet 004): 2 to 7 fleets on one sea that move, fire in a range,
/// and are sunk by points of damage.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = SalvosRules))]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// Always `salvos`.
    #[cfg_attr(feature = "schema", schema(schema_with = SalvosTag::shape))]
    pub family: SalvosTag,
    /// The edition of the roster: which ships there are, and what they can do. There is only the first; an edition
    /// never changes.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 1, format = Int32))]
    pub roster: u16,
    /// Fleets of the rule set's own: 2 to 7 nations with at most 62 ships together, each with three deployment cells a
    /// ship at least. `null` for those of the roster.
    #[cfg_attr(feature = "schema", schema(required = false, value_type = Option<Vec<OwnFleet>>, max_items = 7))]
    pub fleets: Option<Fleets>,
    /// Rows of the sea for each seat, 3 to 8; with the columns at most 96 cells.
    #[cfg_attr(feature = "schema", schema(required = false, minimum = 3, maximum = 8, format = Int32))]
    pub rows_per_seat: u8,
    /// Columns of the sea, 5 to 20.
    #[cfg_attr(feature = "schema", schema(required = false, minimum = 5, maximum = 20, format = Int32))]
    pub columns: u8,
    /// Which cells each seat may deploy on.
    pub deployment: Deployment,
    /// What is posted of a move.
    pub moves_posted: MovesPosted,
    /// How many teams there are, 2 or 3: seat *i* is in team *i* mod that number. `null` where everybody plays alone.
    /// Allies see what allies see, and share a place.
    #[cfg_attr(feature = "schema", schema(required = false, minimum = 2, maximum = 3, format = Int32))]
    pub teams: Option<u8>,
    /// After so many rounds (the opening shots are the first) the fleets afloat are ranked.
    #[cfg_attr(feature = "schema", schema(minimum = 10, maximum = 200, format = Int32))]
    pub rounds: u16,
}

/// Which cells each seat may deploy on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = DeploymentCells))]
#[serde(rename_all = "kebab-case")]
pub enum Deployment {
    /// An equal share of every part of the sea.
    Interleaved,
    /// Rows of their own for each, drawn by lot.
    Bands,
    /// Every cell of the sea. Ships that meet there are parted when all fleets are placed.
    Free,
}

/// What is posted of a move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MovesPosted {
    /// The ship and the steps it made.
    Steps,
    /// The ship alone.
    Ship,
    /// Nothing.
    Nothing,
}

impl family::Rules<Salvos> for Rules {
    fn read(value: &Value, faults: &mut Faults) -> Option<Self> {
        reading::read(value, faults)
    }

    /// At most the number of fleets, and at least one seat per team.
    fn seats(&self) -> (u8, u8) {
        (self.teams.unwrap_or(2).max(2), Seat::MOST.min(self.names().len() as u8))
    }

    fn is_even(&self) -> bool {
        self.teams.is_none()
    }

    fn allied(&self, one: Seat, other: Seat) -> bool {
        self.teams().allied(one, other)
    }

    fn seat_names(&self) -> &'static [&'static str] {
        self.names()
    }

    fn seat_name(&self, _first: Seat, names: &[u8], seat: Seat) -> &'static str {
        let nation = names.get(seat.index()).copied().unwrap_or_default();
        self.names().get(usize::from(nation)).copied().unwrap_or_default()
    }

    /// Each seat's nation: its preference, or one drawn from those that nobody prefers. The first in order begins. For
    /// deployment by bands, these are drawn too.
    fn opening(&self, seats: u8, preferences: &SeatPreferences, draws: &mut Draws<'_>) -> Opening<Event> {
        let wished = |nation: u8| preferences.iter().take(usize::from(seats)).any(|wish| *wish == Some(nation));
        let nations = self.names().len();
        let mut left: Vec<u8> = (0..nations as u8).filter(|nation| !wished(*nation)).collect();
        let mut names: Vec<u8> = Vec::with_capacity(usize::from(seats));
        for seat in 0..usize::from(seats) {
            // An invalid preference, or one that an earlier seat has, is ignored.
            let wish = preferences.get(seat).copied().flatten();
            let granted = wish.filter(|nation| usize::from(*nation) < nations && !names.contains(nation));
            names.push(match granted {
                Some(nation) => nation,
                None if left.is_empty() => 0,
                None => left.remove(draws.below(left.len() as u32) as usize),
            });
        }
        let first = (0..seats).min_by_key(|seat| names[usize::from(*seat)]).map_or(Seat(0), Seat);
        let event = (self.deployment == Deployment::Bands).then(|| {
            let mut bands: Vec<u8> = (0..seats).collect();
            draws.shuffle(&mut bands);
            Event::BandsDrawn { bands }
        });
        Opening { first, names, event }
    }
}

impl Rules {
    /// Every ship by its number: nation by nation, in the order of play.
    pub(crate) fn ships(&self) -> &[Ship] {
        self.fleets.as_ref().map_or(&SHIPS, Fleets::ships)
    }

    pub(crate) fn number_of(&self, id: &str) -> Option<usize> {
        roster::number_of(self.ships(), id)
    }

    /// The names of the nations, in the order of play.
    pub(crate) fn names(&self) -> &'static [&'static str] {
        self.fleets.as_ref().map_or(&NAMES, Fleets::names)
    }

    pub(crate) const fn teams(&self) -> Teams {
        Teams(self.teams)
    }

    /// The sea of a match with this many seats, and its deployment cells.
    pub(crate) const fn layout(&self, seats: u8) -> Layout {
        Layout { seats, rows_per_seat: self.rows_per_seat, columns: self.columns, deployment: self.deployment }
    }
}
