//! The actions of the family as sent, and their parser.
use alloc::{format, string::String, vec::Vec};

use serde::Serialize;
use serde_json::Value;

use super::{
    Depths,
    rules::{Lines, Rules, SHIPS, ship_number},
    water::{Waters, depth_index},
};
use crate::{
    families::family,
    read::{Faults, Fields, listed, pointer},
    schema::tag,
    text::{Label, LineId, ShipId},
};

tag!(
    /// Always `depths-deploy`.
    DepthsDeployTag = "depths-deploy"
);
tag!(
    /// Always `move`.
    MoveTag = "move"
);
tag!(
    /// Always `charge`.
    ChargeTag = "charge"
);
tag!(
    /// Always `torpedo`.
    TorpedoTag = "torpedo"
);
tag!(
    /// Always `end-turn`.
    EndTurnTag = "end-turn"
);

/// What a player of this family can ask, beside the table's actions.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = DepthsAction))]
#[serde(untagged)]
pub enum Action {
    /// Places the submarines and the mine.
    Deploy(DepthsDeployAction),
    /// Moves a ship.
    Move(DepthsMoveAction),
    /// Drops a depth charge.
    Charge(ChargeAction),
    /// Fires a torpedo.
    Torpedo(TorpedoAction),
    /// Ends the turn.
    EndTurn(EndTurnAction),
}

/// Places your three submarines and your mine. They never move.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct DepthsDeployAction {
    /// Always `depths-deploy`.
    #[cfg_attr(feature = "schema", schema(schema_with = DepthsDeployTag::shape))]
    pub r#type: DepthsDeployTag,
    /// Three different cells below the surface.
    #[cfg_attr(feature = "schema", schema(min_items = 3, max_items = 3))]
    pub submarines: Vec<Label>,
    /// The square above the mine, which lies at depth 100: not that of an own submarine at any depth.
    pub mine: Label,
}

/// Moves one of your ships, once a turn and before anything else.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct DepthsMoveAction {
    /// Always `move`.
    #[cfg_attr(feature = "schema", schema(schema_with = MoveTag::shape))]
    pub r#type: MoveTag,
    /// The ship.
    pub ship: ShipId,
    /// Every square that it comes to, in order: one to three; the last may be `port`.
    #[cfg_attr(feature = "schema", schema(min_items = 1, max_items = 3))]
    pub path: Vec<Label>,
}

/// Drops a depth charge straight down: once a turn, by the ship that moved, or by any at sea if none did.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ChargeAction {
    /// Always `charge`.
    #[cfg_attr(feature = "schema", schema(schema_with = ChargeTag::shape))]
    pub r#type: ChargeTag,
    /// The ship.
    pub ship: ShipId,
    /// The depth at which the charge explodes: 100, 200 or 300.
    #[cfg_attr(feature = "schema", schema(minimum = 100, maximum = 300, multiple_of = 100, format = Int32))]
    pub depth: u16,
}

/// Fires a torpedo at an enemy ship along a line on which one of your submarines lies that has not fired in this turn.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct TorpedoAction {
    /// Always `torpedo`.
    #[cfg_attr(feature = "schema", schema(schema_with = TorpedoTag::shape))]
    pub r#type: TorpedoTag,
    /// The enemy ship that it is fired at.
    pub target: ShipId,
    /// The line that it runs along.
    pub line: LineId,
}

/// Ends your turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct EndTurnAction {
    /// Always `end-turn`.
    #[cfg_attr(feature = "schema", schema(schema_with = EndTurnTag::shape))]
    pub r#type: EndTurnTag,
}

impl family::Action<Depths> for Action {
    fn types(_rules: &Rules) -> &'static [&'static str] {
        &["depths-deploy", "move", "charge", "torpedo", "end-turn"]
    }

    fn read(rules: &Rules, _seats: u8, kind: &str, value: &Value, faults: &mut Faults) -> Option<Self> {
        let waters = rules.waters();
        match kind {
            "depths-deploy" => {
                let fields = Fields::of(value, "", &["type", "submarines", "mine"], faults)?;
                let submarines = read_places(waters, &fields, "submarines", faults);
                let mine = read_mine(waters, &fields, faults);
                Some(Self::deploy(submarines?, mine?))
            }
            "move" => {
                let fields = Fields::of(value, "", &["type", "ship", "path"], faults)?;
                let ship = read_ship(&fields, "ship", faults);
                let path = read_places(waters, &fields, "path", faults);
                Some(Self::sail(ship?, path?))
            }
            "charge" => {
                let fields = Fields::of(value, "", &["type", "ship", "depth"], faults)?;
                let ship = read_ship(&fields, "ship", faults);
                let depth = read_depth(&fields, faults);
                Some(Self::charge(ship?, depth?))
            }
            "torpedo" => {
                let fields = Fields::of(value, "", &["type", "target", "line"], faults)?;
                let target = read_ship(&fields, "target", faults);
                let line = read_line(rules, &fields, faults);
                Some(Self::torpedo(target?, line?))
            }
            _ => Fields::of(value, "", &["type"], faults).map(|_| Self::END_TURN),
        }
    }
}

