//! The end of a game: the parameters of victory and of limits, their parser, and contradictions.
use alloc::format;

use serde::Serialize;
use serde_json::Value;

use super::rules::{Rules, choice};
use crate::{
    outcome::Reason,
    read::{Faults, Fields},
    schema::tag,
    seat::Seat,
};

tag!(
    /// Always `fleet`.
    FleetTag = "fleet"
);
tag!(
    /// Always `hits`.
    HitsTag = "hits"
);
tag!(
    /// Always `ships`.
    ShipsTag = "ships"
);
tag!(
    /// Always `points`.
    PointsTag = "points"
);

/// The most hits for a victory: the largest fleet on the largest board has this many cells.
const MOST_HITS: u32 = 270;
pub(super) const MOST_POINTS: u32 = 100;
/// The most points for a victory: those of 26 ships.
const MOST_POINTS_ASKED: u32 = 2600;
const MOST_TURNS: u32 = 500;

/// Victory by sinking the enemy fleets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct FleetVictory {
    /// Always `fleet`.
    #[cfg_attr(feature = "schema", schema(schema_with = FleetTag::shape))]
    pub kind: FleetTag,
}

/// Victory by a number of hits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct HitsVictory {
    /// Always `hits`.
    #[cfg_attr(feature = "schema", schema(schema_with = HitsTag::shape))]
    pub kind: HitsTag,
    /// How many hits, at most the cells of the smallest fleet.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 270, format = Int32))]
    pub hits: u16,
}

/// Victory by a number of ships sunk.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ShipsVictory {
    /// Always `ships`.
    #[cfg_attr(feature = "schema", schema(schema_with = ShipsTag::shape))]
    pub kind: ShipsTag,
    /// How many ships, at most those of the smallest fleet.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 26, format = Int32))]
    pub ships: u16,
}

/// Victory by the points of the ships sunk.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct PointsVictory {
    /// Always `points`.
    #[cfg_attr(feature = "schema", schema(schema_with = PointsTag::shape))]
    pub kind: PointsTag,
    /// How many points, at most those of the smallest fleet.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 2600, format = Int32))]
    pub points: u16,
}

/// What wins: the union of objects told apart by `kind`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(untagged)]
pub enum Victory {
    /// Every enemy ship sunk.
    Fleet(FleetVictory),
    /// A number of hits.
    Hits(HitsVictory),
    /// A number of ships sunk.
    Ships(ShipsVictory),
    /// A number of points for ships sunk.
    Points(PointsVictory),
}

impl Victory {
    /// Every enemy ship sunk.
    pub const FLEET: Self = Self::Fleet(FleetVictory { kind: FleetTag::Value });

    /// A number of hits.
    #[must_use]
    pub const fn hits(hits: u16) -> Self {
        Self::Hits(HitsVictory { kind: HitsTag::Value, hits })
    }

    /// The count for victory, the number that wins, and the reason of the result; `None` where fleets have to be sunk.
    pub(crate) const fn aim(self) -> Option<(TurnLimitCount, u16, Reason)> {
        match self {
            Self::Fleet(_) => None,
            Self::Hits(victory) => Some((TurnLimitCount::Hits, victory.hits, Reason::Hits)),
            Self::Ships(victory) => Some((TurnLimitCount::Ships, victory.ships, Reason::Ships)),
            Self::Points(victory) => Some((TurnLimitCount::Points, victory.points, Reason::Points)),
        }
    }
}

choice! {
    /// What of a side's fire is counted.
    TurnLimitCount {
        /// The points of the ships that it sank.
        Points = "points",
        /// The ships that it sank.
        Ships = "ships",
        /// Its hits.
        Hits = "hits",
    }
}

/// After so many turns of each seat the match ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct TurnLimit {
    /// How many turns each seat has.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 500, format = Int32))]
    pub turns: u16,
    /// What ranks those who still play: more is better.
    pub by: TurnLimitCount,
}

