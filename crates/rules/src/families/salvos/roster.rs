//! The roster: seven nations, their ships, and every figure of the game. It is data and meant to be changed: one number
//! here changes the game, the cards and the views alike. Nothing here knows a sea, a seat or a turn.
//!
//! Sheet 004 leaves the figures to the umpire. A class gives a ship its figures, and a single ship, or all ships of a
//! nation, may have their own: `battleship("iowa", "Iowa").attack(4).armour(6)`.
use core::ops::Range;

use crate::text::{ClassId, ShipId, Short};

/// The edition of this roster, stored in each rule set, match and record. A changed figure needs a new edition; the old
/// one stays for the matches begun with it.
pub(crate) const EDITION: u32 = 1;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Figures {
    /// Shots per turn.
    pub attack: u8,
    /// Points of damage that sink it.
    pub armour: u8,
    /// Points of movement per turn.
    pub speed: u8,
    /// The nearest firing distance, in king's moves.
    pub nearest: u8,
    /// The farthest firing distance, in king's moves.
    pub farthest: u8,
}

/// The four classes, in the order of lists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    Carrier,
    Battleship,
    Destroyer,
    Submarine,
}

const fn figures(attack: u8, armour: u8, speed: u8, range: [u8; 2]) -> Figures {
    Figures { attack, armour, speed, nearest: range[0], farthest: range[1] }
}

impl Class {
    pub const ALL: [Self; 4] = [Self::Carrier, Self::Battleship, Self::Destroyer, Self::Submarine];

    /// The figures of the class: attack, armour, speed, range.
    pub const fn figures(self) -> Figures {
        match self {
            Self::Carrier => figures(2, 3, 2, [3, 3]),
            Self::Battleship => figures(3, 4, 1, [0, 1]),
            Self::Destroyer => figures(2, 2, 3, [0, 1]),
            Self::Submarine => figures(2, 1, 2, [0, 1]),
        }
    }

    /// The id on the wire.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Carrier => "carrier",
            Self::Battleship => "battleship",
            Self::Destroyer => "destroyer",
            Self::Submarine => "submarine",
        }
    }

    /// The name for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Carrier => "Carrier",
            Self::Battleship => "Battleship",
            Self::Destroyer => "Destroyer",
            Self::Submarine => "Submarine",
        }
    }

    /// The id in views.
    pub fn id(self) -> ClassId {
        ClassId::cut(format_args!("{}", self.key()))
    }
}

/// The name of a ship for people.
pub(crate) type Name = Short<40>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ship {
    /// The id on the wire, unique over all nations: the name in small ASCII letters, with hyphens.
    pub id: ShipId,
    /// The name for people.
    pub name: Name,
    pub class: Class,
    pub figures: Figures,
    /// The number of its nation in the roster.
    pub nation: u8,
}

const fn of(class: Class, key: &'static str, name: &'static str) -> Ship {
    Ship { id: ShipId::literal(key), name: Name::literal(name), class, figures: class.figures(), nation: 0 }
}

const fn carrier(key: &'static str, name: &'static str) -> Ship {
    of(Class::Carrier, key, name)
}

const fn battleship(key: &'static str, name: &'static str) -> Ship {
    of(Class::Battleship, key, name)
}

const fn destroyer(key: &'static str, name: &'static str) -> Ship {
    of(Class::Destroyer, key, name)
}

const fn submarine(key: &'static str, name: &'static str) -> Ship {
    of(Class::Submarine, key, name)
}

#[allow(dead_code, reason = "figures of a single ship: used or not as the balance asks for it")]
impl Ship {
    const fn attack(mut self, attack: u8) -> Self {
        self.figures.attack = attack;
        self
    }

    const fn armour(mut self, armour: u8) -> Self {
        self.figures.armour = armour;
        self
    }

    const fn speed(mut self, speed: u8) -> Self {
        self.figures.speed = speed;
        self
    }
}

/// A nation and its fleet, class by class.
pub(crate) struct Nation {
    /// The name on the wire.
    pub key: &'static str,
    pub fleet: &'static [Ship],
}

pub(crate) const NATIONS_COUNT: usize = 7;

