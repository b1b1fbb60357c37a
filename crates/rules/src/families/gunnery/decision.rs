//! The decisions open to a player of this family: the choices as data, and one complete example, drawn from the
//! player's knowledge alone.
use alloc::vec::Vec;

use serde::Serialize;

use super::{
    Gunnery,
    action::{Action, DeployAction, FireAction, FireTag, RelocateAction, RelocateTag, ShipPlace},
    arsenal::{UseWeaponDecision, weapons_to_use},
    fleet::{self, Placement},
    giving::{CellChoice, GiveUpDecision, cell_choice, giving_up},
    knowledge::{Knowledge, Known, Phase},
    mines,
    placing::Placing,
    rules::{Rules, Ship},
    seating::SeaId,
    shape::Ways,
};
use crate::{
    action::DeployTag,
    card::Orientation,
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
    /// Pay what a mine or a minesweeper has cost.
    GiveUp(GiveUpDecision),
    /// Use a weapon in place of a salvo.
    UseWeapon(UseWeaponDecision),
}

impl Decision {
    pub(crate) fn example(&self) -> Action {
        match self {
            Self::Deploy(decision) => Action::Deploy(decision.example.clone()),
            Self::Fire(decision) => Action::Fire(decision.example.clone()),
            Self::Relocate(decision) => Action::Relocate(decision.example.clone()),
            Self::GiveUp(decision) => Action::GiveUp(decision.example.clone()),
            Self::UseWeapon(decision) => Action::UseWeapon(decision.example.clone()),
        }
    }
}

/// Place your fleet: every ship once. (`{"type":"deploy-auto"}` lets the server place it.)
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct DeployDecision {
    /// Always `deploy`.
    #[cfg_attr(feature = "schema", schema(schema_with = DeployTag::shape))]
    pub r#type: DeployTag,
    /// Until when; `null` without a limit.
    #[cfg_attr(feature = "schema", schema(required))]
    pub deadline: Option<Time>,
    /// Always true: the match waits for it.
    pub required: bool,
    /// The sea that its cells are in, as the board lists it.
    #[cfg_attr(feature = "schema", schema(max_length = 16, pattern = "^[a-z-]+$"))]
    pub sea: &'static str,
    /// The ships of the fleet.
    #[cfg_attr(feature = "schema", schema(max_items = 26))]
    pub ships: Vec<ShipChoice>,
    /// The mines to lay, in games with mines; else left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub mines: Option<CellChoice>,
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
    pub r#type: FireTag,
    /// Until when; `null` without a limit.
    #[cfg_attr(feature = "schema", schema(required))]
    pub deadline: Option<Time>,
    /// Always true: the match waits for it.
    pub required: bool,
    /// The sea that its cells are in, as the board lists it.
    #[cfg_attr(feature = "schema", schema(max_length = 16, pattern = "^[a-z-]+$"))]
    pub sea: &'static str,
    /// The sea to fire at; left out in a match for two.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub target: Option<SeaId>,
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
    pub r#type: RelocateTag,
    /// Until when; `null` without a limit.
    #[cfg_attr(feature = "schema", schema(required))]
    pub deadline: Option<Time>,
    /// Always true: the match waits for it.
    pub required: bool,
    /// The sea that its cells are in, as the board lists it.
    #[cfg_attr(feature = "schema", schema(max_length = 16, pattern = "^[a-z-]+$"))]
    pub sea: &'static str,
    /// The ships that may move; a ship left out of the action stays.
    #[cfg_attr(feature = "schema", schema(max_items = 26))]
    pub ships: Vec<ShipChoice>,
    /// How many of them may move at once; left out where all may.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false, minimum = 1, maximum = 26, format = Int32))]
    pub max_ships: Option<u8>,
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
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 12, format = Int32))]
    pub length: u8,
    /// How it may lie: it covers one cell, and the cells that one of these orientations gives from there.
    #[cfg_attr(feature = "schema", schema(min_items = 1, max_items = 8))]
    pub orientations: Vec<Orientation>,
    /// The cells it may use.
    #[cfg_attr(feature = "schema", schema(max_items = 676))]
    pub cells: Vec<Label>,
}

