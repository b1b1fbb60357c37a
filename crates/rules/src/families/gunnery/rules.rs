//! The parameters of a gunnery rule set, their bounds, and reading them with every fault named. Presets are in
//! `presets.rs`; whether a fleet can be placed at all is asked of `fleet.rs`.
use alloc::{format, string::String, vec::Vec};

use serde::Serialize;
use serde_json::{Map, Value};

use super::fleet;
use crate::{
    grid::{Board, Labels},
    illegal::Fault,
    read::{Faults, Fields, pointer},
    schema::tag,
    seat::Seat,
    text::{ClassId, ShipId},
};

tag!(
    /// Always `gunnery`.
    GunneryTag = "gunnery"
);
tag!(
    /// Always `fleet`.
    FleetTag = "fleet"
);
tag!(
    /// Always `hits`.
    HitsTag = "hits"
);

/// The largest number of ships in a fleet.
pub const MOST_SHIPS: usize = 26;
/// The largest salvo.
pub const MOST_SHOTS: usize = 10;

/// The parameters of a game of the family `gunnery`: two seats, each with a sea of its own that the other shoots at.
/// The presets read the rule sheets 001 (classic), 002 (paper) and 003 (the four games).
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = GunneryRules))]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// Always `gunnery`.
    #[cfg_attr(feature = "schema", schema(schema_with = GunneryTag::shape))]
    pub family: GunneryTag,
    /// The size of each sea and the names of its cells.
    pub board: Board,
    /// The classes of ships: at most 26 ships in all, on at most 40 % of the cells.
    #[cfg_attr(feature = "schema", schema(min_items = 1, max_items = 26))]
    pub fleet: Vec<Class>,
    /// May ships touch?
    pub contact: Contact,
    /// May ships lie along the edge?
    pub border: Border,
    /// How many shots a salvo has.
    pub salvo: Salvo,
    /// What the answer to a salvo says.
    pub report: Reporting,
    /// A hit says which class it struck (only with `per-shot`).
    pub names_hit: bool,
    /// A sinking is announced, with the class (only with `per-shot`).
    pub names_sunk: bool,
    /// A miss next to a ship afloat is announced as sighted (only with `per-shot`).
    pub sighting: Sighting,
    /// Who fires next.
    pub turn: Turn,
    /// May the target move ships?
    pub relocation: Relocation,
    /// A ship with all its cells hit is sunk; otherwise hits are only counted.
    pub sinking: bool,
    /// What wins.
    pub victory: Victory,
    /// Who begins.
    pub first: First,
}

/// A class of ships of the fleet.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = ShipClass))]
#[serde(deny_unknown_fields)]
pub struct Class {
    /// Its id, kebab-case.
    pub class: ClassId,
    /// Its name for people, 1 to 40 printable characters.
    #[cfg_attr(
        feature = "schema",
        schema(min_length = 1, max_length = 40, pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$")
    )]
    pub name: String,
    /// How many cells a ship of this class covers, 1 to 6.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 6, format = Int32))]
    pub length: u8,
    /// How many ships of this class a fleet has, 1 to 10.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 10, format = Int32))]
    pub count: u8,
}

/// How many shots a salvo has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Salvo {
    /// Shots of a full salvo, 1 to 10.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 10, format = Int32))]
    pub size: u8,
    /// Does it shrink?
    pub shrinks: Shrinks,
}

