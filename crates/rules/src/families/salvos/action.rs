//! The actions of the family as sent, and their parser.
use alloc::{format, vec::Vec};

use serde::Serialize;
use serde_json::Value;

use super::{Salvos, rules::Rules, sea::Direction};
use crate::{
    families::family,
    grid::{Board, Cell},
    read::{Faults, Fields, listed, pointer},
    schema::tag,
    text::{Label, ShipId},
};

tag!(
    /// Always `salvos-deploy`.
    SalvosDeployTag = "salvos-deploy"
);
tag!(
    /// Always `opening-shot`.
    OpeningShotTag = "opening-shot"
);
tag!(
    /// Always `orders`.
    OrdersTag = "orders"
);
tag!(
    /// Always `fire`.
    FireOrderTag = "fire"
);
tag!(
    /// Always `move`.
    MoveOrderTag = "move"
);

/// What a player of this family can ask, beside the table's actions.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = SalvosAction))]
#[serde(untagged)]
pub enum Action {
    /// Places the fleet.
    Deploy(SalvosDeployAction),
    /// Aims the opening shot.
    OpeningShot(OpeningShotAction),
    /// Gives the orders of a turn.
    Orders(OrdersAction),
}

/// Places your whole fleet on your own deployment cells. A placed fleet is final.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SalvosDeployAction {
    /// Always `salvos-deploy`.
    #[cfg_attr(feature = "schema", schema(schema_with = SalvosDeployTag::shape))]
    pub r#type: SalvosDeployTag,
    /// Every ship of the fleet once.
    #[cfg_attr(feature = "schema", schema(max_items = 64))]
    pub ships: Vec<ShipCell>,
}

/// One ship and the cell it stands on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ShipCell {
    /// The ship.
    pub ship: ShipId,
    /// Its cell.
    pub cell: Label,
}

/// Aims your opening shot: one ship fires all its shots at one cell. All are fired at once when the last one is aimed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct OpeningShotAction {
    /// Always `opening-shot`.
    #[cfg_attr(feature = "schema", schema(schema_with = OpeningShotTag::shape))]
    pub r#type: OpeningShotTag,
    /// The ship that fires.
    pub ship: ShipId,
    /// The cell it fires at.
    pub cell: Label,
}

/// Gives the orders of your turn, to be carried out one after another; no orders at all to pass.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct OrdersAction {
    /// Always `orders`.
    #[cfg_attr(feature = "schema", schema(schema_with = OrdersTag::shape))]
    pub r#type: OrdersTag,
    /// One order a ship at most.
    #[cfg_attr(feature = "schema", schema(max_items = 64))]
    pub orders: Vec<Order>,
}

/// An order to one ship: told apart by `order`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = ShipOrder))]
#[serde(untagged)]
pub enum Order {
    /// Fire.
    Fire(FireOrder),
    /// Move.
    Move(MoveOrder),
}

/// Orders a ship to fire.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct FireOrder {
    /// Always `fire`.
    #[cfg_attr(feature = "schema", schema(schema_with = FireOrderTag::shape))]
    pub order: FireOrderTag,
    /// The ship.
    pub ship: ShipId,
    /// The cells shot at, at most as many as the ship's attack; one named several times is shot at several times.
    #[cfg_attr(feature = "schema", schema(max_items = 64))]
    pub cells: Vec<Label>,
}

/// Orders a ship to move.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct MoveOrder {
    /// Always `move`.
    #[cfg_attr(feature = "schema", schema(schema_with = MoveOrderTag::shape))]
    pub order: MoveOrderTag,
    /// The ship.
    pub ship: ShipId,
    /// Its steps, in order.
    #[cfg_attr(feature = "schema", schema(max_items = 64))]
    pub steps: Vec<Direction>,
}

impl Order {
    /// The ship of the order.
    #[must_use]
    pub const fn ship(&self) -> ShipId {
        match self {
            Self::Fire(order) => order.ship,
            Self::Move(order) => order.ship,
        }
    }

    /// An order to fire.
    #[must_use]
    pub const fn fire(ship: ShipId, cells: Vec<Label>) -> Self {
        Self::Fire(FireOrder { order: FireOrderTag::Value, ship, cells })
    }

    /// An order to move.
    #[must_use]
    pub const fn go(ship: ShipId, steps: Vec<Direction>) -> Self {
        Self::Move(MoveOrder { order: MoveOrderTag::Value, ship, steps })
    }
}

/// The longest list whose entries are checked one by one: no valid list is longer.
const MOST_ENTRIES: usize = 64;

