//! Reading a depths rule set from JSON: every parameter, every bound and every contradiction, with every fault named.
use alloc::{format, vec::Vec};

use serde_json::Value;

use super::{
    rules::{Charge, DepthsTag, Lines, Odds, Rules},
    water::{SIDE, SQUARES},
};
use crate::{
    families::First,
    read::{Faults, Fields, pointer},
};

const FIELDS: &[&str] = &["family", "charge", "arrows", "lines", "torpedo_hits", "turns", "first"];
const CHARGES: &[(&str, Charge)] = &[("cross", Charge::Cross), ("blast", Charge::Blast)];
const LINES: &[(&str, Lines)] = &[("straight", Lines::Straight), ("straight-and-diagonal", Lines::StraightAndDiagonal)];

/// Reads a whole rule set and checks its bounds. Everything is read before anything gives up, so that every
/// fault is named.
pub(super) fn read(value: &Value, faults: &mut Faults) -> Option<Rules> {
    let fields = Fields::of(value, "", FIELDS, faults)?;
    let family = fields.choice("family", &[("depths", DepthsTag::Value)], faults);
    let charge = fields.choice("charge", CHARGES, faults);
    let arrows = read_arrows(&fields, faults);
    let lines = fields.choice("lines", LINES, faults);
    let torpedo_hits = read_odds(&fields, faults);
    let turns = fields.integer("turns", 50, 500, faults);
    let first = fields.choice("first", First::CHOICES, faults);
    Some(Rules {
        family: family?,
        charge: charge?,
        arrows: arrows?,
        lines: lines?,
        torpedo_hits: torpedo_hits?,
        turns: turns? as u16,
        first: first?,
    })
}

fn read_arrows(fields: &Fields<'_>, faults: &mut Faults) -> Option<Vec<u8>> {
    let entries = fields.array("arrows", faults)?;
    let at = fields.pointer("arrows");
    if !(1..=usize::from(SIDE)).contains(&entries.len()) {
        faults.push(at, "out-of-bounds", "A port has 1 to 6 arrow squares.");
        return None;
    }
    let mut arrows: Vec<u8> = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let at = pointer(&at, &format!("{index}"));
        let number = entry.as_u64().and_then(|number| u8::try_from(number).ok());
        match number.filter(|number| (1..=SQUARES).contains(number) && number % SIDE == 0) {
            None => {
                let code = if entry.is_number() { "out-of-bounds" } else { "wrong-type" };
                faults.push(at, code, "An arrow square is one of the numbers 6, 12, 18, 24, 30 and 36.");
            }
            Some(number) if arrows.contains(&number) => {
                faults.push(at, "cell-named-twice", format!("{number} is named more than once."));
            }
            Some(number) => arrows.push(number),
        }
    }
    (arrows.len() == entries.len()).then_some(arrows)
}

fn read_odds(fields: &Fields<'_>, faults: &mut Faults) -> Option<Odds> {
    let value = fields.required("torpedo_hits", faults)?;
    let odds = Fields::of(value, &fields.pointer("torpedo_hits"), &["hits", "of"], faults)?;
    let hits = odds.integer("hits", 0, SQUARES.into(), faults);
    let of = odds.integer("of", 1, SQUARES.into(), faults);
    let (hits, of) = (hits?, of?);
    if hits > of {
        faults.push(
            odds.pointer("hits"),
            "contradiction",
            format!("A torpedo cannot hit {hits} times out of {of}; `hits` is at most `of`."),
        );
    }
    Some(Odds { hits: hits as u8, of: of as u8 })
}