/// Declares a parameter with named values: the enum, its names on the wire and its list for reading.
macro_rules! choice {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $value:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
        #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
        #[serde(rename_all = "kebab-case")]
        pub enum $name { $($(#[$vdoc])* $variant),+ }

        impl $name {
            const CHOICES: &[(&str, Self)] = &[$(($value, Self::$variant)),+];
        }
    };
}

choice! {
    /// May ships touch?
    Contact {
        /// Ships may lie side by side.
        Allowed = "allowed",
        /// At least one free cell between ships, diagonally too.
        Forbidden = "forbidden",
    }
}
choice! {
    /// May ships lie along the edge?
    Border {
        /// Anywhere.
        Free = "free",
        /// At most one cell of a ship on the edge of the sea, and none on a corner.
        EndOn = "end-on",
    }
}
choice! {
    /// Does a salvo shrink?
    Shrinks {
        /// Its size is fixed.
        No = "no",
        /// One shot less for each own ship sunk, never less than one.
        PerOwnLoss = "per-own-loss",
    }
}
choice! {
    /// What the answer to a salvo says.
    Reporting {
        /// An answer for each shot, in order.
        PerShot = "per-shot",
        /// Only how many shots hit.
        Tally = "tally",
        /// Only how many shots hit each class.
        TallyPerShip = "tally-per-ship",
    }
}
choice! {
    /// Which misses are announced as sighted: those beside a ship afloat.
    Sighting {
        /// None.
        No = "no",
        /// Those that share a side with it.
        Orthogonal = "orthogonal",
        /// Those that share a side or a corner with it.
        All = "all",
    }
}
choice! {
    /// Who fires next.
    Turn {
        /// The other player.
        Alternate = "alternate",
        /// The same player as long as his salvo hits.
        WhileHitting = "while-hitting",
        /// The same player as long as his salvo does not hit.
        WhileMissing = "while-missing",
    }
}
choice! {
    /// May the target move ships?
    Relocation {
        /// Never.
        No = "no",
        /// After each salvo against him.
        AfterSalvo = "after-salvo",
    }
}
choice! {
    /// Who begins.
    First {
        /// Drawn by lot.
        Random = "random",
        /// The seat of whoever made the match.
        Creator = "creator",
        /// The other seat.
        Opponent = "opponent",
    }
}

/// Victory by sinking the enemy fleet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct FleetVictory {
    /// Always `fleet`.
    #[cfg_attr(feature = "schema", schema(schema_with = FleetTag::shape))]
    pub kind: FleetTag,
}

/// Victory by a number of hits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct HitsVictory {
    /// Always `hits`.
    #[cfg_attr(feature = "schema", schema(schema_with = HitsTag::shape))]
    pub kind: HitsTag,
    /// How many hits, at most the cells of the fleet.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 156, format = Int32))]
    pub hits: u16,
}

/// What wins: the union of two objects told apart by `kind`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(untagged)]
pub enum Victory {
    /// Every enemy ship sunk.
    Fleet(FleetVictory),
    /// A number of hits.
    Hits(HitsVictory),
}

impl Victory {
    /// Every enemy ship sunk.
    pub const FLEET: Self = Self::Fleet(FleetVictory { kind: FleetTag::Value });

    /// A number of hits.
    #[must_use]
    pub const fn hits(hits: u16) -> Self {
        Self::Hits(HitsVictory { kind: HitsTag::Value, hits })
    }
}

/// One ship of the fleet: ships are numbered class by class in the order of the rule set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ship {
    /// The index of its class in the rule set.
    pub class: u8,
    /// Its number within the class, from 1.
    pub nth: u8,
    pub length: u8,
}

const FIELDS: &[&str] = &[
    "family",
    "board",
    "fleet",
    "contact",
    "border",
    "salvo",
    "report",
    "names_hit",
    "names_sunk",
    "sighting",
    "turn",
    "relocation",
    "sinking",
    "victory",
    "first",
];

impl Rules {
    /// The ships of a fleet, in order.
    pub(crate) fn ships(&self) -> impl Iterator<Item = Ship> {
        self.fleet.iter().enumerate().flat_map(|(class, kind)| {
            (1..=kind.count).map(move |nth| Ship { class: class as u8, nth, length: kind.length })
        })
    }

    /// The ids of all ships of a fleet, in order.
    pub(crate) fn ship_ids(&self) -> impl Iterator<Item = ShipId> {
        self.ships().map(|ship| self.ship_id(ship))
    }

    /// The id of a ship: its class alone when the fleet has one of that class, else with its number.
    pub(crate) fn ship_id(&self, ship: Ship) -> ShipId {
        let class = &self.fleet[usize::from(ship.class)];
        if class.count == 1 {
            ShipId::cut(format_args!("{}", class.class))
        } else {
            ShipId::cut(format_args!("{}-{}", class.class, ship.nth))
        }
    }

    /// The class that a ship belongs to, by the ship's number.
    pub(crate) fn class_of(&self, ship: u8) -> u8 {
        let mut before = 0;
        for (class, kind) in self.fleet.iter().enumerate() {
            before += kind.count;
            if ship < before {
                return class as u8;
            }
        }
        0
    }

    /// The index of the class of this id.
    pub(crate) fn class_index(&self, id: &str) -> Option<usize> {
        self.fleet.iter().position(|class| class.class.as_str() == id)
    }

    /// How many cells a fleet covers.
    #[must_use]
    pub fn fleet_cells(&self) -> u16 {
        self.fleet.iter().map(|class| u16::from(class.count) * u16::from(class.length)).sum()
    }

    /// Are sinkings told to everybody?
    #[must_use]
    pub const fn announces_sinkings(&self) -> bool {
        self.sinking && self.names_sunk && matches!(self.report, Reporting::PerShot)
    }

