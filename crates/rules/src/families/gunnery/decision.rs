//! What a player of this family may decide now: the choices as data, and one complete example, drawn from what the
//! player knows alone.
use alloc::vec::Vec;

use serde::Serialize;

use super::{
    Gunnery,
    action::{Action, DeployAction, FireAction, FireTag, RelocateAction, RelocateTag, ShipPlace},
    fleet::{self, Placement},
    knowledge::{Knowledge, Known, Phase},
    rules::Rules,
};
use crate::{
    action::DeployTag,
    decision::ShotRange,
    dice::Dice,
    families::family::{self, Legality as _},
    grid::CellSet,
    seat::Seat,
    table::Table,
    text::{ClassId, Label, ShipId},
    time::Time,
};

/// A decision of this family.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = GunneryDecision))]
#[serde(untagged)]
pub enum Decision {
    /// Place the fleet.
    Deploy(DeployDecision),
    /// Fire.
    Fire(FireDecision),
    /// Move ships, or none.
    Relocate(RelocateDecision),
}

impl Decision {
    /// The example as an action.
    pub(crate) fn example(&self) -> Action {
        match self {
            Self::Deploy(decision) => Action::Deploy(decision.example.clone()),
            Self::Fire(decision) => Action::Fire(decision.example.clone()),
            Self::Relocate(decision) => Action::Relocate(decision.example.clone()),
        }
    }
}

/// Place your fleet: every ship once. (`{"type":"deploy","auto":true}` lets the server place it.)
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct DeployDecision {
    /// Always `deploy`.
    #[cfg_attr(feature = "schema", schema(schema_with = DeployTag::shape))]
    pub kind: DeployTag,
    /// The type of the action that answers it.
    #[cfg_attr(feature = "schema", schema(schema_with = DeployTag::shape))]
    pub action_type: DeployTag,
    /// Until when; `null` without a limit.
    #[cfg_attr(feature = "schema", schema(required))]
    pub deadline: Option<Time>,
    /// Always true: the match waits for it.
    pub required: bool,
    /// The ships of the fleet.
    #[cfg_attr(feature = "schema", schema(max_items = 26))]
    pub ships: Vec<ShipChoice>,
    /// A complete legal action.
    pub example: DeployAction,
}

/// Fire a salvo.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct FireDecision {
    /// Always `fire`.
    #[cfg_attr(feature = "schema", schema(schema_with = FireTag::shape))]
    pub kind: FireTag,
    /// The type of the action that answers it.
    #[cfg_attr(feature = "schema", schema(schema_with = FireTag::shape))]
    pub action_type: FireTag,
    /// Until when; `null` without a limit.
    #[cfg_attr(feature = "schema", schema(required))]
    pub deadline: Option<Time>,
    /// Always true: the match waits for it.
    pub required: bool,
    /// How many cells to name.
    pub shots: ShotRange,
    /// The cells that may be named.
    #[cfg_attr(feature = "schema", schema(max_items = 676))]
    pub targets: Vec<Label>,
    /// A complete legal action.
    pub example: FireAction,
}

/// Decide where your ships lie after a salvo against you: move any of them, or none.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RelocateDecision {
    /// Always `relocate`.
    #[cfg_attr(feature = "schema", schema(schema_with = RelocateTag::shape))]
    pub kind: RelocateTag,
    /// The type of the action that answers it.
    #[cfg_attr(feature = "schema", schema(schema_with = RelocateTag::shape))]
    pub action_type: RelocateTag,
    /// Until when; `null` without a limit.
    #[cfg_attr(feature = "schema", schema(required))]
    pub deadline: Option<Time>,
    /// Always true: the match waits for it.
    pub required: bool,
    /// The ships that may move; a ship left out of the action stays.
    #[cfg_attr(feature = "schema", schema(max_items = 26))]
    pub ships: Vec<ShipChoice>,
    /// How many of them may move at once; left out where all may.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false, minimum = 1, maximum = 26, format = Int32))]
    pub most: Option<u8>,
    /// A complete legal action.
    pub example: RelocateAction,
}

