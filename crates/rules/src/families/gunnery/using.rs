//! The use of a special weapon: the action, its form in an event, and the answer. A weapon that fires is judged as a
//! salvo; one that looks changes nothing but the turn.
use alloc::{format, vec::Vec};

use minicbor::{Decode, Encode};
use serde::Serialize;
use serde_json::Value;

use super::{
    action::read_cell,
    clue,
    event::{Cells, Event},
    rules::{Clue, Rules},
    sea::Sea,
    seating::SeaId,
    sides::MOST_IN_SEA,
    state::State,
    weapons::{Direction, Effect, Weapon},
};
use crate::{
    grid::{Cell, CellSet},
    outcome::Outcome,
    read::{Faults, Fields, listed},
    schema::tag,
    seat::Seat,
    text::{ClassId, Label},
};

tag!(
    /// Always `use-weapon`.
    UseWeaponTag = "use-weapon"
);

/// Uses a special weapon, in place of a salvo.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct UseWeaponAction {
    /// Always `use-weapon`.
    #[cfg_attr(feature = "schema", schema(schema_with = UseWeaponTag::shape))]
    pub r#type: UseWeaponTag,
    /// The weapon, by its id in the rule set.
    #[cfg_attr(
        feature = "schema",
        schema(value_type = String, min_length = 1, max_length = 24, pattern = "^[a-z0-9]+(-[a-z0-9]+)*$")
    )]
    pub weapon: ClassId,
    /// The cell aimed at: the middle of the pattern, or where a line begins.
    pub cell: Label,
    /// Which way a line runs; left out for other weapons.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub direction: Option<Direction>,
    /// The sea aimed at; it may be left out where there is only one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub target: Option<SeaId>,
}

pub(super) fn read(rules: &Rules, value: &Value, faults: &mut Faults) -> Option<UseWeaponAction> {
    let named = value.get("weapon").and_then(Value::as_str).and_then(|id| rules.weapon(id));
    let known: &[&str] = match named {
        Some((_, weapon)) if weapon.effect != Effect::Line => &["type", "weapon", "cell", "target"],
        _ => &["type", "weapon", "cell", "direction", "target"],
    };
    let fields = Fields::of(value, "", known, faults)?;
    if fields.text("weapon", faults).is_some() && named.is_none() {
        let ids: Vec<&str> = rules.weapons.iter().map(|weapon| weapon.weapon.as_str()).collect();
        let detail = format!("No such weapon; there are {}.", listed(&ids));
        faults.push(fields.pointer("weapon"), "unknown-value", detail);
    }
    let cell = read_cell(rules.board, "cell", &fields, faults);
    let line = named.is_some_and(|(_, weapon)| weapon.effect == Effect::Line);
    let direction = if line { fields.choice("direction", Direction::CHOICES, faults).map(Some) } else { Some(None) };
    let target =
        if fields.has("target") { fields.choice("target", SeaId::CHOICES, faults).map(Some) } else { Some(None) };
    Some(UseWeaponAction {
        r#type: UseWeaponTag::Value,
        weapon: named?.1.weapon,
        cell: cell?,
        direction: direction?,
        target: target?,
    })
}

/// The use of a weapon.
#[derive(Clone, Copy, PartialEq, Eq, Encode, Decode)]
pub struct Used {
    /// The number of the weapon in the rule set.
    #[n(0)]
    weapon: u8,
    /// The number of the cell aimed at.
    #[n(1)]
    cell: u16,
    /// The direction of a line.
    #[n(2)]
    pub(super) direction: Option<Direction>,
}

impl Used {
    fn of(rules: &Rules, action: &UseWeaponAction) -> Option<Self> {
        let (weapon, _) = rules.weapon(&action.weapon)?;
        let cell = rules.board.parse(&action.cell)?;
        Some(Self { weapon: weapon as u8, cell: cell.0, direction: action.direction })
    }

    /// The number of the weapon in the rule set.
    pub(super) fn number(self) -> usize {
        self.weapon.into()
    }

    pub(super) const fn cell(self) -> Cell {
        Cell(self.cell)
    }

    /// The weapon, if these rules have it and allow this use.
    pub(super) fn fits(self, rules: &Rules) -> Option<&Weapon> {
        let weapon = rules.weapons.get(self.number())?;
        let runs = (weapon.effect == Effect::Line) == self.direction.is_some();
        (runs && self.cell < rules.board.cells()).then_some(weapon)
    }

