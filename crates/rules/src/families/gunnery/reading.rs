//! Reading a gunnery rule set from JSON, with every fault named: parameters, bounds and contradictions. The placement
//! of the fleet is checked elsewhere.
use alloc::{format, string::String, vec::Vec};

use serde_json::Value;

use super::islands::{self, Islands};
use super::mines;
use super::rules::{
    Border, Class, Clue, Contact, ExtraShots, GunneryTag, MOST_SHIPS, MOST_SHOTS, Relocation, Rules, Salvo,
    SalvoReporting, SalvoShots, Shrinks, Sighting, TurnOrder,
};
use super::shape::{MOST_LINE, MOST_SHIP_CELLS, MOST_SIDE, Shape, ShapeFault};
use super::{
    ends::{self, MOST_POINTS, Victory},
    sides::{self, TeamSeas},
    weapons,
};
use crate::{
    families::{First, teams::Teams},
    grid::{Board, Labels},
    read::{Faults, Fields, pointer},
    text::ClassId,
};

const FIELDS: &[&str] = &[
    "family",
    "board",
    "fleet",
    "contact",
    "border",
    "islands",
    "mines",
    "weapons",
    "salvo",
    "report",
    "names_hit",
    "names_sunk",
    "announces_sunk",
    "sighting",
    "clue",
    "turn",
    "relocation",
    "relocation_ships",
    "relocation_range",
    "relocation_damaged",
    "sinking",
    "victory",
    "last_turn",
    "turn_limit",
    "seats",
    "teams",
    "team_seas",
    "handicaps",
    "first",
];

const CLASS_FIELDS: &[&str] =
    &["class", "name", "length", "count", "shape", "turning", "mirroring", "sweeper", "points", "shots"];

/// Reads a whole rule set and checks its bounds, but not whether the fleet can be placed. Everything is read before it
/// gives up, so that every fault is named.
pub(super) fn read(value: &Value, faults: &mut Faults) -> Option<Rules> {
    let fields = Fields::of(value, "", FIELDS, faults)?;
    let family = fields.choice("family", &[("gunnery", GunneryTag::Value)], faults);
    let board = read_board(&fields, faults);
    let fleet = read_fleet(&fields, faults);
    let contact = fields.choice("contact", Contact::CHOICES, faults);
    let border = fields.choice("border", Border::CHOICES, faults);
    let (mines, weapons) = (mines::read(&fields, faults), weapons::read(&fields, faults));
    let islands = islands::read(&fields, board, faults);
    let salvo = read_salvo(&fields, faults);
    let report = fields.choice("report", SalvoReporting::CHOICES, faults);
    let [names_hit, names_sunk, announces_sunk] =
        ["names_hit", "names_sunk", "announces_sunk"].map(|name| fields.boolean(name, faults));
    let sighting = fields.choice("sighting", Sighting::CHOICES, faults);
    let clue = fields.choice("clue", Clue::CHOICES, faults);
    let turn = fields.choice("turn", TurnOrder::CHOICES, faults);
    let relocation = fields.choice("relocation", Relocation::CHOICES, faults);
    let relocation_ships = read_limit(&fields, "relocation_ships", MOST_SHIPS as u32, faults);
    let relocation_range = read_limit(&fields, "relocation_range", Board::MOST as u32 - 1, faults);
    let whether = ["relocation_damaged", "sinking", "last_turn"];
    let [relocation_damaged, sinking, last_turn] = whether.map(|name| fields.boolean(name, faults));
    let victory = ends::read_victory(&fields, faults);
    let turn_limit = ends::read_turn_limit(&fields, faults);
    let seats = sides::read_seats(&fields, faults);
    let teams = Teams::read(&fields, faults);
    let team_seas = fields.choice("team_seas", TeamSeas::CHOICES, faults);
    let handicaps = sides::read_handicaps(&fields, faults);
    let first = fields.choice("first", First::CHOICES, faults);
    let rules = Rules {
        family: family?,
        board: board?,
        fleet: fleet?,
        contact: contact?,
        border: border?,
        islands: islands?,
        mines: mines?,
        weapons: weapons?,
        salvo: salvo?,
        report: report?,
        names_hit: names_hit?,
        names_sunk: names_sunk?,
        announces_sunk: announces_sunk?,
        sighting: sighting?,
        clue: clue?,
        turn: turn?,
        relocation: relocation?,
        relocation_ships: relocation_ships?,
        relocation_range: relocation_range?,
        relocation_damaged: relocation_damaged?,
        sinking: sinking?,
        victory: victory?,
        last_turn: last_turn?,
        turn_limit: turn_limit?,
        seats: seats?,
        teams: teams?.0,
        team_seas: team_seas?,
        handicaps: handicaps?,
        first: first?,
    };
    rules.contradictions(faults);
    Some(rules)
}
impl Rules {
    /// Contradictions between parameters that are valid alone.
    fn contradictions(&self, faults: &mut Faults) {
        let cells = self.fleet_cells();
        let mines = self.mines.map_or(0, |mines| u16::from(mines.count));
        let water = self.board.cells() - self.islands.as_ref().map_or(0, Islands::most_cells).min(self.board.cells());
        if mines > 0 && (cells + mines) * 2 > water {
            let detail = format!("Fleet and mines take {} of {water} cells; at most half.", cells + mines);
            faults.push("/mines/count", "out-of-range", detail);
        }
        if cells * 10 > water * 4 {
            let most = water * 4 / 10;
            faults.push(
                "/fleet",
                "fleet-too-large",
                format!("The fleet covers {cells} cells; this sea takes at most {most} (40 % of its water)."),
            );
        }
        self.mine_contradictions(faults);
        self.contradictions_of_weapons(faults);
        if self.victory == Victory::FLEET && !self.sinking {
            faults.push(
                "/victory",
                "conflicting-fields",
                "A fleet cannot be sunk when `sinking` is false; ask for a number of hits instead.",
            );
        }
        let limits = [
            ("relocation_ships", self.relocation_ships.is_some()),
            ("relocation_range", self.relocation_range.is_some()),
            ("relocation_damaged", !self.relocation_damaged),
        ];
        for (name, _) in limits.iter().filter(|(_, limits)| *limits && !self.relocates()) {
            let detail = format!("`{name}` limits a move of ships, and with `relocation` `no` there is none.");
            faults.push(format!("/{name}"), "conflicting-fields", detail);
        }
        self.name_clashes(faults);
        self.contradictory_salvos(faults);
        self.contradictory_answers(faults);
        self.contradictions_of_sides(faults);
        self.contradictions_of_ends(faults);
    }

