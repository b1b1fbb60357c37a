//! The special weapons of a rule set: their effects, patterns and limits. Their use is in `using.rs`, their supply in
//! `arsenal.rs`.
use alloc::{format, string::String, vec::Vec};

use minicbor::{Decode, Encode};
use serde::Serialize;
use serde_json::Value;

use super::{
    reading,
    rules::{Rules, choice},
};
use crate::{
    grid::{Board, Cell, CellSet},
    read::{Faults, Fields, pointer},
    text::ClassId,
};

/// The most weapons of a rule set.
pub const MOST_WEAPONS: usize = 8;
/// The most uses of a weapon.
pub const MOST_USES: u8 = 20;
/// The longest wait after a use of a weapon, in salvos.
pub const MOST_RELOAD: u8 = 20;
/// The most rows and columns of a pattern.
pub const MOST_PATTERN: usize = 5;

choice! {
    /// What a weapon does. The first two fire, in place of a salvo; the others look, and end the turn.
    Effect {
        /// It fires at every cell of its pattern that was not shot at before: a missile, a bomb.
        Area = "area",
        /// It runs from the cell aimed at in one direction, over at most `range` cells, and fires at each of them that
        /// was not shot at before, until one hits a ship or a mine: a torpedo. An island or the edge of the sea stops
        /// it, too.
        Line = "line",
        /// It tells on how many cells of its pattern a ship lies, hit or not, sunk or not: a sonar.
        Count = "count",
        /// It tells on which cells of its pattern a ship lies, hit or not, sunk or not: a scout plane.
        Reveal = "reveal",
        /// It tells how far from the cell aimed at the nearest cell of a ship is that was not hit, in steps to any of
        /// the eight neighbours: a radar.
        Distance = "distance",
    }
}
choice! {
    /// A direction on the board, as it is drawn: north is up.
    #[derive(Encode, Decode)]
    #[cbor(index_only)]
    Direction {
        /// Up, to the row before.
        #[n(0)]
        North = "north",
        /// To the right, to the next column.
        #[n(1)]
        East = "east",
        /// Down, to the next row.
        #[n(2)]
        South = "south",
        /// To the left, to the column before.
        #[n(3)]
        West = "west",
    }
}

impl Direction {
    /// The word on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        Self::CHOICES[self as usize].0
    }

    const fn step(self) -> (i8, i8) {
        match self {
            Self::North => (-1, 0),
            Self::East => (0, 1),
            Self::South => (1, 0),
            Self::West => (0, -1),
        }
    }
}

/// A weapon that every seat has besides its guns. A use takes the place of a salvo.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Weapon {
    /// Its id, kebab-case.
    #[cfg_attr(
        feature = "schema",
        schema(value_type = String, min_length = 1, max_length = 24, pattern = "^[a-z0-9]+(-[a-z0-9]+)*$")
    )]
    pub weapon: ClassId,
    /// Its name for people, 1 to 40 printable characters.
    #[cfg_attr(
        feature = "schema",
        schema(min_length = 1, max_length = 40, pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$")
    )]
    pub name: String,
    /// What it does.
    pub effect: Effect,
    /// The cells that it covers around the one aimed at, which is the middle: rows from the top, `x` for each cell
    /// covered and `.` elsewhere; 1, 3 or 5 rows of one length, which is 1, 3 or 5. Left out where `effect` is `line`
    /// or `distance`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "schema",
        schema(nullable = false, value_type = Option<Vec<PatternRow>>, min_items = 1, max_items = 5)
    )]
    pub pattern: Option<Pattern>,
    /// Over how many cells it runs, 1 to 26. Left out unless `effect` is `line`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false, minimum = 1, maximum = 26, format = Int32))]
    pub range: Option<u8>,
    /// How often each seat may use it, 1 to 20.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 20, format = Int32))]
    pub uses: u8,
    /// How many salvos its owner has to fire, or other weapons to use, before using it again, 0 to 20. Left out: none.
    #[serde(skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "schema", schema(required = false, minimum = 0, maximum = 20, format = Int32))]
    pub reload: u8,
    /// The class of ships that carries it: it can be used while its owner has a ship of this class afloat. Left out: no
    /// ship needs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub carrier: Option<ClassId>,
    /// The class of ships that shoots it down: where a ship of this class afloat lies on a cell of the pattern, nothing
    /// else is told, and the uses that are left are lost. Only where `effect` is `count` or `reveal`; left out: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub downed_by: Option<ClassId>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