    /// Does the target decide where its ships lie after each salvo?
    #[must_use]
    pub const fn relocates(&self) -> bool {
        matches!(self.relocation, Relocation::AfterSalvo)
    }

    /// The name of a seat: red is the one that begins.
    #[must_use]
    pub const fn seat_name(&self, first: Seat, seat: Seat) -> &'static str {
        if first.0 == seat.0 { "red" } else { "blue" }
    }

    /// This rule set with changes: an object whose fields replace those of this one (`board` and `salvo` field by field).
    ///
    /// # Errors
    /// Every fault, with JSON Pointers relative to the rule set.
    pub fn customised(&self, changes: &Value) -> Result<Self, Vec<Fault>> {
        let Value::Object(changes) = changes else {
            return Err(Vec::from([Fault::new("", "wrong-type", "A rule set is an object.")]));
        };
        let mut whole = match serde_json::to_value(self) {
            Ok(Value::Object(whole)) => whole,
            _ => Map::new(),
        };
        for (name, change) in changes {
            match (name.as_str(), whole.get_mut(name), change) {
                ("board" | "salvo", Some(Value::Object(base)), Value::Object(parts)) => {
                    base.extend(parts.iter().map(|(part, value)| (part.clone(), value.clone())));
                }
                _ => {
                    whole.insert(name.clone(), change.clone());
                }
            }
        }
        let rules = Self::parse(&Value::Object(whole))?;
        if fleet::is_placeable(&rules) {
            Ok(rules)
        } else {
            let detail = "No way was found to place this fleet on this board under these rules. Use fewer ships, a larger board, or allow contact.";
            Err(Vec::from([Fault::new("", "no-legal-deployment", detail)]))
        }
    }

    /// Reads a whole rule set and checks its bounds, but not whether the fleet can be placed.
    ///
    /// # Errors
    /// Every fault, with JSON Pointers relative to the rule set.
    pub fn parse(value: &Value) -> Result<Self, Vec<Fault>> {
        let mut faults = Faults::default();
        match Self::read(value, &mut faults) {
            Some(rules) if faults.0.is_empty() => Ok(rules),
            _ => Err(faults.0),
        }
    }

    fn read(value: &Value, faults: &mut Faults) -> Option<Self> {
        let fields = Fields::of(value, "", FIELDS, faults)?;
        // Everything is read before anything gives up, so that every fault is named.
        let family = fields.choice("family", &[("gunnery", GunneryTag::Value)], faults);
        let board = read_board(&fields, faults);
        let fleet = read_fleet(&fields, faults);
        let contact = fields.choice("contact", Contact::CHOICES, faults);
        let border = fields.choice("border", Border::CHOICES, faults);
        let salvo = read_salvo(&fields, faults);
        let report = fields.choice("report", Reporting::CHOICES, faults);
        let names_hit = fields.boolean("names_hit", faults);
        let names_sunk = fields.boolean("names_sunk", faults);
        let sighting = fields.choice("sighting", Sighting::CHOICES, faults);
        let turn = fields.choice("turn", Turn::CHOICES, faults);
        let relocation = fields.choice("relocation", Relocation::CHOICES, faults);
        let sinking = fields.boolean("sinking", faults);
        let victory = read_victory(&fields, faults);
        let first = fields.choice("first", First::CHOICES, faults);
        let rules = Self {
            family: family?,
            board: board?,
            fleet: fleet?,
            contact: contact?,
            border: border?,
            salvo: salvo?,
            report: report?,
            names_hit: names_hit?,
            names_sunk: names_sunk?,
            sighting: sighting?,
            turn: turn?,
            relocation: relocation?,
            sinking: sinking?,
            victory: victory?,
            first: first?,
        };
        rules.contradictions(faults);
        Some(rules)
    }

    /// What is wrong although each parameter alone is right.
    fn contradictions(&self, faults: &mut Faults) {
        let cells = self.fleet_cells();
        if cells * 10 > self.board.cells() * 4 {
            let most = self.board.cells() * 4 / 10;
            faults.push(
                "/fleet",
                "fleet-too-large",
                format!("The fleet covers {cells} cells; this board takes at most {most} (40 %)."),
            );
        }
        if let Victory::Hits(HitsVictory { hits, .. }) = self.victory
            && hits > cells
        {
            faults.push("/victory/hits", "contradiction", format!("The fleet has only {cells} cells to hit."));
        }
        if self.victory == Victory::FLEET && !self.sinking {
            faults.push(
                "/victory",
                "contradiction",
                "A fleet cannot be sunk when `sinking` is false; ask for a number of hits instead.",
            );
        }
        if self.names_sunk && !self.sinking {
            faults.push("/names_sunk", "contradiction", "No sinking can be announced when `sinking` is false.");
        }
        if self.report != Reporting::PerShot {
            let only = "needs `report` to be `per-shot`: a tally says nothing of single shots.";
            if self.names_hit {
                faults.push("/names_hit", "contradiction", format!("`names_hit` {only}"));
            }
            if self.names_sunk {
                faults.push("/names_sunk", "contradiction", format!("`names_sunk` {only}"));
            }
            if self.sighting != Sighting::No {
                faults.push("/sighting", "contradiction", format!("`sighting` {only}"));
            }
        }
    }
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
    let salvo = Fields::of(value, &fields.pointer("salvo"), &["size", "shrinks"], faults)?;
    let size = salvo.integer("size", 1, MOST_SHOTS as u32, faults);
    let shrinks = salvo.choice("shrinks", Shrinks::CHOICES, faults);
    Some(Salvo { size: size? as u8, shrinks: shrinks? })
}

