//! The public report on a weapon that looks: the wire structs, and a viewer's conclusions.
use alloc::vec::Vec;

use serde::Serialize;

use super::{
    clue,
    knowledge::Known,
    report::NextTurn,
    rules::{Clue, Rules},
    seating::SeaId,
    weapons::{Direction, Effect},
};
use crate::{
    grid::{Cell, CellSet},
    schema::tag,
    seat::{Seat, SeatSet},
    text::{ClassId, Label},
    time::Time,
};

tag!(
    /// Always `scanned`.
    ScannedTag = "scanned"
);

/// A weapon that was used in place of the guns, and how.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct WeaponUse {
    /// The weapon.
    #[cfg_attr(
        feature = "schema",
        schema(value_type = String, min_length = 1, max_length = 24, pattern = "^[a-z0-9]+(-[a-z0-9]+)*$")
    )]
    pub weapon: ClassId,
    /// The cell aimed at.
    pub cell: Label,
    /// Which way a line ran; left out for other weapons.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub direction: Option<Direction>,
}

/// A seat used a weapon that looks: everybody is told what it found.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ScannedReport {
    /// Always `scanned`.
    #[cfg_attr(feature = "schema", schema(schema_with = ScannedTag::shape))]
    pub r#type: ScannedTag,
    /// The report's number for this viewer, from 1.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 1_000_000, format = Int32))]
    pub number: u32,
    /// When it happened.
    pub at: Time,
    /// Who used it.
    pub seat: Seat,
    /// Which weapon, and where it was aimed.
    pub weapon: WeaponUse,
    /// On how many cells of the pattern a ship lies, or how far away the nearest is that was not hit; left out where
    /// the weapon tells no number, or found nothing to be far from.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false, minimum = 0, maximum = 25, format = Int32))]
    pub count: Option<u8>,
    /// The cells of the pattern on which a ship lies; left out where the weapon does not tell them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false, max_items = 25))]
    pub occupied: Option<Vec<Label>>,
    /// It was shot down, and nothing else is told; left out where it was not.
    #[serde(skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub shot_down: bool,
    /// Who acts next; `null` when the match ends here.
    #[cfg_attr(feature = "schema", schema(required))]
    pub next: Option<NextTurn>,
    /// The sea aimed at; left out in a match for two.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub target: Option<SeaId>,
    /// Who is out because the round has ended with it, where the others play on; else left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub out: Option<SeatSet>,
    /// The number of the next turn of each seat, where the rules limit them and the match goes on; else left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false, minimum = 1, maximum = 500, format = Int32))]
    pub round: Option<u16>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
const fn is_false(truth: &bool) -> bool {
    !*truth
}

/// The findings of looking weapons in a sea, as far as they still hold.
#[derive(Clone, PartialEq, Default)]
pub(super) struct Sightings {
    /// The cells on which a ship was seen.
    seen: CellSet,
    /// The cells found without a ship, except hit ones.
    empty: CellSet,
    /// The numbers told, by the cell of the aim: the last one counts.
    numbers: Vec<(Cell, u8)>,
}

impl Sightings {
    pub(super) const fn is_seen(&self, cell: Cell) -> bool {
        self.seen.contains(cell)
    }

    pub(super) const fn is_empty(&self, cell: Cell) -> bool {
        self.empty.contains(cell)
    }

    /// The number told for an aim at this cell.
    pub(super) fn number(&self, cell: Cell) -> Option<u8> {
        self.numbers.iter().find(|(at, _)| *at == cell).map(|(_, number)| *number)
    }

    /// Drops the findings after ships may have moved.
    pub(super) const fn moved(&mut self) {
        self.seen = CellSet::NONE;
        self.empty = CellSet::NONE;
    }
}

impl Known {
    pub(super) fn learn_scan(&mut self, rules: &Rules, land: &CellSet, report: &ScannedReport) {
        let weapon = rules.weapon(&report.weapon.weapon).map(|(_, weapon)| weapon);
        let (Some(weapon), Some(aim)) = (weapon, rules.board.parse(&report.weapon.cell)) else { return };
        let found = &mut self.sightings;
        let reach: CellSet = weapon.reach(rules.board, land, aim, None).into_iter().collect();
        if let Some(occupied) = &report.occupied {
            let occupied: CellSet = occupied.iter().filter_map(|label| rules.board.parse(label)).collect();
            found.seen = found.seen.or(&occupied);
            found.empty = found.empty.or(&reach.without(&occupied));
        }
        let Some(number) = report.count else { return };
        found.numbers.retain(|(at, _)| *at != aim);
        found.numbers.push((aim, number));
        let empty: CellSet = match (weapon.effect, number) {
            (Effect::Count, 0) => reach,
            (Effect::Distance, 2..) => {
                clue::empty(Clue::DistanceKing, rules.board, aim, number).filter(|cell| !land.contains(*cell)).collect()
            }
            _ => return,
        };
        found.empty = found.empty.or(&empty);
    }
}
