//! The legality of this family's actions, judged by the player's knowledge. Every fault is named at once; events are
//! not read here.
use alloc::{format, string::String, vec::Vec};

use super::{
    Depths,
    action::{Action, ChargeAction, DepthsDeployAction, DepthsMoveAction, TorpedoAction, unknown_line},
    knowledge::Knowledge,
    rules::{MOST_STEPS, Rules, SHIPS, SUBMARINES, ship_number},
    surface::{Phase, Ship, Turn},
    water::{Cell, Line, Square, Waters, depth_index},
};
use crate::{families::family, illegal::Illegal, read::Faults, seat::Seat, table::Table, text::ShipId};

impl family::Legality for Depths {
    fn legal(rules: &Rules, table: &Table, known: &Knowledge, seat: Seat, action: &Action) -> Result<(), Illegal> {
        if let Action::Deploy(deploy) = action {
            table.may_deploy(seat)?;
            return deployment(rules.waters(), deploy);
        }
        let turn = match known.surface.phase {
            Phase::Turn(turn) if turn.seat == seat => turn,
            Phase::Turn(_) => return Err(Illegal::new("not-your-turn", "The other seat has to end its turn first.")),
            _ => {
                let detail = "The battle begins when both seats have placed their submarines and their mine.";
                return Err(Illegal::new("wrong-phase", detail));
            }
        };
        let mut faults = Faults::default();
        match action {
            Action::Deploy(_) => {}
            Action::Move(sail) => {
                in_time_to_move(&turn)?;
                moves(rules, known, seat, sail, &mut faults);
            }
            Action::Charge(charge) => {
                in_time_to_charge(&turn)?;
                charges(known, &turn, charge, &mut faults);
            }
            Action::Torpedo(torpedo) => {
                in_time_to_fire(rules, known, &turn)?;
                torpedoes(rules, known, &turn, torpedo, &mut faults);
            }
            Action::EndTurn(_) => may_end(rules, known, &turn)?,
        }
        Illegal::unless_none(faults.0)
    }
}

fn deployment(waters: Waters, deploy: &DepthsDeployAction) -> Result<(), Illegal> {
    let mut faults = Faults::default();
    let mut cells: Vec<Cell> = Vec::with_capacity(SUBMARINES);
    for (index, label) in deploy.submarines.iter().enumerate() {
        let (code, detail) = match waters.parse_cell(label) {
            None => ("unknown-cell", format!("There is no cell `{label}` below the surface.")),
            Some(cell) if cells.contains(&cell) => {
                ("duplicate-cell", format!("`{label}` is named more than once; one submarine lies in a cell."))
            }
            Some(cell) => {
                cells.push(cell);
                continue;
            }
        };
        faults.push(format!("/submarines/{index}"), code, detail);
    }
    let named = deploy.submarines.len();
    if named < SUBMARINES {
        faults.push("/submarines", "ship-missing", format!("{named} cells; there are three submarines to place."));
    } else if named > SUBMARINES {
        faults.push("/submarines", "out-of-range", format!("{named} cells; there are only three submarines."));
    }
    match waters.parse_square(&deploy.mine) {
        None => faults.push("/mine", "unknown-cell", format!("The surface has no square `{}`.", deploy.mine)),
        Some(mine) => {
            if let Some(below) = cells.iter().find(|cell| waters.above(**cell) == mine) {
                let detail = format!("Your submarine on `{}` lies on the mine's square.", waters.label(*below));
                faults.push("/mine", "mine-under-submarine", detail);
            }
        }
    }
    Illegal::unless_none(faults.0)
}

fn in_time_to_move(turn: &Turn) -> Result<(), Illegal> {
    if turn.is_begun() {
        let detail = "One ship moves in a turn, once, and before any charge or torpedo.";
        return Err(Illegal::new("already-moved", detail));
    }
    Ok(())
}

