//! The supply of each seat's weapons, known to everybody from the reports; their availability, and the decisions that
//! offer them.
use alloc::{format, string::String, vec::Vec};

use serde::Serialize;

#[cfg(feature = "schema")]
use super::weapons::PatternRow;
use super::{
    decision::Decision,
    knowledge::{Knowledge, Known},
    rules::Rules,
    seating::SeaId,
    using::{UseWeaponAction, UseWeaponTag},
    weapons::{Direction, Effect, Pattern, Weapon},
};
use crate::{
    dice::Dice,
    grid::{Board, Cell, CellSet},
    illegal::Illegal,
    read::Faults,
    seat::Seat,
    text::ClassId,
    time::Time,
    view_model::SupplyView,
};

/// The supply of a seat's weapons, in the order of the rule set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Arsenal(Vec<Supply>);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Supply {
    /// The uses left.
    left: u8,
    /// The salvos that its owner must fire before it can be used.
    wait: u8,
}

impl Arsenal {
    pub fn full(rules: &Rules) -> Self {
        Self(rules.weapons.iter().map(|weapon| Supply { left: weapon.uses, wait: 0 }).collect())
    }

    /// Applies a salvo or a look of the owner, with a weapon or the guns alone; `lost`: its remaining uses are lost.
    pub fn fired(&mut self, rules: &Rules, used: Option<&ClassId>, lost: bool) {
        self.0.iter_mut().for_each(|supply| supply.wait = supply.wait.saturating_sub(1));
        let Some((number, weapon)) = used.and_then(|id| rules.weapon(id)) else { return };
        if let Some(supply) = self.0.get_mut(number) {
            supply.left = if lost { 0 } else { supply.left.saturating_sub(1) };
            supply.wait = if supply.left > 0 { weapon.reload } else { 0 };
        }
    }

    /// The public supply.
    pub fn view<'a>(&'a self, rules: &'a Rules, seat: Seat) -> impl Iterator<Item = SupplyView> + 'a {
        rules.weapons.iter().zip(&self.0).map(move |(weapon, supply)| SupplyView {
            seat,
            id: weapon.weapon,
            name: weapon.name.clone(),
            remaining: supply.left.into(),
            max: weapon.uses.into(),
            wait: supply.wait.into(),
        })
    }
}

/// The reason why a seat cannot use a weapon now, by its knowledge of its own fleet.
fn hindrance(
    rules: &Rules,
    known: &Knowledge,
    seat: Seat,
    number: usize,
    weapon: &Weapon,
) -> Option<(&'static str, String)> {
    let supply = known.arsenals.get(seat.index()).and_then(|arsenal| arsenal.0.get(number))?;
    let name = &weapon.name;
    if supply.left == 0 {
        return Some(("weapon-spent", format!("Nothing is left of your {name}.")));
    }
    if supply.wait > 0 {
        let detail = format!("Your {name} can be used again after {} more of your salvos.", supply.wait);
        return Some(("weapon-reloading", detail));
    }
    let own = known.own(seat);
    let carries = |class: &ClassId| {
        let class = rules.class_index(class);
        let mut ships = own.seen().filter(|(_, ship, _)| ship.seat == seat && Some(usize::from(ship.class)) == class);
        ships.any(|(_, ship, place)| own.hits_on(rules, ship, place) < ship.length)
    };
    match &weapon.carrier {
        Some(class) if !carries(class) => Some((
            "carrier-lost",
            format!("Your {name} needs a ship of the class `{class}`, and you have none afloat."),
        )),
        _ => None,
    }
}

/// Would the weapon with this aim do anything, as far as is known? A weapon that fires needs a cell that was not shot
/// at, one that looks a cell of water.
fn does_something(rules: &Rules, known: &Knowledge, sea: &Known, weapon: &Weapon, aim: Aim) -> bool {
    let reach = weapon.reach(rules.board, &known.land, aim.0, aim.1);
    reach.iter().any(|cell| !(weapon.fires() && sea.is_tried(*cell)))
}

