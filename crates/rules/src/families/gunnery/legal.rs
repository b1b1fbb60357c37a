//! The legality of this family's actions, judged by the player's knowledge. Every fault is named at once; events are
//! not read here.
use alloc::{format, string::String, vec::Vec};

use super::{
    Gunnery,
    action::{Action, GiveUpAction, ShipPlace, no_such_ship},
    arsenal,
    fleet::{self, BorderFault, Placement},
    knowledge::{Knowledge, Known, Phase},
    mines::{self, Owed},
    placing::Placing,
    rules::{Rules, Ship},
    seating::SeaId,
};
use crate::{
    families::family,
    grid::{Cell, CellSet},
    illegal::{Fault, Illegal},
    read::Faults,
    seat::Seat,
    table::Table,
    text::{Label, ShipId},
};

impl family::Legality for Gunnery {
    fn legal(rules: &Rules, table: &Table, known: &Knowledge, seat: Seat, action: &Action) -> Result<(), Illegal> {
        match action {
            Action::Deploy(deploy) => {
                table.may_deploy(seat)?;
                deployment(rules, known, seat, &deploy.ships, &deploy.mines)
            }
            Action::Fire(fire) => {
                let shots = may_fire(table, known, seat)?;
                salvo(rules, &known.land, target(known, seat, fire.target)?, &fire.cells, shots)
            }
            Action::UseWeapon(action) => {
                may_fire(table, known, seat)?;
                arsenal::may_use(rules, known, seat, target(known, seat, action.target)?, action)
            }
            Action::GiveUp(given) => match known.phase {
                Phase::GivingUp { seat: turn, owed } if turn == seat => payment(rules, known.own(seat), given, owed),
                _ if table.to_act.contains(seat) || known.phase == Phase::Deploying => {
                    Err(wrong_phase("You owe nothing: no mine and no minesweeper was struck by your last salvo."))
                }
                _ => Err(not_your_turn()),
            },
            Action::Relocate(relocate) => match known.phase {
                _ if !rules.relocates() => Err(wrong_phase("Ships do not move in this game.")),
                Phase::Relocating { seat: turn } if turn == seat => relocation(rules, known, seat, &relocate.ships),
                Phase::Firing { .. } | Phase::Relocating { .. } if !table.to_act.contains(seat) => Err(not_your_turn()),
                Phase::Firing { .. } => {
                    Err(wrong_phase("Ships move only right after a salvo against you; it is your turn to fire."))
                }
                _ => Err(wrong_phase("The battle begins when all fleets are placed.")),
            },
        }
    }
}

/// The number of shots of the seat's salvo, if it may fire now.
fn may_fire(table: &Table, known: &Knowledge, seat: Seat) -> Result<u8, Illegal> {
    match known.phase {
        Phase::Firing { seat: turn, shots } if turn == seat => Ok(shots),
        Phase::Firing { .. } | Phase::Relocating { .. } | Phase::GivingUp { .. } if !table.to_act.contains(seat) => {
            Err(not_your_turn())
        }
        Phase::GivingUp { .. } => Err(wrong_phase("Pay first what you owe: play `give-up`.")),
        Phase::Relocating { .. } => {
            Err(wrong_phase("Decide first where your ships lie: play `relocate`, with no ships to leave them."))
        }
        _ => Err(wrong_phase("The battle begins when all fleets are placed.")),
    }
}

fn not_your_turn() -> Illegal {
    Illegal::new("not-your-turn", "Another seat has to act first.")
}

fn wrong_phase(detail: &str) -> Illegal {
    Illegal::new("wrong-phase", detail)
}

fn target(known: &Knowledge, seat: Seat, named: Option<SeaId>) -> Result<&Known, Illegal> {
    let mut targets = known.targets(seat);
    let (sea, code, detail) = match named {
        Some(id) => (
            targets.find(|(sea, _)| *sea == id),
            "wrong-target",
            "Name the sea of an enemy who is not out, with a cell that was not shot at.",
        ),
        None => (
            targets.next().filter(|_| targets.next().is_none()),
            "missing-field",
            "There is more than one sea to fire at: name one as `target`.",
        ),
    };
    let refused = || Illegal { code, detail: detail.into(), faults: Vec::from([Fault::new("/target", code, detail)]) };
    sea.map(|(_, sea)| sea).ok_or_else(refused)
}