fn in_time_to_charge(turn: &Turn) -> Result<(), Illegal> {
    if turn.charged || turn.torpedoes > 0 {
        let detail = "One depth charge is dropped in a turn, and before any torpedo.";
        return Err(Illegal::new("already-charged", detail));
    }
    Ok(())
}

fn in_time_to_fire(rules: &Rules, known: &Knowledge, turn: &Turn) -> Result<(), Illegal> {
    if known.surface.torpedoes_left(rules, turn) > 0 {
        return Ok(());
    }
    let detail = match turn.torpedoes {
        0 => "A turn in which no ship has moved has a depth charge or torpedoes, not both.",
        1 => "This turn has one torpedo, and it is fired.",
        _ => "Every submarine fires once in a turn, and all have.",
    };
    Err(Illegal::new("no-torpedo-left", detail))
}

fn afloat(known: &Knowledge, seat: Seat, id: ShipId, at: &str, faults: &mut Faults) -> Option<(u8, Ship)> {
    let Some(number) = ship_number(&id) else {
        let detail = format!("No surface ship is called `{id}`; submarines neither move nor can be aimed at.");
        faults.push(at, "unknown-ship", detail);
        return None;
    };
    let ship = known.surface.fleets[seat.index()][usize::from(number)];
    if !ship.afloat {
        faults.push(at, "ship-sunk", format!("`{id}` is sunk."));
        return None;
    }
    Some((number, ship))
}

/// Checks a path of one to three steps, over the sea or in or out of port, around the own ships.
fn moves(rules: &Rules, known: &Knowledge, seat: Seat, sail: &DepthsMoveAction, faults: &mut Faults) {
    let steps = sail.path.len();
    if steps == 0 {
        faults.push("/path", "path-broken", "A path names at least one square.");
    } else if steps > MOST_STEPS {
        let detail = format!("{steps} steps; a ship goes one, two or three squares in a move.");
        faults.push("/path", "path-too-long", detail);
    }
    let Some((number, ship)) = afloat(known, seat, sail.ship, "/ship", faults) else { return };
    let taken = known.surface.taken(seat, number);
    let mut from = ship.at;
    for (index, label) in sail.path.iter().enumerate() {
        let at = format!("/path/{index}");
        let Some(to) = rules.waters().parse_place(label) else {
            return faults.push(at, "unknown-cell", format!("The surface has no square `{label}`."));
        };
        if from.is_port() && index > 0 {
            return faults.push(at, "path-broken", "A ship that enters port ends its move there.");
        }
        if !rules.is_step(from, to) {
            return faults.push(at, "path-broken", no_step(rules, from, to));
        }
        if !to.is_port() && taken & to.bit() != 0 {
            faults.push(at, "path-blocked", format!("Another ship of yours is on `{label}`."));
        }
        from = to;
    }
}

/// The reason why there is no step between two places.
fn no_step(rules: &Rules, from: Square, to: Square) -> String {
    if from.is_port() || to.is_port() {
        let arrows: Vec<String> = rules.arrows.iter().map(|arrow| format!("{arrow}")).collect();
        return format!("Ships enter and leave port over the arrow squares only: {}.", arrows.join(", "));
    }
    format!("`{}` is not next to `{}`; no row runs on into the next.", to.label(), from.label())
}

/// Checks a charge: by the ship that moved, or by any at sea if none did.
fn charges(known: &Knowledge, turn: &Turn, charge: &ChargeAction, faults: &mut Faults) {
    if depth_index(charge.depth).is_none() {
        faults.push("/depth", "out-of-range", "`depth` is 100, 200 or 300.");
    }
    let Some((number, ship)) = afloat(known, turn.seat, charge.ship, "/ship", faults) else { return };
    if let Some(moved) = turn.moved.filter(|moved| *moved != number) {
        let (mover, _, _) = SHIPS[usize::from(moved)];
        let detail = if known.surface.fleets[turn.seat.index()][usize::from(moved)].afloat {
            format!("`{mover}` has moved: it alone may drop a charge in this turn.")
        } else {
            format!("`{mover}` has moved and is sunk: no other ship drops a charge in its place.")
        };
        faults.push("/ship", "wrong-ship", detail);
    } else if ship.at.is_port() {
        faults.push("/ship", "ship-in-port", format!("`{}` is in port and cannot drop a charge.", charge.ship));
    } else if ship.charges == 0 {
        faults.push("/ship", "no-charge-left", format!("`{}` has no charge left; it rearms in port.", charge.ship));
    }
}