impl family::Choices for Gunnery {
    fn decisions(rules: &Rules, table: &Table, known: &Knowledge, seat: Seat, dice: &mut Dice) -> Vec<Decision> {
        match known.phase {
            Phase::Firing { shots, .. } => {
                let mut decisions = salvos(rules, table, known, seat, shots, dice);
                let weapons = weapons_to_use(rules, known, seat, table.deadline_of(seat), dice);
                if !weapons.is_empty() {
                    // Any of them answers the turn; the first is drawn.
                    decisions.extend(weapons);
                    dice.shuffle(&mut decisions);
                }
                decisions
            }
            _ => required(rules, table, known, seat, dice).into_iter().collect(),
        }
    }

    fn example(decision: &Decision) -> Action {
        decision.example()
    }
}

/// The decision required of the seat now.
fn required(rules: &Rules, table: &Table, known: &Knowledge, seat: Seat, dice: &mut Dice) -> Option<Decision> {
    let deadline = table.deadline_of(seat);
    Some(match known.phase {
        Phase::Deploying => Decision::Deploy(DeployDecision {
            r#type: DeployTag::Value,
            deadline,
            required: true,
            sea: own_sea(known, seat),
            ships: choices(rules, seat, &known.closed(rules, seat), |_| true),
            mines: rules.mines.map(|mines| cell_choice(rules, mines.count, &rules.board.all().without(&known.land))),
            example: example_deployment(rules, known, seat, dice)?,
        }),
        Phase::Relocating { .. } => Decision::Relocate(RelocateDecision {
            r#type: RelocateTag::Value,
            deadline,
            required: true,
            sea: own_sea(known, seat),
            ships: movable(rules, known, seat),
            max_ships: rules.relocation_ships,
            example: RelocateAction {
                r#type: RelocateTag::Value,
                ships: example_moves(rules, table, known, seat, dice),
            },
        }),
        Phase::GivingUp { owed, .. } => {
            Decision::GiveUp(giving_up(rules, (own_sea(known, seat), known.own(seat)), owed, deadline, dice))
        }
        Phase::Firing { .. } | Phase::Over => return None,
    })
}

fn own_sea(known: &Knowledge, seat: Seat) -> &'static str {
    let seating = known.muster.seating;
    seating.id(seating.sea_of(seat)).as_str()
}