impl Action {
    /// End the turn.
    pub const END_TURN: Self = Self::EndTurn(EndTurnAction { r#type: EndTurnTag::Value });

    /// Places submarines and mine.
    #[must_use]
    pub const fn deploy(submarines: Vec<Label>, mine: Label) -> Self {
        Self::Deploy(DepthsDeployAction { r#type: DepthsDeployTag::Value, submarines, mine })
    }

    /// Moves a ship along a path.
    #[must_use]
    pub const fn sail(ship: ShipId, path: Vec<Label>) -> Self {
        Self::Move(DepthsMoveAction { r#type: MoveTag::Value, ship, path })
    }

    /// Drops a depth charge to this depth.
    #[must_use]
    pub const fn charge(ship: ShipId, depth: u16) -> Self {
        Self::Charge(ChargeAction { r#type: ChargeTag::Value, ship, depth })
    }

    /// Fires a torpedo.
    #[must_use]
    pub const fn torpedo(target: ShipId, line: LineId) -> Self {
        Self::Torpedo(TorpedoAction { r#type: TorpedoTag::Value, target, line })
    }
}

/// Reads the cells of submarines, or the squares of a path.
fn read_places(waters: Waters, fields: &Fields<'_>, name: &str, faults: &mut Faults) -> Option<Vec<Label>> {
    let is_path = name == "path";
    let read = |text: &str| match is_path {
        true => waters.read_place(text),
        false => waters.parse_cell(text).map(|cell| waters.label(cell)),
    };
    let entries = fields.array(name, faults)?;
    let at = fields.pointer(name);
    if entries.len() > usize::from(waters.cell_count()) {
        faults.push(at, "out-of-range", format!("At most {} places.", waters.cell_count()));
        return None;
    }
    let mut labels = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        match entry.as_str().and_then(read) {
            Some(label) => labels.push(label),
            None => {
                let what = if is_path {
                    format!("A path leads over squares, from `1` to `{}`, or into `port`.", waters.size())
                } else {
                    format!("A submarine lies in a cell, from `1@100` to `{}@300`.", waters.size())
                };
                faults.push(pointer(&at, &format!("{index}")), "unknown-cell", what);
            }
        }
    }
    (labels.len() == entries.len()).then_some(labels)
}

fn read_mine(waters: Waters, fields: &Fields<'_>, faults: &mut Faults) -> Option<Label> {
    let text = fields.text("mine", faults)?;
    let label = Label::new(text).filter(|text| waters.parse_square(text).is_some());
    if label.is_none() {
        let detail = format!("The mine is told by its square, from `1` to `{}`.", waters.size());
        faults.push(fields.pointer("mine"), "unknown-cell", detail);
    }
    label
}

fn read_ship(fields: &Fields<'_>, name: &str, faults: &mut Faults) -> Option<ShipId> {
    let text = fields.text(name, faults)?;
    let ship = ShipId::new(text).filter(|id| ship_number(id).is_some());
    if ship.is_none() {
        let ids = SHIPS.map(|ship| ship.0);
        let detail = format!("No such ship; the surface ships of either side are {}.", listed(&ids));
        faults.push(fields.pointer(name), "unknown-ship", detail);
    }
    ship
}

fn read_depth(fields: &Fields<'_>, faults: &mut Faults) -> Option<u16> {
    let depth = fields.integer("depth", 100, 300, faults)? as u16;
    if depth_index(depth).is_none() {
        faults.push(fields.pointer("depth"), "out-of-range", "`depth` is 100, 200 or 300.");
        return None;
    }
    Some(depth)
}

fn read_line(rules: &Rules, fields: &Fields<'_>, faults: &mut Faults) -> Option<LineId> {
    let text = fields.text("line", faults)?;
    let line = LineId::new(text).filter(|id| rules.waters().parse_line(rules.lines, id).is_some());
    if line.is_none() {
        faults.push(fields.pointer("line"), "unknown-line", unknown_line(rules));
    }
    line
}

/// The message with the known lines.
pub(super) fn unknown_line(rules: &Rules) -> String {
    let Rules { rows, columns, .. } = rules;
    let straight = format!("the rows, `row-1` to `row-{rows}`, and the columns, `column-1` to `column-{columns}`");
    match rules.lines {
        Lines::Straight => format!("Torpedoes run along {straight}."),
        Lines::StraightAndDiagonal => {
            let first = rules.waters().lines(rules.lines).last().map(|line| rules.waters().line_id(line));
            let example = first.map_or(String::new(), |line| format!(", such as `{line}`"));
            format!(
                "Torpedoes run along {straight}, and the diagonals, named by their two end squares, the lower first{example}."
            )
        }
    }
}