/// The cell of the aim, and the way of a line.
type Aim = (Cell, Option<Direction>);

/// May the seat, which has the turn, use a weapon with this aim at this sea?
pub(super) fn may_use(
    rules: &Rules,
    known: &Knowledge,
    seat: Seat,
    sea: &Known,
    action: &UseWeaponAction,
) -> Result<(), Illegal> {
    let mut faults = Faults::default();
    match (rules.weapon(&action.weapon), rules.board.parse(&action.cell)) {
        (Some((number, weapon)), Some(cell)) => {
            if let Some((code, detail)) = hindrance(rules, known, seat, number, weapon) {
                faults.push("/weapon", code, detail);
            }
            let runs = weapon.effect == Effect::Line;
            if runs && action.direction.is_none() {
                faults.push("/direction", "missing-field", format!("Your {} runs in a direction.", weapon.name));
            } else if !runs && action.direction.is_some() {
                let detail = format!("Your {} runs in no direction.", weapon.name);
                faults.push("/direction", "unknown-field", detail);
            } else if !does_something(rules, known, sea, weapon, (cell, action.direction)) {
                let what = if weapon.fires() { "a cell that was not shot at before" } else { "a cell of water" };
                let detail = format!("Aimed so, your {} would not reach {what}.", weapon.name);
                faults.push("/cell", "nothing-in-reach", detail);
            }
        }
        (None, _) => faults.push("/weapon", "unknown-value", "No such weapon."),
        (_, None) => {
            faults.push("/cell", "unknown-cell", format!("The board has no cell `{}`.", action.cell));
        }
    }
    Illegal::unless_none(faults.0)
}

/// Use a weapon in place of a salvo.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct UseWeaponDecision {
    /// Always `use-weapon`.
    #[cfg_attr(feature = "schema", schema(schema_with = UseWeaponTag::shape))]
    pub r#type: UseWeaponTag,
    /// Until when; `null` without a limit.
    #[cfg_attr(feature = "schema", schema(required))]
    pub deadline: Option<Time>,
    /// Always true: the match waits for it, or for one of the others.
    pub required: bool,
    /// The sea that its cells are in, as the board lists it.
    #[cfg_attr(feature = "schema", schema(max_length = 16, pattern = "^[a-z-]+$"))]
    pub sea: &'static str,
    /// The weapon.
    #[cfg_attr(
        feature = "schema",
        schema(value_type = String, min_length = 1, max_length = 24, pattern = "^[a-z0-9]+(-[a-z0-9]+)*$")
    )]
    pub weapon: ClassId,
    /// Its name for people.
    #[cfg_attr(
        feature = "schema",
        schema(min_length = 1, max_length = 40, pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$")
    )]
    pub name: String,
    /// What it does.
    pub effect: Effect,
    /// The cells that it covers around the one aimed at, as in the rule set; left out where it has no pattern.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "schema",
        schema(nullable = false, value_type = Option<Vec<PatternRow>>, min_items = 1, max_items = 5)
    )]
    pub pattern: Option<Pattern>,
    /// Over how many cells it runs; left out where it does not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false, minimum = 1, maximum = 26, format = Int32))]
    pub range: Option<u8>,
    /// The sea to aim at; left out in a match for two.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub target: Option<SeaId>,
    /// How it may be aimed: by one of these, at one of its cells.
    #[cfg_attr(feature = "schema", schema(min_items = 1, max_items = 4))]
    pub aims: Vec<AimChoice>,
    /// A complete legal action.
    pub example: UseWeaponAction,
}

