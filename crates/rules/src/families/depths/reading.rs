//! Reading a depths rule set from JSON, with every fault named: parameters, bounds and contradictions.
use alloc::{format, string::String, vec::Vec};

use serde_json::Value;

use super::{
    rules::{AfterMine, Charge, DepthsTag, Lines, Odds, Rules, Torpedoes, WithoutMove},
    water::Waters,
};
use crate::{
    families::First,
    read::{Faults, Fields, pointer},
};

const FIELDS: &[&str] = &[
    "family",
    "rows",
    "columns",
    "charge",
    "arrows",
    "lines",
    "torpedo_hits",
    "torpedoes",
    "after_mine",
    "without_move",
    "turns",
    "first",
];
const CHARGES: &[(&str, Charge)] = &[("cross", Charge::Cross), ("blast", Charge::Blast)];
const LINES: &[(&str, Lines)] = &[("straight", Lines::Straight), ("straight-and-diagonal", Lines::StraightAndDiagonal)];
const TORPEDOES: &[(&str, Torpedoes)] = &[("each-submarine", Torpedoes::EachSubmarine), ("one", Torpedoes::One)];
const AFTER_MINE: &[(&str, AfterMine)] = &[("as-usual", AfterMine::AsUsual), ("one", AfterMine::One)];
const WITHOUT_MOVE: &[(&str, WithoutMove)] =
    &[("charge-and-torpedo", WithoutMove::ChargeAndTorpedo), ("charge-or-torpedo", WithoutMove::ChargeOrTorpedo)];
const MOST_OUTCOMES: u32 = 36;

/// Reads a whole rule set and checks its bounds. Everything is read before it gives up, so that every fault is named.
pub(super) fn read(value: &Value, faults: &mut Faults) -> Option<Rules> {
    let fields = Fields::of(value, "", FIELDS, faults)?;
    let family = fields.choice("family", &[("depths", DepthsTag::Value)], faults);
    let waters = read_waters(&fields, faults);
    let charge = fields.choice("charge", CHARGES, faults);
    let arrows = read_arrows(waters, &fields, faults);
    let lines = fields.choice("lines", LINES, faults);
    let torpedo_hits = read_odds(&fields, faults);
    let torpedoes = fields.choice("torpedoes", TORPEDOES, faults);
    let after_mine = fields.choice("after_mine", AFTER_MINE, faults);
    let without_move = fields.choice("without_move", WITHOUT_MOVE, faults);
    let turns = fields.integer("turns", 50, 500, faults);
    let first = fields.choice("first", First::CHOICES, faults);
    let Waters { rows, columns } = waters?;
    Some(Rules {
        family: family?,
        rows,
        columns,
        charge: charge?,
        arrows: arrows?,
        lines: lines?,
        torpedo_hits: torpedo_hits?,
        torpedoes: torpedoes?,
        after_mine: after_mine?,
        without_move: without_move?,
        turns: turns? as u16,
        first: first?,
    })
}

fn read_waters(fields: &Fields<'_>, faults: &mut Faults) -> Option<Waters> {
    let (least, most) = (Waters::SIDES.0.into(), Waters::SIDES.1.into());
    let rows = fields.integer("rows", least, most, faults);
    let columns = fields.integer("columns", least, most, faults);
    let (rows, columns) = (rows?, columns?);
    if rows * columns > Waters::MOST_SQUARES.into() {
        let detail = format!("{rows} rows of {columns} squares; a sea has at most {} squares.", Waters::MOST_SQUARES);
        faults.push(fields.pointer("rows"), "out-of-range", detail);
        return None;
    }
    Some(Waters { rows: rows as u8, columns: columns as u8 })
}

/// Reads the arrow squares, which are in the right-hand column; without a size only their form is checked.
fn read_arrows(waters: Option<Waters>, fields: &Fields<'_>, faults: &mut Faults) -> Option<Vec<u8>> {
    let entries = fields.array("arrows", faults)?;
    let at = fields.pointer("arrows");
    let Waters { rows, columns } = waters?;
    if !(1..=usize::from(rows)).contains(&entries.len()) {
        faults.push(at, "out-of-range", format!("A port has 1 to {rows} arrow squares."));
        return None;
    }
    let right: Vec<u8> = (1..=rows).map(|row| row * columns).collect();
    let mut arrows: Vec<u8> = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let at = pointer(&at, &format!("{index}"));
        let number = entry.as_u64().and_then(|number| u8::try_from(number).ok());
        match number.filter(|number| right.contains(number)) {
            None => {
                let code = if entry.is_number() { "out-of-range" } else { "wrong-type" };
                let right: Vec<String> = right.iter().map(|number| format!("{number}")).collect();
                let detail = format!("An arrow square is one of the right-hand column: {}.", right.join(", "));
                faults.push(at, code, detail);
            }
            Some(number) if arrows.contains(&number) => {
                faults.push(at, "duplicate-cell", format!("{number} is named more than once."));
            }
            Some(number) => arrows.push(number),
        }
    }
    (arrows.len() == entries.len()).then_some(arrows)
}

/// The default arrows of another size: the four in the middle of the right-hand column, or one row nearer to the top
/// than to the bottom.
pub(super) fn arrows_follow(changes: &Value, whole: &mut Value) {
    let resized = changes.get("rows").or(changes.get("columns")).is_some();
    let side = |name: &str| whole.get(name).and_then(Value::as_u64).filter(|side| *side <= Waters::SIDES.1.into());
    if let (true, None, Some(rows), Some(columns)) = (resized, changes.get("arrows"), side("rows"), side("columns")) {
        let above = rows.saturating_sub(4) / 2;
        let arrows: Vec<u64> = (1..=rows.min(4)).map(|row| (above + row) * columns).collect();
        whole["arrows"] = arrows.into();
    }
}

fn read_odds(fields: &Fields<'_>, faults: &mut Faults) -> Option<Odds> {
    let value = fields.required("torpedo_hits", faults)?;
    let odds = Fields::of(value, &fields.pointer("torpedo_hits"), &["hits", "of"], faults)?;
    let hits = odds.integer("hits", 0, MOST_OUTCOMES, faults);
    let of = odds.integer("of", 1, MOST_OUTCOMES, faults);
    let (hits, of) = (hits?, of?);
    if hits > of {
        faults.push(
            odds.pointer("hits"),
            "conflicting-fields",
            format!("A torpedo cannot hit {hits} times out of {of}; `hits` is at most `of`."),
        );
    }
    Some(Odds { hits: hits as u8, of: of as u8 })
}