/// A ship to place, and every cell that it may use, taken by itself: other ships in the way are not counted.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ShipChoice {
    /// The ship.
    pub ship: ShipId,
    /// Its class.
    pub class: ClassId,
    /// Its name for people.
    #[cfg_attr(
        feature = "schema",
        schema(min_length = 1, max_length = 40, pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$")
    )]
    pub name: alloc::string::String,
    /// How many cells it covers.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 6, format = Int32))]
    pub length: u8,
    /// The cells it may use.
    #[cfg_attr(feature = "schema", schema(max_items = 676))]
    pub cells: Vec<Label>,
}

impl family::Choices for Gunnery {
    fn decisions(rules: &Rules, table: &Table, known: &Knowledge, seat: Seat, dice: &mut Dice) -> Vec<Decision> {
        required(rules, table, known, seat, dice).into_iter().collect()
    }

    fn example(decision: &Decision) -> Action {
        decision.example()
    }
}

/// The one thing that the seat must decide now.
fn required(rules: &Rules, table: &Table, known: &Knowledge, seat: Seat, dice: &mut Dice) -> Option<Decision> {
    let deadline = table.deadline_of(seat);
    let sea = known.own(seat);
    Some(match known.phase {
        Phase::Deploying => Decision::Deploy(DeployDecision {
            kind: DeployTag::Value,
            action_type: DeployTag::Value,
            deadline,
            required: true,
            ships: choices(rules, seat, &CellSet::NONE, |_| true),
            example: example_deployment(rules, seat, dice)?,
        }),
        Phase::Firing { shots, .. } => {
            let targets = targets(rules, known, seat);
            let example = example_salvo(&targets, shots, dice);
            Decision::Fire(FireDecision {
                kind: FireTag::Value,
                action_type: FireTag::Value,
                deadline,
                required: true,
                shots: ShotRange { min: shots, max: shots },
                targets,
                example: FireAction { r#type: FireTag::Value, cells: example, target: None },
            })
        }
        Phase::Relocating { .. } => Decision::Relocate(RelocateDecision {
            kind: RelocateTag::Value,
            action_type: RelocateTag::Value,
            deadline,
            required: true,
            ships: movable(rules, seat, sea),
            most: rules.relocation_ships,
            example: RelocateAction {
                r#type: RelocateTag::Value,
                ships: example_moves(rules, table, known, seat, dice),
            },
        }),
        Phase::Over => return None,
    })
}

fn targets(rules: &Rules, known: &Knowledge, seat: Seat) -> Vec<Label> {
    let Some(sea) = known.seating.only_target(seat).map(|sea| &known.seas[sea]) else { return Vec::new() };
    rules.board.iter().filter(|cell| !sea.is_tried(*cell)).map(|cell| rules.board.label(cell)).collect()
}

/// The ships of a seat that are asked for, with the cells that each may use off the closed ones.
fn choices(rules: &Rules, seat: Seat, closed: &CellSet, wanted: impl Fn(u8) -> bool) -> Vec<ShipChoice> {
    // Ships of one length may use the same cells: worked out once for each length.
    let mut usable: [Option<Vec<Label>>; 7] = Default::default();
    let mut chosen = Vec::new();
    for (_, ship) in rules.ships(seat).enumerate().filter(|(number, _)| wanted(*number as u8)) {
        let cells = usable[usize::from(ship.length)].get_or_insert_with(|| {
            fleet::usable(rules, ship.length, closed).iter().map(|cell| rules.board.label(cell)).collect()
        });
        let class = &rules.fleet[usize::from(ship.class)];
        chosen.push(ShipChoice {
            ship: rules.ship_id(ship),
            class: class.class,
            name: class.name.clone(),
            length: ship.length,
            cells: cells.clone(),
        });
    }
    chosen
}

/// The ships that may move, with the cells that each may come to lie on.
fn movable(rules: &Rules, seat: Seat, sea: &Known) -> Vec<ShipChoice> {
    let tried = sea.tried();
    let may = |number| sea.seen(rules).find(|ship| ship.0 == number && may_move(rules, sea, ship));
    let mut ships = choices(rules, seat, &tried, |number| may(number).is_some());
    if rules.relocation_range.is_some() {
        for choice in &mut ships {
            let Some(ship) = sea.seen(rules).find(|ship| ship.1 == choice.ship) else { continue };
            let cells: CellSet =
                ways_to_move(rules, &ship, &tried).flat_map(|way| way.cells(rules.board, ship.2)).collect();
            choice.cells = cells.iter().map(|cell| rules.board.label(cell)).collect();
        }
    }
    ships
}

fn may_move(rules: &Rules, sea: &Known, ship: &(u8, ShipId, u8, Placement)) -> bool {
    let hits = sea.hits_on(rules, ship.3, ship.2);
    !(rules.sinking && hits == ship.2) && (rules.relocation_damaged || hits == 0)
}

/// Where a ship could go, taken by itself.
fn ways_to_move(rules: &Rules, ship: &(u8, ShipId, u8, Placement), tried: &CellSet) -> impl Iterator<Item = Placement> {
    let (board, length, range) = (rules.board, ship.2, rules.relocation_range);
    let old: CellSet = ship.3.cells(board, length).collect();
    fleet::open_ways(rules, length, tried).filter(move |way| {
        range.is_none_or(|range| fleet::is_within(board, &old, &way.cells(board, length).collect(), range))
    })
}

fn place_of(rules: &Rules, id: ShipId, place: Placement, length: u8) -> ShipPlace {
    ShipPlace { ship: id, cells: place.cells(rules.board, length).map(|cell| rules.board.label(cell)).collect() }
}

fn example_deployment(rules: &Rules, seat: Seat, dice: &mut Dice) -> Option<DeployAction> {
    let places = fleet::place(rules, seat, dice)?;
    let ships =
        rules.ships(seat).zip(places).map(|(ship, place)| place_of(rules, rules.ship_id(ship), place, ship.length));
    Some(DeployAction { r#type: DeployTag::Value, ships: ships.collect() })
}

/// Different targets at random, in random order.
fn example_salvo(targets: &[Label], shots: u8, dice: &mut Dice) -> Vec<Label> {
    let mut chosen: Vec<usize> = Vec::with_capacity(usize::from(shots));
    while chosen.len() < usize::from(shots).min(targets.len()) {
        let index = dice.index(targets.len());
        if !chosen.contains(&index) {
            chosen.push(index);
        }
    }
    chosen.into_iter().map(|index| targets[index]).collect()
}

/// Every other time, one ship moved to a place drawn at random, if a few tries find one; else none.
fn example_moves(rules: &Rules, table: &Table, known: &Knowledge, seat: Seat, dice: &mut Dice) -> Vec<ShipPlace> {
    const TRIES: u32 = 8;
    let sea = known.own(seat);
    let movable: Vec<_> = sea.seen(rules).filter(|ship| may_move(rules, sea, ship)).collect();
    if dice.below(2) == 0 {
        return Vec::new();
    }
    let tried: CellSet = sea.tried();
    for _ in 0..TRIES {
        let Some(ship) = dice.pick(&movable).copied() else { break };
        let ways: Vec<Placement> = ways_to_move(rules, &ship, &tried).collect();
        let Some(way) = dice.pick(&ways) else { continue };
        let moved = Vec::from([place_of(rules, ship.1, *way, ship.2)]);
        if Gunnery::legal(rules, table, known, seat, &Action::relocate(moved.clone())).is_ok() {
            return moved;
        }
    }
    Vec::new()
}
