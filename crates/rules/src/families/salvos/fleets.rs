//! Custom fleets in a rule set, instead of the roster's (sheet 004 leaves the figures to the umpire): their form,
//! parser and bounds.
use alloc::{format, vec::Vec};

use serde::{Serialize, Serializer};
use serde_json::Value;

use super::roster::{Class, Figures, MOST_SHIPS, NAMES, NATIONS_COUNT, Name, Ship};
use crate::{
    read::{Faults, Fields, pointer},
    text::{ClassId, ShipId},
};

const MOST_OF_A_CLASS: usize = 10;
/// The most shots, armour and speed of a ship, and the least and the most reach.
const MOST_ATTACK: u32 = 9;
const MOST_ARMOUR: u32 = 20;
const MOST_SPEED: u32 = 9;
const MOST_NEAREST: u32 = 3;
const MOST_FARTHEST: u32 = 9;
/// The deployment cells per ship, at least: so some ship can always fire, and none is hemmed in.
const LEAST_ROOM: usize = 3;

/// The nations of a rule set and their ships.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fleets {
    /// The nations, in the order of play, as indices into [`NAMES`].
    nations: Vec<u8>,
    /// The ships, nation by nation; a ship's nation is an index into `nations`.
    ships: Vec<Ship>,
}

/// A nation and its fleet.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = SalvosFleet))]
#[serde(deny_unknown_fields)]
pub struct OwnFleet {
    /// Its nation, one of the seven of the game; each has one fleet at most, and they stand in the order of play.
    #[cfg_attr(feature = "schema", schema(max_length = 16, pattern = "^[a-z]+$"))]
    pub nation: &'static str,
    /// Its ships.
    #[cfg_attr(feature = "schema", schema(min_items = 1, max_items = 40))]
    pub ships: Vec<OwnShip>,
}

/// A ship and its figures.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = SalvosShip))]
#[serde(deny_unknown_fields)]
pub struct OwnShip {
    /// Its id, unique among all the ships of the rule set.
    pub ship: ShipId,
    /// Its name for people, at most 40 bytes in UTF-8.
    #[cfg_attr(
        feature = "schema",
        schema(value_type = String, min_length = 1, max_length = 40, pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$")
    )]
    pub name: Name,
    /// Its class: `carrier`, `battleship`, `destroyer` (whose salvos hit submarines always) or `submarine` (which only
    /// direct salvos hit, and those of destroyers).
    pub class: ClassId,
    /// Shots a turn.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 9, format = Int32))]
    pub attack: u8,
    /// Points of damage that sink it.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 20, format = Int32))]
    pub armour: u8,
    /// Points of movement a turn; 0 for one that stays where it is.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 9, format = Int32))]
    pub speed: u8,
    /// The nearest distance it fires at, in king's moves.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 3, format = Int32))]
    pub nearest: u8,
    /// The farthest, not less than the nearest.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 9, format = Int32))]
    pub farthest: u8,
}

impl Serialize for Fleets {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ship = |ship: &Ship| {
            let Figures { attack, armour, speed, nearest, farthest } = ship.figures;
            let (ship, name, class) = (ship.id, ship.name, ship.class.id());
            OwnShip { ship, name, class, attack, armour, speed, nearest, farthest }
        };
        let fleet = |(number, nation): (u8, &u8)| OwnFleet {
            nation: NAMES.get(usize::from(*nation)).copied().unwrap_or_default(),
            ships: self.ships.iter().filter(|ship| ship.nation == number).map(ship).collect(),
        };
        serializer.collect_seq((0..).zip(&self.nations).map(fleet))
    }
}

/// The names of every choice of nations, in the order of play; the number of a choice has a bit for each nation.
static CHOICES: [[&str; NATIONS_COUNT]; 1 << NATIONS_COUNT] = {
    let mut choices = [[""; NATIONS_COUNT]; 1 << NATIONS_COUNT];
    let mut choice = 0;
    while choice < 1 << NATIONS_COUNT {
        let (mut nation, mut nth) = (0, 0);
        while nation < NATIONS_COUNT {
            if choice >> nation & 1 == 1 {
                choices[choice][nth] = NAMES[nation];
                nth += 1;
            }
            nation += 1;
        }
        choice += 1;
    }
    choices
};

impl Fleets {
    pub(crate) fn ships(&self) -> &[Ship] {
        &self.ships
    }