const fn is_zero(number: &u8) -> bool {
    *number == 0
}

/// The pattern of a weapon, as rows of one length.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Pattern(Vec<String>);

impl Pattern {
    /// The pattern of these rows; `None` if they are invalid.
    #[must_use]
    pub fn new(rows: Vec<String>) -> Option<Self> {
        let odd = |length: usize| length % 2 == 1 && length <= MOST_PATTERN;
        let width = rows.first().map_or(0, String::len);
        let drawn = rows.iter().all(|row| row.len() == width && row.bytes().all(|sign| matches!(sign, b'x' | b'.')));
        let covers = rows.iter().any(|row| row.contains('x'));
        (odd(rows.len()) && odd(width) && drawn && covers).then_some(Self(rows))
    }

    /// The cells as steps down and to the right from the middle, row by row.
    fn steps(&self) -> impl Iterator<Item = (i8, i8)> {
        let middle = (self.0.len() as i8 / 2, self.0.first().map_or(0, String::len) as i8 / 2);
        self.0.iter().enumerate().flat_map(move |(row, signs)| {
            let covered = signs.bytes().enumerate().filter(|(_, sign)| *sign == b'x');
            covered.map(move |(column, _)| (row as i8 - middle.0, column as i8 - middle.1))
        })
    }
}

/// The cell these steps down and to the right, if the board has it.
fn beside(board: Board, cell: Cell, (down, right): (i8, i8)) -> Option<Cell> {
    board.cell(board.row(cell).checked_add_signed(down)?, board.column(cell).checked_add_signed(right)?)
}

impl Weapon {
    /// Does the weapon fire? Otherwise it looks.
    #[must_use]
    pub const fn fires(&self) -> bool {
        matches!(self.effect, Effect::Area | Effect::Line)
    }

    /// The cells of water in reach of this aim, in order: those of the pattern, or of a line up to land or the edge.
    /// None for a line without a direction.
    #[must_use]
    pub fn reach(&self, board: Board, land: &CellSet, aim: Cell, direction: Option<Direction>) -> Vec<Cell> {
        let water = |cell: &Cell| !land.contains(*cell);
        match (self.effect, &self.pattern) {
            (Effect::Line, _) => {
                let Some(direction) = direction else { return Vec::new() };
                let way = core::iter::successors(Some(aim), |cell| beside(board, *cell, direction.step()));
                way.take_while(water).take(self.range.unwrap_or_default().into()).collect()
            }
            (_, Some(pattern)) => pattern.steps().filter_map(|step| beside(board, aim, step)).filter(water).collect(),
            (_, None) => [aim].into_iter().filter(water).collect(),
        }
    }
}

impl Rules {
    pub(crate) fn weapon(&self, id: &str) -> Option<(usize, &Weapon)> {
        self.weapons.iter().enumerate().find(|(_, weapon)| weapon.weapon.as_str() == id)
    }

    /// Contradictions between weapons and other parameters.
    pub(super) fn contradictions_of_weapons(&self, faults: &mut Faults) {
        for (index, weapon) in self.weapons.iter().enumerate() {
            let at = |name: &str| format!("/weapons/{index}/{name}");
            if self.weapons[..index].iter().any(|other| other.weapon == weapon.weapon) {
                let detail = format!("There is already a weapon `{}`.", weapon.weapon);
                faults.push(at("weapon"), "duplicate-weapon", detail);
            }
            for (name, class) in [("carrier", weapon.carrier), ("downed_by", weapon.downed_by)] {
                let Some(class) = class else { continue };
                if self.class_index(&class).is_none() {
                    faults.push(at(name), "unknown-value", format!("The fleet has no class `{class}`."));
                }
            }
            let carried = weapon.carrier.and_then(|class| self.class_index(&class));
            if carried.is_some_and(|class| self.all_seats().any(|seat| self.count(seat, class) == 0)) {
                let detail = "A handicap leaves a seat without a ship of the class that carries this weapon.";
                faults.push(at("carrier"), "conflicting-fields", detail);
            }
            if weapon.carrier.is_some() && !self.sinking {
                let detail = "No ship is ever lost when `sinking` is false: leave `carrier` out.";
                faults.push(at("carrier"), "conflicting-fields", detail);
            }
        }
    }
}

