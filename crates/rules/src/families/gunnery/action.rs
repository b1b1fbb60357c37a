//! The actions of the family as sent, and their parser.
use alloc::{format, string::String, vec::Vec};

use serde::Serialize;
use serde_json::Value;

use super::{
    Gunnery,
    rules::Rules,
    seating::SeaId,
    using::{self, UseWeaponAction},
};
use crate::{
    action::DeployTag,
    families::family,
    grid::{Board, Cell},
    read::{Faults, Fields, pointer},
    schema::tag,
    text::{Label, ShipId},
};

tag!(
    /// Always `fire`.
    FireTag = "fire"
);
tag!(
    /// Always `give-up`.
    GiveUpTag = "give-up"
);
tag!(
    /// Always `relocate`.
    RelocateTag = "relocate"
);

/// What a player of this family can ask, beside the table's actions.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = GunneryAction))]
#[serde(untagged)]
pub enum Action {
    /// Places the fleet.
    Deploy(DeployAction),
    /// Fires a salvo.
    Fire(FireAction),
    /// Moves ships after a salvo, or none.
    Relocate(RelocateAction),
    /// Pays what a mine or a minesweeper has cost.
    GiveUp(GiveUpAction),
    /// Uses a special weapon.
    UseWeapon(UseWeaponAction),
}

/// Places your whole fleet. A placed fleet is final.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct DeployAction {
    /// Always `deploy`.
    #[cfg_attr(feature = "schema", schema(schema_with = DeployTag::shape))]
    pub r#type: DeployTag,
    /// Every ship of the fleet once.
    #[cfg_attr(feature = "schema", schema(max_items = 26))]
    pub ships: Vec<ShipPlace>,
    /// Where your mines lie, in games with mines: as many cells as the decision says, none of them under a ship.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(required = false, max_items = 20))]
    pub mines: Vec<Label>,
}

/// One ship and the cells it lies on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ShipPlace {
    /// The ship.
    pub ship: ShipId,
    /// Its cells, in any order.
    #[cfg_attr(feature = "schema", schema(max_items = 12))]
    pub cells: Vec<Label>,
}

/// Fires a salvo at an enemy sea.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct FireAction {
    /// Always `fire`.
    #[cfg_attr(feature = "schema", schema(schema_with = FireTag::shape))]
    pub r#type: FireTag,
    /// The cells shot at, in order: exactly as many different, untried cells as the salvo allows.
    #[cfg_attr(feature = "schema", schema(max_items = 26))]
    pub cells: Vec<Label>,
    /// The sea fired at; it may be left out where there is only one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub target: Option<SeaId>,
}

/// Decides where your ships lie after a salvo against you.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RelocateAction {
    /// Always `relocate`.
    #[cfg_attr(feature = "schema", schema(schema_with = RelocateTag::shape))]
    pub r#type: RelocateTag,
    /// The ships that move and their new cells, none of which may ever have been shot at; empty to move none.
    #[cfg_attr(feature = "schema", schema(max_items = 26))]
    pub ships: Vec<ShipPlace>,
}

/// Pays what the mines and minesweepers have cost you that your last salvo struck: exactly what the decision asks for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct GiveUpAction {
    /// Always `give-up`.
    #[cfg_attr(feature = "schema", schema(schema_with = GiveUpTag::shape))]
    pub r#type: GiveUpTag,
    /// Cells of your ships that are not hit yet; they are hit now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(required = false, max_items = 26))]
    pub cells: Vec<Label>,
    /// Ships of yours that are afloat; they are sunk now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(required = false, max_items = 26))]
    pub ships: Vec<ShipId>,
    /// Mines of yours; everybody knows of them now, and they are gone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(required = false, max_items = 26))]
    pub mines: Vec<Label>,
}