/// The nations, in the order of play (sheet 004, 6).
pub(crate) const NATIONS: [Nation; NATIONS_COUNT] = [
    Nation {
        key: "american",
        fleet: &[
            carrier("enterprise", "Enterprise"),
            carrier("saratoga", "Saratoga"),
            carrier("yorktown", "Yorktown"),
            battleship("iowa", "Iowa").attack(4).armour(6),
            destroyer("fletcher", "Fletcher").armour(3),
            destroyer("laffey", "Laffey").armour(3),
            submarine("gato", "Gato"),
        ],
    },
    Nation {
        key: "british",
        fleet: &[
            carrier("ark-royal", "Ark Royal").armour(2),
            carrier("illustrious", "Illustrious"),
            battleship("warspite", "Warspite").armour(5),
            battleship("rodney", "Rodney").armour(5),
            destroyer("cossack", "Cossack").armour(3),
            destroyer("kelly", "Kelly").armour(3),
            submarine("upholder", "Upholder"),
        ],
    },
    Nation {
        key: "german",
        fleet: &[
            battleship("bismarck", "Bismarck").armour(5),
            battleship("scharnhorst", "Scharnhorst").armour(5),
            destroyer("z23", "Z23"),
            destroyer("karl-galster", "Karl Galster"),
            submarine("u-47", "U-47"),
            submarine("u-96", "U-96"),
            submarine("u-99", "U-99"),
            submarine("u-552", "U-552"),
        ],
    },
    Nation {
        key: "japanese",
        fleet: &[
            carrier("akagi", "Akagi").armour(2),
            carrier("kaga", "Kaga"),
            battleship("yamato", "Yamato"),
            battleship("nagato", "Nagato"),
            destroyer("yukikaze", "Yukikaze"),
            destroyer("shimakaze", "Shimakaze"),
            submarine("i-19", "I-19"),
        ],
    },
    Nation {
        key: "french",
        fleet: &[
            carrier("bearn", "Béarn").armour(2),
            battleship("richelieu", "Richelieu"),
            battleship("dunkerque", "Dunkerque").armour(3),
            battleship("strasbourg", "Strasbourg").armour(3),
            destroyer("le-fantasque", "Le Fantasque"),
            destroyer("mogador", "Mogador"),
            submarine("surcouf", "Surcouf"),
        ],
    },
    Nation {
        key: "italian",
        fleet: &[
            battleship("roma", "Roma"),
            battleship("littorio", "Littorio").armour(3),
            battleship("vittorio-veneto", "Vittorio Veneto").armour(3),
            battleship("duilio", "Duilio").armour(3),
            destroyer("lanciere", "Lanciere").armour(1),
            destroyer("camicia-nera", "Camicia Nera"),
            submarine("leonardo-da-vinci", "Leonardo da Vinci"),
        ],
    },
    Nation {
        key: "soviet",
        fleet: &[
            battleship("marat", "Marat").armour(5),
            destroyer("tashkent", "Tashkent"),
            destroyer("gremyashchy", "Gremyashchy"),
            destroyer("soobrazitelny", "Soobrazitelny"),
            destroyer("silny", "Silny"),
            destroyer("razumny", "Razumny").armour(1),
            submarine("s-13", "S-13"),
            submarine("k-21", "K-21"),
        ],
    },
];

/// The names of the nations, which players may prefer.
pub(crate) const NAMES: [&str; NATIONS_COUNT] = {
    let mut names = [""; NATIONS_COUNT];
    let mut nation = 0;
    while nation < NATIONS_COUNT {
        names[nation] = NATIONS[nation].key;
        nation += 1;
    }
    names
};

/// The most ships of a roster: sets of ships are 64 bits, and a ship takes six bits in the log, where the highest
/// number means none.
pub(crate) const MOST_SHIPS: usize = 62;

const SHIPS_COUNT: usize = {
    let (mut count, mut nation) = (0, 0);
    while nation < NATIONS_COUNT {
        count += NATIONS[nation].fleet.len();
        nation += 1;
    }
    assert!(count <= MOST_SHIPS);
    count
};

/// Every ship of this edition by its number: nation by nation, in the order of play.
pub(crate) static SHIPS: [Ship; SHIPS_COUNT] = {
    let mut ships = [NATIONS[0].fleet[0]; SHIPS_COUNT];
    let (mut number, mut nation) = (0, 0);
    while nation < NATIONS_COUNT {
        let mut nth = 0;
        while nth < NATIONS[nation].fleet.len() {
            ships[number] = NATIONS[nation].fleet[nth];
            ships[number].nation = nation as u8;
            nth += 1;
            number += 1;
        }
        nation += 1;
    }
    ships
};

/// The numbers of a nation's ships in a roster sorted by nation; empty for a nation that is not in it.
pub(crate) fn fleet(ships: &[Ship], nation: u8) -> Range<usize> {
    ships.partition_point(|ship| ship.nation < nation)..ships.partition_point(|ship| ship.nation <= nation)
}

pub(crate) fn number_of(ships: &[Ship], id: &str) -> Option<usize> {
    ships.iter().position(|ship| ship.id.as_str() == id)
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Ships(u64);

impl Ships {
    pub const NONE: Self = Self(0);

    pub const fn contains(self, ship: usize) -> bool {
        ship < 64 && self.0 >> ship & 1 == 1
    }

    pub const fn insert(&mut self, ship: usize) {
        if ship < 64 {
            self.0 |= 1 << ship;
        }
    }

    /// The numbers, ascending: the order of the roster.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..MOST_SHIPS).filter(move |ship| self.contains(*ship))
    }
}

impl FromIterator<usize> for Ships {
    fn from_iter<I: IntoIterator<Item = usize>>(ships: I) -> Self {
        let mut set = Self::NONE;
        ships.into_iter().for_each(|ship| set.insert(ship));
        set
    }
}

#[cfg(test)]
mod tests {
    use alloc::{format, string::String};

    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn an_edition_never_changes() {
        let line = |ship: &Ship| {
            let Figures { attack, armour, speed, nearest, farthest } = ship.figures;
            let nation = NATIONS[usize::from(ship.nation)].key;
            format!("{nation} {} {} {attack} {armour} {speed} {nearest} {farthest}\n", ship.class.key(), ship.id)
        };
        let all: String = SHIPS.iter().map(line).collect();
        let hash: String = Sha256::digest(all).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        // A changed figure makes a new edition: matches and records name the one that they were played by.
        assert_eq!((EDITION, hash.as_str()), (1, "6cf8d6d4e8bc05fa"));
    }
}