    /// Ship ids must differ too: a class `cruiser-2` beside two ships of the class `cruiser` would clash.
    fn name_clashes(&self, faults: &mut Faults) {
        for (index, class) in self.fleet.iter().enumerate().filter(|(index, _)| self.most(*index) < 2) {
            let taken = self.fleet.iter().enumerate().any(|(other, kind)| {
                let rest = class.class.strip_prefix(kind.class.as_str()).and_then(|rest| rest.strip_prefix('-'));
                let most = self.most(other);
                let is_nth = |rest: &str| rest.parse::<u8>().is_ok_and(|n| (1..=most).contains(&n));
                most > 1 && rest.is_some_and(|rest| is_nth(rest) && !rest.starts_with('0'))
            });
            if taken {
                let detail = format!("`{}` is also the id of a ship of another class.", class.class);
                faults.push(format!("/fleet/{index}/class"), "duplicate-class", detail);
            }
        }
    }

    /// Contradictions in the number of shots.
    fn contradictory_salvos(&self, faults: &mut Faults) {
        let mut fault = |at: &str, detail: &str| faults.push(at, "conflicting-fields", detail);
        let Salvo { shrinks, shots, extra, .. } = self.salvo;
        if shots != SalvoShots::Fixed && shrinks != Shrinks::No {
            fault("/salvo/shrinks", "The shots follow the fleet already: `shrinks` is `no` unless `shots` is `fixed`.");
        }
        if !matches!(shots, SalvoShots::Fixed | SalvoShots::PerWholeCell) && !self.sinking {
            fault(
                "/salvo/shots",
                "No ship is ever lost when `sinking` is false; the shots would be the same for ever.",
            );
        }
        if shots == SalvoShots::PerWholeCell && self.relocates() {
            fault(
                "/salvo/shots",
                "A ship that moves is whole again: the number of shots would tell that it has moved.",
            );
        }
        if extra == ExtraShots::AtOnce && self.turn != TurnOrder::Alternate {
            fault("/salvo/extra", "`at-once` says itself who fires next: `turn` is `alternate` with it.");
        }
        for (index, _) in self.fleet.iter().enumerate().filter(|(_, class)| class.shots != 1) {
            if shots != SalvoShots::PerClass {
                fault(
                    &format!("/fleet/{index}/shots"),
                    "Classes have shots of their own only with `salvo.shots` `per-class`.",
                );
            }
        }
    }