impl family::Action<Gunnery> for Action {
    fn types(rules: &Rules) -> &'static [&'static str] {
        match (rules.relocates(), rules.mines.is_some(), !rules.weapons.is_empty()) {
            (true, _, false) => &["deploy", "fire", "relocate"],
            (true, _, true) => &["deploy", "fire", "use-weapon", "relocate"],
            (false, true, false) => &["deploy", "fire", "give-up"],
            (false, true, true) => &["deploy", "fire", "use-weapon", "give-up"],
            (false, false, false) => &["deploy", "fire"],
            (false, false, true) => &["deploy", "fire", "use-weapon"],
        }
    }

    fn read(rules: &Rules, _seats: u8, kind: &str, value: &Value, faults: &mut Faults) -> Option<Self> {
        if kind == "fire" {
            let fields = Fields::of(value, "", &["type", "cells", "target"], faults)?;
            let cells = read_cells(rules.board, "cells", &fields, faults);
            let target =
                if fields.has("target") { Some(fields.choice("target", SeaId::CHOICES, faults)?) } else { None };
            return Some(Self::fire_at(target, cells?));
        }
        if kind == "use-weapon" {
            return using::read(rules, value, faults).map(Self::UseWeapon);
        }
        if kind == "give-up" {
            return read_give_up(rules, value, faults).map(Self::GiveUp);
        }
        let mined = kind == "deploy" && rules.mines.is_some();
        let known: &[&str] = if mined { &["type", "ships", "mines"] } else { &["type", "ships"] };
        let fields = Fields::of(value, "", known, faults)?;
        let ships = read_ships(rules, &fields, faults);
        let mines = fields.has("mines").then(|| read_cells(rules.board, "mines", &fields, faults));
        let mines = if mined { mines.unwrap_or(Some(Vec::new()))? } else { Vec::new() };
        Some(if kind == "deploy" { Self::deploy_mined(ships?, mines) } else { Self::relocate(ships?) })
    }
}

impl Action {
    /// Fires at these cells of the only possible sea.
    #[must_use]
    pub fn fire(cells: Vec<Label>) -> Self {
        Self::fire_at(None, cells)
    }