/// Reads `victory`.
pub(super) fn read_victory(fields: &Fields<'_>, faults: &mut Faults) -> Option<Victory> {
    let value = fields.required("victory", faults)?;
    let at = fields.pointer("victory");
    let kind = value.get("kind").and_then(Value::as_str);
    let known: &[&str] = match kind {
        Some("hits") => &["kind", "hits"],
        Some("ships") => &["kind", "ships"],
        Some("points") => &["kind", "points"],
        _ => &["kind"],
    };
    let victory = Fields::of(value, &at, known, faults)?;
    let kinds = [
        ("fleet", None),
        ("hits", Some(TurnLimitCount::Hits)),
        ("ships", Some(TurnLimitCount::Ships)),
        ("points", Some(TurnLimitCount::Points)),
    ];
    Some(match victory.choice("kind", &kinds, faults)? {
        None => Victory::FLEET,
        Some(TurnLimitCount::Hits) => Victory::hits(victory.integer("hits", 1, MOST_HITS, faults)? as u16),
        Some(TurnLimitCount::Ships) => {
            let ships = victory.integer("ships", 1, super::rules::MOST_SHIPS as u32, faults)? as u16;
            Victory::Ships(ShipsVictory { kind: ShipsTag::Value, ships })
        }
        Some(TurnLimitCount::Points) => {
            let points = victory.integer("points", 1, MOST_POINTS_ASKED, faults)? as u16;
            Victory::Points(PointsVictory { kind: PointsTag::Value, points })
        }
    })
}

/// Reads `turn_limit`: an object, or `null`.
pub(super) fn read_turn_limit(fields: &Fields<'_>, faults: &mut Faults) -> Option<Option<TurnLimit>> {
    let value = fields.required("turn_limit", faults)?;
    if value.is_null() {
        return Some(None);
    }
    let limit = Fields::of(value, &fields.pointer("turn_limit"), &["turns", "by"], faults)?;
    let turns = limit.integer("turns", 1, MOST_TURNS, faults);
    let by = limit.choice("by", TurnLimitCount::CHOICES, faults);
    Some(Some(TurnLimit { turns: turns? as u16, by: by? }))
}

impl Rules {
    /// The points for sinking a ship of a class, by its index: its cells, unless the rules differ.
    pub(crate) fn points(&self, class: usize) -> u16 {
        let class = &self.fleet[class];
        class.points.unwrap_or(class.length).into()
    }

    /// The worth of all ships of a seat to the side that sinks them.
    fn worth(&self, seat: Seat, count: TurnLimitCount) -> u16 {
        let each = |ship: super::rules::Ship| match count {
            TurnLimitCount::Points => self.points(usize::from(ship.class)),
            TurnLimitCount::Ships => 1,
            TurnLimitCount::Hits => u16::from(ship.length),
        };
        self.ships(seat).map(each).sum()
    }

    pub(super) fn contradictions_of_ends(&self, faults: &mut Faults) {
        if let Some((count, asked, _)) = self.victory.aim() {
            let most = self.all_seats().map(|seat| self.worth(seat, count)).min().unwrap_or_default();
            if asked > most {
                let (at, detail) = match count {
                    TurnLimitCount::Hits => ("/victory/hits", format!("The fleet has only {most} cells to hit.")),
                    TurnLimitCount::Ships => ("/victory/ships", format!("The fleet has only {most} ships to sink.")),
                    TurnLimitCount::Points => {
                        ("/victory/points", format!("The fleet has only {most} points to score."))
                    }
                };
                faults.push(at, "conflicting-fields", detail);
            }
            if count != TurnLimitCount::Hits && !self.sinking {
                let detail = "No ship can be sunk when `sinking` is false; ask for a number of hits instead.";
                faults.push("/victory", "conflicting-fields", detail);
            }
        }
        if let Some(TurnLimit { by, .. }) = self.turn_limit
            && by != TurnLimitCount::Hits
            && !self.sinking
        {
            let detail = "No ship can be sunk when `sinking` is false; let hits decide instead.";
            faults.push("/turn_limit/by", "conflicting-fields", detail);
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Score {
    pub hits: u16,
    pub ships: u16,
    pub points: u16,
}

impl Score {
    pub const fn of(self, count: TurnLimitCount) -> u16 {
        match count {
            TurnLimitCount::Hits => self.hits,
            TurnLimitCount::Ships => self.ships,
            TurnLimitCount::Points => self.points,
        }
    }
}
