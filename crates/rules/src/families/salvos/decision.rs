//! The decisions open to a player of this family: the choices as data, and one complete example, drawn from the
//! player's knowledge alone. The play of the examples is in `example.rs`.
use alloc::{string::String, vec::Vec};

use serde::Serialize;

use super::{
    Salvos,
    action::{Action, OpeningShotAction, OpeningShotTag, OrdersAction, OrdersTag, SalvosDeployAction, SalvosDeployTag},
    card::SEA,
    course::Phase,
    example,
    knowledge::Knowledge,
    rules::Rules,
    sea::{self, Direction},
    state::scattered,
};
use crate::{
    decision::ShotRange,
    dice::Dice,
    families::family,
    seat::Seat,
    table::Table,
    text::{ClassId, Label, ShipId},
    time::Time,
};

/// A decision of this family.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = SalvosDecision))]
#[serde(untagged)]
pub enum Decision {
    /// Place the fleet.
    Deploy(SalvosDeployDecision),
    /// Aim the opening shot.
    OpeningShot(OpeningShotDecision),
    /// Give the orders of a turn.
    Orders(OrdersDecision),
}

impl Decision {
    pub(crate) fn example(&self) -> Action {
        match self {
            Self::Deploy(decision) => Action::Deploy(decision.example.clone()),
            Self::OpeningShot(decision) => Action::OpeningShot(decision.example),
            Self::Orders(decision) => Action::Orders(decision.example.clone()),
        }
    }
}

/// Place your fleet: every ship once, each on a cell of its own. (`{"type":"deploy-auto"}` lets the server place
/// it.)
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SalvosDeployDecision {
    /// Always `salvos-deploy`.
    #[cfg_attr(feature = "schema", schema(schema_with = SalvosDeployTag::shape))]
    pub r#type: SalvosDeployTag,
    /// Until when; `null` without a limit.
    #[cfg_attr(feature = "schema", schema(required))]
    pub deadline: Option<Time>,
    /// Always true: the match waits for it.
    pub required: bool,
    /// The sea that its cells are in, as the board lists it.
    #[cfg_attr(feature = "schema", schema(max_length = 16, pattern = "^[a-z-]+$"))]
    pub sea: &'static str,
    /// The ships of the fleet.
    #[cfg_attr(feature = "schema", schema(max_items = 64))]
    pub ships: Vec<FleetShip>,
    /// The cells that they may use.
    #[cfg_attr(feature = "schema", schema(max_items = 1000))]
    pub cells: Vec<Label>,
    /// A complete legal action.
    pub example: SalvosDeployAction,
}

/// A ship to place.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct FleetShip {
    /// The ship.
    pub ship: ShipId,
    /// Its class.
    pub class: ClassId,
    /// Its name for people.
    #[cfg_attr(
        feature = "schema",
        schema(min_length = 1, max_length = 40, pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$")
    )]
    pub name: String,
}

/// Aim your opening shot: one ship fires all its shots at one cell. Nobody sees it until all have aimed.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct OpeningShotDecision {
    /// Always `opening-shot`.
    #[cfg_attr(feature = "schema", schema(schema_with = OpeningShotTag::shape))]
    pub r#type: OpeningShotTag,
    /// Until when; `null` without a limit.
    #[cfg_attr(feature = "schema", schema(required))]
    pub deadline: Option<Time>,
    /// Always true: the match waits for it.
    pub required: bool,
    /// The sea that its cells are in, as the board lists it.
    #[cfg_attr(feature = "schema", schema(max_length = 16, pattern = "^[a-z-]+$"))]
    pub sea: &'static str,
    /// The ships that may fire, and at which cells; none of them can move yet.
    #[cfg_attr(feature = "schema", schema(max_items = 64))]
    pub ships: Vec<OrderChoice>,
    /// A complete legal action.
    pub example: OpeningShotAction,
}

/// Give the orders of your turn: one a ship at most, carried out one after another; no orders at all to pass.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct OrdersDecision {
    /// Always `orders`.
    #[cfg_attr(feature = "schema", schema(schema_with = OrdersTag::shape))]
    pub r#type: OrdersTag,
    /// Until when; `null` without a limit.
    #[cfg_attr(feature = "schema", schema(required))]
    pub deadline: Option<Time>,
    /// Always true: the match waits for it.
    pub required: bool,
    /// The sea that its cells are in, as the board lists it.
    #[cfg_attr(feature = "schema", schema(max_length = 16, pattern = "^[a-z-]+$"))]
    pub sea: &'static str,
    /// How many orders may be given: one a ship, or a single one, to fire, while no ship of yours that is afloat has
    /// opened fire.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 64, format = Int32))]
    pub max_orders: u8,
    /// The ships that may have an order, and what each could do now if it were the first.
    #[cfg_attr(feature = "schema", schema(max_items = 64))]
    pub ships: Vec<OrderChoice>,
    /// A complete legal action.
    pub example: OrdersAction,
}

