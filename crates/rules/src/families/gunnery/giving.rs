//! The payment for a mine or a minesweeper: the owner's decision, and its public report.
use alloc::vec::Vec;

use serde::Serialize;

use super::{
    action::{GiveUpAction, GiveUpTag},
    decision::example_salvo,
    knowledge::Known,
    mark::Mark,
    mines::Owed,
    report::{Answer, ShotAnswer},
    rules::{Rules, Sinkings},
    told::struck,
};
use crate::{
    dice::Dice,
    grid::{Cell, CellSet},
    text::{Label, ShipId},
    time::Time,
    view_model::MarkKind,
};

/// So many cells to name, out of these.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct CellChoice {
    /// How many.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 20, format = Int32))]
    pub count: u8,
    /// The cells that may be named.
    #[cfg_attr(feature = "schema", schema(max_items = 676))]
    pub cells: Vec<Label>,
}

/// So many ships to name, out of these.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct FleetChoice {
    /// How many.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 26, format = Int32))]
    pub count: u8,
    /// The ships that may be named.
    #[cfg_attr(feature = "schema", schema(max_items = 26))]
    pub ships: Vec<ShipId>,
}

/// Pay what your last salvo has cost you.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct GiveUpDecision {
    /// Always `give-up`.
    #[cfg_attr(feature = "schema", schema(schema_with = GiveUpTag::shape))]
    pub r#type: GiveUpTag,
    /// Until when; `null` without a limit.
    #[cfg_attr(feature = "schema", schema(required))]
    pub deadline: Option<Time>,
    /// Always true: the match waits for it.
    pub required: bool,
    /// The sea that its cells are in, as the board lists it.
    #[cfg_attr(feature = "schema", schema(max_length = 16, pattern = "^[a-z-]+$"))]
    pub sea: &'static str,
    /// The cells of your ships to give up; left out where none are owed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub cells: Option<CellChoice>,
    /// The ships to give up; left out where none are owed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub ships: Option<FleetChoice>,
    /// The mines to give away; left out where none are owed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub mines: Option<CellChoice>,
    /// A complete legal action.
    pub example: GiveUpAction,
}

pub(super) fn cell_choice(rules: &Rules, count: u8, cells: &CellSet) -> CellChoice {
    CellChoice { count, cells: cells.iter().map(|cell| rules.board.label(cell)).collect() }
}

/// The seat's debt, out of what it still has.
pub(super) fn giving_up(
    rules: &Rules,
    (sea, own): (&'static str, &Known),
    owed: Owed,
    deadline: Option<Time>,
    dice: &mut Dice,
) -> GiveUpDecision {
    let afloat = own.seen().filter(|(_, ship, place)| own.hits_on(rules, *ship, *place) < ship.length);
    let afloat: Vec<ShipId> = afloat.map(|(_, ship, _)| rules.ship_id(ship)).collect();
    let cells = (owed.cells > 0).then(|| cell_choice(rules, owed.cells, &own.sound_cells(rules)));
    let ships = (owed.ships > 0).then_some(FleetChoice { count: owed.ships, ships: afloat });
    let mines = (owed.mines > 0).then(|| cell_choice(rules, owed.mines, &own.mines));
    let mut some = |choice: &Option<CellChoice>| {
        choice.as_ref().map_or_else(Vec::new, |choice| example_salvo(&choice.cells, choice.count, dice))
    };
    let (given, laid) = (some(&cells), some(&mines));
    let mut sacrificed = ships.as_ref().map_or_else(Vec::new, |choice| choice.ships.clone());
    dice.shuffle(&mut sacrificed);
    sacrificed.truncate(usize::from(owed.ships));
    let example = GiveUpAction { r#type: GiveUpTag::Value, cells: given, ships: sacrificed, mines: laid };
    GiveUpDecision { r#type: GiveUpTag::Value, deadline, required: true, sea, cells, ships, mines, example }
}

impl Known {
    /// The cells of the visible ships here that are not hit.
    pub fn sound_cells(&self, rules: &Rules) -> CellSet {
        let cells = self.seen().flat_map(|(_, ship, place)| rules.cells(ship, place));
        cells.filter(|cell| !self.is_tried(*cell)).collect()
    }

    /// Takes in the owner's payment: answers as to shots, in a game that answers each.
    pub(super) fn learn_given(&mut self, rules: &Rules, land: &CellSet, shots: &[ShotAnswer]) {
        for shot in shots {
            self.mark(rules, land, shot);
        }
        self.hits += shots.iter().filter(|shot| struck(shot)).count() as u16;
        if rules.names_hit {
            self.count_classes(rules, shots);
        }
        if rules.sinkings() == Sinkings::Silent {
            return;
        }
        for shot in shots.iter().filter(|shot| shot.answer == Some(Answer::Sunk)) {
            self.sunk_in_all += 1;
            let named = shot.class.as_deref().filter(|_| rules.sinkings() == Sinkings::Named);
            if let Some(class) = named.and_then(|id| rules.class_index(id)) {
                self.sunk[class] += 1;
            }
        }
    }

    /// Removes a mine that was shot at, or given away.
    pub(super) fn explode(&mut self, cell: Cell) {
        self.mines.remove(cell);
        self.marks.put(cell, Mark::new(MarkKind::Mine, None));
    }
}