/// Checks a torpedo: along the line of this turn, from an own submarine that has not fired, at an enemy ship above that
/// line.
fn torpedoes(rules: &Rules, known: &Knowledge, turn: &Turn, torpedo: &TorpedoAction, faults: &mut Faults) {
    let target = afloat(known, turn.seat.other(), torpedo.target, "/target", faults).map(|(_, ship)| ship);
    if target.is_some_and(|ship| ship.at.is_port()) {
        let detail = format!("`{}` is in port, out of reach of torpedoes.", torpedo.target);
        faults.push("/target", "ship-in-port", detail);
    }
    let waters = rules.waters();
    let Some(line) = waters.parse_line(rules.lines, &torpedo.line) else {
        return faults.push("/line", "unknown-line", unknown_line(rules));
    };
    if let Some(other) = turn.line.filter(|other| *other != line) {
        let detail = format!("This turn's torpedoes run along `{}`.", waters.line_id(other));
        return faults.push("/line", "line-changed", detail);
    }
    if target.is_some_and(|ship| ship.is_at_sea() && !waters.is_on(line, ship.at)) {
        let detail = format!("`{}` is not on `{}`.", torpedo.target, torpedo.line);
        faults.push("/line", "not-on-line", detail);
    }
    if known.ready_on(rules, turn.seat, line) == 0 {
        if turn.torpedoes > 0 {
            let detail = format!("All your submarines on `{}` have fired in this turn.", torpedo.line);
            faults.push("/line", "no-submarine-left", detail);
        } else {
            let detail = format!("You have no submarine afloat on `{}`.", torpedo.line);
            faults.push("/line", "not-on-line", detail);
        }
    }
}

/// A turn without a step may end only if none is possible.
fn may_end(rules: &Rules, known: &Knowledge, turn: &Turn) -> Result<(), Illegal> {
    if turn.is_begun() {
        return Ok(());
    }
    if known.surface.can_move_or_charge(rules, turn.seat) || torpedo_ways(rules, known, turn).next().is_some() {
        let detail = "At least one step is made in a turn: move a ship, drop a charge or fire a torpedo.";
        return Err(Illegal::new("nothing-done", detail));
    }
    Ok(())
}

/// Every torpedo that may be fired now: the target's number, the line, and the number of torpedoes left along that line
/// in this turn.
pub(super) fn torpedo_ways<'a>(
    rules: &'a Rules,
    known: &'a Knowledge,
    turn: &Turn,
) -> impl Iterator<Item = (u8, Line, u8)> + use<'a> {
    let (seat, along) = (turn.seat, turn.line);
    let fleet = known.surface.fleets[seat.other().index()];
    let (waters, left) = (rules.waters(), known.surface.torpedoes_left(rules, turn));
    let lines = waters.lines(rules.lines).filter(move |line| along.is_none_or(|along| along == *line));
    let ready = lines.map(move |line| (line, known.ready_on(rules, seat, line).min(left)));
    let ready = ready.filter(|(_, ready)| *ready > 0);
    ready.flat_map(move |(line, ready)| {
        let targets =
            fleet.into_iter().zip(0..).filter(move |(ship, _)| ship.is_at_sea() && waters.is_on(line, ship.at));
        targets.map(move |(_, number)| (number, line, ready))
    })
}