    fn contradictory_answers(&self, faults: &mut Faults) {
        let mut fault = |at: &str, detail: &str| faults.push(at, "conflicting-fields", detail);
        for (at, announced) in [("/names_sunk", self.names_sunk), ("/announces_sunk", self.announces_sunk)] {
            if announced && !self.sinking {
                fault(at, "No sinking can be announced when `sinking` is false.");
            }
        }
        if self.names_sunk && self.announces_sunk {
            fault("/announces_sunk", "`names_sunk` announces sinkings already; leave one of the two out.");
        }
        if self.names_hit && self.announces_sunk {
            let detail = "With `names_hit` the hit that sinks a ship names it: ask for `names_sunk` instead.";
            fault("/announces_sunk", detail);
        }
        if self.names_hit && self.report != SalvoReporting::PerShot {
            let detail = "`names_hit` needs `report` to be `per-shot`: the other answers say nothing of single shots.";
            fault("/names_hit", detail);
        }
        if self.clue != Clue::None && self.report != SalvoReporting::PerShot {
            fault("/clue", "`clue` needs `report` to be `per-shot`: it is a number for each miss.");
        }
        if self.sighting != Sighting::No && !matches!(self.report, SalvoReporting::PerShot | SalvoReporting::PerSalvo) {
            let detail = "`sighting` needs `report` to be `per-shot` or `per-salvo`: a tally counts hits alone.";
            fault("/sighting", detail);
        }
    }
}

/// A limit: a number from 1, or `null` for none.
fn read_limit(fields: &Fields<'_>, name: &str, most: u32, faults: &mut Faults) -> Option<Option<u8>> {
    if fields.required(name, faults)?.is_null() {
        return Some(None);
    }
    fields.integer(name, 1, most, faults).map(|limit| Some(limit as u8))
}

fn read_board(fields: &Fields<'_>, faults: &mut Faults) -> Option<Board> {
    let value = fields.required("board", faults)?;
    let board = Fields::of(value, &fields.pointer("board"), &["rows", "columns", "labels"], faults)?;
    let rows = board.integer("rows", Board::LEAST.into(), Board::MOST.into(), faults);
    let columns = board.integer("columns", Board::LEAST.into(), Board::MOST.into(), faults);
    let labels = [("row-letter", Labels::RowLetter), ("column-letter", Labels::ColumnLetter)];
    let labels = board.choice("labels", &labels, faults);
    Some(Board { rows: rows? as u8, columns: columns? as u8, labels: labels? })
}

fn read_salvo(fields: &Fields<'_>, faults: &mut Faults) -> Option<Salvo> {
    let value = fields.required("salvo", faults)?;
    let salvo = Fields::of(value, &fields.pointer("salvo"), &["size", "shrinks", "shots", "extra"], faults)?;
    let size = salvo.integer("size", 1, MOST_SHOTS as u32, faults);
    let shrinks = salvo.choice("shrinks", Shrinks::CHOICES, faults);
    let shots = salvo.choice("shots", SalvoShots::CHOICES, faults);
    let extra = salvo.choice("extra", ExtraShots::CHOICES, faults);
    Some(Salvo { size: size? as u8, shrinks: shrinks?, shots: shots?, extra: extra? })
}

fn read_fleet(fields: &Fields<'_>, faults: &mut Faults) -> Option<Vec<Class>> {
    let entries = fields.array("fleet", faults)?;
    let at = fields.pointer("fleet");
    if entries.is_empty() || entries.len() > MOST_SHIPS {
        faults.push(at, "out-of-range", "A fleet has 1 to 26 classes.");
        return None;
    }
    let before = faults.0.len();
    let mut fleet: Vec<Class> = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let at = pointer(&at, &format!("{index}"));
        if let Some(class) = read_class(entry, &at, faults) {
            if fleet.iter().any(|other| other.class == class.class) {
                faults.push(
                    pointer(&at, "class"),
                    "duplicate-class",
                    format!("There is already a class `{}`.", class.class),
                );
            }
            fleet.push(class);
        }
    }
    let ships: usize = fleet.iter().map(|class| usize::from(class.count)).sum();
    if ships > MOST_SHIPS {
        faults.push(at, "too-many-ships", format!("{ships} ships; a fleet has at most {MOST_SHIPS}."));
    }
    (faults.0.len() == before).then_some(fleet)
}

