//! The parameters of a rule set of the family, how they are read, and what follows from them before the first
//! deployment: the seats, their nations, and who begins. The ships are in `roster.rs`.
use alloc::vec::Vec;

use serde::Serialize;
use serde_json::Value;

use super::{
    Salvos,
    event::Event,
    roster::{EDITION, NAMES, NATIONS_COUNT},
};
use crate::{
    chance::Draws,
    families::family::{self, Opening},
    read::{Faults, Fields},
    schema::tag,
    seat::Seat,
    setup::SeatPreferences,
};

tag!(
    /// Always `salvos`.
    SalvosTag = "salvos"
);

/// The fewest rounds a rule set can set.
const LEAST_ROUNDS: u32 = 10;
/// The most rounds a rule set can set.
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
    /// Which cells each seat may deploy on.
    pub deployment: Deployment,
    /// What is posted of a move.
    pub moves_posted: MovesPosted,
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
    /// Five rows each, drawn by lot.
    Bands,
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
        let fields = Fields::of(value, "", &["family", "roster", "deployment", "moves_posted", "rounds"], faults)?;
        // Everything is read before anything gives up, so that every fault is named.
        let family = fields.choice("family", &[("salvos", SalvosTag::Value)], faults);
        let roster = fields.integer("roster", EDITION, EDITION, faults);
        let deployments = [("interleaved", Deployment::Interleaved), ("bands", Deployment::Bands)];
        let deployment = fields.choice("deployment", &deployments, faults);
        let posted = [("steps", MovesPosted::Steps), ("ship", MovesPosted::Ship), ("nothing", MovesPosted::Nothing)];
        let moves_posted = fields.choice("moves_posted", &posted, faults);
        let rounds = fields.integer("rounds", LEAST_ROUNDS, MOST_ROUNDS, faults);
        Some(Self {
            family: family?,
            roster: u16::try_from(roster?).ok()?,
            deployment: deployment?,
            moves_posted: moves_posted?,
            rounds: u16::try_from(rounds?).ok()?,
        })
    }

    fn seats(&self) -> (u8, u8) {
        (2, Seat::MOST)
    }

    /// The nations, in the order of play.
    fn seat_names(&self) -> &'static [&'static str] {
        &NAMES
    }

    /// The nation of a seat.
    fn seat_name(&self, _first: Seat, names: &[u8], seat: Seat) -> &'static str {
        let nation = names.get(seat.index()).copied().unwrap_or_default();
        NAMES.get(usize::from(nation)).copied().unwrap_or_default()
    }

    /// Each seat's nation: the one it preferences for, or one drawn from those that nobody preferences for. The first
    /// in order begins. For deployment by bands, these are drawn too.
    fn opening(&self, seats: u8, preferences: &SeatPreferences, draws: &mut Draws<'_>) -> Opening<Event> {
        let wished = |nation: u8| preferences.iter().take(usize::from(seats)).any(|wish| *wish == Some(nation));
        let mut left: Vec<u8> = (0..NATIONS_COUNT as u8).filter(|nation| !wished(*nation)).collect();
        let mut names: Vec<u8> = Vec::with_capacity(usize::from(seats));
        for seat in 0..usize::from(seats) {
            // A wish that is no nation, or an earlier seat's, counts as none.
            let wish = preferences.get(seat).copied().flatten();
            let granted = wish.filter(|nation| usize::from(*nation) < NATIONS_COUNT && !names.contains(nation));
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