    /// The action behind the event.
    pub(super) fn action(self, rules: &Rules, target: Option<SeaId>) -> Option<UseWeaponAction> {
        Some(UseWeaponAction {
            r#type: UseWeaponTag::Value,
            weapon: self.fits(rules)?.weapon,
            cell: rules.board.label(self.cell()),
            direction: self.direction,
            target,
        })
    }
}

/// The findings of a weapon that looks.
#[derive(Clone, Copy, PartialEq, Eq, Encode, Decode)]
#[cbor(flat)]
pub enum Found {
    /// It was shot down.
    #[n(0)]
    ShotDown,
    /// The number of cells with a ship; or the distance of the nearest.
    #[n(1)]
    Number(#[n(0)] u8),
    /// A ship on each of these cells.
    #[n(2)]
    Ships(#[n(0)] Cells),
    /// No ship to measure a distance to.
    #[n(3)]
    Nothing,
}

impl Found {
    /// Can the weapon have these findings?
    pub(super) fn fits(&self, rules: &Rules, weapon: &Weapon) -> bool {
        match (self, weapon.effect) {
            (Self::ShotDown, _) => weapon.downed_by.is_some(),
            (Self::Ships(cells), Effect::Reveal) => cells.0.iter().all(|cell| cell.0 < rules.board.cells()),
            (Self::Number(_), effect) => matches!(effect, Effect::Count | Effect::Distance),
            (Self::Nothing, effect) => effect == Effect::Distance,
            (Self::Ships(_), _) => false,
        }
    }
}

impl State {
    pub(super) fn use_weapon(
        &self,
        rules: &Rules,
        seat: Seat,
        action: &UseWeaponAction,
    ) -> Option<(Event, Option<Outcome>)> {
        let used = Used::of(rules, action)?;
        let weapon = used.fits(rules)?;
        let target = self.aimed_at(seat, action.target)?;
        let sea = self.seas.get(target)?;
        let reach = weapon.reach(rules.board, &self.land, used.cell(), used.direction);
        if weapon.fires() {
            return self.volley(rules, seat, target, &sea.struck_by(weapon, reach), Some(used));
        }
        let mut course = self.course;
        let followed = course.scanned(rules);
        let (next, out, outcome) = self.follow(&course, followed);
        let scanned = Event::Scanned {
            seat,
            weapon: used,
            found: sea.look(rules, weapon, used.cell(), &reach),
            target: self.named(target),
            next,
            out,
            round: course.told_round(rules).filter(|_| next.is_some()),
        };
        Some((scanned, outcome))
    }
}

impl Sea {
    /// The cells closed to shots: those shot at, and mines that were given away.
    fn closed(&self) -> CellSet {
        let shots: CellSet = self.shots.iter().map(|shot| shot.cell()).collect();
        shots.or(&self.laid.without(&self.mines))
    }

    /// The cells in reach that a weapon fires at; a line stops at its first hit.
    fn struck_by(&self, weapon: &Weapon, reach: Vec<Cell>) -> Vec<Cell> {
        let closed = self.closed();
        let open = reach.into_iter().filter(|cell| !closed.contains(*cell));
        if weapon.effect != Effect::Line {
            return open.collect();
        }
        let mut struck = Vec::new();
        for cell in open {
            struck.push(cell);
            if self.mines.contains(cell) || self.ship_on(cell).is_some() {
                break;
            }
        }
        struck
    }

    fn look(&self, rules: &Rules, weapon: &Weapon, aim: Cell, reach: &[Cell]) -> Found {
        let downs = |class: &ClassId| {
            let class = rules.class_index(class);
            reach.iter().any(|cell| {
                let of_class = self.ship_on(*cell).is_some_and(|(_, ship)| Some(usize::from(ship.kind.class)) == class);
                of_class && self.is_afloat_on(rules, *cell, &[0; MOST_IN_SEA])
            })
        };
        if weapon.downed_by.as_ref().is_some_and(downs) {
            return Found::ShotDown;
        }
        let occupied = reach.iter().copied().filter(|cell| self.ship_on(*cell).is_some());
        match weapon.effect {
            Effect::Reveal => Found::Ships(Cells(occupied.collect())),
            Effect::Distance => {
                let closed = self.closed();
                let sound = |cell: Cell| self.ship_on(cell).is_some() && !closed.contains(cell);
                let far = clue::number(Clue::DistanceKing, rules.board, aim, |_| false, sound);
                far.map_or(Found::Nothing, |far| Found::Number(far.max(1)))
            }
            _ => Found::Number(occupied.count() as u8),
        }
    }
}