/// The cells that a weapon may be aimed at.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct AimChoice {
    /// The ways in which a line may run from there, any of them; left out for other weapons.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(required = false, min_items = 1, max_items = 4))]
    pub directions: Vec<Direction>,
    /// The cells, as the rows of the sea from the top and in each the columns from the left: `x` for a cell that may be
    /// aimed at, and `.` elsewhere.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<AimRow>, min_items = 5, max_items = 26))]
    pub rows: Vec<String>,
}

/// A row of a sea, with `x` for each cell that a weapon may be aimed at.
#[cfg(feature = "schema")]
#[derive(utoipa::ToSchema)]
#[schema(min_length = 5, max_length = 26, pattern = "^[x.]+$")]
#[allow(dead_code, reason = "it only describes the contract")]
pub struct AimRow(String);

impl AimChoice {
    fn new(board: Board, directions: Vec<Direction>, cells: &CellSet) -> Self {
        let sign = |cell: Option<Cell>| if cell.is_some_and(|cell| cells.contains(cell)) { 'x' } else { '.' };
        let row = |row| (0..board.columns).map(|column| sign(board.cell(row, column))).collect();
        Self { directions, rows: (0..board.rows).map(row).collect() }
    }

    /// The cells.
    pub fn cells(&self, board: Board) -> impl Iterator<Item = Cell> {
        let signs = self.rows.iter().flat_map(|row| row.bytes());
        board.iter().zip(signs).filter(|(_, sign)| *sign == b'x').map(|(cell, _)| cell)
    }
}

/// Each weapon that the seat can use now, at each possible sea.
pub(super) fn weapons_to_use(
    rules: &Rules,
    known: &Knowledge,
    seat: Seat,
    deadline: Option<Time>,
    dice: &mut Dice,
) -> Vec<Decision> {
    let of_two = known.muster.seating.count() == 2;
    let mut decisions = Vec::new();
    for (number, weapon) in rules.weapons.iter().enumerate() {
        if hindrance(rules, known, seat, number, weapon).is_some() {
            continue;
        }
        for (id, sea) in known.targets(seat) {
            let aims = aims(rules, known, sea, weapon);
            let target = Some(id).filter(|_| !of_two);
            let Some(aim) = dice.pick(&aims) else { continue };
            let cells: Vec<Cell> = aim.cells(rules.board).collect();
            let Some(cell) = dice.pick(&cells) else { continue };
            let example = UseWeaponAction {
                r#type: UseWeaponTag::Value,
                weapon: weapon.weapon,
                cell: rules.board.label(*cell),
                direction: dice.pick(&aim.directions).copied(),
                target,
            };
            decisions.push(Decision::UseWeapon(UseWeaponDecision {
                r#type: UseWeaponTag::Value,
                deadline,
                required: true,
                sea: id.as_str(),
                weapon: weapon.weapon,
                name: weapon.name.clone(),
                effect: weapon.effect,
                pattern: weapon.pattern.clone(),
                range: weapon.range,
                target,
                aims,
                example,
            }));
        }
    }
    decisions
}

/// Every aim of a weapon at a sea; directions with the same possible cells count as one.
fn aims(rules: &Rules, known: &Knowledge, sea: &Known, weapon: &Weapon) -> Vec<AimChoice> {
    let directions: Vec<Option<Direction>> = match weapon.effect {
        Effect::Line => Direction::CHOICES.iter().map(|(_, direction)| Some(*direction)).collect(),
        _ => Vec::from([None]),
    };
    let mut aims: Vec<(Vec<Direction>, CellSet)> = Vec::new();
    for direction in directions {
        let open = rules.board.iter().filter(|cell| does_something(rules, known, sea, weapon, (*cell, direction)));
        let open: CellSet = open.collect();
        match aims.iter_mut().find(|(_, cells)| *cells == open) {
            Some((alike, _)) => alike.extend(direction),
            None if open.is_empty() => {}
            None => aims.push((direction.into_iter().collect(), open)),
        }
    }
    aims.into_iter().map(|(directions, cells)| AimChoice::new(rules.board, directions, &cells)).collect()
}
