//! Seats, teams and handicaps: the parameters, their parser, and their consequences.
use alloc::{format, vec::Vec};

use serde::Serialize;
use serde_json::Value;

use super::rules::{MOST_SHIPS, MOST_SHOTS, Rules, choice};
use crate::{
    read::{Faults, Fields, pointer},
    seat::Seat,
    text::ClassId,
};

/// The most seats of this family.
pub const MOST_SEATS: usize = 6;
/// The most ships in a sea that a team shares: shots have their numbers.
pub const MOST_IN_SEA: usize = 30;
/// The most extra turns of a handicap.
const MOST_FIRST_TURNS: u32 = 10;

choice! {
    /// Where the fleets of a team lie.
    TeamSeas {
        /// Each in a sea of its own.
        Own = "own",
        /// All in one sea, placed one after another in the order of the seats.
        Common = "common",
    }
}

/// How many seats a match may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = SeatCount))]
#[serde(deny_unknown_fields)]
pub struct Seats {
    /// The fewest, 2 to 6.
    #[cfg_attr(feature = "schema", schema(minimum = 2, maximum = 6, format = Int32))]
    pub min: u8,
    /// The most, 2 to 6.
    #[cfg_attr(feature = "schema", schema(minimum = 2, maximum = 6, format = Int32))]
    pub max: u8,
}

impl Seats {
    /// A match for two.
    pub const TWO: Self = Self { min: 2, max: 2 };
}

/// What is different for one seat.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Handicap {
    /// Which seat.
    pub seat: Seat,
    /// The classes of which it has another number of ships; left out where there is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(required = false, max_items = 26))]
    pub fleet: Vec<ClassCount>,
    /// The size of its full salvos; left out: that of all.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false, minimum = 1, maximum = 26, format = Int32))]
    pub salvo: Option<u8>,
    /// How many turns more than one it has the first time; left out: none.
    #[serde(skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "schema", schema(required = false, minimum = 0, maximum = 10, format = Int32))]
    pub first_turns: u8,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
const fn is_zero(number: &u8) -> bool {
    *number == 0
}

/// How many ships of a class a seat has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ClassCount {
    /// A class of the rule set.
    pub class: ClassId,
    /// How many ships of it, 0 to 10.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 10, format = Int32))]
    pub count: u8,
}

pub(super) fn read_seats(fields: &Fields<'_>, faults: &mut Faults) -> Option<Seats> {
    let value = fields.required("seats", faults)?;
    let seats = Fields::of(value, &fields.pointer("seats"), &["min", "max"], faults)?;
    let bound = |name: &str, faults: &mut Faults| seats.integer(name, 2, MOST_SEATS as u32, faults);
    let (min, max) = (bound("min", faults), bound("max", faults));
    Some(Seats { min: min? as u8, max: max? as u8 })
}

/// Reads `handicaps` into the order of the seats.
pub(super) fn read_handicaps(fields: &Fields<'_>, faults: &mut Faults) -> Option<Vec<Handicap>> {
    let entries = fields.array("handicaps", faults)?;
    let at = fields.pointer("handicaps");
    if entries.len() > MOST_SEATS {
        faults.push(at, "out-of-range", format!("At most {MOST_SEATS} handicaps, one for each seat."));
        return None;
    }
    let mut handicaps: Vec<Handicap> = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let at = pointer(&at, &format!("{index}"));
        let Some(handicap) = read_handicap(entry, &at, faults) else { continue };
        if handicaps.iter().any(|other| other.seat == handicap.seat) {
            faults.push(pointer(&at, "seat"), "conflicting-fields", "There is already a handicap for this seat.");
        }
        handicaps.push(handicap);
    }
    handicaps.sort_by_key(|handicap| handicap.seat);
    (handicaps.len() == entries.len()).then_some(handicaps)
}

fn read_handicap(entry: &Value, at: &str, faults: &mut Faults) -> Option<Handicap> {
    let fields = Fields::of(entry, at, &["seat", "fleet", "salvo", "first_turns"], faults)?;
    let seat = fields.integer("seat", 0, MOST_SEATS as u32 - 1, faults);
    let fleet = if fields.has("fleet") { read_counts(&fields, faults) } else { Some(Vec::new()) };
    let mut least = |name: &str, least: u32, most: u32| {
        if fields.has(name) { fields.integer(name, least, most, faults).map(Some) } else { Some(None) }
    };
    let salvo = least("salvo", 1, MOST_SHOTS as u32);
    let first_turns = least("first_turns", 0, MOST_FIRST_TURNS);
    Some(Handicap {
        seat: Seat(seat? as u8),
        fleet: fleet?,
        salvo: salvo?.map(|size| size as u8),
        first_turns: first_turns?.unwrap_or_default() as u8,
    })
}

fn read_counts(fields: &Fields<'_>, faults: &mut Faults) -> Option<Vec<ClassCount>> {
    let entries = fields.array("fleet", faults)?;
    let at = fields.pointer("fleet");
    if entries.len() > MOST_SHIPS {
        faults.push(at, "out-of-range", "At most 26 classes.");
        return None;
    }
    let read = |(index, entry): (usize, &Value), faults: &mut Faults| {
        let at = pointer(&at, &format!("{index}"));
        let fields = Fields::of(entry, &at, &["class", "count"], faults)?;
        let class = fields.text("class", faults).map(ClassId::new);
        if class == Some(None) {
            faults.push(fields.pointer("class"), "unknown-value", "The fleet has no such class.");
        }
        let count = fields.integer("count", 0, 10, faults);
        Some(ClassCount { class: class??, count: count? as u8 })
    };
    let counts: Vec<Option<ClassCount>> = entries.iter().enumerate().map(|entry| read(entry, faults)).collect();
    counts.into_iter().collect()
}