fn read_class(entry: &Value, at: &str, faults: &mut Faults) -> Option<Class> {
    let fields = Fields::of(entry, at, CLASS_FIELDS, faults)?;
    let class = read_id("class", &fields, faults);
    let name = read_name(&fields, faults);
    let shape = read_shape(&fields, faults);
    let longest = if matches!(shape, Some(None)) { u32::from(MOST_LINE) } else { MOST_SHIP_CELLS as u32 };
    let length = fields.integer("length", 1, longest, faults);
    let count = fields.integer("count", 1, 10, faults);
    let shots = fields.integer("shots", 0, 10, faults);
    let turning = fields.boolean("turning", faults);
    let points = read_limit(&fields, "points", MOST_POINTS, faults);
    let mirroring = fields.boolean("mirroring", faults);
    let sweeper = fields.boolean("sweeper", faults);
    let (shape, length) = (shape?, length?);
    if let Some(cells) = shape.as_ref().map(Shape::len)
        && cells != length as usize
    {
        let detail = format!("`length` is the number of cells: this shape has {cells}.");
        faults.push(fields.pointer("length"), "conflicting-fields", detail);
    }
    let (length, count) = (length as u8, count? as u8);
    let mut class = Class::new(class?, name?, length, count, shape, turning?, mirroring?);
    class.sweeper = sweeper?;
    class.points = points?;
    class.shots = shots? as u8;
    Some(class)
}

/// The id of a class, or of another part of a rule set.
pub(super) fn read_id(name: &str, fields: &Fields<'_>, faults: &mut Faults) -> Option<ClassId> {
    let text = fields.text(name, faults)?;
    let id = is_kebab(text).then(|| ClassId::new(text)).flatten();
    if id.is_none() {
        let detail = "An id is kebab-case (`a-z`, `0-9`, single hyphens), 1 to 24 characters.";
        faults.push(fields.pointer(name), "out-of-range", detail);
    }
    id
}

pub(super) fn read_name(fields: &Fields<'_>, faults: &mut Faults) -> Option<String> {
    let text = fields.text("name", faults)?;
    let fits =
        (1..=40).contains(&text.chars().count()) && !text.chars().any(char::is_control) && !text.trim().is_empty();
    if !fits {
        faults.push(fields.pointer("name"), "out-of-range", "A name is 1 to 40 printable characters.");
    }
    fits.then(|| text.into())
}

/// The shape of a class: `None` for a fault, and `Some(None)` for a straight line.
fn read_shape(fields: &Fields<'_>, faults: &mut Faults) -> Option<Option<Shape>> {
    let value = fields.required("shape", faults)?;
    if value.is_null() {
        return Some(None);
    }
    let at = fields.pointer("shape");
    let rows = value.as_array().filter(|rows| rows.len() <= MOST_SIDE);
    let rows: Option<Vec<String>> = rows.and_then(|rows| rows.iter().map(|row| Some(row.as_str()?.into())).collect());
    let fault = match rows.map(Shape::new) {
        Some(Ok(shape)) => return Some(Some(shape)),
        Some(Err(fault)) => fault,
        None => ShapeFault::Size,
    };
    let detail = match fault {
        ShapeFault::Size => "A shape is 1 to 6 rows of text, all of one length from 1 to 6.",
        ShapeFault::Letter => "A shape is drawn with `x` for each cell of the ship and `.` elsewhere.",
        ShapeFault::Cells => "A shape has 1 to 12 cells `x`.",
        ShapeFault::EmptyEdge => "Leave out the rows and columns at the edges of the shape that have no `x`.",
        ShapeFault::Apart => "The cells of a shape hang together by their sides.",
    };
    faults.push(at, if value.is_array() { "out-of-range" } else { "wrong-type" }, detail);
    None
}

fn is_kebab(text: &str) -> bool {
    !text.is_empty()
        && text
            .split('-')
            .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()))
}