/// A salvo at each possible sea; with several seas the dice draw the first.
fn salvos(rules: &Rules, table: &Table, known: &Knowledge, seat: Seat, shots: u8, dice: &mut Dice) -> Vec<Decision> {
    let mut seas: Vec<(SeaId, &Known)> = known.targets(seat).collect();
    let of_two = known.muster.seating.count() == 2;
    if !of_two {
        dice.shuffle(&mut seas);
    }
    let salvo = |(id, sea): (SeaId, &Known)| {
        let untried = rules.board.iter().filter(|cell| !sea.is_tried(*cell) && !known.land.contains(*cell));
        let targets: Vec<Label> = untried.map(|cell| rules.board.label(cell)).collect();
        let shots = usize::from(shots).min(targets.len()) as u8;
        let (target, cells) = (Some(id).filter(|_| !of_two), example_salvo(&targets, shots, dice));
        Decision::Fire(FireDecision {
            r#type: FireTag::Value,
            deadline: table.deadline_of(seat),
            required: true,
            sea: id.as_str(),
            target,
            shots: ShotRange { min: shots, max: shots },
            targets,
            example: FireAction { r#type: FireTag::Value, cells, target },
        })
    };
    seas.into_iter().map(salvo).collect()
}

/// The wanted ships of a seat, with the cells that each may use off the closed ones.
fn choices(rules: &Rules, seat: Seat, closed: &CellSet, wanted: impl Fn(u8) -> bool) -> Vec<ShipChoice> {
    // Ships with the same ways may use the same cells: computed once for all of them.
    let mut usable: Vec<(&Ways, Vec<Label>)> = Vec::new();
    let mut chosen = Vec::new();
    for (_, ship) in rules.ships(seat).enumerate().filter(|(number, _)| wanted(*number as u8)) {
        let ways = rules.ways(ship);
        let cells = match usable.iter().find(|(others, _)| *others == ways) {
            Some((_, cells)) => cells.clone(),
            None => {
                let cells = fleet::usable(rules, ways, closed);
                let cells: Vec<Label> = cells.iter().map(|cell| rules.board.label(cell)).collect();
                usable.push((ways, cells.clone()));
                cells
            }
        };
        let class = &rules.fleet[usize::from(ship.class)];
        chosen.push(ShipChoice {
            ship: rules.ship_id(ship),
            class: class.class,
            name: class.name.clone(),
            length: ship.length,
            orientations: ways.card(),
            cells,
        });
    }
    chosen
}

/// The ships that may move, with the possible cells of each.
fn movable(rules: &Rules, known: &Knowledge, seat: Seat) -> Vec<ShipChoice> {
    let sea = known.own(seat);
    let closed = sea.tried().or(&rules.coast(&known.land));
    let may = |number| sea.seen().find(|ship| ship.0 == number && may_move(rules, sea, *ship));
    let mut ships = choices(rules, seat, &closed, |number| may(number).is_some());
    if rules.relocation_range.is_some() {
        for choice in &mut ships {
            let Some((_, ship, place)) = sea.seen().find(|ship| rules.ship_id(ship.1) == choice.ship) else { continue };
            let cells = fleet::usable(rules, rules.ways(ship), &closed_to(rules, ship, place, &closed));
            choice.cells = cells.iter().map(|cell| rules.board.label(cell)).collect();
        }
    }
    ships
}

fn may_move(rules: &Rules, sea: &Known, (_, ship, place): (u8, Ship, Placement)) -> bool {
    let hits = sea.hits_on(rules, ship, place);
    !(rules.sinking && hits == ship.length) && (rules.relocation_damaged || hits == 0)
}

/// The closed cells, and those too far from the place of a ship.
fn closed_to(rules: &Rules, ship: Ship, place: Placement, closed: &CellSet) -> CellSet {
    let Some(range) = rules.relocation_range else { return *closed };
    let old: CellSet = rules.cells(ship, place).collect();
    closed.or(&rules.board.all().without(&fleet::within(rules.board, &old, range)))
}

fn place_of(rules: &Rules, ship: Ship, place: Placement) -> ShipPlace {
    let cells = rules.cells(ship, place).map(|cell| rules.board.label(cell));
    ShipPlace { ship: rules.ship_id(ship), cells: cells.collect() }
}

fn example_deployment(rules: &Rules, known: &Knowledge, seat: Seat, dice: &mut Dice) -> Option<DeployAction> {
    let places = Placing::new(rules).place(&known.missing(seat), &known.closed(rules, seat), dice)?;
    let ships = rules.ships(seat).zip(places).map(|(ship, place)| place_of(rules, ship, place));
    let ships: Vec<ShipPlace> = ships.collect();
    let covered: CellSet =
        ships.iter().flat_map(|ship| &ship.cells).filter_map(|cell| rules.board.parse(cell)).collect();
    let mines = mines::lay(rules, &covered.or(&known.land), dice);
    let mines = mines.iter().map(|cell| rules.board.label(cell)).collect();
    Some(DeployAction { r#type: DeployTag::Value, ships, mines })
}

/// Different targets at random, in random order.
pub(super) fn example_salvo(targets: &[Label], shots: u8, dice: &mut Dice) -> Vec<Label> {
    let mut chosen: Vec<usize> = Vec::with_capacity(usize::from(shots));
    while chosen.len() < usize::from(shots).min(targets.len()) {
        let index = dice.index(targets.len());
        if !chosen.contains(&index) {
            chosen.push(index);
        }
    }
    chosen.into_iter().map(|index| targets[index]).collect()
}

/// Every other time, one ship moved to a random place, if a few tries find one; else none.
fn example_moves(rules: &Rules, table: &Table, known: &Knowledge, seat: Seat, dice: &mut Dice) -> Vec<ShipPlace> {
    const TRIES: u32 = 8;
    let sea = known.own(seat);
    let movable: Vec<_> = sea.seen().filter(|ship| may_move(rules, sea, *ship)).collect();
    if dice.below(2) == 0 {
        return Vec::new();
    }
    let closed = sea.tried().or(&rules.coast(&known.land));
    for _ in 0..TRIES {
        let Some((_, ship, place)) = dice.pick(&movable).copied() else { break };
        let open = fleet::open_ways(rules, rules.ways(ship), &closed_to(rules, ship, place, &closed));
        let Some(place) = fleet::pick(&open, dice) else { continue };
        let moved = Vec::from([place_of(rules, ship, place)]);
        if Gunnery::legal(rules, table, known, seat, &Action::relocate(moved.clone())).is_ok() {
            return moved;
        }
    }
    Vec::new()
}