/// A salvo is exactly this many different, untried cells.
fn salvo(rules: &Rules, land: &CellSet, sea: &Known, cells: &[Label], shots: u8) -> Result<(), Illegal> {
    let mut faults = Faults::default();
    let mut named = CellSet::NONE;
    for (index, label) in cells.iter().enumerate() {
        let (code, detail) = match rules.board.parse(label) {
            None => ("unknown-cell", format!("The board has no cell `{label}`.")),
            Some(cell) if !named.insert(cell) => ("duplicate-cell", format!("`{label}` is named more than once.")),
            Some(cell) if land.contains(cell) => {
                ("on-island", format!("`{label}` is an island: there is nothing to shoot at."))
            }
            Some(cell) if sea.is_tried(cell) => ("cell-already-tried", format!("`{label}` has been shot at before.")),
            Some(_) => continue,
        };
        faults.push(format!("/cells/{index}"), code, detail);
    }
    let shots = usize::from(u16::from(shots).min(sea.untried()));
    if cells.len() != shots {
        faults.push("/cells", "wrong-salvo-size", format!("{} cells; this salvo is exactly {shots}.", cells.len()));
    }
    Illegal::unless_none(faults.0)
}

/// Checks a payment: exactly the debt, out of what the seat still has.
fn payment(rules: &Rules, own: &Known, given: &GiveUpAction, owed: Owed) -> Result<(), Illegal> {
    let mut faults = Faults::default();
    let asked = [("cells", given.cells.len(), owed.cells), ("ships", given.ships.len(), owed.ships)];
    for (name, sent, owed) in asked.into_iter().chain([("mines", given.mines.len(), owed.mines)]) {
        if sent != usize::from(owed) {
            faults.push(format!("/{name}"), "wrong-give-up", format!("You owe {owed} `{name}`, not {sent}."));
        }
    }
    let sound = own.sound_cells(rules);
    let lists = [("cells", &given.cells, sound, "a cell of a ship of yours that is not hit")];
    for (name, labels, may, what) in lists.into_iter().chain([("mines", &given.mines, own.mines, "a mine of yours")]) {
        let mut named = CellSet::NONE;
        for (index, label) in labels.iter().enumerate() {
            let cell = rules.board.parse(label);
            let (code, detail) = match cell {
                Some(cell) if !may.contains(cell) => ("not-yours-to-give", format!("`{label}` is not {what}.")),
                Some(cell) if named.insert(cell) => continue,
                Some(_) => ("duplicate-cell", format!("`{label}` is named more than once.")),
                None => ("unknown-cell", format!("The board has no cell `{label}`.")),
            };
            faults.push(format!("/{name}/{index}"), code, detail);
        }
    }
    for (index, id) in given.ships.iter().enumerate() {
        let ship = own.seen().find(|(_, ship, _)| rules.ship_id(*ship) == *id);
        let (code, detail) = match ship {
            _ if given.ships[..index].contains(id) => ("duplicate-ship", format!("`{id}` is named more than once.")),
            None => ("unknown-ship", format!("Your fleet has no ship `{id}`.")),
            Some((_, ship, place)) if own.hits_on(rules, ship, place) == ship.length => {
                ("ship-sunk", format!("`{id}` is sunk already."))
            }
            Some(_) => continue,
        };
        faults.push(format!("/ships/{index}"), code, detail);
    }
    Illegal::unless_none(faults.0)
}

/// A ship as sent: its place in the request, id and placement.
struct Sent {
    at: String,
    id: ShipId,
    cells: CellSet,
    /// Are its cells those of a ship of its class? If not, the only further faults are cells shared with other ships.
    is_sound: bool,
}

/// A ship already placed.
fn lying(rules: &Rules, ship: Ship, place: Placement) -> Sent {
    Sent { at: String::new(), id: rules.ship_id(ship), cells: rules.cells(ship, place).collect(), is_sound: true }
}