impl family::Action<Salvos> for Action {
    fn types(_rules: &Rules) -> &'static [&'static str] {
        &["salvos-deploy", "opening-shot", "orders"]
    }

    fn read(rules: &Rules, seats: u8, kind: &str, value: &Value, faults: &mut Faults) -> Option<Self> {
        let board = rules.layout(seats).board();
        match kind {
            "salvos-deploy" => {
                let fields = Fields::of(value, "", &["type", "ships"], faults)?;
                read_each("ships", &fields, faults, |entry, at, faults| {
                    let fields = Fields::of(entry, at, &["ship", "cell"], faults)?;
                    let (ship, cell) = (read_ship(rules, &fields, faults), read_cell(board, &fields, faults));
                    Some(ShipCell { ship: ship?, cell: cell? })
                })
                .map(Self::deploy)
            }
            "opening-shot" => {
                let fields = Fields::of(value, "", &["type", "ship", "cell"], faults)?;
                let (ship, cell) = (read_ship(rules, &fields, faults), read_cell(board, &fields, faults));
                Some(Self::opening_shot(ship?, cell?))
            }
            _ => {
                let fields = Fields::of(value, "", &["type", "orders"], faults)?;
                read_each("orders", &fields, faults, |entry, at, faults| read_order(rules, board, entry, at, faults))
                    .map(Self::orders)
            }
        }
    }
}

impl Action {
    /// Places these ships.
    #[must_use]
    pub const fn deploy(ships: Vec<ShipCell>) -> Self {
        Self::Deploy(SalvosDeployAction { r#type: SalvosDeployTag::Value, ships })
    }

    /// Aims the opening shot.
    #[must_use]
    pub const fn opening_shot(ship: ShipId, cell: Label) -> Self {
        Self::OpeningShot(OpeningShotAction { r#type: OpeningShotTag::Value, ship, cell })
    }

    /// Gives these orders.
    #[must_use]
    pub const fn orders(orders: Vec<Order>) -> Self {
        Self::Orders(OrdersAction { r#type: OrdersTag::Value, orders })
    }
}

/// Reads each entry of a list; `None` if one of them is unreadable.
fn read_each<T>(
    name: &str,
    fields: &Fields<'_>,
    faults: &mut Faults,
    mut read: impl FnMut(&Value, &str, &mut Faults) -> Option<T>,
) -> Option<Vec<T>> {
    let entries = fields.array(name, faults)?;
    let at = fields.pointer(name);
    if entries.len() > MOST_ENTRIES {
        faults.push(at, "out-of-range", format!("`{name}` has at most {MOST_ENTRIES} entries."));
        return None;
    }
    let mut all = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        all.extend(read(entry, &pointer(&at, &format!("{index}")), faults));
    }
    (all.len() == entries.len()).then_some(all)
}

fn read_order(rules: &Rules, board: Board, entry: &Value, at: &str, faults: &mut Faults) -> Option<Order> {
    let kind = entry.get("order").and_then(Value::as_str);
    let known: &[&str] = match kind {
        Some("fire") => &["order", "ship", "cells"],
        Some("move") => &["order", "ship", "steps"],
        _ => &["order", "ship", "cells", "steps"],
    };
    let fields = Fields::of(entry, at, known, faults)?;
    let fires = fields.choice("order", &[("fire", true), ("move", false)], faults);
    let ship = read_ship(rules, &fields, faults);
    if fires? {
        let cells = read_each("cells", &fields, faults, |entry, at, faults| label(board, entry, at, faults));
        Some(Order::fire(ship?, cells?))
    } else {
        let steps = read_each("steps", &fields, faults, direction);
        Some(Order::go(ship?, steps?))
    }
}

fn read_ship(rules: &Rules, fields: &Fields<'_>, faults: &mut Faults) -> Option<ShipId> {
    let text = fields.text("ship", faults)?;
    let known = rules.number_of(text).and_then(|_| ShipId::new(text));
    if known.is_none() {
        let detail = "No navy has a ship of that id; the ships of yours are listed in `decisions`.";
        faults.push(fields.pointer("ship"), "unknown-ship", detail);
    }
    known
}

fn read_cell(board: Board, fields: &Fields<'_>, faults: &mut Faults) -> Option<Label> {
    label(board, fields.required("cell", faults)?, &fields.pointer("cell"), faults)
}

fn label(board: Board, entry: &Value, at: &str, faults: &mut Faults) -> Option<Label> {
    let label = entry.as_str().and_then(|text| board.read(text));
    if label.is_none() {
        let (first, last) = (board.label(Cell(0)), board.label(Cell(board.cells() - 1)));
        faults.push(at, "unknown-cell", format!("A cell is a label of the board, from `{first}` to `{last}`."));
    }
    label
}

fn direction(entry: &Value, at: &str, faults: &mut Faults) -> Option<Direction> {
    let found = entry.as_str().and_then(|text| Direction::ALL.iter().find(|(name, _)| *name == text));
    if found.is_none() {
        let names = Direction::ALL.map(|(name, _)| name);
        let code = if entry.is_string() { "unknown-value" } else { "wrong-type" };
        faults.push(at, code, format!("A step is one of {}.", listed(&names)));
    }
    found.map(|(_, direction)| *direction)
}