    /// Fires at these cells of a sea; `None` if only one is possible.
    #[must_use]
    pub fn fire_at(target: Option<SeaId>, cells: Vec<Label>) -> Self {
        Self::Fire(FireAction { r#type: FireTag::Value, cells, target })
    }

    /// Places these ships.
    #[must_use]
    pub fn deploy(ships: Vec<ShipPlace>) -> Self {
        Self::deploy_mined(ships, Vec::new())
    }

    /// Places these ships and mines.
    #[must_use]
    pub fn deploy_mined(ships: Vec<ShipPlace>, mines: Vec<Label>) -> Self {
        Self::Deploy(DeployAction { r#type: DeployTag::Value, ships, mines })
    }

    /// Moves these ships.
    #[must_use]
    pub fn relocate(ships: Vec<ShipPlace>) -> Self {
        Self::Relocate(RelocateAction { r#type: RelocateTag::Value, ships })
    }
}

/// The message for a ship that is none of these.
pub(super) fn no_such_ship(fleet: impl Iterator<Item = ShipId>) -> String {
    let ids: Vec<ShipId> = fleet.collect();
    let ids: Vec<&str> = ids.iter().map(|id| id.as_str()).collect();
    format!("No such ship; the fleet has {}.", crate::read::listed(&ids))
}

/// The longest list whose entries are checked one by one: no board has more cells.
const MOST_CELLS: usize = 676;

/// Reads the payment; a missing list is an empty one.
fn read_give_up(rules: &Rules, value: &Value, faults: &mut Faults) -> Option<GiveUpAction> {
    let fields = Fields::of(value, "", &["type", "cells", "ships", "mines"], faults)?;
    let mut cells = |name: &str| {
        if fields.has(name) { read_cells(rules.board, name, &fields, faults) } else { Some(Vec::new()) }
    };
    let (cells, mines) = (cells("cells"), cells("mines"));
    let mut ships = Vec::new();
    if fields.has("ships") {
        for (index, entry) in fields.array("ships", faults)?.iter().take(MOST_CELLS).enumerate() {
            let id = entry.as_str().and_then(ShipId::new).filter(|id| rules.all_ship_ids().any(|ship| ship == *id));
            match id {
                Some(id) => ships.push(id),
                None => {
                    let at = pointer(&fields.pointer("ships"), &format!("{index}"));
                    faults.push(at, "unknown-ship", "No such ship in your fleet.");
                    return None;
                }
            }
        }
    }
    Some(GiveUpAction { r#type: GiveUpTag::Value, cells: cells?, ships, mines: mines? })
}

fn read_cells(board: Board, name: &str, fields: &Fields<'_>, faults: &mut Faults) -> Option<Vec<Label>> {
    read_labels(board, name, fields, faults, |text| board.read(text))
}

/// Cells that `read` accepts.
fn read_labels(
    board: Board,
    name: &str,
    fields: &Fields<'_>,
    faults: &mut Faults,
    read: impl Fn(&str) -> Option<Label>,
) -> Option<Vec<Label>> {
    let entries = fields.array(name, faults)?;
    let at = fields.pointer(name);
    if entries.len() > MOST_CELLS {
        faults.push(at, "out-of-range", format!("At most {MOST_CELLS} cells."));
        return None;
    }
    let mut labels = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        labels.extend(label_of(board, entry, || pointer(&at, &format!("{index}")), faults, &read));
    }
    (labels.len() == entries.len()).then_some(labels)
}

pub(super) fn read_cell(board: Board, name: &str, fields: &Fields<'_>, faults: &mut Faults) -> Option<Label> {
    let entry = fields.required(name, faults)?;
    label_of(board, entry, || fields.pointer(name), faults, |text| board.read(text))
}

fn label_of(
    board: Board,
    entry: &Value,
    at: impl Fn() -> String,
    faults: &mut Faults,
    read: impl Fn(&str) -> Option<Label>,
) -> Option<Label> {
    let label = entry.as_str().and_then(read);
    if label.is_none() {
        let (first, last) = (board.label(Cell(0)), board.label(Cell(board.cells() - 1)));
        let detail = format!("A cell is a label of the board, from `{first}` to `{last}`.");
        faults.push(at(), "unknown-cell", detail);
    }
    label
}

/// Reads the ships of a fleet. Unknown ships and cells are normally reported together with the placement, so that all
/// faults of a fleet are named at once; if the action has other faults, which prevent that check, they are reported
/// here.
fn read_ships(rules: &Rules, fields: &Fields<'_>, faults: &mut Faults) -> Option<Vec<ShipPlace>> {
    let entries = fields.array("ships", faults)?;
    let at = fields.pointer("ships");
    if entries.len() > MOST_CELLS {
        faults.push(at, "out-of-range", format!("At most {MOST_CELLS} ships."));
        return None;
    }
    if faults.0.is_empty()
        && let Some(ships) = read_fleet(rules, entries, &at, true, &mut Faults::default())
    {
        return Some(ships);
    }
    read_fleet(rules, entries, &at, false, faults)
}

/// Reads the ships of a fleet; with `any`, unknown ships and cells are accepted, and no other fault.
fn read_fleet(rules: &Rules, entries: &[Value], at: &str, any: bool, faults: &mut Faults) -> Option<Vec<ShipPlace>> {
    let mut ships = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let at = pointer(at, &format!("{index}"));
        let Some(fields) = Fields::of(entry, &at, &["ship", "cells"], faults) else { continue };
        let id = fields.text("ship", faults).and_then(|text| {
            let id = ShipId::new(text).filter(|id| any || rules.all_ship_ids().any(|ship| ship == *id));
            if id.is_none() {
                faults.push(fields.pointer("ship"), "unknown-ship", no_such_ship(rules.all_ship_ids()));
            }
            id
        });
        let cells = read_labels(rules.board, "cells", &fields, faults, |text| {
            rules.board.read(text).or_else(|| Label::new(text).filter(|_| any))
        });
        if let (Some(ship), Some(cells)) = (id, cells) {
            ships.push(ShipPlace { ship, cells });
        }
    }
    (ships.len() == entries.len() && faults.0.is_empty()).then_some(ships)
}