fn read_victory(fields: &Fields<'_>, faults: &mut Faults) -> Option<Victory> {
    let value = fields.required("victory", faults)?;
    let at = fields.pointer("victory");
    let hits = value.get("kind").and_then(Value::as_str) == Some("hits");
    let known: &[&str] = if hits { &["kind", "hits"] } else { &["kind"] };
    let victory = Fields::of(value, &at, known, faults)?;
    let by_hits = victory.choice("kind", &[("fleet", false), ("hits", true)], faults)?;
    if by_hits { Some(Victory::hits(victory.integer("hits", 1, 156, faults)? as u16)) } else { Some(Victory::FLEET) }
}

fn read_fleet(fields: &Fields<'_>, faults: &mut Faults) -> Option<Vec<Class>> {
    let entries = fields.array("fleet", faults)?;
    let at = fields.pointer("fleet");
    if entries.is_empty() || entries.len() > MOST_SHIPS {
        faults.push(at, "out-of-bounds", "A fleet has 1 to 26 classes.");
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
                    "class-repeated",
                    format!("There is already a class `{}`.", class.class),
                );
            }
            fleet.push(class);
        }
    }
    let ships: usize = fleet.iter().map(|class| usize::from(class.count)).sum();
    if ships > MOST_SHIPS {
        faults.push(at, "too-many-ships", format!("{ships} ships; a fleet has at most {MOST_SHIPS}."));
    } else {
        name_clashes(&fleet, &at, faults);
    }
    (faults.0.len() == before).then_some(fleet)
}

/// Ship ids must be told apart too: a class `cruiser-2` beside two of the class `cruiser` would not be.
fn name_clashes(fleet: &[Class], at: &str, faults: &mut Faults) {
    for (index, class) in fleet.iter().enumerate() {
        let taken = fleet.iter().filter(|other| other.count > 1).any(|other| {
            class.class.strip_prefix(other.class.as_str()).and_then(|rest| rest.strip_prefix('-')).is_some_and(|rest| {
                class.count == 1
                    && rest.parse::<u8>().is_ok_and(|n| (1..=other.count).contains(&n) && !rest.starts_with('0'))
            })
        });
        if taken {
            let detail = format!("`{}` is also the id of a ship of another class.", class.class);
            faults.push(pointer(&pointer(at, &format!("{index}")), "class"), "class-repeated", detail);
        }
    }
}

fn read_class(entry: &Value, at: &str, faults: &mut Faults) -> Option<Class> {
    let fields = Fields::of(entry, at, &["class", "name", "length", "count"], faults)?;
    let class = fields.text("class", faults).and_then(|text| {
        let id = is_kebab(text).then(|| ClassId::new(text)).flatten();
        if id.is_none() {
            faults.push(
                fields.pointer("class"),
                "out-of-bounds",
                "A class id is kebab-case (`a-z`, `0-9`, single hyphens), 1 to 24 characters.",
            );
        }
        id
    });
    let name = fields.text("name", faults).filter(|text| {
        let fits =
            (1..=40).contains(&text.chars().count()) && !text.chars().any(char::is_control) && !text.trim().is_empty();
        if !fits {
            faults.push(fields.pointer("name"), "out-of-bounds", "A name is 1 to 40 printable characters.");
        }
        fits
    });
    let length = fields.integer("length", 1, 6, faults);
    let count = fields.integer("count", 1, 10, faults);
    Some(Class { class: class?, name: name?.into(), length: length? as u8, count: count? as u8 })
}

fn is_kebab(text: &str) -> bool {
    !text.is_empty()
        && text
            .split('-')
            .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()))
}