fn deployment(
    rules: &Rules,
    known: &Knowledge,
    seat: Seat,
    ships: &[ShipPlace],
    mines: &[Label],
) -> Result<(), Illegal> {
    let mut faults = Faults::default();
    let sent = read_ships(rules, seat, ships, &mut faults);
    let covered = sent.iter().fold(CellSet::NONE, |covered, ship| covered.or(&ship.cells));
    mines::minefield(rules, &known.land, &covered, mines, &mut faults);
    off_the_land(rules, &known.land, &sent, &mut faults);
    let allied: Vec<Sent> = known.own(seat).here().map(|(ship, place)| lying(rules, ship, place)).collect();
    apart(rules, &sent, &allied, &mut faults);
    let missing: Vec<String> = rules
        .ship_ids(seat)
        .filter(|id| !ships.iter().any(|ship| ship.ship == *id))
        .map(|id| format!("`{id}`"))
        .collect();
    if !missing.is_empty() {
        faults.push("/ships", "ship-missing", format!("Not placed: {}.", missing.join(", ")));
    }
    let allies: Vec<Seat> = known.missing(seat).into_iter().filter(|other| *other != seat).collect();
    if faults.0.is_empty() && !allies.is_empty() {
        let taken = fleet::zone(rules.board, rules.contact, covered.iter());
        if !Placing::new(rules).leaves_room(&allies, &known.closed(rules, seat).or(&taken)) {
            let detail = "No way was found to place the fleets of your allies beside yours: leave them more room.";
            faults.push("/ships", "no-room-for-allies", detail);
        }
    }
    Illegal::unless_none(faults.0)
}

fn relocation(rules: &Rules, known: &Knowledge, seat: Seat, ships: &[ShipPlace]) -> Result<(), Illegal> {
    let sea = known.own(seat);
    let mut faults = Faults::default();
    let sent = read_ships(rules, seat, ships, &mut faults);
    if let Some(most) = rules.relocation_ships.filter(|most| ships.len() > usize::from(*most)) {
        faults.push(
            "/ships",
            "too-many-ships-moved",
            format!("{} ships; at most {most} may move at once.", ships.len()),
        );
    }
    off_the_land(rules, &known.land, &sent, &mut faults);
    let mut staying = Vec::new();
    for (_, ship, place) in sea.seen() {
        let id = rules.ship_id(ship);
        let hits = sea.hits_on(rules, ship, place);
        match ships.iter().position(|ship| ship.ship == id) {
            None => staying.push(lying(rules, ship, place)),
            Some(index) if rules.sinking && hits == ship.length => {
                faults.push(
                    format!("/ships/{index}/ship"),
                    "ship-sunk",
                    format!("`{id}` is sunk and cannot be moved."),
                );
            }
            Some(index) if !rules.relocation_damaged && hits > 0 => {
                let detail = format!("`{id}` has been hit, and in this game a damaged ship does not move.");
                faults.push(format!("/ships/{index}/ship"), "ship-damaged", detail);
            }
            Some(index) => {
                let old: CellSet = rules.cells(ship, place).collect();
                let moved = sent.iter().find(|ship| ship.id == id && ship.is_sound);
                if let Some(range) = rules.relocation_range
                    && moved
                        .is_some_and(|ship| !ship.cells.without(&fleet::within(rules.board, &old, range)).is_empty())
                {
                    let detail = format!("A part of `{id}` would move more than {range} cells from where it lies.");
                    faults.push(format!("/ships/{index}/cells"), "move-too-far", detail);
                }
            }
        }
    }
    for (index, ship) in ships.iter().enumerate() {
        for (nth, label) in ship.cells.iter().enumerate() {
            if rules.board.parse(label).is_some_and(|cell| sea.is_tried(cell)) {
                let detail = format!("`{label}` has been shot at; a ship moves only to cells that never were.");
                faults.push(format!("/ships/{index}/cells/{nth}"), "cell-already-tried", detail);
            }
        }
    }
    apart(rules, &sent, &staying, &mut faults);
    Illegal::unless_none(faults.0)
}