impl Rules {
    /// The seats of a match with the most.
    pub(crate) fn all_seats(&self) -> impl Iterator<Item = Seat> + use<> {
        (0..self.seats.max).map(Seat)
    }

    /// The seats that share a sea with this one, itself included, in the order of placement.
    pub(crate) fn crew(&self, seat: Seat) -> impl Iterator<Item = Seat> + use<> {
        let teams = self.teams.filter(|_| self.team_seas == TeamSeas::Common);
        let of_one_sea = move |other: &Seat| teams.map_or(*other == seat, |teams| other.0 % teams == seat.0 % teams);
        self.all_seats().filter(of_one_sea)
    }

    /// The first seat of each sea with different fleets.
    pub(crate) fn crews(&self) -> impl Iterator<Item = Seat> {
        let is_first = move |seat: &Seat| self.crew(*seat).next() == Some(*seat);
        let has_own = move |seat: Seat| self.handicap(seat).is_some_and(|own| !own.fleet.is_empty());
        let differs = move |seat: &Seat| self.crew(*seat).any(has_own);
        let like_others = self.all_seats().filter(is_first).find(move |seat| !differs(seat));
        self.all_seats().filter(is_first).filter(differs).chain(like_others)
    }

    /// The number of a seat's first ship in its sea.
    pub(crate) fn first_in_sea(&self, seat: Seat) -> usize {
        self.crew(seat).filter(|other| *other < seat).map(|other| self.ships(other).count()).sum()
    }

    pub(crate) fn handicap(&self, seat: Seat) -> Option<&Handicap> {
        self.handicaps.iter().find(|handicap| handicap.seat == seat)
    }

    /// The number of a seat's ships of a class, by its index.
    pub(crate) fn count(&self, seat: Seat, class: usize) -> u8 {
        let class = &self.fleet[class];
        let own = self.handicap(seat).and_then(|handicap| handicap.fleet.iter().find(|own| own.class == class.class));
        own.map_or(class.count, |own| own.count)
    }

    /// The most ships of a class, by its index, in any sea.
    pub(crate) fn most(&self, class: usize) -> u8 {
        let in_sea = |seat| self.crew(seat).map(|ally| self.count(ally, class)).sum();
        self.all_seats().map(in_sea).max().unwrap_or_default()
    }

    pub(crate) fn full_salvo(&self, seat: Seat) -> u8 {
        self.handicap(seat).and_then(|handicap| handicap.salvo).unwrap_or(self.salvo.size)
    }

    /// The number of extra turns that a seat has the first time.
    pub(crate) fn extra_turns(&self, seat: Seat) -> u8 {
        self.handicap(seat).map_or(0, |handicap| handicap.first_turns)
    }

    pub(super) fn contradictions_of_sides(&self, faults: &mut Faults) {
        let Seats { min, max } = self.seats;
        if min > max {
            faults.push("/seats/min", "conflicting-fields", format!("At least {min} seats, and at most {max}."));
        }
        match self.teams {
            Some(teams) if min != max || !max.is_multiple_of(teams) || max / teams < 2 => faults.push(
                "/teams",
                "conflicting-fields",
                format!(
                    "{teams} teams need one number of seats that divides evenly into teams of two or more: set \
                     `seats` so that `min` and `max` are the same."
                ),
            ),
            _ => {}
        }
        self.contradictions_of_common_seas(faults);
        for (index, handicap) in self.handicaps.iter().enumerate() {
            let at = format!("/handicaps/{index}");
            if handicap.seat.0 >= max {
                faults.push(pointer(&at, "seat"), "conflicting-fields", format!("There are only {max} seats."));
            }
            for (nth, own) in handicap.fleet.iter().enumerate() {
                let at = format!("{at}/fleet/{nth}/class");
                if self.class_index(&own.class).is_none() {
                    faults.push(at, "unknown-value", format!("The fleet has no class `{}`.", own.class));
                } else if handicap.fleet[..nth].iter().any(|other| other.class == own.class) {
                    faults.push(at, "duplicate-class", format!("`{}` is named more than once.", own.class));
                }
            }
            let ships = self.ships(handicap.seat).count();
            if ships == 0 {
                faults.push(pointer(&at, "fleet"), "conflicting-fields", "A seat has at least one ship.");
            } else if ships > MOST_SHIPS {
                let detail = format!("{ships} ships; a fleet has at most {MOST_SHIPS}.");
                faults.push(pointer(&at, "fleet"), "too-many-ships", detail);
            }
        }
    }

    fn contradictions_of_common_seas(&self, faults: &mut Faults) {
        if self.team_seas == TeamSeas::Own {
            return;
        }
        if self.teams.is_none() {
            let detail = "A sea is shared by a team: say how many `teams` there are, or set `team_seas` to `own`.";
            faults.push("/team_seas", "conflicting-fields", detail);
        }
        if self.relocates() {
            let detail = "Ships lie still in a sea that a team shares: `relocation` is `no` with it.";
            faults.push("/team_seas", "conflicting-fields", detail);
        }
        let ships = |seat| self.crew(seat).map(|ally| self.ships(ally).count()).sum::<usize>();
        let most = self.all_seats().map(ships).max().unwrap_or_default();
        if self.teams.is_some() && most > MOST_IN_SEA {
            let detail = format!("{most} ships in the sea of a team; at most {MOST_IN_SEA}. Use fewer ships.");
            faults.push("/fleet", "too-many-ships", detail);
        }
    }
}