    pub(crate) fn names(&self) -> &'static [&'static str] {
        let choice = self.nations.iter().fold(0, |choice, nation| choice | 1 << nation);
        CHOICES.get(choice).map_or(&[], |names| &names[..self.nations.len().min(NATIONS_COUNT)])
    }

    /// Reads `fleets`: `null` for the roster's, or a fleet for each of two to seven nations.
    pub(super) fn read(fields: &Fields<'_>, faults: &mut Faults) -> Option<Option<Self>> {
        if fields.required("fleets", faults)?.is_null() {
            return Some(None);
        }
        let entries = fields.array("fleets", faults)?;
        let at = fields.pointer("fleets");
        if !(2..=NATIONS_COUNT).contains(&entries.len()) {
            faults.push(at, "out-of-range", format!("A rule set has 2 to {NATIONS_COUNT} fleets."));
            return None;
        }
        let mut fleets = Self { nations: Vec::new(), ships: Vec::new() };
        let before = faults.0.len();
        for (index, entry) in entries.iter().enumerate() {
            fleets.read_fleet(entry, &pointer(&at, &format!("{index}")), faults);
        }
        if fleets.ships.len() > MOST_SHIPS {
            let detail = format!("{} ships; all fleets together have at most {MOST_SHIPS}.", fleets.ships.len());
            faults.push(at, "out-of-range", detail);
        }
        (faults.0.len() == before).then_some(Some(fleets))
    }

    fn read_fleet(&mut self, entry: &Value, at: &str, faults: &mut Faults) -> Option<()> {
        let fields = Fields::of(entry, at, &["nation", "ships"], faults)?;
        let choices: Vec<(&str, u8)> = NAMES.iter().copied().zip(0..).collect();
        let nation = fields.choice("nation", &choices, faults);
        if let (Some(nation), Some(last)) = (nation, self.nations.last())
            && nation <= *last
        {
            let detail = format!("Each nation has one fleet, in the order of play: {}.", NAMES.join(", "));
            faults.push(fields.pointer("nation"), "conflicting-fields", detail);
        }
        let number = self.nations.len() as u8;
        self.nations.extend(nation);
        let ships = fields.array("ships", faults)?;
        let at = fields.pointer("ships");
        if !(1..=MOST_OF_A_CLASS * Class::ALL.len()).contains(&ships.len()) {
            faults.push(at, "out-of-range", format!("A fleet has 1 to {} ships.", MOST_OF_A_CLASS * Class::ALL.len()));
            return None;
        }
        let from = self.ships.len();
        for (index, entry) in ships.iter().enumerate() {
            let at = pointer(&at, &format!("{index}"));
            let Some(ship) = read_ship(entry, number, &at, faults) else { continue };
            if self.ships.iter().any(|other| other.id == ship.id) {
                faults.push(pointer(&at, "ship"), "duplicate-ship", format!("Another ship is called `{}`.", ship.id));
            }
            self.ships.push(ship);
        }
        for class in Class::ALL {
            let count = self.ships[from..].iter().filter(|ship| ship.class == class).count();
            if count > MOST_OF_A_CLASS {
                let detail = format!("{count} ships are of class `{}`; a fleet has at most 10 of one.", class.key());
                faults.push(at.as_str(), "out-of-range", detail);
            }
        }
        Some(())
    }
}

fn read_ship(entry: &Value, nation: u8, at: &str, faults: &mut Faults) -> Option<Ship> {
    let known = ["ship", "name", "class", "attack", "armour", "speed", "nearest", "farthest"];
    let fields = Fields::of(entry, at, &known, faults)?;
    let id = fields.text("ship", faults).and_then(|text| {
        let id = ShipId::new(text).filter(|_| is_kebab(text));
        if id.is_none() {
            let detail = "The id of a ship is 1 to 27 small letters and digits, with single hyphens between them.";
            faults.push(fields.pointer("ship"), "out-of-range", detail);
        }
        id
    });
    let name = fields.text("name", faults).and_then(|text| {
        let name = Name::new(text).filter(|_| !text.trim().is_empty() && !text.chars().any(char::is_control));
        if name.is_none() {
            let detail = "The name of a ship has 1 to 40 bytes in UTF-8, and no control characters.";
            faults.push(fields.pointer("name"), "out-of-range", detail);
        }
        name
    });
    let class = fields.choice("class", &Class::ALL.map(|class| (class.key(), class)), faults);
    let attack = fields.integer("attack", 1, MOST_ATTACK, faults);
    let armour = fields.integer("armour", 1, MOST_ARMOUR, faults);
    let speed = fields.integer("speed", 0, MOST_SPEED, faults);
    let nearest = fields.integer("nearest", 0, MOST_NEAREST, faults);
    let farthest = fields.integer("farthest", 1, MOST_FARTHEST, faults);
    if let (Some(nearest), Some(farthest)) = (nearest, farthest)
        && nearest > farthest
    {
        let detail = format!("A ship that fires at {farthest} at most cannot fire at {nearest} at least.");
        faults.push(fields.pointer("nearest"), "conflicting-fields", detail);
    }
    let figures = Figures {
        attack: attack? as u8,
        armour: armour? as u8,
        speed: speed? as u8,
        nearest: nearest? as u8,
        farthest: farthest? as u8,
    };
    Some(Ship { id: id?, name: name?, class: class?, figures, nation })
}

fn is_kebab(text: &str) -> bool {
    let plain = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    text.split('-').all(plain)
}

/// The reason why fleets don't fit into this many deployment cells per seat, if they don't.
pub(super) fn crowded(ships: &[Ship], cells: usize) -> Option<alloc::string::String> {
    let most = (0..NATIONS_COUNT as u8).map(|nation| super::roster::fleet(ships, nation).len()).max()?;
    (most * LEAST_ROOM > cells).then(|| {
        format!(
            "A seat has {cells} cells for its fleet, and the largest fleet has {most} ships: give each at least \
             {LEAST_ROOM} cells a ship."
        )
    })
}