/// Reads each ship by itself: known, once, of its shape, and within the law of the border.
fn read_ships(rules: &Rules, seat: Seat, ships: &[ShipPlace], faults: &mut Faults) -> Vec<Sent> {
    let mut sent: Vec<Sent> = Vec::with_capacity(ships.len());
    for (index, place) in ships.iter().enumerate() {
        let at = format!("/ships/{index}");
        let id = &place.ship;
        let Some(ship) = rules.ships(seat).find(|ship| rules.ship_id(*ship) == *id) else {
            let fleet = rules.ships(seat).map(|ship| rules.ship_id(ship));
            faults.push(format!("{at}/ship"), "unknown-ship", no_such_ship(fleet));
            continue;
        };
        if ships[..index].iter().any(|other| other.ship == *id) {
            faults.push(format!("{at}/ship"), "duplicate-ship", format!("`{id}` is named more than once."));
            continue;
        }
        let (cells, is_sound) = read_cells(rules, place, &at, ship, faults);
        sent.push(Sent { at, id: *id, cells, is_sound });
    }
    sent
}

/// The cells of a ship on the board, and whether they are those of a ship of its class.
fn read_cells(rules: &Rules, place: &ShipPlace, at: &str, ship: Ship, faults: &mut Faults) -> (CellSet, bool) {
    let (board, id, length) = (rules.board, &place.ship, ship.length);
    let at = format!("{at}/cells");
    let mut cells: Vec<Cell> = Vec::with_capacity(place.cells.len());
    for (nth, label) in place.cells.iter().enumerate() {
        match board.parse(label) {
            None => faults.push(format!("{at}/{nth}"), "unknown-cell", format!("The board has no cell `{label}`.")),
            Some(cell) if cells.contains(&cell) => {
                faults.push(format!("{at}/{nth}"), "duplicate-cell", format!("`{label}` is named more than once."))
            }
            Some(cell) => cells.push(cell),
        }
    }
    let covered = cells.iter().copied().collect();
    if place.cells.len() != usize::from(length) {
        faults.push(at, "wrong-length", format!("`{id}` is {length} cells long, not {}.", place.cells.len()));
        return (covered, false);
    }
    if cells.len() != place.cells.len() {
        return (covered, false);
    }
    if rules.covering(ship, &cells).is_none() {
        let (code, detail) = if rules.ways(ship).is_line() {
            ("not-straight", format!("`{id}` does not lie on neighbouring cells of one row or column."))
        } else {
            ("wrong-shape", format!("`{id}` does not lie in one of the `orientations` of its class."))
        };
        faults.push(at, code, detail);
        return (covered, false);
    }
    match fleet::border_fault(rules, cells.iter().copied()) {
        Some(BorderFault::Corner) => {
            faults.push(at, "corner-forbidden", format!("`{id}` lies on a corner of the sea."))
        }
        Some(BorderFault::Along) => {
            faults.push(at, "border-forbidden", format!("`{id}` has more than one cell on the edge of the sea."))
        }
        None => {}
    }
    (covered, true)
}

/// Checks ships against the islands: not on them, and apart from them where the rules require it.
fn off_the_land(rules: &Rules, land: &CellSet, sent: &[Sent], faults: &mut Faults) {
    let coast = rules.coast(land);
    for Sent { at, id, cells, is_sound } in sent {
        let (code, detail) = if !cells.and(land).is_empty() {
            ("on-island", format!("`{id}` lies on an island."))
        } else if *is_sound && !cells.and(&coast).is_empty() {
            ("touches-island", format!("`{id}` touches an island."))
        } else {
            continue;
        };
        faults.push(format!("{at}/cells"), code, detail);
    }
}

/// Checks ships among themselves and against those that stay: not on one cell, and apart where the law of contact
/// requires it. Both ships of a pair are named, except one that stays.
fn apart(rules: &Rules, sent: &[Sent], staying: &[Sent], faults: &mut Faults) {
    for ship in sent {
        let zone = fleet::zone(rules.board, rules.contact, ship.cells.iter());
        for other in sent.iter().chain(staying).filter(|other| other.id != ship.id) {
            if ship.cells.iter().any(|cell| other.cells.contains(cell)) {
                faults.push(
                    format!("{}/cells", ship.at),
                    "ships-overlap",
                    format!("`{}` lies on a cell of `{}`.", ship.id, other.id),
                );
            } else if ship.is_sound && other.is_sound && zone.iter().any(|cell| other.cells.contains(cell)) {
                faults.push(
                    format!("{}/cells", ship.at),
                    "ships-touch",
                    format!("`{}` touches `{}`.", ship.id, other.id),
                );
            }
        }
    }
}
