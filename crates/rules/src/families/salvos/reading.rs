//! Reading a rule set of the family from JSON, with every fault named: parameters, bounds and contradictions.
use alloc::format;

use serde_json::Value;

use super::{
    fleets::{self, Fleets},
    roster::{EDITION, SHIPS},
    rules::{Deployment, MOST_ROUNDS, MovesPosted, Rules, SalvosTag},
};
use crate::{
    families::teams::Teams,
    read::{Faults, Fields},
    seat::Seat,
};

const FIELDS: &[&str] =
    &["family", "roster", "fleets", "rows_per_seat", "columns", "deployment", "moves_posted", "teams", "rounds"];
const DEPLOYMENTS: &[(&str, Deployment)] =
    &[("interleaved", Deployment::Interleaved), ("bands", Deployment::Bands), ("free", Deployment::Free)];
const POSTED: &[(&str, MovesPosted)] =
    &[("steps", MovesPosted::Steps), ("ship", MovesPosted::Ship), ("nothing", MovesPosted::Nothing)];
/// The fewest rounds of a rule set.
const LEAST_ROUNDS: u32 = 10;
/// The fewest and the most rows for each seat, and columns.
const ROWS: (u32, u32) = (3, 8);
const COLUMNS: (u32, u32) = (5, 20);
/// The most cells for each seat: a set of cells can hold seven times as many.
const MOST_CELLS: u32 = 96;

/// Reads a whole rule set and checks its bounds. Everything is read before it gives up, so that every fault is named.
pub(super) fn read(value: &Value, faults: &mut Faults) -> Option<Rules> {
    let fields = Fields::of(value, "", FIELDS, faults)?;
    let family = fields.choice("family", &[("salvos", SalvosTag::Value)], faults);
    let roster = fields.integer("roster", EDITION, EDITION, faults);
    let fleets = Fleets::read(&fields, faults);
    let grid = read_grid(&fields, fleets.as_ref(), faults);
    let deployment = fields.choice("deployment", DEPLOYMENTS, faults);
    let moves_posted = fields.choice("moves_posted", POSTED, faults);
    let teams = read_teams(&fields, fleets.as_ref(), faults);
    let rounds = fields.integer("rounds", LEAST_ROUNDS, MOST_ROUNDS, faults);
    let (rows_per_seat, columns) = grid?;
    Some(Rules {
        family: family?,
        roster: u16::try_from(roster?).ok()?,
        fleets: fleets?,
        rows_per_seat,
        columns,
        deployment: deployment?,
        moves_posted: moves_posted?,
        teams: teams?.0,
        rounds: u16::try_from(rounds?).ok()?,
    })
}

/// Rows for each seat and columns, with room for the fleets.
fn read_grid(fields: &Fields<'_>, fleets: Option<&Option<Fleets>>, faults: &mut Faults) -> Option<(u8, u8)> {
    let rows = fields.integer("rows_per_seat", ROWS.0, ROWS.1, faults);
    let columns = fields.integer("columns", COLUMNS.0, COLUMNS.1, faults);
    let (rows, columns) = (rows?, columns?);
    let cells = rows * columns;
    if cells > MOST_CELLS {
        let detail = format!("{rows} rows of {columns} cells for each seat; there are at most {MOST_CELLS} cells.");
        faults.push(fields.pointer("rows_per_seat"), "out-of-range", detail);
        return None;
    }
    let ships = fleets?.as_ref().map_or(&SHIPS[..], Fleets::ships);
    if let Some(detail) = fleets::crowded(ships, cells as usize) {
        faults.push(fields.pointer("rows_per_seat"), "conflicting-fields", detail);
        return None;
    }
    Some((rows as u8, columns as u8))
}

/// Reads the teams, each of which has at least one nation.
fn read_teams(fields: &Fields<'_>, fleets: Option<&Option<Fleets>>, faults: &mut Faults) -> Option<Teams> {
    let teams = Teams::read(fields, faults)?;
    let nations = fleets?.as_ref().map_or(usize::from(Seat::MOST), |fleets| fleets.names().len());
    if teams.0.is_some_and(|teams| usize::from(teams) > nations) {
        let detail = format!("There are {nations} fleets; use as many teams at most.");
        faults.push(fields.pointer("teams"), "conflicting-fields", detail);
        return None;
    }
    Some(teams)
}