pub(super) fn read(fields: &Fields<'_>, faults: &mut Faults) -> Option<Vec<Weapon>> {
    let entries = fields.array("weapons", faults)?;
    let at = fields.pointer("weapons");
    if entries.len() > MOST_WEAPONS {
        faults.push(at, "out-of-range", format!("At most {MOST_WEAPONS} weapons."));
        return None;
    }
    let weapon = |(index, entry): (usize, &Value)| read_weapon(entry, &pointer(&at, &format!("{index}")), faults);
    let weapons: Vec<Option<Weapon>> = entries.iter().enumerate().map(weapon).collect();
    weapons.into_iter().collect()
}

fn read_weapon(entry: &Value, at: &str, faults: &mut Faults) -> Option<Weapon> {
    let effect = entry.get("effect").and_then(Value::as_str);
    let effect = Effect::CHOICES.iter().find(|(name, _)| effect == Some(*name)).map(|(_, effect)| *effect);
    let known: &[&str] = match effect {
        Some(Effect::Line) => &["weapon", "name", "effect", "range", "uses", "reload", "carrier"],
        Some(Effect::Area) => &["weapon", "name", "effect", "pattern", "uses", "reload", "carrier"],
        Some(Effect::Distance) => &["weapon", "name", "effect", "uses", "reload", "carrier"],
        Some(Effect::Count | Effect::Reveal) => {
            &["weapon", "name", "effect", "pattern", "uses", "reload", "carrier", "downed_by"]
        }
        None => &["weapon", "name", "effect", "pattern", "range", "uses", "reload", "carrier", "downed_by"],
    };
    let fields = Fields::of(entry, at, known, faults)?;
    let id = reading::read_id("weapon", &fields, faults);
    let name = reading::read_name(&fields, faults);
    let effect = fields.choice("effect", Effect::CHOICES, faults);
    let pattern = match effect {
        Some(Effect::Line | Effect::Distance) | None => Some(None),
        Some(_) => read_pattern(&fields, faults).map(Some),
    };
    let range = match effect {
        Some(Effect::Line) => fields.integer("range", 1, Board::MOST.into(), faults).map(|range| Some(range as u8)),
        _ => Some(None),
    };
    let uses = fields.integer("uses", 1, MOST_USES.into(), faults);
    let reload = if fields.has("reload") { fields.integer("reload", 0, MOST_RELOAD.into(), faults) } else { Some(0) };
    let carrier = read_class_id(&fields, "carrier", faults);
    let downed_by = read_class_id(&fields, "downed_by", faults);
    Some(Weapon {
        weapon: id?,
        name: name?,
        effect: effect?,
        pattern: pattern?,
        range: range?,
        uses: uses? as u8,
        reload: reload? as u8,
        carrier: carrier?,
        downed_by: downed_by?,
    })
}

fn read_pattern(fields: &Fields<'_>, faults: &mut Faults) -> Option<Pattern> {
    let rows = fields.array("pattern", faults)?;
    let rows: Option<Vec<String>> =
        rows.iter().take(MOST_PATTERN + 1).map(|row| row.as_str().map(Into::into)).collect();
    let pattern = rows.and_then(Pattern::new);
    if pattern.is_none() {
        let detail = "A pattern is 1, 3 or 5 rows of text, all of one length, which is 1, 3 or 5: `x` for each cell \
                      covered, of which there is one at least, and `.` elsewhere.";
        faults.push(fields.pointer("pattern"), "out-of-range", detail);
    }
    pattern
}

/// A class id, or none for a missing field or `null`.
fn read_class_id(fields: &Fields<'_>, name: &str, faults: &mut Faults) -> Option<Option<ClassId>> {
    if !fields.has(name) || fields.required(name, faults)?.is_null() {
        return Some(None);
    }
    reading::read_id(name, fields, faults).map(Some)
}

/// A row of the pattern of a weapon.
#[cfg(feature = "schema")]
#[derive(utoipa::ToSchema)]
#[schema(min_length = 1, max_length = 5, pattern = "^[x.]+$")]
#[allow(dead_code, reason = "it only describes the contract")]
pub struct PatternRow(String);