/// What a ship could do.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct OrderChoice {
    /// The ship.
    pub ship: ShipId,
    /// Its class.
    pub class: ClassId,
    /// Its name for people.
    #[cfg_attr(
        feature = "schema",
        schema(min_length = 1, max_length = 40, pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$")
    )]
    pub name: String,
    /// Where it stands.
    pub cell: Label,
    /// How many cells it may name to fire at.
    pub shots: ShotRange,
    /// The cells that it may fire at.
    #[cfg_attr(feature = "schema", schema(max_items = 400))]
    pub targets: Vec<Label>,
    /// The cells that it may move to as far as you see, each with a cheapest path; empty while it may not move.
    #[cfg_attr(feature = "schema", schema(max_items = 400))]
    pub moves: Vec<Destination>,
}

/// A cell that a ship may move to.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Destination {
    /// The cell.
    pub cell: Label,
    /// A path to it.
    #[cfg_attr(feature = "schema", schema(max_items = 64))]
    pub steps: Vec<Direction>,
}

impl family::Choices for Salvos {
    fn decisions(rules: &Rules, table: &Table, known: &Knowledge, seat: Seat, dice: &mut Dice) -> Vec<Decision> {
        required(rules, table, known, seat, dice).into_iter().collect()
    }

    fn example(decision: &Decision) -> Action {
        decision.example()
    }
}

/// The decision required of the seat now.
fn required(rules: &Rules, table: &Table, known: &Knowledge, seat: Seat, dice: &mut Dice) -> Option<Decision> {
    let deadline = table.deadline_of(seat);
    Some(match known.course.phase {
        Phase::Deploying => deploy(rules, known, seat, deadline, dice),
        Phase::Opening => Decision::OpeningShot(OpeningShotDecision {
            r#type: OpeningShotTag::Value,
            deadline,
            required: true,
            sea: SEA,
            ships: choices(rules, known, seat, false),
            example: example::opening_shot(rules, known, seat, dice)?,
        }),
        Phase::Turn { .. } => {
            let all = known.course.is_detected(seat);
            let ships = choices(rules, known, seat, all);
            Decision::Orders(OrdersDecision {
                r#type: OrdersTag::Value,
                deadline,
                required: true,
                sea: SEA,
                max_orders: if all { ships.len() as u8 } else { 1 },
                ships,
                example: OrdersAction { r#type: OrdersTag::Value, orders: example::orders(rules, known, seat, dice) },
            })
        }
        Phase::Over => return None,
    })
}

fn deploy(rules: &Rules, known: &Knowledge, seat: Seat, deadline: Option<Time>, dice: &mut Dice) -> Decision {
    let course = &known.course;
    let taken = known.friends(seat);
    let open = rules.layout(course.seats()).own_cells(&known.bands, seat).filter(|cell| !taken.contains(*cell));
    let ship = |ship: usize| {
        let entry = &rules.ships()[ship];
        FleetShip { ship: entry.id, class: entry.class.id(), name: entry.name.as_str().into() }
    };
    Decision::Deploy(SalvosDeployDecision {
        r#type: SalvosDeployTag::Value,
        deadline,
        required: true,
        sea: SEA,
        ships: course.fleet(seat).map(ship).collect(),
        cells: open.map(|cell| known.board.label(cell)).collect(),
        example: SalvosDeployAction {
            r#type: SalvosDeployTag::Value,
            ships: scattered(rules, course, &known.bands, seat, &taken, dice),
        },
    })
}

/// The options of each ship of the seat, taken by itself.
fn choices(rules: &Rules, known: &Knowledge, seat: Seat, may_move: bool) -> Vec<OrderChoice> {
    let (board, friends) = (known.board, known.friends(seat));
    let choice = |ship: usize| {
        let (entry, at) = (&rules.ships()[ship], known.cell(ship)?);
        let targets = sea::targets(board, at, entry.figures).filter(|cell| !friends.contains(*cell));
        let ways = if may_move { sea::ways(board, at, entry.figures.speed, &friends) } else { Vec::new() };
        Some(OrderChoice {
            ship: entry.id,
            class: entry.class.id(),
            name: entry.name.as_str().into(),
            cell: board.label(at),
            shots: ShotRange { min: 1, max: entry.figures.attack },
            targets: targets.map(|cell| board.label(cell)).collect(),
            moves: ways.into_iter().map(|way| Destination { cell: board.label(way.to), steps: way.steps }).collect(),
        })
    };
    known.course.fleet(seat).filter_map(choice).collect()
}
